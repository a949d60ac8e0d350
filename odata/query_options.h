#ifndef TABLECAST_ODATA_QUERY_OPTIONS_H_
#define TABLECAST_ODATA_QUERY_OPTIONS_H_

// The query part of a URL as syntax trees: system query options ($filter, $select, ...), parameter
// aliases (@p=...) and custom options. The raw text is split on '&' and the first '=', then each
// name and value is percent-decoded once ('+' is a blank, %zz and invalid UTF-8 are refused).
//
//   TABLECAST_ASSIGN_OR_RETURN(auto options,
//   syntax::ParseQueryOptions("$top=5&$filter=A%20eq%201")); if (options.filter)
//   Bind(*options.filter);
//
// System options are known with and without `$`, in any case, so that their names are never custom
// options. Order of evaluation is the caller's business (spec odata.md 1.3).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "odata/syntax_tree.h"

namespace tablecast::syntax {

// Which text offsets (spans of nodes, Error::position.offset) count in.
enum class Positions : std::uint8_t {
  kValue,  // the decoded value of the option that Error::target names; the decoded segment in a
           // path
  kText,   // the whole undecoded text given to the parser
};

// How names and values in a query are decoded.
enum class PlusSign : std::uint8_t {
  kBlank,  // in URLs
  kPlus,   // in text that is no URL
};

struct CustomOption {
  std::string name;   // decoded
  std::string value;  // decoded; "" when there is no '='
  Span at;
};

// $format
struct Format {
  enum class Kind : std::uint8_t { kJson, kXml, kAtom, kMediaType };
  Kind kind = Kind::kJson;
  std::string media_type;  // as written (decoded), "json" or "application/json;odata.metadata=full"
};

struct QueryOptions {
  std::optional<Expr> filter;
  std::optional<Search> search;
  std::optional<Apply> apply;
  std::vector<OrderByItem> order_by;
  std::vector<ComputeItem> compute;
  std::optional<std::vector<SelectItem>> select;
  std::vector<ExpandItem> expand;
  std::optional<std::uint64_t> top;  // 2^64-1 when larger
  std::optional<std::uint64_t> skip;
  std::optional<bool> count;
  std::optional<std::int64_t> index;  // saturated
  std::optional<Format> format;
  std::optional<Levels> levels;
  std::optional<std::string> id;
  std::optional<std::string> skip_token;   // opaque, decoded, not empty
  std::optional<std::string> delta_token;  // opaque, decoded, not empty
  std::optional<std::string> schema_version;
  std::vector<AliasValue> aliases;   // in order, no name twice
  std::vector<CustomOption> custom;  // in order, names may repeat

  // The value of an alias, or nullptr. BORROWS: from this.
  const Expr* FindAlias(std::string_view name) const;
  // First custom option of that name (case-sensitive), or nullptr.
  const CustomOption* FindCustom(std::string_view name) const;
  // True when a system option is set: name with `$` and lower case, "$orderby".
  bool Has(std::string_view system_option) const;
  // Names of all system options that are set, "$filter" form, in order of the URL.
  std::vector<std::string> system_options;
  // Where each of them stands, name included (Positions::kText), or its value (Positions::kValue).
  std::vector<Span> system_option_spans;
};

struct QueryParseOptions {
  SyntaxLimits limits;
  Positions positions = Positions::kValue;
  PlusSign plus = PlusSign::kBlank;
  // "?", "a=1&" and "&&" are taken as if the empty options were not there; off: "option-empty".
  bool allow_empty_options = true;
};

// Parses the text after '?' (without it). An empty text gives no options.
//
// ERRORS: kInvalidArgument with target = the option ("$filter", "@p") and position:
// "option-unknown" (unknown name with `$`), "option-duplicate" (also top and $TOP), "option-value"
// ($top=-1), "percent-encoding", "invalid-utf8", and the parsers' own: "filter-syntax",
// "function-unknown", "function-arity", "literal-invalid", "search-syntax", "apply-syntax",
// "select-syntax", "expand-syntax", "orderby-syntax", "compute-syntax", "option-not-allowed" (a
// nested option where it may not stand). kResourceExhausted for SyntaxLimits. COST: linear in the
// text.
Result<QueryOptions> ParseQueryOptions(std::string_view query,
                                       const QueryParseOptions& options = {});

// Percent-decodes once. ERRORS: kInvalidArgument "percent-encoding" (a % without two hex digits),
// "invalid-utf8", both with the offset in `text`.
Result<std::string> PercentDecode(std::string_view text, PlusSign plus = PlusSign::kPlus);

// "$filter" for "filter", "$Filter", "%24filter" after decoding; nullopt when it is no system
// option.
std::optional<std::string> CanonicalOptionName(std::string_view name);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_QUERY_OPTIONS_H_
