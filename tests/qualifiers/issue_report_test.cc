#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "qualifiers/qualifier_parser.h"

namespace tablecast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kText =
    "{\n  \"columns\": {\n    \"pk\": { \"postfilter\": \"^[0-9]+$\" }\n  }\n}\n";

Issue OneIssue() { return ParseQualifier(kText, "dir/my orders.json").issues.at(0); }

TEST(IssueReportTest, TextUnderlinesTheOffendingPart) {
  EXPECT_EQ(
      RenderIssue(OneIssue(), kText, false),
      "dir/my orders.json:3:13: error: unknown option `postfilter`; did you mean `postFilter`? "
      "[unknown-option]\n"
      "        \"pk\": { \"postfilter\": \"^[0-9]+$\" }\n"
      "                ^~~~~~~~~~~~\n");
}

TEST(IssueReportTest, ColumnsAndUnderlineCountCodePoints) {
  const std::string_view text = "{\"\xC3\xA4\xF0\x9F\x98\x80\": 1}";
  const auto parsed = ParseQualifier(text, "x.json");
  EXPECT_EQ(parsed.issues[0].span.end.column, 6U);
  EXPECT_THAT(RenderIssue(parsed.issues[0], text, false), HasSubstr("\n     ^~~~\n"));
}

TEST(IssueReportTest, HostileFilesCannotDriveTheTerminal) {
  const std::string text =
      "{\"columns\": {\"a\": {\"fil\\u001b[31mter\": \"\"}}, \"x\x1b]0;\x07\": 1}";
  for (const Issue& issue : ParseQualifier(text, "x.json").issues) {
    const std::string shown = RenderIssue(issue, text, false);
    EXPECT_THAT(shown, Not(HasSubstr("\x1b")));
    EXPECT_THAT(shown, Not(HasSubstr("\x07")));
  }
}

TEST(IssueReportTest, LongLinesAreCutAroundTheFinding) {
  const std::string text = "{\"columns\": {\"a\": {\"filter\": \"" + std::string(5000, 'x') +
                           "\", \"wrong\": 1, \"presence\": \"" + std::string(5000, 'y') + "\"}}}";
  const auto parsed = ParseQualifier(text, "x.json");
  const std::string shown = RenderIssue(parsed.issues[0], text, false);
  EXPECT_LT(shown.size(), 700U);
  EXPECT_THAT(shown, HasSubstr("\"wrong\""));
  EXPECT_THAT(shown, HasSubstr("^~~~~~~\n"));
}

TEST(IssueReportTest, JsonHasThePromisedMembers) {
  const auto json = ParseJson(IssuesAsJson({OneIssue()}));
  ASSERT_TRUE(json.ok());
  const JsonValue& finding = json->elements.at(0);
  for (const std::string_view name : {"file", "line", "column", "endLine", "endColumn", "severity",
                                      "code", "message", "remedy"}) {
    EXPECT_NE(finding.Find(name), nullptr) << name;
  }
  EXPECT_EQ(finding.Find("line")->text, "3");
  EXPECT_EQ(finding.Find("column")->text, "13");
  EXPECT_EQ(finding.Find("endColumn")->text, "25");
  EXPECT_EQ(IssuesAsJson({}), "[]\n");
}

TEST(IssueReportTest, SarifHasOneRunWithRulesAndRegions) {
  Issue note = OneIssue();
  note.severity = Severity::kInfo;
  note.code = "another";
  const auto sarif = ParseJson(IssuesAsSarif({OneIssue(), note}));
  ASSERT_TRUE(sarif.ok());
  EXPECT_EQ(sarif->Find("version")->text, "2.1.0");
  const JsonValue& run = sarif->Find("runs")->elements.at(0);
  EXPECT_EQ(run.Find("columnKind")->text, "unicodeCodePoints");
  EXPECT_EQ(run.Find("tool")->Find("driver")->Find("rules")->elements.size(), 2U);
  const JsonValue& result = run.Find("results")->elements.at(0);
  EXPECT_EQ(result.Find("ruleId")->text, "unknown-option");
  EXPECT_EQ(result.Find("ruleIndex")->text, "1");
  EXPECT_EQ(result.Find("level")->text, "error");
  EXPECT_EQ(run.Find("results")->elements.at(1).Find("level")->text, "note");
  const JsonValue& place = *result.Find("locations")->elements.at(0).Find("physicalLocation");
  EXPECT_EQ(place.Find("artifactLocation")->Find("uri")->text, "dir/my%20orders.json");
  EXPECT_EQ(place.Find("region")->Find("startColumn")->text, "13");
}

TEST(IssueReportTest, GithubEscapesItsSeparators) {
  Issue issue = OneIssue();
  issue.file = "a,b:c.json";
  issue.message = "100%\nbad";
  EXPECT_EQ(
      IssuesAsGithub({issue}),
      "::error file=a%2Cb%3Ac.json,line=3,endLine=3,col=13,endColumn=25,title=unknown-option::"
      "100%25%0Abad; did you mean `postFilter`?\n");
}

}  // namespace
}  // namespace tablecast
