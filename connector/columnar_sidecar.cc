#include "connector/columnar_sidecar.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_map>

#include "connector/content_hash.h"
#include "item/number.h"

namespace tablecast {
namespace {

constexpr std::size_t kMemoryBudget = std::size_t{1} << 30U;
constexpr std::int64_t kNanos = 1'000'000'000;

Error NotReady(const ExternalObject& object, std::string why) {
  return MakeError(ErrorCode::kFailedPrecondition, "columnar-not-ready",
                   "the columnar sidecar of " + object.name() + " " + std::move(why),
                   "tablecast-engine",
                   "`tablecast serve` builds it in the background, `import --catalog` when it ends");
}

// Chunks read so far. A segment's number is random, so entries of several stores and of older copies
// never meet.
class ChunkCache {
 public:
  template <class Chunk>
  std::shared_ptr<const Chunk> Find(std::uint64_t segment, std::size_t column) {
    const std::lock_guard lock(mutex_);
    const auto at = kept_.find({segment, column});
    return at == kept_.end() ? nullptr : std::static_pointer_cast<const Chunk>(at->second);
  }
  void Keep(std::uint64_t segment, std::size_t column, std::shared_ptr<const void> chunk,
            std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes_ + bytes > kMemoryBudget) {
      kept_.clear();  // who reads them at the moment holds his own reference
      bytes_ = 0;
    }
    if (kept_.emplace(std::pair(segment, column), std::move(chunk)).second) bytes_ += bytes;
  }
  static ChunkCache& Shared() {
    static ChunkCache cache;
    return cache;
  }

