#include "formula/program.h"

#include "formula/checker.h"
#include "formula/evaluator.h"
#include "formula/normalize.h"
#include "formula/parser.h"
#include "formula/shapes.h"

namespace tablecast::formula {

// What Evaluate does without the machine.
enum class FastPath : std::uint8_t { kNone, kConstant, kAlias, kTail, kHead, kPart };

struct Program::Impl {
  std::string text;
  Ast ast;
  internal::TypedTree tree;        // as checked: the interpreter's
  internal::TypedTree normalised;  // the compiler's and the inverter's
  internal::Code code;
  CompileOptions options;
  std::optional<Value> constant;
  ValueType result_type = ValueType::kNull;
  bool is_constant = false;
  bool uses_clock = false;
  FastPath fast_path = FastPath::kNone;
  internal::Cut cut;
  Slot fast_slot = 0;  // the field that `cut` cuts
  std::string_view shape = "general";
};

namespace {

// The declared result (spec section 3): a day of a DateTime, FALSE for unknown, the field's scale.
void ApplyDeclaredResult(const CompileOptions& options, Value& value) {
  if (options.result == ValueType::kBoolean && value.IsBlank()) value = Value::Boolean(false);
  if (options.result == ValueType::kDate && value.Is(ValueType::kDateTime)) {
    value = Value::FromDate(DateOf(value.instant()));
  }
  if (options.scale && value.Is(ValueType::kNumber)) {
    value = Value::Number(value.number().RoundToScale(*options.scale, Rounding::kHalfUp));
  }
}

EvalResult Finish(bool ok, Value value, internal::KernelContext& context, const std::string& text,
                  const CompileOptions& options) {
  if (!ok) {
    EvalError error = *std::move(context.error());
    error.position = PositionAt(text, error.position.offset);
    return error;
  }
  ApplyDeclaredResult(options, value);
  return value;
}

bool IsAffix(const internal::TypedTree& tree) {
  const internal::TypedNode& root = tree[tree.root];
  if (root.name != "&") return false;
  for (const internal::NodeId part : tree.ArgumentsOf(root)) {
    const internal::NodeOp op = tree[part].op;
    if (op != internal::NodeOp::kConstant && op != internal::NodeOp::kField) return false;
  }
  return true;
}

}  // namespace

Value FromAttribute(const AttributeView& view) {
  if (!view.present()) return {};
  switch (view.type()) {
    case AttributeType::kS: return Value::TextView(view.payload());
    case AttributeType::kN: {
      const Result<Decimal> number = DecodeNumber(view.payload());
      return number.ok() ? Value::Number(*number) : Value();
    }
    case AttributeType::kBool: return Value::Boolean(view.AsBool());
    case AttributeType::kB:
    case AttributeType::kNull:
    case AttributeType::kM:
    case AttributeType::kL:
    case AttributeType::kSS:
    case AttributeType::kNS:
    case AttributeType::kBS: break;
  }
  return {};
}

Value RowFieldReader::Read(Slot slot) const { return FromAttribute(row_->Get(slot)); }

Program::Program() = default;
Program::~Program() = default;

CompileResult Program::Compile(std::string_view text, const NameResolver& resolver,
                               const CompileOptions& options, const FunctionRegistry& registry) {
  CompileResult out;
  ParsedFormula parsed = ParseFormula(text);
  out.issues = std::move(parsed.issues);
  if (!parsed.ast) return out;
  internal::CheckedFormula checked =
      internal::Check(*parsed.ast, text, resolver, options, registry);
  out.issues.insert(out.issues.end(), checked.issues.begin(), checked.issues.end());
  if (!checked.tree) return out;

  auto impl = std::make_unique<Impl>();
  impl->text = std::string(text);
  impl->ast = *std::move(parsed.ast);
  impl->tree = *std::move(checked.tree);
  impl->options = options;
  impl->normalised = options.optimize ? internal::Normalize(impl->tree) : impl->tree;
  impl->code = internal::GenerateCode(impl->normalised, options.fuse);
  const internal::TypedNode& root = impl->normalised[impl->normalised.root];
  impl->result_type = impl->tree[impl->tree.root].type;
  if (options.result == ValueType::kDate && impl->result_type == ValueType::kDateTime) {
    impl->result_type = ValueType::kDate;
  }
  for (const internal::TypedNode& node : impl->tree.nodes) {
    impl->uses_clock = impl->uses_clock || node.purity == Purity::kClock;
  }
  impl->is_constant = impl->tree.fields.empty() && !impl->uses_clock;

  const bool text_result = root.type == ValueType::kText;
  if (root.op == internal::NodeOp::kConstant) {
    impl->fast_path = FastPath::kConstant;
    impl->shape = "constant";
    Value value = impl->normalised.constants[root.payload];
    ApplyDeclaredResult(options, value);
    impl->constant = std::move(value);
  } else if (root.op == internal::NodeOp::kField) {
    impl->shape = "alias";
    impl->cut.field = root.payload;
    if (text_result) impl->fast_path = FastPath::kAlias;
  } else if (const auto cut = internal::RecogniseCut(impl->normalised, impl->normalised.root)) {
    impl->cut = *cut;
    using internal::CutKind;
    switch (cut->kind) {
      case CutKind::kTail:
        impl->shape = "strip-prefix";
        impl->fast_path = FastPath::kTail;
        break;
      case CutKind::kHead:
        impl->shape = "head";
        impl->fast_path = FastPath::kHead;
        break;
      case CutKind::kPart:
        impl->shape = "split-part";
        impl->fast_path = FastPath::kPart;
        break;
      case CutKind::kDrop: impl->shape = "strip-prefix"; break;
      case CutKind::kTake:
      case CutKind::kSlice: impl->shape = "slice"; break;
    }
  } else if (IsAffix(impl->normalised)) {
    impl->shape = "affix";
  }
  if (impl->fast_path != FastPath::kNone && impl->fast_path != FastPath::kConstant) {
    impl->fast_slot = impl->normalised.fields[impl->cut.field].slot;
  }
  if (!options.fuse && impl->fast_path != FastPath::kConstant) impl->fast_path = FastPath::kNone;
  // A constant formula that fails, fails every time: no constant.
  if (impl->is_constant && !impl->constant) impl->fast_path = FastPath::kNone;

  std::shared_ptr<Program> program(new Program());
  program->impl_ = std::move(impl);
  out.program = std::move(program);
  return out;
}

EvalResult Program::Evaluate(const FieldReader& fields, EvalContext& context) const {
  const Impl& impl = *impl_;
  if (impl.fast_path == FastPath::kConstant) return *impl.constant;
  if (impl.fast_path != FastPath::kNone) {
    if (const std::optional<std::string_view> text = fields.ReadText(impl.fast_slot)) {
      switch (impl.fast_path) {
        case FastPath::kTail:
          return EvalResult::TextView(
              internal::TailBehind(*text, impl.cut.delimiter, impl.cut.part));
        case FastPath::kHead:
          return EvalResult::TextView(internal::HeadBefore(*text, impl.cut.delimiter));
        case FastPath::kPart:
          return EvalResult::TextView(
              internal::PartBetween(*text, impl.cut.delimiter, impl.cut.part));
        case FastPath::kAlias:
        case FastPath::kNone:
        case FastPath::kConstant: return EvalResult::TextView(*text);
      }
    }
    // Blank, of another type, or failed: the machine knows the rules.
  }
  internal::KernelContext kernel_context(context, true);
  Value value;
  const bool ok =
      internal::RunCode(impl.code, impl.options.blank_as_zero, fields, kernel_context, value);
  return Finish(ok, std::move(value), kernel_context, impl.text, impl.options);
}

EvalResult Program::Interpret(const FieldReader& fields, EvalContext& context) const {
  const Impl& impl = *impl_;
  internal::KernelContext kernel_context(context, false);
  Value value;
  const bool ok =
      internal::InterpretTree(impl.tree, impl.options.blank_as_zero, fields, kernel_context, value);
  return Finish(ok, std::move(value), kernel_context, impl.text, impl.options);
}

ValueType Program::result_type() const { return impl_->result_type; }
const std::vector<FieldUse>& Program::fields() const { return impl_->tree.fields; }
const std::string& Program::text() const { return impl_->text; }
bool Program::IsConstant() const { return impl_->is_constant; }
const std::optional<Value>& Program::constant() const { return impl_->constant; }
bool Program::UsesClock() const { return impl_->uses_clock; }
std::string Program::ToString() const { return impl_->ast.ToString(); }
std::string_view Program::shape() const { return impl_->shape; }
const CompileOptions& Program::options() const { return impl_->options; }
const internal::TypedTree& Program::tree() const { return impl_->normalised; }

std::string Program::Explain() const {
  const Impl& impl = *impl_;
  std::string out = "formula  " + impl.ast.ToString() + "\n";
  out += "type     " + std::string(ValueTypeName(impl.result_type)) + "\n";
  out += "shape    " + std::string(impl.shape) + "\n";
  for (const FieldUse& field : impl.tree.fields) {
    out += "field    " + field.name + " " + std::string(ValueTypeName(field.type)) + "\n";
  }
  if (impl.uses_clock) out += "clock    read once a request\n";
  out += "code     " + std::to_string(impl.code.instructions.size()) + " instructions, " +
         std::to_string(impl.code.register_count) + " registers";
  if (impl.fast_path != FastPath::kNone) out += "; runs as one fused step";
  return out + "\n" + internal::DescribeCode(impl.code);
}

}  // namespace tablecast::formula
