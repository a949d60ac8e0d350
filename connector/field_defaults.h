#ifndef TABLECAST_CONNECTOR_FIELD_DEFAULTS_H_
#define TABLECAST_CONNECTOR_FIELD_DEFAULTS_H_

// Small rules that the catalog loader's steps share.

#include <string_view>

#include "connector/field.h"
#include "item/table_schema.h"

namespace tablecast {

// Type, kind and the facets that follow from them: Number 38 digits, Currency 18/2, times 9 digits.
void SetType(Field& field, FieldType type);
// The key column of that name; null when there is none.
const KeyColumn* KeyColumnOf(const TableSchema& schema, std::string_view attribute);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_FIELD_DEFAULTS_H_
