#include "odata/syntax_tree.h"

// IMPLEMENTATION: printing of expressions and search; the comma lists and $apply are printed in
// syntax_tree_lists.cc. Recursion is bounded by the height that the parsers allow.
// Tested by round_trip_test.cc.

namespace tablecast::syntax {
namespace {

// Binding strength; a child that binds no tighter than its place needs brackets.
enum Strength {
  kOrStrength = 1,
  kAndStrength,
  kEqualStrength,
  kOrderStrength,
  kAddStrength,
  kMulStrength,
  kPrefixStrength,
  kInStrength,
  kPrimaryStrength
};

int StrengthOf(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kOr: return kOrStrength;
    case ExprKind::kAnd: return kAndStrength;
    case ExprKind::kNot:
    case ExprKind::kNegate: return kPrefixStrength;
    case ExprKind::kBinary: break;
    default: return kPrimaryStrength;
  }
  switch (expr.op) {
    case Op::kEq:
    case Op::kNe: return kEqualStrength;
    case Op::kGt:
    case Op::kGe:
    case Op::kLt:
    case Op::kLe: return kOrderStrength;
    case Op::kAdd:
    case Op::kSub: return kAddStrength;
    case Op::kMul:
    case Op::kDiv:
    case Op::kDivBy:
    case Op::kMod: return kMulStrength;
    case Op::kHas:
    case Op::kIn:
    case Op::kNone: return kInStrength;
  }
  return kPrimaryStrength;
}

void AppendQuoted(std::string& out, std::string_view prefix, std::string_view value) {
  out += prefix;
  out += '\'';
  for (const char c : value) {
    out += c;
    if (c == '\'') out += '\'';
  }
  out += '\'';
}

void AppendLiteral(std::string& out, const Expr& literal) {
  switch (literal.literal) {
    case LiteralKind::kString: AppendQuoted(out, "", literal.text); break;
    case LiteralKind::kDuration: AppendQuoted(out, "duration", literal.text); break;
    case LiteralKind::kBinary: AppendQuoted(out, "binary", literal.text); break;
    case LiteralKind::kGeography: AppendQuoted(out, "geography", literal.text); break;
    case LiteralKind::kGeometry: AppendQuoted(out, "geometry", literal.text); break;
    case LiteralKind::kEnum: AppendQuoted(out, literal.name, literal.text); break;
    default: out += literal.text;
  }
}

void AppendMemberName(std::string& out, std::string_view name) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

void Append(std::string& out, const Expr& expr);

void AppendWithin(std::string& out, const Expr& expr, int least) {
  const bool brackets = StrengthOf(expr) < least;
  if (brackets) out += '(';
  Append(out, expr);
  if (brackets) out += ')';
}

void AppendArguments(std::string& out, const std::vector<Expr>& args, char open, char close) {
  out += open;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (i > 0) out += ',';
    Append(out, args[i]);
  }
  out += close;
}

void AppendPath(std::string& out, const Expr& path) {
  for (std::size_t i = 0; i < path.args.size(); ++i) {
    if (i > 0 && path.args[i].kind != ExprKind::kKey) out += '/';
    Append(out, path.args[i]);
  }
}

void AppendSegment(std::string& out, const Expr& segment) {
  switch (segment.kind) {
    case ExprKind::kKey: AppendArguments(out, segment.args, '(', ')'); break;
    case ExprKind::kFunction:
      out += segment.text;
      AppendArguments(out, segment.args, '(', ')');
      break;
    case ExprKind::kIt: out += "$it"; break;
    case ExprKind::kThis: out += "$this"; break;
    case ExprKind::kRoot: out += "$root"; break;
    case ExprKind::kThese: out += "$these"; break;
    case ExprKind::kAlias:
    case ExprKind::kAnnotation:
      out += '@';
      out += segment.text;
      break;
    case ExprKind::kCount:
      out += "$count";
      for (std::size_t i = 0; i < segment.args.size(); ++i) {
        out += i == 0 ? '(' : ';';
        Append(out, segment.args[i]);
      }
      if (!segment.args.empty()) out += ')';
      break;
    case ExprKind::kCountOption:
      out += segment.text;
      out += '=';
      if (segment.args.empty())
        out += segment.name;
      else
        Append(out, segment.args[0]);
      break;
    case ExprKind::kFilterSegment:
      out += "$filter";
      AppendArguments(out, segment.args, '(', ')');
      break;
    case ExprKind::kAny:
    case ExprKind::kAll:
      out += segment.kind == ExprKind::kAny ? "any(" : "all(";
      if (!segment.args.empty()) {
        out += segment.text;
        out += ':';
        Append(out, segment.args[0]);
      }
      out += ')';
      break;
    case ExprKind::kAggregate:
      out += "aggregate(";
      out += segment.name;
      out += ')';
      break;
    default: out += segment.text;
  }
}

void AppendCastOrIsOf(std::string& out, const Expr& expr) {
  out += expr.kind == ExprKind::kCast ? "cast(" : "isof(";
  if (!expr.args.empty()) {
    Append(out, expr.args[0]);
    out += ',';
  }
  out += expr.name;
  out += ')';
}

