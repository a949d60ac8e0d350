// Properties of the stored forms, over random items. TABLECAST_SEED changes the seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "item/item_codec.h"
#include "tests/item/random_item.h"

namespace tablecast {
namespace {

unsigned Seed() {
  const char* text = std::getenv("TABLECAST_SEED");
  return text == nullptr ? 4711U : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

// Bytes in a heap block of exactly their size, so that a sanitizer sees any read beyond them.
class ExactBytes {
 public:
  explicit ExactBytes(std::string_view bytes)
      : bytes_(new char[bytes.size()]), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), bytes_.get());
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_;
};

constexpr AttributeType kKeyTypes[] = {AttributeType::kS, AttributeType::kN, AttributeType::kB};

std::vector<TableSchema> KeySchemas() {
  std::vector<TableSchema> schemas;
  for (const AttributeType partition : kKeyTypes) {
    schemas.push_back({"tab", {{"pk", partition}, std::nullopt}, {}});
    for (const AttributeType sort : kKeyTypes) {
      schemas.push_back({"tab", {{"pk", partition}, KeyColumn{"sk", sort}}, {}});
    }
  }
  return schemas;
}

// Touches everything that a reader of the view can touch.
void ReadAll(const AttributeView& view, int depth) {
  if (!view.present()) return;
  if (view.Is(AttributeType::kN)) {
    NumberText(view.payload());
    NumberItemSize(view.payload());
  }
  if (view.Is(AttributeType::kBool)) static_cast<void>(view.AsBool());
  const std::size_t count = ElementCount(view);
  EXPECT_LE(count, view.payload().size());
  MapMember(view, "a");
  ListElement(view, count / 2);
  if (depth == 0) return;
  ForEachElement(view, [&](std::string_view, const AttributeView& element) {
    ReadAll(element, depth - 1);
    return true;
  });
}

void ReadAll(const ItemView& view) {
  ReadAll(view.partition(), 0);
  ReadAll(view.sort(), 0);
  for (std::size_t i = 0; i < view.AttributeCount(); ++i) {
    const ItemView::Attribute attribute = view.AttributeAt(i);
    ReadAll(attribute.value, 6);
    view.FindById(attribute.id);
  }
  view.FindById(0);
  view.FindById(AttributeNames::kNone);
}

std::strong_ordering CompareByValue(const AttributeValue& a, const AttributeValue& b) {
  if (a.Is(AttributeType::kN)) return a.NumberAsDecimal() <=> b.NumberAsDecimal();
  const std::string& x = a.Is(AttributeType::kS) ? a.text() : a.bytes();
  const std::string& y = b.Is(AttributeType::kS) ? b.text() : b.bytes();
  return std::lexicographical_compare_three_way(
      x.begin(), x.end(), y.begin(), y.end(), [](char c, char d) {
        return static_cast<unsigned char>(c) <=> static_cast<unsigned char>(d);
      });
}

std::strong_ordering CompareByValue(const ItemKey& a, const ItemKey& b) {
  const std::strong_ordering partition = CompareByValue(a.partition, b.partition);
  if (partition != 0 || !a.sort) return partition;
  return CompareByValue(*a.sort, *b.sort);
}

TEST(CodecPropertyTest, RandomItemsRoundTrip) {
  SCOPED_TRACE("seed " + std::to_string(Seed()));
  RandomItems random(Seed());
  for (const TableSchema& schema : KeySchemas()) {
    AttributeNames names;
    for (int i = 0; i < 60; ++i) {
      const Item item = random.MakeItem(schema, 20);
      const ItemKey key = KeyOf(schema, item).value();
      const std::string encoded_key = EncodeKey(schema, key).value();
      const std::string record = EncodeRecord(schema, item, names).value();
      EXPECT_EQ(EncodeRecord(schema, item, names).value(), record) << "encoding is deterministic";
      const ExactBytes stored(record);
      const ItemView view(schema, names, encoded_key, stored.view());
      ASSERT_EQ(view.ToItem().value(), item);
      ASSERT_EQ(view.ToKey().value(), key);
      for (const auto& [name, value] : item) {
        ASSERT_EQ(DecodeValue(view.Find(name)).value(), value) << name;
      }
      EXPECT_FALSE(view.Find("no such attribute").present());
    }
  }
}

TEST(CodecPropertyTest, KeyOrderIsValueOrder) {
  SCOPED_TRACE("seed " + std::to_string(Seed()));
  RandomItems random(Seed() + 1);
  for (const TableSchema& schema : KeySchemas()) {
    std::vector<std::pair<ItemKey, std::string>> keys;
    for (int i = 0; i < 250; ++i) {
      ItemKey key{random.Key(schema.key.partition.type, kMaxPartitionKeyBytes), std::nullopt};
      if (!keys.empty() && random.Below(2) == 0)
        key.partition = keys[random.Below(keys.size())].first.partition;
      if (schema.key.sort) key.sort = random.Key(schema.key.sort->type, kMaxSortKeyBytes);
      std::string encoded = EncodeKey(schema, key).value();
      ASSERT_EQ(DecodeKey(schema, encoded).value(), key);
      ASSERT_TRUE(encoded.starts_with(EncodePartitionPrefix(schema, key.partition).value()));
      for (const auto& [other, other_encoded] : keys) {
        const std::strong_ordering by_value = CompareByValue(key, other);
        ASSERT_EQ(by_value, encoded <=> other_encoded);
        const bool same_partition = CompareByValue(key.partition, other.partition) == 0;
        ASSERT_EQ(other_encoded.starts_with(EncodePartitionPrefix(schema, key.partition).value()),
                  same_partition);
      }
      keys.emplace_back(std::move(key), std::move(encoded));
    }
  }
}

TEST(CodecPropertyTest, CompoundIndexEntriesKeepTheirOrder) {
  SCOPED_TRACE("seed " + std::to_string(Seed()));
  RandomItems random(Seed() + 2);
  struct Entry {
    AttributeValue first;
    AttributeValue second;
    std::string bytes;  // first ascending, second descending
  };
  std::vector<Entry> entries;
  const auto append = [](std::string& out, const AttributeValue& value, bool descending) {
    std::string payload;
    AppendPayload(payload, value);
    AppendOrderedScalar(out, AttributeView(value.type(), payload), descending);
  };
  for (int i = 0; i < 300; ++i) {
    const AttributeType type = kKeyTypes[i % 3];
    Entry entry{random.Key(type, 40), random.Key(AttributeType::kS, 40), {}};
    if (i > 3 && random.Below(2) == 0) entry.first = entries[entries.size() - 3].first;
    append(entry.bytes, entry.first, false);
    append(entry.bytes, entry.second, true);
    for (const Entry& other : entries) {
      std::strong_ordering want = entry.first.type() <=> other.first.type();
      if (want == 0) want = CompareByValue(entry.first, other.first);
      if (want == 0) want = CompareByValue(other.second, entry.second);
      ASSERT_EQ(want, entry.bytes <=> other.bytes);
    }
    entries.push_back(std::move(entry));
  }
}

TEST(CodecPropertyTest, CutRecordsAndKeysAreDataLoss) {
  SCOPED_TRACE("seed " + std::to_string(Seed()));
  RandomItems random(Seed() + 3);
  for (const TableSchema& schema : KeySchemas()) {
    AttributeNames names;
    for (int i = 0; i < 4; ++i) {
      const Item item = random.MakeItem(schema, 6);
      const std::string key = EncodeKey(schema, KeyOf(schema, item).value()).value();
      const std::string record = EncodeRecord(schema, item, names).value();
      for (std::size_t size = 0; size < record.size(); ++size) {
        const ExactBytes cut(std::string_view(record).substr(0, size));
        const ItemView view(schema, names, key, cut.view());
        ReadAll(view);
        const auto decoded = view.ToItem();
        ASSERT_FALSE(decoded.ok()) << size << " of " << record.size();
        ASSERT_EQ(decoded.error().code, ErrorCode::kDataLoss);
      }
      for (std::size_t size = 0; size < std::min<std::size_t>(key.size(), 64); ++size) {
        const ExactBytes cut(std::string_view(key).substr(0, size));
        const ItemView view(schema, names, cut.view(), record);
        ReadAll(view);
        const auto decoded = DecodeKey(schema, cut.view());
        // A raw sort key cut short is another sort key; without one, nothing may be cut.
        ASSERT_FALSE(decoded.ok() && !schema.key.sort);
        if (!decoded.ok()) {
          ASSERT_EQ(decoded.error().code, ErrorCode::kDataLoss);
        }
      }
    }
  }
}

TEST(CodecPropertyTest, FlippedBitsAreDataLossOrAnotherItem) {
  SCOPED_TRACE("seed " + std::to_string(Seed()));
  RandomItems random(Seed() + 4);
  const TableSchema schema{
      "tab", {{"pk", AttributeType::kB}, KeyColumn{"sk", AttributeType::kN}}, {}};
  AttributeNames names;
  int lost = 0;
  for (int i = 0; i < 30; ++i) {
    const Item item = random.MakeItem(schema, 8);
    const std::string key = EncodeKey(schema, KeyOf(schema, item).value()).value();
    const std::string record = EncodeRecord(schema, item, names).value();
    for (int flip = 0; flip < 200; ++flip) {
      std::string damaged = record;
      for (std::size_t n = 1 + random.Below(3); n > 0; --n) {
        char& byte = damaged[random.Below(damaged.size())];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << random.Below(8)));
      }
      const ExactBytes stored(damaged);
      const ItemView view(schema, names, key, stored.view());
      ReadAll(view);
      const auto decoded = view.ToItem();
      if (!decoded.ok()) {
        ASSERT_EQ(decoded.error().code, ErrorCode::kDataLoss);
        ++lost;
        continue;
      }
      // Whatever decodes is a proper item: it is stored and read back the same.
      const std::string again = EncodeRecord(schema, *decoded, names).value();
      ASSERT_EQ(ItemView(schema, names, key, again).ToItem().value(), *decoded);
    }
  }
  EXPECT_GT(lost, 1000);  // structure is checked, not merely survived
}

