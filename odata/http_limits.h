#ifndef TABLECAST_ODATA_HTTP_LIMITS_H_
#define TABLECAST_ODATA_HTTP_LIMITS_H_

// Every limit of the network layer with its default. A limit that ends a request is named in the error
// it causes by its key in the server's configuration file: max_body_bytes is "maxBodyBytes" there,
// head_timeout is "headTimeoutMs".

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tablecast {

struct HttpLimits {
  // Heads. Beyond: 414 for the request line, 431 for the rest, 408 when late.
  std::size_t max_request_line_bytes = 32U << 10U;
  std::size_t max_head_bytes = 64U << 10U;
  std::size_t max_header_lines = 100;
  std::chrono::milliseconds head_timeout{10'000};  // from the first byte (or the accept) to the blank line

  // Bodies, measured after unchunking and inflating. Beyond: 413, or 408 when late.
  std::size_t max_body_bytes = 8U << 20U;
  std::size_t max_batch_body_bytes = 16U << 20U;   // targets whose path ends in /$batch
  std::chrono::milliseconds body_timeout{60'000};  // for the whole body
  std::size_t min_body_bytes_per_second = 1024;    // averaged; 0 switches it off

  // Responses. Beyond: the connection is cut.
  std::size_t min_response_bytes_per_second = 1024;  // averaged over the time spent waiting; 0: off
  std::chrono::milliseconds write_stall_timeout{20'000};  // no byte taken for so long
  std::chrono::milliseconds rate_grace{5'000};  // minimum rates are not applied earlier than this

  // Answers are due within this after the head arrived (HttpRequest::deadline).
  std::chrono::milliseconds request_timeout{30'000};
  std::chrono::milliseconds idle_timeout{60'000};  // a keep-alive connection without a request

  // Connections. Beyond: 503 with Retry-After and close.
  std::size_t max_connections = 10'000;             // lowered to what the descriptor limit allows
  std::size_t max_connections_per_address = 1'000;  // loopback and trusted proxies are exempt

  // Load. Beyond: 503 with Retry-After; 429 for one principal.
  std::size_t max_queued_requests = 1'024;       // waiting for a worker
  std::size_t max_requests_per_principal = 64;   // at once, when authentication is on; 0: unlimited
  std::size_t max_buffered_bytes = 512U << 20U;  // request bodies and unsent responses together

  // Responses of at least this many bytes are compressed when the client allows.
  std::size_t compression_threshold_bytes = 1024;

  std::chrono::milliseconds drain_timeout{30'000};  // requests in flight at a drain get so long
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_HTTP_LIMITS_H_
