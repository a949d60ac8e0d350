#include "item/item_json.h"

// IMPLEMENTATION. Reading walks the JSON tree; a chain of stack frames (json_path.h) knows the
// place for errors and warnings. The walk has its own depth budget, whatever the reader's options
// allowed. Tested by tests/item/item_json_test.cc and tests/fuzz/item_json_fuzz.cc.

#include <optional>
#include <utility>

#include "base/base64.h"
#include "item/json_path.h"

namespace tablecast {
namespace {

using internal::JsonPath;

// UNITS: frames; typed JSON takes two for each level of a value. Far above DynamoDB's 32 levels,
// which ValidateItem judges.
constexpr int kMaxJsonDepth = 200;

Error ErrorAt(const JsonPath& path, const JsonValue& json, std::string reason,
              std::string message) {
  return MakeError(ErrorCode::kInvalidArgument, std::move(reason), std::move(message),
                   path.ToString(), {}, json.span.begin);
}

// Gives an error from below the place it concerns.
Error Placed(Error error, const JsonPath& path, const JsonValue& json) {
  error.target = path.ToString();
  error.position = json.span.begin;
  return error;
}

Error TooDeep(const JsonPath& path, const JsonValue& json) {
  return ErrorAt(
      path, json, "nesting",
      "Nesting Levels have exceeded supported limits: Attributes in the item have nested "
      "levels beyond supported limit");
}

// DynamoDB's word for a JSON value in the wrong place, as in "NUMBER_VALUE cannot be converted to
// String".
std::string_view TokenName(const JsonValue& json) {
  switch (json.type) {
    case JsonType::kNull: return "NULL_VALUE";
    case JsonType::kBool: return json.boolean ? "TRUE_VALUE" : "FALSE_VALUE";
    case JsonType::kNumber: return "NUMBER_VALUE";
    case JsonType::kString: return "STRING_VALUE";
    case JsonType::kArray: return "START_ARRAY";
    case JsonType::kObject: return "START_OBJECT";
  }
  return "VALUE";
}

Error WrongPayload(const JsonPath& path, const JsonValue& json, std::string_view wanted) {
  return ErrorAt(path, json, "value-payload",
                 std::string(TokenName(json)) + " cannot be converted to " + std::string(wanted));
}

// The tag of an object with exactly one member that names a type.
std::optional<AttributeType> TagOf(const JsonValue& json) {
  if (!json.IsObject() || json.members.size() != 1) return std::nullopt;
  return AttributeTypeFromName(json.members[0].name);
}

class TypedReader {
 public:
  TypedReader(const ItemJsonOptions& options, std::vector<Issue>* warnings)
      : options_(options), warnings_(warnings) {}

  Result<Item> ReadItem(const JsonValue& json) const {
    const JsonPath root;
    if (!json.IsObject()) {
      return ErrorAt(root, json, "item-not-object", "an item is a JSON object of attributes");
    }
    return ReadMembers(json, root, Place::kTop);
  }

  Result<AttributeValue> ReadValue(const JsonValue& json) const {
    return Read(json, JsonPath(), Place::kTop);
  }

 private:
  enum class Place { kTop, kNested };

  Result<AttributeValue> Read(const JsonValue& json, const JsonPath& path, Place place) const {
    if (path.depth() > kMaxJsonDepth) return TooDeep(path, json);
    const std::optional<AttributeType> tag = TagOf(json);
    if (tag) {
      const JsonMember& member = json.members[0];
      return ReadPayload(*tag, member.value, JsonPath(path, member.name));
    }
    if (place == Place::kNested && options_.tolerant) return ReadUntyped(json, path);
    return NotTyped(json, path);
  }

  static Error NotTyped(const JsonValue& json, const JsonPath& path) {
    if (!json.IsObject()) {
      return ErrorAt(path, json, "value-type",
                     "a value is an object with one type tag such as {\"S\": ...}; this is " +
                         std::string(TokenName(json)));
    }
    if (json.members.empty()) {
      return ErrorAt(path, json, "value-type",
                     "Supplied AttributeValue is empty, must contain exactly one of the supported "
                     "datatypes");
    }
    if (json.members.size() > 1) {
      return ErrorAt(
          path, json, "value-type",
          "Supplied AttributeValue has more than one datatypes set, must contain exactly one "
          "of the supported datatypes");
    }
    return ErrorAt(path, json, "value-type",
                   "'" + json.members[0].name +
                       "' is no type tag; the tags are S, N, B, BOOL, NULL, M, L, SS, NS and BS");
  }

