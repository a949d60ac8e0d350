#ifndef TABLECAST_QUALIFIERS_DOCUMENT_SHAPE_H_
#define TABLECAST_QUALIFIERS_DOCUMENT_SHAPE_H_

// Which members the extension keys of a qualifier file and catalog.json may have, as one table; the
// published JSON Schemas (schema/) say the same and a test compares the two. Only shape is judged
// here: member names, JSON types, enumerated words. What names refer to is the connector's
// business.
//
// SOURCE: spec external-objects.md section 6.

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "base/result.h"
#include "base/utf8.h"

namespace tablecast {

// "a string", "an object", "null", ... for messages.
std::string_view JsonTypeWord(const JsonValue& value);

// Top-level members beyond the vendor's tableName, keyColumns, columns.
const std::vector<std::string_view>& ExtensionKeys();
bool IsExtensionKey(std::string_view name);

// `extensions`: an object whose members are extension keys (TableQualifier::extensions). Findings
// have codes "unknown-option", "wrong-type", "unknown-word", "number-range", "missing-option".
void CheckExtensionShape(const JsonValue& extensions, std::vector<Issue>& issues);
// The whole of catalog.json, the overlay under "objects" included.
void CheckCatalogShape(const JsonValue& catalog, std::vector<Issue>& issues);

// Every member that the table knows, one line each, sorted: "fields.*.column string",
// "fields.*.unit string s|ms", "indexes[].fields[] string". For the test that compares the table
// with the JSON Schemas.
enum class DocumentKind { kExtensions, kCatalog };
std::vector<std::string> DescribeShape(DocumentKind kind);

// For "did you mean": the same word in another case first, else the nearest by edit distance.
template <class Range>
std::optional<std::string> NearestOption(std::string_view name, const Range& known) {
  const auto same_letter = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  for (const auto& candidate : known) {
    const std::string_view word(candidate);
    if (std::equal(word.begin(), word.end(), name.begin(), name.end(), same_letter)) {
      return std::string(word);
    }
  }
  return NearestName(name, known);
}

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_DOCUMENT_SHAPE_H_
