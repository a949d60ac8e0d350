// What RequestHandler tells the audit log.

#include "odata/http_error.h"
#include "odata/request_handler.h"

namespace tablecast {

bool RequestHandler::IsWrite() const {
  return (method_ == "POST" || method_ == "PATCH" || method_ == "PUT" || method_ == "DELETE") &&
         bound_path_.kind != BoundPath::Kind::kBatch;
}

// What the request asks for, as far as it has been read.
AuditRecord RequestHandler::AuditOfRequest() const {
  AuditRecord out;
  out.time = request_.received;
  out.request_id = request_.request_id;
  out.part = part_;
  out.address = request_.remote_address;
  out.principal = principal_.name;
  out.path = raw_path_;
  switch (write_kind_) {
    case WriteKind::kSetReference: out.verb = remove_reference_ ? "unlink" : "link"; break;
    case WriteKind::kNone:
    case WriteKind::kCreate:
    case WriteKind::kCreateUnder:
    case WriteKind::kUpdate:
    case WriteKind::kDelete: out.verb = method_ == "POST" ? "create" : method_ == "DELETE" ? "delete" : "update"; break;
  }
  // A DELETE of a property is an update of its record.
  if (bound_path_.kind == BoundPath::Kind::kProperty) out.verb = "update";
  if (write_kind_ == WriteKind::kSetReference && write_object_ != nullptr) {
    out.object = write_object_->name();
  } else if (bound_path_.object != nullptr) {
    out.object = bound_path_.object->name();
  }
  const bool own_key = write_kind_ != WriteKind::kCreate && write_kind_ != WriteKind::kCreateUnder;
  if (own_key && write_key_.external_id) {
    out.record = *write_key_.external_id;
  } else if (own_key && bound_path_.key && bound_path_.key->external_id) {
    out.record = *bound_path_.key->external_id;
  }
  for (const FieldAssignment& assignment : change_.fields) {
    std::optional<std::string> value;
    if (service_.options().audit_values && !assignment.value.is_null()) value = assignment.value.ToText();
    out.fields.emplace_back(assignment.field->name, std::move(value));
  }
  for (const LinkedRecords& link : change_.links) out.fields.emplace_back(link.navigation->name, std::nullopt);
  return out;
}

AuditRecord RequestHandler::AuditOf(const WrittenRecord& written) const {
  AuditRecord out = AuditOfRequest();
  out.object = written.object->name();
  out.record = written.external_id;
  if (written.created) {
    out.verb = "create";
  } else if (&written != &written_) {
    out.verb = "link";  // an existing record that a deep insert took in
  }
  out.fields.clear();
  for (std::size_t i = 0; i < written.fields.size(); ++i) {
    out.fields.emplace_back(written.fields[i], i < written.values.size() ? written.values[i] : std::nullopt);
  }
  out.outcome = written.changed || written.created ? AuditRecord::Outcome::kDone : AuditRecord::Outcome::kUnchanged;
  return out;
}

void RequestHandler::AuditDone() {
  audited_ = true;
  if (!service_.options().audit) return;
  std::vector<const WrittenRecord*> pending{&written_};
  for (std::size_t i = 0; i < pending.size(); ++i) {
    service_.options().audit(AuditOf(*pending[i]));
    for (const WrittenRecord& other : pending[i]->others) pending.push_back(&other);
  }
}

void RequestHandler::AuditRefusal(const Error& error) const {
  if (!service_.options().audit || audited_ || !IsWrite()) return;
  AuditRecord record = AuditOfRequest();
  record.outcome = AuditRecord::Outcome::kRefused;
  record.status = HttpStatusOf(error);
  record.reason = error.reason;
  service_.options().audit(record);
}

void RequestHandler::AuditRollback() const {
  if (!service_.options().audit || audited_) return;
  AuditRecord record = AuditOfRequest();
  record.outcome = AuditRecord::Outcome::kRolledBack;
  service_.options().audit(record);
}

}  // namespace tablecast
