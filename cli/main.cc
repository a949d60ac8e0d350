// The command line: options and help texts of every command. The work is in the other files of cli/.

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/completion.h"

namespace tablecast::cli {
namespace {

constexpr const char* kVersion = TABLECAST_VERSION;

struct Main {
  CLI::App app{"Tables of items as typed, related records: validate qualifier files, load dumps, serve OData."};
  bool no_color = false;
  std::string log_level = "info";
  std::string log_format = "text";
  std::function<ExitCode(const Terminal&)> run;

  CLI::App* Command(const std::string& name, const std::string& what, const std::string& example) {
    CLI::App* command = app.add_subcommand(name, what);
    command->footer("Example:\n  " + example);
    command->fallthrough();  // common options may stand behind the command
    return command;
  }
};

CLI::Option* Store(CLI::App* command, std::string& store, bool required = true) {
  CLI::Option* option = command->add_option("--store", store, "Folder of the item store");
  option->type_name("DIR");
  return required ? option->required() : option;
}

CLI::Option* Catalog(CLI::App* command, std::string& catalog, bool required = true) {
  CLI::Option* option =
      command->add_option("--catalog", catalog, "Folder of qualifier files and catalog.json");
  option->type_name("DIR");
  return required ? option->required() : option;
}

// The parser prints the choices itself.
void Format(CLI::App* command, std::string& format, std::vector<std::string> allowed, const std::string& what = "Output") {
  command->add_option("--format", format, what + " format (default " + format + ")")
      ->type_name("F")
      ->check(CLI::IsMember(std::move(allowed)));
}

template <class Options, class Run>
void OnRun(Main& main, CLI::App* command, Options* options, Run run) {
  command->callback([&main, options, run] {
    main.run = [options, run](const Terminal& terminal) { return run(terminal, *options); };
  });
}

// Options live as long as the process: CLI11 keeps references to them.
template <class Options>
Options* Keep() {
  static Options options;
  return &options;
}

void AddAuthorCommands(Main& main) {
  {
    auto* o = Keep<ValidateOptionsCli>();
    auto* c = main.Command("validate", "Check qualifier files or a catalog folder; reports every problem",
                           "tablecast validate catalog/ --data store/ --strict");
    c->add_option("path", o->paths, "Qualifier files or catalog folders")->required()->type_name("PATH");
    c->add_option("--data,--store", o->data, "Also check against these items: a store folder or a dump file")->type_name("STORE|FILE");
    c->add_flag("--strict", o->strict, "Exit 1 when there are warnings");
    c->add_flag("--portable", o->portable, "Also report what the vendor's own adapter would refuse");
    c->add_option("--client", o->client, "Also report fields that this client would drop or cut")
        ->type_name("NAME")->check(CLI::IsMember({"salesforce", "dataverse", "powerbi"}));
    c->add_flag("--watch", o->watch, "Check again whenever a file changes");
    Format(c, o->format, {"text", "json", "sarif", "github"});
    OnRun(main, c, o, RunValidate);
  }
  {
    auto* o = Keep<FormatOptions>();
    auto* c = main.Command("format", "Print a qualifier file in canonical layout, comments kept",
                           "tablecast format --strict-json catalog/Orders.json");
    c->add_option("file", o->file, "Qualifier file; - is standard input")->required()->type_name("FILE");
    c->add_flag("--strict-json", o->strict_json, "Deployable JSON: no comments, no trailing commas");
    c->add_flag("--write", o->write, "Change the file instead of printing");
    OnRun(main, c, o, RunFormat);
  }
  {
    auto* o = Keep<FormulaOptions>();
    auto* c = main.Command("formula", "Evaluate a formula, or explain it",
                           "tablecast formula 'RIGHT(sk, LEN(sk) - FIND(\"#\", sk))' --set sk='products#1'");
    c->add_option("formula", o->formula, "Formula text")->type_name("FORMULA");
    c->add_option("--set", o->set, "Value of a field, name=value; repeatable")->type_name("NAME=VALUE")->take_all()->allow_extra_args(false);
    c->add_option("--type", o->type, "Type of a field, name=Number; repeatable")->type_name("NAME=TYPE")->take_all()->allow_extra_args(false);
    c->add_option("--now", o->now, "What NOW() and TODAY() answer")->type_name("TIMESTAMP");
    c->add_flag("--blank-as-zero", o->blank_as_zero, "Blank numbers count as 0");
    c->add_flag("--explain", o->explain, "Show types, compiled form and whether it inverts");
    c->add_option("--batch", o->batch, "Evaluate JSON lines from this file; - is standard input")->type_name("FILE");
    Format(c, o->format, {"text", "json"});
    OnRun(main, c, o, RunFormula);
  }
  {
    auto* o = Keep<ParseOptions>();
    auto* c = main.Command("parse", "Print the syntax tree of a text as JSON",
                           "tablecast parse --kind filter \"TOTAL gt 5 and STATUS eq 'OPEN'\"");
    c->add_option("--kind", o->kind, "What the text is")->required()->type_name("KIND")->check(CLI::IsMember(
        {"uri", "filter", "orderby", "select", "expand", "search", "apply", "compute", "formula", "like", "iso8601", "external-id"}));
    c->add_option("text", o->text, "The text; - is standard input")->required()->type_name("TEXT");
    OnRun(main, c, o, RunParse);
  }
}

void AddDataCommands(Main& main) {
  {
    auto* o = Keep<ImportOptions>();
    auto* c = main.Command("import", "Load dumps into a store",
                           "tablecast import --store store/ --table Orders --partition-key pk --sort-key sk dump.json.gz");
    Store(c, o->store);
    Catalog(c, o->catalog, false);
    c->add_option("--table", o->table, "Table to load into (default: the name in the file)")->type_name("NAME");
    c->add_option("--partition-key", o->partition_key, "Partition key of a new table, with its type unless S")->type_name("NAME[:S|N|B]");
    c->add_option("--sort-key", o->sort_key, "Sort key of a new table")->type_name("NAME[:S|N|B]");
    Format(c, o->format, {"auto", "dynamodb-json", "cli", "batch-write", "transact-write", "s3-export", "s3-incremental",
                          "ion", "csv", "workbench", "stream", "json", "table-definition", "get-item", "items-array", "put-requests"}, "Input");
    c->add_option("--skip-bad", o->skip_bad, "Write rejected records here as JSON lines and go on")->type_name("FILE");
    c->add_flag("--resume", o->resume, "Go on where an interrupted import of the same files stopped");
    c->add_flag("--atomic", o->atomic, "All or nothing: one transaction");
    c->add_flag("--no-sort", o->no_sort, "Load in file order (slower unless the dump is sorted by key)");
    c->add_option("--summary", o->summary, "Summary: text or json")->type_name("F")->check(CLI::IsMember({"text", "json"}));
    c->add_option("file", o->files, "Files or folders, also .gz and .zst; - is standard input")->required()->type_name("FILE");
    OnRun(main, c, o, RunImport);
  }
  {
    auto* o = Keep<ExportOptions>();
    auto* c = main.Command("export", "Write a table or an external object to standard output",
                           "tablecast export --store store/ --table Orders > dump.jsonl");
    Store(c, o->store);
    c->add_option("--table", o->table, "Table to write")->type_name("NAME");
    Catalog(c, o->catalog, false);
    c->add_option("--object", o->object, "External object to write")->type_name("NAME");
    Format(c, o->format, {"dynamodb-json", "json", "csv"});
    OnRun(main, c, o, RunExport);
  }
  {
    auto* o = Keep<StoreOptions>();
    auto* c = main.Command("tables", "List tables, keys, indexes, counts and sizes", "tablecast tables --store store/");
    Store(c, o->store);
    Format(c, o->format, {"text", "json"});
    OnRun(main, c, o, RunTables);
  }
  {
    auto* o = Keep<ItemsOptions>();
    auto* c = main.Command("items", "Show the raw items of a partition and who claims them",
                           "tablecast items --store store/ --catalog catalog/ --table Orders --pk 1012");
    Store(c, o->store);
    Catalog(c, o->catalog, false);
    c->add_option("--table", o->table, "Table")->required()->type_name("NAME");
    c->add_option("--pk", o->pk, "Partition key value")->required()->type_name("VALUE");
    c->add_option("--sk", o->sk, "Sort key value")->type_name("VALUE");
    Format(c, o->format, {"text", "json"});
    OnRun(main, c, o, RunItems);
  }
  {
    static std::string compact_format = "text";
    auto* o = new StoreOptions;  // lives until exit, as CLI11's references do
    auto* c = main.Command("compact", "Rewrite a store in key order", "tablecast compact --store store/");
    Store(c, o->store);
    OnRun(main, c, o, RunCompact);
  }
  {
    auto* o = Keep<BackupOptions>();
    auto* c = main.Command("backup", "Copy a store while it is served, and verify the copy",
                           "tablecast backup --store store/ --to backup-2026-12-01/");
    Store(c, o->store);
    c->add_option("--to", o->to, "New folder for the copy")->required()->type_name("DIR");
    OnRun(main, c, o, RunBackup);
  }
  {
    auto* o = Keep<RestoreOptions>();
    auto* c = main.Command("restore", "Verify a backup and make a store of it",
                           "tablecast restore --from backup-2026-12-01/ --store store/");
    c->add_option("--from", o->from, "Folder of the backup")->required()->type_name("DIR");
    Store(c, o->store);
    OnRun(main, c, o, RunRestore);
  }
}

void AddCatalogCommands(Main& main) {
  {
    auto* o = Keep<InitOptions>();
    auto* c = main.Command("init", "Propose qualifier files from the data", "tablecast init --store store/ --catalog catalog/");
    Store(c, o->store);
    c->add_option("--table", o->table, "Only this table")->type_name("NAME");
    Catalog(c, o->catalog, false)->description("Write the proposals into this folder (default: only print)");
    Format(c, o->format, {"text", "json"});
    OnRun(main, c, o, RunInit);
  }
  {
    auto* o = Keep<SyncOptions>();
    auto* c = main.Command("sync", "Infer fields from the data; print them, write them or check them",
                           "tablecast sync --store store/ --catalog catalog/ --write");
    Store(c, o->store);
    Catalog(c, o->catalog);
    c->add_flag("--write", o->write, "Write the fields into the files, keeping comments and order");
    c->add_flag("--check", o->check, "Exit 1 when the data no longer fits the declared or kept fields");
    Format(c, o->format, {"text", "json"});
    OnRun(main, c, o, RunSync);
  }
  {
    auto* o = Keep<MetadataOptions>();
    auto* c = main.Command("metadata", "Print the published schema",
                           "tablecast metadata --catalog catalog/ --store store/ --format openapi");
    Catalog(c, o->catalog);
    Store(c, o->store, false)->description("Folder of the item store (not needed when all fields are declared)");
    c->add_option("--diff", o->diff, "Compare with an earlier CSDL JSON file: what a re-sync would change")->type_name("OLD");
    Format(c, o->format, {"xml", "json", "openapi"});
    OnRun(main, c, o, RunMetadata);
  }
  {
    auto* o = Keep<DoctorOptions>();
    auto* c = main.Command("doctor", "Check the store, its indexes and what the catalog makes of the items",
                           "tablecast doctor --store store/ --catalog catalog/");
    Store(c, o->store);
    Catalog(c, o->catalog, false);
    Format(c, o->format, {"text", "json"});
    OnRun(main, c, o, RunDoctor);
  }
  {
    auto* o = Keep<WhyOptions>();
    auto* c = main.Command("why", "Judge one item against one object, condition by condition",
                           "tablecast why --store store/ --catalog catalog/ --object Orders --key '{\"pk\":\"DRAFT-1\",\"sk\":\"ORDER\"}'");
    Store(c, o->store);
    Catalog(c, o->catalog);
    c->add_option("--object", o->object, "External object")->required()->type_name("O");
    c->add_option("--key", o->key, "External ID, pk=..,sk=.., the key as messages show it (`1012 / ORDER`), or a JSON object with the key columns")->required()->type_name("K");
    Format(c, o->format, {"text", "json"});
    OnRun(main, c, o, RunWhy);
  }
  {
    auto* o = Keep<PatternsOptions>();
    auto* c = main.Command("patterns", "Run the declared access patterns and show what each costs",
                           "tablecast patterns --store store/ --catalog catalog/ --check");
    Store(c, o->store);
    Catalog(c, o->catalog);
    c->add_flag("--check", o->check, "Exit 1 when one degrades to a scan or past its reads");
    Format(c, o->format, {"text", "json"});
    OnRun(main, c, o, RunPatterns);
  }
  {
    auto* o = Keep<SalesforceOptions>();
    auto* c = main.Command("import-salesforce", "Make a catalog from a Salesforce metadata folder",
                           "tablecast import-salesforce force-app/ --catalog catalog/");
    c->add_option("path", o->path, "Metadata folder")->required()->type_name("PATH");
    Catalog(c, o->catalog);
    OnRun(main, c, o, RunImportSalesforce);
  }
  {
    auto* o = new SalesforceOptions;
    auto* c = main.Command("export-salesforce", "Write a catalog as Salesforce metadata",
                           "tablecast export-salesforce --catalog catalog/ --to force-app/");
    Catalog(c, o->catalog);
    c->add_option("--to", o->to, "New folder")->required()->type_name("DIR");
    OnRun(main, c, o, RunExportSalesforce);
  }
}

void AddServiceCommands(Main& main) {
  {
    auto* o = Keep<ServeOptions>();
    auto* c = main.Command("serve", "Serve the catalog's objects as OData, with a page to browse them",
                           "tablecast serve --store store/ --catalog catalog/ --port 8080");
    Store(c, o->store);
    Catalog(c, o->catalog);
    c->add_option("--host", o->host, "Address to listen on (default 127.0.0.1)")->type_name("HOST");
    c->add_option("--port", o->port, "Port; 0 takes a free one (default 8080)")->type_name("PORT");
    c->add_option("--public-url", o->public_url, "Address that links in answers start with")->type_name("URL");
    c->add_option("--config", o->config, "Server settings: auth, tls, limits, log")->type_name("FILE");
    c->add_option("--audit-log", o->audit_log, "Append a JSON line for every record written and every write refused; - for standard output")
        ->type_name("FILE");
    c->add_flag("--audit-values", o->audit_values, "The audit log holds the values too, not only the fields' names");
    c->add_option("--trace", o->trace, "Keep requests and answers here, secrets removed, for replay")->type_name("FILE");
    c->add_flag("--watch", o->watch, "Reload the catalog when its files change");
    c->add_flag("--insecure-no-auth", o->insecure_no_auth, "Allow serving other addresses than loopback without authentication");
    OnRun(main, c, o, RunServe);
  }
  {
    auto* o = Keep<ReplayOptions>();
    auto* c = main.Command("replay", "Repeat the requests of a trace and compare the answers",
                           "tablecast replay trace.jsonl --store store/ --catalog catalog/");
    c->add_option("file", o->file, "Trace written by serve --trace")->required()->type_name("FILE");
    Store(c, o->store);
    Catalog(c, o->catalog);
    OnRun(main, c, o, RunReplay);
  }
  {
    auto* o = Keep<QueryOptionsCli>();
    auto* c = main.Command("query", "Answer one request without a server",
                           "tablecast query --store store/ --catalog catalog/ 'Orders?$top=3'");
    Store(c, o->store);
    Catalog(c, o->catalog);
    c->add_option("request", o->request, "Path and options behind the service root")->required()->type_name("REQUEST");
    Format(c, o->format, {"json", "table", "csv"});
    OnRun(main, c, o, RunQuery);
  }
  {
    auto* o = Keep<ExplainOptions>();
    auto* c = main.Command("explain", "Show the plan of a request",
                           "tablecast explain --store store/ --catalog catalog/ --analyze 'Orders?$filter=pk eq ''1012'''");
    Store(c, o->store);
    Catalog(c, o->catalog);
    c->add_flag("--analyze", o->analyze, "Run it and show what was really read");
    c->add_option("request", o->request, "Path and options behind the service root")->required()->type_name("REQUEST");
    Format(c, o->format, {"text", "json"});
    OnRun(main, c, o, RunExplain);
  }
  {
    auto* c = main.Command("hash-password", "Hash the password on standard input for the server's configuration",
                           "printf secret | tablecast hash-password");
    c->callback([&main] { main.run = [](const Terminal& terminal) { return RunHashPassword(terminal); }; });
  }
  {
    static std::string shell;
    auto* c = main.Command("completion", "Print the completion script of a shell",
                           "tablecast completion bash > /etc/bash_completion.d/tablecast");
    c->add_option("shell", shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
    c->callback([&main] {
      main.run = [&main](const Terminal&) {
        std::vector<CompletionCommand> commands;
        for (const CLI::App* command : main.app.get_subcommands([](const CLI::App*) { return true; })) {
          CompletionCommand entry{command->get_name(), command->get_description(), {}};
          for (const CLI::Option* option : command->get_options()) {
            for (const std::string& name : option->get_lnames()) {
              entry.options.push_back({"--" + name, option->get_description(), option->get_items_expected_max() > 0});
            }
          }
          commands.push_back(std::move(entry));
        }
        WriteStdout(CompletionScript(shell, commands));
        return kSuccess;
      };
    });
  }
}

// "did you mean": the nearest command or option to a word the parser did not take.
std::string Suggest(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  const CLI::App* at = &app;
  for (const CLI::App* used : app.get_subcommands()) at = used;
  if (word.rfind("-", 0) == 0) {
    for (const CLI::App* from : {at, &app}) {
      for (const CLI::Option* option : from->get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      }
    }
  } else {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(command->get_name());
    }
  }
  const auto nearest = NearestName(word.substr(0, word.find('=')), names);
  const std::string of = at == &app ? "" : at->get_name() + " ";
  // A word that is right needs no suggestion: its value is wrong, or it stands where it must not.
  return nearest && *nearest != word.substr(0, word.find('=')) ? "did you mean `" + *nearest + "`?"
                                                               : "see `tablecast " + of + "--help`";
}

// The first option that the command in use does not have. The parser reports a missing option before an unknown one,
// and the unknown one mostly is the missing one under another name.
std::string UnknownOption(const CLI::App& app, int argc, char** argv) {
  const auto used = app.get_subcommands();
  if (used.empty()) return "";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") return "";
    if (word.size() < 3 || word.rfind("--", 0) != 0) continue;
    const std::string name = word.substr(0, word.find('='));
    if (used.front()->get_option_no_throw(name) == nullptr && app.get_option_no_throw(name) == nullptr) return name;
  }
  return "";
}

// "--format: sarf not in {text,json}", the parser's words for a value outside its list, as ours.
bool ExplainChoice(std::string& message, std::string& remedy) {
  const std::size_t colon = message.find(": ");
  const std::size_t list = message.find(" not in {");
  if (colon == std::string::npos || list == std::string::npos || list < colon) return false;
  const std::string value = message.substr(colon + 2, list - colon - 2);
  std::vector<std::string> choices;
  std::stringstream words(message.substr(list + 9, message.find('}', list) - list - 9));
  for (std::string word; std::getline(words, word, ',');) choices.push_back(word);
  const auto nearest = NearestName(value, choices);
  std::string all;
  for (const std::string& choice : choices) all += (all.empty() ? "" : ", ") + choice;
  remedy = nearest ? "did you mean `" + *nearest + "`?" : "write one of " + all;
  message = message.substr(0, colon + 2) + "`" + value + "` is none of " + all;
  return true;
}

// "Could not convert: --port = x", as ours.
void ExplainValue(std::string& message) {
  static constexpr std::string_view kPrefix = "Could not convert: ";
  const std::size_t equals = message.find(" = ");
  if (message.rfind(kPrefix, 0) != 0 || equals == std::string::npos) return;
  message = message.substr(kPrefix.size(), equals - kPrefix.size()) + ": `" + message.substr(equals + 3) +
            "` is no whole number in its range";
}

int Run(int argc, char** argv) {
  Main main;
  CLI::App& app = main.app;
  app.name("tablecast");
  app.set_version_flag("--version", std::string("tablecast ") + kVersion);
  app.add_flag("--no-color", main.no_color, "Never use colour");
  app.add_option("--log-level", main.log_level, "debug, info, warn or error (default info)")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
  app.add_option("--log-format", main.log_format, "text or json (default text)")->check(CLI::IsMember({"text", "json"}));
  app.footer("Example:\n  tablecast import --store store/ --table Orders --partition-key pk --sort-key sk dump.json\n"
             "  tablecast serve --store store/ --catalog catalog/");
  app.require_subcommand(1);
  AddAuthorCommands(main);
  AddDataCommands(main);
  AddCatalogCommands(main);
  AddServiceCommands(main);

  if (argc < 2) {
    WriteStdout(app.help());
    return kWrongInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto used = app.get_subcommands();
    WriteStdout(used.empty() ? app.help() : used.front()->help("tablecast"));
    return kSuccess;
  } catch (const CLI::CallForVersion&) {
    WriteStdout(std::string("tablecast ") + kVersion + "\n");
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    // The parser's own messages and exit codes are mapped to ours.
    std::string message = error.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    std::string remedy;
    ExplainValue(message);
    const bool choice = ExplainChoice(message, remedy);
    const std::string unknown = error.get_name() == "RequiredError" ? UnknownOption(app, argc, argv) : "";
    if (!unknown.empty()) {
      message = "there is no option `" + unknown + "`, and " + message;
      remedy = "see `tablecast " + app.get_subcommands().front()->get_name() + " --help`";
    }
    for (int i = 1; i < argc && remedy.empty() && !choice; ++i) {
      const std::string word = argv[i];
      const bool named = message.find(word.substr(0, word.find('='))) != std::string::npos;
      const bool first_word = i == 1 && app.get_subcommands().empty();
      if ((named && word.rfind("-", 0) == 0) || first_word) {
        if (first_word && word.rfind("-", 0) != 0) message = "no command `" + word + "`";
        remedy = Suggest(app, word);
      }
    }
    if (remedy.empty()) {
      const auto used = app.get_subcommands();
      remedy = "see `tablecast " + (used.empty() ? std::string() : used.front()->get_name() + " ") + "--help`";
    }
    WriteStderr("tablecast: " + message + "; " + remedy + "\n");
    return kWrongInput;
  }
  Terminal terminal = Terminal::Detect(main.no_color);
  terminal.log_level = main.log_level;
  terminal.log_format = main.log_format;
  return main.run(terminal);
}

}  // namespace
}  // namespace tablecast::cli

