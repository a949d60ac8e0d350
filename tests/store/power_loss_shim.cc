// Preloaded into a process, it stands between LMDB and the disk: it remembers what every 4 KB block
// of a data.mdb held at the last successful sync, and at a chosen event "the power fails": a random
// part of the blocks written since goes back to that, and the process ends. A kill alone cannot
// show what a missing or misplaced sync loses, since the kernel keeps the written pages.
//
//   TABLECAST_SHIM_LOSE_AT=N        the power fails in place of the Nth write or sync
//   TABLECAST_SHIM_FAIL_SYNC_AT=N   the Nth fdatasync fails with EIO
//   TABLECAST_SHIM_FAIL_WRITE_AT=N  the Nth write fails with ENOSPC
//   TABLECAST_SHIM_LIE=1            syncs report success and do nothing
//   TABLECAST_SHIM_SEED=S           chooses the blocks that are lost
//
// Writes through a descriptor opened with O_DSYNC (LMDB's head pages) are durable when they return,
// and whole: like LMDB itself, the shim takes the write of a head for atomic.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace {

constexpr off_t kBlock = 4096;
constexpr int kPowerLossExit = 137;

template <class Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

long Setting(const char* name) {
  const char* value = getenv(name);
  return value != nullptr ? atol(value) : 0;
}

struct File {
  bool synchronous = false;
};

struct State {
  std::map<int, File> files;  // descriptors of data.mdb
  std::map<off_t, std::vector<char>>
      durable;          // blocks written since the last sync, as they were then
  int descriptor = -1;  // one to restore through
  long events = 0;
  long syncs = 0;
  long writes = 0;
  const long lose_at = Setting("TABLECAST_SHIM_LOSE_AT");
  const long fail_sync_at = Setting("TABLECAST_SHIM_FAIL_SYNC_AT");
  const bool lie = Setting("TABLECAST_SHIM_LIE") != 0;
  const long fail_write_at = Setting("TABLECAST_SHIM_FAIL_WRITE_AT");
  std::mt19937 random{static_cast<unsigned>(Setting("TABLECAST_SHIM_SEED"))};
};

State& TheState() {
  static State* state = new State;
  return *state;
}

ssize_t RealPwrite(int fd, const void* data, size_t size, off_t at) {
  static const auto real = Next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  return real(fd, data, size, at);
}

void PowerLoss(State& state) {
  const bool everything = state.random() % 3 == 0;
  for (const auto& [at, block] : state.durable) {
    if (everything || state.random() % 2 == 0)
      RealPwrite(state.descriptor, block.data(), block.size(), at);
  }
  _exit(kPowerLossExit);
}

void Event(State& state) {
  if (++state.events == state.lose_at) PowerLoss(state);
}

// True when the write is to fail. Saves what the blocks hold before it.
bool BeforeWrite(int fd, off_t at, size_t size) {
  State& state = TheState();
  const auto file = state.files.find(fd);
  if (file == state.files.end()) return false;
  Event(state);
  if (++state.writes == state.fail_write_at) {
    errno = ENOSPC;
    return true;
  }
  if (file->second.synchronous) return false;
  for (off_t block = at / kBlock * kBlock; block < at + static_cast<off_t>(size); block += kBlock) {
    if (state.durable.count(block) != 0) continue;
    std::vector<char> bytes(kBlock, 0);  // beyond the end: zeros
    if (pread(fd, bytes.data(), bytes.size(), block) < 0) bytes.assign(kBlock, 0);
    state.durable.emplace(block, std::move(bytes));
  }
  return false;
}

int BeforeSync(int fd) {
  State& state = TheState();
  if (state.files.count(fd) == 0) return 0;
  Event(state);
  if (++state.syncs == state.fail_sync_at) {
    errno = EIO;
    return -1;
  }
  return 0;
}

int AfterSync(int fd, int result) {
  State& state = TheState();
  if (result == 0 && !state.lie && state.files.count(fd) != 0) state.durable.clear();
  return result;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  static const auto real = Next<int (*)(const char*, int, ...)>("open");
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  const int fd = real(path, flags, mode);
  const size_t length = strlen(path);
  if (fd >= 0 && length >= 9 && strcmp(path + length - 9, "/data.mdb") == 0 &&
      (flags & O_ACCMODE) != O_RDONLY) {
    State& state = TheState();
    state.files[fd].synchronous = (flags & O_DSYNC) != 0;
    if (state.descriptor < 0) state.descriptor = fd;
  }
  return fd;
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  if (BeforeWrite(fd, at, size)) return -1;
  return RealPwrite(fd, data, size, at);
}

ssize_t write(int fd, const void* data, size_t size) {
  static const auto real = Next<ssize_t (*)(int, const void*, size_t)>("write");
  if (TheState().files.count(fd) != 0 && BeforeWrite(fd, lseek(fd, 0, SEEK_CUR), size)) return -1;
  return real(fd, data, size);
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  static const auto real = Next<ssize_t (*)(int, const struct iovec*, int)>("writev");
  if (TheState().files.count(fd) != 0) {
    size_t size = 0;
    for (int i = 0; i < count; ++i) size += parts[i].iov_len;
    if (BeforeWrite(fd, lseek(fd, 0, SEEK_CUR), size)) return -1;
  }
  return real(fd, parts, count);
}

int fdatasync(int fd) {
  static const auto real = Next<int (*)(int)>("fdatasync");
  return BeforeSync(fd) != 0 ? -1 : AfterSync(fd, real(fd));
}

int fsync(int fd) {
  static const auto real = Next<int (*)(int)>("fsync");
  return BeforeSync(fd) != 0 ? -1 : AfterSync(fd, real(fd));
}

}  // extern "C"
