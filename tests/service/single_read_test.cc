// What a request for one record costs the store: reads are counted, not timed.

#include <gtest/gtest.h>

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

INSTANTIATE_TEST_SUITE_P(Stores, SingleReadTest, ::testing::Values(StoreKind::kMemory, StoreKind::kLmdb));

}  // namespace
}  // namespace tablecast::testing
