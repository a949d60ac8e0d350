#ifndef TABLECAST_CLI_SESSION_H_
#define TABLECAST_CLI_SESSION_H_

// What most commands start with: the store, the catalog, the service over both.

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/terminal.h"
#include "connector/catalog.h"
#include "odata/http_message.h"
#include "odata/service.h"
#include "store/lmdb_item_store.h"

namespace tablecast::cli {

enum class StoreAccess { kMustExist, kCreate };

// Opens the store in `folder`. ERRORS: kNotFound "store-not-found" with the remedy; those of the store.
Result<std::unique_ptr<LmdbItemStore>> OpenStore(const std::string& folder, StoreAccess access);

struct OpenCatalog {
  std::shared_ptr<const Catalog> catalog;
  std::vector<Issue> warnings;
};
// Loads the folder and prints its findings to stderr; an Error when there are faults ("catalog-faulty").
Result<OpenCatalog> LoadCatalogFolder(const Terminal& terminal, const std::string& folder, ItemStore* store,
                                      const CatalogOptions& options);

// Installs the catalog's indexes and brings them up to date, with progress.
Status BuildIndexes(const Terminal& terminal, const Catalog& catalog, ItemStore& store);

// A GET of `request` ("Orders?$top=3", relative to the service root) by a caller who may do everything.
HttpRequest LocalRequest(const std::string& request);

// "pk", "id:N" -> a key column. ERRORS: "key-column-syntax".
Result<KeyColumn> ParseKeyColumn(const std::string& text, const std::string& option);

}  // namespace tablecast::cli

#endif  // TABLECAST_CLI_SESSION_H_
