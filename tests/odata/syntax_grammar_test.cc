// Runs every row of tests/odata/grammar/*.tsv (kind, accept or refuse, text) through the parsers,
// and prints and reparses whatever is accepted.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "odata/apply_parser.h"
#include "odata/expand_parser.h"
#include "odata/filter_parser.h"
#include "odata/query_options.h"
#include "odata/search_parser.h"
#include "odata/syntax_json.h"

namespace tablecast::syntax {
namespace {

struct Row {
  std::string kind;
  bool accept = false;
  std::string text;
  std::string where;  // file:line
};

std::vector<Row> ReadRows() {
  std::vector<Row> rows;
  const std::filesystem::path folder = std::string(TABLECAST_SOURCE_DIR) + "/tests/odata/grammar";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".tsv") continue;
    std::ifstream in(entry.path());
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      if (line.empty() || line.front() == '#') continue;
      const std::size_t first = line.find('\t');
      const std::size_t second = line.find('\t', first + 1);
      const std::string where = entry.path().filename().string() + ":" + std::to_string(number);
      EXPECT_NE(second, std::string::npos) << where;
      if (second == std::string::npos) continue;
      const std::string verdict = line.substr(first + 1, second - first - 1);
      EXPECT_TRUE(verdict == "accept" || verdict == "refuse") << where;
      rows.push_back({line.substr(0, first), verdict == "accept", line.substr(second + 1), where});
    }
  }
  return rows;
}

TEST(SyntaxGrammarTest, AcceptsAndRefusesWhatTheTablesSay) {
  const std::vector<Row> rows = ReadRows();
  EXPECT_GT(rows.size(), 1500U);
  for (const Row& row : rows) {
    const Result<std::string> json = ParseToJson(row.kind, row.text);
    if (row.accept) {
      EXPECT_TRUE(json.ok()) << row.where << ": " << row.kind << " must accept: " << row.text
                             << "\n  " << (json.ok() ? "" : json.error().ToString());
      if (json.ok()) {
        EXPECT_TRUE(ParseJson(*json).ok()) << row.where << ": " << *json;
      }
      continue;
    }
    EXPECT_FALSE(json.ok()) << row.where << ": " << row.kind << " must refuse: " << row.text
                            << "\n  " << (json.ok() ? *json : "");
    if (json.ok()) continue;
    EXPECT_EQ(json.error().code, ErrorCode::kInvalidArgument) << row.where << ": " << row.text;
    EXPECT_FALSE(json.error().reason.empty()) << row.where << ": " << row.text;
    EXPECT_FALSE(json.error().message.empty()) << row.where << ": " << row.text;
    EXPECT_LE(json.error().position.offset, row.text.size()) << row.where << ": " << row.text;
    if (row.kind != "uri") {
      EXPECT_EQ(json.error().target.rfind("$" + row.kind, 0), 0U) << row.where << ": " << row.text;
    }
  }
}

// print(parse(text)) parses again and prints the same.
template <class Parse>
void ExpectStable(const Row& row, const std::string& decoded, Parse parse) {
  const auto tree = parse(decoded, SyntaxLimits());
  ASSERT_TRUE(tree.ok()) << row.where << ": " << row.text << ": " << tree.error().ToString();
  const std::string printed = ToString(*tree);
  const auto again = parse(printed, SyntaxLimits());
  ASSERT_TRUE(again.ok()) << row.where << ": printed as " << printed << ": "
                          << again.error().ToString();
  EXPECT_EQ(ToString(*again), printed) << row.where << ": " << row.text;
}

TEST(SyntaxGrammarTest, WhatIsPrintedParsesBack) {
  using Lists = Result<std::vector<SelectItem>> (*)(std::string_view, const SyntaxLimits&);
  using Expands = Result<std::vector<ExpandItem>> (*)(std::string_view, const SyntaxLimits&);
  using Orders = Result<std::vector<OrderByItem>> (*)(std::string_view, const SyntaxLimits&);
  using Computes = Result<std::vector<ComputeItem>> (*)(std::string_view, const SyntaxLimits&);
  using Searches = Result<Search> (*)(std::string_view, const SyntaxLimits&);
  using Applies = Result<Apply> (*)(std::string_view, const SyntaxLimits&);
  for (const Row& row : ReadRows()) {
    if (!row.accept || row.kind == "uri") continue;
    const Result<std::string> decoded = PercentDecode(row.text);
    ASSERT_TRUE(decoded.ok()) << row.where;
    if (row.kind == "filter") {
      ExpectStable(row, *decoded, ParseFilter);
      const auto tree = ParseFilter(*decoded);
      const auto again = ParseFilter(ToString(*tree));
      EXPECT_TRUE(SameTree(*tree, *again))
          << row.where << ": " << row.text << " -> " << ToString(*tree);
    }
    if (row.kind == "select") ExpectStable(row, *decoded, Lists(ParseSelect));
    if (row.kind == "expand") ExpectStable(row, *decoded, Expands(ParseExpand));
    if (row.kind == "orderby") ExpectStable(row, *decoded, Orders(ParseOrderBy));
    if (row.kind == "compute") ExpectStable(row, *decoded, Computes(ParseCompute));
    if (row.kind == "search") ExpectStable(row, *decoded, Searches(ParseSearch));
    if (row.kind == "apply") ExpectStable(row, *decoded, Applies(ParseApply));
  }
}

}  // namespace
}  // namespace tablecast::syntax
