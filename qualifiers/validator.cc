// IMPLEMENTATION: parse, compile, then one function for each kind of warning over the parsed file
// and, where it compiled, the compiled form. Tested by the corpus tests/diagnostics.

#include "qualifiers/validator.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/utf8.h"
#include "qualifiers/document_shape.h"
#include "qualifiers/like_pattern.h"
#include "qualifiers/match_regex.h"
#include "qualifiers/qualifier_parser.h"
#include "qualifiers/validator_parts.h"

namespace tablecast {
namespace {

using formula::Value;
using formula::ValueType;

std::string LowerCase(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  AppendPrintable(out, text);
  return out + "\"";
}

// A literal to try push-down with.
Value SampleOf(ValueType type) {
  switch (type) {
    case ValueType::kNumber: return Value::Integer(1);
    case ValueType::kBoolean: return Value::Boolean(true);
    case ValueType::kDate: return Value::FromDate(Date{18000});
    case ValueType::kDateTime: return Value::DateTime(Timestamp{1555200000, 0});
    case ValueType::kTime: return Value::Time(TimeOfDay{});
    default: return Value::Text("a");
  }
}

class Validator {
 public:
  Validator(const TableQualifier& qualifier, const TableSchema& schema, bool schema_is_assumed,
            const ValidateOptions& options, FindingSink& findings)
      : qualifier_(qualifier),
        schema_(schema),
        assumed_(schema_is_assumed),
        options_(options),
        findings_(findings) {}

  void CheckFile() {
    CheckTableName();
    CheckNamesByCase();
    for (const ColumnQualifier& column : qualifier_.columns) {
      CheckAttributeName(column);
      CheckPatterns(column);
      CheckSecret(column);
    }
  }

  void CheckCompiled(const CompiledQualifier& compiled) {
    CheckRedundant(compiled);
    CheckPushdown(compiled);
    CheckScan(compiled);
    CheckSeparator(compiled);
  }

 private:
  void Warn(std::string code, std::string message, std::string remedy, std::string target,
            TextSpan span) {
    findings_.Add(Severity::kWarning, std::move(code), std::move(message), std::move(remedy),
                  std::move(target), span);
  }

  bool IsKey(std::string_view attribute) const {
    return attribute == schema_.key.partition.name ||
           (schema_.key.sort && attribute == schema_.key.sort->name);
  }

  // ---- names ----
  void CheckTableName() {
    if (!qualifier_.table_name) return;
    const Status valid = ValidateTableName(*qualifier_.table_name);
    if (valid.ok()) return;
    findings_.Error("table-name", valid.error().message,
                    "use 3 to 255 letters, digits, `_`, `-` and `.`", "tableName",
                    qualifier_.table_name_span);
  }

  void CheckNamesByCase() {
    std::map<std::string, const ColumnQualifier*> seen;
    for (const ColumnQualifier& column : qualifier_.columns) {
      const auto [place, is_new] = seen.emplace(LowerCase(column.name), &column);
      if (is_new || place->second->name == column.name) continue;
      Warn("names-differ-by-case",
           "`" + place->second->name + "` and `" + column.name +
               "` differ by letter case only; many clients cannot tell them apart",
           "rename one in \"fields\", for example \"" + column.name +
               "Value\": { \"column\": " + Quoted(column.name) + " }",
           "columns." + column.name, column.name_span);
    }
  }

  void CheckAttributeName(const ColumnQualifier& column) {
    if (column.is_virtual) return;
    const std::string& attribute = column.physical();
    const TextSpan span = column.column_name ? column.column_name_span : column.name_span;
    const std::string target = "columns." + column.name + (column.column_name ? ".columnName" : "");
    const Status valid = ValidateAttributeName(attribute, IsKey(attribute));
    if (!valid.ok()) {
      findings_.Error("attribute-name", valid.error().message,
                      "use a name of 1 to 65,535 bytes (255 for key columns)", target, span);
    }
    if (!options_.dynamodb_source) return;
    if (IsDynamoDbReservedWord(attribute)) {
      Warn("reserved-word",
           "`" + attribute +
               "` is a reserved word of DynamoDB: expressions and PartiQL need it quoted",
           "nothing to do here (requests are written with placeholders); quote it in your own "
           "queries",
           target, span);
    } else if (attribute.find_first_of("#:") != std::string::npos) {
      Warn("name-character",
           "`" + attribute +
               "` contains `#` or `:`, which DynamoDB expressions use for placeholders",
           "nothing to do here (requests are written with placeholders); quote it in your own "
           "queries",
           target, span);
    }
  }

