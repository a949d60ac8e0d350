#include "formula/ast_json.h"

#include <vector>

#include "base/json_writer.h"
#include "formula/parser.h"

namespace tablecast::formula {
namespace {

void WriteLeaf(const AstNode& node, JsonWriter& json) {
  switch (node.kind) {
    case AstKind::kNumber:
    case AstKind::kText: json.Key("value").String(node.text); break;
    case AstKind::kTrue: json.Key("value").Bool(true); break;
    case AstKind::kFalse: json.Key("value").Bool(false); break;
    case AstKind::kNull: json.Key("value").Null(); break;
    case AstKind::kName:
    case AstKind::kCall:
    case AstKind::kUnary:
    case AstKind::kBinary: json.Key("name").String(node.text); break;
  }
}

}  // namespace

Result<std::string> FormulaAstJson(std::string_view text) {
  const ParsedFormula parsed = ParseFormula(text);
  if (!parsed.ast) {
    for (const Issue& issue : parsed.issues) {
      if (issue.severity != Severity::kError) continue;
      const ErrorCode code = issue.code == "formula-limit" ? ErrorCode::kResourceExhausted
                                                           : ErrorCode::kInvalidArgument;
      return MakeError(code, issue.code, issue.message, {}, issue.remedy, issue.span.begin);
    }
  }
  const Ast& ast = *parsed.ast;
  std::string out;
  JsonWriter json(out);
  // A node is opened, then its arguments, then closed: an explicit stack, because chains nest deep.
  struct Visit {
    std::uint32_t node;
    std::uint32_t next;
  };
  std::vector<Visit> stack = {{ast.root(), 0}};
  while (!stack.empty()) {
    Visit& visit = stack.back();
    const AstNode& node = ast.nodes[visit.node];
    const auto children = ast.ChildrenOf(node);
    const bool has_arguments = node.kind == AstKind::kCall || node.kind == AstKind::kUnary ||
                               node.kind == AstKind::kBinary;
    if (visit.next == 0) {
      json.BeginObject().Key("kind").String(AstKindName(node.kind));
      WriteLeaf(node, json);
      if (has_arguments) json.Key("args").BeginArray();
    }
    if (visit.next < children.size()) {
      const std::uint32_t child = children[visit.next];
      ++visit.next;
      stack.push_back({child, 0});
      continue;
    }
    if (has_arguments) json.EndArray();
    json.Key("at").BeginArray().Uint(node.begin).Uint(node.end).EndArray().EndObject();
    stack.pop_back();
  }
  return out;
}

}  // namespace tablecast::formula
