// Loading into the memory store: counts, rejects, resume, atomicity, sorting.

#include "formats/importer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "store/memory_item_store.h"

namespace tablecast {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Quiet : ImportObserver {
  std::uint64_t stop_after = 0;  // operations written
  std::vector<std::string> rejects;
  std::vector<std::string> warnings;
  bool OnProgress(std::string_view stage, std::uint64_t done, std::uint64_t) override {
    return stop_after == 0 || stage != "writing" || done < stop_after;
  }
  void OnWarning(const std::string&, std::string_view code, const std::string&, const DumpPlace&) override {
    warnings.emplace_back(code);
  }
  void OnReject(const std::string&, const DumpFault& fault) override { rejects.push_back(fault.error.reason); }
};

class ImporterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("importer_test." + std::to_string(::getpid()));
    fs::create_directories(folder_);
    settings_.spool_folder = folder_.string();
    settings_.table = "tbl";
    settings_.partition_key = KeyColumn{"pk", AttributeType::kS};
  }
  void TearDown() override { fs::remove_all(folder_); }
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
    const auto snapshot = store_.BeginRead();
    const auto info = (*snapshot)->Describe("tbl");
    return info.ok() ? info->item_count : 0;
  }
  fs::path folder_;
  MemoryItemStore store_;
  ImportSettings settings_;
  Quiet observer_;
};

TEST_F(ImporterTest, CountsNewReplacedAndDeletedItemsExactly) {
  const std::string first = Write("a.json", Lines(0, 1000));
  auto summary = Importer(store_, settings_, observer_).Run({first});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->read, 1000U);
  EXPECT_EQ(summary->written, 1000U);
  EXPECT_EQ(Count(), 1000U);
  const std::string second =
      Write("b.json", R"({"tbl":[{"PutRequest":{"Item":{"pk":{"S":"k0"}}}},{"PutRequest":{"Item":{"pk":{"S":"new"}}}},
        {"PutRequest":{"Item":{"pk":{"S":"new"},"v":{"N":"2"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"k7919"}}}},
        {"DeleteRequest":{"Key":{"pk":{"S":"none"}}}}]})");
  summary = Importer(store_, settings_, observer_).Run({second});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->read, 5U);
  EXPECT_EQ(summary->written, 1U);
  EXPECT_EQ(summary->replaced, 2U);  // k0, and "new" over itself
  EXPECT_EQ(summary->deleted, 1U);
  EXPECT_EQ(Count(), 1000U);
}

TEST_F(ImporterTest, MergesManySortedRuns) {
  settings_.run_bytes = 4096;
  const auto summary = Importer(store_, settings_, observer_).Run({Write("a.json", Lines(0, 3000) + Lines(0, 10))});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->written, 3000U);
  EXPECT_EQ(summary->replaced, 10U);
  EXPECT_EQ(Count(), 3000U);
}

TEST_F(ImporterTest, StopsAtABadRecordWithNothingWritten) {
  const std::string path = Write("a.json", Lines(0, 10) + "{\"pk\":{\"S\":\"\"}}\n" + Lines(10, 20));
  const auto summary = Importer(store_, settings_, observer_).Run({path});
  ASSERT_FALSE(summary.ok());
  EXPECT_THAT(summary.error().target, HasSubstr("a.json:11"));
  EXPECT_EQ(Count(), 0U);
}

TEST_F(ImporterTest, SkipsBadRecordsIntoAFile) {
  settings_.skip_bad = (folder_ / "bad.jsonl").string();
  const std::string path = Write("a.json", Lines(0, 10) + "{\"pk\":{\"N\":\"1\"}}\n{\"pk\":{\"S\":\"x\"},\"n\":{\"N\":\"1e999\"}}\nnonsense\n" + Lines(10, 20));
  const auto summary = Importer(store_, settings_, observer_).Run({path});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->rejected, 3U);
  EXPECT_EQ(summary->read, 23U);
  EXPECT_EQ(Count(), 20U);
  std::ifstream in(settings_.skip_bad);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("\"line\":11"));
  EXPECT_THAT(text.str(), HasSubstr("number-overflow"));
}

