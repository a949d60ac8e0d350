#ifndef TABLECAST_ODATA_QUERY_BINDER_H_
#define TABLECAST_ODATA_QUERY_BINDER_H_

// System query options -> a bound query of connector/ and the shape of its answer.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "connector/catalog.h"
#include "connector/object_query.h"
#include "odata/expression_binder.h"
#include "odata/principal.h"
#include "odata/query_options.h"
#include "odata/response_format.h"

namespace tablecast {

struct BoundQuery {
  ObjectQuery query;
  RecordShape shape;
};

class QueryBinder {
 public:
  // BORROWS: catalog, principal and the aliases of the options. `root_reader` may be empty: no $root then.
  QueryBinder(const Catalog& catalog, const Principal& principal, const std::vector<syntax::AliasValue>& aliases,
              RootReader root_reader = {})
      : catalog_(catalog), principal_(principal), aliases_(aliases), root_reader_(std::move(root_reader)) {}

  // $compute, $search, $filter, $orderby, $skip, $top, $count, $expand, $select over the records of `object`.
  Result<BoundQuery> Bind(const ExternalObject& object, const syntax::QueryOptions& options);
  // An extra condition (a /$filter path segment), joined by `and`.
  Status AddFilter(const syntax::Expr& condition, BoundQuery& bound);
  // $apply and the options behind it.
  Result<ApplyQuery> BindApply(const ExternalObject& object, const syntax::QueryOptions& options);

  // Fields of the object that this caller may not see, for RecordShape::hidden.
  std::vector<std::string> HiddenFields(const ExternalObject& object) const;

 private:
  friend class ApplyBinder;
  Result<BoundQuery> BindNested(const ExternalObject& object, const syntax::NestedOptions& options, int depth);
  Status BindCompute(const std::vector<syntax::ComputeItem>& items, BindScope& scope,
                     std::vector<ComputedColumn>& out);
  Status BindOrderBy(const std::vector<syntax::OrderByItem>& items, const BindScope& scope, std::vector<SortKey>& out);
  Status BindSelect(const std::vector<syntax::SelectItem>& items, BoundQuery& bound, int depth);
  Status BindExpand(const std::vector<syntax::ExpandItem>& items, BoundQuery& bound, int depth);
  Status AddExpand(const Navigation& navigation, const syntax::ExpandItem& item, BoundQuery& bound, int depth);
  ExpressionBinder Expressions(std::string target) const;

  const Catalog& catalog_;
  const Principal& principal_;
  const std::vector<syntax::AliasValue>& aliases_;
  RootReader root_reader_;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_QUERY_BINDER_H_
