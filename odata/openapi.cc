// OpenAPI 3.0 for the same schema, and the comparison of two schemas.

#include <algorithm>
#include <map>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "odata/csdl.h"

namespace tablecast {

namespace {

const CsdlType* FindType(const Csdl& csdl, const std::string& qualified) {
  const std::string name = qualified.substr(qualified.rfind('.') + 1);
  for (const CsdlType& type : csdl.types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

const CsdlValue* FindAnnotation(const std::vector<CsdlAnnotation>& annotations, std::string_view term) {
  for (const CsdlAnnotation& annotation : annotations) {
    if (annotation.term == term) return &annotation.value;
  }
  return nullptr;
}

bool FlagOf(const CsdlSet& set, std::string_view term, std::string_view member) {
  const CsdlValue* record = FindAnnotation(set.annotations, term);
  if (record == nullptr) return false;
  for (const auto& [name, value] : record->members) {
    if (name == member) return value.boolean;
  }
  return false;
}

void PropertySchema(JsonWriter& json, const CsdlProperty& property) {
  static const std::map<std::string, std::pair<const char*, const char*>, std::less<>> kTypes = {
      {"Edm.String", {"string", ""}},           {"Edm.Decimal", {"number", "decimal"}},
      {"Edm.Boolean", {"boolean", ""}},         {"Edm.Int32", {"integer", "int32"}},
      {"Edm.Int64", {"integer", "int64"}},      {"Edm.DateTimeOffset", {"string", "date-time"}},
      {"Edm.Date", {"string", "date"}},         {"Edm.TimeOfDay", {"string", "time"}},
      {"Edm.Guid", {"string", "uuid"}},         {"Edm.Binary", {"string", "base64url"}},
      {"Edm.Duration", {"string", "duration"}}, {"Edm.Double", {"number", "double"}},
  };
  json.BeginObject();
  if (property.collection) json.Key("type").String("array").Key("items").BeginObject();
  const auto type = kTypes.find(property.type);
  if (type == kTypes.end()) {
    json.Key("$ref").String("#/components/schemas/" + property.type.substr(property.type.rfind('.') + 1));
  } else {
    json.Key("type").String(type->second.first);
    if (*type->second.second != '\0') json.Key("format").String(type->second.second);
    if (property.max_length && property.type == "Edm.String") json.Key("maxLength").Uint(*property.max_length);
    if (const CsdlValue* allowed = FindAnnotation(property.annotations, "Validation.AllowedValues")) {
      json.Key("enum").BeginArray();
      for (const CsdlValue& value : allowed->elements) json.String(value.members.front().second.text);
      json.EndArray();
    }
    for (const auto& [term, key] : {std::pair{"Validation.Minimum", "minimum"}, {"Validation.Maximum", "maximum"}}) {
      if (const CsdlValue* bound = FindAnnotation(property.annotations, term)) json.Key(key).RawNumber(bound->text);
    }
    if (property.nullable) json.Key("nullable").Bool(true);
    if (FindAnnotation(property.annotations, "Core.Computed") != nullptr) json.Key("readOnly").Bool(true);
    if (const CsdlValue* text = FindAnnotation(property.annotations, "Core.Description")) {
      json.Key("description").String(text->text);
    }
  }
  if (property.collection) json.EndObject();
  json.EndObject();
}

void QueryParameter(JsonWriter& json, const char* name, const char* type, const char* description) {
  json.BeginObject().Key("name").String(name).Key("in").String("query").Key("description").String(description);
  json.Key("schema").BeginObject().Key("type").String(type);
  if (std::string_view(type) == "integer") json.Key("minimum").Int(0);
  json.EndObject().EndObject();
}

void JsonContent(JsonWriter& json, const std::string& schema, bool list) {
  json.Key("content").BeginObject().Key("application/json").BeginObject().Key("schema").BeginObject();
  if (list) {
    json.Key("type").String("object").Key("properties").BeginObject();
    json.Key("@odata.count").BeginObject().Key("type").String("integer").EndObject();
    json.Key("@odata.nextLink").BeginObject().Key("type").String("string").EndObject();
    json.Key("value").BeginObject().Key("type").String("array").Key("items").BeginObject();
    json.Key("$ref").String("#/components/schemas/" + schema).EndObject().EndObject().EndObject();
  } else {
    json.Key("$ref").String("#/components/schemas/" + schema);
  }
  json.EndObject().EndObject().EndObject();
}

void Responses(JsonWriter& json, const char* status, const std::string& schema, bool list) {
  json.Key("responses").BeginObject();
  json.Key(status).BeginObject().Key("description").String("Success");
  if (!schema.empty()) JsonContent(json, schema, list);
  json.EndObject();
  json.Key("4XX").BeginObject().Key("description").String("Error");
  JsonContent(json, "Error", false);
  json.EndObject().EndObject();
}

void KeyParameter(JsonWriter& json, const CsdlType& type) {
  json.Key("parameters").BeginArray().BeginObject();
  json.Key("name").String(type.key.empty() ? "key" : type.key.front()).Key("in").String("path");
  json.Key("required").Bool(true).Key("schema").BeginObject().Key("type").String("string").EndObject();
  json.EndObject().EndArray();
}

void SetPaths(JsonWriter& json, const Csdl& csdl, const CsdlSet& set) {
  const CsdlType* type = FindType(csdl, set.type);
  if (type == nullptr) return;
  json.Key("/" + set.name).BeginObject();
  json.Key("get").BeginObject().Key("summary").String("List " + set.name);
  json.Key("operationId").String("list" + set.name).Key("tags").BeginArray().String(set.name).EndArray();
  json.Key("parameters").BeginArray();
  QueryParameter(json, "$filter", "string", "Condition on the properties; only matching records are returned");
  QueryParameter(json, "$orderby", "string", "Properties to order by, each with asc or desc");
  QueryParameter(json, "$select", "string", "Properties to return");
  QueryParameter(json, "$expand", "string", "Related records to include");
  QueryParameter(json, "$search", "string", "Words to look for");
  QueryParameter(json, "$top", "integer", "Most records to return");
  QueryParameter(json, "$skip", "integer", "Records to pass over");
  QueryParameter(json, "$count", "boolean", "Include the number of matches");
  json.EndArray();
  Responses(json, "200", type->name, true);
  json.EndObject();
  if (FlagOf(set, "Capabilities.InsertRestrictions", "Insertable")) {
    json.Key("post").BeginObject().Key("summary").String("Create one of " + set.name);
    json.Key("operationId").String("create" + set.name).Key("tags").BeginArray().String(set.name).EndArray();
    json.Key("requestBody").BeginObject().Key("required").Bool(true);
    JsonContent(json, type->name, false);
    json.EndObject();
    Responses(json, "201", type->name, false);
    json.EndObject();
  }
  json.EndObject();

  const std::string key = type->key.empty() ? "key" : type->key.front();
  json.Key("/" + set.name + "('{" + key + "}')").BeginObject();
  KeyParameter(json, *type);
  json.Key("get").BeginObject().Key("summary").String("One of " + set.name + " by its key");
  json.Key("operationId").String("get" + set.name).Key("tags").BeginArray().String(set.name).EndArray();
  Responses(json, "200", type->name, false);
  json.EndObject();
  if (FlagOf(set, "Capabilities.UpdateRestrictions", "Updatable")) {
    json.Key("patch").BeginObject().Key("summary").String("Change one of " + set.name);
    json.Key("operationId").String("update" + set.name).Key("tags").BeginArray().String(set.name).EndArray();
    json.Key("requestBody").BeginObject().Key("required").Bool(true);
    JsonContent(json, type->name, false);
    json.EndObject();
    Responses(json, "204", "", false);
    json.EndObject();
  }
  if (FlagOf(set, "Capabilities.DeleteRestrictions", "Deletable")) {
    json.Key("delete").BeginObject().Key("summary").String("Delete one of " + set.name);
    json.Key("operationId").String("delete" + set.name).Key("tags").BeginArray().String(set.name).EndArray();
    Responses(json, "204", "", false);
    json.EndObject();
  }
  json.EndObject();
}

}  // namespace

std::string OpenApiJson(const Csdl& csdl, const std::string& title, const std::string& service_root) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject().Key("openapi").String("3.0.3");
  json.Key("info").BeginObject().Key("title").String(title).Key("version").String(csdl.schema_version).EndObject();
  json.Key("servers").BeginArray().BeginObject().Key("url").String(service_root).EndObject().EndArray();
  json.Key("tags").BeginArray();
  for (const CsdlSet& set : csdl.sets) json.BeginObject().Key("name").String(set.name).EndObject();
  json.EndArray();
  json.Key("paths").BeginObject();
  for (const CsdlSet& set : csdl.sets) SetPaths(json, csdl, set);
  json.EndObject();
  json.Key("components").BeginObject().Key("schemas").BeginObject();
  for (const CsdlType& type : csdl.types) {
    json.Key(type.name).BeginObject().Key("type").String("object").Key("properties").BeginObject();
    for (const CsdlProperty& property : type.properties) {
      json.Key(property.name);
      PropertySchema(json, property);
    }
    json.EndObject().EndObject();
  }
  json.Key("Error").BeginObject().Key("type").String("object").Key("properties").BeginObject();
  json.Key("error").BeginObject().Key("type").String("object").Key("properties").BeginObject();
  for (const char* name : {"code", "message", "target"}) json.Key(name).BeginObject().Key("type").String("string").EndObject();
  json.EndObject().EndObject().EndObject().EndObject();
  json.EndObject().EndObject().EndObject();
  return out;
}

namespace {

std::string ShortType(const JsonValue& property) {
  std::string text;
  for (const char* facet : {"$Kind", "$Type", "$Collection", "$Nullable", "$MaxLength", "$Precision", "$Scale"}) {
    const JsonValue* value = property.Find(facet);
    if (value == nullptr || std::string_view(facet) == "$Kind") continue;
    if (!text.empty()) text += ", ";
    text += std::string(facet + 1) + " " + (value->type == JsonType::kBool ? (value->boolean ? "true" : "false") : value->text);
  }
  return text.empty() ? "Edm.String" : text;
}

using Members = std::map<std::string, const JsonValue*>;

Members TypesOf(const JsonValue& document) {
  Members types;
  for (const JsonMember& schema : document.members) {
    if (schema.name.front() == '$' || schema.name == "tablecast.v1") continue;
    for (const JsonMember& element : schema.value.members) {
      const JsonValue* kind = element.value.Find("$Kind");
      if (kind != nullptr && (kind->text == "EntityType" || kind->text == "ComplexType")) types[element.name] = &element.value;
    }
  }
  return types;
}

Members PropertiesOf(const JsonValue& type) {
  Members properties;
  for (const JsonMember& member : type.members) {
    if (member.name.front() != '$' && member.name.front() != '@') properties[member.name] = &member.value;
  }
  return properties;
}

}  // namespace

Result<std::vector<std::string>> CompareCsdlJson(const std::string& before, const std::string& now) {
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue old_document, ParseJson(before));
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue new_document, ParseJson(now));
  if (old_document.Find("$Version") == nullptr) {
    return MakeError(ErrorCode::kInvalidArgument, "csdl-json-expected", "the earlier file is no CSDL JSON document", "",
                     "make it with: tablecast metadata --format json");
  }
  std::vector<std::string> changes;
  const Members old_types = TypesOf(old_document);
  const Members new_types = TypesOf(new_document);
  for (const auto& [name, type] : old_types) {
    if (!new_types.contains(name)) changes.push_back("object " + name + " is gone: the client's table would be orphaned");
  }
  for (const auto& [name, type] : new_types) {
    const auto old_type = old_types.find(name);
    if (old_type == old_types.end()) {
      changes.push_back("object " + name + " is new");
      continue;
    }
    const Members old_properties = PropertiesOf(*old_type->second);
    const Members new_properties = PropertiesOf(*type);
    for (const auto& [property, value] : old_properties) {
      const auto other = new_properties.find(property);
      if (other == new_properties.end()) {
        changes.push_back("field " + name + "." + property + " is gone");
      } else if (ShortType(*value) != ShortType(*other->second)) {
        changes.push_back("field " + name + "." + property + " changes: " + ShortType(*value) + " -> " +
                          ShortType(*other->second));
      }
    }
    for (const auto& [property, value] : new_properties) {
      if (!old_properties.contains(property)) {
        changes.push_back("field " + name + "." + property + " is new: " + ShortType(*value));
      }
    }
  }
  return changes;
}

}  // namespace tablecast