TEST_F(ImporterTest, ResumesWhereItStopped) {
  settings_.batch_items = 100;
  observer_.stop_after = 300;
  const std::string path = Write("a.json", Lines(0, 1000));
  auto summary = Importer(store_, settings_, observer_).Run({path});
  ASSERT_FALSE(summary.ok());
  EXPECT_THAT(summary.error().message, HasSubstr("committed"));
  EXPECT_EQ(Count(), 300U);
  observer_.stop_after = 0;
  settings_.resume = true;
  summary = Importer(store_, settings_, observer_).Run({path});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->skipped, 300U);
  EXPECT_EQ(summary->written, 1000U);
  EXPECT_EQ(Count(), 1000U);
  summary = Importer(store_, settings_, observer_).Run({path});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "resume-nothing");
}

TEST_F(ImporterTest, ResumeRefusesOtherFiles) {
  settings_.batch_items = 10;
  observer_.stop_after = 10;
  const std::string path = Write("a.json", Lines(0, 100));
  ASSERT_FALSE(Importer(store_, settings_, observer_).Run({path}).ok());
  settings_.resume = true;
  Write("a.json", Lines(0, 101));
  const auto summary = Importer(store_, settings_, observer_).Run({path});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "resume-other-files");
}

TEST_F(ImporterTest, AtomicIsAllOrNothing) {
  settings_.atomic = true;
  const auto summary = Importer(store_, settings_, observer_).Run({Write("a.json", Lines(0, 500))});
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->written, 500U);
  EXPECT_EQ(Count(), 500U);
}

TEST_F(ImporterTest, WantsAKeyAndATableByName) {
  settings_.partition_key.reset();
  auto summary = Importer(store_, settings_, observer_).Run({Write("a.json", Lines(0, 1))});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "key-schema-unknown");
  EXPECT_THAT(summary.error().message, HasSubstr("n, pk"));
  settings_.table = "";
  summary = Importer(store_, settings_, observer_).Run({Write("a.json", Lines(0, 1))});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "table-unknown");
}

TEST_F(ImporterTest, AMismatchOfKeysStops) {
  ASSERT_TRUE(Importer(store_, settings_, observer_).Run({Write("a.json", Lines(0, 1))}).ok());
  settings_.partition_key = KeyColumn{"pk", AttributeType::kN};
  const auto summary = Importer(store_, settings_, observer_).Run({Write("a.json", Lines(0, 1))});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "key-schema-mismatch");
}

TEST_F(ImporterTest, VerifiesTheManifestOfAnExport) {
  const std::string line = "{\"Item\":{\"pk\":{\"S\":\"a\"}}}\n";
  Write("x/AWSDynamoDB/01/data/d.json", line);
  // SOURCE: md5sum of that line.
  Write("x/AWSDynamoDB/01/manifest-summary.json", R"({"version":"2020-06-30","manifestFilesS3Key":"x"})");
  const auto manifest = [&](const std::string& count, const std::string& file) {
    Write("x/AWSDynamoDB/01/manifest-files.json",
          "{\"itemCount\":" + count + ",\"dataFileS3Key\":\"p/AWSDynamoDB/01/data/" + file + "\"}\n");
  };
  manifest("1", "d.json");
  EXPECT_TRUE(Importer(store_, settings_, observer_).Run({(folder_ / "x").string()}).ok());
  manifest("2", "d.json");
  auto summary = Importer(store_, settings_, observer_).Run({(folder_ / "x").string()});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "manifest-count");
  manifest("1", "gone.json");
  summary = Importer(store_, settings_, observer_).Run({(folder_ / "x").string()});
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().reason, "manifest-file-missing");
}

}  // namespace
}  // namespace tablecast
