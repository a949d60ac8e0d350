#include "connector/query_engine.h"

#include <gmock/gmock.h>

#include <set>

#include "tests/connector/order_fixture.h"

namespace tablecast::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using X = Expressions;

class QueryEngineTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { shop_ = new Shop(Shop::Orders()); }
  static void TearDownTestSuite() {
    delete shop_;
    shop_ = nullptr;
  }
  ObjectQuery On(std::string_view object) const {
    ObjectQuery query;
    query.object = &shop_->object(object);
    return query;
  }
  ResultPage Run(const ObjectQuery& query) const {
    Result<ResultPage> page = shop_->engine().Query(query);
    EXPECT_TRUE(page.ok()) << (page.ok() ? "" : page.error().ToString());
    return page.ok() ? *std::move(page) : ResultPage{};
  }
  Result<ResultPage> ById(std::string_view object, std::string id) const {
    ObjectQuery query = On(object);
    query.start.emplace();
    query.start->object = query.object;
    query.start->key.external_id = std::move(id);
    return shop_->engine().Get(query);
  }
  static Shop* shop_;
};
Shop* QueryEngineTest::shop_ = nullptr;

TEST_F(QueryEngineTest, EachObjectSeesItsOwnRecordsOnly) {
  EXPECT_EQ(*shop_->engine().Count(On("Orders")), 30U);
  EXPECT_EQ(*shop_->engine().Count(On("Products")), 10U);
  const ResultPage lines = Run(On("OrderItems"));
  EXPECT_EQ(lines.records.size(), *shop_->engine().Count(On("OrderItems")));
  for (const Record& record : lines.records)
    EXPECT_EQ(record.external_id.find("products#"), std::string::npos);
}

TEST_F(QueryEngineTest, RecordByExternalIdIsTyped) {
  const Result<ResultPage> page = ById("Orders", "1012");
  ASSERT_TRUE(page.ok()) << page.error().ToString();
  ASSERT_THAT(page->records, SizeIs(1));
  EXPECT_EQ(ValueOf(*page, 0, "ExternalId").text(), "1012");
  EXPECT_EQ(ValueOf(*page, 0, "ORDERDATE").kind(), EdmKind::kDateTimeOffset);
  EXPECT_EQ(ValueOf(*page, 0, "ORDERDATE").ToText(), "2024-05-12T00:00:00Z");
  EXPECT_EQ(ValueOf(*page, 0, "TOTAL").number(), *Decimal::Parse("120.25"));
  const Field& total = *shop_->object("Orders").FindField("TOTAL");
  EXPECT_EQ(total.type, FieldType::kCurrency);
  EXPECT_EQ(total.currency_code, "EUR");
  EXPECT_EQ(shop_->object("Orders").FindField("sk"), nullptr);  // fixed to one constant: no field
  const EdmValue address = ValueOf(*page, 0, "address");
  ASSERT_EQ(address.kind(), EdmKind::kComplex);
  EXPECT_EQ(address.complex().front().second.text(), "Bonn");
  EXPECT_THAT(page->records.front().etag, SizeIs(32));
}

TEST_F(QueryEngineTest, LineByExternalIdLeavesThePrefixOut) {
  const Result<ResultPage> page = ById("OrderItems", "1012-3");
  ASSERT_TRUE(page.ok()) << page.error().ToString();
  EXPECT_EQ(ValueOf(*page, 0, "productCode").text(), "3");
  EXPECT_EQ(ValueOf(*page, 0, "sk").text(), "products#3");
  EXPECT_EQ(ById("OrderItems", "1012-99").error().reason, "record-not-found");
  EXPECT_EQ(ById("Orders", "config").error().reason,
            "record-not-found");  // no number: not an order
  EXPECT_EQ(ById("OrderItems", "1012").error().reason, "record-not-found");
}

