// Requests to a served store over HTTP, beside static bodies of the same size from the same server, from tuned
// cpp-httplib and from libmicrohttpd, and beside hand-written SQLite in the same server: interleaved rounds of wrk in one
// run. Answers of SQLite and of the store are compared first. Prints medians, ratios with their range, and server CPU.
//
//   build/release/bin/http_served STORE CATALOG [ROUNDS] [SECONDS]     # needs wrk in PATH; store as for read_bench
#include <httplib.h>
#include <microhttpd.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <thread>

#include "bench/http_driver.h"
#include "connector/catalog.h"
#include "connector/query_engine.h"
#include "odata/http_server.h"
#include "odata/service.h"
#include "store/lmdb_item_store.h"

namespace {

using namespace tablecast;
using namespace tablecast::bench;

const char* const kColumns[] = {"ExternalId", "CUSTOMER", "ORDERDATE", "STATUS", "TOTAL"};

std::string Static(std::size_t bytes) { return "{\"value\":\"" + std::string(bytes > 12 ? bytes - 12 : 0, 'x') + "\"}"; }

// The orders in SQLite with the index that the catalog declares, and the one request of the table below by hand.
class SqliteOrders {
 public:
  explicit SqliteOrders(const QueryEngine& engine, const ExternalObject& orders) {
    sqlite3_open(":memory:", &db_);
    Run("create table orders(id text primary key, customer text, orderdate text, status text, total text)");
    Run("begin");
    sqlite3_stmt* insert = Prepare("insert into orders values(?,?,?,?,?)");
    ObjectQuery query;
    query.object = &orders;
    query.select.emplace();
    for (const char* name : kColumns) query.select->push_back(orders.IndexOf(*orders.FindField(name)));
    const auto filled = engine.ForEach(query, [&](const ResultPage&, const Record& record) {
      for (int i = 0; i < 5; ++i) {
        const std::string text = record.values[static_cast<std::size_t>(i)].ToText();
        sqlite3_bind_text(insert, i + 1, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
      }
      sqlite3_step(insert);
      sqlite3_reset(insert);
      return true;
    });
    if (!filled.ok()) std::fprintf(stderr, "%s\n", filled.error().ToString().c_str());
    sqlite3_finalize(insert);
    Run("commit");
    Run("create index history on orders(customer, orderdate desc)");
    select_ = Prepare("select id,customer,orderdate,status,total from orders where customer=? order by orderdate desc limit 26");
  }

  std::string History(const std::string& customer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    sqlite3_bind_text(select_, 1, customer.data(), static_cast<int>(customer.size()), SQLITE_STATIC);
    std::string out = "{\"value\":[";
    bool first = true;
    while (sqlite3_step(select_) == SQLITE_ROW) {
      out += first ? "{" : ",{";
      first = false;
      for (int i = 0; i < 5; ++i) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(select_, i));
        const bool number = i == 4;
        out += std::string(i == 0 ? "" : ",") + "\"" + kColumns[i] + "\":" + (number ? "" : "\"") + text + (number ? "" : "\"");
      }
      out += '}';
    }
    sqlite3_reset(select_);
    return out + "]}";
  }

 private:
  void Run(const char* sql) { sqlite3_exec(db_, sql, nullptr, nullptr, nullptr); }
  sqlite3_stmt* Prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) != SQLITE_OK) std::fprintf(stderr, "%s\n", sqlite3_errmsg(db_));
    return statement;
  }
  sqlite3* db_ = nullptr;
  sqlite3_stmt* select_ = nullptr;
  std::mutex mutex_;
};

// What the served process holds. Opened after the fork: LMDB environments do not survive one.
struct Served {
  std::unique_ptr<LmdbItemStore> store;
  std::shared_ptr<const Catalog> catalog;
  std::unique_ptr<Service> service;

