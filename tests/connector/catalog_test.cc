#include "connector/catalog.h"

#include <gmock/gmock.h>

#include <set>

#include "connector/external_id.h"
#include "connector/inference.h"
#include "tests/connector/order_fixture.h"

namespace tablecast::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> FieldNames(const ExternalObject& object) {
  std::vector<std::string> out;
  for (const Field& field : object.fields()) out.push_back(field.name);
  return out;
}

TEST(CatalogTest, InfersFieldsInTheirOrder) {
  const Shop shop = Shop::Orders();
  EXPECT_THAT(FieldNames(shop.object("Orders")),
              ElementsAre("ExternalId", "pk", "CUSTOMER", "NOTE", "ORDERDATE", "STATUS", "TOTAL",
                          "address"));
  EXPECT_THAT(FieldNames(shop.object("OrderItems")),
              ElementsAre("ExternalId", "pk", "sk", "productCode", "NAME", "QUANTITY"));
  const ExternalObject& orders = shop.object("Orders");
  EXPECT_EQ(orders.FindField("ORDERDATE")->type, FieldType::kDateTime);
  EXPECT_EQ(orders.FindField("TOTAL")->scale, 2);
  EXPECT_EQ(orders.FindField("STATUS")->max_length, 128U);
  EXPECT_EQ(orders.FindField("address")->type, FieldType::kComplex);
  EXPECT_EQ(orders.FindField("address")->complex_type_name, "Orders_address");
  EXPECT_THAT(orders.alternate_key_columns(), ElementsAre("pk", "sk"));
  EXPECT_THAT(orders.alternate_key_fields(), IsEmpty());  // sk is no field
  EXPECT_THAT(shop.object("OrderItems").alternate_key_fields(), ElementsAre("pk", "sk"));
  const Field& tags = *shop.object("Products").FindField("TAGS");
  EXPECT_TRUE(tags.collection);
  EXPECT_EQ(tags.stored_collection, AttributeType::kSS);
}

TEST(CatalogTest, RelationsLeadBothWays) {
  const Shop shop = Shop::Orders();
  const Navigation* order = shop.object("OrderItems").FindNavigation("Order");
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(order->target, &shop.object("Orders"));
  EXPECT_FALSE(order->collection);
  EXPECT_EQ(order->partner, "Lines");
  const Navigation* lines = shop.object("Orders").FindNavigation("Lines");
  ASSERT_NE(lines, nullptr);
  EXPECT_TRUE(lines->collection);
  EXPECT_EQ(lines->to.column, "pk");
  ASSERT_THAT(shop.object("Orders").external_lookups(), SizeIs(1));
  EXPECT_EQ(shop.object("Orders").external_lookups()[0].external, "Account.Number__c");
  ASSERT_THAT(shop.catalog->access_patterns(), SizeIs(1));
  EXPECT_EQ(shop.catalog->access_patterns()[0].ExampleRequest(), "Orders('10''12')");
}

TEST(CatalogTest, TheInferredSchemaIsKept) {
  Shop shop = Shop::Orders();
  ASSERT_TRUE(shop.store
                  ->Write([&](WriteTransaction& txn) -> Status {
                    Item item = OrderItems()[10];
                    item["pk"] = S("9999");
                    item["BRANDNEW"] = S("x");
                    return txn.Put("OrderManagement", item);
                  })
                  .ok());
  CatalogLoad again = LoadCatalog(Shop::Files(), shop.store.get(), {});
  ASSERT_NE(again.catalog, nullptr);
  EXPECT_EQ(again.catalog->Find("Orders")->FindField("BRANDNEW"), nullptr);
  EXPECT_EQ(again.catalog->fingerprint(), shop.catalog->fingerprint());
  CatalogOptions sync;
  sync.infer_again = true;
  CatalogLoad looked = LoadCatalog(Shop::Files(), shop.store.get(), sync);
  ASSERT_NE(looked.catalog, nullptr);
  EXPECT_NE(looked.catalog->Find("Orders")->FindField("BRANDNEW"), nullptr);
  EXPECT_NE(looked.catalog->fingerprint(), shop.catalog->fingerprint());
}

