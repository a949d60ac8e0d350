#ifndef TABLECAST_ODATA_NEGOTIATION_H_
#define TABLECAST_ODATA_NEGOTIATION_H_

// What a request's headers ask for: protocol version, format, preferences. Obeyed or refused, never ignored where
// the protocol says so (spec odata.md 1.1, rows 5 to 8).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "odata/http_message.h"
#include "odata/query_options.h"
#include "odata/response_format.h"

namespace tablecast {

struct Preferences {
  std::optional<std::uint32_t> max_page_size;
  bool omit_nulls = false;
  bool include_annotations = false;  // of tablecast.*
  std::optional<bool> return_representation;  // unset: the default of the operation
  bool continue_on_error = false;
  bool continue_on_error_given = false;
  bool track_changes = false;
  bool allow_entity_references = false;
  // What was honoured, for Preference-Applied.
  std::vector<std::string> applied;
};

// Reads every Prefer line; unknown and malformed preferences are passed over, as the protocol demands.
Preferences ParsePreferences(const HttpHeaders& headers);

enum class Representation : std::uint8_t { kJson, kXml, kText, kHtml };

struct Negotiated {
  ODataVersion version = ODataVersion::k40;
  bool max_version_401 = false;  // the client said OData-MaxVersion: 4.01
  Representation representation = Representation::kJson;
  MetadataLevel metadata = MetadataLevel::kMinimal;
  bool metadata_given = false;
  bool ieee754_compatible = false;
  bool exponential_decimals = false;
  std::string charset;  // echoed when asked for
  std::string ContentType() const;  // of a JSON answer
};

// OData-MaxVersion and OData-Version. ERRORS: kInvalidArgument "version-not-supported".
Result<ODataVersion> NegotiateVersion(const HttpHeaders& headers);

// What kinds of answer a resource has, best first.
// ERRORS: "not-acceptable" when $format or Accept names nothing of them; "format-value".
Result<Negotiated> Negotiate(const HttpHeaders& headers, const std::optional<syntax::Format>& format,
                             const std::vector<Representation>& offered);

// True for a browser's Accept: text/html ahead of every format of data.
bool PrefersHtml(const HttpHeaders& headers);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_NEGOTIATION_H_
