// IMPLEMENTATION of salesforce_metadata.h over pugixml, which expands no external entities.
// Tested by tests/cli/salesforce_test.cc.

#include "cli/salesforce_metadata.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>

#include "base/base64.h"

namespace tablecast::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxFiles = 20'000;
constexpr std::uintmax_t kMaxFileBytes = 16U << 20U;
constexpr const char* kNamespace = "http://soap.sforce.com/2006/04/metadata";

std::string Text(const pugi::xml_node& node, const char* child) {
  return node.child(child).text().as_string();
}

bool Flag(const pugi::xml_node& node, const char* child) { return Text(node, child) == "true"; }

// "Orders__x.object-meta.xml" -> "Orders__x".
std::string Stem(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.substr(0, name.find('.'));
}

bool IsMetadataFile(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".xml" || extension == ".object" || extension == ".dataSource" ||
         extension == ".field";
}

SalesforceField ReadField(const pugi::xml_node& node, std::string name_when_absent) {
  SalesforceField field;
  field.full_name = Text(node, "fullName");
  if (field.full_name.empty()) field.full_name = std::move(name_when_absent);
  field.external_name = Text(node, "externalDeveloperName");
  field.type = Text(node, "type");
  field.label = Text(node, "label");
  field.description = Text(node, "description");
  field.length = Text(node, "length");
  field.precision = Text(node, "precision");
  field.scale = Text(node, "scale");
  field.required = Flag(node, "required");
  field.unique = Flag(node, "unique");
  field.reference_to = Text(node, "referenceTo");
  field.reference_target_field = Text(node, "referenceTargetField");
  field.relationship_name = Text(node, "relationshipName");
  // Both spellings of choices: valueSet since API version 38, picklist before.
  for (const auto& value : node.child("valueSet").child("valueSetDefinition").children("value")) {
    field.values.push_back(Text(value, "fullName"));
  }
  for (const auto& value : node.child("picklist").children("picklistValues")) {
    field.values.push_back(Text(value, "fullName"));
  }
  return field;
}

SalesforceDataSource ReadDataSource(const pugi::xml_node& root, const fs::path& path) {
  SalesforceDataSource source;
  source.name = Stem(path);
  source.label = Text(root, "label");
  source.writable = Flag(root, "isWritable");
  source.file = path.string();
  for (const auto& node : root.children("externalDataSrcDescriptors")) {
    SalesforceDescriptor descriptor;
    descriptor.custom_object = Text(node, "customObject");
    if (descriptor.custom_object.empty()) descriptor.custom_object = Text(node, "developerName");
    descriptor.text = Text(node, "descriptor");
    // Some retrievals carry the descriptor in base64.
    if (descriptor.text.find('{') == std::string::npos) {
      if (auto decoded = DecodeBase64(descriptor.text); decoded.ok())
        descriptor.text = *std::move(decoded);
    }
    source.descriptors.push_back(std::move(descriptor));
  }
  return source;
}

Issue FileIssue(std::string code, std::string message, std::string remedy, const fs::path& path) {
  Issue issue;
  issue.severity = Severity::kError;
  issue.code = std::move(code);
  issue.message = std::move(message);
  issue.remedy = std::move(remedy);
  issue.file = path.string();
  return issue;
}

Result<std::vector<fs::path>> ListFiles(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) {
    return MakeError(ErrorCode::kInvalidArgument, "metadata-not-found", "there is no such folder",
                     folder, "name the folder that holds externalDataSources/ and objects/");
  }
  std::vector<fs::path> files;
  if (fs::is_regular_file(folder, error)) return std::vector<fs::path>{folder};
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_regular_file(error) && IsMetadataFile(at->path())) files.push_back(at->path());
    if (files.size() > kMaxFiles) {
      return MakeError(ErrorCode::kResourceExhausted, "metadata-too-many-files",
                       "more than 20,000 metadata files", folder, "name the folder of one project");
    }
  }
  if (error) return MakeError(ErrorCode::kUnavailable, "file-read", error.message(), folder);
  std::sort(files.begin(), files.end());
  return files;
}

void Append(pugi::xml_node node, const char* name, std::string_view text) {
  if (!text.empty()) node.append_child(name).text().set(std::string(text).c_str());
}

pugi::xml_node Root(pugi::xml_document& document, const char* name) {
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child(name);
  root.append_attribute("xmlns") = kNamespace;
  return root;
}

void AppendField(pugi::xml_node object, const SalesforceField& field) {
  pugi::xml_node node = object.append_child("fields");
  Append(node, "fullName", field.full_name);
  Append(node, "description", field.description);
  Append(node, "externalDeveloperName", field.external_name);
  Append(node, "label", field.label);
  Append(node, "length", field.length);
  Append(node, "precision", field.precision);
  Append(node, "referenceTargetField", field.reference_target_field);
  Append(node, "referenceTo", field.reference_to);
  Append(node, "relationshipName", field.relationship_name);
  if (field.type != "Checkbox") Append(node, "required", field.required ? "true" : "false");
  Append(node, "scale", field.scale);
  Append(node, "type", field.type);
  if (field.type == "Checkbox") Append(node, "defaultValue", "false");
  if (field.type == "LongTextArea") Append(node, "visibleLines", "3");
  if (field.unique) Append(node, "unique", "true");
  if (!field.values.empty()) {
    pugi::xml_node set = node.append_child("valueSet");
    Append(set, "restricted", "true");
    pugi::xml_node definition = set.append_child("valueSetDefinition");
    Append(definition, "sorted", "false");
    for (const std::string& value : field.values) {
      pugi::xml_node entry = definition.append_child("value");
      Append(entry, "fullName", value);
      Append(entry, "default", "false");
      Append(entry, "label", value);
    }
  }
}

