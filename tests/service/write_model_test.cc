// Random writes through OData beside a plain model of the items: after every step the store holds what the model
// holds, attribute for attribute, on both stores. TABLECAST_LONG_TESTS runs 100,000 steps, else 1,500;
// TABLECAST_SEED sets the random numbers.

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "item/item.h"
#include "store/item_store.h"
#include "store/lmdb_item_store.h"
#include "tests/service/fixture.h"

namespace tablecast::testing {
namespace {

constexpr int kOrders = 8;
constexpr int kLines = 3;
constexpr const char* kNow = "2023-11-14T22:13:20Z";  // the fixture's clock

int Steps() { return std::getenv("TABLECAST_LONG_TESTS") != nullptr ? 100'000 : 1'500; }
unsigned Seed() {
  const char* seed = std::getenv("TABLECAST_SEED");
  return seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 1U;
}

using Key = std::pair<std::string, std::string>;
using Items = std::map<Key, Item>;

AttributeValue Text(std::string text) { return AttributeValue::String(std::move(text)); }
AttributeValue Number(const std::string& text) { return AttributeValue::NumberFromText(text).value(); }

std::string Trim(std::string text) {
  while (!text.empty() && text.front() == ' ') text.erase(0, 1);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// One property of a payload: its JSON, what the model makes of it, and whether it must be refused.
struct Given {
  std::string name;
  std::string json;
  bool bad = false;
};

// One request with the outcome that the model expects. `apply` is called on the model when it succeeds.
struct Request {
  std::string method{}, url{}, body{};
  std::string if_match{};
  std::set<int> statuses{};
  bool ok = true;
  std::string content_type = "application/json";
};

class Model {
 public:
  explicit Model(unsigned seed) : random_(seed) {}

  Items items;

  unsigned Below(std::size_t bound) { return static_cast<unsigned>(random_() % bound); }
  bool Chance(unsigned one_in) { return Below(one_in) == 0; }

  Item* Find(const std::string& pk, const std::string& sk) {
    const auto found = items.find({pk, sk});
    return found == items.end() ? nullptr : &found->second;
  }

  std::string AnyOrder() { return std::to_string(1 + Below(kOrders)); }

  // --- orders ---------------------------------------------------------------------------------------------------

  Given AnyProperty(const std::string& name) {
    if (name == "Status") return Pick(name, {R"("OPEN")", R"("PAID")", R"("SHIPPED")"}, {R"("NOPE")", "null", R"("")", "7"});
    if (name == "Total") {
      return Pick(name, {"0", "1.10", R"("1.1")", "1.100", "99.95", "1000000", "null", "1.1e0"},
                  {"-0.01", "1000000.01", "1.001", "123456789012345678901234567890123456789", "1E126", "1E-131", R"("x")", "true"});
    }
    if (name == "Note") return Pick(name, {R"("a")", R"(" a ")", R"("")", R"("  ")", "null", R"("Łódź 😀")"}, {R"("123456789012345678901")", "1"});
    if (name == "PlacedAt") {
      return Pick(name, {R"("2024-05-01T10:11:12Z")", R"("2024-05-01T12:11:12+02:00")", R"("1999-12-31T23:59:59Z")", "null"},
                  {R"("yesterday")", "5", R"("2024-13-01T00:00:00Z")"});
    }
    if (name == "Paid") return Pick(name, {"true", "false", "null"}, {R"("true")", "1"});
    if (name == "City") return Pick(name, {R"("Gdańsk")", R"("Wien")", "null"}, {R"("123456789012345678901")", "[]"});
    if (name == "Tags") return Pick(name, {R"(["a"])", R"(["a","b"])", "null", "[]"}, {R"(["12345678901"])", R"([1])", R"("a")"});
    return Pick(name, {R"("c1")", R"("c2")", R"("c3")", "null"}, {R"("12345678901")", "{}"});  // Code
  }

  std::vector<Given> AnyProperties() {
    std::vector<Given> out;
    for (const char* name : {"Status", "Total", "Note", "PlacedAt", "Paid", "City", "Tags", "Code"}) {
      if (Chance(3)) out.push_back(AnyProperty(name));
    }
    if (Chance(20)) out.push_back({"Nothing", "1", true});
    return out;
  }

  // No tags are an empty array to read and to write; a set that is there cannot be made empty.
  static bool EmptiesSet(const Item& item, const Given& given) { return given.json == "[]" && item.contains("tags"); }

  // Takes the properties into an item; returns false when one of them must be refused.
  bool Assign(Item& item, const std::vector<Given>& properties, bool& changed) {
    bool good = true;
    for (const Given& given : properties) good = good && !given.bad && !EmptiesSet(item, given);
    if (!good) return false;
    for (const Given& given : properties) changed = SetProperty(item, given) || changed;
    return true;
  }

  bool CodeIsFree(const Item& item, const Key& own) const {
    const auto code = item.find("code");
    if (code == item.end()) return true;
    for (const auto& [key, other] : items) {
      if (key == own || key.second != "ORDER") continue;
      const auto other_code = other.find("code");
      if (other_code != other.end() && other_code->second == code->second) return false;
    }
    return true;
  }

  Request CreateOrder() {
    const std::string pk = AnyOrder();
    std::vector<Given> properties = AnyProperties();
    Item item{{"pk", Text(pk)}, {"sk", Text("ORDER")}, {"new", AttributeValue::Null()}};
    bool changed = false;
    bool good = Assign(item, properties, changed);
    item.erase("new");
    if (!item.contains("status")) item.insert_or_assign("status", Text("OPEN"));
    bool conflict = Find(pk, "ORDER") != nullptr || !CodeIsFree(item, {pk, "ORDER"});
    std::string lines;
    std::map<Key, Item> made;
    if (Chance(3)) {
      for (unsigned i = 0; i <= Below(2); ++i) {
        const std::string number = std::to_string(1 + Below(kLines));
        const bool bad = Chance(8);
        lines += std::string(lines.empty() ? "" : ",") + R"({"lineNo":")" + number + R"(","Quantity":)" + (bad ? "null" : number) + "}";
        good = good && !bad;
        const Key key{pk, "line#" + number};
        conflict = conflict || items.contains(key) || made.contains(key);
        made[key] = {{"pk", Text(pk)}, {"sk", Text(key.second)}, {"quantity", Number(number)}};
      }
    }
    Request out{.method = "POST", .url = "Orders"};
    out.body = Body({{"pk", "\"" + pk + "\""}}, properties, lines.empty() ? "" : "\"Lines\":[" + lines + "]");
    out.ok = good && !conflict;
    out.statuses = out.ok ? std::set{201} : good ? std::set{409} : std::set{400, 409};
    if (out.ok) {
      items[{pk, "ORDER"}] = item;
      items.merge(made);
    }
    return out;
  }

  Request ChangeOrder(bool replace) {
    const std::string pk = AnyOrder();
    std::vector<Given> properties = AnyProperties();
    Request out{.method = replace ? "PUT" : "PATCH", .url = "Orders('" + pk + "')"};
    out.body = Body({}, properties, "");
    Item* old = Find(pk, "ORDER");
    std::vector<int> failures;
    if (Chance(6)) {
      out.if_match = Chance(2) ? "*" : "W/\"0123\"";
      if (old == nullptr || out.if_match != "*") failures.push_back(412);
    } else if (old != nullptr && Chance(4)) {
      out.if_match = "current";  // the caller looks it up
    }
    Item item = old != nullptr ? *old : Item{{"pk", Text(pk)}, {"sk", Text("ORDER")}, {"new", AttributeValue::Null()}};
    bool changed = false;
    if (!Assign(item, properties, changed)) failures.push_back(400);
    item.erase("new");
    if (old == nullptr) {
      if (!item.contains("status")) item.insert_or_assign("status", Text("OPEN"));
    } else if (replace && failures.empty()) {
      changed = Reset(item, properties) || changed;
    }
    if (failures.empty() && (changed || old == nullptr) && !CodeIsFree(item, {pk, "ORDER"})) failures.push_back(409);
    out.ok = failures.empty();
    if (!out.ok) {
      out.statuses = {failures.begin(), failures.end()};
      // The order of the checks is nobody's business.
      if (out.statuses.contains(400)) out.statuses.insert({409, 412});
      return out;
    }
    if (changed && old != nullptr) item.insert_or_assign("changedAt", Text(kNow));
    out.statuses = {old == nullptr ? 201 : 204};
    items[{pk, "ORDER"}] = item;
    return out;
  }

  Request DeleteOrder() {
    const std::string pk = AnyOrder();
    Request out{.method = "DELETE", .url = "Orders('" + pk + "')"};
    const Item* old = Find(pk, "ORDER");
    if (Chance(4)) {
      out.if_match = old != nullptr && Chance(2) ? "current" : "W/\"0123\"";
    }
    out.ok = old != nullptr && (out.if_match.empty() || out.if_match == "current");
    out.statuses = out.ok ? std::set{204} : old == nullptr ? std::set{404, 412} : std::set{412};
    if (out.ok) items.erase({pk, "ORDER"});
    return out;
  }

  // One property: PUT of its value, PUT of its raw value, or DELETE.
  Request WriteProperty() {
    const std::string pk = AnyOrder();
    static const std::vector<std::string> kNames{"Status", "Total", "Note", "PlacedAt", "Paid", "City", "Tags", "Code"};
    const std::string name = kNames[Below(kNames.size())];
    Given given = AnyProperty(name);
    Request out{.method = "PUT", .url = "Orders('" + pk + "')/" + name};
    if (Chance(4)) {
      given = {name, "null", name == "Status"};
      out.method = "DELETE";
    } else if (name != "Tags" && given.json.starts_with('"') && Chance(3)) {
      const auto value = ParseJson(given.json);
      out.url += "/$value";
      out.body = value->text;
      out.content_type = "text/plain";
      if (name == "Total" && given.json == R"("1.1")") given.bad = false;
      if (name == "Paid") given.bad = value->text != "true" && value->text != "false";
      if (name == "Paid" && !given.bad) given.json = value->text;
    } else {
      out.body = "{\"value\":" + given.json + "}";
    }
    Item* old = Find(pk, "ORDER");
    if (old != nullptr && EmptiesSet(*old, given)) given.bad = true;
    if (old == nullptr || given.bad) {
      out.ok = false;
      if (old == nullptr) out.statuses.insert(404);
      if (given.bad) out.statuses.insert(400);
      return out;
    }
    Item item = *old;
    bool changed = SetProperty(item, given);
    if (changed && !CodeIsFree(item, {pk, "ORDER"})) {
      out.ok = false;
      out.statuses = {409};
      return out;
    }
    if (changed) item.insert_or_assign("changedAt", Text(kNow));
    out.statuses = {204};
    *old = std::move(item);
    return out;
  }

  // --- lines ----------------------------------------------------------------------------------------------------

  Request CreateLine() {
    const std::string pk = AnyOrder();
    const std::string number = std::to_string(1 + Below(kLines));
    const std::string quantity = AnyQuantity();
    const bool bad = BadQuantity(quantity);
    const bool under = Chance(2);
    Request out{.method = "POST", .url = under ? "Orders('" + pk + "')/Lines" : "Lines"};
    out.body = Body({{"lineNo", "\"" + number + "\""}}, {{"Quantity", quantity, bad}}, under ? "" : R"("pk":")" + pk + "\"");
    const bool parent_missing = under && Find(pk, "ORDER") == nullptr;
    const bool taken = Find(pk, "line#" + number) != nullptr;
    out.ok = !bad && !parent_missing && !taken;
    if (parent_missing) out.statuses.insert(404);
    if (bad) out.statuses.insert(400);
    if (taken) out.statuses.insert(409);
    if (out.ok) {
      out.statuses = {201};
      items[{pk, "line#" + number}] = {{"pk", Text(pk)}, {"sk", Text("line#" + number)}, {"quantity", Number(quantity)}};
    }
    return out;
  }

  Request ChangeLine() {
    const std::string pk = AnyOrder();
    const std::string number = std::to_string(1 + Below(kLines));
    Request out{.method = Chance(4) ? "DELETE" : "PATCH", .url = "Lines('" + pk + "-" + number + "')"};
    Item* old = Find(pk, "line#" + number);
    const std::string quantity = AnyQuantity();
    const bool bad = BadQuantity(quantity);
    if (out.method == "DELETE") {
      out.ok = old != nullptr;
      out.statuses = {out.ok ? 204 : 404};
      if (out.ok) items.erase({pk, "line#" + number});
      return out;
    }
    // A CRM sends every field: unchanged keys are accepted, changed ones are not.
    const bool moves = Chance(8);
    out.body = Body({{"ExternalId", "\"" + pk + "-" + number + "\""}, {"lineNo", moves ? R"("9")" : "\"" + number + "\""}},
                    {{"Quantity", quantity, bad}}, R"("pk":")" + pk + "\"");
    if (old == nullptr) {
      out.ok = !bad && !moves;
      out.statuses = out.ok ? std::set{201} : std::set{400};
      if (out.ok) items[{pk, "line#" + number}] = {{"pk", Text(pk)}, {"sk", Text("line#" + number)}, {"quantity", Number(quantity)}};
      return out;
    }
    out.ok = !bad && !moves;
    out.statuses = {out.ok ? 204 : 400};
    if (out.ok) old->insert_or_assign("quantity", Number(quantity));
    return out;
  }

