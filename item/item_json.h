#ifndef TABLECAST_ITEM_ITEM_JSON_H_
#define TABLECAST_ITEM_ITEM_JSON_H_

// DynamoDB JSON ({"pk":{"S":"a"}}) and plain JSON of items and values, both ways.

#include <string>
#include <vector>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "item/item.h"

namespace tablecast {

struct ItemJsonOptions {
  // Inside M and L a value that is no one-tag object is taken as plain JSON, with a warning
  // (spec store-and-formats.md section 2, Workbench policy). Never at top level.
  bool tolerant = false;
};

// ERRORS: kInvalidArgument with the path ("tags.SS[2]") in `target` and the position in the text.
Result<Item> ItemFromDynamoDbJson(const JsonValue& json, const ItemJsonOptions& options = {},
                                  std::vector<Issue>* warnings = nullptr);
Result<AttributeValue> ValueFromDynamoDbJson(const JsonValue& json, const ItemJsonOptions& options = {},
                                             std::vector<Issue>* warnings = nullptr);
// string -> S, number -> N by its text, bool, null -> NULL, array -> L, object -> M.
Result<Item> ItemFromPlainJson(const JsonValue& json);
Result<AttributeValue> ValueFromPlainJson(const JsonValue& json);

// Deterministic: attributes in byte order of their names.
void WriteDynamoDbJson(JsonWriter& json, const Item& item);
void WriteDynamoDbJson(JsonWriter& json, const AttributeValue& value);
// B as base64, sets as arrays; loses those types.
void WritePlainJson(JsonWriter& json, const Item& item);
void WritePlainJson(JsonWriter& json, const AttributeValue& value);

}  // namespace tablecast

#endif  // TABLECAST_ITEM_ITEM_JSON_H_
