// IMPLEMENTATION: one small class a shape. Scalars compare by type and payload bytes: memcmp is
// their order for S, N (number codes) and B, and equal bytes are equal values for all types
// (item_codec.h). Tested by predicate_test and, against a reference evaluator, by
// predicate_exhaustive_test.

#include "qualifiers/predicate.h"

#include <algorithm>

#include "base/base64.h"
#include "base/utf8.h"
#include "item/item_codec.h"
#include "item/number.h"
#include "qualifiers/like_pattern.h"
#include "qualifiers/match_regex.h"

namespace tablecast {
namespace {

Truth ToTruth(bool value) { return value ? Truth::kTrue : Truth::kFalse; }

void AppendName(std::string& out, const SlotMap& slots, Slot slot) {
  out += slot < slots.names().size() ? slots.names()[slot] : "column " + std::to_string(slot);
}

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  AppendPrintable(out, text);
  out += '"';
}

std::string PayloadOf(const AttributeValue& value) {
  std::string bytes;
  AppendPayload(bytes, value);
  return bytes;
}

void AppendEncoded(std::string& out, AttributeType type, std::string_view payload) {
  switch (type) {
    case AttributeType::kS: AppendQuoted(out, payload); return;
    case AttributeType::kN: AppendNumberText(out, payload); return;
    case AttributeType::kB: out += "b\"" + EncodeBase64(payload) + "\""; return;
    case AttributeType::kBool:
      out += !payload.empty() && payload[0] != 0 ? "true" : "false";
      return;
    case AttributeType::kNull: out += "null"; return;
    default: out += std::string(AttributeTypeName(type)) + "(…)"; return;
  }
}

bool IsOrdered(AttributeType type) {
  return type == AttributeType::kS || type == AttributeType::kN || type == AttributeType::kB;
}

class Constant final : public Predicate {
 public:
  explicit Constant(bool value) : value_(value) {}
  bool value() const { return value_; }
  Truth Evaluate(const Row&) const override { return ToTruth(value_); }
  void AppendTo(std::string& out, const SlotMap&) const override {
    out += value_ ? "true" : "false";
  }
  int cost() const override { return 0; }

 private:
  bool value_;
};

class Junction final : public Predicate {
 public:
  Junction(bool is_and, std::vector<PredicatePtr> parts)
      : parts_(std::move(parts)), is_and_(is_and) {
    for (const PredicatePtr& part : parts_) cost_ += part->cost();
  }
  bool is_and() const { return is_and_; }
  const std::vector<PredicatePtr>& parts() const { return parts_; }

  Truth Evaluate(const Row& row) const override {
    const Truth decisive = is_and_ ? Truth::kFalse : Truth::kTrue;
    Truth result = is_and_ ? Truth::kTrue : Truth::kFalse;
    for (const PredicatePtr& part : parts_) {
      const Truth truth = part->Evaluate(row);
      if (truth == decisive) return decisive;
      if (truth == Truth::kUnknown) result = Truth::kUnknown;
    }
    return result;
  }
  void AppendTo(std::string& out, const SlotMap& slots) const override {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (i > 0) out += is_and_ ? " and " : " or ";
      const auto* inner = dynamic_cast<const Junction*>(parts_[i].get());
      const bool brackets = inner != nullptr && inner->is_and_ != is_and_;
      if (brackets) out += '(';
      parts_[i]->AppendTo(out, slots);
      if (brackets) out += ')';
    }
  }
  int cost() const override { return cost_; }

 private:
  std::vector<PredicatePtr> parts_;
  bool is_and_;
  int cost_ = 0;
};

class Negation final : public Predicate {
 public:
  explicit Negation(PredicatePtr part) : part_(std::move(part)) {}
  Truth Evaluate(const Row& row) const override {
    switch (part_->Evaluate(row)) {
      case Truth::kTrue: return Truth::kFalse;
      case Truth::kFalse: return Truth::kTrue;
      case Truth::kUnknown: break;
    }
    return Truth::kUnknown;
  }
  void AppendTo(std::string& out, const SlotMap& slots) const override {
    out += "not (";
    part_->AppendTo(out, slots);
    out += ')';
  }
  int cost() const override { return part_->cost(); }

