// One named test for each status that refuses a request: its code, its message, its target, its headers.

#include "tests/conformance/odata_service.h"
#include "tests/odata/http_test_client.h"

namespace tablecast::testing {
namespace {

void ExpectError(const HttpResponse& answer, int status, const std::string& code, const std::string& target) {
  EXPECT_ANSWER(answer, status);
  EXPECT_EQ(Member(answer, "code"), code) << answer.body;
  EXPECT_EQ(Member(answer, "target"), target) << answer.body;
  EXPECT_FALSE(Member(answer, "message").empty());
  EXPECT_EQ(answer.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(answer.headers.Get("Content-Language"), "en");
}

ODataService& Service() { return ODataService::Shared(); }

TEST(Errors, E400_BadRequest) {
  ExpectError(Service().Get("Orders?$filter=TOTAL gt"), 400, "filter-syntax", "$filter");
  ExpectError(Service().Get("Orders?$orderby=NOPE"), 400, "property-unknown", "$orderby");
  ExpectError(Service().Get("Orders?$top=-1"), 400, "option-value", "$top");
  ExpectError(Service().Get("Orders?$nosuch=1"), 400, "option-unknown", "$nosuch");
  ExpectError(Service().Get("Orders('1012"), 400, "literal-invalid", "path");
  ExpectError(Service().Write("POST", "Orders", "{"), 400, "json-syntax", "body");
  ExpectError(Service().Write("POST", "Orders", R"j({"pk":"9001","TOTAL":"x"})j"), 400, "value-type", "TOTAL");
}

TEST(Errors, E401_Unauthenticated) {
  ServedExample served("order-management", StoreKind::kMemory);
  HttpRequest request;
  request.method = "GET";
  request.target = "/odata/Orders";
  ExpectError(served.service().Handle(request), 401, "unauthenticated", "Authorization");
}

TEST(Errors, E404_NotFound) {
  ExpectError(Service().Get("Nope"), 404, "resource-not-found", "path");
  ExpectError(Service().Get("Orders('nope')"), 404, "record-not-found", "path");
  ExpectError(Service().Get("Orders('1012')/NOPE"), 404, "resource-not-found", "path");
}

TEST(Errors, E405_MethodNotAllowedNamesTheAllowedOnes) {
  const struct { const char* method; const char* path; const char* allow; } cases[] = {
      {"DELETE", "$metadata", "GET, HEAD"}, {"POST", "", "GET, HEAD"}, {"GET", "$batch", "POST"}, {"GET", "Orders/$query", "POST"},
      {"DELETE", "Orders/$count", "GET, HEAD"}};
  for (const auto& one : cases) {
    const HttpResponse answer = Service().Send(one.method, one.path);
    ExpectError(answer, 405, "method-not-allowed", "method");
    EXPECT_EQ(answer.headers.Get("Allow"), one.allow) << one.path;
  }
  EXPECT_EQ(Service().Send("DELETE", "Orders").headers.Get("Allow"), "GET, HEAD, POST");
}

TEST(Errors, E406_NotAcceptable) {
  ExpectError(Service().Get("Orders", {{"Accept", "application/atom+xml"}}), 406, "not-acceptable", "Accept");
  ExpectError(Service().Get("Orders?$format=xml"), 406, "not-acceptable", "$format");
}

TEST(Errors, E409_Conflict) {
  ExpectError(Service().Write("POST", "Orders", R"j({"pk":"1012"})j"), 409, "key-exists", "path");
}

TEST(Errors, E410_Gone) {
  ServedExample own("order-management", StoreKind::kMemory, {}, false, 5);  // remembers five changes
  const HttpResponse first = own.Send("GET", "/odata/Orders?$select=STATUS", "", {{"Prefer", "odata.track-changes, maxpagesize=2000"}});
  const std::string link = Member(first, "@odata.deltaLink");
  ASSERT_FALSE(link.empty());
  for (int i = 0; i < 20; ++i) {
    const std::string body = i % 2 == 0 ? R"j({"STATUS":"A"})j" : R"j({"STATUS":"B"})j";
    ASSERT_EQ(own.Send("PATCH", "/odata/Orders('1012')", body, {{"Content-Type", "application/json"}}).status, 204);
  }
  ExpectError(own.Get(link.substr(std::string("http://localhost").size())), 410, "change-log-expired", "$deltatoken");
}

TEST(Errors, E412_PreconditionFailed) {
  ExpectError(Service().Write("PATCH", "Orders('1012')", R"j({"STATUS":"X"})j", {{"If-Match", "W/\"0\""}}), 412, "etag-mismatch", "If-Match");
  ExpectError(Service().Get("Orders", {{"OData-Isolation", "snapshot"}}), 412, "isolation-not-offered", "OData-Isolation");
}

TEST(Errors, E414_UriTooLong) {
  ExpectError(Service().Get("Orders?$filter=pk eq '" + std::string(70'000, 'x') + "'"), 414, "url-too-long", "path");
}

TEST(Errors, E415_UnsupportedMediaType) {
  ExpectError(Service().Write("POST", "Orders", "x", {{"Content-Type", "text/plain"}}), 415, "unsupported-media-type", "Content-Type");
  ExpectError(Service().Write("POST", "$batch", "x", {{"Content-Type", "text/plain"}}), 415, "unsupported-media-type", "Content-Type");
}

TEST(Errors, E501_NotImplemented) {
  ExpectError(Service().Get("$all"), 501, "not-implemented", "path");
  ExpectError(Service().Get("Orders?$filter=geo.distance(TOTAL,TOTAL) eq 1"), 501, Member(Service().Get("Orders?$filter=geo.distance(TOTAL,TOTAL) eq 1"), "code"), "$filter");
}

// What the connection refuses before a request is whole.
class ServerErrors : public ::testing::Test {
 protected:
  ServerErrors() : server_({.handler = EchoHandler}) {}
  std::string Refused(const std::string& bytes) {
    RawClient client = server_.Connect();
    client.Send(bytes);
    return client.ReadToEnd();
  }
  RunningServer server_;
};

TEST_F(ServerErrors, E413_PayloadTooLarge) {
  const std::string answer = Refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 67108864\r\n\r\n");
  for (const char* text : {"HTTP/1.1 413", "\"code\":\"body-too-large\"", "\"target\":\"body\"", "OData-Version: 4.0"}) {
    EXPECT_NE(answer.find(text), std::string::npos) << answer;
  }
}

TEST_F(ServerErrors, E431_HeaderFieldsTooLarge) {
  std::string lines = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 200; ++i) lines += "X-" + std::to_string(i) + ": 1\r\n";
  const std::string answer = Refused(lines + "\r\n");
  for (const char* text : {"HTTP/1.1 431", "\"code\":\"too-many-header-lines\"", "\"target\":\"headers\"", "OData-Version: 4.0"}) {
    EXPECT_NE(answer.find(text), std::string::npos) << answer;
  }
}

}  // namespace
}  // namespace tablecast::testing
