#include "odata/response_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/base64.h"
#include "base/json_writer.h"

namespace tablecast {

namespace {

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  AppendJsonEscaped(out, text);
  out += '"';
}

void AppendDouble(std::string& out, double value, bool quoted_specials) {
  if (std::isnan(value) || std::isinf(value)) {
    const char* name = std::isnan(value) ? "NaN" : (value > 0 ? "INF" : "-INF");
    if (quoted_specials) {
      AppendQuoted(out, name);
    } else {
      out += name;
    }
    return;
  }
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out.append(buffer.data(), end);
}

void AppendNumber(std::string& out, const Decimal& number, const Field* field) {
  if (field != nullptr && field->scale && field->kind == EdmKind::kDecimal) {
    out += number.ToStringWithScale(*field->scale);
  } else {
    number.AppendTo(out);
  }
}

// ExponentialDecimals=true: numbers whose zeros would outweigh their digits are written as 1E30, all others plainly.
constexpr std::int32_t kPlainAbove = 20;   // largest magnitude written plainly
constexpr std::int32_t kPlainBelow = -7;   // smallest one

bool AppendExponential(std::string& out, const Decimal& number) {
  if (number.IsZero()) return false;
  const std::int32_t magnitude = number.Magnitude();
  if (magnitude <= kPlainAbove && magnitude >= kPlainBelow) return false;
  const std::string digits = number.Digits();
  if (number.IsNegative()) out += '-';
  out += digits[0];
  if (digits.size() > 1) out.append(1, '.').append(digits, 1);
  out += 'E' + std::to_string(magnitude);
  return true;
}

// Type names that a client cannot infer from the JSON type; "" for those it can.
std::string_view FullTypeName(EdmKind kind) {
  switch (kind) {
    case EdmKind::kString:
    case EdmKind::kBoolean:
    case EdmKind::kDouble:
    case EdmKind::kNull:
    case EdmKind::kComplex:
    case EdmKind::kCollection:
      return "";
    default:
      return EdmKindName(kind).substr(4);
  }
}

const Field* MemberField(const Field* field, std::string_view name) {
  if (field == nullptr) return nullptr;
  for (const Field& member : field->members) {
    if (member.name == name) return &member;
  }
  return nullptr;
}

// A collection is never null (CSDL 7.2.1): what is absent is an empty one.
bool IsCollection(const Field* field) { return field != nullptr && field->PublishedAsCollection(); }

// The members of a complex value that $select names; all of them when it names none.
EdmValue OnlySelected(const EdmValue& value, std::string_view property,
                      const std::vector<std::pair<std::string, std::string>>& select) {
  EdmValue::Complex kept;
  bool named = false;
  for (const auto& [owner, member] : select) {
    if (owner != property) continue;
    named = true;
    for (const auto& entry : value.complex()) {
      if (entry.first == member) kept.push_back(entry);
    }
  }
  return named ? EdmValue::OfComplex(std::move(kept)) : value;
}

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string PercentEncode(std::string_view text) {
  static constexpr std::string_view kPlain = "-._~!$'()*,;:@";
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool alnum = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (alnum || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    }
  }
  return out;
}

std::string EntityUrl(const ExternalObject& object, std::string_view key) {
  std::string quoted;
  for (const char c : key) {
    quoted += c;
    if (c == '\'') quoted += '\'';
  }
  return object.name() + "('" + PercentEncode(quoted) + "')";
}

std::string ContextOf(const RecordShape& shape) {
  std::string list;
  const auto add = [&list](const std::string& text) { list += (list.empty() ? "" : ",") + text; };
  if (!shape.select_all) {
    for (const std::string& name : shape.select_names) add(name);
  }
  for (const RecordShape::Expand& expand : shape.expands) {
    if (expand.mode != ExpandItem::Mode::kRecords || expand.shape.empty()) continue;
    const std::string nested = ContextOf(expand.shape.front());
    const std::size_t bracket = nested.find('(');
    add(expand.navigation->name + (bracket == std::string::npos ? "()" : nested.substr(bracket)));
  }
  return shape.object->name() + (list.empty() ? "" : "(" + list + ")");
}

