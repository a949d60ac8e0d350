#include "odata/http_head.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tablecast {
namespace {

constexpr std::size_t kMaxMethodBytes = 32;
constexpr std::size_t kMaxEmptyLinesBefore = 2;  // RFC 9112, 2.2: tolerate one; some clients send two
constexpr std::size_t kUsualHeaderLines = 12;
constexpr std::size_t kMaxChunkLineBytes = 256;  // size and extensions
constexpr std::size_t kMaxTrailerBytes = 4096;
constexpr std::size_t kMaxLengthDigits = 18;
constexpr std::size_t kMaxChunkSizeDigits = 8;

constexpr std::array<bool, 256> MakeTokenTable() {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789"
                                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}
constexpr std::array<bool, 256> kTokenTable = MakeTokenTable();

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

tl::unexpected<HttpRefusal> Refused(int status, std::string code, std::string message) {
  return tl::unexpected<HttpRefusal>(HttpRefusal{status, std::move(code), std::move(message)});
}

std::string Named(std::string_view what, std::string_view limit, std::size_t value) {
  std::string text(what);
  text.append(" exceeds ").append(limit).append(" (").append(std::to_string(value)).append(")");
  return text;
}

// Whether a comma-separated list holds `word`.
bool ListHas(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (EqualsIgnoreCase(Trim(list.substr(0, comma)), word)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// Absolute form ("http://host/path", sent to proxies) must be understood: RFC 9112, 3.2.2.
tl::expected<void, HttpRefusal> ReduceTarget(RequestHead& head) {
  std::string& target = head.target;
  if (target.front() == '/') return {};
  if (target == "*" && head.method == "OPTIONS") return {};
  for (const std::string_view scheme : {std::string_view("http://"), std::string_view("https://")}) {
    if (target.size() < scheme.size() ||
        !EqualsIgnoreCase(std::string_view(target).substr(0, scheme.size()), scheme)) {
      continue;
    }
    const std::size_t end = std::min(target.find_first_of("/?#", scheme.size()), target.size());
    head.authority = target.substr(scheme.size(), end - scheme.size());
    target.erase(0, end);
    if (target.empty() || target.front() != '/') target.insert(target.begin(), '/');
    if (head.authority.empty() || !IsAuthority(head.authority)) break;
    return {};
  }
  return Refused(400, "bad-request-target", "The request target is neither a path nor an http URL");
}

tl::expected<void, HttpRefusal> ParseRequestLine(std::string_view line, RequestHead& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return Refused(400, "bad-request-line", "The request line is not 'METHOD target HTTP/1.1'");
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (method.size() > kMaxMethodBytes || !IsHttpToken(method)) {
    return Refused(400, "bad-method", "The request method is not a token of at most 32 bytes");
  }
  if (version.size() != 8 || version.substr(0, 5) != "HTTP/" || version[6] != '.') {
    return Refused(400, "bad-version", "The request line does not end with HTTP/1.1");
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Refused(505, "version-not-supported", "Only HTTP/1.1 and HTTP/1.0 are served");
  }
  if (target.empty() || std::any_of(target.begin(), target.end(),
                                    [](char c) { return IsControl(c) || c == ' '; })) {
    return Refused(400, "bad-request-target", "The request target holds blanks or control bytes; percent-encode them");
  }
  head.method = method;
  head.target = target;
  head.minor_version = version.back() - '0';
  return ReduceTarget(head);
}

tl::expected<void, HttpRefusal> ParseHeaderLine(std::string_view line, RequestHead& head) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !IsHttpToken(line.substr(0, colon))) {
    return Refused(400, "bad-header",
                   line.front() == ' ' || line.front() == '\t'
                       ? "A header line is folded over two lines"
                       : "A header line is not 'Name: value'");
  }
  const std::string_view value = Trim(line.substr(colon + 1));
  if (!IsHeaderValue(value)) return Refused(400, "bad-header", "A header value holds control bytes");
  head.headers.Add(line.substr(0, colon), value);
  return {};
}

tl::expected<void, HttpRefusal> ReadFraming(RequestHead& head) {
  bool has_host = false;
  int transfer_codings = 0;
  for (const HttpHeader& line : head.headers.lines()) {
    if (EqualsIgnoreCase(line.name, "Content-Length")) {
      const bool digits = !line.value.empty() && line.value.size() <= kMaxLengthDigits &&
                          std::all_of(line.value.begin(), line.value.end(),
                                      [](char c) { return c >= '0' && c <= '9'; });
      if (!digits) return Refused(400, "bad-content-length", "Content-Length is not a number");
      if (head.content_length) return Refused(400, "bad-content-length", "Content-Length is given twice");
      head.content_length = std::stoull(line.value);
    } else if (EqualsIgnoreCase(line.name, "Transfer-Encoding")) {
      if (!EqualsIgnoreCase(line.value, "chunked") || ++transfer_codings > 1) {
        return Refused(501, "transfer-encoding-not-supported", "The only transfer coding served is one 'chunked'");
      }
      head.chunked = true;
    } else if (EqualsIgnoreCase(line.name, "Host")) {
      if (std::exchange(has_host, true)) return Refused(400, "bad-host", "Host is given twice");
      if (!IsAuthority(line.value)) return Refused(400, "bad-host", "Host is not a host name");
      if (head.authority.empty()) head.authority = line.value;
    } else if (EqualsIgnoreCase(line.name, "Expect")) {
      if (!EqualsIgnoreCase(line.value, "100-continue")) {
        return Refused(417, "expectation-failed", "The only expectation served is 100-continue");
      }
      head.expect_continue = head.minor_version >= 1;
    } else if (EqualsIgnoreCase(line.name, "Content-Encoding")) {
      if (EqualsIgnoreCase(line.value, "gzip") || EqualsIgnoreCase(line.value, "x-gzip")) {
        if (head.coding == RequestCoding::kGzip) {
          return Refused(415, "content-encoding-not-supported", "The body is compressed twice");
        }
        head.coding = RequestCoding::kGzip;
      } else if (!EqualsIgnoreCase(line.value, "identity")) {
        return Refused(415, "content-encoding-not-supported", "Request bodies may be compressed with gzip only");
      }
    }
  }
  if (!has_host && head.minor_version >= 1) return Refused(400, "bad-host", "HTTP/1.1 requires a Host header");
  if (head.chunked && head.content_length) {
    return Refused(400, "ambiguous-length", "Content-Length and Transfer-Encoding exclude each other");
  }
  if (head.chunked && head.minor_version == 0) {
    return Refused(400, "ambiguous-length", "HTTP/1.0 has no Transfer-Encoding");
  }
  const std::string connection = head.headers.Joined("Connection");
  head.keep_alive = head.minor_version >= 1 ? !ListHas(connection, "close") : ListHas(connection, "keep-alive");
  return {};
}

tl::expected<void, HttpRefusal> CheckMethod(const RequestHead& head) {
  const std::string& method = head.method;
  if (method == "GET" || method == "HEAD") {
    if (head.HasBody()) return Refused(400, "unexpected-body", method + " requests have no body");
    return {};
  }
  if (method == "POST" || method == "PUT" || method == "PATCH" || method == "MERGE") {
    if (!head.chunked && !head.content_length) {
      return Refused(411, "length-required", method + " needs Content-Length or Transfer-Encoding: chunked");
    }
    return {};
  }
  if (method == "DELETE" || method == "OPTIONS") return {};
  if (method == "TRACE" || method == "CONNECT") return Refused(405, "method-not-allowed", method + " is not served");
  return Refused(501, "method-not-implemented", "The method is not served");
}

}  // namespace

