#ifndef TABLECAST_ODATA_TLS_H_
#define TABLECAST_ODATA_TLS_H_

// TLS 1.2 and 1.3 for the server's connections, by OpenSSL. Certificates can be exchanged while
// connections live: the new ones serve whoever connects afterwards.
//
//   auto tls = TlsContext::Load("server.pem", "server.key");
//   options.tls = *tls;         // and on SIGHUP: (*tls)->Reload()

#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "odata/http_transport.h"

namespace tablecast {

class TlsContext {
 public:
  // Reads a PEM certificate chain (the server's first) and its PEM private key, and checks that they
  // belong together. ERRORS: kInvalidArgument "bad-certificate" or "bad-private-key", target = file.
  static Result<std::shared_ptr<TlsContext>> Load(const std::string& certificate_file, const std::string& key_file);
  ~TlsContext();

  // Reads both files again. On an error the certificates in use stay. THREAD: thread-safe.
  Status Reload();

  // A server-side transport; the handshake happens inside its first reads. THREAD: thread-safe.
  std::unique_ptr<Transport> Accept(FileDescriptor socket);

 private:
  struct Context;
  TlsContext(std::string certificate_file, std::string key_file);
  Result<std::shared_ptr<Context>> ReadFiles() const;

  const std::string certificate_file_;
  const std::string key_file_;
  std::mutex mutex_;
  std::shared_ptr<Context> context_;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_TLS_H_