TEST_F(QueryEngineTest, AlternateKeyNamesTheRawColumns) {
  ObjectQuery query = On("Orders");
  query.start.emplace();
  query.start->object = query.object;
  query.start->key.alternate = {{"sk", EdmValue::String("ORDER")},
                                {"pk", EdmValue::String("1012")}};
  ASSERT_TRUE(shop_->engine().Get(query).ok());
  query.start->key.alternate = {{"pk", EdmValue::String("1012")}};
  EXPECT_EQ(shop_->engine().Get(query).error().reason, "key-column-missing");
  query.start->key.alternate = {{"NAME", EdmValue::String("x")}};
  EXPECT_EQ(shop_->engine().Get(query).error().reason, "key-column-unknown");
  query.start->key.alternate = {{"pk", EdmValue::Int(1012)}, {"sk", EdmValue::String("ORDER")}};
  EXPECT_EQ(shop_->engine().Get(query).error().reason, "key-type");
  // An item of another record type under that key is no order.
  query.start->key.alternate = {{"pk", EdmValue::String("1012")},
                                {"sk", EdmValue::String("products#3")}};
  EXPECT_EQ(shop_->engine().Get(query).error().reason, "record-not-found");
}

TEST_F(QueryEngineTest, PagesNeitherLoseNorRepeat) {
  const X x(shop_->object("Orders"));
  struct Case {
    std::string name;
    std::vector<SortKey> order;
    ExpressionPtr filter;
  };
  const std::vector<Case> cases = {
      {"native", {}, nullptr},
      {"status", {{x.F("STATUS"), false}}, nullptr},
      {"status desc", {{x.F("STATUS"), true}}, nullptr},
      {"note, null first", {{x.F("NOTE"), false}, {x.F("STATUS"), true}}, nullptr},
      {"total desc", {{x.F("TOTAL"), true}}, nullptr},
      {"customer by date desc",
       {{x.F("ORDERDATE"), true}},
       X::Op(BinaryOp::kEq, x.F("CUSTOMER"), X::T("C-101"))},
      {"customer by date asc",
       {{x.F("ORDERDATE"), false}},
       X::Op(BinaryOp::kEq, x.F("CUSTOMER"), X::T("C-101"))},
      {"pk desc", {{x.F("pk"), true}}, nullptr},
      {"expression", {{X::Call("length", {x.F("STATUS")}), true}}, nullptr},
  };
  for (const Case& c : cases) {
    for (const std::uint32_t size : {1U, 4U, 7U, 100U}) {
      for (const Engine engine : {Engine::kAuto, Engine::kScan, Engine::kRow}) {
        ObjectQuery whole = On("Orders");
        whole.filter = c.filter;
        whole.order_by = c.order;
        whole.engine = Engine::kScan;
        const std::vector<std::string> expected = Ids(Run(whole));
        ObjectQuery query = whole;
        query.engine = engine;
        query.page_size = size;
        query.count = true;
        std::vector<std::string> seen;
        for (int page_number = 0; page_number < 40; ++page_number) {
          const ResultPage page = Run(query);
          EXPECT_EQ(page.count, expected.size()) << c.name;
          for (const std::string& id : Ids(page)) seen.push_back(id);
          query.start_after = page.next;
          if (page.next.empty()) break;
          EXPECT_EQ(page.records.size(), size) << c.name;
        }
        EXPECT_EQ(seen, expected) << c.name << ", page size " << size << ", engine "
                                  << static_cast<int>(engine);
      }
    }
  }
}

TEST_F(QueryEngineTest, SkipAndTopAcrossPages) {
  ObjectQuery query = On("Orders");
  query.skip = 3;
  query.top = 5;
  query.page_size = 2;
  std::vector<std::string> seen;
  do {
    const ResultPage page = Run(query);
    for (const std::string& id : Ids(page)) seen.push_back(id);
    query.start_after = page.next;
  } while (!query.start_after.empty() && seen.size() < 100);
  EXPECT_THAT(seen, ElementsAre("1004", "1005", "1006", "1007", "1008"));
  query = On("Orders");
  query.top = 0;
  query.count = true;
  const ResultPage none = Run(query);
  EXPECT_THAT(none.records, IsEmpty());
  EXPECT_EQ(none.count, 30U);
  EXPECT_EQ(none.next, "");
}

