// Loading into the memory store: counts, rejects, resume, atomicity, sorting.

#include "formats/importer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "item/item_codec.h"
#include "store/lmdb_item_store.h"
#include "store/memory_item_store.h"

namespace tablecast {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Quiet : ImportObserver {
  std::uint64_t stop_after = 0;  // operations written
  int stop_at_call = 0;          // of "writing"; 0 = never
  std::vector<std::string> rejects;
  std::vector<std::string> warnings;
  bool OnProgress(std::string_view stage, std::uint64_t done, std::uint64_t) override {
    if (stage == "writing" && stop_at_call > 0 && --stop_at_call == 0) return false;
    return stop_after == 0 || stage != "writing" || done < stop_after;
  }
  void OnWarning(const std::string&, std::string_view code, const std::string&, const DumpPlace&) override {
    warnings.emplace_back(code);
  }
  void OnReject(const std::string&, const DumpFault& fault) override { rejects.push_back(fault.error.reason); }
};

// Every case on both stores: the memory store takes batches, the durable one its bulk loader.
template <class Store>
class ImporterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("importer_test." + std::to_string(::getpid()));
    fs::create_directories(folder_);
    if constexpr (std::is_same_v<Store, LmdbItemStore>) {
      auto opened = LmdbItemStore::Open((folder_ / "store").string(), {});
      ASSERT_TRUE(opened.ok()) << opened.error().ToString();
      store_ = *std::move(opened);
    } else {
      store_ = std::make_unique<MemoryItemStore>();
    }
    settings_.spool_folder = folder_.string();
    settings_.table = "tbl";
    settings_.partition_key = KeyColumn{"pk", AttributeType::kS};
  }
  void TearDown() override {
    store_.reset();
    fs::remove_all(folder_);
  }
  Result<ImportSummary> Import(const std::vector<std::string>& paths) {
    return Importer(*store_, settings_, observer_).Run(paths);
  }
  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = (folder_ / name).string();
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  static std::string Lines(int from, int to) {
    std::string out;
    for (int i = from; i < to; ++i) {
      out += "{\"pk\":{\"S\":\"k" + std::to_string(i * 7919 % 100003) + "\"},\"n\":{\"N\":\"" + std::to_string(i) + "\"}}\n";
    }
    return out;
  }
  std::uint64_t Count() {
    const auto snapshot = store_->BeginRead();
    const auto info = (*snapshot)->Describe("tbl");
    return info.ok() ? info->item_count : 0;
  }
  fs::path folder_;
  std::unique_ptr<Store> store_;
  ImportSettings settings_;
  Quiet observer_;
};

using Stores = ::testing::Types<MemoryItemStore, LmdbItemStore>;
TYPED_TEST_SUITE(ImporterTest, Stores);

TYPED_TEST(ImporterTest, CountsNewReplacedAndDeletedItemsExactly) {
  const std::string first = this->Write("a.json", this->Lines(0, 1000));
  auto summary = this->Import({first});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->read, 1000U);
  EXPECT_EQ(summary->written, 1000U);
  EXPECT_EQ(this->Count(), 1000U);
  const std::string second =
      this->Write("b.json", R"({"tbl":[{"PutRequest":{"Item":{"pk":{"S":"k0"}}}},{"PutRequest":{"Item":{"pk":{"S":"new"}}}},
        {"PutRequest":{"Item":{"pk":{"S":"new"},"v":{"N":"2"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"k7919"}}}},
        {"DeleteRequest":{"Key":{"pk":{"S":"none"}}}}]})");
  summary = this->Import({second});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->read, 5U);
  EXPECT_EQ(summary->written, 1U);
  EXPECT_EQ(summary->replaced, 2U);  // k0, and "new" over itself
  EXPECT_EQ(summary->deleted, 1U);
  EXPECT_EQ(this->Count(), 1000U);
}

