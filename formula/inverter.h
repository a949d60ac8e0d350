#ifndef TABLECAST_FORMULA_INVERTER_H_
#define TABLECAST_FORMULA_INVERTER_H_

// Carries the allowed values of a definition's root down its normalised tree, one rule of spec
// formula.md section 12 per node, until a field is reached. Each step gives a set that holds every
// value which can lead to an allowed one (SUPERSET) and keeps `exact` only where the rule is an
// equivalence on the row filter. One object per inversion; not thread-safe. Internal to formula/.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.h"
#include "formula/inverse.h"
#include "formula/shapes.h"
#include "formula/typed_tree.h"
#include "formula/value_set.h"

namespace tablecast::formula::internal {

class Inverter {
 public:
  Inverter(const Program& definition, const std::vector<ColumnFacts>& columns)
      : program_(definition), tree_(definition.tree()), columns_(columns) {}
  Inversion Run(const VirtualCondition& condition);

 private:
  ValueType definition_type() const { return program_.result_type(); }
  static Inversion Refuse(std::string why) {
    Inversion out;
    out.why = std::move(why);
    return out;
  }
  bool No(std::string why) {
    why_ = std::move(why);
    return false;
  }
  void Rule(std::string_view rule) {
    if (!rule_.empty()) rule_ += ", ";
    rule_ += rule;
  }
  const ColumnFacts& FactsOf(std::uint32_t field) const {
    return FactsOf(tree_.fields[field].name);
  }
  const ColumnFacts& FactsOf(std::string_view column) const;
  // Makes one condition of those on one column, where that is again a condition.
  static void Merge(std::vector<ImpliedCondition>& conditions, bool& never);
  NodeId Arg(NodeId id, std::size_t i) const { return tree_.ArgumentsOf(id)[i]; }
  const Value* Constant(NodeId id) const { return internal::ConstantOf(tree_, id); }
  bool Calls(NodeId id, std::string_view name) const {
    return tree_[id].op == NodeOp::kStrict && tree_[id].name == name;
  }
  // The declared result is a day of the formula's instants: [d, d + 1).
  static void DaysToInstants(ValueSet& set);
  // Carries the allowed values of node `id` to the columns. False: nothing is implied, why_ says
  // why.
  bool Descend(NodeId id, ValueSet set, std::vector<ImpliedCondition>& out, bool& never);

  // ---- the end: a column ----
  bool AtField(std::uint32_t field, const ValueSet& set, std::vector<ImpliedCondition>& out,
               bool& never);
  // A literal that the store cannot hold is never equal to a stored value.
  static std::optional<AttributeValue> Stored(const Value& value);
  // Rounds a bound outward to what the store can hold; nullopt when the bound is beyond all
  // numbers.
  static std::optional<ScalarRange::Bound> StoredBound(const ValueBound& bound, Rounding outward);
  static bool ToColumn(const ValueSet& set, ColumnCondition& condition);

  // ---- calls ----
  bool AtCall(NodeId id, ValueSet set, std::vector<ImpliedCondition>& out, bool& never);
  // The known literal front of the column up to the k-th delimiter (k >= 1) or of n units, and the
  // rest of the known prefix behind it.
  struct Base {
    std::string base, rest;
  };
  static std::optional<Base> BaseWithDelimiters(const std::string& prefix,
                                                const std::string& delimiter, std::uint32_t k);
  static std::optional<Base> BaseOfUnits(const std::string& prefix, std::int64_t units);
  bool AtCut(const Cut& cut, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  // Constants around one computed part, or (K2) columns joined by constants.
  bool AtConcat(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  // c1 & "d" & c2 ... = lit: every way to read the literal; each column takes its values from them.
  bool AtJoin(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  bool AtReadings(std::span<const NodeId> parts,
                  const std::vector<std::vector<std::string>>& readings, bool exact,
                  std::vector<ImpliedCondition>& out, bool& never);

  // ---- texts of numbers and dates ----
  bool AtText(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  // D6 for ranges: texts of days are ordered as the days are, so a bound on the text is one on the
  // day.
  bool AtTextOfDay(NodeId argument, const ValueSet& set, std::vector<ImpliedCondition>& out,
                   bool& never);
  // The facts of the column that a text expression is cut from.
  const ColumnFacts* FactsUnder(NodeId id) const;
  bool AtValue(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  // DATEVALUE(c), DATETIMEVALUE(c) of texts. Years always have four digits, so bounds by year hold
  // for every spelling; bounds by day need the promise of leading zeros (Db), and of UTC for
  // instants.
  bool AtDateText(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  // DATEVALUE(DateTime), DATETIMEVALUE(Date).
  bool AtDateConversion(NodeId id, ValueSet set, std::vector<ImpliedCondition>& out, bool& never);
  bool AtReverse(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);

  // ---- arithmetic ----
  // x op k and k op x with a constant k. Results are rounded to 39 digits, so a bound on the result
  // is a bound on x only after widening by one unit in the 37th digit of the largest number
  // involved (N1, N2).
  bool AtArithmetic(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                    bool& never);
  // The result is factor * x + shift, or x / factor when `divides`.
  bool Affine(NodeId x, const Decimal& factor, const Decimal& shift, bool divides,
              const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  // N3: halves go away from zero.
  bool AtRound(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  // N7 and its kin (MFLOOR, FLOOR, MCEILING, CEILING, TRUNC): the result is less than one unit away
  // from n, on the side that the function's name says. They round to 33 digits first, hence the
  // slack.
  bool AtWhole(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  // ABS(n) = m: n is m or -m; ABS(n) <= m: -m <= n <= m.
  bool AtAbs(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);

  // ---- choices ----
  // K5: the keys whose result is allowed; with an allowed else value it is a complement, no key
  // condition.
  bool AtCase(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  // K7, for IF and IFS: a row has an allowed value through one of the branches. Proof: if the
  // branch of condition p was taken, p is TRUE and the branch's value is allowed, so both imply
  // what they imply; the else branch implies what its value does. What all branches that can have
  // an allowed value imply together (Union) therefore holds on the row.
  bool AtBranches(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  // OR has to be TRUE: one of its arguments is.
  bool AtOr(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  // One way for a row to satisfy the condition: all of `conditions` hold.
  struct Way {
    std::vector<ImpliedCondition> conditions;
    bool exact = true;  // and the other way round
  };
  // The way that goes through `guard` being TRUE and `value` being allowed (each may be left away).
  // False: nothing follows from it. `never`: no row goes this way.
  bool TakeWay(std::optional<NodeId> guard, std::optional<NodeId> value, const ValueSet& set,
               Way& way, bool& never);
  // What every way implies: on each column that all of them bound, the values of all together.
  bool Union(std::vector<Way> ways, std::vector<ImpliedCondition>& out, bool& never);
  static bool OnlyTrue(const ValueSet& set) {
    return set.equals.size() == 1 && set.equals[0].Is(ValueType::kBoolean) &&
           set.equals[0].boolean() && !set.blank;
  }
  // Each conjunct narrows by itself; those that do not invert leave a superset.
  bool AtAnd(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  // A comparison, BEGINS or IN that has to be TRUE.
  bool AtPredicate(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never);
  bool Comparison(NodeId id, VirtualCondition& inner, NodeId& subject) const;
  const Program& program_;
  const TypedTree& tree_;
  const std::vector<ColumnFacts>& columns_;
  std::vector<ColumnFacts> assumed_;  // what holds within the branch that is looked at
  std::string why_;
  std::string rule_;
};

}  // namespace tablecast::formula::internal

#endif  // TABLECAST_FORMULA_INVERTER_H_
