#include "connector/convert.h"

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "item/item_codec.h"
#include "item/item_json.h"
#include "item/number.h"

namespace tablecast {
namespace {

constexpr std::size_t kMessageBytes = 200;

void Report(std::optional<ConversionError>* error, std::string_view code, std::string message,
            const AttributeView& stored) {
  if (error == nullptr || error->has_value()) return;
  *error = ConversionError{std::string(code), std::move(message), StoredForMessage(stored)};
}

EdmValue WrongType(const Field& field, const AttributeView& stored, std::string_view expected,
                   std::optional<ConversionError>* error) {
  if (error != nullptr) {
    Report(error, "wrong-type",
           "field " + field.name + " of type " + std::string(FieldTypeName(field.type)) +
               " needs " + std::string(expected) + ", stored is " +
               std::string(AttributeTypeName(stored.type())),
           stored);
  }
  return {};
}

EdmValue Unreadable(const Field& field, const AttributeView& stored, std::string_view code,
                    std::string_view expected, std::optional<ConversionError>* error) {
  if (error != nullptr) {
    Report(error, code,
           "field " + field.name + ": the stored value is not " + std::string(expected), stored);
  }
  return {};
}

// Epoch time in `unit` as an instant; nullopt outside the years 1..9999.
std::optional<Timestamp> FromEpoch(const Decimal& value, std::string_view unit) {
  Decimal seconds = value;
  if (unit == "ms") seconds = Multiply(value, Decimal::FromParts(false, 1, -3), Decimal::kFormula);
  const Decimal whole = seconds.RoundToScale(0, Rounding::kFloor);
  const std::optional<std::int64_t> count = whole.ToInt64();
  const Timestamp low = ToTimestamp(kMinDate, TimeOfDay{});
  const Timestamp high = ToTimestamp(kMaxDate, TimeOfDay{});
  if (!count || *count < low.seconds || *count >= high.seconds + 86400) return std::nullopt;
  const Decimal fraction = Subtract(seconds, whole, Decimal::kFormula);
  const Decimal nanos =
      Multiply(fraction, Decimal(1000000000), Decimal::kFormula).RoundToScale(0, Rounding::kFloor);
  return Timestamp{*count, static_cast<std::int32_t>(nanos.ToInt64Saturated())};
}

EdmValue ReadDateTime(const Field& field, const AttributeView& stored,
                      std::optional<ConversionError>* error) {
  if (stored.Is(AttributeType::kN) && !field.unit.empty()) {
    const Result<Decimal> number = DecodeNumber(stored.payload());
    const std::optional<Timestamp> at = number.ok() ? FromEpoch(*number, field.unit) : std::nullopt;
    if (!at)
      return Unreadable(field, stored, "not-a-date-time",
                        "an epoch time between the years 1 and 9999", error);
    return EdmValue::DateTimeOffset(*at);
  }
  if (!stored.Is(AttributeType::kS)) {
    return WrongType(field, stored, field.unit.empty() ? "S in ISO 8601" : "S in ISO 8601 or N",
                     error);
  }
  if (stored.payload().empty()) return {};
  const Result<IsoDateTime> read = ParseIso8601(stored.payload(), field.zone_minutes);
  if (!read.ok())
    return Unreadable(field, stored, "not-a-date-time", "a date and time in ISO 8601", error);
  return EdmValue::DateTimeOffset(read->instant);
}

EdmValue ReadDate(const Field& field, const AttributeView& stored,
                  std::optional<ConversionError>* error) {
  if (!stored.Is(AttributeType::kS)) return WrongType(field, stored, "S", error);
  if (stored.payload().empty()) return {};
  if (const Result<Date> date = ParseDate(stored.payload()); date.ok())
    return EdmValue::OfDate(*date);
  // The day as written: an offset does not move it.
  const Result<IsoDateTime> read = ParseIso8601(stored.payload(), 0);
  if (read.ok() && read->form == IsoForm::kExtended) {
    const Timestamp local{read->instant.seconds + std::int64_t{60} * read->zone_offset_minutes *
                                                      (read->has_zone ? 1 : 0),
                          read->instant.nanos};
    if (field.declared || TimeOf(local).nanos == 0) return EdmValue::OfDate(DateOf(local));
  }
  return Unreadable(field, stored, "not-a-date", "a date YYYY-MM-DD", error);
}

EdmValue ReadNumber(const Field& field, const AttributeView& stored,
                    std::optional<ConversionError>* error) {
  if (!stored.Is(AttributeType::kN)) return WrongType(field, stored, "N", error);
  const Result<Decimal> number = DecodeNumber(stored.payload());
  if (!number.ok()) return Unreadable(field, stored, "not-a-number", "a number", error);
  if (field.kind == EdmKind::kDecimal) return EdmValue::Number(*number);
  const std::optional<std::int64_t> whole = number->ToInt64();
  const bool fits =
      whole && (field.kind == EdmKind::kInt64 || (*whole >= INT32_MIN && *whole <= INT32_MAX));
  if (!fits) return Unreadable(field, stored, "not-an-integer", "a whole number in range", error);
  return EdmValue::Number(*number, field.kind);
}

EdmValue ReadScalar(const Field& field, const AttributeView& stored,
                    std::optional<ConversionError>* error) {
  switch (field.type) {
    case FieldType::kDateTime: return ReadDateTime(field, stored, error);
    case FieldType::kDate: return ReadDate(field, stored, error);
    case FieldType::kTime: {
      if (!stored.Is(AttributeType::kS)) return WrongType(field, stored, "S", error);
      if (stored.payload().empty()) return {};
      const Result<TimeOfDay> time = ParseTimeOfDay(stored.payload());
      if (!time.ok()) return Unreadable(field, stored, "not-a-time", "a time HH:mm[:ss]", error);
      return EdmValue::OfTime(*time);
    }
    case FieldType::kNumber:
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kCurrency:
    case FieldType::kPercent: return ReadNumber(field, stored, error);
    case FieldType::kCheckbox:
      if (!stored.Is(AttributeType::kBool)) return WrongType(field, stored, "BOOL", error);
      return EdmValue::Boolean(stored.AsBool());
    case FieldType::kBinary:
      if (!stored.Is(AttributeType::kB)) return WrongType(field, stored, "B", error);
      return EdmValue::Binary(std::string(stored.payload()));
    case FieldType::kGuid: {
      if (!stored.Is(AttributeType::kS)) return WrongType(field, stored, "S", error);
      Result<EdmValue> guid = ParseEdm(EdmKind::kGuid, stored.payload());
      if (!guid.ok()) return Unreadable(field, stored, "not-a-guid", "a GUID", error);
      return *std::move(guid);
    }
    case FieldType::kJsonText: return EdmValue::String(StoredAsJson(stored));
    case FieldType::kComplex: {
      if (!stored.Is(AttributeType::kM)) return WrongType(field, stored, "M", error);
      EdmValue::Complex members;
      members.reserve(field.members.size());
      for (const Field& member : field.members) {
        const AttributeView value =
            FollowPath(MapMember(stored, member.source.attribute), member.source.path);
        members.emplace_back(member.name, FromStored(member, value, error));
      }
      return EdmValue::OfComplex(std::move(members));
    }
    default:
      if (!stored.Is(AttributeType::kS)) return WrongType(field, stored, "S", error);
      if (stored.payload().empty() && field.empty_text_is_null) return {};
      return EdmValue::String(std::string(stored.payload()));
  }
}

// Text of an element for `as: text`.
std::string ElementText(const AttributeView& element) {
  switch (element.type()) {
    case AttributeType::kS: return std::string(element.payload());
    case AttributeType::kN: return NumberText(element.payload());
    case AttributeType::kB: return EncodeBase64Url(element.payload());
    case AttributeType::kBool: return element.AsBool() ? "true" : "false";
    default: return StoredAsJson(element);
  }
}

AttributeType ElementType(AttributeType set) {
  if (set == AttributeType::kSS) return AttributeType::kS;
  return set == AttributeType::kNS ? AttributeType::kN : AttributeType::kB;
}

EdmValue ReadCollection(const Field& field, const AttributeView& stored,
                        std::optional<ConversionError>* error) {
  const bool list = stored.Is(AttributeType::kL);
  const bool set = stored.Is(AttributeType::kSS) || stored.Is(AttributeType::kNS) ||
                   stored.Is(AttributeType::kBS);
  if (!list && !set) return WrongType(field, stored, "a list or a set", error);
  if (field.form == CollectionForm::kJson) return EdmValue::String(StoredAsJson(stored));
  const auto typed = [&](const AttributeView& element) {
    // Elements of a set are shown as payloads of the set's own element type.
    return set && !element.present() ? AttributeView(ElementType(stored.type()), {}) : element;
  };
  if (field.form == CollectionForm::kText) {
    std::vector<std::string> parts;
    ForEachElement(stored, [&](std::string_view, const AttributeView& element) {
      parts.push_back(ElementText(typed(element)));
      return true;
    });
    std::sort(parts.begin(), parts.end());
    std::string out;
    for (const std::string& part : parts) {
      if (!out.empty()) out += ';';
      out += part;
    }
    return EdmValue::String(std::move(out));
  }
  EdmValue::Collection elements;
  ForEachElement(stored, [&](std::string_view, const AttributeView& element) {
    const AttributeView value = typed(element);
    elements.push_back(value.Is(AttributeType::kNull) ? EdmValue()
                                                      : ReadScalar(field, value, error));
    return true;
  });
  return EdmValue::OfCollection(std::move(elements));
}

}  // namespace

EdmValue FromStored(const Field& field, const AttributeView& stored,
                    std::optional<ConversionError>* error) {
  if (!stored.present() || stored.Is(AttributeType::kNull)) return {};
  return field.collection ? ReadCollection(field, stored, error) : ReadScalar(field, stored, error);
}

AttributeView FollowPath(AttributeView value, const std::vector<PathStep>& path) {
  for (const PathStep& step : path) {
    if (!step.name.empty()) {
      if (!value.Is(AttributeType::kM)) return {};
      value = MapMember(value, step.name);
    }
    if (step.index) {
      if (!value.Is(AttributeType::kL)) return {};
      value = ListElement(value, *step.index);
    }
    if (!value.present()) return {};
  }
  return value;
}

Result<AttributePath> ParseAttributePath(std::string_view text) {
  const auto fail = [&](std::string_view why) {
    return MakeError(ErrorCode::kInvalidArgument, "path-syntax",
                     "'" + std::string(text.substr(0, 80)) + "' is no path: " + std::string(why),
                     {}, "write attribute.member or attribute[0].member");
  };
  AttributePath out;
  std::size_t at = 0;
  bool first = true;
  while (first || at < text.size()) {
    if (!first) {
      if (text[at] != '.') return fail("a '.' is due after ']'");
      ++at;
    }
    const std::size_t end = std::min(text.find_first_of(".[", at), text.size());
    if (end == at) return fail("a name is missing");
    PathStep step;
    step.name = std::string(text.substr(at, end - at));
    at = end;
    if (first) {
      out.attribute = step.name;
    }
    bool named = true;
    while (at < text.size() && text[at] == '[') {
      const std::size_t close = text.find(']', at);
      if (close == std::string_view::npos || close == at + 1 || close - at > 7)
        return fail("an index is malformed");
      std::uint32_t index = 0;
      for (std::size_t i = at + 1; i < close; ++i) {
        if (text[i] < '0' || text[i] > '9') return fail("an index is malformed");
        index = index * 10 + static_cast<std::uint32_t>(text[i] - '0');
      }
      PathStep indexed;
      if (named && !first) indexed.name = step.name;
      indexed.index = index;
      out.steps.push_back(std::move(indexed));
      named = false;
      at = close + 1;
    }
    if (named && !first) out.steps.push_back(std::move(step));
    first = false;
    if (out.steps.size() > static_cast<std::size_t>(kMaxNesting))
      return fail("it is deeper than 32 steps");
  }
  return out;
}

std::string StoredAsJson(const AttributeView& value) {
  const Result<AttributeValue> decoded = DecodeValue(value);
  std::string out;
  if (!decoded.ok()) return out;
  JsonWriter json(out);
  WritePlainJson(json, *decoded);
  return out;
}

std::string StoredForMessage(const AttributeView& value) {
  if (!value.present()) return "(absent)";
  std::string text;
  switch (value.type()) {
    case AttributeType::kS: AppendPrintable(text, value.payload().substr(0, kMessageBytes)); break;
    case AttributeType::kN: text = NumberText(value.payload()); break;
    case AttributeType::kBool: text = value.AsBool() ? "true" : "false"; break;
    case AttributeType::kNull: text = "NULL"; break;
    case AttributeType::kB: text = EncodeBase64(value.payload().substr(0, kMessageBytes)); break;
    default: text = StoredAsJson(value); break;
  }
  if (text.size() > kMessageBytes) {
    std::size_t cut = kMessageBytes;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
    text.resize(cut);
    text += "...";
  }
  return text;
}

}  // namespace tablecast
