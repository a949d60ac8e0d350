#ifndef TABLECAST_CONNECTOR_KEY_RANGES_H_
#define TABLECAST_CONNECTOR_KEY_RANGES_H_

// Algebra of whole key conditions, on top of qualifiers/column_condition.h.

#include <string>

#include "item/key_condition.h"
#include "item/table_schema.h"
#include "qualifiers/column_condition.h"

namespace tablecast {

KeyCondition Intersect(const KeyCondition& a, const KeyCondition& b);
// The smallest single range (or equality) that holds both: may hold more.
ColumnCondition Hull(const ColumnCondition& a, const ColumnCondition& b);
ColumnCondition EqualsCondition(AttributeValue value);
// At most partition equals x sort equals items.
bool IsPoint(const KeyCondition& condition, const TableSchema& schema);
// "pk = \"1012\" and sk begins with \"products#\""; "" when free.
std::string KeyConditionText(const KeyCondition& condition, const TableSchema& schema);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_KEY_RANGES_H_
