#include "odata/http_event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tablecast {
namespace {

constexpr int kMaxEvents = 256;
constexpr int kMaxTurns = 64;  // steps of one connection before others have theirs
constexpr std::chrono::milliseconds kMaxWait{1000};
constexpr std::chrono::milliseconds kMinWait{5};

}  // namespace

WorkerPool::WorkerPool(std::size_t threads, std::size_t max_queued, std::atomic<std::size_t>& queued, Work work)
    : max_queued_(max_queued), queued_(queued), work_(std::move(work)) {
  threads_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkerPool::Enqueue(LoopConnection& connection, bool urgent) {
  {
    const std::lock_guard lock(mutex_);
    if (!urgent && queue_.size() >= max_queued_) return false;
    queue_.push_back(&connection);
    queued_.store(queue_.size(), std::memory_order_relaxed);
  }
  ready_.notify_one();
  return true;
}

void WorkerPool::Run() {
  ThreadTools tools;
  for (;;) {
    LoopConnection* connection = nullptr;
    {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      connection = queue_.front();
      queue_.pop_front();
      queued_.store(queue_.size(), std::memory_order_relaxed);
    }
    try {
      work_(*connection, tools);
    } catch (...) {  // no memory: give this connection up, keep the thread
      connection->step = HttpConnection::Step::kClose;
      connection->loop->Return(*connection);
    }
  }
}

EventLoop::EventLoop(LoopContext context)
    : context_(std::move(context)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      now_(std::chrono::steady_clock::now()),
      next_sweep_(SteadyTime::max()) {
  TABLECAST_CHECK(epoll_.valid() && wake_.valid());
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &wake_;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
}

EventLoop::~EventLoop() = default;

void EventLoop::Wake() {
  const std::uint64_t one = 1;
  // Full means that a wake-up is pending already.
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

void EventLoop::Adopt(std::unique_ptr<LoopConnection> connection) {
  {
    const std::lock_guard lock(mail_mutex_);
    adopted_.push_back(std::move(connection));
  }
  Wake();
}

void EventLoop::Return(LoopConnection& connection) {
  bool first = false;
  {
    const std::lock_guard lock(mail_mutex_);
    first = returned_.empty();
    returned_.push_back(&connection);
  }
  if (first) Wake();
}

void EventLoop::Stop() {
  stopping_ = true;
  Wake();
}

void EventLoop::Run(int listener, const std::function<void()>& on_acceptable) {
  if (listener >= 0) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = nullptr;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listener, &event);
  }
  std::array<epoll_event, kMaxEvents> events{};
  while (!stopping_ || with_workers_ > 0) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), kMaxEvents, WaitMillis());
    now_ = std::chrono::steady_clock::now();
    bool mail = !resumed_.empty();
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.ptr == nullptr) {
        if (*context_.draining) {
          ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener, nullptr);  // shut down: readable for ever
        } else {
          on_acceptable();
        }
      } else if (event.data.ptr == &wake_) {
        mail = true;
      } else {
        auto& connection = *static_cast<LoopConnection*>(event.data.ptr);
        if (connection.with_worker) continue;  // a hang-up; the worker will find out
        OnEvent(connection);
      }
    }
    if (mail) TakeMail();
    if (now_ >= next_sweep_ || stopping_ || *context_.draining) Sweep();
  }
  while (!connections_.empty()) Close(*connections_.begin()->second);
}

void EventLoop::OnEvent(LoopConnection& connection) {
  try {
    HttpConnection& http = connection.http;
    Drive(connection, http.wants_write() ? http.OnWritable(tools_.scratch, now_) : http.OnReadable(tools_.scratch, now_));
  } catch (...) {  // no memory: give this connection up, keep the loop
    if (!connection.with_worker) Close(connection);
  }
}

int EventLoop::WaitMillis() const {
  if (!resumed_.empty()) return 0;
  if (next_sweep_ == SteadyTime::max()) return static_cast<int>(kMaxWait.count());
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(next_sweep_ - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp(wait + std::chrono::milliseconds(1), kMinWait, kMaxWait).count());
}

void EventLoop::TakeMail() {
  std::uint64_t value = 0;
  [[maybe_unused]] const ssize_t read = ::read(wake_.get(), &value, sizeof value);
  std::vector<std::unique_ptr<LoopConnection>> adopted;
  std::vector<LoopConnection*> returned;
  {
    const std::lock_guard lock(mail_mutex_);
    adopted.swap(adopted_);
    returned.swap(returned_);
  }
  std::vector<LoopConnection*> resumed;
  resumed.swap(resumed_);
  for (std::unique_ptr<LoopConnection>& each : adopted) {
    LoopConnection& connection = *each;
    connection.loop = this;
    connections_.emplace(&connection, std::move(each));
    count_.store(connections_.size(), std::memory_order_relaxed);
    epoll_event event{};
    event.data.ptr = &connection;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection.http.transport().fd(), &event) != 0) {
      Close(connection);
      continue;
    }
    // The first request is usually here already.
    Drive(connection, connection.http.OnReadable(tools_.scratch, now_));
  }
  for (LoopConnection* connection : returned) {
    connection->with_worker = false;
    --with_workers_;
    Drive(*connection, stopping_ ? Step::kClose : connection->step);
  }
  for (LoopConnection* connection : resumed) Drive(*connection, connection->step);
}

