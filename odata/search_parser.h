#ifndef TABLECAST_ODATA_SEARCH_PARSER_H_
#define TABLECAST_ODATA_SEARCH_PARSER_H_

// The text of $search: words, "phrases", AND, OR and NOT in upper case, brackets; two terms side by
// side mean AND. NOT binds tighter than AND, AND tighter than OR.
//
//   auto search = syntax::ParseSearch("blue NOT \"light blue\" OR (red AND green)");

#include <string_view>

#include "base/result.h"
#include "odata/syntax_tree.h"

namespace tablecast::syntax {

class Scanner;

// ERRORS: kInvalidArgument "search-syntax", target "$search"; kResourceExhausted "search-too-long",
// "expression-depth", "expression-nodes". The text is percent-decoded already.
Result<Search> ParseSearch(std::string_view text, const SyntaxLimits& limits = {});

// Parses up to the end, or to a ')' or ';' that closes a surrounding option list.
Result<Search> ParseSearch(Scanner& scanner);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_SEARCH_PARSER_H_
