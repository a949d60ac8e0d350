#ifndef TABLECAST_QUALIFIERS_DEPENDENCY_ORDER_H_
#define TABLECAST_QUALIFIERS_DEPENDENCY_ORDER_H_

// Order of definitions that mention each other, and the cycles among them. Iterative: the graph
// comes from a file. Private to qualifiers/.

#include <cstddef>
#include <set>
#include <vector>

namespace tablecast {

// depends[i]: the nodes that node i mentions, itself excepted.
using Dependencies = std::vector<std::set<std::size_t>>;

// Nodes so that each comes after all it depends on. Nodes on a cycle, or above one, are missing.
// COST: linear in nodes and edges.
std::vector<std::size_t> DependencyOrder(const Dependencies& depends);

// At least one cycle of every tangle, each once, in the direction of its mentions.
std::vector<std::vector<std::size_t>> FindCycles(const Dependencies& depends);

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_DEPENDENCY_ORDER_H_
