// What an object or a role may not write is published in $metadata and refused on every way to write it, with nothing
// stored: create, deep insert, bind, update, replace, upsert, property, raw value, link, delete, each alone and in a change set.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "item/item.h"
#include "odata/principal.h"
#include "store/item_store.h"
#include "tests/service/fixture.h"

namespace tablecast::testing {
namespace {

const std::vector<std::string> kObjects = {"Frozen", "Appendable", "Editable", "Erasable", "Fixed", "Strict", "Free"};

struct Switches {
  bool create = false, update = false, remove = false, upsert = false;
};

std::map<std::string, Item> Stored(ServedExample& served) {
  std::map<std::string, Item> out;
  const auto snapshot = served.store().BeginRead().value();
  EXPECT_TRUE(snapshot->Scan("Things", {}, [&](const ItemView& view) {
    Item item = view.ToItem().value();
    out.emplace(item.at("pk").text() + "/" + item.at("sk").text(), std::move(item));
    return true;
  }).ok());
  return out;
}

// What $metadata says of a set.
Switches Published(const std::string& metadata, const std::string& object) {
  const std::size_t from = metadata.find("<EntitySet Name=\"" + object + "\"");
  const std::size_t to = metadata.find("</EntitySet>", from);
  EXPECT_NE(from, std::string::npos) << object;
  const std::string set = metadata.substr(from, to - from);
  const auto says = [&](const std::string& property) {
    return set.find("Property=\"" + property + "\" Bool=\"true\"") != std::string::npos;
  };
  return {says("Insertable"), says("Updatable"), says("Deletable"), says("Upsertable")};
}

class Caller {
 public:
  Caller(ServedExample& served, std::shared_ptr<const Principal> principal) : served_(served), principal_(std::move(principal)) {}

  HttpResponse Send(const std::string& method, const std::string& url, const std::string& body,
                    const std::string& type = "application/json") const {
    HttpRequest request;
    request.method = method;
    request.target = "/odata/" + url;
    request.body = body;
    if (!body.empty()) request.headers.Set("Content-Type", type);
    request.authority = "localhost";
    request.principal = principal_;
    request.request_id = "test";
    request.received.seconds = 1700000000;
    return served_.service().Handle(request);
  }

 private:
  ServedExample& served_;
  std::shared_ptr<const Principal> principal_;
};

// Sends it, alone or as a change set of its own; must be carried out or refused, and refused means nothing was stored.
void Check(ServedExample& served, const Caller& caller, bool allowed, const std::string& method, const std::string& url,
           const std::string& body, const std::string& type = "application/json") {
  const std::string what = method + " " + url + " " + body;
  const auto before = Stored(served);
  const auto restore = [&] {
    const auto now = Stored(served);
    ASSERT_TRUE(served.store().Write([&](WriteTransaction& txn) -> Status {
      for (const auto& [name, item] : now) {
        if (before.contains(name)) continue;
        TABLECAST_ASSIGN_OR_RETURN(const bool gone, txn.Delete("Things", ItemKey{item.at("pk"), item.at("sk")}));
        static_cast<void>(gone);
      }
      for (const auto& [name, item] : before) TABLECAST_RETURN_IF_ERROR(txn.Put("Things", item));
      return {};
    }).ok());
  };
  const HttpResponse response = caller.Send(method, url, body, type);
  if (allowed) {
    EXPECT_LT(response.status, 300) << what << "\n" << response.body;
    EXPECT_NE(Stored(served), before) << what;
    restore();
  } else {
    EXPECT_TRUE(response.status == 405 || response.status == 403 || response.status == 400 || response.status == 404)
        << what << "\n" << response.status << " " << response.body;
    EXPECT_EQ(Stored(served), before) << what;
  }
  if (type != "application/json") return;
  const HttpResponse batch = caller.Send(
      "POST", "$batch", R"({"requests":[{"id":"1","atomicityGroup":"g","method":")" + method + R"(","url":")" + url +
                            R"(","headers":{"content-type":"application/json"})" + (body.empty() ? "" : ",\"body\":" + body) + "}]}");
  EXPECT_EQ(batch.status, 200) << batch.body;
  if (allowed) {
    EXPECT_NE(Stored(served), before) << "in a batch: " << what << "\n" << batch.body;
    restore();
  } else {
    EXPECT_EQ(Stored(served), before) << "in a batch: " << what;
    EXPECT_TRUE(batch.body.find("\"status\":40") != std::string::npos) << batch.body;
  }
}

