// One plan per access path, as `explain` shows it, against tests/golden/plans. A change of the planner shows here.
// TABLECAST_UPDATE_GOLDEN=1 writes the files anew; read the difference.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "connector/columnar_build.h"
#include "tests/connector/order_fixture.h"

namespace tablecast::test {
namespace {

using X = Expressions;

TableSchema SchemaWithIndex() {
  TableSchema schema = OrderSchema();
  SecondaryIndex by_name;
  by_name.name = "by-name";
  by_name.partition = {{"NAME", AttributeType::kS}};
  by_name.projection = ProjectionType::kKeysOnly;
  schema.indexes.push_back(by_name);
  return schema;
}

// 400 orders, so that reading a page and reading everything differ; a sidecar of the orders.
Shop MakeShop() {
  std::vector<Item> items = OrderItems();
  for (int o = 2000; o < 2400; ++o) {
    Item item;
    item["pk"] = S(std::to_string(o));
    item["sk"] = S("ORDER");
    item["CUSTOMER"] = S("C-" + std::to_string(o % 40));
    item["STATUS"] = S(o % 2 == 0 ? "PAID" : "OPEN");
    item["ORDERDATE"] = S("2024-06-0" + std::to_string(o % 9 + 1));
    item["TOTAL"] = N(std::to_string(o % 100) + ".5");
    items.push_back(std::move(item));
  }
  std::vector<CatalogFile> files = Shop::Files();
  std::string& catalog = files.back().text;
  const std::string orders = "\"Orders\": {";
  catalog.insert(catalog.find(orders) + orders.size(), "\"object\": {\"columnar\": true}, ");
  Shop shop(SchemaWithIndex(), items, files);
  const auto built = BuildColumnar(*shop.catalog, "OrderManagement", *shop.store, 1,
                                   [](std::uint64_t, std::uint64_t) { return true; });
  EXPECT_TRUE(built.ok());
  return shop;
}

struct Case {
  const char* path;
  const char* object;
  std::function<void(const X&, ObjectQuery&)> set;
};

TEST(PlanGoldenTest, OneOfEachAccessPath) {
  const Shop shop = MakeShop();
  const auto eq = [](ExpressionPtr a, ExpressionPtr b) { return X::Op(BinaryOp::kEq, std::move(a), std::move(b)); };
  const std::vector<Case> cases = {
      {"nothing", "Orders", [&](const X& x, ObjectQuery& q) { q.filter = eq(x.F("pk"), X::T("none")); }},
      {"point-get", "Orders", [&](const X& x, ObjectQuery& q) { q.filter = eq(x.F("pk"), X::T("1012")); }},
      {"partition-range", "OrderItems", [&](const X& x, ObjectQuery& q) { q.filter = eq(x.F("pk"), X::T("1012")); }},
      {"table-range", "OrderItems",
       [&](const X& x, ObjectQuery& q) {
         q.filter = X::Call("startswith", {x.F("pk"), X::T("101")});
         q.engine = Engine::kRow;
       }},
      {"secondary-index", "Products", [&](const X& x, ObjectQuery& q) { q.filter = eq(x.F("NAME"), X::T("Product 4")); }},
      {"membership-index", "Orders", [&](const X&, ObjectQuery& q) { q.top = 10; }},
      {"declared-index", "Orders",
       [&](const X& x, ObjectQuery& q) {
         q.filter = eq(x.F("CUSTOMER"), X::T("C-7"));
         q.order_by = {{x.F("ORDERDATE"), true}};
         q.top = 26;
       }},
      {"columnar-sidecar", "Orders",
       [&](const X& x, ObjectQuery& q) {
         q.filter = X::Op(BinaryOp::kAnd, X::Op(BinaryOp::kGt, x.F("TOTAL"), X::D("98")),
                          X::Op(BinaryOp::kNe, x.F("STATUS"), X::T("PAID")));
       }},
      {"full-scan", "OrderItems",
       [&](const X& x, ObjectQuery& q) {
         q.filter = X::Op(BinaryOp::kGt, x.F("QUANTITY"), X::D("2"));
         q.engine = Engine::kScan;
       }},
  };
  for (const Case& c : cases) {
    ObjectQuery query;
    query.object = &shop.object(c.object);
    c.set(X(*query.object), query);
    const Result<PlanReport> report = shop.engine().Explain(query, false);
    ASSERT_TRUE(report.ok()) << c.path << ": " << report.error().ToString();
    EXPECT_EQ(AccessKindName(report->access), c.path);
    const std::string seen = ExplainText(*report) + "\n" + ExplainJson(*report) + "\n";
    const std::string file = std::string(TABLECAST_SOURCE_DIR) + "/tests/golden/plans/" + c.path + ".golden";
    if (std::getenv("TABLECAST_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(file) << seen;
      continue;
    }
    std::ifstream in(file);
    ASSERT_TRUE(in) << file;
    std::ostringstream expected;
    expected << in.rdbuf();
    EXPECT_EQ(seen, expected.str()) << c.path;
  }
}

}  // namespace
}  // namespace tablecast::test
