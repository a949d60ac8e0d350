#ifndef TABLECAST_CONNECTOR_KEY_NARROWING_H_
#define TABLECAST_CONNECTOR_KEY_NARROWING_H_

// What column tests say about a table's primary key: directly, through virtual columns whose
// definitions invert, and through external IDs.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "connector/column_tests.h"
#include "connector/external_object.h"

namespace tablecast {

struct KeyNarrowing {
  std::vector<KeyCondition> keys;  // alternatives: more than one from external IDs
  std::set<std::size_t> used;      // tests that the keys serve
  std::set<std::size_t> covered;   // tests that the keys say completely
  std::vector<std::string> pushed;
  std::vector<std::pair<std::string, std::string>> refused;
  bool narrowed = false;
};

// ERRORS: of ExternalIdConditions.
Result<KeyNarrowing> NarrowKeys(const ExternalObject& object, const std::vector<ColumnTest>& tests);

// The object whose items are read: the parent of an embedded one.
const ExternalObject& ItemsOf(const ExternalObject& object);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_KEY_NARROWING_H_
