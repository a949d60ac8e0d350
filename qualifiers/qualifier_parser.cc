// IMPLEMENTATION: JSON text -> JsonValue (base/json_reader) -> TableQualifier. One pass per object
// kind; every reader takes the member, adds findings and never stops the walk. Tested by
// qualifier_parser_test.

#include "qualifiers/qualifier_parser.h"

#include <array>
#include <set>
#include <unordered_map>

#include "base/utf8.h"
#include "qualifiers/document_shape.h"
#include "qualifiers/validator.h"

namespace tablecast {
namespace {

constexpr std::size_t kMaxBytes = 1U << 20U;
constexpr int kMaxDepth = 32;
constexpr std::size_t kMaxColumns = 10000;

constexpr std::array<std::string_view, 6> kColumnOptions = {"columnName", "type",   "presence",
                                                            "virtual",    "filter", "postFilter"};
constexpr std::array<std::string_view, 5> kPresenceNames = {"exists", "not exists", "null",
                                                            "not null", "any"};

class Reader {
 public:
  Reader(TableQualifier& qualifier, std::vector<Issue>& issues)
      : qualifier_(qualifier), issues_(issues) {}

  void ReadDocument(const JsonValue& root) {
    WarnDuplicates(root, "");
    const JsonValue* columns = nullptr;
    for (const JsonMember& member : Effective(root)) {
      if (member.name == "tableName") {
        ReadTableName(member);
      } else if (member.name == "keyColumns") {
        qualifier_.key_columns_span = member.value.span;
        ReadNames(member.value, "keyColumns", qualifier_.key_columns);
      } else if (member.name == "columns") {
        columns = &member.value;
        ReadColumns(member);
      } else {
        AddExtension(member);
      }
    }
    if (columns == nullptr) {
      Add("missing-columns",
          "a qualifier needs \"columns\": the conditions that tell its items apart",
          "add \"columns\": { \"pk\": { \"type\": \"S\" } } with the columns of the record type",
          "columns", {root.span.begin, root.span.begin});
    }
    CheckExtensionShape(qualifier_.extensions, issues_);
  }

 private:
  void Add(std::string code, std::string message, std::string remedy, std::string target,
           TextSpan span, Severity severity = Severity::kError) {
    issues_.push_back({severity, std::move(code), std::move(message), std::move(remedy),
                       std::move(target), span, qualifier_.file});
  }

  void WrongType(const JsonValue& value, std::string_view option, std::string_view wanted,
                 std::string_view example, std::string target) {
    Add("wrong-type",
        "`" + std::string(option) + "` must be " + std::string(wanted) + ", not " +
            std::string(JsonTypeWord(value)),
        "write " + std::string(example), std::move(target), value.span);
  }

  // The members that count: of several with one name, the last (qualifiers.md section 1).
  static std::vector<JsonMember> Effective(const JsonValue& object) {
    std::unordered_map<std::string_view, std::size_t> last;
    for (std::size_t i = 0; i < object.members.size(); ++i) last[object.members[i].name] = i;
    std::vector<JsonMember> kept;
    kept.reserve(last.size());
    for (std::size_t i = 0; i < object.members.size(); ++i) {
      if (last[object.members[i].name] == i) kept.push_back(object.members[i]);
    }
    return kept;
  }

  void WarnDuplicates(const JsonValue& object, const std::string& target) {
    std::unordered_map<std::string_view, const JsonMember*> seen;
    for (const JsonMember& member : object.members) {
      const auto [place, is_new] = seen.emplace(member.name, &member);
      if (is_new) continue;
      Add("duplicate-member",
          "\"" + member.name + "\" is given twice here (first in line " +
              std::to_string(place->second->name_span.begin.line) + "); this later one wins",
          "delete the one that is not meant", Join(target, member.name), member.name_span,
          Severity::kWarning);
    }
  }

  static std::string Join(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : path + "." + std::string(name);
  }

