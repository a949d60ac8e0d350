#include "store/lmdb_item_store.h"

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "store/key_layout.h"
#include "store/key_space.h"
#include "store/lmdb_reader.h"
#include "store/lmdb_transaction.h"
#include "store/store_errors.h"

namespace tablecast {

class LmdbItemStore::Snapshot final : public ReadSnapshot {
 public:
  Snapshot(ReadTxn txn, std::shared_ptr<const StoreDirectory> catalog)
      : txn_(std::move(txn)), catalog_(std::move(catalog)) {}

  Result<std::vector<std::string>> ListTables() const override {
    std::vector<std::string> names;
    for (const auto& [name, entry] : catalog_->tables) names.push_back(name);
    return names;
  }
  Result<TableInfo> Describe(std::string_view table) const override {
    TABLECAST_ASSIGN_OR_RETURN(const TableEntry* entry, Find(table));
    TABLECAST_ASSIGN_OR_RETURN(const TableState* state, State(*entry));
    return DescribeTable(*entry, *state);
  }
  Result<const TableSchema*> Schema(std::string_view table) const override {
    TABLECAST_ASSIGN_OR_RETURN(const TableEntry* entry, Find(table));
    return &entry->schema();
  }
  Result<const AttributeNames*> Names(std::string_view table) const override {
    TABLECAST_ASSIGN_OR_RETURN(const TableEntry* entry, Find(table));
    return entry->names.get();
  }
  Result<bool> Get(std::string_view table, std::string_view encoded_key,
                   const std::function<void(const ItemView&)>& visit) const override {
    TABLECAST_ASSIGN_OR_RETURN(const TableEntry* entry, Find(table));
    TABLECAST_ASSIGN_OR_RETURN(const auto record, SpaceGet(txn_, entry->item_prefix, encoded_key));
    if (!record) return false;
    visit(ItemView(entry->schema(), *entry->names, encoded_key, *record));
    return true;
  }
  Result<std::uint64_t> Query(std::string_view table, const KeyCondition& condition,
                              const ReadOptions& options, const ItemVisitor& visit) const override {
    TABLECAST_ASSIGN_OR_RETURN(const TableReader reader, Reader(table));
    return reader.Query(condition, options, visit);
  }
  Result<std::uint64_t> Scan(std::string_view table, const ReadOptions& options,
                             const ItemVisitor& visit) const override {
    return Query(table, {}, options, visit);
  }
  Result<std::uint64_t> QueryIndex(std::string_view table, std::string_view index,
                                   const KeyCondition& condition, const ReadOptions& options,
                                   const ItemVisitor& visit) const override {
    TABLECAST_ASSIGN_OR_RETURN(const TableReader reader, Reader(table));
    return reader.QuerySecondary(index, condition, options, visit);
  }
  Result<std::uint64_t> CountDerived(std::string_view table,
                                     const DerivedIndex& index) const override {
    TABLECAST_ASSIGN_OR_RETURN(const TableEntry* entry, Find(table));
    TABLECAST_ASSIGN_OR_RETURN(const TableState* state, State(*entry));
    const DerivedState* derived = FindReady(*entry, *state, index);
    if (derived == nullptr) return DerivedIndexNotReady(table, index.name);
    return derived->entries;
  }
  Result<std::uint64_t> ScanDerived(std::string_view table, const DerivedIndex& index,
                                    const IndexRange& range,
                                    const IndexEntryVisitor& visit) const override {
    TABLECAST_ASSIGN_OR_RETURN(const TableReader reader, Reader(table));
    TABLECAST_ASSIGN_OR_RETURN(const TableState* state, State(reader.entry));
    return reader.ScanDerived(*state, index, range, visit);
  }
  bool IsDerivedReady(std::string_view table, const DerivedIndex& index) const override {
    const Result<const TableEntry*> entry = Find(table);
    if (!entry.ok()) return false;
    const Result<const TableState*> state = State(**entry);
    return state.ok() && FindReady(**entry, **state, index) != nullptr;
  }
  Result<std::uint64_t> Changes(
      std::string_view table, std::uint64_t after_sequence,
      const std::function<bool(const tablecast::Change&)>& visit) const override {
    TABLECAST_ASSIGN_OR_RETURN(const TableReader reader, Reader(table));
    TABLECAST_ASSIGN_OR_RETURN(const TableState* state, State(reader.entry));
    return reader.Changes(*state, after_sequence, visit);
  }
  Result<std::optional<std::string>> GetMeta(std::string_view name) const override {
    TABLECAST_ASSIGN_OR_RETURN(const auto value,
                               SpaceGet(txn_, KindPrefix(RecordKind::kMeta), name));
    if (!value) return std::optional<std::string>();
    return std::optional<std::string>(*value);
  }

 private:
  Result<const TableEntry*> Find(std::string_view table) const {
    const auto found = catalog_->tables.find(table);
    if (found == catalog_->tables.end()) return TableNotFound(table);
    return found->second.get();
  }
  Result<TableReader> Reader(std::string_view table) const {
    TABLECAST_ASSIGN_OR_RETURN(const TableEntry* entry, Find(table));
    return TableReader{txn_, *entry, *entry->names};
  }

