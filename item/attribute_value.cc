#include "item/attribute_value.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tablecast {
namespace {

struct NamedType {
  AttributeType type;
  std::string_view name;
};
constexpr std::array<NamedType, 10> kTypes{{
    {AttributeType::kS, "S"},
    {AttributeType::kN, "N"},
    {AttributeType::kB, "B"},
    {AttributeType::kBool, "BOOL"},
    {AttributeType::kNull, "NULL"},
    {AttributeType::kM, "M"},
    {AttributeType::kL, "L"},
    {AttributeType::kSS, "SS"},
    {AttributeType::kNS, "NS"},
    {AttributeType::kBS, "BS"},
}};

}  // namespace

std::string_view AttributeTypeName(AttributeType type) {
  const auto index = static_cast<std::size_t>(type) - 1;  // kTypes is in order of the numbers
  return index < kTypes.size() ? kTypes[index].name : std::string_view();
}

std::optional<AttributeType> AttributeTypeFromName(std::string_view name) {
  for (const NamedType& known : kTypes) {
    if (known.name == name) return known.type;
  }
  return std::nullopt;
}

AttributeValue AttributeValue::String(std::string text) {
  AttributeValue value;
  value.type_ = AttributeType::kS;
  value.value_.emplace<std::string>(std::move(text));
  return value;
}

Result<AttributeValue> AttributeValue::NumberFromText(std::string_view text) {
  TABLECAST_ASSIGN_OR_RETURN(std::string code, EncodeNumberText(text));
  return NumberFromCode(std::move(code));
}

Result<AttributeValue> AttributeValue::Number(const Decimal& value) {
  TABLECAST_ASSIGN_OR_RETURN(std::string code, EncodeNumber(value));
  return NumberFromCode(std::move(code));
}

AttributeValue AttributeValue::NumberFromCode(std::string code) {
  AttributeValue value;
  value.type_ = AttributeType::kN;
  value.value_.emplace<std::string>(std::move(code));
  return value;
}

AttributeValue AttributeValue::Binary(std::string bytes) {
  AttributeValue value;
  value.type_ = AttributeType::kB;
  value.value_.emplace<std::string>(std::move(bytes));
  return value;
}

AttributeValue AttributeValue::Bool(bool boolean) {
  AttributeValue value;
  value.type_ = AttributeType::kBool;
  value.value_.emplace<bool>(boolean);
  return value;
}

AttributeValue AttributeValue::Null() { return {}; }

AttributeValue AttributeValue::MapOf(Map map) {
  AttributeValue value;
  value.type_ = AttributeType::kM;
  value.value_.emplace<Map>(std::move(map));
  return value;
}

AttributeValue AttributeValue::ListOf(List list) {
  AttributeValue value;
  value.type_ = AttributeType::kL;
  value.value_.emplace<List>(std::move(list));
  return value;
}

Result<AttributeValue> AttributeValue::SetOf(AttributeType type, Set elements) {
  TABLECAST_CHECK(type == AttributeType::kSS || type == AttributeType::kNS ||
                  type == AttributeType::kBS);
  if (elements.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "set-empty",
                     "One or more parameter values were invalid: An " +
                         std::string(AttributeTypeName(type)) + " may not be empty");
  }
  std::sort(elements.begin(), elements.end());
  if (std::adjacent_find(elements.begin(), elements.end()) != elements.end()) {
    return MakeError(
        ErrorCode::kInvalidArgument, "set-duplicate",
        "One or more parameter values were invalid: Input collection contains duplicates");
  }
  AttributeValue value;
  value.type_ = type;
  value.value_.emplace<Set>(std::move(elements));
  return value;
}

const std::string& AttributeValue::text() const {
  TABLECAST_CHECK(type_ == AttributeType::kS);
  return *std::get_if<std::string>(&value_);
}

const std::string& AttributeValue::number_code() const {
  TABLECAST_CHECK(type_ == AttributeType::kN);
  return *std::get_if<std::string>(&value_);
}

const std::string& AttributeValue::bytes() const {
  TABLECAST_CHECK(type_ == AttributeType::kB);
  return *std::get_if<std::string>(&value_);
}

bool AttributeValue::boolean() const {
  TABLECAST_CHECK(type_ == AttributeType::kBool);
  return *std::get_if<bool>(&value_);
}

const AttributeValue::Map& AttributeValue::map() const {
  TABLECAST_CHECK(type_ == AttributeType::kM);
  return *std::get_if<Map>(&value_);
}

AttributeValue::Map& AttributeValue::map() {
  TABLECAST_CHECK(type_ == AttributeType::kM);
  return *std::get_if<Map>(&value_);
}

const AttributeValue::List& AttributeValue::list() const {
  TABLECAST_CHECK(type_ == AttributeType::kL);
  return *std::get_if<List>(&value_);
}

AttributeValue::List& AttributeValue::list() {
  TABLECAST_CHECK(type_ == AttributeType::kL);
  return *std::get_if<List>(&value_);
}

const AttributeValue::Set& AttributeValue::set() const {
  TABLECAST_CHECK(std::holds_alternative<Set>(value_));
  return *std::get_if<Set>(&value_);
}

std::string AttributeValue::NumberAsText() const { return NumberText(number_code()); }

Decimal AttributeValue::NumberAsDecimal() const {
  // Codes come from EncodeNumber or from bytes that DecodeValue checked.
  return DecodeNumber(number_code()).value_or(Decimal());
}

std::optional<std::strong_ordering> CompareScalars(const AttributeView& a, const AttributeView& b) {
  if (!a.present() || !b.present() || a.type() != b.type()) return std::nullopt;
  switch (a.type()) {
    case AttributeType::kS:
    case AttributeType::kN:
    case AttributeType::kB:
      // char_traits<char> compares as unsigned bytes.
      return a.payload().compare(b.payload()) <=> 0;
    default: return std::nullopt;
  }
}

}  // namespace tablecast
