#include "base/base64.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tablecast {
namespace {

TEST(Base64Test, FollowsTheVectorsOfRfc4648) {
  struct Row {
    std::string_view bytes;
    std::string_view standard;
    std::string_view url;
  };
  const std::vector<Row> rows = {
      {"", "", ""},
      {"f", "Zg==", "Zg"},
      {"fo", "Zm8=", "Zm8"},
      {"foo", "Zm9v", "Zm9v"},
      {"foob", "Zm9vYg==", "Zm9vYg"},
      {"fooba", "Zm9vYmE=", "Zm9vYmE"},
      {"foobar", "Zm9vYmFy", "Zm9vYmFy"},
      {"\xFB\xEF\xFE\xFF", "++/+/w==", "--_-_w"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(EncodeBase64(row.bytes), row.standard);
    EXPECT_EQ(EncodeBase64Url(row.bytes), row.url);
    EXPECT_EQ(DecodeBase64(row.standard).value(), row.bytes);
    EXPECT_EQ(DecodeBase64Url(row.url).value(), row.bytes);
  }
}

TEST(Base64Test, UrlFormTakesPaddingOrNone) {
  EXPECT_EQ(DecodeBase64Url("Zg==").value(), "f");
  EXPECT_EQ(DecodeBase64Url("Zm8=").value(), "fo");
  EXPECT_EQ(DecodeBase64Url("--_-_w==").value(), "\xFB\xEF\xFE\xFF");
}

TEST(Base64Test, EveryByteAndLengthSurvives) {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    EXPECT_EQ(DecodeBase64(EncodeBase64(bytes)).value(), bytes);
    EXPECT_EQ(DecodeBase64Url(EncodeBase64Url(bytes)).value(), bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64Test, RefusesWhatIsNotCanonical) {
  struct Row {
    std::string_view text;
    std::size_t offset;
  };
  const std::vector<Row> standard = {
      {"Zg", 2},       {"Zg=", 3},   {"Z===", 1},       {"=", 1},      {"====", 0},
      {"Zh==", 1},     {"Zm9=", 2},  {"Zm 8", 2},       {"Zm8=\n", 5}, {"Zm-_", 2},
      {"Zg==Zg==", 2}, {"Zm9v=", 5}, {"\xC3\xA9==", 0},
  };
  for (const Row& row : standard) {
    const auto read = DecodeBase64(row.text);
    ASSERT_FALSE(read.ok()) << row.text;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(read.error().reason, "base64-syntax");
    EXPECT_EQ(read.error().position.offset, row.offset) << row.text;
  }
  const std::vector<Row> url = {{"Z", 0},   {"Zh", 1},   {"Zm9", 2},
                                {"Zg=", 2}, {"Zm+/", 2}, {"Z===", 1}};
  for (const Row& row : url) {
    const auto read = DecodeBase64Url(row.text);
    ASSERT_FALSE(read.ok()) << row.text;
    EXPECT_EQ(read.error().reason, "base64-syntax");
    EXPECT_EQ(read.error().position.offset, row.offset) << row.text;
  }
}

}  // namespace
}  // namespace tablecast
