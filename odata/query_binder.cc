#include "odata/query_binder.h"

#include <algorithm>

#include "base/utf8.h"
#include "odata/http_error.h"

namespace tablecast {

namespace {

constexpr int kMaxExpandDepth = 5;

Status DepthError() {
  return MakeError(ErrorCode::kResourceExhausted, "expand-depth", "$expand may nest 5 levels deep", "$expand");
}

}  // namespace

ExpressionBinder QueryBinder::Expressions(std::string target) const {
  ExpressionBinder binder(catalog_, principal_, aliases_, root_reader_);
  binder.SetTarget(std::move(target));
  return binder;
}

std::vector<std::string> QueryBinder::HiddenFields(const ExternalObject& object) const {
  std::vector<std::string> hidden;
  for (const Field& field : object.fields()) {
    if (principal_.HidesField(object.name(), field.name)) hidden.push_back(field.name);
  }
  return hidden;
}

Status QueryBinder::BindCompute(const std::vector<syntax::ComputeItem>& items, BindScope& scope,
                                std::vector<ComputedColumn>& out) {
  for (const syntax::ComputeItem& item : items) {
    ExpressionBinder binder = Expressions("$compute");
    TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr expression, binder.Bind(item.expression, scope));
    const bool taken = std::any_of(scope.aliases.begin(), scope.aliases.end(),
                                   [&](const auto& alias) { return alias.first == item.alias; }) ||
                       (scope.object != nullptr && (scope.object->FindField(item.alias) != nullptr ||
                                                    scope.object->FindNavigation(item.alias) != nullptr));
    if (taken) {
      return binder.At(MakeError(ErrorCode::kInvalidArgument, "compute-alias",
                                 "the name `" + item.alias + "` is taken already"),
                       item.at);
    }
    scope.aliases.emplace_back(item.alias, expression);
    out.push_back({item.alias, std::move(expression), true});
  }
  return {};
}

Status QueryBinder::BindOrderBy(const std::vector<syntax::OrderByItem>& items, const BindScope& scope,
                                std::vector<SortKey>& out) {
  for (const syntax::OrderByItem& item : items) {
    ExpressionBinder binder = Expressions("$orderby");
    TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr expression, binder.Bind(item.expression, scope));
    const EdmKind kind = expression->type().kind;
    if (expression->type().collection || kind == EdmKind::kComplex) {
      return binder.At(MakeError(ErrorCode::kInvalidArgument, "type-mismatch",
                                 "records cannot be ordered by a value of " + EdmTypeText(expression->type())),
                       item.at);
    }
    out.push_back({std::move(expression), item.descending});
  }
  return {};
}

namespace {

// Whether the options behind a selected property are nothing but a $select.
bool OnlySelects(const syntax::NestedOptions& options) {
  return !options.filter && !options.search && options.order_by.empty() && options.compute.empty() && options.expand.empty() &&
         options.apply.empty() && !options.top && !options.skip && !options.count && !options.levels;
}

}  // namespace

