#include "connector/page_executor.h"

#include <algorithm>
#include <limits>

#include "connector/columnar_scan.h"
#include "connector/index_maintainer.h"
#include "connector/index_paths.h"
#include "connector/query_engine.h"

namespace tablecast {
namespace {

constexpr char kTokenVersion = '1';

Error BadToken() {
  return MakeError(ErrorCode::kInvalidArgument, "skiptoken-invalid",
                   "this paging token is not from this service or query", "$skiptoken",
                   "start again without it");
}

void AppendNumber(std::string& out, std::uint64_t value) { out += std::to_string(value) + ";"; }

std::optional<std::uint64_t> TakeNumber(std::string_view& bytes) {
  const std::size_t end = bytes.find(';');
  if (end == std::string_view::npos || end == 0 || end > 18) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : bytes.substr(0, end)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  bytes.remove_prefix(end + 1);
  return value;
}

// A record met on the way to a sorted page.
struct Candidate {
  std::vector<EdmValue> values;
  Position at;
};

}  // namespace

std::string WriteToken(const PageToken& token) {
  std::string out(1, kTokenVersion);
  AppendNumber(out, token.returned);
  AppendNumber(out, token.sort_values.size());
  for (const EdmValue& value : token.sort_values) AppendEdmToken(out, value);
  out += token.position;
  return out;
}

Result<PageToken> ReadToken(std::string_view text, std::size_t sort_keys) {
  if (text.empty() || text.front() != kTokenVersion) return BadToken();
  text.remove_prefix(1);
  PageToken token;
  const std::optional<std::uint64_t> returned = TakeNumber(text);
  const std::optional<std::uint64_t> count = returned ? TakeNumber(text) : std::nullopt;
  if (!count || *count != sort_keys) return BadToken();
  token.returned = *returned;
  for (std::size_t i = 0; i < sort_keys; ++i) {
    Result<EdmValue> value = ReadEdmToken(text);
    if (!value.ok()) return BadToken();
    token.sort_values.push_back(*std::move(value));
  }
  token.position = std::string(text);
  return token;
}

std::vector<EdmValue> RecordOrder::ValuesOf(EvalContext& context) const {
  std::vector<EdmValue> values;
  values.reserve(keys_.size());
  for (const SortKey& key : keys_) values.push_back(key.expression->Evaluate(context));
  context.NameFailure("$orderby");
  return values;
}

int RecordOrder::Compare(const std::vector<EdmValue>& a, const Position& pa,
                         const std::vector<EdmValue>& b, const Position& pb) const {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const std::strong_ordering order = OrderEdm(a[i], b[i]);
    if (order == 0) continue;
    return (order < 0) != keys_[i].descending ? -1 : 1;
  }
  if (const int order = pa.key.compare(pb.key); order != 0) return order;
  const std::uint32_t left = pa.element.value_or(0);
  const std::uint32_t right = pb.element.value_or(0);
  return left < right ? -1 : (left > right ? 1 : 0);
}

Projection::Projection(const ObjectQuery& query) : query_(query) {
  std::vector<ResultColumn> columns;
  const std::vector<Field>& fields = query.object->fields();
  if (query.select) {
    for (const std::uint32_t index : *query.select) {
      columns.push_back({fields[index].name, TypeOf(fields[index]), &fields[index]});
    }
  } else {
    for (const Field& field : fields) {
      if (!field.hidden) columns.push_back({field.name, TypeOf(field), &field});
    }
  }
  for (const ComputedColumn& computed : query.computed) {
    if (computed.selected) columns.push_back({computed.name, computed.expression->type(), nullptr});
  }
  columns_ = std::make_shared<const std::vector<ResultColumn>>(std::move(columns));
}

