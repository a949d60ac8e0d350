// ItemView: reads attributes out of stored bytes (record_layout.h has the search).
// Tested by tests/item/item_view_test.cc, tests/item/codec_property_test.cc,
// tests/fuzz/record_fuzz.cc.

#include <utility>

#include "item/item.h"
#include "item/item_codec.h"
#include "item/key_layout.h"
#include "item/record_layout.h"

namespace tablecast {
namespace {

Error DamagedRecord(const char* what) {
  return MakeError(ErrorCode::kDataLoss, "record-damaged",
                   std::string("the stored bytes of an item are damaged: ") + what);
}

}  // namespace

ItemView::ItemView(const TableSchema& schema, const AttributeNames& names, std::string_view key,
                   std::string_view record)
    : schema_(&schema), names_(&names), key_(key), record_(record) {
  internal::KeyParts parts;
  if (!internal::SplitKey(schema.key.partition.type, key, parts)) return;
  std::string_view partition = parts.partition;
  if (parts.escaped) {
    unescaped_ = std::make_shared<std::string>(internal::Unescape(partition));
    partition = *unescaped_;
  }
  partition_ = AttributeView(schema.key.partition.type, partition);
  if (schema.key.sort) sort_ = AttributeView(schema.key.sort->type, parts.sort);
}

AttributeView ItemView::Find(std::string_view name) const {
  if (name == schema_->key.partition.name) return partition_;
  if (schema_->key.sort && name == schema_->key.sort->name) return sort_;
  const AttributeNames::Id id = names_->Find(name);
  if (id == AttributeNames::kNone) return {};
  return FindById(id);
}

AttributeView ItemView::FindById(AttributeNames::Id id) const {
  internal::RecordLayout layout;
  return layout.Open(record_) ? layout.Find(id) : AttributeView();
}

std::size_t ItemView::AttributeCount() const {
  internal::RecordLayout layout;
  return layout.Open(record_) ? layout.count() : 0;
}

ItemView::Attribute ItemView::AttributeAt(std::size_t index) const {
  internal::RecordLayout layout;
  if (!layout.Open(record_) || index >= layout.count()) return {AttributeNames::kNone, {}};
  return {static_cast<AttributeNames::Id>(layout.IdAt(index)), layout.ValueAt(index)};
}

Result<ItemKey> ItemView::ToKey() const { return DecodeKey(*schema_, key_); }

Result<Item> ItemView::ToItem() const {
  internal::RecordLayout layout;
  if (!layout.Open(record_)) return DamagedRecord("no such record form");
  const std::size_t values_end = layout.count() == 0 ? 0 : layout.EndAt(layout.count() - 1);
  if (values_end != layout.values_size()) return DamagedRecord("wrong length");
  Item item;
  for (std::size_t i = 0; i < layout.count(); ++i) {
    if (i > 0 && layout.IdAt(i) <= layout.IdAt(i - 1))
      return DamagedRecord("attributes out of order");
    const std::string_view name = names_->Name(static_cast<AttributeNames::Id>(layout.IdAt(i)));
    if (name.empty()) return DamagedRecord("unknown attribute number");
    TABLECAST_ASSIGN_OR_RETURN(AttributeValue value, DecodeValue(layout.ValueAt(i)));
    item.emplace(name, std::move(value));
  }
  TABLECAST_ASSIGN_OR_RETURN(ItemKey key, ToKey());
  bool fresh = item.emplace(schema_->key.partition.name, std::move(key.partition)).second;
  if (key.sort) fresh &= item.emplace(schema_->key.sort->name, *std::move(key.sort)).second;
  if (!fresh) return DamagedRecord("a key column among the attributes");
  return item;
}

}  // namespace tablecast
