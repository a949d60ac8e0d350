// IMPLEMENTATION. A build reads under one snapshot, keeps the new segments in memory and writes them
// and the header in one transaction, which also checks that the header is the one it began from: a
// crash or a second builder leaves the sidecar as it was. Tested by tests/connector/columnar_test.cc.

#include "connector/columnar_build.h"

#include <algorithm>
#include <map>
#include <random>

#include "connector/columnar_sidecar.h"
#include "connector/item_record.h"
#include "item/number.h"

namespace tablecast {
namespace {

constexpr std::int64_t kGreatest = std::int64_t{1} << 62;
constexpr std::int64_t kNanos = 1'000'000'000;
constexpr std::int32_t kMaxScale = 18;
constexpr std::size_t kMaxDictionaryBytes = std::size_t{8} << 20U;  // of a column in a segment
constexpr std::uint64_t kProgressEvery = 1024;

// What is stored reads, in comparisons that look at the stored form, as the published value does.
bool IsRegular(const Field& field, const EdmValue& value, const AttributeView& stored) {
  if (field.source.kind != SourceKind::kAttribute) return true;
  if (IsTextType(field.type)) {
    const bool null = !stored.Is(AttributeType::kS) ||
                      (stored.payload().empty() && field.empty_text_is_null);
    if (null || value.is_null()) return null == value.is_null();
    return value.kind() == EdmKind::kString && value.text() == stored.payload();
  }
  if (field.kind == EdmKind::kDecimal) {
    if (value.is_null() || !stored.Is(AttributeType::kN))
      return value.is_null() && !stored.Is(AttributeType::kN);
    const Result<Decimal> number = DecodeNumber(stored.payload());
    return number.ok() && IsExactNumber(value.kind()) && *number == value.number();
  }
  return true;
}

// The values of one column while a segment is read.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(const Field& field) : field_(field) {}

  void Add(const EdmValue& value, const AttributeView& stored) {
    if (!kept_) return;
    if (!IsRegular(field_, value, stored)) return Drop();
    if (value.is_null()) {
      values_.push_back(ColumnChunk::kNull);
      return;
    }
    if (value.kind() != field_.kind) return Drop();
    switch (value.kind()) {
      case EdmKind::kString:
      case EdmKind::kGuid: AddText(value.text()); return;
      case EdmKind::kBoolean: values_.push_back(value.boolean() ? 1 : 0); return;
      case EdmKind::kDate: values_.push_back(value.date().days); return;
      case EdmKind::kTimeOfDay: values_.push_back(value.time().nanos); return;
      case EdmKind::kDateTimeOffset: {
        const Timestamp at = value.timestamp();
        if (at.seconds <= -kGreatest / kNanos || at.seconds >= kGreatest / kNanos) return Drop();
        values_.push_back(at.seconds * kNanos + at.nanos);
        return;
      }
      default:
        if (!IsExactNumber(value.kind())) return Drop();
        AddNumber(value.number());
        return;
    }
  }

  // nullopt when some value has no columnar form.
  std::optional<ColumnChunk> Finish() {
    if (!kept_) return std::nullopt;
    ColumnChunk chunk;
    const bool texts = field_.kind == EdmKind::kString || field_.kind == EdmKind::kGuid;
    if (!texts) {
      if (!decimals_.empty() && !Scale()) return std::nullopt;
      chunk.scale = scale_;
      chunk.numbers = std::move(values_);
      return chunk;
    }
    chunk.form = ColumnChunk::Form::kTexts;
    std::vector<std::uint32_t> code_of(texts_.size());  // by number of arrival
    for (const auto& [text, number] : texts_) {
      chunk.dictionary.push_back(text);
      code_of[number] = static_cast<std::uint32_t>(chunk.dictionary.size());
    }
    chunk.codes.reserve(values_.size());
    for (const std::int64_t value : values_)
      chunk.codes.push_back(value == ColumnChunk::kNull ? 0 : code_of[static_cast<std::size_t>(value)]);
    return chunk;
  }

 private:
  void Drop() {
    kept_ = false;
    values_.clear();
    decimals_.clear();
    texts_.clear();
  }

  void AddText(const std::string& text) {
    const auto [at, added] = texts_.emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (added) text_bytes_ += text.size();
    if (text_bytes_ > kMaxDictionaryBytes) return Drop();
    values_.push_back(at->second);
  }