void AppendCase(std::string& out, const Expr& expr) {
  out += "case(";
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    if (i > 0) out += i % 2 == 1 ? ':' : ',';
    Append(out, expr.args[i]);
  }
  out += ')';
}

void AppendBinary(std::string& out, const Expr& expr) {
  const int strength = StrengthOf(expr);
  AppendWithin(out, expr.args[0], strength);
  out += ' ';
  out += OpName(expr.op);
  out += ' ';
  AppendWithin(out, expr.args[1], strength + 1);
}

void Append(std::string& out, const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral: AppendLiteral(out, expr); break;
    case ExprKind::kPath: AppendPath(out, expr); break;
    case ExprKind::kAnd:
    case ExprKind::kOr:
      for (std::size_t i = 0; i < expr.args.size(); ++i) {
        if (i > 0) out += expr.kind == ExprKind::kAnd ? " and " : " or ";
        AppendWithin(out, expr.args[i], StrengthOf(expr) + 1);
      }
      break;
    case ExprKind::kNot:
      out += "not ";
      AppendWithin(out, expr.args[0], kPrefixStrength);
      break;
    case ExprKind::kNegate:
      // The blank keeps the minus apart from a number.
      out += "- ";
      AppendWithin(out, expr.args[0], kPrefixStrength);
      break;
    case ExprKind::kBinary: AppendBinary(out, expr); break;
    case ExprKind::kCall:
      out += expr.text;
      AppendArguments(out, expr.args, '(', ')');
      break;
    case ExprKind::kCast:
    case ExprKind::kIsOf: AppendCastOrIsOf(out, expr); break;
    case ExprKind::kCase: AppendCase(out, expr); break;
    case ExprKind::kList: AppendArguments(out, expr.args, '(', ')'); break;
    case ExprKind::kArray: AppendArguments(out, expr.args, '[', ']'); break;
    case ExprKind::kObject: AppendArguments(out, expr.args, '{', '}'); break;
    case ExprKind::kMember:
      AppendMemberName(out, expr.text);
      out += ':';
      Append(out, expr.args[0]);
      break;
    case ExprKind::kNamedArgument:
      out += expr.text;
      out += '=';
      Append(out, expr.args[0]);
      break;
    default: AppendSegment(out, expr);
  }
}

void AppendSearch(std::string& out, const Search& search);

void AppendSearchWithin(std::string& out, const Search& search, Search::Kind parent) {
  // OR is the loosest; AND may stand bare inside OR only.
  const bool brackets = search.kind == Search::Kind::kOr ||
                        (search.kind == Search::Kind::kAnd && parent != Search::Kind::kOr);
  if (brackets) out += '(';
  AppendSearch(out, search);
  if (brackets) out += ')';
}

void AppendSearch(std::string& out, const Search& search) {
  switch (search.kind) {
    case Search::Kind::kWord: out += search.text; break;
    case Search::Kind::kPhrase:
      out += '"';
      for (const char c : search.text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
      }
      out += '"';
      break;
    case Search::Kind::kNot:
      out += "NOT ";
      AppendSearchWithin(out, search.args[0], search.kind);
      break;
    case Search::Kind::kAnd:
    case Search::Kind::kOr:
      for (std::size_t i = 0; i < search.args.size(); ++i) {
        if (i > 0) out += search.kind == Search::Kind::kAnd ? " AND " : " OR ";
        AppendSearchWithin(out, search.args[i], search.kind);
      }
      break;
  }
}

}  // namespace

std::string_view OpName(Op op) {
  switch (op) {
    case Op::kNone: return "";
    case Op::kHas: return "has";
    case Op::kIn: return "in";
    case Op::kMul: return "mul";
    case Op::kDiv: return "div";
    case Op::kDivBy: return "divby";
    case Op::kMod: return "mod";
    case Op::kAdd: return "add";
    case Op::kSub: return "sub";
    case Op::kGt: return "gt";
    case Op::kGe: return "ge";
    case Op::kLt: return "lt";
    case Op::kLe: return "le";
    case Op::kEq: return "eq";
    case Op::kNe: return "ne";
  }
  return "";
}

bool IsSimpleName(const Expr& expr) {
  return expr.kind == ExprKind::kPath && expr.args.size() == 1 &&
         expr.args[0].kind == ExprKind::kName;
}

std::string ToString(const Expr& expr) {
  std::string out;
  Append(out, expr);
  return out;
}

bool SameTree(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.op != b.op || a.literal != b.literal || a.name != b.name) return false;
  if (a.kind != ExprKind::kPath && a.text != b.text)
    return false;  // a path's text is as it was written
  if (a.args.size() != b.args.size()) return false;
  for (std::size_t i = 0; i < a.args.size(); ++i) {
    if (!SameTree(a.args[i], b.args[i])) return false;
  }
  return true;
}

std::string ToString(const Search& search) {
  std::string out;
  AppendSearch(out, search);
  return out;
}

}  // namespace tablecast::syntax
