#include "connector/plan_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/json_writer.h"
#include "connector/page_executor.h"
#include "connector/query_planner.h"

namespace tablecast {
namespace {

std::string Joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

std::string_view OperatorName(AccessKind kind) {
  switch (kind) {
    case AccessKind::kNothing: return "Nothing";
    case AccessKind::kPointGet: return "PointGet";
    case AccessKind::kPartitionRange: return "PartitionRange";
    case AccessKind::kTableRange: return "TableRange";
    case AccessKind::kSecondaryIndex: return "SecondaryIndexRange";
    case AccessKind::kMembershipIndex: return "MembershipScan";
    case AccessKind::kDeclaredIndex: return "DeclaredIndexRange";
    case AccessKind::kColumnarSidecar: return "ColumnarScan";
    case AccessKind::kFullScan: return "TableFullScan";
  }
  return "TableFullScan";
}

std::string Rows(double rows) { return std::to_string(static_cast<long long>(std::llround(rows))); }

struct Line {
  std::array<std::string, 9> cells;
};

void Flatten(const PlanNode& node, const std::string& indent, bool last, bool root,
             std::vector<Line>& lines) {
  Line line;
  const std::string branch = root ? "" : indent + (last ? "└─" : "├─");
  line.cells = {branch + node.id,
                Rows(node.estimated_rows),
                node.actual_rows ? std::to_string(*node.actual_rows) : "",
                node.task,
                node.access_object,
                node.execution_info,
                node.operator_info,
                node.memory.empty() ? "N/A" : node.memory,
                node.disk};
  lines.push_back(std::move(line));
  const std::string below = root ? "" : indent + (last ? "  " : "│ ");
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    Flatten(node.children[i], below, i + 1 == node.children.size(), false, lines);
  }
}

// Characters, not bytes: the branches are three bytes each.
std::size_t Width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

void WriteNode(JsonWriter& json, const PlanNode& node) {
  json.BeginObject();
  json.Key("id").String(node.id).Key("estRows").RawNumber(Rows(node.estimated_rows));
  if (node.actual_rows) json.Key("actRows").Uint(*node.actual_rows);
  json.Key("task").String(node.task).Key("accessObject").String(node.access_object);
  if (!node.execution_info.empty()) json.Key("executionInfo").String(node.execution_info);
  json.Key("operatorInfo").String(node.operator_info);
  json.Key("memory")
      .String(node.memory.empty() ? "N/A" : node.memory)
      .Key("disk")
      .String(node.disk);
  json.Key("children").BeginArray();
  for (const PlanNode& child : node.children) WriteNode(json, child);
  json.EndArray().EndObject();
}

void WriteReport(JsonWriter& json, const PlanReport& report) {
  json.BeginObject();
  json.Key("version").Int(report.version).Key("object").String(report.object);
  json.Key("accessPath").BeginObject().Key("kind").String(AccessKindName(report.access));
  json.Key("index");
  if (report.index.empty()) {
    json.Null();
  } else {
    json.String(report.index);
  }
  json.Key("key").String(report.key).EndObject();
  json.Key("pushed").BeginArray();
  for (const std::string& text : report.pushed) json.String(text);
  json.EndArray();
  json.Key("residual").BeginArray();
  for (const auto& [text, reason] : report.residual) {
    json.BeginObject().Key("text").String(text).Key("reason").String(reason).EndObject();
  }
  json.EndArray();
  json.Key("order").String(report.order);
  json.Key("estimated").BeginObject().Key("items").Uint(report.estimated_items).EndObject();
  if (report.actual) {
    json.Key("actual").BeginObject();
    json.Key("items")
        .Uint(report.actual->items)
        .Key("bytes")
        .Uint(report.actual->bytes)
        .Key("us")
        .Uint(report.actual->microseconds);
    json.EndObject();
  }
  json.Key("tree");
  WriteNode(json, report.root);
  json.Key("expands").BeginArray();
  for (const PlanReport& expand : report.expands) WriteReport(json, expand);
  json.EndArray().EndObject();
}

// The tree with the figures of a run filled in.
PlanNode TreeOf(const PlanReport& report) {
  PlanNode root = report.root;
  if (report.actual) {
    PlanNode* access = &root;
    while (!access->children.empty()) access = &access->children.front();
    access->actual_rows = report.actual->items;
    access->execution_info = "items:" + std::to_string(report.actual->items) +
                             ", bytes:" + std::to_string(report.actual->bytes) +
                             ", time:" + std::to_string(report.actual->microseconds) + "us";
  }
  for (const PlanReport& expand : report.expands) root.children.push_back(TreeOf(expand));
  return root;
}

}  // namespace