  void ReadTableName(const JsonMember& member) {
    qualifier_.table_name_span = member.value.span;
    if (!member.value.IsString()) {
      WrongType(member.value, "tableName", "a string", "\"tableName\": \"OrderManagement\"",
                "tableName");
      return;
    }
    qualifier_.table_name = member.value.text;
  }

  void ReadNames(const JsonValue& value, const std::string& target,
                 std::vector<std::string>& names) {
    const std::string_view option = std::string_view(target).substr(target.rfind('.') + 1);
    if (!value.IsArray()) {
      WrongType(value, option, "an array of column names",
                "\"" + std::string(option) + "\": [\"pk\", \"sk\"]", target);
      return;
    }
    std::set<std::string_view> seen;
    for (const JsonValue& element : value.elements) {
      if (!element.IsString()) {
        WrongType(element, option, "an array of strings", "the column's name in quotes", target);
        continue;
      }
      if (!seen.insert(element.text).second) {
        Add("duplicate-name", "`" + std::string(option) + "` names \"" + element.text + "\" twice",
            "name each column once", target, element.span);
        continue;
      }
      names.push_back(element.text);
    }
  }

  void ReadColumns(const JsonMember& member) {
    qualifier_.columns_span = member.value.span;
    if (!member.value.IsObject()) {
      WrongType(member.value, "columns", "an object of columns by name",
                "\"columns\": { \"pk\": { \"type\": \"S\" } }", "columns");
      return;
    }
    if (member.value.members.size() > kMaxColumns) {
      Add("too-many-columns",
          "`columns` has " + std::to_string(member.value.members.size()) + " entries; at most " +
              std::to_string(kMaxColumns) + " are read",
          "keep only columns that have a condition or a formula; others pass through unnamed",
          "columns", member.name_span);
      return;
    }
    WarnDuplicates(member.value, "columns");
    for (const JsonMember& entry : Effective(member.value)) ReadColumn(entry);
  }

  void ReadColumn(const JsonMember& entry) {
    const std::string target = "columns." + entry.name;
    ColumnQualifier column;
    column.name = entry.name;
    column.name_span = entry.name_span;
    if (entry.name.empty()) {
      Add("empty-name", "a column needs a name", "write the attribute's name between the quotes",
          target, entry.name_span);
      return;
    }
    if (!entry.value.IsObject()) {
      WrongType(entry.value, entry.name, "an object of column options",
                "\"" + entry.name + "\": {} when it has no condition", target);
      return;
    }
    WarnDuplicates(entry.value, target);
    for (const JsonMember& option : Effective(entry.value)) ReadOption(option, target, column);
    qualifier_.columns.push_back(std::move(column));
  }

  void ReadOption(const JsonMember& option, const std::string& column_target,
                  ColumnQualifier& column) {
    const std::string target = column_target + "." + option.name;
    const JsonValue& value = option.value;
    if (option.name == "values") {
      column.values_span = value.span;
      ReadValues(value, target, column);
    } else if (option.name == "virtual") {
      column.virtual_span = value.span;
      if (value.type != JsonType::kBool) {
        WrongType(value, "virtual", "true or false", "\"virtual\": true", target);
      } else {
        column.is_virtual = value.boolean;
      }
    } else if (std::find(kColumnOptions.begin(), kColumnOptions.end(), option.name) ==
               kColumnOptions.end()) {
      UnknownOption(option, target);
    } else if (!value.IsString()) {
      WrongType(value, option.name, "a string", "\"" + option.name + "\": \"…\"", target);
    } else if (option.name == "columnName") {
      column.column_name = value.text;
      column.column_name_span = value.span;
    } else if (option.name == "filter") {
      column.filter = value.text;
      column.filter_span = value.span;
    } else if (option.name == "postFilter") {
      column.post_filter = value.text;
      column.post_filter_span = value.span;
    } else if (option.name == "type") {
      ReadType(value, target, column);
    } else {
      ReadPresence(value, target, column);
    }
  }

