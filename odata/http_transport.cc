#include "odata/http_transport.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace tablecast {
namespace {

IoResult FromSystemCall(ssize_t count) {
  if (count > 0) return {IoStatus::kOk, static_cast<std::size_t>(count)};
  if (count == 0) return {IoStatus::kClosed, 0};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {IoStatus::kRetry, 0};
  return {IoStatus::kFailed, 0};
}

std::string ErrnoText(int code) {
  std::array<char, 128> buffer{};
  return strerror_r(code, buffer.data(), buffer.size());
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    Reset();
    fd_ = other.Release();
  }
  return *this;
}

int FileDescriptor::Release() { return std::exchange(fd_, -1); }

void FileDescriptor::Reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void Transport::ShutdownWrite() { ::shutdown(socket_.get(), SHUT_WR); }

IoResult PlainTransport::Read(char* data, std::size_t size) {
  return FromSystemCall(::recv(socket_.get(), data, size, 0));
}

IoResult PlainTransport::Write(std::string_view first, std::string_view second) {
  if (second.empty()) return FromSystemCall(::send(socket_.get(), first.data(), first.size(), MSG_NOSIGNAL));
  // sendmsg does not write through these pointers; iovec just lacks const.
  std::array<iovec, 2> pieces{iovec{const_cast<char*>(first.data()), first.size()},
                              iovec{const_cast<char*>(second.data()), second.size()}};
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  return FromSystemCall(::sendmsg(socket_.get(), &message, MSG_NOSIGNAL));
}

Result<FileDescriptor> ListenTcp(const std::string& host, int port, int backlog) {
  if (port < 0 || port > 65535) {
    return MakeError(ErrorCode::kInvalidArgument, "bad-listen-address", "port " + std::to_string(port) + " is not 0..65535");
  }
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (code != 0) {
    return MakeError(ErrorCode::kInvalidArgument, "bad-listen-address",
                     "cannot listen on '" + host + "': " + gai_strerror(code));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  int error = 0;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    FileDescriptor fd(::socket(each->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int on = 1;
    if (fd.valid() && ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        ::bind(fd.get(), each->ai_addr, each->ai_addrlen) == 0 && ::listen(fd.get(), backlog) == 0) {
      return fd;
    }
    error = errno;
  }
  return MakeError(ErrorCode::kUnavailable, "listen-failed",
                   "cannot listen on '" + host + "' port " + std::to_string(port) + ": " + ErrnoText(error), "",
                   error == EADDRINUSE      ? "another program listens there; stop it, or choose another port (0 takes a free one)"
                   : error == EACCES        ? "choose a port from 1024 on, or give the process the right to lower ones"
                   : error == EADDRNOTAVAIL ? "choose an address of this machine; 0.0.0.0 is all of them"
                                            : "");
}

int LocalPort(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  return 0;
}

}  // namespace tablecast
