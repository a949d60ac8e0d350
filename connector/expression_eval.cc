// Evaluation and printing of expression nodes.

#include <algorithm>

#include "connector/expression_nodes.h"
#include "connector/search.h"
#include "item/number.h"

namespace tablecast {
namespace {

EdmType Simple(EdmKind kind) { return EdmType{kind, false, nullptr}; }

EdmValue FromTruth(Truth truth) {
  return truth == Truth::kUnknown ? EdmValue() : EdmValue::Boolean(truth == Truth::kTrue);
}
Truth ToTruth(bool value) { return value ? Truth::kTrue : Truth::kFalse; }

std::string_view OpText(BinaryOp op) {
  switch (op) {
    case BinaryOp::kEq: return "eq";
    case BinaryOp::kNe: return "ne";
    case BinaryOp::kLt: return "lt";
    case BinaryOp::kLe: return "le";
    case BinaryOp::kGt: return "gt";
    case BinaryOp::kGe: return "ge";
    case BinaryOp::kAnd: return "and";
    case BinaryOp::kOr: return "or";
    case BinaryOp::kAdd: return "add";
    case BinaryOp::kSub: return "sub";
    case BinaryOp::kMul: return "mul";
    case BinaryOp::kDiv: return "div";
    case BinaryOp::kDivBy: return "divby";
    case BinaryOp::kMod: return "mod";
  }
  return "eq";
}

// An operand in brackets unless it stands for itself.
void AppendOperand(std::string& out, const Expression& operand) {
  const bool bare = dynamic_cast<const LiteralNode*>(&operand) != nullptr ||
                    dynamic_cast<const FieldRefNode*>(&operand) != nullptr ||
                    dynamic_cast<const MemberNode*>(&operand) != nullptr ||
                    dynamic_cast<const ColumnRefNode*>(&operand) != nullptr ||
                    dynamic_cast<const AliasNode*>(&operand) != nullptr ||
                    dynamic_cast<const VariableRefNode*>(&operand) != nullptr ||
                    dynamic_cast<const CallNode*>(&operand) != nullptr ||
                    dynamic_cast<const CaseNode*>(&operand) != nullptr ||
                    dynamic_cast<const CastNode*>(&operand) != nullptr ||
                    dynamic_cast<const CountValuesNode*>(&operand) != nullptr ||
                    dynamic_cast<const CountRecordsNode*>(&operand) != nullptr ||
                    dynamic_cast<const LambdaValuesNode*>(&operand) != nullptr ||
                    dynamic_cast<const LambdaRecordsNode*>(&operand) != nullptr;
  if (!bare) out += '(';
  operand.AppendTo(out);
  if (!bare) out += ')';
}

void AppendOrigin(std::string& out, const Origin& origin) {
  if (origin.variable != 0) out += "v" + std::to_string(origin.variable) + "/";
  for (const Navigation* step : origin.path) out += step->name + "/";
}

// Calls `use` with the record at the end of `path`, at most once; false when it leads nowhere.
bool AtEnd(const RecordView& from, const std::vector<const Navigation*>& path, std::size_t step,
           EvalContext& context, const std::function<void(const RecordView&)>& use) {
  if (step == path.size()) {
    use(from);
    return true;
  }
  if (context.related() == nullptr) {
    context.Fail(MakeError(ErrorCode::kInternal, "no-related-reader",
                           "related records cannot be read here"));
    return false;
  }
  bool found = false;
  const Status status =
      context.related()->ForEachRelated(*path[step], from, [&](const RecordView& next) {
        found = AtEnd(next, path, step + 1, context, use);
        return false;
      });
  if (!status.ok()) context.Fail(status.error());
  return found;
}

bool WithOrigin(const Origin& origin, EvalContext& context,
                const std::function<void(const RecordView&)>& use) {
  const RecordView* record = context.record(origin.variable);
  if (record == nullptr) return false;
  return AtEnd(*record, origin.path, 0, context, use);
}

// Visits the records behind a collection navigation with `variable` bound to each.
void ForEachMember(const Origin& origin, const Navigation& navigation, std::uint32_t variable,
                   EvalContext& context, const std::function<bool(const RecordView&)>& visit) {
  const RecordView* outer = context.record(variable);
  WithOrigin(origin, context, [&](const RecordView& owner) {
    if (context.related() == nullptr) {
      context.Fail(MakeError(ErrorCode::kInternal, "no-related-reader",
                             "related records cannot be read here"));
      return;
    }
    const Status status =
        context.related()->ForEachRelated(navigation, owner, [&](const RecordView& member) {
          context.Bind(variable, &member);
          return visit(member) && !context.error();
        });
    if (!status.ok()) context.Fail(status.error());
  });
  context.Bind(variable, outer);
}

// Of a list: a collection of its elements' type, so that hassubset(['a'],['a']) is typed like one over a field.
EdmType TypeOfLiteral(const EdmValue& value) {
  if (value.kind() != EdmKind::kCollection) return Simple(value.kind());
  EdmType type = Simple(value.collection().empty() ? EdmKind::kNull : value.collection().front().kind());
  type.collection = true;
  return type;
}

}  // namespace

LiteralNode::LiteralNode(EdmValue value)
    : Expression(TypeOfLiteral(value), 1), value_(std::move(value)) {}

FieldRefNode::FieldRefNode(Origin origin, const ExternalObject& owner, const Field& field)
    : Expression(TypeOf(field), 1), origin_(std::move(origin)), owner_(&owner), field_(&field) {}

EdmValue FieldRefNode::Evaluate(EvalContext& context) const {
  if (origin_.path.empty()) {
    const RecordView* record = context.record(origin_.variable);
    return record == nullptr ? EdmValue() : record->Value(*field_);
  }
  EdmValue out;
  WithOrigin(origin_, context, [&](const RecordView& record) { out = record.Value(*field_); });
  return out;
}

void FieldRefNode::AppendTo(std::string& out) const {
  AppendOrigin(out, origin_);
  out += field_->name;
}

MemberNode::MemberNode(ExpressionPtr complex, const Field& member, int depth)
    : Expression(TypeOf(member), depth), complex_(std::move(complex)), member_(&member) {}

EdmValue MemberNode::Evaluate(EvalContext& context) const {
  const EdmValue value = complex_->Evaluate(context);
  if (value.kind() != EdmKind::kComplex) return {};
  for (const auto& [name, member] : value.complex()) {
    if (name == member_->name) return member;
  }
  return {};
}

void MemberNode::AppendTo(std::string& out) const {
  complex_->AppendTo(out);
  out += "/" + member_->name;
}

EdmValue ColumnRefNode::Evaluate(EvalContext& context) const {
  const EvalContext::Row* row = context.row();
  if (row == nullptr || index_ >= row->size() || !(*row)[index_]) return {};
  return *(*row)[index_];
}

EdmValue VariableRefNode::Evaluate(EvalContext& context) const {
  const EdmValue* value = context.value(variable_);
  return value == nullptr ? EdmValue() : *value;
}

NavigationNullNode::NavigationNullNode(Origin origin)
    : Expression(Simple(EdmKind::kBoolean), 1), origin_(std::move(origin)) {}

EdmValue NavigationNullNode::Evaluate(EvalContext& context) const {
  return EdmValue::Boolean(!WithOrigin(origin_, context, [](const RecordView&) {}));
}

void NavigationNullNode::AppendTo(std::string& out) const {
  AppendOrigin(out, origin_);
  out.back() = ' ';
  out += "eq null";
}

LogicNode::LogicNode(BinaryOp op, std::vector<ExpressionPtr> parts, int depth)
    : Expression(Simple(EdmKind::kBoolean), depth), op_(op), parts_(std::move(parts)) {}

EdmValue LogicNode::Evaluate(EvalContext& context) const { return FromTruth(Test(context)); }

Truth LogicNode::Test(EvalContext& context) const {
  const Truth decisive = op_ == BinaryOp::kAnd ? Truth::kFalse : Truth::kTrue;
  bool unknown = false;
  for (const ExpressionPtr& part : parts_) {
    const Truth truth = part->Test(context);
    if (truth == decisive) return decisive;
    unknown = unknown || truth == Truth::kUnknown;
  }
  if (unknown) return Truth::kUnknown;
  return op_ == BinaryOp::kAnd ? Truth::kTrue : Truth::kFalse;
}

void LogicNode::AppendTo(std::string& out) const {
  bool first = true;
  for (const ExpressionPtr& part : parts_) {
    if (!first) out += op_ == BinaryOp::kAnd ? " and " : " or ";
    first = false;
    const bool logic = dynamic_cast<const LogicNode*>(part.get()) != nullptr;
    if (logic) out += '(';
    part->AppendTo(out);
    if (logic) out += ')';
  }
}

NotNode::NotNode(ExpressionPtr operand, int depth)
    : Expression(Simple(EdmKind::kBoolean), depth), operand_(std::move(operand)) {}

EdmValue NotNode::Evaluate(EvalContext& context) const { return FromTruth(Test(context)); }

Truth NotNode::Test(EvalContext& context) const {
  const Truth truth = operand_->Test(context);
  return truth == Truth::kUnknown ? truth : ToTruth(truth == Truth::kFalse);
}

void NotNode::AppendTo(std::string& out) const {
  out += "not ";
  AppendOperand(out, *operand_);
}

CompareNode::CompareNode(BinaryOp op, ExpressionPtr left, ExpressionPtr right, int depth)
    : Expression(Simple(EdmKind::kBoolean), depth),
      op_(op),
      left_(std::move(left)),
      right_(std::move(right)) {
  const auto* field = dynamic_cast<const FieldRefNode*>(left_.get());
  const auto* literal = dynamic_cast<const LiteralNode*>(right_.get());
  if (field == nullptr || literal == nullptr || !field->IsOwn()) return;
  const Field& f = field->field();
  if (f.source.kind != SourceKind::kAttribute || f.collection) return;
  if (IsExactNumber(literal->value().kind()) && f.kind == EdmKind::kDecimal) {
    Result<std::string> code = EncodeNumber(literal->value().number());
    if (!code.ok()) return;
    number_field_ = &f;
    number_code_ = *std::move(code);
    return;
  }
  if (literal->value().kind() != EdmKind::kString) return;
  const bool plain = IsTextType(f.type);
  // An empty literal never equals an empty stored text that is published as null.
  if (plain && !(f.empty_text_is_null && literal->value().text().empty())) {
    text_field_ = &f;
    text_literal_ = &literal->value().text();
  }
}

EdmValue CompareNode::Evaluate(EvalContext& context) const { return FromTruth(Test(context)); }

Truth CompareNode::Test(EvalContext& context) const {
  const auto decide = [&](int order) {
    switch (op_) {
      case BinaryOp::kEq: return ToTruth(order == 0);
      case BinaryOp::kNe: return ToTruth(order != 0);
      case BinaryOp::kLt: return ToTruth(order < 0);
      case BinaryOp::kLe: return ToTruth(order <= 0);
      case BinaryOp::kGt: return ToTruth(order > 0);
      default: return ToTruth(order >= 0);
    }
  };
  if (text_field_ != nullptr) {
    const RecordView* record = context.record(0);
    if (record == nullptr) return ToTruth(op_ == BinaryOp::kNe);
    const AttributeView stored = record->Stored(*text_field_);
    const bool null = !stored.Is(AttributeType::kS) ||
                      (stored.payload().empty() && text_field_->empty_text_is_null);
    if (null) return ToTruth(op_ == BinaryOp::kNe);
    return decide(stored.payload().compare(*text_literal_));
  }
  if (number_field_ != nullptr) {
    const RecordView* record = context.record(0);
    const AttributeView stored = record == nullptr ? AttributeView() : record->Stored(*number_field_);
    if (!stored.Is(AttributeType::kN)) return ToTruth(op_ == BinaryOp::kNe);
    return decide(stored.payload().compare(number_code_));
  }
  const EdmValue left = left_->Evaluate(context);
  const EdmValue right = right_->Evaluate(context);
  if (op_ == BinaryOp::kEq) return ToTruth(EqualEdm(left, right));
  if (op_ == BinaryOp::kNe) return ToTruth(!EqualEdm(left, right));
  const auto order = CompareEdm(left, right);
  if (!order) return Truth::kFalse;  // null or NaN on a side
  return decide(*order < 0 ? -1 : (*order > 0 ? 1 : 0));
}

void CompareNode::AppendTo(std::string& out) const {
  AppendOperand(out, *left_);
  out += ' ';
  out += OpText(op_);
  out += ' ';
  AppendOperand(out, *right_);
}

InNode::InNode(ExpressionPtr operand, std::vector<ExpressionPtr> list, int depth)
    : Expression(Simple(EdmKind::kBoolean), depth),
      operand_(std::move(operand)),
      list_(std::move(list)) {
  all_literals_ = std::all_of(list_.begin(), list_.end(), [](const ExpressionPtr& e) {
    return dynamic_cast<const LiteralNode*>(e.get()) != nullptr;
  });
  if (!all_literals_) return;
  for (const ExpressionPtr& element : list_) {
    const EdmValue& value = static_cast<const LiteralNode*>(element.get())->value();
    if (value.is_null()) {
      has_null_ = true;
    } else {
      sorted_.push_back(value);
    }
  }
  std::sort(sorted_.begin(), sorted_.end(),
            [](const EdmValue& a, const EdmValue& b) { return OrderEdm(a, b) < 0; });
}

EdmValue InNode::Evaluate(EvalContext& context) const {
  const EdmValue value = operand_->Evaluate(context);
  if (all_literals_) {
    if (value.is_null()) return EdmValue::Boolean(has_null_);
    const auto at =
        std::lower_bound(sorted_.begin(), sorted_.end(), value,
                         [](const EdmValue& a, const EdmValue& b) { return OrderEdm(a, b) < 0; });
    return EdmValue::Boolean(at != sorted_.end() && EqualEdm(*at, value));
  }
  for (const ExpressionPtr& element : list_) {
    if (EqualEdm(value, element->Evaluate(context))) return EdmValue::Boolean(true);
  }
  return EdmValue::Boolean(false);
}

void InNode::AppendTo(std::string& out) const {
  AppendOperand(out, *operand_);
  out += " in (";
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (i > 0) out += ',';
    list_[i]->AppendTo(out);
  }
  out += ')';
}

