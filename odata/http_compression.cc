#include "odata/http_compression.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>

#include "odata/http_message.h"

namespace tablecast {
namespace {

constexpr int kLevel = 1;
constexpr int kGzipWindow = 15 + 16;  // zlib: +16 selects the gzip wrapper
constexpr std::size_t kBufferBytes = 64U << 10U;

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// "0.5" -> 500; malformed weights count as 0, so that a client never gets what it did not ask for.
int Thousandths(std::string_view weight) {
  if (weight.empty() || (weight.front() != '0' && weight.front() != '1') || weight.size() > 5) return 0;
  int value = (weight.front() - '0') * 1000;
  int scale = 100;
  for (std::size_t i = 1; i < weight.size(); ++i) {
    const char c = weight[i];
    if (i == 1 ? c != '.' : (c < '0' || c > '9')) return 0;
    if (i > 1) {
      value += (c - '0') * scale;
      scale /= 10;
    }
  }
  return std::min(value, 1000);
}

z_stream NewStream() {
  z_stream stream;
  stream.zalloc = nullptr;
  stream.zfree = nullptr;
  stream.opaque = nullptr;
  stream.next_in = nullptr;
  stream.avail_in = 0;
  return stream;
}

void SetInput(z_stream& stream, std::string_view input) {
  // zlib's interface lacks const; it does not write to its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
  stream.avail_in = static_cast<uInt>(input.size());
}

}  // namespace

bool AcceptsGzip(std::string_view accept_encoding) {
  std::optional<int> gzip;
  std::optional<int> any;
  std::optional<int> identity;
  while (!accept_encoding.empty()) {
    const std::size_t comma = std::min(accept_encoding.find(','), accept_encoding.size());
    const std::string_view part = accept_encoding.substr(0, comma);
    accept_encoding.remove_prefix(std::min(comma + 1, accept_encoding.size()));
    const std::size_t semicolon = std::min(part.find(';'), part.size());
    const std::string_view coding = Trim(part.substr(0, semicolon));
    int weight = 1000;
    if (semicolon < part.size()) {
      const std::string_view parameter = Trim(part.substr(semicolon + 1));
      const bool named_q = parameter.size() > 2 && (parameter[0] == 'q' || parameter[0] == 'Q') && parameter[1] == '=';
      weight = named_q ? Thousandths(Trim(parameter.substr(2))) : 0;
    }
    if (EqualsIgnoreCase(coding, "gzip") || EqualsIgnoreCase(coding, "x-gzip")) gzip = weight;
    if (coding == "*") any = weight;
    if (EqualsIgnoreCase(coding, "identity")) identity = weight;
  }
  const int gzip_weight = gzip.value_or(any.value_or(0));
  return gzip_weight > 0 && gzip_weight >= identity.value_or(0);
}

bool IsCompressibleType(std::string_view content_type) {
  const std::string_view type = Trim(content_type.substr(0, content_type.find(';')));
  const auto ends_with = [&](std::string_view tail) {
    return type.size() >= tail.size() && EqualsIgnoreCase(type.substr(type.size() - tail.size()), tail);
  };
  return EqualsIgnoreCase(type, "application/json") || EqualsIgnoreCase(type, "application/xml") ||
         EqualsIgnoreCase(type, "application/javascript") || EqualsIgnoreCase(type, "application/x-ndjson") ||
         EqualsIgnoreCase(type, "multipart/mixed") || EqualsIgnoreCase(type, "image/svg+xml") ||
         ends_with("+json") || ends_with("+xml") ||
         (type.size() > 5 && EqualsIgnoreCase(type.substr(0, 5), "text/"));
}

struct GzipCompressor::State {
  z_stream stream = NewStream();
  std::array<Bytef, kBufferBytes> buffer;
};

GzipCompressor::GzipCompressor() : state_(std::make_unique<State>()) {
  // Z_BEST_SPEED with the default memory level; fails only without memory.
  TABLECAST_CHECK(deflateInit2(&state_->stream, kLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK);
}

GzipCompressor::~GzipCompressor() { deflateEnd(&state_->stream); }

void GzipCompressor::Begin() { deflateReset(&state_->stream); }

void GzipCompressor::Append(std::string_view input, bool last, std::string& out) {
  z_stream& stream = state_->stream;
  constexpr std::size_t kSlice = std::size_t{1} << 30U;  // avail_in is 32 bits wide
  do {
    const std::string_view slice = input.substr(0, kSlice);
    input.remove_prefix(slice.size());
    SetInput(stream, slice);
    const int flush = !input.empty() ? Z_NO_FLUSH : last ? Z_FINISH : Z_SYNC_FLUSH;
    do {
      stream.next_out = state_->buffer.data();
      stream.avail_out = static_cast<uInt>(kBufferBytes);
      deflate(&stream, flush);
      out.append(reinterpret_cast<const char*>(state_->buffer.data()), kBufferBytes - stream.avail_out);
    } while (stream.avail_out == 0);
  } while (!input.empty());
}

Result<std::string> InflateGzip(std::string_view compressed, std::size_t max_bytes) {
  z_stream stream = NewStream();
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) {
    return MakeError(ErrorCode::kResourceExhausted, "out-of-memory", "no memory to inflate the request body");
  }
  const auto inflate_all = [&]() -> Result<std::string> {
    const Error bad = MakeError(ErrorCode::kInvalidArgument, "bad-gzip", "the request body is not a complete gzip stream");
    std::string out;
    std::string buffer(kBufferBytes, '\0');
    SetInput(stream, compressed);
    for (;;) {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      const int code = inflate(&stream, Z_NO_FLUSH);
      out.append(buffer, 0, buffer.size() - stream.avail_out);
      if (out.size() > max_bytes) {
        return MakeError(ErrorCode::kResourceExhausted, "body-too-large", "the inflated request body is too large");
      }
      if (code == Z_STREAM_END) {
        if (stream.avail_in == 0) return out;
        if (inflateReset(&stream) != Z_OK) return bad;  // the next member
      } else if (code != Z_OK) {
        return bad;  // Z_BUF_ERROR: the input ended inside the stream
      }
    }
  };
  Result<std::string> result = inflate_all();
  inflateEnd(&stream);
  return result;
}

}  // namespace tablecast
