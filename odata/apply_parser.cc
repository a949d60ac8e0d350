#include "odata/apply_parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"
#include "odata/expand_parser.h"
#include "odata/expression_parser.h"
#include "odata/filter_parser.h"
#include "odata/nested_options.h"
#include "odata/search_parser.h"
#include "odata/syntax_scanner.h"

// IMPLEMENTATION: recursive descent; concat and groupby nest and cost one level of depth each.
// SOURCE: OData Data Aggregation 4.0 ABNF, applyExpr. Tested by apply_parser_test.cc and the tables
// under tests/odata/grammar.

namespace tablecast::syntax {
namespace {

using Kind = Transformation::Kind;

struct KnownName {
  std::string_view name;
  Kind kind;
};
constexpr auto kTransformations = std::to_array<KnownName>({
    {"identity", Kind::kIdentity},
    {"filter", Kind::kFilter},
    {"search", Kind::kSearch},
    {"orderby", Kind::kOrderBy},
    {"skip", Kind::kSkip},
    {"top", Kind::kTop},
    {"topcount", Kind::kTopCount},
    {"topsum", Kind::kTopSum},
    {"toppercent", Kind::kTopPercent},
    {"bottomcount", Kind::kBottomCount},
    {"bottomsum", Kind::kBottomSum},
    {"bottompercent", Kind::kBottomPercent},
    {"compute", Kind::kCompute},
    {"concat", Kind::kConcat},
    {"groupby", Kind::kGroupBy},
    {"aggregate", Kind::kAggregate},
    {"join", Kind::kUnsupported},
    {"outerjoin", Kind::kUnsupported},
    {"nest", Kind::kUnsupported},
    {"addnested", Kind::kUnsupported},
    {"expand", Kind::kUnsupported},
    {"ancestors", Kind::kUnsupported},
    {"descendants", Kind::kUnsupported},
    {"traverse", Kind::kUnsupported},
});
constexpr auto kMethods =
    std::to_array<std::string_view>({"sum", "min", "max", "average", "countdistinct"});

class ApplyParser {
 public:
  explicit ApplyParser(Scanner& scanner) : s_(scanner) {}

  Result<Apply> Steps() {
    const std::size_t begin = s_.pos();
    Apply apply;
    do {
      TABLECAST_ASSIGN_OR_RETURN(Transformation step, Step());
      apply.steps.push_back(std::move(step));
    } while (s_.Take('/'));
    apply.at = s_.SpanFrom(begin);
    return apply;
  }

 private:
  Result<Transformation> Step() {
    TABLECAST_RETURN_IF_ERROR(s_.Charge());
    const std::size_t begin = s_.pos();
    TABLECAST_ASSIGN_OR_RETURN(const std::string_view written,
                               s_.TakeIdentifier("a transformation", true));
    Transformation step;
    step.name = LowerAscii(written);
    const auto* known =
        std::find_if(kTransformations.begin(), kTransformations.end(),
                     [&](const KnownName& entry) { return entry.name == step.name; });
    if (known != kTransformations.end()) {
      step.kind = known->kind;
    } else if (written.find('.') != std::string_view::npos) {
      step.kind = Kind::kUnsupported;  // defined by a service
      step.name = std::string(written);
    } else {
      return Unknown(begin, written);
    }
    if (step.kind != Kind::kIdentity) {
      if (!s_.Take('(')) return s_.Expected("'('");
      const DepthGuard depth(s_);
      TABLECAST_RETURN_IF_ERROR(depth.Check());
      if (step.kind != Kind::kUnsupported) s_.SkipBlanks();
      TABLECAST_RETURN_IF_ERROR(Arguments(step));
      if (step.kind != Kind::kUnsupported) s_.SkipBlanks();
      if (!s_.Take(')')) return s_.Expected("')'");
    }
    step.at = s_.SpanFrom(begin);
    return step;
  }

