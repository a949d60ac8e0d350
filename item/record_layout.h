#ifndef TABLECAST_ITEM_RECORD_LAYOUT_H_
#define TABLECAST_ITEM_RECORD_LAYOUT_H_

// The frame of a stored record, shared by its encoder and ItemView. Private to item/.
//
//   form (u8) | count | count x {id, end} | values
//
// The form says how wide the integers are; most records are short. Ids ascend. A value is its type
// byte and payload; it begins where the one before ends, and `end` counts from the start of the
// values. All integers are little-endian. docs/format.md has the details.

#include <cstdint>
#include <string_view>

#include "item/attribute_value.h"
#include "item/byte_reader.h"

namespace tablecast::internal {

// On disk, never renumber. A later version of the format takes new numbers.
enum class RecordForm : std::uint8_t { kShort = 1, kNarrow = 2, kWide = 3 };

// UNITS: bytes.
struct RecordWidths {
  std::size_t header;  // form and count
  std::size_t id;      // the count is as wide as an id
  std::size_t end;
  constexpr std::size_t entry() const { return id + end; }
};

constexpr RecordWidths WidthsOf(RecordForm form) {
  switch (form) {
    case RecordForm::kShort: return {2, 1, 1};
    case RecordForm::kNarrow: return {3, 2, 2};
    case RecordForm::kWide: break;
  }
  return {3, 2, 4};
}

// A record whose directory lies inside its bytes. The ends in it are not yet trusted.
class RecordLayout {
 public:
  // False when the frame is damaged.
  bool Open(std::string_view record) {
    if (record.size() < 2) return false;
    const std::uint32_t form = ByteAt(record.data());
    if (form < static_cast<std::uint32_t>(RecordForm::kShort) ||
        form > static_cast<std::uint32_t>(RecordForm::kWide)) {
      return false;
    }
    form_ = static_cast<RecordForm>(form);
    const RecordWidths widths = WidthsOf(form_);
    if (record.size() < widths.header) return false;
    count_ = widths.id == 1 ? ByteAt(record.data() + 1) : LoadU16(record.data() + 1);
    directory_ = record.data() + widths.header;
    const std::size_t before_values = widths.header + count_ * widths.entry();
    if (before_values > record.size()) return false;
    values_ = record.substr(before_values);
    return true;
  }

  std::size_t count() const { return count_; }
  std::size_t values_size() const { return values_.size(); }

  // REQUIRES: index < count().
  std::uint32_t IdAt(std::size_t index) const {
    const RecordWidths widths = WidthsOf(form_);
    const char* const entry = directory_ + index * widths.entry();
    return widths.id == 1 ? ByteAt(entry) : LoadU16(entry);
  }

  // REQUIRES: index < count().
  std::size_t EndAt(std::size_t index) const {
    const RecordWidths widths = WidthsOf(form_);
    const char* const end = directory_ + index * widths.entry() + widths.id;
    switch (form_) {
      case RecordForm::kShort: return ByteAt(end);
      case RecordForm::kNarrow: return LoadU16(end);
      case RecordForm::kWide: break;
    }
    return LoadU32(end);
  }

  // Absent when the bytes are damaged. REQUIRES: index < count().
  AttributeView ValueAt(std::size_t index) const {
    return Slice(index == 0 ? 0 : EndAt(index - 1), EndAt(index));
  }

  // Absent when there is no such id.
  AttributeView Find(std::uint32_t id) const {
    switch (form_) {
      case RecordForm::kShort: return FindAs<1, 1>(id);
      case RecordForm::kNarrow: return FindAs<2, 2>(id);
      case RecordForm::kWide: break;
    }
    return FindAs<2, 4>(id);
  }

 private:
  template <std::size_t kBytes>
  static std::uint32_t Load(const char* p) {
    if constexpr (kBytes == 1) {
      return ByteAt(p);
    } else if constexpr (kBytes == 2) {
      return LoadU16(p);
    } else {
      return LoadU32(p);
    }
  }

  // Binary search without a branch on the comparison.
  template <std::size_t kIdBytes, std::size_t kEndBytes>
  AttributeView FindAs(std::uint32_t id) const {
    constexpr std::size_t kEntryBytes = kIdBytes + kEndBytes;
    if (count_ == 0) return {};
    const char* entry = directory_;
    for (std::size_t size = count_; size > 1;) {
      const std::size_t half = size / 2;
      const char* const middle = entry + half * kEntryBytes;
      entry = Load<kIdBytes>(middle) <= id ? middle : entry;
      size -= half;
    }
    if (Load<kIdBytes>(entry) != id) return {};
    const char* const end = entry + kIdBytes;
    return Slice(entry == directory_ ? 0 : Load<kEndBytes>(end - kEntryBytes),
                 Load<kEndBytes>(end));
  }

  AttributeView Slice(std::size_t begin, std::size_t end) const {
    if (begin >= end || end > values_.size()) return {};
    const std::uint32_t type = ByteAt(values_.data() + begin);
    if (type < static_cast<std::uint32_t>(AttributeType::kS) ||
        type > static_cast<std::uint32_t>(AttributeType::kBS)) {
      return {};
    }
    return AttributeView(static_cast<AttributeType>(type),
                         std::string_view(values_.data() + begin + 1, end - begin - 1));
  }

  RecordForm form_ = RecordForm::kShort;
  const char* directory_ = nullptr;
  std::size_t count_ = 0;
  std::string_view values_;
};

}  // namespace tablecast::internal

#endif  // TABLECAST_ITEM_RECORD_LAYOUT_H_
