// IMPLEMENTATION: the allowed values of the root are carried down the normalised tree, one rule of
// spec formula.md section 12 per node, until a field is reached. Each step returns a set that holds
// every value that can lead to an allowed one (SUPERSET), and keeps `exact` only where the rule is
// an equivalence on the row filter. Written inverses are in pair_proof.cc. Tested by
// tests/formula/inverse_test.cc against brute force.

#include "formula/inverse.h"

#include <algorithm>

#include "formula/date_text.h"
#include "formula/kernel.h"
#include "formula/number_text.h"
#include "formula/operators.h"
#include "formula/shapes.h"
#include "formula/text_units.h"
#include "formula/value_set.h"

namespace tablecast::formula {
namespace {

using internal::BeforeDelimiter;
using internal::BehindBase;
using internal::Cut;
using internal::CutKind;
using internal::FirstUnits;
using internal::InsideAffix;
using internal::NodeId;
using internal::NodeOp;
using internal::TypedNode;
using internal::TypedTree;
using internal::ValueBound;
using internal::ValueSet;

class Inverter {
 public:
  Inverter(const Program& definition, const std::vector<ColumnFacts>& columns)
      : program_(definition), tree_(definition.tree()), columns_(columns) {}

  Inversion Run(const VirtualCondition& condition) {
    Inversion out;
    const TypedNode& root = tree_[tree_.root];
    ValueType type = definition_type();
    std::string why;
    std::optional<ValueSet> set = internal::SetOf(condition, type, why);
    if (!set) return Refuse(why);
    if (program_.options().scale && root.type == ValueType::kNumber)
      return Refuse("the result is rounded to a scale");
    if (type == ValueType::kDate && root.type == ValueType::kDateTime) DaysToInstants(*set);
    std::vector<ImpliedCondition> conditions;
    bool never = false;
    if (!Descend(tree_.root, *std::move(set), conditions, never)) return Refuse(why_);
    out.never = never;
    out.exact = std::all_of(conditions.begin(), conditions.end(),
                            [](const ImpliedCondition& c) { return c.exact; });
    for (const ImpliedCondition& one : conditions) out.never = out.never || one.condition.never;
    if (!out.never) out.conditions = std::move(conditions);
    out.why = rule_.empty() ? "no row can have this value" : rule_;
    return out;
  }

 private:
  ValueType definition_type() const { return program_.result_type(); }

  static Inversion Refuse(std::string why) {
    Inversion out;
    out.why = std::move(why);
    return out;
  }
  bool No(std::string why) {
    why_ = std::move(why);
    return false;
  }
  void Rule(std::string_view rule) {
    if (!rule_.empty()) rule_ += ", ";
    rule_ += rule;
  }
  const ColumnFacts& FactsOf(std::uint32_t field) const {
    static const ColumnFacts kNothingKnown;
    for (const ColumnFacts& facts : columns_) {
      if (facts.name == tree_.fields[field].name) return facts;
    }
    return kNothingKnown;
  }
  NodeId Arg(NodeId id, std::size_t i) const { return tree_.ArgumentsOf(id)[i]; }
  const Value* Constant(NodeId id) const { return internal::ConstantOf(tree_, id); }
  bool Calls(NodeId id, std::string_view name) const {
    return tree_[id].op == NodeOp::kStrict && tree_[id].name == name;
  }

  // The declared result is a day of the formula's instants: [d, d + 1).
  static void DaysToInstants(ValueSet& set) {
    const auto midnight = [](Date date) { return Value::DateTime(ToTimestamp(date, TimeOfDay{})); };
    const auto after = [&midnight](Date date) {
      return date == kMaxDate ? std::optional<Value>() : midnight(Date{date.days + 1});
    };
    ValueSet out;
    out.blank = set.blank;
    out.exact = set.exact && set.equals.size() <= 1;
    if (!set.equals.empty()) {
      const auto [low, high] =
          std::minmax_element(set.equals.begin(), set.equals.end(),
                              [](const Value& a, const Value& b) { return a.date() < b.date(); });
      out.lower = ValueBound{midnight(low->date()), true};
      if (const auto end = after(high->date())) out.upper = ValueBound{*end, false};
    }
    if (set.lower) {
      const auto start = set.lower->inclusive
                             ? std::optional<Value>(midnight(set.lower->value.date()))
                             : after(set.lower->value.date());
      if (start) out.lower = ValueBound{*start, true};
      if (!start) out.exact = false;
    }
    if (set.upper) {
      const auto end = set.upper->inclusive
                           ? after(set.upper->value.date())
                           : std::optional<Value>(midnight(set.upper->value.date()));
      if (end) out.upper = ValueBound{*end, false};
      if (!end && !out.lower) out.lower = ValueBound{midnight(kMinDate), true};
    }
    set = std::move(out);
  }

