#ifndef TABLECAST_QUALIFIERS_COMPILED_QUALIFIER_H_
#define TABLECAST_QUALIFIERS_COMPILED_QUALIFIER_H_

// What a qualifier means, compiled once at load: which items belong, where in the table they can
// lie, how virtual columns are computed and how physical columns follow from them. Immutable,
// thread-safe, shared by requests until a reload swaps it.
//
//   auto compiled = CompileQualifier(*parsed.qualifier, schema, options);
//   QualifierRow row(*compiled.qualifier, schema, names, now);
//   row.Reset(item);
//   if (row.Belongs()) const formula::Value& code = row.Virtual(0);

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_time.h"
#include "base/result.h"
#include "formula/inverse.h"
#include "formula/program.h"
#include "formula/value.h"
#include "item/item.h"
#include "item/key_condition.h"
#include "item/row.h"
#include "item/table_schema.h"
#include "qualifiers/predicate.h"
#include "qualifiers/table_qualifier.h"

namespace tablecast {

struct CompileQualifierOptions {
  bool blank_as_zero = false;
  // Physical columns whose written inverse may narrow reads without proof.
  std::vector<std::string> trusted_inverses;
  // Formulas may mention any attribute name; those the qualifier does not list read as this type
  // map says (from inference or declared fields), else as Text when S, Number when N at run time.
  std::vector<std::pair<std::string, formula::ValueType>> attribute_types;
};

struct VirtualColumn {
  std::string name;
  std::vector<std::shared_ptr<const formula::Program>> candidates;  // first non-blank without error
  formula::ValueType type = formula::ValueType::kText;
  std::vector<std::string> inputs;  // physical columns it depends on, transitively
};

struct PhysicalColumn {
  std::string name;  // attribute
  Slot slot = 0;
  std::optional<AttributeType> declared_type;
  std::vector<AttributeValue> constants;  // any of: the static discriminator; empty if none
  std::string literal_prefix;             // fixed by `filter` (or anchored postFilter); "" if none
  // Written inverse: physical value from virtual ones (writes; reads only when proved or trusted).
  std::shared_ptr<const formula::Program> inverse;
  bool inverse_narrows_reads = false;
};

// Why and where an item does not belong, for `why`, write errors and the workbench.
struct ConditionVerdict {
  std::string column;     // entry name
  std::string condition;  // "type S", "presence exists", "filter LIKE 'products#%'", "= \"ORDER\""
  std::string seen;       // the value seen, printable, cut to 80 bytes
  bool holds = false;
};

class CompiledQualifier {
 public:
  const TableQualifier& source() const { return source_; }
  const SlotMap& slots() const { return slots_; }
  const std::vector<VirtualColumn>& virtual_columns() const { return virtual_columns_; }
  const std::vector<PhysicalColumn>& physical_columns() const { return physical_columns_; }
  const VirtualColumn* FindVirtual(std::string_view name) const;
  const PhysicalColumn* FindPhysical(std::string_view attribute) const;

  // The tightest range of the table's primary key that can hold its items.
  const KeyCondition& key_condition() const { return key_condition_; }
  // Row conditions that key_condition() does not already prove; physical columns only, over
  // slots().
  const Predicate& residual() const { return *residual_; }
  // All physical row conditions (nothing assumed proved).
  const Predicate& full() const { return *full_; }
  // Explicit presence/filter/postFilter on virtual columns make membership depend on formulas.
  bool has_virtual_conditions() const { return has_virtual_conditions_; }
  // Stable over restarts and builds: identifies the meaning of membership.
  const std::string& fingerprint() const { return fingerprint_; }

