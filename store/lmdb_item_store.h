#ifndef TABLECAST_STORE_LMDB_ITEM_STORE_H_
#define TABLECAST_STORE_LMDB_ITEM_STORE_H_

// The durable ItemStore: one LMDB environment in a directory of its own (data.mdb, lock.mdb,
// writer.lock). Several processes may have the same store open: readers see the last commit of any
// of them, writers take turns.
//
//   TABLECAST_ASSIGN_OR_RETURN(auto store, LmdbItemStore::Open("/var/lib/shop", {}));
//   TABLECAST_RETURN_IF_ERROR(store->CreateTable(schema));
//
// Not for network file systems (LMDB's locks), and not to be used in a child after fork().

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/change_log.h"
#include "store/integrity.h"
#include "store/item_store.h"
#include "store/lmdb_catalog.h"
#include "store/lmdb_env.h"

namespace tablecast {

class LmdbTransaction;

struct LmdbOptions {
  LmdbEnvOptions env;
  ChangeLogLimits change_log;
  // Items or changes per transaction of BuildIndexes and of removing dropped tables. Writers get
  // their turn between the steps. Smaller steps: shorter waits, more fsyncs.
  std::size_t build_step_items = 10'000;
};

// THREAD: safe. Snapshots and transactions must end before the store does.
class LmdbItemStore final : public ItemStore {
 public:
  // ERRORS: of LmdbEnv::Open; kFailedPrecondition "store-format-newer" when a newer tablecast wrote
  // the store, "not-a-store" when other data is there.
  static Result<std::unique_ptr<LmdbItemStore>> Open(const std::string& path,
                                                     const LmdbOptions& options);
  ~LmdbItemStore() override;

  SourceCapabilities capabilities() const override { return {}; }
  Status CreateTable(const TableSchema& schema) override;
  Status DropTable(std::string_view table) override;
  // One transaction over the whole table: the index is there, complete, when this returns.
  Status AddSecondaryIndex(std::string_view table, const SecondaryIndex& index) override;
  Result<std::unique_ptr<ReadSnapshot>> BeginRead() const override;
  Status Write(const std::function<Status(WriteTransaction&)>& body) override;
  // nullptr: this process maintains nothing any more; the stored indexes stay and fall behind.
  Status SetMaintainer(std::string_view table,
                       std::shared_ptr<const IndexMaintainer> maintainer) override;
  Status BuildIndexes(std::string_view table,
                      const std::function<bool(std::uint64_t, std::uint64_t)>& progress) override;

  const std::string& path() const { return env_->path(); }
  std::uint64_t file_bytes() const { return env_->file_bytes(); }
  LmdbEnv& env() { return *env_; }

  // Copies the last commit, compacted, into the new directory `to`, syncs it, opens the copy and
  // checks it whole; only then does it get its name. Readers and writers go on meanwhile. ERRORS:
  // kAlreadyExists "backup-exists"; kDataLoss "backup-damaged"; kUnavailable "disk-full".
  Result<IntegrityReport> Backup(const std::string& to) const;
  // Reads everything and compares (integrity.h). Derived indexes are checked entry by entry for
  // tables whose maintainer this process has set.
  Result<IntegrityReport> CheckIntegrity() const;

  // The one write transaction, for bulk loads that stay open over many items. Ends uncommitted when
  // destroyed. THREAD: the thread that began it. ERRORS: kUnavailable "store-locked".
  Result<std::unique_ptr<LmdbTransaction>> BeginTransaction();

 private:
  class Snapshot;
  LmdbItemStore(std::shared_ptr<LmdbEnv> env, LmdbOptions options);
  Status CheckFormat();
  Status Change(const std::function<Status(LmdbTransaction&)>& body);
  Status PurgeDropped();
  std::shared_ptr<const IndexMaintainer> MaintainerOf(std::string_view table) const;

  std::shared_ptr<LmdbEnv> env_;
  LmdbOptions options_;
  mutable CatalogCache catalog_;
  mutable std::mutex maintainers_mutex_;
  std::map<std::string, std::shared_ptr<const IndexMaintainer>, std::less<>> maintainers_;
};

}  // namespace tablecast

#endif  // TABLECAST_STORE_LMDB_ITEM_STORE_H_