  // Carries the allowed values of node `id` to the columns. False: nothing is implied, why_ says
  // why.
  bool Descend(NodeId id, ValueSet set, std::vector<ImpliedCondition>& out, bool& never) {
    if (set.IsEmpty() && !set.blank) {
      never = true;
      return true;
    }
    const TypedNode& node = tree_[id];
    switch (node.op) {
      case NodeOp::kConstant:
        if (set.Contains(*Constant(id)))
          return No("the definition is a constant that satisfies the condition on every row");
        Rule("constant");
        never = true;
        return true;
      case NodeOp::kField: return AtField(node.payload, set, out, never);
      case NodeOp::kStrict: return AtCall(id, std::move(set), out, never);
      case NodeOp::kCase: return AtCase(id, set, out, never);
      case NodeOp::kIf: return AtIf(id, set, out, never);
      case NodeOp::kCoalesce: {  // K6
        const Value* substitute = Constant(Arg(id, 1));
        if (substitute == nullptr)
          return No("BLANKVALUE with a computed substitute is not invertible");
        Rule("K6");
        set.blank = set.Contains(*substitute);
        return Descend(Arg(id, 0), std::move(set), out, never);
      }
      case NodeOp::kIfError: {
        const Value* substitute = Constant(Arg(id, 1));
        if (substitute == nullptr)
          return No("IFERROR with a computed substitute is not invertible");
        if (set.Contains(*substitute))
          return No("the substitute of IFERROR satisfies the condition: any bad value may match");
        return Descend(Arg(id, 0), std::move(set), out, never);
      }
      case NodeOp::kAnd: return AtAnd(id, set, out, never);
      case NodeOp::kOr:
      case NodeOp::kIfs: break;
    }
    return No(std::string(node.name) + " is not invertible");
  }

  // ---- the end: a column ----

  bool AtField(std::uint32_t field, const ValueSet& set, std::vector<ImpliedCondition>& out,
               bool& never) {
    const FieldUse& use = tree_.fields[field];
    const ColumnFacts& facts = FactsOf(field);
    if (use.type != ValueType::kText && use.type != ValueType::kNumber) {
      return No("column " + use.name + " is " + std::string(ValueTypeName(use.type)) +
                ", which no key orders by");
    }
    // A row without the attribute reads as blank (or, in zero mode, as 0).
    const bool zero_mode = use.type == ValueType::kNumber && program_.options().blank_as_zero;
    const bool wants_blank = zero_mode ? set.Contains(Value::Integer(0)) : set.blank;
    if (wants_blank && !facts.is_key) {
      return No("rows without attribute " + use.name + " satisfy the condition as well");
    }
    ImpliedCondition implied;
    implied.column = use.name;
    implied.exact = set.exact;
    if (!ToColumn(set, implied.condition)) return No("no bound on " + use.name + " follows");
    if (implied.condition.never) never = true;
    if (rule_.empty()) Rule("alias");
    rule_ += ": column " + use.name;
    out.push_back(std::move(implied));
    return true;
  }

  // A literal that the store cannot hold is never equal to a stored value.
  static std::optional<AttributeValue> Stored(const Value& value) {
    if (value.Is(ValueType::kText)) return AttributeValue::String(std::string(value.text()));
    if (!value.Is(ValueType::kNumber)) return std::nullopt;
    Result<AttributeValue> number = AttributeValue::Number(value.number());
    if (!number.ok()) return std::nullopt;
    return *std::move(number);
  }

  // Rounds a bound outward to what the store can hold; nullopt when the bound is beyond all
  // numbers.
  static std::optional<ScalarRange::Bound> StoredBound(const ValueBound& bound, Rounding outward) {
    if (const auto exact = Stored(bound.value)) return ScalarRange::Bound{*exact, bound.inclusive};
    if (!bound.value.Is(ValueType::kNumber)) return std::nullopt;
    const auto rounded = Stored(Value::Number(bound.value.number().RoundToDigits({38, outward})));
    if (!rounded) return std::nullopt;
    return ScalarRange::Bound{*rounded, true};
  }

  static bool ToColumn(const ValueSet& set, ColumnCondition& condition) {
    if (set.IsEmpty()) {  // only the blank, which a key never is
      condition.never = true;
      return true;
    }
    if (!set.equals.empty()) {
      for (const Value& value : set.equals) {
        if (auto stored = Stored(value)) condition.equals.push_back(*std::move(stored));
      }
      condition.never = condition.equals.empty();
      std::sort(condition.equals.begin(), condition.equals.end(),
                [](const AttributeValue& a, const AttributeValue& b) {
                  return a.Is(AttributeType::kS) ? a.text() < b.text()
                                                 : a.number_code() < b.number_code();
                });
      return true;
    }
    ScalarRange range;
    if (set.prefix) {
      if (set.prefix->empty()) return false;
      range.prefix = set.prefix;
    } else {
      if (set.lower) range.lower = StoredBound(*set.lower, Rounding::kFloor);
      if (set.upper) range.upper = StoredBound(*set.upper, Rounding::kCeiling);
      if (!range.lower && !range.upper) return false;
    }
    condition.range = std::move(range);
    return true;
  }

