#include "connector/aggregate.h"

#include <cmath>

namespace tablecast {
namespace {

constexpr Decimal::Context kSum{Decimal::kMaxDigits, Rounding::kHalfUp};
constexpr Decimal::Context kAverage{38, Rounding::kHalfUp};

Decimal Sum(const Decimal& a, const Decimal& b) { return Add(a, b, kSum); }

}  // namespace

Result<EdmType> TypeOfAggregate(const AggregateItem& item) {
  EdmType type;
  type.kind = EdmKind::kDecimal;
  if (item.method == AggregateMethod::kCount || item.method == AggregateMethod::kCountDistinct)
    return type;
  const EdmType& given = item.expression->type();
  const bool adds =
      item.method == AggregateMethod::kSum || item.method == AggregateMethod::kAverage;
  const bool fits = !given.collection &&
                    (adds ? IsNumeric(given.kind)
                          : given.kind != EdmKind::kComplex && given.kind != EdmKind::kBinary);
  if (!fits) {
    return MakeError(ErrorCode::kInvalidArgument, "aggregate-type",
                     std::string(adds ? "sum and average need numbers"
                                      : "min and max need values with an order") +
                         ", " + item.expression->ToString() + " is of type " + EdmTypeText(given));
  }
  if (!adds) return given;
  if (IsFloating(given.kind)) type.kind = EdmKind::kDouble;
  return type;
}

void Accumulator::Add(const EdmValue& value) {
  if (method_ == AggregateMethod::kCount) {
    ++count_;
    return;
  }
  if (value.is_null()) return;
  ++count_;
  switch (method_) {
    case AggregateMethod::kSum:
    case AggregateMethod::kAverage:
      if (IsFloating(value.kind())) {
        const tablecast::Result<Decimal> exact = Decimal::FromShortestDouble(value.floating());
        if (exact.ok()) {
          sum_ = Sum(sum_, *exact);
        } else {
          special_ = special_.value_or(0) + value.floating();
        }
      } else if (IsExactNumber(value.kind())) {
        sum_ = Sum(sum_, value.number());
      }
      return;
    case AggregateMethod::kMin:
      if (extreme_.is_null() || OrderEdm(value, extreme_) < 0) extreme_ = value;
      return;
    case AggregateMethod::kMax:
      if (extreme_.is_null() || OrderEdm(value, extreme_) > 0) extreme_ = value;
      return;
    case AggregateMethod::kCountDistinct: {
      std::string key;
      AppendEdmToken(key, value);
      distinct_.insert(std::move(key));
      return;
    }
    case AggregateMethod::kCount: return;
  }
}

void Accumulator::AddTotal(std::uint64_t count, const Decimal& sum, const EdmValue& least,
                           const EdmValue& greatest) {
  count_ += count;
  sum_ = Sum(sum_, sum);
  if (method_ != AggregateMethod::kMin && method_ != AggregateMethod::kMax) return;
  --count_;  // Add counts the value that it takes
  Add(method_ == AggregateMethod::kMin ? least : greatest);
}

void Accumulator::Merge(const Accumulator& other) {
  count_ += other.count_;
  sum_ = Sum(sum_, other.sum_);
  if (other.special_) special_ = special_.value_or(0) + *other.special_;
  distinct_.insert(other.distinct_.begin(), other.distinct_.end());
  if (other.extreme_.is_null()) return;
  const bool first = extreme_.is_null();
  if (first || (method_ == AggregateMethod::kMin ? OrderEdm(other.extreme_, extreme_) < 0
                                                 : OrderEdm(other.extreme_, extreme_) > 0)) {
    extreme_ = other.extreme_;
  }
}

EdmValue Accumulator::Result() const {
  switch (method_) {
    case AggregateMethod::kCount: return EdmValue::Number(Decimal::FromUint64(count_));
    case AggregateMethod::kCountDistinct:
      return EdmValue::Number(Decimal::FromUint64(distinct_.size()));
    case AggregateMethod::kMin:
    case AggregateMethod::kMax: return extreme_;
    default: break;
  }
  if (count_ == 0) return {};
  if (special_) return EdmValue::Double(*special_);
  if (method_ == AggregateMethod::kSum) return EdmValue::Number(sum_);
  const auto average = Divide(sum_, Decimal::FromUint64(count_), kAverage);
  return average.ok() ? EdmValue::Number(*average) : EdmValue();
}

std::optional<AggregateMethod> AggregateMethodFromName(std::string_view name) {
  if (name == "sum") return AggregateMethod::kSum;
  if (name == "min") return AggregateMethod::kMin;
  if (name == "max") return AggregateMethod::kMax;
  if (name == "average") return AggregateMethod::kAverage;
  if (name == "countdistinct") return AggregateMethod::kCountDistinct;
  return std::nullopt;
}

}  // namespace tablecast
