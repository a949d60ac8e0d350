#ifndef TABLECAST_BENCH_RAW_SCAN_H_
#define TABLECAST_BENCH_RAW_SCAN_H_

// The floor that benchmarks of the store measure against.

#include <lmdb.h>

#include <cstddef>
#include <string>

namespace tablecast::bench {

// A cursor over every record of the file from `first` on, lengths only. UNITS: bytes of keys and values.
inline std::size_t RawScan(MDB_env* env, std::string first = {}) {
  MDB_txn* txn = nullptr;
  if (mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn) != 0) return 0;
  MDB_dbi dbi = 0;
  std::size_t bytes = 0;
  if (mdb_dbi_open(txn, nullptr, 0, &dbi) == 0) {
    MDB_cursor* cursor = nullptr;
    mdb_cursor_open(txn, dbi, &cursor);
    MDB_val key{first.size(), first.data()};
    MDB_val value;
    for (int rc = mdb_cursor_get(cursor, &key, &value, first.empty() ? MDB_FIRST : MDB_SET_RANGE); rc == 0;
         rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
      bytes += key.mv_size + value.mv_size;
    }
    mdb_cursor_close(cursor);
  }
  mdb_txn_abort(txn);
  return bytes;
}

}  // namespace tablecast::bench

#endif  // TABLECAST_BENCH_RAW_SCAN_H_