  void CheckSecret(const ColumnQualifier& column) {
    if (!LooksSecret(column.name) && !LooksSecret(column.physical())) return;
    if (const JsonValue* fields = Extension(qualifier_, options_, "fields")) {
      // With `fields` only those are published; a hidden one is neither returned nor filterable.
      bool published = fields->Find("*") != nullptr;
      for (const JsonMember& field : fields->members) {
        const JsonValue* source = field.value.Find("column");
        const JsonValue* hidden = field.value.Find("hidden");
        const bool is_it =
            source != nullptr ? source->text == column.name : field.name == column.name;
        published = published || (is_it && !(hidden != nullptr && hidden->boolean));
      }
      if (!published) return;
    }
    Warn("secret-name",
         "`" + column.name + "` looks like a secret, and being listed here it is published",
         "declare it in \"fields\" with \"hidden\": true, or leave it out",
         "columns." + column.name, column.name_span);
  }

  // ---- patterns ----
  void CheckPatterns(const ColumnQualifier& column) {
    const std::string target = "columns." + column.name;
    if (column.filter && LikePattern::FindTrailingEscape(*column.filter) == std::nullopt)
      CheckFilter(column, target);
    if (!column.post_filter) return;
    if (!regex_budget_.HasRoom()) return;  // reported by the compiler, as is what does not compile
    const auto regex = MatchRegex::Compile(*column.post_filter);
    regex_budget_.Spend(regex);
    if (!regex.ok()) return;
    if (const std::string& regex_text = *column.post_filter;
        regex_text.size() > 2 && regex_text.front() == '/' && regex_text.back() == '/') {
      Warn("regex-unanchored",
           "the slashes around " + Quoted(regex_text) + " are part of the value that has to match",
           "write " + Quoted(regex_text.substr(1, regex_text.size() - 2)) +
               ", without slashes, unless the values hold them",
           target + ".postFilter", column.post_filter_span);
    } else if (!IsAnchored(regex_text)) {
      Warn("regex-unanchored",
           "`postFilter` has to match the whole value, which " + Quoted(*column.post_filter) +
               " without ^ and $ does not show",
           "write " + Quoted("^" + *column.post_filter + "$") + ", or \".*\" where more may stand",
           target + ".postFilter", column.post_filter_span);
    }
    const auto& possible = (*regex)->possible_bytes();
    if (!possible) return;
    std::bitset<256> others = *possible;
    for (unsigned char c = '0'; c <= '9'; ++c) others.reset(c);
    const bool digits_only = possible->any() && others.none() && (*regex)->literals().empty();
    if (digits_only) CheckDigits(column, target);
  }

  void CheckFilter(const ColumnQualifier& column, const std::string& target) {
    if (column.filter->find('*') != std::string::npos &&
        column.filter->find('%') == std::string::npos) {
      Warn("filter-star", "`*` is an ordinary character in `filter`; the wildcards are `%` and `_`",
           "write `%` for any run of characters", target + ".filter", column.filter_span);
    } else if (!LikePattern(*column.filter).HasWildcard()) {
      Warn("filter-without-wildcard",
           "`filter` " + Quoted(*column.filter) +
               " has no `%` or `_`, so only that one value passes",
           "append `%` for a prefix; for a fixed value write \"values\": [{ \"definition\": " +
               Quoted(Quoted(LikePattern(*column.filter).literal_prefix())) + " }]",
           target + ".filter", column.filter_span);
    } else if (LikePattern(*column.filter).shape() == LikePattern::Shape::kAny) {
      Warn("filter-matches-all", "`filter` " + Quoted(*column.filter) + " passes every value",
           "delete it, or write a prefix before `%`", target + ".filter", column.filter_span);
    }
  }

