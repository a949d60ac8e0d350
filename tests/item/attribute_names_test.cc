#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "item/item.h"

namespace tablecast {
namespace {

TEST(AttributeNamesTest, NumbersAreGivenInOrderOfAppearance) {
  AttributeNames names;
  EXPECT_EQ(names.size(), 0U);
  EXPECT_EQ(names.Find("a"), AttributeNames::kNone);
  EXPECT_EQ(names.Name(0), "");
  EXPECT_EQ(names.Intern("a"), AttributeNames::Id{0});
  EXPECT_EQ(names.Intern("b"), AttributeNames::Id{1});
  EXPECT_EQ(names.Intern("a"), AttributeNames::Id{0});
  EXPECT_EQ(names.size(), 2U);
  EXPECT_EQ(names.Find("b"), 1);
  EXPECT_EQ(names.Name(1), "b");
  EXPECT_EQ(names.Name(AttributeNames::kNone), "");
}

TEST(AttributeNamesTest, NamesNeverMove) {
  AttributeNames names;
  ASSERT_TRUE(names.Intern("first").ok());
  const std::string_view first = names.Name(0);
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(names.Intern("name" + std::to_string(i)).ok());
  EXPECT_EQ(names.Name(0).data(), first.data());
  EXPECT_EQ(first, "first");
}

TEST(AttributeNamesTest, HoldsEveryNumberAndThenRefuses) {
  AttributeNames names;
  for (int i = 0; i < 65535; ++i) {
    ASSERT_EQ(names.Intern(std::to_string(i)), static_cast<AttributeNames::Id>(i));
  }
  const auto refused = names.Intern("one more");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(refused.error().reason, "too-many-attribute-names");
  EXPECT_EQ(names.Intern("65534"), AttributeNames::Id{65534});
  for (int i = 0; i < 65535; ++i) {
    ASSERT_EQ(names.Find(std::to_string(i)), i);
    ASSERT_EQ(names.Name(static_cast<AttributeNames::Id>(i)), std::to_string(i));
  }
  EXPECT_EQ(names.Find("one more"), AttributeNames::kNone);
}

// Readers run beside two writers. A found name must be the right one; a published number must have
// its name. Meaningful above all under ThreadSanitizer.
TEST(AttributeNamesTest, ReadersRunBesideWriters) {
  AttributeNames names;
  constexpr int kNames = 3000;
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&] {
      while (!done.load()) {
        const std::size_t size = names.size();
        for (std::size_t i = 0; i < size; ++i) {
          const auto id = static_cast<AttributeNames::Id>(i);
          if (names.Name(id).empty()) ++wrong;
        }
        for (int i = 0; i < kNames; i += 97) {
          const std::string name = std::to_string(i);
          const AttributeNames::Id id = names.Find(name);
          if (id != AttributeNames::kNone && names.Name(id) != name) ++wrong;
        }
      }
    });
  }
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 2; ++writer) {
    writers.emplace_back([&] {
      for (int i = 0; i < kNames; ++i) {
        if (!names.Intern(std::to_string(i)).ok()) ++wrong;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kNames));
}

}  // namespace
}  // namespace tablecast
