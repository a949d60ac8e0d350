#ifndef TABLECAST_CONNECTOR_COLUMNAR_SCAN_H_
#define TABLECAST_CONNECTOR_COLUMNAR_SCAN_H_

// Filters over the columns of a sidecar. Conjuncts whose fields all have columns are decided here,
// exactly: comparisons of a number by a range of its whole-number form, whatever else concerns one
// text once per dictionary entry, the rest record by record. Comparisons are those of the expression
// itself, asked about values of the column, so both ways cannot differ.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connector/columnar_sidecar.h"
#include "connector/column_tests.h"
#include "connector/expression.h"

namespace tablecast {

// The own fields that an expression reads, ascending, computed columns followed by `columns` (by
// number; may be null). nullopt when it reads anything else: related records, members, the clock,
// lambdas.
std::optional<std::vector<std::uint32_t>> FieldsOf(const Expression& expression,
                                                   const ExternalObject& object,
                                                   const std::vector<ExpressionPtr>* columns);

class ColumnarScan {
 public:
  // BORROWS the sidecar.
  ColumnarScan(const ColumnarSidecar& sidecar, const ExpressionPtr& filter, Timestamp now);

  // Texts of the conjuncts decided here.
  const std::vector<std::string>& served() const { return served_; }
  bool serves_all() const { return serves_all_; }

  // Calls `use` with every segment and the rows that pass, ascending; rows whose items changed are
  // left out. `use` may return false to stop. ERRORS: of reads; of the expressions.
  Status ForEachSegment(
      const std::function<Result<bool>(std::size_t, const std::vector<std::uint32_t>&)>& use);

 private:
  struct Conjunct {
    ExpressionPtr expression;
    std::vector<std::uint32_t> fields;
    std::optional<ColumnTest> test;  // a comparison of its one field
  };
  void Take(const ExpressionPtr& conjunct);
  // `all`: rows has the segment's size and stands for every row of it, whatever it holds.
  Status Keep(const Conjunct& conjunct, ColumnarRecord& record, std::vector<std::uint32_t>& rows,
              bool all);
  bool KeepNumbers(const Conjunct& conjunct, const ColumnChunk& chunk,
                   std::vector<std::uint32_t>& rows, bool all) const;

  const ColumnarSidecar& sidecar_;
  EvalContext context_;
  std::vector<Conjunct> conjuncts_;
  std::vector<std::string> served_;
  bool serves_all_ = true;
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_COLUMNAR_SCAN_H_
