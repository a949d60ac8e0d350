// IMPLEMENTATION: one pass over the pattern, tracking groups (for the (?s) flag, which decides what
// `.` means, and (?i)) and character classes. What is the same in both dialects is copied. Java's
// (?i) folds ASCII letters only, RE2's all of Unicode: the flag is taken out, and the letters it
// reaches are written in both cases. Tested by
// tests/formula/java_regex_test.cc.

#include "formula/java_regex.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "formula/java_regex_sets.h"

namespace tablecast::formula {
namespace internal {
namespace {

class Translator {
 public:
  explicit Translator(std::string_view pattern) : in_(pattern) {}

  Result<std::string> Run() {
    while (pos_ < in_.size()) {
      if (!Next()) return *std::move(error_);
    }
    if (flags_.size() != 1) return Refuse(in_.size(), "regex-syntax", "a group is not closed");
    return std::move(out_);
  }

 private:
  // ---- errors ----

  Error Refuse(std::size_t at, std::string reason, std::string message, std::string remedy = {}) {
    TextPosition position = PositionAt(in_, at);
    return MakeError(ErrorCode::kInvalidArgument, std::move(reason),
                     "regular expression: " + std::move(message), {}, std::move(remedy), position);
  }
  bool Fail(std::size_t at, std::string reason, std::string message, std::string remedy = {}) {
    error_ = Refuse(at, std::move(reason), std::move(message), std::move(remedy));
    return false;
  }

  char Peek(std::size_t ahead = 0) const {
    return pos_ + ahead < in_.size() ? in_[pos_ + ahead] : '\0';
  }
  bool Follows(std::string_view text) const { return in_.substr(pos_, text.size()) == text; }
  void Copy(std::size_t bytes) {
    out_ += in_.substr(pos_, bytes);
    pos_ += bytes;
  }
  void Replace(std::size_t bytes, std::string_view with) {
    out_ += with;
    pos_ += bytes;
  }
  static std::string Set(std::string_view inside) { return "[" + std::string(inside) + "]"; }
  static std::string NotSet(std::string_view inside) { return "[^" + std::string(inside) + "]"; }

  // ---- outside of classes ----

  bool Next() {
    const bool operand = std::exchange(operand_, true);
    switch (Peek()) {
      case '\\': return Escape();
      case '[': return Class();
      case '(': return Group();
      case ')':
        if (flags_.size() == 1) return Fail(pos_, "regex-syntax", ") without (");
        flags_.pop_back();
        Copy(1);
        return true;
      case '.':  // Java's dot stops at every line terminator, RE2's at \n only
        if (flags_.back().dot_all) {
          Replace(1, "(?s:.)");
        } else {
          Replace(1, NotSet(kLineEnds));
        }
        return true;
      case '*':
      case '+':
      case '?': {
        const std::size_t at = pos_;
        if (!operand) return NothingToRepeat();
        Copy(1);
        return Possessive(at);
      }
      case '{':
        if (!operand && IsDigit(Peek(1))) return NothingToRepeat();
        return Repeat();
      case '|':
        operand_ = false;
        Copy(1);
        return true;
      default:
        if (!Folds(static_cast<unsigned char>(Peek()))) {
          Copy(1);
        } else {
          Replace(1, BothCases(Peek()));
        }
        return true;
    }
  }

  // Does (?i) reach this character here?
  bool Folds(std::uint32_t code) const {
    return flags_.back().fold && code < 0x80 && IsLetter(static_cast<char>(code));
  }
  static std::string BothCases(char letter) {
    return {'[', static_cast<char>(letter | 0x20), static_cast<char>(letter & ~0x20), ']'};
  }

  bool NothingToRepeat() {
    return Fail(pos_, "regex-syntax", "`" + std::string(1, Peek()) + "` has nothing to repeat",
                "put what is repeated before it, or escape it with `\\`");
  }

  bool Possessive(std::size_t at) {
    if (Peek() != '+') return true;
    return Fail(
        at, "regex-possessive",
        "possessive quantifier " + std::string(in_.substr(at, pos_ + 1 - at)) + " is not supported",
        "leave the + away");
  }

