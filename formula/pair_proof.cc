// Written inverses: proving that g undoes the read definitions, using joined ones, deriving simple
// ones. SOURCE: spec formula.md sections 12.0, 12.2 (P1..P6) and 12.5 rule 7. Tested by
// tests/formula/inverse_test.cc.

#include <algorithm>

#include "formula/ast.h"
#include "formula/inverse.h"
#include "formula/lexer.h"
#include "formula/shapes.h"
#include "formula/text_units.h"
#include "formula/value_set.h"

namespace tablecast::formula {
namespace {

using internal::Cut;
using internal::CutKind;
using internal::NodeId;
using internal::NodeOp;
using internal::TypedTree;

const ForwardDefinition* FindForward(const std::vector<ForwardDefinition>& forwards,
                                     std::string_view name) {
  for (const ForwardDefinition& forward : forwards) {
    if (forward.name == name && forward.definition != nullptr) return &forward;
  }
  return nullptr;
}

bool IsAliasOf(const Program& program, std::string_view column) {
  const TypedTree& tree = program.tree();
  return tree[tree.root].op == NodeOp::kField &&
         tree.fields[tree[tree.root].payload].name == column;
}

std::optional<Cut> RootCut(const Program& program) {
  return internal::RecogniseCut(program.tree(), program.tree().root);
}

std::string CutField(const Program& program, const Cut& cut) {
  return program.tree().fields[cut.field].name;
}

std::size_t CountOf(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size()))
    ++count;
  return count;
}

// A concatenation taken apart: texts around fields; texts.size() == fields.size() + 1.
struct Template {
  std::vector<std::string> texts = {""};
  std::vector<std::string> fields;
};

std::optional<Template> TemplateOf(const Program& program) {
  const TypedTree& tree = program.tree();
  const internal::TypedNode& root = tree[tree.root];
  Template out;
  const auto add = [&](NodeId id) {
    if (const Value* text = internal::ConstantOf(tree, id);
        text != nullptr && (text->Is(ValueType::kText) || text->IsBlank())) {
      out.texts.back() += text->text();
      return true;
    }
    if (tree[id].op != NodeOp::kField || tree[id].type != ValueType::kText) return false;
    out.fields.push_back(tree.fields[tree[id].payload].name);
    out.texts.emplace_back();
    return true;
  };
  if (root.op == NodeOp::kStrict && root.name == "&") {
    for (const NodeId part : tree.ArgumentsOf(root)) {
      if (!add(part)) return std::nullopt;
    }
    return out;
  }
  if (!add(tree.root)) return std::nullopt;
  return out;
}

PairVerdict Proved(std::string why) { return {true, std::move(why)}; }
PairVerdict Unproved(std::string why) { return {false, std::move(why)}; }

// g = "A" & v against h = column without a fixed front of its own.
PairVerdict ProveStripped(const Template& join, const Program& h, const Cut& cut,
                          const ColumnFacts& column) {
  const std::string& front = join.texts[0];
  if (!join.texts[1].empty())
    return Unproved("the inverse appends a text that the definition does not remove");
  if (!column.literal_prefix.starts_with(front)) {
    return Unproved("no filter says that every value of " + column.name + " begins with \"" +
                    front + "\"");
  }
  if (cut.kind == CutKind::kDrop && UnitCount(front, true) == cut.offset) {
    return Proved("T1: the definition drops the " + std::to_string(cut.offset) +
                  " characters that the inverse puts in front");
  }
  if (cut.kind == CutKind::kTail && front.ends_with(cut.delimiter) &&
      CountOf(front, cut.delimiter) == cut.part) {
    return Proved("T1: " + h.ToString() + " removes exactly \"" + front + "\" from every row");
  }
  return Unproved("the definition does not remove exactly the front that the inverse adds");
}

