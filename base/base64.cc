#include "base/base64.h"

// Tested by tests/base/base64_test.cc. SOURCE: RFC 4648, sections 4, 5 and 3.5 (canonical
// encoding).

#include <array>
#include <cstdint>

namespace tablecast {
namespace {

constexpr std::string_view kStandardAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kNoDigit = 0xFF;

using DigitTable = std::array<std::uint8_t, 256>;

constexpr DigitTable MakeDigitTable(std::string_view alphabet) {
  DigitTable table{};
  for (auto& digit : table) digit = kNoDigit;
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return table;
}

constexpr DigitTable kStandardDigits = MakeDigitTable(kStandardAlphabet);
constexpr DigitTable kUrlDigits = MakeDigitTable(kUrlAlphabet);

enum class Padding { kRequired, kOptional };

std::string Encode(std::string_view bytes, std::string_view alphabet, Padding padding) {
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  const auto byte = [bytes](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(bytes[i])};
  };
  char* p = out.data();
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    *p++ = alphabet[group >> 18U];
    *p++ = alphabet[(group >> 12U) & 0x3FU];
    *p++ = alphabet[(group >> 6U) & 0x3FU];
    *p++ = alphabet[group & 0x3FU];
  }
  const std::size_t left = bytes.size() - i;
  if (left > 0) {
    const std::uint32_t group = byte(i) << 16U | (left == 2 ? byte(i + 1) << 8U : 0U);
    p[0] = alphabet[group >> 18U];
    p[1] = alphabet[(group >> 12U) & 0x3FU];
    if (left == 2) p[2] = alphabet[(group >> 6U) & 0x3FU];
    if (padding == Padding::kOptional) out.resize(out.size() - (3 - left));
  }
  return out;
}

Error SyntaxError(std::string message, std::size_t offset) {
  return MakeError(ErrorCode::kInvalidArgument, "base64-syntax",
                   std::move(message) + " at byte " + std::to_string(offset), {}, {},
                   {.line = 0, .column = 0, .offset = offset});
}

Result<std::string> Decode(std::string_view text, const DigitTable& digits, Padding padding) {
  std::string_view body = text;
  if (text.size() % 4 == 0) {
    for (int i = 0; i < 2 && !body.empty() && body.back() == '='; ++i) body.remove_suffix(1);
  } else if (padding == Padding::kRequired) {
    return SyntaxError("base64 text must be padded to a multiple of four characters", text.size());
  }
  const std::size_t left = body.size() % 4;
  std::string out;
  out.reserve(body.size() / 4 * 3 + 2);
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const std::uint8_t digit = digits[static_cast<unsigned char>(body[i])];
    if (digit == kNoDigit) return SyntaxError("character that is no base64 digit", i);
    group = group << 6U | digit;
    if (i % 4 == 3) {
      out += static_cast<char>(group >> 16U);
      out += static_cast<char>((group >> 8U) & 0xFFU);
      out += static_cast<char>(group & 0xFFU);
      group = 0;
    }
  }
  if (left == 1) return SyntaxError("base64 text ends in the middle of a byte", body.size() - 1);
  const std::uint32_t unused = left == 2 ? group & 0xFU : left == 3 ? group & 0x3U : 0U;
  if (unused != 0)
    return SyntaxError("base64 text ends in bits that no byte holds", body.size() - 1);
  if (left == 2) out += static_cast<char>(group >> 4U);
  if (left == 3) {
    out += static_cast<char>(group >> 10U);
    out += static_cast<char>((group >> 2U) & 0xFFU);
  }
  return out;
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  return Encode(bytes, kStandardAlphabet, Padding::kRequired);
}
std::string EncodeBase64Url(std::string_view bytes) {
  return Encode(bytes, kUrlAlphabet, Padding::kOptional);
}
Result<std::string> DecodeBase64(std::string_view text) {
  return Decode(text, kStandardDigits, Padding::kRequired);
}
Result<std::string> DecodeBase64Url(std::string_view text) {
  return Decode(text, kUrlDigits, Padding::kOptional);
}

}  // namespace tablecast
