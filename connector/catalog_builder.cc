#include "connector/catalog_builder.h"

#include <algorithm>
#include <set>

#include "base/civil_time.h"
#include "connector/content_hash.h"
#include "connector/field_defaults.h"
#include "qualifiers/compiled_qualifier.h"
#include "qualifiers/document_shape.h"
#include "qualifiers/qualifier_parser.h"

namespace tablecast {
namespace {

constexpr std::string_view kOverlayName = "catalog.json";

std::string BaseName(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string Stem(std::string_view path) {
  std::string name = BaseName(path);
  if (name.size() > 5 && name.compare(name.size() - 5, 5, ".json") == 0)
    name.resize(name.size() - 5);
  return name;
}

std::string LowerAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// "Z", "+02:00" -> minutes.
std::optional<std::int32_t> ZoneMinutes(const std::string& text) {
  const Result<IsoDateTime> read = ParseIso8601("2000-01-01T00:00:00" + text, 0);
  if (!read.ok() || !read->has_zone) return std::nullopt;
  return read->zone_offset_minutes;
}

}  // namespace

CatalogBuilder::CatalogBuilder(const std::vector<CatalogFile>& files, ItemStore* store,
                               const CatalogOptions& options)
    : files_(files), store_(store), options_(options), catalog_(std::make_shared<Catalog>()) {}

CatalogLoad CatalogBuilder::Build() {
  if (store_ != nullptr) {
    Result<std::unique_ptr<ReadSnapshot>> snapshot = store_->BeginRead();
    if (!snapshot.ok()) {
      Issue issue;
      issue.code = snapshot.error().reason;
      issue.message = snapshot.error().message;
      findings_.Add(std::move(issue));
    } else {
      snapshot_ = *std::move(snapshot);
    }
  }
  ReadOverlay();
  ReadDrafts();
  NameObjects();
  if (open_tables_) OpenTables();
  CheckOverlayNames();
  for (const auto& draft : drafts_) Compile(*draft);
  if (!HasErrors(findings_.issues())) {
    for (const auto& draft : drafts_) {
      ReadObjectOptions(*draft);
      Infer(*draft);
      BuildFields(*draft);
      BuildExternalId(*draft);
    }
    BuildChildren();
    for (const auto& draft : drafts_) FinishFields(*draft);
  }
  // A schema that waits for data hides no other fault: its links are checked all the same.
  const bool linkable = std::none_of(
      findings_.issues().begin(), findings_.issues().end(), [](const Issue& issue) {
        return issue.severity == Severity::kError && issue.code != "fields-undeclared";
      });
  if (linkable) {
    LinkChildren();
    for (const auto& draft : drafts_) BuildRelationships(*draft);
    for (const auto& draft : drafts_) {
      BuildIndexes(*draft);
      BuildAggregates(*draft);
    }
    BuildMaintainers();
    ReadAccessPatterns();
  } else {
    CheckRelationshipTargets();
  }
  snapshot_.reset();
  CatalogLoad load;
  const bool failed = HasErrors(findings_.issues());
  if (!failed) {
    for (auto& draft : drafts_) {
      if (draft->inferred) catalog_->inference_.push_back(draft->inferred->report);
      catalog_->objects_.push_back(std::move(draft->object));
    }
    std::sort(catalog_->objects_.begin(), catalog_->objects_.end(),
              [](const auto& a, const auto& b) { return a->name() < b->name(); });
    std::sort(catalog_->missing_tables_.begin(), catalog_->missing_tables_.end());
    catalog_->missing_tables_.erase(
        std::unique(catalog_->missing_tables_.begin(), catalog_->missing_tables_.end()),
        catalog_->missing_tables_.end());
    catalog_->fingerprint_ = Fingerprint();
    KeepInferred();
    load.catalog = std::move(catalog_);
  }
  load.issues = std::move(findings_.issues());
  return load;
}

void CatalogBuilder::ReadOverlay() {
  for (const CatalogFile& file : files_) {
    if (BaseName(file.name) != kOverlayName) continue;
    Result<JsonValue> json = ParseJson(
        file.text,
        JsonOptions{.allow_comments = true, .allow_trailing_commas = true, .max_depth = 32});
    overlay_.file = file.name;
    if (!json.ok()) {
      Issue issue;
      issue.code = json.error().reason;
      issue.message = json.error().message;
      issue.remedy = json.error().remedy.empty()
                         ? "`tablecast validate " + file.name + "` says what to write"
                         : json.error().remedy;
      issue.file = file.name;
      issue.span.begin = issue.span.end = json.error().position;
      findings_.Add(std::move(issue));
      return;
    }
    overlay_json_ = *std::move(json);
    overlay_.value = &overlay_json_;
    overlay_text_ = file.text;
  }
  if (!overlay_) return;
  std::vector<Issue> shape;
  CheckCatalogShape(overlay_json_, shape);
  for (Issue& issue : shape) {
    issue.file = overlay_.file;
    findings_.Add(std::move(issue));
  }
  if (!IsObject(overlay_)) return;
  default_table_ = StringOf(overlay_, "defaultTable").value_or("");
  if (auto name = StringOf(overlay_, "namespace")) {
    if (!IsODataIdentifier(*name)) {
      findings_.Error(overlay_.Child("namespace"), "bad-name",
                      "`" + *name + "` is no CSDL namespace", "use letters, digits and _ only");
    }
    catalog_->namespace_ = *name;
  }
  catalog_->currency_ = StringOf(overlay_, "currency").value_or("");
  if (!catalog_->currency_.empty() && catalog_->currency_.size() != 3) {
    findings_.Error(overlay_.Child("currency"), "bad-currency",
                    "`" + catalog_->currency_ + "` is no ISO 4217 code",
                    "write three letters, e.g. \"EUR\"");
  }
  currency_columns_ = StringsOf(overlay_, "currencyColumns");
  if (auto zone = StringOf(overlay_, "timeZone")) {
    const std::optional<std::int32_t> minutes = ZoneMinutes(*zone);
    if (!minutes) {
      findings_.Error(overlay_.Child("timeZone"), "bad-time-zone",
                      "`" + *zone + "` is no UTC offset", "write Z or an offset such as +02:00");
    }
    catalog_->zone_minutes_ = minutes.value_or(0);
  }
  const auto choice = [&](std::string_view key, std::string_view a, std::string_view b) {
    const auto value = StringOf(overlay_, key);
    if (value && *value != a && *value != b) {
      findings_.Error(
          overlay_.Child(key), "bad-choice",
          "`" + std::string(key) + "` is \"" + std::string(a) + "\" or \"" + std::string(b) + "\"",
          "write one of them, or leave it out");
    }
    return value && *value == b;
  };
  catalog_->blank_as_zero_ = choice("blanks", "blank", "zero");
  empty_text_is_null_ = !choice("emptyText", "null", "text");
  if (auto size = UintOf(overlay_, "pageSize"))
    catalog_->page_size_ = static_cast<std::uint32_t>(*size);
  if (auto size = UintOf(overlay_, "maxPageSize"))
    catalog_->max_page_size_ = static_cast<std::uint32_t>(*size);
  if (catalog_->page_size_ == 0 || catalog_->max_page_size_ < catalog_->page_size_) {
    findings_.Error(overlay_.Child("pageSize"), "value-out-of-range",
                    "`pageSize` is at least 1 and at most `maxPageSize`",
                    "raise `maxPageSize`, or lower `pageSize`");
  }
  open_tables_ = BoolOf(overlay_, "openTables").value_or(false);
  if (const JsonPlace sources = overlay_.Child("sources")) {
    for (const JsonMember& member : sources.value->members) {
      if (member.name != "default") {
        findings_.Error(sources.Child(member.name), "source-unsupported",
                        "source `" + member.name + "`: only the embedded store is offered",
                        "remove it");
      }
    }
  }
}

void CatalogBuilder::ReadDrafts() {
  for (const CatalogFile& file : files_) {
    if (BaseName(file.name) == kOverlayName) continue;
    ParsedQualifier parsed = ParseQualifier(file.text, file.name);
    for (Issue& issue : parsed.issues) {
      if (issue.file.empty()) issue.file = file.name;
      findings_.Add(std::move(issue));
    }
    if (!parsed.qualifier) continue;
    auto draft = std::make_unique<Draft>();
    draft->qualifier = *std::move(parsed.qualifier);
    draft->stem = Stem(file.name);
    draft->object = std::make_unique<ExternalObject>();
    draft->object->file_ = file.name;
    drafts_.push_back(std::move(draft));
  }
  for (const auto& draft : drafts_) {
    draft->extensions = JsonPlace{&draft->qualifier.extensions, draft->object->file_, ""};
    if (!draft->extensions.value->IsObject()) draft->extensions.value = nullptr;
  }
}

void CatalogBuilder::NameObjects() {
  std::set<std::string> lower;
  for (const auto& draft : drafts_) {
    ExternalObject& object = *draft->object;
    object.name_ = draft->stem;
    const JsonPlace described = draft->extensions.Child("object");
    if (described && described.value->IsObject()) {
      object.name_ = StringOf(described, "name").value_or(object.name_);
    }
    if (!IsODataIdentifier(object.name_)) {
      findings_.Error(draft->extensions, "bad-object-name",
                      "`" + object.name_ + "` (" + draft->object->file_ +
                          ") is no OData identifier of at most 40 characters",
                      "rename the file or set object.name");
    }
    if (!lower.insert(LowerAscii(object.name_)).second) {
      findings_.Error(draft->extensions, "duplicate-object",
                      "two objects are called `" + object.name_ + "` (letter case ignored)",
                      "set object.name in one of the files");
    }
  }
  const JsonPlace objects = overlay_.Child("objects");
  if (!IsObject(objects)) return;
  for (const JsonMember& member : objects.value->members) {
    const JsonPlace place = objects.Child(member.name);
    if (Draft* draft = FindDraft(member.name)) draft->overlay = place;
  }
}

CatalogBuilder::Draft* CatalogBuilder::FindDraft(std::string_view object_name) {
  for (const auto& draft : drafts_) {
    if (draft->object && draft->object->name() == object_name) return draft.get();
  }
  return nullptr;
}

JsonPlace CatalogBuilder::Extension(const Draft& draft, std::string_view key) {
  JsonPlace own = draft.extensions.Child(key);
  JsonPlace over = draft.overlay.Child(key);
  if (own && over) {
    findings_.Error(
        over, "overlay-conflict",
        "`" + std::string(key) + "` stands both in " + own.file + " and in " + over.file,
        "keep one of them");
  }
  return own ? own : over;
}

void CatalogBuilder::OpenTables() {
  if (!snapshot_) return;
  std::set<std::string> claimed;
  for (const auto& draft : drafts_) {
    claimed.insert(draft->qualifier.table_name.value_or(
        default_table_.empty() ? draft->object->name() : default_table_));
  }
  const Result<std::vector<std::string>> tables = snapshot_->ListTables();
  if (!tables.ok()) return;
  std::vector<std::string> taken;
  for (const auto& draft : drafts_) taken.push_back(draft->object->name());
  std::vector<std::string> open;
  for (const std::string& table : *tables) {
    if (claimed.count(table) == 0) open.push_back(table);
  }
  const auto names = PublishedNames(open, taken);
  for (const std::string& table : open) {
    auto draft = std::make_unique<Draft>();
    draft->qualifier.table_name = table;
    draft->stem = names.at(table);
    draft->object = std::make_unique<ExternalObject>();
    draft->object->name_ = names.at(table);
    draft->object->file_ = overlay_.file;
    const JsonPlace over = overlay_.Child("objects").Child(names.at(table));
    if (over) draft->overlay = over;
    drafts_.push_back(std::move(draft));
  }
}

TableSchema CatalogBuilder::SchemaWithoutStore(const Draft& draft) const {
  TableSchema schema;
  schema.name = draft.object->table_;
  std::vector<const ColumnQualifier*> keys;
  const auto physical = [&](const std::string& name) -> const ColumnQualifier* {
    const ColumnQualifier* column = draft.qualifier.Find(name);
    return column != nullptr && !column->is_virtual ? column : nullptr;
  };
  for (const std::string& name : draft.qualifier.key_columns) {
    if (const ColumnQualifier* column = physical(name)) keys.push_back(column);
  }
  if (keys.empty()) {
    for (const ColumnQualifier& column : draft.qualifier.columns) {
      const bool possible =
          !column.is_virtual && (!column.type || *column.type <= AttributeType::kB) &&
          column.presence != Presence::kNotExists && column.presence != Presence::kNull;
      if (possible && keys.size() < 2) keys.push_back(&column);
    }
  }
  schema.key.partition.name = keys.empty() ? "pk" : keys[0]->physical();
  if (!keys.empty() && keys[0]->type) schema.key.partition.type = *keys[0]->type;
  if (keys.size() > 1) {
    schema.key.sort = KeyColumn{keys[1]->physical(), keys[1]->type.value_or(AttributeType::kS)};
  }
  return schema;
}

void CatalogBuilder::Compile(Draft& draft) {
  ExternalObject& object = *draft.object;
  object.table_ =
      draft.qualifier.table_name.value_or(default_table_.empty() ? object.name_ : default_table_);
  object.table_exists_ = false;
  if (snapshot_) {
    const Result<const TableSchema*> schema = snapshot_->Schema(object.table_);
    if (schema.ok()) {
      object.schema_ = **schema;
      object.table_exists_ = true;
    } else {
      catalog_->missing_tables_.push_back(object.table_);
      findings_.Warning(
          draft.extensions, "table-missing",
          "object " + object.name_ + ": there is no table `" + object.table_ + "` in the store",
          "import it; until then the object is empty");
    }
  }
  if (!object.table_exists_) object.schema_ = SchemaWithoutStore(draft);
  // Without a store nothing says that the table is missing: the schema is that of a table that is
  // there, so that `metadata` without data is what will be served.
  if (store_ == nullptr) object.table_exists_ = true;
  CompileQualifierOptions options;
  options.blank_as_zero = catalog_->blank_as_zero_;
  if (const JsonPlace trusted = Extension(draft, "trustedInverses")) {
    JsonPlace parent = trusted.value == draft.extensions.Child("trustedInverses").value
                           ? draft.extensions
                           : draft.overlay;
    options.trusted_inverses = StringsOf(parent, "trustedInverses");
  }
  QualifierCompilation compiled = CompileQualifier(draft.qualifier, object.schema_, options);
  for (Issue& issue : compiled.issues) {
    if (issue.file.empty()) issue.file = object.file_;
    findings_.Add(std::move(issue));
  }
  object.qualifier_ = std::move(compiled.qualifier);
}

void CatalogBuilder::ReadVerbs(const JsonPlace& object, ObjectOptions& options) {
  if (object.Child("verbs")) {
    options.create = options.update = options.remove = false;
    for (const std::string& verb : StringsOf(object, "verbs")) {
      if (verb == "create") options.create = true;
      if (verb == "update") options.update = true;
      if (verb == "delete") options.remove = true;
    }
  }
  options.read_only = options.read_only || BoolOf(object, "readOnly").value_or(false) ||
                      !(options.create || options.update || options.remove);
  if (options.read_only) options.create = options.update = options.remove = false;
}

void CatalogBuilder::ReadObjectOptions(Draft& draft) {
  ExternalObject& object = *draft.object;
  object.label_ = object.name_;
  object.plural_label_ = object.name_;
  const JsonPlace at = Extension(draft, "object");
  if (IsObject(at)) {
    object.label_ = StringOf(at, "label").value_or(object.name_);
    object.plural_label_ = StringOf(at, "pluralLabel").value_or(object.label_);
    object.description_ = StringOf(at, "description").value_or("");
    ReadVerbs(at, object.options_);
    object.options_.upsert = BoolOf(at, "upsert").value_or(true);
    object.options_.columnar = BoolOf(at, "columnar").value_or(false);
    object.options_.clustered = BoolOf(at, "clustered").value_or(false);
    object.options_.guid_key = BoolOf(at, "guidKey").value_or(false);
    object.options_.display_url = StringOf(at, "displayUrl").value_or("");
  }
  if (const JsonPlace source = Extension(draft, "source")) {
    if (!source.value->IsString() || source.value->text != "default") {
      findings_.Error(source, "source-unsupported",
                      "only the source \"default\", the embedded store, is offered", "remove it");
    }
  }
  draft.currency_columns = currency_columns_;
  if (const JsonPlace columns = Extension(draft, "currencyColumns")) {
    const JsonPlace parent =
        draft.extensions.Child("currencyColumns") ? draft.extensions : draft.overlay;
    for (std::string& name : StringsOf(parent, "currencyColumns")) {
      draft.currency_columns.push_back(std::move(name));
    }
  }
}

void CatalogBuilder::Infer(Draft& draft) {
  ExternalObject& object = *draft.object;
  const JsonPlace fields = Extension(draft, "fields");
  const JsonPlace star = fields.Child("*");
  draft.all_fields = !fields || (star && star.value->boolean);
  const bool has_children = static_cast<bool>(Extension(draft, "children"));
  const bool left_open =
      IsObject(fields) &&
      std::any_of(fields.value->members.begin(), fields.value->members.end(),
                  [&](const JsonMember& member) {
                    return member.name != "*" && LeavesTypeToData(draft, member);
                  });
  if (!draft.all_fields && !has_children && !left_open) return;
  if (!snapshot_) {
    draft.undeclared = draft.all_fields;
    if (draft.all_fields) {
      findings_.Error(
          draft.extensions, "fields-undeclared",
          "object " + object.name_ + " declares no fields, so its schema needs the data",
          "give a store, or declare `fields`");
    }
    return;
  }
  draft.inferred.emplace();
  draft.inferred->report.object = object.name_;
  if (!object.table_exists_) return;
  const std::string meta = "schema/" + object.name_;
  const std::string hash = object.qualifier_->fingerprint();
  if (!options_.infer_again) {
    const Result<std::optional<std::string>> kept = snapshot_->GetMeta(meta);
    if (kept.ok() && *kept) {
      if (std::optional<InferredSchema> schema = ReadInferredSchema(**kept, hash)) {
        schema->report.object = object.name_;
        draft.inferred = std::move(schema);
        return;
      }
    }
  }
  const Result<const AttributeNames*> names = snapshot_->Names(object.table_);
  const Result<TableInfo> info = snapshot_->Describe(object.table_);
  if (!names.ok() || !info.ok()) return;
  QualifierRow row(*object.qualifier_, object.schema_, **names, CurrentTimestamp());
  Status status;
  draft.inferred = InferSchema(
      object.name_, object.schema_,
      [&](const ItemVisitor& visit) -> Status {
        const Result<std::uint64_t> read = snapshot_->Query(
            object.table_, object.qualifier_->key_condition(), {}, [&](const ItemView& item) {
              row.Reset(item);
              return !row.PassesResidual() ||
                     (object.qualifier_->has_virtual_conditions() && !row.Belongs()) || visit(item);
            });
        if (!read.ok()) return read.error();
        return {};
      },
      info->item_count, options_, status);
  if (!status.ok()) {
    findings_.Error(draft.extensions, status.error().reason,
                    "object " + object.name_ + ": " + status.error().message,
                    "`tablecast doctor` checks the store");
    return;
  }
  // An empty object has nothing to keep: it is looked at again at the next start.
  if (draft.inferred->report.items_seen > 0)
    to_keep_.emplace_back(meta, WriteInferredSchema(*draft.inferred, hash));
}

std::string CatalogBuilder::Fingerprint() const {
  ContentHasher hasher;
  hasher.Add(catalog_->namespace_);
  hasher.Add(catalog_->currency_);
  hasher.Add(overlay_text_);
  for (const CatalogFile& file : files_) hasher.Add(file.text);
  for (const auto& object : catalog_->objects_) {
    hasher.Add(object->name());
    hasher.Add(object->table_exists() ? "1" : "0");
    for (const Field& field : object->fields()) {
      hasher.Add(field.name);
      hasher.Add(FieldTypeName(field.type));
      hasher.Add(std::to_string(field.max_length) + (field.collection ? "c" : ""));
      for (const Field& member : field.members) {
        hasher.Add(member.name);
        hasher.Add(FieldTypeName(member.type));
      }
    }
  }
  return hasher.Hex();
}

void CatalogBuilder::KeepInferred() {
  if (store_ == nullptr || !options_.keep_inferred || to_keep_.empty()) return;
  const Status status = store_->Write([&](WriteTransaction& txn) -> Status {
    for (const auto& [name, text] : to_keep_) TABLECAST_RETURN_IF_ERROR(txn.PutMeta(name, text));
    return {};
  });
  if (!status.ok()) {
    findings_.Warning(overlay_, "schema-not-kept",
                      "the inferred fields could not be kept: " + status.error().message,
                      "free space or rights; until then they are looked for at every start");
  }
}

}  // namespace tablecast
