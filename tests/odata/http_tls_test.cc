#include "odata/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "http_test_client.h"
#include "tls_test_keys.h"

namespace tablecast {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Files {
  std::string certificate;
  std::string key;
};

Files WriteCertificate(const std::string& name) {
  const TestKey key = NewEcKey("P-256");
  return {WriteTestFile("cert.pem", CertificatePem(key, name)), WriteTestFile("key.pem", PrivatePem(key))};
}

// A blocking TLS client over a RawClient's socket.
class TlsClient {
 public:
  TlsClient(int port, int max_version = 0, const std::string& alpn = "") : raw_(port), context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_security_level(context_, 0);  // the test decides which versions it offers
    if (max_version != 0) {
      SSL_CTX_set_min_proto_version(context_, max_version);
      SSL_CTX_set_max_proto_version(context_, max_version);
    }
    ssl_ = SSL_new(context_);
    if (!alpn.empty()) SSL_set_alpn_protos(ssl_, reinterpret_cast<const unsigned char*>(alpn.data()), static_cast<unsigned>(alpn.size()));
    SSL_set_fd(ssl_, raw_.fd());
    const timeval patience{10, 0};
    ::setsockopt(raw_.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected_ = SSL_connect(ssl_) == 1;
  }
  ~TlsClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  bool connected() const { return connected_; }
  std::string version() const { return SSL_get_version(ssl_); }
  std::string alpn() const {
    const unsigned char* data = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_, &data, &size);
    return std::string(reinterpret_cast<const char*>(data), size);
  }
  std::string PeerName() const {
    X509* certificate = SSL_get1_peer_certificate(ssl_);
    char name[128] = {};
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
    X509_free(certificate);
    return name;
  }
  std::string Roundtrip(const std::string& request, std::size_t want_bytes = 0) {
    EXPECT_EQ(SSL_write(ssl_, request.data(), static_cast<int>(request.size())), static_cast<int>(request.size()));
    std::string all;
    char data[16384];
    while (all.find("\r\n\r\n") == std::string::npos || all.size() < want_bytes) {
      const int count = SSL_read(ssl_, data, sizeof data);
      if (count <= 0) break;
      all.append(data, static_cast<std::size_t>(count));
    }
    return all;
  }

 private:
  RawClient raw_;
  SSL_CTX* context_;
  SSL* ssl_ = nullptr;
  bool connected_ = false;
};

HttpServerOptions WithTls(std::shared_ptr<TlsContext> tls) {
  HttpServerOptions options;
  options.tls = std::move(tls);
  options.security_headers.hsts = true;
  return options;
}

HttpServerHooks SchemeHooks() {
  HttpServerHooks hooks;
  hooks.handler = [](const HttpRequest& request) {
    HttpResponse response;
    response.body = request.scheme + " " + std::to_string(request.body.size());
    if (request.target == "/large") response.body.assign(3'000'000, 'l');
    return response;
  };
  return hooks;
}

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

TEST(TlsTest, ServesBothVersionsAndKeepsConnections) {
  const Files files = WriteCertificate("first.example");
  RunningServer server(SchemeHooks(), WithTls(TlsContext::Load(files.certificate, files.key).value()));
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client(server.port(), version);
    ASSERT_TRUE(client.connected()) << version;
    for (int i = 0; i < 5; ++i) {
      const std::string response = client.Roundtrip(kGet);
      EXPECT_THAT(response, StartsWith("HTTP/1.1 200"));
      EXPECT_THAT(response, HasSubstr("https 0"));
      EXPECT_THAT(response, HasSubstr("Strict-Transport-Security: max-age=31536000\r\n"));
    }
    const std::string body(500'000, 'b');  // many records, more than one read
    EXPECT_THAT(client.Roundtrip("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n" + body), HasSubstr("https 500000"));
    EXPECT_GT(client.Roundtrip("GET /large HTTP/1.1\r\nHost: a\r\n\r\n", 3'000'000).size(), 3'000'000U);
    // Two requests in one record: the second is in OpenSSL's buffer, not in the socket.
    const std::string both = client.Roundtrip(std::string(kGet) + kGet, 700);
    EXPECT_NE(both.find("https 0"), both.rfind("https 0"));
  }
}

