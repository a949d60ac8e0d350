#ifndef TABLECAST_TESTS_QUALIFIERS_TEST_ROW_H_
#define TABLECAST_TESTS_QUALIFIERS_TEST_ROW_H_

// A Row over a list of optional values, one per slot: what predicate tests look at.

#include <optional>
#include <string>
#include <vector>

#include "item/item_codec.h"
#include "item/row.h"

namespace tablecast {

class TestRow final : public Row {
 public:
  explicit TestRow(const std::vector<std::optional<AttributeValue>>& values) {
    for (const auto& value : values) {
      payloads_.emplace_back();
      types_.push_back(value ? std::optional(value->type()) : std::nullopt);
      if (value) AppendPayload(payloads_.back(), *value);
    }
  }
  AttributeView Get(Slot slot) const override {
    if (!types_[slot]) return {};
    return {*types_[slot], payloads_[slot]};
  }

 private:
  std::vector<std::string> payloads_;
  std::vector<std::optional<AttributeType>> types_;
};

}  // namespace tablecast

#endif  // TABLECAST_TESTS_QUALIFIERS_TEST_ROW_H_