  void AddNumber(const Decimal& number) {
    if (!number.IsZero() && (number.Magnitude() > 18 || number.Scale() > kMaxScale)) return Drop();
    scale_ = std::max(scale_, number.Scale());
    decimals_.emplace_back(values_.size(), number);
    values_.push_back(0);
  }

  // Sets the numbers at the scale that all of them share.
  bool Scale() {
    std::uint64_t power = 1;
    for (std::int32_t i = 0; i < scale_; ++i) power *= 10;
    const Decimal factor = Decimal::FromUint64(power);
    for (const auto& [row, number] : decimals_) {
      const std::optional<std::int64_t> scaled =
          Multiply(number, factor, Decimal::Context{Decimal::kMaxDigits, Rounding::kHalfUp}).ToInt64();
      if (!scaled || *scaled <= -kGreatest || *scaled >= kGreatest) return false;
      values_[row] = *scaled;
    }
    return true;
  }

  const Field& field_;
  bool kept_ = true;
  std::vector<std::int64_t> values_;  // numbers, or numbers of texts; decimals come at the end
  std::vector<std::pair<std::size_t, Decimal>> decimals_;
  std::int32_t scale_ = 0;
  std::map<std::string, std::uint32_t> texts_;
  std::size_t text_bytes_ = 0;
};

struct NewSegment {
  ColumnarSegment segment;
  std::string keys;
  std::vector<std::string> columns;  // "" where not kept
};

class Builder {
 public:
  Builder(const ExternalObject& object, const ReadSnapshot& snapshot,
          const std::function<bool(std::uint64_t)>& progress, std::size_t segment_rows)
      : object_(object),
        snapshot_(snapshot),
        progress_(progress),
        segment_rows_(std::min(segment_rows, kColumnarSegmentRows)),
        fields_(ColumnarFields(object)) {}

  // Reads the members from `first` up to, not including, `end` into segments.
  Status Read(const std::string& first, const std::optional<std::string>& end,
              std::vector<NewSegment>& out, std::uint64_t& records) {
    TABLECAST_ASSIGN_OR_RETURN(const TableSchema* schema, snapshot_.Schema(object_.table()));
    TABLECAST_ASSIGN_OR_RETURN(const AttributeNames* names, snapshot_.Names(object_.table()));
    ItemRecord record(object_, *schema, *names, Timestamp{});
    Begin();
    Status failed;
    IndexRange range;
    // Entries of a membership index have no order of their own: they come by key, behind `after`.
    bool skip_to_first = !first.empty();
    if (skip_to_first) range.after = {std::string(), Before(first)};
    TABLECAST_ASSIGN_OR_RETURN(
        const std::uint64_t visited,
        snapshot_.ScanDerived(object_.table(), object_.membership(), range,
                              [&](const IndexEntryView& entry) {
                                if (entry.item_key < first) return true;
                                if (end && entry.item_key >= *end) return false;
                                const Result<bool> got = snapshot_.Get(
                                    object_.table(), entry.item_key, [&](const ItemView& item) {
                                      record.Reset(item);
                                      Add(record);
                                    });
                                if (!got.ok()) {
                                  failed = got.error();
                                  return false;
                                }
                                if (++records % kProgressEvery == 0 && !progress_(records)) {
                                  failed = MakeError(ErrorCode::kAborted, "columnar-stopped",
                                                     "building the columnar sidecar was stopped");
                                  return false;
                                }
                                if (keys_.rows() == segment_rows_) End(out);
                                return true;
                              }));
    static_cast<void>(visited);
    TABLECAST_RETURN_IF_ERROR(failed);
    End(out);
    return {};
  }

 private:
  // The greatest key that is certainly before `key` and after every other record's: its last byte
  // one less, or nothing behind it. Entries from there on are compared again.
  static std::string Before(const std::string& key) {
    std::string before = key.substr(0, key.size() - 1);
    const auto last = static_cast<unsigned char>(key.back());
    if (last > 0) before += static_cast<char>(last - 1);
    return before;
  }

  void Begin() {
    keys_ = {};
    columns_.clear();
    for (const std::uint32_t field : fields_) columns_.emplace_back(object_.fields()[field]);
  }

  void Add(const ItemRecord& record) {
    keys_.Add(record.item().key_bytes());
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const Field& field = object_.fields()[fields_[i]];
      columns_[i].Add(record.Value(field), record.Stored(field));
    }
  }

