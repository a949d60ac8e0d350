// Change tracking: delta links and what they answer.

#include "base/json_writer.h"
#include "connector/change_reader.h"
#include "odata/http_error.h"
#include "odata/request_handler.h"

namespace tablecast {

namespace {
constexpr std::size_t kChangesPerPage = 1000;
}  // namespace

Result<std::string> RequestHandler::DeltaLink(std::uint64_t sequence) const {
  // The link carries the options that decide what is told: the filter and the columns.
  std::string query;
  std::string_view rest = raw_query_;
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view option = rest.substr(0, end);
    const auto name = syntax::PercentDecode(option.substr(0, option.find('=')), syntax::PlusSign::kBlank);
    if (name.ok()) {
      const auto canonical = syntax::CanonicalOptionName(*name);
      const bool kept = canonical && (*canonical == "$filter" || *canonical == "$select" || *canonical == "$compute");
      if (kept || name->starts_with("@")) query += std::string(option) + "&";
    }
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  const std::string token = signer_.Sign("delta", ChangeBinding(), std::to_string(sequence));
  return Root() + "/" + raw_path_ + "?" + query + "$deltatoken=" + token;
}

std::string RequestHandler::ChangeBinding() const {
  return raw_path_ + "\nfilter=" + (options_.filter ? syntax::ToString(*options_.filter) : "");
}

Result<HttpResponse> RequestHandler::ReadChanges() {
  TABLECAST_RETURN_IF_ERROR(Expect({"$deltatoken", "$filter", "$select", "$compute", "$count"}));
  if (bound_path_.start || !bound_path_.filters.empty() || bound_path_.object->embedded() != nullptr) {
    return NotOffered("a delta of anything but a whole set");
  }
  TABLECAST_ASSIGN_OR_RETURN(const Negotiated negotiated,
                             Negotiate(request_.headers, options_.format, {Representation::kJson}));
  FillFormat(negotiated);
  TABLECAST_ASSIGN_OR_RETURN(const std::string payload, signer_.Open("delta", ChangeBinding(), *options_.delta_token));
  const std::uint64_t after = std::strtoull(payload.c_str(), nullptr, 10);
  TABLECAST_ASSIGN_OR_RETURN(const BoundQuery bound, BindRead());
  std::size_t limit = kChangesPerPage;
  if (preferences_.max_page_size) {
    limit = std::min<std::size_t>(*preferences_.max_page_size, catalog_->max_page_size());
    preferences_.applied.push_back("odata.maxpagesize=" + std::to_string(limit));
  }
  auto read = ::tablecast::ReadChanges(store_, engine_, bound.query, after, limit, request_.received);
  if (!read.ok()) {
    Error error = read.error();
    if (error.reason == "change-log-expired") error.target = "$deltatoken";
    return error;
  }
  const ChangePage changes = *std::move(read);
  TABLECAST_ASSIGN_OR_RETURN(const std::string link, DeltaLink(changes.sequence));
  const ResponseWriter writer(format_);
  const bool old_form = version_ == ODataVersion::k40;
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  const std::string prefix(writer.ControlPrefix());
  if (format_.metadata != MetadataLevel::kNone) {
    json.Key(prefix + "context").String(format_.root + "/$metadata#" + ContextOf(bound.shape) + "/$delta");
  }
  if (options_.count.value_or(false)) json.Key(prefix + "count").Uint(changes.page.records.size() + changes.removed.size());
  json.Key("value").BeginArray();
  for (const Record& record : changes.page.records) {
    std::string text;
    writer.AppendRecord(text, changes.page, record, bound.shape, "");
    json.Raw(text);
  }
  for (const RemovedRecord& removed : changes.removed) {
    const std::string id = EntityUrl(*bound_path_.object, removed.external_id);
    const char* reason = removed.deleted ? "deleted" : "changed";
    json.BeginObject();
    if (old_form) {
      json.Key("@odata.context").String(format_.root + "/$metadata#" + bound_path_.object->name() + "/$deletedEntity");
      json.Key("id").String(format_.root + "/" + id).Key("reason").String(reason);
    } else {
      json.Key("@removed").BeginObject().Key("reason").String(reason).EndObject();
      json.Key("@id").String(id);
    }
    json.EndObject();
  }
  json.EndArray();
  json.Key(prefix + (changes.more ? "nextLink" : "deltaLink")).String(link).EndObject();
  return Respond(200, format_.content_type, std::move(out), "delta");
}

}  // namespace tablecast
