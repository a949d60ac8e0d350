// IMPLEMENTATION: a constant table of shapes and one walker. Depth is bounded by the table itself:
// the walker only descends where a shape does. Tested by document_shape_test.

#include "qualifiers/document_shape.h"

#include <span>

namespace tablecast {
namespace {

enum Kinds : unsigned {
  kNothing = 0,
  kString = 1,
  kBool = 2,
  kNumber = 4,
  kObject = 8,
  kArray = 16,
  kNull = 32,
  kAnything = 63
};

struct Shape;
struct MemberShape {
  std::string_view name;
  const Shape* shape;
  bool required = false;
};

struct Shape {
  unsigned kinds = kAnything;
  std::string_view wanted;                    // "true or false"
  std::string_view example;                   // what to write instead
  std::span<const MemberShape> members{};     // of an object whose member names are fixed
  const Shape* each = nullptr;                // of every member or element whose name is free
  std::span<const std::string_view> words{};  // a string's choices
  long minimum = -1;                          // a whole number's least value; -1: any number
};

constexpr Shape kAnyText{kString, "a string", "text in quotes"};
constexpr Shape kFlag{kBool, "true or false", "true or false, without quotes"};
constexpr Shape kCount{kNumber, "a whole number", "a whole number without quotes", {}, nullptr, {},
                       0};
constexpr Shape kPositive{
    kNumber, "a whole number of at least 1", "a whole number without quotes", {}, nullptr, {}, 1};
constexpr Shape kAnyNumber{kNumber | kString, "a number", "a number without quotes"};
constexpr Shape kFreeValue{kAnything, "", ""};
constexpr Shape kTexts{kArray, "an array of strings", "[\"…\"]", {}, &kAnyText};

constexpr std::string_view kUnits[] = {"s", "ms"};
constexpr Shape kUnit{kString, "\"s\" or \"ms\"", "\"s\" for seconds or \"ms\" for milliseconds",
                      {},      nullptr,           kUnits};
constexpr std::string_view kFieldTypes[] = {
    "Text",     "TextArea", "LongText", "Email",  "Phone",   "Url",     "Picklist",
    "DateTime", "Date",     "Time",     "Number", "Int32",   "Int64",   "Currency",
    "Percent",  "Checkbox", "Binary",   "Guid",   "Complex", "JsonText"};
constexpr Shape kFieldType{kString, "a field type", "\"Text\", \"Number\", \"DateTime\" …",
                           {},      nullptr,        kFieldTypes};
constexpr std::string_view kAsForms[] = {"text", "json"};
constexpr Shape kAs{kString, "\"text\" or \"json\"", "\"text\" or \"json\"", {}, nullptr, kAsForms};
constexpr std::string_view kGenerators[] = {"uuid", "random64", "sequence"};
constexpr Shape kGenerate{kString, "a generator", "\"uuid\", \"random64\" or \"sequence\"",
                          {},      nullptr,       kGenerators};

extern const Shape kFields;
constexpr MemberShape kFieldMembers[] = {{"column", &kAnyText},
                                         {"type", &kFieldType},
                                         {"label", &kAnyText},
                                         {"description", &kAnyText},
                                         {"unit", &kUnit},
                                         {"strict", &kFlag},
                                         {"precision", &kPositive},
                                         {"scale", &kCount},
                                         {"currencyColumn", &kAnyText},
                                         {"length", &kPositive},
                                         {"values", &kTexts},
                                         {"required", &kFlag},
                                         {"readOnly", &kFlag},
                                         {"hidden", &kFlag},
                                         {"searchable", &kFlag},
                                         {"default", &kAnyText},
                                         {"onUpdate", &kAnyText},
                                         {"unique", &kFlag},
                                         {"minimum", &kAnyNumber},
                                         {"maximum", &kAnyNumber},
                                         {"generate", &kGenerate},
                                         {"as", &kAs},
                                         {"collection", &kFlag},
                                         {"fields", &kFields}};
// `true` stands for "as inferred" ("*": true).
constexpr Shape kField{kObject | kBool, "an object of field options",
                       "{ \"column\": \"…\", \"type\": \"Text\" }", kFieldMembers};
constexpr Shape kFields{kObject,
                        "an object of fields by name",
                        "{ \"Total\": { \"column\": \"TOTAL\" } }",
                        {},
                        &kField};

constexpr std::string_view kAggregateWords[] = {"sum", "average", "min", "max", "countdistinct"};
constexpr Shape kAggregate{
    kString, "an aggregation method", "\"sum\", \"average\", \"min\" or \"max\"", {},
    nullptr, kAggregateWords};
constexpr Shape kAggregates{
    kObject, "an object of methods by field", "{ \"TOTAL\": \"sum\" }", {}, &kAggregate};
constexpr std::string_view kVerbWords[] = {"create", "update", "delete"};
constexpr Shape kVerb{kString, "a verb", "\"create\", \"update\" or \"delete\"", {}, nullptr, kVerbWords};
constexpr Shape kVerbs{kArray, "an array of verbs", "[\"create\", \"update\"]", {}, &kVerb};
constexpr MemberShape kObjectMembers[] = {
    {"name", &kAnyText},        {"label", &kAnyText},        {"pluralLabel", &kAnyText},
    {"description", &kAnyText}, {"readOnly", &kFlag},        {"upsert", &kFlag},
    {"verbs", &kVerbs},
    {"columnar", &kFlag},       {"clustered", &kFlag},       {"guidKey", &kFlag},
    {"displayUrl", &kAnyText},  {"aggregates", &kAggregates}};
constexpr Shape kObjectOptions{kObject, "an object", "{ \"name\": \"Orders\" }", kObjectMembers};

constexpr MemberShape kExternalIdMembers[] = {
    {"columns", &kTexts}, {"separator", &kAnyText}, {"escape", &kFlag}, {"maxLength", &kPositive}};
constexpr Shape kExternalId{kObject, "an object", "{ \"columns\": [\"pk\"], \"separator\": \"-\" }",
                            kExternalIdMembers};

constexpr MemberShape kRelationshipMembers[] = {
    {"to", &kAnyText},      {"column", &kAnyText, true}, {"toColumn", &kAnyText},
    {"inverse", &kAnyText}, {"external", &kAnyText},     {"label", &kAnyText}};
constexpr Shape kRelationship{kObject, "an object", "{ \"to\": \"Orders\", \"column\": \"pk\" }",
                              kRelationshipMembers};
constexpr Shape kRelationships{kObject,
                               "an object of relationships by name",
                               "{ \"Order\": { \"to\": \"Orders\", \"column\": \"pk\" } }",
                               {},
                               &kRelationship};

constexpr MemberShape kIndexMembers[] = {{"fields", &kTexts, true}, {"name", &kAnyText}};
constexpr Shape kIndex{kObject, "an object", "{ \"fields\": [\"OrderDate desc\"] }", kIndexMembers};
constexpr Shape kIndexes{
    kArray, "an array of indexes", "[{ \"fields\": [\"OrderDate desc\"] }]", {}, &kIndex};

constexpr MemberShape kChildMembers[] = {{"column", &kAnyText, true}, {"key", &kAnyText},
                                         {"object", &kAnyText},       {"fields", &kFields},
                                         {"label", &kAnyText},        {"pluralLabel", &kAnyText}};
constexpr Shape kChild{kObject, "an object",
                       "{ \"column\": \"addresses\", \"key\": \"addressId\" }", kChildMembers};
constexpr Shape kChildren{kObject,
                          "an object of child lists by name",
                          "{ \"Addresses\": { \"column\": \"addresses\" } }",
                          {},
                          &kChild};

constexpr MemberShape kExtensionMembers[] = {
    {"object", &kObjectOptions},        {"source", &kAnyText},  {"currencyColumns", &kTexts},
    {"trustedInverses", &kTexts},       {"fields", &kFields},   {"externalId", &kExternalId},
    {"relationships", &kRelationships}, {"indexes", &kIndexes}, {"children", &kChildren}};
constexpr Shape kExtensions{kObject, "an object", "{ }", kExtensionMembers};

// ---- catalog.json ----
constexpr std::string_view kBlankModes[] = {"blank", "zero"};
constexpr Shape kBlanks{kString,    "\"blank\" or \"zero\"", "\"blank\" or \"zero\"", {}, nullptr,
                        kBlankModes};
constexpr std::string_view kEmptyTextModes[] = {"null", "text"};
constexpr Shape kEmptyText{kString, "\"null\" or \"text\"", "\"null\" or \"text\"", {},
                           nullptr, kEmptyTextModes};
// Each kind of source has settings of its own.
constexpr MemberShape kSourceRequired[] = {{"kind", &kAnyText, true}};
constexpr Shape kSource{kObject, "an object", "{ \"kind\": \"dynamodb\" }", kSourceRequired,
                        &kFreeValue};
constexpr Shape kSources{kObject,
                         "an object of sources by name",
                         "{ \"legacy\": { \"kind\": \"dynamodb\" } }",
                         {},
                         &kSource};
constexpr Shape kOverlay{kObject,
                         "an object of extensions by object",
                         "{ \"Orders\": { \"fields\": { } } }",
                         {},
                         &kExtensions};
constexpr Shape kExample{
    kObject, "an object of values by placeholder", "{ \"id\": \"1012\" }", {}, &kFreeValue};
constexpr MemberShape kPatternMembers[] = {{"request", &kAnyText, true},
                                           {"example", &kExample},
                                           {"path", &kAnyText},
                                           {"maxReads", &kCount},
                                           {"description", &kAnyText}};
constexpr Shape kPattern{kObject, "an object", "{ \"request\": \"Orders('{id}')\" }",
                         kPatternMembers};
constexpr Shape kPatterns{kObject,
                          "an object of requests by name",
                          "{ \"one order\": { \"request\": \"Orders('{id}')\" } }",
                          {},
                          &kPattern};
constexpr MemberShape kCatalogMembers[] = {
    {"defaultTable", &kAnyText},   {"namespace", &kAnyText}, {"currency", &kAnyText},
    {"currencyColumns", &kTexts},  {"timeZone", &kAnyText},  {"blanks", &kBlanks},
    {"emptyText", &kEmptyText},    {"pageSize", &kPositive}, {"maxPageSize", &kPositive},
    {"sources", &kSources},        {"openTables", &kFlag},   {"objects", &kOverlay},
    {"accessPatterns", &kPatterns}};
constexpr Shape kCatalog{kObject, "an object", "{ \"defaultTable\": \"…\" }", kCatalogMembers};

unsigned KindOf(const JsonValue& value) {
  switch (value.type) {
    case JsonType::kNull: return kNull;
    case JsonType::kBool: return kBool;
    case JsonType::kNumber: return kNumber;
    case JsonType::kString: return kString;
    case JsonType::kArray: return kArray;
    case JsonType::kObject: return kObject;
  }
  return kNothing;
}

bool IsWholeNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos &&
         text.size() <= 9;
}

class Walker {
 public:
  explicit Walker(std::vector<Issue>& issues) : issues_(issues) {}

