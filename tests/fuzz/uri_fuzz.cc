// URIs and query options: no input may crash, be called our bug, or be placed outside the text.
// What `parse --kind uri` accepts must be accepted with the service's own settings too.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "odata/syntax_json.h"
#include "odata/uri_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tablecast;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<std::string> json = syntax::ParseToJson("uri", text);
  if (!json.ok() && (json.error().code == ErrorCode::kInternal || json.error().reason.empty() ||
                     json.error().position.offset > size)) {
    std::abort();
  }
  const Result<syntax::Uri> uri = syntax::ParseUri(text);
  if (json.ok() && !uri.ok()) std::abort();
  const Result<syntax::QueryOptions> options = syntax::ParseQueryOptions(text);
  if (!options.ok() && options.error().position.offset > size) std::abort();
  return 0;
}