 private:
  struct Hash {
    std::size_t operator()(const std::pair<std::uint64_t, std::size_t>& key) const {
      return static_cast<std::size_t>(key.first) ^ (key.second * 0x9E3779B97F4A7C15ULL);
    }
  };
  std::mutex mutex_;
  std::unordered_map<std::pair<std::uint64_t, std::size_t>, std::shared_ptr<const void>, Hash> kept_;
  std::size_t bytes_ = 0;
};
constexpr std::size_t kKeysColumn = ~std::size_t{0};

bool UsesClock(const ExternalObject& object) {
  for (const VirtualColumn& column : object.qualifier().virtual_columns()) {
    for (const auto& candidate : column.candidates) {
      if (candidate->UsesClock()) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::uint32_t> ColumnarFields(const ExternalObject& object) {
  std::vector<std::uint32_t> out;
  if (object.embedded() != nullptr) return out;
  const bool clock = UsesClock(object);  // one column may read another, so none is kept
  for (std::uint32_t i = 0; i < object.fields().size(); ++i) {
    const Field& field = object.fields()[i];
    const bool source = field.source.kind == SourceKind::kAttribute ||
                        (field.source.kind == SourceKind::kVirtual && !clock);
    const bool number = IsExactNumber(field.kind);
    const bool time = field.kind == EdmKind::kDateTimeOffset || field.kind == EdmKind::kDate ||
                      field.kind == EdmKind::kTimeOfDay;
    const bool text = field.kind == EdmKind::kString || field.kind == EdmKind::kGuid;
    const bool long_text = field.type == FieldType::kLongText || field.type == FieldType::kJsonText;
    if (source && !field.collection && !long_text &&
        (number || time || text || field.kind == EdmKind::kBoolean)) {
      out.push_back(i);
    }
  }
  return out;
}

std::string ColumnarFingerprint(const ExternalObject& object) {
  ContentHasher hasher;
  hasher.Add("columnar-1");
  hasher.Add(object.qualifier().fingerprint());
  for (const std::uint32_t number : ColumnarFields(object)) {
    const Field& field = object.fields()[number];
    hasher.Add(field.name);
    hasher.Add(FieldSourceText(field.source));
    hasher.Add(std::to_string(static_cast<int>(field.source.kind)));
    hasher.Add(FieldTypeName(field.type));
    hasher.Add(field.unit);
    hasher.Add(std::to_string(field.zone_minutes) + (field.empty_text_is_null ? "n" : "t") +
               std::to_string(field.max_length) + "/" + std::to_string(field.scale.value_or(-1)) +
               "/" + std::to_string(field.precision.value_or(-1)));
    for (const std::string& value : field.values) hasher.Add(value);
  }
  return hasher.Hex();
}

EdmValue ColumnNumber(const Field& field, std::int64_t number, std::int32_t scale) {
  if (number == ColumnChunk::kNull) return {};
  switch (field.kind) {
    case EdmKind::kBoolean: return EdmValue::Boolean(number != 0);
    case EdmKind::kDate: return EdmValue::OfDate(Date{static_cast<std::int32_t>(number)});
    case EdmKind::kTimeOfDay: return EdmValue::OfTime(TimeOfDay{number});
    case EdmKind::kDateTimeOffset: {
      std::int64_t seconds = number / kNanos;
      std::int64_t nanos = number % kNanos;
      if (nanos < 0) {
        nanos += kNanos;
        --seconds;
      }
      return EdmValue::DateTimeOffset(Timestamp{seconds, static_cast<std::int32_t>(nanos)});
    }
    default: {
      const bool negative = number < 0;
      const std::uint64_t size =
          negative ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
      return EdmValue::Number(Decimal::FromParts(negative, size, -scale), field.kind);
    }
  }
}

EdmValue ColumnText(const Field& field, const std::string& text) {
  return field.kind == EdmKind::kGuid ? EdmValue::Guid(text) : EdmValue::String(text);
}

Result<std::shared_ptr<const ColumnarSidecar>> ColumnarSidecar::Open(const ReadSnapshot& snapshot,
                                                                     const ExternalObject& object) {
  if (!object.options().columnar)
    return NotReady(object, "is not asked for: its file lacks \"columnar\": true");
  if (object.embedded() != nullptr) return NotReady(object, "cannot be: its records lie inside items");
  // make_shared cannot reach the constructor.
  std::shared_ptr<ColumnarSidecar> sidecar(new ColumnarSidecar(snapshot, object));
  sidecar->name_ = ColumnarHeaderName(object.table(), object.name());
  TABLECAST_ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                             snapshot.GetMeta(sidecar->name_));
  if (!bytes) return NotReady(object, "is not built yet");
  TABLECAST_ASSIGN_OR_RETURN(sidecar->header_, DecodeColumnarHeader(*bytes));
  if (sidecar->header_.fingerprint != ColumnarFingerprint(object))
    return NotReady(object, "is of another definition");
  TABLECAST_ASSIGN_OR_RETURN(const TableInfo info, snapshot.Describe(object.table()));
  const std::uint64_t since = sidecar->header_.sequence;
  if (info.sequence < since || info.sequence - since > kColumnarMaxBehind)
    return NotReady(object, "is more than " + std::to_string(kColumnarMaxBehind) + " changes behind");
  if (info.sequence > since) {
    std::set<std::string> changed;
    const Result<std::uint64_t> read =
        snapshot.Changes(object.table(), since, [&](const Change& change) {
          changed.insert(change.key);
          return true;
        });
    if (!read.ok()) return NotReady(object, "is behind, and the change log does not reach back");
    sidecar->changed_.assign(changed.begin(), changed.end());
  }
  sidecar->rows_ = sidecar->header_.Rows();
  sidecar->column_of_.assign(object.fields().size(), kNoColumn);
  const std::vector<std::uint32_t> fields = ColumnarFields(object);
  if (fields.size() != sidecar->header_.columns.size())
    return NotReady(object, "is of another definition");
  for (std::uint32_t column = 0; column < fields.size(); ++column) {
    const bool kept = std::all_of(sidecar->header_.segments.begin(), sidecar->header_.segments.end(),
                                  [&](const ColumnarSegment& segment) { return segment.kept[column]; });
    if (kept) sidecar->column_of_[fields[column]] = column;
  }
  return std::shared_ptr<const ColumnarSidecar>(std::move(sidecar));
}

Result<std::shared_ptr<const KeyChunk>> ColumnarSidecar::Keys(std::size_t segment) const {
  const std::uint64_t id = header_.segments[segment].id;
  if (auto kept = ChunkCache::Shared().Find<KeyChunk>(id, kKeysColumn)) return kept;
  TABLECAST_ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                             snapshot_.GetMeta(ColumnarKeysName(name_, id)));
  if (!bytes) return NotReady(object_, "lacks a segment");
  TABLECAST_ASSIGN_OR_RETURN(KeyChunk read, DecodeKeyChunk(*bytes));
  if (read.rows() != header_.segments[segment].rows) return NotReady(object_, "is damaged");
  auto chunk = std::make_shared<const KeyChunk>(std::move(read));
  ChunkCache::Shared().Keep(id, kKeysColumn, chunk, chunk->bytes.size() + chunk->ends.size() * 4);
  return chunk;
}

Result<std::shared_ptr<const ColumnChunk>> ColumnarSidecar::Column(std::size_t segment,
                                                                   std::uint32_t field) const {
  const std::uint64_t id = header_.segments[segment].id;
  const std::uint32_t column = column_of_[field];
  if (auto kept = ChunkCache::Shared().Find<ColumnChunk>(id, column)) return kept;
  TABLECAST_ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                             snapshot_.GetMeta(ColumnarChunkName(name_, id, column)));
  if (!bytes) return NotReady(object_, "lacks a column");
  TABLECAST_ASSIGN_OR_RETURN(ColumnChunk read, DecodeColumnChunk(*bytes));
  if (read.rows() != header_.segments[segment].rows) return NotReady(object_, "is damaged");
  auto chunk = std::make_shared<const ColumnChunk>(std::move(read));
  ChunkCache::Shared().Keep(id, column, chunk, chunk->MemoryBytes());
  return chunk;
}

Result<std::vector<std::uint32_t>> ColumnarSidecar::ChangedRows(std::size_t segment) const {
  std::vector<std::uint32_t> rows;
  if (changed_.empty()) return rows;
  const std::string& first = header_.segments[segment].first_key;
  auto from = std::lower_bound(changed_.begin(), changed_.end(), first);
  const auto end = segment + 1 < header_.segments.size()
                       ? std::lower_bound(from, changed_.end(), header_.segments[segment + 1].first_key)
                       : changed_.end();
  if (from == end) return rows;
  TABLECAST_ASSIGN_OR_RETURN(const std::shared_ptr<const KeyChunk> keys, Keys(segment));
  for (; from != end; ++from) {
    std::size_t low = 0;
    std::size_t high = keys->rows();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (keys->Key(middle) < *from) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low < keys->rows() && keys->Key(low) == *from) rows.push_back(static_cast<std::uint32_t>(low));
  }
  return rows;
}

