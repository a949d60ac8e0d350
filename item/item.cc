// Owned items: their size, their rules, their key.
// Tested by tests/item/item_test.cc.

#include "item/item.h"

#include <utility>

#include "base/utf8.h"
#include "item/item_codec.h"

namespace tablecast {
namespace {

Error Invalid(std::string reason, std::string message, std::string target) {
  return MakeError(ErrorCode::kInvalidArgument, std::move(reason), std::move(message),
                   std::move(target));
}

// SOURCE: DynamoDB developer guide, "DynamoDB item sizes and formats".
std::size_t ValueSize(const AttributeValue& value) {
  constexpr std::size_t kCollectionBytes = 3;
  constexpr std::size_t kElementBytes = 1;
  std::size_t size = 0;
  switch (value.type()) {
    case AttributeType::kS: return value.text().size();
    case AttributeType::kB: return value.bytes().size();
    case AttributeType::kN: return NumberItemSize(value.number_code());
    case AttributeType::kBool:
    case AttributeType::kNull: return 1;
    case AttributeType::kSS:
    case AttributeType::kBS:
      for (const std::string& element : value.set()) size += element.size();
      return size;
    case AttributeType::kNS:
      for (const std::string& code : value.set()) size += NumberItemSize(code);
      return size;
    case AttributeType::kL:
      for (const AttributeValue& element : value.list()) size += kElementBytes + ValueSize(element);
      return kCollectionBytes + size;
    case AttributeType::kM:
      for (const auto& [name, member] : value.map()) {
        size += kElementBytes + name.size() + ValueSize(member);
      }
      return kCollectionBytes + size;
  }
  return size;
}

Error BadEncoding(std::string target) {
  return Invalid("string-encoding", "a string is not valid UTF-8", std::move(target));
}

// Puts an outer step in front of the path that an inner check reported.
Error Within(std::string step, Error error) {
  const bool index_follows = error.target.starts_with('[');
  if (!error.target.empty()) step += (index_follows ? "" : ".") + error.target;
  error.target = std::move(step);
  return error;
}

// `level` counts the maps and lists around the value; the budget bounds the recursion too.
Status ValidateValue(const AttributeValue& value, int level) {
  switch (value.type()) {
    case AttributeType::kS:
      if (!IsValidUtf8(value.text())) return BadEncoding({});
      return {};
    case AttributeType::kSS:
      for (const std::string& element : value.set()) {
        if (!IsValidUtf8(element)) return BadEncoding({});
      }
      return {};
    case AttributeType::kM:
    case AttributeType::kL: break;
    default: return {};
  }
  if (level >= kMaxNesting) {
    return Invalid(
        "nesting",
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested "
        "levels beyond supported limit",
        {});
  }
  if (value.Is(AttributeType::kL)) {
    for (std::size_t i = 0; i < value.list().size(); ++i) {
      Status status = ValidateValue(value.list()[i], level + 1);
      if (!status.ok()) return Within("[" + std::to_string(i) + "]", std::move(status).error());
    }
    return {};
  }
  for (const auto& [name, member] : value.map()) {
    if (!IsValidUtf8(name))
      return Invalid("attribute-name", "an attribute name is not valid UTF-8", {});
    Status status = ValidateValue(member, level + 1);
    if (!status.ok()) return Within(name, std::move(status).error());
  }
  return {};
}

// A key column of an index may be missing, but not of another type, empty or too long.
Status ValidateIndexColumn(const SecondaryIndex& index, const KeyColumn& column,
                           std::size_t max_bytes, const Item& item) {
  const auto found = item.find(column.name);
  if (found == item.end()) return {};
  const AttributeValue& value = found->second;
  if (!value.Is(column.type)) {
    return Invalid("index-key-type",
                   "One or more parameter values were invalid: Type mismatch for Index Key " +
                       column.name + " Expected: " + std::string(AttributeTypeName(column.type)) +
                       " Actual: " + std::string(AttributeTypeName(value.type())) +
                       " IndexName: " + index.name,
                   column.name);
  }
  if (value.Is(AttributeType::kN)) return {};
  const std::size_t size = ValueSize(value);
  if (size == 0) {
    return Invalid(
        "index-key-empty",
        std::string("One or more parameter values are not valid. A value specified for a "
                    "secondary index key is not supported. The AttributeValue for a key "
                    "attribute cannot contain an empty ") +
            (value.Is(AttributeType::kS) ? "string" : "binary") +
            " value. IndexName: " + index.name + ", IndexKey: " + column.name,
        column.name);
  }
  if (size > max_bytes) {
    return Invalid("index-key-too-long",
                   "index key '" + column.name + "' has " + std::to_string(size) +
                       " bytes; the limit is " + std::to_string(max_bytes) + " (index " +
                       index.name + ")",
                   column.name);
  }
  return {};
}

Result<AttributeValue> KeyColumnOf(const KeyColumn& column, const Item& item) {
  const auto found = item.find(column.name);
  if (found == item.end()) {
    return Invalid("key-missing",
                   "One or more parameter values were invalid: Missing the key " + column.name +
                       " in the item",
                   column.name);
  }
  if (!found->second.Is(column.type)) {
    return Invalid("key-type",
                   "One or more parameter values were invalid: Type mismatch for key " +
                       column.name + " expected: " + std::string(AttributeTypeName(column.type)) +
                       " actual: " + std::string(AttributeTypeName(found->second.type())),
                   column.name);
  }
  return found->second;
}

}  // namespace

std::size_t ItemSize(const Item& item) {
  std::size_t size = 0;
  for (const auto& [name, value] : item) size += name.size() + ValueSize(value);
  return size;
}

Result<ItemKey> KeyOf(const TableSchema& schema, const Item& item) {
  ItemKey key;
  TABLECAST_ASSIGN_OR_RETURN(key.partition, KeyColumnOf(schema.key.partition, item));
  if (schema.key.sort) {
    TABLECAST_ASSIGN_OR_RETURN(key.sort, KeyColumnOf(*schema.key.sort, item));
  }
  return key;
}

Status ValidateItem(const TableSchema& schema, const Item& item) {
  TABLECAST_ASSIGN_OR_RETURN(const ItemKey key, KeyOf(schema, item));
  if (auto encoded = EncodeKey(schema, key); !encoded.ok()) return std::move(encoded).error();
  for (const auto& [name, value] : item) {
    TABLECAST_RETURN_IF_ERROR(ValidateAttributeName(name, false));
    Status status = ValidateValue(value, 0);
    if (!status.ok()) return Within(name, std::move(status).error());
  }
  for (const SecondaryIndex& index : schema.indexes) {
    for (const KeyColumn& column : index.partition) {
      TABLECAST_RETURN_IF_ERROR(ValidateIndexColumn(index, column, kMaxPartitionKeyBytes, item));
    }
    for (const KeyColumn& column : index.sort) {
      TABLECAST_RETURN_IF_ERROR(ValidateIndexColumn(index, column, kMaxSortKeyBytes, item));
    }
  }
  if (const std::size_t size = ItemSize(item); size > kMaxItemBytes) {
    return Invalid("item-too-large", "Item size has exceeded the maximum allowed size",
                   std::to_string(size) + " bytes");
  }
  return {};
}

}  // namespace tablecast
