#include "base/decimal.h"

// IMPLEMENTATION. Every Decimal is kept in normal form: no trailing zero in the coefficient, fewer
// than 10^76, exponent 0 and no sign for zero. Equality is therefore equality of the members.
// Results that fit 128 bits are computed there; everything else goes through a 512-bit WideInteger
// that holds the exact result, or the exact result's leading digits followed by one "sticky" digit
// 1 that stands for a non-zero remainder. Rounding happens once, in RoundedParts. Text conversions
// are in decimal_text.cc. Tested by tests/base/decimal_test.cc.

#include <algorithm>
#include <limits>

#include "base/decimal_internal.h"
#include "base/wide_integer.h"

namespace tablecast {

using internal::PowerOfTen;
using internal::SmallPowerOfTen;
using internal::Uint128;
using internal::WideInteger;

namespace {

// Exponents saturate here: far beyond what any reader accepts, far inside int32.
constexpr std::int64_t kLargestMagnitude = 1'000'000'000;

// How the digits that are cut off compare with half a unit of the last digit kept.
enum class Tail { kZero, kBelowHalf, kHalf, kAboveHalf };

Tail TailOf(std::uint64_t first_digit, bool sticky) {
  if (first_digit == 0 && !sticky) return Tail::kZero;
  if (first_digit == 5 && !sticky) return Tail::kHalf;
  return first_digit < 5 ? Tail::kBelowHalf : Tail::kAboveHalf;
}

bool RoundsAway(Rounding rounding, Tail tail, bool negative, bool odd) {
  if (tail == Tail::kZero) return false;
  switch (rounding) {
    case Rounding::kHalfUp: return tail >= Tail::kHalf;
    case Rounding::kHalfDown: return tail > Tail::kHalf;
    case Rounding::kHalfEven: return tail > Tail::kHalf || (tail == Tail::kHalf && odd);
    case Rounding::kDown: return false;
    case Rounding::kUp: return true;
    case Rounding::kCeiling: return !negative;
    case Rounding::kFloor: return negative;
  }
  return false;
}

// Divides by 10^count; true when a remainder is lost.
bool DropDigits(WideInteger& number, std::int64_t count) {
  bool lost = false;
  for (; count > 0 && !number.IsZero(); count -= 19) {
    lost |=
        number.DivideBy(SmallPowerOfTen(static_cast<int>(std::min<std::int64_t>(count, 19)))) != 0;
  }
  return lost;
}

// Drops the last `count` digits by `rounding`.
void RoundDigitsAway(WideInteger& number, std::int64_t count, Rounding rounding, bool negative) {
  if (count <= 0) return;
  const bool sticky = DropDigits(number, count - 1);
  const std::uint64_t first_digit = number.DivideBy(10);
  if (RoundsAway(rounding, TailOf(first_digit, sticky), negative, (number.limbs[0] & 1U) != 0)) {
    number = Add(number, WideInteger(1));
  }
}

// Keeps `digits` digits so that a later rounding to fewer digits comes out as if it were the only
// one: cut off, but never leave a last digit 0 or 5 that hides a remainder ("05up").
std::int64_t CutForLaterRounding(WideInteger& number, int digits) {
  const std::int64_t count = number.DigitCount() - digits;
  if (count <= 0) return 0;
  if (DropDigits(number, count) && number.LastDigit() % 5 == 0)
    number = Add(number, WideInteger(1));
  return count;
}

int KeptDigits(Decimal::Context context) {
  return std::clamp(context.digits, 1, Decimal::kMaxDigits);
}

}  // namespace

// The arithmetic kernels: what needs to see a Decimal's members.
struct DecimalOps {
  static bool FitsOneLimb(const Decimal& d) {
    return (d.limbs_[1] | d.limbs_[2] | d.limbs_[3]) == 0;
  }

  static WideInteger Coefficient(const Decimal& d) {
    WideInteger wide;
    std::copy(std::begin(d.limbs_), std::end(d.limbs_), wide.limbs.begin());
    return wide;
  }

