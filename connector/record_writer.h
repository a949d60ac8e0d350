#ifndef TABLECAST_CONNECTOR_RECORD_WRITER_H_
#define TABLECAST_CONNECTOR_RECORD_WRITER_H_

// Creates, changes and deletes records of external objects: typed values in, items out, inside one write
// transaction, with every rule of the object kept (qualifier, keys, field options, preconditions).
//
//   RecordWriter writer(store, catalog, now);
//   RecordChange change{.object = orders, .fields = {{status, EdmValue::String("SHIPPED")}}};
//   Result<WrittenRecord> result = writer.Update(key, change, {.if_match = "W/\"...\""});
//
// SOURCE: spec qualifiers.md section 4, formula.md section 12.5, external-objects.md section 6.
// THREAD: thread-compatible; the store serialises the transactions.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "connector/catalog.h"
#include "connector/edm_value.h"
#include "connector/object_query.h"
#include "store/item_store.h"

namespace tablecast {

class ItemRecord;

struct FieldAssignment {
  const Field* field = nullptr;
  EdmValue value;                    // null = set to null
  std::vector<const Field*> members; // a member of a complex field: the path below it
};

struct RecordChange;

// A navigation property in a payload: records to create with it, or one existing record to link to.
struct LinkedRecords {
  const Navigation* navigation = nullptr;
  std::vector<RecordChange> create;
  std::vector<RecordKey> bind;
};

struct RecordChange {
  const ExternalObject* object = nullptr;
  std::vector<FieldAssignment> fields;
  std::vector<LinkedRecords> links;
  std::vector<const Field*> kept;  // UpdateMode::kReplace leaves these alone: the caller does not see them
};

struct Preconditions {
  std::string if_match;       // header text; "" = none, "*" = must exist
  std::string if_none_match;  // "*" = must not exist
  bool require_if_match = false;
};

struct WrittenRecord {
  const ExternalObject* object = nullptr;
  std::string external_id;
  std::string etag;      // content hash of the item now; "" after a delete
  bool created = false;
  bool changed = false;  // false: every value was as stored, nothing was written
  std::vector<std::string> fields;  // names of the fields that changed
  // With RecordWriter::report_values: their values now, as text; unset = null, or of a hidden field.
  std::vector<std::optional<std::string>> values;
  // What was written along with it: children and targets of a deep insert, records that were linked.
  std::vector<WrittenRecord> others;
};

// How a payload of Update is meant.
enum class UpdateMode : std::uint8_t { kMerge, kReplace };

class RecordWriter {
 public:
  // BORROWS: the store.
  RecordWriter(ItemStore& store, std::shared_ptr<const Catalog> catalog, Timestamp now)
      : store_(store), catalog_(std::move(catalog)), now_(now) {}

  // For an audit log that shall hold values.
  void report_values(bool report) { report_values_ = report; }

  // Each runs inside `txn`, so that several make one atomic change set.
  // ERRORS: kInvalidArgument ("value-...", "field-...", "key-immutable", "record-not-of-object", ...) with the field
  // in `target`; kAlreadyExists "key-exists", "unique-violated"; kNotFound "record-not-found"; kFailedPrecondition
  // "etag-mismatch" (412), "precondition-required" (428), "object-read-only".
  Result<WrittenRecord> Create(WriteTransaction& txn, const RecordChange& change);
  // `parent`: the record whose navigation property the new one is created under.
  Result<WrittenRecord> CreateUnder(WriteTransaction& txn, const ExternalObject& parent_object, const RecordKey& parent,
                                    const Navigation& navigation, RecordChange change);
  // With `upsert` a missing record is created when its key says how.
  Result<WrittenRecord> Update(WriteTransaction& txn, const RecordKey& key, const RecordChange& change, UpdateMode mode,
                               const Preconditions& preconditions, bool upsert);
  Result<WrittenRecord> Delete(WriteTransaction& txn, const ExternalObject& object, const RecordKey& key,
                               const Preconditions& preconditions);
  // `$ref`: links `record` to `target` (PUT on one, POST on many), or takes the link away (target unset).
  Result<WrittenRecord> SetReference(WriteTransaction& txn, const ExternalObject& object, const RecordKey& record,
                                     const Navigation& navigation, const std::optional<RecordKey>& target, bool remove);

  // One transaction around `body`.
  Status Run(const std::function<Status(WriteTransaction&)>& body) { return store_.Write(body); }

 private:
  // A new element of the list that `child`'s records live in.
  Status AppendElement(WriteTransaction& txn, const ExternalObject& child, const RecordChange& record, Item& item);
  // Stores a finished item and describes its record.
  Result<WrittenRecord> StoreItem(WriteTransaction& txn, const ExternalObject& object, const Item& item,
                                  std::optional<std::uint32_t> element, std::vector<std::string> fields);
  // The description of a record of `item` that is stored as it is.
  Result<WrittenRecord> DescribeElement(const ExternalObject& child, const Item& item, std::uint32_t element,
                                        const RecordChange& change) const;
  void AddFields(std::vector<std::string> fields, ItemRecord& record, WrittenRecord& out) const;

  ItemStore& store_;
  std::shared_ptr<const Catalog> catalog_;
  Timestamp now_;
  bool report_values_ = false;
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_RECORD_WRITER_H_
