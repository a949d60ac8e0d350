// init's proposals on single-table designs of several domains: which record types, how many items
// each, which relationships, and that every item is claimed once.

#include "connector/record_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/json_reader.h"
#include "connector/catalog.h"
#include "item/item_json.h"
#include "store/memory_item_store.h"

namespace tablecast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using ::testing::UnorderedElementsAreArray;

TableSchema Schema(const std::string& name, AttributeType partition = AttributeType::kS,
                   bool sort = true) {
  TableSchema schema;
  schema.name = name;
  schema.key.partition = {"pk", partition};
  if (sort) schema.key.sort = KeyColumn{"sk", AttributeType::kS};
  return schema;
}

// One item a line, as plain JSON.
void Load(MemoryItemStore& store, const TableSchema& schema, const std::string& lines) {
  ASSERT_TRUE(store.CreateTable(schema).ok());
  const Status written = store.Write([&](WriteTransaction& txn) -> Status {
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);) {
      if (line.empty()) continue;
      TABLECAST_ASSIGN_OR_RETURN(const JsonValue json, ParseJson(line));
      TABLECAST_ASSIGN_OR_RETURN(const Item item, ItemFromPlainJson(json));
      TABLECAST_RETURN_IF_ERROR(txn.Put(schema.name, item));
    }
    return {};
  });
  ASSERT_TRUE(written.ok()) << written.error().ToString();
}

CatalogProposal Propose(const MemoryItemStore& store, const std::vector<std::string>& tables) {
  auto snapshot = store.BeginRead();
  EXPECT_TRUE(snapshot.ok());
  auto proposal = ProposeCatalog(**snapshot, tables, {});
  EXPECT_TRUE(proposal.ok()) << proposal.error().ToString();
  return *std::move(proposal);
}

// "Users: USER#{} / PROFILE x 2"
std::vector<std::string> Types(const CatalogProposal& proposal) {
  std::vector<std::string> out;
  for (const RecordTypeProposal& type : proposal.types) {
    out.push_back(type.object + ": " + type.partition_shape +
                  (type.sort_shape.empty() ? "" : " / " + type.sort_shape) +
                  (type.condition.empty() ? "" : ", " + type.condition) + " x " +
                  std::to_string(type.items));
  }
  return out;
}

// "Orders.User: pk -> Users.ExternalId (Orders)"
std::vector<std::string> Links(const CatalogProposal& proposal) {
  std::vector<std::string> out;
  for (const RecordTypeProposal& type : proposal.types) {
    for (const RelationshipProposal& link : type.relationships) {
      out.push_back(type.object + "." + link.name + ": " + link.column + " -> " + link.to + "." +
                    link.to_column + " (" + link.inverse + ")");
    }
  }
  return out;
}

// Every proposal loads as a catalog without an error, and claims every item once.
void ExpectSound(MemoryItemStore& store, const CatalogProposal& proposal) {
  std::vector<CatalogFile> files;
  for (const RecordTypeProposal& type : proposal.types)
    files.push_back({type.object + ".json", type.qualifier});
  files.push_back({"catalog.json", proposal.catalog});
  const CatalogLoad load = LoadCatalog(files, &store, {});
  for (const Issue& issue : load.issues) {
    EXPECT_NE(issue.severity, Severity::kError)
        << issue.file << ": " << issue.target << ": " << issue.message;
  }
  EXPECT_NE(load.catalog, nullptr);
  for (const TableProposal& table : proposal.tables) {
    EXPECT_EQ(table.claimed_twice, 0u) << table.table;
    EXPECT_EQ(table.left_over, 0u)
        << table.table
        << (table.left_over_samples.empty() ? "" : ": " + table.left_over_samples[0]);
  }
}

struct Design {
  const char* name;
  const char* items;
  std::vector<std::string> types;
  std::vector<std::string> links;
};

void PrintTo(const Design& design, std::ostream* out) { *out << design.name; }

class DesignTest : public ::testing::TestWithParam<Design> {};

TEST_P(DesignTest, IsRecognised) {
  MemoryItemStore store;
  Load(store, Schema("Single"), GetParam().items);
  const CatalogProposal proposal = Propose(store, {"Single"});
  EXPECT_THAT(Types(proposal), UnorderedElementsAreArray(GetParam().types));
  EXPECT_THAT(Links(proposal), UnorderedElementsAreArray(GetParam().links));
  ExpectSound(store, proposal);
}

