// tablecast serve: the endpoint, its housekeeping (reload, indexes, metrics) and its end.

#include <algorithm>
#include <atomic>
#include <csignal>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "cli/trace_file.h"
#include "connector/columnar_build.h"
#include "connector/columnar_sidecar.h"
#include "odata/access_log.h"
#include "odata/audit_log.h"
#include "odata/http_server.h"
#include "odata/metrics.h"
#include "odata/operations.h"
#include "odata/server_config.h"
#include "odata/tls.h"
#include "odata/web_page.h"

namespace tablecast::cli {

namespace {

constexpr auto kHousekeepingInterval = std::chrono::milliseconds(500);

// Signals reach the server through these; a handler may touch nothing else.
std::atomic<HttpServer*> g_server{nullptr};
std::atomic<bool> g_reload{false};

void OnTerminate(int) {
  if (HttpServer* server = g_server.load()) server->RequestDrain();
}
void OnHangUp(int) { g_reload.store(true); }

void Log(const Terminal& terminal, std::string_view level, const std::string& message) {
  if (terminal.log_level == "error" && level != "error") return;
  if (terminal.log_level == "warn" && level == "info") return;
  if (terminal.log_format == "json") {
    std::string line;
    JsonWriter json(line);
    json.BeginObject().Key("time").String(FormatTimestamp(CurrentTimestamp(), 3)).Key("level").String(level);
    json.Key("message").String(message).EndObject();
    WriteStderr(line + "\n");
  } else {
    WriteStderr("tablecast: " + (level == "info" ? "" : std::string(level) + ": ") + message + "\n");
  }
}

Result<std::string> ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return MakeError(ErrorCode::kInvalidArgument, "file-not-found", "cannot read the file", path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Result<ServerConfig> ReadConfig(const Terminal& terminal, const ServeOptions& options) {
  ServerConfig config;
  if (!options.config.empty()) {
    TABLECAST_ASSIGN_OR_RETURN(const std::string text, ReadText(options.config));
    ParsedServerConfig parsed = ParseServerConfig(text, SystemSources(options.config));
    if (!parsed.issues.empty()) {
      for (Issue& issue : parsed.issues) issue.file = options.config;
      std::string out;
      PrintIssues(terminal, parsed.issues, "text", {{options.config, text}}, out);
      WriteStderr(out);
      if (HasErrors(parsed.issues)) {
        return MakeError(ErrorCode::kInvalidArgument, "config-faulty", "the server's configuration has errors", options.config);
      }
    }
    config = std::move(parsed.config);
  }
  // Flag > environment > file > default.
  if (const char* host = std::getenv("TABLECAST_HOST"); host != nullptr && *host != '\0') config.host = host;
  if (const char* port = std::getenv("TABLECAST_PORT"); port != nullptr && *port != '\0') {
    char* end = nullptr;
    const long value = std::strtol(port, &end, 10);
    if (*end != '\0' || value < 0 || value > 65535) {
      return MakeError(ErrorCode::kInvalidArgument, "port", "TABLECAST_PORT is a number from 0 to 65535", port);
    }
    config.port = static_cast<int>(value);
  }
  if (const char* url = std::getenv("TABLECAST_PUBLIC_URL"); url != nullptr && *url != '\0') config.public_url = url;
  if (options.host) config.host = *options.host;
  if (options.port) config.port = *options.port;
  if (options.public_url) config.public_url = *options.public_url;
  if (!config.public_url.empty() && !IsPublicUrl(config.public_url)) {
    return MakeError(ErrorCode::kInvalidArgument, "config-url", "the public URL must be an http or https URL without query",
                     config.public_url, "write https://host/path");
  }
  if (options.insecure_no_auth) config.allow_unauthenticated = true;
  if (!options.audit_log.empty()) {
    if (!config.audit_log) config.audit_log.emplace();
    config.audit_log->file.file = options.audit_log;
  }
  if (options.audit_values) {
    if (!config.audit_log) {
      return MakeError(ErrorCode::kInvalidArgument, "audit-values", "--audit-values needs an audit log", "",
                       "add --audit-log FILE, or auditLog to the configuration");
    }
    config.audit_log->values = true;
  }
  return config;
}

// The store's own signing secret, made once and kept in it.
Result<std::string> StoreSecret(ItemStore& store) {
  constexpr std::string_view kName = "secret/token";
  std::string secret;
  TABLECAST_RETURN_IF_ERROR(store.Write([&](WriteTransaction& txn) -> Status {
    TABLECAST_ASSIGN_OR_RETURN(const auto kept, txn.GetMeta(kName));
    if (kept && kept->size() == 32) {
      secret = *kept;
      return {};
    }
    secret = RandomSecret();
    return txn.PutMeta(kName, secret);
  }));
  return secret;
}

// Times and sizes of the catalog's files: a change means "look again".
std::string FolderStamp(const std::string& folder) {
  std::string out;
  std::error_code error;
  std::vector<std::string> entries;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".json") continue;
    std::error_code ignored;
    entries.push_back(entry.path().string() + "|" + std::to_string(entry.file_size(ignored)) + "|" +
                      std::to_string(entry.last_write_time(ignored).time_since_epoch().count()));
  }
  std::sort(entries.begin(), entries.end());
  for (const std::string& entry : entries) out += entry + "\n";
  return out;
}

// Everything that goes on beside the requests, on one thread.
class Housekeeper {
 public:
  Housekeeper(const Terminal& terminal, const ServeOptions& options, ItemStore& store, Service& service, Metrics& metrics,
              HttpServer& server)
      : terminal_(terminal), options_(options), store_(store), service_(service), metrics_(metrics), server_(server) {}
  ~Housekeeper() { Stop(); }
  Housekeeper(const Housekeeper&) = delete;
  Housekeeper& operator=(const Housekeeper&) = delete;

