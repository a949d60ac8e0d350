#ifndef TABLECAST_ITEM_ATTRIBUTE_VALUE_H_
#define TABLECAST_ITEM_ATTRIBUTE_VALUE_H_

// One attribute value of DynamoDB's data model: AttributeValue owns, AttributeView borrows encoded
// bytes. Ten types. Numbers are number codes (item/number.h), never floating point.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/decimal.h"
#include "base/lifetime.h"
#include "base/result.h"
#include "item/number.h"

namespace tablecast {

// On disk, never renumber.
enum class AttributeType : std::uint8_t {
  kS = 1, kN = 2, kB = 3, kBool = 4, kNull = 5, kM = 6, kL = 7, kSS = 8, kNS = 9, kBS = 10,
};

// "S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS".
std::string_view AttributeTypeName(AttributeType type);
std::optional<AttributeType> AttributeTypeFromName(std::string_view name);

// An encoded value: the type and its payload bytes (docs/format.md):
//   S UTF-8; N number code; B bytes; BOOL one byte 0/1; NULL nothing;
//   M, L, SS, NS, BS: the nested form, read through the iterators of item_codec.h.
// A default view (type absent) stands for "no such attribute".
// BORROWS: bytes of a record, a key or an AttributeValue; see the source's rule.
class AttributeView {
 public:
  constexpr AttributeView() = default;
  constexpr AttributeView(AttributeType type, std::string_view payload)
      : payload_(payload), type_(static_cast<std::uint8_t>(type)) {}

  constexpr bool present() const { return type_ != 0; }
  constexpr AttributeType type() const { return static_cast<AttributeType>(type_); }  // REQUIRES: present
  constexpr bool Is(AttributeType type) const { return type_ == static_cast<std::uint8_t>(type); }
  constexpr std::string_view payload() const { return payload_; }
  bool AsBool() const { return !payload_.empty() && payload_[0] != 0; }  // REQUIRES: kBool

 private:
  std::string_view payload_;
  std::uint8_t type_ = 0;
};

class AttributeValue {
 public:
  using Map = std::map<std::string, AttributeValue, std::less<>>;  // byte order of names
  using List = std::vector<AttributeValue>;
  // SS, BS: elements; NS: number codes. Sorted in byte order (= value order), no duplicates.
  using Set = std::vector<std::string>;

  AttributeValue() = default;  // NULL

  static AttributeValue String(std::string text);
  static Result<AttributeValue> NumberFromText(std::string_view text);
  static Result<AttributeValue> Number(const Decimal& value);
  static AttributeValue NumberFromCode(std::string code);
  static AttributeValue Binary(std::string bytes);
  static AttributeValue Bool(bool value);
  static AttributeValue Null();
  static AttributeValue MapOf(Map map);
  static AttributeValue ListOf(List list);
  // ERRORS: kInvalidArgument "set-empty", "set-duplicate". `type` is kSS, kNS (codes) or kBS.
  static Result<AttributeValue> SetOf(AttributeType type, Set elements);

  AttributeType type() const { return type_; }
  bool Is(AttributeType type) const { return type_ == type; }

  // Each REQUIRES the matching type.
  const std::string& text() const;         // S
  const std::string& number_code() const;  // N
  const std::string& bytes() const;        // B
  bool boolean() const;                    // BOOL
  const Map& map() const;
  Map& map();
  const List& list() const;
  List& list();
  const Set& set() const;

  std::string NumberAsText() const;  // N, normal form
  Decimal NumberAsDecimal() const;   // N

  // Same type and deep-equal value; sets regardless of order; numbers by value.
  friend bool operator==(const AttributeValue&, const AttributeValue&) = default;

 private:
  AttributeType type_ = AttributeType::kNull;
  std::variant<std::monostate, std::string, bool, Map, List, Set> value_;
};

// Order of two values of the same type S, N or B (bytes); nullopt for any other pair
// (spec store-and-formats.md section 1.4).
std::optional<std::strong_ordering> CompareScalars(const AttributeView& a, const AttributeView& b);

}  // namespace tablecast

#endif  // TABLECAST_ITEM_ATTRIBUTE_VALUE_H_
