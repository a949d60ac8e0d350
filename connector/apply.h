#ifndef TABLECAST_CONNECTOR_APPLY_H_
#define TABLECAST_CONNECTOR_APPLY_H_

// Runs the steps of $apply. Records are streamed into groups where the steps allow it; steps that
// need the set (orderby, top, concat, ...) hold positions of records, or rows. Internal to the
// connector.
//
// Order: records come by native key; groups by their keys, so the answer does not depend on the
// path.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connector/aggregate.h"
#include "connector/columnar_group.h"
#include "connector/page_executor.h"

namespace tablecast {

// The set between two steps: records of the object, or rows.
struct ApplySet {
  using Row = EvalContext::Row;
  struct Entity {
    Position at;
    Row computed;  // by shape.columns
  };
  ApplyShape shape;
  std::vector<Entity> entities;  // shape.is_entity
  std::vector<Row> rows;         // otherwise
};

class ApplyRunner {
 public:
  ApplyRunner(QuerySession& session, const Catalog& catalog, const ApplyQuery& query)
      : session_(session), catalog_(catalog), query_(query) {}
  Result<ApplyResult> Run(std::vector<RelationCondition> relations);

 private:
  // Calls `use` once per member with the context bound to it.
  Status ForEach(const ApplySet& set, EvalContext& context,
                 const std::function<Status(std::size_t)>& use);
  Result<ApplySet> Steps(ApplySet set, const ApplySteps& steps, std::size_t from);
  Result<ApplySet> Step(ApplySet set, const ApplyStep& step);
  Status GroupInColumns(const ObjectQuery& base, const ColumnarGroupQuery& query, QueryPlan& plan,
                        ApplyGrouping& groups);
  Result<ApplySet> Source(const ApplySteps& steps, std::vector<RelationCondition> relations,
                          std::size_t& next);
  Result<ApplySet> Grouped(const ApplySet& set, const ApplyStep& step);
  Result<ApplySet> GroupedBySteps(const ApplySet& set, const ApplyStep& step);
  Result<ApplySet> Concatenated(const ApplySet& set, const ApplyStep& step);
  Result<std::vector<EdmValue>> ValuesOf(const ApplySet& set, const ExpressionPtr& expression);
  // ERRORS: kResourceExhausted "query-sort-limit", for sets that one branch after the other enlarges.
  Status CheckHeld(std::size_t members) const;
  Status Ranked(ApplySet& set, const ApplyStep& step);
  Result<ApplySet> AsRows(const ApplySet& set);
  Result<ApplyResult> Finish(ApplySet set);

  QuerySession& session_;
  const Catalog& catalog_;
  const ApplyQuery& query_;
  std::optional<PlanReport> report_;
  std::optional<std::uint64_t> count_;
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_APPLY_H_
