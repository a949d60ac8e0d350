#include "base/decimal.h"

// Decimal from and to text. Tested by tests/base/decimal_test.cc and tests/fuzz/decimal_fuzz.cc.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/decimal_internal.h"
#include "base/wide_integer.h"

namespace tablecast {

using internal::SmallPowerOfTen;
using internal::WideInteger;

namespace {

constexpr std::size_t kMaxPlainChars = 2000;
// Exponents of texts saturate here: beyond any text that fits in memory, and sums stay in int64.
constexpr std::int64_t kExponentClamp = 1'000'000'000'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Collects significant digits; zeros wait until another digit follows.
class DigitCollector {
 public:
  void Push(char digit) {
    if (digit == '0') {
      if (count_ > 0) ++zeros_;
      return;
    }
    count_ += zeros_ + 1;
    if (count_ > Decimal::kMaxDigits) {
      zeros_ = 0;
      return;
    }
    for (; zeros_ > 0; --zeros_) Append(0);
    Append(static_cast<std::uint64_t>(digit - '0'));
  }
  // Trailing zeros not counted.
  std::int64_t count() const { return count_; }
  std::int64_t trailing_zeros() const { return zeros_; }
  // REQUIRES: at most 19 digits.
  std::uint64_t SmallCoefficient() const { return pending_; }
  WideInteger Coefficient() {
    Flush();
    return coefficient_;
  }

 private:
  void Append(std::uint64_t digit) {
    if (pending_count_ == 19) Flush();
    pending_ = pending_ * 10 + digit;
    ++pending_count_;
  }
  void Flush() {
    if (flushed_) {
      coefficient_.MultiplyAdd(SmallPowerOfTen(pending_count_), pending_);
    } else {
      coefficient_ = WideInteger(pending_);
      flushed_ = true;
    }
    pending_ = 0;
    pending_count_ = 0;
  }

  std::int64_t count_ = 0;
  std::int64_t zeros_ = 0;
  std::uint64_t pending_ = 0;  // the last digits, at most 19, not yet in coefficient_
  int pending_count_ = 0;
  bool flushed_ = false;
  WideInteger coefficient_;
};

Error SyntaxError(std::size_t offset) {
  return MakeError(ErrorCode::kInvalidArgument, "number-syntax", "text is not a decimal number", {},
                   {}, {.line = 0, .column = 0, .offset = offset});
}

// The digits of a coefficient below 10^76.
class CoefficientText {
 public:
  explicit CoefficientText(const std::uint64_t (&limbs)[4]) {
    char* const end = buffer_.data() + buffer_.size();
    if ((limbs[1] | limbs[2] | limbs[3]) == 0) {
      length_ = static_cast<std::size_t>(std::to_chars(buffer_.data(), end, limbs[0]).ptr -
                                         buffer_.data());
      return;
    }
    WideInteger rest;
    std::copy(std::begin(limbs), std::end(limbs), rest.limbs.begin());
    // Groups of 19 digits from the right, then move the result to the front.
    char* p = end;
    while (!rest.IsZero()) {
      std::uint64_t group = rest.DivideBy(SmallPowerOfTen(19));
      const bool last = rest.IsZero();
      for (int i = 0; last ? group != 0 : i < 19; ++i, group /= 10) {
        *--p = static_cast<char>('0' + group % 10);
      }
    }
    length_ = static_cast<std::size_t>(end - p);
    std::memmove(buffer_.data(), p, length_);
  }
  std::string_view view() const { return {buffer_.data(), length_}; }

