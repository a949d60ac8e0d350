#include "odata/http_connection.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tablecast {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::chrono::milliseconds kLingerTime{2000};
constexpr std::size_t kLingerBytes = 1U << 20U;     // read and dropped so that the client sees our answer
constexpr std::size_t kIdleBufferBytes = 4U << 10U;  // an idle connection keeps no larger buffer
constexpr std::size_t kJoinedBytes = 4U << 10U;     // bodies so small are copied behind their head
constexpr std::size_t kPieceBytes = 64U << 10U;     // output collected per send while producing

std::string ChunkSizeLine(std::size_t size) {
  std::array<char, 20> text{};
  std::size_t at = text.size();
  do {
    text[--at] = "0123456789abcdef"[size % 16];
    size /= 16;
  } while (size > 0);
  return std::string(text.data() + at, text.size() - at) + "\r\n";
}

// When `done` bytes at `per_second` are no longer enough, counted from the start.
std::chrono::nanoseconds PatienceFor(std::uint64_t done, std::size_t per_second, std::chrono::nanoseconds grace) {
  return std::max(grace, std::chrono::nanoseconds(std::chrono::milliseconds(done * 1000 / per_second)));
}

}  // namespace

HttpConnection::HttpConnection(std::unique_ptr<Transport> transport, std::string peer_address,
                               const HttpLimits& limits, BufferedBytes& buffered, SteadyTime now)
    : transport_(std::move(transport)),
      peer_address_(std::move(peer_address)),
      limits_(limits),
      buffered_(buffered),
      deadline_(now + limits.head_timeout),
      scanner_(limits) {}

HttpConnection::~HttpConnection() {
  input_.clear();
  body_.clear();
  response_ = {};
  sent_of_head_ = sent_of_body_ = 0;
  Account();
}

void HttpConnection::Account() {
  const std::size_t now = input_.size() + body_.size() + (response_.head.size() - sent_of_head_) + (response_.body.size() - sent_of_body_);
  if (now == accounted_) return;
  buffered_ += now - accounted_;  // wraps around for less, as unsigned arithmetic does
  accounted_ = now;
}

bool HttpConnection::wants_read() const {
  switch (state_) {
    case State::kHead:
    case State::kBody:
    case State::kLingering: return !transport_->wants_write();
    default: return false;
  }
}

bool HttpConnection::wants_write() const {
  switch (state_) {
    case State::kResponding: return true;
    case State::kHead:
    case State::kBody: return transport_->wants_write();
    default: return false;
  }
}

HttpConnection::Step HttpConnection::Break() {
  if (state_ == State::kResponding) broken_ = true;
  state_ = State::kDone;
  return Step::kClose;
}

HttpConnection::Step HttpConnection::Refuse(HttpRefusal refusal) {
  refusal_ = std::move(refusal);
  close_after_response_ = true;
  body_.clear();
  Account();
  state_ = State::kAnswering;
  return Step::kRefuse;
}

HttpConnection::Step HttpConnection::OnReadable(std::string& scratch, SteadyTime now) {
  if (state_ == State::kLingering) return Linger(scratch);
  if (state_ != State::kHead && state_ != State::kBody) return Step::kWait;
  for (;;) {
    const IoResult read = transport_->Read(scratch.data(), scratch.size());
    if (read.status == IoStatus::kRetry) return Step::kWait;
    if (read.status != IoStatus::kOk) return Break();
    input_.append(scratch, 0, read.bytes);
    if (state_ == State::kBody) body_received_ += read.bytes;
    const Step step = Advance(now);
    // A short read emptied the socket; TLS may hold more that no event will announce.
    if (step != Step::kWait || (read.bytes < scratch.size() && !transport_->HasPending())) return step;
  }
}

HttpConnection::Step HttpConnection::Advance(SteadyTime now) {
  return state_ == State::kHead ? AdvanceHead(now) : AdvanceBody(now);
}

HttpConnection::Step HttpConnection::AdvanceHead(SteadyTime now) {
  if (input_.empty()) return Step::kWait;
  if (!head_started_) {
    head_started_ = true;
    if (!first_request_) deadline_ = now + limits_.head_timeout;
  }
  switch (scanner_.Scan(input_)) {
    case HeadScanner::Verdict::kIncomplete:
      Account();
      return buffered_ > limits_.max_buffered_bytes ? Refuse(Busy()) : Step::kWait;
    case HeadScanner::Verdict::kRefused: return Refuse(scanner_.refusal());
    case HeadScanner::Verdict::kComplete: break;
  }
  auto parsed = ParseRequestHead(std::string_view(input_).substr(0, scanner_.head_bytes()), limits_);
  if (!parsed) return Refuse(std::move(parsed.error()));
  head_ = std::move(*parsed);
  input_.erase(0, scanner_.head_bytes());
  body_limit_ = BodyLimitFor(head_, limits_);
  if (head_.content_length && *head_.content_length > body_limit_.bytes) return Refuse(BodyTooLarge(body_limit_));
  state_ = State::kAnswering;
  deadline_ = SteadyTime::max();
  return Step::kHead;
}