TYPED_TEST(ImporterTest, MergesManySortedRuns) {
  this->settings_.run_bytes = 4096;
  const auto summary = this->Import({this->Write("a.json", this->Lines(0, 3000) + this->Lines(0, 10))});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->written, 3000U);
  EXPECT_EQ(summary->replaced, 10U);
  EXPECT_EQ(this->Count(), 3000U);
}

TYPED_TEST(ImporterTest, StopsAtABadRecordWithNothingWritten) {
  const std::string path = this->Write("a.json", this->Lines(0, 10) + "{\"pk\":{\"S\":\"\"}}\n" + this->Lines(10, 20));
  const auto summary = this->Import({path});
  ASSERT_FALSE(summary.ok());
  EXPECT_THAT(summary.error().target, HasSubstr("a.json:11"));
  EXPECT_EQ(this->Count(), 0U);
}

TYPED_TEST(ImporterTest, SkipsBadRecordsIntoAFile) {
  this->settings_.skip_bad = (this->folder_ / "bad.jsonl").string();
  const std::string path = this->Write("a.json", this->Lines(0, 10) + "{\"pk\":{\"N\":\"1\"}}\n{\"pk\":{\"S\":\"x\"},\"n\":{\"N\":\"1e999\"}}\nnonsense\n" + this->Lines(10, 20));
  const auto summary = this->Import({path});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->rejected, 3U);
  EXPECT_EQ(summary->read, 23U);
  EXPECT_EQ(this->Count(), 20U);
  std::ifstream in(this->settings_.skip_bad);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("\"line\":11"));
  EXPECT_THAT(text.str(), HasSubstr("number-overflow"));
}

TYPED_TEST(ImporterTest, ResumesWhereItStopped) {
  this->settings_.batch_items = 100;
  this->observer_.stop_after = 300;
  const std::string path = this->Write("a.json", this->Lines(0, 1000));
  auto summary = this->Import({path});
  ASSERT_FALSE(summary.ok());
  EXPECT_THAT(summary.error().message, HasSubstr("committed"));
  EXPECT_EQ(this->Count(), 300U);
  this->observer_.stop_after = 0;
  this->settings_.resume = true;
  summary = this->Import({path});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->skipped, 300U);
  EXPECT_EQ(summary->written, 1000U);
  EXPECT_EQ(this->Count(), 1000U);
  summary = this->Import({path});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "resume-nothing");
}

// Some operations of the input are several of the store: a batch may not end between them, or their counts come twice.
TYPED_TEST(ImporterTest, CountsEveryOperationOnceWhereverItStops) {
  const auto put = [](const std::string& key) { return R"({"PutRequest":{"Item":{"pk":{"S":")" + key + R"("}}}})"; };
  const auto remove = [](const std::string& key) { return R"({"DeleteRequest":{"Key":{"pk":{"S":")" + key + R"("}}}})"; };
  std::string text = "[" + put("a");
  for (const char* key : {"b", "c", "d"}) {
    text += "," + put(key) + "," + remove(key);                      // there, then not
    text += "," + remove(key + std::string("2")) + "," + put(key + std::string("2"));
    text += "," + put(key + std::string("3")) + "," + put(key + std::string("3"));
    text += "," + put(key + std::string("4")) + "," + remove(key + std::string("4")) + "," + put(key + std::string("4"));
  }
  const std::string path = this->Write("ops.json", text + "]");
  const std::string there = this->Write("there.json", "[" + put("b") + "," + put("c2") + "," + put("d4") + "]");
  std::optional<ImportSummary> whole;
  for (const std::size_t batch : {2U, 3U}) {
    for (int stop = 0; stop < 60; ++stop) {
      this->settings_.table = "tbl" + std::to_string(batch) + "-" + std::to_string(stop);
      this->settings_.batch_items = 1000;
      ASSERT_TRUE(this->Import({there}).ok());
      this->settings_.batch_items = batch;
      this->observer_.stop_at_call = stop;
      auto summary = this->Import({path});
      this->observer_.stop_at_call = 0;
      if (!summary.ok()) {
        this->settings_.resume = true;
        summary = this->Import({path});
        this->settings_.resume = false;
      } else if (stop > 0) {
        break;
      }
      ASSERT_TRUE(summary.ok()) << summary.error().ToString();
      if (!whole) whole = *summary;
      EXPECT_EQ(summary->written, whole->written) << batch << " " << stop;
      EXPECT_EQ(summary->replaced, whole->replaced) << batch << " " << stop;
      EXPECT_EQ(summary->deleted, whole->deleted) << batch << " " << stop;
    }
  }
}

