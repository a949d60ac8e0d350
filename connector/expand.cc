// $expand: the children of a page's records, one batch read per navigation and level.

#include <algorithm>

#include "connector/key_ranges.h"
#include "connector/page_executor.h"
#include "item/item_codec.h"

namespace tablecast {

// Takes the records of one batch read in any order and deals them out to their parents.
class PageExecutor::BatchCollector {
 public:
  BatchCollector(QuerySession& session, const ObjectQuery& query, const RelationCondition& relation,
                 std::uint64_t page_size)
      : session_(session),
        query_(query),
        relation_(relation),
        filter_(FilterOf(query, {})),
        order_(query.order_by),
        projection_(query),
        context_(session.now(), &session),
        limit_(std::min<std::uint64_t>(page_size, query.top.value_or(page_size))) {}

  // False = stop: see status().
  bool Add(ItemRecord& record) {
    context_.Bind(0, &record);
    const std::optional<std::string> key = relation_.KeyOf(record);
    if (!key) return true;
    const bool holds = filter_.Holds(record, context_);
    if (context_.error()) {
      status_ = *context_.error();
      return false;
    }
    if (!holds) return true;
    if (++session_.expanded_records() > session_.limits().max_expanded_records) {
      status_ = MakeError(ErrorCode::kResourceExhausted, "query-expand-limit",
                          "more than " + std::to_string(session_.limits().max_expanded_records) +
                              " records would be expanded",
                          "$expand", "ask for fewer parents, or filter the expanded records");
      return false;
    }
    Result<Record> projected = projection_.Project(record, context_);
    if (!projected.ok()) {
      status_ = projected.error();
      return false;
    }
    Parent& parent = parents_[*key];
    ++parent.matched;
    Child child;
    child.values = order_.ValuesOf(context_);
    child.at.key = std::string(record.item().key_bytes());
    if (query_.object->embedded() != nullptr) child.at.element = record.element();
    child.record = *std::move(projected);
    parent.children.push_back(std::move(child));
    const std::size_t keep = static_cast<std::size_t>(query_.skip + limit_ + 1);
    if (parent.children.size() > 2 * keep + 64) Prune(parent, keep);
    return true;
  }

  const Status& status() const { return status_; }

  Pages Finish() {
    Pages pages;
    for (auto& [key, parent] : parents_) {
      std::sort(parent.children.begin(), parent.children.end(),
                [&](const Child& a, const Child& b) { return Less(a, b); });
      auto page = std::make_shared<ResultPage>();
      page->object = query_.object;
      page->columns = projection_.columns();
      if (query_.count) page->count = parent.matched;
      const std::size_t begin =
          std::min<std::size_t>(parent.children.size(), static_cast<std::size_t>(query_.skip));
      const std::size_t end =
          std::min<std::size_t>(parent.children.size(), begin + static_cast<std::size_t>(limit_));
      for (std::size_t i = begin; i < end; ++i)
        page->records.push_back(std::move(parent.children[i].record));
      const bool top_done = query_.top && page->records.size() >= *query_.top;
      if (end < parent.children.size() && end > begin && !top_done) {
        PageToken token;
        token.returned = page->records.size();
        token.sort_values = parent.children[end - 1].values;
        token.position =
            MakePosition(parent.children[end - 1].at.key, parent.children[end - 1].at.element);
        page->next = WriteToken(token);
      }
      pages[key] = std::move(page);
    }
    return pages;
  }

  std::shared_ptr<ResultPage> EmptyPage() const {
    auto page = std::make_shared<ResultPage>();
    page->object = query_.object;
    page->columns = projection_.columns();
    if (query_.count) page->count = 0;
    return page;
  }

 private:
  struct Child {
    std::vector<EdmValue> values;
    Position at;
    Record record;
  };
  struct Parent {
    std::uint64_t matched = 0;
    std::vector<Child> children;
  };
  bool Less(const Child& a, const Child& b) const {
    return order_.Compare(a.values, a.at, b.values, b.at) < 0;
  }
  void Prune(Parent& parent, std::size_t keep) const {
    const auto middle = parent.children.begin() + static_cast<std::ptrdiff_t>(keep);
    std::nth_element(parent.children.begin(), middle, parent.children.end(),
                     [&](const Child& a, const Child& b) { return Less(a, b); });
    parent.children.erase(middle, parent.children.end());
  }

