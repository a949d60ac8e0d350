#include "odata/syntax_json.h"

#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "odata/apply_parser.h"
#include "odata/expand_parser.h"
#include "odata/filter_parser.h"
#include "odata/search_parser.h"
#include "odata/syntax_scanner.h"

// IMPLEMENTATION: one printer class; every node is an object written in the order kind, name,
// value, args, at. Recursion is bounded by the height that the parsers allow. Tested by
// syntax_json_test.cc.

namespace tablecast::syntax {
namespace {

std::string_view LiteralName(LiteralKind kind) {
  switch (kind) {
    case LiteralKind::kNull: return "null";
    case LiteralKind::kBoolean: return "boolean";
    case LiteralKind::kInteger: return "integer";
    case LiteralKind::kDecimal: return "decimal";
    case LiteralKind::kInfinity: return "infinity";
    case LiteralKind::kNaN: return "nan";
    case LiteralKind::kString: return "string";
    case LiteralKind::kGuid: return "guid";
    case LiteralKind::kDate: return "date";
    case LiteralKind::kDateTimeOffset: return "dateTimeOffset";
    case LiteralKind::kTimeOfDay: return "timeOfDay";
    case LiteralKind::kDuration: return "duration";
    case LiteralKind::kBinary: return "binary";
    case LiteralKind::kEnum: return "enum";
    case LiteralKind::kGeography: return "geography";
    case LiteralKind::kGeometry: return "geometry";
  }
  return "";
}

std::string_view KindName(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral: return LiteralName(expr.literal);
    case ExprKind::kPath: return "path";
    case ExprKind::kAnd: return "and";
    case ExprKind::kOr: return "or";
    case ExprKind::kNot: return "not";
    case ExprKind::kNegate: return "negate";
    case ExprKind::kBinary: return OpName(expr.op);
    case ExprKind::kCall: return "call";
    case ExprKind::kCast: return "cast";
    case ExprKind::kIsOf: return "isof";
    case ExprKind::kCase: return "case";
    case ExprKind::kList: return "list";
    case ExprKind::kArray: return "array";
    case ExprKind::kObject: return "object";
    case ExprKind::kMember: return "member";
    case ExprKind::kNamedArgument: return "argument";
    case ExprKind::kName: return "name";
    case ExprKind::kQualifiedName: return "qualifiedName";
    case ExprKind::kKey: return "key";
    case ExprKind::kFunction: return "function";
    case ExprKind::kIt: return "$it";
    case ExprKind::kThis: return "$this";
    case ExprKind::kRoot: return "$root";
    case ExprKind::kThese: return "$these";
    case ExprKind::kAlias: return "alias";
    case ExprKind::kAnnotation: return "annotation";
    case ExprKind::kCount: return "$count";
    case ExprKind::kCountOption: return "option";
    case ExprKind::kFilterSegment: return "$filter";
    case ExprKind::kAny: return "any";
    case ExprKind::kAll: return "all";
    case ExprKind::kAggregate: return "aggregate";
  }
  return "";
}

std::string_view SegmentKindName(PathSegment::Kind kind) {
  switch (kind) {
    case PathSegment::Kind::kName: return "name";
    case PathSegment::Kind::kQualifiedName: return "qualifiedName";
    case PathSegment::Kind::kText: return "text";
    case PathSegment::Kind::kValue: return "$value";
    case PathSegment::Kind::kCount: return "$count";
    case PathSegment::Kind::kRef: return "$ref";
    case PathSegment::Kind::kEach: return "$each";
    case PathSegment::Kind::kQuery: return "$query";
    case PathSegment::Kind::kFilter: return "$filter";
    case PathSegment::Kind::kMetadata: return "$metadata";
    case PathSegment::Kind::kBatch: return "$batch";
    case PathSegment::Kind::kEntity: return "$entity";
    case PathSegment::Kind::kAll: return "$all";
    case PathSegment::Kind::kCrossJoin: return "$crossjoin";
  }
  return "";
}

std::string JoinSteps(const std::vector<PathStep>& path) {
  std::string text;
  for (const PathStep& step : path) {
    if (!text.empty()) text += '/';
    if (step.kind == PathStep::Kind::kAnnotation) text += '@';
    text += step.text;
  }
  return text;
}

Span Cover(const std::vector<OrderByItem>& items) {
  return {items.front().at.begin, items.back().at.end};
}
Span Cover(const std::vector<ComputeItem>& items) {
  return {items.front().at.begin, items.back().at.end};
}
Span Cover(const std::vector<SelectItem>& items) {
  return {items.front().at.begin, items.back().at.end};
}
Span Cover(const std::vector<ExpandItem>& items) {
  return {items.front().at.begin, items.back().at.end};
}

class Printer {
 public:
  explicit Printer(std::string& out) : json_(out) {}

