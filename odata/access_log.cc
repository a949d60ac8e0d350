#include "odata/access_log.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/json_writer.h"

namespace tablecast {

std::string FormatAccessLine(const RequestRecord& record) {
  std::string line;
  JsonWriter json(line);
  json.BeginObject();
  json.Key("time").String(FormatTimestamp(record.received, 3));
  json.Key("id").String(record.request_id);
  json.Key("address").String(record.remote_address);
  if (!record.principal.empty()) json.Key("principal").String(record.principal);
  json.Key("method").String(record.method);
  json.Key("target").String(record.target);
  json.Key("route").String(record.route);
  json.Key("status").Int(record.status);
  json.Key("bytes").Uint(record.response_bytes);
  json.Key("micros").Int(std::chrono::duration_cast<std::chrono::microseconds>(record.duration).count());
  if (!record.complete) json.Key("cut").Bool(true);
  if (!record.user_agent.empty()) json.Key("agent").String(record.user_agent);
  json.EndObject();
  return line;
}

Result<std::unique_ptr<AccessLog>> AccessLog::Open(AccessLogOptions options) {
  std::unique_ptr<AccessLog> log(new AccessLog(std::move(options)));
  TABLECAST_RETURN_IF_ERROR(log->OpenFile());
  return log;
}

AccessLog::~AccessLog() { CloseFile(); }

void AccessLog::CloseFile() {
  if (file_ == nullptr) return;
  if (file_ == stdout) {
    std::fflush(file_);
  } else {
    std::fclose(file_);
  }
  file_ = nullptr;
}

Status AccessLog::OpenFile() {
  CloseFile();
  if (options_.file == "-") {
    file_ = stdout;
    return {};
  }
  file_ = std::fopen(options_.file.c_str(), "ae");
  if (file_ == nullptr) {
    return MakeError(ErrorCode::kInvalidArgument, "bad-log-file", "the access log cannot be written", options_.file);
  }
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(options_.file, error);
  bytes_ = error ? 0 : size;
  return {};
}

void AccessLog::Rotate() {
  CloseFile();
  std::error_code ignored;  // a rotation that fails goes on in the file it has
  for (int i = options_.keep - 1; i >= 1; --i) {
    std::filesystem::rename(options_.file + "." + std::to_string(i), options_.file + "." + std::to_string(i + 1), ignored);
  }
  if (options_.keep > 0) {
    std::filesystem::rename(options_.file, options_.file + ".1", ignored);
  } else {
    std::filesystem::remove(options_.file, ignored);
  }
  if (!OpenFile().ok()) ++dropped_;
}

void AccessLog::Write(const RequestRecord& record) {
  std::string line = FormatAccessLine(record);
  line += '\n';
  const std::lock_guard lock(mutex_);
  if (file_ == nullptr && !OpenFile().ok()) {
    ++dropped_;
    return;
  }
  if (file_ != stdout && bytes_ > 0 && bytes_ + line.size() > options_.max_bytes) Rotate();
  // Flushed line by line, so that a kill loses nothing and `tail -f` works.
  if (file_ == nullptr || std::fwrite(line.data(), 1, line.size(), file_) != line.size() || std::fflush(file_) != 0) {
    ++dropped_;
    if (file_ != nullptr) std::clearerr(file_);
    return;
  }
  bytes_ += line.size();
}

Status AccessLog::Reopen() {
  const std::lock_guard lock(mutex_);
  return OpenFile();
}

std::uint64_t AccessLog::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace tablecast
