#ifndef TABLECAST_FORMATS_JSON_SLICER_H_
#define TABLECAST_FORMATS_JSON_SLICER_H_

// Cuts a large JSON text into the texts of its members or elements without building a tree, so that an array
// of ten million items is read one item at a time. It checks brackets and strings only; each slice is parsed
// strictly by its user. No recursion; linear time; no memory.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tablecast {

// Offset of the next character that is no JSON white space (or a BOM at the very start).
std::size_t SkipJsonSpace(std::string_view text, std::size_t at);

// Offset behind the value that starts at `at` (no white space before it). ERRORS: kInvalidArgument
// "json-syntax" with position.offset when brackets do not match or the text ends early.
Result<std::size_t> SkipJsonValue(std::string_view text, std::size_t at);

struct JsonSlice {
  std::string_view text;  // of the value, no white space around it
  std::size_t offset = 0; // of the value in the sliced text
};

// Walks the elements of the array that starts at `at`.
//   JsonArrayWalker walk(text, at);
//   while (true) { auto slice = walk.Next(); if (!slice.ok()) ...; if (!*slice) break; use(**slice); }
class JsonArrayWalker {
 public:
  JsonArrayWalker(std::string_view text, std::size_t at) : text_(text), at_(at + 1) {}  // REQUIRES: text[at] == '['
  // nullopt at the end; then end() is the offset behind the bracket.
  Result<std::optional<JsonSlice>> Next();
  std::size_t end() const { return at_; }

 private:
  std::string_view text_;
  std::size_t at_;
  bool first_ = true;
};

struct JsonMemberSlice {
  std::string name;  // escapes decoded for ASCII names; names with escapes are kept as they stand
  JsonSlice value;
};
// The members of the object that starts at `at`. REQUIRES: text[at] == '{'. Sets `end` behind the bracket.
// LIMITS: 100,000 members.
Result<std::vector<JsonMemberSlice>> SliceJsonMembers(std::string_view text, std::size_t at, std::size_t* end);

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_JSON_SLICER_H_
