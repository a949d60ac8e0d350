#include "formats/dump_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_reader.h"
#include "base/utf8.h"
#include "formats/csv_reader.h"
#include "formats/dump_cursor.h"
#include "formats/ion_reader.h"
#include "formats/json_slicer.h"
#include "formats/record_shapes.h"
#include "formats/workbench_reader.h"

namespace tablecast {

namespace {

constexpr std::array<std::pair<DumpFormat, std::string_view>, 16> kFormatNames = {{
    {DumpFormat::kAuto, "auto"},
    {DumpFormat::kDynamoDbJson, "dynamodb-json"},
    {DumpFormat::kCli, "cli"},
    {DumpFormat::kBatchWrite, "batch-write"},
    {DumpFormat::kTransactWrite, "transact-write"},
    {DumpFormat::kS3Export, "s3-export"},
    {DumpFormat::kS3Incremental, "s3-incremental"},
    {DumpFormat::kIon, "ion"},
    {DumpFormat::kCsv, "csv"},
    {DumpFormat::kWorkbench, "workbench"},
    {DumpFormat::kStream, "stream"},
    {DumpFormat::kPlainJson, "json"},
    {DumpFormat::kTableDefinition, "table-definition"},
    {DumpFormat::kGetItem, "get-item"},
    {DumpFormat::kItemsArray, "items-array"},
    {DumpFormat::kPutRequests, "put-requests"},
}};

bool Has(const std::vector<JsonMemberSlice>& members, std::string_view name) {
  return std::any_of(members.begin(), members.end(), [&](const auto& member) { return member.name == name; });
}

const JsonSlice* Member(const std::vector<JsonMemberSlice>& members, std::string_view name) {
  // The last of a name counts, as everywhere in this project.
  for (auto it = members.rbegin(); it != members.rend(); ++it) {
    if (it->name == name) return &it->value;
  }
  return nullptr;
}

bool IsArrayText(const JsonSlice* slice) { return slice != nullptr && slice->text.front() == '['; }
bool IsObjectText(const JsonSlice* slice) { return slice != nullptr && slice->text.front() == '{'; }

// The first element of an array text, if it is an object: its members.
std::vector<JsonMemberSlice> FirstElementMembers(std::string_view text, std::size_t at) {
  JsonArrayWalker walk(text, at);
  const auto first = walk.Next();
  if (!first.ok() || !*first || (**first).text.front() != '{') return {};
  auto members = SliceJsonMembers((**first).text, 0, nullptr);
  return members.ok() ? *members : std::vector<JsonMemberSlice>();
}

// {"PutRequest":{...}} and no more; beside other members it is an attribute of that name.
bool IsWriteRequest(const std::vector<JsonMemberSlice>& members) {
  return members.size() == 1 && (members.front().name == "PutRequest" || members.front().name == "DeleteRequest");
}

bool AllWriteRequests(const std::vector<JsonMemberSlice>& members) {
  if (members.empty()) return false;
  return std::all_of(members.begin(), members.end(), [](const JsonMemberSlice& member) {
    if (!IsArrayText(&member.value)) return false;
    const auto first = FirstElementMembers(member.value.text, 0);
    return IsWriteRequest(first);
  });
}

// Nothing but these stands beside `Items` or `Responses` in an answer; in an item anything may.
bool OnlyAnswerMembers(const std::vector<JsonMemberSlice>& members) {
  static constexpr std::array<std::string_view, 14> kKnown = {
      "Items", "Count", "ScannedCount", "ConsumedCapacity", "NextToken", "LastEvaluatedKey", "ResponseMetadata", "$metadata",
      "Responses", "UnprocessedKeys", "TableName", "ExportedAt", "ItemCount", "UnprocessedItems"};
  return std::all_of(members.begin(), members.end(), [](const JsonMemberSlice& member) {
    return std::find(kKnown.begin(), kKnown.end(), member.name) != kKnown.end();
  });
}

bool AllArrays(std::string_view object) {
  const auto members = SliceJsonMembers(object, 0, nullptr);
  return members.ok() && std::all_of(members->begin(), members->end(), [](const auto& m) { return IsArrayText(&m.value); });
}

// What one JSON object is, by its members. Orders have Items and surveys Responses: a name alone tells nothing.
DumpFormat ClassifyObject(const std::vector<JsonMemberSlice>& members) {
  if (const JsonSlice* models = Member(members, "DataModel"); IsArrayText(models)) {
    if (Has(members, "ModelName") || Has(FirstElementMembers(models->text, 0), "TableName")) return DumpFormat::kWorkbench;
  }
  if (const JsonSlice* actions = Member(members, "TransactItems"); IsArrayText(actions)) {
    const auto first = FirstElementMembers(actions->text, 0);
    for (const char* action : {"Put", "Delete", "Update", "ConditionCheck"}) {
      if (Has(first, action)) return DumpFormat::kTransactWrite;
    }
    if (members.size() == 1) return DumpFormat::kTransactWrite;
  }
  if (const JsonSlice* requests = Member(members, "RequestItems"); IsObjectText(requests) && AllArrays(requests->text)) {
    return DumpFormat::kBatchWrite;
  }
  if (IsArrayText(Member(members, "Records"))) {
    const std::string_view records = Member(members, "Records")->text;
    if (members.size() == 1 && records.find_first_not_of(" \t\r\n", 1) == records.size() - 1) return DumpFormat::kStream;
    if (Has(FirstElementMembers(records, 0), "dynamodb")) return DumpFormat::kStream;
  }
  if (Has(members, "dynamodb") && Has(members, "eventName")) return DumpFormat::kStream;
  if (IsObjectText(Member(members, "Keys"))) {
    const JsonSlice* metadata = Member(members, "Metadata");
    const bool timed = IsObjectText(metadata) && metadata->text.find("WriteTimestampMicros") != std::string_view::npos;
    if (timed || Has(members, "NewImage") || Has(members, "OldImage")) return DumpFormat::kS3Incremental;
  }
  const bool definition = Has(members, "KeySchema") && Has(members, "AttributeDefinitions");
  if (definition || Has(members, "AWSTemplateFormatVersion")) return DumpFormat::kTableDefinition;
  for (const char* wrapper : {"Table", "TableDescription", "Properties"}) {
    const JsonSlice* inner = Member(members, wrapper);
    if (!IsObjectText(inner)) continue;
    auto inner_members = SliceJsonMembers(inner->text, 0, nullptr);
    if (inner_members.ok() && Has(*inner_members, "KeySchema")) return DumpFormat::kTableDefinition;
  }
  if (const JsonSlice* resources = Member(members, "Resources"); IsObjectText(resources)) {
    if (resources->text.find("AWS::DynamoDB::") != std::string_view::npos) return DumpFormat::kTableDefinition;
  }
  if (const JsonSlice* items = Member(members, "Items"); IsArrayText(items)) {
    if (OnlyAnswerMembers(members) || LooksTyped(FirstElementMembers(items->text, 0))) return DumpFormat::kCli;
  }
  if (const JsonSlice* answers = Member(members, "Responses"); IsObjectText(answers)) {
    if (OnlyAnswerMembers(members) && AllArrays(answers->text)) return DumpFormat::kBatchWrite;
  }
  if (const JsonSlice* item = Member(members, "Item"); IsObjectText(item) && LooksLikeItemWrapper(members)) {
    return DumpFormat::kGetItem;
  }
  if (IsWriteRequest(members)) return DumpFormat::kPutRequests;
  if (AllWriteRequests(members)) return DumpFormat::kBatchWrite;
  if (Has(members, "manifestFilesS3Key") || (Has(members, "dataFileS3Key") && Has(members, "itemCount"))) {
    return DumpFormat::kS3Export;
  }
  return LooksTyped(members) ? DumpFormat::kDynamoDbJson : DumpFormat::kPlainJson;
}

// Files that people take for dumps, by their first bytes: what they are and what to do.
struct ForeignFile {
  std::string_view begins;
  std::string_view is;
  std::string_view remedy;
};
constexpr std::array<ForeignFile, 14> kForeignFiles = {{
    {"PK\x03\x04", "a zip archive (or a workbook)", "unpack it first"},
    {"\x1f\x8b", "a gzip file inside the compressed one", "unpack it once: gzip -d, or zstd -d"},
    {std::string_view("\x28\xb5\x2f\xfd", 4), "a zstd file inside the compressed one", "unpack it once: gzip -d, or zstd -d"},
    {"PAR1", "a Parquet file", "export the table as DynamoDB JSON or Ion"},
    {std::string_view("\xe0\x01\x00\xea", 4), "binary Ion", "exports write Ion as text; convert it to text"},
    {"BZh", "a bzip2 file", "unpack it first"},
    {"\xfd\x37zXZ", "an xz file", "unpack it first"},
    {std::string_view("\x04\x22\x4d\x18", 4), "an LZ4 file", "unpack it first"},
    {"SQLite format 3", "an SQLite database", "write its tables as CSV or JSON lines"},
    {"<", "XML or HTML, perhaps a download's error page", "fetch the file again"},
    {"AWSTemplateFormatVersion:", "a YAML template", "convert it to JSON"},
    {"Resources:", "a YAML template", "convert it to JSON"},
    {"---", "a YAML document", "convert it to JSON"},
    {"Table:", "a YAML answer of the command line", "ask for it with --output json"},
}};

Error UnknownFormat(std::string_view text, std::string_view path) {
  for (const ForeignFile& foreign : kForeignFiles) {
    if (!text.starts_with(foreign.begins)) continue;
    return MakeError(ErrorCode::kInvalidArgument, "format-foreign",
                     "the file is " + std::string(foreign.is) + ", which cannot be imported", std::string(path),
                     std::string(foreign.remedy));
  }
  std::string shown;
  AppendPrintable(shown, text.substr(0, 40));
  return MakeError(ErrorCode::kInvalidArgument, "format-unknown",
                   text.empty() ? "the file is empty" : "no known format begins with `" + shown + "`",
                   std::string(path), "name it with --format, see docs/formats.md");
}

// The format of a file of one object a line whose first one is broken, told by the next that is whole; nullopt when
// the lines do not begin with objects (a large document that ends early). Looks at a bounded number of lines.
std::optional<DumpFormat> FormatBehindBrokenLine(std::string_view text, std::size_t at) {
  constexpr int kSampledLines = 100;
  for (int line = 0; line < kSampledLines; ++line) {
    const std::size_t line_end = text.find('\n', at);
    if (line_end == std::string_view::npos || line_end + 1 >= text.size() || text[line_end + 1] != '{') return std::nullopt;
    at = line_end + 1;
    const std::string_view next = text.substr(at, std::min(text.find('\n', at), text.size()) - at);
    const auto members = SliceJsonMembers(next, 0, nullptr);
    if (!members.ok()) continue;
    const DumpFormat format = ClassifyObject(*members);
    return format == DumpFormat::kGetItem ? DumpFormat::kDynamoDbJson : format;
  }
  return DumpFormat::kDynamoDbJson;  // all broken: read as lines, each is reported with its place
}

// True when `text` holds one JSON object a line: something but white space follows the first value.
bool HasSecondValue(std::string_view text, std::size_t first_end) {
  return SkipJsonSpace(text, first_end) < text.size();
}

// May a text that looks like `seen` be read as `demanded`? One item alone looks alike in many formats, and a user
// may know better what typed-looking plain JSON is; but an array is no stream and a model no list of lines.
bool MayBeReadAs(DumpFormat seen, DumpFormat demanded) {
  if (seen == demanded) return true;
  const bool items = seen == DumpFormat::kDynamoDbJson || seen == DumpFormat::kPlainJson ||
                     seen == DumpFormat::kItemsArray || seen == DumpFormat::kGetItem;
  switch (demanded) {
    case DumpFormat::kCsv: return true;
    case DumpFormat::kPlainJson: return items || seen == DumpFormat::kTableDefinition || seen == DumpFormat::kCli;
    case DumpFormat::kDynamoDbJson: return items;
    case DumpFormat::kCli: return seen == DumpFormat::kPlainJson;  // Items beside members of one's own
    default: return false;
  }
}

}  // namespace

std::string_view DumpFormatName(DumpFormat format) {
  for (const auto& [value, name] : kFormatNames) {
    if (value == format) return name;
  }
  return "auto";
}

std::optional<DumpFormat> DumpFormatFromName(std::string_view name) {
  for (const auto& [value, known] : kFormatNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

bool IsLineFormat(DumpFormat format) {
  return format == DumpFormat::kDynamoDbJson || format == DumpFormat::kPlainJson ||
         format == DumpFormat::kS3Incremental || format == DumpFormat::kGetItem || format == DumpFormat::kIon;
}

Result<DumpFormat> DetectDumpFormat(std::string_view text, std::string_view path) {
  const std::size_t at = SkipJsonSpace(text, 0);
  if (at >= text.size()) return UnknownFormat({}, path);
  if (text.substr(at).starts_with("$ion_1_0")) return DumpFormat::kIon;
  const bool csv_name = path.ends_with(".csv") || path.ends_with(".csv.gz") || path.ends_with(".csv.zst") ||
                        path.ends_with(".tsv");
  if (text[at] == '[') {
    const auto first = FirstElementMembers(text, at);
    if (IsWriteRequest(first)) return DumpFormat::kPutRequests;
    return DumpFormat::kItemsArray;
  }
  if (text[at] == '{') {
    // A first member name without quotes is Ion's struct, not JSON.
    const std::size_t name = SkipJsonSpace(text, at + 1);
    if (name < text.size() && text[name] != '"' && text[name] != '}') {
      return text.substr(name).starts_with("Item") ? Result<DumpFormat>(DumpFormat::kIon)
                                                   : UnknownFormat(text.substr(at), path);
    }
    std::size_t end = 0;
    auto members = SliceJsonMembers(text, at, &end);
    if (!members.ok()) {
      // A broken first line of a line file: judge by the lines behind it, so that the record is reported.
      if (const auto format = FormatBehindBrokenLine(text, at)) return *format;
      Error error = members.error();
      error.position = PositionAt(text, error.position.offset);
      error.target = std::string(path);
      return error;
    }
    DumpFormat format = ClassifyObject(*members);
    if (format == DumpFormat::kGetItem && HasSecondValue(text, end)) format = DumpFormat::kDynamoDbJson;
    return format;
  }
  if (csv_name) return DumpFormat::kCsv;
  return UnknownFormat(text.substr(at), path);
}

Result<DumpResult> ReadDump(std::string_view text, std::string_view path, const DumpOptions& options,
                            DumpHandler& handler) {
  DumpResult result;
  const std::size_t begin = SkipJsonSpace(text, 0);
  if (begin >= text.size()) {
    // `get-item` of a missing item prints nothing; an export has empty files: no records, no fault.
    result.format = DumpFormat::kGetItem;
    handler.OnWarning("file-empty", "the file holds no record", {});
    return result;
  }
  DumpFormat format = options.format;
  if (format == DumpFormat::kAuto || format == DumpFormat::kS3Export) {
    TABLECAST_ASSIGN_OR_RETURN(format, DetectDumpFormat(text, path));
  } else if (const auto seen = DetectDumpFormat(text, path); seen.ok() && !MayBeReadAs(*seen, format)) {
    return MakeError(ErrorCode::kInvalidArgument, "format-mismatch",
                     "--format says " + std::string(DumpFormatName(format)) + ", the content is " +
                         std::string(DumpFormatName(*seen)),
                     std::string(path), "leave --format out, or name the right one");
  }
  result.format = format;
  DumpCursor cursor(text, path, options, handler, result);
  Status status;
  switch (format) {
    case DumpFormat::kIon: status = ReadIonDump(cursor); break;
    case DumpFormat::kCsv: status = ReadCsvDump(cursor); break;
    case DumpFormat::kWorkbench: status = ReadWorkbenchDump(cursor); break;
    default: status = ReadJsonDump(cursor, format); break;
  }
  if (!status.ok()) {
    Error error = status.error();
    if (error.position.line == 0 && error.position.offset > 0) error.position = PositionAt(text, error.position.offset);
    if (error.target.empty()) error.target = std::string(path);
    return error;
  }
  return result;
}

}  // namespace tablecast
