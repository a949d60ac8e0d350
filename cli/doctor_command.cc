// tablecast doctor, and the data findings of validate: what store and catalog make of the items.

#include <algorithm>

#include "cli/commands.h"
#include "cli/data_findings.h"
#include "cli/session.h"
#include "connector/catalog_check.h"
#include "connector/columnar_build.h"
#include "store/integrity.h"

namespace tablecast::cli {

Status AddDataFindings(const Catalog& catalog, ItemStore& store, std::vector<Issue>& issues) {
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store.BeginRead());
  CatalogCheckOptions options;
  options.now = CurrentTimestamp();
  TABLECAST_ASSIGN_OR_RETURN(CatalogCheck check, CheckCatalog(catalog, *snapshot, options));
  for (Issue& issue : check.issues) {
    // These speak of the target, "Object.name", which is not printed for people.
    const bool of_target = issue.code == "conversion-errors" || issue.code == "constraint-violations" ||
                           issue.code == "relationship-dangling";
    const std::size_t dot = issue.target.find('.');
    if (of_target && dot != std::string::npos) issue.message.insert(0, "`" + issue.target.substr(dot + 1) + "`: ");
    issues.push_back(std::move(issue));
  }
  TABLECAST_ASSIGN_OR_RETURN(std::vector<Issue> columnar, CheckColumnar(catalog, *snapshot));
  for (Issue& issue : columnar) issues.push_back(std::move(issue));
  return {};
}

ExitCode RunDoctor(const Terminal& terminal, const DoctorOptions& options) {
  auto store = OpenStore(options.store, StoreAccess::kMustExist);
  if (!store.ok()) return PrintError(terminal, "doctor", store.error());
  std::vector<Issue> issues;
  OpenCatalog loaded;
  if (!options.catalog.empty()) {
    auto opened = LoadCatalogFolder(terminal, options.catalog, store->get(), {});
    if (!opened.ok()) return PrintError(terminal, "doctor", opened.error());
    loaded = *std::move(opened);
    // With the catalog's indexes installed, the integrity check compares them entry by entry.
    const Status installed = InstallMaintainers(*loaded.catalog, **store);
    if (!installed.ok()) return PrintError(terminal, "doctor", installed.error());
  }
  const auto integrity = (*store)->CheckIntegrity();
  if (!integrity.ok()) return PrintError(terminal, "doctor", integrity.error());
  issues = integrity->issues;
  if (loaded.catalog != nullptr) {
    const Status added = AddDataFindings(*loaded.catalog, **store, issues);
    if (!added.ok()) return PrintError(terminal, "doctor", added.error());
  }
  std::string out;
  if (options.format == "json") {
    PrintIssues(terminal, issues, "json", {}, out);
  } else {
    out = "Store: " + std::to_string(integrity->tables) +
          (integrity->tables == 1 ? " table, " : " tables, ") + Thousands(integrity->items) +
          " items, " + Thousands(integrity->secondary_entries + integrity->derived_entries) +
          " index entries\n";
    PrintIssues(terminal, issues, "text", {}, out);
    out += issues.empty() ? "No findings.\n"
                          : std::to_string(issues.size()) +
                                (issues.size() == 1 ? " finding.\n" : " findings.\n");
  }
  WriteStdout(out);
  return issues.empty() ? kSuccess : kAnswerIsNo;
}

}  // namespace tablecast::cli
