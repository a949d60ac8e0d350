#include "formula/operators.h"

#include <algorithm>
#include <cmath>

#include "formula/date_text.h"
#include "formula/function_tables.h"
#include "formula/number_text.h"

namespace tablecast::formula::internal {
namespace {

bool FailRange(KernelContext& context) {
  return context.Fail(EvalErrorCode::kArgumentOutOfRange, "date is outside of the years 1 to 9999");
}

// ---- numbers ----

bool AddNumbers(Arguments args, KernelContext& context, Value& result) {
  return SetNumber(context, result, Add(args[0].number(), args[1].number(), Decimal::kFormula));
}
bool SubtractNumbers(Arguments args, KernelContext& context, Value& result) {
  return SetNumber(context, result,
                   Subtract(args[0].number(), args[1].number(), Decimal::kFormula));
}
bool MultiplyNumbers(Arguments args, KernelContext& context, Value& result) {
  return SetNumber(context, result,
                   Multiply(args[0].number(), args[1].number(), Decimal::kFormula));
}
bool DivideNumbers(Arguments args, KernelContext& context, Value& result) {
  if (args[1].number().IsZero())
    return context.Fail(EvalErrorCode::kDivisionByZero, "division by zero");
  const Result<Decimal> quotient = Divide(args[0].number(), args[1].number(), Decimal::kFormula);
  if (!quotient.ok())
    return context.Fail(EvalErrorCode::kArgumentOutOfRange, quotient.error().message);
  return SetNumber(context, result, *quotient);
}

// SOURCE: spec formula.md section 5: an error beyond 10^64, zero below 10^-39.
bool PowerOfNumbers(Arguments args, KernelContext& context, Value& result) {
  const Decimal& base = args[0].number();
  const Decimal& power = args[1].number();
  if (!power.IsInteger()) {
    return context.Fail(EvalErrorCode::kArgumentOutOfRange,
                        "the exponent of ^ must be a whole number");
  }
  const std::int64_t exponent = power.ToInt64Saturated();
  if (exponent == 0) {
    result = Value::Integer(1);
    return true;
  }
  if (base.IsZero()) {
    if (exponent < 0) return context.Fail(EvalErrorCode::kDivisionByZero, "0 to a negative power");
    result = Value::Integer(0);
    return true;
  }
  if (base.Abs() == Decimal(1)) {
    const bool odd = exponent % 2 != 0;
    result = Value::Integer(base.IsNegative() && odd ? -1 : 1);
    return true;
  }
  // The size of the result first, so that nothing large is ever computed. The leading digits are
  // within the range of a double whatever the exponent.
  const std::int32_t magnitude = base.Magnitude();
  const Decimal leading =
      Multiply(base.Abs(), Decimal::FromParts(false, 1, -magnitude), Decimal::kFormula);
  const double digits =
      (magnitude + std::log10(leading.ToDouble())) * static_cast<double>(exponent);
  if (digits > 64.0) {
    return context.Fail(EvalErrorCode::kArgumentOutOfRange, "the result of ^ is beyond 10^64");
  }
  if (digits < -45.0) {
    result = Value::Integer(0);
    return true;
  }
  const Result<Decimal> raised = Power(base, exponent, Decimal::kFormula);
  if (!raised.ok()) return context.Fail(EvalErrorCode::kArgumentOutOfRange, raised.error().message);
  if (!raised->IsZero() && raised->Abs() < Decimal::FromParts(false, 1, -39)) {
    result = Value::Integer(0);
    return true;
  }
  result = Value::Number(*raised);
  return true;
}

bool NegateNumber(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Number(args[0].number().Negated());
  return true;
}
bool KeepNumber(Arguments args, KernelContext& /*context*/, Value& result) {
  result = args[0];
  return true;
}

// ---- dates and times ----

bool ShiftDate(Date date, const Decimal& days, bool back, KernelContext& context, Value& result) {
  constexpr std::int64_t kMost = 4'000'000;  // more than the whole calendar
  const std::int64_t whole = std::clamp(days.ToInt64Saturated(), -kMost, kMost);
  const std::int64_t shifted = date.days + (back ? -whole : whole);
  if (shifted < kMinDate.days || shifted > kMaxDate.days) return FailRange(context);
  result = Value::FromDate(Date{static_cast<std::int32_t>(shifted)});
  return true;
}

// The shift is rounded to whole seconds, the milliseconds of the base stay.
bool ShiftDateTime(Timestamp base, const Decimal& days, bool back, KernelContext& context,
                   Value& result) {
  const Decimal seconds =
      Multiply(days, Decimal(kSecondsPerDay), Decimal::kFormula).RoundToScale(0, Rounding::kHalfUp);
  constexpr std::int64_t kMost = 4'000'000 * kSecondsPerDay;
  const std::int64_t whole = std::clamp(seconds.ToInt64Saturated(), -kMost, kMost);
  const std::optional<Timestamp> shifted =
      FromMillis(ToMillis(base) + (back ? -whole : whole) * 1000);
  if (!shifted) return FailRange(context);
  result = Value::DateTime(*shifted);
  return true;
}

// Wraps around midnight (F10).
bool ShiftTime(TimeOfDay base, const Decimal& millis, bool back, Value& result) {
  const std::int64_t whole = millis.ToInt64Saturated() % kMillisPerDay;
  const std::int64_t shifted =
      (ToMillis(base) + (back ? -whole : whole) + kMillisPerDay) % kMillisPerDay;
  result = Value::Time(TimeOfDay{shifted * kNanosPerMilli});
  return true;
}

bool DatePlusNumber(Arguments args, KernelContext& context, Value& result) {
  return ShiftDate(args[0].date(), args[1].number(), false, context, result);
}
bool NumberPlusDate(Arguments args, KernelContext& context, Value& result) {
  return ShiftDate(args[1].date(), args[0].number(), false, context, result);
}
bool DateMinusNumber(Arguments args, KernelContext& context, Value& result) {
  return ShiftDate(args[0].date(), args[1].number(), true, context, result);
}
bool DateTimePlusNumber(Arguments args, KernelContext& context, Value& result) {
  return ShiftDateTime(args[0].instant(), args[1].number(), false, context, result);
}
bool NumberPlusDateTime(Arguments args, KernelContext& context, Value& result) {
  return ShiftDateTime(args[1].instant(), args[0].number(), false, context, result);
}
bool DateTimeMinusNumber(Arguments args, KernelContext& context, Value& result) {
  return ShiftDateTime(args[0].instant(), args[1].number(), true, context, result);
}
bool TimePlusNumber(Arguments args, KernelContext& /*context*/, Value& result) {
  return ShiftTime(args[0].time(), args[1].number(), false, result);
}
bool TimeMinusNumber(Arguments args, KernelContext& /*context*/, Value& result) {
  return ShiftTime(args[0].time(), args[1].number(), true, result);
}
bool DateMinusDate(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Integer(std::int64_t{args[0].date().days} - args[1].date().days);
  return true;
}
bool DateTimeMinusDateTime(Arguments args, KernelContext& context, Value& result) {
  const Result<Decimal> days =
      Divide(Decimal(ToMillis(args[0].instant()) - ToMillis(args[1].instant())),
             Decimal(kMillisPerDay), Decimal::kFormula);
  if (!days.ok()) return context.Fail(EvalErrorCode::kDivisionByZero, days.error().message);
  result = Value::Number(*days);
  return true;
}
bool TimeMinusTime(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Integer((ToMillis(args[0].time()) - ToMillis(args[1].time()) + kMillisPerDay) %
                          kMillisPerDay);
  return true;
}

// ---- comparison ----

// REQUIRES: both of one type, neither blank. Text in UTF-8 byte order (F25).
int Compare(const Value& a, const Value& b) {
  const auto sign = [](auto order) { return order < 0 ? -1 : (order > 0 ? 1 : 0); };
  switch (a.type()) {
    case ValueType::kText: return sign(a.text().compare(b.text()));
    case ValueType::kNumber: return sign(a.number() <=> b.number());
    case ValueType::kDate: return sign(a.date() <=> b.date());
    case ValueType::kDateTime: return sign(a.instant() <=> b.instant());
    case ValueType::kTime: return sign(a.time() <=> b.time());
    case ValueType::kBoolean: return static_cast<int>(a.boolean()) - static_cast<int>(b.boolean());
    case ValueType::kNull: break;
  }
  return 0;
}

bool Equal(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Boolean(args[0] == args[1]);
  return true;
}
bool NotEqual(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Boolean(!(args[0] == args[1]));
  return true;
}
bool Less(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Boolean(Compare(args[0], args[1]) < 0);
  return true;
}
bool LessOrEqual(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Boolean(Compare(args[0], args[1]) <= 0);
  return true;
}
bool Greater(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Boolean(Compare(args[0], args[1]) > 0);
  return true;
}
bool GreaterOrEqual(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Boolean(Compare(args[0], args[1]) >= 0);
  return true;
}

// An operation with the literal NULL that no other rule covers: always blank.
bool AlwaysBlank(Arguments /*args*/, KernelContext& /*context*/, Value& result) {
  result = Value();
  return true;
}

struct OperatorRow {
  std::string_view op;
  ValueType left, right, result;
  Kernel kernel;
};

using V = ValueType;
constexpr OperatorRow kArithmetic[] = {
    {"+", V::kNumber, V::kNumber, V::kNumber, AddNumbers},
    {"+", V::kDate, V::kNumber, V::kDate, DatePlusNumber},
    {"+", V::kNumber, V::kDate, V::kDate, NumberPlusDate},
    {"+", V::kDateTime, V::kNumber, V::kDateTime, DateTimePlusNumber},
    {"+", V::kNumber, V::kDateTime, V::kDateTime, NumberPlusDateTime},
    {"+", V::kTime, V::kNumber, V::kTime, TimePlusNumber},
    {"-", V::kNumber, V::kNumber, V::kNumber, SubtractNumbers},
    {"-", V::kDate, V::kDate, V::kNumber, DateMinusDate},
    {"-", V::kDateTime, V::kDateTime, V::kNumber, DateTimeMinusDateTime},
    {"-", V::kTime, V::kTime, V::kNumber, TimeMinusTime},
    {"-", V::kDate, V::kNumber, V::kDate, DateMinusNumber},
    {"-", V::kDateTime, V::kNumber, V::kDateTime, DateTimeMinusNumber},
    {"-", V::kTime, V::kNumber, V::kTime, TimeMinusNumber},
    {"*", V::kNumber, V::kNumber, V::kNumber, MultiplyNumbers},
    {"/", V::kNumber, V::kNumber, V::kNumber, DivideNumbers},
    {"^", V::kNumber, V::kNumber, V::kNumber, PowerOfNumbers},
};

bool Fits(ValueType type, ValueType wanted) { return type == wanted || type == ValueType::kNull; }

std::optional<OperatorMeaning> ComparisonMeaning(std::string_view op, ValueType left,
                                                 ValueType right) {
  if (left != right && left != V::kNull && right != V::kNull) return std::nullopt;
  const bool equality = op == "=" || op == "<>";
  const bool text = left == V::kText || right == V::kText;
  const bool boolean = left == V::kBoolean || right == V::kBoolean;
  if (boolean && !equality) return std::nullopt;
  // Text compares blanks as values with = and <>; everything else makes them unknown.
  const NullRule rule = equality && text ? NullRule::kKernelDecides : NullRule::kBlankInBlankOut;
  Kernel kernel = nullptr;
  if (op == "=") kernel = Equal;
  if (op == "<>") kernel = NotEqual;
  if (op == "<") kernel = Less;
  if (op == "<=") kernel = LessOrEqual;
  if (op == ">") kernel = Greater;
  if (op == ">=") kernel = GreaterOrEqual;
  if (kernel == nullptr) return std::nullopt;
  return OperatorMeaning{kernel, rule, V::kBoolean};
}

}  // namespace

bool NotKernel(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Boolean(!args[0].boolean());
  return true;
}

bool IsBlankKernel(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Boolean(args[0].IsBlank());
  return true;
}

bool AlwaysFalseKernel(Arguments /*args*/, KernelContext& /*context*/, Value& result) {
  result = Value::Boolean(false);
  return true;
}

bool InKernel(Arguments args, KernelContext& /*context*/, Value& result) {
  bool found = false;
  for (std::size_t i = 1; i < args.size() && !args[0].IsBlank(); ++i)
    found = found || args[0] == args[i];
  result = Value::Boolean(found);
  return true;
}

bool ConcatKernel(Arguments args, KernelContext& context, Value& result) {
  std::size_t size = 0;
  std::size_t filled = 0;
  for (std::size_t i = 0; i < args.size(); ++i) {
    size += args[i].text().size();
    if (!args[i].IsBlank()) ++filled;
  }
  if (filled <= 1) {  // nothing to join: keep the view
    result = Value();
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!args[i].IsBlank()) result = args[i];
    }
    return true;
  }
  char* out = context.Allocate(size);
  if (out == nullptr) return false;
  char* cursor = out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view part = args[i].text();
    cursor = std::copy_n(part.data(), part.size(), cursor);
  }
  result = Value::TextView({out, size});
  return true;
}

