// The writing half of RequestHandler: create, update, delete, properties, references.

#include <algorithm>

#include "odata/http_error.h"
#include "odata/json_payload.h"
#include "odata/request_handler.h"

namespace tablecast {

namespace {

// "Orders('1')", "/odata/Orders('1')" or an absolute URL inside the service -> the path behind the root.
std::string_view RelativeId(std::string_view id, std::string_view root, std::string_view service_path) {
  if (id.starts_with(root)) {
    id.remove_prefix(root.size());
  } else {
    const std::size_t scheme = id.find("://");
    if (scheme != std::string_view::npos && scheme < 8) {
      // Another spelling of our own host (a proxy's): what counts is the path.
      const std::size_t path = id.find('/', scheme + 3);
      id = path == std::string_view::npos ? std::string_view() : id.substr(path);
    }
    if (id.starts_with(service_path)) id.remove_prefix(service_path.size());
  }
  while (id.starts_with("/")) id.remove_prefix(1);
  return id;
}

std::string AllowedMethods(const ExternalObject& object, const ObjectRights& rights, bool record) {
  std::string allow = "GET, HEAD";
  const ObjectOptions& options = object.options();
  if (!record && rights.create && options.create) allow += ", POST";
  if (record && rights.update && options.update) allow += ", PATCH, PUT";
  if (record && rights.remove && options.remove) allow += ", DELETE";
  return allow;
}

}  // namespace

Status RequestHandler::RequireJson() const {
  std::string type(request_.headers.Get("Content-Type"));
  type = type.substr(0, type.find(';'));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  if (EqualsIgnoreCase(type, "application/json")) return {};
  return UnsupportedMediaType(type.empty() ? "the body's Content-Type is missing; it is application/json"
                                           : "a body of the type " + type + " is not read here; send application/json");
}

Status RequestHandler::Require(const ExternalObject& object, bool ObjectRights::*right, const char* verb) const {
  if (principal_.RightsFor(object.name()).*right) return {};
  return MakeError(ErrorCode::kPermissionDenied, std::string(verb) + "-forbidden",
                   "you may not " + std::string(verb) + " records of " + object.name());
}

// The record that a path leads to, as a key of its own.
Result<RecordKey> RequestHandler::KeyOfTarget(const PathStart& start) const {
  if (start.steps.empty()) return start.key;
  ObjectQuery query;
  query.object = start.steps.back().navigation->target;
  query.start = start;
  query.select = std::vector<std::uint32_t>{0};
  TABLECAST_ASSIGN_OR_RETURN(const ResultPage page, engine_.Get(query));
  if (page.records.empty()) {
    return MakeError(ErrorCode::kNotFound, "record-not-found", "the path leads to no record");
  }
  RecordKey key;
  key.item_key = page.records.front().item_key;
  return key;
}

Result<RecordKey> RequestHandler::ResolveReference(const std::string& id, const ExternalObject& object) const {
  const std::string_view relative = RelativeId(id, Root(), service_.options().service_path);
  TABLECAST_ASSIGN_OR_RETURN(const syntax::ResourcePath path, syntax::ParseResourcePath(relative));
  TABLECAST_ASSIGN_OR_RETURN(const BoundPath bound, BindPath(*catalog_, principal_, path, options_.aliases));
  if (bound.kind != BoundPath::Kind::kRecord || bound.object != &object) {
    return MakeError(ErrorCode::kInvalidArgument, "reference-target", "`" + id + "` names no record of " + object.name(), id);
  }
  return KeyOfTarget(*bound.start);
}

namespace {

// {"@context":"#$delta","value":[...]}, with or without "odata." in front of "context".
bool IsDeltaPayload(const std::string& body) {
  const Result<JsonValue> json = ParseJson(body);
  if (!json.ok() || json->type != JsonType::kObject) return false;
  for (const char* name : {"@context", "@odata.context"}) {
    const JsonValue* context = json->Find(name);
    if (context != nullptr && context->text.ends_with("$delta")) return true;
  }
  return false;
}

}  // namespace

Status RequestHandler::PrepareReference() {
  const Navigation* navigation = bound_path_.last_navigation;
  if (navigation == nullptr) return MethodNotAllowed(method_, "GET, HEAD");
  PathStart parent = *bound_path_.start;
  std::optional<RecordKey> child;
  if (!parent.steps.empty()) {
    if (navigation->collection && parent.steps.back().key) child = parent.steps.back().key;
    parent.steps.pop_back();
  }
  write_object_ = parent.steps.empty() ? parent.object : parent.steps.back().navigation->target;
  // The side that holds the column is the one that changes.
  const ExternalObject& changed = navigation->collection ? *navigation->target : *write_object_;
  TABLECAST_RETURN_IF_ERROR(Require(changed, &ObjectRights::update, "update"));
  if (!changed.options().update) return MethodNotAllowed(method_, "GET, HEAD");
  TABLECAST_ASSIGN_OR_RETURN(write_key_, KeyOfTarget(parent));
  write_navigation_ = navigation;
  write_kind_ = WriteKind::kSetReference;
  if (method_ == "DELETE") {
    remove_reference_ = true;
    if (options_.id) {
      TABLECAST_ASSIGN_OR_RETURN(reference_, ResolveReference(*options_.id, *navigation->target));
    } else if (child) {
      reference_ = child;
    }
    return {};
  }
  const bool right_method = navigation->collection ? method_ == "POST" : method_ == "PUT";
  if (!right_method) return MethodNotAllowed(method_, navigation->collection ? "GET, POST, DELETE" : "GET, PUT, DELETE");
  TABLECAST_RETURN_IF_ERROR(RequireJson());
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue json, ParseJson(request_.body));
  const std::string id = ReferenceOf(json);
  if (id.empty()) return MakeError(ErrorCode::kInvalidArgument, "reference-id", "the body is {\"@odata.id\": \"…\"}");
  TABLECAST_ASSIGN_OR_RETURN(reference_, ResolveReference(id, *navigation->target));
  return {};
}

