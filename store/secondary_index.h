#ifndef TABLECAST_STORE_SECONDARY_INDEX_H_
#define TABLECAST_STORE_SECONDARY_INDEX_H_

// Secondary indexes as DynamoDB has them: sparse, projected, with an order of their own. This file
// says what an item contributes to an index; the stores keep the entries.
//
// SOURCE: spec store-and-formats.md section 1.8. CHOICE: among equal index keys the table's key
// decides the order, where DynamoDB leaves it open.

#include <optional>
#include <string>

#include "base/result.h"
#include "item/item.h"
#include "item/table_schema.h"

namespace tablecast {

// memcmp order of entry keys = order of (index key columns, table key). Also what
// ReadOptions::after_key means for QueryIndex: the entry key of the last item seen, computed from
// the visited view itself (index key columns are always projected). nullopt when the item is not in
// the index: a key column is missing (or, in data older than the index, of another type, empty or
// too long).
std::optional<std::string> SecondaryEntryKey(const SecondaryIndex& index, const ItemView& item);

// The attributes that a read through the index shows.
Item ProjectItem(const TableSchema& schema, const SecondaryIndex& index, const Item& item);

const SecondaryIndex* FindSecondaryIndex(const TableSchema& schema, std::string_view name);
// kNotFound "index-not-found".
Error SecondaryIndexNotFound(std::string_view table, std::string_view index);

}  // namespace tablecast

#endif  // TABLECAST_STORE_SECONDARY_INDEX_H_
