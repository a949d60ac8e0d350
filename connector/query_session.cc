#include "connector/query_session.h"

#include <algorithm>

#include "base/utf8.h"
#include "connector/index_maintainer.h"
#include "connector/key_narrowing.h"
#include "item/item_codec.h"

namespace tablecast {
namespace {

constexpr std::uint64_t kDeadlineEvery = 64;  // items between looks at the clock
constexpr int kMaxRelatedDepth = 16;
constexpr std::size_t kElementBytes = 4;

}  // namespace

RelationCondition::RelationCondition(const JoinColumn& column, std::vector<EdmValue> values)
    : column_(column) {
  for (EdmValue& value : values) {
    if (value.is_null()) continue;
    if (keys_.insert(KeyBytes(value)).second) values_.push_back(std::move(value));
  }
}

std::string RelationCondition::KeyBytes(const EdmValue& value) {
  std::string out;
  AppendOrderedEdm(out, value);
  return out;
}

std::optional<std::string> RelationCondition::KeyOf(const RecordView& record) const {
  const EdmValue value = record.Join(column_);
  if (value.is_null()) return std::nullopt;
  std::string key = KeyBytes(value);
  if (keys_.count(key) == 0) return std::nullopt;
  return key;
}

bool RecordFilter::Holds(const RecordView& record, EvalContext& context) const {
  for (const RelationCondition& relation : relations) {
    if (!relation.KeyOf(record)) return false;
  }
  if (filter && filter->Test(context) != Truth::kTrue) {
    context.NameFailure("$filter");
    return false;
  }
  return !search || search->Matches(record);
}

QuerySession::QuerySession(const ReadSnapshot& snapshot, Timestamp now, const QueryLimits& limits)
    : snapshot_(snapshot), now_(now), limits_(limits) {}

QuerySession::~QuerySession() = default;

QuerySession::Handle::~Handle() {
  if (record_) session_->idle_[&record_->object()].push_back(std::move(record_));
}

Result<QuerySession::Handle> QuerySession::Borrow(const ExternalObject& object) {
  auto& idle = idle_[&object];
  if (!idle.empty()) {
    std::unique_ptr<ItemRecord> record = std::move(idle.back());
    idle.pop_back();
    return Handle(*this, std::move(record));
  }
  TABLECAST_ASSIGN_OR_RETURN(const TableSchema* schema, snapshot_.Schema(object.table()));
  TABLECAST_ASSIGN_OR_RETURN(const AttributeNames* names, snapshot_.Names(object.table()));
  return Handle(*this, std::make_unique<ItemRecord>(object, *schema, *names, now_));
}

Status QuerySession::CheckDeadline() {
  if (limits_.deadline && std::chrono::steady_clock::now() > *limits_.deadline) {
    return MakeError(ErrorCode::kDeadlineExceeded, "query-deadline",
                     "the query took longer than its time limit", {},
                     "filter on a key or an indexed field, or ask for fewer records");
  }
  return {};
}

Status QuerySession::Keep(std::size_t bytes) {
  constexpr std::size_t kMostKept = std::size_t{256} << 20;
  kept_ += bytes;
  if (kept_ <= kMostKept) return {};
  return MakeError(ErrorCode::kResourceExhausted, "computed-too-large",
                   "the computed values of the answer take more than 256 MiB", {},
                   "compute shorter values, or ask for fewer records");
}

bool QuerySession::CountItem(const ItemView& item, Status& status) {
  ++stats_.items;
  stats_.bytes += item.key_bytes().size() + item.record_bytes().size();
  if (limits_.max_items_scanned != 0 && stats_.items > limits_.max_items_scanned) {
    status = MakeError(
        ErrorCode::kResourceExhausted, "query-scan-limit",
        "the query read more than " + std::to_string(limits_.max_items_scanned) + " items", {},
        "filter on a key or an indexed field");
    return false;
  }
  if (++ticks_ % kDeadlineEvery == 0) status = CheckDeadline();
  return status.ok();
}

void QuerySession::Hold(const std::string& table, const ItemView& item) {
  constexpr std::size_t kMostHeld = 8;
  for (const HeldItem& held : held_) {
    if (held.key == item.key_bytes() && held.table == table) return;
  }
  if (held_.size() == kMostHeld) held_.pop_front();
  held_.push_back({table, std::string(item.key_bytes()), std::string(item.record_bytes()),
                   &item.schema(), &item.names()});
}

Result<bool> QuerySession::GetItem(const std::string& table, std::string_view key, Look look,
                                   const std::function<void(const ItemView&)>& visit) {
  for (const HeldItem& held : held_) {
    if (held.key != key || held.table != table) continue;
    visit(ItemView(*held.schema, *held.names, held.key, held.record));
    return true;
  }
  Status status;
  TABLECAST_ASSIGN_OR_RETURN(const bool found,
                             snapshot_.Get(table, key, [&](const ItemView& item) {
                               if (look == Look::kAgain || CountItem(item, status)) visit(item);
                             }));
  TABLECAST_RETURN_IF_ERROR(status);
  return found;
}

// One pass over an access path.
struct QuerySession::Run {
  QuerySession& session;
  const ExternalObject& object;
  const AccessPath& path;
  const std::optional<StreamStart>& start;
  ItemRecord& record;
  const std::function<bool(ItemRecord&)>& visit;
  Status status;
  bool stopped = false;
  bool truncated = false;
  std::set<std::string> seen;  // when key ranges may overlap

