#include "item/attribute_value.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tablecast {
namespace {

AttributeValue N(std::string_view text) { return AttributeValue::NumberFromText(text).value(); }
std::string Code(std::string_view text) { return EncodeNumberText(text).value(); }

TEST(AttributeValueTest, TypeNamesConvertBothWays) {
  const std::vector<std::pair<AttributeType, std::string>> rows = {
      {AttributeType::kS, "S"},       {AttributeType::kN, "N"},       {AttributeType::kB, "B"},
      {AttributeType::kBool, "BOOL"}, {AttributeType::kNull, "NULL"}, {AttributeType::kM, "M"},
      {AttributeType::kL, "L"},       {AttributeType::kSS, "SS"},     {AttributeType::kNS, "NS"},
      {AttributeType::kBS, "BS"}};
  for (const auto& [type, name] : rows) {
    EXPECT_EQ(AttributeTypeName(type), name);
    EXPECT_EQ(AttributeTypeFromName(name), type);
  }
  EXPECT_EQ(AttributeTypeFromName("s"), std::nullopt);
  EXPECT_EQ(AttributeTypeFromName(""), std::nullopt);
  EXPECT_EQ(AttributeTypeFromName("STRING"), std::nullopt);
}

TEST(AttributeValueTest, DefaultIsNull) {
  EXPECT_EQ(AttributeValue().type(), AttributeType::kNull);
  EXPECT_EQ(AttributeValue(), AttributeValue::Null());
}

TEST(AttributeValueTest, EqualityIsByTypeAndDeepValue) {
  EXPECT_EQ(N("1000"), N("1e3"));
  EXPECT_EQ(N("+1000.0"), N("001000"));
  EXPECT_NE(N("1"), AttributeValue::String("1"));
  EXPECT_NE(AttributeValue::String("a"), AttributeValue::Binary("a"));
  EXPECT_NE(AttributeValue::Null(), AttributeValue::Bool(false));
  const auto ab = AttributeValue::SetOf(AttributeType::kSS, {"a", "b"}).value();
  const auto ba = AttributeValue::SetOf(AttributeType::kSS, {"b", "a"}).value();
  EXPECT_EQ(ab, ba);
  EXPECT_EQ(AttributeValue::ListOf({ab, N("1.0")}), AttributeValue::ListOf({ba, N("1")}));
  EXPECT_NE(AttributeValue::ListOf({N("1"), N("2")}), AttributeValue::ListOf({N("2"), N("1")}));
  EXPECT_EQ(AttributeValue::MapOf({{"x", ab}}), AttributeValue::MapOf({{"x", ba}}));
  EXPECT_NE(AttributeValue::MapOf({{"x", ab}}), AttributeValue::MapOf({{"y", ab}}));
  EXPECT_NE(ab, AttributeValue::SetOf(AttributeType::kBS, {"a", "b"}).value());
}

TEST(AttributeValueTest, SetsAreSortedAndFreeOfDuplicates) {
  const auto set = AttributeValue::SetOf(AttributeType::kNS, {Code("10"), Code("-1"), Code("9")});
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set->set(), (AttributeValue::Set{Code("-1"), Code("9"), Code("10")}));
  const auto empty = AttributeValue::SetOf(AttributeType::kSS, {});
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().reason, "set-empty");
  const auto twice = AttributeValue::SetOf(AttributeType::kNS, {Code("1"), Code("1.0")});
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().reason, "set-duplicate");
  EXPECT_EQ(twice.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(AttributeValue::SetOf(AttributeType::kSS, {""}).ok());
}

TEST(AttributeValueTest, NumbersReadAsTextAndDecimal) {
  EXPECT_EQ(N("1.50").NumberAsText(), "1.5");
  EXPECT_EQ(N("1.50").NumberAsDecimal(), Decimal::Parse("1.5").value());
  EXPECT_EQ(AttributeValue::Number(Decimal(-12)).value(), N("-12"));
  EXPECT_EQ(AttributeValue::NumberFromText("x").error().reason, "number-syntax");
  EXPECT_EQ(AttributeValue::Number(Decimal::Parse("1e126").value()).error().reason,
            "number-overflow");
}

TEST(AttributeValueTest, ScalarsCompareWithinOneTypeOnly) {
  using std::strong_ordering;
  const auto s = [](std::string_view text) { return AttributeView(AttributeType::kS, text); };
  const auto b = [](std::string_view text) { return AttributeView(AttributeType::kB, text); };
  EXPECT_EQ(CompareScalars(s("A"), s("a")), strong_ordering::less);
  EXPECT_EQ(CompareScalars(s("z"), s("\xC2\xBF")), strong_ordering::less);
  // U+FFFF sorts before U+1F600: bytes, not UTF-16 units.
  EXPECT_EQ(CompareScalars(s("\xEF\xBF\xBF"), s("\xF0\x9F\x98\x80")), strong_ordering::less);
  EXPECT_EQ(CompareScalars(s("a"), s("a")), strong_ordering::equal);
  EXPECT_EQ(CompareScalars(b("a"), b(std::string_view("a\0", 2))), strong_ordering::less);
  EXPECT_EQ(CompareScalars(b("\xFF"), b("\x01")), strong_ordering::greater);
  const std::string nine = Code("9");
  const std::string ten = Code("10");
  EXPECT_EQ(CompareScalars({AttributeType::kN, ten}, {AttributeType::kN, nine}),
            strong_ordering::greater);
  EXPECT_EQ(CompareScalars(s("a"), b("a")), std::nullopt);
  EXPECT_EQ(CompareScalars(s("a"), AttributeView()), std::nullopt);
  EXPECT_EQ(CompareScalars(AttributeView(), AttributeView()), std::nullopt);
  const AttributeView yes(AttributeType::kBool, "\x01");
  EXPECT_EQ(CompareScalars(yes, yes), std::nullopt);
  EXPECT_TRUE(yes.AsBool());
}

}  // namespace
}  // namespace tablecast
