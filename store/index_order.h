#ifndef TABLECAST_STORE_INDEX_ORDER_H_
#define TABLECAST_STORE_INDEX_ORDER_H_

// How much of a derived entry's order the store keeps. Longer orders are cut and marked truncated;
// entries with equal cut orders stand in item-key order, and the reader sorts them again by the
// item.

#include <string_view>

namespace tablecast {

inline constexpr std::size_t kMaxOrderBytes = 400;

inline std::string_view CutOrder(std::string_view order) { return order.substr(0, kMaxOrderBytes); }

}  // namespace tablecast

#endif  // TABLECAST_STORE_INDEX_ORDER_H_