std::string RawValueText(const EdmValue& value, const Field* field) {
  std::string out;
  if (IsExactNumber(value.kind())) {
    AppendNumber(out, value.number(), field);
    return out;
  }
  if (IsFloating(value.kind())) {
    AppendDouble(out, value.floating(), false);
    return out;
  }
  return value.kind() == EdmKind::kBinary ? value.bytes() : value.ToText();
}

void ResponseWriter::AppendControl(std::string& out, std::string_view name, std::string_view text) const {
  out += '"';
  out += ControlPrefix();
  out += name;
  out += "\":";
  AppendQuoted(out, text);
}

void ResponseWriter::AppendCount(std::string& out, std::uint64_t count) const {
  if (format_.ieee754_compatible) out += '"';
  out += std::to_string(count);
  if (format_.ieee754_compatible) out += '"';
}

void ResponseWriter::AppendValue(std::string& out, const EdmValue& value, const Field* field) const {
  switch (value.kind()) {
    case EdmKind::kNull: out += "null"; return;
    case EdmKind::kBoolean: out += value.boolean() ? "true" : "false"; return;
    case EdmKind::kString: AppendQuoted(out, value.text()); return;
    case EdmKind::kSingle:
    case EdmKind::kDouble: AppendDouble(out, value.floating(), true); return;
    case EdmKind::kDateTimeOffset:
      out += '"';
      out += FormatTimestamp(value.timestamp());
      out += '"';
      return;
    case EdmKind::kDate:
      out += '"';
      out += FormatDate(value.date());
      out += '"';
      return;
    case EdmKind::kTimeOfDay:
      out += '"';
      out += FormatTimeOfDay(value.time());
      out += '"';
      return;
    case EdmKind::kDuration:
      out += '"';
      out += FormatDuration(value.duration());
      out += '"';
      return;
    case EdmKind::kGuid:
      out += '"';
      out += value.text();
      out += '"';
      return;
    case EdmKind::kBinary:
      out += '"';
      out += EncodeBase64Url(value.bytes());
      out += '"';
      return;
    case EdmKind::kComplex: {
      out += '{';
      bool first = true;
      for (const auto& [name, member] : value.complex()) {
        if (format_.omit_nulls && member.is_null()) continue;
        if (!first) out += ',';
        first = false;
        AppendQuoted(out, name);
        out += ':';
        const Field* member_field = MemberField(field, name);
        if (member.is_null() && IsCollection(member_field)) {
          out += "[]";
        } else {
          AppendValue(out, member, member_field);
        }
      }
      out += '}';
      return;
    }
    case EdmKind::kCollection: {
      out += '[';
      bool first = true;
      for (const EdmValue& element : value.collection()) {
        if (!first) out += ',';
        first = false;
        AppendValue(out, element, field);
      }
      out += ']';
      return;
    }
    default: {
      const bool quoted = format_.ieee754_compatible &&
                          (value.kind() == EdmKind::kDecimal || value.kind() == EdmKind::kInt64);
      if (quoted) out += '"';
      if (!format_.exponential_decimals || value.kind() != EdmKind::kDecimal || !AppendExponential(out, value.number())) {
        AppendNumber(out, value.number(), field);
      }
      if (quoted) out += '"';
      return;
    }
  }
}

