// IMPLEMENTATION: one loop over the postorder nodes of the Ast. A node that could not be typed is
// marked and silences the nodes above it, so one mistake gives one issue. Tested by
// tests/formula/checker_test.cc and signatures_test.cc.

#include "formula/checker.h"

#include <algorithm>
#include <map>

#include "base/utf8.h"
#include "formula/lexer.h"
#include "formula/number_text.h"
#include "formula/operators.h"
#include "formula/regex_pattern.h"

namespace tablecast::formula::internal {
namespace {

ValueType TypeOf(ParameterType parameter) {
  switch (parameter) {
    case ParameterType::kText: return ValueType::kText;
    case ParameterType::kNumber: return ValueType::kNumber;
    case ParameterType::kBoolean: return ValueType::kBoolean;
    case ParameterType::kDate: return ValueType::kDate;
    case ParameterType::kDateTime: return ValueType::kDateTime;
    case ParameterType::kTime: return ValueType::kTime;
  }
  return ValueType::kNull;
}

// What to write around a value of type `from` where `to` is wanted; "" when nothing converts.
std::string Conversion(ValueType from, ValueType to) {
  using V = ValueType;
  if (to == V::kText &&
      (from == V::kNumber || from == V::kDate || from == V::kDateTime || from == V::kTime)) {
    return "convert it with TEXT(...)";
  }
  if (to == V::kText && from == V::kBoolean) return "convert it with IF(..., \"true\", \"false\")";
  if (to == V::kNumber && from == V::kText) return "convert it with VALUE(...)";
  if (to == V::kNumber && from == V::kBoolean) return "convert it with IF(..., 1, 0)";
  if (to == V::kDate && (from == V::kText || from == V::kDateTime))
    return "convert it with DATEVALUE(...)";
  if (to == V::kDateTime && (from == V::kText || from == V::kDate))
    return "convert it with DATETIMEVALUE(...)";
  if (to == V::kTime && (from == V::kText || from == V::kDateTime))
    return "convert it with TIMEVALUE(...)";
  if (to == V::kBoolean && from == V::kText) return "compare it: ... = \"true\"";
  if (to == V::kBoolean && from == V::kNumber) return "compare it: ... <> 0";
  return {};
}

// Enough for an author; finding the line of each costs a walk over the text.
constexpr std::size_t kMostIssues = 50;

class Checker {
 public:
  Checker(const Ast& ast, std::string_view text, const NameResolver& resolver,
          const CompileOptions& options, const FunctionRegistry& registry,
          const std::map<std::string, ValueType>& undeclared)
      : ast_(ast),
        text_(text),
        resolver_(resolver),
        options_(options),
        registry_(registry),
        undeclared_(undeclared) {}

  CheckedFormula Run() {
    typed_.resize(ast_.nodes.size());
    failed_.resize(ast_.nodes.size());
    for (std::uint32_t i = 0; i < ast_.nodes.size(); ++i) {
      current_ = i;
      const auto children = ast_.ChildrenOf(ast_.nodes[i]);
      const bool silenced = std::any_of(children.begin(), children.end(),
                                        [this](std::uint32_t c) { return failed_[c]; });
      failed_[i] = silenced || !CheckNode(ast_.nodes[i]);
    }
    CheckedFormula out;
    if (!failed_.back()) CheckResult();
    out.issues = std::move(issues_);
    if (!HasErrors(out.issues)) {
      tree_.root = typed_.back();
      out.tree = std::move(tree_);
    }
    return out;
  }

  const std::vector<std::string>& undeclared_seen() const { return undeclared_seen_; }

 private:
  // ---- issues ----

  bool Fail(const AstNode& node, std::string code, std::string message, std::string remedy = {}) {
    if (issues_.size() >= kMostIssues) return false;
    Issue issue;
    issue.code = std::move(code);
    issue.message = std::move(message);
    issue.remedy = std::move(remedy);
    issue.span = SpanOf(text_, node.begin, node.end);
    issues_.push_back(std::move(issue));
    return false;
  }
  // Points at the function's name rather than at the whole call.
  bool FailName(const AstNode& node, std::string code, std::string message,
                std::string remedy = {}) {
    AstNode name;
    name.begin = node.begin;
    name.end = node.begin + static_cast<std::uint32_t>(node.text.size());
    return Fail(name, std::move(code), std::move(message), std::move(remedy));
  }
  bool FailType(std::uint32_t ast_id, const std::string& what, ValueType expected) {
    const ValueType found = TypeAt(ast_id);
    return Fail(ast_.nodes[ast_id], "formula-argument-type",
                what + " must be " + std::string(ValueTypeName(expected)) + ", found " +
                    std::string(ValueTypeName(found)),
                Conversion(found, expected));
  }

