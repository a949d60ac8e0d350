#include "connector/catalog.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/utf8.h"
#include "connector/catalog_builder.h"
#include "connector/index_maintainer.h"

namespace tablecast {
namespace {

constexpr std::uintmax_t kMaxFileBytes = 1U << 20U;

}  // namespace

Result<std::vector<CatalogFile>> ReadCatalogFolder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) {
    return MakeError(ErrorCode::kNotFound, "catalog-not-found",
                     "there is no catalog folder " + folder, folder,
                     "give a folder of qualifier files");
  }
  std::vector<fs::path> paths;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().extension() != ".json") continue;
    std::error_code unknown;
    if (at->is_regular_file(unknown)) {
      paths.push_back(at->path());
    } else if (at->path().filename().string().front() != '.') {  // editors' locks are hidden links
      return MakeError(ErrorCode::kInvalidArgument, "catalog-unreadable",
                       unknown ? "cannot read the file: " + unknown.message()
                               : std::string("a folder or a device is no catalog file"),
                       at->path().string(), "remove it, or put a file there");
    }
  }
  if (failed) {
    return MakeError(ErrorCode::kUnavailable, "catalog-unreadable",
                     "cannot read the folder: " + failed.message(), folder,
                     "give this user the right to read it");
  }
  std::sort(paths.begin(), paths.end());
  std::vector<CatalogFile> files;
  for (const fs::path& path : paths) {
    const std::uintmax_t size = fs::file_size(path, failed);
    if (!failed && size > kMaxFileBytes) {
      return MakeError(ErrorCode::kResourceExhausted, "catalog-file-too-large",
                       "the file is over 1 MiB", path.string(), "a qualifier file holds one object; divide catalog.json");
    }
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (failed || !stream) {
      return MakeError(ErrorCode::kUnavailable, "catalog-unreadable",
                       "cannot read the file", path.string(),
                       "give this user the right to read it");
    }
    files.push_back({path.string(), text.str()});
  }
  return files;
}

std::string AccessPattern::ExampleRequest() const {
  std::string out;
  std::size_t at = 0;
  while (at < request.size()) {
    const std::size_t open = request.find('{', at);
    const std::size_t close = open == std::string::npos ? open : request.find('}', open);
    if (close == std::string::npos) break;
    out += request.substr(at, open - at);
    const std::string placeholder = request.substr(open + 1, close - open - 1);
    const auto value = std::find_if(example.begin(), example.end(),
                                    [&](const auto& entry) { return entry.first == placeholder; });
    if (value == example.end()) {
      out += request.substr(open, close - open + 1);
    } else {
      for (const char c : value->second) {
        out += c;
        if (c == '\'') out += c;
      }
    }
    at = close + 1;
  }
  return out + request.substr(at);
}

const ExternalObject* Catalog::Find(std::string_view name) const {
  const auto at = std::lower_bound(
      objects_.begin(), objects_.end(), name,
      [](const auto& object, std::string_view wanted) { return object->name() < wanted; });
  return at != objects_.end() && (*at)->name() == name ? at->get() : nullptr;
}

std::optional<std::string> Catalog::NearestObjectName(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const auto& object : objects_) names.push_back(object->name());
  return NearestName(name, names);
}

bool Catalog::NeedsReload(const ReadSnapshot& snapshot) const {
  return std::any_of(missing_tables_.begin(), missing_tables_.end(),
                     [&](const std::string& table) { return snapshot.Schema(table).ok(); });
}

std::shared_ptr<const IndexMaintainer> Catalog::MaintainerFor(std::string_view table) const {
  const auto at = table_indexes_.find(table);
  if (at == table_indexes_.end()) return nullptr;
  return std::make_shared<CatalogIndexMaintainer>(at->second.objects, at->second.indexes,
                                                  shared_from_this());
}

std::vector<std::string> Catalog::Tables() const {
  std::vector<std::string> out;
  for (const auto& object : objects_) {
    if (object->table_exists()) out.push_back(object->table());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

CatalogLoad LoadCatalog(const std::vector<CatalogFile>& files, ItemStore* store,
                        const CatalogOptions& options) {
  return CatalogBuilder(files, store, options).Build();
}

Status InstallMaintainers(const Catalog& catalog, ItemStore& store) {
  for (const std::string& table : catalog.Tables()) {
    TABLECAST_RETURN_IF_ERROR(store.SetMaintainer(table, catalog.MaintainerFor(table)));
  }
  return {};
}

}  // namespace tablecast
