#ifndef TABLECAST_ODATA_QUERY_FUNCTIONS_H_
#define TABLECAST_ODATA_QUERY_FUNCTIONS_H_

// What $filter and $apply offer, as published in $metadata; tests hold each name against the service.

#include <string>
#include <vector>

namespace tablecast {

const std::vector<std::string>& FilterFunctions();
const std::vector<std::string>& ApplyTransformations();

}  // namespace tablecast

#endif  // TABLECAST_ODATA_QUERY_FUNCTIONS_H_
