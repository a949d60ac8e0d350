#ifndef TABLECAST_CONNECTOR_CONTENT_HASH_H_
#define TABLECAST_CONNECTOR_CONTENT_HASH_H_

// A 128-bit hash of bytes and of items. Not for security: it names a content (weak ETags, GUIDs of
// records). Equal items hash equally in every store, on every machine, in every release.

#include <cstdint>
#include <string>
#include <string_view>

namespace tablecast {

class ContentHasher {
 public:
  // Adds one field; its length counts, so ("ab","c") differs from ("a","bc").
  void Add(std::string_view bytes);
  std::uint64_t high() const { return high_; }
  std::uint64_t low() const { return low_; }
  std::string Hex() const;  // 32 digits

 private:
  std::uint64_t high_ = 0x9E3779B97F4A7C15ULL;
  std::uint64_t low_ = 0xC2B2AE3D27D4EB4FULL;
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_CONTENT_HASH_H_
