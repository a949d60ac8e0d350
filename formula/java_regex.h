#ifndef TABLECAST_FORMULA_JAVA_REGEX_H_
#define TABLECAST_FORMULA_JAVA_REGEX_H_

// Java regular expressions for RE2: finds what RE2 lacks or would silently read otherwise, rewrites
// it where the rewrite is exact, else refuses and names the construct. REGEX of the formula
// language and `postFilter` of qualifiers share it. It does not compile the result: give it to RE2
// afterwards (UTF-8, never POSIX syntax, full match).
//
//   auto re2_pattern = TranslateJavaRegex("[a-z]\\h+");   // "[a-z][ \\t\\x{A0}...]+"
//
// SOURCE: java.util.regex.Pattern (Java 17); RE2 syntax page; spec qualifiers.md section 2.

#include <string>
#include <string_view>

#include "base/result.h"

namespace tablecast::formula {

inline constexpr std::size_t kMaxRegexBytes = 4096;

// ERRORS: kInvalidArgument, position.offset = first byte of the construct, reasons
//   "regex-lookaround", "regex-back-reference", "regex-possessive", "regex-atomic-group",
//   "regex-repeat" (a count over 1,000), "regex-class-intersection", "regex-nested-class",
//   "regex-flag" ((?U) (?x) (?d) (?u) ...), "regex-escape" (\R, \X, \G, unknown letters),
//   "regex-posix-class" (unknown \p{...}), "regex-syntax";
// kResourceExhausted "regex-too-long".
Result<std::string> TranslateJavaRegex(std::string_view pattern);

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_JAVA_REGEX_H_