  bool Repeat() {
    const std::size_t at = pos_;
    const std::size_t close = in_.find('}', pos_);
    if (!IsDigit(Peek(1)) || close == std::string_view::npos) {
      return Fail(at, "regex-syntax", "{ begins a repeat count", "write \\{ for the character");
    }
    std::uint64_t count = 0;
    std::string written = "{";  // RE2 takes {01} for five characters
    for (std::size_t i = pos_ + 1; i < close; ++i) {
      if (in_[i] == ',') {
        written += std::to_string(count) + ",";
        count = 0;
      } else if (!IsDigit(in_[i])) {
        return Fail(at, "regex-syntax", "a repeat is {n}, {n,} or {n,m}");
      } else {
        count = count * 10 + static_cast<std::uint64_t>(in_[i] - '0');
        if (count > 1000) {
          return Fail(at, "regex-repeat",
                      "repeat count over 1000: " + std::string(in_.substr(at, close + 1 - at)));
        }
      }
    }
    if (in_[close - 1] != ',') written += std::to_string(count);
    Replace(close + 1 - pos_, written + "}");
    return Possessive(at);
  }

  bool Group() {
    const std::size_t at = pos_;
    operand_ = false;
    if (!Follows("(?")) {
      flags_.push_back(flags_.back());
      Copy(1);
      return true;
    }
    if (Follows("(?=") || Follows("(?!") || Follows("(?<=") || Follows("(?<!")) {
      const std::size_t length = Peek(2) == '<' ? 4 : 3;
      return Fail(at, "regex-lookaround",
                  "look-around " + std::string(in_.substr(at, length)) + "...) is not supported");
    }
    if (Follows("(?>"))
      return Fail(at, "regex-atomic-group", "atomic group (?>...) is not supported", "use (?:...)");
    if (Follows("(?<")) return NamedGroup();
    if (Follows("(?:")) {
      flags_.push_back(flags_.back());
      Copy(3);
      return true;
    }
    return Flags();
  }

  bool NamedGroup() {
    const std::size_t at = pos_;
    const std::size_t close = in_.find('>', pos_);
    const std::string_view name = in_.substr(
        pos_ + 3, close == std::string_view::npos ? std::string_view::npos : close - pos_ - 3);
    const bool well_formed =
        close != std::string_view::npos && !name.empty() && IsLetter(name.front()) &&
        std::all_of(name.begin(), name.end(), [](char c) { return IsLetter(c) || IsDigit(c); });
    if (!well_formed) {
      return Fail(at, "regex-syntax", "the name of a group is a letter, then letters and digits");
    }
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
      return Fail(at, "regex-syntax", "two groups have the name " + std::string(name));
    }
    names_.push_back(name);
    flags_.push_back(flags_.back());
    Replace(close + 1 - pos_, "(?P<" + std::string(name) + ">");
    return true;
  }

  // (?ims-ims) for the rest of the group, (?ims-ims:...) for a group of its own.
  bool Flags() {
    const std::size_t at = pos_;
    std::size_t i = pos_ + 2;
    bool on = true;
    GroupFlags flags = flags_.back();
    for (; i < in_.size() && in_[i] != ')' && in_[i] != ':'; ++i) {
      switch (in_[i]) {
        case '-': on = false; break;
        case 's': flags.dot_all = on; break;
        case 'i': flags.fold = on; break;
        case 'm': break;
        default:
          return Fail(
              at, IsLetter(in_[i]) ? "regex-flag" : "regex-syntax",
              "flag (?" + std::string(1, in_[i]) + ") is not supported; (?i), (?m) and (?s) are");
      }
    }
    if (i >= in_.size()) return Fail(at, "regex-syntax", "a group is not closed");
    if (in_[i] == ':') {
      flags_.push_back(flags);
    } else {
      flags_.back() = flags;
    }
    // The s flag is written into every dot, the i flag into every letter; an empty flag group would
    // be an error in RE2.
    std::string kept;
    for (std::size_t k = pos_ + 2; k < i; ++k) {
      if (in_[k] == 'm' || in_[k] == '-') kept += in_[k];
    }
    if (!kept.empty() && kept.back() == '-') kept.pop_back();
    if (in_[i] == ':') {
      out_ += "(?" + kept + ":";
    } else if (!kept.empty()) {
      out_ += "(?" + kept + ")";
    }
    pos_ = i + 1;
    return true;
  }