  // ---- calls ----

  bool AtCall(NodeId id, ValueSet set, std::vector<ImpliedCondition>& out, bool& never) {
    const std::string_view name = tree_[id].name;
    if (const std::optional<Cut> cut = internal::RecogniseCut(tree_, id))
      return AtCut(*cut, set, out, never);
    if (name == "&") return AtConcat(id, set, out, never);
    if (name == "TEXT") return AtText(id, set, out, never);
    if (name == "VALUE") return AtValue(id, set, out, never);
    if (name == "DATEVALUE" || name == "DATETIMEVALUE") return AtDateText(id, set, out, never);
    if (name == "+" || name == "-" || name == "*" || name == "/")
      return AtArithmetic(id, set, out, never);
    if (name == "ROUND") return AtRound(id, set, out, never);
    if (name == "MFLOOR") return AtFloor(id, set, out, never);
    if (name == "REVERSE") return AtReverse(id, set, out, never);
    if (tree_[id].type == ValueType::kBoolean) return AtPredicate(id, set, out, never);
    return No(std::string(name) + " is not invertible");
  }

  // The known literal front of the column up to the k-th delimiter (k >= 1) or of n units, and the
  // rest of the known prefix behind it.
  struct Base {
    std::string base, rest;
  };
  static std::optional<Base> BaseWithDelimiters(const std::string& prefix,
                                                const std::string& delimiter, std::uint32_t k) {
    std::size_t end = 0;
    for (std::uint32_t i = 0; i < k; ++i) {
      const std::size_t found = prefix.find(delimiter, end);
      if (found == std::string::npos) return std::nullopt;
      end = found + delimiter.size();
    }
    return Base{prefix.substr(0, end), prefix.substr(end)};
  }
  static std::optional<Base> BaseOfUnits(const std::string& prefix, std::int64_t units) {
    const std::string_view front = UnitSlice(prefix, 0, units, true);
    if (UnitCount(front, true) != units) return std::nullopt;
    return Base{std::string(front), prefix.substr(front.size())};
  }

  bool AtCut(const Cut& cut, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
    const ColumnFacts& facts = FactsOf(cut.field);
    const std::string& column = tree_.fields[cut.field].name;
    std::optional<Base> base = Base{};
    std::optional<ValueSet> inner = set;
    switch (cut.kind) {
      case CutKind::kTail:
        base = BaseWithDelimiters(facts.literal_prefix, cut.delimiter, cut.part);
        if (!base) {
          return No("no filter fixes a prefix of " + column + " with \"" + cut.delimiter +
                    "\" in it" + (cut.part > 1 ? " " + std::to_string(cut.part) + " times" : ""));
        }
        Rule("T");
        break;
      case CutKind::kDrop:
        base = BaseOfUnits(facts.literal_prefix, cut.offset);
        if (!base)
          return No("no filter fixes the first " + std::to_string(cut.offset) + " characters of " +
                    column);
        Rule("T");
        break;
      case CutKind::kHead:
        Rule("H");
        inner = BeforeDelimiter(set, cut.delimiter);
        break;
      case CutKind::kPart:
        base = BaseWithDelimiters(facts.literal_prefix, cut.delimiter, cut.part - 1);
        if (!base)
          return No("a middle part of " + column +
                    " says nothing without the parts before it (Pc)");
        Rule("H behind a fixed prefix");
        inner = BeforeDelimiter(set, cut.delimiter);
        break;
      case CutKind::kTake:
        Rule("K3");
        inner = FirstUnits(set, cut.count);
        break;
      case CutKind::kSlice:
        base = BaseOfUnits(facts.literal_prefix, cut.offset);
        if (!base)
          return No("no filter fixes the first " + std::to_string(cut.offset) + " characters of " +
                    column);
        Rule("K4");
        inner = FirstUnits(set, cut.count);
        break;
    }
    if (!inner) return No("blank values of " + column + "'s part fit no key condition");
    if (inner->IsEmpty() && !inner->blank) {
      never = true;
      return true;
    }
    ValueSet onto = base->base.empty() && base->rest.empty()
                        ? *std::move(inner)
                        : BehindBase(*inner, base->base, base->rest);
    if (onto.IsEmpty() && !onto.blank) {
      never = true;
      return true;
    }
    return AtField(cut.field, onto, out, never);
  }

