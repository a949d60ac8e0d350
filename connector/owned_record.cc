#include "connector/owned_record.h"

#include <algorithm>

#include "connector/external_id.h"
#include "item/item_codec.h"

namespace tablecast {

namespace {

constexpr std::size_t kMaxCandidates = 4096;

Error RecordNotFound(const ExternalObject& object) {
  return MakeError(ErrorCode::kNotFound, "record-not-found", "no record of " + object.name() + " has this key");
}

// An alternate key of raw key columns as an item key; nullopt when it is another kind of key.
Result<std::optional<ItemKey>> RawKey(const ExternalObject& object, const RecordKey& key) {
  const KeySchema& schema = object.schema().key;
  std::optional<ItemKey> out;
  std::vector<const KeyColumn*> columns{&schema.partition};
  if (schema.sort) columns.push_back(&*schema.sort);
  if (key.alternate.size() != columns.size()) return out;
  ItemKey raw;
  for (const KeyColumn* column : columns) {
    const auto given = std::find_if(key.alternate.begin(), key.alternate.end(), [&](const auto& part) {
      const Field* field = object.FieldOfColumn(column->name);
      return part.first == column->name || (field != nullptr && part.first == field->name);
    });
    if (given == key.alternate.end()) return out;
    AttributeValue value;
    const EdmValue& literal = given->second;
    if (column->type == AttributeType::kN && IsExactNumber(literal.kind())) {
      TABLECAST_ASSIGN_OR_RETURN(value, AttributeValue::Number(literal.number()));
    } else if (column->type == AttributeType::kB && literal.kind() == EdmKind::kBinary) {
      value = AttributeValue::Binary(literal.bytes());
    } else if (column->type == AttributeType::kS && literal.kind() == EdmKind::kString) {
      value = AttributeValue::String(literal.text());
    } else {
      return MakeError(ErrorCode::kInvalidArgument, "key-type",
                       "the key column " + column->name + " holds " + std::string(AttributeTypeName(column->type)),
                       column->name);
    }
    if (column == &schema.partition) {
      raw.partition = std::move(value);
    } else {
      raw.sort = std::move(value);
    }
  }
  out = std::move(raw);
  return out;
}

}  // namespace

Result<std::unique_ptr<OwnedRecord>> OwnedRecord::Make(const ExternalObject& object, const Item& item, Timestamp now) {
  std::unique_ptr<OwnedRecord> out(new OwnedRecord);
  TABLECAST_ASSIGN_OR_RETURN(const ItemKey key, KeyOf(object.schema(), item));
  TABLECAST_ASSIGN_OR_RETURN(out->key_, EncodeKey(object.schema(), key));
  TABLECAST_ASSIGN_OR_RETURN(out->bytes_, EncodeRecord(object.schema(), item, out->names_));
  out->view_ = std::make_unique<ItemView>(object.schema(), out->names_, out->key_, out->bytes_);
  out->record_ = std::make_unique<ItemRecord>(object, object.schema(), out->names_, now);
  out->record_->Reset(*out->view_);
  return out;
}

Result<FoundRecord> FindRecord(WriteTransaction& txn, const ExternalObject& object, const RecordKey& key, Timestamp now) {
  std::vector<Item> candidates;
  TABLECAST_ASSIGN_OR_RETURN(const std::optional<ItemKey> raw, RawKey(object, key));
  std::optional<Position> position;
  if (key.item_key) {
    TABLECAST_ASSIGN_OR_RETURN(position, ParsePosition(object, *key.item_key));
    TABLECAST_ASSIGN_OR_RETURN(const ItemKey item_key, DecodeKey(object.schema(), position->key));
    TABLECAST_ASSIGN_OR_RETURN(auto item, txn.Get(object.table(), item_key));
    if (item) candidates.push_back(*std::move(item));
  } else if (raw) {
    TABLECAST_ASSIGN_OR_RETURN(auto item, txn.Get(object.table(), *raw));
    if (item) candidates.push_back(*std::move(item));
  } else if (key.external_id) {
    TABLECAST_ASSIGN_OR_RETURN(const auto conditions, ExternalIdConditions(object, *key.external_id));
    for (const KeyCondition& condition : conditions) {
      TABLECAST_ASSIGN_OR_RETURN(std::vector<Item> items, txn.Query(object.table(), condition, kMaxCandidates));
      for (Item& item : items) candidates.push_back(std::move(item));
    }
  } else {
    return MakeError(ErrorCode::kInvalidArgument, "key-unsupported",
                     "a record is changed by its ExternalId or its raw key columns");
  }
  std::vector<FoundRecord> found;
  std::vector<std::string> seen;
  for (const Item& item : candidates) {
    TABLECAST_ASSIGN_OR_RETURN(const auto owned, OwnedRecord::Make(object, item, now));
    ItemRecord& record = owned->record();
    if (!record.Belongs()) continue;
    if (std::find(seen.begin(), seen.end(), owned->encoded_key()) != seen.end()) continue;
    seen.push_back(owned->encoded_key());
    TABLECAST_ASSIGN_OR_RETURN(ItemKey item_key, KeyOf(object.schema(), item));
    if (object.embedded() == nullptr) {
      if (key.external_id && !raw && record.ExternalId() != *key.external_id) continue;
      found.push_back({item, std::move(item_key), std::nullopt});
      continue;
    }
    for (std::uint32_t i = 0; i < record.ElementCount(); ++i) {
      record.SetElement(i);
      if (position && position->element && *position->element != i) continue;
      if (key.external_id && record.ExternalId() != *key.external_id) continue;
      found.push_back({item, item_key, i});
    }
  }
  if (found.empty()) return RecordNotFound(object);
  if (found.size() > 1) {
    return MakeError(ErrorCode::kAlreadyExists, "external-id-ambiguous",
                     "several records of " + object.name() + " have this ExternalId", "ExternalId",
                     "name the record by its key columns");
  }
  return std::move(found.front());
}

}  // namespace tablecast
