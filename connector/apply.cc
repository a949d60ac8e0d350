#include "connector/apply.h"

#include <algorithm>
#include <numeric>

#include "connector/columnar_group.h"
#include "connector/query_engine.h"

namespace tablecast {
namespace {

constexpr Decimal::Context kSum{Decimal::kMaxDigits, Rounding::kHalfUp};

std::uint64_t WholeAmount(const Decimal& amount) {
  const std::int64_t value = amount.ToInt64Saturated();
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

// The members of a set at `keep`, in that order.
void Keep(ApplySet& set, const std::vector<std::size_t>& keep) {
  if (set.shape.is_entity) {
    std::vector<ApplySet::Entity> kept;
    kept.reserve(keep.size());
    for (const std::size_t index : keep) kept.push_back(std::move(set.entities[index]));
    set.entities = std::move(kept);
  } else {
    std::vector<ApplySet::Row> kept;
    kept.reserve(keep.size());
    for (const std::size_t index : keep) kept.push_back(std::move(set.rows[index]));
    set.rows = std::move(kept);
  }
}

std::size_t SizeOf(const ApplySet& set) {
  return set.shape.is_entity ? set.entities.size() : set.rows.size();
}

ApplyShape RowShapeOf(const ApplyShape& shape) {
  if (!shape.is_entity) return shape;
  ApplyShape out;
  out.object = shape.object;
  out.is_entity = false;
  for (const Field& field : shape.object->fields()) {
    if (!field.hidden) out.columns.push_back({field.name, TypeOf(field), &field});
  }
  out.columns.insert(out.columns.end(), shape.columns.begin(), shape.columns.end());
  return out;
}

bool IsRowWise(const ApplyStep& step) {
  return step.kind == ApplyStep::Kind::kIdentity || step.kind == ApplyStep::Kind::kFilter ||
         step.kind == ApplyStep::Kind::kSearch || step.kind == ApplyStep::Kind::kCompute;
}

// groupby with at most one aggregate inside, or a bare aggregate: what can be fed row by row.
bool IsPlainGrouping(const ApplyStep& step) {
  if (step.kind == ApplyStep::Kind::kAggregate) return true;
  return step.kind == ApplyStep::Kind::kGroupBy &&
         (step.group_steps.empty() ||
          (step.group_steps.size() == 1 &&
           step.group_steps.front().kind == ApplyStep::Kind::kAggregate));
}

}  // namespace

Status ApplyRunner::CheckHeld(std::size_t members) const {
  if (members <= session_.limits().max_sorted_records) return {};
  return MakeError(ErrorCode::kResourceExhausted, "query-sort-limit",
                   "more than " + std::to_string(session_.limits().max_sorted_records) +
                       " records would have to be held",
                   "$apply");
}

Status ApplyRunner::ForEach(const ApplySet& set, EvalContext& context,
                            const std::function<Status(std::size_t)>& use) {
  if (!set.shape.is_entity) {
    for (std::size_t i = 0; i < set.rows.size(); ++i) {
      context.BindRow(&set.rows[i]);
      TABLECAST_RETURN_IF_ERROR(use(i));
      if (context.error()) return *context.error();
    }
    context.BindRow(nullptr);
    return {};
  }
  TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle record, session_.Borrow(*set.shape.object));
  context.Bind(0, &*record);
  for (std::size_t i = 0; i < set.entities.size(); ++i) {
    Status status;
    context.BindRow(&set.entities[i].computed);
    TABLECAST_ASSIGN_OR_RETURN(const bool there,
                               session_.Fetch(*set.shape.object, set.entities[i].at, *record,
                                              [&](ItemRecord&) { status = use(i); },
                                              QuerySession::Look::kAgain));
    static_cast<void>(there);
    TABLECAST_RETURN_IF_ERROR(status);
    if (context.error()) return *context.error();
    if (i % 64 == 0) TABLECAST_RETURN_IF_ERROR(session_.CheckDeadline());
  }
  context.BindRow(nullptr);
  return {};
}

Result<std::vector<EdmValue>> ApplyRunner::ValuesOf(const ApplySet& set,
                                                    const ExpressionPtr& expression) {
  std::vector<EdmValue> values(SizeOf(set));
  EvalContext context(session_.now(), &session_);
  TABLECAST_RETURN_IF_ERROR(ForEach(set, context, [&](std::size_t i) -> Status {
    values[i] = expression->Evaluate(context);
    context.Keep(values[i]);
    return {};
  }));
  return values;
}

// Groups what the columns hold when the plan would read everything; the plan then is to read what
// changed since.
Status ApplyRunner::GroupInColumns(const ObjectQuery& base, const ColumnarGroupQuery& query,
                                   QueryPlan& plan, ApplyGrouping& groups) {
  const AccessKind kind = plan.path.kind;
  const bool reads_all = kind == AccessKind::kFullScan || kind == AccessKind::kMembershipIndex ||
                         kind == AccessKind::kColumnarSidecar;
  const bool engine = base.engine == Engine::kAuto || base.engine == Engine::kColumnar;
  if (!base.object->options().columnar || !reads_all || !engine) return {};
  const auto sidecar = ColumnarSidecar::Open(session_.snapshot(), *base.object);
  if (!sidecar.ok()) return {};  // the rows answer
  TABLECAST_ASSIGN_OR_RETURN(
      const bool grouped,
      GroupByColumns(**sidecar, query, [&] { return session_.CheckDeadline(); }, groups));
  if (!grouped) return {};
  plan.path = AccessPath{};
  plan.path.kind = AccessKind::kColumnarSidecar;
  plan.path.points = (*sidecar)->changed();
  plan.path.native_order = true;
  plan.path.estimated_items = static_cast<double>((*sidecar)->changed().size());
  plan.path.key_text = "grouped in columns of " + std::to_string((*sidecar)->rows()) + " records, " +
                       std::to_string((*sidecar)->changed().size()) + " changed since";
  plan.residual.clear();
  plan.reads_everything = false;
  return {};
}

// Reads the object's records through the leading row-wise steps; with a plain grouping behind them
// the records go straight into groups. `next` is the first step not done.
Result<ApplySet> ApplyRunner::Source(const ApplySteps& steps,
                                     std::vector<RelationCondition> relations, std::size_t& next) {
  ObjectQuery base = query_.base;
  base.whole = true;
  base.count = false;
  base.order_by.clear();
  next = 0;
  // Leading filters take part in the choice of the path.
  while (next < steps.size() && steps[next].kind == ApplyStep::Kind::kFilter) {
    if (base.filter) {
      TABLECAST_ASSIGN_OR_RETURN(base.filter,
                                 expr::Binary(BinaryOp::kAnd, base.filter, steps[next].expression));
    } else {
      base.filter = steps[next].expression;
    }
    ++next;
  }
  const std::size_t first = next;
  while (next < steps.size() && IsRowWise(steps[next])) ++next;
  const std::size_t row_wise_end = next;
  const ApplyStep* grouping =
      next < steps.size() && IsPlainGrouping(steps[next]) ? &steps[next] : nullptr;
  if (grouping != nullptr) ++next;

  ApplySet set;
  TABLECAST_ASSIGN_OR_RETURN(
      set.shape, ShapeAfter(*base.object,
                            ApplySteps(steps.begin(),
                                       steps.begin() + static_cast<std::ptrdiff_t>(row_wise_end))));
  PageExecutor executor(session_, catalog_);
  TABLECAST_ASSIGN_OR_RETURN(QueryPlan plan, executor.Plan(base, relations));
  std::optional<ApplyGrouping> groups;
  if (grouping != nullptr) groups.emplace(*grouping, session_.limits().max_groups);
  const bool row_wise = std::all_of(
      steps.begin() + static_cast<std::ptrdiff_t>(first),
      steps.begin() + static_cast<std::ptrdiff_t>(row_wise_end), [](const ApplyStep& step) {
        return step.kind == ApplyStep::Kind::kCompute || step.kind == ApplyStep::Kind::kIdentity;
      });
  if (groups && row_wise && relations.empty() && !base.search) {
    ColumnarGroupQuery query{base.filter, {}, grouping, session_.now()};
    for (std::size_t i = first; i < row_wise_end; ++i) {
      for (const ComputedColumn& column : steps[i].computed) query.computed.push_back(column.expression);
    }
    TABLECAST_RETURN_IF_ERROR(GroupInColumns(base, query, plan, *groups));
  }
  if (base.want_plan) report_ = ReportOf(base, plan);
  const RecordFilter filter = FilterOf(base, std::move(relations));
  std::vector<std::unique_ptr<SearchMatcher>> matchers(steps.size());
  for (std::size_t i = first; i < row_wise_end; ++i) {
    if (steps[i].search)
      matchers[i] = std::make_unique<SearchMatcher>(*base.object, steps[i].search);
  }
  EvalContext context(session_.now(), &session_);
  Status failed;
  if (plan.path.kind != AccessKind::kNothing) {
    TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle record, session_.Borrow(*base.object));
    context.Bind(0, &*record);
    ApplySet::Row computed;
    context.BindRow(&computed);
    TABLECAST_RETURN_IF_ERROR(
        session_.Stream(*base.object, plan.path, std::nullopt, *record, [&](ItemRecord& current) {
          computed.clear();
          bool holds = filter.Holds(current, context);
          for (std::size_t i = first; holds && i < row_wise_end; ++i) {
            if (steps[i].expression) holds = steps[i].expression->Test(context) == Truth::kTrue;
            if (matchers[i]) holds = matchers[i]->Matches(current);
            for (const ComputedColumn& column : steps[i].computed) {
              computed.emplace_back(column.expression->Evaluate(context));
              if (!groups) context.Keep(*computed.back());
              if (context.error()) return false;
            }
          }
          if (context.error()) return false;
          if (!holds) return true;
          if (groups) {
            failed = groups->Add(context);
            return failed.ok();
          }
          ApplySet::Entity entity;
          entity.at.key = std::string(current.item().key_bytes());
          if (base.object->embedded() != nullptr) entity.at.element = current.element();
          entity.computed = computed;
          set.entities.push_back(std::move(entity));
          failed = CheckHeld(set.entities.size());
          return failed.ok();
        }));
  }
  TABLECAST_RETURN_IF_ERROR(failed);
  if (context.error()) return *context.error();
  if (groups) {
    TABLECAST_ASSIGN_OR_RETURN(set.shape, ShapeAfter(set.shape, {*grouping}));
    set.rows = groups->Rows();
    return set;
  }
  std::sort(set.entities.begin(), set.entities.end(),
            [](const ApplySet::Entity& a, const ApplySet::Entity& b) {
              return std::tie(a.at.key, a.at.element) < std::tie(b.at.key, b.at.element);
            });
  return set;
}

