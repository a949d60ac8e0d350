#include "store/memory_item_store.h"

#include "tests/conformance/derived_index_suite.h"
#include "tests/conformance/faulty_item_store.h"
#include "tests/conformance/item_store_suite.h"

namespace tablecast::testing {
namespace {

class MemoryFixture {
 public:
  static constexpr std::size_t kChangeLogEntries = 100;
  ItemStore& store() { return store_; }

 private:
  MemoryItemStore store_{MemoryItemStore::Options{.change_log_max_entries = kChangeLogEntries}};
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, ItemStoreSuite, MemoryFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, DerivedIndexSuite, MemoryFixture);

TEST(FaultyItemStoreTest, FailsTheNthCallAndLeavesTheInnerStoreWhole) {
  int n = 1;
  for (;; ++n) {
    MemoryItemStore inner;
    ASSERT_OK(inner.CreateTable(PairTable("Orders")));
    FaultyItemStore store(inner, n);
    const Status status = store.Write([](WriteTransaction& txn) -> Status {
      TABLECAST_RETURN_IF_ERROR(txn.Put("Orders", Pair("a", "1")));
      return txn.Put("Orders", Pair("a", "2"));
    });
    const std::uint64_t items = (*inner.BeginRead())->Describe("Orders")->item_count;
    if (status.ok()) {
      EXPECT_EQ(items, 2U);
      break;
    }
    EXPECT_EQ(status.error().reason, "fault-injected");
    EXPECT_EQ(items, 0U) << "call " << n;
  }
  EXPECT_EQ(n, 5) << "begin, two puts, commit; the fifth call does not come";
}

}  // namespace
}  // namespace tablecast::testing
