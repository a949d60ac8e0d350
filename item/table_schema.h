#ifndef TABLECAST_ITEM_TABLE_SCHEMA_H_
#define TABLECAST_ITEM_TABLE_SCHEMA_H_

// The shape of a table: its name, its key columns and its secondary indexes, as DynamoDB defines them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "item/attribute_value.h"

namespace tablecast {

struct KeyColumn {
  std::string name;
  AttributeType type = AttributeType::kS;  // kS, kN or kB
  bool operator==(const KeyColumn&) const = default;
};

struct KeySchema {
  KeyColumn partition;
  std::optional<KeyColumn> sort;
  bool operator==(const KeySchema&) const = default;
};

enum class ProjectionType { kAll, kKeysOnly, kInclude };

struct SecondaryIndex {
  std::string name;
  // 1..4 HASH and 0..4 RANGE columns; most indexes have one of each.
  std::vector<KeyColumn> partition;
  std::vector<KeyColumn> sort = {};
  ProjectionType projection = ProjectionType::kAll;
  std::vector<std::string> non_key_attributes = {};  // kInclude
  bool local = false;                           // LSI: same partition key as the table
  bool operator==(const SecondaryIndex&) const = default;
};

struct TableSchema {
  std::string name;
  KeySchema key;
  std::vector<SecondaryIndex> indexes = {};
  bool operator==(const TableSchema&) const = default;
};

// spec section 1.6: 3..255 characters of [a-zA-Z0-9_.-]. ERRORS: kInvalidArgument "table-name".
Status ValidateTableName(std::string_view name);
// 1..65,535 bytes, valid UTF-8; key and index columns at most 255. ERRORS: "attribute-name".
Status ValidateAttributeName(std::string_view name, bool is_key);
Status ValidateTableSchema(const TableSchema& schema);

inline constexpr std::size_t kMaxPartitionKeyBytes = 2048;
inline constexpr std::size_t kMaxSortKeyBytes = 1024;
inline constexpr std::size_t kMaxItemBytes = 409600;
inline constexpr int kMaxNesting = 32;

}  // namespace tablecast

#endif  // TABLECAST_ITEM_TABLE_SCHEMA_H_