 private:
  PredicatePtr part_;
};

class OnSlot : public Predicate {
 public:
  explicit OnSlot(Slot slot) : slot_(slot) {}
  Truth Evaluate(const Row& row) const final { return ToTruth(Holds(row.Get(slot_))); }
  virtual bool Holds(const AttributeView& value) const = 0;

 protected:
  Slot slot_;
};

class Comparison final : public OnSlot {
 public:
  Comparison(Slot slot, CompareOp op, const AttributeValue& value)
      : OnSlot(slot), payload_(PayloadOf(value)), type_(value.type()), op_(op) {}

  bool Holds(const AttributeView& value) const override {
    if (!value.Is(type_)) return op_ == CompareOp::kNe;
    if (op_ == CompareOp::kEq) return value.payload() == payload_;
    if (op_ == CompareOp::kNe) return value.payload() != payload_;
    if (!IsOrdered(type_)) return false;
    const int order = value.payload().compare(payload_);
    switch (op_) {
      case CompareOp::kLt: return order < 0;
      case CompareOp::kLe: return order <= 0;
      case CompareOp::kGt: return order > 0;
      default: return order >= 0;
    }
  }
  void AppendTo(std::string& out, const SlotMap& slots) const override {
    constexpr std::string_view kNames[] = {" = ", " <> ", " < ", " <= ", " > ", " >= "};
    AppendName(out, slots, slot_);
    out += kNames[static_cast<std::size_t>(op_)];
    AppendEncoded(out, type_, payload_);
  }
  int cost() const override { return 2; }

 private:
  std::string payload_;
  AttributeType type_;
  CompareOp op_;
};

class Membership final : public OnSlot {
 public:
  Membership(Slot slot, const std::vector<AttributeValue>& values) : OnSlot(slot) {
    for (const AttributeValue& value : values) members_.push_back({value.type(), PayloadOf(value)});
    std::sort(members_.begin(), members_.end());
    members_.erase(std::unique(members_.begin(), members_.end()), members_.end());
  }

  bool Holds(const AttributeView& value) const override {
    if (!value.present()) return false;
    const auto place =
        std::partition_point(members_.begin(), members_.end(), [&](const Member& member) {
          return member.type != value.type() ? member.type < value.type()
                                             : member.payload < value.payload();
        });
    return place != members_.end() && place->type == value.type() &&
           place->payload == value.payload();
  }
  void AppendTo(std::string& out, const SlotMap& slots) const override {
    AppendName(out, slots, slot_);
    out += " in (";
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (i > 0) out += ", ";
      AppendEncoded(out, members_[i].type, members_[i].payload);
    }
    out += ')';
  }
  int cost() const override { return 4; }

 private:
  struct Member {
    AttributeType type;
    std::string payload;
    auto operator<=>(const Member&) const = default;
  };
  std::vector<Member> members_;
};

class RangeTest final : public OnSlot {
 public:
  RangeTest(Slot slot, const ScalarRange& range) : OnSlot(slot) {
    if (range.lower) lower_ = Read(*range.lower);
    if (range.upper) upper_ = Read(*range.upper);
  }
  bool Holds(const AttributeView& value) const override {
    if (!value.present() || !IsOrdered(value.type())) return false;
    if (lower_) {
      if (!value.Is(lower_->type)) return false;
      const int order = value.payload().compare(lower_->payload);
      if (order < 0 || (order == 0 && !lower_->inclusive)) return false;
    }
    if (upper_) {
      if (!value.Is(upper_->type)) return false;
      const int order = value.payload().compare(upper_->payload);
      if (order > 0 || (order == 0 && !upper_->inclusive)) return false;
    }
    return true;
  }
  void AppendTo(std::string& out, const SlotMap& slots) const override {
    AppendName(out, slots, slot_);
    if (lower_) {
      out += lower_->inclusive ? " >= " : " > ";
      AppendEncoded(out, lower_->type, lower_->payload);
    }
    if (lower_ && upper_) {
      out += " and ";
      AppendName(out, slots, slot_);
    }
    if (upper_) {
      out += upper_->inclusive ? " <= " : " < ";
      AppendEncoded(out, upper_->type, upper_->payload);
    }
    if (!lower_ && !upper_) out += " is S, N or B";
  }
  int cost() const override { return 3; }

