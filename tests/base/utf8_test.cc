#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tablecast {
namespace {

using namespace std::string_literals;

TEST(Utf8Test, FindsTheFirstMalformedSequence) {
  struct Row {
    std::string text;
    std::optional<std::size_t> want;
  };
  const std::vector<Row> rows = {
      {"", std::nullopt},
      {"plain ascii that is longer than eight bytes", std::nullopt},
      {"\x00\x7F"s, std::nullopt},
      {"\xC2\x80\xDF\xBF", std::nullopt},
      {"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF", std::nullopt},
      {"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", std::nullopt},
      {"12345678\x80", 8},
      {"a\xC0\x80", 1},  // overlong NUL
      {"a\xC1\xBF", 1},
      {"\xE0\x9F\xBF", 0},      // overlong
      {"ab\xED\xA0\x80", 2},    // U+D800
      {"\xED\xBF\xBF", 0},      // U+DFFF
      {"\xF0\x8F\xBF\xBF", 0},  // overlong
      {"\xF4\x90\x80\x80", 0},  // U+110000
      {"\xF5\x80\x80\x80", 0},
      {"\xFF", 0},
      {"x\xC3", 1},  // cut short
      {"x\xE2\x82", 1},
      {"x\xF0\x9F\x98", 1},
      {"\xC3(", 0},
      {"\xE2\x28\xA1", 0},
      {"\xE2\x82\x28", 0},
      {"\xF0\x9F\x28\x80", 0},
      {"\xF0\x9F\x98\x28", 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row.text));
    EXPECT_EQ(FindInvalidUtf8(row.text), row.want);
    EXPECT_EQ(IsValidUtf8(row.text), !row.want.has_value());
  }
}

TEST(Utf8Test, EveryCodePointSurvivesARoundTrip) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    AppendUtf8(text, c);
    ASSERT_TRUE(IsValidUtf8(text)) << std::uint32_t{c};
    std::size_t offset = 0;
    ASSERT_EQ(DecodeUtf8(text, offset), c);
    ASSERT_EQ(offset, text.size());
  }
}

TEST(Utf8Test, AppendingNoCodePointGivesTheReplacement) {
  for (const char32_t c :
       {char32_t{0xD800}, char32_t{0xDFFF}, char32_t{0x110000}, char32_t{0xFFFFFFFF}}) {
    std::string text;
    AppendUtf8(text, c);
    EXPECT_EQ(text, "\xEF\xBF\xBD");
  }
}

TEST(Utf8Test, DecodingMalformedBytesAdvancesByOne) {
  for (const std::string text : {"\xED\xA0\x80", "\xF0\x9F\x98", "\xC0\x80", "\x80"}) {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      EXPECT_EQ(DecodeUtf8(text, offset), char32_t{0xFFFD});
      EXPECT_EQ(offset, i + 1);
    }
  }
}

TEST(Utf8Test, CountsAndOffsetsAgreeWithDecoding) {
  // Every mix of widths around the eight-byte steps.
  const std::vector<std::string> pieces = {"a", "é", "€", "😀", "bcdefghi"};
  for (std::size_t number = 0; number < 5U * 5U * 5U * 5U * 5U; ++number) {
    std::string text;
    for (std::size_t rest = number, i = 0; i < 5; ++i, rest /= 5) text += pieces[rest % 5];
    std::vector<std::size_t> offsets;
    std::size_t units = 0;
    for (std::size_t offset = 0; offset < text.size();) {
      offsets.push_back(offset);
      units += DecodeUtf8(text, offset) > 0xFFFF ? 2U : 1U;
    }
    ASSERT_EQ(CountCodePoints(text), offsets.size()) << text;
    ASSERT_EQ(CountUtf16Units(text), units) << text;
    for (std::size_t i = 0; i < offsets.size(); ++i)
      ASSERT_EQ(CodePointOffset(text, i), offsets[i]);
    ASSERT_EQ(CodePointOffset(text, offsets.size()), text.size());
    ASSERT_EQ(CodePointOffset(text, 1000), text.size());
  }
}

TEST(Utf8Test, IsAsciiLooksAtEveryByte) {
  EXPECT_TRUE(IsAscii(""));
  for (std::size_t length = 1; length < 20; ++length) {
    std::string text(length, 'a');
    EXPECT_TRUE(IsAscii(text));
    for (std::size_t i = 0; i < length; ++i) {
      std::string changed = text;
      changed[i] = '\x80';
      EXPECT_FALSE(IsAscii(changed)) << length << " " << i;
    }
  }
}

TEST(Utf8Test, PrefixSuccessorIsTheLeastUpperBound) {
  EXPECT_EQ(PrefixSuccessor("ab"), "ac");
  EXPECT_EQ(PrefixSuccessor("a\xFF\xFF"), "b");
  EXPECT_EQ(PrefixSuccessor("a\x7F"), "a\x80");
  EXPECT_EQ(PrefixSuccessor(""), std::nullopt);
  EXPECT_EQ(PrefixSuccessor("\xFF\xFF"), std::nullopt);
}

TEST(Utf8Test, PrintableTextCarriesNoControlCharacters) {
  struct Row {
    std::string text;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"Zoë €5 😀", "Zoë €5 😀"},
      {"a\"b\\c", "a\\\"b\\\\c"},
      {"\n\r\t\x1B[31m\x7F"s, "\\n\\r\\t\\u001B[31m\\u007F"},
      {"\x00"s, "\\u0000"},
      {"\xC2\x9B", "\\u009B"},      // C1 control sequence introducer
      {"\xE2\x80\xAE", "\\u202E"},  // right-to-left override
      {"\xEF\xBB\xBF", "\\uFEFF"},
      {"\xF3\xA0\x80\x81", "\\U000E0001"},
      {"x\xFFy\xC3", "x\\xFFy\\xC3"},
  };
  for (const Row& row : rows) {
    std::string out = ">";
    AppendPrintable(out, row.text);
    EXPECT_EQ(out, ">" + row.want);
  }
}

TEST(Utf8Test, EditDistanceCountsInsertsDeletesChangesAndSwaps) {
  struct Row {
    std::string_view a;
    std::string_view b;
    std::size_t limit;
    std::size_t want;
  };
  const std::vector<Row> rows = {
      {"", "", 3, 0},
      {"abc", "abc", 3, 0},
      {"abc", "", 3, 3},
      {"abc", "", 2, 3},
      {"filter", "fitler", 3, 1},
      {"filter", "filtr", 3, 1},
      {"filter", "filters", 3, 1},
      {"kitten", "sitting", 5, 3},
      {"kitten", "sitting", 2, 3},
      {"ab", "ba", 0, 1},
      {"abcd", "badc", 4, 2},
      {"abcdef", "uvwxyz", 3, 4},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(EditDistance(row.a, row.b, row.limit), row.want) << row.a << " " << row.b;
    EXPECT_EQ(EditDistance(row.b, row.a, row.limit), row.want) << row.b << " " << row.a;
  }
}

TEST(Utf8Test, NearestNameSuggestsOnlyWhatIsNear) {
  const std::vector<std::string> names = {"columns", "filter", "postFilter", "type"};
  EXPECT_EQ(NearestName("colums", names), "columns");
  EXPECT_EQ(NearestName("fliter", names), "filter");
  EXPECT_EQ(NearestName("tpye", names), "type");
  EXPECT_EQ(NearestName("qualifier", names), std::nullopt);
  EXPECT_EQ(NearestName("x", std::vector<std::string>{}), std::nullopt);
}

}  // namespace
}  // namespace tablecast
