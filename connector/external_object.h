#ifndef TABLECAST_CONNECTOR_EXTERNAL_OBJECT_H_
#define TABLECAST_CONNECTOR_EXTERNAL_OBJECT_H_

// One external object: a typed face of those items of a table that its qualifier admits (or of the
// elements of a list inside them). Built by the catalog loader, immutable, shared by all requests
// of one catalog; pointers between objects stay valid as long as the catalog.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connector/field.h"
#include "item/table_schema.h"
#include "qualifiers/compiled_qualifier.h"
#include "store/maintainer.h"

namespace tablecast {

class ExternalObject;

inline constexpr std::string_view kExternalIdField = "ExternalId";

// One part of the external ID. SOURCE: spec external-objects.md section 2.
struct ExternalIdPart {
  std::string column;  // attribute or virtual column
  FieldSource source;
  AttributeType type = AttributeType::kS;  // stored type of a physical part
  std::string stripped_prefix;             // fixed by the qualifier's filter, left out of the ID
};
struct ExternalIdSpec {
  std::vector<ExternalIdPart> parts;  // never empty
  std::string separator = "-";
  bool escape = false;
  std::uint32_t max_length = 255;
};

// A side of a join.
struct JoinColumn {
  std::string column;  // as the files name it; "ExternalId"
  FieldSource source;
  const Field* field = nullptr;  // the published field over that column, if any
  EdmKind kind = EdmKind::kString;
};

// A navigation property. `from` is on the owning object, `to` on the target; a record is related
// when both values are equal and not null.
struct Navigation {
  std::string name;
  std::string label;
  const ExternalObject* target = nullptr;
  bool collection = false;  // many targets
  bool embedded =
      false;  // to elements of a list inside the item, or from such an element to its item
  bool contains = false;  // the parent's side of `children`: deletes cascade
  bool declared = false;  // the `relationships` entry itself, not its inverse
  JoinColumn from;
  JoinColumn to;
  std::string partner;  // name of the navigation property back, or ""
};

// A parent outside the catalog: {"external": "Account.AccountNumber__c", "column": "CUSTOMER"}.
struct ExternalLookup {
  std::string name;
  std::string external;  // object and field there
  std::string column;
  std::string field;  // published name over the column, or ""
};

struct DeclaredIndex {
  struct Part {
    std::uint32_t field;
    bool descending;
  };
  std::vector<Part> parts;
  DerivedIndex derived;  // name and fingerprint in the store
  std::uint32_t maintainer_index = 0;
};

struct CustomAggregate {
  std::string field;
  std::string method;  // "sum", "min", "max", "average"
};

// An object over the elements of a list inside the parent's items (`children`).
struct EmbeddedList {
  const ExternalObject* parent = nullptr;
  std::string attribute;
  std::vector<PathStep> path;
  std::string key_member;  // "" = by index, then read-only
};

struct ObjectOptions {
  bool read_only = false;  // then none of the three
  bool create = true;      // `verbs`
  bool update = true;
  bool remove = true;
  bool upsert = true;  // what a missing record's update does, where both are allowed
  bool columnar = false;
  bool clustered = false;
  bool guid_key = false;
  std::string display_url;  // template, "" = the record's page
};

class ExternalObject {
 public:
  const std::string& name() const { return name_; }
  const std::string& label() const { return label_; }
  const std::string& plural_label() const { return plural_label_; }
  const std::string& description() const { return description_; }
  const std::string& table() const { return table_; }
  const std::string& source() const { return source_; }  // "default" = the embedded store
  const std::string& file() const { return file_; }
  const ObjectOptions& options() const { return options_; }

  // False when the table is not in the store: an empty set until the catalog is loaded again.
  bool table_exists() const { return table_exists_; }
  const TableSchema& schema() const { return schema_; }
  const CompiledQualifier& qualifier() const { return *qualifier_; }
  const std::shared_ptr<const CompiledQualifier>& shared_qualifier() const { return qualifier_; }

  // fields()[0] is always ExternalId. Published order.
  const std::vector<Field>& fields() const { return fields_; }
  const Field* FindField(std::string_view name) const;  // case-sensitive; hidden ones too
  std::optional<std::uint32_t> FieldIndex(std::string_view name) const;
  std::uint32_t IndexOf(const Field& field) const;  // REQUIRES: a top-level field of this object
  // The field over a column (attribute, path or virtual column), if published.
  const Field* FieldOfColumn(std::string_view column) const;
  // Field whose name is nearest, for "did you mean".
  std::optional<std::string> NearestFieldName(std::string_view name) const;
  // Names of the properties that form the published key: {"ExternalId"} or {the GUID field}.
  const std::vector<std::string>& key_fields() const { return key_fields_; }

  const ExternalIdSpec& external_id() const { return external_id_; }
  // Raw key columns ("pk", "sk"), always accepted as an alternate key in URLs.
  const std::vector<std::string>& alternate_key_columns() const { return alternate_key_columns_; }
  // Published names of those columns when all are fields, else empty (Core.AlternateKeys).
  const std::vector<std::string>& alternate_key_fields() const { return alternate_key_fields_; }

  const std::vector<Navigation>& navigations() const { return navigations_; }
  const Navigation* FindNavigation(std::string_view name) const;
  const std::vector<ExternalLookup>& external_lookups() const { return external_lookups_; }
  const std::vector<DeclaredIndex>& indexes() const { return indexes_; }
  const std::vector<CustomAggregate>& aggregates() const { return aggregates_; }
  const EmbeddedList* embedded() const { return embedded_ ? &*embedded_ : nullptr; }

  // Derived index of the object's members, ordered as the native key; payload empty. Embedded
  // objects use their parent's.
  const DerivedIndex& membership() const { return membership_; }
  std::uint32_t membership_maintainer_index() const { return membership_maintainer_index_; }
  // Derived index by GUID when options().guid_key.
  const DerivedIndex* guid_index() const { return guid_index_ ? &*guid_index_ : nullptr; }
  std::uint32_t guid_maintainer_index() const { return guid_maintainer_index_; }

 private:
  friend class CatalogBuilder;
  std::string name_, label_, plural_label_, description_, table_, source_ = "default", file_;
  ObjectOptions options_;
  bool table_exists_ = true;
  TableSchema schema_;
  std::shared_ptr<const CompiledQualifier> qualifier_;
  std::vector<Field> fields_;
  std::vector<std::string> key_fields_;
  ExternalIdSpec external_id_;
  std::vector<std::string> alternate_key_columns_;
  std::vector<std::string> alternate_key_fields_;
  std::vector<Navigation> navigations_;
  std::vector<ExternalLookup> external_lookups_;
  std::vector<DeclaredIndex> indexes_;
  std::vector<CustomAggregate> aggregates_;
  std::optional<EmbeddedList> embedded_;
  DerivedIndex membership_;
  std::uint32_t membership_maintainer_index_ = 0;
  std::optional<DerivedIndex> guid_index_;
  std::uint32_t guid_maintainer_index_ = 0;
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_EXTERNAL_OBJECT_H_
