#ifndef TABLECAST_CLI_CATALOG_FILES_H_
#define TABLECAST_CLI_CATALOG_FILES_H_

// Writing catalog files without ever losing one.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connector/catalog.h"

namespace tablecast::cli {

// Writes all files into `folder` (made when missing), or none: an existing file of one of the names
// is refused. ERRORS: kFailedPrecondition "file-exists"; kUnavailable "file-write".
Status WriteNewFiles(const std::string& folder, const std::vector<CatalogFile>& files);

// Replaces one file at once: written beside it and renamed. ERRORS: kUnavailable "file-write".
Status ReplaceFile(const std::string& path, std::string_view text);

}  // namespace tablecast::cli

#endif  // TABLECAST_CLI_CATALOG_FILES_H_
