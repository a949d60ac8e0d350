#include "connector/expression.h"

#include <gtest/gtest.h>

#include "connector/record_view.h"

namespace tablecast {
namespace {

using namespace expr;  // NOLINT: the factories under test

ExpressionPtr N(std::string_view text) { return Literal(EdmValue::Number(*Decimal::Parse(text))); }
ExpressionPtr I(std::int64_t value) { return Literal(EdmValue::Int(value)); }
ExpressionPtr F(std::string_view text) { return Literal(*ParseEdm(EdmKind::kDouble, text)); }
ExpressionPtr T(std::string text) { return Literal(EdmValue::String(std::move(text))); }
ExpressionPtr B(bool value) { return Literal(EdmValue::Boolean(value)); }
ExpressionPtr Null() { return Literal({}); }
ExpressionPtr V(EdmKind kind, std::string_view text) { return Literal(*ParseEdm(kind, text)); }
ExpressionPtr At(std::string_view text) { return V(EdmKind::kDateTimeOffset, text); }
std::string Eval(const Result<ExpressionPtr>& expression) {
  if (!expression.ok()) return "error " + expression.error().reason;
  EvalContext context(Timestamp{1577934245, 500000000});  // 2020-01-02T03:04:05.5Z
  const EdmValue value = (*expression)->Evaluate(context);
  if (context.error()) return "fail " + context.error()->reason;
  return value.ToLiteral();
}
Result<ExpressionPtr> Op(BinaryOp op, ExpressionPtr a, ExpressionPtr b) {
  return Binary(op, std::move(a), std::move(b));
}

TEST(ExpressionTest, ComparisonsAndNull) {
  EXPECT_EQ(Eval(Op(BinaryOp::kEq, Null(), Null())), "true");
  EXPECT_EQ(Eval(Op(BinaryOp::kNe, Null(), Null())), "false");
  EXPECT_EQ(Eval(Op(BinaryOp::kEq, T("a"), Null())), "false");
  EXPECT_EQ(Eval(Op(BinaryOp::kNe, T("a"), Null())), "true");
  EXPECT_EQ(Eval(Op(BinaryOp::kGt, N("1"), Null())), "false");
  EXPECT_EQ(Eval(Op(BinaryOp::kLe, Null(), Null())), "false");
  EXPECT_EQ(Eval(Op(BinaryOp::kEq, F("NaN"), F("NaN"))), "false");
  EXPECT_EQ(Eval(Op(BinaryOp::kEq, F("INF"), F("INF"))), "true");
  EXPECT_EQ(Eval(Op(BinaryOp::kEq, N("5"), F("5"))), "true");
  EXPECT_EQ(Eval(Op(BinaryOp::kLt, T("Z"), T("a"))), "true");  // ordinal
  EXPECT_EQ(Eval(Op(BinaryOp::kEq, V(EdmKind::kDate, "2020-01-01"), At("2020-01-01T00:00:00Z"))),
            "true");
  EXPECT_EQ(Eval(Op(BinaryOp::kEq, V(EdmKind::kDuration, "PT60S"), T("PT1M"))), "true");
  EXPECT_EQ(Eval(Op(BinaryOp::kLt, B(false), B(true))), "true");
}

TEST(ExpressionTest, ThreeValuedLogic) {
  const auto unknown = [] { return *Call("contains", {Null(), T("a")}); };
  EXPECT_EQ(Eval(Op(BinaryOp::kAnd, unknown(), B(false))), "false");
  EXPECT_EQ(Eval(Op(BinaryOp::kAnd, unknown(), B(true))), "null");
  EXPECT_EQ(Eval(Op(BinaryOp::kOr, unknown(), B(true))), "true");
  EXPECT_EQ(Eval(Op(BinaryOp::kOr, B(false), unknown())), "null");
  EXPECT_EQ(Eval(Not(unknown())), "null");
  EXPECT_EQ(Eval(Op(BinaryOp::kEq, unknown(), B(true))), "false");
  EXPECT_EQ(Eval(Not(B(true))), "false");
}

TEST(ExpressionTest, ArithmeticIsExact) {
  EXPECT_EQ(Eval(Op(BinaryOp::kAdd, N("0.1"), N("0.2"))), "0.3");
  EXPECT_EQ(Eval(Op(BinaryOp::kMul, N("99999999999999999999999999999999999999"), N("2"))),
            "199999999999999999999999999999999999998");
  EXPECT_EQ(Eval(Op(BinaryOp::kDiv, I(7), I(2))), "3");
  EXPECT_EQ(Eval(Op(BinaryOp::kDiv, I(-7), I(2))), "-3");
  EXPECT_EQ(Eval(Op(BinaryOp::kDiv, N("7"), I(2))), "3.5");
  EXPECT_EQ(Eval(Op(BinaryOp::kDivBy, I(7), I(2))), "3.5");
  EXPECT_EQ(Eval(Op(BinaryOp::kMod, I(-7), I(2))), "-1");
  EXPECT_EQ(Eval(Op(BinaryOp::kMod, N("7.5"), N("2"))), "1.5");
  EXPECT_EQ(Eval(Op(BinaryOp::kDiv, I(1), I(0))), "fail division-by-zero");
  EXPECT_EQ(Eval(Op(BinaryOp::kMod, I(1), I(0))), "fail division-by-zero");
  EXPECT_EQ(Eval(Op(BinaryOp::kDivBy, I(1), I(0))), "INF");
  EXPECT_EQ(Eval(Op(BinaryOp::kDivBy, I(0), I(0))), "NaN");
  EXPECT_EQ(Eval(Op(BinaryOp::kDiv, F("1"), F("0"))), "INF");
  EXPECT_EQ(Eval(Op(BinaryOp::kMul, Literal(EdmValue::Int(INT64_MAX, EdmKind::kInt64)), I(2))),
            "fail arithmetic-overflow");
  EXPECT_EQ(Eval(Op(BinaryOp::kAdd, N("1"), Null())), "null");
  EXPECT_EQ(Eval(Negate(N("2"))), "-2");
  EXPECT_EQ(
      Eval(Op(BinaryOp::kSub, V(EdmKind::kDate, "2020-03-01"), V(EdmKind::kDate, "2020-02-28"))),
      "duration'P2D'");
  EXPECT_EQ(Eval(Op(BinaryOp::kAdd, At("2020-01-01T00:00:00Z"), V(EdmKind::kDuration, "P1DT2H"))),
            "2020-01-02T02:00:00Z");
  EXPECT_EQ(Eval(Op(BinaryOp::kSub, V(EdmKind::kDate, "0001-01-01"), V(EdmKind::kDuration, "P1D"))),
            "fail date-range");
  EXPECT_EQ(Eval(Op(BinaryOp::kMul, V(EdmKind::kDuration, "PT10S"), N("1.5"))), "duration'PT15S'");
}

TEST(ExpressionTest, TextFunctionsCountCodePoints) {
  EXPECT_EQ(Eval(Call("length", {T("a\xF0\x9F\x98\x80")})), "2");
  EXPECT_EQ(Eval(Call("indexof", {T("\xC3\xBC"
                                    "bc"),
                                  T("c")})),
            "2");
  EXPECT_EQ(Eval(Call("indexof", {T("abc"), T("x")})), "-1");
  EXPECT_EQ(Eval(Call("substring", {T("\xC3\xBC"
                                      "bc"),
                                    I(1)})),
            "'bc'");
  EXPECT_EQ(Eval(Call("substring", {T("abc"), I(-2)})), "'bc'");
  EXPECT_EQ(Eval(Call("substring", {T("abc"), I(-9), I(2)})), "'ab'");
  EXPECT_EQ(Eval(Call("substring", {T("abc"), I(7)})), "''");
  EXPECT_EQ(Eval(Call("substring", {T("abc"), I(1), I(-1)})), "error substring-length");
  EXPECT_EQ(Eval(Call("CONCAT", {T("a"), T("b")})), "'ab'");
  EXPECT_EQ(Eval(Call("tolower", {T("\xC3\x84"
                                    "B")})),
            "'\xC3\xA4"
            "b'");
  EXPECT_EQ(Eval(Call("toupper", {T("stra\xC3\x9F"
                                    "e")})),
            "'STRASSE'");
  EXPECT_EQ(Eval(Call("trim", {T(" \t a b\xC2\xA0")})), "'a b'");
  EXPECT_EQ(Eval(Call("startswith", {T("abc"), T("ab")})), "true");
  EXPECT_EQ(Eval(Call("endswith", {T("abc"), T("abcd")})), "false");
  EXPECT_EQ(Eval(Call("matchesPattern", {T("Orders-12"), T("^orders-[0-9]+$"), T("i")})), "true");
  EXPECT_EQ(Eval(Call("matchesPattern", {T("x12y"), T("[0-9]+")})), "true");
  EXPECT_EQ(Eval(Call("matchesPattern", {T("x"), T("x"), T("q")})), "error pattern-flag");
  EXPECT_EQ(Eval(Call("matchesPattern", {T("x"), *Call("concat", {T("a"), T("b")})})),
            "false");
  EXPECT_EQ(Eval(Call("matchesPattern", {T("xab"), *Call("concat", {T("a"), T("b")})})), "true");
  EXPECT_EQ(Eval(Call("matchesPattern", {T("xAB"), *Call("concat", {T("a"), T("b")}), T("i")})), "true");
  EXPECT_EQ(Eval(Call("matchesPattern", {T("x"), *Call("concat", {T("("), T("b")})})), "fail regex-syntax");
}

TEST(ExpressionTest, DateFunctions) {
  const auto at = [] { return At("2020-02-29T13:05:07.25Z"); };
  EXPECT_EQ(Eval(Call("year", {at()})), "2020");
  EXPECT_EQ(Eval(Call("month", {V(EdmKind::kDate, "2020-02-29")})), "2");
  EXPECT_EQ(Eval(Call("day", {at()})), "29");
  EXPECT_EQ(Eval(Call("hour", {at()})), "13");
  EXPECT_EQ(Eval(Call("minute", {V(EdmKind::kTimeOfDay, "10:11:12")})), "11");
  EXPECT_EQ(Eval(Call("second", {at()})), "7");
  EXPECT_EQ(Eval(Call("fractionalseconds", {at()})), "0.25");
  EXPECT_EQ(Eval(Call("date", {at()})), "2020-02-29");
  EXPECT_EQ(Eval(Call("time", {at()})), "13:05:07.25");
  EXPECT_EQ(Eval(Call("totaloffsetminutes", {at()})), "0");
  EXPECT_EQ(Eval(Call("totalseconds", {V(EdmKind::kDuration, "-PT1M0.5S")})), "-60.5");
  EXPECT_EQ(Eval(Call("now", {})), "2020-01-02T03:04:05.5Z");
  EXPECT_EQ(Eval(Call("mindatetime", {})), "0001-01-01T00:00:00Z");
  EXPECT_EQ(Eval(Call("maxdatetime", {})), "9999-12-31T23:59:59.999999999Z");
}

TEST(ExpressionTest, MathFunctions) {
  EXPECT_EQ(Eval(Call("round", {N("2.5")})), "3");
  EXPECT_EQ(Eval(Call("round", {N("-2.5")})), "-3");
  EXPECT_EQ(Eval(Call("floor", {N("-2.1")})), "-3");
  EXPECT_EQ(Eval(Call("ceiling", {N("2.1")})), "3");
}

TEST(ExpressionTest, CastsAndTypeTests) {
  EXPECT_EQ(Eval(Cast(T("2022-01-01T00:00:00Z"), "Edm.DateTimeOffset")), "2022-01-01T00:00:00Z");
  EXPECT_EQ(Eval(Cast(T("x"), "Edm.Int32")), "null");
  EXPECT_EQ(Eval(Cast(N("7.9"), "Edm.Int32")), "7");
  EXPECT_EQ(Eval(Cast(N("3000000000"), "Edm.Int32")), "null");
  EXPECT_EQ(Eval(Cast(N("12.50"), "Edm.String")), "'12.5'");
  EXPECT_EQ(Eval(Cast(T("1"), "Edm.GeographyPoint")), "error cast-not-supported");
  EXPECT_EQ(Eval(Cast(T("1"), "Shop.Order")), "error cast-not-supported");
  EXPECT_EQ(Eval(IsOf(I(1), "Edm.Int32")), "true");
  EXPECT_EQ(Eval(IsOf(T("1"), "Edm.Int32")), "false");
}

TEST(ExpressionTest, ListsCasesAndCollections) {
  EXPECT_EQ(Eval(In(T("b"), {T("a"), T("b")})), "true");
  EXPECT_EQ(Eval(In(N("1"), {N("1.0"), N("2")})), "true");
  EXPECT_EQ(Eval(In(Null(), {T("a"), Null()})), "true");
  EXPECT_EQ(Eval(In(T("c"), {})), "false");
  EXPECT_EQ(Eval(Case({{B(false), T("a")}, {B(true), T("b")}})), "'b'");
  EXPECT_EQ(Eval(Case({{B(false), T("a")}})), "null");
  EXPECT_EQ(Eval(Case({{B(true), T("a")}, {B(true), N("1")}})), "error type-mismatch");
  EXPECT_EQ(Eval(Has(T("a"), T("b"))), "error type-mismatch");
}

TEST(ExpressionTest, ErrorsNameWhatWasExpected) {
  const Result<ExpressionPtr> compare = Op(BinaryOp::kEq, N("1"), T("abc"));
  ASSERT_FALSE(compare.ok());
  EXPECT_EQ(compare.error().reason, "type-mismatch");
  EXPECT_EQ(compare.error().message, "'eq' with 1 needs Edm.Decimal, got 'abc' of type Edm.String");
  EXPECT_EQ(Op(BinaryOp::kAnd, T("a"), B(true)).error().message,
            "'and' needs Edm.Boolean on both sides, got 'a' of type Edm.String");
  EXPECT_EQ(Op(BinaryOp::kAdd, T("a"), N("1")).error().reason, "type-mismatch");
  EXPECT_EQ(Op(BinaryOp::kLt, V(EdmKind::kBinary, "AQ"), V(EdmKind::kBinary, "AQ")).error().reason,
            "type-mismatch");
  EXPECT_EQ(Call("contain", {T("a"), T("b")}).error().reason, "unknown-function");
  EXPECT_EQ(Call("contain", {T("a"), T("b")}).error().remedy, "did you mean 'contains'?");
  EXPECT_EQ(Call("length", {}).error().reason, "function-arity");
  EXPECT_EQ(Call("year", {T("x")}).error().message,
            "year(Edm.Date or Edm.DateTimeOffset) expected, got year(Edm.String)");
  EXPECT_EQ(Call("geo.distance", {T("x"), T("y")}).error().code, ErrorCode::kUnimplemented);
}

TEST(ExpressionTest, PrintsTextThatReadsBack) {
  const ExpressionPtr sum = *Op(BinaryOp::kAdd, N("1"), N("2"));
  EXPECT_EQ((*Op(BinaryOp::kMul, sum, N("3")))->ToString(), "(1 add 2) mul 3");
  const ExpressionPtr a = *Op(BinaryOp::kGt, N("1"), N("2"));
  const ExpressionPtr either = *Op(BinaryOp::kOr, a, B(true));
  EXPECT_EQ((*Op(BinaryOp::kAnd, either, a))->ToString(), "(1 gt 2 or true) and 1 gt 2");
  EXPECT_EQ((*Not(a))->ToString(), "not (1 gt 2)");
  EXPECT_EQ((*Op(BinaryOp::kEq, *Call("contains", {T("it's"), T("x")}), B(true)))->ToString(),
            "contains('it''s','x') eq true");
}

TEST(ExpressionTest, DepthIsLimitedButLongChainsAreNot) {
  ExpressionPtr deep = B(true);
  Result<ExpressionPtr> next = deep;
  for (int i = 0; i < 200 && next.ok(); ++i) next = Not(*next);
  ASSERT_FALSE(next.ok());
  EXPECT_EQ(next.error().reason, "expression-depth");
  ExpressionPtr chain = *Op(BinaryOp::kEq, N("0"), N("1"));
  for (int i = 0; i < 5000; ++i)
    chain = *Op(BinaryOp::kOr, chain, *Op(BinaryOp::kEq, N("0"), N("1")));
  EXPECT_LT(chain->depth(), 20);
  EXPECT_EQ(Eval(chain), "false");
}

}  // namespace
}  // namespace tablecast
