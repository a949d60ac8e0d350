#ifndef TABLECAST_CONNECTOR_ITEM_JUDGE_H_
#define TABLECAST_CONNECTOR_ITEM_JUDGE_H_

// Which external objects of a catalog take an item of a table, and why not.
//
//   TABLECAST_ASSIGN_OR_RETURN(ItemJudge judge, ItemJudge::Make(catalog, *snapshot,
//   "OrderManagement", now)); for (const ItemClaim& claim : judge.Claims(item))
//   Print(claim.object->name(), claim.external_id);

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connector/catalog.h"
#include "connector/item_record.h"
#include "store/item_store.h"

namespace tablecast {

struct ItemClaim {
  const ExternalObject* object = nullptr;
  std::string external_id;
};

// THREAD: one thread.
class ItemJudge {
 public:
  // BORROWS catalog and snapshot. Objects over lists inside items claim no item. ERRORS: of the
  // snapshot.
  static Result<ItemJudge> Make(const Catalog& catalog, const ReadSnapshot& snapshot,
                                std::string_view table, Timestamp now);

  std::vector<ItemClaim> Claims(const ItemView& item);
  // Every condition of one object of this table, in file order. REQUIRES: an object of the table.
  std::vector<ConditionVerdict> Explain(const ExternalObject& object, const ItemView& item);
  // The object with the fewest failed conditions, and the first of them. REQUIRES: no object claims
  // it.
  struct Nearest {
    const ExternalObject* object = nullptr;  // null when the table has no object
    ConditionVerdict failed;
  };
  Nearest NearestObject(const ItemView& item);

  const std::vector<std::unique_ptr<ItemRecord>>& records() const { return records_; }

 private:
  std::vector<std::unique_ptr<ItemRecord>> records_;
  std::vector<std::unique_ptr<QualifierRow>> rows_;  // by record
};

// A key as people write it, for a table: {"pk":"1012","sk":"ORDER"}, pk=1012,sk=ORDER, or the bare
// values of all key columns. ERRORS: kInvalidArgument "key-syntax", "key-column-unknown",
// "key-type".
Result<ItemKey> ParseItemKey(const TableSchema& schema, std::string_view text);
// A value of a key column. ERRORS: kInvalidArgument "key-type".
Result<AttributeValue> ParseKeyValue(const KeyColumn& column, std::string_view text);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_ITEM_JUDGE_H_
