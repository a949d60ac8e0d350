#ifndef TABLECAST_FORMATS_IMPORTER_H_
#define TABLECAST_FORMATS_IMPORTER_H_

// Loads dumps of any shape into a store: reads and checks every record, sorts them by key, writes them in atomic
// batches with a journal, or all at once. Counts are exact.
//
//   Importer importer(store, options, observer);
//   Result<ImportSummary> summary = importer.Run({"dump/"});

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/dump_reader.h"
#include "item/table_schema.h"
#include "store/item_store.h"

namespace tablecast {

struct ImportSettings {
  std::string table;  // "" = as the files say
  std::optional<KeyColumn> partition_key;
  std::optional<KeyColumn> sort_key;
  DumpFormat format = DumpFormat::kAuto;
  std::string skip_bad;  // file for rejects; "" = stop at the first
  bool resume = false;
  bool atomic = false;
  bool sort = true;
  std::string spool_folder;  // on the store's disk
  std::size_t batch_items = 50000;
  std::size_t run_bytes = std::size_t{64} << 20U;
};

struct ImportSummary {
  std::uint64_t files = 0;
  std::uint64_t read = 0;      // records found
  std::uint64_t written = 0;   // new items
  std::uint64_t replaced = 0;  // puts over an item that was there, in the store or earlier in the input
  std::uint64_t deleted = 0;   // items removed
  std::uint64_t rejected = 0;  // records that could not be read or stored
  std::uint64_t bytes = 0;     // of text, decompressed
  std::uint64_t skipped = 0;   // operations that an earlier run had committed (--resume)
  std::map<std::string, std::uint64_t> tables;  // operations by table
  std::uint64_t warnings = 0;
};

class ImportObserver {
 public:
  virtual ~ImportObserver() = default;
  // `stage` is "reading" or "writing"; total 0 = unknown. Return false to stop.
  virtual bool OnProgress(std::string_view stage, std::uint64_t done, std::uint64_t total) = 0;
  virtual void OnWarning(const std::string& file, std::string_view code, const std::string& message,
                         const DumpPlace& place) = 0;
  virtual void OnReject(const std::string& file, const DumpFault& fault) = 0;
};

class LmdbItemStore;
struct ImportJournal;

class Importer {
 public:
  // BORROWS both. A durable store is loaded through its bulk loader.
  Importer(ItemStore& store, ImportSettings settings, ImportObserver& observer)
      : store_(store), settings_(std::move(settings)), observer_(observer) {}
  Importer(LmdbItemStore& store, ImportSettings settings, ImportObserver& observer);

  // ERRORS: those of reading ("import-bad-record" wraps the record's own error with file, line and path unless
  // skip_bad); "key-schema-unknown", "key-schema-mismatch", "table-unknown", "several-tables"; "manifest-...";
  // "resume-nothing", "resume-other-files",
  // "resume-stdin", "resume-atomic"; the store's. The message of an error says what is committed.
  Result<ImportSummary> Run(const std::vector<std::string>& paths);

 private:
  friend class ImportReader;
  Status MakeTables();
  Status Load(class RecordSorter& sorter, const std::string& signature);
  Status LoadAtomic(RecordSorter& sorter, ImportJournal& journal);
  Status LoadInBatches(RecordSorter& sorter, ImportJournal& journal);
  Status LoadInBulk(RecordSorter& sorter, ImportJournal& journal);

  ItemStore& store_;
  LmdbItemStore* durable_ = nullptr;
  ImportSettings settings_;
  ImportObserver& observer_;
  ImportSummary summary_;
  std::vector<TableSchema> tables_;  // by number
};

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_IMPORTER_H_
