#include "connector/query_engine.h"

#include <algorithm>

#include "connector/apply.h"
#include "connector/external_id.h"
#include "connector/key_ranges.h"
#include "connector/page_executor.h"
#include "item/item_codec.h"

namespace tablecast {
namespace {

Error NotThere(const ExternalObject& object, const std::string& key) {
  return MakeError(ErrorCode::kNotFound, "record-not-found",
                   "there is no record " + object.name() + "(" + key + ")");
}

std::string KeyText(const RecordKey& key) {
  if (key.external_id) return EdmValue::String(*key.external_id).ToLiteral();
  std::string out;
  for (const auto& [name, value] : key.alternate)
    out += (out.empty() ? "" : ",") + name + "=" + value.ToLiteral();
  return out;
}

// A literal of an alternate key as a stored key value. Text is accepted for every type, since raw
// keys in URLs are often quoted.
Result<AttributeValue> KeyValue(const KeyColumn& column, const EdmValue& value) {
  const Error wrong =
      MakeError(ErrorCode::kInvalidArgument, "key-type",
                "key column " + column.name + " is of type " +
                    std::string(AttributeTypeName(column.type)) + ", got " + value.ToLiteral(),
                column.name);
  switch (column.type) {
    case AttributeType::kN: {
      if (IsExactNumber(value.kind())) return AttributeValue::Number(value.number());
      if (value.kind() != EdmKind::kString) return wrong;
      Result<AttributeValue> number = AttributeValue::NumberFromText(value.text());
      return number.ok() ? number : Result<AttributeValue>(wrong);
    }
    case AttributeType::kB: {
      if (value.kind() == EdmKind::kBinary) return AttributeValue::Binary(value.bytes());
      if (value.kind() != EdmKind::kString) return wrong;
      Result<EdmValue> bytes = ParseEdm(EdmKind::kBinary, value.text());
      return bytes.ok() ? Result<AttributeValue>(AttributeValue::Binary(bytes->bytes()))
                        : Result<AttributeValue>(wrong);
    }
    default:
      if (value.kind() == EdmKind::kString) return AttributeValue::String(value.text());
      return wrong;
  }
}

ResolvedRecord MakeResolved(QuerySession& session, const ItemRecord& record, ItemKey key) {
  session.Hold(record.object().table(), record.item());
  ResolvedRecord out;
  out.key = std::move(key);
  out.encoded_key = std::string(record.item().key_bytes());
  if (record.object().embedded() != nullptr) out.element = record.element();
  out.item_key = record.Position();
  return out;
}

// Finds records by keys and follows paths inside one session.
class Finder {
 public:
  Finder(QuerySession& session) : session_(session) {}

  // At most `limit` records of the object that pass `test`.
  Result<std::vector<ResolvedRecord>> Find(const ExternalObject& object, const ColumnTest& test,
                                           const std::function<bool(const ItemRecord&)>& passes,
                                           std::size_t limit) {
    std::vector<ResolvedRecord> found;
    PlanRequest request;
    request.object = &object;
    request.joins.push_back(test);
    request.any_order = true;
    TABLECAST_ASSIGN_OR_RETURN(const QueryPlan plan, PlanQuery(session_.snapshot(), request));
    if (plan.path.kind == AccessKind::kNothing) return found;
    TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle record, session_.Borrow(object));
    Status failed;
    TABLECAST_RETURN_IF_ERROR(
        session_.Stream(object, plan.path, std::nullopt, *record, [&](ItemRecord& current) {
          if (!passes(current)) return true;
          Result<ItemKey> key = current.item().ToKey();
          if (!key.ok()) {
            failed = key.error();
            return false;
          }
          found.push_back(MakeResolved(session_, current, *std::move(key)));
          return found.size() < limit;
        }));
    TABLECAST_RETURN_IF_ERROR(failed);
    return found;
  }

