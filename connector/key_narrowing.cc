#include "connector/key_narrowing.h"

#include <algorithm>

#include "connector/convert.h"
#include "connector/external_id.h"
#include "connector/key_ranges.h"

namespace tablecast {
namespace {

std::optional<CompiledQualifier::PushOp> PushOpOf(TestOp op) {
  switch (op) {
    case TestOp::kEq: return CompiledQualifier::PushOp::kEq;
    case TestOp::kIn: return CompiledQualifier::PushOp::kIn;
    case TestOp::kLt: return CompiledQualifier::PushOp::kLt;
    case TestOp::kLe: return CompiledQualifier::PushOp::kLe;
    case TestOp::kGt: return CompiledQualifier::PushOp::kGt;
    case TestOp::kGe: return CompiledQualifier::PushOp::kGe;
    case TestOp::kStartsWith: return CompiledQualifier::PushOp::kStartsWith;
    case TestOp::kIsNull: return std::nullopt;
  }
  return std::nullopt;
}

class Narrower {
 public:
  Narrower(const ExternalObject& object, const std::vector<ColumnTest>& tests)
      : object_(object), items_(ItemsOf(object)), tests_(tests) {}

  Result<KeyNarrowing> Run() {
    out_.keys.push_back(items_.qualifier().key_condition());
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      const ColumnTest& test = tests_[i];
      if (test.values.empty() && test.op != TestOp::kIsNull) {
        out_.keys.clear();  // in (): nothing passes
        return std::move(out_);
      }
      switch (test.source.kind) {
        case SourceKind::kAttribute: Attribute(i); break;
        case SourceKind::kVirtual: Virtual(i); break;
        case SourceKind::kExternalId: TABLECAST_RETURN_IF_ERROR(Ids(i, object_)); break;
        case SourceKind::kParent:
          if (test.source.parent_field == 0) TABLECAST_RETURN_IF_ERROR(Ids(i, items_));
          break;
        default: break;
      }
    }
    PushVirtual();
    return std::move(out_);
  }

 private:
  void Narrow(std::string_view attribute, const ColumnCondition& condition, std::size_t test,
              bool complete) {
    const KeySchema& key = items_.schema().key;
    const bool partition = key.partition.name == attribute;
    const bool sort = key.sort && key.sort->name == attribute;
    if (!partition && !sort) return;
    for (KeyCondition& alternative : out_.keys) {
      ColumnCondition& side = partition ? alternative.partition : alternative.sort;
      side = Intersect(side, condition);
    }
    out_.used.insert(test);
    if (complete) out_.covered.insert(test);
    out_.narrowed = true;
  }

  void Attribute(std::size_t number) {
    const ColumnTest& test = tests_[number];
    if (!test.source.path.empty()) return;
    const KeySchema& key = items_.schema().key;
    const KeyColumn* column = key.partition.name == test.source.attribute           ? &key.partition
                              : key.sort && key.sort->name == test.source.attribute ? &*key.sort
                                                                                    : nullptr;
    if (column == nullptr) return;
    const std::optional<ColumnCondition> condition = PhysicalCondition(test, column->type);
    if (!condition) {
      out_.refused.emplace_back(test.text,
                                "the stored order of " + column->name + " is not the field's");
      return;
    }
    Narrow(column->name, *condition, number, test.whole);
    out_.pushed.push_back(ConditionText(column->name, *condition));
  }

  void Virtual(std::size_t number) {
    const ColumnTest& test = tests_[number];
    const std::optional<CompiledQualifier::PushOp> op = PushOpOf(test.op);
    if (!op) return;
    CompiledQualifier::VirtualCondition condition;
    condition.column = items_.qualifier().virtual_columns()[test.source.virtual_index].name;
    condition.op = *op;
    for (const EdmValue& value : test.values) {
      if (IsFloating(value.kind())) return;
      condition.literals.push_back(ToFormula(value));
    }
    virtual_numbers_.push_back(number);
    virtual_conditions_.push_back(std::move(condition));
  }

  void PushVirtual() {
    if (virtual_conditions_.empty()) return;
    const CompiledQualifier::Pushdown pushed = items_.qualifier().PushDown(virtual_conditions_);
    for (const auto& condition : pushed.conditions) {
      const bool was = out_.narrowed;
      out_.narrowed = false;
      // One condition may stem from several tests; a single one stands for it completely when
      // exact.
      const bool complete = condition.exact && virtual_conditions_.size() == 1;
      Narrow(condition.attribute, condition.condition, virtual_numbers_.front(), complete);
      if (out_.narrowed) {
        for (const std::size_t number : virtual_numbers_) out_.used.insert(number);
        out_.pushed.push_back(ConditionText(condition.attribute, condition.condition) +
                              (condition.why.empty() ? "" : " (" + condition.why + ")"));
      } else {
        out_.refused.emplace_back(ConditionText(condition.attribute, condition.condition),
                                  condition.attribute + " is no key column");
      }
      out_.narrowed = out_.narrowed || was;
    }
    for (const auto& refused : pushed.refused) out_.refused.push_back(refused);
  }

  Status Ids(std::size_t number, const ExternalObject& named) {
    const ColumnTest& test = tests_[number];
    if (test.op != TestOp::kEq && test.op != TestOp::kIn) return {};
    std::vector<KeyCondition> found;
    for (const EdmValue& value : test.values) {
      if (value.kind() != EdmKind::kString) continue;
      TABLECAST_ASSIGN_OR_RETURN(auto conditions, ExternalIdConditions(named, value.text()));
      for (KeyCondition& condition : conditions) {
        if (std::find(found.begin(), found.end(), condition) == found.end())
          found.push_back(std::move(condition));
      }
    }
    std::vector<KeyCondition> both;
    for (const KeyCondition& before : out_.keys) {
      for (const KeyCondition& condition : found) {
        KeyCondition meet = Intersect(before, condition);
        if (!meet.partition.never && !meet.sort.never) both.push_back(std::move(meet));
      }
    }
    out_.keys = std::move(both);
    out_.used.insert(number);
    out_.narrowed = true;
    out_.pushed.push_back(test.text);
    return {};
  }

  const ExternalObject& object_;
  const ExternalObject& items_;
  const std::vector<ColumnTest>& tests_;
  std::vector<std::size_t> virtual_numbers_;
  std::vector<CompiledQualifier::VirtualCondition> virtual_conditions_;
  KeyNarrowing out_;
};

}  // namespace

const ExternalObject& ItemsOf(const ExternalObject& object) {
  return object.embedded() != nullptr ? *object.embedded()->parent : object;
}

Result<KeyNarrowing> NarrowKeys(const ExternalObject& object,
                                const std::vector<ColumnTest>& tests) {
  return Narrower(object, tests).Run();
}

}  // namespace tablecast
