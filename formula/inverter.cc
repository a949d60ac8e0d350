// IMPLEMENTATION: the walk, the choice of a rule per node, and the end of the walk at a column. The
// rules themselves are in inverter_text.cc, inverter_number.cc and inverter_choice.cc. Tested by
// tests/formula/inverse_test.cc against brute force.

#include "formula/inverter.h"

#include <algorithm>
#include <utility>

namespace tablecast::formula::internal {

Inversion Inverter::Run(const VirtualCondition& condition) {
  Inversion out;
  const TypedNode& root = tree_[tree_.root];
  ValueType type = definition_type();
  std::string why;
  std::optional<ValueSet> set = internal::SetOf(condition, type, why);
  if (!set) return Refuse(why);
  if (program_.options().scale && root.type == ValueType::kNumber)
    return Refuse("the result is rounded to a scale");
  if (type == ValueType::kDate && root.type == ValueType::kDateTime) DaysToInstants(*set);
  std::vector<ImpliedCondition> conditions;
  bool never = false;
  if (!Descend(tree_.root, *std::move(set), conditions, never)) return Refuse(why_);
  Merge(conditions, never);
  out.never = never;
  out.exact = std::all_of(conditions.begin(), conditions.end(),
                          [](const ImpliedCondition& c) { return c.exact; });
  // Of several conditions none alone is equivalent.
  for (ImpliedCondition& one : conditions) one.exact = one.exact && conditions.size() == 1;
  if (!out.never) out.conditions = std::move(conditions);
  out.why = rule_.empty() ? "no row can have this value" : rule_;
  return out;
}

const ColumnFacts& Inverter::FactsOf(std::string_view column) const {
  static const ColumnFacts kNothingKnown;
  for (auto facts = assumed_.rbegin(); facts != assumed_.rend(); ++facts) {
    if (facts->name == column) return *facts;
  }
  for (const ColumnFacts& facts : columns_) {
    if (facts.name == column) return facts;
  }
  return kNothingKnown;
}

void Inverter::DaysToInstants(ValueSet& set) {
  const auto midnight = [](Date date) { return Value::DateTime(ToTimestamp(date, TimeOfDay{})); };
  const auto after = [&midnight](Date date) {
    return date == kMaxDate ? std::optional<Value>() : midnight(Date{date.days + 1});
  };
  ValueSet out;
  out.blank = set.blank;
  out.exact = set.exact && set.equals.size() <= 1;
  if (!set.equals.empty()) {
    const auto [low, high] =
        std::minmax_element(set.equals.begin(), set.equals.end(),
                            [](const Value& a, const Value& b) { return a.date() < b.date(); });
    out.lower = ValueBound{midnight(low->date()), true};
    if (const auto end = after(high->date())) out.upper = ValueBound{*end, false};
  }
  if (set.lower) {
    const auto start = set.lower->inclusive
                           ? std::optional<Value>(midnight(set.lower->value.date()))
                           : after(set.lower->value.date());
    if (start) out.lower = ValueBound{*start, true};
    if (!start) out.exact = false;
  }
  if (set.upper) {
    const auto end = set.upper->inclusive ? after(set.upper->value.date())
                                          : std::optional<Value>(midnight(set.upper->value.date()));
    if (end) out.upper = ValueBound{*end, false};
    if (!end && !out.lower) out.lower = ValueBound{midnight(kMinDate), true};
  }
  set = std::move(out);
}

bool Inverter::Descend(NodeId id, ValueSet set, std::vector<ImpliedCondition>& out, bool& never) {
  if (set.IsEmpty() && !set.blank) {
    never = true;
    return true;
  }
  const TypedNode& node = tree_[id];
  switch (node.op) {
    case NodeOp::kConstant:
      if (set.Contains(*Constant(id)))
        return No("the definition is a constant that satisfies the condition on every row");
      Rule("constant");
      never = true;
      return true;
    case NodeOp::kField: return AtField(node.payload, set, out, never);
    case NodeOp::kStrict: return AtCall(id, std::move(set), out, never);
    case NodeOp::kCase: return AtCase(id, set, out, never);
    case NodeOp::kIf:
    case NodeOp::kIfs: return AtBranches(id, set, out, never);
    case NodeOp::kCoalesce: {  // K6
      const Value* substitute = Constant(Arg(id, 1));
      if (substitute == nullptr)
        return No("BLANKVALUE with a computed substitute is not invertible");
      Rule("K6");
      set.blank = set.Contains(*substitute);
      return Descend(Arg(id, 0), std::move(set), out, never);
    }
    case NodeOp::kIfError: {
      const Value* substitute = Constant(Arg(id, 1));
      if (substitute == nullptr) return No("IFERROR with a computed substitute is not invertible");
      if (set.Contains(*substitute))
        return No("the substitute of IFERROR satisfies the condition: any bad value may match");
      return Descend(Arg(id, 0), std::move(set), out, never);
    }
    case NodeOp::kAnd: return AtAnd(id, set, out, never);
    case NodeOp::kOr: return AtOr(id, set, out, never);
  }
  return No(std::string(node.name) + " is not invertible");
}

bool Inverter::AtField(std::uint32_t field, const ValueSet& set, std::vector<ImpliedCondition>& out,
                       bool& never) {
  const FieldUse& use = tree_.fields[field];
  const ColumnFacts& facts = FactsOf(field);
  if (use.type != ValueType::kText && use.type != ValueType::kNumber) {
    return No("column " + use.name + " is " + std::string(ValueTypeName(use.type)) +
              ", which no key orders by");
  }
  // A row without the attribute reads as blank (or, in zero mode, as 0).
  const bool zero_mode = use.type == ValueType::kNumber && program_.options().blank_as_zero;
  const bool wants_blank = zero_mode ? set.Contains(Value::Integer(0)) : set.blank;
  if (wants_blank && !facts.is_key) {
    return No("rows without attribute " + use.name + " satisfy the condition as well");
  }
  ImpliedCondition implied;
  implied.column = use.name;
  implied.exact = set.exact;
  if (!ToColumn(set, implied.condition)) return No("no bound on " + use.name + " follows");
  if (implied.condition.never) never = true;
  if (rule_.empty()) Rule("alias");
  rule_ += ": column " + use.name;
  out.push_back(std::move(implied));
  return true;
}

std::optional<AttributeValue> Inverter::Stored(const Value& value) {
  if (value.Is(ValueType::kText)) return AttributeValue::String(std::string(value.text()));
  if (!value.Is(ValueType::kNumber)) return std::nullopt;
  Result<AttributeValue> number = AttributeValue::Number(value.number());
  if (!number.ok()) return std::nullopt;
  return *std::move(number);
}

std::optional<ScalarRange::Bound> Inverter::StoredBound(const ValueBound& bound, Rounding outward) {
  if (const auto exact = Stored(bound.value)) return ScalarRange::Bound{*exact, bound.inclusive};
  if (!bound.value.Is(ValueType::kNumber)) return std::nullopt;
  const auto rounded = Stored(Value::Number(bound.value.number().RoundToDigits({38, outward})));
  if (!rounded) return std::nullopt;
  return ScalarRange::Bound{*rounded, true};
}

bool Inverter::ToColumn(const ValueSet& set, ColumnCondition& condition) {
  if (set.IsEmpty()) {  // only the blank, which a key never is
    condition.never = true;
    return true;
  }
  if (!set.equals.empty()) {
    for (const Value& value : set.equals) {
      if (auto stored = Stored(value)) condition.equals.push_back(*std::move(stored));
    }
    condition.never = condition.equals.empty();
    std::sort(condition.equals.begin(), condition.equals.end(),
              [](const AttributeValue& a, const AttributeValue& b) {
                return a.Is(AttributeType::kS) ? a.text() < b.text()
                                               : a.number_code() < b.number_code();
              });
    return true;
  }
  ScalarRange range;
  if (set.prefix) {
    if (set.prefix->empty()) return false;
    range.prefix = set.prefix;
  } else {
    if (set.lower) range.lower = StoredBound(*set.lower, Rounding::kFloor);
    if (set.upper) range.upper = StoredBound(*set.upper, Rounding::kCeiling);
    if (!range.lower && !range.upper) return false;
  }
  condition.range = std::move(range);
  return true;
}

bool Inverter::AtCall(NodeId id, ValueSet set, std::vector<ImpliedCondition>& out, bool& never) {
  const std::string_view name = tree_[id].name;
  if (const std::optional<Cut> cut = internal::RecogniseCut(tree_, id))
    return AtCut(*cut, set, out, never);
  if (name == "&") return AtConcat(id, set, out, never);
  if (name == "TEXT") return AtText(id, set, out, never);
  if (name == "VALUE") return AtValue(id, set, out, never);
  if (name == "DATEVALUE" || name == "DATETIMEVALUE") return AtDateText(id, set, out, never);
  if (name == "+" || name == "-" || name == "*" || name == "/")
    return AtArithmetic(id, set, out, never);
  if (name == "ROUND") return AtRound(id, set, out, never);
  if (name == "MFLOOR" || name == "FLOOR" || name == "MCEILING" || name == "CEILING" ||
      name == "TRUNC")
    return AtWhole(id, set, out, never);
  if (name == "ABS") return AtAbs(id, set, out, never);
  if (name == "REVERSE") return AtReverse(id, set, out, never);
  if (tree_[id].type == ValueType::kBoolean) return AtPredicate(id, set, out, never);
  return No(std::string(name) + " is not invertible");
}

}  // namespace tablecast::formula::internal
