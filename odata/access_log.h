#ifndef TABLECAST_ODATA_ACCESS_LOG_H_
#define TABLECAST_ODATA_ACCESS_LOG_H_

// One JSON line per finished request, to a file that is rotated by size or to standard output.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "odata/http_server.h"

namespace tablecast {

struct AccessLogOptions {
  std::string file{};  // "-": standard output
  std::uint64_t max_bytes = 100U << 20U;  // then FILE becomes FILE.1, FILE.1 becomes FILE.2, ...
  int keep = 5;                           // rotated files that are kept
};

// {"time":"2015-12-21T17:42:34.123456789Z","id":...,"status":200,"micros":731,...} without a line end.
std::string FormatAccessLine(const RequestRecord& record);

class AccessLog {
 public:
  // ERRORS: kInvalidArgument "bad-log-file".
  static Result<std::unique_ptr<AccessLog>> Open(AccessLogOptions options);
  ~AccessLog();

  // A line that cannot be written is counted and dropped: a full disk does not stop the service.
  // THREAD: thread-safe.
  void Write(const RequestRecord& record);
  // Opens the file again, for whoever rotates it from outside. THREAD: thread-safe.
  Status Reopen();
  std::uint64_t dropped() const;

 private:
  explicit AccessLog(AccessLogOptions options) : options_(std::move(options)) {}
  Status OpenFile();
  void Rotate();
  void CloseFile();

  const AccessLogOptions options_;
  mutable std::mutex mutex_;
  std::FILE* file_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_ACCESS_LOG_H_
