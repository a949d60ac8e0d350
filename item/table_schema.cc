#include "item/table_schema.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/utf8.h"

namespace tablecast {
namespace {

// SOURCE: DynamoDB developer guide, "Quotas"; a table's quotas for indexes are its defaults.
constexpr std::size_t kMinTableNameBytes = 3;
constexpr std::size_t kMaxTableNameBytes = 255;
constexpr std::size_t kMaxNameBytes = 65535;
constexpr std::size_t kMaxKeyNameBytes = 255;
constexpr std::size_t kMaxLocalIndexes = 5;
constexpr std::size_t kMaxGlobalIndexes = 20;
constexpr std::size_t kMaxNonKeyAttributes = 100;
constexpr std::size_t kMaxIndexColumns = 4;

Error Invalid(std::string reason, std::string message, std::string target) {
  return MakeError(ErrorCode::kInvalidArgument, std::move(reason), std::move(message),
                   std::move(target));
}

bool IsTableNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

Status ValidateStoreName(std::string_view name, const char* what) {
  const bool length_ok = name.size() >= kMinTableNameBytes && name.size() <= kMaxTableNameBytes;
  if (length_ok && std::all_of(name.begin(), name.end(), IsTableNameCharacter)) return {};
  return Invalid("table-name",
                 std::string(what) +
                     " must be 3 to 255 characters long and contain only the characters "
                     "a-z, A-Z, 0-9, '_', '-' and '.'",
                 std::string(name.substr(0, kMaxTableNameBytes)));
}

// Every key column of a table has one type, whichever index names it.
class ColumnTypes {
 public:
  Status Add(const KeyColumn& column) {
    TABLECAST_RETURN_IF_ERROR(ValidateAttributeName(column.name, true));
    if (column.type != AttributeType::kS && column.type != AttributeType::kN &&
        column.type != AttributeType::kB) {
      return Invalid("key-type", "a key column has type S, N or B", column.name);
    }
    const auto [known, fresh] = types_.emplace(column.name, column.type);
    if (!fresh && known->second != column.type) {
      return Invalid("key-type",
                     "key column '" + column.name + "' is declared as " +
                         std::string(AttributeTypeName(known->second)) + " and as " +
                         std::string(AttributeTypeName(column.type)),
                     column.name);
    }
    return {};
  }

 private:
  std::map<std::string, AttributeType, std::less<>> types_;
};

Status ValidateProjection(const SecondaryIndex& index) {
  const bool lists = !index.non_key_attributes.empty();
  if (lists != (index.projection == ProjectionType::kInclude)) {
    return Invalid("index-projection",
                   lists ? "NonKeyAttributes go with ProjectionType INCLUDE only"
                         : "ProjectionType INCLUDE needs NonKeyAttributes",
                   index.name);
  }
  for (const std::string& name : index.non_key_attributes) {
    TABLECAST_RETURN_IF_ERROR(ValidateAttributeName(name, true));
  }
  return {};
}

Status ValidateIndexKey(const TableSchema& schema, const SecondaryIndex& index) {
  if (index.partition.empty() || index.partition.size() > kMaxIndexColumns ||
      index.sort.size() > kMaxIndexColumns) {
    return Invalid("index-key", "an index has 1 to 4 HASH and 0 to 4 RANGE key columns",
                   index.name);
  }
  std::set<std::string_view> names;
  for (const auto* columns : {&index.partition, &index.sort}) {
    for (const KeyColumn& column : *columns) {
      if (!names.insert(column.name).second) {
        return Invalid("index-key", "key column '" + column.name + "' appears twice", index.name);
      }
    }
  }
  if (!index.local) return {};
  if (!schema.key.sort) {
    return Invalid("index-key", "a local secondary index needs a table with a sort key",
                   index.name);
  }
  if (index.partition.size() != 1 || index.partition[0] != schema.key.partition ||
      index.sort.size() != 1) {
    return Invalid("index-key",
                   "a local secondary index has the table's partition key and one sort key",
                   index.name);
  }
  return {};
}

}  // namespace

Status ValidateTableName(std::string_view name) { return ValidateStoreName(name, "TableName"); }

Status ValidateAttributeName(std::string_view name, bool is_key) {
  const std::size_t limit = is_key ? kMaxKeyNameBytes : kMaxNameBytes;
  if (name.empty() || name.size() > limit) {
    return Invalid("attribute-name",
                   std::string(is_key ? "the name of a key attribute" : "an attribute name") +
                       " has 1 to " + std::to_string(limit) + " bytes; this one has " +
                       std::to_string(name.size()),
                   std::string(name.substr(0, kMaxKeyNameBytes)));
  }
  if (!IsValidUtf8(name)) {
    return Invalid("attribute-name", "an attribute name is not valid UTF-8", {});
  }
  return {};
}

Status ValidateTableSchema(const TableSchema& schema) {
  TABLECAST_RETURN_IF_ERROR(ValidateTableName(schema.name));
  ColumnTypes types;
  TABLECAST_RETURN_IF_ERROR(types.Add(schema.key.partition));
  if (schema.key.sort) {
    TABLECAST_RETURN_IF_ERROR(types.Add(*schema.key.sort));
    if (schema.key.sort->name == schema.key.partition.name) {
      return Invalid("key-duplicate", "partition and sort key are the same attribute",
                     schema.key.sort->name);
    }
  }
  std::set<std::string_view> index_names;
  std::size_t local = 0;
  std::size_t non_key_attributes = 0;
  for (const SecondaryIndex& index : schema.indexes) {
    TABLECAST_RETURN_IF_ERROR(ValidateStoreName(index.name, "IndexName"));
    if (!index_names.insert(index.name).second) {
      return Invalid("index-duplicate", "two indexes have the name '" + index.name + "'",
                     index.name);
    }
    TABLECAST_RETURN_IF_ERROR(ValidateIndexKey(schema, index));
    for (const KeyColumn& column : index.partition) TABLECAST_RETURN_IF_ERROR(types.Add(column));
    for (const KeyColumn& column : index.sort) TABLECAST_RETURN_IF_ERROR(types.Add(column));
    TABLECAST_RETURN_IF_ERROR(ValidateProjection(index));
    local += index.local ? 1 : 0;
    non_key_attributes += index.non_key_attributes.size();
  }
  if (local > kMaxLocalIndexes || schema.indexes.size() - local > kMaxGlobalIndexes) {
    return Invalid("index-count", "a table has at most 5 local and 20 global secondary indexes",
                   schema.name);
  }
  if (non_key_attributes > kMaxNonKeyAttributes) {
    return Invalid("index-projection", "all indexes together project at most 100 NonKeyAttributes",
                   schema.name);
  }
  return {};
}

}  // namespace tablecast
