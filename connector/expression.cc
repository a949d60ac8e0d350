#include "connector/expression.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "connector/expression_nodes.h"
#include "connector/expression_types.h"

namespace tablecast {
namespace {

using namespace expr_types;  // NOLINT: a handful of predicates

constexpr std::size_t kMaxFlat = 512;  // parts of one LogicNode; longer chains nest

std::string_view OpText(BinaryOp op) {
  constexpr std::array<std::string_view, 14> kTexts = {
      "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "add", "sub", "mul", "div", "divby", "mod"};
  return kTexts[static_cast<std::size_t>(op)];
}

Error Mismatch(const std::string& what, const std::string& expected, const Expression& given) {
  return MakeError(ErrorCode::kInvalidArgument, "type-mismatch",
                   what + " needs " + expected + ", got " + given.ToString().substr(0, 120) +
                       " of type " + EdmTypeText(given.type()));
}

bool IsInstant(const EdmType& type) {
  return !type.collection && (type.kind == EdmKind::kDateTimeOffset || type.kind == EdmKind::kDate);
}

// A text literal where a duration, a GUID or a moment is due becomes one.
ExpressionPtr Coerced(const ExpressionPtr& expression, EdmKind wanted) {
  if (wanted != EdmKind::kDuration && wanted != EdmKind::kGuid) return expression;
  const auto* literal = dynamic_cast<const LiteralNode*>(expression.get());
  if (literal == nullptr || literal->value().kind() != EdmKind::kString) return expression;
  Result<EdmValue> value = ParseEdm(wanted, literal->value().text());
  return value.ok() ? std::make_shared<LiteralNode>(*std::move(value)) : expression;
}

// True when `a eq b` makes sense.
bool Comparable(const EdmType& a, const EdmType& b) {
  if (a.collection || b.collection) return IsAny(a) || IsAny(b);
  if (IsAny(a) || IsAny(b)) return true;
  if (IsNumeric(a.kind) && IsNumeric(b.kind)) return true;
  if (IsInstant(a) && IsInstant(b)) return true;
  return a.kind == b.kind;
}

bool Orderable(EdmKind kind) {
  return kind != EdmKind::kComplex && kind != EdmKind::kBinary && kind != EdmKind::kGuid;
}

EdmKind Promoted(EdmKind a, EdmKind b) {
  if (a == EdmKind::kNull) return b;
  if (b == EdmKind::kNull) return a;
  if (IsFloating(a) || IsFloating(b)) return EdmKind::kDouble;
  if (a == EdmKind::kDecimal || b == EdmKind::kDecimal) return EdmKind::kDecimal;
  if (a == EdmKind::kInt64 || b == EdmKind::kInt64) return EdmKind::kInt64;
  return EdmKind::kInt32;
}

Result<ExpressionPtr> MakeArithmetic(BinaryOp op, ExpressionPtr left, ExpressionPtr right) {
  const EdmType& a = left->type();
  const EdmType& b = right->type();
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({left.get(), right.get()}));
  EdmKind kind = EdmKind::kNull;
  const std::string what = "'" + std::string(OpText(op)) + "'";
  if (a.collection || b.collection)
    return Mismatch(what, "single values", a.collection ? *left : *right);
  const bool additive = op == BinaryOp::kAdd || op == BinaryOp::kSub;
  if (IsNumber(a) && IsNumber(b)) {
    kind = op == BinaryOp::kDivBy ? EdmKind::kDecimal : Promoted(a.kind, b.kind);
    if (op == BinaryOp::kDivBy && (IsFloating(a.kind) || IsFloating(b.kind)))
      kind = EdmKind::kDouble;
  } else if (additive && IsInstant(a) && (b.kind == EdmKind::kDuration || IsAny(b))) {
    kind = a.kind;
  } else if (op == BinaryOp::kSub && IsInstant(a) && a.kind == b.kind) {
    kind = EdmKind::kDuration;
  } else if (additive && a.kind == EdmKind::kDuration && b.kind == EdmKind::kDuration) {
    kind = EdmKind::kDuration;
  } else if (op == BinaryOp::kAdd && a.kind == EdmKind::kDuration && IsInstant(b)) {
    kind = b.kind;
  } else if ((op == BinaryOp::kMul || op == BinaryOp::kDiv || op == BinaryOp::kDivBy) &&
             a.kind == EdmKind::kDuration && IsNumber(b)) {
    kind = EdmKind::kDuration;
  } else if (op == BinaryOp::kMul && IsNumber(a) && b.kind == EdmKind::kDuration) {
    kind = EdmKind::kDuration;
  } else {
    return Mismatch(what, additive ? "two numbers, or a date and a duration" : "two numbers",
                    IsNumber(a) ? *right : *left);
  }
  return std::make_shared<ArithmeticNode>(op, std::move(left), std::move(right), Simple(kind),
                                          depth);
}

Result<ExpressionPtr> MakeLogic(BinaryOp op, ExpressionPtr left, ExpressionPtr right) {
  const std::string what = "'" + std::string(OpText(op)) + "'";
  if (!IsBoolean(left->type())) return Mismatch(what, "Edm.Boolean on both sides", *left);
  if (!IsBoolean(right->type())) return Mismatch(what, "Edm.Boolean on both sides", *right);
  std::vector<ExpressionPtr> parts;
  int child_depth = 0;
  const auto add = [&](ExpressionPtr part) {
    const auto* same = dynamic_cast<const LogicNode*>(part.get());
    if (same != nullptr && same->op() == op && parts.size() + same->parts().size() < kMaxFlat) {
      for (const ExpressionPtr& inner : same->parts()) {
        child_depth = std::max(child_depth, inner->depth());
        parts.push_back(inner);
      }
      return;
    }
    child_depth = std::max(child_depth, part->depth());
    parts.push_back(std::move(part));
  };
  add(std::move(left));
  add(std::move(right));
  if (child_depth + 1 > kMaxDepth)
    return DepthOf({parts.front().get(), parts.back().get()}).error();
  return std::make_shared<LogicNode>(op, std::move(parts), child_depth + 1);
}

}  // namespace

std::string Expression::ToString() const {
  std::string out;
  AppendTo(out);
  return out;
}

Truth Expression::Test(EvalContext& context) const {
  const EdmValue value = Evaluate(context);
  if (value.is_null()) return Truth::kUnknown;
  return value.kind() == EdmKind::kBoolean && value.boolean() ? Truth::kTrue : Truth::kFalse;
}

namespace expr {

ExpressionPtr Literal(EdmValue value) { return std::make_shared<LiteralNode>(std::move(value)); }

Result<ExpressionPtr> FieldRef(Origin origin, const ExternalObject& owner, const Field& field) {
  if (field.hidden) {
    return MakeError(ErrorCode::kInvalidArgument, "field-hidden",
                     "object " + owner.name() + " has no field '" + field.name + "'");
  }
  return std::make_shared<FieldRefNode>(std::move(origin), owner, field);
}

Result<ExpressionPtr> Member(ExpressionPtr complex, std::string_view member) {
  const EdmType& type = complex->type();
  if (type.kind != EdmKind::kComplex || type.collection || type.members == nullptr) {
    return Mismatch("the path segment '" + std::string(member) + "'", "a complex value before it",
                    *complex);
  }
  std::vector<std::string> names;
  for (const Field& field : *type.members) {
    if (field.name == member) {
      TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({complex.get()}));
      return std::make_shared<MemberNode>(std::move(complex), field, depth);
    }
    names.push_back(field.name);
  }
  const std::optional<std::string> nearest = NearestName(member, names);
  return MakeError(ErrorCode::kInvalidArgument, "unknown-property",
                   complex->ToString() + " has no member '" + std::string(member) + "'", {},
                   nearest ? "did you mean '" + *nearest + "'?" : "");
}

ExpressionPtr ColumnRef(std::uint32_t index, std::string name, EdmType type) {
  return std::make_shared<ColumnRefNode>(index, std::move(name), type);
}
ExpressionPtr Alias(std::string name, ExpressionPtr definition) {
  return std::make_shared<AliasNode>(std::move(name), std::move(definition));
}
ExpressionPtr VariableRef(std::uint32_t variable, std::string name, EdmType type) {
  return std::make_shared<VariableRefNode>(variable, std::move(name), type);
}

Result<ExpressionPtr> NavigationIsNull(Origin origin) {
  if (origin.path.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "type-mismatch",
                     "only a navigation property compares with null");
  }
  return std::make_shared<NavigationNullNode>(std::move(origin));
}