TEST(CatalogTest, AMissingTableIsAnEmptySet) {
  MemoryItemStore store;
  const CatalogLoad load = LoadCatalog(Shop::Files(), &store, {});
  ASSERT_NE(load.catalog, nullptr) << IssuesText(load.issues);
  EXPECT_THAT(load.catalog->missing_tables(), ElementsAre("OrderManagement"));
  EXPECT_TRUE(std::any_of(load.issues.begin(), load.issues.end(),
                          [](const Issue& i) { return i.code == "table-missing"; }));
  const QueryEngine engine(store, load.catalog, Timestamp{});
  ObjectQuery query;
  query.object = load.catalog->Find("Orders");
  EXPECT_EQ(*engine.Count(query), 0U);
  EXPECT_THAT(engine.Query(query)->records, IsEmpty());
  ASSERT_TRUE(store.CreateTable(OrderSchema()).ok());
  const auto snapshot = store.BeginRead();
  EXPECT_TRUE(load.catalog->NeedsReload(**snapshot));
}

struct FaultCase {
  std::string what;
  std::string file;     // text of Orders.json
  std::string overlay;  // text of catalog.json
  std::string code;
};

TEST(CatalogTest, FaultsAreLocated) {
  const std::string plain =
      R"({"tableName": "OrderManagement", "columns": {"sk": {"values": [{"definition": "\"ORDER\""}]}}})";
  const std::string with = R"({"tableName": "OrderManagement", "columns": {}, )";
  const FaultCase cases[] = {
      {"bad overlay json", plain, "{", "json-syntax"},
      {"overlay conflict", with + R"("externalId": {"separator": "_"}})",
       R"({"objects": {"Orders": {"externalId": {"separator": "/"}}}})", "overlay-conflict"},
      {"unknown target", with + R"("relationships": {"R": {"to": "Order", "column": "pk"}}})", "",
       "unknown-object"},
      {"unknown index field", with + R"("indexes": [{"fields": ["STATU desc"]}]})", "",
       "bad-index"},
      {"join of text and number",
       with + R"("relationships": {"R": {"to": "Orders", "column": "TOTAL"}}})", "",
       "relationship-types"},
      {"bad field name", with + R"("fields": {"a-b": {"column": "STATUS"}}})", "",
       "bad-field-name"},
      {"field called ExternalId", with + R"("fields": {"ExternalId": {"column": "STATUS"}}})", "",
       "bad-field-name"},
      {"bad zone", plain, R"({"timeZone": "Mars"})", "bad-time-zone"},
      {"bad currency", plain, R"({"currency": "Euro"})", "bad-currency"},
      {"aggregate of text", with + R"("object": {"aggregates": {"STATUS": "sum"}}})", "",
       "aggregate-type"},
      {"name taken", with + R"("relationships": {"STATUS": {"to": "Orders", "column": "pk"}}})", "",
       "duplicate-name"},
      {"bad object name", with + R"("object": {"name": "my orders"}})", "", "bad-object-name"},
  };
  for (const FaultCase& c : cases) {
    MemoryItemStore store;
    ASSERT_TRUE(store.CreateTable(OrderSchema()).ok());
    ASSERT_TRUE(store
                    .Write([&](WriteTransaction& txn) -> Status {
                      for (const Item& item : OrderItems())
                        TABLECAST_RETURN_IF_ERROR(txn.Put("OrderManagement", item));
                      return {};
                    })
                    .ok());
    std::vector<CatalogFile> files = {{"Orders.json", c.file}};
    if (!c.overlay.empty()) files.push_back({"catalog.json", c.overlay});
    const CatalogLoad load = LoadCatalog(files, &store, {});
    EXPECT_EQ(load.catalog, nullptr) << c.what;
    const auto at = std::find_if(load.issues.begin(), load.issues.end(),
                                 [&](const Issue& i) { return i.code == c.code; });
    ASSERT_NE(at, load.issues.end()) << c.what << "\n" << IssuesText(load.issues);
    EXPECT_EQ(at->severity, Severity::kError) << c.what;
    EXPECT_FALSE(at->file.empty()) << c.what;
  }
}