  Result<AttributeValue> ReadPayload(AttributeType type, const JsonValue& json,
                                     const JsonPath& path) const {
    switch (type) {
      case AttributeType::kS:
        if (!json.IsString()) return WrongPayload(path, json, "String");
        return AttributeValue::String(json.text);
      case AttributeType::kN: {
        if (!json.IsString()) return WrongPayload(path, json, "String");
        auto value = AttributeValue::NumberFromText(json.text);
        if (!value.ok()) return Placed(std::move(value).error(), path, json);
        return value;
      }
      case AttributeType::kB: {
        if (!json.IsString()) return WrongPayload(path, json, "Blob");
        auto bytes = DecodeBase64(json.text);
        if (!bytes.ok()) return Placed(std::move(bytes).error(), path, json);
        return AttributeValue::Binary(*std::move(bytes));
      }
      case AttributeType::kBool:
        if (json.type != JsonType::kBool) return WrongPayload(path, json, "Boolean");
        return AttributeValue::Bool(json.boolean);
      case AttributeType::kNull:
        if (json.type != JsonType::kBool) return WrongPayload(path, json, "Boolean");
        if (!json.boolean) {
          return ErrorAt(
              path, json, "null-value",
              "One or more parameter values were invalid: Null attribute value types must "
              "have the value of true");
        }
        return AttributeValue::Null();
      case AttributeType::kM: {
        if (!json.IsObject()) return WrongPayload(path, json, "Map");
        TABLECAST_ASSIGN_OR_RETURN(AttributeValue::Map map,
                                   ReadMembers(json, path, Place::kNested));
        return AttributeValue::MapOf(std::move(map));
      }
      case AttributeType::kL:
        if (!json.IsArray()) return WrongPayload(path, json, "List");
        return ReadElements(json, path);
      case AttributeType::kSS:
      case AttributeType::kNS:
      case AttributeType::kBS: return ReadSet(type, json, path);
    }
    return NotTyped(json, path);
  }

  Result<AttributeValue::Map> ReadMembers(const JsonValue& json, const JsonPath& path,
                                          Place place) const {
    AttributeValue::Map map;
    for (const JsonMember& member : json.members) {
      const JsonPath below(path, member.name);
      TABLECAST_ASSIGN_OR_RETURN(AttributeValue value, Read(member.value, below, place));
      const bool fresh = map.insert_or_assign(member.name, std::move(value)).second;
      if (!fresh) {
        Warn("duplicate-name", "the name appears twice in one object; the last value counts", below,
             member.name_span);
      }
    }
    return map;
  }

  Result<AttributeValue> ReadElements(const JsonValue& json, const JsonPath& path) const {
    AttributeValue::List list;
    list.reserve(json.elements.size());
    for (std::size_t i = 0; i < json.elements.size(); ++i) {
      TABLECAST_ASSIGN_OR_RETURN(AttributeValue value,
                                 Read(json.elements[i], JsonPath(path, i), Place::kNested));
      list.push_back(std::move(value));
    }
    return AttributeValue::ListOf(std::move(list));
  }

  static Result<AttributeValue> ReadSet(AttributeType type, const JsonValue& json,
                                        const JsonPath& path) {
    if (!json.IsArray()) return WrongPayload(path, json, "Set");
    AttributeValue::Set elements;
    elements.reserve(json.elements.size());
    for (std::size_t i = 0; i < json.elements.size(); ++i) {
      const JsonValue& element = json.elements[i];
      const JsonPath below(path, i);
      if (!element.IsString()) {
        return WrongPayload(below, element, type == AttributeType::kBS ? "Blob" : "String");
      }
      Result<std::string> stored = type == AttributeType::kNS   ? EncodeNumberText(element.text)
                                   : type == AttributeType::kBS ? DecodeBase64(element.text)
                                                                : Result<std::string>(element.text);
      if (!stored.ok()) return Placed(std::move(stored).error(), below, element);
      elements.push_back(*std::move(stored));
    }
    auto set = AttributeValue::SetOf(type, std::move(elements));
    if (!set.ok()) return Placed(std::move(set).error(), path, json);
    return set;
  }