  QuerySession& session_;
  const ObjectQuery& query_;
  const RelationCondition& relation_;
  RecordFilter filter_;
  RecordOrder order_;
  Projection projection_;
  EvalContext context_;
  std::uint64_t limit_;
  std::map<std::string, Parent> parents_;
  Status status_;
};

ObjectQuery PageExecutor::NestedQuery(const ExpandItem& item) const {
  ObjectQuery query;
  if (item.query) query = *item.query;
  query.object = item.navigation->target;
  query.start.reset();
  query.start_after.clear();
  if (query.page_size == 0) query.page_size = catalog_.max_page_size();
  if (!item.navigation->collection) {
    query.top = 1;
    query.skip = 0;
    query.count = false;
    query.order_by.clear();
  }
  if (item.mode == ExpandItem::Mode::kCount) {
    query.count = true;
    query.top = 0;
    query.expand.clear();
  }
  if (item.mode == ExpandItem::Mode::kReferences) {
    query.select = std::vector<std::uint32_t>();
    query.expand.clear();
  }
  // $levels: the same navigation again on the next level, where the target has it.
  const Navigation* again = query.object->FindNavigation(item.navigation->name);
  if (item.levels > 1 && again != nullptr && again->target == item.navigation->target) {
    ExpandItem deeper = item;
    deeper.navigation = again;
    if (item.levels != ExpandItem::kLevelsMax) deeper.levels = item.levels - 1;
    query.expand.push_back(std::move(deeper));
  }
  return query;
}

Result<PageExecutor::Pages> PageExecutor::ReadBatch(const ObjectQuery& query,
                                                    const RelationCondition& relation,
                                                    std::uint32_t depth,
                                                    std::optional<PlanReport>* report) {
  PlanRequest request;
  request.object = query.object;
  request.filter = query.filter;
  request.search = query.search;
  request.joins.push_back(relation.Test());
  request.any_order = true;
  request.engine = Engine::kAuto;
  TABLECAST_ASSIGN_OR_RETURN(const QueryPlan plan, PlanQuery(session_.snapshot(), request));
  const ReadStats before = session_.stats();
  BatchCollector collector(session_, query, relation, query.page_size);
  if (plan.path.kind != AccessKind::kNothing) {
    TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle record, session_.Borrow(*query.object));
    TABLECAST_RETURN_IF_ERROR(
        session_.Stream(*query.object, plan.path, std::nullopt, *record,
                        [&](ItemRecord& current) { return collector.Add(current); }));
    TABLECAST_RETURN_IF_ERROR(collector.status());
  }
  Pages pages = collector.Finish();
  if (report != nullptr) {
    *report = ReportOf(query, plan);
    (*report)->actual = PlanReport::Actual{session_.stats().items - before.items,
                                           session_.stats().bytes - before.bytes, 0};
    std::uint64_t rows = 0;
    for (const auto& [key, page] : pages) rows += page->records.size();
    (*report)->root.actual_rows = rows;
  }
  pages[std::string()] =
      collector.EmptyPage();  // no join key is empty: this one serves parents without children
  if (query.expand.empty()) return pages;
  // One batch for the grandchildren of all parents: the pages are put together and taken apart
  // again.
  ResultPage all;
  all.object = query.object;
  all.columns = pages[std::string()]->columns;
  for (auto& [key, page] : pages) {
    for (Record& record : page->records) all.records.push_back(std::move(record));
  }
  if (report != nullptr) all.plan = **report;
  TABLECAST_RETURN_IF_ERROR(Expand(query, all, depth + 1));
  if (report != nullptr) (*report)->expands = std::move(all.plan->expands);
  std::size_t next = 0;
  for (auto& [key, page] : pages) {
    for (Record& record : page->records) record = std::move(all.records[next++]);
  }
  return pages;
}

