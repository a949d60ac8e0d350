#include "item/number.h"

// IMPLEMENTATION. Write |x| = 0.D1D2D3... * 100^E with base-100 digits Di, D1 and the last one not
// 0.
//   zero       80 00
//   positive   C0+E, Di+1 ..., 00
//   negative   3F-E, 101-Di ..., 66
// E runs from -64 to 63, so the first byte is 80..FF or 7F..00. The terminator lies below every
// digit byte of a positive number and above every one of a negative number, which makes memcmp
// order equal numeric order and keeps any code from being a prefix of another. Tested by
// tests/item/number_test.cc.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace tablecast {
namespace {

constexpr int kMaxDigits = 38;
constexpr std::int64_t kMaxMagnitude = 125;  // exponent of the leading digit
constexpr std::int64_t kMinMagnitude = -130;
constexpr unsigned char kPositiveEnd = 0x00;
constexpr unsigned char kNegativeEnd = 0x66;
constexpr int kMaxPairs = 20;  // 38 digits that start in the middle of a pair
// Exponents saturate here: beyond any text that fits in memory, within int64 when added up.
constexpr std::int64_t kExponentClamp = 1'000'000'000'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
unsigned char Byte(char c) { return static_cast<unsigned char>(c); }

// The digits of a text in normal form: 0.d1d2d3... * 10^(magnitude + 1).
struct ScannedNumber {
  bool negative = false;
  std::int64_t digits = 0;     // significant digits, leading and trailing zeros trimmed; 0 for zero
  std::int64_t magnitude = 0;  // exponent of the leading digit
  std::array<char, kMaxDigits> text;  // the first kMaxDigits of them
};

// Reads [+-]? (digits [. digits*] | . digits+) ([eE][+-]?digits)?, the whole text.
bool Scan(std::string_view input, ScannedNumber& number) {
  const char* p = input.data();
  const char* const end = p + input.size();
  if (p != end && (*p == '+' || *p == '-')) number.negative = *p++ == '-';
  bool any_digit = false;
  bool seen_point = false;
  std::int64_t integer_digits = 0;  // places before the point, from the first significant digit
  std::int64_t leading_fraction_zeros = 0;
  std::int64_t zeros = 0;  // zeros that count only if another digit follows
  for (; p != end; ++p) {
    const char c = *p;
    if (c == '.') {
      if (seen_point) return false;
      seen_point = true;
      continue;
    }
    if (!IsDigit(c)) break;
    any_digit = true;
    const bool started = number.digits > 0;
    if (c == '0') {
      if (started) {
        ++zeros;
        if (!seen_point) ++integer_digits;
      } else if (seen_point) {
        ++leading_fraction_zeros;
      }
      continue;
    }
    if (!seen_point) ++integer_digits;
    for (; zeros > 0; --zeros) {
      if (number.digits < kMaxDigits) {
        number.text[static_cast<std::size_t>(number.digits)] = '0';
        ++number.digits;
      } else {
        number.digits += zeros;
        zeros = 0;
        break;
      }
    }
    if (number.digits < kMaxDigits) number.text[static_cast<std::size_t>(number.digits)] = c;
    ++number.digits;
  }
  if (!any_digit) return false;
  std::int64_t exponent = 0;
  if (p != end) {
    if (*p != 'e' && *p != 'E') return false;
    ++p;
    bool negative_exponent = false;
    if (p != end && (*p == '+' || *p == '-')) negative_exponent = *p++ == '-';
    if (p == end) return false;
    for (; p != end; ++p) {
      if (!IsDigit(*p)) return false;
      exponent = std::min(exponent * 10 + (*p - '0'), kExponentClamp);
    }
    if (negative_exponent) exponent = -exponent;
  }
  number.magnitude =
      (integer_digits > 0 ? integer_digits - 1 : -leading_fraction_zeros - 1) + exponent;
  return true;
}

Error SyntaxError(std::string_view text) {
  constexpr std::size_t kShownBytes = 80;
  std::string shown(text.substr(0, kShownBytes));
  if (shown.size() < text.size()) {
    while (!shown.empty() && (Byte(shown.back()) & 0xC0U) == 0x80U) shown.pop_back();
    if (!shown.empty() && Byte(shown.back()) >= 0xC0U) shown.pop_back();
    shown += "...";
  }
  return MakeError(ErrorCode::kInvalidArgument, "number-syntax",
                   "The parameter cannot be converted to a numeric value: " + shown);
}

Status CheckRange(std::int64_t digits, std::int64_t magnitude) {
  if (digits == 0) return {};
  if (magnitude > kMaxMagnitude) {
    return MakeError(ErrorCode::kInvalidArgument, "number-overflow",
                     "Number overflow. Attempting to store a number with magnitude larger than "
                     "supported range");
  }
  if (magnitude < kMinMagnitude) {
    return MakeError(ErrorCode::kInvalidArgument, "number-underflow",
                     "Number underflow. Attempting to store a number with magnitude smaller than "
                     "supported range");
  }
  if (digits > kMaxDigits) {
    return MakeError(ErrorCode::kInvalidArgument, "number-digits",
                     "Attempting to store more than 38 significant digits in a Number");
  }
  return {};
}

// REQUIRES: `digits` in normal form, in range (CheckRange); empty for zero.
std::string EncodeDigits(bool negative, std::string_view digits, std::int64_t magnitude) {
  if (digits.empty()) return std::string("\x80\x00", 2);
  std::array<char, kMaxNumberCodeBytes> code;
  std::size_t size = 0;
  const auto places = static_cast<int>(magnitude) + 1;       // |x| = 0.d1d2... * 10^places
  const bool half_pair = (places % 2) != 0;                  // the first pair is 0 d1
  const int exponent = (places + (places > 0 ? 1 : 0)) / 2;  // rounds up
  code[size++] = static_cast<char>(negative ? 0x3F - exponent : 0xC0 + exponent);
  std::size_t at = 0;
  const auto append_pair = [&](int value) {
    code[size++] = static_cast<char>(negative ? 101 - value : value + 1);
  };
  if (half_pair) append_pair(digits[at++] - '0');
  for (; at + 1 < digits.size(); at += 2) {
    append_pair((digits[at] - '0') * 10 + (digits[at + 1] - '0'));
  }
  if (at < digits.size()) append_pair((digits[at] - '0') * 10);
  code[size++] = static_cast<char>(negative ? kNegativeEnd : kPositiveEnd);
  return std::string(code.data(), size);
}

// A code split up. pairs == 0 stands for zero.
struct ParsedCode {
  bool negative = false;
  int exponent = 0;  // E
  int pairs = 0;
  const char* first = nullptr;

