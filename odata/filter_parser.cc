#include "odata/filter_parser.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "odata/expression_parser.h"
#include "odata/literal_parser.h"

// IMPLEMENTATION: operators, brackets and lists. Calls are in function_call.cc, paths in
// path_expression.cc, JSON in json_literal.cc, literals in literal_parser.cc.
// SOURCE: OData 4.01 ABNF, commonExpr; precedence from URL Conventions 5.1.1.15.
// Tested by filter_parser_test.cc and the tables under tests/odata/grammar.

namespace tablecast::syntax {
namespace {

struct OperatorEntry {
  std::string_view word;
  ExprKind kind;
  Op op;
  int precedence;
};

// has and in bind tighter than the prefix operators and are read in WithPostfix().
constexpr OperatorEntry kOperators[] = {
    {"or", ExprKind::kOr, Op::kNone, 1},         {"and", ExprKind::kAnd, Op::kNone, 2},
    {"eq", ExprKind::kBinary, Op::kEq, 3},       {"ne", ExprKind::kBinary, Op::kNe, 3},
    {"gt", ExprKind::kBinary, Op::kGt, 4},       {"ge", ExprKind::kBinary, Op::kGe, 4},
    {"lt", ExprKind::kBinary, Op::kLt, 4},       {"le", ExprKind::kBinary, Op::kLe, 4},
    {"add", ExprKind::kBinary, Op::kAdd, 5},     {"sub", ExprKind::kBinary, Op::kSub, 5},
    {"mul", ExprKind::kBinary, Op::kMul, 6},     {"div", ExprKind::kBinary, Op::kDiv, 6},
    {"divby", ExprKind::kBinary, Op::kDivBy, 6}, {"mod", ExprKind::kBinary, Op::kMod, 6},
};

const OperatorEntry* FindOperator(std::string_view word) {
  for (const OperatorEntry& entry : kOperators) {
    if (EqualsAnyCase(word, entry.word)) return &entry;
  }
  return nullptr;
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// `not` or `A eq and`: the grammar would take the last word for a name, the author forgot an
// operand.
bool LacksOperand(const Scanner& scanner) {
  const std::string_view word = scanner.PeekWord();
  std::size_t end = word.size();
  while (IsBlank(scanner.Peek(end))) ++end;
  if (end != scanner.Rest().size() && scanner.Peek(end) != ')') return false;
  for (const std::string_view keyword : {"and", "or", "not", "eq", "ne"}) {
    if (EqualsAnyCase(word, keyword)) return true;
  }
  return false;
}

}  // namespace

Expr ExpressionParser::Node(ExprKind kind, std::string text) const {
  Expr expr;
  expr.kind = kind;
  expr.text = std::move(text);
  return expr;
}

Result<Expr> ExpressionParser::Finish(Expr expr, std::size_t begin) {
  TABLECAST_RETURN_IF_ERROR(s_.Charge());
  expr.at = s_.SpanFrom(begin);
  std::uint16_t highest = 0;
  for (const Expr& arg : expr.args) highest = std::max(highest, arg.height);
  expr.height = static_cast<std::uint16_t>(highest + 1);
  // One level of nesting holds at most an operator of each precedence and a path; only a chain such
  // as 1 add 1 add 1 ..., which grows to the left without nesting, can get higher.
  const int highest_allowed = 8 * s_.budget().limits.max_expression_depth + 8;
  if (expr.height > highest_allowed) {
    return s_.Exhausted("expression-depth",
                        "more than " + std::to_string(highest_allowed) +
                            " operators in a chain (limit max_expression_depth)");
  }
  return expr;
}

Result<Expr> ExpressionParser::BinaryFrom(int lowest) {
  const std::size_t begin = s_.pos();
  TABLECAST_ASSIGN_OR_RETURN(Expr left, Unary());
  while (true) {
    const std::size_t before = s_.pos();
    const bool blank = s_.SkipBlanks();
    const OperatorEntry* found = FindOperator(s_.PeekWord());
    if (found == nullptr || found->precedence < lowest) {
      s_.Seek(before);
      return left;
    }
    if (!blank) return s_.Expected("a blank before the operator");
    s_.Advance(found->word.size());
    if (!s_.SkipBlanks())
      return s_.Expected("a blank and an operand after '" + std::string(found->word) + "'");
    TABLECAST_ASSIGN_OR_RETURN(Expr right, BinaryFrom(found->precedence + 1));
    if (left.kind == found->kind && found->kind != ExprKind::kBinary) {
      // One more alternative; Finish() would look at all of them again.
      left.height = std::max(left.height, static_cast<std::uint16_t>(right.height + 1));
      left.args.push_back(std::move(right));
      left.at = s_.SpanFrom(begin);
    } else {
      Expr node = Node(found->kind);
      node.op = found->op;
      node.args.push_back(std::move(left));
      node.args.push_back(std::move(right));
      TABLECAST_ASSIGN_OR_RETURN(left, Finish(std::move(node), begin));
    }
  }
}

// True when the word after "not " is an operator with an operand: then `not` is a name.
bool ExpressionParser::StandsOnOperator() const {
  const std::string_view word = s_.PeekWord();
  if (FindOperator(word) == nullptr && !EqualsAnyCase(word, "in") && !EqualsAnyCase(word, "has"))
    return false;
  return IsBlank(s_.Peek(word.size()));
}

Result<Expr> ExpressionParser::Unary() {
  const std::size_t begin = s_.pos();
  if (s_.Peek() == '-') {
    TABLECAST_ASSIGN_OR_RETURN(std::optional<Expr> literal, TakeLiteral(s_));
    if (literal) {
      TABLECAST_RETURN_IF_ERROR(s_.Charge());
      return WithPostfix(*std::move(literal));
    }
    const DepthGuard depth(s_);
    TABLECAST_RETURN_IF_ERROR(depth.Check());
    s_.Advance(1);
    s_.SkipBlanks();
    Expr node = Node(ExprKind::kNegate);
    TABLECAST_ASSIGN_OR_RETURN(Expr operand, Unary());
    node.args.push_back(std::move(operand));
    return Finish(std::move(node), begin);
  }
  if (s_.TakeWord("not")) {
    const bool blank = s_.SkipBlanks();
    if ((blank && !StandsOnOperator() && !s_.AtEnd() && s_.Peek() != ')') ||
        (!blank && s_.Peek() == '(')) {
      const DepthGuard depth(s_);
      TABLECAST_RETURN_IF_ERROR(depth.Check());
      Expr node = Node(ExprKind::kNot);
      TABLECAST_ASSIGN_OR_RETURN(Expr operand, Unary());
      node.args.push_back(std::move(operand));
      return Finish(std::move(node), begin);
    }
    s_.Seek(begin);
  }
  if (LacksOperand(s_)) return s_.Expected("an operand");
  TABLECAST_ASSIGN_OR_RETURN(Expr primary, Primary());
  return WithPostfix(std::move(primary));
}

Result<Expr> ExpressionParser::WithPostfix(Expr left) {
  const std::size_t begin = s_.pos();
  const Span first = left.at;
  while (true) {
    const std::size_t before = s_.pos();
    const bool blank = s_.SkipBlanks();
    Op op = Op::kNone;
    if (s_.TakeWord("in")) {
      op = Op::kIn;
    } else if (s_.TakeWord("has")) {
      op = Op::kHas;
    }
    if (op == Op::kNone) {
      s_.Seek(before);
      return left;
    }
    if (!blank) return s_.Expected("a blank before the operator");
    if (!s_.SkipBlanks())
      return s_.Expected("a blank and an operand after '" + std::string(OpName(op)) + "'");
    Expr node = Node(ExprKind::kBinary);
    node.op = op;
    node.args.push_back(std::move(left));
    TABLECAST_ASSIGN_OR_RETURN(Expr right, op == Op::kIn ? InOperand() : Primary());
    node.args.push_back(std::move(right));
    TABLECAST_ASSIGN_OR_RETURN(left, Finish(std::move(node), begin));
    left.at.begin = first.begin;
  }
}

// (1,2,3) after `in` is a list even with one item; anything else gives a collection.
Result<Expr> ExpressionParser::InOperand() {
  if (s_.Peek() != '(') return Primary();
  const std::size_t begin = s_.pos();
  const DepthGuard depth(s_);
  TABLECAST_RETURN_IF_ERROR(depth.Check());
  s_.Advance(1);
  s_.SkipBlanks();
  Expr node = Node(ExprKind::kList);
  TABLECAST_ASSIGN_OR_RETURN(node.args, ListItems(')'));
  return Finish(std::move(node), begin);
}

// Items up to and including `close`, at least one.
Result<std::vector<Expr>> ExpressionParser::ListItems(char close) {
  std::vector<Expr> items;
  const std::size_t limit = s_.budget().limits.max_in_items;
  do {
    if (items.size() == limit) {
      return s_.Exhausted("in-list-items", "a list has more than " + std::to_string(limit) +
                                               " items (limit max_in_items)");
    }
    TABLECAST_ASSIGN_OR_RETURN(Expr item, Expression());
    items.push_back(std::move(item));
  } while (s_.TakeSeparator(','));
  s_.SkipBlanks();
  if (!s_.Take(close)) return s_.Expected(std::string("',' or '") + close + "'");
  return items;
}

Result<Expr> ExpressionParser::Bracketed() {
  const std::size_t begin = s_.pos();
  const DepthGuard depth(s_);
  TABLECAST_RETURN_IF_ERROR(depth.Check());
  s_.Advance(1);
  s_.SkipBlanks();
  TABLECAST_ASSIGN_OR_RETURN(Expr inner, Expression());
  s_.SkipBlanks();
  if (s_.Take(')')) {
    inner.at = s_.SpanFrom(begin);
    return inner;
  }
  if (s_.Peek() != ',') return s_.Expected("')'");
  s_.TakeSeparator(',');
  TABLECAST_ASSIGN_OR_RETURN(std::vector<Expr> rest, ListItems(')'));
  Expr node = Node(ExprKind::kList);
  node.args.reserve(rest.size() + 1);
  node.args.push_back(std::move(inner));
  std::move(rest.begin(), rest.end(), std::back_inserter(node.args));
  return Finish(std::move(node), begin);
}

Result<Expr> ExpressionParser::Primary() {
  switch (s_.Peek()) {
    case '(': return Bracketed();
    case '[': return JsonArray();
    case '{': return JsonObject();
    case '$':
    case '@': return Path();
    default: break;
  }
  TABLECAST_ASSIGN_OR_RETURN(std::optional<Expr> literal, TakeLiteral(s_));
  if (literal) {
    TABLECAST_RETURN_IF_ERROR(s_.Charge());
    return *std::move(literal);
  }
  if (s_.IdentifierLength(s_.pos()) == 0) return s_.Expected("a value, a name or '('");
  if (StandsOnCall()) {
    bool is_path = false;
    const std::size_t begin = s_.pos();
    TABLECAST_ASSIGN_OR_RETURN(Expr call, Call(&is_path));
    if (!is_path) return call;
    s_.Seek(begin);
  }
  return Path();
}

Result<Expr> ParseExpression(Scanner& scanner) { return ExpressionParser(scanner).Expression(); }

Result<Expr> ParsePathExpression(Scanner& scanner) { return ExpressionParser(scanner).Path(); }

Result<Expr> ParseFilter(std::string_view text, const SyntaxLimits& limits) {
  return ParseAll(text, limits, "$filter",
                  [](Scanner& scanner) { return ParseExpression(scanner); });
}

}  // namespace tablecast::syntax
