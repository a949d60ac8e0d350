// The math functions of spec formula.md section 8.3, exact decimals except where a function is
// transcendental: those convert to an IEEE double and back through its shortest text (section 5).
// Tested by the examples below and tests/formula/.

#include <algorithm>
#include <cmath>

#include "formula/function_tables.h"
#include "formula/number_text.h"

namespace tablecast::formula::internal {

bool SetNumber(KernelContext& context, Value& result, const Decimal& number) {
  if (!IsInNumberRange(number)) {
    if (number.Magnitude() < 0) {
      result = Value::Integer(0);
      return true;
    }
    return context.Fail(EvalErrorCode::kArgumentOutOfRange, "number is beyond 10^1000");
  }
  result = Value::Number(number);
  return true;
}

namespace {

// CEILING and its kin first round to 33 digits, so that the noise of a division does not show.
constexpr Decimal::Context kBeforeCeiling{33, Rounding::kHalfDown};
constexpr Decimal::Context kBeforeFloor{33, Rounding::kHalfUp};

bool Abs(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Number(args[0].number().Abs());
  return true;
}
bool Ceiling(Arguments args, KernelContext& /*context*/, Value& result) {
  result =
      Value::Number(args[0].number().RoundToDigits(kBeforeCeiling).RoundToScale(0, Rounding::kUp));
  return true;
}
bool Floor(Arguments args, KernelContext& /*context*/, Value& result) {
  result =
      Value::Number(args[0].number().RoundToDigits(kBeforeFloor).RoundToScale(0, Rounding::kDown));
  return true;
}
bool MCeiling(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Number(
      args[0].number().RoundToDigits(kBeforeCeiling).RoundToScale(0, Rounding::kCeiling));
  return true;
}
bool MFloor(Arguments args, KernelContext& /*context*/, Value& result) {
  result =
      Value::Number(args[0].number().RoundToDigits(kBeforeFloor).RoundToScale(0, Rounding::kFloor));
  return true;
}

// Digits beyond ±2000 change nothing that a number can hold.
std::int64_t ClampedScale(const Decimal& digits) {
  return std::clamp<std::int64_t>(digits.ToInt64Saturated(), -2000, 2000);
}
bool Round(Arguments args, KernelContext& context, Value& result) {
  return SetNumber(
      context, result,
      args[0].number().RoundToScale(ClampedScale(args[1].number()), Rounding::kHalfUp));
}
bool Trunc(Arguments args, KernelContext& context, Value& result) {
  return SetNumber(context, result,
                   args[0].number().RoundToScale(ClampedScale(args[1].number()), Rounding::kDown));
}

bool Mod(Arguments args, KernelContext& context, Value& result) {
  if (args[1].number().IsZero()) return context.Fail(EvalErrorCode::kDivisionByZero, "MOD by zero");
  const Result<Decimal> rest = Remainder(args[0].number(), args[1].number());
  if (!rest.ok()) return context.Fail(EvalErrorCode::kArgumentOutOfRange, rest.error().message);
  result = Value::Number(*rest);
  return true;
}

bool Max(Arguments args, KernelContext& /*context*/, Value& result) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (args[i].number() > args[best].number()) best = i;
  }
  result = args[best];
  return true;
}
bool Min(Arguments args, KernelContext& /*context*/, Value& result) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (args[i].number() < args[best].number()) best = i;
  }
  result = args[best];
  return true;
}

bool SetDouble(KernelContext& context, Value& result, double number, std::string_view function) {
  if (std::isnan(number) || std::isinf(number)) {
    return context.Fail(EvalErrorCode::kNotARealNumber,
                        std::string(function) + " has no real result here");
  }
  const Result<Decimal> exact = Decimal::FromShortestDouble(number);
  if (!exact.ok()) return context.Fail(EvalErrorCode::kNotARealNumber, exact.error().message);
  result = Value::Number(*exact);
  return true;
}

