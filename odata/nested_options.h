#ifndef TABLECAST_ODATA_NESTED_OPTIONS_H_
#define TABLECAST_ODATA_NESTED_OPTIONS_H_

// The options in the brackets of $expand=Nav(...) and $select=Prop(...), and the values of simple
// options, which are the same at top level. Internal to odata/'s parsers.

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "odata/syntax_scanner.h"
#include "odata/syntax_tree.h"

namespace tablecast::syntax {

// Sets of options as bits.
enum NestedOption : std::uint32_t {
  kNestedFilter = 1U << 0U,
  kNestedSearch = 1U << 1U,
  kNestedOrderBy = 1U << 2U,
  kNestedSkip = 1U << 3U,
  kNestedTop = 1U << 4U,
  kNestedCount = 1U << 5U,
  kNestedSelect = 1U << 6U,
  kNestedExpand = 1U << 7U,
  kNestedCompute = 1U << 8U,
  kNestedLevels = 1U << 9U,
  kNestedApply = 1U << 10U,
  kNestedAlias = 1U << 11U,
};
inline constexpr std::uint32_t kCountOptions = kNestedFilter | kNestedSearch;
inline constexpr std::uint32_t kCollectionOptions =
    kCountOptions | kNestedOrderBy | kNestedSkip | kNestedTop | kNestedCount;
inline constexpr std::uint32_t kSelectOptions =
    kCollectionOptions | kNestedSelect | kNestedExpand | kNestedCompute | kNestedAlias;
inline constexpr std::uint32_t kExpandOptions = kSelectOptions | kNestedLevels | kNestedApply;

// Parses options separated by ';' up to and including the closing bracket; the scanner stands
// behind the opening one. ERRORS: "option-unknown", "option-not-allowed", "option-duplicate",
// "option-value", "expand-depth" and those of the options' own parsers.
Result<NestedOptions> ParseNestedOptions(Scanner& scanner, std::uint32_t allowed);

// Values of $top, $skip; $count; $levels. ERRORS: "option-value".
Result<std::uint64_t> TakeUnsigned(Scanner& scanner);
Result<bool> TakeBoolean(Scanner& scanner);
Result<Levels> TakeLevels(Scanner& scanner);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_NESTED_OPTIONS_H_