  Error Unknown(std::size_t at, std::string_view name) const {
    Error error = s_.FailAt(at, "transformation-unknown",
                            "there is no transformation '" + std::string(name) + "'");
    std::array<std::string_view, kTransformations.size()> names;
    std::transform(kTransformations.begin(), kTransformations.end(), names.begin(),
                   [](const KnownName& entry) { return entry.name; });
    if (const auto nearest = NearestName(LowerAscii(name), names)) {
      error.remedy = "did you mean '" + *nearest + "'?";
    }
    return error;
  }

  Status Arguments(Transformation& step) {
    switch (step.kind) {
      case Kind::kIdentity: break;
      case Kind::kFilter: {
        TABLECAST_ASSIGN_OR_RETURN(step.expression, ParseExpression(s_));
        break;
      }
      case Kind::kSearch: {
        TABLECAST_ASSIGN_OR_RETURN(step.search, ParseSearch(s_));
        break;
      }
      case Kind::kOrderBy: {
        TABLECAST_ASSIGN_OR_RETURN(step.order_by, ParseOrderBy(s_));
        break;
      }
      case Kind::kCompute: {
        TABLECAST_ASSIGN_OR_RETURN(step.compute, ParseCompute(s_));
        break;
      }
      case Kind::kSkip:
      case Kind::kTop: return WholeAmount(step);
      case Kind::kTopCount:
      case Kind::kTopSum:
      case Kind::kTopPercent:
      case Kind::kBottomCount:
      case Kind::kBottomSum:
      case Kind::kBottomPercent: {
        TABLECAST_ASSIGN_OR_RETURN(step.amount, ParseExpression(s_));
        if (!s_.TakeSeparator(',')) return s_.Expected("',' and an expression");
        TABLECAST_ASSIGN_OR_RETURN(step.expression, ParseExpression(s_));
        break;
      }
      case Kind::kConcat: return Concat(step);
      case Kind::kGroupBy: return GroupBy(step);
      case Kind::kAggregate: return Aggregates(step.aggregate);
      case Kind::kUnsupported: {
        TABLECAST_ASSIGN_OR_RETURN(step.text, TakeBalanced(s_));
        break;
      }
    }
    return {};
  }

  // skip(5), top(5)
  Status WholeAmount(Transformation& step) {
    const std::size_t begin = s_.pos();
    TABLECAST_RETURN_IF_ERROR(TakeUnsigned(s_));
    TABLECAST_RETURN_IF_ERROR(s_.Charge());
    Expr amount;
    amount.literal = LiteralKind::kInteger;
    amount.text = std::string(s_.Text(begin, s_.pos()));
    amount.at = s_.SpanFrom(begin);
    step.amount = std::move(amount);
    return {};
  }

  Status Concat(Transformation& step) {
    do {
      TABLECAST_ASSIGN_OR_RETURN(Apply branch, Steps());
      step.branches.push_back(std::move(branch));
    } while (s_.TakeSeparator(','));
    if (step.branches.size() < 2) return s_.Expected("',' and another sequence of transformations");
    return {};
  }

  // (A,B/C,rollup(D,E)) [, transformations]
  Status GroupBy(Transformation& step) {
    if (!s_.Take('(')) return s_.Expected("'(' before the grouping properties");
    s_.SkipBlanks();
    do {
      TABLECAST_ASSIGN_OR_RETURN(GroupByElement element, GroupElement());
      step.group_by.push_back(std::move(element));
    } while (s_.TakeSeparator(','));
    s_.SkipBlanks();
    if (!s_.Take(')')) return s_.Expected("',' or ')'");
    if (s_.TakeSeparator(',')) {
      TABLECAST_ASSIGN_OR_RETURN(Apply inner, Steps());
      step.branches.push_back(std::move(inner));
    }
    return {};
  }

