#include "formula/value_set.h"

#include <algorithm>

#include "base/utf8.h"
#include "formula/text_units.h"

namespace tablecast::formula::internal {
namespace {

// REQUIRES: same type, none blank.
int Order(const Value& a, const Value& b) {
  const auto sign = [](auto order) { return order < 0 ? -1 : (order > 0 ? 1 : 0); };
  switch (a.type()) {
    case ValueType::kText: return sign(a.text().compare(b.text()));
    case ValueType::kNumber: return sign(a.number() <=> b.number());
    case ValueType::kDate: return sign(a.date() <=> b.date());
    case ValueType::kDateTime: return sign(a.instant() <=> b.instant());
    case ValueType::kTime: return sign(a.time() <=> b.time());
    case ValueType::kBoolean: return static_cast<int>(a.boolean()) - static_cast<int>(b.boolean());
    case ValueType::kNull: break;
  }
  return 0;
}

Value Join(std::string_view a, std::string_view b, std::string_view c = {}) {
  std::string text(a);
  text += b;
  text += c;
  return Value::Text(std::move(text));
}

// `text` raised by its delimiter's successor: what bounds all that begin with text + delimiter.
std::string RaisedBy(std::string_view text, std::string_view delimiter) {
  const std::optional<std::string> next = TextSuccessor(delimiter);
  // A delimiter of U+10FFFF has no successor of its own: the successor of the text bounds as well.
  if (!next)
    return TextSuccessor(text).value_or(std::string(text) + "\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF");
  return std::string(text) + *next;
}

ValueSet Never() {
  ValueSet set;
  return set;
}

}  // namespace

std::optional<std::string> TextSuccessor(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t offset = 0; offset < text.size();) {
    starts.push_back(offset);
    DecodeUtf8(text, offset);
  }
  while (!starts.empty()) {
    std::size_t offset = starts.back();
    const char32_t code = DecodeUtf8(text, offset);
    if (code < 0x10FFFF) {
      std::string next(text.substr(0, starts.back()));
      AppendUtf8(next, code == 0xD7FF ? U'\uE000' : code + 1);
      return next;
    }
    starts.pop_back();
  }
  return std::nullopt;
}

bool ValueSet::Contains(const Value& value) const {
  if (value.IsBlank()) return blank;
  if (!equals.empty()) return std::find(equals.begin(), equals.end(), value) != equals.end();
  if (prefix) return value.Is(ValueType::kText) && value.text().starts_with(*prefix);
  if (!IsRange()) return false;
  if (lower) {
    const int order = Order(value, lower->value);
    if (order < 0 || (order == 0 && !lower->inclusive)) return false;
  }
  if (upper) {
    const int order = Order(value, upper->value);
    if (order > 0 || (order == 0 && !upper->inclusive)) return false;
  }
  return true;
}

std::optional<ValueSet> SetOf(const VirtualCondition& condition, ValueType type, std::string& why) {
  const std::size_t wanted = condition.op == ConditionOp::kBetween ? 2 : 1;
  if (condition.op != ConditionOp::kIn && condition.literals.size() != wanted) {
    why = "the condition has no literal";
    return std::nullopt;
  }
  ValueSet set;
  for (const Value& literal : condition.literals) {
    if (literal.IsBlank()) {
      if (condition.op != ConditionOp::kEq && condition.op != ConditionOp::kIn) {
        return set;  // an order comparison with a blank is unknown: no row
      }
      set.blank = true;
      continue;
    }
    if (literal.type() != type) {
      why = "the literal is " + std::string(ValueTypeName(literal.type())) + ", the column " +
            std::string(ValueTypeName(type));
      return std::nullopt;
    }
  }
  const auto bound = [&condition](std::size_t i, bool inclusive) {
    return ValueBound{condition.literals[i], inclusive};
  };
  switch (condition.op) {
    case ConditionOp::kEq:
    case ConditionOp::kIn:
      for (const Value& literal : condition.literals) {
        const bool known =
            std::find(set.equals.begin(), set.equals.end(), literal) != set.equals.end();
        if (!literal.IsBlank() && !known) set.equals.push_back(literal);
      }
      break;
    case ConditionOp::kNe: why = "<> is no key condition"; return std::nullopt;
    case ConditionOp::kLt: set.upper = bound(0, false); break;
    case ConditionOp::kLe: set.upper = bound(0, true); break;
    case ConditionOp::kGt: set.lower = bound(0, false); break;
    case ConditionOp::kGe: set.lower = bound(0, true); break;
    case ConditionOp::kBetween:
      if (Order(condition.literals[0], condition.literals[1]) > 0) return Never();
      set.lower = bound(0, true);
      set.upper = bound(1, true);
      break;
    case ConditionOp::kStartsWith:
      if (type != ValueType::kText) {
        why = "startswith needs a text column";
        return std::nullopt;
      }
      set.prefix = std::string(condition.literals[0].text());
      break;
  }
  return set;
}

