#include "connector/columnar_scan.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "connector/expression_nodes.h"

namespace tablecast {
namespace {

class FieldFinder {
 public:
  FieldFinder(const ExternalObject& object, const std::vector<ExpressionPtr>* columns)
      : object_(object), columns_(columns) {}

  bool Visit(const Expression& node) {
    if (dynamic_cast<const LiteralNode*>(&node) != nullptr) return true;
    if (const auto* field = dynamic_cast<const FieldRefNode*>(&node)) {
      if (!field->IsOwn() || &field->owner() != &object_) return false;
      found_.insert(object_.IndexOf(field->field()));
      return true;
    }
    if (const auto* column = dynamic_cast<const ColumnRefNode*>(&node)) {
      return columns_ != nullptr && column->index() < columns_->size() &&
             Visit(*(*columns_)[column->index()]);
    }
    if (const auto* alias = dynamic_cast<const AliasNode*>(&node)) return Visit(*alias->definition());
    if (const auto* logic = dynamic_cast<const LogicNode*>(&node)) return All(logic->parts());
    if (const auto* inner = dynamic_cast<const NotNode*>(&node)) return Visit(*inner->operand());
    if (const auto* compare = dynamic_cast<const CompareNode*>(&node))
      return Visit(*compare->left()) && Visit(*compare->right());
    if (const auto* in = dynamic_cast<const InNode*>(&node))
      return Visit(*in->operand()) && All(in->list());
    if (const auto* sum = dynamic_cast<const ArithmeticNode*>(&node))
      return Visit(*sum->left()) && Visit(*sum->right());
    if (const auto* negated = dynamic_cast<const NegateNode*>(&node)) return Visit(*negated->operand());
    if (const auto* cast = dynamic_cast<const CastNode*>(&node)) return Visit(*cast->operand());
    if (const auto* call = dynamic_cast<const CallNode*>(&node))
      return call->function() != Function::kNow && All(call->arguments());
    if (const auto* choice = dynamic_cast<const CaseNode*>(&node)) {
      return std::all_of(choice->branches().begin(), choice->branches().end(), [&](const auto& branch) {
        return Visit(*branch.first) && Visit(*branch.second);
      });
    }
    return false;
  }
  std::vector<std::uint32_t> Found() const { return {found_.begin(), found_.end()}; }

