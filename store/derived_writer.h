#ifndef TABLECAST_STORE_DERIVED_WRITER_H_
#define TABLECAST_STORE_DERIVED_WRITER_H_

// Keeps the entries of derived indexes: what an item's change takes away and adds, counted exactly.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "item/item.h"
#include "store/lmdb_env.h"
#include "store/maintainer.h"
#include "store/table_record.h"

namespace tablecast {

// Entry keys and values of one item in one derived index, sorted by key, one per key.
using DerivedEntries = std::vector<std::pair<std::string, std::string>>;

// Which of a table's derived indexes a maintainer feeds; both know indexes by name and fingerprint.
class DerivedWriter {
 public:
  DerivedWriter(std::shared_ptr<const IndexMaintainer> maintainer, const TableRecord& table);

  bool empty() const { return !any_; }
  // Whether the maintainer feeds the table's index at this position.
  bool Feeds(std::size_t position) const { return feeds_[position]; }

  // For each derived index of the table (by position) the entries of this item; empty where not
  // fed.
  std::vector<DerivedEntries> EntriesOf(const ItemView& item) const;

 private:
  std::shared_ptr<const IndexMaintainer> maintainer_;
  std::vector<std::size_t>
      position_of_;  // of each index of the maintainer; npos when the table has none
  std::vector<bool> feeds_;
  bool any_ = false;
};

// Removes what is in `before` only, writes what is new or different in `after`; counts what really
// came and went, so that repeating it is harmless.
Status ReplaceEntries(WriteTxn& txn, TableId table, DerivedState& state,
                      const DerivedEntries& before, const DerivedEntries& after);

}  // namespace tablecast

#endif  // TABLECAST_STORE_DERIVED_WRITER_H_