Result<Record> Projection::Project(const ItemRecord& record, EvalContext& context) const {
  Record out;
  out.external_id = record.ExternalId();
  out.item_key = record.Position();
  if (query_.want_etag) out.etag = ContentHash(record.item());
  out.values.reserve(columns_->size());
  std::size_t number = 0;
  for (const ResultColumn& column : *columns_) {
    if (column.field == nullptr) break;
    std::optional<ConversionError> error;
    const bool watched = query_.want_conversion_errors || column.field->strict;
    out.values.push_back(record.ValueOf(*column.field, watched ? &error : nullptr));
    if (error && column.field->strict) {
      return MakeError(
          ErrorCode::kFailedPrecondition, "conversion-error",
          "record " + out.external_id + ": " + error->message + " (stored: " + error->stored + ")",
          column.name, "correct the item, or take \"strict\" off the field");
    }
    if (error)
      out.conversion_errors.emplace_back(static_cast<std::uint32_t>(number), *std::move(error));
    ++number;
  }
  for (const ComputedColumn& computed : query_.computed) {
    if (!computed.selected) continue;
    out.values.push_back(computed.expression->Evaluate(context));
    context.Keep(out.values.back());
    if (context.error()) break;  // the other columns may be as costly
  }
  context.NameFailure("$compute");
  for (const ExpandItem& item : query_.expand)
    out.join_values.push_back(record.Join(item.navigation->from));
  if (context.error()) return *context.error();
  return out;
}

bool IsExpected(ItemRecord& record, const std::optional<std::string>& external_id) {
  return !external_id || (record.Belongs() && record.ExternalId() == *external_id);
}

RecordFilter FilterOf(const ObjectQuery& query, std::vector<RelationCondition> relations) {
  RecordFilter filter;
  filter.filter = query.filter;
  if (query.search)
    filter.search = std::make_shared<const SearchMatcher>(*query.object, query.search);
  filter.relations = std::move(relations);
  return filter;
}

Result<QueryPlan> PageExecutor::Plan(const ObjectQuery& query,
                                     const std::vector<RelationCondition>& relations) const {
  PlanRequest request;
  request.object = query.object;
  request.filter = query.filter;
  request.search = query.search;
  for (const RelationCondition& relation : relations) request.joins.push_back(relation.Test());
  request.order_by = query.order_by;
  request.must_count = query.count;
  request.engine = query.engine;
  if (!query.whole) {
    const std::uint64_t page = query.page_size == 0 ? catalog_.page_size() : query.page_size;
    request.wanted = query.skip + std::min(page, query.top.value_or(page));
  }
  return PlanQuery(session_.snapshot(), request);
}

Result<PageExecutor::Paging> PageExecutor::PagingOf(const ObjectQuery& query) const {
  Paging paging;
  paging.skip = query.skip;
  paging.remaining = query.top;
  if (!query.start_after.empty()) {
    TABLECAST_ASSIGN_OR_RETURN(paging.token, ReadToken(query.start_after, query.order_by.size()));
    Result<Position> after = ParsePosition(*query.object, paging.token->position);
    if (!after.ok()) return BadToken();
    paging.after = *std::move(after);
    paging.skip = 0;
    if (query.top) paging.remaining = *query.top - std::min(*query.top, paging.token->returned);
  }
  std::uint64_t size = query.page_size == 0 ? catalog_.page_size() : query.page_size;
  size = std::min<std::uint64_t>(size, catalog_.max_page_size());
  if (query.whole) size = std::numeric_limits<std::uint32_t>::max();
  paging.limit = std::min(size, paging.remaining.value_or(size));
  return paging;
}

void PageExecutor::SetNext(const ObjectQuery& query, const Paging& paging, const PageToken& last,
                           ResultPage& page) const {
  const bool top_done = paging.remaining && page.records.size() >= *paging.remaining;
  if (query.whole || top_done || page.records.empty()) return;
  PageToken next = last;
  next.returned = (paging.token ? paging.token->returned : 0) + page.records.size();
  page.next = WriteToken(next);
}

