// IMPLEMENTATION: value numbering finds equal expressions; a value is computed once and reused
// wherever its computation is certain to have happened (scopes follow the lazy branches). Left
// operands of long chains are walked in a loop; otherwise recursion follows the nesting that the
// parser has bounded.

#include <algorithm>
#include <map>
#include <optional>

#include "formula/evaluator.h"
#include "formula/operators.h"
#include "formula/shapes.h"

namespace tablecast::formula::internal {
namespace {

class Generator {
 public:
  Generator(const TypedTree& tree, bool fuse) : tree_(tree), fuse_(fuse) {}

  Code Run() {
    code_.fields = tree_.fields;
    code_.constants = tree_.constants;
    NumberValues();
    available_.assign(numbers_.size(), std::nullopt);
    true_ = AddConstant(Value::Boolean(true));
    false_ = AddConstant(Value::Boolean(false));
    code_.result = Emit(tree_.root);
    ResolveOperands();
    return std::move(code_);
  }

 private:
  // While generating, constants are marked by the top bit; registers are not.
  static constexpr std::uint32_t kConstantBit = 1U << 31U;

  // ---- value numbering ----

  void NumberValues() {
    std::map<std::vector<std::uintptr_t>, std::uint32_t> seen;
    number_.resize(tree_.nodes.size());
    std::map<std::string, std::uint32_t> constants;
    for (NodeId id = 0; id < tree_.nodes.size(); ++id) {
      const TypedNode& node = tree_[id];
      std::vector<std::uintptr_t> key = {
          static_cast<std::uintptr_t>(node.op), static_cast<std::uintptr_t>(node.type),
          reinterpret_cast<std::uintptr_t>(node.kernel), node.payload};
      if (node.op == NodeOp::kConstant) {
        // Equal constants share one number, whatever their index.
        const std::string spelled = tree_.constants[node.payload].ToString();
        key[3] = constants.try_emplace(spelled, node.payload).first->second;
      }
      for (const NodeId argument : tree_.ArgumentsOf(node)) key.push_back(number_[argument]);
      const auto [entry, is_new] =
          seen.try_emplace(std::move(key), static_cast<std::uint32_t>(numbers_.size()));
      if (is_new) numbers_.push_back(id);
      number_[id] = entry->second;
    }
  }

  // Values computed inside a scope are forgotten when it ends: their computation is conditional.
  std::size_t OpenScope() const { return scope_log_.size(); }
  void CloseScope(std::size_t mark) {
    while (scope_log_.size() > mark) {
      available_[scope_log_.back()].reset();
      scope_log_.pop_back();
    }
  }
  void Remember(NodeId id, std::uint32_t operand) {
    std::optional<std::uint32_t>& slot = available_[number_[id]];
    if (slot) return;
    slot = operand;
    scope_log_.push_back(number_[id]);
  }

  // ---- instructions ----

  std::uint32_t NewRegister() { return code_.register_count++; }
  std::uint32_t AddConstant(Value value) {
    code_.constants.push_back(std::move(value));
    return static_cast<std::uint32_t>(code_.constants.size() - 1) | kConstantBit;
  }
  std::size_t Append(OpCode op, std::uint32_t target,
                     std::initializer_list<std::uint32_t> operands) {
    return Append(op, target, std::span(operands.begin(), operands.size()));
  }
  std::size_t Append(OpCode op, std::uint32_t target, std::span<const std::uint32_t> operands) {
    Instruction instruction;
    instruction.op = op;
    instruction.target = target;
    instruction.first_operand = static_cast<std::uint32_t>(code_.operands.size());
    instruction.operand_count = static_cast<std::uint32_t>(operands.size());
    instruction.handler = handler_;
    code_.operands.insert(code_.operands.end(), operands.begin(), operands.end());
    code_.instructions.push_back(instruction);
    return code_.instructions.size() - 1;
  }
  std::uint32_t Here() const { return static_cast<std::uint32_t>(code_.instructions.size()); }
  void PatchHere(std::size_t instruction) { code_.instructions[instruction].jump = Here(); }
  void PatchAll(const std::vector<std::size_t>& jumps) {
    for (const std::size_t jump : jumps) PatchHere(jump);
  }

