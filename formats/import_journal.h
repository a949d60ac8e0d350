#ifndef TABLECAST_FORMATS_IMPORT_JOURNAL_H_
#define TABLECAST_FORMATS_IMPORT_JOURNAL_H_

// What an import keeps in the store with every batch, so that `--resume` can go on behind the last one. Internal to
// formats/.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/export_manifest.h"
#include "formats/importer.h"

namespace tablecast {

// How far a load is, kept in the store with each batch.
struct ImportJournal {
  std::string fingerprint;
  std::uint64_t committed = 0;  // operations of the sorter
  ImportSummary counts;
};

std::string WriteJournal(const ImportJournal& journal);
Result<ImportJournal> ReadJournal(const std::string& text);

// Identifies the input of a resumed run: how it was read, and names, sizes, times and the first megabyte of each file.
std::string Fingerprint(const ImportSettings& settings, const std::vector<PlannedInput>& files);

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_IMPORT_JOURNAL_H_
