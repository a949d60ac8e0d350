#ifndef TABLECAST_CONNECTOR_AGGREGATE_H_
#define TABLECAST_CONNECTOR_AGGREGATE_H_

// Aggregation methods over values, exact for numbers: sums and averages never pass through a
// double. Null values do not count. SOURCE: OData Data Aggregation 4.0, section 3.1.3.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "connector/object_query.h"

namespace tablecast {

// The type of an aggregate's result. ERRORS: kInvalidArgument "aggregate-type".
Result<EdmType> TypeOfAggregate(const AggregateItem& item);

// One running aggregate.
class Accumulator {
 public:
  explicit Accumulator(AggregateMethod method) : method_(method) {}
  // For kCount the value is not looked at.
  void Add(const EdmValue& value);
  // What `count` values of a number column come to.
  void AddTotal(std::uint64_t count, const Decimal& sum, const EdmValue& least,
                const EdmValue& greatest);
  // REQUIRES: the same method.
  void Merge(const Accumulator& other);
  // Null for sum, min, max and average of nothing.
  EdmValue Result() const;

 private:
  AggregateMethod method_;
  std::uint64_t count_ = 0;
  Decimal sum_;
  std::optional<double> special_;  // NaN or infinite: beyond exact sums
  EdmValue extreme_;
  std::unordered_set<std::string> distinct_;
};

std::optional<AggregateMethod> AggregateMethodFromName(
    std::string_view name);  // "sum", ..., "countdistinct"

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_AGGREGATE_H_
