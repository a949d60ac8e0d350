#ifndef TABLECAST_FORMULA_OPERATORS_H_
#define TABLECAST_FORMULA_OPERATORS_H_

// The operators by operand types, and the kernels of the special forms that evaluate all their
// arguments. Internal to formula/. SOURCE: spec formula.md section 7.

#include <optional>
#include <string_view>

#include "formula/function_registry.h"

namespace tablecast::formula::internal {

struct OperatorMeaning {
  Kernel kernel = nullptr;  // null for && and ||: the evaluator short-circuits them
  NullRule null_rule = NullRule::kBlankInBlankOut;
  ValueType result = ValueType::kNull;
};

// nullopt when the operator does not take these types. Canonical spellings.
std::optional<OperatorMeaning> BinaryMeaning(std::string_view op, ValueType left, ValueType right);
std::optional<OperatorMeaning> UnaryMeaning(std::string_view op, ValueType operand);

bool NotKernel(Arguments arguments, KernelContext& context, Value& result);
bool IsBlankKernel(Arguments arguments, KernelContext& context, Value& result);
bool AlwaysFalseKernel(Arguments arguments, KernelContext& context,
                       Value& result);  // ISNULL of a text
bool InKernel(Arguments arguments, KernelContext& context, Value& result);
bool ConcatKernel(Arguments arguments, KernelContext& context,
                  Value& result);  // any number of texts

}  // namespace tablecast::formula::internal

#endif  // TABLECAST_FORMULA_OPERATORS_H_
