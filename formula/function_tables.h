#ifndef TABLECAST_FORMULA_FUNCTION_TABLES_H_
#define TABLECAST_FORMULA_FUNCTION_TABLES_H_

// What the families' tables (functions_*.cc) are written with. Internal to formula/.

#include "formula/function_registry.h"
#include "formula/kernel.h"

namespace tablecast::formula::internal {

using P = ParameterType;

// An overload with these parameters: Takes(ValueType::kText, P::kText, P::kNumber).
template <class... Parameters>
constexpr Overload Takes(ValueType result, Parameters... parameters) {
  static_assert(sizeof...(Parameters) <= 4);
  Overload overload;
  overload.count = sizeof...(Parameters);
  overload.result = result;
  [[maybe_unused]] std::size_t i = 0;
  ((overload.parameters[i++] = parameters), ...);
  return overload;
}
constexpr Overload WithoutNull(Overload overload) {
  overload.null_literal = false;
  return overload;
}
// F16: an identity of qualifier mode.
constexpr Overload QualifierIdentity(ValueType result, P parameter) {
  Overload overload = Takes(result, parameter);
  overload.qualifier_only = true;
  overload.identity = true;
  overload.null_literal = false;
  return overload;
}
constexpr Overload Identity(Overload overload) {
  overload.identity = true;
  return overload;
}
constexpr Overload Variadic(Overload overload) {
  overload.variadic = true;
  return overload;
}

// "Beyond the largest number" check and store. False (and an error) when out of range.
bool SetNumber(KernelContext& context, Value& result, const Decimal& number);

std::span<const FunctionEntry> TextFunctions();
std::span<const FunctionEntry> TextPatternFunctions();
std::span<const FunctionEntry> LogicFunctions();
std::span<const FunctionEntry> MathFunctions();
std::span<const FunctionEntry> DateFunctions();
std::span<const FunctionEntry> RefusedFunctions();

}  // namespace tablecast::formula::internal

#endif  // TABLECAST_FORMULA_FUNCTION_TABLES_H_
