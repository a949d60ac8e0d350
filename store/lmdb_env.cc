#include "store/lmdb_env.h"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

namespace tablecast {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kDefaultMapBytes = std::uint64_t{64} << 30U;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::uint64_t kDefaultMapBytes = std::uint64_t{64} << 30U;
#else
constexpr std::uint64_t kDefaultMapBytes = std::uint64_t{1} << 40U;
#endif
#else
constexpr std::uint64_t kDefaultMapBytes = std::uint64_t{1} << 40U;
#endif
constexpr std::uint64_t kLeastMapBytes = std::uint64_t{1} << 30U;
constexpr std::size_t kMaxPooledReaders = 256;
constexpr std::chrono::seconds kReaderCheckInterval{60};

MDB_val ToVal(std::string_view bytes) {
  return MDB_val{bytes.size(), const_cast<char*>(bytes.data())};  // LMDB does not write through it
}
std::string_view FromVal(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

// LMDB's fcntl locks break when one process opens a file twice, so this is the one place of the
// program with process-wide state: which directories are open. A directory is known by device and
// inode, so two spellings of a path are one.
struct OpenEnvironments {
  std::mutex mutex;
  std::condition_variable closed;
  std::map<std::pair<dev_t, ino_t>, std::weak_ptr<LmdbEnv>> by_directory;
};
OpenEnvironments& Opened() {
  static auto* opened = new OpenEnvironments;  // never destroyed: environments may outlive main
  return *opened;
}

}  // namespace

Error LmdbError(int code, std::string_view what) {
  std::string message = std::string(what) + ": " + mdb_strerror(code);
  switch (code) {
    case MDB_MAP_FULL:
      return MakeError(ErrorCode::kUnavailable, "disk-full", std::move(message), {},
                       "the store's reserved address space is used up; open it with a larger map");
    case ENOSPC:
    case EDQUOT:
      return MakeError(ErrorCode::kUnavailable, "disk-full", std::move(message), {},
                       "free disk space and try again; nothing of this write was stored");
    case MDB_READERS_FULL:
      return MakeError(ErrorCode::kResourceExhausted, "too-many-readers", std::move(message));
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
      return MakeError(ErrorCode::kDataLoss, "store-damaged", std::move(message), {},
                       "restore the store from a backup");
    case MDB_VERSION_MISMATCH:
      return MakeError(ErrorCode::kFailedPrecondition, "store-format", std::move(message));
    case MDB_PANIC:
      return MakeError(ErrorCode::kUnavailable, "store-needs-reopen", std::move(message), {},
                       "a write of the store's head failed; restart the process");
    case ENOENT: return MakeError(ErrorCode::kNotFound, "store-not-found", std::move(message));
    case EACCES:
    case EPERM:
    case EROFS:
      return MakeError(ErrorCode::kPermissionDenied, "store-permission", std::move(message), {},
                       "give this user the right to read and write the store's files; its lock files are written by readers too");
    case MDB_BAD_TXN:
    case MDB_BAD_DBI:
    case MDB_BAD_VALSIZE:
    case EINVAL: return MakeError(ErrorCode::kInternal, "store-misuse", std::move(message));
    default: return MakeError(ErrorCode::kUnavailable, "disk-error", std::move(message));
  }
}

Status SyncPath(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (!synced) return LmdbError(error, "syncing " + path);
  return {};
}

// --- transactions -------------------------------------------------------------------------------

Result<std::optional<std::string_view>> LmdbTxn::Get(std::string_view key) const& {
  MDB_val k = ToVal(key);
  MDB_val value;
  const int rc = mdb_get(txn_, dbi_, &k, &value);
  if (rc == MDB_NOTFOUND) return std::optional<std::string_view>();
  if (rc != 0) return LmdbError(rc, "reading from the store");
  return std::optional<std::string_view>(FromVal(value));
}

std::uint64_t LmdbTxn::id() const { return mdb_txn_id(txn_); }

ReadTxn::~ReadTxn() {
  if (txn_ != nullptr) env_->EndRead(txn_);
}

WriteTxn::~WriteTxn() {
  if (txn_ != nullptr) mdb_txn_abort(txn_);
  if (env_ != nullptr) env_->UnlockForWriting();
}

Status WriteTxn::Put(std::string_view key, std::string_view value) {
  MDB_val k = ToVal(key);
  MDB_val v = ToVal(value);
  const int rc = mdb_put(txn_, dbi_, &k, &v, 0);
  if (rc != 0) return LmdbError(rc, "writing to the store");
  return {};
}

Status WriteTxn::Append(std::string_view key, std::string_view value) {
  MDB_val k = ToVal(key);
  MDB_val v = ToVal(value);
  const int rc = mdb_put(txn_, dbi_, &k, &v, MDB_APPEND);
  if (rc != 0) return LmdbError(rc, "appending to the store");
  return {};
}

Result<bool> WriteTxn::PutNew(std::string_view key, std::string_view value) {
  MDB_val k = ToVal(key);
  MDB_val v = ToVal(value);
  int rc = mdb_put(txn_, dbi_, &k, &v, MDB_NOOVERWRITE);
  if (rc == 0) return true;
  if (rc == MDB_KEYEXIST) {
    v = ToVal(value);  // LMDB pointed it at the old value
    rc = mdb_put(txn_, dbi_, &k, &v, 0);
    if (rc == 0) return false;
  }
  return LmdbError(rc, "writing to the store");
}

Result<bool> WriteTxn::Delete(std::string_view key) {
  MDB_val k = ToVal(key);
  const int rc = mdb_del(txn_, dbi_, &k, nullptr);
  if (rc == 0) return true;
  if (rc == MDB_NOTFOUND) return false;
  return LmdbError(rc, "deleting from the store");
}

Status WriteTxn::Commit() {
  const int rc = mdb_txn_commit(std::exchange(txn_, nullptr));
  if (rc != 0) return LmdbError(rc, "committing to the store");
  return {};
}

// --- cursor -------------------------------------------------------------------------------------

LmdbCursor::LmdbCursor(const LmdbTxn& txn) {
  const int rc = mdb_cursor_open(txn.raw(), txn.dbi(), &cursor_);
  if (rc != 0) {
    cursor_ = nullptr;
    status_ = LmdbError(rc, "opening a cursor");
  }
}

LmdbCursor::~LmdbCursor() {
  if (cursor_ != nullptr) mdb_cursor_close(cursor_);
}

bool LmdbCursor::Move(int operation, std::string_view key) {
  if (cursor_ == nullptr) return false;
  MDB_val k = ToVal(key);
  MDB_val value;
  const int rc = mdb_cursor_get(cursor_, &k, &value, static_cast<MDB_cursor_op>(operation));
  if (rc == 0) {
    key_ = FromVal(k);
    value_ = FromVal(value);
    return true;
  }
  if (rc != MDB_NOTFOUND) status_ = LmdbError(rc, "reading from the store");
  return false;
}

std::size_t LmdbCursor::NextBatch(Record* records, std::size_t count) {
  if (cursor_ == nullptr) return 0;
  MDB_val key;
  MDB_val value;
  std::size_t got = 0;
  int rc = 0;
  while (got < count && (rc = mdb_cursor_get(cursor_, &key, &value, MDB_NEXT)) == 0) {
    records[got++] = {FromVal(key), FromVal(value)};
  }
  if (got > 0) {
    key_ = records[got - 1].key;
    value_ = records[got - 1].value;
  }
  if (rc != 0 && rc != MDB_NOTFOUND) status_ = LmdbError(rc, "reading from the store");
  return got;
}

bool LmdbCursor::First() { return Move(MDB_FIRST, {}); }
bool LmdbCursor::Last() { return Move(MDB_LAST, {}); }
bool LmdbCursor::Next() { return Move(MDB_NEXT, {}); }
bool LmdbCursor::Prev() { return Move(MDB_PREV, {}); }
bool LmdbCursor::SeekAtLeast(std::string_view key) { return Move(MDB_SET_RANGE, key); }

// --- environment --------------------------------------------------------------------------------

Result<std::shared_ptr<LmdbEnv>> LmdbEnv::Open(const std::string& path,
                                               const LmdbEnvOptions& options) {
  if (options.create) {
    std::error_code ec;
    std::filesystem::create_directories(path, ec);
    if (ec) {
      return MakeError(ErrorCode::kPermissionDenied, "store-permission",
                       "cannot create the store's directory: " + ec.message(), path);
    }
  }
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
      (!options.create && ::access((path + "/data.mdb").c_str(), F_OK) != 0)) {
    return MakeError(ErrorCode::kNotFound, "store-not-found", "there is no store here", path,
                     "create one by importing data or creating a table");
  }
  const std::pair directory(info.st_dev, info.st_ino);
  OpenEnvironments& opened = Opened();
  std::unique_lock lock(opened.mutex);
  for (auto found = opened.by_directory.find(directory); found != opened.by_directory.end();
       found = opened.by_directory.find(directory)) {
    if (auto env = found->second.lock()) return env;
    opened.closed.wait(lock);  // its last owner is closing it right now
  }
  std::unique_ptr<LmdbEnv> env(new LmdbEnv);
  TABLECAST_RETURN_IF_ERROR(env->Init(path, options));
  std::shared_ptr<LmdbEnv> shared(env.release(), [directory](LmdbEnv* closing) {
    const std::lock_guard closing_lock(Opened().mutex);
    delete closing;
    Opened().by_directory.erase(directory);
    Opened().closed.notify_all();
  });
  opened.by_directory.emplace(directory, shared);
  return shared;
}

