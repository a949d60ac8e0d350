#ifndef TABLECAST_FORMATS_TABLE_DEFINITION_H_
#define TABLECAST_FORMATS_TABLE_DEFINITION_H_

// Table definitions as people keep them: describe-table output, CreateTable input, CloudFormation
// properties (and whole JSON templates), Workbench models.

#include <vector>

#include "base/json_reader.h"
#include "base/result.h"
#include "item/table_schema.h"

namespace tablecast {

// From an object with KeySchema and AttributeDefinitions, or one that wraps it in Table or Properties, or a
// template whose Resources hold tables. ERRORS: kInvalidArgument "table-definition-..." with the path.
Result<std::vector<TableSchema>> TableDefinitionsFromJson(const JsonValue& json);

// From one element of a Workbench model's DataModel array (TableName, KeyAttributes, ...).
Result<TableSchema> TableSchemaFromWorkbench(const JsonValue& table, const std::string& path);

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_TABLE_DEFINITION_H_