  Request AnyRequest() {
    const unsigned kind = Below(20);
    if (kind < 5) return CreateOrder();
    if (kind < 10) return ChangeOrder(false);
    if (kind < 12) return ChangeOrder(true);
    if (kind < 13) return DeleteOrder();
    if (kind < 15) return WriteProperty();
    if (kind < 17) return CreateLine();
    return ChangeLine();
  }

  // An item as another program would write it: every type, other forms of the same values.
  Item Foreign(const std::string& pk) {
    Item item{{"pk", Text(pk)}, {"sk", Text("ORDER")}, {"status", Text("OPEN")}};
    item.insert_or_assign("placedAt", Chance(2) ? Text("20240501T101112Z") : Text("2024-05-01T10:11:12.000Z"));
    item.insert_or_assign("total", Number("12.30"));
    item.insert_or_assign("tags", AttributeValue::SetOf(AttributeType::kSS, {"x", "y"}).value());
    item.insert_or_assign("ship", AttributeValue::MapOf({{"city", Text("Kraków")}, {"geo", AttributeValue::ListOf({Number("1E-130"), Text("")})}}));
    item.insert_or_assign("blob", AttributeValue::Binary(std::string("\0\xff\x80", 3)));
    item.insert_or_assign("blobs", AttributeValue::SetOf(AttributeType::kBS, {std::string("\0", 1), "\xff"}).value());
    item.insert_or_assign("numbers", AttributeValue::SetOf(AttributeType::kNS, {Number("1").number_code(), Number("2.5").number_code()}).value());
    item.insert_or_assign("none", AttributeValue::Null());
    item.insert_or_assign("big", Number("9.9999999999999999999999999999999999999E+125"));
    item.insert_or_assign("nested", AttributeValue::ListOf({AttributeValue::MapOf({{"a", AttributeValue::Bool(false)}})}));
    return item;
  }

