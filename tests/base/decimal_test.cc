#include "base/decimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace tablecast {
namespace {

__extension__ typedef __int128 Int128;

Decimal D(std::string_view text) {
  auto value = Decimal::Parse(text);
  EXPECT_TRUE(value.ok()) << text;
  return value.ok() ? *value : Decimal();
}

TEST(DecimalTest, ParsesAndPrintsTheNormalForm) {
  struct Row {
    std::string text;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"0", "0"},
      {"-0", "0"},
      {"+0.000", "0"},
      {"0e99999999999999999999", "0"},
      {"1", "1"},
      {"-1", "-1"},
      {"+1", "1"},
      {"007", "7"},
      {"19.990", "19.99"},
      {"1.", "1"},
      {".5", "0.5"},
      {"-.50", "-0.5"},
      {"1e3", "1000"},
      {"1E+3", "1000"},
      {"1e-3", "0.001"},
      {"12.5e1", "125"},
      {"100", "100"},
      {"1000000000000000000000", "1000000000000000000000"},
      {"0.00000000000000000001", "0.00000000000000000001"},
      {"1e0000000000000000000000000000003", "1000"},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "18446744073709551616"},
      {"10000000000000000000", "10000000000000000000"},
      {"1000000000000000000000000000000000000001", "1000000000000000000000000000000000000001"},
      {"0." + std::string(37, '0') + "12", "0." + std::string(37, '0') + "12"},
      {std::string(76, '9'), std::string(76, '9')},
      {"0.0" + std::string(76, '9') + "000", "0.0" + std::string(76, '9')},
      {std::string(76, '9') + std::string(500, '0'), std::string(76, '9') + std::string(500, '0')},
      {std::string(1000, '0') + "1." + std::string(1000, '0'), "1"},
      {"1" + std::string(100, '0') + "e-100", "1"},
      {"0." + std::string(100, '0') + "1e101", "1"},
      {"1e1999", "1" + std::string(1999, '0')},
      {"1e2000", "1E+2000"},
      {"-1e1999", "-1E+1999"},
      {"-1.25e-3000", "-1.25E-3000"},
      {"1e-1998", "0." + std::string(1997, '0') + "1"},
      {"1e-1999", "1E-1999"},
      {"1e100000", "1E+100000"},
      {"123e99998", "1.23E+100000"},
      {"1e-100000", "1E-100000"},
      {"0.001e100003", "1E+100000"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const auto value = Decimal::Parse(row.text);
    ASSERT_TRUE(value.ok()) << value.error().ToString();
    EXPECT_EQ(value->ToString(), row.want);
    const auto again = Decimal::Parse(row.want);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, *value);
  }
}

TEST(DecimalTest, RefusesWhatIsNoNumber) {
  struct Row {
    std::string text;
    ErrorCode code;
    std::string reason;
    std::size_t offset;
  };
  const auto kSyntax = ErrorCode::kInvalidArgument;
  const auto kLimit = ErrorCode::kResourceExhausted;
  const std::vector<Row> rows = {
      {"", kSyntax, "number-syntax", 0},
      {"-", kSyntax, "number-syntax", 1},
      {".", kSyntax, "number-syntax", 1},
      {"e5", kSyntax, "number-syntax", 0},
      {"+.e5", kSyntax, "number-syntax", 2},
      {"1e", kSyntax, "number-syntax", 2},
      {"1e+", kSyntax, "number-syntax", 3},
      {"1e5.0", kSyntax, "number-syntax", 3},
      {"1.2.3", kSyntax, "number-syntax", 3},
      {" 1", kSyntax, "number-syntax", 0},
      {"1 ", kSyntax, "number-syntax", 1},
      {"--1", kSyntax, "number-syntax", 1},
      {"0x10", kSyntax, "number-syntax", 1},
      {"1,000", kSyntax, "number-syntax", 1},
      {"NaN", kSyntax, "number-syntax", 0},
      {"Infinity", kSyntax, "number-syntax", 0},
      {"1_000", kSyntax, "number-syntax", 1},
      {std::string("1\0", 2), kSyntax, "number-syntax", 1},
      {"\xD9\xA1", kSyntax, "number-syntax", 0},  // Arabic-Indic one
      {std::string(77, '9'), kLimit, "number-digits", 0},
      {"1." + std::string(75, '0') + "1", kLimit, "number-digits", 0},
      {std::string(77, '9') + "x", kSyntax, "number-syntax", 77},
      {"1e100001", kLimit, "number-exponent", 0},
      {"10e100000", kLimit, "number-exponent", 0},
      {"1e-100001", kLimit, "number-exponent", 0},
      {"1e99999999999999999999999999", kLimit, "number-exponent", 0},
      {"1e-99999999999999999999999999", kLimit, "number-exponent", 0},
  };
  for (const Row& row : rows) {
    const auto value = Decimal::Parse(row.text);
    ASSERT_FALSE(value.ok()) << row.text;
    EXPECT_EQ(value.error().code, row.code) << row.text;
    EXPECT_EQ(value.error().reason, row.reason) << row.text;
    EXPECT_EQ(value.error().position.offset, row.offset) << row.text;
  }
}

