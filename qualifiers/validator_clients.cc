// IMPLEMENTATION of CheckPortable and CheckClient. SOURCE: spec crm-clients.md sections 1 to 4.

#include <algorithm>
#include <map>

#include "base/utf8.h"
#include "qualifiers/json_tokens.h"
#include "qualifiers/validator_parts.h"

namespace tablecast {
namespace {

TextSpan SpanOf(std::string_view text, std::size_t begin, std::size_t end) {
  return {PositionAt(text, begin), PositionAt(text, end)};
}

std::string AndMore(std::size_t count) {
  return count > 1 ? " (" + std::to_string(count) + " in this file)" : "";
}

std::string LowerCase(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace

void CheckPortable(const TableQualifier& qualifier, FindingSink& findings) {
  const std::string_view text = qualifier.text;
  std::size_t comments = 0;
  std::size_t commas = 0;
  TextSpan first_comment;
  TextSpan first_comma;
  const JsonToken* last = nullptr;
  const std::vector<JsonToken> tokens = TokenizeJson(text);
  for (const JsonToken& token : tokens) {
    if (token.kind == JsonToken::Kind::kBom) {
      findings.Error("portable-bom",
                     "the file begins with a byte order mark, which the vendor's parser refuses",
                     "save it as UTF-8 without BOM, or run `tablecast format --strict-json`", "",
                     SpanOf(text, 0, 3));
      continue;
    }
    if (token.IsComment()) {
      if (comments++ == 0) first_comment = SpanOf(text, token.begin, token.end);
      continue;
    }
    const char c = text[token.begin];
    if ((c == '}' || c == ']') && last != nullptr && text[last->begin] == ',' &&
        last->kind == JsonToken::Kind::kPunctuation) {
      if (commas++ == 0) first_comma = SpanOf(text, last->begin, last->end);
    }
    last = &token;
  }
  if (comments > 0) {
    findings.Error("portable-comment",
                   "comments are no JSON, and the vendor's parser refuses them" + AndMore(comments),
                   "deploy the output of `tablecast format --strict-json`", "", first_comment);
  }
  if (commas > 0) {
    findings.Error("portable-trailing-comma",
                   "a comma before a closing bracket is no JSON" + AndMore(commas),
                   "deploy the output of `tablecast format --strict-json`", "", first_comma);
  }
  for (const JsonMember& member : qualifier.extensions.members) {
    findings.Error("portable-extension",
                   "`" + member.name + "` is an extension that the vendor does not know",
                   "move it to catalog.json under \"objects\"", member.name, member.name_span);
  }
  for (const ColumnQualifier& column : qualifier.columns) {
    const std::string target = "columns." + column.name;
    if (column.type && *column.type != AttributeType::kS && *column.type != AttributeType::kN &&
        *column.type != AttributeType::kBool) {
      findings.Error("portable-type", "the vendor knows the types S, N and BOOL only",
                     "delete `type`", target + ".type", column.type_span);
    }
    if (!column.is_virtual) continue;
    const auto condition = [&](bool given, std::string_view option, const TextSpan& span) {
      if (!given) return;
      findings.Error("portable-virtual-condition",
                     "`" + std::string(option) + "` on a virtual column is an extension of ours",
                     "put the condition on a stored column", target + "." + std::string(option),
                     span);
    };
    condition(column.presence.has_value(), "presence", column.presence_span);
    condition(column.filter.has_value(), "filter", column.filter_span);
    condition(column.post_filter.has_value(), "postFilter", column.post_filter_span);
  }
}

namespace {

class ClientCheck {
 public:
  ClientCheck(const TableQualifier& qualifier, const ValidateOptions& options,
              FindingSink& findings)
      : qualifier_(qualifier), options_(options), findings_(findings) {}

  void Run() {
    switch (options_.client) {
      case ClientKind::kSalesforce: CheckSalesforce(); return;
      case ClientKind::kDataverse: CheckDataverse(); return;
      case ClientKind::kPowerBi: CheckPowerBi(); return;
      case ClientKind::kNone: return;
    }
  }

 private:
  // A property as it would be published: declared in `fields`, else a column of the file.
  struct Published {
    std::string name;
    std::string type;  // field type, or "" when inferred
    long length = 0;
    TextSpan span;
    std::string target;
  };

  std::vector<Published> Properties() const {
    std::vector<Published> all;
    const JsonValue* fields = Extension(qualifier_, options_, "fields");
    // The overlay stands in another file: its findings point at the columns here.
    const bool own = qualifier_.extensions.Find("fields") != nullptr;
    if (fields != nullptr) {
      for (const JsonMember& field : fields->members) {
        const JsonValue* hidden = field.value.Find("hidden");
        if (field.name == "*" || (hidden != nullptr && hidden->boolean)) continue;
        Published one{field.name, "", 0, own ? field.name_span : qualifier_.columns_span,
                      "fields." + field.name};
        if (const JsonValue* type = field.value.Find("type"); type != nullptr && type->IsString())
          one.type = type->text;
        // `as` publishes a collection as text.
        const JsonValue* collection = field.value.Find("collection");
        if (collection != nullptr && collection->boolean && field.value.Find("as") == nullptr)
          one.type = "Collection";
        if (const JsonValue* length = field.value.Find("length");
            length != nullptr && length->IsNumber() && length->text.size() < 10) {
          one.length = std::atol(length->text.c_str());
        }
        all.push_back(std::move(one));
      }
      if (fields->Find("*") == nullptr) return all;
    }
    for (const ColumnQualifier& column : qualifier_.columns) {
      const bool declared = std::any_of(
          all.begin(), all.end(), [&](const Published& one) { return one.name == column.name; });
      if (declared) continue;
      Published one{column.name, "", 0, column.name_span, "columns." + column.name};
      if (column.type) {
        switch (*column.type) {
          case AttributeType::kB: one.type = "Binary"; break;
          case AttributeType::kM: one.type = "Complex"; break;
          case AttributeType::kL:
          case AttributeType::kSS:
          case AttributeType::kNS:
          case AttributeType::kBS: one.type = "Collection"; break;
          default: break;
        }
      }
      all.push_back(std::move(one));
    }
    return all;
  }

  void Warn(std::string code, std::string message, std::string remedy, const Published& at) {
    // A field of another file, or of the data, is named: the place does not show it.
    if (at.span == qualifier_.columns_span && message.find("`" + at.name + "`") == std::string::npos)
      message = "`" + at.name + "`: " + message;
    findings_.Add(Severity::kWarning, std::move(code), std::move(message), std::move(remedy),
                  at.target, at.span);
  }

  void CheckCase(std::string_view client) {
    std::map<std::string, std::string> seen;
    for (const Published& one : Properties()) {
      const auto [place, is_new] = seen.emplace(LowerCase(one.name), one.name);
      if (is_new) continue;
      Warn("client-name-case",
           std::string(client) + " takes `" + place->second + "` and `" + one.name +
               "` for one name",
           "rename one of them in \"fields\"", one);
    }
  }

  void CheckSalesforce() {
    CheckCase("Salesforce");
    for (const Published& one : Properties()) {
      if (one.name.size() > 40) {
        Warn("client-name-length", "Salesforce field names have at most 40 characters",
             "give it a shorter name in \"fields\"", one);
      }
      const bool letter_first = !one.name.empty() && ((one.name[0] >= 'A' && one.name[0] <= 'Z') ||
                                                      (one.name[0] >= 'a' && one.name[0] <= 'z'));
      if (!letter_first || one.name.find("__") != std::string::npos || one.name.ends_with('_')) {
        Warn("client-name",
             "`" + one.name +
                 "` makes no Salesforce field name: it must begin with a letter, without `__` and "
                 "without `_` at its end",
             "give it another name in \"fields\"", one);
      }
      if (one.type == "Time")
        Warn("client-type", "Salesforce drops Edm.TimeOfDay fields", "declare it as Text", one);
      if (one.type == "Collection")
        Warn("client-type", "Salesforce drops collections",
             "declare it with \"as\": \"text\" or \"json\"", one);
      if (one.type == "Complex")
        Warn("client-type", "Salesforce shows complex fields read-only",
             "publish the members you need by paths such as \"address.city\"", one);
      if (one.type == "Binary")
        Warn("client-type", "Salesforce shows binary fields as base64 text",
             "hide it, or decode it in the client", one);
      if (one.length > 255 && one.type != "TextArea" && one.type != "LongText") {
        Warn("client-length",
             "Salesforce makes a text over 255 characters a long text area, which cannot be "
             "filtered or sorted",
             "declare a length of at most 255 if the values allow it", one);
      }
    }
    if (const JsonValue* id = Extension(qualifier_, options_, "externalId")) {
      const JsonValue* length = id->Find("maxLength");
      if (length != nullptr && (length->text.size() > 3 || std::atol(length->text.c_str()) > 255)) {
        findings_.Add(
            Severity::kWarning, "client-length", "Salesforce cuts external IDs at 255 characters",
            "keep the external ID at 255 characters or fewer", "externalId.maxLength",
            qualifier_.extensions.Find("externalId") != nullptr ? length->span
                                                                : qualifier_.columns_span);
      }
    }
  }

  void CheckDataverse() {
    const JsonValue* object = Extension(qualifier_, options_, "object");
    const JsonValue* guid = object == nullptr ? nullptr : object->Find("guidKey");
    if (guid == nullptr || !guid->boolean) {
      findings_.Add(
          Severity::kWarning, "client-key", "Dataverse needs a GUID as the key of every table",
          "set \"object\": { \"guidKey\": true }", "object.guidKey",
          TextSpan{qualifier_.columns_span.begin,
                   {qualifier_.columns_span.begin.line, qualifier_.columns_span.begin.column + 1,
                    qualifier_.columns_span.begin.offset + 1}});
    }
    CheckCase("Dataverse");
    for (const Published& one : Properties()) {
      if (one.type == "Time" || one.type == "Binary") {
        Warn("client-type", "Dataverse cannot map a field of type " + one.type,
             "declare it as Text, or hide it", one);
      }
      if (one.type == "Collection" || one.type == "Complex") {
        Warn("client-type", "Dataverse cannot map collections and complex values",
             "publish members by paths, or \"as\": \"text\"", one);
      }
    }
  }

  void CheckPowerBi() {
    CheckCase("A Power BI model");
    for (const Published& one : Properties()) {
      if (one.type == "Binary")
        Warn("client-type", "a Power BI model drops binary columns", "hide it", one);
    }
  }

  const TableQualifier& qualifier_;
  const ValidateOptions& options_;
  FindingSink& findings_;
};

}  // namespace

void CheckClient(const TableQualifier& qualifier, const ValidateOptions& options,
                 FindingSink& findings) {
  ClientCheck(qualifier, options, findings).Run();
}

}  // namespace tablecast
