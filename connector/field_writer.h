#ifndef TABLECAST_CONNECTOR_FIELD_WRITER_H_
#define TABLECAST_CONNECTOR_FIELD_WRITER_H_

// Puts inferred fields into the text of a qualifier file or of catalog.json: comments, order,
// layout and everything else stay as they are. What `sync --write` does.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connector/external_object.h"

namespace tablecast {

struct FieldsMerge {
  std::string text;           // the file's text, changed where something was added
  std::size_t added = 0;      // fields that had no entry
  std::size_t completed = 0;  // entries that left their type to the data
};

// `text` with every field that the object publishes declared under the member that `path` leads to
// ({"fields"}, {"objects", "Orders", "fields"}), which is made when it is not there. What an entry
// says already stays; one without `type` and `true` get what the data shows.
// ERRORS: kInvalidArgument "json-syntax", "not-an-object" (on the way).
Result<FieldsMerge> MergeFields(std::string_view text, const std::vector<std::string>& path,
                                const ExternalObject& object);

// The indentation of the first member, two spaces when there is none.
std::string IndentOf(std::string_view text);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_FIELD_WRITER_H_
