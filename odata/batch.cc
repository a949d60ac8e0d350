// $batch: runs the parts, change sets in one transaction each, and assembles the answer in the request's format.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "odata/batch_parser.h"
#include "odata/http_error.h"
#include "odata/request_handler.h"

namespace tablecast {

namespace {

struct PartAnswer {
  HttpResponse response;
  bool skipped = false;  // behind an error, without continue-on-error
};

// Address and entity tag of a part that made or changed a record, for later references.
struct Made {
  std::string url;
  std::string etag;
  bool failed = false;
};
using MadeById = std::map<std::string, Made>;

// "$1/Lines" -> the address that request 1 made, "Orders('7')/Lines".
std::string ResolveReferences(const std::string& url, const MadeById& made) {
  const std::size_t dollar = url.starts_with("/$") ? 1 : 0;
  if (url.size() <= dollar || url[dollar] != '$') return url;
  const std::size_t end = std::min(url.find('/', dollar), std::min(url.find('?', dollar), url.size()));
  const auto found = made.find(url.substr(dollar + 1, end - dollar - 1));
  return found == made.end() || found->second.url.empty() ? url : found->second.url + url.substr(end);
}

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The five spellings of a part's URL: absolute URI, absolute path with or without the service path, relative, $id.
std::string TargetOf(std::string url, const std::string& service_path) {
  const std::size_t scheme = url.find("://");
  if (scheme != std::string::npos && scheme < 8 && url.find('\'') > scheme) {
    const std::size_t path = url.find('/', scheme + 3);
    url = path == std::string::npos ? "/" : url.substr(path);
    // A proxy may have put the service below a prefix of its own.
    const std::size_t inner = url.find(service_path + "/");
    if (inner != std::string::npos) url = url.substr(inner);
  }
  if (url == service_path || url.starts_with(service_path + "/") || url.starts_with(service_path + "?")) return url;
  return service_path + (url.starts_with("/") ? "" : "/") + url;
}

std::string StatusLine(int status) {
  return "HTTP/1.1 " + std::to_string(status) + " " + std::string(HttpReasonPhrase(status)) + "\r\n";
}

void AppendHttp(std::string& out, const HttpResponse& response) {
  out += StatusLine(response.status);
  for (const HttpHeader& header : response.headers.lines()) {
    if (EqualsIgnoreCase(header.name, "Vary") || EqualsIgnoreCase(header.name, "Cache-Control")) continue;
    out += header.name + ": " + header.value + "\r\n";
  }
  if (!response.body.empty()) out += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  out += "\r\n" + response.body;
}

}  // namespace

// One run of a batch.
class BatchRun {
 public:
  BatchRun(const Service& service, ItemStore& store, const TokenSigner& signer, std::shared_ptr<const Catalog> catalog,
           const HttpRequest& request, BatchRequest batch)
      : service_(service), store_(store), signer_(signer), catalog_(std::move(catalog)), request_(request),
        batch_(std::move(batch)) {}

  void Run(bool continue_on_error) {
    answers_.resize(batch_.parts.size());
    bool stop = false;
    for (std::size_t i = 0; i < batch_.parts.size();) {
      std::size_t end = i + 1;
      while (end < batch_.parts.size() && batch_.parts[i].group >= 0 && batch_.parts[end].group == batch_.parts[i].group) ++end;
      bool failed = false;
      if (stop) {
        for (std::size_t k = i; k < end; ++k) answers_[k].skipped = true;
      } else if (batch_.parts[i].group >= 0) {
        failed = RunGroup(i, end);
      } else {
        failed = RunOne(i);
      }
      if (failed && !continue_on_error) stop = true;
      i = end;
    }
  }

  // The answer to a change set that failed is one part.
  std::string Multipart(const std::string& boundary) const {
    std::string out;
    for (std::size_t i = 0; i < batch_.parts.size();) {
      std::size_t end = i + 1;
      while (end < batch_.parts.size() && batch_.parts[i].group >= 0 && batch_.parts[end].group == batch_.parts[i].group) ++end;
      if (answers_[i].skipped) break;
      out += "--" + boundary + "\r\n";
      const bool group_failed = batch_.parts[i].group >= 0 && group_failed_.contains(batch_.parts[i].group);
      if (batch_.parts[i].group < 0 || group_failed) {
        AppendPart(out, i, !group_failed);
      } else {
        // Not the outer one with a tail: a reader may look for "--boundary" alone (RFC 2046, 5.1.2).
        const std::string inner = "set" + std::to_string(batch_.parts[i].group) + "_" + boundary;
        out += "Content-Type: multipart/mixed; boundary=" + inner + "\r\n\r\n";
        for (std::size_t k = i; k < end; ++k) {
          out += "--" + inner + "\r\n";
          AppendPart(out, k, true);
        }
        out += "--" + inner + "--\r\n";
      }
      i = end;
    }
    return out + "--" + boundary + "--\r\n";
  }

