#include <gmock/gmock.h>

#include "connector/query_engine.h"
#include "tests/connector/order_fixture.h"

namespace tablecast::test {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using X = Expressions;

std::string RowText(const ApplyResult& result, std::size_t row) {
  std::string out;
  for (std::size_t i = 0; i < result.shape.columns.size(); ++i) {
    const std::optional<EdmValue>& value = result.rows.at(row).values.at(i);
    if (!value) continue;
    out += (out.empty() ? "" : " ") + result.shape.columns[i].name + "=" + value->ToLiteral();
  }
  return out;
}

std::vector<std::string> RowTexts(const ApplyResult& result) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < result.rows.size(); ++i) out.push_back(RowText(result, i));
  return out;
}

class ApplyTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { shop_ = new Shop(Shop::Orders()); }
  static void TearDownTestSuite() {
    delete shop_;
    shop_ = nullptr;
  }
  ApplyQuery Over(std::string_view object, ApplySteps steps) const {
    ApplyQuery query;
    query.base.object = &shop_->object(object);
    query.steps = std::move(steps);
    return query;
  }
  ApplyResult Run(const ApplyQuery& query) const {
    Result<ApplyResult> result = shop_->engine().Apply(query);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().ToString());
    return result.ok() ? *std::move(result) : ApplyResult{};
  }
  X Orders() const { return X(shop_->object("Orders")); }

  static ApplyStep Filter(ExpressionPtr expression) {
    ApplyStep step;
    step.kind = ApplyStep::Kind::kFilter;
    step.expression = std::move(expression);
    return step;
  }
  static ApplyStep Aggregate(std::vector<AggregateItem> items) {
    ApplyStep step;
    step.kind = ApplyStep::Kind::kAggregate;
    step.aggregates = std::move(items);
    return step;
  }
  static ApplyStep GroupBy(std::vector<GroupKey> keys, ApplySteps steps = {}) {
    ApplyStep step;
    step.kind = ApplyStep::Kind::kGroupBy;
    step.group_by = std::move(keys);
    step.group_steps = std::move(steps);
    return step;
  }
  static ApplyStep Amount(ApplyStep::Kind kind, std::string_view amount,
                          ExpressionPtr expression = nullptr) {
    ApplyStep step;
    step.kind = kind;
    step.amount = *Decimal::Parse(amount);
    step.expression = std::move(expression);
    return step;
  }
  static Shop* shop_;
};
Shop* ApplyTest::shop_ = nullptr;

TEST_F(ApplyTest, AggregatesAreExact) {
  const X x = Orders();
  const ApplyResult result =
      Run(Over("Orders", {Aggregate({{AggregateMethod::kSum, x.F("TOTAL"), "S"},
                                     {AggregateMethod::kMin, x.F("TOTAL"), "Low"},
                                     {AggregateMethod::kMax, x.F("CUSTOMER"), "Last"},
                                     {AggregateMethod::kAverage, x.F("TOTAL"), "Avg"},
                                     {AggregateMethod::kCountDistinct, x.F("STATUS"), "Kinds"},
                                     {AggregateMethod::kSum, x.F("TOTAL"), "Again"},
                                     {AggregateMethod::kCount, nullptr, "N"}})}));
  // sum of 10..300 step 10 is 4650, and 30 * 0.25
  EXPECT_THAT(RowTexts(result),
              ElementsAre("S=4657.5 Low=10.25 Last='C-102' Avg=155.25 Kinds=3 Again=4657.5 N=30"));
}

TEST_F(ApplyTest, AggregateOfNothingIsOneRow) {
  const X x = Orders();
  const ApplyResult result =
      Run(Over("Orders", {Filter(X::Op(BinaryOp::kGt, x.F("TOTAL"), X::D("9999"))),
                          Aggregate({{AggregateMethod::kSum, x.F("TOTAL"), "S"},
                                     {AggregateMethod::kCount, nullptr, "N"}})}));
  EXPECT_THAT(RowTexts(result), ElementsAre("S=null N=0"));
}

