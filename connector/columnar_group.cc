// IMPLEMENTATION. Every key and every aggregate that is not plain arithmetic becomes numbers: each
// row has the number of its value, found once per distinct value of the column. A group is the pair
// of (group of the keys before, number of this key). Sums, counts, least and greatest of a number
// column are kept as integers of the segment's scale and handed over when the segment ends.

#include "connector/columnar_group.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "connector/expression_nodes.h"

namespace tablecast {
namespace {

constexpr std::uint32_t kUnknown = 0xFFFFFFFF;
constexpr std::int64_t kDenseNumbers = 65536;
constexpr std::int64_t kNanos = 1'000'000'000;
constexpr std::int64_t kDayNanos = 86400 * kNanos;

const Expression* Resolve(const Expression* node, const std::vector<ExpressionPtr>& computed) {
  while (true) {
    if (const auto* alias = dynamic_cast<const AliasNode*>(node)) {
      node = alias->definition().get();
    } else if (const auto* column = dynamic_cast<const ColumnRefNode*>(node);
               column != nullptr && column->index() < computed.size()) {
      node = computed[column->index()].get();
    } else {
      return node;
    }
  }
}

// Nanoseconds of the day's part that the expression tells apart; 0 when it is no such call.
std::int64_t DayUnit(const Expression& expression) {
  const auto* call = dynamic_cast<const CallNode*>(&expression);
  if (call == nullptr || call->arguments().size() != 1) return 0;
  const auto* field = dynamic_cast<const FieldRefNode*>(call->arguments().front().get());
  if (field == nullptr || field->field().kind != EdmKind::kDateTimeOffset) return 0;
  if (call->function() == Function::kHour) return 3600 * kNanos;
  if (call->function() == Function::kMinute) return 60 * kNanos;
  return call->function() == Function::kSecond ? kNanos : 0;
}

// The values of one expression, numbered over all segments.
class NumberedValues {
 public:
  NumberedValues(const ExternalObject& object, ExpressionPtr expression,
                 const std::vector<ExpressionPtr>& computed, std::vector<std::uint32_t> fields)
      : object_(object),
        expression_(std::move(expression)),
        computed_(computed),
        fields_(std::move(fields)),
        day_unit_(DayUnit(*Resolve(expression_.get(), computed))) {
    if (day_unit_ != 0) by_part_.assign(static_cast<std::size_t>(kDayNanos / day_unit_), kUnknown);
  }

  const std::vector<std::uint32_t>& fields() const { return fields_; }
  const EdmValue& value(std::uint32_t number) const { return values_[number]; }
  std::size_t size() const { return values_.size(); }

