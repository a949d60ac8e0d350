// $apply -> ApplyQuery: each transformation is bound against the columns that the ones before it leave.

#include <algorithm>

#include "odata/http_error.h"
#include "odata/query_binder.h"

namespace tablecast {

namespace {

std::optional<AggregateMethod> MethodOf(std::string_view name) {
  if (name == "sum") return AggregateMethod::kSum;
  if (name == "min") return AggregateMethod::kMin;
  if (name == "max") return AggregateMethod::kMax;
  if (name == "average") return AggregateMethod::kAverage;
  if (name == "countdistinct") return AggregateMethod::kCountDistinct;
  return std::nullopt;
}

Decimal AmountOf(const syntax::Expr& literal) {
  auto number = Decimal::Parse(literal.text);
  return number.ok() ? *number : Decimal();
}

}  // namespace

class ApplyBinder {
 public:
  ApplyBinder(QueryBinder& owner, const ExternalObject& object) : owner_(owner), object_(object) {}

  Result<ApplySteps> Steps(const syntax::Apply& apply, ApplyShape shape, int depth) {
    if (depth > kMaxDepth) {
      return MakeError(ErrorCode::kResourceExhausted, "apply-depth", "$apply nests too deep", "$apply");
    }
    ApplySteps steps;
    for (const syntax::Transformation& transformation : apply.steps) {
      TABLECAST_ASSIGN_OR_RETURN(ApplyStep step, Step(transformation, shape, depth));
      ApplySteps one{std::move(step)};
      auto after = ShapeAfter(shape, one);
      if (!after.ok()) return Binder().At(after.error(), transformation.at);
      shape = *std::move(after);
      steps.push_back(std::move(one.front()));
    }
    return steps;
  }

  // What names mean for rows of this shape. `aliases` receives nothing: computed columns are columns.
  BindScope ScopeOf(const ApplyShape& shape) const {
    BindScope scope;
    scope.object = shape.is_entity ? &object_ : nullptr;
    scope.columns = &shape.columns;
    return scope;
  }

 private:
  static constexpr int kMaxDepth = 20;

  ExpressionBinder Binder() const { return owner_.Expressions("$apply"); }

  Result<ApplyStep> Step(const syntax::Transformation& in, const ApplyShape& shape, int depth) {
    using Kind = syntax::Transformation::Kind;
    ApplyStep step;
    const BindScope scope = ScopeOf(shape);
    ExpressionBinder binder = Binder();
    switch (in.kind) {
      case Kind::kIdentity: step.kind = ApplyStep::Kind::kIdentity; return step;
      case Kind::kFilter: {
        step.kind = ApplyStep::Kind::kFilter;
        TABLECAST_ASSIGN_OR_RETURN(step.expression, binder.BindCondition(*in.expression, scope));
        return step;
      }
      case Kind::kSearch: {
        step.kind = ApplyStep::Kind::kSearch;
        TABLECAST_ASSIGN_OR_RETURN(step.search, binder.BindSearch(*in.search));
        return step;
      }
      case Kind::kOrderBy: {
        step.kind = ApplyStep::Kind::kOrderBy;
        TABLECAST_RETURN_IF_ERROR(owner_.BindOrderBy(in.order_by, scope, step.order_by));
        return step;
      }
      case Kind::kSkip: step.kind = ApplyStep::Kind::kSkip; step.amount = AmountOf(*in.amount); return step;
      case Kind::kTop: step.kind = ApplyStep::Kind::kTop; step.amount = AmountOf(*in.amount); return step;
      case Kind::kTopCount: return TopStep(ApplyStep::Kind::kTopCount, in, scope);
      case Kind::kTopSum: return TopStep(ApplyStep::Kind::kTopSum, in, scope);
      case Kind::kTopPercent: return TopStep(ApplyStep::Kind::kTopPercent, in, scope);
      case Kind::kBottomCount: return TopStep(ApplyStep::Kind::kBottomCount, in, scope);
      case Kind::kBottomSum: return TopStep(ApplyStep::Kind::kBottomSum, in, scope);
      case Kind::kBottomPercent: return TopStep(ApplyStep::Kind::kBottomPercent, in, scope);
      case Kind::kCompute: {
        step.kind = ApplyStep::Kind::kCompute;
        BindScope growing = scope;
        for (const syntax::ComputeItem& item : in.compute) {
          TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr expression, binder.Bind(item.expression, growing));
          step.computed.push_back({item.alias, std::move(expression), true});
        }
        return step;
      }
      case Kind::kConcat: {
        step.kind = ApplyStep::Kind::kConcat;
        for (const syntax::Apply& branch : in.branches) {
          TABLECAST_ASSIGN_OR_RETURN(ApplySteps steps, Steps(branch, shape, depth + 1));
          step.branches.push_back(std::move(steps));
        }
        return step;
      }
      case Kind::kGroupBy: return GroupBy(in, shape, scope, depth);
      case Kind::kAggregate: return Aggregate(in, scope);
      case Kind::kUnsupported: return binder.At(NotOffered("the transformation " + in.name), in.at);
    }
    return binder.At(NotOffered("the transformation " + in.name), in.at);
  }

  Result<ApplyStep> TopStep(ApplyStep::Kind kind, const syntax::Transformation& in, const BindScope& scope) {
    ApplyStep step;
    step.kind = kind;
    if (in.amount->kind != syntax::ExprKind::kLiteral) {
      return Binder().At(NotOffered("an expression as the first argument of " + in.name), in.amount->at);
    }
    step.amount = AmountOf(*in.amount);
    ExpressionBinder binder = Binder();
    TABLECAST_ASSIGN_OR_RETURN(step.expression, binder.Bind(*in.expression, scope));
    return step;
  }