const Design kDesigns[] = {
    {"Music",
     R"(
{"pk":"ARTIST#dylan","sk":"METADATA","name":"Bob Dylan","country":"US"}
{"pk":"ARTIST#dylan","sk":"ALBUM#1965-08-30","title":"Highway 61 Revisited","tracks":9}
{"pk":"ARTIST#dylan","sk":"ALBUM#1966-06-20","title":"Blonde on Blonde","tracks":14}
{"pk":"ARTIST#simone","sk":"METADATA","name":"Nina Simone","country":"US"}
{"pk":"ARTIST#simone","sk":"ALBUM#1965-06-01","title":"Pastel Blues","tracks":9}
{"pk":"SONG#1","sk":"METADATA","title":"Sinnerman","seconds":621,"plays":9}
{"pk":"SONG#1","sk":"DOWNLOAD#01ARZ3NDEKTSV4RRFFQ69G5FAV","at":"2024-05-01T10:00:00Z"}
{"pk":"SONG#1","sk":"DOWNLOAD#01BX5ZZKBKACTAV9WEVGEMMVRZ","at":"2024-05-02T10:00:00Z"}
{"pk":"SONG#2","sk":"METADATA","title":"Visions of Johanna","seconds":453,"plays":4}
)",
     {"Artists: ARTIST#{} / METADATA x 2", "Albums: ARTIST#{} / ALBUM#{} x 3",
      "Songs: SONG#{} / METADATA x 2", "Downloads: SONG#{} / DOWNLOAD#{} x 2"},
     {"Albums.Artist: pk -> Artists.ExternalId (Albums)",
      "Downloads.Song: pk -> Songs.ExternalId (Downloads)"}},
    {"Social",
     R"(
{"pk":"USER#ann","sk":"USER#ann","email":"ann@example.com","joined":"2020-01-01"}
{"pk":"USER#bob","sk":"USER#bob","email":"bob@example.com","joined":"2020-02-01"}
{"pk":"USER#cem","sk":"USER#cem","email":"cem@example.com","joined":"2020-03-01"}
{"pk":"USER#ann","sk":"POST#2024-05-01T10:00:00Z","text":"hello","likes":2}
{"pk":"USER#ann","sk":"POST#2024-05-02T10:00:00Z","text":"again","likes":0}
{"pk":"USER#bob","sk":"POST#2024-05-03T10:00:00Z","text":"hi","likes":1}
{"pk":"USER#ann","sk":"FOLLOWS#bob","since":"2021-01-01"}
{"pk":"USER#bob","sk":"FOLLOWS#cem","since":"2021-02-01"}
{"pk":"USER#cem","sk":"FOLLOWS#ann","since":"2021-03-01"}
)",
     {"Users: USER#{} / USER#{} x 3", "Posts: USER#{} / POST#{} x 3",
      "Follows: USER#{} / FOLLOWS#{} x 3"},
     {"Posts.User: pk -> Users.ExternalId (Posts)",
      "Follows.User: pk -> Users.ExternalId (Follows)"}},
    {"ECommerce",
     R"(
{"pk":"CUSTOMER#1","sk":"PROFILE","name":"Ann","email":"a@example.com"}
{"pk":"CUSTOMER#2","sk":"PROFILE","name":"Bob","email":"b@example.com"}
{"pk":"CUSTOMER#1","sk":"ORDER#100","status":"OPEN","total":20}
{"pk":"CUSTOMER#1","sk":"ORDER#101","status":"SHIPPED","total":30}
{"pk":"CUSTOMER#2","sk":"ORDER#102","status":"OPEN","total":5}
{"pk":"CUSTOMER#1","sk":"ORDER#100#ITEM#1","productId":"77","quantity":2}
{"pk":"CUSTOMER#1","sk":"ORDER#100#ITEM#2","productId":"78","quantity":1}
{"pk":"CUSTOMER#2","sk":"ORDER#102#ITEM#1","productId":"77","quantity":1}
{"pk":"PRODUCT#77","sk":"METADATA","title":"Lamp","price":12}
{"pk":"PRODUCT#78","sk":"METADATA","title":"Desk","price":120}
)",
     {"Customers: CUSTOMER#{} / PROFILE x 2", "Orders: CUSTOMER#{} / ORDER#{} x 3",
      "OrderItems: CUSTOMER#{} / ORDER#{}#ITEM#{} x 3", "Products: PRODUCT#{} / METADATA x 2"},
     {"Orders.Customer: pk -> Customers.ExternalId (Orders)",
      "OrderItems.Customer: pk -> Customers.ExternalId (OrderItems)",
      "OrderItems.Order: orderId -> Orders.orderId (OrderItems)",
      "OrderItems.Product: productId -> Products.productId (OrderItems)"}},
    {"Devices",
     R"(
{"pk":"DEVICE#a1","sk":"#METADATA#a1","model":"T-100","site":"Delft"}
{"pk":"DEVICE#a2","sk":"#METADATA#a2","model":"T-200","site":"Gent"}
{"pk":"DEVICE#a1","sk":"2024-05-01T10:00:00Z","temperature":20.5,"humidity":40}
{"pk":"DEVICE#a1","sk":"2024-05-01T10:05:00Z","temperature":20.6,"humidity":41}
{"pk":"DEVICE#a2","sk":"2024-05-01T10:00:00Z","temperature":18.0,"humidity":50}
{"pk":"DEVICE#a2","sk":"ALERT#2024-05-01T10:01:00Z","level":"HIGH","text":"too dry"}
)",
     {"Devices: DEVICE#{} / #METADATA#{} x 2", "DeviceEntries: DEVICE#{} / {} x 3",
      "Alerts: DEVICE#{} / ALERT#{} x 1"},
     {"DeviceEntries.Device: pk -> Devices.ExternalId (DeviceEntries)",
      "Alerts.Device: pk -> Devices.ExternalId (Alerts)"}},
    {"Tenants",
     R"(
{"pk":"TENANT#acme","sk":"METADATA","plan":"gold","seats":9}
{"pk":"TENANT#zed","sk":"METADATA","plan":"free","seats":1}
{"pk":"TENANT#acme#USER#1","sk":"PROFILE","name":"Ann","email":"a@example.com"}
{"pk":"TENANT#acme#USER#2","sk":"PROFILE","name":"Bob","email":"b@example.com"}
{"pk":"TENANT#zed#USER#1","sk":"PROFILE","name":"Cem","email":"c@example.com"}
{"pk":"TENANT#acme#USER#1","sk":"SESSION#9f","agent":"x","expires":1714557600}
{"pk":"TENANT#zed#USER#1","sk":"SESSION#8e","agent":"y","expires":1714557601}
)",
     {"Tenants: TENANT#{} / METADATA x 2", "Users: TENANT#{}#USER#{} / PROFILE x 3",
      "Sessions: TENANT#{}#USER#{} / SESSION#{} x 2"},
     {"Users.Tenant: tenantId -> Tenants.tenantId (Users)",
      "Sessions.User: pk -> Users.ExternalId (Sessions)",
      "Sessions.Tenant: tenantId -> Tenants.tenantId (Sessions)"}},
    {"Forum",
     R"(
{"pk":"forum#dynamo","sk":"forum#dynamo","title":"DynamoDB","threads":2}
{"pk":"forum#rust","sk":"forum#rust","title":"Rust","threads":1}
{"pk":"forum#dynamo","sk":"thread#1","subject":"Keys","author":"ann","views":3}
{"pk":"forum#dynamo","sk":"thread#2","subject":"Streams","author":"bob","views":4}
{"pk":"forum#rust","sk":"thread#3","subject":"Lifetimes","author":"ann","views":5}
{"pk":"thread#1","sk":"reply#2024-05-01T10:00:00Z","message":"Because","postedBy":"bob"}
{"pk":"thread#1","sk":"reply#2024-05-01T11:00:00Z","message":"Thanks","postedBy":"ann"}
{"pk":"thread#3","sk":"reply#2024-05-02T10:00:00Z","message":"Yes","postedBy":"cem"}
)",
     {"Forums: forum#{} / forum#{} x 2", "Threads: forum#{} / thread#{} x 3",
      "Replies: thread#{} / reply#{} x 3"},
     {"Threads.Forum: pk -> Forums.ExternalId (Threads)",
      "Replies.Thread: threadId -> Threads.threadId (Replies)"}},
    {"TypeAttribute",
     R"(
{"pk":"3f2b9c1e-0000-4000-8000-000000000001","sk":"0","_type":"Invoice","amount":10}
{"pk":"3f2b9c1e-0000-4000-8000-000000000002","sk":"0","_type":"Invoice","amount":11}
{"pk":"3f2b9c1e-0000-4000-8000-000000000003","sk":"0","_type":"CreditNote","amount":5,"reason":"damaged"}
{"pk":"3f2b9c1e-0000-4000-8000-000000000004","sk":"0","_type":"CreditNote","amount":6,"reason":"late"}
)",
     {"Invoices: {} / {}, `_type` = \"Invoice\" x 2",
      "CreditNotes: {} / {}, `_type` = \"CreditNote\" x 2"},
     {}},
};

