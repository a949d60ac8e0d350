#ifndef TABLECAST_FORMATS_ION_READER_H_
#define TABLECAST_FORMATS_ION_READER_H_

// Amazon Ion text as exports write it: `$ion_1_0 {Item:{...}}` a line. Internal to formats/.

#include <string_view>

#include "base/result.h"
#include "formats/dump_cursor.h"

namespace tablecast {

Status ReadIonDump(DumpCursor& cursor);

// One Ion struct as an item, for tests: `{id:103.,tags:$dynamodb_SS::["a"]}`.
Result<Item> ItemFromIon(std::string_view text);

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_ION_READER_H_
