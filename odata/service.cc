#include "odata/service.h"

#include <algorithm>
#include <exception>

#include "odata/http_error.h"
#include "odata/request_handler.h"

namespace tablecast {

namespace {

// Preflight and simple CORS, off unless origins are configured (spec odata.md 6.1).
void AddCors(const ServiceOptions& options, const HttpRequest& request, HttpResponse& response) {
  const std::string_view origin = request.headers.Get("Origin");
  if (origin.empty() || options.cors_origins.empty()) return;
  const bool any = std::find(options.cors_origins.begin(), options.cors_origins.end(), "*") != options.cors_origins.end();
  if (!any && std::find(options.cors_origins.begin(), options.cors_origins.end(), origin) == options.cors_origins.end()) {
    return;
  }
  response.headers.Set("Access-Control-Allow-Origin", any ? "*" : origin);
  response.headers.Set("Access-Control-Expose-Headers",
                       "ETag, Location, OData-EntityId, OData-Version, Preference-Applied, Retry-After, X-Request-Id");
  response.headers.Add("Vary", "Origin");
}

HttpResponse Preflight() {
  HttpResponse response;
  response.status = 204;
  response.headers.Set("Allow", "GET, HEAD, POST, PATCH, PUT, DELETE, OPTIONS");
  response.headers.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PATCH, PUT, DELETE");
  response.headers.Set("Access-Control-Allow-Headers",
                       "Accept, Authorization, Content-Type, If-Match, If-None-Match, OData-MaxVersion, OData-Version, "
                       "Prefer, X-API-Key, X-CSRF-Token, X-HTTP-Method");
  response.headers.Set("Access-Control-Max-Age", "600");
  response.route = "options";
  return response;
}

bool UnderServicePath(const ServiceOptions& options, std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  return path.starts_with(options.service_path) &&
         (path.size() == options.service_path.size() || path[options.service_path.size()] == '/');
}

// Tools look for the OpenAPI document beside the service or at the top of the host.
bool IsOpenApi(const ServiceOptions& options, std::string_view target) {
  std::string_view path = target.substr(0, target.find('?'));
  if (path.starts_with(options.service_path)) path.remove_prefix(options.service_path.size());
  return path == "/openapi.json";
}

}  // namespace

Service::Service(ItemStore& store, ServiceOptions options)
    : store_(store),
      options_(std::move(options)),
      signer_(options_.token_secret.empty() ? RandomSecret() : options_.token_secret) {}

Service::~Service() = default;

void Service::SetCatalog(std::shared_ptr<const Catalog> catalog) {
  const std::lock_guard<std::mutex> lock(mutex_);
  catalog_ = std::move(catalog);
}

std::shared_ptr<const Catalog> Service::catalog() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return catalog_;
}

HttpResponse Service::Handle(const HttpRequest& request) const {
  HttpResponse response;
  // Third-party code may throw (out of memory); nothing may leave this function.
  try {
    const std::shared_ptr<const Catalog> current = catalog();
    if (current == nullptr) {
      response = ErrorResponse(MakeError(ErrorCode::kUnavailable, "catalog-loading", "the catalog is being loaded"),
                               ODataVersion::k40, request.request_id);
    } else if (request.principal == nullptr) {
      response = ErrorResponse(MakeError(ErrorCode::kUnauthenticated, "unauthenticated", "this service asks who you are"),
                               ODataVersion::k40, request.request_id);
    } else if (request.method == "OPTIONS") {
      response = Preflight();
    } else if (IsOpenApi(options_, request.target)) {
      response = RequestHandler(*this, store_, signer_, current, request).OpenApi();
    } else {
      const bool inside = UnderServicePath(options_, request.target);
      const bool reading = request.method == "GET" || request.method == "HEAD";
      if (options_.page && (!inside || (reading && PrefersHtml(request.headers)))) {
        response = options_.page(request, *current);
        if (response.status != 0) {
          AddCors(options_, request, response);
          return response;
        }
      }
      if (!inside) {
        response = ErrorResponse(MakeError(ErrorCode::kNotFound, "resource-not-found",
                                           "the service lives at " + options_.service_path + "/"),
                                 ODataVersion::k40, request.request_id);
      } else {
        response = RequestHandler(*this, store_, signer_, current, request).Handle();
      }
    }
  } catch (const std::bad_alloc&) {
    response = ErrorResponse(MakeError(ErrorCode::kUnavailable, "out-of-memory", "the server is out of memory"),
                             ODataVersion::k40, request.request_id);
  } catch (const std::exception& error) {
    response = ErrorResponse(MakeError(ErrorCode::kInternal, "exception", error.what()), ODataVersion::k40,
                             request.request_id);
  }
  AddCors(options_, request, response);
  return response;
}

Result<PlanReport> Service::Plan(const HttpRequest& request, bool analyze) const {
  return RequestHandler(*this, store_, signer_, catalog(), request).Plan(analyze);
}

bool Service::IsCheap(const HttpRequest& request) const {
  if (request.method != "GET" && request.method != "HEAD") return false;
  const std::string_view target = request.target;
  // A whole page or a scan belongs to a worker; a key, a count or metadata is a few microseconds.
  return target.find('?') == std::string_view::npos && target.find('(') != std::string_view::npos;
}

}  // namespace tablecast
