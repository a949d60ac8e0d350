#ifndef TABLECAST_ODATA_SYNTAX_SCANNER_H_
#define TABLECAST_ODATA_SYNTAX_SCANNER_H_

// The cursor that all parsers of OData texts move over one decoded text, with the budgets they
// share. Internal to odata/'s parsers.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "odata/percent_decoding.h"
#include "odata/syntax_tree.h"

namespace tablecast::syntax {

// What is left of SyntaxLimits while one request is parsed.
struct Budget {
  explicit Budget(const SyntaxLimits& the_limits) : limits(the_limits) {}
  SyntaxLimits limits;
  std::size_t nodes = 0;
  std::size_t aliases = 0;
  int depth = 0;         // open brackets, calls, prefix operators
  int expand_depth = 0;  // open option lists of $expand and $select
};

// "filter-syntax" for "$filter".
std::string SyntaxReason(std::string_view option);

class Scanner {
 public:
  // BORROWS: text and budget must outlive the scanner. `option` ("$filter") is the target of errors
  // and gives plain syntax errors their reason ("filter-syntax").
  Scanner(const DecodedText& text, Budget& budget, std::string_view option)
      : decoded_(text),
        text_(text.text),
        budget_(budget),
        target_(option),
        reason_(SyntaxReason(option)) {}

  bool AtEnd() const { return pos_ >= text_.size(); }
  // True when the byte `ahead` of here was written as %XX, or nobody remembers.
  bool WasEncoded(std::size_t ahead) const {
    return decoded_.offsets.empty() ||
           decoded_.offsets[pos_ + ahead + 1] > decoded_.offsets[pos_ + ahead] + 1;
  }
  // '\0' past the end.
  char Peek(std::size_t ahead = 0) const {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }
  std::string_view Rest() const { return text_.substr(pos_); }
  std::size_t pos() const { return pos_; }
  void Seek(std::size_t pos) { pos_ = pos; }
  void Advance(std::size_t bytes) { pos_ += bytes; }
  std::string_view Text(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin);
  }
  bool plus_was_blank() const { return decoded_.plus_was_blank; }

  // Takes `c` or `prefix` when it stands here.
  bool Take(char c);
  bool Take(std::string_view prefix);
  // As Take, letters in any case.
  bool TakeAnyCase(std::string_view prefix);
  // Skips blanks and tabs; true when there was one.
  bool SkipBlanks();
  // Blanks, then `c`, then blanks: list separators. Stays where it was when `c` is not there.
  bool TakeSeparator(char c);

  // Length of the identifier that begins here, 0 when none does. Over-long ones count in full.
  std::size_t IdentifierLength(std::size_t at) const;
  // Takes an identifier, or one with namespace (A.B.C) when `dots`. ERRORS: the syntax reason,
  // naming `what` was expected.
  Result<std::string_view> TakeIdentifier(std::string_view what, bool dots = false);
  // The word of letters that begins here, "" when none does; for keywords.
  std::string_view PeekWord() const;
  // Takes `keyword` (any case) when it is the whole word here.
  bool TakeWord(std::string_view keyword);

  Span SpanFrom(std::size_t begin) const { return {decoded_.Where(begin), decoded_.Where(pos_)}; }

  // An error at the current place, or at `offset`.
  Error Fail(std::string message) const { return FailAt(pos_, reason_, std::move(message)); }
  Error FailAt(std::size_t offset, std::string_view reason, std::string message) const;
  Error Exhausted(std::string_view reason, std::string message) const;
  // "expected X, but found 'y'" at the current place.
  Error Expected(std::string_view what) const;
  // What stands here, for messages: "'y'" or "the end".
  std::string Found() const;
  // An error unless everything was read (trailing blanks aside).
  Status ExpectEnd();

  // Charges nodes of the tree. ERRORS: "expression-nodes".
  Status Charge(std::size_t nodes = 1);
  // Charges one parameter alias with its value. ERRORS: "alias-count".
  Status ChargeAlias();
  Budget& budget() { return budget_; }

  // While a nested option is parsed, errors speak of it: target "$expand/$filter", "filter-syntax".
  class Scope {
   public:
    Scope(Scanner& scanner, std::string_view option);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Scanner& scanner_;
    std::string target_;
    std::string reason_;
  };

  const std::string& target() const { return target_; }

 private:
  const DecodedText& decoded_;
  std::string_view text_;
  Budget& budget_;
  std::string target_;
  std::string reason_;
  std::size_t pos_ = 0;
};

// Counts one level of nesting while it lives. Check `Status()` before going deeper.
class DepthGuard {
 public:
  explicit DepthGuard(Scanner& scanner) : scanner_(scanner) { ++scanner_.budget().depth; }
  ~DepthGuard() { --scanner_.budget().depth; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
  Status Check() const;

 private:
  Scanner& scanner_;
};

bool IsDigit(char c);
bool IsAsciiLetter(char c);
std::string LowerAscii(std::string_view text);
bool EqualsAnyCase(std::string_view a, std::string_view b);
// True when `text` is one OData identifier of at most 128 characters.
bool IsIdentifier(std::string_view text);
// True for identifiers joined by dots, at least two of them.
bool IsQualifiedName(std::string_view text);

inline constexpr std::size_t kMaxIdentifierCharacters = 128;

Status CheckUtf8(const DecodedText& text, Budget& budget, std::string_view option);

// Parses all of `text` by `parse`, blanks around it aside.
template <class Parse>
auto ParseAll(const DecodedText& text, Budget& budget, std::string_view option, Parse parse)
    -> decltype(parse(std::declval<Scanner&>())) {
  Scanner scanner(text, budget, option);
  scanner.SkipBlanks();
  auto tree = parse(scanner);
  if (tree.ok()) TABLECAST_RETURN_IF_ERROR(scanner.ExpectEnd());
  return tree;
}

// The same for text that comes alone. ERRORS: also "invalid-utf8".
template <class Parse>
auto ParseAll(std::string_view text, const SyntaxLimits& limits, std::string_view option,
              Parse parse) -> decltype(parse(std::declval<Scanner&>())) {
  DecodedText decoded;
  decoded.text = std::string(text);
  Budget budget(limits);
  TABLECAST_RETURN_IF_ERROR(CheckUtf8(decoded, budget, option));
  return ParseAll(decoded, budget, option, parse);
}

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_SYNTAX_SCANNER_H_