  // The only place where a record of this external ID can lie, found without reading; nullopt when
  // the ID does not name a whole key.
  Result<std::optional<Position>> PlaceOf(const ExternalObject& object, const std::string& id) {
    std::optional<Position> place;
    if (!object.table_exists() || object.embedded() != nullptr) return place;
    TABLECAST_ASSIGN_OR_RETURN(std::optional<std::string> key,
                               OnlyKey(object, ExternalIdTest(object, id)));
    if (key) place = Position{*std::move(key), std::nullopt};
    return place;
  }

  Result<ResolvedRecord> Resolve(const ExternalObject& object, const RecordKey& key) {
    if (!object.table_exists()) return NotThere(object, KeyText(key));
    if (key.external_id) return ByExternalId(object, *key.external_id);
    if (key.item_key) return ByPosition(object, *key.item_key);
    return ByAlternate(object, key);
  }

 private:
  Result<ResolvedRecord> One(const ExternalObject& object, std::vector<ResolvedRecord> found,
                             const std::string& shown) {
    if (found.empty()) return NotThere(object, shown);
    if (found.size() == 1) return std::move(found.front());
    std::string remedy = "address it by its alternate key " + object.name() + "(";
    for (std::size_t i = 0; i < object.alternate_key_columns().size(); ++i) {
      remedy += (i == 0 ? "" : ",") + object.alternate_key_columns()[i] + "=...";
    }
    return MakeError(ErrorCode::kAlreadyExists, "external-id-ambiguous",
                     "more than one record is called " + object.name() + "(" + shown + ")", {},
                     remedy + ")");
  }

  static ColumnTest ExternalIdTest(const ExternalObject& object, const std::string& id) {
    ColumnTest test;
    test.field = &object.fields().front();
    test.source.kind = SourceKind::kExternalId;
    test.values.push_back(EdmValue::String(id));
    test.text = "ExternalId eq " + test.values.front().ToLiteral();
    return test;
  }

  Result<ResolvedRecord> ByExternalId(const ExternalObject& object, const std::string& id) {
    const ColumnTest test = ExternalIdTest(object, id);
    TABLECAST_ASSIGN_OR_RETURN(
        auto found,
        Find(
            object, test, [&](const ItemRecord& r) { return r.ExternalId() == id; }, 2));
    return One(object, std::move(found), test.values.front().ToLiteral());
  }

  Result<ResolvedRecord> ByPosition(const ExternalObject& object, const std::string& position) {
    TABLECAST_ASSIGN_OR_RETURN(const Position at, ParsePosition(object, position));
    TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle record, session_.Borrow(object));
    std::optional<ResolvedRecord> found;
    TABLECAST_ASSIGN_OR_RETURN(const bool there,
                               session_.Fetch(object, at, *record, [&](ItemRecord& current) {
                                 Result<ItemKey> key = current.item().ToKey();
                                 if (current.Belongs() && key.ok())
                                   found = MakeResolved(session_, current, *std::move(key));
                               }));
    if (!there || !found) return NotThere(object, "...");
    return *std::move(found);
  }

