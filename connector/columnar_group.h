#ifndef TABLECAST_CONNECTOR_COLUMNAR_GROUP_H_
#define TABLECAST_CONNECTOR_COLUMNAR_GROUP_H_

// $apply=filter/compute/groupby(...,aggregate(...)) over the columns of a sidecar: group keys are
// evaluated once per distinct value, sums are whole numbers added exactly.

#include <functional>
#include <vector>

#include "connector/apply_grouping.h"
#include "connector/columnar_scan.h"

namespace tablecast {

struct ColumnarGroupQuery {
  ExpressionPtr filter;                 // null = none
  std::vector<ExpressionPtr> computed;  // what ColumnRefs stand for, by number
  const ApplyStep* grouping = nullptr;  // as ApplyGrouping takes it
  Timestamp now;
};

// Adds all records but the changed ones to `groups`. False, with nothing added, when the columns do
// not hold what the query reads or an expression fails (the rows then say how). ERRORS: of
// `check_deadline`; "query-group-limit".
Result<bool> GroupByColumns(const ColumnarSidecar& sidecar, const ColumnarGroupQuery& query,
                            const std::function<Status()>& check_deadline, ApplyGrouping& groups);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_COLUMNAR_GROUP_H_
