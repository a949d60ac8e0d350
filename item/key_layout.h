#ifndef TABLECAST_ITEM_KEY_LAYOUT_H_
#define TABLECAST_ITEM_KEY_LAYOUT_H_

// Taking encoded keys apart, shared by the key codec and ItemView. Private to item/.

#include <cstdint>
#include <string>
#include <string_view>

#include "item/attribute_value.h"

namespace tablecast::internal {

// The two parts of an encoded key.
struct KeyParts {
  std::string_view partition;  // number code, or the escaped bytes without their end mark
  std::string_view sort;       // the rest
  bool escaped = false;        // `partition` contains 00 FF for 00
};

// False when the key has no well-formed partition part.
bool SplitKey(AttributeType partition_type, std::string_view key, KeyParts& parts);

void AppendEscaped(std::string& out, std::string_view bytes);

// Turns 00 FF back into 00. REQUIRES: well-formed, as SplitKey found it.
std::string Unescape(std::string_view bytes);

}  // namespace tablecast::internal

#endif  // TABLECAST_ITEM_KEY_LAYOUT_H_
