#include "formats/json_slicer.h"

#include <cstring>

namespace tablecast {

namespace {

constexpr std::size_t kMaxMembers = 100000;

Error SyntaxError(std::string message, std::size_t offset) {
  TextPosition position;
  position.offset = offset;
  return MakeError(ErrorCode::kInvalidArgument, "json-syntax", std::move(message), "", "", position);
}

// Offset behind the string that starts at `at`, or npos.
std::size_t SkipString(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size();) {
    const void* quote = std::memchr(text.data() + i, '"', text.size() - i);
    if (quote == nullptr) return std::string_view::npos;
    const auto end = static_cast<std::size_t>(static_cast<const char*>(quote) - text.data());
    // An odd run of backslashes escapes the quote.
    std::size_t slashes = 0;
    while (slashes < end - at - 1 && text[end - 1 - slashes] == '\\') ++slashes;
    i = end + 1;
    if (slashes % 2 == 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace

std::size_t SkipJsonSpace(std::string_view text, std::size_t at) {
  if (at == 0 && text.substr(0, 3) == "\xef\xbb\xbf") at = 3;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) ++at;
  return at;
}

Result<std::size_t> SkipJsonValue(std::string_view text, std::size_t at) {
  if (at >= text.size()) return SyntaxError("the text ends where a value is due", at);
  const char first = text[at];
  if (first == '"') {
    const std::size_t end = SkipString(text, at);
    if (end == std::string_view::npos) return SyntaxError("this string is not closed", at);
    return end;
  }
  if (first != '{' && first != '[') {
    const std::size_t end = text.find_first_of(",]} \t\r\n", at);
    if (end == at) return SyntaxError("a value is due here", at);
    return end == std::string_view::npos ? text.size() : end;
  }
  std::size_t depth = 0;
  for (std::size_t i = at; i < text.size();) {
    switch (text[i]) {
      case '"': {
        const std::size_t end = SkipString(text, i);
        if (end == std::string_view::npos) return SyntaxError("this string is not closed", i);
        i = end;
        continue;
      }
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (--depth == 0) return i + 1;
        break;
      default:
        break;
    }
    ++i;
  }
  return SyntaxError(std::string("the text ends before this ") + (first == '{' ? "object" : "array") + " is closed",
                     at);
}

Result<std::optional<JsonSlice>> JsonArrayWalker::Next() {
  at_ = SkipJsonSpace(text_, at_);
  if (at_ < text_.size() && text_[at_] == ']' && first_) {
    ++at_;
    return std::optional<JsonSlice>();
  }
  if (!first_) {
    if (at_ < text_.size() && text_[at_] == ']') {
      ++at_;
      return std::optional<JsonSlice>();
    }
    if (at_ >= text_.size() || text_[at_] != ',') return SyntaxError("a comma or ] is due here", at_);
    at_ = SkipJsonSpace(text_, at_ + 1);
  }
  first_ = false;
  TABLECAST_ASSIGN_OR_RETURN(const std::size_t end, SkipJsonValue(text_, at_));
  JsonSlice slice{text_.substr(at_, end - at_), at_};
  at_ = end;
  return std::optional<JsonSlice>(slice);
}

Result<std::vector<JsonMemberSlice>> SliceJsonMembers(std::string_view text, std::size_t at, std::size_t* end) {
  std::vector<JsonMemberSlice> members;
  at = SkipJsonSpace(text, at + 1);
  if (at < text.size() && text[at] == '}') {
    if (end != nullptr) *end = at + 1;
    return members;
  }
  for (;;) {
    if (at >= text.size() || text[at] != '"') return SyntaxError("a member name is due here", at);
    const std::size_t name_end = SkipString(text, at);
    if (name_end == std::string_view::npos) return SyntaxError("this string is not closed", at);
    JsonMemberSlice member;
    member.name = std::string(text.substr(at + 1, name_end - at - 2));
    at = SkipJsonSpace(text, name_end);
    if (at >= text.size() || text[at] != ':') return SyntaxError("a colon is due here", at);
    at = SkipJsonSpace(text, at + 1);
    TABLECAST_ASSIGN_OR_RETURN(const std::size_t value_end, SkipJsonValue(text, at));
    member.value = JsonSlice{text.substr(at, value_end - at), at};
    members.push_back(std::move(member));
    if (members.size() > kMaxMembers) {
      return MakeError(ErrorCode::kResourceExhausted, "json-too-many-members",
                       "an object of a dump has more than 100,000 members");
    }
    at = SkipJsonSpace(text, value_end);
    if (at < text.size() && text[at] == '}') {
      if (end != nullptr) *end = at + 1;
      return members;
    }
    if (at >= text.size() || text[at] != ',') return SyntaxError("a comma or } is due here", at);
    at = SkipJsonSpace(text, at + 1);
  }
}

}  // namespace tablecast