  void UnknownOption(const JsonMember& option, const std::string& target) {
    std::vector<std::string> known(kColumnOptions.begin(), kColumnOptions.end());
    known.emplace_back("values");
    const auto nearest = NearestOption(option.name, known);
    std::string remedy = nearest ? "did you mean `" + *nearest + "`?"
                                 : "a column has: columnName, type, presence, virtual, filter, "
                                   "postFilter, values";
    if (option.name == "definition") remedy = "put it into \"values\": [{ \"definition\": \"…\" }]";
    if (target.starts_with("columns.columns.") && option.value.IsObject())
      remedy = "\"columns\" stands in itself: move `" + option.name + "` one level up";
    if (option.name == "name")
      remedy = "the attribute's name is the entry's name, or \"columnName\"";
    Add("unknown-option", "unknown option `" + option.name + "`", std::move(remedy), target,
        option.name_span);
  }

  void ReadType(const JsonValue& value, const std::string& target, ColumnQualifier& column) {
    column.type_span = value.span;
    column.type = AttributeTypeFromName(value.text);
    if (column.type) return;
    static const std::unordered_map<std::string_view, std::string_view> kMeant = {
        {"s", "S"},       {"string", "S"},     {"String", "S"},     {"text", "S"},
        {"Text", "S"},    {"n", "N"},          {"number", "N"},     {"Number", "N"},
        {"integer", "N"}, {"int", "N"},        {"decimal", "N"},    {"bool", "BOOL"},
        {"Bool", "BOOL"}, {"boolean", "BOOL"}, {"Boolean", "BOOL"}, {"b", "B"},
        {"binary", "B"},  {"Binary", "B"},     {"map", "M"},        {"Map", "M"},
        {"list", "L"},    {"List", "L"},       {"null", "NULL"},    {"Null", "NULL"},
        {"STRING", "S"},  {"NUMBER", "N"},     {"BOOLEAN", "BOOL"}};
    const auto meant = kMeant.find(value.text);
    Add("unknown-type", "`" + value.text + "` is no DynamoDB type",
        meant != kMeant.end() ? "did you mean `" + std::string(meant->second) + "`?"
                              : "use S (text), N (number) or BOOL; also B, M, L, SS, NS, BS, NULL",
        target, value.span);
  }

  void ReadPresence(const JsonValue& value, const std::string& target, ColumnQualifier& column) {
    column.presence_span = value.span;
    for (const Presence presence : {Presence::kExists, Presence::kNotExists, Presence::kNull,
                                    Presence::kNotNull, Presence::kAny}) {
      if (PresenceName(presence) == value.text) column.presence = presence;
    }
    if (column.presence) return;
    const auto nearest = NearestOption(value.text, kPresenceNames);
    Add("unknown-presence", "unknown presence `" + value.text + "`",
        nearest ? "did you mean `" + *nearest + "`?"
                : "use one of: exists, not exists, null, not null, any",
        target, value.span);
  }

  void ReadValues(const JsonValue& value, const std::string& target, ColumnQualifier& column) {
    if (!value.IsArray()) {
      WrongType(value, "values", "an array of definitions",
                "\"values\": [{ \"definition\": \"…\" }]", target);
      return;
    }
    if (value.elements.empty()) {
      Add("values-empty", "`values` is empty, so it defines nothing",
          "add { \"definition\": \"…\" } or delete `values`", target, value.span);
    }
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
      ReadDefinition(value.elements[i], target + "[" + std::to_string(i) + "]", column);
    }
  }

