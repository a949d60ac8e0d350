#include "store/bulk_load.h"

#include <random>

#include "tests/conformance/store_test_items.h"
#include "tests/conformance/test_maintainer.h"
#include "tests/store/store_test_directory.h"

namespace tablecast::testing {
namespace {

constexpr const char* kTable = "Things";

class BulkLoadTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = *LmdbItemStore::Open(directory_.path(), {});
    TableSchema schema = PairTable(kTable);
    schema.indexes = {IndexOn("byKind", {"kind", AttributeType::kS}, std::nullopt)};
    ASSERT_OK(store_->CreateTable(schema));
  }
  static Item Numbered(int i, const std::string& kind) {
    std::string digits = std::to_string(i);
    return Pair(std::string(7 - digits.size(), '0') + digits, "s", {{"kind", S(kind)}});
  }
  std::unique_ptr<BulkLoader> Begin(BulkLoadOptions options = {}) {
    return *BulkLoader::Begin(*store_, kTable, std::move(options));
  }
  TableInfo Info() { return *(*store_->BeginRead())->Describe(kTable); }
  std::uint64_t CountByScan() {
    return *(*store_->BeginRead())->Scan(kTable, {}, [](const ItemView&) { return true; });
  }
  std::uint64_t CountByKind(const std::string& kind) {
    return *(*store_->BeginRead())
                ->QueryIndex(kTable, "byKind", {Equal(S(kind)), {}}, {},
                             [](const ItemView&) { return true; });
  }

  StoreTestDirectory directory_;
  std::unique_ptr<LmdbItemStore> store_;
};

TEST_F(BulkLoadTest, CountsIndexesAndSequenceAreThoseOfSingleWrites) {
  const auto maintainer = std::make_shared<TestMaintainer>();
  ASSERT_OK(store_->SetMaintainer(kTable, maintainer));
  ASSERT_OK(store_->BuildIndexes(kTable, nullptr));
  auto loader = Begin({.batch_operations = 100, .before_commit = nullptr});
  for (int i = 0; i < 1000; ++i) ASSERT_OK(loader->Put(Numbered(i, "first")));
  ASSERT_OK(loader->Finish());
  EXPECT_EQ(loader->committed(), (BulkLoadTotals{.inserted = 1000}));
  EXPECT_EQ(Info().item_count, 1000U);
  EXPECT_EQ(Info().sequence, 1000U);
  EXPECT_EQ(CountByScan(), 1000U);
  EXPECT_EQ(CountByKind("first"), 1000U);
  EXPECT_EQ(*(*store_->BeginRead())->CountDerived(kTable, maintainer->member()), 1000U);

  // Unsorted, overlapping, with deletes.
  loader = Begin({.batch_operations = 64, .before_commit = nullptr});
  std::vector<int> numbers;
  for (int i = 500; i < 1500; ++i) numbers.push_back(i);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(3));
  for (const int i : numbers) ASSERT_OK(loader->Put(Numbered(i, i < 600 ? "first" : "second")));
  ASSERT_OK(loader->Delete({S("0000000"), S("s")}));
  ASSERT_OK(loader->Delete({S("nobody"), S("s")}));
  ASSERT_OK(loader->Finish());
  EXPECT_EQ(loader->committed(),
            (BulkLoadTotals{
                .inserted = 500, .replaced = 400, .unchanged = 100, .deleted = 1, .missing = 1}));
  EXPECT_EQ(Info().item_count, 1499U);
  EXPECT_EQ(CountByScan(), 1499U);
  EXPECT_EQ(CountByKind("first"), 599U);
  EXPECT_EQ(CountByKind("second"), 900U);
  EXPECT_EQ(*(*store_->BeginRead())->CountDerived(kTable, maintainer->member()), 1499U);
}

TEST_F(BulkLoadTest, ATableThatIsNotTheLastOfTheFileLoadsAsWell) {
  ASSERT_OK(store_->CreateTable(PairTable("Zebra")));
  ASSERT_OK(store_->Write([](WriteTransaction& txn) { return txn.Put("Zebra", Pair("z", "z")); }));
  auto loader = Begin();
  for (int i = 0; i < 300; ++i) ASSERT_OK(loader->Put(Numbered(i, "k")));
  Item long_key = Pair(std::string(2000, 'q'), std::string(1000, 's'));
  ASSERT_OK(loader->Put(long_key));
  ASSERT_OK(loader->Finish());
  EXPECT_EQ(Info().item_count, 301U);
  EXPECT_EQ(CountByScan(), 301U);
}

TEST_F(BulkLoadTest, ABadItemIsRefusedAloneAndTheLoadGoesOn) {
  auto loader = Begin();
  ASSERT_OK(loader->Put(Numbered(1, "k")));
  EXPECT_ERROR(loader->Put(Pair("", "s")), ErrorCode::kInvalidArgument, "key-empty");
  EXPECT_ERROR(loader->Put(Pair("2", "s", {{"kind", N("7")}})), ErrorCode::kInvalidArgument,
               "index-key-type");
  ASSERT_OK(loader->Put(Numbered(3, "k")));
  ASSERT_OK(loader->Finish());
  EXPECT_EQ(CountByScan(), 2U);
}

