#ifndef TABLECAST_STORE_LMDB_ENV_H_
#define TABLECAST_STORE_LMDB_ENV_H_

// A thin RAII layer over LMDB: one environment per path per process, pooled read transactions, the
// one write transaction, cursors. It knows LMDB's rules and error codes, and nothing of tables or
// items.
//
//   TABLECAST_ASSIGN_OR_RETURN(auto env, LmdbEnv::Open("/var/lib/shop", {}));
//   TABLECAST_ASSIGN_OR_RETURN(ReadTxn read, env->BeginRead());
//   TABLECAST_ASSIGN_OR_RETURN(auto value, read.Get(key));   // bytes in the map, no copy
//
// SOURCE: lmdb.h of 0.9.24 (caveats: never open a file twice in one process, no long-lived
// readers).

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/lifetime.h"
#include "base/result.h"

struct MDB_env;
struct MDB_txn;
struct MDB_cursor;

namespace tablecast {

// LMDB's limit in Debian's build (mdb_env_get_maxkeysize), checked at open. UNITS: bytes.
inline constexpr std::size_t kMaxLmdbKeyBytes = 511;

struct LmdbEnvOptions {
  // Address space reserved for the map; the file grows only as far as it is filled. Never grown
  // while open. 0 = the default: 1 TiB, or 64 GiB under a sanitizer. Where the process may not
  // reserve that much (ulimit -v), half is tried again and again, down to 1 GiB.
  std::uint64_t map_bytes = 0;
  // Slots for concurrent readers of all processes; at least twice the number of worker threads.
  unsigned max_readers = 2048;
  // How long a writer waits for the writer before it, in this or another process.
  std::chrono::milliseconds write_lock_timeout{10000};
  bool create = true;  // make the directory and the files when they are not there
};

// The Error for a return code of LMDB (an MDB_ constant or an errno). `what` names the operation.
Error LmdbError(int code, std::string_view what);

// fsync of a file or directory.
Status SyncPath(const std::string& path);

class LmdbEnv;

// What read and write transactions share. THREAD: one thread at a time.
// BORROWS: bytes live until the transaction ends; in a WriteTxn until its next write.
class LmdbTxn {
 public:
  LmdbTxn(const LmdbTxn&) = delete;
  LmdbTxn& operator=(const LmdbTxn&) = delete;

  // COST: one B+tree descent, no allocation. ERRORS: kDataLoss.
  Result<std::optional<std::string_view>> Get(std::string_view key) const& TABLECAST_LIFETIME_BOUND;
  Result<std::optional<std::string_view>> Get(std::string_view key) const&& = delete;
  // Grows with every committed write transaction of the store, whichever process made it.
  std::uint64_t id() const;
  MDB_txn* raw() const { return txn_; }
  unsigned dbi() const { return dbi_; }

 protected:
  LmdbTxn(MDB_txn* txn, unsigned dbi) : txn_(txn), dbi_(dbi) {}
  LmdbTxn(LmdbTxn&& other) noexcept : txn_(std::exchange(other.txn_, nullptr)), dbi_(other.dbi_) {}
  ~LmdbTxn() = default;
  MDB_txn* txn_;
  unsigned dbi_;
};

// A snapshot. Ending it returns the LMDB transaction to the pool of the environment.
class ReadTxn final : public LmdbTxn {
 public:
  ReadTxn(ReadTxn&& other) noexcept : LmdbTxn(std::move(other)), env_(other.env_) {}
  ReadTxn& operator=(ReadTxn&&) = delete;
  ~ReadTxn();

 private:
  friend class LmdbEnv;
  ReadTxn(LmdbEnv& env, MDB_txn* txn, unsigned dbi) : LmdbTxn(txn, dbi), env_(&env) {}
  LmdbEnv* env_;
};

// The one write transaction; aborted unless committed. THREAD: the thread that began it.
// After any error of Put, PutNew or Delete only an abort is possible (LMDB refuses the rest).
class WriteTxn final : public LmdbTxn {
 public:
  WriteTxn(WriteTxn&& other) noexcept
      : LmdbTxn(std::move(other)), env_(std::exchange(other.env_, nullptr)) {}
  WriteTxn& operator=(WriteTxn&&) = delete;
  ~WriteTxn();