TEST_F(ApplyTest, GroupsByFieldWithOptionsOverTheResult) {
  const X x = Orders();
  ApplyQuery query =
      Over("Orders", {GroupBy({{"CUSTOMER", x.F("CUSTOMER")}},
                              {Aggregate({{AggregateMethod::kSum, x.F("TOTAL"), "S"},
                                          {AggregateMethod::kCount, nullptr, "N"}})})});
  EXPECT_THAT(RowTexts(Run(query)),
              ElementsAre("CUSTOMER='C-100' S=1652.5 N=10", "CUSTOMER='C-101' S=1452.5 N=10",
                          "CUSTOMER='C-102' S=1552.5 N=10"));
  const ApplyShape shape = *ShapeAfter(*query.base.object, query.steps);
  const ExpressionPtr sum = expr::ColumnRef(1, "S", shape.columns[1].type);
  query.filter = X::Op(BinaryOp::kGt, sum, X::D("1500"));
  query.order_by = {{sum, true}};
  query.count = true;
  query.top = 1;
  const ApplyResult result = Run(query);
  EXPECT_EQ(result.count, 2U);
  EXPECT_THAT(RowTexts(result), ElementsAre("CUSTOMER='C-100' S=1652.5 N=10"));
}

TEST_F(ApplyTest, GroupsByPathToOneAndByComputedColumn) {
  const ExternalObject& items = shop_->object("OrderItems");
  const ExternalObject& products = shop_->object("Products");
  const X x(items);
  const ExpressionPtr in_stock = *expr::FieldRef({0, {items.FindNavigation("Product")}}, products,
                                                 *products.FindField("INSTOCK"));
  ApplyStep compute;
  compute.kind = ApplyStep::Kind::kCompute;
  compute.computed.push_back({"Twice", X::Op(BinaryOp::kMul, x.F("QUANTITY"), X::D("2"))});
  const ExpressionPtr twice = expr::Alias("Twice", compute.computed[0].expression);
  const ApplyResult result = Run(
      Over("OrderItems", {compute, GroupBy({{"Product/INSTOCK", in_stock}},
                                           {Aggregate({{AggregateMethod::kSum, twice, "T"}})})}));
  ASSERT_THAT(result.rows, SizeIs(2));
  const ApplyResult all =
      Run(Over("OrderItems", {Aggregate({{AggregateMethod::kSum, x.F("QUANTITY"), "Q"}})}));
  const Decimal half =
      Add(result.rows[0].values[1]->number(), result.rows[1].values[1]->number(), Decimal::kStored);
  EXPECT_EQ(half, Multiply(all.rows[0].values[0]->number(), Decimal(2), Decimal::kStored));
}

TEST_F(ApplyTest, RollupAddsSubtotals) {
  const X x = Orders();
  ApplyStep step = GroupBy({{"CUSTOMER", x.F("CUSTOMER")}, {"STATUS", x.F("STATUS")}},
                           {Aggregate({{AggregateMethod::kCount, nullptr, "N"}})});
  step.grouping_sets = {{0, 1}, {0}, {}};
  const std::vector<std::string> rows = RowTexts(Run(Over("Orders", {step})));
  EXPECT_EQ(rows.back(), "N=30");
  EXPECT_EQ(rows[rows.size() - 2], "CUSTOMER='C-102' N=10");
  EXPECT_EQ(rows.front(), "CUSTOMER='C-100' STATUS='OPEN' N=10");
}

TEST_F(ApplyTest, ConcatKeepsRowsOfDifferentShape) {
  // What a UI table sends: the total, then the groups with their count and a page of them.
  const X x = Orders();
  const ApplyStep groups = GroupBy({{"STATUS", x.F("STATUS")}},
                                   {Aggregate({{AggregateMethod::kSum, x.F("TOTAL"), "TOTAL"}})});
  ApplyStep inner;
  inner.kind = ApplyStep::Kind::kConcat;
  inner.branches = {{Aggregate({{AggregateMethod::kCount, nullptr, "Rows"}})},
                    {Amount(ApplyStep::Kind::kTop, "2")}};
  ApplyStep concat;
  concat.kind = ApplyStep::Kind::kConcat;
  concat.branches = {{Aggregate({{AggregateMethod::kSum, x.F("TOTAL"), "Sum"}})}, {groups, inner}};
  EXPECT_THAT(RowTexts(Run(Over("Orders", {concat}))),
              ElementsAre("Sum=4657.5", "Rows=3", "STATUS='OPEN' TOTAL=1652.5",
                          "STATUS='PAID' TOTAL=1502.5"));
}

