#include "odata/json_payload.h"

#include <algorithm>

#include "base/base64.h"

namespace tablecast {

namespace {

constexpr int kMaxDeepInsert = 5;

Error TypeError(const Field& field, const std::string& expected, const JsonValue& json) {
  static constexpr const char* kNames[] = {"null", "a Boolean", "a number", "text", "an array", "an object"};
  return MakeError(ErrorCode::kInvalidArgument, "value-type",
                   "`" + field.name + "` is " + expected + ", not " + kNames[static_cast<std::size_t>(json.type)], field.name);
}

Result<EdmValue> FromText(const Field& field, EdmKind kind, const std::string& text) {
  // A CRM's date field comes with a time of midnight, and its date-time fields in any ISO form.
  if (kind == EdmKind::kDateTimeOffset || kind == EdmKind::kDate) {
    const auto iso = ParseIso8601(text, 0);
    if (iso.ok()) {
      if (kind == EdmKind::kDateTimeOffset) return EdmValue::DateTimeOffset(iso->instant);
      if (TimeOf(iso->instant).nanos == 0) return EdmValue::OfDate(DateOf(iso->instant));
    }
  }
  auto value = ParseEdm(kind, text);
  if (value.ok()) return value;
  Error error = value.error();
  error.reason = "value-type";
  error.target = field.name;
  return error;
}

Result<EdmValue> Single(const JsonValue& json, const Field& field, EdmKind kind) {
  if (json.type == JsonType::kNull) return EdmValue::Null();
  switch (kind) {
    case EdmKind::kBoolean:
      if (json.type != JsonType::kBool) return TypeError(field, "a Boolean", json);
      return EdmValue::Boolean(json.boolean);
    case EdmKind::kString:
      if (!json.IsString()) return TypeError(field, "text", json);
      return EdmValue::String(json.text);
    case EdmKind::kComplex: {
      if (!json.IsObject()) return TypeError(field, "an object", json);
      EdmValue::Complex members;
      for (const JsonMember& member : json.members) {
        if (member.name.find('@') != std::string::npos) continue;
        const auto found = std::find_if(field.members.begin(), field.members.end(),
                                        [&](const Field& candidate) { return candidate.name == member.name; });
        if (found == field.members.end() || found->hidden) {
          return MakeError(ErrorCode::kInvalidArgument, "property-unknown",
                           "`" + field.name + "` has no member `" + member.name + "`", field.name + "/" + member.name);
        }
        TABLECAST_ASSIGN_OR_RETURN(EdmValue value, ValueFromJson(member.value, *found));
        members.emplace_back(member.name, std::move(value));
      }
      return EdmValue::OfComplex(std::move(members));
    }
    default:
      if (IsNumeric(kind)) {
        if (!json.IsNumber() && !json.IsString()) return TypeError(field, "a number", json);
        return FromText(field, kind, json.text);
      }
      if (!json.IsString()) return TypeError(field, "a text of the type " + std::string(EdmKindName(kind)), json);
      return FromText(field, kind, json.text);
  }
}

bool EndsWithControl(std::string_view name, std::string_view control) {
  return name.ends_with("@odata." + std::string(control)) || name.ends_with("@" + std::string(control));
}

}  // namespace

Result<EdmValue> ValueFromJson(const JsonValue& json, const Field& field) {
  if (!field.PublishedAsCollection()) {
    return Single(json, field, field.collection ? EdmKind::kString : field.kind);
  }
  if (json.type == JsonType::kNull) return EdmValue::Null();
  if (!json.IsArray()) return TypeError(field, "an array", json);
  EdmValue::Collection elements;
  for (const JsonValue& element : json.elements) {
    TABLECAST_ASSIGN_OR_RETURN(EdmValue value, Single(element, field, field.kind));
    elements.push_back(std::move(value));
  }
  return EdmValue::OfCollection(std::move(elements));
}

Result<EdmValue> ValueFromText(std::string_view text, const Field& field) {
  if (field.kind == EdmKind::kString) return EdmValue::String(std::string(text));
  if (field.kind == EdmKind::kBinary) return EdmValue::Binary(std::string(text));
  return FromText(field, field.kind, std::string(text));
}

std::string ReferenceOf(const JsonValue& json) {
  for (const char* name : {"@odata.id", "@id"}) {
    const JsonValue* id = json.Find(name);
    if (id != nullptr && id->IsString()) return id->text;
  }
  return "";
}

// A link over a collection is written into the records that it names.
Status PayloadReader::MayLink(const Navigation& navigation) const {
  if (!navigation.collection || principal_.RightsFor(navigation.target->name()).update) return {};
  return MakeError(ErrorCode::kPermissionDenied, "update-forbidden", "you may not update records of " + navigation.target->name());
}

Result<Payload> PayloadReader::Entity(const JsonValue& json, const ExternalObject& object, int depth) const {
  if (!json.IsObject()) {
    return MakeError(ErrorCode::kInvalidArgument, "payload-object", "the body is a JSON object with the record's properties");
  }
  if (depth > kMaxDeepInsert) {
    return MakeError(ErrorCode::kResourceExhausted, "deep-insert-depth", "related records may nest 5 levels deep");
  }
  Payload payload;
  payload.change.object = &object;
  // The last of a name counts.
  std::vector<const JsonMember*> members;
  for (const JsonMember& member : json.members) {
    std::erase_if(members, [&](const JsonMember* other) { return other->name == member.name; });
    members.push_back(&member);
  }
  const auto links_of = [&payload](const Navigation& navigation) -> LinkedRecords& {
    for (LinkedRecords& links : payload.change.links) {
      if (links.navigation == &navigation) return links;
    }
    payload.change.links.push_back({&navigation, {}, {}});
    return payload.change.links.back();
  };
  for (const JsonMember* member : members) {
    const std::string& name = member->name;
    const JsonValue& value = member->value;
    if (const std::size_t at = name.find('@'); at != std::string::npos) {
      if (at == 0) {
        if (EndsWithControl(name, "etag") && value.IsString()) payload.etag = value.text;
        continue;  // ids, types, contexts and annotations of a record are not written
      }
      if (!EndsWithControl(name, "bind")) continue;
      const Navigation* navigation = object.FindNavigation(name.substr(0, at));
      if (navigation == nullptr) {
        return MakeError(ErrorCode::kInvalidArgument, "navigation-unknown",
                         object.name() + " has no navigation property `" + name.substr(0, at) + "`", name);
      }
      TABLECAST_RETURN_IF_ERROR(MayLink(*navigation));
      LinkedRecords& links = links_of(*navigation);
      const std::vector<JsonValue> single{value};
      for (const JsonValue& id : value.IsArray() ? value.elements : single) {
        if (id.type == JsonType::kNull && !navigation->collection) continue;  // takes the link away
        if (!id.IsString()) return MakeError(ErrorCode::kInvalidArgument, "bind-id", "a bind names records by their ids", name);
        TABLECAST_ASSIGN_OR_RETURN(RecordKey key, resolve_(id.text, *navigation->target));
        links.bind.push_back(std::move(key));
      }
      continue;
    }
    const Navigation* navigation = object.FindNavigation(name);
    if (navigation != nullptr && principal_.RightsFor(navigation->target->name()).read) {
      LinkedRecords& links = links_of(*navigation);
      if (value.type == JsonType::kNull) continue;
      if (navigation->collection != value.IsArray()) {
        return MakeError(ErrorCode::kInvalidArgument, "value-type",
                         "`" + name + "` is " + (navigation->collection ? "an array of records" : "one record"), name);
      }
      const std::vector<JsonValue> single{value};
      for (const JsonValue& related : value.IsArray() ? value.elements : single) {
        const std::string id = related.IsObject() && related.members.size() == 1 ? ReferenceOf(related) : "";
        if (!id.empty()) {
          TABLECAST_RETURN_IF_ERROR(MayLink(*navigation));
          TABLECAST_ASSIGN_OR_RETURN(RecordKey key, resolve_(id, *navigation->target));
          links.bind.push_back(std::move(key));
          continue;
        }
        if (!principal_.RightsFor(navigation->target->name()).create) {
          return MakeError(ErrorCode::kPermissionDenied, "create-forbidden", "you may not create records of " + navigation->target->name());
        }
        auto nested = Entity(related, *navigation->target, depth + 1);
        if (!nested.ok()) {
          Error error = nested.error();
          error.target = name + (error.target.empty() ? "" : "/" + error.target);
          return error;
        }
        links.create.push_back(std::move(nested->change));
      }
      continue;
    }
    const Field* field = object.FindField(name);
    if (field == nullptr || field->hidden || principal_.HidesField(object.name(), name)) {
      const auto nearest = object.NearestFieldName(name);
      const bool may_name = nearest && !principal_.HidesField(object.name(), *nearest);
      return MakeError(ErrorCode::kInvalidArgument, "property-unknown", object.name() + " has no property `" + name + "`", name,
                       may_name ? "did you mean `" + *nearest + "`?" : "");
    }
    TABLECAST_ASSIGN_OR_RETURN(EdmValue edm, ValueFromJson(value, *field));
    payload.change.fields.push_back({field, std::move(edm), {}});
  }
  return payload;
}

Result<Payload> PayloadReader::ReadEntity(std::string_view body, const ExternalObject& object) const {
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue json, ParseJson(body));
  return Entity(json, object, 0);
}

Result<EdmValue> PayloadReader::ReadValue(std::string_view body, const Field& field) const {
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue json, ParseJson(body));
  if (field.kind == EdmKind::kComplex && !field.PublishedAsCollection() && json.IsObject() && json.Find("value") == nullptr) {
    return ValueFromJson(json, field);
  }
  const JsonValue* value = json.Find("value");
  if (value == nullptr) {
    return MakeError(ErrorCode::kInvalidArgument, "payload-value", "the body is {\"value\": …}", field.name);
  }
  return ValueFromJson(*value, field);
}

}  // namespace tablecast