  // Decoded once: a request asks for it at every index it looks at. A snapshot belongs to one thread.
  Result<const TableState*> State(const TableEntry& entry) const {
    const auto known = states_.find(&entry);
    if (known != states_.end()) return &known->second;
    TABLECAST_ASSIGN_OR_RETURN(TableState state, ReadTableState(txn_, entry.record));
    return &states_.emplace(&entry, std::move(state)).first->second;
  }

  ReadTxn txn_;
  std::shared_ptr<const StoreDirectory> catalog_;
  mutable std::map<const TableEntry*, TableState> states_;
};

LmdbItemStore::LmdbItemStore(std::shared_ptr<LmdbEnv> env, LmdbOptions options)
    : env_(std::move(env)), options_(options) {}
LmdbItemStore::~LmdbItemStore() = default;

Result<std::unique_ptr<LmdbItemStore>> LmdbItemStore::Open(const std::string& path,
                                                           const LmdbOptions& options) {
  TABLECAST_ASSIGN_OR_RETURN(std::shared_ptr<LmdbEnv> env, LmdbEnv::Open(path, options.env));
  std::unique_ptr<LmdbItemStore> store(new LmdbItemStore(std::move(env), options));
  TABLECAST_RETURN_IF_ERROR(store->CheckFormat());
  return store;
}

// A store of version 0 is empty or no store of ours. Only a writer settles which, under its lock,
// since two processes may be creating the store at once.
Status LmdbItemStore::CheckFormat() {
  std::uint64_t version = 0;
  {
    TABLECAST_ASSIGN_OR_RETURN(const ReadTxn txn, env_->BeginRead());
    TABLECAST_ASSIGN_OR_RETURN(version, ReadHeader(txn, kFormatVersionField));
  }
  if (version == 0) {
    TABLECAST_ASSIGN_OR_RETURN(WriteTxn txn, env_->BeginWrite());
    TABLECAST_ASSIGN_OR_RETURN(version, ReadHeader(txn, kFormatVersionField));
    if (version == 0) {
      {
        LmdbCursor cursor(txn);
        if (cursor.First()) {
          return MakeError(ErrorCode::kFailedPrecondition, "not-a-store",
                           "the LMDB environment holds data that tablecast did not write", path(),
                           "give another directory");
        }
      }
      TABLECAST_RETURN_IF_ERROR(WriteHeader(txn, kFormatVersionField, kStoreFormatVersion));
      TABLECAST_RETURN_IF_ERROR(txn.Commit());
      version = kStoreFormatVersion;
    }
  }
  if (version > kStoreFormatVersion) {
    return MakeError(
        ErrorCode::kFailedPrecondition, "store-format-newer",
        "the store has format " + std::to_string(version) + "; this program reads formats up to " +
            std::to_string(kStoreFormatVersion),
        path(), "use the newer tablecast that wrote it, or export there and import here");
  }
  return {};
}

Result<std::unique_ptr<ReadSnapshot>> LmdbItemStore::BeginRead() const {
  TABLECAST_ASSIGN_OR_RETURN(ReadTxn txn, env_->BeginRead());
  TABLECAST_ASSIGN_OR_RETURN(std::shared_ptr<const StoreDirectory> catalog, catalog_.For(txn));
  return std::unique_ptr<ReadSnapshot>(
      std::make_unique<Snapshot>(std::move(txn), std::move(catalog)));
}

Result<std::unique_ptr<LmdbTransaction>> LmdbItemStore::BeginTransaction() {
  TABLECAST_ASSIGN_OR_RETURN(WriteTxn txn, env_->BeginWrite());
  TABLECAST_ASSIGN_OR_RETURN(std::shared_ptr<const StoreDirectory> catalog, catalog_.For(txn));
  return std::make_unique<LmdbTransaction>(
      std::move(txn), std::move(catalog),
      [this](std::string_view table) { return MaintainerOf(table); }, options_.change_log);
}

std::shared_ptr<const IndexMaintainer> LmdbItemStore::MaintainerOf(std::string_view table) const {
  const std::lock_guard lock(maintainers_mutex_);
  const auto found = maintainers_.find(table);
  return found == maintainers_.end() ? nullptr : found->second;
}

Status LmdbItemStore::Change(const std::function<Status(LmdbTransaction&)>& body) {
  TABLECAST_ASSIGN_OR_RETURN(const std::unique_ptr<LmdbTransaction> transaction,
                             BeginTransaction());
  TABLECAST_RETURN_IF_ERROR(body(*transaction));
  return transaction->Commit();
}

Status LmdbItemStore::Write(const std::function<Status(WriteTransaction&)>& body) {
  return Change([&](LmdbTransaction& transaction) { return body(transaction); });
}

Status LmdbItemStore::CreateTable(const TableSchema& schema) {
  return Change([&](LmdbTransaction& transaction) { return transaction.CreateTable(schema); });
}

Status LmdbItemStore::DropTable(std::string_view table) {
  TABLECAST_RETURN_IF_ERROR(
      Change([&](LmdbTransaction& transaction) { return transaction.DropTable(table); }));
  {
    const std::lock_guard lock(maintainers_mutex_);
    if (const auto found = maintainers_.find(table); found != maintainers_.end())
      maintainers_.erase(found);
  }
  return PurgeDropped();
}

// What an interrupted purge leaves is unreachable and goes with the next one.
Status LmdbItemStore::PurgeDropped() {
  for (bool done = false; !done;) {
    TABLECAST_RETURN_IF_ERROR(Change([&](LmdbTransaction& transaction) -> Status {
      TABLECAST_ASSIGN_OR_RETURN(done, transaction.PurgeDropped(options_.build_step_items));
      return {};
    }));
  }
  return {};
}

Status LmdbItemStore::AddSecondaryIndex(std::string_view table, const SecondaryIndex& index) {
  return Change(
      [&](LmdbTransaction& transaction) { return transaction.AddSecondaryIndex(table, index); });
}

Status LmdbItemStore::SetMaintainer(std::string_view table,
                                    std::shared_ptr<const IndexMaintainer> maintainer) {
  TableInfo info;
  {
    TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, BeginRead());
    TABLECAST_ASSIGN_OR_RETURN(info, snapshot->Describe(table));
  }
  bool dropped = false;
  if (maintainer != nullptr) {
    std::vector<DerivedIndex> stored;
    for (const DerivedIndexInfo& derived : info.derived) stored.push_back(derived.definition);
    if (stored != maintainer->indexes()) {
      TABLECAST_RETURN_IF_ERROR(Change([&](LmdbTransaction& transaction) {
        return transaction.DefineDerived(table, maintainer->indexes());
      }));
      dropped = !stored.empty();
    }
  }
  {
    const std::lock_guard lock(maintainers_mutex_);
    maintainers_.insert_or_assign(std::string(table), std::move(maintainer));
  }
  return dropped ? PurgeDropped() : Status();
}

