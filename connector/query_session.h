#ifndef TABLECAST_CONNECTOR_QUERY_SESSION_H_
#define TABLECAST_CONNECTOR_QUERY_SESSION_H_

// One request over one snapshot: streams the records of an access path, follows navigations,
// enforces the limits, counts what is read. Internal to the connector; query_engine.h is the face.

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "connector/item_record.h"
#include "connector/object_query.h"
#include "connector/query_planner.h"
#include "connector/record_view.h"
#include "connector/search.h"
#include "store/item_store.h"

namespace tablecast {

struct ReadStats {
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;
};

// A relation to follow: records whose column has one of the values.
class RelationCondition {
 public:
  RelationCondition(const JoinColumn& column, std::vector<EdmValue> values);
  // The bytes under which a record's value is found among the values; nullopt when it is none of
  // them.
  std::optional<std::string> KeyOf(const RecordView& record) const;
  static std::string KeyBytes(const EdmValue& value);
  ColumnTest Test() const { return JoinTest(column_, values_); }

 private:
  JoinColumn column_;
  std::vector<EdmValue> values_;  // no nulls, no doubles
  std::set<std::string> keys_;
};

// What decides whether a record is in the answer, compiled once per query.
struct RecordFilter {
  ExpressionPtr filter;
  std::shared_ptr<const SearchMatcher> search;
  std::vector<RelationCondition> relations;
  // REQUIRES: the record is bound as variable 0.
  bool Holds(const RecordView& record, EvalContext& context) const;
};

// Where a stream goes on: strictly behind this record in the path's order.
struct StreamStart {
  Position after;
  std::string index_order;  // order bytes of its entry, kDeclaredIndex in index order
};

class QuerySession final : public RelatedReader {
 public:
  // BORROWS both.
  QuerySession(const ReadSnapshot& snapshot, Timestamp now, const QueryLimits& limits);
  ~QuerySession() override;

  const ReadSnapshot& snapshot() const { return snapshot_; }
  Timestamp now() const { return now_; }
  const QueryLimits& limits() const { return limits_; }
  ReadStats& stats() { return stats_; }
  std::uint64_t& expanded_records() { return expanded_; }
  // The deadline, checked now and then. ERRORS: kDeadlineExceeded "query-deadline".
  Status CheckDeadline() override;
  // At most 256 MiB of computed values a request. ERRORS: kResourceExhausted "computed-too-large".
  Status Keep(std::size_t bytes) override;

  // A reader of the object's records, handed back when the handle dies.
  class Handle {
   public:
    Handle(QuerySession& session, std::unique_ptr<ItemRecord> record)
        : session_(&session), record_(std::move(record)) {}
    ~Handle();
    Handle(Handle&&) = default;
    Handle& operator=(Handle&&) = delete;
    ItemRecord& operator*() const { return *record_; }
    ItemRecord* operator->() const { return record_.get(); }

   private:
    QuerySession* session_;
    std::unique_ptr<ItemRecord> record_;
  };
  // ERRORS: kNotFound "table-not-found".
  Result<Handle> Borrow(const ExternalObject& object);

  // Visits the path's records that belong to the object, in the path's order; `record` is moved
  // from one to the next. Sets `*truncated` and stops when index order cannot be trusted (cut
  // entries).
  Status Stream(const ExternalObject& object, const AccessPath& path,
                const std::optional<StreamStart>& start, ItemRecord& record,
                const std::function<bool(ItemRecord&)>& visit, bool* truncated = nullptr);
  // Keeps a copy of an item of `table` that this request reads again: the record that a path names is
  // looked up, projected and asked for its embedded children, all from one store read. At most 8 are
  // kept, the oldest goes first.
  void Hold(const std::string& table, const ItemView& item);
  // Whether a read is the first of its item in this request. Figures and limits count items, so a
  // second look (the records of a sorted page, met before by the stream) adds nothing.
  enum class Look { kFirst, kAgain };
  // Moves the record to a position; false when the item is gone.
  Result<bool> Fetch(const ExternalObject& object, const Position& at, ItemRecord& record,
                     const std::function<void(ItemRecord&)>& use, Look look = Look::kFirst);

  Status ForEachRelated(const Navigation& navigation, const RecordView& from,
                        const std::function<bool(const RecordView&)>& visit) override;

 private:
  friend class Handle;
  struct Run;  // one Stream call
  bool CountItem(const ItemView& item, Status& status);
  // The item from the store or the kept copy, which was counted when it was read.
  Result<bool> GetItem(const std::string& table, std::string_view key, Look look,
                       const std::function<void(const ItemView&)>& visit);

  const ReadSnapshot& snapshot_;
  Timestamp now_;
  const QueryLimits& limits_;
  ReadStats stats_;
  std::size_t kept_ = 0;
  struct HeldItem {
    std::string table;
    std::string key;
    std::string record;
    const TableSchema* schema;
    const AttributeNames* names;
  };
  std::deque<HeldItem> held_;
  std::uint64_t expanded_ = 0;
  std::uint64_t ticks_ = 0;
  int related_depth_ = 0;
  std::map<const ExternalObject*, std::vector<std::unique_ptr<ItemRecord>>> idle_;
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_QUERY_SESSION_H_
