#include "odata/operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/json_reader.h"
#include "odata/access_log.h"
#include "odata/metrics.h"
#include "odata/trusted_proxies.h"

namespace tablecast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

RequestRecord Record() {
  RequestRecord record;
  record.request_id = "r1";
  record.remote_address = "192.0.2.1";
  record.method = "GET";
  record.target = "/odata/Order?$filter=name eq \"a\"\n";
  record.route = "entity_set";
  record.status = 200;
  record.response_bytes = 1234;
  record.duration = std::chrono::microseconds(1500);
  return record;
}

TEST(MetricsTest, CountsRequestsByRouteAndStatus) {
  Metrics metrics;
  metrics.RecordRequest(Record());
  metrics.RecordRequest(Record());
  RequestRecord failed = Record();
  failed.status = 404;
  failed.complete = false;
  metrics.RecordRequest(failed);
  metrics.CountItems(1000, 10);
  metrics.CountPlan("index");
  metrics.CountPlan("index");
  metrics.CountPlan("scan");
  metrics.CountConversionErrors(3);
  metrics.CountIndexBuild(true, std::chrono::milliseconds(1500));
  metrics.CountIndexBuild(false, std::chrono::milliseconds(0));
  metrics.SetIndexBuilds(2);
  metrics.SetIndexProgress(30, 70);
  metrics.SetStoreBytes(4096);
  metrics.SetLoad({.connections = 7, .queued_requests = 1, .buffered_bytes = 99});
  metrics.CountCatalogReload(false);
  const std::string text = metrics.Serialize();
  for (const char* line : {"tablecast_http_requests_total{route=\"entity_set\",status=\"200\"} 2",
                           "tablecast_http_requests_total{route=\"entity_set\",status=\"404\"} 1",
                           "tablecast_http_request_duration_seconds_count{route=\"entity_set\"} 3",
                           "tablecast_http_request_duration_seconds_bucket{route=\"entity_set\",le=\"0.0025\"} 3",
                           "tablecast_http_request_duration_seconds_bucket{route=\"entity_set\",le=\"0.001\"} 0",
                           "tablecast_http_response_bytes_total 3702",
                           "tablecast_http_responses_cut_total 1",
                           "tablecast_items_scanned_total 1000",
                           "tablecast_items_returned_total 10",
                           "tablecast_query_plans_total{kind=\"index\"} 2",
                           "tablecast_query_plans_total{kind=\"scan\"} 1",
                           "tablecast_conversion_errors_total 3",
                           "tablecast_index_builds_total{result=\"ok\"} 1",
                           "tablecast_index_builds_total{result=\"failed\"} 1",
                           "tablecast_index_build_seconds_total 1.5",
                           "tablecast_index_builds_running 2",
                           "tablecast_index_build_done_items 30", "tablecast_index_build_total_items 70",
                           "tablecast_store_bytes 4096",
                           "tablecast_http_connections 7",
                           "tablecast_http_queued_requests 1",
                           "tablecast_http_buffered_bytes 99",
                           "tablecast_catalog_reloads_total{result=\"failed\"} 1"}) {
    EXPECT_THAT(text, HasSubstr(std::string(line) + "\n"));
  }
}

