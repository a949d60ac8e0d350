#include "connector/expression.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "connector/expression_nodes.h"

namespace tablecast {
namespace {

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxFlat = 512;  // parts of one LogicNode; longer chains nest
constexpr std::size_t kMaxPatternBytes = 256;

std::string_view OpText(BinaryOp op) {
  constexpr std::array<std::string_view, 14> kTexts = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",    "and",
                                                       "or",  "add", "sub", "mul", "div", "divby", "mod"};
  return kTexts[static_cast<std::size_t>(op)];
}

Error Mismatch(const std::string& what, const std::string& expected, const Expression& given) {
  return MakeError(ErrorCode::kInvalidArgument, "type-mismatch",
                   what + " needs " + expected + ", got " + given.ToString().substr(0, 120) + " of type " +
                       EdmTypeText(given.type()));
}

Result<int> DepthOf(std::initializer_list<const Expression*> children) {
  int depth = 0;
  for (const Expression* child : children) {
    if (child != nullptr) depth = std::max(depth, child->depth());
  }
  if (depth + 1 > kMaxDepth) {
    return MakeError(ErrorCode::kResourceExhausted, "expression-depth",
                     "the expression is nested deeper than " + std::to_string(kMaxDepth) + " levels");
  }
  return depth + 1;
}

EdmType Simple(EdmKind kind) { return EdmType{kind, false, nullptr}; }
bool IsAny(const EdmType& type) { return type.kind == EdmKind::kNull && !type.collection; }
bool IsBoolean(const EdmType& type) { return !type.collection && (type.kind == EdmKind::kBoolean || IsAny(type)); }
bool IsText(const EdmType& type) { return !type.collection && (type.kind == EdmKind::kString || IsAny(type)); }
bool IsNumber(const EdmType& type) { return !type.collection && (IsNumeric(type.kind) || IsAny(type)); }
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
  if (a.collection || b.collection) return Mismatch(what, "single values", a.collection ? *left : *right);
  const bool additive = op == BinaryOp::kAdd || op == BinaryOp::kSub;
  if (IsNumber(a) && IsNumber(b)) {
    kind = op == BinaryOp::kDivBy ? EdmKind::kDecimal : Promoted(a.kind, b.kind);
    if (op == BinaryOp::kDivBy && (IsFloating(a.kind) || IsFloating(b.kind))) kind = EdmKind::kDouble;
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
  return std::make_shared<ArithmeticNode>(op, std::move(left), std::move(right), Simple(kind), depth);
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
  if (child_depth + 1 > kMaxDepth) return DepthOf({parts.front().get(), parts.back().get()}).error();
  return std::make_shared<LogicNode>(op, std::move(parts), child_depth + 1);
}

struct Signature {
  Function function;
  std::string_view name;
  std::size_t min_arguments;
  std::size_t max_arguments;
  std::string_view text;  // for messages
};
constexpr std::array kSignatures = {
    Signature{Function::kContains, "contains", 2, 2, "contains(Edm.String,Edm.String)"},
    Signature{Function::kStartsWith, "startswith", 2, 2, "startswith(Edm.String,Edm.String)"},
    Signature{Function::kEndsWith, "endswith", 2, 2, "endswith(Edm.String,Edm.String)"},
    Signature{Function::kIndexOf, "indexof", 2, 2, "indexof(Edm.String,Edm.String)"},
    Signature{Function::kLength, "length", 1, 1, "length(Edm.String)"},
    Signature{Function::kConcat, "concat", 2, 2, "concat(Edm.String,Edm.String)"},
    Signature{Function::kSubstring, "substring", 2, 3, "substring(Edm.String,Edm.Int32[,Edm.Int32])"},
    Signature{Function::kToLower, "tolower", 1, 1, "tolower(Edm.String)"},
    Signature{Function::kToUpper, "toupper", 1, 1, "toupper(Edm.String)"},
    Signature{Function::kTrim, "trim", 1, 1, "trim(Edm.String)"},
    Signature{Function::kMatchesPattern, "matchespattern", 2, 3, "matchesPattern(Edm.String,pattern[,flags])"},
    Signature{Function::kYear, "year", 1, 1, "year(Edm.Date or Edm.DateTimeOffset)"},
    Signature{Function::kMonth, "month", 1, 1, "month(Edm.Date or Edm.DateTimeOffset)"},
    Signature{Function::kDay, "day", 1, 1, "day(Edm.Date or Edm.DateTimeOffset)"},
    Signature{Function::kHour, "hour", 1, 1, "hour(Edm.DateTimeOffset or Edm.TimeOfDay)"},
    Signature{Function::kMinute, "minute", 1, 1, "minute(Edm.DateTimeOffset or Edm.TimeOfDay)"},
    Signature{Function::kSecond, "second", 1, 1, "second(Edm.DateTimeOffset or Edm.TimeOfDay)"},
    Signature{Function::kFractionalSeconds, "fractionalseconds", 1, 1,
              "fractionalseconds(Edm.DateTimeOffset or Edm.TimeOfDay)"},
    Signature{Function::kDate, "date", 1, 1, "date(Edm.DateTimeOffset)"},
    Signature{Function::kTime, "time", 1, 1, "time(Edm.DateTimeOffset)"},
    Signature{Function::kTotalOffsetMinutes, "totaloffsetminutes", 1, 1, "totaloffsetminutes(Edm.DateTimeOffset)"},
    Signature{Function::kTotalSeconds, "totalseconds", 1, 1, "totalseconds(Edm.Duration)"},
    Signature{Function::kNow, "now", 0, 0, "now()"},
    Signature{Function::kMinDateTime, "mindatetime", 0, 0, "mindatetime()"},
    Signature{Function::kMaxDateTime, "maxdatetime", 0, 0, "maxdatetime()"},
    Signature{Function::kRound, "round", 1, 1, "round(number)"},
    Signature{Function::kFloor, "floor", 1, 1, "floor(number)"},
    Signature{Function::kCeiling, "ceiling", 1, 1, "ceiling(number)"},
    Signature{Function::kHasSubset, "hassubset", 2, 2, "hassubset(Collection,Collection)"},
    Signature{Function::kHasSubsequence, "hassubsequence", 2, 2, "hassubsequence(Collection,Collection)"},
};

const Signature& SignatureOf(Function function) {
  return *std::find_if(kSignatures.begin(), kSignatures.end(),
                       [&](const Signature& s) { return s.function == function; });
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Result type of a call, or kNull when the arguments do not fit the signature.
std::optional<EdmType> CheckCall(Function function, const std::vector<ExpressionPtr>& arguments) {
  const auto type = [&](std::size_t i) -> const EdmType& { return arguments[i]->type(); };
  const auto text = [&](std::size_t i) { return IsText(type(i)); };
  const auto list = [&](std::size_t i) { return type(i).collection || IsAny(type(i)); };
  const auto whole = [&](std::size_t i) { return !type(i).collection && (IsIntegerKind(type(i).kind) || IsAny(type(i))); };
  const auto one_of = [&](std::initializer_list<EdmKind> kinds) {
    return IsAny(type(0)) ||
           (!type(0).collection && std::find(kinds.begin(), kinds.end(), type(0).kind) != kinds.end());
  };
  switch (function) {
    case Function::kContains:
    case Function::kStartsWith:
    case Function::kEndsWith:
      if ((text(0) && text(1)) || (list(0) && list(1))) return Simple(EdmKind::kBoolean);
      return std::nullopt;
    case Function::kIndexOf:
      if ((text(0) && text(1)) || (list(0) && list(1))) return Simple(EdmKind::kInt32);
      return std::nullopt;
    case Function::kLength:
      if (text(0) || list(0)) return Simple(EdmKind::kInt32);
      return std::nullopt;
    case Function::kConcat:
      if (text(0) && text(1)) return Simple(EdmKind::kString);
      if (list(0) && list(1)) return IsAny(type(0)) ? type(1) : type(0);
      return std::nullopt;
    case Function::kSubstring:
      if ((!text(0) && !list(0)) || !whole(1) || (arguments.size() == 3 && !whole(2))) return std::nullopt;
      return text(0) ? Simple(EdmKind::kString) : type(0);
    case Function::kToLower:
    case Function::kToUpper:
    case Function::kTrim:
      if (text(0)) return Simple(EdmKind::kString);
      return std::nullopt;
    case Function::kMatchesPattern:
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!text(i)) return std::nullopt;
      }
      return Simple(EdmKind::kBoolean);
    case Function::kYear:
    case Function::kMonth:
    case Function::kDay:
      if (one_of({EdmKind::kDate, EdmKind::kDateTimeOffset})) return Simple(EdmKind::kInt32);
      return std::nullopt;
    case Function::kHour:
    case Function::kMinute:
    case Function::kSecond:
      if (one_of({EdmKind::kDateTimeOffset, EdmKind::kTimeOfDay})) return Simple(EdmKind::kInt32);
      return std::nullopt;
    case Function::kFractionalSeconds:
      if (one_of({EdmKind::kDateTimeOffset, EdmKind::kTimeOfDay})) return Simple(EdmKind::kDecimal);
      return std::nullopt;
    case Function::kDate:
      if (one_of({EdmKind::kDateTimeOffset})) return Simple(EdmKind::kDate);
      return std::nullopt;
    case Function::kTime:
      if (one_of({EdmKind::kDateTimeOffset})) return Simple(EdmKind::kTimeOfDay);
      return std::nullopt;
    case Function::kTotalOffsetMinutes:
      if (one_of({EdmKind::kDateTimeOffset})) return Simple(EdmKind::kInt32);
      return std::nullopt;
    case Function::kTotalSeconds:
      if (one_of({EdmKind::kDuration})) return Simple(EdmKind::kDecimal);
      return std::nullopt;
    case Function::kNow:
    case Function::kMinDateTime:
    case Function::kMaxDateTime: return Simple(EdmKind::kDateTimeOffset);
    case Function::kRound:
    case Function::kFloor:
    case Function::kCeiling:
      if (IsNumber(type(0))) return type(0);
      return std::nullopt;
    case Function::kHasSubset:
    case Function::kHasSubsequence:
      if (list(0) && list(1)) return Simple(EdmKind::kBoolean);
      return std::nullopt;
  }
  return std::nullopt;
}

