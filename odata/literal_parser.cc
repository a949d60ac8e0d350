#include "odata/literal_parser.h"

#include <utility>

namespace tablecast::syntax {
namespace {

// Reads fixed shapes of ASCII text without taking anything from the scanner.
class Shape {
 public:
  explicit Shape(std::string_view text) : text_(text) {}
  std::size_t pos() const { return pos_; }
  char Peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  bool Take(char c) {
    if (Peek() != c || pos_ >= text_.size()) return false;
    ++pos_;
    return true;
  }
  std::size_t TakeDigits() {
    const std::size_t begin = pos_;
    while (IsDigit(Peek())) ++pos_;
    return pos_ - begin;
  }
  // Exactly two digits between `low` and `high`.
  bool TakeTwoDigits(int low, int high) {
    if (pos_ + 2 > text_.size() || !IsDigit(text_[pos_]) || !IsDigit(text_[pos_ + 1])) return false;
    const int value = (text_[pos_] - '0') * 10 + (text_[pos_ + 1] - '0');
    if (value < low || value > high) return false;
    pos_ += 2;
    return true;
  }
  bool AtEnd() const { return pos_ == text_.size(); }
  void Seek(std::size_t pos) { pos_ = pos; }

 private:
  std::string_view text_;
  std::size_t pos_ = 0;
};

bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool LooksLikeGuid(std::string_view text) {
  if (text.size() < 36) return false;
  for (std::size_t i = 0; i < 36; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !IsHex(text[i])) return false;
  }
  return true;
}

// "2022-01", "-0044-0": begins like a date, whatever follows.
bool LooksLikeDate(std::string_view text) {
  Shape shape(text);
  shape.Take('-');
  if (shape.TakeDigits() < 4 || !shape.Take('-')) return false;
  return shape.TakeDigits() == 2 && shape.Peek() == '-';
}

bool LooksLikeTimeOfDay(std::string_view text) {
  Shape shape(text);
  return shape.TakeDigits() == 2 && shape.Take(':') && IsDigit(shape.Peek());
}

bool TakeTime(Shape& shape) {
  if (!shape.TakeTwoDigits(0, 23) || !shape.Take(':') || !shape.TakeTwoDigits(0, 59)) return false;
  if (!shape.Take(':')) return true;
  if (!shape.TakeTwoDigits(0, 59)) return false;
  if (!shape.Take('.')) return true;
  const std::size_t digits = shape.TakeDigits();
  return digits >= 1 && digits <= 12;
}

bool TakeDate(Shape& shape) {
  shape.Take('-');
  const bool leading_zero = shape.Peek() == '0';
  const std::size_t digits = shape.TakeDigits();
  if (digits < 4 || (leading_zero && digits != 4)) return false;
  return shape.Take('-') && shape.TakeTwoDigits(1, 12) && shape.Take('-') &&
         shape.TakeTwoDigits(1, 31);
}

bool IsDurationValue(std::string_view value) {
  Shape shape(value);
  if (!shape.Take('+')) shape.Take('-');
  if (!shape.Take('P') && !shape.Take('p')) return false;
  if (IsDigit(shape.Peek())) {
    shape.TakeDigits();
    if (!shape.Take('D') && !shape.Take('d')) return false;
  }
  if (shape.Take('T') || shape.Take('t')) {
    // Each of hours, minutes, seconds at most once and in this order.
    for (const char unit : {'H', 'M', 'S'}) {
      const std::size_t begin = shape.pos();
      if (shape.TakeDigits() == 0) break;
      if (unit == 'S' && shape.Take('.') && shape.TakeDigits() == 0) return false;
      if (!shape.Take(unit) && !shape.Take(static_cast<char>(unit - 'A' + 'a'))) shape.Seek(begin);
    }
  }
  return shape.AtEnd();
}

// Unpadded or padded base64url whose last character carries no stray bits.
bool IsBinaryValue(std::string_view value) {
  std::string_view body = value;
  std::size_t padding = 0;
  while (padding < 2 && body.ends_with('=')) {
    body.remove_suffix(1);
    ++padding;
  }
  for (const char c : body) {
    if (!IsAsciiLetter(c) && !IsDigit(c) && c != '-' && c != '_') return false;
  }
  const std::size_t rest = body.size() % 4;
  if (rest == 0) return padding == 0;
  if (rest == 1) return false;
  if (padding != 0 && padding != 4 - rest) return false;
  const std::string_view allowed = rest == 2 ? "AQgw" : "AEIMQUYcgkosw048";
  return allowed.find(body.back()) != std::string_view::npos;
}

bool IsEnumValue(std::string_view value) {
  while (true) {
    const std::size_t comma = value.find(',');
    const std::string_view member = value.substr(0, comma);
    if (!IsIdentifier(member)) {
      Shape shape(member);
      if (!shape.Take('-')) shape.Take('+');
      if (shape.TakeDigits() == 0 || !shape.AtEnd()) return false;
    }
    if (comma == std::string_view::npos) return true;
    value.remove_prefix(comma + 1);
  }
}

Error Invalid(const Scanner& scanner, std::size_t at, std::string message) {
  return scanner.FailAt(at, "literal-invalid", std::move(message));
}

Expr Make(const Scanner& scanner, std::size_t begin, LiteralKind kind, std::string text) {
  Expr expr;
  expr.kind = ExprKind::kLiteral;
  expr.literal = kind;
  expr.text = std::move(text);
  expr.at = scanner.SpanFrom(begin);
  return expr;
}

// A literal must not run into a name or another number: 5x, 1.2.3, 2022-01-01Z.
Status ExpectBoundary(const Scanner& scanner, std::size_t begin) {
  const char next = scanner.Peek();
  if (IsDigit(next) || next == '.' || next == '\'' || scanner.IdentifierLength(scanner.pos()) > 0) {
    return Invalid(scanner, begin, "the literal is followed directly by " + scanner.Found());
  }
  return {};
}

Result<std::optional<Expr>> TakeDateLiteral(Scanner& scanner) {
  const std::size_t begin = scanner.pos();
  Shape shape(scanner.Rest());
  if (!TakeDate(shape))
    return Invalid(scanner, begin, "no valid date (year-month-day, 2022-12-31)");
  LiteralKind kind = LiteralKind::kDate;
  std::string text(scanner.Rest().substr(0, shape.pos()));
  if (shape.Take('T') || shape.Take('t')) {
    kind = LiteralKind::kDateTimeOffset;
    const std::size_t time = shape.pos();
    if (!TakeTime(shape))
      return Invalid(scanner, begin, "no valid time after the date (hh:mm or hh:mm:ss.fff)");
    text += 'T';
    text += scanner.Rest().substr(time, shape.pos() - time);
    if (shape.Take('Z') || shape.Take('z')) {
      text += 'Z';
    } else {
      const bool minus = shape.Take('-');
      const std::size_t zone = shape.pos() + (minus ? 0 : 1);
      // A '+' that became a blank on its way is still the sign: nothing else can follow here.
      if ((!minus && !shape.Take('+') && !(scanner.plus_was_blank() && shape.Take(' '))) ||
          !shape.TakeTwoDigits(0, 23) || !shape.Take(':') || !shape.TakeTwoDigits(0, 59)) {
        return Invalid(scanner, begin, "a date with time ends with Z or an offset such as -05:00");
      }
      text += minus ? '-' : '+';
      text += scanner.Rest().substr(zone, 5);
    }
  }
  scanner.Advance(shape.pos());
  TABLECAST_RETURN_IF_ERROR(ExpectBoundary(scanner, begin));
  return std::optional<Expr>(Make(scanner, begin, kind, std::move(text)));
}

Result<std::optional<Expr>> TakeTimeLiteral(Scanner& scanner) {
  const std::size_t begin = scanner.pos();
  Shape shape(scanner.Rest());
  if (!TakeTime(shape))
    return Invalid(scanner, begin, "no valid time of day (hh:mm or hh:mm:ss.fff)");
  scanner.Advance(shape.pos());
  TABLECAST_RETURN_IF_ERROR(ExpectBoundary(scanner, begin));
  return std::optional<Expr>(Make(scanner, begin, LiteralKind::kTimeOfDay,
                                  std::string(scanner.Text(begin, scanner.pos()))));
}

Result<std::optional<Expr>> TakeNumber(Scanner& scanner) {
  const std::size_t begin = scanner.pos();
  Shape shape(scanner.Rest());
  if (!shape.Take('-')) shape.Take('+');
  shape.TakeDigits();
  LiteralKind kind = LiteralKind::kInteger;
  if (shape.Take('.')) {
    kind = LiteralKind::kDecimal;
    if (shape.TakeDigits() == 0)
      return Invalid(scanner, begin, "digits are missing after the decimal point");
  }
  std::string text(scanner.Rest().substr(0, shape.pos()));
  if (shape.Take('e') || shape.Take('E')) {
    kind = LiteralKind::kDecimal;
    text += 'e';
    if (shape.Take('-')) {
      text += '-';
    } else if (!shape.Take('+') && scanner.plus_was_blank()) {
      shape.Take(' ');
    }
    const std::size_t exponent = shape.pos();
    if (shape.TakeDigits() == 0)
      return Invalid(scanner, begin, "digits are missing in the exponent");
    text += scanner.Rest().substr(exponent, shape.pos() - exponent);
  }
  scanner.Advance(shape.pos());
  TABLECAST_RETURN_IF_ERROR(ExpectBoundary(scanner, begin));
  return std::optional<Expr>(Make(scanner, begin, kind, std::move(text)));
}

// name'...' : the name was taken already, the scanner stands on the quote.
Result<std::optional<Expr>> TakePrefixed(Scanner& scanner, std::size_t begin,
                                         std::string_view prefix) {
  TABLECAST_ASSIGN_OR_RETURN(std::string value, TakeQuoted(scanner));
  LiteralKind kind = LiteralKind::kEnum;
  std::string name;
  bool valid = false;
  std::string_view expected;
  if (EqualsAnyCase(prefix, "duration")) {
    kind = LiteralKind::kDuration;
    valid = IsDurationValue(value);
    expected = "a duration such as P1DT2H30M";
  } else if (EqualsAnyCase(prefix, "binary")) {
    kind = LiteralKind::kBinary;
    valid = IsBinaryValue(value);
    expected = "base64url text";
  } else if (EqualsAnyCase(prefix, "geography") || EqualsAnyCase(prefix, "geometry")) {
    kind = EqualsAnyCase(prefix, "geography") ? LiteralKind::kGeography : LiteralKind::kGeometry;
    valid = IsGeoValue(value);
    expected = "a shape such as SRID=0;Point(142.1 64.1)";
  } else if (IsQualifiedName(prefix)) {
    valid = IsEnumValue(value);
    expected = "member names or whole numbers joined by commas";
    name = std::string(prefix);
  } else {
    return Invalid(
        scanner, begin,
        "no literal begins with '" + std::string(prefix) +
            "'; prefixes are duration, binary, geography, geometry and Namespace.Enumeration");
  }
  if (!valid) return Invalid(scanner, begin, "the quoted value is not " + std::string(expected));
  TABLECAST_RETURN_IF_ERROR(ExpectBoundary(scanner, begin));
  Expr literal = Make(scanner, begin, kind, std::move(value));
  literal.name = std::move(name);
  return std::optional<Expr>(std::move(literal));
}

Result<std::optional<Expr>> TakeWordLiteral(Scanner& scanner) {
  const std::size_t begin = scanner.pos();
  const std::size_t first = scanner.IdentifierLength(begin);
  std::size_t end = begin + first;
  while (scanner.Peek(end - begin) == '.' && scanner.IdentifierLength(end + 1) > 0) {
    end += 1 + scanner.IdentifierLength(end + 1);
  }
  const std::string_view word = scanner.Rest().substr(0, end - begin);
  const char next = scanner.Peek(word.size());
  if (next == '\'') {
    scanner.Advance(word.size());
    return TakePrefixed(scanner, begin, word);
  }
  if (next == '(') return std::optional<Expr>();
  std::optional<LiteralKind> kind;
  if (EqualsAnyCase(word, "null")) kind = LiteralKind::kNull;
  if (EqualsAnyCase(word, "true") || EqualsAnyCase(word, "false")) kind = LiteralKind::kBoolean;
  if (word == "INF") kind = LiteralKind::kInfinity;
  if (word == "NaN") kind = LiteralKind::kNaN;
  if (!kind) return std::optional<Expr>();
  scanner.Advance(word.size());
  const bool keep_case = *kind == LiteralKind::kInfinity || *kind == LiteralKind::kNaN;
  return std::optional<Expr>(
      Make(scanner, begin, *kind, keep_case ? std::string(word) : LowerAscii(word)));
}

}  // namespace