  void CheckDigits(const ColumnQualifier& column, const std::string& target) {
    const bool is_partition = column.physical() == schema_.key.partition.name;
    const bool is_sort = schema_.key.sort && column.physical() == schema_.key.sort->name;
    const bool is_number =
        column.type == AttributeType::kN ||
        (!assumed_ && is_partition && schema_.key.partition.type == AttributeType::kN) ||
        (!assumed_ && is_sort && schema_.key.sort->type == AttributeType::kN);
    if (is_number) {
      Warn("integer-regex-on-number",
           "`" + column.name +
               "` is a number, and its `postFilter` looks at the number's text: 1.5 and -1 are "
               "left out, 1e3 passes as 1000",
           "delete `postFilter` if whole numbers are not the point", target + ".postFilter",
           column.post_filter_span);
    } else if (is_sort) {
      Warn("numeric-text-key",
           "`" + column.name + "` is a sort key of digits stored as text, so 10 sorts before 9",
           "store it as N, or pad it with zeros to a fixed width", target + ".postFilter",
           column.post_filter_span);
    } else if (is_partition) {
      findings_.Add(
          Severity::kInfo, "numeric-text-key",
          "`" + column.name + "` is a partition key of digits stored as text, so 10 sorts before 9",
          "nothing to do unless you page or compare by it", target + ".postFilter",
          column.post_filter_span);
    }
  }

  // ---- on the compiled form ----
  void CheckRedundant(const CompiledQualifier& compiled) {
    for (const ColumnQualifier& column : qualifier_.columns) {
      if (column.is_virtual) continue;
      const PhysicalColumn* physical = compiled.FindPhysical(column.physical());
      if (physical == nullptr || physical->constants.empty() || column.values.empty()) continue;
      const std::string target = "columns." + column.name;
      if (column.filter) {
        Warn("redundant-filter",
             "`filter` adds nothing: the constant already says what `" + column.name + "` is",
             "delete `filter`", target + ".filter", column.filter_span);
      }
      if (column.post_filter) {
        Warn("redundant-filter",
             "`postFilter` adds nothing: the constant already says what `" + column.name + "` is",
             "delete `postFilter`", target + ".postFilter", column.post_filter_span);
      }
      for (std::size_t i = 0;
           i < physical->constants.size() && physical->constants.size() == column.values.size();
           ++i) {
        const auto first = std::find(physical->constants.begin(), physical->constants.end(),
                                     physical->constants[i]);
        if (static_cast<std::size_t>(first - physical->constants.begin()) == i) continue;
        Warn("constant-duplicate", "the same constant is listed twice", "delete one",
             target + ".values[" + std::to_string(i) + "]", column.values[i].span);
      }
    }
  }

  // A declared index whose first field is the column: "productCode", "productCode desc".
  bool LeadsAnIndex(std::string_view column) const {
    const JsonValue* indexes = Extension(qualifier_, options_, "indexes");
    if (indexes == nullptr || !indexes->IsArray()) return false;
    return std::any_of(indexes->elements.begin(), indexes->elements.end(), [&](const JsonValue& index) {
      const JsonValue* fields = index.Find("fields");
      if (fields == nullptr || !fields->IsArray() || fields->elements.empty()) return false;
      const std::string& first = fields->elements.front().text;
      return first.substr(0, first.find(' ')) == column;
    });
  }

  void CheckPushdown(const CompiledQualifier& compiled) {
    std::vector<CompiledQualifier::VirtualCondition> bound;
    for (const VirtualColumn& column : compiled.virtual_columns()) {
      const bool constant = std::all_of(column.candidates.begin(), column.candidates.end(),
                                        [](const auto& program) { return program->IsConstant(); });
      if (!constant)
        bound.push_back({column.name, CompiledQualifier::PushOp::kEq, {SampleOf(column.type)}});
    }
    const auto pushed = compiled.PushDown(bound);
    std::map<std::string, const std::string*, std::less<>> reasons;
    for (const auto& [condition, reason] : pushed.refused) {
      reasons.emplace(condition.substr(0, condition.find(" = ")), &reason);
    }
    for (const ColumnQualifier& column : qualifier_.columns) {
      const auto reason = column.is_virtual ? reasons.find(column.name) : reasons.end();
      if (reason == reasons.end() || LeadsAnIndex(column.name)) continue;
      Warn("virtual-not-pushable",
           "a filter on `" + column.name + "` reads every record of the object: " + *reason->second,
           "if you filter by it, declare an index on it (\"indexes\"), or store it as an attribute",
           "columns." + column.name, column.name_span);
    }
  }

