#include "connector/key_ranges.h"

#include <algorithm>

#include "base/utf8.h"
#include "item/item_codec.h"

namespace tablecast {
namespace {

// Type letter and sort bytes: compares like the values, values of one type beside each other.
std::string Bytes(const AttributeValue& value) {
  std::string out(1, static_cast<char>(value.type()));
  AppendSortBytes(out, value);
  return out;
}

AttributeValue SameType(const AttributeValue& like, std::string text) {
  return like.Is(AttributeType::kB) ? AttributeValue::Binary(std::move(text))
                                    : AttributeValue::String(std::move(text));
}

// Prefix ranges as bounds. A prefix is taken as text: S and B prefixes compare alike by bytes.
ScalarRange AsBounds(const ScalarRange& range, AttributeType type) {
  if (!range.prefix) return range;
  const AttributeValue like =
      type == AttributeType::kB ? AttributeValue::Binary("") : AttributeValue::String("");
  ScalarRange out;
  out.lower = ScalarRange::Bound{SameType(like, *range.prefix), true};
  if (std::optional<std::string> after = PrefixSuccessor(*range.prefix)) {
    out.upper = ScalarRange::Bound{SameType(like, *std::move(after)), false};
  }
  return out;
}

AttributeType TypeOfRange(const ScalarRange& a, const ScalarRange& b) {
  for (const ScalarRange* range : {&a, &b}) {
    if (range->lower) return range->lower->value.type();
    if (range->upper) return range->upper->value.type();
  }
  return AttributeType::kS;
}

}  // namespace

ColumnCondition EqualsCondition(AttributeValue value) {
  ColumnCondition out;
  out.equals.push_back(std::move(value));
  return out;
}

KeyCondition Intersect(const KeyCondition& a, const KeyCondition& b) {
  return {Intersect(a.partition, b.partition), Intersect(a.sort, b.sort)};
}

ColumnCondition Hull(const ColumnCondition& a, const ColumnCondition& b) {
  if (a.never) return b;
  if (b.never) return a;
  if (a.IsFree() || b.IsFree()) return {};
  if (a == b) return a;
  const auto bounds = [](const ColumnCondition& condition) {
    if (condition.equals.empty()) {
      return AsBounds(*condition.range, TypeOfRange(*condition.range, *condition.range));
    }
    const auto less = [](const AttributeValue& x, const AttributeValue& y) {
      return Bytes(x) < Bytes(y);
    };
    const auto [low, high] =
        std::minmax_element(condition.equals.begin(), condition.equals.end(), less);
    ScalarRange range;
    range.lower = ScalarRange::Bound{*low, true};
    range.upper = ScalarRange::Bound{*high, true};
    return range;
  };
  const ScalarRange left = bounds(a);
  const ScalarRange right = bounds(b);
  ColumnCondition out;
  out.range.emplace();
  if (left.lower && right.lower) {
    const int order = Bytes(left.lower->value).compare(Bytes(right.lower->value));
    out.range->lower =
        order < 0 || (order == 0 && left.lower->inclusive) ? left.lower : right.lower;
  }
  if (left.upper && right.upper) {
    const int order = Bytes(left.upper->value).compare(Bytes(right.upper->value));
    out.range->upper =
        order > 0 || (order == 0 && left.upper->inclusive) ? left.upper : right.upper;
  }
  if (!out.range->lower && !out.range->upper) out.range.reset();
  return out;
}

bool IsPoint(const KeyCondition& condition, const TableSchema& schema) {
  return !condition.partition.equals.empty() &&
         (!schema.key.sort || !condition.sort.equals.empty());
}

std::string KeyConditionText(const KeyCondition& condition, const TableSchema& schema) {
  std::string out = ConditionText(schema.key.partition.name, condition.partition);
  if (schema.key.sort) {
    const std::string sort = ConditionText(schema.key.sort->name, condition.sort);
    if (!sort.empty()) out += (out.empty() ? "" : " and ") + sort;
  }
  return out;
}

}  // namespace tablecast
