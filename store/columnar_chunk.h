#ifndef TABLECAST_STORE_COLUMNAR_CHUNK_H_
#define TABLECAST_STORE_COLUMNAR_CHUNK_H_

// Bytes of the columnar sidecar: one column over the rows of one segment, the keys of those rows, and
// the header that names the segments. Stored as named values of the store beside the items, which
// stay the truth; docs/format.md has the layout. What a number or a text means is the connector's
// business.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tablecast {

inline constexpr std::size_t kColumnarSegmentRows = 65536;

// One column of one segment. Plain data; immutable once shared.
struct ColumnChunk {
  enum class Form : std::uint8_t { kNumbers = 1, kTexts = 2 };  // on disk, never renumber
  static constexpr std::int64_t kNull = std::numeric_limits<std::int64_t>::min();

  Form form = Form::kNumbers;
  std::int32_t scale = 0;             // kNumbers: the value is number * 10^-scale; 0..18
  std::vector<std::int64_t> numbers;  // kNull where there is no value; others within +-2^62
  std::int64_t least = 0;  // of the numbers that are values; least > greatest when there is none.
  std::int64_t greatest = -1;  // Set by decoding.
  std::vector<std::uint32_t> codes;   // kTexts: 0 = no value, else dictionary[code - 1]
  std::vector<std::string> dictionary;  // ascending, no duplicates

  std::size_t rows() const { return form == Form::kNumbers ? numbers.size() : codes.size(); }
  std::size_t MemoryBytes() const;
};
std::string EncodeColumnChunk(const ColumnChunk& chunk);
// ERRORS: kDataLoss "columnar-damaged", also for more rows than a segment has.
Result<ColumnChunk> DecodeColumnChunk(std::string_view bytes);

// Encoded item keys of a segment's rows, ascending.
struct KeyChunk {
  std::string bytes;
  std::vector<std::uint32_t> ends;
  std::size_t rows() const { return ends.size(); }
  std::string_view Key(std::size_t row) const {
    const std::uint32_t begin = row == 0 ? 0 : ends[row - 1];
    return std::string_view(bytes).substr(begin, ends[row] - begin);
  }
  void Add(std::string_view key);
};
std::string EncodeKeyChunk(const KeyChunk& chunk);
Result<KeyChunk> DecodeKeyChunk(std::string_view bytes);  // ERRORS: kDataLoss "columnar-damaged"

struct ColumnarSegment {
  std::uint64_t id = 0;  // random: no two segments of any store share one, so copies in memory are safe
  std::uint32_t rows = 0;
  std::string first_key;    // the segment holds all records from this key to the next segment's
  std::vector<bool> kept;   // by column: false where its values have no exact columnar form
};
struct ColumnarHeader {
  std::string fingerprint;  // of qualifier and columns; another one is another sidecar
  std::uint64_t sequence = 0;  // change of the table that it reflects
  std::vector<std::string> columns;
  std::vector<ColumnarSegment> segments;
  std::uint64_t Rows() const;
};
std::string EncodeColumnarHeader(const ColumnarHeader& header);
// ERRORS: kDataLoss "columnar-damaged".
Result<ColumnarHeader> DecodeColumnarHeader(std::string_view bytes);

// Names of the stored values. All of a table begin with ColumnarPrefix and go when it is dropped.
std::string ColumnarPrefix(std::string_view table);
std::string ColumnarHeaderName(std::string_view table, std::string_view object);
std::string ColumnarKeysName(std::string_view header_name, std::uint64_t segment);
std::string ColumnarChunkName(std::string_view header_name, std::uint64_t segment,
                              std::size_t column);

}  // namespace tablecast

#endif  // TABLECAST_STORE_COLUMNAR_CHUNK_H_
