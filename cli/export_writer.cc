#include "cli/export_writer.h"

#include <set>

#include "base/base64.h"
#include "base/json_writer.h"
#include "cli/terminal.h"
#include "connector/item_record.h"
#include "connector/query_engine.h"
#include "item/item_codec.h"
#include "item/item_json.h"
#include "odata/response_format.h"

namespace tablecast::cli {

namespace {

constexpr std::size_t kBufferBytes = 1U << 16U;

// Standard output in pieces; when it takes no more, the export ends.
class Output {
 public:
  std::string& text() { return text_; }
  bool MaybeFlush() { return text_.size() < kBufferBytes || Flush(); }
  bool Flush() {
    WriteStdout(text_);
    text_.clear();
    return FinishStdout().ok();
  }

 private:
  std::string text_;
};

void AppendCsvCell(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

std::string CsvText(const AttributeValue& value) {
  switch (value.type()) {
    case AttributeType::kS: return value.text();
    case AttributeType::kN: return value.NumberAsText();
    case AttributeType::kB: return EncodeBase64(value.bytes());
    case AttributeType::kBool: return value.boolean() ? "true" : "false";
    case AttributeType::kNull: return "";
    default: {
      std::string json;
      JsonWriter writer(json);
      WritePlainJson(writer, value);
      return json;
    }
  }
}

}  // namespace

Status ExportTable(const ItemStore& store, const std::string& table, const std::string& format) {
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store.BeginRead());
  TABLECAST_ASSIGN_OR_RETURN(const TableInfo info, snapshot->Describe(table));
  Output out;
  std::vector<std::string> columns;
  if (format == "csv") {
    // Key columns first, then every attribute that occurs, in byte order.
    std::set<std::string> seen;
    const auto scanned = snapshot->Scan(table, {}, [&](const ItemView& item) {
      for (std::size_t i = 0; i < item.AttributeCount(); ++i) {
        const std::string_view name = item.names().Name(item.AttributeAt(i).id);
        if (!seen.contains(std::string(name))) seen.emplace(name);
      }
      return true;
    });
    if (!scanned.ok()) return scanned.error();
    columns.push_back(info.schema.key.partition.name);
    if (info.schema.key.sort) columns.push_back(info.schema.key.sort->name);
    columns.insert(columns.end(), seen.begin(), seen.end());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) out.text() += ',';
      AppendCsvCell(out.text(), columns[c]);
    }
    out.text() += "\r\n";
  }
  Status damaged;
  bool closed = false;
  const auto scanned = snapshot->Scan(table, {}, [&](const ItemView& view) {
    const auto item = view.ToItem();
    if (!item.ok()) {
      damaged = item.error();
      return false;
    }
    if (format == "csv") {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (c > 0) out.text() += ',';
        const auto found = item->find(columns[c]);
        if (found != item->end()) AppendCsvCell(out.text(), CsvText(found->second));
      }
      out.text() += "\r\n";
    } else {
      JsonWriter json(out.text());
      if (format == "json") {
        WritePlainJson(json, *item);
      } else {
        json.BeginObject().Key("Item");
        WriteDynamoDbJson(json, *item);
        json.EndObject();
      }
      out.text() += '\n';
    }
    closed = !out.MaybeFlush();
    return !closed;
  });
  if (!scanned.ok()) return scanned.error();
  TABLECAST_RETURN_IF_ERROR(damaged);
  out.Flush();  // a failure ends the command: FinishStdout
  return {};
}

Status ExportObject(const ItemStore& store, const std::shared_ptr<const Catalog>& catalog, const std::string& name,
                    const std::string& format) {
  const ExternalObject* object = catalog->Find(name);
  if (object == nullptr) {
    const auto nearest = catalog->NearestObjectName(name);
    return MakeError(ErrorCode::kInvalidArgument, "object-unknown", "the catalog has no object `" + name + "`", "",
                     nearest ? "did you mean `" + *nearest + "`?" : "");
  }
  const QueryEngine engine(store, catalog, CurrentTimestamp());
  ObjectQuery query;
  query.object = object;
  query.whole = true;
  query.want_etag = false;
  Output out;
  ResponseFormat response;
  response.metadata = MetadataLevel::kNone;
  const ResponseWriter writer(response);
  RecordShape shape;
  shape.object = object;
  bool header = false;
  Status failed;
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store.BeginRead());
  const auto visited = engine.ForEach(query, [&](const ResultPage& page, const Record& record) {
    if (format == "dynamodb-json") {
      const auto position = ParsePosition(*object, record.item_key);
      if (!position.ok()) return false;
      const auto got = snapshot->Get(object->table(), position->key, [&](const ItemView& view) {
        const auto item = view.ToItem();
        if (!item.ok()) {
          failed = item.error();
          return;
        }
        JsonWriter json(out.text());
        json.BeginObject().Key("Item");
        WriteDynamoDbJson(json, *item);
        json.EndObject();
        out.text() += '\n';
      });
      if (!got.ok()) failed = got.error();
      return failed.ok() && out.MaybeFlush();
    }
    if (format == "csv") {
      if (!header) {
        header = true;
        for (std::size_t c = 0; c < page.columns->size(); ++c) {
          if (c > 0) out.text() += ',';
          AppendCsvCell(out.text(), (*page.columns)[c].name);
        }
        out.text() += "\r\n";
      }
      for (std::size_t c = 0; c < record.values.size(); ++c) {
        if (c > 0) out.text() += ',';
        const EdmValue& value = record.values[c];
        if (value.is_null()) continue;
        std::string text;
        if (value.kind() == EdmKind::kComplex || value.kind() == EdmKind::kCollection) {
          writer.AppendValue(text, value, (*page.columns)[c].field);
        } else {
          text = value.kind() == EdmKind::kBinary ? EncodeBase64(value.bytes()) : RawValueText(value, (*page.columns)[c].field);
        }
        AppendCsvCell(out.text(), text);
      }
      out.text() += "\r\n";
    } else {
      writer.AppendRecord(out.text(), page, record, shape, "");
      out.text() += '\n';
    }
    return out.MaybeFlush();
  });
  if (!visited.ok()) return visited.error();
  TABLECAST_RETURN_IF_ERROR(failed);
  out.Flush();  // a failure ends the command: FinishStdout
  return {};
}

}  // namespace tablecast::cli