  // The number of each row's value.
  void Number(ColumnarRecord& record, EvalContext& context, const std::vector<std::uint32_t>& rows,
              std::vector<std::uint32_t>& out) {
    out.resize(rows.size());
    if (fields_.size() != 1) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        record.MoveTo(rows[i]);
        out[i] = Evaluate(context);
      }
      return;
    }
    const std::uint32_t number = fields_.front();
    const Field& field = object_.fields()[number];
    const ColumnChunk& chunk = record.chunk(number);
    const auto of = [&](const EdmValue& value) {
      record.Pretend(number, &value);
      const std::uint32_t found = Evaluate(context);
      record.Pretend(number, nullptr);
      return found;
    };
    if (chunk.form == ColumnChunk::Form::kTexts) {
      std::vector<std::uint32_t> by_code(chunk.dictionary.size() + 1, kUnknown);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint32_t code = chunk.codes[rows[i]];
        if (by_code[code] == kUnknown)
          by_code[code] = of(code == 0 ? EdmValue() : ColumnText(field, chunk.dictionary[code - 1]));
        out[i] = by_code[code];
      }
      return;
    }
    // Numbers that lie close together need no hashing; the last place is for no value.
    const bool dense = day_unit_ == 0 && chunk.greatest - chunk.least < kDenseNumbers;
    std::vector<std::uint32_t> by_offset;
    if (dense) by_offset.assign(static_cast<std::size_t>(chunk.greatest - chunk.least + 2), kUnknown);
    if (chunk.scale != scale_) by_number_.clear();
    scale_ = chunk.scale;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t value = chunk.numbers[rows[i]];
      if (day_unit_ != 0 && value != ColumnChunk::kNull) {
        // The same time of day on the first day says the same.
        std::int64_t of_day = value % kDayNanos;
        if (of_day < 0) of_day += kDayNanos;
        const auto part = static_cast<std::size_t>(of_day / day_unit_);
        if (by_part_[part] == kUnknown)
          by_part_[part] = of(ColumnNumber(field, static_cast<std::int64_t>(part) * day_unit_, chunk.scale));
        out[i] = by_part_[part];
        continue;
      }
      if (dense) {
        std::uint32_t& known = value == ColumnChunk::kNull
                                   ? by_offset.back()
                                   : by_offset[static_cast<std::size_t>(value - chunk.least)];
        if (known == kUnknown) known = of(ColumnNumber(field, value, chunk.scale));
        out[i] = known;
        continue;
      }
      const auto [at, added] = by_number_.try_emplace(value, 0);
      if (added) at->second = of(ColumnNumber(field, value, chunk.scale));
      out[i] = at->second;
    }
  }

 private:
  std::uint32_t Evaluate(EvalContext& context) {
    EvalContext::Row row;
    context.BindRow(&row);
    for (const ExpressionPtr& column : computed_) row.emplace_back(column->Evaluate(context));
    const EdmValue value = expression_->Evaluate(context);
    context.BindRow(nullptr);
    std::string token;
    AppendEdmToken(token, value);
    const auto [at, added] = by_token_.try_emplace(token, static_cast<std::uint32_t>(values_.size()));
    if (added) values_.push_back(value);
    return at->second;
  }

  const ExternalObject& object_;
  ExpressionPtr expression_;
  const std::vector<ExpressionPtr>& computed_;
  std::vector<std::uint32_t> fields_;
  std::int64_t day_unit_;
  std::vector<std::uint32_t> by_part_;
  std::int32_t scale_ = 0;
  std::unordered_map<std::int64_t, std::uint32_t> by_number_;
  std::unordered_map<std::string, std::uint32_t> by_token_;
  std::vector<EdmValue> values_;
};

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// What one segment adds to one aggregate of one group.
struct Total {
  Wide sum = 0;
  std::uint64_t count = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
};

Decimal SumOf(Wide sum, std::int32_t scale) {
  const Decimal::Context exact{Decimal::kMaxDigits, Rounding::kHalfUp};
  const bool negative = sum < 0;
  const auto size = negative ? -static_cast<UnsignedWide>(sum) : static_cast<UnsignedWide>(sum);
  constexpr std::uint64_t kPart = 1'000'000'000'000'000'000;
  const Decimal high = Decimal::FromParts(negative, static_cast<std::uint64_t>(size / kPart), 18 - scale);
  const Decimal low = Decimal::FromParts(negative, static_cast<std::uint64_t>(size % kPart), -scale);
  return Add(high, low, exact);
}

class Grouper {
 public:
  Grouper(const ColumnarSidecar& sidecar, const ColumnarGroupQuery& query)
      : sidecar_(sidecar),
        object_(sidecar.object()),
        query_(query),
        scan_(sidecar, query.filter, query.now),
        context_(query.now),
        record_(sidecar) {}

  // False when the columns do not hold everything.
  bool Prepare() {
    if (!scan_.serves_all()) return false;
    const ApplyStep& step = *query_.grouping;
    std::vector<bool> used(query_.computed.size(), false);
    for (const GroupKey& key : step.group_by) {
      if (!Take(key.expression, keys_)) return false;
      Mark(key.expression, used);
    }
    const std::vector<AggregateItem>* items = nullptr;
    if (step.kind == ApplyStep::Kind::kAggregate) {
      items = &step.aggregates;
    } else if (!step.group_steps.empty()) {
      items = &step.group_steps.front().aggregates;
    }
    if (items != nullptr) {
      for (const AggregateItem& item : *items) {
        if (!TakeAggregate(item)) return false;
        if (item.expression) Mark(item.expression, used);
      }
    }
    // A column that nobody reads may still fail, in the rows.
    return std::find(used.begin(), used.end(), false) == used.end();
  }

  // False when an expression failed.
  Result<bool> Run(const std::function<Status()>& check_deadline, std::uint64_t max_groups) {
    bool failed = false;
    bool too_many = false;
    const Status scanned = scan_.ForEachSegment(
        [&](std::size_t segment, const std::vector<std::uint32_t>& rows) -> Result<bool> {
          TABLECAST_RETURN_IF_ERROR(check_deadline());
          if (!rows.empty()) TABLECAST_RETURN_IF_ERROR(AddSegment(segment, rows));
          failed = context_.error().has_value();
          too_many = group_keys_.size() > max_groups;
          return !failed && !too_many;
        });
    if (too_many) return TooManyGroups(max_groups);
    if (!scanned.ok() && scanned.error().code == ErrorCode::kDeadlineExceeded) return scanned.error();
    return scanned.ok() && !failed;
  }