  void Print(const Expr& expr) {
    Open(KindName(expr));
    switch (expr.kind) {
      case ExprKind::kLiteral:
        if (!expr.name.empty()) json_.Key("name").String(expr.name);
        json_.Key("value");
        if (expr.literal == LiteralKind::kNull)
          json_.Null();
        else if (expr.literal == LiteralKind::kBoolean)
          json_.Bool(expr.text == "true");
        else
          json_.String(expr.text);
        break;
      case ExprKind::kCast:
      case ExprKind::kIsOf: Name(expr.name); break;
      case ExprKind::kCountOption:
        Name(expr.text);
        if (expr.args.empty()) Value(expr.name);
        break;
      case ExprKind::kAggregate: Value(expr.name); break;
      default: Name(expr.text);
    }
    Args(expr.args);
    Close(expr.at);
  }

  void Print(const Search& search) {
    constexpr std::string_view kNames[] = {"word", "phrase", "and", "or", "not"};
    Open(kNames[static_cast<std::size_t>(search.kind)]);
    if (search.args.empty()) Value(search.text);
    Args(search.args);
    Close(search.at);
  }

  void Print(const OrderByItem& item) {
    Open(item.descending ? "desc" : "asc");
    json_.Key("args").BeginArray();
    Print(item.expression);
    json_.EndArray();
    Close(item.at);
  }

  void Print(const ComputeItem& item) {
    Open("compute");
    Name(item.alias);
    json_.Key("args").BeginArray();
    Print(item.expression);
    json_.EndArray();
    Close(item.at);
  }

  void Print(const SelectItem& item) {
    constexpr std::string_view kNames[] = {"star", "operations", "property"};
    Open(kNames[static_cast<std::size_t>(item.kind)]);
    Name(item.kind == SelectItem::Kind::kOperations ? item.text : JoinSteps(item.path));
    if (item.parameter_names) {
      json_.Key("parameters").BeginArray();
      for (const std::string& name : *item.parameter_names) json_.String(name);
      json_.EndArray();
    }
    PrintOptions(item.options, item.at);
    Close(item.at);
  }

  void Print(const ExpandItem& item) {
    Open(item.value ? "$value" : item.star ? "star" : "property");
    Name(JoinSteps(item.path));
    if (item.suffix == ExpandItem::Suffix::kRef) Value("$ref");
    if (item.suffix == ExpandItem::Suffix::kCount) Value("$count");
    PrintOptions(item.options, item.at);
    Close(item.at);
  }

  void Print(const Apply& apply) {
    Open("apply");
    Args(apply.steps);
    Close(apply.at);
  }

  void Print(const Transformation& step) {
    Open(step.kind == Transformation::Kind::kUnsupported ? "unsupported" : step.name);
    if (step.kind == Transformation::Kind::kUnsupported) {
      Name(step.name);
      Value(step.text);
    }
    json_.Key("args").BeginArray();
    if (step.amount) Print(*step.amount);
    if (step.expression) Print(*step.expression);
    if (step.search) Print(*step.search);
    PrintAll(step.order_by);
    PrintAll(step.compute);
    PrintAll(step.group_by);
    PrintAll(step.aggregate);
    PrintAll(step.branches);
    json_.EndArray();
    Close(step.at);
  }

