#include "connector/field_defaults.h"

namespace tablecast {

void SetType(Field& field, FieldType type) {
  field.type = type;
  field.kind = EdmKindOf(type);
  field.precision.reset();
  field.scale.reset();
  if (type == FieldType::kNumber || type == FieldType::kPercent) field.precision = 38;
  if (type == FieldType::kPercent) field.unit = "%";
  if (type == FieldType::kCurrency) {
    field.precision = 18;
    field.scale = 2;
  }
  if (type == FieldType::kDateTime || type == FieldType::kTime) field.precision = 9;
}

const KeyColumn* KeyColumnOf(const TableSchema& schema, std::string_view attribute) {
  if (schema.key.partition.name == attribute) return &schema.key.partition;
  if (schema.key.sort && schema.key.sort->name == attribute) return &*schema.key.sort;
  return nullptr;
}

}  // namespace tablecast
