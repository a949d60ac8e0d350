#include "odata/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <vector>

#include "http_test_client.h"
#include "odata/http_compression.h"
#include "odata/trusted_proxies.h"

namespace tablecast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using std::chrono::milliseconds;

HttpServerHooks Echo() { return {.handler = EchoHandler}; }

// The same server with every request on a worker, and with every request on the loop.
class HttpServerTest : public ::testing::TestWithParam<bool> {
 protected:
  HttpServerHooks Hooks() const {
    HttpServerHooks hooks = Echo();
    if (GetParam()) hooks.is_cheap = [](const HttpRequest&) { return true; };
    return hooks;
  }
};
INSTANTIATE_TEST_SUITE_P(Threads, HttpServerTest, ::testing::Bool(),
                         [](const auto& instance) { return instance.param ? "OnTheLoop" : "OnWorkers"; });

TEST_P(HttpServerTest, AnswersManyRequestsOnOneConnection) {
  RunningServer server(Hooks());
  RawClient client = server.Connect();
  for (int i = 0; i < 300; ++i) {
    const std::string target = "/odata/A('%2F')?n=" + std::to_string(i) + "?second=%zz";
    const std::string response = client.Roundtrip("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_EQ(StatusOf(response), 200);
    ASSERT_EQ(BodyOf(response), "GET " + target + "\n");
  }
}

TEST_P(HttpServerTest, ReadsBodiesOfBothFramings) {
  RunningServer server(Hooks());
  RawClient client = server.Connect();
  for (const char* method : {"POST", "PUT", "PATCH", "MERGE", "DELETE"}) {
    const std::string line = std::string(method) + " /x HTTP/1.1\r\nHost: a\r\n";
    EXPECT_EQ(BodyOf(client.Roundtrip(line + "Content-Length: 5\r\n\r\nhello")), std::string(method) + " /x\nhello");
    EXPECT_EQ(BodyOf(client.Roundtrip(line + "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")),
              std::string(method) + " /x\nhello");
  }
  const std::string large(3'000'000, 'z');
  EXPECT_EQ(BodyOf(client.Roundtrip("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n" + large)),
            "POST /x\n" + large);
}

TEST_P(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  RunningServer server(Hooks());
  RawClient client = server.Connect();
  std::string requests;
  constexpr int kRequests = 200;
  for (int i = 0; i < kRequests; ++i) {
    requests += i % 3 == 0 ? "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
                           : "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }
  ASSERT_TRUE(client.Send(requests));
  for (int i = 0; i < kRequests; ++i) {
    EXPECT_EQ(BodyOf(client.ReadResponse()),
              (i % 3 == 0 ? "POST /" : "GET /") + std::to_string(i) + "\n" + (i % 3 == 0 ? "abc" : ""));
  }
}

TEST_P(HttpServerTest, ReadsRequestsByteByByte) {
  RunningServer server(Hooks());
  RawClient client = server.Connect();
  for (const char c : std::string("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")) {
    ASSERT_TRUE(client.Send(std::string_view(&c, 1)));
  }
  EXPECT_EQ(BodyOf(client.ReadResponse()), "POST /x\nabc");
}

TEST_P(HttpServerTest, HeadHasTheHeadersOfGetAndNoBody) {
  RunningServer server(Hooks());
  RawClient client = server.Connect();
  ASSERT_TRUE(client.Send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\nGET /y HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_THAT(client.ReadResponse(true), HasSubstr("Content-Length: 8\r\n"));
  EXPECT_EQ(BodyOf(client.ReadResponse()), "GET /y\n");
}

TEST_P(HttpServerTest, EndsConnectionsWhenAskedTo) {
  RunningServer server(Hooks());
  struct Case {
    const char* request;
    bool ends;
    const char* header;
  };
  for (const Case& c : {Case{"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", true, "Connection: close\r\n"},
                        Case{"GET / HTTP/1.0\r\n\r\n", true, "Connection: close\r\n"},
                        Case{"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false, "Connection: keep-alive\r\n"},
                        Case{"GET / HTTP/1.1\r\nHost: a\r\n\r\n", false, "Keep-Alive: timeout=60\r\n"}}) {
    SCOPED_TRACE(c.request);
    RawClient client = server.Connect();
    const std::string response = client.Roundtrip(c.request);
    EXPECT_EQ(StatusOf(response), 200);
    EXPECT_THAT(response, HasSubstr(c.header));
    if (c.ends) {
      bool ended = false;
      client.ReadToEnd(&ended);
      EXPECT_TRUE(ended);
    } else {
      EXPECT_EQ(StatusOf(client.Roundtrip(c.request)), 200);
    }
  }
}

TEST_P(HttpServerTest, AsksForTheBodyWhenTheClientWaits) {
  RunningServer server(Hooks());
  RawClient client = server.Connect();
  const std::string head = "POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ";
  EXPECT_THAT(client.Roundtrip(head + "3\r\n\r\n"), StartsWith("HTTP/1.1 100 Continue\r\n\r\n"));
  EXPECT_EQ(BodyOf(client.Roundtrip("abc")), "POST /x\nabc");
  // A body that would be refused is not asked for.
  EXPECT_EQ(StatusOf(client.Roundtrip(head + "99999999\r\n\r\n")), 413);
}

TEST_P(HttpServerTest, CompressesLargeTextForWhoeverAllowsIt) {
  HttpServerHooks hooks = Hooks();
  const std::string page(40'000, 'p');
  hooks.handler = [&](const HttpRequest& request) {
    HttpResponse response;
    response.headers.Add("Content-Type", request.target == "/png" ? "image/png" : "application/json;odata.metadata=minimal");
    response.body = request.target == "/small" ? "{}" : page;
    return response;
  };
  RunningServer server(std::move(hooks));
  RawClient client = server.Connect();
  const auto get = [&](const std::string& target, const std::string& accept) {
    return client.Roundtrip("GET " + target + " HTTP/1.1\r\nHost: a\r\nAccept-Encoding: " + accept + "\r\n\r\n");
  };
  const std::string zipped = get("/", "gzip, deflate, br");
  EXPECT_THAT(zipped.substr(0, 600), AllOf(HasSubstr("Content-Encoding: gzip\r\n"), HasSubstr("Vary: Accept-Encoding\r\n")));
  EXPECT_EQ(InflateGzip(BodyOf(zipped), page.size()).value(), page);
  for (const auto& [target, accept] : std::vector<std::pair<std::string, std::string>>{
           {"/", "br"}, {"/", "gzip;q=0"}, {"/", "identity"}, {"/small", "gzip"}, {"/png", "gzip"}}) {
    const std::string plain = get(target, accept);
    EXPECT_THAT(plain.substr(0, 600), Not(HasSubstr("Content-Encoding"))) << target << " " << accept;
    EXPECT_EQ(BodyOf(plain).size(), target == "/small" ? 2U : page.size());
  }
}

TEST_P(HttpServerTest, InflatesCompressedRequests) {
  HttpServerOptions options;
  options.limits.max_body_bytes = 100'000;
  RunningServer server(Hooks(), options);
  RawClient client = server.Connect();
  const auto post = [&](const std::string& body) {
    return client.Roundtrip("POST /x HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: " +
                            std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  const auto zip = [](const std::string& text) {
    GzipCompressor gzip;
    std::string out;
    gzip.Append(text, true, out);
    return out;
  };
  EXPECT_EQ(BodyOf(post(zip("hello"))), "POST /x\nhello");
  EXPECT_EQ(StatusOf(post("not gzip")), 400);
  const std::string bomb = post(zip(std::string(5'000'000, 'b')));
  EXPECT_EQ(StatusOf(bomb), 413);
  EXPECT_THAT(bomb, HasSubstr("maxBodyBytes (100000)"));
}

TEST_P(HttpServerTest, NeverSendsInjectedHeaders) {
  HttpServerHooks hooks = Hooks();
  hooks.handler = [](const HttpRequest& request) {
    HttpResponse response;
    const std::string evil = request.target == "/cr" ? "a\rX: y" : request.target == "/lf" ? "a\nX: y" : std::string("a\0b", 3);
    response.headers.Add(request.target == "/name" ? "Na me" : "Location", request.target == "/name" ? "v" : evil);
    return response;
  };
  RunningServer server(std::move(hooks));
  RawClient client = server.Connect();
  for (const char* target : {"/cr", "/lf", "/nul", "/name"}) {
    const std::string response = client.Roundtrip("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(StatusOf(response), 500) << target;
    EXPECT_THAT(response, AllOf(Not(HasSubstr("X: y")), Not(HasSubstr("Location")))) << target;
  }
}

TEST_P(HttpServerTest, HidesWhatAHandlerThrows) {
  HttpServerHooks hooks = Hooks();
  hooks.handler = [](const HttpRequest&) -> HttpResponse { throw std::runtime_error("secret path"); };
  RunningServer server(std::move(hooks));
  RawClient client = server.Connect();
  const std::string response = client.Roundtrip("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(StatusOf(response), 500);
  EXPECT_THAT(response, AllOf(HasSubstr("\"code\":\"internal\""), HasSubstr("OData-Version: 4.0"), Not(HasSubstr("secret"))));
  EXPECT_EQ(StatusOf(client.Roundtrip("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), 500);  // the connection lives on
}

TEST_P(HttpServerTest, DressesEveryAnswer) {
  RunningServer server(Hooks());
  RawClient client = server.Connect();
  const std::string named = client.Roundtrip("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: trace-42\r\n\r\n");
  EXPECT_THAT(named, AllOf(HasSubstr("X-Request-Id: trace-42\r\n"), HasSubstr("X-Content-Type-Options: nosniff\r\n"),
                           HasSubstr("Content-Security-Policy: default-src 'none'"), HasSubstr("Referrer-Policy: no-referrer"),
                           HasSubstr("Date: "), Not(HasSubstr("Strict-Transport-Security"))));
  const std::string odd = client.Roundtrip("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: \"<script>\r\n\r\n");
  EXPECT_THAT(odd, AllOf(HasSubstr("X-Request-Id: "), Not(HasSubstr("script"))));
}

TEST_P(HttpServerTest, SendsNoLengthWithoutContent) {
  HttpServerHooks hooks = Hooks();
  hooks.handler = [](const HttpRequest&) {
    HttpResponse response;
    response.status = 204;
    response.headers = {{"Content-Length", "7"}, {"Transfer-Encoding", "chunked"}, {"Connection", "upgrade"}};
    return response;
  };
  RunningServer server(std::move(hooks));
  RawClient client = server.Connect();
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(client.Roundtrip("DELETE /x HTTP/1.1\r\nHost: a\r\n\r\n"),
                AllOf(StartsWith("HTTP/1.1 204 No Content\r\n"), Not(HasSubstr("Content-Length")),
                      Not(HasSubstr("Transfer-Encoding")), Not(HasSubstr("upgrade"))));
  }
}

// A body of `pieces` times 100,000 bytes.
HttpResponse Stream(int pieces, std::shared_ptr<int> made = nullptr) {
  HttpResponse response;
  response.headers.Add("Content-Type", "application/json");
  response.body = "begin ";
  response.producer = [pieces, made, left = pieces](std::string& chunk) mutable -> Result<bool> {
    chunk.assign(100'000, static_cast<char>('a' + (pieces - left) % 26));
    if (made) ++*made;
    return --left > 0;
  };
  return response;
}

std::string Unchunk(const std::string& body) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t size = std::stoul(body.substr(at), nullptr, 16);
    if (size == 0) return out;
    at = body.find("\r\n", at) + 2;
    out += body.substr(at, size);
    at += size + 2;
  }
}

TEST_P(HttpServerTest, StreamsWhatAProducerYields) {
  HttpServerHooks hooks = Hooks();
  hooks.handler = [](const HttpRequest&) { return Stream(60); };
  RunningServer server(std::move(hooks));
  std::string want = "begin ";
  for (int i = 0; i < 60; ++i) want.append(100'000, static_cast<char>('a' + i % 26));
  RawClient client = server.Connect();
  const std::string chunked = client.Roundtrip("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(Unchunk(BodyOf(chunked)), want);
  const std::string zipped = client.Roundtrip("GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n");
  EXPECT_THAT(zipped.substr(0, 500), HasSubstr("Content-Encoding: gzip\r\n"));
  EXPECT_EQ(InflateGzip(Unchunk(BodyOf(zipped)), want.size()).value(), want);
  // HTTP/1.0 knows no chunks: the end of the connection ends the body.
  RawClient old = server.Connect();
  ASSERT_TRUE(old.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  bool ended = false;
  const std::string response = old.ReadToEnd(&ended);
  EXPECT_TRUE(ended);
  EXPECT_THAT(response.substr(0, 500), Not(HasSubstr("chunked")));
  EXPECT_EQ(BodyOf(response), want);
}

TEST_P(HttpServerTest, AFailingProducerBreaksTheBodyVisibly) {
  HttpServerHooks hooks = Hooks();
  hooks.handler = [](const HttpRequest&) {
    HttpResponse response;
    response.producer = [calls = 0](std::string& chunk) mutable -> Result<bool> {
      if (++calls > 2) return MakeError(ErrorCode::kDataLoss, "broken", "broken");
      chunk = "piece";
      return true;
    };
    return response;
  };
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<RequestRecord> records;
  hooks.on_finished = [&](const RequestRecord& record) {
    const std::lock_guard lock(mutex);
    records.push_back(record);
    arrived.notify_all();
  };
  RunningServer server(std::move(hooks));
  RawClient client = server.Connect();
  ASSERT_TRUE(client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  bool ended = false;
  const std::string response = client.ReadToEnd(&ended);
  EXPECT_TRUE(ended);
  EXPECT_THAT(response, Not(HasSubstr("\r\n0\r\n")));
  std::unique_lock lock(mutex);
  ASSERT_TRUE(arrived.wait_for(lock, milliseconds(10'000), [&] { return !records.empty(); }));
  EXPECT_FALSE(records[0].complete);
}

TEST(HttpServerLoadTest, ASlowReaderGetsNoMoreThanItTakesAndIsCutOff) {
  HttpServerHooks hooks;
  auto made = std::make_shared<int>(0);
  hooks.handler = [&](const HttpRequest&) { return Stream(5'000, made); };  // 500 MB
  std::mutex mutex;
  std::condition_variable arrived;
  bool finished = false;
  bool complete = true;
  hooks.on_finished = [&](const RequestRecord& record) {
    const std::lock_guard lock(mutex);
    finished = true;
    complete = record.complete;
    arrived.notify_all();
  };
  HttpServerOptions options;
  options.worker_threads = 1;
  options.limits.write_stall_timeout = milliseconds(300);
  RunningServer server(std::move(hooks), options);
  const std::size_t before = AnonymousMemory();
  RawClient client = server.Connect(4096);
  ASSERT_TRUE(client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  std::unique_lock lock(mutex);
  ASSERT_TRUE(arrived.wait_for(lock, milliseconds(20'000), [&] { return finished; }));
  EXPECT_FALSE(complete);
  EXPECT_LT(*made, 200);  // the socket's buffers, not the body
  EXPECT_LT(AnonymousMemory(), before + (std::size_t{16} << 20U));
}

TEST(HttpServerLoadTest, ASlowReaderDoesNotHoldAWorker) {
  HttpServerHooks hooks;
  hooks.handler = [](const HttpRequest& request) { return request.target == "/stream" ? Stream(1'000) : EchoHandler(request); };
  HttpServerOptions options;
  options.worker_threads = 1;
  RunningServer server(std::move(hooks), options);
  std::vector<RawClient> slow;
  for (int i = 0; i < 8; ++i) {
    slow.push_back(server.Connect(4096));
    ASSERT_TRUE(slow.back().Send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"));
  }
  RawClient other = server.Connect();
  EXPECT_EQ(BodyOf(other.Roundtrip("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")), "GET /x\n");
}

// Blocks handlers until released.
class Gate {
 public:
  void Wait() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  bool AwaitWaiting(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, milliseconds(10'000), [&] { return waiting_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool open_ = false;
};

TEST(HttpServerLoadTest, ShedsLoadWhenTheQueueIsFull) {
  Gate gate;
  HttpServerHooks hooks;
  hooks.handler = [&](const HttpRequest& request) {
    gate.Wait();
    return EchoHandler(request);
  };
  HttpServerOptions options;
  options.worker_threads = 1;
  options.limits.max_queued_requests = 1;
  RunningServer server(std::move(hooks), options);
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  RawClient first = server.Connect();
  ASSERT_TRUE(first.Send(request));
  ASSERT_TRUE(gate.AwaitWaiting(1));
  // One of these is queued, all others are turned away at once, on connections that go on.
  std::vector<RawClient> others;
  for (int i = 0; i < 4; ++i) {
    others.push_back(server.Connect());
    ASSERT_TRUE(others.back().Send(request));
  }
  int shed = 0;
  for (RawClient& other : others) {
    if (!other.Readable(milliseconds(500))) continue;
    const std::string response = other.ReadResponse();
    EXPECT_EQ(StatusOf(response), 503);
    EXPECT_THAT(response, AllOf(HasSubstr("Retry-After: 1\r\n"), HasSubstr("maxQueuedRequests (1)")));
    ++shed;
  }
  EXPECT_EQ(shed, 3);
  gate.Open();
  EXPECT_EQ(StatusOf(first.ReadResponse()), 200);
}

TEST(HttpServerLoadTest, DrainLetsRequestsEndAndThenReturns) {
  Gate gate;
  HttpServerHooks hooks;
  hooks.handler = [&](const HttpRequest& request) {
    gate.Wait();
    return EchoHandler(request);
  };
  RunningServer server(std::move(hooks));
  RawClient idle = server.Connect();
  RawClient busy = server.Connect();
  ASSERT_TRUE(busy.Send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n"));
  ASSERT_TRUE(gate.AwaitWaiting(1));
  server.server().RequestDrain();
  bool ended = false;
  EXPECT_EQ(idle.ReadToEnd(&ended), "");  // idle connections end at once
  EXPECT_TRUE(ended);
  EXPECT_TRUE(server.server().draining());
  gate.Open();
  const std::string response = busy.ReadToEnd(&ended);
  EXPECT_THAT(response, AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("GET /x\n")));
  EXPECT_TRUE(ended);
  busy.Close();
  server.Join();
  EXPECT_FALSE(RawClient(server.port()).connected());
}

TEST(HttpServerLoadTest, DrainHasAnEnd) {
  HttpServerOptions options;
  options.limits.drain_timeout = milliseconds(100);
  RunningServer server(Echo(), options);
  RawClient half = server.Connect();
  ASSERT_TRUE(half.Send("GET / HT"));
  EXPECT_EQ(StatusOf(server.Connect().Roundtrip("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), 200);
  server.server().RequestDrain();
  server.Join();
}

TEST(HttpServerLoadTest, CapsConnectionsInAllButNotLoopbackByAddress) {
  HttpServerOptions options;
  options.limits.max_connections = 8;
  options.limits.max_connections_per_address = 2;
  RunningServer server(Echo(), options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(server.Connect());
    EXPECT_EQ(StatusOf(clients.back().Roundtrip("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), 200) << i;
  }
  RawClient ninth = server.Connect();
  bool ended = false;
  const std::string refusal = ninth.ReadToEnd(&ended);
  EXPECT_EQ(StatusOf(refusal), 503);
  EXPECT_THAT(refusal, AllOf(HasSubstr("maxConnections (8)"), HasSubstr("Retry-After: 1"), HasSubstr("OData-Version")));
  EXPECT_TRUE(ended);
  clients.pop_back();
  // The place is free as soon as the server has noticed.
  int status = 0;
  for (int i = 0; i < 500 && status != 200; ++i) status = StatusOf(server.Connect().Roundtrip("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_EQ(status, 200);
}

TEST(HttpServerLoadTest, KnowsClientsBehindTrustedProxiesOnly) {
  for (const bool trusted : {true, false}) {
    HttpServerHooks hooks;
    hooks.handler = [](const HttpRequest& request) {
      HttpResponse response;
      response.body = request.remote_address + " " + request.scheme + " " + request.authority + " " +
                      std::string(request.headers.Get("X-Forwarded-For")) + " " + std::string(request.headers.Get("REMOTE_ADDR"));
      return response;
    };
    HttpServerOptions options;
    if (trusted) {
      options.trusted_proxies =
          std::make_shared<TrustedProxies>(TrustedProxies::Parse({"127.0.0.1", "10.0.0.0/8"}).value());
    }
    RunningServer server(std::move(hooks), options);
    RawClient client = server.Connect();
    const std::string body = BodyOf(client.Roundtrip(
        "GET / HTTP/1.1\r\nHost: inner\r\nX-Forwarded-For: 6.6.6.6, 203.0.113.9:1234, 10.1.1.1\r\n"
        "X-Forwarded-Proto: https\r\nX-Forwarded-Host: outer.example\r\nREMOTE_ADDR: 9.9.9.9\r\n\r\n"));
    EXPECT_EQ(body, trusted ? "203.0.113.9 https outer.example 6.6.6.6, 203.0.113.9:1234, 10.1.1.1 9.9.9.9"
                            : "127.0.0.1 http inner  9.9.9.9");
  }
}

TEST(HttpServerLoadTest, AllowsPagesOfListedOriginsOnly) {
  HttpServerOptions options;
  options.cors_origins = {"https://app.example"};
  RunningServer server(Echo(), options);
  RawClient client = server.Connect();
  const auto ask = [&](const std::string& method, const std::string& origin, const std::string& more = "") {
    return client.Roundtrip(method + " /x HTTP/1.1\r\nHost: a\r\nOrigin: " + origin + "\r\n" + more + "\r\n");
  };
  const std::string preflight = "Access-Control-Request-Method: PATCH\r\nAccess-Control-Request-Headers: if-match\r\n";
  EXPECT_THAT(ask("OPTIONS", "https://app.example", preflight),
              AllOf(StartsWith("HTTP/1.1 204"), HasSubstr("Access-Control-Allow-Origin: https://app.example\r\n"),
                    HasSubstr("Access-Control-Allow-Headers: if-match\r\n"), HasSubstr("PATCH")));
  EXPECT_THAT(ask("GET", "https://app.example"),
              AllOf(HasSubstr("Access-Control-Allow-Origin: https://app.example\r\n"), HasSubstr("Vary: Origin\r\n")));
  EXPECT_THAT(ask("OPTIONS", "https://evil.example", preflight), Not(HasSubstr("Access-Control-")));
  EXPECT_THAT(ask("GET", "https://evil.example"), Not(HasSubstr("Access-Control-")));
  EXPECT_THAT(ask("GET", "null"), Not(HasSubstr("Access-Control-")));
}

TEST(HttpServerLoadTest, ReportsFinishedRequests) {
  HttpServerHooks hooks = Echo();
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<RequestRecord> records;
  hooks.on_finished = [&](const RequestRecord& record) {
    const std::lock_guard lock(mutex);
    records.push_back(record);
    arrived.notify_all();
  };
  RunningServer server(std::move(hooks));
  RawClient client = server.Connect();
  const std::string response = client.Roundtrip("GET /x?y=1 HTTP/1.1\r\nHost: a\r\nX-Request-Id: r1\r\nUser-Agent: ua\r\n\r\n");
  client.Roundtrip("BREW /x HTTP/1.1\r\nHost: a\r\n\r\n");
  std::unique_lock lock(mutex);
  ASSERT_TRUE(arrived.wait_for(lock, milliseconds(10'000), [&] { return records.size() == 2; }));
  EXPECT_EQ(records[0].request_id, "r1");
  EXPECT_EQ(records[0].method, "GET");
  EXPECT_EQ(records[0].target, "/x?y=1");
  EXPECT_EQ(records[0].route, "echo");
  EXPECT_EQ(records[0].status, 200);
  EXPECT_EQ(records[0].user_agent, "ua");
  EXPECT_EQ(records[0].remote_address, "127.0.0.1");
  EXPECT_EQ(records[0].principal, "anonymous");
  EXPECT_EQ(records[0].response_bytes, response.size());
  EXPECT_TRUE(records[0].complete);
  EXPECT_EQ(records[1].status, 501);
  EXPECT_EQ(records[1].route, "error");
}

TEST(HttpServerLoadTest, BindTellsWhatIsWrong) {
  HttpServer nowhere(Echo(), {});
  EXPECT_EQ(nowhere.Bind("no such host.invalid", 0).error().reason, "bad-listen-address");
  EXPECT_EQ(nowhere.Bind("127.0.0.1", 70'000).error().reason, "bad-listen-address");
  EXPECT_EQ(nowhere.Run().error().reason, "not-bound");
  RunningServer first(Echo());
  HttpServer second(Echo(), {});
  EXPECT_EQ(second.Bind("127.0.0.1", first.port()).error().reason, "listen-failed");
}

}  // namespace
}  // namespace tablecast
