#include "cli/data_findings.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/session.h"
#include "formats/importer.h"
#include "qualifiers/qualifier_parser.h"
#include "qualifiers/validator.h"
#include "store/memory_item_store.h"

namespace tablecast::cli {

namespace {

class Silent final : public ImportObserver {
 public:
  bool OnProgress(std::string_view, std::uint64_t, std::uint64_t) override { return true; }
  void OnWarning(const std::string&, std::string_view, const std::string&, const DumpPlace&) override {}
  void OnReject(const std::string&, const DumpFault&) override {}
};

// The first qualifier file of the paths: its table and the key columns it suggests.
std::optional<TableSchema> SuggestedSchema(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(path, error)) {
      if (entry.path().extension() == ".json" && entry.path().filename() != "catalog.json") files.push_back(entry.path().string());
    }
  }
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    const ParsedQualifier parsed = ParseQualifier(text.str(), file);
    if (!parsed.qualifier) continue;
    TableSchema schema = AssumeSchema(*parsed.qualifier);
    if (parsed.qualifier->table_name) schema.name = *parsed.qualifier->table_name;
    return schema;
  }
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<ItemStore>> OpenData(const std::string& data, const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(data, error) && fs::exists(fs::path(data) / "data.mdb", error)) {
    TABLECAST_ASSIGN_OR_RETURN(auto store, OpenStore(data, StoreAccess::kMustExist));
    return std::unique_ptr<ItemStore>(std::move(store));
  }
  if (!fs::exists(data, error)) {
    return MakeError(ErrorCode::kInvalidArgument, "data-not-found", "no such store or dump", data,
                     "give a store's folder or a dump file to --data");
  }
  auto memory = std::make_unique<MemoryItemStore>();
  ImportSettings settings;
  settings.spool_folder = fs::temp_directory_path(error).string();
  if (const auto schema = SuggestedSchema(paths)) {
    settings.table = schema->name;
    settings.partition_key = schema->key.partition;
    settings.sort_key = schema->key.sort;
  }
  Silent observer;
  Importer importer(*memory, settings, observer);
  TABLECAST_ASSIGN_OR_RETURN(const ImportSummary summary, importer.Run({data}));
  static_cast<void>(summary);
  return std::unique_ptr<ItemStore>(std::move(memory));
}

}  // namespace tablecast::cli
