#include "odata/search_parser.h"

#include <utility>

#include "odata/syntax_scanner.h"

// IMPLEMENTATION: recursive descent over the shared scanner; only brackets and NOT nest.
// SOURCE: OData 4.01 ABNF, searchExpr. Tested by search_parser_test.cc.

namespace tablecast::syntax {
namespace {

class SearchParser {
 public:
  explicit SearchParser(Scanner& scanner) : s_(scanner) {}

  Result<Search> Or() {
    const std::size_t begin = s_.pos();
    TABLECAST_ASSIGN_OR_RETURN(Search first, And());
    std::vector<Search> terms;
    terms.push_back(std::move(first));
    while (true) {
      const std::size_t before = s_.pos();
      if (!s_.SkipBlanks() || PeekWord() != "OR") {
        s_.Seek(before);
        break;
      }
      s_.Advance(2);
      if (!s_.SkipBlanks()) return s_.Expected("a blank and a term after OR");
      TABLECAST_ASSIGN_OR_RETURN(Search next, And());
      terms.push_back(std::move(next));
    }
    return Combine(Search::Kind::kOr, std::move(terms), begin);
  }

 private:
  Result<Search> And() {
    const std::size_t begin = s_.pos();
    TABLECAST_ASSIGN_OR_RETURN(Search first, Term());
    std::vector<Search> terms;
    terms.push_back(std::move(first));
    while (true) {
      const std::size_t before = s_.pos();
      const bool blank = s_.SkipBlanks();
      const std::string_view word = PeekWord();
      if (!blank || AtClose() || word == "OR") {
        s_.Seek(before);
        break;
      }
      if (word == "AND") {
        s_.Advance(3);
        if (!s_.SkipBlanks()) return s_.Expected("a blank and a term after AND");
      }
      TABLECAST_ASSIGN_OR_RETURN(Search next, Term());
      terms.push_back(std::move(next));
    }
    return Combine(Search::Kind::kAnd, std::move(terms), begin);
  }

  Result<Search> Term() {
    const std::size_t begin = s_.pos();
    if (s_.Peek() == '(') {
      const DepthGuard depth(s_);
      TABLECAST_RETURN_IF_ERROR(depth.Check());
      s_.Advance(1);
      s_.SkipBlanks();
      TABLECAST_ASSIGN_OR_RETURN(Search inner, Or());
      s_.SkipBlanks();
      if (!s_.Take(')')) return s_.Expected("')'");
      inner.at = s_.SpanFrom(begin);
      return inner;
    }
    if (s_.Peek() == '"') return Phrase();
    const std::string_view word = PeekWord();
    if (word.empty()) return s_.Expected("a word, a \"phrase\" or '('");
    if (word == "AND" || word == "OR") return s_.Expected("a term");
    if (word == "NOT") {
      const DepthGuard depth(s_);
      TABLECAST_RETURN_IF_ERROR(depth.Check());
      s_.Advance(3);
      if (!s_.SkipBlanks()) return s_.Expected("a blank and a term after NOT");
      Search negation;
      negation.kind = Search::Kind::kNot;
      TABLECAST_ASSIGN_OR_RETURN(Search operand, Term());
      negation.args.push_back(std::move(operand));
      return Finish(std::move(negation), begin);
    }
    s_.Advance(word.size());
    Search node;
    node.text = std::string(word);
    return Finish(std::move(node), begin);
  }

  Result<Search> Phrase() {
    const std::size_t begin = s_.pos();
    s_.Advance(1);
    Search node;
    node.kind = Search::Kind::kPhrase;
    while (true) {
      if (s_.AtEnd())
        return s_.FailAt(begin, "search-syntax", "the phrase that begins here is not closed");
      char c = s_.Peek();
      s_.Advance(1);
      if (c == '"') break;
      if (c == '\\') {
        c = s_.Peek();
        if (c != '"' && c != '\\') return s_.Fail("in a phrase \\ stands before \" or \\ only");
        s_.Advance(1);
      }
      node.text += c;
    }
    if (node.text.empty()) return s_.FailAt(begin, "search-syntax", "an empty phrase");
    return Finish(std::move(node), begin);
  }

  // A word holds anything but blanks, double quotes, brackets and ';'. A single quote may not begin
  // it; punctuation that no URL may hold bare belongs to it only where it was percent-encoded.
  bool IsWordCharacter(std::size_t ahead) const {
    const char c = s_.Peek(ahead);
    if (static_cast<unsigned char>(c) >= 0x80 || IsAsciiLetter(c) || IsDigit(c)) return true;
    if (c == '\'') return ahead > 0;
    if (std::string_view("-._~!*+,:@/?$=").find(c) != std::string_view::npos) return true;
    return std::string_view("%#&<>[]{}|^`\\").find(c) != std::string_view::npos &&
           s_.WasEncoded(ahead);
  }
  std::string_view PeekWord() const {
    std::size_t length = 0;
    while (length < s_.Rest().size() && IsWordCharacter(length)) ++length;
    return s_.Rest().substr(0, length);
  }
  bool AtClose() const { return s_.AtEnd() || s_.Peek() == ')' || s_.Peek() == ';'; }

  Result<Search> Combine(Search::Kind kind, std::vector<Search> terms, std::size_t begin) {
    if (terms.size() == 1) return std::move(terms.front());
    Search node;
    node.kind = kind;
    node.args = std::move(terms);
    return Finish(std::move(node), begin);
  }

  Result<Search> Finish(Search node, std::size_t begin) {
    TABLECAST_RETURN_IF_ERROR(s_.Charge());
    node.at = s_.SpanFrom(begin);
    return node;
  }

  Scanner& s_;
};

}  // namespace

Result<Search> ParseSearch(Scanner& scanner) {
  scanner.SkipBlanks();
  const std::size_t begin = scanner.pos();
  TABLECAST_ASSIGN_OR_RETURN(Search search, SearchParser(scanner).Or());
  const std::size_t limit = scanner.budget().limits.max_search_bytes;
  if (scanner.pos() - begin > limit) {
    return scanner.Exhausted("search-too-long", "$search is longer than " + std::to_string(limit) +
                                                    " bytes (limit max_search_bytes)");
  }
  return search;
}

Result<Search> ParseSearch(std::string_view text, const SyntaxLimits& limits) {
  return ParseAll(text, limits, "$search", [](Scanner& scanner) { return ParseSearch(scanner); });
}

}  // namespace tablecast::syntax
