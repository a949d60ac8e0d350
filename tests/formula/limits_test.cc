// Each limit, at it and just beyond; and the texts that would be expensive without one.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "formula/kernel.h"
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

// ---- exactly at the limit, and one beyond ----

struct Compiled {
  bool ok;
  std::string code, message;
};
Compiled CompileOnly(std::string_view formula, const NamedFields& fields) {
  const CompileResult compiled = Program::Compile(formula, fields);
  if (compiled.program) return {true, "", ""};
  return {false, compiled.issues.front().code, compiled.issues.front().message};
}

TEST(LimitsTest, SourceBytes) {
  const NamedFields none;
  const std::string full = "1" + std::string(kMaxSourceBytes - 1, ' ');
  EXPECT_TRUE(CompileOnly(full, none).ok);
  const Compiled beyond = CompileOnly(full + " ", none);
  EXPECT_FALSE(beyond.ok);
  EXPECT_EQ(beyond.code, "formula-limit");
  EXPECT_EQ(beyond.message, "formula has 65537 bytes, the limit is 65536");
}

TEST(LimitsTest, Nesting) {
  const NamedFields none;
  struct Wrap {
    const char *open, *inner, *close;
  };
  for (const Wrap wrap : {Wrap{"(", "1", ")"}, Wrap{"ABS(", "1", ")"}, Wrap{"-", "1", ""},
                          Wrap{"NOT ", "TRUE", ""}, Wrap{"IF(TRUE,1,", "2", ")"}}) {
    const auto nested = [&](int depth) {
      std::string text;
      for (int i = 0; i < depth; ++i) text += wrap.open;
      text += wrap.inner;
      for (int i = 0; i < depth; ++i) text += wrap.close;
      return text;
    };
    EXPECT_TRUE(CompileOnly(nested(kMaxNesting), none).ok) << wrap.open;
    const Compiled beyond = CompileOnly(nested(kMaxNesting + 1), none);
    EXPECT_FALSE(beyond.ok) << wrap.open;
    EXPECT_EQ(beyond.code, "formula-limit") << wrap.open;
    EXPECT_EQ(beyond.message, "formula nests deeper than 200") << wrap.open;
  }
}

TEST(LimitsTest, TextBytes) {
  const NamedFields fields = NamedFields::Parse("s:Text=abcd");
  EvalContext context(kTestNow, {.max_text_bytes = 8});
  for (const auto& [full, beyond] :
       {std::pair{"s & s", "s & s & \"x\""},
        {"LPAD(s, 8, \"x\")", "LPAD(s, 9, \"x\")"},
        {"RPAD(s, 8)", "RPAD(s, 9)"},
        {"SUBSTITUTE(s, \"a\", \"12345\")", "SUBSTITUTE(s, \"a\", \"123456\")"},
        {"TEXT(LEN(s) + 10000000)", "TEXT(LEN(s) + 100000000)"},
        {"HTMLENCODE(LEFT(s, 3) & \"<\")", "HTMLENCODE(s & \"<<\")"}}) {
    const EvalResult fits = RunOnce(full, fields, context);
    EXPECT_TRUE(fits.ok()) << full;
    EXPECT_LE(fits.value().text().size(), 8U) << full;
    const EvalResult refused = RunOnce(beyond, fields, context);
    ASSERT_FALSE(refused.ok()) << beyond;
    EXPECT_EQ(refused.error().code, EvalErrorCode::kLimitExceeded) << beyond;
    EXPECT_NE(refused.error().message.find("over the limit of 8"), std::string::npos) << beyond;
  }
}

// The budget of one evaluation: n steps run, n - 1 do not, whatever n is for the formula. (A fused
// cut is one bounded pass over one text and counts nothing.)
TEST(LimitsTest, StepsAreDeterministic) {
  const NamedFields fields = NamedFields::Parse("s:Text=abc#def;n:Number=3");
  for (const char* formula : {"n + 1 + n", "LEN(s) - FIND(\"#\", s)", "UPPER(s) & LOWER(s)",
                              "CASE(n, 1, \"a\", 2, \"b\", 3, \"c\", \"d\")"}) {
    std::uint64_t needed = 0;
    for (std::uint64_t steps = 0; steps < 1000 && needed == 0; ++steps) {
      EvalContext context(kTestNow, {.max_steps = steps});
      if (RunOnce(formula, fields, context).ok()) needed = steps;
    }
    ASSERT_GT(needed, 0U) << formula;
    EvalContext exact(kTestNow, {.max_steps = needed});
    EvalContext tight(kTestNow, {.max_steps = needed - 1});
    EXPECT_TRUE(RunOnce(formula, fields, exact).ok()) << formula;
    const EvalResult refused = RunOnce(formula, fields, tight);
    ASSERT_FALSE(refused.ok()) << formula;
    EXPECT_EQ(refused.error().code, EvalErrorCode::kLimitExceeded) << formula;
    EXPECT_EQ(refused.error().message,
              "formula needs more than " + std::to_string(needed - 1) + " steps on this row");
  }
}

TEST(LimitsTest, NumberMagnitude) {
  EvalContext context(kTestNow);
  NamedFields fields = NamedFields::Parse("n:Number=1;s:Text=x");
  fields.Set(0, Value::Number(Decimal::FromParts(false, 1, 1000)));
  EXPECT_TRUE(RunOnce("n * 9", fields, context).ok());
  EXPECT_EQ(RunOnce("n * 10", fields, context).error().code, EvalErrorCode::kArgumentOutOfRange);
  fields.Set(1, Value::Text("9e1000"));
  EXPECT_TRUE(RunOnce("VALUE(s)", fields, context).ok());
  fields.Set(1, Value::Text("1e1001"));
  EXPECT_EQ(RunOnce("VALUE(s)", fields, context).error().code, EvalErrorCode::kBadNumberText);
  const NamedFields none;
  EXPECT_TRUE(CompileOnly(std::string(1001, '9'), none).ok);
  const Compiled beyond = CompileOnly("1" + std::string(1001, '0'), none);
  EXPECT_EQ(beyond.code, "formula-limit");
  EXPECT_EQ(beyond.message, "number is beyond 10^1000");
}

TEST(LimitsTest, RegexBytesAndRepeats) {
  EvalContext context(kTestNow);
  const NamedFields fields = NamedFields::Parse("s:Text=a");
  const auto regex = [](const std::string& pattern) { return "REGEX(s, \"" + pattern + "\")"; };
  EXPECT_TRUE(CompileOnly(regex("a|" + std::string(4094, 'b')), fields).ok);
  EXPECT_EQ(CompileOnly(regex("a|" + std::string(4095, 'b')), fields).code, "formula-regex");
  EXPECT_TRUE(CompileOnly(regex("a{1,1000}"), fields).ok);
  EXPECT_EQ(CompileOnly(regex("a{1,1001}"), fields).code, "formula-regex");
}

// The blank text's data may be null: it must not reach memcpy.
TEST(LimitsTest, BlankTextsAreSetWithoutACopy) {
  EvalContext eval(kTestNow);
  internal::KernelContext context(eval, true);
  Value value = Value::Integer(1);
  EXPECT_TRUE(context.SetText(value, std::string_view()));
  EXPECT_TRUE(value.IsBlank());
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
