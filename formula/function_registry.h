#ifndef TABLECAST_FORMULA_FUNCTION_REGISTRY_H_
#define TABLECAST_FORMULA_FUNCTION_REGISTRY_H_

// The functions of the formula language: one entry each, with its overloads, null rule,
// documentation line and examples. The checker, the evaluator, docs/formula.md and the tests all
// read these entries.
//
// The registry is an immutable view of constant tables (functions_*.cc): cheap to copy, passed by
// reference, never a mutable global.

#include <cstdint>
#include <span>
#include <string_view>

#include "formula/value.h"

namespace tablecast::formula {

namespace internal {
class Arguments;
class KernelContext;
// Computes one call. REQUIRES: arguments of the overload's types, or blank. Returns false when the
// context holds an error.
using Kernel = bool (*)(Arguments arguments, KernelContext& context, Value& result);
}  // namespace internal

// What a parameter accepts.
enum class ParameterType : std::uint8_t {
  kText,
  kNumber,
  kBoolean,
  kDate,
  kDateTime,
  kTime,
};

// What happens before the kernel sees blank arguments.
enum class NullRule : std::uint8_t {
  kBlankInBlankOut,  // any blank argument gives blank; the kernel never sees one
  kKernelDecides,    // the kernel handles blanks itself
};

// One accepted list of argument types.
struct Overload {
  // At most 4 parameters; the last repeats when `variadic`.
  std::uint8_t count = 0;
  ParameterType parameters[4] = {};
  ValueType result = ValueType::kText;
  bool variadic = false;
  bool null_literal = true;     // the literal NULL fits every parameter
  bool identity = false;        // the call is its first argument
  bool qualifier_only = false;  // F16 identities
};

// Functions whose checking or laziness no list of overloads expresses.
enum class SpecialForm : std::uint8_t {
  kNone,
  kAnd,
  kOr,
  kNot,
  kIf,
  kIfs,
  kCase,
  kIfError,
  kIn,
  kIsBlank,
  kIsNull,
  kBlankValue,
  kNullValue,
};

enum class Purity : std::uint8_t { kPure, kClock };

struct FunctionExample {
  std::string_view formula;
  // Value::ToString of the result, "error", or "reject".
  std::string_view result;
};

struct FunctionEntry {
  std::string_view name = {};
  std::string_view family = {};      // "Text", "Logic", "Math", "Date and time"
  std::string_view parameters = {};  // as documented: "text, start, [length]"
  std::span<const Overload> overloads = {};
  SpecialForm special = SpecialForm::kNone;
  NullRule null_rule = NullRule::kBlankInBlankOut;
  Purity purity = Purity::kPure;
  internal::Kernel kernel = nullptr;  // null for special forms and refused functions
  std::string_view doc = {};          // one line, no full stop
  std::span<const FunctionExample> examples = {};
  // Not offered: why, and what to use instead. Calls are compile errors "formula-unsupported".
  std::string_view refused = {};
};

class FunctionRegistry {
 public:
  // Every function of spec formula.md section 8.
  static FunctionRegistry Standard();
  explicit FunctionRegistry(std::span<const std::span<const FunctionEntry>> families)
      : families_(families) {}

  // Any letter case; nullptr when unknown. COST: one pass over the tables, at compile time only.
  const FunctionEntry* Find(std::string_view name) const;
  std::span<const std::span<const FunctionEntry>> families() const { return families_; }

 private:
  std::span<const std::span<const FunctionEntry>> families_;
};

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_FUNCTION_REGISTRY_H_
