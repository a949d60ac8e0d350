// tablecast validate, format: what authors of qualifier files use in an editor and in CI.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <thread>

#include "cli/commands.h"
#include "cli/data_findings.h"
#include "cli/session.h"
#include "connector/catalog.h"
#include "qualifiers/qualifier_parser.h"
#include "qualifiers/validator.h"

namespace tablecast::cli {

namespace {

namespace fs = std::filesystem;

struct Checked {
  std::vector<Issue> issues;
  std::vector<std::pair<std::string, std::string>> texts;
  std::size_t files = 0;
};

Result<std::string> ReadText(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream in(path, std::ios::binary);
  if (!in) return MakeError(ErrorCode::kInvalidArgument, "file-not-found", "cannot read the file", path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

bool SameFinding(const Issue& a, const Issue& b) {
  return a.code == b.code && a.file == b.file && a.span.begin.offset == b.span.begin.offset && a.message == b.message;
}

// A folder is checked as a catalog: each file for itself, then the objects together.
Status CheckFolder(const std::string& folder, const ValidateOptions& validate, ItemStore* store, Checked& out) {
  TABLECAST_ASSIGN_OR_RETURN(std::vector<CatalogFile> files, ReadCatalogFolder(folder));
  std::optional<JsonValue> catalog_json;
  for (const CatalogFile& file : files) {
    out.texts.emplace_back(file.name, file.text);
    if (fs::path(file.name).filename() != "catalog.json") continue;
    auto json = ParseJson(file.text, {.allow_comments = true, .allow_trailing_commas = true});
    if (json.ok()) catalog_json = *std::move(json);
  }
  for (const CatalogFile& file : files) {
    ++out.files;
    if (fs::path(file.name).filename() == "catalog.json") continue;
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
  for (const Issue& issue : load.issues) {
    // Without data, that fields have to be inferred is no finding.
    if (store == nullptr && (issue.code == "fields-undeclared" || issue.code == "table-missing")) continue;
    const bool known = std::any_of(out.issues.begin(), out.issues.end(), [&](const Issue& other) { return SameFinding(issue, other); });
    if (!known) out.issues.push_back(issue);
  }
  if (store != nullptr && load.catalog != nullptr) {
    TABLECAST_RETURN_IF_ERROR(AddDataFindings(*load.catalog, *store, out.issues));
  }
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
  for (const std::string& path : options.paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      TABLECAST_RETURN_IF_ERROR(CheckFolder(path, validate, store.get(), checked));
      continue;
    }
    TABLECAST_ASSIGN_OR_RETURN(const std::string text, ReadText(path));
    ++checked.files;
    checked.texts.emplace_back(path, text);
    const bool is_catalog = fs::path(path).filename() == "catalog.json";
    std::vector<Issue> issues = is_catalog ? ValidateCatalogFile(text, path) : ValidateQualifier(text, path, nullptr, validate);
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
  ExitCode code = Report(terminal, options);
  if (!options.watch) return code;
  std::string stamp = Stamp(options.paths);
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