HttpConnection::Step HttpConnection::ExpectBody(SteadyTime now) {
  state_ = State::kBody;
  body_started_ = now;
  body_received_ = input_.size();
  if (head_.chunked) chunked_.emplace(body_limit_);
  SetBodyDeadline();
  if (head_.expect_continue && input_.empty()) {
    // 25 bytes into an empty socket buffer; a client that does not take them is broken.
    const IoResult sent = transport_->Write(kContinue, {});
    if (sent.status != IoStatus::kOk || sent.bytes != kContinue.size()) return Break();
  }
  return AdvanceBody(now);
}

HttpRefusal HttpConnection::Busy() const {
  return {503, "server-busy", "The server holds maxBufferedBytes (" + std::to_string(limits_.max_buffered_bytes) +
                                  ") for its clients; try later"};
}

void HttpConnection::SetBodyDeadline() {
  deadline_ = body_started_ + limits_.body_timeout;
  if (limits_.min_body_bytes_per_second > 0) {
    deadline_ = std::min(deadline_, body_started_ + PatienceFor(body_received_, limits_.min_body_bytes_per_second,
                                                                limits_.rate_grace));
  }
}

HttpConnection::Step HttpConnection::AdvanceBody(SteadyTime now) {
  bool complete = false;
  if (chunked_) {
    std::string_view input = input_;
    const ChunkedDecoder::Verdict verdict = chunked_->Decode(input, body_);
    if (verdict == ChunkedDecoder::Verdict::kRefused) return Refuse(chunked_->refusal());
    input_.erase(0, input_.size() - input.size());
    complete = verdict == ChunkedDecoder::Verdict::kDone;
  } else {
    const auto length = static_cast<std::size_t>(*head_.content_length);
    const std::size_t take = std::min(length - body_.size(), input_.size());
    body_.append(input_, 0, take);
    input_.erase(0, take);
    complete = body_.size() == length;
  }
  Account();
  if (complete) {
    chunked_.reset();
    state_ = State::kAnswering;
    deadline_ = SteadyTime::max();
    return Step::kRequest;
  }
  if (buffered_ > limits_.max_buffered_bytes) {
    return Refuse(Busy());
  }
  SetBodyDeadline();
  if (now >= deadline_) return OnDeadline(now);
  return Step::kWait;
}

HttpConnection::Step HttpConnection::OnDeadline(SteadyTime now) {
  switch (state_) {
    case State::kHead:
      if (!head_started_) return Break();  // idle: no answer is due
      return Refuse({408, "head-timeout", "The request head took longer than headTimeoutMs (" +
                                              std::to_string(limits_.head_timeout.count()) + ")"});
    case State::kBody:
      if (now >= body_started_ + limits_.body_timeout) {
        return Refuse({408, "body-timeout", "The request body took longer than bodyTimeoutMs (" +
                                                std::to_string(limits_.body_timeout.count()) + ")"});
      }
      return Refuse({408, "body-too-slow", "The request body arrives below minBodyBytesPerSecond (" +
                                               std::to_string(limits_.min_body_bytes_per_second) + ")"});
    case State::kResponding:
    case State::kLingering:
    case State::kDone: return Break();
    case State::kAnswering: return Step::kWait;
  }
  return Break();
}

HttpConnection::Step HttpConnection::SetResponse(WireResponse response, SteadyTime now) {
  response_ = std::move(response);
  std::string().swap(body_);
  close_after_response_ = close_after_response_ || response_.close;
  producing_ = static_cast<bool>(response_.producer);
  sent_of_head_ = sent_of_body_ = 0;
  sent_bytes_ = 0;
  broken_ = waiting_ = false;
  waited_ = std::chrono::nanoseconds(0);
  if (producing_ && response_.chunked && !response_.body.empty()) {
    std::string first = std::move(response_.body);
    response_.body.clear();
    AppendOutput(first);
  }
  if (!producing_ && response_.body.size() <= kJoinedBytes) {  // one plain send is cheaper than two pieces
    response_.head.append(response_.body);
    response_.body.clear();
  }
  state_ = State::kResponding;
  return Flush(now);
}

