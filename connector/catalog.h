#ifndef TABLECAST_CONNECTOR_CATALOG_H_
#define TABLECAST_CONNECTOR_CATALOG_H_

// A catalog: all external objects of one folder of qualifier files and its catalog.json, compiled
// against the tables of a store. Immutable; a reload builds a new one and swaps the pointer.
//
//   auto files = ReadCatalogFolder("catalog");
//   CatalogLoad load = LoadCatalog(*files, &store, {});
//   if (!load.catalog) Print(load.issues);
//   InstallMaintainers(*load.catalog, store);

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_time.h"
#include "base/result.h"
#include "connector/external_object.h"
#include "store/item_store.h"

namespace tablecast {

// One file of the folder. `name` is used in messages; its stem names the object; "catalog.json"
// (its last path component) is the overlay.
struct CatalogFile {
  std::string name;
  std::string text;
};

// All *.json of the folder itself, sorted by name, plus catalog.json. ERRORS: kNotFound
// "catalog-not-found"; kResourceExhausted for a file over 1 MiB.
Result<std::vector<CatalogFile>> ReadCatalogFolder(const std::string& folder);

struct CatalogOptions {
  // Look at the data again even when a kept inferred schema fits (`sync`).
  bool infer_again = false;
  // Keep inferred schemas in the store. Off for commands that must not write.
  bool keep_inferred = true;
  std::size_t sample_first = 1000;
  std::size_t sample_spread = 1000;
};

// What sampling saw, for `sync` and messages.
struct InferenceReport {
  std::string object;
  std::uint64_t items_seen = 0;
  bool from_kept = false;
  struct Conflict {
    std::string attribute;
    std::vector<std::pair<std::string, std::uint64_t>> types;
  };
  std::vector<Conflict> conflicts;      // attributes that vary in type
  std::vector<std::string> withheld;    // secret-looking names, not published
  std::vector<std::string> money_like;  // N columns that look like money
  std::vector<std::string> epoch_like;     // N columns that look like seconds since 1970
  std::vector<std::string> epoch_ms_like;  // N columns that look like milliseconds since 1970
  // S columns most of whose texts are dates, and which are published as Text for the sake of the others.
  // Only of a fresh sample.
  struct DateLike {
    std::string attribute;
    FieldType type = FieldType::kDateTime;  // or kDate
    std::uint64_t fitting = 0, texts = 0;
    std::string misfit;  // a text that is no date
  };
  std::vector<DateLike> date_like;
};

// SOURCE: spec external-objects.md section 8. Kept as declared; `tablecast patterns` runs them.
struct AccessPattern {
  std::string name;
  std::string request;  // with {placeholders}
  std::vector<std::pair<std::string, std::string>> example;
  std::string path;  // access kind expected, may be ""
  std::optional<std::uint64_t> max_reads;
  // The request with the example's values in place, quotes doubled.
  std::string ExampleRequest() const;
};

class Catalog : public std::enable_shared_from_this<Catalog> {
 public:
  const std::string& schema_namespace() const { return namespace_; }  // CSDL, default "catalog"
  const std::string& currency() const { return currency_; }
  std::uint32_t page_size() const { return page_size_; }          // 200
  std::uint32_t max_page_size() const { return max_page_size_; }  // 2,000
  bool blank_as_zero() const { return blank_as_zero_; }
  std::int32_t zone_minutes() const { return zone_minutes_; }

  // In byte order of their names.
  const std::vector<std::unique_ptr<const ExternalObject>>& objects() const { return objects_; }
  const ExternalObject* Find(std::string_view name) const;
  std::optional<std::string> NearestObjectName(std::string_view name) const;

  const std::vector<AccessPattern>& access_patterns() const { return access_patterns_; }
  const std::vector<InferenceReport>& inference() const { return inference_; }
  // Tables that objects name and the store lacks.
  const std::vector<std::string>& missing_tables() const { return missing_tables_; }
  // True when one of missing_tables() is there now: load the catalog again.
  bool NeedsReload(const ReadSnapshot& snapshot) const;

  // Identifies the published schema: equal for equal $metadata.
  const std::string& fingerprint() const { return fingerprint_; }

  // Membership, declared and GUID indexes of every object over `table`; nullptr when there is none.
  // It keeps this catalog alive.
  std::shared_ptr<const IndexMaintainer> MaintainerFor(std::string_view table) const;
  std::vector<std::string> Tables() const;  // tables of the objects that exist

 private:
  friend class CatalogBuilder;
  std::string namespace_ = "catalog", currency_, fingerprint_;
  std::uint32_t page_size_ = 200, max_page_size_ = 2000;
  bool blank_as_zero_ = false;
  std::int32_t zone_minutes_ = 0;
  std::vector<std::unique_ptr<const ExternalObject>> objects_;
  std::vector<AccessPattern> access_patterns_;
  std::vector<InferenceReport> inference_;
  std::vector<std::string> missing_tables_;
  struct TableIndexes {
    std::vector<const ExternalObject*> objects;
    std::vector<DerivedIndex> indexes;
  };
  std::map<std::string, TableIndexes, std::less<>> table_indexes_;
};

struct CatalogLoad {
  std::shared_ptr<const Catalog> catalog;  // null when issues has an error
  std::vector<Issue> issues;               // of all files, each with file and span
};

// `store` may be null (validation, `metadata` without a store): key columns are then taken from
// `keyColumns` or the first physical columns, and objects without declared fields are an error.
CatalogLoad LoadCatalog(const std::vector<CatalogFile>& files, ItemStore* store,
                        const CatalogOptions& options);

// Gives every table of the catalog its maintainer. Indexes become ready by ItemStore::BuildIndexes.
Status InstallMaintainers(const Catalog& catalog, ItemStore& store);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_CATALOG_H_
