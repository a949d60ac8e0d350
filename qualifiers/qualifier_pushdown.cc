// IMPLEMENTATION: two roads from conditions on virtual columns to conditions on stored ones. The
// forward road inverts the read formula of one virtual column (formula/inverse.h). The inverse road
// evaluates a written inverse, when it is proved or trusted, over what the query binds. Both only
// narrow: the caller evaluates the virtual condition again on every row. Tested by pushdown_test,
// where no row is lost on random data.

#include <algorithm>
#include <map>

#include "base/utf8.h"
#include "qualifiers/column_condition.h"
#include "qualifiers/compiled_impl.h"

namespace tablecast {
namespace {

using PushOp = CompiledQualifier::PushOp;
using VirtualCondition = CompiledQualifier::VirtualCondition;
using PhysicalCondition = CompiledQualifier::PhysicalCondition;
using Pushdown = CompiledQualifier::Pushdown;

// Combinations of IN lists that an inverse over several columns is evaluated for.
constexpr std::size_t kMaxCombinations = 100;

std::optional<formula::ConditionOp> ToFormulaOp(PushOp op) {
  switch (op) {
    case PushOp::kEq: return formula::ConditionOp::kEq;
    case PushOp::kNe: return formula::ConditionOp::kNe;
    case PushOp::kLt: return formula::ConditionOp::kLt;
    case PushOp::kLe: return formula::ConditionOp::kLe;
    case PushOp::kGt: return formula::ConditionOp::kGt;
    case PushOp::kGe: return formula::ConditionOp::kGe;
    case PushOp::kStartsWith: return formula::ConditionOp::kStartsWith;
    case PushOp::kIn: return formula::ConditionOp::kIn;
  }
  return std::nullopt;
}

std::string ConditionText(const VirtualCondition& condition) {
  constexpr std::string_view kOps[] = {
      " = ", " <> ", " < ", " <= ", " > ", " >= ", " begins with ", " in "};
  std::string text = condition.column + std::string(kOps[static_cast<std::size_t>(condition.op)]);
  const bool list = condition.op == PushOp::kIn;
  if (list) text += '(';
  for (std::size_t i = 0; i < condition.literals.size(); ++i) {
    if (i > 0) text += ", ";
    if (i == 5) {
      text += "…";
      break;
    }
    std::string literal;
    AppendPrintable(literal, condition.literals[i].Is(formula::ValueType::kText)
                                 ? condition.literals[i].text()
                                 : condition.literals[i].ToString());
    text += condition.literals[i].Is(formula::ValueType::kText) ? "'" + literal + "'" : literal;
  }
  return list ? text + ")" : text;
}

bool BindsValue(const VirtualCondition& condition) {
  return (condition.op == PushOp::kEq || condition.op == PushOp::kIn) &&
         std::none_of(condition.literals.begin(), condition.literals.end(),
                      [](const formula::Value& literal) { return literal.IsBlank(); });
}

// Field values given by slot; everything else is blank.
class BoundValues final : public formula::FieldReader {
 public:
  void Set(Slot slot, const formula::Value* value) { values_.emplace_back(slot, value); }
  void Clear() { values_.clear(); }
  formula::Value Read(Slot slot) const override {
    for (const auto& [bound, value] : values_) {
      if (bound == slot) return *value;
    }
    return {};
  }

 private:
  std::vector<std::pair<Slot, const formula::Value*>> values_;
};

struct Pusher {
  const CompiledQualifier& qualifier;
  const CompiledQualifier::Impl& impl;
  const std::vector<std::string>& attributes;
  const std::vector<VirtualCondition>& bound;
  Pushdown result;
  std::vector<bool> used;
  std::vector<std::string> reasons;

  void Add(PhysicalCondition condition) {
    const auto same = std::find_if(
        result.conditions.begin(), result.conditions.end(), [&](const PhysicalCondition& other) {
          return other.attribute == condition.attribute && other.condition == condition.condition;
        });
    if (same == result.conditions.end())
      result.conditions.push_back(std::move(condition));
    else
      same->exact = same->exact || condition.exact;
  }