Result<ApplySet> ApplyRunner::Grouped(const ApplySet& set, const ApplyStep& step) {
  ApplyGrouping groups(step, session_.limits().max_groups);
  EvalContext context(session_.now(), &session_);
  TABLECAST_RETURN_IF_ERROR(
      ForEach(set, context, [&](std::size_t) { return groups.Add(context); }));
  ApplySet out;
  TABLECAST_ASSIGN_OR_RETURN(out.shape, ShapeAfter(set.shape, {step}));
  out.rows = groups.Rows();
  return out;
}

// groupby whose inner steps need the members of each group.
Result<ApplySet> ApplyRunner::GroupedBySteps(const ApplySet& set, const ApplyStep& step) {
  ApplyStep keys_only = step;
  keys_only.group_steps.clear();
  std::vector<std::vector<std::uint32_t>> sets = step.grouping_sets;
  if (sets.empty()) {
    sets.emplace_back(step.group_by.size());
    std::iota(sets.front().begin(), sets.front().end(), 0U);
  }
  std::vector<std::vector<EdmValue>> keys;  // by member
  EvalContext context(session_.now(), &session_);
  TABLECAST_RETURN_IF_ERROR(ForEach(set, context, [&](std::size_t) -> Status {
    std::vector<EdmValue> values;
    for (const GroupKey& key : step.group_by) values.push_back(key.expression->Evaluate(context));
    keys.push_back(std::move(values));
    return {};
  }));
  ApplySet out;
  TABLECAST_ASSIGN_OR_RETURN(out.shape, ShapeAfter(set.shape, {step}));
  for (const std::vector<std::uint32_t>& kept : sets) {
    const auto order = [&](std::size_t a, std::size_t b) {
      for (const std::uint32_t key : kept) {
        const std::strong_ordering by_key = OrderEdm(keys[a][key], keys[b][key]);
        if (by_key != 0) return by_key < 0;
      }
      return false;
    };
    std::vector<std::size_t> members(keys.size());
    std::iota(members.begin(), members.end(), std::size_t{0});
    std::stable_sort(members.begin(), members.end(), order);
    for (std::size_t begin = 0; begin < members.size();) {
      std::size_t end = begin + 1;
      while (end < members.size() && !order(members[begin], members[end])) ++end;
      ApplySet group;
      group.shape = set.shape;
      for (std::size_t i = begin; i < end; ++i) {
        if (set.shape.is_entity) {
          group.entities.push_back(set.entities[members[i]]);
        } else {
          group.rows.push_back(set.rows[members[i]]);
        }
      }
      TABLECAST_ASSIGN_OR_RETURN(const ApplySet inner,
                                 Steps(std::move(group), step.group_steps, 0));
      TABLECAST_ASSIGN_OR_RETURN(const ApplySet inner_rows, AsRows(inner));
      for (const ApplySet::Row& row : inner_rows.rows) {
        ApplySet::Row joined(out.shape.columns.size());
        for (const std::uint32_t key : kept) joined[key] = keys[members[begin]][key];
        for (std::size_t column = step.group_by.size(); column < joined.size(); ++column) {
          for (std::size_t i = 0; i < row.size(); ++i) {
            if (inner_rows.shape.columns[i].name == out.shape.columns[column].name)
              joined[column] = row[i];
          }
        }
        out.rows.push_back(std::move(joined));
        if (out.rows.size() > session_.limits().max_groups)
          return TooManyGroups(session_.limits().max_groups);
      }
      begin = end;
    }
  }
  return out;
}

