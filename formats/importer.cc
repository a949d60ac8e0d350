#include "formats/importer.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/json_writer.h"
#include "formats/export_manifest.h"
#include "formats/import_journal.h"
#include "formats/input_file.h"
#include "formats/read_ahead.h"
#include "formats/record_sorter.h"
#include "item/item_codec.h"
#include "item/item_json.h"
#include "store/bulk_load.h"
#include "store/lmdb_item_store.h"

namespace tablecast {

namespace {

constexpr std::string_view kJournalName = "import/journal";
constexpr std::uint64_t kProgressEvery = 4096;

std::string KeyText(const KeySchema& key) {
  std::string out = key.partition.name + ":" + std::string(AttributeTypeName(key.partition.type));
  if (key.sort) out += ", " + key.sort->name + ":" + std::string(AttributeTypeName(key.sort->type));
  return out;
}

}  // namespace

// Reads one file after the other into the sorter.
class ImportReader final : public DumpHandler {
 public:
  ImportReader(Importer& importer, RecordSorter& sorter) : importer_(importer), sorter_(sorter) {}

  Status OpenRejects(const std::vector<PlannedInput>& inputs) {
    if (importer_.settings_.skip_bad.empty()) return {};
    for (const PlannedInput& input : inputs) {
      std::error_code differs;  // also when one of them is not there
      if (std::filesystem::equivalent(input.path, importer_.settings_.skip_bad, differs)) {
        return MakeError(ErrorCode::kInvalidArgument, "rejects-are-input",
                         "the file of rejects is one of the files to import, and would be emptied",
                         importer_.settings_.skip_bad, "name another file behind --skip-bad");
      }
    }
    rejects_.open(importer_.settings_.skip_bad, std::ios::binary | std::ios::trunc);
    if (!rejects_) {
      return RejectsUnwritable();
    }
    return {};
  }

  // Before anything is written: rejects that did not reach their file are nowhere else.
  Status CloseRejects() {
    if (!rejects_.is_open()) return {};
    rejects_.close();
    if (!rejects_) return RejectsUnwritable();
    return {};
  }

  Status ReadFile(const PlannedInput& planned, bool one_of_several) {
    const std::string& path = planned.path;
    const ManifestEntry* promised = planned.promised ? &*planned.promised : nullptr;
    file_ = path;
    expects_nothing_ = promised != nullptr && promised->items == 0;
    TABLECAST_ASSIGN_OR_RETURN(const InputFile input, InputFile::Open(path, importer_.settings_.spool_folder));
    if (promised != nullptr && !promised->md5.empty()) {
      TABLECAST_ASSIGN_OR_RETURN(const std::string md5, FileMd5Base64(path));
      if (md5 != promised->md5) {
        return MakeError(ErrorCode::kInvalidArgument, "manifest-md5",
                         "the file's MD5 is not the one that the manifest names", path, "fetch the file again");
      }
    }
    DumpOptions options;
    options.format = importer_.settings_.format;
    options.column_type = [this](std::string_view column) { return ColumnType(column); };
    const std::uint64_t before = importer_.summary_.read;
    auto result = ReadDump(input.text(), path, options, *this);
    if (!result.ok()) return result.error();
    if (failure_) return *failure_;
    if (result->format == DumpFormat::kS3Incremental && promised == nullptr && one_of_several) {
      OnWarning("change-order-unknown",
                "changes of several files without a manifest are taken in the order of the file names", {});
    }
    importer_.summary_.bytes += input.text().size();
    ++importer_.summary_.files;
    if (promised != nullptr && importer_.summary_.read - before != promised->items) {
      return MakeError(ErrorCode::kInvalidArgument, "manifest-count",
                       "the file holds " + std::to_string(importer_.summary_.read - before) +
                           " items, the manifest promises " + std::to_string(promised->items),
                       path, "fetch the file again");
    }
    return {};
  }

  // A table that is there already gives CSV columns their types before the first record.
  Status UseExistingTable(const std::string& name) {
    TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, importer_.store_.BeginRead());
    const auto existing = snapshot->Schema(name);
    if (!existing.ok()) return {};
    const auto number = Register(**existing);
    if (!number.ok()) return number.error();
    return {};
  }

