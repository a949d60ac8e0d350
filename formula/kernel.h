#ifndef TABLECAST_FORMULA_KERNEL_H_
#define TABLECAST_FORMULA_KERNEL_H_

// What a kernel (the code of one function or operator) works with: its arguments, the memory for
// its text result, the budgets, the error slot. Internal to formula/.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formula/function_registry.h"
#include "formula/program.h"
#include "formula/value.h"

namespace tablecast::formula {
namespace internal {

// Values of one call, wherever they live. BORROWS all of them.
class Arguments {
 public:
  explicit Arguments(std::span<const Value* const> values) : values_(values) {}
  const Value& operator[](std::size_t index) const { return *values_[index]; }
  std::size_t size() const { return values_.size(); }

 private:
  std::span<const Value* const> values_;
};

// Bump memory for text results; Reset keeps the first chunk.
class TextArena {
 public:
  char* Allocate(std::size_t bytes);
  void Reset();

 private:
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };
  std::vector<Chunk> chunks_;
  std::size_t used_ = 0;  // in the last chunk
};

}  // namespace internal

// One register frame per evaluation in progress: a field may be computed by another formula with
// the same context, so frames stack.
struct EvalContext::Scratch {
  internal::TextArena arena;
  std::vector<std::vector<Value>> frames;
  std::size_t depth = 0;
};

namespace internal {

// A REGEX pattern compiled with the formula (regex_kernel.cc).
struct PreparedPattern;

class KernelContext {
 public:
  KernelContext(EvalContext& context, bool fast_paths)
      : context_(context), limits_(context.limits_), now_(context.now_), fast_paths_(fast_paths) {}

  // Records the fault; always returns false. The position is filled in by the evaluator.
  bool Fail(EvalErrorCode code, std::string message);
  // A fault that another formula has already described.
  bool Fail(const EvalError& error);

  // Charges for walking `bytes` of text; false when the budget is gone.
  bool Spend(std::size_t bytes) {
    steps_ += 1 + bytes / 64;
    return steps_ <= limits_.max_steps || FailBudget();
  }

  // Memory for a text result; nullptr (and an error) beyond max_text_bytes.
  char* Allocate(std::size_t bytes);
  // Copies `text` into the scratch memory as the result.
  bool SetText(Value& result, std::string_view text);

  Timestamp now() const { return now_; }
  bool fast_paths() const { return fast_paths_; }
  const EvalLimits& limits() const { return limits_; }
  const PreparedPattern* prepared() const { return prepared_; }
  void set_prepared(const PreparedPattern* prepared) { prepared_ = prepared; }

  bool failed() const { return error_.has_value(); }
  std::optional<EvalError>& error() { return error_; }

  // `count` registers, and back. nullptr (and an error) when evaluations nest too deep.
  Value* EnterFrame(std::size_t count);
  void LeaveFrame();

 private:
  bool FailBudget();
  EvalContext& context_;
  EvalLimits limits_;
  Timestamp now_;
  std::uint64_t steps_ = 0;
  bool fast_paths_;
  const PreparedPattern* prepared_ = nullptr;
  std::optional<EvalError> error_;
};

}  // namespace internal
}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_KERNEL_H_
