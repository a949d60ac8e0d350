#include "connector/edm_value.h"

#include <gtest/gtest.h>

#include <limits>

namespace tablecast {
namespace {

EdmValue D(std::string_view text) { return EdmValue::Number(*Decimal::Parse(text)); }
EdmValue At(std::string_view text) { return *ParseEdm(EdmKind::kDateTimeOffset, text); }

TEST(EdmValueTest, LiteralsReadBack) {
  struct Case {
    EdmKind kind;
    std::string text;
    std::string literal;
  };
  const Case cases[] = {
      {EdmKind::kBoolean, "true", "true"},
      {EdmKind::kString, "it's", "'it''s'"},
      {EdmKind::kDecimal, "12.50", "12.5"},
      {EdmKind::kDecimal, "9007199254740993", "9007199254740993"},
      {EdmKind::kInt32, "-7", "-7"},
      {EdmKind::kDouble, "INF", "INF"},
      {EdmKind::kDouble, "1.5", "1.5e0"},
      {EdmKind::kDateTimeOffset, "2022-01-01T00:00Z", "2022-01-01T00:00:00Z"},
      {EdmKind::kDateTimeOffset, "2022-01-01T02:00:00.25+02:00", "2022-01-01T00:00:00.25Z"},
      {EdmKind::kDate, "2022-01-31", "2022-01-31"},
      {EdmKind::kTimeOfDay, "07:59:59.999", "07:59:59.999"},
      {EdmKind::kDuration, "P1DT2H", "duration'P1DT2H'"},
      {EdmKind::kGuid, "01234567-89AB-CDEF-0123-456789ABCDEF",
       "01234567-89ab-cdef-0123-456789abcdef"},
      {EdmKind::kBinary, "AQID", "binary'AQID'"},
  };
  for (const Case& c : cases) {
    const Result<EdmValue> value = ParseEdm(c.kind, c.text);
    ASSERT_TRUE(value.ok()) << c.text;
    EXPECT_EQ(value->ToLiteral(), c.literal);
    std::string bytes;
    AppendEdmToken(bytes, *value);
    std::string_view rest = bytes;
    const Result<EdmValue> back = ReadEdmToken(rest);
    ASSERT_TRUE(back.ok()) << c.text;
    EXPECT_TRUE(rest.empty());
    EXPECT_TRUE(EqualEdm(*value, *back)) << c.text;
  }
}

TEST(EdmValueTest, RefusesWhatIsNoValueOfTheKind) {
  const std::pair<EdmKind, std::string> cases[] = {
      {EdmKind::kBoolean, "TRUE1"},   {EdmKind::kInt32, "2147483648"},
      {EdmKind::kByte, "-1"},         {EdmKind::kInt32, "1.5"},
      {EdmKind::kDate, "2022-02-30"}, {EdmKind::kDateTimeOffset, "2022-01-01"},
      {EdmKind::kDecimal, "1,5"},     {EdmKind::kDateTimeOffset, "2022-01-01T00:00:00"},
      {EdmKind::kGuid, "0123"},       {EdmKind::kDateTimeOffset, "20220101T000000Z"},
      {EdmKind::kBinary, "A*"},       {EdmKind::kDuration, "1D"},
  };
  for (const auto& [kind, text] : cases) {
    const Result<EdmValue> value = ParseEdm(kind, text);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(value.error().reason, "literal-type");
    EXPECT_NE(value.error().message.find(EdmKindName(kind)), std::string::npos);
  }
}

TEST(EdmValueTest, ComparesAcrossKinds) {
  EXPECT_EQ(CompareEdm(D("5"), EdmValue::Int(5)), std::strong_ordering::equal);
  EXPECT_EQ(CompareEdm(D("5"), EdmValue::Double(5.5)), std::strong_ordering::less);
  EXPECT_EQ(CompareEdm(D("1e100"), EdmValue::Double(std::numeric_limits<double>::infinity())),
            std::strong_ordering::less);
  EXPECT_EQ(CompareEdm(EdmValue::OfDate(*ParseDate("2022-01-01")), At("2022-01-01T00:00:00Z")),
            std::strong_ordering::equal);
  EXPECT_EQ(CompareEdm(EdmValue::String("a"), D("1")), std::nullopt);
  EXPECT_EQ(CompareEdm(EdmValue(), D("1")), std::nullopt);
  const EdmValue nan = EdmValue::Double(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(EqualEdm(nan, nan));
  EXPECT_TRUE(EqualEdm(EdmValue(), EdmValue()));
  EXPECT_FALSE(EqualEdm(EdmValue(), EdmValue::String("")));
  EXPECT_TRUE(OrderEdm(EdmValue(), D("-1e30")) < 0);
}

// Index bytes sort as the values do, both ways, and nulls first ascending.
TEST(EdmValueTest, OrderedBytesSortAsValues) {
  const std::vector<std::vector<EdmValue>> families = {
      {EdmValue(), D("-1e40"), D("-2.5"), D("-2"), D("0"), D("0.001"), D("1"), D("10"), D("1e40")},
      {EdmValue(), EdmValue::String(""), EdmValue::String(std::string("\0", 1)),
       EdmValue::String("A"), EdmValue::String("a"), EdmValue::String("a\x01"),
       EdmValue::String("ab"), EdmValue::String("\xC3\xBC"), EdmValue::String("\xF0\x9F\x98\x80")},
      {EdmValue(), EdmValue::Boolean(false), EdmValue::Boolean(true)},
      {EdmValue(), At("0001-01-01T00:00:00Z"), At("1969-12-31T23:59:59.5Z"),
       At("1970-01-01T00:00:00Z"), EdmValue::OfDate(*ParseDate("1970-01-02")),
       At("1970-01-02T00:00:00.000000001Z"), At("9999-12-31T23:59:59Z")},
  };
  for (const auto& family : families) {
    for (std::size_t i = 0; i < family.size(); ++i) {
      for (std::size_t j = 0; j < family.size(); ++j) {
        const std::strong_ordering expected = OrderEdm(family[i], family[j]);
        EXPECT_EQ(expected, i <=> j) << i << " " << j;
        for (const bool descending : {false, true}) {
          std::string a;
          std::string b;
          AppendOrderedEdm(a, family[i], descending);
          AppendOrderedEdm(b, family[j], descending);
          const int order = a.compare(b);
          const int wanted = expected < 0 ? -1 : (expected > 0 ? 1 : 0);
          EXPECT_EQ(order < 0 ? -1 : (order > 0 ? 1 : 0), descending ? -wanted : wanted)
              << i << " " << j << " " << descending;
        }
      }
    }
  }
}

TEST(EdmValueTest, DamagedTokensAreErrors) {
  for (const std::string& text :
       {std::string(), std::string("~"), std::string("D"),
        std::string("D\x05"
                    "12"),
        std::string("D\x02xx"), std::string("C\xFF\xFF\xFF\xFF\xFF\xFF")}) {
    std::string_view bytes = text;
    EXPECT_EQ(ReadEdmToken(bytes).error().reason, "token-syntax");
  }
}

}  // namespace
}  // namespace tablecast
