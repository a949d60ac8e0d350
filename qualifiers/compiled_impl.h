#ifndef TABLECAST_QUALIFIERS_COMPILED_IMPL_H_
#define TABLECAST_QUALIFIERS_COMPILED_IMPL_H_

// What qualifier_compiler.cc works out and qualifier_row.cc, qualifier_pushdown.cc and
// qualifier_writes.cc use. Private to qualifiers/.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formula/inverse.h"
#include "formula/program.h"
#include "qualifiers/compiled_qualifier.h"
#include "qualifiers/like_pattern.h"
#include "qualifiers/match_regex.h"
#include "qualifiers/predicate.h"

namespace tablecast {

// One condition of one entry, as the file states it.
struct RowCondition {
  enum class Kind { kType, kPresence, kFilter, kPostFilter, kConstant };
  Kind kind = Kind::kType;
  std::string column;  // entry name
  std::string text;    // "type S", "filter LIKE 'products#%'"
  bool is_virtual = false;
  Slot slot = 0;               // physical: over SlotMap; virtual: index of the virtual column
  PredicatePtr predicate;      // physical only
  bool proved_by_key = false;  // the key condition already says it

  // Virtual only: the test on the computed value.
  Presence presence = Presence::kAny;
  std::optional<LikePattern> like;
  std::shared_ptr<const MatchRegex> regex;
  bool HoldsFor(const formula::Value& value) const;  // REQUIRES: is_virtual
};

// Fields of formulas are numbered: physical columns by their slot, then virtual column i as
// slots().names().size() + i.
struct CompiledQualifier::Impl {
  std::vector<RowCondition> conditions;  // in file order
  // By slot: a column without declared type that every formula reads as text; numbers there are
  // read as their canonical text.
  std::vector<bool> reads_as_text;
  // What holds for the column under each name that formulas know it by.
  std::map<std::string, formula::ColumnFacts, std::less<>> facts;
  // Positions in virtual_columns() and physical_columns() by name.
  std::map<std::string, std::size_t, std::less<>> virtual_index;
  std::map<std::string, std::size_t, std::less<>> physical_index;
  // By physical column: how its inverse was judged, for explain and warnings.
  std::vector<std::string> inverse_verdicts;
  // Physical columns without written inverse that a virtual one determines (12.5 rule 7).
  struct DerivedWrite {
    std::uint32_t virtual_index;
    std::uint32_t physical_index;
    std::shared_ptr<const formula::Program> program;
  };
  std::vector<DerivedWrite> derived_writes;

  // By name as formulas know the column: undeclared, read as text, and not known to hold text only.
  std::set<std::string, std::less<>> numbers_as_text;
  bool MayReadNumbersAsText(std::string_view column) const {
    return numbers_as_text.contains(column);
  }

  std::vector<formula::ColumnFacts> FactsFor(const formula::Program& program) const;
};

// The value of CompiledQualifier::fingerprint(). REQUIRES: slots and conditions are set.
std::string Fingerprint(const CompiledQualifier& compiled, const CompiledQualifier::Impl& impl,
                        const TableSchema& schema, bool blank_as_zero);

// Text, Number, Boolean -> S, N, BOOL; nullopt for blank, and for dates, which are not stored as
// such.
std::optional<AttributeValue> ToAttribute(const formula::Value& value);

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_COMPILED_IMPL_H_
