// LIKE patterns: the first line is the pattern, the rest the text. Matching never reads out of
// bounds, stays linear enough to finish, and agrees with what the pattern's shape promises.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "qualifiers/like_pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line = input.find('\n');
  const std::string_view pattern = input.substr(0, line);
  const std::string_view text =
      line == std::string_view::npos ? std::string_view() : input.substr(line + 1);
  if (pattern.size() > 4096) return 0;
  const tablecast::LikePattern like(pattern);
  const bool matches = like.Matches(text);
  if (matches && !text.starts_with(like.literal_prefix())) std::abort();
  if (like.IsPrefix() && matches != text.starts_with(like.literal_prefix())) std::abort();
  if (!like.HasWildcard() && matches != (text == like.literal_prefix())) std::abort();
  if (!tablecast::LikePattern(tablecast::LikePattern::Escape(text)).Matches(text)) std::abort();
  static_cast<void>(tablecast::LikeToJson(pattern));
  return 0;
}
