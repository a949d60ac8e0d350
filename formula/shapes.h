#ifndef TABLECAST_FORMULA_SHAPES_H_
#define TABLECAST_FORMULA_SHAPES_H_

// Recognises the cuts of spec formula.md section 12 on a NORMALISED tree: which piece of one
// field's text an expression takes. Code generation fuses them, inversion inverts them. Internal to
// formula/.

#include <cstdint>
#include <optional>
#include <string>

#include "formula/typed_tree.h"

namespace tablecast::formula::internal {

// E(1) = FIND(d, c); E(k) = FIND(d, c, E(k-1) + 1).
enum class CutKind : std::uint8_t {
  kTail,   // RIGHT(c, LEN(c) - E(k)), MID(c, E(k) + 1, LEN(c)), MID(c, E(k) + 1, LEN(c) - E(k))
  kHead,   // LEFT(c, E(1) - 1), MID(c, 1, E(1) - 1)
  kPart,   // MID(c, E(k-1) + 1, E(k) - E(k-1) - 1), k >= 2
  kDrop,   // RIGHT(c, LEN(c) - n), MID(c, n + 1, LEN(c)): without the first n units
  kTake,   // LEFT(c, n), n >= 1
  kSlice,  // MID(c, n + 1, m), n >= 0, m >= 1
};

struct Cut {
  CutKind kind = CutKind::kTail;
  std::uint32_t field = 0;  // into TypedTree::fields
  std::string delimiter;    // kTail, kHead, kPart: one code point of one UTF-16 unit
  std::uint32_t part = 1;   // k
  std::int64_t offset = 0;  // n; UNITS: UTF-16 units
  std::int64_t count = 0;   // m
};

std::optional<Cut> RecogniseCut(const TypedTree& tree, NodeId id);

// The literal value of a node, or nullptr.
const Value* ConstantOf(const TypedTree& tree, NodeId id);

}  // namespace tablecast::formula::internal

#endif  // TABLECAST_FORMULA_SHAPES_H_
