#ifndef TABLECAST_FORMATS_CSV_READER_H_
#define TABLECAST_FORMATS_CSV_READER_H_

// CSV as the import from S3 reads it: a header line, a delimiter of , tab : ; | or space, quotes doubled inside
// quotes; key columns get their declared type, all others are S. Internal to formats/.

#include "base/result.h"
#include "formats/dump_cursor.h"

namespace tablecast {

Status ReadCsvDump(DumpCursor& cursor);

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_CSV_READER_H_