TEST_F(QueryEngineTest, ForgedTokensAreRefused) {
  for (const std::string& token : {std::string("x"), std::string("1"), std::string("1999"),
                                   std::string("15;1;zzz"), std::string("10;0;\0\0", 6)}) {
    ObjectQuery query = On("Orders");
    query.start_after = token;
    const Result<ResultPage> page = shop_->engine().Query(query);
    ASSERT_FALSE(page.ok()) << token;
    EXPECT_EQ(page.error().reason, "skiptoken-invalid");
  }
}

TEST_F(QueryEngineTest, EmptyTextIsNull) {
  const X x(shop_->object("Orders"));
  ObjectQuery query = On("Orders");
  query.filter = X::Op(BinaryOp::kEq, x.F("NOTE"), X::L({}));
  EXPECT_EQ(*shop_->engine().Count(query), 30U);
  query.filter = X::Op(BinaryOp::kNe, x.F("NOTE"), X::L({}));
  EXPECT_EQ(*shop_->engine().Count(query), 0U);
  query.filter = X::Op(BinaryOp::kEq, x.F("NOTE"), X::T(""));
  EXPECT_EQ(*shop_->engine().Count(query), 0U);
}

struct PlanCase {
  std::string name;
  std::string object;
  ExpressionPtr filter;
  AccessKind access;
  std::uint64_t most_items;
};

TEST_F(QueryEngineTest, ChoosesTheCheapestPath) {
  const X o(shop_->object("Orders"));
  const X l(shop_->object("OrderItems"));
  const auto both = [](ExpressionPtr a, ExpressionPtr b) {
    return X::Op(BinaryOp::kAnd, std::move(a), std::move(b));
  };
  const std::vector<PlanCase> cases = {
      {"by id", "Orders", X::Op(BinaryOp::kEq, o.F("ExternalId"), X::T("1012")),
       AccessKind::kPointGet, 1},
      {"by ids", "OrderItems",
       *expr::In(l.F("ExternalId"), {X::T("1012-3"), X::T("1013-4"), X::T("nope")}),
       AccessKind::kPointGet, 2},
      {"by key", "Orders", X::Op(BinaryOp::kEq, o.F("pk"), X::T("1012")), AccessKind::kPointGet, 1},
      {"or of keys", "Orders",
       X::Op(BinaryOp::kOr, X::Op(BinaryOp::kEq, o.F("pk"), X::T("1012")),
             X::Op(BinaryOp::kEq, o.F("pk"), X::T("1013"))),
       AccessKind::kPointGet, 2},
      {"lines of an order", "OrderItems", X::Op(BinaryOp::kEq, l.F("pk"), X::T("1012")),
       AccessKind::kPartitionRange, 4},
      {"one line by virtual column", "OrderItems",
       both(X::Op(BinaryOp::kEq, l.F("pk"), X::T("1012")),
            X::Op(BinaryOp::kEq, l.F("productCode"), X::T("3"))),
       AccessKind::kPointGet, 1},
      {"lines of a product", "OrderItems", X::Op(BinaryOp::kEq, l.F("productCode"), X::T("3")),
       AccessKind::kDeclaredIndex, 12},
      {"orders of a customer", "Orders", X::Op(BinaryOp::kEq, o.F("CUSTOMER"), X::T("C-101")),
       AccessKind::kDeclaredIndex, 10},
      {"members", "Orders", X::Op(BinaryOp::kGt, o.F("TOTAL"), X::D("100")),
       AccessKind::kMembershipIndex, 30},
      {"impossible", "Orders",
       both(X::Op(BinaryOp::kEq, o.F("pk"), X::T("1")), X::Op(BinaryOp::kEq, o.F("pk"), X::T("2"))),
       AccessKind::kNothing, 0},
  };
  for (const PlanCase& c : cases) {
    ObjectQuery query = On(c.object);
    query.filter = c.filter;
    query.engine = Engine::kScan;
    const std::vector<std::string> expected = Ids(Run(query));
    query.engine = Engine::kAuto;
    query.want_plan = true;
    const ResultPage page = Run(query);
    EXPECT_EQ(Ids(page), expected) << c.name;
    ASSERT_TRUE(page.plan.has_value()) << c.name;
    EXPECT_EQ(AccessKindName(page.plan->access), AccessKindName(c.access))
        << c.name << "\n"
        << ExplainText(*page.plan);
    EXPECT_LE(page.plan->actual->items, c.most_items) << c.name << "\n" << ExplainText(*page.plan);
  }
}

