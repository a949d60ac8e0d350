#ifndef TABLECAST_TESTS_FORMULA_RANDOM_FORMULA_H_
#define TABLECAST_TESTS_FORMULA_RANDOM_FORMULA_H_

// Well-typed random formulas over the fields s, t (Text), n, m (Number), b (Boolean), d (Date),
// at (DateTime), c (Time), and random rows for them.

#include <random>
#include <string>
#include <vector>

#include "tests/formula/formula_fixture.h"

namespace tablecast::formula {

inline NamedFields RandomFields(std::mt19937& /*random*/) {
  return NamedFields({{"s", ValueType::kText, Value()},
                      {"t", ValueType::kText, Value()},
                      {"n", ValueType::kNumber, Value()},
                      {"m", ValueType::kNumber, Value()},
                      {"b", ValueType::kBoolean, Value()},
                      {"d", ValueType::kDate, Value()},
                      {"at", ValueType::kDateTime, Value()},
                      {"c", ValueType::kTime, Value()}});
}

template <class Random>
class FormulaWriter {
 public:
  explicit FormulaWriter(Random& random) : random_(random) {}

  std::string Any(int depth) {
    switch (random_() % 6) {
      case 0: return Number(depth);
      case 1: return Boolean(depth);
      case 2: return Date(depth);
      case 3: return DateTime(depth);
      case 4: return Time(depth);
      default: return Text(depth);
    }
  }

  std::string Text(int depth) {
    if (depth <= 0)
      return Pick({"s", "t", "\"#\"", "\"a\"", "\"\"", "\"a#b\"", "\"\u00E9\"", "\"12\"",
                   "\"2020-02-29\"", "s", "t"});
    const int d = depth - 1;
    switch (random_() % 24) {
      case 0: return "LEFT(" + Text(d) + ", " + Number(d) + ")";
      case 1: return "RIGHT(" + Text(d) + ", " + Number(d) + ")";
      case 2: return "MID(" + Text(d) + ", " + Number(d) + ", " + Number(d) + ")";
      case 3: return Text(d) + " & " + Text(d);
      case 4: return "(" + Text(d) + " + " + Text(d) + ")";
      case 5: return "SUBSTITUTE(" + Text(d) + ", " + Text(0) + ", " + Text(0) + ")";
      case 6: return "TRIM(" + Text(d) + ")";
      case 7: return "UPPER(" + Text(d) + ")";
      case 8: return "LOWER(" + Text(d) + ")";
      case 9: return "TEXT(" + Number(d) + ")";
      case 10: return "TEXT(" + Date(d) + ")";
      case 11: return "TEXT(" + DateTime(d) + ")";
      case 12: return "IF(" + Boolean(d) + ", " + Text(d) + ", " + Text(d) + ")";
      case 13:
        return "CASE(" + Text(d) + ", " + Text(0) + ", " + Text(d) + ", " + Text(0) + ", " +
               Text(d) + ", " + Text(d) + ")";
      case 14: return "BLANKVALUE(" + Text(d) + ", " + Text(d) + ")";
      case 15: return "IFERROR(" + Text(d) + ", " + Text(d) + ")";
      case 16: return "LPAD(" + Text(d) + ", 7, " + Text(0) + ")";
      case 17: return "RPAD(" + Text(d) + ", " + Pick({"3", "9", "n"}) + ")";
      case 18: return "REVERSE(" + Text(d) + ")";
      case 19: return "SUBSTR(" + Text(d) + ", " + Number(d) + ")";
      case 20: return "INITCAP(" + Text(d) + ")";
      case 21:
        return Pick({"RIGHT(s, LEN(s) - FIND(\"#\", s))", "LEFT(t, FIND(\"#\", t) - 1)",
                     "MID(s, FIND(\"#\", s) + 1, FIND(\"#\", s, FIND(\"#\", s) + 1) - FIND(\"#\", "
                     "s) - 1)"});
      case 22:
        return "IFS(" + Boolean(d) + ", " + Text(d) + ", " + Boolean(d) + ", " + Text(d) + ", " +
               Text(d) + ")";
      default: return "NULLVALUE(" + Text(d) + ", " + Text(d) + ")";
    }
  }

  std::string Number(int depth) {
    if (depth <= 0) return Pick({"n", "m", "0", "1", "2", "3", "0.5", "10", "n", "m"});
    const int d = depth - 1;
    switch (random_() % 18) {
      case 0: return "LEN(" + Text(d) + ")";
      case 1: return "FIND(" + Text(0) + ", " + Text(d) + ")";
      case 2: return "FIND(" + Text(0) + ", " + Text(d) + ", " + Number(d) + ")";
      case 3: return "(" + Number(d) + " + " + Number(d) + ")";
      case 4: return "(" + Number(d) + " - " + Number(d) + ")";
      case 5: return Number(d) + " * " + Number(d);
      case 6: return Number(d) + " / " + Number(d);
      case 7: return "VALUE(" + Text(d) + ")";
      case 8: return "IF(" + Boolean(d) + ", " + Number(d) + ", " + Number(d) + ")";
      case 9: return "ROUND(" + Number(d) + ", 1)";
      case 10: return "MOD(" + Number(d) + ", " + Number(d) + ")";
      case 11: return "MAX(" + Number(d) + ", " + Number(d) + ", " + Number(0) + ")";
      case 12: return "FLOOR(" + Number(d) + ")";
      case 13: return "YEAR(" + Date(d) + ")";
      case 14: return "(" + Date(d) + " - " + Date(d) + ")";
      case 15: return "IFERROR(" + Number(d) + ", " + Number(d) + ")";
      case 16:
        return "CASE(" + Number(d) + ", 1, " + Number(d) + ", " + Number(0) + ", " + Number(d) +
               ", " + Number(d) + ")";
      default: return "-" + Pick({"n", "m", "2"});
    }
  }

