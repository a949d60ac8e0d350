#ifndef TABLECAST_CONNECTOR_FIELD_H_
#define TABLECAST_CONNECTOR_FIELD_H_

// One published property of an external object: its name, type and facets, where its value comes
// from in the stored item, and the rules that writes keep. Plain immutable data after the catalog
// is loaded. SOURCE: spec external-objects.md sections 1 and 6.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.h"
#include "connector/edm_value.h"
#include "item/attribute_value.h"

namespace tablecast {

enum class FieldType : std::uint8_t {
  kText,
  kTextArea,
  kLongText,
  kEmail,
  kPhone,
  kUrl,
  kPicklist,
  kDateTime,
  kDate,
  kTime,
  kNumber,
  kInt32,
  kInt64,
  kCurrency,
  kPercent,
  kCheckbox,
  kBinary,
  kGuid,
  kComplex,   // M with `members`
  kJsonText,  // any M, L or set as plain JSON text
};
std::string_view FieldTypeName(FieldType type);  // "Text", "Int64", ... as written in `fields`
std::optional<FieldType> FieldTypeFromName(std::string_view name);
EdmKind EdmKindOf(FieldType type);
bool IsTextType(FieldType type);  // published as Edm.String with stored text

// One step below an attribute: a member of M, then elements of L.
struct PathStep {
  std::string name;                    // member name; empty when only an index
  std::optional<std::uint32_t> index;  // element of L
  bool operator==(const PathStep&) const = default;
};

enum class SourceKind : std::uint8_t {
  kExternalId,
  kAttribute,  // the attribute, or `path` below it
  kVirtual,    // CompiledQualifier::virtual_columns()[virtual_index]
  kElement,  // of an embedded child: the member `attribute` of the list element (and `path` below)
  kElementIndex,  // of an embedded child: the position in the list
  kParent,        // of an embedded child: the parent object's field number `parent_field`
  kGuidKey,       // the name-based GUID of the record
};

struct FieldSource {
  SourceKind kind = SourceKind::kAttribute;
  std::string attribute;       // kAttribute, kElement
  std::vector<PathStep> path;  // empty = the attribute itself
  std::uint32_t virtual_index = 0;
  std::uint32_t parent_field = 0;
  bool operator==(const FieldSource&) const = default;
};
// "address.city", "Items[2].Pens", "ExternalId", a virtual column's name.
std::string FieldSourceText(const FieldSource& source);

enum class Generate : std::uint8_t { kNone, kUuid, kRandom64, kSequence };
enum class CollectionForm : std::uint8_t { kNative, kText, kJson };  // option `as`

struct Field {
  std::string name;   // published, an OData identifier
  std::string label;  // for people; the name when not given
  std::string description;
  FieldType type = FieldType::kText;
  EdmKind kind = EdmKind::kString;  // of an element when `collection`
  bool collection = false;
  CollectionForm form = CollectionForm::kNative;  // kText, kJson publish a collection as Edm.String
  bool mixed_list = false;                        // JSON text because elements vary in type
  // How a new collection is stored: kL, kSS, kNS or kBS, as most items hold it.
  AttributeType stored_collection = AttributeType::kL;

  std::uint32_t max_length = 255;  // strings: code points published; Binary: bytes
  std::optional<std::int32_t>
      precision;                      // Decimal: 38 or as declared; DateTimeOffset, TimeOfDay: 9
  std::optional<std::int32_t> scale;  // Decimal: unset = variable
  bool nullable = true;

  FieldSource source;
  std::string column;  // the source's name as the files write it (attribute, path, virtual column)
  std::string attribute_name;  // tablecast.attributeName: set when the published name differs

  bool key_part = false;   // part of the table's primary key: immutable
  bool hidden = false;     // neither returned nor filterable
  bool read_only = false;  // also virtual columns without inverse, child indexes, ExternalId
  bool required = false;
  bool searchable = false;
  bool searchable_declared = false;
  bool strict = false;  // a conversion error fails the request
  bool unique = false;
  bool declared = false;  // from `fields`, not inferred
  bool empty_text_is_null = true;
  bool store_null = false;  // writing null stores NULL (presence: null)

  std::string unit;                 // DateTime stored as N: "s" or "ms"; Percent: "%"
  std::int32_t zone_minutes = 0;    // zone of texts without one
  std::string currency_code;        // ISO 4217, Currency
  std::string currency_field;       // published name of the field that holds the code, Currency
  std::vector<std::string> values;  // Picklist
  std::optional<std::string> default_formula;
  std::optional<std::string> on_update_formula;
  std::optional<Decimal> minimum;
  std::optional<Decimal> maximum;
  Generate generate = Generate::kNone;

  std::vector<Field> members;     // kComplex, element type of a complex collection too
  std::string complex_type_name;  // "<Object>_<Field>"

  // Kind that expressions see: kString for collections published as text.
  bool PublishedAsCollection() const { return collection && form == CollectionForm::kNative; }
};

// The static type of an expression or column.
struct EdmType {
  EdmKind kind = EdmKind::kNull;
  bool collection = false;
  const std::vector<Field>* members = nullptr;  // kComplex. BORROWS from the catalog.
  bool operator==(const EdmType&) const = default;
};
EdmType TypeOf(const Field& field);
std::string EdmTypeText(const EdmType& type);  // "Collection(Edm.String)"

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_FIELD_H_
