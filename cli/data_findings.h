#ifndef TABLECAST_CLI_DATA_FINDINGS_H_
#define TABLECAST_CLI_DATA_FINDINGS_H_

// The data behind `validate --data`: a store, or a dump loaded into memory, and what its items say about a catalog.

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "connector/catalog.h"
#include "store/item_store.h"

namespace tablecast::cli {

// `data`: a store's folder or a dump file. A dump is loaded into memory; the key columns of its tables come from
// the files of `paths` (keyColumns, or pk and sk). ERRORS: those of opening and importing.
Result<std::unique_ptr<ItemStore>> OpenData(const std::string& data, const std::vector<std::string>& paths);

// Adds what only the data shows: items that nobody or several claim, conversion errors, dangling links, ...
Status AddDataFindings(const Catalog& catalog, ItemStore& store, std::vector<Issue>& issues);

}  // namespace tablecast::cli

#endif  // TABLECAST_CLI_DATA_FINDINGS_H_
