#ifndef TABLECAST_BASE_JSON_READER_H_
#define TABLECAST_BASE_JSON_READER_H_

// Reads JSON text into JsonValue trees with positions, or streams it as events. Numbers stay raw
// text (no double). Depth, size and duplicate names are under explicit control. Built on RapidJSON's
// iterative SAX parser over a stream of our own, which knows positions and copies no plain string.
// LIMITS: a number of 10^308 or more is "json-syntax"; a tree is at most 1,000 levels deep whatever
// max_depth says (events: any depth); texts of 4 GiB or more are "json-too-large".
//
//   auto json = ParseJson(text, {.allow_comments = true});
//   const JsonValue* columns = json->Find("columns");

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tablecast {

struct JsonOptions {
  bool allow_comments = false;         // // and /* */
  bool allow_trailing_commas = false;
  bool allow_bom = true;
  int max_depth = 100;                 // nesting of arrays and objects
  std::size_t max_bytes = 64U << 20U;  // refused beyond: kResourceExhausted "json-too-large"
};

enum class JsonType { kNull, kBool, kNumber, kString, kArray, kObject };

struct JsonMember;

// One JSON value; owns its children. Objects keep every member in order of appearance, duplicates
// included; Find() gives the LAST of that name (the rule of qualifiers.md section 1).
class JsonValue {
 public:
  JsonType type = JsonType::kNull;
  bool boolean = false;
  std::string text;                 // kString: decoded; kNumber: the raw text as written
  std::vector<JsonValue> elements;  // kArray
  std::vector<JsonMember> members;  // kObject
  TextSpan span;                    // of the whole value

  bool IsObject() const { return type == JsonType::kObject; }
  bool IsArray() const { return type == JsonType::kArray; }
  bool IsString() const { return type == JsonType::kString; }
  bool IsNumber() const { return type == JsonType::kNumber; }
  const JsonValue* Find(std::string_view name) const;  // nullptr when absent or not an object
};

struct JsonMember {
  std::string name;
  TextSpan name_span;
  JsonValue value;
};

// ERRORS: kInvalidArgument "json-syntax" with position; "json-encoding" for invalid UTF-8 or lone
// surrogates; kResourceExhausted "json-depth", "json-too-large". Never recurses on input depth.
Result<JsonValue> ParseJson(std::string_view text, const JsonOptions& options = {});

// Streaming events; return false from any to stop (ReadJsonEvents then returns kAborted
// "json-stopped").
class JsonHandler {
 public:
  virtual ~JsonHandler() = default;
  virtual bool Null() = 0;
  virtual bool Bool(bool value) = 0;
  virtual bool Number(std::string_view raw) = 0;
  virtual bool String(std::string_view value) = 0;
  virtual bool StartObject() = 0;
  virtual bool Key(std::string_view name) = 0;
  virtual bool EndObject() = 0;
  virtual bool StartArray() = 0;
  virtual bool EndArray() = 0;
};
Status ReadJsonEvents(std::string_view text, JsonHandler& handler, const JsonOptions& options = {});

}  // namespace tablecast

#endif  // TABLECAST_BASE_JSON_READER_H_
