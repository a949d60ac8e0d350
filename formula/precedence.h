#ifndef TABLECAST_FORMULA_PRECEDENCE_H_
#define TABLECAST_FORMULA_PRECEDENCE_H_

// Levels of the operators, 1 = loosest. Every binary level is left associative. `^` binds LOOSER
// than
// `*` and `/`: 2*3^2 is 36. SOURCE: spec formula.md section 2 and F1.

#include <string_view>

namespace tablecast::formula {

inline constexpr int kUnaryLevel = 8;
inline constexpr int kPrimaryLevel = 9;

// 0 when `op` is no binary operator. Canonical spellings only.
inline int BinaryLevel(std::string_view op) {
  if (op == "||") return 1;
  if (op == "&&") return 2;
  if (op == "=" || op == "<>") return 3;
  if (op == "<" || op == "<=" || op == ">" || op == ">=") return 4;
  if (op == "+" || op == "-" || op == "&") return 5;
  if (op == "^") return 6;
  if (op == "*" || op == "/") return 7;
  return 0;
}

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_PRECEDENCE_H_
