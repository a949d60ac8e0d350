// The reading half of RequestHandler: collections, records, properties, counts, references, $apply.

#include <algorithm>

#include "connector/change_reader.h"
#include "odata/http_error.h"
#include "odata/request_handler.h"

namespace tablecast {

namespace {

// "skiptoken=..." in any of its spellings is not part of the link that gets a new one.
bool IsSkipTokenOption(std::string_view option) {
  const auto name = syntax::PercentDecode(option.substr(0, option.find('=')), syntax::PlusSign::kBlank);
  if (!name.ok()) return false;
  const auto canonical = syntax::CanonicalOptionName(*name);
  return canonical && *canonical == "$skiptoken";
}

// What a path of members leads to inside a complex value; null where it leads nowhere.
EdmValue MemberOf(EdmValue value, const std::vector<const Field*>& members) {
  for (const Field* member : members) {
    EdmValue inner;
    if (value.kind() == EdmKind::kComplex) {
      for (const auto& [name, candidate] : value.complex()) {
        if (name == member->name) inner = candidate;
      }
    }
    value = std::move(inner);
  }
  return value;
}

bool EtagMatches(std::string_view header, std::string_view etag) {
  if (header == "*") return true;
  // Weak comparison: the opaque parts are compared (RFC 9110, 8.8.3.2).
  return header.find("\"" + std::string(etag) + "\"") != std::string_view::npos;
}

}  // namespace

std::string RequestHandler::TokenBinding() const {
  std::string binding = raw_path_;
  const auto add = [&binding](std::string_view name, std::string_view text) {
    binding += '\n';
    binding += name;
    binding += '=';
    binding += text;
  };
  if (options_.filter) add("filter", syntax::ToString(*options_.filter));
  if (options_.search) add("search", syntax::ToString(*options_.search));
  if (options_.apply) add("apply", syntax::ToString(*options_.apply));
  add("orderby", syntax::ToString(options_.order_by));
  add("compute", syntax::ToString(options_.compute));
  for (const syntax::AliasValue& alias : options_.aliases) add("@" + alias.name, syntax::ToString(alias.value));
  if (options_.top) add("top", std::to_string(*options_.top));
  return binding;
}

std::string RequestHandler::NextLink(std::string_view token) const {
  std::string query;
  std::string_view rest = raw_query_;
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view option = rest.substr(0, end);
    if (!option.empty() && !IsSkipTokenOption(option)) {
      query += std::string(option);
      query += '&';
    }
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  // The raw text came from a request line or a $query body: what cannot stand in a URL is encoded.
  std::string safe;
  for (const char c : query) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '<' || c == '>' || c == '#' || c == '\\' ||
        static_cast<unsigned char>(c) >= 0x7F) {
      safe += PercentEncode(std::string_view(&c, 1));
    } else {
      safe += c;
    }
  }
  std::string path = raw_path_;
  if (path.ends_with("/$query")) path.resize(path.size() - 7);
  return Root() + "/" + path + "?" + safe + "$skiptoken=" + std::string(token);
}

bool RequestHandler::WantsExplain() const {
  const syntax::CustomOption* option = options_.FindCustom("tablecast-explain");
  return option != nullptr && option->value == "true";
}

Result<Engine> RequestHandler::ForcedEngine() const {
  const syntax::CustomOption* option = options_.FindCustom("tablecast-engine");
  if (option == nullptr) return Engine::kAuto;
  if (!principal_.may_explain) {
    return MakeError(ErrorCode::kPermissionDenied, "explain-forbidden", "you may not choose the access path",
                     "tablecast-engine");
  }
  if (option->value == "row") return Engine::kRow;
  if (option->value == "columnar") return Engine::kColumnar;
  if (option->value == "index") return Engine::kIndex;
  if (option->value == "scan") return Engine::kScan;
  return MakeError(ErrorCode::kInvalidArgument, "engine-unknown",
                   "tablecast-engine is row, columnar, index or scan", "tablecast-engine");
}

Status RequestHandler::ApplyRequestLimits(ObjectQuery& query) const {
  query.limits = service_.options().query;
  if (request_.deadline != std::chrono::steady_clock::time_point::max()) query.limits.deadline = request_.deadline;
  TABLECAST_ASSIGN_OR_RETURN(query.engine, ForcedEngine());
  query.want_conversion_errors = format_.annotations;
  return {};
}