TEST(DecimalTest, MillionsOfDigitsCostNoMemory) {
  EXPECT_EQ(D(std::string(5'000'000, '0') + "12").ToString(), "12");
  EXPECT_EQ(D("0." + std::string(5'000'000, '0') + "1e5000001").ToString(), "1");
  EXPECT_EQ(Decimal::Parse(std::string(5'000'000, '7')).error().reason, "number-digits");
  EXPECT_EQ(Decimal::Parse("1" + std::string(5'000'000, '0')).error().reason, "number-exponent");
}

TEST(DecimalTest, PropertiesOfTheNormalForm) {
  struct Row {
    std::string text;
    bool integer;
    int digits;
    int magnitude;
    int scale;
    std::string coefficient;
  };
  const std::vector<Row> rows = {
      {"1", true, 1, 0, 0, "1"},
      {"12.50", false, 3, 1, 1, "125"},
      {"0.5", false, 1, -1, 1, "5"},
      {"123", true, 3, 2, 0, "123"},
      {"9.99", false, 3, 0, 2, "999"},
      {"-1200", true, 2, 3, 0, "12"},
      {"0.00120", false, 2, -3, 4, "12"},
      {"1e50", true, 1, 50, 0, "1"},
      {std::string(76, '9'), true, 76, 75, 0, std::string(76, '9')},
      {"18446744073709551616", true, 20, 19, 0, "18446744073709551616"},
      {"340282366920938463463374607431768211456e-10", false, 39, 28, 10,
       "340282366920938463463374607431768211456"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const Decimal value = D(row.text);
    EXPECT_EQ(value.IsInteger(), row.integer);
    EXPECT_EQ(value.DigitCount(), row.digits);
    EXPECT_EQ(value.Magnitude(), row.magnitude);
    EXPECT_EQ(value.Scale(), row.scale);
    EXPECT_EQ(value.Digits(), row.coefficient);
    EXPECT_EQ(value.IsNegative(), row.text[0] == '-');
    EXPECT_FALSE(value.IsZero());
  }
  const Decimal zero = D("-0.00");
  EXPECT_TRUE(zero.IsZero());
  EXPECT_TRUE(zero.IsInteger());
  EXPECT_FALSE(zero.IsNegative());
  EXPECT_FALSE(zero.Negated().IsNegative());
  EXPECT_EQ(zero.DigitCount(), 1);
  EXPECT_EQ(zero.Digits(), "0");
  EXPECT_EQ(zero.Scale(), 0);
}

TEST(DecimalTest, PrintsAtLeastTheScaleAskedFor) {
  struct Row {
    std::string text;
    int scale;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"19.99", 4, "19.9900"}, {"19.99", 2, "19.99"},    {"19.99", 1, "19.99"},
      {"19.99", 0, "19.99"},   {"20", 2, "20.00"},       {"20", 0, "20"},
      {"20", -3, "20"},        {"0", 2, "0.00"},         {"-1000", 1, "-1000.0"},
      {"0.001", 2, "0.001"},   {"1e2500", 2, "1E+2500"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(D(row.text).ToStringWithScale(row.scale), row.want) << row.text << " " << row.scale;
  }
}

TEST(DecimalTest, ConvertsToAndFromIntegers) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1},
                                   std::int64_t{1000}, std::int64_t{-7'000'000'000}, kMin, kMax}) {
    EXPECT_EQ(Decimal(value).ToString(), std::to_string(value));
    EXPECT_EQ(Decimal(value).ToInt64(), value);
    EXPECT_EQ(Decimal(value).ToInt64Saturated(), value);
  }
  EXPECT_EQ(Decimal::FromUint64(18446744073709551615U).ToString(), "18446744073709551615");
  EXPECT_EQ(Decimal::FromParts(true, 1250, -2).ToString(), "-12.5");
  EXPECT_EQ(Decimal::FromParts(true, 0, 7), Decimal());
  EXPECT_EQ(Decimal::FromParts(false, 5, 2).ToString(), "500");
  EXPECT_EQ(Decimal::FromParts(false, 5, -2'000'000'000), Decimal());
  struct Row {
    std::string text;
    std::optional<std::int64_t> exact;
    std::int64_t saturated;
  };
  const std::vector<Row> rows = {
      {"1.5", std::nullopt, 1},
      {"-1.5", std::nullopt, -1},
      {"0.999", std::nullopt, 0},
      {"9223372036854775808", std::nullopt, kMax},
      {"-9223372036854775809", std::nullopt, kMin},
      {"9223372036854775807.9", std::nullopt, kMax},
      {"-9223372036854775808.9", std::nullopt, kMin},
      {"9e18", 9'000'000'000'000'000'000, 9'000'000'000'000'000'000},
      {"1e19", std::nullopt, kMax},
      {"-1e100000", std::nullopt, kMin},
      {"1e-100000", std::nullopt, 0},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(D(row.text).ToInt64(), row.exact) << row.text;
    EXPECT_EQ(D(row.text).ToInt64Saturated(), row.saturated) << row.text;
  }
}

TEST(DecimalTest, ConvertsToAndFromDoubles) {
  for (const double value : {0.0, 1.0, -0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456.789,
                             -2.2250738585072014e-308, 9007199254740993.0}) {
    const auto decimal = Decimal::FromShortestDouble(value);
    ASSERT_TRUE(decimal.ok()) << value;
    EXPECT_EQ(decimal->ToDouble(), value);
  }
  EXPECT_EQ(Decimal::FromShortestDouble(0.1)->ToString(), "0.1");
  EXPECT_EQ(Decimal::FromShortestDouble(-1e22)->ToString(), "-10000000000000000000000");
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const auto decimal = Decimal::FromShortestDouble(value);
    ASSERT_FALSE(decimal.ok());
    EXPECT_EQ(decimal.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(D("1e400").ToDouble(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(D("-1e400").ToDouble(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(D("1e-400").ToDouble(), 0.0);
}

TEST(DecimalTest, FollowsThePythonVectors) {
  const std::map<std::string, Rounding> roundings = {{"-", Rounding::kDown},
                                                     {"half_up", Rounding::kHalfUp},
                                                     {"half_down", Rounding::kHalfDown},
                                                     {"half_even", Rounding::kHalfEven},
                                                     {"down", Rounding::kDown},
                                                     {"up", Rounding::kUp},
                                                     {"ceiling", Rounding::kCeiling},
                                                     {"floor", Rounding::kFloor}};
  std::ifstream in(TABLECAST_SOURCE_DIR "/tests/base/vectors/decimal.tsv");
  std::string line;
  std::getline(in, line);  // header
  std::map<std::string, int> rows;
  while (std::getline(in, line)) {
    std::vector<std::string> f;
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t tab = std::min(line.find('\t', begin), line.size());
      f.push_back(line.substr(begin, tab - begin));
      begin = tab + 1;
    }
    ASSERT_EQ(f.size(), 6U) << line;
    const Decimal::Context context{std::stoi(f[3]), roundings.at(f[4])};
    const Decimal a = D(f[1]);
    const Decimal b = D(f[2]);
    std::string got;
    if (f[0] == "add") {
      got = Add(a, b, context).ToString();
    } else if (f[0] == "subtract") {
      got = Subtract(a, b, context).ToString();
    } else if (f[0] == "multiply") {
      got = Multiply(a, b, context).ToString();
    } else if (f[0] == "divide") {
      got = Divide(a, b, context).value().ToString();
    } else if (f[0] == "remainder") {
      got = Remainder(a, b).value().ToString();
    } else if (f[0] == "power") {
      got = Power(a, b.ToInt64().value(), context).value().ToString();
    } else if (f[0] == "compare") {
      got = a < b ? "-1" : (a > b ? "1" : "0");
      EXPECT_EQ(a == b, got == "0") << line;
    } else if (f[0] == "round_digits") {
      got = a.RoundToDigits(context).ToString();
    } else if (f[0] == "round_scale") {
      got = a.RoundToScale(b.ToInt64().value(), context.rounding).ToString();
    }
    EXPECT_EQ(got, f[5]) << line;
    ++rows[f[0]];
  }
  EXPECT_EQ(rows.size(), 9U);
  for (const auto& [operation, count] : rows) EXPECT_GE(count, 100) << operation;
}

std::string ToText(Int128 value) {
  if (value == 0) return "0";
  std::string out;
  const bool negative = value < 0;
  for (; value != 0; value /= 10)
    out.insert(out.begin(), static_cast<char>('0' + std::abs(static_cast<int>(value % 10))));
  return negative ? "-" + out : out;
}

TEST(DecimalTest, AgreesWith128BitIntegers) {
  std::mt19937_64 random(1);
  const auto number = [&random] { return static_cast<std::int64_t>(random()) >> (random() % 64); };
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t x = number();
    const std::int64_t y = number();
    const Decimal a(x);
    const Decimal b(y);
    ASSERT_EQ(Add(a, b, Decimal::kStored).ToString(), ToText(Int128{x} + y));
    ASSERT_EQ(Subtract(a, b, Decimal::kStored).ToString(), ToText(Int128{x} - y));
    ASSERT_EQ(Multiply(a, b, Decimal::kStored).ToString(), ToText(Int128{x} * y));
    ASSERT_EQ(a <=> b, x <=> y);
    ASSERT_EQ(a == b, x == y);
    if (y != 0 && y != -1) {
      ASSERT_EQ(Remainder(a, b)->ToString(), std::to_string(x % y)) << x << " " << y;
      ASSERT_EQ(Divide(a, b, Decimal::kFormula)->RoundToScale(0, Rounding::kDown).ToString(),
                std::to_string(x / y));
    }
  }
}

// Numbers whose sums and products stay exact in 76 digits.
Decimal RandomDecimal(std::mt19937_64& random) {
  std::string text = random() % 2 == 0 ? "" : "-";
  const std::size_t digits = 1 + random() % 24;
  for (std::size_t i = 0; i < digits; ++i) text += static_cast<char>('0' + random() % 10);
  return D(text + "e" + std::to_string(static_cast<int>(random() % 20) - 10));
}

TEST(DecimalTest, ExactResultsObeyTheRingLaws) {
  const Decimal::Context exact{76, Rounding::kHalfEven};
  const auto sum = [&](const Decimal& x, const Decimal& y) { return Add(x, y, exact); };
  const auto product = [&](const Decimal& x, const Decimal& y) { return Multiply(x, y, exact); };
  std::mt19937_64 random(7);
  for (int i = 0; i < 5'000; ++i) {
    const Decimal a = RandomDecimal(random);
    const Decimal b = RandomDecimal(random);
    const Decimal c = RandomDecimal(random).RoundToDigits({10, Rounding::kDown});
    SCOPED_TRACE(a.ToString() + " " + b.ToString() + " " + c.ToString());
    ASSERT_EQ(sum(a, b), sum(b, a));
    ASSERT_EQ(product(a, b), product(b, a));
    ASSERT_EQ(sum(sum(a, b), c), sum(a, sum(b, c)));
    ASSERT_EQ(product(product(a, b), c), product(a, product(b, c)));
    ASSERT_EQ(product(c, sum(a, b)), sum(product(c, a), product(c, b)));
    ASSERT_EQ(sum(a, a.Negated()), Decimal());
    ASSERT_EQ(Subtract(sum(a, b), b, exact), a);
    ASSERT_EQ(product(a, Decimal(1)), a);
    ASSERT_EQ(a < b, sum(a, c) < sum(b, c));
    if (!b.IsZero()) {
      ASSERT_EQ(*Divide(product(a, b), b, exact), a);
      const Decimal rest = *Remainder(a, b);
      ASSERT_LT(rest.Abs(), b.Abs());
      ASSERT_TRUE(rest.IsZero() || rest.IsNegative() == a.IsNegative());
      ASSERT_TRUE(Divide(Subtract(a, rest, exact), b, exact)->IsInteger());
    }
    ASSERT_EQ(D(a.ToString()), a);
  }
}

TEST(DecimalTest, DivisionByZeroIsAnError) {
  EXPECT_EQ(Divide(Decimal(1), Decimal(), Decimal::kFormula).error().reason, "division-by-zero");
  EXPECT_EQ(Remainder(Decimal(1), Decimal()).error().reason, "division-by-zero");
  EXPECT_EQ(Power(Decimal(), -1, Decimal::kFormula).error().reason, "division-by-zero");
  EXPECT_EQ(Divide(Decimal(), Decimal(3), Decimal::kFormula).value(), Decimal());
}

TEST(DecimalTest, FormulaQuotientsHave39Digits) {
  EXPECT_EQ(Divide(Decimal(2), Decimal(3), Decimal::kFormula)->ToString(),
            "0." + std::string(38, '6') + "7");
  EXPECT_EQ(Divide(Decimal(100), Decimal(7), Decimal::kFormula)->ToString(),
            "14.2857142857142857142857142857142857143");
}

TEST(DecimalTest, RemaindersOfFarNumbersHaveALimit) {
  EXPECT_EQ(Remainder(D("1e1000"), Decimal(7))->ToString(), "4");  // 10^1000 = 4 modulo 7
  EXPECT_EQ(Remainder(D("1e-1000"), Decimal(7))->ToString(), D("1e-1000").ToString());
  EXPECT_EQ(Remainder(D("1e1001"), Decimal(7)).error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(Remainder(D("1e-1001"), Decimal(7)).error().code, ErrorCode::kResourceExhausted);
}

TEST(DecimalTest, PowersStayInRange) {
  const auto context = Decimal::kFormula;
  EXPECT_EQ(Power(Decimal(), 0, context)->ToString(), "1");
  EXPECT_EQ(Power(Decimal(), 5, context)->ToString(), "0");
  EXPECT_EQ(Power(Decimal(1), std::numeric_limits<std::int64_t>::max(), context)->ToString(), "1");
  EXPECT_EQ(Power(Decimal(-1), std::numeric_limits<std::int64_t>::min(), context)->ToString(), "1");
  EXPECT_EQ(Power(Decimal(10), 100'000, context)->ToString(), "1E+100000");
  EXPECT_EQ(Power(Decimal(10), -100'000, context)->ToString(), "1E-100000");
  for (const std::int64_t n :
       {std::int64_t{100'001}, std::int64_t{-100'001}, std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()}) {
    const auto power = Power(Decimal(10), n, context);
    ASSERT_FALSE(power.ok()) << n;
    EXPECT_EQ(power.error().code, ErrorCode::kResourceExhausted);
    EXPECT_EQ(power.error().reason, "number-range");
  }
  // 1.000000001^(10^9), computed to 60 digits with Python's decimal module.
  EXPECT_EQ(Power(D("1.000000001"), 1'000'000'000, context)->ToString(),
            "2.71828182709990432237664402386033286283");
}

TEST(DecimalTest, RoundsAtExtremeScales) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(D("1.5").RoundToScale(kMax, Rounding::kUp).ToString(), "1.5");
  EXPECT_EQ(D("1.5").RoundToScale(kMin, Rounding::kHalfUp).ToString(), "0");
  EXPECT_EQ(D("1.5").RoundToScale(-3, Rounding::kUp).ToString(), "1000");
  EXPECT_EQ(D("-1.5").RoundToScale(-3, Rounding::kFloor).ToString(), "-1000");
  EXPECT_EQ(D("500").RoundToScale(-3, Rounding::kHalfUp).ToString(), "1000");
  EXPECT_EQ(D("499.99").RoundToScale(-3, Rounding::kHalfUp).ToString(), "0");
  EXPECT_EQ(D("-0.4").RoundToScale(0, Rounding::kHalfUp).ToString(), "0");
  EXPECT_FALSE(D("-0.4").RoundToScale(0, Rounding::kHalfUp).IsNegative());
  EXPECT_EQ(D(std::string(76, '9')).RoundToDigits({75, Rounding::kHalfUp}).ToString(),
            "1" + std::string(76, '0'));
}

TEST(DecimalTest, RepeatedSquaringSaturates) {
  Decimal large = D("1e100000");
  Decimal small = D("1e-100000");
  for (int i = 0; i < 100; ++i) {
    large = Multiply(large, large, Decimal::kFormula);
    small = Multiply(small, small, Decimal::kFormula);
  }
  EXPECT_EQ(large.Magnitude(), 1'000'000'000);
  EXPECT_EQ(small, Decimal());
  EXPECT_EQ(Add(large, Decimal(1), Decimal::kFormula), large);
}

}  // namespace
}  // namespace tablecast
