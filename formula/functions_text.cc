// The text functions of spec formula.md section 8.1 that measure, cut, search and join. Positions
// and lengths count UTF-16 units (section 6). Tested by the examples below and tests/formula/.

#include <algorithm>
#include <cstring>

#include "base/utf8.h"
#include "formula/date_text.h"
#include "formula/function_tables.h"
#include "formula/number_text.h"
#include "formula/text_units.h"

namespace tablecast::formula::internal {
namespace {

constexpr ValueType kTextResult = ValueType::kText;
constexpr ValueType kNumberResult = ValueType::kNumber;
constexpr ValueType kBooleanResult = ValueType::kBoolean;

// ---- kernels ----

bool Len(Arguments args, KernelContext& context, Value& result) {
  const std::string_view text = args[0].text();
  if (!context.Spend(text.size())) return false;
  result = Value::Integer(UnitCount(text, context.fast_paths()));
  return true;
}

bool Left(Arguments args, KernelContext& context, Value& result) {
  const std::string_view text = args[0].text();
  if (!context.Spend(text.size())) return false;
  const std::int64_t count = args[1].number().ToInt64Saturated();
  result = count <= 0 ? Value() : Value::TextView(UnitSlice(text, 0, count, context.fast_paths()));
  return true;
}

bool Right(Arguments args, KernelContext& context, Value& result) {
  const std::string_view text = args[0].text();
  if (!context.Spend(text.size())) return false;
  const std::int64_t count = args[1].number().ToInt64Saturated();
  if (count <= 0) {
    result = Value();
    return true;
  }
  const std::int64_t length = UnitCount(text, context.fast_paths());
  result = Value::TextView(
      count >= length ? text : UnitSlice(text, length - count, count, context.fast_paths()));
  return true;
}

bool Mid(Arguments args, KernelContext& context, Value& result) {
  const std::string_view text = args[0].text();
  if (!context.Spend(text.size())) return false;
  const std::int64_t position = std::max<std::int64_t>(args[1].number().ToInt64Saturated(), 1);
  const std::int64_t count = args[2].number().ToInt64Saturated();
  result = count <= 0 ? Value()
                      : Value::TextView(UnitSlice(text, position - 1, count, context.fast_paths()));
  return true;
}

bool Find(Arguments args, KernelContext& context, Value& result) {
  const std::string_view part = args[0].text();
  const std::string_view text = args[1].text();
  // A blank start counts as 1 (F3).
  std::int64_t start = 1;
  if (args.size() > 2 && !args[2].IsBlank()) start = args[2].number().ToInt64Saturated();
  if (!context.Spend(text.size())) return false;
  result = Value::Integer(part.empty() || text.empty() || start < 1
                              ? 0
                              : UnitFind(part, text, start, context.fast_paths()));
  return true;
}

bool Substitute(Arguments args, KernelContext& context, Value& result) {
  const std::string_view text = args[0].text();
  const std::string_view old = args[1].text();
  const std::string_view fresh = args[2].text();
  if (!context.Spend(text.size())) return false;
  if (text.empty() || old.empty()) {  // blank old text changes nothing (F5)
    result = args[0];
    return true;
  }
  std::size_t count = 0;
  for (std::size_t at = FindBytes(text, old, 0); at != std::string_view::npos;
       at = FindBytes(text, old, at + old.size()))
    ++count;
  if (count == 0) {
    result = args[0];
    return true;
  }
  const std::size_t kept = text.size() - count * old.size();
  if (fresh.size() > context.limits().max_text_bytes)
    return context.Allocate(fresh.size()) != nullptr;
  const std::size_t size = kept + count * fresh.size();
  char* out = context.Allocate(size);
  if (out == nullptr) return false;
  char* cursor = out;
  std::size_t from = 0;
  for (std::size_t at = FindBytes(text, old, 0); at != std::string_view::npos;
       at = FindBytes(text, old, from)) {
    cursor = std::copy_n(text.data() + from, at - from, cursor);
    cursor = std::copy_n(fresh.data(), fresh.size(), cursor);
    from = at + old.size();
  }
  std::copy_n(text.data() + from, text.size() - from, cursor);
  result = Value::TextView({out, size});
  return true;
}

bool AsText(Arguments args, KernelContext& context, Value& result) {
  const Value& value = args[0];
  switch (value.type()) {
    case ValueType::kNumber: return context.SetText(result, value.number().ToString());
    case ValueType::kDate: return context.SetText(result, FormatDate(value.date()));
    case ValueType::kDateTime: return context.SetText(result, DateTimeAsText(value.instant()));
    case ValueType::kTime: return context.SetText(result, TimeAsText(value.time()));
    case ValueType::kNull:
    case ValueType::kText:
    case ValueType::kBoolean: break;
  }
  result = value;
  return true;
}

bool ValueOfText(Arguments args, KernelContext& context, Value& result) {
  const std::string_view text = args[0].text();
  if (!context.Spend(text.size())) return false;
  const std::optional<Decimal> number = ParseNumberText(text);
  if (!number) {
    std::string message = "VALUE cannot read \"";
    AppendPrintable(message, text.substr(0, 60));
    return context.Fail(EvalErrorCode::kBadNumberText, message + "\" as a number");
  }
  result = Value::Number(*number);
  return true;
}

bool IsNumber(Arguments args, KernelContext& context, Value& result) {
  if (!context.Spend(args[0].text().size())) return false;
  result = Value::Boolean(ParseNumberText(args[0].text()).has_value());
  return true;
}

bool Trim(Arguments args, KernelContext& context, Value& result) {
  std::string_view text = args[0].text();
  if (!context.Spend(text.size())) return false;
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) {
    result = Value();
    return true;
  }
  result = Value::TextView(text.substr(first, text.find_last_not_of(' ') - first + 1));
  return true;
}

bool Pad(Arguments args, KernelContext& context, Value& result, bool left) {
  const bool fast = context.fast_paths();
  const std::string_view text = args[0].text();
  const std::string_view pad = args.size() > 2 ? args[2].text() : std::string_view(" ");
  const std::int64_t width = args[1].number().ToInt64Saturated();
  if (!context.Spend(text.size() + pad.size())) return false;
  if (width <= 0) {
    result = Value();
    return true;
  }
  const std::int64_t length = UnitCount(text, fast);
  if (length >= width) {
    result = Value::TextView(UnitSlice(text, 0, width, fast));
    return true;
  }
  // Every unit is at least one byte (a pair is four bytes), so a width over the limit cannot fit.
  if (static_cast<std::uint64_t>(width) > context.limits().max_text_bytes) {
    return context.Allocate(static_cast<std::size_t>(width)) != nullptr;
  }
  const std::int64_t pad_units = UnitCount(pad, fast);
  const std::int64_t missing = width - length;
  const auto whole = static_cast<std::size_t>(missing / pad_units);
  const std::string_view rest = UnitSlice(pad, 0, missing % pad_units, fast);
  const std::size_t filler = whole * pad.size() + rest.size();
  char* out = context.Allocate(filler + text.size());
  if (out == nullptr) return false;
  char* cursor = out;
  if (!left) cursor = std::copy_n(text.data(), text.size(), cursor);
  if (pad.size() == 1) {
    std::memset(cursor, pad[0], whole);
    cursor += whole;
  } else {
    for (std::size_t i = 0; i < whole; ++i) cursor = std::copy_n(pad.data(), pad.size(), cursor);
  }
  cursor = std::copy_n(rest.data(), rest.size(), cursor);
  if (left) std::copy_n(text.data(), text.size(), cursor);
  result = Value::TextView({out, filler + text.size()});
  return true;
}
bool LeftPad(Arguments args, KernelContext& context, Value& result) {
  return Pad(args, context, result, true);
}
bool RightPad(Arguments args, KernelContext& context, Value& result) {
  return Pad(args, context, result, false);
}

// A text begins with and contains the blank text; whether a blank text does is unknown.
bool Begins(Arguments args, KernelContext& context, Value& result) {
  if (!context.Spend(args[1].text().size())) return false;
  if (args[1].IsBlank()) {
    result = Value::Boolean(true);
  } else if (args[0].IsBlank()) {
    result = Value();
  } else {
    result = Value::Boolean(args[0].text().starts_with(args[1].text()));
  }
  return true;
}

bool Contains(Arguments args, KernelContext& context, Value& result) {
  if (!context.Spend(args[0].text().size())) return false;
  if (args[1].IsBlank()) {
    result = Value::Boolean(true);
  } else if (args[0].IsBlank()) {
    result = Value();
  } else {
    result = Value::Boolean(FindBytes(args[0].text(), args[1].text(), 0) != std::string_view::npos);
  }
  return true;
}

bool Substr(Arguments args, KernelContext& context, Value& result) {
  const bool fast = context.fast_paths();
  const std::string_view text = args[0].text();
  if (!context.Spend(text.size())) return false;
  std::int64_t position = args[1].number().ToInt64Saturated();
  const std::int64_t count = args.size() > 2 ? args[2].number().ToInt64Saturated() : INT64_MAX;
  const std::int64_t length = UnitCount(text, fast);
  if (position == 0) position = 1;
  if (position < 0) {
    position = position < -length ? 0 : length + position + 1;  // from the end
  }
  result = position < 1 || count <= 0 ? Value()
                                      : Value::TextView(UnitSlice(text, position - 1, count, fast));
  return true;
}

bool Reverse(Arguments args, KernelContext& context, Value& result) {
  const std::string_view text = args[0].text();
  char* out = context.Allocate(text.size());
  if (out == nullptr) return false;
  char* cursor = out + text.size();
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t start = offset;
    DecodeUtf8(text, offset);
    cursor -= offset - start;
    std::copy_n(text.data() + start, offset - start, cursor);
  }
  result = Value::TextView({out, text.size()});
  return true;
}

