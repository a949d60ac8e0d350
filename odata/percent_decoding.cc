#include "odata/percent_decoding.h"

#include <utility>

#include "base/utf8.h"

namespace tablecast::syntax {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Error Refuse(std::string_view reason, std::string_view message, std::size_t offset) {
  TextPosition position;
  position.offset = offset;
  return MakeError(ErrorCode::kInvalidArgument, std::string(reason), std::string(message), {}, {},
                   position);
}

}  // namespace

Result<DecodedText> DecodeText(std::string_view text, std::size_t base, PlusSign plus,
                               Positions positions) {
  DecodedText decoded;
  decoded.plus_was_blank = plus == PlusSign::kBlank;
  decoded.text.reserve(text.size());
  const bool keep_offsets = positions == Positions::kText;
  if (keep_offsets) decoded.offsets.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (keep_offsets) decoded.offsets.push_back(static_cast<std::uint32_t>(base + i));
    const char c = text[i];
    if (c == '%') {
      const int high = i + 1 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return Refuse(
            "percent-encoding",
            "'%' is not followed by two hexadecimal digits; a percent sign is written %25",
            base + i);
      }
      decoded.text.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    } else if (c == '+' && plus == PlusSign::kBlank) {
      decoded.text.push_back(' ');
    } else {
      decoded.text.push_back(c);
    }
  }
  if (keep_offsets) decoded.offsets.push_back(static_cast<std::uint32_t>(base + text.size()));
  if (const auto bad = FindInvalidUtf8(decoded.text)) {
    return Refuse("invalid-utf8", "the text is not valid UTF-8 after percent-decoding",
                  keep_offsets ? decoded.offsets[*bad] : base + *bad);
  }
  return decoded;
}

Result<std::string> PercentDecode(std::string_view text, PlusSign plus) {
  TABLECAST_ASSIGN_OR_RETURN(DecodedText decoded, DecodeText(text, 0, plus, Positions::kText));
  return std::move(decoded.text);
}

}  // namespace tablecast::syntax