TYPED_TEST(ImporterTest, ResumeRefusesOtherFiles) {
  this->settings_.batch_items = 10;
  this->observer_.stop_after = 10;
  const std::string path = this->Write("a.json", this->Lines(0, 100));
  ASSERT_FALSE(this->Import({path}).ok());
  this->settings_.resume = true;
  this->Write("a.json", this->Lines(0, 101));
  const auto summary = this->Import({path});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "resume-other-files");
}

TYPED_TEST(ImporterTest, AtomicIsAllOrNothing) {
  this->settings_.atomic = true;
  const auto summary = this->Import({this->Write("a.json", this->Lines(0, 500))});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->written, 500U);
  EXPECT_EQ(this->Count(), 500U);
}

TYPED_TEST(ImporterTest, WantsAKeyAndATableByName) {
  this->settings_.partition_key.reset();
  auto summary = this->Import({this->Write("a.json", this->Lines(0, 1))});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "key-schema-unknown");
  EXPECT_THAT(summary.error().message, HasSubstr("n, pk"));
  this->settings_.table = "";
  summary = this->Import({this->Write("a.json", this->Lines(0, 1))});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "table-unknown");
}

TYPED_TEST(ImporterTest, AMismatchOfKeysStops) {
  ASSERT_TRUE(this->Import({this->Write("a.json", this->Lines(0, 1))}).ok());
  this->settings_.partition_key = KeyColumn{"pk", AttributeType::kN};
  const auto summary = this->Import({this->Write("a.json", this->Lines(0, 1))});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "key-schema-mismatch");
}

TYPED_TEST(ImporterTest, VerifiesTheManifestOfAnExport) {
  const std::string line = "{\"Item\":{\"pk\":{\"S\":\"a\"}}}\n";
  this->Write("x/AWSDynamoDB/01/data/d.json", line);
  // SOURCE: md5sum of that line.
  this->Write("x/AWSDynamoDB/01/manifest-summary.json", R"({"version":"2020-06-30","manifestFilesS3Key":"x"})");
  const auto manifest = [&](const std::string& count, const std::string& file) {
    this->Write("x/AWSDynamoDB/01/manifest-files.json",
          "{\"itemCount\":" + count + ",\"dataFileS3Key\":\"p/AWSDynamoDB/01/data/" + file + "\"}\n");
  };
  manifest("1", "d.json");
  EXPECT_TRUE(this->Import({(this->folder_ / "x").string()}).ok());
  manifest("2", "d.json");
  auto summary = this->Import({(this->folder_ / "x").string()});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "manifest-count");
  manifest("1", "gone.json");
  summary = this->Import({(this->folder_ / "x").string()});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "manifest-file-missing");
}

TYPED_TEST(ImporterTest, VerifiesTheMd5OfAManifest) {
  this->Write("x/AWSDynamoDB/01/data/d.json", "{\"Item\":{\"pk\":{\"S\":\"a\"}}}\n");
  const auto manifest = [&](const std::string& md5) {
    this->Write("x/AWSDynamoDB/01/manifest-files.json", R"({"itemCount":1,"md5Checksum":")" + md5 +
                R"(","etag":"e-1","dataFileS3Key":"p/AWSDynamoDB/01/data/d.json"})" "\n");
  };
  // SOURCE: printf '{"Item":{"pk":{"S":"a"}}}\n' | openssl md5 -binary | base64
  manifest("KjTWkBAQv1rdVcCG/cfdKA==");
  const auto summary = this->Import({(this->folder_ / "x").string()});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->written, 1U);
  manifest("AAAAAAAAAAAAAAAAAAAAAA==");
  const auto damaged = this->Import({(this->folder_ / "x").string()});
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().reason, "manifest-md5");
}

