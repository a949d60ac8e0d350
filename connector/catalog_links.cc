// Relationships, embedded children, declared indexes and access patterns of a catalog.

#include <algorithm>

#include "base/utf8.h"
#include "connector/catalog_builder.h"
#include "connector/content_hash.h"
#include "connector/convert.h"

namespace tablecast {
namespace {

// Versions of the entries that index_maintainer.h describes: raise when they change.
constexpr std::string_view kMembershipVersion = "m1";
constexpr std::string_view kIndexVersion = "i1";

// Kinds that a join compares: text with text, numbers with numbers.
int JoinFamily(EdmKind kind) {
  if (IsNumeric(kind)) return 1;
  if (kind == EdmKind::kBinary) return 2;
  if (kind == EdmKind::kDateTimeOffset || kind == EdmKind::kDate) return 3;
  if (kind == EdmKind::kBoolean) return 4;
  return 0;
}

}  // namespace

bool CatalogBuilder::ResolveJoin(const ExternalObject& object, const std::string& column,
                                 JoinColumn& join) const {
  join.column = column;
  if (column == kExternalIdField) {
    join.source.kind = SourceKind::kExternalId;
    join.field = &object.fields().front();
    return true;
  }
  const Field* field = object.FieldOfColumn(column);
  if (field == nullptr) field = object.FindField(column);
  if (field != nullptr) {
    join.source = field->source;
    join.field = field;
    join.kind = field->kind;
    return !field->collection && field->kind != EdmKind::kComplex;
  }
  const auto& virtuals = object.qualifier().virtual_columns();
  for (std::size_t i = 0; i < virtuals.size(); ++i) {
    if (virtuals[i].name != column) continue;
    join.source.kind = SourceKind::kVirtual;
    join.source.virtual_index = static_cast<std::uint32_t>(i);
    join.source.attribute = column;
    if (virtuals[i].type == formula::ValueType::kNumber) join.kind = EdmKind::kDecimal;
    return true;
  }
  if (object.embedded() != nullptr) return false;
  Result<AttributePath> path = ParseAttributePath(column);
  if (!path.ok()) return false;
  join.source.attribute = path->attribute;
  join.source.path = std::move(path->steps);
  std::optional<AttributeType> type;
  const PhysicalColumn* physical = object.qualifier().FindPhysical(join.source.attribute);
  if (physical != nullptr) type = physical->declared_type;
  const KeySchema& key = object.schema().key;
  if (key.partition.name == column) type = key.partition.type;
  if (key.sort && key.sort->name == column) type = key.sort->type;
  if (type == AttributeType::kN) join.kind = EdmKind::kDecimal;
  if (type == AttributeType::kB) join.kind = EdmKind::kBinary;
  return true;
}

bool CatalogBuilder::AwaitsData(const Draft& draft) {
  if (draft.undeclared) return true;
  const std::vector<Field>& fields = draft.object->fields();
  if (draft.embedded) {
    return std::none_of(fields.begin(), fields.end(),
                        [](const Field& f) { return f.source.kind == SourceKind::kElement; });
  }
  return draft.all_fields && draft.inferred && draft.inferred->report.items_seen == 0;
}

bool CatalogBuilder::AddNavigation(ExternalObject& object, Navigation navigation,
                                   const JsonPlace& at) {
  if (!IsODataIdentifier(navigation.name)) {
    findings_.Error(at, "bad-name",
                    "`" + navigation.name + "` is no OData identifier of at most 40 characters",
                    "name the relationship by letters, digits and _, a letter first");
    return false;
  }
  if (object.FindField(navigation.name) != nullptr ||
      object.FindNavigation(navigation.name) != nullptr) {
    findings_.Error(at, "duplicate-name",
                    "object " + object.name() + " already has a property `" + navigation.name + "`",
                    "choose another name for the relationship or its inverse");
    return false;
  }
  if (navigation.label.empty()) navigation.label = navigation.name;
  object.navigations_.push_back(std::move(navigation));
  return true;
}

void CatalogBuilder::UnknownTarget(const JsonPlace& at, const std::string& relationship,
                                   const std::string& target,
                                   const std::vector<std::string>& names) {
  const auto nearest = NearestName(target, names);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  findings_.Error(at, "unknown-object",
                  "relationship " + relationship + ": there is no object `" + target + "`",
                  nearest ? "did you mean `" + *nearest + "`?" : "the catalog's objects are " + all);
}

// Extension() would report what stands in both files a second time.
JsonPlace CatalogBuilder::EitherExtension(const Draft& draft, std::string_view key) {
  const JsonPlace own = draft.extensions.Child(key);
  return own ? own : draft.overlay.Child(key);
}

std::vector<std::string> CatalogBuilder::ObjectNames() const {
  std::vector<std::string> names;
  for (const auto& draft : drafts_) {
    names.push_back(draft->object->name());
    const JsonPlace children = EitherExtension(*draft, "children");
    if (draft->embedded || !IsObject(children)) continue;
    for (const JsonMember& member : children.value->members) {
      names.push_back(StringOf(children.Child(member.name), "object")
                          .value_or(draft->object->name() + "_" + member.name));
    }
  }
  return names;
}

void CatalogBuilder::CheckOverlayNames() {
  const JsonPlace objects = overlay_.Child("objects");
  if (!IsObject(objects)) return;
  const std::vector<std::string> names = ObjectNames();
  for (const JsonMember& member : objects.value->members) {
    if (std::find(names.begin(), names.end(), member.name) != names.end()) continue;
    const auto nearest = NearestName(member.name, names);
    const std::string message = "`objects` describes `" + member.name + "`, and there is no such object";
    const std::string remedy = nearest ? "did you mean `" + *nearest + "`?"
                                       : "add " + member.name + ".json, or remove the entry";
    // An open table may come later.
    if (open_tables_)
      findings_.Warning(objects.Child(member.name), "unknown-object", message, remedy);
    else
      findings_.Error(objects.Child(member.name), "unknown-object", message, remedy);
  }
}

void CatalogBuilder::CheckRelationshipTargets() {
  const std::vector<std::string> names = ObjectNames();
  for (const auto& draft : drafts_) {
    const JsonPlace all = EitherExtension(*draft, "relationships");
    if (!IsObject(all)) continue;
    for (const JsonMember& member : all.value->members) {
      const JsonPlace relationship = all.Child(member.name);
      const auto target = StringOf(relationship, "to");
      if (target && std::find(names.begin(), names.end(), *target) == names.end())
        UnknownTarget(relationship.Child("to"), member.name, *target, names);
    }
  }
}

void CatalogBuilder::BuildRelationships(Draft& draft) {
  ExternalObject& object = *draft.object;
  const JsonPlace all =
      draft.embedded ? draft.overlay.Child("relationships") : Extension(draft, "relationships");
  if (!IsObject(all)) return;
  for (const JsonMember& member : all.value->members) {
    const JsonPlace at = all.Child(member.name);
    const std::optional<std::string> column = StringOf(at, "column");
    if (!column) continue;
    JoinColumn from;
    if (!ResolveJoin(object, *column, from)) {
      findings_.Error(at.Child("column"), "bad-column",
                      "relationship " + member.name + ": `" + *column +
                          "` is no single column of " + object.name(),
                      "name an attribute, a path to one value, or a virtual column");
      continue;
    }
    if (auto external = StringOf(at, "external")) {
      ExternalLookup lookup{member.name, *external, *column,
                            from.field == nullptr ? "" : from.field->name};
      if (external->find('.') == std::string::npos) {
        findings_.Error(at.Child("external"), "bad-external", "`" + *external + "` names no field",
                        "write Object.Field, e.g. \"Account.AccountNumber__c\"");
      }
      object.external_lookups_.push_back(std::move(lookup));
      continue;
    }
    const std::optional<std::string> target_name = StringOf(at, "to");
    if (!target_name) {
      findings_.Error(at, "missing-option",
                      "relationship " + member.name + " needs `to` or `external`",
                      "write \"to\": \"OBJECT\", or \"external\": \"Object.Field\" for a parent elsewhere");
      continue;
    }
    Draft* target = FindDraft(*target_name);
    if (target == nullptr) {
      std::vector<std::string> names;
      for (const auto& other : drafts_) names.push_back(other->object->name());
      UnknownTarget(at.Child("to"), member.name, *target_name, names);
      continue;
    }
    JoinColumn to;
    const std::string to_column = StringOf(at, "toColumn").value_or(std::string(kExternalIdField));
    if (!ResolveJoin(*target->object, to_column, to)) {
      findings_.Error(at.Child("toColumn"), "bad-column",
                      "relationship " + member.name + ": `" + to_column +
                          "` is no single column of " + *target_name,
                      "name a column that tells its records apart, or leave `toColumn` out");
      continue;
    }
    const bool known = !AwaitsData(draft) && !AwaitsData(*target);
    if (known && JoinFamily(from.kind) != JoinFamily(to.kind)) {
      findings_.Error(at, "relationship-types",
                      "relationship " + member.name + " joins " + *column + " (" +
                          std::string(EdmKindName(from.kind)) + ") with " + *target_name + "." +
                          to_column + " (" + std::string(EdmKindName(to.kind)) + ")",
                      "join columns of one type");
      continue;
    }
    const std::string inverse = StringOf(at, "inverse").value_or("");
    Navigation forward;
    forward.name = member.name;
    forward.label = StringOf(at, "label").value_or(member.name);
    forward.target = target->object.get();
    forward.declared = true;
    forward.from = from;
    forward.to = to;
    forward.partner = inverse;
    if (!AddNavigation(object, std::move(forward), at) || inverse.empty()) continue;
    Navigation back;
    back.name = inverse;
    back.target = &object;
    back.collection = true;
    back.from = to;
    back.to = from;
    back.partner = member.name;
    AddNavigation(*target->object, std::move(back), at.Child("inverse"));
  }
}

void CatalogBuilder::BuildChildren() {
  std::vector<std::unique_ptr<Draft>> born;
  for (const auto& parent : drafts_) {
    const JsonPlace children = Extension(*parent, "children");
    if (!IsObject(children)) continue;
    for (const JsonMember& member : children.value->members) {
      const JsonPlace at = children.Child(member.name);
      const std::optional<std::string> column = StringOf(at, "column");
      if (!column) continue;
      Result<AttributePath> path = ParseAttributePath(*column);
      if (!path.ok()) {
        findings_.Error(at.Child("column"), "bad-column", path.error().message,
                        path.error().remedy);
        continue;
      }
      auto draft = std::make_unique<Draft>();
      draft->embedded = true;
      draft->entry = at;
      draft->qualifier = parent->qualifier;
      draft->extensions = JsonPlace{nullptr, at.file, at.path};
      draft->object = std::make_unique<ExternalObject>();
      ExternalObject& object = *draft->object;
      object.name_ = StringOf(at, "object").value_or(parent->object->name() + "_" + member.name);
      const bool clash = FindDraft(object.name_) != nullptr ||
                         std::any_of(born.begin(), born.end(), [&](const auto& d) {
                           return d->object->name() == object.name_;
                         });
      if (!IsODataIdentifier(object.name_) || clash) {
        findings_.Error(at, clash ? "duplicate-object" : "bad-object-name",
                        "`" + object.name_ + "` cannot name the child object",
                        "set `object` to a free identifier");
        continue;
      }
      draft->overlay = overlay_.Child("objects").Child(object.name_);
      const JsonPlace described = draft->overlay.Child("object");
      object.label_ =
          StringOf(described, "label").value_or(StringOf(at, "label").value_or(object.name_));
      object.plural_label_ = StringOf(described, "pluralLabel")
                                 .value_or(StringOf(at, "pluralLabel").value_or(object.label_));
      object.description_ = StringOf(described, "description").value_or("");
      object.file_ = parent->object->file();
      object.table_ = parent->object->table();
      object.table_exists_ = parent->object->table_exists();
      object.schema_ = parent->object->schema();
      object.qualifier_ = parent->object->shared_qualifier();
      object.embedded_ = EmbeddedList{parent->object.get(), path->attribute, std::move(path->steps),
                                      StringOf(at, "key").value_or("")};
      object.options_.read_only =
          parent->object->options().read_only || object.embedded_->key_member.empty();
      ReadVerbs(described, object.options_);
      object.external_id_.separator = parent->object->external_id().separator;
      object.external_id_.escape = parent->object->external_id().escape;
      object.external_id_.max_length = parent->object->external_id().max_length;
      object.external_id_.parts.push_back(
          ExternalIdPart{});  // the element's key; the parent's parts come first
      draft->currency_columns = parent->currency_columns;
      BuildEmbeddedFields(*draft, *parent->object, *parent);
      born.push_back(std::move(draft));
    }
  }
  for (auto& draft : born) drafts_.push_back(std::move(draft));
}

void CatalogBuilder::LinkChildren() {
  for (const auto& draft : drafts_) {
    if (!draft->embedded) continue;
    ExternalObject& child = *draft->object;
    Draft* parent = FindDraft(child.embedded()->parent->name());
    if (parent == nullptr) continue;
    const std::size_t dot = draft->entry.path.find_last_of('.');
    Navigation down;
    down.name = draft->entry.path.substr(dot + 1);
    down.target = &child;
    down.collection = true;
    down.embedded = true;
    down.contains = true;
    Navigation up;
    up.name = parent->object->label();
    const bool usable = IsODataIdentifier(up.name) && child.FindField(up.name) == nullptr;
    if (!usable) up.name = parent->object->name();
    up.target = parent->object.get();
    up.embedded = true;
    ResolveJoin(*parent->object, std::string(kExternalIdField), down.from);
    ResolveJoin(child, "ParentExternalId", down.to);
    up.from = down.to;
    up.to = down.from;
    down.partner = up.name;
    up.partner = down.name;
    AddNavigation(*parent->object, std::move(down), draft->entry);
    AddNavigation(child, std::move(up), draft->entry);
  }
}

void CatalogBuilder::BuildIndexes(Draft& draft) {
  ExternalObject& object = *draft.object;
  const auto fingerprint = [&](const DeclaredIndex& index) {
    ContentHasher hasher;
    hasher.Add(kIndexVersion);
    hasher.Add(object.qualifier().fingerprint());
    if (object.embedded() != nullptr) hasher.Add(object.embedded()->attribute);
    for (const DeclaredIndex::Part& part : index.parts) {
      const Field& field = object.fields()[part.field];
      hasher.Add(FieldSourceText(field.source));
      hasher.Add(std::to_string(static_cast<int>(field.source.kind)));
      hasher.Add(FieldTypeName(field.type));
      hasher.Add(field.unit);
      hasher.Add(std::to_string(field.zone_minutes) + (part.descending ? "d" : "a") +
                 (field.empty_text_is_null ? "n" : "t") + (field.declared ? "D" : "I"));
    }
    return hasher.Hex();
  };
  const auto add = [&](DeclaredIndex index) {
    index.derived.name = "index/" + object.name() + "/" + std::to_string(object.indexes_.size());
    index.derived.fingerprint = fingerprint(index);
    object.indexes_.push_back(std::move(index));
  };
  const JsonPlace all =
      draft.embedded ? draft.overlay.Child("indexes") : Extension(draft, "indexes");
  if (all && all.value->IsArray()) {
    for (std::size_t i = 0; i < all.value->elements.size(); ++i) {
      const JsonPlace at{&all.value->elements[i], all.file,
                         all.path + "[" + std::to_string(i) + "]"};
      DeclaredIndex index;
      bool good = true;
      for (const std::string& text : StringsOf(at, "fields")) {
        const std::size_t blank = text.find(' ');
        const std::string name = text.substr(0, blank);
        const std::string direction = blank == std::string::npos ? "asc" : text.substr(blank + 1);
        const Field* field = object.FindField(name);
        if (field == nullptr) field = object.FieldOfColumn(name);
        const bool usable = field != nullptr && !field->collection &&
                            field->kind != EdmKind::kComplex && field->type != FieldType::kJsonText;
        if (field == nullptr && AwaitsData(draft)) {
          // Its columns are not known before its first items: the index comes when the catalog is
          // loaded again.
          good = false;
          continue;
        }
        if (!usable || (direction != "asc" && direction != "desc")) {
          const auto nearest = object.NearestFieldName(name);
          findings_.Error(at, "bad-index",
                          "`" + text + "` is no field to index, optionally with asc or desc",
                          !usable && nearest ? "did you mean `" + *nearest + "`?"
                                             : "write \"Field\" or \"Field desc\"");
          good = false;
          continue;
        }
        index.parts.push_back({object.IndexOf(*field), direction == "desc"});
      }
      if (good && !index.parts.empty()) add(std::move(index));
    }
  }
  for (const Field& field : object.fields()) {
    if (!field.unique) continue;
    const std::uint32_t number = object.IndexOf(field);
    const bool there = std::any_of(
        object.indexes_.begin(), object.indexes_.end(),
        [&](const DeclaredIndex& index) { return index.parts.front().field == number; });
    if (!there) {
      DeclaredIndex index;
      index.parts.push_back({number, false});
      add(std::move(index));
    }
  }
  ContentHasher hasher;
  hasher.Add(kMembershipVersion);
  hasher.Add(object.qualifier().fingerprint());
  if (object.options().clustered && object.embedded() == nullptr) hasher.Add("clustered");
  if (object.embedded() != nullptr) {
    hasher.Add(object.embedded()->attribute);
    hasher.Add(draft.entry.Child("column").value == nullptr
                   ? ""
                   : draft.entry.Child("column").value->text);
  }
  object.membership_ = DerivedIndex{"member/" + object.name(), hasher.Hex()};
  if (object.options().guid_key)
    object.guid_index_ = DerivedIndex{"guid/" + object.name(), hasher.Hex()};
}

void CatalogBuilder::BuildAggregates(Draft& draft) {
  ExternalObject& object = *draft.object;
  const JsonPlace described =
      draft.embedded ? draft.overlay.Child("object") : Extension(draft, "object");
  const JsonPlace all = described.Child("aggregates");
  if (!IsObject(all)) return;
  for (const JsonMember& member : all.value->members) {
    const JsonPlace at = all.Child(member.name);
    const Field* field = object.FindField(member.name);
    if (field == nullptr) field = object.FieldOfColumn(member.name);
    if (field == nullptr && AwaitsData(draft)) continue;
    if (field == nullptr || field->hidden) {
      findings_.Error(at, "unknown-field", "`" + member.name + "` is no field of " + object.name(),
                      "name a published field");
      continue;
    }
    if ((at.value->text == "sum" || at.value->text == "average") && !IsNumeric(field->kind)) {
      findings_.Error(at, "aggregate-type",
                      "field " + member.name + " has no numbers to " + at.value->text,
                      "write min, max or countdistinct, or name a field of numbers");
      continue;
    }
    object.aggregates_.push_back({field->name, at.value->text});
  }
}

void CatalogBuilder::BuildMaintainers() {
  for (const auto& draft : drafts_) {
    ExternalObject& object = *draft->object;
    if (!object.table_exists()) continue;
    Catalog::TableIndexes& table = catalog_->table_indexes_[object.table()];
    table.objects.push_back(&object);
    const auto number = [&](const DerivedIndex& index) {
      table.indexes.push_back(index);
      return static_cast<std::uint32_t>(table.indexes.size() - 1);
    };
    object.membership_maintainer_index_ = number(object.membership_);
    for (DeclaredIndex& index : object.indexes_) index.maintainer_index = number(index.derived);
    if (object.guid_index_) object.guid_maintainer_index_ = number(*object.guid_index_);
  }
}

void CatalogBuilder::ReadAccessPatterns() {
  const JsonPlace all = overlay_.Child("accessPatterns");
  if (!IsObject(all)) return;
  for (const JsonMember& member : all.value->members) {
    const JsonPlace at = all.Child(member.name);
    AccessPattern pattern;
    pattern.name = member.name;
    pattern.request = StringOf(at, "request").value_or("");
    pattern.path = StringOf(at, "path").value_or("");
    if (auto reads = UintOf(at, "maxReads")) pattern.max_reads = *reads;
    if (const JsonPlace example = at.Child("example"); IsObject(example)) {
      for (const JsonMember& value : example.value->members)
        pattern.example.emplace_back(value.name, value.value.text);
    }
    catalog_->access_patterns_.push_back(std::move(pattern));
  }
}

}  // namespace tablecast
