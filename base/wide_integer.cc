#include "base/wide_integer.h"

// IMPLEMENTATION. Schoolbook arithmetic on 64-bit limbs; division of one wide integer by another is
// Knuth's algorithm D on 32-bit digits (The Art of Computer Programming, volume 2, 4.3.1).
// Tested by tests/base/wide_integer_test.cc and through tests/base/decimal_test.cc.

#include <bit>

namespace tablecast::internal {
namespace {

constexpr auto kPowersOfTen = [] {
  std::array<WideInteger, WideInteger::kMaxPowerOfTen + 1> powers{};
  powers[0] = WideInteger(1);
  for (std::size_t i = 1; i < powers.size(); ++i) {
    powers[i] = powers[i - 1];
    powers[i].MultiplyAdd(10, 0);
  }
  return powers;
}();

constexpr int kDigits32 = 2 * WideInteger::kLimbs;
constexpr std::uint64_t kBase32 = std::uint64_t{1} << 32U;

// 32-bit digits, little-endian; one more than the number has, for the carry of normalisation.
using Digits = std::array<std::uint32_t, kDigits32 + 1>;

// The digits of `number` << shift, 0 <= shift < 32.
Digits ToDigits(const WideInteger& number, unsigned shift) {
  Digits digits{};
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < kDigits32; ++i) {
    const std::uint64_t digit = (number.limbs[i / 2] >> (32 * (i % 2))) & (kBase32 - 1);
    const std::uint64_t shifted = digit << shift | carry;
    digits[i] = static_cast<std::uint32_t>(shifted);
    carry = shifted >> 32U;
  }
  digits[kDigits32] = static_cast<std::uint32_t>(carry);
  return digits;
}

// The number whose digits are `digits` >> shift.
WideInteger FromDigits(const Digits& digits, unsigned shift) {
  WideInteger number;
  for (std::size_t i = 0; i < kDigits32; ++i) {
    const std::uint64_t pair = std::uint64_t{digits[i + 1]} << 32U | digits[i];
    const std::uint64_t digit = (pair >> shift) & (kBase32 - 1);
    number.limbs[i / 2] |= digit << (32 * (i % 2));
  }
  return number;
}

// Step D3 to D6: one digit of the quotient of u[j .. j + n] by v[0 .. n - 1], whose top bit is set;
// u becomes the remainder.
std::uint32_t DivideStep(Digits& u, std::size_t j, const Digits& v, std::size_t n) {
  const std::uint64_t top = std::uint64_t{u[j + n]} << 32U | u[j + n - 1];
  std::uint64_t estimate = top / v[n - 1];
  std::uint64_t rest = top % v[n - 1];
  while (estimate >= kBase32 || estimate * v[n - 2] > (rest << 32U | u[j + n - 2])) {
    --estimate;
    rest += v[n - 1];
    if (rest >= kBase32) break;
  }
  std::uint64_t carry = 0;
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    const std::uint64_t product = (i < n ? estimate * v[i] : 0) + carry;
    carry = product >> 32U;
    const std::uint64_t difference = u[i + j] - (product & (kBase32 - 1)) - borrow;
    u[i + j] = static_cast<std::uint32_t>(difference);
    borrow = difference >> 63U;
  }
  if (borrow == 0) return static_cast<std::uint32_t>(estimate);
  // The estimate was one too large: add the divisor back.
  std::uint64_t sum_carry = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    const std::uint64_t sum = std::uint64_t{u[i + j]} + (i < n ? v[i] : 0) + sum_carry;
    u[i + j] = static_cast<std::uint32_t>(sum);
    sum_carry = sum >> 32U;
  }
  return static_cast<std::uint32_t>(estimate - 1);
}

}  // namespace

