#ifndef TABLECAST_STORE_BYTE_CODEC_H_
#define TABLECAST_STORE_BYTE_CODEC_H_

// Integers and strings of the store's own records (tables, states, change log): big-endian fixed
// integers where order matters, LEB128 varints elsewhere. Reading is bounds-checked and latches.

#include <cstdint>
#include <string>
#include <string_view>

namespace tablecast {

template <class Unsigned>
void AppendBigEndian(std::string& out, Unsigned value) {
  for (int shift = static_cast<int>(sizeof(Unsigned) * 8) - 8; shift >= 0; shift -= 8) {
    out += static_cast<char>((static_cast<std::uint64_t>(value) >> static_cast<unsigned>(shift)) &
                             0xFFU);
  }
}

inline void AppendVarint(std::string& out, std::uint64_t value) {
  while (value >= 0x80U) {
    out += static_cast<char>((value & 0x7FU) | 0x80U);
    value >>= 7U;
  }
  out += static_cast<char>(value);
}

inline void AppendBytes(std::string& out, std::string_view bytes) {
  AppendVarint(out, bytes.size());
  out += bytes;
}

// Reads from the front of `bytes`. After a read beyond the end ok() is false and all values are 0.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class Unsigned>
  Unsigned BigEndian() {
    std::uint64_t value = 0;
    for (const char byte : Take(sizeof(Unsigned)))
      value = (value << 8U) | static_cast<unsigned char>(byte);
    return static_cast<Unsigned>(value);
  }
  std::uint8_t Byte() { return BigEndian<std::uint8_t>(); }
  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = Byte();
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if ((byte & 0x80U) == 0) return value;
    }
    ok_ = false;
    return 0;
  }
  std::string_view Bytes() { return Take(Varint()); }
  std::string_view Rest() { return Take(rest_.size()); }
  bool ok() const { return ok_; }
  // Everything read and nothing left over.
  bool Complete() const { return ok_ && rest_.empty(); }

 private:
  std::string_view Take(std::uint64_t count) {
    if (!ok_ || count > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace tablecast

#endif  // TABLECAST_STORE_BYTE_CODEC_H_
