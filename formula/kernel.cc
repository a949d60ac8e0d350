#include "formula/kernel.h"

#include <algorithm>
#include <cstring>

namespace tablecast::formula {

std::string_view EvalErrorCodeName(EvalErrorCode code) {
  switch (code) {
    case EvalErrorCode::kDivisionByZero: return "division-by-zero";
    case EvalErrorCode::kArgumentOutOfRange: return "argument-out-of-range";
    case EvalErrorCode::kNotARealNumber: return "not-a-real-number";
    case EvalErrorCode::kBadNumberText: return "bad-number-text";
    case EvalErrorCode::kBadDateText: return "bad-date-text";
    case EvalErrorCode::kBadRegex: return "bad-regex";
    case EvalErrorCode::kLimitExceeded: return "limit-exceeded";
  }
  return "limit-exceeded";
}

EvalContext::EvalContext(Timestamp now, EvalLimits limits)
    : now_(now), limits_(limits), scratch_(std::make_unique<Scratch>()) {}
EvalContext::~EvalContext() = default;
void EvalContext::FreeScratchText() {
  scratch_->arena.Reset();
  has_scratch_text_ = false;
}

namespace internal {

char* TextArena::Allocate(std::size_t bytes) {
  constexpr std::size_t kFirstChunk = 4096;
  if (chunks_.empty() || chunks_.back().size - used_ < bytes) {
    const std::size_t doubled = chunks_.empty() ? kFirstChunk : chunks_.back().size * 2;
    const std::size_t size = std::max(bytes, std::min<std::size_t>(doubled, 1U << 20U));
    chunks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
    used_ = 0;
  }
  char* start = chunks_.back().bytes.get() + used_;
  used_ += bytes;
  return start;
}

void TextArena::Reset() {
  if (chunks_.size() > 1) chunks_.resize(1);
  used_ = 0;
}

bool KernelContext::Fail(EvalErrorCode code, std::string message) {
  error_ = EvalError{code, std::move(message), {}};
  return false;
}

bool KernelContext::Fail(const EvalError& error) {
  error_ = error;
  return false;
}

bool KernelContext::FailBudget() {
  return Fail(
      EvalErrorCode::kLimitExceeded,
      "formula needs more than " + std::to_string(limits_.max_steps) + " steps on this row");
}

char* KernelContext::Allocate(std::size_t bytes) {
  if (bytes > limits_.max_text_bytes) {
    Fail(EvalErrorCode::kLimitExceeded, "text of " + std::to_string(bytes) +
                                            " bytes is over the limit of " +
                                            std::to_string(limits_.max_text_bytes));
    return nullptr;
  }
  if (!Spend(bytes)) return nullptr;
  context_.has_scratch_text_ = true;
  return context_.scratch_->arena.Allocate(bytes);
}

bool KernelContext::SetText(Value& result, std::string_view text) {
  char* memory = Allocate(text.size());
  if (memory == nullptr) return false;
  if (!text.empty()) std::memcpy(memory, text.data(), text.size());  // an empty view may be null
  result = Value::TextView({memory, text.size()});
  return true;
}

Value* KernelContext::EnterFrame(std::size_t count) {
  constexpr std::size_t kMaxFrames = 64;
  EvalContext::Scratch& scratch = *context_.scratch_;
  if (scratch.depth >= kMaxFrames) {
    Fail(EvalErrorCode::kLimitExceeded, "formulas refer to each other more than 64 deep");
    return nullptr;
  }
  // Inner vectors keep their buffers when the outer one grows: pointers into them stay valid.
  if (scratch.frames.size() <= scratch.depth) scratch.frames.emplace_back();
  std::vector<Value>& frame = scratch.frames[scratch.depth++];
  if (frame.size() < count) frame.resize(count);
  return frame.data();
}

void KernelContext::LeaveFrame() { --context_.scratch_->depth; }

}  // namespace internal
}  // namespace tablecast::formula
