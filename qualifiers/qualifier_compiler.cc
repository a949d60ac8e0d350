// IMPLEMENTATION: names and slots -> forward formulas (in order of their dependencies) -> constants
// and inverses of physical columns -> row conditions and key condition -> what inverses are proved.
// Every step reports and goes on, so that one run shows all problems. Tested by
// qualifier_compiler_test.

#include <algorithm>

#include "base/utf8.h"
#include "qualifiers/column_condition.h"
#include "qualifiers/compiled_impl.h"
#include "qualifiers/dependency_order.h"
#include "qualifiers/document_shape.h"
#include "qualifiers/qualifier_conditions.h"
#include "qualifiers/qualifier_inverses.h"
#include "qualifiers/qualifier_names.h"

namespace tablecast {

namespace {

using formula::Program;
using formula::ValueType;

// How far virtual columns may build on each other: they are evaluated by nested calls.
constexpr std::size_t kMaxChain = 64;

std::optional<AttributeType> StoredType(ValueType type) {
  switch (type) {
    case ValueType::kText: return AttributeType::kS;
    case ValueType::kNumber: return AttributeType::kN;
    case ValueType::kBoolean: return AttributeType::kBool;
    default: return std::nullopt;
  }
}

// Whether a virtual column of declared type `declared` can show values of `type`. Dates are texts
// to the data model, so S takes them.
bool CanShow(AttributeType declared, ValueType type) {
  if (type == ValueType::kNull) return true;
  if (declared == AttributeType::kS) {
    return type == ValueType::kText || type == ValueType::kDate || type == ValueType::kDateTime ||
           type == ValueType::kTime;
  }
  return StoredType(type) == declared;
}

std::string Printable(std::string_view text) {
  std::string out;
  AppendPrintable(out, text);
  return out;
}

}  // namespace

struct QualifierCompiler {
  QualifierCompiler(const TableQualifier& qualifier, const TableSchema& table,
                    const CompileQualifierOptions& wanted)
      : source(qualifier),
        schema(table),
        options(wanted),
        names(qualifier, table, wanted.attribute_types),
        findings(qualifier, out.issues),
        slots(names.attributes()),
        builder(table, slots, findings),
        compiled(std::make_shared<CompiledQualifier>()),
        impl(std::make_shared<CompiledQualifier::Impl>()) {}

  QualifierCompilation Run() {
    CheckNames();
    CompileVirtualColumns();
    CompilePhysicalColumns();
    compiled->key_condition_ = builder.Finish();
    BuildPredicates();
    BuildFacts();
    const InverseContext inverses{names, options.trusted_inverses, compiled->virtual_columns_,
                                  compiled->physical_columns_, *impl};
    ProveInverses(inverses);
    DeriveWrites(inverses);
    for (Issue& issue : out.issues) issue.file = source.file;
    if (HasErrors(out.issues)) return std::move(out);
    compiled->source_ = source;
    compiled->slots_ = slots;
    compiled->fingerprint_ = Fingerprint(*compiled, *impl, schema, options.blank_as_zero);
    compiled->impl_ = impl;
    out.qualifier = compiled;
    return std::move(out);
  }

  // ---- names ----
  void CheckNames() {
    std::vector<std::string> known;
    for (const ColumnQualifier& column : source.columns) known.push_back(column.name);
    for (const std::string& key : source.key_columns) {
      if (source.Find(key) != nullptr || key == schema.key.partition.name ||
          (schema.key.sort && key == schema.key.sort->name)) {
        continue;
      }
      const auto nearest = NearestOption(key, known);
      findings.Add(Severity::kWarning, "key-column-unlisted",
                   "`keyColumns` names `" + key + "`, which no entry of `columns` describes",
                   nearest ? "did you mean `" + *nearest + "`?"
                           : "list it under \"columns\", or delete it here",
                   "keyColumns", source.key_columns_span);
    }
    for (const ColumnQualifier& column : source.columns) {
      const std::string target = "columns." + column.name;
      if (column.is_virtual && column.values.empty() && column.values_span.begin.line == 0) {
        findings.Error("virtual-without-values",
                       "`" + column.name + "` is virtual but has no `values` to compute it from",
                       "add \"values\": [{ \"definition\": \"…\" }], or delete `virtual`", target,
                       column.name_span);
      }
      if (column.is_virtual && column.column_name) {
        findings.Error(
            "virtual-with-column-name",
            "`" + column.name + "` is virtual, so it has no attribute that `columnName` could name",
            "delete `columnName`, or delete `virtual`", target + ".columnName",
            column.column_name_span);
      }
      for (std::size_t i = 0; i < column.values.size(); ++i) CheckColumnOrder(column, i, known);
    }
  }

