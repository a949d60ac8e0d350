#include "qualifiers/predicate.h"

#include <gtest/gtest.h>

#include "tests/qualifiers/test_row.h"

namespace tablecast {
namespace {

AttributeValue S(std::string text) { return AttributeValue::String(std::move(text)); }
AttributeValue N(std::string_view text) { return *AttributeValue::NumberFromText(text); }
Truth Eval(const PredicatePtr& predicate, std::optional<AttributeValue> value) {
  return predicate->Evaluate(TestRow({std::move(value)}));
}
bool Holds(const PredicatePtr& predicate, std::optional<AttributeValue> value) {
  return Eval(predicate, std::move(value)) == Truth::kTrue;
}

TEST(PredicateTest, NumbersCompareByValueNotByText) {
  EXPECT_TRUE(Holds(Compare(0, CompareOp::kLt, N("10")), N("9")));
  EXPECT_TRUE(Holds(Compare(0, CompareOp::kEq, N("1.0")), N("1")));
  EXPECT_TRUE(Holds(Compare(0, CompareOp::kLt, N("-1")), N("-1.5")));
  EXPECT_TRUE(Holds(Compare(0, CompareOp::kGt, N("99999999999999999999999999999999999998")),
                    N("99999999999999999999999999999999999999")));
}

TEST(PredicateTest, OtherTypesAndMissingValuesAreFalseButNotEqualIsTrue) {
  for (const CompareOp op :
       {CompareOp::kEq, CompareOp::kLt, CompareOp::kLe, CompareOp::kGt, CompareOp::kGe}) {
    EXPECT_FALSE(Holds(Compare(0, op, N("1")), S("1")));
    EXPECT_FALSE(Holds(Compare(0, op, N("1")), std::nullopt));
    EXPECT_FALSE(Holds(Compare(0, op, N("1")), AttributeValue::Null()));
  }
  EXPECT_TRUE(Holds(Compare(0, CompareOp::kNe, N("1")), S("1")));
  EXPECT_TRUE(Holds(Compare(0, CompareOp::kNe, N("1")), std::nullopt));
  EXPECT_FALSE(Holds(Compare(0, CompareOp::kNe, N("1")), N("1.00")));
  EXPECT_FALSE(
      Holds(Compare(0, CompareOp::kLe, AttributeValue::Bool(true)), AttributeValue::Bool(true)));
}

TEST(PredicateTest, TextIsComparedByUtf8Bytes) {
  // U+FFFF before U+1F600: the other way round in UTF-16.
  EXPECT_TRUE(Holds(Compare(0, CompareOp::kLt, S("\xF0\x9F\x98\x80")), S("\xEF\xBF\xBF")));
  EXPECT_TRUE(Holds(Compare(0, CompareOp::kGt, S("a")), S(std::string("a\0", 2))));
}

TEST(PredicateTest, DeepEqualityOfComposites) {
  const auto set = *AttributeValue::SetOf(AttributeType::kSS, {"b", "a"});
  const auto same = *AttributeValue::SetOf(AttributeType::kSS, {"a", "b"});
  EXPECT_TRUE(Holds(Compare(0, CompareOp::kEq, set), same));
  EXPECT_FALSE(Holds(Compare(0, CompareOp::kEq, set), AttributeValue::ListOf({S("a"), S("b")})));
}

TEST(PredicateTest, InAndRanges) {
  const auto in = In(0, {S("b"), S("a"), N("1")});
  EXPECT_TRUE(Holds(in, S("a")));
  EXPECT_TRUE(Holds(in, N("1.0")));
  EXPECT_FALSE(Holds(in, S("1")));
  EXPECT_FALSE(Holds(in, std::nullopt));
  EXPECT_FALSE(Holds(In(0, {}), S("a")));
  const auto range = InRange(0, {.lower = ScalarRange::Bound{N("2"), false},
                                 .upper = ScalarRange::Bound{N("10"), true},
                                 .prefix = {}});
  EXPECT_FALSE(Holds(range, N("2")));
  EXPECT_TRUE(Holds(range, N("2.0001")));
  EXPECT_TRUE(Holds(range, N("10")));
  EXPECT_FALSE(Holds(range, S("5")));
  EXPECT_TRUE(Holds(InRange(0, {.lower = {}, .upper = {}, .prefix = "a#"}), S("a#1")));
}

TEST(PredicateTest, MeetsFollowsTheColumnCondition) {
  EXPECT_TRUE(Holds(Meets(0, {}), std::nullopt));
  EXPECT_FALSE(Holds(Meets(0, {.equals = {}, .range = {}, .never = true}), S("a")));
  EXPECT_TRUE(Holds(Meets(0, {.equals = {S("a")}, .range = {}, .never = false}), S("a")));
  EXPECT_TRUE(
      Holds(Meets(0, {.equals = {}, .range = ScalarRange{{}, {}, "a"}, .never = false}), S("ab")));
}

TEST(PredicateTest, PresenceAndTypes) {
  EXPECT_TRUE(Holds(Exists(0), AttributeValue::Null()));
  EXPECT_FALSE(Holds(Exists(0), std::nullopt));
  EXPECT_TRUE(Holds(NotExists(0), std::nullopt));
  EXPECT_TRUE(Holds(IsNullType(0), AttributeValue::Null()));
  EXPECT_FALSE(Holds(IsNullType(0), std::nullopt));
  EXPECT_TRUE(Holds(HasType(0, AttributeType::kS, true), std::nullopt));
  EXPECT_FALSE(Holds(HasType(0, AttributeType::kS, false), std::nullopt));
  EXPECT_FALSE(Holds(HasType(0, AttributeType::kS, true), N("1")));
}

TEST(PredicateTest, PatternsSeeTheCanonicalTextOfNumbers) {
  EXPECT_TRUE(Holds(LikeMatch(0, "1%"), N("1e2")));
  EXPECT_FALSE(Holds(LikeMatch(0, "%.0"), N("1.0")));
  EXPECT_TRUE(Holds(*RegexMatch(0, "^[0-9]+$"), N("1e30")));
  EXPECT_TRUE(Holds(*RegexMatch(0, "^-?[0-9.]+$"), N("-1.50")));
  EXPECT_FALSE(Holds(*RegexMatch(0, ".*"), AttributeValue::Bool(true)));
  EXPECT_FALSE(Holds(LikeMatch(0, "%"), AttributeValue::Null()));
  EXPECT_FALSE(Holds(LikeMatch(0, "%"), AttributeValue::Binary("abc")));
  EXPECT_TRUE(Holds(BeginsWith(0, "ab"), AttributeValue::Binary("abc")));
}

class Unknown final : public Predicate {
 public:
  Truth Evaluate(const Row&) const override { return Truth::kUnknown; }
  void AppendTo(std::string& out, const SlotMap&) const override { out += "unknown"; }
  int cost() const override { return 5; }
};

TEST(PredicateTest, KleeneLogic) {
  const PredicatePtr t = Exists(0);
  const PredicatePtr f = NotExists(0);
  const PredicatePtr u = std::make_shared<Unknown>();
  struct Row {
    PredicatePtr predicate;
    Truth want;
  };
  for (const Row& row : std::vector<Row>{{And({t, u}), Truth::kUnknown},
                                         {And({f, u}), Truth::kFalse},
                                         {And({u, f}), Truth::kFalse},
                                         {Or({t, u}), Truth::kTrue},
                                         {Or({f, u}), Truth::kUnknown},
                                         {Not(u), Truth::kUnknown},
                                         {Not(t), Truth::kFalse},
                                         {And({}), Truth::kTrue},
                                         {Or({}), Truth::kFalse}}) {
    EXPECT_EQ(Eval(row.predicate, S("x")), row.want) << row.predicate->ToString(SlotMap({"a"}));
  }
}

TEST(PredicateTest, AndRunsTheCheapestTestFirstAndFlattens) {
  const SlotMap slots({"pk", "sk"});
  const auto all =
      And({*RegexMatch(0, "(ab)+"), And({Compare(1, CompareOp::kEq, S("ORDER")), Exists(0)})});
  EXPECT_EQ(all->ToString(slots), "pk exists and sk = \"ORDER\" and pk matches \"(ab)+\"");
  EXPECT_EQ(And({AlwaysTrue(), Exists(0)})->ToString(slots), "pk exists");
  EXPECT_EQ(And({Exists(0), AlwaysFalse()})->ToString(slots), "false");
}

TEST(PredicateTest, ToStringReadsLikeTheCondition) {
  const SlotMap slots({"a", "b"});
  EXPECT_EQ(Or({And({Exists(0), Exists(1)}), NotExists(0)})->ToString(slots),
            "a not exists or (a exists and b exists)");
  EXPECT_EQ(Not(In(0, {N("2"), N("1")}))->ToString(slots), "not (a in (1, 2))");
  EXPECT_EQ(LikeMatch(1, "p#%")->ToString(slots), "b like \"p#%\"");
  EXPECT_EQ(HasType(1, AttributeType::kS, true)->ToString(slots), "b is S or missing");
  EXPECT_EQ(Compare(0, CompareOp::kNe, S("\n"))->ToString(slots).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace tablecast
