#ifndef TABLECAST_QUALIFIERS_LIKE_PATTERN_H_
#define TABLECAST_QUALIFIERS_LIKE_PATTERN_H_

// SQL LIKE over a whole value, case-sensitive: `%` any run, `_` one code point, `\` takes the next
// character literally. Compiled once; the common shapes cost one comparison.
//
//   LikePattern like("products#%");
//   like.Matches("products#1");        // true
//   like.literal_prefix();             // "products#": what every match begins with
//
// CHOICE: a lone `\` at the end stands for itself when matching; FindTrailingEscape lets a
// validator refuse it. SOURCE: spec qualifiers.md section 2.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tablecast {

class LikePattern {
 public:
  enum class Shape {
    kEquality,  // no wildcard
    kAny,       // "%"
    kPrefix,    // "abc%"
    kSuffix,    // "%abc"
    kContains,  // "%abc%"
    kAffixes,   // "abc%xyz"
    kGeneral,
  };

  explicit LikePattern(std::string_view pattern);

  // COST: one comparison for all shapes but kContains (a search) and kGeneral (linear in the text
  // times the longest run between two `%` in the worst case). No allocation.
  bool Matches(std::string_view text) const;

  Shape shape() const { return shape_; }
  // The text before the first wildcard, unescaped: every match begins with it.
  const std::string& literal_prefix() const { return literal_prefix_; }
  bool HasWildcard() const { return shape_ != Shape::kEquality; }
  // True when a text matches exactly when it begins with literal_prefix().
  bool IsPrefix() const { return shape_ == Shape::kPrefix || shape_ == Shape::kAny; }

  // Byte offset of a `\` that ends the pattern and so escapes nothing.
  static std::optional<std::size_t> FindTrailingEscape(std::string_view pattern);
  // `text` as a pattern that matches only it.
  static std::string Escape(std::string_view text);

 private:
  // A run of literal text and `_` between two `%`.
  struct Piece {
    std::string literal;
    std::size_t skip = 0;  // `_`s before the literal
  };
  using Segment = std::vector<Piece>;

  static bool MatchAt(const Segment& segment, std::string_view text, std::size_t& offset);
  static bool FindFrom(const Segment& segment, std::string_view text, std::size_t& offset);
  static bool MatchAtEnd(const Segment& segment, std::string_view text, std::size_t from);
  void Classify();

  Shape shape_ = Shape::kGeneral;
  std::string literal_prefix_;
  std::string tail_;               // the literal of kSuffix, kContains, and the end of kAffixes
  std::vector<Segment> segments_;  // k `%` make k + 1 segments
};

// `tablecast parse --kind like`:
// {"kind":"like","shape":…,"parts":[{"kind":"literal"|"any-run"|"any-one",…, "at":[start,end]}]}.
// ERRORS: kInvalidArgument "like-trailing-escape" with position.
Result<std::string> LikeToJson(std::string_view pattern);

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_LIKE_PATTERN_H_
