#include "connector/record_writer.h"

#include <algorithm>

#include "base/utf8.h"
#include "connector/convert.h"
#include "connector/owned_record.h"
#include "connector/query_engine.h"
#include "connector/record_edit.h"
#include "item/item_codec.h"

namespace tablecast {

namespace {

bool EtagListMatches(const std::string& header, const std::string& etag) {
  return header == "*" || header.find("\"" + etag + "\"") != std::string::npos;
}

Status CheckWritable(const ExternalObject& object, bool ObjectOptions::*verb, const char* name) {
  if (object.options().read_only) {
    return MakeError(ErrorCode::kFailedPrecondition, "object-read-only", object.name() + " is read-only");
  }
  if (!(object.options().*verb)) {
    return MakeError(ErrorCode::kFailedPrecondition, "verb-not-allowed",
                     std::string(name) + " of records of " + object.name() + " is switched off");
  }
  if (!object.table_exists()) {
    return MakeError(ErrorCode::kNotFound, "table-not-found", "the table " + object.table() + " is not in the store yet");
  }
  if (object.embedded() != nullptr && object.embedded()->key_member.empty()) {
    return MakeError(ErrorCode::kFailedPrecondition, "object-read-only",
                     object.name() + " has no key of its own and is read-only");
  }
  return {};
}

Status CheckPreconditions(const Preconditions& preconditions, const std::string& etag) {
  if (preconditions.if_none_match == "*") {
    return MakeError(ErrorCode::kFailedPrecondition, "etag-mismatch", "the record is there, and If-None-Match: * forbids that");
  }
  if (!preconditions.if_none_match.empty() && EtagListMatches(preconditions.if_none_match, etag)) {
    return MakeError(ErrorCode::kFailedPrecondition, "etag-mismatch", "the record has an ETag that If-None-Match names");
  }
  if (!preconditions.if_match.empty() && !EtagListMatches(preconditions.if_match, etag)) {
    return MakeError(ErrorCode::kFailedPrecondition, "etag-mismatch",
                     "the record has been changed since it was read: it is W/\"" + etag + "\" now", "",
                     "read it again and decide anew");
  }
  if (preconditions.if_match.empty() && preconditions.require_if_match) {
    return MakeError(ErrorCode::kFailedPrecondition, "precondition-required", "this write needs If-Match");
  }
  return {};
}

// No other record may have the value of a unique field: looked up in the declared index that leads with it.
Status CheckUnique(WriteTransaction& txn, const ExternalObject& object, ItemRecord& record, const std::string& own_key) {
  for (const Field& field : object.fields()) {
    if (!field.unique) continue;
    const EdmValue value = record.Value(field);
    if (value.is_null()) continue;
    const std::uint32_t number = object.IndexOf(field);
    const auto index = std::find_if(object.indexes().begin(), object.indexes().end(), [&](const DeclaredIndex& candidate) {
      return !candidate.parts.empty() && candidate.parts.front().field == number;
    });
    if (index == object.indexes().end()) {
      return MakeError(ErrorCode::kInternal, "unique-without-index", "the unique field " + field.name + " has no index");
    }
    IndexRange range;
    AppendOrderedEdm(range.lower, value, index->parts.front().descending);
    range.upper = PrefixSuccessor(range.lower);
    bool taken = false;
    const auto scanned = txn.ScanDerived(object.table(), index->derived, range, [&](const IndexEntryView& entry) {
      taken = taken || entry.item_key != own_key;
      return !taken;
    });
    if (!scanned.ok()) return scanned.error();
    if (taken) {
      return MakeError(ErrorCode::kAlreadyExists, "unique-violated",
                       "another record has this value of `" + field.name + "`", field.name);
    }
  }
  return {};
}

WrittenRecord Describe(const ExternalObject& object, ItemRecord& record, const Item& item) {
  WrittenRecord out;
  out.object = &object;
  out.external_id = record.ExternalId();
  out.etag = ContentHash(object.schema(), item);
  return out;
}

}  // namespace

void RecordWriter::AddFields(std::vector<std::string> fields, ItemRecord& record, WrittenRecord& out) const {
  out.changed = true;
  out.fields = std::move(fields);
  if (!report_values_) return;
  for (const std::string& name : out.fields) {
    const Field* field = out.object->FindField(name);
    std::optional<std::string> text;
    if (field != nullptr && !field->hidden) {
      const EdmValue value = record.Value(*field);
      if (!value.is_null()) text = value.ToText();
    }
    out.values.push_back(std::move(text));
  }
}

Result<WrittenRecord> RecordWriter::StoreItem(WriteTransaction& txn, const ExternalObject& object, const Item& item,
                                              std::optional<std::uint32_t> element, std::vector<std::string> fields) {
  TABLECAST_ASSIGN_OR_RETURN(const auto owned, OwnedRecord::Make(object, item, now_));
  if (element) owned->record().SetElement(*element);
  TABLECAST_RETURN_IF_ERROR(CheckUnique(txn, object, owned->record(), owned->encoded_key()));
  TABLECAST_RETURN_IF_ERROR(txn.Put(object.table(), item));
  WrittenRecord out = Describe(object, owned->record(), item);
  AddFields(std::move(fields), owned->record(), out);
  return out;
}

Result<WrittenRecord> RecordWriter::DescribeElement(const ExternalObject& child, const Item& item, std::uint32_t element,
                                                    const RecordChange& change) const {
  TABLECAST_ASSIGN_OR_RETURN(const auto owned, OwnedRecord::Make(child, item, now_));
  owned->record().SetElement(element);
  WrittenRecord out = Describe(child, owned->record(), item);
  out.created = true;
  std::vector<std::string> fields;
  for (const FieldAssignment& assignment : change.fields) fields.push_back(assignment.field->name);
  AddFields(std::move(fields), owned->record(), out);
  return out;
}

Result<WrittenRecord> RecordWriter::Create(WriteTransaction& txn, const RecordChange& change) {
  const ExternalObject& object = *change.object;
  TABLECAST_RETURN_IF_ERROR(CheckWritable(object, &ObjectOptions::create, "creation"));
  if (object.embedded() != nullptr) {
    // The parent is named by its key among the fields.
    const ExternalObject& parent = *object.embedded()->parent;
    for (const Navigation& navigation : object.navigations()) {
      if (!navigation.embedded || navigation.target != &parent) continue;
      for (const FieldAssignment& assignment : change.fields) {
        if (assignment.field->source.kind != SourceKind::kParent || assignment.value.is_null()) continue;
        RecordKey key;
        key.external_id = assignment.value.ToText();
        const Navigation* down = parent.FindNavigation(navigation.partner);
        if (down != nullptr) return CreateUnder(txn, parent, key, *down, change);
      }
    }
    return MakeError(ErrorCode::kInvalidArgument, "parent-unknown",
                     "a record of " + object.name() + " is created under its " + parent.name() + ": POST to " + parent.name() +
                         "('…')/…");
  }
  RecordEdit edit(object, now_, nullptr, std::nullopt);
  std::vector<const LinkedRecords*> children;
  for (const FieldAssignment& assignment : change.fields) TABLECAST_RETURN_IF_ERROR(edit.Assign(assignment, true));
  std::vector<WrittenRecord> made;
  for (const LinkedRecords& link : change.links) {
    const Navigation& navigation = *link.navigation;
    if (navigation.collection) {
      children.push_back(&link);
      continue;
    }
    // A link to one: the target is there already, or made first.
    EdmValue value;
    RecordKey target_key;
    if (!link.create.empty()) {
      TABLECAST_ASSIGN_OR_RETURN(WrittenRecord target, Create(txn, link.create.front()));
      target_key.external_id = target.external_id;
      made.push_back(std::move(target));
    } else if (!link.bind.empty()) {
      target_key = link.bind.front();
    } else {
      continue;
    }
    TABLECAST_ASSIGN_OR_RETURN(const FoundRecord found, FindRecord(txn, *navigation.target, target_key, now_));
    TABLECAST_ASSIGN_OR_RETURN(const auto owned, OwnedRecord::Make(*navigation.target, found.item, now_));
    TABLECAST_RETURN_IF_ERROR(edit.AssignColumn(navigation.from, owned->record().Join(navigation.to)));
  }
  TABLECAST_RETURN_IF_ERROR(edit.FillDefaults(txn));
  // Embedded children are part of the item: one item operation.
  for (const LinkedRecords* link : children) {
    if (!link->navigation->embedded) continue;
    const ExternalObject& child = *link->navigation->target;
    for (const RecordChange& record : link->create) {
      TABLECAST_RETURN_IF_ERROR(AppendElement(txn, child, record, edit.item()));
    }
  }
  TABLECAST_RETURN_IF_ERROR(edit.Finish());
  TABLECAST_ASSIGN_OR_RETURN(const ItemKey key, KeyOf(object.schema(), edit.item()));
  TABLECAST_ASSIGN_OR_RETURN(const auto existing, txn.Get(object.table(), key));
  if (existing) {
    return MakeError(ErrorCode::kAlreadyExists, "key-exists", "an item with this key is there already", "",
                     "change it by PATCH");
  }
  TABLECAST_ASSIGN_OR_RETURN(WrittenRecord written, StoreItem(txn, object, edit.item(), std::nullopt, edit.changed_fields()));
  written.created = true;
  written.others = std::move(made);
  for (const LinkedRecords* link : children) {
    if (link->navigation->embedded) {
      std::uint32_t element = 0;  // a new item: its lists hold what was sent and nothing else
      for (const RecordChange& record : link->create) {
        TABLECAST_ASSIGN_OR_RETURN(WrittenRecord child,
                                   DescribeElement(*link->navigation->target, edit.item(), element++, record));
        written.others.push_back(std::move(child));
      }
      continue;
    }
    RecordKey parent;
    parent.external_id = written.external_id;
    for (const RecordChange& record : link->create) {
      TABLECAST_ASSIGN_OR_RETURN(WrittenRecord child, CreateUnder(txn, object, parent, *link->navigation, record));
      written.others.push_back(std::move(child));
    }
    for (const RecordKey& target : link->bind) {
      TABLECAST_ASSIGN_OR_RETURN(WrittenRecord linked, SetReference(txn, object, parent, *link->navigation, target, false));
      written.others.push_back(std::move(linked));
    }
  }
  return written;
}

Status RecordWriter::AppendElement(WriteTransaction& txn, const ExternalObject& child, const RecordChange& record, Item& item) {
  TABLECAST_RETURN_IF_ERROR(CheckWritable(child, &ObjectOptions::create, "creation"));
  const EmbeddedList& embedded = *child.embedded();
  auto found = item.find(embedded.attribute);
  if (found == item.end()) found = item.emplace(embedded.attribute, AttributeValue::ListOf({})).first;
  AttributeValue* list = &found->second;
  for (const PathStep& step : embedded.path) {
    if (!list->Is(AttributeType::kM)) *list = AttributeValue::MapOf({});
    list = &list->map().emplace(step.name, AttributeValue::ListOf({})).first->second;
  }
  if (!list->Is(AttributeType::kL)) {
    return MakeError(ErrorCode::kInvalidArgument, "element-list", "the item holds something else than a list there", embedded.attribute);
  }
  if (!record.links.empty()) {
    return MakeError(ErrorCode::kUnimplemented, "deep-insert-embedded",
                     "related records of an embedded record are not created with it", record.links.front().navigation->name,
                     "create them on their own");
  }
  list->list().push_back(AttributeValue::MapOf({}));
  const auto index = static_cast<std::uint32_t>(list->list().size() - 1);
  // The same steps as for a record of its own, on the item that is being made.
  RecordEdit edit(child, now_, nullptr, index);
  edit.item() = std::move(item);
  Status filled;
  for (const FieldAssignment& assignment : record.fields) {
    if (filled.ok()) filled = edit.Assign(assignment, true);
  }
  if (filled.ok()) filled = edit.FillDefaults(txn);
  if (filled.ok()) filled = edit.CheckElement(embedded.key_member);
  item = std::move(edit.item());
  return filled;
}

Result<WrittenRecord> RecordWriter::CreateUnder(WriteTransaction& txn, const ExternalObject& parent_object,
                                                const RecordKey& parent, const Navigation& navigation,
                                                RecordChange change) {
  TABLECAST_RETURN_IF_ERROR(CheckWritable(*navigation.target, &ObjectOptions::create, "creation"));
  TABLECAST_ASSIGN_OR_RETURN(const FoundRecord found, FindRecord(txn, parent_object, parent, now_));
  const ExternalObject& object = *navigation.target;
  if (navigation.embedded) {
    Item item = found.item;
    TABLECAST_RETURN_IF_ERROR(AppendElement(txn, object, change, item));
    TABLECAST_RETURN_IF_ERROR(ValidateItem(object.schema(), item));
    TABLECAST_RETURN_IF_ERROR(txn.Put(object.table(), item));
    TABLECAST_ASSIGN_OR_RETURN(const auto owned, OwnedRecord::Make(object, item, now_));
    return DescribeElement(object, item, owned->record().ElementCount() - 1, change);
  }
  TABLECAST_ASSIGN_OR_RETURN(const auto owned, OwnedRecord::Make(parent_object, found.item, now_));
  const EdmValue join = owned->record().Join(navigation.from);
  // The child's side of the join follows from the parent; a payload that says otherwise is refused.
  const Field* join_field = navigation.to.field;
  if (join_field != nullptr) {
    const auto given = std::find_if(change.fields.begin(), change.fields.end(),
                                    [&](const FieldAssignment& assignment) { return assignment.field == join_field; });
    if (given == change.fields.end()) {
      change.fields.push_back({join_field, join, {}});
    } else if (!EqualEdm(given->value, join)) {
      return MakeError(ErrorCode::kInvalidArgument, "parent-mismatch",
                       "the record names another parent than the one it is created under", join_field->name);
    }
    return Create(txn, change);
  }
  // The join column is no field: it is set on the item itself.
  RecordEdit edit(object, now_, nullptr, std::nullopt);
  for (const FieldAssignment& assignment : change.fields) TABLECAST_RETURN_IF_ERROR(edit.Assign(assignment, true));
  TABLECAST_RETURN_IF_ERROR(edit.AssignColumn(navigation.to, join));
  TABLECAST_RETURN_IF_ERROR(edit.FillDefaults(txn));
  TABLECAST_RETURN_IF_ERROR(edit.Finish());
  TABLECAST_ASSIGN_OR_RETURN(const ItemKey key, KeyOf(object.schema(), edit.item()));
  TABLECAST_ASSIGN_OR_RETURN(const auto existing, txn.Get(object.table(), key));
  if (existing) return MakeError(ErrorCode::kAlreadyExists, "key-exists", "an item with this key is there already");
  TABLECAST_ASSIGN_OR_RETURN(WrittenRecord written, StoreItem(txn, object, edit.item(), std::nullopt, edit.changed_fields()));
  written.created = true;
  return written;
}

Result<WrittenRecord> RecordWriter::Update(WriteTransaction& txn, const RecordKey& key, const RecordChange& change,
                                           UpdateMode mode, const Preconditions& preconditions, bool upsert) {
  const ExternalObject& object = *change.object;
  auto found = FindRecord(txn, object, key, now_);
  if (!found.ok()) {
    const bool missing = found.error().code == ErrorCode::kNotFound;
    if (!missing) return found.error();
    if (!preconditions.if_match.empty()) {
      return MakeError(ErrorCode::kFailedPrecondition, "etag-mismatch", "the record is not there, and If-Match demands it");
    }
    const ObjectOptions& options = object.options();
    if (!upsert || !options.upsert || !options.update || object.embedded() != nullptr) return found.error();
    RecordChange creation = change;
    // The key of the address fills the key columns.
    if (key.external_id) {
      creation.fields.insert(creation.fields.begin(), {&object.fields().front(), EdmValue::String(*key.external_id), {}});
    }
    for (const auto& [name, value] : key.alternate) {
      const Field* field = object.FindField(name);
      if (field == nullptr) field = object.FieldOfColumn(name);
      if (field == nullptr) return found.error();
      creation.fields.insert(creation.fields.begin(), {field, value, {}});
    }
    return Create(txn, creation);
  }
  TABLECAST_RETURN_IF_ERROR(CheckWritable(object, &ObjectOptions::update, "update"));
  const std::string etag = ContentHash(object.schema(), found->item);
  TABLECAST_RETURN_IF_ERROR(CheckPreconditions(preconditions, etag));
  RecordEdit edit(object, now_, &found->item, found->element);
  for (const FieldAssignment& assignment : change.fields) TABLECAST_RETURN_IF_ERROR(edit.Assign(assignment, false));
  if (mode == UpdateMode::kReplace) TABLECAST_RETURN_IF_ERROR(edit.ResetUnnamed(change.fields, change.kept));
  for (const LinkedRecords& link : change.links) {
    if (link.navigation->collection || !link.create.empty()) {
      return MakeError(ErrorCode::kUnimplemented, "deep-update", "an update of related records inside a record is not offered",
                       link.navigation->name);
    }
    EdmValue value;
    if (!link.bind.empty()) {
      TABLECAST_ASSIGN_OR_RETURN(const FoundRecord target, FindRecord(txn, *link.navigation->target, link.bind.front(), now_));
      TABLECAST_ASSIGN_OR_RETURN(const auto owned, OwnedRecord::Make(*link.navigation->target, target.item, now_));
      value = owned->record().Join(link.navigation->to);
    }
    TABLECAST_RETURN_IF_ERROR(edit.AssignColumn(link.navigation->from, value));
  }
  TABLECAST_ASSIGN_OR_RETURN(const auto before, OwnedRecord::Make(object, found->item, now_));
  if (found->element) before->record().SetElement(*found->element);
  if (!edit.changed()) {
    WrittenRecord same = Describe(object, before->record(), found->item);
    return same;
  }
  TABLECAST_RETURN_IF_ERROR(edit.ApplyOnUpdate());
  TABLECAST_RETURN_IF_ERROR(edit.Finish());
  TABLECAST_ASSIGN_OR_RETURN(const ItemKey new_key, KeyOf(object.schema(), edit.item()));
  if (!(new_key == found->key)) {
    return MakeError(ErrorCode::kInvalidArgument, "key-immutable", "the change would move the record to another key", "",
                     "delete it and create the other one");
  }
  TABLECAST_ASSIGN_OR_RETURN(WrittenRecord written, StoreItem(txn, object, edit.item(), found->element, edit.changed_fields()));
  return written;
}

Result<WrittenRecord> RecordWriter::Delete(WriteTransaction& txn, const ExternalObject& object, const RecordKey& key,
                                           const Preconditions& preconditions) {
  TABLECAST_RETURN_IF_ERROR(CheckWritable(object, &ObjectOptions::remove, "deletion"));
  TABLECAST_ASSIGN_OR_RETURN(FoundRecord found, FindRecord(txn, object, key, now_));
  TABLECAST_RETURN_IF_ERROR(CheckPreconditions(preconditions, ContentHash(object.schema(), found.item)));
  TABLECAST_ASSIGN_OR_RETURN(const auto owned, OwnedRecord::Make(object, found.item, now_));
  if (found.element) owned->record().SetElement(*found.element);
  WrittenRecord written;
  written.object = &object;
  written.external_id = owned->record().ExternalId();
  written.changed = true;
  if (!found.element) {
    TABLECAST_ASSIGN_OR_RETURN(const bool deleted, txn.Delete(object.table(), found.key));
    static_cast<void>(deleted);
    return written;
  }
  const EmbeddedList& embedded = *object.embedded();
  AttributeValue* list = &found.item.find(embedded.attribute)->second;
  for (const PathStep& step : embedded.path) list = &list->map().find(step.name)->second;
  list->list().erase(list->list().begin() + static_cast<std::ptrdiff_t>(*found.element));
  TABLECAST_RETURN_IF_ERROR(txn.Put(object.table(), found.item));
  return written;
}

Result<WrittenRecord> RecordWriter::SetReference(WriteTransaction& txn, const ExternalObject& object, const RecordKey& record,
                                                 const Navigation& navigation, const std::optional<RecordKey>& target,
                                                 bool remove) {
  if (navigation.embedded) {
    return MakeError(ErrorCode::kInvalidArgument, "link-embedded", "an embedded record has no link of its own", navigation.name);
  }
  // The side that holds the column is the one that changes.
  const auto value_of = [&](const ExternalObject& of, const RecordKey& key, const JoinColumn& column) -> Result<EdmValue> {
    TABLECAST_ASSIGN_OR_RETURN(const FoundRecord found, FindRecord(txn, of, key, now_));
    TABLECAST_ASSIGN_OR_RETURN(const auto owned, OwnedRecord::Make(of, found.item, now_));
    return owned->record().Join(column);
  };
  const auto set = [&](const ExternalObject& of, const RecordKey& key, const JoinColumn& column,
                       const EdmValue& value) -> Result<WrittenRecord> {
    TABLECAST_RETURN_IF_ERROR(CheckWritable(of, &ObjectOptions::update, "update"));
    TABLECAST_ASSIGN_OR_RETURN(const FoundRecord found, FindRecord(txn, of, key, now_));
    RecordEdit edit(of, now_, &found.item, found.element);
    TABLECAST_RETURN_IF_ERROR(edit.AssignColumn(column, value));
    TABLECAST_ASSIGN_OR_RETURN(const auto before, OwnedRecord::Make(of, found.item, now_));
    if (!edit.changed()) return Describe(of, before->record(), found.item);
    TABLECAST_RETURN_IF_ERROR(edit.ApplyOnUpdate());
    TABLECAST_RETURN_IF_ERROR(edit.Finish());
    std::vector<std::string> fields = edit.changed_fields();
    const std::string& linked = column.field != nullptr ? column.field->name : column.column;
    if (std::find(fields.begin(), fields.end(), linked) == fields.end()) fields.push_back(linked);
    return StoreItem(txn, of, edit.item(), found.element, std::move(fields));
  };
  if (navigation.collection) {
    if (!target) return MakeError(ErrorCode::kInvalidArgument, "link-target", "$id names the record to take out", "$id");
    EdmValue value;
    if (!remove) {
      TABLECAST_ASSIGN_OR_RETURN(value, value_of(object, record, navigation.from));
    }
    return set(*navigation.target, *target, navigation.to, value);
  }
  EdmValue value;
  if (!remove && target) {
    TABLECAST_ASSIGN_OR_RETURN(value, value_of(*navigation.target, *target, navigation.to));
  }
  return set(object, record, navigation.from, value);
}

}  // namespace tablecast
