#include "store/lmdb_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "store/index_order.h"
#include "store/key_ranges.h"
#include "store/key_space.h"
#include "store/secondary_index.h"
#include "store/store_errors.h"

namespace tablecast {
namespace {

// Where the second column is checked key by key: after this many misses in a row the cursor seeks.
// Measured elsewhere: seeking every partition of four items costs twice the walk.
constexpr int kMissesBeforeSeek = 8;

constexpr char kTruncatedFlag = 1;  // on disk

// Walks the keys of a plan in one direction and calls visit(key, value) until it returns false.
class PlanWalker {
 public:
  PlanWalker(SpaceCursor& cursor, const KeyPlan& plan, const ReadOptions& options)
      : cursor_(cursor), plan_(plan), options_(options) {}

  template <class Visit>
  Status Run(Visit visit) {
    const std::size_t count = plan_.ranges.size();
    for (std::size_t i = 0; i < count; ++i) {
      const ByteRange& range = plan_.ranges[options_.descending ? count - 1 - i : i];
      if (!(options_.descending ? Down(range, visit) : Up(range, visit))) break;
    }
    return cursor_.status();
  }

 private:
  template <class Visit>
  bool Up(const ByteRange& range, Visit& visit) {
    std::string_view lower = range.lower;
    std::string behind;
    if (options_.after_key && std::string_view(*options_.after_key) >= lower) {
      behind = *options_.after_key + '\0';
      lower = behind;
    }
    if (range.upper && lower >= *range.upper) return true;
    cursor_.SeekAtLeast(lower);
    while (cursor_.valid()) {
      const std::string_view key = cursor_.key();
      if (range.upper && key >= *range.upper) return true;
      if (plan_.check_second && !OnMatchUp(key)) continue;
      if (!visit(key, cursor_.value())) return false;
      cursor_.Next();
    }
    return cursor_.status().ok();
  }

  template <class Visit>
  bool Down(const ByteRange& range, Visit& visit) {
    std::optional<std::string_view> upper;
    if (range.upper) upper = *range.upper;
    if (options_.after_key && (!upper || std::string_view(*options_.after_key) < *upper))
      upper = *options_.after_key;
    upper ? cursor_.SeekBefore(*upper) : cursor_.SeekLast();
    while (cursor_.valid()) {
      const std::string_view key = cursor_.key();
      if (key < range.lower) return true;
      if (plan_.check_second && !OnMatchDown(key)) continue;
      if (!visit(key, cursor_.value())) return false;
      cursor_.Prev();
    }
    return cursor_.status().ok();
  }

  // True when the second column matches; else moves the cursor towards the next key that may.
  bool OnMatchUp(std::string_view key) {
    const std::size_t first_size = FirstColumnLength(plan_.first, key);
    const std::string_view second = key.substr(first_size);
    const auto range =
        std::find_if(plan_.second_ranges.begin(), plan_.second_ranges.end(),
                     [&](const ByteRange& one) { return !one.upper || second < *one.upper; });
    if (range != plan_.second_ranges.end() && second >= range->lower) {
      misses_ = 0;
      return true;
    }
    if (++misses_ < kMissesBeforeSeek || first_size == 0) {
      cursor_.Next();
      return false;
    }
    misses_ = 0;
    std::string target(key.substr(0, first_size));
    if (range != plan_.second_ranges.end()) {
      target += range->lower;
    } else {
      target = PrefixEnd(target).value_or(std::string());  // a first column never ends in FF
    }
    cursor_.SeekAtLeast(target);
    return false;
  }

  bool OnMatchDown(std::string_view key) {
    const std::size_t first_size = FirstColumnLength(plan_.first, key);
    const std::string_view second = key.substr(first_size);
    const auto range = std::find_if(plan_.second_ranges.rbegin(), plan_.second_ranges.rend(),
                                    [&](const ByteRange& one) { return second >= one.lower; });
    if (range != plan_.second_ranges.rend() && (!range->upper || second < *range->upper)) {
      misses_ = 0;
      return true;
    }
    if (++misses_ < kMissesBeforeSeek || first_size == 0) {
      cursor_.Prev();
      return false;
    }
    misses_ = 0;
    std::string target(key.substr(0, first_size));
    if (range != plan_.second_ranges.rend()) target += *range->upper;
    cursor_.SeekBefore(target);
    return false;
  }

