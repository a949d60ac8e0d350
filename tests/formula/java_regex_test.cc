#include "formula/java_regex.h"

#include <gtest/gtest.h>

#include <string>

#include "formula/regex_pattern.h"

namespace tablecast::formula {
namespace {

struct Refusal {
  const char* pattern;
  const char* reason;
  std::size_t offset;
};

TEST(JavaRegexTest, RefusesByName) {
  const Refusal rows[] = {
      {"a(?=b)", "regex-lookaround", 1},
      {"a(?!b)", "regex-lookaround", 1},
      {"(?<=a)b", "regex-lookaround", 0},
      {"(?<!a)b", "regex-lookaround", 0},
      {"(a)\\1", "regex-back-reference", 3},
      {"(?<x>a)\\k<x>", "regex-back-reference", 7},
      {"a*+", "regex-possessive", 1},
      {"a?+b", "regex-possessive", 1},
      {"a{2}+", "regex-possessive", 1},
      {"(?>a)b", "regex-atomic-group", 0},
      {"a{1001}", "regex-repeat", 1},
      {"a{1,1001}", "regex-repeat", 1},
      {"[a-z&&[^b]]", "regex-class-intersection", 4},
      {"[a[bc]]", "regex-nested-class", 2},
      {"[[:alpha:]]", "regex-posix-class", 1},
      {"(?U)a", "regex-flag", 0},
      {"(?x)a b", "regex-flag", 0},
      {"(?d)a", "regex-flag", 0},
      {"\\X", "regex-escape", 0},
      {"\\G", "regex-escape", 0},
      {"a\\Zb", "regex-escape", 1},
      {"\\p{javaLowerCase}", "regex-posix-class", 0},
      {"a{", "regex-syntax", 1},
      {"a\\", "regex-syntax", 1},
      {"[a", "regex-syntax", 0},
      {"(a", "regex-syntax", 2},
      {"a)", "regex-syntax", 1},
      {"\\u12", "regex-syntax", 0},
      {"\\y", "regex-escape", 0},
      {"*a", "regex-syntax", 0},
      {"a|+", "regex-syntax", 2},
      {"(?i)*", "regex-syntax", 4},
      {"a(?i){2}", "regex-syntax", 5},
      {"(?:?)", "regex-syntax", 3},
      {"(?<n>a)(?<n>b)", "regex-syntax", 7},
      {"(?<1n>a)", "regex-syntax", 0},
      {"(?<n_>a)", "regex-syntax", 0},
      {"(?<>a)", "regex-syntax", 0},
      {"(?i)[\\P{Lu}]", "regex-posix-class", 5},
  };
  for (const Refusal& row : rows) {
    const Result<std::string> translated = TranslateJavaRegex(row.pattern);
    ASSERT_FALSE(translated.ok()) << row.pattern << " became " << *translated;
    EXPECT_EQ(translated.error().reason, row.reason) << row.pattern;
    EXPECT_EQ(translated.error().position.offset, row.offset) << row.pattern;
    EXPECT_EQ(translated.error().code, ErrorCode::kInvalidArgument);
  }
}

struct Match {
  const char* pattern;
  const char* text;
  bool matches;
};

TEST(JavaRegexTest, MeansWhatJavaMeans) {
  const Match rows[] = {
      {"a|ab", "ab", true},
      {"b", "abc", false},
      {"^abc$", "abc", true},
      {".", "\n", false},
      {".", "\r", false},
      {".", "\u2028", false},
      {".", "\u0085", false},
      {"(?s).", "\r", true},
      {"(?s:.)\\.", "\n.", true},
      {"(?s)(?-s:.)", "\n", false},
      {".", "\U0001F600", true},
      {"\\s", "\v", true},
      {"\\S", "\v", false},
      {"[\\s]", "\v", true},
      {"[\\S]", "\v", false},
      {"\\h", "\u00A0", true},
      {"\\H", "\u00A0", false},
      {"\\v", "\u2028", true},
      {"[\\h]", "\u3000", true},
      {"\\R", "\r\n", true},
      {"\\R\\n", "\r\n", true},
      {"\\u0041", "A", true},
      {"[\\u0041-\\u0043]+", "ABC", true},
      {"\\uD83D\\uDE00", "\U0001F600", true},
      {"\\x41", "A", true},
      {"\\x{1F600}", "\U0001F600", true},
      {"\\0101", "A", true},
      {"\\e", "\x1B", true},
      {"\\cA", "\x01", true},
      {"\\Qa.b\\E.", "a.bx", true},
      {"\\Qa.b\\E", "axb", false},
      {"\\p{Lower}+", "abc", true},
      {"\\p{Lower}", "\u00E9", false},
      {"\\p{L}", "\u00E9", true},
      {"\\pL", "\u00E9", true},
      {"\\P{L}", "1", true},
      {"[\\p{Upper}\\d]+", "A1", true},
      {"\\p{IsGreek}", "\u03B1", true},
      {"[]a]+", "]a", true},
      {"[^]]", "a", true},
      {"(?<year>[0-9]{4})", "2020", true},
      {"abc\\Z", "abc", true},
      {"(?i)ABC", "abc", true},
      // (?i) folds ASCII letters and nothing else.
      {"(?i)\u00E9", "\u00C9", false},
      {"(?i)[\u00E9]", "\u00C9", false},
      {"(?i)k", "\u212A", false},
      {"(?i)[j-l]+", "jKL", true},
      {"(?i)[j-l]", "\u212A", false},
      {"(?i)s", "\u017F", false},
      {"(?i)[^a]", "A", false},
      {"(?i)[^j-l]", "K", false},
      {"(?i)[Z-a]+", "ZzAa^", true},
      {"(?i)[\\t-c]+", "C\tB", true},
      {"(?i)[a-]+", "A-", true},
      {"(?i)[-a]+", "A-", true},
      {"(?i)[a-b-c]+", "B-C", true},
      {"(?i)[a-b-c]", "b-", false},
      {"(?i)[]a]+", "]A", true},
      {"(?i)\\x4b\\u004B\\0113", "kkk", true},
      {"(?i)[\\x4b]", "k", true},
      {"(?i)\\Qk.\\E", "K.", true},
      {"(?i)\\W", "\u212A", true},
      {"(?i)\\w", "\u212A", false},
      {"(?i)\\p{Lower}", "A", true},
      {"(?i)\\P{Upper}", "a", false},
      {"(?i)\\p{Lu}", "\u00E9", true},
      {"(?i)\\P{Lu}", "a", false},
      {"(?i)[\\p{Ll}1]+", "A1", true},
      {"(?i)a|b", "B", true},
      {"(?:(?i)a|b)c", "Bc", true},
      {"(?:(?i)a|b)c", "BC", false},
      {"(?i:a)b", "Ab", true},
      {"(?i:a)b", "AB", false},
      {"(?i)a(?-i)b", "AB", false},
      {"(?i)a(?-i)b", "Ab", true},
      {"(?im)^a$", "A", true},
      {"a{02}", "aa", true},
      {"a{01,02}", "aa", true},
      {"a{01,}", "aaa", true},
      {"a{2,3}", "aaa", true},
      {"a{2,3}", "aaaa", false},
      {"[a-z\\-]+", "a-b", true},
      {"\\d+\\.\\d", "12.5", true},
      {"", "", true},
      {"\\_", "_", true},
      {"\\\u00E9", "\u00E9", true},
  };
  for (const Match& row : rows) {
    const auto prepared = internal::PreparePattern(row.pattern);
    ASSERT_TRUE(prepared.ok()) << row.pattern << ": " << prepared.error().ToString();
    EXPECT_EQ(internal::MatchesWhole(**prepared, row.text), row.matches)
        << row.pattern << " on " << row.text;
  }
}

TEST(JavaRegexTest, LengthUpToTheLimit) {
  EXPECT_TRUE(TranslateJavaRegex(std::string(kMaxRegexBytes, 'a')).ok());
  const auto longer = TranslateJavaRegex(std::string(kMaxRegexBytes + 1, 'a'));
  ASSERT_FALSE(longer.ok());
  EXPECT_EQ(longer.error().reason, "regex-too-long");
  EXPECT_EQ(longer.error().code, ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace tablecast::formula
