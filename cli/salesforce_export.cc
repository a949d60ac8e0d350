// IMPLEMENTATION of the export half of salesforce_catalog.h. Tested by
// tests/cli/salesforce_test.cc.

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "cli/salesforce_catalog.h"
#include "cli/salesforce_names.h"
#include "qualifiers/qualifier_parser.h"

namespace tablecast::cli {

namespace {

constexpr int kMaxDepth = 32;  // of JSON: bounds the recursion of AppendValue

void AppendValue(JsonWriter& json, const JsonValue& value) {
  switch (value.type) {
    case JsonType::kNull: json.Null(); break;
    case JsonType::kBool: json.Bool(value.boolean); break;
    case JsonType::kNumber: json.RawNumber(value.text); break;
    case JsonType::kString: json.String(value.text); break;
    case JsonType::kArray:
      json.BeginArray();
      for (const JsonValue& element : value.elements) AppendValue(json, element);
      json.EndArray();
      break;
    case JsonType::kObject:
      json.BeginObject();
      for (const JsonMember& member : value.members) {
        if (value.Find(member.name) != &member.value) continue;  // the last of a name wins
        json.Key(member.name);
        AppendValue(json, member.value);
      }
      json.EndObject();
      break;
  }
}

bool IsQualifierMember(std::string_view name) {
  return name == "tableName" || name == "keyColumns" || name == "columns";
}

// The qualifier as the vendor takes it: no comments, no trailing commas, none of our extensions. A
// file that is so already stays byte by byte.
std::string DescriptorText(const std::string& text, const JsonValue& json) {
  const auto strict = ParseJson(text, {.allow_bom = false, .max_depth = kMaxDepth});
  const bool plain =
      strict.ok() && std::all_of(strict->members.begin(), strict->members.end(),
                                 [](const auto& member) { return IsQualifierMember(member.name); });
  if (plain) return text;
  std::string out;
  JsonWriter writer(out, JsonWriter::Style::kIndented);
  writer.BeginObject();
  for (const JsonMember& member : json.members) {
    if (!IsQualifierMember(member.name) || json.Find(member.name) != &member.value) continue;
    writer.Key(member.name);
    AppendValue(writer, member.value);
  }
  writer.EndObject();
  return out;
}

std::string TextOf(const JsonValue* object, std::string_view name, std::string otherwise = {}) {
  const JsonValue* value = object == nullptr ? nullptr : object->Find(name);
  return value == nullptr || !(value->IsString() || value->IsNumber()) ? otherwise : value->text;
}

bool IsTrue(const JsonValue* object, std::string_view name) {
  const JsonValue* value = object == nullptr ? nullptr : object->Find(name);
  return value != nullptr && value->type == JsonType::kBool && value->boolean;
}

// One object's file and its entry in catalog.json.
struct ObjectFiles {
  std::string name;
  std::string file;
  JsonValue json;
  const JsonValue* overlay = nullptr;

  const JsonValue* Find(std::string_view key) const {
    const JsonValue* own = json.Find(key);
    return own != nullptr || overlay == nullptr ? own : overlay->Find(key);
  }
};

class Exporter {
 public:
  explicit Exporter(std::vector<Issue>& issues) : issues_(issues) {}

