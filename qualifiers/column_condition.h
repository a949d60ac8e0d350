#ifndef TABLECAST_QUALIFIERS_COLUMN_CONDITION_H_
#define TABLECAST_QUALIFIERS_COLUMN_CONDITION_H_

// Algebra of ColumnCondition (item/key_condition.h): what two conditions on one column allow
// together, and whether a condition already says what another asks. Shared by the qualifier
// compiler and planners.
//
//   Intersect(sk begins with "products#", sk = "products#1")   ->   sk = "products#1"
//   Intersect(sk = "ORDER", sk begins with "products#")        ->   never

#include <string>

#include "item/key_condition.h"

namespace tablecast {

// Exact: a value meets the result when it meets both. Values of S, N and B only.
ColumnCondition Intersect(const ColumnCondition& a, const ColumnCondition& b);

// True when every value that meets `condition` begins with `prefix` (S or B).
bool ImpliesPrefix(const ColumnCondition& condition, std::string_view prefix);

// The value itself meets it (false when never).
bool Meets(const ColumnCondition& condition, const AttributeValue& value);

// "sk = \"ORDER\"", "pk in (1, 2)", "sk begins with \"a\"", "pk >= \"0\" and pk < \":\"", "" when
// free.
std::string ConditionText(std::string_view column, const ColumnCondition& condition);

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_COLUMN_CONDITION_H_
