#ifndef TABLECAST_ODATA_IDENTIFIER_CHARACTERS_H_
#define TABLECAST_ODATA_IDENTIFIER_CHARACTERS_H_

// Which characters beyond ASCII may stand in an OData identifier.

namespace tablecast::syntax {

// First character: Unicode categories L and Nl. REQUIRES: code_point >= 0x80.
bool IsIdentifierStart(char32_t code_point);
// Later characters: L, Nl, Nd, Mn, Mc, Pc, Cf. REQUIRES: code_point >= 0x80.
bool IsIdentifierPart(char32_t code_point);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_IDENTIFIER_CHARACTERS_H_