  void End(std::vector<NewSegment>& out) {
    if (keys_.rows() > 0) {
      NewSegment made;
      made.segment.id = (static_cast<std::uint64_t>(random_()) << 32U) | random_();
      made.segment.rows = static_cast<std::uint32_t>(keys_.rows());
      made.segment.first_key = std::string(keys_.Key(0));
      made.keys = EncodeKeyChunk(keys_);
      for (ColumnBuilder& column : columns_) {
        const std::optional<ColumnChunk> chunk = column.Finish();
        made.segment.kept.push_back(chunk.has_value());
        made.columns.push_back(chunk ? EncodeColumnChunk(*chunk) : std::string());
      }
      out.push_back(std::move(made));
    }
    Begin();
  }

  const ExternalObject& object_;
  const ReadSnapshot& snapshot_;
  const std::function<bool(std::uint64_t)>& progress_;
  std::size_t segment_rows_;
  std::vector<std::uint32_t> fields_;
  std::random_device random_;
  KeyChunk keys_;
  std::vector<ColumnBuilder> columns_;
};

Status DeleteSegment(WriteTransaction& txn, const std::string& name, const ColumnarSegment& segment) {
  TABLECAST_RETURN_IF_ERROR(txn.DeleteMeta(ColumnarKeysName(name, segment.id)));
  for (std::size_t column = 0; column < segment.kept.size(); ++column) {
    if (segment.kept[column])
      TABLECAST_RETURN_IF_ERROR(txn.DeleteMeta(ColumnarChunkName(name, segment.id, column)));
  }
  return {};
}

// Which segments of `old` have a change; nullopt when that is not known.
std::optional<std::vector<bool>> ChangedSegments(const ReadSnapshot& snapshot,
                                                 const ExternalObject& object,
                                                 const ColumnarHeader& old, std::uint64_t sequence,
                                                 std::size_t segment_rows) {
  std::vector<bool> changed(old.segments.size(), false);
  if (old.segments.empty() || old.sequence > sequence) return std::nullopt;
  // Many small segments come from a sidecar that grew: made anew they fill up again.
  if (old.segments.size() > 8 + 2 * (old.Rows() / segment_rows)) return std::nullopt;
  const Result<std::uint64_t> read =
      snapshot.Changes(object.table(), old.sequence, [&](const Change& change) {
        const auto behind = std::upper_bound(
            old.segments.begin(), old.segments.end(), change.key,
            [](const std::string& key, const ColumnarSegment& segment) { return key < segment.first_key; });
        changed[behind == old.segments.begin()
                    ? 0
                    : static_cast<std::size_t>(behind - old.segments.begin()) - 1] = true;
        return true;
      });
  if (!read.ok()) return std::nullopt;
  return changed;
}