void EventLoop::Drive(LoopConnection& connection, Step step) {
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    switch (step) {
      case Step::kWait: Arm(connection); return;
      case Step::kClose: Close(connection); return;
      case Step::kHead: step = OnHead(connection); break;
      case Step::kRequest: step = Dispatch(connection); break;
      case Step::kRefuse:
        context_.pipeline->AdmitRefused(connection.http, connection.http.refusal(), now_, connection.pending);
        connection.in_request = true;
        step = AnswerHere(connection);
        break;
      case Step::kProduce:
        connection.with_worker = true;
        ++with_workers_;
        Arm(connection);
        context_.workers->Enqueue(connection, true);
        return;
      case Step::kFinished:
        context_.pipeline->Finished(connection.pending, connection.http.response_bytes(), true, now_);
        connection.in_request = false;
        connection.pending = PendingRequest();
        step = connection.http.NextRequest(now_);
        // What the client sent ahead is answered first; then bytes that only TLS knows of.
        if (step == Step::kWait && connection.http.transport().HasPending()) {
          step = connection.http.OnReadable(tools_.scratch, now_);
        }
        break;
    }
    if (connection.with_worker) {
      Arm(connection);
      return;
    }
  }
  connection.step = step;
  if (step == Step::kWait) return Arm(connection);
  resumed_.push_back(&connection);
}

HttpConnection::Step EventLoop::OnHead(LoopConnection& connection) {
  PendingRequest& pending = connection.pending;
  connection.in_request = true;
  const bool has_body = connection.http.head().HasBody();
  context_.pipeline->Admit(connection.http, !*context_.draining, now_, pending);
  if (!has_body) return Dispatch(connection);
  if (!pending.refusal) return connection.http.ExpectBody(now_);
  connection.http.RefuseBody();
  pending.info.keep_alive = false;
  return AnswerHere(connection);
}

HttpConnection::Step EventLoop::Dispatch(LoopConnection& connection) {
  PendingRequest& pending = connection.pending;
  if (context_.pipeline->IsCheap(pending)) return AnswerHere(connection);
  if (*context_.buffered > context_.limits->max_buffered_bytes) {
    context_.pipeline->Shed(pending, "maxBufferedBytes", context_.limits->max_buffered_bytes);
    return AnswerHere(connection);
  }
  if (!context_.pipeline->Enter(pending)) return AnswerHere(connection);
  connection.with_worker = true;
  ++with_workers_;
  // Disarmed before the worker can touch the connection; nothing of it is read here afterwards.
  Arm(connection);
  if (context_.workers->Enqueue(connection, false)) return Step::kWait;
  connection.with_worker = false;
  --with_workers_;
  context_.pipeline->Shed(pending, "maxQueuedRequests", context_.limits->max_queued_requests);
  return AnswerHere(connection);
}

HttpConnection::Step EventLoop::AnswerHere(LoopConnection& connection) {
  WireResponse wire = context_.pipeline->Answer(connection.pending, std::move(connection.http.body()), tools_);
  return connection.http.SetResponse(std::move(wire), now_);
}

void EventLoop::Arm(LoopConnection& connection) {
  std::uint32_t wanted = 0;
  if (connection.with_worker) {
    wanted = EPOLLONESHOT;  // even a hang-up is reported at most once
  } else {
    if (connection.http.wants_read()) wanted |= EPOLLIN;
    if (connection.http.wants_write()) wanted |= EPOLLOUT;
    next_sweep_ = std::min(next_sweep_, connection.http.deadline());
  }
  if (wanted == connection.armed) return;
  connection.armed = wanted;
  epoll_event event{};
  event.events = wanted;
  event.data.ptr = &connection;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.http.transport().fd(), &event);
}

void EventLoop::Close(LoopConnection& connection) {
  if (connection.in_request) {
    context_.pipeline->Finished(connection.pending, connection.http.response_bytes(), false, now_);
  }
  std::erase(resumed_, &connection);
  const std::string peer = connection.http.peer_address();
  connections_.erase(&connection);
  count_.store(connections_.size(), std::memory_order_relaxed);
  context_.on_closed(peer);
}

// Ends what has run out of patience. COST: one look at every connection, at most once per earliest
// deadline and never more often than every few milliseconds.
void EventLoop::Sweep() {
  next_sweep_ = SteadyTime::max();
  std::vector<LoopConnection*> due;
  for (const auto& [connection, owner] : connections_) {
    if (connection->with_worker) continue;
    const bool unwanted = stopping_ || (*context_.draining && connection->http.idle());
    if (unwanted || connection->http.deadline() <= now_) {
      due.push_back(connection);
    } else {
      next_sweep_ = std::min(next_sweep_, connection->http.deadline());
    }
  }
  for (LoopConnection* connection : due) {
    const bool unwanted = stopping_ || (*context_.draining && connection->http.idle());
    Drive(*connection, unwanted ? Step::kClose : connection->http.OnDeadline(now_));
  }
}

}  // namespace tablecast