 private:
  struct Bound {
    AttributeType type;
    std::string payload;
    bool inclusive;
  };
  static Bound Read(const ScalarRange::Bound& bound) {
    return {bound.value.type(), PayloadOf(bound.value), bound.inclusive};
  }
  std::optional<Bound> lower_, upper_;
};

class PrefixTest final : public OnSlot {
 public:
  PrefixTest(Slot slot, std::string prefix) : OnSlot(slot), prefix_(std::move(prefix)) {}
  bool Holds(const AttributeView& value) const override {
    return (value.Is(AttributeType::kS) || value.Is(AttributeType::kB)) &&
           value.payload().starts_with(prefix_);
  }
  void AppendTo(std::string& out, const SlotMap& slots) const override {
    AppendName(out, slots, slot_);
    out += " begins with ";
    AppendQuoted(out, prefix_);
  }
  int cost() const override { return 2; }

 private:
  std::string prefix_;
};

class ContainsTest final : public OnSlot {
 public:
  ContainsTest(Slot slot, std::string part) : OnSlot(slot), part_(std::move(part)) {}
  bool Holds(const AttributeView& value) const override {
    return value.Is(AttributeType::kS) && value.payload().find(part_) != std::string_view::npos;
  }
  void AppendTo(std::string& out, const SlotMap& slots) const override {
    AppendName(out, slots, slot_);
    out += " contains ";
    AppendQuoted(out, part_);
  }
  int cost() const override { return 15; }

 private:
  std::string part_;
};

class TypeTest final : public OnSlot {
 public:
  TypeTest(Slot slot, AttributeType type, bool or_missing)
      : OnSlot(slot), type_(type), or_missing_(or_missing) {}
  bool Holds(const AttributeView& value) const override {
    return value.present() ? value.Is(type_) : or_missing_;
  }
  void AppendTo(std::string& out, const SlotMap& slots) const override {
    AppendName(out, slots, slot_);
    out += " is " + std::string(AttributeTypeName(type_));
    if (or_missing_) out += " or missing";
  }
  int cost() const override { return 1; }

 private:
  AttributeType type_;
  bool or_missing_;
};

class PresenceTest final : public OnSlot {
 public:
  PresenceTest(Slot slot, bool present) : OnSlot(slot), present_(present) {}
  bool Holds(const AttributeView& value) const override { return value.present() == present_; }
  void AppendTo(std::string& out, const SlotMap& slots) const override {
    AppendName(out, slots, slot_);
    out += present_ ? " exists" : " not exists";
  }
  int cost() const override { return 1; }

 private:
  bool present_;
};

// The text of S or the canonical text of N, without an allocation for numbers of up to 15
// characters.
template <class Test>
bool OnText(const AttributeView& value, const Test& test) {
  if (value.Is(AttributeType::kS)) return test(value.payload());
  if (!value.Is(AttributeType::kN)) return false;
  std::string text;
  AppendNumberText(text, value.payload());
  return test(text);
}

class LikeTest final : public OnSlot {
 public:
  LikeTest(Slot slot, std::string_view pattern) : OnSlot(slot), text_(pattern), like_(pattern) {}
  bool Holds(const AttributeView& value) const override {
    return OnText(value, [&](std::string_view text) { return like_.Matches(text); });
  }
  void AppendTo(std::string& out, const SlotMap& slots) const override {
    AppendName(out, slots, slot_);
    out += " like ";
    AppendQuoted(out, text_);
  }
  int cost() const override {
    if (like_.shape() == LikePattern::Shape::kGeneral) return 25;
    return like_.shape() == LikePattern::Shape::kContains ? 15 : 2;
  }

 private:
  std::string text_;
  LikePattern like_;
};

class RegexTest final : public OnSlot {
 public:
  RegexTest(Slot slot, std::shared_ptr<const MatchRegex> regex)
      : OnSlot(slot), regex_(std::move(regex)) {}
  bool Holds(const AttributeView& value) const override {
    return OnText(value, [&](std::string_view text) { return regex_->Matches(text); });
  }
  void AppendTo(std::string& out, const SlotMap& slots) const override {
    AppendName(out, slots, slot_);
    out += " matches ";
    AppendQuoted(out, regex_->pattern());
  }
  int cost() const override { return regex_->is_specialised() ? 6 : 40; }

