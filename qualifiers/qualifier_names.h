#ifndef TABLECAST_QUALIFIERS_QUALIFIER_NAMES_H_
#define TABLECAST_QUALIFIERS_QUALIFIER_NAMES_H_

// The names that formulas of one qualifier may use: its entries, the table's key columns, and
// attributes whose type the caller knows. One numbering for physical and virtual columns. Private
// to qualifiers/.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formula/program.h"
#include "item/table_schema.h"
#include "qualifiers/table_qualifier.h"

namespace tablecast {

class QualifierNames final : public formula::NameResolver {
 public:
  QualifierNames(const TableQualifier& qualifier, const TableSchema& schema,
                 const std::vector<std::pair<std::string, formula::ValueType>>& attribute_types);

  // Attribute names by slot: entries in file order, key columns, then further known attributes.
  const std::vector<std::string>& attributes() const { return attributes_; }
  Slot SlotOf(std::string_view attribute) const;  // REQUIRES: known
  // Entry indexes of virtual columns, in file order.
  const std::vector<std::size_t>& virtual_entries() const { return virtual_entries_; }
  bool IsVirtualSlot(Slot slot) const { return slot >= attributes_.size(); }
  std::size_t VirtualIndex(Slot slot) const { return slot - attributes_.size(); }

  // Once known: how formulas read the field.
  void SetType(Slot slot, formula::ValueType type) { types_[slot] = type; }
  formula::ValueType type(Slot slot) const { return types_[slot]; }
  // Names under which a slot may be mentioned.
  const std::map<std::string, Slot, std::less<>>& fields() const { return fields_; }

  std::optional<formula::FieldBinding> Resolve(std::string_view name) const override;
  std::vector<std::string> Names() const override;

 private:
  void AddAttribute(std::string_view attribute);
  std::vector<std::string> attributes_;
  std::map<std::string, Slot, std::less<>> slot_of_attribute_;
  std::vector<std::size_t> virtual_entries_;
  std::map<std::string, Slot, std::less<>> fields_;
  std::vector<formula::ValueType> types_;
};

// Fields that a formula mentions, found without judging its types. Unknown names are left out.
std::set<Slot> MentionedFields(const std::string& definition, const QualifierNames& names);

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_QUALIFIER_NAMES_H_
