// Text of any content as an item: refused with a reason, or an item that survives printing.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "item/item_json.h"

namespace {

using namespace tablecast;  // NOLINT(google-build-using-namespace)

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckItem(const Result<Item>& item) {
  if (!item.ok()) {
    Require(item.error().code == ErrorCode::kInvalidArgument && !item.error().reason.empty());
    return;
  }
  std::string text;
  JsonWriter json(text);
  WriteDynamoDbJson(json, *item);
  const auto again = ParseJson(text, {.max_depth = 1000});
  Require(again.ok());
  Require(ItemFromDynamoDbJson(*again).value() == *item);
  ItemSize(*item);

  std::string plain;
  JsonWriter plain_json(plain);
  WritePlainJson(plain_json, *item);
  Require(ParseJson(plain, {.max_depth = 1000}).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = ParseJson({reinterpret_cast<const char*>(data), size});
  if (!json.ok()) return 0;
  CheckItem(ItemFromDynamoDbJson(*json));
  std::vector<Issue> warnings;
  CheckItem(ItemFromDynamoDbJson(*json, {.tolerant = true}, &warnings));
  CheckItem(ItemFromPlainJson(*json));
  return 0;
}
