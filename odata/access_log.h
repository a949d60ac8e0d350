#ifndef TABLECAST_ODATA_ACCESS_LOG_H_
#define TABLECAST_ODATA_ACCESS_LOG_H_

// One JSON line per finished request, to a file that is rotated by size or to standard output.

#include <cstdint>
#include <memory>
#include <string>

#include "odata/http_server.h"
#include "odata/rotating_file.h"

namespace tablecast {

using AccessLogOptions = RotatingFileOptions;

// {"time":"2015-12-21T17:42:34.123456789Z","id":...,"status":200,"micros":731,...} without a line end.
std::string FormatAccessLine(const RequestRecord& record);

class AccessLog {
 public:
  // ERRORS: kInvalidArgument "bad-log-file".
  static Result<std::unique_ptr<AccessLog>> Open(AccessLogOptions options);
  // A line that cannot be written is counted and dropped: a full disk does not stop the service.
  // THREAD: thread-safe.
  void Write(const RequestRecord& record);
  // Opens the file again, for whoever rotates it from outside. THREAD: thread-safe.
  Status Reopen();
  std::uint64_t dropped() const;

 private:
  explicit AccessLog(std::unique_ptr<RotatingFile> file) : file_(std::move(file)) {}

  std::unique_ptr<RotatingFile> file_;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_ACCESS_LOG_H_
