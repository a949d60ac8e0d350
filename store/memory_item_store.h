#ifndef TABLECAST_STORE_MEMORY_ITEM_STORE_H_
#define TABLECAST_STORE_MEMORY_ITEM_STORE_H_

// An ItemStore in memory that is simple enough to be obviously correct: std::map, whole-table
// copies on write, conditions evaluated on decoded values. It is the oracle that the durable store
// is compared with, and serves small data and tests. Not for large tables: a write costs the
// table's size, a query reads all keys.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/item_store.h"

namespace tablecast {

// THREAD: safe; writers are serialised.
class MemoryItemStore final : public ItemStore {
 public:
  struct Options {
    std::size_t change_log_max_entries = 10'000;
  };
  MemoryItemStore();
  explicit MemoryItemStore(Options options);
  ~MemoryItemStore() override;

  SourceCapabilities capabilities() const override { return {}; }
  Status CreateTable(const TableSchema& schema) override;
  Status DropTable(std::string_view table) override;
  Status AddSecondaryIndex(std::string_view table, const SecondaryIndex& index) override;
  Result<std::unique_ptr<ReadSnapshot>> BeginRead() const override;
  Status Write(const std::function<Status(WriteTransaction&)>& body) override;
  Status SetMaintainer(std::string_view table,
                       std::shared_ptr<const IndexMaintainer> maintainer) override;
  Status BuildIndexes(std::string_view table,
                      const std::function<bool(std::uint64_t, std::uint64_t)>& progress) override;

  struct Table;
  struct State {
    std::map<std::string, std::shared_ptr<const Table>, std::less<>> tables;
    std::map<std::string, std::string, std::less<>> meta;
  };

 private:
  class Snapshot;
  class Transaction;
  Status Change(const std::function<Status(Transaction&)>& body);

  Options options_;
  std::mutex writer_;
  mutable std::mutex state_mutex_;  // guards the pointers below
  std::shared_ptr<const State> state_;
  // Contract: schemas and names live as long as the store, so every one that was ever shown is
  // kept.
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace tablecast

#endif  // TABLECAST_STORE_MEMORY_ITEM_STORE_H_
