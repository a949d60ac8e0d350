// IMPLEMENTATION: fill constants, compute stored columns from the virtual ones given, then read the
// item back through the qualifier: nothing is stored that does not belong or would show another
// value. SOURCE: spec qualifiers.md section 4, formula.md section 12.5. Tested by
// qualifier_writes_test.

#include <algorithm>
#include <map>

#include "base/utf8.h"
#include "qualifiers/compiled_impl.h"

namespace tablecast {
namespace {

std::string Shown(const formula::Value& value) {
  if (!value.Is(formula::ValueType::kText)) return value.ToString();
  std::string out = "\"";
  AppendPrintable(out, value.text());
  return out + "\"";
}

Error Refuse(std::string reason, std::string message, std::string target, std::string remedy = {}) {
  return MakeError(ErrorCode::kInvalidArgument, std::move(reason), std::move(message),
                   std::move(target), std::move(remedy));
}

}  // namespace

// One write. Values of virtual columns are kept by index: what the caller gives, over what the old
// item showed.
struct QualifierWriter {
  const CompiledQualifier& qualifier;
  const TableSchema& schema;
  Timestamp now;
  const std::vector<VirtualAssignment>& assignments;
  const std::vector<std::string>& given_physical;
  const Item* old_item;
  Item& item;

  std::map<std::size_t, formula::Value> given;  // by virtual index
  std::map<std::size_t, formula::Value> old;    // on update
  std::vector<bool> must_read_back;             // by virtual index

  Status Run() {
    must_read_back.assign(qualifier.virtual_columns_.size(), false);
    TABLECAST_RETURN_IF_ERROR(ReadAssignments());
    ReadOldValues();
    if (old_item == nullptr) TABLECAST_RETURN_IF_ERROR(FillConstants());
    for (const PhysicalColumn& column : qualifier.physical_columns_) {
      if (column.inverse != nullptr)
        TABLECAST_RETURN_IF_ERROR(ComputeColumn(column, *column.inverse));
    }
    for (const auto& derived : qualifier.impl_->derived_writes) {
      TABLECAST_RETURN_IF_ERROR(
          ComputeColumn(qualifier.physical_columns_[derived.physical_index], *derived.program));
    }
    TABLECAST_RETURN_IF_ERROR(CheckKeyUnchanged());
    return CheckFinished();
  }

  bool IsGivenPhysical(const std::string& attribute) const {
    return std::find(given_physical.begin(), given_physical.end(), attribute) !=
           given_physical.end();
  }
  bool IsKey(const std::string& attribute) const {
    return attribute == schema.key.partition.name ||
           (schema.key.sort && attribute == schema.key.sort->name);
  }

  Status ReadAssignments() {
    for (const VirtualAssignment& assignment : assignments) {
      const VirtualColumn* column = qualifier.FindVirtual(assignment.column);
      if (column == nullptr) {
        return Refuse("unknown-column",
                      "`" + assignment.column + "` is no virtual column of this object",
                      assignment.column);
      }
      const auto index = static_cast<std::size_t>(column - qualifier.virtual_columns_.data());
      given[index] = assignment.value;
      must_read_back[index] = true;
    }
    return {};
  }

  void ReadOldValues() {
    if (old_item == nullptr) return;
    const AttributeNames no_names;
    QualifierRow row(qualifier, schema, no_names, now);
    row.ResetOwned(*old_item);
    for (std::size_t i = 0; i < qualifier.virtual_columns_.size(); ++i)
      old[i] = row.Virtual(i).ToOwned();
  }

  Status FillConstants() {
    for (const PhysicalColumn& column : qualifier.physical_columns_) {
      if (column.constants.empty() || item.contains(column.name)) continue;
      if (column.constants.size() > 1) {
        return Refuse("constant-ambiguous",
                      "`" + column.name + "` may be any of " +
                          std::to_string(column.constants.size()) +
                          " values, so it has to be given",
                      column.name);
      }
      item[column.name] = column.constants.front();
    }
    return {};
  }

  std::size_t slot_count() const { return qualifier.slots_.names().size(); }

