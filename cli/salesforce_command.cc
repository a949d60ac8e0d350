// tablecast import-salesforce, export-salesforce.

#include <filesystem>
#include <fstream>

#include "cli/catalog_files.h"
#include "cli/commands.h"
#include "cli/salesforce_catalog.h"

namespace tablecast::cli {

namespace {

void PrintFindings(const Terminal& terminal, const std::vector<Issue>& issues) {
  std::string out;
  Terminal to_stderr = terminal;
  to_stderr.colour_out = terminal.colour_err;
  PrintIssues(to_stderr, issues, "text", {}, out);
  WriteStderr(out);
}

}  // namespace

ExitCode RunImportSalesforce(const Terminal& terminal, const SalesforceOptions& options) {
  std::vector<Issue> issues;
  const auto metadata = ReadSalesforceFolder(options.path, issues);
  if (!metadata.ok()) return PrintError(terminal, "import-salesforce", metadata.error());
  const std::vector<CatalogFile> files = CatalogFromSalesforce(*metadata, issues);
  PrintFindings(terminal, issues);
  if (HasErrors(issues)) {
    return PrintError(terminal, "import-salesforce",
                      MakeError(ErrorCode::kInvalidArgument, "metadata-faulty",
                                "nothing is written", options.path, "mend the errors above"));
  }
  const Status written = WriteNewFiles(options.catalog, files);
  if (!written.ok()) return PrintError(terminal, "import-salesforce", written.error());
  for (const CatalogFile& file : files)
    WriteStdout("wrote " + options.catalog + "/" + file.name + "\n");
  return kSuccess;
}

ExitCode RunExportSalesforce(const Terminal& terminal, const SalesforceOptions& options) {
  const auto files = ReadCatalogFolder(options.catalog);
  if (!files.ok()) return PrintError(terminal, "export-salesforce", files.error());
  std::vector<Issue> issues;
  const auto metadata = SalesforceFromCatalog(*files, issues);
  if (!metadata.ok()) return PrintError(terminal, "export-salesforce", metadata.error());
  PrintFindings(terminal, issues);
  const Status written = WriteSalesforceFolder(*metadata, options.to);
  if (!written.ok()) return PrintError(terminal, "export-salesforce", written.error());
  WriteStdout("wrote " + std::to_string(metadata->objects.size()) + " objects to " + options.to +
              "\n");
  return kSuccess;
}

}  // namespace tablecast::cli
