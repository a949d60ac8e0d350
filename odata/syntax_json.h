#ifndef TABLECAST_ODATA_SYNTAX_JSON_H_
#define TABLECAST_ODATA_SYNTAX_JSON_H_

// Syntax trees as JSON for `tablecast parse`: {"kind", "value" or "name", "args", "at": [start,
// end]}. UNITS: UTF-8 byte offsets from 0 into the text given. The shape may change until 1.0.

#include <string>
#include <string_view>

#include "base/result.h"
#include "odata/syntax_tree.h"
#include "odata/uri_parser.h"

namespace tablecast::syntax {

// Parses `text` as `kind`: uri, filter, orderby, select, expand, search, apply or compute, and
// prints the tree. The text is as in a URL: %20 and the like are decoded (blanks may also stand
// bare), '+' is a blank in a uri's query and itself elsewhere. ERRORS: those of the parser;
// "kind-unknown".
Result<std::string> ParseToJson(std::string_view kind, std::string_view text);

std::string ToJson(const Expr& expr);
std::string ToJson(const Search& search);
std::string ToJson(const Apply& apply);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_SYNTAX_JSON_H_