  SpaceCursor& cursor_;
  const KeyPlan& plan_;
  const ReadOptions& options_;
  int misses_ = 0;
};

Error DamagedIndex(const TableEntry& entry, std::string_view index) {
  return MakeError(ErrorCode::kDataLoss, "index-damaged",
                   "an entry of index " + std::string(index) + " of table " + entry.schema().name +
                       " has no item",
                   std::string(index), "run the integrity check and rebuild the index");
}

// The item-key part of a secondary entry: what follows the index's own columns.
std::string_view ItemKeyOfEntry(const SecondaryIndex& index, std::string_view entry_key) {
  for (const auto* columns : {&index.partition, &index.sort}) {
    for (const KeyColumn& column : *columns) {
      const std::size_t size = FirstColumnLength(column.type, entry_key);
      if (size == 0) return {};
      entry_key.remove_prefix(size);
    }
  }
  return entry_key;
}

}  // namespace

Result<std::optional<std::string_view>> TableReader::GetRecord(std::string_view key) const {
  return SpaceGet(txn, entry.item_prefix, key);
}

Result<std::uint64_t> TableReader::Query(const KeyCondition& condition, const ReadOptions& options,
                                         const ItemVisitor& visit) const {
  const KeyPlan plan = PlanKeys(ShapeOf(entry.schema().key), condition);
  SpaceCursor cursor(txn, entry.item_prefix);
  std::uint64_t visited = 0;
  TABLECAST_RETURN_IF_ERROR(
      PlanWalker(cursor, plan, options).Run([&](std::string_view key, std::string_view record) {
        ++visited;
        return visit(View(key, record));
      }));
  return visited;
}

Result<std::uint64_t> TableReader::QuerySecondary(std::string_view index,
                                                  const KeyCondition& condition,
                                                  const ReadOptions& options,
                                                  const ItemVisitor& visit) const {
  const SecondaryIndex* definition = FindSecondaryIndex(entry.schema(), index);
  if (definition == nullptr) return SecondaryIndexNotFound(entry.schema().name, index);
  const auto position = static_cast<std::size_t>(definition - entry.schema().indexes.data());
  const KeyPlan plan = PlanKeys(ShapeOf(*definition), condition);
  SpaceCursor cursor(txn, IndexPrefix(RecordKind::kSecondary, entry.record.id,
                                      entry.record.secondary_ids[position]));
  std::uint64_t visited = 0;
  Status failed;
  const auto fail = [&](Error error) {
    failed = std::move(error);
    return false;
  };
  TABLECAST_RETURN_IF_ERROR(
      PlanWalker(cursor, plan, options).Run([&](std::string_view key, std::string_view value) {
        const std::string_view item_key = ItemKeyOfEntry(*definition, key);
        if (definition->projection == ProjectionType::kAll) {
          auto record = GetRecord(item_key);
          if (!record.ok()) return fail(std::move(record).error());
          if (!*record) return fail(DamagedIndex(entry, index));
          value = **record;
        }
        ++visited;
        return visit(View(item_key, value));
      }));
  TABLECAST_RETURN_IF_ERROR(failed);
  return visited;
}

// --- derived indexes
// ------------------------------------------------------------------------------

std::string DerivedEntryKey(std::string_view order, std::string_view item_key) {
  std::string key;
  AppendEscapedClosed(key, CutOrder(order));
  key += item_key;
  return key;
}

std::string DerivedEntryValue(std::string_view order, std::string_view payload) {
  std::string value(1, order.size() > kMaxOrderBytes ? kTruncatedFlag : '\0');
  value += payload;
  return value;
}

Result<IndexEntryView> ParseDerivedEntry(std::string_view key, std::string_view value,
                                         std::string& scratch) {
  const std::size_t order_size = EscapedLength(key);
  if (order_size == 0 || value.empty()) {
    return MakeError(ErrorCode::kDataLoss, "index-damaged",
                     "an entry of a derived index is damaged", {},
                     "run the integrity check and rebuild the index");
  }
  return IndexEntryView{.order = Unescape(key.substr(0, order_size), scratch),
                        .payload = value.substr(1),
                        .item_key = key.substr(order_size),
                        .truncated = value.front() == kTruncatedFlag};
}

const DerivedState* FindReady(const TableEntry& entry, const TableState& state,
                              const DerivedIndex& index) {
  for (std::size_t i = 0; i < entry.record.derived.size(); ++i) {
    if (entry.record.derived[i].definition != index) continue;
    const DerivedState& derived = state.derived[i];
    return derived.status == DerivedStatus::kBuilt && derived.sequence == state.sequence ? &derived
                                                                                         : nullptr;
  }
  return nullptr;
}

Result<std::uint64_t> TableReader::ScanDerived(const TableState& state, const DerivedIndex& index,
                                               const IndexRange& range,
                                               const IndexEntryVisitor& visit) const {
  const DerivedState* derived = FindReady(entry, state, index);
  if (derived == nullptr) return DerivedIndexNotReady(entry.schema().name, index.name);
  KeyPlan plan;
  ByteRange& bytes = plan.ranges.emplace_back();
  AppendEscaped(bytes.lower, CutOrder(range.lower));
  if (range.upper) {
    bytes.upper.emplace();
    AppendEscaped(*bytes.upper, CutOrder(*range.upper));
    if (range.upper->size() > kMaxOrderBytes)
      bytes.upper->append("\x00\x02", 2);  // entries cut to the bound may lie below it
  }
  ReadOptions options{.descending = range.descending, .after_key = std::nullopt};
  if (range.after) options.after_key = DerivedEntryKey(range.after->first, range.after->second);
  SpaceCursor cursor(txn, IndexPrefix(RecordKind::kDerived, entry.record.id, derived->id));
  std::uint64_t visited = 0;
  Status failed;
  std::string scratch;
  TABLECAST_RETURN_IF_ERROR(
      PlanWalker(cursor, plan, options).Run([&](std::string_view key, std::string_view value) {
        const Result<IndexEntryView> one = ParseDerivedEntry(key, value, scratch);
        if (!one.ok()) {
          failed = one.error();
          return false;
        }
        ++visited;
        return visit(*one);
      }));
  TABLECAST_RETURN_IF_ERROR(failed);
  return visited;
}

TableInfo DescribeTable(const TableEntry& entry, const TableState& state) {
  TableInfo info{.schema = entry.schema(),
                 .item_count = state.item_count,
                 .item_bytes = state.item_bytes,
                 .sequence = state.sequence,
                 .derived = {}};
  for (std::size_t i = 0; i < entry.record.derived.size(); ++i) {
    const DerivedState& derived = state.derived[i];
    DerivedIndexInfo one{.definition = entry.record.derived[i].definition,
                         .entries = derived.entries,
                         .sequence = derived.sequence};
    switch (derived.status) {
      case DerivedStatus::kMissing: one.state = IndexState::kMissing; break;
      case DerivedStatus::kBuilding:
        one.state = IndexState::kBuilding;
        one.build_done = derived.build_done;
        one.build_total = state.item_count;
        break;
      case DerivedStatus::kBuilt:
        one.state = derived.sequence == state.sequence ? IndexState::kReady : IndexState::kBehind;
        break;
    }
    info.derived.push_back(std::move(one));
  }
  return info;
}

// --- changes
// --------------------------------------------------------------------------------------

Result<std::uint64_t> TableReader::Changes(const TableState& state, std::uint64_t after_sequence,
                                           const std::function<bool(const Change&)>& visit) const {
  if (after_sequence > state.sequence || after_sequence + 1 < state.log_first) {
    return ChangeLogExpired(entry.schema().name, after_sequence);
  }
  const std::string prefix = TablePrefix(RecordKind::kChange, entry.record.id);
  LmdbCursor cursor(txn);
  std::uint64_t sequence = after_sequence;
  for (bool found = cursor.SeekAtLeast(ChangeKey(entry.record.id, after_sequence + 1));
       found && cursor.key().starts_with(prefix); found = cursor.Next()) {
    TABLECAST_ASSIGN_OR_RETURN(const ChangeRecord record, DecodeChangeRecord(cursor.value()));
    Change change{.sequence = ++sequence,
                  .kind = record.kind,
                  .key = std::string(record.key),
                  .old_item = std::nullopt};
    if (record.old_record) {
      TABLECAST_ASSIGN_OR_RETURN(change.old_item, View(record.key, *record.old_record).ToItem());
    }
    if (!visit(change)) return sequence - after_sequence;
  }
  TABLECAST_RETURN_IF_ERROR(cursor.status());
  if (sequence != state.sequence) {
    return MakeError(ErrorCode::kDataLoss, "change-damaged", "the change log has a gap",
                     entry.schema().name);
  }
  return sequence - after_sequence;
}

}  // namespace tablecast