  std::string Json() const {
    std::string out;
    JsonWriter json(out);
    json.BeginObject().Key("responses").BeginArray();
    for (std::size_t i = 0; i < batch_.parts.size(); ++i) {
      if (answers_[i].skipped) continue;
      const HttpResponse& response = answers_[i].response;
      json.BeginObject().Key("id").String(batch_.parts[i].id);
      if (!batch_.parts[i].group_name.empty()) json.Key("atomicityGroup").String(batch_.parts[i].group_name);
      json.Key("status").Int(response.status).Key("headers").BeginObject();
      for (const HttpHeader& header : response.headers.lines()) {
        if (EqualsIgnoreCase(header.name, "Vary") || EqualsIgnoreCase(header.name, "Cache-Control")) continue;
        std::string name = header.name;
        std::transform(name.begin(), name.end(), name.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
        json.Key(name).String(header.value);
      }
      json.EndObject();
      if (!response.body.empty()) {
        json.Key("body");
        if (response.headers.Get("Content-Type").find("json") != std::string_view::npos) {
          json.Raw(response.body);
        } else {
          json.String(response.body);
        }
      }
      json.EndObject();
    }
    json.EndArray().EndObject();
    return out;
  }

 private:
  void AppendPart(std::string& out, std::size_t i, bool with_id) const {
    out += "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n";
    if (with_id && !batch_.parts[i].id.empty()) out += "Content-ID: " + batch_.parts[i].id + "\r\n";
    out += "\r\n";
    AppendHttp(out, answers_[i].response);
    out += "\r\n";
  }

  HttpRequest RequestOf(const BatchPart& part, const MadeById& made) const {
    HttpRequest inner;
    inner.method = part.method;
    inner.target = TargetOf(ResolveReferences(part.url, made), service_.options().service_path);
    inner.headers = part.headers;
    // Versions and preferences of the whole hold for the parts that say nothing.
    for (const char* name : {"OData-Version", "OData-MaxVersion", "Prefer"}) {
      if (!inner.headers.Has(name) && request_.headers.Has(name) && std::string_view(name) != "Prefer") {
        inner.headers.Set(name, request_.headers.Get(name));
      }
    }
    for (const char* name : {"If-Match", "If-None-Match"}) {
      const std::string value(inner.headers.Get(name));
      if (value.size() > 1 && value[0] == '$') {
        const auto found = made.find(value.substr(1));
        if (found != made.end() && !found->second.etag.empty()) inner.headers.Set(name, "W/\"" + found->second.etag + "\"");
      }
    }
    inner.body = part.body;
    for (const auto& [id, record] : made) {
      // References in payloads: {"Order@odata.bind": "$1"}.
      if (!record.url.empty()) ReplaceAll(inner.body, "\"$" + id + "\"", "\"" + record.url + "\"");
    }
    inner.remote_address = request_.remote_address;
    inner.scheme = request_.scheme;
    inner.authority = request_.authority;
    inner.principal = request_.principal;
    inner.request_id = request_.request_id;
    inner.deadline = request_.deadline;
    inner.received = request_.received;
    return inner;
  }

  void Note(const BatchPart& part, const HttpResponse& response) {
    Made record;
    record.failed = response.status >= 400;
    const std::string& url = response.headers.Has("Location") ? *response.headers.Find("Location")
                             : response.headers.Has("OData-EntityId") ? *response.headers.Find("OData-EntityId") : part.url;
    record.url = url;
    std::string etag(response.headers.Get("ETag"));
    if (etag.size() > 4 && etag.starts_with("W/\"")) record.etag = etag.substr(3, etag.size() - 4);
    if (!part.id.empty()) made_[part.id] = std::move(record);
  }

  bool DependencyFailed(const BatchPart& part) const {
    return std::any_of(part.depends_on.begin(), part.depends_on.end(), [&](const std::string& id) {
      const auto found = made_.find(id);
      if (found != made_.end()) return found->second.failed;
      return failed_groups_by_name_.contains(id);
    });
  }

  bool RunOne(std::size_t i) {
    const BatchPart& part = batch_.parts[i];
    HttpResponse& response = answers_[i].response;
    if (DependencyFailed(part)) {
      response = ErrorResponse(MakeError(ErrorCode::kFailedPrecondition, "dependency-failed", "a request that this one depends on failed"),
                               ODataVersion::k40, request_.request_id);
    } else {
      const HttpRequest inner = RequestOf(part, made_);
      if (inner.target.find("$batch") != std::string::npos) {
        response = ErrorResponse(MakeError(ErrorCode::kInvalidArgument, "batch-nested", "a batch holds no batch"), ODataVersion::k40,
                                 request_.request_id);
      } else {
        RequestHandler handler(service_, store_, signer_, catalog_, inner);
        handler.set_part(part.id);
        response = handler.Handle();
      }
    }
    Note(part, response);
    return response.status >= 400;
  }

  // All or nothing: one transaction around every request of the group.
  bool RunGroup(std::size_t begin, std::size_t end) {
    std::optional<Error> failure;
    std::size_t failed_at = begin;
    std::vector<std::unique_ptr<HttpRequest>> requests;
    std::vector<std::unique_ptr<RequestHandler>> handlers;
    for (std::size_t i = begin; i < end && !failure; ++i) {
      if (DependencyFailed(batch_.parts[i])) {
        failure = MakeError(ErrorCode::kFailedPrecondition, "dependency-failed", "a request that this one depends on failed");
        failed_at = i;
      }
    }
    RecordWriter writer(store_, catalog_, request_.received);
    Status status;
    if (!failure) {
      status = writer.Run([&](WriteTransaction& txn) -> Status {
        requests.clear();
        handlers.clear();
        MadeById made = made_;
        for (std::size_t i = begin; i < end; ++i) {
          failed_at = i;
          requests.push_back(std::make_unique<HttpRequest>(RequestOf(batch_.parts[i], made)));
          handlers.push_back(std::make_unique<RequestHandler>(service_, store_, signer_, catalog_, *requests.back()));
          handlers.back()->set_part(batch_.parts[i].id);
          TABLECAST_RETURN_IF_ERROR(handlers.back()->PrepareWrite());
          TABLECAST_RETURN_IF_ERROR(handlers.back()->ExecuteWrite(txn));
          if (!batch_.parts[i].id.empty()) {
            made[batch_.parts[i].id] = {handlers.back()->written_url(), handlers.back()->written_etag(), false};
          }
        }
        return {};
      });
      if (!status.ok()) failure = status.error();
    }
    if (failure) {
      // Requests behind the culprit have not been looked at: only what was tried is told.
      for (std::size_t i = 0; i < handlers.size(); ++i) {
        if (begin + i == failed_at) {
          handlers[i]->AuditRefusal(*failure);
        } else {
          handlers[i]->AuditRollback();
        }
      }
      group_failed_.insert(batch_.parts[begin].group);
      if (!batch_.parts[begin].group_name.empty()) failed_groups_by_name_.insert(batch_.parts[begin].group_name);
      HttpResponse response = ErrorResponse(*failure, ODataVersion::k40, request_.request_id);
      for (std::size_t i = begin; i < end; ++i) {
        // JSON answers each request; those beside the culprit were rolled back with it.
        answers_[i].response = i == failed_at || !batch_.json
                                   ? response
                                   : ErrorResponse(MakeError(ErrorCode::kFailedPrecondition, "dependency-failed",
                                                             "another request of the atomicity group failed"),
                                                   ODataVersion::k40, request_.request_id);
        if (!batch_.parts[i].id.empty()) made_[batch_.parts[i].id].failed = true;
      }
      return true;
    }
    for (std::size_t i = begin; i < end; ++i) {
      auto finished = handlers[i - begin]->FinishWrite();
      answers_[i].response = finished.ok() ? *std::move(finished) : handlers[i - begin]->Fail(finished.error());
      Note(batch_.parts[i], answers_[i].response);
      // A reference to a changed record has the address that was written to.
      if (!batch_.parts[i].id.empty()) made_[batch_.parts[i].id].url = handlers[i - begin]->written_url();
    }
    return false;
  }

  const Service& service_;
  ItemStore& store_;
  const TokenSigner& signer_;
  std::shared_ptr<const Catalog> catalog_;
  const HttpRequest& request_;
  BatchRequest batch_;
  std::vector<PartAnswer> answers_;
  MadeById made_;
  std::set<int> group_failed_;
  std::set<std::string> failed_groups_by_name_;
};

Result<HttpResponse> RequestHandler::Batch() {
  TABLECAST_RETURN_IF_ERROR(Expect({}));
  TABLECAST_ASSIGN_OR_RETURN(BatchRequest batch, ParseBatch(request_, service_.options().max_batch_parts));
  // A 4.0 client that says Accept: application/json to a multipart batch still reads multipart only.
  const bool json = batch.json || (version_ == ODataVersion::k401 &&
                                   request_.headers.Get("Accept").find("application/json") != std::string_view::npos &&
                                   request_.headers.Get("Accept").find("multipart") == std::string_view::npos);
  // Multipart stops at the first error unless told otherwise; JSON goes on unless told otherwise.
  const bool go_on = preferences_.continue_on_error_given ? preferences_.continue_on_error : batch.json;
  if (preferences_.continue_on_error_given && preferences_.continue_on_error) {
    preferences_.applied.push_back("odata.continue-on-error");
  }
  const bool ids_missing = json && !batch.json;
  if (ids_missing) {
    for (std::size_t i = 0; i < batch.parts.size(); ++i) {
      if (batch.parts[i].id.empty()) batch.parts[i].id = std::to_string(i + 1);
    }
  }
  BatchRun run(service_, store_, signer_, catalog_, request_, std::move(batch));
  run.Run(go_on);
  if (json) return Respond(200, "application/json", run.Json(), "batch");
  const std::string boundary = "batch_" + signer_.Sign("boundary", request_.request_id, std::to_string(request_.received.nanos)).substr(0, 24);
  return Respond(200, "multipart/mixed; boundary=" + boundary, run.Multipart(boundary), "batch");
}

}  // namespace tablecast
