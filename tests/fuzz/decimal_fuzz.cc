// Reads two numbers, separated by a blank: text must survive a round trip and the arithmetic must
// obey the laws that hold under rounding.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/decimal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tablecast::Decimal;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t blank = text.find(' ');
  const auto a = Decimal::Parse(text.substr(0, blank));
  if (!a.ok()) {
    const std::string& reason = a.error().reason;
    TABLECAST_CHECK(reason == "number-syntax" || reason == "number-digits" ||
                    reason == "number-exponent");
    return 0;
  }
  const auto same = Decimal::Parse(a->ToString());
  TABLECAST_CHECK(same.ok() && *same == *a);
  TABLECAST_CHECK(a->Negated().Negated() == *a);
  TABLECAST_CHECK(a->DigitCount() == static_cast<int>(a->Digits().size()));
  TABLECAST_CHECK(a->IsZero() || a->RoundToScale(a->Scale(), tablecast::Rounding::kUp) == *a);
  if (const auto whole = a->ToInt64()) TABLECAST_CHECK(Decimal(*whole) == *a);
  if (blank == std::string_view::npos) return 0;
  const auto b = Decimal::Parse(text.substr(blank + 1));
  if (!b.ok()) return 0;
  for (const int digits : {1, 19, 38, 39, 76}) {
    const Decimal::Context context{digits, tablecast::Rounding::kHalfEven};
    const Decimal sum = Add(*a, *b, context);
    TABLECAST_CHECK(sum == Add(*b, *a, context));
    TABLECAST_CHECK(sum == Subtract(*a, b->Negated(), context));
    TABLECAST_CHECK(sum.DigitCount() <= digits);
    const Decimal product = Multiply(*a, *b, context);
    TABLECAST_CHECK(product == Multiply(*b, *a, context));
    TABLECAST_CHECK(product.Negated() == Multiply(a->Negated(), *b, context));
    const auto quotient = Divide(*a, *b, context);
    TABLECAST_CHECK(quotient.ok() != b->IsZero());
  }
  const bool less = *a < *b;
  const Decimal difference = Subtract(*a, *b, Decimal::kStored);
  TABLECAST_CHECK(less == difference.IsNegative());
  TABLECAST_CHECK((*a == *b) == difference.IsZero());
  const auto rest = Remainder(*a, *b);
  if (rest.ok()) TABLECAST_CHECK(rest->Abs() < b->Abs());
  static_cast<void>(Power(*a, b->ToInt64Saturated(), Decimal::kFormula));
  return 0;
}
