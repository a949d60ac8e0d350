// Every budget of SyntaxLimits: what is just allowed, what is just refused, and that hostile input
// costs linear time and bounded stack.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

#include "odata/apply_parser.h"
#include "odata/expand_parser.h"
#include "odata/filter_parser.h"
#include "odata/query_options.h"
#include "odata/search_parser.h"
#include "odata/syntax_json.h"
#include "odata/uri_parser.h"

namespace tablecast::syntax {
namespace {

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

template <class T>
void ExpectExhausted(const Result<T>& result, std::string_view reason, std::string_view limit) {
  ASSERT_FALSE(result.ok()) << reason;
  EXPECT_EQ(result.error().code, ErrorCode::kResourceExhausted) << result.error().ToString();
  EXPECT_EQ(result.error().reason, reason);
  EXPECT_NE(result.error().message.find(limit), std::string::npos) << result.error().message;
}

TEST(SyntaxLimitsTest, NestingIsBounded) {
  const struct {
    std::string_view open;
    std::string_view core;
    std::string_view close;
  } kRows[] = {
      {"(", "A", ")"},        {"not ", "A", ""},        {"- ", "A", ""},
      {"tolower(", "A", ")"}, {"[", "1", "]"},          {"{\"a\":", "1", "}"},
      {"L/any(x:", "A", ")"}, {"A in (", "1", ")"},     {"cast(", "A", ",Edm.String)"},
      {"F(p=", "1", ")"},     {"case(true:", "1", ")"}, {"L/$count($filter=", "A", ")"},
  };
  for (const auto& row : kRows) {
    const auto nested = [&row](int levels) {
      return Repeat(row.open, levels) + std::string(row.core) + Repeat(row.close, levels);
    };
    const auto allowed = ParseFilter(nested(100));
    EXPECT_TRUE(allowed.ok()) << row.open << ": " << allowed.error().ToString();
    ExpectExhausted(ParseFilter(nested(101)), "expression-depth", "max_expression_depth");
    ExpectExhausted(ParseFilter(Repeat(row.open, 100000)), "expression-depth", "100");
  }
}

TEST(SyntaxLimitsTest, ConfiguredLimitsAreNamed) {
  SyntaxLimits limits;
  limits.max_expression_depth = 3;
  EXPECT_TRUE(ParseFilter("(((A)))", limits).ok());
  ExpectExhausted(ParseFilter("((((A))))", limits), "expression-depth", "3 levels");
}

TEST(SyntaxLimitsTest, AThousandAlternativesAreNoDepth) {
  const auto many = ParseFilter("A eq 1" + Repeat(" or A eq 1", 1999));
  ASSERT_TRUE(many.ok()) << many.error().ToString();
  EXPECT_EQ(many->args.size(), 2000U);
  EXPECT_LE(many->height, 5);
}

TEST(SyntaxLimitsTest, ChainsThatGrowToTheLeftAreBounded) {
  EXPECT_TRUE(ParseFilter("1" + Repeat(" add 1", 500)).ok());
  ExpectExhausted(ParseFilter("1" + Repeat(" add 1", 4000)), "expression-depth",
                  "max_expression_depth");
  ExpectExhausted(ParseFilter("A" + Repeat(" in B", 4000)), "expression-depth",
                  "max_expression_depth");
}

TEST(SyntaxLimitsTest, NodesAreCountedOverTheWholeQuery) {
  // Each "A eq 1" is a name, a path, a literal and a comparison.
  ExpectExhausted(ParseFilter("A eq 1" + Repeat(" or A eq 1", 2500)), "expression-nodes",
                  "max_nodes");
  QueryParseOptions options;
  options.limits.max_nodes = 20;
  EXPECT_TRUE(ParseQueryOptions("$filter=A eq 1&$orderby=A", options).ok());
  ExpectExhausted(
      ParseQueryOptions("$filter=A eq 1 or B eq 2 or C eq 3&$orderby=A,B,C,D,E", options),
      "expression-nodes", "20");
}

TEST(SyntaxLimitsTest, ListsAreBounded) {
  EXPECT_TRUE(ParseFilter("A in (1" + Repeat(",1", 1999) + ")").ok());
  ExpectExhausted(ParseFilter("A in (1" + Repeat(",1", 2000) + ")"), "in-list-items",
                  "max_in_items");
  ExpectExhausted(ParseFilter("A in [1" + Repeat(",1", 2000) + "]"), "in-list-items",
                  "max_in_items");
}

TEST(SyntaxLimitsTest, ExpandDepthIsBounded) {
  const auto nested = [](int levels) {
    return Repeat("N($expand=", levels) + "N" + Repeat(")", levels);
  };
  EXPECT_TRUE(ParseExpand(nested(5)).ok());
  ExpectExhausted(ParseExpand(nested(6)), "expand-depth", "max_expand_depth");
  ExpectExhausted(ParseSelect(Repeat("N($select=", 50000)), "expand-depth", "max_expand_depth");
}

TEST(SyntaxLimitsTest, SearchIsBounded) {
  EXPECT_TRUE(ParseSearch(std::string(1024, 'a')).ok());
  ExpectExhausted(ParseSearch(std::string(1025, 'a')), "search-too-long", "max_search_bytes");
  ExpectExhausted(ParseSearch(Repeat("(", 100000)), "expression-depth", "max_expression_depth");
  ExpectExhausted(ParseSearch(Repeat("NOT ", 100000)), "expression-depth", "max_expression_depth");
}

TEST(SyntaxLimitsTest, ApplyNestingIsBounded) {
  ExpectExhausted(ParseApply(Repeat("concat(", 100000)), "expression-depth",
                  "max_expression_depth");
  ExpectExhausted(ParseApply(Repeat("groupby((A),", 100000)), "expression-depth",
                  "max_expression_depth");
  ExpectExhausted(ParseApply("aggregate(" + Repeat("A(", 100000)), "expression-depth",
                  "max_expression_depth");
  ExpectExhausted(ParseApply("identity" + Repeat("/identity", 10000)), "expression-nodes",
                  "max_nodes");
}

TEST(SyntaxLimitsTest, UrlsAreBounded) {
  const std::string pad(32U << 10U, 'a');
  ExpectExhausted(ParseUri("Orders?x=" + pad), "url-too-long", "max_url_bytes");
  ExpectExhausted(ParseQueryOptions("x=" + pad), "url-too-long", "max_url_bytes");
  EXPECT_TRUE(ParseUri("Orders?x=" + pad.substr(10)).ok());
}

TEST(SyntaxLimitsTest, AliasesAreBounded) {
  const auto aliases = [](int count) {
    std::string query;
    for (int i = 0; i < count; ++i) query += "&@a" + std::to_string(i) + "=1";
    return query;
  };
  EXPECT_TRUE(ParseQueryOptions(aliases(500)).ok());
  ExpectExhausted(ParseQueryOptions(aliases(501)), "alias-count", "max_aliases");
}

TEST(SyntaxLimitsTest, ContextFragmentsAreBounded) {
  ExpectExhausted(ParseUri("$metadata#A" + Repeat("(A", 10000)), "expression-depth",
                  "max_expression_depth");
}

TEST(SyntaxLimitsTest, LongTextsWithoutEndAreRefusedAtOnce) {
  // 30 KB each: were any of these quadratic, this test would take minutes.
  for (const std::string_view piece :
       {"a", "'", "''", "(", " ", "-", "1", "a.", "a/", "a eq ", "1,", "@", "%41", "\""}) {
    const std::string text = Repeat(piece, static_cast<int>(30000 / piece.size()));
    for (const std::string_view kind :
         {"uri", "filter", "orderby", "select", "expand", "search", "apply", "compute"}) {
      const auto json = ParseToJson(kind, text);
      if (json.ok()) continue;
      EXPECT_NE(json.error().code, ErrorCode::kInternal) << kind << ": " << piece;
    }
  }
}

TEST(SyntaxLimitsTest, TheKindIsChecked) {
  EXPECT_EQ(ParseToJson("nosuch", "A").error().reason, "kind-unknown");
}

}  // namespace
}  // namespace tablecast::syntax
