#include "store/memory_item_store.h"

#include "tests/conformance/derived_index_suite.h"
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

}  // namespace
}  // namespace tablecast::testing
