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
    const auto fact = facts.find(use.name);
    if (fact != facts.end()) found.push_back(fact->second);
  }
  return found;
}

const VirtualColumn* CompiledQualifier::FindVirtual(std::string_view name) const {
  const auto found = impl_->virtual_index.find(name);
  return found == impl_->virtual_index.end() ? nullptr : &virtual_columns_[found->second];
}

const PhysicalColumn* CompiledQualifier::FindPhysical(std::string_view attribute) const {
  const auto found = impl_->physical_index.find(attribute);
  return found == impl_->physical_index.end() ? nullptr : &physical_columns_[found->second];
}

}  // namespace tablecast
