#include "formula/number_text.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace tablecast::formula {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool IsInNumberRange(const Decimal& value) {
  if (value.IsZero()) return true;
  const std::int32_t magnitude = value.Magnitude();
  return magnitude <= kMaxMagnitude && magnitude >= -kMaxMagnitude;
}

std::optional<Decimal> ParseNumberText(std::string_view text) {
  std::size_t i = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++i;

  // HALF_UP at 39 digits looks at the 40th only: digits behind the 60th cannot change the result.
  constexpr int kKeptDigits = 60;
  std::string digits;
  std::int64_t exponent = 0;
  std::uint64_t small = 0;  // the digits as an integer while there are at most 18
  std::size_t seen = 0;
  const auto take = [&](char c, bool fraction) {
    ++seen;
    if (digits.empty() && c == '0') {
      if (fraction) --exponent;
      return;
    }
    if (static_cast<int>(digits.size()) < kKeptDigits) {
      digits += c;
      if (digits.size() <= 18) small = small * 10 + static_cast<std::uint64_t>(c - '0');
      if (fraction) --exponent;
    } else if (!fraction) {
      ++exponent;
    }
  };
  while (i < text.size() && IsDigit(text[i])) take(text[i++], false);
  const std::size_t whole_digits = seen;
  if (i < text.size() && text[i] == '.') {
    ++i;
    while (i < text.size() && IsDigit(text[i])) take(text[i++], true);
    if (whole_digits == 0 && seen == 0) return std::nullopt;
  }
  if (seen == 0) return std::nullopt;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    const bool minus = i < text.size() && text[i] == '-';
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (i >= text.size()) return std::nullopt;
    std::int64_t written = 0;
    for (; i < text.size() && IsDigit(text[i]); ++i)
      written = std::min<std::int64_t>(written * 10 + (text[i] - '0'), 1'000'000'000);
    if (!IsDigit(text[i - 1])) return std::nullopt;
    exponent += minus ? -written : written;
  }
  if (i != text.size()) return std::nullopt;
  if (digits.empty()) return Decimal();
  const std::int64_t magnitude = exponent + static_cast<std::int64_t>(digits.size()) - 1;
  if (magnitude > kMaxMagnitude || magnitude < -kMaxMagnitude) return std::nullopt;
  if (digits.size() <= 18)
    return Decimal::FromParts(negative, small, static_cast<std::int32_t>(exponent));
  const Result<Decimal> parsed =
      Decimal::Parse((negative ? "-" : "") + digits + "e" + std::to_string(exponent));
  if (!parsed.ok()) return std::nullopt;
  return parsed->RoundToDigits(Decimal::kFormula);
}

}  // namespace tablecast::formula