ValueSet CoverPrefixes(std::vector<std::string> prefixes) {
  ValueSet set;
  if (prefixes.empty()) return set;
  std::sort(prefixes.begin(), prefixes.end());
  if (prefixes.size() == 1 || prefixes.front() == prefixes.back()) {
    set.prefix = prefixes.front();
    return set;
  }
  set.exact = false;
  set.lower = ValueBound{Value::Text(prefixes.front()), true};
  // The greatest successor: a prefix of the last one may reach further than the last one itself.
  std::string end;
  for (const std::string& prefix : prefixes) {
    const std::optional<std::string> next = TextSuccessor(prefix);
    if (!next) return set;  // no upper bound
    end = std::max(end, *next);
  }
  set.upper = ValueBound{Value::Text(end), false};
  return set;
}

// Removing a front that all rows share is a bijection that keeps the order of bytes: every rule is
// the condition itself with the front put back. The blank stands for the front alone.
ValueSet BehindBase(const ValueSet& set, std::string_view base, std::string_view rest) {
  ValueSet out;
  out.exact = set.exact;
  const bool base_is_blank = base.empty();
  if (!set.equals.empty() || (set.IsEmpty() && set.blank)) {
    for (const Value& literal :
         set.equals) {  // T1; Tk: lit must begin with the rest of the known prefix
      if (literal.text().starts_with(rest)) out.equals.push_back(Join(base, literal.text()));
    }
    if (set.blank && rest.empty()) {  // T2
      if (base_is_blank) {
        out.blank = true;
      } else {
        out.equals.push_back(Join(base, {}));
      }
    }
    return out;
  }
  if (set.prefix && !set.blank) {  // T4, Tl
    const std::string_view x = *set.prefix;
    const std::size_t common = std::min(x.size(), rest.size());
    if (x.substr(0, common) != rest.substr(0, common)) return out;
    out.prefix = std::string(base) + std::string(x.size() >= rest.size() ? x : rest);
    return out;
  }
  if (set.IsEmpty()) return out;
  // T5..T7; a prefix together with the blank becomes the range that covers both.
  if (set.prefix) {
    out.exact = false;
    const std::optional<std::string> end = TextSuccessor(std::string(base) + *set.prefix);
    if (end) out.upper = ValueBound{Value::Text(*end), false};
  }
  if (set.upper) out.upper = ValueBound{Join(base, set.upper->value.text()), set.upper->inclusive};
  if (set.lower && !set.blank) {
    out.lower = ValueBound{Join(base, set.lower->value.text()), set.lower->inclusive};
  } else if (!base_is_blank) {
    out.exact = out.exact && !(set.lower && set.blank);
    out.lower = ValueBound{Join(base, {}), set.blank};  // Td: the blank value is c = base
  } else {
    out.blank = set.blank;
    out.lower = set.lower;
  }
  if (!out.upper && !base_is_blank) {
    const std::optional<std::string> end = TextSuccessor(base);
    if (end) out.upper = ValueBound{Value::Text(*end), false};
  }
  return out;
}

std::optional<ValueSet> BeforeDelimiter(const ValueSet& set, std::string_view delimiter) {
  if (set.blank) return std::nullopt;  // no delimiter at all, or at the start
  ValueSet out;
  if (!set.equals.empty()) {  // H1, H2
    std::vector<std::string> prefixes;
    for (const Value& literal : set.equals) {
      if (literal.text().find(delimiter) != std::string_view::npos) continue;
      prefixes.push_back(std::string(literal.text()) + std::string(delimiter));
    }
    out = CoverPrefixes(std::move(prefixes));
    out.exact = out.exact && set.exact;
    return out;
  }
  out.exact = false;
  if (set.prefix) {  // H3
    if (set.prefix->find(delimiter) == std::string::npos) out.prefix = set.prefix;
    return out;
  }
  if (set.lower) out.lower = set.lower;  // H4, H5
  if (set.upper) {
    // H6: a value shorter than the literal may be followed by the delimiter and then by anything.
    const std::string_view literal = set.upper->value.text();
    std::string bound(literal);
    for (std::size_t offset = 0; offset < literal.size();) {
      if (offset > 0) bound = std::max(bound, RaisedBy(literal.substr(0, offset), delimiter));
      DecodeUtf8(literal, offset);
    }
    if (set.upper->inclusive) bound = std::max(bound, RaisedBy(literal, delimiter));  // H7
    out.upper = ValueBound{Value::Text(bound), false};
  }
  return out;
}