Status LmdbEnv::Init(const std::string& path, const LmdbEnvOptions& options) {
  path_ = path;
  write_lock_timeout_ = options.write_lock_timeout;
  lock_file_ = ::open((path + "/writer.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_file_ < 0)
    return LmdbError(errno, "opening the store's lock file " + path + "/writer.lock");
  TABLECAST_RETURN_IF_ERROR(MapEnvironment(options));
  if (static_cast<std::size_t>(mdb_env_get_maxkeysize(env_)) < kMaxLmdbKeyBytes) {
    return MakeError(ErrorCode::kInternal, "store-misuse",
                     "this build of LMDB allows too short keys only");
  }
  CheckReaders();
  last_reader_check_ = std::chrono::steady_clock::now();
  MDB_txn* txn = nullptr;
  int rc = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn);
  if (rc == 0) {
    rc = mdb_dbi_open(txn, nullptr, 0, &dbi_);
    mdb_txn_abort(txn);
  }
  if (rc != 0) return LmdbError(rc, "opening the store " + path);
  return {};
}

Status LmdbEnv::MapEnvironment(const LmdbEnvOptions& options) {
  const std::string data_file = path_ + "/data.mdb";
  struct stat info {};
  const std::uint64_t present =
      ::stat(data_file.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
  map_bytes_ = std::max(options.map_bytes != 0 ? options.map_bytes : kDefaultMapBytes, present);
  for (;;) {
    int rc = mdb_env_create(&env_);
    if (rc != 0) return LmdbError(rc, "opening the store");
    rc = mdb_env_set_mapsize(env_, map_bytes_);
    if (rc == 0) rc = mdb_env_set_maxreaders(env_, options.max_readers);
    // MDB_NOTLS: a reader slot belongs to the transaction, so that pooled transactions move between
    // threads. No MDB_WRITEMAP: a stray write of the process must not reach the file.
    if (rc == 0) rc = mdb_env_open(env_, path_.c_str(), MDB_NOTLS, 0644);
    if (rc == 0) return {};
    mdb_env_close(std::exchange(env_, nullptr));
    if (rc != ENOMEM || map_bytes_ / 2 < std::max(kLeastMapBytes, present * 2)) {
      return LmdbError(rc, "opening the store " + path_);
    }
    map_bytes_ /= 2;
  }
}

LmdbEnv::~LmdbEnv() {
  for (MDB_txn* txn : pool_) mdb_txn_abort(txn);
  if (env_ != nullptr) mdb_env_close(env_);
  if (lock_file_ >= 0) ::close(lock_file_);
}

Result<ReadTxn> LmdbEnv::BeginRead() {
  MDB_txn* txn = nullptr;
  {
    const std::lock_guard lock(pool_mutex_);
    if (!pool_.empty()) {
      txn = pool_.back();
      pool_.pop_back();
    }
  }
  if (txn != nullptr) {
    const int rc = mdb_txn_renew(txn);
    if (rc == 0) return ReadTxn(*this, txn, dbi_);
    mdb_txn_abort(txn);
    return LmdbError(rc, "beginning to read the store");
  }
  int rc = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn);
  if (rc == MDB_READERS_FULL) {
    CheckReaders();
    rc = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn);
  }
  if (rc != 0) return LmdbError(rc, "beginning to read the store");
  return ReadTxn(*this, txn, dbi_);
}

