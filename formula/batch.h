#ifndef TABLECAST_FORMULA_BATCH_H_
#define TABLECAST_FORMULA_BATCH_H_

// Evaluates stand-alone formulas over given field values: what `tablecast formula` does, one
// formula or a batch of JSON lines. Names match in any letter case where no exact name does, as
// Salesforce's do.
//
// A batch line: {"id", "formula", "returns"?, "fields": {name: {"type", "value"} | {"type",
// "formula"}}, "null_mode"?: "zero" | "null", "scale"?, "now"?}; types Text, Number, Currency,
// Percent, Boolean, Date, DateTime, Time. An answer line: {"id", "type", "value"} or {"id",
// "error": {"code", "message", "position"}}, position being a byte offset into the formula.
//
//   std::string line = AnswerBatchLine(R"({"id": 1, "formula": "1 + 1"})", CurrentTimestamp());
//   // {"id":1,"type":"number","value":"2"}

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_time.h"
#include "base/result.h"
#include "formula/value.h"

namespace tablecast::formula {

// Declared types of fields and results. Currency is Number; a Percent is stored as 50 and read as
// 0.5.
enum class FieldType : std::uint8_t {
  kText,
  kNumber,
  kCurrency,
  kPercent,
  kBoolean,
  kDate,
  kDateTime,
  kTime
};
std::optional<FieldType> FieldTypeNamed(std::string_view name);  // any letter case
ValueType ValueTypeOf(FieldType type);

struct RequestField {
  std::string name;
  FieldType type = FieldType::kText;
  // One of: the value as text (nullopt = blank), or a formula over the other fields.
  std::optional<std::string> value = std::nullopt;
  std::optional<std::string> formula = std::nullopt;
};

struct FormulaRequest {
  std::string formula;
  std::vector<RequestField> fields = {};
  std::optional<FieldType> returns = std::nullopt;
  std::optional<int> scale = std::nullopt;  // of a Number, Currency or Percent result
  bool blank_as_zero = false;
  bool qualifier_mode = false;
  bool explain = false;
  Timestamp now = {};
};

struct AnswerError {
  // Evaluation: EvalErrorCodeName. Compilation: "syntax", "unknown-function", "unknown-field",
  // "argument-count", "argument-type", "result-type", "unsupported", "regex", "limit". Input:
  // "bad-input", "bad-field-value", "field-cycle".
  std::string code;
  std::string message;
  std::size_t position = 0;  // UNITS: bytes into the formula
};

struct FormulaAnswer {
  Value value;  // owned
  std::optional<AnswerError> error = std::nullopt;
  std::vector<Issue> issues = {};  // warnings, and every compile error
  std::string explain = {};        // when asked for
};

FormulaAnswer AnswerFormula(const FormulaRequest& request);

// The value as batch answers write it: 12.5, 2020-01-02, 2020-01-02T03:04:05.678Z, 03:04:05.006,
// true.
std::string AnswerText(const Value& value);

// UNITS: bytes of a batch line; a longer one is answered with "bad-input".
inline constexpr std::size_t kMaxBatchLineBytes = 16U << 20U;

// One line without the line break. `now` stands in where the line has none.
std::string AnswerBatchLine(std::string_view line, Timestamp now);

// Line by line until the end of `in`; empty lines are skipped. Answers keep the order.
void AnswerBatch(std::istream& in, std::ostream& out, Timestamp now);

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_BATCH_H_
