// The browsing page's view of what lies behind records: objects with their counts and record types, and the
// stored item of one record with the objects that claim it.

#include <algorithm>
#include <set>

#include "item/item_codec.h"
#include "item/item_json.h"
#include "odata/web_api.h"
#include "qualifiers/validator.h"

namespace tablecast::web {

namespace {

// Lives as long as the request, which holds the catalog.
std::shared_ptr<const Catalog> Borrow(const Catalog& catalog) {
  return {std::shared_ptr<const void>(), &catalog};
}

bool Hides(const Call& call, const ExternalObject& object, const Field& field) {
  return field.hidden || call.principal.HidesField(object.name(), field.name);
}

bool HidesColumn(const Call& call, const ExternalObject& object, const std::string& column) {
  const Field* field = object.FieldOfColumn(column);
  if (field != nullptr) return Hides(call, object, *field);
  return std::any_of(object.fields().begin(), object.fields().end(), [&](const Field& other) {
    return other.column == column && Hides(call, object, other);
  });
}

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string ConstantText(const AttributeValue& value) {
  if (value.Is(AttributeType::kS)) return Quoted(value.text());
  if (value.Is(AttributeType::kN)) return value.NumberAsText();
  return std::string(AttributeTypeName(value.type()));
}

// What makes an item one of this object, condition by condition, in words: `sk = "ORDER"`.
std::vector<std::string> RecordType(const Call& call, const ExternalObject& object) {
  std::vector<std::string> out;
  for (const ColumnQualifier& column : object.qualifier().source().columns) {
    if (HidesColumn(call, object, column.is_virtual ? column.name : column.physical())) continue;
    std::string text;
    const auto add = [&](const std::string& condition) { text += (text.empty() ? " " : " and ") + condition; };
    const PhysicalColumn* physical =
        column.is_virtual ? nullptr : object.qualifier().FindPhysical(column.physical());
    if (physical != nullptr && !physical->constants.empty()) {
      std::string constants;
      for (const AttributeValue& constant : physical->constants) {
        constants += (constants.empty() ? "" : " or ") + ConstantText(constant);
      }
      add("= " + constants);
    }
    if (column.filter) add("like " + Quoted(*column.filter));
    if (column.post_filter) add("matches " + *column.post_filter);
    if (column.presence) add(std::string(PresenceName(*column.presence)));
    if (column.type) add("of type " + std::string(AttributeTypeName(*column.type)));
    if (!text.empty()) out.push_back((column.is_virtual ? column.name : column.physical()) + text);
  }
  return out;
}

// The attributes of an item that a caller may see.
class ItemFilter {
 public:
  ItemFilter(const Call& call, const ExternalObject& object) : call_(call), object_(object) {
    for (const Field& field : object.fields()) AddField(field);
    // What a hidden virtual column is computed from would give it away.
    for (const auto* inputs : hidden_inputs_) {
      for (const std::string& input : *inputs) {
        if (!published_.contains(input)) hidden_.insert(input);
      }
    }
  }

  // Removes what the caller may not see; true when something was removed.
  bool Apply(Item& item) const {
    bool removed = false;
    for (auto at = item.begin(); at != item.end();) {
      if (Shows(at->first)) {
        ++at;
      } else {
        at = item.erase(at);
        removed = true;
      }
    }
    for (const FieldSource* source : hidden_paths_) removed |= RemovePath(item, *source);
    return removed;
  }

  // Members of the elements of an embedded list that the child object hides.
  bool ApplyToElements(Item& item, const ExternalObject& child) const {
    bool removed = false;
    const auto list = item.find(child.embedded()->attribute);
    if (list == item.end()) return false;
    AttributeValue* value = Walk(list->second, child.embedded()->path, child.embedded()->path.size());
    if (value == nullptr || !value->Is(AttributeType::kL)) return false;
    for (AttributeValue& element : value->list()) {
      if (!element.Is(AttributeType::kM)) continue;
      for (const Field& field : child.fields()) {
        if (field.source.kind == SourceKind::kElement && Hides(call_, child, field)) {
          removed |= RemovePath(element.map(), field.source);
        }
      }
    }
    return removed;
  }

 private:
  void AddField(const Field& field) {
    const bool hidden = Hides(call_, object_, field);
    if (field.source.kind == SourceKind::kVirtual && hidden) {
      hidden_inputs_.push_back(&object_.qualifier().virtual_columns()[field.source.virtual_index].inputs);
    }
    if (field.source.kind != SourceKind::kAttribute) return;
    if (!hidden) {
      published_.insert(field.source.attribute);
    } else if (field.source.path.empty()) {
      hidden_.insert(field.source.attribute);
    } else {
      hidden_paths_.push_back(&field.source);
    }
  }

