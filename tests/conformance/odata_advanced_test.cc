// Advanced level of OData 4.0 and 4.01: clauses 35-38, 49-51, 63 and 64 of docs/conformance.md.

#include "tests/conformance/odata_service.h"

namespace tablecast::testing {
namespace {

ODataService& Service() { return ODataService::Shared(); }

TEST(ODataAdvanced, C35_ExpandOptions) {
  const HttpResponse refs = Service().Get("Orders('1012')?$select=pk&$expand=Lines/$ref");
  EXPECT_ANSWER(refs, 200);
  EXPECT_HOLDS(refs, "{\"@odata.id\":\"OrderItems('1012-1')\"}");
  EXPECT_LACKS(refs, "productCode");
  const HttpResponse filtered = Service().Get("Orders('1012')?$expand=Lines($filter=productCode eq '1')");
  EXPECT_EQ(Times(filtered.body, "\"productCode\":"), 1U) << filtered.body;
  const HttpResponse cast = Service().Get("Orders('1012')?$expand=Lines/OrderManagement.OrderItems($filter=productCode eq '1')");
  EXPECT_ANSWER(cast, 200);
  EXPECT_EQ(Times(cast.body, "\"productCode\":"), 1U) << cast.body;
  EXPECT_ANSWER(Service().Get("Orders('1012')?$expand=Lines/OrderManagement.Other"), 501);
  const HttpResponse all = Service().Get("Orders('1012')?$expand=Lines($orderby=productCode desc;$skip=1;$top=2;$count=true;$select=productCode)");
  EXPECT_EQ(Times(all.body, "\"productCode\":"), 2U) << all.body;
  EXPECT_HOLDS(all, "\"Lines@odata.count\":7");
  EXPECT_ANSWER(Service().Get("Orders('1012')?$expand=Lines($search=Ristretto)"), 200);
  EXPECT_ANSWER(Service().Get("Orders('1012')?$expand=*($levels=2)"), 200);
  const HttpResponse count = Service().Get("Orders('1012')?$select=pk&$expand=Lines/$count");
  EXPECT_HOLDS(count, "\"Lines@odata.count\":7");
}

TEST(ODataAdvanced, C36_MultipartBatch) {
  ODataService service;
  const std::string part = "--b\r\nContent-Type:application/http\r\n\r\n";
  const std::string change = "--c\r\nContent-Type: application/http\r\nContent-ID: 1\r\n\r\n";
  const std::string body = "preamble\r\n" + part + "GET Orders('1012')?$select=pk HTTP/1.1\r\n\r\n\r\n" + part +
                           "GET http://localhost/odata/Orders/$count HTTP/1.1\r\nAccept: text/plain\r\n\r\n\r\n" + part +
                           "GET /odata/Products/$count HTTP/1.1\r\nHost: localhost\r\n\r\n\r\n" +
                           "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n" + change +
                           "POST Orders HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{\"pk\":\"9001\"}\r\n" +
                           "--c\r\nContent-Type: application/http\r\nContent-ID: 2\r\n\r\n"
                           "POST $1/Lines HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{\"sk\":\"products#3\"}\r\n--c--\r\n--b--\r\nepilogue";
  const HttpResponse answer = service.Write("POST", "$batch", body, {{"Content-Type", "multipart/mixed;boundary=b"}});
  EXPECT_ANSWER(answer, 200);
  EXPECT_EQ(answer.headers.Get("Content-Type").substr(0, 15), "multipart/mixed");
  EXPECT_EQ(Times(answer.body, "HTTP/1.1 200 OK"), 3U) << answer.body;
  EXPECT_EQ(Times(answer.body, "HTTP/1.1 201 Created"), 2U) << answer.body;
  EXPECT_ANSWER(service.Get("OrderItems('9001-3')"), 200);
  // The first error ends it, unless the client says otherwise.
  const std::string two = part + "GET Nope HTTP/1.1\r\n\r\n\r\n" + part + "GET Orders/$count HTTP/1.1\r\n\r\n\r\n--b--\r\n";
  const HttpResponse stopped = service.Write("POST", "$batch", two, {{"Content-Type", "multipart/mixed;boundary=b"}});
  EXPECT_EQ(Times(stopped.body, "HTTP/1.1 "), 1U) << stopped.body;
  const HttpResponse whole = service.Write("POST", "$batch", two, {{"Content-Type", "multipart/mixed;boundary=b"}, {"Prefer", "continue-on-error"}});
  EXPECT_EQ(Times(whole.body, "HTTP/1.1 "), 2U) << whole.body;
}

TEST(ODataAdvanced, C37_ResourcePaths) {
  EXPECT_HOLDS(Service().Get("$entity?$id=Orders('1012')"), "\"pk\":\"1012\"");
  EXPECT_HOLDS(Service().Get("$entity?$id=http://localhost/odata/Orders('1012')"), "\"pk\":\"1012\"");
  EXPECT_ANSWER(Service().Get("$entity?$id=http://elsewhere/odata/Orders('1012')"), 400);
  EXPECT_HOLDS(Service().Get("Orders('1012')/$ref"), "\"@odata.id\":\"Orders('1012')\"");
  EXPECT_HOLDS(Service().Get("Orders/$ref?$top=1"), "$metadata#Collection($ref)");
  EXPECT_ANSWER(Service().Get("$all"), 501);
  EXPECT_ANSWER(Service().Get("$crossjoin(Orders,Products)"), 501);
}

TEST(ODataAdvanced, C38_DeltaLinks) {
  ODataService service;
  const HttpResponse first = service.Get("Orders?$select=STATUS", {{"Prefer", "odata.track-changes,odata.maxpagesize=2000"}});
  const std::string link = Member(first, "@odata.deltaLink");
  ASSERT_FALSE(link.empty()) << first.body.substr(0, 300);
  EXPECT_ANSWER(service.Write("PATCH", "Orders('1012')", R"j({"STATUS":"PAID"})j"), 204);
  EXPECT_ANSWER(service.Send("DELETE", "Orders('1013')"), 204);
  const HttpResponse changes = service.Get(link.substr(std::string("http://localhost/odata/").size()));
  EXPECT_ANSWER(changes, 200);
  EXPECT_HOLDS(changes, "\"STATUS\":\"PAID\"");
  EXPECT_HOLDS(changes, "\"reason\":\"deleted\"");
}

TEST(ODataAdvanced, C49_CountOfAFilteredCollection) {
  EXPECT_HOLDS(Service().Get("Orders?$filter=Lines/$count($filter=productCode eq '1') eq 1 and pk eq '1012'"), "\"pk\":\"1012\"");
  EXPECT_LACKS(Service().Get("Orders?$filter=Lines/$count($filter=productCode eq '1') gt 1 and pk eq '1012'"), "\"pk\":\"1012\"");
  EXPECT_ANSWER(Service().Get("Orders?$orderby=Lines/$count($search=Ristretto) desc&$top=1"), 200);
}

TEST(ODataAdvanced, C50_JsonBatch) {
  ODataService service;
  const HttpResponse answer = service.Write("POST", "$batch", R"j({"requests":[
    {"id":"a","method":"get","url":"Orders('1012')?$select=pk"},
    {"id":"b","atomicityGroup":"g","method":"POST","url":"/odata/Orders","headers":{"content-type":"application/json"},"body":{"pk":"9001"}},
    {"id":"c","atomicityGroup":"g","method":"PATCH","url":"Orders('9001')","headers":{"content-type":"application/json"},"body":{"STATUS":"OPEN"}},
    {"id":"d","method":"GET","url":"Nope"},
    {"id":"e","dependsOn":["d"],"method":"GET","url":"Orders"},
    {"id":"f","dependsOn":["b"],"method":"GET","url":"$b/STATUS"}]})j");
  EXPECT_ANSWER(answer, 200);
  EXPECT_EQ(answer.headers.Get("Content-Type").substr(0, 16), "application/json");
  for (const char* text : {R"j({"id":"a","status":200)j", R"j("id":"b")j", R"j("id":"c")j", R"j({"id":"d","status":404)j",
                           R"j({"id":"e","status":424)j", R"j("atomicityGroup":"g")j", R"j("value":"OPEN")j"}) {
    EXPECT_HOLDS(answer, text);
  }
}