  void CheckColumnOrder(const ColumnQualifier& column, std::size_t index,
                        const std::vector<std::string>& known) {
    for (const std::string& name : column.values[index].column_order) {
      if (names.Resolve(name)) continue;
      const auto nearest = NearestOption(name, known);
      findings.Error(
          "column-order-unknown", "`columnOrder` names `" + name + "`, which is no column",
          nearest ? "did you mean `" + *nearest + "`?" : "name columns of this file",
          Target(column, index) + ".columnOrder", column.values[index].column_order_span);
    }
  }

  static std::string Target(const ColumnQualifier& column, std::size_t index) {
    return "columns." + column.name + ".values[" + std::to_string(index) + "]";
  }

  // ---- formulas ----
  std::shared_ptr<const Program> Compile(const ColumnQualifier& column, std::size_t index) {
    const ValueQualifier& value = column.values[index];
    formula::CompileOptions how;
    how.qualifier_mode = true;
    how.blank_as_zero = options.blank_as_zero;
    formula::CompileResult result = Program::Compile(value.definition, names, how);
    for (Issue& issue : result.issues) {
      if (issue.remedy.empty())
        issue.remedy = FormulaRemedy(issue.code, value.definition, !column.is_virtual);
      findings.Add(issue.severity, issue.code, issue.message, issue.remedy,
                   Target(column, index) + ".definition",
                   findings.InString(value.span, issue.span.begin.offset, issue.span.end.offset));
    }
    return HasErrors(result.issues) ? nullptr : result.program;
  }

  static std::string FormulaRemedy(std::string_view code, const std::string& definition,
                                   bool is_stored) {
    if (code == "formula-unknown-field") {
      const bool bare_word = definition.find_first_of(" (&+\"'") == std::string::npos;
      return bare_word && is_stored
                 ? "for the constant text write \"\\\"" + Printable(definition) +
                       "\\\"\", with quotes of its own"
                 : "name a column of this file, or list the attribute under \"columns\"";
    }
    if (code == "formula-argument-type")
      return "convert the value: TEXT(…) gives text, VALUE(…) a number";
    if (code == "formula-argument-count")
      return "give the arguments that docs/formula.md lists for it";
    if (code == "formula-limit") return "split the formula over several virtual columns";
    return "correct the formula; docs/formula.md has the grammar and every function";
  }

  // Fields that every definition of a column mentions.
  std::set<Slot> Mentions(const ColumnQualifier& column) const {
    std::set<Slot> all;
    for (const ValueQualifier& value : column.values)
      all.merge(MentionedFields(value.definition, names));
    return all;
  }

  void ReportSelfReference(const ColumnQualifier& column) {
    findings.Error("formula-self-reference",
                   "the definition of `" + column.name + "` mentions `" + column.name + "` itself",
                   "compute it from other columns", "columns." + column.name + ".values",
                   column.values.front().span);
  }

  void ReportCycles(const std::vector<const ColumnQualifier*>& columns,
                    const Dependencies& depends) {
    for (const std::vector<std::size_t>& cycle : FindCycles(depends)) ReportCycle(columns, cycle);
  }

  void ReportCycle(const std::vector<const ColumnQualifier*>& columns,
                   const std::vector<std::size_t>& cycle) {
    constexpr std::size_t kMaxShown = 8;
    std::string path;
    for (std::size_t i = 0; i < std::min(cycle.size(), kMaxShown); ++i)
      path += columns[cycle[i]]->name + " -> ";
    path += cycle.size() > kMaxShown ? "… -> " + columns[cycle[0]]->name : columns[cycle[0]]->name;
    const ColumnQualifier& first = *columns[cycle[0]];
    findings.Error("formula-cycle", "`" + first.name + "` is computed from itself: " + path,
                   "define one of them from stored columns", "columns." + first.name + ".values",
                   first.values.front().span);
  }

