#ifndef TABLECAST_CONNECTOR_PLAN_REPORT_H_
#define TABLECAST_CONNECTOR_PLAN_REPORT_H_

// What a query's plan was (or would be), for people and programs: `explain`, tablecast-explain,
// golden tests. SOURCE: spec external-objects.md section 4.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tablecast {

enum class AccessKind : std::uint8_t {
  kNothing,  // provably empty, or the table is not there
  kPointGet,
  kPartitionRange,
  kTableRange,
  kSecondaryIndex,
  kMembershipIndex,
  kDeclaredIndex,
  kColumnarSidecar,
  kFullScan,
};
// "nothing", "point-get", "partition-range", "table-range", "secondary-index", "membership-index",
// "declared-index", "columnar-sidecar", "full-scan".
std::string_view AccessKindName(AccessKind kind);

// tablecast-engine=row|columnar|index|scan: row = key conditions without derived indexes; index = a
// derived index; scan = the whole table.
enum class Engine : std::uint8_t { kAuto, kRow, kColumnar, kIndex, kScan };

struct PlanNode {
  std::string id;  // "TopN_3"
  double estimated_rows = 0;
  std::optional<std::uint64_t> actual_rows;
  std::string task = "row";    // or "columnar"
  std::string access_object;   // "table:OrderManagement, index:member/Orders"
  std::string execution_info;  // "time:12us, items:7, bytes:812"
  std::string operator_info;
  std::string memory, disk = "N/A";
  std::vector<PlanNode> children;
};

struct PlanReport {
  int version = 1;
  std::string object;
  AccessKind access = AccessKind::kFullScan;
  std::string index;  // name, or ""
  std::string key;    // condition or range in words, or ""
  std::vector<std::string> pushed;
  std::vector<std::pair<std::string, std::string>> residual;  // text, reason
  std::string order;  // "native", "index", "top-k (26)", "sort"
  std::uint64_t estimated_items = 0;
  struct Actual {
    std::uint64_t items = 0, bytes = 0, microseconds = 0;
  };
  std::optional<Actual> actual;
  PlanNode root;
  std::vector<PlanReport> expands;  // one per batch read of a level
};

// Aligned operator tree with the columns id, estRows, actRows, task, access object, execution info,
// operator info, memory, disk.
std::string ExplainText(const PlanReport& report);
std::string ExplainJson(const PlanReport& report);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_PLAN_REPORT_H_