// Every way to write a record of `object`.
void CheckEveryWay(ServedExample& served, const Caller& caller, const std::string& object, const Switches& may, bool parents) {
  const std::string one = object + "('1-1')", missing = object + "('1-7')";
  const std::string created = R"({"pk":"1","no":"8","Note":"new"})";
  Check(served, caller, may.create, "POST", object, created);
  Check(served, caller, may.create, "POST", "Parents('1')/My" + object, created);
  if (parents) Check(served, caller, may.create, "POST", "Parents", R"({"pk":"2","My)" + object + R"(":[)" + created + "]}");
  Check(served, caller, may.update, "PATCH", one, R"({"Note":"new"})");
  Check(served, caller, may.update, "PUT", one, R"({"Note":"new"})");
  Check(served, caller, may.update, "PUT", one + "/Note", R"({"value":"new"})");
  Check(served, caller, may.update, "PATCH", one + "/Place", R"({"City":"new"})");
  Check(served, caller, may.update, "PUT", one + "/Place/City", R"({"value":"new"})");
  Check(served, caller, may.update, "DELETE", one + "/Note", "");
  Check(served, caller, may.update, "PUT", one + "/Note/$value", "new", "text/plain");
  Check(served, caller, may.update, "DELETE", one + "/Parent/$ref", "");
  Check(served, caller, may.update, "DELETE", "Parents('1')/My" + object + "('1-1')/$ref", "");
  if (parents) {
    Check(served, caller, may.update, "POST", "Parents", R"({"pk":"2","My)" + object + R"(@odata.bind":[")" + one + R"("]})");
  }
  Check(served, caller, may.upsert, "PATCH", missing, R"({"Note":"new"})");
  Check(served, caller, may.upsert, "PUT", missing, R"({"Note":"new"})");
  Check(served, caller, may.remove, "DELETE", one, "");
}

TEST(WriteSwitchesTest, OfTheObject) {
  const std::map<std::string, Switches> want = {
      {"Frozen", {false, false, false, false}}, {"Appendable", {true, false, false, false}},
      {"Editable", {false, true, false, false}}, {"Erasable", {false, false, true, false}},
      {"Fixed", {true, true, false, true}}, {"Strict", {true, true, true, false}}, {"Free", {true, true, true, true}}};
  ServedExample served("write-switches", StoreKind::kMemory);
  const Caller caller(served, Principal::Unrestricted());
  const std::string metadata = served.Get("/odata/$metadata").body;
  for (const std::string& object : kObjects) {
    SCOPED_TRACE(object);
    const Switches published = Published(metadata, object);
    const Switches& may = want.at(object);
    EXPECT_EQ(published.create, may.create);
    EXPECT_EQ(published.update, may.update);
    EXPECT_EQ(published.remove, may.remove);
    EXPECT_EQ(published.upsert, may.upsert);
    CheckEveryWay(served, caller, object, published, true);
  }
}

TEST(WriteSwitchesTest, OfTheRole) {
  ServedExample served("write-switches", StoreKind::kMemory);
  for (unsigned bits = 0; bits < 8; ++bits) {
    SCOPED_TRACE(bits);
    auto principal = std::make_shared<Principal>();
    principal->default_rights = {.read = true, .create = true, .update = true, .remove = true};
    const bool create = (bits & 1U) != 0, update = (bits & 2U) != 0, remove = (bits & 4U) != 0;
    principal->objects["Free"] = {.read = true, .create = create, .update = update, .remove = remove};
    const Caller caller(served, principal);
    const Switches published = Published(caller.Send("GET", "$metadata", "").body, "Free");
    EXPECT_EQ(published.create, create);
    EXPECT_EQ(published.update, update);
    EXPECT_EQ(published.remove, remove);
    EXPECT_EQ(published.upsert, create && update);
    CheckEveryWay(served, caller, "Free", published, true);
  }
}

