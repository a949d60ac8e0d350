#ifndef TABLECAST_FORMATS_WORKBENCH_READER_H_
#define TABLECAST_FORMATS_WORKBENCH_READER_H_

// NoSQL Workbench models: tables, their indexes and rows, rows that only a facet holds included. Internal to
// formats/.

#include "base/result.h"
#include "formats/dump_cursor.h"

namespace tablecast {

// A model is a hand-made document of limited size: read whole, at most 256 MiB.
Status ReadWorkbenchDump(DumpCursor& cursor);

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_WORKBENCH_READER_H_
