// tablecast validate, format: what authors of qualifier files use in an editor and in CI.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <thread>

#include "cli/client_findings.h"
#include "cli/commands.h"
#include "cli/data_findings.h"
#include "cli/session.h"
#include "connector/catalog.h"
#include "connector/field_writer.h"
#include "qualifiers/qualifier_parser.h"
#include "qualifiers/validator.h"

namespace tablecast::cli {

namespace {

namespace fs = std::filesystem;

constexpr JsonOptions kTolerant{.allow_comments = true, .allow_trailing_commas = true};

bool IsCatalogJson(const std::string& path) { return fs::path(path).filename() == "catalog.json"; }

fs::path FolderOf(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder.lexically_normal();
}

// Loose files beside each other are no catalog until a catalog.json says so.
bool IsCatalogFolder(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "catalog.json", error);
}

struct Checked {
  std::vector<Issue> issues;
  std::vector<std::pair<std::string, std::string>> texts;
  std::size_t files = 0;
};

Result<std::string> ReadText(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // far above what any file here may have
  std::error_code error;
  if (path != "-" && !fs::exists(path, error)) {
    return MakeError(ErrorCode::kInvalidArgument, "file-not-found", "there is no such file", path, "check the path");
  }
  if (path != "-" && fs::is_directory(path, error)) {
    return MakeError(ErrorCode::kInvalidArgument, "file-is-folder", "this is a folder", path, "name a file");
  }
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& in = path == "-" ? std::cin : file;
  if (!in) {
    return MakeError(ErrorCode::kUnavailable, "file-unreadable", "cannot read the file", path,
                     "give this user the right to read it");
  }
  std::string text(kMostBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMostBytes) {
    return MakeError(ErrorCode::kInvalidArgument, "file-too-large", "the file is over 16 MiB", path,
                     "a qualifier file has at most 1 MiB");
  }
  return text;
}

bool SameFinding(const Issue& a, const Issue& b) {
  return a.code == b.code && a.file == b.file && a.span.begin.offset == b.span.begin.offset && a.message == b.message;
}

// What the data shows is placed at the column, field or relationship that it speaks of: `target` is "Object.name".
void PlaceDataFinding(const JsonValue& document, Issue& issue) {
  const std::size_t dot = issue.target.find('.');
  const std::string_view name = dot == std::string::npos ? std::string_view() : std::string_view(issue.target).substr(dot + 1);
  for (const char* part : {"relationships", "fields", "columns"}) {
    const JsonValue* members = document.Find(part);
    if (members == nullptr || !members->IsObject()) continue;
    for (const JsonMember& member : members->members) {
      if (member.name != name) continue;
      issue.span = member.name_span;
      return;
    }
  }
  for (const JsonMember& member : document.members) {
    if (member.name == "columns") issue.span = member.name_span;
  }
}

Status AddPlacedDataFindings(const Catalog& catalog, ItemStore& store, ClientKind client, Checked& out) {
  const std::size_t first = out.issues.size();
  AddClientFindings(catalog, client, out.issues);
  TABLECAST_RETURN_IF_ERROR(AddDataFindings(catalog, store, out.issues));
  for (const auto& [name, text] : out.texts) {
    const auto document = ParseJson(text, kTolerant);
    if (!document.ok() || !document->IsObject()) continue;
    for (std::size_t i = first; i < out.issues.size(); ++i) {
      if (out.issues[i].file == name) PlaceDataFinding(*document, out.issues[i]);
    }
  }
  return {};
}

// Fields that come from the data are checked for the client as well: what the data showed stands in for `fields`.
void AddClientFindings(const Catalog& catalog, const std::vector<CatalogFile>& files, const std::optional<JsonValue>& catalog_json,
                       const ValidateOptions& validate, Checked& out) {
  for (const auto& object : catalog.objects()) {
    const auto file = std::find_if(files.begin(), files.end(), [&](const CatalogFile& one) { return one.name == object->file(); });
    if (object->embedded() != nullptr || file == files.end() || IsCatalogJson(file->name)) continue;
    const auto shown = MergeFields("{}", {"fields"}, *object);
    if (!shown.ok()) continue;
    auto overlay = ParseJson(shown->text);
    if (!overlay.ok()) continue;
    const JsonValue* objects = catalog_json ? catalog_json->Find("objects") : nullptr;
    const JsonValue* entry = objects == nullptr ? nullptr : objects->Find(object->name());
    if (entry != nullptr) {
      for (const JsonMember& member : entry->members) {
        if (member.name != "fields") overlay->members.push_back(member);
      }
    }
    ValidateOptions options = validate;
    options.overlay = &*overlay;
    for (Issue& issue : ValidateQualifier(file->text, file->name, nullptr, options)) {
      const bool known = std::any_of(out.issues.begin(), out.issues.end(), [&](const Issue& other) {
        return issue.code == other.code && issue.file == other.file && issue.target == other.target;
      });
      if (issue.code.starts_with("client-") && !known) out.issues.push_back(std::move(issue));
    }
  }
}

// Without data there is nothing to check where the fields come from the data, which must not pass for a clean answer.
void AddUncheckedClients(const std::vector<Issue>& loaded, Checked& out) {
  for (const Issue& issue : loaded) {
    if (issue.code != "fields-undeclared") continue;
    out.issues.push_back({Severity::kInfo, "client-unchecked", "the types of fields that come from the data are not checked for the client",
                          "give the data: --data STORE, or declare `fields`", issue.target, issue.span, issue.file});
  }
}

// Files are checked as a catalog: each for itself, then the objects together.
Status CheckCatalogFiles(const std::vector<CatalogFile>& files, const ValidateOptions& validate, ItemStore* store,
                         Checked& out) {
  std::optional<JsonValue> catalog_json;
  for (const CatalogFile& file : files) {
    out.texts.emplace_back(file.name, file.text);
    if (!IsCatalogJson(file.name)) continue;
    auto json = ParseJson(file.text, kTolerant);
    if (json.ok()) catalog_json = *std::move(json);
  }
  for (const CatalogFile& file : files) {
    ++out.files;
    if (IsCatalogJson(file.name)) continue;
    ValidateOptions options = validate;
    if (catalog_json) {
      if (const JsonValue* objects = catalog_json->Find("objects")) options.overlay = objects->Find(fs::path(file.name).stem().string());
    }
    std::vector<Issue> issues = ValidateQualifier(file.text, file.name, nullptr, options);
    out.issues.insert(out.issues.end(), issues.begin(), issues.end());
  }
  CatalogOptions options;
  options.keep_inferred = false;
  const CatalogLoad load = LoadCatalog(files, store, options);
  if (store == nullptr && validate.client != ClientKind::kNone) AddUncheckedClients(load.issues, out);
  if (load.catalog != nullptr && validate.client != ClientKind::kNone) AddClientFindings(*load.catalog, files, catalog_json, validate, out);
  for (const Issue& issue : load.issues) {
    // Without data, that fields have to be inferred is no finding.
    if (store == nullptr && (issue.code == "fields-undeclared" || issue.code == "table-missing")) continue;
    const bool known = std::any_of(out.issues.begin(), out.issues.end(), [&](const Issue& other) { return SameFinding(issue, other); });
    if (!known) out.issues.push_back(issue);
  }
  if (store != nullptr && load.catalog != nullptr) {
    TABLECAST_RETURN_IF_ERROR(AddPlacedDataFindings(*load.catalog, *store, validate.client, out));
  }
  return {};
}

// Some files of one folder that is a catalog: its other files and catalog.json say what relationships lead to and what
// completes these. Only what concerns the asked files is reported, under the names they were asked by.
Status CheckNamedFiles(const std::vector<std::string>& paths, const ValidateOptions& validate, ItemStore* store, Checked& out) {
  const fs::path folder = FolderOf(paths.front());
  const bool is_catalog = IsCatalogFolder(folder);
  std::vector<CatalogFile> files;
  if (is_catalog) {
    TABLECAST_ASSIGN_OR_RETURN(files, ReadCatalogFolder(folder.string()));
  }
  std::map<std::string, std::string> asked;  // name in the folder -> path as given
  for (const std::string& path : paths) {
    asked.emplace(fs::path(path).filename().string(), path);
    const auto same = [&](const CatalogFile& file) { return fs::path(file.name).filename() == fs::path(path).filename(); };
    if (std::any_of(files.begin(), files.end(), same)) continue;  // a folder reads *.json only
    TABLECAST_ASSIGN_OR_RETURN(std::string text, ReadText(path));
    files.push_back({path, std::move(text)});
  }
  for (CatalogFile& file : files) {
    const auto found = asked.find(fs::path(file.name).filename().string());
    if (found != asked.end())
      file.name = found->second;
    else if (folder == ".")
      file.name = fs::path(file.name).filename().string();
  }
  Checked all;
  TABLECAST_RETURN_IF_ERROR(CheckCatalogFiles(files, validate, store, all));
  // The entry of an asked file under `objects` of catalog.json belongs to that file.
  std::vector<std::pair<std::string, TextSpan>> entries;
  for (const CatalogFile& file : files) {
    const auto json = IsCatalogJson(file.name) ? ParseJson(file.text, kTolerant) : Result<JsonValue>(JsonValue());
    const JsonValue* objects = json.ok() ? json->Find("objects") : nullptr;
    if (objects == nullptr || !objects->IsObject()) continue;
    for (const JsonMember& member : objects->members) {
      if (asked.contains(member.name + ".json"))
        entries.emplace_back(file.name, TextSpan{member.name_span.begin, member.value.span.end});
    }
  }
  const auto concerns = [&](const Issue& issue) {
    if (issue.file.empty()) return issue.code == "items-claimed-twice";
    const auto found = asked.find(fs::path(issue.file).filename().string());
    if (found != asked.end() && found->second == issue.file) return true;
    if (IsCatalogJson(issue.file) && issue.code.starts_with("json-")) return true;  // nothing of it could be read
    return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
      return entry.first == issue.file && issue.span.begin.offset >= entry.second.begin.offset &&
             issue.span.end.offset <= entry.second.end.offset;
    });
  };
  for (Issue& issue : all.issues) {
    if (concerns(issue)) out.issues.push_back(std::move(issue));
  }
  out.files += asked.size();
  for (auto& text : all.texts) out.texts.push_back(std::move(text));
  return {};
}