  // ---- expressions ----

  // The operand that holds the value of `id` from here on.
  std::uint32_t Emit(NodeId id) {
    // Down the left operands of strict nodes in a loop, then back up.
    std::vector<NodeId> spine;
    NodeId at = id;
    while (!available_[number_[at]] && tree_[at].op == NodeOp::kStrict &&
           tree_[at].argument_count > 0 && !FusedCut(at)) {
      spine.push_back(at);
      at = tree_.ArgumentsOf(at)[0];
    }
    std::uint32_t operand = EmitOne(at);
    while (!spine.empty()) {
      operand = EmitCall(spine.back(), operand);
      spine.pop_back();
    }
    return operand;
  }

  std::uint32_t EmitOne(NodeId id) {
    if (const std::optional<std::uint32_t> known = available_[number_[id]]) return *known;
    const TypedNode& node = tree_[id];
    std::uint32_t operand = 0;
    switch (node.op) {
      case NodeOp::kConstant: operand = node.payload | kConstantBit; break;
      case NodeOp::kField: operand = EmitField(node.payload, node); break;
      case NodeOp::kStrict:
        if (const std::optional<Cut> cut = FusedCut(id)) {
          operand = EmitCut(*cut, node);
        } else {
          return EmitCall(id, std::nullopt);
        }
        break;
      case NodeOp::kAnd:
      case NodeOp::kOr: operand = EmitJunction(node); break;
      case NodeOp::kIf: operand = EmitIf(node); break;
      case NodeOp::kIfs: operand = EmitIfs(node); break;
      case NodeOp::kCase: operand = EmitCase(node); break;
      case NodeOp::kIfError: operand = EmitIfError(node); break;
      case NodeOp::kCoalesce: operand = EmitCoalesce(node); break;
    }
    Remember(id, operand);
    return operand;
  }

  std::uint32_t EmitField(std::uint32_t field, const TypedNode& node) {
    const std::uint32_t target = NewRegister();
    Instruction& load = code_.instructions[Append(OpCode::kLoadField, target, {})];
    load.payload = field;
    load.begin = node.begin;
    load.name = tree_.fields[field].name;
    return target;
  }

  // `first` is the operand of argument 0 when it has been emitted already.
  std::uint32_t EmitCall(NodeId id, std::optional<std::uint32_t> first) {
    const TypedNode& node = tree_[id];
    std::vector<std::uint32_t> operands;
    for (std::size_t i = 0; i < node.argument_count; ++i) {
      operands.push_back(i == 0 && first ? *first : Emit(tree_.ArgumentsOf(node)[i]));
    }
    const std::uint32_t target = NewRegister();
    Instruction& call = code_.instructions[Append(OpCode::kCall, target, operands)];
    call.kernel = node.kernel;
    call.null_rule = node.null_rule;
    call.pattern = node.pattern.get();
    call.begin = node.begin;
    call.name = node.name;
    Remember(id, target);
    return target;
  }

  std::optional<Cut> FusedCut(NodeId id) const {
    if (!fuse_) return std::nullopt;
    std::optional<Cut> cut = RecogniseCut(tree_, id);
    if (cut && cut->kind != CutKind::kTail && cut->kind != CutKind::kHead &&
        cut->kind != CutKind::kPart)
      return std::nullopt;
    return cut;
  }

  std::uint32_t EmitCut(const Cut& cut, const TypedNode& node) {
    // The field may be loaded already: find its number through any mention of it.
    std::uint32_t source = 0;
    bool found = false;
    for (std::uint32_t number = 0; number < numbers_.size() && !found; ++number) {
      const TypedNode& field = tree_[numbers_[number]];
      if (field.op != NodeOp::kField || field.payload != cut.field) continue;
      source = EmitOne(numbers_[number]);
      found = true;
    }
    const OpCode op = cut.kind == CutKind::kTail   ? OpCode::kTail
                      : cut.kind == CutKind::kHead ? OpCode::kHead
                                                   : OpCode::kPart;
    const std::uint32_t target = NewRegister();
    const std::size_t at = Append(op, target, {source});
    Instruction& instruction = code_.instructions[at];
    instruction.payload = cut.part;
    instruction.delimiter = static_cast<std::uint32_t>(code_.delimiters.size());
    instruction.begin = node.begin;
    code_.delimiters.push_back(cut.delimiter);
    return target;
  }