  Result<ApplyStep> GroupBy(const syntax::Transformation& in, const ApplyShape& shape, const BindScope& scope,
                            int depth) {
    ApplyStep step;
    step.kind = ApplyStep::Kind::kGroupBy;
    ExpressionBinder binder = Binder();
    // Each rollup gives its prefixes; several rollups and plain properties are combined with each other.
    std::vector<std::vector<std::uint32_t>> sets{{}};
    bool rollup = false;
    for (const syntax::GroupByElement& element : in.group_by) {
      if (element.kind == syntax::GroupByElement::Kind::kRollupRecursive) {
        return binder.At(NotOffered("rolluprecursive"), element.at);
      }
      std::vector<std::uint32_t> keys;
      for (const syntax::Expr& property : element.properties) {
        TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr expression, binder.Bind(property, scope));
        keys.push_back(static_cast<std::uint32_t>(step.group_by.size()));
        step.group_by.push_back({property.text, std::move(expression)});
      }
      std::vector<std::vector<std::uint32_t>> next;
      if (element.kind == syntax::GroupByElement::Kind::kRollup) {
        rollup = true;
        const std::size_t shortest = element.all ? 0 : 1;
        for (const auto& set : sets) {
          for (std::size_t length = keys.size() + 1; length-- > shortest;) {
            auto grown = set;
            grown.insert(grown.end(), keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(length));
            next.push_back(std::move(grown));
          }
        }
      } else {
        for (auto set : sets) {
          set.insert(set.end(), keys.begin(), keys.end());
          next.push_back(std::move(set));
        }
      }
      sets = std::move(next);
      if (sets.size() > 64) {
        return binder.At(MakeError(ErrorCode::kResourceExhausted, "rollup-limit", "rollup makes more than 64 grouping sets"),
                         element.at);
      }
    }
    if (rollup) step.grouping_sets = std::move(sets);
    if (!in.branches.empty()) {
      TABLECAST_ASSIGN_OR_RETURN(step.group_steps, Steps(in.branches.front(), shape, depth + 1));
    }
    return step;
  }

  Result<ApplyStep> Aggregate(const syntax::Transformation& in, const BindScope& scope) {
    ApplyStep step;
    step.kind = ApplyStep::Kind::kAggregate;
    ExpressionBinder binder = Binder();
    for (const syntax::AggregateExpr& item : in.aggregate) {
      AggregateItem out;
      out.alias = item.alias;
      if (!item.from.empty()) return binder.At(NotOffered("`from` in aggregate"), item.at);
      switch (item.kind) {
        case syntax::AggregateExpr::Kind::kNested:
          return binder.At(NotOffered("an aggregate over a related collection"), item.at);
        case syntax::AggregateExpr::Kind::kCount:
          if (item.expression) return binder.At(NotOffered("a path before $count in aggregate"), item.at);
          out.method = AggregateMethod::kCount;
          break;
        case syntax::AggregateExpr::Kind::kExpression: {
          const auto method = MethodOf(item.method);
          if (!method) return binder.At(NotOffered("the aggregation method " + item.method), item.at);
          out.method = *method;
          TABLECAST_ASSIGN_OR_RETURN(out.expression, binder.Bind(*item.expression, scope));
          break;
        }
        case syntax::AggregateExpr::Kind::kCustom: {
          // A bare property: the custom aggregate that the object declares under its name.
          const std::string& name = item.expression->text;
          const auto& declared = object_.aggregates();
          const auto found = std::find_if(declared.begin(), declared.end(),
                                          [&](const CustomAggregate& aggregate) { return aggregate.field == name; });
          if (found == declared.end()) {
            return binder.At(MakeError(ErrorCode::kInvalidArgument, "aggregate-unknown",
                                       "no aggregate is declared for `" + name + "`", "",
                                       "write a method: " + name + " with sum as Total"),
                             item.at);
          }
          out.method = MethodOf(found->method).value_or(AggregateMethod::kSum);
          if (out.alias.empty()) out.alias = name;
          TABLECAST_ASSIGN_OR_RETURN(out.expression, binder.Bind(*item.expression, scope));
          break;
        }
      }
      step.aggregates.push_back(std::move(out));
    }
    return step;
  }

  QueryBinder& owner_;
  const ExternalObject& object_;
};

Result<ApplyQuery> QueryBinder::BindApply(const ExternalObject& object, const syntax::QueryOptions& options) {
  ApplyQuery query;
  query.base.object = &object;
  ApplyBinder apply(*this, object);
  ApplyShape shape;
  shape.object = &object;
  TABLECAST_ASSIGN_OR_RETURN(query.steps, apply.Steps(*options.apply, shape, 0));
  TABLECAST_ASSIGN_OR_RETURN(shape, ShapeAfter(object, query.steps));
  BindScope scope = apply.ScopeOf(shape);
  TABLECAST_RETURN_IF_ERROR(BindCompute(options.compute, scope, query.computed));
  if (options.search) {
    ExpressionBinder binder = Expressions("$search");
    TABLECAST_ASSIGN_OR_RETURN(query.search, binder.BindSearch(*options.search));
  }
  if (options.filter) {
    ExpressionBinder binder = Expressions("$filter");
    TABLECAST_ASSIGN_OR_RETURN(query.filter, binder.BindCondition(*options.filter, scope));
  }
  TABLECAST_RETURN_IF_ERROR(BindOrderBy(options.order_by, scope, query.order_by));
  query.top = options.top;
  query.skip = options.skip.value_or(0);
  query.count = options.count.value_or(false);
  if (!options.expand.empty()) return NotOffered("$expand behind $apply");
  return query;
}

}  // namespace tablecast
