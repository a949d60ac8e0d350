#ifndef TABLECAST_CONNECTOR_CATALOG_CHECK_H_
#define TABLECAST_CONNECTOR_CATALOG_CHECK_H_

// What only the data says about a catalog: items that nobody or several claim, values that do not
// fit their fields, ambiguous external IDs, links that lead nowhere, constants that no item has,
// inverses that do not hold. The findings of `doctor` and of `validate --data`; docs/qualifiers.md
// lists the codes.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "connector/catalog.h"
#include "store/item_store.h"

namespace tablecast {

struct CatalogCheck {
  std::vector<Issue> issues;  // warnings, each with one example; by object, then code
  std::uint64_t items = 0;    // looked at
};

struct CatalogCheckOptions {
  Timestamp now;
  std::size_t inverse_samples = 200;  // items of an object whose inverses are tried
  std::size_t tracked_values =
      2'000'000;  // external IDs and link values kept of one object; beyond that they go unchecked
};

// COST: one read of every table, memory for the external IDs and link values. ERRORS: of the reads.
Result<CatalogCheck> CheckCatalog(const Catalog& catalog, const ReadSnapshot& snapshot,
                                  const CatalogCheckOptions& options);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_CATALOG_CHECK_H_
