#ifndef TABLECAST_STORE_KEY_SPACE_H_
#define TABLECAST_STORE_KEY_SPACE_H_

// An ordered map with keys of any length, laid over LMDB, whose keys end at 511 bytes. A space is
// all records under one prefix. A key of fewer than 500 bytes is stored as it is, behind the
// prefix. All longer keys with the same leading 500 bytes share a bucket: one record at those 500
// bytes names it, and the rests of the keys are a key space of their own under the bucket's prefix
// (so a rest may be long again). memcmp order, ranges and round trip are exact for every key, and a
// bucket costs one more descent however many keys share it: LMDB's tree is its directory, its pages
// are the chain.
//
// Tested by tests/store/key_space_test.cc against std::map with adversarial keys.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/key_layout.h"
#include "store/lmdb_env.h"

namespace tablecast {

// Prefix (at most 7 bytes) + segment must stay within LMDB's 511.
inline constexpr std::size_t kKeySegmentBytes = 500;

// BORROWS: as LmdbTxn::Get. COST: one descent, one more per 500 bytes of key.
Result<std::optional<std::string_view>> SpaceGet(const LmdbTxn& txn, std::string_view prefix,
                                                 std::string_view key);
// Writes in any case; true when the key is new. `key` and `value` may not point into the store.
Result<bool> SpacePut(WriteTxn& txn, std::string_view prefix, std::string_view key,
                      std::string_view value);
// True when there was something to delete. Removes buckets that become empty.
Result<bool> SpaceDelete(WriteTxn& txn, std::string_view prefix, std::string_view key);
// Removes up to `limit` physical records of the space, buckets included; true when none is left.
Result<bool> SpacePurge(WriteTxn& txn, std::string_view prefix, std::size_t limit);

// A position in a space. An error of the store reads as the end; status() tells.
// REQUIRES: destroyed before its transaction ends; not used after a write of its transaction.
class SpaceCursor {
 public:
  SpaceCursor(const LmdbTxn& txn TABLECAST_LIFETIME_BOUND, std::string prefix);

  // Each returns valid().
  bool SeekFirst();
  bool SeekLast();
  bool SeekAtLeast(std::string_view key);  // first key >= `key`
  bool SeekBefore(std::string_view key);   // last key < `key`
  // REQUIRES: valid. COST: Next reads ahead, up to 64 records, the more the longer the run.
  bool Next() {
    if (ahead_at_ < ahead_in_level_ && levels_.size() == 1) {
      record_ = ahead_[ahead_at_++];
      if (record_.key.size() != bucket_key_size_) {
        key_ = record_.key.substr(levels_.front().size());
        return true;
      }
      return Forward(true);
    }
    return NextSlowly();
  }
  bool Prev();
  bool valid() const { return valid_; }
  const Status& status() const { return cursor_.status(); }

  // BORROWS: until the cursor moves.
  std::string_view key() const TABLECAST_LIFETIME_BOUND { return key_; }
  std::string_view value() const TABLECAST_LIFETIME_BOUND { return record_.value; }

 private:
  static constexpr std::size_t kMaxAhead = 64;

  bool NextSlowly();
  bool NextRecord();
  bool Take(bool found);
  bool Forward(bool found);
  bool Backward(bool found);
  bool SeekPhysical(std::string_view key);
  bool SeekLastOf(std::string_view prefix);
  bool InLevel() const;
  bool OnBucket() const;
  void Descend();
  bool Ascend();  // back onto the record that names the bucket
  bool Settle();

  LmdbCursor cursor_;          // at record_, or at the end of what was read ahead
  LmdbCursor::Record record_;  // where this cursor stands
  LmdbCursor::Record ahead_[kMaxAhead];
  std::size_t ahead_at_ = 0;
  std::size_t ahead_size_ = 0;
  std::size_t ahead_in_level_ = 0;  // so many of them are known to lie in the level
  std::size_t next_ahead_ = 1;
  std::vector<std::string> levels_;  // prefixes: the space's, then one per bucket entered
  std::size_t bucket_key_size_ = 0;  // of records that name a bucket, in the first level
  std::string lead_;                 // leading bytes of the buckets entered
  std::string long_key_;
  std::string_view key_;
  bool valid_ = false;
};

}  // namespace tablecast

#endif  // TABLECAST_STORE_KEY_SPACE_H_