Result<Checked> Check(const ValidateOptionsCli& options) {
  ValidateOptions validate;
  validate.portable = options.portable;
  if (!options.client.empty()) {
    TABLECAST_ASSIGN_OR_RETURN(validate.client, ClientKindFromName(options.client));
  }
  std::unique_ptr<ItemStore> store;
  if (!options.data.empty()) {
    TABLECAST_ASSIGN_OR_RETURN(store, OpenData(options.data, options.paths));
  }
  Checked checked;
  std::set<std::string> done;  // folders whose named files are checked
  for (const std::string& path : options.paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      TABLECAST_ASSIGN_OR_RETURN(const std::vector<CatalogFile> files, ReadCatalogFolder(path));
      if (files.empty()) {  // a mistyped folder in CI must not pass
        return MakeError(ErrorCode::kInvalidArgument, "catalog-empty", "the folder holds no .json file", path,
                         "give the folder of the qualifier files; it is not searched deeper");
      }
      TABLECAST_RETURN_IF_ERROR(CheckCatalogFiles(files, validate, store.get(), checked));
      continue;
    }
    if (path != "-" && (store != nullptr || IsCatalogFolder(FolderOf(path)))) {
      const fs::path folder = FolderOf(path);
      if (!done.insert(folder.string()).second) continue;
      std::vector<std::string> together;
      for (const std::string& other : options.paths) {
        if (other != "-" && !fs::is_directory(other, error) && FolderOf(other) == folder) together.push_back(other);
      }
      TABLECAST_RETURN_IF_ERROR(CheckNamedFiles(together, validate, store.get(), checked));
      continue;
    }
    TABLECAST_ASSIGN_OR_RETURN(const std::string text, ReadText(path));
    ++checked.files;
    checked.texts.emplace_back(path, text);
    std::vector<Issue> issues = IsCatalogJson(path) ? ValidateCatalogFile(text, path) : ValidateQualifier(text, path, nullptr, validate);
    checked.issues.insert(checked.issues.end(), issues.begin(), issues.end());
  }
  return checked;
}

