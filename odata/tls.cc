#include "odata/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace tablecast {
namespace {

constexpr std::size_t kRecordBytes = 16U << 10U;  // payload of one TLS record

struct SslDeleter {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};
struct SslContextDeleter {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

std::string OpenSslText() {
  std::array<char, 256> text{};
  const unsigned long code = ERR_get_error();
  ERR_error_string_n(code, text.data(), text.size());
  ERR_clear_error();
  return code == 0 ? "unknown error" : text.data();
}

// A BIO over our descriptor whose writes never raise SIGPIPE, so that the process's signal
// disposition stays its own.
int BioWrite(BIO* bio, const char* data, int size) {
  const int fd = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  const ssize_t count = ::send(fd, data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  BIO_clear_retry_flags(bio);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

int BioRead(BIO* bio, char* data, int size) {
  const int fd = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  const ssize_t count = ::recv(fd, data, static_cast<std::size_t>(size), 0);
  BIO_clear_retry_flags(bio);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(count);
}

long BioControl(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

int BioCreate(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

const BIO_METHOD* SocketBioMethod() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* created = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tablecast socket");
    TABLECAST_CHECK(created != nullptr);
    BIO_meth_set_write(created, &BioWrite);
    BIO_meth_set_read(created, &BioRead);
    BIO_meth_set_ctrl(created, &BioControl);
    BIO_meth_set_create(created, &BioCreate);
    return created;
  }();
  return method;
}

int SelectAlpn(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned int in_size, void*) {
  static constexpr unsigned char kHttp11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kHttp11, sizeof kHttp11, in, in_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;  // RFC 7301, 3.2: no_application_protocol
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

class TlsTransport : public Transport {
 public:
  TlsTransport(FileDescriptor socket, std::unique_ptr<SSL, SslDeleter> ssl)
      : Transport(std::move(socket)), ssl_(std::move(ssl)) {}

  IoResult Read(char* data, std::size_t size) override {
    ERR_clear_error();
    std::size_t count = 0;
    const int code = SSL_read_ex(ssl_.get(), data, size, &count);
    return code == 1 ? IoResult{IoStatus::kOk, count} : FromError(code);
  }

  IoResult Write(std::string_view first, std::string_view second) override {
    ERR_clear_error();
    if (!second.empty() && first.size() < kRecordBytes) {
      // One record, one packet; repeated with the same bytes when the socket was full.
      joined_.assign(first).append(second.substr(0, kRecordBytes - first.size()));
      first = joined_;
    }
    std::size_t count = 0;
    const int code = SSL_write_ex(ssl_.get(), first.data(), first.size(), &count);
    return code == 1 ? IoResult{IoStatus::kOk, count} : FromError(code);
  }

  bool wants_write() const override { return wants_write_; }
  bool HasPending() const override { return SSL_has_pending(ssl_.get()) != 0; }
  void ShutdownWrite() override {
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
    Transport::ShutdownWrite();
  }

 private:
  IoResult FromError(int code) {
    const int reason = SSL_get_error(ssl_.get(), code);
    wants_write_ = reason == SSL_ERROR_WANT_WRITE;
    if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE) return {IoStatus::kRetry, 0};
    if (reason == SSL_ERROR_ZERO_RETURN) return {IoStatus::kClosed, 0};
    ERR_clear_error();
    return {IoStatus::kFailed, 0};
  }

  std::unique_ptr<SSL, SslDeleter> ssl_;
  std::string joined_;
  bool wants_write_ = false;
};

}  // namespace

struct TlsContext::Context {
  std::unique_ptr<SSL_CTX, SslContextDeleter> ssl;
};

TlsContext::TlsContext(std::string certificate_file, std::string key_file)
    : certificate_file_(std::move(certificate_file)), key_file_(std::move(key_file)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<TlsContext>> TlsContext::Load(const std::string& certificate_file, const std::string& key_file) {
  std::shared_ptr<TlsContext> tls(new TlsContext(certificate_file, key_file));
  TABLECAST_RETURN_IF_ERROR(tls->Reload());
  return tls;
}

Status TlsContext::Reload() {
  TABLECAST_ASSIGN_OR_RETURN(std::shared_ptr<Context> context, ReadFiles());
  const std::lock_guard lock(mutex_);
  context_ = std::move(context);
  return {};
}

Result<std::shared_ptr<TlsContext::Context>> TlsContext::ReadFiles() const {
  ERR_clear_error();
  auto context = std::make_shared<Context>();
  context->ssl.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* ssl = context->ssl.get();
  if (ssl == nullptr) return MakeError(ErrorCode::kInternal, "tls-unavailable", "OpenSSL has no TLS: " + OpenSslText());
  SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION);
  SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                               SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  // TLS 1.2: forward secrecy and authenticated encryption only.
  SSL_CTX_set_cipher_list(ssl, "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL");
  SSL_CTX_set_alpn_select_cb(ssl, &SelectAlpn, nullptr);
  if (SSL_CTX_use_certificate_chain_file(ssl, certificate_file_.c_str()) != 1) {
    return MakeError(ErrorCode::kInvalidArgument, "bad-certificate", "cannot read the certificate chain: " + OpenSslText(),
                     certificate_file_);
  }
  if (SSL_CTX_use_PrivateKey_file(ssl, key_file_.c_str(), SSL_FILETYPE_PEM) != 1 || SSL_CTX_check_private_key(ssl) != 1) {
    return MakeError(ErrorCode::kInvalidArgument, "bad-private-key",
                     "the private key cannot be read or does not belong to the certificate: " + OpenSslText(), key_file_);
  }
  return context;
}

std::unique_ptr<Transport> TlsContext::Accept(FileDescriptor socket) {
  std::shared_ptr<Context> context;
  {
    const std::lock_guard lock(mutex_);
    context = context_;
  }
  std::unique_ptr<SSL, SslDeleter> ssl(SSL_new(context->ssl.get()));  // keeps the SSL_CTX alive itself
  BIO* bio = BIO_new(SocketBioMethod());
  TABLECAST_CHECK(ssl != nullptr && bio != nullptr);  // no memory
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket.get())));
  SSL_set_bio(ssl.get(), bio, bio);
  SSL_set_accept_state(ssl.get());
  return std::make_unique<TlsTransport>(std::move(socket), std::move(ssl));
}

}  // namespace tablecast
