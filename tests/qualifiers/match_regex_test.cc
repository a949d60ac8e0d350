#include "qualifiers/match_regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "qualifiers/predicate.h"

namespace tablecast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const MatchRegex> Compile(
    std::string_view pattern, MatchRegex::Engine engine = MatchRegex::Engine::kAutomatic) {
  auto regex = MatchRegex::Compile(pattern, engine);
  EXPECT_TRUE(regex.ok()) << pattern << ": " << (regex.ok() ? "" : regex.error().ToString());
  return regex.ok() ? *regex : nullptr;
}

TEST(MatchRegexTest, MatchesTheWholeValueWithAndWithoutAnchors) {
  for (const std::string_view pattern :
       {"^[0-9]+$", "[0-9]+", "\\A[0-9]+\\z", "^([0-9]+)$", "^(?:[0-9]+)$"}) {
    const auto regex = Compile(pattern);
    EXPECT_TRUE(regex->Matches("1012")) << pattern;
    EXPECT_FALSE(regex->Matches("1012\n")) << pattern;
    EXPECT_FALSE(regex->Matches("x1012")) << pattern;
    EXPECT_FALSE(regex->Matches("")) << pattern;
  }
  EXPECT_TRUE(Compile("a|ab")->Matches("ab"));
  EXPECT_TRUE(Compile("^a|b$")->Matches("b"));
}

TEST(MatchRegexTest, KnowsWhichPatternsNeedNoAutomaton) {
  for (const std::string_view pattern :
       {"^[0-9]+$", "^ORDER$", "^(ORDER|PRODUCT)$", "^C[0-9]{4}$", "ORD-\\d+", "^[A-Z]{2}-[0-9]+$",
        "[^#]+", "^[A-Za-z0-9_-]+$", "[0-9]+-[0-9]+", "^order#[^#]*$", "[a-z]*[0-9]{2}",
        "(?i)order"}) {
    EXPECT_TRUE(Compile(pattern)->is_specialised()) << pattern;
  }
  for (const std::string_view pattern :
       {"[0-9]+[0-9]*", "(ab)+", "a.c", "é+", "[é]+", "x{2}.{3}"}) {
    EXPECT_FALSE(Compile(pattern)->is_specialised()) << pattern;
  }
}

TEST(MatchRegexTest, LiteralsPrefixesAndRanges) {
  EXPECT_THAT(Compile("^(PRODUCT|ORDER)$")->literals(), ElementsAre("ORDER", "PRODUCT"));
  EXPECT_THAT(Compile("^a\\.b$")->literals(), ElementsAre("a.b"));
  EXPECT_EQ(Compile("^products#[0-9]+$")->literal_prefix(), "products#");
  EXPECT_EQ(Compile("^products#([0-9]+|x)y*$")->literal_prefix(), "products#");
  EXPECT_EQ(Compile("^[0-9]+$")->literal_prefix(), "");
  const MatchRegex::Range range = Compile("^[0-9]+$")->range();
  ASSERT_TRUE(range.lower && range.upper);
  EXPECT_LE(*range.lower, "0");
  EXPECT_GT(*range.lower, "/");
  EXPECT_LT(*range.upper, ":\x01");
  EXPECT_EQ(Compile(".*x")->literal_prefix(), "");
  EXPECT_EQ(Compile("(?i)^ORD-1$")->range().lower, "ORD-1");
}

TEST(MatchRegexTest, PossibleBytesTellWhetherASeparatorCanOccur) {
  EXPECT_FALSE(Compile("^[0-9]+$")->possible_bytes()->test('-'));
  EXPECT_TRUE(Compile("^[0-9-]+$")->possible_bytes()->test('-'));
  EXPECT_TRUE(Compile("^ORD-[0-9]+$")->possible_bytes()->test('-'));
  EXPECT_TRUE(Compile("(?i)a")->possible_bytes()->test('A'));
  EXPECT_FALSE(Compile("(?i)a")->possible_bytes()->test('b'));
  EXPECT_FALSE(Compile("(ab)+")->possible_bytes().has_value());
}

TEST(MatchRegexTest, Anchors) {
  EXPECT_TRUE(IsAnchored("^[0-9]+$"));
  EXPECT_TRUE(IsAnchored("\\A[0-9]+\\z"));
  EXPECT_FALSE(IsAnchored("[0-9]+"));
  EXPECT_FALSE(IsAnchored("^[0-9]+"));
  EXPECT_FALSE(IsAnchored("^[0-9]+\\$"));
  EXPECT_TRUE(IsAnchored("^[0-9]+\\\\$"));
}