 private:
  Given Pick(const std::string& name, std::vector<std::string> good, std::vector<std::string> bad) {
    if (Chance(12)) return {name, bad[Below(bad.size())], true};
    return {name, good[Below(good.size())], false};
  }

  std::string AnyQuantity() {
    static const std::vector<std::string> kQuantities{"1", "2", "3.5", "12345678901234567890123456789012345678", "-1",
                                                      "null", "123456789012345678901234567890123456789"};
    return kQuantities[Chance(8) ? 5 + Below(2) : Below(5)];
  }
  static bool BadQuantity(const std::string& quantity) { return quantity == "null" || quantity.size() == 39; }

  static std::string Body(const std::vector<std::pair<std::string, std::string>>& keys, const std::vector<Given>& properties,
                          const std::string& rest) {
    std::string out = "{";
    const auto add = [&](const std::string& text) { out += (out.size() > 1 ? "," : "") + text; };
    for (const auto& [name, json] : keys) add("\"" + name + "\":" + json);
    for (const Given& given : properties) add("\"" + given.name + "\":" + given.json);
    if (!rest.empty()) add(rest);
    return out + "}";
  }

  static bool SetTo(Item& item, const std::string& name, std::optional<AttributeValue> value) {
    const auto found = item.find(name);
    if (!value) {
      if (found == item.end()) return false;
      item.erase(found);
      return true;
    }
    if (found != item.end() && found->second == *value) return false;
    item.insert_or_assign(name, *std::move(value));
    return true;
  }

