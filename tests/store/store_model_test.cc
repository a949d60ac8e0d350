// Random writes through two handles of one durable store (as two processes have them: one maintains
// the derived indexes, the other knows of none), compared after every round with MemoryItemStore.

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "item/item_codec.h"
#include "store/lmdb_item_store.h"
#include "store/memory_item_store.h"
#include "store/secondary_index.h"
#include "tests/conformance/store_test_items.h"
#include "tests/conformance/test_maintainer.h"
#include "tests/store/store_test_directory.h"

namespace tablecast::testing {
namespace {

constexpr const char* kTable = "Things";

int Rounds() {
  const char* multiplier = std::getenv("TABLECAST_LONG_TESTS");
  return 60 * (multiplier != nullptr ? std::max(1, std::atoi(multiplier)) : 1);
}

TableSchema Schema() {
  TableSchema schema = PairTable(kTable);
  schema.key.partition.type = AttributeType::kB;
  schema.indexes = {
      IndexOn("byKind", {"kind", AttributeType::kS}, KeyColumn{"n", AttributeType::kN}),
      IndexOn("byNumber", {"n", AttributeType::kN}, std::nullopt, ProjectionType::kInclude,
              {"score"})};
  return schema;
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}
  unsigned Below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  ItemKey Key() { return {AttributeValue::Binary(Text("p")), S(Text("s"))}; }
  AttributeValue Number() { return N(std::to_string(static_cast<int>(Below(7)) - 3)); }

  Item Random() {
    ItemKey key = Key();
    Item item{{"pk", std::move(key.partition)}, {"sk", *std::move(key.sort)}};
    if (Below(3) != 0) item.emplace("kind", S(Text("k")));
    if (Below(3) != 0) item.emplace("n", Number());
    if (Below(2) == 0) item.emplace("score", Below(2) == 0 ? Number() : S(Text("score")));
    if (Below(3) == 0)
      item.emplace("tags", *AttributeValue::SetOf(
                               AttributeType::kSS,
                               Below(2) == 0 ? AttributeValue::Set{"a", "b"}
                                             : AttributeValue::Set{"b", std::string(450, 'b')}));
    if (Below(4) == 0) item.emplace("extra" + std::to_string(Below(40)), Number());
    if (Below(20) == 0) item.emplace("large", S(std::string(3000 + Below(9000), 'x')));
    return item;
  }

  KeyCondition Condition(bool numbers) {
    KeyCondition condition;
    if (Below(3) != 0) condition.partition = Column(false, numbers);
    if (Below(2) != 0) condition.sort = Column(true, numbers);
    return condition;
  }

 private:
  // Short texts collide often; long ones exercise the buckets.
  std::string Text(const std::string& stem) {
    if (Below(6) == 0) return stem + std::string(495 + Below(10), 'L') + std::to_string(Below(3));
    return stem + std::to_string(Below(12));
  }
  // For tables: B partition, S sort. For the index byKind: S, then N.
  AttributeValue Value(bool sort, bool numbers) {
    if (numbers) return sort ? Number() : S(Text("k"));
    return sort ? S(Text("s")) : AttributeValue::Binary(Text("p"));
  }
  ColumnCondition Column(bool sort, bool numbers) {
    switch (Below(4)) {
      case 0: return Equal(Value(sort, numbers));
      case 1: return AnyOf({Value(sort, numbers), Value(sort, numbers), Value(sort, numbers)});
      case 2: return Prefix(sort ? "s1" : numbers ? "k1" : "p1");
      default:
        return Between(
            Below(3) != 0 ? std::optional(Value(sort, numbers)) : std::nullopt, Below(2) == 0,
            Below(3) != 0 ? std::optional(Value(sort, numbers)) : std::nullopt, Below(2) == 0);
    }
  }
  std::mt19937 random_;
};

std::vector<Item> Read(const ReadSnapshot& snapshot, const std::string& index,
                       const KeyCondition& condition, const ReadOptions& options,
                       std::size_t limit) {
  std::vector<Item> items;
  const ItemVisitor visit = [&](const ItemView& view) {
    items.push_back(*view.ToItem());
    return items.size() < limit;
  };
  const auto visited = index.empty()
                           ? snapshot.Query(kTable, condition, options, visit)
                           : snapshot.QueryIndex(kTable, index, condition, options, visit);
  EXPECT_TRUE(visited.ok()) << visited.error().ToString();
  return items;
}

std::vector<std::string> Entries(const ReadSnapshot& snapshot, const DerivedIndex& index,
                                 const IndexRange& range) {
  std::vector<std::string> entries;
  const auto visited = snapshot.ScanDerived(kTable, index, range, [&](const IndexEntryView& entry) {
    entries.push_back(std::string(entry.order) + "|" + std::string(entry.payload) + "|" +
                      std::string(entry.item_key) + (entry.truncated ? "|cut" : ""));
    return true;
  });
  EXPECT_TRUE(visited.ok()) << visited.error().ToString();
  const auto count = snapshot.CountDerived(kTable, index);
  EXPECT_TRUE(count.ok());
  if (range.lower.empty() && !range.upper) {
    EXPECT_EQ(*count, entries.size());
  }
  return entries;
}

std::vector<std::string> Changes(const ReadSnapshot& snapshot, std::uint64_t after) {
  std::vector<std::string> changes;
  const auto visited = snapshot.Changes(kTable, after, [&](const Change& change) {
    changes.push_back(std::to_string(change.sequence) + change.key +
                      (change.old_item ? std::to_string(ItemSize(*change.old_item)) : "none"));
    return true;
  });
  if (!visited.ok()) changes.push_back(visited.error().reason);
  return changes;
}

class StoreModelTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(StoreModelTest, TwoWritersOfADurableStoreEqualTheOracle) {
  const StoreTestDirectory directory;
  LmdbOptions options;
  options.change_log.max_entries = 60;
  options.build_step_items = 20;
  auto knowing = *LmdbItemStore::Open(directory.path(), options);
  auto plain = *LmdbItemStore::Open(directory.path(), options);
  MemoryItemStore oracle(MemoryItemStore::Options{.change_log_max_entries = 60});
  const auto maintainer = std::make_shared<TestMaintainer>();
  ASSERT_OK(knowing->CreateTable(Schema()));
  ASSERT_OK(oracle.CreateTable(Schema()));
  ASSERT_OK(knowing->SetMaintainer(kTable, maintainer));
  ASSERT_OK(oracle.SetMaintainer(kTable, maintainer));
  Generator random(GetParam());

