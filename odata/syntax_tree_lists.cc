#include "odata/syntax_tree.h"

// IMPLEMENTATION: prints $orderby, $compute, $select, $expand and $apply. Tested by
// round_trip_test.cc.

namespace tablecast::syntax {
namespace {

template <class Item, class Append>
void AppendList(std::string& out, const std::vector<Item>& items, Append append) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ',';
    append(out, items[i]);
  }
}

void AppendSteps(std::string& out, const std::vector<PathStep>& path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (i > 0) out += '/';
    if (path[i].kind == PathStep::Kind::kAnnotation) out += '@';
    out += path[i].text;
  }
}

class OptionPrinter {
 public:
  explicit OptionPrinter(std::string& out) : out_(out) {}
  void Print(std::string_view name, std::string_view value) {
    out_ += first_ ? '(' : ';';
    first_ = false;
    out_ += name;
    out_ += '=';
    out_ += value;
  }
  void Close() {
    if (!first_) out_ += ')';
  }

 private:
  std::string& out_;
  bool first_ = true;
};

void AppendOptions(std::string& out, const NestedOptions& options) {
  OptionPrinter printer(out);
  if (options.filter) printer.Print("$filter", ToString(*options.filter));
  if (options.search) printer.Print("$search", ToString(*options.search));
  if (!options.apply.empty()) printer.Print("$apply", ToString(options.apply[0]));
  if (!options.compute.empty()) printer.Print("$compute", ToString(options.compute));
  if (!options.order_by.empty()) printer.Print("$orderby", ToString(options.order_by));
  if (options.skip) printer.Print("$skip", std::to_string(*options.skip));
  if (options.top) printer.Print("$top", std::to_string(*options.top));
  if (options.count) printer.Print("$count", *options.count ? "true" : "false");
  if (options.levels)
    printer.Print("$levels", options.levels->max ? "max" : std::to_string(options.levels->value));
  if (options.select) printer.Print("$select", ToString(*options.select));
  if (!options.expand.empty()) printer.Print("$expand", ToString(options.expand));
  for (const AliasValue& alias : options.aliases)
    printer.Print("@" + alias.name, ToString(alias.value));
  printer.Close();
}

void AppendSelectItem(std::string& out, const SelectItem& item) {
  switch (item.kind) {
    case SelectItem::Kind::kStar: out += '*'; return;
    case SelectItem::Kind::kOperations: out += item.text + ".*"; return;
    case SelectItem::Kind::kPath: break;
  }
  AppendSteps(out, item.path);
  if (item.parameter_names) {
    out += '(';
    AppendList(out, *item.parameter_names,
               [](std::string& to, const std::string& name) { to += name; });
    out += ')';
  }
  for (const NestedOptions& options : item.options) AppendOptions(out, options);
}

void AppendExpandItem(std::string& out, const ExpandItem& item) {
  if (item.value) {
    out += "$value";
    return;
  }
  AppendSteps(out, item.path);
  if (item.star) out += item.path.empty() ? "*" : "/*";
  if (item.suffix == ExpandItem::Suffix::kRef) out += "/$ref";
  if (item.suffix == ExpandItem::Suffix::kCount) out += "/$count";
  for (const NestedOptions& options : item.options) AppendOptions(out, options);
}

void AppendAggregate(std::string& out, const AggregateExpr& aggregate) {
  if (aggregate.expression) out += ToString(*aggregate.expression);
  switch (aggregate.kind) {
    case AggregateExpr::Kind::kExpression: out += " with " + aggregate.method; break;
    case AggregateExpr::Kind::kCount:
      if (!aggregate.expression) out += "$count";
      break;
    case AggregateExpr::Kind::kCustom: break;
    case AggregateExpr::Kind::kNested:
      out += '(';
      AppendList(out, aggregate.nested, AppendAggregate);
      out += ')';
      break;
  }
  for (const AggregateExpr::From& from : aggregate.from) {
    out += " from " + ToString(from.property);
    if (!from.method.empty()) out += " with " + from.method;
  }
  if (!aggregate.alias.empty()) out += " as " + aggregate.alias;
}

void AppendGroupByElement(std::string& out, const GroupByElement& element) {
  const auto property = [](std::string& to, const Expr& expr) { to += ToString(expr); };
  switch (element.kind) {
    case GroupByElement::Kind::kProperty: AppendList(out, element.properties, property); break;
    case GroupByElement::Kind::kRollup:
      out += element.all ? "rollup($all," : "rollup(";
      AppendList(out, element.properties, property);
      out += ')';
      break;
    case GroupByElement::Kind::kRollupRecursive:
      out += "rolluprecursive(" + element.text + ")";
      break;
  }
}

std::string GroupByText(const Transformation& step) {
  std::string out = "(";
  AppendList(out, step.group_by, AppendGroupByElement);
  out += ')';
  for (const Apply& branch : step.branches) out += "," + ToString(branch);
  return out;
}

std::string ArgumentsText(const Transformation& step) {
  using Kind = Transformation::Kind;
  std::string out;
  switch (step.kind) {
    case Kind::kIdentity: break;
    case Kind::kFilter: return ToString(*step.expression);
    case Kind::kSearch: return ToString(*step.search);
    case Kind::kOrderBy: return ToString(step.order_by);
    case Kind::kSkip:
    case Kind::kTop: return ToString(*step.amount);
    case Kind::kTopCount:
    case Kind::kTopSum:
    case Kind::kTopPercent:
    case Kind::kBottomCount:
    case Kind::kBottomSum:
    case Kind::kBottomPercent: return ToString(*step.amount) + "," + ToString(*step.expression);
    case Kind::kCompute: return ToString(step.compute);
    case Kind::kConcat:
      AppendList(out, step.branches,
                 [](std::string& to, const Apply& branch) { to += ToString(branch); });
      break;
    case Kind::kGroupBy: return GroupByText(step);
    case Kind::kAggregate: AppendList(out, step.aggregate, AppendAggregate); break;
    case Kind::kUnsupported: return step.text;
  }
  return out;
}

}  // namespace

std::string ToString(const std::vector<OrderByItem>& items) {
  std::string out;
  AppendList(out, items, [](std::string& to, const OrderByItem& item) {
    to += ToString(item.expression);
    if (item.descending) to += " desc";
  });
  return out;
}

std::string ToString(const std::vector<ComputeItem>& items) {
  std::string out;
  AppendList(out, items, [](std::string& to, const ComputeItem& item) {
    to += ToString(item.expression) + " as " + item.alias;
  });
  return out;
}

std::string ToString(const std::vector<SelectItem>& items) {
  std::string out;
  AppendList(out, items, AppendSelectItem);
  return out;
}

std::string ToString(const std::vector<ExpandItem>& items) {
  std::string out;
  AppendList(out, items, AppendExpandItem);
  return out;
}

std::string ToString(const Apply& apply) {
  std::string out;
  for (std::size_t i = 0; i < apply.steps.size(); ++i) {
    if (i > 0) out += '/';
    out += apply.steps[i].name;
    if (apply.steps[i].kind != Transformation::Kind::kIdentity)
      out += "(" + ArgumentsText(apply.steps[i]) + ")";
  }
  return out;
}

}  // namespace tablecast::syntax