  Result<ResolvedRecord> ByAlternate(const ExternalObject& object, const RecordKey& key) {
    // One field that identifies: unique, or the GUID.
    if (key.alternate.size() == 1) {
      const Field* field = object.FindField(key.alternate.front().first);
      const bool identifies =
          field != nullptr && (field->unique || field->source.kind == SourceKind::kGuidKey);
      if (identifies) return ByField(object, *field, key);
    }
    const TableSchema& schema = object.schema();
    const ExternalObject& items =
        object.embedded() != nullptr ? *object.embedded()->parent : object;
    KeyCondition condition;
    std::size_t used = 0;
    for (const auto& [name, value] : key.alternate) {
      const Field* field = items.FindField(name);
      const std::string& column = field == nullptr ? name : field->column;
      const bool partition = column == schema.key.partition.name;
      const bool sort = schema.key.sort && column == schema.key.sort->name;
      if (!partition && !sort) {
        return MakeError(ErrorCode::kInvalidArgument, "key-column-unknown",
                         "'" + name + "' is no key of " + object.name(), name,
                         "give ExternalId, or the key columns " + ColumnsText(object));
      }
      TABLECAST_ASSIGN_OR_RETURN(
          AttributeValue stored,
          KeyValue(partition ? schema.key.partition : *schema.key.sort, value));
      (partition ? condition.partition : condition.sort) = EqualsCondition(std::move(stored));
      ++used;
    }
    if (used != object.alternate_key_columns().size() || !IsPoint(condition, schema)) {
      return MakeError(ErrorCode::kInvalidArgument, "key-column-missing",
                       "the key needs " + ColumnsText(object));
    }
    ItemKey item_key{condition.partition.equals.front(), std::nullopt};
    if (schema.key.sort) item_key.sort = condition.sort.equals.front();
    const Result<std::string> encoded = EncodeKey(schema, item_key);
    if (!encoded.ok()) return NotThere(object, KeyText(key));
    Result<ResolvedRecord> found = ByPosition(object, *encoded);
    if (!found.ok() && found.error().code == ErrorCode::kNotFound)
      return NotThere(object, KeyText(key));
    return found;
  }

  Result<ResolvedRecord> ByField(const ExternalObject& object, const Field& field,
                                 const RecordKey& key) {
    EdmValue value = key.alternate.front().second;
    if (value.kind() != field.kind && value.kind() == EdmKind::kString) {
      TABLECAST_ASSIGN_OR_RETURN(value, ParseEdm(field.kind, value.text()));
    }
    if (field.source.kind == SourceKind::kGuidKey) return ByGuid(object, value, key);
    ColumnTest test;
    test.field = &field;
    test.source = field.source;
    test.values.push_back(value);
    test.text = field.name + " eq " + value.ToLiteral();
    TABLECAST_ASSIGN_OR_RETURN(
        auto found,
        Find(
            object, test, [&](const ItemRecord& r) { return EqualEdm(r.Value(field), value); }, 2));
    return One(object, std::move(found), KeyText(key));
  }

  Result<ResolvedRecord> ByGuid(const ExternalObject& object, const EdmValue& value,
                                const RecordKey& key) {
    if (value.kind() != EdmKind::kGuid) return NotThere(object, KeyText(key));
    AccessPath path;
    path.kind = AccessKind::kDeclaredIndex;
    path.derived = object.guid_index();
    path.members_only = true;
    IndexRange range;
    range.lower = value.text();
    range.upper = value.text() + '\0';
    path.ranges.push_back(range);
    TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle record, session_.Borrow(object));
    std::vector<ResolvedRecord> found;
    TABLECAST_RETURN_IF_ERROR(
        session_.Stream(object, path, std::nullopt, *record, [&](ItemRecord& current) {
          Result<ItemKey> item_key = current.item().ToKey();
          if (item_key.ok()) found.push_back(MakeResolved(session_, current, *std::move(item_key)));
          return true;
        }));
    return One(object, std::move(found), KeyText(key));
  }

  static std::string ColumnsText(const ExternalObject& object) {
    std::string out;
    for (const std::string& column : object.alternate_key_columns())
      out += (out.empty() ? "" : ", ") + column;
    return out.empty() ? "ExternalId" : out;
  }

  QuerySession& session_;
};

// Where a path leads.
struct PathEnd {
  std::vector<RelationCondition> relations;  // a collection of the target
  std::optional<Position> at;                // one record of `object`
  const ExternalObject* object = nullptr;
  bool nowhere = false;  // a navigation to one that is null
};

