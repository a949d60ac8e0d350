// The bytes of columnar sidecars: what is written reads back, damage is found, widths fit the values.

#include "store/columnar_chunk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace tablecast {
namespace {

constexpr std::int64_t kNull = ColumnChunk::kNull;

ColumnChunk Numbers(std::vector<std::int64_t> numbers, std::int32_t scale = 0) {
  ColumnChunk chunk;
  chunk.scale = scale;
  chunk.numbers = std::move(numbers);
  return chunk;
}

ColumnChunk Texts() {
  ColumnChunk chunk;
  chunk.form = ColumnChunk::Form::kTexts;
  chunk.dictionary = {"", "open", std::string("p\0x", 3)};
  chunk.codes = {2, 0, 3, 1, 2};
  return chunk;
}

TEST(ColumnarChunkTest, NumbersReadBack) {
  const std::int64_t edge = std::int64_t{1} << 62;
  for (const ColumnChunk& chunk :
       {Numbers({}), Numbers({kNull, kNull}), Numbers({5}), Numbers({-1, kNull, 253}, 2),
        Numbers({-1, 254}), Numbers({0, 70000, kNull}, 18), Numbers({-edge, edge, kNull, 0}, 9)}) {
    const auto back = DecodeColumnChunk(EncodeColumnChunk(chunk));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back->numbers, chunk.numbers);
    EXPECT_EQ(back->scale, chunk.scale);
    std::vector<std::int64_t> values = chunk.numbers;
    values.erase(std::remove(values.begin(), values.end(), kNull), values.end());
    if (values.empty()) {
      EXPECT_GT(back->least, back->greatest);
    } else {
      EXPECT_EQ(back->least, *std::min_element(values.begin(), values.end()));
      EXPECT_EQ(back->greatest, *std::max_element(values.begin(), values.end()));
    }
  }
}

TEST(ColumnarChunkTest, ValuesTakeTheFewestBytes) {
  const std::size_t fixed = EncodeColumnChunk(Numbers({})).size();
  EXPECT_EQ(EncodeColumnChunk(Numbers({kNull, kNull})).size(), fixed);
  // Large values that lie close together need one byte each.
  EXPECT_EQ(EncodeColumnChunk(Numbers({1'700'000'000'000, 1'700'000'000'254})).size(), fixed + 2);
  EXPECT_EQ(EncodeColumnChunk(Numbers({0, 255})).size(), fixed + 4);
  EXPECT_EQ(EncodeColumnChunk(Numbers({0, 65535})).size(), fixed + 8);
}

TEST(ColumnarChunkTest, TextsReadBack) {
  const ColumnChunk chunk = Texts();
  const auto back = DecodeColumnChunk(EncodeColumnChunk(chunk));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->dictionary, chunk.dictionary);
  EXPECT_EQ(back->codes, chunk.codes);
}

TEST(ColumnarChunkTest, KeysAndHeadersReadBack) {
  KeyChunk keys;
  for (const char* key : {"a", "ab", "abc", "b"}) keys.Add(key);
  const auto keys_back = DecodeKeyChunk(EncodeKeyChunk(keys));
  ASSERT_TRUE(keys_back.ok());
  ASSERT_EQ(keys_back->rows(), 4U);
  EXPECT_EQ(keys_back->Key(0), "a");
  EXPECT_EQ(keys_back->Key(2), "abc");
  EXPECT_EQ(keys_back->Key(3), "b");

  ColumnarHeader header;
  header.fingerprint = "f";
  header.sequence = 77;
  header.columns = {"STATUS", "TOTAL"};
  header.segments = {{1, 3, "a", {true, false}}, {std::numeric_limits<std::uint64_t>::max(), 1, "k", {true, true}}};
  const auto back = DecodeColumnarHeader(EncodeColumnarHeader(header));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->sequence, 77U);
  EXPECT_EQ(back->columns, header.columns);
  ASSERT_EQ(back->segments.size(), 2U);
  EXPECT_EQ(back->segments[0].kept, header.segments[0].kept);
  EXPECT_EQ(back->segments[1].id, header.segments[1].id);
  EXPECT_EQ(back->Rows(), 4U);
}

// Whatever byte changes and wherever the value is cut: an error or other values, never a crash or a
// code without a text.
TEST(ColumnarChunkTest, DamageIsFoundOrHarmless) {
  KeyChunk keys;
  for (const char* key : {"a", "ab", "abc", "b"}) keys.Add(key);
  ColumnarHeader header;
  header.columns = {"A"};
  header.segments = {{1, 3, "a", {true}}};
  for (const std::string& good : {EncodeColumnChunk(Numbers({-1, kNull, 70000})), EncodeColumnChunk(Texts()),
                                  EncodeKeyChunk(keys), EncodeColumnarHeader(header)}) {
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (const int flip : {0x01, 0x80, 0xFF}) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ flip);
        const auto chunk = DecodeColumnChunk(bad);
        if (chunk.ok()) {
          for (const std::uint32_t code : chunk->codes) EXPECT_LE(code, chunk->dictionary.size());
        }
        static_cast<void>(DecodeKeyChunk(bad).ok());
        static_cast<void>(DecodeColumnarHeader(bad).ok());
      }
      EXPECT_FALSE(DecodeColumnChunk(good.substr(0, at)).ok());
      EXPECT_FALSE(DecodeKeyChunk(good.substr(0, at)).ok());
      EXPECT_FALSE(DecodeColumnarHeader(good.substr(0, at)).ok());
    }
  }
}

}  // namespace
}  // namespace tablecast
