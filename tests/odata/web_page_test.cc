// The browsing page's answers without a browser: which addresses are its own, how its files are cached, what
// the helpers show to whom, and how catalog files are saved.

#include "odata/web_page.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "item/item_json.h"
#include "odata/negotiation.h"
#include "odata/web_files.h"
#include "store/memory_item_store.h"

namespace tablecast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kItems[] = {
    R"({"pk":{"S":"1"},"sk":{"S":"ORDER"},"TOTAL":{"N":"12.50"},"OWNER":{"S":"Ada"},"password":{"S":"hunter2"},"extra":{"S":"unpublished"},)"
    R"("address":{"M":{"city":{"S":"Paris"},"street":{"S":"Rue X"}}}})",
    R"({"pk":{"S":"2"},"sk":{"S":"ORDER"},"TOTAL":{"N":"7"},"OWNER":{"S":"Bob"}})",
    R"({"pk":{"S":"1"},"sk":{"S":"products#9"},"PRICE":{"N":"3"}})",
    R"({"pk":{"S":"x"},"sk":{"S":"OTHER"}})",
};
constexpr std::string_view kOrders = R"({
  "tableName": "Items",
  "columns": {"pk": {"type": "S", "postFilter": "^[0-9]+$"}, "sk": {"values": [{"definition": "\"ORDER\""}]}},
  "fields": {"pk": true, "sk": true, "TOTAL": {"column": "TOTAL", "type": "Number"}, "OWNER": {"column": "OWNER", "type": "Text"},
             "Street": {"column": "address.street", "type": "Text", "hidden": true}, "City": {"column": "address.city", "type": "Text"}}
})";
constexpr std::string_view kAnything = R"({"tableName": "Items", "columns": {"pk": {"type": "S"}, "sk": {"type": "S"}},
  "fields": {"pk": true, "sk": true}})";

class WebPageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("web-page-test-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    WriteFile("Orders.json", kOrders);
    WriteFile("Anything.json", kAnything);
    TableSchema schema{"Items", {{"pk", AttributeType::kS}, KeyColumn{"sk", AttributeType::kS}}};
    ASSERT_TRUE(store_.CreateTable(schema).ok());
    for (const std::string_view text : kItems) {
      const auto json = ParseJson(text);
      ASSERT_TRUE(json.ok());
      const auto item = ItemFromDynamoDbJson(*json);
      ASSERT_TRUE(item.ok());
      ASSERT_TRUE(store_.Write([&](WriteTransaction& txn) { return txn.Put("Items", *item); }).ok());
    }
    auto files = ReadCatalogFolder(folder_.string());
    ASSERT_TRUE(files.ok());
    CatalogLoad load = LoadCatalog(*files, &store_, {});
    for (const Issue& issue : load.issues) {
      if (issue.severity == Severity::kError) ADD_FAILURE() << issue.file << ": " << issue.message;
    }
    catalog_ = load.catalog;
    ASSERT_NE(catalog_, nullptr);
    ASSERT_TRUE(InstallMaintainers(*catalog_, store_).ok());
    ASSERT_TRUE(store_.BuildIndexes("Items", [](auto, auto) { return true; }).ok());
    request_.principal = Principal::Unrestricted();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void WriteFile(const std::string& name, std::string_view text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string ReadFile(const std::string& name) {
    std::stringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }

  HttpResponse Send(std::string method, std::string target, std::string body = {}, HttpHeaders headers = {}) {
    HttpRequest request = request_;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = std::move(headers);
    return page().Answer(request, *catalog_);
  }
  HttpResponse Get(std::string target) { return Send("GET", std::move(target)); }
  HttpResponse Post(std::string target, std::string body) {
    return Send("POST", std::move(target), std::move(body), {{"Content-Type", "application/json"}});
  }
  WebPage& page() {
    if (!page_) page_ = std::make_unique<WebPage>(store_, folder_.string(), [this] { ++saved_; });
    return *page_;
  }
  // A caller who may only read, and neither sees OWNER of Orders nor the object Anything.
  void BecomeReader() {
    auto reader = std::make_shared<Principal>();
    reader->name = "reader";
    reader->default_rights.read = true;
    reader->objects["Anything"] = {};
    reader->hidden_fields["Orders"] = {"OWNER"};
    request_.principal = reader;
  }

  MemoryItemStore store_;
  std::filesystem::path folder_;
  std::shared_ptr<const Catalog> catalog_;
  HttpRequest request_;
  std::unique_ptr<WebPage> page_;
  int saved_ = 0;
};

TEST_F(WebPageTest, AnswersItsOwnAddressesOnly) {
  const struct { const char* target; bool mine; } kCases[] = {
      {"/", true}, {"/web/workbench", true}, {"/odata", true}, {"/odata/", true}, {"/odata/Orders", true},
      {"/odata/Orders('1')?$select=TOTAL", true}, {"/odata/$metadata", true},
      {"/odata/Orders?$format=json", false}, {"/odata/Orders?$top=1&%24FORMAT=json", false}, {"/odata/Orders?format=json", false},
      {"/odata/Orders/$count", false}, {"/odata/Orders('1')/TOTAL/$value", false}, {"/odatax", false}, {"/nothing", false},
      {"/web/", false}, {"/web/x", false}, {"/web/x/index.html", false}, {"/web/x/../main.js", false}, {"/web/api/nothing", false},
  };
  for (const auto& [target, mine] : kCases) {
    SCOPED_TRACE(target);
    EXPECT_EQ(Get(target).status, mine ? 200 : 0);
  }
  EXPECT_EQ(Send("POST", "/").status, 0);
  EXPECT_EQ(Send("DELETE", "/odata/Orders('1')").status, 0);
}

TEST_F(WebPageTest, ShellAllowsNothingInlineAndNothingForeign) {
  const HttpResponse response = Get("/odata/Orders");
  EXPECT_EQ(response.headers.Get("Content-Security-Policy"),
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
            "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'");
  EXPECT_EQ(response.headers.Get("Vary"), "Accept");
  EXPECT_THAT(response.body, Not(HasSubstr("{{version}}")));
  EXPECT_THAT(response.body, HasSubstr("src=\"/web/" + std::string(WebVersion()) + "/main.js\""));
  EXPECT_THAT(response.body, Not(HasSubstr("<style")));
  EXPECT_THAT(response.body, Not(HasSubstr("://")));
}

TEST_F(WebPageTest, FilesAreCachedForEverUnderTheirVersionOnly) {
  for (const WebFile& file : WebFiles()) {
    if (file.name == "index.html") continue;
    SCOPED_TRACE(file.name);
    const HttpResponse current = Get("/web/" + std::string(WebVersion()) + "/" + std::string(file.name));
    EXPECT_EQ(current.status, 200);
    EXPECT_EQ(current.body, file.bytes);
    EXPECT_EQ(current.headers.Get("Content-Type"), file.media_type);
    EXPECT_THAT(std::string(current.headers.Get("Cache-Control")), HasSubstr("immutable"));
    EXPECT_EQ(Get("/web/older/" + std::string(file.name)).headers.Get("Cache-Control"), "no-cache");
    const std::string etag(current.headers.Get("ETag"));
    const HttpResponse again = Send("GET", "/web/older/" + std::string(file.name), "", {{"If-None-Match", etag}});
    EXPECT_EQ(again.status, 304);
    EXPECT_EQ(again.body, "");
  }
}

TEST_F(WebPageTest, ListsObjectsWithCountsAndRecordTypes) {
  const HttpResponse response = Get("/web/api/objects");
  const auto json = ParseJson(response.body);
  ASSERT_TRUE(json.ok()) << response.body;
  const JsonValue* objects = json->Find("objects");
  ASSERT_EQ(objects->elements.size(), 2U);
  const JsonValue& orders = objects->elements[1];
  EXPECT_EQ(orders.Find("name")->text, "Orders");
  EXPECT_EQ(orders.Find("count")->text, "2");
  ASSERT_EQ(orders.Find("recordType")->elements.size(), 2U);
  EXPECT_EQ(orders.Find("recordType")->elements[0].text, "pk matches ^[0-9]+$ and of type S");
  EXPECT_EQ(orders.Find("recordType")->elements[1].text, "sk = \"ORDER\"");
  EXPECT_EQ(json->Find("tables")->elements[0].Find("items")->text, "4");
}

TEST_F(WebPageTest, RightsDecideWhichObjectsAreListed) {
  BecomeReader();
  const HttpResponse response = Get("/web/api/objects");
  EXPECT_THAT(response.body, HasSubstr("\"Orders\""));
  EXPECT_THAT(response.body, Not(HasSubstr("Anything")));
  EXPECT_THAT(response.body, HasSubstr("\"mayUseWorkbench\":false"));
  EXPECT_THAT(response.body, HasSubstr("\"tables\":[]"));
}

TEST_F(WebPageTest, StoredItemWithTheObjectsThatClaimIt) {
  const HttpResponse response = Get("/web/api/item?object=Orders&id=1");
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_THAT(response.body, HasSubstr(R"("TOTAL":{"N":"12.5"})"));
  EXPECT_THAT(response.body, HasSubstr(R"({"object":"Anything","id":"1-ORDER"})"));
  EXPECT_THAT(response.body, HasSubstr(R"({"object":"Orders","id":"1"})"));
}

TEST_F(WebPageTest, StoredItemHidesWhatTheCatalogHidesFromEverybody) {
  const HttpResponse response = Get("/web/api/item?object=Orders&id=1");
  EXPECT_THAT(response.body, HasSubstr("Paris"));
  EXPECT_THAT(response.body, Not(HasSubstr("Rue X")));
  EXPECT_THAT(response.body, Not(HasSubstr("hunter2")));
  EXPECT_THAT(response.body, HasSubstr("unpublished")) << "an editor of the catalog sees what could be published";
  EXPECT_THAT(response.body, HasSubstr("\"withheld\":true"));
}

TEST_F(WebPageTest, StoredItemHidesWhatTheCallerMayNotSee) {
  BecomeReader();
  const HttpResponse response = Get("/web/api/item?object=Orders&id=1");
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_THAT(response.body, HasSubstr("TOTAL"));
  for (const char* hidden : {"Ada", "OWNER", "Rue X", "hunter2", "unpublished", "Anything"}) {
    EXPECT_THAT(response.body, Not(HasSubstr(hidden)));
  }
  EXPECT_EQ(Get("/web/api/item?object=Anything&id=1-ORDER").status, 404);
  EXPECT_EQ(Get("/web/api/item?object=Nothing&id=1").status, 404);
  EXPECT_EQ(Get("/web/api/item?object=Orders&id=99").status, 404);
  EXPECT_EQ(Get("/web/api/item?object=Orders").status, 400);
}

TEST_F(WebPageTest, WorkbenchIsClosedToThoseWhoDoNotSeeEverything) {
  BecomeReader();
  EXPECT_EQ(Get("/web/api/files").status, 403);
  EXPECT_EQ(Get("/web/api/file?name=Orders.json").status, 403);
  EXPECT_EQ(Post("/web/api/validate", R"({"name":"x.json","text":"{}"})").status, 403);
  EXPECT_EQ(Post("/web/api/judge", R"({"name":"x.json","text":"{}"})").status, 403);
  EXPECT_EQ(Send("PUT", "/web/api/file?name=Orders.json", R"({"text":"{}"})",
                 {{"Content-Type", "application/json"}, {"If-Match", "*"}}).status, 403);
}

TEST_F(WebPageTest, OtherSitesCannotPost) {
  EXPECT_EQ(Send("POST", "/web/api/validate", "{}", {{"Content-Type", "text/plain"}}).status, 415);
  EXPECT_EQ(Send("POST", "/web/api/validate", "{}").status, 415);
  EXPECT_EQ(Send("POST", "/web/api/validate", "{}", {{"Content-Type", "application/json"}, {"Sec-Fetch-Site", "cross-site"}}).status, 403);
  EXPECT_EQ(Send("POST", "/web/api/objects", "{}", {{"Content-Type", "application/json"}}).status, 405);
}

TEST_F(WebPageTest, ValidateReportsLocatedFindings) {
  const HttpResponse response = Post("/web/api/validate", R"({"name":"Orders.json","text":"{\n \"columns\": {\"pk\": {\"postfilter\": \"^a$\"}}}"})");
  const auto json = ParseJson(response.body);
  ASSERT_TRUE(json.ok()) << response.body;
  EXPECT_TRUE(json->Find("faulty")->boolean);
  const JsonValue& issue = json->Find("issues")->elements.at(0);
  EXPECT_EQ(issue.Find("line")->text, "2");
  EXPECT_EQ(issue.Find("severity")->text, "error");
}

TEST_F(WebPageTest, JudgeSaysWhatIsTakenAndWhyTheRestIsNot) {
  std::string text;
  AppendJsonEscaped(text, R"json({"tableName":"Items","columns":{"pk":{"postFilter":"^[0-9]+$"},"sk":{"filter":"products#%"},
    "code":{"virtual":true,"values":[{"definition":"RIGHT(sk, 1)"}]}}})json");
  const HttpResponse response = Post("/web/api/judge", R"({"name":"Lines.json","text":")" + text + "\"}");
  const auto json = ParseJson(response.body);
  ASSERT_TRUE(json.ok() && json->Find("takenCount") != nullptr) << response.body;
  EXPECT_EQ(json->Find("scanned")->text, "4");
  EXPECT_TRUE(json->Find("complete")->boolean);
  EXPECT_EQ(json->Find("takenCount")->text, "1");
  EXPECT_EQ(json->Find("leftOutCount")->text, "3");
  const JsonValue& taken = json->Find("taken")->elements.at(0);
  EXPECT_EQ(taken.Find("key")->elements[1].text, "products#9");
  EXPECT_EQ(taken.Find("values")->elements[0].Find("value")->text, "\"9\"");
  for (const JsonValue& left : json->Find("leftOut")->elements) {
    ASSERT_TRUE(left.Find("failed")->IsObject());
    EXPECT_FALSE(left.Find("failed")->Find("holds")->boolean);
  }
  const JsonValue& other = json->Find("leftOut")->elements.at(2);
  EXPECT_EQ(other.Find("key")->elements[0].text, "x");
  EXPECT_EQ(other.Find("failed")->Find("column")->text, "pk");
  EXPECT_THAT(response.body, Not(HasSubstr("hunter2")));
}

