// The columns of the rows between the steps of $apply.

#include <algorithm>

#include "connector/aggregate.h"
#include "connector/object_query.h"

namespace tablecast {
namespace {

Error Duplicate(const std::string& name) {
  return MakeError(ErrorCode::kInvalidArgument, "apply-duplicate-column",
                   "two columns are called '" + name + "'", "$apply", "use another alias");
}

Status AddColumn(ApplyShape& shape, ResultColumn column) {
  const bool taken =
      std::any_of(shape.columns.begin(), shape.columns.end(),
                  [&](const ResultColumn& other) { return other.name == column.name; }) ||
      (shape.is_entity && shape.object->FindField(column.name) != nullptr);
  if (taken) return Duplicate(column.name);
  shape.columns.push_back(std::move(column));
  return {};
}

// Records as rows: published fields, then computed columns.
ApplyShape AsRowShape(const ApplyShape& before) {
  if (!before.is_entity) return before;
  ApplyShape out;
  out.object = before.object;
  out.is_entity = false;
  for (const Field& field : before.object->fields()) {
    if (!field.hidden) out.columns.push_back({field.name, TypeOf(field), &field});
  }
  out.columns.insert(out.columns.end(), before.columns.begin(), before.columns.end());
  return out;
}

Status AddAggregates(ApplyShape& shape, const std::vector<AggregateItem>& items) {
  for (const AggregateItem& item : items) {
    TABLECAST_ASSIGN_OR_RETURN(const EdmType type, TypeOfAggregate(item));
    TABLECAST_RETURN_IF_ERROR(AddColumn(shape, {item.alias, type, nullptr}));
  }
  return {};
}

Result<ApplyShape> StepShape(const ApplyShape& before, const ApplyStep& step) {
  switch (step.kind) {
    case ApplyStep::Kind::kCompute: {
      ApplyShape out = before;
      for (const ComputedColumn& column : step.computed) {
        TABLECAST_RETURN_IF_ERROR(
            AddColumn(out, {column.name, column.expression->type(), nullptr}));
      }
      return out;
    }
    case ApplyStep::Kind::kAggregate: {
      ApplyShape out;
      out.object = before.object;
      out.is_entity = false;
      TABLECAST_RETURN_IF_ERROR(AddAggregates(out, step.aggregates));
      return out;
    }
    case ApplyStep::Kind::kGroupBy: {
      ApplyShape out;
      out.object = before.object;
      out.is_entity = false;
      for (const GroupKey& key : step.group_by) {
        TABLECAST_RETURN_IF_ERROR(AddColumn(out, {key.name, key.expression->type(), nullptr}));
      }
      if (step.group_steps.empty()) return out;
      TABLECAST_ASSIGN_OR_RETURN(const ApplyShape inner, ShapeAfter(before, step.group_steps));
      for (const ResultColumn& column : AsRowShape(inner).columns) {
        // A column that the group steps keep and the group already names is the same value.
        const bool named =
            std::any_of(out.columns.begin(), out.columns.end(),
                        [&](const ResultColumn& other) { return other.name == column.name; });
        if (!named) out.columns.push_back(column);
      }
      return out;
    }
    case ApplyStep::Kind::kConcat: {
      std::vector<ApplyShape> shapes;
      for (const ApplySteps& branch : step.branches) {
        TABLECAST_ASSIGN_OR_RETURN(ApplyShape shape, ShapeAfter(before, branch));
        shapes.push_back(std::move(shape));
      }
      const bool entities = std::all_of(shapes.begin(), shapes.end(),
                                        [](const ApplyShape& s) { return s.is_entity; });
      ApplyShape out;
      out.object = before.object;
      out.is_entity = entities;
      for (const ApplyShape& shape : shapes) {
        for (const ResultColumn& column : entities ? shape.columns : AsRowShape(shape).columns) {
          const auto same =
              std::find_if(out.columns.begin(), out.columns.end(),
                           [&](const ResultColumn& other) { return other.name == column.name; });
          if (same == out.columns.end()) out.columns.push_back(column);
        }
      }
      return out;
    }
    default: return before;
  }
}

}  // namespace

Result<ApplyShape> ShapeAfter(const ApplyShape& before, const ApplySteps& steps) {
  ApplyShape shape = before;
  for (const ApplyStep& step : steps) {
    TABLECAST_ASSIGN_OR_RETURN(shape, StepShape(shape, step));
  }
  return shape;
}

Result<ApplyShape> ShapeAfter(const ExternalObject& object, const ApplySteps& steps) {
  ApplyShape shape;
  shape.object = &object;
  return ShapeAfter(shape, steps);
}

}  // namespace tablecast