 private:
  bool All(const std::vector<ExpressionPtr>& parts) {
    return std::all_of(parts.begin(), parts.end(), [&](const ExpressionPtr& part) { return Visit(*part); });
  }
  const ExternalObject& object_;
  const std::vector<ExpressionPtr>* columns_;
  std::set<std::uint32_t> found_;
};

// Whole numbers of a column, from `first` to `last`.
struct NumberRange {
  std::int64_t first = 1;
  std::int64_t last = 0;
};

// Keeps the rows for which `passes` gives 1; `all` as in Keep. No branch depends on the data.
template <class Passes>
void KeepIf(std::vector<std::uint32_t>& rows, bool all, const Passes& passes) {
  std::size_t kept = 0;
  std::uint32_t* const out = rows.data();
  const std::size_t size = rows.size();
  if (all) {
    for (std::uint32_t row = 0; row < size; ++row) {
      out[kept] = row;
      kept += passes(row);
    }
  } else {
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t row = out[i];
      out[kept] = row;
      kept += passes(row);
    }
  }
  rows.resize(kept);
}

// The least number of [low, high] whose value is >= the literal (or > it); high + 1 when none is.
// nullopt when the two do not compare.
std::optional<std::int64_t> Boundary(const Field& field, std::int32_t scale, const EdmValue& literal,
                                     bool beyond, std::int64_t low, std::int64_t high) {
  while (low <= high) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto order = CompareEdm(ColumnNumber(field, middle, scale), literal);
    if (!order) return std::nullopt;
    if (beyond ? *order > 0 : *order >= 0) {
      high = middle - 1;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> FieldsOf(const Expression& expression,
                                                   const ExternalObject& object,
                                                   const std::vector<ExpressionPtr>* columns) {
  FieldFinder finder(object, columns);
  if (!finder.Visit(expression)) return std::nullopt;
  return finder.Found();
}

ColumnarScan::ColumnarScan(const ColumnarSidecar& sidecar, const ExpressionPtr& filter, Timestamp now)
    : sidecar_(sidecar), context_(now) {
  if (filter) Take(filter);
  // One text or number first: they are the cheapest.
  std::stable_sort(conjuncts_.begin(), conjuncts_.end(), [](const Conjunct& a, const Conjunct& b) {
    return (a.fields.size() == 1 && a.test) > (b.fields.size() == 1 && b.test);
  });
}

void ColumnarScan::Take(const ExpressionPtr& conjunct) {
  const auto* logic = dynamic_cast<const LogicNode*>(conjunct.get());
  if (logic != nullptr && logic->op() == BinaryOp::kAnd) {
    for (const ExpressionPtr& part : logic->parts()) Take(part);
    return;
  }
  const auto fields = FieldsOf(*conjunct, sidecar_.object(), nullptr);
  const bool covered = fields && std::all_of(fields->begin(), fields->end(), [&](std::uint32_t field) {
    return sidecar_.Covers(field);
  });
  if (!covered) {
    serves_all_ = false;
    return;
  }
  Conjunct made{conjunct, *fields, std::nullopt};
  if (fields->size() == 1) {
    FilterTests tests = TestsOf(conjunct);
    if (tests.tests.size() == 1 && tests.residual.empty() && tests.tests.front().whole)
      made.test = std::move(tests.tests.front());
  }
  served_.push_back(conjunct->ToString());
  conjuncts_.push_back(std::move(made));
}

// False when the test cannot be put as ranges of whole numbers.
bool ColumnarScan::KeepNumbers(const Conjunct& conjunct, const ColumnChunk& chunk,
                               std::vector<std::uint32_t>& rows, bool all) const {
  const ColumnTest& test = *conjunct.test;
  const Field& field = sidecar_.object().fields()[conjunct.fields.front()];
  std::vector<NumberRange> ranges;
  if (test.op == TestOp::kStartsWith || field.kind == EdmKind::kBoolean) return false;
  if (test.op == TestOp::kIsNull) {
    ranges.push_back({ColumnChunk::kNull, ColumnChunk::kNull});
  } else {
    const std::int64_t low = chunk.least;
    const std::int64_t high = chunk.greatest;
    for (const EdmValue& literal : test.values) {
      const auto least = Boundary(field, chunk.scale, literal, false, low, high);
      const auto beyond = Boundary(field, chunk.scale, literal, true, low, high);
      if (!least || !beyond) return false;
      switch (test.op) {
        case TestOp::kLt: ranges.push_back({low, *least - 1}); break;
        case TestOp::kLe: ranges.push_back({low, *beyond - 1}); break;
        case TestOp::kGt: ranges.push_back({*beyond, high}); break;
        case TestOp::kGe: ranges.push_back({*least, high}); break;
        default: ranges.push_back({*least, *beyond - 1}); break;
      }
    }
  }
  const std::int64_t* numbers = chunk.numbers.data();
  if (ranges.size() == 1) {
    const NumberRange range = ranges.front();
    KeepIf(rows, all, [=](std::uint32_t row) {
      return static_cast<std::size_t>(numbers[row] >= range.first) &
             static_cast<std::size_t>(numbers[row] <= range.last);
    });
  } else {
    KeepIf(rows, all, [&](std::uint32_t row) {
      bool in = false;
      for (const NumberRange& range : ranges) in |= numbers[row] >= range.first && numbers[row] <= range.last;
      return std::size_t{in};
    });
  }
  return true;
}

Status ColumnarScan::Keep(const Conjunct& conjunct, ColumnarRecord& record,
                          std::vector<std::uint32_t>& rows, bool all) {
  if (conjunct.fields.size() == 1) {
    const std::uint32_t number = conjunct.fields.front();
    const ColumnChunk& chunk = record.chunk(number);
    if (chunk.form == ColumnChunk::Form::kTexts && chunk.dictionary.size() <= rows.size()) {
      const Field& field = sidecar_.object().fields()[number];
      std::vector<std::uint8_t> passes(chunk.dictionary.size() + 1);
      for (std::size_t code = 0; code < passes.size(); ++code) {
        const EdmValue value = code == 0 ? EdmValue() : ColumnText(field, chunk.dictionary[code - 1]);
        record.Pretend(number, &value);
        passes[code] = conjunct.expression->Test(context_) == Truth::kTrue ? 1 : 0;
        record.Pretend(number, nullptr);
      }
      if (!context_.error()) {
        const std::uint32_t* codes = chunk.codes.data();
        const std::uint8_t* pass = passes.data();
        KeepIf(rows, all, [=](std::uint32_t row) { return std::size_t{pass[codes[row]]}; });
      }
      return context_.error() ? Status(*context_.error()) : Status();
    }
    if (chunk.form == ColumnChunk::Form::kNumbers && conjunct.test && KeepNumbers(conjunct, chunk, rows, all))
      return {};
  }
  KeepIf(rows, all, [&](std::uint32_t row) {
    record.MoveTo(row);
    return std::size_t{conjunct.expression->Test(context_) == Truth::kTrue};
  });
  return context_.error() ? Status(*context_.error()) : Status();
}

Status ColumnarScan::ForEachSegment(
    const std::function<Result<bool>(std::size_t, const std::vector<std::uint32_t>&)>& use) {
  ColumnarRecord record(sidecar_);
  context_.Bind(0, &record);
  std::vector<std::uint32_t> rows;
  for (std::size_t segment = 0; segment < sidecar_.segments(); ++segment) {
    rows.resize(sidecar_.segment_rows(segment));
    bool all = true;  // `rows` is filled when someone needs it
    TABLECAST_ASSIGN_OR_RETURN(const std::vector<std::uint32_t> changed, sidecar_.ChangedRows(segment));
    if (!changed.empty() || conjuncts_.empty()) {
      std::iota(rows.begin(), rows.end(), 0U);
      all = false;
      rows.erase(std::remove_if(rows.begin(), rows.end(), [&](std::uint32_t row) {
        return std::binary_search(changed.begin(), changed.end(), row);
      }), rows.end());
    }
    for (const Conjunct& conjunct : conjuncts_) {
      if (rows.empty()) break;
      TABLECAST_RETURN_IF_ERROR(record.EnterSegment(segment, conjunct.fields));
      TABLECAST_RETURN_IF_ERROR(Keep(conjunct, record, rows, all));
      all = false;
    }
    TABLECAST_ASSIGN_OR_RETURN(const bool go_on, use(segment, rows));
    if (!go_on) break;
  }
  context_.Bind(0, nullptr);
  return {};
}

}  // namespace tablecast
