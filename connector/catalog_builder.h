#ifndef TABLECAST_CONNECTOR_CATALOG_BUILDER_H_
#define TABLECAST_CONNECTOR_CATALOG_BUILDER_H_

// Builds a Catalog from its files. Internal to the connector; the steps lie in catalog_builder.cc
// (files, settings, compilation), catalog_fields.cc (fields, external IDs) and catalog_links.cc
// (relationships, children, indexes, maintainers).

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connector/catalog.h"
#include "connector/catalog_json.h"
#include "connector/inference.h"
#include "qualifiers/table_qualifier.h"

namespace tablecast {

class CatalogBuilder {
 public:
  CatalogBuilder(const std::vector<CatalogFile>& files, ItemStore* store,
                 const CatalogOptions& options);
  CatalogLoad Build();

 private:
  // One qualifier file on its way to an object.
  struct Draft {
    TableQualifier qualifier;
    std::string stem;
    JsonPlace extensions;  // of the file
    JsonPlace overlay;     // objects.<name> of catalog.json
    std::unique_ptr<ExternalObject> object;
    std::optional<InferredSchema> inferred;
    std::vector<std::string> currency_columns;
    bool all_fields = false;  // "*": true or no `fields`
    bool undeclared = false;  // fields would come from data, and no store is given
    bool embedded = false;
    JsonPlace entry;  // embedded: the `children` entry
  };

  // catalog_builder.cc
  void ReadOverlay();
  void ReadDrafts();
  void NameObjects();
  void OpenTables();
  void Compile(Draft& draft);
  void ReadObjectOptions(Draft& draft);
  static void ReadVerbs(const JsonPlace& object, ObjectOptions& options);
  void Infer(Draft& draft);
  TableSchema SchemaWithoutStore(const Draft& draft) const;
  JsonPlace Extension(const Draft& draft, std::string_view key);
  std::string Fingerprint() const;
  void KeepInferred();

  // catalog_fields.cc
  void BuildFields(Draft& draft);
  void BuildEmbeddedFields(Draft& draft, const ExternalObject& parent, const Draft& parent_draft);
  void BuildExternalId(Draft& draft);
  Field ExternalIdFieldOf(const ExternalObject& object) const;
  Field KeyOrPlain(const Draft& draft, std::string column) const;
  void DeclaredField(Draft& draft, const JsonPlace& at, const std::string& name,
                     std::vector<Field>& fields);
  void InferredFields(Draft& draft, std::vector<Field>& fields);
  Field FromInferred(const Draft& draft, const InferredAttribute& attribute,
                     std::string name) const;
  bool ReadFieldOptions(Draft& draft, const JsonPlace& at, Field& field);
  void ReadMemberFields(Draft& draft, const JsonPlace& members, Field& field);
  // A declaration that leaves the type, its own or a member's, to the data.
  bool LeavesTypeToData(const Draft& draft, const JsonMember& member) const;
  // No type is stated and no item showed one: an error without a store, else a warning.
  void Untyped(Draft& draft, const JsonPlace& at, const Field& field);
  bool SourceOf(const Draft& draft, const std::string& column, Field& field) const;
  void FinishFields(Draft& draft);

  // catalog_links.cc
  void BuildRelationships(Draft& draft);
  // `to` alone, where an earlier fault keeps the relationships from being built.
  void CheckRelationshipTargets();
  void CheckOverlayNames();
  static JsonPlace EitherExtension(const Draft& draft, std::string_view key);
  std::vector<std::string> ObjectNames() const;  // those of embedded lists included
  void UnknownTarget(const JsonPlace& at, const std::string& relationship, const std::string& target,
                     const std::vector<std::string>& names);
  void BuildChildren();
  void LinkChildren();
  void BuildIndexes(Draft& draft);
  void BuildAggregates(Draft& draft);
  void BuildMaintainers();
  void ReadAccessPatterns();
  bool ResolveJoin(const ExternalObject& object, const std::string& column, JoinColumn& join) const;
  // The object's fields come from data that is not there yet: what names a field may wait.
  static bool AwaitsData(const Draft& draft);
  bool AddNavigation(ExternalObject& object, Navigation navigation, const JsonPlace& at);
  Draft* FindDraft(std::string_view object_name);

  const std::vector<CatalogFile>& files_;
  ItemStore* store_;
  const CatalogOptions& options_;
  Findings findings_;
  std::shared_ptr<Catalog> catalog_;
  std::unique_ptr<ReadSnapshot> snapshot_;
  JsonValue overlay_json_;
  JsonPlace overlay_;
  std::string overlay_text_;
  std::vector<std::unique_ptr<Draft>> drafts_;
  std::string default_table_;
  std::vector<std::string> currency_columns_;
  bool empty_text_is_null_ = true;
  bool open_tables_ = false;
  std::vector<std::pair<std::string, std::string>> to_keep_;  // meta name, text
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_CATALOG_BUILDER_H_
