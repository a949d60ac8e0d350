#ifndef TABLECAST_ODATA_URI_PARSER_H_
#define TABLECAST_ODATA_URI_PARSER_H_

// The path part of a URL as segments. The raw target is split on '?' and '/', and only then is each
// segment percent-decoded, once: `Orders('a%2Fb')` is one segment whose key holds a slash.
//
//   auto uri = syntax::ParseUri("Orders(pk='a',sk=@s)/Lines/$count?$filter=QTY gt 1&@s='1'");
//   uri->path.segments[0].text                 // "Orders"
//   uri->path.segments[0].arguments->at(0).name  // "pk"
//
// What a name means is left to the binder: `Orders/x` may be a property or a key written as
// segment.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "odata/query_options.h"
#include "odata/syntax_tree.h"

namespace tablecast::syntax {

// One item between brackets after a name: a key value or a parameter.
struct PathArgument {
  std::string name;  // "" for a single unnamed key value
  Expr value;        // kLiteral, or kPath of one kAlias
  Span at;
};

struct PathSegment {
  enum class Kind : std::uint8_t {
    kName,  // identifier: set, singleton, property, navigation, import (or a key as segment)
    kQualifiedName,  // Ns.Name: type cast, bound action or function (or a key as segment)
    kText,           // anything else: can only be a key as segment
    kValue,          // $value
    kCount,          // $count
    kRef,            // $ref
    kEach,           // $each
    kQuery,          // $query
    kFilter,         // $filter(expression)
    // Only as first segment:
    kMetadata,   // $metadata
    kBatch,      // $batch
    kEntity,     // $entity, maybe followed by a type cast
    kAll,        // $all, maybe followed by a type cast
    kCrossJoin,  // $crossjoin(A,B): `sets`
  };
  Kind kind = Kind::kName;
  std::string text;  // decoded whole segment for kText; the name before any bracket otherwise
  std::string
      decoded;  // the decoded whole segment, brackets included (a key as segment reads this)
  // The first bracket: Orders('1'), Func(), Func(p=1). Unset: no bracket.
  std::optional<std::vector<PathArgument>> arguments;
  // A second bracket: Func(p=1)('key').
  std::optional<std::vector<PathArgument>> key;
  std::vector<std::string> sets;  // kCrossJoin
  std::optional<Expr> filter;     // kFilter
  Span at;
};

struct ResourcePath {
  std::vector<PathSegment> segments;  // empty: the service root
  bool trailing_slash = false;        // tolerated: Orders/
};

// $metadata#Orders(pk,CUSTOMER(NAME))/$entity: kept as segments and checked, never resolved.
struct ContextFragment {
  std::string text;  // decoded, without '#'
  Span at;
};

struct Uri {
  std::string root;  // "" when relative; else scheme, authority and leading path, "http://h/odata/"
  ResourcePath path;
  QueryOptions options;
  std::optional<ContextFragment> fragment;  // only after $metadata
};

struct UriParseOptions {
  QueryParseOptions query;
  // Absolute URIs only: the path prefix of the service, "/odata/". Without it the root ends behind
  // the first segment named "odata", "service" or "*.svc", else at the first '/' (of eight) from
  // which on the rest is a valid path.
  std::string root_path;
};

// Parses a URI relative to the service root ("Orders?$top=1", "/Orders", "") or an absolute one
// (http, https). Offsets count in `text` when options.query.positions is kText.
//
// ERRORS: as ParseResourcePath and ParseQueryOptions; "uri-syntax"; "option-not-allowed" ($metadata
// takes $format only, $batch none); "entity-without-id" ($entity needs $id).
Result<Uri> ParseUri(std::string_view text, const UriParseOptions& options = {});

// Parses an undecoded path relative to the service root, without query and leading '/' ("" = the
// root).
//
// ERRORS: kInvalidArgument "path-syntax" (brackets, empty segment, something after
// $count/$value/$ref), "segment-unknown" ($nosuch), "literal-invalid", "percent-encoding",
// "invalid-utf8"; target = "path". kResourceExhausted for SyntaxLimits.
Result<ResourcePath> ParseResourcePath(std::string_view path,
                                       const QueryParseOptions& options = {});

// Reads a key or parameter list without its brackets: "'a'", "pk='a',sk=@s" (decoded).
// ERRORS: "path-syntax", "literal-invalid".
Result<std::vector<PathArgument>> ParseKeyPredicate(std::string_view text);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_URI_PARSER_H_
