// ns per evaluation of twelve representative definitions: the interpreter over the tree, compiled
// code without and with the fused shapes, and for strip-a-prefix a hand-written loop over the same
// bytes. One iteration is a pass over 1,000 rows; items_per_second counts evaluations.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "formula/program.h"
#include "item/row.h"

namespace tablecast::formula {
namespace {

// pk, sk, data are texts; price and quantity numbers; discount and birth number and timestamp
// texts.
const std::vector<std::string>& ColumnNames() {
  static const std::vector<std::string> names = {"pk",       "sk",       "data", "price",
                                                 "quantity", "discount", "birth"};
  return names;
}

class Columns final : public NameResolver {
 public:
  std::optional<FieldBinding> Resolve(std::string_view name) const override {
    for (std::size_t i = 0; i < ColumnNames().size(); ++i) {
      if (ColumnNames()[i] == name)
        return FieldBinding{static_cast<Slot>(i),
                            i == 3 || i == 4 ? ValueType::kNumber : ValueType::kText};
    }
    return std::nullopt;
  }
  std::vector<std::string> Names() const override { return ColumnNames(); }
};

// Rows as the store hands them out: encoded attributes.
class Rows {
 public:
  static constexpr std::size_t kCount = 1000;
  Rows() {
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::string n = std::to_string(10000 + i * 7);
      texts_.push_back({n, "products#" + n, "USA#MI#Detroit#" + n + " Main St",
                        *EncodeNumberText(n + ".25"), *EncodeNumberText(std::to_string(i % 50)),
                        "0." + std::to_string(10 + i % 90),
                        "2015-12-21T17:42:" + std::to_string(10 + i % 50) + "Z"});
    }
  }
  const std::vector<std::string>& operator[](std::size_t i) const { return texts_[i]; }

 private:
  std::vector<std::vector<std::string>> texts_;
};

class BenchRow final : public Row {
 public:
  explicit BenchRow(const Rows& rows) : rows_(rows) {}
  void Move(std::size_t row) { cells_ = &rows_[row]; }
  AttributeView Get(Slot slot) const override {
    return {slot == 3 || slot == 4 ? AttributeType::kN : AttributeType::kS, (*cells_)[slot]};
  }

 private:
  const Rows& rows_;
  const std::vector<std::string>* cells_ = nullptr;
};

struct Definition {
  const char* name;
  const char* formula;
};
constexpr Definition kDefinitions[] = {
    {"strip_prefix", "RIGHT(sk, LEN(sk) - FIND(\"#\", sk))"},
    {"head", "LEFT(data, FIND(\"#\", data) - 1)"},
    {"second_part",
     "MID(data, FIND(\"#\", data) + 1, FIND(\"#\", data, FIND(\"#\", data) + 1) - FIND(\"#\", "
     "data) - 1)"},
    {"last_part",
     "RIGHT(data, LEN(data) - FIND(\"#\", data, FIND(\"#\", data, FIND(\"#\", data) + 1) + 1))"},
    {"alias", "pk"},
    {"affix", "\"products#\" & pk"},
    {"join", "pk & \"#\" & sk & \"#\" & data"},
    {"value_scaled", "VALUE(discount) * 100"},
    {"line_total", "price * quantity * (1 - VALUE(discount))"},
    {"date_of_text", "DATEVALUE(birth)"},
    {"upper", "UPPER(data)"},
    {"case",
     "IF(quantity > 40, \"low\", CASE(LEFT(data, 3), \"USA\", \"US\", \"CAN\", \"CA\", "
     "\"other\"))"},
};

enum class Way { kInterpreted, kCompiled, kFused };

void Evaluate(benchmark::State& state, const char* formula, Way way) {
  const Rows rows;
  BenchRow row(rows);
  const RowFieldReader reader(row);
  CompileOptions options;
  options.qualifier_mode = true;
  options.fuse = way == Way::kFused;
  const auto program = Program::Compile(formula, Columns(), options).program;
  TABLECAST_CHECK(program != nullptr);
  EvalContext context(Timestamp{1'600'000'000, 0});
  for (auto _ : state) {
    for (std::size_t i = 0; i < Rows::kCount; ++i) {
      row.Move(i);
      const EvalResult result = way == Way::kInterpreted ? program->Interpret(reader, context)
                                                         : program->Evaluate(reader, context);
      benchmark::DoNotOptimize(result.value().IsBlank());
      context.ResetRow();
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(Rows::kCount));
}

// The loop that the strip_prefix column is measured against: same row interface, same bytes.
void HandWrittenStripPrefix(benchmark::State& state) {
  const Rows rows;
  BenchRow row(rows);
  const Row& interface = row;
  for (auto _ : state) {
    for (std::size_t i = 0; i < Rows::kCount; ++i) {
      row.Move(i);
      const AttributeView view = interface.Get(1);
      std::string_view text = view.payload();
      std::size_t at = 0;
      while (at < text.size() && text[at] != '#') ++at;
      if (at < text.size()) text.remove_prefix(at + 1);
      benchmark::DoNotOptimize(text);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(Rows::kCount));
}

void RegisterAll() {
  benchmark::RegisterBenchmark("strip_prefix/hand_written", HandWrittenStripPrefix);
  for (const Definition& definition : kDefinitions) {
    const std::string name = definition.name;
    benchmark::RegisterBenchmark((name + "/interpreted").c_str(), Evaluate, definition.formula,
                                 Way::kInterpreted);
    benchmark::RegisterBenchmark((name + "/compiled").c_str(), Evaluate, definition.formula,
                                 Way::kCompiled);
    benchmark::RegisterBenchmark((name + "/fused").c_str(), Evaluate, definition.formula,
                                 Way::kFused);
  }
}

}  // namespace
}  // namespace tablecast::formula

int main(int argc, char** argv) {
  tablecast::formula::RegisterAll();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
