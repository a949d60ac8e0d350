#ifndef TABLECAST_FORMULA_INVERSE_H_
#define TABLECAST_FORMULA_INVERSE_H_

// Inversion: what a condition on a virtual column implies for the physical columns it is computed
// from.
//
// h is the read definition (v = h(c)), g a written inverse (c = g(v, ...)). A result narrows a read
// and never decides a row: the caller evaluates h again on every row it reads, so a SUPERSET is
// enough for correctness and EXACT matters for counting and explain. A row whose h(c) is blank or
// fails is never required by a condition with a non-blank literal. SOURCE: spec formula.md section
// 12; its rule names (T1, H4, K3 ...) stand beside the code that uses them.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formula/program.h"
#include "formula/value.h"
#include "item/key_condition.h"

namespace tablecast::formula {

// What holds for one physical column on EVERY row of the object (the row filter F).
struct ColumnFacts {
  std::string name = {};            // as the definition mentions it
  bool demands_text = false;        // type S demanded
  bool demands_number = false;      // type N demanded
  std::string literal_prefix = {};  // every value begins with it; "" if unknown
  bool is_key = false;              // key attribute: always present, never empty
  // Promises of the qualifier's author (`trustedInverses`), never inferred.
  bool promises_canonical_numbers = false;  // TEXT(VALUE(c)) = c
  // Dates are written yyyy-MM-dd with leading zeros, instants in UTC (`Z`).
  bool promises_canonical_dates = false;
};

enum class ConditionOp { kEq, kNe, kLt, kLe, kGt, kGe, kStartsWith, kIn, kBetween };

// `v op literal`; kIn takes any number of literals, kBetween two (low, high), the others one.
// A blank literal with kEq asks for blank values.
struct VirtualCondition {
  ConditionOp op = ConditionOp::kEq;
  std::vector<Value> literals = {};
};

struct ImpliedCondition {
  std::string column;         // physical column
  ColumnCondition condition;  // never, equals or range
  bool exact = false;         // equivalent on F; otherwise implied (SUPERSET)
};

struct Inversion {
  // AND of conditions; empty = nothing implied, and `why` says why not.
  std::vector<ImpliedCondition> conditions;
  // Provably no row: one request fewer. `conditions` is empty then.
  bool never = false;
  // All conditions together are equivalent to the virtual condition on F.
  bool exact = false;
  // "T1: sk = \"products#\" & v" or the reason of a refusal.
  std::string why;

  bool narrows() const { return never || !conditions.empty(); }
};

// The implied condition. `columns` has the facts of the columns that the definition mentions; a
// column without facts counts as knowing nothing. COST: small; for planning, not for rows.
Inversion Invert(const Program& definition, const std::vector<ColumnFacts>& columns,
                 const VirtualCondition& condition);

// One line for explain: "inverts by T: sk = \"products#\" & v; =, in, startswith, ranges", or
// "does not invert: ...".
std::string DescribeInversion(const Program& definition, const std::vector<ColumnFacts>& columns);

// ---- written inverses ----

struct ForwardDefinition {
  std::string name;                     // the virtual column, as g mentions it
  const Program* definition = nullptr;  // h over the physical column
};

struct PairVerdict {
  bool proved = false;  // g(h(c)) = c on every row of F, so v = lit implies c = g(lit)
  std::string why;
};

// Is g, a definition of `column` over the virtual columns of `forwards`, the inverse of them on F?
// Templates: alias, affix against strip-a-prefix, join against split parts; the TEXT/VALUE and date
// pairs only with the matching promise. No proof found is no proof of the contrary.
PairVerdict ProvePair(const Program& inverse, const std::vector<ForwardDefinition>& forwards,
                      const ColumnFacts& column);

// What a JOINED inverse g = x1 & "d" & x2 ... implies when only some of its inputs are bound: a
// value when all are, a begins_with when a leading run is (P1..P3). Parts before the last that are
// bound to a blank end the run: rows with too few delimiters have blank parts as well. `bound`
// gives a condition by virtual name: equality, or startswith on the part after the leading run.
// Empty when nothing follows. REQUIRES (for soundness): ProvePair(inverse) or the author's trust.
struct BoundInput {
  std::string name;
  VirtualCondition condition;  // kEq, kIn or kStartsWith
};
Inversion InvertJoined(const Program& inverse, const std::string& column,
                       const std::vector<BoundInput>& bound);

// The unique inverse of h as formula text over `virtual_name`, for writes through a column that has
// none written (12.5 rule 7): alias, affix, strip-a-prefix under a fixed prefix. nullopt:
// read-only.
struct DerivedInverse {
  std::string column;      // the physical column it computes
  std::string definition;  // formula text: "\"products#\" & product"
};
std::optional<DerivedInverse> DeriveInverse(const Program& definition,
                                            const std::vector<ColumnFacts>& columns,
                                            std::string_view virtual_name);

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_INVERSE_H_
