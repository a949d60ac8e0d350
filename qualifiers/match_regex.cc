#include "qualifiers/match_regex.h"

#include <re2/re2.h>

#include <algorithm>

#include "base/utf8.h"
#include "formula/java_regex.h"
#include "qualifiers/predicate.h"
#include "qualifiers/regex_shape.h"

namespace tablecast {
namespace {

constexpr std::int64_t kProgramBytes = 8 << 20;
constexpr int kRangeBytes = 64;  // how far a key range follows the pattern

RE2::Options Re2Options(std::int64_t max_mem) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(max_mem);
  return options;
}

// Where RE2's offending fragment stands; 0 when it gives none.
std::size_t OffsetOf(std::string_view pattern, const std::string& fragment) {
  const std::size_t found = fragment.empty() ? std::string_view::npos : pattern.find(fragment);
  return found == std::string_view::npos ? 0 : found;
}

Error Re2Error(const RE2& re, std::string_view pattern) {
  std::string message = "the regular expression does not compile: " + re.error();
  std::string remedy = "correct the pattern";
  std::string reason = "regex-syntax";
  switch (re.error_code()) {
    case RE2::ErrorRepeatSize:
      reason = "regex-repeat";
      message = "the repeat count in `" + re.error_arg() + "` is over 1,000";
      remedy = "repeat at most 1,000 times";
      break;
    case RE2::ErrorPatternTooLarge:
      reason = "regex-too-large";
      message = "the regular expression needs too much memory when compiled";
      remedy = "use smaller repeat counts";
      break;
    case RE2::ErrorMissingBracket:
      message = "the class `" + re.error_arg() + "` has no closing `]`";
      remedy = "close it with `]`";
      break;
    case RE2::ErrorMissingParen:
    case RE2::ErrorUnexpectedParen:
      message = "the parentheses do not match";
      remedy = "close every `(` with `)`, or write `\\(` for the character";
      break;
    case RE2::ErrorRepeatArgument:
    case RE2::ErrorRepeatOp:
      message = "`" + re.error_arg() + "` has nothing to repeat";
      remedy = "put what is repeated before it, or escape it with `\\`";
      break;
    case RE2::ErrorBadEscape:
      reason = "regex-unknown-escape";
      message = "`" + re.error_arg() + "` is no escape that RE2 knows";
      remedy = "write the character itself";
      break;
    case RE2::ErrorBadCharRange:
      message = "the range `" + re.error_arg() + "` runs backwards";
      remedy = "write the smaller character first";
      break;
    case RE2::ErrorTrailingBackslash:
      message = "the `\\` at the end escapes nothing";
      remedy = "write `\\\\` for a backslash";
      break;
    default: break;
  }
  const std::size_t offset = re.error_code() == RE2::ErrorTrailingBackslash
                                 ? pattern.size() - 1
                                 : OffsetOf(pattern, re.error_arg());
  return MakeError(ErrorCode::kInvalidArgument, std::move(reason), std::move(message), "postFilter",
                   std::move(remedy), PositionAt(pattern, offset));
}

// What to write instead of a construct that has no equal in RE2.
Error WithRemedy(Error error) {
  if (!error.remedy.empty()) return error;
  struct Row {
    std::string_view reason, remedy;
  };
  constexpr Row kRemedies[] = {
      {"regex-lookaround",
       "say what the value is instead of what it is not, or use a second condition (`filter`)"},
      {"regex-back-reference", "write the repeated text out, or test a part of the value"},
      {"regex-possessive", "leave the second + away"},
      {"regex-atomic-group", "use (?:…)"},
      {"regex-repeat", "repeat at most 1,000 times"},
      {"regex-class-intersection", "list the characters of the intersection"},
      {"regex-nested-class", "write all characters in one class"},
      {"regex-flag", "leave the flag away"},
      {"regex-escape", "write the character itself"},
      {"regex-posix-class", "use \\p{L}, \\p{N} or a class such as [A-Za-z]"}};
  struct Slip {
    std::string_view message, remedy;
  };
  constexpr Slip kSlips[] = {
      {"class is not closed", "close it with `]`, or write `\\[` for the character"},
      {"group is not closed", "close it with `)`, or write `\\(` for the character"},
      {") without (", "write `\\)` for the character"},
      {"ends in a backslash", "write `\\\\` for a backslash"}};
  error.remedy = "correct the pattern";
  for (const Row& row : kRemedies) {
    if (row.reason == error.reason) error.remedy = row.remedy;
  }
  for (const Slip& slip : kSlips) {
    if (error.message.find(slip.message) != std::string::npos) error.remedy = slip.remedy;
  }
  return error;
}

}  // namespace

// The two engines behind one interface.
class CompiledMatchRegex final : public MatchRegex {
 public:
  CompiledMatchRegex(std::string_view pattern, const std::string& translated)
      : re_(translated, Re2Options(kProgramBytes)) {
    pattern_ = std::string(pattern);
    if (re_.ok()) program_size_ = re_.ProgramSize();
  }

  const RE2& re() const { return re_; }

