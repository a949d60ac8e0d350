#ifndef TABLECAST_ITEM_RECORD_LAYOUT_H_
#define TABLECAST_ITEM_RECORD_LAYOUT_H_

// The frame of a stored record, shared by its encoder and ItemView. Private to item/.
//
//   form (1 byte) | count (u16) | count x {id (u16), end (u16 or u32)} | values
//
// Ids ascend. A value is its type byte and payload; it begins where the one before ends, and `end`
// counts from the start of the values. All integers are little-endian. docs/format.md has the
// details.

#include <cstdint>
#include <optional>
#include <string_view>

#include "item/attribute_value.h"
#include "item/byte_reader.h"

namespace tablecast::internal {

// On disk, never renumber. A later version of the format takes new numbers.
enum class RecordForm : std::uint8_t { kNarrow = 1, kWide = 2 };

inline constexpr std::size_t kRecordHeaderBytes = 3;
inline constexpr std::size_t kNarrowEntryBytes = 4;
inline constexpr std::size_t kWideEntryBytes = 6;
inline constexpr std::size_t kNarrowMaxValueBytes = 0xFFFF;

// A record whose directory lies inside its bytes. The ends in it are not yet trusted.
class RecordLayout {
 public:
  // False when the frame is damaged.
  bool Open(std::string_view record) {
    if (record.size() < kRecordHeaderBytes) return false;
    const std::uint32_t form = ByteAt(record.data());
    if (form == static_cast<std::uint32_t>(RecordForm::kNarrow)) {
      entry_bytes_ = kNarrowEntryBytes;
    } else if (form == static_cast<std::uint32_t>(RecordForm::kWide)) {
      entry_bytes_ = kWideEntryBytes;
    } else {
      return false;
    }
    count_ = LoadU16(record.data() + 1);
    directory_ = record.data() + kRecordHeaderBytes;
    const std::size_t before_values = kRecordHeaderBytes + count_ * entry_bytes_;
    if (before_values > record.size()) return false;
    values_ = record.substr(before_values);
    return true;
  }

  std::size_t count() const { return count_; }
  std::size_t values_size() const { return values_.size(); }
  std::uint32_t IdAt(std::size_t index) const { return LoadU16(directory_ + index * entry_bytes_); }
  std::size_t EndAt(std::size_t index) const {
    const char* const end = directory_ + index * entry_bytes_ + 2;
    return entry_bytes_ == kNarrowEntryBytes ? LoadU16(end) : LoadU32(end);
  }

  // Absent when the bytes are damaged. REQUIRES: index < count().
  AttributeView ValueAt(std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : EndAt(index - 1);
    const std::size_t end = EndAt(index);
    if (begin >= end || end > values_.size()) return {};
    const std::uint32_t type = ByteAt(values_.data() + begin);
    if (type < static_cast<std::uint32_t>(AttributeType::kS) ||
        type > static_cast<std::uint32_t>(AttributeType::kBS)) {
      return {};
    }
    return AttributeView(static_cast<AttributeType>(type),
                         std::string_view(values_.data() + begin + 1, end - begin - 1));
  }

  // Binary search without a branch on the comparison.
  std::optional<std::size_t> IndexOf(std::uint32_t id) const {
    if (count_ == 0) return std::nullopt;
    std::size_t base = 0;
    for (std::size_t size = count_; size > 1;) {
      const std::size_t half = size / 2;
      base = IdAt(base + half) <= id ? base + half : base;
      size -= half;
    }
    if (IdAt(base) != id) return std::nullopt;
    return base;
  }

 private:
  const char* directory_ = nullptr;
  std::size_t count_ = 0;
  std::size_t entry_bytes_ = kNarrowEntryBytes;
  std::string_view values_;
};

}  // namespace tablecast::internal

#endif  // TABLECAST_ITEM_RECORD_LAYOUT_H_
