#ifndef TABLECAST_CONNECTOR_CATALOG_JSON_H_
#define TABLECAST_CONNECTOR_CATALOG_JSON_H_

// Reads the extension members of qualifier files and of catalog.json, and collects located
// findings. Shapes (unknown members, wrong JSON types) are checked before by
// qualifiers/document_shape.h; the getters here treat a member of the wrong type as absent.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.h"
#include "base/json_reader.h"
#include "base/result.h"

namespace tablecast {

// Where a piece of JSON stands: file and dotted path, for findings.
struct JsonPlace {
  const JsonValue* value = nullptr;
  std::string file;
  std::string path;
  TextSpan near = {};  // of what surrounds it, when it is absent

  JsonPlace Child(std::string_view name) const;  // value is null when absent
  explicit operator bool() const { return value != nullptr; }
};

// Collects findings. THREAD: one thread.
class Findings {
 public:
  void Error(const JsonPlace& at, std::string code, std::string message, std::string remedy = {});
  void Warning(const JsonPlace& at, std::string code, std::string message, std::string remedy = {});
  void Add(Issue issue) { issues_.push_back(std::move(issue)); }
  std::vector<Issue>& issues() { return issues_; }

 private:
  std::vector<Issue> issues_;
};

bool IsObject(const JsonPlace& at);
// The member's value; nullopt when absent.
std::optional<std::string> StringOf(const JsonPlace& object, std::string_view name);
std::optional<bool> BoolOf(const JsonPlace& object, std::string_view name);
std::optional<std::uint32_t> UintOf(const JsonPlace& object,
                                    std::string_view name);  // also nullopt when too large
std::optional<Decimal> NumberOf(const JsonPlace& object, std::string_view name);
std::vector<std::string> StringsOf(const JsonPlace& object, std::string_view name);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_CATALOG_JSON_H_