TEST_F(QueryEngineTest, OrderHistoryOfACustomerReadsOnlyThePage) {
  const X x(shop_->object("Orders"));
  ObjectQuery query = On("Orders");
  query.filter = X::Op(BinaryOp::kEq, x.F("CUSTOMER"), X::T("C-101"));
  query.order_by = {{x.F("ORDERDATE"), true}};
  query.top = 4;
  query.count = true;
  query.want_plan = true;
  const ResultPage page = Run(query);
  EXPECT_EQ(page.count, 10U);
  EXPECT_THAT(Ids(page), ElementsAre("1028", "1025", "1022", "1019"));
  EXPECT_EQ(AccessKindName(page.plan->access), "declared-index");
  EXPECT_LE(page.plan->actual->items, 5U);
  EXPECT_EQ(page.plan->order, "index");
}

TEST_F(QueryEngineTest, DatesCompareByInstantWhateverTheirForm) {
  const X x(shop_->object("Orders"));
  ObjectQuery query = On("Orders");
  query.filter =
      X::Op(BinaryOp::kAnd, X::Op(BinaryOp::kGe, x.F("ORDERDATE"), X::At("2024-05-11T10:00:00Z")),
            X::Op(BinaryOp::kLt, x.F("ORDERDATE"), X::At("2024-05-13T10:00:01Z")));
  // 1011: basic form 12:00+02:00 = 10:00Z; 1012: date alone; 1013: 10:00:00.5Z
  for (const Engine engine : {Engine::kAuto, Engine::kScan}) {
    query.engine = engine;
    EXPECT_THAT(Ids(Run(query)), ElementsAre("1011", "1012", "1013"));
  }
}

TEST_F(QueryEngineTest, ExpandReadsAnOrderWithItsLinesAsOneRange) {
  ObjectQuery query = On("Orders");
  query.start.emplace();
  query.start->object = query.object;
  query.start->key.external_id = "1011";
  query.want_plan = true;
  ExpandItem lines;
  lines.navigation = query.object->FindNavigation("Lines");
  ASSERT_NE(lines.navigation, nullptr);
  auto nested = std::make_shared<ObjectQuery>();
  nested->object = lines.navigation->target;
  ExpandItem product;
  product.navigation = nested->object->FindNavigation("Product");
  ASSERT_NE(product.navigation, nullptr);
  nested->expand.push_back(product);
  lines.query = nested;
  query.expand.push_back(lines);
  const Result<ResultPage> page = shop_->engine().Get(query);
  ASSERT_TRUE(page.ok()) << page.error().ToString();
  ASSERT_THAT(page->records, SizeIs(1));
  const ResultPage& children = *page->records[0].expanded.at(0);
  EXPECT_THAT(Ids(children), ElementsAre("1011-1", "1011-2", "1011-5", "1011-8"));
  for (const Record& line : children.records) {
    ASSERT_THAT(line.expanded.at(0)->records, SizeIs(1));
    EXPECT_EQ(line.external_id.substr(5), line.expanded[0]->records[0].external_id);
  }
  EXPECT_EQ(AccessKindName(page->plan->access), "partition-range");
  EXPECT_EQ(page->plan->actual->items, 5U);  // the order and its four lines
  EXPECT_EQ(page->plan->root.actual_rows, 5U);
  ASSERT_THAT(page->plan->expands, SizeIs(1));  // all products in one batch
  EXPECT_EQ(page->plan->expands[0].actual->items, 4U);
}