  void Print(const GroupByElement& element) {
    constexpr std::string_view kNames[] = {"property", "rollup", "rolluprecursive"};
    Open(kNames[static_cast<std::size_t>(element.kind)]);
    if (element.all) Value("$all");
    if (!element.text.empty()) Value(element.text);
    Args(element.properties);
    Close(element.at);
  }

  void Print(const AggregateExpr& aggregate) {
    constexpr std::string_view kNames[] = {"aggregate", "$count", "custom", "nested"};
    Open(kNames[static_cast<std::size_t>(aggregate.kind)]);
    Name(aggregate.alias);
    if (!aggregate.method.empty()) Value(aggregate.method);
    json_.Key("args").BeginArray();
    if (aggregate.expression) Print(*aggregate.expression);
    for (const AggregateExpr::From& from : aggregate.from) {
      Open("from");
      if (!from.method.empty()) Value(from.method);
      json_.Key("args").BeginArray();
      Print(from.property);
      json_.EndArray();
      Close(from.property.at);
    }
    PrintAll(aggregate.nested);
    json_.EndArray();
    Close(aggregate.at);
  }

  void Print(const PathArgument& argument) {
    Open("argument");
    Name(argument.name);
    json_.Key("args").BeginArray();
    Print(argument.value);
    json_.EndArray();
    Close(argument.at);
  }

  void Print(const PathSegment& segment) {
    Open(SegmentKindName(segment.kind));
    const bool named = segment.kind == PathSegment::Kind::kName ||
                       segment.kind == PathSegment::Kind::kQualifiedName;
    if (named) Name(segment.text);
    if (segment.kind == PathSegment::Kind::kText) Value(segment.text);
    if (!segment.sets.empty()) {
      json_.Key("sets").BeginArray();
      for (const std::string& set : segment.sets) json_.String(set);
      json_.EndArray();
    }
    if (segment.filter || segment.arguments) {
      json_.Key("args").BeginArray();
      if (segment.filter) Print(*segment.filter);
      if (segment.arguments) PrintAll(*segment.arguments);
      json_.EndArray();
    }
    if (segment.key) {
      json_.Key("key").BeginArray();
      PrintAll(*segment.key);
      json_.EndArray();
    }
    Close(segment.at);
  }

  // A list option as one node: {"kind": "select", "args": [...]}.
  template <class Item>
  void PrintList(std::string_view kind, const std::vector<Item>& items) {
    Open(kind);
    Args(items);
    Close(Cover(items));
  }

  void Print(const Uri& uri, std::size_t length) {
    Open("uri");
    if (!uri.root.empty()) json_.Key("root").String(uri.root);
    json_.Key("args").BeginArray();
    PrintPath(uri);
    PrintQuery(uri.options);
    if (uri.fragment) {
      Open("context");
      Value(uri.fragment->text);
      Close(uri.fragment->at);
    }
    json_.EndArray();
    Close({0, static_cast<std::uint32_t>(length)});
  }