Result<ApplySet> ApplyRunner::AsRows(const ApplySet& set) {
  if (!set.shape.is_entity) return set;
  ApplySet out;
  out.shape = RowShapeOf(set.shape);
  EvalContext context(session_.now(), &session_);
  TABLECAST_RETURN_IF_ERROR(ForEach(set, context, [&](std::size_t i) -> Status {
    ApplySet::Row row;
    for (const ResultColumn& column : out.shape.columns) {
      if (column.field != nullptr) row.emplace_back(context.record(0)->Value(*column.field));
    }
    row.insert(row.end(), set.entities[i].computed.begin(), set.entities[i].computed.end());
    out.rows.push_back(std::move(row));
    return {};
  }));
  return out;
}

Result<ApplySet> ApplyRunner::Concatenated(const ApplySet& set, const ApplyStep& step) {
  ApplySet out;
  TABLECAST_ASSIGN_OR_RETURN(out.shape, ShapeAfter(set.shape, {step}));
  for (const ApplySteps& branch : step.branches) {
    TABLECAST_ASSIGN_OR_RETURN(ApplySet part, Steps(set, branch, 0));
    if (!out.shape.is_entity) {
      TABLECAST_ASSIGN_OR_RETURN(part, AsRows(part));
    }
    std::vector<std::size_t> to;  // column of the union by column of the part
    for (const ResultColumn& column : part.shape.columns) {
      const auto at =
          std::find_if(out.shape.columns.begin(), out.shape.columns.end(),
                       [&](const ResultColumn& other) { return other.name == column.name; });
      to.push_back(static_cast<std::size_t>(at - out.shape.columns.begin()));
    }
    const auto widen = [&](ApplySet::Row& row) {
      ApplySet::Row wide(out.shape.columns.size());
      for (std::size_t i = 0; i < row.size(); ++i) wide[to[i]] = std::move(row[i]);
      row = std::move(wide);
    };
    TABLECAST_RETURN_IF_ERROR(CheckHeld(SizeOf(out) + SizeOf(part)));
    TABLECAST_RETURN_IF_ERROR(session_.CheckDeadline());
    for (ApplySet::Entity& entity : part.entities) {
      widen(entity.computed);
      out.entities.push_back(std::move(entity));
    }
    for (ApplySet::Row& row : part.rows) {
      widen(row);
      out.rows.push_back(std::move(row));
    }
  }
  return out;
}

