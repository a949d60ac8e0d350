#ifndef TABLECAST_CONNECTOR_EXPRESSION_NODES_H_
#define TABLECAST_CONNECTOR_EXPRESSION_NODES_H_

// The node classes behind expression.h, for the planner, which looks for comparisons that an access
// path can serve. Everyone else uses the factories.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "connector/expression.h"
#include "connector/record_view.h"

namespace tablecast {

class LiteralNode final : public Expression {
 public:
  explicit LiteralNode(EdmValue value);
  const EdmValue& value() const { return value_; }
  EdmValue Evaluate(EvalContext&) const override { return value_; }
  void AppendTo(std::string& out) const override { out += value_.ToLiteral(); }

 private:
  EdmValue value_;
};

class FieldRefNode final : public Expression {
 public:
  FieldRefNode(Origin origin, const ExternalObject& owner, const Field& field);
  const Origin& origin() const { return origin_; }
  const Field& field() const { return *field_; }
  const ExternalObject& owner() const { return *owner_; }
  // Of the record of the query itself, no navigation.
  bool IsOwn() const { return origin_.variable == 0 && origin_.path.empty(); }
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  Origin origin_;
  const ExternalObject* owner_;
  const Field* field_;
};

class MemberNode final : public Expression {
 public:
  MemberNode(ExpressionPtr complex, const Field& member, int depth);
  const ExpressionPtr& complex() const { return complex_; }
  const Field& member() const { return *member_; }
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  ExpressionPtr complex_;
  const Field* member_;
};

class ColumnRefNode final : public Expression {
 public:
  ColumnRefNode(std::uint32_t index, std::string name, EdmType type)
      : Expression(type, 1), index_(index), name_(std::move(name)) {}
  std::uint32_t index() const { return index_; }
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override { out += name_; }

 private:
  std::uint32_t index_;
  std::string name_;
};

class AliasNode final : public Expression {
 public:
  AliasNode(std::string name, ExpressionPtr definition)
      : Expression(definition->type(), definition->depth()),
        name_(std::move(name)),
        definition_(std::move(definition)) {}
  const ExpressionPtr& definition() const { return definition_; }
  const std::string& name() const { return name_; }
  EdmValue Evaluate(EvalContext& context) const override {
    return context.Step() ? definition_->Evaluate(context) : EdmValue();
  }
  Truth Test(EvalContext& context) const override {
    return context.Step() ? definition_->Test(context) : Truth::kUnknown;
  }
  void AppendTo(std::string& out) const override { out += name_; }

 private:
  std::string name_;
  ExpressionPtr definition_;
};

class VariableRefNode final : public Expression {
 public:
  VariableRefNode(std::uint32_t variable, std::string name, EdmType type)
      : Expression(type, 1), variable_(variable), name_(std::move(name)) {}
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override { out += name_; }

