#include "odata/web_page.h"

#include <algorithm>

#include "odata/http_error.h"
#include "odata/web_api.h"
#include "odata/web_files.h"

namespace tablecast {

namespace {

constexpr std::string_view kServicePath = "/odata";
constexpr std::string_view kApiPath = "/web/api/";
constexpr std::string_view kVersionMark = "{{version}}";
// Nothing but our own files, no inline script or style, no frames, no foreign forms.
constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

HttpResponse NotMine() {
  HttpResponse response;
  response.status = 0;
  return response;
}

const WebFile* FindFile(std::string_view name) {
  const auto files = WebFiles();
  const auto found = std::find_if(files.begin(), files.end(), [&](const WebFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

HttpResponse Shell() {
  const WebFile* file = FindFile("index.html");
  TABLECAST_CHECK(file != nullptr);
  HttpResponse response;
  std::string_view rest = file->bytes;
  for (std::size_t at = rest.find(kVersionMark); at != std::string_view::npos; at = rest.find(kVersionMark)) {
    response.body += rest.substr(0, at);
    response.body += WebVersion();
    rest.remove_prefix(at + kVersionMark.size());
  }
  response.body += rest;
  response.headers.Set("Content-Type", file->media_type);
  response.headers.Set("Content-Security-Policy", kContentSecurityPolicy);
  response.headers.Set("Cross-Origin-Opener-Policy", "same-origin");
  response.headers.Set("Cache-Control", "no-cache");
  response.headers.Set("Vary", "Accept");  // the same address is data for everybody else
  response.route = "page";
  return response;
}

HttpResponse StaticFile(const HttpRequest& request, std::string_view version, std::string_view name) {
  const WebFile* file = name == "index.html" ? nullptr : FindFile(name);
  if (file == nullptr) return NotMine();
  HttpResponse response;
  const std::string etag = "\"" + std::string(file->etag) + "\"";
  response.headers.Set("ETag", etag);
  response.headers.Set("Cache-Control",
                       version == WebVersion() ? "public, max-age=31536000, immutable" : "no-cache");
  response.headers.Set("Content-Security-Policy", kContentSecurityPolicy);
  response.headers.Set("Cross-Origin-Resource-Policy", "same-origin");
  response.route = "page_file";
  if (request.headers.Get("If-None-Match").find(etag) != std::string_view::npos) {
    response.status = 304;
    return response;
  }
  response.headers.Set("Content-Type", file->media_type);
  response.body = file->bytes;
  return response;
}

// True when somebody who typed or followed this OData address in a browser wants the page and not the data.
bool IsPageAddress(std::string_view path, std::string_view query) {
  for (const std::string_view end : {"/$value", "/$count", "/$batch"}) {
    if (path.ends_with(end)) return false;
  }
  // $format names data, also without its dollar, encoded, and in any case.
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    std::string_view name = query.substr(0, std::min(end, query.find('=')));
    if (name.starts_with("%24")) name.remove_prefix(3);
    if (name.starts_with("$")) name.remove_prefix(1);
    if (EqualsIgnoreCase(name, "format")) return false;
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
  }
  return true;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Our script encodes with encodeURIComponent: %XX, no plus for a blank.
std::string DecodeParameter(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 && HexDigit(text[i + 2]) >= 0) {
      out += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> DecodeQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> out;
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    const std::size_t equals = pair.find('=');
    out.emplace_back(DecodeParameter(pair.substr(0, equals)),
                     equals == std::string_view::npos ? "" : DecodeParameter(pair.substr(equals + 1)));
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
  }
  return out;
}

HttpResponse Json(Result<std::string> body, const HttpRequest& request) {
  if (!body.ok()) return ErrorResponse(body.error(), ODataVersion::k40, request.request_id);
  HttpResponse response;
  response.headers.Set("Content-Type", "application/json");
  response.headers.Set("Cache-Control", "no-store");
  response.body = *std::move(body);
  response.route = "page_api";
  return response;
}

// A page of another site can send a form to us but no JSON; browsers also say where a request comes from.
Status CheckOrigin(const HttpRequest& request) {
  std::string type(request.headers.Get("Content-Type"));
  type = type.substr(0, type.find(';'));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  if (!EqualsIgnoreCase(type, "application/json")) return UnsupportedMediaType("the body is application/json");
  if (request.headers.Get("Sec-Fetch-Site") == "cross-site") {
    return MakeError(ErrorCode::kPermissionDenied, "cross-site", "this is for the service's own page only");
  }
  return {};
}

}  // namespace

WebPage::WebPage(ItemStore& store, std::string catalog_folder, std::function<void()> saved)
    : store_(store), catalog_folder_(std::move(catalog_folder)), saved_(std::move(saved)) {}

HttpResponse WebPage::Answer(const HttpRequest& request, const Catalog& catalog) const {
  const std::string_view target = request.target;
  const std::size_t mark = target.find('?');
  const std::string_view path = target.substr(0, mark);
  const std::string_view query = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  if (path.starts_with(kApiPath)) return AnswerApi(request, catalog, path.substr(kApiPath.size()));
  if (request.method != "GET" && request.method != "HEAD") return NotMine();
  if (path == "/" || path == "/web/workbench") return Shell();
  if (path.starts_with("/web/")) {
    const std::string_view rest = path.substr(5);
    const std::size_t slash = rest.find('/');
    return slash == std::string_view::npos ? NotMine() : StaticFile(request, rest.substr(0, slash), rest.substr(slash + 1));
  }
  const bool inside = path.starts_with(kServicePath) &&
                      (path.size() == kServicePath.size() || path[kServicePath.size()] == '/');
  return inside && IsPageAddress(path, query) ? Shell() : NotMine();
}

HttpResponse WebPage::AnswerApi(const HttpRequest& request, const Catalog& catalog, std::string_view name) const {
  const std::size_t mark = request.target.find('?');
  const web::Call call{store_, catalog_folder_, request, catalog, *request.principal,
                       mark == std::string::npos ? std::vector<std::pair<std::string, std::string>>()
                                                 : DecodeQuery(std::string_view(request.target).substr(mark + 1))};
  const bool reading = request.method == "GET" || request.method == "HEAD";
  const auto refuse = [&](std::string allow) {
    return ErrorResponse(MethodNotAllowed(request.method, std::move(allow)), ODataVersion::k40, request.request_id);
  };
  if (!reading) {
    const Status origin = CheckOrigin(request);
    if (!origin.ok()) return ErrorResponse(origin.error(), ODataVersion::k40, request.request_id);
  }
  if (name == "objects") return reading ? Json(web::Objects(call), request) : refuse("GET, HEAD");
  if (name == "item") return reading ? Json(web::StoredItem(call), request) : refuse("GET, HEAD");
  if (name == "files") return reading ? Json(web::CatalogFiles(call), request) : refuse("GET, HEAD");
  if (name == "validate") return request.method == "POST" ? Json(web::Validate(call), request) : refuse("POST");
  if (name == "judge") return request.method == "POST" ? Json(web::Judge(call), request) : refuse("POST");
  if (name != "file") return NotMine();
  if (reading) {
    Result<web::FileText> file = web::ReadCatalogFile(call);
    if (!file.ok()) return ErrorResponse(file.error(), ODataVersion::k40, request.request_id);
    HttpResponse response = Json(std::move(file->json), request);
    response.headers.Set("ETag", "\"" + file->etag + "\"");
    return response;
  }
  if (request.method != "PUT") return refuse("GET, HEAD, PUT");
  Result<web::SaveOutcome> outcome = [&] {
    const std::lock_guard<std::mutex> lock(saving_);
    return web::SaveCatalogFile(call);
  }();
  if (!outcome.ok()) return ErrorResponse(outcome.error(), ODataVersion::k40, request.request_id);
  HttpResponse response = Json(std::move(outcome->json), request);
  if (outcome->saved) {
    response.headers.Set("ETag", "\"" + outcome->etag + "\"");
    if (saved_) saved_();
  } else {
    response.status = 422;
  }
  return response;
}

}  // namespace tablecast
