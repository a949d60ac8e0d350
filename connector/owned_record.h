#ifndef TABLECAST_CONNECTOR_OWNED_RECORD_H_
#define TABLECAST_CONNECTOR_OWNED_RECORD_H_

// An owned item seen as a record: encodes it once so that the reading code of ItemRecord serves writes too.

#include <memory>
#include <string>

#include "base/result.h"
#include "connector/item_record.h"
#include "item/item.h"
#include "store/item_store.h"

namespace tablecast {

class OwnedRecord {
 public:
  // BORROWS the object and its schema. ERRORS: those of encoding the item (key missing, too long, ...).
  static Result<std::unique_ptr<OwnedRecord>> Make(const ExternalObject& object, const Item& item, Timestamp now);

  ItemRecord& record() { return *record_; }
  const std::string& encoded_key() const { return key_; }

 private:
  OwnedRecord() = default;
  AttributeNames names_;
  std::string key_;
  std::string bytes_;
  std::unique_ptr<ItemView> view_;
  std::unique_ptr<ItemRecord> record_;
};

// The item that holds the record with this key, found inside the transaction.
struct FoundRecord {
  Item item;
  ItemKey key;
  std::optional<std::uint32_t> element;  // of an embedded list
};
// ERRORS: kNotFound "record-not-found"; kAlreadyExists "external-id-ambiguous"; those of reading the key.
Result<FoundRecord> FindRecord(WriteTransaction& txn, const ExternalObject& object, const RecordKey& key, Timestamp now);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_OWNED_RECORD_H_
