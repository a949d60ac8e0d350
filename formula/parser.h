#ifndef TABLECAST_FORMULA_PARSER_H_
#define TABLECAST_FORMULA_PARSER_H_

// Formula text -> Ast. Grammar only: no name is resolved and no type is checked.
//
//   ParsedFormula parsed = ParseFormula("a & \"#\" & b");
//   if (parsed.ast) parsed.ast->ToString();
//
// SOURCE: spec formula.md section 2.

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formula/ast.h"

namespace tablecast::formula {

struct ParsedFormula {
  std::optional<Ast> ast;  // absent when issues has an error
  std::vector<Issue>
      issues;  // "formula-syntax", "formula-limit"; warning "formula-power-precedence"
};

// LIMITS: kMaxSourceBytes (64 KB) and kMaxNesting (200 open parentheses, calls and stacked unary
// operators). COST: linear in the text; no recursion.
ParsedFormula ParseFormula(std::string_view text);

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_PARSER_H_