  void CompileVirtualColumns() {
    const std::size_t count = names.virtual_entries().size();
    const std::size_t physical = names.attributes().size();
    std::vector<const ColumnQualifier*> columns;
    Dependencies depends(count);
    std::vector<std::set<Slot>> mentions(count);
    for (std::size_t i = 0; i < count; ++i) {
      columns.push_back(&source.columns[names.virtual_entries()[i]]);
      mentions[i] = Mentions(*columns[i]);
      for (const Slot slot : mentions[i]) {
        if (!names.IsVirtualSlot(slot)) continue;
        if (names.VirtualIndex(slot) == i)
          ReportSelfReference(*columns[i]);
        else
          depends[i].insert(names.VirtualIndex(slot));
      }
    }
    const std::vector<std::size_t> order = DependencyOrder(depends);
    ReportCycles(columns, depends);

    compiled->virtual_columns_.resize(count);
    std::vector<std::size_t> chain(count, 1);
    std::vector<std::set<std::string>> inputs(count);
    for (const std::size_t i : order) {
      for (const Slot slot : mentions[i]) {
        if (!names.IsVirtualSlot(slot)) {
          inputs[i].insert(names.attributes()[slot]);
          continue;
        }
        const std::size_t on = names.VirtualIndex(slot);
        if (on == i) continue;
        chain[i] = std::max(chain[i], chain[on] + 1);
        inputs[i].insert(inputs[on].begin(), inputs[on].end());
      }
      if (chain[i] > kMaxChain) {
        findings.Error("formula-chain-too-deep",
                       "`" + columns[i]->name + "` builds on over " + std::to_string(kMaxChain) +
                           " other virtual columns in a row",
                       "define it from stored columns", "columns." + columns[i]->name + ".values",
                       columns[i]->values.front().span);
      }
      CompileVirtual(*columns[i], compiled->virtual_columns_[i]);
      compiled->virtual_columns_[i].inputs.assign(inputs[i].begin(), inputs[i].end());
      names.SetType(static_cast<Slot>(physical + i), compiled->virtual_columns_[i].type);
    }
    for (std::size_t i = 0; i < count; ++i) {
      compiled->virtual_columns_[i].name = columns[i]->name;
      impl->virtual_index.emplace(columns[i]->name, i);
    }
  }

  void CompileVirtual(const ColumnQualifier& column, VirtualColumn& result) {
    result.type = ValueType::kNull;
    for (std::size_t i = 0; i < column.values.size(); ++i) {
      auto program = Compile(column, i);
      if (program == nullptr) continue;
      const ValueType type = program->result_type();
      if (column.type && !CanShow(*column.type, type)) {
        findings.Error("formula-result-type",
                       "the formula yields " + std::string(formula::ValueTypeName(type)) +
                           ", but `" + column.name +
                           "` has `type: " + std::string(AttributeTypeName(*column.type)) + "`",
                       "delete `type` or convert the value, for example by TEXT() or VALUE()",
                       Target(column, i) + ".definition", column.values[i].span);
      } else if (result.type != ValueType::kNull && type != ValueType::kNull &&
                 type != result.type) {
        findings.Error("definition-types",
                       "the definitions of `" + column.name + "` yield " +
                           std::string(formula::ValueTypeName(result.type)) + " and " +
                           std::string(formula::ValueTypeName(type)) + "; a column has one type",
                       "convert one of them, for example by TEXT() or VALUE()",
                       Target(column, i) + ".definition", column.values[i].span);
      } else if (type != ValueType::kNull) {
        result.type = type;
      }
      result.candidates.push_back(std::move(program));
    }
    if (result.type == ValueType::kNull) result.type = ValueType::kText;
  }

  // ---- physical columns ----
  void CompilePhysicalColumns() {
    CheckPhysicalCycles();
    auto& index_of = impl->physical_index;
    std::size_t next_virtual = 0;
    for (const ColumnQualifier& column : source.columns) {
      if (column.is_virtual) {
        builder.AddVirtual(column, static_cast<Slot>(next_virtual),
                           compiled->virtual_columns_[next_virtual].type);
        ++next_virtual;
        continue;
      }
      const Slot slot = names.SlotOf(column.physical());
      const auto [place, is_new] =
          index_of.emplace(column.physical(), compiled->physical_columns_.size());
      if (is_new) {
        PhysicalColumn& fresh = compiled->physical_columns_.emplace_back();
        fresh.name = column.physical();
        fresh.slot = slot;
      }
      PhysicalColumn& physical = compiled->physical_columns_[place->second];
      if (column.type) physical.declared_type = column.type;
      std::vector<AttributeValue> constants = CompileDefinitions(column, slot, physical);
      if (!constants.empty()) physical.constants = constants;
      builder.AddPhysical(column, slot, constants);
    }
  }

