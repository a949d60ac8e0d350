#include "formats/export_manifest.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/json_reader.h"
#include "formats/input_file.h"
#include "formats/json_slicer.h"

namespace tablecast {

namespace {

namespace fs = std::filesystem;

struct Manifest {
  std::string path;
  std::string time;  // ISO 8601, so text order is time order; empty when there is no summary
  std::vector<std::pair<std::string, ManifestEntry>> files;  // by base name
};

Error SyntaxFault(std::string message, const std::string& path) {
  return MakeError(ErrorCode::kInvalidArgument, "manifest-syntax", std::move(message), path, "fetch the export again");
}

std::optional<std::uint64_t> CountOf(const JsonValue* value) {
  if (value == nullptr || !value->IsNumber()) return std::nullopt;
  if (value->text.find_first_not_of("0123456789") != std::string::npos || value->text.size() > 18) return std::nullopt;
  return std::stoull(value->text);
}

// manifest-files.json: one object a line.
Result<Manifest> ReadManifest(const std::string& path) {
  Manifest manifest;
  manifest.path = path;
  TABLECAST_ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(path, fs::path(path).parent_path().string()));
  const std::string_view text = file.text();
  std::uint64_t total = 0;
  for (std::size_t at = SkipJsonSpace(text, 0); at < text.size();) {
    const auto end = SkipJsonValue(text, at);
    if (!end.ok()) return SyntaxFault("the manifest is cut or damaged", path);
    const auto line = ParseJson(text.substr(at, *end - at));
    if (!line.ok()) return SyntaxFault("a manifest line is no JSON: " + line.error().message, path);
    const JsonValue* key = line->Find("dataFileS3Key");
    const JsonValue* md5 = line->Find("md5Checksum");
    const auto count = CountOf(line->Find("itemCount"));
    if (key == nullptr || !key->IsString() || !count) {
      return SyntaxFault("a manifest line names dataFileS3Key and itemCount", path);
    }
    ManifestEntry entry;
    if (md5 != nullptr && md5->IsString()) entry.md5 = md5->text;
    entry.items = *count;
    total += *count;
    manifest.files.emplace_back(key->text.substr(key->text.rfind('/') + 1), std::move(entry));
    at = SkipJsonSpace(text, *end);
  }
  const fs::path summary = fs::path(path).parent_path() / "manifest-summary.json";
  std::error_code ignored;
  if (!fs::is_regular_file(summary, ignored)) return manifest;
  TABLECAST_ASSIGN_OR_RETURN(const InputFile summary_file, InputFile::Open(summary.string(), "."));
  const auto json = ParseJson(summary_file.text());
  if (!json.ok()) return SyntaxFault("the summary is no JSON: " + json.error().message, summary.string());
  for (const char* name : {"exportToTime", "exportTime"}) {
    const JsonValue* time = json->Find(name);
    if (time != nullptr && time->IsString() && manifest.time.empty()) manifest.time = time->text;
  }
  const auto promised = CountOf(json->Find("itemCount"));
  if (promised && *promised != total) {
    return MakeError(ErrorCode::kInvalidArgument, "manifest-count",
                     "the data files hold " + std::to_string(total) + " items by manifest-files.json, the summary says " +
                         std::to_string(*promised),
                     summary.string(), "fetch the export again");
  }
  return manifest;
}

Status PlanOne(const std::string& argument, std::vector<PlannedInput>& plan) {
  TABLECAST_ASSIGN_OR_RETURN(const std::vector<std::string> expanded, ExpandInputPath(argument));
  std::vector<Manifest> manifests;
  std::vector<std::string> files;
  std::map<std::string, std::string> by_name;
  for (const std::string& file : expanded) {
    const std::string name = fs::path(file).filename().string();
    if (name == "manifest-summary.json") continue;
    if (name == "manifest-files.json") {
      TABLECAST_ASSIGN_OR_RETURN(Manifest manifest, ReadManifest(file));
      manifests.push_back(std::move(manifest));
      continue;
    }
    files.push_back(file);
    by_name.emplace(name, file);
  }
  std::stable_sort(manifests.begin(), manifests.end(),
                   [](const Manifest& a, const Manifest& b) { return a.time < b.time; });
  std::set<std::string> listed;
  for (const Manifest& manifest : manifests) {
    const fs::path folder = fs::path(manifest.path).parent_path();
    for (const auto& [name, entry] : manifest.files) {
      std::string found;
      std::error_code ignored;
      for (const fs::path& candidate : {folder / "data" / name, folder / ".." / "data" / name}) {
        if (found.empty() && fs::is_regular_file(candidate, ignored)) found = candidate.lexically_normal().string();
      }
      if (const auto below = by_name.find(name); found.empty() && below != by_name.end()) found = below->second;
      if (found.empty()) {
        return MakeError(ErrorCode::kInvalidArgument, "manifest-file-missing",
                         "the manifest names the data file `" + name + "`, which is not here", manifest.path,
                         "copy the whole export");
      }
      listed.insert(fs::path(found).lexically_normal().string());
      plan.push_back({found, entry});
    }
  }
  for (const std::string& file : files) {
    const fs::path normal = fs::path(file).lexically_normal();
    if (listed.contains(normal.string())) continue;
    if (!manifests.empty() && normal.parent_path().filename() == "data") {
      return MakeError(ErrorCode::kInvalidArgument, "manifest-file-unlisted",
                       "no manifest here names this data file: its export is not complete", file,
                       "wait for the export's manifest, or name the exports to load one by one");
    }
    plan.push_back({file, std::nullopt});
  }
  return {};
}

}  // namespace

Result<std::vector<PlannedInput>> PlanInputs(const std::vector<std::string>& paths) {
  std::vector<PlannedInput> plan;
  for (const std::string& path : paths) TABLECAST_RETURN_IF_ERROR(PlanOne(path, plan));
  return plan;
}

}  // namespace tablecast
