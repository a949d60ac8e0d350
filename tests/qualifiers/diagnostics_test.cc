// The corpus of faulty files: every finding as its author would see it, pinned in tests/golden. A
// file called name.OPTION.json is validated with that option.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "qualifiers/qualifier_parser.h"
#include "qualifiers/validator.h"

namespace tablecast {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = TABLECAST_SOURCE_DIR;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::map<std::string, fs::path> Corpus() {
  std::map<std::string, fs::path> files;
  for (const auto& entry : fs::directory_iterator(kSource / "tests/diagnostics")) {
    if (entry.path().extension() == ".json") files[entry.path().filename().string()] = entry.path();
  }
  return files;
}

std::vector<Issue> Findings(const std::string& name, const std::string& text) {
  ValidateOptions options;
  const std::string option = fs::path(name).stem().extension().string();
  options.portable = option == ".portable";
  options.dynamodb_source = option == ".dynamodb";
  if (option.size() > 1) {
    if (const auto client = ClientKindFromName(option.substr(1)); client.ok())
      options.client = *client;
  }
  return ValidateQualifier(text, name, nullptr, options);
}

TEST(DiagnosticsTest, EveryFaultIsExplainedAsPinned) {
  const bool update = std::getenv("TABLECAST_UPDATE_GOLDEN") != nullptr;
  std::set<std::string> outputs;
  for (const auto& [name, path] : Corpus()) {
    const std::string text = ReadFile(path);
    std::string shown;
    for (const Issue& issue : Findings(name, text)) shown += RenderIssue(issue, text, false);
    const fs::path golden =
        kSource / "tests/golden/diagnostics" / fs::path(name).replace_extension(".golden");
    if (update) std::ofstream(golden, std::ios::binary) << shown;
    EXPECT_EQ(shown, ReadFile(golden))
        << name << ": TABLECAST_UPDATE_GOLDEN=1 rewrites; read the difference";
    EXPECT_TRUE(outputs.insert(shown).second) << name << " shows nothing new";
  }
  EXPECT_GE(outputs.size(), 60U);
}

TEST(DiagnosticsTest, EveryFindingHasAPlaceARemedyAndADocumentedCode) {
  const std::string docs = ReadFile(kSource / "docs/qualifiers.md");
  std::set<std::string> codes;
  for (const auto& [name, path] : Corpus()) {
    const std::string text = ReadFile(path);
    const auto findings = Findings(name, text);
    EXPECT_FALSE(findings.empty()) << name;
    for (const Issue& issue : findings) {
      codes.insert(issue.code);
      EXPECT_EQ(issue.file, name);
      EXPECT_FALSE(issue.message.empty()) << name << " " << issue.code;
      EXPECT_FALSE(issue.remedy.empty()) << name << " " << issue.code;
      EXPECT_NE(issue.span.begin.line, 0U) << name << " " << issue.code;
      EXPECT_LE(issue.span.begin.offset, issue.span.end.offset) << name << " " << issue.code;
      EXPECT_LE(issue.span.end.offset, text.size()) << name << " " << issue.code;
      EXPECT_NE(docs.find("| `" + issue.code + "` |"), std::string::npos)
          << issue.code << " is not listed in docs/qualifiers.md";
    }
    EXPECT_TRUE(ParseJson(IssuesAsJson(findings)).ok()) << name;
    EXPECT_TRUE(ParseJson(IssuesAsSarif(findings)).ok()) << name;
  }
  EXPECT_GE(codes.size(), 50U);
  // And every code of the list is shown by a file, but for those that take a file of megabytes, need the table, or that the
  // engine's own limits keep from happening.
  const std::set<std::string> kElsewhere = {"json-too-large", "too-many-columns", "key-type-conflict", "key-column-unlisted", "regex-unknown-escape"};
  const std::size_t begin = docs.find("\n## Findings\n");
  const std::size_t end = docs.find("\n### ", begin);
  ASSERT_NE(end, std::string::npos);
  std::istringstream lines(docs.substr(begin, end - begin));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string code = line.substr(3, line.find('`', 3) - 3);
    EXPECT_TRUE(kElsewhere.contains(code) || codes.contains(code)) << code << " is shown by no file of the corpus";
  }
}

