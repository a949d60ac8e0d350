#include "odata/syntax_scanner.h"

#include <utility>

#include "base/utf8.h"
#include "odata/identifier_characters.h"

namespace tablecast::syntax {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = Lower(c);
  return lower;
}

bool EqualsAnyCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (Lower(a[i]) != Lower(b[i])) return false;
  }
  return true;
}

namespace {

std::size_t IdentifierLengthIn(std::string_view text, std::size_t at) {
  std::size_t pos = at;
  while (pos < text.size()) {
    const char c = text[pos];
    if (IsAsciiLetter(c) || c == '_' || (pos > at && IsDigit(c))) {
      ++pos;
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x80) break;
    std::size_t next = pos;
    const char32_t code_point = DecodeUtf8(text, next);
    if (pos == at ? !IsIdentifierStart(code_point) : !IsIdentifierPart(code_point)) break;
    pos = next;
  }
  return pos - at;
}

}  // namespace

bool IsIdentifier(std::string_view text) {
  return !text.empty() && IdentifierLengthIn(text, 0) == text.size() &&
         CountCodePoints(text) <= kMaxIdentifierCharacters;
}

bool IsQualifiedName(std::string_view text) {
  std::size_t parts = 0;
  while (true) {
    const std::size_t dot = text.find('.');
    if (!IsIdentifier(text.substr(0, dot))) return false;
    ++parts;
    if (dot == std::string_view::npos) return parts > 1;
    text.remove_prefix(dot + 1);
  }
}

std::string SyntaxReason(std::string_view option) {
  if (!option.empty() && option.front() == '$') option.remove_prefix(1);
  return std::string(option) + "-syntax";
}

bool Scanner::Take(char c) {
  if (Peek() != c || AtEnd()) return false;
  ++pos_;
  return true;
}

bool Scanner::Take(std::string_view prefix) {
  if (!Rest().starts_with(prefix)) return false;
  pos_ += prefix.size();
  return true;
}

bool Scanner::TakeAnyCase(std::string_view prefix) {
  if (!EqualsAnyCase(Rest().substr(0, prefix.size()), prefix)) return false;
  pos_ += prefix.size();
  return true;
}

bool Scanner::SkipBlanks() {
  const std::size_t begin = pos_;
  while (Peek() == ' ' || Peek() == '\t') ++pos_;
  return pos_ > begin;
}

bool Scanner::TakeSeparator(char c) {
  const std::size_t begin = pos_;
  SkipBlanks();
  if (!Take(c)) {
    pos_ = begin;
    return false;
  }
  SkipBlanks();
  return true;
}

std::size_t Scanner::IdentifierLength(std::size_t at) const {
  return IdentifierLengthIn(text_, at);
}

Result<std::string_view> Scanner::TakeIdentifier(std::string_view what, bool dots) {
  const std::size_t begin = pos_;
  while (true) {
    const std::size_t length = IdentifierLength(pos_);
    if (length == 0) return Expected(what);
    if (length > kMaxIdentifierCharacters &&
        CountCodePoints(text_.substr(pos_, length)) > kMaxIdentifierCharacters) {
      return Fail("a name has at most 128 characters");
    }
    pos_ += length;
    if (!dots || Peek() != '.' || IdentifierLength(pos_ + 1) == 0) break;
    ++pos_;
  }
  return Text(begin, pos_);
}

std::string_view Scanner::PeekWord() const {
  return text_.substr(pos_, IdentifierLengthIn(text_, pos_));
}

bool Scanner::TakeWord(std::string_view keyword) {
  if (!EqualsAnyCase(PeekWord(), keyword)) return false;
  pos_ += keyword.size();
  return true;
}

Error Scanner::FailAt(std::size_t offset, std::string_view reason, std::string message) const {
  TextPosition position;
  position.offset = decoded_.Where(offset);
  return MakeError(ErrorCode::kInvalidArgument, std::string(reason), std::move(message), target_,
                   {}, position);
}

Error Scanner::Exhausted(std::string_view reason, std::string message) const {
  Error error = FailAt(pos_, reason, std::move(message));
  error.code = ErrorCode::kResourceExhausted;
  return error;
}

std::string Scanner::Found() const {
  if (AtEnd()) return "the end";
  std::size_t end = pos_;
  DecodeUtf8(text_, end);
  // Whole words read better than their first letter.
  const std::size_t word = IdentifierLength(pos_);
  if (word > 0 && word <= 40) end = pos_ + word;
  std::string shown = "'";
  AppendPrintable(shown, Text(pos_, end));
  shown += '\'';
  return shown;
}

Error Scanner::Expected(std::string_view what) const {
  return Fail("expected " + std::string(what) + ", but found " + Found());
}

Status Scanner::ExpectEnd() {
  SkipBlanks();
  if (!AtEnd()) return Expected("the end");
  return {};
}

Status Scanner::Charge(std::size_t nodes) {
  budget_.nodes += nodes;
  if (budget_.nodes > budget_.limits.max_nodes) {
    return Exhausted("expression-nodes", "the query has more than " +
                                             std::to_string(budget_.limits.max_nodes) +
                                             " nodes (limit max_nodes)");
  }
  return {};
}

Status Scanner::ChargeAlias() {
  if (++budget_.aliases <= budget_.limits.max_aliases) return {};
  return Exhausted("alias-count", "the query has more than " +
                                      std::to_string(budget_.limits.max_aliases) +
                                      " parameter aliases (limit max_aliases)");
}

Scanner::Scope::Scope(Scanner& scanner, std::string_view option)
    : scanner_(scanner), target_(scanner.target_), reason_(scanner.reason_) {
  scanner_.target_ += '/';
  scanner_.target_ += option;
  scanner_.reason_ = SyntaxReason(option);
}

Scanner::Scope::~Scope() {
  scanner_.target_ = std::move(target_);
  scanner_.reason_ = std::move(reason_);
}

Status CheckUtf8(const DecodedText& text, Budget& budget, std::string_view option) {
  const auto bad = FindInvalidUtf8(text.text);
  if (!bad) return {};
  return Scanner(text, budget, option).FailAt(*bad, "invalid-utf8", "the text is not valid UTF-8");
}

Status DepthGuard::Check() const {
  const Budget& budget = scanner_.budget();
  if (budget.depth <= budget.limits.max_expression_depth) return {};
  return scanner_.Exhausted("expression-depth",
                            "nested deeper than " +
                                std::to_string(budget.limits.max_expression_depth) +
                                " levels (limit max_expression_depth)");
}

}  // namespace tablecast::syntax