 private:
  void Open(std::string_view kind) { json_.BeginObject().Key("kind").String(kind); }
  void Name(std::string_view name) {
    if (!name.empty()) json_.Key("name").String(name);
  }
  void Value(std::string_view value) { json_.Key("value").String(value); }
  void Close(Span at) {
    json_.Key("at").BeginArray().Uint(at.begin).Uint(at.end).EndArray();
    json_.EndObject();
  }
  template <class Item>
  void PrintAll(const std::vector<Item>& items) {
    for (const Item& item : items) Print(item);
  }
  template <class Item>
  void Args(const std::vector<Item>& items) {
    if (items.empty()) return;
    json_.Key("args").BeginArray();
    PrintAll(items);
    json_.EndArray();
  }
  void PrintValueOption(std::string_view name, std::string_view value, Span at) {
    Open(name);
    Value(value);
    Close(at);
  }
  template <class Tree>
  void PrintTreeOption(std::string_view name, const Tree& tree, Span at) {
    Open(name);
    json_.Key("args").BeginArray();
    Print(tree);
    json_.EndArray();
    Close(at);
  }
  template <class Item>
  void PrintListOption(std::string_view name, const std::vector<Item>& items, Span at) {
    Open(name);
    Args(items);
    Close(at);
  }
  void PrintAliases(const std::vector<AliasValue>& aliases) {
    for (const AliasValue& alias : aliases)
      PrintTreeOption("@" + alias.name, alias.value, alias.at);
  }

  // Nested options have no place of their own: `at` is the item's.
  void PrintOptions(const std::vector<NestedOptions>& list, Span at) {
    if (list.empty()) return;
    const NestedOptions& options = list.front();
    json_.Key("args").BeginArray();
    PrintSharedOptions(options, at);
    for (const Apply& apply : options.apply) PrintTreeOption("$apply", apply, apply.at);
    PrintAliases(options.aliases);
    json_.EndArray();
  }

  // The options that QueryOptions and NestedOptions have in common, one by one in a fixed order.
  template <class Options>
  void PrintSharedOptions(const Options& options, Span at) {
    if (options.filter) PrintTreeOption("$filter", *options.filter, at);
    if (options.search) PrintTreeOption("$search", *options.search, at);
    if (!options.order_by.empty()) PrintListOption("$orderby", options.order_by, at);
    if (!options.compute.empty()) PrintListOption("$compute", options.compute, at);
    if (options.select) PrintListOption("$select", *options.select, at);
    if (!options.expand.empty()) PrintListOption("$expand", options.expand, at);
    if (options.top) PrintValueOption("$top", std::to_string(*options.top), at);
    if (options.skip) PrintValueOption("$skip", std::to_string(*options.skip), at);
    if (options.count) PrintValueOption("$count", *options.count ? "true" : "false", at);
    if (options.levels) {
      PrintValueOption("$levels",
                       options.levels->max ? "max" : std::to_string(options.levels->value), at);
    }
  }

  void PrintPath(const Uri& uri) {
    const std::vector<PathSegment>& segments = uri.path.segments;
    Open("path");
    Args(segments);
    const auto root = static_cast<std::uint32_t>(uri.root.size());
    Close(segments.empty() ? Span{root, root}
                           : Span{segments.front().at.begin, segments.back().at.end});
  }

  void PrintQuery(const QueryOptions& options) {
    for (std::size_t i = 0; i < options.system_options.size(); ++i) {
      const std::string& name = options.system_options[i];
      PrintSystemOption(options, name, options.system_option_spans[i]);
    }
    PrintAliases(options.aliases);
    for (const CustomOption& custom : options.custom) {
      Open("custom");
      json_.Key("name").String(custom.name);
      Value(custom.value);
      Close(custom.at);
    }
  }

  void PrintSystemOption(const QueryOptions& options, std::string_view name, Span at) {
    if (name == "$filter") return PrintTreeOption(name, *options.filter, at);
    if (name == "$search") return PrintTreeOption(name, *options.search, at);
    if (name == "$apply") return PrintTreeOption(name, *options.apply, at);
    if (name == "$orderby") return PrintListOption(name, options.order_by, at);
    if (name == "$compute") return PrintListOption(name, options.compute, at);
    if (name == "$select") return PrintListOption(name, *options.select, at);
    if (name == "$expand") return PrintListOption(name, options.expand, at);
    if (name == "$top") return PrintValueOption(name, std::to_string(*options.top), at);
    if (name == "$skip") return PrintValueOption(name, std::to_string(*options.skip), at);
    if (name == "$count") return PrintValueOption(name, *options.count ? "true" : "false", at);
    if (name == "$index") return PrintValueOption(name, std::to_string(*options.index), at);
    if (name == "$format") return PrintValueOption(name, options.format->media_type, at);
    if (name == "$id") return PrintValueOption(name, *options.id, at);
    if (name == "$skiptoken") return PrintValueOption(name, *options.skip_token, at);
    if (name == "$deltatoken") return PrintValueOption(name, *options.delta_token, at);
    if (name == "$schemaversion") return PrintValueOption(name, *options.schema_version, at);
    if (name == "$levels") {
      PrintValueOption(name, options.levels->max ? "max" : std::to_string(options.levels->value),
                       at);
    }
  }