  bool OnRecord(DumpRecord record) override {
    ++importer_.summary_.read;
    if (importer_.summary_.read % kProgressEvery == 0 &&
        !importer_.observer_.OnProgress("reading", importer_.summary_.read, 0)) {
      return Stop(MakeError(ErrorCode::kAborted, "import-stopped", "stopped"));
    }
    auto table = TableOf(record.table, record.item);
    if (!table.ok()) return Stop(table.error());
    const TableSchema& schema = importer_.tables_[*table];
    const bool is_delete = record.kind == DumpRecord::Kind::kDelete;
    Status valid;
    if (!is_delete) valid = ValidateItem(schema, record.item);
    std::string encoded;
    if (valid.ok()) {
      auto key = KeyOf(schema, record.item);
      if (!key.ok()) {
        valid = key.error();
      } else {
        auto bytes = EncodeKey(schema, *key);
        if (bytes.ok()) {
          encoded = *std::move(bytes);
        } else {
          valid = bytes.error();
        }
      }
    }
    if (!valid.ok()) {
      Error error = valid.error();
      if (!record.place.path.empty()) {
        error.target = record.place.path + (error.target.empty() ? "" : "." + error.target);
      }
      std::string text;
      JsonWriter writer(text);
      WriteDynamoDbJson(writer, record.item);
      return Reject({std::move(error), record.place, text.substr(0, 4096)});
    }
    const Status added = sorter_.Add(*table, encoded, is_delete, record.item);
    return added.ok() || Stop(added.error());
  }

  bool OnFault(DumpFault fault) override {
    ++importer_.summary_.read;
    return Reject(std::move(fault));
  }

  bool OnSchema(const TableSchema& schema) override {
    TableSchema wanted = schema;
    if (!importer_.settings_.table.empty()) wanted.name = importer_.settings_.table;
    auto number = Register(wanted);
    return number.ok() || Stop(number.error());
  }

  void OnWarning(std::string_view code, std::string message, const DumpPlace& place) override {
    if (expects_nothing_ && code == "file-empty") return;  // a partition without items
    ++importer_.summary_.warnings;
    importer_.observer_.OnWarning(file_, code, message, place);
  }

 private:
  bool Stop(Error error) {
    failure_ = std::move(error);
    return false;
  }

  bool Reject(DumpFault fault) {
    ++importer_.summary_.rejected;
    if (importer_.settings_.skip_bad.empty()) {
      Error error = MakeError(ErrorCode::kInvalidArgument, fault.error.reason, fault.error.message, file_,
                              "mend the record, or go on without such records by --skip-bad FILE");
      std::string where = file_;
      if (fault.place.line > 0) where += ":" + std::to_string(fault.place.line);
      if (!fault.error.target.empty()) where += ": " + fault.error.target;
      error.target = where;
      return Stop(std::move(error));
    }
    importer_.observer_.OnReject(file_, fault);
    std::string line;
    JsonWriter json(line);
    json.BeginObject().Key("source").String(file_).Key("line").Uint(fault.place.line);
    json.Key("path").String(fault.error.target.empty() ? fault.place.path : fault.error.target);
    json.Key("reason").String(fault.error.reason + ": " + fault.error.message);
    json.Key("text").String(fault.text).EndObject();
    rejects_ << line << '\n';
    if (!rejects_) {
      return Stop(RejectsUnwritable());
    }
    return true;
  }

  Error RejectsUnwritable() const {
    return MakeError(ErrorCode::kUnavailable, "rejects-unwritable", "cannot write the file of rejects",
                     importer_.settings_.skip_bad, "name a file in a folder that is there, on a disk with room");
  }

