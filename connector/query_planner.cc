#include "connector/query_planner.h"

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "connector/columnar_scan.h"
#include "connector/convert.h"
#include "connector/expression_nodes.h"
#include "connector/external_id.h"
#include "connector/index_paths.h"
#include "connector/key_narrowing.h"
#include "connector/key_ranges.h"
#include "item/item_codec.h"

namespace tablecast {
namespace {

constexpr std::size_t kMaxPoints = 10000;
constexpr std::uint64_t kLook = 1000;   // entries looked at to count a range
constexpr double kIndexedItem = 1.6;    // an item by index costs this many items read in order
constexpr double kSortedItem = 0.3;     // to keep and sort one
constexpr double kCheapPlan = 200;      // of reading: no columns are looked at to do better
constexpr std::size_t kMaxColumnarPoints = 200000;
constexpr double kResidualShare = 0.1;  // of records assumed to pass what no path serves

// Encoded keys of all alternatives when each is a point and there are not too many.
std::optional<std::vector<std::string>> PointsOf(const std::vector<KeyCondition>& keys,
                                                 const TableSchema& schema) {
  std::size_t count = 0;
  for (const KeyCondition& key : keys) {
    if (!IsPoint(key, schema)) return std::nullopt;
    count += key.partition.equals.size() * std::max<std::size_t>(1, key.sort.equals.size());
    if (count > kMaxPoints) return std::nullopt;
  }
  std::vector<std::string> points;
  for (const KeyCondition& key : keys) {
    for (const AttributeValue& partition : key.partition.equals) {
      if (!schema.key.sort) {
        Result<std::string> encoded = EncodeKey(schema, ItemKey{partition, std::nullopt});
        if (encoded.ok()) points.push_back(*std::move(encoded));
        continue;
      }
      for (const AttributeValue& sort : key.sort.equals) {
        Result<std::string> encoded = EncodeKey(schema, ItemKey{partition, sort});
        if (encoded.ok()) points.push_back(*std::move(encoded));
      }
    }
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

// True when `order` is the table's key, forwards or (reverse) backwards, fixed columns left out.
bool IsKeyOrder(const ExternalObject& object,
                const std::vector<std::pair<std::uint32_t, bool>>& order, const KeyCondition& key,
                bool& reverse) {
  if (object.embedded() != nullptr || order.empty()) return false;
  const KeySchema& schema = object.schema().key;
  std::vector<const KeyColumn*> columns;
  if (key.partition.equals.size() != 1) columns.push_back(&schema.partition);
  if (schema.sort && key.sort.equals.size() != 1) columns.push_back(&*schema.sort);
  reverse = order.front().second;
  if (order.size() > columns.size()) return false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Field& field = object.fields()[order[i].first];
    const bool plain = field.source.kind == SourceKind::kAttribute && field.source.path.empty() &&
                       field.source.attribute == columns[i]->name;
    const bool same_order =
        (columns[i]->type == AttributeType::kS && IsTextType(field.type)) ||
        (columns[i]->type == AttributeType::kN && field.kind == EdmKind::kDecimal);
    if (!plain || !same_order || order[i].second != reverse) return false;
  }
  // Backwards, columns behind the named ones would come backwards too.
  return !reverse || order.size() == columns.size();
}

class Planner {
 public:
  Planner(const ReadSnapshot& snapshot, const PlanRequest& request)
      : snapshot_(snapshot),
        request_(request),
        object_(*request.object),
        items_(ItemsOf(object_)) {}

  Result<QueryPlan> Run() {
    filter_ = TestsOf(request_.filter);
    filter_.tests.insert(filter_.tests.end(), request_.joins.begin(), request_.joins.end());
    order_ = OrderFields(object_, request_.order_by);
    if (!object_.table_exists() || !snapshot_.Schema(object_.table()).ok())
      return Finish(Nothing("the table is not there"));
    TABLECAST_ASSIGN_OR_RETURN(const TableInfo info, snapshot_.Describe(object_.table()));
    item_count_ = static_cast<double>(info.item_count);
    TABLECAST_ASSIGN_OR_RETURN(narrowing_, NarrowKeys(object_, filter_.tests));
    const bool columnar = request_.engine == Engine::kColumnar;
    if (Impossible()) return Finish(Nothing("no key can pass"));
    if (request_.engine == Engine::kAuto || request_.engine == Engine::kRow) AddKeyPaths();
    if (request_.engine == Engine::kAuto || request_.engine == Engine::kIndex) {
      TABLECAST_RETURN_IF_ERROR(AddIndexPaths(info));
    }
    if (request_.engine != Engine::kIndex && !columnar && (!HasBounded() || MayScan())) AddScan();
    if (columnar || (request_.engine == Engine::kAuto && object_.options().columnar)) {
      const Status added = AddColumnar();
      if (!added.ok() && columnar) return Unavailable(added.error().message, added.error().remedy);
      if (!added.ok() && added.error().code != ErrorCode::kFailedPrecondition) return added.error();
    }
    if (candidates_.empty()) {
      return Unavailable("no index serves this query of " + object_.name(),
                         "wait until the indexes are built, or use another engine");
    }
    auto best = std::min_element(
        candidates_.begin(), candidates_.end(),
        [&](const AccessPath& a, const AccessPath& b) { return Cost(a) < Cost(b); });
    return Finish(std::move(*best));
  }

 private:
  Error Unavailable(std::string message, std::string remedy) const {
    return MakeError(ErrorCode::kFailedPrecondition, "engine-unavailable", std::move(message),
                     "tablecast-engine", std::move(remedy));
  }

  bool Impossible() const {
    return std::all_of(narrowing_.keys.begin(), narrowing_.keys.end(), [](const KeyCondition& key) {
      return key.partition.never || key.sort.never;
    });
  }

  AccessPath Nothing(std::string why) const {
    AccessPath path;
    path.kind = AccessKind::kNothing;
    path.native_order = true;
    path.ordered = true;
    path.exact = true;
    path.key_text = std::move(why);
    return path;
  }

  bool HasBounded() const {
    return std::any_of(candidates_.begin(), candidates_.end(),
                       [](const AccessPath& path) { return path.kind != AccessKind::kFullScan; });
  }

  // Reading all beats an index when the object is most of its table and most records must be looked
  // at. Plain browsing stays with the index: it needs a page only.
  bool MayScan() const {
    if (request_.engine != Engine::kAuto) return true;
    const bool filtered =
        request_.filter != nullptr || request_.search != nullptr || !request_.joins.empty();
    return members_ && (filtered || !request_.order_by.empty() || !request_.wanted);
  }

  void AddKeyPaths() {
    if (std::optional<std::vector<std::string>> points =
            PointsOf(narrowing_.keys, items_.schema())) {
      AccessPath path;
      path.kind = AccessKind::kPointGet;
      path.points = *std::move(points);
      path.native_order = true;
      path.estimated_items = static_cast<double>(path.points.size());
      DescribeKeys(path);
      candidates_.push_back(std::move(path));
      return;
    }
    AccessPath path;
    path.keys = narrowing_.keys;
    const bool partitions =
        std::all_of(path.keys.begin(), path.keys.end(),
                    [](const KeyCondition& key) { return !key.partition.equals.empty(); });
    const bool bounded =
        std::all_of(path.keys.begin(), path.keys.end(),
                    [](const KeyCondition& key) { return !key.partition.IsFree(); });
    path.kind = partitions ? AccessKind::kPartitionRange
                           : (bounded ? AccessKind::kTableRange : AccessKind::kFullScan);
    // What the qualifier alone says about the keys is the scan's business.
    if (path.kind != AccessKind::kPartitionRange && !narrowing_.narrowed) return;
    path.native_order = path.keys.size() == 1;
    path.key_condition_holds = true;
    bool reverse = false;
    if (path.native_order && order_ && IsKeyOrder(object_, *order_, path.keys.front(), reverse)) {
      path.ordered = true;
      path.descending_keys = reverse;
      path.native_order = path.native_order && !reverse;
    }
    path.estimated_items = EstimateKeys(path);
    DescribeKeys(path);
    candidates_.push_back(std::move(path));
  }

  void AddScan() {
    AccessPath path;
    path.kind = AccessKind::kFullScan;
    // The qualifier's own key condition costs nothing and may skip much.
    path.keys.push_back(request_.engine == Engine::kScan ? KeyCondition{}
                                                         : items_.qualifier().key_condition());
    path.key_condition_holds = request_.engine != Engine::kScan;
    path.native_order = true;
    bool reverse = false;
    if (order_ && IsKeyOrder(object_, *order_, path.keys.front(), reverse)) {
      path.ordered = true;
      path.descending_keys = reverse;
      path.native_order = !reverse;
    }
    path.estimated_items = item_count_;
    path.key_text = KeyConditionText(path.keys.front(), items_.schema());
    path.exact = request_.filter == nullptr && request_.joins.empty();
    candidates_.push_back(std::move(path));
  }

  // Records whose columns pass, by their keys. What the columns say is known before anything is read,
  // so the estimate is a count.
  Status AddColumnar() {
    const bool forced = request_.engine == Engine::kColumnar;
    if (!forced) {
      if (request_.filter == nullptr) return {};
      for (const AccessPath& path : candidates_) {
        if (Cost(path) < kCheapPlan) return {};
      }
    }
    TABLECAST_ASSIGN_OR_RETURN(const std::shared_ptr<const ColumnarSidecar> sidecar,
                               ColumnarSidecar::Open(snapshot_, object_));
    ColumnarScan scan(*sidecar, request_.filter, Timestamp{});
    if (scan.served().empty() && !forced) return {};
    AccessPath path;
    path.kind = AccessKind::kColumnarSidecar;
    path.native_order = true;
    bool too_many = false;
    const Status scanned = scan.ForEachSegment(
        [&](std::size_t segment, const std::vector<std::uint32_t>& rows) -> Result<bool> {
          if (rows.empty()) return true;
          too_many = !forced && path.points.size() + rows.size() > kMaxColumnarPoints;
          if (too_many) return false;
          TABLECAST_ASSIGN_OR_RETURN(const std::shared_ptr<const KeyChunk> keys, sidecar->Keys(segment));
          for (const std::uint32_t row : rows) path.points.emplace_back(keys->Key(row));
          return true;
        });
    if (!scanned.ok()) {
      // An expression that fails fails in the rows too, where the answer's error comes from.
      return MakeError(ErrorCode::kFailedPrecondition, scanned.error().reason, scanned.error().message);
    }
    if (too_many) return {};
    path.changed = sidecar->changed();
    path.points.insert(path.points.end(), path.changed.begin(), path.changed.end());
    std::sort(path.points.begin(), path.points.end());
    path.exact = scan.serves_all() && path.changed.empty() && request_.joins.empty();

    path.estimated_items = static_cast<double>(path.points.size());
    path.pushed = scan.served();
    path.key_text = "columns of " + std::to_string(sidecar->rows()) + " records";
    for (const std::string& text : path.pushed) path.key_text += (&text == &path.pushed.front() ? ": " : " and ") + text;
    if (!path.changed.empty())
      path.key_text += ", " + std::to_string(path.changed.size()) + " changed since";
    candidates_.push_back(std::move(path));
    return {};
  }

  void DescribeKeys(AccessPath& path) {
    path.pushed = narrowing_.pushed;
    for (const KeyCondition& key : narrowing_.keys) {
      if (path.key_text.size() > 400) break;
      const std::string text = KeyConditionText(key, items_.schema());
      if (!text.empty()) path.key_text += (path.key_text.empty() ? "" : " or ") + text;
    }
    path.exact = narrowing_.covered.size() == filter_.tests.size() && filter_.residual.empty();
  }

  double EstimateKeys(const AccessPath& path) const {
    double total = 0;
    for (const KeyCondition& key : path.keys) {
      // A sort condition under many partitions costs a descent for each partition, whatever it
      // finds: no look is cheap, and the walk counts as a good part of the table.
      if (key.partition.equals.empty() && !key.sort.IsFree()) {
        total += item_count_ / (key.partition.IsFree() ? 2 : 4);
        continue;
      }
      std::uint64_t seen = 0;
      const Result<std::uint64_t> looked =
          snapshot_.Query(items_.table(), key, {}, [&](const ItemView&) { return ++seen < kLook; });
      if (!looked.ok() || seen >= kLook)
        return std::max(item_count_ / 4, total + static_cast<double>(seen));
      total += static_cast<double>(seen);
    }
    return total;
  }

  Status AddIndexPaths(const TableInfo& info) {
    AddSecondary();
    const auto ready = [&](const DerivedIndex& index) {
      return snapshot_.IsDerivedReady(object_.table(), index);
    };
    const auto entries = [&](const DerivedIndex& index) {
      for (const DerivedIndexInfo& derived : info.derived) {
        if (derived.definition == index) return static_cast<double>(derived.entries);
      }
      return item_count_;
    };
    if (ready(items_.membership())) {
      AccessPath path;
      path.kind = AccessKind::kMembershipIndex;
      path.derived = &items_.membership();
      path.members_only = true;
      path.native_order = true;
      path.estimated_items = entries(items_.membership());
      members_ = path.estimated_items;
      path.key_text = "members of " + items_.name();
      path.exact = request_.filter == nullptr && request_.joins.empty();
      candidates_.push_back(std::move(path));
    }
    for (const DeclaredIndex& index : object_.indexes()) {
      if (!ready(index.derived)) continue;
      std::optional<IndexUse> use = UseIndex(object_, index, filter_.tests, order_);
      if (!use) continue;
      AccessPath path;
      path.kind = AccessKind::kDeclaredIndex;
      path.derived = &index.derived;
      path.declared = &index;
      path.ranges = std::move(use->ranges);
      path.range_prefix = std::move(use->prefix);
      path.tail_parts = use->tail_parts;
      path.reverse = use->reverse;
      path.members_only = true;
      path.native_order = use->native_order;
      path.ordered = use->ordered;
      path.exact =
          use->exact && use->covered.size() == filter_.tests.size() && filter_.residual.empty();
      path.pushed = std::move(use->pushed);
      path.key_text = std::move(use->text);
      covered_[&index] = use->covered;
      TABLECAST_ASSIGN_OR_RETURN(path.estimated_items, CountRanges(path, entries(index.derived)));
      candidates_.push_back(std::move(path));
    }
    return {};
  }

  Result<double> CountRanges(const AccessPath& path, double all) const {
    double total = 0;
    for (const IndexRange& range : path.ranges) {
      std::uint64_t seen = 0;
      IndexRange forward = range;
      forward.descending = false;
      TABLECAST_RETURN_IF_ERROR(
          snapshot_.ScanDerived(object_.table(), *path.derived, forward,
                                [&](const IndexEntryView&) { return ++seen < kLook; }));
      total += static_cast<double>(seen);
      if (seen >= kLook)
        return path.range_prefix.empty() && path.pushed.empty() ? all : std::max(all / 4, total);
      if (total > all) return all;
    }
    return total;
  }

  void AddSecondary() {
    for (const SecondaryIndex& index : items_.schema().indexes) {
      if (index.partition.size() != 1 || index.sort.size() > 1) continue;
      KeyCondition key;
      std::vector<std::string> pushed;
      std::set<std::size_t> used;
      for (std::size_t i = 0; i < filter_.tests.size(); ++i) {
        const ColumnTest& test = filter_.tests[i];
        if (test.source.kind != SourceKind::kAttribute || !test.source.path.empty()) continue;
        const auto narrow = [&](const KeyColumn& column, ColumnCondition& side) {
          if (column.name != test.source.attribute) return;
          const std::optional<ColumnCondition> condition = PhysicalCondition(test, column.type);
          if (!condition) return;
          side = Intersect(side, *condition);
          pushed.push_back(ConditionText(column.name, *condition));
          used.insert(i);
        };
        narrow(index.partition.front(), key.partition);
        if (!index.sort.empty()) narrow(index.sort.front(), key.sort);
      }
      if (key.partition.equals.empty() || key.partition.never || key.sort.never) continue;
      // Items without the sort attribute are not in the index, so a condition on it must ask for
      // it.
      if (!index.sort.empty() && key.sort.IsFree()) continue;
      AccessPath path;
      path.kind = AccessKind::kSecondaryIndex;
      path.secondary = index.name;
      path.keys.push_back(key);
      path.pushed = std::move(pushed);
      path.key_text = ConditionText(index.partition.front().name, key.partition);
      if (!index.sort.empty()) {
        const std::string sort = ConditionText(index.sort.front().name, key.sort);
        if (!sort.empty()) path.key_text += " and " + sort;
      }
      secondary_used_[index.name] = used;
      std::uint64_t seen = 0;
      const Result<std::uint64_t> looked = snapshot_.QueryIndex(
          items_.table(), index.name, key, {}, [&](const ItemView&) { return ++seen < kLook; });
      if (!looked.ok()) continue;
      path.estimated_items =
          seen < kLook ? static_cast<double>(seen) : std::max(item_count_ / 4, 1.0);
      candidates_.push_back(std::move(path));
    }
  }

  bool Ordered(const AccessPath& path) const {
    if (request_.any_order) return true;
    return request_.order_by.empty() ? path.native_order : path.ordered;
  }

  double Cost(const AccessPath& path) const {
    const bool by_index = path.derived != nullptr || !path.secondary.empty() ||
                          path.kind == AccessKind::kColumnarSidecar;
    const bool in_order = path.kind == AccessKind::kMembershipIndex && items_.options().clustered;
    const double unit = by_index && !in_order ? kIndexedItem : 1.0;
    double items = path.estimated_items;
    const bool stops_early =
        Ordered(path) && request_.wanted && (!request_.must_count || path.exact);
    if (stops_early) {
      const double needed =
          static_cast<double>(*request_.wanted) / (path.exact ? 1.0 : kResidualShare);
      // A scan meets other items too.
      const double share = path.kind == AccessKind::kFullScan
                               ? (members_ ? *members_ / std::max(1.0, item_count_) : 0.0)
                               : 1.0;
      items = share > 0 ? std::min(items, needed / share) : items;
    }
    double cost = 1.0 + items * unit;
    if (!Ordered(path)) cost += path.estimated_items * kSortedItem;
    return cost;
  }

  QueryPlan Finish(AccessPath path) const {
    QueryPlan plan;
    plan.sorts = !Ordered(path);
    if (request_.any_order) plan.sorts = false;
    plan.reads_everything =
        path.kind == AccessKind::kFullScan &&
        (plan.sorts || !path.exact || request_.search != nullptr || !request_.wanted || !members_);
    if (plan.sorts) {
      plan.order = request_.wanted ? "top-k (" + std::to_string(*request_.wanted) + ")" : "sort";
    } else {
      plan.order = request_.order_by.empty() || path.declared == nullptr ? "native" : "index";
    }
    if (path.kind != AccessKind::kNothing) {
      std::set<std::size_t> served;
      if (path.declared != nullptr) {
        const auto at = covered_.find(path.declared);
        if (at != covered_.end()) served = at->second;
      } else if (!path.secondary.empty()) {
        served = secondary_used_.at(path.secondary);
      } else if (path.kind == AccessKind::kColumnarSidecar) {
        const auto pushed = [&](const std::string& text) {
          return std::find(path.pushed.begin(), path.pushed.end(), text) != path.pushed.end();
        };
        for (std::size_t i = 0; i < filter_.tests.size(); ++i) {
          if (pushed(filter_.tests[i].text)) served.insert(i);
        }
        for (const auto& residual : filter_.residual) {
          if (!pushed(residual.first)) plan.residual.push_back(residual);
        }
      } else if (!path.points.empty() || path.kind == AccessKind::kPartitionRange ||
                 path.kind == AccessKind::kTableRange) {
        served = narrowing_.used;
      }
      for (std::size_t i = 0; i < filter_.tests.size(); ++i) {
        if (served.count(i) != 0) continue;
        plan.residual.emplace_back(filter_.tests[i].text, ReasonFor(i, path));
      }
      if (path.kind != AccessKind::kColumnarSidecar) {
        for (const auto& residual : filter_.residual) plan.residual.push_back(residual);
      }
      if (request_.search)
        plan.residual.emplace_back("$search " + SearchText(request_.search),
                                   "a search reads the texts");
    }
    plan.path = std::move(path);
    return plan;
  }

  std::string ReasonFor(std::size_t test, const AccessPath& path) const {
    const std::string& text = filter_.tests[test].text;
    for (const auto& [refused, why] : narrowing_.refused) {
      if (refused == text) return why;
    }
    if (path.kind == AccessKind::kColumnarSidecar) return "no column holds it";
    if (path.derived != nullptr || !path.secondary.empty()) return "not part of the chosen index";
    return "neither a key column nor the lead of an index";
  }

  const ReadSnapshot& snapshot_;
  const PlanRequest& request_;
  const ExternalObject& object_;
  const ExternalObject& items_;
  FilterTests filter_;
  std::optional<std::vector<std::pair<std::uint32_t, bool>>> order_;
  double item_count_ = 0;
  std::optional<double> members_;  // records of the object, when counted
  KeyNarrowing narrowing_;
  std::vector<AccessPath> candidates_;
  std::map<const DeclaredIndex*, std::set<std::size_t>> covered_;
  std::map<std::string, std::set<std::size_t>> secondary_used_;
};

}  // namespace

std::optional<std::vector<std::pair<std::uint32_t, bool>>> OrderFields(
    const ExternalObject& object, const std::vector<SortKey>& order_by) {
  std::vector<std::pair<std::uint32_t, bool>> out;
  for (const SortKey& key : order_by) {
    const Expression* expression = key.expression.get();
    if (const auto* alias = dynamic_cast<const AliasNode*>(expression))
      expression = alias->definition().get();
    const auto* field = dynamic_cast<const FieldRefNode*>(expression);
    if (field == nullptr || !field->IsOwn() || field->type().collection ||
        &field->owner() != &object)
      return std::nullopt;
    out.emplace_back(object.IndexOf(field->field()), key.descending);
  }
  return out;
}

Result<std::optional<std::string>> OnlyKey(const ExternalObject& object, const ColumnTest& test) {
  TABLECAST_ASSIGN_OR_RETURN(const KeyNarrowing narrowing, NarrowKeys(object, {test}));
  std::optional<std::vector<std::string>> points =
      PointsOf(narrowing.keys, ItemsOf(object).schema());
  if (!points || points->size() != 1) return std::optional<std::string>();
  return std::optional<std::string>(std::move(points->front()));
}

Result<QueryPlan> PlanQuery(const ReadSnapshot& snapshot, const PlanRequest& request) {
  return Planner(snapshot, request).Run();
}

}  // namespace tablecast
