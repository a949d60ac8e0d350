#include "item/item_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tablecast {
namespace {

AttributeValue S(std::string text) { return AttributeValue::String(std::move(text)); }
AttributeValue N(std::string_view text) { return AttributeValue::NumberFromText(text).value(); }
JsonValue Json(std::string_view text) { return ParseJson(text).value(); }

std::string Typed(const Item& item) {
  std::string out;
  JsonWriter json(out);
  WriteDynamoDbJson(json, item);
  return out;
}
std::string Plain(const Item& item) {
  std::string out;
  JsonWriter json(out);
  WritePlainJson(json, item);
  return out;
}

TEST(ItemJsonTest, EveryTypeReadsAndWrites) {
  const std::string text =
      R"({"b":{"B":"AAEC"},"bs":{"BS":["","AA=="]},"l":{"L":[{"S":"x"},{"L":[]}]},)"
      R"("m":{"M":{"k":{"N":"-1.5"},"z":{"M":{}}}},"n":{"N":"1000"},"no":{"BOOL":false},)"
      R"("ns":{"NS":["-1","0","10"]},"nul":{"NULL":true},"s":{"S":"a\u0000\"é"},)"
      R"("ss":{"SS":["","b"]},"yes":{"BOOL":true}})";
  const auto item = ItemFromDynamoDbJson(Json(text));
  ASSERT_TRUE(item.ok()) << item.error().ToString();
  EXPECT_EQ(item->size(), 11U);
  EXPECT_EQ(item->at("s").text(), std::string("a\0\"\xC3\xA9", 5));
  EXPECT_EQ(item->at("b").bytes(), std::string("\0\1\2", 3));
  EXPECT_EQ(Typed(*item), text);
  EXPECT_EQ(
      Plain(*item),
      R"({"b":"AAEC","bs":["","AA=="],"l":["x",[]],"m":{"k":-1.5,"z":{}},"n":1000,"no":false,)"
      R"("ns":[-1,0,10],"nul":null,"s":"a\u0000\"é","ss":["","b"],"yes":true})");
}

TEST(ItemJsonTest, NumbersComeOutInNormalForm) {
  const auto item = ItemFromDynamoDbJson(
      Json(R"({"a":{"N":"+0012.500e1"},"b":{"NS":["1e3","0.5"]},"c":{"N":"1e-130"}})"));
  ASSERT_TRUE(item.ok());
  EXPECT_EQ(Typed(*item), R"({"a":{"N":"125"},"b":{"NS":["0.5","1000"]},"c":{"N":"0.)" +
                              std::string(129, '0') + R"(1"}})");
}