Status RequestHandler::PrepareProperty() {
  const ExternalObject& object = *bound_path_.object;
  if (!object.options().update) return MethodNotAllowed(method_, "GET, HEAD");
  TABLECAST_RETURN_IF_ERROR(Require(object, &ObjectRights::update, "update"));
  if (method_ == "POST") return MethodNotAllowed(method_, "GET, HEAD, PUT, PATCH, DELETE");
  const Field& leaf = bound_path_.members.empty() ? *bound_path_.field : *bound_path_.members.back();
  EdmValue value;
  if (method_ != "DELETE") {
    if (bound_path_.value) {
      TABLECAST_ASSIGN_OR_RETURN(value, ValueFromText(request_.body, leaf));
    } else {
      TABLECAST_RETURN_IF_ERROR(RequireJson());
      const PayloadReader reader(principal_, {});
      TABLECAST_ASSIGN_OR_RETURN(value, reader.ReadValue(request_.body, leaf));
    }
  }
  write_kind_ = WriteKind::kUpdate;
  write_object_ = &object;
  TABLECAST_ASSIGN_OR_RETURN(write_key_, KeyOfTarget(*bound_path_.start));
  change_.object = &object;
  change_.fields.push_back({bound_path_.field, std::move(value), bound_path_.members});
  return {};
}

// What the answer to a create or update is made of. Read before anything is written: a wish that cannot be met must
// not be told after the commit.
Status RequestHandler::PrepareAnswer() {
  const bool asked = preferences_.return_representation.value_or(method_ == "POST");
  if (!preferences_.return_representation.value_or(true)) return {};
  auto negotiated = Negotiate(request_.headers, options_.format, {Representation::kJson});
  QueryBinder binder = Binder();
  auto bound = binder.Bind(*change_.object, options_);
  if (asked && !negotiated.ok()) return negotiated.error();
  if (asked && !bound.ok()) return bound.error();
  if (!negotiated.ok() || !bound.ok()) return {};  // an update answers 204 by itself
  answer_format_ = *std::move(negotiated);
  answer_ = *std::move(bound);
  return {};
}

Status RequestHandler::PrepareWrite() {
  TABLECAST_RETURN_IF_ERROR(PrepareTarget());
  const bool entity = write_kind_ == WriteKind::kCreate || write_kind_ == WriteKind::kCreateUnder ||
                      (write_kind_ == WriteKind::kUpdate && bound_path_.kind == BoundPath::Kind::kRecord);
  return entity ? PrepareAnswer() : Status();
}