INSTANTIATE_TEST_SUITE_P(Designs, DesignTest, ::testing::ValuesIn(kDesigns),
                         [](const auto& at) { return std::string(at.param.name); });

TEST(RecordTypesTest, WritesFiltersVirtualColumnsAndInverses) {
  MemoryItemStore store;
  Load(store, Schema("Shop"), R"(
{"pk":"CUSTOMER#1","sk":"ORDER#100","total":20}
{"pk":"CUSTOMER#1","sk":"ORDER#101","total":30}
{"pk":"CUSTOMER#2","sk":"ORDER#102#ITEM#1","quantity":1}
{"pk":"CUSTOMER#2","sk":"ORDER#102#ITEM#2","quantity":1}
)");
  const CatalogProposal proposal = Propose(store, {"Shop"});
  ASSERT_EQ(proposal.types.size(), 2u);
  const auto& orders = proposal.types[0].object == "Orders" ? proposal.types[0] : proposal.types[1];
  EXPECT_EQ(orders.qualifier, R"json({
  "tableName": "Shop",
  "columns": {
    "pk": {
      "type": "S",
      "filter": "CUSTOMER#%",
      "values": [{ "definition": "\"CUSTOMER#\" & customerId" }]
    },
    "sk": {
      "type": "S",
      "filter": "ORDER#%",
      "postFilter": "^ORDER#[^#]+$",
      "values": [{ "definition": "\"ORDER#\" & orderId" }]
    },
    "customerId": {
      "virtual": true,
      "type": "S",
      "values": [{ "definition": "RIGHT(pk, LEN(pk) - FIND(\"#\", pk))" }]
    },
    "orderId": {
      "virtual": true,
      "type": "S",
      "values": [{ "definition": "RIGHT(sk, LEN(sk) - FIND(\"#\", sk))" }]
    }
  }
}
)json");
  EXPECT_THAT(orders.samples, ElementsAre("CUSTOMER#1 / ORDER#100", "CUSTOMER#1 / ORDER#101"));
  EXPECT_EQ(orders.label, "Order");
  EXPECT_EQ(orders.plural_label, "Orders");
  ExpectSound(store, proposal);
}