  void Check(const JsonValue& value, const Shape& shape, const std::string& target) {
    const std::string option =
        target.empty() ? "the file" : "`" + target.substr(target.rfind('.') + 1) + "`";
    if ((KindOf(value) & shape.kinds) == 0U) {
      Add("wrong-type",
          option + " must be " + std::string(shape.wanted) + ", not " +
              std::string(JsonTypeWord(value)),
          "write " + std::string(shape.example), target, value.span);
      return;
    }
    if (value.IsString() && !shape.words.empty()) CheckWord(value, shape, option, target);
    if (value.IsNumber() && shape.minimum >= 0) CheckNumber(value, shape, option, target);
    if (value.IsObject()) CheckObject(value, shape, target);
    if (value.IsArray() && shape.each != nullptr) {
      for (std::size_t i = 0; i < value.elements.size(); ++i) {
        Check(value.elements[i], *shape.each, target + "[" + std::to_string(i) + "]");
      }
    }
  }

  void CheckObject(const JsonValue& value, const Shape& shape, const std::string& target) {
    for (const JsonMember& member : value.members) {
      const std::string path = target.empty() ? member.name : target + "." + member.name;
      const MemberShape* known = nullptr;
      for (const MemberShape& candidate : shape.members) {
        if (candidate.name == member.name) known = &candidate;
      }
      if (known != nullptr) {
        Check(member.value, *known->shape, path);
      } else if (shape.each != nullptr) {
        Check(member.value, *shape.each, path);
      } else if (!shape.members.empty()) {
        UnknownMember(member, shape, path);
      }
    }
    for (const MemberShape& member : shape.members) {
      if (!member.required || value.Find(member.name) != nullptr) continue;
      Add("missing-option",
          "`" + target.substr(target.rfind('.') + 1) + "` needs `" + std::string(member.name) + "`",
          "add it: " + std::string(shape.example), target, value.span);
    }
  }