  void CheckScan(const CompiledQualifier& compiled) {
    const KeyCondition& key = compiled.key_condition();
    if (!key.partition.IsFree() || !key.sort.IsFree()) return;
    // Types and presence tell no records apart: then the whole table belongs, as far as the file
    // says.
    const bool selective = std::any_of(
        qualifier_.columns.begin(), qualifier_.columns.end(), [&](const ColumnQualifier& column) {
          const PhysicalColumn* physical =
              column.is_virtual ? nullptr : compiled.FindPhysical(column.physical());
          return column.filter || column.post_filter ||
                 (physical != nullptr && !physical->constants.empty());
        });
    if (!selective) return;
    Warn("full-scan",
         "no condition narrows the key, so finding the object's items reads the whole table",
         "add a constant, a `filter` prefix or an anchored `postFilter` on the partition or sort "
         "key if the keys allow it",
         "columns",
         qualifier_.columns_span.begin.line != 0
             ? TextSpan{qualifier_.columns_span.begin,
                        {qualifier_.columns_span.begin.line,
                         qualifier_.columns_span.begin.column + 1,
                         qualifier_.columns_span.begin.offset + 1}}
             : TextSpan{});
  }

  // The external ID is pk-sk: a partition key that can hold the separator makes its reading
  // ambiguous.
  void CheckSeparator(const CompiledQualifier& compiled) {
    if (!schema_.key.sort || schema_.key.partition.type != AttributeType::kS) return;
    std::string separator = "-";
    if (const JsonValue* id = Extension(qualifier_, options_, "externalId")) {
      if (const JsonValue* escape = id->Find("escape"); escape != nullptr && escape->boolean)
        return;
      if (id->Find("columns") != nullptr) return;  // other parts: judged on data
      if (const JsonValue* given = id->Find("separator"); given != nullptr && given->IsString())
        separator = given->text;
    }
    if (separator.empty()) return;
    const PhysicalColumn* sort = compiled.FindPhysical(schema_.key.sort->name);
    if (sort != nullptr && sort->constants.size() == 1) return;  // only one part in the ID
    const PhysicalColumn* partition = compiled.FindPhysical(schema_.key.partition.name);
    if (partition != nullptr && !partition->constants.empty()) return;
    for (const ColumnQualifier& column : qualifier_.columns) {
      if (column.is_virtual || column.physical() != schema_.key.partition.name ||
          !column.post_filter)
        continue;
      const auto regex = MatchRegex::Compile(*column.post_filter);
      if (regex.ok() && (*regex)->possible_bytes() &&
          !(*regex)->possible_bytes()->test(static_cast<unsigned char>(separator[0])))
        return;
    }
    for (const ColumnQualifier& column : qualifier_.columns) {
      if (column.is_virtual || column.physical() != schema_.key.partition.name) continue;
      Warn(
          "key-contains-separator",
          "`" + column.name + "` can contain `" + separator +
              "`, which separates the parts of the external ID: such an ID can be read in two ways",
          "set \"externalId\": { \"escape\": true } or another \"separator\", or rule it out by "
          "`postFilter`",
          "columns." + column.name, column.name_span);
    }
  }