  // Attributes that no field publishes are for those who decide what is published, secrets for nobody.
  bool Shows(const std::string& attribute) const {
    if (hidden_.contains(attribute)) return false;
    return published_.contains(attribute) || (call_.principal.may_edit_catalog && !LooksSecret(attribute));
  }

  // The value `steps` below `value`, or nullptr.
  static AttributeValue* Walk(AttributeValue& value, const std::vector<PathStep>& path, std::size_t steps) {
    AttributeValue* at = &value;
    for (std::size_t i = 0; i < steps; ++i) {
      const PathStep& step = path[i];
      if (!step.name.empty()) {
        if (!at->Is(AttributeType::kM)) return nullptr;
        const auto member = at->map().find(step.name);
        if (member == at->map().end()) return nullptr;
        at = &member->second;
      }
      if (step.index) {
        if (!at->Is(AttributeType::kL) || *step.index >= at->list().size()) return nullptr;
        at = &at->list()[*step.index];
      }
    }
    return at;
  }

  static bool RemovePath(Item& item, const FieldSource& source) {
    const auto found = item.find(source.attribute);
    if (found == item.end()) return false;
    if (source.path.empty()) {
      item.erase(found);
      return true;
    }
    const PathStep& last = source.path.back();
    AttributeValue* parent = Walk(found->second, source.path, source.path.size() - 1);
    if (parent == nullptr) return false;
    if (last.index) {
      // Other elements keep their places.
      AttributeValue* element = Walk(found->second, source.path, source.path.size());
      if (element == nullptr) return false;
      *element = AttributeValue::Null();
      return true;
    }
    return parent->Is(AttributeType::kM) && parent->map().erase(last.name) > 0;
  }

  const Call& call_;
  const ExternalObject& object_;
  std::set<std::string> published_, hidden_;
  std::vector<const FieldSource*> hidden_paths_;
  std::vector<const std::vector<std::string>*> hidden_inputs_;
};

EdmValue KeyValue(const AttributeValue& value) {
  if (value.Is(AttributeType::kN)) return EdmValue::Number(value.NumberAsDecimal());
  if (value.Is(AttributeType::kB)) return EdmValue::Binary(value.bytes());
  return EdmValue::String(value.text());
}

// The external ID under which `object` shows the item, or nullopt when it does not take it.
std::optional<std::string> IdOf(const QueryEngine& engine, const ExternalObject& object, const TableSchema& schema,
                                const ItemKey& key) {
  ObjectQuery query;
  query.object = &object;
  query.select = std::vector<std::uint32_t>{0};
  PathStart start;
  start.object = &object;
  start.key.alternate.emplace_back(schema.key.partition.name, KeyValue(key.partition));
  if (schema.key.sort && key.sort) start.key.alternate.emplace_back(schema.key.sort->name, KeyValue(*key.sort));
  query.start = std::move(start);
  const Result<ResultPage> page = engine.Get(query);
  if (!page.ok() || page->records.empty()) return std::nullopt;
  return page->records.front().external_id;
}

Result<const ExternalObject*> ReadableObject(const Call& call, const std::string& name) {
  const ExternalObject* object = call.catalog.Find(name);
  if (object == nullptr || !call.principal.RightsFor(name).read) {
    return MakeError(ErrorCode::kNotFound, "object-not-found", "there is no object of this name", name);
  }
  return object;
}

void WriteObject(const Call& call, const ReadSnapshot& snapshot, const ExternalObject& object, JsonWriter& json) {
  const ObjectRights& rights = call.principal.RightsFor(object.name());
  json.BeginObject().Key("name").String(object.name()).Key("label").String(object.label());
  json.Key("pluralLabel").String(object.plural_label()).Key("description").String(object.description());
  json.Key("table").String(object.table()).Key("tableExists").Bool(object.table_exists());
  const ObjectOptions& options = object.options();
  const bool writes = (rights.create && options.create) || (rights.update && options.update) || (rights.remove && options.remove);
  json.Key("writable").Bool(object.table_exists() && writes);
  json.Key("embeddedIn");
  if (object.embedded() != nullptr && call.principal.RightsFor(object.embedded()->parent->name()).read) {
    json.String(object.embedded()->parent->name());
  } else {
    json.Null();
  }
  const auto visible = std::count_if(object.fields().begin(), object.fields().end(),
                                     [&](const Field& field) { return !Hides(call, object, field); });
  json.Key("fields").Uint(static_cast<std::uint64_t>(visible));
  json.Key("recordType").BeginArray();
  for (const std::string& condition : RecordType(call, object)) json.String(condition);
  json.EndArray();
  // One read where the membership index is there; else the page asks for $count by itself.
  json.Key("count");
  const bool counted = object.table_exists() && object.embedded() == nullptr && object.source() == "default" &&
                       snapshot.IsDerivedReady(object.table(), object.membership());
  const Result<std::uint64_t> count =
      counted ? snapshot.CountDerived(object.table(), object.membership()) : Result<std::uint64_t>(std::uint64_t{0});
  if (counted && count.ok()) {
    json.Uint(*count);
  } else {
    json.Null();
  }
  json.EndObject();
}

}  // namespace

Result<std::string> Call::Parameter(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return MakeError(ErrorCode::kInvalidArgument, "parameter-missing", "the parameter is missing", std::string(name));
}

Result<std::string> Objects(const Call& call) {
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, call.store.BeginRead());
  std::string out;
  JsonWriter json(out);
  json.BeginObject().Key("user").String(call.principal.name);
  json.Key("mayExplain").Bool(call.principal.may_explain);
  json.Key("mayEditCatalog").Bool(call.principal.may_edit_catalog && !call.catalog_folder.empty());
  const bool workbench = MayUseWorkbench(call.principal, call.catalog);
  json.Key("mayUseWorkbench").Bool(workbench);
  json.Key("objects").BeginArray();
  for (const auto& object : call.catalog.objects()) {
    if (call.principal.RightsFor(object->name()).read) WriteObject(call, *snapshot, *object, json);
  }
  json.EndArray();
  json.Key("tables").BeginArray();
  if (workbench) {
    TABLECAST_ASSIGN_OR_RETURN(const std::vector<std::string> tables, snapshot->ListTables());
    for (const std::string& table : tables) {
      TABLECAST_ASSIGN_OR_RETURN(const TableInfo info, snapshot->Describe(table));
      json.BeginObject().Key("name").String(table).Key("items").Uint(info.item_count);
      json.Key("keys").BeginArray().String(info.schema.key.partition.name);
      if (info.schema.key.sort) json.String(info.schema.key.sort->name);
      json.EndArray().EndObject();
    }
  }
  json.EndArray().EndObject();
  return out;
}

