// IMPLEMENTATION: an explicit stack of nodes in progress and a stack of finished values; nothing
// recurses. The oracle that tests/formula/differential_test.cc compares the compiled code with.

#include <algorithm>

#include "formula/evaluator.h"

namespace tablecast::formula::internal {

bool LoadField(const FieldUse& field, bool blank_as_zero, const FieldReader& fields,
               KernelContext& context, Value& result) {
  result = fields.Read(field.slot);
  if (result.Is(field.type)) return true;
  if (result.IsBlank()) {
    if (const EvalError* error = fields.ReadError(field.slot)) return context.Fail(*error);
  }
  result = Value();
  if (field.type == ValueType::kBoolean) result = Value::Boolean(false);
  if (field.type == ValueType::kNumber && blank_as_zero) result = Value::Integer(0);
  return true;
}

namespace {

bool IsTrue(const Value& value) { return value.Is(ValueType::kBoolean) && value.boolean(); }

class Interpreter {
 public:
  Interpreter(const TypedTree& tree, bool blank_as_zero, const FieldReader& fields,
              KernelContext& context)
      : tree_(tree), blank_as_zero_(blank_as_zero), fields_(fields), context_(context) {}

  bool Run(Value& result) {
    Enter(tree_.root);
    while (!frames_.empty()) {
      if (!context_.Spend(0) || !Step()) {
        if (!Recover()) return false;
      }
    }
    result = std::move(values_.back());
    return true;
  }

 private:
  struct Frame {
    NodeId node;
    std::uint32_t done;  // arguments visited
    std::size_t values;  // size of the value stack when the node began
  };

  void Enter(NodeId node) { frames_.push_back({node, 0, values_.size()}); }

  void Visit(std::uint32_t argument) {
    const NodeId child = tree_.ArgumentsOf(frames_.back().node)[argument];
    frames_.back().done = argument + 1;
    Enter(child);
  }

  bool Finish(Value value) {
    values_.resize(frames_.back().values);
    values_.push_back(std::move(value));
    frames_.pop_back();
    return true;
  }
  // The last value on the stack is the node's.
  bool FinishWithLast() {
    Value last = std::move(values_.back());
    return Finish(std::move(last));
  }

  bool Step() {
    const Frame& frame = frames_.back();
    const TypedNode& node = tree_[frame.node];
    const std::uint32_t done = frame.done;
    const std::uint32_t count = node.argument_count;
    switch (node.op) {
      case NodeOp::kConstant: return Finish(tree_.constants[node.payload]);
      case NodeOp::kField: {
        Value value;
        if (!LoadField(tree_.fields[node.payload], blank_as_zero_, fields_, context_, value)) {
          context_.error()->position.offset = node.begin;
          return false;
        }
        return Finish(std::move(value));
      }
      case NodeOp::kStrict:
        if (done < count) {
          Visit(done);
          return true;
        }
        return Call(node);
      case NodeOp::kAnd:
      case NodeOp::kOr: {
        const bool stops_at = node.op == NodeOp::kOr;
        if (done > 0 && IsTrue(values_.back()) == stops_at) return Finish(Value::Boolean(stops_at));
        if (done == count) return Finish(Value::Boolean(!stops_at));
        Visit(done);
        return true;
      }
      case NodeOp::kIf:
        if (done == 0) {
          Visit(0);
        } else if (done == 1) {
          Visit(IsTrue(values_.back()) ? 1 : 2);
        } else {
          return FinishWithLast();
        }
        return true;
      case NodeOp::kIfs:
        // Even arguments are conditions, odd ones values, the last one the else.
        if (done == 0 || (done % 2 == 1 && done < count)) {
          if (done > 0 && IsTrue(values_.back())) {
            Visit(done);
          } else {
            Visit(done == 0 ? 0 : done + 1);
          }
          return true;
        }
        return FinishWithLast();
      case NodeOp::kCase: return StepCase(node, done);
      case NodeOp::kIfError:
        if (done == 0) {
          Visit(0);
          return true;
        }
        return FinishWithLast();
      case NodeOp::kCoalesce:
        if (done == 0 || (done == 1 && values_.back().IsBlank())) {
          Visit(done);
          return true;
        }
        return FinishWithLast();
    }
    return false;
  }

  // Argument 0 is the subject; then key, value pairs; then the else value.
  bool StepCase(const TypedNode& node, std::uint32_t done) {
    const std::uint32_t count = node.argument_count;
    if (done <= 1) {
      Visit(done);
      return true;
    }
    const bool after_key = done % 2 == 0 && done < count;
    if (!after_key) return FinishWithLast();
    const Value& subject = values_[frames_.back().values];
    const Value& key = values_.back();
    const bool equal = subject == key && (node.text_keys || !subject.IsBlank());
    if (equal) {
      Visit(done);
    } else {
      Visit(done + 1);  // the next key, or the else value
    }
    return true;
  }

  bool Call(const TypedNode& node) {
    pointers_.clear();
    bool blank = false;
    for (std::size_t i = values_.size() - node.argument_count; i < values_.size(); ++i) {
      pointers_.push_back(&values_[i]);
      blank = blank || values_[i].IsBlank();
    }
    Value result;
    if (!blank || node.null_rule == NullRule::kKernelDecides) {
      context_.set_prepared(node.pattern.get());
      if (!node.kernel(Arguments(pointers_), context_, result)) {
        context_.error()->position.offset = node.begin;
        return false;
      }
    }
    return Finish(std::move(result));
  }

  // Unwinds to the IFERROR whose first argument failed; false when there is none.
  bool Recover() {
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (tree_[frame.node].op == NodeOp::kIfError && frame.done == 1) {
        values_.resize(frame.values);
        context_.error().reset();
        Visit(1);
        return true;
      }
      frames_.pop_back();
    }
    return false;
  }

  const TypedTree& tree_;
  bool blank_as_zero_;
  const FieldReader& fields_;
  KernelContext& context_;
  std::vector<Frame> frames_;
  std::vector<Value> values_;
  std::vector<const Value*> pointers_;
};

}  // namespace

bool InterpretTree(const TypedTree& tree, bool blank_as_zero, const FieldReader& fields,
                   KernelContext& context, Value& result) {
  return Interpreter(tree, blank_as_zero, fields, context).Run(result);
}

}  // namespace tablecast::formula::internal