QueryBinder RequestHandler::Binder() const {
  return QueryBinder(*catalog_, principal_, options_.aliases,
                     [this](const syntax::ResourcePath& path) { return ReadRoot(path); });
}

Result<EdmValue> RequestHandler::ReadRoot(const syntax::ResourcePath& path) const {
  TABLECAST_ASSIGN_OR_RETURN(const BoundPath bound, BindPath(*catalog_, principal_, path, options_.aliases));
  ObjectQuery query;
  query.object = bound.object;
  query.start = bound.start;
  TABLECAST_RETURN_IF_ERROR(ApplyRequestLimits(query));
  query.engine = Engine::kAuto;
  if (bound.kind == BoundPath::Kind::kCollection && bound.count) {
    TABLECAST_ASSIGN_OR_RETURN(const std::uint64_t count, engine_.Count(query));
    return EdmValue::Number(Decimal(static_cast<std::int64_t>(count)), EdmKind::kInt64);
  }
  if (bound.kind != BoundPath::Kind::kProperty || bound.count) {
    return MakeError(ErrorCode::kInvalidArgument, "type-mismatch",
                     "a path behind $root ends at a property or at the $count of a set");
  }
  query.select = std::vector<std::uint32_t>{bound.object->IndexOf(*bound.field)};
  TABLECAST_ASSIGN_OR_RETURN(const ResultPage page, engine_.Get(query));
  if (page.records.empty()) return EdmValue::Null();
  return MemberOf(page.records.front().values.front(), bound.members);
}

Result<BoundQuery> RequestHandler::BindRead() {
  QueryBinder binder = Binder();
  TABLECAST_ASSIGN_OR_RETURN(BoundQuery bound, binder.Bind(*bound_path_.object, options_));
  for (const syntax::Expr* filter : bound_path_.filters) TABLECAST_RETURN_IF_ERROR(binder.AddFilter(*filter, bound));
  bound.query.start = bound_path_.start;
  TABLECAST_RETURN_IF_ERROR(ApplyRequestLimits(bound.query));
  return bound;
}

Result<HttpResponse> RequestHandler::Read() {
  switch (bound_path_.kind) {
    case BoundPath::Kind::kServiceDocument: return ReadServiceDocument();
    case BoundPath::Kind::kMetadata: return ReadMetadata();
    case BoundPath::Kind::kEntityById: return ReadById();
    case BoundPath::Kind::kCollection:
      if (options_.delta_token) return ReadChanges();
      return options_.apply ? ReadApply() : ReadCollection();
    case BoundPath::Kind::kRecord: return ReadRecord();
    case BoundPath::Kind::kProperty: return ReadProperty();
    case BoundPath::Kind::kBatch: break;
  }
  return MethodNotAllowed(method_, "POST");
}

Result<HttpResponse> RequestHandler::CountOnly(const BoundQuery& bound) {
  TABLECAST_ASSIGN_OR_RETURN(const Negotiated negotiated,
                             Negotiate(request_.headers, options_.format, {Representation::kText, Representation::kJson}));
  static_cast<void>(negotiated);
  TABLECAST_ASSIGN_OR_RETURN(const std::uint64_t count, engine_.Count(bound.query));
  return Respond(200, "text/plain", std::to_string(count), "count");
}