  // ---- nodes ----

  std::span<const std::uint32_t> Kids() const { return ast_.ChildrenOf(ast_.nodes[current_]); }
  ValueType TypeAt(std::uint32_t ast_id) const { return tree_.nodes[typed_[ast_id]].type; }
  ValueType KidType(std::size_t i) const { return TypeAt(Kids()[i]); }

  TypedNode NewNode(NodeOp op, ValueType type) const {
    TypedNode node;
    node.op = op;
    node.type = type;
    node.begin = ast_.nodes[current_].begin;
    node.end = ast_.nodes[current_].end;
    return node;
  }

  bool Add(TypedNode node) {
    node.first_argument = static_cast<std::uint32_t>(tree_.arguments.size());
    node.argument_count = static_cast<std::uint32_t>(Kids().size());
    for (const std::uint32_t kid : Kids()) tree_.arguments.push_back(typed_[kid]);
    typed_[current_] = static_cast<NodeId>(tree_.nodes.size());
    tree_.nodes.push_back(std::move(node));
    return true;
  }
  // The call is its first argument.
  bool AddIdentity() {
    typed_[current_] = typed_[Kids()[0]];
    return true;
  }
  bool AddConstant(Value value, ValueType type) {
    TypedNode node = NewNode(NodeOp::kConstant, type);
    node.payload = static_cast<std::uint32_t>(tree_.constants.size());
    tree_.constants.push_back(std::move(value));
    return Add(std::move(node));
  }
  bool AddStrict(std::string_view name, Kernel kernel, NullRule rule, ValueType type,
                 Purity purity = Purity::kPure) {
    TypedNode node = NewNode(NodeOp::kStrict, type);
    node.name = name;
    node.kernel = kernel;
    node.null_rule = rule;
    node.purity = purity;
    return Add(std::move(node));
  }
  bool AddForm(NodeOp op, std::string_view name, ValueType type) {
    TypedNode node = NewNode(op, type);
    node.name = name;
    return Add(std::move(node));
  }

  bool CheckNode(const AstNode& node) {
    switch (node.kind) {
      case AstKind::kNumber: {
        const std::optional<Decimal> number = ParseNumberText(node.text);
        if (!number) return Fail(node, "formula-limit", "number is beyond 10^1000");
        return AddConstant(Value::Number(*number), ValueType::kNumber);
      }
      case AstKind::kText: return AddConstant(Value::Text(node.text), ValueType::kText);
      case AstKind::kTrue: return AddConstant(Value::Boolean(true), ValueType::kBoolean);
      case AstKind::kFalse: return AddConstant(Value::Boolean(false), ValueType::kBoolean);
      case AstKind::kNull: return AddConstant(Value(), ValueType::kNull);
      case AstKind::kName: return CheckField(node);
      case AstKind::kUnary: return CheckUnary(node);
      case AstKind::kBinary: return CheckBinary(node);
      case AstKind::kCall: return CheckCall(node);
    }
    return false;
  }

  // ---- names ----

  bool CheckField(const AstNode& node) {
    std::string name = node.text;
    std::optional<FieldBinding> binding = resolver_.Resolve(name);
    if (!binding && options_.fold_name_case) {
      if (const std::string* known = FoldedName(name)) {
        name = *known;
        binding = resolver_.Resolve(name);
      }
    }
    if (!binding) return FailUnknownField(node);
    ValueType type = binding->type;
    if (type == ValueType::kNull) {
      if (!field_index_.contains(name)) undeclared_seen_.push_back(name);
      const auto chosen = undeclared_.find(name);
      type = chosen == undeclared_.end() ? ValueType::kText : chosen->second;
    }
    const auto [use, is_new] =
        field_index_.try_emplace(name, static_cast<std::uint32_t>(tree_.fields.size()));
    if (is_new) tree_.fields.push_back({name, binding->slot, type});
    TypedNode field = NewNode(NodeOp::kField, type);
    field.payload = use->second;
    return Add(std::move(field));
  }

