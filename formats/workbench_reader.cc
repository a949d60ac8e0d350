#include "formats/workbench_reader.h"

#include <set>
#include <string>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "formats/table_definition.h"
#include "item/item_codec.h"
#include "item/item_json.h"

namespace tablecast {

namespace {

constexpr std::size_t kMaxModelBytes = 256U << 20U;

// The rows of one TableData array. `seen` holds the keys already given; a facet's row that the table or another
// facet has given is no second record.
bool Rows(DumpCursor& cursor, const JsonValue* rows, const std::string& path, const TableSchema& schema,
          bool only_new, std::set<std::string>& seen) {
  if (rows == nullptr || !rows->IsArray()) return true;
  for (std::size_t i = 0; i < rows->elements.size(); ++i) {
    const JsonValue& row = rows->elements[i];
    const std::string at = path + "[" + std::to_string(i) + "]";
    const DumpPlace place = cursor.PlaceAt(row.span.begin.offset, at);
    const std::string_view row_text =
        cursor.text().substr(row.span.begin.offset, row.span.end.offset - row.span.begin.offset);
    std::vector<Issue> warnings;
    auto item = ItemFromDynamoDbJson(row, {.tolerant = true}, &warnings);
    if (!item.ok()) {
      Error error = item.error();
      error.target = at + (error.target.empty() ? "" : "." + error.target);
      if (!cursor.Fault(std::move(error), place, row_text)) return false;
      continue;
    }
    // Facets show only some attributes of a row; without a whole key it is no item.
    const auto key = KeyOf(schema, *item);
    std::string encoded;
    if (key.ok()) {
      auto bytes = EncodeKey(schema, *key);
      if (bytes.ok()) encoded = *std::move(bytes);
    }
    if (only_new && encoded.empty()) {
      cursor.Warn("facet-row-without-key", "a facet's row without a whole key is passed over", place);
      continue;
    }
    if (only_new && seen.contains(encoded)) continue;
    if (!encoded.empty()) seen.insert(encoded);
    for (const Issue& warning : warnings) {
      cursor.Warn(warning.code, warning.message + (warning.target.empty() ? "" : " (" + warning.target + ")"), place);
    }
    if (!cursor.Record({DumpRecord::Kind::kPut, schema.name, *std::move(item), place})) return false;
  }
  return true;
}

}  // namespace

Status ReadWorkbenchDump(DumpCursor& cursor) {
  JsonOptions options;
  options.max_bytes = kMaxModelBytes;
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue model, ParseJson(cursor.text(), options));
  const JsonValue* tables = model.Find("DataModel");
  if (tables == nullptr || !tables->IsArray()) {
    return MakeError(ErrorCode::kInvalidArgument, "format-mismatch", "there is no DataModel array");
  }
  for (std::size_t t = 0; t < tables->elements.size(); ++t) {
    const JsonValue& table = tables->elements[t];
    const std::string path = "DataModel[" + std::to_string(t) + "]";
    TABLECAST_ASSIGN_OR_RETURN(const TableSchema schema, TableSchemaFromWorkbench(table, path));
    if (!cursor.Schema(schema)) return {};
    std::set<std::string> seen;
    if (!Rows(cursor, table.Find("TableData"), path + ".TableData", schema, false, seen)) return {};
    const JsonValue* facets = table.Find("TableFacets");
    if (facets == nullptr || !facets->IsArray()) continue;
    for (std::size_t f = 0; f < facets->elements.size(); ++f) {
      const std::string facet_path = path + ".TableFacets[" + std::to_string(f) + "].TableData";
      if (!Rows(cursor, facets->elements[f].Find("TableData"), facet_path, schema, true, seen)) return {};
    }
  }
  return {};
}

}  // namespace tablecast
