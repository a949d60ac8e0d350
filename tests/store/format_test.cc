// Pins the bytes of docs/format.md, "The store's file". A change here is a new format version.

#include <gmock/gmock.h>

#include "item/item_codec.h"
#include "store/key_layout.h"
#include "store/lmdb_item_store.h"
#include "tests/conformance/store_test_items.h"
#include "tests/conformance/test_maintainer.h"
#include "tests/store/store_test_directory.h"

namespace tablecast::testing {
namespace {

std::string Hex(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) {
    static const char digits[] = "0123456789abcdef";
    out += digits[static_cast<unsigned char>(byte) >> 4U];
    out += digits[static_cast<unsigned char>(byte) & 15U];
  }
  return out;
}

// All records of a store, keys and values in hex; the 500-byte lead of long keys as "<lead>".
std::vector<std::string> Dump(LmdbItemStore& store, const std::string& lead) {
  std::vector<std::string> records;
  const auto txn = *store.env().BeginRead();
  LmdbCursor cursor(txn);
  for (bool found = cursor.First(); found; found = cursor.Next()) {
    std::string key = Hex(cursor.key());
    if (const std::size_t at = key.find(Hex(lead)); at != std::string::npos)
      key.replace(at, 1000, "<lead>");
    records.push_back(key + " " + Hex(cursor.value()));
  }
  return records;
}

TEST(FormatTest, RecordsOfASmallStore) {
  const StoreTestDirectory directory;
  auto store = *LmdbItemStore::Open(directory.path(), {});
  TableSchema schema;
  schema.name = "Tab";
  schema.key.partition = {"p", AttributeType::kS};
  schema.indexes = {
      IndexOn("idx", {"kind", AttributeType::kS}, std::nullopt, ProjectionType::kKeysOnly)};
  ASSERT_OK(store->CreateTable(schema));
  ASSERT_OK(store->SetMaintainer("Tab", std::make_shared<TestMaintainer>("f")));
  ASSERT_OK(store->BuildIndexes("Tab", nullptr));
  const std::string lead(500, 'L');
  ASSERT_OK(store->Write([&](WriteTransaction& txn) -> Status {
    TABLECAST_RETURN_IF_ERROR(txn.Put("Tab", {{"p", S("a")}, {"kind", S("k")}}));
    TABLECAST_RETURN_IF_ERROR(txn.Put("Tab", {{"p", S("a")}}));
    TABLECAST_RETURN_IF_ERROR(txn.Put("Tab", {{"p", S("b")}, {"kind", S("k")}}));
    TABLECAST_RETURN_IF_ERROR(txn.Put("Tab", {{"p", S(lead + "x")}}));
    return txn.PutMeta("m", "v");
  }));
  // Records are pinned by item/'s own golden file.
  AttributeNames names;
  const std::string empty = Hex(*EncodeRecord(schema, {{"p", S("a")}}, names));
  const std::string kind = Hex(*EncodeRecord(schema, {{"p", S("a")}, {"kind", S("k")}}, names));
  const std::size_t bytes = 3 + 3 + 503 + (2 * empty.size() + kind.size()) / 2;
  std::string state = "03";  // items
  state += Hex(std::string{static_cast<char>(bytes % 128 + 128), static_cast<char>(bytes / 128)});
  const std::size_t log_bytes = 3 * 6 + 3 + 1 + 503 + kind.size() / 2;
  state += "0401";  // sequence, oldest change
  state += Hex(
      std::string{static_cast<char>(log_bytes % 128 + 128), static_cast<char>(log_bytes / 128)});
  state += "0103";  // names, derived indexes
  state +=
      "02020401"
      "03020400"
      "04020400";
  EXPECT_THAT(Dump(*store, lead),
              ::testing::ElementsAreArray({
                  std::string("0162 00000002"),  // next bucket
                  std::string("0167 03"),        // catalog generation
                  std::string("0174 01"),        // last table
                  std::string("0176 01"),        // format version
                  std::string("026d 76"),        // the named value m
                  std::string("03546162 ") +
                      "010105"
                      "03546162"  // table 1, created by 1, next index 5, "Tab"
                      "010170"
                      "00"  // S p, no sort column
                      "01"
                      "01"
                      "03696478"
                      "01"
                      "01046b696e64"  // one secondary index: 1, "idx", one HASH column S kind,
                      "00"
                      "01"
                      "00"
                      "00"  // no RANGE, keys only, global, no more attributes
                      "03"
                      "02066d656d6265720166"  // derived indexes 2 member, 3 score, 4 tags,
                      "030573636f72650166"
                      "0404746167730166",  // each with the fingerprint "f"
                  std::string("040001 ") + state,
                  std::string("0500010000 6b696e64"),
                  std::string("0700010000000000000001 ") + "0100"
                                                           "03610001",
                  std::string("0700010000000000000002 ") +
                      "0101"
                      "03610001" +
                      kind,
                  std::string("0700010000000000000003 ") + "0100"
                                                           "03620001",
                  std::string("0700010000000000000004 ") +
                      "0100"
                      "f703" +
                      Hex(lead) + "780001",
                  std::string("080001000000016b0001620001 ") + kind,
                  std::string("090001000000020001620001 ") + "00"
                                                             "6b",
                  std::string("0a00000001780001 ") + empty,  // the rest of the long key
                  std::string("100001<lead> 00000001"),
                  std::string("100001610001 ") + empty,
                  std::string("100001620001 ") + kind,
              }));
}

}  // namespace
}  // namespace tablecast::testing
