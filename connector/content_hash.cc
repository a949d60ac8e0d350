#include "connector/content_hash.h"

#include <bit>
#include <cstring>

#include "connector/query_engine.h"
#include "item/item_codec.h"

namespace tablecast {
namespace {

// The finalizer of MurmurHash3 (public domain, Austin Appleby): every input bit reaches every
// output bit.
std::uint64_t Mix(std::uint64_t value) {
  value ^= value >> 33U;
  value *= 0xFF51AFD7ED558CCDULL;
  value ^= value >> 33U;
  value *= 0xC4CEB9FE1A85EC53ULL;
  return value ^ (value >> 33U);
}

// Little-endian on every machine.
std::uint64_t Word(const char* bytes, std::size_t count) {
  std::uint64_t out = 0;
  if constexpr (std::endian::native == std::endian::little) {
    if (count == sizeof out) {
      std::memcpy(&out, bytes, sizeof out);
      return out;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    out |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return out;
}

std::string ToHex(std::uint64_t high, std::uint64_t low) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(32, '0');
  for (std::size_t i = 0; i < 16; ++i) {
    out[15 - i] = kDigits[(high >> (4 * i)) & 15U];
    out[31 - i] = kDigits[(low >> (4 * i)) & 15U];
  }
  return out;
}

// Attributes are summed, so that the order in which a record holds them does not matter.
struct Sum {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  void Add(std::string_view name, AttributeType type, std::string_view payload) {
    ContentHasher hasher;
    hasher.Add(name);
    const char letter = static_cast<char>(type);
    hasher.Add({&letter, 1});
    hasher.Add(payload);
    high += hasher.high();
    low += hasher.low();
  }
};

}  // namespace

void ContentHasher::Add(std::string_view bytes) {
  std::uint64_t a = high_ ^ bytes.size();
  std::uint64_t b = low_;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t count = bytes.size() - at < 8 ? bytes.size() - at : 8;
    const std::uint64_t word = Word(bytes.data() + at, count);
    a = Mix(a ^ word) + b;
    b = (b ^ (word * 0x9FB21C651E98DF25ULL)) * 0xD6E8FEB86659FD93ULL;
    b ^= b >> 32U;
    at += count;
  }
  high_ = Mix(a);
  low_ = Mix(b ^ high_);
}

std::string ContentHasher::Hex() const { return ToHex(high_, low_); }

std::string ContentHash(const ItemView& item) {
  Sum sum;
  const TableSchema& schema = item.schema();
  sum.Add(schema.key.partition.name, item.partition().type(), item.partition().payload());
  if (schema.key.sort && item.sort().present()) {
    sum.Add(schema.key.sort->name, item.sort().type(), item.sort().payload());
  }
  for (std::size_t i = 0; i < item.AttributeCount(); ++i) {
    const ItemView::Attribute attribute = item.AttributeAt(i);
    sum.Add(item.names().Name(attribute.id), attribute.value.type(), attribute.value.payload());
  }
  return ToHex(Mix(sum.high), Mix(sum.low));
}

std::string ContentHash(const TableSchema&, const Item& item) {
  Sum sum;
  std::string payload;
  for (const auto& [name, value] : item) {
    payload.clear();
    AppendPayload(payload, value);
    sum.Add(name, value.type(), payload);
  }
  return ToHex(Mix(sum.high), Mix(sum.low));
}

}  // namespace tablecast
