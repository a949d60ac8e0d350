#include "item/item.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tablecast {
namespace {

AttributeValue S(std::string text) { return AttributeValue::String(std::move(text)); }
AttributeValue N(std::string_view text) { return AttributeValue::NumberFromText(text).value(); }

TableSchema Schema() {
  return {"tab",
          {{"pk", AttributeType::kS}, KeyColumn{"sk", AttributeType::kN}},
          {{.name = "gsi1",
            .partition = {{"g", AttributeType::kN}},
            .sort = {{"h", AttributeType::kS}}}}};
}

// `containers` maps and lists around one string.
AttributeValue Nested(int containers) {
  AttributeValue value = S("x");
  for (int i = 0; i < containers; ++i) {
    value = i % 2 == 0 ? AttributeValue::ListOf({value}) : AttributeValue::MapOf({{"m", value}});
  }
  return value;
}

TEST(ItemTest, SizesAreThoseDynamoDbCounts) {
  struct Row {
    Item item;
    std::size_t bytes;
  };
  const std::vector<Row> rows = {
      {{}, 0},
      {{{"shirt-color", S("R")}, {"shirt-size", S("M")}}, 23},
      {{{"a", S("\xC3\xA9")}}, 3},
      {{{"a", N("0")}}, 2},
      {{{"a", N("-100")}}, 4},
      {{{"a", N("3.1415926535897932384626433832795028841")}}, 22},
      {{{"a", N("-3.1415926535897932384626433832795028841")}}, 22},
      {{{"a", AttributeValue::Bool(false)}, {"b", AttributeValue::Null()}}, 4},
      {{{"a", AttributeValue::Binary(std::string(3, '\0'))}}, 4},
      {{{"a", AttributeValue::ListOf({S("x"), N("1")})}}, 9},
      {{{"a", AttributeValue::MapOf({{"k", S("v")}})}}, 7},
      {{{"a", AttributeValue::SetOf(AttributeType::kSS, {"x", "yy"}).value()}}, 4},
  };
  for (const Row& row : rows) EXPECT_EQ(ItemSize(row.item), row.bytes);
}

TEST(ItemTest, KeyOfTakesTheKeyColumns) {
  const auto key = KeyOf(Schema(), {{"pk", S("p")}, {"sk", N("1")}, {"a", S("x")}});
  ASSERT_TRUE(key.ok());
  EXPECT_EQ(*key, (ItemKey{S("p"), N("1")}));
  EXPECT_EQ(KeyOf(Schema(), {{"pk", S("p")}}).error().reason, "key-missing");
  EXPECT_EQ(KeyOf(Schema(), {{"pk", S("p")}}).error().target, "sk");
  EXPECT_EQ(KeyOf(Schema(), {{"pk", N("1")}, {"sk", N("1")}}).error().reason, "key-type");
}

TEST(ItemTest, ValidationNamesTheRuleAndThePlace) {
  struct Row {
    const char* name;
    Item attributes;  // beside pk "p" and sk 1, which they may replace
    std::string reason;
    std::string target;
  };
  const std::vector<Row> rows = {
      {"plain", {{"a", S("")}, {"b", AttributeValue::Binary("")}}, "ok", ""},
      {"partition type", {{"pk", N("1")}}, "key-type", "pk"},
      {"sort type", {{"sk", S("1")}}, "key-type", "sk"},
      {"partition empty", {{"pk", S("")}}, "key-empty", "pk"},
      {"partition at limit", {{"pk", S(std::string(2048, 'x'))}}, "ok", ""},
      {"partition too long", {{"pk", S(std::string(2049, 'x'))}}, "key-too-long", "pk"},
      {"empty name", {{"", S("x")}}, "attribute-name", ""},
      {"long name", {{std::string(65535, 'n'), S("x")}}, "ok", ""},
      {"longer name", {{std::string(65536, 'n'), S("x")}}, "attribute-name", std::string(255, 'n')},
      {"name not UTF-8", {{"\xFF", S("x")}}, "attribute-name", ""},
      {"string not UTF-8", {{"a", S("\xC0\x80")}}, "string-encoding", "a"},
      {"nested string not UTF-8",
       {{"a",
         AttributeValue::MapOf({{"l", AttributeValue::ListOf({S("ok"), S("\xED\xA0\x80")})}})}},
       "string-encoding",
       "a.l[1]"},
      {"set element not UTF-8",
       {{"a", AttributeValue::SetOf(AttributeType::kSS, {"\x80"}).value()}},
       "string-encoding",
       "a"},
      {"nested name not UTF-8",
       {{"a", AttributeValue::MapOf({{"\xFE", S("x")}})}},
       "attribute-name",
       "a"},
      {"nesting at limit", {{"a", Nested(32)}}, "ok", ""},
      {"index column missing", {{"g", N("1")}}, "ok", ""},
      {"index column type", {{"g", S("1")}}, "index-key-type", "g"},
      {"index column empty", {{"h", S("")}}, "index-key-empty", "h"},
      {"index column too long", {{"h", S(std::string(1025, 'h'))}}, "index-key-too-long", "h"},
      {"item at limit", {{"a", S(std::string(409600 - 8, 'x'))}}, "ok", ""},
      {"item too large",
       {{"a", S(std::string(409600 - 7, 'x'))}},
       "item-too-large",
       "409601 bytes"},
  };
  for (const Row& row : rows) {
    Item item = row.attributes;
    item.try_emplace("pk", S("p"));
    item.try_emplace("sk", N("1"));
    const Status status = ValidateItem(Schema(), item);
    EXPECT_EQ(status.ok() ? "ok" : status.error().reason, row.reason) << row.name;
    EXPECT_EQ(status.ok() ? "" : status.error().target, row.target) << row.name;
    if (!status.ok()) {
      EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument) << row.name;
    }
  }
}

TEST(ItemTest, NestingBeyondTheLimitIsRefusedInDynamoDbsWords) {
  for (const int containers : {33, 34, 300}) {
    const Status status =
        ValidateItem(Schema(), {{"pk", S("p")}, {"sk", N("1")}, {"a", Nested(containers)}});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().reason, "nesting");
    EXPECT_TRUE(
        status.error().message.starts_with("Nesting Levels have exceeded supported limits"));
  }
}

TEST(ItemTest, IndexTypeMismatchHasDynamoDbsWords) {
  const Status status = ValidateItem(Schema(), {{"pk", S("p")}, {"sk", N("1")}, {"g", S("1")}});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "One or more parameter values were invalid: Type mismatch for Index Key g Expected: N "
            "Actual: S IndexName: gsi1");
}

}  // namespace
}  // namespace tablecast