  Status Put(std::string_view key, std::string_view value);
  // Like Put, but `key` sorts behind every key of the store: no search, pages filled to the end.
  Status Append(std::string_view key, std::string_view value);
  // Writes in any case; true when the key is new.
  Result<bool> PutNew(std::string_view key, std::string_view value);
  // True when there was something to delete.
  Result<bool> Delete(std::string_view key);
  // Durable (fdatasync) when it succeeds. ERRORS: kUnavailable "disk-full", "disk-error": nothing
  // of the transaction is visible then.
  Status Commit();

 private:
  friend class LmdbEnv;
  WriteTxn(LmdbEnv& env, MDB_txn* txn, unsigned dbi) : LmdbTxn(txn, dbi), env_(&env) {}
  LmdbEnv* env_;
};

// A position in the key order. REQUIRES: closed before its transaction ends.
class LmdbCursor {
 public:
  explicit LmdbCursor(const LmdbTxn& txn TABLECAST_LIFETIME_BOUND);
  ~LmdbCursor();
  LmdbCursor(const LmdbCursor&) = delete;
  LmdbCursor& operator=(const LmdbCursor&) = delete;

  // Each returns true when it stands on a record. An error of LMDB reads as "no record" and stays
  // in status() until the next call.
  bool First();
  bool Last();
  bool Next();
  bool Prev();
  bool SeekAtLeast(std::string_view key);  // first key >= `key`
  // Moves over up to `count` records and shows them all; fewer only at the end of the store. The
  // cursor stands on the last one. BORROWS: as key() and value(), but moving on keeps them valid.
  struct Record {
    std::string_view key;
    std::string_view value;
  };
  std::size_t NextBatch(Record* records, std::size_t count);
  const Status& status() const { return status_; }

  // BORROWS: until the cursor moves or the transaction's rule ends it. REQUIRES: on a record.
  std::string_view key() const& TABLECAST_LIFETIME_BOUND { return key_; }
  std::string_view value() const& TABLECAST_LIFETIME_BOUND { return value_; }
  std::string_view key() const&& = delete;
  std::string_view value() const&& = delete;

 private:
  bool Move(int operation, std::string_view key);
  MDB_cursor* cursor_ = nullptr;
  std::string_view key_;
  std::string_view value_;
  Status status_;
};

// THREAD: safe.
class LmdbEnv {
 public:
  // Opens or creates the environment in directory `path`. A path that this process has open already
  // gives the same environment (its options stay those of the first open).
  // ERRORS: kNotFound "store-not-found"; kDataLoss "store-damaged"; kPermissionDenied;
  // kUnavailable.
  static Result<std::shared_ptr<LmdbEnv>> Open(const std::string& path,
                                               const LmdbEnvOptions& options);
  ~LmdbEnv();
  LmdbEnv(const LmdbEnv&) = delete;
  LmdbEnv& operator=(const LmdbEnv&) = delete;

  // COST: a renewed transaction of the pool, about 70 ns. ERRORS: kResourceExhausted
  // "too-many-readers".
  Result<ReadTxn> BeginRead();
  // Waits for other writers up to write_lock_timeout. ERRORS: kUnavailable "store-locked".
  Result<WriteTxn> BeginWrite();

  // Writes a compacted, consistent copy of the last commit into the existing, empty directory
  // `path` and syncs it. Readers and writers go on meanwhile.
  Status CopyTo(const std::string& path);
  // Frees the reader slots of dead processes; also done at open and once a minute of writing.
  void CheckReaders();
  const std::string& path() const { return path_; }
  std::uint64_t map_bytes() const { return map_bytes_; }
  std::uint64_t file_bytes() const;

 private:
  friend class ReadTxn;
  friend class WriteTxn;
  LmdbEnv() = default;
  Status Init(const std::string& path, const LmdbEnvOptions& options);
  Status MapEnvironment(const LmdbEnvOptions& options);
  void EndRead(MDB_txn* txn);
  Status LockForWriting();
  void UnlockForWriting();

  std::string path_;
  std::chrono::milliseconds write_lock_timeout_{0};
  std::uint64_t map_bytes_ = 0;
  MDB_env* env_ = nullptr;
  unsigned dbi_ = 0;
  int lock_file_ = -1;

  std::mutex pool_mutex_;
  std::vector<MDB_txn*> pool_;  // reset read transactions, each holding a reader slot

  std::mutex writer_mutex_;
  std::condition_variable writer_done_;
  bool writing_ = false;
  std::chrono::steady_clock::time_point last_reader_check_;
};

}  // namespace tablecast

#endif  // TABLECAST_STORE_LMDB_ENV_H_