  Result<GroupByElement> GroupElement() {
    TABLECAST_RETURN_IF_ERROR(s_.Charge());
    const std::size_t begin = s_.pos();
    GroupByElement element;
    if (s_.TakeAnyCase("rolluprecursive(")) {
      element.kind = GroupByElement::Kind::kRollupRecursive;
      TABLECAST_ASSIGN_OR_RETURN(element.text, TakeBalanced(s_));
      s_.Take(')');
    } else if (s_.TakeAnyCase("rollup(")) {
      element.kind = GroupByElement::Kind::kRollup;
      s_.SkipBlanks();
      element.all = s_.TakeAnyCase("$all");
      if (element.all && !s_.TakeSeparator(',')) return s_.Expected("',' and a grouping property");
      do {
        TABLECAST_ASSIGN_OR_RETURN(Expr property, GroupingProperty());
        element.properties.push_back(std::move(property));
      } while (s_.TakeSeparator(','));
      s_.SkipBlanks();
      if (!s_.Take(')')) return s_.Expected("',' or ')'");
    } else {
      TABLECAST_ASSIGN_OR_RETURN(Expr property, GroupingProperty());
      element.properties.push_back(std::move(property));
    }
    element.at = s_.SpanFrom(begin);
    return element;
  }

  // A path of names and type casts.
  Result<Expr> GroupingProperty() {
    const std::size_t begin = s_.pos();
    TABLECAST_ASSIGN_OR_RETURN(Expr path, ParsePathExpression(s_));
    if (!IsPropertyPath(path)) {
      s_.Seek(begin);
      return s_.Expected("a property path");
    }
    return path;
  }

  static bool IsPropertyPath(const Expr& path) {
    return std::all_of(path.args.begin(), path.args.end(), [](const Expr& segment) {
      return segment.kind == ExprKind::kName || segment.kind == ExprKind::kQualifiedName ||
             segment.kind == ExprKind::kAnnotation || segment.kind == ExprKind::kIt;
    });
  }

  Status Aggregates(std::vector<AggregateExpr>& aggregates) {
    do {
      TABLECAST_ASSIGN_OR_RETURN(AggregateExpr aggregate, Aggregate());
      aggregates.push_back(std::move(aggregate));
    } while (s_.TakeSeparator(','));
    return {};
  }

  Result<AggregateExpr> Aggregate() {
    TABLECAST_RETURN_IF_ERROR(s_.Charge());
    const std::size_t begin = s_.pos();
    AggregateExpr aggregate;
    if (s_.TakeAnyCase("$count")) {
      aggregate.kind = AggregateExpr::Kind::kCount;
      TABLECAST_RETURN_IF_ERROR(Alias(aggregate, /*required=*/true));
    } else if (const std::size_t path = NestedPathLength(); path > 0) {
      TABLECAST_RETURN_IF_ERROR(Nested(aggregate, path));
    } else {
      TABLECAST_RETURN_IF_ERROR(AggregateOfExpression(aggregate));
    }
    aggregate.at = s_.SpanFrom(begin);
    return aggregate;
  }

  Status AggregateOfExpression(AggregateExpr& aggregate) {
    TABLECAST_ASSIGN_OR_RETURN(aggregate.expression, ParseExpression(s_));
    const bool is_path = aggregate.expression->kind == ExprKind::kPath;
    if (is_path && aggregate.expression->args.back().kind == ExprKind::kCount) {
      aggregate.kind = AggregateExpr::Kind::kCount;
      return Alias(aggregate, /*required=*/true);
    }
    if (TakeKeyword("with")) {
      TABLECAST_ASSIGN_OR_RETURN(aggregate.method, Method());
    } else if (is_path && IsPropertyPath(*aggregate.expression)) {
      aggregate.kind = AggregateExpr::Kind::kCustom;
    } else {
      return s_.Expected("' with ' and an aggregation method");
    }
    while (TakeKeyword("from")) {
      AggregateExpr::From from;
      TABLECAST_ASSIGN_OR_RETURN(from.property, GroupingProperty());
      if (TakeKeyword("with")) {
        TABLECAST_ASSIGN_OR_RETURN(from.method, Method());
      }
      aggregate.from.push_back(std::move(from));
    }
    return Alias(aggregate, /*required=*/aggregate.kind == AggregateExpr::Kind::kExpression);
  }