// $metadata tells clients what they may send: what a write would refuse is read-only.
TEST(CatalogTest, AVirtualColumnWithoutAnInverseIsReadOnly) {
  const std::string text = R"j({"tableName": "OrderManagement", "columns": {
      "sk": {"filter": "things#%", "type": "S"},
      "whole": {"virtual": true, "values": [{"definition": "RIGHT(sk, LEN(sk) - FIND('#', sk))"}]},
      "front": {"virtual": true, "values": [{"definition": "LEFT(pk, 3)"}]},
      "kind": {"virtual": true, "values": [{"definition": "CASE(pk, 'a', 'x', 'o')"}]}}})j";
  const Shop shop(OrderSchema(), {}, {{"Things.json", text}});
  const ExternalObject& things = shop.object("Things");
  EXPECT_FALSE(things.FindField("whole")->read_only);
  EXPECT_TRUE(things.FindField("front")->read_only);
  EXPECT_TRUE(things.FindField("kind")->read_only);
}

TEST(CatalogTest, TwoObjectsMayNotDifferByCaseOnly) {
  MemoryItemStore store;
  const CatalogLoad load =
      LoadCatalog({{"Orders.json", kOrdersJson}, {"orders.json", kProductsJson}}, &store, {});
  EXPECT_EQ(load.catalog, nullptr);
  EXPECT_NE(IssuesText(load.issues).find("duplicate-object"), std::string::npos);
}

TEST(CatalogTest, DeclaredFieldsPublishOnlyThemselves) {
  const std::string text = R"json({
    "tableName": "OrderManagement",
    "columns": {"sk": {"values": [{"definition": "\"ORDER\""}]}},
    "fields": {
      "City": {"column": "address.city", "type": "Text", "length": 80, "required": true},
      "Placed": {"column": "ORDERDATE", "type": "DateTime"},
      "Amount": {"column": "TOTAL", "type": "Number", "scale": 4},
      "Secret": {"column": "STATUS", "hidden": true}
    }
  })json";
  const Shop shop(OrderSchema(), OrderItems(), {{"Orders.json", text}});
  const ExternalObject& orders = shop.object("Orders");
  EXPECT_THAT(FieldNames(orders), ElementsAre("ExternalId", "City", "Placed", "Amount", "Secret"));
  EXPECT_EQ(orders.FindField("City")->attribute_name, "address.city");
  EXPECT_TRUE(orders.FindField("City")->required);
  EXPECT_EQ(expr::FieldRef({}, orders, *orders.FindField("Secret")).error().reason, "field-hidden");
  ObjectQuery query;
  query.object = &orders;
  query.top = 1;
  const Result<ResultPage> page = shop.engine().Query(query);
  ASSERT_TRUE(page.ok());
  ASSERT_THAT(*page->columns, SizeIs(4));  // without the hidden one
  EXPECT_EQ(ValueOf(*page, 0, "City").text(), "Lyon");
  // Filter and order by the path.
  const Expressions x(orders);
  query.filter = Expressions::Op(BinaryOp::kEq, x.F("City"), Expressions::T("Bonn"));
  EXPECT_EQ(*shop.engine().Count(query), 15U);
}

TEST(CatalogTest, AFieldGivenAsTrueTakesItsTypeFromTheData) {
  const std::string text = R"json({
    "tableName": "OrderManagement",
    "columns": {"pk": {"type": "S"}, "sk": {"values": [{"definition": "\"ORDER\""}]}},
    "fields": {"TOTAL": true, "pk": true, "Placed": {"column": "ORDERDATE", "type": "Date"}}
  })json";
  const Shop shop(OrderSchema(), OrderItems(), {{"Orders.json", text}});
  const ExternalObject& orders = shop.object("Orders");
  EXPECT_THAT(FieldNames(orders), ElementsAre("ExternalId", "TOTAL", "pk", "Placed"));
  EXPECT_EQ(orders.FindField("TOTAL")->type, FieldType::kNumber);
  EXPECT_EQ(orders.FindField("Placed")->type, FieldType::kDate);
  // Without data nothing says what TOTAL is; the qualifier says it of pk.
  const CatalogLoad load = LoadCatalog({{"Orders.json", text}}, nullptr, {});
  EXPECT_EQ(load.catalog, nullptr);
  const auto undeclared = std::count_if(load.issues.begin(), load.issues.end(),
                                        [](const Issue& i) { return i.code == "fields-undeclared"; });
  EXPECT_EQ(undeclared, 1) << IssuesText(load.issues);
  EXPECT_EQ(load.issues.front().span.begin.line, 4U);
}

