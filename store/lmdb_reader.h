#ifndef TABLECAST_STORE_LMDB_READER_H_
#define TABLECAST_STORE_LMDB_READER_H_

// Reading tables of the durable store; snapshots and write transactions share it.

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "store/item_store.h"
#include "store/lmdb_catalog.h"
#include "store/lmdb_env.h"

namespace tablecast {

// One table within one transaction. BORROWS all three.
struct TableReader {
  const LmdbTxn& txn;
  const TableEntry& entry;
  const AttributeNames& names;  // in a write transaction maybe its own, longer ones

  ItemView View(std::string_view key, std::string_view record) const {
    return {entry.schema(), names, key, record};
  }

  Result<std::optional<std::string_view>> GetRecord(std::string_view key) const;
  Result<std::uint64_t> Query(const KeyCondition& condition, const ReadOptions& options,
                              const ItemVisitor& visit) const;
  Result<std::uint64_t> QuerySecondary(std::string_view index, const KeyCondition& condition,
                                       const ReadOptions& options, const ItemVisitor& visit) const;
  Result<std::uint64_t> ScanDerived(const TableState& state, const DerivedIndex& index,
                                    const IndexRange& range, const IndexEntryVisitor& visit) const;
  Result<std::uint64_t> Changes(const TableState& state, std::uint64_t after_sequence,
                                const std::function<bool(const Change&)>& visit) const;
};

TableInfo DescribeTable(const TableEntry& entry, const TableState& state);
// The index's state when it reflects the table exactly, else nullptr.
const DerivedState* FindReady(const TableEntry& entry, const TableState& state,
                              const DerivedIndex& index);

// Key and value of a derived entry, both ways.
std::string DerivedEntryKey(std::string_view order, std::string_view item_key);
std::string DerivedEntryValue(std::string_view order, std::string_view payload);
// BORROWS key, value and scratch. kDataLoss "index-damaged".
Result<IndexEntryView> ParseDerivedEntry(std::string_view key, std::string_view value,
                                         std::string& scratch);

}  // namespace tablecast

#endif  // TABLECAST_STORE_LMDB_READER_H_