  // Length of `A/B` when `A/B(` stands here and is neither a call nor a key, else 0.
  std::size_t NestedPathLength() const {
    std::size_t length = 0;
    std::size_t last = 0;
    while (true) {
      const std::size_t name = s_.IdentifierLength(s_.pos() + length);
      if (name == 0) return 0;
      last = length;
      length += name;
      const char next = s_.Peek(length);
      if (next == '(') break;
      if (next != '/' && next != '.') return 0;
      ++length;
    }
    const std::string_view rest = s_.Rest();
    if (IsCallWord(rest.substr(last, length - last))) return 0;
    std::size_t inside = length + 1;
    while (s_.Peek(inside) == ' ' || s_.Peek(inside) == '\t') ++inside;
    const std::size_t name = s_.IdentifierLength(s_.pos() + inside);
    if (name == 0 && s_.Peek(inside) != '$') return 0;  // Items('x')
    if (s_.Peek(inside + name) == '=') return 0;        // Ns.Function(p=1)
    return length;
  }

  // path(inner, ...)
  Status Nested(AggregateExpr& aggregate, std::size_t path_length) {
    aggregate.kind = AggregateExpr::Kind::kNested;
    const std::size_t begin = s_.pos();
    Expr path;
    path.kind = ExprKind::kPath;
    path.text = std::string(s_.Rest().substr(0, path_length));
    while (true) {
      const std::size_t at = s_.pos();
      TABLECAST_ASSIGN_OR_RETURN(const std::string_view name, s_.TakeIdentifier("a name", true));
      TABLECAST_RETURN_IF_ERROR(s_.Charge());
      Expr segment;
      segment.kind =
          name.find('.') == std::string_view::npos ? ExprKind::kName : ExprKind::kQualifiedName;
      segment.text = std::string(name);
      segment.at = s_.SpanFrom(at);
      path.args.push_back(std::move(segment));
      if (!s_.Take('/')) break;
    }
    path.height = 2;
    path.at = s_.SpanFrom(begin);
    aggregate.expression = std::move(path);
    const DepthGuard depth(s_);
    TABLECAST_RETURN_IF_ERROR(depth.Check());
    s_.Advance(1);
    s_.SkipBlanks();
    TABLECAST_RETURN_IF_ERROR(Aggregates(aggregate.nested));
    s_.SkipBlanks();
    if (!s_.Take(')')) return s_.Expected("',' or ')'");
    return Alias(aggregate, /*required=*/false);
  }

  // sum, ..., or Ns.Method
  Result<std::string> Method() {
    const std::size_t begin = s_.pos();
    TABLECAST_ASSIGN_OR_RETURN(const std::string_view written,
                               s_.TakeIdentifier("an aggregation method", true));
    if (written.find('.') != std::string_view::npos) return std::string(written);
    std::string method = LowerAscii(written);
    if (std::find(kMethods.begin(), kMethods.end(), method) == kMethods.end()) {
      return s_.FailAt(begin, "aggregation-method-unknown",
                       "there is no aggregation method '" + std::string(written) +
                           "'; methods are sum, min, max, average, countdistinct");
    }
    return method;
  }

  // blank, keyword, blank; stays where it was when it is not there.
  bool TakeKeyword(std::string_view keyword) {
    const std::size_t before = s_.pos();
    if (s_.SkipBlanks() && s_.TakeWord(keyword) && s_.SkipBlanks()) return true;
    s_.Seek(before);
    return false;
  }

  Status Alias(AggregateExpr& aggregate, bool required) {
    if (!TakeKeyword("as")) {
      if (required) return s_.Expected("' as ' and a name");
      return {};
    }
    TABLECAST_ASSIGN_OR_RETURN(const std::string_view alias, s_.TakeIdentifier("a name"));
    aggregate.alias = std::string(alias);
    return {};
  }

  Scanner& s_;
};

}  // namespace

Result<Apply> ParseApply(Scanner& scanner) { return ApplyParser(scanner).Steps(); }

Result<Apply> ParseApply(std::string_view text, const SyntaxLimits& limits) {
  return ParseAll(text, limits, "$apply", [](Scanner& scanner) { return ParseApply(scanner); });
}

}  // namespace tablecast::syntax
