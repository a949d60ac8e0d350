#include "qualifiers/qualifier_conditions.h"

#include <algorithm>

#include "base/utf8.h"
#include "item/item_codec.h"
#include "qualifiers/column_condition.h"
#include "qualifiers/json_tokens.h"

namespace tablecast {
namespace {

constexpr std::size_t kMaxLikeBytes = 4096;

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  AppendPrintable(out, text);
  return out + "\"";
}

std::string ShownConstant(const AttributeValue& value) {
  if (value.Is(AttributeType::kS)) return Quoted(value.text());
  if (value.Is(AttributeType::kN)) return value.NumberAsText();
  return value.Is(AttributeType::kBool) && value.boolean() ? "true" : "false";
}

std::string ConstantText(const std::vector<AttributeValue>& constants) {
  if (constants.size() == 1) return "= " + ShownConstant(constants.front());
  std::string text = "in (";
  for (const AttributeValue& constant : constants) {
    if (text.back() != '(') text += ", ";
    text += ShownConstant(constant);
  }
  return text + ")";
}

// Text that patterns see of a constant; nullopt for BOOL.
std::optional<std::string> PatternText(const AttributeValue& value) {
  if (value.Is(AttributeType::kS)) return value.text();
  if (value.Is(AttributeType::kN)) return value.NumberAsText();
  return std::nullopt;
}

bool IsText(AttributeType type) { return type == AttributeType::kS; }

ColumnCondition OfPrefix(const std::string& prefix) {
  if (prefix.empty()) return {};
  return {.equals = {}, .range = ScalarRange{{}, {}, prefix}, .never = false};
}

ColumnCondition OfTexts(const std::vector<std::string>& texts) {
  ColumnCondition condition;
  for (const std::string& text : texts) condition.equals.push_back(AttributeValue::String(text));
  return condition;
}

ColumnCondition OfLike(const LikePattern& like) {
  return like.HasWildcard() ? OfPrefix(like.literal_prefix()) : OfTexts({like.literal_prefix()});
}

// The narrower of the literal prefix and the bounds of a regular expression.
ColumnCondition OfRegex(const MatchRegex& regex) {
  if (!regex.literals().empty()) return OfTexts(regex.literals());
  ColumnCondition condition = OfPrefix(regex.literal_prefix());
  if (regex.range().lower && regex.range().upper) {
    ScalarRange range;
    range.lower = ScalarRange::Bound{AttributeValue::String(*regex.range().lower), true};
    range.upper = ScalarRange::Bound{AttributeValue::String(*regex.range().upper), true};
    condition = Intersect(condition, {.equals = {}, .range = std::move(range), .never = false});
  }
  return condition;
}

class ConstantRow final : public Row {
 public:
  explicit ConstantRow(const AttributeValue& value) : type_(value.type()) {
    AppendPayload(payload_, value);
  }
  AttributeView Get(Slot) const override { return {type_, payload_}; }

 private:
  AttributeType type_;
  std::string payload_;
};

}  // namespace

// ---- findings ----
void FindingSink::Add(Severity severity, std::string code, std::string message, std::string remedy,
                      std::string target, TextSpan span) {
  issues_.push_back({severity, std::move(code), std::move(message), std::move(remedy),
                     std::move(target), span, qualifier_.file});
}

TextSpan FindingSink::InString(const TextSpan& literal, std::size_t begin, std::size_t end) const {
  const std::string_view text = qualifier_.text;
  if (literal.begin.line == 0 || literal.end.offset > text.size() ||
      literal.begin.offset >= literal.end.offset) {
    return literal;
  }
  const std::string_view raw =
      text.substr(literal.begin.offset, literal.end.offset - literal.begin.offset);
  const std::size_t first = literal.begin.offset + RawOffsetInString(raw, begin);
  std::size_t last = literal.begin.offset + RawOffsetInString(raw, std::max(end, begin));
  if (last <= first) {  // always underline something
    last = first;
    if (last < text.size()) DecodeUtf8(text, last);
  }
  // A JSON string stays on its line, so positions count on from the literal's: PositionAt for each
  // of many findings would cost the whole file each time.
  const auto position = [&](std::size_t offset) {
    const std::string_view before =
        text.substr(literal.begin.offset, offset - literal.begin.offset);
    return TextPosition{literal.begin.line,
                        literal.begin.column + static_cast<std::uint32_t>(CountCodePoints(before)),
                        offset};
  };
  return {position(first), position(last)};
}