// topcount and its kin: the members with the highest (lowest) values, in their own order.
Status ApplyRunner::Ranked(ApplySet& set, const ApplyStep& step) {
  TABLECAST_ASSIGN_OR_RETURN(const std::vector<EdmValue> values, ValuesOf(set, step.expression));
  const bool top = step.kind == ApplyStep::Kind::kTopCount ||
                   step.kind == ApplyStep::Kind::kTopSum ||
                   step.kind == ApplyStep::Kind::kTopPercent;
  const bool by_count =
      step.kind == ApplyStep::Kind::kTopCount || step.kind == ApplyStep::Kind::kBottomCount;
  const bool by_percent =
      step.kind == ApplyStep::Kind::kTopPercent || step.kind == ApplyStep::Kind::kBottomPercent;
  std::vector<std::size_t> ranked;
  Decimal total;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].is_null() || IsFloating(values[i].kind())) continue;
    ranked.push_back(i);
    if (!by_count && IsExactNumber(values[i].kind())) total = Add(total, values[i].number(), kSum);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) {
    const std::strong_ordering order = OrderEdm(values[a], values[b]);
    return top ? order > 0 : order < 0;
  });
  if (by_count) {
    const std::uint64_t count = WholeAmount(step.amount);
    if (ranked.size() > count) ranked.resize(static_cast<std::size_t>(count));
  } else {
    Decimal wanted = step.amount;
    if (by_percent)
      wanted = Multiply(Multiply(total, step.amount, kSum), Decimal::FromParts(false, 1, -2), kSum);
    Decimal reached;
    std::size_t kept = 0;
    while (kept < ranked.size() && reached < wanted) {
      const EdmValue& value = values[ranked[kept++]];
      if (IsExactNumber(value.kind())) reached = Add(reached, value.number(), kSum);
    }
    ranked.resize(kept);
  }
  std::sort(ranked.begin(), ranked.end());
  Keep(set, ranked);
  return {};
}

