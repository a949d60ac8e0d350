#include "odata/request_handler.h"

#include <algorithm>

#include "base/json_writer.h"
#include "odata/auth.h"
#include "odata/csdl.h"
#include "odata/http_error.h"

namespace tablecast {

namespace {

const std::shared_ptr<const Principal>& Nobody() {
  static const std::shared_ptr<const Principal> kNobody = std::make_shared<Principal>();
  return kNobody;
}

// The text behind the service path, split at the first '?'.
void SplitTarget(std::string_view target, std::string_view service_path, std::string& path, std::string& query) {
  target.remove_prefix(std::min(service_path.size(), target.size()));
  const std::size_t mark = target.find('?');
  std::string_view head = target.substr(0, mark);
  if (head.starts_with("/")) head.remove_prefix(1);
  path = std::string(head);
  query = mark == std::string_view::npos ? "" : std::string(target.substr(mark + 1));
}

// Parsers count bytes; an error that speaks of a place in an option's value or in the path shows it.
Error Placed(Error error) {
  const bool whole = error.reason == "option-unknown" || error.reason == "option-duplicate" || error.reason == "url-too-long";
  if (!whole && error.position.line == 0) {
    error.position.line = 1;
    error.position.column = static_cast<std::uint32_t>(error.position.offset + 1);
  }
  return error;
}

}  // namespace

RequestHandler::RequestHandler(const Service& service, ItemStore& store, const TokenSigner& signer,
                               std::shared_ptr<const Catalog> catalog, const HttpRequest& request)
    : service_(service),
      store_(store),
      signer_(signer),
      catalog_(std::move(catalog)),
      request_(request),
      principal_(request.principal != nullptr ? *request.principal : *Nobody()),
      method_(request.method),
      engine_(store, catalog_, request.received) {
  SplitTarget(request.target, service.options().service_path, raw_path_, raw_query_);
  preferences_ = ParsePreferences(request.headers);
}

std::string RequestHandler::Root() const {
  const std::string& configured = service_.options().public_url;
  std::string base = configured;
  if (base.empty()) {
    const std::string authority = request_.authority.empty() ? "localhost" : request_.authority;
    base = request_.scheme + "://" + authority;
  }
  while (!base.empty() && base.back() == '/') base.pop_back();
  return base + service_.options().service_path;
}

HttpResponse RequestHandler::Fail(const Error& error) const {
  HttpResponse response = ErrorResponse(error, version_, request_.request_id);
  response.headers.Set("Vary", "OData-MaxVersion, Accept, Prefer");
  return response;
}

HttpResponse RequestHandler::Respond(int status, std::string content_type, std::string body, std::string route) const {
  HttpResponse response;
  response.status = status;
  if (!content_type.empty()) response.headers.Set("Content-Type", content_type);
  response.headers.Set("OData-Version", ODataVersionText(version_));
  response.headers.Set("Vary", "OData-MaxVersion, Accept, Prefer");
  response.headers.Set("Cache-Control", "no-cache");
  std::string applied;
  for (const std::string& preference : preferences_.applied) applied += (applied.empty() ? "" : ", ") + preference;
  if (!applied.empty()) response.headers.Set("Preference-Applied", applied);
  // Old clients ask for a token before they write; nothing here lives on cookies, so it is only echoed back.
  if (EqualsIgnoreCase(request_.headers.Get("X-CSRF-Token"), "fetch")) {
    response.headers.Set("X-CSRF-Token", signer_.Sign("csrf", principal_.name, std::to_string(request_.received.seconds)));
  }
  response.body = std::move(body);
  response.route = std::move(route);
  return response;
}

Status RequestHandler::Expect(const std::vector<std::string_view>& options) const {
  for (const std::string& name : options_.system_options) {
    if (std::find(options.begin(), options.end(), name) != options.end()) continue;
    if (name == "$format" || name == "$schemaversion") continue;
    return MakeError(ErrorCode::kInvalidArgument, "option-not-allowed",
                     "the option " + name + " has no meaning for this resource", name);
  }
  return {};
}

Status RequestHandler::Prepare() {
  TABLECAST_ASSIGN_OR_RETURN(version_, NegotiateVersion(request_.headers));
  // Every page is of one moment, but not a walk over pages or the parts of a batch: what the header asks for.
  for (const char* name : {"Isolation", "OData-Isolation"}) {
    if (!request_.headers.Has(name)) continue;
    return MakeError(ErrorCode::kFailedPrecondition, "isolation-not-offered",
                     "isolation over several pages or requests is not offered; each answer alone is of one moment", name,
                     "send the request without this header");
  }
  if (method_ == "POST") {
    // Old clients tunnel through POST.
    for (const char* name : {"X-HTTP-Method", "X-HTTP-Method-Override"}) {
      const std::string_view override = request_.headers.Get(name);
      if (override.empty()) continue;
      if (override != "MERGE" && override != "PATCH" && override != "PUT" && override != "DELETE") {
        return MakeError(ErrorCode::kInvalidArgument, "method-override",
                         std::string(name) + " is MERGE, PATCH, PUT or DELETE", name);
      }
      method_ = std::string(override);
    }
  }
  if (method_ == "MERGE") method_ = "PATCH";
  const ServiceOptions& service = service_.options();
  if (request_.target.size() > service.syntax.max_url_bytes) {
    return MakeError(ErrorCode::kResourceExhausted, "url-too-long",
                     "the address is over " + std::to_string(service.syntax.max_url_bytes) + " bytes", "",
                     "send the options by POST to .../$query");
  }
  syntax::QueryParseOptions parse;
  parse.limits = service.syntax;
  auto path = syntax::ParseResourcePath(raw_path_, parse);
  if (!path.ok()) return Placed(path.error());
  path_ = *std::move(path);
  if (!path_.segments.empty() && path_.segments.back().kind == syntax::PathSegment::Kind::kQuery) {
    if (method_ != "POST") return MethodNotAllowed(method_, "POST");
    std::string type(request_.headers.Get("Content-Type"));
    type = type.substr(0, type.find(';'));
    if (!EqualsIgnoreCase(type, "text/plain") && !EqualsIgnoreCase(type, "application/x-www-form-urlencoded")) {
      return UnsupportedMediaType("the options behind $query come as text/plain");
    }
    std::string body = request_.body;
    while (!body.empty() && (body.back() == '\n' || body.back() == '\r')) body.pop_back();
    if (!raw_query_.empty() && !body.empty()) raw_query_ += '&';
    raw_query_ += body;
    parse.limits.max_url_bytes = std::max<std::size_t>(parse.limits.max_url_bytes, raw_query_.size());
    method_ = "GET";
  }
  auto options = syntax::ParseQueryOptions(raw_query_, parse);
  if (!options.ok()) return Placed(options.error());
  options_ = *std::move(options);
  if (options_.schema_version && *options_.schema_version != "*" &&
      *options_.schema_version != catalog_->fingerprint().substr(0, 16)) {
    return MakeError(ErrorCode::kNotFound, "schema-version",
                     "the schema has the version " + catalog_->fingerprint().substr(0, 16), "$schemaversion");
  }
  TABLECAST_ASSIGN_OR_RETURN(bound_path_, BindPath(*catalog_, principal_, path_, options_.aliases));
  return {};
}

HttpResponse RequestHandler::Handle() {
  const Status prepared = Prepare();
  if (!prepared.ok()) {
    AuditRefusal(prepared.error());
    return Fail(prepared.error());
  }
  Result<HttpResponse> response = Dispatch();
  if (!response.ok()) {
    AuditRefusal(response.error());
    return Fail(response.error());
  }
  return *std::move(response);
}

Result<HttpResponse> RequestHandler::Dispatch() {
  if (bound_path_.kind == BoundPath::Kind::kBatch) {
    if (method_ != "POST") return MethodNotAllowed(method_, "POST");
    return Batch();
  }
  if (method_ == "GET" || method_ == "HEAD") return Read();
  if (method_ != "POST" && method_ != "PATCH" && method_ != "PUT" && method_ != "DELETE") {
    return MethodNotAllowed(method_, "GET, HEAD");
  }
  if (bound_path_.kind == BoundPath::Kind::kServiceDocument || bound_path_.kind == BoundPath::Kind::kMetadata ||
      bound_path_.count) {
    return MethodNotAllowed(method_, "GET, HEAD");
  }
  return Write();
}

void RequestHandler::FillFormat(const Negotiated& negotiated) {
  format_.version = version_;
  format_.metadata = negotiated.metadata;
  format_.ieee754_compatible = negotiated.ieee754_compatible;
  format_.exponential_decimals = negotiated.exponential_decimals;
  format_.omit_nulls = preferences_.omit_nulls;
  format_.annotations = preferences_.include_annotations || negotiated.metadata == MetadataLevel::kFull;
  format_.root = Root();
  format_.schema_namespace = catalog_->schema_namespace();
  format_.content_type = negotiated.ContentType();
  if (preferences_.omit_nulls) preferences_.applied.push_back("omit-values=nulls");
  if (preferences_.include_annotations) preferences_.applied.push_back("odata.include-annotations=\"tablecast.*\"");
}

Result<HttpResponse> RequestHandler::ReadServiceDocument() {
  TABLECAST_RETURN_IF_ERROR(Expect({}));
  TABLECAST_ASSIGN_OR_RETURN(const Negotiated negotiated,
                             Negotiate(request_.headers, options_.format, {Representation::kJson}));
  FillFormat(negotiated);
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  if (format_.metadata != MetadataLevel::kNone) {
    json.Key(version_ == ODataVersion::k40 ? "@odata.context" : "@context").String(format_.root + "/$metadata");
  }
  json.Key("value").BeginArray();
  for (const auto& object : catalog_->objects()) {
    if (!principal_.RightsFor(object->name()).read) continue;
    json.BeginObject().Key("name").String(object->name());
    if (!object->plural_label().empty() && object->plural_label() != object->name()) {
      json.Key("title").String(object->plural_label());
    }
    json.Key("kind").String("EntitySet").Key("url").String(object->name()).EndObject();
  }
  json.EndArray().EndObject();
  return Respond(200, format_.content_type, std::move(out), "service_document");
}

HttpResponse RequestHandler::OpenApi() {
  if (method_ != "GET" && method_ != "HEAD") return Fail(MethodNotAllowed(method_, "GET, HEAD"));
  std::string document = OpenApiJson(BuildCsdl(*catalog_, principal_), catalog_->schema_namespace(), Root());
  return Document("application/json", std::move(document), "openapi");
}

// A document with an ETag of its content: what a caller may see, and where the service lives, change it too.
HttpResponse RequestHandler::Document(std::string content_type, std::string body, std::string route) const {
  static constexpr const char* kDigits = "0123456789abcdef";
  std::string etag = "W/\"";
  for (const char byte : Sha256(body).substr(0, 16)) {
    etag += kDigits[static_cast<unsigned char>(byte) >> 4U];
    etag += kDigits[static_cast<unsigned char>(byte) & 15U];
  }
  etag += '"';
  const std::string_view known = request_.headers.Get("If-None-Match");
  const bool same = known == "*" || known.find(etag) != std::string_view::npos;
  HttpResponse response = same ? Respond(304, "", "", std::move(route))
                               : Respond(200, std::move(content_type), std::move(body), std::move(route));
  response.headers.Set("ETag", etag);
  return response;
}

Result<HttpResponse> RequestHandler::ReadMetadata() {
  TABLECAST_RETURN_IF_ERROR(Expect({}));
  // Spreadsheets send odd Accept headers here and need XML whatever they say: only a clear wish for JSON gets JSON.
  Negotiated negotiated;
  if (options_.format) {
    TABLECAST_ASSIGN_OR_RETURN(negotiated, Negotiate(request_.headers, options_.format,
                                                     {Representation::kXml, Representation::kJson}));
  } else {
    auto chosen = Negotiate(request_.headers, options_.format, {Representation::kXml, Representation::kJson});
    negotiated.representation = chosen.ok() ? chosen->representation : Representation::kXml;
  }
  const bool json = negotiated.representation == Representation::kJson;
  const Csdl csdl = BuildCsdl(*catalog_, principal_, service_.options().query.max_expand_depth);
  return Document(json ? "application/json" : "application/xml", json ? CsdlJson(csdl, version_) : CsdlXml(csdl, version_), "metadata");
}

}  // namespace tablecast
