// Records and the view over them: EncodeRecord, ItemView, ItemRow, OwnedItemRow.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "item/item_codec.h"
#include "item/row.h"

namespace tablecast {
namespace {

AttributeValue S(std::string text) { return AttributeValue::String(std::move(text)); }
AttributeValue N(std::string_view text) { return AttributeValue::NumberFromText(text).value(); }
std::string Bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out += static_cast<char>(value);
  return out;
}

class ItemViewTest : public ::testing::Test {
 protected:
  struct Stored {
    std::string key;
    std::string record;
  };
  Stored Encode(const Item& item) {
    return {EncodeKey(schema_, KeyOf(schema_, item).value()).value(),
            EncodeRecord(schema_, item, names_).value()};
  }
  ItemView View(const Stored& stored) const {
    return ItemView(schema_, names_, stored.key, stored.record);
  }

  TableSchema schema_{"tab", {{"pk", AttributeType::kS}, KeyColumn{"sk", AttributeType::kN}}, {}};
  AttributeNames names_;
};

TEST_F(ItemViewTest, FindsKeyColumnsAndAttributes) {
  const Item item = {{"pk", S("p")},
                     {"sk", N("7")},
                     {"price", N("19.99")},
                     {"name", S("pen")},
                     {"gone", AttributeValue::Null()}};
  const Stored stored = Encode(item);
  const ItemView view = View(stored);
  EXPECT_EQ(view.Find("pk").payload(), "p");
  EXPECT_EQ(NumberText(view.Find("sk").payload()), "7");
  EXPECT_EQ(NumberText(view.Find("price").payload()), "19.99");
  EXPECT_EQ(view.Find("name").payload(), "pen");
  EXPECT_TRUE(view.Find("gone").Is(AttributeType::kNull));
  EXPECT_FALSE(view.Find("other").present());
  EXPECT_EQ(view.AttributeCount(), 3U);
  EXPECT_EQ(view.ToItem(), item);
  EXPECT_EQ(view.ToKey(), KeyOf(schema_, item).value());
}

TEST_F(ItemViewTest, RecordsHaveTheDocumentedBytes) {
  ASSERT_TRUE(names_.Intern("b").ok());
  ASSERT_TRUE(names_.Intern("a").ok());
  const Stored stored =
      Encode({{"pk", S("p")}, {"sk", N("7")}, {"a", S("xy")}, {"b", AttributeValue::Bool(true)}});
  EXPECT_EQ(stored.record, Bytes({1, 2,            // short, two attributes
                                  0, 2,            // b ends at 2
                                  1, 5,            // a ends at 5
                                  4, 1,            // BOOL true
                                  1, 'x', 'y'}));  // S "xy"
  const Stored bare = Encode({{"pk", S("p")}, {"sk", N("7")}});
  EXPECT_EQ(bare.record, Bytes({1, 0}));
  EXPECT_EQ(View(bare).AttributeCount(), 0U);
  EXPECT_FALSE(View(bare).FindById(0).present());
}

TEST_F(ItemViewTest, ValuesDecideTheForm) {
  struct Row {
    std::size_t value_bytes;
    int form;
  };
  const std::vector<Row> rows = {{254, 1},   {255, 1},   {256, 2},   {257, 2},   {65534, 2},
                                 {65535, 2}, {65536, 3}, {70000, 3}, {400000, 3}};
  for (const Row& row : rows) {
    // Value bytes: one type byte, the text, and two bytes for BOOL.
    const Item item = {{"pk", S("p")},
                       {"sk", N("7")},
                       {"big", S(std::string(row.value_bytes - 3, 'x'))},
                       {"flag", AttributeValue::Bool(true)}};
    const Stored stored = Encode(item);
    EXPECT_EQ(stored.record[0], row.form) << row.value_bytes;
    const ItemView view = View(stored);
    EXPECT_EQ(view.Find("big").payload().size(), row.value_bytes - 3);
    EXPECT_TRUE(view.Find("flag").AsBool());
    EXPECT_EQ(view.ToItem(), item);
  }
}

TEST_F(ItemViewTest, IdsDecideTheForm) {
  for (int i = 0; i < 255; ++i) ASSERT_TRUE(names_.Intern(std::to_string(i)).ok());
  const Item last_short = {{"pk", S("p")}, {"sk", N("7")}, {"number 255", AttributeValue::Null()}};
  const Item first_narrow = {
      {"pk", S("p")}, {"sk", N("7")}, {"number 256", AttributeValue::Null()}};
  EXPECT_EQ(Encode(last_short).record, Bytes({1, 1, 255, 1, 5}));
  EXPECT_EQ(Encode(first_narrow).record, Bytes({2, 1, 0, 0, 1, 1, 0, 5}));
  const Stored stored = Encode(first_narrow);
  EXPECT_EQ(View(stored).ToItem(), first_narrow);
}

TEST_F(ItemViewTest, SearchFindsEveryOneOfManyAttributes) {
  for (const int count : {1, 2, 3, 4, 7, 8, 9, 100, 1000}) {
    Item item = {{"pk", S("p")}, {"sk", N("7")}};
    for (int i = 0; i < count; ++i) item["even" + std::to_string(2 * i)] = N(std::to_string(i));
    for (int i = 0; i < count; ++i) ASSERT_TRUE(names_.Intern("odd" + std::to_string(i)).ok());
    const Stored stored = Encode(item);
    const ItemView view = View(stored);
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(NumberText(view.Find("even" + std::to_string(2 * i)).payload()), std::to_string(i));
      EXPECT_FALSE(view.Find("odd" + std::to_string(i)).present());
    }
    EXPECT_EQ(view.AttributeCount(), static_cast<std::size_t>(count));
    EXPECT_EQ(view.ToItem(), item);
  }
}