 private:
  std::array<char, 80> buffer_;
  std::size_t length_ = 0;
};

void AppendScientific(std::string& out, std::string_view digits, std::int64_t magnitude) {
  out += digits[0];
  if (digits.size() > 1) {
    out += '.';
    out += digits.substr(1);
  }
  out += magnitude < 0 ? "E-" : "E+";
  out += std::to_string(std::abs(magnitude));
}

void AppendPlain(std::string& out, std::string_view digits, std::int64_t exponent) {
  if (exponent >= 0) {
    out += digits;
    out.append(static_cast<std::size_t>(exponent), '0');
    return;
  }
  const std::int64_t integer_digits = static_cast<std::int64_t>(digits.size()) + exponent;
  if (integer_digits > 0) {
    out += digits.substr(0, static_cast<std::size_t>(integer_digits));
    out += '.';
    out += digits.substr(static_cast<std::size_t>(integer_digits));
  } else {
    out += "0.";
    out.append(static_cast<std::size_t>(-integer_digits), '0');
    out += digits;
  }
}

}  // namespace

Result<Decimal> Decimal::Parse(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const auto syntax_error = [&] { return SyntaxError(static_cast<std::size_t>(p - text.data())); };
  bool negative = false;
  if (p != end && (*p == '+' || *p == '-')) negative = *p++ == '-';
  DigitCollector digits;
  const char* const integer = p;
  for (; p != end && IsDigit(*p); ++p) digits.Push(*p);
  bool any_digit = p != integer;
  std::int64_t fraction_digits = 0;
  if (p != end && *p == '.') {
    const char* const fraction = ++p;
    for (; p != end && IsDigit(*p); ++p) digits.Push(*p);
    fraction_digits = p - fraction;
    any_digit = any_digit || fraction_digits > 0;
  }
  if (!any_digit) return syntax_error();
  std::int64_t exponent = 0;
  if (p != end) {
    if (*p != 'e' && *p != 'E') return syntax_error();
    ++p;
    bool negative_exponent = false;
    if (p != end && (*p == '+' || *p == '-')) negative_exponent = *p++ == '-';
    if (p == end) return syntax_error();
    for (; p != end; ++p) {
      if (!IsDigit(*p)) return syntax_error();
      exponent = std::min(exponent * 10 + (*p - '0'), kExponentClamp);
    }
    if (negative_exponent) exponent = -exponent;
  }
  if (digits.count() == 0) return Decimal();
  if (digits.count() > kMaxDigits) {
    return MakeError(ErrorCode::kResourceExhausted, "number-digits",
                     "number of " + std::to_string(digits.count()) + " digits; the limit is " +
                         std::to_string(kMaxDigits));
  }
  exponent += digits.trailing_zeros() - fraction_digits;
  const std::int64_t magnitude = exponent + digits.count() - 1;
  if (magnitude > kMaxExponent || magnitude < -kMaxExponent) {
    return MakeError(ErrorCode::kResourceExhausted, "number-exponent",
                     "number beyond 10^" + std::to_string(kMaxExponent) + " or below 10^-" +
                         std::to_string(kMaxExponent));
  }
  if (digits.count() <= 19) {
    return FromParts(negative, digits.SmallCoefficient(), static_cast<std::int32_t>(exponent));
  }
  return internal::NormalDecimal(negative, digits.Coefficient(), exponent);
}

Result<Decimal> Decimal::FromShortestDouble(double value) {
  if (!std::isfinite(value)) {
    return MakeError(ErrorCode::kInvalidArgument, "number-range",
                     "infinity and not-a-number are no decimal numbers");
  }
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific)
          .ptr;
  return Parse({text.data(), static_cast<std::size_t>(end - text.data())});
}

double Decimal::ToDouble() const {
  if (IsZero()) return 0;
  const CoefficientText digits(limbs_);
  std::string text = negative_ ? "-" : "";
  text += digits.view();
  text += 'e' + std::to_string(exponent_);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc::result_out_of_range) return value;
  const double edge = Magnitude() > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return negative_ ? -edge : edge;
}

void Decimal::AppendTo(std::string& out) const {
  const CoefficientText digits(limbs_);
  if (negative_) out += '-';
  const std::int64_t count = static_cast<std::int64_t>(digits.view().size());
  // Characters of the plain form: zeros on the right, or "0." and zeros on the left.
  const std::int64_t plain =
      exponent_ >= 0 ? count + exponent_ : std::max(count, 1 - std::int64_t{exponent_}) + 1;
  if (plain + (negative_ ? 1 : 0) > static_cast<std::int64_t>(kMaxPlainChars)) {
    AppendScientific(out, digits.view(), exponent_ + count - 1);
  } else {
    AppendPlain(out, digits.view(), exponent_);
  }
}

std::string Decimal::ToString() const {
  std::string out;
  AppendTo(out);
  return out;
}

std::string Decimal::ToStringWithScale(int scale) const {
  std::string out;
  AppendTo(out);
  const auto wanted =
      static_cast<std::size_t>(std::clamp(scale, 0, static_cast<int>(kMaxPlainChars)));
  const auto written = static_cast<std::size_t>(Scale());
  if (written >= wanted || out.find('E') != std::string::npos) return out;
  if (written == 0) out += '.';
  out.append(wanted - written, '0');
  return out;
}

std::string Decimal::Digits() const { return std::string(CoefficientText(limbs_).view()); }

}  // namespace tablecast