Status LmdbItemStore::BuildIndexes(
    std::string_view table, const std::function<bool(std::uint64_t, std::uint64_t)>& progress) {
  for (BuildStep step; !step.complete;) {
    TABLECAST_RETURN_IF_ERROR(Change([&](LmdbTransaction& transaction) -> Status {
      TABLECAST_ASSIGN_OR_RETURN(step, transaction.BuildDerived(table, options_.build_step_items));
      return {};
    }));
    if (progress && !progress(step.done, step.total)) return BuildStopped(table);
  }
  return {};
}

Result<IntegrityReport> LmdbItemStore::CheckIntegrity() const {
  TABLECAST_ASSIGN_OR_RETURN(const ReadTxn txn, env_->BeginRead());
  TABLECAST_ASSIGN_OR_RETURN(const std::shared_ptr<const StoreDirectory> catalog,
                             catalog_.For(txn));
  return CheckStoreIntegrity(txn, *catalog,
                             [this](std::string_view table) { return MaintainerOf(table); });
}

Result<IntegrityReport> LmdbItemStore::Backup(const std::string& to) const {
  namespace fs = std::filesystem;
  std::error_code ec;
  if (fs::exists(to, ec)) {
    return MakeError(ErrorCode::kAlreadyExists, "backup-exists",
                     "the directory is there already", to, "give a new directory");
  }
  const fs::path partial = to + ".partial";
  fs::remove_all(partial, ec);
  fs::create_directories(partial, ec);
  if (ec) return LmdbError(ec.value(), "creating the backup's directory " + partial.string());
  Result<IntegrityReport> report = [&]() -> Result<IntegrityReport> {
    TABLECAST_RETURN_IF_ERROR(env_->CopyTo(partial.string()));
    LmdbOptions options = options_;
    options.env.create = false;
    TABLECAST_ASSIGN_OR_RETURN(const auto copy, Open(partial.string(), options));
    {
      const std::lock_guard lock(maintainers_mutex_);
      copy->maintainers_ = maintainers_;
    }
    return copy->CheckIntegrity();
  }();
  if (report.ok() && report->issues.empty()) {
    // Locks belong to the processes that have a store open; the backup is the data alone.
    for (const char* lock : {"lock.mdb", "writer.lock"}) fs::remove(partial / lock, ec);
    fs::rename(partial, to, ec);
    if (ec) {
      report = LmdbError(ec.value(), "naming the backup " + to);
    } else if (Status synced = SyncPath(fs::absolute(to, ec).parent_path().string());
               !synced.ok()) {
      return synced.error();
    }
  } else if (report.ok()) {
    report = MakeError(ErrorCode::kDataLoss, "backup-damaged",
                       "the copy is damaged: " + report->issues.front().message,
                       report->issues.front().target, "check the store itself");
  }
  if (!report.ok()) fs::remove_all(partial, ec);
  return report;
}

}  // namespace tablecast
