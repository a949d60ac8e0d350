#ifndef TABLECAST_ODATA_HTTP_HEAD_H_
#define TABLECAST_ODATA_HTTP_HEAD_H_

// Reads request heads under limits, before anything else looks at them: where a head ends, whether
// it is well formed, and how its body is framed. Stricter than RFC 9112 wherever two readers could
// disagree about where a request ends (bare LF, folded lines, repeated Content-Length, both framings).
// Works on bytes only; knows no socket. Start with HeadScanner, then ParseRequestHead.
//
//   HeadScanner scanner(limits);
//   while (scanner.Scan(buffer) == HeadScanner::Verdict::kIncomplete) ReadMoreInto(buffer);
//   auto head = ParseRequestHead(std::string_view(buffer).substr(0, scanner.head_bytes()), limits);

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "odata/http_limits.h"
#include "odata/http_message.h"

namespace tablecast {

// Why a request is not served; becomes MakeHttpError(status, code, message).
struct HttpRefusal {
  int status = 400;
  std::string code;     // stable kebab-case word
  std::string message;  // names the limit, where a limit is the reason
};

// Finds the blank line that ends a head, refusing oversized ones as early as possible.
// COST: looks at every byte once, however the bytes arrive.
class HeadScanner {
 public:
  enum class Verdict { kIncomplete, kComplete, kRefused };

  // BORROWS: `limits` must outlive the scanner.
  explicit HeadScanner(const HttpLimits& limits) : limits_(&limits) {}

  // `buffer` holds everything received for this head so far (a growing prefix of the same bytes).
  Verdict Scan(std::string_view buffer);
  // After kComplete: bytes up to and including the blank line.
  std::size_t head_bytes() const { return position_; }
  // After kRefused.
  const HttpRefusal& refusal() const { return refusal_; }
  void Reset();

 private:
  Verdict Refuse(int status, std::string code, std::string message);

  const HttpLimits* limits_;
  std::size_t position_ = 0;    // everything before it was looked at
  std::size_t line_begin_ = 0;  // of the line being read
  std::size_t lines_ = 0;       // complete lines, the request line included
  std::size_t empty_lines_ = 0;  // before the request line
  HttpRefusal refusal_;
};

enum class RequestCoding { kIdentity, kGzip };

// A well-formed head with the meaning of every field that frames the message.
struct RequestHead {
  std::string method;
  std::string target;     // origin form ("/path?query") or "*"; absolute form is reduced to it
  std::string authority;  // from Host or the absolute form; may be empty in HTTP/1.0
  int minor_version = 1;  // HTTP/1.<minor_version>
  HttpHeaders headers;
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
  bool expect_continue = false;
  bool keep_alive = true;
  RequestCoding coding = RequestCoding::kIdentity;

  bool HasBody() const { return chunked || content_length.value_or(0) > 0; }
};

// `head` ends with its blank line. Refusals are 400, 405, 411, 415, 417, 431, 501 or 505.
// SOURCE: RFC 9112 sections 3, 5, 6; RFC 9110 sections 5, 10.1.1.
tl::expected<RequestHead, HttpRefusal> ParseRequestHead(std::string_view head, const HttpLimits& limits);

// The body limit of that request: max_batch_body_bytes for .../$batch, else max_body_bytes.
struct BodyLimit {
  std::size_t bytes;
  std::string_view name;
};
BodyLimit BodyLimitFor(const RequestHead& head, const HttpLimits& limits);
HttpRefusal BodyTooLarge(const BodyLimit& limit);

// RFC 9110 "token": method and header names.
bool IsHttpToken(std::string_view text);
// Bytes that may form host[:port].
bool IsAuthority(std::string_view text);
// May stand in a header line: no CR, LF, NUL or other control bytes except TAB.
bool IsHeaderValue(std::string_view text);

// Takes chunked transfer coding off a body that arrives in pieces.
class ChunkedDecoder {
 public:
  enum class Verdict { kMore, kDone, kRefused };

  explicit ChunkedDecoder(BodyLimit limit) : limit_(limit) {}

  // Consumes from the front of `input` and appends payload to `body`. After kDone, `input` begins
  // with the next request. Trailer lines are bounded and dropped.
  Verdict Decode(std::string_view& input, std::string& body);
  const HttpRefusal& refusal() const { return refusal_; }

 private:
  enum class State { kSize, kData, kDataEnd, kTrailer, kDone };
  Verdict Refuse(std::string message);
  // Moves one line (without CRLF) from `input` to line_; false when it is not complete yet.
  bool TakeLine(std::string_view& input);

  BodyLimit limit_;
  State state_ = State::kSize;
  std::string line_;
  bool line_complete_ = false;
  bool bad_line_ = false;
  std::uint64_t left_ = 0;  // of the chunk being read
  std::size_t trailer_bytes_ = 0;
  HttpRefusal refusal_;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_HTTP_HEAD_H_