bool Ascii(Arguments args, KernelContext& /*context*/, Value& result) {
  std::size_t offset = 0;
  result = Value::Integer(static_cast<std::int64_t>(DecodeUtf8(args[0].text(), offset)));
  return true;
}

bool Chr(Arguments args, KernelContext& context, Value& result) {
  const std::int64_t code = args[0].number().ToInt64Saturated();
  if (code < 1 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    result = Value();
    return true;
  }
  std::string text;
  AppendUtf8(text, static_cast<char32_t>(code));
  return context.SetText(result, text);
}

// ---- overloads and examples ----

constexpr Overload kLen[] = {Takes(kNumberResult, P::kText)};
constexpr Overload kTextNumber[] = {Takes(kTextResult, P::kText, P::kNumber)};
constexpr Overload kMid[] = {Takes(kTextResult, P::kText, P::kNumber, P::kNumber)};
constexpr Overload kFind[] = {Takes(kNumberResult, P::kText, P::kText),
                              Takes(kNumberResult, P::kText, P::kText, P::kNumber)};
constexpr Overload kSubstitute[] = {Takes(kTextResult, P::kText, P::kText, P::kText)};
constexpr Overload kAsText[] = {Takes(kTextResult, P::kNumber), Takes(kTextResult, P::kDate),
                                Takes(kTextResult, P::kDateTime), Takes(kTextResult, P::kTime),
                                QualifierIdentity(kTextResult, P::kText)};
