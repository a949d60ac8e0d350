#include "item/row.h"

#include <utility>

#include "item/item_codec.h"

namespace tablecast {

SlotMap::SlotMap(std::vector<std::string> names) : names_(std::move(names)) {}

ItemRow::ItemRow(const SlotMap& slots, const TableSchema& schema, const AttributeNames& names) {
  bindings_.reserve(slots.names().size());
  for (const std::string& name : slots.names()) {
    Binding binding{Source::kAttribute, AttributeNames::kNone};
    if (name == schema.key.partition.name) {
      binding.source = Source::kPartition;
    } else if (schema.key.sort && name == schema.key.sort->name) {
      binding.source = Source::kSort;
    } else {
      binding.id = names.Find(name);
      if (binding.id == AttributeNames::kNone) binding.source = Source::kNowhere;
    }
    bindings_.push_back(binding);
  }
}

AttributeView ItemRow::Get(Slot slot) const {
  if (slot >= bindings_.size() || item_ == nullptr) return {};
  const Binding& binding = bindings_[slot];
  switch (binding.source) {
    case Source::kPartition: return item_->partition();
    case Source::kSort: return item_->sort();
    case Source::kAttribute: return item_->FindById(binding.id);
    case Source::kNowhere: break;
  }
  return {};
}

OwnedItemRow::OwnedItemRow(const SlotMap& slots, const Item& item) {
  views_.reserve(slots.names().size());
  payloads_.reserve(slots.names().size());  // views point into the strings: they must not move
  for (const std::string& name : slots.names()) {
    const auto found = item.find(name);
    if (found == item.end()) {
      views_.emplace_back();
      continue;
    }
    std::string& payload = payloads_.emplace_back();
    AppendPayload(payload, found->second);
    views_.emplace_back(found->second.type(), payload);
  }
}

AttributeView OwnedItemRow::Get(Slot slot) const {
  return slot < views_.size() ? views_[slot] : AttributeView();
}

}  // namespace tablecast
