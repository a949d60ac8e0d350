// Each capability that $metadata publishes holds, each one published as refused is refused, and no term is published that
// no test here knows.

#include <map>
#include <set>

#include "base/json_reader.h"
#include "tests/conformance/odata_service.h"

namespace tablecast::testing {
namespace {

class Schema {
 public:
  Schema() {
    const HttpResponse answer = ODataService::Shared().Get("$metadata?$format=json");
    auto json = ParseJson(answer.body);
    EXPECT_TRUE(json.ok()) << answer.body;
    if (json.ok()) document_ = *std::move(json);
    space_ = document_.Find("OrderManagement");
    container_ = space_ == nullptr ? nullptr : space_->Find("Container");
  }
  bool ok() const { return container_ != nullptr; }
  const JsonValue& container() const { return *container_; }
  const JsonValue& type(const std::string& set) const { return *space_->Find(set); }
  std::vector<std::string> sets() const {
    std::vector<std::string> names;
    for (const JsonMember& member : container_->members) {
      if (member.name[0] != '$' && member.name[0] != '@') names.push_back(member.name);
    }
    return names;
  }
  // A member of an annotation of a set, "" = the annotation itself.
  const JsonValue* Of(const std::string& set, const std::string& term, const std::string& member = "") const {
    const JsonValue* target = set.empty() ? container_ : container_->Find(set);
    const JsonValue* value = target == nullptr ? nullptr : target->Find("@" + term);
    return value == nullptr || member.empty() ? value : value->Find(member);
  }
  bool True(const std::string& set, const std::string& term, const std::string& member = "") const {
    const JsonValue* value = Of(set, term, member);
    EXPECT_NE(value, nullptr) << set << " " << term << " " << member;
    return value != nullptr && value->boolean;
  }
  std::set<std::string> Names(const std::string& set, const std::string& term, const std::string& member = "") const {
    std::set<std::string> names;
    const JsonValue* value = Of(set, term, member);
    EXPECT_NE(value, nullptr) << set << " " << term << " " << member;
    if (value != nullptr) {
      for (const JsonValue& element : value->elements) names.insert(element.text);
    }
    return names;
  }

