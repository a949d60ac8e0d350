#include "formats/record_sorter.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "item/item_codec.h"

namespace tablecast {

namespace {

// One record in a run: u32 table, u32 key bytes, u32 payload bytes, u8 is_delete, key, payload (an M payload).
constexpr std::size_t kHeadBytes = 13;

void AppendU32(std::string& out, std::uint32_t value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); }

std::uint32_t LoadU32(const char* from) {
  std::uint32_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

Error DiskError(const char* what) {
  const int number = errno;
  return MakeError(ErrorCode::kUnavailable, number == ENOSPC || number == EDQUOT ? "disk-full" : "spool-failed",
                   std::string(what) + ": " + std::generic_category().message(number), "",
                   "free disk space and run it again: temporary files in the store's folder take about the size of the dump");
}

}  // namespace

struct RecordSorter::Run {
  std::uint64_t number = 0;
  void* mapping = nullptr;
  std::size_t bytes = 0;
  std::size_t at = 0;
  // The record that stands at `at`.
  std::uint32_t table = 0;
  std::string_view key;
  std::string_view payload;
  bool is_delete = false;

  ~Run() {
    if (mapping != nullptr) ::munmap(mapping, bytes);
  }

  // Reads the record at `at`; false at the end. ERRORS: kDataLoss.
  Result<bool> Load() {
    if (at >= bytes) return false;
    const char* base = static_cast<const char*>(mapping);
    const auto broken = [] {
      return MakeError(ErrorCode::kDataLoss, "spool-damaged", "a temporary file does not read back as written");
    };
    if (bytes - at < kHeadBytes) return broken();
    table = LoadU32(base + at);
    const std::size_t key_bytes = LoadU32(base + at + 4);
    const std::size_t payload_bytes = LoadU32(base + at + 8);
    is_delete = base[at + 12] != 0;
    if (bytes - at - kHeadBytes < key_bytes + payload_bytes) return broken();
    key = std::string_view(base + at + kHeadBytes, key_bytes);
    payload = std::string_view(base + at + kHeadBytes + key_bytes, payload_bytes);
    return true;
  }
  void Step() { at += kHeadBytes + key.size() + payload.size(); }
  bool SameKey(const Run& other) const { return table == other.table && key == other.key; }
};

RecordSorter::RecordSorter(std::string spool_folder, bool sort, std::size_t run_bytes)
    : spool_folder_(std::move(spool_folder)), sort_(sort), run_bytes_(run_bytes) {}

RecordSorter::~RecordSorter() = default;

Status RecordSorter::Add(std::uint32_t table, std::string_view key, bool is_delete, const Item& item) {
  const std::size_t begin = arena_.size();
  AppendU32(arena_, table);
  AppendU32(arena_, static_cast<std::uint32_t>(key.size()));
  AppendU32(arena_, 0);
  arena_ += is_delete ? '\1' : '\0';
  arena_ += key;
  const std::size_t payload = arena_.size();
  AppendPayload(arena_, AttributeValue::MapOf(item));
  const auto payload_bytes = static_cast<std::uint32_t>(arena_.size() - payload);
  std::memcpy(arena_.data() + begin + 8, &payload_bytes, sizeof payload_bytes);
  entries_.push_back({table, static_cast<std::uint32_t>(key.size()), begin, arena_.size()});
  ++added_;
  if (arena_.size() + entries_.size() * sizeof(Entry) >= run_bytes_) return Spill();
  return {};
}

Status RecordSorter::Spill() {
  if (entries_.empty()) return {};
  TABLECAST_RETURN_IF_ERROR(WaitForSpill());
  arena_.swap(spill_arena_);
  entries_.swap(spill_entries_);
  arena_.clear();  // their memory serves again
  entries_.clear();
  runs_.push_back(std::make_unique<Run>());
  Run& run = *runs_.back();
  run.number = runs_.size() - 1;
  // Without a thread to be had it runs in WaitForSpill.
  spill_ = std::async(std::launch::async | std::launch::deferred, [this, &run] { return WriteRun(run); });
  return {};
}

Status RecordSorter::WaitForSpill() {
  if (!spill_.valid()) return {};
  return spill_.get();
}

Status RecordSorter::WriteRun(Run& run) {
  std::string& arena = spill_arena_;
  std::vector<Entry>& entries = spill_entries_;
  if (sort_) {
    // Stable: operations on one key stay in the order of the input.
    std::stable_sort(entries.begin(), entries.end(), [&arena](const Entry& a, const Entry& b) {
      if (a.table != b.table) return a.table < b.table;
      return std::string_view(arena).substr(a.begin + kHeadBytes, a.key_bytes) <
             std::string_view(arena).substr(b.begin + kHeadBytes, b.key_bytes);
    });
  }
  int fd = ::open(spool_folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    std::string name = spool_folder_ + "/.tablecast-run-XXXXXX";
    fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0) return DiskError("cannot make a temporary file");
    ::unlink(name.c_str());
  }
  std::string buffer;
  const auto flush = [&]() -> Status {
    std::size_t done = 0;
    while (done < buffer.size()) {
      const ssize_t written = ::write(fd, buffer.data() + done, buffer.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return DiskError("cannot write a temporary file");
      done += static_cast<std::size_t>(written);
    }
    buffer.clear();
    return {};
  };
  Status status;
  for (const Entry& entry : entries) {
    buffer.append(arena, entry.begin, entry.end - entry.begin);
    if (buffer.size() >= (1U << 20U) && !(status = flush()).ok()) break;
  }
  if (status.ok()) status = flush();
  run.bytes = arena.size();
  if (status.ok()) {
    run.mapping = ::mmap(nullptr, run.bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (run.mapping == MAP_FAILED) {
      run.mapping = nullptr;
      status = DiskError("cannot map a temporary file");
    }
  }
  ::close(fd);
  if (!status.ok()) run.bytes = 0;
  return status;
}

Status RecordSorter::Finish() {
  TABLECAST_RETURN_IF_ERROR(Spill());
  TABLECAST_RETURN_IF_ERROR(WaitForSpill());
  arena_ = std::string();
  entries_ = std::vector<Entry>();
  spill_arena_ = std::string();
  spill_entries_ = std::vector<Entry>();
  Rewind();
  return {};
}

void RecordSorter::PushRun(std::size_t run) {
  heap_.push_back(run);
  // Greatest first for std::push_heap, so the comparison is turned round. Equal keys come in input order.
  std::push_heap(heap_.begin(), heap_.end(), [this](std::size_t a, std::size_t b) {
    const Run& left = *runs_[a];
    const Run& right = *runs_[b];
    if (sort_) {
      if (left.table != right.table) return left.table > right.table;
      if (left.key != right.key) return left.key > right.key;
    }
    return left.number > right.number;
  });
}

void RecordSorter::Rewind() {
  heap_.clear();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    runs_[i]->at = 0;
    const auto loaded = runs_[i]->Load();
    if (!loaded.ok() || *loaded) PushRun(i);
  }
}

Result<bool> RecordSorter::Next(SortedOperation& operation) {
  operation.superseded_puts = 0;
  operation.superseded_deletes = 0;
  const auto pop = [this]() -> std::size_t {
    std::pop_heap(heap_.begin(), heap_.end(), [this](std::size_t a, std::size_t b) {
      const Run& left = *runs_[a];
      const Run& right = *runs_[b];
      if (sort_) {
        if (left.table != right.table) return left.table > right.table;
        if (left.key != right.key) return left.key > right.key;
      }
      return left.number > right.number;
    });
    const std::size_t run = heap_.back();
    heap_.pop_back();
    return run;
  };
  if (heap_.empty()) return false;
  for (;;) {
    const std::size_t index = pop();
    Run& run = *runs_[index];
    const Run current = [&run] {
      Run copy;
      copy.table = run.table;
      copy.key = run.key;
      copy.payload = run.payload;
      copy.is_delete = run.is_delete;
      return copy;
    }();
    run.Step();
    TABLECAST_ASSIGN_OR_RETURN(const bool more, run.Load());
    if (more) PushRun(index);
    if (sort_ && !heap_.empty() && runs_[heap_.front()]->SameKey(current)) {
      // A later operation on the same key counts instead.
      ++(current.is_delete ? operation.superseded_deletes : operation.superseded_puts);
      continue;
    }
    operation.table = current.table;
    operation.is_delete = current.is_delete;
    operation.key = current.key;
    TABLECAST_ASSIGN_OR_RETURN(AttributeValue value, DecodeValue(AttributeView(AttributeType::kM, current.payload)));
    operation.item = std::move(value.map());
    return true;
  }
}

}  // namespace tablecast
