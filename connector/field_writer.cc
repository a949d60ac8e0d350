// IMPLEMENTATION of field_writer.h: one parse, edits by offset, applied from the last to the first.
// Tested by tests/connector/field_writer_test.cc.

#include "connector/field_writer.h"

#include <algorithm>

#include "base/json_reader.h"
#include "base/json_writer.h"

namespace tablecast {

namespace {

constexpr JsonOptions kTolerant{.allow_comments = true, .allow_trailing_commas = true};

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  AppendJsonEscaped(out, text);
  return out + "\"";
}

bool IsDeclarable(const Field& field) {
  const SourceKind kind = field.source.kind;
  return kind != SourceKind::kExternalId && kind != SourceKind::kGuidKey &&
         kind != SourceKind::kParent && kind != SourceKind::kElementIndex;
}

bool HasLength(const Field& field) {
  return field.max_length > 0 && (IsTextType(field.type) || field.type == FieldType::kJsonText ||
                                  field.type == FieldType::kBinary);
}

// Where members of a value stand: in front of each, and in front of its closing brace.
struct Layout {
  std::string unit = "  ";
  std::string indent;  // of the members
  std::string Deeper() const { return indent + unit; }
};

std::string FieldText(const Field& field, const Layout& at);

std::string MembersText(const Field& field, const Layout& at) {
  std::string out = "{";
  bool first = true;
  for (const Field& member : field.members) {
    out += (first ? "\n" : ",\n") + at.Deeper() + Quoted(member.name) + ": ";
    out += FieldText(member, Layout{at.unit, at.Deeper()});
    first = false;
  }
  return out + "\n" + at.indent + "}";
}

// What the data shows of a field beyond its column: "type": "Text", "length": 128.
std::vector<std::string> TypeMembers(const Field& field, const Layout& at) {
  std::vector<std::string> out{"\"type\": " + Quoted(FieldTypeName(field.type))};
  if (field.collection) out.emplace_back("\"collection\": true");
  if (HasLength(field)) out.push_back("\"length\": " + std::to_string(field.max_length));
  // A list of several types is read-only until someone declares otherwise.
  if (field.mixed_list && field.read_only) out.emplace_back("\"readOnly\": true");
  if (!field.members.empty()) out.push_back("\"fields\": " + MembersText(field, at));
  return out;
}

std::string FieldText(const Field& field, const Layout& at) {
  std::string out = "{ \"column\": " + Quoted(field.column);
  for (const std::string& member : TypeMembers(field, at)) out += ", " + member;
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

// The blanks in front of what stands at `offset`, when nothing else does.
std::optional<std::string> IndentBefore(std::string_view text, std::size_t offset) {
  const std::size_t line = text.rfind('\n', offset);
  if (line == std::string_view::npos || offset == 0) return std::nullopt;
  const std::string_view before = text.substr(line + 1, offset - line - 1);
  if (before.find_first_not_of(" \t\r") != std::string_view::npos) return std::nullopt;
  return std::string(before);
}

// The blanks that the line of `offset` begins with.
std::string IndentOfLine(std::string_view text, std::size_t offset) {
  const std::size_t line = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
  const std::size_t end = std::min(text.find_first_not_of(" \t", begin), text.size());
  return std::string(text.substr(begin, end - begin));
}

class Editor {
 public:
  explicit Editor(std::string_view text) : text_(text), unit_(IndentOf(text)) {}

  Layout LayoutIn(const JsonValue& object) const {
    Layout layout{unit_, ""};
    if (!object.members.empty()) {
      if (auto indent = IndentBefore(text_, object.members.front().name_span.begin.offset)) {
        layout.indent = *std::move(indent);
        return layout;
      }
    }
    layout.indent = IndentOfLine(text_, object.span.begin.offset) + unit_;
    return layout;
  }

  void Replace(const TextSpan& span, std::string with) {
    edits_.push_back({span.begin.offset, span.end.offset - span.begin.offset, std::move(with)});
  }

  // Members as the last ones of an object, each on a line of its own in front of the closing brace;
  // comments behind the last member stay with it.
  void Append(const JsonValue& object, const std::vector<std::string>& members) {
    if (members.empty()) return;
    const Layout layout = LayoutIn(object);
    const std::size_t brace = object.span.end.offset - 1;
    std::string lines;
    for (std::size_t i = 0; i < members.size(); ++i)
      lines += layout.indent + members[i] + (i + 1 < members.size() ? ",\n" : "\n");
    const std::size_t line = text_.rfind('\n', brace);
    if (IndentBefore(text_, brace)) {
      edits_.push_back({line + 1, 0, lines});
    } else {
      edits_.push_back({brace, 0, "\n" + lines + IndentOfLine(text_, object.span.begin.offset)});
    }
    AddComma(object, brace);  // of two edits at one place the later one stands in front
  }

  // Members behind the last one of an object, on its line.
  void AppendInline(const JsonValue& object, const std::vector<std::string>& members) {
    std::string joined;
    for (const std::string& member : members) joined += (joined.empty() ? "" : ", ") + member;
    if (object.members.empty()) {
      Replace(object.span, "{ " + joined + " }");
      return;
    }
    edits_.push_back({object.members.back().value.span.end.offset, 0, ", " + joined});
  }

  std::string Apply() {
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const Edit& a, const Edit& b) { return a.offset > b.offset; });
    std::string out(text_);
    for (const Edit& edit : edits_) out.replace(edit.offset, edit.length, edit.with);
    return out;
  }

