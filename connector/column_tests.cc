#include "connector/column_tests.h"

#include <algorithm>

#include "connector/expression_nodes.h"
#include "connector/key_ranges.h"
#include "item/item_codec.h"

namespace tablecast {
namespace {

const FieldRefNode* OwnField(const ExpressionPtr& expression) {
  const auto* alias = dynamic_cast<const AliasNode*>(expression.get());
  if (alias != nullptr) return OwnField(alias->definition());
  const auto* field = dynamic_cast<const FieldRefNode*>(expression.get());
  return field != nullptr && field->IsOwn() && !field->type().collection ? field : nullptr;
}

const EdmValue* LiteralOf(const ExpressionPtr& expression) {
  const auto* literal = dynamic_cast<const LiteralNode*>(expression.get());
  return literal == nullptr ? nullptr : &literal->value();
}

bool IsTrue(const ExpressionPtr& expression) {
  const EdmValue* value = LiteralOf(expression);
  return value != nullptr && value->kind() == EdmKind::kBoolean && value->boolean();
}

std::optional<TestOp> OpOf(BinaryOp op, bool turned) {
  switch (op) {
    case BinaryOp::kEq: return TestOp::kEq;
    case BinaryOp::kLt: return turned ? TestOp::kGt : TestOp::kLt;
    case BinaryOp::kLe: return turned ? TestOp::kGe : TestOp::kLe;
    case BinaryOp::kGt: return turned ? TestOp::kLt : TestOp::kGt;
    case BinaryOp::kGe: return turned ? TestOp::kLe : TestOp::kGe;
    default: return std::nullopt;
  }
}

ColumnTest TestOn(const FieldRefNode& field, TestOp op, std::vector<EdmValue> values,
                  std::string text) {
  ColumnTest test;
  test.field = &field.field();
  test.source = field.field().source;
  test.op = op;
  test.values = std::move(values);
  test.text = std::move(text);
  return test;
}

std::optional<ColumnTest> TestOf(const ExpressionPtr& conjunct);

std::optional<ColumnTest> CompareTest(const CompareNode& node, const std::string& text) {
  const FieldRefNode* field = OwnField(node.left());
  const EdmValue* literal = LiteralOf(node.right());
  bool turned = false;
  if (field == nullptr || literal == nullptr) {
    field = OwnField(node.right());
    literal = LiteralOf(node.left());
    turned = true;
  }
  if (field == nullptr || literal == nullptr) {
    // contains(...) eq true, as CRMs send it: the inner test says it all, for `true eq` too.
    if (node.op() == BinaryOp::kEq && IsTrue(node.right())) return TestOf(node.left());
    if (node.op() == BinaryOp::kEq && IsTrue(node.left())) return TestOf(node.right());
    return std::nullopt;
  }
  const std::optional<TestOp> op = OpOf(node.op(), turned);
  if (!op) return std::nullopt;
  if (literal->is_null()) {
    if (*op != TestOp::kEq) return std::nullopt;
    return TestOn(*field, TestOp::kIsNull, {}, text);
  }
  return TestOn(*field, *op, {*literal}, text);
}

// OR of equalities and in-lists of one field.
std::optional<ColumnTest> OrTest(const LogicNode& node, const std::string& text) {
  std::optional<ColumnTest> all;
  for (const ExpressionPtr& part : node.parts()) {
    const std::optional<ColumnTest> test = TestOf(part);
    if (!test || (test->op != TestOp::kEq && test->op != TestOp::kIn) || !test->whole)
      return std::nullopt;
    if (!all) {
      all = test;
      all->op = TestOp::kIn;
      all->text = text;
      continue;
    }
    if (all->field != test->field) return std::nullopt;
    all->values.insert(all->values.end(), test->values.begin(), test->values.end());
  }
  return all;
}

std::optional<ColumnTest> TestOf(const ExpressionPtr& conjunct) {
  const std::string text = conjunct->ToString();
  if (const auto* compare = dynamic_cast<const CompareNode*>(conjunct.get()))
    return CompareTest(*compare, text);
  if (const auto* in = dynamic_cast<const InNode*>(conjunct.get())) {
    const FieldRefNode* field = OwnField(in->operand());
    if (field == nullptr) return std::nullopt;
    std::vector<EdmValue> values;
    for (const ExpressionPtr& element : in->list()) {
      const EdmValue* literal = LiteralOf(element);
      if (literal == nullptr || literal->is_null()) return std::nullopt;
      values.push_back(*literal);
    }
    return TestOn(*field, TestOp::kIn, std::move(values), text);
  }
  if (const auto* call = dynamic_cast<const CallNode*>(conjunct.get())) {
    if (call->function() != Function::kStartsWith) return std::nullopt;
    const FieldRefNode* field = OwnField(call->arguments()[0]);
    const EdmValue* literal = LiteralOf(call->arguments()[1]);
    if (field == nullptr || literal == nullptr || literal->kind() != EdmKind::kString ||
        literal->text().empty()) {
      return std::nullopt;
    }
    return TestOn(*field, TestOp::kStartsWith, {*literal}, text);
  }
  if (const auto* logic = dynamic_cast<const LogicNode*>(conjunct.get())) {
    if (logic->op() == BinaryOp::kOr) return OrTest(*logic, text);
    return std::nullopt;
  }
  if (const FieldRefNode* field = OwnField(conjunct);
      field != nullptr && field->type().kind == EdmKind::kBoolean) {
    return TestOn(*field, TestOp::kEq, {EdmValue::Boolean(true)}, text);
  }
  return std::nullopt;
}

void TakeApart(const ExpressionPtr& filter, FilterTests& out) {
  const auto* logic = dynamic_cast<const LogicNode*>(filter.get());
  if (logic != nullptr && logic->op() == BinaryOp::kAnd) {
    for (const ExpressionPtr& part : logic->parts()) TakeApart(part, out);
    return;
  }
  std::optional<ColumnTest> test = TestOf(filter);
  if (test) {
    out.tests.push_back(*std::move(test));
  } else {
    out.residual.emplace_back(filter->ToString(), "not a comparison of one field with a literal");
  }
}

// A literal as a stored value of `type`; nullopt when no stored value of that type equals it.
std::optional<AttributeValue> StoredLiteral(const EdmValue& value, AttributeType type) {
  switch (type) {
    case AttributeType::kS:
      if (value.kind() == EdmKind::kString && !value.text().empty())
        return AttributeValue::String(value.text());
      return std::nullopt;
    case AttributeType::kN: {
      if (!IsExactNumber(value.kind())) return std::nullopt;
      Result<AttributeValue> number = AttributeValue::Number(value.number());
      if (!number.ok()) return std::nullopt;
      return *std::move(number);
    }
    case AttributeType::kB:
      if (value.kind() == EdmKind::kBinary) return AttributeValue::Binary(value.bytes());
      return std::nullopt;
    default: return std::nullopt;
  }
}

bool Less(const AttributeValue& a, const AttributeValue& b) {
  std::string left;
  std::string right;
  AppendSortBytes(left, a);
  AppendSortBytes(right, b);
  return left < right;
}

}  // namespace

FilterTests TestsOf(const ExpressionPtr& filter) {
  FilterTests out;
  if (filter) TakeApart(filter, out);
  return out;
}

ColumnTest JoinTest(const JoinColumn& column, std::vector<EdmValue> values) {
  ColumnTest test;
  test.field = column.field;
  test.source = column.source;
  test.op = values.size() == 1 ? TestOp::kEq : TestOp::kIn;
  test.values = std::move(values);
  test.text = column.column + (test.op == TestOp::kEq
                                   ? " eq " + test.values.front().ToLiteral()
                                   : " in (" + std::to_string(test.values.size()) + " values)");
  return test;
}

std::optional<ColumnCondition> PhysicalCondition(const ColumnTest& test, AttributeType type) {
  if (test.field != nullptr) {
    // Text order and equality of what is stored must be those of the field.
    const bool text = type == AttributeType::kS && IsTextType(test.field->type);
    const bool number = type == AttributeType::kN && IsNumeric(test.field->kind);
    const bool bytes = type == AttributeType::kB && test.field->type == FieldType::kBinary;
    if (!text && !number && !bytes) return std::nullopt;
  }
  ColumnCondition out;
  if (test.op == TestOp::kIsNull) return std::nullopt;
  // A binary floating literal may equal a number that it does not convert to.
  for (const EdmValue& value : test.values) {
    if (IsFloating(value.kind())) return std::nullopt;
  }
  if (test.op == TestOp::kEq || test.op == TestOp::kIn) {
    for (const EdmValue& value : test.values) {
      if (std::optional<AttributeValue> stored = StoredLiteral(value, type))
        out.equals.push_back(*std::move(stored));
    }
    std::sort(out.equals.begin(), out.equals.end(), Less);
    out.equals.erase(std::unique(out.equals.begin(), out.equals.end()), out.equals.end());
    out.never = out.equals.empty();
    return out;
  }
  if (test.op == TestOp::kStartsWith) {
    if (type != AttributeType::kS) return std::nullopt;
    out.range.emplace();
    out.range->prefix = test.values.front().text();
    return out;
  }
  std::optional<AttributeValue> bound = StoredLiteral(test.values.front(), type);
  if (!bound) return std::nullopt;  // too long a number, or an empty text: no bound to give
  out.range.emplace();
  const bool inclusive = test.op == TestOp::kLe || test.op == TestOp::kGe;
  auto& side =
      test.op == TestOp::kLt || test.op == TestOp::kLe ? out.range->upper : out.range->lower;
  side = ScalarRange::Bound{*std::move(bound), inclusive};
  return out;
}

}  // namespace tablecast
