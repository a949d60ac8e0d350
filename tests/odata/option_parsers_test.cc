// The trees of $search, $orderby, $compute, $select, $expand and $apply.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "odata/apply_parser.h"
#include "odata/expand_parser.h"
#include "odata/search_parser.h"

namespace tablecast::syntax {
namespace {

TEST(SearchParserTest, NotBindsTighterThanAndThanOr) {
  constexpr struct {
    std::string_view text;
    std::string_view want;
  } kRows[] = {
      {"a b", "a AND b"},
      {"a b OR c", "a AND b OR c"},
      {"a OR b c", "a OR b AND c"},
      {"(a OR b) c", "(a OR b) AND c"},
      {"NOT a b", "NOT a AND b"},
      {"NOT (a b)", "NOT (a AND b)"},
      {"\"light blue\" NOT red", "\"light blue\" AND NOT red"},
      {"\"say \\\"x\\\"\"", "\"say \\\"x\\\"\""},
      {"and or not", "and AND or AND not"},
  };
  for (const auto& row : kRows) {
    const Result<Search> search = ParseSearch(row.text);
    ASSERT_TRUE(search.ok()) << row.text << ": " << search.error().ToString();
    EXPECT_EQ(ToString(*search), row.want) << row.text;
  }
  const Result<Search> three = ParseSearch("a b c");
  ASSERT_TRUE(three.ok());
  EXPECT_EQ(three->kind, Search::Kind::kAnd);
  EXPECT_EQ(three->args.size(), 3U);
  EXPECT_EQ(three->args[2].at, (Span{4, 5}));
}

TEST(ExpandParserTest, OptionsBelongToTheirItem) {
  const auto items = ParseExpand(
      "ORDERS($filter=TOTAL gt 5;$orderby=TOTAL "
      "desc;$top=2;$count=true;$levels=max),A/Ns.T/N/$ref,*");
  ASSERT_TRUE(items.ok()) << items.error().ToString();
  ASSERT_EQ(items->size(), 3U);
  const ExpandItem& orders = items->at(0);
  ASSERT_EQ(orders.options.size(), 1U);
  EXPECT_EQ(ToString(*orders.options[0].filter), "TOTAL gt 5");
  ASSERT_EQ(orders.options[0].order_by.size(), 1U);
  EXPECT_TRUE(orders.options[0].order_by[0].descending);
  EXPECT_EQ(orders.options[0].top, 2U);
  EXPECT_EQ(orders.options[0].count, true);
  EXPECT_TRUE(orders.options[0].levels->max);
  const ExpandItem& reference = items->at(1);
  EXPECT_EQ(reference.suffix, ExpandItem::Suffix::kRef);
  ASSERT_EQ(reference.path.size(), 3U);
  EXPECT_EQ(reference.path[1].kind, PathStep::Kind::kQualifiedName);
  EXPECT_TRUE(items->at(2).star);
}

TEST(ExpandParserTest, ErrorsNameTheNestedOption) {
  constexpr struct {
    std::string_view text;
    std::string_view reason;
    std::string_view target;
    std::size_t offset;
  } kRows[] = {
      {"N($filter=A eq)", "filter-syntax", "$expand/$filter", 14},
      {"N($expand=M($top=x))", "option-value", "$expand/$expand/$top", 17},
      {"N($foo=1)", "option-unknown", "$expand", 2},
      {"N($top=1;top=2)", "option-duplicate", "$expand", 9},
      {"N/$ref($select=A)", "option-not-allowed", "$expand", 7},
      {"N/$count($top=1)", "option-not-allowed", "$expand", 9},
      {"N()", "expand-syntax", "$expand", 2},
      {"N($search=a AND)", "search-syntax", "$expand/$search", 15},
  };
  for (const auto& row : kRows) {
    const auto items = ParseExpand(row.text);
    ASSERT_FALSE(items.ok()) << row.text;
    EXPECT_EQ(items.error().reason, row.reason) << row.text << ": " << items.error().message;
    EXPECT_EQ(items.error().target, row.target) << row.text;
    EXPECT_EQ(items.error().position.offset, row.offset)
        << row.text << ": " << items.error().message;
  }
}

TEST(SelectParserTest, TellsParametersFromOptions) {
  const auto items = ParseSelect("*,Ns.*,A/B($select=C),Ns.Func(p1,p2),@Ns.Term");
  ASSERT_TRUE(items.ok()) << items.error().ToString();
  ASSERT_EQ(items->size(), 5U);
  EXPECT_EQ(items->at(0).kind, SelectItem::Kind::kStar);
  EXPECT_EQ(items->at(1).kind, SelectItem::Kind::kOperations);
  EXPECT_EQ(items->at(1).text, "Ns");
  EXPECT_EQ(ToString(*items->at(2).options.at(0).select), "C");
  EXPECT_EQ(*items->at(3).parameter_names, (std::vector<std::string>{"p1", "p2"}));
  EXPECT_EQ(items->at(4).path.at(0).kind, PathStep::Kind::kAnnotation);
}

TEST(OrderByParserTest, ReadsDirectionBehindAnyExpression) {
  const auto items = ParseOrderBy("A,B DESC,length(C) asc,asc desc");
  ASSERT_TRUE(items.ok()) << items.error().ToString();
  ASSERT_EQ(items->size(), 4U);
  EXPECT_FALSE(items->at(0).descending);
  EXPECT_TRUE(items->at(1).descending);
  EXPECT_FALSE(items->at(2).descending);
  EXPECT_EQ(ToString(items->at(3).expression), "asc");
  EXPECT_TRUE(items->at(3).descending);
}

TEST(ComputeParserTest, ReadsAliases) {
  const auto items = ParseCompute("TOTAL mul 2 as D2,A as B");
  ASSERT_TRUE(items.ok()) << items.error().ToString();
  EXPECT_EQ(items->at(0).alias, "D2");
  EXPECT_EQ(ToString(items->at(0).expression), "TOTAL mul 2");
  EXPECT_EQ(items->at(1).alias, "B");
}

TEST(ApplyParserTest, ReadsWhatGridsSend) {
  const auto apply = ParseApply(
      "concat(aggregate(TOTAL),groupby((STATUS),aggregate(TOTAL))/orderby(STATUS)"
      "/concat(aggregate($count as UI5__count),top(9)))");
  ASSERT_TRUE(apply.ok()) << apply.error().ToString();
  ASSERT_EQ(apply->steps.size(), 1U);
  const Transformation& concat = apply->steps[0];
  EXPECT_EQ(concat.kind, Transformation::Kind::kConcat);
  ASSERT_EQ(concat.branches.size(), 2U);
  EXPECT_EQ(concat.branches[0].steps[0].aggregate[0].kind, AggregateExpr::Kind::kCustom);
  ASSERT_EQ(concat.branches[1].steps.size(), 3U);
  EXPECT_EQ(concat.branches[1].steps[0].kind, Transformation::Kind::kGroupBy);
  EXPECT_EQ(ToString(concat.branches[1].steps[0].group_by[0].properties[0]), "STATUS");
  const Transformation& inner = concat.branches[1].steps[2];
  EXPECT_EQ(inner.branches[0].steps[0].aggregate[0].kind, AggregateExpr::Kind::kCount);
  EXPECT_EQ(inner.branches[0].steps[0].aggregate[0].alias, "UI5__count");
  EXPECT_EQ(inner.branches[1].steps[0].amount->text, "9");
}

TEST(ApplyParserTest, KeepsTheNameOfWhatIsNotOffered) {
  constexpr struct {
    std::string_view text;
    std::string_view name;
    std::string_view inside;
  } kRows[] = {
      {"Ns.Custom(p=1)", "Ns.Custom", "p=1"},
      {"nest(groupby((A)) as B)", "nest", "groupby((A)) as B"},
      {"ancestors($root/X,H,ID,filter(Name eq ')'),1)", "ancestors",
       "$root/X,H,ID,filter(Name eq ')'),1"},
  };
  for (const auto& row : kRows) {
    const auto apply = ParseApply(row.text);
    ASSERT_TRUE(apply.ok()) << row.text << ": " << apply.error().ToString();
    EXPECT_EQ(apply->steps[0].kind, Transformation::Kind::kUnsupported);
    EXPECT_EQ(apply->steps[0].name, row.name);
    EXPECT_EQ(apply->steps[0].text, row.inside);
  }
}

TEST(ApplyParserTest, ErrorsSayWhatAndWhere) {
  constexpr struct {
    std::string_view text;
    std::string_view reason;
    std::size_t offset;
  } kRows[] = {
      {"agregate(A)", "transformation-unknown", 0},
      {"aggregate(A with sun as B)", "aggregation-method-unknown", 17},
      {"aggregate($count)", "apply-syntax", 16},
      {"filter(contains(A))", "function-arity", 7},
      {"top(-1)", "option-value", 4},
      {"groupby(A)", "apply-syntax", 8},
      {"concat(identity)", "apply-syntax", 15},
  };
  for (const auto& row : kRows) {
    const auto apply = ParseApply(row.text);
    ASSERT_FALSE(apply.ok()) << row.text;
    EXPECT_EQ(apply.error().reason, row.reason) << row.text << ": " << apply.error().message;
    EXPECT_EQ(apply.error().position.offset, row.offset)
        << row.text << ": " << apply.error().message;
    EXPECT_EQ(apply.error().target, "$apply");
  }
  EXPECT_EQ(ParseApply("agregate(A)").error().remedy, "did you mean 'aggregate'?");
}

}  // namespace
}  // namespace tablecast::syntax
