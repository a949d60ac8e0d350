// Readers and writers of one service at once, on both stores: every answer is one snapshot, no
// acknowledged write is undone, the indexes never answer for a state that was not there.
// Small on purpose: the thread sanitizer runs it too.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/json_reader.h"
#include "tests/service/fixture.h"

namespace tablecast::testing {
namespace {

constexpr int kWriters = 3;

int Rounds() { return std::getenv("TABLECAST_LONG_TESTS") != nullptr ? 2000 : 60; }

HttpHeaders Json() {
  HttpHeaders headers;
  headers.Add("Content-Type", "application/json");
  return headers;
}

// What a thread found wrong; told once, at the end, so that gtest is used by one thread only.
class Findings {
 public:
  void Add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (texts_.size() < 10) texts_.push_back(text);
  }
  void Tell() {
    for (const std::string& text : texts_) ADD_FAILURE() << text;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

class ServiceConcurrencyTest : public ::testing::TestWithParam<StoreKind> {};

std::string OrderOf(int writer) { return std::to_string(8000 + writer); }

std::string Text(const JsonValue& object, const std::string& name) {
  const JsonValue* member = object.Find(name);
  return member == nullptr ? "(none)" : member->text;
}

int Number(const JsonValue& object, const std::string& name) { return std::atoi(Text(object, name).c_str()); }

// One change set: an order's total and its line's quantity get the same number.
std::string Stamp(int writer, int round) {
  const std::string order = OrderOf(writer);
  const std::string n = std::to_string(round);
  const std::string customer = round % 2 == 0 ? "C-EVEN" : "C-ODD";
  const std::string json = R"j("headers":{"content-type":"application/json"})j";
  return R"j({"requests":[{"id":"1","atomicityGroup":"g","method":"PATCH","url":"Orders(')j" + order + R"j(')",)j" + json +
         R"j(,"body":{"TOTAL":)j" + n + R"j(,"CUSTOMER":")j" + customer +
         R"j("}},{"id":"2","atomicityGroup":"g","method":"PATCH","url":"OrderItems(')j" + order + R"j(-1')",)j" + json +
         R"j(,"body":{"QUANTITY":)j" + n + "}}]}";
}

TEST_P(ServiceConcurrencyTest, EveryAnswerIsOneSnapshot) {
  ServedExample served("order-management", GetParam());
  for (int writer = 0; writer < kWriters; ++writer) {
    const HttpResponse created =
        served.Send("POST", "/odata/Orders", R"({"pk":")" + OrderOf(writer) + R"(","CUSTOMER":"C-EVEN","TOTAL":0,)" +
                                                 R"("Lines":[{"sk":"products#1","QUANTITY":0}]})",
                    Json());
    ASSERT_EQ(created.status, 201) << created.body;
  }
  Findings findings;
  std::atomic<int> writing{kWriters + 1};
  std::vector<std::atomic<int>> acknowledged(kWriters);
  std::vector<std::thread> threads;

  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      for (int round = 1; round <= Rounds(); ++round) {
        const HttpResponse answer = served.Send("POST", "/odata/$batch", Stamp(writer, round), Json());
        if (answer.status != 200 || answer.body.find("\"status\":204") == std::string::npos) {
          findings.Add("write refused: " + answer.body.substr(0, 500));
        } else {
          acknowledged[writer].store(round);
        }
      }
      --writing;
    });
  }
  // Orders that come and go, so that keys enter and leave every index.
  threads.emplace_back([&] {
    for (int round = 1; round <= Rounds(); ++round) {
      const HttpResponse created = served.Send("POST", "/odata/Orders", R"({"pk":"8900","CUSTOMER":"C-EVEN","TOTAL":1})", Json());
      if (created.status != 201) findings.Add("create refused: " + created.body.substr(0, 500));
      const HttpResponse gone = served.Send("DELETE", "/odata/Orders('8900')");
      if (gone.status != 204) findings.Add("delete refused: " + gone.body.substr(0, 500));
    }
    --writing;
  });

  const auto reader = [&](const std::function<void()>& check) {
    threads.emplace_back([&writing, check] {
      do check();
      while (writing.load() > 0);
    });
  };
  reader([&] {  // parent and child of one answer carry the same stamp, and it is not older than the acknowledged one
    for (int writer = 0; writer < kWriters; ++writer) {
      const int known = acknowledged[writer].load();
      const HttpResponse answer = served.Get("/odata/Orders('" + OrderOf(writer) + "')?$expand=Lines");
      const auto json = ParseJson(answer.body);
      const JsonValue* lines = json.ok() ? json->Find("Lines") : nullptr;
      if (answer.status != 200 || lines == nullptr || lines->elements.size() != 1) {
        findings.Add("order: " + answer.body.substr(0, 500));
        continue;
      }
      const int total = Number(*json, "TOTAL");  // a Currency is written with its two decimals
      if (Number(lines->elements[0], "QUANTITY") != total) findings.Add("two snapshots in one answer: " + answer.body);
      if (total < known) findings.Add("an acknowledged write was undone: " + answer.body);
    }
  });
  reader([&] {  // the count is the count of this very answer's rows
    const HttpResponse answer = served.Get("/odata/Orders?$filter=pk ge '8000' and pk lt '9000'&$count=true&$select=pk");
    const auto json = ParseJson(answer.body);
    const JsonValue* rows = json.ok() ? json->Find("value") : nullptr;
    if (answer.status != 200 || rows == nullptr || Text(*json, "@odata.count") != std::to_string(rows->elements.size())) {
      findings.Add("count and rows differ: " + answer.body.substr(0, 1000));
    }
  });
  reader([&] {  // the declared index: no order twice or lost while it moves from one customer to the other
    const HttpResponse answer =
        served.Get("/odata/Orders?$filter=CUSTOMER in ('C-EVEN','C-ODD') and pk lt '8900' and pk ge '8000'&$select=pk,CUSTOMER,TOTAL");
    const auto json = ParseJson(answer.body);
    const JsonValue* rows = json.ok() ? json->Find("value") : nullptr;
    if (answer.status != 200 || rows == nullptr || rows->elements.size() != kWriters) {
      findings.Add("orders of two customers: " + answer.body.substr(0, 1000));
      return;
    }
    for (const JsonValue& row : rows->elements) {
      const bool even = Number(row, "TOTAL") % 2 == 0;
      if (Text(row, "CUSTOMER") != (even ? "C-EVEN" : "C-ODD")) findings.Add("a row of two states: " + answer.body);
    }
  });
  reader([&] {  // what has no rows of its own, and a catalog that is laid anew under the requests
    served.service().SetCatalog(served.catalog_handle());
    if (served.Get("/odata/$metadata").status != 200) findings.Add("$metadata");
    if (served.Get("/odata/").status != 200) findings.Add("service document");
  });

  for (std::thread& thread : threads) thread.join();
  findings.Tell();
  for (int writer = 0; writer < kWriters; ++writer) {
    const HttpResponse answer = served.Get("/odata/Orders('" + OrderOf(writer) + "')/TOTAL/$value");
    EXPECT_EQ(answer.body, std::to_string(Rounds()) + ".00");
  }
  EXPECT_EQ(served.Get("/odata/Orders('8900')").status, 404);
}

INSTANTIATE_TEST_SUITE_P(Stores, ServiceConcurrencyTest, ::testing::Values(StoreKind::kMemory, StoreKind::kLmdb),
                         [](const auto& named) { return named.param == StoreKind::kLmdb ? "Lmdb" : "Memory"; });

}  // namespace
}  // namespace tablecast::testing
