// 32 writers at once: If-Match loses no update, a unique field admits exactly one. On both stores, in process; the same
// over HTTP is tests/serve/race_test.py. Small here, for the thread sanitizer runs it too.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/json_reader.h"
#include "tests/service/fixture.h"

namespace tablecast::testing {
namespace {

constexpr int kWriters = 32;

int Rounds() { return std::getenv("TABLECAST_LONG_TESTS") != nullptr ? 100 : 4; }

HttpHeaders Json(const std::string& if_match = "") {
  HttpHeaders headers;
  headers.Set("Content-Type", "application/json");
  if (!if_match.empty()) headers.Set("If-Match", if_match);
  return headers;
}

template <class Body>
void AllAtOnce(const Body& body) {
  std::atomic<int> waiting{kWriters};
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      --waiting;
      while (waiting.load() > 0) std::this_thread::yield();
      body(writer);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class WriteRaceTest : public ::testing::TestWithParam<StoreKind> {};

TEST_P(WriteRaceTest, IfMatchLosesNoUpdate) {
  ServedExample served("write-model", GetParam());
  ASSERT_EQ(served.Send("POST", "/odata/Orders", R"({"pk":"500","Total":0})", Json()).status, 201);
  const int rounds = Rounds();
  std::atomic<int> conflicts{0}, others{0};
  AllAtOnce([&](int) {
    for (int done = 0; done < rounds;) {
      const HttpResponse read = served.Get("/odata/Orders('500')");
      const int total = std::atoi(ParseJson(read.body)->Find("Total")->text.c_str());
      const HttpResponse written = served.Send("PATCH", "/odata/Orders('500')", "{\"Total\":" + std::to_string(total + 1) + "}",
                                               Json(std::string(read.headers.Get("ETag"))));
      done += written.status == 204 ? 1 : 0;
      conflicts += written.status == 412 ? 1 : 0;
      others += written.status != 204 && written.status != 412 ? 1 : 0;
    }
  });
  EXPECT_EQ(others.load(), 0);
  EXPECT_EQ(served.Get("/odata/Orders('500')/Total/$value").body, std::to_string(kWriters * rounds) + ".00");
  // Every update that found another record than it had read was told so. Memory is quick: there it may race with nobody.
  if (GetParam() == StoreKind::kLmdb) { EXPECT_GT(conflicts.load(), 0); }
}

TEST_P(WriteRaceTest, UniqueAdmitsExactlyOne) {
  ServedExample served("write-model", GetParam());
  for (int round = 0; round < Rounds(); ++round) {
    const std::string code = "c" + std::to_string(round);
    // Creates, in change sets and alone; then updates of the orders that were left without the code.
    std::atomic<int> created{0}, refused{0};
    AllAtOnce([&](int writer) {
      const std::string pk = std::to_string(1000 + round * 100 + writer);
      const HttpResponse answer = served.Send("POST", "/odata/Orders", R"({"pk":")" + pk + R"(","Code":")" + code + "\"}", Json());
      created += answer.status == 201 ? 1 : 0;
      refused += answer.status == 409 && answer.body.find("unique-violated") != std::string::npos ? 1 : 0;
    });
    EXPECT_EQ(created.load(), 1);
    EXPECT_EQ(refused.load(), kWriters - 1);
    std::atomic<int> changed{0};
    refused = 0;
    AllAtOnce([&](int writer) {
      const std::string pk = std::to_string(1000 + round * 100 + writer);
      const HttpResponse answer = served.Send("PATCH", "/odata/Orders('" + pk + "')", R"({"Code":"u)" + code + "\"}", Json());
      changed += answer.status < 300 ? 1 : 0;  // an upsert where the create was refused
      refused += answer.status == 409 ? 1 : 0;
    });
    EXPECT_EQ(changed.load(), 1);
    EXPECT_EQ(refused.load(), kWriters - 1);
    EXPECT_EQ(served.Get("/odata/Orders/$count?$filter=Code%20eq%20'u" + code + "'").body, "1");
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, WriteRaceTest, ::testing::Values(StoreKind::kMemory, StoreKind::kLmdb),
                         [](const auto& each) { return each.param == StoreKind::kMemory ? "memory" : "lmdb"; });

}  // namespace
}  // namespace tablecast::testing