  bool Escape() {
    const std::size_t at = pos_;
    const char c = Peek(1);
    if (c == '\0' && pos_ + 1 >= in_.size())
      return Fail(at, "regex-syntax", "the pattern ends in a backslash");
    switch (c) {
      case 's': Replace(2, Set(kSpace)); return true;
      case 'S': Replace(2, NotSet(kSpace)); return true;
      case 'h': Replace(2, Set(kHorizontal)); return true;
      case 'H': Replace(2, NotSet(kHorizontal)); return true;
      case 'v': Replace(2, Set(kVertical)); return true;
      case 'V': Replace(2, NotSet(kVertical)); return true;
      case 'R': Replace(2, "(?:\\r\\n|" + Set(kVertical) + ")"); return true;
      case 'd':
      case 'D':
      case 'w':
      case 'W':
      case 'b':
      case 'B':
      case 'A':
      case 'z': Copy(2); return true;
      case 'Z':  // at the very end of a whole match it is \z
        if (pos_ + 2 != in_.size()) {
          return Fail(at, "regex-escape", "\\Z inside a pattern is not supported", "use \\z");
        }
        Replace(2, "\\z");
        return true;
      case 'Q': return Quotation(false);
      case 'k': return Fail(at, "regex-back-reference", "back-reference \\k<...> is not supported");
      default: break;
    }
    if (c >= '1' && c <= '9') {
      return Fail(at, "regex-back-reference",
                  "back-reference \\" + std::string(1, c) + " is not supported");
    }
    if (c == 'p' || c == 'P') return Property(false);
    return Character();
  }

  // ---- escapes that mean one character, inside and outside of classes ----

  bool Character() {
    const std::size_t at = pos_;
    const char c = Peek(1);
    switch (c) {
      case 't': CodePoint(2, '\t'); return true;
      case 'n': CodePoint(2, '\n'); return true;
      case 'r': CodePoint(2, '\r'); return true;
      case 'f': CodePoint(2, '\f'); return true;
      case 'a': CodePoint(2, '\a'); return true;
      case 'e': CodePoint(2, 0x1B); return true;
      case 'x': return Hexadecimal();
      case 'u': return Utf16();
      case '0': return Octal();
      case 'c':
        if (pos_ + 2 >= in_.size() || static_cast<unsigned char>(Peek(2)) > 0x7F) {
          return Fail(at, "regex-syntax", "\\c needs a character behind it");
        }
        CodePoint(3, static_cast<std::uint32_t>(Peek(2)) ^ 64U);
        return true;
      default: break;
    }
    if (IsLetter(c)) {
      return Fail(at, "regex-escape", "escape \\" + std::string(1, c) + " is not supported");
    }
    // An escaped punctuation mark or non-ASCII character is itself.
    if (static_cast<unsigned char>(c) > 0x7F || c == '_') {
      std::size_t end = pos_ + 1;
      code_ = DecodeUtf8(in_, end);
      out_ += in_.substr(pos_ + 1, end - pos_ - 1);
      pos_ = end;
      return true;
    }
    if (static_cast<unsigned char>(c) < 0x21) {
      CodePoint(2, static_cast<std::uint32_t>(c));
      return true;
    }
    code_ = static_cast<std::uint32_t>(c);
    Copy(2);
    return true;
  }

  void CodePoint(std::size_t bytes, std::uint32_t code) {
    code_ = code;
    if (!in_class_ && Folds(code)) {
      Replace(bytes, BothCases(static_cast<char>(code)));
      return;
    }
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string digits;
    do {
      digits.insert(digits.begin(), kHex[code % 16]);
      code /= 16;
    } while (code > 0);
    Replace(bytes, "\\x{" + digits + "}");
  }

  bool Hexadecimal() {
    const std::size_t at = pos_;
    if (Peek(2) == '{') {
      const std::size_t close = in_.find('}', pos_);
      std::uint32_t code = 0;
      if (close == std::string_view::npos || close == pos_ + 3)
        return Fail(at, "regex-syntax", "\\x{...} is malformed");
      for (std::size_t i = pos_ + 3; i < close; ++i) {
        if (HexDigit(in_[i]) < 0 || code > 0x10FFFF)
          return Fail(at, "regex-syntax", "\\x{...} is malformed");
        code = code * 16 + static_cast<std::uint32_t>(HexDigit(in_[i]));
      }
      if (code > 0x10FFFF) return Fail(at, "regex-syntax", "\\x{...} is beyond 10FFFF");
      CodePoint(close + 1 - pos_, code);
      return true;
    }
    if (HexDigit(Peek(2)) < 0 || HexDigit(Peek(3)) < 0)
      return Fail(at, "regex-syntax", "\\x needs two hexadecimal digits");
    CodePoint(4, static_cast<std::uint32_t>(HexDigit(Peek(2)) * 16 + HexDigit(Peek(3))));
    return true;
  }

