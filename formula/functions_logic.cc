// The logic functions of spec formula.md section 8.2. Their arguments follow rules that no list of
// overloads expresses, so the checker and the evaluator know them as special forms; the entries
// here carry their documentation and examples. Refused functions stand here as well, each with its
// reason.

#include "formula/function_tables.h"

namespace tablecast::formula::internal {
namespace {

constexpr FunctionExample kAndExamples[] = {{"AND(TRUE, 1 < 2)", "TRUE"},
                                            {"AND(NULL, TRUE)", "FALSE"},
                                            {"AND(FALSE, 1/0 = 1)", "FALSE"},
                                            {"AND()", "reject"}};
constexpr FunctionExample kOrExamples[] = {
    {"OR(NULL, TRUE)", "TRUE"}, {"OR(TRUE, 1/0 = 1)", "TRUE"}, {"OR()", "reject"}};
constexpr FunctionExample kNotExamples[] = {{"NOT(1 = 2)", "TRUE"}, {"NOT(NULL)", "blank"}};
constexpr FunctionExample kIfExamples[] = {{"IF(1 < 2, \"yes\", \"no\")", "\"yes\""},
                                           {"IF(NULL = 1, 1, 2)", "2"},
                                           {"IF(TRUE, 1, 1/0)", "1"},
                                           {"IF(TRUE, 1, \"a\")", "reject"}};
constexpr FunctionExample kIfsExamples[] = {{"IFS(FALSE, 1, TRUE, 2, 3)", "2"},
                                            {"IFS(FALSE, 1, 3)", "3"}};
constexpr FunctionExample kCaseExamples[] = {{"CASE(\"a\", \"A\", 1, \"a\", 2, 3)", "2"},
                                             {"CASE(1.0, 1, \"y\", \"n\")", "\"y\""},
                                             {"CASE(1, 1, \"y\")", "reject"}};
constexpr FunctionExample kInExamples[] = {{"IN(\"b\", \"a\", \"b\")", "TRUE"},
                                           {"IN(\"\", \"\")", "FALSE"}};
constexpr FunctionExample kIsBlankExamples[] = {{"ISBLANK(\"\")", "TRUE"}, {"ISBLANK(0)", "FALSE"}};
constexpr FunctionExample kIsNullExamples[] = {{"ISNULL(NULL + 1)", "TRUE"},
                                               {"ISNULL(\"\")", "FALSE"}};
constexpr FunctionExample kBlankValueExamples[] = {{"BLANKVALUE(\"\", \"x\")", "\"x\""},
                                                   {"BLANKVALUE(\"a\", \"x\")", "\"a\""}};
constexpr FunctionExample kNullValueExamples[] = {{"NULLVALUE(NULL + 1, 5)", "5"},
                                                  {"NULLVALUE(\"\", \"x\")", "blank"}};
constexpr FunctionExample kIfErrorExamples[] = {{"IFERROR(1/0, -1)", "-1"},
                                                {"IFERROR(VALUE(\"x\"), 0)", "0"},
                                                {"IFERROR(VALUE(\"\"), 0)", "blank"}};

constexpr FunctionEntry Form(std::string_view name, std::string_view parameters,
                             SpecialForm special, std::string_view doc,
                             std::span<const FunctionExample> examples) {
  FunctionEntry entry;
  entry.name = name;
  entry.family = "Logic";
  entry.parameters = parameters;
  entry.special = special;
  entry.null_rule = NullRule::kKernelDecides;
  entry.doc = doc;
  entry.examples = examples;
  return entry;
}

constexpr FunctionEntry kFunctions[] = {
    Form("AND", "condition, ...", SpecialForm::kAnd,
         "TRUE when all are; unknown counts as FALSE; stops at the first that is not TRUE",
         kAndExamples),
    Form("OR", "condition, ...", SpecialForm::kOr,
         "TRUE when one is; unknown counts as FALSE; stops at the first TRUE", kOrExamples),
    Form("NOT", "condition", SpecialForm::kNot, "The opposite; unknown stays unknown",
         kNotExamples),
    Form("IF", "condition, then, else", SpecialForm::kIf,
         "`then` when the condition is TRUE, `else` when it is FALSE or unknown; only that branch "
         "runs",
         kIfExamples),
    Form("IFS", "condition, value, ..., else", SpecialForm::kIfs,
         "The value behind the first TRUE condition", kIfsExamples),
    Form("CASE", "subject, key, value, ..., else", SpecialForm::kCase,
         "The value behind the first key that equals the subject; a blank text equals a blank key, "
         "other blanks "
         "match nothing",
         kCaseExamples),
    Form("IN", "subject, value, ...", SpecialForm::kIn,
         "Whether the subject equals one of the values; FALSE when blank", kInExamples),
    Form("ISBLANK", "value", SpecialForm::kIsBlank, "Whether the value is blank", kIsBlankExamples),
    Form("ISNULL", "value", SpecialForm::kIsNull, "As ISBLANK, but always FALSE for text",
         kIsNullExamples),
    Form("BLANKVALUE", "value, substitute", SpecialForm::kBlankValue,
         "The substitute when the value is blank", kBlankValueExamples),
    Form("NULLVALUE", "value, substitute", SpecialForm::kNullValue,
         "The substitute when the value is blank; a text stays as it is, even when blank",
         kNullValueExamples),
    Form("IFERROR", "value, substitute", SpecialForm::kIfError,
         "The substitute when the value raises an evaluation error; a blank is no error",
         kIfErrorExamples),
};

constexpr FunctionEntry Refused(std::string_view name, std::string_view why) {
  FunctionEntry entry;
  entry.name = name;
  entry.family = "Not offered";
  entry.refused = why;
  return entry;
}

constexpr std::string_view kMarkup =
    "it builds page markup, which has no place in stored data; write the text itself";
constexpr std::string_view kOldRecord = "it needs the record as it was before the change";
constexpr std::string_view kLocale = "its result depends on a locale; use TEXT";
constexpr std::string_view kOrg = "it reads the user's session or organisation";

constexpr FunctionEntry kRefused[] = {
    Refused("BR", "it builds page markup; use CHR(10) for a line break"),
    Refused("HYPERLINK", kMarkup),
    Refused("IMAGE", kMarkup),
    Refused("IMAGEPROXYURL", kMarkup),
    Refused("URLFOR", kMarkup),
    Refused("LINKTO", kMarkup),
    Refused("URLENCODE", "it is a page function; store the text unencoded"),
    Refused("CASESAFEID",
            "only record identifiers of a CRM have 15 characters; use the text itself"),
    Refused("GETSESSIONID", kOrg),
    Refused("GETRECORDIDS", kOrg),
    Refused("CURRENCYRATE", kOrg),
    Refused("CONVERTID", kOrg),
    Refused("PREDICT", kOrg),
    Refused("VLOOKUP", "it searches another object; relate the objects instead"),
    Refused("PARENTGROUPVAL", "it belongs to reports"),
    Refused("PREVGROUPVAL", "it belongs to reports"),
    Refused("INCLUDES", "there are no multi-select picklists here; use CONTAINS"),
    Refused("ISPICKVAL", "there are no picklists here; compare texts with ="),
    Refused("ISCHANGED", kOldRecord),
    Refused("ISNEW", kOldRecord),
    Refused("ISCLONE", kOldRecord),
    Refused("PRIORVALUE", kOldRecord),
    Refused("FORMAT", kLocale),
    Refused("FORMATCURRENCY", kLocale),
    Refused("GEOLOCATION",
            "there are no geolocations here; keep latitude and longitude as numbers"),
    Refused("DISTANCE", "there are no geolocations here; keep latitude and longitude as numbers"),
    Refused("PICKLISTCOUNT", "there are no multi-select picklists here"),
};

}  // namespace

std::span<const FunctionEntry> LogicFunctions() { return kFunctions; }
std::span<const FunctionEntry> RefusedFunctions() { return kRefused; }

}  // namespace tablecast::formula::internal
