#ifndef TABLECAST_CONNECTOR_EDM_VALUE_H_
#define TABLECAST_CONNECTOR_EDM_VALUE_H_

// A typed value as the protocol sees it: what a field of a record holds, what a literal means, what
// an expression yields. All whole and decimal numbers are exact Decimals; Edm.Double exists only
// for INF, NaN and literals written with an exponent.
//
//   EdmValue total = EdmValue::Number(*Decimal::Parse("19.90"));
//   CompareEdm(total, EdmValue::Number(Decimal(20)));   // less

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/civil_time.h"
#include "base/decimal.h"
#include "base/result.h"

namespace tablecast {

enum class EdmKind : std::uint8_t {
  kNull,  // the null literal; as a static type it fits everywhere
  kBoolean,
  kString,
  kDecimal,
  kByte,
  kSByte,
  kInt16,
  kInt32,
  kInt64,
  kSingle,
  kDouble,
  kDateTimeOffset,
  kDate,
  kTimeOfDay,
  kDuration,
  kGuid,
  kBinary,
  kComplex,
  kCollection,  // of values; as a static type see EdmType::collection
};

// "Edm.Decimal"; "null", "Complex" and "Collection" for the kinds without a name.
std::string_view EdmKindName(EdmKind kind);
// "Edm.Decimal" or "Decimal"; nullopt for anything that is no primitive type offered here.
std::optional<EdmKind> EdmKindFromName(std::string_view name);
// Decimal, Byte, SByte, Int16, Int32, Int64: held as a Decimal.
bool IsExactNumber(EdmKind kind);
bool IsFloating(EdmKind kind);  // Single, Double
bool IsNumeric(EdmKind kind);
bool IsIntegerKind(EdmKind kind);

class EdmValue {
 public:
  using Collection = std::vector<EdmValue>;
  // Members by published name, in the order of the type.
  using Complex = std::vector<std::pair<std::string, EdmValue>>;

  EdmValue() = default;  // null
  static EdmValue Null() { return {}; }
  static EdmValue Boolean(bool value);
  static EdmValue String(std::string text);
  static EdmValue Number(Decimal value,
                         EdmKind kind = EdmKind::kDecimal);  // REQUIRES: IsExactNumber(kind)
  static EdmValue Int(std::int64_t value, EdmKind kind = EdmKind::kInt32);
  static EdmValue Double(double value, EdmKind kind = EdmKind::kDouble);
  static EdmValue DateTimeOffset(Timestamp value);
  static EdmValue OfDate(Date value);
  static EdmValue OfTime(TimeOfDay value);
  static EdmValue OfDuration(Duration value);
  static EdmValue Guid(std::string lower_case_text);
  static EdmValue Binary(std::string bytes);
  static EdmValue OfComplex(Complex members);
  static EdmValue OfCollection(Collection elements);

  EdmKind kind() const { return kind_; }
  bool is_null() const { return kind_ == EdmKind::kNull; }

  // Each REQUIRES the matching kind.
  bool boolean() const { return std::get<bool>(value_); }
  const std::string& text() const { return std::get<std::string>(value_); }   // String, Guid
  const std::string& bytes() const { return std::get<std::string>(value_); }  // Binary
  const Decimal& number() const { return std::get<Decimal>(value_); }         // IsExactNumber
  double floating() const { return std::get<double>(value_); }                // IsFloating
  Timestamp timestamp() const { return std::get<Timestamp>(value_); }
  Date date() const { return std::get<Date>(value_); }
  TimeOfDay time() const { return std::get<TimeOfDay>(value_); }
  Duration duration() const { return std::get<Duration>(value_); }
  const Complex& complex() const { return *std::get<std::shared_ptr<const Complex>>(value_); }
  const Collection& collection() const {
    return *std::get<std::shared_ptr<const Collection>>(value_);
  }

  // Readable and parseable OData literal text: 'it''s', 12.5, 2020-01-01T00:00:00Z, null.
  std::string ToLiteral() const;
  // The bare value: text itself, number in normal form, ISO times, base64url, true/false; "" for
  // null.
  std::string ToText() const;

 private:
  EdmKind kind_ = EdmKind::kNull;
  std::variant<std::monostate, bool, std::string, Decimal, double, Timestamp, Date, TimeOfDay,
               Duration, std::shared_ptr<const Complex>, std::shared_ptr<const Collection>>
      value_;
};

// Order by OData's rules: numbers by value across kinds, text by code point, false before true,
// instants by time, a date against an instant as its midnight in UTC. nullopt when either is null
// or NaN, or the kinds do not compare.
std::optional<std::strong_ordering> CompareEdm(const EdmValue& a, const EdmValue& b);
// `eq`: null equals null; NaN nothing; complex and collections member by member.
bool EqualEdm(const EdmValue& a, const EdmValue& b);
// Total order for $orderby and groups: null first, then NaN, then by value. Equal values tie.
std::strong_ordering OrderEdm(const EdmValue& a, const EdmValue& b);

// Order-preserving, self-delimiting bytes of a scalar (index entries, group keys): byte order of
// two such strings of one field = OrderEdm, reversed when `descending`. Complex values and
// collections order by their literal text.
void AppendOrderedEdm(std::string& out, const EdmValue& value, bool descending = false);

// Compact exact bytes of a scalar for paging tokens, and back.
void AppendEdmToken(std::string& out, const EdmValue& value);
// Reads one value and advances. ERRORS: kInvalidArgument "token-syntax".
Result<EdmValue> ReadEdmToken(std::string_view& bytes);

// `text` read as a value of `kind`: literals in keys, cast() from String, default values.
// ERRORS: kInvalidArgument "literal-type" naming the kind expected and the text.
Result<EdmValue> ParseEdm(EdmKind kind, std::string_view text);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_EDM_VALUE_H_
