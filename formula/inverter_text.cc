// IMPLEMENTATION: the rules for cuts, affixes, joined columns and the texts of numbers and dates
// (spec formula.md 12.1 to 12.3). Tested by tests/formula/inverse_test.cc.

#include <algorithm>
#include <utility>

#include "formula/date_text.h"
#include "formula/inverter.h"
#include "formula/kernel.h"
#include "formula/number_text.h"
#include "formula/text_units.h"

namespace tablecast::formula::internal {

std::optional<Inverter::Base> Inverter::BaseWithDelimiters(const std::string& prefix,
                                                           const std::string& delimiter,
                                                           std::uint32_t k) {
  std::size_t end = 0;
  for (std::uint32_t i = 0; i < k; ++i) {
    const std::size_t found = prefix.find(delimiter, end);
    if (found == std::string::npos) return std::nullopt;
    end = found + delimiter.size();
  }
  return Base{prefix.substr(0, end), prefix.substr(end)};
}

std::optional<Inverter::Base> Inverter::BaseOfUnits(const std::string& prefix, std::int64_t units) {
  const std::string_view front = UnitSlice(prefix, 0, units, true);
  if (UnitCount(front, true) != units) return std::nullopt;
  return Base{std::string(front), prefix.substr(front.size())};
}

bool Inverter::AtCut(const Cut& cut, const ValueSet& set, std::vector<ImpliedCondition>& out,
                     bool& never) {
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
        return No("a middle part of " + column + " says nothing without the parts before it (Pc)");
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

bool Inverter::AtConcat(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                        bool& never) {
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
  if (!inner) return No("the affix alone satisfies the condition, or says nothing about the rest");
  Rule(set.IsRange() ? "K8" : "K1");
  return Descend(parts[0], *std::move(inner), out, never);
}

bool Inverter::AtJoin(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                      bool& never) {
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

bool Inverter::AtReadings(std::span<const NodeId> parts,
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

bool Inverter::AtText(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                      bool& never) {
  const NodeId argument = Arg(id, 0);
  if (set.equals.empty() && !set.IsEmpty()) {
    if (tree_[argument].type == ValueType::kDate || tree_[argument].type == ValueType::kDateTime)
      return AtTextOfDay(argument, set, out, never);
    return No("text order is not the order of what TEXT was made from");
  }
  if (set.equals.empty()) return No("blank texts fit no key condition");
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

bool Inverter::AtTextOfDay(NodeId argument, const ValueSet& set, std::vector<ImpliedCondition>& out,
                           bool& never) {
  if (set.blank) return No("blank dates fit no key condition");
  const bool instants = tree_[argument].type == ValueType::kDateTime;
  std::optional<ValueBound> low = set.lower;
  std::optional<ValueBound> high = set.upper;
  if (set.prefix) {
    low = ValueBound{Value::Text(*set.prefix), true};
    if (auto end = TextSuccessor(*set.prefix))
      high = ValueBound{Value::Text(*std::move(end)), false};
  }
  // An instant's text is its day's and more: a bound on it bounds the day by its first ten bytes.
  for (std::optional<ValueBound>* bound : {&low, &high}) {
    if (instants && *bound)
      *bound = ValueBound{Value::Text(std::string((*bound)->value.text().substr(0, 10))), true};
  }
  // The first day whose text is not below `bound`, or above it.
  const auto first_from = [](std::string_view bound, bool above) {
    std::int64_t from = kMinDate.days;
    std::int64_t to = static_cast<std::int64_t>(kMaxDate.days) + 1;
    while (from < to) {
      const std::int64_t middle = from + (to - from) / 2;
      const int order = FormatDate(Date{static_cast<std::int32_t>(middle)}).compare(bound);
      if (order < 0 || (above && order == 0)) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  };
  const std::int64_t first = low ? first_from(low->value.text(), !low->inclusive) : kMinDate.days;
  const std::int64_t last =
      high ? first_from(high->value.text(), high->inclusive) - 1 : kMaxDate.days;
  Rule("D6");
  if (first > last) {
    never = true;
    return true;
  }
  const Date from{static_cast<std::int32_t>(first)};
  const Date to{static_cast<std::int32_t>(last)};
  ValueSet inner;
  inner.exact = set.exact;
  inner.lower = ValueBound{Value::FromDate(from), true};
  inner.upper = ValueBound{Value::FromDate(to), true};
  if (instants) {
    DaysToInstants(inner);
    inner.exact = false;
  }
  return Descend(argument, std::move(inner), out, never);
}

const ColumnFacts* Inverter::FactsUnder(NodeId id) const {
  while (tree_[id].op != NodeOp::kField) {
    const std::optional<Cut> cut = internal::RecogniseCut(tree_, id);
    if (!cut) return nullptr;
    return &FactsOf(cut->field);
  }
  return &FactsOf(tree_[id].payload);
}

bool Inverter::AtValue(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                       bool& never) {
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

bool Inverter::AtDateText(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                          bool& never) {
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
    if (last) inner.upper = ValueBound{Value::Text(*internal::TextSuccessor(front(*last))), false};
  }
  return Descend(argument, std::move(inner), out, never);
}

bool Inverter::AtDateConversion(NodeId id, ValueSet set, std::vector<ImpliedCondition>& out,
                                bool& never) {
  if (Calls(id, "DATEVALUE") && tree_[Arg(id, 0)].type == ValueType::kDateTime) {
    DaysToInstants(set);
    return Descend(Arg(id, 0), std::move(set), out, never);
  }
  return No("DATETIMEVALUE of a date is not inverted");
}

bool Inverter::AtReverse(NodeId id, const ValueSet& set, std::vector<ImpliedCondition>& out,
                         bool& never) {
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

}  // namespace tablecast::formula::internal
