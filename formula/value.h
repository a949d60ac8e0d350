#ifndef TABLECAST_FORMULA_VALUE_H_
#define TABLECAST_FORMULA_VALUE_H_

// A value of the formula language: blank, text, number, boolean, date, date-time or time.
//
// There is one blank value. Empty text IS blank, in both directions: Value::Text("") is blank, and
// a blank read as text is "" (spec formula.md section 4). Text is owned or borrowed.
//
//   Value price = Value::Number(*Decimal::Parse("19.90"));
//   Value code = Value::TextView(row_bytes);   // borrows; code.ToOwned() copies
//
// THREAD: a plain value. COST: copying owned text bumps a reference count; everything else is a
// copy of at most 64 bytes.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/civil_time.h"
#include "base/decimal.h"
#include "base/lifetime.h"

namespace tablecast::formula {

// kNull as a static type is the type of the literal NULL; as the type of a value it means blank.
enum class ValueType : std::uint8_t { kNull, kText, kNumber, kBoolean, kDate, kDateTime, kTime };

// "NULL", "Text", "Number", "Boolean", "Date", "DateTime", "Time".
std::string_view ValueTypeName(ValueType type);

class Value {
 public:
  Value() = default;  // blank

  static Value Text(std::string text);
  // BORROWS text: valid while its bytes are.
  static Value TextView(std::string_view text TABLECAST_LIFETIME_BOUND) {
    Value value;
    if (!text.empty()) {
      value.type_ = ValueType::kText;
      value.payload_.text = text;
    }
    return value;
  }
  static Value Number(const Decimal& number) {
    Value value;
    value.type_ = ValueType::kNumber;
    value.payload_.number = number;
    return value;
  }
  static Value Integer(std::int64_t number) { return Number(Decimal(number)); }
  static Value Boolean(bool boolean) {
    Value value;
    value.type_ = ValueType::kBoolean;
    value.payload_.boolean = boolean;
    return value;
  }
  static Value FromDate(Date date) {
    Value value;
    value.type_ = ValueType::kDate;
    value.payload_.date = date;
    return value;
  }
  static Value DateTime(Timestamp instant) {
    Value value;
    value.type_ = ValueType::kDateTime;
    value.payload_.instant = instant;
    return value;
  }
  static Value Time(TimeOfDay time) {
    Value value;
    value.type_ = ValueType::kTime;
    value.payload_.time = time;
    return value;
  }

  ValueType type() const { return type_; }
  bool IsBlank() const { return type_ == ValueType::kNull; }
  bool Is(ValueType type) const { return type_ == type; }

  // "" when blank. REQUIRES: text or blank. BORROWS: *this when the text is owned.
  std::string_view text() const TABLECAST_LIFETIME_BOUND {
    return type_ == ValueType::kText ? payload_.text : std::string_view();
  }
  // Each REQUIRES the matching type.
  const Decimal& number() const TABLECAST_LIFETIME_BOUND { return payload_.number; }
  bool boolean() const { return payload_.boolean; }
  Date date() const { return payload_.date; }
  Timestamp instant() const { return payload_.instant; }
  TimeOfDay time() const { return payload_.time; }

  bool owns_text() const { return owner_ != nullptr; }
  // The same value with text of its own.
  Value ToOwned() const;

  // For people and tests: `"abc"`, `1.5`, `TRUE`, `2020-01-02`, `2020-01-02T03:04:05.678Z`,
  // `03:04:05.006`, `blank`.
  std::string ToString() const;

  // Same type and value; blank equals blank only. Numbers by value, text by bytes.
  friend bool operator==(const Value& a, const Value& b);

 private:
  union Payload {
    constexpr Payload() : text() {}
    std::string_view text;
    Decimal number;
    bool boolean;
    Date date;
    Timestamp instant;
    TimeOfDay time;
  };
  Payload payload_;
  std::shared_ptr<const std::string> owner_;
  ValueType type_ = ValueType::kNull;
};

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_VALUE_H_
