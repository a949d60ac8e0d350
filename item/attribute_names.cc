// AttributeNames: an append-only list of names and an insert-only hash table over it.
//
// IMPLEMENTATION. Names sit in chunks that never move; a name is written before its number is
// published with release order, so a reader that sees the number sees the name. The hash table has
// open addressing over atomic slots {tag, id}; slots only ever go from empty to full. A full table
// is replaced by one of twice the size; the old ones stay until the end (together they are smaller
// than the current one) because readers may still walk them. Readers take no lock and write
// nothing. Tested by tests/item/attribute_names_test.cc, also under ThreadSanitizer.

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "item/item.h"

namespace tablecast {
namespace {

constexpr std::size_t kChunkNames = 256;
constexpr std::size_t kChunks = 256;
constexpr std::size_t kMaxNames = 65535;  // ids 0..65534; 65535 is kNone
constexpr std::size_t kFirstSlots = 64;
constexpr std::uint32_t kEmptySlot = 0xFFFFFFFFU;  // its id half is kNone

using Chunk = std::array<std::string, kChunkNames>;

struct SlotTable {
  explicit SlotTable(std::size_t size) : mask(size - 1), slots(size) {
    for (auto& slot : slots) slot.store(kEmptySlot, std::memory_order_relaxed);
  }
  std::size_t mask;
  std::vector<std::atomic<std::uint32_t>> slots;
};

std::uint32_t SlotOf(std::size_t hash, AttributeNames::Id id) {
  return static_cast<std::uint32_t>(hash >> 48U) << 16U | id;
}

void Insert(SlotTable& table, std::size_t hash, AttributeNames::Id id) {
  std::size_t at = hash & table.mask;
  while (table.slots[at].load(std::memory_order_relaxed) != kEmptySlot) at = (at + 1) & table.mask;
  table.slots[at].store(SlotOf(hash, id), std::memory_order_release);
}

}  // namespace

struct AttributeNames::State {
  std::atomic<std::size_t> count{0};
  std::array<std::atomic<Chunk*>, kChunks> chunks{};
  std::atomic<SlotTable*> table{nullptr};

  std::mutex writing;
  std::vector<std::unique_ptr<Chunk>> owned_chunks;
  std::vector<std::unique_ptr<SlotTable>> owned_tables;
};

AttributeNames::AttributeNames() : state_(std::make_unique<State>()) {
  state_->owned_tables.push_back(std::make_unique<SlotTable>(kFirstSlots));
  state_->table.store(state_->owned_tables.back().get(), std::memory_order_release);
}

AttributeNames::~AttributeNames() = default;

AttributeNames::Id AttributeNames::Find(std::string_view name) const {
  const std::size_t hash = std::hash<std::string_view>{}(name);
  const SlotTable& table = *state_->table.load(std::memory_order_acquire);
  const auto tag = static_cast<std::uint32_t>(hash >> 48U);
  for (std::size_t at = hash & table.mask;; at = (at + 1) & table.mask) {
    const std::uint32_t slot = table.slots[at].load(std::memory_order_acquire);
    if (slot == kEmptySlot) return kNone;
    if (slot >> 16U != tag) continue;
    const std::size_t id = slot & 0xFFFFU;
    const Chunk& chunk = *state_->chunks[id / kChunkNames].load(std::memory_order_acquire);
    if (chunk[id % kChunkNames] == name) return static_cast<Id>(id);
  }
}

std::string_view AttributeNames::Name(Id id) const {
  if (id >= state_->count.load(std::memory_order_acquire)) return {};
  return (*state_->chunks[id / kChunkNames].load(std::memory_order_acquire))[id % kChunkNames];
}

std::size_t AttributeNames::size() const { return state_->count.load(std::memory_order_acquire); }

Result<AttributeNames::Id> AttributeNames::Intern(std::string_view name) {
  if (const Id known = Find(name); known != kNone) return known;
  const std::lock_guard lock(state_->writing);
  if (const Id known = Find(name); known != kNone) return known;  // another writer was first
  const std::size_t count = state_->count.load(std::memory_order_relaxed);
  if (count == kMaxNames) {
    return MakeError(ErrorCode::kResourceExhausted, "too-many-attribute-names",
                     "a table holds at most 65,535 different attribute names", std::string(name));
  }
  if (count % kChunkNames == 0) {
    state_->owned_chunks.push_back(std::make_unique<Chunk>());
    state_->chunks[count / kChunkNames].store(state_->owned_chunks.back().get(),
                                              std::memory_order_release);
  }
  const auto id = static_cast<Id>(count);
  (*state_->owned_chunks.back())[count % kChunkNames] = name;
  state_->count.store(count + 1, std::memory_order_release);

  const SlotTable& table = *state_->table.load(std::memory_order_relaxed);
  if (2 * (count + 1) > table.slots.size()) {  // at most half full: short probes
    auto larger = std::make_unique<SlotTable>(2 * table.slots.size());
    for (std::size_t i = 0; i <= count; ++i) {
      const auto known = static_cast<Id>(i);
      Insert(*larger, std::hash<std::string_view>{}(Name(known)), known);
    }
    state_->owned_tables.push_back(std::move(larger));
    state_->table.store(state_->owned_tables.back().get(), std::memory_order_release);
  } else {
    Insert(*state_->owned_tables.back(), std::hash<std::string_view>{}(name), id);
  }
  return id;
}

}  // namespace tablecast
