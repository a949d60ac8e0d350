#ifndef TABLECAST_STORE_ITEM_STORE_H_
#define TABLECAST_STORE_ITEM_STORE_H_

// The contract that every source of items signs: tables, snapshots to read from, one serialised
// write transaction at a time, secondary and derived indexes in step with the items. Two
// implementations exist here: LmdbItemStore (durable) and MemoryItemStore (the oracle of the
// conformance suite).
//
//   auto snapshot = store.BeginRead();
//   (*snapshot)->Query("OrderManagement", condition, {}, [&](const ItemView& item) { ...; return
//   true; });
//
//   store.Write([&](WriteTransaction& txn) -> Status {
//     TABLECAST_ASSIGN_OR_RETURN(auto old, txn.Get("T", key));
//     if (!old) return MakeError(ErrorCode::kNotFound, ...);          // aborts: nothing is written
//     return txn.Put("T", changed_item);
//   });

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "item/item.h"
#include "item/key_condition.h"
#include "item/table_schema.h"
#include "store/maintainer.h"

namespace tablecast {

// Return false to stop. The view is valid during the call only.
using ItemVisitor = std::function<bool(const ItemView&)>;

struct ReadOptions {
  bool descending = false;
  // Encoded key (item_codec.h EncodeKey): start strictly behind it in reading order.
  std::optional<std::string> after_key;
};

// An entry of a derived index. BORROWS: valid during the visit.
struct IndexEntryView {
  std::string_view order;  // as the maintainer gave it, at most the stored prefix (see truncated)
  std::string_view payload;
  std::string_view item_key;  // encoded key of the item
  bool truncated = false;     // `order` was cut at 400 bytes: re-sort equal prefixes on read
};
using IndexEntryVisitor = std::function<bool(const IndexEntryView&)>;

// Byte bounds on entry order; unset = open. `after` (order, item_key) resumes strictly behind an
// entry.
struct IndexRange {
  std::string lower;                 // inclusive; empty = from the start
  std::optional<std::string> upper;  // exclusive
  bool descending = false;
  std::optional<std::pair<std::string, std::string>> after;
};

enum class IndexState { kReady, kBehind, kBuilding, kMissing };
struct DerivedIndexInfo {
  DerivedIndex definition;
  IndexState state = IndexState::kMissing;
  std::uint64_t entries = 0;
  std::uint64_t sequence = 0;                     // change sequence it reflects
  std::uint64_t build_done = 0, build_total = 0;  // progress while kBuilding, in items
};

struct TableInfo {
  TableSchema schema;
  std::uint64_t item_count = 0;
  std::uint64_t item_bytes = 0;  // stored key and record bytes
  std::uint64_t sequence = 0;    // change sequence: +1 per changed item
  std::vector<DerivedIndexInfo> derived;
};

enum class ChangeKind : std::uint8_t { kPut = 1, kDelete = 2 };  // on disk, never renumber
struct Change {
  std::uint64_t sequence;
  ChangeKind kind;
  std::string key;               // encoded key
  std::optional<Item> old_item;  // what was there before; absent for an insert
};

// A consistent view. THREAD: one thread at a time. Keep it short: an open snapshot pins pages.
class ReadSnapshot {
 public:
  virtual ~ReadSnapshot() = default;

  virtual Result<std::vector<std::string>> ListTables() const = 0;
  // ERRORS: kNotFound "table-not-found".
  virtual Result<TableInfo> Describe(std::string_view table) const = 0;
  // Schema and names live as long as the store. ERRORS: kNotFound.
  virtual Result<const TableSchema*> Schema(std::string_view table) const = 0;
  virtual Result<const AttributeNames*> Names(std::string_view table) const = 0;

  // Calls `visit` with the item and returns true, or false when no item has that key.
  virtual Result<bool> Get(std::string_view table, std::string_view encoded_key,
                           const std::function<void(const ItemView&)>& visit) const = 0;
  // Items that meet the condition, in (partition, sort) order. COST: follows the answer for
  // partition equality, IN and ranges; with the partition free it walks the table, seeking inside
  // each partition where a sort condition allows. Returns items visited.
  virtual Result<std::uint64_t> Query(std::string_view table, const KeyCondition& condition,
                                      const ReadOptions& options,
                                      const ItemVisitor& visit) const = 0;
  virtual Result<std::uint64_t> Scan(std::string_view table, const ReadOptions& options,
                                     const ItemVisitor& visit) const = 0;
  // Over a secondary index: the condition is on its first two key columns, HASH before RANGE; items
  // come projected as declared. `options.after_key` is a SecondaryEntryKey
  // (store/secondary_index.h).
  virtual Result<std::uint64_t> QueryIndex(std::string_view table, std::string_view index,
                                           const KeyCondition& condition,
                                           const ReadOptions& options,
                                           const ItemVisitor& visit) const = 0;