  void CheckPhysicalCycles() {
    std::vector<const ColumnQualifier*> columns;
    std::map<Slot, std::size_t> node_of;
    for (const ColumnQualifier& column : source.columns) {
      if (column.is_virtual || column.values.empty()) continue;
      if (node_of.emplace(names.SlotOf(column.physical()), columns.size()).second)
        columns.push_back(&column);
    }
    Dependencies depends(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for (const Slot slot : Mentions(*columns[i])) {
        const auto node = node_of.find(slot);
        if (node == node_of.end()) continue;
        if (node->second == i)
          ReportSelfReference(*columns[i]);
        else
          depends[i].insert(node->second);
      }
    }
    ReportCycles(columns, depends);
  }

  std::optional<AttributeType> WantedType(const ColumnQualifier& column) const {
    if (column.type) return column.type;
    if (column.physical() == schema.key.partition.name) return schema.key.partition.type;
    if (schema.key.sort && column.physical() == schema.key.sort->name) return schema.key.sort->type;
    return std::nullopt;
  }

  bool CheckStoredType(const ColumnQualifier& column, std::size_t index, ValueType type) {
    if (type == ValueType::kNull) return true;
    const auto stored = StoredType(type);
    const auto wanted = WantedType(column);
    const std::string target = Target(column, index) + ".definition";
    if (!stored) {
      findings.Error("formula-result-type",
                     "the definition of `" + column.name + "` yields " +
                         std::string(formula::ValueTypeName(type)) +
                         ", which no attribute can store",
                     "wrap it in TEXT(…)", target, column.values[index].span);
      return false;
    }
    if (wanted && *wanted != *stored) {
      findings.Error("formula-result-type",
                     "the definition of `" + column.name + "` yields " +
                         std::string(formula::ValueTypeName(type)) +
                         ", but the column is of type " + std::string(AttributeTypeName(*wanted)),
                     *stored == AttributeType::kN   ? "write a quoted text, or TEXT(…)"
                     : *wanted == AttributeType::kN ? "write a number without quotes, or VALUE(…)"
                                                    : "make the types agree",
                     target, column.values[index].span);
      return false;
    }
    return true;
  }

  // Fills the inverse; returns the constants (the discriminator) when all definitions are constant.
  std::vector<AttributeValue> CompileDefinitions(const ColumnQualifier& column, Slot slot,
                                                 PhysicalColumn& physical) {
    std::vector<AttributeValue> constants;
    std::size_t dependent = 0;
    for (std::size_t i = 0; i < column.values.size(); ++i) {
      auto program = Compile(column, i);
      if (program == nullptr || !CheckStoredType(column, i, program->result_type())) continue;
      if (program->IsConstant()) {
        if (auto constant = ReadConstant(column, i, *program))
          constants.push_back(std::move(*constant));
        continue;
      }
      if (++dependent > 1) {
        findings.Add(
            Severity::kWarning, "inverse-unused",
            "`" + column.name +
                "` has several definitions that compute it; only the first is used on writes",
            "keep one", Target(column, i), column.values[i].span);
      } else {
        physical.inverse = std::move(program);
      }
    }
    if (dependent > 0 && !constants.empty()) {
      findings.Add(
          Severity::kWarning, "definition-mixed",
          "`" + column.name +
              "` has a constant and a computed definition, so the constant tells no items apart",
          "keep the constant alone as a discriminator, or the formula alone as an inverse",
          "columns." + column.name + ".values", column.values_span);
      constants.clear();
    }
    if (!constants.empty() && names.type(slot) == ValueType::kNull) {
      const AttributeType type = constants.front().type();
      names.SetType(slot, type == AttributeType::kS   ? ValueType::kText
                          : type == AttributeType::kN ? ValueType::kNumber
                                                      : ValueType::kBoolean);
    }
    return constants;
  }

  std::optional<AttributeValue> ReadConstant(const ColumnQualifier& column, std::size_t index,
                                             const Program& program) {
    const std::string target = Target(column, index) + ".definition";
    const TextSpan span = column.values[index].span;
    if (!program.constant()) {
      findings.Error(
          "constant-fails",
          "the constant `" + Printable(column.values[index].definition) + "` cannot be computed",
          "write its value directly", target, span);
      return std::nullopt;
    }
    if (program.constant()->IsBlank()) {
      findings.Error("constant-blank",
                     "the constant is empty, and an attribute that must equal nothing has no items",
                     "write a text such as \"\\\"ORDER\\\"\", or use `presence`", target, span);
      return std::nullopt;
    }
    auto value = ToAttribute(*program.constant());
    if (!value) {
      findings.Error("constant-fails",
                     "the constant has more than the 38 digits, or is beyond the range, that a "
                     "number can have",
                     "write a number of at most 38 digits", target, span);
    }
    return value;
  }

