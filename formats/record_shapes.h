#ifndef TABLECAST_FORMATS_RECORD_SHAPES_H_
#define TABLECAST_FORMATS_RECORD_SHAPES_H_

// The JSON shapes: lines, arrays and the command line's wrappers. Internal to formats/.

#include <vector>

#include "base/result.h"
#include "formats/dump_cursor.h"
#include "formats/json_slicer.h"

namespace tablecast {

// Every member is an object with one member named by a type tag, and there is at least one.
bool LooksTyped(const std::vector<JsonMemberSlice>& members);

// {"Item":{...}} alone or beside what the command line adds (ConsumedCapacity, ...): not an item that has an
// attribute called Item.
bool LooksLikeItemWrapper(const std::vector<JsonMemberSlice>& members);

// Every format but Ion, CSV and Workbench.
Status ReadJsonDump(DumpCursor& cursor, DumpFormat format);

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_RECORD_SHAPES_H_