StreamStart PageExecutor::StartOf(const ObjectQuery& query, const AccessPath& path,
                                  const Paging& paging) const {
  StreamStart start{*paging.after, {}};
  if (path.declared == nullptr) return start;
  start.index_order = path.range_prefix;
  const std::vector<DeclaredIndex::Part>& parts = path.declared->parts;
  for (std::size_t i = parts.size() - path.tail_parts; i < parts.size(); ++i) {
    const auto order = OrderFields(*query.object, query.order_by);
    for (std::size_t key = 0; order && key < order->size(); ++key) {
      if ((*order)[key].first != parts[i].field) continue;
      AppendOrderedEdm(start.index_order, paging.token->sort_values[key], parts[i].descending);
      break;
    }
  }
  if (query.object->embedded() != nullptr)
    start.index_order += ElementPayload(start.after.element.value_or(0));
  return start;
}

Status PageExecutor::Ordered(const ObjectQuery& query, const QueryPlan& plan,
                             const RecordFilter& filter, const Paging& paging, ResultPage& page,
                             bool& truncated) {
  TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle record, session_.Borrow(*query.object));
  EvalContext context(session_.now(), &session_);
  context.Bind(0, &*record);
  const RecordOrder order(query.order_by);
  const Projection projection(query);
  std::optional<StreamStart> start;
  if (paging.after) start = StartOf(query, plan.path, paging);
  if (start && start->index_order.size() > kStoredOrderBytes) {
    truncated =
        true;  // the last record's entry was cut: its place among its like is not in the index
    return {};
  }
  std::uint64_t skipped = 0;
  std::uint64_t matched = 0;
  bool more = false;
  PageToken last;
  Status failed;
  const bool counts_here = query.count && !paging.token;  // the stream sees every match
  TABLECAST_RETURN_IF_ERROR(session_.Stream(
      *query.object, plan.path, start, *record,
      [&](ItemRecord& current) {
        const bool holds = filter.Holds(current, context);
        if (context.error()) return false;
        if (!holds) return true;
        ++matched;
        if (skipped < paging.skip) {
          ++skipped;
          return true;
        }
        if (page.records.size() >= paging.limit) {
          more = true;
          return counts_here && !page.count;
        }
        Result<Record> projected = projection.Project(current, context);
        if (!projected.ok()) {
          failed = projected.error();
          return false;
        }
        page.records.push_back(*std::move(projected));
        if (page.records.size() == paging.limit) {
          last.sort_values = order.ValuesOf(context);
          last.position = page.records.back().item_key;
        }
        return true;
      },
      &truncated));
  if (context.error()) return *context.error();
  TABLECAST_RETURN_IF_ERROR(failed);
  if (truncated) return {};  // the caller reads again
  if (counts_here && !page.count) page.count = matched;
  if (more) SetNext(query, paging, last, page);
  return {};
}

