#ifndef TABLECAST_FORMULA_LEXER_H_
#define TABLECAST_FORMULA_LEXER_H_

// Formula text -> tokens. SOURCE: spec formula.md section 1.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tablecast::formula {

enum class TokenKind : std::uint8_t {
  kNumber,
  kText,
  kName,
  kOperator,
  kOpen,
  kClose,
  kComma,
  kMergeOpen /* {! */,
  kMergeClose /* } */,
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  // Canonical operator spelling, decoded text, or the characters as written.
  std::string text;
  std::uint32_t begin = 0;  // byte offsets
  std::uint32_t end = 0;
};

struct LexedFormula {
  std::vector<Token> tokens;   // ends with kEnd
  std::optional<Issue> issue;  // the first fault; tokens stop before it
};

// LIMITS: none of its own; the parser bounds the source. COST: linear.
LexedFormula Lex(std::string_view text);

// Span of [begin, end) inside `text`, with line and column.
TextSpan SpanOf(std::string_view text, std::size_t begin, std::size_t end);

bool IsNameStart(char c);
bool IsNamePart(char c);
// ASCII letters only: no accidental matches through Unicode case folding.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_LEXER_H_
