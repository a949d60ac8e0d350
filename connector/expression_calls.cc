// The canonical functions: signatures, type checks, construction of calls.

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "connector/expression.h"
#include "connector/expression_nodes.h"
#include "connector/expression_types.h"

namespace tablecast {
namespace {

using namespace expr_types;  // NOLINT: a handful of predicates

constexpr std::size_t kMaxPatternBytes = 256;

struct Signature {
  Function function;
  std::string_view name;
  std::size_t min_arguments;
  std::size_t max_arguments;
  std::string_view text;  // for messages
};
constexpr std::array kSignatures = {
    Signature{Function::kContains, "contains", 2, 2, "contains(Edm.String,Edm.String)"},
    Signature{Function::kStartsWith, "startswith", 2, 2, "startswith(Edm.String,Edm.String)"},
    Signature{Function::kEndsWith, "endswith", 2, 2, "endswith(Edm.String,Edm.String)"},
    Signature{Function::kIndexOf, "indexof", 2, 2, "indexof(Edm.String,Edm.String)"},
    Signature{Function::kLength, "length", 1, 1, "length(Edm.String)"},
    Signature{Function::kConcat, "concat", 2, 2, "concat(Edm.String,Edm.String)"},
    Signature{Function::kSubstring, "substring", 2, 3,
              "substring(Edm.String,Edm.Int32[,Edm.Int32])"},
    Signature{Function::kToLower, "tolower", 1, 1, "tolower(Edm.String)"},
    Signature{Function::kToUpper, "toupper", 1, 1, "toupper(Edm.String)"},
    Signature{Function::kTrim, "trim", 1, 1, "trim(Edm.String)"},
    Signature{Function::kMatchesPattern, "matchespattern", 2, 3,
              "matchesPattern(Edm.String,pattern[,flags])"},
    Signature{Function::kYear, "year", 1, 1, "year(Edm.Date or Edm.DateTimeOffset)"},
    Signature{Function::kMonth, "month", 1, 1, "month(Edm.Date or Edm.DateTimeOffset)"},
    Signature{Function::kDay, "day", 1, 1, "day(Edm.Date or Edm.DateTimeOffset)"},
    Signature{Function::kHour, "hour", 1, 1, "hour(Edm.DateTimeOffset or Edm.TimeOfDay)"},
    Signature{Function::kMinute, "minute", 1, 1, "minute(Edm.DateTimeOffset or Edm.TimeOfDay)"},
    Signature{Function::kSecond, "second", 1, 1, "second(Edm.DateTimeOffset or Edm.TimeOfDay)"},
    Signature{Function::kFractionalSeconds, "fractionalseconds", 1, 1,
              "fractionalseconds(Edm.DateTimeOffset or Edm.TimeOfDay)"},
    Signature{Function::kDate, "date", 1, 1, "date(Edm.DateTimeOffset)"},
    Signature{Function::kTime, "time", 1, 1, "time(Edm.DateTimeOffset)"},
    Signature{Function::kTotalOffsetMinutes, "totaloffsetminutes", 1, 1,
              "totaloffsetminutes(Edm.DateTimeOffset)"},
    Signature{Function::kTotalSeconds, "totalseconds", 1, 1, "totalseconds(Edm.Duration)"},
    Signature{Function::kNow, "now", 0, 0, "now()"},
    Signature{Function::kMinDateTime, "mindatetime", 0, 0, "mindatetime()"},
    Signature{Function::kMaxDateTime, "maxdatetime", 0, 0, "maxdatetime()"},
    Signature{Function::kRound, "round", 1, 1, "round(number)"},
    Signature{Function::kFloor, "floor", 1, 1, "floor(number)"},
    Signature{Function::kCeiling, "ceiling", 1, 1, "ceiling(number)"},
    Signature{Function::kHasSubset, "hassubset", 2, 2, "hassubset(Collection,Collection)"},
    Signature{Function::kHasSubsequence, "hassubsequence", 2, 2,
              "hassubsequence(Collection,Collection)"},
};

const Signature& SignatureOf(Function function) {
  return *std::find_if(kSignatures.begin(), kSignatures.end(),
                       [&](const Signature& s) { return s.function == function; });
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Result type of a call, or kNull when the arguments do not fit the signature.
std::optional<EdmType> CheckCall(Function function, const std::vector<ExpressionPtr>& arguments) {
  const auto type = [&](std::size_t i) -> const EdmType& { return arguments[i]->type(); };
  const auto text = [&](std::size_t i) { return IsText(type(i)); };
  const auto list = [&](std::size_t i) { return type(i).collection || IsAny(type(i)); };
  const auto whole = [&](std::size_t i) {
    return !type(i).collection && (IsIntegerKind(type(i).kind) || IsAny(type(i)));
  };
  const auto one_of = [&](std::initializer_list<EdmKind> kinds) {
    return IsAny(type(0)) || (!type(0).collection &&
                              std::find(kinds.begin(), kinds.end(), type(0).kind) != kinds.end());
  };
  switch (function) {
    case Function::kContains:
    case Function::kStartsWith:
    case Function::kEndsWith:
      if ((text(0) && text(1)) || (list(0) && list(1))) return Simple(EdmKind::kBoolean);
      return std::nullopt;
    case Function::kIndexOf:
      if ((text(0) && text(1)) || (list(0) && list(1))) return Simple(EdmKind::kInt32);
      return std::nullopt;
    case Function::kLength:
      if (text(0) || list(0)) return Simple(EdmKind::kInt32);
      return std::nullopt;
    case Function::kConcat:
      if (text(0) && text(1)) return Simple(EdmKind::kString);
      if (list(0) && list(1)) return IsAny(type(0)) ? type(1) : type(0);
      return std::nullopt;
    case Function::kSubstring:
      if ((!text(0) && !list(0)) || !whole(1) || (arguments.size() == 3 && !whole(2)))
        return std::nullopt;
      return text(0) ? Simple(EdmKind::kString) : type(0);
    case Function::kToLower:
    case Function::kToUpper:
    case Function::kTrim:
      if (text(0)) return Simple(EdmKind::kString);
      return std::nullopt;
    case Function::kMatchesPattern:
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!text(i)) return std::nullopt;
      }
      return Simple(EdmKind::kBoolean);
    case Function::kYear:
    case Function::kMonth:
    case Function::kDay:
      if (one_of({EdmKind::kDate, EdmKind::kDateTimeOffset})) return Simple(EdmKind::kInt32);
      return std::nullopt;
    case Function::kHour:
    case Function::kMinute:
    case Function::kSecond:
      if (one_of({EdmKind::kDateTimeOffset, EdmKind::kTimeOfDay})) return Simple(EdmKind::kInt32);
      return std::nullopt;
    case Function::kFractionalSeconds:
      if (one_of({EdmKind::kDateTimeOffset, EdmKind::kTimeOfDay})) return Simple(EdmKind::kDecimal);
      return std::nullopt;
    case Function::kDate:
      if (one_of({EdmKind::kDateTimeOffset})) return Simple(EdmKind::kDate);
      return std::nullopt;
    case Function::kTime:
      if (one_of({EdmKind::kDateTimeOffset})) return Simple(EdmKind::kTimeOfDay);
      return std::nullopt;
    case Function::kTotalOffsetMinutes:
      if (one_of({EdmKind::kDateTimeOffset})) return Simple(EdmKind::kInt32);
      return std::nullopt;
    case Function::kTotalSeconds:
      if (one_of({EdmKind::kDuration})) return Simple(EdmKind::kDecimal);
      return std::nullopt;
    case Function::kNow:
    case Function::kMinDateTime:
    case Function::kMaxDateTime: return Simple(EdmKind::kDateTimeOffset);
    case Function::kRound:
    case Function::kFloor:
    case Function::kCeiling:
      if (IsNumber(type(0))) return type(0);
      return std::nullopt;
    case Function::kHasSubset:
    case Function::kHasSubsequence:
      if (list(0) && list(1)) return Simple(EdmKind::kBoolean);
      return std::nullopt;
  }
  return std::nullopt;
}

// A pattern given as a literal is compiled once; null for one that each record gives anew.
Result<std::shared_ptr<const RegexSearch>> CompilePattern(
    const std::vector<ExpressionPtr>& arguments) {
  const auto* pattern = dynamic_cast<const LiteralNode*>(arguments[1].get());
  const auto* flags =
      arguments.size() == 3 ? dynamic_cast<const LiteralNode*>(arguments[2].get()) : nullptr;
  const bool literal = pattern != nullptr && (arguments.size() == 2 || flags != nullptr);
  if (!literal || pattern->value().is_null() || (flags != nullptr && flags->value().is_null()))
    return std::shared_ptr<const RegexSearch>();
  return CompileSearch(pattern->value().text(), flags == nullptr ? "" : flags->value().text());
}

}  // namespace

