// tablecast query, explain, metadata: a request answered without a server.

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/json_reader.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "odata/csdl.h"

namespace tablecast::cli {

namespace {

struct LocalService {
  std::unique_ptr<LmdbItemStore> store;
  std::unique_ptr<Service> service;
};

Result<LocalService> OpenLocal(const Terminal& terminal, const std::string& store_folder, const std::string& catalog_folder) {
  LocalService local;
  TABLECAST_ASSIGN_OR_RETURN(local.store, OpenStore(store_folder, StoreAccess::kMustExist));
  TABLECAST_ASSIGN_OR_RETURN(const OpenCatalog catalog,
                             LoadCatalogFolder(terminal, catalog_folder, local.store.get(), {}));
  TABLECAST_RETURN_IF_ERROR(InstallMaintainers(*catalog.catalog, *local.store));
  local.service = std::make_unique<Service>(*local.store, ServiceOptions{});
  local.service->SetCatalog(catalog.catalog);
  return local;
}

// These commands change nothing in a store; without its indexes the plan that they show is not the one that `serve` takes.
void WarnOfMissingIndexes(const LocalService& local, const std::string& store, const std::string& catalog) {
  const auto snapshot = local.store->BeginRead();
  if (!snapshot.ok()) return;  // the request itself reports it
  for (const std::string& table : local.service->catalog()->Tables()) {
    const auto info = (*snapshot)->Describe(table);
    if (!info.ok()) continue;
    const bool ready = std::all_of(info->derived.begin(), info->derived.end(),
                                   [](const DerivedIndexInfo& index) { return index.state == IndexState::kReady; });
    if (ready) continue;
    WriteStderr("tablecast: the indexes of " + table + " are not built yet, so this plan goes without; `tablecast patterns --store " +
                             store + " --catalog " + catalog + "` builds them, as `serve` does\n");
  }
}

// The error of an answer, as the command's own error.
Error ErrorOf(const HttpResponse& response) {
  Error error = MakeError(response.status == 404 ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument, "request-failed",
                          "status " + std::to_string(response.status));
  if (response.status >= 500 && response.status != 501) error.code = ErrorCode::kUnavailable;
  const auto json = ParseJson(response.body);
  if (!json.ok()) return error;
  const JsonValue* body = json->Find("error");
  if (body == nullptr) return error;
  if (const JsonValue* code = body->Find("code")) error.reason = code->text;
  if (const JsonValue* message = body->Find("message")) error.message = message->text;
  if (const JsonValue* target = body->Find("target")) error.target = target->text;
  return error;
}

std::string Cell(const JsonValue& value, std::string_view body) {
  switch (value.type) {
    case JsonType::kNull: return "";
    case JsonType::kBool: return value.boolean ? "true" : "false";
    case JsonType::kNumber:
    case JsonType::kString: return value.text;
    default:
      return std::string(body.substr(value.span.begin.offset, value.span.end.offset - value.span.begin.offset));
  }
}

std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

// Rows of a JSON answer as an aligned table or as CSV; control information is left out.
std::string Tabular(const std::string& body, bool csv) {
  const auto json = ParseJson(body);
  if (!json.ok() || !json->IsObject()) return body + "\n";  // XML, the number of a $count
  const JsonValue* value = json->Find("value");
  std::vector<const JsonValue*> records;
  if (value != nullptr && value->IsArray()) {
    for (const JsonValue& record : value->elements) records.push_back(&record);
  } else {
    records.push_back(&*json);
  }
  std::vector<std::string> names;
  for (const JsonValue* record : records) {
    for (const JsonMember& member : record->members) {
      if (member.name.find('@') != std::string::npos) continue;
      if (std::find(names.begin(), names.end(), member.name) == names.end()) names.push_back(member.name);
    }
  }
  std::vector<std::vector<std::string>> rows{names};
  for (const JsonValue* record : records) {
    std::vector<std::string> row;
    for (const std::string& name : names) {
      const JsonValue* member = record->Find(name);
      std::string cell = member == nullptr ? "" : Cell(*member, body);
      if (!csv) {
        std::string printable;
        AppendPrintable(printable, cell);
        cell = CountCodePoints(printable) > 60 ? printable.substr(0, CodePointOffset(printable, 59)) + "…" : printable;
      }
      row.push_back(std::move(cell));
    }
    rows.push_back(std::move(row));
  }
  if (!csv) return AlignedTable(rows);
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) out += (c > 0 ? "," : "") + CsvCell(row[c]);
    out += "\r\n";
  }
  return out;
}

}  // namespace

