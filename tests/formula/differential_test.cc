// Random formulas on random rows: the interpreter over the checked tree against compiled code, with
// and without the optimiser and the fused shapes. Seeds are fixed; a failure prints formula and
// row.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/formula/formula_fixture.h"
#include "tests/formula/random_formula.h"

namespace tablecast::formula {
namespace {

std::string Shown(const EvalResult& result) {
  return result.ok()
             ? std::string(ValueTypeName(result.value().type())) + " " + result.value().ToString()
             : "error " + std::string(EvalErrorCodeName(result.error().code)) + " at " +
                   std::to_string(result.error().position.offset);
}

TEST(DifferentialTest, InterpreterAndCompiledCodeAgree) {
  std::mt19937 random(20200229);
  int failures_seen = 0;
  int compiled_formulas = 0;
  for (int i = 0; i < 4000; ++i) {
    NamedFields fields = RandomFields(random);
    const std::string formula = RandomFormula(random);
    CompileOptions options;
    options.blank_as_zero = random() % 2 == 0;
    const CompileResult full = Program::Compile(formula, fields, options);
    ASSERT_NE(full.program, nullptr) << formula << ": " << full.issues.at(0).message;
    ++compiled_formulas;
    CompileOptions unfused = options;
    unfused.fuse = false;
    CompileOptions plain = unfused;
    plain.optimize = false;
    const auto without_fusion = Program::Compile(formula, fields, unfused).program;
    const auto without_optimiser = Program::Compile(formula, fields, plain).program;
    const auto printed = Program::Compile(full.program->ToString(), fields, options).program;
    ASSERT_NE(printed, nullptr) << full.program->ToString();
    EvalContext context(kTestNow);
    for (int row = 0; row < 8; ++row) {
      RandomRow(random, fields);
      const std::string expected = Shown(full.program->Interpret(fields, context));
      if (expected.starts_with("error")) ++failures_seen;
      std::string cells;
      for (const auto& field : fields.fields())
        cells += " " + field.name + "=" + field.value.ToString();
      ASSERT_EQ(Shown(full.program->Evaluate(fields, context)), expected) << formula << cells;
      ASSERT_EQ(Shown(without_fusion->Evaluate(fields, context)), expected) << formula << cells;
      ASSERT_EQ(Shown(without_optimiser->Evaluate(fields, context)), expected) << formula << cells;
      if (!expected.starts_with("error")) {
        ASSERT_EQ(Shown(printed->Evaluate(fields, context)), expected)
            << formula << " printed as " << full.program->ToString() << cells;
      }
      context.ResetRow();
    }
  }
  EXPECT_EQ(compiled_formulas, 4000);
  EXPECT_GT(failures_seen, 100);
}

// The cuts that are fused, on every text of a small alphabet.
TEST(DifferentialTest, FusedShapesOnEveryShortText) {
  const char* formulas[] = {
      "RIGHT(s, LEN(s) - FIND(\"#\", s))",
      "MID(s, FIND(\"#\", s) + 1, LEN(s))",
      "MID(s, 1 + FIND(\"#\", s), LEN(s) - FIND(\"#\", s))",
      "LEFT(s, FIND(\"#\", s) - 1)",
      "MID(s, 1, FIND(\"#\", s) - 1)",
      "MID(s, FIND(\"#\", s) + 1, FIND(\"#\", s, FIND(\"#\", s) + 1) - FIND(\"#\", s) - 1)",
      "MID(s, FIND(\"#\", s) + 1, FIND(\"#\", s, FIND(\"#\", s) + 1) - (FIND(\"#\", s) + 1))",
      "MID(s, FIND(\"#\", s) + 1, FIND(\"#\", s, FIND(\"#\", s) + 1) - 1 - FIND(\"#\", s))",
      "RIGHT(s, LEN(s) - FIND(\"#\", s, FIND(\"#\", s) + 1))",
      "RIGHT(s, LEN(s) - FIND(\"#\", s, FIND(\"#\", s, FIND(\"#\", s) + 1) + 1))",
      "RIGHT(s, LEN(s) - FIND(\"\u00E9\", s))",
      "LEFT(s, FIND(\"\u00E9\", s) - 1)",
  };
  NamedFields fields({{"s", ValueType::kText, Value()}});
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; i < texts.size() && texts.size() < 1500; ++i) {
    for (const char* c : {"a", "#", "\u00E9", "\U0001F600"}) texts.push_back(texts[i] + c);
  }
  EvalContext context(kTestNow);
  for (const char* formula : formulas) {
    const auto program = Program::Compile(formula, fields).program;
    EXPECT_TRUE(program->shape() == "strip-prefix" || program->shape() == "head" ||
                program->shape() == "split-part")
        << formula;
    for (const std::string& text : texts) {
      fields.Set(0, Value::Text(text));
      ASSERT_EQ(Shown(program->Evaluate(fields, context)),
                Shown(program->Interpret(fields, context)))
          << formula << " on " << text;
    }
  }
}

}  // namespace
}  // namespace tablecast::formula