constexpr Overload kValueOfText[] = {Takes(kNumberResult, P::kText),
                                     QualifierIdentity(kNumberResult, P::kNumber)};
constexpr Overload kIsNumber[] = {WithoutNull(Takes(kBooleanResult, P::kText))};
constexpr Overload kTextToText[] = {Takes(kTextResult, P::kText)};
constexpr Overload kPad[] = {Takes(kTextResult, P::kText, P::kNumber),
                             Takes(kTextResult, P::kText, P::kNumber, P::kText)};
constexpr Overload kTwoTexts[] = {Takes(kBooleanResult, P::kText, P::kText)};
constexpr Overload kSubstr[] = {Takes(kTextResult, P::kText, P::kNumber),
                                Takes(kTextResult, P::kText, P::kNumber, P::kNumber)};
constexpr Overload kAscii[] = {Takes(kNumberResult, P::kText)};
constexpr Overload kChr[] = {Takes(kTextResult, P::kNumber)};

constexpr FunctionExample kLenExamples[] = {
    {"LEN(\"orders\")", "6"}, {"LEN(\"a\U0001F600b\")", "4"}, {"LEN(\"\")", "0"}};
constexpr FunctionExample kLeftExamples[] = {{"LEFT(\"abc\", 2)", "\"ab\""},
                                             {"LEFT(\"abc\", 9)", "\"abc\""},
                                             {"LEFT(\"abc\", 0.5)", "blank"}};
constexpr FunctionExample kRightExamples[] = {{"RIGHT(\"orders#10\", 2)", "\"10\""},
                                              {"RIGHT(\"abc\", 9)", "\"abc\""},
                                              {"RIGHT(\"abc\", -1)", "blank"}};
constexpr FunctionExample kMidExamples[] = {{"MID(\"orders#10\", 8, 2)", "\"10\""},
                                            {"MID(\"abc\", 0, 2)", "\"ab\""},
                                            {"MID(\"abc\", 4, 1)", "blank"}};
constexpr FunctionExample kFindExamples[] = {{"FIND(\"#\", \"orders#10\")", "7"},
                                             {"FIND(\"b\", \"abcabc\", 3)", "5"},
                                             {"FIND(\"a\", \"abc\", 0)", "0"},
                                             {"FIND(\"\", \"abc\")", "0"}};
