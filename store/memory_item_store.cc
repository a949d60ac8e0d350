#include "store/memory_item_store.h"

#include <algorithm>
#include <deque>
#include <tuple>
#include <utility>

#include "item/item_codec.h"
#include "store/columnar_chunk.h"
#include "store/index_order.h"
#include "store/key_condition_match.h"
#include "store/secondary_index.h"
#include "store/store_errors.h"

namespace tablecast {

namespace {
struct Derived {
  DerivedIndex definition;
  bool built = false;
  std::uint64_t sequence = 0;
  // (order, item key) -> payload, truncated
  std::map<std::pair<std::string, std::string>, std::pair<std::string, bool>> entries;
};
}  // namespace

struct MemoryItemStore::Table {
  std::shared_ptr<const TableSchema> schema;
  std::shared_ptr<AttributeNames> names;
  std::map<std::string, std::string, std::less<>> records;  // encoded key -> encoded record
  std::uint64_t item_bytes = 0;
  std::uint64_t sequence = 0;
  std::deque<std::shared_ptr<const tablecast::Change>> log;
  std::shared_ptr<const IndexMaintainer> maintainer;
  std::vector<Derived> derived;
};

namespace {

using Table = MemoryItemStore::Table;
using State = MemoryItemStore::State;

ItemView View(const Table& table, std::string_view key, std::string_view record) {
  return {*table.schema, *table.names, key, record};
}

// Calls `visit` for the records of an ordered map in reading order, behind after_key.
template <class Map, class Visit>
void Walk(const Map& map, const ReadOptions& options, Visit visit) {
  if (!options.descending) {
    for (auto at = options.after_key ? map.upper_bound(*options.after_key) : map.begin();
         at != map.end(); ++at) {
      if (!visit(at->first, at->second)) return;
    }
    return;
  }
  for (auto at = options.after_key ? map.lower_bound(*options.after_key) : map.end();
       at != map.begin();) {
    --at;
    if (!visit(at->first, at->second)) return;
  }
}

std::uint64_t QueryTable(const Table& table, const KeyCondition& condition,
                         const ReadOptions& options, const ItemVisitor& visit) {
  std::uint64_t visited = 0;
  Walk(table.records, options, [&](const std::string& key, const std::string& record) {
    const ItemView item = View(table, key, record);
    if (!Meets(condition, item.partition(), item.sort())) return true;
    ++visited;
    return visit(item);
  });
  return visited;
}

std::pair<std::string, std::string> Bound(const IndexRange& range) {
  return {std::string(CutOrder(range.lower)), std::string()};
}

Result<std::uint64_t> ScanEntries(const Table& table, std::string_view name,
                                  const DerivedIndex& index, const IndexRange& range,
                                  const IndexEntryVisitor& visit) {
  const auto found =
      std::find_if(table.derived.begin(), table.derived.end(),
                   [&](const Derived& derived) { return derived.definition == index; });
  if (found == table.derived.end() || !found->built || found->sequence != table.sequence) {
    return DerivedIndexNotReady(name, index.name);
  }
  std::uint64_t visited = 0;
  const auto one = [&](const auto& entry) {
    const auto& [order, item_key] = entry.first;
    if (range.upper && order >= *range.upper)
      return range.descending;  // behind the range: go on only backwards
    ++visited;
    return visit({order, entry.second.first, item_key, entry.second.second});
  };
  const auto& entries = found->entries;
  const auto first = entries.lower_bound(Bound(range));
  if (!range.descending) {
    auto at = first;
    if (range.after)
      at = std::max(at, entries.upper_bound(*range.after), [&](auto a, auto b) {
        return a != entries.end() && (b == entries.end() || a->first < b->first);
      });
    while (at != entries.end() && one(*at)) ++at;
    return visited;
  }
  for (auto at = range.after ? entries.lower_bound(*range.after) : entries.end();
       at != entries.begin();) {
    --at;
    if (at->first < Bound(range) || !one(*at)) break;
  }
  return visited;
}

bool IsReady(const Table& table, const DerivedIndex& index) {
  return std::any_of(table.derived.begin(), table.derived.end(), [&](const Derived& derived) {
    return derived.definition == index && derived.built && derived.sequence == table.sequence;
  });
}

TableInfo Info(const Table& table) {
  TableInfo info{.schema = *table.schema,
                 .item_count = table.records.size(),
                 .item_bytes = table.item_bytes,
                 .sequence = table.sequence,
                 .derived = {}};
  for (const Derived& derived : table.derived) {
    DerivedIndexInfo one{.definition = derived.definition,
                         .entries = derived.entries.size(),
                         .sequence = derived.sequence};
    one.state = !derived.built                       ? IndexState::kMissing
                : derived.sequence == table.sequence ? IndexState::kReady
                                                     : IndexState::kBehind;
    info.derived.push_back(std::move(one));
  }
  return info;
}

class EntryCollector final : public IndexEntrySink {
 public:
  // For each index of the maintainer the derived index it feeds, or nullptr.
  explicit EntryCollector(std::vector<Derived*> targets) : targets_(std::move(targets)) {}
  void Run(const IndexMaintainer& maintainer, const ItemView& item, bool adding) {
    item_key_ = item.key_bytes();
    adding_ = adding;
    maintainer.Entries(item, *this);
  }
  void Add(std::size_t index, std::string_view order, std::string_view payload) override {
    Derived* derived = targets_[index];
    if (derived == nullptr) return;
    std::pair place(std::string(CutOrder(order)), item_key_);
    if (adding_) {
      derived->entries[std::move(place)] = {std::string(payload), order.size() > kMaxOrderBytes};
    } else {
      derived->entries.erase(place);
    }
  }