void ResponseWriter::AppendRecordMembers(std::string& out, const ResultPage& page, const Record& record,
                                         const RecordShape& shape, bool& first) const {
  const auto comma = [&] {
    if (!first) out += ',';
    first = false;
  };
  const ExternalObject& object = *page.object;
  // Most answers name no record: made when one does.
  const auto url = [&] {
    return format_.metadata == MetadataLevel::kNone ? std::string() : EntityUrl(object, record.external_id);
  };
  if (format_.metadata == MetadataLevel::kFull) {
    comma();
    AppendControl(out, "type", "#" + format_.schema_namespace + "." + object.name());
    comma();
    AppendControl(out, "id", format_.root + "/" + url());
  } else if (format_.metadata == MetadataLevel::kMinimal && !shape.select_all &&
             !Contains(shape.select_names, kExternalIdField)) {
    comma();
    AppendControl(out, "id", url());
  }
  if (format_.metadata != MetadataLevel::kNone && !record.etag.empty()) {
    comma();
    out += '"';
    out += ControlPrefix();
    out += "etag\":\"W/\\\"";
    out += record.etag;  // hexadecimal
    out += "\\\"\"";
  }
  if (format_.metadata == MetadataLevel::kFull) {
    comma();
    AppendControl(out, "editLink", url());
  }
  const std::vector<ResultColumn>& columns = *page.columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const ResultColumn& column = columns[c];
    if (!shape.hidden.empty() && Contains(shape.hidden, column.name)) continue;
    const EdmValue& value = record.values[c];
    if (value.is_null() && format_.omit_nulls) continue;
    if (format_.metadata == MetadataLevel::kFull && !value.is_null()) {
      std::string_view type = FullTypeName(value.kind());
      std::string name;
      if (!type.empty()) {
        name = (format_.version == ODataVersion::k40 ? "#" : "") + std::string(type);
      } else if (value.kind() == EdmKind::kComplex && column.field != nullptr) {
        name = "#" + format_.schema_namespace + "." + column.field->complex_type_name;
      } else if (value.kind() == EdmKind::kCollection && column.field != nullptr) {
        name = "#Collection(" +
               (column.field->kind == EdmKind::kComplex
                    ? format_.schema_namespace + "." + column.field->complex_type_name
                    : std::string(FullTypeName(column.field->kind).empty() ? EdmKindName(column.field->kind).substr(4)
                                                                          : FullTypeName(column.field->kind))) +
               ")";
      }
      if (!name.empty()) {
        comma();
        out += '"';
        AppendJsonEscaped(out, column.name);
        out += ControlPrefix();
        out += "type\":";
        AppendQuoted(out, name);
      }
    }
    if (format_.annotations) {
      for (const auto& [index, error] : record.conversion_errors) {
        if (index != c) continue;
        comma();
        out += '"';
        AppendJsonEscaped(out, column.name);
        out += "@tablecast.conversionError\":{\"code\":";
        AppendQuoted(out, error.code);
        out += ",\"message\":";
        AppendQuoted(out, error.message);
        out += ",\"stored\":";
        AppendQuoted(out, error.stored);
        out += '}';
      }
    }
    comma();
    out += '"';
    out += column.name;  // an OData identifier holds nothing to escape
    out += "\":";
    if (value.is_null() && IsCollection(column.field)) {
      out += "[]";
    } else if (value.kind() == EdmKind::kComplex && !shape.select_members.empty()) {
      AppendValue(out, OnlySelected(value, column.name, shape.select_members), column.field);
    } else {
      AppendValue(out, value, column.field);
    }
  }
  for (std::size_t e = 0; e < shape.expands.size() && e < record.expanded.size(); ++e) {
    const RecordShape::Expand& expand = shape.expands[e];
    const std::shared_ptr<const ResultPage>& nested = record.expanded[e];
    const std::string& name = expand.navigation->name;
    const RecordShape nested_default{.object = expand.navigation->target, .select_names = {}, .select_all = true,
                                     .selected_navigations = {}, .select_members = {}, .expands = {}, .hidden = {}};
    const RecordShape& nested_shape = expand.shape.empty() ? nested_default : expand.shape.front();
    if (format_.metadata == MetadataLevel::kFull) {
      comma();
      out += '"' + name + std::string(ControlPrefix()) + "navigationLink\":";
      AppendQuoted(out, url() + "/" + name);
    }
    if (nested == nullptr) {
      if (!expand.navigation->collection) {
        comma();
        AppendQuoted(out, name);
        out += ":null";
      }
      continue;
    }
    if (expand.mode == ExpandItem::Mode::kCount || expand.count) {
      comma();
      out += '"' + name + std::string(ControlPrefix()) + "count\":";
      AppendCount(out, nested->count.value_or(nested->records.size()));
      if (expand.mode == ExpandItem::Mode::kCount) continue;
    }
    comma();
    AppendQuoted(out, name);
    out += ':';
    const auto append_nested = [&](const Record& inner) {
      if (expand.mode == ExpandItem::Mode::kReferences) {
        out += '{';
        AppendControl(out, "id", EntityUrl(*nested->object, inner.external_id));
        out += '}';
      } else {
        AppendRecord(out, *nested, inner, nested_shape, "");
      }
    };
    if (!expand.navigation->collection) {
      if (nested->records.empty()) {
        out += "null";
      } else {
        append_nested(nested->records.front());
      }
      continue;
    }
    out += '[';
    for (std::size_t i = 0; i < nested->records.size(); ++i) {
      if (i > 0) out += ',';
      append_nested(nested->records[i]);
    }
    out += ']';
    if (!nested->next.empty()) {
      // The rest of a cut inner page: the same collection by its own address.
      comma();
      out += '"' + name + std::string(ControlPrefix()) + "nextLink\":";
      AppendQuoted(out, format_.root + "/" + EntityUrl(object, record.external_id) + "/" + name + "?" +
                            (expand.options.empty() ? "" : expand.options + "&") +
                            "$skip=" + std::to_string(nested->records.size()));
    }
  }
  if (format_.metadata == MetadataLevel::kFull ||
      (format_.metadata == MetadataLevel::kMinimal && !shape.selected_navigations.empty())) {
    for (const Navigation& navigation : object.navigations()) {
      const bool expanded = std::any_of(shape.expands.begin(), shape.expands.end(),
                                        [&](const auto& expand) { return expand.navigation == &navigation; });
      const bool wanted = format_.metadata == MetadataLevel::kFull
                              ? shape.select_all || Contains(shape.selected_navigations, navigation.name)
                              : Contains(shape.selected_navigations, navigation.name);
      if (expanded || !wanted) continue;
      comma();
      out += '"' + navigation.name + std::string(ControlPrefix()) + "navigationLink\":";
      AppendQuoted(out, url() + "/" + navigation.name);
      if (format_.metadata == MetadataLevel::kFull) {
        out += ",\"" + navigation.name + std::string(ControlPrefix()) + "associationLink\":";
        AppendQuoted(out, url() + "/" + navigation.name + "/$ref");
      }
    }
  }
}

