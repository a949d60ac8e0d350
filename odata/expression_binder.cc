#include "odata/expression_binder.h"

#include <algorithm>
#include <limits>

#include "base/base64.h"
#include "odata/http_error.h"

namespace tablecast {

namespace {

constexpr std::uint32_t kMaxVariables = 63;  // expression.h
constexpr int kMaxAliasDepth = 10;           // @a=@b=@c...: aliases may not run in circles

bool IsNullLiteral(const syntax::Expr& expr) {
  return expr.kind == syntax::ExprKind::kLiteral && expr.literal == syntax::LiteralKind::kNull;
}

Result<BinaryOp> OpOf(syntax::Op op) {
  switch (op) {
    case syntax::Op::kMul: return BinaryOp::kMul;
    case syntax::Op::kDiv: return BinaryOp::kDiv;
    case syntax::Op::kDivBy: return BinaryOp::kDivBy;
    case syntax::Op::kMod: return BinaryOp::kMod;
    case syntax::Op::kAdd: return BinaryOp::kAdd;
    case syntax::Op::kSub: return BinaryOp::kSub;
    case syntax::Op::kGt: return BinaryOp::kGt;
    case syntax::Op::kGe: return BinaryOp::kGe;
    case syntax::Op::kLt: return BinaryOp::kLt;
    case syntax::Op::kLe: return BinaryOp::kLe;
    case syntax::Op::kEq: return BinaryOp::kEq;
    case syntax::Op::kNe: return BinaryOp::kNe;
    default: return MakeError(ErrorCode::kInternal, "operator-unknown", "an operator without a meaning");
  }
}

EdmValue IntegerLiteral(const Decimal& number) {
  const auto whole = number.ToInt64();
  if (!whole) return EdmValue::Number(number);
  const bool small = *whole >= std::numeric_limits<std::int32_t>::min() && *whole <= std::numeric_limits<std::int32_t>::max();
  return EdmValue::Number(number, small ? EdmKind::kInt32 : EdmKind::kInt64);
}

}  // namespace

Result<EdmValue> LiteralValue(const syntax::Expr& literal) {
  using Kind = syntax::LiteralKind;
  switch (literal.literal) {
    case Kind::kNull: return EdmValue::Null();
    case Kind::kBoolean: return EdmValue::Boolean(literal.text == "true");
    case Kind::kInteger:
    case Kind::kDecimal: {
      auto number = Decimal::Parse(literal.text);
      if (!number.ok()) {
        return MakeError(ErrorCode::kInvalidArgument, "literal-invalid",
                         "the number `" + literal.text + "` is outside of what can be stored or compared");
      }
      return literal.literal == Kind::kInteger ? IntegerLiteral(*number) : EdmValue::Number(*number);
    }
    case Kind::kInfinity:
      return EdmValue::Double(literal.text.starts_with("-") ? -std::numeric_limits<double>::infinity()
                                                            : std::numeric_limits<double>::infinity());
    case Kind::kNaN: return EdmValue::Double(std::numeric_limits<double>::quiet_NaN());
    case Kind::kString: return EdmValue::String(literal.text);
    case Kind::kGuid: return ParseEdm(EdmKind::kGuid, literal.text);
    case Kind::kDate: return ParseEdm(EdmKind::kDate, literal.text);
    case Kind::kDateTimeOffset: return ParseEdm(EdmKind::kDateTimeOffset, literal.text);
    case Kind::kTimeOfDay: return ParseEdm(EdmKind::kTimeOfDay, literal.text);
    case Kind::kDuration: return ParseEdm(EdmKind::kDuration, literal.text);
    case Kind::kBinary: return ParseEdm(EdmKind::kBinary, literal.text);
    case Kind::kEnum: return NotOffered("the enumeration type " + literal.name);
    case Kind::kGeography:
    case Kind::kGeometry: return NotOffered("a geo literal");
  }
  return NotOffered("this literal");
}

// Where a path stands after some segments: at records, or at a value.
struct ExpressionBinder::PathState {
  enum class Where { kRecord, kRecords, kValue };
  Where where = Where::kRecord;
  const ExternalObject* object = nullptr;
  Origin origin;
  const Navigation* collection = nullptr;  // kRecords: the last navigation, not part of origin.path
  ExpressionPtr value;                     // kValue
};

Error ExpressionBinder::At(Error error, const syntax::Span& at) const {
  if (error.position.line == 0) {
    error.position.line = 1;
    error.position.column = at.begin + 1;
    error.position.offset = at.begin;
  }
  if (error.target.empty()) error.target = target_;
  return error;
}

Result<const Field*> ExpressionBinder::FindField(const ExternalObject& object, std::string_view name,
                                                 const syntax::Span& at) const {
  const Field* field = object.FindField(name);
  if (field != nullptr && !field->hidden && !principal_.HidesField(object.name(), field->name)) return field;
  const auto nearest = object.NearestFieldName(name);
  const bool may_name = nearest && !principal_.HidesField(object.name(), *nearest);
  Error error = MakeError(ErrorCode::kInvalidArgument, "property-unknown",
                          object.name() + " has no property `" + std::string(name) + "`", "",
                          may_name ? "did you mean `" + *nearest + "`?" : "see $metadata");
  return At(std::move(error), at);
}

const Navigation* ExpressionBinder::FindNavigation(const ExternalObject& object, std::string_view name) const {
  const Navigation* navigation = object.FindNavigation(name);
  if (navigation == nullptr || !principal_.RightsFor(navigation->target->name()).read) return nullptr;
  return navigation;
}

bool ExpressionBinder::IsOwnType(const ExternalObject& object, std::string_view qualified) const {
  return qualified == catalog_.schema_namespace() + "." + object.name();
}

Result<ExpressionPtr> ExpressionBinder::BindLiteral(const syntax::Expr& literal) {
  auto value = LiteralValue(literal);
  if (!value.ok()) return At(value.error(), literal.at);
  return expr::Literal(*std::move(value));
}

Result<std::vector<ExpressionPtr>> ExpressionBinder::BindAll(const std::vector<syntax::Expr>& list,
                                                             const BindScope& scope) {
  std::vector<ExpressionPtr> bound;
  bound.reserve(list.size());
  for (const syntax::Expr& expr : list) {
    TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr one, Bind(expr, scope));
    bound.push_back(std::move(one));
  }
  return bound;
}

