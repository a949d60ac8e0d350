#include "formats/input_file.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>

namespace tablecast {
namespace {

namespace fs = std::filesystem;

class InputFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("input_file_test." + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Write(const std::string& name, const std::string& bytes) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static std::string Gzip(const std::string& text) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
  }
  fs::path folder_;
};

TEST_F(InputFileTest, ReadsPlainGzipAndZstdAlike) {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += "{\"pk\":{\"S\":\"" + std::to_string(i) + "\"}}\n";
  std::string zstd(ZSTD_compressBound(text.size()), '\0');
  zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), text.data(), text.size(), 3));
  for (const auto& [name, bytes] : {std::pair<std::string, std::string>{"a.json", text}, {"b.gz", Gzip(text)}, {"c.zst", zstd},
                                    {"two_members.gz", Gzip(text.substr(0, 1000)) + Gzip(text.substr(1000))}}) {
    const auto file = InputFile::Open(Write(name, bytes), folder_.string());
    ASSERT_TRUE(file.ok()) << name;
    EXPECT_EQ(file->text(), text) << name;
  }
}

TEST_F(InputFileTest, NamesWhatIsWrong) {
  const std::string gzip = Gzip(std::string(100000, 'x') + "y");
  struct Row { std::string path; const char* reason; };
  for (const Row& row : {Row{(folder_ / "none").string(), "file-not-found"}, Row{folder_.string(), "file-is-folder"},
                         Row{Write("cut.gz", gzip.substr(0, gzip.size() / 2)), "file-compressed-damaged"},
                         Row{Write("bad.zst", std::string("\x28\xb5\x2f\xfd", 4) + "rubbish"), "file-compressed-damaged"},
                         Row{Write("utf16.json", std::string("\xff\xfe{\0", 4)), "file-encoding"}}) {
    const auto file = InputFile::Open(row.path, folder_.string());
    ASSERT_FALSE(file.ok()) << row.path;
    EXPECT_EQ(file.error().reason, row.reason) << row.path;
  }
}

TEST_F(InputFileTest, ExpandsFoldersWithoutMarkersAndChecksums) {
  for (const char* name : {"b.json", "a.json.gz", "_started", "a.md5", ".hidden", "x.checksum"}) Write(name, "x");
  const auto files = ExpandInputPath(folder_.string());
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 2U);
  EXPECT_TRUE((*files)[0].ends_with("a.json.gz"));
}

TEST_F(InputFileTest, HashesLikeAManifest) {
  // SOURCE: RFC 1321, A.5: MD5("abc") = 900150983cd24fb0d6963f7d28e17f72.
  EXPECT_EQ(*FileMd5Base64(Write("abc", "abc")), "kAFQmDzST7DWlj99KOF/cg==");
}

}  // namespace
}  // namespace tablecast