Result<ApplySet> ApplyRunner::Step(ApplySet set, const ApplyStep& step) {
  switch (step.kind) {
    case ApplyStep::Kind::kIdentity: return set;
    case ApplyStep::Kind::kFilter:
    case ApplyStep::Kind::kSearch: {
      std::vector<std::size_t> keep;
      std::unique_ptr<SearchMatcher> matcher;
      if (step.search && set.shape.is_entity)
        matcher = std::make_unique<SearchMatcher>(*set.shape.object, step.search);
      EvalContext context(session_.now(), &session_);
      TABLECAST_RETURN_IF_ERROR(ForEach(set, context, [&](std::size_t i) -> Status {
        bool holds = !step.expression || step.expression->Test(context) == Truth::kTrue;
        if (matcher) holds = holds && matcher->Matches(*context.record(0));
        if (step.search && !matcher)
          holds = holds && SearchMatcher::MatchesRow(step.search, *context.row());
        if (holds) keep.push_back(i);
        return {};
      }));
      Keep(set, keep);
      return set;
    }
    case ApplyStep::Kind::kCompute: {
      TABLECAST_ASSIGN_OR_RETURN(ApplyShape after, ShapeAfter(set.shape, {step}));
      for (const ComputedColumn& column : step.computed) {
        TABLECAST_ASSIGN_OR_RETURN(std::vector<EdmValue> values, ValuesOf(set, column.expression));
        for (std::size_t i = 0; i < values.size(); ++i) {
          (set.shape.is_entity ? set.entities[i].computed : set.rows[i])
              .emplace_back(std::move(values[i]));
        }
      }
      set.shape = std::move(after);
      return set;
    }
    case ApplyStep::Kind::kAggregate: return Grouped(set, step);
    case ApplyStep::Kind::kGroupBy:
      return IsPlainGrouping(step) ? Grouped(set, step) : GroupedBySteps(set, step);
    case ApplyStep::Kind::kOrderBy: {
      std::vector<std::vector<EdmValue>> values;
      for (const SortKey& key : step.order_by) {
        TABLECAST_ASSIGN_OR_RETURN(std::vector<EdmValue> column, ValuesOf(set, key.expression));
        values.push_back(std::move(column));
      }
      std::vector<std::size_t> order(SizeOf(set));
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        for (std::size_t key = 0; key < values.size(); ++key) {
          const std::strong_ordering by = OrderEdm(values[key][a], values[key][b]);
          if (by != 0) return (by < 0) != step.order_by[key].descending;
        }
        return false;
      });
      Keep(set, order);
      return set;
    }
    case ApplyStep::Kind::kSkip:
    case ApplyStep::Kind::kTop: {
      const std::size_t size = SizeOf(set);
      const std::size_t amount =
          static_cast<std::size_t>(std::min<std::uint64_t>(WholeAmount(step.amount), size));
      const bool skip = step.kind == ApplyStep::Kind::kSkip;
      std::vector<std::size_t> keep(skip ? size - amount : amount);
      std::iota(keep.begin(), keep.end(), skip ? amount : std::size_t{0});
      Keep(set, keep);
      return set;
    }
    case ApplyStep::Kind::kConcat: return Concatenated(set, step);
    default: TABLECAST_RETURN_IF_ERROR(Ranked(set, step)); return set;
  }
}

