// External IDs of the examples' objects: whatever text comes, the places to look at are few and inside the object's
// table, and splitting never loses or adds a character.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connector/catalog.h"
#include "connector/external_id.h"
#include "store/memory_item_store.h"

namespace {

using namespace tablecast;  // NOLINT(google-build-using-namespace)

struct Loaded {
  std::unique_ptr<MemoryItemStore> store = std::make_unique<MemoryItemStore>();
  std::shared_ptr<const Catalog> catalog;
};

Loaded Load(const std::string& example, const std::vector<TableSchema>& tables) {
  Loaded loaded;
  for (const TableSchema& table : tables) {
    if (!loaded.store->CreateTable(table).ok()) std::abort();
  }
  const auto files = ReadCatalogFolder(std::string(TABLECAST_SOURCE_DIR) + "/examples/" + example + "/catalog");
  if (!files.ok()) std::abort();
  CatalogOptions options;
  options.keep_inferred = false;
  loaded.catalog = LoadCatalog(*files, loaded.store.get(), options).catalog;
  if (loaded.catalog == nullptr || loaded.catalog->objects().empty()) std::abort();
  return loaded;
}

TableSchema Table(const char* name, KeyColumn partition, std::optional<KeyColumn> sort) {
  TableSchema schema;
  schema.name = name;
  schema.key = {std::move(partition), std::move(sort)};
  return schema;
}

const std::vector<Loaded>& Catalogs() {
  using enum AttributeType;
  static const std::vector<Loaded> catalogs = [] {
    std::vector<Loaded> all;
    all.push_back(Load("order-management", {Table("OrderManagement", {"pk", kS}, KeyColumn{"sk", kS})}));
    all.push_back(Load("customers", {Table("Customers", {"customerId", kS}, std::nullopt)}));
    all.push_back(Load("bookshop", {Table("books", {"id", kN}, std::nullopt), Table("users", {"id", kN}, std::nullopt),
                                    Table("authors", {"id", kN}, std::nullopt), Table("orders", {"id", kN}, std::nullopt),
                                    Table("ratings", {"book_id", kN}, KeyColumn{"user_id", kN}),
                                    Table("book_authors", {"book_id", kN}, KeyColumn{"author_id", kN})}));
    return all;
  }();
  return catalogs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view id(reinterpret_cast<const char*>(data), size);
  for (const Loaded& loaded : Catalogs()) {
    for (const auto& object : loaded.catalog->objects()) {
      const auto splits = SplitExternalId(*object, id);
      const auto places = ExternalIdConditions(*object, id);
      for (const Error* error : {splits.ok() ? nullptr : &splits.error(), places.ok() ? nullptr : &places.error()}) {
        if (error != nullptr && (error->code == ErrorCode::kInternal || error->reason.empty())) std::abort();
      }
      if (splits.ok() && splits->size() > kMaxIdSplits) std::abort();
      if (places.ok() && places->size() > kMaxIdSplits) std::abort();
      if (splits.ok()) {
        for (const auto& parts : *splits) {
          std::size_t bytes = 0;
          for (const std::string& part : parts) bytes += part.size();
          if (bytes > id.size()) std::abort();
        }
      }
    }
  }
  return 0;
}
