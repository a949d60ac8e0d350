#ifndef TABLECAST_ODATA_FILTER_PARSER_H_
#define TABLECAST_ODATA_FILTER_PARSER_H_

// OData expressions: text of $filter, of one $orderby or $compute expression, of a parameter alias.
//
//   auto filter = syntax::ParseFilter("contains(tolower(NAME),'x') and not (TOTAL lt -5)");
//
// Operators, functions and keywords are understood in any case; INF and NaN are not. The text is
// already percent-decoded; offsets count in it. Precedence: odata.md 1.2.

#include <string_view>

#include "base/result.h"
#include "odata/syntax_tree.h"

namespace tablecast::syntax {

class Scanner;  // syntax_scanner.h

// ERRORS: kInvalidArgument "filter-syntax", "literal-invalid", "function-unknown" (with the nearest
// name), "function-arity"; kResourceExhausted "expression-depth", "expression-nodes", "in-list-items".
// Target is "$filter"; position.offset is where it went wrong. COST: linear in the text.
Result<Expr> ParseFilter(std::string_view text, const SyntaxLimits& limits = {});

// Parses one expression where `scanner` stands and leaves it behind the expression. For the parsers
// of this folder.
Result<Expr> ParseExpression(Scanner& scanner);

// Parses a path only (no operators): grouping properties of $apply.
Result<Expr> ParsePathExpression(Scanner& scanner);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_FILTER_PARSER_H_
