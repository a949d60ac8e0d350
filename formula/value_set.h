#ifndef TABLECAST_FORMULA_VALUE_SET_H_
#define TABLECAST_FORMULA_VALUE_SET_H_

// The set of values that a condition allows for an expression, and its images under the cuts and
// concatenations of spec formula.md section 12. Internal to formula/.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formula/inverse.h"
#include "formula/value.h"

namespace tablecast::formula::internal {

// The first text after all that begin with `text`: its last code point raised by one, over the
// surrogate gap; code points 10FFFF at the end are dropped. nullopt when there is none.
std::optional<std::string> TextSuccessor(std::string_view text);

struct ValueBound {
  Value value;
  bool inclusive = true;
};

// One of: equals, prefix, range; and the blank when `blank`. With nothing set it is the blank alone
// (or nothing at all). `exact` is false when the set may be larger than the condition allows.
struct ValueSet {
  std::vector<Value> equals;
  std::optional<std::string> prefix;
  std::optional<ValueBound> lower;
  std::optional<ValueBound> upper;
  bool blank = false;
  bool exact = true;

  bool IsRange() const { return lower.has_value() || upper.has_value(); }
  // No value but perhaps the blank.
  bool IsEmpty() const { return equals.empty() && !prefix && !IsRange(); }
  bool Contains(const Value& value) const;
};

// nullopt: not expressible as a set (`<>`, a literal of another type); `why` says so.
std::optional<ValueSet> SetOf(const VirtualCondition& condition, ValueType type, std::string& why);

// Text sets. Each maps the allowed values of an expression to the allowed values of its one
// argument.

// The expression is its argument without the fixed front `base`, and on every row the argument
// begins with `base` + `rest` (rules T1..T8, Tk, Tl).
ValueSet BehindBase(const ValueSet& set, std::string_view base, std::string_view rest);
// The expression is the argument's part before the first `delimiter` (H1..H7). nullopt: includes
// blank.
std::optional<ValueSet> BeforeDelimiter(const ValueSet& set, std::string_view delimiter);
// The expression is the argument's first `count` units (K3). nullopt: includes blank.
std::optional<ValueSet> FirstUnits(const ValueSet& set, std::int64_t count);
// The expression is front + argument + back (K1, K8, K9). nullopt: nothing follows for the
// argument.
std::optional<ValueSet> InsideAffix(const ValueSet& set, std::string_view front,
                                    std::string_view back);

// Several prefixes as one set: the range that covers them.
ValueSet CoverPrefixes(std::vector<std::string> prefixes);

}  // namespace tablecast::formula::internal

#endif  // TABLECAST_FORMULA_VALUE_SET_H_
