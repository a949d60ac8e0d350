// Creating, dropping and defining: the part of LmdbTransaction that changes the catalog.
//
// IMPLEMENTATION. A drop only removes the description and notes the prefixes that hold the records;
// PurgeDropped removes those in bounded steps, so that no drop makes a transaction as large as a
// table. A table number is given again only when no such note names it.

#include <algorithm>
#include <utility>

#include "item/item_codec.h"
#include "store/byte_codec.h"
#include "store/columnar_chunk.h"
#include "store/key_layout.h"
#include "store/key_space.h"
#include "store/lmdb_transaction.h"
#include "store/secondary_index.h"
#include "store/store_errors.h"

namespace tablecast {
namespace {

constexpr std::size_t kBackfillChunkItems = 10'000;
constexpr TableId kMaxTableId = 0xFFFF;

}  // namespace

Status LmdbTransaction::PutTableRecord(const TableRecord& record) {
  catalog_changed_ = true;
  return Latch(txn_.Put(TableKey(record.schema.name), EncodeTableRecord(record)));
}

Status LmdbTransaction::PutGarbage(const std::string& prefix) {
  return Latch(txn_.Put(KindPrefix(RecordKind::kGarbage) + prefix, {}));
}

Result<TableId> LmdbTransaction::NewTableId() {
  std::vector<bool> used(std::size_t{kMaxTableId} + 1, false);
  for (const auto& [name, entry] : catalog_->tables) used[entry->record.id] = true;
  const std::string garbage = KindPrefix(RecordKind::kGarbage);
  LmdbCursor cursor(txn_);
  for (bool found = cursor.SeekAtLeast(garbage); found && cursor.key().starts_with(garbage);
       found = cursor.Next()) {
    ByteReader in(cursor.key().substr(garbage.size() + 1));  // a prefix: kind, table, ...
    used[in.BigEndian<TableId>()] = true;
  }
  TABLECAST_RETURN_IF_ERROR(cursor.status());
  TABLECAST_ASSIGN_OR_RETURN(const std::uint64_t last, ReadHeader(txn_, kLastTableField));
  // The newest table gets the greatest number while they last: its items are the end of the file.
  for (std::uint64_t id = last + 1; id <= kMaxTableId; ++id) {
    if (!used[id]) return static_cast<TableId>(id);
  }
  for (std::uint64_t id = 1; id <= kMaxTableId; ++id) {
    if (!used[id]) return static_cast<TableId>(id);
  }
  return MakeError(ErrorCode::kResourceExhausted, "too-many-tables",
                   "a store holds at most 65,535 tables");
}

Status LmdbTransaction::CreateTable(const TableSchema& schema) {
  TABLECAST_RETURN_IF_ERROR(ValidateTableSchema(schema));
  if (const auto known = catalog_->Find(schema.name); known.ok()) {
    if ((*known)->schema() == schema) return {};
    return TableExists(schema.name);
  }
  TableRecord record;
  TABLECAST_ASSIGN_OR_RETURN(record.id, NewTableId());
  record.created = catalog_->generation + 1;
  record.schema = schema;
  for (std::size_t i = 0; i < schema.indexes.size(); ++i)
    record.secondary_ids.push_back(record.next_index++);
  TABLECAST_RETURN_IF_ERROR(Latch(WriteHeader(txn_, kLastTableField, record.id)));
  TABLECAST_RETURN_IF_ERROR(
      Latch(txn_.Put(TablePrefix(RecordKind::kTableState, record.id), EncodeTableState({}))));
  return PutTableRecord(record);
}

Status LmdbTransaction::DropTable(std::string_view name) {
  TABLECAST_ASSIGN_OR_RETURN(const auto entry, catalog_->Find(name));
  const TableRecord& record = entry->record;
  for (const RecordKind kind : {RecordKind::kItem, RecordKind::kName, RecordKind::kChange}) {
    TABLECAST_RETURN_IF_ERROR(PutGarbage(TablePrefix(kind, record.id)));
  }
  for (const IndexId index : record.secondary_ids) {
    TABLECAST_RETURN_IF_ERROR(PutGarbage(IndexPrefix(RecordKind::kSecondary, record.id, index)));
  }
  for (const StoredDerivedIndex& index : record.derived) {
    TABLECAST_RETURN_IF_ERROR(PutGarbage(IndexPrefix(RecordKind::kDerived, record.id, index.id)));
  }
  TABLECAST_RETURN_IF_ERROR(DropColumnar(name));
  TABLECAST_RETURN_IF_ERROR(Latch(txn_.Delete(TablePrefix(RecordKind::kTableState, record.id))));
  TABLECAST_RETURN_IF_ERROR(Latch(txn_.Delete(TableKey(name))));
  catalog_changed_ = true;
  return {};
}

// At once, not as garbage: a table of the same name may come with sidecars of its own.
Status LmdbTransaction::DropColumnar(std::string_view table) {
  const std::string prefix = ColumnarPrefix(table);
  std::vector<std::string> names;
  {
    SpaceCursor cursor(txn_, KindPrefix(RecordKind::kMeta));
    for (bool found = cursor.SeekAtLeast(prefix); found && cursor.key().starts_with(prefix);
         found = cursor.Next()) {
      names.emplace_back(cursor.key());
    }
    TABLECAST_RETURN_IF_ERROR(cursor.status());
  }
  for (const std::string& name : names) TABLECAST_RETURN_IF_ERROR(DeleteMeta(name));
  return {};
}

Status LmdbTransaction::AddSecondaryIndex(std::string_view name, const SecondaryIndex& index) {
  TABLECAST_ASSIGN_OR_RETURN(OpenTable* const table, Open(name));
  if (const SecondaryIndex* known = FindSecondaryIndex(table->schema(), index.name)) {
    if (*known == index) return {};
    return SecondaryIndexExists(name, index.name);
  }
  TableRecord record = table->entry->record;
  record.schema.indexes.push_back(index);
  TABLECAST_RETURN_IF_ERROR(ValidateTableSchema(record.schema));
  const IndexId id = record.next_index++;
  record.secondary_ids.push_back(id);
  TABLECAST_RETURN_IF_ERROR(PutTableRecord(record));
  return Latch(Backfill(*table, index, id));
}

// Reads a chunk, then writes its entries: a cursor does not survive a write of its transaction.
Status LmdbTransaction::Backfill(OpenTable& table, const SecondaryIndex& index, IndexId id) {
  const std::string prefix = IndexPrefix(RecordKind::kSecondary, table.id(), id);
  std::string behind;
  for (bool more = true; more;) {
    std::vector<std::pair<std::string, std::string>> entries;
    {
      const TableReader reader = Reader(table);
      SpaceCursor cursor(txn_, table.entry->item_prefix);
      cursor.SeekAtLeast(behind);
      for (std::size_t i = 0; i < kBackfillChunkItems && cursor.valid(); ++i, cursor.Next()) {
        behind = cursor.key();
        const ItemView view = reader.View(cursor.key(), cursor.value());
        std::optional<std::string> key = SecondaryEntryKey(index, view);
        if (!key) continue;
        std::string projected;
        if (index.projection != ProjectionType::kAll) {
          TABLECAST_ASSIGN_OR_RETURN(const Item item, view.ToItem());
          TABLECAST_ASSIGN_OR_RETURN(projected,
                                     Encode(table, ProjectItem(table.schema(), index, item)));
        }
        entries.emplace_back(*std::move(key), std::move(projected));
      }
      TABLECAST_RETURN_IF_ERROR(cursor.status());
      more = cursor.valid();
    }
    behind += '\0';
    std::sort(entries.begin(), entries.end());
    for (const auto& [key, value] : entries)
      TABLECAST_RETURN_IF_ERROR(SpacePut(txn_, prefix, key, value));
  }
  return {};
}

Status LmdbTransaction::DefineDerived(std::string_view name,
                                      const std::vector<DerivedIndex>& wanted) {
  TABLECAST_ASSIGN_OR_RETURN(OpenTable* const table, Open(name));
  TableRecord record = table->entry->record;
  std::vector<StoredDerivedIndex> kept;
  std::vector<DerivedState> states;
  std::vector<bool> found(record.derived.size(), false);
  for (const DerivedIndex& index : wanted) {
    bool known = false;
    for (std::size_t i = 0; i < record.derived.size() && !known; ++i) {
      if (found[i] || record.derived[i].definition != index) continue;
      known = found[i] = true;
      kept.push_back(record.derived[i]);
      states.push_back(table->state.derived[i]);
    }
    if (known) continue;
    kept.push_back({.id = record.next_index++, .definition = index});
    states.push_back({.id = kept.back().id, .build_cursor = {}});
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i])
      TABLECAST_RETURN_IF_ERROR(
          PutGarbage(IndexPrefix(RecordKind::kDerived, record.id, record.derived[i].id)));
  }
  record.derived = std::move(kept);
  table->state.derived = std::move(states);
  table->changed = true;
  return PutTableRecord(record);
}

Result<bool> LmdbTransaction::PurgeDropped(std::size_t limit) {
  std::string note;
  {
    const std::string garbage = KindPrefix(RecordKind::kGarbage);
    LmdbCursor cursor(txn_);
    if (cursor.SeekAtLeast(garbage) && cursor.key().starts_with(garbage)) note = cursor.key();
    TABLECAST_RETURN_IF_ERROR(cursor.status());
  }
  if (note.empty()) return true;
  TABLECAST_ASSIGN_OR_RETURN(const bool purged, Latch(SpacePurge(txn_, note.substr(1), limit)));
  if (purged) TABLECAST_RETURN_IF_ERROR(Latch(txn_.Delete(note)));
  return false;
}

}  // namespace tablecast
