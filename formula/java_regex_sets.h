#ifndef TABLECAST_FORMULA_JAVA_REGEX_SETS_H_
#define TABLECAST_FORMULA_JAVA_REGEX_SETS_H_

// Characters, and the sets of them that Java's regular expressions name, as RE2 writes them.
// Internal to formula/java_regex.cc.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tablecast::formula::internal {

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The letters in the other case of those from `low` to `high`.
inline void AddOtherCases(std::uint32_t low, std::uint32_t high, std::string& to) {
  for (const char first : {'A', 'a'}) {
    const std::uint32_t from = std::max<std::uint32_t>(low, static_cast<unsigned char>(first));
    const std::uint32_t last =
        std::min<std::uint32_t>(high, static_cast<unsigned char>(first) + 25U);
    if (from > last) continue;
    to += static_cast<char>(from ^ 0x20U);
    to += '-';
    to += static_cast<char>(last ^ 0x20U);
  }
}

// Sets of characters that Java's escapes mean, as the inside of a class.
inline constexpr std::string_view kSpace = "\\t\\n\\x0B\\f\\r ";
inline constexpr std::string_view kNotSpace = "\\x{00}-\\x{08}\\x{0E}-\\x{1F}\\x{21}-\\x{10FFFF}";
inline constexpr std::string_view kHorizontal =
    " \\t\\x{A0}\\x{1680}\\x{180E}\\x{2000}-\\x{200A}\\x{202F}\\x{205F}\\x{3000}";
inline constexpr std::string_view kVertical = "\\n\\x0B\\f\\r\\x{85}\\x{2028}\\x{2029}";
inline constexpr std::string_view kLineEnds = "\\n\\r\\x{85}\\x{2028}\\x{2029}";

// Java's POSIX classes are ASCII only; RE2 writes them in brackets.
struct PosixName {
  std::string_view java, re2;
};
inline constexpr std::array<PosixName, 13> kPosixNames = {{{"Lower", "[:lower:]"},
                                                           {"Upper", "[:upper:]"},
                                                           {"ASCII", "[:ascii:]"},
                                                           {"Alpha", "[:alpha:]"},
                                                           {"Digit", "[:digit:]"},
                                                           {"Alnum", "[:alnum:]"},
                                                           {"Punct", "[:punct:]"},
                                                           {"Graph", "[:graph:]"},
                                                           {"Print", "[:print:]"},
                                                           {"Blank", "[:blank:]"},
                                                           {"Cntrl", "[:cntrl:]"},
                                                           {"XDigit", "[:xdigit:]"},
                                                           {"Space", "[:space:]"}}};
// General categories and the scripts that come up; both dialects take them.
inline constexpr std::array<std::string_view, 36> kCategories = {
    "L",  "Lu", "Ll", "Lt", "Lm", "Lo", "M",  "Mn", "Mc", "Me", "N",  "Nd",
    "Nl", "No", "P",  "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S",  "Sm",
    "Sc", "Sk", "So", "Z",  "Zs", "Zl", "Zp", "C",  "Cc", "Cf", "Co", "Cs"};
inline constexpr std::array<std::string_view, 14> kScripts = {
    "Latin", "Greek",    "Cyrillic", "Armenian", "Hebrew",   "Arabic", "Devanagari",
    "Thai",  "Georgian", "Hangul",   "Hiragana", "Katakana", "Han",    "Common"};

}  // namespace tablecast::formula::internal

#endif  // TABLECAST_FORMULA_JAVA_REGEX_SETS_H_
