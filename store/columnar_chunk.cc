#include "store/columnar_chunk.h"

#include <algorithm>

#include "store/byte_codec.h"

namespace tablecast {
namespace {

// First bytes: what it is, version 1.
constexpr std::uint8_t kChunk = 0x11;
constexpr std::uint8_t kKeys = 0x12;
constexpr std::uint8_t kHeader = 0x13;
constexpr std::size_t kMaxColumns = 4096;

Error Damaged() {
  return MakeError(ErrorCode::kDataLoss, "columnar-damaged",
                   "a columnar sidecar of this store cannot be read", {},
                   "take \"columnar\" out of the object, start `tablecast serve` once and put it back; the items "
                   "are not affected");
}

// Fewest of 0, 1, 2, 4, 8 bytes that hold `greatest`.
unsigned WidthOf(std::uint64_t greatest) {
  if (greatest == 0) return 0;
  if (greatest <= 0xFFU) return 1;
  if (greatest <= 0xFFFFU) return 2;
  return greatest <= 0xFFFFFFFFU ? 4 : 8;
}

void AppendFixed(std::string& out, std::uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFFU);
}

std::uint64_t ReadFixed(const char* at, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
  return value;
}

bool IsWidth(unsigned width) {
  return width <= 2 || width == 4 || width == 8;
}

}  // namespace

std::size_t ColumnChunk::MemoryBytes() const {
  std::size_t bytes = numbers.size() * sizeof(std::int64_t) + codes.size() * sizeof(std::uint32_t);
  for (const std::string& text : dictionary) bytes += sizeof(std::string) + text.size();
  return bytes;
}

std::string EncodeColumnChunk(const ColumnChunk& chunk) {
  std::string out;
  out += static_cast<char>(kChunk);
  out += static_cast<char>(chunk.form);
  AppendVarint(out, chunk.rows());
  if (chunk.form == ColumnChunk::Form::kNumbers) {
    std::int64_t least = 0;
    std::int64_t greatest = 0;
    bool any = false;
    for (const std::int64_t number : chunk.numbers) {
      if (number == ColumnChunk::kNull) continue;
      least = any ? std::min(least, number) : number;
      greatest = any ? std::max(greatest, number) : number;
      any = true;
    }
    // Offsets from the least value plus one; zero is no value.
    const std::uint64_t base = static_cast<std::uint64_t>(least);
    const unsigned width = any ? WidthOf(static_cast<std::uint64_t>(greatest) - base + 1) : 0;
    out += static_cast<char>(chunk.scale);
    AppendBigEndian(out, base);
    out += static_cast<char>(width);
    for (const std::int64_t number : chunk.numbers) {
      const bool null = number == ColumnChunk::kNull;
      AppendFixed(out, null ? 0 : static_cast<std::uint64_t>(number) - base + 1, width);
    }
    return out;
  }
  AppendVarint(out, chunk.dictionary.size());
  for (const std::string& text : chunk.dictionary) AppendBytes(out, text);
  const unsigned width = WidthOf(chunk.dictionary.size());
  out += static_cast<char>(width);
  for (const std::uint32_t code : chunk.codes) AppendFixed(out, code, width);
  return out;
}

Result<ColumnChunk> DecodeColumnChunk(std::string_view bytes) {
  ByteReader in(bytes);
  ColumnChunk chunk;
  const std::uint8_t version = in.Byte();
  const std::uint8_t form = in.Byte();
  const std::uint64_t rows = in.Varint();
  if (!in.ok() || version != kChunk || rows > kColumnarSegmentRows) return Damaged();
  if (form == static_cast<std::uint8_t>(ColumnChunk::Form::kNumbers)) {
    chunk.scale = in.Byte();
    const std::uint64_t base = in.BigEndian<std::uint64_t>();
    const unsigned width = in.Byte();
    const std::string_view values = in.Rest();
    if (!in.ok() || !IsWidth(width) || chunk.scale > 18 || values.size() != rows * width)
      return Damaged();
    chunk.numbers.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint64_t offset = ReadFixed(values.data() + i * width, width);
      if (offset == 0) {
        chunk.numbers[i] = ColumnChunk::kNull;
        continue;
      }
      const auto number = static_cast<std::int64_t>(base + (offset - 1));
      const bool first = chunk.least > chunk.greatest;
      chunk.least = first ? number : std::min(chunk.least, number);
      chunk.greatest = first ? number : std::max(chunk.greatest, number);
      chunk.numbers[i] = number;
    }
    return chunk;
  }
  if (form != static_cast<std::uint8_t>(ColumnChunk::Form::kTexts)) return Damaged();
  chunk.form = ColumnChunk::Form::kTexts;
  const std::uint64_t texts = in.Varint();
  if (!in.ok() || texts > rows) return Damaged();
  for (std::uint64_t i = 0; i < texts && in.ok(); ++i) {
    chunk.dictionary.emplace_back(in.Bytes());
    if (i > 0 && chunk.dictionary[i - 1] >= chunk.dictionary[i]) return Damaged();
  }
  const unsigned width = in.Byte();
  const std::string_view codes = in.Rest();
  if (!in.ok() || !IsWidth(width) || codes.size() != rows * width) return Damaged();
  chunk.codes.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t code = ReadFixed(codes.data() + i * width, width);
    if (code > texts) return Damaged();
    chunk.codes[i] = static_cast<std::uint32_t>(code);
  }
  return chunk;
}

