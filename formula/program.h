#ifndef TABLECAST_FORMULA_PROGRAM_H_
#define TABLECAST_FORMULA_PROGRAM_H_

// Formula text -> Program: parsed, type-checked and compiled once, evaluated per row.
//
//   auto compiled = Program::Compile("RIGHT(sk, LEN(sk) - FIND(\"#\", sk))", resolver, {});
//   if (!compiled.program) return compiled.issues;
//   EvalContext context(now);
//   RowFieldReader reader(row);
//   EvalResult result = compiled.program->Evaluate(reader, context);
//   if (result.ok()) use(result.value());
//
// A fault in the data (division by zero, bad text) is an EvalError: the value of one cell, never an
// Error of the request. SOURCE: spec formula.md.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_time.h"
#include "base/lifetime.h"
#include "base/result.h"
#include "formula/function_registry.h"
#include "formula/value.h"
#include "item/row.h"

namespace tablecast::formula {

// ---- names ----

struct FieldBinding {
  Slot slot = 0;
  // kNull = undeclared: the compiler takes the type from the use, Text before Number.
  ValueType type = ValueType::kText;
};

class NameResolver {
 public:
  virtual ~NameResolver() = default;
  // nullopt = no such field. With CompileOptions::fold_name_case the compiler asks again with the
  // spelling of Names() that differs in letter case only.
  virtual std::optional<FieldBinding> Resolve(std::string_view name) const = 0;
  // Every name, for suggestions and case folding.
  virtual std::vector<std::string> Names() const = 0;
};

// ---- reading a row ----

// One cell's fault, kept as a value.
enum class EvalErrorCode : std::uint8_t {
  kDivisionByZero,
  kArgumentOutOfRange,
  kNotARealNumber,
  kBadNumberText,
  kBadDateText,
  kBadRegex,
  kLimitExceeded,  // result size or step budget
};
std::string_view EvalErrorCodeName(EvalErrorCode code);  // "division-by-zero", ...

struct EvalError {
  EvalErrorCode code = EvalErrorCode::kArgumentOutOfRange;
  std::string message;
  TextPosition position;  // of the failing call or operator inside the formula text
};

class FieldReader {
 public:
  virtual ~FieldReader() = default;
  // A value of another type than the binding's reads as blank.
  // BORROWS: text stays valid while the row is; a reader that computes texts keeps them itself.
  virtual Value Read(Slot slot) const = 0;
  // Shortcut for formulas that cut one text: the slot's text when it holds a text that is not
  // blank, else nullopt ("ask Read"). The default always asks Read.
  virtual std::optional<std::string_view> ReadText(Slot /*slot*/) const { return std::nullopt; }
  // Asked only after a blank Read: why the field could not be computed, or nullptr. The error then
  // is the reading formula's too.
  virtual const EvalError* ReadError(Slot /*slot*/) const { return nullptr; }
};

// S -> Text (borrowed), N -> Number, BOOL -> Boolean; absent, NULL and every other type -> blank.
class RowFieldReader final : public FieldReader {
 public:
  explicit RowFieldReader(const Row& row TABLECAST_LIFETIME_BOUND) : row_(&row) {}
  Value Read(Slot slot) const override;
  std::optional<std::string_view> ReadText(Slot slot) const override {
    const AttributeView view = row_->Get(slot);
    if (!view.Is(AttributeType::kS) || view.payload().empty()) return std::nullopt;
    return view.payload();
  }

 private:
  const Row* row_;
};
// The conversion itself. BORROWS the view's payload.
Value FromAttribute(const AttributeView& view);

// ---- evaluation ----

struct EvalLimits {
  // Largest text that one function may build. UNITS: bytes. Beyond: kLimitExceeded.
  std::size_t max_text_bytes = 1U << 20U;
  // Budget of one evaluation. UNITS: steps; one instruction, or 64 bytes of text walked, is a step.
  // Deterministic stand-in for a time limit: a million steps take a few milliseconds.
  std::uint64_t max_steps = 4'000'000;
};

// What evaluations of one request share: the time of NOW(), the scratch memory of text results, the
// budgets. THREAD: one thread at a time.
class EvalContext {
 public:
  explicit EvalContext(Timestamp now, EvalLimits limits = {});
  ~EvalContext();
  EvalContext(const EvalContext&) = delete;
  EvalContext& operator=(const EvalContext&) = delete;

  // Frees scratch text: every text Value evaluated since the last call dies unless ToOwned().
  // Call it from row to row. COST: nothing when no text was built.
  void ResetRow() {
    if (has_scratch_text_) FreeScratchText();
  }

