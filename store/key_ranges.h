#ifndef TABLECAST_STORE_KEY_RANGES_H_
#define TABLECAST_STORE_KEY_RANGES_H_

// Turns a KeyCondition on values into ranges of encoded keys, which is all that an ordered store
// needs. Exact: a key lies in the plan exactly when its columns meet the condition.
//
// Tested by tests/store/store_model_test.cc against evaluating the condition on the values.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "item/key_condition.h"
#include "item/table_schema.h"

namespace tablecast {

// Half-open [lower, upper); no upper = to the end.
struct ByteRange {
  std::string lower;
  std::optional<std::string> upper;
  bool operator==(const ByteRange&) const = default;
};

// How the two leading columns of a key are encoded. The first always delimits itself; the second
// does too when more follows it (index entries), else S and B are raw (item keys).
struct KeyShape {
  AttributeType first = AttributeType::kS;
  std::optional<AttributeType> second;
  bool second_closed = false;
};
KeyShape ShapeOf(const KeySchema& key);
KeyShape ShapeOf(
    const SecondaryIndex& index);  // condition on its first two columns, HASH before RANGE

struct KeyPlan {
  std::vector<ByteRange> ranges;  // of whole keys; ascending, disjoint; empty: nothing can match
  // Set when the second column has to be checked key by key, because the first is free or a range:
  // within each first column these ranges of the second one match (ascending, disjoint).
  bool check_second = false;
  std::vector<ByteRange> second_ranges;
  AttributeType first = AttributeType::kS;
};

// Never fails: a value of another type than its column equals nothing and lies in no range.
KeyPlan PlanKeys(const KeyShape& shape, const KeyCondition& condition);

// Length of the first column's bytes at the start of `key`; 0 when damaged.
std::size_t FirstColumnLength(AttributeType type, std::string_view key);

}  // namespace tablecast

#endif  // TABLECAST_STORE_KEY_RANGES_H_
