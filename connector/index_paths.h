#ifndef TABLECAST_CONNECTOR_INDEX_PATHS_H_
#define TABLECAST_CONNECTOR_INDEX_PATHS_H_

// How a declared index serves tests and an order: equalities on its leading parts, at most one
// range or prefix on the part behind, and the order of the parts behind those.

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "connector/column_tests.h"
#include "connector/external_object.h"
#include "store/item_store.h"

namespace tablecast {

// The store cuts the order of an entry there.
inline constexpr std::size_t kStoredOrderBytes = 400;

struct IndexUse {
  std::vector<IndexRange> ranges;  // disjoint; more than one for an in-list
  std::string prefix;              // order bytes of the equalities (one range only)
  std::size_t tail_parts = 0;      // index parts behind them
  std::set<std::size_t> covered;   // tests that the ranges say completely
  std::vector<std::string> pushed;
  std::string text;           // for explain
  bool exact = true;          // false when a bound was cut or is weaker than its test
  bool reverse = false;       // serves the order backwards
  bool ordered = false;       // delivers the order asked for
  bool native_order = false;  // delivers ascending native key order
};

// nullopt when the index helps neither the tests nor the order.
std::optional<IndexUse> UseIndex(
    const ExternalObject& object, const DeclaredIndex& index, const std::vector<ColumnTest>& tests,
    const std::optional<std::vector<std::pair<std::uint32_t, bool>>>& order);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_INDEX_PATHS_H_