TEST(RecordTypesTest, TheVendorsExampleIsFoundAgain) {
  MemoryItemStore store;
  Load(store, Schema("OrderManagement"), R"(
{"pk":"1","sk":"PRODUCT","NAME":"Lamp","PRICE":3}
{"pk":"2","sk":"PRODUCT","NAME":"Desk","PRICE":4}
{"pk":"1012","sk":"ORDER","CUSTOMER":"C-1","TOTAL":10,"STATUS":"OPEN"}
{"pk":"1012","sk":"products#1","NAME":"Lamp","QUANTITY":1,"UNITPRICE":3}
{"pk":"1012","sk":"products#2","NAME":"Desk","QUANTITY":1,"UNITPRICE":4}
{"pk":"1013","sk":"ORDER","CUSTOMER":"C-2","TOTAL":3,"STATUS":"OPEN"}
{"pk":"1013","sk":"products#1","NAME":"Lamp","QUANTITY":1,"UNITPRICE":3}
)");
  const CatalogProposal proposal = Propose(store, {"OrderManagement"});
  EXPECT_THAT(Types(proposal),
              UnorderedElementsAre("Products: {} / PRODUCT x 2", "Orders: {} / ORDER x 2",
                                   "ProductLines: {} / products#{} x 3"));
  EXPECT_THAT(Links(proposal),
              UnorderedElementsAre(
                  "ProductLines.Order: pk -> Orders.ExternalId (ProductLines)",
                  "ProductLines.Product: productId -> Products.ExternalId (ProductLines)"));
  ExpectSound(store, proposal);
}