// ---- virtual conditions ----
bool RowCondition::HoldsFor(const formula::Value& value) const {
  if (kind == Kind::kPresence) {
    const bool wants_blank = presence == Presence::kNull || presence == Presence::kNotExists;
    return presence == Presence::kAny || value.IsBlank() == wants_blank;
  }
  if (value.IsBlank()) return presence == Presence::kAny;
  const auto matches = [this](std::string_view seen) {
    return kind == Kind::kFilter ? like->Matches(seen) : regex->Matches(seen);
  };
  if (value.Is(formula::ValueType::kText)) return matches(value.text());
  return value.Is(formula::ValueType::kNumber) && matches(value.number().ToString());
}

// ---- builder ----
ConditionBuilder::ConditionBuilder(const TableSchema& schema, const SlotMap& slots,
                                   FindingSink& findings)
    : schema_(schema), slots_(slots), findings_(findings) {}

const KeyColumn* ConditionBuilder::KeyAt(Slot slot) const {
  const std::string& name = slots_.names()[slot];
  if (name == schema_.key.partition.name) return &schema_.key.partition;
  if (schema_.key.sort && name == schema_.key.sort->name) return &*schema_.key.sort;
  return nullptr;
}

void ConditionBuilder::CheckPresence(const ColumnQualifier& column, Slot slot, bool has_constants) {
  if (!column.presence) return;
  const bool wants_nothing =
      *column.presence == Presence::kNotExists || *column.presence == Presence::kNull;
  if (!wants_nothing) return;
  const std::string target = "columns." + column.name + ".presence";
  const std::string word = "`presence: " + std::string(PresenceName(*column.presence)) + "`";
  std::string other;
  if (column.type && !(*column.presence == Presence::kNull && *column.type == AttributeType::kNull))
    other = "type";
  if (column.filter) other = "filter";
  if (column.post_filter) other = "postFilter";
  if (has_constants) other = "a constant definition";
  if (!other.empty()) {
    findings_.Error("presence-contradiction",
                    word + " and " + (has_constants ? other : "`" + other + "`") +
                        " contradict each other: no item can meet both",
                    "delete one of the two", target, column.presence_span);
  } else if (!column.is_virtual && KeyAt(slot) != nullptr) {
    findings_.Error("key-always-present",
                    word + " never holds: `" + column.physical() +
                        "` is a key column of the table, so every item has it",
                    "delete `presence`", target, column.presence_span);
  }
}

void ConditionBuilder::CheckPatternType(const ColumnQualifier& column, std::string_view type_name,
                                        bool readable) {
  if (readable) return;
  const auto check = [&](bool given, std::string_view option, const TextSpan& span) {
    if (!given) return;
    findings_.Error("pattern-on-type",
                    "`" + std::string(option) + "` never matches: `" + column.name +
                        "` is of type " + std::string(type_name) +
                        ", and patterns apply to text (S) and numbers (N)",
                    "delete `" + std::string(option) + "` or correct the type",
                    "columns." + column.name + "." + std::string(option), span);
  };
  check(column.filter.has_value(), "filter", column.filter_span);
  check(column.post_filter.has_value(), "postFilter", column.post_filter_span);
}

std::optional<LikePattern> ConditionBuilder::ReadFilter(const ColumnQualifier& column) {
  if (!column.filter) return std::nullopt;
  const std::string target = "columns." + column.name + ".filter";
  if (column.filter->size() > kMaxLikeBytes) {
    findings_.Error("like-too-long",
                    "the pattern has " + std::to_string(column.filter->size()) +
                        " bytes; at most " + std::to_string(kMaxLikeBytes) + " are allowed",
                    "shorten it", target, column.filter_span);
    return std::nullopt;
  }
  if (const auto escape = LikePattern::FindTrailingEscape(*column.filter)) {
    findings_.Error("like-trailing-escape", "the `\\` at the end of the pattern escapes nothing",
                    "write `\\\\` for a backslash (in JSON `\\\\\\\\`)", target,
                    findings_.InString(column.filter_span, *escape, *escape + 1));
    return std::nullopt;
  }
  return LikePattern(*column.filter);
}

