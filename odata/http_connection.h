#ifndef TABLECAST_ODATA_HTTP_CONNECTION_H_
#define TABLECAST_ODATA_HTTP_CONNECTION_H_

// One client connection as a state machine over a non-blocking Transport: collects heads and bodies
// under limits, holds the response until the client has taken it, and knows when patience ends. It
// knows neither epoll nor handlers; HttpServer drives it and does what each Step asks.
//
//   Step step = connection.OnReadable(scratch, now);
//   // kHead: look at head(), then ExpectBody(); kRequest: body() is complete, then SetResponse().

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "odata/http_engine.h"
#include "odata/http_head.h"
#include "odata/http_limits.h"
#include "odata/http_transport.h"

namespace tablecast {

using SteadyTime = std::chrono::steady_clock::time_point;

// Bytes held for clients by all connections together: unread input, request bodies, unsent responses.
using BufferedBytes = std::atomic<std::size_t>;

class HttpConnection {
 public:
  enum class Step {
    kWait,      // until the socket is ready or deadline() passes
    kHead,      // head() is complete: admit it, then ExpectBody() or SetResponse()
    kRequest,   // the whole request is here: answer it with SetResponse()
    kRefuse,    // refusal() says why: answer it with SetResponse(); no further request is read
    kProduce,   // everything was sent and the response's producer has more: Produce()
    kFinished,  // the response is complete: take note of it, then NextRequest()
    kClose,     // nothing more to do with this connection
  };

  // BORROWS: `limits` and `buffered` must outlive the connection.
  HttpConnection(std::unique_ptr<Transport> transport, std::string peer_address, const HttpLimits& limits,
                 BufferedBytes& buffered, SteadyTime now);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // The socket is readable. `scratch` is any buffer of the calling thread.
  Step OnReadable(std::string& scratch, SteadyTime now);
  // The socket is writable.
  Step OnWritable(std::string& scratch, SteadyTime now);
  // deadline() has passed.
  Step OnDeadline(SteadyTime now);

  // After kHead when the request has a body: answers Expect: 100-continue and goes on reading.
  Step ExpectBody(SteadyTime now);
  // After kHead when a body is expected but not wanted: the connection ends after the response.
  void RefuseBody() { close_after_response_ = true; }

  // Gives the response, sends what the socket takes now. May be called by a worker.
  Step SetResponse(WireResponse response, SteadyTime now);
  // Asks the producer for more and sends it, until the socket is full, the producer ends or
  // `budget_bytes` were produced (then kProduce again). May be called by a worker.
  Step Produce(std::size_t budget_bytes, SteadyTime now);
  // After kFinished: begins with what the client sent ahead, or closes.
  Step NextRequest(SteadyTime now);

  const RequestHead& head() const { return head_; }
  RequestHead& mutable_head() { return head_; }
  std::string& body() { return body_; }
  BodyLimit body_limit() const { return body_limit_; }
  const HttpRefusal& refusal() const { return refusal_; }
  const std::string& peer_address() const { return peer_address_; }
  Transport& transport() { return *transport_; }

  SteadyTime deadline() const { return deadline_; }
  bool wants_read() const;
  bool wants_write() const;
  // Between requests, with nothing received of the next one.
  bool idle() const { return state_ == State::kHead && input_.empty(); }
  bool responding() const { return state_ == State::kResponding; }
  std::uint64_t response_bytes() const { return sent_bytes_; }
  // The response was cut off: a failing producer, or a client that left or was too slow.
  bool response_broken() const { return broken_; }

 private:
  enum class State { kHead, kBody, kAnswering, kResponding, kLingering, kDone };

  Step Advance(SteadyTime now);
  Step AdvanceHead(SteadyTime now);
  Step AdvanceBody(SteadyTime now);
  Step Refuse(HttpRefusal refusal);
  Step Flush(SteadyTime now);
  Step Linger(std::string& scratch);
  Step Break();
  HttpRefusal Busy() const;
  void SetBodyDeadline();
  void SetWriteDeadline();
  void AppendOutput(std::string_view piece);
  void Account();

  std::unique_ptr<Transport> transport_;
  const std::string peer_address_;
  const HttpLimits& limits_;
  BufferedBytes& buffered_;
  std::size_t accounted_ = 0;  // our part of buffered_

  State state_ = State::kHead;
  SteadyTime deadline_;
  bool head_started_ = false;   // head_timeout runs, not idle_timeout
  bool first_request_ = true;
  std::string input_;           // received and not consumed
  HeadScanner scanner_;
  RequestHead head_;
  BodyLimit body_limit_{};
  std::string body_;
  std::optional<ChunkedDecoder> chunked_;
  SteadyTime body_started_;
  std::uint64_t body_received_ = 0;  // on the wire
  HttpRefusal refusal_;
  bool close_after_response_ = false;

  WireResponse response_;      // head and body are sent in place
  std::size_t sent_of_head_ = 0;
  std::size_t sent_of_body_ = 0;
  std::uint64_t sent_bytes_ = 0;
  bool producing_ = false;     // the producer has more
  bool broken_ = false;
  bool waiting_ = false;       // for the client to take bytes
  SteadyTime wait_began_;
  SteadyTime last_progress_;
  std::chrono::nanoseconds waited_{0};
  std::size_t lingered_bytes_ = 0;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_HTTP_CONNECTION_H_