TEST_F(ApplyTest, ConcatOfConcatHoldsNoMoreRecordsThanAllowed) {
  ApplyStep identity;
  identity.kind = ApplyStep::Kind::kIdentity;
  ApplyStep twice;
  twice.kind = ApplyStep::Kind::kConcat;
  twice.branches = {{identity}, {identity}};
  ApplyQuery query = Over("Orders", ApplySteps(30, twice));  // 30 records, doubled 30 times
  query.base.limits.max_sorted_records = 1000;
  const Result<ApplyResult> result = shop_->engine().Apply(query);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().reason, "query-sort-limit");
}

TEST_F(ApplyTest, RankedSelectionsKeepTheInputOrder) {
  const X x = Orders();
  const auto ids = [&](ApplySteps steps) {
    const ApplyResult result = Run(Over("Orders", std::move(steps)));
    EXPECT_TRUE(result.page.has_value());
    return result.page ? Ids(*result.page) : std::vector<std::string>();
  };
  using K = ApplyStep::Kind;
  EXPECT_THAT(ids({Amount(K::kTopCount, "2", x.F("TOTAL"))}), ElementsAre("1029", "1030"));
  EXPECT_THAT(ids({Amount(K::kBottomCount, "2", x.F("TOTAL"))}), ElementsAre("1001", "1002"));
  EXPECT_THAT(ids({Amount(K::kTopSum, "500", x.F("TOTAL"))}), ElementsAre("1029", "1030"));
  EXPECT_THAT(ids({Amount(K::kBottomSum, "31", x.F("TOTAL"))}),
              ElementsAre("1001", "1002", "1003"));
  EXPECT_THAT(ids({Amount(K::kTopPercent, "10", x.F("TOTAL"))}), ElementsAre("1029", "1030"));
  EXPECT_THAT(ids({Amount(K::kSkip, "28")}), ElementsAre("1029", "1030"));
  // Inside groups.
  const ApplyResult result =
      Run(Over("Orders", {GroupBy({{"CUSTOMER", x.F("CUSTOMER")}},
                                  {Amount(K::kTopCount, "1", x.F("TOTAL")),
                                   Aggregate({{AggregateMethod::kSum, x.F("TOTAL"), "Best"}})})}));
  EXPECT_THAT(RowTexts(result),
              ElementsAre("CUSTOMER='C-100' Best=300.25", "CUSTOMER='C-101' Best=280.25",
                          "CUSTOMER='C-102' Best=290.25"));
}

TEST_F(ApplyTest, ShapesAreChecked) {
  const X x = Orders();
  const ExternalObject& orders = shop_->object("Orders");
  EXPECT_EQ(
      ShapeAfter(orders, {Aggregate({{AggregateMethod::kSum, x.F("STATUS"), "S"}})}).error().reason,
      "aggregate-type");
  EXPECT_EQ(ShapeAfter(orders, {Aggregate({{AggregateMethod::kCount, nullptr, "N"},
                                           {AggregateMethod::kCount, nullptr, "N"}})})
                .error()
                .reason,
            "apply-duplicate-column");
  ApplyStep compute;
  compute.kind = ApplyStep::Kind::kCompute;
  compute.computed.push_back({"TOTAL", X::D("1")});
  EXPECT_EQ(ShapeAfter(orders, {compute}).error().reason, "apply-duplicate-column");
  ApplyQuery query = Over("Orders", {GroupBy({{"pk", x.F("pk")}})});
  query.base.limits.max_groups = 3;
  EXPECT_EQ(shop_->engine().Apply(query).error().reason, "query-group-limit");
}

}  // namespace
}  // namespace tablecast::test
