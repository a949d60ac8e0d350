// What a request for one record costs the store: reads are counted, not timed.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "odata/principal.h"
#include "odata/service.h"
#include "tests/conformance/faulty_item_store.h"
#include "tests/service/fixture.h"

namespace tablecast::testing {
namespace {

struct Cost {
  const char* example;
  const char* target;
  int status;
  int reads;
};

class SingleReadTest : public ::testing::TestWithParam<StoreKind> {};

TEST_P(SingleReadTest, ReadsEachItemOnce) {
  const Cost kCosts[] = {
      {"order-management", "/odata/Orders('1012')", 200, 1},
      {"order-management", "/odata/Orders('1012')/TOTAL", 200, 1},
      {"order-management", "/odata/Orders('1012')/SHIPTO/city/$value", 200, 1},
      {"order-management", "/odata/Orders(pk='1012',sk='ORDER')", 200, 1},
      {"order-management", "/odata/OrderItems('1012-1')", 200, 1},
      {"order-management", "/odata/Orders('999999')", 404, 1},
      // The order and its lines lie in one partition: one range read, behind the planner's look at its first items.
      {"order-management", "/odata/Orders('1012')?$expand=Lines", 200, 2},
      {"order-management", "/odata/Orders('1012')?$expand=Lines($select=pk;$orderby=QUANTITY desc)&$select=pk", 200, 2},
      {"order-management", "/odata/Orders('999999')?$expand=Lines", 404, 2},
      // Embedded children come with the item that holds them.
      {"customers", "/odata/Customers('C0001')?$expand=Addresses", 200, 1},
      {"customers", "/odata/Customers('C0001')?$expand=Addresses($count=true)&$select=ExternalId", 200, 1},
      {"customers", "/odata/CustomerAddresses('C0001-A1')", 200, 1},
      {"order-management", "/odata/Orders/$count", 200, 0},  // the index's own count
  };
  for (const Cost& cost : kCosts) {
    ServedExample example(cost.example, GetParam());
    FaultyItemStore counted(example.store(), 0);
    Service service(counted, {});
    service.SetCatalog(example.catalog_handle());
    HttpRequest request;
    request.method = "GET";
    request.target = cost.target;
    request.principal = Principal::Unrestricted();
    const HttpResponse response = service.Handle(request);
    EXPECT_EQ(response.status, cost.status) << cost.target << "\n" << response.body;
    EXPECT_EQ(counted.reads(), cost.reads) << cost.target;
  }
}

struct WriteCost {
  const char* example;
  const char* method;
  const char* target;
  const char* body;
  int status;
  int items;
};

const WriteCost kWriteCosts[] = {
    // A record with embedded children is one item, whatever is written of it.
    {"customers", "POST", "/odata/Customers",
     R"({"customerId":"C9000","LastName":"a","Addresses":[{"addressId":"A1","city":"x"},{"addressId":"A2","city":"y"}]})", 201, 1},
    {"customers", "PATCH", "/odata/Customers('C0001')", R"({"Phone":"1"})", 204, 1},
    {"customers", "PUT", "/odata/Customers('C0001')", R"({"LastName":"1"})", 204, 1},
    {"customers", "PATCH", "/odata/CustomerAddresses('C0001-A1')", R"({"city":"z"})", 204, 1},
    {"customers", "POST", "/odata/Customers('C0001')/Addresses", R"({"addressId":"A9","city":"z"})", 201, 1},
    {"customers", "DELETE", "/odata/CustomerAddresses('C0001-A1')", "", 204, 1},
    {"customers", "DELETE", "/odata/Customers('C0001')", "", 204, 1},
    {"order-management", "PATCH", "/odata/Orders('1012')", R"({"CUSTOMER":"n"})", 204, 1},
    {"order-management", "PUT", "/odata/Orders('1012')/CUSTOMER", R"({"value":"n"})", 204, 1},
    {"order-management", "PATCH", "/odata/Orders('1012')", "{}", 204, 0},
    {"order-management", "POST", "/odata/Orders", R"({"pk":"9001","Lines":[{"sk":"products#1"},{"sk":"products#2"}]})", 201, 3},
    {"order-management", "POST", "/odata/$batch",
     R"j({"requests":[{"id":"1","atomicityGroup":"g","method":"PATCH","url":"Orders('1012')","headers":{"content-type":"application/json"},"body":{"CUSTOMER":"n"}},{"id":"2","atomicityGroup":"g","method":"PATCH","url":"Orders('1013')","headers":{"content-type":"application/json"},"body":{"CUSTOMER":"n"}}]})j",
     200, 2},
};

HttpResponse SendTo(ItemStore& store, const ServedExample& example, const WriteCost& cost) {
  ServiceOptions options;
  options.token_secret = std::string(32, 'k');
  Service service(store, options);
  service.SetCatalog(example.catalog_handle());
  HttpRequest request;
  request.method = cost.method;
  request.target = cost.target;
  request.body = cost.body;
  request.headers.Set("Content-Type", "application/json");
  request.headers.Set("Prefer", "return=minimal");
  request.principal = Principal::Unrestricted();
  return service.Handle(request);
}

TEST_P(SingleReadTest, AWriteIsOneTransactionAndWritesEachItemOnce) {
  for (const WriteCost& cost : kWriteCosts) {
    ServedExample example(cost.example, GetParam());
    FaultyItemStore counted(example.store(), 0);
    const HttpResponse response = SendTo(counted, example, cost);
    EXPECT_EQ(response.status, cost.status == 201 ? 204 : cost.status) << cost.method << " " << cost.target << "\n" << response.body;
    EXPECT_EQ(counted.transactions(), 1) << cost.method << " " << cost.target;
    EXPECT_EQ(counted.item_writes(), cost.items) << cost.method << " " << cost.target;
  }
}

std::map<std::string, Item> ItemsOf(const ServedExample& example, const ItemStore& store) {
  std::map<std::string, Item> out;
  const auto snapshot = store.BeginRead().value();
  for (const std::string& table : example.catalog().Tables()) {
    EXPECT_TRUE(snapshot->Scan(table, {}, [&](const ItemView& view) {
      out.emplace(table + "/" + std::string(view.key_bytes()), view.ToItem().value());
      return true;
    }).ok());
  }
  return out;
}

// Each call that a write makes of the store fails once: it is refused and nothing of it is there.
TEST_P(SingleReadTest, AWriteThatFailsAtAnyCallLeavesNothing) {
  for (const WriteCost& cost : kWriteCosts) {
    ServedExample example(cost.example, GetParam());
    const auto before = ItemsOf(example, example.store());
    int calls = 0;
    for (bool done = false; !done; ++calls) {
      ASSERT_LT(calls, 200) << cost.target;
      FaultyItemStore faulty(example.store(), calls + 1);
      const HttpResponse response = SendTo(faulty, example, cost);
      done = faulty.calls() <= calls;  // the call that should fail was never made
      if (done) break;
      const bool refused = response.status >= 400 || response.body.find("\"status\":503") != std::string::npos;
      // What fails behind the commit may not be told as a failure of the write.
      if (refused) {
        EXPECT_EQ(ItemsOf(example, example.store()), before) << cost.method << " " << cost.target << ", call " << calls + 1;
      } else {
        break;
      }
    }
    EXPECT_GT(calls, 2) << cost.target;
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, SingleReadTest, ::testing::Values(StoreKind::kMemory, StoreKind::kLmdb));

}  // namespace
}  // namespace tablecast::testing