  // Every name, read once: a formula may mention thousands of fields of a row with thousands.
  const std::vector<std::string>& Names() {
    if (!names_) names_ = resolver_.Names();
    return *names_;
  }
  // The first name that differs from `name` in letter case only, or nullptr.
  const std::string* FoldedName(std::string_view name) {
    if (folded_names_.empty()) {
      const std::vector<std::string>& names = Names();
      for (std::size_t i = 0; i < names.size(); ++i)
        folded_names_.try_emplace(UpperCased(names[i]), i);
    }
    const auto found = folded_names_.find(UpperCased(name));
    return found == folded_names_.end() ? nullptr : &Names()[found->second];
  }
  static std::string UpperCased(std::string_view name) {
    std::string upper(name);
    for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    return upper;
  }

  bool FailUnknownField(const AstNode& node) {
    if (issues_.size() >= kMostIssues) return false;  // a suggestion costs a walk over all names
    std::string remedy;
    if (const auto nearest = NearestName(node.text, Names())) {
      remedy = "did you mean " + *nearest + "?";
    } else if (registry_.Find(node.text) != nullptr) {
      remedy = "a function needs parentheses: " + node.text + "(...)";
    }
    return Fail(node, "formula-unknown-field", "unknown field " + node.text, std::move(remedy));
  }

  // ---- operators ----

  bool CheckUnary(const AstNode& node) {
    const std::optional<OperatorMeaning> meaning = UnaryMeaning(node.text, KidType(0));
    if (!meaning) {
      return FailType(Kids()[0], "operand of " + node.text,
                      node.text == "!" ? ValueType::kBoolean : ValueType::kNumber);
    }
    return AddStrict(OperatorName(node.text), meaning->kernel, meaning->null_rule, meaning->result);
  }

  // The tree keeps names as views of constant text.
  static std::string_view OperatorName(std::string_view op) {
    static constexpr std::string_view kNames[] = {
        "||", "&&", "=", "<>", "<", "<=", ">", ">=", "+", "-", "&", "^", "*", "/", "!"};
    return *std::find(std::begin(kNames), std::end(kNames), op);
  }

  bool CheckBinary(const AstNode& node) {
    const std::optional<OperatorMeaning> meaning = BinaryMeaning(node.text, KidType(0), KidType(1));
    if (!meaning) return FailOperands(node);
    if (node.text == "&&") return AddForm(NodeOp::kAnd, "AND", ValueType::kBoolean);
    if (node.text == "||") return AddForm(NodeOp::kOr, "OR", ValueType::kBoolean);
    const std::string_view name = meaning->kernel == ConcatKernel ? "&" : OperatorName(node.text);
    return AddStrict(name, meaning->kernel, meaning->null_rule, meaning->result);
  }

  bool FailOperands(const AstNode& node) {
    const ValueType left = KidType(0);
    const ValueType right = KidType(1);
    std::string remedy;
    if (left == ValueType::kText || right == ValueType::kText) {
      const ValueType other = left == ValueType::kText ? right : left;
      remedy = "an operator takes two operands of one type; " + Conversion(other, ValueType::kText);
      if (node.text == "-" || node.text == "*" || node.text == "/" || node.text == "^") {
        remedy = "VALUE(...) converts a text to a number";
      }
    } else if (left != right) {
      remedy = Conversion(right, left);
      if (remedy.empty()) remedy = Conversion(left, right);
    }
    return Fail(node, "formula-argument-type",
                "operator " + node.text + " does not take " + std::string(ValueTypeName(left)) +
                    " and " + std::string(ValueTypeName(right)),
                std::move(remedy));
  }

  // ---- calls ----

  bool CheckCall(const AstNode& node) {
    const FunctionEntry* entry = registry_.Find(node.text);
    if (entry == nullptr) return FailUnknownFunction(node);
    if (!entry->refused.empty()) {
      return FailName(node, "formula-unsupported",
                      "function " + std::string(entry->name) +
                          " is not offered: " + std::string(entry->refused));
    }
    if (entry->special != SpecialForm::kNone) return CheckForm(node, *entry);
    return CheckOverloads(node, *entry);
  }

  bool FailUnknownFunction(const AstNode& node) {
    if (issues_.size() >= kMostIssues) return false;
    std::vector<std::string> names;
    for (const auto family : registry_.families()) {
      for (const FunctionEntry& entry : family) {
        if (entry.refused.empty()) names.emplace_back(entry.name);
      }
    }
    const auto nearest = NearestName(UpperCased(node.text), names);
    return FailName(node, "formula-unknown-function", "unknown function " + node.text,
                    nearest ? "did you mean " + *nearest + "?" : "");
  }