  const TableQualifier& qualifier_;
  RegexBudget regex_budget_;
  const TableSchema& schema_;
  bool assumed_;
  const ValidateOptions& options_;
  FindingSink& findings_;
};

void SortFindings(std::vector<Issue>& issues) {
  std::stable_sort(issues.begin(), issues.end(), [](const Issue& a, const Issue& b) {
    return std::tie(a.span.begin.line, a.span.begin.column, a.severity) <
           std::tie(b.span.begin.line, b.span.begin.column, b.severity);
  });
  const auto same = [](const Issue& a, const Issue& b) {
    return a.code == b.code && a.message == b.message && a.span == b.span;
  };
  issues.erase(std::unique(issues.begin(), issues.end(), same), issues.end());
}

}  // namespace

const JsonValue* Extension(const TableQualifier& qualifier, const ValidateOptions& options,
                           std::string_view name) {
  const JsonValue* own = qualifier.extensions.Find(name);
  return own != nullptr || options.overlay == nullptr ? own : options.overlay->Find(name);
}

Result<ClientKind> ClientKindFromName(std::string_view name) {
  if (name == "salesforce") return ClientKind::kSalesforce;
  if (name == "dataverse") return ClientKind::kDataverse;
  if (name == "powerbi") return ClientKind::kPowerBi;
  return MakeError(ErrorCode::kInvalidArgument, "unknown-client",
                   "`" + std::string(name) + "` is no client that is known here", "--client",
                   "use salesforce, dataverse or powerbi");
}

TableSchema AssumeSchema(const TableQualifier& qualifier) {
  TableSchema schema;
  schema.name = qualifier.table_name.value_or("");
  const auto key_of = [&](const std::string& attribute) {
    KeyColumn key{attribute, AttributeType::kS};
    for (const ColumnQualifier& column : qualifier.columns) {
      if (column.is_virtual || column.physical() != attribute || !column.type) continue;
      if (*column.type == AttributeType::kN || *column.type == AttributeType::kB)
        key.type = *column.type;
    }
    return key;
  };
  std::vector<std::string> named;
  for (const std::string& name : qualifier.key_columns) {
    const ColumnQualifier* column = qualifier.Find(name);
    if (column == nullptr || !column->is_virtual)
      named.push_back(column == nullptr ? name : column->physical());
  }
  std::string first;
  std::string partition;
  std::string sort;
  for (const ColumnQualifier& column : qualifier.columns) {
    if (column.is_virtual) continue;
    if (first.empty()) first = column.physical();
    if (partition.empty() && LowerCase(column.physical()) == "pk") partition = column.physical();
    if (sort.empty() && LowerCase(column.physical()) == "sk") sort = column.physical();
  }
  if (!named.empty()) {
    partition = named[0];
    sort = named.size() > 1 ? named[1] : "";
  } else if (partition.empty()) {
    partition = sort.empty() ? (first.empty() ? "pk" : first) : "pk";
  }
  schema.key.partition = key_of(partition);
  if (!sort.empty()) schema.key.sort = key_of(sort);
  return schema;
}

bool LooksSecret(std::string_view name) {
  const std::string lower = LowerCase(name);
  for (const std::string_view word : {"password", "passwd", "salt", "secret", "token", "ssn"}) {
    const std::size_t at = lower.find(word);
    if (at == std::string::npos) continue;
    // "salt" and "ssn" are parts of harmless words (basalt, classname): they must stand alone.
    if (word.size() > 4) return true;
    const auto is_letter = [&](std::size_t i) {
      return i < lower.size() && lower[i] >= 'a' && lower[i] <= 'z';
    };
    const bool starts = at == 0 || !is_letter(at - 1) || (name[at] >= 'A' && name[at] <= 'Z');
    const std::size_t end = at + word.size();
    const bool ends = !is_letter(end) || (name[end] >= 'A' && name[end] <= 'Z');
    if (starts && ends) return true;
  }
  return false;
}

std::vector<Issue> ValidateQualifier(std::string_view text, std::string file,
                                     const TableSchema* schema, const ValidateOptions& options) {
  ParsedQualifier parsed = ParseQualifier(text, std::move(file));
  std::vector<Issue> issues = std::move(parsed.issues);
  if (!parsed.qualifier) return issues;
  const TableQualifier& qualifier = *parsed.qualifier;
  const TableSchema assumed = AssumeSchema(qualifier);
  const TableSchema& keys = schema != nullptr ? *schema : assumed;
  FindingSink findings(qualifier, issues);
  Validator validator(qualifier, keys, schema == nullptr, options, findings);
  validator.CheckFile();
  if (options.portable) CheckPortable(qualifier, findings);
  if (options.client != ClientKind::kNone) CheckClient(qualifier, options, findings);

  CompileQualifierOptions compile = options.compile;
  if (const JsonValue* trusted = Extension(qualifier, options, "trustedInverses");
      trusted != nullptr) {
    for (const JsonValue& name : trusted->elements) {
      compile.trusted_inverses.push_back(name.text);
    }
  }
  QualifierCompilation compilation = CompileQualifier(qualifier, keys, compile);
  const bool sound = compilation.qualifier != nullptr && !HasErrors(issues);
  issues.insert(issues.end(), std::make_move_iterator(compilation.issues.begin()),
                std::make_move_iterator(compilation.issues.end()));
  if (sound) validator.CheckCompiled(*compilation.qualifier);
  for (Issue& issue : issues) issue.file = qualifier.file;
  SortFindings(issues);
  return issues;
}

}  // namespace tablecast
