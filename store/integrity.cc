// IMPLEMENTATION. Two passes over one snapshot. The first goes table by table through the indexes
// of the store's own making: for every item it looks up the entries that the item must have and
// counts them; an index with as many entries as were found and no missing one is exact. The second
// reads all records in key order and asks of each whether the catalog, a note of garbage or a
// bucket name accounts for it. Tested by tests/store/integrity_test.cc, which damages records one
// by one.

#include "store/integrity.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "item/item_codec.h"
#include "store/byte_codec.h"
#include "store/derived_writer.h"
#include "store/key_layout.h"
#include "store/key_space.h"
#include "store/lmdb_reader.h"
#include "store/secondary_index.h"
#include "store/table_record.h"

namespace tablecast {
namespace {

class Findings {
 public:
  explicit Findings(IntegrityReport& report) : report_(report) {}
  void Add(std::string_view table, std::string code, std::string message) {
    if (report_.issues.size() > IntegrityReport::kMaxIssues) return;
    if (report_.issues.size() == IntegrityReport::kMaxIssues) {
      code = "more-findings";
      message = "there are more findings than this report lists";
    }
    report_.issues.push_back({.severity = Severity::kError,
                              .code = std::move(code),
                              .message = std::move(message),
                              .remedy = {},
                              .target = std::string(table),
                              .span = {},
                              .file = {}});
  }
  void Compare(std::string_view table, std::string code, const std::string& what,
               std::uint64_t stored, std::uint64_t found) {
    if (stored == found) return;
    Add(table, std::move(code),
        what + ": " + std::to_string(stored) + " recorded, " + std::to_string(found) + " found");
  }

 private:
  IntegrityReport& report_;
};

class TableCheck {
 public:
  TableCheck(const LmdbTxn& txn, const TableEntry& entry,
             std::shared_ptr<const IndexMaintainer> maintainer, IntegrityReport& report)
      : txn_(txn),
        entry_(entry),
        maintainer_(std::move(maintainer)),
        report_(report),
        findings_(report) {}

  Status Run() {
    Result<TableState> state = ReadTableState(txn_, entry_.record);
    if (!state.ok()) {
      findings_.Add(name(), "table-state", state.error().message);
      return {};
    }
    state_ = *std::move(state);
    TABLECAST_RETURN_IF_ERROR(CheckItems());
    TABLECAST_RETURN_IF_ERROR(CheckChanges());
    return CheckNames();
  }

 private:
  const std::string& name() const { return entry_.schema().name; }

  Status CheckItems() {
    const std::vector<SecondaryIndex>& indexes = entry_.schema().indexes;
    const DerivedWriter derived(maintainer_, entry_.record);
    const TableReader reader{txn_, entry_, *entry_.names};
    std::vector<std::uint64_t> secondary_wanted(indexes.size(), 0);
    std::vector<std::uint64_t> derived_wanted(state_.derived.size(), 0);
    std::uint64_t items = 0;
    std::uint64_t bytes = 0;
    SpaceCursor cursor(txn_, entry_.item_prefix);
    for (cursor.SeekFirst(); cursor.valid(); cursor.Next()) {
      ++items;
      bytes += cursor.key().size() + cursor.value().size();
      const ItemView view = reader.View(cursor.key(), cursor.value());
      const Result<Item> item = view.ToItem();
      if (!item.ok()) {
        findings_.Add(name(), "item-damaged", item.error().message);
        continue;
      }
      for (std::size_t i = 0; i < indexes.size(); ++i) {
        TABLECAST_RETURN_IF_ERROR(CheckSecondary(reader, i, view, *item, secondary_wanted[i]));
      }
      const std::vector<DerivedEntries> entries = derived.EntriesOf(view);
      for (std::size_t i = 0; i < entries.size(); ++i) {
        if (IsReady(i)) TABLECAST_RETURN_IF_ERROR(CheckDerived(i, entries[i], derived_wanted[i]));
      }
    }
    TABLECAST_RETURN_IF_ERROR(cursor.status());
    report_.items += items;
    findings_.Compare(name(), "item-count", "items", state_.item_count, items);
    findings_.Compare(name(), "item-bytes", "bytes of items", state_.item_bytes, bytes);
    for (std::size_t i = 0; i < indexes.size(); ++i) {
      TABLECAST_ASSIGN_OR_RETURN(const std::uint64_t stored,
                                 Count(IndexPrefix(RecordKind::kSecondary, entry_.record.id,
                                                   entry_.record.secondary_ids[i])));
      report_.secondary_entries += stored;
      findings_.Compare(name(), "index-entries", "entries of index " + indexes[i].name, stored,
                        secondary_wanted[i]);
    }
    for (std::size_t i = 0; i < state_.derived.size(); ++i) {
      if (state_.derived[i].status == DerivedStatus::kMissing) continue;
      TABLECAST_ASSIGN_OR_RETURN(
          const std::uint64_t stored,
          Count(IndexPrefix(RecordKind::kDerived, entry_.record.id, state_.derived[i].id)));
      report_.derived_entries += stored;
      const std::string what = "entries of index " + entry_.record.derived[i].definition.name;
      findings_.Compare(name(), "index-count", what, state_.derived[i].entries, stored);
      if (IsReady(i) && derived.Feeds(i))
        findings_.Compare(name(), "index-entries", what, stored, derived_wanted[i]);
    }
    return {};
  }