Result<ExpressionPtr> Not(ExpressionPtr operand) {
  if (!IsBoolean(operand->type())) return Mismatch("'not'", "Edm.Boolean", *operand);
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({operand.get()}));
  return std::make_shared<NotNode>(std::move(operand), depth);
}

Result<ExpressionPtr> Negate(ExpressionPtr operand) {
  const EdmType& type = operand->type();
  if (type.collection || !(IsNumber(type) || type.kind == EdmKind::kDuration)) {
    return Mismatch("'-'", "a number or a duration", *operand);
  }
  if (const auto* literal = dynamic_cast<const LiteralNode*>(operand.get());
      literal != nullptr && IsExactNumber(literal->value().kind())) {
    return Literal(EdmValue::Number(literal->value().number().Negated(), literal->value().kind()));
  }
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({operand.get()}));
  return std::make_shared<NegateNode>(std::move(operand), depth);
}

Result<ExpressionPtr> Binary(BinaryOp op, ExpressionPtr left, ExpressionPtr right) {
  if (op == BinaryOp::kAnd || op == BinaryOp::kOr)
    return MakeLogic(op, std::move(left), std::move(right));
  left = Coerced(left, right->type().kind);
  right = Coerced(right, left->type().kind);
  if (op >= BinaryOp::kAdd) return MakeArithmetic(op, std::move(left), std::move(right));
  const std::string what = "'" + std::string(OpText(op)) + "'";
  if (!Comparable(left->type(), right->type())) {
    // Name the literal as the culprit: the field's type is what it is.
    const bool literal_left = dynamic_cast<const LiteralNode*>(left.get()) != nullptr &&
                              dynamic_cast<const LiteralNode*>(right.get()) == nullptr;
    const Expression& given = literal_left ? *left : *right;
    const Expression& other = literal_left ? *right : *left;
    return Mismatch(what + " with " + other.ToString().substr(0, 120), EdmTypeText(other.type()),
                    given);
  }
  if (op != BinaryOp::kEq && op != BinaryOp::kNe) {
    for (const Expression* side : {left.get(), right.get()}) {
      if (side->type().collection || !Orderable(side->type().kind))
        return Mismatch(what, "values with an order", *side);
    }
  }
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({left.get(), right.get()}));
  return std::make_shared<CompareNode>(op, std::move(left), std::move(right), depth);
}