// ERRORS: a pattern must be a literal, so that it is compiled once.
Result<std::shared_ptr<const RegexSearch>> CompilePattern(const std::vector<ExpressionPtr>& arguments) {
  const auto* pattern = dynamic_cast<const LiteralNode*>(arguments[1].get());
  const auto* flags = arguments.size() == 3 ? dynamic_cast<const LiteralNode*>(arguments[2].get()) : nullptr;
  if (pattern == nullptr || (arguments.size() == 3 && flags == nullptr)) {
    return MakeError(ErrorCode::kUnimplemented, "pattern-not-literal",
                     "matchesPattern takes its pattern and flags as literals only");
  }
  if (pattern->value().is_null()) return std::shared_ptr<const RegexSearch>();
  bool fold = false;
  if (flags != nullptr && !flags->value().is_null()) {
    for (const char flag : flags->value().text()) {
      if (flag != 'i') {
        return MakeError(ErrorCode::kInvalidArgument, "pattern-flag",
                         std::string("matchesPattern knows the flag 'i' only, got '") + flag + "'");
      }
      fold = true;
    }
  }
  return RegexSearch::Compile(pattern->value().text(), fold, kMaxPatternBytes);
}

}  // namespace

std::string_view FunctionName(Function function) { return SignatureOf(function).name; }

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
    return MakeError(ErrorCode::kInvalidArgument, "field-hidden", "object " + owner.name() + " has no field '" + field.name + "'");
  }
  return std::make_shared<FieldRefNode>(std::move(origin), owner, field);
}

