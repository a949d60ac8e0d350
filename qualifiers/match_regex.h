#ifndef TABLECAST_QUALIFIERS_MATCH_REGEX_H_
#define TABLECAST_QUALIFIERS_MATCH_REGEX_H_

// A postFilter: a regular expression that has to match the whole value. RE2 reads and runs it;
// shapes that need no automaton (byte classes such as ^[0-9]+$, literals, lists of literals,
// fixed-width codes) run as loops that give the same answers.
//
//   auto regex = MatchRegex::Compile("^ORD-[0-9]+$");
//   (*regex)->Matches("ORD-12");        // true
//   (*regex)->range().lower;            // "ORD-0": no match sorts before it
//
// SOURCE: spec qualifiers.md section 2; RE2 syntax, https://github.com/google/re2/wiki/Syntax.

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "qualifiers/predicate.h"

namespace tablecast {

inline constexpr std::size_t kMaxRegexBytes = 4096;

class MatchRegex {
 public:
  enum class Engine { kAutomatic, kRe2Only };  // kRe2Only: the oracle in tests

  // ERRORS: kInvalidArgument, reason "regex-…", the construct named, position.offset in `pattern`.
  // LIMITS: 4 KiB of pattern; a compiled program of 8 MiB.
  static Result<std::shared_ptr<const MatchRegex>> Compile(std::string_view pattern,
                                                           Engine engine = Engine::kAutomatic);
  virtual ~MatchRegex() = default;

  // The whole of `text` (valid UTF-8) matches. COST: no allocation; 1 to 8 ns for specialised
  // shapes of key length, about 40 ns through RE2. Linear in the text. THREAD: safe.
  virtual bool Matches(std::string_view text) const = 0;

  const std::string& pattern() const { return pattern_; }
  // True when no automaton runs.
  bool is_specialised() const { return is_specialised_; }
  // The only texts that match, sorted, when the pattern lists them: "A|B". Empty otherwise.
  const std::vector<std::string>& literals() const { return literals_; }
  // What every match begins with; may be "".
  const std::string& literal_prefix() const { return literal_prefix_; }
  // Instructions of the compiled program: what compiling costs.
  int program_size() const { return program_size_; }
  // Every match lies in [lower, upper] in byte order; unset = unknown.
  struct Range {
    std::optional<std::string> lower, upper;
  };
  const Range& range() const { return range_; }
  // Bytes that a match can contain, when known.
  const std::optional<std::bitset<256>>& possible_bytes() const { return possible_bytes_; }

 protected:
  std::string pattern_;
  bool is_specialised_ = false;
  int program_size_ = 0;
  std::vector<std::string> literals_;
  std::string literal_prefix_;
  Range range_;
  std::optional<std::bitset<256>> possible_bytes_;
};

// What the patterns of one file may cost together: each is bounded, a thousand of them would compile
// for minutes. THREAD: one.
class RegexBudget {
 public:
  // False when the patterns met so far leave no room for another one.
  bool HasRoom() const { return spent_ < kMostInstructions; }
  void Spend(const Result<std::shared_ptr<const MatchRegex>>& compiled) {
    spent_ += compiled.ok() ? (*compiled)->program_size() : kRefused;
  }

 private:
  static constexpr std::int64_t kMostInstructions = 2'000'000;
  static constexpr std::int64_t kRefused = 100;  // a syntax error is found soon
  std::int64_t spent_ = 0;
};

// As RegexMatch(slot, pattern) of predicate.h, sharing what is compiled already.
PredicatePtr RegexMatch(Slot slot, std::shared_ptr<const MatchRegex> regex);

// True when the pattern begins with ^ (or \A) and ends with $ (or \z) outside any group.
bool IsAnchored(std::string_view pattern);

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_MATCH_REGEX_H_
