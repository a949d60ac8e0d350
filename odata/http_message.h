#ifndef TABLECAST_ODATA_HTTP_MESSAGE_H_
#define TABLECAST_ODATA_HTTP_MESSAGE_H_

// One HTTP request and one HTTP response as plain data: the seam between the network half of odata/
// (http_server.h) and everything that answers (service.h). No sockets and no library types here, so
// that tests and fuzzers call a handler directly.
//
//   HttpRequest request{.method = "GET", .target = "/odata/Order('1')?$select=id"};
//   request.principal = Principal::Unrestricted();
//   HttpResponse response = service.Handle(request);

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_time.h"
#include "base/lifetime.h"
#include "base/result.h"
#include "odata/principal.h"

namespace tablecast {

struct HttpHeader {
  std::string name;   // as sent; compare without regard to case
  std::string value;  // without leading and trailing blanks
};

// ASCII case-insensitive equality, the rule of header names.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

// Header lines in their order, repeated names kept.
class HttpHeaders {
 public:
  HttpHeaders() = default;
  HttpHeaders(std::initializer_list<HttpHeader> lines) : lines_(lines) {}

  void Add(std::string_view name, std::string_view value);
  void Reserve(std::size_t lines) { lines_.reserve(lines); }
  // Replaces every line of that name by one.
  void Set(std::string_view name, std::string_view value);
  void Remove(std::string_view name);
  // The first line of that name, or nullptr. BORROWS: until the headers change.
  const std::string* Find(std::string_view name) const TABLECAST_LIFETIME_BOUND;
  // The first value of that name, or "" when absent. BORROWS: as Find.
  std::string_view Get(std::string_view name) const TABLECAST_LIFETIME_BOUND;
  // Every value of that name joined by ", " (RFC 9110, 5.3).
  std::string Joined(std::string_view name) const;
  bool Has(std::string_view name) const { return Find(name) != nullptr; }

  const std::vector<HttpHeader>& lines() const { return lines_; }

 private:
  std::vector<HttpHeader> lines_;
};

struct HttpRequest {
  std::string method{};          // as sent, e.g. "GET", "MERGE"
  std::string target{};          // raw and undecoded, with the query, e.g. "/odata/A('%2F')?$top=1"
  HttpHeaders headers{};
  std::string body{};            // complete; already unchunked and inflated
  std::string remote_address{};  // the client's IP address, behind trusted proxies the forwarded one
  std::string scheme = "http";  // "http" or "https", as the client sees it
  std::string authority{};       // host[:port] as the client sees it; not to be trusted for links
                               // unless no public URL is configured
  std::shared_ptr<const Principal> principal{};  // nullptr: may do nothing
  std::string request_id{};      // safe to log and to echo
  // When the answer must be ready. Long work checks it and gives up with kDeadlineExceeded.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  Timestamp received{};          // "now" for everything this request computes
};

// Yields a large body piece by piece. Each call appends at least one byte to the (empty) `chunk`, or
// nothing; true = call again, false = that was the last. An error ends the connection without the
// closing chunk, so that the client sees a broken body rather than a short one.
// THREAD: called from one worker at a time, after the handler returned; never two calls at once.
using HttpBodyProducer = std::function<Result<bool>(std::string& chunk)>;

struct HttpResponse {
  int status = 200;
  HttpHeaders headers{};  // Content-Length, Date, Connection and security headers are the server's job
  std::string body{};
  // When set, `body` is sent first and then what the producer yields (chunked, bounded memory).
  HttpBodyProducer producer{};
  bool close = false;  // end the connection after this response
  // Which kind of resource answered, for metrics: one of a small fixed set such as "entity_set",
  // "metadata", "batch"; never text from the request.
  std::string route{};
};

using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

// {"error":{"code":...,"message":...}} with the OData headers: what the network layer answers when it
// refuses a request before any handler saw it.
HttpResponse MakeHttpError(int status, std::string_view code, std::string_view message);

// "Not Found" for 404; "Unknown" for a number without a phrase.
std::string_view HttpReasonPhrase(int status);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_HTTP_MESSAGE_H_
