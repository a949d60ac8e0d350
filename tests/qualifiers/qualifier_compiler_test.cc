#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "qualifiers/column_condition.h"
#include "tests/qualifiers/qualifier_fixture.h"

namespace tablecast {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Residual(const CompiledQualifier& qualifier) {
  return qualifier.residual().ToString(qualifier.slots());
}

TEST(QualifierCompilerTest, ConstantsAndRegexBoundsMakeTheKeyCondition) {
  const auto orders = MustCompile(kOrders);
  EXPECT_EQ(ConditionText("sk", orders->key_condition().sort), "sk = \"ORDER\"");
  EXPECT_EQ(ConditionText("pk", orders->key_condition().partition), "pk >= \"0\" and pk <= \"9:\"");
  // The key condition proves the constant, the type and the presence; the digits are left.
  EXPECT_EQ(Residual(*orders), "pk matches \"^[0-9]+$\"");
  EXPECT_THAT(orders->FindPhysical("sk")->constants, ElementsAre(S("ORDER")));
}

TEST(QualifierCompilerTest, FilterPrefixIsProvedByTheKeyCondition) {
  const auto items = MustCompile(kOrderItems);
  EXPECT_EQ(ConditionText("sk", items->key_condition().sort), "sk begins with \"products#\"");
  EXPECT_EQ(Residual(*items), "pk matches \"^[0-9]+$\"");
  EXPECT_EQ(items->FindPhysical("sk")->literal_prefix, "products#");
  EXPECT_THAT(items->FindVirtual("productCode")->inputs, ElementsAre("sk"));
  EXPECT_EQ(items->FindVirtual("productCode")->type, formula::ValueType::kText);
}

TEST(QualifierCompilerTest, SeveralConstantsAndListsOfLiterals) {
  const auto several = MustCompile(
      R"j({"columns": {"sk": {"values": [{"definition": "\"B\""}, {"definition": "\"A\""}]},
      "pk": {"postFilter": "^(X|Y)$"}}})j");
  EXPECT_EQ(ConditionText("sk", several->key_condition().sort), "sk in (\"A\", \"B\")");
  EXPECT_EQ(ConditionText("pk", several->key_condition().partition), "pk in (\"X\", \"Y\")");
  EXPECT_EQ(Residual(*several), "true");
}

TEST(QualifierCompilerTest, PatternsDoNotBoundNumberKeys) {
  const TableSchema numbers = {
      .name = "T", .key = {.partition = {"id", AttributeType::kN}, .sort = {}}, .indexes = {}};
  const auto qualifier =
      MustCompile(R"j({"columns": {"id": {"type": "N", "filter": "1%"}}})j", numbers);
  EXPECT_TRUE(qualifier->key_condition().partition.IsFree());
  EXPECT_EQ(Residual(*qualifier), "id like \"1%\"");
  const auto constant =
      MustCompile(R"j({"columns": {"id": {"values": [{"definition": "7"}]}}})j", numbers);
  EXPECT_EQ(ConditionText("id", constant->key_condition().partition), "id = 7");
}

TEST(QualifierCompilerTest, NonKeyConditionsStayInTheResidual) {
  const auto qualifier = MustCompile(R"j({"columns": {"sk": {"filter": "a%b%"},
      "status": {"values": [{"definition": "\"OPEN\""}]}, "total": {"type": "N", "presence": "any"}}})j");
  EXPECT_EQ(ConditionText("sk", qualifier->key_condition().sort), "sk begins with \"a\"");
  EXPECT_EQ(Residual(*qualifier),
            "status = \"OPEN\" and (total not exists or total is NULL or total is N or missing) "
            "and sk like \"a%b%\"");
}

struct Fault {
  std::string_view columns;
  std::string_view code;
  std::string_view at;  // text under the finding
};

TEST(QualifierCompilerTest, ContradictionsAreLocated) {
  const std::vector<Fault> faults = {
      {R"j("a": {"presence": "not exists", "type": "S"})j", "presence-contradiction",
       "\"not exists\""},
      {R"j("a": {"presence": "null", "postFilter": "^x$"})j", "presence-contradiction", "\"null\""},
      {R"j("pk": {"presence": "not exists"})j", "key-always-present", "\"not exists\""},
      {R"j("pk": {"type": "N"})j", "key-type-conflict", "\"N\""},
      {R"j("a": {"type": "BOOL", "filter": "t%"})j", "pattern-on-type", "\"t%\""},
      {R"j("a": {"virtual": true})j", "virtual-without-values", "\"a\""},
      {R"j("a": {"virtual": true, "columnName": "b", "values": [{"definition": "pk"}]})j",
       "virtual-with-column-name", "\"b\""},
      {R"j("a": {"filter": "x%", "values": [{"definition": "\"y\""}]})j", "constant-refused",
       "\"x%\""},
      {R"j("a": {"type": "N", "values": [{"definition": "\"y\""}]})j", "formula-result-type",
       "\"\\\"y\\\"\""},
      {R"j("a": {"values": [{"definition": "\"\""}]})j", "constant-blank", "\"\\\"\\\"\""},
      {R"j("a": {"filter": "x%", "postFilter": "^y$"})j", "conditions-exclude-each-other",
       "\"^y$\""},
      {R"j("a": {"filter": "ab\\"})j", "like-trailing-escape", "\\\\"},
      {R"j("a": {"postFilter": "^[0-9$"})j", "regex-syntax", "[0-9$"},
      {R"j("a": {"virtual": true, "values": [{"definition": "a & \"x\""}]})j",
       "formula-self-reference", "\"a & \\\"x\\\"\""},
      {R"j("a": {"virtual": true, "values": [{"definition": "b"}]}, "b": {"virtual": true, "values": [{"definition": "a"}]})j",
       "formula-cycle", "\"b\""},
      {R"j("a": {"virtual": true, "type": "N", "values": [{"definition": "pk"}]})j",
       "formula-result-type", "\"pk\""},
      {R"j("a": {"virtual": true, "values": [{"definition": "\"x\" & nosuch"}]})j",
       "formula-unknown-field", "nosuch"},
  };
  for (const Fault& fault : faults) {
    const std::string text = "{\"columns\": {" + std::string(fault.columns) + "}}";
    const QualifierCompilation compilation = CompileText(text);
    EXPECT_EQ(compilation.qualifier, nullptr) << text;
    ASSERT_THAT(Codes(compilation.issues), Contains(fault.code)) << text;
    for (const Issue& issue : compilation.issues) {
      EXPECT_FALSE(issue.remedy.empty()) << issue.code;
      if (issue.code != fault.code) continue;
      EXPECT_EQ(
          text.substr(issue.span.begin.offset, issue.span.end.offset - issue.span.begin.offset),
          fault.at)
          << text;
    }
  }
}

