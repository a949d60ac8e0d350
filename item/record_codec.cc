// Records: every attribute of an item but its key columns (docs/format.md, "Records").
//
// IMPLEMENTATION. The narrow form is written in one pass, with the directory's room left free in
// front. Only when the values outgrow 16-bit ends is the record laid out again in the wide form.
// Tested by tests/item/item_codec_test.cc and tests/item/codec_property_test.cc.

#include <algorithm>
#include <vector>

#include "item/byte_reader.h"
#include "item/item_codec.h"
#include "item/record_layout.h"

namespace tablecast {
namespace {

using internal::kNarrowEntryBytes;
using internal::kNarrowMaxValueBytes;
using internal::kRecordHeaderBytes;
using internal::kWideEntryBytes;
using internal::RecordForm;

struct Column {
  AttributeNames::Id id;
  const AttributeValue* value;
};

// Turns a narrow record into a wide one; `ends` holds the true ends.
std::string Widen(std::string_view narrow, const std::vector<Column>& columns,
                  const std::vector<std::uint32_t>& ends) {
  std::string wide;
  const std::string_view values =
      narrow.substr(kRecordHeaderBytes + columns.size() * kNarrowEntryBytes);
  wide.reserve(kRecordHeaderBytes + columns.size() * kWideEntryBytes + values.size());
  wide.resize(kRecordHeaderBytes + columns.size() * kWideEntryBytes);
  wide[0] = static_cast<char>(RecordForm::kWide);
  internal::StoreU16(wide.data() + 1, static_cast<std::uint32_t>(columns.size()));
  char* entry = wide.data() + kRecordHeaderBytes;
  for (std::size_t i = 0; i < columns.size(); ++i, entry += kWideEntryBytes) {
    internal::StoreU16(entry, columns[i].id);
    internal::StoreU32(entry + 2, ends[i]);
  }
  wide += values;
  return wide;
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

  const std::size_t values_at = kRecordHeaderBytes + columns.size() * kNarrowEntryBytes;
  std::string record;
  record.reserve(values_at + 16 * columns.size());
  record.resize(values_at);
  record[0] = static_cast<char>(RecordForm::kNarrow);
  internal::StoreU16(record.data() + 1, static_cast<std::uint32_t>(columns.size()));
  std::vector<std::uint32_t> ends(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    record += static_cast<char>(columns[i].value->type());
    AppendPayload(record, *columns[i].value);
    ends[i] = static_cast<std::uint32_t>(record.size() - values_at);
  }
  if (record.size() - values_at > kNarrowMaxValueBytes) return Widen(record, columns, ends);
  char* entry = record.data() + kRecordHeaderBytes;
  for (std::size_t i = 0; i < columns.size(); ++i, entry += kNarrowEntryBytes) {
    internal::StoreU16(entry, columns[i].id);
    internal::StoreU16(entry + 2, ends[i]);
  }
  return record;
}

}  // namespace tablecast
