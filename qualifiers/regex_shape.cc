// IMPLEMENTATION: a sequence is matched without backtracking in two cases. Greedy: every run of
// variable length is followed by something that cannot begin with one of its bytes, so it must take
// all it can. Two-ended: only one run varies, so its length is what the fixed parts leave over.
// Tested by match_regex_test against RE2 on enumerated texts.

#include "qualifiers/regex_shape.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/utf8.h"

namespace tablecast {
namespace {

constexpr std::size_t kMaxElements = 32;
constexpr std::size_t kMaxAlternatives = 64;

bool IsPunctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

ByteSet Bytes(unsigned char low, unsigned char high) {
  ByteSet set;
  for (unsigned c = low; c <= high; ++c) set.set(c);
  return set;
}
ByteSet Digits() { return Bytes('0', '9'); }
ByteSet WordBytes() {
  ByteSet set = Bytes('0', '9') | Bytes('A', 'Z') | Bytes('a', 'z');
  set.set('_');
  return set;
}
// RE2: \s is [\t\n\f\r ].
ByteSet Blanks() {
  ByteSet set;
  for (const char c : {'\t', '\n', '\f', '\r', ' '}) set.set(static_cast<unsigned char>(c));
  return set;
}

class Recogniser {
 public:
  explicit Recogniser(std::string_view pattern) : text_(pattern) {}

  std::optional<RegexShape> Run() {
    StripAnchors();
    StripGroup();
    RegexShape shape;
    if (ReadAlternatives(shape.alternatives)) {
      shape.strategy = RegexShape::Strategy::kLiterals;
      return shape;
    }
    if (!ReadSequence(shape.elements)) return std::nullopt;
    const auto variable = std::count_if(shape.elements.begin(), shape.elements.end(),
                                        [](const RegexElement& e) { return e.IsVariable(); });
    if (IsGreedyExact(shape.elements)) {
      shape.strategy = RegexShape::Strategy::kGreedy;
    } else if (variable <= 1) {
      shape.strategy = RegexShape::Strategy::kTwoEnded;
    } else {
      return std::nullopt;
    }
    for (RegexElement& element : shape.elements) FindRange(element);
    return shape;
  }

 private:
  void StripAnchors() {
    if (text_.starts_with("^"))
      text_.remove_prefix(1);
    else if (text_.starts_with("\\A"))
      text_.remove_prefix(2);
    if (EndsUnescaped('$'))
      text_.remove_suffix(1);
    else if (text_.ends_with("\\z") && BackslashesBefore(text_.size() - 1) % 2 == 1)
      text_.remove_suffix(2);
  }

  std::size_t BackslashesBefore(std::size_t at) const {
    std::size_t count = 0;
    while (count < at && text_[at - count - 1] == '\\') ++count;
    return count;
  }
  bool EndsUnescaped(char c) const {
    return text_.ends_with(c) && BackslashesBefore(text_.size() - 1) % 2 == 0;
  }

  // One group around everything: ( … ) or (?: … ).
  void StripGroup() {
    if (!text_.starts_with('(') || !EndsUnescaped(')')) return;
    const std::string_view inside = text_.substr(text_.starts_with("(?:") ? 3 : 1);
    if (inside.empty() || inside[0] == '?') return;
    const std::string_view body = inside.substr(0, inside.size() - 1);
    // Any further bracket is left to RE2, an escaped one too.
    if (body.find_first_of("()") == std::string_view::npos) text_ = body;
  }