Result<ExpressionPtr> ExpressionBinder::BindCondition(const syntax::Expr& expr, const BindScope& scope) {
  TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr bound, Bind(expr, scope));
  const EdmKind kind = bound->type().kind;
  if ((kind != EdmKind::kBoolean && kind != EdmKind::kNull) || bound->type().collection) {
    return At(MakeError(ErrorCode::kInvalidArgument, "type-mismatch",
                        "a condition is Boolean; this is " + EdmTypeText(bound->type())),
              expr.at);
  }
  return bound;
}

Result<SearchPtr> ExpressionBinder::BindSearch(const syntax::Search& search) {
  std::vector<SearchPtr> children;
  for (const syntax::Search& part : search.args) {
    TABLECAST_ASSIGN_OR_RETURN(SearchPtr child, BindSearch(part));
    children.push_back(std::move(child));
  }
  switch (search.kind) {
    case syntax::Search::Kind::kWord:
    case syntax::Search::Kind::kPhrase: return SearchTerm(search.text);
    case syntax::Search::Kind::kAnd: return SearchAnd(std::move(children));
    case syntax::Search::Kind::kOr: return SearchOr(std::move(children));
    case syntax::Search::Kind::kNot: return SearchNot(std::move(children.front()));
  }
  return SearchTerm(search.text);
}

Result<ExpressionPtr> ExpressionBinder::BindIn(const syntax::Expr& expr, const BindScope& scope) {
  TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr operand, Bind(expr.args[0], scope));
  const syntax::Expr* list = &expr.args[1];
  // An alias may stand for the list: `STATUS in @list`.
  if (list->kind == syntax::ExprKind::kPath && list->args.size() == 1 &&
      list->args[0].kind == syntax::ExprKind::kAlias) {
    for (const syntax::AliasValue& alias : parameter_aliases_) {
      if (alias.name == list->args[0].text) list = &alias.value;
    }
  }
  if (list->kind == syntax::ExprKind::kList || list->kind == syntax::ExprKind::kArray) {
    TABLECAST_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> items, BindAll(list->args, scope));
    auto bound = expr::In(std::move(operand), std::move(items));
    return bound.ok() ? bound : Result<ExpressionPtr>(At(bound.error(), expr.at));
  }
  TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr collection, Bind(*list, scope));
  auto bound = expr::InCollection(std::move(operand), std::move(collection));
  return bound.ok() ? bound : Result<ExpressionPtr>(At(bound.error(), expr.at));
}