  bool FourHex(std::size_t ahead, std::uint32_t& code) const {
    code = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const int digit = HexDigit(Peek(ahead + i));
      if (digit < 0) return false;
      code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    return true;
  }

  bool Utf16() {
    const std::size_t at = pos_;
    std::uint32_t code = 0;
    if (!FourHex(2, code)) return Fail(at, "regex-syntax", "\\u needs four hexadecimal digits");
    std::size_t bytes = 6;
    if (code >= 0xD800 && code <= 0xDBFF) {
      std::uint32_t low = 0;
      if (Peek(6) == '\\' && Peek(7) == 'u' && FourHex(8, low) && low >= 0xDC00 && low <= 0xDFFF) {
        code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
        bytes = 12;
      }
    }
    if (code >= 0xD800 && code <= 0xDFFF)
      return Fail(at, "regex-escape", "a lone surrogate never occurs in a text");
    CodePoint(bytes, code);
    return true;
  }

  // \0n, \0nn, \0mnn: octal.
  bool Octal() {
    std::uint32_t code = 0;
    std::size_t digits = 0;
    while (digits < 3 && Peek(2 + digits) >= '0' && Peek(2 + digits) <= '7') {
      const std::uint32_t next = code * 8 + static_cast<std::uint32_t>(Peek(2 + digits) - '0');
      if (next > 0xFF) break;
      code = next;
      ++digits;
    }
    if (digits == 0) return Fail(pos_, "regex-syntax", "\\0 needs octal digits");
    CodePoint(2 + digits, code);
    return true;
  }

  // \Q...\E, character by character.
  bool Quotation(bool in_class) {
    const std::size_t end = in_.find("\\E", pos_ + 2);
    const std::size_t stop = end == std::string_view::npos ? in_.size() : end;
    if (in_class) return Fail(pos_, "regex-escape", "\\Q...\\E inside a class is not supported");
    for (pos_ += 2; pos_ < stop; ++pos_) {
      const char c = in_[pos_];
      if (static_cast<unsigned char>(c) < 0x80 && !IsDigit(c) && !IsLetter(c) && c != '_' &&
          static_cast<unsigned char>(c) >= 0x21)
        out_ += '\\';
      if (Folds(static_cast<unsigned char>(c))) {
        out_ += BothCases(c);
      } else {
        out_ += c;
      }
    }
    if (end != std::string_view::npos) pos_ = end + 2;
    return true;
  }

  // \p{...}, \P{...}, \pL.
  bool Property(bool in_class) {
    const std::size_t at = pos_;
    const bool negated = Peek(1) == 'P';
    std::string_view name = in_.substr(std::min(pos_ + 2, in_.size()), 1);
    std::size_t bytes = 3;
    if (Peek(2) == '{') {
      const std::size_t close = in_.find('}', pos_);
      if (close == std::string_view::npos)
        return Fail(at, "regex-syntax", "\\p{...} is not closed");
      name = in_.substr(pos_ + 3, close - pos_ - 3);
      bytes = close + 1 - pos_;
    }
    for (const PosixName& posix : kPosixNames) {
      if (posix.java != name) continue;
      if (posix.java == "Space" && !negated) {  // with VT, which RE2's [:space:] has as well
        Replace(bytes, in_class ? std::string(kSpace) : Set(kSpace));
        return true;
      }
      std::string inside(posix.re2);
      if (flags_.back().fold && (posix.java == "Lower" || posix.java == "Upper"))
        inside = "[:alpha:]";
      if (negated) inside.insert(2, "^");
      Replace(bytes, in_class ? inside : Set(inside));
      return true;
    }
    std::string_view plain = name;
    if (plain.starts_with("Is")) plain.remove_prefix(2);
    if (flags_.back().fold && (plain == "Lu" || plain == "Ll" || plain == "Lt")) {
      static constexpr std::string_view kCased = "\\p{Lu}\\p{Ll}\\p{Lt}";
      if (in_class && negated) {
        return Fail(
            at, "regex-posix-class",
            std::string(in_.substr(at, bytes)) + " inside a class under (?i) is not supported");
      }
      Replace(bytes, in_class ? std::string(kCased) : (negated ? NotSet(kCased) : Set(kCased)));
      return true;
    }
    for (const auto& known : kCategories) {
      if (known != plain) continue;
      Replace(bytes, std::string(negated ? "\\P{" : "\\p{") + std::string(plain) + "}");
      return true;
    }
    for (const auto& script : kScripts) {
      if (script != plain || !name.starts_with("Is")) continue;
      Replace(bytes, std::string(negated ? "\\P{" : "\\p{") + std::string(plain) + "}");
      return true;
    }
    return Fail(at, "regex-posix-class",
                "character property " + std::string(in_.substr(at, bytes)) + " is not supported");
  }