Status BuildOne(const ExternalObject& object, ItemStore& store, std::uint64_t min_behind,
                const std::function<bool(std::uint64_t, std::uint64_t)>& progress,
                std::size_t segment_rows, ColumnarBuild& report) {
  const std::string name = ColumnarHeaderName(object.table(), object.name());
  ColumnarHeader header;
  std::vector<NewSegment> fresh;
  std::vector<ColumnarSegment> gone;
  std::optional<std::string> before;
  {
    TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store.BeginRead());
    TABLECAST_ASSIGN_OR_RETURN(const TableInfo info, snapshot->Describe(object.table()));
    if (!snapshot->IsDerivedReady(object.table(), object.membership())) return {};
    TABLECAST_ASSIGN_OR_RETURN(before, snapshot->GetMeta(name));
    std::optional<ColumnarHeader> old;
    if (before) {
      Result<ColumnarHeader> read = DecodeColumnarHeader(*before);
      if (read.ok()) old = *std::move(read);  // a damaged one is replaced
    }
    header.fingerprint = ColumnarFingerprint(object);
    const bool same = old && old->fingerprint == header.fingerprint;
    if (same && old->sequence <= info.sequence && info.sequence - old->sequence < std::max<std::uint64_t>(min_behind, 1))
      return {};
    TABLECAST_ASSIGN_OR_RETURN(const std::uint64_t members,
                               snapshot->CountDerived(object.table(), object.membership()));
    header.sequence = info.sequence;
    for (const std::uint32_t field : ColumnarFields(object))
      header.columns.push_back(object.fields()[field].name);
    std::optional<std::vector<bool>> changed;
    if (same) changed = ChangedSegments(*snapshot, object, *old, info.sequence, segment_rows);
    std::uint64_t records = 0;
    const std::function<bool(std::uint64_t)> on = [&](std::uint64_t done) {
      return progress(done, members);
    };
    Builder builder(object, *snapshot, on, segment_rows);
    if (!changed) {
      TABLECAST_RETURN_IF_ERROR(builder.Read({}, std::nullopt, fresh, records));
      if (old) gone = old->segments;
    } else {
      for (std::size_t i = 0; i < changed->size(); ++i) {
        if (!(*changed)[i]) {
          header.segments.push_back(old->segments[i]);
          continue;
        }
        gone.push_back(old->segments[i]);
        std::optional<std::string> end;
        if (i + 1 < changed->size()) end = old->segments[i + 1].first_key;
        TABLECAST_RETURN_IF_ERROR(
            builder.Read(i == 0 ? std::string() : old->segments[i].first_key, end, fresh, records));
      }
    }
    report.records += records;
    report.segments_read += fresh.size();
  }
  for (const NewSegment& made : fresh) header.segments.push_back(made.segment);
  std::sort(header.segments.begin(), header.segments.end(),
            [](const ColumnarSegment& a, const ColumnarSegment& b) { return a.first_key < b.first_key; });
  TABLECAST_RETURN_IF_ERROR(store.Write([&](WriteTransaction& txn) -> Status {
    TABLECAST_ASSIGN_OR_RETURN(const std::optional<std::string> now, txn.GetMeta(name));
    if (now != before) {
      return MakeError(ErrorCode::kAborted, "columnar-raced",
                       "another process wrote the columnar sidecar of " + object.name());
    }
    for (const ColumnarSegment& segment : gone) TABLECAST_RETURN_IF_ERROR(DeleteSegment(txn, name, segment));
    for (const NewSegment& made : fresh) {
      TABLECAST_RETURN_IF_ERROR(txn.PutMeta(ColumnarKeysName(name, made.segment.id), made.keys));
      for (std::size_t column = 0; column < made.columns.size(); ++column) {
        if (!made.segment.kept[column]) continue;
        TABLECAST_RETURN_IF_ERROR(
            txn.PutMeta(ColumnarChunkName(name, made.segment.id, column), made.columns[column]));
      }
    }
    return txn.PutMeta(name, EncodeColumnarHeader(header));
  }));
  ++report.objects;
  return {};
}

// Takes away what an object that no longer asks for a sidecar has left.
Status RemoveOne(const ExternalObject& object, ItemStore& store) {
  const std::string name = ColumnarHeaderName(object.table(), object.name());
  {
    TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, store.BeginRead());
    TABLECAST_ASSIGN_OR_RETURN(const std::optional<std::string> there, snapshot->GetMeta(name));
    if (!there) return {};
  }
  return store.Write([&](WriteTransaction& txn) -> Status {
    TABLECAST_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, txn.GetMeta(name));
    if (!bytes) return {};
    // Of a damaged header the segments are not known; they stay until the table is dropped.
    const Result<ColumnarHeader> header = DecodeColumnarHeader(*bytes);
    if (header.ok()) {
      for (const ColumnarSegment& segment : header->segments)
        TABLECAST_RETURN_IF_ERROR(DeleteSegment(txn, name, segment));
    }
    return txn.DeleteMeta(name);
  });
}

Issue Differs(const ExternalObject& object, const std::string& target, const std::string& message) {
  Issue issue;
  issue.severity = Severity::kError;
  issue.code = "columnar-differs";
  issue.file = object.file();
  issue.message = target + ": " + message;
  issue.remedy = "take \"columnar\" out of the object, start `tablecast serve` once and put it back: the copy is "
                 "written anew, the items are not affected";
  return issue;
}

