#ifndef TABLECAST_ODATA_QUERY_OPTIONS_PARSER_H_
#define TABLECAST_ODATA_QUERY_OPTIONS_PARSER_H_

// ParseQueryOptions for a query that stands inside a larger URI and shares its budget. Internal.

#include <string_view>

#include "odata/query_options.h"
#include "odata/syntax_scanner.h"

namespace tablecast::syntax {

Result<QueryOptions> ParseQueryOptionsAt(std::string_view query, std::size_t base,
                                         const QueryParseOptions& options, Budget& budget);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_QUERY_OPTIONS_PARSER_H_