Result<PathEnd> Follow(QuerySession& session, const PathStart& start) {
  Finder finder(session);
  PathEnd end;
  end.object = start.object;
  TABLECAST_ASSIGN_OR_RETURN(const ResolvedRecord first, finder.Resolve(*start.object, start.key));
  end.at = Position{first.encoded_key, first.element};
  for (std::size_t i = 0; i < start.steps.size(); ++i) {
    const PathStart::Step& step = start.steps[i];
    const Navigation& navigation = *step.navigation;
    TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle record, session.Borrow(*end.object));
    EdmValue value;
    std::optional<Position> next;
    Status related;
    TABLECAST_ASSIGN_OR_RETURN(
        const bool there, session.Fetch(*end.object, *end.at, *record, [&](ItemRecord& current) {
          value = current.Join(navigation.from);
          if (navigation.collection || step.key) return;
          related = session.ForEachRelated(navigation, current, [&](const RecordView& target) {
            const auto& item = static_cast<const ItemRecord&>(target);
            Result<Position> at = ParsePosition(*navigation.target, item.Position());
            if (at.ok()) next = *std::move(at);
            return false;
          });
        }));
    TABLECAST_RETURN_IF_ERROR(related);
    if (!there) return NotThere(*end.object, "...");
    const ExternalObject& target = *navigation.target;
    if (step.key) {
      TABLECAST_ASSIGN_OR_RETURN(const ResolvedRecord picked, finder.Resolve(target, *step.key));
      // It must be one of the related records, not just any.
      const RelationCondition relation(navigation.to, {value});
      TABLECAST_ASSIGN_OR_RETURN(const QuerySession::Handle reader, session.Borrow(target));
      next = Position{picked.encoded_key, picked.element};
      bool belongs = false;
      TABLECAST_ASSIGN_OR_RETURN(const bool found,
                                 session.Fetch(target, *next, *reader, [&](ItemRecord& current) {
                                   belongs = relation.KeyOf(current).has_value();
                                 }));
      if (!found || !belongs) return NotThere(target, KeyText(*step.key));
    } else if (navigation.collection) {
      if (i + 1 != start.steps.size()) {
        return MakeError(ErrorCode::kInvalidArgument, "path-needs-key",
                         navigation.name + " leads to many records: a key must follow it");
      }
      end.relations.emplace_back(navigation.to, std::vector<EdmValue>{value});
      end.nowhere = value.is_null();
      end.object = &target;
      end.at.reset();
      return end;
    }
    end.object = &target;
    end.at = next;
    if (!next) {
      end.nowhere = true;
      return end;
    }
  }
  return end;
}

ResultPage EmptyPage(const ObjectQuery& query) {
  ResultPage page;
  page.object = query.object;
  page.columns = Projection(query).columns();
  if (query.count) page.count = 0;
  return page;
}

}  // namespace

QueryEngine::QueryEngine(const ItemStore& store, std::shared_ptr<const Catalog> catalog,
                         Timestamp now)
    : store_(store), catalog_(std::move(catalog)), now_(now) {}

Result<ResultPage> QueryEngine::Query(const ObjectQuery& query) const {
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store_.BeginRead());
  QuerySession session(*snapshot, now_, query.limits);
  std::vector<RelationCondition> relations;
  if (query.start) {
    TABLECAST_ASSIGN_OR_RETURN(PathEnd end, Follow(session, *query.start));
    if (end.nowhere) return EmptyPage(query);
    relations = std::move(end.relations);
  }
  return PageExecutor(session, *catalog_).Page(query, std::move(relations));
}