  // ---- pushdown: implied conditions on physical columns of `virtual op literal` -----------------
  enum class PushOp { kEq, kNe, kLt, kLe, kGt, kGe, kStartsWith, kIn };
  struct VirtualCondition {
    std::string column;  // virtual column
    PushOp op;
    std::vector<formula::Value> literals;  // one, or the list of kIn
  };
  struct PhysicalCondition {
    std::string attribute;
    ColumnCondition condition;
    bool exact = false;  // still re-checked; exact matters for explain and counting
    std::string why;     // "productCode inverts: sk = \"products#\" & productCode"
  };
  struct Pushdown {
    std::vector<PhysicalCondition> conditions;                 // AND
    std::vector<std::pair<std::string, std::string>> refused;  // condition text, reason
  };
  // `bound` is a conjunction. Considers single-column inverses, written inverses (proved or
  // trusted) and joined columns with a leading run of parts bound.
  Pushdown PushDown(const std::vector<VirtualCondition>& bound) const;

  struct Impl;  // opaque: compiled_impl.h is private to qualifiers/

 private:
  friend struct QualifierCompiler;
  friend struct QualifierWriter;
  friend class QualifierRow;
  TableQualifier source_;
  SlotMap slots_{{}};
  std::vector<VirtualColumn> virtual_columns_;
  std::vector<PhysicalColumn> physical_columns_;
  KeyCondition key_condition_;
  PredicatePtr residual_;
  PredicatePtr full_;
  std::string fingerprint_;
  bool has_virtual_conditions_ = false;
  std::shared_ptr<const Impl> impl_;
};

struct QualifierCompilation {
  std::shared_ptr<const CompiledQualifier> qualifier;  // null when issues has an error
  std::vector<Issue> issues;
};
// All problems in one run, each with its span in the file.
QualifierCompilation CompileQualifier(const TableQualifier& qualifier, const TableSchema& schema,
                                      const CompileQualifierOptions& options = {});

// One item seen through a qualifier. Reused from row to row. THREAD: one thread.
// COST: virtual columns are computed on first use, once per row; no allocation for fused shapes.
class QualifierRow {
 public:
  QualifierRow(const CompiledQualifier& qualifier, const TableSchema& schema,
               const AttributeNames& names, Timestamp now);
  ~QualifierRow();
  QualifierRow(const QualifierRow&) = delete;
  QualifierRow& operator=(const QualifierRow&) = delete;

  void Reset(const ItemView& item);   // BORROWS item until the next Reset
  void ResetOwned(const Item& item);  // same over an owned item (writes)
  bool Belongs();                     // all conditions, virtual ones included
  bool PassesResidual();              // enough when key_condition() is known to hold
  // A failing formula is a blank value with the error kept. BORROWS: until the next Reset.
  const formula::Value& Virtual(std::size_t virtual_index);
  const formula::EvalError* VirtualError(std::size_t virtual_index) const;
  AttributeView Physical(Slot slot) const;
  AttributeView Attribute(std::string_view name) const;  // any attribute, listed or not
  std::vector<ConditionVerdict> Explain();               // every condition, in file order

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// ---- writes (qualifiers.md section 4, formula.md section 12.5)
// ------------------------------------
struct VirtualAssignment {
  std::string column;
  formula::Value value;  // blank = set to null
};
// Fills constants and computes physical columns from the virtual values given, into `item`; checks
// that a physical value and the virtual one that determines it agree; then that the finished item
// belongs and every given virtual value reads back equal. `given_physical` names the physical
// columns that the caller set itself. ERRORS: kInvalidArgument with the column in `target`.
Status ApplyVirtualWrites(const CompiledQualifier& qualifier, const TableSchema& schema,
                          Timestamp now, const std::vector<VirtualAssignment>& assignments,
                          const std::vector<std::string>& given_physical,
                          const Item* old_item,  // null on create
                          Item& item);

// A virtual column that writes can set: a written inverse mentions it, or one is derived. Others
// are read-only (formula.md 12.5 rule 7).
bool IsWritableVirtual(const CompiledQualifier& qualifier, std::size_t virtual_index);

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_COMPILED_QUALIFIER_H_