// g = front & v1 & d & v2 & d ... vn against the parts of one column.
PairVerdict ProveJoined(const Template& join, const std::vector<ForwardDefinition>& forwards,
                        const ColumnFacts& column) {
  const std::size_t n = join.fields.size();
  std::string delimiter;
  const std::string& front = join.texts[0];
  if (!join.texts[n].empty()) return Unproved("the inverse appends a text behind the last part");
  for (std::size_t i = 0; i < n; ++i) {
    const ForwardDefinition* forward = FindForward(forwards, join.fields[i]);
    if (forward == nullptr) return Unproved(join.fields[i] + " has no read definition");
    const std::optional<Cut> cut = RootCut(*forward->definition);
    if (!cut || CutField(*forward->definition, *cut) != column.name) {
      return Unproved(join.fields[i] + " is no part of " + column.name);
    }
    if (delimiter.empty()) delimiter = cut->delimiter;
    if (cut->delimiter != delimiter || delimiter.empty())
      return Unproved("the parts are cut at different delimiters");
    const std::size_t skipped = CountOf(front, delimiter);
    if (i == 0 && !front.empty() &&
        (!front.ends_with(delimiter) || !column.literal_prefix.starts_with(front))) {
      return Unproved(
          "the text in front of the first part is not fixed by a filter, or does not end in the "
          "delimiter");
    }
    const auto part = static_cast<std::uint32_t>(skipped + i + 1);
    const bool last = i + 1 == n;
    const bool right = last ? cut->kind == CutKind::kTail && cut->part == part - 1
                            : (part == 1 ? cut->kind == CutKind::kHead
                                         : cut->kind == CutKind::kPart && cut->part == part);
    if (!right)
      return Unproved(join.fields[i] + " is not part " + std::to_string(part) + " of " +
                      column.name);
    if (!last && join.texts[i + 1] != delimiter)
      return Unproved("the inverse joins with another text than the delimiter");
  }
  return Proved("P6: the definitions split " + column.name + " at \"" + delimiter +
                "\" and the inverse joins it again");
}

// g = a cut of v against h = "A" & column.
PairVerdict ProveAffixed(const Program& inverse, const Cut& cut,
                         const std::vector<ForwardDefinition>& forwards,
                         const ColumnFacts& column) {
  const ForwardDefinition* forward = FindForward(forwards, CutField(inverse, cut));
  if (forward == nullptr) return Unproved("the inverse reads a column without a read definition");
  const std::optional<Template> affix = TemplateOf(*forward->definition);
  if (!affix || affix->fields.size() != 1 || affix->fields[0] != column.name ||
      !affix->texts[1].empty()) {
    return Unproved("the definition is not a fixed text in front of " + column.name);
  }
  const std::string& front = affix->texts[0];
  const bool drops = cut.kind == CutKind::kDrop && cut.offset == UnitCount(front, true);
  const bool cuts = cut.kind == CutKind::kTail && front.ends_with(cut.delimiter) &&
                    CountOf(front, cut.delimiter) == cut.part;
  if (!drops && !cuts) return Unproved("the inverse does not remove exactly \"" + front + "\"");
  return Proved("K1: the inverse removes the front that the definition adds");
}

// TEXT against VALUE.
PairVerdict ProveNumberText(const Program& inverse, const std::vector<ForwardDefinition>& forwards,
                            const ColumnFacts& column) {
  const TypedTree& g = inverse.tree();
  const internal::TypedNode& root = g[g.root];
  const NodeId argument = g.ArgumentsOf(root)[0];
  if (g[argument].op != NodeOp::kField) return Unproved("matches no template");
  const ForwardDefinition* forward = FindForward(forwards, g.fields[g[argument].payload].name);
  if (forward == nullptr) return Unproved("the inverse reads a column without a read definition");
  const TypedTree& h = forward->definition->tree();
  const internal::TypedNode& read = h[h.root];
  const bool over_column = read.op == NodeOp::kStrict && read.argument_count == 1 &&
                           h[h.ArgumentsOf(read)[0]].op == NodeOp::kField &&
                           h.fields[h[h.ArgumentsOf(read)[0]].payload].name == column.name;
  const bool numbers = g[argument].type == ValueType::kNumber;
  if (root.name == "TEXT" && over_column && read.name == "VALUE" && numbers) {
    if (column.promises_canonical_numbers)
      return Proved("N5: the stored texts are promised to be canonical");
    return Unproved(
        "TEXT(VALUE(c)) = c holds for canonical texts only (1.0 and 01 are read as 1); promise it, "
        "or reads scan");
  }
  if (root.name == "VALUE" && over_column && read.name == "TEXT" &&
      h[h.ArgumentsOf(read)[0]].type == ValueType::kNumber) {
    return Proved("N4: TEXT writes one text per number and VALUE reads it back");
  }
  return Unproved("matches no template");
}

class BoundReader final : public FieldReader {
 public:
  std::vector<Value> values;  // by slot position in Program::fields
  std::vector<Slot> slots;
  Value Read(Slot slot) const override {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i] == slot) return values[i];
    }
    return {};
  }
};

constexpr std::size_t kMostCombinations = 100;

const BoundInput* FindBound(const std::vector<BoundInput>& bound, std::string_view name) {
  for (const BoundInput& input : bound) {
    if (input.name == name) return &input;
  }
  return nullptr;
}

bool IsEquality(const VirtualCondition& condition) {
  return (condition.op == ConditionOp::kEq || condition.op == ConditionOp::kIn) &&
         !condition.literals.empty();
}

