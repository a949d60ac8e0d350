#ifndef TABLECAST_TESTS_CONFORMANCE_ODATA_SERVICE_H_
#define TABLECAST_TESTS_CONFORMANCE_ODATA_SERVICE_H_

// What the conformance tests of OData share: the example order-management served in process, and one answer.
// Each test is one clause of docs/conformance.md and is named after its number: TEST(ODataMinimal, C03_...).

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/service/fixture.h"

namespace tablecast::testing {

class ODataService {
 public:
  // For clauses that only read: one service for the whole program.
  static ODataService& Shared() {
    static ODataService service;
    return service;
  }

  ODataService() : served_("order-management", StoreKind::kMemory) {}

  HttpResponse Send(const std::string& method, const std::string& path, HttpHeaders headers = {}, const std::string& body = "") {
    HttpResponse response = served_.Send(method, "/odata/" + path, body, std::move(headers));
    // Clause 4 holds for every answer of every test.
    EXPECT_TRUE(response.headers.Has("OData-Version")) << method << " " << path;
    return response;
  }
  HttpResponse Get(const std::string& path, HttpHeaders headers = {}) { return Send("GET", path, std::move(headers)); }
  HttpResponse Write(const std::string& method, const std::string& path, const std::string& body, HttpHeaders headers = {}) {
    if (!headers.Has("Content-Type")) headers.Add("Content-Type", "application/json");
    return Send(method, path, std::move(headers), body);
  }

 private:
  ServedExample served_;
};

inline bool Holds(const HttpResponse& response, const std::string& text) { return response.body.find(text) != std::string::npos; }

// The text of a JSON member that appears once, e.g. Member(response, "@odata.nextLink").
inline std::string Member(const HttpResponse& response, const std::string& name) {
  const std::string mark = "\"" + name + "\":\"";
  const std::size_t at = response.body.find(mark);
  if (at == std::string::npos) return "";
  std::string text;
  for (std::size_t i = at + mark.size(); i < response.body.size() && response.body[i] != '"'; ++i) {
    if (response.body[i] == '\\') ++i;
    text += response.body[i];
  }
  return text;
}

inline std::size_t Times(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

}  // namespace tablecast::testing

#define EXPECT_ANSWER(response, expected)                                                 \
  do {                                                                                    \
    const ::tablecast::HttpResponse& answer_ = (response);                                \
    EXPECT_EQ(answer_.status, (expected)) << answer_.body.substr(0, 1000);                \
  } while (false)
#define EXPECT_HOLDS(response, text) EXPECT_TRUE(::tablecast::testing::Holds(response, text)) << (response).body.substr(0, 1500)
#define EXPECT_LACKS(response, text) EXPECT_FALSE(::tablecast::testing::Holds(response, text)) << (response).body.substr(0, 1500)

#endif  // TABLECAST_TESTS_CONFORMANCE_ODATA_SERVICE_H_
