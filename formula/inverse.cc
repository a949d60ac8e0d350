// IMPLEMENTATION: the walk is in inverter.h; written inverses are in pair_proof.cc. Tested by
// tests/formula/inverse_test.cc against brute force.

#include "formula/inverse.h"

#include "formula/inverter.h"

namespace tablecast::formula {
namespace {

Value SampleOf(ValueType type) {
  switch (type) {
    case ValueType::kText: return Value::Text("x");
    case ValueType::kNumber: return Value::Integer(1);
    case ValueType::kBoolean: return Value::Boolean(true);
    case ValueType::kDate: return Value::FromDate(Date{18000});
    case ValueType::kDateTime: return Value::DateTime(Timestamp{1'555'555'555, 0});
    case ValueType::kTime: return Value::Time(TimeOfDay{});
    case ValueType::kNull: break;
  }
  return {};
}

}  // namespace

Inversion Invert(const Program& definition, const std::vector<ColumnFacts>& columns,
                 const VirtualCondition& condition) {
  return internal::Inverter(definition, columns).Run(condition);
}

std::string DescribeInversion(const Program& definition, const std::vector<ColumnFacts>& columns) {
  struct Named {
    ConditionOp op;
    std::string_view name;
  };
  static constexpr Named kOps[] = {{ConditionOp::kEq, "="},
                                   {ConditionOp::kIn, "in"},
                                   {ConditionOp::kStartsWith, "startswith"},
                                   {ConditionOp::kLt, "<"},
                                   {ConditionOp::kGe, ">="}};
  const Value sample = SampleOf(definition.result_type());
  std::string ops;
  std::string how;
  std::string refusal;
  for (const Named& named : kOps) {
    const bool startswith = named.op == ConditionOp::kStartsWith;
    if (startswith && definition.result_type() != ValueType::kText) continue;
    const Inversion inversion = Invert(definition, columns, {named.op, {sample}});
    if (inversion.narrows()) {
      ops += (ops.empty() ? "" : ", ") + std::string(named.name) +
             (inversion.exact || inversion.never ? "" : " (superset)");
      if (how.empty()) how = inversion.why;
    } else if (refusal.empty()) {
      refusal = inversion.why;
    }
  }
  if (ops.empty()) return "does not invert: " + refusal;
  return "inverts by " + how + "; narrows " + ops;
}

}  // namespace tablecast::formula
