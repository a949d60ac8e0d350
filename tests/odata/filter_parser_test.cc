// The shape of expression trees, the values of literals, and where and how errors are reported.

#include "odata/filter_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "odata/syntax_tree.h"

namespace tablecast::syntax {
namespace {

// (op arg arg): every operator visible, brackets explicit.
std::string Shape(const Expr& expr) {
  std::string head;
  switch (expr.kind) {
    case ExprKind::kAnd: head = "and"; break;
    case ExprKind::kOr: head = "or"; break;
    case ExprKind::kNot: head = "not"; break;
    case ExprKind::kNegate: head = "neg"; break;
    case ExprKind::kBinary: head = std::string(OpName(expr.op)); break;
    case ExprKind::kList: head = "list"; break;
    default: return ToString(expr);
  }
  std::string out = "(" + head;
  for (const Expr& arg : expr.args) out += " " + Shape(arg);
  return out + ")";
}

TEST(FilterParserTest, OperatorsBindByPrecedenceAndToTheLeft) {
  constexpr struct {
    std::string_view text;
    std::string_view want;
  } kRows[] = {
      {"A or B and C", "(or A (and B C))"},
      {"A and B and C", "(and A B C)"},
      {"(A and B) and C", "(and A B C)"},
      {"A and (B and C)", "(and A (and B C))"},
      {"A or B or C and D", "(or A B (and C D))"},
      {"(A or B) and C", "(and (or A B) C)"},
      {"A eq 1 and B ne 2", "(and (eq A 1) (ne B 2))"},
      {"A eq B lt C", "(eq A (lt B C))"},
      {"A lt B eq C", "(eq (lt A B) C)"},
      {"A eq B ne C", "(ne (eq A B) C)"},
      {"A add B mul C", "(add A (mul B C))"},
      {"A sub B sub C", "(sub (sub A B) C)"},
      {"A sub (B sub C)", "(sub A (sub B C))"},
      {"A mul B div C divby D mod E", "(mod (divby (div (mul A B) C) D) E)"},
      {"A add 1 gt B sub 2", "(gt (add A 1) (sub B 2))"},
      {"not A eq 1", "(eq (not A) 1)"},
      {"not (A eq 1)", "(not (eq A 1))"},
      {"not(A eq 1)", "(not (eq A 1))"},
      {"not A in (1,2)", "(not (in A (list 1 2)))"},
      {"not not A", "(not (not A))"},
      {"not contains(A,'x') and B", "(and (not contains(A,'x')) B)"},
      {"not eq 1", "(eq not 1)"},
      {"-A add B", "(add (neg A) B)"},
      {"-A mul B", "(mul (neg A) B)"},
      {"-5 add A", "(add -5 A)"},
      {"- 5 add A", "(add (neg 5) A)"},
      {"--5 eq A", "(eq (neg -5) A)"},
      {"-A in (1)", "(neg (in A (list 1)))"},
      {"A in (1) eq true", "(eq (in A (list 1)) true)"},
      {"A has Ns.C'Red' eq true", "(eq (has A Ns.C'Red') true)"},
      {"A in [1,2]", "(in A [1,2])"},
      {"A in B/C", "(in A B/C)"},
      {"contains(A,'x') eq true or contains(B,'x') eq true",
       "(or (eq contains(A,'x') true) (eq contains(B,'x') true))"},
  };
  for (const auto& row : kRows) {
    const Result<Expr> expr = ParseFilter(row.text);
    ASSERT_TRUE(expr.ok()) << row.text << ": " << expr.error().ToString();
    EXPECT_EQ(Shape(*expr), row.want) << row.text;
  }
}

TEST(FilterParserTest, LiteralsKeepKindAndValue) {
  constexpr struct {
    std::string_view text;
    LiteralKind kind;
    std::string_view value;
  } kRows[] = {
      {"null", LiteralKind::kNull, "null"},
      {"TRUE", LiteralKind::kBoolean, "true"},
      {"-5", LiteralKind::kInteger, "-5"},
      {"+5", LiteralKind::kInteger, "+5"},
      {"1.50", LiteralKind::kDecimal, "1.50"},
      {"1E+3", LiteralKind::kDecimal, "1e3"},
      {"1e-3", LiteralKind::kDecimal, "1e-3"},
      {"-INF", LiteralKind::kInfinity, "-INF"},
      {"NaN", LiteralKind::kNaN, "NaN"},
      {"'it''s'", LiteralKind::kString, "it's"},
      {"''''", LiteralKind::kString, "'"},
      {"''", LiteralKind::kString, ""},
      {"'PT1H'", LiteralKind::kString, "PT1H"},
      {"01234567-89AB-cdef-0123-456789abcdef", LiteralKind::kGuid,
       "01234567-89AB-cdef-0123-456789abcdef"},
      {"2022-01-31", LiteralKind::kDate, "2022-01-31"},
      {"-0044-03-15", LiteralKind::kDate, "-0044-03-15"},
      {"2022-01-01t00:00z", LiteralKind::kDateTimeOffset, "2022-01-01T00:00Z"},
      {"2022-01-01T00:00:00.5+02:00", LiteralKind::kDateTimeOffset, "2022-01-01T00:00:00.5+02:00"},
      {"07:59:59.999", LiteralKind::kTimeOfDay, "07:59:59.999"},
      {"duration'P1DT2H'", LiteralKind::kDuration, "P1DT2H"},
      {"binary'AAEC'", LiteralKind::kBinary, "AAEC"},
      {"Ns.Color'Red,Blue'", LiteralKind::kEnum, "Red,Blue"},
      {"geography'SRID=0;Point(1 2)'", LiteralKind::kGeography, "SRID=0;Point(1 2)"},
      {"GEOMETRY'SRID=0;Point(1 2)'", LiteralKind::kGeometry, "SRID=0;Point(1 2)"},
  };
  for (const auto& row : kRows) {
    const Result<Expr> expr = ParseFilter(row.text);
    ASSERT_TRUE(expr.ok()) << row.text << ": " << expr.error().ToString();
    EXPECT_EQ(expr->kind, ExprKind::kLiteral) << row.text;
    EXPECT_EQ(expr->literal, row.kind) << row.text;
    EXPECT_EQ(expr->text, row.value) << row.text;
    EXPECT_EQ(expr->at, (Span{0, static_cast<std::uint32_t>(row.text.size())})) << row.text;
  }
}

TEST(FilterParserTest, PathsAreListsOfSegments) {
  const struct {
    std::string_view text;
    std::vector<ExprKind> want;
  } kRows[] = {
      {"A", {ExprKind::kName}},
      {"$it/A/B", {ExprKind::kIt, ExprKind::kName, ExprKind::kName}},
      {"Lines/any(l:l/A)", {ExprKind::kName, ExprKind::kAny}},
      {"Lines/$count($filter=A gt 1;$search=x)", {ExprKind::kName, ExprKind::kCount}},
      {"$root/Orders(pk='a',sk='b')/A",
       {ExprKind::kRoot, ExprKind::kName, ExprKind::kKey, ExprKind::kName}},
      {"Ns.Type/A", {ExprKind::kQualifiedName, ExprKind::kName}},
      {"Ns.Func(p=1)/A", {ExprKind::kFunction, ExprKind::kName}},
      {"@p/A", {ExprKind::kAlias, ExprKind::kName}},
      {"A/@Ns.Term#Q", {ExprKind::kName, ExprKind::kAnnotation}},
      {"Items('x')/A", {ExprKind::kName, ExprKind::kKey, ExprKind::kName}},
      {"A/Ns.Func()", {ExprKind::kName, ExprKind::kFunction}},
  };
  for (const auto& row : kRows) {
    const Result<Expr> expr = ParseFilter(row.text);
    ASSERT_TRUE(expr.ok()) << row.text << ": " << expr.error().ToString();
    ASSERT_EQ(expr->kind, ExprKind::kPath) << row.text;
    EXPECT_EQ(expr->text, row.text);
    std::vector<ExprKind> kinds;
    for (const Expr& segment : expr->args) kinds.push_back(segment.kind);
    EXPECT_EQ(kinds, row.want) << row.text;
  }
  EXPECT_TRUE(IsSimpleName(*ParseFilter("A")));
  EXPECT_FALSE(IsSimpleName(*ParseFilter("A/B")));
}

TEST(FilterParserTest, ErrorsSayWhatAndWhere) {
  constexpr struct {
    std::string_view text;
    std::string_view reason;
    std::size_t offset;
    std::string_view part_of_message;
  } kRows[] = {
      {"", "filter-syntax", 0, "but found the end"},
      {"A eq", "filter-syntax", 4, "operand"},
      {"A eq 1 B", "filter-syntax", 7, "expected the end, but found 'B'"},
      {"A eq 'O'Neil'", "literal-invalid", 5, "a quote inside text is written twice"},
      {"A eq 'open", "literal-invalid", 5, "not closed"},
      {"A eq 2022-13-01", "literal-invalid", 5, "no valid date"},
      {"A eq guid'x'", "literal-invalid", 5, "no literal begins with 'guid'"},
      {"A eq 5x", "literal-invalid", 5, "followed directly by 'x'"},
      {"containz(A,'x')", "function-unknown", 0, "no function 'containz'"},
      {"contains(A)", "function-arity", 0, "contains takes 2 arguments"},
      {"length(A,B)", "function-arity", 0, "length takes 1 argument"},
      {"(A eq 1", "filter-syntax", 7, "expected ')'"},
      {"A in ()", "filter-syntax", 6, "expected a value"},
      {"A eq 1 and", "filter-syntax", 10, "operand"},
      {"Lines/any(l)", "filter-syntax", 11, "':'"},
      {"A/Ns.Type", "filter-syntax", 9, "after the type name"},
      {"A eq 'x'and B", "literal-invalid", 5, "ends before 'and'"},
      {"A eq $foo", "filter-syntax", 5, "$it"},
      {"A eq \xff", "invalid-utf8", 5, "UTF-8"},
  };
  for (const auto& row : kRows) {
    const Result<Expr> expr = ParseFilter(row.text);
    ASSERT_FALSE(expr.ok()) << row.text;
    EXPECT_EQ(expr.error().reason, row.reason) << row.text << ": " << expr.error().message;
    EXPECT_EQ(expr.error().position.offset, row.offset) << row.text << ": " << expr.error().message;
    EXPECT_EQ(expr.error().target, "$filter");
    EXPECT_NE(expr.error().message.find(row.part_of_message), std::string::npos)
        << row.text << ": " << expr.error().message;
  }
  EXPECT_EQ(ParseFilter("containz(A,'x')").error().remedy, "did you mean 'contains'?");
}

TEST(FilterParserTest, NamesHaveAtMost128Characters) {
  EXPECT_TRUE(ParseFilter(std::string(128, 'a')).ok());
  EXPECT_FALSE(ParseFilter(std::string(129, 'a')).ok());
  std::string wide;
  for (int i = 0; i < 128; ++i) wide += "ü";
  EXPECT_TRUE(ParseFilter(wide).ok());
  EXPECT_FALSE(ParseFilter(wide + "ü").ok());
}

TEST(FilterParserTest, SpansCoverTheWholeOperand) {
  const Result<Expr> expr = ParseFilter("A eq 1 and (B eq 'x')");
  ASSERT_TRUE(expr.ok());
  EXPECT_EQ(expr->at, (Span{0, 21}));
  EXPECT_EQ(expr->args[0].at, (Span{0, 6}));
  EXPECT_EQ(expr->args[1].at, (Span{11, 21}));
  EXPECT_EQ(expr->args[1].args[1].at, (Span{17, 20}));
}

}  // namespace
}  // namespace tablecast::syntax
