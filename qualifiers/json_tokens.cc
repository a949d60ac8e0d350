#include "qualifiers/json_tokens.h"

#include <algorithm>

namespace tablecast {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool IsPunctuation(char c) {
  return c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',';
}

std::size_t EndOfString(std::string_view text, std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2U : 1U;
  return std::min(i + 1, text.size());
}

// UTF-8 length of what the escape at `at` decodes to, and its raw length.
struct Escape {
  std::size_t raw;
  std::size_t decoded;
};

unsigned HexValue(std::string_view digits) {
  unsigned value = 0;
  for (const char c : digits) {
    value <<= 4U;
    if (c >= '0' && c <= '9') value |= static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') value |= static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') value |= static_cast<unsigned>(c - 'A' + 10);
  }
  return value;
}

Escape MeasureEscape(std::string_view literal, std::size_t at) {
  if (at + 1 >= literal.size() || literal[at + 1] != 'u') return {2, 1};
  const unsigned unit = HexValue(literal.substr(at + 2, 4));
  if (unit >= 0xD800U && unit < 0xDC00U) return {12, 4};  // a surrogate pair
  if (unit < 0x80U) return {6, 1};
  return {6, unit < 0x800U ? 2U : 3U};
}

}  // namespace

std::vector<JsonToken> TokenizeJson(std::string_view text) {
  std::vector<JsonToken> tokens;
  std::size_t i = 0;
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    tokens.push_back({JsonToken::Kind::kBom, 0, 3, 0});
    i = 3;
  }
  int newlines = 0;
  while (i < text.size()) {
    if (IsBlank(text[i])) {
      newlines += text[i] == '\n' ? 1 : 0;
      ++i;
      continue;
    }
    const std::size_t begin = i;
    JsonToken::Kind kind = JsonToken::Kind::kWord;
    if (IsPunctuation(text[i])) {
      kind = JsonToken::Kind::kPunctuation;
      ++i;
    } else if (text[i] == '"') {
      kind = JsonToken::Kind::kString;
      i = EndOfString(text, i);
    } else if (text.substr(i, 2) == "//") {
      kind = JsonToken::Kind::kLineComment;
      i = std::min(text.find('\n', i), text.size());
      while (i > begin && IsBlank(text[i - 1])) --i;
    } else if (text.substr(i, 2) == "/*") {
      kind = JsonToken::Kind::kBlockComment;
      const std::size_t close = text.find("*/", i + 2);
      i = close == std::string_view::npos ? text.size() : close + 2;
    } else {
      while (i < text.size() && !IsBlank(text[i]) && !IsPunctuation(text[i]) && text[i] != '"' &&
             (text[i] != '/' || i == begin)) {
        ++i;
      }
    }
    tokens.push_back({kind, begin, i, newlines});
    newlines = 0;
  }
  return tokens;
}

std::size_t RawOffsetInString(std::string_view literal, std::size_t decoded) {
  std::size_t raw = 1;
  std::size_t seen = 0;
  while (raw + 1 < literal.size() && seen < decoded) {
    if (literal[raw] == '\\') {
      const Escape escape = MeasureEscape(literal, raw);
      if (seen + escape.decoded > decoded) break;
      raw += escape.raw;
      seen += escape.decoded;
    } else {
      ++raw;
      ++seen;
    }
  }
  return std::min(raw, literal.empty() ? 0 : literal.size() - 1);
}

}  // namespace tablecast
