#ifndef TABLECAST_TESTS_CONFORMANCE_ITEM_STORE_SUITE_H_
#define TABLECAST_TESTS_CONFORMANCE_ITEM_STORE_SUITE_H_

// What every ItemStore must do, as one typed gtest suite. A store's test file provides a Fixture
// with
//   static constexpr std::size_t kChangeLogEntries;   // bound of the change log, at least 100
//   ItemStore& store();                               // empty when the fixture is new
// and says INSTANTIATE_TYPED_TEST_SUITE_P(Memory, ItemStoreSuite, MemoryFixture).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "item/item_codec.h"
#include "store/item_store.h"
#include "store/secondary_index.h"
#include "tests/conformance/store_test_items.h"

namespace tablecast::testing {

template <class Fixture>
class ItemStoreSuite : public ::testing::Test {
 protected:
  ItemStore& store() { return fixture_.store(); }

  void Create(const TableSchema& schema) { ASSERT_OK(store().CreateTable(schema)); }
  void PutAll(const std::string& table, const std::vector<Item>& items) {
    ASSERT_OK(store().Write([&](WriteTransaction& txn) -> Status {
      for (const Item& item : items) TABLECAST_RETURN_IF_ERROR(txn.Put(table, item));
      return {};
    }));
  }
  std::unique_ptr<ReadSnapshot> Read() {
    auto snapshot = store().BeginRead();
    EXPECT_TRUE(snapshot.ok());
    return *std::move(snapshot);
  }
  std::optional<Item> Get(const TableSchema& schema, const ItemKey& key) {
    std::optional<Item> found;
    const auto there = Read()->Get(schema.name, *EncodeKey(schema, key),
                                   [&](const ItemView& view) { found = *view.ToItem(); });
    EXPECT_TRUE(there.ok());
    EXPECT_EQ(*there, found.has_value());
    return found;
  }
  // Key texts "partition/sort" of the answer.
  std::vector<std::string> Keys(const std::string& table, const KeyCondition& condition,
                                const ReadOptions& options = {}, const std::string& index = {}) {
    std::vector<std::string> keys;
    const auto visit = [&](const ItemView& view) {
      keys.push_back(KeyText(view));
      return true;
    };
    auto snapshot = Read();
    const auto visited = index.empty()
                             ? snapshot->Query(table, condition, options, visit)
                             : snapshot->QueryIndex(table, index, condition, options, visit);
    EXPECT_TRUE(visited.ok()) << visited.error().ToString();
    EXPECT_EQ(visited.ok() ? *visited : 0, keys.size());
    return keys;
  }