  int Pair(int index) const {
    const int byte = Byte(first[index]);
    return negative ? 101 - byte : byte - 1;
  }
};

// Length of the code at the start of `bytes`, 0 when there is none.
std::size_t ParseCode(std::string_view bytes, ParsedCode& code) {
  if (bytes.size() < 2) return 0;
  const int lead = Byte(bytes[0]);
  if (lead == 0x80 && bytes[1] == 0) {
    code = ParsedCode{};
    return 2;
  }
  code.negative = lead < 0x80;
  code.exponent = code.negative ? 0x3F - lead : lead - 0xC0;
  code.first = bytes.data() + 1;
  const unsigned char terminator = code.negative ? kNegativeEnd : kPositiveEnd;
  const unsigned char lowest = code.negative ? 0x02 : 0x01;  // 99, or 00
  const std::size_t limit = std::min(bytes.size() - 1, static_cast<std::size_t>(kMaxPairs) + 1);
  for (std::size_t i = 0; i < limit; ++i) {
    const unsigned char byte = Byte(code.first[i]);
    if (byte == terminator) {
      code.pairs = static_cast<int>(i);
      if (code.pairs == 0) return 0;
      const int leading = code.Pair(0);
      const int last = code.Pair(code.pairs - 1);
      if (leading == 0 || last == 0) return 0;  // not canonical
      const int digits = 2 * code.pairs - (leading < 10 ? 1 : 0) - (last % 10 == 0 ? 1 : 0);
      return digits > kMaxDigits ? 0 : i + 2;
    }
    if (byte < lowest || byte > lowest + 99) return 0;
  }
  return 0;
}

constexpr std::array<char, 200> MakePairTable() {
  std::array<char, 200> table{};
  for (std::size_t i = 0; i < 100; ++i) {
    table[2 * i] = static_cast<char>('0' + i / 10);
    table[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return table;
}
constexpr std::array<char, 200> kPairs = MakePairTable();

}  // namespace

Result<std::string> EncodeNumberText(std::string_view text) {
  ScannedNumber number;
  if (!Scan(text, number)) return SyntaxError(text);
  TABLECAST_RETURN_IF_ERROR(CheckRange(number.digits, number.magnitude));
  return EncodeDigits(number.negative,
                      {number.text.data(), static_cast<std::size_t>(number.digits)},
                      number.magnitude);
}

Result<std::string> EncodeNumber(const Decimal& value) {
  if (value.IsZero()) return EncodeDigits(false, {}, 0);
  const std::string digits = value.Digits();
  const std::int32_t magnitude = value.Magnitude();
  TABLECAST_RETURN_IF_ERROR(CheckRange(static_cast<std::int64_t>(digits.size()), magnitude));
  return EncodeDigits(value.IsNegative(), digits, magnitude);
}

Result<Decimal> DecodeNumber(std::string_view code) {
  ParsedCode parsed;
  if (const std::size_t length = ParseCode(code, parsed); length == 0 || length != code.size()) {
    return MakeError(ErrorCode::kDataLoss, "number-code",
                     "the stored bytes of a number are damaged");
  }
  const int exponent = 2 * (parsed.exponent - parsed.pairs);
  constexpr int kPairsInUint64 = 9;
  if (parsed.pairs <= kPairsInUint64) {
    std::uint64_t coefficient = 0;
    for (int i = 0; i < parsed.pairs; ++i) {
      coefficient = coefficient * 100 + static_cast<std::uint64_t>(parsed.Pair(i));
    }
    return Decimal::FromParts(parsed.negative, coefficient, parsed.pairs == 0 ? 0 : exponent);
  }
  std::string text = parsed.negative ? "-" : "";
  for (int i = 0; i < parsed.pairs; ++i) {
    text.append(&kPairs[2 * static_cast<std::size_t>(parsed.Pair(i))], 2);
  }
  return Decimal::Parse(text + "e" + std::to_string(exponent));
}

void AppendNumberText(std::string& out, std::string_view code) {
  ParsedCode parsed;
  if (ParseCode(code, parsed) != code.size() || parsed.pairs == 0) {
    out += '0';
    return;
  }
  // Widest: sign, "0.", 128 zeros, 40 digits.
  std::array<char, 192> text;
  char* p = text.data();
  if (parsed.negative) *p++ = '-';
  const auto put_pair = [&](int pair) {
    std::memcpy(p, &kPairs[2 * static_cast<std::size_t>(pair)], 2);
    p += 2;
  };
  int at = 0;
  if (parsed.exponent <= 0) {
    *p++ = '0';
    *p++ = '.';
    const auto zeros = static_cast<std::size_t>(-2 * parsed.exponent);
    std::memset(p, '0', zeros);
    p += zeros;
  } else {
    const int leading = parsed.Pair(0);
    if (leading < 10) {
      *p++ = static_cast<char>('0' + leading);
    } else {
      put_pair(leading);
    }
    const int whole = std::min(parsed.exponent, parsed.pairs);
    for (at = 1; at < whole; ++at) put_pair(parsed.Pair(at));
    const auto zeros = static_cast<std::size_t>(2 * (parsed.exponent - whole));
    std::memset(p, '0', zeros);
    p += zeros;
    if (at < parsed.pairs) *p++ = '.';
  }
  if (at < parsed.pairs) {
    for (; at < parsed.pairs; ++at) put_pair(parsed.Pair(at));
    if (p[-1] == '0') --p;  // the last pair is not 00
  }
  out.append(text.data(), static_cast<std::size_t>(p - text.data()));
}

std::string NumberText(std::string_view code) {
  std::string text;
  AppendNumberText(text, code);
  return text;
}

std::size_t NumberCodeLength(std::string_view bytes) {
  ParsedCode parsed;
  return ParseCode(bytes, parsed);
}

bool IsValidNumberCode(std::string_view code) {
  const std::size_t length = NumberCodeLength(code);
  return length != 0 && length == code.size();
}

std::size_t NumberItemSize(std::string_view code) {
  constexpr std::size_t kMaxSize = 21;
  if (code.size() < 2) return 1;
  const bool negative = Byte(code[0]) < 0x80;
  return std::min(code.size() - 1 + (negative ? 1U : 0U), kMaxSize);
}

}  // namespace tablecast
