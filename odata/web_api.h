#ifndef TABLECAST_ODATA_WEB_API_H_
#define TABLECAST_ODATA_WEB_API_H_

// The helpers behind the browsing page, each from a request to the JSON of its answer. Private to odata/.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"
#include "connector/query_engine.h"
#include "odata/http_message.h"
#include "odata/principal.h"

namespace tablecast::web {

// What a helper works on, for the time of one request. BORROWS everything.
struct Call {
  ItemStore& store;
  const std::string& catalog_folder;
  const HttpRequest& request;
  const Catalog& catalog;
  const Principal& principal;
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order

  // The first value of that name. ERRORS: "parameter-missing".
  Result<std::string> Parameter(std::string_view name) const;
};

// ---- records (web_records.cc) ----------------------------------------------------------------------

// GET objects: every object that the caller may read, with its count where that is one read, its record
// type in words, and what the caller may do with the catalog.
Result<std::string> Objects(const Call& call);
// GET item?object=O&id=ID: the stored item behind a record, as DynamoDB JSON without what the caller may
// not see, and the objects that claim it.
Result<std::string> StoredItem(const Call& call);

// ---- workbench (web_workbench.cc) ------------------------------------------------------------------

// POST validate {name, text}: the findings of the qualifier validator.
Result<std::string> Validate(const Call& call);
// POST judge {name, text, table?}: which items of the table the qualifier takes and leaves out, and why.
Result<std::string> Judge(const Call& call);
// GET files: names of the catalog's files. GET file?name=N: the text of one and its ETag.
Result<std::string> CatalogFiles(const Call& call);
struct FileText { std::string json, etag; };
Result<FileText> ReadCatalogFile(const Call& call);
// PUT file?name=N {text}, with If-Match or If-None-Match: checks the whole catalog with the new text in
// place, then replaces the file by rename. `saved` is false when the findings forbid it.
// ERRORS: "catalog-edit-forbidden", "etag-mismatch", "precondition-required", "file-name", "file-write".
struct SaveOutcome { bool saved = false; std::string json, etag; };
Result<SaveOutcome> SaveCatalogFile(const Call& call);

// The workbench shows raw items and definitions: only to those who may read everything or edit the catalog.
bool MayUseWorkbench(const Principal& principal, const Catalog& catalog);

}  // namespace tablecast::web

#endif  // TABLECAST_ODATA_WEB_API_H_
