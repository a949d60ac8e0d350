#include "store/key_condition_match.h"

#include <algorithm>
#include <compare>

namespace tablecast {
namespace {

AttributeView ScalarView(const AttributeValue& value) {
  switch (value.type()) {
    case AttributeType::kN: return {value.type(), value.number_code()};
    case AttributeType::kS: return {value.type(), value.text()};
    case AttributeType::kB: return {value.type(), value.bytes()};
    default: return {};
  }
}

bool Meets(const ColumnCondition& condition, const AttributeView& value) {
  if (condition.never) return false;
  if (condition.IsFree()) return true;
  const auto compared = [&](const AttributeValue& wanted) {
    return CompareScalars(value, ScalarView(wanted));
  };
  if (!condition.equals.empty()) {
    return std::any_of(condition.equals.begin(), condition.equals.end(),
                       [&](const AttributeValue& wanted) {
                         return compared(wanted) == std::strong_ordering::equal;
                       });
  }
  const ScalarRange& range = *condition.range;
  if (range.prefix && ((!value.Is(AttributeType::kS) && !value.Is(AttributeType::kB)) ||
                       !value.payload().starts_with(*range.prefix))) {
    return false;
  }
  if (range.lower) {
    const auto order = compared(range.lower->value);
    if (!order || *order < 0 || (*order == 0 && !range.lower->inclusive)) return false;
  }
  if (range.upper) {
    const auto order = compared(range.upper->value);
    if (!order || *order > 0 || (*order == 0 && !range.upper->inclusive)) return false;
  }
  return value.present();
}

}  // namespace

bool Meets(const KeyCondition& condition, const AttributeView& partition,
           const AttributeView& sort) {
  return Meets(condition.partition, partition) && Meets(condition.sort, sort);
}

}  // namespace tablecast