TEST(CodecPropertyTest, GarbageIsNeverReadOutOfBounds) {
  SCOPED_TRACE("seed " + std::to_string(Seed()));
  RandomItems random(Seed() + 5);
  AttributeNames names;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(names.Intern("n" + std::to_string(i)).ok());
  const TableSchema schema{"tab", {{"pk", AttributeType::kS}, std::nullopt}, {}};
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = random.Bytes(60);
    if (!bytes.empty() && random.Below(2) == 0) bytes[0] = static_cast<char>(1 + random.Below(2));
    if (bytes.size() > 2 && random.Below(2) == 0) bytes[2] = '\0';
    const ExactBytes stored(bytes);
    const ItemView view(schema, names, stored.view(), stored.view());
    ReadAll(view);
    if (const auto item = view.ToItem(); !item.ok()) {
      ASSERT_EQ(item.error().code, ErrorCode::kDataLoss);
    }
    for (int type = 0; type <= 11; ++type) {
      const AttributeView value(static_cast<AttributeType>(type), stored.view());
      ReadAll(value, 6);
      if (const auto decoded = DecodeValue(value); !decoded.ok()) {
        ASSERT_EQ(decoded.error().code, ErrorCode::kDataLoss);
      }
    }
  }
}

}  // namespace
}  // namespace tablecast
