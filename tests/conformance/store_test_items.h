#ifndef TABLECAST_TESTS_CONFORMANCE_STORE_TEST_ITEMS_H_
#define TABLECAST_TESTS_CONFORMANCE_STORE_TEST_ITEMS_H_

// Small words for items, schemas and conditions, shared by the tests of all stores.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "item/item.h"
#include "item/key_condition.h"
#include "item/table_schema.h"

// The expression's Result must be ok; the message shows the error.
#define ASSERT_OK(expression)                                                  \
  do {                                                                         \
    const auto& assert_ok_result = (expression);                               \
    ASSERT_TRUE(assert_ok_result.ok()) << assert_ok_result.error().ToString(); \
  } while (false)

#define EXPECT_ERROR(expression, wanted_code, wanted_reason)                           \
  do {                                                                                 \
    const auto& expect_error_result = (expression);                                    \
    ASSERT_FALSE(expect_error_result.ok()) << "succeeded; wanted " << (wanted_reason); \
    EXPECT_EQ(expect_error_result.error().code, (wanted_code))                         \
        << expect_error_result.error().ToString();                                     \
    EXPECT_EQ(expect_error_result.error().reason, (wanted_reason))                     \
        << expect_error_result.error().ToString();                                     \
  } while (false)

namespace tablecast::testing {

inline AttributeValue S(std::string text) { return AttributeValue::String(std::move(text)); }
inline AttributeValue N(const std::string& text) { return *AttributeValue::NumberFromText(text); }

// Key columns pk and sk, both S.
inline TableSchema PairTable(std::string name) {
  TableSchema schema;
  schema.name = std::move(name);
  schema.key.partition = {"pk", AttributeType::kS};
  schema.key.sort = KeyColumn{"sk", AttributeType::kS};
  return schema;
}

inline Item Pair(const std::string& partition, const std::string& sort, Item rest = {}) {
  rest.emplace("pk", S(partition));
  rest.emplace("sk", S(sort));
  return rest;
}

inline SecondaryIndex IndexOn(std::string name, KeyColumn partition, std::optional<KeyColumn> sort,
                              ProjectionType projection = ProjectionType::kAll,
                              std::vector<std::string> non_key_attributes = {}) {
  SecondaryIndex index;
  index.name = std::move(name);
  index.partition = {std::move(partition)};
  if (sort) index.sort = {*std::move(sort)};
  index.projection = projection;
  index.non_key_attributes = std::move(non_key_attributes);
  return index;
}

inline Item OneOfEveryType() {
  return {
      {"S", S(std::string("a\0b", 3))},
      {"empty", S("")},
      {"N", N("-12345678901234567890123456789012345678")},
      {"B", AttributeValue::Binary(std::string("\xFF\0", 2))},
      {"BOOL", AttributeValue::Bool(true)},
      {"NULL", AttributeValue::Null()},
      {"M", AttributeValue::MapOf({{"inner", AttributeValue::ListOf({N("1"), S("two")})}})},
      {"L", AttributeValue::ListOf({})},
      {"SS", *AttributeValue::SetOf(AttributeType::kSS, {"x", ""})},
      {"NS",
       *AttributeValue::SetOf(AttributeType::kNS, {N("2").number_code(), N("-1").number_code()})},
      {"BS", *AttributeValue::SetOf(AttributeType::kBS, {"b"})},
  };
}

inline ColumnCondition Equal(AttributeValue value) {
  return {.equals = {std::move(value)}, .range = std::nullopt, .never = false};
}
inline ColumnCondition AnyOf(std::vector<AttributeValue> values) {
  return {.equals = std::move(values), .range = std::nullopt, .never = false};
}
inline ColumnCondition Prefix(std::string prefix) {
  ScalarRange range;
  range.prefix = std::move(prefix);
  return {.equals = {}, .range = std::move(range), .never = false};
}
inline ColumnCondition Between(std::optional<AttributeValue> lower, bool lower_inclusive,
                               std::optional<AttributeValue> upper, bool upper_inclusive = true) {
  ScalarRange range;
  if (lower) range.lower = ScalarRange::Bound{*std::move(lower), lower_inclusive};
  if (upper) range.upper = ScalarRange::Bound{*std::move(upper), upper_inclusive};
  return {.equals = {}, .range = std::move(range), .never = false};
}

inline std::string ScalarText(const AttributeView& value) {
  return value.Is(AttributeType::kN) ? NumberText(value.payload()) : std::string(value.payload());
}
// "partition/sort", or "partition" for a table without a sort key.
inline std::string KeyText(const ItemView& item) {
  std::string text = ScalarText(item.partition());
  if (item.sort().present()) text += "/" + ScalarText(item.sort());
  return text;
}

}  // namespace tablecast::testing

#endif  // TABLECAST_TESTS_CONFORMANCE_STORE_TEST_ITEMS_H_