std::shared_ptr<const MatchRegex> ConditionBuilder::ReadPostFilter(const ColumnQualifier& column) {
  if (!column.post_filter) return nullptr;
  if (!regex_budget_.HasRoom()) {
    findings_.Error("regex-too-large",
                    "the regular expressions before this one are as large as a file may have",
                    "use smaller repeat counts and classes in the `postFilter`s of this file",
                    "columns." + column.name + ".postFilter", column.post_filter_span);
    return nullptr;
  }
  auto regex = MatchRegex::Compile(*column.post_filter);
  regex_budget_.Spend(regex);
  if (regex.ok()) return *regex;
  const std::size_t offset = regex.error().position.offset;
  findings_.Error(regex.error().reason, regex.error().message,
                  regex.error().remedy.empty() ? "write it in RE2 syntax" : regex.error().remedy,
                  "columns." + column.name + ".postFilter",
                  findings_.InString(column.post_filter_span, offset, column.post_filter->size()));
  return nullptr;
}

void ConditionBuilder::CheckConstants(const ColumnQualifier& column,
                                      const std::vector<AttributeValue>& constants,
                                      const std::optional<LikePattern>& like,
                                      const MatchRegex* regex) {
  for (const AttributeValue& constant : constants) {
    const auto text = PatternText(constant);
    const auto refuse = [&](std::string_view option, const std::string& pattern,
                            const TextSpan& span) {
      findings_.Error("constant-refused",
                      "the constant " + ShownConstant(constant) + " does not match `" +
                          std::string(option) + "` " + Quoted(pattern) + ", so no item can belong",
                      "delete `" + std::string(option) + "` or correct the constant",
                      "columns." + column.name + "." + std::string(option), span);
    };
    if (like && !(text && like->Matches(*text)))
      refuse("filter", *column.filter, column.filter_span);
    if (regex != nullptr && !(text && regex->Matches(*text))) {
      refuse("postFilter", *column.post_filter, column.post_filter_span);
    }
  }
}

void ConditionBuilder::Narrow(const ColumnQualifier& column, Knowledge& known,
                              const ColumnCondition& condition) {
  const bool was_possible = !known.condition.never;
  known.condition = Intersect(known.condition, condition);
  if (!known.condition.never || !was_possible) return;
  // Constants that do not fit have been reported as such.
  if (column.filter && column.post_filter && column.values.empty()) {
    findings_.Error("conditions-exclude-each-other",
                    "no value matches both `filter` " + Quoted(*column.filter) +
                        " and `postFilter` " + Quoted(*column.post_filter),
                    "make them agree, or delete one", "columns." + column.name + ".postFilter",
                    column.post_filter_span);
  }
}

