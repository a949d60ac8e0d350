#include "store/key_space.h"

#include <algorithm>
#include <utility>

#include "store/byte_codec.h"

namespace tablecast {
namespace {

constexpr char kNextBucketField = 'b';  // header field, on disk

std::string Physical(std::string_view prefix, std::string_view key) {
  std::string out;
  out.reserve(prefix.size() + key.size());
  return out.append(prefix).append(key);
}

bool StartsWith(std::string_view bytes, std::string_view prefix) {
  return bytes.size() >= prefix.size() && bytes.substr(0, prefix.size()) == prefix;
}

std::string BucketValue(BucketId bucket) {
  std::string out;
  AppendBigEndian(out, bucket);
  return out;
}

Result<BucketId> ParseBucket(std::string_view value) {
  ByteReader reader(value);
  const auto bucket = reader.BigEndian<BucketId>();
  if (!reader.Complete()) {
    return MakeError(ErrorCode::kDataLoss, "bucket-damaged",
                     "a record that names a bucket of long keys is damaged");
  }
  return bucket;
}

Result<BucketId> NewBucket(WriteTxn& txn) {
  const std::string counter = HeaderKey(kNextBucketField);
  TABLECAST_ASSIGN_OR_RETURN(const std::optional<std::string_view> stored, txn.Get(counter));
  BucketId bucket = 1;
  if (stored) {
    TABLECAST_ASSIGN_OR_RETURN(bucket, ParseBucket(*stored));
  }
  if (bucket == UINT32_MAX) {
    return MakeError(ErrorCode::kResourceExhausted, "too-many-buckets",
                     "the store has used up its buckets for long keys", {},
                     "export the data and import it into a new store");
  }
  TABLECAST_RETURN_IF_ERROR(txn.Put(counter, BucketValue(bucket + 1)));
  return bucket;
}

Result<bool> IsEmpty(const LmdbTxn& txn, std::string_view prefix) {
  LmdbCursor cursor(txn);
  const bool found = cursor.SeekAtLeast(prefix);
  TABLECAST_RETURN_IF_ERROR(cursor.status());
  return !found || !StartsWith(cursor.key(), prefix);
}

}  // namespace

Result<std::optional<std::string_view>> SpaceGet(const LmdbTxn& txn, std::string_view prefix,
                                                 std::string_view key) {
  if (key.size() < kKeySegmentBytes) {
    char physical[kMaxLmdbKeyBytes];
    prefix.copy(physical, prefix.size());
    key.copy(physical + prefix.size(), key.size());
    return txn.Get(std::string_view(physical, prefix.size() + key.size()));
  }
  std::string level(prefix);
  while (key.size() >= kKeySegmentBytes) {
    TABLECAST_ASSIGN_OR_RETURN(const std::optional<std::string_view> named,
                               txn.Get(Physical(level, key.substr(0, kKeySegmentBytes))));
    if (!named) return std::optional<std::string_view>();
    TABLECAST_ASSIGN_OR_RETURN(const BucketId bucket, ParseBucket(*named));
    level = BucketPrefix(bucket);
    key.remove_prefix(kKeySegmentBytes);
  }
  return txn.Get(Physical(level, key));
}

Result<bool> SpacePut(WriteTxn& txn, std::string_view prefix, std::string_view key,
                      std::string_view value) {
  std::string level(prefix);
  while (key.size() >= kKeySegmentBytes) {
    const std::string lead = Physical(level, key.substr(0, kKeySegmentBytes));
    TABLECAST_ASSIGN_OR_RETURN(const std::optional<std::string_view> named, txn.Get(lead));
    BucketId bucket = 0;
    if (named) {
      TABLECAST_ASSIGN_OR_RETURN(bucket, ParseBucket(*named));
    } else {
      TABLECAST_ASSIGN_OR_RETURN(bucket, NewBucket(txn));
      TABLECAST_RETURN_IF_ERROR(txn.Put(lead, BucketValue(bucket)));
    }
    level = BucketPrefix(bucket);
    key.remove_prefix(kKeySegmentBytes);
  }
  return txn.PutNew(Physical(level, key), value);
}

Result<bool> SpaceDelete(WriteTxn& txn, std::string_view prefix, std::string_view key) {
  std::string level(prefix);
  std::vector<std::pair<std::string, std::string>> path;  // record that names a bucket, its prefix
  while (key.size() >= kKeySegmentBytes) {
    std::string lead = Physical(level, key.substr(0, kKeySegmentBytes));
    TABLECAST_ASSIGN_OR_RETURN(const std::optional<std::string_view> named, txn.Get(lead));
    if (!named) return false;
    TABLECAST_ASSIGN_OR_RETURN(const BucketId bucket, ParseBucket(*named));
    level = BucketPrefix(bucket);
    path.emplace_back(std::move(lead), level);
    key.remove_prefix(kKeySegmentBytes);
  }
  TABLECAST_ASSIGN_OR_RETURN(const bool deleted, txn.Delete(Physical(level, key)));
  if (!deleted) return false;
  for (; !path.empty(); path.pop_back()) {
    TABLECAST_ASSIGN_OR_RETURN(const bool empty, IsEmpty(txn, path.back().second));
    if (!empty) break;
    TABLECAST_RETURN_IF_ERROR(txn.Delete(path.back().first));
  }
  return true;
}

Result<bool> SpacePurge(WriteTxn& txn, std::string_view prefix, std::size_t limit) {
  // A path of buckets is entered by name and left when empty, so an interrupted purge resumes
  // exactly.
  std::vector<std::string> levels{std::string(prefix)};
  std::vector<std::string> names;
  for (std::size_t removed = 0; removed < limit; ++removed) {
    std::string found;
    std::string value;
    {
      LmdbCursor cursor(txn);
      if (cursor.SeekAtLeast(levels.back()) && StartsWith(cursor.key(), levels.back())) {
        found = cursor.key();
        value = cursor.value().substr(0, sizeof(BucketId));
      }
      TABLECAST_RETURN_IF_ERROR(cursor.status());
    }
    if (found.empty()) {
      if (names.empty()) return true;
      TABLECAST_RETURN_IF_ERROR(txn.Delete(names.back()));
      names.pop_back();
      levels.pop_back();
    } else if (found.size() == levels.back().size() + kKeySegmentBytes) {
      TABLECAST_ASSIGN_OR_RETURN(const BucketId bucket, ParseBucket(value));
      names.push_back(std::move(found));
      levels.push_back(BucketPrefix(bucket));
    } else {
      TABLECAST_RETURN_IF_ERROR(txn.Delete(found));
    }
  }
  return false;
}

// --- cursor -------------------------------------------------------------------------------------

SpaceCursor::SpaceCursor(const LmdbTxn& txn, std::string prefix)
    : cursor_(txn), bucket_key_size_(prefix.size() + kKeySegmentBytes) {
  levels_.push_back(std::move(prefix));
}

bool SpaceCursor::InLevel() const { return StartsWith(record_.key, levels_.back()); }

bool SpaceCursor::OnBucket() const {
  return record_.key.size() == levels_.back().size() + kKeySegmentBytes;
}

// Every movement but the reading ahead ends here: the cursor stands where record_ says.
bool SpaceCursor::Take(bool found) {
  ahead_at_ = ahead_size_ = ahead_in_level_ = 0;
  next_ahead_ = 1;
  if (found) record_ = {cursor_.key(), cursor_.value()};
  return found;
}

bool SpaceCursor::SeekPhysical(std::string_view key) { return Take(cursor_.SeekAtLeast(key)); }

bool SpaceCursor::NextRecord() {
  if (ahead_at_ == ahead_size_) {
    ahead_at_ = 0;
    ahead_size_ = cursor_.NextBatch(ahead_, next_ahead_);
    next_ahead_ = std::min(next_ahead_ * 2, kMaxAhead);
    // In key order, so when the last one lies in the level, all do.
    ahead_in_level_ = ahead_size_ > 0 && StartsWith(ahead_[ahead_size_ - 1].key, levels_.back())
                          ? ahead_size_
                          : 0;
    if (ahead_size_ == 0) return false;
  }
  record_ = ahead_[ahead_at_++];
  return true;
}

void SpaceCursor::Descend() {
  lead_ += record_.key.substr(levels_.back().size());
  // A damaged name leads to bucket 0, which does not exist: the bucket reads as empty and
  // CheckIntegrity reports it.
  const Result<BucketId> bucket = ParseBucket(record_.value);
  levels_.push_back(BucketPrefix(bucket.ok() ? *bucket : 0));
}

bool SpaceCursor::Ascend() {
  levels_.pop_back();
  const std::string name =
      Physical(levels_.back(), std::string_view(lead_).substr(lead_.size() - kKeySegmentBytes));
  lead_.resize(lead_.size() - kKeySegmentBytes);
  return SeekPhysical(name);
}

bool SpaceCursor::Settle() {
  const std::string_view rest = record_.key.substr(levels_.back().size());
  if (levels_.size() == 1) {
    key_ = rest;
  } else {
    long_key_.assign(lead_).append(rest);
    key_ = long_key_;
  }
  return valid_ = true;
}

// `found`: the cursor stands on a record, maybe beyond the level. Goes on until it stands on a key.
bool SpaceCursor::Forward(bool found) {
  for (;;) {
    if (!found || !InLevel()) {
      if (levels_.size() == 1 || !cursor_.status().ok()) return valid_ = false;
      found = Ascend() && NextRecord();
    } else if (OnBucket()) {
      Descend();
      found = SeekPhysical(levels_.back());
    } else {
      return Settle();
    }
  }
}

bool SpaceCursor::Backward(bool found) {
  for (;;) {
    if (!found || !InLevel()) {
      if (levels_.size() == 1 || !cursor_.status().ok()) return valid_ = false;
      found = Ascend() && Take(cursor_.Prev());
    } else if (OnBucket()) {
      Descend();
      found = SeekLastOf(levels_.back());
    } else {
      return Settle();
    }
  }
}

bool SpaceCursor::SeekLastOf(std::string_view prefix) {
  const std::optional<std::string> end = PrefixEnd(prefix);
  return Take(end && cursor_.SeekAtLeast(*end) ? cursor_.Prev() : cursor_.Last());
}

bool SpaceCursor::SeekFirst() { return SeekAtLeast({}); }

bool SpaceCursor::SeekLast() {
  levels_.resize(1);
  lead_.clear();
  return Backward(SeekLastOf(levels_.back()));
}

bool SpaceCursor::SeekAtLeast(std::string_view key) {
  levels_.resize(1);
  lead_.clear();
  for (;;) {
    const std::string target = Physical(levels_.back(), key.substr(0, kKeySegmentBytes));
    const bool found = SeekPhysical(target);
    if (key.size() < kKeySegmentBytes || !found || record_.key != target) return Forward(found);
    Descend();
    key.remove_prefix(kKeySegmentBytes);
  }
}

bool SpaceCursor::SeekBefore(std::string_view key) {
  return SeekAtLeast(key) ? Prev() : SeekLast();
}

bool SpaceCursor::NextSlowly() { return Forward(NextRecord()); }

bool SpaceCursor::Prev() {
  // Reading ahead left the cursor behind the record.
  if (ahead_size_ > 0) SeekPhysical(std::string(record_.key));
  return Backward(Take(cursor_.Prev()));
}

}  // namespace tablecast