  void ReadDefinition(const JsonValue& value, const std::string& target, ColumnQualifier& column) {
    if (!value.IsObject()) {
      WrongType(value, "values", "an array of objects",
                value.IsString() ? "{ \"definition\": … } around the formula"
                                 : "{ \"definition\": \"…\" }",
                target);
      return;
    }
    WarnDuplicates(value, target);
    ValueQualifier definition;
    bool found = false;
    for (const JsonMember& member : Effective(value)) {
      const std::string path = target + "." + member.name;
      if (member.name == "definition") {
        found = true;
        definition.span = member.value.span;
        if (!member.value.IsString()) {
          WrongType(member.value, "definition", "a formula in a string",
                    "\"definition\": \"\\\"ORDER\\\"\" for a constant text", path);
          return;
        }
        definition.definition = member.value.text;
      } else if (member.name == "columnOrder") {
        definition.column_order_span = member.value.span;
        ReadNames(member.value, path, definition.column_order);
      } else {
        constexpr std::array<std::string_view, 2> kOptions = {"definition", "columnOrder"};
        const auto nearest = NearestOption(member.name, kOptions);
        Add("unknown-option", "unknown option `" + member.name + "`",
            nearest ? "did you mean `" + *nearest + "`?"
                    : "an element of `values` has: definition, columnOrder",
            path, member.name_span);
      }
    }
    if (!found) {
      Add("definition-missing", "an element of `values` needs a `definition`",
          "add \"definition\": \"…\" with a formula or a quoted constant", target, value.span);
      return;
    }
    if (definition.definition.find_first_not_of(" \t\r\n\f") == std::string::npos) {
      Add("definition-empty", "the definition is empty",
          "write a formula, or a constant such as \"\\\"ORDER\\\"\"", target + ".definition",
          definition.span);
      return;
    }
    column.values.push_back(std::move(definition));
  }

  void AddExtension(const JsonMember& member) {
    if (IsExtensionKey(member.name)) {
      qualifier_.extensions.members.push_back(member);
      return;
    }
    std::vector<std::string> known = {"tableName", "keyColumns", "columns"};
    for (const std::string_view key : ExtensionKeys()) known.emplace_back(key);
    const auto nearest = NearestOption(member.name, known);
    std::string remedy = nearest ? "did you mean `" + *nearest + "`?"
                                 : "the top level has: tableName, keyColumns, columns";
    if (!nearest && member.value.IsObject()) remedy = "a column belongs inside \"columns\": { … }";
    if (member.value.Find("columns") != nullptr)
      remedy = "one file is one object: move what is inside `" + member.name + "` one level up";
    Add("unknown-option", "unknown option `" + member.name + "`", std::move(remedy), member.name,
        member.name_span);
  }

  TableQualifier& qualifier_;
  std::vector<Issue>& issues_;
};

// What the text at a syntax fault gives away: another encoding, another language's notation, a
// text that some tool has escaped.
std::string_view SlipRemedy(std::string_view text, std::size_t offset) {
  const std::string_view head = text.substr(0, 2);
  if (head == "\xFF\xFE" || head == "\xFE\xFF" || text.substr(0, 4).find('\0') != std::string_view::npos)
    return "the file looks like UTF-16 or UTF-32; save it as UTF-8";
  const std::string_view rest = text.substr(std::min(offset, text.size()));
  const auto at = [rest](std::string_view word) { return rest.starts_with(word); };
  if (at("\xEF\xBB\xBF")) return "delete the second byte order mark at the start of the file";
  if (!rest.empty() && rest.front() == '\0') return "delete the NUL characters behind the text";
  if (at("\u201C") || at("\u201D") || at("\u201E") || at("\u2018") || at("\u2019"))
    return "replace the typographic quotes by plain ones: \"";
  if (at("'")) return "put names and texts between double quotes, not single ones";
  if (at("&quot;") || at("&#34;"))
    return "the text is escaped for XML; replace &quot; by \", &amp; by & and so on, or read the "
           "metadata folder by `tablecast import-salesforce`";
  if (at("\\\""))
    return "the text is escaped for a JSON string; replace \\\" by \" and \\\\ by \\ once throughout";
  if (at("#")) return "write comments as // … or /* … */";
  if (at("True")) return "write true in lower case";
  if (at("False")) return "write false in lower case";
  if (at("None") || at("undefined") || at("Null")) return "write null, or leave the member out";
  if (at("NaN") || at("Infinity") || at("-Infinity") || at("+"))
    return "write a decimal number such as 128";
  if (at(",")) return "delete the surplus comma";
  return {};
}

std::string SyntaxRemedy(const Error& error, std::string_view text) {
  if (!error.remedy.empty()) return error.remedy;
  if (error.reason == "json-syntax" || error.reason == "json-encoding") {
    if (const std::string_view slip = SlipRemedy(text, error.position.offset); !slip.empty())
      return std::string(slip);
  }
  if (error.reason == "json-encoding") {
    return error.message.find("surrogate") == std::string::npos
               ? "save the file as UTF-8"
               : "write both halves of the pair, such as \\ud83d\\ude00, or the character itself";
  }
  if (error.reason == "json-depth")
    return "flatten the document; a qualifier is at most 7 levels deep";
  if (error.reason == "json-too-large") return "split the file: one external object each";
  // The reader names what it missed; these are the slips that JSON newcomers make.
  struct Row {
    std::string_view message, remedy;
  };
  constexpr Row kRemedies[] = {
      {"text after the end", "one file holds one object: delete what follows, or look for a } too many"},
      {"10^308", "no option takes such a number; write a whole number such as 255"},
      {"holds no JSON value", "write { \"columns\": { … } }"},
      {"ends inside", "close what is open: every {, [, \" and /* needs its counterpart"},
      {"escape",
       "write `\\\\` for a backslash; JSON escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"},
      {"double quotes", "put names and texts between double quotes"},
      {"comma", "add a comma at the end of the line before, or close the bracket"}};
  for (const Row& row : kRemedies) {
    if (error.message.find(row.message) != std::string::npos) return std::string(row.remedy);
  }
  return "look for a missing quote, comma, colon or bracket at or just before this place";
}

}  // namespace

