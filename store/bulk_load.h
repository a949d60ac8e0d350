#ifndef TABLECAST_STORE_BULK_LOAD_H_
#define TABLECAST_STORE_BULK_LOAD_H_

// Loads many items into one table of the durable store: large transactions, pages filled to the end
// where the items sort behind everything stored. Any order of items is right; order of keys (that
// of EncodeKey, byte by byte) is fast: shuffled input costs about four times the time and scans
// half as fast afterwards. Indexes, counts and the change sequence are kept as by single writes.
//
//   BulkLoadOptions options;
//   options.before_commit = [&](WriteTransaction& txn, const BulkLoadTotals& totals) {
//     return txn.PutMeta("import/journal", JournalOf(file, totals));   // commits with its batch
//   };
//   TABLECAST_ASSIGN_OR_RETURN(auto loader, BulkLoader::Begin(*store, "Orders",
//   std::move(options))); while (reader.Next(item))
//   TABLECAST_RETURN_IF_ERROR(loader->Put(std::move(item)));
//   TABLECAST_RETURN_IF_ERROR(loader->Finish());

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "item/item.h"
#include "store/item_store.h"
#include "store/lmdb_item_store.h"

namespace tablecast {

// Of everything applied so far; of everything committed, in BulkLoader::committed().
struct BulkLoadTotals {
  std::uint64_t inserted = 0;
  std::uint64_t replaced = 0;   // another item had the key
  std::uint64_t unchanged = 0;  // the same item was there
  std::uint64_t deleted = 0;
  std::uint64_t missing = 0;  // to be deleted, but not there

  std::uint64_t operations() const { return inserted + replaced + unchanged + deleted + missing; }
  bool operator==(const BulkLoadTotals&) const = default;
};

struct BulkLoadOptions {
  // A batch is committed when it has this many operations or bytes (as DynamoDB counts them); it is
  // held in memory before it is written. UNITS: bytes.
  std::size_t batch_operations = 50'000;
  std::size_t batch_bytes = std::size_t{32} << 20U;
  // One transaction for the whole load; it keeps other writers out until Finish.
  bool atomic = false;
  // The change log keeps the changes of a load up to this many; a larger load empties the log
  // instead (readers of changes start anew, indexes of other catalogs are rebuilt).
  std::uint64_t max_logged = 10'000;
  // Runs in each batch's transaction right before its commit; an error undoes the batch.
  std::function<Status(WriteTransaction&, const BulkLoadTotals&)> before_commit;
};

// THREAD: the thread that began it. A loader destroyed before Finish leaves the committed batches.
class BulkLoader {
 public:
  // `checked_against`: the schema by which the items of PutChecked were validated; BORROWED for this
  // call. ERRORS: kNotFound "table-not-found".
  static Result<std::unique_ptr<BulkLoader>> Begin(LmdbItemStore& store, std::string table,
                                                   BulkLoadOptions options,
                                                   const TableSchema* checked_against = nullptr);
  ~BulkLoader();

  // ERRORS: kInvalidArgument as WriteTransaction::Put, for this item alone: the load goes on
  // without it. Any other code: of the store, for the batch; nothing of it is written and the load
  // is over.
  // With `ends_batch` false no batch ends behind this operation: it and the next one commit together.
  Status Put(Item item, bool ends_batch = true);
  Status Delete(const ItemKey& key, bool ends_batch = true);
  // The same with the key that EncodeKey made. An item that was validated against another schema
  // than the table has now is validated again.
  Status PutChecked(std::string key, Item item, bool ends_batch = true);
  Status DeleteChecked(std::string key, bool ends_batch = true);
  // Commits what is left.
  Status Finish();

  // What is durable. A failed load reports from here.
  const BulkLoadTotals& committed() const { return committed_; }

 private:
  struct Operation {
    std::string key;
    Item item;  // empty: delete (no item is without its key columns)
  };
  BulkLoader(LmdbItemStore& store, std::string table, BulkLoadOptions options);
  Status Add(Operation operation, std::size_t bytes, bool ends_batch);
  Status Apply();
  Status Commit();

  LmdbItemStore& store_;
  std::string table_;
  BulkLoadOptions options_;
  const TableSchema* schema_ =
      nullptr;  // what the items were checked against; lives as long as the store
  bool checked_ = false;  // PutChecked's schema is that one
  std::vector<Operation> batch_;
  std::size_t batch_bytes_ = 0;
  std::unique_ptr<LmdbTransaction> transaction_;
  BulkLoadTotals applied_;
  BulkLoadTotals committed_;
  Status failed_;
};

}  // namespace tablecast

#endif  // TABLECAST_STORE_BULK_LOAD_H_
