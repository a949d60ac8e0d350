// IMPLEMENTATION: a range is normalised to bounds [lower, upper) before two are compared; the
// result is folded back into a prefix when its bounds are those of one. Tested by
// column_condition_test.

#include "qualifiers/column_condition.h"

#include <algorithm>

#include "base/utf8.h"
#include "item/item_codec.h"
#include "qualifiers/predicate.h"

namespace tablecast {
namespace {

using Bound = ScalarRange::Bound;

std::string PayloadOf(const AttributeValue& value) {
  std::string bytes;
  AppendPayload(bytes, value);
  return bytes;
}

// Order of two scalars of one type; nullopt for different types.
std::optional<int> Order(const AttributeValue& a, const AttributeValue& b) {
  if (a.type() != b.type()) return std::nullopt;
  const std::string left = PayloadOf(a);
  return left.compare(PayloadOf(b));
}

AttributeValue WithType(AttributeType type, std::string bytes) {
  return type == AttributeType::kB ? AttributeValue::Binary(std::move(bytes))
                                   : AttributeValue::String(std::move(bytes));
}

// A prefix says nothing of its type (S or B): take the other side's, S by default.
ScalarRange Bounds(const ScalarRange& range, AttributeType prefix_type) {
  if (!range.prefix) return range;
  ScalarRange bounds;
  bounds.lower = Bound{WithType(prefix_type, *range.prefix), true};
  if (auto end = PrefixSuccessor(*range.prefix))
    bounds.upper = Bound{WithType(prefix_type, std::move(*end)), false};
  return bounds;
}

AttributeType TypeOf(const ScalarRange& range) {
  if (range.lower) return range.lower->value.type();
  if (range.upper) return range.upper->value.type();
  return AttributeType::kS;
}

ColumnCondition Never() { return {.equals = {}, .range = {}, .never = true}; }

ColumnCondition IntersectRanges(const ScalarRange& a, const ScalarRange& b) {
  if (a.prefix && b.prefix) {
    if (a.prefix->starts_with(*b.prefix)) return {.equals = {}, .range = a, .never = false};
    if (b.prefix->starts_with(*a.prefix)) return {.equals = {}, .range = b, .never = false};
    return Never();
  }
  ScalarRange result = Bounds(a, TypeOf(b));
  const ScalarRange other = Bounds(b, TypeOf(a));
  if (other.lower) {
    const auto order =
        result.lower ? Order(other.lower->value, result.lower->value) : std::optional(1);
    if (!order) return Never();
    if (*order > 0 || (*order == 0 && !other.lower->inclusive)) result.lower = other.lower;
  }
  if (other.upper) {
    const auto order =
        result.upper ? Order(other.upper->value, result.upper->value) : std::optional(-1);
    if (!order) return Never();
    if (*order < 0 || (*order == 0 && !other.upper->inclusive)) result.upper = other.upper;
  }
  if (result.lower && result.upper) {
    const auto order = Order(result.lower->value, result.upper->value);
    if (!order || *order > 0) return Never();
    if (*order == 0) {
      if (!result.lower->inclusive || !result.upper->inclusive) return Never();
      return {.equals = {result.lower->value}, .range = {}, .never = false};
    }
  }
  // Prefer a prefix where it says the same.
  for (const ScalarRange* side : {&a, &b}) {
    if (side->prefix && Bounds(*side, TypeOf(result)) == result)
      return {.equals = {}, .range = *side, .never = false};
  }
  return {.equals = {}, .range = std::move(result), .never = false};
}

class OneValueRow final : public Row {
 public:
  explicit OneValueRow(const AttributeValue& value)
      : payload_(PayloadOf(value)), type_(value.type()) {}
  AttributeView Get(Slot) const override { return {type_, payload_}; }

 private:
  std::string payload_;
  AttributeType type_;
};

}  // namespace

bool Meets(const ColumnCondition& condition, const AttributeValue& value) {
  return Meets(Slot{0}, condition)->Evaluate(OneValueRow(value)) == Truth::kTrue;
}

ColumnCondition Intersect(const ColumnCondition& a, const ColumnCondition& b) {
  if (a.never || b.never) return Never();
  if (a.IsFree()) return b;
  if (b.IsFree()) return a;
  if (a.equals.empty() && b.equals.empty()) return IntersectRanges(*a.range, *b.range);
  const ColumnCondition& listed = a.equals.empty() ? b : a;
  const ColumnCondition& other = a.equals.empty() ? a : b;
  ColumnCondition result;
  for (const AttributeValue& value : listed.equals) {
    if (Meets(other, value)) result.equals.push_back(value);
  }
  return result.equals.empty() ? Never() : result;
}

bool ImpliesPrefix(const ColumnCondition& condition, std::string_view prefix) {
  if (condition.never || prefix.empty()) return true;
  const auto begins = [&](const AttributeValue& value) {
    return (value.Is(AttributeType::kS) || value.Is(AttributeType::kB)) &&
           PayloadOf(value).starts_with(prefix);
  };
  if (!condition.equals.empty())
    return std::all_of(condition.equals.begin(), condition.equals.end(), begins);
  if (!condition.range) return false;
  if (condition.range->prefix) return condition.range->prefix->starts_with(prefix);
  // Between two bounds that share a prefix everything has it; an open end just behind the prefix
  // counts.
  if (!condition.range->lower || !condition.range->upper || !begins(condition.range->lower->value))
    return false;
  if (begins(condition.range->upper->value)) return true;
  const auto end = PrefixSuccessor(prefix);
  return end && !condition.range->upper->inclusive &&
         PayloadOf(condition.range->upper->value) == *end;
}

std::string ConditionText(std::string_view column, const ColumnCondition& condition) {
  if (condition.IsFree()) return "";
  return Meets(Slot{0}, condition)->ToString(SlotMap({std::string(column)}));
}

}  // namespace tablecast
