// Qualifier files of proposed record types: conditions, virtual columns behind prefixes, written
// inverses. The formulas follow the shapes that formula.md section 12 can invert.

#include <algorithm>

#include "base/json_writer.h"
#include "connector/record_type_draft.h"

namespace tablecast {

namespace {

// A formula's text literal.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// A column's name in a formula; "" when the grammar cannot say it.
bool IsFormulaName(std::string_view name) {
  if (name.empty()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
  }
  return true;
}

// Reads one variable of a shape: the text behind a prefix, before a suffix, or between two fixed
// texts.
// "" when the shape is none of these.
std::string Definition(const std::string& column, const KeyShape& shape, std::size_t part) {
  const auto& parts = shape.parts;
  const std::string head = part > 0 ? parts[part - 1].literal : "";
  const std::string tail = part + 1 < parts.size() ? parts[part + 1].literal : "";
  const std::string separator = Quoted(std::string(1, shape.separator));
  const bool first = part <= 1 && (part == 0 || !parts[0].variable());
  if (head.empty() && tail.empty()) return "";
  if (head.empty()) return "LEFT(" + column + ", FIND(" + Quoted(tail) + ", " + column + ") - 1)";
  if (tail.empty() && first) {
    // The prefix holds the separator once, at its end: text after the first delimiter.
    if (head.find(shape.separator) == head.size() - 1) {
      return "RIGHT(" + column + ", LEN(" + column + ") - FIND(" + separator + ", " + column + "))";
    }
    return "RIGHT(" + column + ", LEN(" + column + ") - " + std::to_string(head.size()) + ")";
  }
  if (tail.empty()) {
    return "RIGHT(" + column + ", LEN(" + column + ") - FIND(" + Quoted(head) + ", " + column +
           ") - " + std::to_string(head.size() - 1) + ")";
  }
  if (!first) return "";
  const std::string from = std::to_string(head.size() + 1);
  return "MID(" + column + ", " + from + ", FIND(" + Quoted(tail) + ", " + column + ", " + from +
         ") - " + from + ")";
}

std::string VirtualName(const RecordTypeDraft& draft, const KeyShape& head,
                        const std::vector<std::string_view>& values) {
  std::string word = EntityWord(head);
  std::vector<std::string> words = WordsOf(word);
  if (words.empty()) return "";
  words.back() = Singular(words.back());
  std::string base = CamelCase(words);
  base[0] = static_cast<char>(base[0] >= 'A' && base[0] <= 'Z' ? base[0] - 'A' + 'a' : base[0]);
  const ValueClass value_class = ClassOf(values);
  const std::string suffix = value_class == ValueClass::kDate      ? "Date"
                             : value_class == ValueClass::kInstant ? "Time"
                                                                   : "Id";
  for (const std::string& name : {base + suffix, base + "Key", base + "Part"}) {
    const bool free = !draft.attribute_names.contains(name) &&
                      std::none_of(draft.virtuals.begin(), draft.virtuals.end(),
                                   [&](const auto& v) { return v.name == name; });
    if (free && name.size() <= 40) return name;
  }
  return "";
}

std::vector<std::string> AddColumnVirtuals(RecordTypeDraft& draft, const KeyColumnDraft& column) {
  if (column.type != AttributeType::kS || !IsFormulaName(column.name) ||
      column.shape.IsVariable() || column.shape.IsConstant())
    return {};
  std::vector<std::string> names;
  std::size_t variable = 0;
  for (std::size_t i = 0; i < column.shape.parts.size(); ++i) {
    if (!column.shape.parts[i].variable()) continue;
    const std::size_t number = variable++;
    std::vector<std::string> texts;
    for (const SampledItem* sample : draft.samples) {
      const auto text = ScalarText(sample->item, column.name);
      const std::vector<std::string> parts =
          text ? column.shape.Split(*text) : std::vector<std::string>();
      if (number < parts.size()) texts.push_back(parts[number]);
      if (texts.size() == 50) break;
    }
    // The word in front names it; where a variable leads, the word behind does.
    KeyShape named = column.shape;
    named.parts = {column.shape.parts[i > 0 ? i - 1 : i + 1]};
    VirtualColumnDraft virtual_column;
    virtual_column.column = column.name;
    virtual_column.variable = number;
    virtual_column.definition = Definition(column.name, column.shape, i);
    virtual_column.name =
        VirtualName(draft, named, std::vector<std::string_view>(texts.begin(), texts.end()));
    if (virtual_column.definition.empty() || virtual_column.name.empty()) return {};
    names.push_back(virtual_column.name);
    draft.virtuals.push_back(std::move(virtual_column));
  }
  return names;
}

std::string Inverse(const KeyShape& shape, const std::vector<std::string>& names) {
  std::string out;
  std::size_t variable = 0;
  for (const KeyShape::Part& part : shape.parts) {
    out +=
        (out.empty() ? "" : " & ") + (part.variable() ? names[variable++] : Quoted(part.literal));
  }
  return out;
}

void WriteColumn(JsonWriter& json, const KeyColumnDraft& column,
                 const std::vector<std::string>& inverse) {
  json.Key(column.name).BeginObject();
  json.Key("type").String(AttributeTypeName(column.type));
  if (column.shape.IsConstant()) {
    json.Key("values")
        .BeginArray()
        .BeginObject()
        .Key("definition")
        .String(Quoted(column.shape.Constant()))
        .EndObject()
        .EndArray();
  } else if (column.type == AttributeType::kS) {
    if (!column.shape.IsVariable()) {
      json.Key("filter").String(column.shape.LikePattern());
      if (column.exact) json.Key("postFilter").String(column.shape.Regex());
    } else if (column.exact) {
      const std::string_view regex = ClassRegex(column.value_class);
      json.Key("postFilter").String(regex.empty() ? column.shape.Regex() : std::string(regex));
    }
    if (!inverse.empty()) {
      json.Key("values")
          .BeginArray()
          .BeginObject()
          .Key("definition")
          .String(inverse.front())
          .EndObject()
          .EndArray();
    }
  }
  json.EndObject();
}

}  // namespace

void AddVirtualColumns(RecordTypeDraft& draft) {
  const std::vector<std::string> of_partition = AddColumnVirtuals(draft, draft.partition);
  if (!of_partition.empty())
    draft.inverse_of_partition = {Inverse(draft.partition.shape, of_partition)};
  if (!draft.sort) return;
  if (draft.same_key && of_partition.size() == 1 && draft.sort->shape.Variables() == 1) {
    draft.inverse_of_sort = {Inverse(draft.sort->shape, of_partition)};
    return;
  }
  const std::vector<std::string> of_sort = AddColumnVirtuals(draft, *draft.sort);
  if (!of_sort.empty()) draft.inverse_of_sort = {Inverse(draft.sort->shape, of_sort)};
}

std::string QualifierText(const RecordTypeDraft& draft, bool with_virtuals) {
  std::string out;
  JsonWriter json(out, JsonWriter::Style::kIndented);
  const std::vector<std::string> none;
  json.BeginObject();
  json.Key("tableName").String(draft.proposal.table);
  json.Key("columns").BeginObject();
  WriteColumn(json, draft.partition, with_virtuals ? draft.inverse_of_partition : none);
  if (draft.sort) WriteColumn(json, *draft.sort, with_virtuals ? draft.inverse_of_sort : none);
  if (!draft.discriminator.empty()) {
    json.Key(draft.discriminator).BeginObject().Key("type").String("S");
    if (draft.value) {
      json.Key("values")
          .BeginArray()
          .BeginObject()
          .Key("definition")
          .String(Quoted(*draft.value))
          .EndObject()
          .EndArray();
    } else if (draft.discriminator_shape) {
      json.Key("filter").String(draft.discriminator_shape->LikePattern());
    }
    json.EndObject();
  }
  if (with_virtuals) {
    for (const VirtualColumnDraft& column : draft.virtuals) {
      json.Key(column.name).BeginObject();
      json.Key("virtual").Bool(true).Key("type").String("S");
      json.Key("values")
          .BeginArray()
          .BeginObject()
          .Key("definition")
          .String(column.definition)
          .EndObject()
          .EndArray();
      json.EndObject();
    }
  }
  json.EndObject().EndObject();
  return out;
}

}  // namespace tablecast