  Status HandOver(ApplyGrouping& groups) {
    for (std::size_t group = 0; group < group_keys_.size(); ++group) {
      std::vector<EdmValue> values;
      for (std::size_t key = 0; key < keys_.size(); ++key)
        values.push_back(keys_[key].value(group_keys_[group][key]));
      TABLECAST_RETURN_IF_ERROR(groups.AddGroup(values, [&](std::vector<Accumulator>& totals) {
        for (std::size_t i = 0; i < totals.size(); ++i) totals[i].Merge(results_[i][group]);
      }));
    }
    return {};
  }

 private:
  struct Aggregate {
    AggregateMethod method = AggregateMethod::kCount;
    std::optional<std::uint32_t> number_field;  // added as whole numbers
    std::optional<std::size_t> values;          // else: which of values_
  };

  bool Take(const ExpressionPtr& expression, std::vector<NumberedValues>& into) {
    std::optional<std::vector<std::uint32_t>> fields = FieldsOf(*expression, object_, &query_.computed);
    if (!fields) return false;
    for (const std::uint32_t field : *fields) {
      if (!sidecar_.Covers(field)) return false;
    }
    // Other computed columns are evaluated beside it, so their fields must be there too.
    if (!query_.computed.empty()) {
      std::vector<bool> used(query_.computed.size(), false);
      Mark(expression, used);
      if (query_.computed.size() > 1 || !used.front()) {
        for (const ExpressionPtr& column : query_.computed) {
          const auto more = FieldsOf(*column, object_, &query_.computed);
          if (!more) return false;
          fields->insert(fields->end(), more->begin(), more->end());
        }
        std::sort(fields->begin(), fields->end());
        fields->erase(std::unique(fields->begin(), fields->end()), fields->end());
        for (const std::uint32_t field : *fields) {
          if (!sidecar_.Covers(field)) return false;
        }
      }
    }
    into.emplace_back(object_, expression, query_.computed, *std::move(fields));
    return true;
  }

  void Mark(const ExpressionPtr& expression, std::vector<bool>& used) const {
    const auto* column = dynamic_cast<const ColumnRefNode*>(expression.get());
    if (column != nullptr && column->index() < used.size()) used[column->index()] = true;
    const auto* alias = dynamic_cast<const AliasNode*>(expression.get());
    for (std::size_t i = 0; alias != nullptr && i < used.size(); ++i) {
      if (alias->definition() == query_.computed[i]) used[i] = true;
    }
  }

  bool TakeAggregate(const AggregateItem& item) {
    Aggregate made;
    made.method = item.method;
    if (item.method != AggregateMethod::kCount) {
      const auto* field = dynamic_cast<const FieldRefNode*>(Resolve(item.expression.get(), query_.computed));
      const bool own = field != nullptr && field->IsOwn() && &field->owner() == &object_ &&
                       sidecar_.Covers(object_.IndexOf(field->field()));
      const bool text = own && (field->field().kind == EdmKind::kString || field->field().kind == EdmKind::kGuid);
      if (own && !text && item.method != AggregateMethod::kCountDistinct) {
        made.number_field = object_.IndexOf(field->field());
      } else {
        if (!Take(item.expression, values_)) return false;
        made.values = values_.size() - 1;
      }
    }
    aggregates_.push_back(made);
    results_.emplace_back();
    return true;
  }

  Status AddSegment(std::size_t segment, const std::vector<std::uint32_t>& rows) {
    for (const NumberedValues& key : keys_)
      TABLECAST_RETURN_IF_ERROR(record_.EnterSegment(segment, key.fields()));
    for (const NumberedValues& value : values_)
      TABLECAST_RETURN_IF_ERROR(record_.EnterSegment(segment, value.fields()));
    context_.Bind(0, &record_);
    GroupOf(rows);
    for (std::size_t i = 0; i < aggregates_.size(); ++i) {
      std::vector<Accumulator>& results = results_[i];
      results.resize(group_keys_.size(), Accumulator(aggregates_[i].method));
      if (aggregates_[i].values) {
        NumberedValues& values = values_[*aggregates_[i].values];
        values.Number(record_, context_, rows, numbers_);
        for (std::size_t row = 0; row < rows.size(); ++row)
          results[group_of_[row]].Add(values.value(numbers_[row]));
        continue;
      }
      if (!aggregates_[i].number_field) {
        for (const std::uint32_t group : group_of_) results[group].Add(EdmValue());
        continue;
      }
      TABLECAST_RETURN_IF_ERROR(AddNumbers(segment, *aggregates_[i].number_field, rows, results));
    }
    context_.Bind(0, nullptr);
    return {};
  }