 private:
  std::shared_ptr<const MatchRegex> regex_;
};

PredicatePtr Join(bool is_and, std::vector<PredicatePtr> parts) {
  std::vector<PredicatePtr> flat;
  for (PredicatePtr& part : parts) {
    if (const auto* constant = dynamic_cast<const Constant*>(part.get())) {
      if (constant->value() != is_and) return part;  // decides the whole
      continue;
    }
    const auto* inner = dynamic_cast<const Junction*>(part.get());
    if (inner != nullptr && inner->is_and() == is_and) {
      flat.insert(flat.end(), inner->parts().begin(), inner->parts().end());
    } else {
      flat.push_back(std::move(part));
    }
  }
  if (flat.empty()) return is_and ? AlwaysTrue() : AlwaysFalse();
  if (flat.size() == 1) return flat.front();
  std::stable_sort(flat.begin(), flat.end(), [](const PredicatePtr& a, const PredicatePtr& b) {
    return a->cost() < b->cost();
  });
  return std::make_shared<Junction>(is_and, std::move(flat));
}

}  // namespace

PredicatePtr AlwaysTrue() { return std::make_shared<Constant>(true); }
PredicatePtr AlwaysFalse() { return std::make_shared<Constant>(false); }
PredicatePtr And(std::vector<PredicatePtr> parts) { return Join(true, std::move(parts)); }
PredicatePtr Or(std::vector<PredicatePtr> parts) { return Join(false, std::move(parts)); }
PredicatePtr Not(PredicatePtr part) {
  if (const auto* constant = dynamic_cast<const Constant*>(part.get())) {
    return constant->value() ? AlwaysFalse() : AlwaysTrue();
  }
  return std::make_shared<Negation>(std::move(part));
}

PredicatePtr Compare(Slot slot, CompareOp op, AttributeValue value) {
  return std::make_shared<Comparison>(slot, op, value);
}
PredicatePtr In(Slot slot, std::vector<AttributeValue> values) {
  if (values.empty()) return AlwaysFalse();
  if (values.size() == 1) return Compare(slot, CompareOp::kEq, std::move(values.front()));
  return std::make_shared<Membership>(slot, values);
}
PredicatePtr InRange(Slot slot, ScalarRange range) {
  if (range.prefix) return BeginsWith(slot, std::move(*range.prefix));
  return std::make_shared<RangeTest>(slot, range);
}
PredicatePtr Meets(Slot slot, const ColumnCondition& condition) {
  if (condition.never) return AlwaysFalse();
  if (!condition.equals.empty()) return In(slot, condition.equals);
  return condition.range ? InRange(slot, *condition.range) : AlwaysTrue();
}
PredicatePtr BeginsWith(Slot slot, std::string prefix) {
  return std::make_shared<PrefixTest>(slot, std::move(prefix));
}
PredicatePtr Contains(Slot slot, std::string part) {
  return std::make_shared<ContainsTest>(slot, std::move(part));
}
PredicatePtr Exists(Slot slot) { return std::make_shared<PresenceTest>(slot, true); }
PredicatePtr NotExists(Slot slot) { return std::make_shared<PresenceTest>(slot, false); }
PredicatePtr HasType(Slot slot, AttributeType type, bool or_missing) {
  return std::make_shared<TypeTest>(slot, type, or_missing);
}
PredicatePtr IsNullType(Slot slot) { return HasType(slot, AttributeType::kNull, false); }
PredicatePtr LikeMatch(Slot slot, std::string_view pattern) {
  return std::make_shared<LikeTest>(slot, pattern);
}
Result<PredicatePtr> RegexMatch(Slot slot, std::string_view pattern) {
  TABLECAST_ASSIGN_OR_RETURN(auto regex, MatchRegex::Compile(pattern));
  return RegexMatch(slot, std::move(regex));
}
PredicatePtr RegexMatch(Slot slot, std::shared_ptr<const MatchRegex> regex) {
  return std::make_shared<RegexTest>(slot, std::move(regex));
}

}  // namespace tablecast