TEST_F(WebPageTest, JudgeRefusesFaultyTextAndUnknownTables) {
  EXPECT_THAT(Post("/web/api/judge", R"({"name":"x.json","text":"{"})").body, HasSubstr("qualifier-faulty"));
  EXPECT_EQ(Post("/web/api/judge", R"({"name":"x.json","text":"{\"columns\":{}}","table":"none"})").status, 404);
}

TEST(PrefersHtmlTest, BrowsersDoAndClientsDoNot) {
  const struct { const char* accept; bool html; } kCases[] = {
      {"text/html", true},
      {"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", true},
      {"application/xhtml+xml, */*;q=0.1", true},
      {"*/*", false}, {"", false}, {"application/json", false}, {"application/json, text/html;q=0.5", false},
      {"application/json;odata.metadata=minimal;IEEE754Compatible=true", false}, {"text/*", false}, {"text/html;q=0", false},
  };
  for (const auto& [accept, html] : kCases) {
    SCOPED_TRACE(accept);
    EXPECT_EQ(PrefersHtml(HttpHeaders{{"Accept", accept}}), html);
  }
}

class SaveTest : public WebPageTest {
 protected:
  HttpResponse Put(const std::string& name, std::string_view text, HttpHeaders headers) {
    std::string escaped;
    AppendJsonEscaped(escaped, text);
    headers.Set("Content-Type", "application/json");
    return Send("PUT", "/web/api/file?name=" + name, R"({"text":")" + escaped + "\"}", std::move(headers));
  }
  std::string EtagOf(const std::string& name) {
    return std::string(Get("/web/api/file?name=" + name).headers.Get("ETag"));
  }
  std::string changed_ = std::string(kAnything) + "\n// a remark\n";
};

TEST_F(SaveTest, ReplacesTheFileSeen) {
  const std::string etag = EtagOf("Anything.json");
  const HttpResponse response = Put("Anything.json", changed_, {{"If-Match", etag}});
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(ReadFile("Anything.json"), changed_);
  EXPECT_EQ(response.headers.Get("ETag"), EtagOf("Anything.json"));
  EXPECT_EQ(saved_, 1);
  EXPECT_EQ(Put("Anything.json", kAnything, {{"If-Match", etag}}).status, 412) << "the old version is gone";
  EXPECT_EQ(ReadFile("Anything.json"), changed_);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2) << "nothing is left beside";
}

