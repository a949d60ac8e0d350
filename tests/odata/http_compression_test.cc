#include "odata/http_compression.h"

#include <gtest/gtest.h>

namespace tablecast {
namespace {

struct AcceptCase {
  const char* header;
  bool want;
};

TEST(AcceptsGzipTest, FollowsWeights) {
  const std::vector<AcceptCase> cases = {
      {"", false},
      {"gzip", true},
      {"GZIP", true},
      {"x-gzip", true},
      {"gzip, deflate, br", true},
      {"deflate, br", false},
      {"br", false},
      {"*", true},
      {"gzip;q=0", false},
      {"gzip; q=0.5, identity;q=0.6", false},
      {"gzip;q=0.5, identity;q=0.5", true},
      {"*;q=0, gzip;q=0.001", true},
      {"*;q=0", false},
      {"gzip;q=0, *", false},
      {"gzip;q=banana", false},
      {"gzip;q=1.000", true},
      {"gzip;level=9", false},
      {", ,gzip", true},
  };
  for (const AcceptCase& c : cases) EXPECT_EQ(AcceptsGzip(c.header), c.want) << c.header;
}

TEST(IsCompressibleTypeTest, LooksAtTheTypeNotItsParameters) {
  for (const char* type : {"application/json", "application/json;odata.metadata=minimal", "Application/JSON ; charset=utf-8",
                           "application/xml", "application/atom+xml", "text/html; charset=utf-8", "application/problem+json",
                           "multipart/mixed; boundary=x"}) {
    EXPECT_TRUE(IsCompressibleType(type)) << type;
  }
  for (const char* type : {"", "image/png", "application/octet-stream", "application/gzip", "application/jsonx"}) {
    EXPECT_FALSE(IsCompressibleType(type)) << type;
  }
}

std::string Compress(std::string_view text) {
  GzipCompressor gzip;
  std::string out;
  gzip.Append(text, true, out);
  return out;
}

TEST(GzipTest, RoundTrips) {
  GzipCompressor gzip;
  std::string large;
  for (int i = 0; i < 50'000; ++i) large += std::to_string(i * 7919);
  for (const std::string& text : {std::string(), std::string("a"), std::string(200'000, 'x'), large}) {
    gzip.Begin();  // one compressor serves many bodies
    std::string out;
    gzip.Append(text, true, out);
    const Result<std::string> back = InflateGzip(out, text.size());
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, text);
  }
}

TEST(GzipTest, PiecesAreReadableBeforeTheEnd) {
  GzipCompressor gzip;
  gzip.Begin();
  std::string out;
  gzip.Append("first ", false, out);
  EXPECT_GT(out.size(), 10U);  // more than the header: flushed
  gzip.Append("second", true, out);
  EXPECT_EQ(InflateGzip(out, 100).value(), "first second");
}

TEST(InflateGzipTest, ReadsSeveralMembers) {
  EXPECT_EQ(InflateGzip(Compress("one ") + Compress("two"), 100).value(), "one two");
}

TEST(InflateGzipTest, RefusesBombsAndRubbish) {
  const std::string bomb = Compress(std::string(std::size_t{64} << 20U, '0'));
  ASSERT_LT(bomb.size(), std::size_t{400} << 10U);
  EXPECT_EQ(InflateGzip(bomb, 1U << 20U).error().reason, "body-too-large");
  const std::string good = Compress("hello");
  EXPECT_EQ(InflateGzip(good.substr(0, good.size() - 1), 100).error().reason, "bad-gzip");
  EXPECT_EQ(InflateGzip(good + "rest", 100).error().reason, "bad-gzip");
  EXPECT_EQ(InflateGzip("", 100).error().reason, "bad-gzip");
  EXPECT_EQ(InflateGzip("plain text", 100).error().reason, "bad-gzip");
  std::string damaged = good;
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 1);  // its checksum
  EXPECT_EQ(InflateGzip(damaged, 100).error().reason, "bad-gzip");
  EXPECT_EQ(InflateGzip(Compress("12345"), 4).error().code, ErrorCode::kResourceExhausted);
  EXPECT_TRUE(InflateGzip(Compress("12345"), 5).ok());
}

}  // namespace
}  // namespace tablecast