Result<ExpressionPtr> ExpressionBinder::BindBinary(const syntax::Expr& expr, const BindScope& scope) {
  if (expr.op == syntax::Op::kIn) return BindIn(expr, scope);
  // `Product eq null`: whether a navigation to one record leads anywhere.
  if (expr.op == syntax::Op::kEq || expr.op == syntax::Op::kNe) {
    for (const std::size_t side : {0U, 1U}) {
      const syntax::Expr& path = expr.args[side];
      if (path.kind != syntax::ExprKind::kPath || !IsNullLiteral(expr.args[1 - side])) continue;
      PathState state;
      TABLECAST_RETURN_IF_ERROR(FirstSegment(path.args[0], scope, state));
      for (std::size_t i = 1; i < path.args.size(); ++i) {
        TABLECAST_RETURN_IF_ERROR(NextSegment(path.args[i], scope, state));
      }
      if (state.where != PathState::Where::kRecord || state.origin.path.empty()) continue;
      auto is_null = expr::NavigationIsNull(state.origin);
      if (!is_null.ok()) return At(is_null.error(), path.at);
      if (expr.op == syntax::Op::kEq) return is_null;
      auto negated = expr::Not(*is_null);
      return negated.ok() ? negated : Result<ExpressionPtr>(At(negated.error(), expr.at));
    }
  }
  TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr left, Bind(expr.args[0], scope));
  TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr right, Bind(expr.args[1], scope));
  if (expr.op == syntax::Op::kHas) {
    auto has = expr::Has(std::move(left), std::move(right));
    return has.ok() ? has : Result<ExpressionPtr>(At(has.error(), expr.at));
  }
  TABLECAST_ASSIGN_OR_RETURN(const BinaryOp op, OpOf(expr.op));
  auto bound = expr::Binary(op, std::move(left), std::move(right));
  return bound.ok() ? bound : Result<ExpressionPtr>(At(bound.error(), expr.at));
}

Result<ExpressionPtr> ExpressionBinder::Bind(const syntax::Expr& expr, const BindScope& scope) {
  using Kind = syntax::ExprKind;
  const auto located = [&](Result<ExpressionPtr> bound) {
    return bound.ok() ? bound : Result<ExpressionPtr>(At(bound.error(), expr.at));
  };
  switch (expr.kind) {
    case Kind::kLiteral: return BindLiteral(expr);
    case Kind::kPath: return BindPath(expr, scope);
    case Kind::kAnd:
    case Kind::kOr: {
      const BinaryOp op = expr.kind == Kind::kAnd ? BinaryOp::kAnd : BinaryOp::kOr;
      TABLECAST_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> parts, BindAll(expr.args, scope));
      // Joined as a balanced tree, so that 2,000 alternatives do not make a chain of that depth.
      while (parts.size() > 1) {
        std::vector<ExpressionPtr> joined;
        for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
          auto pair = expr::Binary(op, parts[i], parts[i + 1]);
          if (!pair.ok()) return At(pair.error(), expr.at);
          joined.push_back(*std::move(pair));
        }
        if (parts.size() % 2 == 1) joined.push_back(parts.back());
        parts = std::move(joined);
      }
      return parts.front();
    }
    case Kind::kNot: {
      TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr operand, Bind(expr.args[0], scope));
      return located(expr::Not(std::move(operand)));
    }
    case Kind::kNegate: {
      TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr operand, Bind(expr.args[0], scope));
      return located(expr::Negate(std::move(operand)));
    }
    case Kind::kBinary: return BindBinary(expr, scope);
    case Kind::kCall: {
      TABLECAST_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> arguments, BindAll(expr.args, scope));
      return located(expr::Call(expr.text, std::move(arguments)));
    }
    case Kind::kCast:
    case Kind::kIsOf: {
      if (expr.args.empty()) {
        if (expr.kind == Kind::kIsOf && scope.object != nullptr && IsOwnType(*scope.object, expr.name)) {
          return expr::Literal(EdmValue::Boolean(true));
        }
        return At(NotOffered("a cast of the whole record to " + expr.name), expr.at);
      }
      TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr operand, Bind(expr.args[0], scope));
      return located(expr.kind == Kind::kCast ? expr::Cast(std::move(operand), expr.name)
                                              : expr::IsOf(std::move(operand), expr.name));
    }
    case Kind::kCase: {
      std::vector<std::pair<ExpressionPtr, ExpressionPtr>> branches;
      for (std::size_t i = 0; i + 1 < expr.args.size(); i += 2) {
        TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr condition, BindCondition(expr.args[i], scope));
        TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr value, Bind(expr.args[i + 1], scope));
        branches.emplace_back(std::move(condition), std::move(value));
      }
      return located(expr::Case(std::move(branches)));
    }
    case Kind::kArray:
    case Kind::kList: {
      EdmValue::Collection elements;
      for (const syntax::Expr& element : expr.args) {
        if (element.kind != Kind::kLiteral) return At(NotOffered("a list of anything but literals"), element.at);
        TABLECAST_ASSIGN_OR_RETURN(EdmValue value, LiteralValue(element));
        elements.push_back(std::move(value));
      }
      return expr::Literal(EdmValue::OfCollection(std::move(elements)));
    }
    default: return At(NotOffered("this kind of expression"), expr.at);
  }
}

