#include "formula/normalize.h"

#include <algorithm>
#include <optional>

#include "formula/kernel.h"
#include "formula/operators.h"

namespace tablecast::formula::internal {
namespace {

// Larger texts are computed per row rather than kept in every program.
constexpr std::size_t kMostConstantBytes = 4096;

bool IsTrue(const Value& value) { return value.Is(ValueType::kBoolean) && value.boolean(); }

class Normalizer {
 public:
  explicit Normalizer(const TypedTree& tree)
      : tree_(tree),
        limits_{kMostConstantBytes, 100'000},
        fold_context_(Timestamp{}, limits_),
        alias_(tree.nodes.size()),
        constant_(tree.nodes.size()) {
    out_.fields = tree.fields;
  }

  TypedTree Run() {
    for (NodeId id = 0; id < tree_.nodes.size(); ++id) {
      alias_[id] = id;
      Fold(id);
    }
    MarkChains();
    Copy();
    out_.root = copied_[alias_[tree_.root]];
    return std::move(out_);
  }

 private:
  // ---- folding: fills constant_ and alias_ ----

  // The node that stands for argument `i` of `node`.
  NodeId Argument(const TypedNode& node, std::size_t i) const {
    return alias_[tree_.ArgumentsOf(node)[i]];
  }
  const Value* ConstantArgument(const TypedNode& node, std::size_t i) const {
    const std::optional<Value>& value = constant_[Argument(node, i)];
    return value ? &*value : nullptr;
  }

  void Fold(NodeId id) {
    const TypedNode& node = tree_[id];
    switch (node.op) {
      case NodeOp::kConstant: constant_[id] = tree_.constants[node.payload]; break;
      case NodeOp::kField: break;
      case NodeOp::kStrict: FoldCall(id, node); break;
      case NodeOp::kAnd:
      case NodeOp::kOr: FoldJunction(id, node); break;
      case NodeOp::kIf:
        if (const Value* condition = ConstantArgument(node, 0))
          alias_[id] = Argument(node, IsTrue(*condition) ? 1 : 2);
        break;
      case NodeOp::kIfs: FoldIfs(id, node); break;
      case NodeOp::kCase: FoldCase(id, node); break;
      case NodeOp::kIfError:
        if (ConstantArgument(node, 0) != nullptr) alias_[id] = Argument(node, 0);
        break;
      case NodeOp::kCoalesce:
        if (const Value* value = ConstantArgument(node, 0))
          alias_[id] = Argument(node, value->IsBlank() ? 1 : 0);
        break;
    }
  }

  void FoldCall(NodeId id, const TypedNode& node) {
    if (node.purity != Purity::kPure) return;
    std::vector<const Value*> pointers;
    bool blank = false;
    for (std::size_t i = 0; i < node.argument_count; ++i) {
      const Value* value = ConstantArgument(node, i);
      if (value == nullptr) return;
      blank = blank || value->IsBlank();
      pointers.push_back(value);
    }
    Value result;
    if (!blank || node.null_rule == NullRule::kKernelDecides) {
      KernelContext context(fold_context_, true);
      context.set_prepared(node.pattern.get());
      if (!node.kernel(Arguments(pointers), context, result))
        return;  // fails at run time, where it belongs
    }
    constant_[id] = result.ToOwned();
    fold_context_.ResetRow();
  }

  void FoldJunction(NodeId id, const TypedNode& node) {
    const bool stops_at = node.op == NodeOp::kOr;
    for (std::size_t i = 0; i < node.argument_count; ++i) {
      const Value* value = ConstantArgument(node, i);
      if (value == nullptr) return;  // an earlier operand may fail: keep the order
      if (IsTrue(*value) == stops_at) {
        constant_[id] = Value::Boolean(stops_at);
        return;
      }
    }
    constant_[id] = Value::Boolean(!stops_at);
  }

  void FoldIfs(NodeId id, const TypedNode& node) {
    for (std::size_t i = 0; i + 1 < node.argument_count; i += 2) {
      const Value* condition = ConstantArgument(node, i);
      if (condition == nullptr) return;
      if (!IsTrue(*condition)) continue;
      alias_[id] = Argument(node, i + 1);
      return;
    }
    alias_[id] = Argument(node, node.argument_count - 1U);
  }

  void FoldCase(NodeId id, const TypedNode& node) {
    const Value* subject = ConstantArgument(node, 0);
    if (subject == nullptr) return;
    for (std::size_t i = 1; i + 1 < node.argument_count; i += 2) {
      const Value* key = ConstantArgument(node, i);
      if (key == nullptr) return;
      if (!(*subject == *key) || (!node.text_keys && subject->IsBlank())) continue;
      alias_[id] = Argument(node, i + 1);
      return;
    }
    alias_[id] = Argument(node, node.argument_count - 1U);
  }

  // ---- chains ----

  static bool SameChain(const TypedNode& a, const TypedNode& b) {
    if (a.op == NodeOp::kAnd || a.op == NodeOp::kOr) return a.op == b.op;
    return a.op == NodeOp::kStrict && b.op == NodeOp::kStrict && a.kernel == ConcatKernel &&
           b.kernel == ConcatKernel;
  }

  // Which nodes are reachable, and which of them melt into the chain of their parent.
  void MarkChains() {
    reachable_.assign(tree_.nodes.size(), false);
    melted_.assign(tree_.nodes.size(), false);
    reachable_[alias_[tree_.root]] = true;
    for (NodeId id = static_cast<NodeId>(tree_.nodes.size()); id-- > 0;) {
      if (!reachable_[id] || constant_[id]) continue;
      const TypedNode& node = tree_[id];
      for (std::size_t i = 0; i < node.argument_count; ++i) {
        const NodeId child = Argument(node, i);
        reachable_[child] = true;
        melted_[child] = !constant_[child] && SameChain(node, tree_[child]);
      }
    }
  }

  // Leaves of a chain in order, without recursion: a chain may be thousands deep.
  std::vector<NodeId> Leaves(NodeId top) const {
    std::vector<NodeId> leaves;
    std::vector<NodeId> stack = {top};
    while (!stack.empty()) {
      const NodeId id = stack.back();
      stack.pop_back();
      const TypedNode& node = tree_[id];
      if (id != top && !melted_[id]) {
        leaves.push_back(id);
        continue;
      }
      for (std::size_t i = node.argument_count; i-- > 0;) stack.push_back(Argument(node, i));
    }
    return leaves;
  }

  // ---- copying ----

  NodeId AddConstant(Value value, const TypedNode& like) {
    TypedNode node;
    node.op = NodeOp::kConstant;
    node.type = like.type;
    node.begin = like.begin;
    node.end = like.end;
    node.payload = static_cast<std::uint32_t>(out_.constants.size());
    out_.constants.push_back(std::move(value));
    out_.nodes.push_back(std::move(node));
    return static_cast<NodeId>(out_.nodes.size() - 1);
  }

  void Copy() {
    copied_.assign(tree_.nodes.size(), 0);
    for (NodeId id = 0; id < tree_.nodes.size(); ++id) {
      if (!reachable_[id] || melted_[id]) continue;
      copied_[id] = constant_[id] ? AddConstant(*constant_[id], tree_[id]) : CopyNode(id);
    }
  }

  NodeId CopyNode(NodeId id) {
    const bool concat = tree_[id].kernel == ConcatKernel;
    std::vector<NodeId> arguments;
    for (const NodeId leaf : Leaves(id)) {
      const NodeId argument = copied_[leaf];
      const bool constant = out_.nodes[argument].op == NodeOp::kConstant;
      if (concat && constant && out_.constants[out_.nodes[argument].payload].IsBlank()) continue;
      if (concat && constant && !arguments.empty() &&
          out_.nodes[arguments.back()].op == NodeOp::kConstant) {
        std::string joined(out_.constants[out_.nodes[arguments.back()].payload].text());
        joined += out_.constants[out_.nodes[argument].payload].text();
        if (joined.size() <= kMostConstantBytes) {
          arguments.back() = AddConstant(Value::Text(std::move(joined)), tree_[id]);
          continue;
        }
      }
      arguments.push_back(argument);
    }
    if (concat && arguments.size() == 1 && out_.nodes[arguments[0]].type == ValueType::kText)
      return arguments[0];
    TypedNode node = tree_[id];
    node.first_argument = static_cast<std::uint32_t>(out_.arguments.size());
    node.argument_count = static_cast<std::uint32_t>(arguments.size());
    out_.arguments.insert(out_.arguments.end(), arguments.begin(), arguments.end());
    out_.nodes.push_back(std::move(node));
    return static_cast<NodeId>(out_.nodes.size() - 1);
  }

  const TypedTree& tree_;
  EvalLimits limits_;
  EvalContext fold_context_;
  std::vector<NodeId> alias_;
  std::vector<std::optional<Value>> constant_;
  std::vector<bool> reachable_;
  std::vector<bool> melted_;
  std::vector<NodeId> copied_;
  TypedTree out_;
};

}  // namespace

TypedTree Normalize(const TypedTree& tree) { return Normalizer(tree).Run(); }

}  // namespace tablecast::formula::internal
