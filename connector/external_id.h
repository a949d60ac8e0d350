#ifndef TABLECAST_CONNECTOR_EXTERNAL_ID_H_
#define TABLECAST_CONNECTOR_EXTERNAL_ID_H_

// External IDs: from key parts to text and back. Reading one back gives the places to look at; the
// record found there must produce the same text again, so a wrong split never yields a wrong
// record. SOURCE: spec external-objects.md section 2.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "connector/external_object.h"
#include "item/key_condition.h"

namespace tablecast {

// Text of a physical part: S without its stripped prefix, N in normal form, B as base64url.
std::string ExternalIdPartText(const ExternalIdPart& part, const AttributeView& stored);
// `~` as `~0`, the separator as `~1` where the ID escapes (always for B keys).
std::string EscapeIdPart(const ExternalIdSpec& spec, std::string text, bool always);

inline constexpr std::size_t kMaxIdSplits = 16;

// Every way to split `id` into as many parts as the object has. For embedded objects: the parent's
// ID, then the element's key. ERRORS: kInvalidArgument "external-id-separators" when more than 16
// splits are possible, naming the alternate key.
Result<std::vector<std::vector<std::string>>> SplitExternalId(const ExternalObject& object,
                                                              std::string_view id);

// Where records with this ID can lie: key conditions of the object's table, narrowed by the
// qualifier. Empty when no record can have it. ERRORS: as SplitExternalId.
Result<std::vector<KeyCondition>> ExternalIdConditions(const ExternalObject& object,
                                                       std::string_view id);

// The name-based GUID (version 8, from a hash of table, key and element) of a record.
std::string GuidOf(const ExternalObject& object, std::string_view encoded_key,
                   std::uint32_t element);

// The literal prefix of a LIKE pattern before its first wildcard, escapes resolved; nullopt unless
// the pattern is that prefix followed by a single %.
std::optional<std::string> PrefixOfFilter(std::string_view pattern);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_EXTERNAL_ID_H_
