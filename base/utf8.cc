#include "base/utf8.h"

// IMPLEMENTATION. Runs of ASCII are taken 8 bytes at a time; everything else goes through
// SequenceLength, which knows the well-formed byte ranges. Tested by tests/base/utf8_test.cc.
// SOURCE: The Unicode Standard 15, table 3-7 (well-formed UTF-8 byte sequences).

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tablecast {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080U;
constexpr char32_t kReplacement = 0xFFFD;

unsigned ByteAt(std::string_view text, std::size_t offset) {
  return static_cast<unsigned char>(text[offset]);
}

std::uint64_t LoadWord(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

bool IsContinuation(unsigned byte) { return (byte & 0xC0U) == 0x80U; }

// First offset at or after `offset` that holds a byte over 0x7F, or text.size().
std::size_t SkipAscii(std::string_view text, std::size_t offset) {
  while (offset + 8 <= text.size()) {
    if ((LoadWord(text.data() + offset) & kHighBits) != 0) break;
    offset += 8;
  }
  while (offset < text.size() && ByteAt(text, offset) < 0x80U) ++offset;
  return offset;
}

// Bytes of the well-formed sequence at `offset`, or 0.
std::size_t SequenceLength(std::string_view text, std::size_t offset) {
  const unsigned lead = ByteAt(text, offset);
  if (lead < 0x80U) return 1;
  const std::size_t left = text.size() - offset;
  if (lead < 0xC2U || lead > 0xF4U || left < 2) return 0;
  const unsigned second = ByteAt(text, offset + 1);
  if (!IsContinuation(second)) return 0;
  if (lead < 0xE0U) return 2;
  if (left < 3 || !IsContinuation(ByteAt(text, offset + 2))) return 0;
  if (lead < 0xF0U) {
    if (lead == 0xE0U && second < 0xA0U) return 0;  // overlong
    if (lead == 0xEDU && second > 0x9FU) return 0;  // surrogate
    return 3;
  }
  if (left < 4 || !IsContinuation(ByteAt(text, offset + 3))) return 0;
  if (lead == 0xF0U && second < 0x90U) return 0;  // overlong
  if (lead == 0xF4U && second > 0x8FU) return 0;  // beyond U+10FFFF
  return 4;
}

// Number of bytes in `text` that do not continue a sequence, plus `per_long` for each four-byte
// lead.
std::size_t CountLeads(std::string_view text, std::size_t per_long) {
  std::size_t count = 0;
  std::size_t offset = 0;
  while (offset + 8 <= text.size()) {
    const std::uint64_t word = LoadWord(text.data() + offset);
    if ((word & kHighBits) == 0) {
      count += 8;
    } else {
      // A continuation byte is 10xxxxxx: bit 7 set and bit 6 clear.
      const std::uint64_t continuation = word & ~(word << 1U) & kHighBits;
      count += 8 - static_cast<std::size_t>(std::popcount(continuation));
      // A four-byte lead is 1111xxxx.
      const std::uint64_t lead = word & (word << 1U) & (word << 2U) & (word << 3U) & kHighBits;
      count += per_long * static_cast<std::size_t>(std::popcount(lead));
    }
    offset += 8;
  }
  for (; offset < text.size(); ++offset) {
    const unsigned byte = ByteAt(text, offset);
    if (!IsContinuation(byte)) ++count;
    if (byte >= 0xF0U) count += per_long;
  }
  return count;
}

void AppendHex(std::string& out, char32_t value, int digits) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out += kDigits[(value >> static_cast<unsigned>(shift)) & 0xFU];
  }
}

// Characters that move the cursor, change the direction of text or show as nothing.
bool IsUnsafeOnTerminal(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
}

}  // namespace

bool IsAscii(std::string_view text) { return SkipAscii(text, 0) == text.size(); }

bool IsValidUtf8(std::string_view text) { return !FindInvalidUtf8(text).has_value(); }

std::optional<std::size_t> FindInvalidUtf8(std::string_view text) {
  std::size_t offset = SkipAscii(text, 0);
  while (offset < text.size()) {
    const std::size_t length = SequenceLength(text, offset);
    if (length == 0) return offset;
    offset += length;
    if (offset < text.size() && ByteAt(text, offset) < 0x80U) offset = SkipAscii(text, offset);
  }
  return std::nullopt;
}