bool IsHttpToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return kTokenTable[static_cast<unsigned char>(c)]; });
}

bool IsHeaderValue(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return IsControl(c) && c != '\t'; });
}

bool IsAuthority(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && std::strchr("-._~%!$&'()*+,;=:[]", c) != nullptr);
  });
}

HeadScanner::Verdict HeadScanner::Refuse(int status, std::string code, std::string message) {
  refusal_ = {status, std::move(code), std::move(message)};
  return Verdict::kRefused;
}

void HeadScanner::Reset() {
  position_ = line_begin_ = lines_ = empty_lines_ = 0;
  refusal_ = {};
}

HeadScanner::Verdict HeadScanner::Scan(std::string_view buffer) {
  for (;;) {
    const std::size_t newline = buffer.find('\n', position_);
    const std::size_t line_end = std::min(newline, buffer.size());
    if (lines_ == 0 && line_end - line_begin_ > limits_->max_request_line_bytes + 1) {
      return Refuse(414, "request-line-too-long",
                    Named("The request line", "maxRequestLineBytes", limits_->max_request_line_bytes));
    }
    if (line_end > limits_->max_head_bytes) {
      return Refuse(431, "head-too-large", Named("The request head", "maxHeadBytes", limits_->max_head_bytes));
    }
    if (newline == std::string_view::npos) {
      position_ = buffer.size();
      return Verdict::kIncomplete;
    }
    if (newline == line_begin_ || buffer[newline - 1] != '\r') {
      return Refuse(400, "bad-line-ending", "A line of the head does not end with CR LF");
    }
    const bool empty = newline - line_begin_ == 1;
    position_ = line_begin_ = newline + 1;
    if (empty && lines_ > 0) return Verdict::kComplete;
    if (empty && ++empty_lines_ > kMaxEmptyLinesBefore) {
      return Refuse(400, "bad-request-line", "Too many empty lines before the request line");
    }
    if (!empty && ++lines_ > limits_->max_header_lines + 1) {
      return Refuse(431, "too-many-header-lines",
                    Named("The number of header lines", "maxHeaderLines", limits_->max_header_lines));
    }
  }
}

