#ifndef TABLECAST_ITEM_ITEM_H_
#define TABLECAST_ITEM_ITEM_H_

// An item: attribute name -> value. Item owns; ItemView borrows the stored key and record bytes and
// decodes an attribute only when asked.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lifetime.h"
#include "base/result.h"
#include "item/attribute_value.h"
#include "item/table_schema.h"

namespace tablecast {

using Item = AttributeValue::Map;  // all attributes, key columns included

// A primary key by value. `sort` is absent for tables without a sort key.
struct ItemKey {
  AttributeValue partition;
  std::optional<AttributeValue> sort;
  bool operator==(const ItemKey&) const = default;
};

// Bytes that DynamoDB counts for the item (spec section 1.5).
std::size_t ItemSize(const Item& item);

// The whole item against the data model: key columns present with the right type, not empty, in size;
// names; nesting at most 32; at most 400 KB. ERRORS: kInvalidArgument with a reason for each rule, the
// attribute's path in `target`; "item-too-large" in DynamoDB's words.
Status ValidateItem(const TableSchema& schema, const Item& item);

// The key of a whole item. ERRORS: kInvalidArgument "key-missing", "key-type".
Result<ItemKey> KeyOf(const TableSchema& schema, const Item& item);

// Attribute names of one table, numbered as first seen. Ids are on disk, never renumbered; a table has
// at most 65,535. Interning is the store's job (inside a write); reading is shared by all snapshots.
// THREAD: safe: Find and Name may run beside Intern.
class AttributeNames {
 public:
  using Id = std::uint16_t;
  static constexpr Id kNone = 0xFFFF;

  AttributeNames();
  ~AttributeNames();
  AttributeNames(const AttributeNames&) = delete;
  AttributeNames& operator=(const AttributeNames&) = delete;

  Id Find(std::string_view name) const;        // kNone when unknown
  std::string_view Name(Id id) const TABLECAST_LIFETIME_BOUND;  // "" when unknown; never moves
  std::size_t size() const;
  // ERRORS: kResourceExhausted "too-many-attribute-names".
  Result<Id> Intern(std::string_view name);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One stored item, borrowed. Key columns are read from the key bytes, all others from the record.
// BORROWS: key, record, schema and names must outlive the view; bytes of a read snapshot live until it
// ends, of a write transaction until its next write.
// COST: Find by id is a binary search over the record's directory, about 10 ns, no allocation.
class ItemView {
 public:
  // `key` is the encoded key, `record` the encoded rest (item_codec.h).
  ItemView(const TableSchema& schema, const AttributeNames& names, std::string_view key,
           std::string_view record);

  AttributeView Find(std::string_view name) const TABLECAST_LIFETIME_BOUND;
  // For attributes other than key columns.
  AttributeView FindById(AttributeNames::Id id) const TABLECAST_LIFETIME_BOUND;
  AttributeView partition() const TABLECAST_LIFETIME_BOUND { return partition_; }
  AttributeView sort() const TABLECAST_LIFETIME_BOUND { return sort_; }  // absent view if none

  std::string_view key_bytes() const TABLECAST_LIFETIME_BOUND { return key_; }
  std::string_view record_bytes() const TABLECAST_LIFETIME_BOUND { return record_; }
  const TableSchema& schema() const { return *schema_; }
  const AttributeNames& names() const { return *names_; }

  // All attributes but the key columns, in id order.
  struct Attribute { AttributeNames::Id id; AttributeView value; };
  std::size_t AttributeCount() const;
  Attribute AttributeAt(std::size_t index) const TABLECAST_LIFETIME_BOUND;

  // ERRORS: kDataLoss when the bytes do not decode.
  Result<Item> ToItem() const;
  Result<ItemKey> ToKey() const;

 private:
  const TableSchema* schema_;
  const AttributeNames* names_;
  std::string_view key_;
  std::string_view record_;
  AttributeView partition_;
  AttributeView sort_;
  std::shared_ptr<std::string> unescaped_;  // only for partition keys that contain NUL
};

}  // namespace tablecast

#endif  // TABLECAST_ITEM_ITEM_H_
