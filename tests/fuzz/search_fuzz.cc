// Search texts: no input may crash or be called our bug; what is accepted prints to text that
// parses to the same print.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "odata/search_parser.h"
#include "odata/syntax_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tablecast;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tree = syntax::ParseSearch(text);
  if (tree.ok()) {
    const std::string printed = syntax::ToString(*tree);
    const auto again = syntax::ParseSearch(printed);
    // Printing may add brackets and blanks, so only a limit may stand between the two.
    if (!again.ok() && again.error().code != ErrorCode::kResourceExhausted) std::abort();
    if (again.ok() && syntax::ToString(*again) != printed) std::abort();
  } else if (tree.error().code == ErrorCode::kInternal || tree.error().reason.empty() ||
             tree.error().position.offset > size) {
    std::abort();
  }
  (void)syntax::ParseToJson("search", text);
  return 0;
}