TEST(MetricsTest, LabelsAreBoundedAndThreadsSafe) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&metrics, t] {
      for (int i = 0; i < 500; ++i) {
        RequestRecord record = Record();
        record.route = "route" + std::to_string(i % 125 + t * 125);
        metrics.RecordRequest(record);
        metrics.CountPlan("plan" + std::to_string(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, AllOf(HasSubstr("route=\"other\""), HasSubstr("kind=\"other\"")));
  std::size_t series = 0;
  for (std::size_t at = 0; (at = text.find("tablecast_http_requests_total{", at)) != std::string::npos; ++at) ++series;
  EXPECT_LE(series, 65U);
}

TEST(AccessLogTest, WritesOneJsonLinePerRequest) {
  RequestRecord record = Record();
  record.principal = "crm \"x\"";
  record.user_agent = "agent\r\nforged: line";
  record.complete = false;
  record.received = Timestamp{1'450'719'754, 500'000'000};
  const std::string line = FormatAccessLine(record);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Result<JsonValue> json = ParseJson(line);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->Find("time")->text, "2015-12-21T17:42:34.500Z");
  EXPECT_EQ(json->Find("id")->text, "r1");
  EXPECT_EQ(json->Find("target")->text, record.target);
  EXPECT_EQ(json->Find("principal")->text, record.principal);
  EXPECT_EQ(json->Find("status")->text, "200");
  EXPECT_EQ(json->Find("bytes")->text, "1234");
  EXPECT_EQ(json->Find("micros")->text, "1500");
  EXPECT_EQ(json->Find("agent")->text, record.user_agent);
  EXPECT_TRUE(json->Find("cut")->boolean);
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

TEST(AccessLogTest, RotatesBySizeAndKeepsSoMany) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / ("access_log_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "access.log").string();
  const std::size_t line_bytes = FormatAccessLine(Record()).size() + 1;
  auto log = AccessLog::Open({.file = file, .max_bytes = 3 * line_bytes, .keep = 2}).value();
  for (int i = 0; i < 10; ++i) log->Write(Record());
  EXPECT_EQ(log->dropped(), 0U);
  EXPECT_EQ(ReadFile(file).size(), 1 * line_bytes);
  EXPECT_EQ(ReadFile(file + ".1").size(), 3 * line_bytes);
  EXPECT_EQ(ReadFile(file + ".2").size(), 3 * line_bytes);
  EXPECT_FALSE(std::filesystem::exists(file + ".3"));
  // Rotated from outside.
  std::filesystem::rename(file, file + ".moved");
  ASSERT_TRUE(log->Reopen().ok());
  log->Write(Record());
  EXPECT_EQ(ReadFile(file).size(), line_bytes);
  log.reset();
  // Goes on where an earlier run stopped.
  AccessLog::Open({.file = file, .max_bytes = 3 * line_bytes}).value()->Write(Record());
  EXPECT_EQ(ReadFile(file).size(), 2 * line_bytes);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(AccessLog::Open({.file = "/no/such/folder/access.log"}).error().reason, "bad-log-file");
}

TEST(AccessLogTest, AFullDiskLosesLinesNotTheService) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  auto log = AccessLog::Open({.file = "/dev/full"}).value();
  log->Write(Record());
  log->Write(Record());
  EXPECT_EQ(log->dropped(), 2U);
}

HttpResponse Ask(const HttpHandler& handler, std::string target, bool operator_rights = true, std::string method = "GET") {
  HttpRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  if (operator_rights) request.principal = Principal::Unrestricted();
  return handler(request);
}

TEST(OperationsTest, AnswersItsRoutesAndPassesOthersOn) {
  std::string reason = "loading";
  const HttpHandler handler = WithOperations({.not_ready_because = [&] { return reason; }, .metrics = [] { return "m 1\n"; }},
                                             [](const HttpRequest& request) {
                                               HttpResponse response;
                                               response.body = "next " + request.target;
                                               return response;
                                             });
  EXPECT_EQ(Ask(handler, "/healthz", false).body, "ok\n");
  const HttpResponse unready = Ask(handler, "/readyz?x=1", false);
  EXPECT_EQ(unready.status, 503);
  EXPECT_THAT(unready.body, HasSubstr("loading"));
  EXPECT_EQ(unready.headers.Get("Retry-After"), "1");
  reason.clear();
  EXPECT_EQ(Ask(handler, "/readyz", false).status, 200);
  EXPECT_EQ(Ask(handler, "/metrics").body, "m 1\n");
  EXPECT_EQ(Ask(handler, "/metrics").headers.Get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(Ask(handler, "/metrics").route, "metrics");
  EXPECT_EQ(Ask(handler, "/metrics", false).status, 403);
  const HttpResponse post = Ask(handler, "/metrics", true, "POST");
  EXPECT_EQ(post.status, 405);
  EXPECT_EQ(post.headers.Get("Allow"), "GET, HEAD");
  EXPECT_EQ(Ask(handler, "/metricsx").body, "next /metricsx");
  EXPECT_EQ(Ask(handler, "/odata/metrics").body, "next /odata/metrics");
  EXPECT_EQ(Ask(WithOperations({}, nullptr), "/metrics").status, 404);
}

struct NetworkCase {
  const char* network;
  const char* address;
  bool want;
};

TEST(TrustedProxiesTest, KnowsNetworks) {
  for (const NetworkCase& c : std::vector<NetworkCase>{{"10.0.0.0/8", "10.255.0.1", true},
                                                       {"10.0.0.0/8", "11.0.0.1", false},
                                                       {"192.0.2.128/25", "192.0.2.200", true},
                                                       {"192.0.2.128/25", "192.0.2.100", false},
                                                       {"192.0.2.1", "192.0.2.1", true},
                                                       {"192.0.2.1", "192.0.2.2", false},
                                                       {"192.0.2.1", "::ffff:192.0.2.1", true},
                                                       {"0.0.0.0/0", "8.8.8.8", true},
                                                       {"0.0.0.0/0", "2001:db8::1", false},
                                                       {"2001:db8::/33", "2001:db8:7fff::1", true},
                                                       {"2001:db8::/33", "2001:db8:8000::1", false},
                                                       {"10.0.0.0/8", "10.0.0.1.evil", false},
                                                       {"10.0.0.0/8", "", false}}) {
    EXPECT_EQ(TrustedProxies::Parse({c.network}).value().Contains(c.address), c.want) << c.network << " " << c.address;
  }
  for (const char* bad : {"", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8x", "example.com", "2001:db8::/129"}) {
    EXPECT_EQ(TrustedProxies::Parse({"10.0.0.1", bad}).error().reason, "bad-network") << bad;
  }
}

TEST(TrustedProxiesTest, ReadsTheChainFromTheRight) {
  const TrustedProxies proxies = TrustedProxies::Parse({"10.0.0.0/8"}).value();
  const auto address = [&](const std::string& chain) {
    HttpRequest request;
    request.remote_address = "10.0.0.1";
    request.headers.Add("X-Forwarded-For", chain);
    proxies.Apply(request);
    return request.remote_address;
  };
  EXPECT_EQ(address("203.0.113.9"), "203.0.113.9");
  EXPECT_EQ(address("1.1.1.1, 203.0.113.9, 10.2.2.2"), "203.0.113.9");
  EXPECT_EQ(address("[2001:db8::9]:443"), "2001:db8::9");
  EXPECT_EQ(address("2001:db8::9"), "2001:db8::9");
  EXPECT_EQ(address("unknown, 10.2.2.2"), "10.2.2.2");
  EXPECT_EQ(address("<script>"), "10.0.0.1");
  EXPECT_EQ(address(""), "10.0.0.1");
}

TEST(LoopbackTest, KnowsLoopback) {
  for (const char* yes : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) EXPECT_TRUE(IsLoopbackAddress(yes)) << yes;
  for (const char* no : {"128.0.0.1", "::2", "", "localhost", "0.0.0.0", "::"}) EXPECT_FALSE(IsLoopbackAddress(no)) << no;
}

}  // namespace
}  // namespace tablecast