InCollectionNode::InCollectionNode(ExpressionPtr operand, ExpressionPtr collection, int depth)
    : Expression(Simple(EdmKind::kBoolean), depth),
      operand_(std::move(operand)),
      collection_(std::move(collection)) {}

EdmValue InCollectionNode::Evaluate(EvalContext& context) const {
  const EdmValue value = operand_->Evaluate(context);
  const EdmValue collection = collection_->Evaluate(context);
  if (collection.kind() != EdmKind::kCollection) return EdmValue::Boolean(false);
  for (const EdmValue& element : collection.collection()) {
    if (EqualEdm(value, element)) return EdmValue::Boolean(true);
  }
  return EdmValue::Boolean(false);
}

void InCollectionNode::AppendTo(std::string& out) const {
  AppendOperand(out, *operand_);
  out += " in ";
  collection_->AppendTo(out);
}

ArithmeticNode::ArithmeticNode(BinaryOp op, ExpressionPtr left, ExpressionPtr right, EdmType type,
                               int depth)
    : Expression(type, depth), op_(op), left_(std::move(left)), right_(std::move(right)) {}

EdmValue ArithmeticNode::Evaluate(EvalContext& context) const {
  const EdmValue left = left_->Evaluate(context);
  if (left.is_null()) return {};
  const EdmValue right = right_->Evaluate(context);
  if (right.is_null()) return {};
  return EvaluateArithmetic(op_, left, right, type().kind, context);
}

