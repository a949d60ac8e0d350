// The comma lists: no input may crash or be called our bug; what is accepted prints to text that
// parses to the same print.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "odata/expand_parser.h"

namespace {

template <class List>
void Check(std::string_view text,
           tablecast::Result<List> (*parse)(std::string_view,
                                            const tablecast::syntax::SyntaxLimits&)) {
  using tablecast::ErrorCode;
  const tablecast::syntax::SyntaxLimits limits;
  const auto tree = parse(text, limits);
  if (!tree.ok()) {
    if (tree.error().code == ErrorCode::kInternal || tree.error().position.offset > text.size())
      std::abort();
    return;
  }
  const std::string printed = ToString(*tree);
  const auto again = parse(printed, limits);
  if (!again.ok() && again.error().code != ErrorCode::kResourceExhausted) std::abort();
  if (again.ok() && ToString(*again) != printed) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tablecast::syntax;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Check<std::vector<SelectItem>>(text, ParseSelect);
  Check<std::vector<ExpandItem>>(text, ParseExpand);
  Check<std::vector<OrderByItem>>(text, ParseOrderBy);
  Check<std::vector<ComputeItem>>(text, ParseCompute);
  return 0;
}
