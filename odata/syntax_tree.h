#ifndef TABLECAST_ODATA_SYNTAX_TREE_H_
#define TABLECAST_ODATA_SYNTAX_TREE_H_

// The syntax trees of OData URLs: what filter_parser.h, search_parser.h, apply_parser.h,
// expand_parser.h, uri_parser.h and query_options.h produce and query_binder.h consumes. Grammar only:
// no name is resolved and no literal is converted; `TOTAL` may turn out to be a field, a lambda
// variable or a computed column. All trees are plain values that own their text.
//
//   auto filter = syntax::ParseFilter("TOTAL gt 5 and Lines/any(l:l/QTY eq 2)");
//   filter->kind                  // ExprKind::kAnd
//   filter->args[0].args[0].text  // "TOTAL", a path of one segment
//
// LIMITS: depth and number of nodes are bounded by SyntaxLimits, so recursive walks and destruction
// are safe. SOURCE: OData 4.01 ABNF construction rules; Data Aggregation 4.0 ABNF.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tablecast::syntax {

// Half-open range of byte offsets [begin, end) in the text that was parsed (see each parser for which
// text that is).
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const Span&) const = default;
};

// Budgets of one request's URL. Every one is named in the error it causes (kResourceExhausted,
// except where the grammar itself sets it).
struct SyntaxLimits {
  std::size_t max_url_bytes = 32U << 10U;   // "url-too-long"; path plus query, undecoded
  int max_expression_depth = 100;           // "expression-depth"; nesting of brackets, calls, not, -, ...
  std::size_t max_nodes = 10000;            // "expression-nodes"; over all options of a request
  std::size_t max_in_items = 2000;          // "in-list-items"; items of one list or collection literal
  int max_expand_depth = 5;                 // "expand-depth"; nesting of $expand and $select options
  std::size_t max_search_bytes = 1U << 10U; // "search-too-long"; decoded
  std::size_t max_aliases = 500;              // "alias-count"; parameter aliases of one request
};

// What a literal looks like. `text` of the node is its value without prefix and quotes.
enum class LiteralKind : std::uint8_t {
  kNull,
  kBoolean,         // "true", "false" (lower case, however written)
  kInteger,         // "-5": [+-] digits; any length
  kDecimal,         // "1.50", "1e3": has a point or an exponent
  kInfinity,        // "INF" or "-INF"
  kNaN,
  kString,          // undoubled
  kGuid,            // as written
  kDate,            // "2022-01-01"
  kDateTimeOffset,  // "2022-01-01T00:00Z"
  kTimeOfDay,       // "07:59:59.999"
  kDuration,        // "PT1H", from duration'PT1H'; without prefix it is a kString
  kBinary,          // base64url text from binary'...'
  kEnum,            // "Red,Blue" from Ns.Color'Red,Blue'; `name` = "Ns.Color"
  kGeography,       // "SRID=0;Point(1 2)"
  kGeometry,
};

enum class ExprKind : std::uint8_t {
  kLiteral,  // literal, text; kEnum also name
  kPath,     // args = one or more segments, of the kinds marked (segment); text = as printed
  kAnd,      // args: two or more, flattened: a and b and c is one node
  kOr,       // args: two or more, flattened
  kNot,      // args: one
  kNegate,   // args: one; a minus before a number without a blank is part of the literal
  kBinary,   // op; args: two (kIn: the second is kList, or any expression that gives a collection)
  kCall,     // text = lower-case name of a canonical function; args. kCast/kIsOf/kCase are apart
  kCast,     // args: none (the current instance) or one; name = type, "Collection(Edm.String)" too
  kIsOf,     // as kCast
  kCase,     // args: condition, value, condition, value, ...
  kList,     // (1,2,3); args: one or more. The right side of `in`; elsewhere the binder refuses it
  kArray,    // [1,"a"]; args: none or more
  kObject,   // {"a":1}; args: kMember each
  kMember,   // text = name, args: one value
  kNamedArgument,  // p=5 of a custom function: text = "p", args: one value

