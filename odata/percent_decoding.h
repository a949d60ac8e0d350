#ifndef TABLECAST_ODATA_PERCENT_DECODING_H_
#define TABLECAST_ODATA_PERCENT_DECODING_H_

// Percent-decoding that remembers where each decoded byte came from, so that errors and spans can
// point into the text as the caller wrote it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "odata/query_options.h"

namespace tablecast::syntax {

struct DecodedText {
  std::string text;
  // Offset in the undecoded text per decoded byte, one more for the end. Empty = offsets count in
  // `text` itself.
  std::vector<std::uint32_t> offsets;
  // True when '+' became a blank: lets the literal scanner take a blank for the sign in
  // 2022-01-01T00:00:00+02:00.
  bool plus_was_blank = false;

  std::uint32_t Where(std::size_t decoded_offset) const {
    return offsets.empty() ? static_cast<std::uint32_t>(decoded_offset) : offsets[decoded_offset];
  }
};

// Decodes `text`, which stands at `base` of a larger text; offsets are recorded for
// Positions::kText. ERRORS: "percent-encoding", "invalid-utf8"; position.offset counts from `base`
// on.
Result<DecodedText> DecodeText(std::string_view text, std::size_t base, PlusSign plus,
                               Positions positions);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_PERCENT_DECODING_H_