TEST(MatchRegexTest, FaultsNameTheConstructAndItsPlace) {
  struct Row {
    std::string_view pattern;
    std::string_view reason;
    std::string_view message;
    std::uint32_t column;
  };
  for (const Row& row : std::vector<Row>{
           {"^[0-9+$", "regex-syntax", "class is not closed", 2},
           {"^(a$", "regex-syntax", "group is not closed", 5},
           {"^(?!x).*$", "regex-lookaround", "look-around (?!", 2},
           {"(a)\\1", "regex-back-reference", "\\1", 4},
           {"[a-z&&[^b]]", "regex-class-intersection", "&&", 5},
           {"*a", "regex-syntax", "nothing to repeat", 1},
           {"[9-0]", "regex-syntax", "backwards", 2},
           {"a{2000}", "regex-repeat", "over 1000", 2},
           {"ab\\", "regex-syntax", "ends in a backslash", 3},
       }) {
    const auto regex = MatchRegex::Compile(row.pattern);
    ASSERT_FALSE(regex.ok()) << row.pattern;
    EXPECT_EQ(regex.error().reason, row.reason) << row.pattern;
    EXPECT_THAT(regex.error().message, HasSubstr(std::string(row.message))) << row.pattern;
    EXPECT_FALSE(regex.error().remedy.empty()) << row.pattern;
    EXPECT_EQ(regex.error().position.column, row.column) << row.pattern;
  }
}

TEST(MatchRegexTest, BudgetsHold) {
  const auto too_long = MatchRegex::Compile(std::string(kMaxRegexBytes + 1, 'a'));
  ASSERT_FALSE(too_long.ok());
  EXPECT_EQ(too_long.error().reason, "regex-too-long");
  const auto too_large = MatchRegex::Compile("((([a-z\\p{L}]{100}){100}){100})");
  ASSERT_FALSE(too_large.ok());
  EXPECT_EQ(too_large.error().reason, "regex-repeat");
  // What backtracking engines die of.
  EXPECT_FALSE(Compile("(a*)*b")->Matches(std::string(100000, 'a')));
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

// Every pattern that four parts can make, recognised or not, on every text of up to five letters.
TEST(MatchRegexTest, SpecialisedMatchersAgreeWithRe2) {
  const auto texts = AllTexts({"a", "b", "0", "-", "\xC3\xA9", "\n"}, 4);
  const std::vector<std::string> parts = {"a",     "b",    "[ab]",   "[^b]",  "[0-9]+", "[a-b]*",
                                          "[^-]+", ".*",   "a{2,3}", "a?",    "\\d",    "-",
                                          "\\.",   "[a-]", "b+?",    "[\\d-]"};
  int specialised = 0;
  int compared = 0;
  const auto check = [&](const std::string& pattern) {
    const auto fast = MatchRegex::Compile(pattern);
    const auto general = MatchRegex::Compile(pattern, MatchRegex::Engine::kRe2Only);
    ASSERT_EQ(fast.ok(), general.ok()) << pattern;
    if (!fast.ok()) return;
    specialised += (*fast)->is_specialised() ? 1 : 0;
    for (const std::string& text : texts) {
      const bool matches = (*general)->Matches(text);
      if ((*fast)->is_specialised()) {
        ++compared;
        ASSERT_EQ((*fast)->Matches(text), matches) << pattern << " on " << text;
      }
      if (!matches) continue;
      ASSERT_TRUE(text.starts_with((*fast)->literal_prefix())) << pattern << " on " << text;
      if ((*fast)->range().lower) {
        ASSERT_LE(*(*fast)->range().lower, text) << pattern;
      }
      if ((*fast)->range().upper) {
        ASSERT_GE(*(*fast)->range().upper, text) << pattern;
      }
    }
  };
  for (const std::string& first : parts) {
    check("^" + first + "$");
    for (const std::string& second : parts) {
      check("^" + first + second + "$");
      check(first + "|" + second);
      for (const char* third : {"a", "[0-9]+", "-", "[^-]+", "b{2}"}) check(first + second + third);
    }
  }
  EXPECT_GT(specialised, 300);
  EXPECT_GT(compared, 100000);
}

TEST(MatchRegexTest, LongTextsTakeTheWideLoop) {
  const auto regex = Compile("^[0-9]+$");
  for (std::size_t size = 1; size < 40; ++size) {
    std::string text(size, '7');
    EXPECT_TRUE(regex->Matches(text));
    for (std::size_t bad = 0; bad < size; ++bad) {
      for (const char c : {'/', ':', '\0', '\x7F', '\x80', '\xFF'}) {
        std::string spoiled = text;
        spoiled[bad] = c;
        EXPECT_FALSE(regex->Matches(spoiled)) << size << " " << bad;
      }
    }
  }
}

TEST(RegexSearchTest, SearchesAnywhereAndMayIgnoreCase) {
  const auto search = RegexSearch::Compile("b+c", false, 100);
  ASSERT_TRUE(search.ok());
  EXPECT_TRUE((*search)->Matches("abbcd"));
  EXPECT_FALSE((*search)->Matches("aBBCd"));
  EXPECT_TRUE((*RegexSearch::Compile("b+c", true, 100))->Matches("aBBCd"));
  EXPECT_EQ(RegexSearch::Compile("abcdef", false, 3).error().reason, "regex-too-long");
  EXPECT_EQ(RegexSearch::Compile("(", false, 3).error().reason, "regex-syntax");
}

}  // namespace
}  // namespace tablecast
