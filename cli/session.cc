#include "cli/session.h"

#include <filesystem>

#include "connector/columnar_build.h"

namespace tablecast::cli {

Result<std::unique_ptr<LmdbItemStore>> OpenStore(const std::string& folder, StoreAccess access) {
  std::error_code error;
  // Opening a folder without the store's file would make an empty store there, a catalog's folder included.
  const std::filesystem::path data = std::filesystem::path(folder) / "data.mdb";
  if (access == StoreAccess::kMustExist && !std::filesystem::exists(data, error)) {
    return MakeError(ErrorCode::kInvalidArgument, "store-not-found", "there is no store here", folder,
                     "make one: tablecast import --store " + folder + " --table NAME --partition-key COLUMN FILE");
  }
  if (access == StoreAccess::kMustExist && std::filesystem::file_size(data, error) == 0 && !error) {
    return MakeError(ErrorCode::kDataLoss, "store-damaged", "the store's file is empty", data.string(),
                     "restore the store from a backup");
  }
  if (access == StoreAccess::kCreate) {
    std::filesystem::create_directories(folder, error);
    if (error) {
      return MakeError(ErrorCode::kUnavailable, "store-folder", "cannot make the folder: " + error.message(), folder);
    }
  }
  return LmdbItemStore::Open(folder, {});
}

Result<OpenCatalog> LoadCatalogFolder(const Terminal& terminal, const std::string& folder, ItemStore* store,
                                      const CatalogOptions& options) {
  TABLECAST_ASSIGN_OR_RETURN(const std::vector<CatalogFile> files, ReadCatalogFolder(folder));
  CatalogLoad load = LoadCatalog(files, store, options);
  std::vector<std::pair<std::string, std::string>> texts;
  for (const CatalogFile& file : files) texts.emplace_back(file.name, file.text);
  std::vector<Issue> shown;
  for (const Issue& issue : load.issues) {
    if (issue.severity != Severity::kInfo && (load.catalog == nullptr) == (issue.severity == Severity::kError)) {
      shown.push_back(issue);
    }
  }
  if (load.catalog == nullptr) {
    std::string out;
    Terminal to_stderr = terminal;
    to_stderr.colour_out = terminal.colour_err;
    PrintIssues(to_stderr, shown, "text", texts, out);
    WriteStderr(out);
    return MakeError(ErrorCode::kInvalidArgument, "catalog-faulty",
                     std::to_string(shown.size()) + (shown.size() == 1 ? " error" : " errors") + " in the catalog", folder,
                     "mend them; `tablecast validate " + folder + "` lists them with remedies");
  }
  return OpenCatalog{load.catalog, std::move(load.issues)};
}

Status BuildIndexes(const Terminal& terminal, const Catalog& catalog, ItemStore& store) {
  TABLECAST_RETURN_IF_ERROR(InstallMaintainers(catalog, store));
  for (const std::string& table : catalog.Tables()) {
    Progress progress(terminal, "indexing " + table);
    const Status built = store.BuildIndexes(table, [&](std::uint64_t done, std::uint64_t total) {
      progress.Update(done, total, "items");
      return true;
    });
    progress.Finish();
    TABLECAST_RETURN_IF_ERROR(built);
    Progress copying(terminal, "columns of " + table);
    const Result<ColumnarBuild> copied =
        BuildColumnar(catalog, table, store, 1, [&](std::uint64_t done, std::uint64_t total) {
          copying.Update(done, total, "records");
          return true;
        });
    copying.Finish();
    if (!copied.ok()) return copied.error();
  }
  return {};
}

HttpRequest LocalRequest(const std::string& request) {
  HttpRequest out;
  out.method = "GET";
  // People type a plus where a URL needs %2B, and a blank is a blank.
  std::string target = "/odata/";
  std::string_view text = request;
  if (text.starts_with("/odata/")) text.remove_prefix(7);
  while (text.starts_with("/")) text.remove_prefix(1);
  for (const char c : text) {
    if (c == '+') {
      target += "%2B";
    } else {
      target += c;
    }
  }
  out.target = std::move(target);
  out.authority = "localhost";
  out.principal = Principal::Unrestricted();
  out.request_id = "local";
  out.received = CurrentTimestamp();
  return out;
}

Result<KeyColumn> ParseKeyColumn(const std::string& text, const std::string& option) {
  KeyColumn column;
  const std::size_t colon = text.rfind(':');
  column.name = text.substr(0, colon);
  if (colon != std::string::npos) {
    const auto type = AttributeTypeFromName(text.substr(colon + 1));
    if (!type || (*type != AttributeType::kS && *type != AttributeType::kN && *type != AttributeType::kB)) {
      return MakeError(ErrorCode::kInvalidArgument, "key-column-syntax",
                       "`" + text + "` is no key column: the type behind the colon is S, N or B", option);
    }
    column.type = *type;
  }
  if (column.name.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "key-column-syntax", "the key column has no name", option);
  }
  return column;
}

}  // namespace tablecast::cli
