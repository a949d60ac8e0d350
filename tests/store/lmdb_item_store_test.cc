#include "store/lmdb_item_store.h"

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/conformance/derived_index_suite.h"
#include "tests/conformance/item_store_suite.h"
#include "tests/store/store_test_directory.h"

namespace tablecast::testing {
namespace {

class LmdbFixture {
 public:
  static constexpr std::size_t kChangeLogEntries = 100;
  LmdbFixture() {
    LmdbOptions options;
    options.change_log.max_entries = kChangeLogEntries;
    options.build_step_items = 7;  // many steps over few items
    store_ = *LmdbItemStore::Open(directory_.path(), options);
  }
  ItemStore& store() { return *store_; }

 private:
  StoreTestDirectory directory_;
  std::unique_ptr<LmdbItemStore> store_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Lmdb, ItemStoreSuite, LmdbFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Lmdb, DerivedIndexSuite, LmdbFixture);

std::optional<Item> GetItem(const ItemStore& store, const TableSchema& schema, const ItemKey& key) {
  std::optional<Item> found;
  EXPECT_TRUE((*store.BeginRead())
                  ->Get(schema.name, *EncodeKey(schema, key),
                        [&](const ItemView& view) { found = *view.ToItem(); })
                  .ok());
  return found;
}

TEST(LmdbItemStoreTest, EverythingIsThereAfterReopening) {
  const StoreTestDirectory directory;
  const TableSchema schema = PairTable("Orders");
  const Item item = Pair("a", "1", OneOfEveryType());
  {
    auto store = *LmdbItemStore::Open(directory.path(), {});
    ASSERT_OK(store->CreateTable(schema));
    ASSERT_OK(store->Write([&](WriteTransaction& txn) { return txn.Put("Orders", item); }));
  }
  auto store = *LmdbItemStore::Open(directory.path(), {});
  EXPECT_EQ(GetItem(*store, schema, {S("a"), S("1")}), item);
  EXPECT_EQ((*store->BeginRead())->Describe("Orders")->item_count, 1U);
}

TEST(LmdbItemStoreTest, AMissingStoreIsNotCreatedWhenToldSo) {
  const StoreTestDirectory directory;
  LmdbOptions options;
  options.env.create = false;
  EXPECT_ERROR(LmdbItemStore::Open(directory / "none", options), ErrorCode::kNotFound,
               "store-not-found");
  EXPECT_ERROR(LmdbItemStore::Open(directory.path(), options), ErrorCode::kNotFound,
               "store-not-found");
}

TEST(LmdbItemStoreTest, ADamagedFileIsRefused) {
  const StoreTestDirectory directory;
  std::ofstream(directory / "data.mdb") << std::string(20'000, 'x');
  EXPECT_ERROR(LmdbItemStore::Open(directory.path(), {}), ErrorCode::kDataLoss, "store-damaged");
}

TEST(LmdbItemStoreTest, ANewerFormatIsRefusedWithARemedy) {
  const StoreTestDirectory directory;
  {
    auto env = *LmdbEnv::Open(directory.path(), {});
    auto txn = *env->BeginWrite();
    ASSERT_OK(WriteHeader(txn, kFormatVersionField, kStoreFormatVersion + 1));
    ASSERT_OK(txn.Commit());
  }
  const auto store = LmdbItemStore::Open(directory.path(), {});
  EXPECT_ERROR(store, ErrorCode::kFailedPrecondition, "store-format-newer");
  EXPECT_THAT(store.error().remedy, ::testing::HasSubstr("newer tablecast"));
}

TEST(LmdbItemStoreTest, ForeignDataIsNotTouched) {
  const StoreTestDirectory directory;
  {
    auto env = *LmdbEnv::Open(directory.path(), {});
    auto txn = *env->BeginWrite();
    ASSERT_OK(txn.Put("someone's", "data"));
    ASSERT_OK(txn.Commit());
  }
  EXPECT_ERROR(LmdbItemStore::Open(directory.path(), {}), ErrorCode::kFailedPrecondition,
               "not-a-store");
}

TEST(LmdbItemStoreTest, TheSamePathIsOneEnvironment) {
  const StoreTestDirectory directory;
  auto first = *LmdbItemStore::Open(directory.path(), {});
  auto second = *LmdbItemStore::Open(directory.path() + "/.", {});
  EXPECT_EQ(&first->env(), &second->env());
  // Each has a catalog of its own, as two processes have: schemas and new attribute names arrive.
  const TableSchema schema = PairTable("Orders");
  ASSERT_OK(first->CreateTable(schema));
  ASSERT_OK(second->Write([&](WriteTransaction& txn) {
    return txn.Put("Orders", Pair("a", "1", {{"x", N("1")}}));
  }));
  ASSERT_OK(first->Write([&](WriteTransaction& txn) {
    return txn.Put("Orders", Pair("a", "2", {{"y", N("2")}}));
  }));
  EXPECT_ERROR(second->Write([&](WriteTransaction& txn) -> Status {
    TABLECAST_RETURN_IF_ERROR(txn.Put("Orders", Pair("a", "3", {{"z", N("3")}, {"zz", N("3")}})));
    return MakeError(ErrorCode::kAborted, "changed-my-mind", "no");
  }),
               ErrorCode::kAborted, "changed-my-mind");
  ASSERT_OK(first->Write([&](WriteTransaction& txn) {
    return txn.Put("Orders", Pair("a", "4", {{"zz", N("4")}}));
  }));
  for (const auto& store : {first.get(), second.get()}) {
    EXPECT_EQ(GetItem(*store, schema, {S("a"), S("1")}), Pair("a", "1", {{"x", N("1")}}));
    EXPECT_EQ(GetItem(*store, schema, {S("a"), S("2")}), Pair("a", "2", {{"y", N("2")}}));
    EXPECT_EQ(GetItem(*store, schema, {S("a"), S("4")}), Pair("a", "4", {{"zz", N("4")}}));
  }
  ASSERT_OK(second->DropTable("Orders"));
  EXPECT_ERROR((*first->BeginRead())->Describe("Orders"), ErrorCode::kNotFound, "table-not-found");
}

TEST(LmdbItemStoreTest, ASnapshotKeepsItsCatalogWhileOthersChangeIt) {
  const StoreTestDirectory directory;
  auto store = *LmdbItemStore::Open(directory.path(), {});
  ASSERT_OK(store->CreateTable(PairTable("One")));
  auto before = *store->BeginRead();
  ASSERT_OK(store->CreateTable(PairTable("Two")));
  EXPECT_THAT(*before->ListTables(), ::testing::ElementsAre("One"));
  EXPECT_THAT(*(*store->BeginRead())->ListTables(), ::testing::ElementsAre("One", "Two"));
}

TEST(LmdbItemStoreTest, AWriterThatWaitsTooLongIsRefused) {
  const StoreTestDirectory directory;
  LmdbOptions options;
  options.env.write_lock_timeout = std::chrono::milliseconds(50);
  auto store = *LmdbItemStore::Open(directory.path(), options);
  ASSERT_OK(store->CreateTable(PairTable("Orders")));
  Status waited;
  ASSERT_OK(store->Write([&](WriteTransaction&) -> Status {
    std::thread([&] { waited = store->Write([](WriteTransaction&) { return Status(); }); }).join();
    return {};
  }));
  EXPECT_ERROR(waited, ErrorCode::kUnavailable, "store-locked");
  ASSERT_OK(store->Write([](WriteTransaction& txn) { return txn.Put("Orders", Pair("a", "1")); }));
}

TEST(LmdbItemStoreTest, AFullMapIsDiskFullAndNothingIsWritten) {
  const StoreTestDirectory directory;
  LmdbOptions options;
  options.env.map_bytes = std::uint64_t{1} << 20U;
  auto store = *LmdbItemStore::Open(directory.path(), options);
  ASSERT_OK(store->CreateTable(PairTable("Orders")));
  ASSERT_OK(store->Write([](WriteTransaction& txn) { return txn.Put("Orders", Pair("a", "1")); }));
  EXPECT_ERROR(store->Write([](WriteTransaction& txn) -> Status {
    for (int i = 0; i < 20; ++i) {
      Item item = Pair("big", std::to_string(i), {{"text", S(std::string(200'000, 'x'))}});
      // A body that goes on after the failure must not commit half of it.
      if (const Status status = txn.Put("Orders", item); !status.ok()) return {};
    }
    return {};
  }),
               ErrorCode::kUnavailable, "disk-full");
  EXPECT_EQ((*store->BeginRead())->Describe("Orders")->item_count, 1U);
  ASSERT_OK(store->Write([](WriteTransaction& txn) { return txn.Put("Orders", Pair("b", "1")); }));
  EXPECT_EQ((*store->BeginRead())->Describe("Orders")->item_count, 2U);
}

TEST(LmdbItemStoreTest, ManySnapshotsAtOnce) {
  const StoreTestDirectory directory;
  auto store = *LmdbItemStore::Open(directory.path(), {});
  ASSERT_OK(store->CreateTable(PairTable("Orders")));
  std::vector<std::unique_ptr<ReadSnapshot>> snapshots;
  for (int i = 0; i < 1200; ++i) {
    auto snapshot = store->BeginRead();
    ASSERT_OK(snapshot);
    snapshots.push_back(*std::move(snapshot));
  }
  EXPECT_EQ(snapshots.back()->Describe("Orders")->item_count, 0U);
}

TEST(LmdbItemStoreTest, TooManySnapshotsAreRefusedByName) {
  const StoreTestDirectory directory;
  LmdbOptions options;
  options.env.max_readers = 10;
  auto store = *LmdbItemStore::Open(directory.path(), options);
  std::vector<std::unique_ptr<ReadSnapshot>> snapshots;
  Status status;
  for (int i = 0; i < 20 && status.ok(); ++i) {
    auto snapshot = store->BeginRead();
    if (snapshot.ok())
      snapshots.push_back(*std::move(snapshot));
    else
      status = snapshot.error();
  }
  EXPECT_ERROR(status, ErrorCode::kResourceExhausted, "too-many-readers");
}

}  // namespace
}  // namespace tablecast::testing
