// tablecast import: dumps into a store, with progress and an exact summary.

#include <chrono>

#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "formats/importer.h"

namespace tablecast::cli {

namespace {

constexpr std::uint64_t kShownWarnings = 20;

class Observer final : public ImportObserver {
 public:
  explicit Observer(const Terminal& terminal) : progress_(terminal, "import") {}

  bool OnProgress(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    progress_.Update(done, total, stage == "reading" ? "records read" : "records written");
    return true;
  }
  void OnWarning(const std::string& file, std::string_view code, const std::string& message,
                 const DumpPlace& place) override {
    if (++warnings_ > kShownWarnings) return;
    progress_.Finish();
    std::string where = file;
    if (place.line > 0) where += ":" + std::to_string(place.line);
    WriteStderr(where + ": warning: " + message + " [" + std::string(code) + "]\n");
    if (warnings_ == kShownWarnings) WriteStderr("(further warnings are only counted)\n");
  }
  void OnReject(const std::string& file, const DumpFault& fault) override {
    if (++rejects_ > kShownWarnings) return;
    progress_.Finish();
    std::string where = file;
    if (fault.place.line > 0) where += ":" + std::to_string(fault.place.line);
    if (!fault.error.target.empty()) where += ": " + fault.error.target;
    WriteStderr(where + ": rejected: " + fault.error.message + " [" + fault.error.reason + "]\n");
    if (rejects_ == kShownWarnings) WriteStderr("(further rejects only go into the file)\n");
  }
  void Finish() { progress_.Finish(); }

 private:
  Progress progress_;
  std::uint64_t warnings_ = 0;
  std::uint64_t rejects_ = 0;
};

void PrintSummary(const ImportOptions& options, const ImportSummary& summary, std::uint64_t milliseconds) {
  const std::uint64_t rate = milliseconds == 0 ? 0 : summary.read * 1000 / milliseconds;
  std::string out;
  if (options.summary == "json") {
    JsonWriter json(out);
    json.BeginObject().Key("files").Uint(summary.files).Key("read").Uint(summary.read);
    json.Key("written").Uint(summary.written).Key("replaced").Uint(summary.replaced);
    json.Key("deleted").Uint(summary.deleted).Key("rejected").Uint(summary.rejected);
    json.Key("skipped").Uint(summary.skipped).Key("warnings").Uint(summary.warnings);
    json.Key("bytes").Uint(summary.bytes).Key("milliseconds").Uint(milliseconds).Key("itemsPerSecond").Uint(rate);
    json.Key("tables").BeginObject();
    for (const auto& [name, count] : summary.tables) json.Key(name).Uint(count);
    json.EndObject().EndObject();
    out += '\n';
  } else {
    out = "read " + Thousands(summary.read) + " records (" + HumanBytes(summary.bytes) + ") from " +
          Thousands(summary.files) + (summary.files == 1 ? " file" : " files") + ": " + Thousands(summary.written) +
          " written, " + Thousands(summary.replaced) + " replaced, " + Thousands(summary.deleted) + " deleted, " +
          Thousands(summary.rejected) + " rejected";
    if (summary.skipped > 0) out += ", " + Thousands(summary.skipped) + " already there from the interrupted run";
    out += "; " + std::to_string(milliseconds / 1000) + "." + std::to_string(milliseconds % 1000 / 100) + " s";
    if (rate > 0) out += ", " + Thousands(rate) + " items/s";
    out += "\n";
    for (const auto& [name, count] : summary.tables) out += "  " + name + ": " + Thousands(count) + " operations\n";
  }
  WriteStdout(out);
}

}  // namespace

ExitCode RunImport(const Terminal& terminal, const ImportOptions& options) {
  const auto started = std::chrono::steady_clock::now();
  ImportSettings settings;
  settings.table = options.table;
  settings.skip_bad = options.skip_bad;
  settings.resume = options.resume;
  settings.atomic = options.atomic;
  settings.sort = !options.no_sort;
  settings.spool_folder = options.store;
  settings.format = DumpFormatFromName(options.format).value_or(DumpFormat::kAuto);
  for (const auto& [text, option, target] :
       {std::tuple{&options.partition_key, "--partition-key", &settings.partition_key},
        std::tuple{&options.sort_key, "--sort-key", &settings.sort_key}}) {
    if (text->empty()) continue;
    auto column = ParseKeyColumn(*text, option);
    if (!column.ok()) return PrintError(terminal, "import", column.error());
    *target = *std::move(column);
  }
  auto store = OpenStore(options.store, StoreAccess::kCreate);
  if (!store.ok()) return PrintError(terminal, "import", store.error());
  CatalogOptions no_inference;
  no_inference.keep_inferred = false;
  if (!options.catalog.empty()) {
    // Known tables keep their indexes in step while loading; new ones are indexed behind it.
    auto catalog = LoadCatalogFolder(terminal, options.catalog, store->get(), no_inference);
    if (!catalog.ok()) return PrintError(terminal, "import", catalog.error());
    const Status installed = InstallMaintainers(*catalog->catalog, **store);
    if (!installed.ok()) return PrintError(terminal, "import", installed.error());
  }
  Observer observer(terminal);
  Importer importer(**store, settings, observer);
  auto summary = importer.Run(options.files);
  observer.Finish();
  if (!summary.ok()) {
    // A file that is not there is wrong input; 1 would say that the load went through with rejects.
    const ExitCode code = PrintError(terminal, "import", summary.error());
    return code == kAnswerIsNo ? kWrongInput : code;
  }
  if (!options.catalog.empty()) {
    auto catalog = LoadCatalogFolder(terminal, options.catalog, store->get(), {});
    if (!catalog.ok()) return PrintError(terminal, "import", catalog.error());
    const Status built = BuildIndexes(terminal, *catalog->catalog, **store);
    if (!built.ok()) return PrintError(terminal, "import", built.error());
  }
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started);
  PrintSummary(options, *summary, static_cast<std::uint64_t>(elapsed.count()));
  return summary->rejected > 0 ? kAnswerIsNo : kSuccess;
}

}  // namespace tablecast::cli
