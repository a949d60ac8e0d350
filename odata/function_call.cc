#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "odata/expression_parser.h"

// IMPLEMENTATION: calls of canonical functions, cast, isof and case. Custom functions, whose
// parameters are named, are path segments (path_expression.cc). SOURCE: OData 4.01 ABNF,
// methodCallExpr, castExpr, isofExpr, caseMethodCallExpr.

namespace tablecast::syntax {
namespace {

struct Function {
  std::string_view name;  // lower case
  std::size_t least;
  std::size_t most;
};

constexpr auto kFunctions = std::to_array<Function>({
    {"contains", 2, 2},
    {"startswith", 2, 2},
    {"endswith", 2, 2},
    {"indexof", 2, 2},
    {"length", 1, 1},
    {"concat", 2, 2},
    {"substring", 2, 3},
    {"tolower", 1, 1},
    {"toupper", 1, 1},
    {"trim", 1, 1},
    {"matchespattern", 2, 3},
    {"year", 1, 1},
    {"month", 1, 1},
    {"day", 1, 1},
    {"hour", 1, 1},
    {"minute", 1, 1},
    {"second", 1, 1},
    {"fractionalseconds", 1, 1},
    {"date", 1, 1},
    {"time", 1, 1},
    {"totaloffsetminutes", 1, 1},
    {"totalseconds", 1, 1},
    {"now", 0, 0},
    {"mindatetime", 0, 0},
    {"maxdatetime", 0, 0},
    {"round", 1, 1},
    {"floor", 1, 1},
    {"ceiling", 1, 1},
    {"hassubset", 2, 2},
    {"hassubsequence", 2, 2},
    {"geo.distance", 2, 2},
    {"geo.intersects", 2, 2},
    {"geo.length", 1, 1},
});

const Function* FindFunction(std::string_view name) {
  for (const Function& function : kFunctions) {
    if (EqualsAnyCase(function.name, name)) return &function;
  }
  return nullptr;
}

// The name with namespace that begins at `text`.
std::size_t DottedLength(const Scanner& scanner) {
  std::size_t length = scanner.IdentifierLength(scanner.pos());
  while (length > 0 && scanner.Peek(length) == '.') {
    const std::size_t more = scanner.IdentifierLength(scanner.pos() + length + 1);
    if (more == 0) break;
    length += 1 + more;
  }
  return length;
}

std::string Arity(const Function& function) {
  if (function.most == 0) return "no argument";
  std::string text = std::to_string(function.least);
  if (function.most > function.least) text += " or " + std::to_string(function.most);
  return text + (function.most == 1 ? " argument" : " arguments");
}

}  // namespace

std::optional<std::string> NearestFunction(std::string_view name) {
  std::array<std::string_view, kFunctions.size()> names;
  std::transform(kFunctions.begin(), kFunctions.end(), names.begin(),
                 [](const Function& function) { return function.name; });
  return NearestName(LowerAscii(name), names);
}

bool IsCallWord(std::string_view word) {
  if (FindFunction(word) != nullptr) return true;
  for (const std::string_view other : {"cast", "isof", "case", "any", "all"}) {
    if (EqualsAnyCase(word, other)) return true;
  }
  return false;
}

bool ExpressionParser::StandsOnCall() const {
  const std::size_t length = DottedLength(s_);
  return length > 0 && s_.Peek(length) == '(';
}

Result<Expr> ExpressionParser::Call(bool* is_path) {
  const std::size_t begin = s_.pos();
  const std::string_view name = s_.Rest().substr(0, DottedLength(s_));
  const Function* function = FindFunction(name);
  const bool cast = EqualsAnyCase(name, "cast");
  const bool isof = EqualsAnyCase(name, "isof");
  const bool conditional = EqualsAnyCase(name, "case");
  if (function == nullptr && !cast && !isof && !conditional) {
    *is_path = true;
    return Expr();
  }
  const DepthGuard depth(s_);
  TABLECAST_RETURN_IF_ERROR(depth.Check());
  s_.Advance(name.size() + 1);
  s_.SkipBlanks();
  if (cast || isof) return CastOrIsOf(cast ? ExprKind::kCast : ExprKind::kIsOf, begin);
  if (conditional) return CaseCall(begin);

  Expr call = Node(ExprKind::kCall, std::string(function->name));
  if (!s_.Take(')')) {
    do {
      if (call.args.size() == function->most) {
        return s_.FailAt(begin, "function-arity", call.text + " takes " + Arity(*function));
      }
      TABLECAST_ASSIGN_OR_RETURN(Expr argument, Expression());
      call.args.push_back(std::move(argument));
    } while (s_.TakeSeparator(','));
    s_.SkipBlanks();
    if (!s_.Take(')')) return s_.Expected("',' or ')'");
  }
  if (call.args.size() < function->least) {
    return s_.FailAt(begin, "function-arity", call.text + " takes " + Arity(*function));
  }
  return Finish(std::move(call), begin);
}

// Edm.String, Ns.Type, Collection(Edm.Int32).
Result<std::string> ExpressionParser::TypeName() {
  const std::size_t begin = s_.pos();
  if (s_.TakeWord("Collection") && s_.Take('(')) {
    TABLECAST_ASSIGN_OR_RETURN(const std::string_view item, s_.TakeIdentifier("a type name", true));
    if (!s_.Take(')')) return s_.Expected("')'");
    return "Collection(" + std::string(item) + ")";
  }
  s_.Seek(begin);
  TABLECAST_ASSIGN_OR_RETURN(const std::string_view name, s_.TakeIdentifier("a type name", true));
  return std::string(name);
}

// cast(Edm.Decimal), cast(TOTAL,Edm.Decimal); the scanner stands behind the bracket.
Result<Expr> ExpressionParser::CastOrIsOf(ExprKind kind, std::size_t begin) {
  Expr node = Node(kind);
  const std::size_t first = s_.pos();
  if (s_.IdentifierLength(first) > 0) {
    // A lone type name concerns the current instance.
    Result<std::string> type = TypeName();
    if (type.ok()) {
      s_.SkipBlanks();
      if (s_.Take(')')) {
        node.name = *std::move(type);
        return Finish(std::move(node), begin);
      }
    }
    s_.Seek(first);
  }
  TABLECAST_ASSIGN_OR_RETURN(Expr operand, Expression());
  node.args.push_back(std::move(operand));
  if (!s_.TakeSeparator(',')) return s_.Expected("',' and a type name");
  TABLECAST_ASSIGN_OR_RETURN(node.name, TypeName());
  s_.SkipBlanks();
  if (!s_.Take(')')) return s_.Expected("')'");
  return Finish(std::move(node), begin);
}

// case(A gt 1:'x',true:'y'); the scanner stands behind the bracket.
Result<Expr> ExpressionParser::CaseCall(std::size_t begin) {
  Expr node = Node(ExprKind::kCase);
  do {
    TABLECAST_ASSIGN_OR_RETURN(Expr condition, Expression());
    if (!s_.TakeSeparator(':')) return s_.Expected("':' between condition and value");
    TABLECAST_ASSIGN_OR_RETURN(Expr value, Expression());
    node.args.push_back(std::move(condition));
    node.args.push_back(std::move(value));
  } while (s_.TakeSeparator(','));
  s_.SkipBlanks();
  if (!s_.Take(')')) return s_.Expected("',' or ')'");
  return Finish(std::move(node), begin);
}

}  // namespace tablecast::syntax
