// tablecast sync: fields inferred from the data, printed, written into the files, or checked.

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "cli/catalog_files.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "connector/catalog_check.h"
#include "connector/field_writer.h"

namespace tablecast::cli {

namespace {

std::string TypeText(const Field& field) {
  std::string out(FieldTypeName(field.type));
  if (IsTextType(field.type)) out += "(" + std::to_string(field.max_length) + ")";
  return field.collection ? "Collection(" + out + ")" : out;
}

bool IsOwnField(const Field& field) {
  return field.source.kind != SourceKind::kExternalId &&
         field.source.kind != SourceKind::kGuidKey && field.source.kind != SourceKind::kParent;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  AppendJsonEscaped(out, text);
  return out + "\"";
}

// What sampling could not decide, or would not.
std::string Remarks(const ExternalObject& object, const InferenceReport& report) {
  std::string out;
  for (const auto& conflict : report.conflicts) {
    out += "  " + conflict.attribute + " varies:";
    for (const auto& [type, count] : conflict.types) out += " " + type + " " + Thousands(count);
    out += "\n";
  }
  // What would be a guess is left to a person, ready to paste.
  std::string names;
  for (const std::string& name : report.money_like) {
    const Field* field = object.FieldOfColumn(name);
    if (field != nullptr && field->type == FieldType::kNumber)
      names += (names.empty() ? "" : ", ") + Quoted(name);
  }
  if (!names.empty()) {
    out += "  looks like money; if it is: \"currencyColumns\": [" + names + "]\n";
  }
  const auto epochs = [&](const std::vector<std::string>& columns, const char* what,
                          const std::string& unit) {
    for (const std::string& name : columns) {
      const Field* field = object.FieldOfColumn(name);
      if (field == nullptr || field->type != FieldType::kNumber) continue;
      out += "  " + name + " looks like " + what + " since 1970; if it is: " + Quoted(field->name) +
             ": { \"column\": " + Quoted(name) + ", \"type\": \"DateTime\", \"unit\": \"" + unit +
             "\" }\n";
    }
  };
  epochs(report.epoch_like, "seconds", "s");
  epochs(report.epoch_ms_like, "milliseconds", "ms");
  for (const auto& dates : report.date_like) {
    const Field* field = object.FieldOfColumn(dates.attribute);
    if (field == nullptr || field->declared) continue;
    std::string misfit;
    AppendPrintable(misfit, dates.misfit);
    out += "  " + dates.attribute + " is Text, though " + Thousands(dates.fitting) + " of " + Thousands(dates.texts) +
           " are dates (not " + Quoted(misfit) + "); to publish those and the rest as null: " + Quoted(field->name) +
           ": { \"column\": " + Quoted(dates.attribute) + ", \"type\": \"" +
           std::string(FieldTypeName(dates.type)) + "\" }\n";
  }
  if (!report.withheld.empty())
    out += "  not published, looks secret: " + Joined(report.withheld) + "\n";
  return out;
}

std::string TextReport(const Catalog& catalog) {
  std::string out;
  for (const auto& object : catalog.objects()) {
    const auto report =
        std::find_if(catalog.inference().begin(), catalog.inference().end(),
                     [&](const InferenceReport& one) { return one.object == object->name(); });
    if (!out.empty()) out += "\n";
    out += object->name();
    if (report != catalog.inference().end())
      out += " (" + Thousands(report->items_seen) + (report->items_seen == 1 ? " item seen)" : " items seen)");
    out += "\n";
    std::vector<std::vector<std::string>> rows{{"  field", "column", "type", "from"}};
    for (const Field& field : object->fields()) {
      if (IsOwnField(field))
        rows.push_back(
            {"  " + field.name, field.column, TypeText(field), field.declared ? "file" : "data"});
    }
    out += AlignedTable(rows);
    if (report != catalog.inference().end()) out += Remarks(*object, *report);
  }
  return out;
}

std::string JsonReport(const Catalog& catalog) {
  std::string out;
  JsonWriter json(out, JsonWriter::Style::kIndented);
  json.BeginArray();
  for (const auto& object : catalog.objects()) {
    json.BeginObject().Key("object").String(object->name()).Key("fields").BeginArray();
    for (const Field& field : object->fields()) {
      if (!IsOwnField(field)) continue;
      json.BeginObject()
          .Key("name")
          .String(field.name)
          .Key("column")
          .String(field.column)
          .Key("type")
          .String(FieldTypeName(field.type));
      json.Key("collection")
          .Bool(field.collection)
          .Key("length")
          .Uint(field.max_length)
          .Key("declared")
          .Bool(field.declared)
          .EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray();
  return out + "\n";
}

// Differences between the published fields and those that the data asks for now.
std::vector<std::string> Changes(const Catalog& published, const Catalog& now) {
  std::vector<std::string> changes;
  for (const auto& object : now.objects()) {
    const ExternalObject* before = published.Find(object->name());
    if (before == nullptr) continue;
    for (const Field& field : object->fields()) {
      if (!IsOwnField(field)) continue;
      // By name first: several fields may read one column, each with a type of its own.
      const Field* old = before->FindField(field.name);
      if (old == nullptr || old->column != field.column) old = before->FieldOfColumn(field.column);
      const std::string name = object->name() + "." + field.name;
      if (old == nullptr) {
        changes.push_back(name + ": new, " + TypeText(field));
      } else if (old->type != field.type || old->collection != field.collection) {
        changes.push_back(name + ": " + TypeText(*old) + " no longer fits, the data asks for " +
                          TypeText(field));
      } else if (IsTextType(field.type) && old->max_length < field.max_length) {
        changes.push_back(name + ": longer than " + std::to_string(old->max_length));
      }
    }
    for (const Field& field : before->fields()) {
      if (IsOwnField(field) && object->FieldOfColumn(field.column) == nullptr) {
        changes.push_back(object->name() + "." + field.name + ": no item has it any more");
      }
    }
  }
  return changes;
}

Result<bool> Check(const Terminal& terminal, const SyncOptions& options, ItemStore& store,
                   std::string& out) {
  TABLECAST_ASSIGN_OR_RETURN(
      const OpenCatalog published,
      LoadCatalogFolder(terminal, options.catalog, &store, {.keep_inferred = false}));
  TABLECAST_ASSIGN_OR_RETURN(const OpenCatalog now,
                             LoadCatalogFolder(terminal, options.catalog, &store,
                                               {.infer_again = true, .keep_inferred = false}));
  std::vector<std::string> changes = Changes(*published.catalog, *now.catalog);
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store.BeginRead());
  CatalogCheckOptions check;
  check.now = CurrentTimestamp();
  TABLECAST_ASSIGN_OR_RETURN(const CatalogCheck found,
                             CheckCatalog(*published.catalog, *snapshot, check));
  for (const Issue& issue : found.issues) {
    if (issue.code == "conversion-errors" || issue.code == "constraint-violations")
      changes.push_back(issue.target + ": " + issue.message);
  }
  for (const std::string& change : changes) out += change + "\n";
  if (changes.empty()) out = "The data fits the fields.\n";
  return changes.empty();
}

// A file of the catalog as a tree; an empty object where it does not parse.
JsonValue TreeOf(const CatalogFile& file) {
  auto json = ParseJson(file.text, {.allow_comments = true, .allow_trailing_commas = true});
  if (!json.ok()) return {};
  return *std::move(json);
}

bool IsOverlay(const CatalogFile& file) {
  return std::filesystem::path(file.name).filename() == "catalog.json";
}

// The member of the parent's `children` that makes this object.
std::optional<std::string> ChildMember(const JsonValue* children, const ExternalObject& child) {
  if (children == nullptr) return std::nullopt;
  for (const JsonMember& member : children->members) {
    const JsonValue* name = member.value.Find("object");
    const std::string made = name != nullptr && name->IsString()
                                 ? name->text
                                 : child.embedded()->parent->name() + "_" + member.name;
    if (made == child.name()) return member.name;
  }
  return std::nullopt;
}

struct FieldsPlace {
  CatalogFile* file = nullptr;
  std::vector<std::string> path;
};

// Where an object's fields are declared, or should be: beside what is said of it already. A file
// without extensions of its own stays as published when catalog.json describes the object.
FieldsPlace PlaceOfFields(std::vector<CatalogFile>& files, const ExternalObject& object) {
  const auto own = std::find_if(files.begin(), files.end(), [&](const CatalogFile& one) {
    return one.name == object.file();
  });
  const auto overlay = std::find_if(files.begin(), files.end(), IsOverlay);
  const JsonValue overlay_tree = overlay == files.end() ? JsonValue() : TreeOf(*overlay);
  const JsonValue own_tree = own == files.end() ? JsonValue() : TreeOf(*own);
  const JsonValue* objects = overlay_tree.Find("objects");
  const auto described = [&](const std::string& name) {
    return objects == nullptr ? nullptr : objects->Find(name);
  };
  const JsonValue* entry = described(object.name());
  if (object.embedded() != nullptr) {
    if (entry != nullptr && entry->Find("fields") != nullptr)
      return {&*overlay, {"objects", object.name(), "fields"}};
    if (const auto member = ChildMember(own_tree.Find("children"), object))
      return {&*own, {"children", *member, "fields"}};
    const std::string& parent = object.embedded()->parent->name();
    const JsonValue* of_parent = described(parent);
    const auto member =
        ChildMember(of_parent == nullptr ? nullptr : of_parent->Find("children"), object);
    if (member) return {&*overlay, {"objects", parent, "children", *member, "fields"}};
    return {};
  }
  if (own == files.end()) return {};
  const bool extended =
      std::any_of(own_tree.members.begin(), own_tree.members.end(), [](const JsonMember& member) {
        return member.name != "tableName" && member.name != "keyColumns" &&
               member.name != "columns";
      });
  if (entry != nullptr && entry->IsObject() && own_tree.Find("fields") == nullptr &&
      (!extended || entry->Find("fields") != nullptr))
    return {&*overlay, {"objects", object.name(), "fields"}};
  return {&*own, {"fields"}};
}

// Declares every field that the data showed, in the files' own text. The catalog is loaded from the
// new texts before any of them is written.
Status WriteFields(const SyncOptions& options, const Catalog& catalog, ItemStore& store,
                   std::string& out) {
  TABLECAST_ASSIGN_OR_RETURN(std::vector<CatalogFile> files, ReadCatalogFolder(options.catalog));
  std::map<std::string, std::string> before;
  for (const CatalogFile& file : files) before.emplace(file.name, file.text);
  for (const auto& object : catalog.objects()) {
    const FieldsPlace place = PlaceOfFields(files, *object);
    if (place.file == nullptr) {
      out += object->name() + ": has no file to write to\n";  // a table published by openTables
      continue;
    }
    auto merged = MergeFields(place.file->text, place.path, *object);
    if (!merged.ok()) {
      Error error = merged.error();
      error.target = place.file->name;
      return error;
    }
    const std::size_t changed = merged->added + merged->completed;
    place.file->text = std::move(merged->text);
    out += object->name() + ": ";
    out += changed == 0 ? "declares its fields already\n"
                        : std::to_string(changed) + (changed == 1 ? " field" : " fields") +
                              " written to " + place.file->name + "\n";
  }
  const CatalogLoad again = LoadCatalog(files, &store, {.keep_inferred = false});
  if (again.catalog == nullptr) {
    for (const Issue& issue : again.issues) {
      if (issue.severity != Severity::kError) continue;
      return MakeError(ErrorCode::kInternal, "sync-unsound",
                       "the fields would not load again, so nothing is written: " + issue.message,
                       issue.file, "declare that field by hand");
    }
  }
  for (const CatalogFile& file : files) {
    if (before.at(file.name) != file.text)
      TABLECAST_RETURN_IF_ERROR(ReplaceFile(file.name, file.text));
  }
  return {};
}

}  // namespace

ExitCode RunSync(const Terminal& terminal, const SyncOptions& options) {
  auto store = OpenStore(options.store, StoreAccess::kMustExist);
  if (!store.ok()) return PrintError(terminal, "sync", store.error());
  std::string out;
  if (options.check) {
    const auto fits = Check(terminal, options, **store, out);
    if (!fits.ok()) return PrintError(terminal, "sync", fits.error());
    WriteStdout(out);
    return *fits ? kSuccess : kAnswerIsNo;
  }
  const auto loaded =
      LoadCatalogFolder(terminal, options.catalog, store->get(), {.infer_again = true});
  if (!loaded.ok()) return PrintError(terminal, "sync", loaded.error());
  if (options.write) {
    const Status written = WriteFields(options, *loaded->catalog, **store, out);
    if (!written.ok()) return PrintError(terminal, "sync", written.error());
  } else {
    out = options.format == "json" ? JsonReport(*loaded->catalog) : TextReport(*loaded->catalog);
  }
  WriteStdout(out);
  return kSuccess;
}

}  // namespace tablecast::cli
