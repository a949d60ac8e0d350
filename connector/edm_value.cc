#include "connector/edm_value.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/base64.h"
#include "item/item_codec.h"
#include "item/number.h"

namespace tablecast {
namespace {

struct KindName {
  EdmKind kind;
  std::string_view name;
};
constexpr std::array kKindNames = {
    KindName{EdmKind::kNull, "null"},
    KindName{EdmKind::kBoolean, "Edm.Boolean"},
    KindName{EdmKind::kString, "Edm.String"},
    KindName{EdmKind::kDecimal, "Edm.Decimal"},
    KindName{EdmKind::kByte, "Edm.Byte"},
    KindName{EdmKind::kSByte, "Edm.SByte"},
    KindName{EdmKind::kInt16, "Edm.Int16"},
    KindName{EdmKind::kInt32, "Edm.Int32"},
    KindName{EdmKind::kInt64, "Edm.Int64"},
    KindName{EdmKind::kSingle, "Edm.Single"},
    KindName{EdmKind::kDouble, "Edm.Double"},
    KindName{EdmKind::kDateTimeOffset, "Edm.DateTimeOffset"},
    KindName{EdmKind::kDate, "Edm.Date"},
    KindName{EdmKind::kTimeOfDay, "Edm.TimeOfDay"},
    KindName{EdmKind::kDuration, "Edm.Duration"},
    KindName{EdmKind::kGuid, "Edm.Guid"},
    KindName{EdmKind::kBinary, "Edm.Binary"},
    KindName{EdmKind::kComplex, "Complex"},
    KindName{EdmKind::kCollection, "Collection"},
};

// Kinds that compare with each other share a family.
enum class Family : std::uint8_t {
  kNull,
  kBoolean,
  kNumber,
  kText,
  kInstant,
  kTime,
  kDuration,
  kGuid,
  kBinary,
  kNested
};

Family FamilyOf(EdmKind kind) {
  switch (kind) {
    case EdmKind::kNull: return Family::kNull;
    case EdmKind::kBoolean: return Family::kBoolean;
    case EdmKind::kString: return Family::kText;
    case EdmKind::kDateTimeOffset:
    case EdmKind::kDate: return Family::kInstant;
    case EdmKind::kTimeOfDay: return Family::kTime;
    case EdmKind::kDuration: return Family::kDuration;
    case EdmKind::kGuid: return Family::kGuid;
    case EdmKind::kBinary: return Family::kBinary;
    case EdmKind::kComplex:
    case EdmKind::kCollection: return Family::kNested;
    default: return Family::kNumber;
  }
}

bool IsNan(const EdmValue& value) {
  return IsFloating(value.kind()) && std::isnan(value.floating());
}

std::strong_ordering CompareText(std::string_view a, std::string_view b) {
  const int order = a.compare(b);
  return order < 0 ? std::strong_ordering::less
                   : (order > 0 ? std::strong_ordering::greater : std::strong_ordering::equal);
}

// REQUIRES: both numeric, neither NaN.
std::strong_ordering CompareNumbers(const EdmValue& a, const EdmValue& b) {
  const auto infinite = [](const EdmValue& v) -> int {
    if (!IsFloating(v.kind()) || !std::isinf(v.floating())) return 0;
    return v.floating() < 0 ? -1 : 1;
  };
  const int ia = infinite(a);
  const int ib = infinite(b);
  if (ia != 0 || ib != 0) return ia <=> ib;
  const auto exact = [](const EdmValue& v) {
    if (!IsFloating(v.kind())) return v.number();
    const Result<Decimal> shortest = Decimal::FromShortestDouble(v.floating());
    return shortest.ok() ? *shortest : Decimal();
  };
  if (!IsFloating(a.kind()) && !IsFloating(b.kind())) return a.number() <=> b.number();
  return exact(a) <=> exact(b);
}

Timestamp InstantOf(const EdmValue& value) {
  return value.kind() == EdmKind::kDate ? ToTimestamp(value.date(), TimeOfDay{})
                                        : value.timestamp();
}

template <class T>
std::strong_ordering Spaceship(const T& a, const T& b) {
  return a <=> b;
}

std::string QuotedLiteral(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  out += '\'';
  return out;
}

std::string DoubleText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-INF" : "INF";
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end.ptr);
}