  void Specialise(std::string_view translated) {
    shape_ = RecogniseRegex(translated);
    if (!shape_) return;
    is_specialised_ = true;
    ByteSet possible;
    for (const std::string& literal : shape_->alternatives) {
      for (const char c : literal) possible.set(static_cast<unsigned char>(c));
    }
    for (const RegexElement& element : shape_->elements) {
      possible |= element.bytes;
      for (const char c : element.literal) possible.set(static_cast<unsigned char>(c));
    }
    possible_bytes_ = possible;
  }

  void FindBounds(std::string_view translated) {
    const std::optional<RegexShape> shape = RecogniseRegex(translated);
    if (shape && !shape->alternatives.empty()) {
      literals_ = shape->alternatives;
      range_ = {literals_.front(), literals_.back()};
    } else {
      const RE2 anchored("\\A(?:" + std::string(translated) + ")\\z", Re2Options(kProgramBytes));
      std::string lower;
      std::string upper;
      if (anchored.ok() && anchored.PossibleMatchRange(&lower, &upper, kRangeBytes)) {
        range_ = {std::move(lower), std::move(upper)};
      }
    }
    if (shape && !shape->elements.empty() && !shape->elements.front().literal.empty()) {
      literal_prefix_ = shape->elements.front().literal;
    } else if (range_.lower && range_.upper) {
      // Every text between two bounds begins with what they share.
      const auto differ = std::mismatch(range_.lower->begin(), range_.lower->end(),
                                        range_.upper->begin(), range_.upper->end());
      literal_prefix_.assign(range_.lower->begin(), differ.first);
    }
  }

  bool Matches(std::string_view text) const override {
    if (shape_) return MatchesShape(*shape_, text);
    return re_.Match(text, 0, text.size(), RE2::ANCHOR_BOTH, nullptr, 0);
  }

 private:
  RE2 re_;
  std::optional<RegexShape> shape_;
};

Result<std::shared_ptr<const MatchRegex>> MatchRegex::Compile(std::string_view pattern,
                                                              Engine engine) {
  if (pattern.size() > kMaxRegexBytes) {
    return MakeError(ErrorCode::kInvalidArgument, "regex-too-long",
                     "the regular expression has " + std::to_string(pattern.size()) +
                         " bytes; at most " + std::to_string(kMaxRegexBytes) + " are allowed",
                     "postFilter", "shorten it, or test a part of it with `filter`",
                     PositionAt(pattern, kMaxRegexBytes));
  }
  auto translation = formula::TranslateJavaRegex(pattern);
  if (!translation.ok()) return WithRemedy(std::move(translation).error());
  const std::string& translated = *translation;
  auto compiled = std::make_shared<CompiledMatchRegex>(pattern, translated);
  if (!compiled->re().ok()) return Re2Error(compiled->re(), pattern);
  if (engine == Engine::kAutomatic) compiled->Specialise(translated);
  compiled->FindBounds(translated);
  return std::shared_ptr<const MatchRegex>(std::move(compiled));
}

bool IsAnchored(std::string_view pattern) {
  const bool begins = pattern.starts_with('^') || pattern.starts_with("\\A");
  std::size_t backslashes = 0;
  if (pattern.size() > 1) {
    while (backslashes + 1 < pattern.size() && pattern[pattern.size() - 2 - backslashes] == '\\')
      ++backslashes;
  }
  const bool ends = (pattern.ends_with('$') && backslashes % 2 == 0) ||
                    (pattern.ends_with("\\z") && backslashes % 2 == 1);
  return begins && ends;
}

namespace {

class Re2Search final : public RegexSearch {
 public:
  explicit Re2Search(const std::string& pattern, const RE2::Options& options)
      : re_(pattern, options) {}
  const RE2& re() const { return re_; }
  bool Matches(std::string_view text) const override {
    return re_.Match(text, 0, text.size(), RE2::UNANCHORED, nullptr, 0);
  }

 private:
  RE2 re_;
};

}  // namespace

Result<std::shared_ptr<const RegexSearch>> RegexSearch::Compile(std::string_view pattern,
                                                                bool case_insensitive,
                                                                std::size_t max_pattern_bytes) {
  if (pattern.size() > max_pattern_bytes) {
    return MakeError(ErrorCode::kInvalidArgument, "regex-too-long",
                     "the regular expression has " + std::to_string(pattern.size()) +
                         " bytes; at most " + std::to_string(max_pattern_bytes) + " are allowed");
  }
  RE2::Options options = Re2Options(1 << 20);
  options.set_case_sensitive(!case_insensitive);
  auto search = std::make_shared<Re2Search>(std::string(pattern), options);
  if (!search->re().ok()) {
    Error error = Re2Error(search->re(), pattern);
    error.message += " (character " + std::to_string(error.position.column) + " of the pattern)";
    error.target.clear();  // the caller knows what holds the pattern, and where it stands
    error.position = {};
    return error;
  }
  return std::shared_ptr<const RegexSearch>(std::move(search));
}

}  // namespace tablecast
