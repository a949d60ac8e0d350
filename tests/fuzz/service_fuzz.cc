// Whole requests to a served example: the first line is "METHOD target", the second the Content-Type, the rest the
// body. No request may crash the service, be answered by 5xx other than 501, or break the shape of an answer. The
// store is laid anew now and then, so that what an input does can be done again.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "base/json_reader.h"
#include "tests/service/fixture.h"

namespace {

using namespace tablecast;  // NOLINT(google-build-using-namespace)

constexpr int kRequestsPerStore = 2000;

testing::ServedExample& Served() {
  static std::unique_ptr<testing::ServedExample> served;
  static int requests = 0;
  if (requests++ % kRequestsPerStore == 0) {
    served = std::make_unique<testing::ServedExample>("order-management", testing::StoreKind::kMemory);
  }
  return *served;
}

std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view line = TakeLine(rest);
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return 0;
  HttpHeaders headers;
  const std::string_view type = TakeLine(rest);
  if (!type.empty()) headers.Add("Content-Type", std::string(type));
  const HttpResponse answer = Served().Send(std::string(line.substr(0, space)), std::string(line.substr(space + 1)),
                                            std::string(rest), std::move(headers));
  if (answer.status < 200 || answer.status >= 600) std::abort();
  if (answer.status >= 500 && answer.status != 501) std::abort();
  // An error has a body that says what is wrong, in JSON that can be read.
  if (answer.status >= 400 && line.substr(0, space) != "HEAD" && !answer.body.empty() && answer.body.front() == '{') {
    const auto json = ParseJson(answer.body);
    if (!json.ok() || json->Find("error") == nullptr) std::abort();
  }
  return 0;
}
