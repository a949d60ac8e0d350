#include "qualifiers/row_rule.h"

#include <algorithm>

#include "formula/program.h"
#include "item/row.h"

namespace tablecast {

namespace {

// Takes every name: slots are given in order of first mention.
class AnyName final : public formula::NameResolver {
 public:
  std::optional<formula::FieldBinding> Resolve(std::string_view name) const override {
    const auto found = std::find(names_.begin(), names_.end(), name);
    const auto slot = static_cast<Slot>(found - names_.begin());
    if (found == names_.end()) names_.emplace_back(name);
    return formula::FieldBinding{slot, formula::ValueType::kNull};
  }
  std::vector<std::string> Names() const override { return names_; }

 private:
  mutable std::vector<std::string> names_;
};

class CompiledRule final : public RowRule {
 public:
  CompiledRule(std::shared_ptr<const formula::Program> program, std::vector<std::string> names)
      : program_(std::move(program)), slots_(std::move(names)) {}

  Result<formula::Value> Evaluate(const Item& item, Timestamp now) const override {
    const OwnedItemRow row(slots_, item);
    const formula::RowFieldReader reader(row);
    formula::EvalContext context(now);
    const formula::EvalResult result = program_->Evaluate(reader, context);
    if (!result.ok()) {
      return MakeError(ErrorCode::kInvalidArgument, "formula-failed", result.error().message);
    }
    return result.value().ToOwned();
  }

 private:
  std::shared_ptr<const formula::Program> program_;
  SlotMap slots_;
};

}  // namespace

Result<std::shared_ptr<const RowRule>> RowRule::Compile(std::string_view text) {
  const AnyName names;
  formula::CompileOptions options;
  options.qualifier_mode = true;
  const formula::CompileResult compiled = formula::Program::Compile(text, names, options);
  if (compiled.program == nullptr) {
    for (const Issue& issue : compiled.issues) {
      if (issue.severity != Severity::kError) continue;
      return MakeError(ErrorCode::kInvalidArgument, issue.code, issue.message, "", issue.remedy,
                       issue.span.begin);
    }
    return MakeError(ErrorCode::kInvalidArgument, "formula-syntax", "the formula does not compile");
  }
  return std::shared_ptr<const RowRule>(
      std::make_shared<CompiledRule>(compiled.program, names.Names()));
}

}  // namespace tablecast
