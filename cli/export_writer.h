#ifndef TABLECAST_CLI_EXPORT_WRITER_H_
#define TABLECAST_CLI_EXPORT_WRITER_H_

// Writes a table or an external object to standard output from one snapshot, in bounded memory.

#include <memory>
#include <string>

#include "base/result.h"
#include "connector/catalog.h"
#include "store/item_store.h"

namespace tablecast::cli {

// `format`: dynamodb-json, json or csv. CSV takes two passes: the columns first, then the rows.
// ERRORS: kNotFound "table-not-found"; kUnavailable "output-closed".
Status ExportTable(const ItemStore& store, const std::string& table, const std::string& format);
// The object's published fields (json, csv), or its items (dynamodb-json).
Status ExportObject(const ItemStore& store, const std::shared_ptr<const Catalog>& catalog, const std::string& object,
                    const std::string& format);

}  // namespace tablecast::cli

#endif  // TABLECAST_CLI_EXPORT_WRITER_H_
