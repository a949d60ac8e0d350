#ifndef TABLECAST_ODATA_HTTP_TRANSPORT_H_
#define TABLECAST_ODATA_HTTP_TRANSPORT_H_

// Bytes to and from one connection that never block: plain TCP here, TLS in odata/tls.h. One small
// interface, so that everything above treats both alike.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tablecast {

// Owns a file descriptor; closes it once.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { Reset(); }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release();
  void Reset();

 private:
  int fd_ = -1;
};

// kRetry: nothing now; wait for the socket (readable, or writable when wants_write says so).
// kClosed: the peer ended the stream. kFailed: the connection is broken.
enum class IoStatus { kOk, kRetry, kClosed, kFailed };
struct IoResult {
  IoStatus status = IoStatus::kFailed;
  std::size_t bytes = 0;  // when kOk, at least 1
};

class Transport {
 public:
  explicit Transport(FileDescriptor socket) : socket_(std::move(socket)) {}
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  virtual IoResult Read(char* data, std::size_t size) = 0;
  // Sends from the front of `first` and then of `second`, in one packet where possible.
  virtual IoResult Write(std::string_view first, std::string_view second) = 0;
  // Whether the last kRetry of Read waits for the socket to become writable.
  virtual bool wants_write() const { return false; }
  // Whether bytes were received already that only Read will show, not the socket.
  virtual bool HasPending() const { return false; }
  // Tells the peer that nothing more comes; reading goes on.
  virtual void ShutdownWrite();

  int fd() const { return socket_.get(); }

 protected:
  FileDescriptor socket_;
};

class PlainTransport : public Transport {
 public:
  using Transport::Transport;
  IoResult Read(char* data, std::size_t size) override;
  IoResult Write(std::string_view first, std::string_view second) override;
};

// A listening TCP socket: non-blocking, address reusable. Port 0 lets the system choose.
// `host` is an IP address or a name that resolves to one ("localhost", "::1", "0.0.0.0").
// ERRORS: kInvalidArgument "bad-listen-address"; kUnavailable "listen-failed" with the system's words.
Result<FileDescriptor> ListenTcp(const std::string& host, int port, int backlog);

// The port a listening socket is bound to, or 0.
int LocalPort(int fd);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_HTTP_TRANSPORT_H_
