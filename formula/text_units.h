#ifndef TABLECAST_FORMULA_TEXT_UNITS_H_
#define TABLECAST_FORMULA_TEXT_UNITS_H_

// Text measured in UTF-16 code units, as the formula language counts, over UTF-8 bytes. A cut
// through the middle of a surrogate pair drops the half. SOURCE: spec formula.md section 6.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tablecast::formula {

// Units of `text`. With `fast`, pure ASCII text is recognised and not decoded.
std::int64_t UnitCount(std::string_view text, bool fast);

// Units [start, start + count); parts outside of the text are ignored. REQUIRES: start >= 0, count
// >= 0. BORROWS text. COST: one pass up to the end of the slice; with `fast` and ASCII, none.
std::string_view UnitSlice(std::string_view text, std::int64_t start, std::int64_t count,
                           bool fast);

// 1-based unit position of the first `part` at or after unit `start` (1-based); 0 when absent.
// REQUIRES: start >= 1, part not empty.
std::int64_t UnitFind(std::string_view part, std::string_view text, std::int64_t start, bool fast);

// Byte offset of the first `part` at or after byte `from`, or npos. Linear in the worst case, which
// std::string_view::find is not.
std::size_t FindBytes(std::string_view text, std::string_view part, std::size_t from);

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_TEXT_UNITS_H_