  // ---- classes ----

  bool Class() {
    in_class_ = true;
    const bool read = ClassItems();
    in_class_ = false;
    return read;
  }

  bool ClassItems() {
    const std::size_t open = pos_;
    Copy(1);
    if (Peek() == '^') Copy(1);
    bool first = true;
    std::string other_cases;                // what (?i) adds to the class
    std::optional<std::uint32_t> previous;  // a character that may begin a range
    bool in_range = false;                  // `previous` and a hyphen do
    for (;; first = false) {
      if (pos_ >= in_.size()) return Fail(open, "regex-syntax", "a character class is not closed");
      const char c = Peek();
      if (c == ']' && !first) {
        out_ += other_cases;
        Copy(1);
        return true;
      }
      code_.reset();
      if (c == '[') {
        return Fail(pos_, Peek(1) == ':' ? "regex-posix-class" : "regex-nested-class",
                    Peek(1) == ':' ? "POSIX class [:...:] means something else in Java"
                                   : "a class inside a class is not supported",
                    Peek(1) == ':' ? "use \\p{Alpha} and its kin"
                                   : "write the characters into one class, \\[ for the bracket");
      }
      if (Follows("&&"))
        return Fail(pos_, "regex-class-intersection", "class intersection && is not supported");
      if (c == '\\') {
        if (!ClassEscape()) return false;
      } else if (c == ']') {  // first: a literal in both dialects
        Replace(1, "\\]");
        code_ = ']';
      } else if (c == '-' && previous && !in_range && Peek(1) != ']') {
        Copy(1);
        in_range = true;
        continue;
      } else if (c == '-' && Peek(1) == ']') {  // last: no range, whatever is added behind it
        Replace(1, "\\-");
        code_ = '-';
      } else {
        std::size_t end = pos_;
        code_ = DecodeUtf8(in_, end);
        Copy(end - pos_);
      }
      if (code_ && flags_.back().fold)
        AddOtherCases(in_range ? *previous : *code_, *code_, other_cases);
      previous = in_range ? std::nullopt : code_;
      in_range = false;
    }
  }

  bool ClassEscape() {
    const std::size_t at = pos_;
    if (pos_ + 1 >= in_.size()) return Fail(at, "regex-syntax", "the pattern ends in a backslash");
    switch (Peek(1)) {
      case 's': Replace(2, kSpace); return true;
      case 'S': Replace(2, kNotSpace); return true;
      case 'h': Replace(2, kHorizontal); return true;
      case 'v': Replace(2, kVertical); return true;
      case 'd':
      case 'D':
      case 'w':
      case 'W': Copy(2); return true;
      case 'Q': return Quotation(true);
      case 'p':
      case 'P': return Property(true);
      case 'H':
      case 'V':
      case 'b':
      case 'B':
      case 'A':
      case 'z':
      case 'Z':
      case 'R':
        return Fail(at, "regex-escape",
                    "\\" + std::string(1, Peek(1)) + " inside a class is not supported");
      default: return Character();
    }
  }

  std::string_view in_;
  std::size_t pos_ = 0;
  std::string out_;
  std::optional<Error> error_;
  struct GroupFlags {
    bool dot_all = false;
    bool fold = false;
  };
  std::vector<GroupFlags> flags_ = {{}};  // by open group
  std::vector<std::string_view> names_;   // of groups
  bool operand_ = false;                  // what comes next may be repeated: something is before it
  bool in_class_ = false;
  std::optional<std::uint32_t> code_;  // the last item, if it was one character
};

}  // namespace
}  // namespace internal

Result<std::string> TranslateJavaRegex(std::string_view pattern) {
  if (pattern.size() > kMaxRegexBytes) {
    return MakeError(ErrorCode::kResourceExhausted, "regex-too-long",
                     "regular expression has " + std::to_string(pattern.size()) +
                         " bytes, the limit is " + std::to_string(kMaxRegexBytes));
  }
  return internal::Translator(pattern).Run();
}

}  // namespace tablecast::formula