  Served(const char* store_path, const char* catalog_path) {
    auto opened = LmdbItemStore::Open(store_path, {});
    if (!opened.ok()) Die(opened.error());
    store = *std::move(opened);
    const auto files = ReadCatalogFolder(catalog_path);
    if (!files.ok()) Die(files.error());
    catalog = LoadCatalog(*files, store.get(), {}).catalog;
    if (catalog == nullptr) std::exit(1);
    if (auto installed = InstallMaintainers(*catalog, *store); !installed.ok()) Die(installed.error());
    for (const std::string& table : catalog->Tables()) {
      if (auto built = store->BuildIndexes(table, [](std::uint64_t, std::uint64_t) { return true; }); !built.ok()) Die(built.error());
    }
    service = std::make_unique<Service>(*store, ServiceOptions{});
    service->SetCatalog(catalog);
  }
  [[noreturn]] static void Die(const Error& error) {
    std::fprintf(stderr, "%s\n", error.ToString().c_str());
    std::exit(1);
  }
  HttpResponse Get(const std::string& target) const {
    HttpRequest request;
    request.method = "GET";
    request.target = target;
    request.authority = "localhost";
    request.principal = Principal::Unrestricted();
    return service->Handle(request);
  }
};

const std::string kHistory =
    "/odata/Orders?$filter=CUSTOMER%20eq%20'C-7'&$orderby=ORDERDATE%20desc&$top=26&$select=ExternalId,CUSTOMER,ORDERDATE,STATUS,TOTAL";

void ServeOurs(int port, const char* store, const char* catalog) {
  Served served(store, catalog);
  SqliteOrders sqlite(QueryEngine(*served.store, served.catalog, Timestamp{}), *served.catalog->Find("Orders"));
  HttpServerHooks hooks;
  hooks.handler = [&](const HttpRequest& request) {
    if (request.target.starts_with("/odata")) return served.service->Handle(request);
    HttpResponse response;
    response.headers = {{"Content-Type", "application/json"}, {"OData-Version", "4.0"}};
    response.body = request.target.starts_with("/sqlite/") ? sqlite.History(request.target.substr(8))
                                                           : Static(std::strtoul(request.target.c_str() + 8, nullptr, 10));
    return response;
  };
  hooks.is_cheap = [&](const HttpRequest& request) {
    return request.target.starts_with("/static/") || served.service->IsCheap(request);
  };
  HttpServerOptions options;
  options.loop_threads = 2;
  HttpServer server(std::move(hooks), options);
  if (server.Bind("127.0.0.1", port).ok()) (void)server.Run();
}

void ServeHttplib(int port) {
  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(64); };
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(1'000'000);
  server.Get(".*", [](const httplib::Request& request, httplib::Response& response) {
    response.set_header("OData-Version", "4.0");
    response.set_content(Static(std::strtoul(request.path.c_str() + 8, nullptr, 10)), "application/json");
  });
  server.listen("127.0.0.1", port);
}

MHD_Result AnswerMicrohttpd(void*, MHD_Connection* connection, const char* url, const char*, const char*, const char*,
                            size_t*, void** state) {
  if (*state == nullptr) {
    static int seen = 0;
    *state = &seen;
    return MHD_YES;
  }
  const std::string body = Static(std::strtoul(url + 8, nullptr, 10));
  MHD_Response* response =
      MHD_create_response_from_buffer(body.size(), const_cast<char*>(body.data()), MHD_RESPMEM_MUST_COPY);
  MHD_add_response_header(response, "Content-Type", "application/json");
  const MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
  MHD_destroy_response(response);
  return result;
}

void ServeMicrohttpd(int port) {
  if (MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, static_cast<std::uint16_t>(port), nullptr, nullptr, &AnswerMicrohttpd,
                       nullptr, MHD_OPTION_THREAD_POOL_SIZE, 2U, MHD_OPTION_END) != nullptr) {
    for (;;) ::pause();
  }
}

