#include "formula/batch.h"

#include <algorithm>
#include <istream>
#include <map>
#include <memory>
#include <ostream>
#include <streambuf>
#include <unordered_map>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "formula/date_text.h"
#include "formula/inverse.h"
#include "formula/lexer.h"
#include "formula/number_text.h"
#include "formula/program.h"

namespace tablecast::formula {
namespace {

constexpr int kMaxFieldDepth = 50;  // formulas that read formulas

struct TypeName {
  std::string_view name;
  FieldType type;
};
constexpr TypeName kTypeNames[] = {
    {"Text", FieldType::kText},         {"Number", FieldType::kNumber},
    {"Currency", FieldType::kCurrency}, {"Percent", FieldType::kPercent},
    {"Boolean", FieldType::kBoolean},   {"Date", FieldType::kDate},
    {"DateTime", FieldType::kDateTime}, {"Time", FieldType::kTime}};

// nullopt: not a value of that type.
std::optional<Value> ReadValue(FieldType type, const std::string& text) {
  if (text.empty()) return Value();
  switch (type) {
    case FieldType::kText: return Value::Text(text);
    case FieldType::kNumber:
    case FieldType::kCurrency:
    case FieldType::kPercent: {
      const std::optional<Decimal> number = ParseNumberText(text);
      if (!number) return std::nullopt;
      if (type != FieldType::kPercent) return Value::Number(*number);
      return Value::Number(Multiply(*number, Decimal::FromParts(false, 1, -2), Decimal::kFormula));
    }
    case FieldType::kBoolean:
      if (EqualsIgnoringCase(text, "true")) return Value::Boolean(true);
      if (EqualsIgnoringCase(text, "false")) return Value::Boolean(false);
      return std::nullopt;
    case FieldType::kDate:
      if (const auto date = ParseDateText(text)) return Value::FromDate(*date);
      return std::nullopt;
    case FieldType::kDateTime: {
      if (const auto instant = ParseDateTimeText(text)) return Value::DateTime(*instant);
      const Result<IsoDateTime> iso = ParseIso8601(text, 0);
      if (!iso.ok()) return std::nullopt;
      if (const auto cut = FromMillis(ToMillis(iso->instant))) return Value::DateTime(*cut);
      return std::nullopt;
    }
    case FieldType::kTime: {
      if (const auto time = ParseTimeText(text)) return Value::Time(*time);
      std::string_view plain = text;
      if (plain.ends_with('Z')) plain.remove_suffix(1);
      const Result<TimeOfDay> time = ParseTimeOfDay(plain);
      if (!time.ok()) return std::nullopt;
      return Value::Time(TimeOfDay{time->nanos - time->nanos % kNanosPerMilli});
    }
  }
  return std::nullopt;
}

AnswerError FromIssue(const Issue& issue) {
  AnswerError error;
  error.code = issue.code.starts_with("formula-") ? issue.code.substr(8) : issue.code;
  error.message = issue.message;
  if (!issue.remedy.empty()) error.message += "; " + issue.remedy;
  error.position = issue.span.begin.offset;
  return error;
}

// The fields of one request, as names and as a row. Formula fields are compiled and evaluated when
// they are first read, once.
class RequestRow final : public NameResolver, public FieldReader {
 public:
  RequestRow(const FormulaRequest& request, EvalContext& context)
      : request_(request), context_(context) {
    cells_.resize(request.fields.size());
    for (std::size_t i = 0; i < request.fields.size(); ++i) {
      index_.try_emplace(request.fields[i].name, i);
      names_.push_back(request.fields[i].name);
    }
  }

  // The first field value that cannot be read.
  std::optional<AnswerError> ReadValues() {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const RequestField& field = request_.fields[i];
      if (!field.value) continue;
      const std::optional<Value> value = ReadValue(field.type, *field.value);
      if (!value) {
        return AnswerError{"bad-field-value",
                           "field " + field.name + " cannot hold \"" + *field.value + "\"", 0};
      }
      cells_[i].value = *value;
    }
    return std::nullopt;
  }

  std::optional<FieldBinding> Resolve(std::string_view name) const override {
    const auto found = index_.find(name);
    if (found == index_.end()) return std::nullopt;
    return FieldBinding{static_cast<Slot>(found->second),
                        ValueTypeOf(request_.fields[found->second].type)};
  }
  std::vector<std::string> Names() const override { return names_; }

