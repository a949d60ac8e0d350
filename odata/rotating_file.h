#ifndef TABLECAST_ODATA_ROTATING_FILE_H_
#define TABLECAST_ODATA_ROTATING_FILE_H_

// A file of lines that starts anew when it is full, with some of the full ones kept beside it: what the access log and
// the audit log are written to.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tablecast {

struct RotatingFileOptions {
  std::string file{};  // "-": standard output, never rotated
  std::uint64_t max_bytes = 100U << 20U;  // then FILE becomes FILE.1, FILE.1 becomes FILE.2, ...
  int keep = 5;                           // rotated files that are kept
};

class RotatingFile {
 public:
  // ERRORS: kInvalidArgument "bad-log-file".
  static Result<std::unique_ptr<RotatingFile>> Open(RotatingFileOptions options);
  ~RotatingFile();
  RotatingFile(const RotatingFile&) = delete;
  RotatingFile& operator=(const RotatingFile&) = delete;

  // Appends `line` and a line end, flushed. A line that does not get into the file whole is counted and dropped; a part
  // of it that did get there is taken back. THREAD: thread-safe.
  // ERRORS: kUnavailable "log-write-failed", with the system's reason.
  Status WriteLine(std::string_view line);
  // Opens the file again, for whoever rotates it from outside. THREAD: thread-safe. ERRORS: as Open.
  Status Reopen();
  std::uint64_t dropped() const;

 private:
  explicit RotatingFile(RotatingFileOptions options) : options_(std::move(options)) {}
  Status OpenFile();
  Status Rotate();
  void CloseFile();

  const RotatingFileOptions options_;
  mutable std::mutex mutex_;
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_ROTATING_FILE_H_
