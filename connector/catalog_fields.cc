// Fields and external IDs of the objects of a catalog.

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "connector/catalog_builder.h"
#include "connector/convert.h"
#include "connector/external_id.h"
#include "connector/field_defaults.h"

namespace tablecast {
namespace {

constexpr std::uint32_t kLongLength = 32768;

std::uint32_t DefaultLength(FieldType type) {
  switch (type) {
    case FieldType::kLongText:
    case FieldType::kJsonText:
    case FieldType::kBinary: return kLongLength;
    case FieldType::kPhone: return 40;
    case FieldType::kEmail: return 254;
    default: return 255;
  }
}

FieldType TypeOfFormula(formula::ValueType type) {
  switch (type) {
    case formula::ValueType::kNumber: return FieldType::kNumber;
    case formula::ValueType::kBoolean: return FieldType::kCheckbox;
    case formula::ValueType::kDate: return FieldType::kDate;
    case formula::ValueType::kDateTime: return FieldType::kDateTime;
    case formula::ValueType::kTime: return FieldType::kTime;
    default: return FieldType::kText;
  }
}

FieldType TypeOfStored(AttributeType type) {
  switch (type) {
    case AttributeType::kN: return FieldType::kNumber;
    case AttributeType::kB: return FieldType::kBinary;
    case AttributeType::kBool: return FieldType::kCheckbox;
    case AttributeType::kS: return FieldType::kText;
    default: return FieldType::kJsonText;
  }
}

const InferredAttribute* FindInferred(const std::vector<InferredAttribute>& attributes,
                                      std::string_view name) {
  for (const InferredAttribute& attribute : attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

// What the sample says of the place behind the steps; nullptr where it shows nothing of one form.
const InferredAttribute* FollowInferred(const InferredAttribute* at,
                                        const std::vector<PathStep>& steps) {
  for (const PathStep& step : steps) {
    if (at == nullptr) return nullptr;
    if (!step.name.empty()) at = FindInferred(at->members, step.name);
    if (at != nullptr && step.index && !at->collection) return nullptr;
  }
  return at;
}

// The declaration of a field, or of a member inside it, states no type.
bool LacksType(const JsonValue& field) {
  if (field.type == JsonType::kBool) return field.boolean;
  if (!field.IsObject()) return false;
  const JsonValue* members = field.Find("fields");
  if (members != nullptr && members->IsObject()) {
    return std::any_of(members->members.begin(), members->members.end(),
                       [](const JsonMember& member) { return LacksType(member.value); });
  }
  const JsonValue* type = field.Find("type");
  return type == nullptr || !type->IsString();
}

}  // namespace

bool CatalogBuilder::LeavesTypeToData(const Draft& draft, const JsonMember& member) const {
  // How a list or set is stored is not declared; the data shows it.
  const JsonValue* collection = member.value.Find("collection");
  if (collection != nullptr && collection->boolean) return snapshot_ != nullptr;
  if (!LacksType(member.value)) return false;
  const JsonValue* named = member.value.Find("column");
  const std::string& column = named != nullptr && named->IsString() ? named->text : member.name;
  // Numbers and flags are what they are stored as; a text may be a date.
  const KeyColumn* key = KeyColumnOf(draft.object->schema(), column);
  if (key != nullptr && key->type != AttributeType::kS) return false;
  const ColumnQualifier* entry = draft.qualifier.Find(column);
  if (entry == nullptr || member.value.Find("fields") != nullptr) return true;
  return !entry->is_virtual && (!entry->type || *entry->type == AttributeType::kS);
}

void CatalogBuilder::Untyped(Draft& draft, const JsonPlace& at, const Field& field) {
  if (!snapshot_) {
    draft.undeclared = true;
    findings_.Error(at, "fields-undeclared",
                    "field " + field.name +
                        " states no `type`, and there is no data to take it from",
                    "give a store, or declare its `type`");
    return;
  }
  std::vector<std::string> names;
  if (draft.inferred && field.source.path.empty()) {
    for (const InferredAttribute& attribute : draft.inferred->attributes)
      names.push_back(attribute.name);
  }
  const auto nearest = NearestName(field.column, names);
  findings_.Warning(at, "field-untyped",
                    "no item looked at has `" + field.column + "`, so field " + field.name +
                        " is published as Text",
                    nearest ? "did you mean `" + *nearest + "`?"
                            : "declare its `type`, or mend its `column`");
}

Field CatalogBuilder::ExternalIdFieldOf(const ExternalObject& object) const {
  Field field;
  field.name = std::string(kExternalIdField);
  field.label = "External ID";
  field.column = field.name;
  field.source.kind = SourceKind::kExternalId;
  field.max_length = object.external_id().max_length;
  field.nullable = false;
  field.key_part = true;
  return field;
}

bool CatalogBuilder::SourceOf(const Draft& draft, const std::string& column, Field& field) const {
  const ExternalObject& object = *draft.object;
  field.column = column;
  if (draft.embedded) {
    field.source.kind = SourceKind::kElement;
    Result<AttributePath> path = ParseAttributePath(column);
    if (!path.ok()) return false;
    field.source.attribute = path->attribute;
    field.source.path = std::move(path->steps);
    return true;
  }
  const auto& virtuals = object.qualifier().virtual_columns();
  for (std::size_t i = 0; i < virtuals.size(); ++i) {
    if (virtuals[i].name != column) continue;
    field.source.kind = SourceKind::kVirtual;
    field.source.virtual_index = static_cast<std::uint32_t>(i);
    field.source.attribute = column;
    field.read_only = !IsWritableVirtual(object.qualifier(), i);
    return true;
  }
  // An entry of the qualifier under its own name stands for its attribute.
  const ColumnQualifier* entry = draft.qualifier.Find(column);
  if (entry != nullptr && !entry->is_virtual) {
    field.source.attribute = entry->physical();
    field.column = entry->physical();
    field.store_null = entry->presence == Presence::kNull;
  } else {
    Result<AttributePath> path = ParseAttributePath(column);
    if (!path.ok()) return false;
    field.source.attribute = path->attribute;
    field.source.path = std::move(path->steps);
  }
  if (field.source.path.empty() &&
      KeyColumnOf(object.schema(), field.source.attribute) != nullptr) {
    field.key_part = true;
    field.nullable = false;
  }
  return true;
}

Field CatalogBuilder::FromInferred(const Draft& draft, const InferredAttribute& attribute,
                                   std::string name) const {
  Field field;
  field.name = std::move(name);
  FieldType type = attribute.type;
  const bool currency = std::find(draft.currency_columns.begin(), draft.currency_columns.end(),
                                  attribute.name) != draft.currency_columns.end();
  if (currency && type == FieldType::kNumber && !attribute.collection) type = FieldType::kCurrency;
  SetType(field, type);
  field.collection = attribute.collection;
  field.stored_collection = attribute.stored_collection;
  field.mixed_list = attribute.mixed_list;
  field.max_length = attribute.max_length;
  if (attribute.mixed_list) field.read_only = true;
  std::vector<std::string> originals;
  for (const InferredAttribute& member : attribute.members) originals.push_back(member.name);
  const auto names = PublishedNames(originals, {});
  for (const InferredAttribute& member : attribute.members) {
    Field inner = FromInferred(draft, member, names.at(member.name));
    inner.source.attribute = member.name;
    inner.column = member.name;
    field.members.push_back(std::move(inner));
  }
  return field;
}

bool CatalogBuilder::ReadFieldOptions(Draft& draft, const JsonPlace& at, Field& field) {
  field.declared = true;
  field.label = StringOf(at, "label").value_or("");
  field.description = StringOf(at, "description").value_or("");
  if (auto length = UintOf(at, "length")) field.max_length = static_cast<std::uint32_t>(*length);
  if (auto precision = UintOf(at, "precision"))
    field.precision = static_cast<std::int32_t>(*precision);
  if (auto scale = UintOf(at, "scale")) field.scale = static_cast<std::int32_t>(*scale);
  if (field.precision && field.scale && field.kind == EdmKind::kDecimal &&
      *field.scale > *field.precision) {
    findings_.Error(at.Child("scale"), "value-out-of-range", "`scale` is at most `precision`",
                    "raise `precision`, or lower `scale`");
  }
  if (auto unit = StringOf(at, "unit")) {
    if (field.type == FieldType::kDateTime && *unit != "s" && *unit != "ms") {
      findings_.Error(at.Child("unit"), "bad-choice", "the unit of a DateTime is \"s\" or \"ms\"",
                      "write one of them");
    }
    field.unit = *unit;
  }
  field.currency_code = StringOf(at, "currency").value_or("");
  field.currency_field = StringOf(at, "currencyColumn").value_or("");
  if (at.Child("values")) field.values = StringsOf(at, "values");
  field.required = BoolOf(at, "required").value_or(false);
  if (auto read_only = BoolOf(at, "readOnly")) field.read_only = field.read_only || *read_only;
  field.hidden = BoolOf(at, "hidden").value_or(false);
  field.strict = BoolOf(at, "strict").value_or(false);
  field.unique = BoolOf(at, "unique").value_or(false);
  if (auto searchable = BoolOf(at, "searchable")) {
    field.searchable = *searchable;
    field.searchable_declared = *searchable;
  }
  const auto formula_text = [&](std::string_view key) -> std::optional<std::string> {
    const JsonPlace place = at.Child(key);
    if (!place) return std::nullopt;
    if (place.value->IsNumber()) return place.value->text;
    if (place.value->type == JsonType::kBool)
      return std::string(place.value->boolean ? "TRUE" : "FALSE");
    return StringOf(at, key);
  };
  field.default_formula = formula_text("default");
  field.on_update_formula = formula_text("onUpdate");
  field.minimum = NumberOf(at, "minimum");
  field.maximum = NumberOf(at, "maximum");
  if (auto generate = StringOf(at, "generate")) {
    if (*generate == "uuid") {
      field.generate = Generate::kUuid;
    } else if (*generate == "random64") {
      field.generate = Generate::kRandom64;
    } else if (*generate == "sequence") {
      field.generate = Generate::kSequence;
    } else {
      findings_.Error(at.Child("generate"), "bad-choice",
                      "`generate` is \"uuid\", \"random64\" or \"sequence\"", "write one of them");
    }
  }
  if (auto form = StringOf(at, "as")) {
    if (*form == "text" || *form == "json") {
      field.form = *form == "text" ? CollectionForm::kText : CollectionForm::kJson;
      if (!field.collection && field.type != FieldType::kJsonText) {
        field.collection = true;  // the list or set behind it was not seen
      }
      if (field.type == FieldType::kJsonText) field.collection = false;
    } else {
      findings_.Error(at.Child("as"), "bad-choice", "`as` is \"text\" or \"json\"", "write one of them");
    }
  }
  if (const JsonPlace members = at.Child("fields"); IsObject(members))
    ReadMemberFields(draft, members, field);
  return true;
}

void CatalogBuilder::ReadMemberFields(Draft& draft, const JsonPlace& members, Field& field) {
  const std::vector<Field> seen = std::move(field.members);
  field.members.clear();
  for (const JsonMember& member : members.value->members) {
    const JsonPlace place = members.Child(member.name);
    const bool as_seen = place.value->type == JsonType::kBool && place.value->boolean;
    if (!IsObject(place) && !as_seen) continue;
    Field inner;
    const std::string column = StringOf(place, "column").value_or(member.name);
    const auto type = StringOf(place, "type");
    const auto shown = std::find_if(seen.begin(), seen.end(),
                                    [&](const Field& one) { return one.column == column; });
    if (!type && shown != seen.end()) inner = *shown;
    inner.name = member.name;
    inner.column = column;
    inner.source.attribute = column;
    if (type || shown == seen.end()) {
      const std::optional<FieldType> known = FieldTypeFromName(type.value_or("Text"));
      if (!known) {
        findings_.Error(place.Child("type"), "unknown-field-type",
                        "unknown field type `" + *type + "`",
                        "write Text, Number, Currency, DateTime, …");
      }
      SetType(inner, known.value_or(FieldType::kText));
      inner.max_length = DefaultLength(inner.type);
      if (!type) Untyped(draft, place, inner);
    }
    ReadFieldOptions(draft, place, inner);
    field.members.push_back(std::move(inner));
  }
}

void CatalogBuilder::DeclaredField(Draft& draft, const JsonPlace& at, const std::string& name,
                                   std::vector<Field>& fields) {
  // `true` stands for "as inferred".
  if (!IsObject(at) && !(at.value->type == JsonType::kBool && at.value->boolean)) return;
  if (!IsODataIdentifier(name) || name == kExternalIdField) {
    findings_.Error(at, "bad-field-name",
                    name == kExternalIdField
                        ? "the name ExternalId is the record's key"
                        : "`" + name + "` is no OData identifier of at most 40 characters",
                    "choose another name; `column` says where the value comes from");
    return;
  }
  const std::string column = StringOf(at, "column").value_or(name);
  Field field;
  field.name = name;
  if (!SourceOf(draft, column, field)) {
    findings_.Error(at.Child("column"), "bad-column", "`" + column + "` is no column and no path",
                    "write attribute, attribute.member or attribute[0].member");
    return;
  }
  const Field placed = field;
  const InferredAttribute* seen =
      draft.inferred && field.source.kind != SourceKind::kVirtual
          ? FollowInferred(FindInferred(draft.inferred->attributes, field.source.attribute),
                           field.source.path)
          : nullptr;
  bool stated = true;  // by the data, the formula, the key or the qualifier
  if (seen != nullptr) {
    field = FromInferred(draft, *seen, name);
    field.source = placed.source;
    field.column = placed.column;
    field.key_part = placed.key_part;
    field.nullable = placed.nullable;
    field.store_null = placed.store_null;
    field.mixed_list = false;
    field.read_only = false;
  } else if (field.source.kind == SourceKind::kVirtual) {
    SetType(field,
            TypeOfFormula(
                draft.object->qualifier().virtual_columns()[field.source.virtual_index].type));
  } else if (const KeyColumn* key =
                 draft.embedded ? nullptr : KeyColumnOf(draft.object->schema(), column);
             key != nullptr && field.source.path.empty()) {
    SetType(field, TypeOfStored(key->type));
  } else if (const ColumnQualifier* entry = draft.qualifier.Find(column);
             entry != nullptr && entry->type) {
    SetType(field, TypeOfStored(*entry->type));
  } else {
    stated = false;
  }
  if (auto type = StringOf(at, "type")) {
    std::string_view element = *type;
    constexpr std::string_view kCollection = "Collection(";
    bool collection = false;
    if (element.substr(0, kCollection.size()) == kCollection && element.back() == ')') {
      collection = true;
      element = element.substr(kCollection.size(), element.size() - kCollection.size() - 1);
    }
    const std::optional<FieldType> known = FieldTypeFromName(element);
    if (!known) {
      std::vector<std::string_view> names;
      for (int i = 0; i <= static_cast<int>(FieldType::kJsonText); ++i)
        names.push_back(FieldTypeName(static_cast<FieldType>(i)));
      const auto nearest = NearestName(element, names);
      findings_.Error(at.Child("type"), "unknown-field-type", "unknown field type `" + *type + "`",
                      nearest ? "did you mean `" + *nearest + "`?"
                              : "write Text, Number, Currency, DateTime, …");
      return;
    }
    const bool same = *known == field.type;
    if (!same || seen == nullptr) SetType(field, *known);
    if (collection) field.collection = true;
    if (!collection && !same) field.collection = false;
    if (!same || seen == nullptr) field.max_length = DefaultLength(field.type);
  } else if (seen == nullptr) {
    if (IsObject(at.Child("fields"))) {
      SetType(field, FieldType::kComplex);  // its members say what it is
    } else if (!stated) {
      Untyped(draft, at, field);
    }
    field.max_length = DefaultLength(field.type);
  }
  if (auto collection = BoolOf(at, "collection")) field.collection = *collection;
  ReadFieldOptions(draft, at, field);
  fields.push_back(std::move(field));
}

void CatalogBuilder::InferredFields(Draft& draft, std::vector<Field>& fields) {
  const ExternalObject& object = *draft.object;
  std::set<std::string, std::less<>> columns;  // published already, or on purpose not at all
  std::vector<std::string> taken = {std::string(kExternalIdField)};
  for (const Field& field : fields) {
    columns.insert(field.column);
    taken.push_back(field.name);
  }
  for (const PhysicalColumn& physical : object.qualifier().physical_columns()) {
    if (physical.constants.size() == 1 && !physical.inverse) columns.insert(physical.name);
  }
  if (const JsonPlace children = Extension(draft, "children");
      children && children.value->IsObject()) {
    for (const JsonMember& member : children.value->members) {
      if (const JsonValue* column = member.value.Find("column")) columns.insert(column->text);
    }
  }
  std::vector<std::pair<std::string, bool>> wanted;  // column, virtual
  const auto want = [&](const std::string& column, bool is_virtual) {
    if (columns.insert(column).second) wanted.emplace_back(column, is_virtual);
  };
  if (!LooksLikeSecret(object.schema().key.partition.name))
    want(object.schema().key.partition.name, false);
  if (object.schema().key.sort) want(object.schema().key.sort->name, false);
  for (const VirtualColumn& column : object.qualifier().virtual_columns()) want(column.name, true);
  if (draft.inferred) {
    for (const InferredAttribute& attribute : draft.inferred->attributes)
      want(attribute.name, false);
  }
  std::vector<std::string> originals;
  for (const auto& [column, is_virtual] : wanted) originals.push_back(column);
  const auto names = PublishedNames(originals, taken);
  for (const auto& [column, is_virtual] : wanted) {
    Field field;
    if (is_virtual) {
      field.name = names.at(column);
      SourceOf(draft, column, field);
      const VirtualColumn& definition =
          object.qualifier().virtual_columns()[field.source.virtual_index];
      SetType(field, TypeOfFormula(definition.type));
      field.max_length = DefaultLength(field.type);
    } else {
      const InferredAttribute* seen =
          draft.inferred ? FindInferred(draft.inferred->attributes, column) : nullptr;
      const KeyColumn* key = KeyColumnOf(object.schema(), column);
      if (seen != nullptr) {
        field = FromInferred(draft, *seen, names.at(column));
      } else {
        field.name = names.at(column);
        SetType(field, TypeOfStored(key == nullptr ? AttributeType::kS : key->type));
        field.max_length = DefaultLength(field.type);
      }
      field.column = column;
      field.source.attribute = column;
      field.key_part = key != nullptr;
      field.nullable = key == nullptr;
      const ColumnQualifier* entry = draft.qualifier.Find(column);
      field.store_null = entry != nullptr && entry->presence == Presence::kNull;
    }
    if (field.name != column) field.attribute_name = column;
    fields.push_back(std::move(field));
  }
}

void CatalogBuilder::BuildFields(Draft& draft) {
  std::vector<Field> fields;
  const JsonPlace declared = Extension(draft, "fields");
  if (IsObject(declared)) {
    for (const JsonMember& member : declared.value->members) {
      if (member.name == "*") continue;
      DeclaredField(draft, declared.Child(member.name), member.name, fields);
    }
  }
  if (draft.all_fields) InferredFields(draft, fields);
  draft.object->fields_ = std::move(fields);
}

void CatalogBuilder::BuildEmbeddedFields(Draft& draft, const ExternalObject& parent,
                                         const Draft& parent_draft) {
  const EmbeddedList& list = *draft.object->embedded_;
  std::vector<Field> fields;
  Field reference;
  reference.name = "ParentExternalId";
  reference.label = parent.label() + " ID";
  reference.column = reference.name;
  reference.source.kind = SourceKind::kParent;
  reference.source.parent_field = 0;
  reference.max_length = parent.external_id().max_length;
  reference.nullable = false;
  reference.key_part = true;
  fields.push_back(reference);
  const InferredAttribute* seen =
      parent_draft.inferred && list.path.empty()
          ? FindInferred(parent_draft.inferred->attributes, list.attribute)
          : nullptr;
  // What the parent's items showed of the list's elements types the fields given as `true`.
  if (seen != nullptr) draft.inferred.emplace().attributes = seen->members;
  const JsonPlace declared =
      draft.entry.Child("fields") ? draft.entry.Child("fields") : draft.overlay.Child("fields");
  if (IsObject(declared)) {
    for (const JsonMember& member : declared.value->members) {
      if (member.name != "*")
        DeclaredField(draft, declared.Child(member.name), member.name, fields);
    }
  }
  const JsonPlace star = declared.Child("*");
  if ((!declared || (star && star.value->boolean)) && seen != nullptr) {
    std::set<std::string, std::less<>> columns;
    std::vector<std::string> taken = {std::string(kExternalIdField)};
    for (const Field& field : fields) {
      columns.insert(field.column);
      taken.push_back(field.name);
    }
    std::vector<std::string> originals;
    for (const InferredAttribute& member : seen->members) {
      if (columns.count(member.name) == 0) originals.push_back(member.name);
    }
    const auto names = PublishedNames(originals, taken);
    for (const InferredAttribute& member : seen->members) {
      const auto name = names.find(member.name);
      if (name == names.end()) continue;
      Field field = FromInferred(draft, member, name->second);
      field.column = member.name;
      field.source.kind = SourceKind::kElement;
      field.source.attribute = member.name;
      if (field.name != member.name) field.attribute_name = member.name;
      fields.push_back(std::move(field));
    }
  }
  for (Field& field : fields) {
    if (field.source.kind == SourceKind::kElement && field.source.path.empty() &&
        field.source.attribute == list.key_member) {
      field.key_part = true;
      field.nullable = false;
    }
  }
  if (list.key_member.empty()) {
    for (Field& field : fields) field.read_only = true;
  }
  draft.object->fields_ = std::move(fields);
}

}  // namespace tablecast
