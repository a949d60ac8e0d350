#include "formula/formula_docs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace tablecast::formula {
namespace {

TEST(FormulaDocsTest, TheFileIsCurrent) {
  std::ifstream file(TABLECAST_SOURCE_DIR "/docs/formula.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text, FormulaDocumentation(FunctionRegistry::Standard()))
      << "run: build/dev/bin/formula_docs > docs/formula.md";
}

TEST(FormulaDocsTest, EveryFunctionIsThere) {
  const std::string text = FormulaDocumentation(FunctionRegistry::Standard());
  for (const auto family : FunctionRegistry::Standard().families()) {
    for (const FunctionEntry& entry : family)
      EXPECT_NE(text.find(std::string(entry.name)), std::string::npos) << entry.name;
  }
}

}  // namespace
}  // namespace tablecast::formula