// All inputs are bound by equality: the values that g computes. False when g fails or is blank
// somewhere.
bool EvaluateAll(const Program& inverse, const std::vector<BoundInput>& bound,
                 std::vector<Value>& values) {
  std::vector<const std::vector<Value>*> choices;
  std::size_t combinations = 1;
  BoundReader reader;
  for (const FieldUse& field : inverse.fields()) {
    const BoundInput* input = FindBound(bound, field.name);
    if (input == nullptr || !IsEquality(input->condition)) return false;
    choices.push_back(&input->condition.literals);
    combinations *= input->condition.literals.size();
    if (combinations > kMostCombinations) return false;
    reader.slots.push_back(field.slot);
  }
  EvalContext context(Timestamp{});
  for (std::size_t combination = 0; combination < combinations; ++combination) {
    std::size_t rest = combination;
    reader.values.clear();
    for (const auto* choice : choices) {
      reader.values.push_back((*choice)[rest % choice->size()]);
      rest /= choice->size();
    }
    const EvalResult result = inverse.Evaluate(reader, context);
    if (!result.ok() || result.value().IsBlank()) return false;
    values.push_back(result.value().ToOwned());
    context.ResetRow();
  }
  return true;
}

Inversion Narrowed(const std::string& column, ColumnCondition condition, bool exact,
                   std::string why) {
  Inversion out;
  out.exact = exact;
  out.why = std::move(why);
  out.conditions.push_back({column, std::move(condition), exact});
  return out;
}

Inversion Refused(std::string why) {
  Inversion out;
  out.why = std::move(why);
  return out;
}

}  // namespace

PairVerdict ProvePair(const Program& inverse, const std::vector<ForwardDefinition>& forwards,
                      const ColumnFacts& column) {
  const TypedTree& tree = inverse.tree();
  const internal::TypedNode& root = tree[tree.root];
  if (root.op == NodeOp::kStrict && (root.name == "TEXT" || root.name == "VALUE")) {
    return ProveNumberText(inverse, forwards, column);
  }
  if (root.op == NodeOp::kField) {
    const ForwardDefinition* forward = FindForward(forwards, tree.fields[root.payload].name);
    if (forward != nullptr && IsAliasOf(*forward->definition, column.name)) return Proved("alias");
    if (forward == nullptr) return Unproved("the inverse reads a column without a read definition");
  }
  if (const std::optional<Cut> cut = RootCut(inverse))
    return ProveAffixed(inverse, *cut, forwards, column);
  const std::optional<Template> join = TemplateOf(inverse);
  if (!join || join->fields.empty()) return Unproved("matches no template");
  if (join->fields.size() == 1) {
    const ForwardDefinition* forward = FindForward(forwards, join->fields[0]);
    if (forward == nullptr) return Unproved(join->fields[0] + " has no read definition");
    const std::optional<Cut> cut = RootCut(*forward->definition);
    if (!cut || CutField(*forward->definition, *cut) != column.name)
      return Unproved("matches no template");
    return ProveStripped(*join, *forward->definition, *cut, column);
  }
  return ProveJoined(*join, forwards, column);
}

