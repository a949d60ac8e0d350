#include "odata/http_pipeline.h"

#include <array>
#include <map>
#include <mutex>
#include <random>
#include <utility>

#include "odata/auth.h"
#include "odata/trusted_proxies.h"

namespace tablecast {
namespace {

constexpr std::size_t kMaxRequestIdBytes = 64;

std::uint64_t RandomSeed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

bool IsRequestId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxRequestIdBytes && IsHttpToken(text);
}

std::string_view PathOf(std::string_view target) { return target.substr(0, target.find('?')); }

HttpResponse ToResponse(const HttpRefusal& refusal) {
  HttpResponse response = MakeHttpError(refusal.status, refusal.code, refusal.message);
  if (refusal.status == 503 || refusal.status == 429) response.headers.Add("Retry-After", "1");
  if (refusal.status == 405) response.headers.Add("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  if (refusal.status == 415) response.headers.Add("Accept-Encoding", "gzip");
  response.close = true;
  return response;
}

}  // namespace

class HttpPipeline::PrincipalCounter {
 public:
  explicit PrincipalCounter(std::size_t most) : most_(most) {}

  bool Enter(const std::string& name) {
    const std::lock_guard lock(mutex_);
    std::size_t& count = counts_[name];
    if (most_ > 0 && count >= most_) return false;
    ++count;
    return true;
  }
  void Leave(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = counts_.find(name);
    if (found != counts_.end() && --found->second == 0) counts_.erase(found);
  }

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::map<std::string, std::size_t, std::less<>> counts_;
};

HttpPipeline::HttpPipeline(const HttpServerHooks& hooks, const HttpServerOptions& options, const HttpLimits& limits)
    : hooks_(hooks),
      options_(options),
      limits_(limits),
      unrestricted_(Principal::Unrestricted()),
      id_seed_(RandomSeed()),
      counter_(std::make_unique<PrincipalCounter>(limits.max_requests_per_principal)) {}

HttpPipeline::~HttpPipeline() = default;

std::string HttpPipeline::NewRequestId() {
  std::uint64_t value = id_seed_ + id_counter_.fetch_add(1, std::memory_order_relaxed) * 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;  // splitmix64, a bijection
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  value ^= value >> 31U;
  std::string id(16, '0');
  for (std::size_t i = 0; i < id.size(); ++i) id[i] = "0123456789abcdef"[(value >> (60 - 4 * i)) & 0xFU];
  return id;
}

void HttpPipeline::Admit(HttpConnection& connection, bool keep_alive, SteadyTime now, PendingRequest& pending) {
  RequestHead& head = connection.mutable_head();
  HttpRequest& request = pending.request;
  request.method = head.method;
  request.target = head.target;
  request.headers = std::move(head.headers);
  request.authority = head.authority;
  request.remote_address = connection.peer_address();
  request.scheme = options_.tls ? "https" : "http";
  request.received = CurrentTimestamp();
  request.deadline = now + limits_.request_timeout;
  const std::string_view given_id = request.headers.Get("X-Request-Id");
  request.request_id = IsRequestId(given_id) ? std::string(given_id) : NewRequestId();
  static const TrustedProxies kNoProxies;
  (options_.trusted_proxies ? *options_.trusted_proxies : kNoProxies).Apply(request);

  pending.info = {head.method, head.minor_version, keep_alive && head.keep_alive,
                  std::chrono::duration_cast<std::chrono::seconds>(limits_.idle_timeout)};
  pending.coding = head.coding;
  pending.body_limit = connection.body_limit();
  pending.started = now;
  if (IsPreflight(request)) {
    HttpResponse& allowed = pending.refusal.emplace();
    allowed.status = 204;
    allowed.route = "preflight";
    allowed.headers = {{"Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, MERGE, DELETE"},
                       {"Access-Control-Allow-Headers", request.headers.Joined("Access-Control-Request-Headers")},
                       {"Access-Control-Max-Age", "600"}};
  } else if (!hooks_.authenticator) {
    request.principal = unrestricted_;
    pending.authenticated = true;
  } else if (options_.public_paths.contains(PathOf(request.target))) {
    pending.authenticated = true;
  } else {
    AuthDecision decision = hooks_.authenticator->Authenticate(request, AuthEffort::kFast, now);
    pending.authenticated = decision.kind == AuthDecision::Kind::kGranted;
    if (pending.authenticated) request.principal = std::move(decision.principal);
    if (decision.kind == AuthDecision::Kind::kRefused) pending.refusal = std::move(decision.refusal);
  }
}

void HttpPipeline::AdmitRefused(const HttpConnection& connection, const HttpRefusal& refusal, SteadyTime now,
                                PendingRequest& pending) {
  HttpRequest& request = pending.request;
  if (request.method.empty()) {  // refused before Admit(): little is known
    pending.info.method = connection.head().method.empty() ? "GET" : connection.head().method;
    request.method = connection.head().method;
    request.target = PathOf(connection.head().target);  // the query might hold credentials
    request.remote_address = connection.peer_address();
    request.scheme = options_.tls ? "https" : "http";
    request.received = CurrentTimestamp();
    request.request_id = NewRequestId();
    pending.started = now;
  }
  pending.info.keep_alive = false;
  pending.refusal = ToResponse(refusal);
}

bool HttpPipeline::IsCheap(const PendingRequest& pending) const {
  if (pending.refusal) return true;
  return pending.authenticated && pending.coding == RequestCoding::kIdentity && hooks_.is_cheap &&
         hooks_.is_cheap(pending.request);
}

bool HttpPipeline::Enter(PendingRequest& pending) {
  if (!hooks_.authenticator || !pending.request.principal || pending.counted) return true;
  pending.counted = counter_->Enter(pending.request.principal->name);
  if (pending.counted) return true;
  pending.refusal = ToResponse({429, "too-many-requests",
                                "This caller already has maxRequestsPerPrincipal (" +
                                    std::to_string(limits_.max_requests_per_principal) + ") requests in progress"});
  pending.refusal->close = false;
  return false;
}

void HttpPipeline::Shed(PendingRequest& pending, std::string_view limit, std::size_t value) const {
  pending.refusal = ToResponse({503, "server-busy", "The server is busy: " + std::string(limit) + " (" +
                                                        std::to_string(value) + ") is reached; try later"});
  pending.refusal->close = false;
}

HttpResponse HttpPipeline::Handle(PendingRequest& pending, std::string body) {
  HttpRequest& request = pending.request;
  if (pending.refusal) return std::move(*pending.refusal);
  if (!pending.authenticated) {
    AuthDecision decision =
        hooks_.authenticator->Authenticate(request, AuthEffort::kFull, std::chrono::steady_clock::now());
    if (decision.kind != AuthDecision::Kind::kGranted) return std::move(decision.refusal);
    request.principal = std::move(decision.principal);
    if (!Enter(pending)) return std::move(*pending.refusal);
  }
  if (std::chrono::steady_clock::now() >= request.deadline) {
    Shed(pending, "requestTimeoutMs", static_cast<std::size_t>(limits_.request_timeout.count()));
    return std::move(*pending.refusal);
  }
  if (pending.coding == RequestCoding::kGzip && !body.empty()) {
    Result<std::string> inflated = InflateGzip(body, pending.body_limit.bytes);
    if (!inflated.ok()) {
      if (inflated.error().code == ErrorCode::kResourceExhausted) return ToResponse(BodyTooLarge(pending.body_limit));
      return MakeHttpError(400, inflated.error().reason, inflated.error().message);
    }
    body = std::move(*inflated);
    request.headers.Remove("Content-Encoding");
  }
  request.body = std::move(body);
  return hooks_.handler(request);
}

WireResponse HttpPipeline::Answer(PendingRequest& pending, std::string body, ThreadTools& tools) {
  WireResponse wire = tools.engine.Run(pending.info, [&] {
    HttpResponse response;
    try {
      response = Handle(pending, std::move(body));
    } catch (...) {  // so that the answer is dressed as any other; the text stays inside
      response = MakeHttpError(500, "internal", "The request could not be answered");
    }
    Dress(pending.request, response, tools.gzip);
    return response;
  });
  if (pending.counted) {
    counter_->Leave(pending.request.principal->name);
    pending.counted = false;
  }
  if (hooks_.on_finished) {
    RequestRecord& record = pending.record;
    record.request_id = pending.request.request_id;
    record.remote_address = pending.request.remote_address;
    if (pending.request.principal) record.principal = pending.request.principal->name;
    record.method = pending.request.method;
    record.target = pending.request.target;
    record.user_agent = pending.request.headers.Get("User-Agent");
    record.received = pending.request.received;
    record.status = wire.status;
    record.route = wire.route;
  }
  std::string().swap(pending.request.body);
  return wire;
}

std::string HttpPipeline::AllowedOrigin(const HttpRequest& request) const {
  if (options_.cors_origins.empty()) return {};
  const std::string_view origin = request.headers.Get("Origin");
  if (origin.empty()) return {};
  if (options_.cors_origins.contains(origin)) return std::string(origin);
  return options_.cors_origins.contains("*") ? "*" : "";
}

bool HttpPipeline::IsPreflight(const HttpRequest& request) const {
  return request.method == "OPTIONS" && request.headers.Has("Access-Control-Request-Method") &&
         !AllowedOrigin(request).empty();
}

void HttpPipeline::Dress(const HttpRequest& request, HttpResponse& response, GzipCompressor& gzip) const {
  HttpHeaders& headers = response.headers;
  headers.Reserve(headers.lines().size() + 8);
  headers.Set("X-Request-Id", request.request_id);
  // One place for the headers that protect browsers; a page that needs more brings its own policy.
  headers.Set("X-Content-Type-Options", "nosniff");
  if (!headers.Has("Content-Security-Policy")) {
    headers.Add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  }
  if (!headers.Has("Referrer-Policy")) headers.Add("Referrer-Policy", "no-referrer");
  if (options_.security_headers.hsts && request.scheme == "https") {
    headers.Set("Strict-Transport-Security",
                "max-age=" + std::to_string(options_.security_headers.hsts_max_age.count()));
  }
  if (!options_.cors_origins.empty()) {
    headers.Add("Vary", "Origin");
    if (const std::string origin = AllowedOrigin(request); !origin.empty()) {
      headers.Set("Access-Control-Allow-Origin", origin);
      headers.Set("Access-Control-Expose-Headers",
                  "ETag, Location, OData-EntityId, OData-Version, Preference-Applied, Retry-After, X-Request-Id");
    }
  }

  const bool large = response.producer || response.body.size() >= limits_.compression_threshold_bytes;
  if (!large || headers.Has("Content-Encoding") || !IsCompressibleType(headers.Get("Content-Type"))) return;
  headers.Add("Vary", "Accept-Encoding");
  if (!AcceptsGzip(request.headers.Joined("Accept-Encoding"))) return;
  headers.Set("Content-Encoding", "gzip");
  if (!response.producer) {
    std::string compressed;
    compressed.reserve(response.body.size() / 4);
    gzip.Begin();
    gzip.Append(response.body, true, compressed);
    response.body = std::move(compressed);
    return;
  }
  // A stream keeps its compressor for as long as it lasts; the thread's own serves others meanwhile.
  auto stream = std::make_shared<GzipCompressor>();
  std::string first;
  if (!response.body.empty()) stream->Append(response.body, false, first);
  response.body = std::move(first);
  response.producer = [stream, inner = std::move(response.producer)](std::string& chunk) -> Result<bool> {
    std::string plain;
    Result<bool> more = inner(plain);
    if (!more.ok()) return more;
    if (!plain.empty() || !*more) stream->Append(plain, !*more, chunk);
    return more;
  };
}

void HttpPipeline::Finished(PendingRequest& pending, std::uint64_t bytes, bool complete, SteadyTime now) {
  if (!hooks_.on_finished) return;
  pending.record.response_bytes = bytes;
  pending.record.complete = complete;
  pending.record.duration = now - pending.started;
  try {
    hooks_.on_finished(pending.record);
  } catch (...) {  // a full disk under the log must not end the service
  }
}

}  // namespace tablecast