  // Conditions of one column, the ones that bind a value first.
  std::map<std::string, std::vector<std::size_t>, std::less<>> bound_of;

  void IndexBound() {
    for (const bool values : {true, false}) {
      for (std::size_t i = 0; i < bound.size(); ++i) {
        if (BindsValue(bound[i]) == values) bound_of[bound[i].column].push_back(i);
      }
    }
  }

  const VirtualCondition* Bound(std::string_view column) const {
    const auto found = bound_of.find(column);
    if (found == bound_of.end()) return nullptr;
    for (const std::size_t i : found->second) {
      if (BindsValue(bound[i]) || bound[i].op == PushOp::kStartsWith) return &bound[i];
    }
    return nullptr;
  }

  void MarkUsed(std::string_view column) {
    for (const std::size_t i : bound_of.find(column)->second) {
      if (BindsValue(bound[i]) || bound[i].op == PushOp::kStartsWith) used[i] = true;
    }
  }

  // ---- forward road ----
  void Forward(std::size_t index) {
    const VirtualCondition& condition = bound[index];
    const VirtualColumn* column = qualifier.FindVirtual(condition.column);
    if (column == nullptr) {
      reasons[index] = "`" + condition.column + "` is no virtual column";
      return;
    }
    if (column->candidates.size() != 1) {
      reasons[index] =
          "`" + column->name + "` has several definitions, and which one holds depends on the row";
      return;
    }
    const formula::Program& program = *column->candidates.front();
    for (const formula::FieldUse& use : program.fields()) {
      if (use.slot < attributes.size()) continue;
      reasons[index] =
          "`" + column->name + "` is computed from the virtual column `" + use.name + "`";
      return;
    }
    const auto op = ToFormulaOp(condition.op);
    const formula::Inversion inversion =
        formula::Invert(program, impl.FactsFor(program), {*op, condition.literals});
    if (!inversion.narrows()) {
      reasons[index] = inversion.why;
      return;
    }
    // Inversion reasons about texts; where numbers are read as their text it would lose their rows.
    for (const formula::ImpliedCondition& implied : inversion.conditions) {
      if (!impl.MayReadNumbersAsText(implied.column)) continue;
      reasons[index] = "`" + implied.column +
                       "` has no declared type, so numbers in it are read as text; declare "
                       "\"type\": \"S\" if it holds text only";
      return;
    }
    used[index] = true;
    if (inversion.never) {
      const std::string attribute =
          program.fields().empty() ? "" : attributes[program.fields().front().slot];
      Add({attribute,
           {.equals = {}, .range = {}, .never = true},
           true,
           column->name + ": " + inversion.why});
      return;
    }
    for (const formula::ImpliedCondition& implied : inversion.conditions) {
      for (const formula::FieldUse& use : program.fields()) {
        if (use.name != implied.column) continue;
        Add({attributes[use.slot], implied.condition, implied.exact && inversion.exact,
             column->name + ": " + inversion.why});
      }
    }
  }

