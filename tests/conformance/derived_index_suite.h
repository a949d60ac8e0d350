#ifndef TABLECAST_TESTS_CONFORMANCE_DERIVED_INDEX_SUITE_H_
#define TABLECAST_TESTS_CONFORMANCE_DERIVED_INDEX_SUITE_H_

// Derived indexes and the change log, for every ItemStore. The Fixture is that of
// item_store_suite.h.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "item/item_codec.h"
#include "store/item_store.h"
#include "tests/conformance/store_test_items.h"
#include "tests/conformance/test_maintainer.h"

namespace tablecast::testing {

template <class Fixture>
class DerivedIndexSuite : public ::testing::Test {
 protected:
  static constexpr const char* kTable = "Things";

  ItemStore& store() { return fixture_.store(); }
  std::unique_ptr<ReadSnapshot> Read() { return *store().BeginRead(); }
  void SetUp() override { ASSERT_OK(store().CreateTable(PairTable(kTable))); }

  void PutAll(const std::vector<Item>& items) {
    ASSERT_OK(store().Write([&](WriteTransaction& txn) -> Status {
      for (const Item& item : items) TABLECAST_RETURN_IF_ERROR(txn.Put(kTable, item));
      return {};
    }));
  }
  void Delete(const std::string& partition, const std::string& sort) {
    ASSERT_OK(store().Write([&](WriteTransaction& txn) -> Status {
      TABLECAST_RETURN_IF_ERROR(txn.Delete(kTable, {S(partition), S(sort)}));
      return {};
    }));
  }
  void Maintain(std::shared_ptr<const IndexMaintainer> maintainer) {
    ASSERT_OK(store().SetMaintainer(kTable, std::move(maintainer)));
  }
  void Build() { ASSERT_OK(store().BuildIndexes(kTable, nullptr)); }
  IndexState StateOf(const DerivedIndex& index) {
    const TableInfo table = *Read()->Describe(kTable);
    for (const DerivedIndexInfo& info : table.derived) {
      if (info.definition == index) return info.state;
    }
    return IndexState::kMissing;
  }
  // "order@partition/sort=payload" of each entry, or the error's reason.
  std::vector<std::string> Entries(const DerivedIndex& index, const IndexRange& range = {}) {
    std::vector<std::string> out;
    auto snapshot = Read();
    const TableSchema* schema = *snapshot->Schema(kTable);
    const auto visited =
        snapshot->ScanDerived(kTable, index, range, [&](const IndexEntryView& entry) {
          const ItemKey key = *DecodeKey(*schema, entry.item_key);
          out.push_back(std::string(entry.order) + "@" + key.partition.text() + "/" +
                        key.sort->text() +
                        (entry.payload.empty() ? "" : "=" + std::string(entry.payload)));
          return true;
        });
    if (!visited.ok()) return {visited.error().reason};
    EXPECT_EQ(*visited, out.size());
    return out;
  }
  std::vector<std::string> ChangesAfter(std::uint64_t sequence) {
    std::vector<std::string> out;
    auto snapshot = Read();
    const TableSchema* schema = *snapshot->Schema(kTable);
    const auto visited = snapshot->Changes(kTable, sequence, [&](const Change& change) {
      const ItemKey key = *DecodeKey(*schema, change.key);
      out.push_back(std::to_string(change.sequence) +
                    (change.kind == ChangeKind::kPut ? " put " : " delete ") +
                    key.partition.text() + "/" + key.sort->text() +
                    (change.old_item ? " was " + change.old_item->at("kind").text() : ""));
      return true;
    });
    if (!visited.ok()) return {visited.error().reason};
    return out;
  }