  Result<SalesforceMetadata> Run(const std::vector<CatalogFile>& files) {
    JsonValue overlay;
    std::vector<ObjectFiles> objects;
    std::map<std::string, std::string> texts;
    for (const CatalogFile& file : files) {
      auto json = ParseJson(
          file.text,
          {.allow_comments = true, .allow_trailing_commas = true, .max_depth = kMaxDepth});
      if (!json.ok() || !json->IsObject()) {
        return MakeError(
            ErrorCode::kInvalidArgument, "catalog-faulty", "the file is no JSON object", file.name,
            "`tablecast validate` shows where", json.ok() ? TextPosition{} : json.error().position);
      }
      const std::filesystem::path path(file.name);
      if (path.filename() == "catalog.json") {
        overlay = *std::move(json);
        continue;
      }
      ObjectFiles object;
      object.name = TextOf(json->Find("object"), "name", path.stem().string());
      object.file = file.name;
      object.json = *std::move(json);
      texts[object.name] = DescriptorText(file.text, object.json);
      objects.push_back(std::move(object));
    }
    std::sort(objects.begin(), objects.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    const JsonValue* extensions = overlay.Find("objects");
    for (ObjectFiles& object : objects)
      object.overlay = extensions == nullptr ? nullptr : extensions->Find(object.name);

    SalesforceMetadata metadata;
    SalesforceDataSource source;
    source.name = DeveloperName(TextOf(&overlay, "namespace", "catalog"));
    source.label = source.name;
    source.writable = std::any_of(objects.begin(), objects.end(), [](const ObjectFiles& object) {
      return !IsTrue(object.Find("object"), "readOnly");
    });
    for (const ObjectFiles& object : objects) {
      source.descriptors.push_back({object.name + "__x", texts[object.name]});
      metadata.objects.push_back(ExportObject(object, source.name));
    }
    metadata.data_sources.push_back(std::move(source));
    return metadata;
  }

 private:
  void Warn(std::string code, std::string message, std::string remedy, const std::string& file) {
    Issue issue;
    issue.severity = Severity::kWarning;
    issue.code = std::move(code);
    issue.message = std::move(message);
    issue.remedy = std::move(remedy);
    issue.file = file;
    issues_.push_back(std::move(issue));
  }

  SalesforceObject ExportObject(const ObjectFiles& files, const std::string& data_source) {
    SalesforceObject object;
    object.full_name = files.name + "__x";
    const JsonValue* about = files.Find("object");
    object.label = TextOf(about, "label", files.name);
    object.plural_label = TextOf(about, "pluralLabel", object.label);
    object.description = TextOf(about, "description");
    object.data_source = data_source;

    const JsonValue* relationships = files.Find("relationships");
    std::set<std::string> lookup_columns;
    std::vector<SalesforceField> lookups;
    if (relationships != nullptr) {
      for (const JsonMember& member : relationships->members) {
        SalesforceField lookup = ExportLookup(files, member);
        if (lookup.full_name.empty()) continue;
        lookup_columns.insert(lookup.external_name);
        lookups.push_back(std::move(lookup));
      }
    }
    const JsonValue* fields = files.Find("fields");
    if (fields == nullptr) {
      Warn("salesforce-no-fields",
           "`" + files.name + "` declares no fields, so only its lookups are written",
           "run `tablecast sync --write` first", files.file);
    } else {
      for (const JsonMember& member : fields->members) {
        if (member.name == "*" || !member.value.IsObject() || IsTrue(&member.value, "hidden"))
          continue;
        // The field over a lookup's column is what the lookup itself is in Salesforce.
        if (const std::string column = TextOf(&member.value, "column", member.name);
            lookup_columns.contains(column)) {
          for (SalesforceField& lookup : lookups) {
            if (lookup.external_name == column) lookup.required = IsTrue(&member.value, "required");
          }
          continue;
        }
        ExportField(files, member, object);
      }
    }
    for (SalesforceField& lookup : lookups) object.fields.push_back(std::move(lookup));
    return object;
  }

  SalesforceField ExportLookup(const ObjectFiles& files, const JsonMember& member) {
    SalesforceField lookup;
    lookup.external_name = TextOf(&member.value, "column");
    lookup.label = member.name;
    lookup.relationship_name = TextOf(&member.value, "inverse");
    if (const std::string external = TextOf(&member.value, "external"); !external.empty()) {
      lookup.type = "IndirectLookup";
      const std::size_t dot = external.find('.');
      lookup.reference_to = external.substr(0, dot);
      if (dot != std::string::npos) lookup.reference_target_field = external.substr(dot + 1);
      if (lookup.relationship_name.empty()) lookup.relationship_name = files.name;
    } else {
      lookup.type = "ExternalLookup";
      lookup.reference_to = TextOf(&member.value, "to") + "__x";
      if (const std::string column = TextOf(&member.value, "toColumn", "ExternalId");
          column != "ExternalId") {
        Warn("salesforce-lookup-column",
             "`" + files.name + "." + member.name + "` looks up `" + column +
                 "`, but an external lookup compares with ExternalId",
             "it is left out", files.file);
        return {};
      }
    }
    lookup.full_name = DeveloperName(member.name) + "__c";
    return lookup;
  }

  void ExportField(const ObjectFiles& files, const JsonMember& member, SalesforceObject& object) {
    SalesforceField field;
    const std::string type = TextOf(&member.value, "type", "Text");
    field.type = SalesforceType(type);
    if (field.type.empty()) {
      Warn("salesforce-field-type",
           "`" + files.name + "." + member.name + "` is of type " + type +
               ", which Salesforce lacks",
           "it is left out", files.file);
      return;
    }
    field.full_name = DeveloperName(member.name) + "__c";
    field.external_name = TextOf(&member.value, "column", member.name);
    field.label = TextOf(&member.value, "label", member.name);
    field.description = TextOf(&member.value, "description");
    field.required = IsTrue(&member.value, "required");
    field.unique = IsTrue(&member.value, "unique");
    if (field.type == "Text")
      field.length = TextOf(&member.value, "length", type == "Guid" ? "36" : "255");
    if (field.type == "LongTextArea") field.length = TextOf(&member.value, "length", "32768");
    if (field.type == "Text" && (field.length.size() > 3 || std::stoi(field.length) > 255))
      field.type = "LongTextArea";
    if (field.type == "Number" || field.type == "Currency" || field.type == "Percent") {
      const bool whole = type == "Int32" || type == "Int64";
      field.precision = TextOf(&member.value, "precision", "18");
      field.scale = TextOf(&member.value, "scale", whole ? "0" : type == "Number" ? "6" : "2");
    }
    if (const JsonValue* values = member.value.Find("values")) {
      for (const JsonValue& value : values->elements) field.values.push_back(value.text);
    }
    object.fields.push_back(std::move(field));
  }

  std::vector<Issue>& issues_;
};

}  // namespace

Result<SalesforceMetadata> SalesforceFromCatalog(const std::vector<CatalogFile>& files,
                                                 std::vector<Issue>& issues) {
  return Exporter(issues).Run(files);
}

}  // namespace tablecast::cli
