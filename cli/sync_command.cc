// tablecast sync: fields inferred from the data, printed, written into the files, or checked.

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/json_writer.h"
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

// What sampling could not decide, or would not.
std::string Remarks(const InferenceReport& report) {
  std::string out;
  for (const auto& conflict : report.conflicts) {
    out += "  " + conflict.attribute + " varies:";
    for (const auto& [type, count] : conflict.types) out += " " + type + " " + Thousands(count);
    out += "\n";
  }
  if (!report.money_like.empty())
    out += "  looks like money (currencyColumns): " + Joined(report.money_like) + "\n";
  if (!report.epoch_like.empty())
    out +=
        "  looks like seconds since 1970 (DateTime with unit): " + Joined(report.epoch_like) + "\n";
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
      out += " (" + Thousands(report->items_seen) + " items seen)";
    out += "\n";
    std::vector<std::vector<std::string>> rows{{"  field", "column", "type", "from"}};
    for (const Field& field : object->fields()) {
      if (IsOwnField(field))
        rows.push_back(
            {"  " + field.name, field.column, TypeText(field), field.declared ? "file" : "data"});
    }
    out += AlignedTable(rows);
    if (report != catalog.inference().end()) out += Remarks(*report);
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

// Writes the inferred fields of every object that declares none into its qualifier file.
Status WriteFields(const SyncOptions& options, const Catalog& catalog, std::string& out) {
  TABLECAST_ASSIGN_OR_RETURN(const std::vector<CatalogFile> files,
                             ReadCatalogFolder(options.catalog));
  for (const auto& object : catalog.objects()) {
    if (object->embedded() != nullptr) continue;
    const auto file = std::find_if(files.begin(), files.end(), [&](const CatalogFile& one) {
      return one.name == object->file();
    });
    const bool declared = std::any_of(object->fields().begin(), object->fields().end(),
                                      [](const Field& field) { return field.declared; });
    if (file == files.end() || declared) {
      out += object->name() + ": declares its fields already\n";
      continue;
    }
    const std::string indent = IndentOf(file->text);
    TABLECAST_ASSIGN_OR_RETURN(const std::string text,
                               AddMember(file->text, "fields", FieldsText(*object, indent)));
    const std::string path = std::filesystem::exists(file->name)
                                 ? file->name
                                 : (std::filesystem::path(options.catalog) / file->name).string();
    TABLECAST_RETURN_IF_ERROR(ReplaceFile(path, text));
    out += object->name() + ": " +
           std::to_string(
               std::count_if(object->fields().begin(), object->fields().end(), IsOwnField)) +
           " fields written to " + path + "\n";
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
    const Status written = WriteFields(options, *loaded->catalog, out);
    if (!written.ok()) return PrintError(terminal, "sync", written.error());
  } else {
    out = options.format == "json" ? JsonReport(*loaded->catalog) : TextReport(*loaded->catalog);
  }
  WriteStdout(out);
  return kSuccess;
}

}  // namespace tablecast::cli