  void Start(std::shared_ptr<TlsContext> tls, AccessLog* log, AuditLog* audit) {
    tls_ = std::move(tls);
    log_ = log;
    audit_ = audit;
    stamp_ = FolderStamp(options_.catalog);
    thread_ = std::thread([this] { Run(); });
  }
  bool store_lost() const { return store_lost_.load(); }
  void Stop() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stopping_) {
      lock.unlock();
      try {
        Tick();
      } catch (const std::exception& error) {
        Log(terminal_, "error", std::string("housekeeping: ") + error.what());
      }
      lock.lock();
      wake_.wait_for(lock, kHousekeepingInterval, [this] { return stopping_; });
    }
  }

  bool Stopping() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return stopping_;
  }

  // A store whose head could not be written answers nothing any more until it is opened again. That is for whoever
  // restarts this process: it ends, instead of answering 503 for ever.
  bool StoreIsLost() {
    const auto snapshot = store_.BeginRead();
    if (snapshot.ok() || snapshot.error().reason != "store-needs-reopen") return false;
    if (!store_lost_.exchange(true)) {
      Log(terminal_, "error", "the store must be opened again: " + snapshot.error().ToString() + "; stopping");
      server_.RequestDrain();
    }
    return true;
  }

  void Tick() {
    if (StoreIsLost()) return;
    const bool hang_up = g_reload.exchange(false);
    bool reload = hang_up;
    if (hang_up && tls_ != nullptr) {
      const Status status = tls_->Reload();
      if (!status.ok()) Log(terminal_, "error", "certificates stay as they are: " + status.error().ToString());
    }
    if (hang_up && log_ != nullptr) ReportReopened(log_->Reopen());
    if (hang_up && audit_ != nullptr) ReportReopened(audit_->Reopen());
    if (options_.watch) {
      const std::string stamp = FolderStamp(options_.catalog);
      if (stamp != stamp_) reload = true;
      stamp_ = stamp;
    }
    const auto current = service_.catalog();
    if (!reload && current != nullptr && !current->missing_tables().empty()) {
      const auto snapshot = store_.BeginRead();
      reload = snapshot.ok() && current->NeedsReload(**snapshot);
    }
    if (reload) Reload();
    CatchUp();
    metrics_.SetLoad(server_.load());
  }

  void ReportReopened(const Status& status) {
    if (!status.ok()) Log(terminal_, "error", "the log goes on in the old file: " + status.error().ToString());
  }

  void Reload() {
    auto loaded = LoadCatalogFolder(terminal_, options_.catalog, &store_, {});
    metrics_.CountCatalogReload(loaded.ok());
    if (!loaded.ok()) {
      Log(terminal_, "error", "the catalog stays as it was: " + loaded.error().ToString());
      return;
    }
    const Status installed = InstallMaintainers(*loaded->catalog, store_);
    if (!installed.ok()) {
      Log(terminal_, "error", "the catalog stays as it was: " + installed.error().ToString());
      return;
    }
    service_.SetCatalog(loaded->catalog);
    Log(terminal_, "info", "catalog reloaded: " + std::to_string(loaded->catalog->objects().size()) + " objects");
  }

  // Indexes that are behind (another process wrote, a qualifier changed) are brought up to date; queries do
  // without them until then.
  void CatchUp() {
    const auto catalog = service_.catalog();
    if (catalog == nullptr) return;
    for (const std::string& table : catalog->Tables()) {
      bool behind = false;
      {
        const auto snapshot = store_.BeginRead();
        if (!snapshot.ok()) return;
        const auto info = (*snapshot)->Describe(table);
        if (!info.ok()) continue;
        metrics_.SetStoreBytes(info->item_bytes);
        behind = std::any_of(info->derived.begin(), info->derived.end(),
                             [](const DerivedIndexInfo& index) { return index.state != IndexState::kReady; });
      }
      if (behind) BuildTable(table);
      CopyColumns(*catalog, table);
    }
  }

  // Sidecars as far behind as readers still make up for are left alone: a rewrite for every change would
  // cost more than it saves.
  void CopyColumns(const Catalog& catalog, const std::string& table) {
    const auto copied = BuildColumnar(catalog, table, store_, kColumnarMaxBehind / 4,
                                      [this](std::uint64_t, std::uint64_t) { return !Stopping(); });
    if (!copied.ok() && copied.error().code != ErrorCode::kAborted) {
      Log(terminal_, "warn", "columnar sidecars of " + table + ": " + copied.error().ToString());
    } else if (copied.ok() && copied->objects > 0) {
      Log(terminal_, "info", "columnar sidecars of " + table + " are up to date");
    }
  }

  void BuildTable(const std::string& table) {
    const auto started = std::chrono::steady_clock::now();
    metrics_.SetIndexBuilds(1);
    const Status built = store_.BuildIndexes(table, [this](std::uint64_t done, std::uint64_t total) {
      metrics_.SetIndexProgress(done, total);
      return !Stopping();
    });
    metrics_.SetIndexBuilds(0);
    metrics_.SetIndexProgress(0, 0);
    metrics_.CountIndexBuild(built.ok(), std::chrono::steady_clock::now() - started);
    if (built.ok()) {
      Log(terminal_, "info", "indexes of " + table + " are up to date");
    } else if (built.error().code != ErrorCode::kAborted) {
      Log(terminal_, "warn", "indexes of " + table + ": " + built.error().ToString());
    }
  }

  const Terminal& terminal_;
  const ServeOptions& options_;
  ItemStore& store_;
  Service& service_;
  Metrics& metrics_;
  HttpServer& server_;
  std::shared_ptr<TlsContext> tls_;
  AccessLog* log_ = nullptr;
  AuditLog* audit_ = nullptr;
  std::atomic<bool> store_lost_{false};
  std::string stamp_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

