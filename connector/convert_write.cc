// Typed values to stored attributes: the write half of convert.h.

#include <algorithm>

#include "base/json_reader.h"
#include "base/utf8.h"
#include "connector/convert.h"
#include "item/item_json.h"
#include "item/number.h"

namespace tablecast {
namespace {

Error Refuse(const Field& field, std::string_view reason, std::string message,
             std::string remedy = {}) {
  return MakeError(ErrorCode::kInvalidArgument, std::string(reason), std::move(message), field.name,
                   std::move(remedy));
}

Error WrongKind(const Field& field, const EdmValue& value) {
  return Refuse(field, "value-type",
                "field " + field.name + " needs " + EdmTypeText(TypeOf(field)) + ", got " +
                    std::string(EdmKindName(value.kind())) + " " + value.ToLiteral().substr(0, 80));
}

Status CheckLength(const Field& field, std::string_view text) {
  if (field.max_length == 0) return {};
  const std::size_t length = CountCodePoints(text);
  if (length <= field.max_length) return {};
  return Refuse(field, "value-too-long",
                "field " + field.name + " takes at most " + std::to_string(field.max_length) +
                    " characters, got " + std::to_string(length));
}

// decimal(p,s): at most s fraction digits and p - s whole ones.
Status CheckNumber(const Field& field, const Decimal& number) {
  if (field.kind == EdmKind::kDecimal && field.scale) {
    if (number.Scale() > *field.scale) {
      return Refuse(field, "value-precision",
                    "field " + field.name + " takes at most " + std::to_string(*field.scale) +
                        " fraction digits, got " + number.ToString());
    }
    const std::int32_t whole =
        number.IsZero() ? 0 : std::max<std::int32_t>(0, number.Magnitude() + 1);
    const std::int32_t room = field.precision.value_or(38) - *field.scale;
    if (whole > room) {
      return Refuse(field, "value-precision",
                    "field " + field.name + " takes at most " + std::to_string(room) +
                        " digits before the decimal point, got " + number.ToString());
    }
  }
  if (IsIntegerKind(field.kind)) {
    const std::optional<std::int64_t> whole = number.ToInt64();
    if (!whole || (field.kind == EdmKind::kInt32 && (*whole < INT32_MIN || *whole > INT32_MAX))) {
      return Refuse(field, "value-out-of-range",
                    "field " + field.name + " needs a whole number of type " +
                        std::string(EdmKindName(field.kind)) + ", got " + number.ToString());
    }
  }
  if (field.minimum && number < *field.minimum) {
    return Refuse(field, "value-out-of-range",
                  "field " + field.name + " is at least " + field.minimum->ToString() + ", got " +
                      number.ToString());
  }
  if (field.maximum && number > *field.maximum) {
    return Refuse(field, "value-out-of-range",
                  "field " + field.name + " is at most " + field.maximum->ToString() + ", got " +
                      number.ToString());
  }
  return {};
}

// Keeps the form that the old text has: separator, basic or extended, with or without a zone.
std::string DateTimeInForm(const Field& field, Timestamp at, const AttributeValue* old) {
  if (old == nullptr || !old->Is(AttributeType::kS)) return FormatTimestamp(at);
  const Result<IsoDateTime> form = ParseIso8601(old->text(), field.zone_minutes);
  if (!form.ok()) return FormatTimestamp(at);
  if (form->instant == at) return old->text();
  Timestamp shown = at;
  if (!form->has_zone) shown.seconds += std::int64_t{60} * field.zone_minutes;
  if (form->form == IsoForm::kDate && TimeOf(shown).nanos == 0) return FormatDate(DateOf(shown));
  std::string text = FormatTimestamp(shown, form->fraction_digits);  // texts of one width keep their order
  if (!form->has_zone || form->form == IsoForm::kDate) text.pop_back();  // the Z
  const std::size_t t = text.find('T');
  if (form->form == IsoForm::kBasic) {
    std::string basic;
    for (const char c : text) {
      if (c != '-' && c != ':') basic += c;
    }
    return basic;
  }
  if (form->form == IsoForm::kExtended && t != std::string::npos) text[t] = form->separator;
  return text;
}

Result<AttributeValue> StoreDateTime(const Field& field, const EdmValue& value,
                                     const AttributeValue* old) {
  if (value.kind() != EdmKind::kDateTimeOffset && value.kind() != EdmKind::kDate)
    return WrongKind(field, value);
  const Timestamp at =
      value.kind() == EdmKind::kDate ? ToTimestamp(value.date(), TimeOfDay{}) : value.timestamp();
  const bool as_number = !field.unit.empty() && (old == nullptr || !old->Is(AttributeType::kS));
  if (!as_number) return AttributeValue::String(DateTimeInForm(field, at, old));
  Decimal number =
      Add(Decimal(at.seconds), Decimal::FromParts(false, static_cast<std::uint64_t>(at.nanos), -9),
          Decimal::kFormula);
  if (field.unit == "ms") number = Multiply(number, Decimal(1000), Decimal::kFormula);
  return AttributeValue::Number(number);
}

Result<AttributeValue> StoreJson(const Field& field, const EdmValue& value) {
  if (value.kind() != EdmKind::kString) return WrongKind(field, value);
  const Result<JsonValue> json = ParseJson(value.text(), JsonOptions{.max_depth = kMaxNesting});
  if (!json.ok()) {
    return Refuse(field, "value-type",
                  "field " + field.name + " needs JSON text: " + json.error().message);
  }
  return ValueFromPlainJson(*json);
}

Result<AttributeValue> StoreScalar(const Field& field, const EdmValue& value,
                                   const AttributeValue* old) {
  if (value.is_null()) return AttributeValue::Null();
  switch (field.type) {
    case FieldType::kDateTime: return StoreDateTime(field, value, old);
    case FieldType::kDate: {
      if (value.kind() != EdmKind::kDate) return WrongKind(field, value);
      if (old != nullptr && old->Is(AttributeType::kS)) {
        std::optional<ConversionError> error;
        const EdmValue before =
            FromStored(field, AttributeView(AttributeType::kS, old->text()), &error);
        if (EqualEdm(before, value)) return *old;
      }
      return AttributeValue::String(FormatDate(value.date()));
    }
    case FieldType::kTime:
      if (value.kind() != EdmKind::kTimeOfDay) return WrongKind(field, value);
      return AttributeValue::String(FormatTimeOfDay(value.time()));
    case FieldType::kNumber:
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kCurrency:
    case FieldType::kPercent: {
      if (!IsExactNumber(value.kind())) return WrongKind(field, value);
      TABLECAST_RETURN_IF_ERROR(CheckNumber(field, value.number()));
      Result<AttributeValue> number = AttributeValue::Number(value.number());
      if (!number.ok()) return Refuse(field, "value-out-of-range", number.error().message);
      return number;
    }
    case FieldType::kCheckbox:
      if (value.kind() != EdmKind::kBoolean) return WrongKind(field, value);
      return AttributeValue::Bool(value.boolean());
    case FieldType::kBinary:
      if (value.kind() != EdmKind::kBinary) return WrongKind(field, value);
      if (field.max_length != 0 && value.bytes().size() > field.max_length) {
        return Refuse(field, "value-too-long",
                      "field " + field.name + " takes at most " + std::to_string(field.max_length) +
                          " bytes");
      }
      return AttributeValue::Binary(value.bytes());
    case FieldType::kGuid:
      if (value.kind() != EdmKind::kGuid) return WrongKind(field, value);
      return AttributeValue::String(value.text());
    case FieldType::kJsonText: return StoreJson(field, value);
    case FieldType::kComplex: {
      if (value.kind() != EdmKind::kComplex) return WrongKind(field, value);
      // Members that no field names stay as they are.
      AttributeValue::Map map =
          old != nullptr && old->Is(AttributeType::kM) ? old->map() : AttributeValue::Map();
      for (const auto& [name, member_value] : value.complex()) {
        const auto member = std::find_if(field.members.begin(), field.members.end(),
                                         [&name = name](const Field& f) { return f.name == name; });
        if (member == field.members.end()) {
          return Refuse(field, "value-type",
                        "field " + field.name + " has no member '" + name + "'");
        }
        if (!member->source.path.empty()) {
          return Refuse(
              field, "value-type",
              "member " + field.name + "/" + name + " lies below another value and is read-only");
        }
        if (member->required && member_value.is_null()) {
          return Refuse(field, "field-required", "the member `" + field.name + "/" + name + "` needs a value");
        }
        const auto before = map.find(member->source.attribute);
        TABLECAST_ASSIGN_OR_RETURN(
            AttributeValue stored,
            ToStored(*member, member_value, before == map.end() ? nullptr : &before->second));
        if (member_value.is_null() && !member->store_null) {
          map.erase(member->source.attribute);
        } else {
          map[member->source.attribute] = std::move(stored);
        }
      }
      return AttributeValue::MapOf(std::move(map));
    }
    default: {
      if (value.kind() != EdmKind::kString) return WrongKind(field, value);
      TABLECAST_RETURN_IF_ERROR(CheckLength(field, value.text()));
      if (!field.values.empty() && !value.text().empty() &&
          std::find(field.values.begin(), field.values.end(), value.text()) == field.values.end()) {
        std::string allowed;
        for (std::size_t i = 0; i < field.values.size() && i < 10; ++i) {
          allowed += (i == 0 ? "'" : ", '") + field.values[i] + "'";
        }
        return Refuse(field, "value-not-allowed",
                      "field " + field.name + " does not allow " + value.ToLiteral().substr(0, 80),
                      "use one of " + allowed);
      }
      return AttributeValue::String(value.text());
    }
  }
}

bool IsSet(AttributeType type) {
  return type == AttributeType::kSS || type == AttributeType::kNS || type == AttributeType::kBS;
}

// A set of the element type that the elements have. An empty one cannot be stored, and is nobody's way to say null.
Result<AttributeValue> SetFrom(const Field& field, AttributeType type,
                               const AttributeValue::List& elements) {
  AttributeValue::Set set;
  for (const AttributeValue& element : elements) {
    if (type == AttributeType::kSS && element.Is(AttributeType::kS)) {
      set.push_back(element.text());
    } else if (type == AttributeType::kNS && element.Is(AttributeType::kN)) {
      set.push_back(element.number_code());
    } else if (type == AttributeType::kBS && element.Is(AttributeType::kB)) {
      set.push_back(element.bytes());
    } else {
      return Refuse(field, "value-type",
                    "field " + field.name + " is stored as " +
                        std::string(AttributeTypeName(type)) +
                        " and takes elements of one type only");
    }
  }
  if (set.empty()) {
    if (field.form == CollectionForm::kText) return AttributeValue::Null();  // an empty text is null anyway
    return Refuse(field, "set-empty", "field " + field.name + " is stored as a set, which cannot be empty; null removes it");
  }
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return AttributeValue::SetOf(type, std::move(set));
}

Result<AttributeValue> StoreCollection(const Field& field, const EdmValue& value,
                                       const AttributeValue* old) {
  if (value.is_null()) return AttributeValue::Null();
  const AttributeType stored = old != nullptr && (IsSet(old->type()) || old->Is(AttributeType::kL))
                                   ? old->type()
                                   : field.stored_collection;
  AttributeValue::List elements;
  if (field.form == CollectionForm::kJson) {
    TABLECAST_ASSIGN_OR_RETURN(AttributeValue json, StoreJson(field, value));
    if (!json.Is(AttributeType::kL))
      return Refuse(field, "value-type", "field " + field.name + " needs a JSON array");
    elements = std::move(json.list());
  } else if (field.form == CollectionForm::kText) {
    if (value.kind() != EdmKind::kString) return WrongKind(field, value);
    std::string_view rest = value.text();
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(';'), rest.size());
      const std::string_view part = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (part.empty()) continue;
      TABLECAST_ASSIGN_OR_RETURN(EdmValue element, ParseEdm(field.kind, part));
      TABLECAST_ASSIGN_OR_RETURN(AttributeValue element_stored,
                                 StoreScalar(field, element, nullptr));
      elements.push_back(std::move(element_stored));
    }
  } else {
    if (value.kind() != EdmKind::kCollection) return WrongKind(field, value);
    for (const EdmValue& element : value.collection()) {
      TABLECAST_ASSIGN_OR_RETURN(AttributeValue element_stored,
                                 StoreScalar(field, element, nullptr));
      elements.push_back(std::move(element_stored));
    }
  }
  if (IsSet(stored)) return SetFrom(field, stored, elements);
  return AttributeValue::ListOf(std::move(elements));
}

}  // namespace

Result<AttributeValue> ToStored(const Field& field, const EdmValue& value,
                                const AttributeValue* old) {
  return field.collection ? StoreCollection(field, value, old) : StoreScalar(field, value, old);
}

}  // namespace tablecast
