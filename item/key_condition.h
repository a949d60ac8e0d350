#ifndef TABLECAST_ITEM_KEY_CONDITION_H_
#define TABLECAST_ITEM_KEY_CONDITION_H_

// What a source can seek by: plain data, so that qualifiers/ can produce it and store/ consume it
// without an arrow between the two.

#include <optional>
#include <string>
#include <vector>

#include "item/attribute_value.h"
#include "item/item.h"

namespace tablecast {

// A range of one scalar column in the store's order (S and B by bytes, N by value). Unset bound = open.
struct ScalarRange {
  struct Bound {
    AttributeValue value;
    bool inclusive = true;
    bool operator==(const Bound&) const = default;
  };
  std::optional<Bound> lower;
  std::optional<Bound> upper;
  // begins_with: set for S and B; then lower and upper are unset.
  std::optional<std::string> prefix;
  bool operator==(const ScalarRange&) const = default;
};

// One condition on a column that leads a table or index: any of `equals`, else the range.
struct ColumnCondition {
  std::vector<AttributeValue> equals;  // IN list; one element = equality; sorted, no duplicates
  std::optional<ScalarRange> range;    // used when `equals` is empty
  bool never = false;                  // provably false: read nothing
  bool IsFree() const { return equals.empty() && !range && !never; }
  bool operator==(const ColumnCondition&) const = default;
};

// Condition on the primary key of a table (or of a secondary index). With the partition free or a
// range, a source that hashes partitions has to scan; the embedded store, ordered by partition, reads
// the range.
struct KeyCondition {
  ColumnCondition partition;
  ColumnCondition sort;
  bool operator==(const KeyCondition&) const = default;
};

struct SourceCapabilities {
  bool ordered_partitions = true;   // a partition range is a range read
  bool snapshots = true;
  bool atomic_batches = true;
  bool derived_indexes = true;      // membership, declared indexes, change log
};

}  // namespace tablecast

#endif  // TABLECAST_ITEM_KEY_CONDITION_H_
