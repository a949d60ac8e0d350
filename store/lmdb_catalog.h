#ifndef TABLECAST_STORE_LMDB_CATALOG_H_
#define TABLECAST_STORE_LMDB_CATALOG_H_

// The tables of the durable store as one process knows them: schemas, index numbers, attribute
// names. The truth is in the file, and other processes change it too, so every transaction asks for
// the catalog of its own snapshot; a generation counter in the file says whether the known one
// still holds.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "item/item.h"
#include "store/lmdb_env.h"
#include "store/table_record.h"

namespace tablecast {

// Immutable, but for names, which only ever grow.
struct TableEntry {
  TableRecord record;
  std::string bytes;  // the stored form of `record`
  std::shared_ptr<AttributeNames> names;
  std::string item_prefix;

  const TableSchema& schema() const { return record.schema; }
};

struct StoreDirectory {
  std::uint64_t generation = 0;
  std::map<std::string, std::shared_ptr<const TableEntry>, std::less<>> tables;

  Result<std::shared_ptr<const TableEntry>> Find(std::string_view table) const;  // kNotFound
};

// Header fields, on disk, never reuse a letter.
inline constexpr char kFormatVersionField = 'v';
inline constexpr char kGenerationField = 'g';
inline constexpr char kLastTableField = 't';
inline constexpr std::uint64_t kStoreFormatVersion = 1;

// A varint header field; 0 when it was never written. kDataLoss "header-damaged".
Result<std::uint64_t> ReadHeader(const LmdbTxn& txn, char field);
Status WriteHeader(WriteTxn& txn, char field, std::uint64_t value);

Result<TableState> ReadTableState(const LmdbTxn& txn, const TableRecord& record);

// THREAD: safe.
class CatalogCache {
 public:
  // The catalog of this snapshot. COST: nothing to read when no one has committed since the last
  // call, one read when someone has, the whole catalog when it changed.
  Result<std::shared_ptr<const StoreDirectory>> For(const ReadTxn& txn) {
    return Find(txn, txn.id());
  }
  // A write transaction starts from the commit before it. REQUIRES: nothing written yet.
  Result<std::shared_ptr<const StoreDirectory>> For(const WriteTxn& txn) {
    return Find(txn, txn.id() - 1);
  }

 private:
  Result<std::shared_ptr<const StoreDirectory>> Find(const LmdbTxn& txn, std::uint64_t snapshot);
  Result<std::shared_ptr<const StoreDirectory>> Load(const LmdbTxn& txn, std::uint64_t generation);
  Result<std::shared_ptr<const TableEntry>> LoadTable(const LmdbTxn& txn, std::string_view bytes);

  std::mutex mutex_;
  std::uint64_t verified_txn_ = 0;  // last committed transaction that current_ is known to hold for
  std::shared_ptr<const StoreDirectory> current_ = std::make_shared<StoreDirectory>();
  // Schemas and names are promised to live as long as the store.
  std::vector<std::shared_ptr<const TableEntry>> kept_;
};

}  // namespace tablecast

#endif  // TABLECAST_STORE_LMDB_CATALOG_H_
