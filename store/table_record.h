#ifndef TABLECAST_STORE_TABLE_RECORD_H_
#define TABLECAST_STORE_TABLE_RECORD_H_

// The two records that the durable store keeps per table, and the records of its change log.
// TableRecord says what the table is and changes rarely; TableState counts and changes with every
// write. docs/format.md has the bytes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "item/table_schema.h"
#include "store/item_store.h"
#include "store/key_layout.h"
#include "store/maintainer.h"

namespace tablecast {

struct StoredDerivedIndex {
  IndexId id = 0;
  DerivedIndex definition;
};

struct TableRecord {
  TableId id = 0;
  std::uint64_t created = 0;  // catalog generation that created it: tells a table from its namesake
  IndexId next_index = 1;
  TableSchema schema;
  std::vector<IndexId> secondary_ids;  // of schema.indexes, in its order
  std::vector<StoredDerivedIndex> derived;
};
std::string EncodeTableRecord(const TableRecord& record);
Result<TableRecord> DecodeTableRecord(std::string_view bytes);  // kDataLoss "table-damaged"

// On disk, never renumber.
enum class DerivedStatus : std::uint8_t { kMissing = 0, kBuilding = 1, kBuilt = 2 };

struct DerivedState {
  IndexId id = 0;
  DerivedStatus status = DerivedStatus::kMissing;
  std::uint64_t sequence = 0;  // the change of the table that it reflects
  std::uint64_t entries = 0;
  std::uint64_t build_done = 0;  // items, while building
  std::string build_cursor;      // while building: items with keys up to this one are in
};

struct TableState {
  std::uint64_t item_count = 0;
  std::uint64_t item_bytes = 0;
  std::uint64_t sequence = 0;
  std::uint64_t log_first =
      1;  // sequence of the oldest change kept; sequence + 1 when there is none
  std::uint64_t log_bytes = 0;        // of the kept records' values
  std::uint32_t names = 0;            // attribute names interned
  std::vector<DerivedState> derived;  // in the order of TableRecord::derived
};
std::string EncodeTableState(const TableState& state);
Result<TableState> DecodeTableState(std::string_view bytes);  // kDataLoss "table-damaged"

// One change: `old_record` is the encoded record before it, absent for an insert.
struct ChangeRecord {
  ChangeKind kind = ChangeKind::kPut;
  std::string_view key;
  std::optional<std::string_view> old_record;
};
std::string EncodeChangeRecord(const ChangeRecord& change);
Result<ChangeRecord> DecodeChangeRecord(
    std::string_view bytes);  // BORROWS bytes. kDataLoss "change-damaged"

}  // namespace tablecast

#endif  // TABLECAST_STORE_TABLE_RECORD_H_