  Value Read(Slot slot) const override {
    Cell& cell = cells_[slot];
    if (request_.fields[slot].formula && !cell.computed) Compute(slot);
    return cell.value;
  }
  const EvalError* ReadError(Slot slot) const override {
    return cells_[slot].error ? &*cells_[slot].error : nullptr;
  }

  // A fault in the text of a field's formula, rather than in its evaluation.
  const std::optional<AnswerError>& field_issue() const { return field_issue_; }

 private:
  struct Cell {
    Value value;
    std::optional<EvalError> error;
    bool computed = false;
    bool in_progress = false;
  };

  void Compute(Slot slot) const {
    Cell& cell = cells_[slot];
    const RequestField& field = request_.fields[slot];
    if (cell.in_progress || depth_ >= kMaxFieldDepth) {
      field_issue_ = AnswerError{
          "field-cycle", "field " + field.name + " refers to itself, or fields nest too deep", 0};
      cell.error = EvalError{EvalErrorCode::kLimitExceeded, field_issue_->message, {}};
      return;
    }
    cell.in_progress = true;
    ++depth_;
    CompileOptions options;
    options.blank_as_zero = request_.blank_as_zero;
    options.fold_name_case = !request_.qualifier_mode;
    options.qualifier_mode = request_.qualifier_mode;
    options.result = ValueTypeOf(field.type);
    const CompileResult compiled = Program::Compile(*field.formula, *this, options);
    if (!compiled.program) {
      field_issue_ = FromIssue(
          *std::find_if(compiled.issues.begin(), compiled.issues.end(),
                        [](const Issue& issue) { return issue.severity == Severity::kError; }));
      field_issue_->message = "field " + field.name + ": " + field_issue_->message;
      cell.error = EvalError{EvalErrorCode::kLimitExceeded, field_issue_->message, {}};
    } else {
      const EvalResult result = compiled.program->Evaluate(*this, context_);
      if (result.ok()) {
        cell.value = result.value().ToOwned();
      } else {
        cell.error = result.error();
        cell.error->message = "field " + field.name + ": " + cell.error->message;
      }
    }
    --depth_;
    cell.in_progress = false;
    cell.computed = true;
  }