void ArithmeticNode::AppendTo(std::string& out) const {
  AppendOperand(out, *left_);
  out += ' ';
  out += OpText(op_);
  out += ' ';
  AppendOperand(out, *right_);
}

NegateNode::NegateNode(ExpressionPtr operand, int depth)
    : Expression(operand->type(), depth), operand_(std::move(operand)) {}

EdmValue NegateNode::Evaluate(EvalContext& context) const {
  const EdmValue value = operand_->Evaluate(context);
  if (IsExactNumber(value.kind())) return EdmValue::Number(value.number().Negated(), value.kind());
  if (IsFloating(value.kind())) return EdmValue::Double(-value.floating(), value.kind());
  if (value.kind() == EdmKind::kDuration) {
    const Duration d = value.duration();
    if (d.nanos == 0) return EdmValue::OfDuration({-d.seconds, 0});
    return EdmValue::OfDuration({-d.seconds - 1, 1000000000 - d.nanos});
  }
  return {};
}

void NegateNode::AppendTo(std::string& out) const {
  out += '-';
  AppendOperand(out, *operand_);
}

CallNode::CallNode(Function function, std::vector<ExpressionPtr> arguments, EdmType type, int depth,
                   std::shared_ptr<const RegexSearch> regex)
    : Expression(type, depth),
      function_(function),
      arguments_(std::move(arguments)),
      regex_(std::move(regex)) {}