void LmdbEnv::EndRead(MDB_txn* txn) {
  mdb_txn_reset(txn);
  {
    const std::lock_guard lock(pool_mutex_);
    if (pool_.size() < kMaxPooledReaders) {
      pool_.push_back(txn);
      return;
    }
  }
  mdb_txn_abort(txn);
}

// Two locks in front of LMDB's own, which knows no deadline: one among the threads of this process
// and an open-file-description lock among processes (released by the kernel when its holder dies).
Status LmdbEnv::LockForWriting() {
  // The system clock, because waits on it are the form that thread sanitizers understand.
  const auto deadline = std::chrono::system_clock::now() + write_lock_timeout_;
  const auto locked = [this] {
    return MakeError(ErrorCode::kUnavailable, "store-locked",
                     "another writer holds the store for longer than " +
                         std::to_string(write_lock_timeout_.count()) + " ms",
                     path_, "try again when the other import or server has finished its write");
  };
  {
    std::unique_lock lock(writer_mutex_);
    if (!writer_done_.wait_until(lock, deadline, [this] { return !writing_; })) return locked();
    writing_ = true;
  }
  struct flock whole_file {};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  std::chrono::milliseconds pause{1};
  while (::fcntl(lock_file_, F_OFD_SETLK, &whole_file) != 0) {
    const int error = errno;
    const bool busy = error == EAGAIN || error == EACCES || error == EINTR;
    if (!busy || std::chrono::system_clock::now() + pause > deadline) {
      {
        const std::lock_guard lock(writer_mutex_);
        writing_ = false;
      }
      writer_done_.notify_one();
      return busy ? Status(locked()) : Status(LmdbError(error, "locking the store for writing"));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds{20});
  }
  return {};
}

