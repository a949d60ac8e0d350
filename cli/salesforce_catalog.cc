// IMPLEMENTATION of the import half of salesforce_catalog.h. Tested by
// tests/cli/salesforce_test.cc.

#include "cli/salesforce_catalog.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "cli/salesforce_names.h"
#include "qualifiers/qualifier_parser.h"

namespace tablecast::cli {

namespace {

// One published field of the catalog to be written.
struct FieldEntry {
  std::string name;
  const SalesforceField* from = nullptr;
  std::string type;
  bool lookup = false;  // the column of a lookup, published as Text
};

void WriteNumber(JsonWriter& json, std::string_view key, const std::string& digits) {
  if (!digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos &&
      digits.size() < 10) {
    json.Key(key).Int(std::stol(digits));
  }
}

void WriteField(JsonWriter& json, const FieldEntry& entry) {
  const SalesforceField& field = *entry.from;
  json.Key(entry.name).BeginObject();
  json.Key("column").String(field.external_name);
  json.Key("type").String(entry.type);
  if (!entry.lookup) {
    if (!field.label.empty() && field.label != entry.name) json.Key("label").String(field.label);
    if (!field.description.empty()) json.Key("description").String(field.description);
  }
  const bool text = entry.type == "Text" || entry.type == "TextArea" || entry.type == "LongText";
  if (text) WriteNumber(json, "length", field.length);
  if (entry.type == "Number" || entry.type == "Currency" || entry.type == "Percent") {
    WriteNumber(json, "precision", field.precision);
    WriteNumber(json, "scale", field.scale);
  }
  if (!field.values.empty()) {
    json.Key("values").BeginArray();
    for (const std::string& value : field.values) json.String(value);
    json.EndArray();
  }
  if (field.required) json.Key("required").Bool(true);
  if (field.unique && !entry.lookup) json.Key("unique").Bool(true);
  json.EndObject();
}

void WriteRelationship(JsonWriter& json, const SalesforceField& field) {
  json.Key(PlainName(field.full_name)).BeginObject();
  if (field.type == "ExternalLookup") {
    json.Key("to").String(PlainName(field.reference_to));
    json.Key("column").String(field.external_name);
    json.Key("toColumn").String("ExternalId");
    if (!field.relationship_name.empty()) json.Key("inverse").String(field.relationship_name);
  } else {
    json.Key("external").String(field.reference_to + "." + field.reference_target_field);
    json.Key("column").String(field.external_name);
  }
  json.EndObject();
}

class Importer {
 public:
  Importer(const SalesforceMetadata& metadata, std::vector<Issue>& issues)
      : metadata_(metadata), issues_(issues) {}