std::optional<ValueSet> FirstUnits(const ValueSet& set, std::int64_t count) {
  if (set.blank) return std::nullopt;
  ValueSet out;
  out.exact = set.exact;
  if (!set.equals.empty()) {
    bool all_short = true;
    std::vector<std::string> prefixes;
    for (const Value& literal : set.equals) {
      const std::int64_t units = UnitCount(literal.text(), true);
      if (units > count) continue;  // a cut is never longer
      // With one unit missing, the cut may have dropped the half of a pair: begins_with, not
      // equality.
      if (units >= count - 1) all_short = false;
      if (units < count) out.exact = out.exact && all_short;
      prefixes.emplace_back(literal.text());
    }
    if (all_short) {
      for (const std::string& prefix : prefixes) out.equals.push_back(Value::Text(prefix));
      return out;
    }
    const bool exact = out.exact && prefixes.size() == 1;
    out = CoverPrefixes(std::move(prefixes));
    out.exact = exact;
    return out;
  }
  if (set.prefix) {
    if (UnitCount(*set.prefix, true) <= count) out.prefix = set.prefix;
    return out;
  }
  out.exact = false;
  if (set.lower) out.lower = set.lower;  // a cut is never greater than its text
  if (set.upper) {
    // What begins with a value up to the bound ends before the successor of the bound's cut. One
    // unit less, because the cut of the argument may have dropped the half of a pair.
    const std::string_view cut = UnitSlice(set.upper->value.text(), 0, count - 1, true);
    const std::optional<std::string> end = TextSuccessor(cut);
    if (end) out.upper = ValueBound{Value::Text(*end), false};
  }
  if (set.upper && !out.upper && !out.lower) return std::nullopt;
  return out;
}

std::optional<ValueSet> InsideAffix(const ValueSet& set, std::string_view front,
                                    std::string_view back) {
  ValueSet out;
  out.exact = set.exact;
  const bool affixed = !front.empty() || !back.empty();
  if (!affixed) return set;
  // The expression is never blank: its own blank allows nothing.
  if (!set.equals.empty() || set.IsEmpty()) {
    for (const Value& literal : set.equals) {  // K1, with the length test of Ka
      const std::string_view text = literal.text();
      if (text.size() < front.size() + back.size() || !text.starts_with(front) ||
          !text.ends_with(back))
        continue;
      const std::string_view middle =
          text.substr(front.size(), text.size() - front.size() - back.size());
      if (middle.empty()) {
        out.blank = true;
      } else {
        out.equals.push_back(Value::Text(std::string(middle)));
      }
    }
    return out;
  }
  if (set.prefix) {
    const std::string_view x = *set.prefix;
    if (front.starts_with(x)) return std::nullopt;  // every value begins with it
    if (!x.starts_with(front)) return out;          // none does
    if (!back.empty()) {
      // The argument begins with the rest, or ends inside of it and the back supplies the
      // remainder.
      return std::nullopt;
    }
    out.prefix = std::string(x.substr(front.size()));
    return out;
  }
  if (!back.empty()) return std::nullopt;
  // K8: a bound that begins with the front bounds the argument; otherwise front and bound decide
  // (K9).
  out.blank = true;
  if (set.lower) {
    const std::string_view bound = set.lower->value.text();
    if (bound.starts_with(front)) {
      const std::string_view rest = bound.substr(front.size());
      if (!rest.empty())
        out.lower = ValueBound{Value::Text(std::string(rest)), set.lower->inclusive};
      // front >= bound decides for the blank argument.
      if (!rest.empty() || !set.lower->inclusive) out.blank = false;
    } else if (front < bound) {
      return Never();
    }
  }
  if (set.upper) {
    const std::string_view bound = set.upper->value.text();
    if (bound.starts_with(front)) {
      const std::string_view rest = bound.substr(front.size());
      if (rest.empty()) {  // front itself, or nothing
        ValueSet only;
        only.exact = set.exact;
        only.blank = out.blank && set.upper->inclusive;
        return only;
      }
      out.upper = ValueBound{Value::Text(std::string(rest)), set.upper->inclusive};
    } else if (front > bound) {
      return Never();
    }
  }
  if (!out.IsRange()) {
    if (out.blank) return std::nullopt;  // every row
    // "greater than the front": any argument that is not blank.
    return std::nullopt;
  }
  return out;
}

}  // namespace tablecast::formula::internal