bool Sqrt(Arguments args, KernelContext& context, Value& result) {
  return SetDouble(context, result, std::sqrt(args[0].number().ToDouble()), "SQRT");
}
bool Exp(Arguments args, KernelContext& context, Value& result) {
  return SetDouble(context, result, std::exp(args[0].number().ToDouble()), "EXP");
}
bool Ln(Arguments args, KernelContext& context, Value& result) {
  return SetDouble(context, result, std::log(args[0].number().ToDouble()), "LN");
}
bool Log(Arguments args, KernelContext& context, Value& result) {
  return SetDouble(context, result, std::log10(args[0].number().ToDouble()), "LOG");
}
bool Sin(Arguments args, KernelContext& context, Value& result) {
  return SetDouble(context, result, std::sin(args[0].number().ToDouble()), "SIN");
}
bool Cos(Arguments args, KernelContext& context, Value& result) {
  return SetDouble(context, result, std::cos(args[0].number().ToDouble()), "COS");
}
bool Tan(Arguments args, KernelContext& context, Value& result) {
  return SetDouble(context, result, std::tan(args[0].number().ToDouble()), "TAN");
}
bool Asin(Arguments args, KernelContext& context, Value& result) {
  return SetDouble(context, result, std::asin(args[0].number().ToDouble()), "ASIN");
}
bool Acos(Arguments args, KernelContext& context, Value& result) {
  return SetDouble(context, result, std::acos(args[0].number().ToDouble()), "ACOS");
}
bool Atan(Arguments args, KernelContext& context, Value& result) {
  return SetDouble(context, result, std::atan(args[0].number().ToDouble()), "ATAN");
}
bool Atan2(Arguments args, KernelContext& context, Value& result) {
  return SetDouble(context, result,
                   std::atan2(args[0].number().ToDouble(), args[1].number().ToDouble()), "ATAN2");
}
bool Pi(Arguments /*args*/, KernelContext& /*context*/, Value& result) {
  // 314159265358979323846 is beyond 64 bits: the whole part is added to the fraction.
  result = Value::Number(
      Add(Decimal(3), Decimal::FromParts(false, 14159265358979323846U, -20), Decimal::kFormula));
  return true;
}

constexpr ValueType kNumberResult = ValueType::kNumber;
constexpr Overload kOne[] = {Takes(kNumberResult, P::kNumber)};
constexpr Overload kTwo[] = {Takes(kNumberResult, P::kNumber, P::kNumber)};
constexpr Overload kAny[] = {Variadic(Takes(kNumberResult, P::kNumber))};
constexpr Overload kNone[] = {Takes(kNumberResult)};

constexpr FunctionExample kAbsExamples[] = {{"ABS(-2.50)", "2.5"}, {"ABS(NULL)", "blank"}};
constexpr FunctionExample kCeilingExamples[] = {{"CEILING(-1.5)", "-2"}, {"CEILING(1/3*3)", "1"}};
constexpr FunctionExample kFloorExamples[] = {{"FLOOR(-1.5)", "-1"}, {"FLOOR(1/3*3)", "1"}};
constexpr FunctionExample kMCeilingExamples[] = {{"MCEILING(-1.5)", "-1"}, {"MCEILING(1.2)", "2"}};
constexpr FunctionExample kMFloorExamples[] = {{"MFLOOR(-1.5)", "-2"}, {"MFLOOR(1.8)", "1"}};
constexpr FunctionExample kRoundExamples[] = {{"ROUND(2.5, 0)", "3"},
                                              {"ROUND(-2.5, 0)", "-3"},
                                              {"ROUND(1.005, 2)", "1.01"},
                                              {"ROUND(1250, -2)", "1300"},
                                              {"ROUND(5, -1)", "10"}};
constexpr FunctionExample kTruncExamples[] = {{"TRUNC(-1.99, 1)", "-1.9"}, {"TRUNC(15, -1)", "10"}};
constexpr FunctionExample kModExamples[] = {
    {"MOD(-7, 3)", "-1"}, {"MOD(7, -3)", "1"}, {"MOD(1, 0.3)", "0.1"}, {"MOD(1, 0)", "error"}};
constexpr FunctionExample kMaxExamples[] = {
    {"MAX(1, 3, 2)", "3"}, {"MAX(1, NULL)", "blank"}, {"MAX()", "reject"}};
constexpr FunctionExample kMinExamples[] = {
    {"MIN(2, 1, 3)", "1"}, {"MIN(1, NULL)", "blank"}, {"MIN()", "reject"}};
constexpr FunctionExample kSqrtExamples[] = {{"SQRT(2)", "1.4142135623730951"},
                                             {"SQRT(-1)", "error"}};
constexpr FunctionExample kExpExamples[] = {{"EXP(1)", "2.718281828459045"},
                                            {"EXP(1000)", "error"}};