Result<ExpressionPtr> In(ExpressionPtr operand, std::vector<ExpressionPtr> list) {
  int depth = operand->depth();
  if (operand->type().collection) return Mismatch("'in'", "a single value on its left", *operand);
  for (ExpressionPtr& element : list) {
    element = Coerced(element, operand->type().kind);
    if (!Comparable(operand->type(), element->type())) {
      return Mismatch("'in' with " + operand->ToString().substr(0, 120),
                      EdmTypeText(operand->type()), *element);
    }
    depth = std::max(depth, element->depth());
  }
  if (depth + 1 > kMaxDepth) return DepthOf({operand.get()}).error();
  return std::make_shared<InNode>(std::move(operand), std::move(list), depth + 1);
}

Result<ExpressionPtr> InCollection(ExpressionPtr operand, ExpressionPtr collection) {
  if (!collection->type().collection)
    return Mismatch("'in'", "a list or a collection on its right", *collection);
  EdmType element = collection->type();
  element.collection = false;
  if (!Comparable(operand->type(), element)) {
    return Mismatch("'in' with " + collection->ToString(), EdmTypeText(element), *operand);
  }
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({operand.get(), collection.get()}));
  return std::make_shared<InCollectionNode>(std::move(operand), std::move(collection), depth);
}

Result<ExpressionPtr> Has(ExpressionPtr left, ExpressionPtr right) {
  return Mismatch("'has'", "an enumeration with flags", IsAny(left->type()) ? *right : *left);
}

Result<ExpressionPtr> Case(std::vector<std::pair<ExpressionPtr, ExpressionPtr>> branches) {
  if (branches.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "function-arity",
                     "case needs at least one condition:value pair");
  }
  int depth = 0;
  EdmType type;
  for (const auto& [condition, value] : branches) {
    if (!IsBoolean(condition->type()))
      return Mismatch("a condition of case", "Edm.Boolean", *condition);
    if (IsAny(type)) {
      type = value->type();
    } else if (!Comparable(type, value->type())) {
      return Mismatch("case", EdmTypeText(type) + " in every branch", *value);
    } else if (IsNumeric(type.kind) && IsNumeric(value->type().kind)) {
      type.kind = Promoted(type.kind, value->type().kind);
    }
    depth = std::max({depth, condition->depth(), value->depth()});
  }
  if (depth + 1 > kMaxDepth) return DepthOf({branches.front().first.get()}).error();
  return std::make_shared<CaseNode>(std::move(branches), type, depth + 1);
}