  AttributeType ColumnType(std::string_view column) const {
    const std::string& name = importer_.settings_.table;
    for (const TableSchema& schema : importer_.tables_) {
      if (!name.empty() && schema.name != name) continue;
      if (schema.key.partition.name == column) return schema.key.partition.type;
      if (schema.key.sort && schema.key.sort->name == column) return schema.key.sort->type;
      for (const SecondaryIndex& index : schema.indexes) {
        for (const auto* columns : {&index.partition, &index.sort}) {
          for (const KeyColumn& key : *columns) {
            if (key.name == column) return key.type;
          }
        }
      }
    }
    for (const auto& key : {importer_.settings_.partition_key, importer_.settings_.sort_key}) {
      if (key && key->name == column) return key->type;
    }
    return AttributeType::kS;
  }

  // The number of the table that a record belongs to, created when it is new.
  Result<std::uint32_t> TableOf(const std::string& named, const Item& item) {
    std::string name = importer_.settings_.table;
    if (!name.empty() && !named.empty() && named != name) {
      foreign_names_.insert(named);
      if (foreign_names_.size() > 1) {
        return MakeError(ErrorCode::kInvalidArgument, "several-tables",
                         "the file holds several tables (" + *foreign_names_.begin() + ", " + named +
                             "), so --table cannot name one for all",
                         file_, "leave --table out");
      }
    }
    if (name.empty()) name = named;
    if (name.empty() && importer_.tables_.size() == 1) return std::uint32_t{0};
    if (name.empty()) {
      return MakeError(ErrorCode::kInvalidArgument, "table-unknown", "the file does not say which table it is of", file_,
                       "name it with --table");
    }
    for (std::uint32_t i = 0; i < importer_.tables_.size(); ++i) {
      if (importer_.tables_[i].name == name) return i;
    }
    TableSchema schema;
    schema.name = name;
    TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, importer_.store_.BeginRead());
    if (const auto existing = snapshot->Schema(name); existing.ok()) {
      schema = **existing;
    } else if (importer_.settings_.partition_key) {
      schema.key.partition = *importer_.settings_.partition_key;
      schema.key.sort = importer_.settings_.sort_key;
    } else {
      std::string columns;
      for (const auto& [attribute, value] : item) {
        if (columns.size() < 120) columns += (columns.empty() ? "" : ", ") + attribute;
      }
      return MakeError(ErrorCode::kInvalidArgument, "key-schema-unknown",
                       "the key columns of the new table `" + name + "` are not known (its first item has: " + columns + ")",
                       file_, "give --partition-key NAME[:S|N|B] and, if there is one, --sort-key NAME");
    }
    return Register(schema);
  }

  // Checks the table against what is there; it is made when everything has been read (MakeTables).
  Result<std::uint32_t> Register(const TableSchema& wanted) {
    TableSchema schema = wanted;
    for (const TableSchema& known : importer_.tables_) {
      if (known.name == schema.name && !(known.key == schema.key)) {
        return Mismatch(known, schema.key, "the file's definition");
      }
    }
    TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, importer_.store_.BeginRead());
    if (const auto existing = snapshot->Schema(schema.name); existing.ok()) {
      if (!((*existing)->key == schema.key)) return Mismatch(**existing, schema.key, "the file's definition");
      std::vector<SecondaryIndex> missing;
      for (const SecondaryIndex& index : schema.indexes) {
        const auto& have = (*existing)->indexes;
        if (std::none_of(have.begin(), have.end(), [&](const auto& other) { return other.name == index.name; })) {
          missing.push_back(index);
        }
      }
      schema = **existing;
      for (const SecondaryIndex& index : missing) schema.indexes.push_back(index);
      TABLECAST_RETURN_IF_ERROR(ValidateTableSchema(schema));
    } else {
      TABLECAST_RETURN_IF_ERROR(ValidateTableSchema(schema));
    }
    if (importer_.settings_.partition_key) {
      const bool same = *importer_.settings_.partition_key == schema.key.partition &&
                        (!importer_.settings_.sort_key || importer_.settings_.sort_key == schema.key.sort);
      if (!same) {
        return Mismatch(schema, KeySchema{*importer_.settings_.partition_key, importer_.settings_.sort_key},
                        "what --partition-key and --sort-key say");
      }
    }
    for (std::uint32_t i = 0; i < importer_.tables_.size(); ++i) {
      if (importer_.tables_[i].name == schema.name) {
        // A second definition may add indexes and takes none away.
        TableSchema& known = importer_.tables_[i];
        for (const SecondaryIndex& index : schema.indexes) {
          if (std::none_of(known.indexes.begin(), known.indexes.end(),
                           [&](const auto& other) { return other.name == index.name; })) {
            known.indexes.push_back(index);
          }
        }
        return i;
      }
    }
    importer_.tables_.push_back(schema);
    return static_cast<std::uint32_t>(importer_.tables_.size() - 1);
  }

  Error Mismatch(const TableSchema& table, const KeySchema& other, const std::string& whose) const {
    return MakeError(ErrorCode::kInvalidArgument, "key-schema-mismatch",
                     "the table `" + table.name + "` has the key (" + KeyText(table.key) + "), " + whose + " has (" +
                         KeyText(other) + ")",
                     file_, "load into another table with --table");
  }

  Importer& importer_;
  RecordSorter& sorter_;
  std::string file_;
  bool expects_nothing_ = false;
  std::ofstream rejects_;
  std::optional<Error> failure_;
  std::set<std::string> foreign_names_;
};

