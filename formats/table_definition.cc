#include "formats/table_definition.h"

#include <map>
#include <string>
#include <utility>

namespace tablecast {

namespace {

Error Fault(std::string reason, std::string message, std::string path) {
  return MakeError(ErrorCode::kInvalidArgument, "table-definition-" + std::move(reason), std::move(message),
                   std::move(path));
}

// CloudFormation may compute a value: {"Ref":"Name"}, {"Fn::Sub":"..."}. What it yields is not in the file.
const std::string* Function(const JsonValue* value) {
  if (value == nullptr || !value->IsObject() || value->members.size() != 1) return nullptr;
  const std::string& name = value->members.front().name;
  return name == "Ref" || name == "Condition" || name.starts_with("Fn::") ? &name : nullptr;
}

Error ComputedFault(const std::string& member, const std::string& function, std::string path) {
  return MakeError(ErrorCode::kInvalidArgument, "table-definition-computed",
                   member + " is computed by " + function + ", whose result the file does not hold", std::move(path),
                   "write the value in its place, or take the output of describe-table");
}

const std::string* Text(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.Find(name);
  return value != nullptr && value->IsString() ? &value->text : nullptr;
}

using Types = std::map<std::string, AttributeType, std::less<>>;

Result<AttributeType> KeyType(std::string_view text, const std::string& path) {
  const auto type = AttributeTypeFromName(text);
  if (!type || (*type != AttributeType::kS && *type != AttributeType::kN && *type != AttributeType::kB)) {
    return Fault("key-type", "a key column has type S, N or B, not `" + std::string(text) + "`", path);
  }
  return *type;
}

Result<Types> AttributeTypes(const JsonValue& definition, const std::string& path) {
  Types types;
  const JsonValue* list = definition.Find("AttributeDefinitions");
  if (list == nullptr || !list->IsArray()) {
    return Fault("attributes", "AttributeDefinitions is missing: the key columns have no types", path);
  }
  for (std::size_t i = 0; i < list->elements.size(); ++i) {
    const std::string at = path + ".AttributeDefinitions[" + std::to_string(i) + "]";
    const std::string* name = Text(list->elements[i], "AttributeName");
    const std::string* type = Text(list->elements[i], "AttributeType");
    if (name == nullptr || type == nullptr) return Fault("attributes", "needs AttributeName and AttributeType", at);
    TABLECAST_ASSIGN_OR_RETURN(types[*name], KeyType(*type, at));
  }
  return types;
}

// HASH columns and RANGE columns of a KeySchema array, in order.
Status KeyColumns(const JsonValue* schema, const Types& types, const std::string& path,
                  std::vector<KeyColumn>& partition, std::vector<KeyColumn>& sort) {
  if (schema == nullptr || !schema->IsArray() || schema->elements.empty()) {
    return Fault("key-schema", "KeySchema is missing", path);
  }
  for (std::size_t i = 0; i < schema->elements.size(); ++i) {
    const std::string at = path + ".KeySchema[" + std::to_string(i) + "]";
    const std::string* name = Text(schema->elements[i], "AttributeName");
    const std::string* kind = Text(schema->elements[i], "KeyType");
    if (const std::string* function = Function(schema->elements[i].Find("AttributeName"))) {
      return ComputedFault("AttributeName", *function, at);
    }
    if (name == nullptr || kind == nullptr) return Fault("key-schema", "needs AttributeName and KeyType", at);
    const auto type = types.find(*name);
    if (type == types.end()) {
      return Fault("attributes", "AttributeDefinitions does not name the key column `" + *name + "`", at);
    }
    if (*kind == "HASH") {
      partition.push_back({*name, type->second});
    } else if (*kind == "RANGE") {
      sort.push_back({*name, type->second});
    } else {
      return Fault("key-schema", "KeyType is HASH or RANGE, not `" + *kind + "`", at);
    }
  }
  if (partition.empty()) return Fault("key-schema", "there is no HASH column", path);
  return {};
}

Status ReadProjection(const JsonValue& index, const std::string& path, SecondaryIndex& out) {
  const JsonValue* projection = index.Find("Projection");
  if (projection == nullptr) return {};
  const std::string* type = Text(*projection, "ProjectionType");
  if (type == nullptr || *type == "ALL") {
    out.projection = ProjectionType::kAll;
  } else if (*type == "KEYS_ONLY") {
    out.projection = ProjectionType::kKeysOnly;
  } else if (*type == "INCLUDE") {
    out.projection = ProjectionType::kInclude;
  } else {
    return Fault("projection", "ProjectionType is ALL, KEYS_ONLY or INCLUDE, not `" + *type + "`", path);
  }
  if (const JsonValue* names = projection->Find("NonKeyAttributes"); names != nullptr && names->IsArray()) {
    for (const JsonValue& name : names->elements) {
      if (!name.IsString()) return Fault("projection", "NonKeyAttributes holds attribute names", path);
      out.non_key_attributes.push_back(name.text);
    }
  }
  return {};
}

Result<TableSchema> OneDefinition(const JsonValue& definition, const std::string& fallback_name,
                                  const std::string& path) {
  TableSchema schema;
  for (const char* member : {"TableName", "KeySchema", "AttributeDefinitions"}) {
    const std::string* function = Function(definition.Find(member));
    if (function != nullptr) return ComputedFault(member, *function, path + "." + member);
  }
  const std::string* name = Text(definition, "TableName");
  schema.name = name != nullptr ? *name : fallback_name;
  if (schema.name.empty()) return Fault("name", "TableName is missing", path);
  TABLECAST_ASSIGN_OR_RETURN(const Types types, AttributeTypes(definition, path));
  std::vector<KeyColumn> partition;
  std::vector<KeyColumn> sort;
  TABLECAST_RETURN_IF_ERROR(KeyColumns(definition.Find("KeySchema"), types, path, partition, sort));
  if (partition.size() > 1 || sort.size() > 1) {
    return Fault("key-schema", "a table has one HASH and at most one RANGE column", path);
  }
  schema.key.partition = partition.front();
  if (!sort.empty()) schema.key.sort = sort.front();
  for (const auto& [list_name, local] : {std::pair{"GlobalSecondaryIndexes", false}, {"LocalSecondaryIndexes", true}}) {
    const JsonValue* list = definition.Find(list_name);
    if (list == nullptr || !list->IsArray()) continue;
    for (std::size_t i = 0; i < list->elements.size(); ++i) {
      const std::string at = path + "." + list_name + "[" + std::to_string(i) + "]";
      const std::string* index_name = Text(list->elements[i], "IndexName");
      if (index_name == nullptr) return Fault("index", "IndexName is missing", at);
      SecondaryIndex index;
      index.name = *index_name;
      index.local = local;
      TABLECAST_RETURN_IF_ERROR(
          KeyColumns(list->elements[i].Find("KeySchema"), types, at, index.partition, index.sort));
      TABLECAST_RETURN_IF_ERROR(ReadProjection(list->elements[i], at, index));
      schema.indexes.push_back(std::move(index));
    }
  }
  TABLECAST_RETURN_IF_ERROR(ValidateTableSchema(schema));
  return schema;
}

Result<KeyColumn> WorkbenchKey(const JsonValue& keys, std::string_view which, const std::string& path) {
  const JsonValue* key = keys.Find(which);
  const std::string* name = key == nullptr ? nullptr : Text(*key, "AttributeName");
  const std::string* type = key == nullptr ? nullptr : Text(*key, "AttributeType");
  if (name == nullptr) return Fault("key-schema", std::string(which) + " has no AttributeName", path);
  TABLECAST_ASSIGN_OR_RETURN(const AttributeType key_type, KeyType(type == nullptr ? "S" : *type, path));
  return KeyColumn{*name, key_type};
}

}  // namespace

Result<std::vector<TableSchema>> TableDefinitionsFromJson(const JsonValue& json) {
  std::vector<TableSchema> schemas;
  if (const JsonValue* resources = json.Find("Resources"); resources != nullptr && resources->IsObject()) {
    for (const JsonMember& resource : resources->members) {
      const std::string* type = Text(resource.value, "Type");
      if (type == nullptr || (*type != "AWS::DynamoDB::Table" && *type != "AWS::DynamoDB::GlobalTable")) continue;
      const JsonValue* properties = resource.value.Find("Properties");
      const std::string path = "Resources." + resource.name + ".Properties";
      if (properties == nullptr) return Fault("key-schema", "Properties is missing", path);
      TABLECAST_ASSIGN_OR_RETURN(TableSchema schema, OneDefinition(*properties, resource.name, path));
      schemas.push_back(std::move(schema));
    }
    if (schemas.empty()) return Fault("key-schema", "the template holds no AWS::DynamoDB::Table", "Resources");
    return schemas;
  }
  const JsonValue* definition = &json;
  std::string path = "$";
  for (const char* wrapper : {"Table", "TableDescription", "Properties"}) {
    if (const JsonValue* inner = json.Find(wrapper); inner != nullptr && inner->IsObject()) {
      definition = inner;
      path = wrapper;
      break;
    }
  }
  TABLECAST_ASSIGN_OR_RETURN(TableSchema schema, OneDefinition(*definition, "", path));
  schemas.push_back(std::move(schema));
  return schemas;
}

Result<TableSchema> TableSchemaFromWorkbench(const JsonValue& table, const std::string& path) {
  TableSchema schema;
  const std::string* name = Text(table, "TableName");
  if (name == nullptr) return Fault("name", "TableName is missing", path);
  schema.name = *name;
  const JsonValue* keys = table.Find("KeyAttributes");
  if (keys == nullptr) return Fault("key-schema", "KeyAttributes is missing", path);
  TABLECAST_ASSIGN_OR_RETURN(schema.key.partition, WorkbenchKey(*keys, "PartitionKey", path + ".KeyAttributes"));
  if (keys->Find("SortKey") != nullptr) {
    TABLECAST_ASSIGN_OR_RETURN(schema.key.sort, WorkbenchKey(*keys, "SortKey", path + ".KeyAttributes"));
  }
  for (const auto& [list_name, local] : {std::pair{"GlobalSecondaryIndexes", false}, {"LocalSecondaryIndexes", true}}) {
    const JsonValue* list = table.Find(list_name);
    if (list == nullptr || !list->IsArray()) continue;
    for (std::size_t i = 0; i < list->elements.size(); ++i) {
      const JsonValue& element = list->elements[i];
      const std::string at = path + "." + list_name + "[" + std::to_string(i) + "]";
      const std::string* index_name = Text(element, "IndexName");
      const JsonValue* index_keys = element.Find("KeyAttributes");
      if (index_name == nullptr || index_keys == nullptr) return Fault("index", "needs IndexName and KeyAttributes", at);
      SecondaryIndex index;
      index.name = *index_name;
      index.local = local;
      TABLECAST_ASSIGN_OR_RETURN(KeyColumn partition, WorkbenchKey(*index_keys, "PartitionKey", at));
      index.partition.push_back(std::move(partition));
      if (index_keys->Find("SortKey") != nullptr) {
        TABLECAST_ASSIGN_OR_RETURN(KeyColumn sort, WorkbenchKey(*index_keys, "SortKey", at));
        index.sort.push_back(std::move(sort));
      }
      TABLECAST_RETURN_IF_ERROR(ReadProjection(element, at, index));
      schema.indexes.push_back(std::move(index));
    }
  }
  TABLECAST_RETURN_IF_ERROR(ValidateTableSchema(schema));
  return schema;
}

}  // namespace tablecast
