#ifndef TABLECAST_QUALIFIERS_JSON_TOKENS_H_
#define TABLECAST_QUALIFIERS_JSON_TOKENS_H_

// The words of a JSON text with the comments between them: what a formatter needs and a parser
// throws away. Lenient: it never fails, so run ParseJson first where validity matters.

#include <cstddef>
#include <string_view>
#include <vector>

namespace tablecast {

struct JsonToken {
  enum class Kind { kBom, kPunctuation, kString, kWord, kLineComment, kBlockComment };
  Kind kind;
  std::size_t begin;  // byte offsets, half-open
  std::size_t end;
  int newlines_before = 0;  // line feeds between the token before and this one

  bool IsComment() const { return kind == Kind::kLineComment || kind == Kind::kBlockComment; }
};

// COST: linear; one token a word.
std::vector<JsonToken> TokenizeJson(std::string_view text);

// Offset inside `literal` (a JSON string as written, quotes included) of the byte that decodes to
// byte `decoded` of the string's value; the closing quote's offset when past the end.
std::size_t RawOffsetInString(std::string_view literal, std::size_t decoded);

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_JSON_TOKENS_H_
