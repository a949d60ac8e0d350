#ifndef TABLECAST_TESTS_ODATA_HTTP_TEST_CLIENT_H_
#define TABLECAST_TESTS_ODATA_HTTP_TEST_CLIENT_H_

// A raw-socket client and a server that runs for one test, on loopback with a free port.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "gtest/gtest.h"
#include "odata/http_server.h"

namespace tablecast {

// One connection that sends what it is told and reads what comes.
class RawClient {
 public:
  explicit RawClient(int port, int receive_buffer = 0) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { Close(); }
  RawClient(RawClient&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_), buffer_(std::move(other.buffer_)) {}
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void Close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  bool connected() const { return connected_; }
  int fd() const { return fd_; }

  // False when the server no longer takes bytes.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void ShutdownWrite() { ::shutdown(fd_, SHUT_WR); }

  // Whether bytes or the end can be read within that time.
  bool Readable(std::chrono::milliseconds patience) const {
    pollfd wait{fd_, POLLIN, 0};
    return ::poll(&wait, 1, static_cast<int>(patience.count())) > 0;
  }

  // Reads one whole response (by Content-Length or chunks); what follows stays for the next call.
  // Empty when the connection ended first, or after 10 s without a byte.
  std::string ReadResponse(bool head_request = false) {
    std::size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!Fill()) return {};
    }
    std::size_t total = end + 4;
    const std::string head = buffer_.substr(0, total);
    if (head.rfind("HTTP/1.1 100", 0) == 0 || head_request) return Take(total);
    if (head.find("Transfer-Encoding: chunked") != std::string::npos) {
      while (buffer_.find("\r\n0\r\n\r\n", end) == std::string::npos && buffer_.compare(end + 4, 5, "0\r\n\r\n") != 0) {
        if (!Fill()) return {};
      }
      const std::size_t last = buffer_.find("0\r\n\r\n", end + 2);
      return Take(last + 5);
    }
    const std::size_t at = head.find("Content-Length: ");
    if (at != std::string::npos) total += std::stoul(head.substr(at + 16));
    while (buffer_.size() < total) {
      if (!Fill()) return {};
    }
    return Take(total);
  }

  // Everything until the server ends the connection; `ended` says whether it did within 10 s.
  std::string ReadToEnd(bool* ended = nullptr) {
    while (Fill()) {
    }
    if (ended != nullptr) *ended = at_end_;
    return Take(buffer_.size());
  }
  bool at_end() const { return at_end_; }

  std::string Roundtrip(std::string_view request) {
    if (!Send(request)) return {};
    return ReadResponse();
  }

 private:
  bool Fill() {
    if (!Readable(std::chrono::milliseconds(10'000))) return false;
    char data[16384];
    const ssize_t count = ::recv(fd_, data, sizeof data, 0);
    if (count <= 0) {
      at_end_ = true;
      return false;
    }
    buffer_.append(data, static_cast<std::size_t>(count));
    return true;
  }
  std::string Take(std::size_t size) {
    std::string taken = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return taken;
  }

  int fd_;
  bool connected_ = false;
  bool at_end_ = false;
  std::string buffer_;
};

// Runs a server in a thread for the length of a test.
class RunningServer {
 public:
  explicit RunningServer(HttpServerHooks hooks, HttpServerOptions options = {})
      : server_(std::move(hooks), std::move(options)) {
    const Status bound = server_.Bind("127.0.0.1", 0);
    EXPECT_TRUE(bound.ok()) << (bound.ok() ? "" : bound.error().ToString());
    thread_ = std::thread([this] {
      const Status run = server_.Run();
      EXPECT_TRUE(run.ok());
    });
  }
  ~RunningServer() {
    server_.RequestStop();
    if (thread_.joinable()) thread_.join();
  }
  void Join() { thread_.join(); }
  int port() const { return server_.port(); }
  HttpServer& server() { return server_; }
  RawClient Connect(int receive_buffer = 0) const { return RawClient(server_.port(), receive_buffer); }

 private:
  HttpServer server_;
  std::thread thread_;
};

inline int StatusOf(const std::string& response) {
  return response.size() > 12 && response.rfind("HTTP/1.1 ", 0) == 0 ? std::stoi(response.substr(9, 3)) : 0;
}

inline std::string BodyOf(const std::string& response) {
  const std::size_t end = response.find("\r\n\r\n");
  return end == std::string::npos ? std::string() : response.substr(end + 4);
}

// Anonymous resident memory of this process. UNITS: bytes.
inline std::size_t AnonymousMemory() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind("RssAnon:", 0) == 0) return std::stoul(line.substr(8)) * 1024;
  }
  return 0;
}

// Answers with method, target and body of the request, so that tests see what arrived.
inline HttpResponse EchoHandler(const HttpRequest& request) {
  HttpResponse response;
  response.headers.Add("Content-Type", "text/plain");
  response.body = request.method + " " + request.target + "\n" + request.body;
  response.route = "echo";
  return response;
}

}  // namespace tablecast

#endif  // TABLECAST_TESTS_ODATA_HTTP_TEST_CLIENT_H_
