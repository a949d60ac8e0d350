#ifndef TABLECAST_FORMATS_EXPORT_MANIFEST_H_
#define TABLECAST_FORMATS_EXPORT_MANIFEST_H_

// Exports to S3 as folders: manifests name the data files with count and MD5 and give the order in which several
// incremental exports follow each other. Internal to formats/.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tablecast {

// What a manifest promises about one data file.
struct ManifestEntry {
  std::string md5;  // base64, of the stored bytes; may be empty
  std::uint64_t items = 0;
};

struct PlannedInput {
  std::string path;
  std::optional<ManifestEntry> promised;
};

// The data files of the arguments, in the order to read them: arguments as given; within one, exports by their time
// (a later change must win), then what no manifest names, by name. A manifest's data is looked for in its own `data`
// folder, in the one beside it that incremental exports share, and anywhere below the argument by base name.
// ERRORS: those of ExpandInputPath; "manifest-syntax", "manifest-file-missing", "manifest-count" (the summary's count
// is not the sum), "manifest-file-unlisted" (a data folder holds a file that no manifest names: the export is not
// complete, or a manifest is missing).
Result<std::vector<PlannedInput>> PlanInputs(const std::vector<std::string>& paths);

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_EXPORT_MANIFEST_H_
