// Brute force: every text over a small alphabet that passes the row filter, every condition, every
// definition. A row that satisfies the condition on the virtual column must satisfy the implied
// condition; where the inversion says exact, also the other way round.

#include "formula/inverse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/formula/formula_fixture.h"

namespace tablecast::formula {
namespace {

using testing::HasSubstr;

constexpr CompileOptions kQualifier{.qualifier_mode = true};

std::shared_ptr<const Program> CompileOver(std::string_view formula, const NamedFields& fields,
                                           CompileOptions options = kQualifier) {
  const CompileResult compiled = Program::Compile(formula, fields, options);
  EXPECT_NE(compiled.program, nullptr) << formula;
  return compiled.program;
}

std::vector<std::string> Words(std::size_t length, std::string_view alphabet) {
  std::vector<std::string> words = {""};
  std::size_t from = 0;
  for (std::size_t n = 0; n < length; ++n) {
    const std::size_t to = words.size();
    for (std::size_t i = from; i < to; ++i) {
      for (const char c : alphabet) words.push_back(words[i] + c);
    }
    from = to;
  }
  return words;
}

int Order(const Value& a, const Value& b) {
  if (a.Is(ValueType::kText)) return a.text().compare(b.text());
  if (a.Is(ValueType::kNumber))
    return a.number() < b.number() ? -1 : (b.number() < a.number() ? 1 : 0);
  return a.date() < b.date() ? -1 : (b.date() < a.date() ? 1 : 0);
}

// As a WHERE clause sees it: unknown is false.
bool Holds(const VirtualCondition& condition, const Value& v) {
  const auto& lits = condition.literals;
  if (condition.op == ConditionOp::kEq) return v == lits[0];
  if (condition.op == ConditionOp::kIn) return std::find(lits.begin(), lits.end(), v) != lits.end();
  if (v.IsBlank() || lits.front().IsBlank() || lits.back().IsBlank()) return false;
  switch (condition.op) {
    case ConditionOp::kLt: return Order(v, lits[0]) < 0;
    case ConditionOp::kLe: return Order(v, lits[0]) <= 0;
    case ConditionOp::kGt: return Order(v, lits[0]) > 0;
    case ConditionOp::kGe: return Order(v, lits[0]) >= 0;
    case ConditionOp::kBetween: return Order(v, lits[0]) >= 0 && Order(v, lits[1]) <= 0;
    case ConditionOp::kStartsWith: return v.text().starts_with(lits[0].text());
    case ConditionOp::kEq:
    case ConditionOp::kNe:
    case ConditionOp::kIn: break;
  }
  return false;
}

bool Holds(const ColumnCondition& condition, const AttributeValue& stored) {
  if (condition.never) return false;
  if (!condition.equals.empty()) {
    return std::find(condition.equals.begin(), condition.equals.end(), stored) !=
           condition.equals.end();
  }
  const ScalarRange& range = *condition.range;
  if (range.prefix) return stored.text().starts_with(*range.prefix);
  const auto compare = [](const AttributeValue& a, const AttributeValue& b) {
    if (a.Is(AttributeType::kS)) return a.text().compare(b.text());
    return a.NumberAsDecimal() < b.NumberAsDecimal()
               ? -1
               : (b.NumberAsDecimal() < a.NumberAsDecimal() ? 1 : 0);
  };
  if (range.lower) {
    const int order = compare(stored, range.lower->value);
    if (order < 0 || (order == 0 && !range.lower->inclusive)) return false;
  }
  if (range.upper) {
    const int order = compare(stored, range.upper->value);
    if (order > 0 || (order == 0 && !range.upper->inclusive)) return false;
  }
  return true;
}

std::vector<VirtualCondition> Conditions(const std::vector<Value>& literals, bool text) {
  std::vector<VirtualCondition> out;
  for (const Value& literal : literals) {
    for (const ConditionOp op : {ConditionOp::kEq, ConditionOp::kLt, ConditionOp::kLe,
                                 ConditionOp::kGt, ConditionOp::kGe}) {
      out.push_back({op, {literal}});
    }
    if (text && !literal.IsBlank()) out.push_back({ConditionOp::kStartsWith, {literal}});
  }
  for (std::size_t i = 0; i + 5 < literals.size(); i += 3) {
    out.push_back({ConditionOp::kIn, {literals[i], literals[i + 2], literals[i + 5]}});
    if (!literals[i].IsBlank())
      out.push_back({ConditionOp::kBetween, {literals[i], literals[i + 4]}});
  }
  return out;
}

struct Definition {
  const char* formula;
  const char* prefix;  // what the filter fixes
  bool must_narrow_equality;
};

class TextDefinitions : public testing::TestWithParam<Definition> {};

TEST_P(TextDefinitions, LosesNoRowAndIsExactWhereItSaysSo) {
  const Definition& definition = GetParam();
  NamedFields fields({{"c", ValueType::kText, Value()}});
  const auto program = CompileOver(definition.formula, fields);
  ASSERT_NE(program, nullptr);
  // The key of every row: '!' sorts below the delimiter, 'a' above.
  struct Row {
    std::string stored;
    Value virtual_value;
  };
  std::vector<Row> rows;
  EvalContext context(kTestNow);
  for (const std::string& tail : Words(4, "ab#!")) {
    std::string stored = definition.prefix + tail;
    if (stored.empty() || stored.size() > 7) continue;
    fields.Set(0, Value::Text(stored));
    const EvalResult result = program->Evaluate(fields, context);
    rows.push_back({stored, result.ok() ? result.value().ToOwned() : Value()});
    context.ResetRow();
  }
  std::vector<Value> literals;
  for (const std::string& word : Words(3, "ab#!")) literals.push_back(Value::Text(word));
  const bool boolean = program->result_type() == ValueType::kBoolean;
  if (boolean) literals = {Value::Boolean(true), Value::Boolean(false)};
  const std::vector<ColumnFacts> facts = {
      {.name = "c", .demands_text = true, .literal_prefix = definition.prefix, .is_key = true}};
  int narrowed = 0;
  for (const VirtualCondition& condition :
       boolean ? std::vector<VirtualCondition>{{ConditionOp::kEq, {literals[0]}},
                                               {ConditionOp::kEq, {literals[1]}}}
               : Conditions(literals, true)) {
    const Inversion inversion = Invert(*program, facts, condition);
    const std::string what = std::string(definition.formula) + " op " +
                             std::to_string(static_cast<int>(condition.op)) + " " +
                             condition.literals[0].ToString() + " by " + inversion.why;
    if (!inversion.narrows()) continue;
    // A range without values, or one bounded by a blank, is never true whatever the definition.
    if (condition.op == ConditionOp::kEq && !condition.literals[0].IsBlank()) ++narrowed;
    for (const Row& row : rows) {
      const bool wanted = Holds(condition, row.virtual_value);
      bool implied = !inversion.never;
      for (const ImpliedCondition& one : inversion.conditions) {
        EXPECT_EQ(one.column, "c");
        implied = implied && Holds(one.condition, AttributeValue::String(row.stored));
      }
      if (wanted) {
        ASSERT_TRUE(implied) << what << " loses the row " << row.stored;
      } else if (inversion.exact) {
        ASSERT_FALSE(implied) << what << " is not exact on " << row.stored;
      }
    }
  }
  if (definition.must_narrow_equality) {
    EXPECT_GT(narrowed, boolean ? 0 : 80) << definition.formula;
  } else {
    EXPECT_EQ(narrowed, 0) << definition.formula;
  }
}

constexpr Definition kDefinitions[] = {
    {"c", "", true},
    {"RIGHT(c, LEN(c) - FIND(\"#\", c))", "a#", true},
    {"RIGHT(c, LEN(c) - FIND(\"#\", c))", "#", true},
    {"RIGHT(c, LEN(c) - FIND(\"#\", c))", "a#b#", true},  // Tk, Tl
    {"RIGHT(c, LEN(c) - FIND(\"#\", c))", "a#b",
     true},  // a prefix that goes on behind the delimiter
    {"RIGHT(c, LEN(c) - FIND(\"#\", c))", "a", false},  // Th
    {"RIGHT(c, LEN(c) - FIND(\"#\", c))", "", false},   // Tb
    {"MID(c, FIND(\"#\", c) + 1, LEN(c))", "b!#", true},
    {"MID(c, FIND(\"#\", c) + 1, LEN(c) - FIND(\"#\", c))", "b!#", true},
    {"MID(c, FIND(\"##\", c) + 1, LEN(c))", "a##", false},  // Te
    {"RIGHT(c, LEN(c) - FIND(\"#\", c, FIND(\"#\", c) + 1))", "a#b#", true},
    {"RIGHT(c, LEN(c) - FIND(\"#\", c, FIND(\"#\", c) + 1))", "a#", false},
    {"SUBSTITUTE(c, \"a#\", \"\")", "a#", false},  // Ti
    {"RIGHT(c, LEN(c) - 2)", "a#", true},
    {"MID(c, 3, LEN(c))", "a#", true},
    {"MID(c, 3, LEN(c))", "a", false},
    {"LEFT(c, FIND(\"#\", c) - 1)", "", true},
    {"LEFT(c, FIND(\"#\", c) - 1)", "a", true},
    {"MID(c, FIND(\"#\", c) + 1, FIND(\"#\", c, FIND(\"#\", c) + 1) - FIND(\"#\", c) - 1)", "a#",
     true},
    {"MID(c, FIND(\"#\", c) + 1, FIND(\"#\", c, FIND(\"#\", c) + 1) - FIND(\"#\", c) - 1)", "",
     false},  // Pc
    {"LEFT(c, 2)", "", true},
    {"LEFT(c, 1)", "", true},
    {"MID(c, 3, 2)", "a#", true},
    {"MID(c, 2, 1)", "", false},
    {"\"A\" & c & \"B\"", "", true},
    {"\"a#\" & c", "", true},
    {"c & \"#\"", "", true},
    {"CASE(c, \"a\", \"b\", \"b\", \"a\", \"a\", \"!\", \"#\", \"b\", \"zz\")", "", true},
    {"IF(c = \"a\", \"a\", \"zz\")", "", true},
    {"IF(BEGINS(c, \"a\"), \"a\", \"zz\")", "", true},
    {"IF(AND(c > \"a\", c <= \"b\"), \"a\", \"zz\")", "", true},
    {"IF(IN(c, \"a\", \"b#\"), \"a\", \"zz\")", "", true},
    {"BLANKVALUE(c, \"a\")", "", true},
    {"REVERSE(c)", "", true},
    {"\"a\" & RIGHT(c, LEN(c) - FIND(\"#\", c))", "b#", true},
    {"BEGINS(c, \"a\")", "", true},
    {"c = \"ab\"", "", true},
    // Branches: what the taken condition and the branch's value imply together.
    {"IF(BEGINS(c, \"a#\"), MID(c, 3, LEN(c)), NULL)", "", true},
    {"IF(BEGINS(c, \"a#\"), RIGHT(c, LEN(c) - FIND(\"#\", c)), \"zz\")", "", true},
    {"IF(BEGINS(c, \"a#\"), MID(c, 3, LEN(c)), IF(BEGINS(c, \"b\"), MID(c, 2, LEN(c)), \"zz\"))",
     "", true},
    {"IF(BEGINS(c, \"a\"), c, IF(BEGINS(c, \"b\"), REVERSE(c), \"zz\"))", "", true},
    {"IF(UPPER(c) = \"AB\", c, \"zz\")", "", true},
    {"IF(c = \"ab\", UPPER(c), \"zz\")", "", true},
    {"IF(c = \"ab\", \"zz\", c)", "", true},
    {"IF(c < \"b\", c, \"a\" & c)", "", true},
    {"IF(UPPER(c) = \"AB\", UPPER(c), \"zz\")", "", false},
    {"IF(UPPER(c) = \"AB\", UPPER(c), c)", "", false},
    {"IFS(c = \"a\", \"b\", c = \"b\", \"a\", BEGINS(c, \"!\"), \"b\", IN(c, \"#\", \"##\"), "
     "\"!\", \"zz\")",
     "", true},
    {"IFS(BEGINS(c, \"a\"), LEFT(c, 2), BEGINS(c, \"b#\"), MID(c, 3, LEN(c)), \"zz\")", "", true},
    {"IF(OR(c = \"a\", c = \"b#\", BEGINS(c, \"!\")), \"a\", \"zz\")", "", true},
    {"OR(c = \"ab\", c = \"b\")", "", true},
    {"OR(BEGINS(c, \"a\"), c > \"b\")", "", true},
    {"OR(c < \"a\", c > \"b\")", "", false},
    {"OR(c = \"a\", UPPER(c) = \"B\")", "", false},
    {"AND(BEGINS(c, \"a\"), c > \"ab\", c <= \"b\")", "", true},
    {"AND(BEGINS(c, \"a\"), BEGINS(c, \"ab\"), IN(c, \"ab\", \"abb\", \"b\"))", "", true},
    {"AND(BEGINS(c, \"a\"), BEGINS(c, \"b\"))", "", true},
    {"ISBLANK(RIGHT(c, LEN(c) - FIND(\"#\", c)))", "a#", true},
    {"ISBLANK(c)", "", true},
    {"UPPER(c)", "", false},
    {"TRIM(c)", "", false},
    {"RIGHT(c, 2)", "", false},
    {"c & c", "", false},
};
INSTANTIATE_TEST_SUITE_P(Rules, TextDefinitions, testing::ValuesIn(kDefinitions));

// ---- surrogate pairs ----

TEST(InverseTest, CutsThroughPairsLoseNoRow) {
  NamedFields fields({{"c", ValueType::kText, Value()}});
  const std::vector<ColumnFacts> facts = {{.name = "c", .is_key = true}};
  std::vector<std::string> words = {""};
  for (std::size_t i = 0; i < words.size() && words.size() < 300; ++i) {
    for (const char* c : {"a", "\U0001F600", "\uFFFF"}) words.push_back(words[i] + c);
  }
  EvalContext context(kTestNow);
  for (const char* formula : {"LEFT(c, 1)", "LEFT(c, 2)", "LEFT(c, 3)"}) {
    const auto program = CompileOver(formula, fields);
    std::vector<Value> literals;
    for (std::size_t i = 1; i < 40; ++i) literals.push_back(Value::Text(words[i]));
    for (const VirtualCondition& condition : Conditions(literals, true)) {
      const Inversion inversion = Invert(*program, facts, condition);
      if (!inversion.narrows()) continue;
      for (const std::string& word : words) {
        if (word.empty()) continue;
        fields.Set(0, Value::Text(word));
        const bool wanted = Holds(condition, program->Evaluate(fields, context).value());
        bool implied = !inversion.never;
        for (const auto& one : inversion.conditions)
          implied = implied && Holds(one.condition, AttributeValue::String(word));
        ASSERT_TRUE(!wanted || implied)
            << formula << " " << condition.literals[0].ToString() << " loses " << word;
        ASSERT_TRUE(!inversion.exact || wanted == implied)
            << formula << " " << condition.literals[0].ToString() << " " << word;
      }
    }
  }
}

// ---- numbers ----

TEST(InverseTest, NumberDefinitionsLoseNoRow) {
  NamedFields fields({{"n", ValueType::kNumber, Value()}});
  const std::vector<ColumnFacts> facts = {{.name = "n", .demands_number = true, .is_key = true}};
  std::vector<Decimal> stored;
  for (const char* text : {"0",
                           "1",
                           "-1",
                           "3",
                           "0.5",
                           "-0.5",
                           "1.5",
                           "2.5",
                           "-2.5",
                           "0.1",
                           "7",
                           "10",
                           "99",
                           "100",
                           "-99.99",
                           "0.333333333333333333",
                           "1000000000000000000000000000000001",
                           "1.0000000000000000000000000000000000001",
                           "0.49999999999999999999999999999999999999",
                           "12345.6789"}) {
    stored.push_back(*Decimal::Parse(text));
  }
  for (int i = -30; i < 30; i += 4)
    stored.push_back(Decimal::FromParts(i < 0, static_cast<std::uint64_t>(i < 0 ? -i : i), -1));
  EvalContext context(kTestNow);
  for (const char* formula : {"n",
                              "n + 5",
                              "5 - n",
                              "n * 3",
                              "n * -0.7 + 2",
                              "n / 3",
                              "n / -7 - 1",
                              "-n",
                              "ROUND(n, 0)",
                              "ROUND(n, 1)",
                              "ROUND(n, -1)",
                              "MFLOOR(n)",
                              "FLOOR(n)",
                              "MCEILING(n)",
                              "CEILING(n)",
                              "TRUNC(n, 0)",
                              "TRUNC(n, 1)",
                              "TRUNC(n, -1)",
                              "ABS(n)",
                              "ABS(n - 2)",
                              "FLOOR(n / 3)",
                              "MCEILING(n * -0.7)",
                              "IF(n > 5, n - 5, IF(n < 0, -n, NULL))",
                              "n + 100000000000000000000000000000000000000",
                              "(n - 3) / 0.3 * 2"}) {
    const auto program = CompileOver(formula, fields);
    std::vector<Value> literals;
    for (const Decimal& n : stored) {
      fields.Set(0, Value::Number(n));
      literals.push_back(program->Evaluate(fields, context).value());
      literals.push_back(Value::Number(n));
    }
    int narrowed = 0;
    for (const VirtualCondition& condition : Conditions(literals, false)) {
      const Inversion inversion = Invert(*program, facts, condition);
      if (!inversion.narrows()) continue;
      ++narrowed;
      for (const Decimal& n : stored) {
        fields.Set(0, Value::Number(n));
        const bool wanted = Holds(condition, program->Evaluate(fields, context).value());
        bool implied = !inversion.never;
        for (const auto& one : inversion.conditions)
          implied = implied && Holds(one.condition, *AttributeValue::Number(n));
        ASSERT_TRUE(!wanted || implied)
            << formula << " " << condition.literals[0].ToString() << " loses " << n.ToString();
        ASSERT_TRUE(!inversion.exact || wanted == implied)
            << formula << " " << condition.literals[0].ToString() << " " << n.ToString();
      }
    }
    EXPECT_GT(narrowed, 50) << formula;
  }
}

TEST(InverseTest, TextOfNumberTakesCanonicalLiteralsOnly) {
  const NamedFields fields({{"n", ValueType::kNumber, Value()}});
  const auto program = CompileOver("TEXT(n)", fields);
  const std::vector<ColumnFacts> facts = {{.name = "n", .is_key = true}};
  const Inversion good = Invert(*program, facts, {ConditionOp::kEq, {Value::Text("1.5")}});
  ASSERT_EQ(good.conditions.size(), 1U);
  EXPECT_EQ(good.conditions[0].condition.equals[0].NumberAsText(), "1.5");
  EXPECT_TRUE(Invert(*program, facts, {ConditionOp::kEq, {Value::Text("1.50")}}).never);
  EXPECT_TRUE(Invert(*program, facts, {ConditionOp::kEq, {Value::Text("x")}}).never);
  EXPECT_FALSE(Invert(*program, facts, {ConditionOp::kLt, {Value::Text("2")}}).narrows());
}

// ---- dates ----

TEST(InverseTest, DatesOfTexts) {
  NamedFields fields({{"c", ValueType::kText, Value()}});
  std::vector<std::string> canonical;
  std::vector<std::string> lenient;
  for (std::int32_t day = 18246; day < 18280; ++day) {  // around new year
    const std::string iso = FormatDate(Date{day});
    for (const char* rest : {"", "T00:00:00Z", "T23:59:59.999Z", " 12:00:00"})
      canonical.push_back("orders#" + iso + rest);
    const CivilDay civil = ToCivil(Date{day});
    lenient.push_back("orders#" + std::to_string(civil.year) + "-" + std::to_string(civil.month) +
                      "-" + std::to_string(civil.day));
    lenient.push_back("orders#" + iso + "T01:00:00+02:00");
  }
  EvalContext context(kTestNow);
  for (const char* formula : {"DATEVALUE(RIGHT(c, LEN(c) - FIND(\"#\", c)))",
                              "DATEVALUE(DATETIMEVALUE(RIGHT(c, LEN(c) - FIND(\"#\", c))))"}) {
    const auto program = CompileOver(formula, fields);
    for (const bool promised : {true, false}) {
      const std::vector<ColumnFacts> facts = {{.name = "c",
                                               .literal_prefix = "orders#",
                                               .is_key = true,
                                               .promises_canonical_dates = promised}};
      std::vector<std::string> rows = canonical;
      if (!promised) rows.insert(rows.end(), lenient.begin(), lenient.end());
      std::vector<Value> literals;
      for (std::int32_t day = 18250; day < 18275; ++day)
        literals.push_back(Value::FromDate(Date{day}));
      for (const VirtualCondition& condition : Conditions(literals, false)) {
        const Inversion inversion = Invert(*program, facts, condition);
        ASSERT_TRUE(inversion.narrows()) << inversion.why;
        for (const std::string& row : rows) {
          fields.Set(0, Value::Text(row));
          const EvalResult result = program->Evaluate(fields, context);
          const bool wanted = result.ok() && Holds(condition, result.value());
          bool implied = !inversion.never;
          for (const auto& one : inversion.conditions)
            implied = implied && Holds(one.condition, AttributeValue::String(row));
          ASSERT_TRUE(!wanted || implied)
              << formula << " " << condition.literals[0].ToString() << " loses " << row;
          ASSERT_TRUE(!inversion.exact || wanted == implied)
              << formula << " " << condition.literals[0].ToString() << " " << row;
        }
      }
    }
  }
}

TEST(InverseTest, TextsOfDays) {
  NamedFields fields({{"c", ValueType::kText, Value()}});
  std::vector<std::string> rows;
  for (const char* first : {"0001-01-01", "0999-12-31", "2019-12-20", "9999-12-20"}) {
    const Date from = *ParseDate(first);
    for (std::int32_t day = 0; day < 20; ++day) {
      if (Date{from.days + day} > kMaxDate) break;
      for (const char* rest : {"T00:00:00Z", "T23:59:59.999Z", " 12:00:00"})
        rows.push_back(FormatDate(Date{from.days + day}) + rest);
    }
  }
  std::vector<Value> literals;
  for (const char* text :
       {"0",          "0001-01-01", "0001-01-01 00:00:00Z", "2019",
        "2019-12",    "2019-12-31", "2019-12-31 12:00:00Z", "2019-12-31 12",
        "2020-",      "2020-01-0",  "2020-01-02 ",          "2020-13",
        "2020-01-99", "9999-12-31", "9999-12-31 23:59:59Z", "9999-12-31x",
        "a",          "!",          "2020-01-05",           "2020-01-05 00:00:00Z",
        "0999-12-31", "1"})
    literals.push_back(Value::Text(text));
  EvalContext context(kTestNow);
  for (const char* formula : {"TEXT(DATEVALUE(c))", "TEXT(DATETIMEVALUE(c))"}) {
    const auto program = CompileOver(formula, fields);
    for (const bool promised : {true, false}) {
      const std::vector<ColumnFacts> facts = {
          {.name = "c", .is_key = true, .promises_canonical_dates = promised}};
      int narrowed = 0;
      for (const VirtualCondition& condition : Conditions(literals, true)) {
        const Inversion inversion = Invert(*program, facts, condition);
        if (!inversion.narrows()) continue;
        ++narrowed;
        for (const std::string& row : rows) {
          fields.Set(0, Value::Text(row));
          const bool wanted = Holds(condition, program->Evaluate(fields, context).value());
          bool implied = !inversion.never;
          for (const auto& one : inversion.conditions)
            implied = implied && Holds(one.condition, AttributeValue::String(row));
          ASSERT_TRUE(!wanted || implied)
              << formula << " " << static_cast<int>(condition.op) << " "
              << condition.literals[0].ToString() << " loses " << row << " by " << inversion.why;
          ASSERT_TRUE(!inversion.exact || wanted == implied)
              << formula << " " << static_cast<int>(condition.op) << " "
              << condition.literals[0].ToString() << " " << row << " by " << inversion.why;
        }
      }
      EXPECT_GT(narrowed, 80) << formula;
    }
  }
}

TEST(InverseTest, OfSeveralConditionsNoneIsExactAlone) {
  const NamedFields fields({{"a", ValueType::kText, Value()}, {"b", ValueType::kText, Value()}});
  const std::vector<ColumnFacts> facts = {{.name = "a", .is_key = true}, {.name = "b"}};
  const Inversion both = Invert(*CompileOver("a & \"#\" & b", fields), facts,
                                {ConditionOp::kEq, {Value::Text("x#y")}});
  ASSERT_EQ(both.conditions.size(), 2U);
  EXPECT_TRUE(both.exact);
  EXPECT_FALSE(both.conditions[0].exact || both.conditions[1].exact);
  // Conditions on one column become one.
  const Inversion range = Invert(*CompileOver("AND(a > \"b\", a >= \"c\", a < \"d\")", fields),
                                 facts, {ConditionOp::kEq, {Value::Boolean(true)}});
  ASSERT_EQ(range.conditions.size(), 1U);
  EXPECT_TRUE(range.conditions[0].exact);
  EXPECT_EQ(range.conditions[0].condition.range->lower->value.text(), "c");
  EXPECT_EQ(range.conditions[0].condition.range->upper->value.text(), "d");
}

// ---- what does not invert ----

TEST(InverseTest, RowsWithoutTheAttributeAreNeverLost) {
  const NamedFields fields({{"c", ValueType::kText, Value()}, {"n", ValueType::kNumber, Value()}});
  const std::vector<ColumnFacts> facts = {{.name = "c"}, {.name = "n"}};
  const auto blank_value = CompileOver("BLANKVALUE(c, \"a\")", fields);
  EXPECT_FALSE(Invert(*blank_value, facts, {ConditionOp::kEq, {Value::Text("a")}}).narrows());
  EXPECT_TRUE(Invert(*blank_value, facts, {ConditionOp::kEq, {Value::Text("b")}}).narrows());
  const auto affix = CompileOver("\"x\" & c", fields);
  EXPECT_FALSE(Invert(*affix, facts, {ConditionOp::kEq, {Value::Text("x")}}).narrows());
  EXPECT_FALSE(Invert(*affix, facts, {ConditionOp::kLt, {Value::Text("xb")}}).narrows());
  CompileOptions zero = kQualifier;
  zero.blank_as_zero = true;
  const auto shifted = CompileOver("n + 1", fields, zero);
  EXPECT_FALSE(Invert(*shifted, facts, {ConditionOp::kEq, {Value::Integer(1)}}).narrows());
  EXPECT_TRUE(Invert(*shifted, facts, {ConditionOp::kEq, {Value::Integer(2)}}).narrows());
  const auto alias = CompileOver("c", fields);
  EXPECT_FALSE(Invert(*alias, facts, {ConditionOp::kEq, {Value()}}).narrows());
}

TEST(InverseTest, RefusalsSayWhy) {
  const NamedFields fields({{"c", ValueType::kText, Value()}});
  const std::vector<ColumnFacts> facts = {{.name = "c", .is_key = true}};
  const auto why = [&](const char* formula, VirtualCondition condition) {
    return Invert(*CompileOver(formula, fields), facts, condition).why;
  };
  EXPECT_THAT(why("c", {ConditionOp::kNe, {Value::Text("a")}}),
              HasSubstr("<> is no key condition"));
  EXPECT_THAT(why("c", {ConditionOp::kEq, {Value::Integer(1)}}),
              HasSubstr("the literal is Number, the column Text"));
  EXPECT_THAT(why("VALUE(c)", {ConditionOp::kEq, {Value::Integer(1)}}), HasSubstr("many texts"));
  EXPECT_THAT(why("RIGHT(c, LEN(c) - FIND(\"#\", c))", {ConditionOp::kEq, {Value::Text("a")}}),
              HasSubstr("no filter fixes a prefix"));
  EXPECT_THAT(why("UPPER(c)", {ConditionOp::kEq, {Value::Text("A")}}),
              HasSubstr("UPPER is not invertible"));
  EXPECT_THAT(why("IF(c = \"a\", \"x\", \"y\")", {ConditionOp::kEq, {Value::Text("y")}}),
              HasSubstr("else branch"));
}

TEST(InverseTest, JoinedPhysicalColumnsReadTheLiteralEveryWay) {
  const NamedFields fields({{"c1", ValueType::kText, Value()}, {"c2", ValueType::kText, Value()}});
  const auto program = CompileOver("c1 & \"#\" & c2", fields);
  const std::vector<ColumnFacts> facts = {{.name = "c1", .is_key = true},
                                          {.name = "c2", .is_key = true}};
  const Inversion one = Invert(*program, facts, {ConditionOp::kEq, {Value::Text("a#b")}});
  ASSERT_EQ(one.conditions.size(), 2U);
  EXPECT_TRUE(one.exact);
  EXPECT_EQ(one.conditions[0].condition.equals[0].text(), "a");
  EXPECT_EQ(one.conditions[1].condition.equals[0].text(), "b");
  const Inversion two = Invert(*program, facts, {ConditionOp::kEq, {Value::Text("a#b#c")}});
  ASSERT_EQ(two.conditions.size(), 2U);
  EXPECT_FALSE(two.exact);
  EXPECT_EQ(two.conditions[0].condition.equals.size(), 2U);
  EXPECT_TRUE(Invert(*program, facts, {ConditionOp::kEq, {Value::Text("ab")}}).never);
}

// ---- written inverses ----

struct PairRow {
  const char* column_prefix;
  const char* inverse;                                        // over the virtual columns
  std::vector<std::pair<const char*, const char*>> forwards;  // name, formula over column c
  bool proved;
  bool canonical_numbers = false;
};

TEST(InverseTest, PairsAreProvedByTemplatesOnly) {
  const char* kPart1 = "LEFT(c, FIND(\"#\", c) - 1)";
  const char* kPart2 =
      "MID(c, FIND(\"#\", c) + 1, FIND(\"#\", c, FIND(\"#\", c) + 1) - FIND(\"#\", c) - 1)";
  const char* kTail1 = "RIGHT(c, LEN(c) - FIND(\"#\", c))";
  const char* kTail2 = "RIGHT(c, LEN(c) - FIND(\"#\", c, FIND(\"#\", c) + 1))";
  const std::vector<PairRow> rows = {
      {"", "v", {{"v", "c"}}, true},
      {"products#", "\"products#\" & v", {{"v", kTail1}}, true},
      {"products#", "\"products#\" + v", {{"v", kTail1}}, true},
      {"products#", "\"product#\" & v", {{"v", kTail1}}, false},
      {"", "\"products#\" & v", {{"v", kTail1}}, false},
      {"a#b#", "\"a#b#\" & v", {{"v", kTail1}}, false},
      {"a#b#", "\"a#b#\" & v", {{"v", kTail2}}, true},
      {"ab", "\"ab\" & v", {{"v", "RIGHT(c, LEN(c) - 2)"}}, true},
      {"ab", "\"ab\" & v", {{"v", "RIGHT(c, LEN(c) - 1)"}}, false},
      {"", "MID(v, 3, LEN(v))", {{"v", "\"ab\" & c"}}, true},
      {"", "MID(v, 2, LEN(v))", {{"v", "\"ab\" & c"}}, false},
      {"", "v1 & \"#\" & v2", {{"v1", kPart1}, {"v2", kTail1}}, true},
      {"", "v1 & \"#\" & v2 & \"#\" & v3", {{"v1", kPart1}, {"v2", kPart2}, {"v3", kTail2}}, true},
      {"", "v2 & \"#\" & v1 & \"#\" & v3", {{"v1", kPart1}, {"v2", kPart2}, {"v3", kTail2}}, false},
      {"", "v1 & \"!\" & v2", {{"v1", kPart1}, {"v2", kTail1}}, false},
      {"", "v1 & \"#\" & v2", {{"v1", kPart1}, {"v2", kTail2}}, false},
      {"q#", "\"q#\" & v1 & \"#\" & v2", {{"v1", kPart2}, {"v2", kTail2}}, true},
      {"", "TEXT(n)", {{"n", "VALUE(c)"}}, false},
      {"", "TEXT(n)", {{"n", "VALUE(c)"}}, true, true},
      {"", "TEXT(n / 100)", {{"n", "VALUE(c) * 100"}}, false, true},
      {"", "UPPER(v)", {{"v", "c"}}, false},
  };
  for (const PairRow& row : rows) {
    NamedFields physical({{"c", ValueType::kText, Value()}});
    NamedFields virtuals;
    std::vector<std::shared_ptr<const Program>> keep;
    std::vector<ForwardDefinition> forwards;
    for (const auto& [name, formula] : row.forwards) {
      keep.push_back(CompileOver(formula, physical));
      forwards.push_back({name, keep.back().get()});
      virtuals.Add(name, keep.back()->result_type(), "");
    }
    const auto inverse = CompileOver(row.inverse, virtuals);
    const PairVerdict verdict = ProvePair(*inverse, forwards,
                                          {.name = "c",
                                           .literal_prefix = row.column_prefix,
                                           .is_key = true,
                                           .promises_canonical_numbers = row.canonical_numbers});
    EXPECT_EQ(verdict.proved, row.proved) << row.inverse << ": " << verdict.why;
    EXPECT_FALSE(verdict.why.empty());
    if (!verdict.proved || row.canonical_numbers) continue;
    // The identity itself, on every row of the filter with enough delimiters.
    EvalContext context(kTestNow);
    for (const std::string& tail : Words(5, "ab#")) {
      const std::string stored = row.column_prefix + tail;
      if (stored.empty() ||
          static_cast<std::size_t>(std::count(stored.begin(), stored.end(), '#')) + 1 <
              row.forwards.size() +
                  static_cast<std::size_t>(std::string_view(row.inverse).substr(0, 3).find('#') !=
                                               std::string_view::npos &&
                                           row.forwards.size() > 1)) {
        continue;
      }
      physical.Set(0, Value::Text(stored));
      for (std::size_t i = 0; i < forwards.size(); ++i) {
        virtuals.Set(i, forwards[i].definition->Evaluate(physical, context).value().ToOwned());
      }
      ASSERT_EQ(inverse->Evaluate(virtuals, context).value(), Value::Text(stored)) << row.inverse;
    }
  }
}

TEST(InverseTest, LeadingPartsOfAJoinedColumn) {
  const NamedFields fields({{"country", ValueType::kText, Value()},
                            {"region", ValueType::kText, Value()},
                            {"city", ValueType::kText, Value()}});
  const auto join = CompileOver("country & \"#\" & region & \"#\" & city", fields);
  const auto eq = [](const char* text) {
    return VirtualCondition{ConditionOp::kEq, {Value::Text(text)}};
  };
  const Inversion two = InvertJoined(*join, "data", {{"country", eq("USA")}, {"region", eq("MI")}});
  ASSERT_EQ(two.conditions.size(), 1U) << two.why;
  EXPECT_EQ(two.conditions[0].column, "data");
  EXPECT_EQ(two.conditions[0].condition.range->prefix, "USA#MI#");
  EXPECT_TRUE(two.exact);
  const Inversion starts = InvertJoined(
      *join, "data",
      {{"country", eq("USA")}, {"region", {ConditionOp::kStartsWith, {Value::Text("M")}}}});
  EXPECT_EQ(starts.conditions.at(0).condition.range->prefix, "USA#M");
  EXPECT_FALSE(starts.exact);
  const Inversion all = InvertJoined(
      *join, "data", {{"country", eq("USA")}, {"region", eq("MI")}, {"city", eq("A#B")}});
  EXPECT_EQ(all.conditions.at(0).condition.equals.at(0).text(), "USA#MI#A#B");
  const Inversion in =
      InvertJoined(*join, "data",
                   {{"country", {ConditionOp::kIn, {Value::Text("USA"), Value::Text("UK")}}},
                    {"region", eq("MI")},
                    {"city", eq("X")}});
  EXPECT_EQ(in.conditions.at(0).condition.equals.size(), 2U);
  const Inversion range = InvertJoined(
      *join, "data", {{"country", {ConditionOp::kIn, {Value::Text("USA"), Value::Text("UK")}}}});
  EXPECT_EQ(range.conditions.at(0).condition.range->lower->value.text(), "UK#");
  EXPECT_FALSE(range.exact);
  EXPECT_FALSE(InvertJoined(*join, "data", {{"region", eq("MI")}}).narrows());  // Pc
  EXPECT_FALSE(
      InvertJoined(*join, "data", {{"country", {ConditionOp::kEq, {Value()}}}}).narrows());  // Pa
  EXPECT_FALSE(InvertJoined(*join, "data", {{"country", eq("U#A")}}).narrows());             // Pb
  const Inversion held = InvertJoined(
      *join, "data", {{"country", eq("USA")}, {"region", eq("M#I")}, {"city", eq("X")}});
  EXPECT_EQ(held.conditions.at(0).condition.range->prefix, "USA#");
}

TEST(InverseTest, DerivesUniqueInverses) {
  const NamedFields fields({{"sk", ValueType::kText, Value()}});
  const std::vector<ColumnFacts> facts = {
      {.name = "sk", .literal_prefix = "products#", .is_key = true}};
  const auto derived = [&](const char* formula) {
    const auto inverse = DeriveInverse(*CompileOver(formula, fields), facts, "product");
    return inverse ? inverse->column + " = " + inverse->definition : std::string("none");
  };
  EXPECT_EQ(derived("sk"), "sk = product");
  EXPECT_EQ(derived("RIGHT(sk, LEN(sk) - FIND(\"#\", sk))"), "sk = \"products#\" & product");
  EXPECT_EQ(derived("RIGHT(sk, LEN(sk) - 3)"), "sk = \"pro\" & product");
  EXPECT_EQ(derived("\"A\" & sk & \"BC\""), "sk = MID(product, 2, LEN(product) - 3)");
  EXPECT_EQ(derived("UPPER(sk)"), "none");
  EXPECT_EQ(derived("LEFT(sk, FIND(\"#\", sk) - 1)"), "none");
}

TEST(InverseTest, DescribesItselfForExplain) {
  const NamedFields fields({{"sk", ValueType::kText, Value()}});
  const std::vector<ColumnFacts> facts = {
      {.name = "sk", .literal_prefix = "products#", .is_key = true}};
  EXPECT_EQ(DescribeInversion(*CompileOver("RIGHT(sk, LEN(sk) - FIND(\"#\", sk))", fields), facts),
            "inverts by T: column sk; narrows =, in, startswith, <, >=");
  EXPECT_EQ(DescribeInversion(*CompileOver("UPPER(sk)", fields), facts),
            "does not invert: UPPER is not invertible");
}

}  // namespace
}  // namespace tablecast::formula