  // Constants around one computed part, or (K2) columns joined by constants.
  bool AtConcat(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
    std::string front;
    std::string back;
    std::vector<NodeId> parts;
    for (const NodeId part : tree_.ArgumentsOf(id)) {
      const Value* text = Constant(part);
      if (text == nullptr) {
        parts.push_back(part);
      } else {
        (parts.empty() ? front : back) += text->text();
      }
    }
    if (parts.size() != 1) return AtJoin(id, set, out, never);
    std::optional<ValueSet> inner = InsideAffix(set, front, back);
    if (!inner)
      return No("the affix alone satisfies the condition, or says nothing about the rest");
    Rule(set.IsRange() ? "K8" : "K1");
    return Descend(parts[0], *std::move(inner), out, never);
  }

  // c1 & "d" & c2 ... = lit: every way to read the literal; each column takes its values from them.
  bool AtJoin(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
    constexpr std::size_t kMostReadings = 100;
    if (set.equals.empty() || set.blank) return No("joined columns invert for equality only");
    const auto parts = tree_.ArgumentsOf(id);
    std::vector<std::vector<std::string>> readings;  // one text per column part
    for (const Value& literal : set.equals) {
      std::vector<std::pair<std::size_t, std::vector<std::string>>> partial = {{0, {}}};
      for (std::size_t p = 0; p < parts.size(); ++p) {
        std::vector<std::pair<std::size_t, std::vector<std::string>>> next;
        for (auto& [at, texts] : partial) {
          if (const Value* constant = Constant(parts[p])) {
            if (literal.text().substr(at).starts_with(constant->text()))
              next.emplace_back(at + constant->text().size(), texts);
            continue;
          }
          if (tree_[parts[p]].op != NodeOp::kField) return No("joined parts are not plain columns");
          const Value* delimiter = p + 1 < parts.size() ? Constant(parts[p + 1]) : nullptr;
          if (p + 1 < parts.size() && delimiter == nullptr)
            return No("joined columns without a delimiter between them");
          for (std::size_t end = at;; ++end) {
            end = delimiter == nullptr ? literal.text().size()
                                       : literal.text().find(delimiter->text(), end);
            if (end == std::string_view::npos) break;
            auto longer = texts;
            longer.emplace_back(literal.text().substr(at, end - at));
            next.emplace_back(end, std::move(longer));
            if (delimiter == nullptr || next.size() > kMostReadings) break;
          }
        }
        if (next.size() > kMostReadings) return No("the literal can be read in too many ways");
        partial = std::move(next);
      }
      for (auto& [at, texts] : partial) {
        if (at == literal.text().size()) readings.push_back(std::move(texts));
      }
    }
    Rule("K2");
    return AtReadings(parts, readings, set.exact, out, never);
  }

  bool AtReadings(std::span<const NodeId> parts,
                  const std::vector<std::vector<std::string>>& readings, bool exact,
                  std::vector<ImpliedCondition>& out, bool& never) {
    std::vector<ImpliedCondition> found;
    std::size_t column = 0;
    for (const NodeId part : parts) {
      if (Constant(part) != nullptr) continue;
      ValueSet texts;
      texts.exact = exact && readings.size() <= 1;
      for (const auto& reading : readings) {
        if (reading[column].empty()) {
          texts.blank = true;
        } else {
          texts.equals.push_back(Value::Text(reading[column]));
        }
      }
      ++column;
      if (texts.IsEmpty() && !texts.blank) {
        never = true;
        return true;
      }
      bool part_never = false;
      std::vector<ImpliedCondition> one;
      if (!Descend(part, std::move(texts), one, part_never)) continue;  // this column stays free
      if (part_never) never = true;
      found.insert(found.end(), one.begin(), one.end());
    }
    if (found.empty() && !never) return false;
    const bool all = found.size() == column;
    for (ImpliedCondition& one : found) {
      one.exact = one.exact && all;
      out.push_back(std::move(one));
    }
    return true;
  }

  // ---- texts of numbers and dates ----

  bool AtText(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
    const NodeId argument = Arg(id, 0);
    if (set.equals.empty()) return No("text order is not the order of what TEXT was made from");
    ValueSet inner;
    inner.exact = set.exact;
    inner.blank = set.blank;
    if (tree_[argument].type == ValueType::kNumber) {  // N4: canonical texts only
      Rule("N4");
      for (const Value& literal : set.equals) {
        const std::optional<Decimal> number = ParseNumberText(literal.text());
        if (number && number->ToString() == literal.text())
          inner.equals.push_back(Value::Number(*number));
      }
      return Descend(argument, std::move(inner), out, never);
    }
    if (tree_[argument].type == ValueType::kDate) {  // D6
      Rule("D6");
      for (const Value& literal : set.equals) {
        const std::optional<Date> date = ParseDateText(literal.text());
        if (date && FormatDate(*date) == literal.text())
          inner.equals.push_back(Value::FromDate(*date));
      }
      return Descend(argument, std::move(inner), out, never);
    }
    return No("TEXT of " + std::string(ValueTypeName(tree_[argument].type)) +
              " loses a part of the value");
  }

