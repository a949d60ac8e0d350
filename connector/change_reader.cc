#include "connector/change_reader.h"

#include <map>

#include "connector/owned_record.h"
#include "store/item_store.h"

namespace tablecast {

Result<std::uint64_t> CurrentSequence(const ItemStore& store, const ExternalObject& object) {
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store.BeginRead());
  TABLECAST_ASSIGN_OR_RETURN(const TableInfo info, snapshot->Describe(object.table()));
  return info.sequence;
}

Result<ChangePage> ReadChanges(const ItemStore& store, const QueryEngine& engine, const ObjectQuery& query,
                               std::uint64_t after, std::size_t limit, Timestamp now) {
  const ExternalObject& object = *query.object;
  ChangePage out;
  out.sequence = after;
  out.page.object = &object;
  // The state before the first change of each key decides whether its disappearance concerns this object.
  std::map<std::string, std::optional<Item>> before;
  {
    TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store.BeginRead());
    const auto visited = snapshot->Changes(object.table(), after, [&](const Change& change) {
      if (before.size() >= limit && !before.contains(change.key)) {
        out.more = true;
        return false;
      }
      before.try_emplace(change.key, change.old_item);
      out.sequence = change.sequence;
      return true;
    });
    if (!visited.ok()) return visited.error();
    if (!out.more) {
      TABLECAST_ASSIGN_OR_RETURN(const TableInfo info, snapshot->Describe(object.table()));
      out.sequence = info.sequence;
    }
  }
  for (const auto& [key, old_item] : before) {
    ObjectQuery one;
    one.object = &object;
    one.filter = query.filter;
    one.select = query.select;
    one.computed = query.computed;
    one.want_conversion_errors = query.want_conversion_errors;
    one.start = PathStart{};
    one.start->object = &object;
    one.start->key.item_key = MakePosition(key, std::nullopt);
    auto current = engine.Get(one);
    if (current.ok() && !current->records.empty()) {
      out.page.columns = current->columns;
      out.page.records.push_back(std::move(current->records.front()));
      continue;
    }
    if (!current.ok() && current.error().code != ErrorCode::kNotFound) return current.error();
    if (!old_item) continue;  // came and went between the two looks
    const auto owned = OwnedRecord::Make(object, *old_item, now);
    if (!owned.ok() || !(*owned)->record().Belongs()) continue;
    TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store.BeginRead());
    TABLECAST_ASSIGN_OR_RETURN(const bool still_there, snapshot->Get(object.table(), key, [](const ItemView&) {}));
    out.removed.push_back({(*owned)->record().ExternalId(), !still_there});
  }
  return out;
}

}  // namespace tablecast
