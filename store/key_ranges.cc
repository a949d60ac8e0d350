#include "store/key_ranges.h"

#include <algorithm>
#include <utility>

#include "item/number.h"
#include "store/key_layout.h"

namespace tablecast {
namespace {

const std::string& ScalarBytes(const AttributeValue& value) {
  if (value.Is(AttributeType::kN)) return value.number_code();
  return value.Is(AttributeType::kS) ? value.text() : value.bytes();
}

// Encodes values of one key column and the points right behind them.
class ColumnCodec {
 public:
  ColumnCodec(AttributeType type, bool closed) : type_(type), closed_(closed) {}

  bool Fits(const AttributeValue& value) const { return value.Is(type_); }
  std::string At(const AttributeValue& value) const {
    if (type_ == AttributeType::kN || !closed_) return ScalarBytes(value);
    std::string out;
    AppendEscapedClosed(out, ScalarBytes(value));
    return out;
  }
  // The first byte string behind every key in which this column has `value`.
  std::string Behind(const AttributeValue& value) const {
    std::string out = At(value);
    if (type_ == AttributeType::kN || closed_) {
      out.back() =
          static_cast<char>(static_cast<unsigned char>(out.back()) + 1U);  // 00, 66 or 01: never FF
    } else {
      out += '\0';
    }
    return out;
  }
  ByteRange WithPrefix(std::string_view prefix) const {
    ByteRange range;
    if (closed_) {
      AppendEscaped(range.lower, prefix);
    } else {
      range.lower = prefix;
    }
    range.upper = PrefixEnd(range.lower);
    return range;
  }

  // Ascending, disjoint ranges of this column's bytes; all of them for a free condition.
  std::vector<ByteRange> Ranges(const ColumnCondition& condition) const;

 private:
  AttributeType type_;
  bool closed_;
};

bool IsEmpty(const ByteRange& range) { return range.upper && *range.upper <= range.lower; }

std::vector<ByteRange> ColumnCodec::Ranges(const ColumnCondition& condition) const {
  std::vector<ByteRange> ranges;
  if (condition.never) return ranges;
  if (!condition.equals.empty()) {
    for (const AttributeValue& value : condition.equals) {
      if (Fits(value)) ranges.push_back({At(value), Behind(value)});
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.lower < b.lower; });
    ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
    return ranges;
  }
  ByteRange range;
  if (condition.range) {
    const ScalarRange& wanted = *condition.range;
    if (wanted.prefix) {
      if (type_ == AttributeType::kN) return ranges;  // begins_with is for S and B
      range = WithPrefix(*wanted.prefix);
    }
    for (const auto* bound : {&wanted.lower, &wanted.upper}) {
      if (*bound && !Fits((*bound)->value)) return ranges;
    }
    if (wanted.lower)
      range.lower = wanted.lower->inclusive ? At(wanted.lower->value) : Behind(wanted.lower->value);
    if (wanted.upper)
      range.upper = wanted.upper->inclusive ? Behind(wanted.upper->value) : At(wanted.upper->value);
  }
  if (!IsEmpty(range)) ranges.push_back(std::move(range));
  return ranges;
}

}  // namespace

KeyShape ShapeOf(const KeySchema& key) {
  KeyShape shape{.first = key.partition.type, .second = std::nullopt, .second_closed = false};
  if (key.sort) shape.second = key.sort->type;
  return shape;
}

KeyShape ShapeOf(const SecondaryIndex& index) {
  KeyShape shape{
      .first = index.partition.front().type, .second = std::nullopt, .second_closed = true};
  if (index.partition.size() > 1) {
    shape.second = index.partition[1].type;
  } else if (!index.sort.empty()) {
    shape.second = index.sort.front().type;
  }
  return shape;
}

KeyPlan PlanKeys(const KeyShape& shape, const KeyCondition& condition) {
  KeyPlan plan;
  plan.first = shape.first;
  if (condition.partition.never || condition.sort.never) return plan;
  if (!shape.second && !condition.sort.IsFree())
    return plan;  // a missing attribute meets no condition

  const ColumnCodec first(shape.first, true);
  std::vector<ByteRange> first_ranges = first.Ranges(condition.partition);
  if (condition.sort.IsFree()) {
    plan.ranges = std::move(first_ranges);
    return plan;
  }
  const ColumnCodec second(*shape.second, shape.second_closed);
  std::vector<ByteRange> second_ranges = second.Ranges(condition.sort);
  if (second_ranges.empty()) return plan;
  if (condition.partition.equals.empty()) {
    plan.ranges = std::move(first_ranges);
    plan.check_second = true;
    plan.second_ranges = std::move(second_ranges);
    return plan;
  }
  for (const ByteRange& partition : first_ranges) {
    // An equality's lower end is the column's whole encoding, its upper end the point behind it.
    for (const ByteRange& range : second_ranges) {
      plan.ranges.push_back({partition.lower + range.lower,
                             range.upper ? partition.lower + *range.upper : *partition.upper});
    }
  }
  return plan;
}

std::size_t FirstColumnLength(AttributeType type, std::string_view key) {
  return type == AttributeType::kN ? NumberCodeLength(key) : EscapedLength(key);
}

}  // namespace tablecast