 private:
  std::uint32_t variable_;
  std::string name_;
};

class NavigationNullNode final : public Expression {
 public:
  explicit NavigationNullNode(Origin origin);
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  Origin origin_;
};

// and, or over two or more parts, flattened.
class LogicNode final : public Expression {
 public:
  LogicNode(BinaryOp op, std::vector<ExpressionPtr> parts, int depth);
  BinaryOp op() const { return op_; }
  const std::vector<ExpressionPtr>& parts() const { return parts_; }
  EdmValue Evaluate(EvalContext& context) const override;
  Truth Test(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  BinaryOp op_;
  std::vector<ExpressionPtr> parts_;
};

class NotNode final : public Expression {
 public:
  NotNode(ExpressionPtr operand, int depth);
  const ExpressionPtr& operand() const { return operand_; }
  EdmValue Evaluate(EvalContext& context) const override;
  Truth Test(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  ExpressionPtr operand_;
};

class CompareNode final : public Expression {
 public:
  CompareNode(BinaryOp op, ExpressionPtr left, ExpressionPtr right, int depth);
  BinaryOp op() const { return op_; }
  const ExpressionPtr& left() const { return left_; }
  const ExpressionPtr& right() const { return right_; }
  EdmValue Evaluate(EvalContext& context) const override;
  Truth Test(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  BinaryOp op_;
  ExpressionPtr left_;
  ExpressionPtr right_;
  // Text field of the record against a text literal: compared in place.
  const Field* text_field_ = nullptr;
  const std::string* text_literal_ = nullptr;
  // Number field against a number that can be stored: number codes compare as bytes.
  const Field* number_field_ = nullptr;
  std::string number_code_;
};

class InNode final : public Expression {
 public:
  InNode(ExpressionPtr operand, std::vector<ExpressionPtr> list, int depth);
  const ExpressionPtr& operand() const { return operand_; }
  const std::vector<ExpressionPtr>& list() const { return list_; }
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  ExpressionPtr operand_;
  std::vector<ExpressionPtr> list_;
  bool all_literals_ = false;
  bool has_null_ = false;
  std::vector<EdmValue> sorted_;  // when all_literals_
};

class InCollectionNode final : public Expression {
 public:
  InCollectionNode(ExpressionPtr operand, ExpressionPtr collection, int depth);
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  ExpressionPtr operand_;
  ExpressionPtr collection_;
};

class ArithmeticNode final : public Expression {
 public:
  ArithmeticNode(BinaryOp op, ExpressionPtr left, ExpressionPtr right, EdmType type, int depth);
  const ExpressionPtr& left() const { return left_; }
  const ExpressionPtr& right() const { return right_; }
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  BinaryOp op_;
  ExpressionPtr left_;
  ExpressionPtr right_;
};

class NegateNode final : public Expression {
 public:
  NegateNode(ExpressionPtr operand, int depth);
  const ExpressionPtr& operand() const { return operand_; }
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  ExpressionPtr operand_;
};

enum class Function : std::uint8_t {
  kContains,
  kStartsWith,
  kEndsWith,
  kIndexOf,
  kLength,
  kConcat,
  kSubstring,
  kToLower,
  kToUpper,
  kTrim,
  kMatchesPattern,
  kYear,
  kMonth,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kFractionalSeconds,
  kDate,
  kTime,
  kTotalOffsetMinutes,
  kTotalSeconds,
  kNow,
  kMinDateTime,
  kMaxDateTime,
  kRound,
  kFloor,
  kCeiling,
  kHasSubset,
  kHasSubsequence,
};
std::string_view FunctionName(Function function);

class CallNode final : public Expression {
 public:
  CallNode(Function function, std::vector<ExpressionPtr> arguments, EdmType type, int depth,
           std::shared_ptr<const RegexSearch> regex);
  Function function() const { return function_; }
  const std::vector<ExpressionPtr>& arguments() const { return arguments_; }
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  Function function_;
  std::vector<ExpressionPtr> arguments_;
  std::shared_ptr<const RegexSearch> regex_;
};
// Pure part of a call: arguments are evaluated; none is null. ERRORS: go to the context.
EdmValue EvaluateFunction(Function function, const std::vector<EdmValue>& arguments,
                          const RegexSearch* regex, EvalContext& context);
// The pattern of matchesPattern with its flags. ERRORS: "regex-...", "pattern-flag".
Result<std::shared_ptr<const RegexSearch>> CompileSearch(std::string_view pattern,
                                                         std::string_view flags);
// Pure arithmetic on non-null values. `kind` is the static result kind.
EdmValue EvaluateArithmetic(BinaryOp op, const EdmValue& left, const EdmValue& right, EdmKind kind,
                            EvalContext& context);
// `value` as `kind`; null when it cannot be.
EdmValue CastValue(const EdmValue& value, EdmKind kind);

class CaseNode final : public Expression {
 public:
  CaseNode(std::vector<std::pair<ExpressionPtr, ExpressionPtr>> branches, EdmType type, int depth);
  const std::vector<std::pair<ExpressionPtr, ExpressionPtr>>& branches() const { return branches_; }
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> branches_;
};

class CastNode final : public Expression {
 public:
  CastNode(ExpressionPtr operand, EdmKind kind, bool test_only, int depth);
  const ExpressionPtr& operand() const { return operand_; }
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  ExpressionPtr operand_;
  EdmKind kind_;
  bool test_only_;  // isof
};

class LambdaValuesNode final : public Expression {
 public:
  LambdaValuesNode(LambdaKind kind, ExpressionPtr collection, std::uint32_t variable,
                   std::string name, ExpressionPtr predicate, int depth);
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  LambdaKind kind_;
  ExpressionPtr collection_;
  std::uint32_t variable_;
  std::string name_;
  ExpressionPtr predicate_;
};

class LambdaRecordsNode final : public Expression {
 public:
  LambdaRecordsNode(LambdaKind kind, Origin origin, const Navigation& navigation,
                    std::uint32_t variable, std::string name, ExpressionPtr predicate, int depth);
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  LambdaKind kind_;
  Origin origin_;
  const Navigation* navigation_;
  std::uint32_t variable_;
  std::string name_;
  ExpressionPtr predicate_;
};

class CountValuesNode final : public Expression {
 public:
  CountValuesNode(ExpressionPtr collection, int depth);
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  ExpressionPtr collection_;
};

class SearchMatcher;

class CountRecordsNode final : public Expression {
 public:
  CountRecordsNode(Origin origin, const Navigation& navigation, std::uint32_t variable,
                   ExpressionPtr filter, SearchPtr search, int depth);
  EdmValue Evaluate(EvalContext& context) const override;
  void AppendTo(std::string& out) const override;

 private:
  Origin origin_;
  const Navigation* navigation_;
  std::uint32_t variable_;
  ExpressionPtr filter_;
  SearchPtr search_;
  std::shared_ptr<const SearchMatcher> matcher_;
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_EXPRESSION_NODES_H_
