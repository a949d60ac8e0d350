#ifndef TABLECAST_BASE_WIDE_INTEGER_H_
#define TABLECAST_BASE_WIDE_INTEGER_H_

// Unsigned 512-bit integers: the intermediate results of Decimal, wide enough for the exact product
// of two 76-digit coefficients and for a 153-digit dividend. Not for use outside base/.

#include <array>
#include <compare>
#include <cstdint>

namespace tablecast::internal {

__extension__ typedef unsigned __int128 Uint128;

struct WideInteger {
  static constexpr int kLimbs = 8;
  static constexpr int kMaxPowerOfTen = 153;  // 10^154 does not fit

  std::array<std::uint64_t, kLimbs> limbs{};  // little-endian

  constexpr WideInteger() = default;
  constexpr explicit WideInteger(std::uint64_t value) : limbs{value} {}

  constexpr bool IsZero() const {
    std::uint64_t any = 0;
    for (const std::uint64_t limb : limbs) any |= limb;
    return any == 0;
  }
  constexpr bool operator==(const WideInteger&) const = default;
  std::strong_ordering operator<=>(const WideInteger& other) const {
    for (int i = kLimbs - 1; i > 0; --i) {
      if (Limb(i) != other.Limb(i)) return Limb(i) <=> other.Limb(i);
    }
    return Limb(0) <=> other.Limb(0);
  }

  // *this * factor + addend. The result must fit.
  constexpr void MultiplyAdd(std::uint64_t factor, std::uint64_t addend) {
    Uint128 carry = addend;
    for (std::uint64_t& limb : limbs) {
      carry += static_cast<Uint128>(limb) * factor;
      limb = static_cast<std::uint64_t>(carry);
      carry >>= 64U;
    }
  }
  // Divides in place and returns the remainder. REQUIRES: divisor not zero.
  std::uint64_t DivideBy(std::uint64_t divisor);

  int BitLength() const;            // 0 for zero
  int DigitCount() const;           // decimal; 1 for zero
  std::uint64_t LastDigit() const;  // the number modulo ten

 private:
  constexpr std::uint64_t Limb(int i) const { return limbs[static_cast<std::size_t>(i)]; }
};

// REQUIRES (all): the result fits and is not negative.
WideInteger Add(const WideInteger& a, const WideInteger& b);
WideInteger Subtract(const WideInteger& a, const WideInteger& b);
WideInteger Multiply(const WideInteger& a, const WideInteger& b);

struct WideQuotient {
  WideInteger quotient;
  WideInteger remainder;
};
// REQUIRES: divisor not zero.
WideQuotient Divide(const WideInteger& dividend, const WideInteger& divisor);

// 10^exponent. REQUIRES: 0 <= exponent <= kMaxPowerOfTen.
const WideInteger& PowerOfTen(int exponent);
// 10^exponent. REQUIRES: 0 <= exponent <= 19.
std::uint64_t SmallPowerOfTen(int exponent);

}  // namespace tablecast::internal

#endif  // TABLECAST_BASE_WIDE_INTEGER_H_
