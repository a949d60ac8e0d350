#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "base/json_reader.h"
#include "base/utf8.h"

namespace tablecast {
namespace {

using namespace std::string_literals;

TEST(JsonWriterTest, WritesCompactText) {
  std::string out = "> ";
  JsonWriter json(out);
  json.BeginObject()
      .Key("a")
      .BeginArray()
      .Int(-1)
      .Uint(2)
      .RawNumber("1.20")
      .EndArray()
      .Key("b\"")
      .String("x\ny")
      .Key("c")
      .BeginObject()
      .EndObject()
      .Key("d")
      .BeginArray()
      .EndArray()
      .Key("e")
      .Bool(true)
      .Key("f")
      .Bool(false)
      .Key("g")
      .Null()
      .Key("h")
      .Raw("{\"k\": 1}")
      .Key("i")
      .BeginArray()
      .BeginObject()
      .Key("j")
      .Null()
      .EndObject()
      .Raw("[]")
      .EndArray()
      .EndObject();
  EXPECT_EQ(out,
            "> {\"a\":[-1,2,1.20],\"b\\\"\":\"x\\ny\",\"c\":{},\"d\":[],\"e\":true,\"f\":false,"
            "\"g\":null,\"h\":{\"k\": 1},\"i\":[{\"j\":null},[]]}");
}

TEST(JsonWriterTest, WritesIndentedText) {
  std::string out;
  JsonWriter json(out, JsonWriter::Style::kIndented);
  json.BeginObject()
      .Key("a")
      .BeginArray()
      .Int(1)
      .BeginObject()
      .Key("b")
      .Null()
      .EndObject()
      .EndArray()
      .Key("c")
      .BeginObject()
      .EndObject()
      .Key("d")
      .BeginArray()
      .EndArray()
      .EndObject();
  EXPECT_EQ(out,
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": {},\n"
            "  \"d\": []\n}");
}

TEST(JsonWriterTest, WritesTheWholeIntegerRange) {
  std::string out;
  JsonWriter json(out);
  json.BeginArray()
      .Int(std::numeric_limits<std::int64_t>::min())
      .Int(std::numeric_limits<std::int64_t>::max())
      .Uint(std::numeric_limits<std::uint64_t>::max())
      .Int(0)
      .EndArray();
  EXPECT_EQ(out, "[-9223372036854775808,9223372036854775807,18446744073709551615,0]");
}

std::string Escaped(std::string_view text) {
  std::string out;
  AppendJsonEscaped(out, text);
  return out;
}

TEST(JsonWriterTest, EscapesWhatMustBeEscaped) {
  EXPECT_EQ(Escaped("\"\\/\b\f\n\r\t"), "\\\"\\\\/\\b\\f\\n\\r\\t");
  EXPECT_EQ(Escaped("\0\x01\x1F\x7F"s), "\\u0000\\u0001\\u001f\x7F");
  EXPECT_EQ(Escaped("Zoë €😀"), "Zoë €😀");
}

TEST(JsonWriterTest, MalformedUtf8BecomesTheReplacementCharacter) {
  EXPECT_EQ(Escaped("a\xFF"
                    "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(Escaped("\xC3"), "\xEF\xBF\xBD");
  EXPECT_EQ(Escaped("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(Escaped("\xEF\xBF\xBD"), "\xEF\xBF\xBD");  // the character itself stays one
}

TEST(JsonWriterTest, EveryByteAtEveryPlaceReadsBack) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (std::size_t place = 0; place < 20; ++place) {
      std::string text(20, 'x');
      text[place] = static_cast<char>(byte);
      std::string out;
      JsonWriter(out).String(text);
      const auto read = ParseJson(out);
      ASSERT_TRUE(read.ok()) << out;
      if (byte < 0x80) {
        ASSERT_EQ(read->text, text);
      } else {
        ASSERT_EQ(read->text, text.replace(place, 1, "\xEF\xBF\xBD"));
      }
    }
  }
}

TEST(JsonWriterTest, EveryCodePointReadsBack) {
  std::string text;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c < 0xD800 || c > 0xDFFF) AppendUtf8(text, c);
  }
  std::string out;
  JsonWriter(out).String(text);
  const auto read = ParseJson(out);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->text, text);
}

TEST(JsonWriterDeathTest, MisuseIsAProgrammerError) {
  std::string out;
  EXPECT_DEATH(JsonWriter(out).BeginObject().Int(1), "internal error");
  EXPECT_DEATH(JsonWriter(out).BeginArray().Key("a"), "internal error");
  EXPECT_DEATH(JsonWriter(out).BeginObject().Key("a").Key("b"), "internal error");
  EXPECT_DEATH(JsonWriter(out).BeginObject().Key("a").EndObject(), "internal error");
  EXPECT_DEATH(JsonWriter(out).BeginArray().EndObject(), "internal error");
  EXPECT_DEATH(JsonWriter(out).EndArray(), "internal error");
}

}  // namespace
}  // namespace tablecast
