#ifndef TABLECAST_QUALIFIERS_PREDICATE_H_
#define TABLECAST_QUALIFIERS_PREDICATE_H_

// Row conditions over physical columns, evaluated on encoded items: three-valued (true, false,
// unknown), cheapest test first, specialised for the common shapes, no allocation per row.
// Immutable.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "item/attribute_value.h"
#include "item/key_condition.h"
#include "item/row.h"

namespace tablecast {

enum class Truth : std::uint8_t { kFalse, kTrue, kUnknown };
enum class CompareOp : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

class Predicate {
 public:
  virtual ~Predicate() = default;
  virtual Truth Evaluate(const Row& row) const = 0;
  virtual void AppendTo(std::string& out, const SlotMap& slots) const = 0;  // readable text
  // Relative cost of one evaluation, for ordering: 1 = a byte comparison, 40 = a regular
  // expression.
  virtual int cost() const = 0;

  std::string ToString(const SlotMap& slots) const {
    std::string out;
    AppendTo(out, slots);
    return out;
  }
};
using PredicatePtr = std::shared_ptr<const Predicate>;

PredicatePtr AlwaysTrue();
PredicatePtr AlwaysFalse();
PredicatePtr And(std::vector<PredicatePtr> parts);  // flattens, orders by cost
PredicatePtr Or(std::vector<PredicatePtr> parts);
PredicatePtr Not(PredicatePtr part);
// Same type and compare by the store's rules; any other pair, or a missing attribute, is false
// (kNe: true; spec store-and-formats.md section 1.4).
PredicatePtr Compare(Slot slot, CompareOp op, AttributeValue value);
PredicatePtr In(Slot slot, std::vector<AttributeValue> values);
PredicatePtr InRange(Slot slot, ScalarRange range);
// What a ColumnCondition asks of one row: its equals, else its range; free = always true.
PredicatePtr Meets(Slot slot, const ColumnCondition& condition);
PredicatePtr BeginsWith(Slot slot, std::string prefix);  // S and B
PredicatePtr Contains(Slot slot, std::string part);      // S: substring
PredicatePtr Exists(Slot slot);                          // NULL counts as present
PredicatePtr NotExists(Slot slot);
PredicatePtr HasType(Slot slot, AttributeType type, bool or_missing);
PredicatePtr IsNullType(Slot slot);
PredicatePtr LikeMatch(Slot slot, std::string_view pattern);  // S, canonical text of N
// Full match. ERRORS: kInvalidArgument "regex-..." with the construct named.
Result<PredicatePtr> RegexMatch(Slot slot, std::string_view pattern);

// The regex facade for connector/ (matchesPattern): RE2 behind it, unanchored search.
class RegexSearch {
 public:
  static Result<std::shared_ptr<const RegexSearch>> Compile(std::string_view pattern,
                                                            bool case_insensitive,
                                                            std::size_t max_pattern_bytes);
  virtual ~RegexSearch() = default;
  virtual bool Matches(std::string_view text) const = 0;
};

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_PREDICATE_H_
