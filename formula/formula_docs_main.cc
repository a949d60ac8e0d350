// Prints docs/formula.md: formula_docs > docs/formula.md

#include <cstdio>

#include "formula/formula_docs.h"

int main() {
  const std::string text =
      tablecast::formula::FormulaDocumentation(tablecast::formula::FunctionRegistry::Standard());
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
