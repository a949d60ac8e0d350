#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "item/item_codec.h"
#include "tests/qualifiers/qualifier_fixture.h"

namespace tablecast {
namespace {

using ::testing::HasSubstr;

Item Keyed(Item item) {
  item.emplace("pk", S("1"));
  item.emplace("sk", S("x"));
  return item;
}

// qualifiers.md section 2, one row of the table after the other.
TEST(QualifierRowTest, MembershipTable) {
  const AttributeValue null;
  struct Row {
    std::string_view column;  // options of column "a"
    std::optional<AttributeValue> value;
    bool belongs;
  };
  const std::vector<Row> rows = {
      {R"j({})j", std::nullopt, true},
      {R"j({})j", null, true},
      {R"j({"type": "S"})j", S("x"), true},
      {R"j({"type": "S"})j", N("1"), false},
      {R"j({"type": "S"})j", std::nullopt, false},  // default presence: exists
      {R"j({"type": "S"})j", null, false},
      {R"j({"type": "NULL"})j", null, true},
      {R"j({"presence": "exists"})j", null, true},
      {R"j({"presence": "exists"})j", std::nullopt, false},
      {R"j({"presence": "not exists"})j", std::nullopt, true},
      {R"j({"presence": "not exists"})j", null, false},
      {R"j({"presence": "null"})j", null, true},
      {R"j({"presence": "null"})j", std::nullopt, false},
      {R"j({"presence": "null"})j", S(""), false},
      {R"j({"presence": "not null"})j", S(""), true},
      {R"j({"presence": "not null"})j", null, false},
      {R"j({"presence": "not null"})j", std::nullopt, false},
      {R"j({"presence": "any", "type": "S", "filter": "a%"})j", std::nullopt, true},
      {R"j({"presence": "any", "type": "S", "filter": "a%"})j", null, true},
      {R"j({"presence": "any", "type": "S", "filter": "a%"})j", S("ab"), true},
      {R"j({"presence": "any", "type": "S", "filter": "a%"})j", S("b"), false},
      {R"j({"presence": "any", "type": "S", "filter": "a%"})j", N("1"), false},
      {R"j({"filter": "1%"})j", N("12"), true},
      {R"j({"filter": "1%"})j", S("12"), true},
      {R"j({"filter": "1%"})j", AttributeValue::Bool(true), false},
      {R"j({"filter": "1%"})j", std::nullopt, false},
      {R"j({"postFilter": "[0-9]+"})j", S("12"), true},
      {R"j({"postFilter": "[0-9]+"})j", S("12x"), false},
      {R"j({"postFilter": "[0-9]+"})j", N("1e3"), true},
      {R"j({"postFilter": "[0-9]+"})j", N("1.5"), false},
      {R"j({"values": [{"definition": "\"A\""}, {"definition": "\"B\""}]})j", S("B"), true},
      {R"j({"values": [{"definition": "\"A\""}, {"definition": "\"B\""}]})j", S("C"), false},
      {R"j({"values": [{"definition": "1"}]})j", N("1.0"), true},
      {R"j({"values": [{"definition": "1"}]})j", S("1"), false},
      {R"j({"values": [{"definition": "TRUE"}]})j", AttributeValue::Bool(true), true},
      {R"j({"values": [{"definition": "TRUE"}]})j", AttributeValue::Bool(false), false},
      {R"j({"presence": "any", "values": [{"definition": "\"A\""}]})j", std::nullopt, true},
  };
  for (const Row& row : rows) {
    OwnedRow owned(MustCompile("{\"columns\": {\"a\": " + std::string(row.column) + "}}"));
    Item item;
    if (row.value) item["a"] = *row.value;
    EXPECT_EQ(owned.Belongs(Keyed(item)), row.belongs) << row.column;
    // Explain says the same: an item belongs when every condition holds.
    bool all = true;
    for (const ConditionVerdict& verdict : owned.At(Keyed(item)).Explain())
      all = all && verdict.holds;
    EXPECT_EQ(all, row.belongs) << row.column;
  }
}

