// Learning which words of key values are fixed: designs of real single tables.

#include "connector/key_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tablecast {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAreArray;

struct Value {
  const char* text;
  int kind;  // items of one kind carry the same attributes
};

std::vector<std::string> Shapes(const std::vector<Value>& values) {
  std::vector<std::set<std::uint32_t>> attributes;
  for (int kind = 0; kind < 8; ++kind) {
    const auto base = static_cast<std::uint32_t>(kind * 10);
    attributes.push_back({base, base + 1, base + 2});
  }
  std::vector<KeySample> samples;
  for (const Value& value : values)
    samples.push_back({value.text, &attributes[static_cast<std::size_t>(value.kind)]});
  std::vector<std::string> out;
  for (const KeyShape& shape : LearnKeyShapes(samples).shapes) out.push_back(shape.Text());
  return out;
}

TEST(KeyShapesTest, Designs) {
  const struct {
    const char* what;
    std::vector<Value> values;
    std::vector<std::string> want;
  } kRows[] = {
      {"prefixes",
       {{"USER#1", 0}, {"USER#2", 0}, {"ORDER#7", 1}, {"ORDER#8", 1}},
       {"USER#{}", "ORDER#{}"}},
      {"names behind a prefix",
       {{"USER#alice", 0}, {"USER#alice", 1}, {"USER#bob", 0}, {"USER#bob", 1}},
       {"USER#{}"}},
      {"metadata in front and behind",
       {{"#METADATA#acme", 0}, {"#METADATA#umbrella", 0}, {"USER#ann", 1}, {"USER#bob", 1}},
       {"#METADATA#{}", "USER#{}"}},
      {"constants",
       {{"ORDER", 0}, {"ORDER", 0}, {"PRODUCT", 1}, {"products#1", 2}, {"products#2", 2}},
       {"ORDER", "PRODUCT", "products#{}"}},
      {"lower case",
       {{"user_1", 0}, {"user_2", 0}, {"order_1", 1}, {"order_2", 1}},
       {"user_{}", "order_{}"}},
      {"a level below",
       {{"ORDER#1", 0}, {"ORDER#2", 0}, {"ORDER#1#ITEM#1", 1}, {"ORDER#1#ITEM#2", 1}},
       {"ORDER#{}", "ORDER#{}#ITEM#{}"}},
      {"dates", {{"2024-05-01", 0}, {"2024-05-02", 0}, {"2024-05-03", 0}}, {"{}"}},
      {"instants behind a prefix",
       {{"READING#2024-05-01T10:00:00Z", 0}, {"READING#2024-05-01T10:05:00Z", 0}},
       {"READING#{}"}},
      {"UUIDs",
       {{"3f2b9c1e-0000-4000-8000-000000000001", 0}, {"deadbeef-0000-4000-8000-000000000002", 0}},
       {"{}"}},
      {"ULIDs behind a prefix",
       {{"MSG#01ARZ3NDEKTSV4RRFFQ69G5FAV", 0}, {"MSG#01BX5ZZKBKACTAV9WEVGEMMVRZ", 0}},
       {"MSG#{}"}},
      {"country codes are values",
       {{"COUNTRY#USA", 0}, {"COUNTRY#DEU", 0}, {"COUNTRY#FRA", 0}},
       {"COUNTRY#{}"}},
      {"user names are values",
       {{"ann", 0}, {"bob", 0}, {"cem", 0}, {"ann", 0}, {"bob", 0}},
       {"{}"}},
      {"tickers are values", {{"AAPL", 0}, {"MSFT", 0}, {"SAP", 0}}, {"{}"}},
      {"tenants",
       {{"TENANT#acme#USER#1", 0},
        {"TENANT#acme#USER#2", 0},
        {"TENANT#zed#INVOICE#1", 1},
        {"TENANT#zed#INVOICE#2", 1}},
       {"TENANT#{}#USER#{}", "TENANT#{}#INVOICE#{}"}},
      {"paths stay whole", {{"FILE#a/b/c", 0}, {"FILE#a/d", 0}, {"FILE#e", 0}}, {"FILE#{}"}},
      {"two variables are one", {{"REPO#org1#name1", 0}, {"REPO#org2#name2", 0}}, {"REPO#{}"}},
      {"mail addresses",
       {{"ann.lee@example.com", 0}, {"bob.ray@example.com", 0}, {"cem.oz@example.com", 0}},
       {"{}"}},
      {"numbers as text", {{"1012", 0}, {"1013", 0}, {"DRAFT-1", 0}}, {"{}"}},
      {"version first", {{"v0#user", 0}, {"v1#user", 1}, {"v2#user", 1}}, {"{}#user"}},
      {"nothing", {}, {}},
  };
  for (const auto& row : kRows)
    EXPECT_THAT(Shapes(row.values), UnorderedElementsAreArray(row.want)) << row.what;
}

KeyShape Learn(const std::vector<std::string>& values, std::size_t of = 0) {
  std::vector<KeySample> samples;
  for (const std::string& value : values) samples.push_back({value, nullptr});
  const KeyShapes shapes = LearnKeyShapes(samples);
  return shapes.shapes[shapes.shape_of[of]];
}

TEST(KeyShapeTest, PatternsAndParts) {
  const KeyShape shape = Learn({"ORDER#1#LINE_ITEM#2", "ORDER#2#LINE_ITEM#1"});
  EXPECT_EQ(shape.LikePattern(), "ORDER#%#LINE\\_ITEM#%");
  EXPECT_EQ(shape.Regex(), "^ORDER#[^#]+#LINE_ITEM#[^#]+$");
  EXPECT_THAT(shape.Split("ORDER#77#LINE_ITEM#9"), ElementsAre("77", "9"));
  EXPECT_THAT(shape.Split("ORDER#77"), ElementsAre());
  EXPECT_TRUE(shape.MatchesExactly("ORDER#77#LINE_ITEM#9"));
  EXPECT_FALSE(shape.MatchesExactly("ORDER#77#LINE_ITEM#9#X#1"));
  EXPECT_TRUE(shape.MatchesLike("ORDER#77#LINE_ITEM#9#X#1"));
  EXPECT_EQ(shape.Head(), "ORDER#");
}

TEST(KeyShapeTest, LiteralAtTheEnd) {
  KeyShape shape;
  shape.parts = {{}, {"#ORDER"}};
  EXPECT_THAT(shape.Split("a#ORDER"), ElementsAre("a"));
  EXPECT_TRUE(shape.MatchesLike("a#ORDER#ORDER"));
  EXPECT_FALSE(shape.MatchesLike("a#ORDER#"));
  EXPECT_FALSE(shape.MatchesExactly("a#b#ORDER"));
}

TEST(ValueClassTest, Classes) {
  const struct {
    std::vector<std::string_view> values;
    ValueClass want;
  } kRows[] = {
      {{"1", "22"}, ValueClass::kDigits},
      {{"2024-05-01"}, ValueClass::kDate},
      {{"2024-05-01T10:00:00Z", "2024-05-01 10:00"}, ValueClass::kInstant},
      {{"3f2b9c1e-0000-4000-8000-000000000001"}, ValueClass::kUuid},
      {{"01ARZ3NDEKTSV4RRFFQ69G5FAV"}, ValueClass::kUlid},
      {{"ann", "BOB"}, ValueClass::kWord},
      {{"1", "a1"}, ValueClass::kOther},
      {{}, ValueClass::kOther},
  };
  for (const auto& row : kRows)
    EXPECT_EQ(ClassOf(row.values), row.want) << (row.values.empty() ? "" : row.values[0]);
}

}  // namespace
}  // namespace tablecast