TEST(QualifierCompilerTest, AnInversePairIsNoCycle) {
  const auto pair = MustCompile(
      R"j({"columns": {"pk": {"values": [{"definition": "\"products#\" & product"}], "filter": "products#%"},
      "product": {"virtual": true, "values": [{"definition": "RIGHT(pk, LEN(pk) - FIND(\"#\", pk))"}]}}})j");
  EXPECT_THAT(pair->FindPhysical("pk")->constants, IsEmpty());
}

TEST(QualifierCompilerTest, CyclesAreReportedOnceAndOnlyWhereTheyAre) {
  const auto compilation = CompileText(R"j({"columns": {
      "a": {"virtual": true, "values": [{"definition": "b & \"x\""}]}, "b": {"virtual": true, "values": [{"definition": "a"}]},
      "c": {"virtual": true, "values": [{"definition": "a & pk"}]},
      "d": {"virtual": true, "values": [{"definition": "e"}]}, "e": {"virtual": true, "values": [{"definition": "d"}]}}})j");
  std::vector<std::string> messages;
  for (const Issue& issue : compilation.issues) messages.push_back(issue.message);
  EXPECT_THAT(messages, ElementsAre("`a` is computed from itself: a -> b -> a",
                                    "`d` is computed from itself: d -> e -> d"));
}

TEST(QualifierCompilerTest, LongChainsEndInAFindingNotInTheStack) {
  std::string columns = "\"v0\": {\"virtual\": true, \"values\": [{\"definition\": \"pk\"}]}";
  for (int i = 1; i < 3000; ++i) {
    columns += ", \"v" + std::to_string(i) +
               "\": {\"virtual\": true, \"values\": [{\"definition\": \"v" + std::to_string(i - 1) +
               "\"}]}";
  }
  EXPECT_THAT(Codes(CompileText("{\"columns\": {" + columns + "}}").issues),
              Contains("formula-chain-too-deep"));
}

TEST(QualifierCompilerTest, AttributeTypesMakeFurtherNamesKnown) {
  constexpr std::string_view text =
      R"j({"columns": {"v": {"virtual": true, "values": [{"definition": "weight * 2"}]}}})j";
  EXPECT_THAT(Codes(CompileText(text).issues), ElementsAre("formula-unknown-field"));
  CompileQualifierOptions options;
  options.attribute_types = {{"weight", formula::ValueType::kNumber}};
  const auto qualifier = MustCompile(text, PkSkTable(), options);
  OwnedRow row(qualifier);
  EXPECT_EQ(row.At({{"pk", S("a")}, {"sk", S("b")}, {"weight", N("1.5")}}).Virtual(0).ToString(),
            "3");
}

TEST(QualifierCompilerTest, FingerprintFollowsMembershipOnly) {
  const std::string base = MustCompile(kOrderItems)->fingerprint();
  EXPECT_EQ(base.size(), 32U);
  EXPECT_EQ(base, MustCompile(kOrderItems)->fingerprint());
  std::string other_virtual(kOrderItems);
  other_virtual.replace(other_virtual.find("RIGHT"), 5, "LEFT");
  EXPECT_EQ(base, MustCompile(other_virtual)->fingerprint());
  std::string other_filter(kOrderItems);
  other_filter.replace(other_filter.find("products#"), 9, "product##");
  EXPECT_NE(base, MustCompile(other_filter)->fingerprint());
  EXPECT_NE(MustCompile(kOrders)->fingerprint(), base);
}

TEST(QualifierCompilerTest, InversesNarrowOnlyWhenProvedOrTrusted) {
  constexpr std::string_view text =
      R"j({"columns": {"discount": {"type": "S", "values": [{"definition": "TEXT(disc / 100)"}]},
      "disc": {"virtual": true, "values": [{"definition": "VALUE(discount) * 100"}]}}})j";
  EXPECT_FALSE(MustCompile(text)->FindPhysical("discount")->inverse_narrows_reads);
  CompileQualifierOptions trusting;
  trusting.trusted_inverses = {"discount"};
  EXPECT_TRUE(
      MustCompile(text, PkSkTable(), trusting)->FindPhysical("discount")->inverse_narrows_reads);
}

}  // namespace
}  // namespace tablecast
