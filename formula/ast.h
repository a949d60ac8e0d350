#ifndef TABLECAST_FORMULA_AST_H_
#define TABLECAST_FORMULA_AST_H_

// The syntax tree of a formula: grammar only, no types and no resolved names.
//
// Nodes stand in postorder (every child before its parent, the root last), so that passes over the
// tree are loops and never recurse on the input: a chain `a & b & c ...` may be thousands deep.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tablecast::formula {

enum class AstKind : std::uint8_t {
  kNumber,
  kText,
  kTrue,
  kFalse,
  kNull,
  kName,
  kCall,
  kUnary,
  kBinary,
};
std::string_view AstKindName(AstKind kind);  // "number", "text", "boolean", "null", "name", ...

struct AstNode {
  AstKind kind = AstKind::kNull;
  bool parenthesised = false;  // written inside ( )
  // kNumber: as written; kText: decoded; kName, kCall: as written; kUnary, kBinary: the operator in
  // its canonical spelling (`==` is "=", `!=` is "<>", `NOT` is "!").
  std::string text;
  std::uint32_t first_child = 0;  // into Ast::children
  std::uint32_t child_count = 0;
  // UNITS: byte offsets, half-open; parentheses around the node not included.
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct Ast {
  std::vector<AstNode> nodes;
  std::vector<std::uint32_t> children;

  std::uint32_t root() const { return static_cast<std::uint32_t>(nodes.size() - 1); }
  std::span<const std::uint32_t> ChildrenOf(const AstNode& node) const {
    return std::span(children).subspan(node.first_child, node.child_count);
  }
  // Canonical text: one space around binary operators, parentheses only where the grammar needs
  // them. Parses back to the same tree.
  std::string ToString() const;
};

// A text literal as formula source, quoted and escaped. Text that no literal can hold (CR, LF) is
// written with CHR() calls: `"a" & CHR(10) & "b"`.
std::string QuoteText(std::string_view text);

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_AST_H_