  bool FailCount(const AstNode& node, const FunctionEntry& entry, const std::string& expected) {
    return FailName(
        node, "formula-argument-count",
        std::string(entry.name) + " takes " + expected + ", found " + std::to_string(Kids().size()),
        std::string(entry.name) + "(" + std::string(entry.parameters) + ")");
  }

  bool CheckOverloads(const AstNode& node, const FunctionEntry& entry) {
    const std::size_t count = Kids().size();
    const Overload* counted = nullptr;  // for the message: the first overload with this count
    std::size_t candidates = 0;
    for (const Overload& overload : entry.overloads) {
      if (overload.qualifier_only && !options_.qualifier_mode) continue;
      if (overload.variadic ? count < overload.count : count != overload.count) continue;
      if (counted == nullptr) counted = &overload;
      ++candidates;
      bool fits = true;
      for (std::size_t i = 0; i < count && fits; ++i) fits = Accepts(overload, i, KidType(i));
      if (!fits) continue;
      if (overload.identity) return AddIdentity();
      if (!AddStrict(entry.name, entry.kernel, entry.null_rule, overload.result, entry.purity))
        return false;
      return entry.name != "REGEX" || PrepareRegex(node);
    }
    if (counted == nullptr) return FailCount(node, entry, ExpectedCounts(entry));
    for (std::size_t i = 0; i < count; ++i) {
      if (candidates == 1 && !Accepts(*counted, i, KidType(i))) {
        return FailType(Kids()[i],
                        "argument " + std::to_string(i + 1) + " of " + std::string(entry.name),
                        TypeOf(Parameter(*counted, i)));
      }
    }
    return FailChoices(node, entry);
  }

  static ParameterType Parameter(const Overload& overload, std::size_t i) {
    return overload.parameters[std::min<std::size_t>(i, overload.count - 1U)];
  }
  static bool Accepts(const Overload& overload, std::size_t i, ValueType type) {
    return type == TypeOf(Parameter(overload, i)) ||
           (type == ValueType::kNull && overload.null_literal);
  }

  bool FailChoices(const AstNode& node, const FunctionEntry& entry) {
    std::string found;
    for (std::size_t i = 0; i < Kids().size(); ++i) {
      found += (i == 0 ? "" : ", ") + std::string(ValueTypeName(KidType(i)));
    }
    std::string choices;
    for (const Overload& overload : entry.overloads) {
      if (overload.count != Kids().size() || (overload.qualifier_only && !options_.qualifier_mode))
        continue;
      if (!choices.empty()) choices += " or ";
      choices += "(";
      for (std::size_t i = 0; i < overload.count; ++i) {
        choices +=
            (i == 0 ? "" : ", ") + std::string(ValueTypeName(TypeOf(overload.parameters[i])));
      }
      choices += ")";
    }
    const std::uint32_t at = Kids()[0];
    std::string remedy;
    if (entry.overloads.size() > 1 && KidType(0) == ValueType::kBoolean)
      remedy = Conversion(ValueType::kBoolean, ValueType::kText);
    return Fail(ast_.nodes[at].end > 0 ? ast_.nodes[at] : node, "formula-argument-type",
                std::string(entry.name) + " takes " + choices + ", found (" + found + ")",
                std::move(remedy));
  }

  std::string ExpectedCounts(const FunctionEntry& entry) const {
    std::string text;
    std::vector<int> counts;
    for (const Overload& overload : entry.overloads) {
      if (overload.variadic) return "at least " + std::to_string(overload.count) + " arguments";
      if (std::find(counts.begin(), counts.end(), overload.count) == counts.end())
        counts.push_back(overload.count);
    }
    for (std::size_t i = 0; i < counts.size(); ++i)
      text += (i == 0 ? "" : " or ") + std::to_string(counts[i]);
    return text + (text == "1" ? " argument" : " arguments");
  }