  const std::string& table() const { return object.table(); }
  const ReadSnapshot& snapshot() const { return session.snapshot(); }

  bool OnItem(const ItemView& item, std::optional<std::uint32_t> element) {
    return session.CountItem(item, status) && OnCounted(item, element);
  }

  // False = stop. `element`: only this one of an embedded list.
  bool OnCounted(const ItemView& item, std::optional<std::uint32_t> element) {
    record.Reset(item);
    const bool belongs = path.members_only ||
                         (path.key_condition_holds && !object.qualifier().has_virtual_conditions()
                              ? record.PassesResidual()
                              : record.Belongs());
    if (!belongs) return true;
    if (object.embedded() == nullptr) {
      stopped = !visit(record);
      return !stopped;
    }
    const std::uint32_t count = record.ElementCount();
    std::uint32_t from = element.value_or(0);
    const std::uint32_t end = element ? std::min(count, *element + 1) : count;
    const bool resumes =
        start && !element && path.native_order && item.key_bytes() == start->after.key;
    if (resumes) from = start->after.element.value_or(0) + 1;
    for (std::uint32_t i = from; i < end; ++i) {
      record.SetElement(i);
      if (!visit(record)) {
        stopped = true;
        return false;
      }
    }
    return true;
  }

  bool Get(std::string_view key, std::optional<std::uint32_t> element) {
    bool go_on = true;
    const Result<bool> found = session.GetItem(
        table(), key, Look::kFirst, [&](const ItemView& item) { go_on = OnCounted(item, element); });
    if (!found.ok()) status = found.error();
    return status.ok() && go_on;
  }

  // Elements behind the start inside the start's own item.
  bool FinishStartItem() {
    if (!start || object.embedded() == nullptr || !path.native_order) return true;
    return Get(start->after.key, std::nullopt);
  }

  void Points() {
    for (const std::string& key : path.points) {
      if (start) {
        const int order = key.compare(start->after.key);
        if (order < 0 || (order == 0 && object.embedded() == nullptr)) continue;
      }
      if (!Get(key, std::nullopt)) return;
    }
  }

  void Keys() {
    if (!FinishStartItem()) return;
    for (const KeyCondition& key : path.keys) {
      ReadOptions options;
      options.descending = path.descending_keys;
      if (start) options.after_key = start->after.key;
      const bool overlap = path.keys.size() > 1;
      const ItemVisitor on_item = [&](const ItemView& item) {
        if (overlap && !seen.insert(std::string(item.key_bytes())).second) return true;
        return OnItem(item, std::nullopt);
      };
      const bool free = key.partition.IsFree() && key.sort.IsFree();
      const Result<std::uint64_t> read = free ? snapshot().Scan(table(), options, on_item)
                                              : snapshot().Query(table(), key, options, on_item);
      if (!read.ok() && status.ok()) status = read.error();
      if (!status.ok() || stopped) return;
    }
  }

  void Secondary() {
    // The projection may lack attributes, so the item itself is read.
    const Result<std::uint64_t> read = snapshot().QueryIndex(
        table(), path.secondary, path.keys.front(), {},
        [&](const ItemView& item) { return Get(std::string(item.key_bytes()), std::nullopt); });
    if (!read.ok() && status.ok()) status = read.error();
  }

  // The entries hold the records themselves.
  void Clustered(const IndexRange& range) {
    const Result<const TableSchema*> schema = snapshot().Schema(table());
    const Result<const AttributeNames*> names = snapshot().Names(table());
    if (!schema.ok() || !names.ok()) {
      status = !schema.ok() ? schema.error() : names.error();
      return;
    }
    const Result<std::uint64_t> read =
        snapshot().ScanDerived(table(), *path.derived, range, [&](const IndexEntryView& entry) {
          return OnItem(ItemView(**schema, **names, entry.item_key, entry.payload), std::nullopt);
        });
    if (!read.ok() && status.ok()) status = read.error();
  }

  void Membership() {
    if (!FinishStartItem()) return;
    IndexRange range;
    if (start) range.after = {std::string(), start->after.key};
    if (ItemsOf(object).options().clustered) {
      Clustered(range);
      return;
    }
    const Result<std::uint64_t> read = snapshot().ScanDerived(
        table(), *path.derived, range,
        [&](const IndexEntryView& entry) { return Get(entry.item_key, std::nullopt); });
    if (!read.ok() && status.ok()) status = read.error();
  }

