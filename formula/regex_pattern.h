#ifndef TABLECAST_FORMULA_REGEX_PATTERN_H_
#define TABLECAST_FORMULA_REGEX_PATTERN_H_

// A REGEX pattern, translated from Java syntax and compiled by RE2. Internal to formula/.

#include <memory>
#include <string_view>

#include "base/result.h"

namespace tablecast::formula::internal {

struct PreparedPattern;

// ERRORS: those of TranslateJavaRegex; kInvalidArgument "regex-syntax" when RE2 refuses the rest.
Result<std::shared_ptr<const PreparedPattern>> PreparePattern(std::string_view pattern);
bool MatchesWhole(const PreparedPattern& pattern, std::string_view text);

}  // namespace tablecast::formula::internal

#endif  // TABLECAST_FORMULA_REGEX_PATTERN_H_
