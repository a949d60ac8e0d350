#ifndef TABLECAST_QUALIFIERS_VALIDATOR_PARTS_H_
#define TABLECAST_QUALIFIERS_VALIDATOR_PARTS_H_

// The checks of validator.cc that concern who else reads the file or the schema. Private to
// qualifiers/.

#include <string>
#include <vector>

#include "qualifiers/qualifier_conditions.h"
#include "qualifiers/validator.h"

namespace tablecast {

// What the vendor's adapter would refuse. `text` is the file as it stands.
void CheckPortable(const TableQualifier& qualifier, FindingSink& findings);
// What a client would drop, cut or confuse among the declared fields and the columns.
void CheckClient(const TableQualifier& qualifier, const ValidateOptions& options,
                 FindingSink& findings);

// A member of the file's extensions, else of the overlay; nullptr when neither has it.
const JsonValue* Extension(const TableQualifier& qualifier, const ValidateOptions& options,
                           std::string_view name);

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_VALIDATOR_PARTS_H_