namespace {
Result<ExpressionPtr> MakeCast(ExpressionPtr operand, std::string_view type_name, bool test_only) {
  const std::optional<EdmKind> kind = EdmKindFromName(type_name);
  if (!kind || type_name.substr(0, 4) != "Edm.") {
    return MakeError(ErrorCode::kUnimplemented, "cast-not-supported",
                     "a cast to " + std::string(type_name) + " is not offered");
  }
  if (operand->type().collection || operand->type().kind == EdmKind::kComplex) {
    return Mismatch(test_only ? "isof" : "cast", "a single primitive value", *operand);
  }
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({operand.get()}));
  return std::make_shared<CastNode>(std::move(operand), *kind, test_only, depth);
}
}  // namespace

Result<ExpressionPtr> Cast(ExpressionPtr operand, std::string_view type_name) {
  return MakeCast(std::move(operand), type_name, false);
}
Result<ExpressionPtr> IsOf(ExpressionPtr operand, std::string_view type_name) {
  return MakeCast(std::move(operand), type_name, true);
}

Result<ExpressionPtr> LambdaOverValues(LambdaKind kind, ExpressionPtr collection,
                                       std::uint32_t variable, std::string variable_name,
                                       ExpressionPtr predicate) {
  const std::string what = kind == LambdaKind::kAny ? "any" : "all";
  if (!collection->type().collection) return Mismatch(what, "a collection before it", *collection);
  if (predicate && !IsBoolean(predicate->type()))
    return Mismatch(what, "a Boolean expression", *predicate);
  if (!predicate && kind == LambdaKind::kAll) {
    return MakeError(ErrorCode::kInvalidArgument, "function-arity", "all needs an expression");
  }
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({collection.get(), predicate.get()}));
  return std::make_shared<LambdaValuesNode>(kind, std::move(collection), variable,
                                            std::move(variable_name), std::move(predicate), depth);
}

Result<ExpressionPtr> LambdaOverRecords(LambdaKind kind, Origin origin,
                                        const Navigation& navigation, std::uint32_t variable,
                                        std::string variable_name, ExpressionPtr predicate) {
  const std::string what = kind == LambdaKind::kAny ? "any" : "all";
  if (!navigation.collection) {
    return MakeError(
        ErrorCode::kInvalidArgument, "type-mismatch",
        what + " needs a collection before it, " + navigation.name + " leads to one record");
  }
  if (predicate && !IsBoolean(predicate->type()))
    return Mismatch(what, "a Boolean expression", *predicate);
  if (!predicate && kind == LambdaKind::kAll) {
    return MakeError(ErrorCode::kInvalidArgument, "function-arity", "all needs an expression");
  }
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({predicate.get()}));
  return std::make_shared<LambdaRecordsNode>(kind, std::move(origin), navigation, variable,
                                             std::move(variable_name), std::move(predicate), depth);
}

Result<ExpressionPtr> CountOfValues(ExpressionPtr collection) {
  if (!collection->type().collection)
    return Mismatch("$count", "a collection before it", *collection);
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({collection.get()}));
  return std::make_shared<CountValuesNode>(std::move(collection), depth);
}

Result<ExpressionPtr> CountOfRecords(Origin origin, const Navigation& navigation,
                                     std::uint32_t variable, ExpressionPtr filter,
                                     SearchPtr search) {
  if (!navigation.collection) {
    return MakeError(
        ErrorCode::kInvalidArgument, "type-mismatch",
        "$count needs a collection before it, " + navigation.name + " leads to one record");
  }
  if (filter && !IsBoolean(filter->type()))
    return Mismatch("$filter", "a Boolean expression", *filter);
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({filter.get()}));
  return std::make_shared<CountRecordsNode>(std::move(origin), navigation, variable,
                                            std::move(filter), std::move(search), depth);
}

}  // namespace expr
}  // namespace tablecast