// Incremental exports share one data folder; the names of their files say nothing about their order.
TYPED_TEST(ImporterTest, TakesIncrementalExportsInTheOrderOfTheirTimes) {
  const auto change = [](const std::string& value) {
    return R"({"Metadata":{"WriteTimestampMicros":{"N":"1"}},"Keys":{"pk":{"S":"a"}},"NewImage":{"pk":{"S":"a"},"v":{"S":")" +
           value + "\"}}}\n";
  };
  this->Write("x/AWSDynamoDB/data/a.json", change("new"));
  this->Write("x/AWSDynamoDB/data/z.json", change("old"));
  for (const auto& [id, time, file] : {std::tuple{"02", "2024-01-01T12:00:00Z", "z.json"}, {"01", "2024-01-02T12:00:00Z", "a.json"}}) {
    const std::string folder = std::string("x/AWSDynamoDB/") + id;
    this->Write(folder + "/manifest-summary.json", std::string(R"({"exportToTime":")") + time + R"(","itemCount":1})");
    this->Write(folder + "/manifest-files.json", std::string(R"({"itemCount":1,"dataFileS3Key":"p/AWSDynamoDB/data/)") + file + "\"}\n");
    this->Write(folder + "/_started", "");
  }
  const auto value = [this] {
    std::string text;
    const auto snapshot = this->store_->BeginRead();
    const auto schema = (*snapshot)->Schema("tbl");
    const auto key = EncodeKey(**schema, ItemKey{AttributeValue::String("a"), std::nullopt});
    const auto found = (*snapshot)->Get("tbl", *key, [&](const ItemView& view) {
      const auto item = view.ToItem();
      if (item.ok()) text = item->at("v").text();
    });
    return found.ok() ? text : found.error().ToString();
  };
  auto summary = this->Import({(this->folder_ / "x").string()});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->read, 2U);
  EXPECT_EQ(value(), "new");
  // One export's own folder is enough: its data is found beside it.
  summary = this->Import({(this->folder_ / "x/AWSDynamoDB/02").string()});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(value(), "old");
  // A data file of an export that is still being written.
  this->Write("x/AWSDynamoDB/data/more.json", change("half"));
  summary = this->Import({(this->folder_ / "x").string()});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "manifest-file-unlisted");
  EXPECT_EQ(value(), "old");
}

TYPED_TEST(ImporterTest, AFailedImportMakesNoTable) {
  EXPECT_FALSE(this->Import({this->Write("a.json", this->Lines(0, 10) + "{\"pk\":{\"S\":\"x\"\n")}).ok());
  const auto snapshot = this->store_->BeginRead();
  EXPECT_FALSE((*snapshot)->Schema("tbl").ok());
}

TYPED_TEST(ImporterTest, ResumeKeepsToTheSameWayOfReading) {
  this->settings_.batch_items = 10;
  this->observer_.stop_after = 10;
  const std::string path = this->Write("a.json", this->Lines(0, 100));
  ASSERT_FALSE(this->Import({path}).ok());
  this->observer_.stop_after = 0;
  this->settings_.resume = true;
  this->settings_.sort = false;  // another order: skipping what is committed would lose records
  auto summary = this->Import({path});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "resume-other-files");
  this->settings_.sort = true;
  summary = this->Import({path});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->tables.at("tbl"), 100U);
  EXPECT_EQ(this->Import({"-"}).error().reason, "resume-stdin");
  this->settings_.atomic = true;
  EXPECT_EQ(this->Import({path}).error().reason, "resume-atomic");
}

}  // namespace
}  // namespace tablecast
