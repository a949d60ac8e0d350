#ifndef TABLECAST_BASE_UTF8_H_
#define TABLECAST_BASE_UTF8_H_

// UTF-8 text: validation, counting and slicing by code point (OData) and by UTF-16 unit (formulas,
// spec formula.md section 6). Every function takes valid UTF-8 unless it says otherwise; invalid
// bytes never read out of bounds.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tablecast {

bool IsAscii(std::string_view text);

// True for well-formed UTF-8 (no surrogates, no overlong forms, at most U+10FFFF).
bool IsValidUtf8(std::string_view text);

// Byte offset of the first malformed sequence, or nullopt.
std::optional<std::size_t> FindInvalidUtf8(std::string_view text);

// Reads the code point at `offset` and advances it. Malformed bytes give U+FFFD and advance by one.
// REQUIRES: offset < text.size().
char32_t DecodeUtf8(std::string_view text, std::size_t& offset);

void AppendUtf8(std::string& out, char32_t code_point);

std::size_t CountCodePoints(std::string_view text);
std::size_t CountUtf16Units(std::string_view text);

// Byte offset of the code point numbered `index` (0-based); text.size() when past the end.
std::size_t CodePointOffset(std::string_view text, std::size_t index);

// First string after all that begin with `prefix` in byte order, by raising the last byte that is not
// 0xFF; nullopt when there is none. The result need not be UTF-8: it is a bound, not a value.
std::optional<std::string> PrefixSuccessor(std::string_view prefix);

// Appends `text` to `out` with every control character, quote and backslash written as a visible
// escape, so that a message can show a value safely on a terminal.
void AppendPrintable(std::string& out, std::string_view text);

// Nearest of `candidates` by edit distance (at most a third of the length), or nullopt: for
// "did you mean" suggestions.
template <class Range>
std::optional<std::string> NearestName(std::string_view name, const Range& candidates);

// Damerau-Levenshtein distance, bounded: returns limit + 1 when larger. COST: O(|a| * |b|).
std::size_t EditDistance(std::string_view a, std::string_view b, std::size_t limit);

template <class Range>
std::optional<std::string> NearestName(std::string_view name, const Range& candidates) {
  const std::size_t limit = name.size() < 3 ? 1 : (name.size() + 2) / 3;
  std::size_t best = limit + 1;
  std::optional<std::string> nearest;
  for (const auto& candidate : candidates) {
    const std::size_t distance = EditDistance(name, candidate, limit);
    if (distance < best) {
      best = distance;
      nearest = std::string(candidate);
    }
  }
  return nearest;
}

}  // namespace tablecast

#endif  // TABLECAST_BASE_UTF8_H_
