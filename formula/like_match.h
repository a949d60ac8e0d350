#ifndef TABLECAST_FORMULA_LIKE_MATCH_H_
#define TABLECAST_FORMULA_LIKE_MATCH_H_

// SQL LIKE over a whole text: `%` any run of characters, `_` one code point, `\` takes the next
// character literally (a final `\` stands for itself). Case-sensitive; line breaks are characters
// like others.

#include <string_view>

namespace tablecast::formula {

// COST: at most |text| * |pattern| byte steps, no recursion, no memory.
bool LikeMatches(std::string_view text, std::string_view pattern);

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_LIKE_MATCH_H_