  // The facts of the column that a text expression is cut from.
  const ColumnFacts* FactsUnder(NodeId id) const {
    while (tree_[id].op != NodeOp::kField) {
      const std::optional<Cut> cut = internal::RecogniseCut(tree_, id);
      if (!cut) return nullptr;
      return &FactsOf(cut->field);
    }
    return &FactsOf(tree_[id].payload);
  }

  bool AtValue(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
    const NodeId argument = Arg(id, 0);
    const ColumnFacts* facts = FactsUnder(argument);
    if (facts == nullptr || !facts->promises_canonical_numbers) {
      return No(
          "one number has many texts (1, 1.0, 01), and no promise says that the stored ones are "
          "canonical (Nb)");
    }
    if (set.equals.empty() || set.blank) return No("text order is not number order (Nc)");
    Rule("N5");
    ValueSet inner;
    inner.exact = set.exact;
    for (const Value& literal : set.equals)
      inner.equals.push_back(Value::Text(literal.number().ToString()));
    return Descend(argument, std::move(inner), out, never);
  }

  // DATEVALUE(c), DATETIMEVALUE(c) of texts. Years always have four digits, so bounds by year hold
  // for every spelling; bounds by day need the promise of leading zeros (Db), and of UTC for
  // instants.
  bool AtDateText(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
    const NodeId argument = Arg(id, 0);
    const bool instants = Calls(id, "DATETIMEVALUE");
    if (tree_[argument].type != ValueType::kText) return AtDateConversion(id, set, out, never);
    if (set.blank) return No("blank dates fit no key condition");
    const ColumnFacts* facts = FactsUnder(argument);
    const bool canonical = facts != nullptr && facts->promises_canonical_dates;
    std::optional<Date> first;
    std::optional<Date> last;
    bool exact = set.exact && canonical && !instants;
    const auto day = [instants](const Value& value) {
      return instants ? DateOf(value.instant()) : value.date();
    };
    if (!set.equals.empty()) {
      first = last = day(set.equals.front());
      for (const Value& value : set.equals) {
        first = std::min(*first, day(value));
        last = std::max(*last, day(value));
      }
      exact = exact && set.equals.size() == 1;
    }
    // D2: > d is >= d + 1; a bound by day is closed.
    if (set.lower)
      first = Date{day(set.lower->value).days + (set.lower->inclusive || instants ? 0 : 1)};
    if (set.upper)
      last = Date{day(set.upper->value).days - (set.upper->inclusive || instants ? 0 : 1)};
    if (instants && !canonical) {  // offsets reach into the neighbouring days
      if (first) first = Date{first->days - 1};
      if (last) last = Date{last->days + 1};
    }
    if ((first && *first > kMaxDate) || (last && *last < kMinDate) ||
        (first && last && *first > *last)) {
      never = true;
      return true;
    }
    if (first && *first < kMinDate) first = kMinDate;
    if (last && *last > kMaxDate) last = kMaxDate;
    Rule(canonical ? (instants ? "D3-D5 by day" : "D1, D2") : "D by year");
    // The text up to the unit that all spellings share.
    const std::size_t length = canonical ? 10 : 5;  // yyyy-MM-dd, yyyy-
    ValueSet inner;
    inner.exact = exact;
    const auto front = [length](Date date) { return FormatDate(date).substr(0, length); };
    if (first && last && front(*first) == front(*last)) {
      inner.prefix = front(*first);
    } else {
      if (first) inner.lower = ValueBound{Value::Text(front(*first)), true};
      if (last)
        inner.upper = ValueBound{Value::Text(*internal::TextSuccessor(front(*last))), false};
    }
    return Descend(argument, std::move(inner), out, never);
  }

  // DATEVALUE(DateTime), DATETIMEVALUE(Date).
  bool AtDateConversion(NodeId id, ValueSet set, std::vector<ImpliedCondition>& out, bool& never) {
    if (Calls(id, "DATEVALUE") && tree_[Arg(id, 0)].type == ValueType::kDateTime) {
      DaysToInstants(set);
      return Descend(Arg(id, 0), std::move(set), out, never);
    }
    return No("DATETIMEVALUE of a date is not inverted");
  }

  bool AtReverse(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
    if (set.equals.empty()) return No("REVERSE keeps no order");
    ValueSet inner;
    inner.exact = set.exact;
    inner.blank = set.blank;
    EvalContext scratch(Timestamp{});
    internal::KernelContext context(scratch, true);
    for (const Value& literal : set.equals) {
      const Value* pointer = &literal;
      Value reversed;
      if (!tree_[id].kernel(internal::Arguments(std::span(&pointer, 1)), context, reversed))
        return No("literal too long");
      inner.equals.push_back(reversed.ToOwned());
    }
    Rule("REVERSE");
    return Descend(Arg(id, 0), std::move(inner), out, never);
  }