 private:
  std::vector<Derived*> targets_;
  std::string item_key_;
  bool adding_ = false;
};

std::vector<Derived*> Targets(Table& table, const std::function<bool(const Derived&)>& wanted) {
  std::vector<Derived*> targets;
  for (const DerivedIndex& index : table.maintainer->indexes()) {
    Derived* target = nullptr;
    for (Derived& derived : table.derived) {
      if (derived.definition == index && wanted(derived)) target = &derived;
    }
    targets.push_back(target);
  }
  return targets;
}

}  // namespace

// --- reading
// --------------------------------------------------------------------------------------

class MemoryItemStore::Snapshot final : public ReadSnapshot {
 public:
  explicit Snapshot(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  Result<std::vector<std::string>> ListTables() const override {
    std::vector<std::string> names;
    for (const auto& [name, table] : state_->tables) names.push_back(name);
    return names;
  }
  Result<TableInfo> Describe(std::string_view table) const override {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
    return Info(*found);
  }
  Result<const TableSchema*> Schema(std::string_view table) const override {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
    return found->schema.get();
  }
  Result<const AttributeNames*> Names(std::string_view table) const override {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
    return found->names.get();
  }
  Result<bool> Get(std::string_view table, std::string_view encoded_key,
                   const std::function<void(const ItemView&)>& visit) const override {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
    const auto record = found->records.find(encoded_key);
    if (record == found->records.end()) return false;
    visit(View(*found, record->first, record->second));
    return true;
  }
  Result<std::uint64_t> Query(std::string_view table, const KeyCondition& condition,
                              const ReadOptions& options, const ItemVisitor& visit) const override {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
    return QueryTable(*found, condition, options, visit);
  }
  Result<std::uint64_t> Scan(std::string_view table, const ReadOptions& options,
                             const ItemVisitor& visit) const override {
    return Query(table, {}, options, visit);
  }
  Result<std::uint64_t> QueryIndex(std::string_view table, std::string_view index,
                                   const KeyCondition& condition, const ReadOptions& options,
                                   const ItemVisitor& visit) const override;
  Result<std::uint64_t> CountDerived(std::string_view table,
                                     const DerivedIndex& index) const override {
    return ScanDerived(table, index, {}, [](const IndexEntryView&) { return true; });
  }
  Result<std::uint64_t> ScanDerived(std::string_view table, const DerivedIndex& index,
                                    const IndexRange& range,
                                    const IndexEntryVisitor& visit) const override {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
    return ScanEntries(*found, table, index, range, visit);
  }
  bool IsDerivedReady(std::string_view table, const DerivedIndex& index) const override {
    const auto found = Find(table);
    return found.ok() && IsReady(**found, index);
  }
  Result<std::uint64_t> Changes(
      std::string_view table, std::uint64_t after_sequence,
      const std::function<bool(const tablecast::Change&)>& visit) const override {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
    if (after_sequence > found->sequence || found->sequence - after_sequence > found->log.size()) {
      return ChangeLogExpired(table, after_sequence);
    }
    std::uint64_t visited = 0;
    for (const auto& change : found->log) {
      if (change->sequence <= after_sequence) continue;
      ++visited;
      if (!visit(*change)) break;
    }
    return visited;
  }
  Result<std::optional<std::string>> GetMeta(std::string_view name) const override {
    const auto found = state_->meta.find(name);
    if (found == state_->meta.end()) return std::optional<std::string>();
    return std::optional<std::string>(found->second);
  }

 private:
  Result<const Table*> Find(std::string_view table) const {
    const auto found = state_->tables.find(table);
    if (found == state_->tables.end()) return TableNotFound(table);
    return found->second.get();
  }
  std::shared_ptr<const State> state_;
};

Result<std::uint64_t> MemoryItemStore::Snapshot::QueryIndex(std::string_view table,
                                                            std::string_view index,
                                                            const KeyCondition& condition,
                                                            const ReadOptions& options,
                                                            const ItemVisitor& visit) const {
  TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
  const SecondaryIndex* definition = FindSecondaryIndex(*found->schema, index);
  if (definition == nullptr) return SecondaryIndexNotFound(table, index);
  std::vector<KeyColumn> columns = definition->partition;
  columns.insert(columns.end(), definition->sort.begin(), definition->sort.end());
  std::map<std::string, std::string> entries;  // entry key -> item key
  for (const auto& [key, record] : found->records) {
    if (auto entry = SecondaryEntryKey(*definition, View(*found, key, record)))
      entries.emplace(*std::move(entry), key);
  }
  std::uint64_t visited = 0;
  Status failed;
  Walk(entries, options, [&](const std::string&, const std::string& key) {
    const ItemView item = View(*found, key, found->records.find(key)->second);
    const AttributeView second = columns.size() > 1 ? item.Find(columns[1].name) : AttributeView();
    if (!Meets(condition, item.Find(columns[0].name), second)) return true;
    ++visited;
    if (definition->projection == ProjectionType::kAll) return visit(item);
    const Result<Item> whole = item.ToItem();
    if (!whole.ok()) {
      failed = whole.error();
      return false;
    }
    // Every name is interned already, so encoding the projection cannot fail for want of one.
    const Result<std::string> projected = EncodeRecord(
        *found->schema, ProjectItem(*found->schema, *definition, *whole), *found->names);
    if (!projected.ok()) {
      failed = projected.error();
      return false;
    }
    return visit(View(*found, key, *projected));
  });
  TABLECAST_RETURN_IF_ERROR(failed);
  return visited;
}

// --- writing
// --------------------------------------------------------------------------------------

class MemoryItemStore::Transaction final : public WriteTransaction {
 public:
  Transaction(State state, const Options& options) : state_(std::move(state)), options_(options) {}

