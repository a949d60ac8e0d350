#ifndef TABLECAST_CONNECTOR_RECORD_EDIT_H_
#define TABLECAST_CONNECTOR_RECORD_EDIT_H_

// One item being made or changed: assignments gathered, checked and turned into a finished item. Internal to
// connector/; RecordWriter drives it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "connector/owned_record.h"
#include "connector/record_writer.h"
#include "qualifiers/compiled_qualifier.h"

namespace tablecast {

class RecordEdit {
 public:
  // A new item (`old` null) or a change of one. `element`: of an embedded list.
  RecordEdit(const ExternalObject& object, Timestamp now, const Item* old, std::optional<std::uint32_t> element);

  // The current typed value of a field, null for a new record.
  EdmValue Current(const Field& field) const;
  // Takes one assignment. Values equal to what is stored (text after trimming) are no change.
  Status Assign(const FieldAssignment& assignment, bool creating);
  // Sets a physical or virtual column to a join value (a link to another record).
  Status AssignColumn(const JoinColumn& column, const EdmValue& value);
  // PUT: every published, updatable field that was not named goes to its default or null, but for `kept`.
  Status ResetUnnamed(const std::vector<FieldAssignment>& named, const std::vector<const Field*>& kept);
  // `default`, `generate` of a new record; `onUpdate` of a changed one.
  Status FillDefaults(WriteTransaction& txn);
  Status ApplyOnUpdate();
  // Constants, inverses, membership, required fields. The item is finished behind it.
  Status Finish();

  // A new element: its key is there and nobody else's, its required fields are there. Finish does the rest for the
  // whole item.
  Status CheckElement(const std::string& key_member);

  bool changed() const { return !changed_.empty() || links_changed_; }
  const std::vector<std::string>& changed_fields() const { return changed_; }
  Item& item() { return item_; }

 private:
  Status SetStored(const Field& field, const std::vector<const Field*>& members, const EdmValue& value);
  AttributeValue* Slot(const Field& field, bool create);
  AttributeValue::Map* Element();
  Status SetExternalId(const EdmValue& value);
  bool Equal(const Field& field, const EdmValue& a, const EdmValue& b) const;
  void Note(const Field& field);

  const ExternalObject& object_;
  Timestamp now_;
  const Item* old_;
  std::optional<std::uint32_t> element_;
  Item item_;
  std::unique_ptr<OwnedRecord> before_;  // the old record, for current values
  std::vector<VirtualAssignment> virtuals_;
  std::vector<std::string> given_physical_;
  std::vector<std::string> changed_;
  std::map<std::string, bool> assigned_;  // field name -> given by the caller
  std::optional<std::string> expected_id_;
  bool links_changed_ = false;
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_RECORD_EDIT_H_
