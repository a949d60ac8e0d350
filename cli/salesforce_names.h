#ifndef TABLECAST_CLI_SALESFORCE_NAMES_H_
#define TABLECAST_CLI_SALESFORCE_NAMES_H_

// Names and field types on both sides of import-salesforce and export-salesforce.

#include <string>
#include <string_view>

namespace tablecast::cli {

// "Orders__x" -> "Orders", "shop__TOTAL__c" -> "TOTAL": without namespace and suffix.
std::string PlainName(std::string_view full_name);
// Letters, digits and _, a letter first, at most 40: a name on both sides, safe as a file name.
bool IsPlainName(std::string_view name);
// A developer name made from any text: foreign characters become _, runs of _ collapse.
std::string DeveloperName(std::string_view text);

// "LongTextArea" -> "LongText"; "" when there is no counterpart.
std::string CatalogType(std::string_view salesforce_type);
// "LongText" -> "LongTextArea"; "" when there is no counterpart.
std::string SalesforceType(std::string_view catalog_type);

}  // namespace tablecast::cli

#endif  // TABLECAST_CLI_SALESFORCE_NAMES_H_