constexpr FunctionExample kSubstituteExamples[] = {{"SUBSTITUTE(\"aaa\", \"aa\", \"b\")", "\"ba\""},
                                                   {"SUBSTITUTE(\"abc\", \"b\", \"\")", "\"ac\""},
                                                   {"SUBSTITUTE(\"abc\", \"\", \"x\")", "\"abc\""}};
constexpr FunctionExample kAsTextExamples[] = {
    {"TEXT(1.50)", "\"1.5\""},
    {"TEXT(0.45)", "\"0.45\""},
    {"TEXT(DATE(2020, 1, 2))", "\"2020-01-02\""},
    {"TEXT(DATETIMEVALUE(\"2020-01-02 03:04:05\"))", "\"2020-01-02 03:04:05Z\""}};
constexpr FunctionExample kValueExamples[] = {{"VALUE(\"1e3\")", "1000"},
                                              {"VALUE(\".5\")", "0.5"},
                                              {"VALUE(\"1,000\")", "error"},
                                              {"VALUE(\"\")", "blank"}};
constexpr FunctionExample kIsNumberExamples[] = {
    {"ISNUMBER(\"1e5\")", "TRUE"}, {"ISNUMBER(\"\")", "FALSE"}, {"ISNUMBER(\" 1\")", "FALSE"}};
constexpr FunctionExample kTrimExamples[] = {{"TRIM(\"  a b \")", "\"a b\""},
                                             {"TRIM(\"   \")", "blank"}};
constexpr FunctionExample kLeftPadExamples[] = {{"LPAD(\"7\", 3, \"0\")", "\"007\""},
                                                {"LPAD(\"abc\", 7, \"xy\")", "\"xyxyabc\""},
                                                {"LPAD(\"abc\", 2, \"x\")", "\"ab\""}};
constexpr FunctionExample kRightPadExamples[] = {{"RPAD(\"abc\", 7, \"xy\")", "\"abcxyxy\""},
                                                 {"RPAD(\"abc\", 5)", "\"abc  \""},
                                                 {"RPAD(\"abc\", 7, \"\")", "blank"}};
constexpr FunctionExample kBeginsExamples[] = {{"BEGINS(\"orders#1\", \"orders#\")", "TRUE"},
                                               {"BEGINS(\"abc\", \"\")", "TRUE"},
                                               {"BEGINS(\"\", \"a\")", "blank"}};
constexpr FunctionExample kContainsExamples[] = {{"CONTAINS(\"abc\", \"b\")", "TRUE"},
                                                 {"CONTAINS(\"abc\", \"B\")", "FALSE"},
                                                 {"CONTAINS(\"\", \"a\")", "blank"}};
constexpr FunctionExample kSubstrExamples[] = {{"SUBSTR(\"abcdef\", 2, 3)", "\"bcd\""},
                                               {"SUBSTR(\"abcdef\", -3, 2)", "\"de\""},
                                               {"SUBSTR(\"abc\", 0)", "\"abc\""}};
constexpr FunctionExample kReverseExamples[] = {{"REVERSE(\"a\U0001F600b\")", "\"b\U0001F600a\""}};
constexpr FunctionExample kAsciiExamples[] = {{"ASCII(\"A\")", "65"},
                                              {"ASCII(\"\U0001F600\")", "128512"}};
constexpr FunctionExample kChrExamples[] = {{"CHR(65)", "\"A\""}, {"CHR(0)", "blank"}};

constexpr std::string_view kFamily = "Text";
constexpr NullRule kBlankOut = NullRule::kBlankInBlankOut;
constexpr NullRule kDecides = NullRule::kKernelDecides;