Result<ImportSummary> Importer::Run(const std::vector<std::string>& paths) {
  if (settings_.resume && settings_.atomic) {
    return MakeError(ErrorCode::kInvalidArgument, "resume-atomic", "an atomic import leaves nothing to go on with", "",
                     "run it again with --atomic alone");
  }
  const auto pipe = std::find_if(paths.begin(), paths.end(), [](const std::string& path) {
    std::error_code ignored;
    return path == "-" || std::filesystem::is_fifo(path, ignored);
  });
  if (settings_.resume && pipe != paths.end()) {
    return MakeError(ErrorCode::kInvalidArgument, "resume-stdin",
                     *pipe == "-" ? "standard input cannot be known to be the same" : "a pipe cannot be known to bring the same",
                     *pipe == "-" ? "" : *pipe,
                     "write it to a file and import that");
  }
  TABLECAST_ASSIGN_OR_RETURN(const std::vector<PlannedInput> files, PlanInputs(paths));
  RecordSorter sorter(settings_.spool_folder, settings_.sort, settings_.run_bytes);
  ImportReader reader(*this, sorter);
  TABLECAST_RETURN_IF_ERROR(reader.OpenRejects(files));
  if (!settings_.table.empty()) TABLECAST_RETURN_IF_ERROR(reader.UseExistingTable(settings_.table));
  for (const PlannedInput& file : files) TABLECAST_RETURN_IF_ERROR(reader.ReadFile(file, files.size() > 1));
  TABLECAST_RETURN_IF_ERROR(reader.CloseRejects());
  TABLECAST_RETURN_IF_ERROR(sorter.Finish());
  TABLECAST_RETURN_IF_ERROR(MakeTables());
  TABLECAST_RETURN_IF_ERROR(Load(sorter, Fingerprint(settings_, files)));
  return summary_;
}

Status Importer::MakeTables() {
  for (const TableSchema& table : tables_) {
    TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store_.BeginRead());
    const auto existing = snapshot->Schema(table.name);
    if (!existing.ok()) {
      TABLECAST_RETURN_IF_ERROR(store_.CreateTable(table));
      continue;
    }
    const std::vector<SecondaryIndex> have = (**existing).indexes;
    for (const SecondaryIndex& index : table.indexes) {
      const bool there = std::any_of(have.begin(), have.end(), [&](const auto& other) { return other.name == index.name; });
      if (!there) TABLECAST_RETURN_IF_ERROR(store_.AddSecondaryIndex(table.name, index));
    }
  }
  return {};
}