Result<std::string> StoredItem(const Call& call) {
  TABLECAST_ASSIGN_OR_RETURN(const std::string name, call.Parameter("object"));
  TABLECAST_ASSIGN_OR_RETURN(const std::string id, call.Parameter("id"));
  TABLECAST_ASSIGN_OR_RETURN(const ExternalObject* object, ReadableObject(call, name));
  const ExternalObject* owner = object->embedded() != nullptr ? object->embedded()->parent : object;
  if (!call.principal.RightsFor(owner->name()).read) {
    return MakeError(ErrorCode::kPermissionDenied, "item-forbidden", "you may not see the item that holds this record");
  }
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, call.store.BeginRead());
  const QueryEngine engine(call.store, Borrow(call.catalog), call.request.received);
  RecordKey key;
  key.external_id = id;
  TABLECAST_ASSIGN_OR_RETURN(const ResolvedRecord record, engine.Resolve(*snapshot, *object, key));
  Result<Item> item = MakeError(ErrorCode::kNotFound, "record-not-found", "there is no such record", id);
  TABLECAST_ASSIGN_OR_RETURN(const bool found, snapshot->Get(owner->table(), record.encoded_key, [&](const ItemView& view) {
    item = view.ToItem();
  }));
  static_cast<void>(found);
  if (!item.ok()) return item.error();
  const ItemFilter filter(call, *owner);
  bool withheld = filter.Apply(*item);
  for (const auto& other : call.catalog.objects()) {
    // Hidden members of child lists stay hidden in their parent.
    if (other->embedded() != nullptr && other->embedded()->parent == owner) {
      withheld |= filter.ApplyToElements(*item, *other);
    }
  }
  std::string out;
  JsonWriter json(out);
  json.BeginObject().Key("table").String(owner->table());
  json.Key("item");
  WriteDynamoDbJson(json, *item);
  json.Key("withheld").Bool(withheld);
  json.Key("claims").BeginArray();
  for (const auto& other : call.catalog.objects()) {
    if (other->embedded() != nullptr || other->table() != owner->table() || !other->table_exists() ||
        !call.principal.RightsFor(other->name()).read) {
      continue;
    }
    const auto other_id = IdOf(engine, *other, owner->schema(), record.key);
    if (!other_id) continue;
    json.BeginObject().Key("object").String(other->name()).Key("id").String(*other_id).EndObject();
  }
  json.EndArray().EndObject();
  return out;
}

}  // namespace tablecast::web
