// Records: every attribute of an item but its key columns (docs/format.md, "Records").
//
// IMPLEMENTATION. Values first, into a buffer of their own; their size and the largest id decide
// the form, and then the record is put together in one exact allocation. Tested by
// tests/item/item_view_test.cc and tests/item/codec_property_test.cc.

#include <algorithm>
#include <vector>

#include "item/byte_reader.h"
#include "item/item_codec.h"
#include "item/record_layout.h"

namespace tablecast {
namespace {

using internal::RecordForm;
using internal::RecordWidths;

struct Column {
  AttributeNames::Id id;
  const AttributeValue* value;
  std::uint32_t end = 0;
};

RecordForm FormFor(const std::vector<Column>& columns, std::size_t value_bytes) {
  constexpr std::size_t kMaxU8 = 0xFF;
  constexpr std::size_t kMaxU16 = 0xFFFF;
  const bool short_ids =
      columns.size() <= kMaxU8 && (columns.empty() || columns.back().id <= kMaxU8);
  if (short_ids && value_bytes <= kMaxU8) return RecordForm::kShort;
  return value_bytes <= kMaxU16 ? RecordForm::kNarrow : RecordForm::kWide;
}

char* PutInteger(char* out, std::size_t width, std::uint32_t value) {
  for (; width > 0; --width, value >>= 8U) *out++ = static_cast<char>(value & 0xFFU);
  return out;
}

}  // namespace

Result<std::string> EncodeRecord(const TableSchema& schema, const Item& item,
                                 AttributeNames& names) {
  std::vector<Column> columns;
  columns.reserve(item.size());
  for (const auto& [name, value] : item) {
    if (name == schema.key.partition.name) continue;
    if (schema.key.sort && name == schema.key.sort->name) continue;
    TABLECAST_ASSIGN_OR_RETURN(const AttributeNames::Id id, names.Intern(name));
    columns.push_back({id, &value});
  }
  std::sort(columns.begin(), columns.end(),
            [](const Column& a, const Column& b) { return a.id < b.id; });

  constexpr std::size_t kUsualValueBytes = 16;
  std::string values;
  values.reserve(columns.size() * kUsualValueBytes);
  for (Column& column : columns) {
    values += static_cast<char>(column.value->type());
    AppendPayload(values, *column.value);
    column.end = static_cast<std::uint32_t>(values.size());
  }

  const RecordForm form = FormFor(columns, values.size());
  const RecordWidths widths = internal::WidthsOf(form);
  const std::size_t values_at = widths.header + columns.size() * widths.entry();
  std::string record;
  record.reserve(values_at + values.size());
  record.resize(values_at);
  char* at = record.data();
  *at++ = static_cast<char>(form);
  at = PutInteger(at, widths.id, static_cast<std::uint32_t>(columns.size()));
  for (const Column& column : columns) {
    at = PutInteger(at, widths.id, column.id);
    at = PutInteger(at, widths.end, column.end);
  }
  record += values;
  return record;
}

}  // namespace tablecast