char32_t DecodeUtf8(std::string_view text, std::size_t& offset) {
  const unsigned lead = ByteAt(text, offset);
  const std::size_t length = SequenceLength(text, offset);
  if (length <= 1) {
    ++offset;
    return length == 1 ? static_cast<char32_t>(lead) : kReplacement;
  }
  // The lead byte of a sequence of n bytes carries 7 - n bits.
  char32_t code_point = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    code_point = (code_point << 6U) | (ByteAt(text, offset + i) & 0x3FU);
  }
  offset += length;
  return code_point;
}

void AppendUtf8(std::string& out, char32_t code_point) {
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) {
    code_point = kReplacement;
  }
  const auto append = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (code_point < 0x80) {
    append(code_point);
  } else if (code_point < 0x800) {
    append(0xC0U | (code_point >> 6U));
    append(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000) {
    append(0xE0U | (code_point >> 12U));
    append(0x80U | ((code_point >> 6U) & 0x3FU));
    append(0x80U | (code_point & 0x3FU));
  } else {
    append(0xF0U | (code_point >> 18U));
    append(0x80U | ((code_point >> 12U) & 0x3FU));
    append(0x80U | ((code_point >> 6U) & 0x3FU));
    append(0x80U | (code_point & 0x3FU));
  }
}

std::size_t CountCodePoints(std::string_view text) { return CountLeads(text, 0); }

// Four bytes of UTF-8 are a surrogate pair in UTF-16; every shorter sequence is one unit.
std::size_t CountUtf16Units(std::string_view text) { return CountLeads(text, 1); }

std::size_t CodePointOffset(std::string_view text, std::size_t index) {
  std::size_t offset = 0;
  while (index >= 8 && offset + 8 <= text.size() &&
         (LoadWord(text.data() + offset) & kHighBits) == 0) {
    offset += 8;
    index -= 8;
  }
  for (; offset < text.size(); ++offset) {
    if (IsContinuation(ByteAt(text, offset))) continue;
    if (index == 0) return offset;
    --index;
  }
  return text.size();
}

std::optional<std::string> PrefixSuccessor(std::string_view prefix) {
  while (!prefix.empty() && ByteAt(prefix, prefix.size() - 1) == 0xFFU) prefix.remove_suffix(1);
  if (prefix.empty()) return std::nullopt;
  std::string successor(prefix);
  successor.back() = static_cast<char>(ByteAt(prefix, prefix.size() - 1) + 1U);
  return successor;
}

void AppendPrintable(std::string& out, std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    const std::size_t begin = offset;
    if (SequenceLength(text, offset) == 0) {
      out += "\\x";
      AppendHex(out, ByteAt(text, offset), 2);
      ++offset;
      continue;
    }
    const char32_t c = DecodeUtf8(text, offset);
    switch (c) {
      case '"': out += "\\\""; continue;
      case '\\': out += "\\\\"; continue;
      case '\n': out += "\\n"; continue;
      case '\r': out += "\\r"; continue;
      case '\t': out += "\\t"; continue;
      default: break;
    }
    if (!IsUnsafeOnTerminal(c)) {
      out += text.substr(begin, offset - begin);
    } else if (c <= 0xFFFF) {
      out += "\\u";
      AppendHex(out, c, 4);
    } else {
      out += "\\U";
      AppendHex(out, c, 8);
    }
  }
}

std::size_t EditDistance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t length_gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (length_gap > limit) return limit + 1;
  // Three rows of the optimal string alignment table: i - 2, i - 1 and i.
  std::vector<std::size_t> before_previous(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  std::size_t previous_least = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      std::size_t best = std::min({previous[j] + 1, current[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        best = std::min(best, before_previous[j - 2] + 1);
      }
      current[j] = best;
      least = std::min(least, best);
    }
    // A transposition reaches back two rows, so both must be over the limit.
    if (least > limit && previous_least > limit) return limit + 1;
    previous_least = least;
    std::swap(before_previous, previous);
    std::swap(previous, current);
  }
  return std::min(previous[b.size()], limit + 1);
}

}  // namespace tablecast
