#ifndef TABLECAST_STORE_LMDB_TRANSACTION_H_
#define TABLECAST_STORE_LMDB_TRANSACTION_H_

// The write transaction of LmdbItemStore: every change of an item takes its secondary and derived
// index entries, the change log, the counts and the change sequence along. Private to store/.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/change_log.h"
#include "store/derived_writer.h"
#include "store/item_store.h"
#include "store/lmdb_catalog.h"
#include "store/lmdb_env.h"
#include "store/lmdb_reader.h"

namespace tablecast {

using MaintainerLookup =
    std::function<std::shared_ptr<const IndexMaintainer>(std::string_view table)>;

// One operation of a bulk load.
struct LoadOperation {
  const std::string& key;                        // encoded
  const Item* item = nullptr;                    // nullptr: delete
  const TableSchema* checked_against = nullptr;  // the schema by which the item was validated
  // Else the change log starts anew behind this operation.
  bool log_change = true;
};
enum class LoadOutcome { kInserted, kReplaced, kUnchanged, kDeleted, kMissing };

// Progress of one bounded step of building indexes.
struct BuildStep {
  bool complete = false;  // every index that the maintainer names is ready
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

class LmdbTransaction final : public WriteTransaction {
 public:
  LmdbTransaction(WriteTxn txn, std::shared_ptr<const StoreDirectory> catalog,
                  MaintainerLookup maintainers, const ChangeLogLimits& limits);
  ~LmdbTransaction() override;

  Result<std::optional<Item>> Get(std::string_view table, const ItemKey& key) override;
  Result<std::vector<Item>> Query(std::string_view table, const KeyCondition& condition,
                                  std::size_t limit) override;
  Status Put(std::string_view table, const Item& item) override;
  Result<bool> Delete(std::string_view table, const ItemKey& key) override;
  Result<std::uint64_t> ScanDerived(std::string_view table, const DerivedIndex& index,
                                    const IndexRange& range,
                                    const IndexEntryVisitor& visit) override;
  Result<TableInfo> Describe(std::string_view table) override;
  Result<std::optional<std::string>> GetMeta(std::string_view name) override;
  Status PutMeta(std::string_view name, std::string_view value) override;
  Status DeleteMeta(std::string_view name) override;

  // Changes of the catalog; each is the only operation of its transaction.
  Status CreateTable(const TableSchema& schema);
  Status DropTable(std::string_view table);
  Status AddSecondaryIndex(std::string_view table, const SecondaryIndex& index);
  // Makes the stored definitions those of the maintainer: drops, adds, keeps.
  Status DefineDerived(std::string_view table, const std::vector<DerivedIndex>& wanted);

  // Removes up to `limit` records of dropped tables and indexes; true when none is left.
  Result<bool> PurgeDropped(std::size_t limit);
  // Catches up, rebuilds or goes on building, over at most `limit` changes or items.
  Result<BuildStep> BuildDerived(std::string_view table, std::size_t limit);

  // Put or delete of a bulk load: appends when the item sorts behind everything in the store.
  Result<LoadOutcome> Load(std::string_view table, const LoadOperation& operation);

  // Writes names, states and the catalog generation, then commits durably.
  Status Commit();

 private:
  // A table that this transaction touches.
  struct OpenTable {
    std::shared_ptr<const TableEntry> entry;
    TableState state;
    bool changed = false;
    // Set when this transaction meets new attribute names: a copy that holds them. The shared ones
    // learn them after the commit, from the file, so that an abort leaves no trace.
    std::unique_ptr<AttributeNames> own_names;
    DerivedWriter derived;

    const TableSchema& schema() const { return entry->schema(); }
    TableId id() const { return entry->record.id; }
    AttributeNames& names() const { return own_names != nullptr ? *own_names : *entry->names; }
  };
  struct ItemChange {
    std::string_view key;
    const std::string* old_record = nullptr;  // nullptr: there was none
    const std::string* new_record = nullptr;  // nullptr: there is none
    const Item* new_item = nullptr;           // with new_record
    bool append = false;                      // sorts behind everything in the store
    bool log = true;
  };

  Result<OpenTable*> Open(std::string_view table);
  TableReader Reader(const OpenTable& table) const;
  // The record of an item; new names go into the transaction's own copy.
  Result<std::string> Encode(OpenTable& table, const Item& item);
  Result<LoadOutcome> PutItem(OpenTable& table, const LoadOperation& operation, bool may_append);
  Result<LoadOutcome> DeleteItem(OpenTable& table, const LoadOperation& operation);
  Result<bool> SortsLast(const OpenTable& table, std::string_view key);
  Status Apply(OpenTable& table, const ItemChange& change);
  Status LogChange(OpenTable& table, const ItemChange& change);
  Status ChangeSecondary(OpenTable& table, const ItemChange& change);
  Status ChangeDerived(OpenTable& table, const ItemChange& change);
  Status CatchUp(OpenTable& table, DerivedState& derived, std::size_t position, std::size_t limit);
  Status BuildMore(OpenTable& table, std::size_t limit);
  Status Backfill(OpenTable& table, const SecondaryIndex& index, IndexId id);
  Result<BuildStep> BuildStepOf(OpenTable& table, std::size_t limit);
  Status PutTableRecord(const TableRecord& record);
  Status PutGarbage(const std::string& prefix);
  Status DropColumnar(std::string_view table);
  Result<TableId> NewTableId();
  Status FlushTable(OpenTable& table);
  // Remembers an error of the store: after it only an abort is possible.
  template <class T>
  Result<T> Latch(Result<T> result);

  WriteTxn txn_;
  std::shared_ptr<const StoreDirectory> catalog_;
  MaintainerLookup maintainers_;
  ChangeLogLimits limits_;
  std::map<std::string, std::unique_ptr<OpenTable>, std::less<>> open_;
  bool catalog_changed_ = false;
  std::optional<std::string> store_end_;  // last key of the file, while a bulk load knows it
  Status broken_;
};

template <class T>
Result<T> LmdbTransaction::Latch(Result<T> result) {
  if (!result.ok() && broken_.ok()) broken_ = result.error();
  return result;
}

}  // namespace tablecast

#endif  // TABLECAST_STORE_LMDB_TRANSACTION_H_
