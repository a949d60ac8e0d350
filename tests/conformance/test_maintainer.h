#ifndef TABLECAST_TESTS_CONFORMANCE_TEST_MAINTAINER_H_
#define TABLECAST_TESTS_CONFORMANCE_TEST_MAINTAINER_H_

#include <memory>
#include <string>
#include <vector>

#include "item/item_codec.h"
#include "store/maintainer.h"

namespace tablecast::testing {

// Three indexes over attributes `kind`, `score` and `tags`:
//   member   items that have a kind, in key order; payload = the kind
//   score    items by score (any scalar), those without one last seen as none
//   tags     one entry per element of the set tags; order = the element's bytes
class TestMaintainer final : public IndexMaintainer {
 public:
  explicit TestMaintainer(std::string fingerprint = "1")
      : indexes_{{"member", fingerprint}, {"score", fingerprint}, {"tags", fingerprint}} {}

  const std::vector<DerivedIndex>& indexes() const override { return indexes_; }
  const DerivedIndex& member() const { return indexes_[0]; }
  const DerivedIndex& score() const { return indexes_[1]; }
  const DerivedIndex& tags() const { return indexes_[2]; }

  void Entries(const ItemView& item, IndexEntrySink& sink) const override {
    if (const AttributeView kind = item.Find("kind"); kind.Is(AttributeType::kS))
      sink.Add(0, {}, kind.payload());
    if (const AttributeView score = item.Find("score"); score.present()) {
      std::string order;
      AppendOrderedScalar(order, score);
      sink.Add(1, order, {});
    }
    if (const AttributeView tags = item.Find("tags"); tags.Is(AttributeType::kSS)) {
      ForEachElement(tags, [&](std::string_view, const AttributeView& tag) {
        sink.Add(2, tag.payload(), "t");
        return true;
      });
    }
  }

 private:
  std::vector<DerivedIndex> indexes_;
};

}  // namespace tablecast::testing

#endif  // TABLECAST_TESTS_CONFORMANCE_TEST_MAINTAINER_H_
