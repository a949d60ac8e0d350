#ifndef TABLECAST_CONNECTOR_FIELD_WRITER_H_
#define TABLECAST_CONNECTOR_FIELD_WRITER_H_

// Puts inferred fields into a qualifier file's own text: comments, order, layout and everything
// else stay as they are. What `sync --write` does.

#include <string>
#include <string_view>

#include "base/result.h"
#include "connector/external_object.h"

namespace tablecast {

// The `fields` member that declares what the object publishes now, one field a line, `indent` in
// front of each. Where there are fields that a declaration cannot say (maps, lists), `"*": true`
// keeps them inferred.
std::string FieldsText(const ExternalObject& object, std::string_view indent);

// `text` with the member `name` added as the last one of its top-level object, `value` being JSON
// text. ERRORS: kInvalidArgument "json-syntax"; "not-an-object"; kAlreadyExists "member-exists".
Result<std::string> AddMember(std::string_view text, std::string_view name, std::string_view value);

// The indentation of the first member, two spaces when there is none.
std::string IndentOf(std::string_view text);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_FIELD_WRITER_H_