constexpr FunctionEntry kFunctions[] = {
    {.name = "LEN",
     .family = kFamily,
     .parameters = "text",
     .overloads = kLen,
     .null_rule = kDecides,
     .kernel = Len,
     .doc = "Number of UTF-16 units; 0 when blank",
     .examples = kLenExamples},
    {.name = "LEFT",
     .family = kFamily,
     .parameters = "text, count",
     .overloads = kTextNumber,
     .null_rule = kBlankOut,
     .kernel = Left,
     .doc = "The first `count` units; blank when count is not positive",
     .examples = kLeftExamples},
    {.name = "RIGHT",
     .family = kFamily,
     .parameters = "text, count",
     .overloads = kTextNumber,
     .null_rule = kBlankOut,
     .kernel = Right,
     .doc = "The last `count` units; blank when count is not positive",
     .examples = kRightExamples},
    {.name = "MID",
     .family = kFamily,
     .parameters = "text, start, count",
     .overloads = kMid,
     .null_rule = kBlankOut,
     .kernel = Mid,
     .doc = "`count` units from position `start` (1 = first); a start below 1 counts as 1",
     .examples = kMidExamples},
    {.name = "FIND",
     .family = kFamily,
     .parameters = "part, text, [start]",
     .overloads = kFind,
     .null_rule = kDecides,
     .kernel = Find,
     .doc =
         "Position of the first `part` at or behind `start`, counted from the start of the text; 0 "
         "when absent, when a text is blank or when start is below 1",
     .examples = kFindExamples},
    {.name = "SUBSTITUTE",
     .family = kFamily,
     .parameters = "text, old, new",
     .overloads = kSubstitute,
     .null_rule = kDecides,
     .kernel = Substitute,
     .doc = "Replaces every `old`, left to right, not overlapping and not rescanned; a blank old "
            "changes "
            "nothing",
     .examples = kSubstituteExamples},
    {.name = "TEXT",
     .family = kFamily,
     .parameters = "value",
     .overloads = kAsText,
     .null_rule = kBlankOut,
     .kernel = AsText,
     .doc = "A number in plain notation; a date as yyyy-MM-dd, a date-time as yyyy-MM-dd "
            "HH:mm:ssZ, a time "
            "as HH:mm:ss.SSS; in qualifiers a text stays as it is",
     .examples = kAsTextExamples},
    {.name = "VALUE",
     .family = kFamily,
     .parameters = "text",
     .overloads = kValueOfText,
     .null_rule = kBlankOut,
     .kernel = ValueOfText,
     .doc = "The number that the text spells; an error for anything but digits, sign, point and "
            "exponent",
     .examples = kValueExamples},
    {.name = "ISNUMBER",
     .family = kFamily,
     .parameters = "text",
     .overloads = kIsNumber,
     .null_rule = kDecides,
     .kernel = IsNumber,
     .doc = "Whether VALUE can read the text",
     .examples = kIsNumberExamples},
    {.name = "TRIM",
     .family = kFamily,
     .parameters = "text",
     .overloads = kTextToText,
     .null_rule = kBlankOut,
     .kernel = Trim,
     .doc = "Without the spaces (U+0020) at both ends",
     .examples = kTrimExamples},
    {.name = "LPAD",
     .family = kFamily,
     .parameters = "text, width, [pad]",
     .overloads = kPad,
     .null_rule = kBlankOut,
     .kernel = LeftPad,
     .doc =
         "Fills up on the left to `width` units with `pad` (a space when omitted), or cuts to it",
     .examples = kLeftPadExamples},
    {.name = "RPAD",
     .family = kFamily,
     .parameters = "text, width, [pad]",
     .overloads = kPad,
     .null_rule = kBlankOut,
     .kernel = RightPad,
     .doc =
         "Fills up on the right to `width` units with `pad` (a space when omitted), or cuts to it",
     .examples = kRightPadExamples},
    {.name = "BEGINS",
     .family = kFamily,
     .parameters = "text, prefix",
     .overloads = kTwoTexts,
     .null_rule = kDecides,
     .kernel = Begins,
     .doc = "Case-sensitive; TRUE for a blank prefix, unknown for a blank text",
     .examples = kBeginsExamples},
    {.name = "CONTAINS",
     .family = kFamily,
     .parameters = "text, part",
     .overloads = kTwoTexts,
     .null_rule = kDecides,
     .kernel = Contains,
     .doc = "Case-sensitive; TRUE for a blank part, unknown for a blank text",
     .examples = kContainsExamples},
    {.name = "SUBSTR",
     .family = kFamily,
     .parameters = "text, start, [count]",
     .overloads = kSubstr,
     .null_rule = kBlankOut,
     .kernel = Substr,
     .doc = "Like MID; start 0 counts as 1, a negative start counts from the end",
     .examples = kSubstrExamples},
    {.name = "REVERSE",
     .family = kFamily,
     .parameters = "text",
     .overloads = kTextToText,
     .null_rule = kBlankOut,
     .kernel = Reverse,
     .doc = "The characters (code points) backwards",
     .examples = kReverseExamples},
    {.name = "ASCII",
     .family = kFamily,
     .parameters = "text",
     .overloads = kAscii,
     .null_rule = kBlankOut,
     .kernel = Ascii,
     .doc = "Code point of the first character",
     .examples = kAsciiExamples},
    {.name = "CHR",
     .family = kFamily,
     .parameters = "number",
     .overloads = kChr,
     .null_rule = kBlankOut,
     .kernel = Chr,
     .doc = "The character of a code point; blank for 0, negative numbers, surrogates and beyond "
            "10FFFF",
     .examples = kChrExamples},
};

}  // namespace

std::span<const FunctionEntry> TextFunctions() { return kFunctions; }

}  // namespace tablecast::formula::internal