  // ---- arithmetic ----

  // x op k and k op x with a constant k. Results are rounded to 39 digits, so a bound on the result
  // is a bound on x only after widening by one unit in the 37th digit of the largest number
  // involved (N1, N2).
  bool AtArithmetic(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                    bool& never) {
    const TypedNode& node = tree_[id];
    if (node.type != ValueType::kNumber) return No("date arithmetic is not inverted");
    if (set.blank) return No("blank results fit no key condition");
    if (node.argument_count == 1)
      return Affine(Arg(id, 0), Decimal(-1), Decimal(), false, set, out, never);
    const NodeId left = Arg(id, 0);
    const NodeId right = Arg(id, 1);
    if (tree_[left].type != ValueType::kNumber || tree_[right].type != ValueType::kNumber) {
      return No("date arithmetic is not inverted");
    }
    const Value* constant_left = Constant(left);
    const Value* constant_right = Constant(right);
    if ((constant_left == nullptr) == (constant_right == nullptr))
      return No("both operands of " + std::string(node.name) + " vary");
    const Value& constant = constant_left != nullptr ? *constant_left : *constant_right;
    const NodeId varying = constant_left != nullptr ? right : left;
    if (constant.IsBlank()) return No("arithmetic with NULL is blank");
    const Decimal k = constant.number();
    Rule("N1");
    if (node.name == "+") return Affine(varying, Decimal(1), k, false, set, out, never);
    if (node.name == "-" && constant_right != nullptr)
      return Affine(varying, Decimal(1), k.Negated(), false, set, out, never);
    if (node.name == "-") return Affine(varying, Decimal(-1), k, false, set, out, never);
    if (k.IsZero()) return No("the factor is 0");
    if (node.name == "*") return Affine(varying, k, Decimal(), false, set, out, never);
    if (constant_left != nullptr) return No("division by the column is not inverted");
    return Affine(varying, k, Decimal(), true, set, out, never);
  }

  // The result is factor * x + shift, or x / factor when `divides`.
  bool Affine(NodeId x, const Decimal& factor, const Decimal& shift, bool divides,
              const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
    constexpr Decimal::Context kWide{70, Rounding::kHalfUp};
    const auto solve = [&](const Decimal& result) -> Decimal {
      const Decimal moved = Subtract(result, shift, kWide);
      if (divides) return Multiply(moved, factor, kWide);
      const Result<Decimal> quotient = Divide(moved, factor, kWide);
      return quotient.ok() ? *quotient : Decimal();
    };
    const auto slack = [&](const Decimal& result) {
      const Decimal largest = std::max(result.Abs(), shift.Abs());
      const Decimal relative = Multiply(largest, Decimal::FromParts(false, 1, -36), kWide);
      if (divides) return Multiply(relative, factor.Abs(), kWide);
      const Result<Decimal> quotient = Divide(relative, factor.Abs(), kWide);
      return quotient.ok() ? *quotient : Decimal();
    };
    const auto down = [&](const Decimal& r) {
      return Value::Number(
          Subtract(solve(r), slack(r), kWide).RoundToDigits({38, Rounding::kFloor}));
    };
    const auto up = [&](const Decimal& r) {
      return Value::Number(Add(solve(r), slack(r), kWide).RoundToDigits({38, Rounding::kCeiling}));
    };
    std::optional<Decimal> low;
    std::optional<Decimal> high;
    if (!set.equals.empty()) {
      const auto [least, most] = std::minmax_element(
          set.equals.begin(), set.equals.end(),
          [](const Value& a, const Value& b) { return a.number() < b.number(); });
      low = least->number();
      high = most->number();
    }
    if (set.lower) low = set.lower->value.number();
    if (set.upper) high = set.upper->value.number();
    if (factor.IsNegative()) std::swap(low, high);
    ValueSet inner;
    inner.exact = false;
    if (low) inner.lower = ValueBound{down(*low), true};
    if (high) inner.upper = ValueBound{up(*high), true};
    return Descend(x, std::move(inner), out, never);
  }

