#include "formula/like_match.h"

#include "base/utf8.h"

namespace tablecast::formula {

bool LikeMatches(std::string_view text, std::string_view pattern) {
  std::size_t t = 0;
  std::size_t p = 0;
  // Where to resume when the literal part behind the last `%` fails: one character further on.
  std::size_t retry_pattern = std::string_view::npos;
  std::size_t retry_text = 0;
  while (t < text.size()) {
    bool matched = false;
    if (p < pattern.size() && pattern[p] == '%') {
      retry_pattern = ++p;
      retry_text = t;
      continue;
    }
    if (p < pattern.size() && pattern[p] == '_') {
      DecodeUtf8(text, t);
      ++p;
      matched = true;
    } else if (p < pattern.size()) {
      const std::size_t literal = pattern[p] == '\\' && p + 1 < pattern.size() ? p + 1 : p;
      if (pattern[literal] == text[t]) {
        p = literal + 1;
        ++t;
        matched = true;
      }
    }
    if (matched) continue;
    if (retry_pattern == std::string_view::npos) return false;
    DecodeUtf8(text, retry_text);
    t = retry_text;
    p = retry_pattern;
  }
  while (p < pattern.size() && pattern[p] == '%') ++p;
  return p == pattern.size();
}

}  // namespace tablecast::formula