EdmValue CallNode::Evaluate(EvalContext& context) const {
  std::vector<EdmValue> values;
  values.reserve(arguments_.size());
  for (const ExpressionPtr& argument : arguments_) {
    values.push_back(argument->Evaluate(context));
    if (values.back().is_null()) return {};
  }
  return EvaluateFunction(function_, values, regex_.get(), context);
}

void CallNode::AppendTo(std::string& out) const {
  out += FunctionName(function_);
  out += '(';
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (i > 0) out += ',';
    arguments_[i]->AppendTo(out);
  }
  out += ')';
}

CaseNode::CaseNode(std::vector<std::pair<ExpressionPtr, ExpressionPtr>> branches, EdmType type,
                   int depth)
    : Expression(type, depth), branches_(std::move(branches)) {}

EdmValue CaseNode::Evaluate(EvalContext& context) const {
  for (const auto& [condition, value] : branches_) {
    if (condition->Test(context) == Truth::kTrue) return value->Evaluate(context);
  }
  return {};
}

void CaseNode::AppendTo(std::string& out) const {
  out += "case(";
  for (std::size_t i = 0; i < branches_.size(); ++i) {
    if (i > 0) out += ',';
    branches_[i].first->AppendTo(out);
    out += ':';
    branches_[i].second->AppendTo(out);
  }
  out += ')';
}

