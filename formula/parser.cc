// IMPLEMENTATION: operator precedence parsing with an explicit stack of open operators, parentheses
// and calls; finished nodes go to the tree in postorder. Nothing recurses. Tested by
// tests/formula/parser_test.cc.

#include "formula/parser.h"

#include <utility>

#include "base/utf8.h"
#include "formula/lexer.h"
#include "formula/precedence.h"
#include "formula/program.h"

namespace tablecast::formula {
namespace {

// What waits on the stack for the operands to its right.
struct Open {
  enum class Kind : std::uint8_t { kBinary, kUnary, kParenthesis, kCall } kind;
  std::string text;          // operator or function name
  int level = 0;             // binary only
  std::uint32_t begin = 0;   // of the operator, parenthesis or function name
  std::size_t operands = 0;  // calls: size of the operand stack when the arguments began
};

struct Operand {
  std::uint32_t node;
  std::uint32_t begin, end;  // with the parentheses around it
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  ParsedFormula Run() {
    if (text_.size() > kMaxSourceBytes) {
      Fail(0, 0, "formula-limit",
           "formula has " + std::to_string(text_.size()) + " bytes, the limit is " +
               std::to_string(kMaxSourceBytes));
      return std::move(out_);
    }
    if (const auto bad = FindInvalidUtf8(text_)) {
      Fail(*bad, *bad + 1, "formula-syntax", "formula is not valid UTF-8");
      return std::move(out_);
    }
    LexedFormula lexed = Lex(text_);
    if (lexed.issue) {
      out_.issues.push_back(std::move(*lexed.issue));
      return std::move(out_);
    }
    tokens_ = std::move(lexed.tokens);
    if (StripMergeFields() && Parse()) {
      WarnAboutPowers();
      out_.ast = std::move(ast_);
    }
    return std::move(out_);
  }

 private:
  bool Fail(std::size_t begin, std::size_t end, std::string code, std::string message,
            std::string remedy = {}) {
    Issue issue;
    issue.code = std::move(code);
    issue.message = std::move(message);
    issue.remedy = std::move(remedy);
    issue.span = SpanOf(text_, begin, end);
    out_.issues.push_back(std::move(issue));
    return false;
  }

  bool FailAt(const Token& token, std::string message, std::string remedy = {}) {
    return Fail(token.begin, token.end, "formula-syntax", std::move(message), std::move(remedy));
  }

  static std::string Shown(const Token& token) {
    if (token.kind == TokenKind::kEnd) return "the end of the formula";
    std::string shown = "'";
    AppendPrintable(shown, token.text.substr(0, 40));
    return shown + "'";
  }

  // `{! formula }` around everything and `{!name}` around a name vanish (section 1).
  bool StripMergeFields() {
    if (tokens_.size() > 2 && tokens_.front().kind == TokenKind::kMergeOpen &&
        tokens_[tokens_.size() - 2].kind == TokenKind::kMergeClose &&
        MatchOfFirst() == tokens_.size() - 2) {
      tokens_.erase(tokens_.end() - 2);
      tokens_.erase(tokens_.begin());
    }
    std::vector<Token> kept;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TokenKind::kMergeClose) {
        return FailAt(tokens_[i], "} without {!");
      }
      if (tokens_[i].kind != TokenKind::kMergeOpen) {
        kept.push_back(std::move(tokens_[i]));
        continue;
      }
      if (i + 2 >= tokens_.size() || tokens_[i + 1].kind != TokenKind::kName ||
          tokens_[i + 2].kind != TokenKind::kMergeClose) {
        return FailAt(tokens_[i], "{! } holds one name, or the whole formula");
      }
      kept.push_back(std::move(tokens_[i + 1]));
      i += 2;
    }
    tokens_ = std::move(kept);
    return true;
  }

