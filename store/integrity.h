#ifndef TABLECAST_STORE_INTEGRITY_H_
#define TABLECAST_STORE_INTEGRITY_H_

// What `tablecast doctor` checks and how a backup is verified: that every record of a durable store
// is accounted for, decodes, and agrees with the others.

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/lmdb_catalog.h"
#include "store/lmdb_env.h"
#include "store/maintainer.h"

namespace tablecast {

struct IntegrityReport {
  std::uint64_t tables = 0;
  std::uint64_t items = 0;
  std::uint64_t secondary_entries = 0;
  std::uint64_t derived_entries = 0;
  std::uint64_t changes = 0;
  std::uint64_t buckets = 0;  // of long keys
  std::uint64_t leftovers =
      0;  // records of dropped tables and indexes that are still to be removed
  // Severity kError: damage; target = the table. At most kMaxIssues, then one that says so.
  std::vector<Issue> issues;

  static constexpr std::size_t kMaxIssues = 100;
};

// Reads the whole store in one snapshot. Checks per table: item count and bytes; every key and
// record decodes; secondary indexes hold exactly the entries of the items; ready derived indexes
// too when `maintainer_of` knows the table's maintainer, else their counts; the change log is
// gapless and its bytes are counted; attribute names are dense. And of the store: every bucket is
// named once, no record is unaccounted for. COST: reads everything, two lookups per index entry. An
// open snapshot meanwhile pins pages. ERRORS: only when the store cannot be read at all; findings
// are in the report.
Result<IntegrityReport> CheckStoreIntegrity(
    const LmdbTxn& txn, const StoreDirectory& catalog,
    const std::function<std::shared_ptr<const IndexMaintainer>(std::string_view table)>&
        maintainer_of);

}  // namespace tablecast

#endif  // TABLECAST_STORE_INTEGRITY_H_
