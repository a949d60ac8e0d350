#include "odata/audit_log.h"

#include "base/json_writer.h"

namespace tablecast {

namespace {

const char* OutcomeName(AuditRecord::Outcome outcome) {
  switch (outcome) {
    case AuditRecord::Outcome::kDone: return "done";
    case AuditRecord::Outcome::kUnchanged: return "unchanged";
    case AuditRecord::Outcome::kRefused: return "refused";
    case AuditRecord::Outcome::kRolledBack: return "rolledBack";
  }
  return "refused";
}

}  // namespace

std::string FormatAuditLine(const AuditRecord& record, bool values) {
  std::string line;
  JsonWriter json(line);
  json.BeginObject();
  json.Key("time").String(FormatTimestamp(record.time, 3));
  json.Key("id").String(record.request_id);
  if (!record.part.empty()) json.Key("part").String(record.part);
  json.Key("address").String(record.address);
  if (!record.principal.empty()) json.Key("principal").String(record.principal);
  json.Key("verb").String(record.verb);
  if (!record.object.empty()) json.Key("object").String(record.object);
  if (!record.record.empty()) json.Key("record").String(record.record);
  json.Key("path").String(record.path);
  json.Key("fields");
  if (values) {
    json.BeginObject();
    for (const auto& [name, value] : record.fields) {
      json.Key(name);
      if (value) {
        json.String(*value);
      } else {
        json.Null();
      }
    }
    json.EndObject();
  } else {
    json.BeginArray();
    for (const auto& [name, value] : record.fields) json.String(name);
    json.EndArray();
  }
  json.Key("outcome").String(OutcomeName(record.outcome));
  if (record.status != 0) json.Key("status").Int(record.status);
  if (!record.reason.empty()) json.Key("reason").String(record.reason);
  json.EndObject();
  return line;
}

Result<std::unique_ptr<AuditLog>> AuditLog::Open(const AuditLogOptions& options) {
  TABLECAST_ASSIGN_OR_RETURN(std::unique_ptr<RotatingFile> file, RotatingFile::Open(options.file));
  return std::unique_ptr<AuditLog>(new AuditLog(std::move(file), options.values));
}

Status AuditLog::Write(const AuditRecord& record) { return file_->WriteLine(FormatAuditLine(record, values_)); }

}  // namespace tablecast