TEST(ItemJsonTest, EachFaultHasReasonPathAndPosition) {
  struct Row {
    std::string text;
    std::string reason;
    std::string target;
    std::size_t offset;
  };
  const std::vector<Row> rows = {
      {R"([])", "item-not-object", "", 0},
      {R"("x")", "item-not-object", "", 0},
      {R"({"a":1})", "value-type", "a", 5},
      {R"({"a":{}})", "value-type", "a", 5},
      {R"({"a":{"S":"x","N":"1"}})", "value-type", "a", 5},
      {R"({"a":{"S":"x","S":"y"}})", "value-type", "a", 5},
      {R"({"a":{"s":"x"}})", "value-type", "a", 5},
      {R"({"a":{"S":1}})", "value-payload", "a.S", 10},
      {R"({"a":{"S":null}})", "value-payload", "a.S", 10},
      {R"({"a":{"N":12}})", "value-payload", "a.N", 10},
      {R"({"a":{"N":"x"}})", "number-syntax", "a.N", 10},
      {R"({"a":{"N":"1e126"}})", "number-overflow", "a.N", 10},
      {R"({"a":{"B":"AAE"}})", "base64-syntax", "a.B", 10},
      {R"({"a":{"B":5}})", "value-payload", "a.B", 10},
      {R"({"a":{"BOOL":"true"}})", "value-payload", "a.BOOL", 13},
      {R"({"a":{"NULL":false}})", "null-value", "a.NULL", 13},
      {R"({"a":{"NULL":null}})", "value-payload", "a.NULL", 13},
      {R"({"a":{"M":[]}})", "value-payload", "a.M", 10},
      {R"({"a":{"L":{}}})", "value-payload", "a.L", 10},
      {R"({"a":{"SS":"x"}})", "value-payload", "a.SS", 11},
      {R"({"a":{"SS":[]}})", "set-empty", "a.SS", 11},
      {R"({"a":{"SS":["x","x"]}})", "set-duplicate", "a.SS", 11},
      {R"({"a":{"NS":["1","1.0"]}})", "set-duplicate", "a.NS", 11},
      {R"({"tags":{"SS":["x","y",3]}})", "value-payload", "tags.SS[2]", 23},
      {R"({"a":{"NS":["1","z"]}})", "number-syntax", "a.NS[1]", 16},
      {R"({"a":{"BS":["*"]}})", "base64-syntax", "a.BS[0]", 12},
      {R"({"a":{"M":{"k":{"L":[{"S":"x"},{"Q":"x"}]}}}})", "value-type", "a.M.k.L[1]", 31},
      {R"({"a":{"M":{"k":true}}})", "value-type", "a.M.k", 15},
  };
  for (const Row& row : rows) {
    const auto item = ItemFromDynamoDbJson(Json(row.text));
    ASSERT_FALSE(item.ok()) << row.text;
    EXPECT_EQ(item.error().code, ErrorCode::kInvalidArgument) << row.text;
    EXPECT_EQ(item.error().reason, row.reason) << row.text;
    EXPECT_EQ(item.error().target, row.target) << row.text;
    EXPECT_EQ(item.error().position.offset, row.offset) << row.text;
  }
  EXPECT_EQ(ItemFromDynamoDbJson(Json(R"({"a":{"N":12}})")).error().message,
            "NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(ItemFromDynamoDbJson(Json(R"({"a":{"NULL":false}})")).error().message,
            "One or more parameter values were invalid: Null attribute value types must have the "
            "value of "
            "true");
}

TEST(ItemJsonTest, TheLastOfTwoEqualNamesCounts) {
  std::vector<Issue> warnings;
  const auto item = ItemFromDynamoDbJson(
      Json(R"({"a":{"S":"1"},"a":{"S":"2"},"m":{"M":{"k":{"S":"x"},"k":{"S":"y"}}}})"), {},
      &warnings);
  ASSERT_TRUE(item.ok());
  EXPECT_EQ(item->at("a"), S("2"));
  EXPECT_EQ(item->at("m").map().at("k"), S("y"));
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0].code, "duplicate-name");
  EXPECT_EQ(warnings[0].target, "a");
  EXPECT_EQ(warnings[1].target, "m.M.k");
}

TEST(ItemJsonTest, TolerantReadingTakesUntypedValuesInsideCollections) {
  struct Row {
    std::string text;
    std::string want;  // typed JSON, or the reason of the error
    std::size_t warnings;
  };
  const std::vector<Row> rows = {
      {R"({"a":{"M":{"on":true,"n":1.50,"s":"x","z":null}}})",
       R"({"a":{"M":{"n":{"N":"1.5"},"on":{"BOOL":true},"s":{"S":"x"},"z":{"NULL":true}}}})", 4},
      {R"({"a":{"L":["x",[1,{"S":"typed"}],{"k":2}]}})",
       R"({"a":{"L":[{"S":"x"},{"L":[{"N":"1"},{"S":"typed"}]},{"M":{"k":{"N":"2"}}}]}})", 5},
      // A wrapper too many: the inner object is no type tag, its members are typed.
      {R"({"a":{"M":{"M":{"HP":{"N":"50"}}}}})", R"({"a":{"M":{"M":{"M":{"HP":{"N":"50"}}}}}})", 1},
      {R"({"a":{"M":{"k":{"S":"typed"}}}})", R"({"a":{"M":{"k":{"S":"typed"}}}})", 0},
      {R"({"a":{"M":{"k":{"N":5}}}})", "value-payload", 0},  // tagged, so judged strictly
      {R"({"a":{"L":[1e200]}})", "number-overflow", 1},
      {R"({"a":true})", "value-type", 0},  // never at top level
  };
  for (const Row& row : rows) {
    std::vector<Issue> warnings;
    const auto item = ItemFromDynamoDbJson(Json(row.text), {.tolerant = true}, &warnings);
    EXPECT_EQ(item.ok() ? Typed(*item) : item.error().reason, row.want) << row.text;
    EXPECT_EQ(warnings.size(), row.warnings) << row.text;
    for (const Issue& warning : warnings) {
      EXPECT_EQ(warning.severity, Severity::kWarning);
      EXPECT_EQ(warning.code, "plain-json-value");
      EXPECT_TRUE(warning.target.starts_with("a.")) << warning.target;
    }
  }
}