  // What an inverse sees: virtual columns as given or as they were, stored columns from the item.
  class Inputs final : public formula::FieldReader {
   public:
    explicit Inputs(const QualifierWriter& writer)
        : writer_(writer), row_(writer.qualifier.slots(), writer.item) {}
    formula::Value Read(Slot slot) const override {
      if (slot < writer_.slot_count()) return formula::FromAttribute(row_.Get(slot));
      return writer_.InputValue(slot - writer_.slot_count());
    }

   private:
    const QualifierWriter& writer_;
    OwnedItemRow row_;
  };
  formula::Value InputValue(std::size_t index) const {
    if (const auto found = given.find(index); found != given.end()) return found->second;
    const auto found = old.find(index);
    return found == old.end() ? formula::Value() : found->second;
  }

  Status ComputeColumn(const PhysicalColumn& column, const formula::Program& inverse) {
    std::string source;  // a virtual column that is given and changes
    for (const formula::FieldUse& use : inverse.fields()) {
      if (use.slot < slot_count()) continue;
      const std::size_t index = use.slot - slot_count();
      const auto found = given.find(index);
      if (found == given.end()) continue;
      // An unchanged value leaves the stored text alone: "1.0" stays "1.0" (12.5 rule 4).
      if (old_item != nullptr && old.at(index) == found->second) continue;
      source = use.name;
    }
    if (source.empty()) {
      const bool computes_alone =
          old_item == nullptr && inverse.fields().empty() && !item.contains(column.name);
      const bool from_stored =
          old_item == nullptr && !item.contains(column.name) &&
          std::all_of(inverse.fields().begin(), inverse.fields().end(),
                      [&](const formula::FieldUse& use) { return use.slot < slot_count(); });
      if (!computes_alone && !from_stored) return {};
    }
    formula::EvalContext context(now);
    const Inputs inputs(*this);
    const formula::EvalResult result = inverse.Evaluate(inputs, context);
    const std::string blamed = source.empty() ? column.name : source;
    if (!result.ok()) {
      return Refuse("inverse-failed",
                    "`" + column.name + "` cannot be computed: " + result.error().message, blamed,
                    "give a value that its definition can store");
    }
    if (result.value().IsBlank()) {
      if (IsKey(column.name))
        return Refuse("key-blank",
                      "`" + column.name + "` would be empty, and it is part of the key", blamed,
                      "give " + blamed + " a value");
      if (IsGivenPhysical(column.name)) return {};
      item.erase(column.name);
    } else {
      const auto stored = ToAttribute(result.value());
      if (!stored)
        return Refuse("inverse-failed",
                      "`" + column.name + "` would be " + result.value().ToString() +
                          ", which cannot be stored",
                      blamed);
      if (IsGivenPhysical(column.name)) {
        const auto there = item.find(column.name);
        if (there != item.end() && there->second != *stored) {
          return Refuse("columns-disagree",
                        "`" + blamed + "` makes `" + column.name + "` " + Shown(result.value()) +
                            ", but another value is given for it",
                        blamed, "give one of the two, or make them agree");
        }
      }
      item[column.name] = *stored;
    }
    // Parts that were not given have to survive the joining (12.5 rule 6).
    for (const formula::FieldUse& use : inverse.fields()) {
      if (use.slot >= slot_count() && old_item != nullptr)
        must_read_back[use.slot - slot_count()] = true;
    }
    return {};
  }

  Status CheckKeyUnchanged() const {
    if (old_item == nullptr) return {};
    for (const std::string& name : KeyNames()) {
      const auto before = old_item->find(name);
      const auto after = item.find(name);
      if (before == old_item->end() || (after != item.end() && after->second == before->second))
        continue;
      return Refuse("key-immutable",
                    "`" + name + "` is part of the key, and a key cannot be changed",
                    BlameFor(name), "create a new record and delete this one");
    }
    return {};
  }

  std::vector<std::string> KeyNames() const {
    std::vector<std::string> names = {schema.key.partition.name};
    if (schema.key.sort) names.push_back(schema.key.sort->name);
    return names;
  }