Result<std::optional<Issue>> CheckOne(const ExternalObject& object, const ReadSnapshot& snapshot) {
  std::optional<Issue> none;
  TABLECAST_ASSIGN_OR_RETURN(const std::optional<std::string> there,
                             snapshot.GetMeta(ColumnarHeaderName(object.table(), object.name())));
  if (!there || !snapshot.IsDerivedReady(object.table(), object.membership())) return none;
  const auto opened = ColumnarSidecar::Open(snapshot, object);
  if (!opened.ok()) {
    if (opened.error().code != ErrorCode::kDataLoss) return none;  // declined: no query uses it
    return std::optional<Issue>(Differs(object, object.name(), opened.error().message));
  }
  const ColumnarSidecar& sidecar = **opened;
  TABLECAST_ASSIGN_OR_RETURN(const TableSchema* schema, snapshot.Schema(object.table()));
  TABLECAST_ASSIGN_OR_RETURN(const AttributeNames* names, snapshot.Names(object.table()));
  ItemRecord row(object, *schema, *names, Timestamp{});
  ColumnarRecord columns(sidecar);
  std::vector<std::uint32_t> fields;
  for (const std::uint32_t field : ColumnarFields(object)) {
    if (sidecar.Covers(field)) fields.push_back(field);
  }
  std::uint64_t unchanged = 0;
  std::optional<Issue> found;
  for (std::size_t segment = 0; segment < sidecar.segments() && !found; ++segment) {
    const auto keys = sidecar.Keys(segment);
    if (!keys.ok()) return std::optional<Issue>(Differs(object, object.name(), keys.error().message));
    const Status entered = columns.EnterSegment(segment, fields);
    if (!entered.ok()) return std::optional<Issue>(Differs(object, object.name(), entered.error().message));
    TABLECAST_ASSIGN_OR_RETURN(const std::vector<std::uint32_t> changed, sidecar.ChangedRows(segment));
    for (std::uint32_t i = 0; i < (*keys)->rows() && !found; ++i) {
      if (std::binary_search(changed.begin(), changed.end(), i)) continue;
      ++unchanged;
      columns.MoveTo(i);
      TABLECAST_ASSIGN_OR_RETURN(
          const bool got, snapshot.Get(object.table(), (*keys)->Key(i), [&](const ItemView& item) {
            row.Reset(item);
            if (!row.Belongs()) found = Differs(object, object.name(), "a record of the sidecar does not belong");
            for (const std::uint32_t number : fields) {
              const Field& field = object.fields()[number];
              if (found || EqualEdm(row.Value(field), columns.Value(field))) continue;
              found = Differs(object, object.name() + "." + field.name,
                              "the sidecar holds " + columns.Value(field).ToLiteral() + ", record " +
                                  row.ExternalId() + " " + row.Value(field).ToLiteral());
            }
          }));
      if (!got && !found) found = Differs(object, object.name(), "a record of the sidecar is not there");
    }
  }
  if (found) return found;
  // As many as the members that did not change since.
  TABLECAST_ASSIGN_OR_RETURN(std::uint64_t members, snapshot.CountDerived(object.table(), object.membership()));
  for (const std::string& key : sidecar.changed()) {
    bool belongs = false;
    TABLECAST_ASSIGN_OR_RETURN(const bool got, snapshot.Get(object.table(), key, [&](const ItemView& item) {
      row.Reset(item);
      belongs = row.Belongs();
    }));
    if (got && belongs) --members;
  }
  if (members != unchanged) {
    found = Differs(object, object.name(), "the sidecar has " + std::to_string(unchanged) +
                                               " records where there are " + std::to_string(members));
  }
  return found;
}

}  // namespace

Result<ColumnarBuild> BuildColumnar(const Catalog& catalog, std::string_view table, ItemStore& store,
                                    std::uint64_t min_behind,
                                    const std::function<bool(std::uint64_t, std::uint64_t)>& progress,
                                    std::size_t segment_rows) {
  ColumnarBuild report;
  for (const auto& object : catalog.objects()) {
    if (object->table() != table || !object->table_exists() || object->embedded() != nullptr) continue;
    if (object->options().columnar) {
      TABLECAST_RETURN_IF_ERROR(BuildOne(*object, store, min_behind, progress, segment_rows, report));
    } else {
      TABLECAST_RETURN_IF_ERROR(RemoveOne(*object, store));
    }
  }
  return report;
}

Result<std::vector<Issue>> CheckColumnar(const Catalog& catalog, const ReadSnapshot& snapshot) {
  std::vector<Issue> issues;
  for (const auto& object : catalog.objects()) {
    if (!object->options().columnar || !object->table_exists() || object->embedded() != nullptr) continue;
    TABLECAST_ASSIGN_OR_RETURN(std::optional<Issue> issue, CheckOne(*object, snapshot));
    if (issue) issues.push_back(*std::move(issue));
  }
  return issues;
}

}  // namespace tablecast
