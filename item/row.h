#ifndef TABLECAST_ITEM_ROW_H_
#define TABLECAST_ITEM_ROW_H_

// The one interface that predicates and formulas read physical columns through.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "item/attribute_value.h"
#include "item/item.h"

namespace tablecast {

// A bound column number: index into the column list that the binding side fixed.
using Slot = std::uint32_t;

class Row {
 public:
  virtual ~Row() = default;
  // Absent view when the item has no such attribute.
  // BORROWS: valid while the row's item is.
  virtual AttributeView Get(Slot slot) const = 0;
};

// Names of physical columns by slot, resolved once per table to attribute ids.
class SlotMap {
 public:
  explicit SlotMap(std::vector<std::string> names);
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

// A Row over one stored item. Resolve once per snapshot, then move from item to item.
// THREAD: one thread. COST: no allocation per row.
class ItemRow final : public Row {
 public:
  ItemRow(const SlotMap& slots, const TableSchema& schema, const AttributeNames& names);
  void Reset(const ItemView& item) { item_ = &item; }  // BORROWS item until the next Reset
  AttributeView Get(Slot slot) const override;

 private:
  enum class Source : std::uint8_t { kPartition, kSort, kAttribute, kNowhere };
  struct Binding { Source source; AttributeNames::Id id; };
  std::vector<Binding> bindings_;
  const ItemView* item_ = nullptr;
};

// A Row over an owned Item (writes, tests): encodes values into its own scratch space, so that the
// item need not outlive it. Not copyable: views point into that space.
class OwnedItemRow final : public Row {
 public:
  OwnedItemRow(const SlotMap& slots, const Item& item);
  OwnedItemRow(const OwnedItemRow&) = delete;
  OwnedItemRow& operator=(const OwnedItemRow&) = delete;
  AttributeView Get(Slot slot) const override;

 private:
  std::vector<AttributeView> views_;
  std::vector<std::string> payloads_;
};

}  // namespace tablecast

#endif  // TABLECAST_ITEM_ROW_H_
