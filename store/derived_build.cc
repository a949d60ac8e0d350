// Building derived indexes in bounded steps: the part of LmdbTransaction behind BuildIndexes.
//
// IMPLEMENTATION. Every index stores the change sequence that it reflects. One step does the first
// of:
//   1. an index that is behind catches up from the change log: for each change, entries of the old
//   image
//      go and those of the item as it is now come. Repeating a change is harmless, so a step may
//      end anywhere. When the log no longer reaches back, the index is missing.
//   2. a missing index is emptied, then marked as being built from the first key.
//   3. an index being built takes the items behind its cursor. Writers in step keep the part before
//   the
//      cursor; the part behind it they leave to the build.
// Steps are whole transactions, so a crash anywhere leaves an index that goes on from its last
// step. Tested by tests/conformance/derived_index_suite.h and tests/store/store_model_test.cc.

#include <algorithm>
#include <utility>

#include "store/key_layout.h"
#include "store/key_space.h"
#include "store/lmdb_transaction.h"

namespace tablecast {
namespace {

constexpr std::size_t kCatchUpBytes = std::size_t{32} << 20U;  // of old images held at a time

}  // namespace

Result<BuildStep> LmdbTransaction::BuildDerived(std::string_view name, std::size_t limit) {
  TABLECAST_ASSIGN_OR_RETURN(OpenTable* const table, Open(name));
  return Latch(BuildStepOf(*table, limit));
}

Result<BuildStep> LmdbTransaction::BuildStepOf(OpenTable& table, std::size_t limit) {
  TableState& state = table.state;
  BuildStep step{.complete = false, .done = 0, .total = state.item_count};
  bool worked = false;
  for (std::size_t i = 0; i < state.derived.size() && !worked; ++i) {
    DerivedState& derived = state.derived[i];
    if (!table.derived.Feeds(i)) continue;
    if (derived.status != DerivedStatus::kMissing && derived.sequence != state.sequence) {
      table.changed = true;
      if (derived.sequence + 1 >= state.log_first && derived.sequence < state.sequence) {
        TABLECAST_RETURN_IF_ERROR(CatchUp(table, derived, i, limit));
        worked = true;
      } else {
        derived.status = DerivedStatus::kMissing;
      }
    }
    if (derived.status == DerivedStatus::kMissing) {
      table.changed = true;
      TABLECAST_ASSIGN_OR_RETURN(
          const bool empty,
          SpacePurge(txn_, IndexPrefix(RecordKind::kDerived, table.id(), derived.id), limit));
      worked = !empty;
      if (!empty) continue;
      derived = {.id = derived.id,
                 .status = DerivedStatus::kBuilding,
                 .sequence = state.sequence,
                 .build_cursor = {}};
    }
  }
  if (!worked) TABLECAST_RETURN_IF_ERROR(BuildMore(table, limit));

  step.complete = true;
  step.done = state.item_count;
  for (std::size_t i = 0; i < state.derived.size(); ++i) {
    const DerivedState& derived = state.derived[i];
    if (!table.derived.Feeds(i)) continue;
    if (derived.status != DerivedStatus::kBuilt)
      step.done = std::min(step.done, derived.build_done);
    step.complete &= derived.status == DerivedStatus::kBuilt && derived.sequence == state.sequence;
  }
  return step;
}

Status LmdbTransaction::CatchUp(OpenTable& table, DerivedState& derived, std::size_t position,
                                std::size_t limit) {
  std::vector<std::pair<std::string, std::optional<std::string>>> changes;  // key, old record
  {
    const std::string prefix = TablePrefix(RecordKind::kChange, table.id());
    std::size_t bytes = 0;
    LmdbCursor cursor(txn_);
    for (bool found = cursor.SeekAtLeast(ChangeKey(table.id(), derived.sequence + 1));
         found && cursor.key().starts_with(prefix) && changes.size() < limit &&
         bytes < kCatchUpBytes;
         found = cursor.Next()) {
      TABLECAST_ASSIGN_OR_RETURN(const ChangeRecord change, DecodeChangeRecord(cursor.value()));
      bytes += cursor.value().size();
      changes.emplace_back(std::string(change.key), change.old_record);
    }
    TABLECAST_RETURN_IF_ERROR(cursor.status());
  }
  if (changes.empty()) {
    return MakeError(ErrorCode::kDataLoss, "change-damaged", "the change log has a gap",
                     table.schema().name);
  }
  for (const auto& [key, old_record] : changes) {
    ++derived.sequence;
    if (derived.status == DerivedStatus::kBuilding && key > derived.build_cursor) continue;
    const TableReader reader = Reader(table);
    DerivedEntries before;
    DerivedEntries after;
    if (old_record) before = table.derived.EntriesOf(reader.View(key, *old_record))[position];
    TABLECAST_ASSIGN_OR_RETURN(const auto now, reader.GetRecord(key));
    if (now) after = table.derived.EntriesOf(reader.View(key, *now))[position];
    TABLECAST_RETURN_IF_ERROR(ReplaceEntries(txn_, table.id(), derived, before, after));
  }
  return {};
}

Status LmdbTransaction::BuildMore(OpenTable& table, std::size_t limit) {
  // Indexes at the same place share one reading of the items; those furthest back go first.
  std::vector<std::size_t> group;
  for (std::size_t i = 0; i < table.state.derived.size(); ++i) {
    const DerivedState& derived = table.state.derived[i];
    if (!table.derived.Feeds(i) || derived.status != DerivedStatus::kBuilding) continue;
    if (!group.empty() && derived.build_cursor > table.state.derived[group.front()].build_cursor)
      continue;
    if (!group.empty() && derived.build_cursor < table.state.derived[group.front()].build_cursor)
      group.clear();
    group.push_back(i);
  }
  if (group.empty()) return {};
  table.changed = true;

  std::string last = table.state.derived[group.front()].build_cursor;
  std::vector<DerivedEntries> added(table.state.derived.size());
  std::uint64_t items = 0;
  bool more = false;
  {
    const TableReader reader = Reader(table);
    SpaceCursor cursor(txn_, table.entry->item_prefix);
    last.empty() ? cursor.SeekFirst() : cursor.SeekAtLeast(last + '\0');
    for (; items < limit && cursor.valid(); ++items, cursor.Next()) {
      std::vector<DerivedEntries> entries =
          table.derived.EntriesOf(reader.View(cursor.key(), cursor.value()));
      for (const std::size_t i : group) {
        added[i].insert(added[i].end(), std::make_move_iterator(entries[i].begin()),
                        std::make_move_iterator(entries[i].end()));
      }
      last = cursor.key();
    }
    TABLECAST_RETURN_IF_ERROR(cursor.status());
    more = cursor.valid();
  }
  for (const std::size_t i : group) {
    DerivedState& derived = table.state.derived[i];
    std::sort(added[i].begin(), added[i].end());  // neighbours share pages
    TABLECAST_RETURN_IF_ERROR(ReplaceEntries(txn_, table.id(), derived, {}, added[i]));
    derived.build_done += items;
    derived.build_cursor = last;
    if (!more)
      derived = {.id = derived.id,
                 .status = DerivedStatus::kBuilt,
                 .sequence = derived.sequence,
                 .entries = derived.entries,
                 .build_cursor = {}};
  }
  return {};
}

}  // namespace tablecast