TEST(QualifierRowTest, VirtualColumnsTakeTheFirstCandidateWithAValue) {
  OwnedRow row(MustCompile(R"j({"columns": {"code": {"type": "S"}, "v": {"virtual": true,
      "values": [{"definition": "TEXT(VALUE(code))"}, {"definition": "IF(code = \"-\", NULL, \"?\" & code)"}]}}})j"));
  EXPECT_EQ(row.At(Keyed({{"code", S("1.50")}})).Virtual(0).ToString(), "\"1.5\"");
  EXPECT_EQ(row.At(Keyed({{"code", S("x")}})).Virtual(0).ToString(), "\"?x\"");
  EXPECT_EQ(row.At(Keyed({{"code", S("x")}})).VirtualError(0), nullptr);
  QualifierRow& blank = row.At(Keyed({{"code", S("-")}}));
  EXPECT_TRUE(blank.Virtual(0).IsBlank());
  ASSERT_NE(blank.VirtualError(0), nullptr);
  EXPECT_TRUE(blank.Belongs()) << "a failing formula is a null field, never a lost row";
}

TEST(QualifierRowTest, VirtualColumnsMayBuildOnEachOther) {
  OwnedRow row(MustCompile(R"j({"columns": {
      "big": {"virtual": true, "values": [{"definition": "code & \"!\""}]},
      "code": {"virtual": true, "values": [{"definition": "RIGHT(sk, LEN(sk) - 2)"}]}}})j"));
  EXPECT_EQ(row.At({{"pk", S("1")}, {"sk", S("p#7")}}).Virtual(0).ToString(), "\"7!\"");
}

TEST(QualifierRowTest, ConditionsOnVirtualColumnsTestTheComputedValue) {
  OwnedRow row(MustCompile(
      R"j({"columns": {"v": {"virtual": true, "presence": "not null", "postFilter": "^[0-9]+$",
      "values": [{"definition": "RIGHT(sk, LEN(sk) - 2)"}]}}})j"));
  EXPECT_TRUE(row.Belongs({{"pk", S("1")}, {"sk", S("p#7")}}));
  EXPECT_FALSE(row.Belongs({{"pk", S("1")}, {"sk", S("p#x")}}));
  EXPECT_FALSE(row.Belongs({{"pk", S("1")}, {"sk", S("p#")}}));
}

TEST(QualifierRowTest, UndeclaredColumnsReadAsTextShowNumbersAsText) {
  OwnedRow row(MustCompile(
      R"j({"columns": {"zip": {}, "v": {"virtual": true, "values": [{"definition": "\"Z\" & zip"}]}}})j"));
  EXPECT_EQ(row.At(Keyed({{"zip", N("8000")}})).Virtual(0).ToString(), "\"Z8000\"");
  EXPECT_EQ(row.At(Keyed({{"zip", S("8000")}})).Virtual(0).ToString(), "\"Z8000\"");
}

TEST(QualifierRowTest, BorrowedItemsReadLikeOwnedOnes) {
  const TableSchema schema = PkSkTable();
  AttributeNames names;
  const Item item = {{"pk", S("1012")}, {"sk", S("products#7")}, {"name", S("Pen")}};
  const std::string record = *EncodeRecord(schema, item, names);
  const std::string key = *EncodeKey(schema, *KeyOf(schema, item));
  const ItemView view(schema, names, key, record);
  const auto qualifier = MustCompile(kOrderItems);
  QualifierRow row(*qualifier, schema, names, Timestamp{});
  row.Reset(view);
  EXPECT_TRUE(row.Belongs());
  EXPECT_TRUE(row.PassesResidual());
  EXPECT_EQ(row.Virtual(0).ToString(), "\"7\"");
  EXPECT_EQ(row.Attribute("name").payload(), "Pen");
  EXPECT_FALSE(row.Attribute("nothing").present());
}

TEST(QualifierRowTest, ExplainListsEveryConditionInFileOrder) {
  OwnedRow row(MustCompile(kOrderItems));
  const auto verdicts = row.At({{"pk", S("ABC")}, {"sk", S("ORDER")}}).Explain();
  ASSERT_EQ(verdicts.size(), 5U);
  EXPECT_EQ(verdicts[0].condition, "presence exists (default)");
  EXPECT_EQ(verdicts[1].condition, "type S");
  EXPECT_TRUE(verdicts[1].holds);
  EXPECT_EQ(verdicts[2].condition, "postFilter \"^[0-9]+$\"");
  EXPECT_EQ(verdicts[2].seen, "\"ABC\"");
  EXPECT_FALSE(verdicts[2].holds);
  EXPECT_EQ(verdicts[4].column, "sk");
  EXPECT_EQ(verdicts[4].condition, "filter LIKE \"products#%\"");
  EXPECT_FALSE(verdicts[4].holds);
}

}  // namespace
}  // namespace tablecast