  // Segments of a kPath.
  kName,           // (segment) text: identifier: property, navigation, lambda variable, alias column
  kQualifiedName,  // (segment) text: "Ns.Type", a type cast (or a bound function without brackets)
  kKey,            // (segment) key predicate on the segment before: args = one value or kNamedArgument
  kFunction,       // (segment) text: custom function's name, qualified or not; args: kNamedArgument
  kIt,             // (segment) $it
  kThis,           // (segment) $this
  kRoot,           // (segment) $root
  kThese,          // (segment) $these
  kAlias,          // (segment) parameter alias; text without the @
  kAnnotation,     // (segment) text: "Ns.Term" or "Ns.Term#Qualifier", without the @
  kCount,          // (segment) $count; args: none, or kCountOption each
  kCountOption,    // text "$filter": args: one expression; "$search": search text in `name`
  kFilterSegment,  // (segment) /$filter(expr): args: one
  kAny,            // (segment) text: the variable, args: predicate; any() has neither
  kAll,            // (segment) text: the variable, args: predicate
  kAggregate,      // (segment) /aggregate(...): name = text between the brackets; not offered
};

enum class Op : std::uint8_t {
  kNone,
  kHas, kIn,
  kMul, kDiv, kDivBy, kMod, kAdd, kSub,
  kGt, kGe, kLt, kLe, kEq, kNe,
};
// "eq", "divby", ...; "" for kNone.
std::string_view OpName(Op op);

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  Op op = Op::kNone;
  LiteralKind literal = LiteralKind::kNull;
  std::string text;
  std::string name;
  std::vector<Expr> args;
  Span at;
  std::uint16_t height = 1;  // 1 for a leaf, else one more than the highest of args; bounded
};

// True for a path of exactly one kName segment: `TOTAL`.
bool IsSimpleName(const Expr& expr);

// OData text that parses back to the same tree (spans apart). Every operation inside another one is
// bracketed only where precedence needs it.
std::string ToString(const Expr& expr);
// Same shape and text; spans are not compared.
bool SameTree(const Expr& a, const Expr& b);

// ---- $search --------------------------------------------------------------------------------------

struct Search {
  enum class Kind : std::uint8_t { kWord, kPhrase, kAnd, kOr, kNot };
  Kind kind = Kind::kWord;
  std::string text;            // kWord, kPhrase (unescaped)
  std::vector<Search> args;    // kAnd, kOr: two or more, flattened; kNot: one
  Span at;
};
std::string ToString(const Search& search);

// ---- $orderby, $compute, $select, $expand ---------------------------------------------------------

struct OrderByItem {
  Expr expression;
  bool descending = false;
  Span at;
};

struct ComputeItem {
  Expr expression;
  std::string alias;
  Span at;
};

struct NestedOptions;

// One segment of a $select or $expand path.
struct PathStep {
  enum class Kind : std::uint8_t {
    kName,           // CUSTOMER
    kQualifiedName,  // Ns.Type, Ns.Function
    kAnnotation,     // @Ns.Term, text without the @
  };
  Kind kind = Kind::kName;
  std::string text;
  Span at;
};

struct SelectItem {
  enum class Kind : std::uint8_t {
    kStar,        // *
    kOperations,  // Ns.*; `text` = "Ns"
    kPath,        // A/B, Ns.Type/A, Ns.Function(p1,p2)
  };
  Kind kind = Kind::kPath;
  std::string text;
  std::vector<PathStep> path;                              // kPath
  std::optional<std::vector<std::string>> parameter_names; // Ns.Function(p1,p2)
  std::vector<NestedOptions> options;                      // none or one: ADDRESS($select=CITY)
  Span at;
};

struct ExpandItem {
  enum class Suffix : std::uint8_t { kNone, kRef, kCount };
  bool star = false;    // *, */$ref, *($levels=2)
  bool value = false;   // $value
  std::vector<PathStep> path;  // up to the navigation property, casts included; before a star maybe empty
  Suffix suffix = Suffix::kNone;
  std::vector<NestedOptions> options;  // none or one
  Span at;
};