Result<HttpResponse> RequestHandler::ReadCollection() {
  if (bound_path_.count) {
    TABLECAST_RETURN_IF_ERROR(Expect({"$filter", "$search"}));
    TABLECAST_ASSIGN_OR_RETURN(const BoundQuery bound, BindRead());
    return CountOnly(bound);
  }
  TABLECAST_RETURN_IF_ERROR(Expect({"$filter", "$search", "$orderby", "$compute", "$select", "$expand", "$top",
                                    "$skip", "$count", "$skiptoken"}));
  TABLECAST_ASSIGN_OR_RETURN(const Negotiated negotiated,
                             Negotiate(request_.headers, options_.format, {Representation::kJson}));
  FillFormat(negotiated);
  TABLECAST_ASSIGN_OR_RETURN(BoundQuery bound, BindRead());
  ObjectQuery& query = bound.query;
  if (bound_path_.ref) query.select = std::vector<std::uint32_t>{0};
  query.page_size = catalog_->page_size();
  if (preferences_.max_page_size) {
    query.page_size = std::min(*preferences_.max_page_size, catalog_->max_page_size());
    preferences_.applied.push_back("odata.maxpagesize=" + std::to_string(query.page_size));
  }
  // Change tracking starts at the sequence before the first page; the skip tokens of the walk carry it.
  std::string tracked;
  const bool trackable = !bound_path_.start && bound_path_.filters.empty() && !bound_path_.ref &&
                         bound_path_.object->embedded() == nullptr && bound_path_.object->table_exists();
  if (options_.skip_token) {
    TABLECAST_ASSIGN_OR_RETURN(std::string payload, signer_.Open("skip", TokenBinding(), *options_.skip_token));
    const std::size_t mark = payload.find(';');
    if (mark == std::string::npos) return MakeError(ErrorCode::kInvalidArgument, "skiptoken-invalid", "the token is incomplete", "$skiptoken");
    tracked = payload.substr(0, mark);
    query.start_after = payload.substr(mark + 1);
  } else if (preferences_.track_changes && trackable) {
    TABLECAST_ASSIGN_OR_RETURN(const std::uint64_t sequence, CurrentSequence(store_, *bound_path_.object));
    tracked = std::to_string(sequence);
  }
  if (!tracked.empty()) preferences_.applied.push_back("odata.track-changes");
  if (WantsExplain()) {
    if (!principal_.may_explain) {
      return MakeError(ErrorCode::kPermissionDenied, "explain-forbidden", "you may not see plans", "tablecast-explain");
    }
    TABLECAST_ASSIGN_OR_RETURN(const PlanReport report, engine_.Explain(query, true));
    return Respond(200, "application/json", ExplainJson(report), "explain");
  }
  query.want_plan = service_.options().observe != nullptr;
  const ResponseWriter writer(format_);
  for (;;) {
    TABLECAST_ASSIGN_OR_RETURN(const ResultPage page, engine_.Query(query));
    std::string next;
    if (!page.next.empty()) next = NextLink(signer_.Sign("skip", TokenBinding(), tracked + ";" + page.next));
    std::string delta;
    if (!tracked.empty() && page.next.empty()) {
      TABLECAST_ASSIGN_OR_RETURN(delta, DeltaLink(std::strtoull(tracked.c_str(), nullptr, 10)));
    }
    const std::string context = ContextOf(bound.shape);
    std::string body = bound_path_.ref ? writer.References(page, true, next)
                                       : writer.Collection(page, bound.shape, context, next, delta, page.full_scan);
    const std::size_t cap = service_.options().max_page_bytes;
    if (body.size() > cap && page.records.size() > 1) {
      // Clients refuse answers over 8 MB: a shorter page and a nextLink instead.
      const auto fitting = static_cast<std::uint64_t>(page.records.size()) * cap / body.size() * 9 / 10;
      query.page_size = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, fitting));
      continue;
    }
    if (service_.options().observe && page.plan) service_.options().observe(*page.plan, page.records.size());
    return Respond(200, format_.content_type, std::move(body), bound_path_.start ? "navigation" : "entity_set");
  }
}

