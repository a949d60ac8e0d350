#ifndef TABLECAST_ODATA_BATCH_PARSER_H_
#define TABLECAST_ODATA_BATCH_PARSER_H_

// Bodies of $batch, multipart and JSON, as a flat list of requests with their groups. Tolerant where real clients
// need it: LF line ends, preamble and epilogue, blanks missing behind colons, Content-ID in either header block,
// extra blank lines around bodies, a missing final line break (spec odata.md 3.3).

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "odata/http_message.h"

namespace tablecast {

struct BatchPart {
  std::string id;      // Content-ID or JSON id; "" when none
  std::string method;
  std::string url;     // as written
  HttpHeaders headers;
  std::string body;
  int group = -1;      // change set number; -1 = on its own
  std::string group_name;  // JSON atomicityGroup
  std::vector<std::string> depends_on;  // JSON
};

struct BatchRequest {
  bool json = false;
  std::string boundary;
  std::vector<BatchPart> parts;
};

// LIMITS: `max_parts`. ERRORS: kInvalidArgument "batch-syntax", "batch-part-header", "batch-duplicate-id";
// "unsupported-media-type"; kResourceExhausted "batch-parts".
Result<BatchRequest> ParseBatch(const HttpRequest& request, std::size_t max_parts);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_BATCH_PARSER_H_