ExitCode Report(const Terminal& terminal, const ValidateOptionsCli& options) {
  const auto checked = Check(options);
  if (!checked.ok()) return PrintError(terminal, "validate", checked.error());
  std::string out;
  PrintIssues(terminal, checked->issues, options.format, checked->texts, out);
  std::size_t errors = 0;
  std::size_t warnings = 0;
  for (const Issue& issue : checked->issues) {
    errors += issue.severity == Severity::kError ? 1 : 0;
    warnings += issue.severity == Severity::kWarning ? 1 : 0;
  }
  if (options.format == "text") {
    const auto plural = [](std::size_t count, const char* word) {
      return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
    };
    out += plural(checked->files, "file") + ", " + plural(errors, "error") + ", " + plural(warnings, "warning") + "\n";
  }
  WriteStdout(out);
  if (errors > 0) return kWrongInput;
  return warnings > 0 && options.strict ? kAnswerIsNo : kSuccess;
}

// Times of all files that a watch looks at.
std::string Stamp(const std::vector<std::string>& paths) {
  std::string out;
  const auto add = [&out](const fs::path& path) {
    std::error_code error;
    out += path.string() + "|" + std::to_string(fs::last_write_time(path, error).time_since_epoch().count()) + "\n";
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      add(path);
      continue;
    }
    std::vector<fs::path> entries;
    for (const auto& entry : fs::directory_iterator(path, error)) entries.push_back(entry.path());
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries) {
      if (entry.extension() == ".json") add(entry);
    }
  }
  return out;
}

}  // namespace

