#include "store/bulk_load.h"

#include <utility>

#include "item/item_codec.h"
#include "store/lmdb_transaction.h"

namespace tablecast {

BulkLoader::BulkLoader(LmdbItemStore& store, std::string table, BulkLoadOptions options)
    : store_(store), table_(std::move(table)), options_(std::move(options)) {}
BulkLoader::~BulkLoader() = default;

Result<std::unique_ptr<BulkLoader>> BulkLoader::Begin(LmdbItemStore& store, std::string table,
                                                      BulkLoadOptions options,
                                                      const TableSchema* checked_against) {
  std::unique_ptr<BulkLoader> loader(new BulkLoader(store, std::move(table), std::move(options)));
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store.BeginRead());
  TABLECAST_ASSIGN_OR_RETURN(loader->schema_, snapshot->Schema(loader->table_));
  loader->checked_ = checked_against != nullptr && *checked_against == *loader->schema_;
  return loader;
}

Status BulkLoader::PutChecked(std::string key, Item item, bool ends_batch) {
  if (!failed_.ok()) return failed_;
  if (!checked_) return Put(std::move(item), ends_batch);
  const std::size_t bytes = ItemSize(item);
  return Add({.key = std::move(key), .item = std::move(item)}, bytes, ends_batch);
}

Status BulkLoader::DeleteChecked(std::string key, bool ends_batch) {
  if (!failed_.ok()) return failed_;
  const std::size_t bytes = key.size();
  return Add({.key = std::move(key), .item = {}}, bytes, ends_batch);
}

Status BulkLoader::Put(Item item, bool ends_batch) {
  if (!failed_.ok()) return failed_;
  TABLECAST_RETURN_IF_ERROR(ValidateItem(*schema_, item));
  TABLECAST_ASSIGN_OR_RETURN(const ItemKey key, KeyOf(*schema_, item));
  TABLECAST_ASSIGN_OR_RETURN(std::string encoded, EncodeKey(*schema_, key));
  const std::size_t bytes = ItemSize(item);
  return Add({.key = std::move(encoded), .item = std::move(item)}, bytes, ends_batch);
}

Status BulkLoader::Delete(const ItemKey& key, bool ends_batch) {
  if (!failed_.ok()) return failed_;
  TABLECAST_ASSIGN_OR_RETURN(std::string encoded, EncodeKey(*schema_, key));
  const std::size_t bytes = encoded.size();
  return Add({.key = std::move(encoded), .item = {}}, bytes, ends_batch);
}

Status BulkLoader::Add(Operation operation, std::size_t bytes, bool ends_batch) {
  batch_.push_back(std::move(operation));
  batch_bytes_ += bytes;
  if (!ends_batch || (batch_.size() < options_.batch_operations && batch_bytes_ < options_.batch_bytes)) return {};
  failed_ = Apply();
  if (failed_.ok() && !options_.atomic) failed_ = Commit();
  if (!failed_.ok()) transaction_.reset();
  return failed_;
}

Status BulkLoader::Finish() {
  if (!failed_.ok()) return failed_;
  failed_ = Apply();
  if (failed_.ok()) failed_ = Commit();
  transaction_.reset();
  return failed_;
}

Status BulkLoader::Apply() {
  if (transaction_ == nullptr) {
    TABLECAST_ASSIGN_OR_RETURN(transaction_, store_.BeginTransaction());
  }
  for (Operation& operation : batch_) {
    const bool log = applied_.operations() < options_.max_logged;
    TABLECAST_ASSIGN_OR_RETURN(
        const LoadOutcome outcome,
        transaction_->Load(table_, {.key = operation.key,
                                    .item = operation.item.empty() ? nullptr : &operation.item,
                                    .checked_against = schema_,
                                    .log_change = log}));
    switch (outcome) {
      case LoadOutcome::kInserted: ++applied_.inserted; break;
      case LoadOutcome::kReplaced: ++applied_.replaced; break;
      case LoadOutcome::kUnchanged: ++applied_.unchanged; break;
      case LoadOutcome::kDeleted: ++applied_.deleted; break;
      case LoadOutcome::kMissing: ++applied_.missing; break;
    }
  }
  batch_.clear();
  batch_bytes_ = 0;
  return {};
}

Status BulkLoader::Commit() {
  if (options_.before_commit)
    TABLECAST_RETURN_IF_ERROR(options_.before_commit(*transaction_, applied_));
  TABLECAST_RETURN_IF_ERROR(transaction_->Commit());
  transaction_.reset();
  committed_ = applied_;
  return {};
}

}  // namespace tablecast
