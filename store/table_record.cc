#include "store/table_record.h"

#include "store/byte_codec.h"

namespace tablecast {
namespace {

constexpr std::size_t kMaxListed = 1000;  // far over every quota; stops damaged counts early

Error Damaged() {
  return MakeError(ErrorCode::kDataLoss, "table-damaged",
                   "the stored description of a table is damaged", {},
                   "restore the store from a backup");
}

void AppendColumn(std::string& out, const KeyColumn& column) {
  out += static_cast<char>(column.type);
  AppendBytes(out, column.name);
}

KeyColumn ReadColumn(ByteReader& in) {
  KeyColumn column;
  column.type = static_cast<AttributeType>(in.Byte());
  column.name = in.Bytes();
  return column;
}

void AppendColumns(std::string& out, const std::vector<KeyColumn>& columns) {
  AppendVarint(out, columns.size());
  for (const KeyColumn& column : columns) AppendColumn(out, column);
}

std::vector<KeyColumn> ReadColumns(ByteReader& in) {
  std::vector<KeyColumn> columns;
  const std::uint64_t count = in.Varint();
  for (std::uint64_t i = 0; in.ok() && i < count && i < kMaxListed; ++i)
    columns.push_back(ReadColumn(in));
  return columns;
}

void AppendSecondary(std::string& out, const SecondaryIndex& index, IndexId id) {
  AppendVarint(out, id);
  AppendBytes(out, index.name);
  AppendColumns(out, index.partition);
  AppendColumns(out, index.sort);
  out += static_cast<char>(index.projection);
  out += static_cast<char>(index.local ? 1 : 0);
  AppendVarint(out, index.non_key_attributes.size());
  for (const std::string& name : index.non_key_attributes) AppendBytes(out, name);
}

SecondaryIndex ReadSecondary(ByteReader& in, IndexId& id) {
  SecondaryIndex index;
  id = static_cast<IndexId>(in.Varint());
  index.name = in.Bytes();
  index.partition = ReadColumns(in);
  index.sort = ReadColumns(in);
  index.projection = static_cast<ProjectionType>(in.Byte());
  index.local = in.Byte() != 0;
  const std::uint64_t count = in.Varint();
  for (std::uint64_t i = 0; in.ok() && i < count && i < kMaxListed; ++i)
    index.non_key_attributes.emplace_back(in.Bytes());
  return index;
}

}  // namespace

std::string EncodeTableRecord(const TableRecord& record) {
  std::string out;
  AppendVarint(out, record.id);
  AppendVarint(out, record.created);
  AppendVarint(out, record.next_index);
  AppendBytes(out, record.schema.name);
  AppendColumn(out, record.schema.key.partition);
  out += static_cast<char>(record.schema.key.sort ? 1 : 0);
  if (record.schema.key.sort) AppendColumn(out, *record.schema.key.sort);
  AppendVarint(out, record.schema.indexes.size());
  for (std::size_t i = 0; i < record.schema.indexes.size(); ++i) {
    AppendSecondary(out, record.schema.indexes[i], record.secondary_ids[i]);
  }
  AppendVarint(out, record.derived.size());
  for (const StoredDerivedIndex& derived : record.derived) {
    AppendVarint(out, derived.id);
    AppendBytes(out, derived.definition.name);
    AppendBytes(out, derived.definition.fingerprint);
  }
  return out;
}

Result<TableRecord> DecodeTableRecord(std::string_view bytes) {
  ByteReader in(bytes);
  TableRecord record;
  record.id = static_cast<TableId>(in.Varint());
  record.created = in.Varint();
  record.next_index = static_cast<IndexId>(in.Varint());
  record.schema.name = in.Bytes();
  record.schema.key.partition = ReadColumn(in);
  if (in.Byte() != 0) record.schema.key.sort = ReadColumn(in);
  const std::uint64_t secondary = in.Varint();
  for (std::uint64_t i = 0; in.ok() && i < secondary && i < kMaxListed; ++i) {
    record.schema.indexes.push_back(ReadSecondary(in, record.secondary_ids.emplace_back()));
  }
  const std::uint64_t derived = in.Varint();
  for (std::uint64_t i = 0; in.ok() && i < derived; ++i) {
    StoredDerivedIndex index;
    index.id = static_cast<IndexId>(in.Varint());
    index.definition.name = in.Bytes();
    index.definition.fingerprint = in.Bytes();
    record.derived.push_back(std::move(index));
  }
  if (!in.Complete() || !ValidateTableSchema(record.schema).ok()) return Damaged();
  return record;
}

std::string EncodeTableState(const TableState& state) {
  std::string out;
  for (const std::uint64_t number :
       {state.item_count, state.item_bytes, state.sequence, state.log_first, state.log_bytes,
        std::uint64_t{state.names}, std::uint64_t{state.derived.size()}}) {
    AppendVarint(out, number);
  }
  for (const DerivedState& derived : state.derived) {
    AppendVarint(out, derived.id);
    out += static_cast<char>(derived.status);
    AppendVarint(out, derived.sequence);
    AppendVarint(out, derived.entries);
    if (derived.status != DerivedStatus::kBuilding) continue;
    AppendVarint(out, derived.build_done);
    AppendBytes(out, derived.build_cursor);
  }
  return out;
}

Result<TableState> DecodeTableState(std::string_view bytes) {
  ByteReader in(bytes);
  TableState state;
  state.item_count = in.Varint();
  state.item_bytes = in.Varint();
  state.sequence = in.Varint();
  state.log_first = in.Varint();
  state.log_bytes = in.Varint();
  state.names = static_cast<std::uint32_t>(in.Varint());
  const std::uint64_t count = in.Varint();
  for (std::uint64_t i = 0; in.ok() && i < count; ++i) {
    DerivedState derived;
    derived.id = static_cast<IndexId>(in.Varint());
    derived.status = static_cast<DerivedStatus>(in.Byte());
    derived.sequence = in.Varint();
    derived.entries = in.Varint();
    if (derived.status == DerivedStatus::kBuilding) {
      derived.build_done = in.Varint();
      derived.build_cursor = in.Bytes();
    }
    state.derived.push_back(std::move(derived));
  }
  if (!in.Complete() || state.log_first > state.sequence + 1) return Damaged();
  return state;
}

std::string EncodeChangeRecord(const ChangeRecord& change) {
  std::string out;
  out += static_cast<char>(change.kind);
  out += static_cast<char>(change.old_record ? 1 : 0);
  AppendBytes(out, change.key);
  if (change.old_record) out += *change.old_record;
  return out;
}

Result<ChangeRecord> DecodeChangeRecord(std::string_view bytes) {
  ByteReader in(bytes);
  ChangeRecord change;
  change.kind = static_cast<ChangeKind>(in.Byte());
  const bool has_old = in.Byte() != 0;
  change.key = in.Bytes();
  if (has_old) change.old_record = in.Rest();
  if (!in.Complete() || (change.kind != ChangeKind::kPut && change.kind != ChangeKind::kDelete)) {
    return MakeError(ErrorCode::kDataLoss, "change-damaged",
                     "a record of the change log is damaged");
  }
  return change;
}

}  // namespace tablecast
