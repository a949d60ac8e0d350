// Prints of a Csdl tree: XML by pugixml, JSON by JsonWriter.

#include <algorithm>
#include <array>
#include <sstream>

#include <pugixml.hpp>

#include "base/json_writer.h"
#include "odata/csdl.h"

namespace tablecast {

namespace {

struct Vocabulary {
  const char* uri;
  const char* name;
  const char* alias;
};
constexpr std::array<Vocabulary, 6> kVocabularies = {{
    {"https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Aggregation.V1.xml",
     "Org.OData.Aggregation.V1", "Aggregation"},
    {"https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Capabilities.V1.xml",
     "Org.OData.Capabilities.V1", "Capabilities"},
    {"https://sap.github.io/odata-vocabularies/vocabularies/Communication.xml", "com.sap.vocabularies.Communication.v1",
     "Communication"},
    {"https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Core.V1.xml", "Org.OData.Core.V1", "Core"},
    {"https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Measures.V1.xml",
     "Org.OData.Measures.V1", "Measures"},
    {"https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Validation.V1.xml",
     "Org.OData.Validation.V1", "Validation"},
}};
constexpr const char* kTermNamespace = "tablecast.v1";

// ---- XML -------------------------------------------------------------------------------------------

void XmlValue(pugi::xml_node parent, const CsdlValue& value);

// Enumeration members of XML: "Type/A Type/B".
std::string XmlEnum(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string type = text.substr(0, slash);
  std::istringstream members(text.substr(slash + 1));
  std::string out;
  for (std::string member; members >> member;) out += (out.empty() ? "" : " ") + type + "/" + member;
  return out;
}

// Constant expressions stand as an attribute where they can.
bool XmlAttribute(pugi::xml_node node, const CsdlValue& value) {
  switch (value.kind) {
    case CsdlValue::Kind::kBool: node.append_attribute("Bool") = value.boolean ? "true" : "false"; return true;
    case CsdlValue::Kind::kString: node.append_attribute("String") = value.text.c_str(); return true;
    case CsdlValue::Kind::kNumber:
      node.append_attribute(value.text.find('.') == std::string::npos ? "Int" : "Decimal") = value.text.c_str();
      return true;
    case CsdlValue::Kind::kPath: node.append_attribute("Path") = value.text.c_str(); return true;
    case CsdlValue::Kind::kPropertyPath: node.append_attribute("PropertyPath") = value.text.c_str(); return true;
    case CsdlValue::Kind::kNavigationPropertyPath:
      node.append_attribute("NavigationPropertyPath") = value.text.c_str();
      return true;
    case CsdlValue::Kind::kEnumMember: node.append_attribute("EnumMember") = XmlEnum(value.text).c_str(); return true;
    default: return false;
  }
}

void XmlElementValue(pugi::xml_node collection, const CsdlValue& value) {
  switch (value.kind) {
    case CsdlValue::Kind::kString: collection.append_child("String").text() = value.text.c_str(); break;
    case CsdlValue::Kind::kPropertyPath: collection.append_child("PropertyPath").text() = value.text.c_str(); break;
    case CsdlValue::Kind::kNavigationPropertyPath:
      collection.append_child("NavigationPropertyPath").text() = value.text.c_str();
      break;
    default: XmlValue(collection, value); break;
  }
}

void XmlValue(pugi::xml_node parent, const CsdlValue& value) {
  if (value.kind == CsdlValue::Kind::kCollection) {
    pugi::xml_node collection = parent.append_child("Collection");
    for (const CsdlValue& element : value.elements) XmlElementValue(collection, element);
    return;
  }
  if (value.kind != CsdlValue::Kind::kRecord) return;
  pugi::xml_node record = parent.append_child("Record");
  for (const auto& [name, member] : value.members) {
    pugi::xml_node property = record.append_child("PropertyValue");
    property.append_attribute("Property") = name.c_str();
    if (!XmlAttribute(property, member)) XmlValue(property, member);
  }
}

void XmlAnnotations(pugi::xml_node parent, const std::vector<CsdlAnnotation>& annotations) {
  for (const CsdlAnnotation& annotation : annotations) {
    pugi::xml_node node = parent.append_child("Annotation");
    node.append_attribute("Term") = annotation.term.c_str();
    if (!annotation.qualifier.empty()) node.append_attribute("Qualifier") = annotation.qualifier.c_str();
    if (!XmlAttribute(node, annotation.value)) XmlValue(node, annotation.value);
  }
}

std::string TypeText(const std::string& type, bool collection) { return collection ? "Collection(" + type + ")" : type; }

void XmlType(pugi::xml_node schema, const CsdlType& type) {
  pugi::xml_node node = schema.append_child(type.entity ? "EntityType" : "ComplexType");
  node.append_attribute("Name") = type.name.c_str();
  if (!type.key.empty()) {
    pugi::xml_node key = node.append_child("Key");
    for (const std::string& name : type.key) key.append_child("PropertyRef").append_attribute("Name") = name.c_str();
  }
  for (const CsdlProperty& property : type.properties) {
    pugi::xml_node child = node.append_child("Property");
    child.append_attribute("Name") = property.name.c_str();
    child.append_attribute("Type") = TypeText(property.type, property.collection).c_str();
    if (!property.nullable) child.append_attribute("Nullable") = "false";
    if (property.max_length) child.append_attribute("MaxLength") = std::to_string(*property.max_length).c_str();
    if (property.precision) child.append_attribute("Precision") = *property.precision;
    if (property.scale) child.append_attribute("Scale") = property.scale->c_str();
    if (property.default_value) child.append_attribute("DefaultValue") = property.default_value->c_str();
    XmlAnnotations(child, property.annotations);
  }
  for (const CsdlNavigation& navigation : type.navigations) {
    pugi::xml_node child = node.append_child("NavigationProperty");
    child.append_attribute("Name") = navigation.name.c_str();
    child.append_attribute("Type") = TypeText(navigation.type, navigation.collection).c_str();
    if (!navigation.partner.empty()) child.append_attribute("Partner") = navigation.partner.c_str();
    for (const auto& [property, referenced] : navigation.constraints) {
      pugi::xml_node constraint = child.append_child("ReferentialConstraint");
      constraint.append_attribute("Property") = property.c_str();
      constraint.append_attribute("ReferencedProperty") = referenced.c_str();
    }
    if (navigation.contains_cascade) child.append_child("OnDelete").append_attribute("Action") = "Cascade";
    XmlAnnotations(child, navigation.annotations);
  }
  XmlAnnotations(node, type.annotations);
}

// ---- JSON ------------------------------------------------------------------------------------------

void JsonValueOf(JsonWriter& json, const CsdlValue& value) {
  switch (value.kind) {
    case CsdlValue::Kind::kBool: json.Bool(value.boolean); break;
    case CsdlValue::Kind::kNumber: json.RawNumber(value.text); break;
    case CsdlValue::Kind::kPath: json.BeginObject().Key("$Path").String(value.text).EndObject(); break;
    case CsdlValue::Kind::kString:
    case CsdlValue::Kind::kPropertyPath:
    case CsdlValue::Kind::kNavigationPropertyPath: json.String(value.text); break;
    case CsdlValue::Kind::kEnumMember: {
      std::string members = value.text.substr(value.text.find('/') + 1);
      std::replace(members.begin(), members.end(), ' ', ',');
      json.String(members);
      break;
    }
    case CsdlValue::Kind::kCollection:
      json.BeginArray();
      for (const CsdlValue& element : value.elements) JsonValueOf(json, element);
      json.EndArray();
      break;
    case CsdlValue::Kind::kRecord:
      json.BeginObject();
      for (const auto& [name, member] : value.members) {
        json.Key(name);
        JsonValueOf(json, member);
      }
      json.EndObject();
      break;
  }
}

void JsonAnnotations(JsonWriter& json, const std::vector<CsdlAnnotation>& annotations) {
  for (const CsdlAnnotation& annotation : annotations) {
    json.Key("@" + annotation.term + (annotation.qualifier.empty() ? "" : "#" + annotation.qualifier));
    JsonValueOf(json, annotation.value);
  }
}

void JsonProperty(JsonWriter& json, const CsdlProperty& property) {
  json.Key(property.name).BeginObject();
  if (property.type != "Edm.String") json.Key("$Type").String(property.type);
  if (property.collection) json.Key("$Collection").Bool(true);
  if (property.nullable) json.Key("$Nullable").Bool(true);
  if (property.max_length) json.Key("$MaxLength").Uint(*property.max_length);
  if (property.precision) json.Key("$Precision").Int(*property.precision);
  // Without $Scale a JSON schema means "variable" (CSDL JSON 4.01, 7.2.4).
  if (property.scale && *property.scale != "variable") json.Key("$Scale").RawNumber(*property.scale);
  if (property.default_value) json.Key("$DefaultValue").String(*property.default_value);
  JsonAnnotations(json, property.annotations);
  json.EndObject();
}

void JsonTypeElement(JsonWriter& json, const CsdlType& type) {
  json.Key(type.name).BeginObject().Key("$Kind").String(type.entity ? "EntityType" : "ComplexType");
  if (!type.key.empty()) {
    json.Key("$Key").BeginArray();
    for (const std::string& name : type.key) json.String(name);
    json.EndArray();
  }
  for (const CsdlProperty& property : type.properties) JsonProperty(json, property);
  for (const CsdlNavigation& navigation : type.navigations) {
    json.Key(navigation.name).BeginObject().Key("$Kind").String("NavigationProperty");
    if (navigation.collection) json.Key("$Collection").Bool(true);
    json.Key("$Type").String(navigation.type);
    if (!navigation.collection && navigation.nullable) json.Key("$Nullable").Bool(true);
    if (!navigation.partner.empty()) json.Key("$Partner").String(navigation.partner);
    if (!navigation.constraints.empty()) {
      json.Key("$ReferentialConstraint").BeginObject();
      for (const auto& [property, referenced] : navigation.constraints) json.Key(property).String(referenced);
      json.EndObject();
    }
    if (navigation.contains_cascade) json.Key("$OnDelete").String("Cascade");
    JsonAnnotations(json, navigation.annotations);
    json.EndObject();
  }
  JsonAnnotations(json, type.annotations);
  json.EndObject();
}

}  // namespace

std::string CsdlXml(const Csdl& csdl, ODataVersion version) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node edmx = document.append_child("edmx:Edmx");
  edmx.append_attribute("xmlns:edmx") = "http://docs.oasis-open.org/odata/ns/edmx";
  edmx.append_attribute("Version") = std::string(ODataVersionText(version)).c_str();
  for (const Vocabulary& vocabulary : kVocabularies) {
    pugi::xml_node reference = edmx.append_child("edmx:Reference");
    reference.append_attribute("Uri") = vocabulary.uri;
    pugi::xml_node include = reference.append_child("edmx:Include");
    include.append_attribute("Namespace") = vocabulary.name;
    include.append_attribute("Alias") = vocabulary.alias;
  }
  pugi::xml_node services = edmx.append_child("edmx:DataServices");
  const auto add_schema = [&](const std::string& name) {
    pugi::xml_node schema = services.append_child("Schema");
    schema.append_attribute("xmlns") = "http://docs.oasis-open.org/odata/ns/edm";
    schema.append_attribute("Namespace") = name.c_str();
    return schema;
  };
  pugi::xml_node schema = add_schema(csdl.schema_namespace);
  for (const CsdlType& type : csdl.types) XmlType(schema, type);
  pugi::xml_node container = schema.append_child("EntityContainer");
  container.append_attribute("Name") = "Container";
  for (const CsdlSet& set : csdl.sets) {
    pugi::xml_node node = container.append_child("EntitySet");
    node.append_attribute("Name") = set.name.c_str();
    node.append_attribute("EntityType") = set.type.c_str();
    for (const auto& [path, target] : set.bindings) {
      pugi::xml_node binding = node.append_child("NavigationPropertyBinding");
      binding.append_attribute("Path") = path.c_str();
      binding.append_attribute("Target") = target.c_str();
    }
    XmlAnnotations(node, set.annotations);
  }
  XmlAnnotations(container, csdl.container_annotations);
  XmlAnnotations(schema, {{"Core.SchemaVersion", "", CsdlValue::String(csdl.schema_version)}});