CastNode::CastNode(ExpressionPtr operand, EdmKind kind, bool test_only, int depth)
    : Expression(Simple(test_only ? EdmKind::kBoolean : kind), depth),
      operand_(std::move(operand)),
      kind_(kind),
      test_only_(test_only) {}

EdmValue CastNode::Evaluate(EvalContext& context) const {
  const EdmValue value = operand_->Evaluate(context);
  if (test_only_) return EdmValue::Boolean(!value.is_null() && value.kind() == kind_);
  return CastValue(value, kind_);
}

void CastNode::AppendTo(std::string& out) const {
  out += test_only_ ? "isof(" : "cast(";
  operand_->AppendTo(out);
  out += ',';
  out += EdmKindName(kind_);
  out += ')';
}

LambdaValuesNode::LambdaValuesNode(LambdaKind kind, ExpressionPtr collection,
                                   std::uint32_t variable, std::string name,
                                   ExpressionPtr predicate, int depth)
    : Expression(Simple(EdmKind::kBoolean), depth),
      kind_(kind),
      collection_(std::move(collection)),
      variable_(variable),
      name_(std::move(name)),
      predicate_(std::move(predicate)) {}

EdmValue LambdaValuesNode::Evaluate(EvalContext& context) const {
  const EdmValue collection = collection_->Evaluate(context);
  const bool any = kind_ == LambdaKind::kAny;
  // An absent collection is an empty one.
  if (collection.kind() != EdmKind::kCollection) return EdmValue::Boolean(!any);
  if (!predicate_) return EdmValue::Boolean(!collection.collection().empty());
  const EdmValue* outer = context.value(variable_);
  bool result = !any;
  for (const EdmValue& element : collection.collection()) {
    context.BindValue(variable_, &element);
    const bool holds = predicate_->Test(context) == Truth::kTrue;
    if (holds == any) {
      result = any;
      break;
    }
  }
  context.BindValue(variable_, outer);
  return EdmValue::Boolean(result);
}

