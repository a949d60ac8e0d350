#include "qualifiers/qualifier_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tablecast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Codes(const ParsedQualifier& parsed) {
  std::vector<std::string> codes;
  for (const Issue& issue : parsed.issues) codes.push_back(issue.code);
  return codes;
}

TEST(QualifierParserTest, ReadsEveryVendorOption) {
  const auto parsed = ParseQualifier(R"j({
    "tableName": "T", "keyColumns": ["pk", "sk"],
    "columns": {
      "pk": {"columnName": "PK", "type": "N", "presence": "not null", "filter": "1%", "postFilter": "^1$"},
      "v": {"virtual": true, "values": [{"definition": "PK+1", "columnOrder": ["pk"]}]}
    }})j",
                                     "t.json");
  EXPECT_THAT(parsed.issues, IsEmpty());
  const TableQualifier& qualifier = *parsed.qualifier;
  EXPECT_EQ(qualifier.table_name, "T");
  EXPECT_THAT(qualifier.key_columns, ElementsAre("pk", "sk"));
  ASSERT_EQ(qualifier.columns.size(), 2U);
  const ColumnQualifier& pk = qualifier.columns[0];
  EXPECT_EQ(pk.physical(), "PK");
  EXPECT_EQ(pk.type, AttributeType::kN);
  EXPECT_EQ(pk.presence, Presence::kNotNull);
  EXPECT_EQ(pk.filter, "1%");
  EXPECT_EQ(pk.post_filter, "^1$");
  EXPECT_EQ(pk.filter_span.begin.line, 4U);
  const ColumnQualifier& v = qualifier.columns[1];
  EXPECT_TRUE(v.is_virtual);
  EXPECT_EQ(v.values[0].definition, "PK+1");
  EXPECT_THAT(v.values[0].column_order, ElementsAre("pk"));
}

TEST(QualifierParserTest, TakesCommentsTrailingCommasAndByteOrderMark) {
  const auto parsed =
      ParseQualifier("\xEF\xBB\xBF// head\n{ \"columns\": { /* none */ \"a\": {}, }, }", "x.json");
  EXPECT_THAT(parsed.issues, IsEmpty());
  EXPECT_NE(parsed.qualifier->Find("a"), nullptr);
}

TEST(QualifierParserTest, TheLastDuplicateWinsWithAWarningAtTheLaterOne) {
  const auto parsed = ParseQualifier(R"j({"columns": {"v": {"virtual": true,
      "values": [{"definition": "", "definition": "RIGHT(pk, 2)"}]}}})j",
                                     "x.json");
  ASSERT_THAT(Codes(parsed), ElementsAre("duplicate-member"));
  EXPECT_EQ(parsed.issues[0].severity, Severity::kWarning);
  EXPECT_EQ(parsed.issues[0].span.begin.line, 2U);
  EXPECT_EQ(parsed.qualifier->columns[0].values[0].definition, "RIGHT(pk, 2)");
}

TEST(QualifierParserTest, ColumnNamesAreCaseSensitive) {
  const auto parsed = ParseQualifier(
      R"j({"columns": {"unitPrice": {}, "UnitPrice": {"virtual": true}}})j", "x.json");
  EXPECT_NE(parsed.qualifier->Find("unitPrice"), parsed.qualifier->Find("UnitPrice"));
}

TEST(QualifierParserTest, AllFindingsOfAFileInOneRun) {
  const auto parsed = ParseQualifier(R"j({"tablename": "T", "columns": {
      "pk": {"postfilter": "x", "type": "string"}, "sk": {"presence": "exist", "virtual": "yes"}}})j",
                                     "x.json");
  EXPECT_THAT(Codes(parsed), ElementsAre("unknown-option", "unknown-option", "unknown-type",
                                         "unknown-presence", "wrong-type"));
  EXPECT_EQ(parsed.issues[0].remedy, "did you mean `tableName`?");
  EXPECT_EQ(parsed.issues[1].remedy, "did you mean `postFilter`?");
  EXPECT_EQ(parsed.issues[1].target, "columns.pk.postfilter");
  EXPECT_EQ(parsed.issues[2].remedy, "did you mean `S`?");
  EXPECT_EQ(parsed.issues[3].remedy, "did you mean `exists`?");
}

TEST(QualifierParserTest, ExtensionsAreKeptAndTheirShapeChecked) {
  const auto good = ParseQualifier(R"j({"columns": {}, "source": "default", "fields": {"*": true,
      "Total": {"column": "TOTAL", "type": "Currency", "precision": 18, "scale": 2}}})j",
                                   "x.json");
  EXPECT_THAT(good.issues, IsEmpty());
  ASSERT_NE(good.qualifier->extensions.Find("fields"), nullptr);
  EXPECT_EQ(good.qualifier->extensions.Find("source")->text, "default");
  const auto bad =
      ParseQualifier(R"j({"columns": {}, "fields": {"Total": {"colum": "TOTAL", "type": "Money",
      "scale": -1}}, "indexes": [{"field": []}]})j",
                     "x.json");
  EXPECT_THAT(Codes(bad), ElementsAre("unknown-option", "unknown-word", "number-range",
                                      "unknown-option", "missing-option"));
  EXPECT_EQ(bad.issues[0].target, "fields.Total.colum");
}

TEST(QualifierParserTest, TextThatIsNoObject) {
  struct Row {
    std::string text;
    std::string_view code;
  };
  for (const Row& row : std::vector<Row>{{"", "json-syntax"},
                                         {"[]", "not-an-object"},
                                         {"{\"columns\": ", "json-syntax"},
                                         {"{\"columns\": {\"\xFF\": {}}}", "json-encoding"},
                                         {std::string(40, '['), "json-depth"},
                                         {std::string((1U << 20U) + 1, ' '), "json-too-large"},
                                         {"{}", "missing-columns"}}) {
    const auto parsed = ParseQualifier(row.text, "x.json");
    ASSERT_THAT(Codes(parsed), ElementsAre(row.code)) << row.text.substr(0, 40);
    EXPECT_NE(parsed.issues[0].span.begin.line, 0U) << row.code;
    EXPECT_FALSE(parsed.issues[0].remedy.empty()) << row.code;
    EXPECT_EQ(parsed.issues[0].file, "x.json");
  }
}

}  // namespace
}  // namespace tablecast