Status ExpressionBinder::NameOnObject(const syntax::Expr& segment, const BindScope& scope, PathState& state) {
  const std::string& name = segment.text;
  if (state.origin.variable == scope.object_variable && state.origin.path.empty()) {
    for (const auto& [alias, definition] : scope.aliases) {
      if (alias != name) continue;
      state.where = PathState::Where::kValue;
      state.value = expr::Alias(alias, definition);
      return {};
    }
  }
  if (const Navigation* navigation = FindNavigation(*state.object, name)) {
    if (navigation->collection) {
      state.where = PathState::Where::kRecords;
      state.collection = navigation;
    } else {
      state.origin.path.push_back(navigation);
    }
    state.object = navigation->target;
    return {};
  }
  TABLECAST_ASSIGN_OR_RETURN(const Field* field, FindField(*state.object, name, segment.at));
  auto value = expr::FieldRef(state.origin, *state.object, *field);
  if (!value.ok()) return At(value.error(), segment.at);
  state.where = PathState::Where::kValue;
  state.value = *std::move(value);
  return {};
}

Status ExpressionBinder::FirstSegment(const syntax::Expr& segment, const BindScope& scope, PathState& state) {
  using Kind = syntax::ExprKind;
  const auto start_at_record = [&](const ExternalObject* object, std::uint32_t variable) {
    state.where = PathState::Where::kRecord;
    state.object = object;
    state.origin.variable = variable;
  };
  switch (segment.kind) {
    case Kind::kName: {
      for (auto it = scope.variables.rbegin(); it != scope.variables.rend(); ++it) {
        if (it->name != segment.text) continue;
        if (it->object != nullptr) {
          start_at_record(it->object, it->number);
        } else {
          state.where = PathState::Where::kValue;
          state.value = expr::VariableRef(it->number, it->name, it->type);
        }
        return {};
      }
      if (scope.columns != nullptr) {
        for (std::size_t i = 0; i < scope.columns->size(); ++i) {
          const ResultColumn& column = (*scope.columns)[i];
          if (column.name != segment.text) continue;
          state.where = PathState::Where::kValue;
          state.value = expr::ColumnRef(static_cast<std::uint32_t>(i), column.name, column.type);
          return {};
        }
        if (scope.object == nullptr) {
          return At(MakeError(ErrorCode::kInvalidArgument, "property-unknown",
                              "the rows at this point of $apply have no property `" + segment.text + "`"),
                    segment.at);
        }
      }
      start_at_record(scope.object, scope.object_variable);
      return NameOnObject(segment, scope, state);
    }
    case Kind::kIt:
      if (scope.object == nullptr) return At(NotOffered("$it over aggregated rows"), segment.at);
      start_at_record(scope.object, scope.object_variable);
      return {};
    case Kind::kThis:
      if (!scope.variables.empty()) {
        const BindScope::Variable& variable = scope.variables.back();
        if (variable.object != nullptr) {
          start_at_record(variable.object, variable.number);
        } else {
          state.where = PathState::Where::kValue;
          state.value = expr::VariableRef(variable.number, variable.name, variable.type);
        }
        return {};
      }
      start_at_record(scope.object, scope.object_variable);
      return {};
    case Kind::kAlias: {
      for (const syntax::AliasValue& alias : parameter_aliases_) {
        if (alias.name != segment.text) continue;
        if (++alias_depth_ > kMaxAliasDepth) {
          return At(MakeError(ErrorCode::kInvalidArgument, "alias-circle", "parameter aliases refer to each other in a circle"),
                    segment.at);
        }
        auto bound = Bind(alias.value, scope);
        --alias_depth_;
        if (!bound.ok()) return bound.error();
        state.where = PathState::Where::kValue;
        state.value = *std::move(bound);
        return {};
      }
      // A parameter alias without a value is null (URL conventions 5.3.4).
      state.where = PathState::Where::kValue;
      state.value = expr::Literal(EdmValue::Null());
      return {};
    }
    case Kind::kQualifiedName:
      if (scope.object != nullptr && IsOwnType(*scope.object, segment.text)) {
        start_at_record(scope.object, scope.object_variable);
        return {};
      }
      return At(NotOffered("the type or function " + segment.text), segment.at);
    case Kind::kAny:
    case Kind::kAll: {
      if (scope.variables.empty()) break;
      return At(NotOffered("a lambda over $this"), segment.at);
    }
    case Kind::kRoot: return At(NotOffered("a record of $root without one of its properties"), segment.at);
    default: break;
  }
  return At(NotOffered("`" + segment.text + "` at the start of a path"), segment.at);
}