TEST_F(BulkLoadTest, TheJournalCommitsWithItsBatchAndAFailedBatchLeavesNothing) {
  int batches = 0;
  BulkLoadOptions options{.batch_operations = 10, .before_commit = nullptr};
  options.before_commit = [&](WriteTransaction& txn, const BulkLoadTotals& totals) -> Status {
    if (++batches == 3)
      return MakeError(ErrorCode::kUnavailable, "source-lost", "the file went away");
    return txn.PutMeta("journal", std::to_string(totals.operations()));
  };
  auto loader = Begin(options);
  Status status;
  int offered = 0;
  while (status.ok()) status = loader->Put(Numbered(offered++, "k"));
  EXPECT_EQ(status.error().reason, "source-lost");
  EXPECT_EQ(offered, 30);
  EXPECT_EQ(loader->committed().operations(), 20U);
  EXPECT_ERROR(loader->Put(Numbered(99, "k")), ErrorCode::kUnavailable, "source-lost");
  EXPECT_ERROR(loader->Finish(), ErrorCode::kUnavailable, "source-lost");
  EXPECT_EQ(CountByScan(), 20U);
  EXPECT_EQ(*(*store_->BeginRead())->GetMeta("journal"), "20");
}

TEST_F(BulkLoadTest, AnAtomicLoadIsSeenWholeOrNotAtAll) {
  {
    auto loader = Begin({.batch_operations = 10, .atomic = true, .before_commit = nullptr});
    for (int i = 0; i < 95; ++i) ASSERT_OK(loader->Put(Numbered(i, "k")));
    EXPECT_EQ(CountByScan(), 0U);
    EXPECT_EQ(loader->committed().operations(), 0U);
  }
  EXPECT_EQ(CountByScan(), 0U) << "given up before Finish";
  auto loader = Begin({.batch_operations = 10, .atomic = true, .before_commit = nullptr});
  for (int i = 0; i < 95; ++i) ASSERT_OK(loader->Put(Numbered(i, "k")));
  ASSERT_OK(loader->Finish());
  EXPECT_EQ(CountByScan(), 95U);
}

TEST_F(BulkLoadTest, ASmallLoadIsLoggedAndALargeOneEmptiesTheLog) {
  const auto ignore = [](const Change&) { return true; };
  auto loader = Begin({.max_logged = 50, .before_commit = nullptr});
  for (int i = 0; i < 50; ++i) ASSERT_OK(loader->Put(Numbered(i, "k")));
  ASSERT_OK(loader->Finish());
  EXPECT_EQ(*(*store_->BeginRead())->Changes(kTable, 0, ignore), 50U);
  loader = Begin({.max_logged = 50, .before_commit = nullptr});
  for (int i = 0; i < 60; ++i) ASSERT_OK(loader->Put(Numbered(i, "l")));
  ASSERT_OK(loader->Finish());
  EXPECT_ERROR((*store_->BeginRead())->Changes(kTable, 50, ignore), ErrorCode::kFailedPrecondition,
               "change-log-expired");
  EXPECT_EQ(*(*store_->BeginRead())->Changes(kTable, 110, ignore), 0U);
  ASSERT_OK(store_->Write([](WriteTransaction& txn) { return txn.Put(kTable, Numbered(7, "m")); }));
  EXPECT_EQ(*(*store_->BeginRead())->Changes(kTable, 110, ignore), 1U);
}

TEST_F(BulkLoadTest, ASchemaThatChangedMeanwhileIsHeeded) {
  auto loader = Begin();
  ASSERT_OK(loader->Put(Numbered(1, "k")));
  ASSERT_OK(store_->AddSecondaryIndex(
      kTable, IndexOn("late", {"sk", AttributeType::kS}, KeyColumn{"kind", AttributeType::kS})));
  ASSERT_OK(loader->Finish());
  EXPECT_EQ(*(*store_->BeginRead())
                 ->QueryIndex(kTable, "late", {}, {}, [](const ItemView&) { return true; }),
            1U);
}

TEST_F(BulkLoadTest, AnItemCheckedByAnotherSchemaIsCheckedAgain) {
  TableSchema now = PairTable(kTable);
  now.indexes = {IndexOn("byKind", {"kind", AttributeType::kS}, std::nullopt)};
  const TableSchema without_index = PairTable(kTable);
  Item wrong = Numbered(1, "x");
  wrong.insert_or_assign("kind", AttributeValue::Bool(true));  // no key of the index
  const std::string key = *EncodeKey(now, *KeyOf(now, wrong));
  auto loader = *BulkLoader::Begin(*store_, kTable, {}, &without_index);
  const Status refused = loader->PutChecked(key, wrong);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  loader = *BulkLoader::Begin(*store_, kTable, {}, &now);
  ASSERT_OK(loader->PutChecked(key, Numbered(1, "y"), false));
  ASSERT_OK(loader->DeleteChecked(key));
  ASSERT_OK(loader->Finish());
  EXPECT_EQ(loader->committed(), (BulkLoadTotals{.inserted = 1, .deleted = 1}));
  EXPECT_EQ(CountByScan(), 0U);
}

TEST_F(BulkLoadTest, NamesAMissingTable) {
  EXPECT_ERROR(BulkLoader::Begin(*store_, "No1", {}), ErrorCode::kNotFound, "table-not-found");
}

}  // namespace
}  // namespace tablecast::testing
