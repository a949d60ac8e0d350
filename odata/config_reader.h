#ifndef TABLECAST_ODATA_CONFIG_READER_H_
#define TABLECAST_ODATA_CONFIG_READER_H_

// Reads one object of a configuration file member by member, collecting an Issue with its place for
// everything that is wrong: a wrong type, a value out of range, an unknown key (with the nearest known
// one), a key given twice.
//
//   ConfigReader reader(json, "limits", issues);
//   reader.Integer("maxBodyBytes", 1, kMax, limits.max_body_bytes);
//   reader.Finish();      // reports keys that nobody asked for

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "base/result.h"

namespace tablecast {

class ConfigReader {
 public:
  // `path` is the dotted path of `object` in the document, "" for its root.
  // BORROWS: both references must outlive the reader.
  // `defaults`, if given, learns the dotted path of every key that is asked for, and what holds without it.
  ConfigReader(const JsonValue& object, std::string path, std::vector<Issue>& issues,
               std::map<std::string, std::string>* defaults = nullptr);

  // Each takes the member of that name, if there is one, into `out` and otherwise leaves it alone.
  // Returns whether a good value was there.
  bool String(std::string_view key, std::string& out);
  bool Bool(std::string_view key, bool& out);
  bool Integer(std::string_view key, std::int64_t least, std::int64_t most, std::int64_t& out);
  bool Size(std::string_view key, std::int64_t least, std::size_t& out);
  bool Strings(std::string_view key, std::vector<std::string>& out);
  // The member when it is an object or array, else nullptr.
  const JsonValue* Object(std::string_view key);
  const JsonValue* Array(std::string_view key);

  // Reports unknown and repeated keys.
  void Finish();

  bool Has(std::string_view key) const { return object_.Find(key) != nullptr; }
  std::string PathOf(std::string_view key) const;
  void Report(std::string_view key, std::string code, std::string message, std::string remedy = {});

 private:
  const JsonValue* Expect(std::string_view key, JsonType type, std::string_view what, std::string without);

  const JsonValue& object_;
  const std::string path_;
  std::vector<Issue>& issues_;
  std::map<std::string, std::string>* const defaults_;
  std::vector<std::string> known_;
};

// The candidate with the fewest typing errors from `word`; "" when none is near.
std::string NearestName(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_CONFIG_READER_H_
