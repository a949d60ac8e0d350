// Findings about a catalog: each code of docs/qualifiers.md by the smallest catalog that shows it, at a place and with a
// remedy; and no code beside those.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "tests/connector/order_fixture.h"

namespace tablecast::test {
namespace {

struct Case {
  const char* code;
  std::vector<CatalogFile> files;
  bool with_store = true;
};

std::string Order(const std::string& more) {
  return R"({"tableName": "OrderManagement", "columns": {"pk": {"type": "S"}, "sk": {"filter": "%"}})" + more + "}";
}

std::vector<Case> Cases() {
  const auto one = [](const std::string& more) { return std::vector<CatalogFile>{{"Orders.json", Order(more)}}; };
  const auto overlay = [](const std::string& text) {
    return std::vector<CatalogFile>{{"Orders.json", Order("")}, {"catalog.json", text}};
  };
  return {
      {"bad-object-name", {{"1st.json", Order("")}}},
      {"duplicate-object", {{"Orders.json", Order("")}, {"orders.json", Order("")}}},
      {"unknown-object", one(R"(, "relationships": {"Up": {"to": "Order", "column": "pk"}})")},
      {"unknown-object", overlay(R"({"objects": {"Order": {}}})")},
      {"overlay-conflict", {{"Orders.json", Order(R"(, "fields": {"pk": true})")},
                            {"catalog.json", R"({"objects": {"Orders": {"fields": {"pk": true}}}})"}}},
      {"fields-undeclared", one(""), false},
      {"fields-undeclared", one(R"(, "fields": {"TOTAL": true})"), false},
      {"field-untyped", one(R"(, "fields": {"TOTALS": {"label": "Total"}})")},
      {"bad-field-name", one(R"(, "fields": {"order date": {"type": "Text"}})")},
      {"bad-field-name", one(R"(, "fields": {"ExternalId": {"type": "Text"}})")},
      {"case-only-difference", one(R"(, "fields": {"Total": {"column": "TOTAL", "type": "Number"}, "TOTAL": {"type": "Number"}})")},
      {"currency-column-unpublished", one(R"(, "fields": {"TOTAL": {"type": "Currency", "currencyColumn": "CUR"}})")},
      {"bad-column", one(R"(, "fields": {"TOTAL": {"column": "a..b", "type": "Number"}})")},
      {"bad-column", one(R"(, "relationships": {"Up": {"to": "Orders", "column": "a..b"}})")},
      {"bad-column", one(R"(, "externalId": {"columns": ["a..b"]})")},
      {"bad-name", one(R"(, "relationships": {"my order": {"to": "Orders", "column": "pk"}})")},
      {"bad-name", overlay(R"({"namespace": "my shop"})")},
      {"duplicate-name", one(R"(, "relationships": {"pk": {"to": "Orders", "column": "pk"}})")},
      {"missing-option", one(R"(, "relationships": {"Up": {"column": "pk"}})")},
      {"bad-external", one(R"(, "relationships": {"Up": {"external": "Account", "column": "pk"}})")},
      {"bad-index", one(R"(, "indexes": [{"fields": ["TOTL desc"]}])")},
      {"bad-separator", one(R"(, "externalId": {"separator": "~"})")},
      {"bad-currency", overlay(R"({"currency": "euro"})")},
      {"bad-time-zone", overlay(R"({"timeZone": "CET"})")},
      {"relationship-types", one(R"(, "relationships": {"Up": {"to": "Orders", "column": "TOTAL"}})")},
      {"unknown-field", one(R"(, "object": {"aggregates": {"TOTL": "sum"}})")},
      {"aggregate-type", one(R"(, "object": {"aggregates": {"CUSTOMER": "sum"}})")},
      {"value-out-of-range", overlay(R"({"pageSize": 300, "maxPageSize": 200})")},
      {"value-out-of-range", one(R"(, "fields": {"TOTAL": {"type": "Number", "precision": 2, "scale": 4}})")},
      {"source-unsupported", overlay(R"({"sources": {"far": {"kind": "dynamodb"}}})")},
      {"source-unsupported", one(R"(, "source": "far")")},
      {"table-missing", {{"Orders.json", R"({"tableName": "Nowhere", "columns": {"pk": {"type": "S"}}})"}}},
  };
}

std::vector<Issue> IssuesOf(const Case& one) {
  MemoryItemStore store;
  EXPECT_TRUE(store.CreateTable(OrderSchema()).ok());
  const Status written = store.Write([&](WriteTransaction& txn) -> Status {
    for (const Item& item : OrderItems()) TABLECAST_RETURN_IF_ERROR(txn.Put("OrderManagement", item));
    return {};
  });
  EXPECT_TRUE(written.ok());
  return LoadCatalog(one.files, one.with_store ? &store : nullptr, {}).issues;
}

TEST(CatalogDiagnosticsTest, EveryCodeIsShownPlacedAndDocumented) {
  std::ifstream in(std::string(TABLECAST_SOURCE_DIR) + "/docs/qualifiers.md", std::ios::binary);
  const std::string docs((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::set<std::string> shown;
  for (const Case& one : Cases()) {
    const std::vector<Issue> issues = IssuesOf(one);
    bool found = false;
    for (const Issue& issue : issues) {
      found = found || issue.code == one.code;
      shown.insert(issue.code);
      EXPECT_FALSE(issue.remedy.empty()) << one.code << ": " << issue.message;
      EXPECT_FALSE(issue.file.empty()) << one.code << ": " << issue.message;
      EXPECT_NE(issue.span.begin.line, 0U) << one.code << ": " << issue.message;
      EXPECT_NE(docs.find("| `" + issue.code + "` |"), std::string::npos) << issue.code << " is not documented";
    }
    EXPECT_TRUE(found) << one.code << " is not shown by " << one.files.front().text << "\n" << IssuesText(issues);
  }
  // Two fields can get one name only by what is inferred beside a declared one, which takes another name; a store that
  // refuses a write is tested where stores are.
  const std::set<std::string> kElsewhere = {"duplicate-field", "schema-not-kept"};
  const std::size_t begin = docs.find("\n### Findings about a catalog\n");
  ASSERT_NE(begin, std::string::npos);
  std::istringstream lines(docs.substr(begin + 1, docs.find("\n### ", begin + 1) - begin - 1));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string code = line.substr(3, line.find('`', 3) - 3);
    EXPECT_TRUE(kElsewhere.contains(code) || shown.contains(code)) << code << " is shown by no catalog";
  }
}

}  // namespace
}  // namespace tablecast::test
