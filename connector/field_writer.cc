#include "connector/field_writer.h"

#include <algorithm>

#include "base/json_reader.h"
#include "base/json_writer.h"

namespace tablecast {

namespace {

constexpr JsonOptions kTolerant{.allow_comments = true, .allow_trailing_commas = true};

// One field's declaration: {"column": "TOTAL", "type": "Number"}.
std::string FieldText(const Field& field) {
  std::string out = "{ ";
  const auto member = [&](std::string_view name, const std::string& value) {
    if (out.size() > 2) out += ", ";
    out += "\"" + std::string(name) + "\": " + value;
  };
  const auto quoted = [](std::string_view text) {
    std::string escaped = "\"";
    AppendJsonEscaped(escaped, text);
    return escaped + "\"";
  };
  member("column", quoted(field.column));
  member("type", quoted(FieldTypeName(field.type)));
  if (IsTextType(field.type) && field.max_length > 0)
    member("length", std::to_string(field.max_length));
  return out + " }";
}

// Offset of a trailing comma between `at` and `end`, comments passed over; npos when there is none.
std::size_t FindComma(std::string_view text, std::size_t at, std::size_t end) {
  while (at < end) {
    if (text.substr(at, 2) == "//") {
      at = std::min(end, text.find('\n', at));
    } else if (text.substr(at, 2) == "/*") {
      at = std::min(end, text.find("*/", at + 2));
      at = std::min(end, at + 2);
    } else if (text[at] == ',') {
      return at;
    } else {
      ++at;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::string FieldsText(const ExternalObject& object, std::string_view indent) {
  std::string out = "{";
  bool first = true;
  // Maps and lists have members that no declaration lists: those fields stay inferred.
  const auto said = [](const Field& field) {
    return !field.collection && field.type != FieldType::kComplex &&
           field.type != FieldType::kJsonText;
  };
  if (!std::all_of(object.fields().begin(), object.fields().end(), said)) {
    out += "\n" + std::string(indent) + std::string(indent) + "\"*\": true";
    first = false;
  }
  for (const Field& field : object.fields()) {
    const SourceKind kind = field.source.kind;
    const bool own = kind != SourceKind::kExternalId && kind != SourceKind::kGuidKey &&
                     kind != SourceKind::kParent;
    if (!own || !said(field)) continue;
    out += first ? "\n" : ",\n";
    first = false;
    out += std::string(indent) + std::string(indent) + "\"";
    AppendJsonEscaped(out, field.name);
    out += "\": " + FieldText(field);
  }
  return out + (first ? "}" : "\n" + std::string(indent) + "}");
}

std::string IndentOf(std::string_view text) {
  const auto json = ParseJson(text, kTolerant);
  if (!json.ok() || json->members.empty()) return "  ";
  const std::size_t name = json->members.front().name_span.begin.offset;
  const std::size_t line = text.rfind('\n', name);
  if (line == std::string_view::npos) return "  ";
  const std::string_view indent = text.substr(line + 1, name - line - 1);
  const bool blank =
      std::all_of(indent.begin(), indent.end(), [](char c) { return c == ' ' || c == '\t'; });
  return blank && !indent.empty() ? std::string(indent) : "  ";
}

Result<std::string> AddMember(std::string_view text, std::string_view name,
                              std::string_view value) {
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue json, ParseJson(text, kTolerant));
  if (!json.IsObject())
    return MakeError(ErrorCode::kInvalidArgument, "not-an-object", "the file is no JSON object");
  if (json.Find(name) != nullptr) {
    return MakeError(ErrorCode::kAlreadyExists, "member-exists",
                     "the file has a member `" + std::string(name) + "` already");
  }
  const std::string member =
      IndentOf(text) + "\"" + std::string(name) + "\": " + std::string(value);
  const std::size_t brace = json.span.end.offset - 1;  // the closing one
  std::string out(text);
  // The new member stands on lines of its own in front of the closing brace; comments behind the
  // last member stay with it.
  std::size_t line = text.rfind('\n', brace);
  const bool own_line =
      line != std::string_view::npos &&
      text.substr(line + 1, brace - line - 1).find_first_not_of(" \t\r") == std::string_view::npos;
  if (own_line) {
    out.insert(line + 1, member + "\n");
  } else {
    out.insert(brace, "\n" + member + "\n");
  }
  if (!json.members.empty()) {
    const std::size_t last = json.members.back().value.span.end.offset;
    if (FindComma(text, last, brace) == std::string_view::npos) out.insert(last, ",");
  }
  return out;
}

}  // namespace tablecast