Status PageExecutor::Sorted(const ObjectQuery& query, const QueryPlan& plan,
                            const RecordFilter& filter, const Paging& paging, ResultPage& page) {
  TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle record, session_.Borrow(*query.object));
  EvalContext context(session_.now(), &session_);
  context.Bind(0, &*record);
  const RecordOrder order(query.order_by);
  const auto less = [&](const Candidate& a, const Candidate& b) {
    return order.Compare(a.values, a.at, b.values, b.at) < 0;
  };
  // One more than the page, to know whether there is another.
  const std::uint64_t keep = paging.skip + paging.limit + 1;
  std::vector<Candidate> best;  // a heap with the last on top once `keep` are there
  std::uint64_t matched = 0;
  Status failed;
  TABLECAST_RETURN_IF_ERROR(
      session_.Stream(*query.object, plan.path, std::nullopt, *record, [&](ItemRecord& current) {
        const bool holds = filter.Holds(current, context);
        if (context.error()) return false;
        if (!holds) return true;
        ++matched;
        Candidate candidate{order.ValuesOf(context),
                            Position{std::string(current.item().key_bytes()), std::nullopt}};
        if (query.object->embedded() != nullptr) candidate.at.element = current.element();
        if (paging.after && order.Compare(candidate.values, candidate.at, paging.token->sort_values,
                                          *paging.after) <= 0) {
          return true;
        }
        if (best.size() < keep) {
          best.push_back(std::move(candidate));
          if (best.size() > session_.limits().max_sorted_records) {
            failed = MakeError(ErrorCode::kResourceExhausted, "query-sort-limit",
                               "more than " + std::to_string(session_.limits().max_sorted_records) +
                                   " records would have to be sorted",
                               "$orderby", "order by an indexed field, or filter");
            return false;
          }
          if (best.size() == keep) std::make_heap(best.begin(), best.end(), less);
          return true;
        }
        if (less(candidate, best.front())) {
          std::pop_heap(best.begin(), best.end(), less);
          best.back() = std::move(candidate);
          std::push_heap(best.begin(), best.end(), less);
        }
        return true;
      }));
  if (context.error()) return *context.error();
  TABLECAST_RETURN_IF_ERROR(failed);
  if (query.count && !page.count) page.count = matched;
  std::sort(best.begin(), best.end(), less);
  const Projection projection(query);
  const std::size_t end =
      static_cast<std::size_t>(std::min<std::uint64_t>(best.size(), paging.skip + paging.limit));
  for (std::size_t i = static_cast<std::size_t>(std::min<std::uint64_t>(paging.skip, end)); i < end;
       ++i) {
    Status projected;
    TABLECAST_ASSIGN_OR_RETURN(
        const bool there,
        session_.Fetch(*query.object, best[i].at, *record, [&](ItemRecord& current) {
          Result<Record> made = projection.Project(current, context);
          if (made.ok()) {
            page.records.push_back(*std::move(made));
          } else {
            projected = made.error();
          }
        }, QuerySession::Look::kAgain));
    static_cast<void>(there);  // the snapshot is the same: it is there
    TABLECAST_RETURN_IF_ERROR(projected);
  }
  if (best.size() > end && end > 0) {
    PageToken last;
    last.sort_values = best[end - 1].values;
    last.position = MakePosition(best[end - 1].at.key, best[end - 1].at.element);
    SetNext(query, paging, last, page);
  }
  return {};
}

// Counts in the columns, and in the rows of what changed since; nullopt when they do not hold the
// whole filter, or the path reads less than they are long.
std::optional<std::uint64_t> PageExecutor::ColumnarCount(const ObjectQuery& query,
                                                         const QueryPlan& plan,
                                                         const RecordFilter& filter) {
  const ExternalObject& object = *query.object;
  const AccessKind kind = plan.path.kind;
  const bool reads_all = kind == AccessKind::kFullScan || kind == AccessKind::kMembershipIndex ||
                         kind == AccessKind::kColumnarSidecar;
  const bool engine = query.engine == Engine::kAuto || query.engine == Engine::kColumnar;
  if (!object.options().columnar || !reads_all || !engine || query.search || !filter.relations.empty())
    return std::nullopt;
  if (kind == AccessKind::kColumnarSidecar && plan.path.exact) return plan.path.points.size();
  const auto sidecar = ColumnarSidecar::Open(session_.snapshot(), object);
  if (!sidecar.ok()) return std::nullopt;
  ColumnarScan scan(**sidecar, query.filter, session_.now());
  if (!scan.serves_all()) return std::nullopt;
  std::uint64_t count = 0;
  const Status counted = scan.ForEachSegment(
      [&](std::size_t, const std::vector<std::uint32_t>& rows) -> Result<bool> {
        count += rows.size();
        TABLECAST_RETURN_IF_ERROR(session_.CheckDeadline());
        return true;
      });
  if (!counted.ok()) return std::nullopt;  // the rows say what is wrong
  if ((*sidecar)->changed().empty()) return count;
  AccessPath changed;
  changed.kind = AccessKind::kColumnarSidecar;
  changed.points = (*sidecar)->changed();
  const auto record = session_.Borrow(object);
  if (!record.ok()) return std::nullopt;
  EvalContext context(session_.now(), &session_);
  context.Bind(0, &**record);
  const Status streamed =
      session_.Stream(object, changed, std::nullopt, **record, [&](ItemRecord& current) {
        if (filter.Holds(current, context)) ++count;
        return !context.error();
      });
  if (!streamed.ok() || context.error()) return std::nullopt;
  return count;
}