TEST_F(QueryEngineTest, ExpandOfAPageReadsChildrenInOneBatchPerLevel) {
  ObjectQuery query = On("Products");
  query.want_plan = true;
  ExpandItem lines;
  lines.navigation = query.object->FindNavigation("Lines");
  auto nested = std::make_shared<ObjectQuery>();
  nested->object = lines.navigation->target;
  const X x(*nested->object);
  nested->order_by = {{x.F("QUANTITY"), true}};
  nested->top = 2;
  nested->count = true;
  lines.query = nested;
  query.expand.push_back(lines);
  const ResultPage page = Run(query);
  ASSERT_THAT(page.records, SizeIs(10));
  std::uint64_t lines_in_all = 0;
  for (const Record& record : page.records) {
    const ResultPage& children = *record.expanded.at(0);
    lines_in_all += *children.count;
    EXPECT_LE(children.records.size(), 2U);
    for (std::size_t i = 1; i < children.records.size(); ++i) {
      EXPECT_TRUE(
          OrderEdm(ValueOf(children, i - 1, "QUANTITY"), ValueOf(children, i, "QUANTITY")) >= 0);
    }
  }
  EXPECT_EQ(lines_in_all, *shop_->engine().Count(On("OrderItems")));
  EXPECT_THAT(page.plan->expands, SizeIs(1));
}

TEST_F(QueryEngineTest, PathsLeadThroughNavigations) {
  ObjectQuery lines = On("OrderItems");
  lines.start.emplace();
  lines.start->object = &shop_->object("Orders");
  lines.start->key.external_id = "1011";
  PathStart::Step to_lines;
  to_lines.navigation = shop_->object("Orders").FindNavigation("Lines");
  lines.start->steps.push_back(to_lines);
  EXPECT_EQ(*shop_->engine().Count(lines), 4U);

  ObjectQuery product = On("Products");
  product.start = lines.start;
  product.start->steps[0].key.emplace();
  product.start->steps[0].key->external_id = "1011-5";
  PathStart::Step to_product;
  to_product.navigation = shop_->object("OrderItems").FindNavigation("Product");
  product.start->steps.push_back(to_product);
  const Result<ResultPage> found = shop_->engine().Get(product);
  ASSERT_TRUE(found.ok()) << found.error().ToString();
  EXPECT_THAT(Ids(*found), ElementsAre("5"));

  // A line of another order is not below this one.
  product.start->steps[0].key->external_id = "1012-3";
  EXPECT_EQ(shop_->engine().Get(product).error().reason, "record-not-found");
}

TEST_F(QueryEngineTest, FiltersFollowNavigations) {
  const ExternalObject& orders = shop_->object("Orders");
  const ExternalObject& items = shop_->object("OrderItems");
  const Navigation& lines = *orders.FindNavigation("Lines");
  ObjectQuery query = On("Orders");
  const ExpressionPtr quantity = *expr::FieldRef({1, {}}, items, *items.FindField("QUANTITY"));
  query.filter = *expr::LambdaOverRecords(LambdaKind::kAny, {}, lines, 1, "l",
                                          X::Op(BinaryOp::kEq, quantity, X::D("4")));
  EXPECT_EQ(*shop_->engine().Count(query), 7U);  // o % 4 == 3
  query.filter =
      X::Op(BinaryOp::kEq, *expr::CountOfRecords({}, lines, 1, nullptr, nullptr), X::D("1"));
  EXPECT_EQ(*shop_->engine().Count(query), 7U);  // o % 4 == 0
  ObjectQuery by_product = On("OrderItems");
  const ExternalObject& products = shop_->object("Products");
  by_product.filter = X::Op(BinaryOp::kEq,
                            *expr::FieldRef({0, {items.FindNavigation("Product")}}, products,
                                            *products.FindField("PRICE")),
                            X::D("3.5"));
  const ResultPage page = Run(by_product);
  EXPECT_FALSE(page.records.empty());
  for (std::size_t i = 0; i < page.records.size(); ++i)
    EXPECT_EQ(ValueOf(page, i, "productCode").text(), "3");
}

TEST_F(QueryEngineTest, SearchFoldsCase) {
  ObjectQuery query = On("Products");
  query.search = SearchTerm("STRAßE");
  EXPECT_THAT(Ids(Run(query)), ElementsAre("3"));
  query.search = SearchAnd({SearchTerm("product"), SearchNot(SearchTerm("1"))});
  EXPECT_THAT(Run(query).records, SizeIs(7));
  query.search = SearchOr({SearchTerm("product 2"), SearchTerm("product 4")});
  EXPECT_THAT(Ids(Run(query)), ElementsAre("2", "4"));
}

