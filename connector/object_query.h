#ifndef TABLECAST_CONNECTOR_OBJECT_QUERY_H_
#define TABLECAST_CONNECTOR_OBJECT_QUERY_H_

// A bound query over one external object and its answer. Plain data: odata/ builds the query from a
// URL and prints the answer; nothing here knows a protocol.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "connector/edm_value.h"
#include "connector/expression.h"
#include "connector/external_object.h"
#include "connector/plan_report.h"

namespace tablecast {

// Names one record. Exactly one form is used: the first that is set.
struct RecordKey {
  std::optional<std::string> external_id;
  // Raw key columns by name ("pk", "sk"), all of them, or a single `unique` field, or the GUID
  // field.
  std::vector<std::pair<std::string, EdmValue>> alternate;
  // As Record::item_key gave it.
  std::optional<std::string> item_key;
};

// A start that is not the whole set: Orders('1012')/Lines, Orders('1012')/Lines('1012-1')/Product.
struct PathStart {
  const ExternalObject* object = nullptr;
  RecordKey key;
  struct Step {
    const Navigation* navigation = nullptr;
    std::optional<RecordKey> key;  // picks one of a collection; absent on the last collection step
  };
  std::vector<Step> steps;  // may be empty for Get
};

struct SortKey {
  ExpressionPtr expression;
  bool descending = false;
};

struct ComputedColumn {
  std::string name;
  ExpressionPtr expression;
  bool selected = true;
};

struct ObjectQuery;

struct ExpandItem {
  enum class Mode : std::uint8_t { kRecords, kCount, kReferences };
  const Navigation* navigation = nullptr;
  Mode mode = Mode::kRecords;
  // Options of the nested query; its `object` is the target. Null = all defaults.
  std::shared_ptr<const ObjectQuery> query;
  std::uint32_t levels =
      1;  // recursive when the target has the same navigation; kLevelsMax = "max"
  static constexpr std::uint32_t kLevelsMax = 0xFFFFFFFF;
};

struct QueryLimits {
  std::uint64_t max_items_scanned = 0;  // 0 = no limit; else kResourceExhausted "query-scan-limit"
  std::optional<std::chrono::steady_clock::time_point>
      deadline;                                 // kDeadlineExceeded "query-deadline"
  std::uint64_t max_expanded_records = 100000;  // of one request; "query-expand-limit"
  std::uint32_t max_expand_depth = 5;
  std::uint64_t max_sorted_records = 2000000;  // held for a sort without index; "query-sort-limit"
  std::uint64_t max_groups = 1000000;          // "query-group-limit"
};

struct ObjectQuery {
  const ExternalObject* object = nullptr;
  std::optional<PathStart> start;  // only the records that this path leads to; ends at `object`
  ExpressionPtr filter;            // Boolean; null = none
  SearchPtr search;
  std::vector<ComputedColumn> computed;
  std::vector<SortKey> order_by;
  // Indexes into object->fields(); unset = all that are not hidden.
  std::optional<std::vector<std::uint32_t>> select;
  std::optional<std::uint64_t> top;
  std::uint64_t skip = 0;
  bool count = false;  // exact count of all matches, whatever top, skip and paging
  std::vector<ExpandItem> expand;
  std::uint32_t page_size = 0;  // 0 = the catalog's; capped by max_page_size unless `whole`
  bool whole = false;           // one page of everything (exports inside the process)
  // ResultPage::next of the page before. Opaque and NOT authenticated: whoever hands it out signs
  // it and binds it to the query. It remembers how many records came before, so that `top` stays
  // right; `skip` is ignored with it. ERRORS of the query: kInvalidArgument "skiptoken-invalid".
  std::string start_after;
  Engine engine = Engine::kAuto;
  QueryLimits limits;
  bool want_etag = true;
  bool want_conversion_errors = false;
  bool want_plan = false;  // fill ResultPage::plan with actual figures
};

struct ConversionError {
  std::string code;  // "not-a-date-time", "wrong-type", ...
  std::string message;
  std::string stored;  // what is stored, printable, cut to 200 bytes
};

struct ResultColumn {
  std::string name;
  EdmType type;
  const Field* field = nullptr;  // null for computed columns
};

struct ResultPage;

struct Record {
  std::string external_id;
  std::string
      item_key;  // opaque: identifies the record for RecordKey::item_key; sortable as native key
  std::vector<EdmValue> values;  // one per ResultPage::columns
  std::string etag;              // 32 hex digits of the item's content hash; the protocol quotes it
  std::vector<std::pair<std::uint32_t, ConversionError>> conversion_errors;  // by column
  std::vector<EdmValue> join_values;  // what each of ObjectQuery::expand joins by, in its order
  // One per ObjectQuery::expand, in its order. A navigation to one holds no or one record.
  std::vector<std::shared_ptr<const ResultPage>> expanded;
};

struct ResultPage {
  const ExternalObject* object = nullptr;
  std::shared_ptr<const std::vector<ResultColumn>>
      columns;  // selected fields, then computed columns
  std::vector<Record> records;
  std::optional<std::uint64_t> count;
  std::string next;  // start_after of the next page, "" at the end
  bool full_scan = false;
  std::optional<PlanReport> plan;
};

// ---- $apply
// ----------------------------------------------------------------------------------------

enum class AggregateMethod : std::uint8_t { kSum, kMin, kMax, kAverage, kCountDistinct, kCount };

struct AggregateItem {
  AggregateMethod method = AggregateMethod::kSum;
  ExpressionPtr expression;  // null for kCount ($count)
  std::string alias;
};

// A grouping property: an expression (field, path to one, column) under a name such as "STATUS" or
// "Product/CATEGORY".
struct GroupKey {
  std::string name;
  ExpressionPtr expression;
};

struct ApplyStep;
using ApplySteps = std::vector<ApplyStep>;

struct ApplyStep {
  enum class Kind : std::uint8_t {
    kIdentity,
    kFilter,
    kSearch,
    kCompute,
    kGroupBy,
    kAggregate,
    kOrderBy,
    kSkip,
    kTop,
    kTopCount,
    kTopSum,
    kTopPercent,
    kBottomCount,
    kBottomSum,
    kBottomPercent,
    kConcat,
  };
  Kind kind = Kind::kIdentity;
  ExpressionPtr expression;              // kFilter; the value of top.../bottom...
  SearchPtr search;                      // kSearch
  std::vector<ComputedColumn> computed;  // kCompute
  std::vector<GroupKey> group_by;        // kGroupBy
  // rollup((A,B),..) as grouping sets: each a list of indexes into group_by that are kept. Empty =
  // all of group_by only.
  std::vector<std::vector<std::uint32_t>> grouping_sets;
  ApplySteps group_steps;                 // kGroupBy: what runs inside each group; empty = distinct
  std::vector<AggregateItem> aggregates;  // kAggregate
  std::vector<SortKey> order_by;          // kOrderBy
  Decimal amount;                         // kSkip, kTop, first argument of top.../bottom...
  std::vector<ApplySteps> branches;       // kConcat, two or more
};

// The columns that a row has after some steps. While `is_entity`, expressions read fields by
// FieldRef and computed columns by Alias/ColumnRef; afterwards all by ColumnRef.
struct ApplyShape {
  const ExternalObject* object = nullptr;
  bool is_entity = true;
  std::vector<ResultColumn> columns;  // is_entity: computed columns only
};
// The shape after `steps`. Columns of kConcat are the union by name. ERRORS: kInvalidArgument
// "apply-duplicate-column", "type-mismatch".
Result<ApplyShape> ShapeAfter(const ExternalObject& object, const ApplySteps& steps);
Result<ApplyShape> ShapeAfter(const ApplyShape& before, const ApplySteps& steps);

struct ApplyQuery {
  ObjectQuery base;  // object, start, limits, engine; its other options run over the rows below
  ApplySteps steps;
  // Options over the result, bound against the final shape.
  std::vector<ComputedColumn> computed;
  ExpressionPtr filter;
  SearchPtr search;
  std::vector<SortKey> order_by;
  std::optional<std::uint64_t> top;
  std::uint64_t skip = 0;
  bool count = false;
};

struct ApplyResult {
  ApplyShape shape;  // with query-level computed columns appended
  // is_entity: object fields are in `page`, one record per row.
  struct Row {
    std::vector<std::optional<EdmValue>> values;
  };  // unset = the row has no such column
  std::vector<Row> rows;
  std::optional<ResultPage> page;  // when shape.is_entity
  std::optional<std::uint64_t> count;
  std::uint64_t items_read = 0;
  std::optional<PlanReport> plan;
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_OBJECT_QUERY_H_