std::optional<OperatorMeaning> BinaryMeaning(std::string_view op, ValueType left, ValueType right) {
  if (op == "&&" || op == "||") {
    if (!Fits(left, V::kBoolean) || !Fits(right, V::kBoolean)) return std::nullopt;
    return OperatorMeaning{nullptr, NullRule::kKernelDecides, V::kBoolean};
  }
  if (op == "&") {
    if (!Fits(left, V::kText) || !Fits(right, V::kText)) return std::nullopt;
    return OperatorMeaning{ConcatKernel, NullRule::kKernelDecides, V::kText};
  }
  if (op == "+" && (left == V::kText || right == V::kText)) {  // as & (F22)
    if (!Fits(left, V::kText) || !Fits(right, V::kText)) return std::nullopt;
    return OperatorMeaning{ConcatKernel, NullRule::kKernelDecides, V::kText};
  }
  if ((op == "+" || op == "-") && (left == V::kNull || right == V::kNull)) {
    return OperatorMeaning{AlwaysBlank, NullRule::kKernelDecides, V::kNull};
  }
  for (const OperatorRow& row : kArithmetic) {
    if (row.op != op) continue;
    const bool null_fits = op == "*" || op == "/" || op == "^";
    const bool fits = null_fits ? Fits(left, row.left) && Fits(right, row.right)
                                : left == row.left && right == row.right;
    if (fits) return OperatorMeaning{row.kernel, NullRule::kBlankInBlankOut, row.result};
  }
  return ComparisonMeaning(op, left, right);
}

std::optional<OperatorMeaning> UnaryMeaning(std::string_view op, ValueType operand) {
  if (op == "!") {
    if (!Fits(operand, V::kBoolean)) return std::nullopt;
    return OperatorMeaning{NotKernel, NullRule::kBlankInBlankOut, V::kBoolean};
  }
  if (operand != V::kNumber) return std::nullopt;
  return OperatorMeaning{op == "-" ? NegateNumber : KeepNumber, NullRule::kBlankInBlankOut,
                         V::kNumber};
}

}  // namespace tablecast::formula::internal