  // ---- inverse road ----
  void Inverse(const PhysicalColumn& column, const std::string& verdict) {
    if (column.inverse == nullptr || column.inverse->UsesClock()) return;
    std::vector<formula::BoundInput> inputs;
    std::vector<const VirtualCondition*> values;
    bool all_bound = true;
    for (const formula::FieldUse& use : column.inverse->fields()) {
      const VirtualCondition* condition = Bound(use.name);
      if (use.slot < attributes.size() || condition == nullptr) {
        all_bound = false;
        continue;
      }
      all_bound = all_bound && BindsValue(*condition);
      inputs.push_back({use.name, {*ToFormulaOp(condition->op), condition->literals}});
      values.push_back(condition);
    }
    if (inputs.empty()) return;
    if (!column.inverse_narrows_reads) {
      for (const formula::BoundInput& input : inputs) {
        Explain(input.name, "the inverse written for `" + column.name + "` is not proved (" +
                                verdict + "); name it in `trustedInverses` if it always holds");
      }
      return;
    }
    if (all_bound && Evaluate(column, values)) {
      for (const formula::BoundInput& input : inputs) MarkUsed(input.name);
      return;
    }
    const formula::Inversion joined = formula::InvertJoined(*column.inverse, column.name, inputs);
    if (!joined.narrows()) {
      for (const formula::BoundInput& input : inputs) Explain(input.name, joined.why);
      return;
    }
    for (const formula::BoundInput& input : inputs) MarkUsed(input.name);
    if (joined.never)
      Add({column.name, {.equals = {}, .range = {}, .never = true}, true, joined.why});
    for (const formula::ImpliedCondition& implied : joined.conditions) {
      Add({column.name, implied.condition, implied.exact,
           "inverse of " + column.name + ": " + joined.why});
    }
  }

  void Explain(std::string_view column, const std::string& reason) {
    for (const std::size_t i : bound_of.find(column)->second) {
      if (!used[i]) reasons[i] = reason;
    }
  }

  // All inputs have values: the stored value is the inverse of them, for each combination of lists.
  bool Evaluate(const PhysicalColumn& column, const std::vector<const VirtualCondition*>& inputs) {
    std::size_t combinations = 1;
    for (const VirtualCondition* input : inputs) {
      combinations *= std::max<std::size_t>(input->literals.size(), 1);
      if (input->literals.empty() || combinations > kMaxCombinations) return false;
    }
    ColumnCondition condition;
    formula::EvalContext context{Timestamp{}};
    BoundValues values;
    for (std::size_t combination = 0; combination < combinations; ++combination) {
      values.Clear();
      std::size_t rest = combination;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto& literals = inputs[i]->literals;
        values.Set(column.inverse->fields()[i].slot, &literals[rest % literals.size()]);
        rest /= literals.size();
      }
      const formula::EvalResult computed = column.inverse->Evaluate(values, context);
      if (!computed.ok() || computed.value().IsBlank()) return false;
      auto stored = ToAttribute(computed.value());
      if (!stored) return false;
      condition.equals.push_back(*std::move(stored));
    }
    std::sort(condition.equals.begin(), condition.equals.end(),
              [](const AttributeValue& a, const AttributeValue& b) {
                return a.Is(AttributeType::kS) && b.Is(AttributeType::kS) ? a.text() < b.text()
                       : a.Is(AttributeType::kN) && b.Is(AttributeType::kN)
                           ? a.number_code() < b.number_code()
                           : a.type() < b.type();
              });
    condition.equals.erase(std::unique(condition.equals.begin(), condition.equals.end()),
                           condition.equals.end());
    Add({column.name, std::move(condition), false,
         "inverse of " + column.name + ": " + column.name + " = " + column.inverse->ToString()});
    return true;
  }
};

}  // namespace

CompiledQualifier::Pushdown CompiledQualifier::PushDown(
    const std::vector<VirtualCondition>& bound) const {
  Pusher pusher{.qualifier = *this,
                .impl = *impl_,
                .attributes = slots_.names(),
                .bound = bound,
                .result = {},
                .used = std::vector<bool>(bound.size(), false),
                .reasons = std::vector<std::string>(bound.size()),
                .bound_of = {}};
  pusher.IndexBound();
  for (std::size_t i = 0; i < bound.size(); ++i) pusher.Forward(i);
  for (std::size_t i = 0; i < physical_columns_.size(); ++i)
    pusher.Inverse(physical_columns_[i], impl_->inverse_verdicts[i]);
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (pusher.used[i]) continue;
    pusher.result.refused.emplace_back(
        ConditionText(bound[i]),
        pusher.reasons[i].empty() ? "its definition has no inverse" : pusher.reasons[i]);
  }
  return std::move(pusher.result);
}

}  // namespace tablecast
