#ifndef TABLECAST_ODATA_HTTP_PIPELINE_H_
#define TABLECAST_ODATA_HTTP_PIPELINE_H_

// What happens to a request between its bytes and the handler, and to the answer on its way back:
// forwarded addresses, authentication, inflating, the handler itself, compression, security headers.
// Knows no socket; HttpServer calls it from its loops and workers.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "odata/http_compression.h"
#include "odata/http_connection.h"
#include "odata/http_engine.h"
#include "odata/http_server.h"

namespace tablecast {

// One request in flight and what has been decided about it.
struct PendingRequest {
  HttpRequest request;
  ExchangeInfo info;
  RequestCoding coding = RequestCoding::kIdentity;
  BodyLimit body_limit{};
  SteadyTime started;
  bool authenticated = false;
  bool counted = false;                    // in the principal's concurrent requests
  std::optional<HttpResponse> refusal;     // answer this instead of calling the handler
  RequestRecord record;
};

// Per-thread tools that are dear to make.
struct ThreadTools {
  HttpEngine engine;
  GzipCompressor gzip;
  std::string scratch = std::string(std::size_t{64} << 10U, '\0');
};

class HttpPipeline {
 public:
  // BORROWS: all arguments must outlive the pipeline.
  HttpPipeline(const HttpServerHooks& hooks, const HttpServerOptions& options, const HttpLimits& limits);
  ~HttpPipeline();

  // After the head: fills in `pending` from the connection and authenticates as far as that is
  // cheap. A refusal ends up in pending.refusal.
  void Admit(HttpConnection& connection, bool keep_alive, SteadyTime now, PendingRequest& pending);
  // A request whose head or body was refused by the connection.
  void AdmitRefused(const HttpConnection& connection, const HttpRefusal& refusal, SteadyTime now,
                    PendingRequest& pending);
  // Whether Answer() may run on an event loop.
  bool IsCheap(const PendingRequest& pending) const;
  // Counts the request for its principal, before it is queued. False: pending.refusal says 429.
  bool Enter(PendingRequest& pending);
  // Turns the request away with 503 and Retry-After, naming the limit.
  void Shed(PendingRequest& pending, std::string_view limit, std::size_t value) const;
  // Takes the body from `body`, calls the handler and dresses the response. Never throws.
  WireResponse Answer(PendingRequest& pending, std::string body, ThreadTools& tools);
  // The response has been sent, or not: reports to on_finished.
  void Finished(PendingRequest& pending, std::uint64_t bytes, bool complete, SteadyTime now);

 private:
  class PrincipalCounter;

  // Unique among the requests of this process, not guessable from outside.
  std::string NewRequestId();
  HttpResponse Handle(PendingRequest& pending, std::string body);
  // "" when the request's origin may not call from a page.
  std::string AllowedOrigin(const HttpRequest& request) const;
  bool IsPreflight(const HttpRequest& request) const;
  void Dress(const HttpRequest& request, HttpResponse& response, GzipCompressor& gzip) const;

  const HttpServerHooks& hooks_;
  const HttpServerOptions& options_;
  const HttpLimits& limits_;
  const std::shared_ptr<const Principal> unrestricted_;
  const std::uint64_t id_seed_;
  std::atomic<std::uint64_t> id_counter_{0};
  std::unique_ptr<PrincipalCounter> counter_;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_HTTP_PIPELINE_H_
