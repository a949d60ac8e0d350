#include "item/table_schema.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace tablecast {
namespace {

TableSchema Valid() {
  return {"Orders",
          {{"pk", AttributeType::kS}, KeyColumn{"sk", AttributeType::kN}},
          {{.name = "by-day",
            .partition = {{"day", AttributeType::kS}},
            .sort = {{"sk", AttributeType::kN}},
            .projection = ProjectionType::kInclude,
            .non_key_attributes = {"total"}},
           {.name = "local",
            .partition = {{"pk", AttributeType::kS}},
            .sort = {{"at", AttributeType::kB}},
            .local = true}}};
}

TEST(TableSchemaTest, TableNames) {
  for (const char* name : {"abc", "A.b-c_9", "..."})
    EXPECT_TRUE(ValidateTableName(name).ok()) << name;
  EXPECT_TRUE(ValidateTableName(std::string(255, 'a')).ok());
  for (const std::string& name :
       {std::string(), std::string("ab"), std::string(256, 'a'), std::string("a b"),
        std::string("a/b"), std::string("\xC3\xA9xy"), std::string("ab\0", 3)}) {
    const Status status = ValidateTableName(name);
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.error().reason, "table-name");
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(TableSchemaTest, AttributeNames) {
  EXPECT_TRUE(ValidateAttributeName("a b#:.", false).ok());
  EXPECT_TRUE(ValidateAttributeName(std::string(65535, 'a'), false).ok());
  EXPECT_TRUE(ValidateAttributeName(std::string(255, 'a'), true).ok());
  EXPECT_EQ(ValidateAttributeName("", false).error().reason, "attribute-name");
  EXPECT_EQ(ValidateAttributeName(std::string(65536, 'a'), false).error().reason, "attribute-name");
  EXPECT_EQ(ValidateAttributeName(std::string(256, 'a'), true).error().reason, "attribute-name");
  EXPECT_EQ(ValidateAttributeName("\xC3", false).error().reason, "attribute-name");
}

TEST(TableSchemaTest, EachFaultHasItsReason) {
  ASSERT_TRUE(ValidateTableSchema(Valid()).ok());
  struct Row {
    const char* name;
    std::function<void(TableSchema&)> change;
    std::string reason;
  };
  const std::vector<Row> rows = {
      {"table name", [](TableSchema& s) { s.name = "x"; }, "table-name"},
      {"key name", [](TableSchema& s) { s.key.partition.name = ""; }, "attribute-name"},
      {"key type", [](TableSchema& s) { s.key.partition.type = AttributeType::kBool; }, "key-type"},
      {"same columns",
       [](TableSchema& s) {
         s.key.sort = s.key.partition;
         s.indexes.clear();
       },
       "key-duplicate"},
      {"index name", [](TableSchema& s) { s.indexes[0].name = "a b"; }, "table-name"},
      {"index twice", [](TableSchema& s) { s.indexes[1].name = "by-day"; }, "index-duplicate"},
      {"index without key", [](TableSchema& s) { s.indexes[0].partition.clear(); }, "index-key"},
      {"five HASH columns",
       [](TableSchema& s) {
         for (const char* name : {"a", "b", "c", "d"}) {
           s.indexes[0].partition.push_back({name, AttributeType::kS});
         }
       },
       "index-key"},
      {"index column twice", [](TableSchema& s) { s.indexes[0].sort = s.indexes[0].partition; },
       "index-key"},
      {"two types for one column",
       [](TableSchema& s) {
         s.indexes[0].sort = {{"sk", AttributeType::kS}};
       },
       "key-type"},
      {"local index, other partition",
       [](TableSchema& s) {
         s.indexes[1].partition = {{"other", AttributeType::kS}};
       },
       "index-key"},
      {"local index, no sort", [](TableSchema& s) { s.indexes[1].sort.clear(); }, "index-key"},
      {"local index, table without sort", [](TableSchema& s) { s.key.sort.reset(); }, "index-key"},
      {"INCLUDE of nothing", [](TableSchema& s) { s.indexes[0].non_key_attributes.clear(); },
       "index-projection"},
      {"ALL with names", [](TableSchema& s) { s.indexes[0].projection = ProjectionType::kAll; },
       "index-projection"},
      {"101 projected names",
       [](TableSchema& s) {
         s.indexes[0].non_key_attributes.clear();
         for (int i = 0; i < 101; ++i) {
           s.indexes[0].non_key_attributes.push_back("n" + std::to_string(i));
         }
       },
       "index-projection"},
      {"six local indexes",
       [](TableSchema& s) {
         for (int i = 0; i < 5; ++i) {
           s.indexes.push_back(s.indexes[1]);
           s.indexes.back().name += std::to_string(i);
         }
       },
       "index-count"},
      {"21 global indexes",
       [](TableSchema& s) {
         for (int i = 0; i < 20; ++i) {
           s.indexes.push_back({.name = "more" + std::to_string(i),
                                .partition = {{"day", AttributeType::kS}},
                                .sort = {}});
         }
       },
       "index-count"},
  };
  for (const Row& row : rows) {
    TableSchema schema = Valid();
    row.change(schema);
    const Status status = ValidateTableSchema(schema);
    ASSERT_FALSE(status.ok()) << row.name;
    EXPECT_EQ(status.error().reason, row.reason) << row.name;
  }
}

}  // namespace
}  // namespace tablecast
