#include "tests/service/fixture.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>

#include "connector/columnar_build.h"
#include "formats/importer.h"
#include "store/lmdb_item_store.h"
#include "store/memory_item_store.h"

namespace tablecast::testing {

namespace {

namespace fs = std::filesystem;

class Silent final : public ImportObserver {
 public:
  bool OnProgress(std::string_view, std::uint64_t, std::uint64_t) override { return true; }
  void OnWarning(const std::string&, std::string_view, const std::string&, const DumpPlace&) override {}
  void OnReject(const std::string&, const DumpFault&) override {}
};

struct TableLoad {
  const char* table;
  KeyColumn partition;
  std::optional<KeyColumn> sort;
  const char* file;
};

std::vector<TableLoad> LoadsOf(const std::string& example) {
  using enum AttributeType;
  if (example == "customers") return {{"Customers", {"customerId", kS}, std::nullopt, "items.jsonl"}};
  if (example == "bookshop") {
    std::vector<TableLoad> loads;
    for (const char* table : {"books", "users", "authors", "orders"}) loads.push_back({table, {"id", kN}, std::nullopt, table});
    loads.push_back({"ratings", {"book_id", kN}, KeyColumn{"user_id", kN}, "ratings"});
    loads.push_back({"book_authors", {"book_id", kN}, KeyColumn{"author_id", kN}, "book_authors"});
    return loads;
  }
  const char* table = example == "order-management" ? "OrderManagement"
                      : example == "salesforce"     ? "FieldService"
                                                    : "Things";
  return {{table, {"pk", kS}, KeyColumn{"sk", kS}, "items.jsonl"}};
}

// Every object asks for a columnar sidecar: in catalog.json where that has the objects' options, else in each
// object's own file.
void AskForColumns(std::vector<CatalogFile>& files) {
  const std::string option = "\"object\": {";
  const auto ask = [&](std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = text.find(option); at != std::string::npos; at = text.find(option, at + 1)) {
      text.insert(at + option.size(), text[text.find_first_not_of(" \n", at + option.size())] == '}' ? "\"columnar\": true" : "\"columnar\": true, ");
      ++found;
    }
    return found;
  };
  for (CatalogFile& file : files) {
    if (fs::path(file.name).filename() == "catalog.json" && ask(file.text) > 0) return;
  }
  for (CatalogFile& file : files) {
    if (fs::path(file.name).filename() == "catalog.json" || ask(file.text) > 0) continue;
    const std::size_t at = file.text.find('{');
    if (at != std::string::npos) file.text.insert(at + 1, option + "\"columnar\": true}, ");
  }
}

}  // namespace

ServedExample::ServedExample(const std::string& example, StoreKind kind, ServiceOptions options, bool columnar, std::size_t change_log) {
  static std::atomic<int> counter{0};
  folder_ = fs::temp_directory_path() / ("served." + std::to_string(::getpid()) + "." + std::to_string(++counter));
  fs::create_directories(folder_);
  fs::path source = fs::path(TABLECAST_SOURCE_DIR) / "examples" / example;
  if (!fs::exists(source)) source = fs::path(TABLECAST_SOURCE_DIR) / "tests/service/catalogs" / example;
  if (kind == StoreKind::kLmdb) {
    auto opened = LmdbItemStore::Open((folder_ / "store").string(), {});
    if (!opened.ok()) {
      ADD_FAILURE() << opened.error().ToString();
      return;
    }
    store_ = *std::move(opened);
  } else {
    MemoryItemStore::Options memory;
    if (change_log > 0) memory.change_log_max_entries = change_log;
    store_ = std::make_unique<MemoryItemStore>(memory);
  }
  Silent observer;
  for (const TableLoad& load : LoadsOf(example)) {
    ImportSettings settings;
    settings.table = load.table;
    settings.partition_key = load.partition;
    settings.sort_key = load.sort;
    settings.spool_folder = folder_.string();
    const std::string name = load.file;
    const fs::path file = name.ends_with(".jsonl") ? source / name : source / "data" / (name + ".jsonl");
    Importer importer(*store_, settings, observer);
    const auto summary = importer.Run({file.string()});
    if (!summary.ok()) ADD_FAILURE() << summary.error().ToString();
  }
  auto files = ReadCatalogFolder((source / "catalog").string());
  if (!files.ok()) {
    ADD_FAILURE() << files.error().ToString();
    return;
  }
  if (columnar) AskForColumns(*files);
  const CatalogLoad loaded = LoadCatalog(*files, store_.get(), {});
  for (const Issue& issue : loaded.issues) {
    if (issue.severity == Severity::kError) ADD_FAILURE() << issue.file << ": " << issue.message;
  }
  catalog_ = loaded.catalog;
  if (catalog_ == nullptr) return;
  EXPECT_TRUE(InstallMaintainers(*catalog_, *store_).ok());
  for (const std::string& table : catalog_->Tables()) {
    const Status built = store_->BuildIndexes(table, [](std::uint64_t, std::uint64_t) { return true; });
    if (!built.ok()) ADD_FAILURE() << built.error().ToString();
    const auto copied = BuildColumnar(*catalog_, table, *store_, 1, [](std::uint64_t, std::uint64_t) { return true; }, 64);
    if (!copied.ok()) ADD_FAILURE() << copied.error().ToString();
  }
  if (options.token_secret.empty()) options.token_secret = std::string(32, 'k');
  service_ = std::make_unique<Service>(*store_, std::move(options));
  service_->SetCatalog(catalog_);
}

ServedExample::~ServedExample() {
  service_.reset();
  store_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

HttpResponse ServedExample::Send(const std::string& method, const std::string& target, const std::string& body,
                                 HttpHeaders headers) {
  HttpRequest request;
  request.method = method;
  request.target = target;
  request.body = body;
  request.headers = std::move(headers);
  request.authority = "localhost";
  request.principal = Principal::Unrestricted();
  request.request_id = "test";
  request.received.seconds = 1700000000;
  return service_->Handle(request);
}

}  // namespace tablecast::testing
