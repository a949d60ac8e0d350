#include "formula/value.h"

#include "formula/date_text.h"

namespace tablecast::formula {

std::string_view ValueTypeName(ValueType type) {
  switch (type) {
    case ValueType::kNull: return "NULL";
    case ValueType::kText: return "Text";
    case ValueType::kNumber: return "Number";
    case ValueType::kBoolean: return "Boolean";
    case ValueType::kDate: return "Date";
    case ValueType::kDateTime: return "DateTime";
    case ValueType::kTime: return "Time";
  }
  return "NULL";
}

Value Value::Text(std::string text) {
  if (text.empty()) return {};
  Value value;
  value.owner_ = std::make_shared<const std::string>(std::move(text));
  value.type_ = ValueType::kText;
  value.payload_.text = *value.owner_;
  return value;
}

Value Value::ToOwned() const {
  if (type_ != ValueType::kText || owner_ != nullptr) return *this;
  return Text(std::string(payload_.text));
}

std::string Value::ToString() const {
  switch (type_) {
    case ValueType::kNull: return "blank";
    case ValueType::kText: return "\"" + std::string(payload_.text) + "\"";
    case ValueType::kNumber: return payload_.number.ToString();
    case ValueType::kBoolean: return payload_.boolean ? "TRUE" : "FALSE";
    case ValueType::kDate: return FormatDate(payload_.date);
    case ValueType::kDateTime:
      return FormatTimestamp(payload_.instant, payload_.instant.nanos == 0 ? 0 : 3);
    case ValueType::kTime: return TimeAsText(payload_.time);
  }
  return "blank";
}

bool operator==(const Value& a, const Value& b) {
  if (a.type_ != b.type_) return false;
  switch (a.type_) {
    case ValueType::kNull: return true;
    case ValueType::kText: return a.payload_.text == b.payload_.text;
    case ValueType::kNumber: return a.payload_.number == b.payload_.number;
    case ValueType::kBoolean: return a.payload_.boolean == b.payload_.boolean;
    case ValueType::kDate: return a.payload_.date == b.payload_.date;
    case ValueType::kDateTime: return a.payload_.instant == b.payload_.instant;
    case ValueType::kTime: return a.payload_.time == b.payload_.time;
  }
  return false;
}

}  // namespace tablecast::formula
