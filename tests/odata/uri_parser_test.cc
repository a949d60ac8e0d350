// Segments of resource paths, absolute URIs, context fragments.

#include "odata/uri_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tablecast::syntax {
namespace {

using Kind = PathSegment::Kind;

TEST(UriParserTest, SegmentsHaveTheirKinds) {
  const struct {
    std::string_view path;
    std::vector<Kind> want;
  } kRows[] = {
      {"", {}},
      {"Orders", {Kind::kName}},
      {"Orders('1')/Lines/$count", {Kind::kName, Kind::kName, Kind::kCount}},
      {"Orders/a-b/TOTAL/$value", {Kind::kName, Kind::kText, Kind::kName, Kind::kValue}},
      {"Orders/1/2", {Kind::kName, Kind::kText, Kind::kText}},
      {"Orders/Ns.Special/$ref", {Kind::kName, Kind::kQualifiedName, Kind::kRef}},
      {"Orders/$filter(@f)/$each", {Kind::kName, Kind::kFilter, Kind::kEach}},
      {"Orders/%24count", {Kind::kName, Kind::kCount}},
      {"Orders/%24x", {Kind::kName, Kind::kText}},
      {"$crossjoin(A,B)/$query", {Kind::kCrossJoin, Kind::kQuery}},
      {"$all/Ns.T", {Kind::kAll, Kind::kQualifiedName}},
      {"$entity", {Kind::kEntity}},
      {"$batch", {Kind::kBatch}},
      {"Orders/Smith(Bob)", {Kind::kName, Kind::kText}},
      {"Orders/Smith%20%28Bob%29", {Kind::kName, Kind::kText}},
  };
  for (const auto& row : kRows) {
    const auto path = ParseResourcePath(row.path);
    ASSERT_TRUE(path.ok()) << row.path << ": " << path.error().ToString();
    std::vector<Kind> kinds;
    for (const PathSegment& segment : path->segments) kinds.push_back(segment.kind);
    EXPECT_EQ(kinds, row.want) << row.path;
  }
}

TEST(UriParserTest, KeysKeepTheirExactText) {
  constexpr struct {
    std::string_view path;
    std::string_view name;
    std::string_view value;
  } kRows[] = {
      {"O('a%2Fb')", "", "a/b"},
      {"O('it''s')", "", "it's"},
      {"O(%27it%27%27s%27)", "", "it's"},
      {"O('a+b')", "", "a+b"},
      {"O('50%25')", "", "50%"},
      {"O('%2525')", "", "%25"},
      {"O('a%23b%3Fc')", "", "a#b?c"},
      {"O('%C3%BC')", "", "ü"},
      {"O(pk='(x),y=z')", "pk", "(x),y=z"},
      {"O(pk=-1.50)", "pk", "-1.50"},
      {"O(id=@k)", "id", "@k"},
      {"O%28%27a%27%29", "", "a"},
  };
  for (const auto& row : kRows) {
    const auto path = ParseResourcePath(row.path);
    ASSERT_TRUE(path.ok()) << row.path << ": " << path.error().ToString();
    ASSERT_TRUE(path->segments[0].arguments.has_value()) << row.path;
    ASSERT_EQ(path->segments[0].arguments->size(), 1U) << row.path;
    EXPECT_EQ(path->segments[0].arguments->at(0).name, row.name) << row.path;
    EXPECT_EQ(path->segments[0].arguments->at(0).value.text, row.value) << row.path;
  }
}

TEST(UriParserTest, ATextSegmentIsDecodedOnce) {
  const auto path = ParseResourcePath("Orders/a%2Fb%2520c/");
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(path->segments[1].text, "a/b%20c");
  EXPECT_EQ(path->segments[1].decoded, "a/b%20c");
  EXPECT_TRUE(path->trailing_slash);
}

TEST(UriParserTest, FunctionsAreFollowedByKeys) {
  const auto path = ParseResourcePath("Func(p=1,q=@x)('k')");
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(path->segments[0].arguments->size(), 2U);
  ASSERT_TRUE(path->segments[0].key.has_value());
  EXPECT_EQ(path->segments[0].key->at(0).value.text, "k");
  const auto no_parameters = ParseResourcePath("Func()");
  ASSERT_TRUE(no_parameters.ok());
  EXPECT_TRUE(no_parameters->segments[0].arguments->empty());
}

TEST(UriParserTest, FindsTheServiceRoot) {
  constexpr struct {
    std::string_view text;
    std::string_view root;
    std::size_t segments;
  } kRows[] = {
      {"Orders", "", 1},
      {"/Orders", "", 1},
      {"http://h/odata/Orders", "http://h/odata/", 1},
      {"http://h/odata", "http://h/odata", 0},
      {"https://h:8080/a/b.svc/Orders/$count", "https://h:8080/a/b.svc/", 2},
      {"http://h/Orders", "http://h/", 1},
      {"http://h/service/$metadata", "http://h/service/", 1},
      {"http://h/service/", "http://h/service/", 0},
      {"http://h/a/b/$batch", "http://h/a/b/", 1},
      {"http://h/my-app/Orders/1", "http://h/my-app/", 2},
      {"http://h", "http://h", 0},
      {"http://h?$top=1", "http://h", 0},
  };
  for (const auto& row : kRows) {
    const auto uri = ParseUri(row.text);
    ASSERT_TRUE(uri.ok()) << row.text << ": " << uri.error().ToString();
    EXPECT_EQ(uri->root, row.root) << row.text;
    EXPECT_EQ(uri->path.segments.size(), row.segments) << row.text;
  }
  UriParseOptions options;
  options.root_path = "/api/v1/";
  const auto uri = ParseUri("http://h/api/v1/odata/x", options);
  ASSERT_TRUE(uri.ok());
  EXPECT_EQ(uri->root, "http://h/api/v1/");
  EXPECT_EQ(uri->path.segments.size(), 2U);
}

TEST(UriParserTest, ErrorsSayWhatAndWhere) {
  constexpr struct {
    std::string_view text;
    std::string_view reason;
    std::string_view target;
    std::size_t offset;
  } kRows[] = {
      {"Orders/$foo", "segment-unknown", "path", 7},
      {"Orders//x", "path-syntax", "path", 7},
      {"Orders('it's')", "literal-invalid", "path", 7},
      {"Orders(1,2)", "path-syntax", "path", 9},
      {"Orders('%zz')", "percent-encoding", "path", 8},
      {"Orders/$count/x", "path-syntax", "path", 14},
      {"Orders('1')/$count", "path-syntax", "path", 12},
      {"Orders?$top=x", "option-value", "$top", 12},
      {"$entity", "entity-without-id", "path", 0},
      {"$metadata?$top=1", "option-not-allowed", "$top", 0},
      {"Orders#x", "uri-syntax", "path", 6},
      {"http://", "uri-syntax", "path", 7},
      {"http://h:x/", "uri-syntax", "path", 9},
      {"$metadata#Orders(A", "context-syntax", "context", 18},
  };
  for (const auto& row : kRows) {
    UriParseOptions options;
    options.query.positions = Positions::kText;
    const auto uri = ParseUri(row.text, options);
    ASSERT_FALSE(uri.ok()) << row.text;
    EXPECT_EQ(uri.error().reason, row.reason) << row.text << ": " << uri.error().message;
    EXPECT_EQ(uri.error().target, row.target) << row.text;
    EXPECT_EQ(uri.error().position.offset, row.offset) << row.text << ": " << uri.error().message;
  }
}

TEST(UriParserTest, ReadsAKeyPredicateAlone) {
  const auto key = ParseKeyPredicate("pk='a',sk=@s");
  ASSERT_TRUE(key.ok()) << key.error().ToString();
  ASSERT_EQ(key->size(), 2U);
  EXPECT_EQ(key->at(1).name, "sk");
  EXPECT_FALSE(ParseKeyPredicate("pk='a',").ok());
  EXPECT_FALSE(ParseKeyPredicate("pk='a')").ok());
}

TEST(UriParserTest, TheEmptyUriIsTheServiceRoot) {
  const auto uri = ParseUri("");
  ASSERT_TRUE(uri.ok());
  EXPECT_TRUE(uri->path.segments.empty());
  EXPECT_TRUE(ParseUri("?$format=json").ok());
}

}  // namespace
}  // namespace tablecast::syntax
