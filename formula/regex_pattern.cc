#include "formula/regex_pattern.h"

#include <re2/re2.h>

#include "formula/java_regex.h"

namespace tablecast::formula::internal {

struct PreparedPattern {
  PreparedPattern(const std::string& pattern, const re2::RE2::Options& options)
      : regex(pattern, options) {}
  re2::RE2 regex;
};

Result<std::shared_ptr<const PreparedPattern>> PreparePattern(std::string_view pattern) {
  TABLECAST_ASSIGN_OR_RETURN(const std::string translated, TranslateJavaRegex(pattern));
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(4 << 20);
  options.set_dot_nl(false);
  auto prepared = std::make_shared<const PreparedPattern>(translated, options);
  if (!prepared->regex.ok()) {
    return MakeError(ErrorCode::kInvalidArgument, "regex-syntax",
                     "regular expression is malformed: " + prepared->regex.error());
  }
  return std::shared_ptr<const PreparedPattern>(std::move(prepared));
}

bool MatchesWhole(const PreparedPattern& pattern, std::string_view text) {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern.regex);
}

}  // namespace tablecast::formula::internal
