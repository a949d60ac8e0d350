#ifndef TABLECAST_QUALIFIERS_REGEX_SHAPE_H_
#define TABLECAST_QUALIFIERS_REGEX_SHAPE_H_

// Recognises regular expressions that are a plain sequence of byte classes and literals, or a list
// of literals, so that match_regex can run them without an automaton. Only a recogniser: what it
// does not know for certain it leaves to RE2.

#include <array>
#include <bitset>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tablecast {

using ByteSet = std::bitset<256>;

// A run of `minimum` to `maximum` bytes of `bytes`, or the literal (then minimum == maximum == 1).
struct RegexElement {
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();
  std::string literal;
  ByteSet bytes;
  std::size_t minimum = 1;
  std::size_t maximum = 1;
  // When `bytes` is one range of ASCII: its ends, for the eight-bytes-at-once loop.
  bool is_range = false;
  unsigned char low = 0, high = 0;

  bool IsVariable() const { return minimum != maximum; }
  std::size_t FixedSize() const { return literal.empty() ? minimum : literal.size(); }
};

struct RegexShape {
  std::vector<std::string> alternatives;  // a list of literals; else empty
  std::vector<RegexElement> elements;     // a sequence; else empty
  enum class Strategy { kLiterals, kGreedy, kTwoEnded } strategy = Strategy::kLiterals;
};

// REQUIRES: `pattern` compiles as RE2 (so that only valid syntax is seen). nullopt: not recognised.
std::optional<RegexShape> RecogniseRegex(std::string_view pattern);

// Whole-text match of a recognised shape. COST: no allocation, linear.
bool MatchesShape(const RegexShape& shape, std::string_view text);

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_REGEX_SHAPE_H_
