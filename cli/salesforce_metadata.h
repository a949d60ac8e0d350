#ifndef TABLECAST_CLI_SALESFORCE_METADATA_H_
#define TABLECAST_CLI_SALESFORCE_METADATA_H_

// The part of a Salesforce metadata folder that describes external objects: data sources with their
// qualifier descriptors, objects, fields. Reads both layouts: one .object file an object, and the
// source layout with one file a field. Writes the first. SOURCE: Salesforce Metadata API,
// ExternalDataSource, CustomObject, CustomField.

#include <string>
#include <vector>

#include "base/result.h"

namespace tablecast::cli {

struct SalesforceField {
  std::string full_name;      // "ORDERDATE__c"
  std::string external_name;  // externalDeveloperName: the column
  std::string type;           // "Text", "ExternalLookup", ...
  std::string label, description;
  std::string length, precision, scale;  // digits, or "" when not given
  bool required = false;
  bool unique = false;
  std::vector<std::string> values;     // of a Picklist
  std::string reference_to;            // lookups: "Orders__x", "Account"
  std::string reference_target_field;  // IndirectLookup: "AccountNumber__c"
  std::string relationship_name;       // lookups: name of the list on the parent
};

struct SalesforceObject {
  std::string full_name;  // "Orders__x"
  std::string label, plural_label, description;
  std::string data_source;
  std::string file;
  std::vector<SalesforceField> fields;
};

struct SalesforceDescriptor {
  std::string custom_object;  // "Orders__x"
  std::string text;           // qualifier JSON
};

struct SalesforceDataSource {
  std::string name;  // the file's stem
  std::string label;
  bool writable = false;
  std::string file;
  std::vector<SalesforceDescriptor> descriptors;
};

struct SalesforceMetadata {
  std::vector<SalesforceDataSource> data_sources;  // by name
  std::vector<SalesforceObject> objects;           // by full name
};

// Everything below `folder`, whatever its layout. Files of other kinds are passed over. Faulty
// files are issues; the rest is still read. LIMITS: 20,000 files, 16 MiB each. ERRORS:
// kInvalidArgument "metadata-not-found", "metadata-empty" when there is no external data source.
Result<SalesforceMetadata> ReadSalesforceFolder(const std::string& folder,
                                                std::vector<Issue>& issues);

// externalDataSources/*.dataSource-meta.xml and objects/*.object below `folder`, which must be new
// or empty. ERRORS: kFailedPrecondition "folder-not-empty"; kUnavailable "file-write".
Status WriteSalesforceFolder(const SalesforceMetadata& metadata, const std::string& folder);

}  // namespace tablecast::cli

#endif  // TABLECAST_CLI_SALESFORCE_METADATA_H_