// What to open in a browser or give to a client, with requests that this catalog answers.
void PrintAddresses(const std::string& base, const Catalog& catalog) {
  std::string out = "Browse   " + base + "/\nOData    " + base + "/odata/\nSchema   " + base + "/odata/$metadata\n";
  for (const auto& object : catalog.objects()) {
    out += "         " + base + "/odata/" + object->name() + "?$top=3\n";
  }
  for (const AccessPattern& pattern : catalog.access_patterns()) {
    std::string request;
    for (const char c : pattern.ExampleRequest()) request += c == ' ' ? std::string("%20") : std::string(1, c);
    out += "         " + base + "/odata/" + request + "\n";
  }
  WriteStdout(out);
}

}  // namespace

ExitCode RunServe(const Terminal& terminal, const ServeOptions& options) {
  auto config = ReadConfig(terminal, options);
  if (!config.ok()) return PrintError(terminal, "serve", config.error());
  const Status exposure = CheckExposure(*config);
  if (!exposure.ok()) return PrintError(terminal, "serve", exposure.error());
  auto store = OpenStore(options.store, StoreAccess::kMustExist);
  if (!store.ok()) return PrintError(terminal, "serve", store.error());
  auto catalog = LoadCatalogFolder(terminal, options.catalog, store->get(), {});
  if (!catalog.ok()) return PrintError(terminal, "serve", catalog.error());
  for (const std::string& table : catalog->catalog->missing_tables()) {
    Log(terminal, "warn", "the table " + table + " is not in the store yet; its objects are empty until it is");
  }
  const Status installed = InstallMaintainers(*catalog->catalog, **store);
  if (!installed.ok()) return PrintError(terminal, "serve", installed.error());

  Metrics metrics;
  ServiceOptions service_options;
  service_options.public_url = config->public_url;
  if (service_options.public_url.ends_with("/odata")) service_options.public_url.resize(service_options.public_url.size() - 6);
  service_options.cors_origins = config->cors_origins;
  service_options.syntax = config->query.syntax;
  service_options.query = config->query.limits;
  service_options.max_page_bytes = config->query.max_page_bytes;
  service_options.max_batch_parts = config->query.max_batch_parts;
  service_options.require_if_match = config->query.require_if_match;
  service_options.token_secret = config->signing_secret;
  if (service_options.token_secret.empty()) {
    auto secret = StoreSecret(**store);
    if (!secret.ok()) return PrintError(terminal, "serve", secret.error());
    service_options.token_secret = *std::move(secret);
  }
  service_options.observe = [&metrics](const PlanReport& plan, std::uint64_t returned) {
    metrics.CountItems(plan.actual ? plan.actual->items : 0, returned);
    metrics.CountPlan(AccessKindName(plan.access));
  };
  std::unique_ptr<AuditLog> audit_log;
  std::atomic<bool> audit_fails{false};  // told when it begins and when it ends, not with every line
  if (config->audit_log) {
    auto opened = AuditLog::Open(*config->audit_log);
    if (!opened.ok()) return PrintError(terminal, "serve", opened.error());
    audit_log = *std::move(opened);
    service_options.audit_values = config->audit_log->values;
    service_options.audit = [&](const AuditRecord& record) {
      const Status written = audit_log->Write(record);
      metrics.CountAuditLine(written.ok());
      if (audit_fails.exchange(!written.ok()) == !written.ok()) return;
      if (written.ok()) {
        Log(terminal, "info", "the audit log is written again; lines lost: " + std::to_string(audit_log->dropped()));
      } else {
        Log(terminal, "error", "the audit log loses lines: " + written.error().ToString());
      }
    };
  }
  WebPage page(**store, options.catalog, [] { g_reload.store(true); });  // a saved file is taken up at once
  service_options.page = [&page](const HttpRequest& request, const Catalog& current) { return page.Answer(request, current); };
  Service service(**store, std::move(service_options));
  service.SetCatalog(catalog->catalog);

  std::shared_ptr<Authenticator> authenticator;
  auto server_options = MakeServerOptions(*config, authenticator);
  if (!server_options.ok()) return PrintError(terminal, "serve", server_options.error());
  std::unique_ptr<AccessLog> access_log;
  if (config->access_log) {
    auto opened = AccessLog::Open(*config->access_log);
    if (!opened.ok()) return PrintError(terminal, "serve", opened.error());
    access_log = *std::move(opened);
  }
  std::unique_ptr<TraceFile> trace;
  if (!options.trace.empty()) {
    auto opened = TraceFile::Create(options.trace);
    if (!opened.ok()) return PrintError(terminal, "serve", opened.error());
    trace = *std::move(opened);
  }

  HttpServer* running = nullptr;
  OperationsHooks operations;
  operations.not_ready_because = [&running]() -> std::string {
    return running != nullptr && running->draining() ? "the server is draining" : "";
  };
  operations.metrics = [&metrics] { return metrics.Serialize(); };
  HttpServerHooks hooks;
  hooks.handler = WithOperations(operations, [&](const HttpRequest& request) {
    HttpResponse response = service.Handle(request);
    if (trace != nullptr) trace->Write(request, response);
    return response;
  });
  hooks.is_cheap = [&service](const HttpRequest& request) { return IsOperationsRequest(request) || service.IsCheap(request); };
  hooks.authenticator = authenticator;
  hooks.on_finished = [&](const RequestRecord& record) {
    metrics.RecordRequest(record);
    if (access_log != nullptr) access_log->Write(record);
  };
  const std::shared_ptr<TlsContext> tls = server_options->tls;
  HttpServer server(std::move(hooks), *std::move(server_options));
  const Status bound = server.Bind(config->host, config->port);
  if (!bound.ok()) {
    Error error = bound.error();
    error.code = ErrorCode::kUnavailable;  // a taken port is the environment's fault: exit 3
    return PrintError(terminal, "serve", error);
  }
  running = &server;
  for (const std::string& warning : server.warnings()) Log(terminal, "warn", warning);

  g_server.store(&server);
  std::signal(SIGTERM, OnTerminate);
  std::signal(SIGINT, OnTerminate);
  std::signal(SIGHUP, OnHangUp);
  std::signal(SIGPIPE, SIG_IGN);
  Housekeeper housekeeper(terminal, options, **store, service, metrics, server);
  housekeeper.Start(tls, access_log.get(), audit_log.get());
  const std::string shown_host = config->host == "0.0.0.0" || config->host == "::" ? "localhost"
                                 : config->host.find(':') == std::string::npos ? config->host
                                                                               : "[" + config->host + "]";
  PrintAddresses(std::string(tls != nullptr ? "https" : "http") + "://" + shown_host + ":" + std::to_string(server.port()),
                 *catalog->catalog);
  const Status status = server.Run();
  housekeeper.Stop();
  g_server.store(nullptr);
  if (!status.ok()) return PrintError(terminal, "serve", status.error());
  if (housekeeper.store_lost()) return PrintError(terminal, "serve", MakeError(ErrorCode::kUnavailable, "store-needs-reopen",
                                                                               "the store's head could not be written", options.store,
                                                                               "see that the disk has room, then start again"));
  Log(terminal, "info", "stopped");
  return kSuccess;
}

}  // namespace tablecast::cli
