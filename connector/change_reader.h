#ifndef TABLECAST_CONNECTOR_CHANGE_READER_H_
#define TABLECAST_CONNECTOR_CHANGE_READER_H_

// What became of an object's records since a point in the table's change sequence: additions and changes as
// records, deletions and departures as external IDs. Feeds delta links.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "connector/object_query.h"
#include "connector/query_engine.h"

namespace tablecast {

struct RemovedRecord {
  std::string external_id;
  bool deleted = true;  // false: the item is there but left the object (or the filter)
};

struct ChangePage {
  ResultPage page;  // columns and records of what is there now
  std::vector<RemovedRecord> removed;
  std::uint64_t sequence = 0;  // everything up to here is told
  bool more = false;           // the limit was reached; go on from `sequence`
};

// The table's sequence now. ERRORS: kNotFound when the table is not there.
Result<std::uint64_t> CurrentSequence(const ItemStore& store, const ExternalObject& object);

// Changes strictly after `after`, at most about `limit` items. `query` gives filter, select and the object; its
// other options are ignored. ERRORS: kFailedPrecondition "change-log-expired" (HTTP 410).
Result<ChangePage> ReadChanges(const ItemStore& store, const QueryEngine& engine, const ObjectQuery& query,
                               std::uint64_t after, std::size_t limit, Timestamp now);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_CHANGE_READER_H_
