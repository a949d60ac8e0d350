#include "store/integrity.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "item/item_codec.h"
#include "store/key_layout.h"
#include "store/key_space.h"
#include "store/lmdb_item_store.h"
#include "store/lmdb_reader.h"
#include "store/table_record.h"
#include "tests/conformance/store_test_items.h"
#include "tests/conformance/test_maintainer.h"
#include "tests/store/store_test_directory.h"

namespace tablecast::testing {
namespace {

constexpr const char* kTable = "Things";
constexpr TableId kTableId = 1;      // the first table of a store
constexpr IndexId kSecondaryId = 1;  // and its first index
constexpr IndexId kMemberId = 2;     // of TestMaintainer

const std::string kLong(1200, 'L');

TableSchema Schema() {
  TableSchema schema = PairTable(kTable);
  schema.indexes = {
      IndexOn("byKind", {"kind", AttributeType::kS}, std::nullopt, ProjectionType::kKeysOnly)};
  return schema;
}

std::string KeyBytes(const std::string& partition) {
  return *EncodeKey(Schema(), {S(partition), S("s")});
}

// A store with items, a long key, both kinds of index and a change log.
void Fill(LmdbItemStore& store) {
  ASSERT_OK(store.CreateTable(Schema()));
  ASSERT_OK(store.SetMaintainer(kTable, std::make_shared<TestMaintainer>()));
  ASSERT_OK(store.BuildIndexes(kTable, nullptr));
  ASSERT_OK(store.Write([](WriteTransaction& txn) -> Status {
    for (const char* partition : {"a", "b", "c"}) {
      TABLECAST_RETURN_IF_ERROR(
          txn.Put(kTable, Pair(partition, "s", {{"kind", S("k")}, {"score", N("7")}})));
    }
    TABLECAST_RETURN_IF_ERROR(txn.Put(kTable, Pair(kLong, "s")));
    return txn.PutMeta("name", "value");
  }));
}

std::vector<std::string> Codes(const IntegrityReport& report) {
  std::vector<std::string> codes;
  for (const Issue& issue : report.issues) codes.push_back(issue.code);
  return codes;
}

TEST(IntegrityTest, ASoundStoreHasNoFindings) {
  const StoreTestDirectory directory;
  auto store = *LmdbItemStore::Open(directory.path(), {});
  Fill(*store);
  const auto report = store->CheckIntegrity();
  ASSERT_OK(report);
  EXPECT_THAT(Codes(*report), ::testing::IsEmpty());
  EXPECT_EQ(report->tables, 1U);
  EXPECT_EQ(report->items, 4U);
  EXPECT_EQ(report->secondary_entries, 3U);
  EXPECT_EQ(report->derived_entries, 6U);
  EXPECT_EQ(report->changes, 4U);
  EXPECT_EQ(report->buckets, 2U) << "a key of 1,200 bytes goes through two";
}

TEST(IntegrityTest, EveryDamageIsFound) {
  struct Row {
    const char* name;
    std::function<Status(WriteTxn&)> damage;
    std::vector<std::string> want;  // codes, in any order
  };
  const auto state = [](WriteTxn& txn, const std::function<void(TableState&)>& change) -> Status {
    const std::string key = TablePrefix(RecordKind::kTableState, kTableId);
    TABLECAST_ASSIGN_OR_RETURN(const auto bytes, txn.Get(key));
    TABLECAST_ASSIGN_OR_RETURN(TableState decoded, DecodeTableState(*bytes));
    change(decoded);
    return txn.Put(key, EncodeTableState(decoded));
  };
  const std::string items = TablePrefix(RecordKind::kItem, kTableId);
  const std::string secondary = IndexPrefix(RecordKind::kSecondary, kTableId, kSecondaryId);
  const std::string member = IndexPrefix(RecordKind::kDerived, kTableId, kMemberId);
  std::string secondary_key;
  AppendEscapedClosed(secondary_key, "k");
  secondary_key += KeyBytes("a");
  const auto deleted = [](WriteTxn& txn, const std::string& prefix,
                          const std::string& key) -> Status {
    TABLECAST_ASSIGN_OR_RETURN(const bool there, SpaceDelete(txn, prefix, key));
    EXPECT_TRUE(there);
    return {};
  };
  const std::vector<Row> rows{
      {"an item is gone",
       [&](WriteTxn& txn) { return deleted(txn, items, KeyBytes("a")); },
       {"item-count", "item-bytes", "index-entries", "index-entries", "index-entries"}},
      {"a record is cut",
       [&](WriteTxn& txn) { return txn.Put(items + KeyBytes("a"), "\x01"); },
       {"item-damaged", "item-bytes", "index-entries", "index-entries", "index-entries"}},
      {"a secondary entry is gone",
       [&](WriteTxn& txn) { return deleted(txn, secondary, secondary_key); },
       {"index-entry-missing", "index-entries"}},
      {"a projection is another item's",
       [&](WriteTxn& txn) -> Status {
         TABLECAST_ASSIGN_OR_RETURN(const auto record, txn.Get(items + KeyBytes("a")));
         const std::string whole(*record);
         return txn.Put(secondary + secondary_key, whole);
       },
       {"index-entry-wrong"}},
      {"a derived entry is gone",
       [&](WriteTxn& txn) { return deleted(txn, member, DerivedEntryKey({}, KeyBytes("a"))); },
       {"index-entry-missing", "index-entries", "index-count"}},
      {"a derived entry has another payload",
       [&](WriteTxn& txn) {
         return txn.Put(member + DerivedEntryKey({}, KeyBytes("a")),
                        DerivedEntryValue({}, "other"));
       },
       {"index-entry-wrong"}},
      {"a derived entry has no item",
       [&](WriteTxn& txn) {
         return txn.Put(member + DerivedEntryKey({}, KeyBytes("zz")), DerivedEntryValue({}, "k"));
       },
       {"index-count", "index-entries"}},
      {"a count is wrong",
       [&](WriteTxn& txn) { return state(txn, [](TableState& s) { ++s.item_count; }); },
       {"item-count"}},
      {"a change is gone",
       [&](WriteTxn& txn) -> Status {
         TABLECAST_RETURN_IF_ERROR(txn.Delete(ChangeKey(kTableId, 2)));
         return {};
       },
       {"change-gap"}},
      {"the last change is gone",
       [&](WriteTxn& txn) -> Status {
         TABLECAST_RETURN_IF_ERROR(txn.Delete(ChangeKey(kTableId, 4)));
         return {};
       },
       {"change-count", "change-bytes"}},
      {"a name is gone",
       [&](WriteTxn& txn) -> Status {
         TABLECAST_RETURN_IF_ERROR(txn.Delete(NameKey(kTableId, 1)));
         return {};
       },
       {"name-count", "item-damaged", "item-damaged", "item-damaged", "index-entries",
        "index-entries", "index-entries"}},
      {"a record of no table",
       [&](WriteTxn& txn) { return txn.Put(TablePrefix(RecordKind::kItem, 77) + "x", "y"); },
       {"record-unknown"}},
      {"a bucket is not named",
       [&](WriteTxn& txn) -> Status {
         TABLECAST_RETURN_IF_ERROR(txn.Delete(items + kLong.substr(0, kKeySegmentBytes)));
         return {};
       },
       {"item-count", "item-bytes", "bucket-lost"}},
      {"a bucket's name is damaged",
       [&](WriteTxn& txn) { return txn.Put(items + kLong.substr(0, kKeySegmentBytes), "?"); },
       {"item-count", "item-bytes", "bucket-damaged", "bucket-lost"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const StoreTestDirectory directory;
    auto store = *LmdbItemStore::Open(directory.path(), {});
    Fill(*store);
    {
      auto txn = *store->env().BeginWrite();
      ASSERT_OK(row.damage(txn));
      ASSERT_OK(txn.Commit());
    }
    const auto report = store->CheckIntegrity();
    ASSERT_OK(report);
    EXPECT_THAT(Codes(*report), ::testing::UnorderedElementsAreArray(row.want));
    EXPECT_EQ(store->Backup(directory / "copy").ok(), false) << "a damaged copy is no backup";
    EXPECT_FALSE(std::filesystem::exists(directory / "copy"));
    EXPECT_FALSE(std::filesystem::exists(directory / "copy.partial"));
  }
}

TEST(IntegrityTest, WhatAnInterruptedDropLeftIsNoDamage) {
  const StoreTestDirectory directory;
  auto store = *LmdbItemStore::Open(directory.path(), {});
  Fill(*store);
  {
    auto txn = *store->env().BeginWrite();
    ASSERT_OK(txn.Put(KindPrefix(RecordKind::kGarbage) + TablePrefix(RecordKind::kItem, 9), {}));
    ASSERT_OK(txn.Put(TablePrefix(RecordKind::kItem, 9) + "left", "over"));
    ASSERT_OK(txn.Commit());
  }
  auto report = *store->CheckIntegrity();
  EXPECT_THAT(Codes(report), ::testing::IsEmpty());
  EXPECT_EQ(report.leftovers, 1U);
  ASSERT_OK(store->CreateTable(PairTable("Other")));
  ASSERT_OK(store->DropTable("Other"));  // purges what is left over as well
  report = *store->CheckIntegrity();
  EXPECT_EQ(report.leftovers, 0U);
}

TEST(BackupTest, ACopyOpensAndHoldsTheLastCommit) {
  const StoreTestDirectory directory;
  auto store = *LmdbItemStore::Open(directory / "store", {});
  Fill(*store);
  const auto report = store->Backup(directory / "copy");
  ASSERT_OK(report);
  EXPECT_EQ(report->items, 4U);
  EXPECT_FALSE(std::filesystem::exists(directory / "copy/lock.mdb"));
  ASSERT_OK(
      store->Write([](WriteTransaction& txn) { return txn.Put(kTable, Pair("later", "s")); }));
  auto copy = *LmdbItemStore::Open(directory / "copy", {});
  EXPECT_EQ((*copy->BeginRead())->Describe(kTable)->item_count, 4U);
  EXPECT_EQ((*store->BeginRead())->Describe(kTable)->item_count, 5U);
  EXPECT_TRUE((*copy->BeginRead())->IsDerivedReady(kTable, TestMaintainer().member()));
  EXPECT_ERROR(store->Backup(directory / "copy"), ErrorCode::kAlreadyExists, "backup-exists");
}

}  // namespace
}  // namespace tablecast::testing
