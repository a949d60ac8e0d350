#ifndef TABLECAST_CONNECTOR_COLUMNAR_SIDECAR_H_
#define TABLECAST_CONNECTOR_COLUMNAR_SIDECAR_H_

// The columnar copy of an object that asks for it (`"columnar": true`), as one snapshot sees it: the
// stored segments, and the keys of what changed since they were written. The rows stay the truth:
// records that changed are read from them, and a copy that is too far behind is not used.
//
// Values are exact: numbers, dates and times as whole numbers of one scale a segment, texts by a
// dictionary. A column with a value that has no such form, or whose stored form says something else
// than its published one, is not kept there, and queries that need it go to the rows.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "connector/external_object.h"
#include "connector/record_view.h"
#include "store/columnar_chunk.h"
#include "store/item_store.h"

namespace tablecast {

// Changes since the copy was written that a reader makes up for; beyond that it declines.
inline constexpr std::size_t kColumnarMaxBehind = 4096;

// Numbers of the fields that a sidecar of the object has as columns: scalar ones whose value depends
// on the item alone. Empty for embedded objects.
std::vector<std::uint32_t> ColumnarFields(const ExternalObject& object);
// Identifies qualifier and columns.
std::string ColumnarFingerprint(const ExternalObject& object);

// The value that a number or text of a column stands for; null for ColumnChunk::kNull.
EdmValue ColumnNumber(const Field& field, std::int64_t number, std::int32_t scale);
EdmValue ColumnText(const Field& field, const std::string& text);

// THREAD: one thread, like its snapshot; chunks in memory are shared between all.
class ColumnarSidecar {
 public:
  // ERRORS: kFailedPrecondition "columnar-not-ready" with the reason; kDataLoss "columnar-damaged".
  // COST: one small read, and one of each change since the copy was written. BORROWS both.
  static Result<std::shared_ptr<const ColumnarSidecar>> Open(const ReadSnapshot& snapshot,
                                                             const ExternalObject& object);

  const ExternalObject& object() const { return object_; }
  std::uint64_t rows() const { return rows_; }
  std::size_t segments() const { return header_.segments.size(); }
  std::uint32_t segment_rows(std::size_t segment) const { return header_.segments[segment].rows; }
  // Whether the field has a column in every segment.
  bool Covers(std::uint32_t field) const { return column_of_[field] != kNoColumn; }

  // First use reads and keeps them in memory (at most 1 GiB of all sidecars of the process).
  Result<std::shared_ptr<const KeyChunk>> Keys(std::size_t segment) const;
  // REQUIRES: Covers(field).
  Result<std::shared_ptr<const ColumnChunk>> Column(std::size_t segment, std::uint32_t field) const;

  // Keys of items changed since the copy was written, ascending: to be read from the rows.
  const std::vector<std::string>& changed() const { return changed_; }
  // Rows of the segment whose items changed, ascending: not to be used.
  Result<std::vector<std::uint32_t>> ChangedRows(std::size_t segment) const;

 private:
  static constexpr std::uint32_t kNoColumn = 0xFFFFFFFF;
  ColumnarSidecar(const ReadSnapshot& snapshot, const ExternalObject& object)
      : snapshot_(snapshot), object_(object) {}

  const ReadSnapshot& snapshot_;
  const ExternalObject& object_;
  std::string name_;
  ColumnarHeader header_;
  std::uint64_t rows_ = 0;
  std::vector<std::uint32_t> column_of_;  // by field number
  std::vector<std::string> changed_;
};

// A record read from columns. Fields without a column read as null: ask Covers first.
class ColumnarRecord final : public RecordView {
 public:
  explicit ColumnarRecord(const ColumnarSidecar& sidecar);
  // Makes `fields` readable in the segment. ERRORS: of the read.
  Status EnterSegment(std::size_t segment, const std::vector<std::uint32_t>& fields);
  void MoveTo(std::uint32_t row) { row_ = row; }
  // The field reads as this value, whatever the row; null ends it.
  void Pretend(std::uint32_t field, const EdmValue* value) {
    pretended_field_ = field;
    pretended_ = value;
  }
  const ColumnChunk& chunk(std::uint32_t field) const { return *chunks_[field]; }

  const ExternalObject& object() const override { return sidecar_.object(); }
  EdmValue Value(const Field& field) const override;
  AttributeView Stored(const Field& field) const override;
  EdmValue Join(const JoinColumn&) const override { return {}; }

 private:
  const ColumnarSidecar& sidecar_;
  std::vector<std::shared_ptr<const ColumnChunk>> chunks_;  // by field number
  std::uint32_t row_ = 0;
  std::uint32_t pretended_field_ = 0;
  const EdmValue* pretended_ = nullptr;
  mutable std::string stored_;  // behind the last Stored()
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_COLUMNAR_SIDECAR_H_
