#include "formula/parser.h"

#include <gtest/gtest.h>

#include <string>

#include "formula/ast_json.h"
#include "formula/lexer.h"
#include "formula/program.h"

namespace tablecast::formula {
namespace {

std::string Printed(std::string_view text) {
  const ParsedFormula parsed = ParseFormula(text);
  if (parsed.ast) return parsed.ast->ToString();
  const Issue& issue = parsed.issues.back();
  return "error " + issue.code + " at " + std::to_string(issue.span.begin.offset) + ": " +
         issue.message;
}

struct Row {
  const char* text;
  const char* printed;
};

TEST(ParserTest, PrintsTheTreeItReads) {
  const Row rows[] = {
      {"1+2*3", "1 + 2 * 3"},
      {"(1+2)*3", "(1 + 2) * 3"},
      {"1-(2-3)", "1 - (2 - 3)"},
      {"(1-2)-3", "1 - 2 - 3"},
      {"2*3^2", "2 * 3 ^ 2"},
      {"2*(3^2)", "2 * (3 ^ 2)"},
      {"a==b", "a = b"},
      {"a!=b", "a <> b"},
      {"not a", "!a"},
      {"NOT(a)", "!a"},
      {"NOT(a=b)", "!(a = b)"},
      {"--2", "--2"},
      {"If(a,'x',\"y\")", "If(a, \"x\", \"y\")"},
      {"'it\"s'", "\"it\\\"s\""},
      {"\"a\\nb\"", "\"a\\\\nb\""},
      {"{!Account.Name} & {!x}", "Account.Name & x"},
      {"PI()", "PI()"},
      {" /* c */ TRUE", "TRUE"},
      {"a.b:c#d", "a.b:c#d"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Printed(row.text), row.printed) << row.text;
    EXPECT_EQ(Printed(row.printed), row.printed) << row.printed;
  }
}

TEST(ParserTest, LocatesWhatIsWrong) {
  const Row rows[] = {
      {"", "error formula-syntax at 0: formula is empty"},
      {"1 +", "error formula-syntax at 3: formula ends where a value is due"},
      {"(1", "error formula-syntax at 0: ( is not closed"},
      {"LEFT(a, 1", "error formula-syntax at 0: LEFT( is not closed"},
      {"1)", "error formula-syntax at 1: ) without ("},
      {"a b", "error formula-syntax at 2: expected an operator before 'b'"},
      {"a, b", "error formula-syntax at 1: a comma stands outside the arguments of a function"},
      {"f(a,)", "error formula-syntax at 4: expected a value before ')'"},
      {"f(,a)", "error formula-syntax at 2: expected a value before ','"},
      {"* 2", "error formula-syntax at 0: expected a value before '*'"},
      {"\"abc", "error formula-syntax at 0: text is not closed"},
      {"\"a\nb\"", "error formula-syntax at 2: a text literal cannot hold a line break"},
      {"\"a\\qb\"", "error formula-syntax at 2: unknown escape in a text literal"},
      {"1 /* x", "error formula-syntax at 2: comment is not closed"},
      {"5.", "error formula-syntax at 0: number ends in a point"},
      {"1e3", "error formula-syntax at 0: numbers have no exponent here"},
      {"a\u00A0b", "error formula-syntax at 1: unexpected character '\u00A0'"},
      {"\u201Cx\u201D", "error formula-syntax at 0: unexpected character '\u201C'"},
      {"x[1]", "error formula-syntax at 1: unexpected character '['"},
      {"{!a + b} + c", "error formula-syntax at 0: {! } holds one name, or the whole formula"},
      {"a }", "error formula-syntax at 2: } without {!"},
      {"\"\xFF\"", "error formula-syntax at 1: formula is not valid UTF-8"},
  };
  for (const Row& row : rows) EXPECT_EQ(Printed(row.text), row.printed) << row.text;
}

TEST(ParserTest, WarnsAboutPowersBesideProducts) {
  for (const char* text : {"a*b^c", "a/b^c", "a^b*c", "P*(1+r)^n"}) {
    const ParsedFormula parsed = ParseFormula(text);
    ASSERT_EQ(parsed.issues.size(), 1U) << text;
    EXPECT_EQ(parsed.issues[0].code, "formula-power-precedence");
    EXPECT_EQ(parsed.issues[0].severity, Severity::kWarning);
  }
  for (const char* text : {"(a*b)^c", "a*(b^c)", "a+b^c", "a^b^c"})
    EXPECT_TRUE(ParseFormula(text).issues.empty()) << text;
}

std::string Repeat(std::string_view part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

TEST(ParserTest, NestingUpToTheLimit) {
  EXPECT_TRUE(
      ParseFormula(Repeat("(", kMaxNesting) + "1" + Repeat(")", kMaxNesting)).ast.has_value());
  EXPECT_TRUE(
      ParseFormula(Repeat("f(", kMaxNesting) + "1" + Repeat(")", kMaxNesting)).ast.has_value());
  EXPECT_TRUE(ParseFormula(Repeat("-", kMaxNesting) + "1").ast.has_value());
  for (const char* open : {"(", "f(", "-", "!"}) {
    const ParsedFormula parsed = ParseFormula(Repeat(open, kMaxNesting + 1) + "1");
    ASSERT_EQ(parsed.issues.size(), 1U) << open;
    EXPECT_EQ(parsed.issues[0].code, "formula-limit") << open;
  }
}

TEST(ParserTest, SourceUpToTheLimit) {
  std::string chain = "1";
  while (chain.size() + 2 <= kMaxSourceBytes) chain += "+1";
  chain.resize(kMaxSourceBytes, ' ');
  const ParsedFormula parsed = ParseFormula(chain);
  ASSERT_TRUE(parsed.ast.has_value());
  EXPECT_GT(parsed.ast->nodes.size(), 60'000U);
  EXPECT_GT(parsed.ast->ToString().size(), 100'000U);
  EXPECT_TRUE(FormulaAstJson(chain).ok());
  chain += ' ';
  EXPECT_EQ(ParseFormula(chain).issues.at(0).code, "formula-limit");
}

TEST(AstJsonTest, ShowsKindsValuesAndOffsets) {
  EXPECT_EQ(*FormulaAstJson("(a + 1.50) & f(\"x\", NULL, true)"),
            "{\"kind\":\"binary\",\"name\":\"&\",\"args\":["
            "{\"kind\":\"binary\",\"name\":\"+\",\"args\":[{\"kind\":\"name\",\"name\":\"a\","
            "\"at\":[1,2]},"
            "{\"kind\":\"number\",\"value\":\"1.50\",\"at\":[5,9]}],\"at\":[1,9]},"
            "{\"kind\":\"call\",\"name\":\"f\",\"args\":[{\"kind\":\"text\",\"value\":\"x\",\"at\":"
            "[15,18]},"
            "{\"kind\":\"null\",\"value\":null,\"at\":[20,24]},{\"kind\":\"boolean\",\"value\":"
            "true,\"at\":[26,30]}],\"at\":[13,31]}],"
            "\"at\":[0,31]}");
  EXPECT_EQ(*FormulaAstJson("PI()"),
            "{\"kind\":\"call\",\"name\":\"PI\",\"args\":[],\"at\":[0,4]}");
  EXPECT_EQ(*FormulaAstJson("-x"),
            "{\"kind\":\"unary\",\"name\":\"-\",\"args\":[{\"kind\":\"name\",\"name\":\"x\",\"at\":"
            "[1,2]}],\"at\":[0,2]}");
  const auto bad = FormulaAstJson("\u00E9 + 1");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().reason, "formula-syntax");
  EXPECT_EQ(bad.error().position.offset, 0U);
}

TEST(QuoteTextTest, ReadsBackAsTheSameText) {
  EXPECT_EQ(QuoteText(""), "\"\"");
  EXPECT_EQ(QuoteText("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(QuoteText("a\nb"), "\"a\" & CHR(10) & \"b\"");
  EXPECT_EQ(QuoteText("\r"), "CHR(13)");
}

}  // namespace
}  // namespace tablecast::formula
