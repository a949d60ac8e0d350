// What an evaluation may use up.

#include "connector/record_view.h"

namespace tablecast {
namespace {

std::size_t SizeOnHeap(const EdmValue& value) {
  if (value.kind() == EdmKind::kString) return value.text().size();
  if (value.kind() != EdmKind::kCollection) return 0;
  std::size_t size = 0;
  for (const EdmValue& element : value.collection()) size += sizeof(EdmValue) + SizeOnHeap(element);
  return size;
}

}  // namespace

bool EvalContext::Step() {
  constexpr std::uint32_t kDeadlineEvery = 1024;
  if (error_) return false;
  if (++steps_ % kDeadlineEvery != 0 || related_ == nullptr) return true;
  const Status status = related_->CheckDeadline();
  if (!status.ok()) Fail(status.error());
  return status.ok();
}

void EvalContext::Keep(const EdmValue& value) {
  if (related_ == nullptr || error_) return;
  const Status status = related_->Keep(SizeOnHeap(value));
  if (!status.ok()) Fail(status.error());
}

}  // namespace tablecast