namespace {

// One operation on its own: what a sequence of the input's operations on that key would have done.
Status ApplyOperation(WriteTransaction& txn, const TableSchema& schema, const SortedOperation& op, ImportJournal& journal) {
  TABLECAST_ASSIGN_OR_RETURN(const ItemKey key, KeyOf(schema, op.item));
  TABLECAST_ASSIGN_OR_RETURN(bool existed, txn.Delete(schema.name, key));
  std::uint64_t puts = op.superseded_puts;
  if (op.superseded_deletes > 0 && existed) {
    ++journal.counts.deleted;
    existed = false;
  }
  if (!op.is_delete) {
    TABLECAST_RETURN_IF_ERROR(txn.Put(schema.name, op.item));
    ++puts;
  }
  if (puts > 0) {
    ++(existed ? journal.counts.replaced : journal.counts.written);
    journal.counts.replaced += puts - 1;
    existed = true;
  }
  if (op.is_delete && existed) ++journal.counts.deleted;
  ++journal.counts.tables[schema.name];
  ++journal.committed;
  return {};
}

Error Stopped() { return MakeError(ErrorCode::kAborted, "import-stopped", "stopped"); }

}  // namespace

Importer::Importer(LmdbItemStore& store, ImportSettings settings, ImportObserver& observer)
    : store_(store), durable_(&store), settings_(std::move(settings)), observer_(observer) {}

Status Importer::LoadAtomic(RecordSorter& sorter, ImportJournal& journal) {
  ImportJournal next;
  TABLECAST_RETURN_IF_ERROR(store_.Write([&](WriteTransaction& txn) -> Status {
    next = journal;  // the body may run twice
    sorter.Rewind();
    SortedOperation op;
    for (;;) {
      TABLECAST_ASSIGN_OR_RETURN(const bool more, sorter.Next(op));
      if (!more) return {};
      TABLECAST_RETURN_IF_ERROR(ApplyOperation(txn, tables_[op.table], op, next));
      if (next.committed % kProgressEvery == 0 && !observer_.OnProgress("writing", next.committed, sorter.added())) return Stopped();
    }
  }));
  journal = next;
  return {};
}

Status Importer::LoadInBatches(RecordSorter& sorter, ImportJournal& journal) {
  for (bool done = false; !done;) {
    std::vector<SortedOperation> batch;
    while (batch.size() < settings_.batch_items) {
      SortedOperation op;
      TABLECAST_ASSIGN_OR_RETURN(const bool more, sorter.Next(op));
      if (!more) {
        done = true;
        break;
      }
      batch.push_back(std::move(op));
    }
    if (batch.empty()) break;
    ImportJournal next;
    TABLECAST_RETURN_IF_ERROR(store_.Write([&](WriteTransaction& txn) -> Status {
      next = journal;
      for (const SortedOperation& op : batch) TABLECAST_RETURN_IF_ERROR(ApplyOperation(txn, tables_[op.table], op, next));
      return txn.PutMeta(kJournalName, WriteJournal(next));
    }));
    journal = next;
    if (!observer_.OnProgress("writing", journal.committed, sorter.added())) return Stopped();
  }
  return {};
}