  // `A|B|C` of literals. Anchors outside a group bind to the outer alternatives only, which a full
  // match makes meaningless: `^A|B$` takes A and B.
  bool ReadAlternatives(std::vector<std::string>& out) const {
    std::vector<std::string> found(1);
    for (std::size_t i = 0; i < text_.size(); ++i) {
      char c = text_[i];
      if (c == '|') {
        found.emplace_back();
        if (found.size() > kMaxAlternatives) return false;
        continue;
      }
      if (c == '\\') {
        if (i + 1 >= text_.size() || !IsPunctuation(text_[i + 1])) return false;
        c = text_[++i];
      } else if (std::string_view(".[](){}*+?^$").find(c) != std::string_view::npos) {
        return false;
      }
      found.back() += c;
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    out = std::move(found);
    return true;
  }

  bool ReadSequence(std::vector<RegexElement>& out) {
    while (at_ < text_.size()) {
      RegexElement element;
      if (!ReadAtom(element) || !ReadQuantifier(element)) return false;
      if (element.maximum == 0) continue;  // x{0}
      if (!out.empty() && !element.literal.empty() && !out.back().literal.empty()) {
        out.back().literal += element.literal;
      } else {
        out.push_back(std::move(element));
      }
      if (out.size() > kMaxElements) return false;
    }
    return !out.empty();
  }

  bool ReadAtom(RegexElement& element) {
    const char c = text_[at_];
    if (c == '[') return ReadClass(element.bytes);
    if (c == '.') {
      ++at_;
      element.bytes = ~ByteSet();
      element.bytes.reset('\n');
      return true;
    }
    if (c == '\\') {
      if (at_ + 1 >= text_.size()) return false;
      const char next = text_[at_ + 1];
      at_ += 2;
      if (ReadEscapedClass(next, element.bytes)) return true;
      if (!IsPunctuation(next)) return false;
      element.literal = next;
      return true;
    }
    if (std::string_view("](){}*+?^$|").find(c) != std::string_view::npos) return false;
    const std::size_t begin = at_;
    DecodeUtf8(text_, at_);
    element.literal = std::string(text_.substr(begin, at_ - begin));
    return true;
  }

  static bool ReadEscapedClass(char c, ByteSet& bytes) {
    if (c == 'd')
      bytes = Digits();
    else if (c == 'w')
      bytes = WordBytes();
    else if (c == 's')
      bytes = Blanks();
    else
      return false;
    return true;
  }

  // ASCII members only; negation adds every byte of longer characters.
  bool ReadClass(ByteSet& bytes) {
    ++at_;
    const bool negated = at_ < text_.size() && text_[at_] == '^';
    if (negated) ++at_;
    bool first = true;
    while (at_ < text_.size() && (text_[at_] != ']' || first)) {
      first = false;
      unsigned char low = 0;
      ByteSet escaped;
      if (!ReadClassMember(low, escaped)) return false;
      if (escaped.any()) {
        bytes |= escaped;
        continue;
      }
      unsigned char high = low;
      if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
        ++at_;
        ByteSet none;
        if (!ReadClassMember(high, none) || none.any() || high < low) return false;
      }
      bytes |= Bytes(low, high);
    }
    if (at_ >= text_.size()) return false;
    ++at_;
    if (negated) bytes = ~bytes;
    return bytes.any();
  }

  bool ReadClassMember(unsigned char& byte, ByteSet& escaped) {
    const char c = text_[at_];
    if (static_cast<unsigned char>(c) >= 0x80U || c == '[' || c == '&') return false;
    if (c == '\\') {
      if (at_ + 1 >= text_.size()) return false;
      const char next = text_[at_ + 1];
      at_ += 2;
      if (ReadEscapedClass(next, escaped)) return true;
      byte = static_cast<unsigned char>(next);
      return IsPunctuation(next);
    }
    ++at_;
    byte = static_cast<unsigned char>(c);
    return true;
  }

  bool ReadQuantifier(RegexElement& element) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (c != '*' && c != '+' && c != '?' && c != '{') return Admit(element, false);
    if (c == '{') {
      if (!ReadRepeat(element)) return false;
    } else {
      ++at_;
      element.minimum = c == '+' ? 1 : 0;
      element.maximum = c == '?' ? 1 : RegexElement::kUnbounded;
    }
    if (at_ < text_.size() && text_[at_] == '?') ++at_;  // lazy: no matter for a whole match
    if (at_ < text_.size() && std::string_view("*+?{").find(text_[at_]) != std::string_view::npos)
      return false;
    if (!element.literal.empty()) {
      if (element.literal.size() != 1) return false;
      element.bytes.set(static_cast<unsigned char>(element.literal[0]));
      element.literal.clear();
    }
    return Admit(element, true);
  }

  // A class of longer characters counts characters, the loop counts bytes: they agree only for runs
  // without an upper end that need at most one.
  static bool Admit(const RegexElement& element, bool quantified) {
    if (!element.literal.empty()) return !quantified;
    bool ascii = true;
    for (std::size_t c = 128; c < 256; ++c) ascii = ascii && !element.bytes.test(c);
    return ascii || (element.maximum == RegexElement::kUnbounded && element.minimum <= 1);
  }

  bool ReadRepeat(RegexElement& element) {
    const std::size_t close = text_.find('}', at_);
    if (close == std::string_view::npos) return false;
    const std::string_view body = text_.substr(at_ + 1, close - at_ - 1);
    const std::size_t comma = body.find(',');
    const auto number = [](std::string_view digits, std::size_t& value) {
      if (digits.empty() || digits.size() > 4) return false;
      value = 0;
      for (const char c : digits) {
        if (c < '0' || c > '9') return false;
        value = value * 10 + static_cast<std::size_t>(c - '0');
      }
      return true;
    };
    if (!number(body.substr(0, comma), element.minimum)) return false;
    element.maximum = element.minimum;
    if (comma != std::string_view::npos) {
      const std::string_view upper = body.substr(comma + 1);
      if (upper.empty())
        element.maximum = RegexElement::kUnbounded;
      else if (!number(upper, element.maximum))
        return false;
    }
    at_ = close + 1;
    return true;
  }

