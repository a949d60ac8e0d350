#include "odata/operations.h"

#include <utility>

namespace tablecast {
namespace {

std::string_view PathOf(const HttpRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

HttpResponse Text(int status, std::string body, std::string_view type = "text/plain; charset=utf-8") {
  HttpResponse response;
  response.status = status;
  response.headers = {{"Content-Type", std::string(type)}, {"Cache-Control", "no-store"}};
  response.body = std::move(body);
  return response;
}

HttpResponse Answer(const OperationsHooks& hooks, std::string_view path, const HttpRequest& request) {
  if (path == "/healthz") return Text(200, "ok\n");
  if (path == "/readyz") {
    const std::string reason = hooks.not_ready_because ? hooks.not_ready_because() : std::string();
    if (reason.empty()) return Text(200, "ready\n");
    HttpResponse response = Text(503, "not ready: " + reason + "\n");
    response.headers.Add("Retry-After", "1");
    return response;
  }
  if (request.principal == nullptr || !request.principal->may_explain) {
    return MakeHttpError(403, "forbidden", "Reading metrics needs the right to explain");
  }
  if (!hooks.metrics) return MakeHttpError(404, "not-found", "There are no metrics");
  return Text(200, hooks.metrics(), "text/plain; version=0.0.4; charset=utf-8");
}

}  // namespace

bool IsOperationsRequest(const HttpRequest& request) {
  const std::string_view path = PathOf(request);
  return path == "/healthz" || path == "/readyz" || path == "/metrics";
}

HttpHandler WithOperations(OperationsHooks hooks, HttpHandler next) {
  return [hooks = std::move(hooks), next = std::move(next)](const HttpRequest& request) {
    if (!IsOperationsRequest(request)) return next(request);
    HttpResponse response;
    if (request.method == "GET" || request.method == "HEAD") {
      response = Answer(hooks, PathOf(request), request);
    } else {
      response = MakeHttpError(405, "method-not-allowed", "Only GET and HEAD are served here");
      response.headers.Add("Allow", "GET, HEAD");
    }
    response.route = std::string(PathOf(request).substr(1));
    return response;
  };
}

}  // namespace tablecast