void HttpConnection::AppendOutput(std::string_view piece) {
  if (piece.empty()) return;  // an empty chunk would end the body
  if (!response_.chunked) {
    response_.body.append(piece);
    return;
  }
  response_.body.append(ChunkSizeLine(piece.size())).append(piece).append("\r\n");
}

HttpConnection::Step HttpConnection::Flush(SteadyTime now) {
  for (;;) {
    const std::string_view head = std::string_view(response_.head).substr(sent_of_head_);
    const std::string_view body = std::string_view(response_.body).substr(sent_of_body_);
    if (head.empty() && body.empty()) break;
    const IoResult sent = head.empty() ? transport_->Write(body, {}) : transport_->Write(head, body);
    if (sent.status == IoStatus::kRetry) {
      if (!std::exchange(waiting_, true)) wait_began_ = last_progress_ = now;
      SetWriteDeadline();
      Account();
      return now >= deadline_ ? Break() : Step::kWait;
    }
    if (sent.status != IoStatus::kOk) return Break();
    const std::size_t of_head = std::min(sent.bytes, head.size());
    sent_of_head_ += of_head;
    sent_of_body_ += sent.bytes - of_head;
    sent_bytes_ += sent.bytes;
    last_progress_ = now;
  }
  if (std::exchange(waiting_, false)) waited_ += now - wait_began_;
  deadline_ = SteadyTime::max();
  response_.head.clear();
  response_.body.clear();
  sent_of_head_ = sent_of_body_ = 0;
  Account();
  return producing_ ? Step::kProduce : Step::kFinished;
}

void HttpConnection::SetWriteDeadline() {
  deadline_ = last_progress_ + limits_.write_stall_timeout;
  if (limits_.min_response_bytes_per_second > 0) {
    deadline_ = std::min(deadline_, wait_began_ - std::chrono::duration_cast<std::chrono::steady_clock::duration>(waited_) +
                                        PatienceFor(sent_bytes_, limits_.min_response_bytes_per_second, limits_.rate_grace));
  }
}

HttpConnection::Step HttpConnection::OnWritable(std::string& scratch, SteadyTime now) {
  if (state_ == State::kResponding) return Flush(now);
  return OnReadable(scratch, now);  // TLS waited for the socket to go on reading
}

HttpConnection::Step HttpConnection::Produce(std::size_t budget_bytes, SteadyTime now) {
  std::size_t produced = 0;
  std::string chunk;
  while (producing_ && produced < budget_bytes) {
    while (producing_ && response_.body.size() < kPieceBytes) {
      chunk.clear();
      const Result<bool> more = response_.producer(chunk);
      if (!more.ok()) return Break();  // no closing chunk: the client sees that the body is broken
      produced += chunk.size() + 1;    // an idle producer counts too
      producing_ = *more;
      AppendOutput(chunk);
      if (produced >= budget_bytes) break;
    }
    if (!producing_ && response_.chunked) response_.body.append("0\r\n\r\n");
    const Step step = Flush(now);
    if (step != Step::kProduce) return step;
    now = std::chrono::steady_clock::now();
  }
  return producing_ ? Step::kProduce : Step::kFinished;
}

HttpConnection::Step HttpConnection::NextRequest(SteadyTime now) {
  response_ = {};
  head_ = {};
  sent_bytes_ = 0;
  if (close_after_response_) {
    // Closing with unread input would reset the connection and may destroy the answer on its way.
    transport_->ShutdownWrite();
    input_.clear();
    state_ = State::kLingering;
    deadline_ = now + kLingerTime;
    return Step::kWait;
  }
  state_ = State::kHead;
  head_started_ = first_request_ = false;
  scanner_.Reset();
  if (input_.empty() && input_.capacity() > kIdleBufferBytes) std::string().swap(input_);
  deadline_ = now + limits_.idle_timeout;
  return Advance(now);
}

HttpConnection::Step HttpConnection::Linger(std::string& scratch) {
  for (;;) {
    const IoResult read = transport_->Read(scratch.data(), scratch.size());
    if (read.status == IoStatus::kRetry) return Step::kWait;
    if (read.status != IoStatus::kOk) return Break();
    lingered_bytes_ += read.bytes;
    if (lingered_bytes_ > kLingerBytes) return Break();
  }
}

}  // namespace tablecast
