// IMPLEMENTATION: the rules for choices and for predicates used as Boolean columns (K5, K7 of spec
// formula.md 12.3). Tested by tests/formula/inverse_test.cc.

#include <algorithm>
#include <utility>

#include "formula/inverter.h"

namespace tablecast::formula::internal {

bool Inverter::AtCase(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                      bool& never) {
  const auto arguments = tree_.ArgumentsOf(id);
  const Value* otherwise = Constant(arguments.back());
  if (otherwise == nullptr) return No("CASE with computed results is not inverted");
  if (set.Contains(*otherwise)) return No("the else value of CASE satisfies the condition");
  ValueSet keys;
  keys.exact = set.exact;
  std::vector<Value> seen;
  for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
    const Value* key = Constant(arguments[i]);
    const Value* result = Constant(arguments[i + 1]);
    if (key == nullptr || result == nullptr)
      return No("CASE with computed keys or results is not inverted");
    if (std::find(seen.begin(), seen.end(), *key) != seen.end())
      continue;  // an earlier equal key wins
    seen.push_back(*key);
    if (!set.Contains(*result)) continue;
    if (key->IsBlank()) {
      keys.blank = keys.blank || tree_[id].text_keys;
    } else {
      keys.equals.push_back(*key);
    }
  }
  Rule("K5");
  return Descend(arguments[0], std::move(keys), out, never);
}

bool Inverter::TakeWay(std::optional<NodeId> guard, std::optional<NodeId> value,
                       const ValueSet& set, Way& way, bool& never) {
  const Value* constant = value ? Constant(*value) : nullptr;
  if (constant != nullptr && !set.Contains(*constant)) {
    never = true;
    return true;
  }
  bool narrows = false;
  if (guard) {
    ValueSet truth;
    truth.equals.push_back(Value::Boolean(true));
    if (Descend(*guard, std::move(truth), way.conditions, never)) {
      narrows = true;
    } else {
      way.exact = false;
    }
    if (never) return true;
  }
  if (value && constant == nullptr) {
    // Where the guard fixes the front of a column, a cut behind that front inverts.
    const std::size_t before = assumed_.size();
    for (const ImpliedCondition& one : way.conditions) {
      const std::optional<ScalarRange>& range = one.condition.range;
      if (!range || !range->prefix) continue;
      ColumnFacts facts = FactsOf(one.column);
      if (facts.literal_prefix.size() >= range->prefix->size()) continue;
      facts.name = one.column;
      facts.literal_prefix = *range->prefix;
      assumed_.push_back(std::move(facts));
    }
    if (Descend(*value, set, way.conditions, never)) {
      narrows = true;
    } else {
      way.exact = false;
    }
    assumed_.resize(before);
    if (never) return true;
  }
  Merge(way.conditions, never);
  for (const ImpliedCondition& one : way.conditions) way.exact = way.exact && one.exact;
  return narrows || never;
}

bool Inverter::AtBranches(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                          bool& never) {
  const auto arguments = tree_.ArgumentsOf(id);  // p1, x1, p2, x2, ..., else
  Rule("K7");
  std::vector<Way> ways;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const bool otherwise = i + 1 == arguments.size();
    Way way;
    // That no earlier condition was TRUE is not looked at.
    way.exact = set.exact && i == 0;
    bool way_never = false;
    const bool known = otherwise ? TakeWay(std::nullopt, arguments[i], set, way, way_never)
                                 : TakeWay(arguments[i], arguments[i + 1], set, way, way_never);
    if (!known) {
      if (otherwise && Constant(arguments[i]) != nullptr)
        return No("the else branch of " + std::string(tree_[id].name) + " satisfies the condition");
      return false;
    }
    if (!way_never) ways.push_back(std::move(way));
  }
  return Union(std::move(ways), out, never);
}

