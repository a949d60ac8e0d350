#ifndef TABLECAST_CONNECTOR_APPLY_GROUPING_H_
#define TABLECAST_CONNECTOR_APPLY_GROUPING_H_

// Groups of $apply, fed one member at a time: what groupby with at most one aggregate inside, or a
// bare aggregate, needs. Memory grows with the groups, not with the members.

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "connector/aggregate.h"
#include "connector/record_view.h"

namespace tablecast {

// ERRORS: kResourceExhausted "query-group-limit".
Error TooManyGroups(std::uint64_t limit);

class ApplyGrouping {
 public:
  // BORROWS the step.
  ApplyGrouping(const ApplyStep& step, std::uint64_t max_groups);
  // The member is bound in the context.
  Status Add(EvalContext& context);
  // A group made elsewhere: `merge` adds to its totals, once for each grouping set. `keys` by group_by.
  Status AddGroup(const std::vector<EdmValue>& keys,
                  const std::function<void(std::vector<Accumulator>&)>& merge);
  std::uint64_t max_groups() const { return max_groups_; }
  // Rows: group keys, then aggregates, ordered by grouping set and keys.
  std::vector<EvalContext::Row> Rows();

 private:
  struct Group {
    std::size_t set = 0;
    EvalContext::Row keys;
    std::vector<Accumulator> totals;
  };
  // ERRORS: "query-group-limit".
  Result<Group*> GroupOf(std::size_t set, const std::vector<EdmValue>& keys);
  const ApplyStep& step_;
  const std::vector<AggregateItem>* aggregates_ = nullptr;
  std::vector<std::vector<std::uint32_t>> sets_;
  std::unordered_map<std::string, Group> groups_;
  std::uint64_t max_groups_;
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_APPLY_GROUPING_H_
