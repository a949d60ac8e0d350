#include "odata/http_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tablecast {
namespace {

using ::testing::HasSubstr;

struct ScanCase {
  const char* name;
  std::string bytes;
  HeadScanner::Verdict want;
  int status;
  const char* code;
};

TEST(HeadScannerTest, FindsTheEndOrRefuses) {
  const HttpLimits limits;
  using Verdict = HeadScanner::Verdict;
  std::string many_lines = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 101; ++i) many_lines += "a: b\r\n";
  std::string allowed_lines = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 100; ++i) allowed_lines += "a: b\r\n";
  allowed_lines += "\r\n";
  const std::vector<ScanCase> cases = {
      {"complete", "GET / HTTP/1.1\r\nHost: a\r\n\r\nrest", Verdict::kComplete, 0, ""},
      {"incomplete", "GET / HTTP/1.1\r\nHost: a\r\n", Verdict::kIncomplete, 0, ""},
      {"one empty line before", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", Verdict::kComplete, 0, ""},
      {"three empty lines before", "\r\n\r\n\r\nGET", Verdict::kRefused, 400, "bad-request-line"},
      {"bare line feed", "GET / HTTP/1.1\n", Verdict::kRefused, 400, "bad-line-ending"},
      {"bare line feed only", "\n", Verdict::kRefused, 400, "bad-line-ending"},
      {"100 header lines", allowed_lines, Verdict::kComplete, 0, ""},
      {"101 header lines", many_lines, Verdict::kRefused, 431, "too-many-header-lines"},
      {"long request line without end", "GET /" + std::string(40'000, 'a'), Verdict::kRefused, 414, "request-line-too-long"},
      {"long request line with end", "GET /" + std::string(33'000, 'a') + " HTTP/1.1\r\n", Verdict::kRefused, 414,
       "request-line-too-long"},
      {"request line of 30 KB", "GET /" + std::string(30'000, 'a') + " HTTP/1.1\r\n\r\n", Verdict::kComplete, 0, ""},
      {"long header", "GET / HTTP/1.1\r\na: " + std::string(70'000, 'b'), Verdict::kRefused, 431, "head-too-large"},
  };
  for (const ScanCase& c : cases) {
    SCOPED_TRACE(c.name);
    HeadScanner at_once(limits);
    EXPECT_EQ(at_once.Scan(c.bytes), c.want);
    EXPECT_EQ(at_once.refusal().status, c.want == Verdict::kRefused ? c.status : 400);
    if (c.want == Verdict::kRefused) {
      EXPECT_EQ(at_once.refusal().code, c.code);
    }
    // However the bytes arrive, the answer is the same.
    HeadScanner by_pieces(limits);
    Verdict verdict = Verdict::kIncomplete;
    for (std::size_t size = 1; size <= c.bytes.size() && verdict == Verdict::kIncomplete; size += size < 200 ? 1 : 997) {
      verdict = by_pieces.Scan(std::string_view(c.bytes).substr(0, size));
    }
    if (verdict == Verdict::kIncomplete) verdict = by_pieces.Scan(c.bytes);
    EXPECT_EQ(verdict, c.want);
    if (c.want == Verdict::kComplete) {
      EXPECT_EQ(by_pieces.head_bytes(), at_once.head_bytes());
    }
  }
}

TEST(HeadScannerTest, NamesTheLimit) {
  const HttpLimits limits;
  HeadScanner scanner(limits);
  ASSERT_EQ(scanner.Scan("GET /" + std::string(40'000, 'a')), HeadScanner::Verdict::kRefused);
  EXPECT_THAT(scanner.refusal().message, HasSubstr("maxRequestLineBytes (32768)"));
}

struct RefusedHead {
  const char* head;
  int status;
  const char* code;
};

TEST(ParseRequestHeadTest, RefusesWhatIsMalformedOrAmbiguous) {
  const std::vector<RefusedHead> cases = {
      {"GET /\r\n\r\n", 400, "bad-request-line"},
      {"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad-request-target"},
      {"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad-request-target"},
      {"GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad-request-target"},
      {"G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad-method"},
      {"GET / HTTP/1.1x\r\nHost: a\r\n\r\n", 400, "bad-version"},
      {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505, "version-not-supported"},
      {"PRI * HTTP/2.0\r\n\r\n", 505, "version-not-supported"},
      {"GET a HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad-request-target"},
      {"GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad-request-target"},
      {"GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad-request-target"},
      {"GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad-request-target"},
      {"GET / HTTP/1.1\r\n\r\n", 400, "bad-host"},
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400, "bad-host"},
      {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "bad-host"},
      {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400, "bad-header"},
      {"GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400, "bad-header"},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: a\x01z\r\n\r\n", 400, "bad-header"},
      {"GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400, "bad-header"},
      {"GET / HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n", 400, "bad-header"},
      {"POST / HTTP/1.1\r\nHost: a\r\n\r\n", 411, "length-required"},
      {"PATCH / HTTP/1.1\r\nHost: a\r\n\r\n", 411, "length-required"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n", 400, "bad-content-length"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n", 400, "bad-content-length"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n", 400, "bad-content-length"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400, "bad-content-length"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n", 400, "bad-content-length"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\n", 400, "bad-content-length"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400, "bad-content-length"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", 400, "bad-content-length"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "ambiguous-length"},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "ambiguous-length"},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501, "transfer-encoding-not-supported"},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 501,
       "transfer-encoding-not-supported"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Encoding: br\r\n\r\n", 415, "content-encoding-not-supported"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Encoding: gzip, gzip\r\n\r\n", 415,
       "content-encoding-not-supported"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\nContent-Encoding: gzip\r\n\r\n", 415,
       "content-encoding-not-supported"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: magic\r\n\r\n", 417, "expectation-failed"},
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", 400, "unexpected-body"},
      {"HEAD / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "unexpected-body"},
      {"TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", 405, "method-not-allowed"},
      {"BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 501, "method-not-implemented"},
  };
  for (const RefusedHead& c : cases) {
    SCOPED_TRACE(c.head);
    const auto head = ParseRequestHead(c.head, HttpLimits());
    ASSERT_FALSE(head.has_value());
    EXPECT_EQ(head.error().status, c.status);
    EXPECT_EQ(head.error().code, c.code);
    EXPECT_FALSE(head.error().message.empty());
  }
  const std::string nul("GET / HTTP/1.1\r\nHost: a\r\nX: a\0z\r\n\r\n", 35);
  EXPECT_EQ(ParseRequestHead(nul, HttpLimits()).error().code, "bad-header");
}

TEST(ParseRequestHeadTest, KeepsTargetAndHeadersAsSent) {
  const auto head = ParseRequestHead(
      "PATCH /odata/A('%2F')?x=1?y=%zz HTTP/1.1\r\nHost: a.example:80\r\nif-match:  W/\"%41\" \r\nX: 1\r\nx: 2\r\n"
      "Content-Length: 3\r\n\r\n",
      HttpLimits());
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->method, "PATCH");
  EXPECT_EQ(head->target, "/odata/A('%2F')?x=1?y=%zz");
  EXPECT_EQ(head->authority, "a.example:80");
  EXPECT_EQ(head->headers.Get("If-Match"), "W/\"%41\"");
  EXPECT_EQ(head->headers.Joined("X"), "1, 2");
  EXPECT_EQ(head->content_length, 3U);
  EXPECT_TRUE(head->keep_alive);
}

TEST(ParseRequestHeadTest, ReducesTheAbsoluteForm) {
  const auto head = ParseRequestHead("GET http://b.example?x HTTP/1.1\r\nHost: a\r\n\r\n", HttpLimits());
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->target, "/?x");
  EXPECT_EQ(head->authority, "b.example");
}

struct KeepAliveCase {
  const char* head;
  bool want;
};

TEST(ParseRequestHeadTest, DecidesAboutKeepAlive) {
  const std::vector<KeepAliveCase> cases = {
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", true},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n", false},
      {"GET / HTTP/1.0\r\n\r\n", false},
      {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true},
  };
  for (const KeepAliveCase& c : cases) {
    const auto head = ParseRequestHead(c.head, HttpLimits());
    ASSERT_TRUE(head.has_value()) << c.head;
    EXPECT_EQ(head->keep_alive, c.want) << c.head;
  }
}

TEST(BodyLimitTest, BatchesMayBeLarger) {
  RequestHead head;
  const HttpLimits limits;
  for (const char* batch : {"/odata/$batch", "/odata/%24batch?x=1", "/$batch/"}) {
    head.target = batch;
    EXPECT_EQ(BodyLimitFor(head, limits).bytes, limits.max_batch_body_bytes) << batch;
  }
  for (const char* plain : {"/odata/Order", "/odata/Order?x=/$batch", "/batch", "/$batchx"}) {
    head.target = plain;
    EXPECT_EQ(BodyLimitFor(head, limits).bytes, limits.max_body_bytes) << plain;
  }
}

struct ChunkCase {
  const char* name;
  std::string bytes;
  ChunkedDecoder::Verdict want;
  std::string body;  // when kDone
  std::string rest;
  int status = 400;
};

TEST(ChunkedDecoderTest, DecodesHoweverTheBytesArrive) {
  using Verdict = ChunkedDecoder::Verdict;
  const std::vector<ChunkCase> cases = {
      {"two chunks", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nGET", Verdict::kDone, "abcde", "GET"},
      {"extension and blanks", "3 ;x=y\r\nabc\r\n0\r\n\r\n", Verdict::kDone, "abc", ""},
      {"trailer", "1\r\na\r\n0\r\nX: y\r\n\r\nrest", Verdict::kDone, "a", "rest"},
      {"upper case", "A\r\n0123456789\r\n0\r\n\r\n", Verdict::kDone, "0123456789", ""},
      {"no end yet", "3\r\nabc\r\n0\r\n", Verdict::kMore, "", ""},
      {"negative size", "-2\r\nab\r\n", Verdict::kRefused, "", ""},
      {"prefixed size", "0x2\r\nab\r\n", Verdict::kRefused, "", ""},
      {"empty size", "\r\nab\r\n", Verdict::kRefused, "", ""},
      {"nine digits", "000000001\r\na\r\n", Verdict::kRefused, "", ""},
      {"longer than said", "1\r\nab\r\n", Verdict::kRefused, "", ""},
      {"bare line feed", "1\na\r\n", Verdict::kRefused, "", ""},
      {"endless extension", "1;" + std::string(300, 'x'), Verdict::kRefused, "", ""},
      {"control byte in extension", "1;\x01\r\na\r\n", Verdict::kRefused, "", ""},
      {"over the limit", "ffff\r\n", Verdict::kRefused, "", "", 413},
      {"huge", "ffffffff\r\n", Verdict::kRefused, "", "", 413},
      {"trailer too large", "0\r\n" + [] { std::string t; for (int i = 0; i < 100; ++i) t += "X: " + std::string(60, 'y') + "\r\n"; return t; }(),
       Verdict::kRefused, "", ""},
  };
  for (const ChunkCase& c : cases) {
    SCOPED_TRACE(c.name);
    for (const std::size_t piece : {c.bytes.size(), std::size_t{1}, std::size_t{3}}) {
      ChunkedDecoder decoder({1024, "maxBodyBytes"});
      std::string body;
      std::string rest;
      Verdict verdict = Verdict::kMore;
      for (std::size_t at = 0; at < c.bytes.size(); at += piece) {
        std::string_view input = std::string_view(c.bytes).substr(at, piece);
        if (verdict == Verdict::kMore) verdict = decoder.Decode(input, body);
        rest += input;
      }
      EXPECT_EQ(verdict, c.want);
      if (c.want == Verdict::kDone) {
        EXPECT_EQ(body, c.body);
        EXPECT_EQ(rest, c.rest);
      }
      if (c.want == Verdict::kRefused) {
        EXPECT_EQ(decoder.refusal().status, c.status);
      }
    }
  }
}

}  // namespace
}  // namespace tablecast