  Status AddNumbers(std::size_t segment, std::uint32_t number, const std::vector<std::uint32_t>& rows,
                    std::vector<Accumulator>& results) {
    TABLECAST_ASSIGN_OR_RETURN(const std::shared_ptr<const ColumnChunk> chunk,
                               sidecar_.Column(segment, number));
    totals_.assign(group_keys_.size(), Total{});
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::int64_t value = chunk->numbers[rows[row]];
      if (value == ColumnChunk::kNull) continue;
      Total& total = totals_[group_of_[row]];
      total.sum += value;
      ++total.count;
      total.least = std::min(total.least, value);
      total.greatest = std::max(total.greatest, value);
    }
    const Field& field = object_.fields()[number];
    const bool adds = IsExactNumber(field.kind);
    for (std::size_t group = 0; group < totals_.size(); ++group) {
      const Total& total = totals_[group];
      if (total.count == 0) continue;
      results[group].AddTotal(total.count, adds ? SumOf(total.sum, chunk->scale) : Decimal(),
                              ColumnNumber(field, total.least, chunk->scale),
                              ColumnNumber(field, total.greatest, chunk->scale));
    }
    return {};
  }

  // Sets group_of_ for the rows.
  void GroupOf(const std::vector<std::uint32_t>& rows) {
    group_of_.assign(rows.size(), 0);
    if (keys_.empty() && group_keys_.empty()) group_keys_.emplace_back();
    levels_.resize(keys_.size());
    for (std::size_t key = 0; key < keys_.size(); ++key) {
      keys_[key].Number(record_, context_, rows, numbers_);
      const bool last = key + 1 == keys_.size();
      std::uint64_t before = std::numeric_limits<std::uint64_t>::max();
      std::uint32_t group = 0;
      Level& level = levels_[key];
      for (std::size_t row = 0; row < rows.size(); ++row) {
        const std::uint64_t pair = (static_cast<std::uint64_t>(group_of_[row]) << 32U) | numbers_[row];
        if (pair != before) {
          const auto [at, added] = level.groups.try_emplace(pair, static_cast<std::uint32_t>(level.keys.size()));
          if (added) {
            std::vector<std::uint32_t> all;
            if (key > 0) all = levels_[key - 1].keys[group_of_[row]];
            all.push_back(numbers_[row]);
            if (last) group_keys_.push_back(all);
            level.keys.push_back(std::move(all));
          }
          group = at->second;
          before = pair;
        }
        group_of_[row] = group;
      }
    }
  }

  const ColumnarSidecar& sidecar_;
  const ExternalObject& object_;
  const ColumnarGroupQuery& query_;
  ColumnarScan scan_;
  EvalContext context_;
  ColumnarRecord record_;
  std::vector<NumberedValues> keys_;
  std::vector<NumberedValues> values_;
  std::vector<Aggregate> aggregates_;
  std::vector<std::vector<Accumulator>> results_;  // by aggregate, then group
  struct Level {
    std::unordered_map<std::uint64_t, std::uint32_t> groups;
    std::vector<std::vector<std::uint32_t>> keys;  // numbers of the keys so far
  };
  std::vector<Level> levels_;
  std::vector<std::vector<std::uint32_t>> group_keys_;
  std::vector<std::uint32_t> group_of_, numbers_;
  std::vector<Total> totals_;
};

}  // namespace

Result<bool> GroupByColumns(const ColumnarSidecar& sidecar, const ColumnarGroupQuery& query,
                            const std::function<Status()>& check_deadline, ApplyGrouping& groups) {
  Grouper grouper(sidecar, query);
  if (!grouper.Prepare()) return false;
  TABLECAST_ASSIGN_OR_RETURN(const bool done, grouper.Run(check_deadline, groups.max_groups()));
  if (!done) return false;
  TABLECAST_RETURN_IF_ERROR(grouper.HandOver(groups));
  return true;
}

}  // namespace tablecast