  Result<std::optional<Item>> Get(std::string_view table, const ItemKey& key) override {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
    TABLECAST_ASSIGN_OR_RETURN(const std::string encoded, EncodeKey(*found->schema, key));
    const auto record = found->records.find(encoded);
    if (record == found->records.end()) return std::optional<Item>();
    TABLECAST_ASSIGN_OR_RETURN(Item item, View(*found, record->first, record->second).ToItem());
    return std::optional<Item>(std::move(item));
  }
  Result<std::vector<Item>> Query(std::string_view table, const KeyCondition& condition,
                                  std::size_t limit) override {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
    std::vector<Item> items;
    Status failed;
    if (limit == 0) return items;
    QueryTable(*found, condition, {}, [&](const ItemView& view) {
      Result<Item> item = view.ToItem();
      if (!item.ok()) {
        failed = item.error();
        return false;
      }
      items.push_back(*std::move(item));
      return items.size() < limit;
    });
    TABLECAST_RETURN_IF_ERROR(failed);
    return items;
  }
  Status Put(std::string_view table, const Item& item) override {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
    TABLECAST_RETURN_IF_ERROR(ValidateItem(*found->schema, item));
    TABLECAST_ASSIGN_OR_RETURN(const ItemKey key, KeyOf(*found->schema, item));
    TABLECAST_ASSIGN_OR_RETURN(const std::string encoded, EncodeKey(*found->schema, key));
    TABLECAST_ASSIGN_OR_RETURN(std::string record,
                               EncodeRecord(*found->schema, item, *found->names));
    if (const auto old = found->records.find(encoded);
        old != found->records.end() && old->second == record)
      return {};
    return Apply(Mutable(table), encoded, std::move(record));
  }
  Result<bool> Delete(std::string_view table, const ItemKey& key) override {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
    TABLECAST_ASSIGN_OR_RETURN(const std::string encoded, EncodeKey(*found->schema, key));
    if (!found->records.contains(encoded)) return false;
    TABLECAST_RETURN_IF_ERROR(Apply(Mutable(table), encoded, std::nullopt));
    return true;
  }
  Result<std::uint64_t> ScanDerived(std::string_view table, const DerivedIndex& index,
                                    const IndexRange& range,
                                    const IndexEntryVisitor& visit) override {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
    return ScanEntries(*found, table, index, range, visit);
  }
  Result<TableInfo> Describe(std::string_view table) override {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, Find(table));
    return Info(*found);
  }
  Result<std::optional<std::string>> GetMeta(std::string_view name) override {
    const auto found = state_.meta.find(name);
    if (found == state_.meta.end()) return std::optional<std::string>();
    return std::optional<std::string>(found->second);
  }
  Status PutMeta(std::string_view name, std::string_view value) override {
    state_.meta.insert_or_assign(std::string(name), std::string(value));
    return {};
  }
  Status DeleteMeta(std::string_view name) override {
    if (const auto found = state_.meta.find(name); found != state_.meta.end())
      state_.meta.erase(found);
    return {};
  }

