#ifndef TABLECAST_FORMATS_RECORD_SORTER_H_
#define TABLECAST_FORMATS_RECORD_SORTER_H_

// Sorts any number of put and delete operations by (table, key) in constant memory: runs of bounded size are
// sorted and written to unnamed temporary files, then merged while reading. Operations on one key keep only the last;
// how many it superseded comes with it. Without sorting it is a plain queue on disk with the same interface. One run is
// sorted and written by a thread of its own while the next one fills.

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "item/item.h"

namespace tablecast {

struct SortedOperation {
  std::uint32_t table = 0;  // number given to Add
  bool is_delete = false;
  std::uint64_t superseded_puts = 0;     // earlier puts of the same key in this input
  std::uint64_t superseded_deletes = 0;  // earlier deletes of it
  Item item;                             // delete: the key columns
  std::string key;                       // encoded
};

class RecordSorter {
 public:
  // UNITS: run_bytes = size of one sorted run in memory; there are two at a time. `spool_folder` takes the temporary files.
  RecordSorter(std::string spool_folder, bool sort, std::size_t run_bytes = std::size_t{64} << 20U);
  ~RecordSorter();
  RecordSorter(const RecordSorter&) = delete;
  RecordSorter& operator=(const RecordSorter&) = delete;

  // `key` is the encoded key. ERRORS: kUnavailable "disk-full".
  Status Add(std::uint32_t table, std::string_view key, bool is_delete, const Item& item);
  // No Add behind this.
  Status Finish();

  // Starts reading at the first operation; may be called again to read once more.
  void Rewind();
  // False at the end. ERRORS: kDataLoss when a temporary file does not read back.
  Result<bool> Next(SortedOperation& operation);
  std::uint64_t added() const { return added_; }

 private:
  struct Run;
  // Hands what has been added to the writing thread; waits for the run before.
  Status Spill();
  Status WaitForSpill();
  Status WriteRun(Run& run);  // from spill_arena_ and spill_entries_
  void PushRun(std::size_t run);

  std::string spool_folder_;
  bool sort_;
  std::size_t run_bytes_;
  std::uint64_t added_ = 0;
  std::string arena_;
  struct Entry { std::uint32_t table; std::uint32_t key_bytes; std::size_t begin; std::size_t end; };
  std::vector<Entry> entries_;
  std::string spill_arena_;
  std::vector<Entry> spill_entries_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<std::size_t> heap_;  // runs with a current record, least first
  std::future<Status> spill_;      // last: its end is waited for before what it uses goes
};

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_RECORD_SORTER_H_
