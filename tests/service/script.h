#ifndef TABLECAST_TESTS_SERVICE_SCRIPT_H_
#define TABLECAST_TESTS_SERVICE_SCRIPT_H_

// Service scripts: requests and what they must answer, as plain text.
//
//   # catalog order-management          the example whose catalog and items are served
//   # fresh                             (optional) the script writes: it gets a store of its own
//   # skip page_size_1: why             (optional) not run under that configuration
//
//   GET /odata/Orders('1012')?$select=pk
//   Accept: application/json
//
//   200
//   OData-Version: 4.0
//   ~ "pk":"1012"
//   ---
//
// Behind the status come expected headers ("Name: value", value "*" = present, "-" = absent), then expectations on the
// body: "~ TEXT" holds TEXT, "!~ TEXT" does not, "= TEXT" is exactly TEXT, "rows N" counts the `value` array,
// "capture NAME MEMBER" keeps a member for {NAME} in later requests. "\r\n" in a request body is written as such.

#include <string>
#include <utility>
#include <vector>

namespace tablecast::testing {

struct Expectation {
  enum class Kind { kContains, kLacks, kEquals, kRows, kCapture };
  Kind kind = Kind::kContains;
  std::string text;
  std::string name;
};

struct Exchange {
  std::size_t line = 0;
  std::string method, target, body;
  std::vector<std::pair<std::string, std::string>> headers;
  int status = 0;
  std::vector<std::pair<std::string, std::string>> expected_headers;
  std::vector<Expectation> expectations;
};

struct Script {
  std::string file;
  std::string catalog;
  bool fresh = false;
  std::vector<std::string> skipped_configs;
  std::vector<Exchange> exchanges;
};

// Fails the test at hand when the file does not read.
Script ReadScript(const std::string& path);

}  // namespace tablecast::testing

#endif  // TABLECAST_TESTS_SERVICE_SCRIPT_H_
