// Adding a member to a file's own text: comments, order and layout stay.

#include "connector/field_writer.h"

#include <gtest/gtest.h>

#include "base/json_reader.h"

namespace tablecast {
namespace {

TEST(AddMemberTest, KeepsCommentsOrderAndLayout) {
  const struct {
    const char* what;
    const char* text;
    const char* want;
  } kRows[] = {
      {"comment behind the last member", "{\n  \"a\": 1, // first\n  \"b\": {} // last\n}\n",
       "{\n  \"a\": 1, // first\n  \"b\": {}, // last\n  \"fields\": X\n}\n"},
      {"trailing comma", "{\n  \"a\": 1, /* , */\n}\n",
       "{\n  \"a\": 1, /* , */\n  \"fields\": X\n}\n"},
      {"comma inside a comment only", "{\n  \"a\": 1 // one, two\n}\n",
       "{\n  \"a\": 1, // one, two\n  \"fields\": X\n}\n"},
      {"one line", "{\"a\": 1}", "{\"a\": 1,\n  \"fields\": X\n}"},
      {"empty", "{}", "{\n  \"fields\": X\n}"},
      {"tabs", "{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"fields\": X\n}"},
      {"indented brace", "{\n    \"a\": [1]\n  }", "{\n    \"a\": [1],\n    \"fields\": X\n  }"},
  };
  for (const auto& row : kRows) {
    const auto text = AddMember(row.text, "fields", "X");
    ASSERT_TRUE(text.ok()) << row.what;
    EXPECT_EQ(*text, row.want) << row.what;
    std::string valid = *text;
    valid.replace(valid.find('X'), 1, "{}");
    EXPECT_TRUE(ParseJson(valid, {.allow_comments = true, .allow_trailing_commas = true}).ok())
        << row.what;
  }
}

TEST(AddMemberTest, Refuses) {
  EXPECT_EQ(AddMember("[1]", "fields", "{}").error().reason, "not-an-object");
  EXPECT_EQ(AddMember("{\"fields\": {}}", "fields", "{}").error().reason, "member-exists");
  EXPECT_EQ(AddMember("{", "fields", "{}").error().reason, "json-syntax");
}

TEST(IndentTest, IsThatOfTheFirstMember) {
  EXPECT_EQ(IndentOf("{\n    \"a\": 1}"), "    ");
  EXPECT_EQ(IndentOf("{\"a\": 1}"), "  ");
  EXPECT_EQ(IndentOf("{}"), "  ");
}

}  // namespace
}  // namespace tablecast
