#ifndef TABLECAST_CLI_CLIENT_FINDINGS_H_
#define TABLECAST_CLI_CLIENT_FINDINGS_H_

// Which published fields a client drops or cuts by its own table of types: the part of `validate --client` that needs a
// loaded catalog, because a field that no file declares gets its type from the data.

#include <vector>

#include "base/result.h"
#include "connector/catalog.h"
#include "qualifiers/validator.h"

namespace tablecast::cli {

// Adds one warning "client-type" or "client-length" a field, with target "Object.field" and the file of the object;
// none for a field that `issues` already names by its declaration.
// SOURCE: spec crm-clients.md sections 1 and 4.1.
void AddClientFindings(const Catalog& catalog, ClientKind client, std::vector<Issue>& issues);

}  // namespace tablecast::cli

#endif  // TABLECAST_CLI_CLIENT_FINDINGS_H_