  static bool IsNew(const Item& item) { return item.contains("new"); }

  static bool SetText(Item& item, const std::string& name, const std::optional<std::string>& text) {
    // A new item gets what was sent, blanks too; a change of nothing but blanks is none.
    const auto found = item.find(name);
    if (IsNew(item)) return SetTo(item, name, text ? std::optional(Text(*text)) : std::nullopt);
    const std::string old = found == item.end() ? "" : found->second.text();
    if (Trim(old) == Trim(text.value_or(""))) return false;
    return SetTo(item, name, text ? std::optional(Text(*text)) : std::nullopt);
  }

  // The instant in the form that the item had; its own for a new one.
  static bool SetPlacedAt(Item& item, const std::optional<std::string>& text) {
    if (!text) return SetTo(item, "placedAt", std::nullopt);
    const std::string utc = *text == "2024-05-01T12:11:12+02:00" ? "2024-05-01T10:11:12Z" : *text;
    std::string basic;
    for (const char c : utc) {
      if (c != '-' && c != ':') basic += c;
    }
    const auto found = item.find("placedAt");
    const std::string old = found == item.end() ? "" : found->second.text();
    if (old == utc || old == basic || old == utc.substr(0, 19) + ".000Z") return false;
    const bool was_basic = old.size() == 16;
    const bool had_millis = old.size() == 24;
    return SetTo(item, "placedAt", Text(was_basic ? basic : had_millis ? utc.substr(0, 19) + ".000Z" : utc));
  }