  JsonWriter json_;
};

template <class Tree>
std::string Printed(const Tree& tree) {
  std::string out;
  Printer(out).Print(tree);
  return out;
}

template <class Item>
std::string PrintedList(std::string_view kind, const std::vector<Item>& items) {
  std::string out;
  Printer(out).PrintList(kind, items);
  return out;
}

// Parses the decoded text and prints the tree by `print`.
template <class Parse, class Print>
Result<std::string> ParseAndPrint(const DecodedText& text, std::string_view option, Parse parse,
                                  Print print) {
  const SyntaxLimits limits;
  Budget budget(limits);
  auto tree = ParseAll(text, budget, option, parse);
  if (!tree.ok()) return std::move(tree).error();
  return print(*tree);
}

Result<std::string> UriToJson(std::string_view text) {
  UriParseOptions options;
  options.query.positions = Positions::kText;
  options.query.allow_empty_options = false;
  TABLECAST_ASSIGN_OR_RETURN(const Uri uri, ParseUri(text, options));
  std::string out;
  Printer(out).Print(uri, text.size());
  return out;
}

}  // namespace

std::string ToJson(const Expr& expr) { return Printed(expr); }
std::string ToJson(const Search& search) { return Printed(search); }
std::string ToJson(const Apply& apply) { return Printed(apply); }

Result<std::string> ParseToJson(std::string_view kind, std::string_view text) {
  if (kind == "uri") return UriToJson(text);
  constexpr std::string_view kKinds[] = {"filter", "orderby", "select", "expand",
                                         "search", "apply",   "compute"};
  if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds)) {
    return MakeError(
        ErrorCode::kInvalidArgument, "kind-unknown",
        "there is no kind '" + std::string(kind) +
            "'; kinds are uri, filter, orderby, select, expand, search, apply, compute");
  }
  const std::string option = "$" + std::string(kind);
  auto decoded = DecodeText(text, 0, PlusSign::kPlus, Positions::kText);
  if (!decoded.ok()) {
    Error error = std::move(decoded).error();
    error.target = option;
    return error;
  }
  if (kind == "filter") {
    return ParseAndPrint(
        *decoded, option, [](Scanner& s) { return ParseExpression(s); }, Printed<Expr>);
  }
  if (kind == "search") {
    return ParseAndPrint(
        *decoded, option, [](Scanner& s) { return ParseSearch(s); }, Printed<Search>);
  }
  if (kind == "apply") {
    return ParseAndPrint(
        *decoded, option, [](Scanner& s) { return ParseApply(s); }, Printed<Apply>);
  }
  const auto list = [kind](const auto& items) { return PrintedList(kind, items); };
  if (kind == "orderby")
    return ParseAndPrint(
        *decoded, option, [](Scanner& s) { return ParseOrderBy(s); }, list);
  if (kind == "select")
    return ParseAndPrint(
        *decoded, option, [](Scanner& s) { return ParseSelect(s); }, list);
  if (kind == "expand")
    return ParseAndPrint(
        *decoded, option, [](Scanner& s) { return ParseExpand(s); }, list);
  return ParseAndPrint(
      *decoded, option, [](Scanner& s) { return ParseCompute(s); }, list);
}

}  // namespace tablecast::syntax
