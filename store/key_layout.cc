#include "store/key_layout.h"

#include "store/byte_codec.h"

namespace tablecast {

std::string KindPrefix(RecordKind kind) { return std::string(1, static_cast<char>(kind)); }

std::string TablePrefix(RecordKind kind, TableId table) {
  std::string out = KindPrefix(kind);
  AppendBigEndian(out, table);
  return out;
}

std::string IndexPrefix(RecordKind kind, TableId table, IndexId index) {
  std::string out = TablePrefix(kind, table);
  AppendBigEndian(out, index);
  return out;
}

std::string BucketPrefix(BucketId bucket) {
  std::string out = KindPrefix(RecordKind::kBucket);
  AppendBigEndian(out, bucket);
  return out;
}

std::string HeaderKey(char field) { return KindPrefix(RecordKind::kHeader) + field; }

std::string TableKey(std::string_view table_name) {
  return KindPrefix(RecordKind::kTable).append(table_name);
}

std::string NameKey(TableId table, std::uint16_t attribute) {
  std::string out = TablePrefix(RecordKind::kName, table);
  AppendBigEndian(out, attribute);
  return out;
}

std::string ChangeKey(TableId table, std::uint64_t sequence) {
  std::string out = TablePrefix(RecordKind::kChange, table);
  AppendBigEndian(out, sequence);
  return out;
}

std::optional<std::string> PrefixEnd(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty()) {
    const auto last = static_cast<unsigned char>(end.back());
    if (last != 0xFFU) {
      end.back() = static_cast<char>(last + 1U);
      return end;
    }
    end.pop_back();
  }
  return std::nullopt;
}

void AppendEscaped(std::string& out, std::string_view bytes) {
  for (;;) {
    const std::size_t zero = bytes.find('\0');
    out += bytes.substr(0, zero);
    if (zero == std::string_view::npos) return;
    out.append("\x00\xFF", 2);
    bytes.remove_prefix(zero + 1);
  }
}

void AppendEscapedClosed(std::string& out, std::string_view bytes) {
  AppendEscaped(out, bytes);
  out.append("\x00\x01", 2);
}

std::size_t EscapedLength(std::string_view bytes) {
  std::size_t at = 0;
  for (;;) {
    at = bytes.find('\0', at);
    if (at == std::string_view::npos || at + 1 >= bytes.size()) return 0;
    if (bytes[at + 1] == '\x01') return at + 2;
    if (bytes[at + 1] != '\xFF') return 0;
    at += 2;
  }
}

std::string_view Unescape(std::string_view closed, std::string& scratch) {
  std::string_view escaped = closed.substr(0, closed.size() - 2);
  std::size_t zero = escaped.find('\0');
  if (zero == std::string_view::npos) return escaped;
  scratch.clear();
  for (; zero != std::string_view::npos; zero = escaped.find('\0')) {
    scratch += escaped.substr(0, zero + 1);
    escaped.remove_prefix(zero + 2);
  }
  scratch += escaped;
  return scratch;
}

}  // namespace tablecast
