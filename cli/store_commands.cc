// tablecast tables, export, compact, backup, restore, hash-password.

#include <filesystem>
#include <iostream>
#include <iterator>

#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/export_writer.h"
#include "cli/session.h"
#include "odata/password_hash.h"
#include "store/integrity.h"

namespace tablecast::cli {

namespace {

std::string KeyText(const KeyColumn& column) { return column.name + ":" + std::string(AttributeTypeName(column.type)); }

std::string StateText(const DerivedIndexInfo& index) {
  switch (index.state) {
    case IndexState::kReady: return "ready";
    case IndexState::kBehind: return "behind";
    case IndexState::kBuilding: return "building " + Thousands(index.build_done) + " of " + Thousands(index.build_total);
    case IndexState::kMissing: return "missing";
  }
  return "missing";
}

}  // namespace

ExitCode RunTables(const Terminal& terminal, const StoreOptions& options) {
  const auto store = OpenStore(options.store, StoreAccess::kMustExist);
  if (!store.ok()) return PrintError(terminal, "tables", store.error());
  const auto snapshot = (*store)->BeginRead();
  if (!snapshot.ok()) return PrintError(terminal, "tables", snapshot.error());
  const auto names = (*snapshot)->ListTables();
  if (!names.ok()) return PrintError(terminal, "tables", names.error());
  std::vector<TableInfo> tables;
  for (const std::string& name : *names) {
    auto info = (*snapshot)->Describe(name);
    if (!info.ok()) return PrintError(terminal, "tables", info.error());
    tables.push_back(*std::move(info));
  }
  std::string out;
  if (options.format == "json") {
    JsonWriter json(out);
    json.BeginObject().Key("tables").BeginArray();
    for (const TableInfo& table : tables) {
      json.BeginObject().Key("name").String(table.schema.name);
      json.Key("partitionKey").String(KeyText(table.schema.key.partition));
      if (table.schema.key.sort) json.Key("sortKey").String(KeyText(*table.schema.key.sort));
      json.Key("items").Uint(table.item_count).Key("bytes").Uint(table.item_bytes).Key("sequence").Uint(table.sequence);
      json.Key("secondaryIndexes").BeginArray();
      for (const SecondaryIndex& index : table.schema.indexes) json.String(index.name);
      json.EndArray().Key("derivedIndexes").BeginArray();
      for (const DerivedIndexInfo& index : table.derived) {
        json.BeginObject().Key("name").String(index.definition.name).Key("state").String(StateText(index));
        json.Key("entries").Uint(index.entries).EndObject();
      }
      json.EndArray().EndObject();
    }
    json.EndArray().EndObject();
    out += '\n';
  } else {
    std::vector<std::vector<std::string>> rows{{"table", "partition key", "sort key", "items", "size"}};
    for (const TableInfo& table : tables) {
      rows.push_back({table.schema.name, KeyText(table.schema.key.partition),
                      table.schema.key.sort ? KeyText(*table.schema.key.sort) : "-", Thousands(table.item_count),
                      HumanBytes(table.item_bytes)});
    }
    out = AlignedTable(rows);
    for (const TableInfo& table : tables) {
      for (const SecondaryIndex& index : table.schema.indexes) {
        out += "  " + table.schema.name + ": secondary index " + index.name + "\n";
      }
      for (const DerivedIndexInfo& index : table.derived) {
        out += "  " + table.schema.name + ": " + index.definition.name + ", " + Thousands(index.entries) + " entries, " + StateText(index) + "\n";
      }
    }
    if (tables.empty()) out = "no tables; load one: tablecast import --store " + options.store + " --table NAME --partition-key COLUMN FILE\n";
  }
  WriteStdout(out);
  return kSuccess;
}

ExitCode RunExport(const Terminal& terminal, const ExportOptions& options) {
  if (options.table.empty() == options.object.empty() || (!options.object.empty() && options.catalog.empty())) {
    return PrintError(terminal, "export",
                      MakeError(ErrorCode::kInvalidArgument, "export-what", "name one thing to write", "",
                                "--table NAME, or --catalog DIR and --object NAME"));
  }
  const auto store = OpenStore(options.store, StoreAccess::kMustExist);
  if (!store.ok()) return PrintError(terminal, "export", store.error());
  Status status;
  if (!options.table.empty()) {
    status = ExportTable(**store, options.table, options.format);
  } else {
    const auto catalog = LoadCatalogFolder(terminal, options.catalog, store->get(), {});
    if (!catalog.ok()) return PrintError(terminal, "export", catalog.error());
    status = ExportObject(**store, catalog->catalog, options.object, options.format);
  }
  return status.ok() ? kSuccess : PrintError(terminal, "export", status.error());
}

namespace {

std::string CopyText(const IntegrityReport& report) {
  return Thousands(report.tables) + " tables, " + Thousands(report.items) + " items, " +
         Thousands(report.secondary_entries + report.derived_entries) + " index entries\n";
}

// A store that nobody has open, moved aside and back: the compacted copy takes its place, or nothing changes.
Status ReplaceStore(const std::string& store, const std::string& copy) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string old = store + ".old";
  fs::rename(store, old, error);
  if (!error) {
    fs::rename(copy, store, error);
    if (error) {
      std::error_code back;
      fs::rename(old, store, back);
    }
  }
  if (error) return MakeError(ErrorCode::kUnavailable, "store-replace", "cannot move the copy into place: " + error.message(), store);
  fs::remove_all(old, error);
  return {};
}

}  // namespace

