#ifndef TABLECAST_ODATA_PATH_BINDER_H_
#define TABLECAST_ODATA_PATH_BINDER_H_

// The path of a URL -> what it addresses: a set, a record, a property, a count, ... Names are resolved against the
// catalog as the caller may see it; keys are read but records are not looked up.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "connector/catalog.h"
#include "connector/object_query.h"
#include "odata/principal.h"
#include "odata/query_options.h"
#include "odata/uri_parser.h"

namespace tablecast {

struct BoundPath {
  enum class Kind : std::uint8_t {
    kServiceDocument, kMetadata, kBatch, kEntityById,
    kCollection,       // Orders, Orders('1')/Lines
    kRecord,           // Orders('1'), Orders('1')/Lines('1-2')/Product
    kProperty,         // Orders('1')/TOTAL, .../SHIPTO/city
  };
  Kind kind = Kind::kServiceDocument;
  const ExternalObject* object = nullptr;  // of the collection, the record or the property's record
  std::optional<PathStart> start;          // unset for a whole set
  // The last key of the path, when the path ends at a record named by its key.
  std::optional<RecordKey> key;
  const Navigation* last_navigation = nullptr;  // the path ends with it (before $ref or a key)
  std::vector<const syntax::Expr*> filters;  // /$filter(...) segments. BORROWS from the ResourcePath.
  // kProperty: the field and members below it.
  const Field* field = nullptr;
  std::vector<const Field*> members;
  // What follows.
  bool value = false;  // /$value
  bool count = false;  // /$count
  bool ref = false;    // /$ref
  bool query = false;  // /$query
};

// ERRORS: kNotFound "resource-not-found" with the nearest set; kInvalidArgument "path-...", "key-..."; 501 by
// name for what is not offered ($all, $crossjoin, $each, functions, type casts).
Result<BoundPath> BindPath(const Catalog& catalog, const Principal& principal, const syntax::ResourcePath& path,
                           const std::vector<syntax::AliasValue>& aliases);

// A key of `object` from the arguments between brackets. ERRORS: "key-...".
Result<RecordKey> BindKey(const ExternalObject& object, const std::vector<syntax::PathArgument>& arguments,
                          const std::vector<syntax::AliasValue>& aliases);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_PATH_BINDER_H_