Status WriteDocument(const pugi::xml_document& document, const fs::path& path) {
  std::ostringstream text;
  document.save(text, "    ", pugi::format_default, pugi::encoding_utf8);
  std::ofstream out(path, std::ios::binary);
  out << text.str();
  out.close();
  if (!out)
    return MakeError(ErrorCode::kUnavailable, "file-write", "cannot write the file", path.string());
  return {};
}

}  // namespace

Result<SalesforceMetadata> ReadSalesforceFolder(const std::string& folder,
                                                std::vector<Issue>& issues) {
  TABLECAST_ASSIGN_OR_RETURN(const std::vector<fs::path> files, ListFiles(folder));
  SalesforceMetadata metadata;
  std::map<std::string, SalesforceObject> objects;
  for (const fs::path& path : files) {
    std::error_code error;
    if (fs::file_size(path, error) > kMaxFileBytes || error) {
      issues.push_back(FileIssue("metadata-file", "the file cannot be read or is over 16 MiB",
                                 "leave it out", path));
      continue;
    }
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_file(path.c_str());
    if (!parsed) {
      issues.push_back(FileIssue("metadata-xml",
                                 std::string("no well-formed XML: ") + parsed.description() +
                                     " at byte " + std::to_string(parsed.offset),
                                 "retrieve the file again", path));
      continue;
    }
    const pugi::xml_node root = document.document_element();
    const std::string_view kind = root.name();
    if (kind == "ExternalDataSource") {
      metadata.data_sources.push_back(ReadDataSource(root, path));
    } else if (kind == "CustomObject") {
      SalesforceObject& object = objects[Stem(path)];
      object.full_name = Stem(path);
      object.label = Text(root, "label");
      object.plural_label = Text(root, "pluralLabel");
      object.description = Text(root, "description");
      object.data_source = Text(root, "externalDataSource");
      object.file = path.string();
      for (const auto& node : root.children("fields")) object.fields.push_back(ReadField(node, ""));
    } else if (kind == "CustomField") {
      // Source layout: objects/Orders__x/fields/TOTAL__c.field-meta.xml
      SalesforceObject& object = objects[path.parent_path().parent_path().filename().string()];
      object.fields.push_back(ReadField(root, Stem(path)));
    }
  }
  for (auto& [name, object] : objects) {
    object.full_name = name;
    metadata.objects.push_back(std::move(object));
  }
  std::sort(metadata.data_sources.begin(), metadata.data_sources.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  if (metadata.data_sources.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "metadata-empty",
                     "no external data source in this folder", folder,
                     "retrieve ExternalDataSource and CustomObject and name the folder above "
                     "externalDataSources/");
  }
  return metadata;
}

Status WriteSalesforceFolder(const SalesforceMetadata& metadata, const std::string& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    return MakeError(ErrorCode::kFailedPrecondition, "folder-not-empty", "the folder is not empty",
                     folder, "name a new folder");
  }
  const fs::path sources = fs::path(folder) / "externalDataSources";
  const fs::path objects = fs::path(folder) / "objects";
  fs::create_directories(sources, error);
  if (!error) fs::create_directories(objects, error);
  if (error)
    return MakeError(ErrorCode::kUnavailable, "file-write",
                     "cannot make the folder: " + error.message(), folder);

  for (const SalesforceDataSource& source : metadata.data_sources) {
    pugi::xml_document document;
    pugi::xml_node root = Root(document, "ExternalDataSource");
    for (const SalesforceDescriptor& descriptor : source.descriptors) {
      pugi::xml_node node = root.append_child("externalDataSrcDescriptors");
      Append(node, "customObject", descriptor.custom_object);
      Append(node, "descriptor", descriptor.text);
      Append(node, "developerName", descriptor.custom_object);
    }
    Append(root, "isWritable", source.writable ? "true" : "false");
    Append(root, "label", source.label.empty() ? source.name : source.label);
    Append(root, "principalType", "NamedUser");
    Append(root, "protocol", "NoAuthentication");
    Append(root, "type", "AmazonDynamoDb");
    TABLECAST_RETURN_IF_ERROR(
        WriteDocument(document, sources / (source.name + ".dataSource-meta.xml")));
  }
  for (const SalesforceObject& object : metadata.objects) {
    pugi::xml_document document;
    pugi::xml_node root = Root(document, "CustomObject");
    Append(root, "deploymentStatus", "Deployed");
    Append(root, "description", object.description);
    Append(root, "externalDataSource", object.data_source);
    Append(root, "externalName", object.full_name.substr(0, object.full_name.rfind("__x")));
    for (const SalesforceField& field : object.fields) AppendField(root, field);
    Append(root, "label", object.label);
    Append(root, "pluralLabel", object.plural_label);
    TABLECAST_RETURN_IF_ERROR(WriteDocument(document, objects / (object.full_name + ".object")));
  }
  return {};
}

}  // namespace tablecast::cli