Status Importer::LoadInBulk(RecordSorter& sorter, ImportJournal& journal) {
  ReadAhead operations(sorter);
  SortedOperation op;
  TABLECAST_ASSIGN_OR_RETURN(bool more, operations.Next(op));
  while (more) {
    const std::uint32_t table = op.table;
    const std::string& name = tables_[table].name;
    // Where each operation of the sorter ends among those of the loader, and the puts that it superseded.
    struct Boundary {
      std::uint64_t loader_operations;
      std::uint64_t replaced;
    };
    std::deque<Boundary> boundaries;
    std::uint64_t given = 0;
    std::uint64_t extra_replaced = 0;
    ImportJournal before = journal;
    BulkLoadOptions options;
    options.batch_operations = settings_.batch_items;
    bool stop = false;
    options.before_commit = [&](WriteTransaction& txn, const BulkLoadTotals& totals) -> Status {
      while (!boundaries.empty() && boundaries.front().loader_operations <= totals.operations()) {
        ++before.committed;
        ++before.counts.tables[name];
        extra_replaced += boundaries.front().replaced;
        boundaries.pop_front();
      }
      ImportJournal next = before;
      next.counts.written = journal.counts.written + totals.inserted;
      next.counts.replaced = journal.counts.replaced + totals.replaced + totals.unchanged + extra_replaced;
      next.counts.deleted = journal.counts.deleted + totals.deleted;
      // A wish to stop is heard here and obeyed behind this commit.
      stop = !observer_.OnProgress("writing", next.committed, sorter.added());
      return txn.PutMeta(kJournalName, WriteJournal(next));
    };
    TABLECAST_ASSIGN_OR_RETURN(const auto loader, BulkLoader::Begin(*durable_, name, std::move(options), &tables_[table]));
    Status status;
    while (more && op.table == table && status.ok()) {
      std::uint64_t superseded = op.superseded_puts;
      if (op.superseded_deletes > 0) {
        ++given;
        status = loader->DeleteChecked(op.key, false);  // what follows of this key is of the same batch: a resumed run repeats all
      }
      if (status.ok() && op.is_delete) {
        if (superseded > 0) {
          // Put and taken away again within the input: both count.
          ++given;
          --superseded;
          status = loader->PutChecked(op.key, op.item, false);
        }
        ++given;
        boundaries.push_back({given, superseded});
        if (status.ok()) status = loader->DeleteChecked(std::move(op.key));
      } else if (status.ok()) {
        ++given;
        boundaries.push_back({given, superseded});
        status = loader->PutChecked(std::move(op.key), std::move(op.item));
      }
      if (status.ok() && stop) status = Stopped();
      if (!status.ok()) break;
      auto next = operations.Next(op);
      if (!next.ok()) return next.error();
      more = *next;
    }
    if (status.ok()) status = loader->Finish();
    const BulkLoadTotals& totals = loader->committed();
    journal.committed = before.committed;
    journal.counts.tables = before.counts.tables;
    journal.counts.written += totals.inserted;
    journal.counts.replaced += totals.replaced + totals.unchanged + extra_replaced;
    journal.counts.deleted += totals.deleted;
    TABLECAST_RETURN_IF_ERROR(status);
  }
  return {};
}

Status Importer::Load(RecordSorter& sorter, const std::string& signature) {
  ImportJournal journal;
  journal.fingerprint = signature;
  if (settings_.resume) {
    TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store_.BeginRead());
    TABLECAST_ASSIGN_OR_RETURN(const auto text, snapshot->GetMeta(kJournalName));
    if (!text) {
      return MakeError(ErrorCode::kInvalidArgument, "resume-nothing", "no import was interrupted in this store", "",
                       "run it without --resume");
    }
    TABLECAST_ASSIGN_OR_RETURN(journal, ReadJournal(*text));
    if (journal.fingerprint != signature) {
      return MakeError(ErrorCode::kInvalidArgument, "resume-other-files",
                       "the interrupted import was of other files, or these have changed since", "",
                       "give the same files, or run it without --resume");
    }
    summary_.skipped = journal.committed;
    SortedOperation skipped;
    for (std::uint64_t i = 0; i < journal.committed; ++i) {
      TABLECAST_ASSIGN_OR_RETURN(const bool more, sorter.Next(skipped));
      if (!more) break;
    }
  }
  const Status status = settings_.atomic      ? LoadAtomic(sorter, journal)
                        : durable_ != nullptr ? LoadInBulk(sorter, journal)
                                              : LoadInBatches(sorter, journal);
  summary_.written = journal.counts.written;
  summary_.replaced = journal.counts.replaced;
  summary_.deleted = journal.counts.deleted;
  summary_.tables = journal.counts.tables;
  if (!status.ok()) {
    Error error = status.error();
    if (settings_.atomic) {
      error.message += "; nothing is committed";
    } else {
      error.message += "; " + std::to_string(journal.committed) + " operations are committed";
      if (error.remedy.empty()) error.remedy = "go on with --resume when the cause is mended";
    }
    return error;
  }
  // The import is whole: nothing to resume.
  return store_.Write([](WriteTransaction& txn) { return txn.DeleteMeta(kJournalName); });
}

}  // namespace tablecast
