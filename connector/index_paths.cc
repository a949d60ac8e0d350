#include "connector/index_paths.h"

#include <algorithm>

#include "base/utf8.h"
#include "connector/edm_value.h"

namespace tablecast {
namespace {

constexpr std::size_t kMaxRanges = 2000;

bool TestsField(const ColumnTest& test, const Field& field) {
  return test.field == &field || (test.field == nullptr && test.source == field.source);
}

// Whether the index orders values of the field as the test compares them.
bool Indexable(const ColumnTest& test) {
  return std::none_of(test.values.begin(), test.values.end(), [](const EdmValue& value) {
    return IsFloating(value.kind()) ||
           (IsExactNumber(value.kind()) && value.number().DigitCount() > 38);
  });
}

std::string Encoded(const EdmValue& value, bool descending) {
  std::string out;
  AppendOrderedEdm(out, value, descending);
  return out;
}

// First bytes behind everything that starts with `bytes`.
std::optional<std::string> Behind(const std::string& bytes) { return PrefixSuccessor(bytes); }

struct Bounds {
  std::string lower;
  std::optional<std::string> upper;
};

// Bounds of one range test on a part behind `prefix`. Nulls never pass a comparison.
Bounds RangeBounds(const std::string& prefix, TestOp op, const EdmValue& value, bool descending) {
  const std::string at = prefix + Encoded(value, descending);
  const std::string null = prefix + Encoded(EdmValue(), descending);
  const bool low_side =
      (op == TestOp::kLt || op == TestOp::kLe) != descending;  // entries before `at`
  const bool inclusive = op == TestOp::kLe || op == TestOp::kGe;
  Bounds bounds;
  if (low_side) {
    bounds.lower = descending ? prefix : Behind(null).value_or(prefix);
    bounds.upper = inclusive ? Behind(at) : at;
  } else {
    bounds.lower = inclusive ? at : Behind(at).value_or(at);
    bounds.upper = descending ? std::optional<std::string>(null) : Behind(prefix);
  }
  return bounds;
}

Bounds PrefixBounds(const std::string& prefix, const std::string& text, bool descending) {
  std::string start = prefix + Encoded(EdmValue::String(text), descending);
  start.resize(start.size() - 2);  // the terminator
  Bounds bounds;
  bounds.lower = start;
  bounds.upper = Behind(start);
  return bounds;
}

// Bounds cut as the stored orders are: weaker, never stronger.
IndexRange ToRange(Bounds bounds, bool& exact) {
  IndexRange range;
  if (bounds.lower.size() > kStoredOrderBytes) {
    bounds.lower.resize(kStoredOrderBytes);
    exact = false;
  }
  if (bounds.upper && bounds.upper->size() > kStoredOrderBytes) {
    bounds.upper->resize(kStoredOrderBytes);
    bounds.upper = Behind(*bounds.upper);
    exact = false;
  }
  range.lower = std::move(bounds.lower);
  range.upper = std::move(bounds.upper);
  return range;
}

}  // namespace

std::optional<IndexUse> UseIndex(
    const ExternalObject& object, const DeclaredIndex& index, const std::vector<ColumnTest>& tests,
    const std::optional<std::vector<std::pair<std::uint32_t, bool>>>& order) {
  IndexUse use;
  std::set<std::uint32_t> fixed;  // fields bound to one value
  std::size_t part = 0;
  std::vector<std::string> prefixes = {""};
  const auto find = [&](const Field& field, auto&& accepts) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < tests.size(); ++i) {
      if (use.covered.count(i) == 0 && TestsField(tests[i], field) && Indexable(tests[i]) &&
          accepts(tests[i]))
        return i;
    }
    return std::nullopt;
  };
  for (; part < index.parts.size(); ++part) {
    const Field& field = object.fields()[index.parts[part].field];
    const bool descending = index.parts[part].descending;
    const auto equal = find(field, [](const ColumnTest& t) {
      return t.op == TestOp::kEq || t.op == TestOp::kIn || t.op == TestOp::kIsNull;
    });
    if (!equal) break;
    const ColumnTest& test = tests[*equal];
    std::vector<EdmValue> values = test.values;
    if (test.op == TestOp::kIsNull) values = {EdmValue()};
    if (values.empty() || prefixes.size() * values.size() > kMaxRanges) break;
    std::vector<std::string> longer;
    for (const std::string& prefix : prefixes) {
      for (const EdmValue& value : values) longer.push_back(prefix + Encoded(value, descending));
    }
    std::sort(longer.begin(), longer.end());
    longer.erase(std::unique(longer.begin(), longer.end()), longer.end());
    prefixes = std::move(longer);
    if (values.size() == 1) fixed.insert(index.parts[part].field);
    use.covered.insert(*equal);
    use.exact = use.exact && test.whole;
    use.pushed.push_back(test.text);
  }
  const bool one = prefixes.size() == 1;
  bool ranged = false;
  std::vector<Bounds> bounds;
  for (const std::string& prefix : prefixes)
    bounds.push_back({prefix, prefix.empty() ? std::nullopt : Behind(prefix)});
  if (part < index.parts.size()) {
    const Field& field = object.fields()[index.parts[part].field];
    const bool descending = index.parts[part].descending;
    while (const auto range = find(field, [](const ColumnTest& t) {
             return t.op != TestOp::kEq && t.op != TestOp::kIn && t.op != TestOp::kIsNull;
           })) {
      const ColumnTest& test = tests[*range];
      for (std::size_t i = 0; i < prefixes.size(); ++i) {
        const Bounds by = test.op == TestOp::kStartsWith
                              ? PrefixBounds(prefixes[i], test.values.front().text(), descending)
                              : RangeBounds(prefixes[i], test.op, test.values.front(), descending);
        bounds[i].lower = std::max(bounds[i].lower, by.lower);
        if (by.upper && (!bounds[i].upper || *by.upper < *bounds[i].upper))
          bounds[i].upper = by.upper;
      }
      ranged = true;
      use.covered.insert(*range);
      use.exact = use.exact && test.whole;
      use.pushed.push_back(test.text);
    }
  }
  // The order behind the equalities.
  bool serves_order = false;
  if (order && one) {
    std::vector<std::pair<std::uint32_t, bool>> wanted;
    for (const auto& key : *order) {
      if (fixed.count(key.first) == 0) wanted.push_back(key);
    }
    const std::size_t left = index.parts.size() - part;
    if (!wanted.empty() && wanted.size() == left) {
      const bool reverse = wanted.front().second != index.parts[part].descending;
      serves_order = true;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const DeclaredIndex::Part& have = index.parts[part + i];
        serves_order = serves_order && wanted[i].first == have.field &&
                       (wanted[i].second != have.descending) == reverse;
      }
      use.reverse = serves_order && reverse;
    }
    // All parts fixed: entries come by native key, which is what is left of the order.
    if (wanted.empty() && left == 0) serves_order = true;
  }
  use.native_order = one && part == index.parts.size() && !ranged;
  use.ordered = serves_order;
  if (use.covered.empty() && !serves_order) return std::nullopt;
  for (Bounds& range : bounds) {
    if (range.upper && *range.upper <= range.lower) continue;
    use.ranges.push_back(ToRange(std::move(range), use.exact));
  }
  if (one) use.prefix = prefixes.front();
  use.tail_parts = index.parts.size() - part;
  for (const std::string& text : use.pushed) use.text += (use.text.empty() ? "" : " and ") + text;
  if (use.text.empty()) use.text = "whole index";
  return use;
}

}  // namespace tablecast
