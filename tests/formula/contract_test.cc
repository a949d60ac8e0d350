// Every row of contract_rows.tsv, and every example of the function registry.

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "formula/function_registry.h"
#include "tests/formula/formula_fixture.h"

namespace tablecast::formula {
namespace {

std::vector<std::string> Split(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t start = 0;
  for (;;) {
    const std::size_t tab = line.find('\t', start);
    cells.push_back(line.substr(start, tab - start));
    if (tab == std::string::npos) return cells;
    start = tab + 1;
  }
}

TEST(ContractTest, EveryRow) {
  std::ifstream file(TABLECAST_SOURCE_DIR "/tests/formula/contract_rows.tsv");
  std::string line;
  int rows = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = Split(line);
    ASSERT_EQ(cells.size(), 5U) << line;
    CompileOptions options;
    options.blank_as_zero = cells[2] == "zero";
    options.qualifier_mode = cells[2] == "qualifier";
    EXPECT_EQ(EvaluateToText(cells[3], NamedFields::Parse(cells[1]), options), cells[4]) << line;
    ++rows;
  }
  EXPECT_GT(rows, 350);
}

TEST(ContractTest, EveryExampleOfTheRegistry) {
  std::set<std::string> names;
  const FunctionRegistry registry = FunctionRegistry::Standard();
  for (const auto family : registry.families()) {
    for (const FunctionEntry& entry : family) {
      EXPECT_TRUE(names.insert(std::string(entry.name)).second) << entry.name << " stands twice";
      EXPECT_EQ(entry.refused.empty(), !entry.examples.empty()) << entry.name;
      EXPECT_EQ(entry.refused.empty(), !entry.doc.empty()) << entry.name;
      for (const FunctionExample& example : entry.examples) {
        EXPECT_EQ(EvaluateToText(example.formula), example.result) << example.formula;
      }
      if (!entry.refused.empty()) {
        EXPECT_EQ(EvaluateToText(std::string(entry.name) + "()"), "reject") << entry.name;
      }
    }
  }
  EXPECT_GE(names.size(), 100U);
}

}  // namespace
}  // namespace tablecast::formula