Decimal SecondsAsDecimal(std::int64_t seconds, std::int32_t nanos) {
  if (nanos == 0) return Decimal(seconds);
  return Add(Decimal(seconds), Decimal::FromParts(false, static_cast<std::uint64_t>(nanos), -9),
             Decimal::kStored);
}

void AppendOrderedNumber(std::string& out, const Decimal& value, bool descending) {
  Result<std::string> code = EncodeNumber(value);
  if (!code.ok()) code = EncodeNumber(value.RoundToDigits({38, Rounding::kDown}));
  if (!code.ok()) code = EncodeNumber(Decimal());  // beyond what a stored number can be
  AppendOrderedScalar(out, AttributeView(AttributeType::kN, code.ok() ? *code : std::string()),
                      descending);
}

Error LiteralError(EdmKind kind, std::string_view text) {
  std::string shown(text.substr(0, 80));
  return MakeError(ErrorCode::kInvalidArgument, "literal-type",
                   "'" + shown + "' is not a value of type " + std::string(EdmKindName(kind)));
}

bool IsGuidText(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (dash ? c != '-' : !hex) return false;
  }
  return true;
}

std::string AsciiLower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

struct IntegerRange {
  std::int64_t low;
  std::int64_t high;
};
IntegerRange RangeOf(EdmKind kind) {
  switch (kind) {
    case EdmKind::kByte: return {0, 255};
    case EdmKind::kSByte: return {-128, 127};
    case EdmKind::kInt16: return {-32768, 32767};
    case EdmKind::kInt32:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    default:
      return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  }
}

void AppendLength(std::string& out, std::size_t length) {
  std::uint64_t rest = length;
  while (rest >= 0x80) {
    out += static_cast<char>(0x80 | (rest & 0x7F));
    rest >>= 7U;
  }
  out += static_cast<char>(rest);
}

