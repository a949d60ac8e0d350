// Splitting, decoding and dispatch of the query part.

#include "odata/query_options.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

namespace tablecast::syntax {
namespace {

TEST(QueryOptionsTest, ReadsEveryOption) {
  const auto options = ParseQueryOptions(
      "$filter=A%20eq%20@p&$search=%22light%20blue%22&$orderby=A "
      "desc&$select=A,B&$expand=C&$top=5&$skip=7"
      "&$count=true&$compute=A add 1 as "
      "X&$apply=identity&$format=application/json;odata.metadata=full"
      "&$skiptoken=a%3Db&$deltatoken=d&$id=Orders('1')&$index=-1&$schemaversion=*&$levels=2&@p='x'&"
      "debug=1");
  ASSERT_TRUE(options.ok()) << options.error().ToString();
  EXPECT_EQ(ToString(*options->filter), "A eq @p");
  EXPECT_EQ(options->search->text, "light blue");
  EXPECT_TRUE(options->order_by.at(0).descending);
  EXPECT_EQ(options->select->size(), 2U);
  EXPECT_EQ(options->expand.size(), 1U);
  EXPECT_EQ(options->top, 5U);
  EXPECT_EQ(options->skip, 7U);
  EXPECT_EQ(options->count, true);
  EXPECT_EQ(options->compute.at(0).alias, "X");
  EXPECT_EQ(options->apply->steps.size(), 1U);
  EXPECT_EQ(options->format->kind, Format::Kind::kMediaType);
  EXPECT_EQ(options->format->media_type, "application/json;odata.metadata=full");
  EXPECT_EQ(options->skip_token, "a=b");
  EXPECT_EQ(options->delta_token, "d");
  EXPECT_EQ(options->id, "Orders('1')");
  EXPECT_EQ(options->index, -1);
  EXPECT_EQ(options->schema_version, "*");
  EXPECT_EQ(options->levels->value, 2U);
  ASSERT_NE(options->FindAlias("p"), nullptr);
  EXPECT_EQ(options->FindAlias("p")->text, "x");
  EXPECT_EQ(options->FindAlias("q"), nullptr);
  ASSERT_NE(options->FindCustom("debug"), nullptr);
  EXPECT_EQ(options->FindCustom("debug")->value, "1");
  EXPECT_TRUE(options->Has("$levels"));
  EXPECT_EQ(options->system_options.size(), 17U);
  EXPECT_EQ(options->system_options.size(), options->system_option_spans.size());
}

TEST(QueryOptionsTest, NamesNeedNoDollarAndNoCase) {
  const auto options = ParseQueryOptions("filter=STATUS EQ 'OPEN'&TOP=3&%24Skip=1");
  ASSERT_TRUE(options.ok()) << options.error().ToString();
  EXPECT_TRUE(options->filter.has_value());
  EXPECT_EQ(options->top, 3U);
  EXPECT_EQ(options->skip, 1U);
  EXPECT_EQ(options->system_options, (std::vector<std::string>{"$filter", "$top", "$skip"}));
}

TEST(QueryOptionsTest, PlusIsABlankAndPercent2BIsAPlus) {
  const auto options = ParseQueryOptions("$filter=A+eq+'a+b%2Bc'&x=1+2");
  ASSERT_TRUE(options.ok()) << options.error().ToString();
  EXPECT_EQ(options->filter->args[1].text, "a b+c");
  EXPECT_EQ(options->custom[0].value, "1 2");
}

TEST(QueryOptionsTest, APlusBeforeAnOffsetSurvivesFormDecoding) {
  for (const std::string_view query :
       {"$filter=A ge 2022-01-01T00:00:00+02:00", "$filter=A ge 2022-01-01T00:00:00%2B02:00"}) {
    const auto options = ParseQueryOptions(query);
    ASSERT_TRUE(options.ok()) << query << ": " << options.error().ToString();
    EXPECT_EQ(options->filter->args[1].text, "2022-01-01T00:00:00+02:00") << query;
  }
  QueryParseOptions plain;
  plain.plus = PlusSign::kPlus;
  EXPECT_FALSE(ParseQueryOptions("$filter=A ge 2022-01-01T00:00:00 02:00", plain).ok());
}

TEST(QueryOptionsTest, EmptyOptionsAreToleratedUnlessRefused) {
  for (const std::string_view query : {"", "&", "$top=1&", "&$top=1", "$top=1&&$skip=2"}) {
    EXPECT_TRUE(ParseQueryOptions(query).ok()) << query;
  }
  QueryParseOptions strict;
  strict.allow_empty_options = false;
  for (const std::string_view query : {"&", "$top=1&", "&$top=1", "$top=1&&$skip=2"}) {
    const auto options = ParseQueryOptions(query, strict);
    ASSERT_FALSE(options.ok()) << query;
    EXPECT_EQ(options.error().reason, "option-empty") << query;
  }
}

TEST(QueryOptionsTest, BigNumbersSaturate) {
  const auto options = ParseQueryOptions("$top=99999999999999999999&$skip=18446744073709551615");
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->top, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(options->skip, std::numeric_limits<std::uint64_t>::max());
}

TEST(QueryOptionsTest, ErrorsNameTheOptionAndThePlace) {
  constexpr struct {
    std::string_view query;
    std::string_view reason;
    std::string_view target;
    std::size_t in_value;
    std::size_t in_text;
  } kRows[] = {
      {"$foo=1", "option-unknown", "$foo", 0, 0},
      {"$top=1&$top=2", "option-duplicate", "$top", 0, 7},
      {"$top=1&TOP=2", "option-duplicate", "$top", 0, 7},
      {"x=1&$top=-1", "option-value", "$top", 0, 9},
      {"$top=", "option-value", "$top", 0, 5},
      {"$top", "option-value", "$top", 0, 0},
      {"$filter=A%20eq%20", "filter-syntax", "$filter", 5, 17},
      {"$filter=A%20eq%20%zz", "percent-encoding", "$filter", 9, 17},
      {"x=%FF", "invalid-utf8", "x", 0, 2},
      {"$filter=A eq 'x'&$filter=B", "option-duplicate", "$filter", 0, 17},
      {"@p=1&@p=2", "option-duplicate", "@p", 0, 5},
      {"@1=1", "option-value", "@1", 0, 0},
      {"$format=foo", "option-value", "$format", 0, 8},
      {"$skiptoken=", "option-value", "$skiptoken", 0, 11},
      {"=1", "option-unknown", "", 0, 0},
  };
  for (const auto& row : kRows) {
    const auto value = ParseQueryOptions(row.query);
    ASSERT_FALSE(value.ok()) << row.query;
    EXPECT_EQ(value.error().reason, row.reason) << row.query << ": " << value.error().message;
    EXPECT_EQ(value.error().target, row.target) << row.query;
    EXPECT_EQ(value.error().position.offset, row.in_value)
        << row.query << ": " << value.error().message;
    QueryParseOptions in_text;
    in_text.positions = Positions::kText;
    const auto text = ParseQueryOptions(row.query, in_text);
    ASSERT_FALSE(text.ok()) << row.query;
    EXPECT_EQ(text.error().position.offset, row.in_text)
        << row.query << ": " << text.error().message;
  }
}

TEST(QueryOptionsTest, PercentDecodingIsStrictAndHappensOnce) {
  EXPECT_EQ(*PercentDecode("a%2525b"), "a%25b");
  EXPECT_EQ(*PercentDecode("%c3%BC+"), "ü+");
  EXPECT_EQ(*PercentDecode("a+b", PlusSign::kBlank), "a b");
  for (const std::string_view text : {"%", "%4", "%zz", "a%2"}) {
    EXPECT_EQ(PercentDecode(text).error().reason, "percent-encoding") << text;
  }
  EXPECT_EQ(PercentDecode("ab%C3").error().reason, "invalid-utf8");
  EXPECT_EQ(PercentDecode("ab%C3").error().position.offset, 2U);
}

TEST(QueryOptionsTest, NestedSpansCountInTheChosenText) {
  QueryParseOptions in_text;
  in_text.positions = Positions::kText;
  const auto options = ParseQueryOptions("$filter=A%20eq%20'x'", in_text);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->filter->at, (Span{8, 20}));
  EXPECT_EQ(options->filter->args[1].at, (Span{17, 20}));
  EXPECT_EQ(ParseQueryOptions("$filter=A%20eq%20'x'")->filter->args[1].at, (Span{5, 8}));
}

}  // namespace
}  // namespace tablecast::syntax