Result<std::string> TakeQuoted(Scanner& scanner) {
  const std::size_t begin = scanner.pos();
  scanner.Advance(1);
  std::string value;
  while (true) {
    const std::string_view rest = scanner.Rest();
    const std::size_t quote = rest.find('\'');
    if (quote == std::string_view::npos) {
      return Invalid(scanner, begin, "the text that begins here is not closed by a quote");
    }
    value += rest.substr(0, quote);
    scanner.Advance(quote + 1);
    if (!scanner.Take('\'')) return value;
    value += '\'';
  }
}

Result<std::optional<Expr>> TakeLiteral(Scanner& scanner) {
  const std::size_t begin = scanner.pos();
  const std::string_view rest = scanner.Rest();
  const char c = scanner.Peek();
  if (c == '\'') {
    TABLECAST_ASSIGN_OR_RETURN(std::string value, TakeQuoted(scanner));
    if (IsDigit(scanner.Peek()) || scanner.IdentifierLength(scanner.pos()) > 0) {
      return Invalid(
          scanner, begin,
          "the text ends before " + scanner.Found() + "; a quote inside text is written twice");
    }
    return std::optional<Expr>(Make(scanner, begin, LiteralKind::kString, std::move(value)));
  }
  if (IsHex(c) && LooksLikeGuid(rest)) {
    scanner.Advance(36);
    TABLECAST_RETURN_IF_ERROR(ExpectBoundary(scanner, begin));
    return std::optional<Expr>(
        Make(scanner, begin, LiteralKind::kGuid, std::string(scanner.Text(begin, begin + 36))));
  }
  const char digit = c == '-' || c == '+' ? scanner.Peek(1) : c;
  if (IsDigit(digit)) {
    if (c != '+' && LooksLikeDate(rest)) return TakeDateLiteral(scanner);
    if (LooksLikeTimeOfDay(rest)) return TakeTimeLiteral(scanner);
    return TakeNumber(scanner);
  }
  if (c == '-' && scanner.Peek(4) != '(' && scanner.Peek(4) != '.' && rest.substr(1, 3) == "INF" &&
      scanner.IdentifierLength(begin + 1) == 3) {
    scanner.Advance(4);
    return std::optional<Expr>(Make(scanner, begin, LiteralKind::kInfinity, "-INF"));
  }
  if (scanner.IdentifierLength(begin) > 0) return TakeWordLiteral(scanner);
  return std::optional<Expr>();
}

}  // namespace tablecast::syntax