std::optional<std::string_view> TakeSized(std::string_view& bytes) {
  std::uint64_t length = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    if (bytes.empty()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    length |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) {
      if (length > bytes.size()) return std::nullopt;
      const std::string_view taken = bytes.substr(0, length);
      bytes.remove_prefix(length);
      return taken;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view EdmKindName(EdmKind kind) {
  for (const KindName& entry : kKindNames) {
    if (entry.kind == kind) return entry.name;
  }
  return "null";
}

std::optional<EdmKind> EdmKindFromName(std::string_view name) {
  constexpr std::string_view kPrefix = "Edm.";
  for (const KindName& entry : kKindNames) {
    if (entry.name.substr(0, kPrefix.size()) != kPrefix) continue;
    if (entry.name == name || entry.name.substr(kPrefix.size()) == name) return entry.kind;
  }
  return std::nullopt;
}

bool IsIntegerKind(EdmKind kind) { return kind >= EdmKind::kByte && kind <= EdmKind::kInt64; }
bool IsExactNumber(EdmKind kind) { return kind == EdmKind::kDecimal || IsIntegerKind(kind); }
bool IsFloating(EdmKind kind) { return kind == EdmKind::kSingle || kind == EdmKind::kDouble; }
bool IsNumeric(EdmKind kind) { return IsExactNumber(kind) || IsFloating(kind); }

EdmValue EdmValue::Boolean(bool value) {
  EdmValue out;
  out.kind_ = EdmKind::kBoolean;
  out.value_ = value;
  return out;
}
EdmValue EdmValue::String(std::string text) {
  EdmValue out;
  out.kind_ = EdmKind::kString;
  out.value_ = std::move(text);
  return out;
}
EdmValue EdmValue::Number(Decimal value, EdmKind kind) {
  EdmValue out;
  out.kind_ = kind;
  out.value_ = value;
  return out;
}
EdmValue EdmValue::Int(std::int64_t value, EdmKind kind) { return Number(Decimal(value), kind); }
EdmValue EdmValue::Double(double value, EdmKind kind) {
  EdmValue out;
  out.kind_ = kind;
  out.value_ = value;
  return out;
}
EdmValue EdmValue::DateTimeOffset(Timestamp value) {
  EdmValue out;
  out.kind_ = EdmKind::kDateTimeOffset;
  out.value_ = value;
  return out;
}
EdmValue EdmValue::OfDate(Date value) {
  EdmValue out;
  out.kind_ = EdmKind::kDate;
  out.value_ = value;
  return out;
}
EdmValue EdmValue::OfTime(TimeOfDay value) {
  EdmValue out;
  out.kind_ = EdmKind::kTimeOfDay;
  out.value_ = value;
  return out;
}
EdmValue EdmValue::OfDuration(tablecast::Duration value) {
  EdmValue out;
  out.kind_ = EdmKind::kDuration;
  out.value_ = value;
  return out;
}
EdmValue EdmValue::Guid(std::string lower_case_text) {
  EdmValue out;
  out.kind_ = EdmKind::kGuid;
  out.value_ = std::move(lower_case_text);
  return out;
}
EdmValue EdmValue::Binary(std::string bytes) {
  EdmValue out;
  out.kind_ = EdmKind::kBinary;
  out.value_ = std::move(bytes);
  return out;
}
EdmValue EdmValue::OfComplex(Complex members) {
  EdmValue out;
  out.kind_ = EdmKind::kComplex;
  out.value_ = std::make_shared<const Complex>(std::move(members));
  return out;
}
EdmValue EdmValue::OfCollection(Collection elements) {
  EdmValue out;
  out.kind_ = EdmKind::kCollection;
  out.value_ = std::make_shared<const Collection>(std::move(elements));
  return out;
}

std::string EdmValue::ToText() const {
  switch (kind_) {
    case EdmKind::kNull: return {};
    case EdmKind::kBoolean: return boolean() ? "true" : "false";
    case EdmKind::kString:
    case EdmKind::kGuid: return text();
    case EdmKind::kSingle:
    case EdmKind::kDouble: return DoubleText(floating());
    case EdmKind::kDateTimeOffset: return FormatTimestamp(timestamp());
    case EdmKind::kDate: return FormatDate(date());
    case EdmKind::kTimeOfDay: return FormatTimeOfDay(time());
    case EdmKind::kDuration: return FormatDuration(duration());
    case EdmKind::kBinary: return EncodeBase64Url(bytes());
    case EdmKind::kComplex: {
      std::string out = "{";
      for (const auto& [name, value] : complex()) {
        if (out.size() > 1) out += ',';
        out += QuotedLiteral(name) + ":" + value.ToLiteral();
      }
      return out + "}";
    }
    case EdmKind::kCollection: {
      std::string out = "[";
      for (const EdmValue& value : collection()) {
        if (out.size() > 1) out += ',';
        out += value.ToLiteral();
      }
      return out + "]";
    }
    default: return number().ToString();
  }
}

std::string EdmValue::ToLiteral() const {
  switch (kind_) {
    case EdmKind::kNull: return "null";
    case EdmKind::kString: return QuotedLiteral(text());
    case EdmKind::kDuration: return "duration'" + ToText() + "'";
    case EdmKind::kBinary: return "binary'" + ToText() + "'";
    case EdmKind::kSingle:
    case EdmKind::kDouble: {
      std::string out = ToText();
      // Keeps an exponent so that it reads back as a Double.
      if (std::isfinite(floating()) && out.find_first_of("eE") == std::string::npos) out += "e0";
      return out;
    }
    default: return ToText();
  }
}

std::optional<std::strong_ordering> CompareEdm(const EdmValue& a, const EdmValue& b) {
  const Family family = FamilyOf(a.kind());
  if (family != FamilyOf(b.kind())) return std::nullopt;
  switch (family) {
    case Family::kNull:
    case Family::kNested: return std::nullopt;
    case Family::kBoolean: return Spaceship(a.boolean(), b.boolean());
    case Family::kNumber:
      if (IsNan(a) || IsNan(b)) return std::nullopt;
      return CompareNumbers(a, b);
    case Family::kText:
    case Family::kGuid: return CompareText(a.text(), b.text());
    case Family::kBinary: return CompareText(a.bytes(), b.bytes());
    case Family::kInstant: return Spaceship(InstantOf(a), InstantOf(b));
    case Family::kTime: return Spaceship(a.time(), b.time());
    case Family::kDuration: return Spaceship(a.duration(), b.duration());
  }
  return std::nullopt;
}

bool EqualEdm(const EdmValue& a, const EdmValue& b) {
  if (a.is_null() || b.is_null()) return a.is_null() && b.is_null();
  if (a.kind() == EdmKind::kComplex && b.kind() == EdmKind::kComplex) {
    const auto& left = a.complex();
    const auto& right = b.complex();
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i].first != right[i].first || !EqualEdm(left[i].second, right[i].second))
        return false;
    }
    return true;
  }
  if (a.kind() == EdmKind::kCollection && b.kind() == EdmKind::kCollection) {
    const auto& left = a.collection();
    const auto& right = b.collection();
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!EqualEdm(left[i], right[i])) return false;
    }
    return true;
  }
  const auto order = CompareEdm(a, b);
  return order && *order == std::strong_ordering::equal;
}

