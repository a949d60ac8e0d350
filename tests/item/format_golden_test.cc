// Pins the stored bytes: tests/golden/format/stored.golden holds one example of every form that
// docs/format.md describes. A change here is a change of the format on disk: it needs a new record
// form and a reader for the old one. TABLECAST_UPDATE_GOLDEN=1 rewrites the file.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "item/item_codec.h"

namespace tablecast {
namespace {

AttributeValue S(std::string text) { return AttributeValue::String(std::move(text)); }
AttributeValue N(std::string_view text) { return AttributeValue::NumberFromText(text).value(); }
std::string Code(std::string_view text) { return EncodeNumberText(text).value(); }

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 64 && i + 1 < bytes.size()) continue;  // long runs: the first bytes and the last
    if (i > 64) out += "..";
    out += kDigits[static_cast<unsigned char>(bytes[i]) >> 4U];
    out += kDigits[static_cast<unsigned char>(bytes[i]) & 0xFU];
  }
  return out + " (" + std::to_string(bytes.size()) + ")";
}

class Golden {
 public:
  void Add(const std::string& name, std::string_view bytes) {
    text_ += name + ": " + Hex(bytes) + "\n";
  }

  void Value(const std::string& name, const AttributeValue& value) {
    std::string payload;
    AppendPayload(payload, value);
    Add("value " + name, payload);
    EXPECT_EQ(DecodeValue(AttributeView(value.type(), payload)).value(), value) << name;
  }

  void Check(const std::string& file) const {
    const std::string path = std::string(TABLECAST_SOURCE_DIR) + "/tests/golden/format/" + file;
    if (std::getenv("TABLECAST_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text_;
    std::ifstream in(path);
    ASSERT_TRUE(in.good()) << path;
    std::stringstream want;
    want << in.rdbuf();
    EXPECT_EQ(text_, want.str());
  }

 private:
  std::string text_;
};

TEST(FormatGoldenTest, StoredBytesStayAsTheyAre) {
  Golden golden;
  for (const char* text : {"0", "1", "-1", "10", "-10", "99.99", "0.05", "1e125", "-1e-130",
                           "3.1415926535897932384626433832795028841"}) {
    golden.Add(std::string("number ") + text, Code(text));
  }

  golden.Value("S", S("caf\xC3\xA9"));
  golden.Value("N", N("-273.15"));
  golden.Value("B", AttributeValue::Binary(std::string("\0\xFF", 2)));
  golden.Value("BOOL true", AttributeValue::Bool(true));
  golden.Value("NULL", AttributeValue::Null());
  golden.Value("L", AttributeValue::ListOf(
                        {S("ab"), N("7"), AttributeValue::Null(), S(std::string(15, 'x'))}));
  golden.Value("M", AttributeValue::MapOf(
                        {{"b", AttributeValue::Bool(false)}, {"a", AttributeValue::ListOf({})}}));
  golden.Value("SS", AttributeValue::SetOf(AttributeType::kSS, {"b", "", "a"}).value());
  golden.Value("NS", AttributeValue::SetOf(AttributeType::kNS, {Code("10"), Code("-1")}).value());
  golden.Value("BS", AttributeValue::SetOf(AttributeType::kBS, {std::string("\0", 1)}).value());

  const TableSchema schema{
      "tab", {{"pk", AttributeType::kS}, KeyColumn{"sk", AttributeType::kN}}, {}};
  AttributeNames names;
  const Item small = {
      {"pk", S("products#23")}, {"sk", N("7")}, {"price", N("19.99")}, {"name", S("pen")}};
  const Item narrow = {{"pk", S("p")}, {"sk", N("7")}, {"name", S(std::string(255, 'x'))}};
  const Item wide = {{"pk", S("p")}, {"sk", N("7")}, {"name", S(std::string(65535, 'x'))}};
  const Item bare = {{"pk", S("p")}, {"sk", N("7")}};
  for (const auto& [name, item] : {std::pair<std::string, const Item&>{"short", small},
                                   {"narrow", narrow},
                                   {"wide", wide},
                                   {"bare", bare}}) {
    golden.Add("record " + name, EncodeRecord(schema, item, names).value());
  }

  golden.Add("key S N", EncodeKey(schema, KeyOf(schema, small).value()).value());
  const TableSchema binary{
      "tab", {{"pk", AttributeType::kB}, KeyColumn{"sk", AttributeType::kB}}, {}};
  golden.Add("key B B with NUL", EncodeKey(binary, {AttributeValue::Binary(std::string("a\0b", 3)),
                                                    AttributeValue::Binary(std::string("\0", 1))})
                                     .value());
  const TableSchema number{"tab", {{"pk", AttributeType::kN}, std::nullopt}, {}};
  golden.Add("key N", EncodeKey(number, {N("42"), std::nullopt}).value());

  for (const bool descending : {false, true}) {
    const std::string direction = descending ? " descending" : " ascending";
    std::string entry;
    AppendOrderedScalar(entry, AttributeView(AttributeType::kS, std::string_view("a\0", 2)),
                        descending);
    AppendOrderedScalar(entry, AttributeView(AttributeType::kN, Code("42")), descending);
    AppendOrderedScalar(entry, AttributeView(AttributeType::kBool, "\x01"), descending);
    AppendOrderedNull(entry, descending);
    golden.Add("ordered S N BOOL none" + direction, entry);
  }
  golden.Check("stored.golden");
}

}  // namespace
}  // namespace tablecast
