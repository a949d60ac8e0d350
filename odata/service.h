#ifndef TABLECAST_ODATA_SERVICE_H_
#define TABLECAST_ODATA_SERVICE_H_

// The OData service: one HttpRequest in, one HttpResponse out, no sockets. Tests, fuzzers, `tablecast query` and
// the HTTP server all call Handle.
//
//   Service service(store, options);
//   service.SetCatalog(catalog);
//   HttpResponse response = service.Handle({.method = "GET", .target = "/odata/Orders?$top=3", ...});
//
// THREAD: Handle and SetCatalog may be called from any thread at any time; a request keeps the catalog it
// started with.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "connector/catalog.h"
#include "connector/object_query.h"
#include "odata/audit_log.h"
#include "odata/http_message.h"
#include "odata/skip_token.h"
#include "odata/syntax_tree.h"

namespace tablecast {

class ItemStore;

struct ServiceOptions {
  std::string service_path = "/odata";  // no trailing slash
  std::string public_url;               // "https://crm.example.com": links start with it; "" = the request's host
  std::string token_secret;             // 32 bytes; "" = fresh random ones
  syntax::SyntaxLimits syntax;          // URL and expression budgets
  QueryLimits query;                    // of one request; its deadline is the request's
  std::size_t max_page_bytes = 8U << 20U;  // soft cap: a page that grows larger is cut
  std::size_t max_batch_parts = 1000;
  std::vector<std::string> cors_origins;   // exact origins; "*" for any; empty = CORS off
  bool require_if_match = false;           // 428 for a write without a precondition
  // Answers of the browsing page and its files; a status of 0 means "not mine". Called for GET of addresses
  // outside the service path, and for a browser's Accept inside it.
  std::function<HttpResponse(const HttpRequest&, const Catalog&)> page;
  // Told of every record that was written and of every write that was refused, after the commit.
  std::function<void(const AuditRecord&)> audit;
  bool audit_values = false;  // AuditRecord::fields hold values
  // Told of every answered query: metrics.
  std::function<void(const PlanReport&, std::uint64_t returned)> observe;
};

class Service {
 public:
  // BORROWS: the store, for its own life.
  Service(ItemStore& store, ServiceOptions options);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  void SetCatalog(std::shared_ptr<const Catalog> catalog);
  std::shared_ptr<const Catalog> catalog() const;

  HttpResponse Handle(const HttpRequest& request) const;

  // The plan of a read request, as text or JSON is made of it. ERRORS: those of the request.
  Result<PlanReport> Plan(const HttpRequest& request, bool analyze) const;

  // True for requests that cost about a page and may run on the event loop.
  bool IsCheap(const HttpRequest& request) const;

  const ServiceOptions& options() const { return options_; }

 private:
  ItemStore& store_;
  ServiceOptions options_;
  TokenSigner signer_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Catalog> catalog_;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_SERVICE_H_