// Exit status 0: the examples as published have nothing to correct.
TEST(DiagnosticsTest, ExamplesAreClean) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "examples")) {
    if (entry.path().extension() != ".json" || entry.path().filename() == "catalog.json") continue;
    if (entry.path().parent_path().filename() != "catalog") continue;
    ++files;
    for (const Issue& issue :
         ValidateQualifier(ReadFile(entry.path()), entry.path().filename().string(), nullptr)) {
      // The field service example has machine numbers such as M-7 in its keys, as its source has
      // them.
      if (issue.code == "key-contains-separator" && entry.path().filename() == "Visits.json")
        continue;
      EXPECT_EQ(issue.severity, Severity::kInfo)
          << RenderIssue(issue, ReadFile(entry.path()), false);
    }
  }
  EXPECT_GE(files, 10);
}

TEST(DiagnosticsTest, TheTablesSchemaIsTakenWhenItIsAtHand) {
  const std::string text = R"({"columns": {"id": {"type": "S"}}})";
  const TableSchema numbers = {
      .name = "T", .key = {.partition = {"id", AttributeType::kN}, .sort = {}}, .indexes = {}};
  EXPECT_TRUE(ValidateQualifier(text, "x.json", nullptr).empty());
  const auto findings = ValidateQualifier(text, "x.json", &numbers);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "key-type-conflict");
}

TEST(DiagnosticsTest, TheOverlayCompletesTheFile) {
  const std::string text =
      R"({"columns": {"pk": {"filter": "ORD-%"}, "sk": {"filter": "line#%"}}})";
  EXPECT_EQ(ValidateQualifier(text, "x.json", nullptr).at(0).code, "key-contains-separator");
  const auto overlay = ParseJson(R"({"externalId": {"escape": true}})");
  ValidateOptions options;
  options.overlay = &*overlay;
  EXPECT_TRUE(ValidateQualifier(text, "x.json", nullptr, options).empty());
}

TEST(DiagnosticsTest, SecretsAreToldFromHarmlessWords) {
  for (const std::string_view name : {"password", "userPassword", "SALT", "pwSalt", "salt_2",
                                      "apiToken", "ssn", "clientSecret"}) {
    EXPECT_TRUE(LooksSecret(name)) << name;
  }
  for (const std::string_view name : {"basalt", "salted_nuts", "className", "passnumber", "lessn"})
    EXPECT_FALSE(LooksSecret(name)) << name;
  EXPECT_TRUE(IsDynamoDbReservedWord("status"));
  EXPECT_TRUE(IsDynamoDbReservedWord("ABORT"));
  EXPECT_TRUE(IsDynamoDbReservedWord("Zone"));
  EXPECT_FALSE(IsDynamoDbReservedWord("sk"));
  EXPECT_FALSE(IsDynamoDbReservedWord("STATUS STORAGE"));
}

TEST(DiagnosticsTest, AssumedKeys) {
  const auto assume = [](std::string_view text) {
    return AssumeSchema(*ParseQualifier(text, "x.json").qualifier).key;
  };
  EXPECT_EQ(assume(R"({"columns": {"SK": {}, "PK": {"type": "N"}}})").partition,
            (KeyColumn{"PK", AttributeType::kN}));
  EXPECT_EQ(assume(R"({"columns": {"SK": {}, "PK": {}}})").sort->name, "SK");
  EXPECT_EQ(assume(R"({"columns": {"id": {"type": "N"}, "x": {}}})").partition.name, "id");
  EXPECT_FALSE(assume(R"({"columns": {"id": {"type": "N"}, "x": {}}})").sort.has_value());
  EXPECT_EQ(assume(R"({"keyColumns": ["a", "b"], "columns": {"b": {"columnName": "B"}, "a": {}}})")
                .sort->name,
            "B");
}

}  // namespace
}  // namespace tablecast
