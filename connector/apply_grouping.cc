#include "connector/apply_grouping.h"

#include <algorithm>
#include <numeric>

namespace tablecast {

Error TooManyGroups(std::uint64_t limit) {
  return MakeError(ErrorCode::kResourceExhausted, "query-group-limit",
                   "more than " + std::to_string(limit) + " groups would be built", "$apply",
                   "group by fewer properties, or filter first");
}

ApplyGrouping::ApplyGrouping(const ApplyStep& step, std::uint64_t max_groups)
    : step_(step), max_groups_(max_groups) {
  if (step.kind == ApplyStep::Kind::kAggregate) {
    aggregates_ = &step.aggregates;
  } else if (!step.group_steps.empty()) {
    aggregates_ = &step.group_steps.front().aggregates;
  }
  sets_ = step.grouping_sets;
  if (sets_.empty()) {
    sets_.emplace_back(step.group_by.size());
    std::iota(sets_.front().begin(), sets_.front().end(), 0U);
  }
}

Status ApplyGrouping::Add(EvalContext& context) {
  std::vector<EdmValue> keys;
  keys.reserve(step_.group_by.size());
  for (const GroupKey& key : step_.group_by) keys.push_back(key.expression->Evaluate(context));
  std::vector<EdmValue> values;
  if (aggregates_ != nullptr) {
    for (const AggregateItem& item : *aggregates_) {
      values.push_back(item.expression ? item.expression->Evaluate(context) : EdmValue());
    }
  }
  if (context.error()) return *context.error();
  for (std::size_t set = 0; set < sets_.size(); ++set) {
    TABLECAST_ASSIGN_OR_RETURN(Group* const group, GroupOf(set, keys));
    for (std::size_t i = 0; i < values.size(); ++i) group->totals[i].Add(values[i]);
  }
  return {};
}

Status ApplyGrouping::AddGroup(const std::vector<EdmValue>& keys,
                               const std::function<void(std::vector<Accumulator>&)>& merge) {
  for (std::size_t set = 0; set < sets_.size(); ++set) {
    TABLECAST_ASSIGN_OR_RETURN(Group* const group, GroupOf(set, keys));
    merge(group->totals);
  }
  return {};
}

Result<ApplyGrouping::Group*> ApplyGrouping::GroupOf(std::size_t set,
                                                     const std::vector<EdmValue>& keys) {
  std::string id = std::to_string(set) + ":";
  for (const std::uint32_t key : sets_[set]) AppendEdmToken(id, keys[key]);
  const auto found = groups_.find(id);
  if (found != groups_.end()) return &found->second;
  if (groups_.size() >= max_groups_) return TooManyGroups(max_groups_);
  Group group;
  group.set = set;
  group.keys.resize(keys.size());
  for (const std::uint32_t key : sets_[set]) group.keys[key] = keys[key];
  if (aggregates_ != nullptr) {
    for (const AggregateItem& item : *aggregates_) group.totals.emplace_back(item.method);
  }
  return &groups_.emplace(std::move(id), std::move(group)).first->second;
}

std::vector<EvalContext::Row> ApplyGrouping::Rows() {
  // aggregate() of nothing is one row.
  if (groups_.empty() && step_.kind == ApplyStep::Kind::kAggregate) {
    Group group;
    for (const AggregateItem& item : *aggregates_) group.totals.emplace_back(item.method);
    groups_.emplace("", std::move(group));
  }
  std::vector<const Group*> ordered;
  for (const auto& [id, group] : groups_) ordered.push_back(&group);
  std::sort(ordered.begin(), ordered.end(), [](const Group* a, const Group* b) {
    if (a->set != b->set) return a->set < b->set;
    for (std::size_t i = 0; i < a->keys.size(); ++i) {
      if (!a->keys[i] || !b->keys[i]) continue;
      const std::strong_ordering order = OrderEdm(*a->keys[i], *b->keys[i]);
      if (order != 0) return order < 0;
    }
    return false;
  });
  std::vector<EvalContext::Row> rows;
  for (const Group* group : ordered) {
    EvalContext::Row row = group->keys;
    for (const Accumulator& total : group->totals) row.emplace_back(total.Result());
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace tablecast
