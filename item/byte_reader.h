#ifndef TABLECAST_ITEM_BYTE_READER_H_
#define TABLECAST_ITEM_BYTE_READER_H_

// Bounds-checked reading of stored bytes, and the little-endian and variable-length integers in
// them. Private to item/. Loads are assembled from bytes: stored bytes are not aligned, and
// compilers turn this into one load where the machine allows it.

#include <cstdint>
#include <string>
#include <string_view>

namespace tablecast::internal {

inline std::uint32_t ByteAt(const char* p) { return static_cast<unsigned char>(*p); }

inline std::uint32_t LoadU16(const char* p) { return ByteAt(p) | ByteAt(p + 1) << 8U; }

inline std::uint32_t LoadU32(const char* p) { return LoadU16(p) | LoadU16(p + 2) << 16U; }

// LEB128: seven bits a byte, lowest first, the high bit says that more follow.
inline std::size_t PutVarint(char* out, std::uint32_t value) {
  std::size_t size = 0;
  for (; value >= 0x80U; value >>= 7U) out[size++] = static_cast<char>(value | 0x80U);
  out[size++] = static_cast<char>(value);
  return size;
}
inline constexpr std::size_t kMaxVarintBytes = 5;

inline void AppendVarint(std::string& out, std::size_t value) {
  char bytes[kMaxVarintBytes];
  out.append(bytes, PutVarint(bytes, static_cast<std::uint32_t>(value)));
}

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
  std::string_view rest() const { return {at_, remaining()}; }

  bool ReadByte(std::uint32_t& value) {
    if (at_ == end_) return false;
    value = ByteAt(at_++);
    return true;
  }

  // Refuses more than 32 bits and forms longer than needed.
  bool ReadVarint(std::size_t& value) {
    std::uint64_t sum = 0;
    for (unsigned shift = 0; shift < 7 * kMaxVarintBytes; shift += 7) {
      std::uint32_t byte = 0;
      if (!ReadByte(byte)) return false;
      sum |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80U) {
        value = static_cast<std::size_t>(sum);
        return sum <= 0xFFFFFFFFU && (byte != 0 || shift == 0);
      }
    }
    return false;
  }

  bool ReadBytes(std::size_t size, std::string_view& bytes) {
    if (size > remaining()) return false;
    bytes = {at_, size};
    at_ += size;
    return true;
  }

 private:
  const char* at_;
  const char* end_;
};

}  // namespace tablecast::internal

#endif  // TABLECAST_ITEM_BYTE_READER_H_