TEST(TlsTest, RefusesOldVersionsAndPlainText) {
  const Files files = WriteCertificate("first.example");
  RunningServer server(SchemeHooks(), WithTls(TlsContext::Load(files.certificate, files.key).value()));
  EXPECT_FALSE(TlsClient(server.port(), TLS1_VERSION).connected());
  EXPECT_FALSE(TlsClient(server.port(), TLS1_1_VERSION).connected());
  RawClient plain = server.Connect();
  plain.Send(kGet);
  bool ended = false;
  EXPECT_EQ(plain.ReadToEnd(&ended).find("HTTP/1.1 200"), std::string::npos);
  EXPECT_TRUE(ended);
  EXPECT_TRUE(TlsClient(server.port()).connected());
}

TEST(TlsTest, NegotiatesHttp11Only) {
  const Files files = WriteCertificate("first.example");
  RunningServer server(SchemeHooks(), WithTls(TlsContext::Load(files.certificate, files.key).value()));
  TlsClient both(server.port(), 0, std::string("\x02h2\x08http/1.1", 12));
  ASSERT_TRUE(both.connected());
  EXPECT_EQ(both.alpn(), "http/1.1");
  EXPECT_FALSE(TlsClient(server.port(), 0, std::string("\x02h2", 3)).connected());
}

TEST(TlsTest, ReloadServesTheNewCertificateAndKeepsOldConnections) {
  const Files files = WriteCertificate("first.example");
  const std::shared_ptr<TlsContext> tls = TlsContext::Load(files.certificate, files.key).value();
  RunningServer server(SchemeHooks(), WithTls(tls));
  TlsClient old(server.port());
  ASSERT_TRUE(old.connected());
  WriteCertificate("second.example");  // the same file names
  ASSERT_TRUE(tls->Reload().ok());
  TlsClient fresh(server.port());
  ASSERT_TRUE(fresh.connected());
  EXPECT_EQ(old.PeerName(), "first.example");
  EXPECT_EQ(fresh.PeerName(), "second.example");
  EXPECT_THAT(old.Roundtrip(kGet), HasSubstr("https 0"));
  // A bad file is refused and the last good one stays.
  WriteTestFile("cert.pem", "rubbish");
  const Status bad = tls->Reload();
  EXPECT_EQ(bad.error().reason, "bad-certificate");
  EXPECT_EQ(bad.error().target, files.certificate);
  EXPECT_EQ(TlsClient(server.port()).PeerName(), "second.example");
}

TEST(TlsTest, LoadTellsWhichFileIsWrong) {
  const Files files = WriteCertificate("first.example");
  EXPECT_EQ(TlsContext::Load("/no/such", files.key).error().reason, "bad-certificate");
  EXPECT_EQ(TlsContext::Load(files.certificate, "/no/such").error().reason, "bad-private-key");
  const std::string other = WriteTestFile("other.pem", PrivatePem(NewEcKey("P-256")));
  const auto mismatch = TlsContext::Load(files.certificate, other);
  EXPECT_EQ(mismatch.error().reason, "bad-private-key");
  EXPECT_EQ(mismatch.error().target, other);
}

TEST(TlsTest, AHandshakeThatStallsIsTimedOut) {
  const Files files = WriteCertificate("first.example");
  HttpServerOptions options = WithTls(TlsContext::Load(files.certificate, files.key).value());
  options.limits.head_timeout = std::chrono::milliseconds(300);
  RunningServer server(SchemeHooks(), options);
  RawClient stalled = server.Connect();
  stalled.Send("\x16\x03\x01");
  EXPECT_TRUE(TlsClient(server.port()).connected());
  bool ended = false;
  stalled.ReadToEnd(&ended);
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace tablecast
