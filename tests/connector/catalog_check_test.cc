// doctor's findings on a damaged fixture: each code, its target, its count and its example.

#include "connector/catalog_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/json_reader.h"
#include "item/item_json.h"
#include "store/memory_item_store.h"

namespace tablecast {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kItems = R"(
{"pk":"1012","sk":"ORDER","TOTAL":10,"STATUS":"OPEN","PLACED":"2024-05-01"}
{"pk":"1013","sk":"ORDER","TOTAL":-5,"STATUS":"LOST","PLACED":"soon"}
{"pk":"1-2","sk":"products#3","QUANTITY":1}
{"pk":"1","sk":"products#2-3","QUANTITY":1}
{"pk":"1012","sk":"products#1","QUANTITY":1}
{"pk":"9999","sk":"products#1","QUANTITY":2}
{"pk":"1012","sk":"NOTE#1","text":"fragile"}
)";

const std::vector<CatalogFile> kFiles = {
    {"Orders.json",
     R"json({"tableName":"Shop","columns":{"pk":{"type":"S"},"sk":{"values":[{"definition":"\"ORDER\""}]}},
      "fields":{"Total":{"column":"TOTAL","type":"Number","minimum":0},"Placed":{"column":"PLACED","type":"Date"},
                "Status":{"column":"STATUS","type":"Picklist","values":["OPEN"]},
                "Buyer":{"column":"BUYER","type":"Text","required":true},
                "Token":{"column":"token","type":"Text"}}})json"},
    {"Lines.json",
     R"json({"tableName":"Shop","columns":{"pk":{"type":"S"},"sk":{"filter":"products#%",
        "values":[{"definition":"\"product#\" & code"}]},
        "code":{"virtual":true,"type":"S","values":[{"definition":"RIGHT(sk, LEN(sk) - FIND(\"#\", sk))"}]}},
      "fields":{"pk":{"column":"pk","type":"Text"}},
      "relationships":{"Order":{"to":"Orders","column":"pk","toColumn":"ExternalId","inverse":"Lines"}}})json"},
    {"Again.json",
     R"json({"tableName":"Shop","columns":{"pk":{"postFilter":"^1012$"},"sk":{"values":[{"definition":"\"ORDER\""}]}},
      "fields":{"pk":{"column":"pk","type":"Text"}}})json"},
    {"Wrong.json",
     R"json({"tableName":"Shop","columns":{"pk":{"type":"S"},"sk":{"filter":"product#%"}},
      "fields":{"pk":{"column":"pk","type":"Text"}}})json"},
};

class CatalogCheckTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TableSchema schema;
    schema.name = "Shop";
    schema.key.partition = {"pk", AttributeType::kS};
    schema.key.sort = KeyColumn{"sk", AttributeType::kS};
    ASSERT_TRUE(store_.CreateTable(schema).ok());
    const Status written = store_.Write([&](WriteTransaction& txn) -> Status {
      std::istringstream in(kItems);
      for (std::string line; std::getline(in, line);) {
        if (line.empty()) continue;
        TABLECAST_ASSIGN_OR_RETURN(const JsonValue json, ParseJson(line));
        TABLECAST_ASSIGN_OR_RETURN(const Item item, ItemFromPlainJson(json));
        TABLECAST_RETURN_IF_ERROR(txn.Put("Shop", item));
      }
      return {};
    });
    ASSERT_TRUE(written.ok());
    const CatalogLoad load = LoadCatalog(kFiles, &store_, {});
    for (const Issue& issue : load.issues)
      EXPECT_NE(issue.severity, Severity::kError) << issue.file << ": " << issue.message;
    ASSERT_NE(load.catalog, nullptr);
    catalog_ = load.catalog;
    auto snapshot = store_.BeginRead();
    auto check = CheckCatalog(*catalog_, **snapshot, {});
    ASSERT_TRUE(check.ok()) << check.error().ToString();
    check_ = *std::move(check);
  }

  // "target: message" of every finding with this code.
  std::vector<std::string> Found(const std::string& code) const {
    std::vector<std::string> out;
    for (const Issue& issue : check_.issues) {
      if (issue.code == code)
        out.push_back(issue.target + ": " + issue.message + "; " + issue.remedy);
    }
    return out;
  }

  MemoryItemStore store_;
  std::shared_ptr<const Catalog> catalog_;
  CatalogCheck check_;
};

TEST_F(CatalogCheckTest, ReadsEveryItemOnce) { EXPECT_EQ(check_.items, 7u); }

TEST_F(CatalogCheckTest, ItemsThatNobodyClaims) {
  EXPECT_THAT(Found("items-unclaimed"),
              ElementsAre(AllOf(HasSubstr("1 item of table Shop, for example 1012 / NOTE#1"),
                                HasSubstr("nearest is"))));
}

TEST_F(CatalogCheckTest, ItemsThatTwoClaim) {
  EXPECT_THAT(Found("items-claimed-twice"),
              ElementsAre(HasSubstr(
                  "Again and Orders both claim 1 item of table Shop, for example 1012 / ORDER")));
}

TEST_F(CatalogCheckTest, ValuesThatDoNotFit) {
  EXPECT_THAT(
      Found("conversion-errors"),
      ElementsAre(AllOf(HasSubstr("Orders.Placed: 1 item cannot be read as Date: 1013 / ORDER"),
                        HasSubstr("soon"))));
  EXPECT_THAT(
      Found("constraint-violations"),
      ::testing::UnorderedElementsAre(
          HasSubstr("Orders.Total: it is below its minimum in 1 item, for example 1013 / ORDER"),
          HasSubstr("Orders.Status: it is none of its `values` in 1 item"),
          HasSubstr("Orders.Buyer: it is required and missing in 2 items")));
}

TEST_F(CatalogCheckTest, AmbiguousExternalIds) {
  EXPECT_THAT(Found("external-id-ambiguous"),
              ElementsAre(AllOf(HasSubstr("Lines: 1 item share"), HasSubstr("'1-2-3'"))));
}

TEST_F(CatalogCheckTest, LinksThatLeadNowhere) {
  EXPECT_THAT(Found("relationship-dangling"),
              ElementsAre(HasSubstr(
                  "Lines.Order: 3 items name 3 Orders that are not there, for example \"1\"")));
}

TEST_F(CatalogCheckTest, PrefixesThatNoItemHasNameTheNearest) {
  EXPECT_THAT(Found("prefix-absent"),
              ElementsAre(AllOf(HasSubstr("Wrong.sk: no item's sk begins with \"product#\""),
                                HasSubstr("\"products#\" (4)"))));
  EXPECT_THAT(Found("object-empty"), ElementsAre(HasSubstr("Wrong")));
}

TEST_F(CatalogCheckTest, InversesThatDoNotHold) {
  EXPECT_THAT(Found("inverse-round-trip"), ElementsAre(HasSubstr("of 4 tried")));
}

TEST_F(CatalogCheckTest, SecretsInThePublishedNames) {
  EXPECT_THAT(Found("published-secret"), ElementsAre(HasSubstr("Orders.Token")));
}

TEST_F(CatalogCheckTest, EveryFindingHasARemedy) {
  for (const Issue& issue : check_.issues) EXPECT_NE(issue.remedy, "") << issue.code;
}

}  // namespace
}  // namespace tablecast
