#ifndef TABLECAST_FORMULA_AST_JSON_H_
#define TABLECAST_FORMULA_AST_JSON_H_

// The syntax tree of a formula as JSON, for `tablecast parse --kind formula`:
//   {"kind": "binary", "name": "+", "args": [...], "at": [start, end]}
// Leaves have "value" (number: text as written; text: decoded; boolean; null) or "name". Offsets
// count UTF-8 bytes from 0. Grammar only: no name is resolved. The shape may change until
// version 1.0.

#include <string>
#include <string_view>

#include "base/result.h"

namespace tablecast::formula {

// ERRORS: kInvalidArgument or kResourceExhausted with the code, message and position of the first
// issue.
Result<std::string> FormulaAstJson(std::string_view text);

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_AST_JSON_H_