// Whatever else a field object says, a type that it leaves out comes from the data or is reported.
TEST(CatalogTest, AFieldObjectWithoutTypeTakesItFromTheData) {
  const std::string text = R"json({
    "tableName": "OrderManagement",
    "columns": {"pk": {"type": "S"}, "sk": {"values": [{"definition": "\"ORDER\""}]}, "ORDERDATE": {"type": "S"}},
    "fields": {
      "TOTAL": {"label": "Total"},
      "Placed": {"column": "ORDERDATE", "required": true},
      "City": {"column": "address.city", "label": "City"},
      "Address": {"column": "address", "fields": {"zip": {"label": "Postcode"}, "town": {"column": "city"}, "zone": {"type": "Number"}}},
      "pk": {"label": "Number"}
    }
  })json";
  const Shop shop(OrderSchema(), OrderItems(), {{"Orders.json", text}});
  const ExternalObject& orders = shop.object("Orders");
  EXPECT_EQ(orders.FindField("TOTAL")->type, FieldType::kNumber);
  EXPECT_EQ(orders.FindField("TOTAL")->label, "Total");
  EXPECT_EQ(orders.FindField("Placed")->type, FieldType::kDateTime);
  EXPECT_EQ(orders.FindField("City")->type, FieldType::kText);
  EXPECT_EQ(orders.FindField("Address")->type, FieldType::kComplex);
  ASSERT_EQ(orders.FindField("Address")->members.size(), 3U);
  EXPECT_EQ(orders.FindField("Address")->members[0].label, "Postcode");
  EXPECT_EQ(orders.FindField("pk")->type, FieldType::kText);

  // Without data each is an error at its place; the qualifier states the type of pk and ORDERDATE.
  const CatalogLoad load = LoadCatalog({{"Orders.json", text}}, nullptr, {});
  EXPECT_EQ(load.catalog, nullptr);
  std::vector<std::string> undeclared;
  for (const Issue& issue : load.issues) {
    if (issue.code == "fields-undeclared")
      undeclared.push_back(std::to_string(issue.span.begin.line) + ": " + issue.message);
  }
  EXPECT_THAT(undeclared,
              ElementsAre("5: field TOTAL states no `type`, and there is no data to take it from",
                          "7: field City states no `type`, and there is no data to take it from",
                          "8: field zip states no `type`, and there is no data to take it from",
                          "8: field town states no `type`, and there is no data to take it from"));
}

TEST(CatalogTest, AFieldThatNoItemShowsIsReported) {
  const std::string text = R"json({
    "tableName": "OrderManagement",
    "columns": {"pk": {"type": "S"}, "sk": {"values": [{"definition": "\"ORDER\""}]}},
    "fields": {"Sum": {"column": "TOTALS"}, "Town": {"column": "address.town"}}
  })json";
  const Shop shop(OrderSchema(), OrderItems(), {{"Orders.json", text}});
  std::vector<std::string> found;
  for (const Issue& issue : shop.issues) {
    if (issue.code == "field-untyped") found.push_back(issue.message + "; " + issue.remedy);
  }
  EXPECT_THAT(found, ElementsAre("no item looked at has `TOTALS`, so field Sum is published as Text; did you mean `TOTAL`?",
                                 "no item looked at has `address.town`, so field Town is published as Text; "
                                 "declare its `type`, or mend its `column`"));
}