  for (int round = 0; round < Rounds(); ++round) {
    // The same transaction on both stores; some end in an error and must leave nothing.
    std::vector<Item> puts;
    std::vector<ItemKey> deletes;
    const unsigned size = random.Below(8) == 0 ? 80 : 1 + random.Below(6);
    for (unsigned i = 0; i < size; ++i) {
      puts.push_back(random.Random());
      deletes.push_back(random.Key());
    }
    const bool fail = random.Below(5) == 0;
    const auto body = [&](WriteTransaction& txn) -> Status {
      for (std::size_t i = 0; i < puts.size(); ++i) {
        TABLECAST_RETURN_IF_ERROR(txn.Put(kTable, puts[i]));
        TABLECAST_RETURN_IF_ERROR(txn.Delete(kTable, deletes[i]));
      }
      if (fail) return MakeError(ErrorCode::kAborted, "model", "undone");
      return {};
    };
    LmdbItemStore& writer = random.Below(2) == 0 ? *knowing : *plain;
    ASSERT_EQ(writer.Write(body).ok(), !fail);
    ASSERT_EQ(oracle.Write(body).ok(), !fail);
    if (random.Below(4) == 0) {  // some steps of a build, then it is stopped
      int steps = 1 + static_cast<int>(random.Below(4));
      (void)knowing->BuildIndexes(kTable,
                                  [&](std::uint64_t, std::uint64_t) { return --steps > 0; });
    }

    const auto stored = *(random.Below(2) == 0 ? knowing : plain)->BeginRead();
    const auto wanted = *oracle.BeginRead();
    const TableInfo info = *stored->Describe(kTable);
    ASSERT_EQ(info.item_count, wanted->Describe(kTable)->item_count);
    ASSERT_EQ(info.sequence, wanted->Describe(kTable)->sequence);
    for (int i = 0; i < 4; ++i) {
      const std::string index = i < 2 ? "" : i == 2 ? "byKind" : "byNumber";
      KeyCondition condition = random.Condition(i >= 2);
      if (i == 3)
        condition = {random.Below(2) == 0 ? Equal(random.Number())
                                          : Between(random.Number(), true, std::nullopt),
                     {}};
      ReadOptions read{.descending = random.Below(2) == 0, .after_key = std::nullopt};
      if (random.Below(2) == 0 && i < 2) read.after_key = *EncodeKey(Schema(), random.Key());
      const std::size_t limit = random.Below(2) == 0 ? 1000 : 3;
      ASSERT_EQ(Read(*stored, index, condition, read, limit),
                Read(*wanted, index, condition, read, limit))
          << "round " << round << " index " << index;
    }
    for (const std::uint64_t back :
         {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{60}, std::uint64_t{61}}) {
      if (back > info.sequence) continue;
      ASSERT_EQ(Changes(*stored, info.sequence - back), Changes(*wanted, info.sequence - back));
    }
    if (round % 5 != 0) continue;
    ASSERT_OK(knowing->BuildIndexes(kTable, nullptr));
    ASSERT_OK(oracle.BuildIndexes(kTable, nullptr));
    const auto built = *plain->BeginRead();
    const auto oracle_built = *oracle.BeginRead();
    const auto report = knowing->CheckIntegrity();
    ASSERT_OK(report);
    ASSERT_TRUE(report->issues.empty())
        << report->issues.front().code << " " << report->issues.front().message;
    for (const DerivedIndex& index : maintainer->indexes()) {
      IndexRange range{.lower = random.Below(2) == 0 ? "b" : "",
                       .upper = std::nullopt,
                       .descending = random.Below(2) == 0,
                       .after = std::nullopt};
      ASSERT_EQ(Entries(*built, index, range), Entries(*oracle_built, index, range))
          << "round " << round << " " << index.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreModelTest, ::testing::Values(1U, 2U, 3U));

}  // namespace
}  // namespace tablecast::testing
