// IMPLEMENTATION: conditions on one column that hold together (Merge) or of which one holds
// (Union). Tested by tests/formula/inverse_test.cc.

#include <algorithm>
#include <utility>

#include "formula/inverter.h"

namespace tablecast::formula::internal {
namespace {

bool Less(const AttributeValue& a, const AttributeValue& b) {
  if (a.Is(AttributeType::kS)) return a.text() < b.text();
  return a.NumberAsDecimal() < b.NumberAsDecimal();
}

bool Within(const ScalarRange& range, const AttributeValue& value) {
  if (range.prefix) return value.text().starts_with(*range.prefix);
  if (range.lower && (Less(value, range.lower->value) ||
                      (!range.lower->inclusive && !Less(range.lower->value, value))))
    return false;
  return !range.upper || !(Less(range.upper->value, value) ||
                           (!range.upper->inclusive && !Less(value, range.upper->value)));
}

// The tighter (or wider) of two bounds; `low` for lower bounds.
ScalarRange::Bound Choose(const ScalarRange::Bound& a, const ScalarRange::Bound& b, bool low,
                          bool tighter) {
  if (!Less(a.value, b.value) && !Less(b.value, a.value))
    return {a.value, tighter ? a.inclusive && b.inclusive : a.inclusive || b.inclusive};
  return Less(a.value, b.value) == (low == tighter) ? b : a;
}

// Narrows `into` to what `other` says as well; false when the two are no one condition.
bool Intersect(ColumnCondition& into, const ColumnCondition& other) {
  if (!into.equals.empty()) {
    std::erase_if(into.equals, [&other](const AttributeValue& value) {
      if (!other.equals.empty())
        return std::find(other.equals.begin(), other.equals.end(), value) == other.equals.end();
      return other.range && !Within(*other.range, value);
    });
    into.never = into.equals.empty();
    return true;
  }
  if (!other.equals.empty()) {
    ColumnCondition values = other;
    Intersect(values, into);
    into = std::move(values);
    return true;
  }
  if (!into.range || !other.range) return false;
  ScalarRange& a = *into.range;
  const ScalarRange& b = *other.range;
  if (a.prefix && b.prefix) {
    if (b.prefix->starts_with(*a.prefix)) a.prefix = b.prefix;
    into.never = !a.prefix->starts_with(*b.prefix);
    return true;
  }
  if (a.prefix || b.prefix) return false;
  if (b.lower) a.lower = a.lower ? Choose(*a.lower, *b.lower, true, true) : *b.lower;
  if (b.upper) a.upper = a.upper ? Choose(*a.upper, *b.upper, false, true) : *b.upper;
  return true;
}

// The bounds of everything that the condition allows. REQUIRES: not never.
ScalarRange Hull(const ColumnCondition& condition) {
  ScalarRange hull;
  if (!condition.equals.empty()) {
    const auto [least, most] =
        std::minmax_element(condition.equals.begin(), condition.equals.end(), Less);
    hull.lower = ScalarRange::Bound{*least, true};
    hull.upper = ScalarRange::Bound{*most, true};
  } else if (condition.range && condition.range->prefix) {
    hull.lower = ScalarRange::Bound{AttributeValue::String(*condition.range->prefix), true};
    if (auto end = TextSuccessor(*condition.range->prefix))
      hull.upper = ScalarRange::Bound{AttributeValue::String(*std::move(end)), false};
  } else if (condition.range) {
    hull = *condition.range;
  }
  return hull;
}

// Widens `into` to what `other` allows as well; false when no bound is left. `exact` is cleared
// when the result allows more than the two.
bool Widen(ColumnCondition& into, const ColumnCondition& other, bool& exact) {
  if (into == other) return true;
  if (!into.equals.empty() && !other.equals.empty()) {
    into.equals.insert(into.equals.end(), other.equals.begin(), other.equals.end());
    std::sort(into.equals.begin(), into.equals.end(), Less);
    into.equals.erase(std::unique(into.equals.begin(), into.equals.end()), into.equals.end());
    return true;
  }
  exact = false;
  const ScalarRange a = Hull(into);
  const ScalarRange b = Hull(other);
  ScalarRange wide;
  if (a.lower && b.lower) wide.lower = Choose(*a.lower, *b.lower, true, false);
  if (a.upper && b.upper) wide.upper = Choose(*a.upper, *b.upper, false, false);
  into = {};
  if (!wide.lower && !wide.upper) return false;
  into.range = std::move(wide);
  return true;
}

}  // namespace

void Inverter::Merge(std::vector<ImpliedCondition>& conditions, bool& never) {
  std::vector<ImpliedCondition> merged;
  for (ImpliedCondition& one : conditions) {
    never = never || one.condition.never;
    bool taken = false;
    for (ImpliedCondition& other : merged) {
      if (other.column != one.column || one.condition.never || other.condition.never) continue;
      if (!Intersect(other.condition, one.condition)) continue;
      other.exact = other.exact && one.exact;
      never = never || other.condition.never;
      taken = true;
      break;
    }
    if (!taken) merged.push_back(std::move(one));
  }
  conditions = std::move(merged);
}

bool Inverter::Union(std::vector<Way> ways, std::vector<ImpliedCondition>& out, bool& never) {
  if (ways.empty()) {
    never = true;
    return true;
  }
  Way all = std::move(ways.front());
  for (ImpliedCondition& one : all.conditions) one.exact = all.exact;
  for (std::size_t w = 1; w < ways.size(); ++w) {
    const Way& way = ways[w];
    // Two conditions each: (a and b) or (c and d) is less than (a or c) and (b or d).
    const bool single = all.conditions.size() == 1 && way.conditions.size() == 1;
    std::vector<ImpliedCondition> common;
    for (ImpliedCondition& one : all.conditions) {
      const auto same =
          std::find_if(way.conditions.begin(), way.conditions.end(),
                       [&one](const ImpliedCondition& c) { return c.column == one.column; });
      if (same == way.conditions.end()) continue;
      one.exact = one.exact && way.exact && single;
      if (Widen(one.condition, same->condition, one.exact)) common.push_back(std::move(one));
    }
    if (common.empty()) return No("the branches bound no column in common");
    all.conditions = std::move(common);
  }
  for (ImpliedCondition& one : all.conditions) out.push_back(std::move(one));
  return true;
}

}  // namespace tablecast::formula::internal