  Result<const Table*> Find(std::string_view table) const {
    const auto found = state_.tables.find(table);
    if (found == state_.tables.end()) return TableNotFound(table);
    return found->second.get();
  }
  // A copy of this transaction's own. REQUIRES: the table exists.
  Table& Mutable(std::string_view name) {
    auto& owned = copies_[std::string(name)];
    if (owned == nullptr) {
      auto place = state_.tables.find(name);
      owned = std::make_shared<Table>(*place->second);
      place->second = owned;
    }
    return *owned;
  }
  State& state() { return state_; }

 private:
  Status Apply(Table& table, const std::string& key, std::optional<std::string> record);

  State state_;
  const Options& options_;
  std::map<std::string, std::shared_ptr<Table>> copies_;
};

Status MemoryItemStore::Transaction::Apply(Table& table, const std::string& key,
                                           std::optional<std::string> record) {
  const auto old = table.records.find(key);
  auto change = std::make_shared<tablecast::Change>();
  change->sequence = table.sequence + 1;
  change->kind = record ? ChangeKind::kPut : ChangeKind::kDelete;
  change->key = key;
  if (old != table.records.end()) {
    TABLECAST_ASSIGN_OR_RETURN(change->old_item, View(table, key, old->second).ToItem());
  }
  std::vector<Derived*> in_step;
  if (table.maintainer != nullptr) {
    in_step = Targets(table, [&](const Derived& derived) {
      return derived.built && derived.sequence == table.sequence;
    });
  }
  EntryCollector collector(in_step);
  if (old != table.records.end()) {
    if (table.maintainer != nullptr)
      collector.Run(*table.maintainer, View(table, key, old->second), false);
    table.item_bytes -= key.size() + old->second.size();
    table.records.erase(old);
  }
  if (record) {
    const auto placed = table.records.emplace(key, *std::move(record)).first;
    if (table.maintainer != nullptr)
      collector.Run(*table.maintainer, View(table, key, placed->second), true);
    table.item_bytes += key.size() + placed->second.size();
  }
  table.log.push_back(std::move(change));
  while (table.log.size() > options_.change_log_max_entries) table.log.pop_front();
  ++table.sequence;
  for (Derived* derived : in_step) {
    if (derived != nullptr) derived->sequence = table.sequence;
  }
  return {};
}

// --- the store
// ------------------------------------------------------------------------------------

MemoryItemStore::MemoryItemStore() : MemoryItemStore(Options{}) {}
MemoryItemStore::MemoryItemStore(Options options)
    : options_(options), state_(std::make_shared<State>()) {}
MemoryItemStore::~MemoryItemStore() = default;

Result<std::unique_ptr<ReadSnapshot>> MemoryItemStore::BeginRead() const {
  const std::lock_guard lock(state_mutex_);
  return std::unique_ptr<ReadSnapshot>(std::make_unique<Snapshot>(state_));
}

Status MemoryItemStore::Change(const std::function<Status(Transaction&)>& body) {
  const std::lock_guard writer_lock(writer_);
  State copy;
  {
    const std::lock_guard lock(state_mutex_);
    copy = *state_;
  }
  Transaction transaction(std::move(copy), options_);
  TABLECAST_RETURN_IF_ERROR(body(transaction));
  auto next = std::make_shared<const State>(std::move(transaction.state()));
  const std::lock_guard lock(state_mutex_);
  state_ = std::move(next);
  return {};
}

Status MemoryItemStore::Write(const std::function<Status(WriteTransaction&)>& body) {
  return Change([&](Transaction& transaction) { return body(transaction); });
}

Status MemoryItemStore::CreateTable(const TableSchema& schema) {
  TABLECAST_RETURN_IF_ERROR(ValidateTableSchema(schema));
  return Change([&](Transaction& transaction) -> Status {
    if (const auto found = transaction.Find(schema.name); found.ok()) {
      if (*(*found)->schema == schema) return {};
      return TableExists(schema.name);
    }
    auto table = std::make_shared<Table>();
    table->schema = std::make_shared<const TableSchema>(schema);
    table->names = std::make_shared<AttributeNames>();
    const std::lock_guard lock(state_mutex_);
    kept_.push_back(table->schema);
    kept_.push_back(table->names);
    transaction.state().tables.emplace(schema.name, std::move(table));
    return {};
  });
}

Status MemoryItemStore::DropTable(std::string_view table) {
  return Change([&](Transaction& transaction) -> Status {
    TABLECAST_RETURN_IF_ERROR(transaction.Find(table));
    transaction.state().tables.erase(transaction.state().tables.find(table));
    // The columnar sidecars go with the rows they copy.
    auto& meta = transaction.state().meta;
    const std::string prefix = ColumnarPrefix(table);
    for (auto at = meta.lower_bound(prefix); at != meta.end() && at->first.starts_with(prefix);)
      at = meta.erase(at);
    return {};
  });
}

Status MemoryItemStore::AddSecondaryIndex(std::string_view table, const SecondaryIndex& index) {
  return Change([&](Transaction& transaction) -> Status {
    TABLECAST_ASSIGN_OR_RETURN(const Table* found, transaction.Find(table));
    if (const SecondaryIndex* known = FindSecondaryIndex(*found->schema, index.name)) {
      if (*known == index) return {};
      return SecondaryIndexExists(table, index.name);
    }
    TableSchema schema = *found->schema;
    schema.indexes.push_back(index);
    TABLECAST_RETURN_IF_ERROR(ValidateTableSchema(schema));
    Table& changed = transaction.Mutable(table);
    changed.schema = std::make_shared<const TableSchema>(std::move(schema));
    const std::lock_guard lock(state_mutex_);
    kept_.push_back(changed.schema);
    return {};
  });
}

Status MemoryItemStore::SetMaintainer(std::string_view table,
                                      std::shared_ptr<const IndexMaintainer> maintainer) {
  return Change([&](Transaction& transaction) -> Status {
    TABLECAST_RETURN_IF_ERROR(transaction.Find(table));
    Table& changed = transaction.Mutable(table);
    changed.maintainer = std::move(maintainer);
    if (changed.maintainer == nullptr) return {};
    std::vector<Derived> next;
    for (const DerivedIndex& index : changed.maintainer->indexes()) {
      const auto known =
          std::find_if(changed.derived.begin(), changed.derived.end(),
                       [&](const Derived& derived) { return derived.definition == index; });
      next.push_back(known != changed.derived.end() ? std::move(*known)
                                                    : Derived{.definition = index, .entries = {}});
    }
    changed.derived = std::move(next);
    return {};
  });
}

Status MemoryItemStore::BuildIndexes(
    std::string_view table, const std::function<bool(std::uint64_t, std::uint64_t)>& progress) {
  return Change([&](Transaction& transaction) -> Status {
    TABLECAST_RETURN_IF_ERROR(transaction.Find(table));
    Table& changed = transaction.Mutable(table);
    if (changed.maintainer == nullptr) return {};
    const auto stale = [&](const Derived& derived) {
      return !derived.built || derived.sequence != changed.sequence;
    };
    std::vector<Derived*> targets = Targets(changed, stale);
    for (Derived* derived : targets) {
      if (derived != nullptr) derived->entries.clear();
    }
    EntryCollector collector(targets);
    std::uint64_t done = 0;
    for (const auto& [key, record] : changed.records) {
      collector.Run(*changed.maintainer, View(changed, key, record), true);
      ++done;
      if (progress && done % 1000 == 0 && !progress(done, changed.records.size()))
        return BuildStopped(table);
    }
    if (progress && !progress(done, changed.records.size())) return BuildStopped(table);
    for (Derived* derived : targets) {
      if (derived == nullptr) continue;
      derived->built = true;
      derived->sequence = changed.sequence;
    }
    return {};
  });
}

}  // namespace tablecast