  // ---- predicates ----
  void BuildPredicates() {
    impl->conditions = std::move(builder.conditions());
    std::vector<PredicatePtr> all;
    std::vector<PredicatePtr> rest;
    for (std::size_t i = 0; i < impl->conditions.size(); ++i) {
      const RowCondition& condition = impl->conditions[i];
      if (condition.is_virtual) {
        compiled->has_virtual_conditions_ = true;
        continue;
      }
      if (IsImplied(i)) continue;
      all.push_back(condition.predicate);
      if (!condition.proved_by_key) rest.push_back(condition.predicate);
    }
    compiled->full_ = And(std::move(all));
    compiled->residual_ = And(std::move(rest));
  }

  // A presence test beside a test that only present, non-NULL values pass says nothing new. The
  // conditions of an entry follow each other, presence first.
  bool IsImplied(std::size_t index) const {
    const RowCondition& condition = impl->conditions[index];
    if (condition.kind != RowCondition::Kind::kPresence) return false;
    if (!condition.text.starts_with("presence exists") && condition.text != "presence not null") {
      return false;
    }
    if (index + 1 == impl->conditions.size()) return false;
    const RowCondition& next = impl->conditions[index + 1];
    return !next.is_virtual && next.column == condition.column && next.text != "type NULL";
  }

  void BuildFacts() {
    impl->reads_as_text = TextReadings();
    for (const auto& [name, slot] : names.fields()) {
      if (names.IsVirtualSlot(slot)) continue;
      formula::ColumnFacts facts;
      facts.name = name;
      facts.demands_text = builder.DemandsType(slot, AttributeType::kS);
      facts.demands_number = builder.DemandsType(slot, AttributeType::kN);
      if (facts.demands_text) facts.literal_prefix = builder.LiteralPrefix(slot);
      const std::string& attribute = names.attributes()[slot];
      facts.is_key = attribute == schema.key.partition.name ||
                     (schema.key.sort && attribute == schema.key.sort->name);
      facts.promises_canonical_numbers = IsTrustedInverse(options.trusted_inverses, name) ||
                                         IsTrustedInverse(options.trusted_inverses, attribute);
      facts.promises_canonical_dates = facts.promises_canonical_numbers;
      if (impl->reads_as_text[slot] && !facts.demands_text) impl->numbers_as_text.insert(name);
      impl->facts.emplace(name, std::move(facts));
    }
    for (PhysicalColumn& column : compiled->physical_columns_)
      column.literal_prefix = builder.DemandsType(column.slot, AttributeType::kS)
                                  ? builder.LiteralPrefix(column.slot)
                                  : "";
  }

  // Columns without a declared type that no formula reads as anything but text.
  std::vector<bool> TextReadings() const {
    std::vector<bool> as_text(names.attributes().size(), false);
    std::vector<bool> otherwise(names.attributes().size(), false);
    const auto note = [&](const Program& program) {
      for (const formula::FieldUse& use : program.fields()) {
        if (names.IsVirtualSlot(use.slot) || names.type(use.slot) != ValueType::kNull) continue;
        (use.type == ValueType::kText ? as_text : otherwise)[use.slot] = true;
      }
    };
    for (const VirtualColumn& column : compiled->virtual_columns_) {
      for (const auto& program : column.candidates) note(*program);
    }
    for (std::size_t i = 0; i < as_text.size(); ++i) as_text[i] = as_text[i] && !otherwise[i];
    return as_text;
  }

  QualifierCompilation out;
  const TableQualifier& source;
  const TableSchema& schema;
  const CompileQualifierOptions& options;
  QualifierNames names;
  FindingSink findings;
  SlotMap slots;
  ConditionBuilder builder;
  std::shared_ptr<CompiledQualifier> compiled;
  std::shared_ptr<CompiledQualifier::Impl> impl;
};

QualifierCompilation CompileQualifier(const TableQualifier& qualifier, const TableSchema& schema,
                                      const CompileQualifierOptions& options) {
  return QualifierCompiler(qualifier, schema, options).Run();
}

}  // namespace tablecast