TEST(ODataAdvanced, C51_FilterSegment) {
  const HttpResponse plain = Service().Get("Orders/$count?$filter=STATUS eq 'OPEN'");
  EXPECT_EQ(Service().Get("Orders/$filter(@f)/$count?@f=STATUS eq 'OPEN'").body, plain.body);
  EXPECT_EQ(Service().Get("Orders/$filter(STATUS%20eq%20'OPEN')/$count").body, plain.body);
  EXPECT_ANSWER(Service().Get("Orders/$filter(@f)?@f=STATUS eq 'OPEN'&$top=1"), 200);
}

TEST(ODataAdvanced, C63_DeepUpdateEachAndDeltaPayloadsAre501) {
  ODataService service;
  EXPECT_ANSWER(service.Write("PATCH", "Orders/$each", R"j({"STATUS":"X"})j"), 501);
  EXPECT_ANSWER(service.Write("PATCH", "Orders/$filter(@f)/$each?@f=true", R"j({"STATUS":"X"})j"), 501);
  EXPECT_ANSWER(service.Send("DELETE", "Orders/$each"), 501);
  EXPECT_ANSWER(service.Write("PATCH", "Orders", R"j({"@context":"#$delta","value":[]})j", {{"OData-Version", "4.01"}}), 501);
  EXPECT_ANSWER(service.Write("PATCH", "Orders('1012')", R"j({"Lines":[{"sk":"products#1","QUANTITY":9}]})j"), 501);
  EXPECT_EQ(service.Get("Orders('1012')/Lines/$count").body, "7");
}

TEST(ODataAdvanced, C64_QuerySegment) {
  const std::string condition = "$filter=pk eq '1012'";
  std::string options = condition;
  for (int i = 0; i < 2000; ++i) options += " or pk eq '" + std::to_string(900000 + i) + "'";
  ASSERT_GT(options.size(), 8192U);
  const HttpResponse answer = Service().Write("POST", "Orders/$query", options, {{"Content-Type", "text/plain"}});
  EXPECT_ANSWER(answer, 200);
  EXPECT_EQ(Times(answer.body, "\"pk\":"), 1U);
  EXPECT_ANSWER(Service().Get("Orders/$query"), 405);
  EXPECT_ANSWER(Service().Write("POST", "Orders/$query", condition), 415);
}

}  // namespace
}  // namespace tablecast::testing