  const FormulaRequest& request_;
  EvalContext& context_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<std::string> names_;
  mutable std::vector<Cell> cells_;
  mutable std::optional<AnswerError> field_issue_;
  mutable int depth_ = 0;
};

FormulaAnswer Failed(AnswerError error) {
  FormulaAnswer answer;
  answer.error = std::move(error);
  return answer;
}

// A Percent result is shown times 100, then rounded to the scale.
void FinishNumber(const FormulaRequest& request, Value& value) {
  if (!value.Is(ValueType::kNumber)) return;
  Decimal number = value.number();
  if (request.returns == FieldType::kPercent)
    number = Multiply(number, Decimal(100), Decimal::kFormula);
  if (request.scale) number = number.RoundToScale(*request.scale, Rounding::kHalfUp);
  value = Value::Number(number);
}

// ---- JSON ----

std::optional<std::string> StringMember(const JsonValue& object, std::string_view name) {
  const JsonValue* member = object.Find(name);
  if (member == nullptr || !member->IsString()) return std::nullopt;
  return member->text;
}

// `index`: the places of the fields read so far, by name.
bool ReadField(const JsonMember& member, FormulaRequest& request,
               std::unordered_map<std::string_view, std::size_t>& index, std::string& fault) {
  RequestField field;
  field.name = member.name;
  if (!member.value.IsObject()) {
    fault = "field " + member.name + " is no object";
    return false;
  }
  const auto type = FieldTypeNamed(StringMember(member.value, "type").value_or(""));
  if (!type) {
    fault = "field " + member.name +
            " has no type of Text, Number, Currency, Percent, Boolean, Date, DateTime, Time";
    return false;
  }
  field.type = *type;
  field.formula = StringMember(member.value, "formula");
  if (const JsonValue* value = member.value.Find("value"); value != nullptr && !field.formula) {
    switch (value->type) {
      case JsonType::kNull: break;
      case JsonType::kBool: field.value = value->boolean ? "true" : "false"; break;
      case JsonType::kNumber:
      case JsonType::kString: field.value = value->text; break;
      case JsonType::kArray:
      case JsonType::kObject:
        fault = "the value of field " + member.name + " is an array or object";
        return false;
    }
  }
  // The last of two fields with one name wins.
  const auto [place, is_new] = index.try_emplace(member.name, request.fields.size());
  if (is_new) {
    request.fields.push_back(std::move(field));
  } else {
    request.fields[place->second] = std::move(field);
  }
  return true;
}

bool ReadRequest(const JsonValue& json, Timestamp now, FormulaRequest& request,
                 std::string& fault) {
  const auto formula = StringMember(json, "formula");
  if (!formula) {
    fault = "the line has no formula";
    return false;
  }
  request.formula = *formula;
  request.now = now;
  if (const JsonValue* returns = json.Find("returns");
      returns != nullptr && returns->type != JsonType::kNull) {
    request.returns = FieldTypeNamed(returns->text);
    if (!request.returns) {
      fault = "returns is none of Text, Number, Currency, Percent, Boolean, Date, DateTime, Time";
      return false;
    }
  }
  if (const JsonValue* mode = json.Find("null_mode");
      mode != nullptr && mode->type != JsonType::kNull) {
    if (mode->text != "zero" && mode->text != "null") {
      fault = "null_mode is zero or null";
      return false;
    }
    request.blank_as_zero = mode->text == "zero";
  }
  if (const JsonValue* scale = json.Find("scale");
      scale != nullptr && scale->type != JsonType::kNull) {
    const std::optional<Decimal> number = ParseNumberText(scale->text);
    const std::optional<std::int64_t> whole = number ? number->ToInt64() : std::nullopt;
    if (!whole || *whole < 0 || *whole > 100) {
      fault = "scale is a whole number from 0 to 100";
      return false;
    }
    request.scale = static_cast<int>(*whole);
  }
  if (const JsonValue* at = json.Find("now"); at != nullptr && at->type != JsonType::kNull) {
    const std::optional<Value> instant =
        at->IsString() ? ReadValue(FieldType::kDateTime, at->text) : std::nullopt;
    if (!instant || instant->IsBlank()) {
      fault = "now is no timestamp";
      return false;
    }
    request.now = instant->instant();
  }
  if (const JsonValue* fields = json.Find("fields");
      fields != nullptr && fields->type != JsonType::kNull) {
    if (!fields->IsObject()) {
      fault = "fields is no object";
      return false;
    }
    std::unordered_map<std::string_view, std::size_t> index;
    for (const JsonMember& member : fields->members) {
      if (!ReadField(member, request, index, fault)) return false;
    }
  }
  return true;
}

std::string_view AnswerTypeName(ValueType type) {
  switch (type) {
    case ValueType::kNull: return "null";
    case ValueType::kText: return "text";
    case ValueType::kNumber: return "number";
    case ValueType::kBoolean: return "boolean";
    case ValueType::kDate: return "date";
    case ValueType::kDateTime: return "datetime";
    case ValueType::kTime: return "time";
  }
  return "null";
}

void WriteAnswer(const FormulaAnswer& answer, JsonWriter& json) {
  if (answer.error) {
    json.Key("error").BeginObject();
    json.Key("code").String(answer.error->code);
    json.Key("message").String(answer.error->message);
    json.Key("position").Uint(answer.error->position);
    json.EndObject();
    return;
  }
  json.Key("type").String(AnswerTypeName(answer.value.type()));
  json.Key("value");
  if (answer.value.IsBlank()) {
    json.Null();
  } else if (answer.value.Is(ValueType::kBoolean)) {
    json.Bool(answer.value.boolean());
  } else {
    json.String(AnswerText(answer.value));
  }
}

void WriteId(const JsonValue* id, JsonWriter& json) {
  json.Key("id");
  if (id == nullptr) {
    json.Null();
  } else if (id->IsString()) {
    json.String(id->text);
  } else if (id->IsNumber()) {
    json.RawNumber(id->text);
  } else if (id->type == JsonType::kBool) {
    json.Bool(id->boolean);
  } else {
    json.Null();
  }
}

}  // namespace

std::optional<FieldType> FieldTypeNamed(std::string_view name) {
  for (const TypeName& known : kTypeNames) {
    if (EqualsIgnoringCase(known.name, name)) return known.type;
  }
  return std::nullopt;
}