std::uint64_t WideInteger::DivideBy(std::uint64_t divisor) {
  Uint128 rest = 0;
  for (std::size_t i = kLimbs; i-- > 0;) {
    if (rest == 0 && limbs[i] < divisor) {
      rest = limbs[i];
      limbs[i] = 0;
      continue;
    }
    rest = rest << 64U | limbs[i];
    limbs[i] = static_cast<std::uint64_t>(rest / divisor);
    rest %= divisor;
  }
  return static_cast<std::uint64_t>(rest);
}

int WideInteger::BitLength() const {
  for (int i = kLimbs - 1; i >= 0; --i) {
    if (Limb(i) != 0) return 64 * i + static_cast<int>(std::bit_width(Limb(i)));
  }
  return 0;
}

int WideInteger::DigitCount() const {
  // log10(2) is a little over 1233 / 4096; close enough to be right or one too low up to 512 bits.
  const int estimate = (BitLength() * 1233) >> 12;
  if (estimate > kMaxPowerOfTen) return estimate + 1;
  const bool reaches = *this >= kPowersOfTen[static_cast<std::size_t>(estimate)];
  return reaches ? estimate + 1 : (estimate == 0 ? 1 : estimate);
}

std::uint64_t WideInteger::LastDigit() const {
  // 2^64, and with it every power of it, is 6 modulo 10.
  std::uint64_t upper = 0;
  for (std::size_t i = 1; i < kLimbs; ++i) upper += limbs[i] % 10;
  return (limbs[0] % 10 + 6 * upper) % 10;
}

WideInteger Add(const WideInteger& a, const WideInteger& b) {
  WideInteger sum;
  Uint128 carry = 0;
  for (std::size_t i = 0; i < WideInteger::kLimbs; ++i) {
    carry += static_cast<Uint128>(a.limbs[i]) + b.limbs[i];
    sum.limbs[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64U;
  }
  return sum;
}

WideInteger Subtract(const WideInteger& a, const WideInteger& b) {
  WideInteger difference;
  Uint128 borrow = 0;
  for (std::size_t i = 0; i < WideInteger::kLimbs; ++i) {
    const Uint128 limb = static_cast<Uint128>(a.limbs[i]) - b.limbs[i] - borrow;
    difference.limbs[i] = static_cast<std::uint64_t>(limb);
    borrow = limb >> 127U;
  }
  return difference;
}

WideInteger Multiply(const WideInteger& a, const WideInteger& b) {
  WideInteger product;
  for (std::size_t i = 0; i < WideInteger::kLimbs; ++i) {
    if (a.limbs[i] == 0) continue;
    Uint128 carry = 0;
    for (std::size_t j = 0; i + j < WideInteger::kLimbs; ++j) {
      carry += static_cast<Uint128>(a.limbs[i]) * b.limbs[j] + product.limbs[i + j];
      product.limbs[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64U;
    }
  }
  return product;
}

WideQuotient Divide(const WideInteger& dividend, const WideInteger& divisor) {
  if (dividend < divisor) return {WideInteger(), dividend};
  if (divisor.BitLength() <= 64) {
    WideQuotient result{dividend, WideInteger()};
    result.remainder = WideInteger(result.quotient.DivideBy(divisor.limbs[0]));
    return result;
  }
  // D1: shift until the divisor's top digit has its top bit set.
  const auto n = static_cast<std::size_t>((divisor.BitLength() + 31) / 32);
  const auto shift = static_cast<unsigned>(32 * n) - static_cast<unsigned>(divisor.BitLength());
  const Digits v = ToDigits(divisor, shift);
  Digits u = ToDigits(dividend, shift);
  Digits quotient{};
  for (std::size_t j = kDigits32 - n + 1; j-- > 0;) quotient[j] = DivideStep(u, j, v, n);
  return {FromDigits(quotient, 0), FromDigits(u, shift)};
}

const WideInteger& PowerOfTen(int exponent) {
  return kPowersOfTen[static_cast<std::size_t>(exponent)];
}

std::uint64_t SmallPowerOfTen(int exponent) { return PowerOfTen(exponent).limbs[0]; }

}  // namespace tablecast::internal