Status QueryBinder::BindSelect(const std::vector<syntax::SelectItem>& items, BoundQuery& bound, int depth) {
  const ExternalObject& object = *bound.query.object;
  std::vector<std::uint32_t> fields;
  std::vector<std::string> computed_names;
  bool star = false;
  RecordShape& shape = bound.shape;
  ExpressionBinder binder = Expressions("$select");
  const auto note = [&](const std::string& name) {
    if (std::find(shape.select_names.begin(), shape.select_names.end(), name) == shape.select_names.end()) {
      shape.select_names.push_back(name);
    }
  };
  if (depth > kMaxExpandDepth) return DepthError();
  for (const syntax::SelectItem& item : items) {
    if (item.kind == syntax::SelectItem::Kind::kStar) {
      star = true;
      continue;
    }
    if (item.kind == syntax::SelectItem::Kind::kOperations) continue;  // there are none
    std::size_t step = 0;
    if (item.path[0].kind == syntax::PathStep::Kind::kQualifiedName && item.path.size() > 1) {
      if (!binder.IsOwnType(object, item.path[0].text)) {
        return binder.At(NotOffered("the type " + item.path[0].text), item.at);
      }
      step = 1;
    }
    const syntax::PathStep& first = item.path[step];
    if (first.kind == syntax::PathStep::Kind::kAnnotation) continue;  // annotations are asked for by Prefer
    if (first.kind == syntax::PathStep::Kind::kQualifiedName) {
      return binder.At(NotOffered("the function " + first.text), item.at);
    }
    if (!item.options.empty() && !OnlySelects(item.options.front())) {
      return binder.At(NotOffered("an option other than $select inside $select"), item.at);
    }
    const auto computed = std::find_if(bound.query.computed.begin(), bound.query.computed.end(),
                                       [&](const ComputedColumn& column) { return column.name == first.text; });
    if (computed != bound.query.computed.end()) {
      computed_names.push_back(first.text);
      note(first.text);
      continue;
    }
    if (const Navigation* navigation = binder.FindNavigation(object, first.text)) {
      if (step + 1 < item.path.size()) {
        return binder.At(MakeError(ErrorCode::kInvalidArgument, "select-path",
                                   "properties of related records are selected inside $expand"),
                         item.at);
      }
      shape.selected_navigations.push_back(navigation->name);
      note(navigation->name);
      continue;
    }
    TABLECAST_ASSIGN_OR_RETURN(const Field* field, binder.FindField(object, first.text, first.at));
    if (item.path.size() > step + 2 || (step + 1 < item.path.size() && !item.options.empty())) {
      return binder.At(NotOffered("a path of more than two steps in $select"), item.at);
    }
    std::string name = field->name;
    std::vector<std::string> members;
    const auto add_member = [&](const std::string& member, const syntax::Span& at) -> Status {
      const bool known = std::any_of(field->members.begin(), field->members.end(),
                                     [&](const Field& candidate) { return candidate.name == member; });
      if (!known) {
        return binder.At(MakeError(ErrorCode::kInvalidArgument, "property-unknown",
                                   field->name + " has no member `" + member + "`"),
                         at);
      }
      members.push_back(member);
      return {};
    };
    if (step + 1 < item.path.size()) {
      TABLECAST_RETURN_IF_ERROR(add_member(item.path[step + 1].text, item.path[step + 1].at));
      name += "/" + item.path[step + 1].text;
    } else if (!item.options.empty() && item.options.front().select) {
      for (const syntax::SelectItem& inner : *item.options.front().select) {
        if (inner.kind == syntax::SelectItem::Kind::kStar) {
          members.clear();
          break;
        }
        if (inner.path.empty()) continue;
        if (inner.path.size() > 1 || !inner.options.empty()) {
          return binder.At(NotOffered("a path of more than two steps in $select"), inner.at);
        }
        TABLECAST_RETURN_IF_ERROR(add_member(inner.path[0].text, inner.path[0].at));
      }
    }
    for (const std::string& member : members) shape.select_members.emplace_back(field->name, member);
    fields.push_back(object.IndexOf(*field));
    note(name);
  }
  for (ComputedColumn& column : bound.query.computed) {
    column.selected = star || std::find(computed_names.begin(), computed_names.end(), column.name) != computed_names.end();
  }
  if (star) return {};
  shape.select_all = false;
  std::sort(fields.begin(), fields.end());
  fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
  bound.query.select = std::move(fields);
  return {};
}

Status QueryBinder::AddExpand(const Navigation& navigation, const syntax::ExpandItem& item, BoundQuery& bound,
                              int depth) {
  ExpandItem expand;
  expand.navigation = &navigation;
  RecordShape::Expand shape;
  shape.navigation = &navigation;
  if (item.suffix == syntax::ExpandItem::Suffix::kRef) expand.mode = ExpandItem::Mode::kReferences;
  if (item.suffix == syntax::ExpandItem::Suffix::kCount) expand.mode = ExpandItem::Mode::kCount;
  shape.mode = expand.mode;
  const syntax::NestedOptions none;
  const syntax::NestedOptions& options = item.options.empty() ? none : item.options.front();
  TABLECAST_ASSIGN_OR_RETURN(BoundQuery nested, BindNested(*navigation.target, options, depth + 1));
  nested.query.whole = true;
  if (expand.mode == ExpandItem::Mode::kCount) nested.query.count = true;
  shape.count = nested.query.count;
  if (options.levels) {
    expand.levels = options.levels->max ? ExpandItem::kLevelsMax : options.levels->value;
  }
  expand.query = std::make_shared<ObjectQuery>(std::move(nested.query));
  shape.shape.push_back(std::move(nested.shape));
  const auto same = std::find_if(bound.query.expand.begin(), bound.query.expand.end(),
                                 [&](const ExpandItem& other) { return other.navigation == &navigation; });
  if (same != bound.query.expand.end()) {
    return MakeError(ErrorCode::kInvalidArgument, "expand-duplicate",
                     "$expand names `" + navigation.name + "` twice", "$expand");
  }
  bound.query.expand.push_back(std::move(expand));
  bound.shape.expands.push_back(std::move(shape));
  return {};
}

