#include "formula/ast.h"

#include "formula/precedence.h"

namespace tablecast::formula {

std::string_view AstKindName(AstKind kind) {
  switch (kind) {
    case AstKind::kNumber: return "number";
    case AstKind::kText: return "text";
    case AstKind::kTrue:
    case AstKind::kFalse: return "boolean";
    case AstKind::kNull: return "null";
    case AstKind::kName: return "name";
    case AstKind::kCall: return "call";
    case AstKind::kUnary: return "unary";
    case AstKind::kBinary: return "binary";
  }
  return "null";
}

namespace {

// A literal with backslash escapes: only \" and \\ decode to one character. A backslash before n,
// r, t or ' that stands for itself prints as \\ and so reads back as one backslash.
void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

int LevelOf(const AstNode& node) {
  if (node.kind == AstKind::kBinary) return BinaryLevel(node.text);
  return node.kind == AstKind::kUnary ? kUnaryLevel : kPrimaryLevel;
}

void Wrap(std::string& text) {
  text.insert(text.begin(), '(');
  text += ')';
}

}  // namespace

std::string QuoteText(std::string_view text) {
  std::string out;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool at_end = i == text.size();
    if (!at_end && text[i] != '\n' && text[i] != '\r') continue;
    if (i > start || (at_end && out.empty())) {
      if (!out.empty()) out += " & ";
      AppendQuoted(out, text.substr(start, i - start));
    }
    if (at_end) break;
    if (!out.empty()) out += " & ";
    out += text[i] == '\n' ? "CHR(10)" : "CHR(13)";
    start = i + 1;
  }
  return out;
}

std::string Ast::ToString() const {
  // Left operands are moved and appended to, so a long chain costs linear time.
  std::vector<std::string> printed(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const AstNode& node = nodes[i];
    const auto kids = ChildrenOf(node);
    std::string& out = printed[i];
    switch (node.kind) {
      case AstKind::kNumber:
      case AstKind::kName: out = node.text; break;
      case AstKind::kText: AppendQuoted(out, node.text); break;
      case AstKind::kTrue: out = "TRUE"; break;
      case AstKind::kFalse: out = "FALSE"; break;
      case AstKind::kNull: out = "NULL"; break;
      case AstKind::kCall:
        out = node.text + "(";
        for (std::size_t k = 0; k < kids.size(); ++k) {
          if (k > 0) out += ", ";
          out += printed[kids[k]];
          printed[kids[k]].clear();
        }
        out += ')';
        break;
      case AstKind::kUnary: {
        std::string operand = std::move(printed[kids[0]]);
        if (LevelOf(nodes[kids[0]]) < kUnaryLevel) Wrap(operand);
        out = node.text + operand;
        break;
      }
      case AstKind::kBinary: {
        const int level = LevelOf(node);
        out = std::move(printed[kids[0]]);
        if (LevelOf(nodes[kids[0]]) < level) Wrap(out);
        std::string right = std::move(printed[kids[1]]);
        if (LevelOf(nodes[kids[1]]) <= level) Wrap(right);
        out += ' ';
        out += node.text;
        out += ' ';
        out += right;
        break;
      }
    }
  }
  return nodes.empty() ? std::string() : std::move(printed.back());
}

}  // namespace tablecast::formula