  Fixture fixture_;
};

TYPED_TEST_SUITE_P(DerivedIndexSuite);

TYPED_TEST_P(DerivedIndexSuite, AnIndexIsMissingUntilBuiltThenMaintained) {
  this->PutAll({Pair("a", "1", {{"kind", S("x")}}), Pair("b", "1")});
  auto maintainer = std::make_shared<TestMaintainer>();
  this->Maintain(maintainer);
  EXPECT_EQ(this->StateOf(maintainer->member()), IndexState::kMissing);
  EXPECT_FALSE(this->Read()->IsDerivedReady(this->kTable, maintainer->member()));
  EXPECT_ERROR(this->Read()->CountDerived(this->kTable, maintainer->member()),
               ErrorCode::kFailedPrecondition, "index-not-ready");
  EXPECT_THAT(this->Entries(maintainer->member()), ::testing::ElementsAre("index-not-ready"));
  this->Build();
  EXPECT_TRUE(this->Read()->IsDerivedReady(this->kTable, maintainer->member()));
  EXPECT_THAT(this->Entries(maintainer->member()), ::testing::ElementsAre("@a/1=x"));

  const auto before = this->Read();
  this->PutAll(
      {Pair("c", "1", {{"kind", S("y")}}), Pair("a", "1", {{"kind", S("z")}}),
       Pair("b", "1", {{"tags", *AttributeValue::SetOf(AttributeType::kSS, {"t1", "t2"})}})});
  EXPECT_EQ(*before->CountDerived(this->kTable, maintainer->member()), 1U)
      << "a snapshot has the index of its moment";
  EXPECT_THAT(this->Entries(maintainer->member()), ::testing::ElementsAre("@a/1=z", "@c/1=y"));
  EXPECT_THAT(this->Entries(maintainer->tags()), ::testing::ElementsAre("t1@b/1=t", "t2@b/1=t"));
  this->PutAll(
      {Pair("b", "1", {{"tags", *AttributeValue::SetOf(AttributeType::kSS, {"t2", "t3"})}})});
  EXPECT_THAT(this->Entries(maintainer->tags()), ::testing::ElementsAre("t2@b/1=t", "t3@b/1=t"));
  this->Delete("a", "1");
  this->Delete("b", "1");
  EXPECT_EQ(*this->Read()->CountDerived(this->kTable, maintainer->member()), 1U);
  EXPECT_EQ(*this->Read()->CountDerived(this->kTable, maintainer->tags()), 0U);

  EXPECT_FALSE(
      this->store()
          .Write([&](WriteTransaction& txn) -> Status {
            TABLECAST_RETURN_IF_ERROR(txn.Put(this->kTable, Pair("d", "1", {{"kind", S("x")}})));
            return MakeError(ErrorCode::kAborted, "no", "no");
          })
          .ok());
  EXPECT_THAT(this->Entries(maintainer->member()), ::testing::ElementsAre("@c/1=y"));
}

TYPED_TEST_P(DerivedIndexSuite, AnotherFingerprintIsAnotherIndex) {
  this->PutAll({Pair("a", "1", {{"kind", S("x")}})});
  auto first = std::make_shared<TestMaintainer>("1");
  this->Maintain(first);
  this->Build();
  auto second = std::make_shared<TestMaintainer>("2");
  this->Maintain(second);
  EXPECT_FALSE(this->Read()->IsDerivedReady(this->kTable, first->member()))
      << "no longer named: dropped";
  EXPECT_FALSE(this->Read()->IsDerivedReady(this->kTable, second->member())) << "not built yet";
  EXPECT_EQ(this->Read()->Describe(this->kTable)->derived.size(), 3U);
  this->Build();
  EXPECT_THAT(this->Entries(second->member()), ::testing::ElementsAre("@a/1=x"));
  this->Maintain(std::make_shared<TestMaintainer>("2"));
  EXPECT_TRUE(this->Read()->IsDerivedReady(this->kTable, second->member()))
      << "the same definition needs no build";
}

TYPED_TEST_P(DerivedIndexSuite, RangesDirectionsAndResuming) {
  auto maintainer = std::make_shared<TestMaintainer>();
  this->Maintain(maintainer);
  this->Build();
  const auto tagged = [](const std::string& partition, const std::string& tag) {
    return Pair(partition, "1", {{"tags", *AttributeValue::SetOf(AttributeType::kSS, {tag})}});
  };
  this->PutAll({tagged("p1", "b"), tagged("p2", "a"), tagged("p3", "b"),
                tagged("p4", std::string("b\0", 2)), tagged("p5", "c"), tagged("p6", "")});
  const std::vector<std::string> all{
      "@p6/1=t", "a@p2/1=t", "b@p1/1=t", "b@p3/1=t", std::string("b\0@p4/1=t", 9), "c@p5/1=t"};
  const auto slice = [&](std::size_t from, std::size_t to, bool descending) {
    std::vector<std::string> part(all.begin() + static_cast<std::ptrdiff_t>(from),
                                  all.begin() + static_cast<std::ptrdiff_t>(to));
    if (descending) std::reverse(part.begin(), part.end());
    return part;
  };
  const std::string p3 = *EncodeKey(PairTable(this->kTable), {S("p3"), S("1")});
  struct Row {
    const char* name;
    IndexRange range;
    std::size_t from, to;
  };
  const std::vector<Row> rows{
      {"all",
       {.lower = "", .upper = std::nullopt, .descending = false, .after = std::nullopt},
       0,
       6},
      {"from b",
       {.lower = "b", .upper = std::nullopt, .descending = false, .after = std::nullopt},
       2,
       6},
      {"up to b", {.lower = "", .upper = "b", .descending = false, .after = std::nullopt}, 0, 2},
      {"b to c", {.lower = "b", .upper = "c", .descending = false, .after = std::nullopt}, 2, 5},
      {"b alone",
       {.lower = "b", .upper = std::string("b\0", 2), .descending = false, .after = std::nullopt},
       2,
       4},
      {"empty", {.lower = "bb", .upper = "c", .descending = false, .after = std::nullopt}, 5, 5},
  };
  for (const Row& row : rows) {
    for (const bool descending : {false, true}) {
      IndexRange range = row.range;
      range.descending = descending;
      EXPECT_EQ(this->Entries(maintainer->tags(), range), slice(row.from, row.to, descending))
          << row.name << descending;
    }
  }
  EXPECT_EQ(this->Entries(maintainer->tags(),
                          {.lower = "b", .upper = "c", .descending = false, .after = {{"b", p3}}}),
            slice(4, 5, false));
  EXPECT_EQ(this->Entries(maintainer->tags(),
                          {.lower = "a", .upper = "c", .descending = true, .after = {{"b", p3}}}),
            slice(1, 3, true));
}

TYPED_TEST_P(DerivedIndexSuite, LongOrdersAreCutAndSaySo) {
  auto maintainer = std::make_shared<TestMaintainer>();
  this->Maintain(maintainer);
  this->Build();
  const std::string lead(400, 'x');
  const auto tagged = [](const std::string& partition, const std::string& tag) {
    return Pair(partition, std::string(900, 's'),
                {{"tags", *AttributeValue::SetOf(AttributeType::kSS, {tag})}});
  };
  this->PutAll(
      {tagged("p1", lead + "b"), tagged("p2", lead + "a"), tagged("p3", lead), tagged("p4", "y")});
  std::vector<std::pair<std::string, bool>> seen;
  ASSERT_OK(this->Read()->ScanDerived(this->kTable, maintainer->tags(), {},
                                      [&](const IndexEntryView& entry) {
                                        seen.emplace_back(entry.order, entry.truncated);
                                        return true;
                                      }));
  EXPECT_THAT(seen,
              ::testing::ElementsAre(std::pair(lead, true), std::pair(lead, true),
                                     std::pair(lead, false), std::pair(std::string("y"), false)));
  // A bound beyond the cut keeps every entry that may lie within.
  EXPECT_EQ(this->Entries(maintainer->tags(), {.lower = lead + "a",
                                               .upper = lead + "b",
                                               .descending = false,
                                               .after = std::nullopt})
                .size(),
            3U);
  EXPECT_EQ(this->Entries(maintainer->tags(),
                          {.lower = "", .upper = lead, .descending = false, .after = std::nullopt})
                .size(),
            0U);
}

TYPED_TEST_P(DerivedIndexSuite, AWriterWithoutMaintainerLeavesIndexesBehindAndTheyCatchUp) {
  auto maintainer = std::make_shared<TestMaintainer>();
  this->PutAll({Pair("a", "1", {{"kind", S("x")}}), Pair("b", "1", {{"kind", S("x")}}),
                Pair("c", "1", {{"kind", S("x")}})});
  this->Maintain(maintainer);
  this->Build();
  this->Maintain(nullptr);
  for (int i = 0; i < 10; ++i) {
    this->PutAll({Pair("a", "1", {{"kind", S("x" + std::to_string(i))}}),
                  Pair("n" + std::to_string(i), "1", {{"kind", S("n")}})});
  }
  this->Delete("b", "1");
  EXPECT_EQ(this->StateOf(maintainer->member()), IndexState::kBehind);
  EXPECT_THAT(this->Entries(maintainer->member()), ::testing::ElementsAre("index-not-ready"));
  this->Maintain(maintainer);
  EXPECT_EQ(this->StateOf(maintainer->member()), IndexState::kBehind);
  // A maintaining writer does not hide that an earlier one did not.
  this->PutAll({Pair("z", "1", {{"kind", S("z")}}), Pair("c", "1")});
  EXPECT_EQ(this->StateOf(maintainer->member()), IndexState::kBehind);
  this->Build();
  EXPECT_EQ(this->Entries(maintainer->member()).size(), 12U);
  EXPECT_EQ(this->Entries(maintainer->member()).front(), "@a/1=x9");
  EXPECT_EQ(*this->Read()->CountDerived(this->kTable, maintainer->member()), 12U);
}

TYPED_TEST_P(DerivedIndexSuite, BehindTheLogMeansRebuilt) {
  auto maintainer = std::make_shared<TestMaintainer>();
  this->PutAll({Pair("old", "1", {{"kind", S("x")}})});
  this->Maintain(maintainer);
  this->Build();
  this->Maintain(nullptr);
  this->Delete("old", "1");
  std::vector<Item> items;
  for (std::size_t i = 0; i <= TypeParam::kChangeLogEntries; ++i)
    items.push_back(Pair("p" + std::to_string(i), "1", {{"kind", S("y")}}));
  this->PutAll(items);
  this->Maintain(maintainer);
  this->Build();
  EXPECT_EQ(*this->Read()->CountDerived(this->kTable, maintainer->member()), items.size());
  EXPECT_EQ(this->Entries(maintainer->member()).size(), items.size());
}

TYPED_TEST_P(DerivedIndexSuite, AStoppedBuildGoesOnLater) {
  std::vector<Item> items;
  for (int i = 0; i < 50; ++i)
    items.push_back(
        Pair("p" + std::to_string(i), "1", {{"kind", S("k")}, {"score", N(std::to_string(i))}}));
  this->PutAll(items);
  auto maintainer = std::make_shared<TestMaintainer>();
  this->Maintain(maintainer);
  EXPECT_ERROR(this->store().BuildIndexes(this->kTable,
                                          [](std::uint64_t, std::uint64_t total) {
                                            EXPECT_EQ(total, 50U);
                                            return false;
                                          }),
               ErrorCode::kAborted, "build-stopped");
  EXPECT_FALSE(this->Read()->IsDerivedReady(this->kTable, maintainer->member()));
  this->PutAll({Pair("p0", "1"), Pair("p9", "1"), Pair("a", "1", {{"kind", S("k")}}),
                Pair("z", "1", {{"kind", S("k")}})});
  this->Maintain(nullptr);
  this->PutAll({Pair("p1", "1"), Pair("p8", "1"), Pair("b", "1", {{"kind", S("k")}})});
  this->Maintain(maintainer);
  std::uint64_t last = 0;
  ASSERT_OK(this->store().BuildIndexes(this->kTable, [&](std::uint64_t done, std::uint64_t) {
    last = done;
    return true;
  }));
  EXPECT_EQ(last, 53U);
  EXPECT_EQ(*this->Read()->CountDerived(this->kTable, maintainer->member()), 49U);
  EXPECT_EQ(this->Entries(maintainer->member()).size(), 49U);
  EXPECT_EQ(this->Entries(maintainer->score()).size(), 46U);
}

TYPED_TEST_P(DerivedIndexSuite, ATransactionScansItsOwnEntriesSoUniqueHoldsUnderManyWriters) {
  auto maintainer = std::make_shared<TestMaintainer>();
  this->Maintain(maintainer);
  this->Build();
  std::atomic<int> admitted = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const Status status = this->store().Write([&](WriteTransaction& txn) -> Status {
        TABLECAST_ASSIGN_OR_RETURN(
            const std::uint64_t taken,
            txn.ScanDerived(
                this->kTable, maintainer->tags(),
                {.lower = "mail", .upper = "mail ", .descending = false, .after = std::nullopt},
                [](const IndexEntryView&) { return true; }));
        if (taken != 0) return MakeError(ErrorCode::kAlreadyExists, "unique", "taken");
        TABLECAST_RETURN_IF_ERROR(txn.Put(
            this->kTable, Pair("user" + std::to_string(t), "1",
                               {{"tags", *AttributeValue::SetOf(AttributeType::kSS, {"mail"})}})));
        TABLECAST_ASSIGN_OR_RETURN(const std::uint64_t mine,
                                   txn.ScanDerived(this->kTable, maintainer->tags(), {},
                                                   [](const IndexEntryView&) { return true; }));
        EXPECT_EQ(mine, 1U);
        return {};
      });
      if (status.ok()) ++admitted;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(admitted, 1);
  EXPECT_EQ(*this->Read()->CountDerived(this->kTable, maintainer->tags()), 1U);
}

TYPED_TEST_P(DerivedIndexSuite, ChangesTellWhatWasThere) {
  EXPECT_THAT(this->ChangesAfter(0), ::testing::IsEmpty());
  this->PutAll({Pair("a", "1", {{"kind", S("x")}})});
  this->PutAll({Pair("a", "1", {{"kind", S("y")}}), Pair("b", "1", {{"kind", S("z")}})});
  this->Delete("a", "1");
  this->Delete("a", "1");
  EXPECT_THAT(this->ChangesAfter(0), ::testing::ElementsAre("1 put a/1", "2 put a/1 was x",
                                                            "3 put b/1", "4 delete a/1 was y"));
  EXPECT_THAT(this->ChangesAfter(3), ::testing::ElementsAre("4 delete a/1 was y"));
  EXPECT_THAT(this->ChangesAfter(4), ::testing::IsEmpty());
  EXPECT_THAT(this->ChangesAfter(5), ::testing::ElementsAre("change-log-expired"))
      << "a token of another store's future";
}

TYPED_TEST_P(DerivedIndexSuite, TheLogIsBounded) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < TypeParam::kChangeLogEntries + 5; ++i)
    items.push_back(Pair("p" + std::to_string(i), "1"));
  this->PutAll(items);
  EXPECT_THAT(this->ChangesAfter(4), ::testing::ElementsAre("change-log-expired"));
  EXPECT_EQ(this->ChangesAfter(5).size(), TypeParam::kChangeLogEntries);
}

REGISTER_TYPED_TEST_SUITE_P(DerivedIndexSuite, AnIndexIsMissingUntilBuiltThenMaintained,
                            AnotherFingerprintIsAnotherIndex, RangesDirectionsAndResuming,
                            LongOrdersAreCutAndSaySo,
                            AWriterWithoutMaintainerLeavesIndexesBehindAndTheyCatchUp,
                            BehindTheLogMeansRebuilt, AStoppedBuildGoesOnLater,
                            ATransactionScansItsOwnEntriesSoUniqueHoldsUnderManyWriters,
                            ChangesTellWhatWasThere, TheLogIsBounded);

}  // namespace tablecast::testing

#endif  // TABLECAST_TESTS_CONFORMANCE_DERIVED_INDEX_SUITE_H_
