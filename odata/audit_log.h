#ifndef TABLECAST_ODATA_AUDIT_LOG_H_
#define TABLECAST_ODATA_AUDIT_LOG_H_

// Who changed what: one JSON line for every record that a request wrote, and for every write that was refused. Values
// are in it only when asked for; credentials never are.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/civil_time.h"
#include "odata/rotating_file.h"

namespace tablecast {

// One record written, or one write that was not carried out.
struct AuditRecord {
  Timestamp time;
  std::string request_id;
  std::string part;        // id of the request inside a batch, or ""
  std::string address;     // of the client
  std::string principal;   // "" without authentication
  std::string verb;        // "create", "update", "delete", "link", "unlink"
  std::string object;      // "" when the address names none
  std::string record;      // external id; "" when none is known
  std::string path;        // below the service root, without options
  // Names and new values as text; unset = null. Of a refused write: what the payload named. A value is kept here for
  // the log to leave out.
  std::vector<std::pair<std::string, std::optional<std::string>>> fields;
  enum class Outcome : std::uint8_t { kDone, kUnchanged, kRefused, kRolledBack } outcome = Outcome::kDone;
  int status = 0;      // of the answer, when refused
  std::string reason;  // its error code, when refused
};

// {"time":…,"id":…,"principal":…,"verb":"update","object":"Orders","record":"1012","fields":["TOTAL"],"outcome":"done"}
// without a line end. With `values`: "fields":{"TOTAL":"12.50"}.
std::string FormatAuditLine(const AuditRecord& record, bool values);

struct AuditLogOptions {
  RotatingFileOptions file;
  bool values = false;
};

class AuditLog {
 public:
  // ERRORS: kInvalidArgument "bad-log-file".
  static Result<std::unique_ptr<AuditLog>> Open(const AuditLogOptions& options);

  // The write stands whatever happens here: its line is written after its commit. THREAD: thread-safe.
  // ERRORS: kUnavailable "log-write-failed".
  Status Write(const AuditRecord& record);
  Status Reopen() { return file_->Reopen(); }
  std::uint64_t dropped() const { return file_->dropped(); }

 private:
  AuditLog(std::unique_ptr<RotatingFile> file, bool values) : file_(std::move(file)), values_(values) {}

  std::unique_ptr<RotatingFile> file_;
  bool values_;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_AUDIT_LOG_H_