std::string_view FunctionName(Function function) { return SignatureOf(function).name; }

Result<std::shared_ptr<const RegexSearch>> CompileSearch(std::string_view pattern,
                                                         std::string_view flags) {
  bool fold = false;
  for (const char flag : flags) {
    if (flag != 'i') {
      return MakeError(ErrorCode::kInvalidArgument, "pattern-flag",
                       std::string("matchesPattern knows the flag 'i' only, got '") + flag + "'");
    }
    fold = true;
  }
  return RegexSearch::Compile(pattern, fold, kMaxPatternBytes);
}

const RegexSearch* EvalContext::Pattern(const std::string& pattern, const std::string& flags) {
  if (compiled_ == nullptr || pattern != pattern_ || flags != pattern_flags_) {
    compiled_.reset();
    auto compiled = CompileSearch(pattern, flags);
    if (!compiled.ok()) {
      Fail(compiled.error());
      return nullptr;
    }
    pattern_ = pattern;
    pattern_flags_ = flags;
    compiled_ = *std::move(compiled);
  }
  return compiled_.get();
}

namespace expr {

Result<ExpressionPtr> Call(std::string_view function, std::vector<ExpressionPtr> arguments) {
  const std::string name = Lower(function);
  if (name.rfind("geo.", 0) == 0) {
    return MakeError(ErrorCode::kUnimplemented, "function-not-supported",
                     "the function " + std::string(function) + " is not offered");
  }
  const auto signature = std::find_if(kSignatures.begin(), kSignatures.end(),
                                      [&](const Signature& s) { return s.name == name; });
  if (signature == kSignatures.end()) {
    std::vector<std::string> names;
    for (const Signature& s : kSignatures) names.emplace_back(s.name);
    const std::optional<std::string> nearest = NearestName(name, names);
    return MakeError(ErrorCode::kInvalidArgument, "unknown-function",
                     "there is no function '" + std::string(function) + "'", {},
                     nearest ? "did you mean '" + *nearest + "'?" : "");
  }
  if (arguments.size() < signature->min_arguments || arguments.size() > signature->max_arguments) {
    return MakeError(
        ErrorCode::kInvalidArgument, "function-arity",
        std::string(signature->name) + " got " + std::to_string(arguments.size()) + " arguments",
        {}, "write " + std::string(signature->text));
  }
  const std::optional<EdmType> type = CheckCall(signature->function, arguments);
  if (!type) {
    std::string given;
    for (const ExpressionPtr& argument : arguments)
      given += (given.empty() ? "" : ",") + EdmTypeText(argument->type());
    return MakeError(ErrorCode::kInvalidArgument, "type-mismatch",
                     std::string(signature->text) + " expected, got " +
                         std::string(signature->name) + "(" + given + ")");
  }
  int depth = 0;
  for (const ExpressionPtr& argument : arguments) depth = std::max(depth, argument->depth());
  if (depth + 1 > kMaxDepth)
    return DepthOf({arguments.front().get(), arguments.back().get()}).error();
  std::shared_ptr<const RegexSearch> regex;
  if (signature->function == Function::kMatchesPattern) {
    TABLECAST_ASSIGN_OR_RETURN(regex, CompilePattern(arguments));
  }
  if (signature->function == Function::kSubstring && arguments.size() == 3) {
    const auto* length = dynamic_cast<const LiteralNode*>(arguments[2].get());
    if (length != nullptr && IsExactNumber(length->value().kind()) &&
        length->value().number().IsNegative()) {
      return MakeError(ErrorCode::kInvalidArgument, "substring-length",
                       "the length of substring is negative");
    }
  }
  return std::make_shared<CallNode>(signature->function, std::move(arguments), *type, depth + 1,
                                    std::move(regex));
}

}  // namespace expr
}  // namespace tablecast
