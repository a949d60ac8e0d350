// All predicates of up to three nodes over all items of three attributes with six values each,
// against an evaluator that is nothing but the definition (store-and-formats.md section 1.4).

#include <gtest/gtest.h>

#include <functional>

#include "qualifiers/predicate.h"
#include "tests/qualifiers/test_row.h"

namespace tablecast {
namespace {

using Value = std::optional<AttributeValue>;
using Items = std::vector<Value>;
using Reference = std::function<bool(const Items&)>;

struct Case {
  PredicatePtr predicate;
  Reference reference;
};

// Order of two values as the data model has it, from owned values only.
std::optional<int> Order(const AttributeValue& a, const AttributeValue& b) {
  if (a.type() != b.type()) return std::nullopt;
  if (a.Is(AttributeType::kS)) return a.text().compare(b.text());
  if (!a.Is(AttributeType::kN)) return std::nullopt;
  const auto order = a.NumberAsDecimal() <=> b.NumberAsDecimal();
  return order < 0 ? -1 : (order > 0 ? 1 : 0);
}

bool CompareReference(const Value& value, CompareOp op, const AttributeValue& wanted) {
  const bool equal = value.has_value() && *value == wanted;
  if (op == CompareOp::kEq) return equal;
  if (op == CompareOp::kNe) return !equal;
  const auto order = value ? Order(*value, wanted) : std::nullopt;
  if (!order) return false;
  switch (op) {
    case CompareOp::kLt: return *order < 0;
    case CompareOp::kLe: return *order <= 0;
    case CompareOp::kGt: return *order > 0;
    default: return *order >= 0;
  }
}

std::vector<Value> AllValues() {
  return {std::nullopt,
          AttributeValue::Null(),
          AttributeValue::String(""),
          AttributeValue::String("a"),
          *AttributeValue::NumberFromText("0"),
          AttributeValue::Bool(true)};
}

std::vector<Case> Leaves() {
  std::vector<Case> leaves;
  for (Slot slot = 0; slot < 3; ++slot) {
    for (const Value& value : AllValues()) {
      if (!value) continue;
      for (const CompareOp op : {CompareOp::kEq, CompareOp::kNe, CompareOp::kLt, CompareOp::kLe,
                                 CompareOp::kGt, CompareOp::kGe}) {
        leaves.push_back({Compare(slot, op, *value), [=](const Items& items) {
                            return CompareReference(items[slot], op, *value);
                          }});
      }
    }
    leaves.push_back({Exists(slot), [=](const Items& items) { return items[slot].has_value(); }});
    leaves.push_back(
        {NotExists(slot), [=](const Items& items) { return !items[slot].has_value(); }});
    for (const AttributeType type : {AttributeType::kS, AttributeType::kNull}) {
      for (const bool or_missing : {false, true}) {
        leaves.push_back({HasType(slot, type, or_missing), [=](const Items& items) {
                            return items[slot] ? items[slot]->Is(type) : or_missing;
                          }});
      }
    }
    leaves.push_back({In(slot, {AttributeValue::String("a"), AttributeValue::Bool(true)}),
                      [=](const Items& items) {
                        return items[slot] && (*items[slot] == AttributeValue::String("a") ||
                                               *items[slot] == AttributeValue::Bool(true));
                      }});
    leaves.push_back({BeginsWith(slot, "a"), [=](const Items& items) {
                        return items[slot] && items[slot]->Is(AttributeType::kS) &&
                               items[slot]->text() == "a";
                      }});
    leaves.push_back({Contains(slot, ""), [=](const Items& items) {
                        return items[slot] && items[slot]->Is(AttributeType::kS);
                      }});
    leaves.push_back({LikeMatch(slot, "_"), [=](const Items& items) {
                        if (!items[slot]) return false;
                        if (items[slot]->Is(AttributeType::kN)) return true;  // "0"
                        return items[slot]->Is(AttributeType::kS) && items[slot]->text() == "a";
                      }});
    leaves.push_back({*RegexMatch(slot, "^[0-9]*$"), [=](const Items& items) {
                        if (!items[slot]) return false;
                        if (items[slot]->Is(AttributeType::kN)) return true;
                        return items[slot]->Is(AttributeType::kS) && items[slot]->text().empty();
                      }});
  }
  return leaves;
}

TEST(PredicateExhaustiveTest, AgreesWithTheDefinitionEverywhere) {
  std::vector<Items> items;
  for (const Value& a : AllValues()) {
    for (const Value& b : AllValues()) {
      for (const Value& c : AllValues()) items.push_back({a, b, c});
    }
  }
  std::vector<TestRow> rows(items.begin(), items.end());

  std::vector<Case> cases = Leaves();
  const std::size_t leaves = cases.size();
  for (std::size_t i = 0; i < leaves; ++i) {
    const Case leaf = cases[i];
    cases.push_back(
        {Not(leaf.predicate), [leaf](const Items& item) { return !leaf.reference(item); }});
    cases.push_back({Not(Not(leaf.predicate)), leaf.reference});
  }
  // Truth vectors of the leaves once, so that pairs only combine bits.
  const auto vector_of = [&](const Case& one) {
    std::vector<bool> truth;
    for (const Items& item : items) truth.push_back(one.reference(item));
    return truth;
  };
  std::vector<std::vector<bool>> truths;
  for (const Case& one : cases) truths.push_back(vector_of(one));

  const SlotMap slots({"a", "b", "c"});
  const auto check = [&](const PredicatePtr& predicate, const auto& want) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Truth truth = predicate->Evaluate(rows[i]);
      if ((truth == Truth::kTrue) != want(i) || truth == Truth::kUnknown) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ASSERT_TRUE(check(cases[i].predicate, [&](std::size_t row) { return truths[i][row]; }))
        << cases[i].predicate->ToString(slots);
  }
  int pairs = 0;
  for (std::size_t i = 0; i < leaves; ++i) {
    for (std::size_t j = 0; j < leaves; ++j) {
      pairs += 2;
      const PredicatePtr both = And({cases[i].predicate, cases[j].predicate});
      ASSERT_TRUE(check(both, [&](std::size_t row) { return truths[i][row] && truths[j][row]; }))
          << both->ToString(slots);
      const PredicatePtr either = Or({cases[i].predicate, cases[j].predicate});
      ASSERT_TRUE(check(either, [&](std::size_t row) { return truths[i][row] || truths[j][row]; }))
          << either->ToString(slots);
    }
  }
  EXPECT_GT(pairs, 20000);
}

}  // namespace
}  // namespace tablecast