TEST(WriteSwitchesTest, OfTheField) {
  ServedExample served("write-switches", StoreKind::kMemory);
  const Caller caller(served, Principal::Unrestricted());
  const std::string metadata = served.Get("/odata/$metadata").body;
  const std::size_t from = metadata.find("<EntitySet Name=\"Free\"");
  const std::string set = metadata.substr(from, metadata.find("</EntitySet>", from) - from);
  const std::size_t list = set.find("NonUpdatableProperties");
  EXPECT_NE(set.substr(list, set.find("</Collection>", list) - list).find(">Sum<"), std::string::npos) << set;
  const std::string one = "Free('1-1')";
  Check(served, caller, false, "PATCH", one, R"({"Sum":6})");
  Check(served, caller, false, "PATCH", one, R"({"Sum":null})");
  Check(served, caller, false, "PUT", one, R"({"Sum":6})");
  Check(served, caller, false, "PUT", one + "/Sum", R"({"value":6})");
  Check(served, caller, false, "DELETE", one + "/Sum", "");
  Check(served, caller, false, "PUT", one + "/Sum/$value", "6", "text/plain");
  Check(served, caller, false, "POST", "Free", R"({"pk":"1","no":"8","Sum":6})");
  Check(served, caller, false, "PATCH", "Free('1-7')", R"({"Sum":6})");
  Check(served, caller, false, "POST", "Parents('1')/MyFree", R"({"pk":"1","no":"8","Sum":6})");
  Check(served, caller, false, "POST", "Parents", R"({"pk":"2","MyFree":[{"pk":"1","no":"8","Sum":6}]})");
  Check(served, caller, false, "PATCH", one, R"({"Place":{"Grid":"x"}})");
  Check(served, caller, false, "PATCH", one, R"({"Place":null})");
  Check(served, caller, false, "PUT", one + "/Place/Grid", R"({"value":"x"})");
  Check(served, caller, false, "PUT", one + "/Place/Grid/$value", "x", "text/plain");
  // What a form sends back unchanged is no change, whatever the field.
  Check(served, caller, true, "PATCH", one, R"({"Sum":5,"Place":{"City":"new","Grid":"g"}})");
}

// PUT resets what the caller sees, and nothing that is hidden from him.
TEST(WriteSwitchesTest, PutKeepsHiddenFields) {
  ServedExample served("write-switches", StoreKind::kMemory);
  auto principal = std::make_shared<Principal>(*Principal::Unrestricted());
  principal->hidden_fields["Free"] = {"Owner"};
  const Caller caller(served, principal);
  EXPECT_EQ(caller.Send("PUT", "Free('1-1')", R"({"Owner":"2"})").status, 400);
  EXPECT_EQ(caller.Send("PUT", "Free('1-1')", "{}").status, 204);
  const Item item = Stored(served).at("1/FREE#1");
  EXPECT_EQ(item.at("owner").text(), "1");
  EXPECT_FALSE(item.contains("note"));
  EXPECT_TRUE(item.contains("sum"));
}

// A wish for the answer that cannot be met is told before anything is written.
TEST(WriteSwitchesTest, NothingIsWrittenForAnAnswerThatCannotBeMade) {
  ServedExample served("write-switches", StoreKind::kMemory);
  const Caller caller(served, Principal::Unrestricted());
  Check(served, caller, false, "POST", "Free?$select=Nothing", R"({"pk":"1","no":"8"})");
  Check(served, caller, true, "POST", "Free?$select=no", R"({"pk":"1","no":"8"})");
}

}  // namespace
}  // namespace tablecast::testing