struct Apply;

// $levels
struct Levels {
  bool max = false;
  std::uint32_t value = 1;
};

// A parameter alias with its value: @p=5.
struct AliasValue {
  std::string name;  // without the @
  Expr value;
  Span at;
};

// The options inside $expand=Nav(...) and $select=Prop(...). What may appear where is checked by the
// parser (Nav/$count takes $filter and $search only).
struct NestedOptions {
  std::optional<Expr> filter;
  std::optional<Search> search;
  std::vector<OrderByItem> order_by;
  std::vector<ComputeItem> compute;
  std::optional<std::vector<SelectItem>> select;
  std::vector<ExpandItem> expand;
  std::vector<Apply> apply;  // none or one
  std::optional<std::uint64_t> top;   // 2^64-1 when larger
  std::optional<std::uint64_t> skip;
  std::optional<bool> count;
  std::optional<Levels> levels;
  std::vector<AliasValue> aliases;
};

// ---- $apply ---------------------------------------------------------------------------------------

struct AggregateExpr {
  enum class Kind : std::uint8_t {
    kExpression,  // expr with method [from ..] as alias
    kCount,       // [path/]$count as alias; expression = the path, unset for a bare $count
    kCustom,      // TOTAL, path/TOTAL [from ..] [as alias]; expression = the path
    kNested,      // path(inner); expression = the path, nested = inner
  };
  Kind kind = Kind::kExpression;
  std::optional<Expr> expression;
  std::string method;  // "sum" (lower case for the standard ones), "Ns.Custom"
  // from STORE with average ..: parsed, not offered
  struct From {
    Expr property;
    std::string method;  // may be empty
  };
  std::vector<From> from;
  std::string alias;   // may be empty for kCustom and kNested
  std::vector<AggregateExpr> nested;  // kNested: one or more
  Span at;
};

struct GroupByElement {
  enum class Kind : std::uint8_t {
    kProperty,         // path
    kRollup,           // rollup(A,B), rollup($all,A): `all`
    kRollupRecursive,  // rolluprecursive(...): `text` = between the brackets; not offered
  };
  Kind kind = Kind::kProperty;
  std::vector<Expr> properties;  // paths: one for kProperty, one or more for kRollup
  bool all = false;
  std::string text;
  Span at;
};

struct Transformation {
  enum class Kind : std::uint8_t {
    kIdentity,
    kFilter,    // expression
    kSearch,    // search
    kOrderBy,   // order_by
    kSkip, kTop,  // amount, an integer literal
    kTopCount, kTopSum, kTopPercent, kBottomCount, kBottomSum, kBottomPercent,  // amount, expression
    kCompute,   // compute
    kConcat,    // branches: two or more
    kGroupBy,   // group_by, branches: none or one
    kAggregate, // aggregate
    kUnsupported,  // `name` says which: join, nest, ancestors, expand, Ns.Custom, ...
  };
  Kind kind = Kind::kIdentity;
  std::string name;  // lower-case name as in the URL; a service-defined one keeps its case
  std::optional<Expr> expression;
  std::optional<Expr> amount;
  std::optional<Search> search;
  std::vector<OrderByItem> order_by;
  std::vector<ComputeItem> compute;
  std::vector<GroupByElement> group_by;
  std::vector<AggregateExpr> aggregate;
  std::vector<Apply> branches;
  std::string text;  // kUnsupported: what stands between the brackets
  Span at;
};

// One or more transformations, applied from left to right.
struct Apply {
  std::vector<Transformation> steps;
  Span at;
};

// ---- Printing -------------------------------------------------------------------------------------
// Text that parses back to the same tree, undecoded characters and all: it is not percent-encoded.

std::string ToString(const std::vector<OrderByItem>& items);
std::string ToString(const std::vector<ComputeItem>& items);
std::string ToString(const std::vector<SelectItem>& items);
std::string ToString(const std::vector<ExpandItem>& items);
std::string ToString(const Apply& apply);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_SYNTAX_TREE_H_