  static bool SetCity(Item& item, const std::optional<std::string>& text) {
    const auto ship = item.find("ship");
    const bool has = ship != item.end() && ship->second.map().contains("city");
    if (!text) {
      if (!has) return false;
      ship->second.map().erase("city");
      return true;
    }
    if (has && ship->second.map().at("city").text() == *text) return false;
    if (ship == item.end()) {
      item.insert_or_assign("ship", AttributeValue::MapOf({{"city", Text(*text)}}));
    } else {
      ship->second.map().insert_or_assign("city", Text(*text));
    }
    return true;
  }

  static bool SetProperty(Item& item, const Given& given) {
    const JsonValue json = ParseJson(given.json).value();
    const bool null = json.type == JsonType::kNull;
    const std::optional<std::string> text = null ? std::nullopt : std::optional(json.text);
    if (given.name == "Status") return SetText(item, "status", text);
    if (given.name == "Note") return SetText(item, "note", text);
    if (given.name == "Code") return SetText(item, "code", text);
    if (given.name == "PlacedAt") return SetPlacedAt(item, text);
    if (given.name == "City") return SetCity(item, text);
    if (given.name == "Paid") return SetTo(item, "paid", null ? std::nullopt : std::optional(AttributeValue::Bool(json.boolean)));
    if (given.name == "Total") return SetTo(item, "total", null ? std::nullopt : std::optional(Number(json.text)));
    if (null) return SetTo(item, "tags", std::nullopt);
    if (json.elements.empty()) return false;
    AttributeValue::Set set;
    for (const JsonValue& element : json.elements) set.push_back(element.text);
    return SetTo(item, "tags", AttributeValue::SetOf(AttributeType::kSS, set).value());
  }

