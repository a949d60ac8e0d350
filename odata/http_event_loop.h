#ifndef TABLECAST_ODATA_HTTP_EVENT_LOOP_H_
#define TABLECAST_ODATA_HTTP_EVENT_LOOP_H_

// Part of HttpServer: one epoll loop with the connections it owns, and the pool of workers that
// answer what a loop must not. Connections move between the two by pointer, never shared: while
// `with_worker` is set the loop does not touch the connection.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "odata/http_connection.h"
#include "odata/http_pipeline.h"

namespace tablecast {

class EventLoop;

// A connection as its loop sees it, with the request it is working on.
struct LoopConnection {
  LoopConnection(std::unique_ptr<Transport> transport, const std::string& peer, const HttpLimits& limits,
                 BufferedBytes& buffered, SteadyTime now)
      : http(std::move(transport), peer, limits, buffered, now) {}

  HttpConnection http;
  PendingRequest pending;
  EventLoop* loop = nullptr;
  bool with_worker = false;            // set and cleared by the loop
  bool in_request = false;             // pending is in use
  std::uint32_t armed = 0;             // epoll events asked for
  HttpConnection::Step step = HttpConnection::Step::kWait;  // what a worker left to do
};

// A bounded queue of requests before a fixed number of threads.
class WorkerPool {
 public:
  // `work` answers one connection's request or goes on with its stream, on a worker.
  using Work = std::function<void(LoopConnection&, ThreadTools&)>;

  // BORROWS: `queued`, the number of waiting requests for whoever wants to know, must outlive the pool.
  WorkerPool(std::size_t threads, std::size_t max_queued, std::atomic<std::size_t>& queued, Work work);
  ~WorkerPool();  // finishes what is queued

  // False when max_queued wait already; a stream that goes on (`urgent`) is always taken.
  bool Enqueue(LoopConnection& connection, bool urgent);

 private:
  void Run();

  const std::size_t max_queued_;
  std::atomic<std::size_t>& queued_;
  const Work work_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<LoopConnection*> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

// What a loop needs of its server.
struct LoopContext {
  HttpPipeline* pipeline = nullptr;
  WorkerPool* workers = nullptr;
  const HttpLimits* limits = nullptr;
  BufferedBytes* buffered = nullptr;
  const std::atomic<bool>* draining = nullptr;
  // A connection of that address has gone.
  std::function<void(const std::string& peer_address)> on_closed;
};

class EventLoop {
 public:
  explicit EventLoop(LoopContext context);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // THREAD: any.
  void Adopt(std::unique_ptr<LoopConnection> connection);
  void Return(LoopConnection& connection);
  void Wake();

  // Runs until Stop() and until no connection is with a worker. `listener`, when not -1, is watched
  // and `on_acceptable` called when connections wait.
  void Run(int listener, const std::function<void()>& on_acceptable);
  // Ends Run() after closing every connection. THREAD: any.
  void Stop();
  // THREAD: any.
  std::size_t connections() const { return count_.load(std::memory_order_relaxed); }

 private:
  using Step = HttpConnection::Step;

  void OnEvent(LoopConnection& connection);
  void TakeMail();
  void Drive(LoopConnection& connection, Step step);
  Step OnHead(LoopConnection& connection);
  Step Dispatch(LoopConnection& connection);
  Step AnswerHere(LoopConnection& connection);
  void Arm(LoopConnection& connection);
  void Close(LoopConnection& connection);
  void Sweep();
  int WaitMillis() const;

  LoopContext context_;
  ThreadTools tools_;
  FileDescriptor epoll_;
  FileDescriptor wake_;
  SteadyTime now_;
  SteadyTime next_sweep_;
  std::unordered_map<LoopConnection*, std::unique_ptr<LoopConnection>> connections_;
  std::size_t with_workers_ = 0;
  std::atomic<std::size_t> count_{0};
  std::atomic<bool> stopping_{false};

  std::mutex mail_mutex_;
  std::vector<std::unique_ptr<LoopConnection>> adopted_;
  std::vector<LoopConnection*> returned_;
  std::vector<LoopConnection*> resumed_;  // had their turn; go on after the others
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_HTTP_EVENT_LOOP_H_