ExitCode RunCompact(const Terminal& terminal, const StoreOptions& options) {
  std::string folder = options.store;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  const std::string copy = folder + ".compact";
  std::uint64_t before = 0;
  Result<IntegrityReport> report = IntegrityReport{};
  {
    const auto store = OpenStore(folder, StoreAccess::kMustExist);
    if (!store.ok()) return PrintError(terminal, "compact", store.error());
    before = (*store)->file_bytes();
    report = (*store)->Backup(copy);
  }
  if (!report.ok()) return PrintError(terminal, "compact", report.error());
  const Status replaced = ReplaceStore(folder, copy);
  if (!replaced.ok()) return PrintError(terminal, "compact", replaced.error());
  const auto store = OpenStore(folder, StoreAccess::kMustExist);
  if (!store.ok()) return PrintError(terminal, "compact", store.error());
  WriteStdout("rewritten: " + HumanBytes(before) + " -> " + HumanBytes((*store)->file_bytes()) + "; " + CopyText(*report));
  return kSuccess;
}

ExitCode RunBackup(const Terminal& terminal, const BackupOptions& options) {
  const auto store = OpenStore(options.store, StoreAccess::kMustExist);
  if (!store.ok()) return PrintError(terminal, "backup", store.error());
  const auto report = (*store)->Backup(options.to);
  if (!report.ok()) return PrintError(terminal, "backup", report.error());
  WriteStdout("copied and verified: " + CopyText(*report));
  return kSuccess;
}

// The backup's own backup: opened, checked whole and copied; a damaged or newer one is refused on the way.
ExitCode RunRestore(const Terminal& terminal, const RestoreOptions& options) {
  const auto backup = OpenStore(options.from, StoreAccess::kMustExist);
  if (!backup.ok()) return PrintError(terminal, "restore", backup.error());
  const auto integrity = (*backup)->CheckIntegrity();
  if (!integrity.ok()) return PrintError(terminal, "restore", integrity.error());
  if (!integrity->issues.empty()) {
    return PrintError(terminal, "restore",
                      MakeError(ErrorCode::kInvalidArgument, "backup-damaged", "the backup is damaged: " + integrity->issues.front().message,
                                options.from, "restore another one"));
  }
  const auto report = (*backup)->Backup(options.store);
  if (!report.ok()) return PrintError(terminal, "restore", report.error());
  WriteStdout("restored and verified: " + CopyText(*report));
  return kSuccess;
}

ExitCode RunHashPassword(const Terminal& terminal) {
  std::string password(std::istreambuf_iterator<char>(std::cin), {});
  while (!password.empty() && (password.back() == '\n' || password.back() == '\r')) password.pop_back();
  const auto hash = HashPassword(password);
  if (!hash.ok()) return PrintError(terminal, "hash-password", hash.error());
  WriteStdout(*hash + "\n");
  return kSuccess;
}

}  // namespace tablecast::cli