Result<ExpressionPtr> Member(ExpressionPtr complex, std::string_view member) {
  const EdmType& type = complex->type();
  if (type.kind != EdmKind::kComplex || type.collection || type.members == nullptr) {
    return Mismatch("the path segment '" + std::string(member) + "'", "a complex value before it", *complex);
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
    return MakeError(ErrorCode::kInvalidArgument, "type-mismatch", "only a navigation property compares with null");
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
  if (op == BinaryOp::kAnd || op == BinaryOp::kOr) return MakeLogic(op, std::move(left), std::move(right));
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
    return Mismatch(what + " with " + other.ToString().substr(0, 120), EdmTypeText(other.type()), given);
  }
  if (op != BinaryOp::kEq && op != BinaryOp::kNe) {
    for (const Expression* side : {left.get(), right.get()}) {
      if (side->type().collection || !Orderable(side->type().kind)) return Mismatch(what, "values with an order", *side);
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
      return Mismatch("'in' with " + operand->ToString().substr(0, 120), EdmTypeText(operand->type()), *element);
    }
    depth = std::max(depth, element->depth());
  }
  if (depth + 1 > kMaxDepth) return DepthOf({operand.get()}).error();
  return std::make_shared<InNode>(std::move(operand), std::move(list), depth + 1);
}