// What catalog.json says of other objects is checked without a store too, and beside another file's faults.
TEST(CatalogTest, NamesOfObjectsAreCheckedWithoutAStore) {
  const auto load = [](const std::string& lines_type, const std::string& overlay) {
    return LoadCatalog({{"Orders.json", R"({"columns": {"pk": {"type": "S"}}})"},
                        {"Lines.json", R"({"columns": {"pk": {"type": ")" + lines_type + R"("}}})"},
                        {"catalog.json", overlay}},
                       nullptr, {})
        .issues;
  };
  const auto messages = [](const std::vector<Issue>& issues) {
    std::vector<std::string> found;
    for (const Issue& issue : issues) {
      if (issue.code == "unknown-object") found.push_back(issue.message + "; " + issue.remedy);
    }
    return found;
  };
  const std::string relationship =
      R"({"objects": {"Lines": {"relationships": {"Order": {"to": "Order", "column": "pk"}}}}})";
  const std::string want = "relationship Order: there is no object `Order`; did you mean `Orders`?";
  EXPECT_THAT(messages(load("S", relationship)), ElementsAre(want));
  EXPECT_THAT(messages(load("X", relationship)), ElementsAre(want));
  EXPECT_THAT(messages(load("S", R"({"objects": {"Line": {"object": {"label": "Line"}}}})")),
              ElementsAre("`objects` describes `Line`, and there is no such object; did you mean `Lines`?"));
  const std::string children =
      R"({"objects": {"Orders": {"children": {"Notes": {"column": "notes", "object": "OrderNotes"}}},
                      "OrderNotes": {"object": {"label": "Note"}}}})";
  EXPECT_THAT(messages(load("S", children)), ElementsAre());
}

TEST(CatalogTest, ConversionErrorsCostNoRow) {
  std::vector<Item> items = OrderItems();
  for (Item& item : items) {
    if (item["sk"] != S("ORDER")) continue;
    if (item["pk"] == S("1003")) item["TOTAL"] = S("many");
    if (item["pk"] == S("1004")) item["ORDERDATE"] = S("yesterday");
  }
  const std::string text =
      R"json({"tableName": "OrderManagement", "columns": {"sk": {"values": [{"definition": "\"ORDER\""}]}},
    "fields": {"Total": {"column": "TOTAL", "type": "Number", "strict": %}, "Placed": {"column": "ORDERDATE", "type": "DateTime"}}})json";
  for (const std::string strict : {"false", "true"}) {
    std::string file = text;
    file.replace(file.find('%'), 1, strict);
    const Shop shop(OrderSchema(), items, {{"Orders.json", file}});
    ObjectQuery query;
    query.object = &shop.object("Orders");
    query.want_conversion_errors = true;
    const Result<ResultPage> page = shop.engine().Query(query);
    if (strict == "true") {
      ASSERT_FALSE(page.ok());
      EXPECT_EQ(page.error().reason, "conversion-error");
      EXPECT_EQ(page.error().target, "Total");
      continue;
    }
    ASSERT_TRUE(page.ok());
    EXPECT_THAT(page->records, SizeIs(31));  // with the item "config"
    std::vector<std::string> codes;
    for (const Record& record : page->records) {
      for (const auto& [column, error] : record.conversion_errors)
        codes.push_back(error.code + ":" + error.stored);
    }
    EXPECT_THAT(codes,
                ::testing::UnorderedElementsAre("wrong-type:many", "not-a-date-time:yesterday"));
  }
}