  static ByteSet FirstBytes(const RegexElement& element) {
    if (element.literal.empty()) return element.bytes;
    ByteSet set;
    set.set(static_cast<unsigned char>(element.literal[0]));
    return set;
  }

  static bool IsGreedyExact(const std::vector<RegexElement>& elements) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (!elements[i].IsVariable()) continue;
      ByteSet follow;
      for (std::size_t j = i + 1; j < elements.size(); ++j) {
        follow |= FirstBytes(elements[j]);
        if (!elements[j].literal.empty() || elements[j].minimum > 0) break;
      }
      if ((follow & elements[i].bytes).any()) return false;
    }
    return true;
  }

  static void FindRange(RegexElement& element) {
    if (!element.literal.empty()) return;
    std::size_t low = 0;
    while (low < 256 && !element.bytes.test(low)) ++low;
    std::size_t high = low;
    while (high + 1 < 256 && element.bytes.test(high + 1)) ++high;
    if (high >= 128 || element.bytes.count() != high - low + 1) return;
    element.is_range = true;
    element.low = static_cast<unsigned char>(low);
    element.high = static_cast<unsigned char>(high);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kHighs = 0x8080808080808080ULL;

// All `size` bytes lie in the element's class.
bool AllIn(const RegexElement& element, const char* data, std::size_t size) {
  std::size_t i = 0;
  if (element.is_range) {
    // With every byte below 0x80 the additions cannot carry into a neighbour; a byte above fails by
    // ~x.
    const std::uint64_t at_least = kOnes * (0x80U - element.low);
    const std::uint64_t above = kOnes * (0x7FU - element.high);
    for (; i + 8 <= size; i += 8) {
      std::uint64_t x = 0;
      std::memcpy(&x, data + i, 8);
      if (((x + at_least) & ~(x + above) & ~x & kHighs) != kHighs) return false;
    }
  }
  for (; i < size; ++i) {
    if (!element.bytes.test(static_cast<unsigned char>(data[i]))) return false;
  }
  return true;
}

bool MatchFixed(const RegexElement& element, std::string_view text, std::size_t at) {
  const std::size_t size = element.FixedSize();
  if (text.size() - at < size) return false;
  if (!element.literal.empty())
    return std::memcmp(text.data() + at, element.literal.data(), size) == 0;
  return AllIn(element, text.data() + at, size);
}

bool MatchGreedy(const std::vector<RegexElement>& elements, std::string_view text) {
  std::size_t at = 0;
  for (const RegexElement& element : elements) {
    if (!element.IsVariable()) {
      if (!MatchFixed(element, text, at)) return false;
      at += element.FixedSize();
      continue;
    }
    const bool is_last = &element == &elements.back();
    if (is_last) {  // the rest must be all of the class: one tight loop
      const std::size_t rest = text.size() - at;
      return rest >= element.minimum && rest <= element.maximum &&
             AllIn(element, text.data() + at, rest);
    }
    const std::size_t limit =
        element.maximum < text.size() - at ? at + element.maximum : text.size();
    const std::size_t begin = at;
    while (at < limit && element.bytes.test(static_cast<unsigned char>(text[at]))) ++at;
    if (at - begin < element.minimum) return false;
  }
  return at == text.size();
}

bool MatchTwoEnded(const std::vector<RegexElement>& elements, std::string_view text) {
  std::size_t fixed = 0;
  for (const RegexElement& element : elements)
    fixed += element.IsVariable() ? 0 : element.FixedSize();
  if (text.size() < fixed) return false;
  const std::size_t left_over = text.size() - fixed;
  bool has_variable = false;
  std::size_t at = 0;
  for (const RegexElement& element : elements) {
    if (element.IsVariable()) {
      has_variable = true;
      if (left_over < element.minimum || left_over > element.maximum) return false;
      if (!AllIn(element, text.data() + at, left_over)) return false;
      at += left_over;
    } else {
      if (!MatchFixed(element, text, at)) return false;
      at += element.FixedSize();
    }
  }
  return has_variable || left_over == 0;
}

}  // namespace

std::optional<RegexShape> RecogniseRegex(std::string_view pattern) {
  if (!IsValidUtf8(pattern)) return std::nullopt;
  return Recogniser(pattern).Run();
}

bool MatchesShape(const RegexShape& shape, std::string_view text) {
  switch (shape.strategy) {
    case RegexShape::Strategy::kLiterals:
      for (const std::string& literal : shape.alternatives) {
        if (literal == text) return true;
      }
      return false;
    case RegexShape::Strategy::kGreedy: return MatchGreedy(shape.elements, text);
    case RegexShape::Strategy::kTwoEnded: return MatchTwoEnded(shape.elements, text);
  }
  return false;
}

}  // namespace tablecast
