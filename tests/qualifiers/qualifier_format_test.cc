#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/json_reader.h"
#include "qualifiers/json_tokens.h"
#include "qualifiers/qualifier_parser.h"

namespace tablecast {
namespace {

std::string Format(std::string_view text, bool strict = false) {
  const auto formatted = FormatQualifier(text, strict);
  EXPECT_TRUE(formatted.ok()) << (formatted.ok() ? "" : formatted.error().ToString());
  return formatted.ok() ? *formatted : "";
}

TEST(QualifierFormatTest, LaysOutAndKeepsComments) {
  EXPECT_EQ(Format(R"(// orders
{"tableName":"T","columns":{"pk":{"postFilter":"^[0-9]+$",// integers
"type":"S"},


"sk":{"values":[{"definition":"\"ORDER\""}]} /* the tag */ , "free": {}, // nothing

// the end
}, } // bye
)"),
            R"(// orders
{
  "tableName": "T",
  "columns": {
    "pk": {
      "postFilter": "^[0-9]+$", // integers
      "type": "S"
    },

    "sk": { "values": [{ "definition": "\"ORDER\"" }] }, /* the tag */
    "free": {} // nothing

    // the end
  }
} // bye
)");
}

TEST(QualifierFormatTest, StrictJsonIsWhatTheVendorTakes) {
  const std::string strict =
      Format("\xEF\xBB\xBF{ // c\n\"columns\": {\"a\": {\"type\": \"S\",},},}", true);
  EXPECT_EQ(strict, "{\n  \"columns\": {\n    \"a\": { \"type\": \"S\" }\n  }\n}\n");
  EXPECT_TRUE(ParseJson(strict).ok());
}

TEST(QualifierFormatTest, LongLinesAreBroken) {
  const std::string long_text(90, 'x');
  EXPECT_EQ(Format("{\"columns\": {\"a\": {\"filter\": \"" + long_text + "\"}}}"),
            "{\n  \"columns\": {\n    \"a\": {\n      \"filter\": \"" + long_text +
                "\"\n    }\n  }\n}\n");
}

TEST(QualifierFormatTest, FaultsAreLocated) {
  const auto formatted = FormatQualifier("{\n \"a\" 1}", false);
  ASSERT_FALSE(formatted.ok());
  EXPECT_EQ(formatted.error().reason, "json-syntax");
  EXPECT_EQ(formatted.error().position.line, 2U);
}

std::string WithoutBlanks(std::string_view text) {
  std::string out;
  for (const JsonToken& token : TokenizeJson(text)) {
    if (token.IsComment() || token.kind == JsonToken::Kind::kBom) continue;
    const std::string_view word = text.substr(token.begin, token.end - token.begin);
    if ((word == "}" || word == "]") && !out.empty() && out.back() == ',') out.pop_back();
    out += word;
  }
  return out;
}

std::vector<std::string> Comments(std::string_view text) {
  std::vector<std::string> out;
  for (const JsonToken& token : TokenizeJson(text)) {
    if (token.IsComment()) out.emplace_back(text.substr(token.begin, token.end - token.begin));
  }
  return out;
}

TEST(QualifierFormatTest, KeepsEveryWordAndCommentAndIsStable) {
  std::vector<std::string> texts = {
      "[1, /* two */ 2 // x\n, // y\n 3]",
      "{\"a\" /* k */ : /* v */ 1 /* w */, /* n */ \"b\": [ // open\n ], \"c\": { /* only */ } }",
      "{ \"a\": 1\n // own line\n , \"b\": 2 }",
      "/* a */ /* b */ {} /* c */ // d\n// e",
      "{\"a\": [[1,2],[3,{\"b\": {\"c\": []}}]]}",
      "{\"a\": \"// no comment\", \"b\": \"\\\"\\u0041\"}",
      "{\n\n\n// x\n\n\n\"a\": 1,\n\n\n\n\"b\": 2\n\n\n}",
  };
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::string(TABLECAST_SOURCE_DIR) + "/examples")) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    texts.emplace_back((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  }
  EXPECT_GT(texts.size(), 15U);
  for (const std::string& text : texts) {
    const std::string once = Format(text);
    EXPECT_EQ(Format(once), once) << text;
    EXPECT_EQ(WithoutBlanks(once), WithoutBlanks(text));
    EXPECT_EQ(Comments(once), Comments(text));
    const std::string strict = Format(text, true);
    EXPECT_TRUE(ParseJson(strict).ok()) << strict;
    EXPECT_EQ(Format(strict, true), strict);
  }
}

TEST(JsonTokensTest, OffsetsInsideStringLiteralsFollowEscapes) {
  const std::string_view literal = R"("a\"b\u00e9\ud83d\ude00c")";
  // Decoded: a " b é(2) 😀(4) c.
  EXPECT_EQ(RawOffsetInString(literal, 0), 1U);
  EXPECT_EQ(RawOffsetInString(literal, 1), 2U);
  EXPECT_EQ(RawOffsetInString(literal, 2), 4U);
  EXPECT_EQ(RawOffsetInString(literal, 3), 5U);
  EXPECT_EQ(RawOffsetInString(literal, 5), 11U);
  EXPECT_EQ(RawOffsetInString(literal, 9), 23U);
  EXPECT_EQ(RawOffsetInString(literal, 10), 24U);
  EXPECT_EQ(RawOffsetInString(literal, 99), 24U);
}

}  // namespace
}  // namespace tablecast
