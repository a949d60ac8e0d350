#ifndef TABLECAST_CONNECTOR_EXPRESSION_TYPES_H_
#define TABLECAST_CONNECTOR_EXPRESSION_TYPES_H_

// Type questions that the expression factories share.

#include <algorithm>
#include <initializer_list>
#include <string>

#include "base/result.h"
#include "connector/expression.h"

namespace tablecast::expr_types {

inline constexpr int kMaxDepth = 100;

inline Result<int> DepthOf(std::initializer_list<const Expression*> children) {
  int depth = 0;
  for (const Expression* child : children) {
    if (child != nullptr) depth = std::max(depth, child->depth());
  }
  if (depth + 1 > kMaxDepth) {
    return MakeError(
        ErrorCode::kResourceExhausted, "expression-depth",
        "the expression is nested deeper than " + std::to_string(kMaxDepth) + " levels");
  }
  return depth + 1;
}

inline EdmType Simple(EdmKind kind) { return EdmType{kind, false, nullptr}; }
inline bool IsAny(const EdmType& type) { return type.kind == EdmKind::kNull && !type.collection; }
inline bool IsBoolean(const EdmType& type) {
  return !type.collection && (type.kind == EdmKind::kBoolean || IsAny(type));
}
inline bool IsText(const EdmType& type) {
  return !type.collection && (type.kind == EdmKind::kString || IsAny(type));
}
inline bool IsNumber(const EdmType& type) {
  return !type.collection && (IsNumeric(type.kind) || IsAny(type));
}

}  // namespace tablecast::expr_types

#endif  // TABLECAST_CONNECTOR_EXPRESSION_TYPES_H_
