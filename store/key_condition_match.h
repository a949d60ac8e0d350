#ifndef TABLECAST_STORE_KEY_CONDITION_MATCH_H_
#define TABLECAST_STORE_KEY_CONDITION_MATCH_H_

// A KeyCondition judged on values, as the data model words it (spec store-and-formats.md
// section 1.4): the plain counterpart of the byte ranges of key_ranges.h, and the oracle they are
// tested against.

#include "item/attribute_value.h"
#include "item/key_condition.h"

namespace tablecast {

// `sort` is an absent view where there is no such column; it then meets no condition but a free
// one.
bool Meets(const KeyCondition& condition, const AttributeView& partition,
           const AttributeView& sort);

}  // namespace tablecast

#endif  // TABLECAST_STORE_KEY_CONDITION_MATCH_H_
