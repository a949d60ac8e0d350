#ifndef TABLECAST_CONNECTOR_RECORD_TYPE_DRAFT_H_
#define TABLECAST_CONNECTOR_RECORD_TYPE_DRAFT_H_

// What the passes of ProposeCatalog share. Private to record_types.cc, record_type_names.cc,
// record_type_qualifier.cc and record_type_links.cc.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "connector/key_shapes.h"
#include "connector/record_types.h"
#include "item/item.h"

namespace tablecast {

struct SampledItem {
  Item item;
  std::set<std::uint32_t> attributes;  // numbers of its names, key columns left out
};

// A key column as one record type uses it.
struct KeyColumnDraft {
  std::string name;
  AttributeType type = AttributeType::kS;
  KeyShape shape;                               // S only; otherwise one variable
  bool exact = false;                           // needs the regular expression too
  ValueClass value_class = ValueClass::kOther;  // of a lone variable, when `exact`
};

struct VirtualColumnDraft {
  std::string name;
  std::string column;        // key column it is read from
  std::size_t variable = 0;  // which variable of its shape
  std::string definition;
};

struct RecordTypeDraft {
  RecordTypeProposal proposal;
  KeyColumnDraft partition;
  std::optional<KeyColumnDraft> sort;
  // An attribute that tells the type: equality with `value`, or the shape of an index key.
  std::string discriminator;
  std::optional<std::string> value;
  std::optional<KeyShape> discriminator_shape;
  std::vector<const SampledItem*> samples;
  std::set<std::string> attribute_names;
  std::vector<VirtualColumnDraft> virtuals;
  std::vector<std::string> inverse_of_partition, inverse_of_sort;  // definition texts, at most one
  bool same_key = false;  // the sort key's variable is the partition key's
  bool alone = false;     // the only type of its table

  bool SortIsFixed() const { return !sort || sort->shape.IsConstant(); }
};

// The value of an attribute as keys are compared: text, or the number's normal form. nullopt for
// others.
std::optional<std::string> ScalarText(const AttributeValue& value);
std::optional<std::string> ScalarText(const Item& item, const std::string& name);

// ---- names
std::vector<std::string> WordsOf(std::string_view text);       // "ORDER_ITEM" -> {Order, Item}
std::string CamelCase(const std::vector<std::string>& words);  // OrderItem
std::string Spaced(const std::vector<std::string>& words);     // Order Item
std::string Plural(const std::string& word);
std::string Singular(const std::string& word);
bool IsGenericWord(std::string_view word);  // METADATA, PROFILE, ...: says nothing about the entity
// Last fixed word of a shape, "" when it has none.
std::string EntityWord(const KeyShape& shape);
// Sets object, label, plural label of all drafts; names are unique.
void NameRecordTypes(std::vector<RecordTypeDraft>& drafts);

// ---- qualifiers
// Finds virtual columns and inverses.
void AddVirtualColumns(RecordTypeDraft& draft);
// The file's text, with or without virtual columns.
std::string QualifierText(const RecordTypeDraft& draft, bool with_virtuals);

// ---- relationships between all drafts of all tables
void LinkRecordTypes(std::vector<RecordTypeDraft>& drafts, bool sampled_all);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_RECORD_TYPE_DRAFT_H_
