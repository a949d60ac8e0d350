#ifndef TABLECAST_CLI_COMMANDS_H_
#define TABLECAST_CLI_COMMANDS_H_

// One struct of options and one function a command; main.cc alone knows the argument parser. Each
// function returns the process's exit code and has printed its own errors.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"

namespace tablecast::cli {

struct ValidateOptionsCli {
  std::vector<std::string> paths;
  std::string data;    // a store folder or a dump file
  bool strict = false;
  bool portable = false;
  std::string client;  // salesforce, dataverse, powerbi
  bool watch = false;
  std::string format = "text";
};
ExitCode RunValidate(const Terminal& terminal, const ValidateOptionsCli& options);

struct ImportOptions {
  std::string store, catalog, table, partition_key, sort_key;
  std::string format = "auto";
  std::string skip_bad;
  bool resume = false, atomic = false, no_sort = false;
  std::string summary = "text";
  std::vector<std::string> files;
};
ExitCode RunImport(const Terminal& terminal, const ImportOptions& options);

struct ExportOptions {
  std::string store, table, catalog, object;
  std::string format = "dynamodb-json";
};
ExitCode RunExport(const Terminal& terminal, const ExportOptions& options);

struct ServeOptions {
  std::string store, catalog, config, trace;
  std::string audit_log;
  bool audit_values = false;
  std::optional<std::string> host;
  std::optional<std::uint16_t> port;
  std::optional<std::string> public_url;
  bool watch = false;
  bool insecure_no_auth = false;
};
ExitCode RunServe(const Terminal& terminal, const ServeOptions& options);

struct ReplayOptions { std::string file, store, catalog; };
ExitCode RunReplay(const Terminal& terminal, const ReplayOptions& options);

struct QueryOptionsCli { std::string store, catalog, request, format = "json"; };
ExitCode RunQuery(const Terminal& terminal, const QueryOptionsCli& options);

struct ExplainOptions { std::string store, catalog, request, format = "text"; bool analyze = false; };
ExitCode RunExplain(const Terminal& terminal, const ExplainOptions& options);

struct StoreOptions { std::string store, format = "text"; };
ExitCode RunTables(const Terminal& terminal, const StoreOptions& options);
ExitCode RunCompact(const Terminal& terminal, const StoreOptions& options);

struct SyncOptions { std::string store, catalog, format = "text"; bool write = false, check = false; };
ExitCode RunSync(const Terminal& terminal, const SyncOptions& options);

struct MetadataOptions { std::string catalog, store, format = "xml", diff; };
ExitCode RunMetadata(const Terminal& terminal, const MetadataOptions& options);

struct DoctorOptions { std::string store, catalog, format = "text"; };
ExitCode RunDoctor(const Terminal& terminal, const DoctorOptions& options);

struct BackupOptions { std::string store, to; };
ExitCode RunBackup(const Terminal& terminal, const BackupOptions& options);
struct RestoreOptions { std::string from, store; };
ExitCode RunRestore(const Terminal& terminal, const RestoreOptions& options);

struct SalesforceOptions { std::string path, catalog, to; };
ExitCode RunImportSalesforce(const Terminal& terminal, const SalesforceOptions& options);
ExitCode RunExportSalesforce(const Terminal& terminal, const SalesforceOptions& options);

struct InitOptions { std::string store, table, catalog, format = "text"; };
ExitCode RunInit(const Terminal& terminal, const InitOptions& options);

struct WhyOptions { std::string store, catalog, object, key, format = "text"; };
ExitCode RunWhy(const Terminal& terminal, const WhyOptions& options);

struct ItemsOptions { std::string store, catalog, table, pk, format = "text"; std::optional<std::string> sk; };
ExitCode RunItems(const Terminal& terminal, const ItemsOptions& options);

struct PatternsOptions { std::string store, catalog, format = "text"; bool check = false; };
ExitCode RunPatterns(const Terminal& terminal, const PatternsOptions& options);

struct FormatOptions { std::string file; bool strict_json = false, write = false; };
ExitCode RunFormat(const Terminal& terminal, const FormatOptions& options);

struct FormulaOptions {
  std::string formula;
  std::vector<std::string> set;   // name=value
  std::vector<std::string> type;  // name=Number
  std::string now;
  bool blank_as_zero = false, explain = false;
  std::string batch;
  std::string format = "text";
};
ExitCode RunFormula(const Terminal& terminal, const FormulaOptions& options);

struct ParseOptions { std::string kind, text; };
ExitCode RunParse(const Terminal& terminal, const ParseOptions& options);

// Prints an argon2id hash of the password on standard input, for the server's configuration.
ExitCode RunHashPassword(const Terminal& terminal);

}  // namespace tablecast::cli

#endif  // TABLECAST_CLI_COMMANDS_H_