void LmdbEnv::UnlockForWriting() {
  struct flock whole_file {};
  whole_file.l_type = F_UNLCK;
  whole_file.l_whence = SEEK_SET;
  (void)::fcntl(lock_file_, F_OFD_SETLK, &whole_file);
  {
    const std::lock_guard lock(writer_mutex_);
    writing_ = false;
  }
  writer_done_.notify_one();
}

Result<WriteTxn> LmdbEnv::BeginWrite() {
  TABLECAST_RETURN_IF_ERROR(LockForWriting());
  const auto now = std::chrono::steady_clock::now();
  if (now - last_reader_check_ > kReaderCheckInterval) {
    CheckReaders();
    last_reader_check_ = now;
  }
  MDB_txn* txn = nullptr;
  const int rc = mdb_txn_begin(env_, nullptr, 0, &txn);
  if (rc != 0) {
    UnlockForWriting();
    return LmdbError(rc, "beginning to write the store");
  }
  return WriteTxn(*this, txn, dbi_);
}

void LmdbEnv::CheckReaders() {
  int dead = 0;
  (void)mdb_reader_check(env_, &dead);  // a failure costs nothing but the slots
}

Status LmdbEnv::CopyTo(const std::string& path) {
  const int rc = mdb_env_copy2(env_, path.c_str(), MDB_CP_COMPACT);
  if (rc != 0) return LmdbError(rc, "copying the store to " + path);
  TABLECAST_RETURN_IF_ERROR(SyncPath(path + "/data.mdb"));
  return SyncPath(path);
}

std::uint64_t LmdbEnv::file_bytes() const {
  struct stat info {};
  if (::stat((path_ + "/data.mdb").c_str(), &info) != 0) return 0;
  return static_cast<std::uint64_t>(info.st_size);
}

}  // namespace tablecast