Status RequestHandler::PrepareTarget() {
  TABLECAST_RETURN_IF_ERROR(Prepare());
  if (bound_path_.kind != BoundPath::Kind::kCollection && bound_path_.kind != BoundPath::Kind::kRecord &&
      bound_path_.kind != BoundPath::Kind::kProperty) {
    return MethodNotAllowed(method_, "GET, HEAD");
  }
  const ExternalObject& object = *bound_path_.object;
  preconditions_.if_match = std::string(request_.headers.Get("If-Match"));
  preconditions_.if_none_match = std::string(request_.headers.Get("If-None-Match"));
  preconditions_.require_if_match = service_.options().require_if_match && method_ != "POST";
  if (!bound_path_.filters.empty()) return NotOffered("a write to a filtered set");
  if (bound_path_.ref) return PrepareReference();
  if (bound_path_.kind == BoundPath::Kind::kProperty) return PrepareProperty();
  const ObjectRights& rights = principal_.RightsFor(object.name());
  const bool record = bound_path_.kind == BoundPath::Kind::kRecord;
  const std::string allow = AllowedMethods(object, rights, record);
  const ObjectOptions& options = object.options();
  const bool switched_on = method_ == "POST" ? options.create : method_ == "DELETE" ? options.remove : options.update;
  if (!switched_on) return MethodNotAllowed(method_, allow);
  if (!record && method_ == "PATCH" && IsDeltaPayload(request_.body)) return NotOffered("a change of a set by a delta payload");
  if (record ? method_ == "POST" : method_ != "POST") return MethodNotAllowed(method_, allow);

  if (method_ == "DELETE") {
    TABLECAST_RETURN_IF_ERROR(Require(object, &ObjectRights::remove, "delete"));
    write_kind_ = WriteKind::kDelete;
    write_object_ = &object;
    TABLECAST_ASSIGN_OR_RETURN(write_key_, KeyOfTarget(*bound_path_.start));
    return {};
  }
  TABLECAST_RETURN_IF_ERROR(method_ == "POST" ? Require(object, &ObjectRights::create, "create")
                                              : Require(object, &ObjectRights::update, "update"));
  TABLECAST_RETURN_IF_ERROR(RequireJson());
  const PayloadReader reader(principal_, [this](const std::string& id, const ExternalObject& target) {
    return ResolveReference(id, target);
  });
  TABLECAST_ASSIGN_OR_RETURN(Payload payload, reader.ReadEntity(request_.body, object));
  change_ = std::move(payload.change);
  if (method_ == "PUT") {
    // What a caller does not see is not his to reset.
    for (const Field& field : object.fields()) {
      if (principal_.HidesField(object.name(), field.name)) change_.kept.push_back(&field);
    }
  }
  if (preconditions_.if_match.empty()) preconditions_.if_match = payload.etag;
  if (method_ == "POST") {
    preconditions_ = {};
    if (bound_path_.start) {
      PathStart parent = *bound_path_.start;
      write_navigation_ = parent.steps.back().navigation;
      parent.steps.pop_back();
      write_object_ = parent.steps.empty() ? parent.object : parent.steps.back().navigation->target;
      write_kind_ = WriteKind::kCreateUnder;
      TABLECAST_ASSIGN_OR_RETURN(write_key_, KeyOfTarget(parent));
    } else {
      write_kind_ = WriteKind::kCreate;
    }
    return {};
  }
  write_kind_ = WriteKind::kUpdate;
  update_mode_ = method_ == "PUT" ? UpdateMode::kReplace : UpdateMode::kMerge;
  write_object_ = &object;
  TABLECAST_ASSIGN_OR_RETURN(write_key_, KeyOfTarget(*bound_path_.start));
  return {};
}

