#ifndef TABLECAST_CONNECTOR_COLUMN_TESTS_H_
#define TABLECAST_CONNECTOR_COLUMN_TESTS_H_

// What a filter says about single columns: the conjuncts that an access path may serve. Everything
// is re-checked on the records read, so a test may be weaker than its conjunct, never stronger.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "connector/expression.h"
#include "connector/external_object.h"
#include "item/key_condition.h"

namespace tablecast {

enum class TestOp : std::uint8_t { kEq, kIn, kLt, kLe, kGt, kGe, kStartsWith, kIsNull };

struct ColumnTest {
  const Field* field = nullptr;  // the published field, if there is one
  FieldSource source;
  TestOp op = TestOp::kEq;
  std::vector<EdmValue> values;  // one, or the list of kIn; no nulls
  std::string text;              // the conjunct, for explain
  bool whole = true;             // says all that the conjunct says
};

struct FilterTests {
  std::vector<ColumnTest> tests;
  std::vector<std::pair<std::string, std::string>> residual;  // conjunct, why no path can serve it
};

// Takes the filter apart: AND of comparisons of own fields with literals, in-lists, startswith,
// `... eq true`, OR of equalities of one field. COST: linear in the filter.
FilterTests TestsOf(const ExpressionPtr& filter);

// The test `column eq/in values` of a join.
ColumnTest JoinTest(const JoinColumn& column, std::vector<EdmValue> values);

// The stored values that an attribute of `type` must have to pass the test; nullopt when its order
// or equality says nothing about the field's (dates as text, GUIDs).
std::optional<ColumnCondition> PhysicalCondition(const ColumnTest& test, AttributeType type);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_COLUMN_TESTS_H_
