#include "store/change_log.h"

#include <limits>

#include "store/key_layout.h"
#include "store/key_space.h"

namespace tablecast {

Status AppendChange(WriteTxn& txn, const TableRecord& table, TableState& state,
                    const ChangeLogLimits& limits, const ChangeRecord& change) {
  const std::uint64_t sequence = state.sequence + 1;
  const std::string value = EncodeChangeRecord(change);
  TABLECAST_RETURN_IF_ERROR(txn.Put(ChangeKey(table.id, sequence), value));
  state.log_bytes += value.size();
  while (state.log_first <= sequence && (sequence - state.log_first + 1 > limits.max_entries ||
                                         state.log_bytes > limits.max_bytes)) {
    const std::string oldest = ChangeKey(table.id, state.log_first);
    TABLECAST_ASSIGN_OR_RETURN(const auto stored, txn.Get(oldest));
    if (stored) {
      state.log_bytes -= stored->size();
      TABLECAST_RETURN_IF_ERROR(txn.Delete(oldest));
    }
    ++state.log_first;
  }
  return {};
}

Status ClearChanges(WriteTxn& txn, const TableRecord& table, TableState& state) {
  TABLECAST_RETURN_IF_ERROR(SpacePurge(txn, TablePrefix(RecordKind::kChange, table.id),
                                       std::numeric_limits<std::size_t>::max()));
  state.log_first = state.sequence + 1;
  state.log_bytes = 0;
  return {};
}

}  // namespace tablecast
