#ifndef TABLECAST_ODATA_APPLY_PARSER_H_
#define TABLECAST_ODATA_APPLY_PARSER_H_

// The text of $apply: transformations joined by '/'.
//
//   auto apply = syntax::ParseApply("filter(TOTAL gt 0)/groupby((STATUS),aggregate(TOTAL with sum as S))");
//
// Transformations that exist but are not offered (join, nest, ancestors, Ns.Custom, ...) parse as
// Kind::kUnsupported with their name, so that the service can answer 501 and say which.

#include <string_view>

#include "base/result.h"
#include "odata/syntax_tree.h"

namespace tablecast::syntax {

class Scanner;

// ERRORS: kInvalidArgument "apply-syntax", "transformation-unknown" (with the nearest name), and those of
// the parsers inside; target "$apply"; kResourceExhausted for SyntaxLimits. The text is percent-decoded.
// SOURCE: OData Data Aggregation 4.0, ABNF; names are understood in any case.
Result<Apply> ParseApply(std::string_view text, const SyntaxLimits& limits = {});
Result<Apply> ParseApply(Scanner& scanner);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_APPLY_PARSER_H_