TEST(CatalogTest, EmbeddedListsAreObjects) {
  TableSchema schema;
  schema.name = "Customers";
  schema.key.partition = {"customerId", AttributeType::kS};
  std::vector<Item> items;
  for (int c = 1; c <= 5; ++c) {
    AttributeValue::List addresses;
    for (int a = 1; a <= c % 3; ++a) {
      AttributeValue::Map address;
      address["addressId"] = S("A" + std::to_string(a));
      address["city"] = S(a == 1 ? "Bonn" : "Lyon");
      addresses.push_back(AttributeValue::MapOf(std::move(address)));
    }
    Item item;
    item["customerId"] = S("C" + std::to_string(c));
    item["addresses"] = AttributeValue::ListOf(std::move(addresses));
    item["password"] = S("x");
    items.push_back(std::move(item));
  }
  const std::string text =
      R"json({"tableName": "Customers", "columns": {"customerId": {"type": "S"}}, "object": {"label": "Customer"},
    "children": {"Addresses": {"column": "addresses", "key": "addressId", "object": "CustomerAddresses"}}})json";
  const std::string overlay =
      R"json({"objects": {"CustomerAddresses": {"indexes": [{"fields": ["city"]}]}}})json";
  const Shop shop(schema, items, {{"Customers.json", text}, {"catalog.json", overlay}});
  EXPECT_THAT(FieldNames(shop.object("Customers")),
              ElementsAre("ExternalId", "customerId"));  // no password, no list
  const ExternalObject& addresses = shop.object("CustomerAddresses");
  EXPECT_THAT(FieldNames(addresses),
              ElementsAre("ExternalId", "ParentExternalId", "addressId", "city"));
  const Shop named(schema, items,
                   {{"Customers.json", text},
                    {"catalog.json", R"({"objects": {"CustomerAddresses": {"fields": {"addressId": true, "city": true}}}})"}});
  EXPECT_EQ(named.object("CustomerAddresses").FindField("city")->max_length,
            addresses.FindField("city")->max_length);
  ObjectQuery query;
  query.object = &addresses;
  EXPECT_EQ(*shop.engine().Count(query), 6U);
  for (const std::uint32_t size : {1U, 2U, 50U}) {
    query.page_size = size;
    query.start_after.clear();
    std::vector<std::string> seen;
    do {
      const Result<ResultPage> page = shop.engine().Query(query);
      ASSERT_TRUE(page.ok()) << page.error().ToString();
      for (const std::string& id : Ids(*page)) seen.push_back(id);
      query.start_after = page->next;
    } while (!query.start_after.empty() && seen.size() < 100);
    EXPECT_THAT(seen, ElementsAre("C1-A1", "C2-A1", "C2-A2", "C4-A1", "C5-A1", "C5-A2"));
  }
  const Expressions x(addresses);
  query.page_size = 0;
  query.filter = Expressions::Op(BinaryOp::kEq, x.F("city"), Expressions::T("Lyon"));
  query.want_plan = true;
  const Result<ResultPage> lyon = shop.engine().Query(query);
  ASSERT_TRUE(lyon.ok());
  EXPECT_THAT(Ids(*lyon), ElementsAre("C2-A2", "C5-A2"));
  EXPECT_EQ(AccessKindName(lyon->plan->access), "declared-index");
  // One address, its customer, and a customer with its addresses.
  ObjectQuery one;
  one.object = &addresses;
  one.start.emplace();
  one.start->object = &addresses;
  one.start->key.external_id = "C5-A2";
  ExpandItem up;
  up.navigation = addresses.FindNavigation("Customer");
  ASSERT_NE(up.navigation, nullptr);
  one.expand.push_back(up);
  const Result<ResultPage> address = shop.engine().Get(one);
  ASSERT_TRUE(address.ok()) << address.error().ToString();
  EXPECT_THAT(Ids(*address->records[0].expanded[0]), ElementsAre("C5"));
  one.start->key.external_id = "C5-A9";
  EXPECT_EQ(shop.engine().Get(one).error().reason, "record-not-found");
  ObjectQuery customers;
  customers.object = &shop.object("Customers");
  ExpandItem down;
  down.navigation = customers.object->FindNavigation("Addresses");
  ASSERT_NE(down.navigation, nullptr);
  customers.expand.push_back(down);
  const Result<ResultPage> all = shop.engine().Query(customers);
  ASSERT_TRUE(all.ok()) << all.error().ToString();
  EXPECT_THAT(Ids(*all->records.at(4).expanded[0]), ElementsAre("C5-A1", "C5-A2"));
  EXPECT_THAT(Ids(*all->records.at(2).expanded[0]), IsEmpty());
}

