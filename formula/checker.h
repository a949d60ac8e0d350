#ifndef TABLECAST_FORMULA_CHECKER_H_
#define TABLECAST_FORMULA_CHECKER_H_

// Ast -> TypedTree: binds names, chooses overloads, finds every type error of a formula in one run.
// Internal to formula/. SOURCE: spec formula.md section 3.

#include <optional>
#include <string_view>
#include <vector>

#include "formula/ast.h"
#include "formula/function_registry.h"
#include "formula/program.h"
#include "formula/typed_tree.h"

namespace tablecast::formula::internal {

struct CheckedFormula {
  std::optional<TypedTree> tree;  // absent when issues has an error
  std::vector<Issue> issues;
};

// A field whose binding has no type (kNull) takes it from its use: Text where that checks, else
// Number.
CheckedFormula Check(const Ast& ast, std::string_view text, const NameResolver& resolver,
                     const CompileOptions& options, const FunctionRegistry& registry);

}  // namespace tablecast::formula::internal

#endif  // TABLECAST_FORMULA_CHECKER_H_
