#ifndef TABLECAST_FORMULA_FORMULA_DOCS_H_
#define TABLECAST_FORMULA_FORMULA_DOCS_H_

// docs/formula.md, generated from the function registry: the examples in it are test rows.

#include <string>

#include "formula/function_registry.h"

namespace tablecast::formula {

std::string FormulaDocumentation(const FunctionRegistry& registry);

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_FORMULA_DOCS_H_
