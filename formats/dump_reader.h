#ifndef TABLECAST_FORMATS_DUMP_READER_H_
#define TABLECAST_FORMATS_DUMP_READER_H_

// One input text -> its records, whatever shape of spec store-and-formats.md section 2 it has. The shape is
// told by content; from the first record on it is fixed, so that a damaged typed item is an error and never
// quietly read as plain JSON.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "item/item.h"
#include "item/table_schema.h"

namespace tablecast {

enum class DumpFormat {
  kAuto, kDynamoDbJson, kCli, kBatchWrite, kTransactWrite, kS3Export, kS3Incremental, kIon, kCsv,
  kWorkbench, kStream, kPlainJson, kTableDefinition, kGetItem, kItemsArray, kPutRequests,
};
// The names of `import --format`.
std::string_view DumpFormatName(DumpFormat format);
std::optional<DumpFormat> DumpFormatFromName(std::string_view name);

// Where a record stands, for messages and for the file of rejects.
struct DumpPlace {
  std::uint64_t line = 0;     // 1-based line of the text where the record starts
  std::uint64_t element = 0;  // 1-based number of the record in its file
  std::string path;           // inside the document: "Items[3]", "DataModel[0].TableData[7]"; may be empty
  std::size_t offset = 0;     // byte offset in the (decompressed) text
};

struct DumpRecord {
  enum class Kind { kPut, kDelete };
  Kind kind = Kind::kPut;
  std::string table;  // as the file names it; empty when it does not
  Item item;          // kDelete: at least the key columns
  DumpPlace place;
};

// A record that could not be read: the rest of the file goes on when the handler says so.
struct DumpFault {
  Error error;
  DumpPlace place;
  std::string text;  // the record's own text, cut to 4,096 bytes
};

class DumpHandler {
 public:
  virtual ~DumpHandler() = default;
  // Return false to stop reading (not an error).
  virtual bool OnRecord(DumpRecord record) = 0;
  virtual bool OnFault(DumpFault fault) = 0;
  // A table definition found in the file, before the records of that table.
  virtual bool OnSchema(const TableSchema& schema) = 0;
  // Truncated dumps, tolerated values and the like. `code` is a stable kebab-case word.
  virtual void OnWarning(std::string_view code, std::string message, const DumpPlace& place) = 0;
};

struct DumpOptions {
  DumpFormat format = DumpFormat::kAuto;
  // For CSV and definitions: type of a column by name; unknown columns are S.
  std::function<AttributeType(std::string_view)> column_type;
  std::size_t start_offset = 0;  // resume: skip everything before this byte (line formats only)
};

// Tells the shape. ERRORS: kInvalidArgument "format-unknown" with what the text begins with and the remedy.
Result<DumpFormat> DetectDumpFormat(std::string_view text, std::string_view path);

// Reads every record. COST: constant memory whatever the size of `text`.
// ERRORS: what makes the whole file unreadable: "json-syntax" outside any record, "format-unknown",
// "format-mismatch" (another --format was demanded).
struct DumpResult {
  DumpFormat format = DumpFormat::kAuto;
  std::uint64_t records = 0;
  bool stopped = false;  // the handler said so
};
Result<DumpResult> ReadDump(std::string_view text, std::string_view path, const DumpOptions& options,
                            DumpHandler& handler);

// True for formats with one record a line: a reader can start at any line and resume by offset.
bool IsLineFormat(DumpFormat format);

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_DUMP_READER_H_