std::strong_ordering OrderEdm(const EdmValue& a, const EdmValue& b) {
  const auto rank = [](const EdmValue& v) { return v.is_null() ? 0 : (IsNan(v) ? 1 : 2); };
  const int ra = rank(a);
  const int rb = rank(b);
  if (ra != rb || ra < 2) return ra <=> rb;
  const Family fa = FamilyOf(a.kind());
  const Family fb = FamilyOf(b.kind());
  if (fa != fb) return fa <=> fb;
  if (fa == Family::kNested) return CompareText(a.ToLiteral(), b.ToLiteral());
  const auto order = CompareEdm(a, b);
  return order ? *order : std::strong_ordering::equal;
}

void AppendOrderedEdm(std::string& out, const EdmValue& value, bool descending) {
  switch (FamilyOf(value.kind())) {
    case Family::kNull: AppendOrderedNull(out, descending); return;
    case Family::kBoolean: {
      const char byte = value.boolean() ? '\1' : '\0';
      AppendOrderedScalar(out, AttributeView(AttributeType::kBool, {&byte, 1}), descending);
      return;
    }
    case Family::kNumber:
      if (IsFloating(value.kind())) {
        const Result<Decimal> exact = Decimal::FromShortestDouble(value.floating());
        AppendOrderedNumber(out, exact.ok() ? *exact : Decimal(), descending);
      } else {
        AppendOrderedNumber(out, value.number(), descending);
      }
      return;
    case Family::kText:
    case Family::kGuid:
      AppendOrderedScalar(out, AttributeView(AttributeType::kS, value.text()), descending);
      return;
    case Family::kBinary:
      AppendOrderedScalar(out, AttributeView(AttributeType::kB, value.bytes()), descending);
      return;
    case Family::kInstant: {
      const Timestamp at = InstantOf(value);
      AppendOrderedNumber(out, SecondsAsDecimal(at.seconds, at.nanos), descending);
      return;
    }
    case Family::kTime: AppendOrderedNumber(out, Decimal(value.time().nanos), descending); return;
    case Family::kDuration:
      AppendOrderedNumber(out, SecondsAsDecimal(value.duration().seconds, value.duration().nanos),
                          descending);
      return;
    case Family::kNested:
      AppendOrderedScalar(out, AttributeView(AttributeType::kS, value.ToLiteral()), descending);
      return;
  }
}

void AppendEdmToken(std::string& out, const EdmValue& value) {
  out += static_cast<char>('A' + static_cast<char>(value.kind()));
  if (value.is_null()) return;
  if (value.kind() == EdmKind::kComplex || value.kind() == EdmKind::kCollection) {
    const std::string text = value.ToLiteral();
    AppendLength(out, text.size());
    out += text;
    return;
  }
  const std::string text = value.kind() == EdmKind::kBinary ? value.bytes() : value.ToText();
  AppendLength(out, text.size());
  out += text;
}

