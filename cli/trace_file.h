#ifndef TABLECAST_CLI_TRACE_FILE_H_
#define TABLECAST_CLI_TRACE_FILE_H_

// Requests and their answers as JSON lines, secrets left out: what `serve --trace` keeps and `replay` repeats.

#include <cstdint>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "odata/http_message.h"

namespace tablecast::cli {

class TraceFile {
 public:
  static Result<std::unique_ptr<TraceFile>> Create(const std::string& path);
  // THREAD: thread-safe. Bodies are cut at 1 MiB.
  void Write(const HttpRequest& request, const HttpResponse& response);

 private:
  explicit TraceFile(const std::string& path) : out_(path, std::ios::binary | std::ios::app) {}
  std::mutex mutex_;
  std::ofstream out_;
};

struct TracedExchange {
  HttpRequest request;
  int status = 0;
  std::string body;
};
// ERRORS: kInvalidArgument "trace-syntax" with the line.
Result<TracedExchange> ReadTraceLine(const std::string& line);

}  // namespace tablecast::cli

#endif  // TABLECAST_CLI_TRACE_FILE_H_