 private:
  struct Edit {
    std::size_t offset = 0, length = 0;
    std::string with;
  };

  void AddComma(const JsonValue& object, std::size_t brace) {
    if (object.members.empty()) return;
    const std::size_t last = object.members.back().value.span.end.offset;
    if (FindComma(text_, last, brace) == std::string_view::npos) edits_.push_back({last, 0, ","});
  }

  std::string_view text_;
  std::string unit_;
  std::vector<Edit> edits_;
};

// All declarable fields of the object, as members of a new `fields`.
std::string NewFieldsText(const ExternalObject& object, const Layout& at, std::size_t& added) {
  std::string out = "{";
  for (const Field& field : object.fields()) {
    if (!IsDeclarable(field)) continue;
    out += (added++ == 0 ? "\n" : ",\n") + at.Deeper() + Quoted(field.name) + ": " +
           FieldText(field, Layout{at.unit, at.Deeper()});
  }
  return out + (added == 0 ? "}" : "\n" + at.indent + "}");
}

void MergeInto(Editor& editor, const JsonValue& fields, const ExternalObject& object,
               FieldsMerge& merge) {
  std::vector<std::string> missing;
  const Layout layout = editor.LayoutIn(fields);
  for (const Field& field : object.fields()) {
    if (!IsDeclarable(field)) continue;
    const JsonValue* entry = fields.Find(field.name);
    if (entry == nullptr) {
      missing.push_back(Quoted(field.name) + ": " + FieldText(field, layout));
    } else if (entry->type == JsonType::kBool) {
      editor.Replace(entry->span, FieldText(field, layout));
      ++merge.completed;
    } else if (entry->IsObject() && entry->Find("type") == nullptr) {
      std::vector<std::string> said = TypeMembers(field, layout);
      std::erase_if(said, [&](const std::string& member) {
        return entry->Find(member.substr(1, member.find('"', 1) - 1)) != nullptr;
      });
      editor.AppendInline(*entry, said);
      ++merge.completed;
    }
  }
  merge.added = missing.size();
  editor.Append(fields, missing);
}

}  // namespace

Result<FieldsMerge> MergeFields(std::string_view text, const std::vector<std::string>& path,
                                const ExternalObject& object) {
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue json, ParseJson(text, kTolerant));
  const JsonValue* at = &json;
  std::size_t depth = 0;
  while (depth < path.size() && at->IsObject() && at->Find(path[depth]) != nullptr)
    at = at->Find(path[depth++]);
  if (!at->IsObject()) {
    return MakeError(ErrorCode::kInvalidArgument, "not-an-object",
                     depth == 0 ? "the file is no JSON object"
                                : "`" + path[depth - 1] + "` is no JSON object");
  }
  FieldsMerge merge;
  Editor editor(text);
  if (depth == path.size()) {
    MergeInto(editor, *at, object, merge);
  } else {
    // What is missing of the way, with the fields at its end.
    Layout layout = editor.LayoutIn(*at);
    std::string member, closing;
    for (; depth + 1 < path.size(); ++depth) {
      member += Quoted(path[depth]) + ": {\n" + layout.Deeper();
      closing.insert(0, "\n" + layout.indent + "}");
      layout.indent = layout.Deeper();
    }
    member += Quoted(path.back()) + ": " + NewFieldsText(object, layout, merge.added) + closing;
    if (merge.added > 0) editor.Append(*at, {member});
  }
  merge.text = editor.Apply();
  return merge;
}

std::string IndentOf(std::string_view text) {
  const auto json = ParseJson(text, kTolerant);
  if (!json.ok() || json->members.empty()) return "  ";
  const auto indent = IndentBefore(text, json->members.front().name_span.begin.offset);
  return indent && !indent->empty() ? *indent : "  ";
}

}  // namespace tablecast
