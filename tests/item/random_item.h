#ifndef TABLECAST_TESTS_ITEM_RANDOM_ITEM_H_
#define TABLECAST_TESTS_ITEM_RANDOM_ITEM_H_

// Random items of DynamoDB's data model, shaped to hurt: NUL and 0xFF bytes, shared prefixes, empty
// collections, numbers at the edges. The same seed gives the same items on every platform.

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "item/item.h"

namespace tablecast {

class RandomItems {
 public:
  explicit RandomItems(unsigned seed) : random_(seed) {}

  std::size_t Below(std::size_t limit) { return random_() % limit; }

  std::string Bytes(std::size_t max_size) {
    static constexpr char kNasty[] = {'\0', '\x01', '\x02', 'a', 'b', '\x7F', '\xFE', '\xFF'};
    std::string out(Below(max_size + 1), 'a');
    for (char& c : out) c = Below(4) == 0 ? static_cast<char>(Below(256)) : kNasty[Below(8)];
    return out;
  }

  std::string Text(std::size_t max_code_points) {
    static constexpr const char* kPieces[] = {
        "", "a", "b", "Z", " ", "\"", "\\", "\n", "\xC3\xA9", "\xEF\xBF\xBF", "\xF0\x9F\x98\x80"};
    std::string out;
    for (std::size_t i = Below(max_code_points + 1); i > 0; --i) {
      const std::size_t piece = Below(11);
      if (piece == 0) {
        out += '\0';
      } else {
        out += kPieces[piece];
      }
    }
    return out;
  }

  std::string NumberCode() {
    std::string text = Below(2) == 0 ? "-" : "";
    const std::size_t digits = Below(3) == 0 ? 38 : 1 + Below(6);
    for (std::size_t i = 0; i < digits; ++i) text += static_cast<char>('0' + Below(10));
    const int exponent =
        Below(3) == 0 ? static_cast<int>(Below(200)) - 112 : static_cast<int>(Below(8)) - 4;
    return EncodeNumberText(text + "e" + std::to_string(exponent)).value();
  }

  AttributeValue Value(int depth) {
    switch (Below(depth > 0 ? 10 : 8)) {
      case 0: return AttributeValue::String(Text(30));
      case 1: return AttributeValue::NumberFromCode(NumberCode());
      case 2: return AttributeValue::Binary(Bytes(40));
      case 3: return AttributeValue::Bool(Below(2) == 0);
      case 4: return AttributeValue::Null();
      case 5: return RandomSet(AttributeType::kSS);
      case 6: return RandomSet(AttributeType::kNS);
      case 7: return RandomSet(AttributeType::kBS);
      case 8: {
        AttributeValue::List list;
        for (std::size_t i = Below(5); i > 0; --i) list.push_back(Value(depth - 1));
        return AttributeValue::ListOf(std::move(list));
      }
      default: {
        AttributeValue::Map map;
        for (std::size_t i = Below(5); i > 0; --i) map.insert_or_assign(Text(6), Value(depth - 1));
        return AttributeValue::MapOf(std::move(map));
      }
    }
  }

  // A key value of the type, within the size limits.
  AttributeValue Key(AttributeType type, std::size_t max_size) {
    if (type == AttributeType::kN) return AttributeValue::NumberFromCode(NumberCode());
    const std::size_t size = Below(8) == 0 ? max_size : 6;
    std::string bytes = Bytes(size);
    if (bytes.empty()) bytes = std::string(1, static_cast<char>(Below(2) * 255));
    // Text keys take any bytes here: order and codec work on bytes alone.
    return type == AttributeType::kS ? AttributeValue::String(std::move(bytes))
                                     : AttributeValue::Binary(std::move(bytes));
  }

  Item MakeItem(const TableSchema& schema, std::size_t max_attributes) {
    Item item;
    for (std::size_t i = Below(max_attributes + 1); i > 0; --i) {
      item.insert_or_assign("attribute" + std::to_string(Below(300)), Value(4));
    }
    item.insert_or_assign(schema.key.partition.name,
                          Key(schema.key.partition.type, kMaxPartitionKeyBytes));
    if (schema.key.sort) {
      item.insert_or_assign(schema.key.sort->name, Key(schema.key.sort->type, kMaxSortKeyBytes));
    }
    return item;
  }

 private:
  AttributeValue RandomSet(AttributeType type) {
    AttributeValue::Set elements;
    for (std::size_t i = 1 + Below(4); i > 0; --i) {
      elements.push_back(type == AttributeType::kNS   ? NumberCode()
                         : type == AttributeType::kBS ? Bytes(20)
                                                      : Text(20));
    }
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    return AttributeValue::SetOf(type, std::move(elements)).value();
  }

  std::mt19937 random_;
};

}  // namespace tablecast

#endif  // TABLECAST_TESTS_ITEM_RANDOM_ITEM_H_