Status RequestHandler::ExecuteWrite(WriteTransaction& txn) {
  RecordWriter writer(store_, catalog_, request_.received);
  writer.report_values(service_.options().audit_values);
  Result<WrittenRecord> written = WrittenRecord{};
  switch (write_kind_) {
    case WriteKind::kCreate: written = writer.Create(txn, change_); break;
    case WriteKind::kCreateUnder:
      written = writer.CreateUnder(txn, *write_object_, write_key_, *write_navigation_, change_);
      break;
    case WriteKind::kUpdate: {
      // Without the right to create, a missing record stays missing.
      const bool upsert = bound_path_.kind == BoundPath::Kind::kRecord && bound_path_.start->steps.empty() &&
                          principal_.RightsFor(write_object_->name()).create;
      written = writer.Update(txn, write_key_, change_, update_mode_, preconditions_, upsert);
      break;
    }
    case WriteKind::kDelete: written = writer.Delete(txn, *write_object_, write_key_, preconditions_); break;
    case WriteKind::kSetReference:
      written = writer.SetReference(txn, *write_object_, write_key_, *write_navigation_, reference_, remove_reference_);
      break;
    case WriteKind::kNone: return MakeError(ErrorCode::kInternal, "write-unprepared", "a write was not prepared");
  }
  if (!written.ok()) return written.error();
  written_ = *std::move(written);
  written_url_ = EntityUrl(*written_.object, written_.external_id);
  return {};
}

Result<HttpResponse> RequestHandler::FinishWrite() {
  AuditDone();
  const std::string url = Root() + "/" + written_url_;
  const bool gone = write_kind_ == WriteKind::kDelete;
  if (gone || write_kind_ == WriteKind::kSetReference || bound_path_.kind == BoundPath::Kind::kProperty) {
    HttpResponse response = Respond(204, "", "", gone ? "delete" : "update");
    if (!gone && !written_.etag.empty()) response.headers.Set("ETag", "W/\"" + written_.etag + "\"");
    return response;
  }
  const bool representation = answer_ && preferences_.return_representation.value_or(written_.created);
  if (preferences_.return_representation) {
    preferences_.applied.push_back(*preferences_.return_representation ? "return=representation" : "return=minimal");
  }
  HttpResponse response;
  if (representation) {
    FillFormat(*answer_format_);
    QueryBinder binder = Binder();
    BoundQuery& bound = *answer_;
    // A deep insert answers with what was sent: its related records, expanded.
    for (const LinkedRecords& link : change_.links) {
      if (link.create.empty()) continue;
      const bool there = std::any_of(bound.query.expand.begin(), bound.query.expand.end(),
                                     [&](const ExpandItem& item) { return item.navigation == link.navigation; });
      if (there) continue;
      syntax::QueryOptions none;
      TABLECAST_ASSIGN_OR_RETURN(BoundQuery nested, binder.Bind(*link.navigation->target, none));
      nested.query.whole = true;
      ExpandItem item;
      item.navigation = link.navigation;
      item.query = std::make_shared<ObjectQuery>(std::move(nested.query));
      bound.query.expand.push_back(std::move(item));
      RecordShape::Expand shape;
      shape.navigation = link.navigation;
      shape.shape.push_back(std::move(nested.shape));
      bound.shape.expands.push_back(std::move(shape));
    }
    bound.query.start = PathStart{};
    bound.query.start->object = written_.object;
    bound.query.start->key.external_id = written_.external_id;
    auto page = engine_.Get(bound.query);
    if (page.ok() && !page->records.empty()) {
      const ResponseWriter writer(format_);
      response = Respond(written_.created ? 201 : 200, format_.content_type,
                         writer.Entity(*page, page->records.front(), bound.shape, ContextOf(bound.shape) + "/$entity"),
                         written_.created ? "create" : "update");
    } else {
      response = Respond(written_.created ? 201 : 204, "", "", written_.created ? "create" : "update");
    }
  } else {
    response = Respond(204, "", "", written_.created ? "create" : "update");
  }
  if (written_.created) response.headers.Set("Location", url);
  if (response.status == 204 || written_.created) response.headers.Set("OData-EntityId", url);
  if (!written_.etag.empty()) response.headers.Set("ETag", "W/\"" + written_.etag + "\"");
  return response;
}

Result<HttpResponse> RequestHandler::Write() {
  TABLECAST_RETURN_IF_ERROR(PrepareWrite());
  RecordWriter writer(store_, catalog_, request_.received);
  TABLECAST_RETURN_IF_ERROR(writer.Run([this](WriteTransaction& txn) { return ExecuteWrite(txn); }));
  return FinishWrite();
}

}  // namespace tablecast
