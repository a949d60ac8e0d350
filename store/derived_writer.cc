#include "store/derived_writer.h"

#include <algorithm>
#include <limits>

#include "store/key_layout.h"
#include "store/key_space.h"
#include "store/lmdb_reader.h"

namespace tablecast {
namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

class Collector final : public IndexEntrySink {
 public:
  Collector(const std::vector<std::size_t>& position_of, std::vector<DerivedEntries>& entries,
            std::string_view item_key)
      : position_of_(position_of), entries_(entries), item_key_(item_key) {}
  void Add(std::size_t index, std::string_view order, std::string_view payload) override {
    if (index >= position_of_.size() || position_of_[index] == kNowhere) return;
    entries_[position_of_[index]].emplace_back(DerivedEntryKey(order, item_key_),
                                               DerivedEntryValue(order, payload));
  }

 private:
  const std::vector<std::size_t>& position_of_;
  std::vector<DerivedEntries>& entries_;
  std::string_view item_key_;
};

// One entry per key; of several with the same order the one added last stays.
void Normalize(DerivedEntries& entries) {
  if (entries.size() < 2) return;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  DerivedEntries unique;
  for (auto& entry : entries) {
    if (!unique.empty() && unique.back().first == entry.first) {
      unique.back() = std::move(entry);
    } else {
      unique.push_back(std::move(entry));
    }
  }
  entries = std::move(unique);
}

}  // namespace

DerivedWriter::DerivedWriter(std::shared_ptr<const IndexMaintainer> maintainer,
                             const TableRecord& table)
    : maintainer_(std::move(maintainer)), feeds_(table.derived.size(), false) {
  if (maintainer_ == nullptr) return;
  for (const DerivedIndex& index : maintainer_->indexes()) {
    const auto found =
        std::find_if(table.derived.begin(), table.derived.end(),
                     [&](const StoredDerivedIndex& stored) { return stored.definition == index; });
    if (found == table.derived.end()) {
      position_of_.push_back(kNowhere);
      continue;
    }
    const auto position = static_cast<std::size_t>(found - table.derived.begin());
    position_of_.push_back(position);
    feeds_[position] = true;
    any_ = true;
  }
}

std::vector<DerivedEntries> DerivedWriter::EntriesOf(const ItemView& item) const {
  std::vector<DerivedEntries> entries(feeds_.size());
  if (!any_) return entries;
  Collector collector(position_of_, entries, item.key_bytes());
  maintainer_->Entries(item, collector);
  for (DerivedEntries& one : entries) Normalize(one);
  return entries;
}

Status ReplaceEntries(WriteTxn& txn, TableId table, DerivedState& state,
                      const DerivedEntries& before, const DerivedEntries& after) {
  const std::string prefix = IndexPrefix(RecordKind::kDerived, table, state.id);
  auto old = before.begin();
  auto fresh = after.begin();
  while (old != before.end() || fresh != after.end()) {
    if (fresh == after.end() || (old != before.end() && old->first < fresh->first)) {
      TABLECAST_ASSIGN_OR_RETURN(const bool gone, SpaceDelete(txn, prefix, old->first));
      if (gone) --state.entries;
      ++old;
      continue;
    }
    const bool known = old != before.end() && old->first == fresh->first;
    if (!known || old->second != fresh->second) {
      TABLECAST_ASSIGN_OR_RETURN(const bool added,
                                 SpacePut(txn, prefix, fresh->first, fresh->second));
      if (added) ++state.entries;
    }
    if (known) ++old;
    ++fresh;
  }
  return {};
}

}  // namespace tablecast