  bool IsReady(std::size_t position) const {
    const DerivedState& derived = state_.derived[position];
    return derived.status == DerivedStatus::kBuilt && derived.sequence == state_.sequence;
  }

  Status CheckSecondary(const TableReader& reader, std::size_t position, const ItemView& view,
                        const Item& item, std::uint64_t& wanted) {
    const SecondaryIndex& index = entry_.schema().indexes[position];
    const std::optional<std::string> key = SecondaryEntryKey(index, view);
    if (!key) return {};
    ++wanted;
    TABLECAST_ASSIGN_OR_RETURN(const auto stored,
                               SpaceGet(txn_,
                                        IndexPrefix(RecordKind::kSecondary, entry_.record.id,
                                                    entry_.record.secondary_ids[position]),
                                        *key));
    if (!stored) {
      findings_.Add(name(), "index-entry-missing", "an item has no entry in index " + index.name);
    } else if (index.projection != ProjectionType::kAll) {
      const Result<Item> projected = reader.View(view.key_bytes(), *stored).ToItem();
      if (!projected.ok() || *projected != ProjectItem(entry_.schema(), index, item)) {
        findings_.Add(name(), "index-entry-wrong",
                      "an entry of index " + index.name + " differs from its item");
      }
    }
    return {};
  }

  Status CheckDerived(std::size_t position, const DerivedEntries& entries, std::uint64_t& wanted) {
    const std::string prefix =
        IndexPrefix(RecordKind::kDerived, entry_.record.id, state_.derived[position].id);
    for (const auto& [key, value] : entries) {
      ++wanted;
      TABLECAST_ASSIGN_OR_RETURN(const auto stored, SpaceGet(txn_, prefix, key));
      if (stored && *stored == value) continue;
      findings_.Add(
          name(), stored ? "index-entry-wrong" : "index-entry-missing",
          "an item disagrees with index " + entry_.record.derived[position].definition.name);
    }
    return {};
  }

  Result<std::uint64_t> Count(const std::string& prefix) {
    std::uint64_t count = 0;
    SpaceCursor cursor(txn_, prefix);
    for (cursor.SeekFirst(); cursor.valid(); cursor.Next()) ++count;
    TABLECAST_RETURN_IF_ERROR(cursor.status());
    return count;
  }

  Status CheckChanges() {
    const std::string prefix = TablePrefix(RecordKind::kChange, entry_.record.id);
    std::uint64_t bytes = 0;
    std::uint64_t expected = state_.log_first;
    LmdbCursor cursor(txn_);
    for (bool found = cursor.SeekAtLeast(prefix); found && cursor.key().starts_with(prefix);
         found = cursor.Next()) {
      ++report_.changes;
      bytes += cursor.value().size();
      if (cursor.key() != ChangeKey(entry_.record.id, expected++)) {
        findings_.Add(name(), "change-gap", "the change log has a gap");
        return {};
      }
      if (!DecodeChangeRecord(cursor.value()).ok())
        findings_.Add(name(), "change-damaged", "a change does not decode");
    }
    TABLECAST_RETURN_IF_ERROR(cursor.status());
    findings_.Compare(name(), "change-count", "last change", state_.sequence, expected - 1);
    findings_.Compare(name(), "change-bytes", "bytes of the change log", state_.log_bytes, bytes);
    return {};
  }

  Status CheckNames() {
    const std::string prefix = TablePrefix(RecordKind::kName, entry_.record.id);
    std::uint32_t count = 0;
    LmdbCursor cursor(txn_);
    for (bool found = cursor.SeekAtLeast(prefix); found && cursor.key().starts_with(prefix);
         found = cursor.Next())
      ++count;
    TABLECAST_RETURN_IF_ERROR(cursor.status());
    findings_.Compare(name(), "name-count", "attribute names", state_.names, count);
    return {};
  }