 private:
  void CheckWord(const JsonValue& value, const Shape& shape, const std::string& option,
                 const std::string& target) {
    if (std::find(shape.words.begin(), shape.words.end(), value.text) != shape.words.end()) return;
    const auto nearest = NearestOption(value.text, shape.words);
    std::string remedy = "use one of:";
    for (const std::string_view word : shape.words) {
      remedy += (remedy.back() == ':' ? " " : ", ") + std::string(word);
    }
    Add("unknown-word", option + " cannot be \"" + value.text + "\"",
        nearest ? "did you mean `" + *nearest + "`?" : std::move(remedy), target, value.span);
  }

  void CheckNumber(const JsonValue& value, const Shape& shape, const std::string& option,
                   const std::string& target) {
    if (IsWholeNumber(value.text) && std::stol(value.text) >= shape.minimum) return;
    Add("number-range",
        option + " must be " + std::string(shape.wanted) + ", not " + value.text.substr(0, 40),
        "write " + std::string(shape.example), target, value.span);
  }

  void UnknownMember(const JsonMember& member, const Shape& shape, const std::string& path) {
    std::vector<std::string_view> known;
    std::string list;
    for (const MemberShape& candidate : shape.members) {
      known.push_back(candidate.name);
      list += (list.empty() ? "" : ", ") + std::string(candidate.name);
    }
    const auto nearest = NearestOption(member.name, known);
    Add("unknown-option", "unknown option `" + member.name + "`",
        nearest ? "did you mean `" + *nearest + "`?" : "use one of: " + list, path,
        member.name_span);
  }

