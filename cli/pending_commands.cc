// Commands whose work is landing from other folders; each line here goes when its command comes.

#include "cli/commands.h"
#include "cli/data_findings.h"

namespace tablecast::cli {

namespace {
ExitCode Pending(const Terminal& terminal, const char* what) {
  return PrintError(terminal, what, MakeError(ErrorCode::kUnimplemented, "pending", "this command is not built in yet"));
}
}  // namespace

ExitCode RunSync(const Terminal& terminal, const SyncOptions&) { return Pending(terminal, "sync"); }
ExitCode RunDoctor(const Terminal& terminal, const DoctorOptions&) { return Pending(terminal, "doctor"); }
ExitCode RunInit(const Terminal& terminal, const InitOptions&) { return Pending(terminal, "init"); }
ExitCode RunWhy(const Terminal& terminal, const WhyOptions&) { return Pending(terminal, "why"); }
ExitCode RunItems(const Terminal& terminal, const ItemsOptions&) { return Pending(terminal, "items"); }
ExitCode RunImportSalesforce(const Terminal& terminal, const SalesforceOptions&) { return Pending(terminal, "import-salesforce"); }
ExitCode RunExportSalesforce(const Terminal& terminal, const SalesforceOptions&) { return Pending(terminal, "export-salesforce"); }

Status AddDataFindings(const Catalog&, ItemStore&, std::vector<Issue>&) { return {}; }

}  // namespace tablecast::cli