Status PageExecutor::Expand(const ObjectQuery& query, ResultPage& page, std::uint32_t depth) {
  return ExpandRest(query, page, depth, std::vector<bool>(query.expand.size(), false));
}

Status PageExecutor::ExpandRest(const ObjectQuery& query, ResultPage& page, std::uint32_t depth,
                                const std::vector<bool>& done) {
  if (query.expand.empty()) return {};
  if (depth >= session_.limits().max_expand_depth) {
    // $levels=max ends here; a path spelled out this deep is refused.
    const bool only_levels =
        std::all_of(query.expand.begin(), query.expand.end(),
                    [](const ExpandItem& item) { return item.levels == ExpandItem::kLevelsMax; });
    if (only_levels) return {};
    return MakeError(ErrorCode::kResourceExhausted, "query-expand-depth",
                     "$expand is nested deeper than " +
                         std::to_string(session_.limits().max_expand_depth) + " levels",
                     "$expand");
  }
  for (Record& record : page.records) record.expanded.resize(query.expand.size());
  for (std::size_t number = 0; number < query.expand.size(); ++number) {
    if (done[number]) continue;
    const ExpandItem& item = query.expand[number];
    const ObjectQuery nested = NestedQuery(item);
    std::vector<EdmValue> values;
    values.reserve(page.records.size());
    for (Record& record : page.records) values.push_back(record.join_values[number]);
    const RelationCondition relation(item.navigation->to, values);
    const bool none = std::all_of(values.begin(), values.end(),
                                  [](const EdmValue& value) { return value.is_null(); });
    Pages pages;
    if (none) {
      pages[std::string()] =
          BatchCollector(session_, nested, relation, nested.page_size).EmptyPage();
    } else {
      std::optional<PlanReport> report;
      TABLECAST_ASSIGN_OR_RETURN(pages,
                                 ReadBatch(nested, relation, depth, page.plan ? &report : nullptr));
      if (report) page.plan->expands.push_back(*std::move(report));
    }
    for (std::size_t i = 0; i < page.records.size(); ++i) {
      auto at =
          values[i].is_null() ? pages.end() : pages.find(RelationCondition::KeyBytes(values[i]));
      if (at == pages.end()) at = pages.find(std::string());
      page.records[i].expanded[number] = at->second;
    }
  }
  return {};
}

namespace {

bool IsKeyColumn(const TableSchema& schema, const FieldSource& source) {
  if (source.kind != SourceKind::kAttribute || !source.path.empty()) return false;
  return source.attribute == schema.key.partition.name ||
         (schema.key.sort && source.attribute == schema.key.sort->name);
}

}  // namespace

