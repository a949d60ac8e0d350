// IMPLEMENTATION: a register machine. Registers live in the context and are reused from row to row;
// constants and row text are never copied. Tested by tests/formula/differential_test.cc.

#include <array>
#include <cstring>

#include "formula/evaluator.h"
#include "formula/text_units.h"

namespace tablecast::formula::internal {

std::string_view TailBehind(std::string_view text, std::string_view delimiter,
                            std::uint32_t occurrence) {
  if (text.empty()) return text;  // its data may be null, which memchr does not take
  if (occurrence == 1 && delimiter.size() == 1) {  // the common strip-a-prefix
    const void* at = std::memchr(text.data(), delimiter[0], text.size());
    if (at == nullptr) return text;
    return text.substr(static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) + 1);
  }
  // FIND begins again at the start of the text when the delimiter before it was absent.
  std::size_t found = std::string_view::npos;
  for (std::uint32_t i = 0; i < occurrence; ++i) {
    found =
        FindBytes(text, delimiter, found == std::string_view::npos ? 0 : found + delimiter.size());
  }
  return found == std::string_view::npos ? text : text.substr(found + delimiter.size());
}

std::string_view HeadBefore(std::string_view text, std::string_view delimiter) {
  const std::size_t found = FindBytes(text, delimiter, 0);
  return found == std::string_view::npos ? std::string_view() : text.substr(0, found);
}

std::string_view PartBetween(std::string_view text, std::string_view delimiter,
                             std::uint32_t part) {
  std::size_t before = std::string_view::npos;
  std::size_t found = std::string_view::npos;
  for (std::uint32_t i = 0; i < part; ++i) {
    before = found;
    found = FindBytes(text, delimiter,
                      before == std::string_view::npos ? 0 : before + delimiter.size());
  }
  if (found == std::string_view::npos) return {};
  const std::size_t start = before == std::string_view::npos ? 0 : before + delimiter.size();
  return text.substr(start, found - start);
}

namespace {

class Machine {
 public:
  Machine(const Code& code, bool blank_as_zero, const FieldReader& fields, KernelContext& context,
          Value* registers)
      : code_(code),
        blank_as_zero_(blank_as_zero),
        fields_(fields),
        context_(context),
        registers_(registers) {}

  bool Run(Value& result) {
    const std::size_t count = code_.instructions.size();
    for (std::size_t at = 0; at < count;) {
      const Instruction& instruction = code_.instructions[at];
      ++at;
      if (context_.Spend(0) && Execute(instruction, at)) continue;
      if (instruction.handler == kNoHandler) return false;
      context_.error().reset();
      at = instruction.handler;
    }
    result = Operand(code_.result);
    return true;
  }

 private:
  const Value& Operand(std::uint32_t index) const {
    return index < code_.register_count ? registers_[index]
                                        : code_.constants[index - code_.register_count];
  }
  const Value& Operand(const Instruction& instruction, std::uint32_t i) const {
    return Operand(code_.operands[instruction.first_operand + i]);
  }

  bool Execute(const Instruction& instruction, std::size_t& at) {
    switch (instruction.op) {
      case OpCode::kLoadField:
        if (LoadField(code_.fields[instruction.payload], blank_as_zero_, fields_, context_,
                      registers_[instruction.target])) {
          return true;
        }
        context_.error()->position.offset = instruction.begin;
        return false;
      case OpCode::kCall: return Call(instruction);
      case OpCode::kMove: registers_[instruction.target] = Operand(instruction, 0); return true;
      case OpCode::kJump: at = instruction.jump; return true;
      case OpCode::kJumpUnlessTrue: {
        const Value& condition = Operand(instruction, 0);
        if (!condition.Is(ValueType::kBoolean) || !condition.boolean()) at = instruction.jump;
        return true;
      }
      case OpCode::kJumpUnlessBlank:
        if (!Operand(instruction, 0).IsBlank()) at = instruction.jump;
        return true;
      case OpCode::kJumpUnlessEqual: {
        const Value& subject = Operand(instruction, 0);
        const bool comparable = instruction.text_keys || !subject.IsBlank();
        if (!comparable || !(subject == Operand(instruction, 1))) at = instruction.jump;
        return true;
      }
      case OpCode::kTail:
        return Cut(instruction, TailBehind(Operand(instruction, 0).text(), Delimiter(instruction),
                                           instruction.payload));
      case OpCode::kHead:
        return Cut(instruction, HeadBefore(Operand(instruction, 0).text(), Delimiter(instruction)));
      case OpCode::kPart:
        return Cut(instruction, PartBetween(Operand(instruction, 0).text(), Delimiter(instruction),
                                            instruction.payload));
    }
    return false;
  }

  const std::string& Delimiter(const Instruction& instruction) const {
    return code_.delimiters[instruction.delimiter];
  }

  bool Cut(const Instruction& instruction, std::string_view piece) {
    if (!context_.Spend(Operand(instruction, 0).text().size())) return false;
    registers_[instruction.target] = Value::TextView(piece);
    return true;
  }

  bool Call(const Instruction& instruction) {
    constexpr std::size_t kInline = 8;
    std::array<const Value*, kInline> inline_pointers;
    std::vector<const Value*> many;
    const Value** pointers = inline_pointers.data();
    if (instruction.operand_count > kInline) {
      many.resize(instruction.operand_count);
      pointers = many.data();
    }
    bool blank = false;
    for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
      pointers[i] = &Operand(instruction, i);
      blank = blank || pointers[i]->IsBlank();
    }
    Value& target = registers_[instruction.target];
    if (blank && instruction.null_rule == NullRule::kBlankInBlankOut) {
      target = Value();
      return true;
    }
    context_.set_prepared(instruction.pattern);
    if (instruction.kernel(Arguments(std::span(pointers, instruction.operand_count)), context_,
                           target))
      return true;
    context_.error()->position.offset = instruction.begin;
    return false;
  }

  const Code& code_;
  bool blank_as_zero_;
  const FieldReader& fields_;
  KernelContext& context_;
  Value* registers_;
};

}  // namespace

bool RunCode(const Code& code, bool blank_as_zero, const FieldReader& fields,
             KernelContext& context, Value& result) {
  Value* registers = context.EnterFrame(code.register_count);
  if (registers == nullptr) return false;
  const bool ok = Machine(code, blank_as_zero, fields, context, registers).Run(result);
  context.LeaveFrame();
  return ok;
}

}  // namespace tablecast::formula::internal