  Timestamp now() const { return now_; }
  const EvalLimits& limits() const { return limits_; }

 private:
  friend class internal::KernelContext;
  void FreeScratchText();
  bool has_scratch_text_ = false;
  Timestamp now_;
  EvalLimits limits_;
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

class [[nodiscard]] EvalResult {
 public:
  EvalResult() = default;  // blank
  // A borrowed text. BORROWS text.
  static EvalResult TextView(std::string_view text) { return EvalResult(BorrowedText{text}); }
  EvalResult(Value value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  EvalResult(EvalError error)                            // NOLINT(google-explicit-constructor)
      : error_(std::make_unique<EvalError>(std::move(error))) {}
  bool ok() const { return error_ == nullptr; }
  const Value& value() const& { return value_; }  // blank when !ok()
  Value&& value() && { return std::move(value_); }
  const EvalError& error() const { return *error_; }  // REQUIRES: !ok()

 private:
  struct BorrowedText {
    std::string_view text;
  };
  explicit EvalResult(BorrowedText borrowed) : value_(Value::TextView(borrowed.text)) {}
  Value value_;
  std::unique_ptr<EvalError> error_;
};

// ---- compilation ----

struct CompileOptions {
  bool blank_as_zero = false;   // a blank Number FIELD reads as 0 (F20)
  bool fold_name_case = false;  // field names in any case (Salesforce); qualifiers are exact (F21)
  bool qualifier_mode = false;  // TEXT(text), VALUE(number), DATEVALUE(date) are identities (F16)
  // Declared result type: checked, a DateTime formula gives a Date result its day, an unknown
  // Boolean becomes FALSE. Unset = whatever the formula yields.
  std::optional<ValueType> result = std::nullopt;
  std::optional<int> scale = std::nullopt;  // Number results are rounded to it, HALF_UP
  // For tests and benchmarks: switch off parts of the optimiser.
  bool optimize = true;  // folding, common sub-expressions
  bool fuse = true;      // strip-a-prefix, split-part and affix shapes
};

inline constexpr std::size_t kMaxSourceBytes = 64U * 1024U;
inline constexpr int kMaxNesting = 200;

class Program;

struct CompileResult {
  std::shared_ptr<const Program> program;  // null when issues has an error
  // Codes "formula-syntax", "formula-unknown-function", "formula-unknown-field",
  // "formula-argument-count", "formula-argument-type", "formula-result-type",
  // "formula-unsupported", "formula-limit", "formula-regex"; warnings "formula-power-precedence".
  // Spans lie inside the formula text.
  std::vector<Issue> issues;
};

struct FieldUse {
  std::string name;  // as the resolver spells it
  Slot slot = 0;
  ValueType type = ValueType::kText;
};

namespace internal {
struct TypedTree;
struct Code;
}  // namespace internal

// Immutable, thread-safe; shared by requests.
class Program {
 public:
  static CompileResult Compile(std::string_view text, const NameResolver& resolver,
                               const CompileOptions& options = {},
                               const FunctionRegistry& registry = FunctionRegistry::Standard());
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // BORROWS: a text result may point into the row, the context's scratch memory or this program.
  EvalResult Evaluate(const FieldReader& fields, EvalContext& context) const;
  // The plain interpreter over the checked tree: no folding, no fused shapes, no ASCII fast path.
  // The oracle of the tests; same answers, slower.
  EvalResult Interpret(const FieldReader& fields, EvalContext& context) const;

  // kNull for a formula that can only be blank (`NULL`).
  ValueType result_type() const;
  // Every field mentioned, once, in order of first mention.
  const std::vector<FieldUse>& fields() const TABLECAST_LIFETIME_BOUND;
  const std::string& text() const TABLECAST_LIFETIME_BOUND;

  // Mentions no field and no clock. The value is there when evaluation succeeds.
  bool IsConstant() const;
  const std::optional<Value>& constant() const TABLECAST_LIFETIME_BOUND;
  // Mentions TODAY, NOW or TIMENOW: never a constant across pages.
  bool UsesClock() const;

  // Canonical formula text; parses back to the same tree.
  std::string ToString() const;
  // Types, folded parts and instructions, for people.
  std::string Explain() const;
  // "strip-prefix", "split-part", "head", "slice", "affix", "alias", "constant" or "general".
  std::string_view shape() const;

  const CompileOptions& options() const TABLECAST_LIFETIME_BOUND;
  const internal::TypedTree& tree() const
      TABLECAST_LIFETIME_BOUND;  // normalised; for formula/inverse.cc

 private:
  Program();
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_PROGRAM_H_