TEST(ItemJsonTest, PlainJsonMapsToTypesAndKeepsNumberText) {
  const auto item = ItemFromPlainJson(
      Json(R"({"pk":"USER#1","n":12345678901234567890123456789012345678,"d":0.10,"t":["a",1],)"
           R"("o":{"S":"x"},"y":true,"z":null})"));
  ASSERT_TRUE(item.ok()) << item.error().ToString();
  EXPECT_EQ(item->at("n").NumberAsText(), "12345678901234567890123456789012345678");
  EXPECT_EQ(item->at("d"), N("0.1"));
  EXPECT_EQ(item->at("t"), AttributeValue::ListOf({S("a"), N("1")}));
  EXPECT_EQ(item->at("o"), AttributeValue::MapOf({{"S", S("x")}}));
  EXPECT_EQ(item->at("y"), AttributeValue::Bool(true));
  EXPECT_EQ(item->at("z"), AttributeValue::Null());

  EXPECT_EQ(ItemFromPlainJson(Json("[]")).error().reason, "item-not-object");
  const auto large = ItemFromPlainJson(Json(R"({"a":[0,{"b":1e200}]})"));
  EXPECT_EQ(large.error().reason, "number-overflow");
  EXPECT_EQ(large.error().target, "a[1].b");
}

TEST(ItemJsonTest, SingleValues) {
  EXPECT_EQ(ValueFromDynamoDbJson(Json(R"({"S":"x"})")), S("x"));
  EXPECT_EQ(ValueFromDynamoDbJson(Json(R"("x")"), {.tolerant = true}).error().reason, "value-type");
  EXPECT_EQ(ValueFromPlainJson(Json("3")), N("3"));
}

TEST(ItemJsonTest, DepthHasABudget) {
  std::string plain;
  std::string typed;
  for (int i = 0; i < 450; ++i) {
    plain += "[";
    typed += R"({"L":[)";
  }
  plain += "1";
  typed += R"({"N":"1"})";
  for (int i = 0; i < 450; ++i) {
    plain += "]";
    typed += "]}";
  }
  const JsonOptions deep{.max_depth = 1000};
  EXPECT_EQ(ValueFromPlainJson(ParseJson(plain, deep).value()).error().reason, "nesting");
  EXPECT_EQ(ValueFromDynamoDbJson(ParseJson(typed, deep).value()).error().reason, "nesting");
}

// The vectors' items, read from JSON and measured.
TEST(ItemJsonTest, SizesFollowTheVectors) {
  std::ifstream in(std::string(TABLECAST_SOURCE_DIR) + "/tests/item/vectors/item_size.json");
  std::stringstream text;
  text << in.rdbuf();
  const JsonValue rows = Json(text.str());
  ASSERT_GE(rows.elements.size(), 18U);
  for (const JsonValue& row : rows.elements) {
    const auto item = ItemFromDynamoDbJson(*row.Find("item"));
    ASSERT_TRUE(item.ok()) << item.error().ToString();
    EXPECT_EQ(std::to_string(ItemSize(*item)), row.Find("bytes")->text) << Typed(*item);
  }
}

}  // namespace
}  // namespace tablecast
