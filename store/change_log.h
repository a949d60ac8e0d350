#ifndef TABLECAST_STORE_CHANGE_LOG_H_
#define TABLECAST_STORE_CHANGE_LOG_H_

// The bounded log of changes of each table: key and old image of every change, numbered by the
// table's change sequence, written in the transaction of the change itself. Derived indexes that
// fell behind catch up from it, and delta links are answered from it.

#include <cstdint>

#include "base/result.h"
#include "store/lmdb_env.h"
#include "store/table_record.h"

namespace tablecast {

struct ChangeLogLimits {
  std::uint64_t max_entries = 100'000;                 // per table
  std::uint64_t max_bytes = std::uint64_t{64} << 20U;  // per table, of keys and old images
};

// Writes the change with number state.sequence + 1 and drops the oldest beyond the limits. The
// caller advances state.sequence afterwards.
Status AppendChange(WriteTxn& txn, const TableRecord& table, TableState& state,
                    const ChangeLogLimits& limits, const ChangeRecord& change);
// Drops all changes; the log then starts behind state.sequence.
Status ClearChanges(WriteTxn& txn, const TableRecord& table, TableState& state);

}  // namespace tablecast

#endif  // TABLECAST_STORE_CHANGE_LOG_H_