  // Tolerant: a value without a tag, inside M or L. Typed values may follow further down
  // ({"M": {"M": {"hp": {"N": "50"}}}} has a wrapper too many, not a map of maps of "N").
  Result<AttributeValue> ReadUntyped(const JsonValue& json, const JsonPath& path) const {
    Warn("plain-json-value", "a value without a type tag is taken as plain JSON", path, json.span);
    switch (json.type) {
      case JsonType::kNull: return AttributeValue::Null();
      case JsonType::kBool: return AttributeValue::Bool(json.boolean);
      case JsonType::kString: return AttributeValue::String(json.text);
      case JsonType::kNumber: {
        auto value = AttributeValue::NumberFromText(json.text);
        if (!value.ok()) return Placed(std::move(value).error(), path, json);
        return value;
      }
      case JsonType::kArray: return ReadElements(json, path);
      case JsonType::kObject: break;
    }
    TABLECAST_ASSIGN_OR_RETURN(AttributeValue::Map map, ReadMembers(json, path, Place::kNested));
    return AttributeValue::MapOf(std::move(map));
  }

  void Warn(std::string code, std::string message, const JsonPath& path,
            const TextSpan& span) const {
    if (warnings_ == nullptr) return;
    warnings_->push_back({.severity = Severity::kWarning,
                          .code = std::move(code),
                          .message = std::move(message),
                          .remedy = {},
                          .target = path.ToString(),
                          .span = span,
                          .file = {}});
  }

