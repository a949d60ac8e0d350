#ifndef TABLECAST_BASE_DECIMAL_H_
#define TABLECAST_BASE_DECIMAL_H_

// Exact decimal numbers: sign, 256-bit coefficient, decimal exponent. No binary floating point
// anywhere. The rounding context is passed in: DynamoDB numbers hold 38 digits, formulas round to 39.
//
//   Decimal price = *Decimal::Parse("19.990");
//   price.ToString();                                    // "19.99": normal form
//   price.ToStringWithScale(4);                          // "19.9900"
//   Divide(price, Decimal(3), Decimal::kFormula);        // 6.66333...33, 39 digits, half up
//
// Results keep at most kMaxDigits digits whatever the context asks for. Magnitudes beyond 10^±10^9
// (reachable only by multiplying far beyond what Parse accepts) saturate, or become zero.
//
// THREAD: a plain value. COST: results that fit 128 bits take a fast path, others 512-bit steps.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tablecast {

enum class Rounding { kHalfUp, kHalfDown, kHalfEven, kDown, kUp, kCeiling, kFloor };

class Decimal {
 public:
  // UNITS: digits = significant decimal digits kept.
  struct Context {
    int digits;
    Rounding rounding;
  };
  static constexpr Context kFormula{39, Rounding::kHalfUp};
  static constexpr Context kStored{38, Rounding::kHalfUp};

  static constexpr int kMaxDigits = 76;       // what a coefficient holds for certain
  static constexpr int kMaxExponent = 100000;  // Parse accepts numbers from 10^-100000 to 10^100001

  constexpr Decimal() = default;  // zero
  explicit Decimal(std::int64_t value);
  static Decimal FromUint64(std::uint64_t value);

  // Reads `[+-]? (digits [. digits*] | . digits+) ([eE] [+-]? digits)?`, the whole text.
  // ERRORS: kInvalidArgument reason "number-syntax"; kResourceExhausted reason "number-digits" (more
  // than kMaxDigits significant digits after trimming zeros) or "number-exponent". An exponent of any
  // length costs no memory. COST: linear in the text.
  static Result<Decimal> Parse(std::string_view text);

  // Shortest decimal that reads back as the same double. ERRORS: kInvalidArgument for NaN, infinity.
  // For transcendental functions only: no stored number or money value passes through a double.
  static Result<Decimal> FromShortestDouble(double value);
  double ToDouble() const;

  // coefficient * 10^exponent.
  static Decimal FromParts(bool negative, std::uint64_t coefficient, std::int32_t exponent);

  bool IsZero() const;
  bool IsNegative() const;  // false for zero
  bool IsInteger() const;
  // Significant digits of the normal form; 1 for zero.
  int DigitCount() const;
  // Exponent of the leading digit: 0 for 1..9.99, 2 for 123, -1 for 0.5. REQUIRES: not zero.
  std::int32_t Magnitude() const;
  // Fraction digits of the normal form, never negative: 2 for 12.50 -> 12.5 gives 1.
  std::int32_t Scale() const;

  // Plain notation, never an exponent; no trailing fraction zeros, no "-0", one leading zero.
  // Numbers whose plain form would exceed 2,000 characters print in scientific form instead.
  std::string ToString() const;
  // At least `scale` fraction digits; more when the value has more (never rounded).
  std::string ToStringWithScale(int scale) const;
  void AppendTo(std::string& out) const;
  // Digits of the coefficient in normal form without sign, point or trailing zeros; "0" for zero.
  std::string Digits() const;

  // nullopt when not an integer or out of range.
  std::optional<std::int64_t> ToInt64() const;
  // Truncates toward zero and clamps to the int64 range (formula.md F14, F24).
  std::int64_t ToInt64Saturated() const;

  Decimal Negated() const;
  Decimal Abs() const;
  // Rounds to `digits` significant digits.
  Decimal RoundToDigits(Context context) const;
  // Rounds so that at most `scale` fraction digits remain; negative scale rounds whole digits.
  Decimal RoundToScale(std::int64_t scale, Rounding rounding) const;

  friend bool operator==(const Decimal& a, const Decimal& b);  // by value: 1.0 == 1
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);

  // Exact before the one final rounding, whatever the exponents.
  friend Decimal Add(const Decimal& a, const Decimal& b, Context context);
  friend Decimal Subtract(const Decimal& a, const Decimal& b, Context context);
  friend Decimal Multiply(const Decimal& a, const Decimal& b, Context context);
  // ERRORS: kInvalidArgument reason "division-by-zero".
  friend Result<Decimal> Divide(const Decimal& a, const Decimal& b, Context context);
  // a - b * trunc(a / b), exact; sign of a. ERRORS: "division-by-zero"; kResourceExhausted when the
  // exponents lie more than 1,000 apart.
  friend Result<Decimal> Remainder(const Decimal& a, const Decimal& b);

  // a^n for whole n, computed with 76 digits and then rounded to `context`: at most 39 digits are
  // right in the half modes; a directed mode may miss by one unit of the last place when the exact
  // value lies within 10^-75 of a rounding boundary.
  // ERRORS: "division-by-zero" for 0^negative; kResourceExhausted "number-range" beyond 10^±100000.
  friend Result<Decimal> Power(const Decimal& a, std::int64_t n, Context context);

 private:
  friend struct DecimalOps;  // the arithmetic kernels of decimal.cc
  std::uint64_t limbs_[4] = {0, 0, 0, 0};  // little-endian 256-bit coefficient
  std::int32_t exponent_ = 0;
  bool negative_ = false;
};

}  // namespace tablecast

#endif  // TABLECAST_BASE_DECIMAL_H_