bool Inverter::AtOr(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                    bool& never) {
  if (!OnlyTrue(set)) return No("OR inverts when it has to be TRUE");
  std::vector<Way> ways;
  for (const NodeId argument : tree_.ArgumentsOf(id)) {
    Way way;
    way.exact = set.exact;
    bool way_never = false;
    if (!TakeWay(argument, std::nullopt, set, way, way_never)) return false;
    if (!way_never) ways.push_back(std::move(way));
  }
  return Union(std::move(ways), out, never);
}

bool Inverter::AtAnd(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                     bool& never) {
  if (!OnlyTrue(set)) return No("AND inverts when it has to be TRUE");
  std::vector<ImpliedCondition> found;
  bool all = true;
  for (const NodeId conjunct : tree_.ArgumentsOf(id)) {
    ValueSet truth = set;
    bool conjunct_never = false;
    if (!Descend(conjunct, std::move(truth), found, conjunct_never)) all = false;
    never = never || conjunct_never;
  }
  if (found.empty() && !never) return false;
  for (ImpliedCondition& one : found) {
    one.exact = one.exact && all;
    out.push_back(std::move(one));
  }
  return true;
}

bool Inverter::AtPredicate(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                           bool& never) {
  const TypedNode& node = tree_[id];
  if (!OnlyTrue(set)) return No(std::string(node.name) + " inverts when it has to be TRUE");
  if (node.name == "ISBLANK") {
    ValueSet nothing;
    nothing.blank = true;
    nothing.exact = set.exact;
    return Descend(Arg(id, 0), std::move(nothing), out, never);
  }
  VirtualCondition inner;
  NodeId subject = node.argument_count > 0 ? Arg(id, 0) : 0;
  if (node.name == "BEGINS" && Constant(Arg(id, 1)) != nullptr &&
      !Constant(Arg(id, 1))->IsBlank()) {
    inner.op = ConditionOp::kStartsWith;
    inner.literals.push_back(*Constant(Arg(id, 1)));
  } else if (node.name == "IN") {
    inner.op = ConditionOp::kIn;
    for (std::size_t i = 1; i < node.argument_count; ++i) {
      if (Constant(Arg(id, i)) == nullptr) return No("IN with computed values is not inverted");
      if (!Constant(Arg(id, i))->IsBlank()) inner.literals.push_back(*Constant(Arg(id, i)));
    }
  } else if (!Comparison(id, inner, subject)) {
    return No(std::string(node.name) + " is not invertible");
  }
  std::string why;
  std::optional<ValueSet> values = internal::SetOf(inner, tree_[subject].type, why);
  if (!values) return No(why);
  values->exact = set.exact;
  return Descend(subject, *std::move(values), out, never);
}

bool Inverter::Comparison(NodeId id, VirtualCondition& inner, NodeId& subject) const {
  struct Spelling {
    std::string_view name;
    ConditionOp op, turned;
  };
  static constexpr Spelling kSpellings[] = {{"=", ConditionOp::kEq, ConditionOp::kEq},
                                            {"<", ConditionOp::kLt, ConditionOp::kGt},
                                            {"<=", ConditionOp::kLe, ConditionOp::kGe},
                                            {">", ConditionOp::kGt, ConditionOp::kLt},
                                            {">=", ConditionOp::kGe, ConditionOp::kLe}};
  for (const Spelling& spelling : kSpellings) {
    if (spelling.name != tree_[id].name) continue;
    const bool turned = Constant(Arg(id, 0)) != nullptr;
    subject = Arg(id, turned ? 1 : 0);
    const Value* literal = Constant(Arg(id, turned ? 0 : 1));
    if (literal == nullptr || Constant(subject) != nullptr) return false;
    // A blank never compares as TRUE, except that text equals a blank text.
    inner.op = turned ? spelling.turned : spelling.op;
    inner.literals.push_back(*literal);
    return !literal->IsBlank() ||
           (inner.op == ConditionOp::kEq && tree_[subject].type == ValueType::kText);
  }
  return false;
}

}  // namespace tablecast::formula::internal
