#ifndef TABLECAST_FORMULA_NORMALIZE_H_
#define TABLECAST_FORMULA_NORMALIZE_H_

// Rewrites a checked tree into the form that code generation and inversion work on, with the same
// results: constants folded, branches with a constant condition chosen, chains of `&` (and of AND,
// OR) flattened to one node with neighbouring constant texts joined. Internal to formula/.
//
// Folding never crosses an error: what would fail stays, and fails at run time. Calls that read the
// clock stay. Only reachable nodes are kept.

#include "formula/typed_tree.h"

namespace tablecast::formula::internal {

TypedTree Normalize(const TypedTree& tree);

}  // namespace tablecast::formula::internal

#endif  // TABLECAST_FORMULA_NORMALIZE_H_