Result<ResultPage> QueryEngine::Get(const ObjectQuery& query) const {
  TABLECAST_CHECK(query.start.has_value());
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store_.BeginRead());
  QuerySession session(*snapshot, now_, query.limits);
  PageExecutor executor(session, *catalog_);
  const RecordKey& key = query.start->key;
  if (query.start->steps.empty() && key.external_id) {
    // An ID that names a whole key is not looked up first: reading the record tells whether it is there.
    TABLECAST_ASSIGN_OR_RETURN(const std::optional<Position> place,
                               Finder(session).PlaceOf(*query.object, *key.external_id));
    if (place) {
      TABLECAST_ASSIGN_OR_RETURN(std::optional<ResultPage> page,
                                 executor.Single(query, *place, *key.external_id));
      if (!page) return NotThere(*query.object, KeyText(key));
      return *std::move(page);
    }
  }
  TABLECAST_ASSIGN_OR_RETURN(const PathEnd end, Follow(session, *query.start));
  if (end.nowhere || !end.at) return EmptyPage(query);
  TABLECAST_ASSIGN_OR_RETURN(std::optional<ResultPage> page,
                             executor.Single(query, *end.at, std::nullopt));
  return page ? *std::move(page) : EmptyPage(query);
}

Result<std::uint64_t> QueryEngine::Count(const ObjectQuery& query) const {
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store_.BeginRead());
  QuerySession session(*snapshot, now_, query.limits);
  std::vector<RelationCondition> relations;
  if (query.start) {
    TABLECAST_ASSIGN_OR_RETURN(PathEnd end, Follow(session, *query.start));
    if (end.nowhere) return std::uint64_t{0};
    relations = std::move(end.relations);
  }
  return PageExecutor(session, *catalog_).Count(query, std::move(relations));
}

Result<std::uint64_t> QueryEngine::ForEach(
    const ObjectQuery& query,
    const std::function<bool(const ResultPage& columns, const Record&)>& visit) const {
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store_.BeginRead());
  QuerySession session(*snapshot, now_, query.limits);
  std::vector<RelationCondition> relations;
  if (query.start) {
    TABLECAST_ASSIGN_OR_RETURN(PathEnd end, Follow(session, *query.start));
    if (end.nowhere) return std::uint64_t{0};
    relations = std::move(end.relations);
  }
  return PageExecutor(session, *catalog_).ForEach(query, std::move(relations), visit);
}

Result<ApplyResult> QueryEngine::Apply(const ApplyQuery& query) const {
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store_.BeginRead());
  QuerySession session(*snapshot, now_, query.base.limits);
  std::vector<RelationCondition> relations;
  if (query.base.start) {
    TABLECAST_ASSIGN_OR_RETURN(PathEnd end, Follow(session, *query.base.start));
    // A null join value relates nothing: an empty list of values matches no record.
    relations = std::move(end.relations);
  }
  return ApplyRunner(session, *catalog_, query).Run(std::move(relations));
}

Result<PlanReport> QueryEngine::Explain(const ObjectQuery& query, bool analyze) const {
  const bool single = query.start && (query.start->steps.empty() ||
                                      !query.start->steps.back().navigation->collection ||
                                      query.start->steps.back().key);
  if (analyze || single) {
    ObjectQuery traced = query;
    traced.want_plan = true;
    TABLECAST_ASSIGN_OR_RETURN(ResultPage page, single ? Get(traced) : Query(traced));
    if (!page.plan) {
      return MakeError(ErrorCode::kNotFound, "record-not-found", "the path leads to no record");
    }
    if (!analyze) page.plan->actual.reset();
    return *std::move(page.plan);
  }
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store_.BeginRead());
  QuerySession session(*snapshot, now_, query.limits);
  std::vector<RelationCondition> relations;
  if (query.start) {
    TABLECAST_ASSIGN_OR_RETURN(PathEnd end, Follow(session, *query.start));
    relations = std::move(end.relations);
  }
  TABLECAST_ASSIGN_OR_RETURN(const QueryPlan plan,
                             PageExecutor(session, *catalog_).Plan(query, relations));
  return ReportOf(query, plan);
}

Result<ResolvedRecord> QueryEngine::Resolve(const ReadSnapshot& snapshot,
                                            const ExternalObject& object,
                                            const RecordKey& key) const {
  const QueryLimits limits;
  QuerySession session(snapshot, now_, limits);
  return Finder(session).Resolve(object, key);
}

}  // namespace tablecast
