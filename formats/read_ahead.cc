#include "formats/read_ahead.h"

#include <exception>
#include <utility>

#include "item/item_codec.h"

namespace tablecast {

namespace {

constexpr std::size_t kChunkOperations = 256;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20U;
constexpr std::size_t kReadyChunks = 4;

}  // namespace

ReadAhead::ReadAhead(RecordSorter& sorter) : sorter_(sorter), thread_([this] { Produce(); }) {}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReadAhead::Produce() {
  std::optional<Error> failure;
  try {
    for (bool more = true; more;) {
      Chunk chunk;
      std::size_t bytes = 0;
      while (more && chunk.size() < kChunkOperations && bytes < kChunkBytes) {
        SortedOperation operation;
        auto next = sorter_.Next(operation);
        if (!next.ok()) {
          failure = next.error();
          more = false;
          break;
        }
        more = *next;
        if (!more) break;
        bytes += operation.key.size() + ItemSize(operation.item);
        chunk.push_back(std::move(operation));
      }
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || ready_.size() < kReadyChunks; });
      if (stopping_) return;
      if (!chunk.empty()) ready_.push_back(std::move(chunk));
      changed_.notify_all();
    }
  } catch (const std::exception& error) {
    failure = MakeError(ErrorCode::kResourceExhausted, "out-of-memory", error.what());
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  failure_ = std::move(failure);
  ended_ = true;
  changed_.notify_all();
}

Result<bool> ReadAhead::Next(SortedOperation& operation) {
  if (at_ == current_.size()) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !ready_.empty(); });
    if (ready_.empty()) {
      if (failure_) return *failure_;
      return false;
    }
    current_ = std::move(ready_.front());
    ready_.pop_front();
    at_ = 0;
    changed_.notify_all();
  }
  operation = std::move(current_[at_++]);
  return true;
}

}  // namespace tablecast
