#include "connector/index_maintainer.h"

#include "item/item_codec.h"

namespace tablecast {

struct CatalogIndexMaintainer::Readers {
  const TableSchema* schema;
  const AttributeNames* names;
  std::size_t names_known;
  std::vector<std::unique_ptr<ItemRecord>> records;
};

void AppendIndexOrder(std::string& out, const ItemRecord& record, const DeclaredIndex& index) {
  for (const DeclaredIndex::Part& part : index.parts) {
    AppendOrderedEdm(out, record.Value(record.object().fields()[part.field]), part.descending);
  }
}

std::string ElementPayload(std::uint32_t element) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += static_cast<char>((element >> static_cast<unsigned>(shift)) & 0xFFU);
  }
  return out;
}

std::optional<std::uint32_t> ElementOfPayload(std::string_view payload) {
  if (payload.size() != 4) return std::nullopt;
  std::uint32_t element = 0;
  for (const char c : payload) element = (element << 8U) | static_cast<unsigned char>(c);
  return element;
}

CatalogIndexMaintainer::CatalogIndexMaintainer(std::vector<const ExternalObject*> objects,
                                               std::vector<DerivedIndex> indexes,
                                               std::shared_ptr<const void> owner)
    : objects_(std::move(objects)), indexes_(std::move(indexes)), owner_(std::move(owner)) {}

CatalogIndexMaintainer::~CatalogIndexMaintainer() = default;

std::unique_ptr<CatalogIndexMaintainer::Readers> CatalogIndexMaintainer::Take(
    const ItemView& item) const {
  {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty()) {
      std::unique_ptr<Readers> readers = std::move(idle_.back());
      idle_.pop_back();
      const bool fits = readers->schema == &item.schema() && readers->names == &item.names() &&
                        readers->names_known == item.names().size();
      if (fits) return readers;
    }
  }
  auto readers = std::make_unique<Readers>();
  readers->schema = &item.schema();
  readers->names = &item.names();
  readers->names_known = item.names().size();
  for (const ExternalObject* object : objects_) {
    readers->records.push_back(
        std::make_unique<ItemRecord>(*object, item.schema(), item.names(), Timestamp{}));
  }
  return readers;
}

void CatalogIndexMaintainer::GiveBack(std::unique_ptr<Readers> readers) const {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < 8) idle_.push_back(std::move(readers));
}

void CatalogIndexMaintainer::Entries(const ItemView& item, IndexEntrySink& sink) const {
  std::unique_ptr<Readers> readers = Take(item);
  std::string order;
  const auto add = [&](const ExternalObject& object, ItemRecord& record, std::string_view payload) {
    order.clear();
    if (object.embedded() != nullptr) {
      AppendOrderedScalar(order, AttributeView(AttributeType::kB, item.key_bytes()));
      order += payload;
    }
    // Clustered: the entry holds the record, so that reading the members reads one run of pages.
    const bool clustered = object.options().clustered && object.embedded() == nullptr;
    sink.Add(object.membership_maintainer_index(), order,
             clustered ? record.item().record_bytes() : payload);
    for (const DeclaredIndex& index : object.indexes()) {
      order.clear();
      AppendIndexOrder(order, record, index);
      order += payload;  // elements of one item keep apart
      sink.Add(index.maintainer_index, order, payload);
    }
    if (object.guid_index() != nullptr) {
      sink.Add(object.guid_maintainer_index(), record.Value(object.fields().back()).text(),
               payload);
    }
  };
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    ItemRecord& record = *readers->records[i];
    record.Reset(item);
    if (!record.Belongs()) continue;
    if (objects_[i]->embedded() == nullptr) {
      add(*objects_[i], record, {});
      continue;
    }
    const std::uint32_t count = record.ElementCount();
    for (std::uint32_t element = 0; element < count; ++element) {
      record.SetElement(element);
      add(*objects_[i], record, ElementPayload(element));
    }
  }
  GiveBack(std::move(readers));
}

}  // namespace tablecast