  // A constant pattern is translated and compiled now, and its faults are located here.
  bool PrepareRegex(const AstNode& node) {
    TypedNode& call = tree_.nodes.back();
    const TypedNode& pattern = tree_.nodes[tree_.ArgumentsOf(call)[1]];
    if (pattern.op != NodeOp::kConstant) return true;
    Result<std::shared_ptr<const PreparedPattern>> prepared =
        PreparePattern(tree_.constants[pattern.payload].text());
    if (!prepared.ok()) {
      return Fail(ast_.nodes[ast_.ChildrenOf(node)[1]], "formula-regex", prepared.error().message,
                  prepared.error().remedy);
    }
    call.pattern = *std::move(prepared);
    return true;
  }

  // ---- special forms ----

  bool CheckForm(const AstNode& node, const FunctionEntry& entry) {
    const std::size_t count = Kids().size();
    switch (entry.special) {
      case SpecialForm::kAnd:
      case SpecialForm::kOr: {
        if (count == 0) return FailCount(node, entry, "at least 1 argument");
        for (std::size_t i = 0; i < count; ++i) {
          if (!Wants(i, ValueType::kBoolean, entry, true)) return false;
        }
        return AddForm(entry.special == SpecialForm::kAnd ? NodeOp::kAnd : NodeOp::kOr, entry.name,
                       ValueType::kBoolean);
      }
      case SpecialForm::kNot:  // the parser makes NOT( a unary operator; kept for completeness
        if (count != 1) return FailCount(node, entry, "1 argument");
        if (!Wants(0, ValueType::kBoolean, entry, true)) return false;
        return AddStrict(entry.name, NotKernel, NullRule::kBlankInBlankOut, ValueType::kBoolean);
      case SpecialForm::kIf: {
        if (count != 3) return FailCount(node, entry, "3 arguments");
        if (!Wants(0, ValueType::kBoolean, entry, false)) return false;
        const std::size_t results[] = {1, 2};
        return AddJoined(NodeOp::kIf, entry, results, true);
      }
      case SpecialForm::kIfs: {
        if (count < 3 || count % 2 == 0)
          return FailCount(node, entry, "pairs of condition and value, and an else value");
        std::vector<std::size_t> results;
        for (std::size_t i = 0; i + 1 < count; i += 2) {
          if (!Wants(i, ValueType::kBoolean, entry, false)) return false;
          results.push_back(i + 1);
        }
        results.push_back(count - 1);
        return AddJoined(NodeOp::kIfs, entry, results, true);
      }
      case SpecialForm::kCase: return CheckCase(node, entry);
      case SpecialForm::kIfError: {
        if (count != 2) return FailCount(node, entry, "2 arguments");
        const std::size_t results[] = {0, 1};
        return AddJoined(NodeOp::kIfError, entry, results, true);
      }
      case SpecialForm::kIn: {
        if (count < 2) return FailCount(node, entry, "at least 2 arguments");
        std::vector<std::size_t> all(count);
        for (std::size_t i = 0; i < count; ++i) all[i] = i;
        if (!Join(entry, all, false)) return false;
        return AddStrict(entry.name, InKernel, NullRule::kKernelDecides, ValueType::kBoolean);
      }
      case SpecialForm::kIsBlank:
      case SpecialForm::kIsNull: {
        if (count != 1) return FailCount(node, entry, "1 argument");
        const std::size_t all[] = {0};
        if (!Join(entry, all, false)) return false;
        const bool text_null =
            entry.special == SpecialForm::kIsNull && KidType(0) == ValueType::kText;
        return AddStrict(entry.name, text_null ? AlwaysFalseKernel : IsBlankKernel,
                         NullRule::kKernelDecides, ValueType::kBoolean);
      }
      case SpecialForm::kBlankValue:
      case SpecialForm::kNullValue: {
        if (count != 2) return FailCount(node, entry, "2 arguments");
        // A Boolean may only replace the literal NULL.
        const std::size_t results[] = {0, 1};
        if (!Join(entry, results, KidType(0) == ValueType::kNull)) return false;
        if (entry.special == SpecialForm::kNullValue && KidType(0) == ValueType::kText)
          return AddIdentity();
        return AddForm(NodeOp::kCoalesce, entry.name,
                       KidType(0) == ValueType::kNull ? KidType(1) : KidType(0));
      }
      case SpecialForm::kNone: break;
    }
    return false;
  }