  // Emits a conditional branch: value into `target`.
  void EmitBranch(NodeId id, std::uint32_t target) {
    const std::size_t scope = OpenScope();
    const std::uint32_t value = Emit(id);
    Append(OpCode::kMove, target, {value});
    CloseScope(scope);
  }

  std::uint32_t EmitJunction(const TypedNode& node) {
    const bool is_and = node.op == NodeOp::kAnd;
    const std::uint32_t target = NewRegister();
    std::vector<std::size_t> stops;
    std::optional<std::size_t> scope;
    for (std::size_t i = 0; i < node.argument_count; ++i) {
      const std::uint32_t condition = Emit(tree_.ArgumentsOf(node)[i]);
      if (!scope) scope = OpenScope();  // the first operand always runs, the others may not
      if (is_and) {
        stops.push_back(Append(OpCode::kJumpUnlessTrue, 0, {condition}));
      } else {
        const std::size_t next = Append(OpCode::kJumpUnlessTrue, 0, {condition});
        stops.push_back(Append(OpCode::kJump, 0, {}));
        PatchHere(next);
      }
    }
    Append(OpCode::kMove, target, {is_and ? true_ : false_});
    const std::size_t end = Append(OpCode::kJump, 0, {});
    PatchAll(stops);
    Append(OpCode::kMove, target, {is_and ? false_ : true_});
    PatchHere(end);
    if (scope) CloseScope(*scope);
    return target;
  }

  std::uint32_t EmitIf(const TypedNode& node) {
    const auto arguments = tree_.ArgumentsOf(node);
    const std::uint32_t target = NewRegister();
    const std::uint32_t condition = Emit(arguments[0]);
    const std::size_t to_else = Append(OpCode::kJumpUnlessTrue, 0, {condition});
    EmitBranch(arguments[1], target);
    const std::size_t end = Append(OpCode::kJump, 0, {});
    PatchHere(to_else);
    EmitBranch(arguments[2], target);
    PatchHere(end);
    return target;
  }

  std::uint32_t EmitIfs(const TypedNode& node) {
    const auto arguments = tree_.ArgumentsOf(node);
    const std::uint32_t target = NewRegister();
    std::vector<std::size_t> ends;
    std::optional<std::size_t> scope;
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
      const std::uint32_t condition = Emit(arguments[i]);
      if (!scope) scope = OpenScope();
      const std::size_t next = Append(OpCode::kJumpUnlessTrue, 0, {condition});
      EmitBranch(arguments[i + 1], target);
      ends.push_back(Append(OpCode::kJump, 0, {}));
      PatchHere(next);
    }
    EmitBranch(arguments.back(), target);
    PatchAll(ends);
    if (scope) CloseScope(*scope);
    return target;
  }

  std::uint32_t EmitCase(const TypedNode& node) {
    const auto arguments = tree_.ArgumentsOf(node);
    const std::uint32_t target = NewRegister();
    const std::uint32_t subject = Emit(arguments[0]);
    const std::size_t scope = OpenScope();
    std::vector<std::size_t> ends;
    for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
      const std::uint32_t key = Emit(arguments[i]);
      const std::size_t next = Append(OpCode::kJumpUnlessEqual, 0, {subject, key});
      code_.instructions[next].text_keys = node.text_keys;
      EmitBranch(arguments[i + 1], target);
      ends.push_back(Append(OpCode::kJump, 0, {}));
      PatchHere(next);
    }
    EmitBranch(arguments.back(), target);
    PatchAll(ends);
    CloseScope(scope);
    return target;
  }

