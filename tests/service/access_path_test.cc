// The same query by every access path gives the same bytes: all reads of the service scripts, and queries over an
// attribute that mixes three ISO forms, offsets, fractions and epoch numbers.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "odata/service.h"
#include "tests/service/fixture.h"
#include "tests/service/script.h"

namespace tablecast::testing {
namespace {

namespace fs = std::filesystem;

const char* const kEngines[] = {"row", "scan", "index", "columnar"};

std::string Forced(std::string target, const std::string& engine) {
  return target + (target.find('?') == std::string::npos ? "?" : "&") + "tablecast-engine=" + engine;
}

// Links repeat the engine that the client asked for, and tokens are bound to where a path goes on.
std::string WithoutEngine(std::string body, const std::string& engine) {
  for (const std::string& mark : {"&tablecast-engine=" + engine, "tablecast-engine=" + engine + "&", "?tablecast-engine=" + engine}) {
    for (std::size_t at = body.find(mark); at != std::string::npos; at = body.find(mark)) body.erase(at, mark.size());
  }
  return body;
}

struct Tally {
  std::map<std::string, int> same;
};

// Follows nextLink to the end, so that paging itself is compared too.
std::string Whole(ServedExample& served, std::string target, const std::string& engine, int& status) {
  std::string all;
  for (int page = 0; page < 40; ++page) {
    const HttpResponse response = served.Get(target);
    status = response.status;
    std::string body = response.body;
    std::string next;
    const std::size_t link = body.find("nextLink\":\"");
    if (link != std::string::npos) {
      const std::size_t begin = link + 11;
      const std::size_t end = body.find('"', begin);
      next = body.substr(begin, end - begin);
      body.erase(begin, end - begin);
    }
    all += WithoutEngine(body, engine);
    if (next.empty() || status != 200) return all;
    const std::size_t path = next.find("/odata/");
    if (path == std::string::npos) return all + " BAD LINK " + next;
    target = next.substr(path);
  }
  return all;
}

void Compare(ServedExample& served, const std::string& target, Tally& tally) {
  int expected_status = 0;
  const std::string expected = Whole(served, target, "", expected_status);
  if (expected_status != 200) return;
  for (const char* engine : kEngines) {
    int status = 0;
    const std::string body = Whole(served, Forced(target, engine), engine, status);
    if (status != 200) {
      // Only a path that this object does not have may be refused, and by name.
      EXPECT_NE(body.find("engine-unavailable"), std::string::npos) << target << " by " << engine << ": " << body;
      continue;
    }
    EXPECT_EQ(body, expected) << target << " by " << engine;
    ++tally.same[engine];
  }
}

class AccessPathTest : public ::testing::TestWithParam<StoreKind> {};

TEST_P(AccessPathTest, ScriptReadsAreEqualToTheByte) {
  std::map<std::string, std::unique_ptr<ServedExample>> served;
  Tally tally;
  for (const auto& entry : fs::directory_iterator(fs::path(TABLECAST_SOURCE_DIR) / "tests/service")) {
    if (entry.path().extension() != ".http") continue;
    const Script script = ReadScript(entry.path().string());
    if (script.catalog.empty()) continue;
    auto& example = served[script.catalog];
    if (example == nullptr) example = std::make_unique<ServedExample>(script.catalog, GetParam(), ServiceOptions{}, true);
    for (const Exchange& exchange : script.exchanges) {
      const std::string& target = exchange.target;
      const bool fits = exchange.method == "GET" && exchange.status == 200 && target.find('{') == std::string::npos &&
                        target.starts_with("/odata/") && target.find("$metadata") == std::string::npos &&
                        target.find("token=") == std::string::npos && target.find("tablecast-") == std::string::npos &&
                        target.find("openapi") == std::string::npos && target.size() > 7;
      if (fits) Compare(*example, target, tally);
    }
  }
  EXPECT_GT(tally.same["row"], 40);
  EXPECT_GT(tally.same["scan"], 40);
  EXPECT_GT(tally.same["index"], 5);
  EXPECT_GT(tally.same["columnar"], 40);
}

TEST_P(AccessPathTest, MixedTimesCompareByInstantOnEveryPath) {
  ServedExample served("mixed-times", GetParam(), {}, true);
  Tally tally;
  const char* const kInstants[] = {"2015-07-17T11:45:00Z", "2015-07-17", "2015-07-18T00:00:00Z", "2015-07-17T11:45:00.25Z",
                                   "2015-08-01T02:00:00%2B02:00", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z"};
  const std::string set = "/odata/Events?";
  for (const std::string instant : kInstants) {
    for (const char* op : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      const std::string filter = "$filter=AT%20" + std::string(op) + "%20" + instant;
      for (const char* rest : {"", "&$orderby=AT", "&$orderby=AT%20desc&$top=7", "&$orderby=KIND,AT%20desc&$skip=3&$top=20",
                               "&$count=true&$top=2"}) {
        Compare(served, set + filter + rest, tally);
      }
      Compare(served, "/odata/Events/$count?" + filter, tally);
      Compare(served, set + filter + "%20and%20KIND%20eq%20'b'&$orderby=AT%20desc", tally);
    }
  }
  for (const char* query : {"$orderby=AT", "$orderby=AT%20desc", "$orderby=KIND%20desc,AT", "$filter=AT%20eq%20null", "$filter=AT%20ne%20null&$top=5",
                            "$filter=year(AT)%20eq%202015%20and%20month(AT)%20eq%207", "$filter=date(AT)%20eq%202015-07-17",
                            "$filter=AT%20in%20(2015-07-17T11:45:00Z,2015-07-17T11:46:00Z)", "$filter=SCORE%20gt%202&$orderby=SCORE",
                            "$filter=NUMBER%20eq%20'007'", "$filter=startswith(NUMBER,'00')", "$filter=NUMBER%20ge%20'1'&$orderby=NUMBER%20desc",
                            "$apply=groupby((KIND),aggregate(SCORE%20with%20sum%20as%20S,AT%20with%20max%20as%20M,$count%20as%20N))",
                            "$apply=filter(AT%20lt%202015-07-20)/groupby((AT),aggregate($count%20as%20N))"}) {
    Compare(served, set + query, tally);
  }
  EXPECT_GT(tally.same["scan"], 250);
  EXPECT_GT(tally.same["index"], 100);
  EXPECT_GT(tally.same["columnar"], 250);
}

INSTANTIATE_TEST_SUITE_P(Stores, AccessPathTest, ::testing::Values(StoreKind::kMemory, StoreKind::kLmdb));

}  // namespace
}  // namespace tablecast::testing
