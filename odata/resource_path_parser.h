#ifndef TABLECAST_ODATA_RESOURCE_PATH_PARSER_H_
#define TABLECAST_ODATA_RESOURCE_PATH_PARSER_H_

// ParseResourcePath for a path that stands at `base` of a larger URI and shares its budget.
// Internal.

#include <string_view>

#include "odata/syntax_scanner.h"
#include "odata/uri_parser.h"

namespace tablecast::syntax {

Result<ResourcePath> ParseResourcePathAt(std::string_view path, std::size_t base,
                                         const QueryParseOptions& options, Budget& budget);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_RESOURCE_PATH_PARSER_H_