  bool OnEntry(const IndexEntryView& entry) {
    if (entry.truncated && path.ordered) {
      truncated = true;
      return false;
    }
    return Get(entry.item_key, ElementOfPayload(entry.payload));
  }

  void Scan(const IndexRange& range) {
    const Result<std::uint64_t> read = snapshot().ScanDerived(
        table(), *path.derived, range, [&](const IndexEntryView& entry) { return OnEntry(entry); });
    if (!read.ok() && status.ok()) status = read.error();
  }

  bool Done() const { return !status.ok() || stopped || truncated; }

  // Groups of equal order from the last to the first, each by ascending native key.
  void Backwards(IndexRange range) {
    range.descending = true;
    if (start) {
      IndexRange group;
      group.lower = GroupOf(start->index_order);
      group.upper = PrefixSuccessor(group.lower);
      group.after = {start->index_order, start->after.key};
      Scan(group);
      range.upper = group.lower;
    }
    while (!Done()) {
      std::optional<std::string> last;
      const Result<std::uint64_t> read =
          snapshot().ScanDerived(table(), *path.derived, range, [&](const IndexEntryView& entry) {
            last = std::string(entry.order);
            truncated = entry.truncated;
            return false;
          });
      if (!read.ok()) status = read.error();
      if (!last || Done()) return;
      IndexRange group;
      group.lower = GroupOf(*last);
      group.upper = PrefixSuccessor(group.lower);
      Scan(group);
      range.upper = group.lower;
    }
  }

  // The order without the element number that embedded objects append.
  std::string GroupOf(const std::string& order) const {
    if (object.embedded() == nullptr || order.size() < kElementBytes) return order;
    return order.substr(0, order.size() - kElementBytes);
  }

  void Declared() {
    for (IndexRange range : path.ranges) {
      if (path.reverse && path.ordered) {
        Backwards(std::move(range));
      } else {
        if (start) range.after = {start->index_order, start->after.key};
        Scan(range);
      }
      if (Done()) return;
    }
  }

  void Go() {
    switch (path.kind) {
      case AccessKind::kNothing: return;
      case AccessKind::kPointGet:
      case AccessKind::kColumnarSidecar: Points(); return;
      case AccessKind::kSecondaryIndex: Secondary(); return;
      case AccessKind::kMembershipIndex: Membership(); return;
      case AccessKind::kDeclaredIndex: Declared(); return;
      default: Keys(); return;
    }
  }
};

Status QuerySession::Stream(const ExternalObject& object, const AccessPath& path,
                            const std::optional<StreamStart>& start, ItemRecord& record,
                            const std::function<bool(ItemRecord&)>& visit, bool* truncated) {
  TABLECAST_RETURN_IF_ERROR(CheckDeadline());
  Run run{*this, object, path, start, record, visit, {}, false, false, {}};
  run.Go();
  if (truncated != nullptr) *truncated = run.truncated;
  return run.status;
}

Result<bool> QuerySession::Fetch(const ExternalObject& object, const Position& at,
                                 ItemRecord& record, const std::function<void(ItemRecord&)>& use,
                                 Look look) {
  bool there = false;
  TABLECAST_ASSIGN_OR_RETURN(const bool found,
                             GetItem(object.table(), at.key, look, [&](const ItemView& item) {
                               record.Reset(item);
                               if (at.element) {
                                 if (*at.element >= record.ElementCount()) return;
                                 record.SetElement(*at.element);
                               }
                               there = true;
                               use(record);
                             }));
  return found && there;
}

Status QuerySession::ForEachRelated(const Navigation& navigation, const RecordView& from,
                                    const std::function<bool(const RecordView&)>& visit) {
  EdmValue value = from.Join(navigation.from);
  if (value.is_null()) return {};
  if (related_depth_ >= kMaxRelatedDepth) {
    return MakeError(ErrorCode::kResourceExhausted, "navigation-depth",
                     "navigation is nested deeper than 16 levels");
  }
  const ExternalObject& target = *navigation.target;
  const RelationCondition relation(navigation.to, {std::move(value)});
  PlanRequest request;
  request.object = &target;
  request.joins.push_back(relation.Test());
  TABLECAST_ASSIGN_OR_RETURN(const QueryPlan plan, PlanQuery(snapshot_, request));
  if (plan.path.kind == AccessKind::kNothing) return {};
  TABLECAST_ASSIGN_OR_RETURN(Handle record, Borrow(target));
  ++related_depth_;
  const Status status = Stream(target, plan.path, std::nullopt, *record, [&](ItemRecord& related) {
    return !relation.KeyOf(related) || visit(related);
  });
  --related_depth_;
  return status;
}

}  // namespace tablecast