  std::string Boolean(int depth) {
    if (depth <= 0) return Pick({"b", "TRUE", "FALSE", "NULL = 1", "n < m", "s = t"});
    const int d = depth - 1;
    switch (random_() % 13) {
      case 0:
        return "(" + Number(d) + Pick({" < ", " <= ", " > ", " >= ", " = ", " <> "}) + Number(d) +
               ")";
      case 1:
        return "(" + Text(d) + Pick({" < ", " <= ", " > ", " >= ", " = ", " <> "}) + Text(d) + ")";
      case 2: return "AND(" + Boolean(d) + ", " + Boolean(d) + ", " + Boolean(d) + ")";
      case 3: return "OR(" + Boolean(d) + ", " + Boolean(d) + ")";
      case 4: return "NOT(" + Boolean(d) + ")";
      case 5: return "(" + Boolean(d) + Pick({" && ", " || "}) + Boolean(d) + ")";
      case 6: return "BEGINS(" + Text(d) + ", " + Text(0) + ")";
      case 7: return "CONTAINS(" + Text(d) + ", " + Text(0) + ")";
      case 8: return "ISBLANK(" + (random_() % 2 == 0 ? Text(d) : Number(d)) + ")";
      case 9: return "LIKE(" + Text(d) + ", \"%#_\")";
      case 10: return "REGEX(" + Text(d) + ", \"[a-z]*#?.*\")";
      case 11: return "IN(" + Text(d) + ", " + Text(0) + ", " + Text(0) + ")";
      default: return "ISNUMBER(" + Text(d) + ")";
    }
  }

  std::string Date(int depth) {
    if (depth <= 0) return Pick({"d", "d", "DATE(2020, 2, 29)", "TODAY()"});
    const int d = depth - 1;
    switch (random_() % 6) {
      case 0: return "(" + Date(d) + " + " + Number(d) + ")";
      case 1: return "DATEVALUE(" + Text(d) + ")";
      case 2: return "DATEVALUE(" + DateTime(d) + ")";
      case 3: return "ADDMONTHS(" + Date(d) + ", " + Number(d) + ")";
      case 4: return "IF(" + Boolean(d) + ", " + Date(d) + ", NULL)";
      default: return "DATE(" + Number(d) + ", " + Number(d) + ", 1)";
    }
  }

  std::string DateTime(int depth) {
    if (depth <= 0) return Pick({"at", "NOW()"});
    const int d = depth - 1;
    switch (random_() % 4) {
      case 0: return "(" + DateTime(d) + " - " + Number(d) + ")";
      case 1: return "DATETIMEVALUE(" + Date(d) + ")";
      case 2: return "FROMUNIXTIME(" + Number(d) + ")";
      default: return "DATETIMEVALUE(" + Text(d) + ")";
    }
  }

  std::string Time(int depth) {
    if (depth <= 0) return Pick({"c", "TIMENOW()", "TIMEVALUE(\"03:04:05.006\")"});
    return "(" + Time(depth - 1) + Pick({" + ", " - "}) + Number(depth - 1) + ")";
  }

 private:
  std::string Pick(std::initializer_list<const char*> choices) {
    return choices.begin()[random_() % choices.size()];
  }
  Random& random_;
};

inline std::string RandomFormula(std::mt19937& random) {
  FormulaWriter<std::mt19937> writer(random);
  return writer.Any(1 + static_cast<int>(random() % 4));
}

template <class Random>
void RandomRow(Random& random, NamedFields& fields) {
  static constexpr const char* kTexts[] = {"",
                                           "a",
                                           "#",
                                           "a#b",
                                           "a#b#c",
                                           "##",
                                           "a#b#c#d",
                                           "12",
                                           "1.50",
                                           "-3e2",
                                           " x ",
                                           "\u00E9#\u00DF",
                                           "a\U0001F600#b",
                                           "2020-02-29",
                                           "2020-01-02T03:04:05Z",
                                           "Abc dEF",
                                           "\U0001F600"};
  static constexpr const char* kNumbers[] = {"0",
                                             "1",
                                             "-1",
                                             "2",
                                             "3",
                                             "0.5",
                                             "1.9",
                                             "-2.5",
                                             "7",
                                             "100",
                                             "99999999999999999999",
                                             "0.333333333333333333333333333333333333333"};
  const auto text = [&] { return Value::Text(kTexts[random() % std::size(kTexts)]); };
  const auto number = [&] {
    return random() % 5 == 0
               ? Value()
               : Value::Number(*Decimal::Parse(kNumbers[random() % std::size(kNumbers)]));
  };
  fields.Set(0, text());
  fields.Set(1, text());
  fields.Set(2, number());
  fields.Set(3, number());
  fields.Set(4, random() % 3 == 0 ? Value() : Value::Boolean(random() % 2 == 0));
  fields.Set(5, random() % 4 == 0
                    ? Value()
                    : Value::FromDate(Date{static_cast<std::int32_t>(random() % 40000)}));
  fields.Set(6, random() % 4 == 0
                    ? Value()
                    : Value::DateTime(Timestamp{static_cast<std::int64_t>(random() % 2'000'000'000),
                                                5'000'000}));
  fields.Set(7, random() % 4 == 0
                    ? Value()
                    : Value::Time(
                          TimeOfDay{static_cast<std::int64_t>(random() % 86'400'000) * 1'000'000}));
}

}  // namespace tablecast::formula

#endif  // TABLECAST_TESTS_FORMULA_RANDOM_FORMULA_H_
