#ifndef TABLECAST_QUALIFIERS_VALIDATOR_H_
#define TABLECAST_QUALIFIERS_VALIDATOR_H_

// Everything that can be said about a qualifier file without looking at data: all errors and
// warnings in one run, each located, with its cause and remedy. docs/qualifiers.md lists every
// code.
//
//   for (const Issue& issue : ValidateQualifier(text, "Orders.json", nullptr)) {
//     std::fputs(RenderIssue(issue, text, colour).c_str(), stderr);
//   }

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "base/result.h"
#include "item/table_schema.h"
#include "qualifiers/compiled_qualifier.h"
#include "qualifiers/table_qualifier.h"

namespace tablecast {

// Who will read the published schema: what it would drop or cut is reported.
enum class ClientKind { kNone, kSalesforce, kDataverse, kPowerBi };
// "salesforce", "dataverse", "powerbi". ERRORS: kInvalidArgument "unknown-client".
Result<ClientKind> ClientKindFromName(std::string_view name);

struct ValidateOptions {
  // Report what the vendor's own adapter would refuse: comments, extension keys, ...
  bool portable = false;
  ClientKind client = ClientKind::kNone;
  // The items come from a DynamoDB endpoint: its reserved words and name characters matter.
  bool dynamodb_source = false;
  // Extensions of this object from catalog.json (`objects`), which complete those of the file.
  // BORROWS: during the call.
  const JsonValue* overlay = nullptr;
  CompileQualifierOptions compile;
};

// `schema`: the table's, or nullptr to assume one (AssumeSchema). Findings are in file order.
std::vector<Issue> ValidateQualifier(std::string_view text, std::string file,
                                     const TableSchema* schema,
                                     const ValidateOptions& options = {});

// catalog.json: its text and shape. What its names refer to is judged where the catalog is loaded.
std::vector<Issue> ValidateCatalogFile(std::string_view text, std::string file);

// The key schema that a file suggests when its table is not at hand: `keyColumns`, else the entries
// called pk and sk in any case, else the first stored column as partition key.
TableSchema AssumeSchema(const TableQualifier& qualifier);

// Names that look as if they held a secret: password, salt, secret, token, ssn.
bool LooksSecret(std::string_view name);

// Words that DynamoDB reserves in expressions, any letter case.
bool IsDynamoDbReservedWord(std::string_view name);

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_VALIDATOR_H_