Result<std::uint64_t> PageExecutor::CountBy(const ObjectQuery& query, const QueryPlan& plan,
                                            const RecordFilter& filter) {
  const AccessPath& path = plan.path;
  if (path.kind == AccessKind::kNothing) return std::uint64_t{0};
  const ReadSnapshot& snapshot = session_.snapshot();
  const ExternalObject& object = *query.object;
  const bool everything = !query.filter && !query.search && filter.relations.empty();
  if (everything && query.engine == Engine::kAuto &&
      snapshot.IsDerivedReady(object.table(), object.membership())) {
    return snapshot.CountDerived(object.table(), object.membership());
  }
  if (path.declared != nullptr && path.exact && !query.search) {
    std::uint64_t count = 0;
    Status failed;
    for (IndexRange range : path.ranges) {
      range.descending = false;
      TABLECAST_RETURN_IF_ERROR(
          snapshot.ScanDerived(object.table(), *path.derived, range, [&](const IndexEntryView&) {
            if (++count % 4096 == 0) failed = session_.CheckDeadline();
            return failed.ok();
          }));
      TABLECAST_RETURN_IF_ERROR(failed);
    }
    return count;
  }
  if (const std::optional<std::uint64_t> count = ColumnarCount(query, plan, filter)) return *count;
  TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle record, session_.Borrow(object));
  EvalContext context(session_.now(), &session_);
  context.Bind(0, &*record);
  std::uint64_t count = 0;
  AccessPath unordered = path;
  unordered.ordered = false;
  TABLECAST_RETURN_IF_ERROR(
      session_.Stream(object, unordered, std::nullopt, *record, [&](ItemRecord& current) {
        if (filter.Holds(current, context)) ++count;
        return !context.error();
      }));
  if (context.error()) return *context.error();
  return count;
}

Result<std::uint64_t> PageExecutor::Count(const ObjectQuery& query,
                                          std::vector<RelationCondition> relations) {
  ObjectQuery all = query;
  all.order_by.clear();
  all.whole = true;
  TABLECAST_ASSIGN_OR_RETURN(const QueryPlan plan, Plan(all, relations));
  return CountBy(all, plan, FilterOf(all, std::move(relations)));
}

Result<ResultPage> PageExecutor::Page(const ObjectQuery& query,
                                      std::vector<RelationCondition> relations) {
  ResultPage page;
  page.object = query.object;
  page.columns = Projection(query).columns();
  TABLECAST_ASSIGN_OR_RETURN(const Paging paging, PagingOf(query));
  TABLECAST_ASSIGN_OR_RETURN(QueryPlan plan, Plan(query, relations));
  const auto begun = std::chrono::steady_clock::now();
  const RecordFilter filter = FilterOf(query, std::move(relations));
  const bool countable = plan.path.kind == AccessKind::kNothing ||
                         (plan.path.declared != nullptr && plan.path.exact && !query.search) ||
                         (!query.filter && !query.search && filter.relations.empty());
  if (query.count && (countable || paging.token || paging.limit == 0)) {
    TABLECAST_ASSIGN_OR_RETURN(page.count, CountBy(query, plan, filter));
  }
  if (plan.path.kind != AccessKind::kNothing && paging.limit > 0) {
    bool truncated = false;
    if (!plan.sorts) {
      TABLECAST_RETURN_IF_ERROR(Ordered(query, plan, filter, paging, page, truncated));
    }
    if (plan.sorts || truncated) {
      // Orders cut by the index are no order: everything is read and sorted instead.
      page.records.clear();
      page.next.clear();
      if (truncated) plan.path.ordered = false;
      plan.sorts = true;
      TABLECAST_RETURN_IF_ERROR(Sorted(query, plan, filter, paging, page));
    }
  }
  page.full_scan = plan.reads_everything;
  if (query.want_plan) {
    page.plan = ReportOf(query, plan);
    const auto spent = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - begun);
    page.plan->actual = PlanReport::Actual{session_.stats().items, session_.stats().bytes,
                                           static_cast<std::uint64_t>(spent.count())};
    page.plan->root.actual_rows = page.records.size();
  }
  TABLECAST_RETURN_IF_ERROR(Expand(query, page, 0));
  return page;
}

