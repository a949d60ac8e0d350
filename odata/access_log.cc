#include "odata/access_log.h"

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
  TABLECAST_ASSIGN_OR_RETURN(std::unique_ptr<RotatingFile> file, RotatingFile::Open(std::move(options)));
  return std::unique_ptr<AccessLog>(new AccessLog(std::move(file)));
}

void AccessLog::Write(const RequestRecord& record) {
  static_cast<void>(file_->WriteLine(FormatAccessLine(record)).ok());  // counted there
}

Status AccessLog::Reopen() { return file_->Reopen(); }

std::uint64_t AccessLog::dropped() const { return file_->dropped(); }

}  // namespace tablecast