void ConditionBuilder::AddPhysical(const ColumnQualifier& column, Slot slot,
                                   const std::vector<AttributeValue>& constants) {
  CheckPresence(column, slot, !constants.empty());
  const KeyColumn* key = KeyAt(slot);
  if (key != nullptr && column.type && *column.type != key->type) {
    const std::string declared(AttributeTypeName(*column.type));
    const bool possible = *column.type == AttributeType::kS || *column.type == AttributeType::kN ||
                          *column.type == AttributeType::kB;
    findings_.Error("key-type-conflict",
                    possible ? "`" + column.physical() + "` is a key column of type " +
                                   std::string(AttributeTypeName(key->type)) + " in table " +
                                   schema_.name + ", so `type: " + declared + "` never holds"
                             : "`" + column.physical() +
                                   "` is a key column, and a key is S, N or B, never " + declared,
                    "write \"type\": \"" + std::string(AttributeTypeName(key->type)) + "\"",
                    "columns." + column.name + ".type", column.type_span);
  }
  const std::optional<AttributeType> type = column.type      ? column.type
                                            : key != nullptr ? std::optional(key->type)
                                                             : std::nullopt;
  if (type) {
    CheckPatternType(column, AttributeTypeName(*type),
                     *type == AttributeType::kS || *type == AttributeType::kN);
  }
  const auto like = ReadFilter(column);
  const auto regex = ReadPostFilter(column);
  CheckConstants(column, constants, like, regex.get());

  const bool restricts = column.type || column.filter || column.post_filter || !constants.empty();
  const bool null_passes = column.presence == Presence::kAny;
  const bool demands_presence = column.presence ? *column.presence == Presence::kExists ||
                                                      *column.presence == Presence::kNotNull
                                                : restricts;
  const auto add = [&](RowCondition::Kind kind, std::string text, PredicatePtr predicate) {
    RowCondition condition;
    condition.kind = kind;
    condition.column = column.name;
    condition.text = std::move(text);
    condition.slot = slot;
    condition.predicate = null_passes && kind != RowCondition::Kind::kPresence
                              ? Or({NotExists(slot), IsNullType(slot), std::move(predicate)})
                              : std::move(predicate);
    conditions_.push_back(std::move(condition));
  };

  using Kind = RowCondition::Kind;
  if (column.presence || demands_presence) {
    PredicatePtr predicate = AlwaysTrue();
    switch (column.presence.value_or(Presence::kExists)) {
      case Presence::kExists: predicate = Exists(slot); break;
      case Presence::kNotExists: predicate = NotExists(slot); break;
      case Presence::kNull: predicate = IsNullType(slot); break;
      case Presence::kNotNull: predicate = And({Exists(slot), Not(IsNullType(slot))}); break;
      case Presence::kAny: break;
    }
    const std::string name(PresenceName(column.presence.value_or(Presence::kExists)));
    add(Kind::kPresence, "presence " + name + (column.presence ? "" : " (default)"),
        std::move(predicate));
  }
  if (column.type) {
    add(Kind::kType, "type " + std::string(AttributeTypeName(*column.type)),
        HasType(slot, *column.type, !demands_presence));
  }
  if (!constants.empty()) add(Kind::kConstant, ConstantText(constants), In(slot, constants));
  if (like) {
    add(Kind::kFilter, "filter LIKE " + Quoted(*column.filter), LikeMatch(slot, *column.filter));
    conditions_.back().like = like;
  }
  if (regex) {
    add(Kind::kPostFilter, "postFilter " + Quoted(*column.post_filter), RegexMatch(slot, regex));
  }

  Knowledge& known = known_[slot];
  known.demands_presence = known.demands_presence || demands_presence || key != nullptr;
  if (type) known.type = type;
  // What a NULL or missing value passes says nothing about every row; a key column is never either.
  if (null_passes && key == nullptr) return;
  if (!constants.empty()) {
    ColumnCondition listed;
    listed.equals = constants;
    Narrow(column, known, listed);
    if (constants.size() == 1 ||
        std::all_of(constants.begin(), constants.end(), [&](const AttributeValue& value) {
          return value.type() == constants.front().type();
        })) {
      known.type = constants.front().type();
    }
  }
  if (type && !IsText(*type)) return;  // bounds of texts say nothing about numbers
  if (like) Narrow(column, known, OfLike(*like));
  if (regex) Narrow(column, known, OfRegex(*regex));
}

void ConditionBuilder::AddVirtual(const ColumnQualifier& column, Slot virtual_index,
                                  formula::ValueType type) {
  CheckPresence(column, 0, false);
  const bool readable = type == formula::ValueType::kText || type == formula::ValueType::kNumber ||
                        type == formula::ValueType::kNull;
  CheckPatternType(column, formula::ValueTypeName(type), readable);
  const auto like = ReadFilter(column);
  const auto regex = ReadPostFilter(column);
  const auto add = [&](RowCondition::Kind kind, std::string text) -> RowCondition& {
    RowCondition condition;
    condition.kind = kind;
    condition.column = column.name;
    condition.text = std::move(text);
    condition.is_virtual = true;
    condition.slot = virtual_index;
    condition.presence = column.presence.value_or(Presence::kAny);
    conditions_.push_back(std::move(condition));
    return conditions_.back();
  };
  using Kind = RowCondition::Kind;
  if (column.presence)
    add(Kind::kPresence, "presence " + std::string(PresenceName(*column.presence)));
  if (like) add(Kind::kFilter, "filter LIKE " + Quoted(*column.filter)).like = like;
  if (regex) add(Kind::kPostFilter, "postFilter " + Quoted(*column.post_filter)).regex = regex;
}