  // Brings into normal form. REQUIRES: coefficient <= 10^76 - 1, or 10^76 exactly.
  static Decimal Normal(bool negative, WideInteger coefficient, std::int64_t exponent) {
    if (coefficient.BitLength() <= 64 && exponent > -1'000'000 && exponent < 1'000'000) {
      return Small(negative, coefficient.limbs[0], exponent);
    }
    if (coefficient.IsZero()) return Decimal();
    if (coefficient.LastDigit() == 0) {
      for (const int step : {16, 16, 16, 16, 8, 4, 2, 1}) {
        WideInteger shorter = coefficient;
        if (shorter.DivideBy(SmallPowerOfTen(step)) != 0) continue;
        coefficient = shorter;
        exponent += step;
      }
    }
    Decimal d;
    std::copy_n(coefficient.limbs.begin(), 4, std::begin(d.limbs_));
    d.negative_ = negative;
    const std::int64_t magnitude = exponent + coefficient.DigitCount() - 1;
    if (magnitude < -kLargestMagnitude) return Decimal();
    if (magnitude > kLargestMagnitude) exponent -= magnitude - kLargestMagnitude;
    d.exponent_ = static_cast<std::int32_t>(exponent);
    return d;
  }

  static Decimal Rounded(bool negative, WideInteger coefficient, std::int64_t exponent,
                         Decimal::Context context) {
    const int excess = coefficient.DigitCount() - KeptDigits(context);
    if (excess > 0) {
      RoundDigitsAway(coefficient, excess, context.rounding, negative);
      exponent += excess;
    }
    return Normal(negative, coefficient, exponent);
  }

  static Decimal Rounded(bool negative, Uint128 coefficient, std::int64_t exponent,
                         Decimal::Context context) {
    const auto low = static_cast<std::uint64_t>(coefficient);
    const auto high = static_cast<std::uint64_t>(coefficient >> 64U);
    // 19 digits fit whatever is asked for in practice; exponents near the limit take the long way.
    if (high == 0 && low < 10'000'000'000'000'000'000U && context.digits >= 19 &&
        exponent > -1'000'000 && exponent < 1'000'000) {
      return Small(negative, low, exponent);
    }
    WideInteger wide(low);
    wide.limbs[1] = high;
    return Rounded(negative, wide, exponent, context);
  }

  static Decimal Small(bool negative, std::uint64_t coefficient, std::int64_t exponent) {
    Decimal d;
    if (coefficient == 0) return d;
    while (coefficient % 10 == 0) {
      coefficient /= 10;
      ++exponent;
    }
    d.limbs_[0] = coefficient;
    d.exponent_ = static_cast<std::int32_t>(exponent);
    d.negative_ = negative;
    return d;
  }

  // a + b, or a - b when `subtract`.
  static Decimal Sum(const Decimal& a, const Decimal& b, bool subtract, Decimal::Context context) {
    const bool b_negative = b.negative_ != subtract;
    if (b.IsZero()) return a.RoundToDigits(context);
    if (a.IsZero()) return (subtract ? b.Negated() : b).RoundToDigits(context);
    const bool a_is_high = a.exponent_ >= b.exponent_;
    const Decimal& high = a_is_high ? a : b;
    const Decimal& low = a_is_high ? b : a;
    const bool high_negative = a_is_high ? a.negative_ : b_negative;
    const bool low_negative = a_is_high ? b_negative : a.negative_;
    const std::int64_t gap = std::int64_t{high.exponent_} - low.exponent_;
    constexpr std::int64_t kGapIn128Bits = 18;  // 2^64 * 10^18 + 2^64 < 2^128
    if (gap <= kGapIn128Bits && FitsOneLimb(high) && FitsOneLimb(low)) {
      const Uint128 x =
          static_cast<Uint128>(high.limbs_[0]) * SmallPowerOfTen(static_cast<int>(gap));
      const Uint128 y = low.limbs_[0];
      if (high_negative == low_negative)
        return Rounded(high_negative, x + y, low.exponent_, context);
      if (x >= y) return Rounded(high_negative, x - y, low.exponent_, context);
      return Rounded(low_negative, y - x, low.exponent_, context);
    }
    WideInteger x = Coefficient(high);
    WideInteger y = Coefficient(low);
    std::int64_t exponent = low.exponent_;
    const std::int64_t high_digits = x.DigitCount();
    constexpr std::int64_t kAlignedDigits = 150;
    if (high_digits + gap <= kAlignedDigits) {
      x = Multiply(x, PowerOfTen(static_cast<int>(gap)));
    } else {
      // `low` lies at least 74 digits below the leading digit of `high`. Give `high` 102 digits and
      // cut `low` to the same exponent, its last digit sticky.
      constexpr std::int64_t kDigits = 102;
      const std::int64_t scale = kDigits - high_digits;
      x = Multiply(x, PowerOfTen(static_cast<int>(scale)));
      exponent = high.exponent_ - scale;
      const bool lost = DropDigits(y, exponent + 1 - low.exponent_);
      y.MultiplyAdd(10, lost ? 1 : 0);
    }
    if (high_negative == low_negative) return Rounded(high_negative, Add(x, y), exponent, context);
    if (x >= y) return Rounded(high_negative, internal::Subtract(x, y), exponent, context);
    return Rounded(low_negative, internal::Subtract(y, x), exponent, context);
  }