void ResponseWriter::AppendRecord(std::string& out, const ResultPage& page, const Record& record,
                                  const RecordShape& shape, std::string_view leading) const {
  out += '{';
  out += leading;
  bool first = leading.empty();
  AppendRecordMembers(out, page, record, shape, first);
  out += '}';
}

std::string ResponseWriter::Collection(const ResultPage& page, const RecordShape& shape, std::string_view context,
                                       std::string_view next_link, std::string_view delta_link,
                                       bool full_scan) const {
  std::string out;
  out.reserve(256 + page.records.size() * 200);
  out += '{';
  if (format_.metadata != MetadataLevel::kNone) {
    AppendControl(out, "context", format_.root + "/$metadata#" + std::string(context));
    out += ',';
  }
  if (page.count) {
    out += '"';
    out += ControlPrefix();
    out += "count\":";
    AppendCount(out, *page.count);
    out += ',';
  }
  if (full_scan && format_.annotations) out += "\"@tablecast.fullScan\":true,";
  out += "\"value\":[";
  for (std::size_t i = 0; i < page.records.size(); ++i) {
    if (i > 0) out += ',';
    AppendRecord(out, page, page.records[i], shape, "");
  }
  out += ']';
  if (!next_link.empty()) {
    out += ',';
    AppendControl(out, "nextLink", next_link);
  }
  if (!delta_link.empty()) {
    out += ',';
    AppendControl(out, "deltaLink", delta_link);
  }
  out += '}';
  return out;
}

std::string ResponseWriter::Entity(const ResultPage& page, const Record& record, const RecordShape& shape,
                                   std::string_view context) const {
  std::string leading;
  if (format_.metadata != MetadataLevel::kNone) {
    AppendControl(leading, "context", format_.root + "/$metadata#" + std::string(context));
  }
  std::string out;
  AppendRecord(out, page, record, shape, leading);
  return out;
}

std::string ResponseWriter::Property(const EdmValue& value, const Field* field, std::string_view context) const {
  std::string out = "{";
  if (format_.metadata != MetadataLevel::kNone) {
    AppendControl(out, "context", format_.root + "/$metadata#" + std::string(context));
    out += ',';
  }
  if (value.kind() == EdmKind::kComplex) {
    std::string inner;
    AppendValue(inner, value, field);
    if (inner == "{}") {
      if (out.back() == ',') out.pop_back();
      return out + "}";
    }
    return out + inner.substr(1);
  }
  out += "\"value\":";
  AppendValue(out, value, field);
  return out + "}";
}

