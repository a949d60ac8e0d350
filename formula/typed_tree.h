#ifndef TABLECAST_FORMULA_TYPED_TREE_H_
#define TABLECAST_FORMULA_TYPED_TREE_H_

// The checked formula: names bound to slots, operators and functions to kernels, every node typed.
// The interpreter walks it, the compiler turns it into code, the inverter recognises shapes on it.
// Internal to formula/.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formula/function_registry.h"
#include "formula/program.h"
#include "formula/value.h"

namespace tablecast::formula::internal {

struct PreparedPattern;

enum class NodeOp : std::uint8_t {
  kConstant,  // payload: index into constants
  kField,     // payload: index into fields
  kStrict,    // all arguments, then the kernel
  kAnd,
  kOr,
  kIf,
  kIfs,
  kCase,
  kIfError,
  kCoalesce,  // BLANKVALUE, NULLVALUE: the second argument when the first is blank
};

using NodeId = std::uint32_t;

struct TypedNode {
  NodeOp op = NodeOp::kConstant;
  ValueType type = ValueType::kNull;  // INVARIANT: kNull means that the value is always blank
  NullRule null_rule = NullRule::kBlankInBlankOut;
  Purity purity = Purity::kPure;
  bool text_keys = false;  // kCase: subject and keys are text, so blank equals blank
  Kernel kernel = nullptr;
  std::string_view name;             // canonical function name or operator; static
  std::uint32_t first_argument = 0;  // into TypedTree::arguments
  std::uint32_t argument_count = 0;
  std::uint32_t payload = 0;
  std::uint32_t begin = 0;  // byte offsets in the source
  std::uint32_t end = 0;
  std::shared_ptr<const PreparedPattern> pattern;  // REGEX with a constant pattern
};

// Postorder: every argument before its node. Nodes that an identity call dropped stay unreferenced.
struct TypedTree {
  std::vector<TypedNode> nodes;
  std::vector<NodeId> arguments;
  std::vector<Value> constants;
  std::vector<FieldUse> fields;
  NodeId root = 0;

  std::span<const NodeId> ArgumentsOf(const TypedNode& node) const {
    return std::span(arguments).subspan(node.first_argument, node.argument_count);
  }
  std::span<const NodeId> ArgumentsOf(NodeId id) const { return ArgumentsOf(nodes[id]); }
  const TypedNode& operator[](NodeId id) const { return nodes[id]; }
};

}  // namespace tablecast::formula::internal

#endif  // TABLECAST_FORMULA_TYPED_TREE_H_