TEST(ExternalIdTest, NumbersBinariesAndSeparators) {
  TableSchema schema;
  schema.name = "Ratings";
  schema.key.partition = {"book", AttributeType::kN};
  schema.key.sort = KeyColumn{"user", AttributeType::kS};
  std::vector<Item> items;
  for (const auto& [book, user] : std::vector<std::pair<std::string, std::string>>{
           {"1", "2-3"}, {"-1", "2"}, {"1.5", "a~b"}, {"10", "x"}}) {
    Item item;
    item["book"] = N(book);
    item["user"] = S(user);
    items.push_back(item);
  }
  for (const bool escape : {false, true}) {
    const std::string text =
        std::string(R"({"tableName": "Ratings", "columns": {}, "externalId": {"escape": )") +
        (escape ? "true" : "false") + "}}";
    const Shop shop(schema, items, {{"Ratings.json", text}});
    ObjectQuery query;
    query.object = &shop.object("Ratings");
    const Result<ResultPage> page = shop.engine().Query(query);
    ASSERT_TRUE(page.ok());
    // Native order: numbers by value.
    if (escape) {
      EXPECT_THAT(Ids(*page), ElementsAre("~11-2", "1-2~13", "1.5-a~0b", "10-x"));
    } else {
      EXPECT_THAT(Ids(*page), ElementsAre("-1-2", "1-2-3", "1.5-a~b", "10-x"));
    }
    for (const std::string& id : Ids(*page)) {
      query.start.emplace();
      query.start->object = query.object;
      query.start->key.external_id = id;
      const Result<ResultPage> one = shop.engine().Get(query);
      ASSERT_TRUE(one.ok()) << id << ": " << one.error().ToString();
      EXPECT_EQ(one->records.at(0).external_id, id);
    }
    // 1.0 is not the normal form of 1.
    query.start->key.external_id = "10.0-x";
    EXPECT_EQ(shop.engine().Get(query).error().reason, "record-not-found");
  }
}

TEST(ExternalIdTest, AmbiguousAndTooManySplits) {
  TableSchema schema;
  schema.name = "Parts";
  schema.key.partition = {"a", AttributeType::kS};
  schema.key.sort = KeyColumn{"b", AttributeType::kS};
  std::vector<Item> items(2);
  items[0]["a"] = S("x-y");
  items[0]["b"] = S("z");
  items[1]["a"] = S("x");
  items[1]["b"] = S("y-z");
  const Shop shop(schema, items, {{"Parts.json", R"({"tableName": "Parts", "columns": {}})"}});
  ObjectQuery query;
  query.object = &shop.object("Parts");
  query.start.emplace();
  query.start->object = query.object;
  query.start->key.external_id = "x-y-z";
  Result<ResultPage> page = shop.engine().Get(query);
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().reason, "external-id-ambiguous");
  EXPECT_EQ(page.error().code, ErrorCode::kAlreadyExists);
  EXPECT_NE(page.error().remedy.find("Parts(a=...,b=...)"), std::string::npos);
  query.start->key.external_id = std::string(20, '-');
  EXPECT_EQ(shop.engine().Get(query).error().reason, "external-id-separators");
  // Both are found by a filter.
  const Expressions x(*query.object);
  query.start.reset();
  query.filter = Expressions::Op(BinaryOp::kEq, x.F("ExternalId"), Expressions::T("x-y-z"));
  EXPECT_EQ(*shop.engine().Count(query), 2U);
}

TEST(ExternalIdTest, GuidKeysFindTheirRecord) {
  const std::string overlay = R"json({"defaultTable": "OrderManagement",
    "objects": {"Orders": {"object": {"guidKey": true}}}})json";
  const Shop shop(OrderSchema(), OrderItems(),
                  {{"Orders.json", kOrdersJson}, {"catalog.json", overlay}});
  const ExternalObject& orders = shop.object("Orders");
  EXPECT_THAT(orders.key_fields(), ElementsAre("RecordGuid"));
  ObjectQuery query;
  query.object = &orders;
  const Result<ResultPage> page = shop.engine().Query(query);
  ASSERT_TRUE(page.ok());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < page->records.size(); ++i) {
    const EdmValue guid = ValueOf(*page, i, "RecordGuid");
    EXPECT_TRUE(seen.insert(guid.text()).second);
    ObjectQuery one = query;
    one.start.emplace();
    one.start->object = &orders;
    one.start->key.alternate = {{"RecordGuid", guid}};
    const Result<ResultPage> found = shop.engine().Get(one);
    ASSERT_TRUE(found.ok()) << found.error().ToString();
    EXPECT_EQ(found->records.at(0).external_id, page->records[i].external_id);
  }
  ObjectQuery none = query;
  none.start.emplace();
  none.start->object = &orders;
  none.start->key.alternate = {{"RecordGuid", EdmValue::Guid(std::string(36, '0'))}};
  EXPECT_EQ(shop.engine().Get(none).error().reason, "record-not-found");
}

