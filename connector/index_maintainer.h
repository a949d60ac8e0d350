#ifndef TABLECAST_CONNECTOR_INDEX_MAINTAINER_H_
#define TABLECAST_CONNECTOR_INDEX_MAINTAINER_H_

// The derived indexes of one table: for each external object over it the membership index, its
// declared indexes and its GUID index. SOURCE: docs/architecture.md; store/maintainer.h.
//
// Membership: order empty (so entries sort by item key); for embedded objects one entry per
// element, order = item key and element number, payload = element number (4 bytes, big-endian).
// Declared: order = AppendOrderedEdm of each part, for embedded objects the element number behind
// it; payload empty, or the element number. GUID: order = the 36 characters; payload as above.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "connector/external_object.h"
#include "connector/item_record.h"
#include "store/maintainer.h"

namespace tablecast {

// Appends the order bytes of a declared index for a record.
void AppendIndexOrder(std::string& out, const ItemRecord& record, const DeclaredIndex& index);
std::string ElementPayload(std::uint32_t element);
// ERRORS: nullopt unless the payload is an element number.
std::optional<std::uint32_t> ElementOfPayload(std::string_view payload);

class CatalogIndexMaintainer final : public IndexMaintainer {
 public:
  // BORROWS the objects: the catalog that owns both outlives it, held by `owner`.
  CatalogIndexMaintainer(std::vector<const ExternalObject*> objects,
                         std::vector<DerivedIndex> indexes, std::shared_ptr<const void> owner);
  ~CatalogIndexMaintainer() override;

  const std::vector<DerivedIndex>& indexes() const override { return indexes_; }
  void Entries(const ItemView& item, IndexEntrySink& sink) const override;

 private:
  // Readers resolve attribute names, so they fit one state of the table's names.
  struct Readers;
  std::unique_ptr<Readers> Take(const ItemView& item) const;
  void GiveBack(std::unique_ptr<Readers> readers) const;

  std::vector<const ExternalObject*> objects_;
  std::vector<DerivedIndex> indexes_;
  std::shared_ptr<const void> owner_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Readers>> idle_;  // guarded by mutex_
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_INDEX_MAINTAINER_H_