  void Add(std::string code, std::string message, std::string remedy, const std::string& target,
           TextSpan span) {
    issues_.push_back({Severity::kError, std::move(code), std::move(message), std::move(remedy),
                       target, span, ""});
  }

  std::vector<Issue>& issues_;
};

// A shape inside itself (the members of a map are fields again) is named and not gone into.
void Describe(const Shape& shape, const std::string& path, std::vector<const Shape*>& outer,
              std::vector<std::string>& lines) {
  constexpr std::pair<unsigned, std::string_view> kNames[] = {{kString, "string"},
                                                              {kBool, "boolean"},
                                                              {kNumber, "number"},
                                                              {kObject, "object"},
                                                              {kArray, "array"}};
  if (&shape == &kFreeValue) return;
  std::string line = path;
  std::string separator = " ";
  for (const auto& [kind, name] : kNames) {
    if ((shape.kinds & kind) == 0U) continue;
    line += separator + std::string(name);
    separator = ",";
  }
  separator = " ";
  for (const std::string_view word : shape.words) {
    line += separator + std::string(word);
    separator = "|";
  }
  if (!path.empty()) lines.push_back(std::move(line));
  if (std::find(outer.begin(), outer.end(), &shape) != outer.end()) return;
  outer.push_back(&shape);
  for (const MemberShape& member : shape.members) {
    Describe(*member.shape, (path.empty() ? "" : path + ".") + std::string(member.name), outer,
             lines);
    if (member.required) lines.push_back(path + "." + std::string(member.name) + " required");
  }
  if (shape.each != nullptr)
    Describe(*shape.each, path + ((shape.kinds & kArray) != 0U ? "[]" : ".*"), outer, lines);
  outer.pop_back();
}

}  // namespace

std::vector<std::string> DescribeShape(DocumentKind kind) {
  std::vector<std::string> lines;
  std::vector<const Shape*> outer;
  Describe(kind == DocumentKind::kCatalog ? kCatalog : kExtensions, "", outer, lines);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string_view JsonTypeWord(const JsonValue& value) {
  switch (value.type) {
    case JsonType::kNull: return "null";
    case JsonType::kBool: return value.boolean ? "true" : "false";
    case JsonType::kNumber: return "a number";
    case JsonType::kString: return "a string";
    case JsonType::kArray: return "an array";
    case JsonType::kObject: return "an object";
  }
  return "nothing";
}

const std::vector<std::string_view>& ExtensionKeys() {
  static const std::vector<std::string_view> keys = [] {
    std::vector<std::string_view> names;
    for (const MemberShape& member : kExtensionMembers) names.push_back(member.name);
    return names;
  }();
  return keys;
}

bool IsExtensionKey(std::string_view name) {
  const auto& keys = ExtensionKeys();
  return std::find(keys.begin(), keys.end(), name) != keys.end();
}

void CheckExtensionShape(const JsonValue& extensions, std::vector<Issue>& issues) {
  Walker(issues).Check(extensions, kExtensions, "");
}

void CheckCatalogShape(const JsonValue& catalog, std::vector<Issue>& issues) {
  Walker(issues).Check(catalog, kCatalog, "");
}

}  // namespace tablecast
