#include "connector/field.h"

#include <array>

namespace tablecast {
namespace {

struct TypeEntry {
  FieldType type;
  std::string_view name;
  EdmKind kind;
};
constexpr std::array kTypes = {
    TypeEntry{FieldType::kText, "Text", EdmKind::kString},
    TypeEntry{FieldType::kTextArea, "TextArea", EdmKind::kString},
    TypeEntry{FieldType::kLongText, "LongText", EdmKind::kString},
    TypeEntry{FieldType::kEmail, "Email", EdmKind::kString},
    TypeEntry{FieldType::kPhone, "Phone", EdmKind::kString},
    TypeEntry{FieldType::kUrl, "Url", EdmKind::kString},
    TypeEntry{FieldType::kPicklist, "Picklist", EdmKind::kString},
    TypeEntry{FieldType::kDateTime, "DateTime", EdmKind::kDateTimeOffset},
    TypeEntry{FieldType::kDate, "Date", EdmKind::kDate},
    TypeEntry{FieldType::kTime, "Time", EdmKind::kTimeOfDay},
    TypeEntry{FieldType::kNumber, "Number", EdmKind::kDecimal},
    TypeEntry{FieldType::kInt32, "Int32", EdmKind::kInt32},
    TypeEntry{FieldType::kInt64, "Int64", EdmKind::kInt64},
    TypeEntry{FieldType::kCurrency, "Currency", EdmKind::kDecimal},
    TypeEntry{FieldType::kPercent, "Percent", EdmKind::kDecimal},
    TypeEntry{FieldType::kCheckbox, "Checkbox", EdmKind::kBoolean},
    TypeEntry{FieldType::kBinary, "Binary", EdmKind::kBinary},
    TypeEntry{FieldType::kGuid, "Guid", EdmKind::kGuid},
    TypeEntry{FieldType::kComplex, "Complex", EdmKind::kComplex},
    TypeEntry{FieldType::kJsonText, "JsonText", EdmKind::kString},
};

}  // namespace

std::string_view FieldTypeName(FieldType type) {
  for (const TypeEntry& entry : kTypes) {
    if (entry.type == type) return entry.name;
  }
  return "Text";
}

std::optional<FieldType> FieldTypeFromName(std::string_view name) {
  for (const TypeEntry& entry : kTypes) {
    if (entry.name == name) return entry.type;
  }
  return std::nullopt;
}

EdmKind EdmKindOf(FieldType type) {
  for (const TypeEntry& entry : kTypes) {
    if (entry.type == type) return entry.kind;
  }
  return EdmKind::kString;
}

bool IsTextType(FieldType type) { return type <= FieldType::kPicklist; }

std::string FieldSourceText(const FieldSource& source) {
  switch (source.kind) {
    case SourceKind::kExternalId: return "ExternalId";
    case SourceKind::kElementIndex: return "[index]";
    case SourceKind::kParent: return "parent";
    case SourceKind::kGuidKey: return "guid";
    case SourceKind::kVirtual: return source.attribute;
    case SourceKind::kAttribute:
    case SourceKind::kElement: break;
  }
  std::string out = source.attribute;
  for (const PathStep& step : source.path) {
    if (!step.name.empty()) out += "." + step.name;
    if (step.index) out += "[" + std::to_string(*step.index) + "]";
  }
  return out;
}

EdmType TypeOf(const Field& field) {
  EdmType type;
  if (field.collection && field.form != CollectionForm::kNative) {
    type.kind = EdmKind::kString;
    return type;
  }
  type.kind = field.kind;
  type.collection = field.collection;
  if (field.kind == EdmKind::kComplex) type.members = &field.members;
  return type;
}

std::string EdmTypeText(const EdmType& type) {
  const std::string name(EdmKindName(type.kind));
  return type.collection ? "Collection(" + name + ")" : name;
}

}  // namespace tablecast
