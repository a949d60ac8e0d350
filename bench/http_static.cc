// What our connection layer costs: a static 300-byte JSON route (and one of 40 KB) served by our server, by
// tuned cpp-httplib alone and by libmicrohttpd (epoll, 2 threads), each driven by wrk in interleaved
// rounds on this machine. Prints requests/s and the server process's CPU per request.
//
//   build/release/bin/http_static [ROUNDS] [SECONDS]        # needs wrk in PATH
#include <arpa/inet.h>
#include <httplib.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "bench/http_driver.h"
#include "odata/http_server.h"

namespace {

using namespace tablecast::bench;

const std::string& Body(bool large) {
  static const std::string small_body = "{\"value\":\"" + std::string(288, 'x') + "\"}";
  static const std::string large_body = "{\"value\":\"" + std::string(40'000, 'x') + "\"}";
  return large ? large_body : small_body;
}

void ServeOurs(int port, bool on_loop) {
  tablecast::HttpServerHooks hooks;
  hooks.handler = [](const tablecast::HttpRequest& request) {
    tablecast::HttpResponse response;
    response.headers = {{"Content-Type", "application/json"}, {"OData-Version", "4.0"}};
    response.body = Body(request.target == "/large");
    return response;
  };
  if (on_loop) hooks.is_cheap = [](const tablecast::HttpRequest&) { return true; };
  tablecast::HttpServerOptions options;
  options.loop_threads = 2;
  tablecast::HttpServer server(std::move(hooks), options);
  if (server.Bind("127.0.0.1", port).ok()) (void)server.Run();
}

void ServeHttplib(int port) {
  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(64); };
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(1'000'000);
  const auto answer = [](const httplib::Request& request, httplib::Response& response) {
    response.set_header("OData-Version", "4.0");
    response.set_content(Body(request.path == "/large"), "application/json");
  };
  server.Get(".*", answer);
  server.listen("127.0.0.1", port);
}

MHD_Result AnswerMicrohttpd(void*, MHD_Connection* connection, const char* url, const char*, const char*, const char*,
                            size_t*, void** state) {
  if (*state == nullptr) {  // the head only; answering already here would end the connection
    static int seen = 0;
    *state = &seen;
    return MHD_YES;
  }
  const std::string& body = Body(std::strcmp(url, "/large") == 0);
  MHD_Response* response = MHD_create_response_from_buffer(body.size(), const_cast<char*>(body.data()), MHD_RESPMEM_PERSISTENT);
  MHD_add_response_header(response, "Content-Type", "application/json");
  MHD_add_response_header(response, "OData-Version", "4.0");
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

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  const int seconds = argc > 2 ? std::atoi(argv[2]) : 2;
  const std::vector<std::pair<std::string, void (*)(int)>> servers = {
      {"microhttpd", &ServeMicrohttpd},
      {"httplib", &ServeHttplib},
      {"ours, loop", [](int port) { ServeOurs(port, true); }},
      {"ours, workers", [](int port) { ServeOurs(port, false); }}};
  struct Case {
    const char* name;
    const char* path;
    int connections;
  };
  const std::vector<Case> cases = {{"300 B, c=16", "/small", 16}, {"300 B, c=64", "/small", 64}, {"40 KB, c=16", "/large", 16}};
  std::map<std::string, std::map<std::string, Figures>> results;
  for (int round = 0; round < rounds; ++round) {
    for (const auto& [name, serve] : servers) {
      const int port = FreePort();
      const pid_t pid = ::fork();
      if (pid == 0) {
        serve(port);
        std::_Exit(1);
      }
      while (!Connects(port) && ::waitpid(pid, nullptr, WNOHANG) == 0) std::this_thread::yield();
      for (const Case& each : cases) Measure(pid, port, each.path, each.connections, seconds, results[each.name][name]);
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
  for (const Case& each : cases) {
    const double reference = Median(results[each.name]["microhttpd"].per_second);
    for (const auto& [name, serve] : servers) {
      const Figures& figures = results[each.name][name];
      const auto [least, most] = std::minmax_element(figures.per_second.begin(), figures.per_second.end());
      std::printf("%-12s %-14s %9.0f/s (%.0f..%.0f)  %.2f x microhttpd  cpu %.1f us/request\n", each.name, name.c_str(),
                  Median(figures.per_second), *least, *most, Median(figures.per_second) / reference, Median(figures.cpu));
    }
  }
}