Result<ApplySet> ApplyRunner::Steps(ApplySet set, const ApplySteps& steps, std::size_t from) {
  for (std::size_t i = from; i < steps.size(); ++i) {
    TABLECAST_ASSIGN_OR_RETURN(set, Step(std::move(set), steps[i]));
    TABLECAST_RETURN_IF_ERROR(session_.CheckDeadline());
  }
  return set;
}

Result<ApplyResult> ApplyRunner::Finish(ApplySet set) {
  ApplySteps options;
  const auto add = [&](ApplyStep::Kind kind) -> ApplyStep& {
    options.emplace_back();
    options.back().kind = kind;
    return options.back();
  };
  if (!query_.computed.empty()) add(ApplyStep::Kind::kCompute).computed = query_.computed;
  if (query_.search) add(ApplyStep::Kind::kSearch).search = query_.search;
  if (query_.filter) add(ApplyStep::Kind::kFilter).expression = query_.filter;
  TABLECAST_ASSIGN_OR_RETURN(set, Steps(std::move(set), options, 0));
  ApplyResult result;
  if (query_.count) result.count = SizeOf(set);
  options.clear();
  if (!query_.order_by.empty()) add(ApplyStep::Kind::kOrderBy).order_by = query_.order_by;
  if (query_.skip != 0) add(ApplyStep::Kind::kSkip).amount = Decimal::FromUint64(query_.skip);
  if (query_.top) add(ApplyStep::Kind::kTop).amount = Decimal::FromUint64(*query_.top);
  TABLECAST_ASSIGN_OR_RETURN(set, Steps(std::move(set), options, 0));
  result.shape = set.shape;
  result.items_read = session_.stats().items;
  result.plan = std::move(report_);
  if (result.plan)
    result.plan->actual = PlanReport::Actual{session_.stats().items, session_.stats().bytes, 0};
  if (!set.shape.is_entity) {
    for (ApplySet::Row& row : set.rows) result.rows.push_back({std::move(row)});
    return result;
  }
  ObjectQuery shown = query_.base;
  shown.computed.clear();
  const Projection projection(shown);
  ResultPage page;
  page.object = shown.object;
  auto columns = *projection.columns();
  columns.insert(columns.end(), set.shape.columns.begin(), set.shape.columns.end());
  page.columns = std::make_shared<const std::vector<ResultColumn>>(std::move(columns));
  page.count = result.count;
  EvalContext context(session_.now(), &session_);
  TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle record, session_.Borrow(*shown.object));
  context.Bind(0, &*record);
  for (std::size_t i = 0; i < set.entities.size(); ++i) {
    const ApplySet::Entity& entity = set.entities[i];
    if (i % 64 == 0) TABLECAST_RETURN_IF_ERROR(session_.CheckDeadline());
    Status failed;
    TABLECAST_ASSIGN_OR_RETURN(
        const bool there,
        session_.Fetch(*shown.object, entity.at, *record, [&](ItemRecord& current) {
          Result<Record> made = projection.Project(current, context);
          if (!made.ok()) {
            failed = made.error();
            return;
          }
          for (const std::optional<EdmValue>& value : entity.computed)
            made->values.push_back(value.value_or(EdmValue()));
          page.records.push_back(*std::move(made));
        }, QuerySession::Look::kAgain));
    static_cast<void>(there);
    TABLECAST_RETURN_IF_ERROR(failed);
  }
  result.page = std::move(page);
  return result;
}

Result<ApplyResult> ApplyRunner::Run(std::vector<RelationCondition> relations) {
  std::size_t next = 0;
  TABLECAST_ASSIGN_OR_RETURN(ApplySet set, Source(query_.steps, std::move(relations), next));
  TABLECAST_ASSIGN_OR_RETURN(set, Steps(std::move(set), query_.steps, next));
  return Finish(std::move(set));
}

}  // namespace tablecast