  static Decimal Product(const Decimal& a, const Decimal& b, Decimal::Context context) {
    if (a.IsZero() || b.IsZero()) return Decimal();
    const bool negative = a.negative_ != b.negative_;
    const std::int64_t exponent = std::int64_t{a.exponent_} + b.exponent_;
    if (FitsOneLimb(a) && FitsOneLimb(b)) {
      return Rounded(negative, static_cast<Uint128>(a.limbs_[0]) * b.limbs_[0], exponent, context);
    }
    return Rounded(negative, Multiply(Coefficient(a), Coefficient(b)), exponent, context);
  }

  // REQUIRES: b not zero.
  static Decimal Quotient(const Decimal& a, const Decimal& b, Decimal::Context context) {
    if (a.IsZero()) return Decimal();
    const bool negative = a.negative_ != b.negative_;
    std::int64_t exponent = std::int64_t{a.exponent_} - b.exponent_;
    if (FitsOneLimb(a) && FitsOneLimb(b) && a.limbs_[0] % b.limbs_[0] == 0) {
      return Rounded(negative, static_cast<Uint128>(a.limbs_[0] / b.limbs_[0]), exponent, context);
    }
    // Scale the dividend so that the quotient has at least one digit more than is kept.
    const WideInteger divisor = Coefficient(b);
    WideInteger dividend = Coefficient(a);
    const int scale =
        std::max(0, divisor.DigitCount() + KeptDigits(context) + 1 - dividend.DigitCount());
    dividend = Multiply(dividend, PowerOfTen(scale));
    exponent -= scale;
    internal::WideQuotient result = Divide(dividend, divisor);
    if (!result.remainder.IsZero()) {
      result.quotient.MultiplyAdd(10, 1);
      --exponent;
    }
    return Rounded(negative, result.quotient, exponent, context);
  }

  // a modulo b for |exponents| apart by at most 1,000. REQUIRES: neither is zero.
  static Decimal Modulo(const Decimal& a, const Decimal& b) {
    WideInteger dividend = Coefficient(a);
    WideInteger divisor = Coefficient(b);
    std::int64_t gap = std::int64_t{a.exponent_} - b.exponent_;
    if (gap < 0) {
      if (a.Magnitude() < b.Magnitude()) return a;
      // |b| is not larger than 10 |a|, so scaled to a's exponent it has at most 77 digits.
      divisor = Multiply(divisor, PowerOfTen(static_cast<int>(-gap)));
      return Normal(a.negative_, Divide(dividend, divisor).remainder, a.exponent_);
    }
    dividend = Divide(dividend, divisor).remainder;
    for (; gap > 0; gap -= 19) {
      const int step = static_cast<int>(std::min<std::int64_t>(gap, 19));
      dividend.MultiplyAdd(SmallPowerOfTen(step), 0);
      dividend = Divide(dividend, divisor).remainder;
    }
    return Normal(a.negative_, dividend, b.exponent_);
  }

  // Product at full width, fit for a later rounding.
  static Decimal WorkingProduct(const Decimal& a, const Decimal& b) {
    WideInteger product = Multiply(Coefficient(a), Coefficient(b));
    const std::int64_t cut = CutForLaterRounding(product, Decimal::kMaxDigits);
    return Normal(a.negative_ != b.negative_, product,
                  std::int64_t{a.exponent_} + b.exponent_ + cut);
  }

