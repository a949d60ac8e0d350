#ifndef TABLECAST_FORMULA_NUMBER_TEXT_H_
#define TABLECAST_FORMULA_NUMBER_TEXT_H_

// Number texts of the formula language: literals and the argument of VALUE and ISNUMBER.
// SOURCE: spec formula.md section 5.

#include <optional>
#include <string_view>

#include "base/decimal.h"

namespace tablecast::formula {

// Largest and smallest power of ten that numbers may reach: 10^±1000. Results beyond are errors, so
// that no text can make a number whose digits fill memory.
inline constexpr int kMaxMagnitude = 1000;

// `[+-] (digits [. digits*] | . digits) [(e|E) [+-] digits]`, ASCII, the whole text; rounded to 39
// digits. nullopt for anything else and for magnitudes beyond kMaxMagnitude. COST: linear, whatever
// the exponent says.
std::optional<Decimal> ParseNumberText(std::string_view text);

// True when `value` is zero or within kMaxMagnitude.
bool IsInNumberRange(const Decimal& value);

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_NUMBER_TEXT_H_
