// What an updatable service adds: clauses 17-28 of docs/conformance.md. Each test writes into a store of its own.

#include "tests/conformance/odata_service.h"

namespace tablecast::testing {
namespace {

TEST(ODataUpdatable, C17_EditLinks) {
  ODataService service;
  const HttpResponse full = service.Get("Orders('1012')", {{"Accept", "application/json;odata.metadata=full"}});
  EXPECT_EQ(Member(full, "@odata.id"), "http://localhost/odata/Orders('1012')");
  EXPECT_EQ(Member(full, "@odata.editLink"), "Orders('1012')");
}

TEST(ODataUpdatable, C18_PostCreates) {
  ODataService service;
  const HttpResponse made = service.Write("POST", "Orders", R"j({"pk":"9001","STATUS":"OPEN"})j");
  EXPECT_ANSWER(made, 201);
  EXPECT_EQ(made.headers.Get("Location"), "http://localhost/odata/Orders('9001')");
  EXPECT_TRUE(made.headers.Has("ETag"));
  EXPECT_HOLDS(made, "\"STATUS\":\"OPEN\"");
  EXPECT_ANSWER(service.Write("POST", "Orders", R"j({"pk":"9001"})j"), 409);
  EXPECT_HOLDS(service.Get("Orders('9001')"), "\"STATUS\":\"OPEN\"");
}

TEST(ODataUpdatable, C19_PostToARelationshipCreatesAndLinks) {
  ODataService service;
  EXPECT_ANSWER(service.Write("POST", "Orders('1012')/Lines", R"j({"sk":"products#77","QUANTITY":2})j"), 201);
  EXPECT_HOLDS(service.Get("Orders('1012')/Lines?$filter=productCode eq '77'"), "\"ExternalId\":\"1012-77\"");
}

TEST(ODataUpdatable, C20_References) {
  // Both relationships of the example stand on key columns of the line, which no write may change: setting the
  // reference that already holds is accepted, another one is refused and nothing moves.
  ODataService service;
  EXPECT_ANSWER(service.Write("PUT", "OrderItems('1012-1')/Product/$ref", R"j({"@odata.id":"Products('1')"})j"), 204);
  EXPECT_ANSWER(service.Write("POST", "Orders('1012')/Lines/$ref", R"j({"@odata.id":"OrderItems('1012-1')"})j"), 204);
  EXPECT_ANSWER(service.Write("POST", "Orders('1012')/Lines/$ref", R"j({"@odata.id":"OrderItems('1013-26')"})j"), 400);
  EXPECT_ANSWER(service.Write("PUT", "OrderItems('1012-1')/Product/$ref", R"j({"@odata.id":"Products('2')"})j"), 400);
  EXPECT_ANSWER(service.Write("PUT", "OrderItems('1012-1')/Product/$ref", R"j({"@odata.id":"Orders('1012')"})j"), 400);
  EXPECT_HOLDS(service.Get("OrderItems('1012-1')/Product"), "\"pk\":\"1\"");
}

TEST(ODataUpdatable, C21_PatchMergesPutResets) {
  ODataService service;
  EXPECT_ANSWER(service.Write("PATCH", "Orders('1012')", R"j({"STATUS":"PAID"})j"), 204);
  const HttpResponse merged = service.Get("Orders('1012')");
  EXPECT_HOLDS(merged, "\"STATUS\":\"PAID\"");
  EXPECT_HOLDS(merged, "\"CUSTOMER\":\"C-115\"");
  EXPECT_ANSWER(service.Write("PUT", "Orders('1012')", R"j({"CUSTOMER":"C-9"})j"), 204);
  const HttpResponse replaced = service.Get("Orders('1012')");
  EXPECT_HOLDS(replaced, "\"CUSTOMER\":\"C-9\"");
  EXPECT_HOLDS(replaced, "\"STATUS\":null");
  EXPECT_HOLDS(replaced, "\"pk\":\"1012\"");
}

TEST(ODataUpdatable, C22_DeleteThen404) {
  ODataService service;
  EXPECT_ANSWER(service.Send("DELETE", "Orders('1012')"), 204);
  EXPECT_ANSWER(service.Send("DELETE", "Orders('1012')"), 404);
  EXPECT_ANSWER(service.Get("Orders('1012')"), 404);
}

TEST(ODataUpdatable, C23_UpsertAndItsPreconditions) {
  ODataService service;
  for (const char* method : {"PATCH", "PUT"}) {
    const std::string path = "Orders('9" + std::string(method == std::string("PUT") ? "1" : "2") + "')";
    EXPECT_ANSWER(service.Write(method, path, R"j({"STATUS":"OPEN"})j", {{"If-Match", "*"}}), 412);
    EXPECT_ANSWER(service.Get(path), 404);
    const HttpResponse made = service.Write(method, path, R"j({"STATUS":"OPEN"})j", {{"Prefer", "return=minimal"}});
    EXPECT_ANSWER(made, 204);
    EXPECT_EQ(made.headers.Get("OData-EntityId"), "http://localhost/odata/" + path);
    EXPECT_ANSWER(service.Write(method, path, R"j({"STATUS":"PAID"})j", {{"If-None-Match", "*"}}), 412);
    EXPECT_HOLDS(service.Get(path), "\"STATUS\":\"OPEN\"");
  }
}

TEST(ODataUpdatable, C24_IfMatchIsEnforced) {
  ODataService service;
  const std::string etag = Member(service.Get("Orders('1012')"), "@odata.etag");
  ASSERT_FALSE(etag.empty());
  EXPECT_ANSWER(service.Write("PATCH", "Orders('1012')", R"j({"STATUS":"PAID"})j", {{"If-Match", "W/\"0\""}}), 412);
  EXPECT_HOLDS(service.Get("Orders('1012')"), "\"STATUS\":\"DELIVERED\"");
  EXPECT_ANSWER(service.Write("PATCH", "Orders('1012')", R"j({"STATUS":"PAID"})j", {{"If-Match", etag}}), 204);
  EXPECT_ANSWER(service.Send("DELETE", "Orders('1012')", {{"If-Match", etag}}), 412);
  EXPECT_ANSWER(service.Write("PUT", "Orders('1012')/STATUS", R"j({"value":"OPEN"})j", {{"If-Match", etag}}), 412);
  EXPECT_HOLDS(service.Get("Orders('1012')"), "\"STATUS\":\"PAID\"");
}

TEST(ODataUpdatable, C25_EntityIdOn204) {
  ODataService service;
  const HttpResponse made = service.Write("POST", "Orders", R"j({"pk":"9001"})j", {{"Prefer", "return=minimal"}});
  EXPECT_ANSWER(made, 204);
  EXPECT_EQ(made.headers.Get("OData-EntityId"), "http://localhost/odata/Orders('9001')");
  EXPECT_EQ(made.headers.Get("Location"), "http://localhost/odata/Orders('9001')");
  EXPECT_EQ(made.headers.Get("Preference-Applied"), "return=minimal");
}

TEST(ODataUpdatable, C26_WritesOfOneProperty) {
  ODataService service;
  EXPECT_ANSWER(service.Write("PUT", "Orders('1012')/STATUS", R"j({"value":"X"})j"), 204);
  EXPECT_EQ(service.Get("Orders('1012')/STATUS/$value").body, "X");
  EXPECT_ANSWER(service.Write("PUT", "Orders('1012')/STATUS/$value", "Y", {{"Content-Type", "text/plain"}}), 204);
  EXPECT_EQ(service.Get("Orders('1012')/STATUS/$value").body, "Y");
  EXPECT_ANSWER(service.Send("DELETE", "Orders('1012')/STATUS"), 204);
  EXPECT_ANSWER(service.Get("Orders('1012')/STATUS"), 204);
}

TEST(ODataUpdatable, C27_DeepInsert) {
  ODataService service;
  const HttpResponse made = service.Write("POST", "Orders", R"j({"pk":"9010","Lines":[{"sk":"products#1","QUANTITY":1},{"sk":"products#2"}]})j");
  EXPECT_ANSWER(made, 201);
  EXPECT_EQ(Times(made.body, "\"productCode\":"), 2U) << made.body;
  EXPECT_EQ(service.Get("Orders('9010')/Lines/$count").body, "2");
}

TEST(ODataUpdatable, C28_WhatCannotBeKeptIsRefused) {
  ODataService service;
  for (const char* body : {R"j({"pk":"9001","NOSUCH":1})j", R"j({"pk":"9001","TOTAL":"abc"})j", R"j({"pk":"9001","TOTAL":1.234})j",
                           R"j({"pk":"9001","SHIPTO":{"nosuch":1}})j", R"j({"pk":"9001","LINECOUNT":1e999})j"}) {
    const HttpResponse refused = service.Write("POST", "Orders", body);
    EXPECT_ANSWER(refused, 400);
    EXPECT_HOLDS(refused, "\"target\":");
  }
  EXPECT_ANSWER(service.Get("Orders('9001')"), 404);
}

}  // namespace
}  // namespace tablecast::testing
