#ifndef TABLECAST_FORMATS_READ_AHEAD_H_
#define TABLECAST_FORMATS_READ_AHEAD_H_

// Merges and decodes sorted operations on a thread of its own, some steps ahead of the one that loads them. Internal to
// formats/.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.h"
#include "formats/record_sorter.h"

namespace tablecast {

// THREAD: one thread calls Next; nobody else may use the sorter meanwhile. LIMITS: about 6 MB of encoded items are ahead.
class ReadAhead {
 public:
  explicit ReadAhead(RecordSorter& sorter);  // BORROWS
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // As RecordSorter::Next.
  Result<bool> Next(SortedOperation& operation);

 private:
  using Chunk = std::vector<SortedOperation>;
  void Produce();

  RecordSorter& sorter_;
  Chunk current_;
  std::size_t at_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Chunk> ready_;
  bool ended_ = false;
  bool stopping_ = false;
  std::optional<Error> failure_;
  std::thread thread_;
};

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_READ_AHEAD_H_
