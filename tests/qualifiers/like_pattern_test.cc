#include "qualifiers/like_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"

namespace tablecast {
namespace {

using Shape = LikePattern::Shape;

TEST(LikePatternTest, ShapesAndLiteralPrefixes) {
  struct Row {
    std::string_view pattern;
    Shape shape;
    std::string_view prefix;
  };
  for (const Row& row : std::vector<Row>{
           {"", Shape::kEquality, ""},
           {"ORDER", Shape::kEquality, "ORDER"},
           {"products#%", Shape::kPrefix, "products#"},
           {"products#%%", Shape::kPrefix, "products#"},
           {"%", Shape::kAny, ""},
           {"%#1", Shape::kSuffix, ""},
           {"%#%", Shape::kContains, ""},
           {"%#%%", Shape::kContains, ""},
           {"a%z", Shape::kAffixes, "a"},
           {"a%b%c", Shape::kGeneral, "a"},
           {"ab_d%", Shape::kGeneral, "ab"},
           {"_", Shape::kGeneral, ""},
           {"100\\%", Shape::kEquality, "100%"},
           {"a\\_b%", Shape::kPrefix, "a_b"},
           {"\\\\%", Shape::kPrefix, "\\"},
       }) {
    const LikePattern like(row.pattern);
    EXPECT_EQ(like.shape(), row.shape) << row.pattern;
    EXPECT_EQ(like.literal_prefix(), row.prefix) << row.pattern;
  }
}

TEST(LikePatternTest, UnderscoreIsOneCodePoint) {
  EXPECT_TRUE(
      LikePattern("a_c").Matches("a\xC3\xA9"
                                 "c"));
  EXPECT_TRUE(LikePattern("_").Matches("\xF0\x9F\x98\x80"));
  EXPECT_FALSE(LikePattern("__").Matches("\xF0\x9F\x98\x80"));
  EXPECT_TRUE(
      LikePattern("%_c").Matches("x\xC3\xA9"
                                 "c"));
  EXPECT_FALSE(LikePattern("_").Matches(""));
}

TEST(LikePatternTest, IsCaseSensitiveAndTakesLineBreaks) {
  EXPECT_FALSE(LikePattern("products#%").Matches("Products#1"));
  EXPECT_TRUE(LikePattern("a%b").Matches("a\n\n b"));
}

// SOURCE: the definition itself, tried in every way.
bool Oracle(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '%') {
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (Oracle(pattern.substr(1), text.substr(i))) return true;
    }
    return false;
  }
  if (text.empty()) return false;
  if (pattern[0] == '_') {
    std::size_t next = 0;
    DecodeUtf8(text, next);
    return Oracle(pattern.substr(1), text.substr(next));
  }
  if (pattern[0] == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
  return pattern[0] == text[0] && Oracle(pattern.substr(1), text.substr(1));
}

std::vector<std::string> AllTexts(const std::vector<std::string>& alphabet, int max_length) {
  std::vector<std::string> all = {""};
  std::size_t from = 0;
  for (int length = 1; length <= max_length; ++length) {
    const std::size_t to = all.size();
    for (; from < to; ++from) {
      for (const std::string& letter : alphabet) all.push_back(all[from] + letter);
    }
  }
  return all;
}

TEST(LikePatternTest, AgreesWithABacktrackingOracleOnAllSmallPatternsAndTexts) {
  const auto patterns = AllTexts({"a", "b", "%", "_", "\\%"}, 5);
  const auto texts = AllTexts({"a", "b", "%", "\xC3\xA9"}, 4);
  for (const std::string& pattern : patterns) {
    const LikePattern like(pattern);
    for (const std::string& text : texts) {
      ASSERT_EQ(like.Matches(text), Oracle(pattern, text)) << pattern << " against " << text;
      if (like.Matches(text)) {
        ASSERT_TRUE(text.starts_with(like.literal_prefix())) << pattern << " against " << text;
      }
      if (like.IsPrefix()) {
        ASSERT_EQ(like.Matches(text), text.starts_with(like.literal_prefix())) << pattern;
      }
    }
  }
}

TEST(LikePatternTest, EscapeGivesAPatternForExactlyThatText) {
  for (const std::string text : {"100%", "a_b", "c:\\x", "", "%%__\\\\"}) {
    const LikePattern like(LikePattern::Escape(text));
    EXPECT_EQ(like.shape(), Shape::kEquality) << text;
    EXPECT_EQ(like.literal_prefix(), text);
  }
}

TEST(LikePatternTest, LikeToJsonShowsPartsWithOffsets) {
  const auto json = LikeToJson("a\\%_%b");
  ASSERT_TRUE(json.ok()) << json.error().ToString();
  EXPECT_EQ(*json, R"({"kind":"like","shape":"general","prefix":"a%","parts":[)"
                   R"({"kind":"literal","value":"a%","at":[0,3]},{"kind":"any-one","at":[3,4]},)"
                   R"({"kind":"any-run","at":[4,5]},{"kind":"literal","value":"b","at":[5,6]}]})");
}

TEST(LikePatternTest, LikeToJsonRefusesATrailingEscapeWithItsPlace) {
  const auto json = LikeToJson("ab\\");
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().reason, "like-trailing-escape");
  EXPECT_EQ(json.error().position.column, 3U);
  EXPECT_TRUE(LikeToJson("ab\\\\").ok());
}

TEST(LikePatternTest, HardPatternsStayFast) {
  // A backtracking matcher would take longer than the universe here.
  std::string pattern = "%";
  for (int i = 0; i < 30; ++i) pattern += "a%";
  pattern += "b";
  EXPECT_FALSE(LikePattern(pattern).Matches(std::string(100000, 'a')));
}

}  // namespace
}  // namespace tablecast