Result<HttpResponse> RequestHandler::ReadApply() {
  TABLECAST_RETURN_IF_ERROR(Expect({"$apply", "$filter", "$search", "$orderby", "$compute", "$top", "$skip", "$count",
                                    "$select"}));
  if (bound_path_.ref) return NotOffered("$ref behind $apply");
  TABLECAST_ASSIGN_OR_RETURN(const Negotiated negotiated,
                             Negotiate(request_.headers, options_.format, {Representation::kJson}));
  FillFormat(negotiated);
  QueryBinder binder = Binder();
  TABLECAST_ASSIGN_OR_RETURN(ApplyQuery query, binder.BindApply(*bound_path_.object, options_));
  BoundQuery base;
  base.query.object = bound_path_.object;
  for (const syntax::Expr* filter : bound_path_.filters) TABLECAST_RETURN_IF_ERROR(binder.AddFilter(*filter, base));
  query.base.filter = base.query.filter;
  query.base.start = bound_path_.start;
  TABLECAST_RETURN_IF_ERROR(ApplyRequestLimits(query.base));
  if (bound_path_.count) query.count = true;
  auto applied = engine_.Apply(query);
  if (!applied.ok()) {
    Error error = applied.error();
    const bool evaluated = error.code == ErrorCode::kInvalidArgument;
    if (evaluated && (error.target.empty() || !options_.filter)) error.target = "$apply";
    return error;
  }
  const ApplyResult& result = *applied;
  if (bound_path_.count) {
    return Respond(200, "text/plain", std::to_string(result.count.value_or(result.rows.size())), "count");
  }
  std::string names;
  for (const ResultColumn& column : result.shape.columns) names += (names.empty() ? "" : ",") + column.name;
  RecordShape shape;
  shape.object = bound_path_.object;
  shape.hidden = binder.HiddenFields(*bound_path_.object);
  const std::string context =
      bound_path_.object->name() + (names.empty() || result.shape.is_entity ? "" : "(" + names + ")");
  const ResponseWriter writer(format_);
  // Steps that keep the records (filter, orderby, top, ...) answer records, with identity and ETag.
  if (result.shape.is_entity && result.page) {
    return Respond(200, format_.content_type, writer.Collection(*result.page, shape, context, "", "", false), "apply");
  }
  return Respond(200, format_.content_type, writer.ApplyRows(result, context, ""), "apply");
}

Result<HttpResponse> RequestHandler::ReadRecord() {
  TABLECAST_RETURN_IF_ERROR(Expect({"$select", "$expand", "$compute"}));
  TABLECAST_ASSIGN_OR_RETURN(const Negotiated negotiated,
                             Negotiate(request_.headers, options_.format, {Representation::kJson}));
  FillFormat(negotiated);
  TABLECAST_ASSIGN_OR_RETURN(BoundQuery bound, BindRead());
  if (bound_path_.ref) bound.query.select = std::vector<std::uint32_t>{0};
  if (WantsExplain()) {
    if (!principal_.may_explain) {
      return MakeError(ErrorCode::kPermissionDenied, "explain-forbidden", "you may not see plans", "tablecast-explain");
    }
    TABLECAST_ASSIGN_OR_RETURN(const PlanReport report, engine_.Explain(bound.query, true));
    return Respond(200, "application/json", ExplainJson(report), "explain");
  }
  bound.query.want_plan = service_.options().observe != nullptr;
  TABLECAST_ASSIGN_OR_RETURN(const ResultPage page, engine_.Get(bound.query));
  if (service_.options().observe && page.plan) service_.options().observe(*page.plan, page.records.size());
  if (page.records.empty()) return Respond(204, "", "", "record");  // a navigation that leads nowhere
  const Record& record = page.records.front();
  const ResponseWriter writer(format_);
  if (bound_path_.ref) {
    return Respond(200, format_.content_type, writer.References(page, false, ""), "reference");
  }
  const std::string_view if_none_match = request_.headers.Get("If-None-Match");
  HttpResponse response;
  if (!if_none_match.empty() && !record.etag.empty() && EtagMatches(if_none_match, record.etag)) {
    response = Respond(304, "", "", "record");
  } else {
    response = Respond(200, format_.content_type,
                       writer.Entity(page, record, bound.shape, ContextOf(bound.shape) + "/$entity"), "record");
  }
  if (!record.etag.empty()) response.headers.Set("ETag", "W/\"" + record.etag + "\"");
  return response;
}

