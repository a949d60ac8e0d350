#ifndef TABLECAST_CONNECTOR_QUERY_ENGINE_H_
#define TABLECAST_CONNECTOR_QUERY_ENGINE_H_

// Runs queries over external objects: plans each (query_planner.h), reads one snapshot, returns
// owned rows. The snapshot is closed before the call returns.
//
//   QueryEngine engine(store, catalog);
//   ObjectQuery query;
//   query.object = catalog->Find("Orders");
//   query.top = 3;
//   Result<ResultPage> page = engine.Query(query);
//
// THREAD: const calls from any thread. Cheap to build: make one per request with the catalog that
// the request was parsed against.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/civil_time.h"
#include "base/result.h"
#include "connector/catalog.h"
#include "connector/object_query.h"
#include "item/item.h"
#include "store/item_store.h"

namespace tablecast {

// Where a record lies.
struct ResolvedRecord {
  ItemKey key;
  std::string encoded_key;
  std::optional<std::uint32_t> element;  // of an embedded list
  std::string item_key;                  // Record::item_key
};

class QueryEngine {
 public:
  // BORROWS: the store. `now` is what now() and NOW() mean in this request.
  QueryEngine(const ItemStore& store, std::shared_ptr<const Catalog> catalog, Timestamp now);

  const Catalog& catalog() const { return *catalog_; }
  const std::shared_ptr<const Catalog>& shared_catalog() const { return catalog_; }

  // One page. With `query.start` the records at the end of that path.
  // ERRORS: kNotFound "record-not-found" when a record of the start path is missing;
  // kInvalidArgument from evaluation ("division-by-zero"), "skiptoken-invalid"; the limits' errors;
  // kFailedPrecondition "conversion-error" for strict fields, "engine-unavailable" when the forced
  // path is not there.
  Result<ResultPage> Query(const ObjectQuery& query) const;

  // The single record at query.start (key, then steps): one record, or none when a navigation to
  // one leads nowhere. select, computed, expand apply; filter decides whether it is there. ERRORS:
  // kNotFound "record-not-found"; kAlreadyExists "external-id-ambiguous" (HTTP 409) naming the
  // alternate keys; kInvalidArgument "external-id-separators", "key-column-unknown", "key-type".
  Result<ResultPage> Get(const ObjectQuery& query) const;

  // Matches of filter and search, whatever top and skip. COST: one read when there is neither.
  Result<std::uint64_t> Count(const ObjectQuery& query) const;

  Result<ApplyResult> Apply(const ApplyQuery& query) const;

  // Every match in the query's order over ONE snapshot (exports). Stops when `visit` returns false.
  Result<std::uint64_t> ForEach(
      const ObjectQuery& query,
      const std::function<bool(const ResultPage& columns, const Record&)>& visit) const;

  // The plan alone, or with actual figures after running the query (`analyze`).
  Result<PlanReport> Explain(const ObjectQuery& query, bool analyze) const;

  // Finds a record by its key in the given snapshot. ERRORS: as Get.
  Result<ResolvedRecord> Resolve(const ReadSnapshot& snapshot, const ExternalObject& object,
                                 const RecordKey& key) const;

 private:
  const ItemStore& store_;
  std::shared_ptr<const Catalog> catalog_;
  Timestamp now_;
};

// Content hash of an item, 32 hex digits: equal for equal items whatever the store. The weak ETag.
std::string ContentHash(const ItemView& item);
std::string ContentHash(const TableSchema& schema, const Item& item);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_QUERY_ENGINE_H_