  static std::strong_ordering CompareMagnitudes(const Decimal& a, const Decimal& b) {
    const bool a_is_high = a.exponent_ >= b.exponent_;
    const Decimal& high = a_is_high ? a : b;
    const Decimal& low = a_is_high ? b : a;
    const std::int64_t gap = std::int64_t{high.exponent_} - low.exponent_;
    std::strong_ordering order = std::strong_ordering::equal;
    if (gap <= 18 && FitsOneLimb(high) && FitsOneLimb(low)) {
      const Uint128 x =
          static_cast<Uint128>(high.limbs_[0]) * SmallPowerOfTen(static_cast<int>(gap));
      const Uint128 y = low.limbs_[0];
      order = x < y ? std::strong_ordering::less
                    : (x > y ? std::strong_ordering::greater : std::strong_ordering::equal);
    } else if (high.Magnitude() != low.Magnitude()) {
      order = high.Magnitude() <=> low.Magnitude();
    } else {
      // The same leading place, so the gap is at most the 75 digits that `low` has more.
      order = Multiply(Coefficient(high), PowerOfTen(static_cast<int>(gap))) <=> Coefficient(low);
    }
    return a_is_high ? order : 0 <=> order;
  }
};

namespace internal {
Decimal NormalDecimal(bool negative, const WideInteger& coefficient, std::int64_t exponent) {
  return DecimalOps::Normal(negative, coefficient, exponent);
}
}  // namespace internal

Decimal::Decimal(std::int64_t value)
    : Decimal(FromParts(
          value < 0,
          value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value),
          0)) {}

Decimal Decimal::FromUint64(std::uint64_t value) { return FromParts(false, value, 0); }

Decimal Decimal::FromParts(bool negative, std::uint64_t coefficient, std::int32_t exponent) {
  if (exponent > -1'000'000 && exponent < 1'000'000) {
    return DecimalOps::Small(negative, coefficient, exponent);
  }
  return DecimalOps::Normal(negative, WideInteger(coefficient), exponent);
}

bool Decimal::IsZero() const { return (limbs_[0] | limbs_[1] | limbs_[2] | limbs_[3]) == 0; }
bool Decimal::IsNegative() const { return negative_; }
bool Decimal::IsInteger() const { return exponent_ >= 0; }
int Decimal::DigitCount() const { return DecimalOps::Coefficient(*this).DigitCount(); }
std::int32_t Decimal::Magnitude() const { return exponent_ + DigitCount() - 1; }
std::int32_t Decimal::Scale() const { return std::max(0, -exponent_); }

std::optional<std::int64_t> Decimal::ToInt64() const {
  constexpr std::int32_t kMaxZeros = 18;
  if (!IsInteger() || !DecimalOps::FitsOneLimb(*this) || exponent_ > kMaxZeros) return std::nullopt;
  const Uint128 magnitude = static_cast<Uint128>(limbs_[0]) * SmallPowerOfTen(exponent_);
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (magnitude > Uint128{kMax} + (negative_ ? 1U : 0U)) return std::nullopt;
  const auto bits = static_cast<std::uint64_t>(magnitude);
  return static_cast<std::int64_t>(negative_ ? 0 - bits : bits);
}

std::int64_t Decimal::ToInt64Saturated() const {
  if (const auto value = RoundToScale(0, Rounding::kDown).ToInt64()) return *value;
  return negative_ ? std::numeric_limits<std::int64_t>::min()
                   : std::numeric_limits<std::int64_t>::max();
}

Decimal Decimal::Negated() const {
  Decimal d = *this;
  d.negative_ = !negative_ && !IsZero();
  return d;
}

Decimal Decimal::Abs() const {
  Decimal d = *this;
  d.negative_ = false;
  return d;
}

Decimal Decimal::RoundToDigits(Context context) const {
  if (DecimalOps::FitsOneLimb(*this) && context.digits >= 20) return *this;
  return DecimalOps::Rounded(negative_, DecimalOps::Coefficient(*this), exponent_, context);
}

