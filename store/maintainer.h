#ifndef TABLECAST_STORE_MAINTAINER_H_
#define TABLECAST_STORE_MAINTAINER_H_

// Derived indexes of a table: ordered entries that a maintainer computes from each item, kept by
// the store inside the same write transaction, with an exact count. The store knows no qualifier:
// what an entry means is the maintainer's business (membership of an object, a declared index,
// ...).

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "item/item.h"

namespace tablecast {

// `name` is unique within the table ("member/Orders", "index/Orders/0"). `fingerprint` identifies
// the definition: when it differs from the stored one the old entries are dropped and the index
// rebuilt.
struct DerivedIndex {
  std::string name;
  std::string fingerprint;
  bool operator==(const DerivedIndex&) const = default;
};

class IndexEntrySink {
 public:
  virtual ~IndexEntrySink() = default;
  // One entry of indexes()[index] for the item at hand: `order` sorts the entries (the item's key
  // is appended as tie-break by the store, cut rules of docs/format.md apply), `payload` is kept
  // beside it. One item has one entry per order in an index: of several with the same order the
  // last one stays.
  virtual void Add(std::size_t index, std::string_view order, std::string_view payload) = 0;
};

// Pure function of the item. THREAD: const calls from any thread.
class IndexMaintainer {
 public:
  virtual ~IndexMaintainer() = default;
  virtual const std::vector<DerivedIndex>& indexes() const = 0;
  // Adds the entries of one item to every index. Must not fail: an item it cannot judge has no
  // entry.
  virtual void Entries(const ItemView& item, IndexEntrySink& sink) const = 0;
};

}  // namespace tablecast

#endif  // TABLECAST_STORE_MAINTAINER_H_
