// Stored bytes of any content: never a read out of bounds, kDataLoss or a proper item. The input is
// {schema (1 byte), key length (1 byte), key, record}.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "item/item_codec.h"

namespace {

using namespace tablecast;  // NOLINT(google-build-using-namespace)

void Require(bool condition) {
  if (!condition) std::abort();
}

void ReadAll(const AttributeView& view, int depth) {
  if (!view.present() || depth == 0) return;
  Require(ElementCount(view) <= view.payload().size());
  MapMember(view, "a");
  ListElement(view, 1);
  if (view.Is(AttributeType::kN)) NumberText(view.payload());
  ForEachElement(view, [&](std::string_view, const AttributeView& element) {
    ReadAll(element, depth - 1);
    return true;
  });
}

TableSchema SchemaOf(unsigned choice) {
  constexpr AttributeType kTypes[] = {AttributeType::kS, AttributeType::kN, AttributeType::kB};
  TableSchema schema{"fuzz", {{"pk", kTypes[choice % 3]}, std::nullopt}, {}};
  if (choice / 3 % 4 != 3) schema.key.sort = KeyColumn{"sk", kTypes[choice / 3 % 4]};
  return schema;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const TableSchema schema = SchemaOf(data[0]);
  const std::string_view rest = bytes.substr(2);
  const std::string_view key = rest.substr(0, data[1]);
  const std::string_view record = rest.substr(key.size());

  AttributeNames names;
  for (const char* name : {"a", "b", "c", "d"}) Require(names.Intern(name).ok());
  const ItemView view(schema, names, key, record);
  for (std::size_t i = 0; i < view.AttributeCount(); ++i) ReadAll(view.AttributeAt(i).value, 8);
  for (const char* name : {"pk", "sk", "a", "d", "x"}) ReadAll(view.Find(name), 8);

  const auto item = view.ToItem();
  if (!item.ok()) {
    Require(item.error().code == ErrorCode::kDataLoss);
    return 0;
  }
  const std::string again = EncodeRecord(schema, *item, names).value();
  Require(ItemView(schema, names, key, again).ToItem().value() == *item);
  if (const auto encoded = EncodeKey(schema, view.ToKey().value()); encoded.ok()) {
    Require(*encoded == key);
  }
  return 0;
}
