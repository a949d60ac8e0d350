#ifndef TABLECAST_TESTS_FORMULA_FORMULA_FIXTURE_H_
#define TABLECAST_TESTS_FORMULA_FORMULA_FIXTURE_H_

// Named, typed values as a resolver and a reader, and one-line evaluation for tables of
// expectations.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/civil_time.h"
#include "formula/program.h"
#include "formula/value.h"

namespace tablecast::formula {

class NamedFields final : public NameResolver, public FieldReader {
 public:
  struct Field {
    std::string name;
    ValueType type;
    Value value;
  };
  NamedFields() = default;
  explicit NamedFields(std::vector<Field> fields) : fields_(std::move(fields)) {}

  // "name:Type=value;name:Type=value"; "-" for none. Values as the batch format writes them.
  static NamedFields Parse(std::string_view text) {
    NamedFields out;
    while (!text.empty() && text != "-") {
      const std::size_t end = std::min(text.find(';'), text.size());
      const std::string_view one = text.substr(0, end);
      const std::size_t colon = one.find(':');
      const std::size_t equals = one.find('=', colon);
      out.Add(std::string(one.substr(0, colon)),
              TypeNamed(one.substr(colon + 1, equals - colon - 1)), one.substr(equals + 1));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
  }

  void Add(std::string name, ValueType type, std::string_view value) {
    fields_.push_back({std::move(name), type, ValueOf(type, value)});
  }
  void Set(std::size_t index, Value value) { fields_[index].value = std::move(value); }
  const std::vector<Field>& fields() const { return fields_; }

  std::optional<FieldBinding> Resolve(std::string_view name) const override {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i].name == name) return FieldBinding{static_cast<Slot>(i), fields_[i].type};
    }
    return std::nullopt;
  }
  std::vector<std::string> Names() const override {
    std::vector<std::string> names;
    for (const Field& field : fields_) names.push_back(field.name);
    return names;
  }
  Value Read(Slot slot) const override { return fields_[slot].value; }
  std::optional<std::string_view> ReadText(Slot slot) const override {
    if (!fields_[slot].value.Is(ValueType::kText)) return std::nullopt;
    return fields_[slot].value.text();
  }

  static ValueType TypeNamed(std::string_view name) {
    for (const ValueType type : {ValueType::kText, ValueType::kNumber, ValueType::kBoolean,
                                 ValueType::kDate, ValueType::kDateTime, ValueType::kTime}) {
      if (ValueTypeName(type) == name) return type;
    }
    return ValueType::kNull;
  }
  static Value ValueOf(ValueType type, std::string_view text) {
    if (text.empty()) return {};
    switch (type) {
      case ValueType::kNull: return {};
      case ValueType::kText: return Value::Text(std::string(text));
      case ValueType::kNumber: return Value::Number(*Decimal::Parse(text));
      case ValueType::kBoolean: return Value::Boolean(text == "true");
      case ValueType::kDate: return Value::FromDate(*ParseDate(text));
      case ValueType::kDateTime: return Value::DateTime(ParseIso8601(text, 0)->instant);
      case ValueType::kTime: return Value::Time(*ParseTimeOfDay(text));
    }
    return {};
  }

 private:
  std::vector<Field> fields_;
};

inline constexpr Timestamp kTestNow{1'600'000'000, 123'456'789};  // 2020-09-13T12:26:40.123456789Z

// Value::ToString of the result, "error" or "reject"; evaluated by the interpreter and by the
// compiled code, which have to agree: otherwise both are told.
inline std::string EvaluateToText(std::string_view formula, const NamedFields& fields = {},
                                  const CompileOptions& options = {}) {
  const CompileResult compiled = Program::Compile(formula, fields, options);
  if (!compiled.program) return "reject";
  EvalContext context(kTestNow);
  const auto shown = [](const EvalResult& result) {
    return result.ok() ? result.value().ToString() : "error";
  };
  const std::string fast = shown(compiled.program->Evaluate(fields, context));
  const std::string plain = shown(compiled.program->Interpret(fields, context));
  return fast == plain ? fast : "compiled " + fast + ", interpreted " + plain;
}

}  // namespace tablecast::formula

#endif  // TABLECAST_TESTS_FORMULA_FORMULA_FIXTURE_H_