TEST_F(SaveTest, NewFilesNeedAFreeName) {
  EXPECT_EQ(Put("Anything.json", changed_, {{"If-None-Match", "*"}}).status, 412);
  EXPECT_EQ(Put("New.json", kAnything, {}).status, 428);
  EXPECT_EQ(Put("New.json", kAnything, {{"If-Match", "*"}}).status, 412);
  EXPECT_EQ(Put("New.json", kAnything, {{"If-None-Match", "*"}}).status, 200);
  EXPECT_EQ(ReadFile("New.json"), kAnything);
}

TEST_F(SaveTest, RefusesTextsThatTheCatalogWouldNotLoad) {
  for (const char* text : {"{", R"({"columns": {"pk": {"postFilter": "("}}})", R"({"tableName":"Items","columns":{"pk":{}},"object":{"name":"orders"}})"}) {
    SCOPED_TRACE(text);
    const HttpResponse response = Put("Anything.json", text, {{"If-Match", "*"}});
    EXPECT_EQ(response.status, 422) << response.body;
    EXPECT_THAT(response.body, HasSubstr("\"issues\""));
    EXPECT_EQ(ReadFile("Anything.json"), kAnything);
  }
  EXPECT_EQ(saved_, 0);
}

TEST_F(SaveTest, StaysInsideTheFolder) {
  for (const char* name : {"../x.json", "..%2Fx.json", "a/b.json", ".json", "x.txt", "x.json%00", "a%20b.json", ".hidden.json"}) {
    SCOPED_TRACE(name);
    const HttpResponse response = Put(name, kAnything, {{"If-None-Match", "*"}});
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(response.body, HasSubstr("file-name"));
  }
}

}  // namespace
}  // namespace tablecast