void LambdaValuesNode::AppendTo(std::string& out) const {
  collection_->AppendTo(out);
  out += kind_ == LambdaKind::kAny ? "/any(" : "/all(";
  if (predicate_) {
    out += name_ + ":";
    predicate_->AppendTo(out);
  }
  out += ')';
}

LambdaRecordsNode::LambdaRecordsNode(LambdaKind kind, Origin origin, const Navigation& navigation,
                                     std::uint32_t variable, std::string name,
                                     ExpressionPtr predicate, int depth)
    : Expression(Simple(EdmKind::kBoolean), depth),
      kind_(kind),
      origin_(std::move(origin)),
      navigation_(&navigation),
      variable_(variable),
      name_(std::move(name)),
      predicate_(std::move(predicate)) {}

EdmValue LambdaRecordsNode::Evaluate(EvalContext& context) const {
  const bool any = kind_ == LambdaKind::kAny;
  bool result = !any;
  ForEachMember(origin_, *navigation_, variable_, context, [&](const RecordView&) {
    const bool holds = !predicate_ || predicate_->Test(context) == Truth::kTrue;
    if (holds != any) return true;
    result = any;
    return false;
  });
  return EdmValue::Boolean(result);
}

void LambdaRecordsNode::AppendTo(std::string& out) const {
  AppendOrigin(out, origin_);
  out += navigation_->name;
  out += kind_ == LambdaKind::kAny ? "/any(" : "/all(";
  if (predicate_) {
    out += "v" + std::to_string(variable_) + ":";
    predicate_->AppendTo(out);
  }
  out += ')';
}

CountValuesNode::CountValuesNode(ExpressionPtr collection, int depth)
    : Expression(Simple(EdmKind::kInt64), depth), collection_(std::move(collection)) {}

EdmValue CountValuesNode::Evaluate(EvalContext& context) const {
  const EdmValue value = collection_->Evaluate(context);
  const std::size_t count = value.kind() == EdmKind::kCollection ? value.collection().size() : 0;
  return EdmValue::Int(static_cast<std::int64_t>(count), EdmKind::kInt64);
}

void CountValuesNode::AppendTo(std::string& out) const {
  collection_->AppendTo(out);
  out += "/$count";
}

CountRecordsNode::CountRecordsNode(Origin origin, const Navigation& navigation,
                                   std::uint32_t variable, ExpressionPtr filter, SearchPtr search,
                                   int depth)
    : Expression(Simple(EdmKind::kInt64), depth),
      origin_(std::move(origin)),
      navigation_(&navigation),
      variable_(variable),
      filter_(std::move(filter)),
      search_(std::move(search)) {
  if (search_) matcher_ = std::make_shared<const SearchMatcher>(*navigation_->target, search_);
}

EdmValue CountRecordsNode::Evaluate(EvalContext& context) const {
  std::int64_t count = 0;
  ForEachMember(origin_, *navigation_, variable_, context, [&](const RecordView& member) {
    if (filter_ && filter_->Test(context) != Truth::kTrue) return true;
    if (matcher_ && !matcher_->Matches(member)) return true;
    ++count;
    return true;
  });
  return EdmValue::Int(count, EdmKind::kInt64);
}

void CountRecordsNode::AppendTo(std::string& out) const {
  AppendOrigin(out, origin_);
  out += navigation_->name + "/$count";
  if (!filter_ && !search_) return;
  out += '(';
  if (filter_) {
    out += "$filter=";
    filter_->AppendTo(out);
  }
  if (search_) {
    if (filter_) out += ';';
    out += "$search=" + SearchText(search_);
  }
  out += ')';
}

}  // namespace tablecast
