// Between formula values (virtual columns) and typed values.

#include "connector/convert.h"
#include "qualifiers/compiled_qualifier.h"

namespace tablecast {
namespace {

EdmValue Misfit(const Field& field, const formula::Value& value,
                std::optional<ConversionError>* error) {
  if (error != nullptr && !error->has_value()) {
    *error = ConversionError{"wrong-type",
                             "field " + field.name + " of type " +
                                 std::string(FieldTypeName(field.type)) +
                                 " cannot hold the formula's value",
                             value.ToString().substr(0, 200)};
  }
  return {};
}

}  // namespace

EdmValue FromFormula(const Field& field, const formula::Value& value,
                     std::optional<ConversionError>* error) {
  switch (value.type()) {
    case formula::ValueType::kNull: return {};
    case formula::ValueType::kText:
      return FromStored(field, AttributeView(AttributeType::kS, value.text()), error);
    case formula::ValueType::kNumber:
      if (field.kind == EdmKind::kDecimal) return EdmValue::Number(value.number());
      if (IsIntegerKind(field.kind)) {
        Result<EdmValue> whole = ParseEdm(field.kind, value.number().ToString());
        if (whole.ok()) return *std::move(whole);
      }
      return Misfit(field, value, error);
    case formula::ValueType::kBoolean:
      if (field.kind == EdmKind::kBoolean) return EdmValue::Boolean(value.boolean());
      return Misfit(field, value, error);
    case formula::ValueType::kDate:
      if (field.kind == EdmKind::kDate) return EdmValue::OfDate(value.date());
      if (field.kind == EdmKind::kDateTimeOffset) {
        return EdmValue::DateTimeOffset(ToTimestamp(value.date(), TimeOfDay{}));
      }
      return Misfit(field, value, error);
    case formula::ValueType::kDateTime:
      if (field.kind == EdmKind::kDateTimeOffset) return EdmValue::DateTimeOffset(value.instant());
      if (field.kind == EdmKind::kDate) return EdmValue::OfDate(DateOf(value.instant()));
      return Misfit(field, value, error);
    case formula::ValueType::kTime:
      if (field.kind == EdmKind::kTimeOfDay) return EdmValue::OfTime(value.time());
      return Misfit(field, value, error);
  }
  return {};
}

formula::Value ToFormula(const EdmValue& value) {
  switch (value.kind()) {
    case EdmKind::kString:
    case EdmKind::kGuid: return formula::Value::Text(value.text());
    case EdmKind::kBoolean: return formula::Value::Boolean(value.boolean());
    case EdmKind::kDate: return formula::Value::FromDate(value.date());
    case EdmKind::kDateTimeOffset: return formula::Value::DateTime(value.timestamp());
    case EdmKind::kTimeOfDay: return formula::Value::Time(value.time());
    default:
      return IsExactNumber(value.kind()) ? formula::Value::Number(value.number())
                                         : formula::Value();
  }
}

}  // namespace tablecast