  // What PUT does with properties that were not given.
  static bool Reset(Item& item, const std::vector<Given>& properties) {
    bool changed = false;
    for (const char* name : {"Status", "Total", "Note", "PlacedAt", "Paid", "City", "Tags", "Code"}) {
      const bool given = std::any_of(properties.begin(), properties.end(), [&](const Given& one) { return one.name == name; });
      if (given) continue;
      changed = SetProperty(item, {name, std::string(name) == "Status" ? R"("OPEN")" : "null", false}) || changed;
    }
    return changed;
  }

  std::mt19937 random_;
};

class WriteModelTest : public ::testing::TestWithParam<StoreKind> {
 protected:
  Items Stored(ServedExample& served) {
    Items out;
    const auto snapshot = served.store().BeginRead().value();
    const auto scanned = snapshot->Scan("Things", {}, [&](const ItemView& view) {
      Item item = view.ToItem().value();
      Key key{item.at("pk").text(), item.at("sk").text()};
      out.emplace(std::move(key), std::move(item));
      return true;
    });
    EXPECT_TRUE(scanned.ok());
    return out;
  }

  static HttpHeaders Headers(const Request& request, ServedExample& served) {
    HttpHeaders headers;
    headers.Set("Content-Type", request.content_type);
    if (request.if_match == "current") {
      headers.Set("If-Match", served.Get("/odata/" + request.url).headers.Get("ETag"));
    } else if (!request.if_match.empty()) {
      headers.Set("If-Match", request.if_match);
    }
    return headers;
  }

  static std::string Describe(const Request& request) {
    return request.method + " " + request.url + " " + request.body + " (If-Match: " + request.if_match + ")";
  }

  // Several requests as one change set: all or nothing.
  void RunBatch(Model& model, ServedExample& served) {
    const Items before = model.items;
    std::vector<Request> requests;
    std::string body;
    bool ok = true;
    for (unsigned i = 0; i < 2 + model.Below(3) && ok; ++i) {
      Request request = model.AnyRequest();
      // What the second sees is what the first leaves, which nobody can look up outside the change set.
      while (request.if_match == "current" || request.content_type != "application/json") {
        model.items = before;
        return;
      }
      ok = ok && request.ok;
      body += std::string(body.empty() ? "" : ",") + R"({"id":")" + std::to_string(i) + R"(","atomicityGroup":"g","method":")" +
              request.method + R"(","url":")" + request.url + R"(","headers":{"content-type":"application/json")" +
              (request.if_match.empty() ? "" : ",\"if-match\":" + Quoted(request.if_match)) + "}" +
              (request.body.empty() ? "" : ",\"body\":" + request.body) + "}";
      requests.push_back(std::move(request));
    }
    HttpHeaders headers;
    headers.Set("Content-Type", "application/json");
    const HttpResponse response = served.Send("POST", "/odata/$batch", "{\"requests\":[" + body + "]}", headers);
    ASSERT_EQ(response.status, 200) << body << "\n" << response.body;
    const JsonValue json = ParseJson(response.body).value();
    const auto& answers = json.Find("responses")->elements;
    ASSERT_EQ(answers.size(), requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const int status = std::atoi(answers[i].Find("status")->text.c_str());
      if (ok || !requests[i].ok) {
        EXPECT_TRUE(requests[i].statuses.contains(status)) << status << " for " << Describe(requests[i]) << "\n" << response.body;
      } else {
        EXPECT_GE(status, 400) << response.body;
      }
    }
    if (!ok) model.items = before;
  }

