#ifndef TABLECAST_FORMULA_EVALUATOR_H_
#define TABLECAST_FORMULA_EVALUATOR_H_

// The two ways to run a checked formula: the interpreter over the tree and the machine over code.
// Internal to formula/.

#include <cstdint>
#include <string>
#include <vector>

#include "formula/kernel.h"
#include "formula/typed_tree.h"

namespace tablecast::formula::internal {

// Reads one field by the rules of spec section 4: a value of another type is blank, a blank Boolean
// is FALSE, a blank Number is 0 when `blank_as_zero`. False (and an error) when the field itself
// failed.
bool LoadField(const FieldUse& field, bool blank_as_zero, const FieldReader& fields,
               KernelContext& context, Value& result);

// The plain interpreter. False: context.error() says why.
bool InterpretTree(const TypedTree& tree, bool blank_as_zero, const FieldReader& fields,
                   KernelContext& context, Value& result);

// ---- code ----

enum class OpCode : std::uint8_t {
  kLoadField,        // target = fields[payload]
  kCall,             // target = kernel(operands)
  kMove,             // target = operands[0]
  kJump,             // to `jump`
  kJumpUnlessTrue,   // when operands[0] is not TRUE
  kJumpUnlessBlank,  // when operands[0] is not blank
  kJumpUnlessEqual,  // when operands[0] does not equal the key operands[1]
  // Fused shapes of spec section 12 over one text; `payload` is the part number, 1-based.
  kTail,  // behind the payload-th delimiter
  kHead,  // before the first delimiter
  kPart,  // between the (payload-1)-th and the payload-th delimiter
};

inline constexpr std::uint32_t kNoHandler = UINT32_MAX;

struct Instruction {
  OpCode op = OpCode::kMove;
  NullRule null_rule = NullRule::kKernelDecides;
  bool text_keys = false;           // kJumpUnlessEqual: blank equals blank
  std::uint32_t target = 0;         // register
  std::uint32_t first_operand = 0;  // into Code::operands
  std::uint32_t operand_count = 0;
  std::uint32_t payload = 0;
  std::uint32_t jump = 0;              // instruction index
  std::uint32_t delimiter = 0;         // fused shapes: into Code::delimiters
  std::uint32_t handler = kNoHandler;  // where an error continues (IFERROR)
  std::uint32_t begin = 0;             // byte offset in the source, for errors
  Kernel kernel = nullptr;
  const PreparedPattern* pattern = nullptr;  // owned by the tree
  std::string_view name;                     // for Explain
};

// Operands count registers first, then constants.
struct Code {
  std::vector<Instruction> instructions;
  std::vector<std::uint32_t> operands;
  std::vector<Value> constants;
  std::vector<FieldUse> fields;
  std::vector<std::string> delimiters;  // of fused instructions
  std::uint32_t register_count = 0;
  std::uint32_t result = 0;  // operand
};

// REQUIRES: `tree` outlives the code. `fuse` = recognise the shapes of shapes.h.
Code GenerateCode(const TypedTree& tree, bool fuse);
std::string DescribeCode(const Code& code);

bool RunCode(const Code& code, bool blank_as_zero, const FieldReader& fields,
             KernelContext& context, Value& result);

// The fused shapes on bytes: exact for every valid UTF-8 text because the delimiter is one code
// point of one unit. BORROWS text.
std::string_view TailBehind(std::string_view text, std::string_view delimiter,
                            std::uint32_t occurrence);
std::string_view HeadBefore(std::string_view text, std::string_view delimiter);
std::string_view PartBetween(std::string_view text, std::string_view delimiter, std::uint32_t part);

}  // namespace tablecast::formula::internal

#endif  // TABLECAST_FORMULA_EVALUATOR_H_
