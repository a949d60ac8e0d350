// tablecast init: proposes qualifier files from the data.

#include "base/json_writer.h"
#include "cli/catalog_files.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "connector/record_types.h"

namespace tablecast::cli {

namespace {

std::string JsonReport(const CatalogProposal& proposal) {
  std::string out;
  JsonWriter json(out, JsonWriter::Style::kIndented);
  json.BeginObject().Key("tables").BeginArray();
  for (const TableProposal& table : proposal.tables) {
    json.BeginObject()
        .Key("table")
        .String(table.table)
        .Key("items")
        .Uint(table.items)
        .Key("sampled")
        .Uint(table.sampled);
    json.Key("leftOver")
        .Uint(table.left_over)
        .Key("claimedTwice")
        .Uint(table.claimed_twice)
        .Key("leftOverSamples")
        .BeginArray();
    for (const std::string& sample : table.left_over_samples) json.String(sample);
    json.EndArray().EndObject();
  }
  json.EndArray().Key("objects").BeginArray();
  for (const RecordTypeProposal& type : proposal.types) {
    json.BeginObject()
        .Key("object")
        .String(type.object)
        .Key("table")
        .String(type.table)
        .Key("items")
        .Uint(type.items);
    json.Key("partition")
        .String(type.partition_shape)
        .Key("sort")
        .String(type.sort_shape)
        .Key("condition")
        .String(type.condition);
    json.Key("samples").BeginArray();
    for (const std::string& sample : type.samples) json.String(sample);
    json.EndArray().Key("relationships").BeginArray();
    for (const RelationshipProposal& link : type.relationships) {
      json.BeginObject()
          .Key("name")
          .String(link.name)
          .Key("column")
          .String(link.column)
          .Key("to")
          .String(link.to);
      json.Key("toColumn").String(link.to_column).Key("inverse").String(link.inverse);
      json.Key("matched").Uint(link.matched).Key("seen").Uint(link.seen).EndObject();
    }
    json.EndArray().Key("qualifier").Raw(type.qualifier).EndObject();
  }
  json.EndArray().Key("catalog").Raw(proposal.catalog).EndObject();
  return out + "\n";
}

std::string TextReport(const CatalogProposal& proposal) {
  std::string out;
  for (const TableProposal& table : proposal.tables) {
    out += "Table " + table.table + ": " + Thousands(table.items) + " items";
    if (table.sampled < table.items)
      out += ", " + Thousands(table.sampled) + " looked at closely, all counted";
    out += "\n\n";
    std::vector<std::vector<std::string>> rows{
        {"object", "items", "partition key", "sort key", "also", "for example"}};
    for (const RecordTypeProposal& type : proposal.types) {
      if (type.table != table.table) continue;
      rows.push_back({type.object, Thousands(type.items), type.partition_shape, type.sort_shape,
                      type.condition, type.samples.empty() ? "" : type.samples.front()});
    }
    out += AlignedTable(rows);
    if (table.left_over > 0) {
      out += "\n" + Thousands(table.left_over) + " items are left over, for example " +
             table.left_over_samples.front() + "\n";
    }
    if (table.claimed_twice > 0) {
      out += "\n" + Thousands(table.claimed_twice) +
             " items are claimed by two objects: `tablecast validate --data` names them\n";
    }
    out += "\n";
  }
  std::vector<std::vector<std::string>> links{
      {"relationship", "column", "leads to", "sampled values that do"}};
  for (const RecordTypeProposal& type : proposal.types) {
    for (const RelationshipProposal& link : type.relationships) {
      links.push_back({type.object + "." + link.name, link.column, link.to + "." + link.to_column,
                       Thousands(link.matched) + " of " + Thousands(link.seen)});
    }
  }
  if (links.size() > 1) out += AlignedTable(links) + "\n";
  return out;
}

}  // namespace

ExitCode RunInit(const Terminal& terminal, const InitOptions& options) {
  auto store = OpenStore(options.store, StoreAccess::kMustExist);
  if (!store.ok()) return PrintError(terminal, "init", store.error());
  const auto snapshot = (*store)->BeginRead();
  if (!snapshot.ok()) return PrintError(terminal, "init", snapshot.error());
  std::vector<std::string> tables{options.table};
  if (options.table.empty()) {
    const auto listed = (*snapshot)->ListTables();
    if (!listed.ok()) return PrintError(terminal, "init", listed.error());
    tables = *listed;
  }
  const auto proposal = ProposeCatalog(**snapshot, tables, {});
  if (!proposal.ok()) return PrintError(terminal, "init", proposal.error());
  std::vector<CatalogFile> files;
  for (const RecordTypeProposal& type : proposal->types)
    files.push_back({type.object + ".json", type.qualifier});
  files.push_back({"catalog.json", proposal->catalog});
  if (!options.catalog.empty()) {
    const Status written = WriteNewFiles(options.catalog, files);
    if (!written.ok()) return PrintError(terminal, "init", written.error());
  }
  WriteStdout(options.format == "json" ? JsonReport(*proposal) : TextReport(*proposal));
  if (options.catalog.empty()) {
    if (options.format == "json") return kSuccess;
    for (const CatalogFile& file : files) WriteStdout("--- " + file.name + "\n" + file.text);
    WriteStdout("\nNothing is written; `--catalog DIR` writes these files.\n");
    return kSuccess;
  }
  if (options.format != "json") {
    WriteStdout("Wrote " + std::to_string(files.size()) + " files to " + options.catalog +
                ". Next: tablecast validate --data " + options.store + " " + options.catalog +
                "\n");
  }
  return kSuccess;
}

}  // namespace tablecast::cli
