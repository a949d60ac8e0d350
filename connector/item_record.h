#ifndef TABLECAST_CONNECTOR_ITEM_RECORD_H_
#define TABLECAST_CONNECTOR_ITEM_RECORD_H_

// A record of an external object read from a stored item (or from an element of a list inside it):
// fields by number, virtual columns computed at most once, the external ID. Made once per query and
// table snapshot, then moved from item to item.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connector/convert.h"
#include "connector/external_object.h"
#include "connector/record_view.h"
#include "item/item.h"
#include "qualifiers/compiled_qualifier.h"

namespace tablecast {

// THREAD: one thread.
class ItemRecord final : public RecordView {
 public:
  // BORROWS all three. Names added to the table later are not seen: make one per snapshot.
  ItemRecord(const ExternalObject& object, const TableSchema& schema, const AttributeNames& names,
             Timestamp now);

  // BORROWS the item until the next Reset. For embedded objects follow with SetElement.
  void Reset(const ItemView& item);
  // Number of elements of the embedded list in this item; 0 unless the object is embedded.
  std::uint32_t ElementCount() const;
  void SetElement(std::uint32_t index);

  // The item belongs (for embedded objects: the parent's qualifier).
  bool Belongs() { return row_.Belongs(); }
  // Enough when the qualifier's key condition is known to hold.
  bool PassesResidual() { return row_.PassesResidual(); }

  const ExternalObject& object() const override { return object_; }
  EdmValue Value(const Field& field) const override { return ValueOf(field, nullptr); }
  AttributeView Stored(const Field& field) const override;
  EdmValue Join(const JoinColumn& column) const override;

  EdmValue ValueOf(const Field& field, std::optional<ConversionError>* error) const;
  std::string ExternalId() const;
  // Opaque position: the encoded key, for embedded objects with the element's number behind it.
  std::string Position() const;
  const ItemView& item() const { return *item_; }
  std::uint32_t element() const { return element_; }

 private:
  enum class Place : std::uint8_t { kPartition, kSort, kAttribute, kNowhere };
  struct Binding {
    Place place = Place::kNowhere;
    AttributeNames::Id id = AttributeNames::kNone;
    AttributeNames::Id literal = AttributeNames::kNone;  // attribute whose name is the whole path
  };
  Binding Bind(const FieldSource& source) const;
  AttributeView Read(const Binding& binding, const FieldSource& source) const;
  EdmValue SourceValue(const FieldSource& source) const;
  std::string PartText(const ExternalIdPart& part, const Binding& binding) const;

  const ExternalObject& object_;
  const TableSchema& schema_;
  const AttributeNames& names_;
  mutable QualifierRow row_;
  std::vector<Binding> bindings_;       // by field number
  std::vector<Binding> part_bindings_;  // by external ID part
  std::unique_ptr<ItemRecord> parent_;  // embedded objects
  Binding list_binding_;
  const ItemView* item_ = nullptr;
  AttributeView list_;
  AttributeView element_view_;
  std::uint32_t element_ = 0;
};

// The position of Record::item_key taken apart. ERRORS: kInvalidArgument "token-syntax".
struct Position {
  std::string key;
  std::optional<std::uint32_t> element;
};
Result<Position> ParsePosition(const ExternalObject& object, std::string_view position);
std::string MakePosition(std::string_view key, std::optional<std::uint32_t> element);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_ITEM_RECORD_H_
