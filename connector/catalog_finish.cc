// What follows once all fields are known: the external ID, labels, currencies, names, search, keys.

#include <algorithm>
#include <set>

#include "connector/catalog_builder.h"
#include "connector/external_id.h"
#include "connector/field_defaults.h"

namespace tablecast {

void CatalogBuilder::BuildExternalId(Draft& draft) {
  ExternalObject& object = *draft.object;
  ExternalIdSpec& spec = object.external_id_;
  const TableSchema& schema = object.schema();
  object.alternate_key_columns_.push_back(schema.key.partition.name);
  if (schema.key.sort) object.alternate_key_columns_.push_back(schema.key.sort->name);

  std::vector<std::string> columns;
  const JsonPlace at = Extension(draft, "externalId");
  if (IsObject(at)) {
    columns = StringsOf(at, "columns");
    spec.separator = StringOf(at, "separator").value_or("-");
    spec.escape = BoolOf(at, "escape").value_or(false);
    spec.max_length = static_cast<std::uint32_t>(UintOf(at, "maxLength").value_or(255));
    if (spec.separator.empty() || spec.separator.find('~') != std::string::npos) {
      findings_.Error(at.Child("separator"), "bad-separator",
                      "the separator is not empty and holds no ~", "write \"-\" or \"|\"");
    }
  }
  if (columns.empty()) columns = draft.qualifier.key_columns;
  const auto constant = [&](const std::string& attribute) {
    const PhysicalColumn* column = object.qualifier().FindPhysical(attribute);
    return column != nullptr && column->constants.size() == 1;
  };
  if (columns.empty()) {
    const std::string& partition = schema.key.partition.name;
    const std::string sort = schema.key.sort ? schema.key.sort->name : "";
    const bool sort_counts = schema.key.sort && !constant(sort);
    if (!constant(partition) || !sort_counts) columns.push_back(partition);
    if (sort_counts) columns.push_back(sort);
  }
  for (const std::string& column : columns) {
    Field place;
    if (!SourceOf(draft, column, place)) {
      findings_.Error(at ? at : draft.extensions, "bad-column",
                      "external ID column `" + column + "` is no column",
                      "name a key column, an attribute or a virtual column");
      continue;
    }
    ExternalIdPart part;
    part.column = column;
    part.source = place.source;
    if (place.source.kind == SourceKind::kAttribute) {
      const KeyColumn* key = KeyColumnOf(schema, place.source.attribute);
      const ColumnQualifier* entry = draft.qualifier.Find(column);
      part.type = key != nullptr
                      ? key->type
                      : (entry != nullptr && entry->type ? *entry->type : AttributeType::kS);
      const bool is_sort = schema.key.sort && schema.key.sort->name == place.source.attribute;
      for (const ColumnQualifier& condition : draft.qualifier.columns) {
        if (!is_sort || condition.is_virtual || condition.physical() != place.source.attribute ||
            !condition.filter)
          continue;
        part.stripped_prefix = PrefixOfFilter(*condition.filter).value_or("");
      }
    }
    spec.parts.push_back(std::move(part));
  }
}

void CatalogBuilder::FinishFields(Draft& draft) {
  ExternalObject& object = *draft.object;
  object.fields_.insert(object.fields_.begin(), ExternalIdFieldOf(object));
  for (Field& field : object.fields_) {
    // ParentExternalId sits in front of declared fields; its parent field is always number 0.
    if (field.label.empty()) field.label = field.name;
    field.empty_text_is_null = empty_text_is_null_;
    field.zone_minutes = catalog_->zone_minutes();
    if (field.attribute_name.empty() && field.source.kind != SourceKind::kExternalId &&
        field.column != field.name && field.source.kind != SourceKind::kParent) {
      field.attribute_name = field.column;
    }
    if (!field.members.empty()) field.complex_type_name = object.name() + "_" + field.name;
    std::vector<std::pair<Field*, std::string>> nested;
    for (Field& member : field.members) nested.emplace_back(&member, field.complex_type_name);
    while (!nested.empty()) {
      auto [member, prefix] = nested.back();
      nested.pop_back();
      member->empty_text_is_null = empty_text_is_null_;
      member->zone_minutes = catalog_->zone_minutes();
      member->declared = field.declared;
      if (member->label.empty()) member->label = member->name;
      if (member->column != member->name) member->attribute_name = member->column;
      if (!member->members.empty()) member->complex_type_name = prefix + "_" + member->name;
      for (Field& inner : member->members) nested.emplace_back(&inner, member->complex_type_name);
    }
    if (field.type == FieldType::kCurrency) {
      if (!field.currency_field.empty()) {
        const Field* code = object.FieldOfColumn(field.currency_field);
        if (code == nullptr) code = object.FindField(field.currency_field);
        if (code == nullptr) {
          findings_.Warning(draft.extensions, "currency-column-unpublished",
                            "field " + field.name + ": the currency column `" +
                                field.currency_field + "` is no field",
                            "add it to `fields`");
          field.currency_field.clear();
        } else {
          field.currency_field = code->name;
        }
      } else if (field.currency_code.empty()) {
        field.currency_code = catalog_->currency();
      }
    }
    if (object.options().read_only) field.read_only = true;
  }
  std::set<std::string> names;
  std::set<std::string> lower;
  for (const Field& field : object.fields_) {
    if (!names.insert(field.name).second) {
      findings_.Error(draft.extensions, "duplicate-field",
                      "object " + object.name() + " has two fields `" + field.name + "`",
                      "rename one of them in `fields`");
      continue;
    }
    std::string folded = field.name;
    for (char& c : folded) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!lower.insert(folded).second) {
      findings_.Warning(draft.extensions, "case-only-difference",
                        "object " + object.name() + ": field `" + field.name +
                            "` differs from another in letter case only",
                        "give one of them another name in `fields`; many clients take them for one");
    }
  }
  const bool declared_search =
      std::any_of(object.fields_.begin(), object.fields_.end(),
                  [](const Field& field) { return field.searchable_declared; });
  if (!declared_search) {
    for (Field& field : object.fields_) {
      field.searchable = !field.hidden && IsTextType(field.type) &&
                         field.source.kind != SourceKind::kExternalId &&
                         field.source.kind != SourceKind::kParent;
    }
  }
  if (object.options().guid_key) {
    Field guid;
    guid.name = "RecordGuid";
    guid.label = "Record GUID";
    guid.column = guid.name;
    SetType(guid, FieldType::kGuid);
    guid.source.kind = SourceKind::kGuidKey;
    guid.nullable = false;
    guid.read_only = true;
    object.fields_.push_back(std::move(guid));
    object.key_fields_ = {"RecordGuid"};
  } else {
    object.key_fields_ = {std::string(kExternalIdField)};
  }
  for (const std::string& column : object.alternate_key_columns_) {
    const Field* field = object.FieldOfColumn(column);
    if (field == nullptr || field->hidden) {
      object.alternate_key_fields_.clear();
      break;
    }
    object.alternate_key_fields_.push_back(field->name);
  }
}

}  // namespace tablecast