  static std::string Quoted(const std::string& text) {
    std::string out;
    JsonWriter(out).String(text);
    return out;
  }
};

TEST_P(WriteModelTest, EqualAfterEveryStep) {
  ServedExample served("write-model", GetParam());
  Model model(Seed());
  model.items = Stored(served);
  ASSERT_EQ(model.items.size(), 3U);
  const int steps = Steps();
  for (int step = 0; step < steps; ++step) {
    std::string told;
    if (model.Chance(40)) {
      // Somebody else writes beside the service.
      const std::string pk = model.AnyOrder();
      const Item item = model.Foreign(pk);
      ASSERT_TRUE(served.store().Write([&](WriteTransaction& txn) { return txn.Put("Things", item); }).ok());
      model.items[{pk, "ORDER"}] = item;
      told = "another program's put of " + pk;
    } else if (model.Chance(6)) {
      RunBatch(model, served);
      told = "a batch";
    } else {
      Items before = model.items;
      Request request = model.AnyRequest();
      told = Describe(request);
      const std::string read_before = request.method == "POST" ? "" : served.Get("/odata/" + request.url).body;
      const HttpResponse response = served.Send(request.method, "/odata/" + request.url, request.body, Headers(request, served));
      ASSERT_TRUE(request.statuses.contains(response.status)) << "step " << step << ": " << told << "\n" << response.status << " " << response.body << "\nthe record: " << read_before;
      if (!request.ok) model.items = std::move(before);
    }
    if (HasFatalFailure() || HasNonfatalFailure()) FAIL() << "step " << step << ": " << told;
    const Items stored = Stored(served);
    if (stored != model.items) {
      for (const auto& [key, item] : model.items) {
        const auto found = stored.find(key);
        if (found == stored.end()) ADD_FAILURE() << key.first << "/" << key.second << " is missing";
        else if (found->second != item) {
          for (const auto& [name, value] : item) {
            if (!found->second.contains(name) || found->second.at(name) != value) ADD_FAILURE() << key.first << "/" << key.second << ": " << name;
          }
          for (const auto& [name, value] : found->second) {
            if (!item.contains(name)) ADD_FAILURE() << key.first << "/" << key.second << ": " << name << " is too much";
          }
        }
      }
      for (const auto& [key, item] : stored) {
        if (!model.items.contains(key)) ADD_FAILURE() << key.first << "/" << key.second << " is too much";
      }
      FAIL() << "step " << step << ": " << told;
    }
    if (step % 16 == 0) {
      // Counts and indexes follow.
      std::size_t orders = 0, open = 0;
      for (const auto& [key, item] : model.items) {
        if (key.second != "ORDER" || key.first == "x") continue;
        ++orders;
        open += Trim(item.at("status").text()) == "OPEN" ? 1 : 0;
      }
      EXPECT_EQ(served.Get("/odata/Orders/$count").body, std::to_string(orders)) << "step " << step << ": " << told;
      EXPECT_EQ(served.Get("/odata/Orders/$count?$filter=Status%20eq%20'OPEN'").body, std::to_string(open)) << "step " << step << ": " << told;
    }
  }
  if (auto* lmdb = dynamic_cast<LmdbItemStore*>(&served.store())) {
    const auto integrity = lmdb->CheckIntegrity();
    ASSERT_TRUE(integrity.ok());
    EXPECT_TRUE(integrity->issues.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, WriteModelTest, ::testing::Values(StoreKind::kMemory, StoreKind::kLmdb),
                         [](const auto& each) { return each.param == StoreKind::kMemory ? "memory" : "lmdb"; });

}  // namespace
}  // namespace tablecast::testing