  Fixture fixture_;
};

TYPED_TEST_SUITE_P(ItemStoreSuite);

// --- tables
// ---------------------------------------------------------------------------------------

TYPED_TEST_P(ItemStoreSuite, TablesAreCreatedOnceAndDropped) {
  const TableSchema orders = PairTable("Orders");
  this->Create(orders);
  this->Create(orders);  // the same again is fine
  TableSchema other = orders;
  other.key.sort->type = AttributeType::kN;
  EXPECT_ERROR(this->store().CreateTable(other), ErrorCode::kAlreadyExists, "table-exists");
  EXPECT_ERROR(this->store().CreateTable(PairTable("x")), ErrorCode::kInvalidArgument,
               "table-name");
  this->Create(PairTable("Another"));
  EXPECT_THAT(*this->Read()->ListTables(), ::testing::ElementsAre("Another", "Orders"));
  EXPECT_EQ(**this->Read()->Schema("Orders"), orders);

  this->PutAll("Orders", {Pair("a", "1")});
  auto before = this->Read();
  ASSERT_OK(this->store().DropTable("Orders"));
  EXPECT_EQ(before->Describe("Orders")->item_count, 1U) << "an open snapshot keeps what it saw";
  before.reset();
  EXPECT_ERROR(this->Read()->Describe("Orders"), ErrorCode::kNotFound, "table-not-found");
  EXPECT_ERROR(this->store().DropTable("Orders"), ErrorCode::kNotFound, "table-not-found");
  this->Create(other);  // the name is free again, and the new table is empty
  EXPECT_EQ(this->Read()->Describe("Orders")->item_count, 0U);
  EXPECT_EQ(this->Read()->Describe("Orders")->sequence, 0U);
}

TYPED_TEST_P(ItemStoreSuite, EveryOperationNamesAMissingTable) {
  auto snapshot = this->Read();
  const auto ignore = [](const ItemView&) { return true; };
  EXPECT_ERROR(snapshot->Schema("No1"), ErrorCode::kNotFound, "table-not-found");
  EXPECT_ERROR(snapshot->Names("No1"), ErrorCode::kNotFound, "table-not-found");
  EXPECT_ERROR(snapshot->Get("No1", "k", [](const ItemView&) {}), ErrorCode::kNotFound,
               "table-not-found");
  EXPECT_ERROR(snapshot->Scan("No1", {}, ignore), ErrorCode::kNotFound, "table-not-found");
  EXPECT_ERROR(snapshot->Query("No1", {}, {}, ignore), ErrorCode::kNotFound, "table-not-found");
  EXPECT_ERROR(snapshot->Changes("No1", 0, [](const Change&) { return true; }),
               ErrorCode::kNotFound, "table-not-found");
  EXPECT_FALSE(snapshot->IsDerivedReady("No1", {"i", "f"}));
  EXPECT_ERROR(this->store().SetMaintainer("No1", nullptr), ErrorCode::kNotFound,
               "table-not-found");
  EXPECT_ERROR(this->store().BuildIndexes("No1", nullptr), ErrorCode::kNotFound, "table-not-found");
  EXPECT_ERROR(
      this->store().Write([](WriteTransaction& txn) { return txn.Put("No1", Pair("a", "b")); }),
      ErrorCode::kNotFound, "table-not-found");
}

// --- items
// ----------------------------------------------------------------------------------------

TYPED_TEST_P(ItemStoreSuite, EveryLegalItemReturnsAsItWas) {
  const TableSchema schema = PairTable("Orders");
  this->Create(schema);
  std::vector<Item> items{Pair("a", "plain"), Pair("b", "all")};
  items[1].merge(OneOfEveryType());
  Item large = Pair("c", "large");
  large.emplace("text", S(std::string(300'000, 'x')));
  items.push_back(large);
  this->PutAll("Orders", items);
  for (const Item& item : items) EXPECT_EQ(this->Get(schema, *KeyOf(schema, item)), item);
  EXPECT_EQ(this->Get(schema, {S("a"), S("other")}), std::nullopt);
}

TYPED_TEST_P(ItemStoreSuite, PutReplacesAndDeleteTells) {
  const TableSchema schema = PairTable("Orders");
  this->Create(schema);
  this->PutAll("Orders", {Pair("a", "1", {{"x", N("1")}, {"y", N("2")}})});
  this->PutAll("Orders", {Pair("a", "1", {{"x", N("3")}})});
  EXPECT_EQ(this->Get(schema, {S("a"), S("1")}), Pair("a", "1", {{"x", N("3")}}));
  EXPECT_EQ(this->Read()->Describe("Orders")->item_count, 1U);
  std::vector<bool> deleted;
  ASSERT_OK(this->store().Write([&](WriteTransaction& txn) -> Status {
    for (int i = 0; i < 2; ++i) {
      TABLECAST_ASSIGN_OR_RETURN(const bool one, txn.Delete("Orders", {S("a"), S("1")}));
      deleted.push_back(one);
    }
    return {};
  }));
  EXPECT_THAT(deleted, ::testing::ElementsAre(true, false));
  const TableInfo info = *this->Read()->Describe("Orders");
  EXPECT_EQ(info.item_count, 0U);
  EXPECT_EQ(info.item_bytes, 0U);
  EXPECT_EQ(info.sequence, 3U) << "put, put, delete; deleting nothing changes nothing";
}

TYPED_TEST_P(ItemStoreSuite, AnUnchangedItemIsNoChange) {
  this->Create(PairTable("Orders"));
  this->PutAll("Orders", {Pair("a", "1", {{"x", N("1.50")}})});
  this->PutAll("Orders", {Pair("a", "1", {{"x", N("1.5")}})});
  EXPECT_EQ(this->Read()->Describe("Orders")->sequence, 1U);
}

TYPED_TEST_P(ItemStoreSuite, ItemBytesAreThoseOfKeyAndRecord) {
  const TableSchema schema = PairTable("Orders");
  this->Create(schema);
  this->PutAll("Orders", {Pair("a", "1", {{"x", S("hello")}}), Pair("b", "2")});
  std::uint64_t bytes = 0;
  auto snapshot = this->Read();
  ASSERT_OK(snapshot->Scan("Orders", {}, [&](const ItemView& view) {
    bytes += view.key_bytes().size() + view.record_bytes().size();
    return true;
  }));
  EXPECT_EQ(snapshot->Describe("Orders")->item_bytes, bytes);
}

TYPED_TEST_P(ItemStoreSuite, BadItemsAreRefusedAndNothingIsWritten) {
  const TableSchema schema = PairTable("Orders");
  this->Create(schema);
  Item no_sort = Pair("a", "1");
  no_sort.erase("sk");
  Item too_large = Pair("a", "1");
  too_large.emplace("text", S(std::string(410'000, 'x')));
  const std::vector<std::pair<Item, std::string>> rows{
      {no_sort, "key-missing"},
      {Pair("", "1"), "key-empty"},
      {Pair(std::string(2049, 'p'), "1"), "key-too-long"},
      {Pair("a", std::string(1025, 's')), "key-too-long"},
      {too_large, "item-too-large"},
  };
  for (const auto& [item, reason] : rows) {
    EXPECT_ERROR(this->store().Write([&](WriteTransaction& txn) -> Status {
      TABLECAST_RETURN_IF_ERROR(txn.Put("Orders", Pair("good", "1")));
      return txn.Put("Orders", item);
    }),
                 ErrorCode::kInvalidArgument, reason);
  }
  EXPECT_EQ(this->Read()->Describe("Orders")->item_count, 0U);
}

// --- transactions
// ---------------------------------------------------------------------------------

TYPED_TEST_P(ItemStoreSuite, AFailedBodyLeavesNothingAndSuccessIsSeenWhole) {
  const TableSchema schema = PairTable("Orders");
  this->Create(schema);
  EXPECT_ERROR(this->store().Write([](WriteTransaction& txn) -> Status {
    TABLECAST_RETURN_IF_ERROR(txn.Put("Orders", Pair("a", "1", {{"fresh", N("1")}})));
    TABLECAST_RETURN_IF_ERROR(txn.PutMeta("m", "1"));
    return MakeError(ErrorCode::kFailedPrecondition, "etag", "changed meanwhile");
  }),
               ErrorCode::kFailedPrecondition, "etag");
  EXPECT_EQ(this->Read()->Describe("Orders")->sequence, 0U);
  EXPECT_EQ(*this->Read()->GetMeta("m"), std::nullopt);
  // Another attribute takes the number that the aborted write had given to "fresh".
  this->PutAll("Orders", {Pair("a", "1", {{"other", N("2")}})});
  EXPECT_EQ(this->Get(schema, {S("a"), S("1")}), Pair("a", "1", {{"other", N("2")}}));

  auto before = this->Read();
  this->PutAll("Orders", {Pair("a", "2"), Pair("a", "3")});
  EXPECT_EQ(before->Describe("Orders")->item_count, 1U);
  EXPECT_EQ(this->Read()->Describe("Orders")->item_count, 3U);
}

TYPED_TEST_P(ItemStoreSuite, ATransactionSeesItsOwnWrites) {
  this->Create(PairTable("Orders"));
  this->PutAll("Orders", {Pair("a", "1"), Pair("a", "3")});
  ASSERT_OK(this->store().Write([](WriteTransaction& txn) -> Status {
    TABLECAST_RETURN_IF_ERROR(txn.Put("Orders", Pair("a", "2", {{"new", S("n")}})));
    TABLECAST_RETURN_IF_ERROR(txn.Delete("Orders", {S("a"), S("3")}));
    TABLECAST_ASSIGN_OR_RETURN(const auto got, txn.Get("Orders", {S("a"), S("2")}));
    EXPECT_EQ(got, Pair("a", "2", {{"new", S("n")}}));
    TABLECAST_ASSIGN_OR_RETURN(const auto gone, txn.Get("Orders", {S("a"), S("3")}));
    EXPECT_EQ(gone, std::nullopt);
    TABLECAST_ASSIGN_OR_RETURN(const auto all,
                               txn.Query("Orders", {.partition = Equal(S("a")), .sort = {}}, 10));
    EXPECT_EQ(all.size(), 2U);
    TABLECAST_ASSIGN_OR_RETURN(const auto one,
                               txn.Query("Orders", {.partition = Equal(S("a")), .sort = {}}, 1));
    EXPECT_EQ(one.size(), 1U);
    TABLECAST_ASSIGN_OR_RETURN(const TableInfo info, txn.Describe("Orders"));
    EXPECT_EQ(info.item_count, 2U);
    TABLECAST_RETURN_IF_ERROR(txn.PutMeta("m", "v"));
    TABLECAST_ASSIGN_OR_RETURN(const auto meta, txn.GetMeta("m"));
    EXPECT_EQ(meta, "v");
    return {};
  }));
}

TYPED_TEST_P(ItemStoreSuite, MetaValuesAreKeptByName) {
  const std::string long_name(900, 'n');
  const std::string binary("\0\xFFz", 3);
  ASSERT_OK(this->store().Write([&](WriteTransaction& txn) -> Status {
    TABLECAST_RETURN_IF_ERROR(txn.PutMeta("a", "1"));
    TABLECAST_RETURN_IF_ERROR(txn.PutMeta("a", "2"));
    TABLECAST_RETURN_IF_ERROR(txn.PutMeta("b", "gone"));
    TABLECAST_RETURN_IF_ERROR(txn.PutMeta(long_name, binary));
    TABLECAST_RETURN_IF_ERROR(txn.DeleteMeta("b"));
    return txn.DeleteMeta("never there");
  }));
  EXPECT_EQ(*this->Read()->GetMeta("a"), "2");
  EXPECT_EQ(*this->Read()->GetMeta("b"), std::nullopt);
  EXPECT_EQ(*this->Read()->GetMeta(long_name), binary);
}

TYPED_TEST_P(ItemStoreSuite, ConcurrentWritersLoseNoUpdate) {
  const TableSchema schema = PairTable("Orders");
  this->Create(schema);
  this->PutAll("Orders", {Pair("counter", "1", {{"n", N("0")}})});
  constexpr int kThreads = 4;
  constexpr int kRounds = 25;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        const Status status = this->store().Write([](WriteTransaction& txn) -> Status {
          TABLECAST_ASSIGN_OR_RETURN(auto item, txn.Get("Orders", {S("counter"), S("1")}));
          const int n = std::stoi(item->at("n").NumberAsText());
          item->insert_or_assign("n", N(std::to_string(n + 1)));
          return txn.Put("Orders", *item);
        });
        EXPECT_TRUE(status.ok());
        EXPECT_TRUE(this->Get(schema, {S("counter"), S("1")}).has_value());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(this->Get(schema, {S("counter"), S("1")})->at("n"), N("100"));
  EXPECT_EQ(this->Read()->Describe("Orders")->sequence, 101U);
}

// --- order and conditions
// -------------------------------------------------------------------------

TYPED_TEST_P(ItemStoreSuite, ScanIsInOrderOfValues) {
  this->Create(PairTable("Strings"));
  this->PutAll("Strings",
               {Pair("b", "1"), Pair("a", "2"), Pair("a", "10"), Pair("a\x01", "0"),
                Pair(std::string("a\0", 2), "9"), Pair("\xC2\xBF", "1"), Pair("Z", "1")});
  EXPECT_THAT(this->Keys("Strings", {}),
              ::testing::ElementsAre("Z/1", "a/10", "a/2", std::string("a\0/9", 4), "a\x01/0",
                                     "b/1", "\xC2\xBF/1"));

  TableSchema numbers = PairTable("Numbers");
  numbers.key.partition.type = AttributeType::kN;
  numbers.key.sort->type = AttributeType::kN;
  this->Create(numbers);
  std::vector<Item> items;
  for (const char* n : {"10", "9", "-1", "-10", "0", "0.5", "1e3"})
    items.push_back({{"pk", N("1")}, {"sk", N(n)}});
  items.push_back({{"pk", N("-5")}, {"sk", N("7")}});
  this->PutAll("Numbers", items);
  EXPECT_THAT(this->Keys("Numbers", {}), ::testing::ElementsAre("-5/7", "1/-10", "1/-1", "1/0",
                                                                "1/0.5", "1/9", "1/10", "1/1000"));
}

TYPED_TEST_P(ItemStoreSuite, ConditionsSelectExactly) {
  this->Create(PairTable("Pairs"));
  std::vector<Item> items;
  for (const char* pk : {"a", "ab", "b", "c"}) {
    for (const char* sk : {"1", "10", "2", "x", "xy"}) items.push_back(Pair(pk, sk));
  }
  this->PutAll("Pairs", items);
  struct Row {
    const char* name;
    KeyCondition condition;
    std::vector<std::string> want;
  };
  const ColumnCondition never{.equals = {}, .range = std::nullopt, .never = true};
  const std::vector<Row> rows{
      {"partition", {Equal(S("ab")), {}}, {"ab/1", "ab/10", "ab/2", "ab/x", "ab/xy"}},
      {"partition and sort", {Equal(S("a")), Equal(S("2"))}, {"a/2"}},
      {"partitions and sorts",
       {AnyOf({S("a"), S("c"), S("nope")}), AnyOf({S("1"), S("xy")})},
       {"a/1", "a/xy", "c/1", "c/xy"}},
      {"prefix", {Equal(S("a")), Prefix("1")}, {"a/1", "a/10"}},
      {"above", {Equal(S("a")), Between(S("10"), false, std::nullopt)}, {"a/2", "a/x", "a/xy"}},
      {"between", {Equal(S("a")), Between(S("10"), true, S("x"), true)}, {"a/10", "a/2", "a/x"}},
      {"half-open", {Equal(S("a")), Between(S("10"), true, S("x"), false)}, {"a/10", "a/2"}},
      {"empty between", {Equal(S("a")), Between(S("x"), true, S("1"), true)}, {}},
      {"partition range", {Between(S("a"), false, S("b"), true), Equal(S("2"))}, {"ab/2", "b/2"}},
      {"partition prefix", {Prefix("a"), Prefix("x")}, {"a/x", "a/xy", "ab/x", "ab/xy"}},
      {"partition free",
       {{}, AnyOf({S("10"), S("x")})},
       {"a/10", "a/x", "ab/10", "ab/x", "b/10", "b/x", "c/10", "c/x"}},
      {"number against text", {Equal(N("1")), {}}, {}},
      {"number bound on text", {Equal(S("a")), Between(N("1"), true, std::nullopt)}, {}},
      {"never", {never, {}}, {}},
      {"never on sort", {Equal(S("a")), never}, {}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(this->Keys("Pairs", row.condition), row.want) << row.name;
    std::vector<std::string> backwards = row.want;
    std::reverse(backwards.begin(), backwards.end());
    EXPECT_EQ(this->Keys("Pairs", row.condition, {.descending = true, .after_key = std::nullopt}),
              backwards)
        << row.name << " descending";
  }
}

TYPED_TEST_P(ItemStoreSuite, ATableWithoutSortKeyMeetsNoSortCondition) {
  TableSchema single = PairTable("Single");
  single.key.sort.reset();
  this->Create(single);
  this->PutAll("Single", {{{"pk", S("a")}}, {{"pk", S("b")}, {"sk", S("just an attribute")}}});
  EXPECT_THAT(this->Keys("Single", {}), ::testing::ElementsAre("a", "b"));
  EXPECT_THAT(this->Keys("Single", {Equal(S("b")), {}}), ::testing::ElementsAre("b"));
  EXPECT_THAT(this->Keys("Single", {{}, Equal(S("just an attribute"))}), ::testing::IsEmpty());
}

TYPED_TEST_P(ItemStoreSuite, PagesOfOneMakeTheWholeInBothDirections) {
  const TableSchema schema = PairTable("Pairs");
  this->Create(schema);
  std::vector<Item> items;
  for (const char* pk : {"a", "b", "c"}) {
    for (const char* sk : {"1", "2", "3", "4"}) items.push_back(Pair(pk, sk));
  }
  this->PutAll("Pairs", items);
  for (const KeyCondition& condition :
       {KeyCondition{}, KeyCondition{AnyOf({S("a"), S("c")}), AnyOf({S("2"), S("4")})},
        KeyCondition{{}, Between(S("2"), true, S("3"), true)}}) {
    for (const bool descending : {false, true}) {
      std::vector<std::string> pages;
      ReadOptions options{.descending = descending, .after_key = std::nullopt};
      for (;;) {
        std::optional<std::string> last;
        ASSERT_OK(this->Read()->Query("Pairs", condition, options, [&](const ItemView& view) {
          pages.push_back(KeyText(view));
          last = view.key_bytes();
          return false;
        }));
        if (!last) break;
        options.after_key = last;
      }
      EXPECT_EQ(pages, this->Keys("Pairs", condition,
                                  {.descending = descending, .after_key = std::nullopt}));
      EXPECT_FALSE(pages.empty());
    }
  }
}

TYPED_TEST_P(ItemStoreSuite, LongKeysKeepOrderAndRoundTrip) {
  const TableSchema schema = PairTable("Long");
  this->Create(schema);
  const std::string lead(2000, 'p');
  std::vector<Item> items;
  for (const std::string& tail : {std::string(), std::string("\0", 1), std::string("\0\0", 2),
                                  std::string("\xFF", 1), std::string("m")}) {
    for (const std::string& sort : {std::string("1"), std::string(1024, 's'),
                                    std::string(1023, 's') + "t", std::string(500, '\0')}) {
      items.push_back(
          {{"pk", AttributeValue::Binary(lead + tail)}, {"sk", AttributeValue::Binary(sort)}});
    }
  }
  TableSchema binary = schema;
  binary.name = "LongBinary";
  binary.key.partition.type = AttributeType::kB;
  binary.key.sort->type = AttributeType::kB;
  this->Create(binary);
  this->PutAll("LongBinary", items);
  std::vector<std::string> want;
  for (const Item& item : items) {
    EXPECT_EQ(this->Get(binary, *KeyOf(binary, item)), item);
    want.push_back(item.at("pk").bytes() + "/" + item.at("sk").bytes());
  }
  std::sort(want.begin(), want.end(), [&](const std::string& a, const std::string& b) {
    const std::size_t slash_a = a.rfind('/'), slash_b = b.rfind('/');
    return std::pair(a.substr(0, slash_a), a.substr(slash_a)) <
           std::pair(b.substr(0, slash_b), b.substr(slash_b));
  });
  EXPECT_EQ(this->Keys("LongBinary", {}), want);
  std::reverse(want.begin(), want.end());
  EXPECT_EQ(this->Keys("LongBinary", {}, {.descending = true, .after_key = std::nullopt}), want);
  EXPECT_EQ(this->Keys("LongBinary", {Equal(AttributeValue::Binary(lead + "m")), {}}).size(), 4U);
  ASSERT_OK(this->store().Write([&](WriteTransaction& txn) -> Status {
    for (const Item& item : items)
      TABLECAST_RETURN_IF_ERROR(txn.Delete("LongBinary", *KeyOf(binary, item)));
    return {};
  }));
  EXPECT_THAT(this->Keys("LongBinary", {}), ::testing::IsEmpty());
}

// --- secondary indexes
// ----------------------------------------------------------------------------

TYPED_TEST_P(ItemStoreSuite, SecondaryIndexesAreSparseOrderedAndProjected) {
  TableSchema schema = PairTable("Orders");
  schema.indexes = {
      IndexOn("byCity", {"city", AttributeType::kS}, KeyColumn{"total", AttributeType::kN}),
      IndexOn("keysOnly", {"city", AttributeType::kS}, std::nullopt, ProjectionType::kKeysOnly),
      IndexOn("some", {"city", AttributeType::kS}, std::nullopt, ProjectionType::kInclude,
              {"note"})};
  this->Create(schema);
  const Item full =
      Pair("1", "a", {{"city", S("Bern")}, {"total", N("9")}, {"note", S("n")}, {"rest", S("r")}});
  this->PutAll("Orders",
               {full, Pair("2", "a", {{"city", S("Bern")}, {"total", N("10")}}),
                Pair("3", "a", {{"city", S("Aarau")}, {"total", N("-1")}}),
                Pair("4", "a", {{"city", S("Bern")}}), Pair("5", "a", {{"total", N("3")}})});
  EXPECT_THAT(this->Keys("Orders", {}, {}, "byCity"), ::testing::ElementsAre("3/a", "1/a", "2/a"));
  EXPECT_THAT(
      this->Keys("Orders", {Equal(S("Bern")), Between(N("9"), false, std::nullopt)}, {}, "byCity"),
      ::testing::ElementsAre("2/a"));
  EXPECT_THAT(
      this->Keys("Orders", {Equal(S("Bern")), Between(N("9"), true, N("10"), false)}, {}, "byCity"),
      ::testing::ElementsAre("1/a"));
  EXPECT_THAT(this->Keys("Orders", {{}, Equal(N("10"))}, {}, "byCity"),
              ::testing::ElementsAre("2/a"));
  EXPECT_THAT(this->Keys("Orders", {Prefix("B"), {}},
                         {.descending = true, .after_key = std::nullopt}, "keysOnly"),
              ::testing::ElementsAre("4/a", "2/a", "1/a"));
  EXPECT_ERROR(
      this->Read()->QueryIndex("Orders", "nope", {}, {}, [](const ItemView&) { return true; }),
      ErrorCode::kNotFound, "index-not-found");

  const auto first = [&](const std::string& index) {
    Item item;
    EXPECT_TRUE(this->Read()
                    ->QueryIndex("Orders", index, {Equal(S("Bern")), {}}, {},
                                 [&](const ItemView& view) {
                                   item = *view.ToItem();
                                   return false;
                                 })
                    .ok());
    return item;
  };
  EXPECT_EQ(first("byCity"), full);
  EXPECT_EQ(first("keysOnly"), Pair("1", "a", {{"city", S("Bern")}}));
  EXPECT_EQ(first("some"), Pair("1", "a", {{"city", S("Bern")}, {"note", S("n")}}));

  // Updates move the entry, a lost attribute removes it, deletes too.
  this->PutAll("Orders", {Pair("1", "a", {{"city", S("Chur")}, {"total", N("9")}}),
                          Pair("2", "a", {{"city", S("Bern")}})});
  EXPECT_THAT(this->Keys("Orders", {}, {}, "byCity"), ::testing::ElementsAre("3/a", "1/a"));
  ASSERT_OK(this->store().Write([](WriteTransaction& txn) -> Status {
    TABLECAST_RETURN_IF_ERROR(txn.Delete("Orders", {S("3"), S("a")}));
    return {};
  }));
  EXPECT_THAT(this->Keys("Orders", {}, {}, "byCity"), ::testing::ElementsAre("1/a"));
}

TYPED_TEST_P(ItemStoreSuite, AWrongTypedIndexKeyFailsTheWriteInDynamoDbsWords) {
  TableSchema schema = PairTable("Orders");
  schema.indexes = {IndexOn("gsi1", {"n1", AttributeType::kN}, std::nullopt)};
  this->Create(schema);
  const Status status = this->store().Write([](WriteTransaction& txn) {
    return txn.Put("Orders", Pair("1", "a", {{"n1", S("text")}}));
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().reason, "index-key-type");
  EXPECT_THAT(
      status.error().message,
      ::testing::HasSubstr("Type mismatch for Index Key n1 Expected: N Actual: S IndexName: gsi1"));
}

TYPED_TEST_P(ItemStoreSuite, ALaterSecondaryIndexCoversOldItems) {
  this->Create(PairTable("Orders"));
  this->PutAll("Orders", {Pair("1", "a", {{"city", S("Bern")}}), Pair("2", "a", {{"city", N("7")}}),
                          Pair("3", "a")});
  const SecondaryIndex index = IndexOn("byCity", {"city", AttributeType::kS}, std::nullopt);
  ASSERT_OK(this->store().AddSecondaryIndex("Orders", index));
  ASSERT_OK(this->store().AddSecondaryIndex("Orders", index));
  SecondaryIndex other = index;
  other.projection = ProjectionType::kKeysOnly;
  EXPECT_ERROR(this->store().AddSecondaryIndex("Orders", other), ErrorCode::kAlreadyExists,
               "index-exists");
  EXPECT_ERROR(this->store().AddSecondaryIndex("No1", index), ErrorCode::kNotFound,
               "table-not-found");
  EXPECT_THAT(this->Keys("Orders", {}, {}, "byCity"), ::testing::ElementsAre("1/a"))
      << "an older item of the wrong type is left out";
  EXPECT_EQ((*this->Read()->Schema("Orders"))->indexes.size(), 1U);
  this->PutAll("Orders", {Pair("2", "a", {{"city", S("Aarau")}})});
  EXPECT_THAT(this->Keys("Orders", {}, {}, "byCity"), ::testing::ElementsAre("2/a", "1/a"));
}

TYPED_TEST_P(ItemStoreSuite, IndexPagesResumeBehindTheEntry) {
  TableSchema schema = PairTable("Orders");
  const SecondaryIndex index =
      IndexOn("byCity", {"city", AttributeType::kS}, std::nullopt, ProjectionType::kKeysOnly);
  schema.indexes = {index};
  this->Create(schema);
  std::vector<Item> items;
  for (int i = 0; i < 9; ++i)
    items.push_back(Pair(std::to_string(i), "a", {{"city", S(i % 2 == 0 ? "even" : "odd")}}));
  this->PutAll("Orders", items);
  for (const bool descending : {false, true}) {
    std::vector<std::string> pages;
    ReadOptions options{.descending = descending, .after_key = std::nullopt};
    for (bool more = true; more;) {
      more = false;
      ASSERT_OK(
          this->Read()->QueryIndex("Orders", "byCity", {}, options, [&](const ItemView& view) {
            pages.push_back(KeyText(view));
            options.after_key = SecondaryEntryKey(index, view);
            more = true;
            return false;
          }));
    }
    EXPECT_EQ(pages.size(), 9U);
    EXPECT_EQ(pages, this->Keys("Orders", {}, {.descending = descending, .after_key = std::nullopt},
                                "byCity"));
  }
}

REGISTER_TYPED_TEST_SUITE_P(ItemStoreSuite, TablesAreCreatedOnceAndDropped,
                            EveryOperationNamesAMissingTable, EveryLegalItemReturnsAsItWas,
                            PutReplacesAndDeleteTells, AnUnchangedItemIsNoChange,
                            ItemBytesAreThoseOfKeyAndRecord, BadItemsAreRefusedAndNothingIsWritten,
                            AFailedBodyLeavesNothingAndSuccessIsSeenWhole,
                            ATransactionSeesItsOwnWrites, MetaValuesAreKeptByName,
                            ConcurrentWritersLoseNoUpdate, ScanIsInOrderOfValues,
                            ConditionsSelectExactly, ATableWithoutSortKeyMeetsNoSortCondition,
                            PagesOfOneMakeTheWholeInBothDirections, LongKeysKeepOrderAndRoundTrip,
                            SecondaryIndexesAreSparseOrderedAndProjected,
                            AWrongTypedIndexKeyFailsTheWriteInDynamoDbsWords,
                            ALaterSecondaryIndexCoversOldItems, IndexPagesResumeBehindTheEntry);

}  // namespace tablecast::testing

#endif  // TABLECAST_TESTS_CONFORMANCE_ITEM_STORE_SUITE_H_
