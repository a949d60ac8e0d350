#include <cstdint>
#include <utility>

#include "base/utf8.h"
#include "odata/expression_parser.h"

// IMPLEMENTATION: arrays and objects in expressions, [1,"a",'b'] and {"a":1}: JSON whose values may
// also be any OData expression. SOURCE: OData 4.01 ABNF, arrayOrObject.

namespace tablecast::syntax {
namespace {

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Four hex digits behind \u, or nothing.
bool TakeUnit(Scanner& scanner, char32_t& unit) {
  unit = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const int digit = HexValue(scanner.Peek(i));
    if (digit < 0) return false;
    unit = unit * 16 + static_cast<char32_t>(digit);
  }
  scanner.Advance(4);
  return true;
}

}  // namespace

Result<std::string> ExpressionParser::JsonString() {
  const std::size_t begin = s_.pos();
  s_.Advance(1);
  std::string value;
  while (true) {
    if (s_.AtEnd())
      return s_.FailAt(begin, "literal-invalid", "the JSON text that begins here is not closed");
    const char c = s_.Peek();
    const std::size_t at = s_.pos();
    s_.Advance(1);
    if (c == '"') return value;
    if (static_cast<unsigned char>(c) < 0x20) {
      return s_.FailAt(at, "literal-invalid", "control characters are escaped in JSON text");
    }
    if (c != '\\') {
      value += c;
      continue;
    }
    const char escape = s_.Peek();
    if (!s_.AtEnd()) s_.Advance(1);
    switch (escape) {
      case '"':
      case '\\':
      case '/': value += escape; break;
      case 'b': value += '\b'; break;
      case 'f': value += '\f'; break;
      case 'n': value += '\n'; break;
      case 'r': value += '\r'; break;
      case 't': value += '\t'; break;
      case 'u': {
        char32_t unit = 0;
        bool valid = TakeUnit(s_, unit);
        if (valid && unit >= 0xD800 && unit < 0xDC00) {
          char32_t low = 0;
          valid = s_.Take("\\u") && TakeUnit(s_, low) && low >= 0xDC00 && low < 0xE000;
          unit = 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
        } else if (valid && unit >= 0xDC00 && unit < 0xE000) {
          valid = false;
        }
        if (!valid)
          return s_.FailAt(at, "literal-invalid", "\\u is not followed by a valid character");
        AppendUtf8(value, unit);
        break;
      }
      default: return s_.FailAt(at, "literal-invalid", "no JSON escape");
    }
  }
}

Result<Expr> ExpressionParser::JsonValue() {
  if (s_.Peek() != '"') return Expression();
  const std::size_t begin = s_.pos();
  Expr literal = Node(ExprKind::kLiteral);
  literal.literal = LiteralKind::kString;
  TABLECAST_ASSIGN_OR_RETURN(literal.text, JsonString());
  return Finish(std::move(literal), begin);
}

Result<Expr> ExpressionParser::JsonArray() {
  const std::size_t begin = s_.pos();
  const DepthGuard depth(s_);
  TABLECAST_RETURN_IF_ERROR(depth.Check());
  s_.Advance(1);
  s_.SkipBlanks();
  Expr array = Node(ExprKind::kArray);
  if (s_.Take(']')) return Finish(std::move(array), begin);
  const std::size_t limit = s_.budget().limits.max_in_items;
  do {
    if (array.args.size() == limit) {
      return s_.Exhausted("in-list-items", "a list has more than " + std::to_string(limit) +
                                               " items (limit max_in_items)");
    }
    TABLECAST_ASSIGN_OR_RETURN(Expr item, JsonValue());
    array.args.push_back(std::move(item));
  } while (s_.TakeSeparator(','));
  s_.SkipBlanks();
  if (!s_.Take(']')) return s_.Expected("',' or ']'");
  return Finish(std::move(array), begin);
}

Result<Expr> ExpressionParser::JsonObject() {
  const std::size_t begin = s_.pos();
  const DepthGuard depth(s_);
  TABLECAST_RETURN_IF_ERROR(depth.Check());
  s_.Advance(1);
  s_.SkipBlanks();
  Expr object = Node(ExprKind::kObject);
  if (s_.Take('}')) return Finish(std::move(object), begin);
  do {
    const std::size_t at = s_.pos();
    if (s_.Peek() != '"') return s_.Expected("a member name in double quotes");
    Expr member = Node(ExprKind::kMember);
    TABLECAST_ASSIGN_OR_RETURN(member.text, JsonString());
    if (!s_.TakeSeparator(':')) return s_.Expected("':'");
    TABLECAST_ASSIGN_OR_RETURN(Expr value, JsonValue());
    member.args.push_back(std::move(value));
    TABLECAST_ASSIGN_OR_RETURN(member, Finish(std::move(member), at));
    object.args.push_back(std::move(member));
  } while (s_.TakeSeparator(','));
  s_.SkipBlanks();
  if (!s_.Take('}')) return s_.Expected("',' or '}'");
  return Finish(std::move(object), begin);
}

}  // namespace tablecast::syntax
