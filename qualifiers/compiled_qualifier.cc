#include "qualifiers/compiled_qualifier.h"

#include "qualifiers/compiled_impl.h"

namespace tablecast {

std::optional<AttributeValue> ToAttribute(const formula::Value& value) {
  switch (value.type()) {
    case formula::ValueType::kText: return AttributeValue::String(std::string(value.text()));
    case formula::ValueType::kBoolean: return AttributeValue::Bool(value.boolean());
    case formula::ValueType::kNumber: {
      auto number = AttributeValue::Number(value.number());
      if (!number.ok()) return std::nullopt;
      return *std::move(number);
    }
    default: return std::nullopt;
  }
}

std::vector<formula::ColumnFacts> CompiledQualifier::Impl::FactsFor(
    const formula::Program& program) const {
  std::vector<formula::ColumnFacts> found;
  for (const formula::FieldUse& use : program.fields()) {
    for (const formula::ColumnFacts& fact : facts) {
      if (fact.name == use.name) found.push_back(fact);
    }
  }
  return found;
}

const VirtualColumn* CompiledQualifier::FindVirtual(std::string_view name) const {
  for (const VirtualColumn& column : virtual_columns_) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

const PhysicalColumn* CompiledQualifier::FindPhysical(std::string_view attribute) const {
  for (const PhysicalColumn& column : physical_columns_) {
    if (column.name == attribute) return &column;
  }
  return nullptr;
}

}  // namespace tablecast
