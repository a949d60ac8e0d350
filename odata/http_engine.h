#ifndef TABLECAST_ODATA_HTTP_ENGINE_H_
#define TABLECAST_ODATA_HTTP_ENGINE_H_

// Lets cpp-httplib run one exchange without a socket: it parses the request line, routes by method to
// our handler and writes the response head. The connection layer above it has read, checked and
// bounded the message already, and keeps the true method, target and headers beside it.
//
// Why cpp-httplib 0.11.4 sees a canonical head instead of the client's: it percent-decodes header
// values (an ETag may hold %), answers 400 to MERGE and to a second '?', 414 above 8 KB, applies
// Range and form rules to bodies, and matches routes by a recursive std::regex over the path.
//
//   HttpEngine engine;                       // one per thread
//   WireResponse wire = engine.Run(exchange, [&] { return handler(exchange.request); });

#include <functional>
#include <memory>
#include <string>

#include "odata/http_message.h"

namespace tablecast {

// What is known of a request when its answer is written.
struct ExchangeInfo {
  std::string method = "GET";  // the client's
  int minor_version = 1;
  bool keep_alive = true;      // the client allows it and the server wishes it
  std::chrono::seconds idle_timeout{60};
};

// Bytes ready to send: the head, then `body`, then what `producer` yields.
struct WireResponse {
  int status = 200;
  std::string head;
  std::string body;           // already empty for HEAD
  HttpBodyProducer producer;  // already unset for HEAD
  bool chunked = false;       // frame `body` and the producer's pieces as chunks
  bool close = false;
  std::string route;
};

class HttpEngine {
 public:
  HttpEngine();
  ~HttpEngine();
  HttpEngine(const HttpEngine&) = delete;
  HttpEngine& operator=(const HttpEngine&) = delete;

  // Calls `answer` once, inside cpp-httplib's request processing, and returns what to send. An
  // exception from `answer` becomes 500 "internal"; so does a response header with CR, LF or NUL.
  // THREAD: one thread at a time.
  WireResponse Run(const ExchangeInfo& info, const std::function<HttpResponse()>& answer);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_HTTP_ENGINE_H_