constexpr FunctionExample kLnExamples[] = {{"LN(1)", "0"}, {"LN(0)", "error"}};
constexpr FunctionExample kLogExamples[] = {{"LOG(100)", "2"}, {"LOG(-1)", "error"}};
constexpr FunctionExample kSinExamples[] = {{"SIN(0)", "0"}};
constexpr FunctionExample kCosExamples[] = {{"COS(0)", "1"}};
constexpr FunctionExample kTanExamples[] = {{"TAN(0)", "0"}};
constexpr FunctionExample kAsinExamples[] = {{"ASIN(1)", "1.5707963267948966"},
                                             {"ASIN(2)", "error"}};
constexpr FunctionExample kAcosExamples[] = {{"ACOS(1)", "0"}, {"ACOS(-2)", "error"}};
constexpr FunctionExample kAtanExamples[] = {{"ATAN(1)", "0.7853981633974483"}};
constexpr FunctionExample kAtan2Examples[] = {{"ATAN2(0, 0)", "0"},
                                              {"ATAN2(1, 1)", "0.7853981633974483"}};
constexpr FunctionExample kPiExamples[] = {{"PI()", "3.14159265358979323846"}};

constexpr std::string_view kFamily = "Math";

// Every math function: blank in, blank out.
constexpr FunctionEntry Math(std::string_view name, std::string_view parameters,
                             std::span<const Overload> overloads, Kernel kernel,
                             std::string_view doc, std::span<const FunctionExample> examples) {
  FunctionEntry entry;
  entry.name = name;
  entry.family = kFamily;
  entry.parameters = parameters;
  entry.overloads = overloads;
  entry.kernel = kernel;
  entry.doc = doc;
  entry.examples = examples;
  return entry;
}

constexpr FunctionEntry kFunctions[] = {
    Math("ABS", "number", kOne, Abs, "The number without its sign", kAbsExamples),
    Math("CEILING", "number", kOne, Ceiling,
         "To a whole number, away from zero, after rounding to 33 digits", kCeilingExamples),
    Math("FLOOR", "number", kOne, Floor,
         "To a whole number, toward zero, after rounding to 33 digits", kFloorExamples),
    Math("MCEILING", "number", kOne, MCeiling,
         "To a whole number, upward, after rounding to 33 digits", kMCeilingExamples),
    Math("MFLOOR", "number", kOne, MFloor,
         "To a whole number, downward, after rounding to 33 digits", kMFloorExamples),
    Math("ROUND", "number, digits", kTwo, Round,
         "To `digits` fraction digits, halves away from zero; negative digits round whole digits",
         kRoundExamples),
    Math("TRUNC", "number, digits", kTwo, Trunc, "Cuts to `digits` fraction digits, toward zero",
         kTruncExamples),
    Math("MOD", "number, divisor", kTwo, Mod,
         "Exact remainder with the sign of the number; an error for divisor 0", kModExamples),
    Math("MAX", "number, ...", kAny, Max, "The largest; blank when one is blank", kMaxExamples),
    Math("MIN", "number, ...", kAny, Min, "The smallest; blank when one is blank", kMinExamples),
    Math("SQRT", "number", kOne, Sqrt, "Square root, in double precision", kSqrtExamples),
    Math("EXP", "number", kOne, Exp, "e to the power of the number, in double precision",
         kExpExamples),
    Math("LN", "number", kOne, Ln, "Natural logarithm, in double precision", kLnExamples),
    Math("LOG", "number", kOne, Log, "Logarithm to base 10, in double precision", kLogExamples),
    Math("SIN", "radians", kOne, Sin, "Sine, in double precision", kSinExamples),
    Math("COS", "radians", kOne, Cos, "Cosine, in double precision", kCosExamples),
    Math("TAN", "radians", kOne, Tan, "Tangent, in double precision", kTanExamples),
    Math("ASIN", "number", kOne, Asin, "Arc sine in radians; an error outside of -1..1",
         kAsinExamples),
    Math("ACOS", "number", kOne, Acos, "Arc cosine in radians; an error outside of -1..1",
         kAcosExamples),
    Math("ATAN", "number", kOne, Atan, "Arc tangent in radians", kAtanExamples),
    Math("ATAN2", "y, x", kTwo, Atan2, "Angle of the point (x, y) in radians", kAtan2Examples),
    Math("PI", "", kNone, Pi, "The circle number to 21 digits", kPiExamples),
};

}  // namespace

std::span<const FunctionEntry> MathFunctions() { return kFunctions; }

}  // namespace tablecast::formula::internal
