#ifndef TABLECAST_ODATA_REQUEST_HANDLER_H_
#define TABLECAST_ODATA_REQUEST_HANDLER_H_

// One request on its way through the service: what it asks for, what it may do, and the steps that answer it.
// Lives on the stack of Service::Handle. Internal to odata/.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connector/catalog.h"
#include "connector/query_engine.h"
#include "connector/record_writer.h"
#include "odata/http_message.h"
#include "odata/negotiation.h"
#include "odata/path_binder.h"
#include "odata/query_binder.h"
#include "odata/query_options.h"
#include "odata/response_format.h"
#include "odata/service.h"
#include "odata/uri_parser.h"

namespace tablecast {

class RequestHandler {
 public:
  // `method` and `target` may differ from the request's (method override, parts of a batch).
  RequestHandler(const Service& service, ItemStore& store, const TokenSigner& signer,
                 std::shared_ptr<const Catalog> catalog, const HttpRequest& request);

  // Answers; never fails: errors become error answers.
  HttpResponse Handle();
  // The same for the OpenAPI document, which is no resource of OData.
  HttpResponse OpenApi();

  // The three steps of a write, apart so that several requests share one transaction (change sets).
  Status PrepareWrite();                    // parses and binds; reads nothing but paths
  Status ExecuteWrite(WriteTransaction& txn);
  Result<HttpResponse> FinishWrite();       // after the commit
  HttpResponse Fail(const Error& error) const;
  // Tells the audit log of a write that was not carried out (error), or was undone with its change set.
  void AuditRefusal(const Error& error) const;
  void AuditRollback() const;
  void set_part(std::string part) { part_ = std::move(part); }  // id inside a batch
  // URL of the record that was written, relative to the service root; "" before ExecuteWrite.
  const std::string& written_url() const { return written_url_; }
  const std::string& written_etag() const { return written_.etag; }
  Result<PlanReport> Plan(bool analyze);

 private:
  Status Prepare();  // parses target, negotiates the version
  HttpResponse Document(std::string content_type, std::string body, std::string route) const;
  HttpResponse Respond(int status, std::string content_type, std::string body, std::string route) const;
  Status Expect(const std::vector<std::string_view>& options) const;  // refuses other system options

  Result<HttpResponse> Dispatch();
  Result<HttpResponse> Read();
  Result<HttpResponse> ReadServiceDocument();
  Result<HttpResponse> ReadMetadata();
  Result<HttpResponse> ReadCollection();
  Result<HttpResponse> ReadApply();
  Result<HttpResponse> ReadRecord();
  Result<HttpResponse> ReadProperty();
  Result<HttpResponse> ReadById();
  Result<HttpResponse> CountOnly(const BoundQuery& bound);
  Result<BoundQuery> BindRead();
  QueryBinder Binder() const;  // with the way to $root
  Result<EdmValue> ReadRoot(const syntax::ResourcePath& path) const;
  Status ApplyRequestLimits(ObjectQuery& query) const;
  Result<Engine> ForcedEngine() const;
  bool WantsExplain() const;

  // Writes (service_write.cc), $batch (batch.cc), changes (delta.cc).
  Result<HttpResponse> Write();
  Result<HttpResponse> Batch();
  Result<HttpResponse> ReadChanges();
  // The link that answers what changed after `sequence`.
  Result<std::string> DeltaLink(std::uint64_t sequence) const;
  std::string ChangeBinding() const;

  bool IsWrite() const;
  AuditRecord AuditOf(const WrittenRecord& written) const;
  AuditRecord AuditOfRequest() const;
  void AuditDone();

  enum class WriteKind : std::uint8_t { kNone, kCreate, kCreateUnder, kUpdate, kDelete, kSetReference };
  Result<RecordKey> KeyOfTarget(const PathStart& start) const;
  Result<RecordKey> ResolveReference(const std::string& id, const ExternalObject& object) const;
  Status PrepareTarget();
  Status PrepareReference();
  Status PrepareProperty();
  Status PrepareAnswer();
  Status RequireJson() const;
  Status Require(const ExternalObject& object, bool ObjectRights::*right, const char* verb) const;

  std::string NextLink(std::string_view token) const;
  // What a $skiptoken is bound to: path and every option that decides which records come in which order.
  std::string TokenBinding() const;
  void FillFormat(const Negotiated& negotiated);
  std::string Root() const;

  const Service& service_;
  ItemStore& store_;
  const TokenSigner& signer_;
  std::shared_ptr<const Catalog> catalog_;
  const HttpRequest& request_;
  const Principal& principal_;
  std::string method_;
  std::string raw_path_;   // behind the service path, undecoded, no leading slash
  std::string raw_query_;  // undecoded
  syntax::ResourcePath path_;
  syntax::QueryOptions options_;
  BoundPath bound_path_;
  Preferences preferences_;
  ODataVersion version_ = ODataVersion::k40;
  ResponseFormat format_;
  QueryEngine engine_;

  WriteKind write_kind_ = WriteKind::kNone;
  RecordChange change_;
  RecordKey write_key_;                         // of the record, or of the parent (kCreateUnder, kSetReference)
  const ExternalObject* write_object_ = nullptr;  // the object of write_key_
  const Navigation* write_navigation_ = nullptr;
  std::optional<RecordKey> reference_;
  bool remove_reference_ = false;
  UpdateMode update_mode_ = UpdateMode::kMerge;
  Preconditions preconditions_;
  WrittenRecord written_;
  std::string written_url_;
  std::optional<Negotiated> answer_format_;
  std::optional<BoundQuery> answer_;
  std::string part_;
  bool audited_ = false;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_REQUEST_HANDLER_H_
