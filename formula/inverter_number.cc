// IMPLEMENTATION: the rules for arithmetic and rounding (N1, N2, N3, N7 of spec formula.md 12.3).
// Tested by tests/formula/inverse_test.cc.

#include <algorithm>
#include <utility>

#include "formula/inverter.h"

namespace tablecast::formula::internal {

bool Inverter::AtArithmetic(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                            bool& never) {
  const TypedNode& node = tree_[id];
  if (node.type != ValueType::kNumber) return No("date arithmetic is not inverted");
  if (set.blank) return No("blank results fit no key condition");
  if (node.argument_count == 1)
    return Affine(Arg(id, 0), Decimal(-1), Decimal(), false, set, out, never);
  const NodeId left = Arg(id, 0);
  const NodeId right = Arg(id, 1);
  if (tree_[left].type != ValueType::kNumber || tree_[right].type != ValueType::kNumber) {
    return No("date arithmetic is not inverted");
  }
  const Value* constant_left = Constant(left);
  const Value* constant_right = Constant(right);
  if ((constant_left == nullptr) == (constant_right == nullptr))
    return No("both operands of " + std::string(node.name) + " vary");
  const Value& constant = constant_left != nullptr ? *constant_left : *constant_right;
  const NodeId varying = constant_left != nullptr ? right : left;
  if (constant.IsBlank()) return No("arithmetic with NULL is blank");
  const Decimal k = constant.number();
  Rule("N1");
  if (node.name == "+") return Affine(varying, Decimal(1), k, false, set, out, never);
  if (node.name == "-" && constant_right != nullptr)
    return Affine(varying, Decimal(1), k.Negated(), false, set, out, never);
  if (node.name == "-") return Affine(varying, Decimal(-1), k, false, set, out, never);
  if (k.IsZero()) return No("the factor is 0");
  if (node.name == "*") return Affine(varying, k, Decimal(), false, set, out, never);
  if (constant_left != nullptr) return No("division by the column is not inverted");
  return Affine(varying, k, Decimal(), true, set, out, never);
}

bool Inverter::Affine(NodeId x, const Decimal& factor, const Decimal& shift, bool divides,
                      const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
  constexpr Decimal::Context kWide{70, Rounding::kHalfUp};
  const auto solve = [&](const Decimal& result) -> Decimal {
    const Decimal moved = Subtract(result, shift, kWide);
    if (divides) return Multiply(moved, factor, kWide);
    const Result<Decimal> quotient = Divide(moved, factor, kWide);
    return quotient.ok() ? *quotient : Decimal();
  };
  const auto slack = [&](const Decimal& result) {
    const Decimal largest = std::max(result.Abs(), shift.Abs());
    const Decimal relative = Multiply(largest, Decimal::FromParts(false, 1, -36), kWide);
    if (divides) return Multiply(relative, factor.Abs(), kWide);
    const Result<Decimal> quotient = Divide(relative, factor.Abs(), kWide);
    return quotient.ok() ? *quotient : Decimal();
  };
  const auto down = [&](const Decimal& r) {
    return Value::Number(Subtract(solve(r), slack(r), kWide).RoundToDigits({38, Rounding::kFloor}));
  };
  const auto up = [&](const Decimal& r) {
    return Value::Number(Add(solve(r), slack(r), kWide).RoundToDigits({38, Rounding::kCeiling}));
  };
  std::optional<Decimal> low;
  std::optional<Decimal> high;
  if (!set.equals.empty()) {
    const auto [least, most] =
        std::minmax_element(set.equals.begin(), set.equals.end(),
                            [](const Value& a, const Value& b) { return a.number() < b.number(); });
    low = least->number();
    high = most->number();
  }
  if (set.lower) low = set.lower->value.number();
  if (set.upper) high = set.upper->value.number();
  if (factor.IsNegative()) std::swap(low, high);
  ValueSet inner;
  inner.exact = false;
  if (low) inner.lower = ValueBound{down(*low), true};
  if (high) inner.upper = ValueBound{up(*high), true};
  return Descend(x, std::move(inner), out, never);
}

bool Inverter::AtRound(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                       bool& never) {
  const Value* digits = Constant(Arg(id, 1));
  if (digits == nullptr || !digits->Is(ValueType::kNumber) || set.blank)
    return No("ROUND to computed digits is not inverted");
  const std::int64_t scale =
      std::clamp<std::int64_t>(digits->number().ToInt64Saturated(), -100, 100);
  const Decimal half = Decimal::FromParts(false, 5, static_cast<std::int32_t>(-scale - 1));
  constexpr Decimal::Context kWide{70, Rounding::kHalfUp};
  ValueSet inner;
  Rule("N3");
  if (!set.equals.empty()) {
    const auto [least, most] =
        std::minmax_element(set.equals.begin(), set.equals.end(),
                            [](const Value& a, const Value& b) { return a.number() < b.number(); });
    const Decimal low = least->number();
    const Decimal high = most->number();
    const bool single = set.equals.size() == 1;
    if (single && !(low.RoundToScale(scale, Rounding::kDown) == low)) {
      never = true;
      return true;
    }
    inner.exact = set.exact && single;
    const bool negative = low.IsNegative() || low.IsZero();
    inner.lower = ValueBound{Value::Number(Subtract(low, half, kWide)), !negative};
    const bool positive = !high.IsNegative();
    inner.upper = ValueBound{Value::Number(Add(high, half, kWide)), !positive};
    return Descend(Arg(id, 0), std::move(inner), out, never);
  }
  inner.exact = false;
  if (set.lower)
    inner.lower = ValueBound{Value::Number(Subtract(set.lower->value.number(), half, kWide)), true};
  if (set.upper)
    inner.upper = ValueBound{Value::Number(Add(set.upper->value.number(), half, kWide)), true};
  return Descend(Arg(id, 0), std::move(inner), out, never);
}

bool Inverter::AtWhole(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                       bool& never) {
  const std::string_view name = tree_[id].name;
  if (set.blank) return No(std::string(name) + " of a blank is blank, which no key holds");
  std::int64_t scale = 0;
  if (name == "TRUNC") {
    const Value* digits = Constant(Arg(id, 1));
    if (digits == nullptr || !digits->Is(ValueType::kNumber))
      return No("TRUNC to computed digits is not inverted");
    scale = std::clamp<std::int64_t>(digits->number().ToInt64Saturated(), -100, 100);
  }
  std::optional<Decimal> low;
  std::optional<Decimal> high;
  for (const Value& literal : set.equals) {  // no result has more digits
    const Decimal& number = literal.number();
    if (!(number.RoundToScale(scale, Rounding::kDown) == number)) continue;
    if (!low || number < *low) low = number;
    if (!high || *high < number) high = number;
  }
  if (!set.equals.empty() && !low) {
    never = true;
    return true;
  }
  if (set.lower) low = set.lower->value.number();
  if (set.upper) high = set.upper->value.number();
  constexpr Decimal::Context kWide{120, Rounding::kHalfUp};
  const Decimal unit = Decimal::FromParts(false, 1, static_cast<std::int32_t>(-scale));
  const Decimal zero;
  // How far n may lie below the least and above the greatest result.
  const bool floors = name == "MFLOOR";
  const bool ceils = name == "MCEILING";
  const bool away = name == "CEILING";
  const auto reach = [&](const Decimal& bound, bool reaches) {
    const Decimal size = Add(bound.Abs(), unit, kWide);
    const Decimal slack = Multiply(size, Decimal::FromParts(false, 1, -31), kWide);
    return reaches ? Add(unit, slack, kWide) : slack;
  };
  ValueSet inner;
  inner.exact = false;
  if (low) {
    const bool below = ceils || (!floors && (away ? *low > zero : !(*low > zero)));
    inner.lower = ValueBound{Value::Number(Subtract(*low, reach(*low, below), kWide)), true};
  }
  if (high) {
    const bool above = floors || (!ceils && (away ? *high < zero : !(*high < zero)));
    inner.upper = ValueBound{Value::Number(Add(*high, reach(*high, above), kWide)), true};
  }
  Rule("N7");
  return Descend(Arg(id, 0), std::move(inner), out, never);
}

bool Inverter::AtAbs(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                     bool& never) {
  if (set.blank) return No("ABS of a blank is blank, which no key holds");
  ValueSet inner;
  inner.exact = set.exact;
  for (const Value& literal : set.equals) {
    if (literal.number().IsNegative()) continue;
    inner.equals.push_back(literal);
    if (!literal.number().IsZero())
      inner.equals.push_back(Value::Number(literal.number().Negated()));
  }
  if (set.IsRange()) {
    if (!set.upper) return No("ABS inverts for equality and upper bounds");
    const ValueBound& bound = *set.upper;
    if (bound.value.number().IsNegative()) {
      never = true;
      return true;
    }
    inner.exact = inner.exact && !set.lower;
    inner.upper = bound;
    inner.lower = ValueBound{Value::Number(bound.value.number().Negated()), bound.inclusive};
  }
  Rule("ABS");
  return Descend(Arg(id, 0), std::move(inner), out, never);
}

}  // namespace tablecast::formula::internal
