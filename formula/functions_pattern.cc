// Text functions that need character tables, patterns or another format's grammar: UPPER, LOWER,
// INITCAP, REGEX, LIKE, HTMLENCODE, JSENCODE, JSONVALUE, JSONPATHVALUE. Tested by the examples
// below and tests/formula/.

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>

#include <algorithm>

#include "base/json_reader.h"
#include "base/utf8.h"
#include "formula/function_tables.h"
#include "formula/like_match.h"
#include "formula/regex_pattern.h"

namespace tablecast::formula::internal {
namespace {

constexpr ValueType kTextResult = ValueType::kText;
constexpr ValueType kBooleanResult = ValueType::kBoolean;

// ---- letter case ----

enum class LetterCase { kUpper, kLower };

// Only the languages whose rules differ: Turkish, Azeri, Lithuanian. Anything else is the root
// locale.
const char* CaseLocale(std::string_view locale) {
  const std::string_view language = locale.substr(0, locale.find_first_of("_-"));
  if (language == "tr") return "tr";
  if (language == "az") return "az";
  if (language == "lt") return "lt";
  return "";
}

bool ConvertCase(Arguments args, KernelContext& context, Value& result, LetterCase to) {
  const std::string_view text = args[0].text();
  const char* locale = CaseLocale(args.size() > 1 ? args[1].text() : std::string_view());
  if (context.fast_paths() && *locale == '\0' && IsAscii(text)) {
    char* out = context.Allocate(text.size());
    if (out == nullptr) return false;
    std::transform(text.begin(), text.end(), out, [to](char c) {
      if (to == LetterCase::kUpper) return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    result = Value::TextView({out, text.size()});
    return true;
  }
  if (!context.Spend(text.size() * 4)) return false;
  std::string converted;
  icu::StringByteSink<std::string> sink(&converted, static_cast<std::int32_t>(text.size()));
  UErrorCode status = U_ZERO_ERROR;
  const icu::StringPiece piece(text.data(), static_cast<std::int32_t>(text.size()));
  if (to == LetterCase::kUpper) {
    icu::CaseMap::utf8ToUpper(locale, 0, piece, sink, nullptr, status);
  } else {
    icu::CaseMap::utf8ToLower(locale, 0, piece, sink, nullptr, status);
  }
  if (U_FAILURE(status)) {
    return context.Fail(EvalErrorCode::kArgumentOutOfRange, "letter case cannot be changed");
  }
  return context.SetText(result, converted);
}

bool Upper(Arguments args, KernelContext& context, Value& result) {
  if (args[0].IsBlank()) {
    result = Value();
    return true;
  }
  return ConvertCase(args, context, result, LetterCase::kUpper);
}

bool Lower(Arguments args, KernelContext& context, Value& result) {
  if (args[0].IsBlank()) {
    result = Value();
    return true;
  }
  return ConvertCase(args, context, result, LetterCase::kLower);
}

bool InitCap(Arguments args, KernelContext& context, Value& result) {
  const std::string_view text = args[0].text();
  if (!context.Spend(text.size() * 4)) return false;
  std::string converted;
  converted.reserve(text.size());
  bool inside_word = false;
  for (std::size_t offset = 0; offset < text.size();) {
    const auto code = static_cast<UChar32>(DecodeUtf8(text, offset));
    const bool word = u_isalpha(code) != 0 || u_isdigit(code) != 0;
    const UChar32 mapped = inside_word ? u_tolower(code) : u_toupper(code);
    AppendUtf8(converted, static_cast<char32_t>(word ? mapped : code));
    inside_word = word;
  }
  return context.SetText(result, converted);
}

// ---- patterns ----

bool Regex(Arguments args, KernelContext& context, Value& result) {
  const std::string_view text = args[0].text();  // blank is matched as ""
  if (!context.Spend(text.size() * 8)) return false;
  if (context.prepared() != nullptr) {
    result = Value::Boolean(MatchesWhole(*context.prepared(), text));
    return true;
  }
  // The pattern is computed per row: compiling it costs far more than matching.
  if (!context.Spend(args[1].text().size() * 4096)) return false;
  const Result<std::shared_ptr<const PreparedPattern>> pattern = PreparePattern(args[1].text());
  if (!pattern.ok()) return context.Fail(EvalErrorCode::kBadRegex, pattern.error().message);
  result = Value::Boolean(MatchesWhole(**pattern, text));
  return true;
}

bool Like(Arguments args, KernelContext& context, Value& result) {
  const std::string_view text = args[0].text();
  // Every `%` may restart the walk over the text once: charge for the worst case.
  const auto restarts =
      static_cast<std::size_t>(std::count(args[1].text().begin(), args[1].text().end(), '%'));
  if (!context.Spend(text.size() + std::min<std::size_t>(text.size() * args[1].text().size(),
                                                         restarts * text.size() * 8))) {
    return false;
  }
  result = Value::Boolean(LikeMatches(text, args[1].text()));
  return true;
}

// ---- escapes ----

bool HtmlEncode(Arguments args, KernelContext& context, Value& result) {
  std::string encoded;
  for (const char c : args[0].text()) {
    switch (c) {
      case '&': encoded += "&amp;"; break;
      case '<': encoded += "&lt;"; break;
      case '>': encoded += "&gt;"; break;
      case '"': encoded += "&quot;"; break;
      case '\'': encoded += "&#39;"; break;
      default: encoded += c;
    }
  }
  return context.SetText(result, encoded);
}

bool JsEncode(Arguments args, KernelContext& context, Value& result) {
  std::string encoded;
  for (const char c : args[0].text()) {
    switch (c) {
      case '"':
      case '\'':
      case '\\':
        encoded += '\\';
        encoded += c;
        break;
      case '\n': encoded += "\\n"; break;
      case '\r': encoded += "\\r"; break;
      case '<': encoded += "\\u003C"; break;
      case '>': encoded += "\\u003E"; break;
      default: encoded += c;
    }
  }
  return context.SetText(result, encoded);
}

// ---- JSON ----

// Text as it is, numbers as written, booleans as true and false, null blank; objects and arrays as
// the JSON text they were.
bool SetJson(const JsonValue* value, std::string_view source, KernelContext& context,
             Value& result) {
  if (value == nullptr || value->type == JsonType::kNull) {
    result = Value();
    return true;
  }
  switch (value->type) {
    case JsonType::kBool: return context.SetText(result, value->boolean ? "true" : "false");
    case JsonType::kNumber:
    case JsonType::kString: return context.SetText(result, value->text);
    case JsonType::kNull:
    case JsonType::kObject:
    case JsonType::kArray: break;
  }
  const std::size_t begin = value->span.begin.offset;
  return context.SetText(result, source.substr(begin, value->span.end.offset - begin));
}

// One step of a path: `.name`, `["name"]`, `['name']` or `[3]`. False when the path is malformed.
bool TakeStep(std::string_view path, std::size_t& at, std::string& name,
              std::optional<std::size_t>& index) {
  name.clear();
  index.reset();
  if (path[at] == '.') {
    const std::size_t end = std::min(path.find_first_of(".[", at + 1), path.size());
    name = path.substr(at + 1, end - at - 1);
    at = end;
    return !name.empty();
  }
  if (path[at] != '[') return false;
  const std::size_t close = path.find(']', at);
  if (close == std::string_view::npos) return false;
  const std::string_view inner = path.substr(at + 1, close - at - 1);
  at = close + 1;
  if (inner.size() >= 2 && (inner[0] == '"' || inner[0] == '\'') && inner.back() == inner[0]) {
    name = inner.substr(1, inner.size() - 2);
    return true;
  }
  if (inner.empty() || inner.size() > 9 ||
      !std::all_of(inner.begin(), inner.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return false;
  }
  index = std::stoul(std::string(inner));
  return true;
}

// `path` follows `$`; blank when a step is absent.
bool JsonLookup(std::string_view source, std::string_view path, KernelContext& context,
                Value& result) {
  if (!context.Spend(source.size() * 16 + path.size())) return false;
  const Result<JsonValue> json = ParseJson(source, {});
  if (!json.ok()) {
    result = Value();
    return true;
  }
  const JsonValue* value = &*json;
  std::string name;
  std::optional<std::size_t> index;
  for (std::size_t at = 0; at < path.size() && value != nullptr;) {
    if (!TakeStep(path, at, name, index)) {
      return context.Fail(EvalErrorCode::kArgumentOutOfRange, "JSON path is malformed");
    }
    if (index) {
      value =
          value->IsArray() && *index < value->elements.size() ? &value->elements[*index] : nullptr;
    } else {
      value = value->Find(name);
    }
  }
  return SetJson(value, source, context, result);
}

bool JsonValueOf(Arguments args, KernelContext& context, Value& result) {
  if (!context.Spend(args[0].text().size() * 16)) return false;
  const Result<JsonValue> json = ParseJson(args[0].text(), {});
  return SetJson(json.ok() ? json->Find(args[1].text()) : nullptr, args[0].text(), context, result);
}

bool JsonPathValue(Arguments args, KernelContext& context, Value& result) {
  std::string path(args[1].text());
  if (!path.empty() && path[0] == '$') {
    path.erase(0, 1);
  } else if (!path.empty() && path[0] != '.' && path[0] != '[') {
    path.insert(path.begin(), '.');
  }
  return JsonLookup(args[0].text(), path, context, result);
}

// ---- overloads and examples ----

constexpr Overload kCase[] = {Takes(kTextResult, P::kText), Takes(kTextResult, P::kText, P::kText)};
constexpr Overload kTextToText[] = {Takes(kTextResult, P::kText)};
constexpr Overload kEncode[] = {WithoutNull(Takes(kTextResult, P::kText))};
constexpr Overload kPattern[] = {WithoutNull(Takes(kBooleanResult, P::kText, P::kText))};
constexpr Overload kJson[] = {WithoutNull(Takes(kTextResult, P::kText, P::kText))};

constexpr FunctionExample kUpperExamples[] = {{"UPPER(\"stra\u00DFe\")", "\"STRASSE\""},
                                              {"UPPER(\"i\", \"tr\")", "\"\u0130\""}};
constexpr FunctionExample kLowerExamples[] = {{"LOWER(\"\u0391\u03A3\")", "\"\u03B1\u03C2\""}};
constexpr FunctionExample kInitCapExamples[] = {
    {"INITCAP(\"hello-wORLD foo_bar 3rd\")", "\"Hello-World Foo_Bar 3rd\""}};
constexpr FunctionExample kRegexExamples[] = {{"REGEX(\"ab\", \"a|ab\")", "TRUE"},
                                              {"REGEX(\"abc\", \"b\")", "FALSE"},
                                              {"REGEX(\"\", \".*\")", "TRUE"},
                                              {"REGEX(\"a\", \"(?=a)a\")", "reject"}};
constexpr FunctionExample kLikeExamples[] = {{"LIKE(\"orders#1\", \"orders#%\")", "TRUE"},
                                             {"LIKE(\"a\", \"__\")", "FALSE"},
                                             {"LIKE(\"50%\", \"50\\\\%\")", "TRUE"}};
constexpr FunctionExample kHtmlExamples[] = {
    {"HTMLENCODE(\"<a & 'b'>\")", "\"&lt;a &amp; &#39;b&#39;&gt;\""}};
constexpr FunctionExample kJsExamples[] = {
    {"JSENCODE(\"it's <b>\")", "\"it\\'s \\u003Cb\\u003E\""}};
constexpr FunctionExample kJsonExamples[] = {{"JSONVALUE('{\"a\": 1.50}', \"a\")", "\"1.50\""},
                                             {"JSONVALUE('{\"a\": 1}', \"b\")", "blank"}};
constexpr FunctionExample kJsonPathExamples[] = {
    {"JSONPATHVALUE('{\"a\": {\"b\": [10, 20]}}', \"$.a.b[1]\")", "\"20\""},
    {"JSONPATHVALUE('{\"a\": 1}', \"$.b.c\")", "blank"}};

constexpr std::string_view kFamily = "Text";
constexpr NullRule kBlankOut = NullRule::kBlankInBlankOut;
constexpr NullRule kDecides = NullRule::kKernelDecides;

constexpr FunctionEntry kFunctions[] = {
    {.name = "UPPER",
     .family = kFamily,
     .parameters = "text, [locale]",
     .overloads = kCase,
     .null_rule = kDecides,
     .kernel = Upper,
     .doc = "Full Unicode upper case; the locales tr, az and lt have rules of their own",
     .examples = kUpperExamples},
    {.name = "LOWER",
     .family = kFamily,
     .parameters = "text, [locale]",
     .overloads = kCase,
     .null_rule = kDecides,
     .kernel = Lower,
     .doc = "Full Unicode lower case, final sigma included; the locales tr, az and lt have rules "
            "of their own",
     .examples = kLowerExamples},
    {.name = "INITCAP",
     .family = kFamily,
     .parameters = "text",
     .overloads = kTextToText,
     .null_rule = kBlankOut,
     .kernel = InitCap,
     .doc = "First letter of every run of letters and digits in upper case, the rest in lower case",
     .examples = kInitCapExamples},
    {.name = "REGEX",
     .family = kFamily,
     .parameters = "text, pattern",
     .overloads = kPattern,
     .null_rule = kDecides,
     .kernel = Regex,
     .doc = "Whether the WHOLE text matches; Java syntax as far as RE2 has it: what it lacks "
            "(look-around, "
            "back-references, possessive quantifiers) is refused by name; a blank text is matched "
            "as \"\"",
     .examples = kRegexExamples},
    {.name = "LIKE",
     .family = kFamily,
     .parameters = "text, pattern",
     .overloads = kPattern,
     .null_rule = kDecides,
     .kernel = Like,
     .doc = "SQL LIKE over the whole text: % any run, _ one character, \\ escapes; case-sensitive",
     .examples = kLikeExamples},
    {.name = "HTMLENCODE",
     .family = kFamily,
     .parameters = "text",
     .overloads = kEncode,
     .null_rule = kBlankOut,
     .kernel = HtmlEncode,
     .doc = "Writes & < > \" ' as HTML entities",
     .examples = kHtmlExamples},
    {.name = "JSENCODE",
     .family = kFamily,
     .parameters = "text",
     .overloads = kEncode,
     .null_rule = kBlankOut,
     .kernel = JsEncode,
     .doc = "Escapes quotes, backslash, line breaks, < and > for a JavaScript string",
     .examples = kJsExamples},
    {.name = "JSONVALUE",
     .family = kFamily,
     .parameters = "json, key",
     .overloads = kJson,
     .null_rule = kBlankOut,
     .kernel = JsonValueOf,
     .doc = "A member of a JSON object as text; blank when absent or when the text is no JSON",
     .examples = kJsonExamples},
    {.name = "JSONPATHVALUE",
     .family = kFamily,
     .parameters = "json, path",
     .overloads = kJson,
     .null_rule = kBlankOut,
     .kernel = JsonPathValue,
     .doc = "The value at a path of members and indexes, $.a.b[0]; blank when absent",
     .examples = kJsonPathExamples},
};

}  // namespace

std::span<const FunctionEntry> TextPatternFunctions() { return kFunctions; }

}  // namespace tablecast::formula::internal
