// Each limit, at it and just beyond; and the texts that would be expensive without one.

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "item/item.h"
#include "item/row.h"
#include "tests/formula/formula_fixture.h"

namespace tablecast::formula {
namespace {

EvalResult RunOnce(std::string_view formula, const NamedFields& fields, EvalContext& context) {
  const CompileResult compiled = Program::Compile(formula, fields);
  EXPECT_NE(compiled.program, nullptr) << formula.substr(0, 80);
  return compiled.program->Evaluate(fields, context);
}

TEST(LimitsTest, TextUpToOneMebibyte) {
  EvalContext context(kTestNow);
  const NamedFields none;
  const EvalResult full = RunOnce("LPAD(\"a\", 1048576, \"x\")", none, context);
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full.value().text().size(), 1048576U);
  for (const char* formula :
       {"LPAD(\"a\", 1048577, \"x\")", "RPAD(\"a\", 99999999999999999999, \"x\")",
        "LPAD(\"a\", 1048576, \"x\") & \"y\"",
        "SUBSTITUTE(LPAD(\"\", 1, \"\") & LPAD(\"a\", 600000, \"a\"), \"a\", \"bc\")"}) {
    const EvalResult beyond = RunOnce(formula, none, context);
    ASSERT_FALSE(beyond.ok()) << formula;
    EXPECT_EQ(beyond.error().code, EvalErrorCode::kLimitExceeded) << formula;
  }
}

TEST(LimitsTest, StepBudget) {
  EvalContext generous(kTestNow, {.max_steps = 1000});
  EvalContext tight(kTestNow, {.max_steps = 10});
  const NamedFields fields = NamedFields::Parse("n:Number=1");
  const std::string formula = "n+1+2+3+4+5+6+7+8+9+10+11+12";
  EXPECT_EQ(RunOnce(formula, fields, generous).value(), Value::Integer(79));
  const EvalResult stopped = RunOnce(formula, fields, tight);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, EvalErrorCode::kLimitExceeded);
  // IFERROR cannot buy more steps.
  EXPECT_FALSE(RunOnce("IFERROR(" + formula + ", " + formula + ")", fields, tight).ok());
}

// A megabyte of text and a pattern made to be slow must come back by the budget, not by the clock.
TEST(LimitsTest, HostileTextsAreBounded) {
  NamedFields fields({{"s", ValueType::kText, Value::Text(std::string(400'000, 'a'))},
                      {"p", ValueType::kText, Value::Text(std::string(200'000, 'a') + "b")}});
  const auto start = std::chrono::steady_clock::now();
  EvalContext context(kTestNow);
  for (const char* formula :
       {"FIND(p, s)", "CONTAINS(s, p)", "LEN(SUBSTITUTE(s, p, \"x\"))", "REGEX(s, \"(a*)*b\")",
        "LIKE(s, \"%a%a%a%a%a%a%b\")", "LIKE(s, p & \"%\" & p)"}) {
    const EvalResult result = RunOnce(formula, fields, context);
    if (!result.ok()) {
      EXPECT_EQ(result.error().code, EvalErrorCode::kLimitExceeded) << formula;
    }
    context.ResetRow();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(LimitsTest, LongestSourceCompilesAndRuns) {
  EvalContext context(kTestNow, {.max_steps = 10'000'000});
  const NamedFields fields = NamedFields::Parse("n:Number=1;s:Text=ab;b:Boolean=true");
  const auto chain = [](std::string_view first, std::string_view next) {
    std::string text(first);
    while (text.size() + next.size() <= kMaxSourceBytes) text += next;
    return text;
  };
  EXPECT_EQ(RunOnce(chain("n", "+1"), fields, context).value(), Value::Integer(32768));
  EXPECT_EQ(RunOnce(chain("s", "&s"), fields, context).value().text().size(), 65536U);
  EXPECT_EQ(RunOnce(chain("b", "&&b"), fields, context).value(), Value::Boolean(true));
  EXPECT_EQ(RunOnce(chain("\"a\"", "&\"a\""), fields, context).value().text().size(), 16384U);
}

TEST(LimitsTest, DeepestNestingRuns) {
  EvalContext context(kTestNow);
  const NamedFields fields = NamedFields::Parse("s:Text=abc");
  std::string formula = "s";
  for (int i = 0; i < kMaxNesting; ++i) formula = "TRIM(" + formula + ")";
  EXPECT_EQ(RunOnce(formula, fields, context).value(), Value::Text("abc"));
  std::string naive = "FIND(\"#\", s)";
  for (int i = 0; i < 100; ++i) naive = "FIND(\"#\", s, " + naive + " + 1)";
  EXPECT_EQ(RunOnce(naive, fields, context).value(), Value::Integer(0));
}

TEST(LimitsTest, NumbersStayWithinTheirRange) {
  EvalContext context(kTestNow);
  NamedFields fields = NamedFields::Parse("n:Number=1");
  fields.Set(0, Value::Number(Decimal::FromParts(false, 1, 900)));
  EXPECT_TRUE(RunOnce("n * 1", fields, context).ok());
  const EvalResult beyond = RunOnce("n * n", fields, context);
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().code, EvalErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(RunOnce("1 / n / n", fields, context).value(), Value::Integer(0));
  EXPECT_EQ(RunOnce("n + 1 - n", fields, context).value(), Value::Integer(0));
  EXPECT_EQ(RunOnce("LEN(TEXT(n))", fields, context).value(), Value::Integer(901));
}

TEST(LimitsTest, ResetRowReturnsTheScratchMemory) {
  EvalContext context(kTestNow);
  const NamedFields fields = NamedFields::Parse("s:Text=abc");
  const auto program = Program::Compile("LPAD(s, 100000, \"x\")", fields).program;
  const char* first = program->Evaluate(fields, context).value().text().data();
  for (int i = 0; i < 100; ++i) {
    context.ResetRow();
    ASSERT_EQ(program->Evaluate(fields, context).value().text().data(), first);
  }
}

// ---- reading items ----

TEST(RowFieldReaderTest, ReadsByStoredType) {
  Item item;
  item["s"] = AttributeValue::String("products#23");
  item["n"] = *AttributeValue::NumberFromText("1.50");
  item["b"] = AttributeValue::Bool(true);
  item["z"] = AttributeValue::Null();
  item["l"] = AttributeValue::ListOf({});
  const SlotMap slots({"s", "n", "b", "z", "l", "missing"});
  const OwnedItemRow row(slots, item);
  const RowFieldReader reader(row);
  EXPECT_EQ(reader.Read(0), Value::Text("products#23"));
  EXPECT_FALSE(reader.Read(0).owns_text());
  EXPECT_EQ(reader.Read(1), Value::Number(*Decimal::Parse("1.5")));
  EXPECT_EQ(reader.Read(2), Value::Boolean(true));
  EXPECT_TRUE(reader.Read(3).IsBlank());
  EXPECT_TRUE(reader.Read(4).IsBlank());
  EXPECT_TRUE(reader.Read(5).IsBlank());
}

}  // namespace
}  // namespace tablecast::formula