TEST_F(ItemViewTest, PartitionKeysWithNulAreUnescaped) {
  const Item item = {{"pk", S(std::string("a\0b", 3))}, {"sk", N("1")}};
  const Stored stored = Encode(item);
  const ItemView original = View(stored);
  const ItemView copy = original;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.partition().payload(), std::string("a\0b", 3));
  EXPECT_EQ(copy.ToItem(), item);
}

TEST_F(ItemViewTest, UnalignedBytesReadTheSame) {
  const Stored stored = Encode({{"pk", S("p")}, {"sk", N("7")}, {"a", S("x")}, {"b", N("12")}});
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const std::string room = std::string(shift, '#') + stored.record;
    const ItemView view(schema_, names_, stored.key, std::string_view(room).substr(shift));
    EXPECT_EQ(NumberText(view.Find("b").payload()), "12");
  }
}

TEST_F(ItemViewTest, DamagedRecordsAreDataLossAndReadAsAbsent) {
  const Stored good = Encode({{"pk", S("p")}, {"sk", N("7")}, {"a", S("xy")}, {"b", N("1")}});
  struct Row {
    const char* name;
    std::string record;
  };
  const std::vector<Row> rows = {
      {"empty", ""},
      {"no such form", Bytes({4, 0, 0})},
      {"form 0", Bytes({0, 0, 0})},
      {"directory beyond the bytes", Bytes({2, 255, 255})},
      {"end beyond the bytes", Bytes({2, 1, 0, 0, 0, 9, 0, 5})},
      {"end before begin", Bytes({1, 2, 0, 1, 1, 1, 5})},
      {"value type 0", Bytes({1, 1, 0, 1, 0})},
      {"value type 11", Bytes({1, 1, 0, 1, 11})},
      {"unknown number", Bytes({1, 1, 77, 1, 5})},
      {"numbers out of order", Bytes({1, 2, 1, 1, 0, 2, 5, 5})},
      {"number twice", Bytes({1, 2, 0, 1, 0, 2, 5, 5})},
      {"end beyond 16 bits", Bytes({3, 1, 0, 0, 0, 1, 0, 1, 0, 5})},
      {"header cut", Bytes({3, 0})},
      {"form alone", Bytes({1})},
      {"bytes behind the values", good.record + "x"},
  };
  for (const Row& row : rows) {
    const ItemView view(schema_, names_, good.key, row.record);
    const auto item = view.ToItem();
    ASSERT_FALSE(item.ok()) << row.name;
    EXPECT_EQ(item.error().code, ErrorCode::kDataLoss) << row.name;
  }
  EXPECT_FALSE(ItemView(schema_, names_, good.key, rows[4].record).FindById(0).present());
  EXPECT_FALSE(ItemView(schema_, names_, good.key, rows[5].record).FindById(1).present());
  EXPECT_FALSE(ItemView(schema_, names_, good.key, rows[6].record).FindById(0).present());
  EXPECT_EQ(ItemView(schema_, names_, good.key, "").AttributeCount(), 0U);
  EXPECT_FALSE(ItemView(schema_, names_, good.key, "").AttributeAt(0).value.present());
}