Result<ExpressionPtr> InCollection(ExpressionPtr operand, ExpressionPtr collection) {
  if (!collection->type().collection) return Mismatch("'in'", "a list or a collection on its right", *collection);
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

Result<ExpressionPtr> Call(std::string_view function, std::vector<ExpressionPtr> arguments) {
  const std::string name = Lower(function);
  if (name.rfind("geo.", 0) == 0) {
    return MakeError(ErrorCode::kUnimplemented, "function-not-supported", "the function " + std::string(function) + " is not offered");
  }
  const auto signature = std::find_if(kSignatures.begin(), kSignatures.end(),
                                      [&](const Signature& s) { return s.name == name; });
  if (signature == kSignatures.end()) {
    std::vector<std::string> names;
    for (const Signature& s : kSignatures) names.emplace_back(s.name);
    const std::optional<std::string> nearest = NearestName(name, names);
    return MakeError(ErrorCode::kInvalidArgument, "unknown-function", "there is no function '" + std::string(function) + "'",
                     {}, nearest ? "did you mean '" + *nearest + "'?" : "");
  }
  if (arguments.size() < signature->min_arguments || arguments.size() > signature->max_arguments) {
    return MakeError(ErrorCode::kInvalidArgument, "function-arity",
                     std::string(signature->name) + " got " + std::to_string(arguments.size()) + " arguments", {},
                     "write " + std::string(signature->text));
  }
  const std::optional<EdmType> type = CheckCall(signature->function, arguments);
  if (!type) {
    std::string given;
    for (const ExpressionPtr& argument : arguments) given += (given.empty() ? "" : ",") + EdmTypeText(argument->type());
    return MakeError(ErrorCode::kInvalidArgument, "type-mismatch",
                     std::string(signature->text) + " expected, got " + std::string(signature->name) + "(" + given + ")");
  }
  int depth = 0;
  for (const ExpressionPtr& argument : arguments) depth = std::max(depth, argument->depth());
  if (depth + 1 > kMaxDepth) return DepthOf({arguments.front().get(), arguments.back().get()}).error();
  std::shared_ptr<const RegexSearch> regex;
  if (signature->function == Function::kMatchesPattern) {
    TABLECAST_ASSIGN_OR_RETURN(regex, CompilePattern(arguments));
  }
  if (signature->function == Function::kSubstring && arguments.size() == 3) {
    const auto* length = dynamic_cast<const LiteralNode*>(arguments[2].get());
    if (length != nullptr && IsExactNumber(length->value().kind()) && length->value().number().IsNegative()) {
      return MakeError(ErrorCode::kInvalidArgument, "substring-length", "the length of substring is negative");
    }
  }
  return std::make_shared<CallNode>(signature->function, std::move(arguments), *type, depth + 1, std::move(regex));
}

Result<ExpressionPtr> Case(std::vector<std::pair<ExpressionPtr, ExpressionPtr>> branches) {
  if (branches.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "function-arity", "case needs at least one condition:value pair");
  }
  int depth = 0;
  EdmType type;
  for (const auto& [condition, value] : branches) {
    if (!IsBoolean(condition->type())) return Mismatch("a condition of case", "Edm.Boolean", *condition);
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
    return MakeError(ErrorCode::kUnimplemented, "cast-not-supported", "a cast to " + std::string(type_name) + " is not offered");
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

Result<ExpressionPtr> LambdaOverValues(LambdaKind kind, ExpressionPtr collection, std::uint32_t variable,
                                       std::string variable_name, ExpressionPtr predicate) {
  const std::string what = kind == LambdaKind::kAny ? "any" : "all";
  if (!collection->type().collection) return Mismatch(what, "a collection before it", *collection);
  if (predicate && !IsBoolean(predicate->type())) return Mismatch(what, "a Boolean expression", *predicate);
  if (!predicate && kind == LambdaKind::kAll) {
    return MakeError(ErrorCode::kInvalidArgument, "function-arity", "all needs an expression");
  }
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({collection.get(), predicate.get()}));
  return std::make_shared<LambdaValuesNode>(kind, std::move(collection), variable, std::move(variable_name),
                                            std::move(predicate), depth);
}

Result<ExpressionPtr> LambdaOverRecords(LambdaKind kind, Origin origin, const Navigation& navigation,
                                        std::uint32_t variable, std::string variable_name, ExpressionPtr predicate) {
  const std::string what = kind == LambdaKind::kAny ? "any" : "all";
  if (!navigation.collection) {
    return MakeError(ErrorCode::kInvalidArgument, "type-mismatch",
                     what + " needs a collection before it, " + navigation.name + " leads to one record");
  }
  if (predicate && !IsBoolean(predicate->type())) return Mismatch(what, "a Boolean expression", *predicate);
  if (!predicate && kind == LambdaKind::kAll) {
    return MakeError(ErrorCode::kInvalidArgument, "function-arity", "all needs an expression");
  }
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({predicate.get()}));
  return std::make_shared<LambdaRecordsNode>(kind, std::move(origin), navigation, variable, std::move(variable_name),
                                             std::move(predicate), depth);
}

Result<ExpressionPtr> CountOfValues(ExpressionPtr collection) {
  if (!collection->type().collection) return Mismatch("$count", "a collection before it", *collection);
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({collection.get()}));
  return std::make_shared<CountValuesNode>(std::move(collection), depth);
}

Result<ExpressionPtr> CountOfRecords(Origin origin, const Navigation& navigation, std::uint32_t variable,
                                     ExpressionPtr filter, SearchPtr search) {
  if (!navigation.collection) {
    return MakeError(ErrorCode::kInvalidArgument, "type-mismatch",
                     "$count needs a collection before it, " + navigation.name + " leads to one record");
  }
  if (filter && !IsBoolean(filter->type())) return Mismatch("$filter", "a Boolean expression", *filter);
  TABLECAST_ASSIGN_OR_RETURN(const int depth, DepthOf({filter.get()}));
  return std::make_shared<CountRecordsNode>(std::move(origin), navigation, variable, std::move(filter),
                                            std::move(search), depth);
}

}  // namespace expr
}  // namespace tablecast