  pugi::xml_node terms = add_schema(kTermNamespace);
  terms.append_attribute("Alias") = "tablecast";
  pugi::xml_node error = terms.append_child("ComplexType");
  error.append_attribute("Name") = "ConversionError";
  for (const char* name : {"code", "message", "stored"}) {
    pugi::xml_node property = error.append_child("Property");
    property.append_attribute("Name") = name;
    property.append_attribute("Type") = "Edm.String";
    property.append_attribute("Nullable") = "false";
  }
  for (const CsdlTerm& term : csdl.terms) {
    pugi::xml_node node = terms.append_child("Term");
    node.append_attribute("Name") = term.name.c_str();
    node.append_attribute("Type") = term.type.c_str();
    if (term.type == "Core.Tag") node.append_attribute("DefaultValue") = "true";
    node.append_attribute("AppliesTo") = term.applies_to.c_str();
    if (term.type == "Core.Tag") node.append_attribute("Nullable") = "false";
    XmlAnnotations(node, {{"Core.Description", "", CsdlValue::String(term.description)}});
  }
  std::ostringstream out;
  document.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
  return out.str();
}

std::string CsdlJson(const Csdl& csdl, ODataVersion version) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject().Key("$Version").String(ODataVersionText(version));
  json.Key("$EntityContainer").String(csdl.schema_namespace + ".Container");
  json.Key("$Reference").BeginObject();
  for (const Vocabulary& vocabulary : kVocabularies) {
    // The same vocabulary in the format of this document.
    std::string uri = vocabulary.uri;
    uri.replace(uri.size() - 3, 3, "json");
    json.Key(uri).BeginObject().Key("$Include").BeginArray().BeginObject();
    json.Key("$Namespace").String(vocabulary.name).Key("$Alias").String(vocabulary.alias);
    json.EndObject().EndArray().EndObject();
  }
  json.EndObject();
  json.Key(csdl.schema_namespace).BeginObject();
  for (const CsdlType& type : csdl.types) JsonTypeElement(json, type);
  json.Key("Container").BeginObject().Key("$Kind").String("EntityContainer");
  for (const CsdlSet& set : csdl.sets) {
    json.Key(set.name).BeginObject().Key("$Collection").Bool(true).Key("$Type").String(set.type);
    if (!set.bindings.empty()) {
      json.Key("$NavigationPropertyBinding").BeginObject();
      for (const auto& [path, target] : set.bindings) json.Key(path).String(target);
      json.EndObject();
    }
    JsonAnnotations(json, set.annotations);
    json.EndObject();
  }
  JsonAnnotations(json, csdl.container_annotations);
  json.EndObject();
  JsonAnnotations(json, {{"Core.SchemaVersion", "", CsdlValue::String(csdl.schema_version)}});
  json.EndObject();

  json.Key(kTermNamespace).BeginObject().Key("$Alias").String("tablecast");
  json.Key("ConversionError").BeginObject().Key("$Kind").String("ComplexType");
  for (const char* name : {"code", "message", "stored"}) json.Key(name).BeginObject().EndObject();
  json.EndObject();
  for (const CsdlTerm& term : csdl.terms) {
    json.Key(term.name).BeginObject().Key("$Kind").String("Term");
    // Names of a schema with an alias are written with it.
    const bool own = term.type.starts_with(kTermNamespace);
    if (term.type != "Edm.String") json.Key("$Type").String(own ? "tablecast" + term.type.substr(12) : term.type);
    if (term.type == "Core.Tag") {
      json.Key("$DefaultValue").Bool(true);
    } else {
      json.Key("$Nullable").Bool(true);
    }
    json.Key("$AppliesTo").BeginArray();
    std::istringstream targets(term.applies_to);
    for (std::string target; targets >> target;) json.String(target);
    json.EndArray();
    JsonAnnotations(json, {{"Core.Description", "", CsdlValue::String(term.description)}});
    json.EndObject();
  }
  json.EndObject().EndObject();
  return out;
}

}  // namespace tablecast