Inversion InvertJoined(const Program& inverse, const std::string& column,
                       const std::vector<BoundInput>& bound) {
  const std::optional<Template> join = TemplateOf(inverse);
  const bool joined = join && join->fields.size() > 1;
  // Parts before the last: a blank could come from a row with too few delimiters (Pa), and no part
  // that was cut off at the delimiter holds it (Pb).
  const auto usable = [&](std::size_t i, const Value& literal) {
    if (i + 1 == join->fields.size()) return true;
    return !literal.IsBlank() && literal.text().find(join->texts[i + 1]) == std::string_view::npos;
  };
  bool all_usable = true;
  for (std::size_t i = 0; joined && i < join->fields.size(); ++i) {
    const BoundInput* input = FindBound(bound, join->fields[i]);
    if (input == nullptr) continue;
    for (const Value& literal : input->condition.literals)
      all_usable = all_usable && usable(i, literal);
  }
  std::vector<Value> values;
  if (all_usable && !inverse.fields().empty() && EvaluateAll(inverse, bound, values)) {
    ColumnCondition condition;
    for (const Value& value : values) {
      if (value.Is(ValueType::kText)) {
        condition.equals.push_back(AttributeValue::String(std::string(value.text())));
      } else if (value.Is(ValueType::kNumber)) {
        Result<AttributeValue> number = AttributeValue::Number(value.number());
        if (number.ok()) condition.equals.push_back(*std::move(number));
      } else {
        return Refused("the inverse yields no key type");
      }
    }
    std::sort(condition.equals.begin(), condition.equals.end(),
              [](const AttributeValue& a, const AttributeValue& b) {
                return a.Is(AttributeType::kS) ? a.text() < b.text()
                                               : a.number_code() < b.number_code();
              });
    condition.equals.erase(std::unique(condition.equals.begin(), condition.equals.end()),
                           condition.equals.end());
    condition.never = condition.equals.empty();
    return Narrowed(column, std::move(condition), true,
                    "P2: " + column + " = " + inverse.ToString());
  }
  if (!joined) return Refused("not every input of " + inverse.ToString() + " is bound");

  std::vector<std::string> prefixes = {join->texts[0]};
  std::size_t leading = 0;
  bool exact = true;
  for (; leading < join->fields.size(); ++leading) {
    const BoundInput* input = FindBound(bound, join->fields[leading]);
    if (input == nullptr) break;
    const bool starts = input->condition.op == ConditionOp::kStartsWith;
    if (!starts && !IsEquality(input->condition)) break;
    if (prefixes.size() * input->condition.literals.size() > kMostCombinations) break;
    std::vector<std::string> longer;
    bool ok = true;
    for (const std::string& prefix : prefixes) {
      for (const Value& literal : input->condition.literals) {
        ok = ok && (literal.Is(ValueType::kText) || literal.IsBlank()) && usable(leading, literal);
        longer.push_back(prefix + std::string(literal.text()) +
                         (starts ? "" : join->texts[leading + 1]));
      }
    }
    if (!ok) break;
    prefixes = std::move(longer);
    if (starts) {
      ++leading;
      exact = false;
      break;
    }
  }
  if (leading == 0)
    return Refused("the first part of " + inverse.ToString() + ", " + join->fields[0] +
                   ", is not bound");
  internal::ValueSet covered = internal::CoverPrefixes(std::move(prefixes));
  ColumnCondition condition;
  ScalarRange range;
  range.prefix = covered.prefix;
  const auto bound_of = [](const internal::ValueBound& value) {
    return ScalarRange::Bound{AttributeValue::String(std::string(value.value.text())),
                              value.inclusive};
  };
  if (covered.lower) range.lower = bound_of(*covered.lower);
  if (covered.upper) range.upper = bound_of(*covered.upper);
  condition.range = std::move(range);
  return Narrowed(column, std::move(condition), exact && covered.exact,
                  std::string(exact ? "P1" : "P3") + ": begins_with(" + column + ", the first " +
                      std::to_string(leading) + " parts of " + inverse.ToString() + ")");
}

std::optional<DerivedInverse> DeriveInverse(const Program& definition,
                                            const std::vector<ColumnFacts>& columns,
                                            std::string_view virtual_name) {
  if (virtual_name.empty() || !IsNameStart(virtual_name[0]) ||
      !std::all_of(virtual_name.begin(), virtual_name.end(), IsNamePart)) {
    return std::nullopt;  // no formula could mention it
  }
  const std::string v(virtual_name);
  const TypedTree& tree = definition.tree();
  const internal::TypedNode& root = tree[tree.root];
  if (definition.options().scale) return std::nullopt;
  if (root.op == NodeOp::kField) return DerivedInverse{tree.fields[root.payload].name, v};
  const auto facts = [&columns](const std::string& name) -> const ColumnFacts* {
    for (const ColumnFacts& one : columns) {
      if (one.name == name) return &one;
    }
    return nullptr;
  };
  if (const std::optional<Cut> cut = RootCut(definition)) {
    const std::string column = CutField(definition, *cut);
    const ColumnFacts* known = facts(column);
    if (known == nullptr) return std::nullopt;
    const std::string& prefix = known->literal_prefix;
    if (cut->kind == CutKind::kDrop) {
      const std::string_view front = UnitSlice(prefix, 0, cut->offset, true);
      if (UnitCount(front, true) != cut->offset) return std::nullopt;
      return DerivedInverse{column, QuoteText(front) + " & " + v};
    }
    if (cut->kind != CutKind::kTail) return std::nullopt;
    std::size_t end = 0;
    for (std::uint32_t i = 0; i < cut->part; ++i) {
      const std::size_t found = prefix.find(cut->delimiter, end);
      if (found == std::string::npos) return std::nullopt;
      end = found + cut->delimiter.size();
    }
    return DerivedInverse{column, QuoteText(prefix.substr(0, end)) + " & " + v};
  }
  const std::optional<Template> affix = TemplateOf(definition);
  if (!affix || affix->fields.size() != 1) return std::nullopt;
  const std::int64_t front = UnitCount(affix->texts[0], true);
  const std::int64_t back = UnitCount(affix->texts[1], true);
  return DerivedInverse{affix->fields[0], "MID(" + v + ", " + std::to_string(front + 1) + ", LEN(" +
                                              v + ") - " + std::to_string(front + back) + ")"};
}

}  // namespace tablecast::formula
