#ifndef TABLECAST_ODATA_CONTEXT_FRAGMENT_H_
#define TABLECAST_ODATA_CONTEXT_FRAGMENT_H_

// Checks the fragment of a context URL: $metadata#Orders(pk,CUSTOMER(NAME))/$entity. Internal.

#include <string_view>

#include "odata/syntax_scanner.h"
#include "odata/uri_parser.h"

namespace tablecast::syntax {

// `text` stands behind the '#', at `base` of the URI. ERRORS: "context-syntax", target "context";
// "percent-encoding", "invalid-utf8". SOURCE: OData 4.01 ABNF, contextFragment.
Result<ContextFragment> ParseContextFragment(std::string_view text, std::size_t base,
                                             Positions positions, Budget& budget);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_CONTEXT_FRAGMENT_H_