 private:
  JsonValue document_;
  const JsonValue* space_ = nullptr;
  const JsonValue* container_ = nullptr;
};

ODataService& Service() { return ODataService::Shared(); }

TEST(ODataCapabilities, NoTermIsPublishedThatIsNotTested) {
  const Schema schema;
  ASSERT_TRUE(schema.ok());
  const std::set<std::string> tested = {
      "Core.ODataVersions", "Core.OptimisticConcurrency", "Capabilities.ConformanceLevel", "Capabilities.SupportedFormats",
      "Capabilities.SupportedMetadataFormats", "Capabilities.AcceptableEncodings",  // the last: odata/http_compression_test
      "Capabilities.AsynchronousRequestsSupported", "Capabilities.CrossJoinSupported", "Capabilities.KeyAsSegmentSupported",
      "Capabilities.QuerySegmentSupported", "Capabilities.BatchSupported", "Capabilities.BatchSupport", "Capabilities.FilterFunctions",
      "Capabilities.FilterRestrictions", "Capabilities.SortRestrictions", "Capabilities.SearchRestrictions", "Capabilities.CountRestrictions",
      "Capabilities.ExpandRestrictions", "Capabilities.TopSupported", "Capabilities.SkipSupported", "Capabilities.ComputeSupported",
      "Capabilities.IndexableByKey", "Capabilities.SelectSupport", "Capabilities.InsertRestrictions", "Capabilities.UpdateRestrictions",
      "Capabilities.DeleteRestrictions", "Capabilities.ChangeTracking", "Capabilities.DeepInsertSupport", "Capabilities.DeepUpdateSupport",
      "Aggregation.ApplySupported", "Aggregation.ApplySupportedDefaults", "Aggregation.CustomAggregate"};
  const auto check = [&](const JsonValue& target) {
    for (const JsonMember& member : target.members) {
      if (member.name[0] != '@') continue;
      const std::string term = member.name.substr(1, member.name.find('#') - 1);
      EXPECT_TRUE(tested.contains(term)) << term;
    }
  };
  check(schema.container());
  for (const std::string& set : schema.sets()) check(*schema.container().Find(set));
}

TEST(ODataCapabilities, ReadingAsPublished) {
  const Schema schema;
  ASSERT_TRUE(schema.ok());
  for (const std::string& set : schema.sets()) {
    SCOPED_TRACE(set);
    EXPECT_TRUE(schema.True(set, "Capabilities.FilterRestrictions", "Filterable"));
    EXPECT_TRUE(schema.True(set, "Capabilities.SortRestrictions", "Sortable"));
    EXPECT_TRUE(schema.True(set, "Capabilities.SearchRestrictions", "Searchable"));
    EXPECT_TRUE(schema.True(set, "Capabilities.CountRestrictions", "Countable"));
    EXPECT_TRUE(schema.True(set, "Capabilities.TopSupported") && schema.True(set, "Capabilities.SkipSupported"));
    EXPECT_TRUE(schema.True(set, "Capabilities.ComputeSupported") && schema.True(set, "Capabilities.IndexableByKey"));
    const HttpResponse all = Service().Get(set + "?$search=a&$count=true&$top=1&$skip=1&$compute=length(ExternalId) as L&$filter=L gt 0");
    EXPECT_ANSWER(all, 200);
    EXPECT_HOLDS(all, "@odata.count");
    EXPECT_TRUE(schema.True(set, "Core.OptimisticConcurrency") || schema.Of(set, "Core.OptimisticConcurrency") != nullptr);
    EXPECT_HOLDS(Service().Get(set + "?$top=1"), "@odata.etag");
    const std::set<std::string> unsortable = schema.Names(set, "Capabilities.SortRestrictions", "NonSortableProperties");
    for (const JsonMember& property : schema.type(set).members) {
      if (property.name[0] == '$' || property.name[0] == '@') continue;
      const JsonValue* kind = property.value.Find("$Kind");
      if (kind != nullptr && kind->text == "NavigationProperty") {
        EXPECT_TRUE(schema.True(set, "Capabilities.ExpandRestrictions", "Expandable"));
        EXPECT_ANSWER(Service().Get(set + "?$top=1&$expand=" + property.name), 200);
        continue;
      }
      EXPECT_ANSWER(Service().Get(set + "?$top=1&$orderby=" + property.name), unsortable.contains(property.name) ? 400 : 200);
      EXPECT_ANSWER(Service().Get(set + "?$top=1&$filter=" + property.name + " eq null"), 200);
    }
  }
  // Five levels and not a sixth.
  EXPECT_EQ(schema.Of("Orders", "Capabilities.ExpandRestrictions", "MaxLevels")->text, "5");
  EXPECT_ANSWER(Service().Get("Orders('1012')?$expand=Lines($expand=Order($expand=Lines($expand=Order($expand=Lines))))"), 200);
  EXPECT_ANSWER(Service().Get("Orders('1012')?$expand=Lines($expand=Order($expand=Lines($expand=Order($expand=Lines($expand=Order)))))"), 400);
}

TEST(ODataCapabilities, OptionsInsideSelectAsPublished) {
  const Schema schema;
  ASSERT_TRUE(schema.ok());
  EXPECT_TRUE(schema.True("Products", "Capabilities.SelectSupport", "Supported"));
  EXPECT_ANSWER(Service().Get("Orders?$top=1&$select=SHIPTO($select=city)"), 200);
  const std::map<std::string, std::string> options = {
      {"Expandable", "$expand=X"}, {"Filterable", "$filter=$this eq 'x'"}, {"Searchable", "$search=x"}, {"TopSupported", "$top=1"},
      {"SkipSupported", "$skip=1"}, {"ComputeSupported", "$compute=1 as X"}, {"Countable", "$count=true"}, {"Sortable", "$orderby=$this"}};
  for (const JsonMember& member : schema.Of("Products", "Capabilities.SelectSupport")->members) {
    if (member.name == "Supported") continue;
    ASSERT_TRUE(options.contains(member.name)) << member.name;
    EXPECT_ANSWER(Service().Get("Products?$top=1&$select=TAGS(" + options.at(member.name) + ")"), member.value.boolean ? 200 : 501);
  }
}

TEST(ODataCapabilities, EveryFilterFunctionIsThere) {
  const std::map<std::string, std::string> samples = {
      {"contains", "contains('ab','a')"}, {"endswith", "endswith('ab','b')"}, {"startswith", "startswith('ab','a')"},
      {"length", "length('ab') eq 2"}, {"indexof", "indexof('ab','b') eq 1"}, {"substring", "substring('ab',1) eq 'b'"},
      {"matchesPattern", "matchesPattern('ab','^a')"}, {"tolower", "tolower('A') eq 'a'"}, {"toupper", "toupper('a') eq 'A'"},
      {"trim", "trim(' a') eq 'a'"}, {"concat", "concat('a','b') eq 'ab'"}, {"year", "year(2024-01-02) eq 2024"},
      {"month", "month(2024-01-02) eq 1"}, {"day", "day(2024-01-02) eq 2"}, {"hour", "hour(03:04:05) eq 3"}, {"minute", "minute(03:04:05) eq 4"},
      {"second", "second(03:04:05) eq 5"}, {"fractionalseconds", "fractionalseconds(03:04:05.5) eq 0.5"},
      {"date", "date(2024-01-02T03:04:05Z) eq 2024-01-02"}, {"time", "time(2024-01-02T03:04:05Z) eq 03:04:05"},
      {"totaloffsetminutes", "totaloffsetminutes(2024-01-02T03:04:05Z) eq 0"}, {"now", "now() gt 2000-01-01T00:00:00Z"},
      {"maxdatetime", "maxdatetime() gt now()"}, {"mindatetime", "mindatetime() lt now()"}, {"totalseconds", "totalseconds(duration'PT1M') eq 60"},
      {"round", "round(1.5) eq 2"}, {"floor", "floor(1.5) eq 1"}, {"ceiling", "ceiling(1.5) eq 2"}, {"cast", "cast('1',Edm.Int32) eq 1"},
      {"isof", "isof(TOTAL,Edm.Decimal)"}, {"case", "case(true:1) eq 1"}, {"hassubset", "hassubset([1,2],[2])"},
      {"hassubsequence", "hassubsequence([1,2],[2])"}};
  const Schema schema;
  ASSERT_TRUE(schema.ok());
  const std::set<std::string> published = schema.Names("", "Capabilities.FilterFunctions");
  EXPECT_EQ(published.size(), samples.size());
  for (const std::string& name : published) {
    ASSERT_TRUE(samples.contains(name)) << name;
    const HttpResponse answer = Service().Get("Orders?$select=pk&$filter=pk eq '1012' and " + samples.at(name));
    EXPECT_ANSWER(answer, 200);
    EXPECT_HOLDS(answer, "\"pk\":\"1012\"");
  }
}

TEST(ODataCapabilities, EveryTransformationIsThere) {
  const std::map<std::string, std::string> samples = {
      {"aggregate", "aggregate(TOTAL with sum as S)"}, {"topcount", "topcount(2,TOTAL)"}, {"topsum", "topsum(5000,TOTAL)"},
      {"toppercent", "toppercent(10,TOTAL)"}, {"bottomcount", "bottomcount(2,TOTAL)"}, {"bottomsum", "bottomsum(500,TOTAL)"},
      {"bottompercent", "bottompercent(1,TOTAL)"}, {"identity", "identity"}, {"concat", "concat(identity,aggregate($count as N))"},
      {"groupby", "groupby((STATUS))"}, {"filter", "filter(TOTAL gt 5)"}, {"search", "search(open)"}, {"compute", "compute(TOTAL mul 2 as D)"},
      {"orderby", "orderby(TOTAL)"}, {"skip", "skip(1)"}, {"top", "top(1)"}};
  const Schema schema;
  ASSERT_TRUE(schema.ok());
  EXPECT_EQ(schema.Names("", "Aggregation.ApplySupportedDefaults", "Transformations"), schema.Names("Orders", "Aggregation.ApplySupported", "Transformations"));
  const std::set<std::string> published = schema.Names("Orders", "Aggregation.ApplySupported", "Transformations");
  EXPECT_EQ(published.size(), samples.size());
  for (const std::string& name : published) {
    ASSERT_TRUE(samples.contains(name)) << name;
    EXPECT_ANSWER(Service().Get("Orders?$apply=" + samples.at(name) + "&$top=1"), 200);
  }
  // RollupType MultipleHierarchies.
  EXPECT_ANSWER(Service().Get("Orders?$apply=groupby((rollup(CUSTOMER,STATUS),rollup(NOTE,TOTAL)),aggregate($count as N))&$top=1"), 200);
}

TEST(ODataCapabilities, WritingAsPublished) {
  const Schema schema;
  ASSERT_TRUE(schema.ok());
  ODataService own;
  EXPECT_TRUE(schema.True("Orders", "Capabilities.InsertRestrictions", "Insertable"));
  EXPECT_TRUE(schema.True("Orders", "Capabilities.UpdateRestrictions", "Updatable"));
  EXPECT_TRUE(schema.True("Orders", "Capabilities.UpdateRestrictions", "Upsertable"));
  EXPECT_TRUE(schema.True("Orders", "Capabilities.DeleteRestrictions", "Deletable"));
  EXPECT_EQ(schema.Of("Orders", "Capabilities.UpdateRestrictions", "UpdateMethod")->text, "PATCH,PUT");
  EXPECT_ANSWER(own.Write("POST", "Orders", R"j({"pk":"9001"})j"), 201);
  EXPECT_ANSWER(own.Write("PATCH", "Orders('9001')", R"j({"STATUS":"X"})j"), 204);
  EXPECT_ANSWER(own.Write("PUT", "Orders('9001')", R"j({"STATUS":"X"})j"), 204);
  EXPECT_ANSWER(own.Write("PUT", "Orders('9002')", R"j({"STATUS":"X"})j"), 201);
  EXPECT_ANSWER(own.Send("DELETE", "Orders('9002')"), 204);
  // Properties that no write may set: the value that is there is accepted, another one is not taken.
  for (const char* list : {"NonInsertableProperties", "NonUpdatableProperties"}) {
    const bool insert = std::string(list) == "NonInsertableProperties";
    EXPECT_EQ(schema.Names("Orders", insert ? "Capabilities.InsertRestrictions" : "Capabilities.UpdateRestrictions", list), std::set<std::string>{"ExternalId"});
  }
  EXPECT_NE(own.Write("PATCH", "Orders('9001')", R"j({"ExternalId":"77"})j").status, 204);
  EXPECT_TRUE(schema.True("Orders", "Capabilities.DeepInsertSupport", "Supported"));
  EXPECT_ANSWER(own.Write("POST", "Orders", R"j({"pk":"9010","Lines":[{"sk":"products#1"}]})j"), 201);
  EXPECT_FALSE(schema.True("Orders", "Capabilities.DeepUpdateSupport", "Supported"));
  EXPECT_ANSWER(own.Write("PATCH", "Orders('9010')", R"j({"Lines":[{"sk":"products#1","QUANTITY":9}]})j"), 501);
  EXPECT_TRUE(schema.True("Orders", "Capabilities.ChangeTracking", "Supported"));
  EXPECT_HOLDS(own.Get("Orders?$top=1", {{"Prefer", "odata.track-changes"}}), "@odata.deltaLink");
}

TEST(ODataCapabilities, TheServiceAsPublished) {
  const Schema schema;
  ASSERT_TRUE(schema.ok());
  EXPECT_EQ(schema.Of("", "Core.ODataVersions")->text, "4.0 4.01");
  for (const char* version : {"4.0", "4.01"}) {
    EXPECT_EQ(Service().Get("Orders?$top=1", {{"OData-MaxVersion", version}}).headers.Get("OData-Version"), version);
  }
  for (const std::string& format : schema.Names("", "Capabilities.SupportedFormats")) {
    EXPECT_ANSWER(Service().Get("Orders?$top=1", {{"Accept", format}}), 200);
  }
  for (const std::string& format : schema.Names("", "Capabilities.SupportedMetadataFormats")) {
    EXPECT_EQ(Service().Get("$metadata", {{"Accept", format}}).headers.Get("Content-Type"), format);
  }
  EXPECT_FALSE(schema.True("", "Capabilities.AsynchronousRequestsSupported"));
  EXPECT_ANSWER(Service().Get("Orders?$top=1", {{"Prefer", "respond-async"}}), 200);
  EXPECT_FALSE(schema.True("", "Capabilities.CrossJoinSupported"));
  EXPECT_ANSWER(Service().Get("$crossjoin(Orders,Products)"), 501);
  EXPECT_TRUE(schema.True("", "Capabilities.KeyAsSegmentSupported"));
  EXPECT_ANSWER(Service().Get("Orders/1012"), 200);
  EXPECT_TRUE(schema.True("", "Capabilities.QuerySegmentSupported"));
  EXPECT_ANSWER(Service().Write("POST", "Orders/$query", "$top=1", {{"Content-Type", "text/plain"}}), 200);
  EXPECT_TRUE(schema.True("", "Capabilities.BatchSupported") && schema.True("", "Capabilities.BatchSupport", "Supported"));
  EXPECT_EQ(schema.Names("", "Capabilities.BatchSupport", "SupportedFormats"), (std::set<std::string>{"multipart/mixed", "application/json"}));
  EXPECT_TRUE(schema.True("", "Capabilities.BatchSupport", "ContinueOnErrorSupported"));
  EXPECT_FALSE(schema.True("", "Capabilities.BatchSupport", "RequestDependencyConditionsSupported"));
  ODataService own;
  const HttpResponse conditions = own.Write("POST", "$batch", R"j({"requests":[{"id":"1","method":"GET","url":"Orders","if":"$1/x eq 1"}]})j");
  EXPECT_TRUE(conditions.status == 501 || Holds(conditions, "\"status\":501")) << conditions.body;
  EXPECT_TRUE(schema.True("", "Capabilities.BatchSupport", "EtagReferencesSupported"));
  const HttpResponse etags = own.Write("POST", "$batch", R"j({"requests":[{"id":"1","method":"GET","url":"Orders('1012')"},
    {"id":"2","dependsOn":["1"],"method":"PATCH","url":"Orders('1012')","headers":{"content-type":"application/json","if-match":"$1"},"body":{"STATUS":"X"}}]})j");
  EXPECT_HOLDS(etags, "\"status\":204");
  EXPECT_TRUE(schema.True("", "Capabilities.BatchSupport", "ReferencesAcrossChangeSetsSupported"));
}

// What a caller may not do is published as not offered, and not done; the documents' ETags tell callers apart.
TEST(ODataCapabilities, RightsArePublished) {
  ServedExample served("order-management", StoreKind::kMemory);
  auto reader = std::make_shared<Principal>();
  reader->name = "reader";
  reader->objects["Orders"].read = true;
  reader->hidden_fields["Orders"] = {"TOTAL"};
  const auto send = [&](const std::string& method, const std::string& target, const std::string& body = "", HttpHeaders headers = {}) {
    HttpRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.headers = std::move(headers);
    if (!body.empty()) request.headers.Add("Content-Type", "application/json");
    request.authority = "localhost";
    request.principal = reader;
    return served.service().Handle(request);
  };
  for (const char* path : {"/odata/$metadata", "/odata/$metadata?$format=json", "/openapi.json", "/odata/openapi.json"}) {
    const HttpResponse mine = send("GET", path);
    EXPECT_ANSWER(mine, 200);
    for (const char* secret : {"TOTAL", "OrderItems", "Products"}) EXPECT_LACKS(mine, secret);
    const HttpResponse whole = served.Get(path);
    EXPECT_HOLDS(whole, "TOTAL");
    EXPECT_NE(mine.headers.Get("ETag"), whole.headers.Get("ETag"));
    const std::string etag(mine.headers.Get("ETag"));
    EXPECT_ANSWER(send("GET", path, "", {{"If-None-Match", etag}}), 304);
    EXPECT_ANSWER(send("GET", path, "", {{"If-None-Match", std::string(whole.headers.Get("ETag"))}}), 200);
    EXPECT_EQ(send("HEAD", path).headers.Get("ETag"), etag);
  }
  EXPECT_HOLDS(send("GET", "/odata/$metadata?$format=json"), R"j("@Capabilities.InsertRestrictions":{"Insertable":false)j");
  EXPECT_HOLDS(send("GET", "/odata/$metadata?$format=json"), R"j("Updatable":false)j");
  EXPECT_LACKS(send("GET", "/openapi.json"), "\"post\":");
  EXPECT_ANSWER(send("POST", "/odata/Orders", R"j({"pk":"9001"})j"), 403);
  EXPECT_ANSWER(send("PATCH", "/odata/Orders('1012')", R"j({"STATUS":"X"})j"), 403);
  EXPECT_ANSWER(send("DELETE", "/odata/Orders('1012')"), 403);
  EXPECT_ANSWER(send("GET", "/odata/OrderItems"), 404);
  EXPECT_ANSWER(send("GET", "/odata/Orders?$filter=TOTAL gt 1"), 400);
}

}  // namespace
}  // namespace tablecast::testing
