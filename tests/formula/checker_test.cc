#include <gtest/gtest.h>

#include <string>

#include "tests/formula/formula_fixture.h"

namespace tablecast::formula {
namespace {

NamedFields Fields() {
  return NamedFields::Parse(
      "name:Text=Ann;price:Number=5;active:Boolean=true;day:Date=2020-01-02;at:DateTime=2020-01-"
      "02T03:04:05Z");
}

std::string IssuesOf(std::string_view formula, CompileOptions options = {}) {
  std::string out;
  for (const Issue& issue : Program::Compile(formula, Fields(), options).issues) {
    if (!out.empty()) out += " | ";
    out += issue.code + "@" + std::to_string(issue.span.begin.offset) + "-" +
           std::to_string(issue.span.end.offset) + ": " + issue.message;
    if (!issue.remedy.empty()) out += "; " + issue.remedy;
  }
  return out;
}

struct Row {
  const char* formula;
  const char* issues;
};

TEST(CheckerTest, LocatesAndSuggests) {
  const Row rows[] = {
      {"LEN(name)", ""},
      {"Substitut(name)",
       "formula-unknown-function@0-9: unknown function Substitut; did you mean SUBSTITUTE?"},
      {"XYZZY(name)", "formula-unknown-function@0-5: unknown function XYZZY"},
      {"nmae", "formula-unknown-field@0-4: unknown field nmae; did you mean name?"},
      {"Name", "formula-unknown-field@0-4: unknown field Name; did you mean name?"},
      {"LEN",
       "formula-unknown-field@0-3: unknown field LEN; a function needs parentheses: LEN(...)"},
      {"LEN(price)",
       "formula-argument-type@4-9: argument 1 of LEN must be Text, found Number; convert it with "
       "TEXT(...)"},
      {"LEFT(name, name)",
       "formula-argument-type@11-15: argument 2 of LEFT must be Number, found Text; convert it "
       "with VALUE(...)"},
      {"LEFT(name)",
       "formula-argument-count@0-4: LEFT takes 2 arguments, found 1; LEFT(text, count)"},
      {"FIND(name)",
       "formula-argument-count@0-4: FIND takes 2 or 3 arguments, found 1; FIND(part, text, "
       "[start])"},
      {"PI(1)", "formula-argument-count@0-2: PI takes 0 arguments, found 1; PI()"},
      {"name & price",
       "formula-argument-type@0-12: operator & does not take Text and Number; an operator takes "
       "two operands of one type; convert it with TEXT(...)"},
      {"name * 2",
       "formula-argument-type@0-8: operator * does not take Text and Number; VALUE(...) converts a "
       "text to a number"},
      {"day = at",
       "formula-argument-type@0-8: operator = does not take Date and DateTime; convert it with "
       "DATEVALUE(...)"},
      {"IF(price, 1, 2)",
       "formula-argument-type@3-8: argument 1 of IF must be Boolean, found Number; compare it: ... "
       "<> 0"},
      {"IF(active, 1, name)",
       "formula-argument-type@14-18: argument 3 of IF must be Number, found Text; convert it with "
       "VALUE(...)"},
      {"CASE(active, TRUE, 1, 2)",
       "formula-argument-type@5-11: argument 1 of CASE cannot be Boolean; use IF for conditions"},
      {"YEAR(at)",
       "formula-argument-type@5-7: argument 1 of YEAR must be Date, found DateTime; convert it "
       "with DATEVALUE(...)"},
      {"TEXT(active)",
       "formula-argument-type@5-11: TEXT takes (Number) or (Date) or (DateTime) or (Time), found "
       "(Boolean); convert it with IF(..., \"true\", \"false\")"},
      {"VLOOKUP(1)",
       "formula-unsupported@0-7: function VLOOKUP is not offered: it searches another object; "
       "relate the objects instead"},
      {"REGEX(name, \"a(?=b)\")",
       "formula-regex@12-20: regular expression: look-around (?=...) is not supported"},
      {"2*price^2",
       "formula-power-precedence@0-9: ^ binds looser than * and /: 2*3^2 is 36; add parentheses: "
       "2*price is computed first"},
      // Every mistake in one run; a mistake silences what stands above it.
      {"LEN(price) + nmae",
       "formula-argument-type@4-9: argument 1 of LEN must be Text, found Number; convert it with "
       "TEXT(...) | "
       "formula-unknown-field@13-17: unknown field nmae; did you mean name?"},
  };
  for (const Row& row : rows) EXPECT_EQ(IssuesOf(row.formula), row.issues) << row.formula;
}

TEST(CheckerTest, StopsTellingAfterFiftyIssues) {
  std::string formula = "nmae";
  for (int i = 0; i < 200; ++i) formula += " & nmae";
  EXPECT_EQ(Program::Compile(formula, Fields()).issues.size(), 50U);
}

TEST(CheckerTest, PositionsCountLinesAndCodePoints) {
  const CompileResult compiled = Program::Compile("\"\u00E9\"\n & nmae", Fields());
  ASSERT_EQ(compiled.issues.size(), 1U);
  EXPECT_EQ(compiled.issues[0].span.begin.line, 2U);
  EXPECT_EQ(compiled.issues[0].span.begin.column, 4U);
  EXPECT_EQ(compiled.issues[0].span.begin.offset, 8U);
}

TEST(CheckerTest, DeclaredResults) {
  EXPECT_EQ(IssuesOf("price", {.result = ValueType::kText}),
            "formula-result-type@0-5: formula yields Number, but Text is declared; convert it with "
            "TEXT(...)");
  EXPECT_EQ(IssuesOf("at", {.result = ValueType::kDate}), "");
  EXPECT_EQ(IssuesOf("NULL", {.result = ValueType::kDate}), "");
  EXPECT_EQ(EvaluateToText("at", Fields(), {.result = ValueType::kDate}), "2020-01-02");
  EXPECT_EQ(EvaluateToText("NULL = 1", Fields(), {.result = ValueType::kBoolean}), "FALSE");
  EXPECT_EQ(EvaluateToText("NULL = 1", Fields()), "blank");
  EXPECT_EQ(EvaluateToText("1.005", Fields(), {.result = ValueType::kNumber, .scale = 2}), "1.01");
}

TEST(CheckerTest, NamesFoldOnlyWhenAsked) {
  EXPECT_EQ(EvaluateToText("NAME", Fields()), "reject");
  EXPECT_EQ(EvaluateToText("NAME", Fields(), {.fold_name_case = true}), "\"Ann\"");
}

TEST(CheckerTest, UndeclaredFieldsTakeTheirTypeFromTheUse) {
  const NamedFields fields(
      {{"a", ValueType::kNull, Value::Integer(6)}, {"b", ValueType::kNull, Value::Text("x#y")}});
  const auto types = [&](std::string_view formula) {
    const CompileResult compiled = Program::Compile(formula, fields);
    std::string out;
    if (compiled.program) {
      for (const FieldUse& use : compiled.program->fields())
        out += use.name + ":" + std::string(ValueTypeName(use.type)) + " ";
    }
    return out;
  };
  EXPECT_EQ(types("b"), "b:Text ");
  EXPECT_EQ(types("a * 2"), "a:Number ");
  EXPECT_EQ(types("LEFT(b, a)"), "b:Text a:Number ");
  EXPECT_EQ(types("a * LEN(a)"), "");
  EXPECT_EQ(EvaluateToText("RIGHT(b, LEN(b) - FIND(\"#\", b))", fields), "\"y\"");
  EXPECT_EQ(EvaluateToText("b * 2", fields), "blank");  // the stored value is no number
}

TEST(CheckerTest, TellsConstantsAndClocks) {
  const auto compile = [](std::string_view formula) {
    return Program::Compile(formula, Fields()).program;
  };
  EXPECT_TRUE(compile("\"ORDER\"")->IsConstant());
  EXPECT_EQ(compile("\"OR\" & \"DER\"")->constant(), Value::Text("ORDER"));
  EXPECT_TRUE(compile("1/0")->IsConstant());
  EXPECT_FALSE(compile("1/0")->constant().has_value());
  EXPECT_FALSE(compile("TODAY()")->IsConstant());
  EXPECT_TRUE(compile("TODAY()")->UsesClock());
  EXPECT_FALSE(compile("name")->IsConstant());
}

}  // namespace
}  // namespace tablecast::formula