ExitCode RunValidate(const Terminal& terminal, const ValidateOptionsCli& options) {
  // Taken before the files are read: a change while they are judged is judged next.
  std::string stamp = options.watch ? Stamp(options.paths) : std::string();
  ExitCode code = Report(terminal, options);
  if (!options.watch) return code;
  for (;;) {  // until interrupted
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::string now = Stamp(options.paths);
    if (now == stamp) continue;
    stamp = std::move(now);
    WriteStdout("\n");
    code = Report(terminal, options);
  }
}

ExitCode RunFormat(const Terminal& terminal, const FormatOptions& options) {
  const auto text = ReadText(options.file);
  if (!text.ok()) return PrintError(terminal, "format", text.error());
  const auto formatted = FormatQualifier(*text, options.strict_json);
  if (!formatted.ok()) {
    Error error = formatted.error();
    error.target = options.file;
    return PrintError(terminal, "format", error);
  }
  if (!options.write || options.file == "-") {
    WriteStdout(*formatted);
    return kSuccess;
  }
  if (*formatted == *text) return kSuccess;
  // Written beside the file and moved over it, so that a full disk costs nothing.
  const std::string temporary = options.file + ".tablecast-new";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out << *formatted;
  out.close();
  std::error_code error;
  if (out) fs::rename(temporary, options.file, error);
  if (!out || error) {
    fs::remove(temporary, error);
    return PrintError(terminal, "format", MakeError(ErrorCode::kUnavailable, "file-unwritable", "cannot write the file", options.file));
  }
  return kSuccess;
}

}  // namespace tablecast::cli
