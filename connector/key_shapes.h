#ifndef TABLECAST_CONNECTOR_KEY_SHAPES_H_
#define TABLECAST_CONNECTOR_KEY_SHAPES_H_

// The shapes of a key column of a single-table design: which words are fixed ("USER#",
// "#METADATA#", "ORDER") and which parts vary. Learned from sample values; what a word is and what
// an identifier is follows from letters, from how many there are and from the attributes that the
// items carry.
//
//   USER#42          -> USER#{}
//   ORDER#7#ITEM#1   -> ORDER#{}#ITEM#{}
//   PROFILE          -> PROFILE
//   2024-05-01       -> {}

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tablecast {

// One value of the column with what distinguishes its item.
struct KeySample {
  std::string_view value;                               // BORROWS: from the caller's items
  const std::set<std::uint32_t>* attributes = nullptr;  // numbers of the item's attributes. BORROWS
};

struct KeyShape {
  struct Part {
    std::string literal;  // fixed text, separators included; empty = a variable
    bool operator==(const Part&) const = default;
    bool variable() const { return literal.empty(); }
  };
  std::vector<Part> parts;
  char separator = '#';
  bool operator==(const KeyShape&) const = default;

  bool IsConstant() const { return parts.size() == 1 && !parts[0].variable(); }
  bool IsVariable() const { return parts.size() == 1 && parts[0].variable(); }
  std::size_t Variables() const;
  std::string Text() const;      // "ORDER#{}#ITEM#{}"
  std::string Constant() const;  // REQUIRES: IsConstant()
  std::string Head() const;      // the leading fixed text, "" when a variable comes first
  // LIKE pattern: "ORDER#%#ITEM#%", wildcards in fixed text escaped.
  std::string LikePattern() const;
  // Regular expression in which no variable but a last one behind nothing else holds a separator.
  std::string Regex() const;
  // What LikePattern() accepts, and what Regex() accepts.
  bool MatchesLike(std::string_view value) const;
  bool MatchesExactly(std::string_view value) const;
  // The variables' values; empty when the value does not have this shape.
  std::vector<std::string> Split(std::string_view value) const;
};

struct KeyShapes {
  std::vector<KeyShape> shapes;
  std::vector<std::size_t> shape_of;  // by sample
};

// COST: linear in the samples, times the parts of a value.
KeyShapes LearnKeyShapes(const std::vector<KeySample>& samples);

// Class of identifiers that all values share.
enum class ValueClass { kDigits, kDate, kInstant, kUuid, kUlid, kWord, kOther };
ValueClass ClassOf(const std::vector<std::string_view>& values);
// "^[0-9]+$", ...; "" for kOther.
std::string_view ClassRegex(ValueClass value_class);
bool IsOfClass(std::string_view value, ValueClass value_class);

// Similarity of attribute sets, in percent: 100 = equal.
int SharedPercent(const std::set<std::uint32_t>& a, const std::set<std::uint32_t>& b);
// True when the sets differ so much that they look like different record types.
bool LookDifferent(const std::vector<std::set<std::uint32_t>>& sets);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_KEY_SHAPES_H_