std::string_view AccessKindName(AccessKind kind) {
  switch (kind) {
    case AccessKind::kNothing: return "nothing";
    case AccessKind::kPointGet: return "point-get";
    case AccessKind::kPartitionRange: return "partition-range";
    case AccessKind::kTableRange: return "table-range";
    case AccessKind::kSecondaryIndex: return "secondary-index";
    case AccessKind::kMembershipIndex: return "membership-index";
    case AccessKind::kDeclaredIndex: return "declared-index";
    case AccessKind::kColumnarSidecar: return "columnar-sidecar";
    case AccessKind::kFullScan: return "full-scan";
  }
  return "full-scan";
}

PlanReport ReportOf(const ObjectQuery& query, const QueryPlan& plan) {
  const AccessPath& path = plan.path;
  PlanReport report;
  report.object = query.object->name();
  report.access = path.kind;
  if (path.derived != nullptr) report.index = path.derived->name;
  if (!path.secondary.empty()) report.index = path.secondary;
  report.key = path.key_text;
  report.pushed = path.pushed;
  report.residual = plan.residual;
  report.order = plan.order;
  report.estimated_items =
      static_cast<std::uint64_t>(std::llround(std::max(0.0, path.estimated_items)));

  int number = 1;
  PlanNode access;
  access.id = std::string(OperatorName(path.kind)) + "_" + std::to_string(number++);
  access.estimated_rows = path.estimated_items;
  access.access_object =
      "table:" + query.object->table() + (report.index.empty() ? "" : ", index:" + report.index);
  if (path.kind == AccessKind::kColumnarSidecar) access.task = "columnar";
  access.operator_info = path.key_text.empty() ? "whole table" : path.key_text;
  if (path.reverse || path.descending_keys) access.operator_info += ", backwards";
  PlanNode top = std::move(access);
  std::vector<std::string> checks;
  if (!path.members_only && path.kind != AccessKind::kNothing)
    checks.push_back("belongs to " + query.object->name());
  for (const auto& [text, reason] : plan.residual) checks.push_back(text);
  if (!checks.empty()) {
    PlanNode selection;
    selection.id = "Selection_" + std::to_string(number++);
    selection.estimated_rows = path.exact ? path.estimated_items : path.estimated_items / 10;
    selection.operator_info = Joined(checks, ", ");
    selection.children.push_back(std::move(top));
    top = std::move(selection);
  }
  PlanNode root;
  root.id = std::string(plan.sorts ? (query.whole ? "Sort_" : "TopN_") : "Limit_") +
            std::to_string(number);
  root.estimated_rows = top.estimated_rows;
  if (query.top)
    root.estimated_rows = std::min(root.estimated_rows, static_cast<double>(*query.top));
  std::vector<std::string> order;
  for (const SortKey& key : query.order_by)
    order.push_back(key.expression->ToString() + (key.descending ? " desc" : ""));
  order.push_back("native key");
  root.operator_info = "order: " + Joined(order, ", ") + " (" + plan.order + ")";
  if (query.skip != 0) root.operator_info += ", skip:" + std::to_string(query.skip);
  if (query.top) root.operator_info += ", top:" + std::to_string(*query.top);
  root.children.push_back(std::move(top));
  report.root = std::move(root);
  return report;
}

std::string ExplainText(const PlanReport& report) {
  std::vector<Line> lines;
  lines.push_back({{"id", "estRows", "actRows", "task", "access object", "execution info",
                    "operator info", "memory", "disk"}});
  Flatten(TreeOf(report), "", true, true, lines);
  std::array<std::size_t, 9> widths{};
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], Width(line.cells[i]));
  }
  std::string out;
  for (const Line& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      row += line.cells[i];
      if (i + 1 < widths.size()) row.append(widths[i] - Width(line.cells[i]) + 2, ' ');
    }
    row.resize(row.find_last_not_of(' ') + 1);
    out += row + "\n";
  }
  for (const auto& [text, reason] : report.residual)
    out += "not pushed: " + text + " (" + reason + ")\n";
  return out;
}

std::string ExplainJson(const PlanReport& report) {
  std::string out;
  JsonWriter json(out, JsonWriter::Style::kIndented);
  PlanReport shown = report;
  shown.root = report.root;
  WriteReport(json, shown);
  return out;
}

}  // namespace tablecast
