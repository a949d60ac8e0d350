#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "item/item_codec.h"

namespace tablecast {
namespace {

AttributeValue S(std::string text) { return AttributeValue::String(std::move(text)); }
AttributeValue B(std::string bytes) { return AttributeValue::Binary(std::move(bytes)); }
AttributeValue N(std::string_view text) { return AttributeValue::NumberFromText(text).value(); }
std::string Bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out += static_cast<char>(value);
  return out;
}
TableSchema Schema(AttributeType partition) {
  return {"tab", {{"pk", partition}, std::nullopt}, {}};
}
TableSchema Schema(AttributeType partition, AttributeType sort) {
  return {"tab", {{"pk", partition}, KeyColumn{"sk", sort}}, {}};
}
std::string ReasonOf(const TableSchema& schema, const ItemKey& key) {
  const auto encoded = EncodeKey(schema, key);
  return encoded.ok() ? "ok" : encoded.error().reason;
}

TEST(KeyCodecTest, KeysHaveTheDocumentedBytes) {
  const auto kS = AttributeType::kS;
  const auto kN = AttributeType::kN;
  const auto kB = AttributeType::kB;
  EXPECT_EQ(EncodeKey(Schema(kS), {S("ab"), {}}), Bytes({'a', 'b', 0, 1}));
  EXPECT_EQ(EncodeKey(Schema(kS, kS), {S("ab"), S("c")}), Bytes({'a', 'b', 0, 1, 'c'}));
  EXPECT_EQ(EncodeKey(Schema(kB, kB), {B(Bytes({0, 0})), B(Bytes({0, 255}))}),
            Bytes({0, 255, 0, 255, 0, 1, 0, 255}));
  EXPECT_EQ(EncodeKey(Schema(kN, kN), {N("1"), N("0")}), Bytes({0xC1, 2, 0, 0x80, 0}));
  EXPECT_EQ(EncodeKey(Schema(kN, kS), {N("1000.0"), S("x")}),
            EncodeKey(Schema(kN, kS), {N("1e3"), S("x")}).value());
}

TEST(KeyCodecTest, PartitionPrefixStartsItsKeysAndNoOthers) {
  const TableSchema schema = Schema(AttributeType::kS, AttributeType::kS);
  const std::string prefix = EncodePartitionPrefix(schema, S("a")).value();
  EXPECT_TRUE(EncodeKey(schema, {S("a"), S("x")})->starts_with(prefix));
  EXPECT_FALSE(EncodeKey(schema, {S("ab"), S("x")})->starts_with(prefix));
  EXPECT_FALSE(EncodeKey(schema, {S(std::string("a\0", 2)), S("x")})->starts_with(prefix));
  EXPECT_FALSE(EncodeKey(schema, {S(std::string("a\0\1", 3)), S("x")})->starts_with(prefix));
}

TEST(KeyCodecTest, AdversarialKeysKeepTheirOrderAndComeBack) {
  std::vector<std::string> parts;
  const std::string alphabet = Bytes({0, 1, 2, 'a', 0xFE, 0xFF});
  for (const char a : alphabet) {
    parts.push_back({a});
    for (const char b : alphabet) {
      parts.push_back({a, b});
      for (const char c : alphabet) parts.push_back({a, b, c});
    }
  }
  std::sort(parts.begin(), parts.end());  // by unsigned bytes, shorter prefix first
  const std::vector<std::string> sorts = {Bytes({0}), Bytes({0, 1}), Bytes({1}), Bytes({0xFF}),
                                          Bytes({0xFF, 0})};
  const TableSchema schema = Schema(AttributeType::kB, AttributeType::kB);
  std::string previous;
  for (const std::string& partition : parts) {
    for (const std::string& sort : sorts) {
      const ItemKey key{B(partition), B(sort)};
      const std::string encoded = EncodeKey(schema, key).value();
      EXPECT_LT(previous, encoded);
      EXPECT_EQ(DecodeKey(schema, encoded), key);
      previous = encoded;
    }
  }
}

TEST(KeyCodecTest, LimitsAreThoseOfDynamoDb) {
  const TableSchema schema = Schema(AttributeType::kS, AttributeType::kB);
  const std::string longest(2048, '\0');
  const ItemKey key{S(longest), B(std::string(1024, '\xFF'))};
  const std::string encoded = EncodeKey(schema, key).value();
  EXPECT_EQ(encoded.size(), 2 * 2048U + 2 + 1024);
  EXPECT_EQ(DecodeKey(schema, encoded), key);

  EXPECT_EQ(ReasonOf(schema, {S(longest + "x"), B("s")}), "key-too-long");
  EXPECT_EQ(ReasonOf(schema, {S("p"), B(std::string(1025, 's'))}), "key-too-long");
  EXPECT_EQ(ReasonOf(schema, {S(""), B("s")}), "key-empty");
  EXPECT_EQ(ReasonOf(schema, {S("p"), B("")}), "key-empty");
  EXPECT_EQ(ReasonOf(schema, {B("p"), B("s")}), "key-type");
  EXPECT_EQ(ReasonOf(schema, {S("p"), S("s")}), "key-type");
  EXPECT_EQ(ReasonOf(schema, {S("p"), std::nullopt}), "key-type");
  EXPECT_EQ(ReasonOf(Schema(AttributeType::kS), {S("p"), S("s")}), "key-type");
  EXPECT_EQ(
      EncodeKey(schema, {S(""), B("s")}).error().message,
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
      "contain an empty string value. Key: pk");
  EXPECT_EQ(
      EncodeKey(schema, {S("p"), B("")}).error().message,
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
      "contain an empty binary value. Key: sk");
}

TEST(KeyCodecTest, DamagedKeysAreDataLoss) {
  const TableSchema strings = Schema(AttributeType::kS, AttributeType::kS);
  const TableSchema numbers = Schema(AttributeType::kN, AttributeType::kN);
  const TableSchema alone = Schema(AttributeType::kS);
  struct Row {
    const TableSchema* schema;
    std::string key;
  };
  const std::vector<Row> rows = {
      {&strings, ""},
      {&strings, "abc"},
      {&strings, Bytes({'a', 0})},
      {&strings, Bytes({'a', 0, 2, 'x'})},
      {&strings, Bytes({'a', 0, 0xFF})},
      {&strings, Bytes({'a', 0, 1})},     // no sort part
      {&strings, Bytes({0, 1, 'x'})},     // empty partition
      {&alone, Bytes({'a', 0, 1, 'x'})},  // bytes behind the key
      {&numbers, Bytes({0xC1, 2, 0})},
      {&numbers, Bytes({0xC1, 2, 0, 'x'})},
      {&numbers, Bytes({0xC1, 2, 0, 0x80, 0, 0})},
      {&numbers, Bytes({0xC1, 2})},
  };
  for (const Row& row : rows) {
    const auto key = DecodeKey(*row.schema, row.key);
    ASSERT_FALSE(key.ok()) << ::testing::PrintToString(row.key);
    EXPECT_EQ(key.error().code, ErrorCode::kDataLoss);
    EXPECT_EQ(key.error().reason, "key-damaged");
  }
}

TEST(KeyCodecTest, OrderedScalarsSortByValueInBothDirections) {
  const auto ordered = [](const AttributeValue& value, bool descending) {
    std::string payload;
    AppendPayload(payload, value);
    std::string out;
    AppendOrderedScalar(out, AttributeView(value.type(), payload), descending);
    return out;
  };
  const std::vector<std::vector<AttributeValue>> families = {
      {S(""), S(std::string("\0", 1)), S(std::string("\0\1", 2)), S("a"), S(std::string("a\0", 2)),
       S("aa"), S("b"), S("\xFF")},
      {N("-100"), N("-1.5"), N("-1"), N("0"), N("0.5"), N("1"), N("1.01"), N("20")},
      {AttributeValue::Bool(false), AttributeValue::Bool(true)},
  };
  for (const auto& family : families) {
    std::string null_ascending;
    AppendOrderedNull(null_ascending);
    std::string null_descending;
    AppendOrderedNull(null_descending, true);
    for (std::size_t i = 0; i < family.size(); ++i) {
      EXPECT_LT(null_ascending, ordered(family[i], false));
      EXPECT_GT(null_descending, ordered(family[i], true));
      for (std::size_t j = i + 1; j < family.size(); ++j) {
        // Whatever follows each part must not change the order.
        for (const char* tail : {"", "\xFF\xFF"}) {
          EXPECT_LT(ordered(family[i], false) + tail, ordered(family[j], false)) << i << " " << j;
          EXPECT_GT(ordered(family[i], true), ordered(family[j], true) + tail) << i << " " << j;
        }
      }
    }
  }
  std::string absent;
  AppendOrderedScalar(absent, AttributeView());
  EXPECT_EQ(absent, Bytes({0}));
}

}  // namespace
}  // namespace tablecast
