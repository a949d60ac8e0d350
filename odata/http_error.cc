#include "odata/http_error.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_writer.h"

namespace tablecast {

namespace {

// Reasons whose status differs from the one of their code.
constexpr std::array<std::pair<std::string_view, int>, 18> kStatusByReason = {{
    {"method-not-allowed", 405},
    {"not-acceptable", 406},
    {"external-id-ambiguous", 409},
    {"key-exists", 409},
    {"unique-violated", 409},
    {"change-log-expired", 410},
    {"delta-token-expired", 410},
    {"etag-mismatch", 412},
    {"isolation-not-offered", 412},
    {"body-too-large", 413},
    {"url-too-long", 414},
    {"unsupported-media-type", 415},
    {"dependency-failed", 424},
    {"precondition-required", 428},
    {"too-many-requests", 429},
    {"item-too-large", 400},
    {"index-not-ready", 503},
    {"overloaded", 503},
}};

}  // namespace

int HttpStatusOf(const Error& error) {
  for (const auto& [reason, status] : kStatusByReason) {
    if (error.reason == reason) return status;
  }
  switch (error.code) {
    case ErrorCode::kInvalidArgument: return 400;
    case ErrorCode::kNotFound: return 404;
    case ErrorCode::kAlreadyExists: return 409;
    case ErrorCode::kFailedPrecondition: return 400;
    case ErrorCode::kAborted: return 409;
    case ErrorCode::kResourceExhausted: return 400;
    case ErrorCode::kDeadlineExceeded: return 503;
    case ErrorCode::kUnavailable: return 503;
    case ErrorCode::kPermissionDenied: return 403;
    case ErrorCode::kUnauthenticated: return 401;
    case ErrorCode::kUnimplemented: return 501;
    case ErrorCode::kDataLoss:
    case ErrorCode::kInternal: return 500;
  }
  return 500;
}

namespace {

// The part of the request at fault, for errors that name nothing smaller.
std::string_view PartAtFault(const Error& error) {
  for (const std::string_view prefix : {"json-", "payload-", "batch-", "reference-"}) {
    if (error.reason.starts_with(prefix)) return "body";
  }
  switch (HttpStatusOf(error)) {
    case 400: case 403: case 404: case 409: case 410: case 414: case 501: return "path";
    case 401: return "Authorization";
    case 405: return "method";
    case 411: return "Content-Length";
    case 412: case 428: return "If-Match";
    case 413: return "body";
    case 431: return "headers";
    default: return "";  // nothing about the request is wrong
  }
}

}  // namespace

std::string ErrorBody(const Error& error, std::string_view request_id) {
  const bool internal = error.code == ErrorCode::kInternal || error.code == ErrorCode::kDataLoss;
  std::string out;
  JsonWriter json(out);
  json.BeginObject().Key("error").BeginObject();
  json.Key("code").String(internal || error.reason.empty() ? "internal-error" : error.reason);
  if (internal) {
    json.Key("message").String("The server met a fault of its own; its log has it under this request id");
    json.Key("innererror").BeginObject().Key("requestId").String(request_id).EndObject();
    json.EndObject().EndObject();
    return out;
  }
  std::string message = error.message.empty() ? std::string("The request failed") : error.message;
  if (error.position.line != 0) {
    message += " (at position " + std::to_string(error.position.offset + 1) + ")";
  }
  if (!error.remedy.empty()) message += "; " + error.remedy;
  json.Key("message").String(message);
  // The target of "method-not-allowed" is what goes into Allow.
  const bool named = !error.target.empty() && error.reason != "method-not-allowed";
  const std::string_view target = named ? std::string_view(error.target) : PartAtFault(error);
  if (!target.empty()) json.Key("target").String(target);
  json.EndObject().EndObject();
  return out;
}

HttpResponse ErrorResponse(const Error& error, ODataVersion version, std::string_view request_id) {
  HttpResponse response;
  response.status = HttpStatusOf(error);
  response.headers.Set("Content-Type", "application/json");
  response.headers.Set("OData-Version", ODataVersionText(version));
  response.headers.Set("Content-Language", "en");
  response.headers.Set("Cache-Control", "no-store");
  if (response.status == 405) response.headers.Set("Allow", error.target);
  if (response.status == 503) response.headers.Set("Retry-After", "2");
  if (response.status == 429) response.headers.Set("Retry-After", "1");
  response.body = ErrorBody(error, request_id);
  response.route = "error";
  return response;
}

Error MethodNotAllowed(std::string_view method, std::string allow) {
  return MakeError(ErrorCode::kInvalidArgument, "method-not-allowed",
                   "the method " + std::string(method) + " is not offered here; offered are " + allow, allow);
}

Error NotAcceptable(std::string message) {
  return MakeError(ErrorCode::kInvalidArgument, "not-acceptable", std::move(message), "Accept");
}

Error UnsupportedMediaType(std::string message) {
  return MakeError(ErrorCode::kInvalidArgument, "unsupported-media-type", std::move(message), "Content-Type");
}

Error NotOffered(std::string what) {
  return MakeError(ErrorCode::kUnimplemented, "not-implemented", what + " is not offered by this service");
}

}  // namespace tablecast
