#ifndef TABLECAST_STORE_KEY_LAYOUT_H_
#define TABLECAST_STORE_KEY_LAYOUT_H_

// Where the records of the embedded store live in LMDB's one key order: a kind byte, the number of
// the table, of the index where there is one, then the record's own key. docs/format.md has the
// table.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tablecast {

using TableId = std::uint16_t;
using IndexId = std::uint32_t;   // secondary and derived indexes of a table share one counter
using BucketId = std::uint32_t;  // see key_space.h

// On disk, never renumber. Items have the greatest kind, so that the items of the newest table are
// the end of the file and a bulk load can append.
enum class RecordKind : std::uint8_t {
  kHeader = 0x01,      // + field letter
  kMeta = 0x02,        // + name, in a key space
  kTable = 0x03,       // + table name
  kTableState = 0x04,  // + table
  kName = 0x05,        // + table, attribute id
  kGarbage = 0x06,     // + prefix whose records are to be removed
  kChange = 0x07,      // + table, sequence
  kSecondary = 0x08,   // + table, index, entry key, in a key space
  kDerived = 0x09,     // + table, index, entry key, in a key space
  kBucket = 0x0A,      // + bucket, rest of a long key
  kItem = 0x10,        // + table, item key, in a key space
};

std::string KindPrefix(RecordKind kind);
std::string TablePrefix(RecordKind kind, TableId table);
std::string IndexPrefix(RecordKind kind, TableId table, IndexId index);
std::string BucketPrefix(BucketId bucket);

std::string HeaderKey(char field);
std::string TableKey(std::string_view table_name);
std::string NameKey(TableId table, std::uint16_t attribute);
std::string ChangeKey(TableId table, std::uint64_t sequence);

// The first byte string behind every string that starts with `prefix`; nullopt when there is none
// (`prefix` is empty or all FF).
std::optional<std::string> PrefixEnd(std::string_view prefix);

// Order-preserving, self-delimiting form of bytes inside a compound key: 00 -> 00 FF, closed by 00
// 01.
void AppendEscaped(std::string& out, std::string_view bytes);        // without the close
void AppendEscapedClosed(std::string& out, std::string_view bytes);  // with it
// Length of the closed form at the start of `bytes`, close included; 0 when it does not end.
std::size_t EscapedLength(std::string_view bytes);
// The bytes themselves; `closed` is one whole closed form. Uses `scratch` only when there was a 00.
std::string_view Unescape(std::string_view closed, std::string& scratch);

}  // namespace tablecast

#endif  // TABLECAST_STORE_KEY_LAYOUT_H_
