#ifndef TABLECAST_ODATA_HTTP_SERVER_H_
#define TABLECAST_ODATA_HTTP_SERVER_H_

// Serves an HttpHandler over HTTP/1.1 (and 1.0) on one listening socket, with every limit of
// http_limits.h enforced before a handler sees a request.
//
// One event loop a core owns the connections: it reads heads and bodies, parks idle connections
// without a thread and answers cheap requests itself; everything else goes to a pool of workers. No
// thread ever waits for a client. cpp-httplib parses and writes the messages (http_engine.h).
//
//   HttpServer server({.handler = handler, .is_cheap = cheap}, options);
//   TABLECAST_RETURN_IF_ERROR(server.Bind("127.0.0.1", 0));
//   std::thread run([&] { server.Run(); });    // until RequestDrain() or RequestStop()

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "odata/http_limits.h"
#include "odata/http_message.h"

namespace tablecast {

class Authenticator;   // odata/auth.h
class TlsContext;      // odata/tls.h
class TrustedProxies;  // odata/trusted_proxies.h

// What is known of a request when its response has been sent or cut off; for metrics and logs.
// `target` holds no credentials.
struct RequestRecord {
  std::string request_id;
  std::string remote_address;
  std::string principal;  // empty when none
  std::string method;
  std::string target;
  std::string route;      // HttpResponse::route; "error" for refusals of this layer
  std::string user_agent;
  int status = 0;
  std::uint64_t response_bytes = 0;
  std::chrono::nanoseconds duration{0};  // from the complete head to the last byte
  bool complete = true;                  // false: the response was cut off
  Timestamp received;
};

struct HttpServerHooks {
  HttpHandler handler{};
  // Whether the handler answers this request without waiting and within microseconds; such requests
  // are answered on the event loop. Optional: nothing is cheap.
  std::function<bool(const HttpRequest&)> is_cheap{};
  // Optional; without it every request has Principal::Unrestricted().
  std::shared_ptr<Authenticator> authenticator{};
  // Optional. THREAD: called from loops and workers at once.
  std::function<void(const RequestRecord&)> on_finished{};
};

struct SecurityHeaders {
  bool hsts = false;  // Strict-Transport-Security on https answers
  std::chrono::seconds hsts_max_age{31'536'000};
};

struct HttpServerOptions {
  HttpLimits limits{};
  std::size_t loop_threads = 0;    // 0: one per core, at most 8
  std::size_t worker_threads = 0;  // 0: four per core, 8 to 64
  std::shared_ptr<TlsContext> tls{};  // null: plain HTTP
  std::shared_ptr<const TrustedProxies> trusted_proxies{};  // null: none
  SecurityHeaders security_headers{};
  // Origins ("https://app.example.com") whose pages may call; "*" for any. Empty: no CORS headers.
  // Preflight requests of these origins are answered before authentication, as browsers need.
  std::set<std::string, std::less<>> cors_origins{};
  // Paths that are served without authentication.
  std::set<std::string, std::less<>> public_paths = {"/healthz", "/readyz"};
};

class HttpServer {
 public:
  HttpServer(HttpServerHooks hooks, HttpServerOptions options);
  // Stops and waits for the threads.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Listens on that address; port 0 lets the system choose. Raises the soft descriptor limit as far
  // as max_connections needs, and lowers max_connections to what the hard limit allows.
  // ERRORS: those of ListenTcp.
  Status Bind(const std::string& host, int port);
  int port() const;  // after Bind
  // Limits in force after Bind, and what had to be lowered (for the log).
  const HttpLimits& limits() const;
  const std::vector<std::string>& warnings() const;

  // Serves until a drain ends or RequestStop(); blocks.
  Status Run();

  // Stops accepting, lets requests in flight end (at most drain_timeout), closes idle connections;
  // then Run() returns. May be called from a signal handler and from any thread.
  void RequestDrain();
  // As RequestDrain, without patience for clients; handlers that run are still waited for.
  void RequestStop();
  bool draining() const;

  struct Load {
    std::size_t connections = 0;
    std::size_t queued_requests = 0;
    std::size_t buffered_bytes = 0;
  };
  Load load() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_HTTP_SERVER_H_
