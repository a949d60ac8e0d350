#ifndef TABLECAST_ODATA_HTTP_COMPRESSION_H_
#define TABLECAST_ODATA_HTTP_COMPRESSION_H_

// gzip both ways: responses at level 1 when the client allows it, request bodies inflated under a
// cap. Never brotli: at its default quality it costs 770 ns a byte, a denial of service by header.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tablecast {

// Whether an Accept-Encoding value allows gzip and does not prefer identity to it. q-values count.
// SOURCE: RFC 9110, 12.5.3.
bool AcceptsGzip(std::string_view accept_encoding);

// JSON, XML, text and scripts, whatever their parameters ("application/json;odata.metadata=full").
bool IsCompressibleType(std::string_view content_type);

// A reusable gzip stream at level 1 (about 260 KB, allocated once).
// THREAD: one thread at a time.
class GzipCompressor {
 public:
  GzipCompressor();
  ~GzipCompressor();
  GzipCompressor(const GzipCompressor&) = delete;
  GzipCompressor& operator=(const GzipCompressor&) = delete;

  void Begin();
  // Appends compressed bytes to `out`. `last` ends the stream; otherwise everything given so far is
  // flushed, so that the receiver can read it.
  void Append(std::string_view input, bool last, std::string& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Inflates one gzip body (one or more members).
// ERRORS: kInvalidArgument "bad-gzip"; kResourceExhausted "body-too-large" beyond `max_bytes`.
// COST: memory never exceeds `max_bytes` by more than one buffer of 64 KB.
Result<std::string> InflateGzip(std::string_view compressed, std::size_t max_bytes);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_HTTP_COMPRESSION_H_