TEST(InferenceTest, NamesFollowTheRules) {
  const auto names = PublishedNames({"order date", "order-date", "order_date", "9lives",
                                     "ExternalId", "--", "\xC3\xBC", std::string(60, 'x')},
                                    {});
  EXPECT_EQ(names.at("order_date"), "order_date");
  EXPECT_EQ(names.at("order date"), "order_date_2");
  EXPECT_EQ(names.at("order-date"), "order_date_3");
  EXPECT_EQ(names.at("9lives"), "f_9lives");
  EXPECT_EQ(names.at("ExternalId"), "ExternalId_1");
  EXPECT_EQ(names.at("--"), "f_");
  EXPECT_EQ(names.at("\xC3\xBC"), "f__2");
  EXPECT_EQ(names.at(std::string(60, 'x')), std::string(40, 'x'));
}

TEST(InferenceTest, TypesNeedEverySample) {
  TableSchema schema;
  schema.name = "Things";
  schema.key.partition = {"id", AttributeType::kS};
  std::vector<Item> items;
  for (int i = 0; i < 20; ++i) {
    Item item;
    item["id"] = S(std::to_string(i));
    item["day"] = S("2020-01-0" + std::to_string(1 + i % 9));
    item["when"] = S(i == 7 ? "soon" : "2020-01-01T00:00:00Z");
    item["digits"] = S("20200101");
    item["mixed"] = i % 4 == 0 ? S("x") : N("1");
    item["list"] =
        i == 3 ? AttributeValue::ListOf({S("a"), N("1")}) : AttributeValue::ListOf({S("a")});
    item["uniform"] = AttributeValue::ListOf({N("1"), N("2")});
    item["long"] = S(std::string(300, 'x'));
    item["apiToken"] = S("x");
    item["created"] = N(std::to_string(1600000000 + i));
    item["priceNet"] = N("1.5");
    items.push_back(std::move(item));
  }
  const Shop shop(schema, items, {{"Things.json", R"({"tableName": "Things", "columns": {}})"}});
  const ExternalObject& things = shop.object("Things");
  EXPECT_EQ(things.FindField("day")->type, FieldType::kDate);
  EXPECT_EQ(things.FindField("when")->type, FieldType::kText);
  EXPECT_EQ(things.FindField("digits")->type, FieldType::kText);
  EXPECT_EQ(things.FindField("mixed")->type, FieldType::kNumber);
  EXPECT_EQ(things.FindField("list")->type, FieldType::kJsonText);
  EXPECT_TRUE(things.FindField("list")->read_only);
  EXPECT_TRUE(things.FindField("uniform")->collection);
  EXPECT_EQ(things.FindField("long")->type, FieldType::kLongText);
  EXPECT_EQ(things.FindField("apiToken"), nullptr);
  ASSERT_THAT(shop.catalog->inference(), SizeIs(1));
  const InferenceReport& report = shop.catalog->inference()[0];
  EXPECT_EQ(report.items_seen, 20U);
  EXPECT_THAT(report.withheld, ElementsAre("apiToken"));
  EXPECT_THAT(report.epoch_like, ElementsAre("created"));
  EXPECT_THAT(report.money_like, ElementsAre("priceNet"));
  ASSERT_THAT(report.conflicts, SizeIs(1));
  EXPECT_EQ(report.conflicts[0].attribute, "mixed");
  ASSERT_THAT(report.date_like, SizeIs(1));
  EXPECT_EQ(report.date_like[0].attribute, "when");
  EXPECT_EQ(report.date_like[0].type, FieldType::kDateTime);
  EXPECT_EQ(report.date_like[0].fitting, 19U);
  EXPECT_EQ(report.date_like[0].texts, 20U);
  EXPECT_EQ(report.date_like[0].misfit, "soon");
}

}  // namespace
}  // namespace tablecast::test