  // N3: halves go away from zero.
  bool AtRound(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
    const Value* digits = Constant(Arg(id, 1));
    if (digits == nullptr || !digits->Is(ValueType::kNumber) || set.blank)
      return No("ROUND to computed digits is not inverted");
    const std::int64_t scale =
        std::clamp<std::int64_t>(digits->number().ToInt64Saturated(), -100, 100);
    const Decimal half = Decimal::FromParts(false, 5, static_cast<std::int32_t>(-scale - 1));
    constexpr Decimal::Context kWide{70, Rounding::kHalfUp};
    ValueSet inner;
    Rule("N3");
    if (!set.equals.empty()) {
      const auto [least, most] = std::minmax_element(
          set.equals.begin(), set.equals.end(),
          [](const Value& a, const Value& b) { return a.number() < b.number(); });
      const Decimal low = least->number();
      const Decimal high = most->number();
      const bool single = set.equals.size() == 1;
      if (single && !(low.RoundToScale(scale, Rounding::kDown) == low)) {
        never = true;
        return true;
      }
      inner.exact = set.exact && single;
      const bool negative = low.IsNegative() || low.IsZero();
      inner.lower = ValueBound{Value::Number(Subtract(low, half, kWide)), !negative};
      const bool positive = !high.IsNegative();
      inner.upper = ValueBound{Value::Number(Add(high, half, kWide)), !positive};
      return Descend(Arg(id, 0), std::move(inner), out, never);
    }
    inner.exact = false;
    if (set.lower)
      inner.lower =
          ValueBound{Value::Number(Subtract(set.lower->value.number(), half, kWide)), true};
    if (set.upper)
      inner.upper = ValueBound{Value::Number(Add(set.upper->value.number(), half, kWide)), true};
    return Descend(Arg(id, 0), std::move(inner), out, never);
  }

  // N7; the function rounds to 33 digits first, hence the slack.
  bool AtFloor(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
    if (set.equals.size() != 1 || set.blank)
      return No("MFLOOR inverts for equality with one value");
    const Decimal floor = set.equals[0].number();
    if (!floor.IsInteger()) {
      never = true;
      return true;
    }
    constexpr Decimal::Context kWide{70, Rounding::kHalfUp};
    const Decimal size = Add(floor.Abs(), Decimal(1), kWide);
    const Decimal slack = Multiply(size, Decimal::FromParts(false, 1, -31), kWide);
    Rule("N7");
    ValueSet inner;
    inner.exact = false;
    inner.lower = ValueBound{Value::Number(Subtract(floor, slack, kWide)), true};
    inner.upper =
        ValueBound{Value::Number(Add(Add(floor, Decimal(1), kWide), slack, kWide)), false};
    return Descend(Arg(id, 0), std::move(inner), out, never);
  }

  // ---- choices ----

  // K5: the keys whose result is allowed; with an allowed else value it is a complement, no key
  // condition.
  bool AtCase(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
    const auto arguments = tree_.ArgumentsOf(id);
    const Value* otherwise = Constant(arguments.back());
    if (otherwise == nullptr) return No("CASE with computed results is not inverted");
    if (set.Contains(*otherwise)) return No("the else value of CASE satisfies the condition");
    ValueSet keys;
    keys.exact = set.exact;
    std::vector<Value> seen;
    for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
      const Value* key = Constant(arguments[i]);
      const Value* result = Constant(arguments[i + 1]);
      if (key == nullptr || result == nullptr)
        return No("CASE with computed keys or results is not inverted");
      if (std::find(seen.begin(), seen.end(), *key) != seen.end())
        continue;  // an earlier equal key wins
      seen.push_back(*key);
      if (!set.Contains(*result)) continue;
      if (key->IsBlank()) {
        keys.blank = keys.blank || tree_[id].text_keys;
      } else {
        keys.equals.push_back(*key);
      }
    }
    Rule("K5");
    return Descend(arguments[0], std::move(keys), out, never);
  }

  // K7, for the branch taken when the condition is TRUE.
  bool AtIf(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
    const auto arguments = tree_.ArgumentsOf(id);
    const Value* yes = Constant(arguments[1]);
    const Value* no = Constant(arguments[2]);
    if (yes == nullptr || no == nullptr) return No("IF with computed branches is not inverted");
    if (set.Contains(*no)) return No("the else branch of IF satisfies the condition");
    Rule("K7");
    if (!set.Contains(*yes)) {
      never = true;
      return true;
    }
    ValueSet truth;
    truth.equals.push_back(Value::Boolean(true));
    truth.exact = set.exact;
    return Descend(arguments[0], std::move(truth), out, never);
  }

  static bool OnlyTrue(const ValueSet& set) {
    return set.equals.size() == 1 && set.equals[0].Is(ValueType::kBoolean) &&
           set.equals[0].boolean() && !set.blank;
  }

  // Each conjunct narrows by itself; those that do not invert leave a superset.
  bool AtAnd(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out, bool& never) {
    if (!OnlyTrue(set)) return No("AND inverts when it has to be TRUE");
    std::vector<ImpliedCondition> found;
    bool all = true;
    for (const NodeId conjunct : tree_.ArgumentsOf(id)) {
      ValueSet truth = set;
      bool conjunct_never = false;
      if (!Descend(conjunct, std::move(truth), found, conjunct_never)) all = false;
      never = never || conjunct_never;
    }
    if (found.empty() && !never) return false;
    for (ImpliedCondition& one : found) {
      one.exact = one.exact && all;
      out.push_back(std::move(one));
    }
    return true;
  }