  // The virtual column that the caller gave and that feeds `attribute`; the attribute if there is
  // none.
  std::string BlameFor(const std::string& attribute) const {
    if (IsGivenPhysical(attribute)) return attribute;
    for (const auto& [index, value] : given) {
      const VirtualColumn& column = qualifier.virtual_columns_[index];
      if (old.contains(index) && old.at(index) == value) continue;
      if (std::find(column.inputs.begin(), column.inputs.end(), attribute) != column.inputs.end())
        return column.name;
    }
    return attribute;
  }

  Status CheckFinished() {
    const AttributeNames no_names;
    QualifierRow row(qualifier, schema, no_names, now);
    row.ResetOwned(item);
    for (std::size_t i = 0; i < must_read_back.size(); ++i) {
      if (!must_read_back[i]) continue;
      const formula::Value wanted = InputValue(i);
      if (row.Virtual(i) == wanted) continue;
      return Refuse("virtual-not-stored", ReadBackMessage(i, wanted, row.Virtual(i)),
                    qualifier.virtual_columns_[i].name, ReadBackRemedy(i));
    }
    if (row.Belongs()) return {};
    for (const ConditionVerdict& verdict : row.Explain()) {
      if (verdict.holds) continue;
      const ColumnQualifier* entry = qualifier.source_.Find(verdict.column);
      const std::string attribute =
          entry == nullptr || entry->is_virtual ? verdict.column : entry->physical();
      return Refuse("not-a-member",
                    "the record would not belong to the object: `" + verdict.column +
                        "` must meet " + verdict.condition + ", and is " + verdict.seen,
                    BlameFor(attribute), "give a value that meets it");
    }
    return Refuse("not-a-member", "the record would not belong to the object", "");
  }

  bool IsWritable(std::size_t index) const {
    const Slot slot = static_cast<Slot>(slot_count() + index);
    const auto mentions = [&](const formula::Program& program) {
      return std::any_of(program.fields().begin(), program.fields().end(),
                         [&](const formula::FieldUse& use) { return use.slot == slot; });
    };
    return std::any_of(qualifier.physical_columns_.begin(), qualifier.physical_columns_.end(),
                       [&](const PhysicalColumn& column) {
                         return column.inverse != nullptr && mentions(*column.inverse);
                       }) ||
           std::any_of(qualifier.impl_->derived_writes.begin(),
                       qualifier.impl_->derived_writes.end(),
                       [&](const auto& derived) { return mentions(*derived.program); });
  }

  std::string ReadBackMessage(std::size_t index, const formula::Value& wanted,
                              const formula::Value& read) const {
    const std::string& name = qualifier.virtual_columns_[index].name;
    if (!IsWritable(index))
      return "`" + name + "` is computed and cannot be written: it would stay " + Shown(read);
    return "`" + name + "` cannot be " + Shown(wanted) + ": stored and read back it would be " +
           Shown(read);
  }
  std::string ReadBackRemedy(std::size_t index) const {
    return IsWritable(index) ? "give a value that its formulas keep"
                             : "change the columns it is computed from";
  }
};

Status ApplyVirtualWrites(const CompiledQualifier& qualifier, const TableSchema& schema,
                          Timestamp now, const std::vector<VirtualAssignment>& assignments,
                          const std::vector<std::string>& given_physical, const Item* old_item,
                          Item& item) {
  return QualifierWriter{qualifier, schema, now, assignments, given_physical,
                         old_item,  item,   {},  {},          {}}
      .Run();
}

bool IsWritableVirtual(const CompiledQualifier& qualifier, std::size_t virtual_index) {
  static const std::vector<VirtualAssignment> kNoAssignments;
  static const std::vector<std::string> kNoNames;
  static const TableSchema kNoSchema;
  Item nothing;
  return QualifierWriter{qualifier, kNoSchema, {}, kNoAssignments, kNoNames, nullptr, nothing,
                         {},        {},        {}}
      .IsWritable(virtual_index);
}

}  // namespace tablecast