Result<HttpResponse> RequestHandler::ReadProperty() {
  TABLECAST_RETURN_IF_ERROR(bound_path_.count ? Expect({"$filter"}) : Expect({"$select"}));
  const ExternalObject& object = *bound_path_.object;
  ObjectQuery query;
  query.object = &object;
  query.start = bound_path_.start;
  query.select = std::vector<std::uint32_t>{object.IndexOf(*bound_path_.field)};
  const std::vector<Representation> offered =
      bound_path_.value || bound_path_.count ? std::vector<Representation>{Representation::kText, Representation::kJson}
                                             : std::vector<Representation>{Representation::kJson};
  TABLECAST_ASSIGN_OR_RETURN(const Negotiated negotiated, Negotiate(request_.headers, options_.format, offered));
  FillFormat(negotiated);
  TABLECAST_RETURN_IF_ERROR(ApplyRequestLimits(query));
  TABLECAST_ASSIGN_OR_RETURN(const ResultPage page, engine_.Get(query));
  if (page.records.empty()) {
    return MakeError(ErrorCode::kNotFound, "record-not-found", "the record that the property belongs to is not there");
  }
  const Record& record = page.records.front();
  EdmValue value = record.values.empty() ? EdmValue() : record.values.front();
  const Field* field = bound_path_.field;
  std::string path = field->name;
  value = MemberOf(std::move(value), bound_path_.members);
  for (const Field* member : bound_path_.members) {
    field = member;
    path += "/" + member->name;
  }
  HttpResponse response;
  if (bound_path_.count) {
    const std::size_t count = value.kind() == EdmKind::kCollection ? value.collection().size() : 0;
    response = Respond(200, "text/plain", std::to_string(count), "count");
  } else if (value.is_null() && !field->PublishedAsCollection()) {
    response = Respond(204, "", "", "property");
  } else if (bound_path_.value) {
    const bool binary = value.kind() == EdmKind::kBinary;
    response = Respond(200, binary ? "application/octet-stream" : "text/plain;charset=utf-8",
                       RawValueText(value, field), "value");
  } else {
    if (value.is_null()) value = EdmValue::OfCollection({});
    const ResponseWriter writer(format_);
    response = Respond(200, format_.content_type,
                       writer.Property(value, field, EntityUrl(object, record.external_id) + "/" + path), "property");
  }
  if (!record.etag.empty()) response.headers.Set("ETag", "W/\"" + record.etag + "\"");
  return response;
}

// $entity?$id=Orders('1012'): the id must lie inside this service; nothing is ever fetched from elsewhere.
Result<HttpResponse> RequestHandler::ReadById() {
  TABLECAST_RETURN_IF_ERROR(Expect({"$id", "$select", "$expand"}));
  if (!options_.id) {
    return MakeError(ErrorCode::kInvalidArgument, "entity-without-id", "$entity needs $id", "$id");
  }
  std::string_view id = *options_.id;
  for (const std::string& prefix : {Root() + "/", service_.options().service_path + "/"}) {
    if (id.starts_with(prefix)) {
      id.remove_prefix(prefix.size());
      break;
    }
  }
  if (id.find("://") != std::string_view::npos || id.starts_with("/")) {
    return MakeError(ErrorCode::kInvalidArgument, "id-outside", "$id lies outside of this service", "$id");
  }
  TABLECAST_ASSIGN_OR_RETURN(path_, syntax::ParseResourcePath(id));
  TABLECAST_ASSIGN_OR_RETURN(bound_path_, BindPath(*catalog_, principal_, path_, options_.aliases));
  if (bound_path_.kind != BoundPath::Kind::kRecord || bound_path_.ref) {
    return MakeError(ErrorCode::kInvalidArgument, "id-no-record", "$id names no record", "$id");
  }
  std::erase(options_.system_options, "$id");
  return ReadRecord();
}

Result<PlanReport> RequestHandler::Plan(bool analyze) {
  TABLECAST_RETURN_IF_ERROR(Prepare());
  if (bound_path_.kind != BoundPath::Kind::kCollection && bound_path_.kind != BoundPath::Kind::kRecord) {
    return MakeError(ErrorCode::kInvalidArgument, "explain-resource", "only a set or a record has a plan");
  }
  if (options_.apply) {
    QueryBinder binder = Binder();
    TABLECAST_ASSIGN_OR_RETURN(ApplyQuery query, binder.BindApply(*bound_path_.object, options_));
    query.base.start = bound_path_.start;
    query.base.want_plan = true;
    TABLECAST_RETURN_IF_ERROR(ApplyRequestLimits(query.base));
    TABLECAST_ASSIGN_OR_RETURN(ApplyResult result, engine_.Apply(query));
    if (result.plan) return *std::move(result.plan);
    return MakeError(ErrorCode::kInternal, "plan-missing", "the engine gave no plan");
  }
  TABLECAST_ASSIGN_OR_RETURN(BoundQuery bound, BindRead());
  bound.query.page_size = catalog_->page_size();
  return engine_.Explain(bound.query, analyze);
}

}  // namespace tablecast
