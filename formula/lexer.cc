#include "formula/lexer.h"

#include <cctype>

#include "base/utf8.h"

namespace tablecast::formula {
namespace {

char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return LowerAscii(c) >= 'a' && LowerAscii(c) <= 'z'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\r' || c == '\n'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  LexedFormula Run() {
    while (!out_.issue && SkipBlanks() && pos_ < text_.size()) Next();
    if (!out_.issue) Add(TokenKind::kEnd, text_.size(), "");
    return std::move(out_);
  }

 private:
  char Peek(std::size_t ahead = 0) const {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }

  void Add(TokenKind kind, std::size_t begin, std::string text) {
    out_.tokens.push_back({kind, std::move(text), static_cast<std::uint32_t>(begin),
                           static_cast<std::uint32_t>(pos_)});
  }

  bool Fail(std::size_t begin, std::size_t end, std::string message, std::string remedy = {}) {
    Issue issue;
    issue.code = "formula-syntax";
    issue.message = std::move(message);
    issue.remedy = std::move(remedy);
    issue.span = SpanOf(text_, begin, end);
    out_.issue = std::move(issue);
    return false;
  }

  // Blank space and comments; false after an unterminated comment.
  bool SkipBlanks() {
    for (;;) {
      if (IsBlank(Peek()) && pos_ < text_.size()) {
        ++pos_;
      } else if (Peek() == '/' && Peek(1) == '*') {
        const std::size_t close = text_.find("*/", pos_ + 2);
        if (close == std::string_view::npos) {
          return Fail(pos_, pos_ + 2, "comment is not closed", "end it with */");
        }
        pos_ = close + 2;
      } else {
        return true;
      }
    }
  }

  void Next() {
    const std::size_t begin = pos_;
    const char c = Peek();
    if (c == '"' || c == '\'') {
      Text(c);
    } else if (IsDigit(c)) {
      Number();
    } else if (IsNameStart(c)) {
      while (IsNamePart(Peek())) ++pos_;
      Add(TokenKind::kName, begin, std::string(text_.substr(begin, pos_ - begin)));
    } else if (c == '(') {
      Single(TokenKind::kOpen);
    } else if (c == ')') {
      Single(TokenKind::kClose);
    } else if (c == ',') {
      Single(TokenKind::kComma);
    } else if (c == '}') {
      Single(TokenKind::kMergeClose);
    } else if (c == '{' && Peek(1) == '!') {
      pos_ += 2;
      Add(TokenKind::kMergeOpen, begin, "{!");
    } else if (!Operator()) {
      Unexpected();
    }
  }

  void Single(TokenKind kind) {
    const std::size_t begin = pos_++;
    Add(kind, begin, std::string(1, text_[begin]));
  }

  bool Operator() {
    struct Spelling {
      std::string_view written, canonical;
    };
    // Longer spellings first.
    static constexpr Spelling kSpellings[] = {
        {"||", "||"}, {"&&", "&&"}, {"==", "="}, {"<>", "<>"}, {"!=", "<>"}, {"<=", "<="},
        {">=", ">="}, {"=", "="},   {"<", "<"},  {">", ">"},   {"+", "+"},   {"-", "-"},
        {"&", "&"},   {"^", "^"},   {"*", "*"},  {"/", "/"},   {"!", "!"}};
    for (const Spelling& spelling : kSpellings) {
      if (text_.substr(pos_, spelling.written.size()) != spelling.written) continue;
      const std::size_t begin = pos_;
      pos_ += spelling.written.size();
      Add(TokenKind::kOperator, begin, std::string(spelling.canonical));
      return true;
    }
    return false;
  }

  void Number() {
    const std::size_t begin = pos_;
    while (IsDigit(Peek())) ++pos_;
    if (Peek() == '.') {
      if (!IsDigit(Peek(1))) {
        Fail(begin, pos_ + 1, "number ends in a point", "write digits behind the point, or none");
        return;
      }
      ++pos_;
      while (IsDigit(Peek())) ++pos_;
      if (Peek() == '.') {
        Fail(begin, pos_ + 1, "number has two points");
        return;
      }
    }
    if (LowerAscii(Peek()) == 'e' && (IsDigit(Peek(1)) || Peek(1) == '+' || Peek(1) == '-')) {
      Fail(begin, pos_ + 2, "numbers have no exponent here", "write the digits out");
      return;
    }
    Add(TokenKind::kNumber, begin, std::string(text_.substr(begin, pos_ - begin)));
  }

  void Text(char quote) {
    const std::size_t begin = pos_++;
    std::string decoded;
    for (;;) {
      if (pos_ >= text_.size()) {
        Fail(begin, text_.size(), "text is not closed", std::string("end it with ") + quote);
        return;
      }
      const char c = text_[pos_];
      if (c == quote) break;
      if (c == '\n' || c == '\r') {
        Fail(pos_, pos_ + 1, "a text literal cannot hold a line break", "use CHR(10)");
        return;
      }
      if (c != '\\') {
        decoded += c;
        ++pos_;
        continue;
      }
      const char escaped = Peek(1);
      switch (LowerAscii(escaped)) {
        case '"':
        case '\\': decoded += escaped; break;
        case '\'':
        case 'n':
        case 'r':
        case 't':  // two characters stay two characters
          decoded += c;
          decoded += escaped;
          break;
        default:
          Fail(pos_, std::min(pos_ + 2, text_.size()), "unknown escape in a text literal",
               "write \\\\ for a backslash; the escapes are \\\\ \\\" \\' \\n \\r \\t");
          return;
      }
      pos_ += 2;
    }
    ++pos_;
    Add(TokenKind::kText, begin, std::move(decoded));
  }

  void Unexpected() {
    const std::size_t begin = pos_;
    std::size_t end = pos_;
    DecodeUtf8(text_, end);
    std::string shown;
    AppendPrintable(shown, text_.substr(begin, end - begin));
    std::string remedy;
    if (text_[begin] == '.' && IsDigit(Peek(1))) remedy = "write 0 before the point";
    if (text_[begin] == '_') remedy = "a name begins with a letter or $";
    if (text_[begin] == '[' || text_[begin] == ']') remedy = "there are no subscripts here";
    if (text_.substr(begin, 3) == "\u201C" || text_.substr(begin, 3) == "\u201D") {
      remedy = "use plain quotes: \"";
    }
    Fail(begin, end, "unexpected character '" + shown + "'", remedy);
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  LexedFormula out_;
};

}  // namespace

bool IsNameStart(char c) { return IsLetter(c) || c == '$'; }

bool IsNamePart(char c) {
  return IsNameStart(c) || IsDigit(c) || c == '_' || c == ':' || c == '.' || c == '#';
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (LowerAscii(a[i]) != LowerAscii(b[i])) return false;
  }
  return true;
}

TextSpan SpanOf(std::string_view text, std::size_t begin, std::size_t end) {
  return {PositionAt(text, begin), PositionAt(text, end)};
}

LexedFormula Lex(std::string_view text) { return Lexer(text).Run(); }

}  // namespace tablecast::formula
