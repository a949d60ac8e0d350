#include "formula/shapes.h"

#include "base/utf8.h"

namespace tablecast::formula::internal {
namespace {

// A cut in the making: every mention of field and delimiter must agree.
struct Matcher {
  const TypedTree& tree;
  std::optional<std::uint32_t> field;
  std::optional<std::string> delimiter;

  bool Call(NodeId id, std::string_view name, std::size_t count) const {
    const TypedNode& node = tree[id];
    return node.op == NodeOp::kStrict && node.name == name && node.argument_count == count;
  }
  NodeId Arg(NodeId id, std::size_t i) const { return tree.ArgumentsOf(id)[i]; }

  bool Field(NodeId id) {
    const TypedNode& node = tree[id];
    if (node.op != NodeOp::kField || node.type != ValueType::kText) return false;
    if (!field) field = node.payload;
    return *field == node.payload;
  }
  std::optional<std::int64_t> Whole(NodeId id) const {
    const Value* value = ConstantOf(tree, id);
    if (value == nullptr || !value->Is(ValueType::kNumber)) return std::nullopt;
    return value->number().ToInt64();
  }
  bool Delimiter(NodeId id) {
    const Value* value = ConstantOf(tree, id);
    if (value == nullptr || !value->Is(ValueType::kText)) return false;
    const std::string_view text = value->text();
    std::size_t offset = 0;
    if (DecodeUtf8(text, offset) > 0xFFFF || offset != text.size()) return false;
    if (!delimiter) delimiter = std::string(text);
    return *delimiter == text;
  }
  bool Length(NodeId id) { return Call(id, "LEN", 1) && Field(Arg(id, 0)); }

  // k when the node is E(k). The nesting is bounded by the parser; one step per level.
  std::optional<std::uint32_t> Find(NodeId id) {
    std::uint32_t depth = 1;
    while (Call(id, "FIND", 3)) {
      if (!Delimiter(Arg(id, 0)) || !Field(Arg(id, 1))) return std::nullopt;
      const std::optional<NodeId> inner = PlusOne(Arg(id, 2));
      if (!inner) return std::nullopt;
      id = *inner;
      ++depth;
    }
    if (!Call(id, "FIND", 2) || !Delimiter(Arg(id, 0)) || !Field(Arg(id, 1))) return std::nullopt;
    return depth;
  }
  // x when the node is x + 1 or 1 + x.
  std::optional<NodeId> PlusOne(NodeId id) const {
    if (!Call(id, "+", 2)) return std::nullopt;
    if (Whole(Arg(id, 1)) == 1) return Arg(id, 0);
    if (Whole(Arg(id, 0)) == 1) return Arg(id, 1);
    return std::nullopt;
  }
  // E(k) - E(k-1) - 1 in its three spellings.
  bool Between(NodeId id, std::uint32_t k) {
    if (!Call(id, "-", 2)) return false;
    const NodeId left = Arg(id, 0);
    const NodeId right = Arg(id, 1);
    if (Whole(right) == 1) {
      return Call(left, "-", 2) && Find(Arg(left, 0)) == k && Find(Arg(left, 1)) == k - 1;
    }
    if (Call(left, "-", 2) && Whole(Arg(left, 1)) == 1)
      return Find(Arg(left, 0)) == k && Find(right) == k - 1;
    const std::optional<NodeId> next = PlusOne(right);
    return next && Find(left) == k && Find(*next) == k - 1;
  }
};

Cut Finish(const Matcher& matcher, CutKind kind, std::uint32_t part) {
  Cut cut;
  cut.kind = kind;
  cut.field = *matcher.field;
  cut.delimiter = matcher.delimiter.value_or("");
  cut.part = part;
  return cut;
}

std::optional<Cut> RecogniseRight(const TypedTree& tree, NodeId id) {
  Matcher m{tree, {}, {}};
  const NodeId count = m.Arg(id, 1);
  if (!m.Field(m.Arg(id, 0)) || !m.Call(count, "-", 2) || !m.Length(m.Arg(count, 0)))
    return std::nullopt;
  if (const auto n = m.Whole(m.Arg(count, 1)); n && *n >= 0) {
    Cut cut = Finish(m, CutKind::kDrop, 0);
    cut.offset = *n;
    return cut;
  }
  const auto k = m.Find(m.Arg(count, 1));
  if (!k) return std::nullopt;
  return Finish(m, CutKind::kTail, *k);
}

std::optional<Cut> RecogniseLeft(const TypedTree& tree, NodeId id) {
  Matcher m{tree, {}, {}};
  const NodeId count = m.Arg(id, 1);
  if (!m.Field(m.Arg(id, 0))) return std::nullopt;
  if (const auto n = m.Whole(count); n && *n >= 1) {
    Cut cut = Finish(m, CutKind::kTake, 0);
    cut.count = *n;
    return cut;
  }
  if (!m.Call(count, "-", 2) || m.Whole(m.Arg(count, 1)) != 1 || m.Find(m.Arg(count, 0)) != 1U)
    return std::nullopt;
  return Finish(m, CutKind::kHead, 1);
}

std::optional<Cut> RecogniseMid(const TypedTree& tree, NodeId id) {
  Matcher m{tree, {}, {}};
  const NodeId start = m.Arg(id, 1);
  const NodeId count = m.Arg(id, 2);
  if (!m.Field(m.Arg(id, 0))) return std::nullopt;
  if (const auto first = m.Whole(start); first && *first >= 1) {
    if (m.Length(count)) {
      Cut cut = Finish(m, CutKind::kDrop, 0);
      cut.offset = *first - 1;
      return cut;
    }
    if (const auto n = m.Whole(count); n && *n >= 1) {
      Cut cut = Finish(m, CutKind::kSlice, 0);
      cut.offset = *first - 1;
      cut.count = *n;
      return cut;
    }
    if (*first == 1 && m.Call(count, "-", 2) && m.Whole(m.Arg(count, 1)) == 1 &&
        m.Find(m.Arg(count, 0)) == 1U) {
      return Finish(m, CutKind::kHead, 1);
    }
    return std::nullopt;
  }
  const std::optional<NodeId> before = m.PlusOne(start);
  if (!before) return std::nullopt;
  const auto k = m.Find(*before);
  if (!k) return std::nullopt;
  if (m.Length(count)) return Finish(m, CutKind::kTail, *k);
  if (m.Call(count, "-", 2) && m.Length(m.Arg(count, 0)) && m.Find(m.Arg(count, 1)) == *k) {
    return Finish(m, CutKind::kTail, *k);
  }
  if (m.Between(count, *k + 1)) return Finish(m, CutKind::kPart, *k + 1);
  return std::nullopt;
}

}  // namespace

const Value* ConstantOf(const TypedTree& tree, NodeId id) {
  const TypedNode& node = tree[id];
  return node.op == NodeOp::kConstant ? &tree.constants[node.payload] : nullptr;
}

std::optional<Cut> RecogniseCut(const TypedTree& tree, NodeId id) {
  const TypedNode& node = tree[id];
  if (node.op != NodeOp::kStrict) return std::nullopt;
  if (node.name == "RIGHT") return RecogniseRight(tree, id);
  if (node.name == "LEFT") return RecogniseLeft(tree, id);
  if (node.name == "MID") return RecogniseMid(tree, id);
  return std::nullopt;
}

}  // namespace tablecast::formula::internal