struct Case {
  std::string name;
  int server;  // 0 ours, 1 cpp-httplib, 2 libmicrohttpd
  std::string path;
  std::string header;
  std::string against;  // the case that it is a ratio to
  Figures figures = {};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: http_served STORE CATALOG [ROUNDS] [SECONDS]\n");
    return 2;
  }
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  const int seconds = argc > 4 ? std::atoi(argv[4]) : 2;
  const std::string page = "/odata/Orders";
  std::string page_bytes, history_bytes, key;
  {
    const Served served(argv[1], argv[2]);
    page_bytes = std::to_string(served.Get(page).body.size());
    history_bytes = std::to_string(served.Get(kHistory).body.size());
    // Equal answers first: the rows of both, column by column.
    SqliteOrders sqlite(QueryEngine(*served.store, served.catalog, Timestamp{}), *served.catalog->Find("Orders"));
    const std::string ours = served.Get(kHistory).body;
    const std::string theirs = sqlite.History("C-7");
    for (std::size_t at = theirs.find("\"ExternalId\":"); at != std::string::npos; at = theirs.find("\"ExternalId\":", at + 1)) {
      const std::string row = theirs.substr(at, theirs.find('}', at) - at);
      if (ours.find(row) == std::string::npos) {
        std::fprintf(stderr, "the answers differ: %s\n%s\n", row.c_str(), ours.substr(0, 600).c_str());
        return 1;
      }
    }
    const std::string first = served.Get("/odata/Orders?$top=1&$select=ExternalId").body;
    const std::size_t at = first.find("\"ExternalId\":\"") + 14;
    key = first.substr(at, first.find('"', at) - at);
  }
  std::vector<Case> cases = {
      {"static 300 bytes, libmicrohttpd", 2, "/static/300", "", ""},
      {"static 300 bytes, cpp-httplib", 1, "/static/300", "", "static 300 bytes, libmicrohttpd"},
      {"static 300 bytes, ours", 0, "/static/300", "", "static 300 bytes, libmicrohttpd"},
      {"record by external ID", 0, "/odata/Orders('" + key + "')", "", "static 300 bytes, ours"},
      {"record by external ID against cpp-httplib", 0, "/odata/Orders('" + key + "')", "", "static 300 bytes, cpp-httplib"},
      {"static body of the page's size, ours", 0, "/static/" + page_bytes, "", ""},
      {"page of 200 orders, all columns", 0, page, "", "static body of the page's size, ours"},
      {"the same, gzip, deflate, br accepted", 0, page, "Accept-Encoding: gzip, deflate, br", "page of 200 orders, all columns"},
      {"order history by SQLite in our server", 0, "/sqlite/C-7", "", ""},
      {"order history by the declared index", 0, kHistory, "", "order history by SQLite in our server"},
  };
  for (int round = 0; round < rounds; ++round) {
    for (int server = 0; server < 3; ++server) {
      const int port = FreePort();
      const pid_t pid = ::fork();
      if (pid == 0) {
        if (server == 0) ServeOurs(port, argv[1], argv[2]);
        if (server == 1) ServeHttplib(port);
        if (server == 2) ServeMicrohttpd(port);
        std::_Exit(1);
      }
      while (!Connects(port) && ::waitpid(pid, nullptr, WNOHANG) == 0) std::this_thread::yield();
      for (Case& each : cases) {
        if (each.server == server) Measure(pid, port, each.path, 16, seconds, each.figures, each.header);
      }
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
  std::printf("page: %s bytes, history: %s bytes\n", page_bytes.c_str(), history_bytes.c_str());
  std::printf("| what | requests/s | ratio (median, min..max) | to | server CPU us |\n|---|--:|--:|---|--:|\n");
  for (const Case& each : cases) {
    std::string ratio = "- |";
    for (const Case& base : cases) {
      if (base.name != each.against) continue;
      std::vector<double> ratios;
      for (std::size_t r = 0; r < each.figures.per_second.size() && r < base.figures.per_second.size(); ++r) {
        ratios.push_back(each.figures.per_second[r] / base.figures.per_second[r]);
      }
      if (ratios.empty()) continue;
      char text[64];
      std::snprintf(text, sizeof text, "%.2f (%.2f..%.2f) |", Median(ratios), *std::min_element(ratios.begin(), ratios.end()),
                    *std::max_element(ratios.begin(), ratios.end()));
      ratio = text;
    }
    std::printf("| %s | %.0f | %s %s | %.1f |\n", each.name.c_str(), Median(each.figures.per_second), ratio.c_str(),
                each.against.empty() ? "" : each.against.c_str(), Median(each.figures.cpu));
  }
}