Result<std::optional<ResultPage>> PageExecutor::Single(
    const ObjectQuery& query, const Position& at, const std::optional<std::string>& external_id) {
  std::vector<bool> done(query.expand.size(), false);
  TABLECAST_ASSIGN_OR_RETURN(std::optional<ResultPage> together,
                             PartitionRead(query, at, external_id, done));
  if (together) {
    if (together->columns == nullptr) return std::optional<ResultPage>();
    TABLECAST_RETURN_IF_ERROR(ExpandRest(query, *together, 0, done));
    return together;
  }
  ResultPage page;
  page.object = query.object;
  const Projection projection(query);
  page.columns = projection.columns();
  TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle record, session_.Borrow(*query.object));
  EvalContext context(session_.now(), &session_);
  context.Bind(0, &*record);
  const RecordFilter filter = FilterOf(query, {});
  Status failed;
  bool expected = true;
  TABLECAST_ASSIGN_OR_RETURN(
      const bool there, session_.Fetch(*query.object, at, *record, [&](ItemRecord& current) {
        expected = IsExpected(current, external_id);
        if (!expected) return;
        if (!query.expand.empty()) session_.Hold(query.object->table(), current.item());
        if (!filter.Holds(current, context)) return;
        Result<Record> made = projection.Project(current, context);
        if (made.ok()) {
          page.records.push_back(*std::move(made));
        } else {
          failed = made.error();
        }
      }));
  TABLECAST_RETURN_IF_ERROR(failed);
  if (context.error()) return *context.error();
  if (!there || !expected) return std::optional<ResultPage>();
  if (query.want_plan) {
    QueryPlan plan;
    plan.path.kind = AccessKind::kPointGet;
    plan.path.points.push_back(at.key);
    plan.path.estimated_items = 1;
    plan.path.exact = true;
    plan.order = "native";
    page.plan = ReportOf(query, plan);
    page.plan->actual = PlanReport::Actual{session_.stats().items, session_.stats().bytes, 0};
    page.plan->root.actual_rows = page.records.size();
  }
  TABLECAST_RETURN_IF_ERROR(Expand(query, page, 0));
  return std::optional<ResultPage>(std::move(page));
}

Result<std::uint64_t> PageExecutor::ForEach(
    const ObjectQuery& query, std::vector<RelationCondition> relations,
    const std::function<bool(const ResultPage&, const Record&)>& visit) {
  ObjectQuery step = query;
  step.count = false;
  step.whole = false;
  step.page_size = catalog_.max_page_size();
  std::uint64_t total = 0;
  while (true) {
    TABLECAST_ASSIGN_OR_RETURN(const ResultPage page, Page(step, relations));
    for (const Record& record : page.records) {
      ++total;
      if (!visit(page, record)) return total;
    }
    if (page.next.empty()) return total;
    step.start_after = page.next;
  }
}

}  // namespace tablecast