void KeyChunk::Add(std::string_view key) {
  bytes += key;
  ends.push_back(static_cast<std::uint32_t>(bytes.size()));
}

std::string EncodeKeyChunk(const KeyChunk& chunk) {
  std::string out;
  out += static_cast<char>(kKeys);
  AppendVarint(out, chunk.rows());
  std::string_view before;
  for (std::size_t row = 0; row < chunk.rows(); ++row) {
    const std::string_view key = chunk.Key(row);
    const auto differs = std::mismatch(key.begin(), key.end(), before.begin(), before.end());
    const auto shared = static_cast<std::size_t>(differs.first - key.begin());
    AppendVarint(out, shared);
    AppendBytes(out, key.substr(shared));
    before = key;
  }
  return out;
}

Result<KeyChunk> DecodeKeyChunk(std::string_view bytes) {
  ByteReader in(bytes);
  KeyChunk chunk;
  const std::uint8_t version = in.Byte();
  const std::uint64_t rows = in.Varint();
  if (!in.ok() || version != kKeys || rows > kColumnarSegmentRows) return Damaged();
  std::string key;
  for (std::uint64_t row = 0; row < rows; ++row) {
    const std::uint64_t shared = in.Varint();
    const std::string_view rest = in.Bytes();
    if (!in.ok() || shared > key.size()) return Damaged();
    std::string next = key.substr(0, shared);
    next += rest;
    // Keys ascend, and a key has at most 3,072 bytes and their escapes.
    if ((row > 0 && next <= key) || next.size() > 16384) return Damaged();
    key = std::move(next);
    chunk.Add(key);
  }
  if (!in.Complete()) return Damaged();
  return chunk;
}

std::uint64_t ColumnarHeader::Rows() const {
  std::uint64_t rows = 0;
  for (const ColumnarSegment& segment : segments) rows += segment.rows;
  return rows;
}

std::string EncodeColumnarHeader(const ColumnarHeader& header) {
  std::string out;
  out += static_cast<char>(kHeader);
  AppendBytes(out, header.fingerprint);
  AppendBigEndian(out, header.sequence);
  AppendVarint(out, header.columns.size());
  for (const std::string& column : header.columns) AppendBytes(out, column);
  AppendVarint(out, header.segments.size());
  for (const ColumnarSegment& segment : header.segments) {
    AppendBigEndian(out, segment.id);
    AppendVarint(out, segment.rows);
    AppendBytes(out, segment.first_key);
    for (const bool kept : segment.kept) out += static_cast<char>(kept ? 1 : 0);
  }
  return out;
}

Result<ColumnarHeader> DecodeColumnarHeader(std::string_view bytes) {
  ByteReader in(bytes);
  ColumnarHeader header;
  if (in.Byte() != kHeader) return Damaged();
  header.fingerprint = in.Bytes();
  header.sequence = in.BigEndian<std::uint64_t>();
  const std::uint64_t columns = in.Varint();
  if (!in.ok() || columns > kMaxColumns) return Damaged();
  for (std::uint64_t i = 0; i < columns; ++i) header.columns.emplace_back(in.Bytes());
  const std::uint64_t segments = in.Varint();
  for (std::uint64_t i = 0; i < segments; ++i) {
    ColumnarSegment segment;
    segment.id = in.BigEndian<std::uint64_t>();
    const std::uint64_t rows = in.Varint();
    segment.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, 0xFFFFFFFFU));
    segment.first_key = in.Bytes();
    for (std::uint64_t column = 0; column < columns; ++column)
      segment.kept.push_back(in.Byte() != 0);
    const bool ordered = header.segments.empty() ||
                         header.segments.back().first_key < segment.first_key;
    if (!in.ok() || segment.rows > kColumnarSegmentRows || !ordered) return Damaged();
    header.segments.push_back(std::move(segment));
  }
  if (!in.Complete()) return Damaged();
  return header;
}

std::string ColumnarPrefix(std::string_view table) { return "columnar/" + std::string(table) + "/"; }

std::string ColumnarHeaderName(std::string_view table, std::string_view object) {
  return ColumnarPrefix(table) + std::string(object);
}

std::string ColumnarKeysName(std::string_view header_name, std::uint64_t segment) {
  return std::string(header_name) + "/" + std::to_string(segment) + "/keys";
}

std::string ColumnarChunkName(std::string_view header_name, std::uint64_t segment,
                              std::size_t column) {
  return std::string(header_name) + "/" + std::to_string(segment) + "/" + std::to_string(column);
}

}  // namespace tablecast