TEST_F(ItemViewTest, KeyColumnAmongTheAttributesIsDataLoss) {
  ASSERT_EQ(names_.Intern("pk"), AttributeNames::Id{0});
  const Stored good = Encode({{"pk", S("p")}, {"sk", N("7")}});
  const std::string record = Bytes({1, 1, 0, 1, 5});
  EXPECT_EQ(ItemView(schema_, names_, good.key, record).ToItem().error().code,
            ErrorCode::kDataLoss);
}

TEST_F(ItemViewTest, DamagedKeysLeaveTheKeyColumnsAbsent) {
  const Stored good = Encode({{"pk", S("p")}, {"sk", N("7")}, {"a", S("x")}});
  const ItemView view(schema_, names_, "no end mark", good.record);
  EXPECT_FALSE(view.partition().present());
  EXPECT_FALSE(view.sort().present());
  EXPECT_EQ(view.Find("a").payload(), "x");
  EXPECT_EQ(view.ToItem().error().reason, "key-damaged");
}

TEST_F(ItemViewTest, TooManyNamesStopTheEncoding) {
  for (int i = 0; i < 65535; ++i) ASSERT_TRUE(names_.Intern(std::to_string(i)).ok());
  const auto record =
      EncodeRecord(schema_, {{"pk", S("p")}, {"sk", N("7")}, {"new", S("x")}}, names_);
  ASSERT_FALSE(record.ok());
  EXPECT_EQ(record.error().reason, "too-many-attribute-names");
}

TEST_F(ItemViewTest, RowsReadTheSameFromStoredAndOwnedItems) {
  const SlotMap slots({"b", "sk", "nowhere", "pk", "list"});
  const Item item = {{"pk", S("p")},
                     {"sk", N("7")},
                     {"b", S("bee")},
                     {"list", AttributeValue::ListOf({N("1"), S("two")})}};
  const Stored stored = Encode(item);
  const ItemView view = View(stored);
  ItemRow row(slots, schema_, names_);
  EXPECT_FALSE(row.Get(0).present());  // no item yet
  row.Reset(view);
  const OwnedItemRow owned(slots, Item(item));
  for (Slot slot = 0; slot < 6; ++slot) {
    const AttributeView a = row.Get(slot);
    const AttributeView b = owned.Get(slot);
    EXPECT_EQ(a.present(), b.present()) << slot;
    if (!a.present()) continue;
    EXPECT_EQ(a.type(), b.type()) << slot;
    EXPECT_EQ(a.payload(), b.payload()) << slot;
  }
  EXPECT_EQ(row.Get(0).payload(), "bee");
  EXPECT_FALSE(row.Get(2).present());
  EXPECT_EQ(row.Get(3).payload(), "p");
  EXPECT_FALSE(row.Get(5).present());  // no such slot
}

}  // namespace
}  // namespace tablecast
