// The attacks that cpp-httplib 0.11.4 falls for, each against our server by raw sockets: what is
// answered, that the connection really ends, that memory stays flat and that others are served.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "http_test_client.h"
#include "odata/http_compression.h"
#include "odata/http_server.h"

namespace tablecast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
constexpr const char* kPing = "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n";

class HttpAttackTest : public ::testing::Test {
 protected:
  static HttpServerOptions Options() {
    HttpServerOptions options;
    options.limits.max_body_bytes = kMegabyte;
    options.limits.head_timeout = milliseconds(400);
    options.limits.idle_timeout = milliseconds(2'000);
    options.limits.rate_grace = milliseconds(400);
    return options;
  }

  explicit HttpAttackTest(HttpServerOptions options = Options()) : server_({.handler = EchoHandler}, std::move(options)) {}

  void ExpectOthersAreServed() {
    const Clock::time_point begin = Clock::now();
    EXPECT_EQ(BodyOf(server_.Connect().Roundtrip(kPing)), "GET /ping\n");
    EXPECT_LT(Clock::now() - begin, milliseconds(500));
  }

  // Sends until the server stops taking bytes or `most` are sent. UNITS: bytes.
  static std::size_t SendFlood(RawClient& client, std::string_view piece, std::size_t most) {
    std::size_t sent = 0;
    while (sent < most && client.Send(piece)) sent += piece.size();
    return sent;
  }

  RunningServer server_;
};

struct Flood {
  const char* name;
  std::string head;
  std::string piece;  // repeated up to 64 MB
  int status;
  const char* code;
};

TEST_F(HttpAttackTest, FloodsAreRefusedEarlyAndMemoryStaysFlat) {
  std::string chunk = "10000\r\n" + std::string(0x10000, 'c') + "\r\n";
  std::string header_lines;
  for (int i = 0; i < 1000; ++i) header_lines += "X-Header: value\r\n";
  const std::vector<Flood> floods = {
      {"chunked body over the limit", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", chunk, 413, "body-too-large"},
      {"body without length", "POST / HTTP/1.1\r\nHost: a\r\n\r\n", std::string(65536, 'b'), 411, "length-required"},
      {"body over the limit", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 67108864\r\n\r\n", std::string(65536, 'b'), 413, "body-too-large"},
      {"header lines", "GET / HTTP/1.1\r\n", header_lines, 431, "too-many-header-lines"},
      {"one huge header", "GET / HTTP/1.1\r\nHost: a\r\nX: ", std::string(65536, 'h'), 431, "head-too-large"},
      {"one huge request line", "GET /", std::string(65536, 'l'), 414, "request-line-too-long"},
      {"one huge chunk extension", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;", std::string(65536, 'e'), 400, "bad-chunk"},
      {"endless trailer", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", header_lines, 400, "bad-chunk"},
      {"GET with a body", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 67108864\r\n\r\n", std::string(65536, 'g'), 400, "unexpected-body"},
  };
  ExpectOthersAreServed();
  const std::size_t before = AnonymousMemory();
  for (const Flood& flood : floods) {
    SCOPED_TRACE(flood.name);
    RawClient client = server_.Connect();
    ASSERT_TRUE(client.Send(flood.head));
    const std::size_t sent = SendFlood(client, flood.piece, 64 * kMegabyte);
    EXPECT_LT(sent, 16 * kMegabyte);  // body limit, what lingers, and the sockets' buffers
    ExpectOthersAreServed();
  }
  EXPECT_LT(AnonymousMemory(), before + 8 * kMegabyte);

  // The same with a client that reads: the reason arrives before the connection ends.
  for (const Flood& flood : floods) {
    SCOPED_TRACE(flood.name);
    RawClient client = server_.Connect();
    ASSERT_TRUE(client.Send(flood.head));
    for (int i = 0; i < 20 && !client.Readable(milliseconds(0)); ++i) client.Send(flood.piece);
    bool ended = false;
    const std::string response = client.ReadToEnd(&ended);
    EXPECT_EQ(StatusOf(response), flood.status);
    EXPECT_THAT(response, AllOf(HasSubstr("Connection: close\r\n"), HasSubstr("OData-Version: 4.0\r\n"),
                                HasSubstr("{\"error\":{\"code\":\"" + std::string(flood.code) + "\"")));
    EXPECT_TRUE(ended);
  }
}

TEST_F(HttpAttackTest, AGzipBombStaysSmall) {
  GzipCompressor gzip;
  std::string bomb;
  gzip.Append(std::string(200 * kMegabyte, '0'), true, bomb);
  ASSERT_LT(bomb.size(), kMegabyte);
  RawClient client = server_.Connect();
  client.Roundtrip(kPing);
  const std::size_t before = AnonymousMemory();
  const std::string response = client.Roundtrip("POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: " +
                                                std::to_string(bomb.size()) + "\r\n\r\n" + bomb);
  EXPECT_EQ(StatusOf(response), 413);
  EXPECT_LT(AnonymousMemory(), before + 8 * kMegabyte);
}

struct Smuggle {
  const char* name;
  const char* request;
  int status;
};

TEST_F(HttpAttackTest, NothingAfterAnAmbiguousRequestIsARequest) {
  const std::vector<Smuggle> cases = {
      {"bad length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n", 400},
      {"doubled length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400},
      {"two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 90\r\n\r\n", 400},
      {"length list", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 90\r\n\r\n", 400},
      {"length and chunks", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"unknown coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", 501},
      {"coding with tab", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\tchunked\r\nContent-Length: 3\r\n\r\n", 400},
      {"blank before colon", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 30\r\n\r\n", 400},
      {"GET with a body", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n", 400},
      {"negative chunk", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nab\r\n", 400},
      {"bare line feeds", "GET / HTTP/1.1\nHost: a\n\n", 400},
      {"folded header", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", 400},
      {"TLS to the plain port", "\x16\x03\x01\x02\x01\n", 400},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
  };
  for (const Smuggle& c : cases) {
    SCOPED_TRACE(c.name);
    RawClient client = server_.Connect();
    ASSERT_TRUE(client.Send(std::string(c.request) + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"));
    bool ended = false;
    const std::string response = client.ReadToEnd(&ended);
    EXPECT_EQ(StatusOf(response), c.status);
    EXPECT_TRUE(ended);
    EXPECT_EQ(response.find("X-Request-Id"), response.rfind("X-Request-Id")) << response;  // one answer only
    EXPECT_EQ(response.find("smuggled"), std::string::npos);
  }
}

TEST_F(HttpAttackTest, TheAddressIsThePeersWhateverTheHeadersSay) {
  HttpServerHooks hooks;
  hooks.handler = [](const HttpRequest& request) {
    HttpResponse response;
    response.body = request.remote_address;
    return response;
  };
  RunningServer server(std::move(hooks));
  RawClient client = server.Connect();
  EXPECT_EQ(BodyOf(client.Roundtrip("GET / HTTP/1.1\r\nHost: a\r\nREMOTE_ADDR: 10.0.0.1\r\nX-Forwarded-For: 10.0.0.2\r\n\r\n")),
            "127.0.0.1");
}

TEST_F(HttpAttackTest, LongAndOddTargetsArriveWhole) {
  RawClient client = server_.Connect();
  const std::string target = "/a?$filter=" + std::string(30'000, 'x') + "?second=1?third";
  EXPECT_EQ(BodyOf(client.Roundtrip("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n")), "GET " + target + "\n");
}

TEST_F(HttpAttackTest, SlowHeadsAreTimedOutAndOthersServed) {
  std::vector<RawClient> slow;
  // Both ends are in this process; few systems' hard limits forbid that.
  const int clients = server_.server().limits().max_connections > 2'500 ? 1'000 : 200;
  for (int i = 0; i < clients; ++i) {
    slow.push_back(server_.Connect());
    ASSERT_TRUE(slow.back().Send(i % 2 == 0 ? "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: " : "G"));
  }
  ExpectOthersAreServed();
  const Clock::time_point begin = Clock::now();
  while (Clock::now() - begin < milliseconds(300)) {  // a byte now and then buys no time
    for (RawClient& client : slow) client.Send("a");
    std::this_thread::yield();
  }
  int timed_out = 0;
  for (RawClient& client : slow) {
    bool ended = false;
    const std::string response = client.ReadToEnd(&ended);
    timed_out += ended && (StatusOf(response) == 408 || StatusOf(response) == 400) ? 1 : 0;
    if (StatusOf(response) == 408) {
      EXPECT_THAT(response, HasSubstr("headTimeoutMs (400)"));
    }
  }
  EXPECT_EQ(timed_out, clients);
  EXPECT_LT(Clock::now() - begin, milliseconds(4'000));
  ExpectOthersAreServed();
}

TEST_F(HttpAttackTest, SilentConnectionsEndWithoutAnAnswer) {
  RawClient silent = server_.Connect();
  bool ended = false;
  EXPECT_EQ(silent.ReadToEnd(&ended), "");
  EXPECT_TRUE(ended);
}

TEST_F(HttpAttackTest, SlowBodiesAreCutOff) {
  RawClient client = server_.Connect();
  ASSERT_TRUE(client.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"));
  const Clock::time_point begin = Clock::now();
  while (!client.Readable(milliseconds(20)) && Clock::now() - begin < milliseconds(5'000)) client.Send("a");
  const std::string response = client.ReadToEnd();
  EXPECT_EQ(StatusOf(response), 408);
  EXPECT_THAT(response, HasSubstr("minBodyBytesPerSecond (1024)"));
}

class BodyTimeoutTest : public HttpAttackTest {
 protected:
  static HttpServerOptions SlowAllowed() {
    HttpServerOptions options = Options();
    options.limits.min_body_bytes_per_second = 0;
    options.limits.body_timeout = milliseconds(300);
    return options;
  }
  BodyTimeoutTest() : HttpAttackTest(SlowAllowed()) {}
};

TEST_F(BodyTimeoutTest, TheWholeBodyHasADeadline) {
  RawClient client = server_.Connect();
  ASSERT_TRUE(client.Send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
  const Clock::time_point begin = Clock::now();
  while (!client.Readable(milliseconds(20)) && Clock::now() - begin < milliseconds(5'000)) client.Send("1\r\na\r\n");
  const std::string response = client.ReadToEnd();
  EXPECT_EQ(StatusOf(response), 408);
  EXPECT_THAT(response, HasSubstr("bodyTimeoutMs (300)"));
}

TEST_F(HttpAttackTest, IdleConnectionsCostNoThread) {
  std::vector<RawClient> idle;
  for (int i = 0; i < 200; ++i) {
    idle.push_back(server_.Connect());
    ASSERT_EQ(StatusOf(idle.back().Roundtrip(kPing)), 200);
  }
  const Clock::time_point begin = Clock::now();
  EXPECT_EQ(BodyOf(server_.Connect().Roundtrip(kPing)), "GET /ping\n");
  EXPECT_LT(Clock::now() - begin, milliseconds(50));
  for (RawClient& client : idle) EXPECT_EQ(StatusOf(client.Roundtrip(kPing)), 200);
}

class BufferBudgetTest : public HttpAttackTest {
 protected:
  static HttpServerOptions Small() {
    HttpServerOptions options = Options();
    options.limits.max_buffered_bytes = 3 * kMegabyte;
    options.limits.rate_grace = milliseconds(10'000);
    return options;
  }
  BufferBudgetTest() : HttpAttackTest(Small()) {}
};

TEST_F(BufferBudgetTest, BodiesAreRefusedBeforeMemoryGrows) {
  // Sixteen bodies of just under 1 MB that never end would need 16 MB.
  std::vector<RawClient> clients;
  int refused = 0;
  for (int i = 0; i < 16; ++i) {
    clients.push_back(server_.Connect());
    clients.back().Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + std::string(900'000, 'b'));
    if (clients.back().Readable(milliseconds(100))) {
      const std::string response = clients.back().ReadResponse();
      EXPECT_EQ(StatusOf(response), 503);
      EXPECT_THAT(response, AllOf(HasSubstr("maxBufferedBytes (3145728)"), HasSubstr("Retry-After: 1")));
      ++refused;
    }
  }
  EXPECT_GE(refused, 12);
  EXPECT_LE(server_.server().load().buffered_bytes, 5 * kMegabyte);
  clients.clear();
  int status = 0;
  for (int i = 0; i < 1'000 && status != 200; ++i) status = StatusOf(server_.Connect().Roundtrip(kPing));
  EXPECT_EQ(status, 200);
}

TEST_F(HttpAttackTest, ClientsThatLeaveAtAnyMomentLeaveNothingBehind) {
  const std::string whole = "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    RawClient client = server_.Connect();
    client.Send(std::string_view(whole).substr(0, size));
    if (size % 2 == 0) {
      const linger reset{1, 0};
      ::setsockopt(client.fd(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    }
  }
  const Clock::time_point begin = Clock::now();
  while (server_.server().load().connections > 0 && Clock::now() - begin < milliseconds(5'000)) std::this_thread::yield();
  EXPECT_EQ(server_.server().load().connections, 0U);
  EXPECT_EQ(server_.server().load().buffered_bytes, 0U);
  ExpectOthersAreServed();
}

}  // namespace
}  // namespace tablecast
