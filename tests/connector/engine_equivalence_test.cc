// Whatever the access path and the store, the answer is the same to the byte.

#include <gmock/gmock.h>

#include <random>

#include "connector/columnar_build.h"
#include "connector/columnar_sidecar.h"
#include "connector/query_engine.h"
#include "store/lmdb_item_store.h"
#include "tests/connector/order_fixture.h"
#include "tests/store/store_test_directory.h"

namespace tablecast::test {
namespace {

using X = Expressions;

TableSchema EventSchema() {
  TableSchema schema;
  schema.name = "Events";
  schema.key.partition = {"tenant", AttributeType::kS};
  schema.key.sort = KeyColumn{"seq", AttributeType::kN};
  SecondaryIndex by_kind;
  by_kind.name = "by-kind";
  by_kind.partition = {{"kind", AttributeType::kS}};
  by_kind.sort = {{"weight", AttributeType::kN}};
  by_kind.projection = ProjectionType::kKeysOnly;
  schema.indexes.push_back(by_kind);
  return schema;
}

// Fixed seed. Times in the three ISO forms and as epoch; absent and NULL values; texts longer than
// what an index entry keeps; items that do not belong.
std::vector<Item> Events() {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<Item> items;
  for (int i = 0; i < 160; ++i) {
    Item item;
    item["tenant"] = S("t" + std::to_string(below(8)));
    item["seq"] = N(std::to_string(i - 60));
    const char* kKinds[] = {"open", "paid", "sent", "void"};
    if (below(10) != 0) item["kind"] = S(kKinds[below(4)]);
    if (below(5) != 0)
      item["weight"] = N(std::to_string(below(20)) + "." + std::to_string(below(10)));
    const int day = 1 + below(28);
    const std::string two = (day < 10 ? "0" : "") + std::to_string(day);
    switch (below(6)) {
      case 0: item["at"] = S("2024-02-" + two); break;
      case 1: item["at"] = S("2024-02-" + two + "T00:00:00Z"); break;
      case 2: item["at"] = S("2024-02-" + two + " 23:30:00.250-0100"); break;
      case 3: item["at"] = S("202402" + two + "T120000+0200"); break;
      case 4: item["at"] = N(std::to_string(1706745600 + 86400 * (day - 1))); break;
      default:
        if (below(2) == 0) item["at"] = AttributeValue::Null();
        break;
    }
    // Equal for its first 450 bytes.
    if (below(3) == 0) item["note"] = S(std::string(450, 'n') + std::to_string(below(30)));
    if (below(12) == 0) item["deleted"] = AttributeValue::Bool(true);
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<CatalogFile> EventFiles() {
  return {{"Events.json", R"json({
    "tableName": "Events",
    "columns": {
      "deleted": {"presence": "not exists"},
      "label": {"virtual": true, "values": [{"definition": "UPPER(kind) & \"/\" & tenant"}]},
      "kind": {}
    },
    "fields": {
      "tenant": {"column": "tenant", "type": "Text"}, "seq": {"column": "seq", "type": "Number"},
      "kind": {"column": "kind", "type": "Text"}, "weight": {"column": "weight", "type": "Number"},
      "at": {"column": "at", "type": "DateTime", "unit": "s"}, "note": {"column": "note", "type": "LongText"},
      "label": {"column": "label", "type": "Text"}
    },
    "object": {"columnar": true},
    "indexes": [{"fields": ["at"]}, {"fields": ["kind", "at desc"]}, {"fields": ["weight desc", "at"]},
                {"fields": ["note"]}, {"fields": ["label", "weight"]}]
  })json"}};
}

std::string Print(const ResultPage& page) {
  std::string out;
  for (const Record& record : page.records) {
    out += record.external_id + " " + record.etag;
    for (const EdmValue& value : record.values)
      out += " " + value.ToLiteral().substr(0, 40) + "#" + std::to_string(value.ToLiteral().size());
    out += "\n";
  }
  return out;
}

// The first line that differs, from both.
std::string FirstDifference(const std::string& a, const std::string& b) {
  if (a == b) return {};
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const std::size_t begin = at == 0 ? 0 : a.rfind('\n', at - 1) + 1;
  return "at byte " + std::to_string(at) + ": " + a.substr(begin, 120) + " | " +
         b.substr(begin, 120);
}

struct QueryCase {
  std::string name;
  ExpressionPtr filter;
  std::vector<SortKey> order;
};

std::vector<QueryCase> Queries(const ExternalObject& events) {
  const X x(events);
  const auto op = [](BinaryOp o, ExpressionPtr a, ExpressionPtr b) {
    return X::Op(o, std::move(a), std::move(b));
  };
  const auto both = [&](ExpressionPtr a, ExpressionPtr b) {
    return op(BinaryOp::kAnd, std::move(a), std::move(b));
  };
  const auto kind = [&](const char* k) { return op(BinaryOp::kEq, x.F("kind"), X::T(k)); };
  return {
      {"all", nullptr, {}},
      {"at", nullptr, {{x.F("at"), false}}},
      {"at desc", nullptr, {{x.F("at"), true}}},
      {"at range",
       both(op(BinaryOp::kGe, x.F("at"), X::At("2024-02-05T00:00:00Z")),
            op(BinaryOp::kLt, x.F("at"), X::At("2024-02-09T12:00:00Z"))),
       {}},
      {"at equal",
       op(BinaryOp::kEq, x.F("at"), X::At("2024-02-10T00:00:00Z")),
       {{x.F("at"), false}}},
      {"at after, desc",
       op(BinaryOp::kGt, x.F("at"), X::At("2024-02-20T00:00:00Z")),
       {{x.F("at"), true}}},
      {"at null", op(BinaryOp::kEq, x.F("at"), X::L({})), {}},
      {"at not null", op(BinaryOp::kNe, x.F("at"), X::L({})), {{x.F("at"), false}}},
      {"kind", kind("paid"), {}},
      {"kind by at desc", kind("paid"), {{x.F("at"), true}}},
      {"kind by at", kind("sent"), {{x.F("at"), false}}},
      {"kind and at",
       both(kind("open"), op(BinaryOp::kLe, x.F("at"), X::At("2024-02-14T00:00:00Z"))),
       {{x.F("at"), true}}},
      {"kinds",
       *expr::In(x.F("kind"), {X::T("void"), X::T("open"), X::T("nope")}),
       {{x.F("weight"), true}}},
      {"kind prefix", X::Call("startswith", {x.F("kind"), X::T("p")}), {}},
      {"weight desc, at", nullptr, {{x.F("weight"), true}, {x.F("at"), false}}},
      {"weight asc, at desc", nullptr, {{x.F("weight"), false}, {x.F("at"), true}}},
      {"weight between",
       both(op(BinaryOp::kGe, x.F("weight"), X::D("3")),
            op(BinaryOp::kLe, x.F("weight"), X::D("4.5"))),
       {}},
      {"weight above 38 digits",
       op(BinaryOp::kGt, x.F("weight"), X::D("3.00000000000000000000000000000000000000000001")),
       {}},
      {"kind and weight (secondary)",
       both(kind("paid"), op(BinaryOp::kGt, x.F("weight"), X::D("10"))),
       {}},
      {"note", nullptr, {{x.F("note"), false}}},
      {"note desc", nullptr, {{x.F("note"), true}}},
      {"note equal", op(BinaryOp::kEq, x.F("note"), X::T(std::string(450, 'n') + "7")), {}},
      {"note range",
       op(BinaryOp::kGt, x.F("note"), X::T(std::string(450, 'n') + "20")),
       {{x.F("note"), true}}},
      {"note prefix",
       X::Call("startswith", {x.F("note"), X::T(std::string(450, 'n') + "1")}),
       {{x.F("note"), false}}},
      {"label", op(BinaryOp::kEq, x.F("label"), X::T("PAID/t3")), {}},
      {"label by weight",
       op(BinaryOp::kEq, x.F("label"), X::T("PAID/t3")),
       {{x.F("weight"), true}}},
      {"label prefix", X::Call("startswith", {x.F("label"), X::T("OPEN/")}), {}},
      {"tenant", op(BinaryOp::kEq, x.F("tenant"), X::T("t3")), {}},
      {"tenant by seq desc", op(BinaryOp::kEq, x.F("tenant"), X::T("t3")), {{x.F("seq"), true}}},
      {"tenant and seq",
       both(op(BinaryOp::kEq, x.F("tenant"), X::T("t3")),
            op(BinaryOp::kLt, x.F("seq"), X::D("50"))),
       {}},
      {"tenant prefix",
       X::Call("startswith", {x.F("tenant"), X::T("t")}),
       {{x.F("tenant"), true}, {x.F("seq"), true}}},
      {"tenants",
       op(BinaryOp::kOr, op(BinaryOp::kEq, x.F("tenant"), X::T("t5")),
          op(BinaryOp::kEq, x.F("tenant"), X::T("t1"))),
       {}},
      {"id", op(BinaryOp::kEq, x.F("ExternalId"), X::T("t3--5")), {}},
      {"by id desc", nullptr, {{x.F("ExternalId"), true}}},
      {"floating literal",
       op(BinaryOp::kEq, x.F("seq"), X::L(*ParseEdm(EdmKind::kDouble, "5e0"))),
       {}},
      {"seq, tenant order", nullptr, {{x.F("tenant"), false}, {x.F("seq"), false}}},
      {"not", *expr::Not(kind("paid")), {{x.F("kind"), false}, {x.F("weight"), false}}},
  };
}

// Brings the columns up to date, in segments of 16; how many records were read for that.
std::uint64_t Copy(const Shop& shop) {
  const auto built = BuildColumnar(*shop.catalog, "Events", *shop.store, 1,
                                   [](std::uint64_t, std::uint64_t) { return true; }, 16);
  EXPECT_TRUE(built.ok()) << (built.ok() ? "" : built.error().ToString());
  return built.ok() ? built->records : 0;
}

void Compare(const Shop& shop, const Shop& oracle, std::set<std::string>& paths, bool columnar = true) {
  ObjectQuery query;
  query.object = &shop.object("Events");
  const std::vector<QueryCase> cases = Queries(*query.object);
  const std::vector<QueryCase> oracle_cases = Queries(oracle.object("Events"));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const QueryCase& c = cases[i];
    ObjectQuery plain;
    plain.object = &oracle.object("Events");
    plain.filter = oracle_cases[i].filter;
    plain.order_by = oracle_cases[i].order;
    plain.engine = Engine::kScan;
    plain.whole = true;
    plain.count = true;
    const Result<ResultPage> expected = oracle.engine().Query(plain);
    ASSERT_TRUE(expected.ok()) << c.name << expected.error().ToString();
    for (const Engine engine : {Engine::kAuto, Engine::kRow, Engine::kIndex, Engine::kScan, Engine::kColumnar}) {
      if (engine == Engine::kColumnar && !columnar) continue;
      for (const std::uint32_t size : {7U, 1000U}) {
        query.filter = c.filter;
        query.order_by = c.order;
        query.engine = engine;
        query.page_size = size;
        query.count = true;
        query.want_plan = true;
        query.start_after.clear();
        std::string seen;
        for (int pages = 0; pages < 200; ++pages) {
          const Result<ResultPage> page = shop.engine().Query(query);
          ASSERT_TRUE(page.ok()) << c.name << ": " << page.error().ToString();
          seen += Print(*page);
          EXPECT_EQ(page->count, expected->count) << c.name;
          paths.insert(std::string(AccessKindName(page->plan->access)));
          query.start_after = page->next;
          if (page->next.empty()) break;
        }
        ASSERT_EQ(FirstDifference(seen, Print(*expected)), "")
            << c.name << ", engine " << static_cast<int>(engine) << ", page " << size;
        EXPECT_EQ(*shop.engine().Count(query), *expected->count) << c.name;
      }
    }
  }
}

// The parameter: LMDB, or memory.
class EquivalenceTest : public ::testing::TestWithParam<bool> {
 protected:
  static std::unique_ptr<ItemStore> OpenStore(const testing::StoreTestDirectory& directory) {
    if (!GetParam()) return std::make_unique<MemoryItemStore>();
    auto lmdb = LmdbItemStore::Open(directory / "store", {});
    EXPECT_TRUE(lmdb.ok()) << lmdb.error().ToString();
    return lmdb.ok() ? *std::move(lmdb) : nullptr;
  }
};

TEST_P(EquivalenceTest, EveryPathGivesTheSameAnswer) {
  testing::StoreTestDirectory directory;
  std::unique_ptr<ItemStore> store = OpenStore(directory);
  ASSERT_NE(store, nullptr);
  const Shop shop(std::move(store), EventSchema(), Events(), EventFiles());
  const Shop oracle(EventSchema(), Events(), EventFiles(), false);
  ASSERT_EQ(Copy(shop), 145U);  // 15 of the 160 do not belong
  std::set<std::string> paths;
  Compare(shop, oracle, paths);
  EXPECT_THAT(paths, ::testing::IsSupersetOf({"point-get", "partition-range", "table-range",
                                              "membership-index", "declared-index", "full-scan",
                                              "secondary-index", "columnar-sidecar"}));
}

// Whether the columns are of now, behind the rows, or made again in part.
TEST_P(EquivalenceTest, ColumnsFollowTheRows) {
  testing::StoreTestDirectory directory;
  std::unique_ptr<ItemStore> store = OpenStore(directory);
  ASSERT_NE(store, nullptr);
  const Shop shop(std::move(store), EventSchema(), Events(), EventFiles());
  const Shop oracle(EventSchema(), Events(), EventFiles(), false);
  std::set<std::string> paths;
  Copy(shop);
  const auto change = [](ItemStore& changed) {
    return changed.Write([](WriteTransaction& txn) -> Status {
      const std::vector<Item> items = Events();
      for (std::size_t i = 0; i < items.size(); i += 9) {
        Item item = items[i];
        item["kind"] = S(i % 2 == 0 ? "paid" : "late");
        item["weight"] = N(std::to_string(i) + ".125");
        if (i % 27 == 0) item["deleted"] = AttributeValue::Bool(true);
        TABLECAST_RETURN_IF_ERROR(txn.Put("Events", item));
      }
      for (std::size_t i = 4; i < items.size(); i += 31) {
        TABLECAST_ASSIGN_OR_RETURN(const bool there, txn.Delete("Events", ItemKey{items[i].at("tenant"), items[i].at("seq")}));
        EXPECT_TRUE(there);
      }
      Item fresh = items[1];
      fresh["seq"] = N("9000");
      fresh["kind"] = S("paid");
      return txn.Put("Events", fresh);
    });
  };
  ASSERT_TRUE(change(*shop.store).ok());
  ASSERT_TRUE(change(*oracle.store).ok());
  Compare(shop, oracle, paths);  // behind: what changed comes from the rows
  EXPECT_EQ(paths.count("columnar-sidecar"), 1U);
  ASSERT_GT(Copy(shop), 0U);
  ASSERT_EQ(Copy(shop), 0U);  // nothing to do
  Compare(shop, oracle, paths);
  for (ItemStore* changed : {shop.store.get(), oracle.store.get()}) {
    ASSERT_TRUE(changed->Write([](WriteTransaction& txn) -> Status {
      Item item = Events()[2];
      item["weight"] = N("77.7");
      return txn.Put("Events", item);
    }).ok());
  }
  const std::uint64_t again = Copy(shop);
  EXPECT_GT(again, 0U);
  EXPECT_LE(again, 32U);  // the one segment where the record lies
  Compare(shop, oracle, paths);
  const auto snapshot = shop.store->BeginRead();
  ASSERT_TRUE(snapshot.ok());
  const auto issues = CheckColumnar(*shop.catalog, **snapshot);
  ASSERT_TRUE(issues.ok());
  EXPECT_TRUE(issues->empty()) << issues->front().message;
}

TEST_P(EquivalenceTest, DoctorFindsColumnsThatDiffer) {
  const Shop shop(EventSchema(), Events(), EventFiles());
  Copy(shop);
  const std::string name = ColumnarHeaderName("Events", "Events");
  ASSERT_TRUE(shop.store->Write([&](WriteTransaction& txn) -> Status {
    // Another segment number, so that nothing remembered is read; its numbers are changed.
    TABLECAST_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, txn.GetMeta(name));
    TABLECAST_ASSIGN_OR_RETURN(ColumnarHeader header, DecodeColumnarHeader(*bytes));
    const std::uint64_t old = header.segments.front().id++;
    for (std::size_t i = 0; i < header.columns.size(); ++i) {
      if (!header.segments.front().kept[i]) continue;
      TABLECAST_ASSIGN_OR_RETURN(const auto chunk, txn.GetMeta(ColumnarChunkName(name, old, i)));
      TABLECAST_ASSIGN_OR_RETURN(ColumnChunk column, DecodeColumnChunk(*chunk));
      if (header.columns[i] == "weight") {
        for (std::int64_t& number : column.numbers) {
          if (number == ColumnChunk::kNull) continue;
          ++number;
          break;
        }
      }
      TABLECAST_RETURN_IF_ERROR(
          txn.PutMeta(ColumnarChunkName(name, old + 1, i), EncodeColumnChunk(column)));
    }
    TABLECAST_ASSIGN_OR_RETURN(const auto keys, txn.GetMeta(ColumnarKeysName(name, old)));
    TABLECAST_RETURN_IF_ERROR(txn.PutMeta(ColumnarKeysName(name, old + 1), *keys));
    return txn.PutMeta(name, EncodeColumnarHeader(header));
  }).ok());
  const auto snapshot = shop.store->BeginRead();
  const auto issues = CheckColumnar(*shop.catalog, **snapshot);
  ASSERT_TRUE(issues.ok());
  ASSERT_EQ(issues->size(), 1U);
  EXPECT_EQ(issues->front().code, "columnar-differs");
  EXPECT_NE(issues->front().message.find("Events.weight"), std::string::npos) << issues->front().message;
}

// Records read from where they stand beside each other are the records, also after changes.
TEST_P(EquivalenceTest, ClusteredRecordsAreTheRecords) {
  testing::StoreTestDirectory directory;
  std::unique_ptr<ItemStore> store = OpenStore(directory);
  ASSERT_NE(store, nullptr);
  std::vector<CatalogFile> files = EventFiles();
  const std::string columnar = "\"columnar\": true";
  files[0].text.replace(files[0].text.find(columnar), columnar.size(), "\"clustered\": true");
  const Shop shop(std::move(store), EventSchema(), Events(), files);
  const Shop oracle(EventSchema(), Events(), EventFiles(), false);
  std::set<std::string> paths;
  Compare(shop, oracle, paths, false);
  EXPECT_EQ(paths.count("membership-index"), 1U);
  for (ItemStore* changed : {shop.store.get(), oracle.store.get()}) {
    ASSERT_TRUE(changed->Write([](WriteTransaction& txn) -> Status {
      for (const std::size_t i : {2U, 50U, 99U}) {
        Item item = Events()[i];
        item["weight"] = N("77.7");
        item["another"] = S("attribute, new to the table");
        TABLECAST_RETURN_IF_ERROR(txn.Put("Events", item));
      }
      const Item gone = Events()[7];
      TABLECAST_ASSIGN_OR_RETURN(const bool there, txn.Delete("Events", ItemKey{gone.at("tenant"), gone.at("seq")}));
      EXPECT_TRUE(there);
      return {};
    }).ok());
  }
  Compare(shop, oracle, paths, false);
}

TEST_P(EquivalenceTest, ColumnsGoWithTheTable) {
  testing::StoreTestDirectory directory;
  std::unique_ptr<ItemStore> store = OpenStore(directory);
  ASSERT_NE(store, nullptr);
  const Shop shop(std::move(store), EventSchema(), Events(), EventFiles());
  Copy(shop);
  ASSERT_TRUE(shop.store->DropTable("Events").ok());
  const auto snapshot = shop.store->BeginRead();
  const auto meta = (*snapshot)->GetMeta(ColumnarHeaderName("Events", "Events"));
  ASSERT_TRUE(meta.ok());
  EXPECT_FALSE(meta->has_value());
}

INSTANTIATE_TEST_SUITE_P(Stores, EquivalenceTest, ::testing::Values(false, true),
                         [](const auto& param) { return param.param ? "Lmdb" : "Memory"; });

}  // namespace
}  // namespace tablecast::test
