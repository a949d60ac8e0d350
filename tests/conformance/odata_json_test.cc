// The JSON format of OData 4.0 and 4.01: clauses 52-59 of docs/conformance.md.

#include "tests/conformance/odata_service.h"

namespace tablecast::testing {
namespace {

ODataService& Service() { return ODataService::Shared(); }

TEST(ODataJson, C52_MetadataLevels) {
  const std::string path = "Orders?$filter=pk in ('1012','1013')&$count=true&$expand=Lines($top=1)";
  const HttpResponse none = Service().Get(path, {{"Accept", "application/json;odata.metadata=none"}, {"Prefer", "maxpagesize=1"}});
  for (const char* text : {"@odata.context", "@odata.etag", "@odata.id", "@odata.type", "navigationLink"}) EXPECT_LACKS(none, text);
  EXPECT_HOLDS(none, "\"@odata.count\":2");
  EXPECT_HOLDS(none, "\"@odata.nextLink\":");
  const HttpResponse minimal = Service().Get(path, {{"Accept", "application/json;odata.metadata=minimal"}});
  EXPECT_HOLDS(minimal, "\"@odata.context\":\"http://localhost/odata/$metadata#Orders(Lines())\"");
  EXPECT_HOLDS(minimal, "\"@odata.etag\":");
  for (const char* text : {"@odata.editLink", "TOTAL@odata.type", "navigationLink"}) EXPECT_LACKS(minimal, text);
  const HttpResponse full = Service().Get("Orders('1012')", {{"Accept", "application/json;odata.metadata=full"}});
  for (const char* text : {"\"@odata.type\":\"#OrderManagement.Orders\"", "\"TOTAL@odata.type\":\"#Decimal\",\"TOTAL\":701.00",
                           "\"ORDERDATE@odata.type\":\"#DateTimeOffset\",\"ORDERDATE\":", "\"Lines@odata.navigationLink\":",
                           "\"Lines@odata.associationLink\":", "\"@odata.id\":", "\"@odata.editLink\":"}) {
    EXPECT_HOLDS(full, text);
  }
  const HttpResponse full_401 = Service().Get("Orders('1012')", {{"Accept", "application/json;metadata=full"}, {"OData-MaxVersion", "4.01"}});
  for (const char* text : {"\"@type\":\"#OrderManagement.Orders\"", "\"TOTAL@type\":\"Decimal\"", "\"Lines@navigationLink\":"}) {
    EXPECT_HOLDS(full_401, text);
  }
  EXPECT_LACKS(full_401, "@odata.");
}

TEST(ODataJson, C53_Ieee754Compatible) {
  const std::string path = "Orders?$filter=pk eq '1012'&$count=true&$select=TOTAL,LINECOUNT";
  const HttpResponse text = Service().Get(path, {{"Accept", "application/json;IEEE754Compatible=true"}});
  EXPECT_EQ(text.headers.Get("Content-Type"), "application/json;IEEE754Compatible=true");
  for (const char* part : {"\"@odata.count\":\"1\"", "\"TOTAL\":\"701.00\"", "\"LINECOUNT\":\"7\""}) EXPECT_HOLDS(text, part);
  const HttpResponse apply = Service().Get("Orders?$apply=aggregate($count as N,TOTAL with max as M)", {{"Accept", "application/json;IEEE754Compatible=true"}});
  EXPECT_HOLDS(apply, "\"N\":\"");
  EXPECT_HOLDS(apply, "\"M\":\"");
  const HttpResponse number = Service().Get(path);
  EXPECT_EQ(number.headers.Get("Content-Type").find("IEEE754Compatible"), std::string_view::npos);
  for (const char* part : {"\"@odata.count\":1,", "\"TOTAL\":701.00", "\"LINECOUNT\":7"}) EXPECT_HOLDS(number, part);
  // Both forms are read, whatever Content-Type says.
  ODataService own;
  EXPECT_ANSWER(own.Write("PATCH", "Orders('1012')", R"j({"TOTAL":"9007199254740993.25"})j", {{"Content-Type", "application/json;IEEE754Compatible=true"}}), 204);
  EXPECT_EQ(own.Get("Orders('1012')/TOTAL/$value").body, "9007199254740993.25");
}

TEST(ODataJson, C54_PayloadRulesOfEachVersion) {
  ODataService own;
  EXPECT_ANSWER(own.Write("PATCH", "Orders('1012')", R"j({"LINECOUNT":1E30})j"), 204);
  const HttpResponse old = own.Get("Orders('1012')", {{"Accept", "application/json;odata.metadata=full"}});
  EXPECT_HOLDS(old, "\"LINECOUNT\":1000000000000000000000000000000,");
  EXPECT_HOLDS(old, "\"@odata.etag\":");
  EXPECT_HOLDS(old, "\"LINECOUNT@odata.type\":\"#Decimal\"");
  EXPECT_EQ(old.headers.Get("Content-Type"), "application/json;odata.metadata=full");
  const HttpResponse plain = own.Get("Orders('1012')", {{"OData-MaxVersion", "4.01"}, {"Accept", "application/json"}});
  EXPECT_HOLDS(plain, "\"LINECOUNT\":1000000000000000000000000000000,");
  EXPECT_LACKS(plain, "@odata.");
  const HttpResponse exponents = own.Get("Orders('1012')", {{"OData-MaxVersion", "4.01"}, {"Accept", "application/json;ExponentialDecimals=true;IEEE754Compatible=true"}});
  EXPECT_ANSWER(exponents, 200);
  EXPECT_HOLDS(exponents, "\"LINECOUNT\":\"1E30\"");
  EXPECT_NE(exponents.headers.Get("Content-Type").find("ExponentialDecimals=true"), std::string_view::npos);
}

TEST(ODataJson, C55_InfinityOnlyForDouble) {
  const HttpResponse answer = Service().Get("Orders?$filter=pk eq '1012'&$compute=cast(1,Edm.Double) div 0 as X,1 div cast(2,Edm.Double) as Y&$select=X,Y");
  EXPECT_ANSWER(answer, 200);
  EXPECT_HOLDS(answer, "\"X\":\"INF\"");
  EXPECT_HOLDS(answer, "\"Y\":0.5");
  const HttpResponse decimal = Service().Get("Orders?$filter=pk eq '1012'&$compute=TOTAL div 0 as X&$select=X");
  EXPECT_ANSWER(decimal, 400);
}

TEST(ODataJson, C56_NullsStayUnlessTheClientAsks) {
  EXPECT_HOLDS(Service().Get("Orders('1012')"), "\"NOTE\":null");
  for (const char* prefer : {"omit-values=nulls", "odata.omit-values=nulls"}) {
    const HttpResponse omitted = Service().Get("Orders('1012')", {{"Prefer", prefer}});
    EXPECT_LACKS(omitted, "\"NOTE\"");
    EXPECT_NE(omitted.headers.Get("Preference-Applied").find("omit-values=nulls"), std::string_view::npos);
  }
}

TEST(ODataJson, C57_EtagInsideThePayload) {
  ODataService own;
  const std::string etag = Member(own.Get("Orders('1012')"), "@odata.etag");
  EXPECT_ANSWER(own.Write("PATCH", "Orders('1012')", R"j({"@odata.etag":"W/\"0\"","STATUS":"X"})j"), 412);
  EXPECT_ANSWER(own.Write("PATCH", "Orders('1012')", R"j({"@etag":"W/\"0\"","STATUS":"X"})j", {{"OData-Version", "4.01"}}), 412);
  std::string quoted;
  for (const char c : etag) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
  EXPECT_ANSWER(own.Write("PATCH", "Orders('1012')", "{\"@etag\":\"" + quoted + "\",\"STATUS\":\"X\"}", {{"OData-Version", "4.01"}}), 204);
}

TEST(ODataJson, C58_BindingOfRelatedRecords) {
  ODataService own;
  const HttpResponse bound = own.Write("POST", "OrderItems", R"j({"Order@odata.bind":"Orders('1012')","Product@odata.bind":"http://localhost/odata/Products('30')","QUANTITY":1})j");
  EXPECT_ANSWER(bound, 201);
  EXPECT_HOLDS(bound, "\"ExternalId\":\"1012-30\"");
  const HttpResponse by_id = own.Write("POST", "OrderItems", R"j({"Order":{"@id":"Orders('1012')"},"Product":{"@id":"Products('1')"},"sk":"products#89"})j", {{"OData-Version", "4.01"}});
  EXPECT_NE(by_id.status, 201) << "a bound record that contradicts the key is refused";
  const HttpResponse right = own.Write("POST", "OrderItems", R"j({"Order":{"@id":"Orders('1012')"},"sk":"products#89"})j", {{"OData-Version", "4.01"}});
  EXPECT_ANSWER(right, 201);
  EXPECT_HOLDS(right, "\"ExternalId\":\"1012-89\"");
}

TEST(ODataJson, C59_ErrorBodies) {
  for (const char* path : {"Nope", "Orders('nope')", "Orders?$top=x", "Orders?$filter=NOPE eq 1", "$all"}) {
    const HttpResponse answer = Service().Get(path);
    EXPECT_EQ(answer.body.rfind("{\"error\":{\"code\":\"", 0), 0U) << answer.body;
    EXPECT_FALSE(Member(answer, "code").empty());
    EXPECT_FALSE(Member(answer, "message").empty());
    EXPECT_FALSE(Member(answer, "target").empty()) << answer.body;
    EXPECT_EQ(answer.headers.Get("Content-Language"), "en");
    EXPECT_EQ(answer.headers.Get("Content-Type").substr(0, 16), "application/json");
  }
}

}  // namespace
}  // namespace tablecast::testing