ValueType ValueTypeOf(FieldType type) {
  switch (type) {
    case FieldType::kText: return ValueType::kText;
    case FieldType::kNumber:
    case FieldType::kCurrency:
    case FieldType::kPercent: return ValueType::kNumber;
    case FieldType::kBoolean: return ValueType::kBoolean;
    case FieldType::kDate: return ValueType::kDate;
    case FieldType::kDateTime: return ValueType::kDateTime;
    case FieldType::kTime: return ValueType::kTime;
  }
  return ValueType::kText;
}

FormulaAnswer AnswerFormula(const FormulaRequest& request) {
  EvalContext context(request.now);
  RequestRow row(request, context);
  if (std::optional<AnswerError> fault = row.ReadValues()) return Failed(*std::move(fault));
  CompileOptions options;
  options.blank_as_zero = request.blank_as_zero;
  options.fold_name_case = !request.qualifier_mode;
  options.qualifier_mode = request.qualifier_mode;
  if (request.returns) options.result = ValueTypeOf(*request.returns);
  CompileResult compiled = Program::Compile(request.formula, row, options);
  FormulaAnswer answer;
  answer.issues = std::move(compiled.issues);
  if (!compiled.program) {
    for (const Issue& issue : answer.issues) {
      if (issue.severity == Severity::kError && !answer.error) answer.error = FromIssue(issue);
    }
    return answer;
  }
  if (request.explain) {
    answer.explain =
        compiled.program->Explain() + "inverse  " + DescribeInversion(*compiled.program, {}) + "\n";
  }
  const EvalResult result = compiled.program->Evaluate(row, context);
  if (row.field_issue()) {
    answer.error = row.field_issue();
  } else if (!result.ok()) {
    answer.error = AnswerError{std::string(EvalErrorCodeName(result.error().code)),
                               result.error().message, result.error().position.offset};
  } else {
    answer.value = result.value().ToOwned();
    FinishNumber(request, answer.value);
  }
  return answer;
}

std::string AnswerText(const Value& value) {
  switch (value.type()) {
    case ValueType::kNull: return "";
    case ValueType::kText: return std::string(value.text());
    case ValueType::kNumber: return value.number().ToString();
    case ValueType::kBoolean: return value.boolean() ? "true" : "false";
    case ValueType::kDate: return FormatDate(value.date());
    case ValueType::kDateTime:
      return FormatDate(DateOf(value.instant())) + "T" + TimeAsText(TimeOf(value.instant())) + "Z";
    case ValueType::kTime: return TimeAsText(value.time());
  }
  return "";
}

std::string AnswerBatchLine(std::string_view line, Timestamp now) {
  FormulaAnswer answer;
  const bool fits = line.size() <= kMaxBatchLineBytes;
  const Result<JsonValue> json = ParseJson(fits ? line : std::string_view("null"), {});
  const JsonValue* id = nullptr;
  if (!fits) {
    answer = Failed({"bad-input",
                     "a line has at most " + std::to_string(kMaxBatchLineBytes >> 20U) + " MiB",
                     kMaxBatchLineBytes});
  } else if (!json.ok()) {
    answer = Failed({"bad-input", json.error().message, json.error().position.offset});
  } else if (!json->IsObject()) {
    answer = Failed({"bad-input", "the line is no JSON object", 0});
  } else {
    id = json->Find("id");
    FormulaRequest request;
    std::string fault;
    answer = ReadRequest(*json, now, request, fault) ? AnswerFormula(request)
                                                     : Failed({"bad-input", fault, 0});
  }
  std::string out;
  JsonWriter writer(out);
  writer.BeginObject();
  WriteId(id, writer);
  WriteAnswer(answer, writer);
  writer.EndObject();
  return out;
}

namespace {

// The next line, of which at most one byte more than the limit is kept: enough for the refusal.
bool ReadLine(std::istream& in, std::string& line) {
  line.clear();
  std::streambuf& buffer = *in.rdbuf();
  bool read = false;
  for (int c = buffer.sbumpc(); c != std::char_traits<char>::eof(); c = buffer.sbumpc()) {
    read = true;
    if (c == '\n') return true;
    if (line.size() <= kMaxBatchLineBytes) line.push_back(static_cast<char>(c));
  }
  return read;
}

}  // namespace

void AnswerBatch(std::istream& in, std::ostream& out, Timestamp now) {
  std::string line;
  while (ReadLine(in, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    out << AnswerBatchLine(line, now) << '\n';
  }
}

}  // namespace tablecast::formula
