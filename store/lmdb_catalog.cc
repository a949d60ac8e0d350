#include "store/lmdb_catalog.h"

#include <algorithm>
#include <utility>

#include "store/byte_codec.h"
#include "store/key_layout.h"
#include "store/store_errors.h"

namespace tablecast {

Result<std::shared_ptr<const TableEntry>> StoreDirectory::Find(std::string_view table) const {
  const auto found = tables.find(table);
  if (found == tables.end()) return TableNotFound(table);
  return found->second;
}

Result<std::uint64_t> ReadHeader(const LmdbTxn& txn, char field) {
  TABLECAST_ASSIGN_OR_RETURN(const std::optional<std::string_view> value,
                             txn.Get(HeaderKey(field)));
  if (!value) return std::uint64_t{0};
  ByteReader in(*value);
  const std::uint64_t number = in.Varint();
  if (!in.Complete()) {
    return MakeError(ErrorCode::kDataLoss, "header-damaged", "the store's header is damaged", {},
                     "restore the store from a backup");
  }
  return number;
}

Status WriteHeader(WriteTxn& txn, char field, std::uint64_t value) {
  std::string bytes;
  AppendVarint(bytes, value);
  return txn.Put(HeaderKey(field), bytes);
}

Result<TableState> ReadTableState(const LmdbTxn& txn, const TableRecord& record) {
  TABLECAST_ASSIGN_OR_RETURN(const auto bytes,
                             txn.Get(TablePrefix(RecordKind::kTableState, record.id)));
  TABLECAST_ASSIGN_OR_RETURN(TableState state,
                             DecodeTableState(bytes.value_or(std::string_view())));
  if (state.derived.size() != record.derived.size()) {
    return MakeError(ErrorCode::kDataLoss, "table-damaged",
                     "state and description of a table disagree", record.schema.name);
  }
  return state;
}

Result<std::shared_ptr<const StoreDirectory>> CatalogCache::Find(const LmdbTxn& txn,
                                                                 std::uint64_t snapshot) {
  const std::lock_guard lock(mutex_);
  if (snapshot == verified_txn_) return current_;
  TABLECAST_ASSIGN_OR_RETURN(const std::uint64_t generation, ReadHeader(txn, kGenerationField));
  if (generation == current_->generation) {
    verified_txn_ = std::max(verified_txn_, snapshot);
    return current_;
  }
  TABLECAST_ASSIGN_OR_RETURN(std::shared_ptr<const StoreDirectory> loaded, Load(txn, generation));
  // A snapshot older than the known catalog gets its own; it must not replace the newer one.
  if (generation > current_->generation) {
    current_ = loaded;
    verified_txn_ = snapshot;
  }
  return loaded;
}

Result<std::shared_ptr<const StoreDirectory>> CatalogCache::Load(const LmdbTxn& txn,
                                                                 std::uint64_t generation) {
  auto catalog = std::make_shared<StoreDirectory>();
  catalog->generation = generation;
  LmdbCursor cursor(txn);
  const std::string prefix = KindPrefix(RecordKind::kTable);
  for (bool found = cursor.SeekAtLeast(prefix); found && cursor.key().starts_with(prefix);
       found = cursor.Next()) {
    TABLECAST_ASSIGN_OR_RETURN(auto entry, LoadTable(txn, cursor.value()));
    catalog->tables.emplace(entry->schema().name, entry);
  }
  TABLECAST_RETURN_IF_ERROR(cursor.status());
  return std::shared_ptr<const StoreDirectory>(std::move(catalog));
}

Result<std::shared_ptr<const TableEntry>> CatalogCache::LoadTable(const LmdbTxn& txn,
                                                                  std::string_view bytes) {
  TABLECAST_ASSIGN_OR_RETURN(TableRecord record, DecodeTableRecord(bytes));
  TABLECAST_ASSIGN_OR_RETURN(const TableState state, ReadTableState(txn, record));
  std::shared_ptr<const TableEntry> entry;
  if (const auto known = current_->tables.find(record.schema.name); known != current_->tables.end())
    entry = known->second;
  if (entry == nullptr || entry->bytes != bytes) {
    auto fresh = std::make_shared<TableEntry>();
    const bool same_table = entry != nullptr && entry->record.id == record.id &&
                            entry->record.created == record.created;
    fresh->names = same_table ? entry->names : std::make_shared<AttributeNames>();
    fresh->bytes = bytes;
    fresh->item_prefix = TablePrefix(RecordKind::kItem, record.id);
    fresh->record = std::move(record);
    entry = std::move(fresh);
    kept_.push_back(entry);
  }
  // Only committed names are ever interned here, in the order of their numbers.
  for (std::size_t id = entry->names->size(); id < state.names; ++id) {
    TABLECAST_ASSIGN_OR_RETURN(const auto name,
                               txn.Get(NameKey(entry->record.id, static_cast<std::uint16_t>(id))));
    TABLECAST_ASSIGN_OR_RETURN(const AttributeNames::Id given,
                               entry->names->Intern(name.value_or(std::string_view())));
    if (given != id) {
      return MakeError(ErrorCode::kDataLoss, "table-damaged",
                       "the attribute names of a table are damaged", entry->schema().name);
    }
  }
  return entry;
}

}  // namespace tablecast
