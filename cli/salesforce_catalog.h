#ifndef TABLECAST_CLI_SALESFORCE_CATALOG_H_
#define TABLECAST_CLI_SALESFORCE_CATALOG_H_

// Between Salesforce metadata and the files of a catalog, both ways. docs/salesforce.md has the
// table of what becomes what. Qualifier descriptors are taken over byte by byte as <Object>.json;
// labels, fields and lookups go to catalog.json, so that the qualifier files stay as Salesforce has
// them.

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/salesforce_metadata.h"
#include "connector/catalog.h"

namespace tablecast::cli {

// `issues`: what had no place in a catalog (warnings) or could not be taken (errors), by metadata
// file. The files are in order of their names, catalog.json included.
std::vector<CatalogFile> CatalogFromSalesforce(const SalesforceMetadata& metadata,
                                               std::vector<Issue>& issues);

// Works on the files alone: fields that are only inferred from data are not there (`sync --write`
// puts them into the files). ERRORS: kInvalidArgument "catalog-faulty" for a file that is no JSON
// object.
Result<SalesforceMetadata> SalesforceFromCatalog(const std::vector<CatalogFile>& files,
                                                 std::vector<Issue>& issues);

}  // namespace tablecast::cli

#endif  // TABLECAST_CLI_SALESFORCE_CATALOG_H_
