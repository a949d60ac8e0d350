#ifndef TABLECAST_ODATA_WEB_PAGE_H_
#define TABLECAST_ODATA_WEB_PAGE_H_

// The page that people browse records with, and the few answers that it needs beside OData.
//
//   WebPage page(store, "catalog");
//   service_options.page = [&](const HttpRequest& request, const Catalog& catalog) {
//     return page.Answer(request, catalog);
//   };
//
// Addresses: `/`, `/web/workbench` and every OData address asked for as text/html give one and the same
// shell, whose script reads the address it was loaded under and asks for the same address as JSON.
// `/web/<version>/NAME` are its files, cached for ever. `/web/api/...` are the helpers (docs/browse.md).
// THREAD: Answer may be called from any thread at any time.

#include <functional>
#include <mutex>
#include <string>

#include "connector/query_engine.h"
#include "odata/http_message.h"

namespace tablecast {

class WebPage {
 public:
  // BORROWS: the store, for its own life. `catalog_folder` is where the workbench reads and saves
  // qualifier files; "" = nowhere. `saved` is called after a file was saved, to have the catalog reloaded.
  WebPage(ItemStore& store, std::string catalog_folder, std::function<void()> saved = {});

  // REQUIRES: request.principal is set. A status of 0 means that the address is not the page's.
  HttpResponse Answer(const HttpRequest& request, const Catalog& catalog) const;

 private:
  HttpResponse AnswerApi(const HttpRequest& request, const Catalog& catalog, std::string_view name) const;

  ItemStore& store_;
  std::string catalog_folder_;
  std::function<void()> saved_;
  mutable std::mutex saving_;  // compare and replace of catalog files is one step
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_WEB_PAGE_H_
