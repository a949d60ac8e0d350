// Groups made in the columns: 300,000 ratings by the hour of their time, every sum exact, and the same
// answer as from the rows, also when records changed since the columns were written.

#include <gtest/gtest.h>

#include <array>

#include "connector/columnar_build.h"
#include "connector/columnar_sidecar.h"
#include "tests/connector/order_fixture.h"

namespace tablecast::test {
namespace {

using X = Expressions;

constexpr int kRatings = 300'000;
constexpr std::int64_t kStart = 1'420'000'000;

struct Rating {
  std::int64_t at = 0;
  int score = 0;  // tenths
};
Rating RatingOf(int i) {
  return {kStart + static_cast<std::int64_t>(i) * 7919 % 80'000'000, (i * 37 + i / 11) % 50 + 1};
}

// The time in turn as extended ISO, as basic ISO with an offset, with a blank, and as epoch seconds.
AttributeValue TimeOfRating(int i) {
  const std::int64_t at = RatingOf(i).at;
  const bool shifted = i % 4 == 1;
  const std::string utc = FormatTimestamp(Timestamp{at + (shifted ? 7200 : 0), 0});  // ....-..-..T..:..:..Z
  switch (i % 4) {
    case 0: return S(utc);
    case 1: {
      std::string basic;
      for (const char c : utc.substr(0, 19)) {
        if (c != '-' && c != ':') basic += c;
      }
      return S(basic + "+0200");
    }
    case 2: {
      std::string spaced = utc;
      spaced[10] = ' ';
      return S(spaced);
    }
    default: return N(std::to_string(at));
  }
}

Item ItemOf(int i) {
  Item item;
  item["book"] = N(std::to_string(i % 900));
  item["user"] = N(std::to_string(i));
  item["score"] = N(std::to_string(RatingOf(i).score / 10) + "." + std::to_string(RatingOf(i).score % 10));
  item["rated_at"] = TimeOfRating(i);
  item["via"] = S(i % 3 == 0 ? "web" : i % 3 == 1 ? "app" : "mail");
  return item;
}

std::vector<Item> Ratings() {
  std::vector<Item> items;
  items.reserve(kRatings);
  for (int i = 0; i < kRatings; ++i) items.push_back(ItemOf(i));
  return items;
}

TableSchema RatingSchema() {
  TableSchema schema;
  schema.name = "Ratings";
  schema.key.partition = {"book", AttributeType::kN};
  schema.key.sort = KeyColumn{"user", AttributeType::kN};
  return schema;
}

std::vector<CatalogFile> RatingFiles() {
  return {{"Ratings.json", R"json({
    "tableName": "Ratings",
    "object": {"columnar": true},
    "columns": {"via": {}},
    "fields": {
      "book": {"column": "book", "type": "Number"}, "user": {"column": "user", "type": "Number"},
      "score": {"column": "score", "type": "Number"}, "via": {"column": "via", "type": "Text"},
      "rated_at": {"column": "rated_at", "type": "DateTime", "unit": "s"}
    }
  })json"}};
}

ApplyQuery ByHour(const ExternalObject& ratings) {
  const X x(ratings);
  ApplyQuery query;
  query.base.object = &ratings;
  query.base.want_plan = true;
  ApplyStep compute;
  compute.kind = ApplyStep::Kind::kCompute;
  const ExpressionPtr hour = X::Call("hour", {x.F("rated_at")});
  compute.computed.push_back({"h", hour, true});
  ApplyStep group;
  group.kind = ApplyStep::Kind::kGroupBy;
  group.group_by.push_back({"h", expr::ColumnRef(0, "h", hour->type())});
  ApplyStep aggregate;
  aggregate.kind = ApplyStep::Kind::kAggregate;
  aggregate.aggregates.push_back({AggregateMethod::kAverage, x.F("score"), "avg"});
  aggregate.aggregates.push_back({AggregateMethod::kCount, nullptr, "n"});
  group.group_steps.push_back(aggregate);
  query.steps = {compute, group};
  return query;
}

std::string Print(const ApplyResult& result) {
  std::string out;
  for (const ApplyResult::Row& row : result.rows) {
    for (const std::optional<EdmValue>& value : row.values) out += (value ? value->ToLiteral() : "-") + " ";
    out += "\n";
  }
  return out;
}

std::string Answer(const Shop& shop, ApplyQuery query, Engine engine, std::string* access = nullptr,
                   std::uint64_t* read = nullptr) {
  query.base.engine = engine;
  const Result<ApplyResult> result = shop.engine().Apply(query);
  if (!result.ok()) return result.error().ToString();
  if (access != nullptr) *access = std::string(AccessKindName(result->plan->access));
  if (read != nullptr) *read = result->items_read;
  return Print(*result);
}

void Copy(const Shop& shop) {
  const auto built = BuildColumnar(*shop.catalog, "Ratings", *shop.store, 1,
                                   [](std::uint64_t, std::uint64_t) { return true; });
  ASSERT_TRUE(built.ok()) << built.error().ToString();
}

TEST(ColumnarApplyTest, AveragesByHourAreExactAndFromTheColumns) {
  const Shop shop(RatingSchema(), Ratings(), RatingFiles());
  Copy(shop);
  std::array<std::int64_t, 24> tenths{};
  std::array<std::int64_t, 24> count{};
  for (int i = 0; i < kRatings; ++i) {
    const auto hour = static_cast<std::size_t>(RatingOf(i).at / 3600 % 24);
    tenths[hour] += RatingOf(i).score;
    ++count[hour];
  }
  std::string expected;
  for (std::size_t hour = 0; hour < 24; ++hour) {
    const auto average = Divide(Decimal::FromParts(false, static_cast<std::uint64_t>(tenths[hour]), -1),
                                Decimal(count[hour]), Decimal::Context{38, Rounding::kHalfUp});
    ASSERT_TRUE(average.ok());
    expected += std::to_string(hour) + " " + average->ToString() + " " + std::to_string(count[hour]) + " \n";
  }
  const ApplyQuery query = ByHour(shop.object("Ratings"));
  std::string access;
  std::uint64_t read = 1;
  EXPECT_EQ(Answer(shop, query, Engine::kAuto, &access, &read), expected);
  EXPECT_EQ(access, "columnar-sidecar");
  EXPECT_EQ(read, 0U);
  EXPECT_EQ(Answer(shop, query, Engine::kScan, &access, &read), expected);
  EXPECT_EQ(read, static_cast<std::uint64_t>(kRatings));

  // Other shapes, and records that changed: the columns speak for the rest only.
  const X x(shop.object("Ratings"));
  std::vector<ApplyQuery> queries(4, query);
  ApplyStep filter;
  filter.kind = ApplyStep::Kind::kFilter;
  filter.expression = X::Op(BinaryOp::kAnd, X::Op(BinaryOp::kGt, x.F("score"), X::D("2.35")),
                            X::Op(BinaryOp::kNe, x.F("via"), X::T("app")));
  queries[1].steps.insert(queries[1].steps.begin(), filter);
  ApplyStep group = query.steps[1];
  group.group_by = {{"via", x.F("via")}, {"h", query.steps[1].group_by.front().expression}};
  group.grouping_sets = {{0, 1}, {0}, {}};
  group.group_steps.front().aggregates = {{AggregateMethod::kSum, x.F("score"), "s"},
                                          {AggregateMethod::kMin, x.F("rated_at"), "lo"},
                                          {AggregateMethod::kMax, x.F("score"), "hi"},
                                          {AggregateMethod::kMax, x.F("via"), "v"},
                                          {AggregateMethod::kCountDistinct, x.F("score"), "d"}};
  queries[2].steps[1] = group;
  queries[3].steps = {query.steps[1].group_steps.front()};  // no keys at all
  for (const ApplyQuery& each : queries) {
    EXPECT_EQ(Answer(shop, each, Engine::kAuto, &access), Answer(shop, each, Engine::kScan));
    EXPECT_EQ(access, "columnar-sidecar");
  }
  ASSERT_TRUE(shop.store->Write([](WriteTransaction& txn) -> Status {
    for (int i = 0; i < 50; ++i) {
      Item item = ItemOf(i * 5003 % kRatings);
      item["score"] = N("99.875");
      if (i % 3 == 0) item["via"] = AttributeValue::Null();
      TABLECAST_RETURN_IF_ERROR(txn.Put("Ratings", item));
    }
    return {};
  }).ok());
  for (const ApplyQuery& each : queries) {
    EXPECT_EQ(Answer(shop, each, Engine::kAuto, &access, &read), Answer(shop, each, Engine::kScan));
    EXPECT_EQ(access, "columnar-sidecar");
    EXPECT_LE(read, 50U);
  }
}

// A number that no whole number of the segment's scale stands for: the column is not kept, the rows
// answer, and nothing is rounded.
TEST(ColumnarApplyTest, NumbersThatDoNotFitComeFromTheRows) {
  std::vector<Item> items;
  for (int i = 0; i < 100; ++i) items.push_back(ItemOf(i));
  items[40]["score"] = N("0.00000000000000000000000000000000001");
  items[41]["score"] = N("12345678901234567890123456789012345678");
  const Shop shop(RatingSchema(), items, RatingFiles());
  Copy(shop);
  const ApplyQuery query = ByHour(shop.object("Ratings"));
  std::string access;
  const std::string expected = Answer(shop, query, Engine::kScan);
  EXPECT_EQ(Answer(shop, query, Engine::kAuto, &access), expected);
  EXPECT_EQ(access, "full-scan");
}

}  // namespace
}  // namespace tablecast::test