// Parses the text of a file; a fault becomes one finding.
static std::optional<JsonValue> ReadJson(std::string_view text, const std::string& file,
                                         std::vector<Issue>& issues) {
  auto json = ParseJson(text, {.allow_comments = true,
                               .allow_trailing_commas = true,
                               .allow_bom = true,
                               .max_depth = kMaxDepth,
                               .max_bytes = kMaxBytes});
  if (!json.ok()) {
    const Error& error = json.error();
    TextPosition begin = error.position;
    if (begin.line == 0) begin = PositionAt(text, 0);
    TextPosition end = begin;
    if (end.offset < text.size() && text[end.offset] != '\n') {
      std::size_t next = end.offset;
      DecodeUtf8(text, next);
      end.offset = next;
      ++end.column;
    }
    issues.push_back({Severity::kError,
                      error.reason,
                      error.message,
                      SyntaxRemedy(error, text),
                      "",
                      {begin, end},
                      file});
    return std::nullopt;
  }
  return *std::move(json);
}

ParsedQualifier ParseQualifier(std::string_view text, std::string file) {
  ParsedQualifier parsed;
  const auto json = ReadJson(text, file, parsed.issues);
  if (!json) return parsed;
  if (!json->IsObject()) {
    parsed.issues.push_back(
        {Severity::kError, "not-an-object",
         "a qualifier file is one JSON object, not " + std::string(JsonTypeWord(*json)),
         "start with { \"tableName\": \"…\", \"columns\": { … } }", "", json->span,
         std::move(file)});
    return parsed;
  }
  TableQualifier& qualifier = parsed.qualifier.emplace();
  qualifier.file = std::move(file);
  qualifier.text = std::string(text);
  qualifier.extensions.type = JsonType::kObject;
  qualifier.extensions.span = json->span;
  Reader(qualifier, parsed.issues).ReadDocument(*json);
  for (Issue& issue : parsed.issues) issue.file = qualifier.file;
  return parsed;
}

std::vector<Issue> ValidateCatalogFile(std::string_view text, std::string file) {
  std::vector<Issue> issues;
  const auto json = ReadJson(text, file, issues);
  if (json) CheckCatalogShape(*json, issues);
  for (Issue& issue : issues) issue.file = file;
  return issues;
}

}  // namespace tablecast
