#include "base/wide_integer.h"

#include <gtest/gtest.h>

#include <random>

namespace tablecast::internal {
namespace {

// Limbs that provoke carries, borrows and estimates that are one too large.
WideInteger RandomWide(std::mt19937_64& random, std::size_t limbs) {
  WideInteger wide;
  for (std::size_t i = 0; i < limbs; ++i) {
    switch (random() % 5) {
      case 0: wide.limbs[i] = 0; break;
      case 1: wide.limbs[i] = ~std::uint64_t{0}; break;
      case 2: wide.limbs[i] = std::uint64_t{1} << (random() % 64); break;
      case 3: wide.limbs[i] = 0xFFFFFFFF00000000U; break;
      default: wide.limbs[i] = random();
    }
  }
  return wide;
}

TEST(WideIntegerTest, QuotientTimesDivisorPlusRemainderIsTheDividend) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const WideInteger dividend = RandomWide(random, 1 + random() % 8);
    const WideInteger divisor = RandomWide(random, 1 + random() % 8);
    if (divisor.IsZero()) continue;
    const WideQuotient result = Divide(dividend, divisor);
    ASSERT_LT(result.remainder, divisor);
    ASSERT_EQ(Add(Multiply(result.quotient, divisor), result.remainder), dividend);
  }
}

TEST(WideIntegerTest, SubtractionUndoesAddition) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 50'000; ++i) {
    const WideInteger a = RandomWide(random, 7);
    const WideInteger b = RandomWide(random, 7);
    ASSERT_EQ(Subtract(Add(a, b), b), a);
  }
}

TEST(WideIntegerTest, PowersOfTenHaveOneDigitMore) {
  for (int exponent = 0; exponent <= WideInteger::kMaxPowerOfTen; ++exponent) {
    const WideInteger power = PowerOfTen(exponent);
    EXPECT_EQ(power.DigitCount(), exponent + 1);
    EXPECT_EQ(Subtract(power, WideInteger(1)).DigitCount(), exponent == 0 ? 1 : exponent);
    EXPECT_EQ(power.LastDigit(), exponent == 0 ? 1U : 0U);
    EXPECT_EQ(Subtract(power, WideInteger(1)).LastDigit(), exponent == 0 ? 0U : 9U);
    EXPECT_EQ(Add(power, WideInteger(7)).LastDigit(), exponent == 0 ? 8U : 7U);
  }
  WideInteger all;
  all.limbs.fill(~std::uint64_t{0});
  EXPECT_EQ(all.DigitCount(), 155);
  EXPECT_EQ(all.BitLength(), 512);
  EXPECT_EQ(WideInteger().BitLength(), 0);
  EXPECT_EQ(WideInteger().DigitCount(), 1);
}

}  // namespace
}  // namespace tablecast::internal
