#ifndef TABLECAST_ODATA_LITERAL_PARSER_H_
#define TABLECAST_ODATA_LITERAL_PARSER_H_

// Primitive literals of OData URLs: null, true, 5, -1.5e3, 'it''s', 2022-01-01T00:00Z,
// duration'PT1H', binary'AAEC', Ns.Color'Red', geography'SRID=0;Point(1 2)', and the other Edm
// types. SOURCE: OData 4.01 ABNF, primitiveLiteral.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "odata/syntax_scanner.h"
#include "odata/syntax_tree.h"

namespace tablecast::syntax {

// Takes the literal that begins where the scanner stands; nullopt, and nothing taken, when none
// does (a name, a bracket, an operator). ERRORS: "literal-invalid" for what begins like a literal
// and is none: 2022-13-01, 5x, 'open, guid'...'.
Result<std::optional<Expr>> TakeLiteral(Scanner& scanner);

// Takes the rest of a quoted text, the scanner standing on the opening quote; undoubles quotes.
// ERRORS: "literal-invalid" when it is not closed.
Result<std::string> TakeQuoted(Scanner& scanner);

// True when `value` has the form of a geo literal's value: "SRID=0;Point(142.1 64.1)".
bool IsGeoValue(std::string_view value);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_LITERAL_PARSER_H_
