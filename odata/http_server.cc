#include "odata/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "odata/auth.h"
#include "odata/http_event_loop.h"
#include "odata/http_pipeline.h"
#include "odata/tls.h"
#include "odata/trusted_proxies.h"

namespace tablecast {
namespace {

constexpr int kBacklog = 1024;
constexpr int kAcceptsPerTurn = 64;
constexpr std::size_t kOtherDescriptors = 128;  // store, logs, epoll, standard streams
constexpr std::size_t kStreamSliceBytes = 1U << 20U;  // produced before other requests have a turn
constexpr std::chrono::milliseconds kDrainCheck{10};

enum class Command : std::uint64_t { kDrain = 1, kStop = 1U << 20U };

std::string PeerAddress(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&address)->sin_addr, text, sizeof text);
    return text;
  }
  const in6_addr& v6 = reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    inet_ntop(AF_INET, v6.s6_addr + 12, text, sizeof text);
  } else {
    inet_ntop(AF_INET6, &v6, text, sizeof text);
  }
  return text;
}

// How many connections are open, in all and from each address.
class ConnectionCensus {
 public:
  enum class Admission { kWelcome, kTooMany, kTooManyOfAddress };

  Admission Enter(const std::string& address, bool exempt, const HttpLimits& limits) {
    const std::lock_guard lock(mutex_);
    if (total_ >= limits.max_connections) return Admission::kTooMany;
    std::size_t& count = by_address_[address];
    if (!exempt && count >= limits.max_connections_per_address) return Admission::kTooManyOfAddress;
    ++count;
    ++total_;
    return Admission::kWelcome;
  }
  void Leave(const std::string& address) {
    const std::lock_guard lock(mutex_);
    --total_;
    const auto found = by_address_.find(address);
    if (found != by_address_.end() && --found->second == 0) by_address_.erase(found);
  }
  std::size_t total() const {
    const std::lock_guard lock(mutex_);
    return total_;
  }

 private:
  mutable std::mutex mutex_;
  std::size_t total_ = 0;
  std::unordered_map<std::string, std::size_t> by_address_;
};

std::size_t Cores() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpServerHooks hooks, HttpServerOptions options)
      : hooks_(std::move(hooks)),
        options_(std::move(options)),
        limits_(options_.limits),
        control_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  Status Bind(const std::string& host, int port) {
    FitDescriptorLimit();
    TABLECAST_ASSIGN_OR_RETURN(listener_, ListenTcp(host, port, kBacklog));
    port_ = LocalPort(listener_.get());
    return {};
  }

  Status Run();

  void Command(enum Command command) {
    const auto value = static_cast<std::uint64_t>(command);
    [[maybe_unused]] const ssize_t written = ::write(control_.get(), &value, sizeof value);
  }

  int port() const { return port_; }
  const HttpLimits& limits() const { return limits_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  bool draining() const { return draining_; }
  Load load() const {
    return {census_.total(), queued_.load(std::memory_order_relaxed), buffered_.load(std::memory_order_relaxed)};
  }

 private:
  void FitDescriptorLimit();
  void AcceptWaiting();
  void Accept(FileDescriptor socket, const sockaddr_storage& address);
  void TurnAway(FileDescriptor socket, ConnectionCensus::Admission why);
  void WaitForEnd();

  const HttpServerHooks hooks_;
  const HttpServerOptions options_;
  HttpLimits limits_;
  std::vector<std::string> warnings_;
  FileDescriptor control_;
  FileDescriptor listener_;
  FileDescriptor spare_{::eventfd(0, EFD_CLOEXEC)};
  int port_ = 0;
  std::atomic<bool> draining_{false};
  BufferedBytes buffered_{0};
  ConnectionCensus census_;
  std::unique_ptr<HttpPipeline> pipeline_;
  std::vector<std::unique_ptr<EventLoop>> loops_;
  std::size_t next_loop_ = 0;  // of the accepting loop
  std::atomic<std::size_t> queued_{0};
};

void HttpServer::Impl::FitDescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t needed = limits_.max_connections + kOtherDescriptors;
  if (limit.rlim_cur < needed && limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = std::min<rlim_t>(needed, limit.rlim_max);
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  if (limit.rlim_cur >= needed) return;
  limits_.max_connections = limit.rlim_cur > 2 * kOtherDescriptors ? limit.rlim_cur - kOtherDescriptors : kOtherDescriptors;
  warnings_.push_back("maxConnections is lowered to " + std::to_string(limits_.max_connections) +
                      ": the process may open only " + std::to_string(limit.rlim_cur) + " descriptors");
}

