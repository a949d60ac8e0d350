#include "qualifiers/column_condition.h"

#include <gtest/gtest.h>

namespace tablecast {
namespace {

AttributeValue S(std::string text) { return AttributeValue::String(std::move(text)); }
ColumnCondition Equals(std::vector<std::string> texts) {
  ColumnCondition condition;
  for (std::string& text : texts) condition.equals.push_back(S(std::move(text)));
  return condition;
}
ColumnCondition Prefix(std::string prefix) {
  return {.equals = {}, .range = ScalarRange{{}, {}, std::move(prefix)}, .never = false};
}
ColumnCondition Range(std::optional<std::string> lower, bool lower_in,
                      std::optional<std::string> upper, bool upper_in) {
  ScalarRange range;
  if (lower) range.lower = ScalarRange::Bound{S(*lower), lower_in};
  if (upper) range.upper = ScalarRange::Bound{S(*upper), upper_in};
  return {.equals = {}, .range = range, .never = false};
}

std::vector<ColumnCondition> AllConditions() {
  std::vector<ColumnCondition> all = {{}, {.equals = {}, .range = {}, .never = true}};
  for (const std::string text : {"", "a", "ab", "b"}) {
    all.push_back(Equals({text}));
    if (!text.empty()) all.push_back(Prefix(text));
    for (const bool in : {true, false}) {
      all.push_back(Range(text, in, std::nullopt, true));
      all.push_back(Range(std::nullopt, true, text, in));
      for (const bool other : {true, false}) all.push_back(Range(text, in, "ab\x7f", other));
    }
  }
  all.push_back(Equals({"a", "ab", "b"}));
  return all;
}

// Every pair of conditions on every value: a value meets the intersection exactly when it meets
// both.
TEST(ColumnConditionTest, IntersectionIsExact) {
  std::vector<AttributeValue> values = {*AttributeValue::NumberFromText("1"),
                                        AttributeValue::Binary("ab")};
  for (const std::string text :
       {"", "a", "aa", "ab", "ab#", "ab\x7f", "ac", "b", "ba", "c", "\xF4\x8F\xBF\xBF"})
    values.push_back(S(text));
  for (const ColumnCondition& a : AllConditions()) {
    for (const ColumnCondition& b : AllConditions()) {
      const ColumnCondition both = Intersect(a, b);
      for (const AttributeValue& value : values) {
        // A prefix alone says nothing of S or B; two conditions of S leave S only.
        if (value.Is(AttributeType::kB)) continue;
        ASSERT_EQ(Meets(both, value), Meets(a, value) && Meets(b, value))
            << ConditionText("c", a) << " and " << ConditionText("c", b) << " gave "
            << ConditionText("c", both);
      }
    }
  }
}

TEST(ColumnConditionTest, KeepsTheNarrowestForm) {
  EXPECT_EQ(Intersect(Prefix("products#"), Equals({"products#1"})), Equals({"products#1"}));
  EXPECT_TRUE(Intersect(Prefix("products#"), Equals({"ORDER"})).never);
  EXPECT_EQ(Intersect(Prefix("a"), Prefix("ab")), Prefix("ab"));
  EXPECT_EQ(Intersect(Prefix("a"), Range("a", true, "b", true)), Prefix("a"));
  EXPECT_EQ(Intersect(Range("a", true, std::nullopt, true), Range(std::nullopt, true, "a", true)),
            Equals({"a"}));
}

TEST(ColumnConditionTest, ImpliesPrefixIsSound) {
  EXPECT_TRUE(ImpliesPrefix(Prefix("products#1"), "products#"));
  EXPECT_TRUE(ImpliesPrefix(Equals({"products#1", "products#2"}), "products#"));
  EXPECT_TRUE(ImpliesPrefix(Range("a1", true, "a9", true), "a"));
  EXPECT_TRUE(ImpliesPrefix(Range("a1", true, "b", false), "a"));
  EXPECT_FALSE(ImpliesPrefix(Range("a1", true, "b", true), "a"));
  EXPECT_FALSE(ImpliesPrefix(Range("a1", true, std::nullopt, true), "a"));
  EXPECT_FALSE(ImpliesPrefix({}, "a"));
}

TEST(ColumnConditionTest, Texts) {
  EXPECT_EQ(ConditionText("sk", Equals({"ORDER"})), "sk = \"ORDER\"");
  EXPECT_EQ(ConditionText("sk", Prefix("p#")), "sk begins with \"p#\"");
  EXPECT_EQ(ConditionText("pk", Range("0", true, "9:", false)), "pk >= \"0\" and pk < \"9:\"");
  EXPECT_EQ(ConditionText("pk", {}), "");
}

}  // namespace
}  // namespace tablecast
