#ifndef TABLECAST_CONNECTOR_PAGE_EXECUTOR_H_
#define TABLECAST_CONNECTOR_PAGE_EXECUTOR_H_

// Runs one bound query to one page of owned records: plan, stream or sort, skip and top, project,
// expand. Internal to the connector.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connector/catalog.h"
#include "connector/query_session.h"

namespace tablecast {

// What a paging token remembers. The service signs it.
struct PageToken {
  std::uint64_t returned = 0;         // records of the pages before
  std::vector<EdmValue> sort_values;  // of the last record, by order_by
  std::string position;
};
std::string WriteToken(const PageToken& token);
// ERRORS: kInvalidArgument "skiptoken-invalid".
Result<PageToken> ReadToken(std::string_view text, std::size_t sort_keys);

// The order of a query: its sort keys, then ascending native key.
class RecordOrder {
 public:
  explicit RecordOrder(const std::vector<SortKey>& keys) : keys_(keys) {}
  std::vector<EdmValue> ValuesOf(EvalContext& context) const;
  // <0, 0, >0. Positions are compared as (key, element).
  int Compare(const std::vector<EdmValue>& a, const Position& pa, const std::vector<EdmValue>& b,
              const Position& pb) const;

 private:
  const std::vector<SortKey>& keys_;
};

// Column list and projection of a query. Immutable while it runs.
class Projection {
 public:
  explicit Projection(const ObjectQuery& query);
  const std::shared_ptr<const std::vector<ResultColumn>>& columns() const { return columns_; }
  // ERRORS: kFailedPrecondition "conversion-error" for strict fields.
  Result<Record> Project(const ItemRecord& record, EvalContext& context) const;

 private:
  const ObjectQuery& query_;
  std::shared_ptr<const std::vector<ResultColumn>> columns_;
};

class PageExecutor {
 public:
  PageExecutor(QuerySession& session, const Catalog& catalog)
      : session_(session), catalog_(catalog) {}

  // `relations`: records to follow a navigation to, besides the query's filter.
  Result<ResultPage> Page(const ObjectQuery& query, std::vector<RelationCondition> relations);
  Result<std::uint64_t> Count(const ObjectQuery& query, std::vector<RelationCondition> relations);
  Result<QueryPlan> Plan(const ObjectQuery& query,
                         const std::vector<RelationCondition>& relations) const;
  // The record at a position, projected and expanded; no record when the filter does not hold;
  // nullopt when nothing is there. With `external_id` nobody has looked yet: it must be a record of
  // the object with that ID.
  Result<std::optional<ResultPage>> Single(const ObjectQuery& query, const Position& at,
                                           const std::optional<std::string>& external_id);
  // Every record of the query in its order, one at a time.
  Result<std::uint64_t> ForEach(const ObjectQuery& query, std::vector<RelationCondition> relations,
                                const std::function<bool(const ResultPage&, const Record&)>& visit);
  // expand.cc: fills Record::expanded of the page.
  Status Expand(const ObjectQuery& query, ResultPage& page, std::uint32_t depth);

 private:
  class BatchCollector;
  using Pages = std::map<std::string, std::shared_ptr<ResultPage>>;  // by join key
  // Children of several parents in one read.
  Result<Pages> ReadBatch(const ObjectQuery& query, const RelationCondition& relation,
                          std::uint32_t depth, std::optional<PlanReport>* report);
  ObjectQuery NestedQuery(const ExpandItem& item) const;
  // A record and its children that lie in its own partition, in one range read. nullopt when the
  // children lie elsewhere; else the page, with the expands done that `done` names, without columns
  // when the record is not there.
  Result<std::optional<ResultPage>> PartitionRead(const ObjectQuery& query, const Position& at,
                                                  const std::optional<std::string>& external_id,
                                                  std::vector<bool>& done);
  Status ExpandRest(const ObjectQuery& query, ResultPage& page, std::uint32_t depth,
                    const std::vector<bool>& done);

  struct Paging {
    std::uint64_t skip = 0;
    std::uint64_t limit = 0;                 // records of this page
    std::optional<std::uint64_t> remaining;  // of $top, this page included
    std::optional<PageToken> token;
    std::optional<Position> after;
  };
  Result<Paging> PagingOf(const ObjectQuery& query) const;
  Result<std::uint64_t> CountBy(const ObjectQuery& query, const QueryPlan& plan,
                                const RecordFilter& filter);
  std::optional<std::uint64_t> ColumnarCount(const ObjectQuery& query, const QueryPlan& plan,
                                             const RecordFilter& filter);
  Status Ordered(const ObjectQuery& query, const QueryPlan& plan, const RecordFilter& filter,
                 const Paging& paging, ResultPage& page, bool& truncated);
  Status Sorted(const ObjectQuery& query, const QueryPlan& plan, const RecordFilter& filter,
                const Paging& paging, ResultPage& page);
  StreamStart StartOf(const ObjectQuery& query, const AccessPath& path, const Paging& paging) const;
  void SetNext(const ObjectQuery& query, const Paging& paging, const PageToken& last,
               ResultPage& page) const;

  QuerySession& session_;
  const Catalog& catalog_;
};

// Whether the record is the one that an external ID names; always without one.
bool IsExpected(ItemRecord& record, const std::optional<std::string>& external_id);
RecordFilter FilterOf(const ObjectQuery& query, std::vector<RelationCondition> relations);
PlanReport ReportOf(const ObjectQuery& query, const QueryPlan& plan);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_PAGE_EXECUTOR_H_