Status QueryBinder::BindExpand(const std::vector<syntax::ExpandItem>& items, BoundQuery& bound, int depth) {
  const ExternalObject& object = *bound.query.object;
  if (items.empty()) return {};
  if (depth >= kMaxExpandDepth) return DepthError();
  ExpressionBinder binder = Expressions("$expand");
  for (const syntax::ExpandItem& item : items) {
    if (item.value) return binder.At(NotOffered("$expand=$value"), item.at);
    if (item.star) {
      for (const Navigation& navigation : object.navigations()) {
        if (binder.FindNavigation(object, navigation.name) == nullptr) continue;
        const bool named = std::any_of(items.begin(), items.end(), [&](const syntax::ExpandItem& other) {
          return !other.star && !other.path.empty() && other.path.back().text == navigation.name;
        });
        if (!named) TABLECAST_RETURN_IF_ERROR(AddExpand(navigation, item, bound, depth));
      }
      continue;
    }
    std::size_t step = 0;
    if (item.path[0].kind == syntax::PathStep::Kind::kQualifiedName && binder.IsOwnType(object, item.path[0].text)) {
      step = 1;
    }
    const Navigation* navigation =
        step < item.path.size() ? binder.FindNavigation(object, item.path[step].text) : nullptr;
    std::size_t end = step + 1;
    if (end < item.path.size() && item.path[end].kind == syntax::PathStep::Kind::kQualifiedName) {
      // A cast of the related records: to their own type it changes nothing, and there are no derived types.
      if (navigation != nullptr && !binder.IsOwnType(*navigation->target, item.path[end].text)) {
        return binder.At(NotOffered("a cast to " + item.path[end].text), item.path[end].at);
      }
      ++end;
    }
    if (end != item.path.size()) {
      return binder.At(NotOffered("a path of several steps in $expand (nest $expand instead)"), item.at);
    }
    if (navigation == nullptr) {
      std::vector<std::string> names;
      for (const Navigation& candidate : object.navigations()) {
        if (binder.FindNavigation(object, candidate.name) != nullptr) names.push_back(candidate.name);
      }
      const auto nearest = NearestName(item.path[step].text, names);
      return binder.At(MakeError(ErrorCode::kInvalidArgument, "navigation-unknown",
                                 object.name() + " has no navigation property `" + item.path[step].text + "`", "",
                                 nearest ? "did you mean `" + *nearest + "`?" : "see $metadata"),
                       item.path[step].at);
    }
    TABLECAST_RETURN_IF_ERROR(AddExpand(*navigation, item, bound, depth));
  }
  return {};
}

Result<BoundQuery> QueryBinder::BindNested(const ExternalObject& object, const syntax::NestedOptions& options,
                                           int depth) {
  BoundQuery bound;
  bound.query.object = &object;
  bound.shape.object = &object;
  bound.shape.hidden = HiddenFields(object);
  if (!options.apply.empty()) return NotOffered("$apply inside $expand");
  BindScope scope;
  scope.object = &object;
  TABLECAST_RETURN_IF_ERROR(BindCompute(options.compute, scope, bound.query.computed));
  if (options.search) {
    ExpressionBinder binder = Expressions("$search");
    TABLECAST_ASSIGN_OR_RETURN(bound.query.search, binder.BindSearch(*options.search));
  }
  if (options.filter) {
    ExpressionBinder binder = Expressions("$filter");
    TABLECAST_ASSIGN_OR_RETURN(bound.query.filter, binder.BindCondition(*options.filter, scope));
  }
  TABLECAST_RETURN_IF_ERROR(BindOrderBy(options.order_by, scope, bound.query.order_by));
  bound.query.top = options.top;
  bound.query.skip = options.skip.value_or(0);
  bound.query.count = options.count.value_or(false);
  TABLECAST_RETURN_IF_ERROR(BindExpand(options.expand, bound, depth));
  if (options.select) TABLECAST_RETURN_IF_ERROR(BindSelect(*options.select, bound, depth));
  return bound;
}

Result<BoundQuery> QueryBinder::Bind(const ExternalObject& object, const syntax::QueryOptions& options) {
  syntax::NestedOptions nested;
  nested.filter = options.filter;
  nested.search = options.search;
  nested.order_by = options.order_by;
  nested.compute = options.compute;
  nested.select = options.select;
  nested.expand = options.expand;
  nested.top = options.top;
  nested.skip = options.skip;
  nested.count = options.count;
  return BindNested(object, nested, 0);
}

Status QueryBinder::AddFilter(const syntax::Expr& condition, BoundQuery& bound) {
  ExpressionBinder binder = Expressions("path");
  BindScope scope;
  scope.object = bound.query.object;
  TABLECAST_ASSIGN_OR_RETURN(ExpressionPtr bound_condition, binder.BindCondition(condition, scope));
  if (bound.query.filter == nullptr) {
    bound.query.filter = std::move(bound_condition);
    return {};
  }
  TABLECAST_ASSIGN_OR_RETURN(bound.query.filter,
                             expr::Binary(BinaryOp::kAnd, bound.query.filter, std::move(bound_condition)));
  return {};
}

}  // namespace tablecast