  // A comparison, BEGINS or IN that has to be TRUE.
  bool AtPredicate(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                   bool& never) {
    const TypedNode& node = tree_[id];
    if (!OnlyTrue(set)) return No(std::string(node.name) + " inverts when it has to be TRUE");
    VirtualCondition inner;
    NodeId subject = node.argument_count > 0 ? Arg(id, 0) : 0;
    if (node.name == "BEGINS" && Constant(Arg(id, 1)) != nullptr &&
        !Constant(Arg(id, 1))->IsBlank()) {
      inner.op = ConditionOp::kStartsWith;
      inner.literals.push_back(*Constant(Arg(id, 1)));
    } else if (node.name == "IN") {
      inner.op = ConditionOp::kIn;
      for (std::size_t i = 1; i < node.argument_count; ++i) {
        if (Constant(Arg(id, i)) == nullptr) return No("IN with computed values is not inverted");
        if (!Constant(Arg(id, i))->IsBlank()) inner.literals.push_back(*Constant(Arg(id, i)));
      }
    } else if (!Comparison(id, inner, subject)) {
      return No(std::string(node.name) + " is not invertible");
    }
    std::string why;
    std::optional<ValueSet> values = internal::SetOf(inner, tree_[subject].type, why);
    if (!values) return No(why);
    values->exact = set.exact;
    return Descend(subject, *std::move(values), out, never);
  }

  bool Comparison(NodeId id, VirtualCondition& inner, NodeId& subject) const {
    struct Spelling {
      std::string_view name;
      ConditionOp op, turned;
    };
    static constexpr Spelling kSpellings[] = {{"=", ConditionOp::kEq, ConditionOp::kEq},
                                              {"<", ConditionOp::kLt, ConditionOp::kGt},
                                              {"<=", ConditionOp::kLe, ConditionOp::kGe},
                                              {">", ConditionOp::kGt, ConditionOp::kLt},
                                              {">=", ConditionOp::kGe, ConditionOp::kLe}};
    for (const Spelling& spelling : kSpellings) {
      if (spelling.name != tree_[id].name) continue;
      const bool turned = Constant(Arg(id, 0)) != nullptr;
      subject = Arg(id, turned ? 1 : 0);
      const Value* literal = Constant(Arg(id, turned ? 0 : 1));
      if (literal == nullptr || Constant(subject) != nullptr) return false;
      // A blank never compares as TRUE, except that text equals a blank text.
      inner.op = turned ? spelling.turned : spelling.op;
      inner.literals.push_back(*literal);
      return !literal->IsBlank() ||
             (inner.op == ConditionOp::kEq && tree_[subject].type == ValueType::kText);
    }
    return false;
  }

  const Program& program_;
  const TypedTree& tree_;
  const std::vector<ColumnFacts>& columns_;
  std::string why_;
  std::string rule_;
};

Value SampleOf(ValueType type) {
  switch (type) {
    case ValueType::kText: return Value::Text("x");
    case ValueType::kNumber: return Value::Integer(1);
    case ValueType::kBoolean: return Value::Boolean(true);
    case ValueType::kDate: return Value::FromDate(Date{18000});
    case ValueType::kDateTime: return Value::DateTime(Timestamp{1'555'555'555, 0});
    case ValueType::kTime: return Value::Time(TimeOfDay{});
    case ValueType::kNull: break;
  }
  return {};
}

}  // namespace

Inversion Invert(const Program& definition, const std::vector<ColumnFacts>& columns,
                 const VirtualCondition& condition) {
  return Inverter(definition, columns).Run(condition);
}

std::string DescribeInversion(const Program& definition, const std::vector<ColumnFacts>& columns) {
  struct Named {
    ConditionOp op;
    std::string_view name;
  };
  static constexpr Named kOps[] = {{ConditionOp::kEq, "="},
                                   {ConditionOp::kIn, "in"},
                                   {ConditionOp::kStartsWith, "startswith"},
                                   {ConditionOp::kLt, "<"},
                                   {ConditionOp::kGe, ">="}};
  const Value sample = SampleOf(definition.result_type());
  std::string ops;
  std::string how;
  std::string refusal;
  for (const Named& named : kOps) {
    const bool startswith = named.op == ConditionOp::kStartsWith;
    if (startswith && definition.result_type() != ValueType::kText) continue;
    const Inversion inversion = Invert(definition, columns, {named.op, {sample}});
    if (inversion.narrows()) {
      ops += (ops.empty() ? "" : ", ") + std::string(named.name) +
             (inversion.exact || inversion.never ? "" : " (superset)");
      if (how.empty()) how = inversion.why;
    } else if (refusal.empty()) {
      refusal = inversion.why;
    }
  }
  if (ops.empty()) return "does not invert: " + refusal;
  return "inverts by " + how + "; narrows " + ops;
}

}  // namespace tablecast::formula
