// Minimal level of OData 4.0 and 4.01: clauses 1-16, 39-46 and 60-62 of docs/conformance.md.

#include <set>

#include "tests/conformance/odata_service.h"

namespace tablecast::testing {
namespace {

ODataService& Service() { return ODataService::Shared(); }

TEST(ODataMinimal, C01_ServiceDocumentAtTheRoot) {
  for (const char* root : {"", "?$format=json"}) {
    const HttpResponse answer = Service().Get(root);
    EXPECT_ANSWER(answer, 200);
    EXPECT_HOLDS(answer, R"j("@odata.context":"http://localhost/odata/$metadata")j");
    for (const char* set : {"OrderItems", "Orders", "Products"}) {
      EXPECT_HOLDS(answer, "{\"name\":\"" + std::string(set) + "\"");
      EXPECT_HOLDS(answer, "\"kind\":\"EntitySet\",\"url\":\"" + std::string(set) + "\"");
    }
  }
}

TEST(ODataMinimal, C02_JsonIsTheFormatOfData) {
  const HttpResponse answer = Service().Get("Orders?$top=1");
  EXPECT_ANSWER(answer, 200);
  EXPECT_EQ(answer.headers.Get("Content-Type").substr(0, 16), "application/json");
}

TEST(ODataMinimal, C03_PartialResultsOnlyByNextLinks) {
  const HttpResponse all = Service().Get("OrderItems/$count");
  std::set<std::string> seen;
  std::size_t rows = 0;
  std::string path = "OrderItems?$select=ExternalId&$orderby=QUANTITY desc";
  while (!path.empty()) {
    const HttpResponse page = Service().Get(path, {{"Prefer", "odata.maxpagesize=97"}});
    ASSERT_EQ(page.status, 200) << page.body;
    const std::string mark = "\"ExternalId\":\"";
    for (std::size_t at = page.body.find(mark); at != std::string::npos; at = page.body.find(mark, at + 1)) {
      const std::size_t begin = at + mark.size();
      seen.insert(page.body.substr(begin, page.body.find('"', begin) - begin));
      ++rows;
    }
    const std::string next = Member(page, "@odata.nextLink");
    path = next.empty() ? "" : next.substr(std::string("http://localhost/odata/").size());
  }
  EXPECT_EQ(std::to_string(rows), all.body);
  EXPECT_EQ(seen.size(), rows);
}

TEST(ODataMinimal, C04_VersionHeaderOnEveryAnswer) {
  for (const char* path : {"", "$metadata", "Orders", "Orders/$count", "Nope", "Orders('nope')", "Orders?$nosuch=1", "Orders('%zz')"}) {
    EXPECT_EQ(Service().Get(path).headers.Get("OData-Version"), "4.0") << path;
    EXPECT_EQ(Service().Get(path, {{"OData-MaxVersion", "4.01"}}).headers.Get("OData-Version"), "4.01") << path;
  }
}

TEST(ODataMinimal, C05_AcceptIsObeyedOrRefused) {
  for (const char* accept : {"application/atom+xml", "application/json;foo=bar", "application/xml", "text/html;q=0.5, image/png"}) {
    const HttpResponse answer = Service().Get("Orders?$top=1", {{"Accept", accept}});
    EXPECT_ANSWER(answer, 406);
    EXPECT_HOLDS(answer, "\"code\":\"not-acceptable\"");
  }
  for (const char* accept : {"*/*", "application/*", "application/json", "application/json;odata.metadata=minimal",
                             "application/atom+xml, application/json;q=0.1", "application/json;odata=verbose, */*;q=0.1"}) {
    EXPECT_ANSWER(Service().Get("Orders?$top=1", {{"Accept", accept}}), 200);
  }
}

TEST(ODataMinimal, C06_MaxVersionIsObeyedOrRefused) {
  EXPECT_EQ(Service().Get("Orders").headers.Get("OData-Version"), "4.0");
  EXPECT_EQ(Service().Get("Orders", {{"OData-MaxVersion", "4.0"}}).headers.Get("OData-Version"), "4.0");
  EXPECT_EQ(Service().Get("Orders", {{"OData-MaxVersion", "4.01"}}).headers.Get("OData-Version"), "4.01");
  for (const char* version : {"3.0", "2.0", "x", "1"}) {
    EXPECT_ANSWER(Service().Get("Orders", {{"OData-MaxVersion", version}}), 400);
  }
}

TEST(ODataMinimal, C07_RequestVersionIsUnderstoodOrRefused) {
  for (const char* version : {"9.0", "3.0", "4.2x"}) {
    EXPECT_ANSWER(Service().Write("POST", "Orders", R"j({"pk":"8000"})j", {{"OData-Version", version}}), 400);
  }
  EXPECT_ANSWER(Service().Get("Orders('8000')"), 404);
}

TEST(ODataMinimal, C08_UnknownSystemOptionsAreRefused) {
  for (const char* option : {"$nosuch=1", "$Filters=1", "$=1", "$inlinecount=allpages"}) {
    EXPECT_ANSWER(Service().Get(std::string("Orders?") + option), 400);
  }
}

TEST(ODataMinimal, C09_AnOptionTwiceIsRefused) {
  for (const char* options : {"$top=1&$top=2", "$top=1&top=1", "top=1&TOP=1", "$filter=true&%24filter=true", "$select=pk&$SELECT=pk"}) {
    EXPECT_ANSWER(Service().Get(std::string("Orders?") + options), 400);
  }
}

TEST(ODataMinimal, C10_CustomOptionsAreTolerated) {
  EXPECT_ANSWER(Service().Get("Orders?foo=1&sap-client=100&_=17&$top=1"), 200);
}

TEST(ODataMinimal, C11_APlainClientIsEnough) {
  const HttpResponse answer = Service().Get("Orders('1012')");
  EXPECT_ANSWER(answer, 200);
  EXPECT_HOLDS(answer, "\"TOTAL\":701.00");
  EXPECT_LACKS(answer, "@tablecast.");
}

TEST(ODataMinimal, C12_Expand) {
  const HttpResponse answer = Service().Get("OrderItems('1012-1')?$expand=Order");
  EXPECT_ANSWER(answer, 200);
  EXPECT_HOLDS(answer, "\"Order\":{");
  EXPECT_HOLDS(answer, "\"CUSTOMER\":\"C-115\"");
}

TEST(ODataMinimal, C13_MetadataIsXmlByDefault) {
  const HttpResponse answer = Service().Get("$metadata");
  EXPECT_ANSWER(answer, 200);
  EXPECT_EQ(answer.headers.Get("Content-Type").substr(0, 15), "application/xml");
  EXPECT_HOLDS(answer, "<edmx:Edmx");
}

TEST(ODataMinimal, C14_PreferencesWithAndWithoutPrefix) {
  for (const char* name : {"odata.maxpagesize", "maxpagesize"}) {
    for (const char* version : {"4.0", "4.01"}) {
      const HttpResponse answer =
          Service().Get("Orders", {{"Prefer", std::string(name) + "=7"}, {"OData-MaxVersion", version}});
      EXPECT_EQ(Times(answer.body, "\"ExternalId\":"), 7U) << name << version;
      EXPECT_NE(answer.headers.Get("Preference-Applied").find("maxpagesize=7"), std::string_view::npos);
    }
  }
}

TEST(ODataMinimal, C15_DurationLiteralsWithAndWithoutPrefix) {
  for (const char* literal : {"duration'PT1H'", "'PT1H'"}) {
    const HttpResponse answer = Service().Get("Orders?$filter=ORDERDATE sub 2024-01-17T17:12:38Z eq " + std::string(literal));
    EXPECT_ANSWER(answer, 200);
    EXPECT_HOLDS(answer, "\"pk\":\"1012\"");
    EXPECT_EQ(Times(answer.body, "\"pk\":"), 1U) << literal;
  }
}

TEST(ODataMinimal, C16_RespondAsyncIsIgnored) {
  const HttpResponse answer = Service().Get("Orders?$top=1", {{"Prefer", "respond-async, wait=0"}});
  EXPECT_ANSWER(answer, 200);
  EXPECT_EQ(answer.headers.Get("Preference-Applied").find("respond-async"), std::string_view::npos);
}

TEST(ODataMinimal, C39_OptionsAndOperatorsInAnyCase) {
  const HttpResponse answer = Service().Get("Orders?filter=STATUS EQ 'OPEN' AND Contains(CUSTOMER,'C-') and Not (TOTAL LT 0)&TOP=3&OrderBy=TOTAL DESC");
  EXPECT_ANSWER(answer, 200);
  EXPECT_EQ(Times(answer.body, "\"STATUS\":\"OPEN\""), 3U);
}

TEST(ODataMinimal, C40_BothSyntaxesWhateverTheVersion) {
  for (const char* version : {"4.0", "4.01"}) {
    EXPECT_ANSWER(Service().Get("Orders?$filter=STATUS in ('OPEN','PAID')&$top=1", {{"OData-MaxVersion", version}}), 200);
    EXPECT_ANSWER(Service().Get("Orders?$filter=ORDERDATE lt duration'PT1H' add ORDERDATE&top=1", {{"OData-MaxVersion", version}}), 200);
  }
}

TEST(ODataMinimal, C41_TextIsCastToPrimitives) {
  const struct { const char* filter; const char* holds; } cases[] = {
      {"ORDERDATE eq cast('2024-01-17T18:12:38Z',Edm.DateTimeOffset)", "\"pk\":\"1012\""},
      {"TOTAL eq cast('701',Edm.Decimal) and pk eq '1012'", "\"pk\":\"1012\""},
      {"LINECOUNT eq cast('7',Edm.Int32) and pk eq '1012'", "\"pk\":\"1012\""},
      {"date(ORDERDATE) eq cast('2024-01-17',Edm.Date) and pk eq '1012'", "\"pk\":\"1012\""},
      {"cast('true',Edm.Boolean) and pk eq '1012'", "\"pk\":\"1012\""},
  };
  for (const auto& one : cases) {
    const HttpResponse answer = Service().Get("Orders?$filter=" + std::string(one.filter));
    EXPECT_ANSWER(answer, 200);
    EXPECT_HOLDS(answer, one.holds);
  }
}

TEST(ODataMinimal, C42_AliasesInKeys) {
  const HttpResponse both = Service().Get("Orders(pk=@a,sk=@b)?@a='1012'&@b='ORDER'");
  EXPECT_ANSWER(both, 200);
  EXPECT_HOLDS(both, "\"pk\":\"1012\"");
  EXPECT_ANSWER(Service().Get("Orders(@k)?@k='1012'"), 200);
  EXPECT_ANSWER(Service().Get("Orders(ExternalId=@k)?@k='a%2Fb%5Cc%00'"), 404);
  EXPECT_ANSWER(Service().Get("Orders(@k)"), 400);
}

TEST(ODataMinimal, C43_AnotherSchemaVersionIsRefused) {
  EXPECT_HOLDS(Service().Get("$metadata"), "Core.SchemaVersion");
  EXPECT_ANSWER(Service().Get("Orders?$schemaversion=99"), 404);
  EXPECT_ANSWER(Service().Get("Orders?$schemaversion=*&$top=1"), 200);
}

TEST(ODataMinimal, C44_IdentifiersInTheirOwnCase) {
  EXPECT_ANSWER(Service().Get("orders"), 404);
  EXPECT_ANSWER(Service().Get("Orders?$select=total"), 400);
  EXPECT_ANSWER(Service().Get("Orders?$filter=Total gt 1"), 400);
}

TEST(ODataMinimal, C45_NegativeSubstringDivbyJsonSchemaAndAnnotations) {
  EXPECT_HOLDS(Service().Get("Orders?$filter=substring(CUSTOMER,-3) eq '115' and pk eq '1012'"), "\"pk\":\"1012\"");
  EXPECT_HOLDS(Service().Get("Orders?$filter=7 divby 2 eq 3.5 and 7 div 2 eq 3 and pk eq '1012'"), "\"pk\":\"1012\"");
  EXPECT_HOLDS(Service().Get("$metadata?$format=json"), "\"$Version\"");
  for (const char* term : {"Core.ODataVersions", "Capabilities.ConformanceLevel", "Capabilities.FilterFunctions"}) {
    EXPECT_HOLDS(Service().Get("$metadata"), term);
  }
}

TEST(ODataMinimal, C46_KeyAsSegment) {
  EXPECT_HOLDS(Service().Get("Orders/1012"), "\"pk\":\"1012\"");
  EXPECT_HOLDS(Service().Get("Orders/1012/Lines/1012-1"), "\"productCode\":\"1\"");
  EXPECT_HOLDS(Service().Get("$metadata"), "Capabilities.KeyAsSegmentSupported");
}

TEST(ODataMinimal, C60_AllowOn405AndHeadLikeGet) {
  const HttpResponse refused = Service().Send("DELETE", "$metadata");
  EXPECT_ANSWER(refused, 405);
  EXPECT_EQ(refused.headers.Get("Allow"), "GET, HEAD");
  for (const char* path : {"", "$metadata", "Orders?$top=2", "Orders('1012')", "Orders/$count", "Orders('1012')/TOTAL/$value", "Nope"}) {
    const HttpResponse get = Service().Get(path);
    const HttpResponse head = Service().Send("HEAD", path);
    EXPECT_EQ(head.status, get.status) << path;
    EXPECT_EQ(head.headers.Get("Content-Type"), get.headers.Get("Content-Type")) << path;
    EXPECT_EQ(head.headers.Get("ETag"), get.headers.Get("ETag")) << path;
  }
}

TEST(ODataMinimal, C61_UnknownPreferencesIgnoredAndIsolationRefused) {
  const HttpResponse answer = Service().Get("Orders?$top=1", {{"Prefer", "nosuch=1, handling=strict"}});
  EXPECT_ANSWER(answer, 200);
  EXPECT_FALSE(answer.headers.Has("Preference-Applied"));
  for (const char* name : {"Isolation", "OData-Isolation"}) {
    const HttpResponse refused = Service().Get("Orders?$top=1", {{name, "snapshot"}});
    EXPECT_ANSWER(refused, 412);
    EXPECT_HOLDS(refused, "\"code\":\"isolation-not-offered\"");
  }
}

TEST(ODataMinimal, C62_VaryNamesWhatTheAnswerDependsOn) {
  for (const char* path : {"Orders", "$metadata", "Nope", ""}) {
    const std::string vary = Service().Get(path).headers.Joined("Vary");
    for (const char* name : {"OData-MaxVersion", "Accept", "Prefer"}) {
      EXPECT_NE(vary.find(name), std::string::npos) << path << " " << name;
    }
  }
}

}  // namespace
}  // namespace tablecast::testing