tl::expected<RequestHead, HttpRefusal> ParseRequestHead(std::string_view head_bytes, const HttpLimits& limits) {
  RequestHead head;
  head.headers.Reserve(kUsualHeaderLines);
  bool request_line = true;
  std::size_t lines = 0;
  while (!head_bytes.empty()) {
    const std::size_t end = head_bytes.find("\r\n");
    if (end == std::string_view::npos) return Refused(400, "bad-line-ending", "The head ends inside a line");
    const std::string_view line = head_bytes.substr(0, end);
    head_bytes.remove_prefix(end + 2);
    if (line.empty()) {
      if (request_line) continue;
      break;
    }
    if (!request_line && ++lines > limits.max_header_lines) {
      return Refused(431, "too-many-header-lines",
                     Named("The number of header lines", "maxHeaderLines", limits.max_header_lines));
    }
    auto parsed = request_line ? ParseRequestLine(line, head) : ParseHeaderLine(line, head);
    if (!parsed) return tl::unexpected<HttpRefusal>(std::move(parsed.error()));
    request_line = false;
  }
  if (request_line) return Refused(400, "bad-request-line", "There is no request line");
  if (auto framing = ReadFraming(head); !framing) return tl::unexpected<HttpRefusal>(std::move(framing.error()));
  if (auto method = CheckMethod(head); !method) return tl::unexpected<HttpRefusal>(std::move(method.error()));
  return head;
}

BodyLimit BodyLimitFor(const RequestHead& head, const HttpLimits& limits) {
  std::string_view path = head.target;
  path = path.substr(0, path.find('?'));
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  for (const std::string_view tail : {std::string_view("/$batch"), std::string_view("/%24batch")}) {
    if (path.size() >= tail.size() && path.substr(path.size() - tail.size()) == tail) {
      return {limits.max_batch_body_bytes, "maxBatchBodyBytes"};
    }
  }
  return {limits.max_body_bytes, "maxBodyBytes"};
}

HttpRefusal BodyTooLarge(const BodyLimit& limit) {
  return {413, "body-too-large", Named("The request body", limit.name, limit.bytes)};
}

ChunkedDecoder::Verdict ChunkedDecoder::Refuse(std::string message) {
  refusal_ = {400, "bad-chunk", std::move(message)};
  return Verdict::kRefused;
}

bool ChunkedDecoder::TakeLine(std::string_view& input) {
  if (line_complete_) {
    line_.clear();
    line_complete_ = false;
  }
  const std::size_t newline = input.find('\n');
  const std::size_t take = newline == std::string_view::npos ? input.size() : newline + 1;
  if (line_.size() + take > kMaxChunkLineBytes) {
    bad_line_ = true;
    return false;
  }
  line_.append(input.substr(0, take));
  input.remove_prefix(take);
  if (newline == std::string_view::npos) return false;
  line_complete_ = true;
  if (line_.size() < 2 || line_[line_.size() - 2] != '\r') {
    bad_line_ = true;
    return false;
  }
  line_.resize(line_.size() - 2);
  return true;
}

ChunkedDecoder::Verdict ChunkedDecoder::Decode(std::string_view& input, std::string& body) {
  for (;;) {
    if (state_ == State::kDone) return Verdict::kDone;
    if (state_ == State::kData) {
      const std::size_t take = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size()));
      body.append(input.substr(0, take));
      input.remove_prefix(take);
      left_ -= take;
      if (left_ > 0) return Verdict::kMore;
      state_ = State::kDataEnd;
      continue;
    }
    if (!TakeLine(input)) return bad_line_ ? Refuse("A chunk line is malformed or too long") : Verdict::kMore;
    if (state_ == State::kDataEnd) {
      if (!line_.empty()) return Refuse("A chunk is longer than its size says");
      state_ = State::kSize;
    } else if (state_ == State::kSize) {
      std::string_view digits = line_;
      digits = digits.substr(0, digits.find(';'));
      while (!digits.empty() && (digits.back() == ' ' || digits.back() == '\t')) digits.remove_suffix(1);
      if (digits.empty() || digits.size() > kMaxChunkSizeDigits || !IsHeaderValue(line_)) {
        return Refuse("A chunk size is not a hexadecimal number of at most 8 digits");
      }
      left_ = 0;
      for (const char c : digits) {
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return Refuse("A chunk size is not a hexadecimal number of at most 8 digits");
        left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
      }
      if (body.size() + left_ > limit_.bytes) {
        refusal_ = BodyTooLarge(limit_);
        return Verdict::kRefused;
      }
      state_ = left_ == 0 ? State::kTrailer : State::kData;
    } else if (line_.empty()) {
      state_ = State::kDone;
    } else {
      trailer_bytes_ += line_.size();
      if (trailer_bytes_ > kMaxTrailerBytes) return Refuse("The trailer is larger than 4096 bytes");
    }
  }
}

}  // namespace tablecast