  std::vector<CatalogFile> Run() {
    TakeDescriptors();
    for (const SalesforceObject& object : metadata_.objects) {
      if (!object.full_name.ends_with("__x")) continue;  // ordinary objects hold no external data
      if (!descriptors_.contains(object.full_name)) {
        Add(Severity::kWarning, "salesforce-object-without-qualifier",
            "`" + object.full_name +
                "` has no qualifier descriptor in any data source, so nothing says which items "
                "belong to it",
            "retrieve the data source it names, `" + object.data_source + "`", object.file);
        continue;
      }
      objects_[object.full_name] = &object;
    }
    std::vector<CatalogFile> files;
    for (const auto& [name, descriptor] : descriptors_) {
      files.push_back({PlainName(name) + ".json", descriptor->text});
    }
    files.push_back({"catalog.json", CatalogText()});
    std::sort(files.begin(), files.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return files;
  }

 private:
  void Add(Severity severity, std::string code, std::string message, std::string remedy,
           const std::string& file) {
    Issue issue;
    issue.severity = severity;
    issue.code = std::move(code);
    issue.message = std::move(message);
    issue.remedy = std::move(remedy);
    issue.file = file;
    issues_.push_back(std::move(issue));
  }

  void TakeDescriptors() {
    for (const SalesforceDataSource& source : metadata_.data_sources) {
      for (const SalesforceDescriptor& descriptor : source.descriptors) {
        const std::string plain = PlainName(descriptor.custom_object);
        const ParsedQualifier parsed = ParseQualifier(descriptor.text, source.file);
        if (!parsed.qualifier || parsed.qualifier->columns_span.begin.line == 0) {
          Add(Severity::kWarning, "salesforce-descriptor",
              "the descriptor of `" + descriptor.custom_object +
                  "` is no qualifier (a JSON object with `columns`)",
              "it is left out", source.file);
          continue;
        }
        if (!IsPlainName(plain)) {
          Add(Severity::kError, "salesforce-name",
              "`" + descriptor.custom_object + "` cannot name an object",
              "letters, digits and _, a letter first, at most 40", source.file);
          continue;
        }
        if (!descriptors_.emplace(plain + "__x", &descriptor).second) {
          Add(Severity::kError, "salesforce-object-twice",
              "two data sources describe `" + descriptor.custom_object + "`",
              "import their folders into two catalogs", source.file);
          continue;
        }
        writable_[plain + "__x"] = source.writable;
      }
    }
    if (metadata_.data_sources.size() > 1) {
      Add(Severity::kWarning, "salesforce-several-sources",
          "the objects of " + std::to_string(metadata_.data_sources.size()) +
              " data sources share one catalog",
          "import their folders one by one to keep them apart", metadata_.data_sources[1].file);
    }
  }

  // The fields to publish and the lookups of one object.
  void Sort(const SalesforceObject& object, std::vector<FieldEntry>& fields,
            std::vector<const SalesforceField*>& lookups) {
    std::set<std::string> names, columns;
    for (const SalesforceField& field : object.fields) {
      const std::string name = PlainName(field.full_name);
      if (name == "ExternalId" || name == "DisplayUrl") continue;  // standard fields, always there
      if (field.external_name.empty()) {
        Add(Severity::kWarning, "salesforce-field-without-column",
            "`" + object.full_name + "." + field.full_name +
                "` names no column (externalDeveloperName)",
            "it is left out", object.file);
        continue;
      }
      if (!IsPlainName(name)) {
        Add(Severity::kError, "salesforce-name", "`" + field.full_name + "` cannot name a field",
            "letters, digits and _, a letter first, at most 40", object.file);
        continue;
      }
      if (field.type == "ExternalLookup" || field.type == "IndirectLookup") {
        if (field.type == "ExternalLookup" &&
            !descriptors_.contains(PlainName(field.reference_to) + "__x")) {
          Add(Severity::kError, "salesforce-lookup-target",
              "`" + object.full_name + "." + field.full_name + "` looks up `" + field.reference_to +
                  "`, which has no qualifier here",
              "retrieve that object's data source too", object.file);
          continue;
        }
        lookups.push_back(&field);
        names.insert(name);
        continue;
      }
      std::string type = CatalogType(field.type);
      if (type.empty()) {
        Add(Severity::kWarning, "salesforce-field-type",
            "`" + object.full_name + "." + field.full_name + "` is of type `" + field.type +
                "`, which has no counterpart",
            "it becomes Text", object.file);
        type = "Text";
      }
      names.insert(name);
      columns.insert(field.external_name);
      fields.push_back({name, &field, type, false});
    }
    // A lookup's column is published under its own name, beside the navigation property.
    for (const SalesforceField* lookup : lookups) {
      if (!columns.insert(lookup->external_name).second) continue;
      std::string name = IsPlainName(lookup->external_name) ? lookup->external_name
                                                            : PlainName(lookup->full_name) + "Id";
      while (!names.insert(name).second) name += "Id";
      fields.push_back({name, lookup, "Text", true});
    }
  }

  std::string CatalogText() {
    std::string text;
    JsonWriter json(text, JsonWriter::Style::kIndented);
    json.BeginObject();
    const std::string space = PlainName(metadata_.data_sources.front().name);
    if (IsPlainName(space)) json.Key("namespace").String(space);
    json.Key("objects").BeginObject();
    for (const auto& [full_name, descriptor] : descriptors_) {
      const auto found = objects_.find(full_name);
      const bool read_only = !writable_[full_name];
      if (found == objects_.end() && !read_only) continue;
      json.Key(PlainName(full_name)).BeginObject();
      json.Key("object").BeginObject();
      if (found != objects_.end()) {
        const SalesforceObject& object = *found->second;
        if (!object.label.empty()) json.Key("label").String(object.label);
        if (!object.plural_label.empty()) json.Key("pluralLabel").String(object.plural_label);
        if (!object.description.empty()) json.Key("description").String(object.description);
      }
      if (read_only) json.Key("readOnly").Bool(true);
      json.EndObject();
      if (found != objects_.end()) WriteColumns(json, *found->second);
      json.EndObject();
    }
    json.EndObject().EndObject();
    auto pretty = FormatQualifier(text, false);
    return pretty.ok() ? *pretty : text + "\n";
  }

  void WriteColumns(JsonWriter& json, const SalesforceObject& object) {
    std::vector<FieldEntry> fields;
    std::vector<const SalesforceField*> lookups;
    Sort(object, fields, lookups);
    if (!fields.empty()) {
      json.Key("fields").BeginObject();
      for (const FieldEntry& field : fields) WriteField(json, field);
      json.EndObject();
    }
    if (!lookups.empty()) {
      json.Key("relationships").BeginObject();
      for (const SalesforceField* lookup : lookups) WriteRelationship(json, *lookup);
      json.EndObject();
    }
  }

  const SalesforceMetadata& metadata_;
  std::vector<Issue>& issues_;
  std::map<std::string, const SalesforceDescriptor*> descriptors_;  // by full name
  std::map<std::string, bool> writable_;
  std::map<std::string, const SalesforceObject*> objects_;
};

}  // namespace

std::vector<CatalogFile> CatalogFromSalesforce(const SalesforceMetadata& metadata,
                                               std::vector<Issue>& issues) {
  return Importer(metadata, issues).Run();
}

}  // namespace tablecast::cli