ColumnarRecord::ColumnarRecord(const ColumnarSidecar& sidecar)
    : sidecar_(sidecar), chunks_(sidecar.object().fields().size()) {}

Status ColumnarRecord::EnterSegment(std::size_t segment, const std::vector<std::uint32_t>& fields) {
  for (const std::uint32_t field : fields) {
    TABLECAST_ASSIGN_OR_RETURN(chunks_[field], sidecar_.Column(segment, field));
  }
  return {};
}

EdmValue ColumnarRecord::Value(const Field& field) const {
  const std::uint32_t number = sidecar_.object().IndexOf(field);
  if (pretended_ != nullptr && number == pretended_field_) return *pretended_;
  const ColumnChunk* chunk = chunks_[number].get();
  if (chunk == nullptr) return {};
  if (chunk->form == ColumnChunk::Form::kNumbers)
    return ColumnNumber(field, chunk->numbers[row_], chunk->scale);
  const std::uint32_t code = chunk->codes[row_];
  return code == 0 ? EdmValue() : ColumnText(field, chunk->dictionary[code - 1]);
}

// What the builder has made sure of: the stored form of a kept text or number is its value.
AttributeView ColumnarRecord::Stored(const Field& field) const {
  const EdmValue value = Value(field);
  if (value.kind() == EdmKind::kString) {
    stored_ = value.text();
    return AttributeView(AttributeType::kS, stored_);
  }
  if (!IsExactNumber(value.kind())) return {};
  Result<std::string> code = EncodeNumber(value.number());
  if (!code.ok()) return {};
  stored_ = *std::move(code);
  return AttributeView(AttributeType::kN, stored_);
}

}  // namespace tablecast