  std::uint32_t EmitIfError(const TypedNode& node) {
    const auto arguments = tree_.ArgumentsOf(node);
    const std::uint32_t target = NewRegister();
    const std::uint32_t outer = handler_;
    // Handlers are numbered while generating and become instruction indexes at the end.
    handler_ = static_cast<std::uint32_t>(handlers_.size());
    handlers_.push_back(0);
    const std::uint32_t mine = handler_;
    EmitBranch(arguments[0], target);
    handler_ = outer;
    const std::size_t end = Append(OpCode::kJump, 0, {});
    handlers_[mine] = Here();
    EmitBranch(arguments[1], target);
    PatchHere(end);
    return target;
  }

  std::uint32_t EmitCoalesce(const TypedNode& node) {
    const auto arguments = tree_.ArgumentsOf(node);
    const std::uint32_t target = NewRegister();
    const std::uint32_t value = Emit(arguments[0]);
    Append(OpCode::kMove, target, {value});
    const std::size_t end = Append(OpCode::kJumpUnlessBlank, 0, {value});
    EmitBranch(arguments[1], target);
    PatchHere(end);
    return target;
  }

  void ResolveOperands() {
    const auto resolve = [this](std::uint32_t& operand) {
      if ((operand & kConstantBit) != 0) operand = code_.register_count + (operand & ~kConstantBit);
    };
    for (std::uint32_t& operand : code_.operands) resolve(operand);
    resolve(code_.result);
    for (Instruction& instruction : code_.instructions) {
      if (instruction.handler != kNoHandler) instruction.handler = handlers_[instruction.handler];
    }
  }

  const TypedTree& tree_;
  bool fuse_;
  Code code_;
  std::vector<std::uint32_t> number_;                    // value number by node
  std::vector<NodeId> numbers_;                          // first node of each number
  std::vector<std::optional<std::uint32_t>> available_;  // operand by value number
  std::vector<std::uint32_t> scope_log_;
  std::vector<std::uint32_t> handlers_;
  std::uint32_t handler_ = kNoHandler;
  std::uint32_t true_ = 0;
  std::uint32_t false_ = 0;
};

std::string_view OpName(OpCode op) {
  switch (op) {
    case OpCode::kLoadField: return "load";
    case OpCode::kCall: return "call";
    case OpCode::kMove: return "move";
    case OpCode::kJump: return "jump";
    case OpCode::kJumpUnlessTrue: return "jump-unless-true";
    case OpCode::kJumpUnlessBlank: return "jump-unless-blank";
    case OpCode::kJumpUnlessEqual: return "jump-unless-equal";
    case OpCode::kTail: return "tail";
    case OpCode::kHead: return "head";
    case OpCode::kPart: return "part";
  }
  return "?";
}

}  // namespace

Code GenerateCode(const TypedTree& tree, bool fuse) { return Generator(tree, fuse).Run(); }

std::string DescribeCode(const Code& code) {
  const auto operand = [&code](std::uint32_t index) {
    return index < code.register_count ? "r" + std::to_string(index)
                                       : code.constants[index - code.register_count].ToString();
  };
  std::string out;
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const Instruction& instruction = code.instructions[i];
    const bool jumps =
        instruction.op == OpCode::kJump || instruction.op == OpCode::kJumpUnlessTrue ||
        instruction.op == OpCode::kJumpUnlessBlank || instruction.op == OpCode::kJumpUnlessEqual;
    out += "  " + std::to_string(i) + ": ";
    if (!jumps) out += "r" + std::to_string(instruction.target) + " = ";
    out += OpName(instruction.op);
    if (!instruction.name.empty()) out += " " + std::string(instruction.name);
    for (std::uint32_t k = 0; k < instruction.operand_count; ++k) {
      out += (k == 0 ? " " : ", ") + operand(code.operands[instruction.first_operand + k]);
    }
    if (instruction.op == OpCode::kTail || instruction.op == OpCode::kHead ||
        instruction.op == OpCode::kPart) {
      out += ", \"" + code.delimiters[instruction.delimiter] + "\", " +
             std::to_string(instruction.payload);
    } else if (jumps) {
      out += " -> " + std::to_string(instruction.jump);
    }
    if (instruction.handler != kNoHandler)
      out += " (on error -> " + std::to_string(instruction.handler) + ")";
    out += '\n';
  }
  return out + "  result " + operand(code.result) + "\n";
}

}  // namespace tablecast::formula::internal
