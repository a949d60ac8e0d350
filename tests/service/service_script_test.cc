// Runs every script of tests/service under every configuration of tests/configs.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/json_reader.h"
#include "tests/service/fixture.h"
#include "tests/service/script.h"

namespace tablecast::testing {
namespace {

namespace fs = std::filesystem;

struct Config {
  std::string name;
  StoreKind store = StoreKind::kMemory;
  std::string engine;  // tablecast-engine added to every read of a set
};

std::vector<Config> Configs() {
  std::vector<Config> configs;
  for (const auto& entry : fs::directory_iterator(fs::path(TABLECAST_SOURCE_DIR) / "tests/configs")) {
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    const auto json = ParseJson(text.str());
    EXPECT_TRUE(json.ok()) << entry.path();
    Config config;
    config.name = entry.path().stem().string();
    if (const JsonValue* store = json->Find("store")) config.store = store->text == "lmdb" ? StoreKind::kLmdb : StoreKind::kMemory;
    if (const JsonValue* engine = json->Find("engine")) config.engine = engine->text;
    configs.push_back(std::move(config));
  }
  std::sort(configs.begin(), configs.end(), [](const Config& a, const Config& b) { return a.name < b.name; });
  return configs;
}

std::vector<std::string> ScriptFiles() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(fs::path(TABLECAST_SOURCE_DIR) / "tests/service")) {
    if (entry.path().extension() == ".http") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string Substitute(std::string text, const std::map<std::string, std::string>& captured) {
  for (const auto& [name, value] : captured) {
    const std::string mark = "{" + name + "}";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

// Every refusal has a code, a message and a target; one about a filter, order or other text also says where in it.
void ExpectErrorForm(const Exchange& exchange, const HttpResponse& response) {
  if (response.status < 400) return;
  EXPECT_EQ(response.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(response.headers.Get("Content-Language"), "en");
  const auto json = ParseJson(response.body);
  ASSERT_TRUE(json.ok()) << response.body;
  const JsonValue* error = json->Find("error");
  ASSERT_NE(error, nullptr) << response.body;
  EXPECT_EQ(json->members.size(), 1U) << response.body;
  for (const char* name : {"code", "message"}) {
    const JsonValue* member = error->Find(name);
    ASSERT_NE(member, nullptr) << name << " " << response.body;
    EXPECT_TRUE(member->IsString() && !member->text.empty()) << response.body;
  }
  const std::string code = error->Find("code")->text;
  EXPECT_EQ(code.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos) << code;
  for (const char* inside : {"/home", "lmdb", "MDB_", ".cc:"}) {
    EXPECT_EQ(error->Find("message")->text.find(inside), std::string::npos) << response.body;
  }
  if (response.status == 405) {
    EXPECT_TRUE(response.headers.Has("Allow"));
  }
  if (response.status >= 500 && response.status != 501) return;  // nothing in the request is at fault
  const JsonValue* target = error->Find("target");
  ASSERT_NE(target, nullptr) << response.body;
  EXPECT_FALSE(target->text.empty()) << response.body;
  // What only the values of a record show has no place in the text of the filter.
  const bool of_data = code == "division-by-zero" || code == "regex-syntax";
  if (response.status == 400 && !of_data && target->text == "$filter" && exchange.method == "GET") {
    EXPECT_NE(error->Find("message")->text.find("(at position "), std::string::npos) << response.body;
  }
}

void RunScript(const Script& script, const Config& config, ServedExample& served) {
  std::map<std::string, std::string> captured;
  for (const Exchange& exchange : script.exchanges) {
    SCOPED_TRACE(fs::path(script.file).filename().string() + ":" + std::to_string(exchange.line) + " [" + config.name + "] " +
                 exchange.method + " " + exchange.target);
    HttpHeaders headers;
    for (const auto& [name, value] : exchange.headers) headers.Add(name, Substitute(value, captured));
    std::string target = Substitute(exchange.target, captured);
    // Links are absolute; the service takes the path.
    if (target.starts_with("http://localhost")) target = target.substr(16);
    // A forced access path must give the same answer.
    const bool plain_read = exchange.method == "GET" && exchange.status == 200 && target.find("$metadata") == std::string::npos &&
                            target.find("/$") == std::string::npos && target != "/odata/" && target != "/odata" &&
                            target.find("token=") == std::string::npos;
    if (!config.engine.empty() && plain_read) {
      target += (target.find('?') == std::string::npos ? "?" : "&") + std::string("tablecast-engine=") + config.engine;
    }
    const HttpResponse response = served.Send(exchange.method, target, Substitute(exchange.body, captured), headers);
    EXPECT_EQ(response.status, exchange.status) << response.body.substr(0, 2000);
    EXPECT_TRUE(response.headers.Has("OData-Version"));
    ExpectErrorForm(exchange, response);
    for (const auto& [name, value] : exchange.expected_headers) {
      if (value == "-") {
        EXPECT_FALSE(response.headers.Has(name)) << name;
      } else if (value == "*") {
        EXPECT_TRUE(response.headers.Has(name)) << name;
      } else {
        EXPECT_EQ(response.headers.Get(name), Substitute(value, captured)) << name;
      }
    }
    std::string body = response.body;
    // The engine parameter must not show; links carry what the client sent.
    if (!config.engine.empty()) {
      for (const std::string& mark : {"&tablecast-engine=" + config.engine, "tablecast-engine=" + config.engine + "&"}) {
        for (std::size_t at = body.find(mark); at != std::string::npos; at = body.find(mark)) body.erase(at, mark.size());
      }
    }
    for (const Expectation& expected : exchange.expectations) {
      const std::string text = Substitute(expected.text, captured);
      switch (expected.kind) {
        case Expectation::Kind::kContains: EXPECT_NE(body.find(text), std::string::npos) << "lacks " << text << "\n" << body.substr(0, 3000); break;
        case Expectation::Kind::kLacks: EXPECT_EQ(body.find(text), std::string::npos) << "holds " << text << "\n" << body.substr(0, 3000); break;
        case Expectation::Kind::kEquals: EXPECT_EQ(body, text); break;
        case Expectation::Kind::kRows: {
          const auto json = ParseJson(body);
          ASSERT_TRUE(json.ok()) << body;
          const JsonValue* value = json->Find("value");
          ASSERT_NE(value, nullptr) << body;
          EXPECT_EQ(value->elements.size(), std::stoul(text)) << body.substr(0, 2000);
          break;
        }
        case Expectation::Kind::kCapture: {
          const auto json = ParseJson(body);
          ASSERT_TRUE(json.ok()) << body;
          const JsonValue* value = json->Find(text);
          ASSERT_NE(value, nullptr) << text << " in " << body.substr(0, 2000);
          captured[expected.name] = value->text;
          break;
        }
      }
    }
  }
}

class ServiceScriptTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ServiceScriptTest, AnswersAsWritten) {
  const Script script = ReadScript(GetParam());
  ASSERT_FALSE(script.catalog.empty()) << "no `# catalog` line";
  ASSERT_FALSE(script.exchanges.empty());
  static std::map<std::string, std::unique_ptr<ServedExample>> shared;
  for (const Config& config : Configs()) {
    if (std::find(script.skipped_configs.begin(), script.skipped_configs.end(), config.name) != script.skipped_configs.end()) continue;
    if (script.fresh) {
      if (!config.engine.empty()) continue;  // writes do not read by a forced path
      ServedExample own(script.catalog, config.store);
      RunScript(script, config, own);
      continue;
    }
    auto& served = shared[script.catalog + (config.store == StoreKind::kLmdb ? "/lmdb" : "/memory")];
    if (served == nullptr) served = std::make_unique<ServedExample>(script.catalog, config.store);
    RunScript(script, config, *served);
  }
}

INSTANTIATE_TEST_SUITE_P(Scripts, ServiceScriptTest, ::testing::ValuesIn(ScriptFiles()),
                         [](const auto& named) { return fs::path(named.param).stem().string(); });

}  // namespace
}  // namespace tablecast::testing