  // --- derived indexes. ERRORS: kFailedPrecondition "index-not-ready" unless the index is kReady
  // in this snapshot with the given fingerprint.
  virtual Result<std::uint64_t> CountDerived(std::string_view table,
                                             const DerivedIndex& index) const = 0;
  virtual Result<std::uint64_t> ScanDerived(std::string_view table, const DerivedIndex& index,
                                            const IndexRange& range,
                                            const IndexEntryVisitor& visit) const = 0;
  virtual bool IsDerivedReady(std::string_view table, const DerivedIndex& index) const = 0;

  // --- changes: strictly after `sequence`, oldest first. ERRORS: kFailedPrecondition
  // "change-log-expired" when the log no longer reaches back that far.
  virtual Result<std::uint64_t> Changes(std::string_view table, std::uint64_t after_sequence,
                                        const std::function<bool(const Change&)>& visit) const = 0;

  // Small named values that live in the store (secrets, inferred schemas, journals).
  virtual Result<std::optional<std::string>> GetMeta(std::string_view name) const = 0;
};

class WriteTransaction {
 public:
  virtual ~WriteTransaction() = default;
  virtual Result<std::optional<Item>> Get(std::string_view table, const ItemKey& key) = 0;
  // Items of one partition with an optional sort condition, decoded.
  virtual Result<std::vector<Item>> Query(std::string_view table, const KeyCondition& condition,
                                          std::size_t limit) = 0;
  // Validates the item (ValidateItem) and replaces what is there. The same item again is no change:
  // the sequence stays.
  virtual Status Put(std::string_view table, const Item& item) = 0;
  // True when there was something to delete.
  virtual Result<bool> Delete(std::string_view table, const ItemKey& key) = 0;
  // Entries of a ready derived index, this transaction's writes included (for unique checks).
  virtual Result<std::uint64_t> ScanDerived(std::string_view table, const DerivedIndex& index,
                                            const IndexRange& range,
                                            const IndexEntryVisitor& visit) = 0;
  virtual Result<TableInfo> Describe(std::string_view table) = 0;
  virtual Result<std::optional<std::string>> GetMeta(std::string_view name) = 0;
  virtual Status PutMeta(std::string_view name, std::string_view value) = 0;
  virtual Status DeleteMeta(std::string_view name) = 0;
};

class ItemStore {
 public:
  virtual ~ItemStore() = default;
  virtual SourceCapabilities capabilities() const = 0;

  // ERRORS: kAlreadyExists when the table is there with another schema (same schema: success).
  virtual Status CreateTable(const TableSchema& schema) = 0;
  virtual Status DropTable(std::string_view table) = 0;
  virtual Status AddSecondaryIndex(std::string_view table, const SecondaryIndex& index) = 0;

  virtual Result<std::unique_ptr<ReadSnapshot>> BeginRead() const = 0;

  // Runs `body` in the one write transaction and commits durably (fsync) when it succeeds; an error
  // aborts and is returned. Nothing half-written is ever visible. `body` must have no outside
  // effect before success: the commit may still fail. It must not call Write of the same store.
  // ERRORS: the body's; kUnavailable "store-locked", "disk-full"; kDeadlineExceeded.
  virtual Status Write(const std::function<Status(WriteTransaction&)>& body) = 0;

  // Replaces the table's maintainer in this process. Indexes that the store holds but the
  // maintainer no longer names are dropped; new or changed ones become kMissing until built.
  // nullptr: this process maintains nothing any more; stored indexes stay and fall behind with its
  // writes.
  virtual Status SetMaintainer(std::string_view table,
                               std::shared_ptr<const IndexMaintainer> maintainer) = 0;
  // Brings every derived index of the table to kReady: catches up from the change log or rebuilds
  // in bounded batches. `progress(done, total)` may return false to stop (then kAborted).
  virtual Status BuildIndexes(
      std::string_view table,
      const std::function<bool(std::uint64_t, std::uint64_t)>& progress) = 0;
};

}  // namespace tablecast

#endif  // TABLECAST_STORE_ITEM_STORE_H_
