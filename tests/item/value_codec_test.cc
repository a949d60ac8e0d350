#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "item/item_codec.h"

namespace tablecast {
namespace {

AttributeValue S(std::string text) { return AttributeValue::String(std::move(text)); }
AttributeValue N(std::string_view text) { return AttributeValue::NumberFromText(text).value(); }
std::string Code(std::string_view text) { return EncodeNumberText(text).value(); }
std::string Payload(const AttributeValue& value) {
  std::string out;
  AppendPayload(out, value);
  return out;
}
std::string Bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out += static_cast<char>(value);
  return out;
}

// One value of every type, short and long lengths, and nesting.
std::vector<AttributeValue> Samples() {
  AttributeValue deep = S("bottom");
  for (int i = 0; i < 16; ++i) {
    deep =
        AttributeValue::ListOf({AttributeValue::MapOf({{"k" + std::to_string(i), deep}}), N("1")});
  }
  return {
      S(""),
      S(std::string("a\0b", 3)),
      S(std::string(70000, 'x')),
      N("0"),
      N("-9.9999999999999999999999999999999999999E+125"),
      AttributeValue::Binary(""),
      AttributeValue::Binary(Bytes({0, 255, 1})),
      AttributeValue::Bool(true),
      AttributeValue::Bool(false),
      AttributeValue::Null(),
      AttributeValue::MapOf({}),
      AttributeValue::ListOf({}),
      AttributeValue::MapOf(
          {{"", S("empty name")}, {std::string(300, 'n'), AttributeValue::Null()}}),
      AttributeValue::ListOf(
          {S(std::string(14, 'a')), S(std::string(15, 'b')), S(std::string(128, 'c'))}),
      AttributeValue::SetOf(AttributeType::kSS, {"", "b", std::string(200, 'z')}).value(),
      AttributeValue::SetOf(AttributeType::kNS, {Code("1"), Code("-1"), Code("0")}).value(),
      AttributeValue::SetOf(AttributeType::kBS, {Bytes({0}), Bytes({0, 0}), ""}).value(),
      deep,
  };
}

TEST(ValueCodecTest, EveryTypeRoundTrips) {
  for (const AttributeValue& value : Samples()) {
    const std::string payload = Payload(value);
    const auto back = DecodeValue(AttributeView(value.type(), payload));
    ASSERT_TRUE(back.ok()) << AttributeTypeName(value.type()) << ": " << back.error().message;
    EXPECT_EQ(*back, value) << AttributeTypeName(value.type());
  }
}

TEST(ValueCodecTest, PayloadsHaveTheDocumentedBytes) {
  EXPECT_EQ(Payload(S("ab")), "ab");
  EXPECT_EQ(Payload(N("1")), Bytes({0xC1, 2, 0}));
  EXPECT_EQ(Payload(AttributeValue::Bool(true)), Bytes({1}));
  EXPECT_EQ(Payload(AttributeValue::Null()), "");
  EXPECT_EQ(Payload(AttributeValue::ListOf({S("ab"), AttributeValue::Null()})),
            Bytes({2, 0x21, 'a', 'b', 0x05}));
  EXPECT_EQ(Payload(AttributeValue::ListOf({S(std::string(15, 'x'))})),
            Bytes({1, 0xF1, 15}) + std::string(15, 'x'));
  EXPECT_EQ(Payload(AttributeValue::MapOf({{"k", N("1")}})), Bytes({1, 1, 'k', 0x32, 0xC1, 2, 0}));
  EXPECT_EQ(Payload(AttributeValue::SetOf(AttributeType::kSS, {"b", "a"}).value()),
            Bytes({2, 1, 'a', 1, 'b'}));
  EXPECT_EQ(Payload(AttributeValue::SetOf(AttributeType::kNS, {Code("1"), Code("0")}).value()),
            Bytes({2, 0x80, 0, 0xC1, 2, 0}));
}

TEST(ValueCodecTest, NestedReadingNeedsNoDecoding) {
  const std::string map =
      Payload(AttributeValue::MapOf({{"a", S("x")}, {"bb", N("7")}, {"c", S("")}}));
  const AttributeView map_view(AttributeType::kM, map);
  EXPECT_EQ(ElementCount(map_view), 3U);
  EXPECT_EQ(MapMember(map_view, "a").payload(), "x");
  EXPECT_EQ(NumberText(MapMember(map_view, "bb").payload()), "7");
  EXPECT_TRUE(MapMember(map_view, "c").present());
  EXPECT_FALSE(MapMember(map_view, "b").present());
  EXPECT_FALSE(MapMember(map_view, "d").present());
  EXPECT_FALSE(MapMember(map_view, "").present());
  EXPECT_FALSE(ListElement(map_view, 0).present());

  const std::string list = Payload(AttributeValue::ListOf({S("p"), S("q")}));
  const AttributeView list_view(AttributeType::kL, list);
  EXPECT_EQ(ListElement(list_view, 1).payload(), "q");
  EXPECT_FALSE(ListElement(list_view, 2).present());
  EXPECT_FALSE(MapMember(list_view, "p").present());

  const std::string set =
      Payload(AttributeValue::SetOf(AttributeType::kNS, {Code("2"), Code("1")}).value());
  const AttributeView set_view(AttributeType::kNS, set);
  EXPECT_EQ(ElementCount(set_view), 2U);
  EXPECT_EQ(ListElement(set_view, 0).type(), AttributeType::kN);
  EXPECT_EQ(NumberText(ListElement(set_view, 1).payload()), "2");

  EXPECT_EQ(ElementCount(AttributeView()), 0U);
  EXPECT_EQ(ElementCount(AttributeView(AttributeType::kS, "abc")), 0U);
  EXPECT_FALSE(MapMember(AttributeView(), "a").present());
}

TEST(ValueCodecTest, ForEachElementVisitsInOrderAndStops) {
  const std::string map = Payload(AttributeValue::MapOf({{"b", S("2")}, {"a", S("1")}}));
  const AttributeView view(AttributeType::kM, map);
  std::string seen;
  EXPECT_TRUE(ForEachElement(view, [&](std::string_view name, const AttributeView& value) {
    seen += std::string(name) + "=" + std::string(value.payload()) + ";";
    return true;
  }));
  EXPECT_EQ(seen, "a=1;b=2;");
  int visits = 0;
  EXPECT_TRUE(ForEachElement(view, [&](std::string_view, const AttributeView&) {
    ++visits;
    return false;
  }));
  EXPECT_EQ(visits, 1);
  EXPECT_FALSE(ForEachElement(AttributeView(AttributeType::kM, std::string_view(map).substr(0, 3)),
                              [](std::string_view, const AttributeView&) { return true; }));
}

TEST(ValueCodecTest, DamageIsDataLoss) {
  struct Row {
    const char* name;
    AttributeType type;
    std::string payload;
  };
  std::string bottomless = Bytes({0});  // an empty list inside 200 lists
  for (int i = 0; i < 200; ++i) {
    std::string outer = Bytes({1, 0xF7});
    std::size_t size = bottomless.size();
    for (; size >= 0x80; size >>= 7) outer += static_cast<char>((size & 0x7F) | 0x80);
    outer += static_cast<char>(size);
    bottomless = bottomless.size() < 15
                     ? Bytes({1, static_cast<int>(bottomless.size() << 4) | 7}) + bottomless
                     : outer + bottomless;
  }
  const std::vector<Row> rows = {
      {"number", AttributeType::kN, "1"},
      {"number without bytes", AttributeType::kN, ""},
      {"boolean 2", AttributeType::kBool, Bytes({2})},
      {"boolean without bytes", AttributeType::kBool, ""},
      {"null with bytes", AttributeType::kNull, "x"},
      {"list without count", AttributeType::kL, ""},
      {"list that ends early", AttributeType::kL, Bytes({2, 0x05})},
      {"list with bytes behind it", AttributeType::kL, Bytes({1, 0x05, 0x05})},
      {"count far beyond the bytes", AttributeType::kL, Bytes({0xFF, 0xFF, 0xFF, 0xFF, 0x0F})},
      {"count of 64 bits", AttributeType::kL,
       Bytes({255, 255, 255, 255, 255, 255, 255, 255, 255, 1})},
      {"overlong varint", AttributeType::kL, Bytes({0x80, 0x00})},
      {"element type 0", AttributeType::kL, Bytes({1, 0x00})},
      {"element type 11", AttributeType::kL, Bytes({1, 0x0B})},
      {"element longer than the rest", AttributeType::kL, Bytes({1, 0xE1, 'x'})},
      {"long form of a short length", AttributeType::kL, Bytes({1, 0xF1, 1, 'x'})},
      {"map names out of order", AttributeType::kM, Bytes({2, 1, 'b', 0x05, 1, 'a', 0x05})},
      {"map name twice", AttributeType::kM, Bytes({2, 1, 'a', 0x05, 1, 'a', 0x05})},
      {"empty set", AttributeType::kSS, Bytes({0})},
      {"set out of order", AttributeType::kSS, Bytes({2, 1, 'b', 1, 'a'})},
      {"set element twice", AttributeType::kBS, Bytes({2, 1, 'a', 1, 'a'})},
      {"number set of garbage", AttributeType::kNS, Bytes({1, 'a', 'b'})},
      {"bottomless nesting", AttributeType::kL, bottomless},
      {"unknown type", static_cast<AttributeType>(11), ""},
  };
  for (const Row& row : rows) {
    const auto value = DecodeValue(AttributeView(row.type, row.payload));
    ASSERT_FALSE(value.ok()) << row.name;
    EXPECT_EQ(value.error().code, ErrorCode::kDataLoss) << row.name;
    EXPECT_EQ(value.error().reason, "value-damaged") << row.name;
  }
  EXPECT_EQ(DecodeValue(AttributeView()).error().code, ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace tablecast