Status ExpressionBinder::Lambda(const syntax::Expr& segment, const BindScope& scope, PathState& state) {
  const LambdaKind kind = segment.kind == syntax::ExprKind::kAny ? LambdaKind::kAny : LambdaKind::kAll;
  if (next_variable_ > kMaxVariables) {
    return At(MakeError(ErrorCode::kResourceExhausted, "lambda-limit", "an expression may have 63 lambda variables"),
              segment.at);
  }
  const std::uint32_t number = next_variable_++;
  BindScope inner = scope;
  inner.variables.push_back({segment.text, number, nullptr, {}});
  ExpressionPtr predicate;
  if (state.where == PathState::Where::kRecords) {
    inner.variables.back().object = state.collection->target;
    if (!segment.args.empty()) {
      TABLECAST_ASSIGN_OR_RETURN(predicate, BindCondition(segment.args[0], inner));
    }
    auto bound = expr::LambdaOverRecords(kind, state.origin, *state.collection, number, segment.text, predicate);
    if (!bound.ok()) return At(bound.error(), segment.at);
    state.value = *std::move(bound);
  } else {
    if (state.where != PathState::Where::kValue || !state.value->type().collection) {
      return At(MakeError(ErrorCode::kInvalidArgument, "type-mismatch", "any and all need a collection before them"),
                segment.at);
    }
    inner.variables.back().type = state.value->type();
    inner.variables.back().type.collection = false;
    if (!segment.args.empty()) {
      TABLECAST_ASSIGN_OR_RETURN(predicate, BindCondition(segment.args[0], inner));
    }
    auto bound = expr::LambdaOverValues(kind, state.value, number, segment.text, predicate);
    if (!bound.ok()) return At(bound.error(), segment.at);
    state.value = *std::move(bound);
  }
  state.where = PathState::Where::kValue;
  return {};
}

Status ExpressionBinder::CountSegment(const syntax::Expr& segment, const BindScope& scope, PathState& state) {
  if (state.where == PathState::Where::kRecords) {
    if (next_variable_ > kMaxVariables) {
      return At(MakeError(ErrorCode::kResourceExhausted, "lambda-limit", "an expression may have 63 lambda variables"),
                segment.at);
    }
    const std::uint32_t number = next_variable_++;
    BindScope inner = scope;
    inner.object = state.collection->target;
    inner.object_variable = number;
    inner.aliases.clear();
    inner.columns = nullptr;
    ExpressionPtr filter;
    SearchPtr search;
    for (const syntax::Expr& option : segment.args) {
      if (option.text == "$filter") {
        TABLECAST_ASSIGN_OR_RETURN(filter, BindCondition(option.args[0], inner));
      } else if (option.text == "$search") {
        search = SearchTerm(option.name);
      }
    }
    auto bound = expr::CountOfRecords(state.origin, *state.collection, number, std::move(filter), std::move(search));
    if (!bound.ok()) return At(bound.error(), segment.at);
    state.value = *std::move(bound);
  } else {
    if (state.where != PathState::Where::kValue || !state.value->type().collection) {
      return At(MakeError(ErrorCode::kInvalidArgument, "type-mismatch", "$count needs a collection before it"), segment.at);
    }
    if (!segment.args.empty()) return At(NotOffered("$count with options over a collection of values"), segment.at);
    auto bound = expr::CountOfValues(state.value);
    if (!bound.ok()) return At(bound.error(), segment.at);
    state.value = *std::move(bound);
  }
  state.where = PathState::Where::kValue;
  return {};
}

