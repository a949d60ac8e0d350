#ifndef TABLECAST_CONNECTOR_COLUMNAR_BUILD_H_
#define TABLECAST_CONNECTOR_COLUMNAR_BUILD_H_

// Writes and checks the columnar sidecars of a catalog's objects.

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "connector/catalog.h"
#include "store/columnar_chunk.h"
#include "store/item_store.h"

namespace tablecast {

struct ColumnarBuild {
  std::uint64_t objects = 0;        // whose sidecar was written
  std::uint64_t segments_read = 0;  // made from rows; the others stayed as they were
  std::uint64_t records = 0;        // read for that
};

// Brings the sidecar of every object of `table` that asks for one up to date: segments without a
// change stay, the others are read again, all of them when the change log does not reach back.
// Sidecars of objects that no longer ask for one are removed. Objects whose membership index is not
// ready are left out: build indexes first. `progress(done, total)` in records may return false to
// stop (kAborted). `min_behind`: a sidecar fewer changes behind than this stays (readers make up for
// them). `segment_rows` of new segments: at most the default. COST: memory for the segments written, about 10 bytes a value; one write transaction at the
// end. ERRORS: of the store; kAborted "columnar-raced" when another process wrote the same sidecar.
Result<ColumnarBuild> BuildColumnar(const Catalog& catalog, std::string_view table, ItemStore& store,
                                    std::uint64_t min_behind,
                                    const std::function<bool(std::uint64_t, std::uint64_t)>& progress,
                                    std::size_t segment_rows = kColumnarSegmentRows);

// Compares every sidecar that queries would use with the rows, value by value. Findings:
// "columnar-differs" (error), "columnar-damaged". COST: one read of the object.
Result<std::vector<Issue>> CheckColumnar(const Catalog& catalog, const ReadSnapshot& snapshot);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_COLUMNAR_BUILD_H_