Decimal Decimal::RoundToScale(std::int64_t scale, Rounding rounding) const {
  // Beyond these every digit is kept, or none is.
  constexpr std::int64_t kFar = 4'000'000'000;
  const std::int64_t exponent = -std::clamp(scale, -kFar, kFar);
  if (exponent <= exponent_ || IsZero()) return *this;
  WideInteger coefficient = DecimalOps::Coefficient(*this);
  RoundDigitsAway(coefficient, exponent - exponent_, rounding, negative_);
  return DecimalOps::Normal(negative_, coefficient, exponent);
}

bool operator==(const Decimal& a, const Decimal& b) {
  return std::equal(std::begin(a.limbs_), std::end(a.limbs_), std::begin(b.limbs_)) &&
         a.exponent_ == b.exponent_ && a.negative_ == b.negative_;
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  const auto sign = [](const Decimal& d) { return d.IsZero() ? 0 : (d.negative_ ? -1 : 1); };
  if (sign(a) != sign(b) || sign(a) == 0) return sign(a) <=> sign(b);
  return a.negative_ ? DecimalOps::CompareMagnitudes(b, a) : DecimalOps::CompareMagnitudes(a, b);
}

Decimal Add(const Decimal& a, const Decimal& b, Decimal::Context context) {
  return DecimalOps::Sum(a, b, false, context);
}

Decimal Subtract(const Decimal& a, const Decimal& b, Decimal::Context context) {
  return DecimalOps::Sum(a, b, true, context);
}

Decimal Multiply(const Decimal& a, const Decimal& b, Decimal::Context context) {
  return DecimalOps::Product(a, b, context);
}

namespace {
Error DivisionByZero() {
  return MakeError(ErrorCode::kInvalidArgument, "division-by-zero", "division by zero");
}
Error OutOfRange() {
  return MakeError(ErrorCode::kResourceExhausted, "number-range",
                   "the result lies beyond 10^" + std::to_string(Decimal::kMaxExponent) +
                       " or below 10^-" + std::to_string(Decimal::kMaxExponent));
}
bool InRange(const Decimal& d) {
  return d.Magnitude() <= Decimal::kMaxExponent && d.Magnitude() >= -Decimal::kMaxExponent;
}
}  // namespace

Result<Decimal> Divide(const Decimal& a, const Decimal& b, Decimal::Context context) {
  if (b.IsZero()) return DivisionByZero();
  return DecimalOps::Quotient(a, b, context);
}

Result<Decimal> Remainder(const Decimal& a, const Decimal& b) {
  if (b.IsZero()) return DivisionByZero();
  if (a.IsZero()) return Decimal();
  constexpr std::int64_t kMaxGap = 1000;
  const std::int64_t gap = std::int64_t{a.exponent_} - b.exponent_;
  if (gap > kMaxGap || gap < -kMaxGap) {
    return MakeError(ErrorCode::kResourceExhausted, "number-range",
                     "the numbers of a remainder lie more than 10^1000 apart");
  }
  return DecimalOps::Modulo(a, b);
}

Result<Decimal> Power(const Decimal& a, std::int64_t n, Decimal::Context context) {
  if (n == 0) return Decimal(1);
  if (a.IsZero()) {
    if (n < 0) return DivisionByZero();
    return Decimal();
  }
  // Square and multiply at 76 digits: each step errs by less than 10^-75 of its value, all of them
  // together by less than 10^-75 * 2 n, which leaves 39 digits right for every n.
  std::uint64_t left = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  Decimal power(1);
  Decimal square = a;
  while (true) {
    if ((left & 1U) != 0) {
      power = DecimalOps::WorkingProduct(power, square);
      if (!InRange(power)) return OutOfRange();
    }
    left >>= 1U;
    if (left == 0) break;
    square = DecimalOps::WorkingProduct(square, square);
    // A square out of range takes the result with it: its factor is still to come.
    if (!InRange(square)) return OutOfRange();
  }
  if (n > 0) return power.RoundToDigits(context);
  const Decimal inverse = DecimalOps::Quotient(Decimal(1), power, context);
  if (!InRange(inverse)) return OutOfRange();
  return inverse;
}

}  // namespace tablecast