  bool CheckCase(const AstNode& node, const FunctionEntry& entry) {
    const std::size_t count = Kids().size();
    if (count < 4 || count % 2 != 0) {
      return FailCount(node, entry, "a subject, pairs of key and value, and an else value");
    }
    std::vector<std::size_t> keys = {0};
    std::vector<std::size_t> results;
    for (std::size_t i = 1; i + 1 < count; i += 2) {
      keys.push_back(i);
      results.push_back(i + 1);
    }
    results.push_back(count - 1);
    const std::optional<ValueType> key_type = Join(entry, keys, false);
    if (!key_type) return false;
    if (!AddJoined(NodeOp::kCase, entry, results, false)) return false;
    tree_.nodes.back().text_keys = *key_type == ValueType::kText;
    return true;
  }

  bool Wants(std::size_t i, ValueType type, const FunctionEntry& entry, bool null_literal) {
    if (KidType(i) == type || (null_literal && KidType(i) == ValueType::kNull)) return true;
    return FailType(Kids()[i],
                    "argument " + std::to_string(i + 1) + " of " + std::string(entry.name), type);
  }

  // The one type that these arguments share; NULL joins with anything.
  std::optional<ValueType> Join(const FunctionEntry& entry, std::span<const std::size_t> which,
                                bool booleans) {
    ValueType joined = ValueType::kNull;
    for (const std::size_t i : which) {
      const ValueType type = KidType(i);
      if (type == ValueType::kBoolean && !booleans) {
        Fail(ast_.nodes[Kids()[i]], "formula-argument-type",
             "argument " + std::to_string(i + 1) + " of " + std::string(entry.name) +
                 " cannot be Boolean",
             "use IF for conditions");
        return std::nullopt;
      }
      if (type == ValueType::kNull || type == joined) continue;
      if (joined != ValueType::kNull) {
        FailType(Kids()[i], "argument " + std::to_string(i + 1) + " of " + std::string(entry.name),
                 joined);
        return std::nullopt;
      }
      joined = type;
    }
    return joined;
  }

  bool AddJoined(NodeOp op, const FunctionEntry& entry, std::span<const std::size_t> results,
                 bool booleans) {
    const std::optional<ValueType> type = Join(entry, results, booleans);
    return type && AddForm(op, entry.name, *type);
  }

  // ---- the declared result ----

  void CheckResult() {
    if (!options_.result || *options_.result == ValueType::kNull) return;
    const ValueType found = tree_.nodes[typed_.back()].type;
    const ValueType wanted = *options_.result;
    if (found == wanted || found == ValueType::kNull) return;
    if (wanted == ValueType::kDate && found == ValueType::kDateTime) return;
    Fail(ast_.nodes.back(), "formula-result-type",
         "formula yields " + std::string(ValueTypeName(found)) + ", but " +
             std::string(ValueTypeName(wanted)) + " is declared",
         Conversion(found, wanted));
  }

  const Ast& ast_;
  std::string_view text_;
  const NameResolver& resolver_;
  const CompileOptions& options_;
  const FunctionRegistry& registry_;
  const std::map<std::string, ValueType>& undeclared_;
  std::uint32_t current_ = 0;
  std::vector<NodeId> typed_;  // by Ast node
  std::vector<bool> failed_;
  TypedTree tree_;
  std::map<std::string, std::uint32_t> field_index_;
  std::vector<Issue> issues_;
  std::vector<std::string> undeclared_seen_;
  std::optional<std::vector<std::string>> names_;
  std::map<std::string, std::size_t> folded_names_;  // upper case -> index into Names()
};

}  // namespace

CheckedFormula Check(const Ast& ast, std::string_view text, const NameResolver& resolver,
                     const CompileOptions& options, const FunctionRegistry& registry) {
  std::map<std::string, ValueType> choice;
  Checker first(ast, text, resolver, options, registry, choice);
  CheckedFormula as_text = first.Run();
  const std::vector<std::string> undeclared = first.undeclared_seen();
  if (as_text.tree || undeclared.empty()) return as_text;
  // Undeclared fields and Text does not check: try Number for ever more of them, in order of
  // mention.
  constexpr std::size_t kMostTried = 6;
  const std::size_t tried = std::min(undeclared.size(), kMostTried);
  for (std::uint32_t numbers = 1; numbers < (1U << tried); ++numbers) {
    choice.clear();
    for (std::size_t i = 0; i < tried; ++i) {
      if ((numbers >> i & 1U) != 0) choice[undeclared[i]] = ValueType::kNumber;
    }
    CheckedFormula checked = Checker(ast, text, resolver, options, registry, choice).Run();
    if (checked.tree) return checked;
  }
  return as_text;
}

}  // namespace tablecast::formula::internal
