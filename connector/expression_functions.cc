// The canonical functions, arithmetic and casts of OData over non-null values.
// SOURCE: OData URL Conventions 4.01, section 5.1.1; spec odata.md section 1.2.

#include <unicode/ucasemap.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/utf8.h"
#include "connector/expression_nodes.h"

namespace tablecast {
namespace {

// Exact for what two stored numbers can give; a quotient keeps as many digits as a stored number.
constexpr Decimal::Context kExact{Decimal::kMaxDigits, Rounding::kHalfUp};
constexpr Decimal::Context kQuotient{38, Rounding::kHalfUp};

Error DivisionByZero() {
  return MakeError(ErrorCode::kInvalidArgument, "division-by-zero",
                   "the expression divides by zero");
}

std::string MapCase(const std::string& text, bool upper) {
  if (IsAscii(text)) {
    std::string out = text;
    for (char& c : out) {
      if (upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      if (!upper && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
  }
  UErrorCode status = U_ZERO_ERROR;
  UCaseMap* map = ucasemap_open("", 0, &status);  // root locale: no language decides
  std::string out(text.size() * 3 + 8, '\0');
  const auto capacity = static_cast<std::int32_t>(out.size());
  const auto length = static_cast<std::int32_t>(text.size());
  const std::int32_t written =
      upper ? ucasemap_utf8ToUpper(map, out.data(), capacity, text.data(), length, &status)
            : ucasemap_utf8ToLower(map, out.data(), capacity, text.data(), length, &status);
  ucasemap_close(map);
  if (U_FAILURE(status) || written > capacity) return text;
  out.resize(static_cast<std::size_t>(written));
  return out;
}

std::string Trim(const std::string& text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t next = begin;
    if (!u_isUWhiteSpace(static_cast<UChar32>(DecodeUtf8(text, next)))) break;
    begin = next;
  }
  std::size_t end = text.size();
  while (end > begin) {
    std::size_t start = end - 1;
    while (start > begin && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) --start;
    std::size_t next = start;
    if (!u_isUWhiteSpace(static_cast<UChar32>(DecodeUtf8(text, next)))) break;
    end = start;
  }
  return text.substr(begin, end - begin);
}

// 0-based [begin, end) for substring: a negative start counts from the end.
struct Cut {
  std::size_t begin;
  std::size_t end;
};
Cut CutOf(std::size_t length, const std::vector<EdmValue>& arguments, EvalContext& context) {
  const auto size = static_cast<std::int64_t>(length);
  std::int64_t start = arguments[1].number().ToInt64Saturated();
  if (start < 0) start = std::max<std::int64_t>(0, size + std::max(start, -size));
  start = std::min(start, size);
  std::int64_t count = size - start;
  if (arguments.size() == 3) {
    const std::int64_t wanted = arguments[2].number().ToInt64Saturated();
    if (wanted < 0) {
      context.Fail(MakeError(ErrorCode::kInvalidArgument, "substring-length",
                             "the length of substring is negative"));
    }
    count = std::clamp<std::int64_t>(wanted, 0, count);
  }
  return {static_cast<std::size_t>(start), static_cast<std::size_t>(start + count)};
}

EdmValue Int(std::size_t value) { return EdmValue::Int(static_cast<std::int64_t>(value)); }

// First position of `part` in `whole` as a run of equal elements.
std::optional<std::size_t> FindRun(const EdmValue::Collection& whole,
                                   const EdmValue::Collection& part) {
  const auto at = std::search(whole.begin(), whole.end(), part.begin(), part.end(), EqualEdm);
  if (at == whole.end() && !part.empty()) return std::nullopt;
  return static_cast<std::size_t>(at - whole.begin());
}

// Of bytes, or elements: a $compute that doubles a text forty times would fill the memory.
constexpr std::size_t kMostConcatenated = std::size_t{1} << 20;

EdmValue TooLong(const char* unit, EvalContext& context) {
  context.Fail(MakeError(ErrorCode::kInvalidArgument, "concat-too-long",
                         "concat makes a value of more than " +
                             std::to_string(kMostConcatenated) + " " + unit));
  return {};
}

EdmValue CollectionFunction(Function function, const std::vector<EdmValue>& arguments,
                            EvalContext& context) {
  const EdmValue::Collection& whole = arguments[0].collection();
  if (function == Function::kLength) return Int(whole.size());
  if (function == Function::kSubstring) {
    const Cut cut = CutOf(whole.size(), arguments, context);
    return EdmValue::OfCollection({whole.begin() + static_cast<std::ptrdiff_t>(cut.begin),
                                   whole.begin() + static_cast<std::ptrdiff_t>(cut.end)});
  }
  const EdmValue::Collection& part = arguments[1].collection();
  switch (function) {
    case Function::kContains: return EdmValue::Boolean(FindRun(whole, part).has_value());
    case Function::kIndexOf: {
      const std::optional<std::size_t> at = FindRun(whole, part);
      return at ? Int(*at) : EdmValue::Int(-1);
    }
    case Function::kStartsWith:
      return EdmValue::Boolean(part.size() <= whole.size() &&
                               std::equal(part.begin(), part.end(), whole.begin(), EqualEdm));
    case Function::kEndsWith:
      return EdmValue::Boolean(part.size() <= whole.size() &&
                               std::equal(part.rbegin(), part.rend(), whole.rbegin(), EqualEdm));
    case Function::kConcat: {
      if (whole.size() + part.size() > kMostConcatenated) return TooLong("elements", context);
      EdmValue::Collection joined = whole;
      joined.insert(joined.end(), part.begin(), part.end());
      return EdmValue::OfCollection(std::move(joined));
    }
    case Function::kHasSubset:
      return EdmValue::Boolean(std::all_of(part.begin(), part.end(), [&](const EdmValue& wanted) {
        return std::any_of(whole.begin(), whole.end(),
                           [&](const EdmValue& v) { return EqualEdm(v, wanted); });
      }));
    case Function::kHasSubsequence: {
      std::size_t matched = 0;
      for (const EdmValue& value : whole) {
        if (matched < part.size() && EqualEdm(value, part[matched])) ++matched;
      }
      return EdmValue::Boolean(matched == part.size());
    }
    default: return {};
  }
}

EdmValue TextFunction(Function function, const std::vector<EdmValue>& arguments,
                      const RegexSearch* regex, EvalContext& context) {
  const std::string& text = arguments[0].text();
  const auto other = [&]() -> const std::string& { return arguments[1].text(); };
  switch (function) {
    case Function::kContains: return EdmValue::Boolean(text.find(other()) != std::string::npos);
    case Function::kStartsWith:
      return EdmValue::Boolean(text.compare(0, other().size(), other()) == 0);
    case Function::kEndsWith:
      return EdmValue::Boolean(
          text.size() >= other().size() &&
          text.compare(text.size() - other().size(), other().size(), other()) == 0);
    case Function::kIndexOf: {
      const std::size_t at = text.find(other());
      if (at == std::string::npos) return EdmValue::Int(-1);
      return Int(CountCodePoints(std::string_view(text).substr(0, at)));
    }
    case Function::kLength: return Int(CountCodePoints(text));
    case Function::kConcat:
      if (text.size() + other().size() > kMostConcatenated) return TooLong("bytes", context);
      return EdmValue::String(text + other());
    case Function::kSubstring: {
      const Cut cut = CutOf(CountCodePoints(text), arguments, context);
      const std::size_t begin = CodePointOffset(text, cut.begin);
      const std::size_t end = CodePointOffset(text, cut.end);
      return EdmValue::String(text.substr(begin, end - begin));
    }
    case Function::kToLower: return EdmValue::String(MapCase(text, false));
    case Function::kToUpper: return EdmValue::String(MapCase(text, true));
    case Function::kTrim: return EdmValue::String(Trim(text));
    case Function::kMatchesPattern:
      if (regex == nullptr) {
        // The record gives the pattern; the context keeps the last one compiled.
        regex = context.Pattern(other(), arguments.size() == 3 ? arguments[2].text() : std::string());
      }
      return regex == nullptr ? EdmValue() : EdmValue::Boolean(regex->Matches(text));
    default: return {};
  }
}

TimeOfDay TimePart(const EdmValue& value) {
  return value.kind() == EdmKind::kTimeOfDay ? value.time() : TimeOf(value.timestamp());
}
Date DatePart(const EdmValue& value) {
  return value.kind() == EdmKind::kDate ? value.date() : DateOf(value.timestamp());
}

EdmValue RoundNumber(Function function, const EdmValue& value) {
  if (IsFloating(value.kind())) {
    const double v = value.floating();
    const double rounded = function == Function::kRound
                               ? std::round(v)
                               : (function == Function::kFloor ? std::floor(v) : std::ceil(v));
    return EdmValue::Double(rounded, value.kind());
  }
  const Rounding rounding =
      function == Function::kRound
          ? Rounding::kHalfUp
          : (function == Function::kFloor ? Rounding::kFloor : Rounding::kCeiling);
  return EdmValue::Number(value.number().RoundToScale(0, rounding), value.kind());
}

Decimal ExactSeconds(std::int64_t seconds, std::int32_t nanos) {
  return Add(Decimal(seconds), Decimal::FromParts(false, static_cast<std::uint64_t>(nanos), -9),
             kExact);
}

struct SecondsAndNanos {
  std::int64_t seconds;
  std::int32_t nanos;
};
// nullopt beyond what an instant or duration can hold.
std::optional<SecondsAndNanos> SplitSeconds(const Decimal& value) {
  const Decimal whole = value.RoundToScale(0, Rounding::kFloor);
  const std::optional<std::int64_t> seconds = whole.ToInt64();
  if (!seconds || *seconds > 400000000000LL || *seconds < -400000000000LL) return std::nullopt;
  const Decimal rest = Multiply(Subtract(value, whole, kExact), Decimal(1000000000), kExact);
  return SecondsAndNanos{*seconds, static_cast<std::int32_t>(
                                       rest.RoundToScale(0, Rounding::kFloor).ToInt64Saturated())};
}

Decimal SecondsOf(const EdmValue& value) {
  if (value.kind() == EdmKind::kDuration)
    return ExactSeconds(value.duration().seconds, value.duration().nanos);
  if (value.kind() == EdmKind::kDate)
    return ExactSeconds(std::int64_t{86400} * value.date().days, 0);
  return ExactSeconds(value.timestamp().seconds, value.timestamp().nanos);
}

EdmValue FromSeconds(const Decimal& value, EdmKind kind, EvalContext& context) {
  const std::optional<SecondsAndNanos> parts = SplitSeconds(value);
  if (kind == EdmKind::kDuration && parts)
    return EdmValue::OfDuration({parts->seconds, parts->nanos});
  if (parts) {
    const Timestamp at{parts->seconds, parts->nanos};
    const std::int64_t low = std::int64_t{86400} * kMinDate.days;
    const std::int64_t high = std::int64_t{86400} * (std::int64_t{kMaxDate.days} + 1);
    if (at.seconds >= low && at.seconds < high) {
      return kind == EdmKind::kDate ? EdmValue::OfDate(DateOf(at)) : EdmValue::DateTimeOffset(at);
    }
  }
  context.Fail(MakeError(ErrorCode::kInvalidArgument, "date-range",
                         "a date outside the years 1 to 9999 was calculated"));
  return {};
}

EdmValue TimeArithmetic(BinaryOp op, const EdmValue& left, const EdmValue& right, EdmKind kind,
                        EvalContext& context) {
  const auto as_decimal = [](const EdmValue& v) {
    return IsNumeric(v.kind()) ? v.number() : SecondsOf(v);
  };
  if (IsFloating(left.kind()) || IsFloating(right.kind())) return {};
  const Decimal a = as_decimal(left);
  const Decimal b = as_decimal(right);
  switch (op) {
    case BinaryOp::kAdd: return FromSeconds(Add(a, b, kExact), kind, context);
    case BinaryOp::kSub: return FromSeconds(Subtract(a, b, kExact), kind, context);
    case BinaryOp::kMul: return FromSeconds(Multiply(a, b, kExact), kind, context);
    default: {
      const Result<Decimal> quotient = Divide(a, b, kQuotient);
      if (!quotient.ok()) {
        context.Fail(DivisionByZero());
        return {};
      }
      return FromSeconds(*quotient, kind, context);
    }
  }
}

EdmValue FloatArithmetic(BinaryOp op, const EdmValue& left, const EdmValue& right) {
  const auto as_double = [](const EdmValue& v) {
    return IsFloating(v.kind()) ? v.floating() : v.number().ToDouble();
  };
  const double a = as_double(left);
  const double b = as_double(right);
  switch (op) {
    case BinaryOp::kAdd: return EdmValue::Double(a + b);
    case BinaryOp::kSub: return EdmValue::Double(a - b);
    case BinaryOp::kMul: return EdmValue::Double(a * b);
    case BinaryOp::kMod: return EdmValue::Double(std::fmod(a, b));
    default: return EdmValue::Double(a / b);
  }
}

}  // namespace

EdmValue EvaluateArithmetic(BinaryOp op, const EdmValue& left, const EdmValue& right, EdmKind kind,
                            EvalContext& context) {
  if (!IsNumeric(left.kind()) || !IsNumeric(right.kind()))
    return TimeArithmetic(op, left, right, kind, context);
  if (IsFloating(left.kind()) || IsFloating(right.kind())) return FloatArithmetic(op, left, right);
  const Decimal& a = left.number();
  const Decimal& b = right.number();
  const bool whole = IsIntegerKind(kind);
  Decimal result;
  switch (op) {
    case BinaryOp::kAdd: result = Add(a, b, kExact); break;
    case BinaryOp::kSub: result = Subtract(a, b, kExact); break;
    case BinaryOp::kMul: result = Multiply(a, b, kExact); break;
    case BinaryOp::kMod: {
      const Result<Decimal> rest = Remainder(a, b);
      if (!rest.ok()) {
        context.Fail(rest.error().reason == "division-by-zero" ? DivisionByZero() : rest.error());
        return {};
      }
      result = *rest;
      break;
    }
    default: {
      if (b.IsZero()) {
        if (op == BinaryOp::kDivBy) {
          // divby by zero has an answer: infinite, or not a number.
          const double sign = a.IsZero()
                                  ? std::numeric_limits<double>::quiet_NaN()
                                  : (a.IsNegative() ? -std::numeric_limits<double>::infinity()
                                                    : std::numeric_limits<double>::infinity());
          return EdmValue::Double(sign);
        }
        context.Fail(DivisionByZero());
        return {};
      }
      if (whole && op == BinaryOp::kDiv) {
        // Truncates toward zero, exactly.
        const Result<Decimal> rest = Remainder(a, b);
        if (!rest.ok()) {
          context.Fail(rest.error());
          return {};
        }
        const Result<Decimal> quotient = Divide(Subtract(a, *rest, kExact), b, kExact);
        if (quotient.ok()) result = *quotient;
      } else {
        const Result<Decimal> quotient = Divide(a, b, kQuotient);
        if (quotient.ok()) result = *quotient;
      }
      break;
    }
  }
  if (whole && !result.ToInt64()) {
    context.Fail(MakeError(ErrorCode::kInvalidArgument, "arithmetic-overflow",
                           "a whole number left the range of Edm.Int64"));
    return {};
  }
  return EdmValue::Number(result, kind);
}

EdmValue EvaluateFunction(Function function, const std::vector<EdmValue>& arguments,
                          const RegexSearch* regex, EvalContext& context) {
  switch (function) {
    case Function::kNow: return EdmValue::DateTimeOffset(context.now());
    case Function::kMinDateTime:
      return EdmValue::DateTimeOffset(ToTimestamp(kMinDate, TimeOfDay{}));
    case Function::kMaxDateTime:
      return EdmValue::DateTimeOffset(ToTimestamp(kMaxDate, TimeOfDay{86399999999999}));
    case Function::kYear: return EdmValue::Int(ToCivil(DatePart(arguments[0])).year);
    case Function::kMonth: return EdmValue::Int(ToCivil(DatePart(arguments[0])).month);
    case Function::kDay: return EdmValue::Int(ToCivil(DatePart(arguments[0])).day);
    case Function::kHour: return EdmValue::Int(TimePart(arguments[0]).nanos / 3600000000000);
    case Function::kMinute: return EdmValue::Int(TimePart(arguments[0]).nanos / 60000000000 % 60);
    case Function::kSecond: return EdmValue::Int(TimePart(arguments[0]).nanos / 1000000000 % 60);
    case Function::kFractionalSeconds:
      return EdmValue::Number(Decimal::FromParts(
          false, static_cast<std::uint64_t>(TimePart(arguments[0]).nanos % 1000000000), -9));
    case Function::kDate: return EdmValue::OfDate(DateOf(arguments[0].timestamp()));
    case Function::kTime: return EdmValue::OfTime(TimeOf(arguments[0].timestamp()));
    case Function::kTotalOffsetMinutes: return EdmValue::Int(0);  // everything is published in UTC
    case Function::kTotalSeconds: return EdmValue::Number(SecondsOf(arguments[0]));
    case Function::kRound:
    case Function::kFloor:
    case Function::kCeiling: return RoundNumber(function, arguments[0]);
    default: break;
  }
  if (arguments[0].kind() == EdmKind::kCollection)
    return CollectionFunction(function, arguments, context);
  if (arguments[0].kind() == EdmKind::kString)
    return TextFunction(function, arguments, regex, context);
  return {};
}

EdmValue CastValue(const EdmValue& value, EdmKind kind) {
  if (value.is_null() || value.kind() == kind) return value;
  if (kind == EdmKind::kString) return EdmValue::String(value.ToText());
  if (value.kind() == EdmKind::kString) {
    Result<EdmValue> parsed = ParseEdm(kind, value.text());
    return parsed.ok() ? *std::move(parsed) : EdmValue();
  }
  if (IsExactNumber(value.kind())) {
    if (IsFloating(kind)) return EdmValue::Double(value.number().ToDouble(), kind);
    if (kind == EdmKind::kDecimal) return EdmValue::Number(value.number());
    if (IsIntegerKind(kind)) {
      const Decimal whole = value.number().RoundToScale(0, Rounding::kDown);
      Result<EdmValue> parsed = ParseEdm(kind, whole.ToString());
      return parsed.ok() ? *std::move(parsed) : EdmValue();
    }
    return {};
  }
  if (IsFloating(value.kind())) {
    if (IsFloating(kind)) return EdmValue::Double(value.floating(), kind);
    const Result<Decimal> exact = Decimal::FromShortestDouble(value.floating());
    return exact.ok() ? CastValue(EdmValue::Number(*exact), kind) : EdmValue();
  }
  if (value.kind() == EdmKind::kDateTimeOffset) {
    if (kind == EdmKind::kDate) return EdmValue::OfDate(DateOf(value.timestamp()));
    if (kind == EdmKind::kTimeOfDay) return EdmValue::OfTime(TimeOf(value.timestamp()));
  }
  if (value.kind() == EdmKind::kDate && kind == EdmKind::kDateTimeOffset) {
    return EdmValue::DateTimeOffset(ToTimestamp(value.date(), TimeOfDay{}));
  }
  return {};
}

}  // namespace tablecast