  const ItemJsonOptions& options_;
  std::vector<Issue>* warnings_;
};

Result<AttributeValue::Map> ReadPlainMembers(const JsonValue& json, const JsonPath& path);

// {"wrapperName":"Set","values":[...],"type":"String"}: how the DocumentClient of JavaScript prints a set.
// nullopt when the object is an ordinary map, or its values are no set of one type.
std::optional<AttributeValue> ReadPrintedSet(const JsonValue& json) {
  const JsonValue* name = json.Find("wrapperName");
  const JsonValue* values = json.Find("values");
  if (name == nullptr || !name->IsString() || name->text != "Set") return std::nullopt;
  if (values == nullptr || !values->IsArray() || values->elements.empty()) return std::nullopt;
  if (json.members.size() != 2 && (json.members.size() != 3 || json.Find("type") == nullptr)) return std::nullopt;
  const bool numbers = values->elements.front().IsNumber();
  AttributeValue::Set elements;
  for (const JsonValue& element : values->elements) {
    if (numbers ? !element.IsNumber() : !element.IsString()) return std::nullopt;
    auto stored = numbers ? EncodeNumberText(element.text) : Result<std::string>(element.text);
    if (!stored.ok()) return std::nullopt;
    elements.push_back(*std::move(stored));
  }
  auto set = AttributeValue::SetOf(numbers ? AttributeType::kNS : AttributeType::kSS, std::move(elements));
  if (!set.ok()) return std::nullopt;
  return *std::move(set);
}

Result<AttributeValue> ReadPlain(const JsonValue& json, const JsonPath& path) {
  if (path.depth() > kMaxJsonDepth) return TooDeep(path, json);
  switch (json.type) {
    case JsonType::kNull: return AttributeValue::Null();
    case JsonType::kBool: return AttributeValue::Bool(json.boolean);
    case JsonType::kString: return AttributeValue::String(json.text);
    case JsonType::kNumber: {
      auto value = AttributeValue::NumberFromText(json.text);
      if (!value.ok()) return Placed(std::move(value).error(), path, json);
      return value;
    }
    case JsonType::kArray: {
      AttributeValue::List list;
      list.reserve(json.elements.size());
      for (std::size_t i = 0; i < json.elements.size(); ++i) {
        TABLECAST_ASSIGN_OR_RETURN(AttributeValue value,
                                   ReadPlain(json.elements[i], JsonPath(path, i)));
        list.push_back(std::move(value));
      }
      return AttributeValue::ListOf(std::move(list));
    }
    case JsonType::kObject: break;
  }
  if (auto set = ReadPrintedSet(json)) return *std::move(set);
  TABLECAST_ASSIGN_OR_RETURN(AttributeValue::Map map, ReadPlainMembers(json, path));
  return AttributeValue::MapOf(std::move(map));
}

Result<AttributeValue::Map> ReadPlainMembers(const JsonValue& json, const JsonPath& path) {
  AttributeValue::Map map;
  for (const JsonMember& member : json.members) {
    TABLECAST_ASSIGN_OR_RETURN(AttributeValue value,
                               ReadPlain(member.value, JsonPath(path, member.name)));
    map.insert_or_assign(member.name, std::move(value));
  }
  return map;
}

}  // namespace

Result<Item> ItemFromDynamoDbJson(const JsonValue& json, const ItemJsonOptions& options,
                                  std::vector<Issue>* warnings) {
  return TypedReader(options, warnings).ReadItem(json);
}

Result<AttributeValue> ValueFromDynamoDbJson(const JsonValue& json, const ItemJsonOptions& options,
                                             std::vector<Issue>* warnings) {
  return TypedReader(options, warnings).ReadValue(json);
}

Result<Item> ItemFromPlainJson(const JsonValue& json) {
  const JsonPath root;
  if (!json.IsObject()) {
    return ErrorAt(root, json, "item-not-object", "an item is a JSON object of attributes");
  }
  return ReadPlainMembers(json, root);
}

Result<AttributeValue> ValueFromPlainJson(const JsonValue& json) {
  return ReadPlain(json, JsonPath());
}

void WriteDynamoDbJson(JsonWriter& json, const Item& item) {
  json.BeginObject();
  for (const auto& [name, value] : item) {
    json.Key(name);
    WriteDynamoDbJson(json, value);
  }
  json.EndObject();
}

void WriteDynamoDbJson(JsonWriter& json, const AttributeValue& value) {
  json.BeginObject().Key(AttributeTypeName(value.type()));
  switch (value.type()) {
    case AttributeType::kS: json.String(value.text()); break;
    case AttributeType::kN: json.String(value.NumberAsText()); break;
    case AttributeType::kB: json.String(EncodeBase64(value.bytes())); break;
    case AttributeType::kBool: json.Bool(value.boolean()); break;
    case AttributeType::kNull: json.Bool(true); break;
    case AttributeType::kM: WriteDynamoDbJson(json, value.map()); break;
    case AttributeType::kL:
      json.BeginArray();
      for (const AttributeValue& element : value.list()) WriteDynamoDbJson(json, element);
      json.EndArray();
      break;
    case AttributeType::kSS:
      json.BeginArray();
      for (const std::string& element : value.set()) json.String(element);
      json.EndArray();
      break;
    case AttributeType::kNS:
      json.BeginArray();
      for (const std::string& code : value.set()) json.String(NumberText(code));
      json.EndArray();
      break;
    case AttributeType::kBS:
      json.BeginArray();
      for (const std::string& element : value.set()) json.String(EncodeBase64(element));
      json.EndArray();
      break;
  }
  json.EndObject();
}

void WritePlainJson(JsonWriter& json, const Item& item) {
  json.BeginObject();
  for (const auto& [name, value] : item) {
    json.Key(name);
    WritePlainJson(json, value);
  }
  json.EndObject();
}

void WritePlainJson(JsonWriter& json, const AttributeValue& value) {
  switch (value.type()) {
    case AttributeType::kS: json.String(value.text()); break;
    case AttributeType::kN: json.RawNumber(value.NumberAsText()); break;
    case AttributeType::kB: json.String(EncodeBase64(value.bytes())); break;
    case AttributeType::kBool: json.Bool(value.boolean()); break;
    case AttributeType::kNull: json.Null(); break;
    case AttributeType::kM: WritePlainJson(json, value.map()); break;
    case AttributeType::kL:
      json.BeginArray();
      for (const AttributeValue& element : value.list()) WritePlainJson(json, element);
      json.EndArray();
      break;
    case AttributeType::kSS:
      json.BeginArray();
      for (const std::string& element : value.set()) json.String(element);
      json.EndArray();
      break;
    case AttributeType::kNS:
      json.BeginArray();
      for (const std::string& code : value.set()) json.RawNumber(NumberText(code));
      json.EndArray();
      break;
    case AttributeType::kBS:
      json.BeginArray();
      for (const std::string& element : value.set()) json.String(EncodeBase64(element));
      json.EndArray();
      break;
  }
}

}  // namespace tablecast