namespace {

// A mapped file that ends before what is read of it: a store cut by a copy that broke off, or a dump
// that another process cuts while it is imported. Only async-signal-safe calls.
void OnCutFile(int) {
  static constexpr char kMessage[] =
      "tablecast: a file ends before its content does: the store's data.mdb was cut, or a dump got shorter while it was "
      "read; restore the store from a backup, or fetch the dump again\n";
  static_cast<void>(::write(STDERR_FILENO, kMessage, sizeof kMessage - 1) == 0);
  ::_exit(tablecast::cli::kEnvironment);
}

}  // namespace

int main(int argc, char** argv) {
  // Third-party code may throw (out of memory, filesystem); everything of ours returns errors.
  try {
    tablecast::cli::OpenStandardStreams();
    std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error of the write, as a full disk is
    std::signal(SIGBUS, OnCutFile);
    const int code = tablecast::cli::Run(argc, argv);
    const tablecast::Status written = tablecast::cli::FinishStdout();
    if (written.ok()) return code;
    tablecast::cli::WriteStderr("tablecast: " + written.error().ToString() + "\n");
    return tablecast::cli::kEnvironment;
  } catch (const std::exception& error) {
    tablecast::cli::WriteStderr(std::string("tablecast: internal error: ") + error.what() + "\n");
    return tablecast::cli::kEnvironment;
  }
}