std::string ResponseWriter::References(const ResultPage& page, bool collection, std::string_view next_link) const {
  std::string out = "{";
  if (format_.metadata != MetadataLevel::kNone) {
    AppendControl(out, "context", format_.root + (collection ? "/$metadata#Collection($ref)" : "/$metadata#$ref"));
    if (collection || !page.records.empty()) out += ',';
  }
  if (!collection) {
    if (!page.records.empty()) {
      AppendControl(out, "id", EntityUrl(*page.object, page.records.front().external_id));
    }
    return out + "}";
  }
  if (page.count) {
    out += '"';
    out += ControlPrefix();
    out += "count\":";
    AppendCount(out, *page.count);
    out += ',';
  }
  out += "\"value\":[";
  for (std::size_t i = 0; i < page.records.size(); ++i) {
    if (i > 0) out += ',';
    out += '{';
    AppendControl(out, "id", EntityUrl(*page.object, page.records[i].external_id));
    out += '}';
  }
  out += ']';
  if (!next_link.empty()) {
    out += ',';
    AppendControl(out, "nextLink", next_link);
  }
  return out + "}";
}

namespace {

// A grouping property of a path ("Product/CATEGORY") is nested as the path says.
struct PathNode {
  std::string name;
  std::size_t column = 0;
  bool leaf = false;
  std::vector<PathNode> children;
};

void InsertPath(std::vector<PathNode>& nodes, std::string_view path, std::size_t column) {
  const std::size_t slash = path.find('/');
  const std::string_view head = path.substr(0, slash);
  auto found = std::find_if(nodes.begin(), nodes.end(), [&](const PathNode& node) { return node.name == head; });
  if (found == nodes.end()) {
    nodes.push_back({std::string(head), column, false, {}});
    found = nodes.end() - 1;
  }
  if (slash == std::string_view::npos) {
    found->leaf = true;
    found->column = column;
  } else {
    InsertPath(found->children, path.substr(slash + 1), column);
  }
}

}  // namespace

std::string ResponseWriter::ApplyRows(const ApplyResult& result, std::string_view context,
                                      std::string_view next_link) const {
  std::string out = "{";
  if (format_.metadata != MetadataLevel::kNone) {
    AppendControl(out, "context", format_.root + "/$metadata#" + std::string(context));
    out += ',';
  }
  if (result.count) {
    out += '"';
    out += ControlPrefix();
    out += "count\":";
    AppendCount(out, *result.count);
    out += ',';
  }
  out += "\"value\":[";
  std::vector<PathNode> nodes;
  for (std::size_t c = 0; c < result.shape.columns.size(); ++c) InsertPath(nodes, result.shape.columns[c].name, c);
  const auto append_nodes = [&](const auto& self, const std::vector<PathNode>& level, const ApplyResult::Row& row,
                                bool& first) -> void {
    for (const PathNode& node : level) {
      if (!node.leaf) {
        std::string inner;
        bool inner_first = true;
        std::swap(inner, out);
        self(self, node.children, row, inner_first);
        std::swap(inner, out);
        if (inner.empty()) continue;
        if (!first) out += ',';
        first = false;
        AppendQuoted(out, node.name);
        out += ":{" + inner + "}";
        continue;
      }
      const std::optional<EdmValue>& value = row.values[node.column];
      if (!value || (value->is_null() && format_.omit_nulls)) continue;
      if (!first) out += ',';
      first = false;
      if (format_.metadata == MetadataLevel::kFull && !FullTypeName(value->kind()).empty()) {
        out += '"' + node.name + std::string(ControlPrefix()) + "type\":";
        AppendQuoted(out, (format_.version == ODataVersion::k40 ? "#" : "") + std::string(FullTypeName(value->kind())));
        out += ',';
      }
      AppendQuoted(out, node.name);
      out += ':';
      AppendValue(out, *value, result.shape.columns[node.column].field);
    }
  };
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    if (i > 0) out += ',';
    out += '{';
    bool first = true;
    if (format_.metadata != MetadataLevel::kNone && format_.version == ODataVersion::k40) {
      // Rows of a transformation have no identity.
      AppendControl(out, "id", "");
      out.replace(out.size() - 2, 2, "null");
      first = false;
    }
    append_nodes(append_nodes, nodes, result.rows[i], first);
    out += '}';
  }
  out += ']';
  if (!next_link.empty()) {
    out += ',';
    AppendControl(out, "nextLink", next_link);
  }
  return out + "}";
}

}  // namespace tablecast