ExitCode RunQuery(const Terminal& terminal, const QueryOptionsCli& options) {
  auto local = OpenLocal(terminal, options.store, options.catalog);
  if (!local.ok()) return PrintError(terminal, "query", local.error());
  const HttpResponse response = local->service->Handle(LocalRequest(options.request));
  if (response.status >= 400) return PrintError(terminal, "query", ErrorOf(response));
  if (options.format == "json") {
    WriteStdout(response.body + (response.body.empty() ? "" : "\n"));
  } else {
    WriteStdout(Tabular(response.body, options.format == "csv"));
  }
  return kSuccess;
}

ExitCode RunExplain(const Terminal& terminal, const ExplainOptions& options) {
  auto local = OpenLocal(terminal, options.store, options.catalog);
  if (!local.ok()) return PrintError(terminal, "explain", local.error());
  WarnOfMissingIndexes(*local, options.store, options.catalog);
  const auto report = local->service->Plan(LocalRequest(options.request), options.analyze);
  if (!report.ok()) return PrintError(terminal, "explain", report.error());
  std::string out = options.format == "json" ? ExplainJson(*report) : ExplainText(*report);
  if (out.empty() || out.back() != '\n') out += '\n';
  WriteStdout(out);
  return kSuccess;
}

ExitCode RunMetadata(const Terminal& terminal, const MetadataOptions& options) {
  std::unique_ptr<LmdbItemStore> store;
  if (!options.store.empty()) {
    auto opened = OpenStore(options.store, StoreAccess::kMustExist);
    if (!opened.ok()) return PrintError(terminal, "metadata", opened.error());
    store = *std::move(opened);
  }
  auto catalog = LoadCatalogFolder(terminal, options.catalog, store.get(), {});
  if (!catalog.ok()) return PrintError(terminal, "metadata", catalog.error());
  const Csdl csdl = BuildCsdl(*catalog->catalog, *Principal::Unrestricted());
  if (!options.diff.empty()) {
    std::ifstream in(options.diff, std::ios::binary);
    if (!in) {
      return PrintError(terminal, "metadata",
                        MakeError(ErrorCode::kInvalidArgument, "file-not-found", "cannot read the file", options.diff));
    }
    std::stringstream text;
    text << in.rdbuf();
    const auto changes = CompareCsdlJson(text.str(), CsdlJson(csdl, ODataVersion::k40));
    if (!changes.ok()) {
      // Most keep what `metadata` prints by default, which is XML.
      Error error = changes.error();
      error.target = options.diff;
      error.remedy = "--diff compares CSDL JSON; keep the schema by `tablecast metadata --format json`";
      return PrintError(terminal, "metadata", error);
    }
    for (const std::string& change : *changes) WriteStdout(change + "\n");
    if (changes->empty()) WriteStdout("no change: a re-sync would leave everything as it is\n");
    return changes->empty() ? kSuccess : kAnswerIsNo;
  }
  std::string out;
  if (options.format == "json") {
    out = CsdlJson(csdl, ODataVersion::k40);
  } else if (options.format == "openapi") {
    out = OpenApiJson(csdl, catalog->catalog->schema_namespace(), "/odata");
  } else {
    out = CsdlXml(csdl, ODataVersion::k40);
  }
  if (out.empty() || out.back() != '\n') out += '\n';
  WriteStdout(out);
  return kSuccess;
}

}  // namespace tablecast::cli
