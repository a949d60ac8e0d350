#include "qualifiers/qualifier_names.h"

namespace tablecast {
namespace {

using formula::ValueType;

ValueType ValueTypeOf(AttributeType type) {
  switch (type) {
    case AttributeType::kS: return ValueType::kText;
    case AttributeType::kN: return ValueType::kNumber;
    case AttributeType::kBool: return ValueType::kBoolean;
    default: return ValueType::kNull;
  }
}

// Notes every name that is asked for; every field has an open type, so that nothing is refused for
// it.
class MentionRecorder final : public formula::NameResolver {
 public:
  MentionRecorder(const QualifierNames& names, std::set<Slot>& seen) : names_(names), seen_(seen) {}
  std::optional<formula::FieldBinding> Resolve(std::string_view name) const override {
    auto binding = names_.Resolve(name);
    if (!binding) return formula::FieldBinding{0, ValueType::kNull};
    seen_.insert(binding->slot);
    return formula::FieldBinding{binding->slot, ValueType::kNull};
  }
  std::vector<std::string> Names() const override { return names_.Names(); }

 private:
  const QualifierNames& names_;
  std::set<Slot>& seen_;
};

}  // namespace

QualifierNames::QualifierNames(
    const TableQualifier& qualifier, const TableSchema& schema,
    const std::vector<std::pair<std::string, ValueType>>& attribute_types) {
  for (const ColumnQualifier& column : qualifier.columns) {
    if (!column.is_virtual) AddAttribute(column.physical());
  }
  AddAttribute(schema.key.partition.name);
  if (schema.key.sort) AddAttribute(schema.key.sort->name);
  for (const auto& known : attribute_types) {
    const ColumnQualifier* entry = qualifier.Find(known.first);
    if (entry == nullptr || !entry->is_virtual) AddAttribute(known.first);
  }
  types_.assign(attributes_.size(), ValueType::kNull);

  // Later sources of a type win: what the caller knows, then the key schema, then the entry itself.
  for (const auto& known : attribute_types) {
    const auto slot = slot_of_attribute_.find(known.first);
    if (slot != slot_of_attribute_.end()) types_[slot->second] = known.second;
  }
  types_[SlotOf(schema.key.partition.name)] = ValueTypeOf(schema.key.partition.type);
  if (schema.key.sort) types_[SlotOf(schema.key.sort->name)] = ValueTypeOf(schema.key.sort->type);

  // An entry's name hides an attribute of the same name.
  for (const auto& [attribute, slot] : slot_of_attribute_) fields_[attribute] = slot;
  for (std::size_t i = 0; i < qualifier.columns.size(); ++i) {
    const ColumnQualifier& column = qualifier.columns[i];
    if (column.is_virtual) {
      fields_[column.name] = static_cast<Slot>(types_.size());
      types_.push_back(ValueType::kNull);
      virtual_entries_.push_back(i);
    } else {
      const Slot slot = SlotOf(column.physical());
      fields_[column.name] = slot;
      if (column.type) types_[slot] = ValueTypeOf(*column.type);
    }
  }
}

void QualifierNames::AddAttribute(std::string_view attribute) {
  const auto slot = static_cast<Slot>(attributes_.size());
  if (slot_of_attribute_.emplace(std::string(attribute), slot).second)
    attributes_.emplace_back(attribute);
}

Slot QualifierNames::SlotOf(std::string_view attribute) const {
  return slot_of_attribute_.find(attribute)->second;
}

std::optional<formula::FieldBinding> QualifierNames::Resolve(std::string_view name) const {
  const auto field = fields_.find(name);
  if (field == fields_.end()) return std::nullopt;
  return formula::FieldBinding{field->second, types_[field->second]};
}

std::vector<std::string> QualifierNames::Names() const {
  std::vector<std::string> names;
  names.reserve(fields_.size());
  for (const auto& field : fields_) names.push_back(field.first);
  return names;
}

std::set<Slot> MentionedFields(const std::string& definition, const QualifierNames& names) {
  std::set<Slot> seen;
  const MentionRecorder recorder(names, seen);
  formula::CompileOptions options;
  options.qualifier_mode = true;
  const auto compiled = formula::Program::Compile(definition, recorder, options);
  static_cast<void>(compiled);
  return seen;
}

}  // namespace tablecast
