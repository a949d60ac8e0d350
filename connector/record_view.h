#ifndef TABLECAST_CONNECTOR_RECORD_VIEW_H_
#define TABLECAST_CONNECTOR_RECORD_VIEW_H_

// What an expression reads while it is evaluated: the record behind each range variable, the row of
// an aggregation, the request's time, and a way to related records.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/civil_time.h"
#include "base/result.h"
#include "connector/edm_value.h"
#include "connector/external_object.h"
#include "connector/field.h"
#include "qualifiers/predicate.h"

namespace tablecast {

// One record of an external object. BORROWS the item; valid until the reader moves on.
class RecordView {
 public:
  virtual ~RecordView() = default;
  virtual const ExternalObject& object() const = 0;
  // The field's value; null when it does not convert. Computed at each call: ask once.
  virtual EdmValue Value(const Field& field) const = 0;
  // The stored value behind a physical field; absent for computed ones.
  virtual AttributeView Stored(const Field& field) const = 0;
  // Value of a join column, field or not.
  virtual EdmValue Join(const JoinColumn& column) const = 0;
};

// Finds the records that a navigation leads to. ERRORS: of the read; limits.
class RelatedReader {
 public:
  virtual ~RelatedReader() = default;
  virtual Status ForEachRelated(const Navigation& navigation, const RecordView& from,
                                const std::function<bool(const RecordView&)>& visit) = 0;
  // What bounds the evaluation itself: the request's deadline, and room for the values that the
  // answer holds at once. ERRORS: "query-deadline"; "computed-too-large".
  virtual Status CheckDeadline() { return {}; }
  virtual Status Keep(std::size_t) { return {}; }
};

// THREAD: one thread; made per query.
class EvalContext {
 public:
  static constexpr std::uint32_t kVariables = 64;
  using Row = std::vector<std::optional<EdmValue>>;

  explicit EvalContext(Timestamp now, RelatedReader* related = nullptr)
      : now_(now), related_(related) {}

  Timestamp now() const { return now_; }
  RelatedReader* related() { return related_; }

  const RecordView* record(std::uint32_t variable) const {
    return variable < kVariables ? records_[variable] : nullptr;
  }
  void Bind(std::uint32_t variable, const RecordView* record) {
    if (variable < kVariables) records_[variable] = record;
  }
  const EdmValue* value(std::uint32_t variable) const {
    return variable < kVariables ? values_[variable] : nullptr;
  }
  void BindValue(std::uint32_t variable, const EdmValue* value) {
    if (variable < kVariables) values_[variable] = value;
  }
  const Row* row() const { return row_; }
  void BindRow(const Row* row) { row_ = row; }

  // The compiled pattern of a matchesPattern whose pattern is no literal; null and failed when it
  // does not compile. COST: compiles when pattern or flags differ from the last call's.
  const RegexSearch* Pattern(const std::string& pattern, const std::string& flags);

  // One use of a $compute name. Names may refer to names twice over, so a short query can ask for
  // an endless evaluation of one record: false, and failed, behind the deadline.
  bool Step();
  // Counts a computed value that is kept until the answer is written.
  void Keep(const EdmValue& value);

  // Keeps the first failure; the caller of Evaluate looks.
  void Fail(Error error) {
    if (!error_) error_ = std::move(error);
  }
  // Says which part of the query failed, "$filter"; who evaluates knows.
  void NameFailure(const char* target) {
    if (error_ && error_->target.empty()) error_->target = target;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  Timestamp now_;
  RelatedReader* related_;
  std::array<const RecordView*, kVariables> records_{};
  std::array<const EdmValue*, kVariables> values_{};
  const Row* row_ = nullptr;
  std::optional<Error> error_;
  std::uint32_t steps_ = 0;
  std::string pattern_;
  std::string pattern_flags_;
  std::shared_ptr<const RegexSearch> compiled_;
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_RECORD_VIEW_H_