  const LmdbTxn& txn_;
  const TableEntry& entry_;
  std::shared_ptr<const IndexMaintainer> maintainer_;
  IntegrityReport& report_;
  Findings findings_;
  TableState state_;
};

// Every record belongs to something that the catalog or a note of garbage names.
class RecordCheck {
 public:
  RecordCheck(const LmdbTxn& txn, const StoreDirectory& catalog, IntegrityReport& report)
      : txn_(txn), report_(report), findings_(report) {
    known_.insert(KindPrefix(RecordKind::kHeader));
    known_.insert(KindPrefix(RecordKind::kMeta));
    known_.insert(KindPrefix(RecordKind::kGarbage));
    for (const auto& [name, entry] : catalog.tables) {
      const TableId id = entry->record.id;
      known_.insert(TableKey(name));
      for (const RecordKind kind :
           {RecordKind::kTableState, RecordKind::kName, RecordKind::kChange, RecordKind::kItem}) {
        known_.insert(TablePrefix(kind, id));
      }
      for (const IndexId index : entry->record.secondary_ids)
        known_.insert(IndexPrefix(RecordKind::kSecondary, id, index));
      for (const auto& derived : entry->record.derived)
        known_.insert(IndexPrefix(RecordKind::kDerived, id, derived.id));
    }
  }

  Status Run() {
    LmdbCursor cursor(txn_);
    for (bool found = cursor.First(); found; found = cursor.Next())
      Note(cursor.key(), cursor.value());
    TABLECAST_RETURN_IF_ERROR(cursor.status());
    // Buckets are named by records of kinds on both sides of theirs, so they settle at the end.
    for (const auto& [bucket, records] : bucket_records_) {
      ++report_.buckets;
      if (!bucket_names_.contains(bucket)) {
        findings_.Add(
            {}, "bucket-lost",
            std::to_string(records) + " records of long keys belong to no bucket that is named");
      }
    }
    for (const auto& [bucket, names] : bucket_names_) {
      if (names != 1 || !bucket_records_.contains(bucket))
        findings_.Add({}, "bucket-empty", "a bucket of long keys is empty or named twice");
    }
    return {};
  }

 private:
  void Note(std::string_view key, std::string_view value) {
    const auto kind = static_cast<RecordKind>(key.front());
    std::size_t prefix_size = 0;
    if (kind == RecordKind::kGarbage) garbage_.insert(std::string(key.substr(1)));
    if (kind == RecordKind::kBucket) {
      ByteReader in(key.substr(1));
      ++bucket_records_[in.BigEndian<BucketId>()];
      prefix_size = BucketPrefix(0).size();
    } else if (const std::size_t known = PrefixIn(known_, key); known != 0) {
      prefix_size = known;
    } else if (const std::size_t dropped = PrefixIn(garbage_, key); dropped != 0) {
      ++report_.leftovers;
      prefix_size = dropped;
    } else {
      findings_.Add({}, "record-unknown", "a record belongs to no table");
      return;
    }
    const bool in_space = kind == RecordKind::kItem || kind == RecordKind::kSecondary ||
                          kind == RecordKind::kDerived || kind == RecordKind::kBucket ||
                          kind == RecordKind::kMeta;
    if (!in_space || key.size() != prefix_size + kKeySegmentBytes) return;
    ByteReader in(value);
    const auto bucket = in.BigEndian<BucketId>();
    if (in.Complete()) {
      ++bucket_names_[bucket];
    } else {
      findings_.Add({}, "bucket-damaged", "a record that names a bucket of long keys is damaged");
    }
  }

  // Length of the prefix of `key` that is in the set; prefixes have 1, 3 or 7 bytes, a table's key
  // more.
  static std::size_t PrefixIn(const std::set<std::string, std::less<>>& prefixes,
                              std::string_view key) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{7}, key.size()}) {
      if (size <= key.size() && prefixes.contains(key.substr(0, size))) return size;
    }
    return 0;
  }

  const LmdbTxn& txn_;
  IntegrityReport& report_;
  Findings findings_;
  std::set<std::string, std::less<>> known_;
  std::set<std::string, std::less<>> garbage_;
  std::map<BucketId, std::uint64_t> bucket_records_;
  std::map<BucketId, std::uint64_t> bucket_names_;
};

}  // namespace

Result<IntegrityReport> CheckStoreIntegrity(
    const LmdbTxn& txn, const StoreDirectory& catalog,
    const std::function<std::shared_ptr<const IndexMaintainer>(std::string_view table)>&
        maintainer_of) {
  IntegrityReport report;
  for (const auto& [name, entry] : catalog.tables) {
    ++report.tables;
    TABLECAST_RETURN_IF_ERROR(TableCheck(txn, *entry, maintainer_of(name), report).Run());
  }
  TABLECAST_RETURN_IF_ERROR(RecordCheck(txn, catalog, report).Run());
  return report;
}

}  // namespace tablecast