Status ExpressionBinder::NextSegment(const syntax::Expr& segment, const BindScope& scope, PathState& state) {
  using Kind = syntax::ExprKind;
  switch (segment.kind) {
    case Kind::kName: {
      if (state.where == PathState::Where::kRecord) return NameOnObject(segment, scope, state);
      if (state.where == PathState::Where::kRecords) {
        return At(MakeError(ErrorCode::kInvalidArgument, "type-mismatch",
                            "`" + state.collection->name + "` leads to many records; use any, all or $count"),
                  segment.at);
      }
      auto member = expr::Member(state.value, segment.text);
      if (!member.ok()) return At(member.error(), segment.at);
      state.value = *std::move(member);
      return {};
    }
    case Kind::kQualifiedName:
      if (state.where != PathState::Where::kValue && IsOwnType(*state.object, segment.text)) return {};
      return At(NotOffered("the type or function " + segment.text), segment.at);
    case Kind::kAny:
    case Kind::kAll: return Lambda(segment, scope, state);
    case Kind::kCount: return CountSegment(segment, scope, state);
    case Kind::kKey: return At(NotOffered("a key inside an expression's path"), segment.at);
    case Kind::kAnnotation: return At(NotOffered("an annotation in an expression"), segment.at);
    default: return At(NotOffered("`" + segment.text + "` in a path"), segment.at);
  }
}

// The path as one of a URL, so that both mean the same and obey the same rights.
Result<ExpressionPtr> ExpressionBinder::BindRoot(const syntax::Expr& path) {
  using Segment = syntax::PathSegment;
  if (!root_reader_) return At(NotOffered("$root here"), path.at);
  syntax::ResourcePath resource;
  for (std::size_t i = 1; i < path.args.size(); ++i) {
    const syntax::Expr& part = path.args[i];
    Segment segment;
    segment.text = segment.decoded = part.text;
    segment.at = part.at;
    switch (part.kind) {
      case syntax::ExprKind::kName: segment.kind = Segment::Kind::kName; break;
      case syntax::ExprKind::kQualifiedName: segment.kind = Segment::Kind::kQualifiedName; break;
      case syntax::ExprKind::kCount:
        if (!part.args.empty()) return At(NotOffered("$count with options behind $root"), part.at);
        segment.kind = Segment::Kind::kCount;
        break;
      case syntax::ExprKind::kKey: {
        std::vector<syntax::PathArgument>& arguments = resource.segments.back().arguments.emplace();
        for (const syntax::Expr& argument : part.args) {
          const bool named = argument.kind == syntax::ExprKind::kNamedArgument;
          arguments.push_back({named ? argument.text : "", named ? argument.args[0] : argument, argument.at});
        }
        continue;
      }
      default: return At(NotOffered("`" + part.text + "` behind $root"), part.at);
    }
    resource.segments.push_back(std::move(segment));
  }
  auto value = root_reader_(resource);
  if (!value.ok()) {
    Error error = value.error();
    // The URL itself names something that exists: what is wrong is this option.
    if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kInvalidArgument;
    if (error.reason == "record-not-found") error.reason = "root-record-not-found";
    error.target.clear();
    error.position = {};
    return At(std::move(error), path.at);
  }
  return expr::Literal(*std::move(value));
}

Result<ExpressionPtr> ExpressionBinder::BindPath(const syntax::Expr& path, const BindScope& scope) {
  // A path such as Product/CATEGORY may be a column of $apply rows under that name.
  if (scope.columns != nullptr && path.args.size() > 1) {
    for (std::size_t i = 0; i < scope.columns->size(); ++i) {
      const ResultColumn& column = (*scope.columns)[i];
      if (column.name == path.text) return expr::ColumnRef(static_cast<std::uint32_t>(i), column.name, column.type);
    }
  }
  if (path.args[0].kind == syntax::ExprKind::kRoot) return BindRoot(path);
  PathState state;
  TABLECAST_RETURN_IF_ERROR(FirstSegment(path.args[0], scope, state));
  for (std::size_t i = 1; i < path.args.size(); ++i) {
    TABLECAST_RETURN_IF_ERROR(NextSegment(path.args[i], scope, state));
  }
  if (state.where == PathState::Where::kValue) return state.value;
  return At(MakeError(ErrorCode::kInvalidArgument, "type-mismatch",
                      state.where == PathState::Where::kRecord
                          ? "a record has no value of its own; name one of its properties"
                          : "a collection of records has no value; use any, all or $count"),
            path.at);
}

}  // namespace tablecast
