// Items and their companions in one write transaction. StoreDirectory changes are in
// lmdb_catalog_changes.cc, building of derived indexes in derived_build.cc. Tested by
// tests/store/lmdb_item_store_test.cc and tests/store/store_model_test.cc.

#include "store/lmdb_transaction.h"

#include <utility>

#include "item/item_codec.h"
#include "store/key_layout.h"
#include "store/key_space.h"
#include "store/secondary_index.h"

namespace tablecast {

LmdbTransaction::LmdbTransaction(WriteTxn txn, std::shared_ptr<const StoreDirectory> catalog,
                                 MaintainerLookup maintainers, const ChangeLogLimits& limits)
    : txn_(std::move(txn)),
      catalog_(std::move(catalog)),
      maintainers_(std::move(maintainers)),
      limits_(limits) {}
LmdbTransaction::~LmdbTransaction() = default;

Result<LmdbTransaction::OpenTable*> LmdbTransaction::Open(std::string_view name) {
  if (const auto found = open_.find(name); found != open_.end()) return found->second.get();
  TABLECAST_ASSIGN_OR_RETURN(std::shared_ptr<const TableEntry> entry, catalog_->Find(name));
  TABLECAST_ASSIGN_OR_RETURN(TableState state, ReadTableState(txn_, entry->record));
  DerivedWriter derived(maintainers_(name), entry->record);
  auto table = std::unique_ptr<OpenTable>(new OpenTable{.entry = std::move(entry),
                                                        .state = std::move(state),
                                                        .changed = false,
                                                        .own_names = nullptr,
                                                        .derived = std::move(derived)});
  return open_.emplace(std::string(name), std::move(table)).first->second.get();
}

TableReader LmdbTransaction::Reader(const OpenTable& table) const {
  return {txn_, *table.entry, table.names()};
}

// --- reading
// --------------------------------------------------------------------------------------

Result<std::optional<Item>> LmdbTransaction::Get(std::string_view table, const ItemKey& key) {
  TABLECAST_ASSIGN_OR_RETURN(OpenTable* const open, Open(table));
  TABLECAST_ASSIGN_OR_RETURN(const std::string encoded, EncodeKey(open->schema(), key));
  const TableReader reader = Reader(*open);
  TABLECAST_ASSIGN_OR_RETURN(const auto record, reader.GetRecord(encoded));
  if (!record) return std::optional<Item>();
  TABLECAST_ASSIGN_OR_RETURN(Item item, reader.View(encoded, *record).ToItem());
  return std::optional<Item>(std::move(item));
}

Result<std::vector<Item>> LmdbTransaction::Query(std::string_view table,
                                                 const KeyCondition& condition, std::size_t limit) {
  TABLECAST_ASSIGN_OR_RETURN(OpenTable* const open, Open(table));
  std::vector<Item> items;
  if (limit == 0) return items;
  Status failed;
  TABLECAST_RETURN_IF_ERROR(Reader(*open).Query(condition, {}, [&](const ItemView& view) {
    Result<Item> item = view.ToItem();
    if (!item.ok()) {
      failed = item.error();
      return false;
    }
    items.push_back(*std::move(item));
    return items.size() < limit;
  }));
  TABLECAST_RETURN_IF_ERROR(failed);
  return items;
}

Result<std::uint64_t> LmdbTransaction::ScanDerived(std::string_view table,
                                                   const DerivedIndex& index,
                                                   const IndexRange& range,
                                                   const IndexEntryVisitor& visit) {
  TABLECAST_ASSIGN_OR_RETURN(OpenTable* const open, Open(table));
  return Reader(*open).ScanDerived(open->state, index, range, visit);
}

Result<TableInfo> LmdbTransaction::Describe(std::string_view table) {
  TABLECAST_ASSIGN_OR_RETURN(OpenTable* const open, Open(table));
  return DescribeTable(*open->entry, open->state);
}

Result<std::optional<std::string>> LmdbTransaction::GetMeta(std::string_view name) {
  TABLECAST_ASSIGN_OR_RETURN(const auto value, SpaceGet(txn_, KindPrefix(RecordKind::kMeta), name));
  if (!value) return std::optional<std::string>();
  return std::optional<std::string>(*value);
}

Status LmdbTransaction::PutMeta(std::string_view name, std::string_view value) {
  TABLECAST_RETURN_IF_ERROR(Latch(SpacePut(txn_, KindPrefix(RecordKind::kMeta), name, value)));
  return {};
}

Status LmdbTransaction::DeleteMeta(std::string_view name) {
  TABLECAST_RETURN_IF_ERROR(Latch(SpaceDelete(txn_, KindPrefix(RecordKind::kMeta), name)));
  return {};
}

// --- writing items
// --------------------------------------------------------------------------------

Result<std::string> LmdbTransaction::Encode(OpenTable& table, const Item& item) {
  if (table.own_names == nullptr) {
    const TableSchema& schema = table.schema();
    for (const auto& [name, value] : item) {
      const bool key_column =
          name == schema.key.partition.name || (schema.key.sort && name == schema.key.sort->name);
      if (key_column || table.entry->names->Find(name) != AttributeNames::kNone) continue;
      auto own = std::make_unique<AttributeNames>();
      for (std::uint32_t id = 0; id < table.state.names; ++id) {
        TABLECAST_RETURN_IF_ERROR(
            own->Intern(table.entry->names->Name(static_cast<AttributeNames::Id>(id))));
      }
      table.own_names = std::move(own);
      break;
    }
  }
  return EncodeRecord(table.schema(), item, table.names());
}

Status LmdbTransaction::Put(std::string_view name, const Item& item) {
  if (!broken_.ok()) return broken_.error();
  TABLECAST_ASSIGN_OR_RETURN(OpenTable* const table, Open(name));
  TABLECAST_RETURN_IF_ERROR(ValidateItem(table->schema(), item));
  TABLECAST_ASSIGN_OR_RETURN(const ItemKey key, KeyOf(table->schema(), item));
  TABLECAST_ASSIGN_OR_RETURN(const std::string encoded, EncodeKey(table->schema(), key));
  TABLECAST_RETURN_IF_ERROR(PutItem(*table, {.key = encoded, .item = &item}, false));
  return {};
}

Result<bool> LmdbTransaction::Delete(std::string_view name, const ItemKey& key) {
  if (!broken_.ok()) return broken_.error();
  TABLECAST_ASSIGN_OR_RETURN(OpenTable* const table, Open(name));
  TABLECAST_ASSIGN_OR_RETURN(const std::string encoded, EncodeKey(table->schema(), key));
  TABLECAST_ASSIGN_OR_RETURN(const LoadOutcome outcome, DeleteItem(*table, {.key = encoded}));
  return outcome == LoadOutcome::kDeleted;
}

Result<LoadOutcome> LmdbTransaction::Load(std::string_view name, const LoadOperation& operation) {
  if (!broken_.ok()) return broken_.error();
  TABLECAST_ASSIGN_OR_RETURN(OpenTable* const table, Open(name));
  if (operation.item == nullptr) return DeleteItem(*table, operation);
  // Schemas are kept as long as the store, so the same address is the same schema.
  if (operation.checked_against != &table->schema()) {
    TABLECAST_RETURN_IF_ERROR(ValidateItem(table->schema(), *operation.item));
  }
  return PutItem(*table, operation, true);
}

Result<bool> LmdbTransaction::SortsLast(const OpenTable& table, std::string_view key) {
  if (key.size() >= kKeySegmentBytes) return false;
  if (!store_end_) {
    LmdbCursor cursor(txn_);
    store_end_ = cursor.Last() ? std::string(cursor.key()) : std::string();
    TABLECAST_RETURN_IF_ERROR(cursor.status());
  }
  std::string physical = table.entry->item_prefix;
  physical += key;
  if (physical <= *store_end_) return false;
  store_end_ = std::move(physical);
  return true;
}

Result<LoadOutcome> LmdbTransaction::PutItem(OpenTable& table, const LoadOperation& operation,
                                             bool may_append) {
  TABLECAST_ASSIGN_OR_RETURN(const std::string record, Encode(table, *operation.item));
  ItemChange change{.key = operation.key,
                    .new_record = &record,
                    .new_item = operation.item,
                    .log = operation.log_change};
  if (may_append) {
    TABLECAST_ASSIGN_OR_RETURN(change.append, SortsLast(table, operation.key));
  } else {
    store_end_.reset();
  }
  std::string old_record;
  if (!change.append) {
    TABLECAST_ASSIGN_OR_RETURN(const auto stored, Reader(table).GetRecord(operation.key));
    if (stored && *stored == record) return LoadOutcome::kUnchanged;
    if (stored) {
      old_record = *stored;  // a copy: the bytes end with the next write
      change.old_record = &old_record;
    }
  }
  TABLECAST_RETURN_IF_ERROR(Latch(Apply(table, change)));
  return change.old_record != nullptr ? LoadOutcome::kReplaced : LoadOutcome::kInserted;
}

Result<LoadOutcome> LmdbTransaction::DeleteItem(OpenTable& table, const LoadOperation& operation) {
  TABLECAST_ASSIGN_OR_RETURN(const auto stored, Reader(table).GetRecord(operation.key));
  if (!stored) return LoadOutcome::kMissing;
  const std::string old_record(*stored);
  store_end_.reset();
  TABLECAST_RETURN_IF_ERROR(Latch(Apply(
      table, {.key = operation.key, .old_record = &old_record, .log = operation.log_change})));
  return LoadOutcome::kDeleted;
}

Status LmdbTransaction::Apply(OpenTable& table, const ItemChange& change) {
  table.changed = true;
  TABLECAST_RETURN_IF_ERROR(LogChange(table, change));
  const std::string& prefix = table.entry->item_prefix;
  if (change.new_record == nullptr) {
    TABLECAST_RETURN_IF_ERROR(SpaceDelete(txn_, prefix, change.key));
  } else if (change.append) {
    TABLECAST_RETURN_IF_ERROR(txn_.Append(prefix + std::string(change.key), *change.new_record));
  } else {
    TABLECAST_RETURN_IF_ERROR(SpacePut(txn_, prefix, change.key, *change.new_record));
  }
  TableState& state = table.state;
  if (change.old_record != nullptr) {
    --state.item_count;
    state.item_bytes -= change.key.size() + change.old_record->size();
  }
  if (change.new_record != nullptr) {
    ++state.item_count;
    state.item_bytes += change.key.size() + change.new_record->size();
  }
  TABLECAST_RETURN_IF_ERROR(ChangeSecondary(table, change));
  TABLECAST_RETURN_IF_ERROR(ChangeDerived(table, change));
  ++state.sequence;
  if (!change.log) state.log_first = state.sequence + 1;
  return {};
}

Status LmdbTransaction::LogChange(OpenTable& table, const ItemChange& change) {
  if (!change.log) {
    if (table.state.log_first > table.state.sequence) return {};
    return ClearChanges(txn_, table.entry->record, table.state);
  }
  ChangeRecord record{.kind = change.new_record != nullptr ? ChangeKind::kPut : ChangeKind::kDelete,
                      .key = change.key,
                      .old_record = std::nullopt};
  if (change.old_record != nullptr) record.old_record = *change.old_record;
  return AppendChange(txn_, table.entry->record, table.state, limits_, record);
}

Status LmdbTransaction::ChangeSecondary(OpenTable& table, const ItemChange& change) {
  const TableSchema& schema = table.schema();
  for (std::size_t i = 0; i < schema.indexes.size(); ++i) {
    const SecondaryIndex& index = schema.indexes[i];
    const std::string prefix =
        IndexPrefix(RecordKind::kSecondary, table.id(), table.entry->record.secondary_ids[i]);
    const TableReader reader = Reader(table);
    std::optional<std::string> before;
    std::optional<std::string> after;
    if (change.old_record != nullptr)
      before = SecondaryEntryKey(index, reader.View(change.key, *change.old_record));
    if (change.new_record != nullptr)
      after = SecondaryEntryKey(index, reader.View(change.key, *change.new_record));
    if (before && before != after) TABLECAST_RETURN_IF_ERROR(SpaceDelete(txn_, prefix, *before));
    if (!after) continue;
    if (index.projection == ProjectionType::kAll) {
      // The entry points to the item: nothing to write when the place is the same.
      if (before != after) TABLECAST_RETURN_IF_ERROR(SpacePut(txn_, prefix, *after, {}));
      continue;
    }
    TABLECAST_ASSIGN_OR_RETURN(const std::string projected,
                               Encode(table, ProjectItem(schema, index, *change.new_item)));
    TABLECAST_RETURN_IF_ERROR(SpacePut(txn_, prefix, *after, projected));
  }
  return {};
}

Status LmdbTransaction::ChangeDerived(OpenTable& table, const ItemChange& change) {
  if (table.derived.empty()) return {};
  TableState& state = table.state;
  std::vector<std::size_t> in_step;
  for (std::size_t i = 0; i < state.derived.size(); ++i) {
    const DerivedState& derived = state.derived[i];
    if (table.derived.Feeds(i) && derived.status != DerivedStatus::kMissing &&
        derived.sequence == state.sequence) {
      in_step.push_back(i);
    }
  }
  if (in_step.empty()) return {};
  const TableReader reader = Reader(table);
  std::vector<DerivedEntries> before(state.derived.size());
  std::vector<DerivedEntries> after(state.derived.size());
  if (change.old_record != nullptr)
    before = table.derived.EntriesOf(reader.View(change.key, *change.old_record));
  if (change.new_record != nullptr)
    after = table.derived.EntriesOf(reader.View(change.key, *change.new_record));
  for (const std::size_t i : in_step) {
    DerivedState& derived = state.derived[i];
    // An index that is being built holds the items up to its cursor; the build itself adds the
    // rest.
    if (derived.status == DerivedStatus::kBuilt || change.key <= derived.build_cursor) {
      TABLECAST_RETURN_IF_ERROR(ReplaceEntries(txn_, table.id(), derived, before[i], after[i]));
    }
    derived.sequence = state.sequence + 1;
  }
  return {};
}

// --- end
// ------------------------------------------------------------------------------------------

Status LmdbTransaction::FlushTable(OpenTable& table) {
  if (table.own_names != nullptr) {
    for (std::size_t id = table.state.names; id < table.own_names->size(); ++id) {
      const auto number = static_cast<AttributeNames::Id>(id);
      TABLECAST_RETURN_IF_ERROR(
          txn_.Put(NameKey(table.id(), number), table.own_names->Name(number)));
      catalog_changed_ = true;  // every process learns the names with the next catalog
    }
    table.state.names = static_cast<std::uint32_t>(table.own_names->size());
  }
  return txn_.Put(TablePrefix(RecordKind::kTableState, table.id()), EncodeTableState(table.state));
}

Status LmdbTransaction::Commit() {
  if (!broken_.ok()) return broken_.error();
  for (auto& [name, table] : open_) {
    if (table->changed) TABLECAST_RETURN_IF_ERROR(FlushTable(*table));
  }
  if (catalog_changed_)
    TABLECAST_RETURN_IF_ERROR(WriteHeader(txn_, kGenerationField, catalog_->generation + 1));
  return txn_.Commit();
}

}  // namespace tablecast
