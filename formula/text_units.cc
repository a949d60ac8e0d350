#include "formula/text_units.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"

namespace tablecast::formula {
namespace {

// Decodes forward to the first code point that begins at or after `unit` (0-based). `reached` is
// that code point's unit number: `unit`, or `unit` + 1 when a pair straddles it, or less at the
// end.
std::size_t OffsetOfUnit(std::string_view text, std::int64_t unit, std::int64_t& reached) {
  std::size_t offset = 0;
  reached = 0;
  while (offset < text.size() && reached < unit) {
    reached += DecodeUtf8(text, offset) > 0xFFFF ? 2 : 1;
  }
  return offset;
}

}  // namespace

std::int64_t UnitCount(std::string_view text, bool fast) {
  if (fast && IsAscii(text)) return static_cast<std::int64_t>(text.size());
  std::int64_t units = 0;
  for (std::size_t offset = 0; offset < text.size();) {
    units += DecodeUtf8(text, offset) > 0xFFFF ? 2 : 1;
  }
  return units;
}

std::string_view UnitSlice(std::string_view text, std::int64_t start, std::int64_t count,
                           bool fast) {
  if (fast && IsAscii(text)) {
    const auto size = static_cast<std::int64_t>(text.size());
    if (start >= size) return {};
    return text.substr(static_cast<std::size_t>(start),
                       static_cast<std::size_t>(std::min(count, size - start)));
  }
  std::int64_t unit = 0;
  const std::size_t begin = OffsetOfUnit(text, start, unit);
  // `unit` is start, or start + 1 when the slice begins with the second half of a pair.
  const std::int64_t stop = count > INT64_MAX - start ? INT64_MAX : start + count;
  std::size_t end = begin;
  while (end < text.size() && unit < stop) {
    std::size_t next = end;
    unit += DecodeUtf8(text, next) > 0xFFFF ? 2 : 1;
    if (unit > stop) break;  // the slice ends inside this pair
    end = next;
  }
  return text.substr(begin, end - begin);
}

std::int64_t UnitFind(std::string_view part, std::string_view text, std::int64_t start, bool fast) {
  if (fast && IsAscii(text)) {
    if (start > static_cast<std::int64_t>(text.size())) return 0;
    const std::size_t found = FindBytes(text, part, static_cast<std::size_t>(start - 1));
    return found == std::string_view::npos ? 0 : static_cast<std::int64_t>(found) + 1;
  }
  std::int64_t reached = 0;
  const std::size_t from = OffsetOfUnit(text, start - 1, reached);
  if (reached < start - 1) return 0;
  const std::size_t found = FindBytes(text, part, from);
  if (found == std::string_view::npos) return 0;
  return reached + UnitCount(text.substr(from, found - from), false) + 1;
}

std::size_t FindBytes(std::string_view text, std::string_view part, std::size_t from) {
  if (from > text.size() || part.size() > text.size() - from) return std::string_view::npos;
  if (part.empty()) return from;
  const char* start = text.data() + from;
  const std::size_t length = text.size() - from;
  // glibc's memmem is the two-way algorithm.
  const void* found = part.size() == 1 ? std::memchr(start, part[0], length)
                                       : memmem(start, length, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace tablecast::formula
