#ifndef TABLECAST_CONNECTOR_QUERY_PLANNER_H_
#define TABLECAST_CONNECTOR_QUERY_PLANNER_H_

// Chooses how the records of a query are reached: by keys, a secondary index, a derived index, or
// by reading everything. Chooses by what is counted (entries of indexes, items of the table,
// bounded looks into ranges), never by guesses about values. Whatever the path, the qualifier and
// the whole filter are checked on every record, so a plan decides speed only.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "connector/column_tests.h"
#include "connector/external_object.h"
#include "connector/object_query.h"
#include "store/item_store.h"

namespace tablecast {

struct AccessPath {
  AccessKind kind = AccessKind::kFullScan;
  std::vector<std::string> points;  // kPointGet, kColumnarSidecar: encoded keys, sorted, no duplicates
  std::vector<KeyCondition> keys;   // kPartitionRange, kTableRange, kFullScan with conditions
  std::string secondary;            // kSecondaryIndex: its name; keys.front() is on its columns
  const DerivedIndex* derived = nullptr;    // kMembershipIndex, kDeclaredIndex
  const DeclaredIndex* declared = nullptr;  // kDeclaredIndex
  std::vector<IndexRange> ranges;           // kDeclaredIndex
  std::string range_prefix;                 // order bytes that the equalities fix
  std::size_t tail_parts = 0;               // index parts behind them
  std::vector<std::string> changed;         // kColumnarSidecar: those of `points` that no column speaks for
  bool reverse = false;          // kDeclaredIndex: groups of equal order are read from the end
  bool descending_keys = false;  // key paths: read from the end (native order backwards)

  bool members_only = false;         // every item read belongs: nothing to check
  bool key_condition_holds = false;  // the qualifier's residual is enough
  bool native_order = false;         // delivers ascending native key order
  bool ordered = false;              // delivers the query's order (ties by ascending native key)
  bool exact = false;                // every record read passes the filter
  double estimated_items = 0;
  std::string key_text;  // for explain
  std::vector<std::string> pushed;
};

struct QueryPlan {
  AccessPath path;
  std::vector<std::pair<std::string, std::string>> residual;  // conjunct, reason
  std::string order;              // "native", "index", "top-k (26)", "sort"
  bool reads_everything = false;  // a scan that the page size does not stop
  bool sorts = false;
};

struct PlanRequest {
  const ExternalObject* object = nullptr;
  ExpressionPtr filter;
  SearchPtr search;
  std::vector<ColumnTest> joins;  // further conditions: relations to follow
  std::vector<SortKey> order_by;
  std::optional<std::uint64_t> wanted;  // records needed at most (page); unset = all
  bool must_count = false;
  bool any_order = false;  // the caller sorts by itself
  Engine engine = Engine::kAuto;
};

// ERRORS: kFailedPrecondition "engine-unavailable" when the forced engine has no path; of the
// store. COST: a few index descents and looks at up to about a thousand entries.
Result<QueryPlan> PlanQuery(const ReadSnapshot& snapshot, const PlanRequest& request);

// The one key under which a record that passes `test` can lie, when the test names a whole key; no
// read, no plan. ERRORS: of NarrowKeys.
Result<std::optional<std::string>> OnlyKey(const ExternalObject& object, const ColumnTest& test);

// order_by after which every record has its place, as the planner compares it: the object's own
// fields only. nullopt when an expression is no field.
std::optional<std::vector<std::pair<std::uint32_t, bool>>> OrderFields(
    const ExternalObject& object, const std::vector<SortKey>& order_by);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_QUERY_PLANNER_H_