bool ConditionBuilder::IsProved(const RowCondition& condition, const KeyColumn& key,
                                const ColumnCondition& known) const {
  const auto every_value_meets = [&] {
    return !known.equals.empty() &&
           std::all_of(known.equals.begin(), known.equals.end(), [&](const AttributeValue& value) {
             return condition.predicate->Evaluate(ConstantRow(value)) == Truth::kTrue;
           });
  };
  switch (condition.kind) {
    case RowCondition::Kind::kPresence:  // looks at nothing but presence: any value will do
      return condition.predicate->Evaluate(ConstantRow(AttributeValue::Bool(true))) == Truth::kTrue;
    case RowCondition::Kind::kType:
      return condition.text == "type " + std::string(AttributeTypeName(key.type));
    case RowCondition::Kind::kFilter:
      if (every_value_meets()) return true;
      return condition.like && condition.like->IsPrefix() && key.type == AttributeType::kS &&
             ImpliesPrefix(known, condition.like->literal_prefix());
    case RowCondition::Kind::kPostFilter:
    case RowCondition::Kind::kConstant: return every_value_meets();
  }
  return false;
}

KeyCondition ConditionBuilder::Finish() {
  KeyCondition key;
  for (auto& [slot, known] : known_) {
    const KeyColumn* column = KeyAt(slot);
    if (column == nullptr) continue;
    ColumnCondition condition = known.condition;
    std::sort(condition.equals.begin(), condition.equals.end(),
              [](const AttributeValue& a, const AttributeValue& b) {
                std::string left;
                std::string right;
                AppendPayload(left, a);
                AppendPayload(right, b);
                return left < right;
              });
    // A constant of another type than the key's has been reported; it selects nothing.
    std::erase_if(condition.equals,
                  [&](const AttributeValue& value) { return value.type() != column->type; });
    if (condition.equals.empty() && !known.condition.equals.empty()) condition.never = true;
    if (column->type != AttributeType::kS && condition.range) condition.range.reset();
    (column == &schema_.key.partition ? key.partition : key.sort) = condition;
    for (RowCondition& row : conditions_) {
      if (!row.is_virtual && row.slot == slot)
        row.proved_by_key = IsProved(row, *column, condition);
    }
  }
  return key;
}

std::string ConditionBuilder::LiteralPrefix(Slot slot) const {
  const auto found = known_.find(slot);
  if (found == known_.end() || !found->second.demands_presence) return "";
  const ColumnCondition& condition = found->second.condition;
  if (condition.range && condition.range->prefix) return *condition.range->prefix;
  std::string prefix;
  const auto shared = [](std::string_view a, std::string_view b) {
    return std::string(a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first);
  };
  if (!condition.equals.empty()) {
    if (!condition.equals.front().Is(AttributeType::kS)) return "";
    prefix = condition.equals.front().text();
    for (const AttributeValue& value : condition.equals) {
      prefix = value.Is(AttributeType::kS) ? shared(prefix, value.text()) : "";
    }
  } else if (condition.range && condition.range->lower && condition.range->upper &&
             condition.range->lower->value.Is(AttributeType::kS)) {
    prefix = shared(condition.range->lower->value.text(), condition.range->upper->value.text());
  }
  while (!prefix.empty() && !IsValidUtf8(prefix)) prefix.pop_back();
  return prefix;
}

bool ConditionBuilder::DemandsType(Slot slot, AttributeType type) const {
  const auto found = known_.find(slot);
  if (found == known_.end() || !found->second.demands_presence) {
    const KeyColumn* key = KeyAt(slot);
    return key != nullptr && key->type == type;
  }
  if (found->second.type) return *found->second.type == type;
  // Patterns take S and the text of N: a prefix that no number has leaves S.
  const std::string prefix = LiteralPrefix(slot);
  return type == AttributeType::kS && prefix.find_first_not_of("-.0123456789") != std::string::npos;
}

}  // namespace tablecast
