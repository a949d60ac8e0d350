#include "store/key_space.h"

#include <map>
#include <random>
#include <string>

#include "store/key_layout.h"
#include "tests/conformance/store_test_items.h"
#include "tests/store/store_test_directory.h"

namespace tablecast::testing {
namespace {

// Keys around every length at which the layout changes, sharing long prefixes, ending in 00 and FF.
std::string AdversarialKey(std::mt19937& random) {
  static const std::size_t lengths[] = {0, 1, 2, 498, 499, 500, 501, 999, 1000, 1001, 1500, 3000};
  std::string key(lengths[random() % std::size(lengths)], "\x00\x01\xFFp"[random() % 4]);
  for (unsigned i = 0; i < random() % 4; ++i) {
    if (!key.empty()) key[random() % key.size()] = static_cast<char>(random());
  }
  for (unsigned i = 0; i < random() % 3; ++i) key += "\x00\x01\xFFz"[random() % 4];
  return key;
}

using Oracle = std::map<std::string, std::string>;

void ExpectSame(const LmdbTxn& txn, const std::string& prefix, const Oracle& oracle,
                std::mt19937& random) {
  {
    SpaceCursor cursor(txn, prefix);
    cursor.SeekFirst();
    for (const auto& [key, value] : oracle) {
      ASSERT_TRUE(cursor.valid());
      ASSERT_EQ(cursor.key(), key);
      ASSERT_EQ(cursor.value(), value);
      cursor.Next();
    }
    ASSERT_FALSE(cursor.valid());
    cursor.SeekLast();
    for (auto at = oracle.rbegin(); at != oracle.rend(); ++at) {
      ASSERT_TRUE(cursor.valid());
      ASSERT_EQ(cursor.key(), at->first);
      cursor.Prev();
    }
    ASSERT_FALSE(cursor.valid());
    ASSERT_OK(cursor.status());
  }
  // Forwards and backwards from anywhere, over what was read ahead.
  for (int i = 0; i < 5; ++i) {
    auto at = oracle.lower_bound(AdversarialKey(random));
    SpaceCursor cursor(txn, prefix);
    if (at == oracle.end() || !cursor.SeekAtLeast(at->first)) continue;
    for (int moves = 0; moves < 60 && cursor.valid(); ++moves) {
      ASSERT_EQ(cursor.key(), at->first);
      ASSERT_EQ(cursor.value(), at->second);
      if (random() % 4 != 0) {
        cursor.Next();
        if (++at == oracle.end()) {
          ASSERT_FALSE(cursor.valid());
        }
      } else {
        cursor.Prev();
        if (at-- == oracle.begin()) {
          ASSERT_FALSE(cursor.valid());
        }
      }
    }
  }
  for (int i = 0; i < 40; ++i) {
    const std::string probe = AdversarialKey(random);
    const auto at_least = oracle.lower_bound(probe);
    SpaceCursor cursor(txn, prefix);
    ASSERT_EQ(cursor.SeekAtLeast(probe), at_least != oracle.end());
    if (cursor.valid()) {
      ASSERT_EQ(cursor.key(), at_least->first);
    }
    ASSERT_EQ(cursor.SeekBefore(probe), at_least != oracle.begin());
    if (cursor.valid()) {
      ASSERT_EQ(cursor.key(), std::prev(at_least)->first);
    }
    const auto found = SpaceGet(txn, prefix, probe);
    ASSERT_OK(found);
    ASSERT_EQ(found->has_value(), oracle.contains(probe));
  }
}

TEST(KeySpaceTest, BehavesLikeAnOrderedMapForKeysOfAnyLength) {
  const StoreTestDirectory directory;
  auto env = *LmdbEnv::Open(directory.path(), {});
  std::mt19937 random(20240601);
  const std::string prefixes[] = {TablePrefix(RecordKind::kItem, 1),
                                  TablePrefix(RecordKind::kItem, 2),
                                  IndexPrefix(RecordKind::kDerived, 1, 3)};
  std::map<std::string, Oracle> oracles;
  for (int round = 0; round < 60; ++round) {
    auto txn = *env->BeginWrite();
    for (int i = 0; i < 30; ++i) {
      const std::string& prefix = prefixes[random() % std::size(prefixes)];
      Oracle& oracle = oracles[prefix];
      std::string key = AdversarialKey(random);
      if (random() % 3 == 0 && !oracle.empty())
        key = oracle.lower_bound(key) != oracle.end() ? oracle.lower_bound(key)->first
                                                      : oracle.begin()->first;
      if (random() % 3 == 0) {
        const auto deleted = SpaceDelete(txn, prefix, key);
        ASSERT_OK(deleted);
        ASSERT_EQ(*deleted, oracle.erase(key) == 1);
      } else {
        const std::string value(random() % 5 == 0 ? 9000 : 3, static_cast<char>(random()));
        const auto fresh = SpacePut(txn, prefix, key, value);
        ASSERT_OK(fresh);
        ASSERT_EQ(*fresh, !oracle.contains(key));
        oracle[key] = value;
      }
    }
    for (const std::string& prefix : prefixes) {
      ExpectSame(txn, prefix, oracles[prefix], random);
      if (HasFatalFailure()) return;
    }
    ASSERT_OK(txn.Commit());
  }
  EXPECT_GT(oracles[prefixes[0]].size(), 100U);
}

TEST(KeySpaceTest, EmptiedBucketsGoAway) {
  const StoreTestDirectory directory;
  auto env = *LmdbEnv::Open(directory.path(), {});
  auto txn = *env->BeginWrite();
  const std::string prefix = TablePrefix(RecordKind::kItem, 1);
  const std::string keys[] = {std::string(3000, 'a'), std::string(3000, 'a') + "b",
                              std::string(1700, 'a')};
  for (const std::string& key : keys) ASSERT_OK(SpacePut(txn, prefix, key, "v"));
  for (const std::string& key : keys) ASSERT_TRUE(*SpaceDelete(txn, prefix, key));
  LmdbCursor cursor(txn);
  std::size_t records = 0;
  for (bool found = cursor.First(); found; found = cursor.Next()) ++records;
  EXPECT_EQ(records, 1U) << "only the counter of bucket numbers is left";
}

TEST(KeySpaceTest, PurgeRemovesEverythingInBoundedSteps) {
  const StoreTestDirectory directory;
  auto env = *LmdbEnv::Open(directory.path(), {});
  auto txn = *env->BeginWrite();
  std::mt19937 random(7);
  const std::string prefix = TablePrefix(RecordKind::kItem, 1);
  const std::string other = TablePrefix(RecordKind::kItem, 2);
  for (int i = 0; i < 300; ++i) ASSERT_OK(SpacePut(txn, prefix, AdversarialKey(random), "v"));
  ASSERT_OK(SpacePut(txn, other, std::string(700, 'k'), "stays"));
  int steps = 0;
  for (bool done = false; !done; ++steps) done = *SpacePurge(txn, prefix, 10);
  EXPECT_GT(steps, 10);
  std::size_t records = 0;
  LmdbCursor cursor(txn);
  for (bool found = cursor.First(); found; found = cursor.Next()) ++records;
  EXPECT_EQ(records, 3U) << "the counter, and name and rest of the other space's key";
  EXPECT_EQ(*SpaceGet(txn, other, std::string(700, 'k')), "stays");
}

}  // namespace
}  // namespace tablecast::testing