Result<std::optional<ResultPage>> PageExecutor::PartitionRead(
    const ObjectQuery& query, const Position& at, const std::optional<std::string>& external_id,
    std::vector<bool>& done) {
  const ExternalObject& object = *query.object;
  std::optional<ResultPage> out;
  if (object.embedded() != nullptr || !object.schema().key.sort) return out;
  TABLECAST_ASSIGN_OR_RETURN(const ItemKey key, DecodeKey(object.schema(), at.key));
  for (std::size_t number = 0; number < query.expand.size(); ++number) {
    const Navigation& navigation = *query.expand[number].navigation;
    const ExternalObject& target = *navigation.target;
    if (!navigation.collection || target.embedded() != nullptr || target.table() != object.table())
      continue;
    // The value that the children join by: known from the request, or from the record itself.
    TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle parent, session_.Borrow(object));
    EdmValue value;
    bool parent_counted = false;
    if (external_id && navigation.from.source.kind == SourceKind::kExternalId) {
      value = EdmValue::String(*external_id);
    } else if (IsKeyColumn(object.schema(), navigation.from.source)) {
      TABLECAST_ASSIGN_OR_RETURN(const AttributeNames* names,
                                 session_.snapshot().Names(object.table()));
      const ItemView key_only(object.schema(), *names, at.key, {});
      parent->Reset(key_only);
      value = parent->Join(navigation.from);
    } else {
      bool expected = true;
      TABLECAST_ASSIGN_OR_RETURN(
          const bool there, session_.Fetch(object, at, *parent, [&](ItemRecord& record) {
            expected = IsExpected(record, external_id);
            if (!expected) return;
            value = record.Join(navigation.from);
            session_.Hold(object.table(), record.item());
            parent_counted = true;
          }));
      if (!there || !expected) return std::optional<ResultPage>(std::in_place);
    }
    if (value.is_null()) return out;
    const RelationCondition relation(navigation.to, {value});
    const ObjectQuery nested = NestedQuery(query.expand[number]);
    PlanRequest request;
    request.object = &target;
    request.filter = nested.filter;
    request.joins.push_back(relation.Test());
    request.any_order = true;
    TABLECAST_ASSIGN_OR_RETURN(const QueryPlan plan, PlanQuery(session_.snapshot(), request));
    const bool here =
        plan.path.kind == AccessKind::kPartitionRange && plan.path.keys.size() == 1 &&
        plan.path.keys.front().partition.equals == std::vector<AttributeValue>{key.partition};
    if (!here) continue;
    KeyCondition both = plan.path.keys.front();
    both.sort = Hull(both.sort, EqualsCondition(*key.sort));
    // Given up when much else lies between the record and its children.
    const std::uint64_t room = static_cast<std::uint64_t>(plan.path.estimated_items) * 2 + 10;
    std::uint64_t looked = 0;
    const std::uint64_t expanded_before = session_.expanded_records();
    bool there = false;
    TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle child, session_.Borrow(target));
    EvalContext context(session_.now(), &session_);
    context.Bind(0, &*parent);
    const Projection projection(query);
    const RecordFilter filter = FilterOf(query, {});
    BatchCollector collector(session_, nested, relation, nested.page_size);
    out.emplace();
    out->object = &object;
    out->columns = projection.columns();
    Status failed;
    TABLECAST_RETURN_IF_ERROR(
        session_.snapshot().Query(object.table(), both, {}, [&](const ItemView& item) {
          if (++looked > room) return false;
          if (!parent_counted || item.key_bytes() != at.key) {
            ++session_.stats().items;
            session_.stats().bytes += item.key_bytes().size() + item.record_bytes().size();
          }
          if (item.key_bytes() == at.key) {
            parent->Reset(item);
            there = IsExpected(*parent, external_id);
            if (!there) return false;
            if (!filter.Holds(*parent, context)) return true;
            Result<Record> made = projection.Project(*parent, context);
            if (!made.ok()) {
              failed = made.error();
              return false;
            }
            out->records.push_back(*std::move(made));
            return true;
          }
          child->Reset(item);
          return !child->Belongs() || collector.Add(*child);
        }));
    if (looked > room) {
      session_.expanded_records() = expanded_before;
      out.reset();
      continue;
    }
    TABLECAST_RETURN_IF_ERROR(failed);
    if (!there) return std::optional<ResultPage>(std::in_place);
    if (context.error()) return *context.error();
    TABLECAST_RETURN_IF_ERROR(collector.status());
    Pages pages = collector.Finish();
    const auto found = pages.find(RelationCondition::KeyBytes(value));
    const std::shared_ptr<ResultPage> children =
        found == pages.end() ? collector.EmptyPage() : found->second;
    if (query.want_plan) {
      QueryPlan together = plan;
      together.path.keys = {both};
      together.path.key_text = KeyConditionText(both, object.schema());
      together.residual.clear();
      out->plan = ReportOf(query, together);
      out->plan->actual = PlanReport::Actual{session_.stats().items, session_.stats().bytes, 0};
      out->plan->root.actual_rows = out->records.size() + children->records.size();
      children->plan = out->plan;  // takes the reports of the next level
    }
    TABLECAST_RETURN_IF_ERROR(Expand(nested, *children, 1));
    if (out->plan) {
      out->plan->expands = std::move(children->plan->expands);
      children->plan.reset();
    }
    for (Record& record : out->records) {
      record.expanded.resize(query.expand.size());
      record.expanded[number] = children;
    }
    done[number] = true;
    return out;
  }
  return out;
}

}  // namespace tablecast