TEST_F(QueryEngineTest, LimitsNameThemselves) {
  const X x{shop_->object("Orders")};
  ObjectQuery query = On("Orders");
  query.limits.max_items_scanned = 5;
  EXPECT_EQ(shop_->engine().Query(query).error().reason, "query-scan-limit");
  query.limits = {};
  query.limits.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  EXPECT_EQ(shop_->engine().Query(query).error().reason, "query-deadline");
  query.limits = {};
  // Names that double: one record would take 2^40 steps, or a text of as many bytes.
  ExpressionPtr sum = x.F("TOTAL");
  ExpressionPtr text = x.F("CUSTOMER");
  for (int i = 0; i < 40; ++i) {
    const std::string name = "c" + std::to_string(i);
    sum = expr::Alias(name, *expr::Binary(BinaryOp::kAdd, sum, sum));
    text = expr::Alias(name, *expr::Call("concat", {text, text}));
  }
  query.limits.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  query.computed = {{"c", sum, true}};
  EXPECT_EQ(shop_->engine().Query(query).error().reason, "query-deadline");
  query.limits = {};
  query.computed = {{"c", text, true}};
  EXPECT_EQ(shop_->engine().Query(query).error().reason, "concat-too-long");
  // Many columns that are each short enough: the answer as a whole has a limit.
  text = *expr::Call("concat", {x.F("CUSTOMER"), expr::Literal(EdmValue::String(std::string(900000, 'x')))});
  query.computed.clear();
  for (int i = 0; i < 400; ++i) query.computed.push_back({"c" + std::to_string(i), text, true});
  EXPECT_EQ(shop_->engine().Query(query).error().reason, "computed-too-large");
  query.computed.clear();
  query.engine = Engine::kColumnar;
  EXPECT_EQ(shop_->engine().Query(query).error().reason, "engine-unavailable");
}

TEST_F(QueryEngineTest, WithoutIndexesTheAnswersAreTheSame) {
  const Shop bare = Shop::Orders(false);
  const X x(bare.object("Orders"));
  ObjectQuery query;
  query.object = &bare.object("Orders");
  query.filter = X::Op(BinaryOp::kEq, x.F("CUSTOMER"), X::T("C-101"));
  query.order_by = {{x.F("ORDERDATE"), true}};
  query.count = true;
  const Result<ResultPage> page = bare.engine().Query(query);
  ASSERT_TRUE(page.ok());
  EXPECT_TRUE(page->full_scan);
  EXPECT_EQ(page->count, 10U);
  EXPECT_EQ(Ids(*page).front(), "1028");
  query.engine = Engine::kIndex;
  EXPECT_EQ(bare.engine().Query(query).error().reason, "engine-unavailable");
}

TEST_F(QueryEngineTest, ExplainsInTextAndJson) {
  const X x(shop_->object("OrderItems"));
  ObjectQuery query = On("OrderItems");
  query.filter = X::Op(BinaryOp::kAnd, X::Op(BinaryOp::kEq, x.F("productCode"), X::T("3")),
                       X::Op(BinaryOp::kGt, x.F("QUANTITY"), X::D("1")));
  query.order_by = {{x.F("QUANTITY"), true}};
  const Result<PlanReport> report = shop_->engine().Explain(query, false);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->actual.has_value());
  ASSERT_THAT(report->residual, SizeIs(1));
  EXPECT_EQ(report->residual[0].first, "QUANTITY gt 1");
  EXPECT_EQ(report->residual[0].second, "not part of the chosen index");
  const std::string text = ExplainText(*report);
  EXPECT_NE(text.find("TopN_3"), std::string::npos) << text;
  EXPECT_NE(text.find("DeclaredIndexRange_1"), std::string::npos) << text;
  EXPECT_NE(text.find("access object"), std::string::npos) << text;
  EXPECT_NE(ExplainJson(*report).find("\"kind\": \"declared-index\""), std::string::npos)
      << ExplainJson(*report);
}

}  // namespace
}  // namespace tablecast::test