Status HttpServer::Impl::Run() {
  if (!listener_.valid()) {
    return MakeError(ErrorCode::kFailedPrecondition, "not-bound", "the server is not bound to an address");
  }
  pipeline_ = std::make_unique<HttpPipeline>(hooks_, options_, limits_);
  const std::size_t loop_count = options_.loop_threads > 0 ? options_.loop_threads : std::min<std::size_t>(Cores(), 8);
  const std::size_t worker_count =
      options_.worker_threads > 0 ? options_.worker_threads : std::clamp<std::size_t>(4 * Cores(), 8, 64);
  {
    WorkerPool workers(worker_count, limits_.max_queued_requests, queued_, [this](LoopConnection& connection, ThreadTools& tools) {
      HttpConnection& http = connection.http;
      SteadyTime now = std::chrono::steady_clock::now();
      if (!http.responding()) {
        WireResponse wire = pipeline_->Answer(connection.pending, std::move(http.body()), tools);
        now = std::chrono::steady_clock::now();
        connection.step = http.SetResponse(std::move(wire), now);
      } else {
        connection.step = HttpConnection::Step::kProduce;
      }
      if (connection.step == HttpConnection::Step::kProduce) connection.step = http.Produce(kStreamSliceBytes, now);
      connection.loop->Return(connection);
    });
    const LoopContext context{pipeline_.get(), &workers, &limits_, &buffered_, &draining_,
                              [this](const std::string& peer) { census_.Leave(peer); }};
    for (std::size_t i = 0; i < loop_count; ++i) loops_.push_back(std::make_unique<EventLoop>(context));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < loop_count; ++i) {
      threads.emplace_back([this, i] { loops_[i]->Run(i == 0 ? listener_.get() : -1, [this] { AcceptWaiting(); }); });
    }
    WaitForEnd();
    for (const std::unique_ptr<EventLoop>& loop : loops_) loop->Stop();
    for (std::thread& thread : threads) thread.join();
  }
  loops_.clear();
  listener_.Reset();
  return {};
}

void HttpServer::Impl::WaitForEnd() {
  SteadyTime end = SteadyTime::max();
  for (;;) {
    pollfd wait{control_.get(), POLLIN, 0};
    const int millis = draining_ ? static_cast<int>(kDrainCheck.count()) : -1;
    if (::poll(&wait, 1, millis) > 0) {
      std::uint64_t value = 0;
      [[maybe_unused]] const ssize_t read = ::read(control_.get(), &value, sizeof value);
      if (value >= static_cast<std::uint64_t>(Command::kStop)) return;
      if (!draining_.exchange(true)) {
        // Not closed, so that its number is not reused under the accepting loop: it refuses instead.
        ::shutdown(listener_.get(), SHUT_RD);
        end = std::chrono::steady_clock::now() + limits_.drain_timeout;
        for (const std::unique_ptr<EventLoop>& loop : loops_) loop->Wake();
      }
    }
    if (draining_ && (census_.total() == 0 || std::chrono::steady_clock::now() >= end)) return;
  }
}

void HttpServer::Impl::AcceptWaiting() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    FileDescriptor socket(::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.valid()) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno != EMFILE && errno != ENFILE) return;
      // No descriptor left: spend the spare one to refuse, or epoll would report this client for ever.
      spare_.Reset();
      FileDescriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)).Reset();
      spare_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC));
      return;
    }
    if (draining_) continue;
    Accept(std::move(socket), address);
  }
}

void HttpServer::Impl::Accept(FileDescriptor socket, const sockaddr_storage& address) {
  const std::string peer = PeerAddress(address);
  const bool exempt = IsLoopbackAddress(peer) || (options_.trusted_proxies && options_.trusted_proxies->Contains(peer));
  const ConnectionCensus::Admission admission = census_.Enter(peer, exempt, limits_);
  if (admission != ConnectionCensus::Admission::kWelcome) return TurnAway(std::move(socket), admission);
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  std::unique_ptr<Transport> transport;
  if (options_.tls) {
    transport = options_.tls->Accept(std::move(socket));
  } else {
    transport = std::make_unique<PlainTransport>(std::move(socket));
  }
  auto connection = std::make_unique<LoopConnection>(std::move(transport), peer, limits_, buffered_,
                                                     std::chrono::steady_clock::now());
  loops_[next_loop_++ % loops_.size()]->Adopt(std::move(connection));
}

// One answer without a connection's state: a few hundred bytes into an empty socket buffer.
void HttpServer::Impl::TurnAway(FileDescriptor socket, ConnectionCensus::Admission why) {
  if (options_.tls) return;  // no handshake is worth it; the client sees the connection end
  const bool all = why == ConnectionCensus::Admission::kTooMany;
  HttpResponse refusal = MakeHttpError(
      503, "too-many-connections",
      std::string("Too many connections: ") + (all ? "maxConnections (" : "maxConnectionsPerAddress (") +
          std::to_string(all ? limits_.max_connections : limits_.max_connections_per_address) + ") is reached; try later");
  std::string bytes = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: " +
                      std::to_string(refusal.body.size()) + "\r\n";
  for (const HttpHeader& line : refusal.headers.lines()) bytes += line.name + ": " + line.value + "\r\n";
  bytes += "\r\n" + refusal.body;
  ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  ::shutdown(socket.get(), SHUT_WR);
  char dropped[4096];
  // Takes what is here already, so that closing does not reset the answer away.
  while (::recv(socket.get(), dropped, sizeof dropped, 0) == static_cast<ssize_t>(sizeof dropped)) {
  }
}

HttpServer::HttpServer(HttpServerHooks hooks, HttpServerOptions options)
    : impl_(std::make_unique<Impl>(std::move(hooks), std::move(options))) {}
HttpServer::~HttpServer() = default;
Status HttpServer::Bind(const std::string& host, int port) { return impl_->Bind(host, port); }
int HttpServer::port() const { return impl_->port(); }
const HttpLimits& HttpServer::limits() const { return impl_->limits(); }
const std::vector<std::string>& HttpServer::warnings() const { return impl_->warnings(); }
Status HttpServer::Run() { return impl_->Run(); }
void HttpServer::RequestDrain() { impl_->Command(Command::kDrain); }
void HttpServer::RequestStop() { impl_->Command(Command::kStop); }
bool HttpServer::draining() const { return impl_->draining(); }
HttpServer::Load HttpServer::load() const { return impl_->load(); }

}  // namespace tablecast