TEST(RecordTypesTest, NumericKeysAndSeveralTables) {
  MemoryItemStore store;
  Load(store, Schema("books", AttributeType::kN, false), R"(
{"pk":1,"title":"A","type":"Novel"}
{"pk":2,"title":"B","type":"Arts"}
)");
  Load(store, Schema("ratings", AttributeType::kN), R"(
{"pk":10,"sk":"x","book_id":1,"score":5}
{"pk":11,"sk":"x","book_id":2,"score":4}
)");
  const CatalogProposal proposal = Propose(store, {"books", "ratings"});
  // A kind of book is no record type: books of all kinds look alike.
  EXPECT_THAT(Types(proposal), UnorderedElementsAre("Books: {} x 2", "Ratings: {} / {} x 2"));
  EXPECT_THAT(Links(proposal), ElementsAre("Ratings.Book: book_id -> Books.pk (Ratings)"));
  ExpectSound(store, proposal);
}

TEST(RecordTypesTest, IndexKeysTellTypesApart) {
  MemoryItemStore store;
  TableSchema schema = Schema("Overloaded", AttributeType::kS, false);
  schema.indexes.push_back(
      {"GSI1", {{"GSI1PK", AttributeType::kS}}, {{"GSI1SK", AttributeType::kS}}});
  Load(store, schema, R"(
{"pk":"01ARZ3NDEKTSV4RRFFQ69G5FA1","GSI1PK":"TEAM#1","GSI1SK":"TEAM","name":"Red"}
{"pk":"01ARZ3NDEKTSV4RRFFQ69G5FA2","GSI1PK":"TEAM#2","GSI1SK":"TEAM","name":"Blue"}
{"pk":"01ARZ3NDEKTSV4RRFFQ69G5FA3","GSI1PK":"MATCH#7","GSI1SK":"MATCH","score":3}
{"pk":"01ARZ3NDEKTSV4RRFFQ69G5FA4","GSI1PK":"MATCH#8","GSI1SK":"MATCH","score":4}
)");
  const CatalogProposal proposal = Propose(store, {"Overloaded"});
  EXPECT_THAT(Types(proposal), UnorderedElementsAre("Teams: {}, `GSI1PK` = TEAM#{} x 2",
                                                    "Matches: {}, `GSI1PK` = MATCH#{} x 2"));
  ExpectSound(store, proposal);
}

TEST(RecordTypesTest, EmptyAndMissingTables) {
  MemoryItemStore store;
  Load(store, Schema("Empty"), "");
  const CatalogProposal proposal = Propose(store, {"Empty"});
  EXPECT_THAT(proposal.types, IsEmpty());
  EXPECT_EQ(proposal.tables[0].items, 0u);
  auto snapshot = store.BeginRead();
  const auto missing = ProposeCatalog(**snapshot, {"Nowhere"}, {});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().reason, "table-not-found");
}

TEST(RecordTypesTest, SamplingStillCountsEveryItem) {
  MemoryItemStore store;
  std::string lines;
  for (int i = 0; i < 300; ++i) {
    lines += "{\"pk\":\"USER#" + std::to_string(i) + "\",\"sk\":\"PROFILE\",\"name\":\"n\"}\n";
    lines += "{\"pk\":\"USER#" + std::to_string(i) + "\",\"sk\":\"CART#1\",\"items\":3}\n";
  }
  Load(store, Schema("Big"), lines);
  auto snapshot = store.BeginRead();
  const auto proposal = ProposeCatalog(**snapshot, {"Big"}, {.sample = 100});
  ASSERT_TRUE(proposal.ok());
  EXPECT_EQ(proposal->tables[0].sampled, 100u);
  EXPECT_THAT(proposal->tables[0].left_over + proposal->types[0].items +
                  (proposal->types.size() > 1 ? proposal->types[1].items : 0),
              600u);
}

}  // namespace
}  // namespace tablecast
