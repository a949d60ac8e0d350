#include "store/secondary_index.h"

#include <algorithm>
#include <string_view>

#include "store/key_layout.h"

namespace tablecast {
namespace {

// False when the value cannot stand in an index key.
bool AppendColumn(std::string& out, const KeyColumn& column, std::size_t max_bytes,
                  const AttributeView& value) {
  if (!value.Is(column.type)) return false;
  if (column.type == AttributeType::kN) {
    out += value.payload();
    return true;
  }
  if (value.payload().empty() || value.payload().size() > max_bytes) return false;
  AppendEscapedClosed(out, value.payload());
  return true;
}

}  // namespace

std::optional<std::string> SecondaryEntryKey(const SecondaryIndex& index, const ItemView& item) {
  std::string out;
  for (const KeyColumn& column : index.partition) {
    if (!AppendColumn(out, column, kMaxPartitionKeyBytes, item.Find(column.name)))
      return std::nullopt;
  }
  for (const KeyColumn& column : index.sort) {
    if (!AppendColumn(out, column, kMaxSortKeyBytes, item.Find(column.name))) return std::nullopt;
  }
  out += item.key_bytes();
  return out;
}

Item ProjectItem(const TableSchema& schema, const SecondaryIndex& index, const Item& item) {
  if (index.projection == ProjectionType::kAll) return item;
  Item projected;
  const auto take = [&](const std::string& name) {
    if (const auto found = item.find(name); found != item.end()) projected.insert(*found);
  };
  take(schema.key.partition.name);
  if (schema.key.sort) take(schema.key.sort->name);
  for (const KeyColumn& column : index.partition) take(column.name);
  for (const KeyColumn& column : index.sort) take(column.name);
  for (const std::string& name : index.non_key_attributes) take(name);
  return projected;
}

const SecondaryIndex* FindSecondaryIndex(const TableSchema& schema, std::string_view name) {
  const auto found = std::find_if(schema.indexes.begin(), schema.indexes.end(),
                                  [&](const SecondaryIndex& index) { return index.name == name; });
  return found == schema.indexes.end() ? nullptr : &*found;
}

Error SecondaryIndexNotFound(std::string_view table, std::string_view index) {
  return MakeError(ErrorCode::kNotFound, "index-not-found",
                   "table " + std::string(table) + " has no index " + std::string(index),
                   std::string(index));
}

}  // namespace tablecast