Result<EdmValue> ReadEdmToken(std::string_view& bytes) {
  const Error error =
      MakeError(ErrorCode::kInvalidArgument, "token-syntax", "this paging token is damaged");
  if (bytes.empty()) return error;
  const int number = bytes.front() - 'A';
  bytes.remove_prefix(1);
  if (number < 0 || number > static_cast<int>(EdmKind::kCollection)) return error;
  const auto kind = static_cast<EdmKind>(number);
  if (kind == EdmKind::kNull) return EdmValue();
  const std::optional<std::string_view> text = TakeSized(bytes);
  if (!text) return error;
  if (kind == EdmKind::kBinary) return EdmValue::Binary(std::string(*text));
  // Nested values order by their literal text, so the text is all that paging needs.
  if (kind == EdmKind::kComplex || kind == EdmKind::kCollection)
    return EdmValue::String(std::string(*text));
  Result<EdmValue> value = ParseEdm(kind, *text);
  if (!value.ok()) return error;
  return value;
}

Result<EdmValue> ParseEdm(EdmKind kind, std::string_view text) {
  switch (kind) {
    case EdmKind::kBoolean:
      if (text == "true") return EdmValue::Boolean(true);
      if (text == "false") return EdmValue::Boolean(false);
      return LiteralError(kind, text);
    case EdmKind::kString: return EdmValue::String(std::string(text));
    case EdmKind::kSingle:
    case EdmKind::kDouble: {
      if (text == "NaN") return EdmValue::Double(std::numeric_limits<double>::quiet_NaN(), kind);
      if (text == "INF") return EdmValue::Double(std::numeric_limits<double>::infinity(), kind);
      if (text == "-INF") return EdmValue::Double(-std::numeric_limits<double>::infinity(), kind);
      const Result<Decimal> exact = Decimal::Parse(text);
      if (!exact.ok()) return LiteralError(kind, text);
      return EdmValue::Double(exact->ToDouble(), kind);
    }
    case EdmKind::kDateTimeOffset: {
      const Result<IsoDateTime> read = ParseIso8601(text, 0);
      if (!read.ok() || read->form != IsoForm::kExtended || !read->has_zone ||
          read->separator == ' ') {
        return LiteralError(kind, text);
      }
      return EdmValue::DateTimeOffset(read->instant);
    }
    case EdmKind::kDate: {
      const Result<Date> read = ParseDate(text);
      if (!read.ok()) return LiteralError(kind, text);
      return EdmValue::OfDate(*read);
    }
    case EdmKind::kTimeOfDay: {
      const Result<TimeOfDay> read = ParseTimeOfDay(text);
      if (!read.ok()) return LiteralError(kind, text);
      return EdmValue::OfTime(*read);
    }
    case EdmKind::kDuration: {
      const Result<tablecast::Duration> read = ParseDuration(text);
      if (!read.ok()) return LiteralError(kind, text);
      return EdmValue::OfDuration(*read);
    }
    case EdmKind::kGuid:
      if (!IsGuidText(text)) return LiteralError(kind, text);
      return EdmValue::Guid(AsciiLower(text));
    case EdmKind::kBinary: {
      Result<std::string> bytes = DecodeBase64Url(text);
      if (!bytes.ok()) return LiteralError(kind, text);
      return EdmValue::Binary(*std::move(bytes));
    }
    case EdmKind::kNull:
    case EdmKind::kComplex:
    case EdmKind::kCollection: return LiteralError(kind, text);
    default: {
      const Result<Decimal> number = Decimal::Parse(text);
      if (!number.ok()) return LiteralError(kind, text);
      if (IsIntegerKind(kind)) {
        const std::optional<std::int64_t> whole = number->ToInt64();
        const IntegerRange range = RangeOf(kind);
        if (!whole || *whole < range.low || *whole > range.high) return LiteralError(kind, text);
      }
      return EdmValue::Number(*number, kind);
    }
  }
}

}  // namespace tablecast