  std::size_t MatchOfFirst() const {
    int depth = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TokenKind::kMergeOpen) ++depth;
      if (tokens_[i].kind == TokenKind::kMergeClose && --depth == 0) return i;
    }
    return tokens_.size();
  }

  bool Parse() {
    for (;;) {
      if (!ParseOperand()) return false;
      // After an operand: operators, closing parentheses, commas; until a new operand is due.
      for (;;) {
        const Token& token = tokens_[pos_];
        if (token.kind == TokenKind::kOperator && BinaryLevel(token.text) > 0) {
          const int level = BinaryLevel(token.text);
          ReduceBinaries(level);
          Open open{Open::Kind::kBinary, token.text, level, token.begin, 0};
          open_.push_back(std::move(open));
          ++pos_;
          break;
        }
        if (token.kind == TokenKind::kClose) {
          if (!Close(token)) return false;
          continue;
        }
        if (token.kind == TokenKind::kComma) {
          ReduceBinaries(0);
          if (open_.empty() || open_.back().kind != Open::Kind::kCall) {
            return FailAt(token, "a comma stands outside the arguments of a function");
          }
          ++pos_;
          break;
        }
        if (token.kind == TokenKind::kEnd) return Finish(token);
        return FailAt(token, "expected an operator before " + Shown(token),
                      token.kind == TokenKind::kText || token.kind == TokenKind::kName
                          ? "join texts with &"
                          : "");
      }
    }
  }

  bool Finish(const Token& end) {
    ReduceBinaries(0);
    if (open_.empty()) return true;
    const Open& open = open_.back();
    const std::size_t length = open.kind == Open::Kind::kCall ? open.text.size() : 1;
    return Fail(open.begin, open.begin + length, "formula-syntax",
                open.kind == Open::Kind::kCall ? open.text + "( is not closed" : "( is not closed",
                "add ) before " + Shown(end));
  }

  // Pushes unary operators, parentheses and calls until one operand is complete.
  bool ParseOperand() {
    for (;;) {
      const Token& token = tokens_[pos_];
      switch (token.kind) {
        case TokenKind::kOperator:
          if (token.text != "+" && token.text != "-" && token.text != "!") {
            return FailAt(token, "expected a value before " + Shown(token));
          }
          if (!Push({Open::Kind::kUnary, token.text, 0, token.begin, 0}, token)) return false;
          ++pos_;
          continue;
        case TokenKind::kOpen:
          if (!Push({Open::Kind::kParenthesis, "(", 0, token.begin, 0}, token)) return false;
          ++pos_;
          continue;
        case TokenKind::kNumber: return Leaf(AstKind::kNumber, token);
        case TokenKind::kText: return Leaf(AstKind::kText, token);
        case TokenKind::kName: {
          if (EqualsIgnoringCase(token.text, "NOT")) {
            if (!Push({Open::Kind::kUnary, "!", 0, token.begin, 0}, token)) return false;
            ++pos_;
            continue;
          }
          if (EqualsIgnoringCase(token.text, "TRUE")) return Leaf(AstKind::kTrue, token);
          if (EqualsIgnoringCase(token.text, "FALSE")) return Leaf(AstKind::kFalse, token);
          if (EqualsIgnoringCase(token.text, "NULL")) return Leaf(AstKind::kNull, token);
          if (tokens_[pos_ + 1].kind != TokenKind::kOpen) return Leaf(AstKind::kName, token);
          if (!Push({Open::Kind::kCall, token.text, 0, token.begin, operands_.size()}, token))
            return false;
          pos_ += 2;
          if (tokens_[pos_].kind == TokenKind::kClose) {
            const std::uint32_t end = tokens_[pos_].end;
            ++pos_;
            FinishCall(end);
            return true;
          }
          continue;
        }
        case TokenKind::kClose:
        case TokenKind::kComma:
        case TokenKind::kMergeOpen:
        case TokenKind::kMergeClose:
          return FailAt(token, "expected a value before " + Shown(token));
        case TokenKind::kEnd:
          return FailAt(token, tokens_.size() == 1 ? "formula is empty"
                                                   : "formula ends where a value is due");
      }
    }
  }

  bool Push(Open open, const Token& token) {
    if (++nesting_ > kMaxNesting) {
      return Fail(token.begin, token.end, "formula-limit",
                  "formula nests deeper than " + std::to_string(kMaxNesting));
    }
    open_.push_back(std::move(open));
    return true;
  }

  bool Leaf(AstKind kind, const Token& token) {
    AstNode node;
    node.kind = kind;
    node.text = token.text;
    node.begin = token.begin;
    node.end = token.end;
    if (kind == AstKind::kTrue || kind == AstKind::kFalse || kind == AstKind::kNull)
      node.text.clear();
    Emit(std::move(node), {});
    ++pos_;
    ApplyUnaries();
    return true;
  }

  void Emit(AstNode node, std::span<const Operand> children) {
    node.first_child = static_cast<std::uint32_t>(ast_.children.size());
    node.child_count = static_cast<std::uint32_t>(children.size());
    for (const Operand& child : children) ast_.children.push_back(child.node);
    operands_.push_back({static_cast<std::uint32_t>(ast_.nodes.size()), node.begin, node.end});
    ast_.nodes.push_back(std::move(node));
  }

  // Unary operators bind to the primary that has just been completed.
  void ApplyUnaries() {
    while (!open_.empty() && open_.back().kind == Open::Kind::kUnary) {
      const Operand operand = operands_.back();
      operands_.pop_back();
      AstNode node;
      node.kind = AstKind::kUnary;
      node.text = open_.back().text;
      node.begin = open_.back().begin;
      node.end = operand.end;
      open_.pop_back();
      --nesting_;
      Emit(std::move(node), std::span(&operand, 1));
    }
  }

  void ReduceBinaries(int level) {
    while (!open_.empty() && open_.back().kind == Open::Kind::kBinary &&
           open_.back().level >= level) {
      const Operand pair[2] = {operands_[operands_.size() - 2], operands_.back()};
      operands_.resize(operands_.size() - 2);
      AstNode node;
      node.kind = AstKind::kBinary;
      node.text = std::move(open_.back().text);
      node.begin = pair[0].begin;
      node.end = pair[1].end;
      open_.pop_back();
      Emit(std::move(node), pair);
    }
  }

  bool Close(const Token& token) {
    ReduceBinaries(0);
    if (open_.empty()) return FailAt(token, ") without (");
    ++pos_;
    if (open_.back().kind == Open::Kind::kCall) {
      FinishCall(token.end);
      return true;
    }
    operands_.back().begin = open_.back().begin;
    operands_.back().end = token.end;
    ast_.nodes[operands_.back().node].parenthesised = true;
    open_.pop_back();
    --nesting_;
    ApplyUnaries();
    return true;
  }

  void FinishCall(std::uint32_t end) {
    const Open call = std::move(open_.back());
    open_.pop_back();
    --nesting_;
    const std::vector<Operand> arguments(
        operands_.begin() + static_cast<std::ptrdiff_t>(call.operands), operands_.end());
    operands_.resize(call.operands);
    AstNode node;
    node.kind = AstKind::kCall;
    node.text = call.text;
    node.begin = call.begin;
    node.end = end;
    Emit(std::move(node), arguments);
    ApplyUnaries();
  }

  // a*b^c, a/b^c and a^b*c without parentheses read differently than most people expect (F1).
  void WarnAboutPowers() {
    for (const AstNode& node : ast_.nodes) {
      if (node.kind != AstKind::kBinary || node.text != "^") continue;
      for (const std::uint32_t child : ast_.ChildrenOf(node)) {
        const AstNode& operand = ast_.nodes[child];
        if (operand.parenthesised || operand.kind != AstKind::kBinary ||
            (operand.text != "*" && operand.text != "/")) {
          continue;
        }
        Issue issue;
        issue.severity = Severity::kWarning;
        issue.code = "formula-power-precedence";
        issue.message = "^ binds looser than * and /: 2*3^2 is 36";
        issue.remedy = "add parentheses: " + Excerpt(operand) + " is computed first";
        issue.span = SpanOf(text_, node.begin, node.end);
        out_.issues.push_back(std::move(issue));
        break;
      }
    }
  }

  std::string Excerpt(const AstNode& node) const {
    return std::string(text_.substr(node.begin, std::min<std::size_t>(node.end - node.begin, 60)));
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t pos_ = 0;
  std::vector<Open> open_;
  int nesting_ = 0;
  std::vector<Operand> operands_;  // nodes that wait for a parent
  Ast ast_;
  ParsedFormula out_;
};

}  // namespace

ParsedFormula ParseFormula(std::string_view text) { return Parser(text).Run(); }

}  // namespace tablecast::formula
