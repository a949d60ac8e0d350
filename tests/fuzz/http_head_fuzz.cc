// Request heads and chunked bodies: whatever the bytes, and however they are cut into pieces, the
// verdict is the same, and an accepted head holds nothing that could end a line early.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "odata/http_head.h"

namespace {

using tablecast::ChunkedDecoder;
using tablecast::HeadScanner;
using tablecast::HttpLimits;

void Require(bool condition) {
  if (!condition) std::abort();
}

struct ChunkResult {
  ChunkedDecoder::Verdict verdict = ChunkedDecoder::Verdict::kMore;
  std::string body;
  std::size_t left = 0;
};

ChunkResult DecodeByPieces(std::string_view bytes, std::size_t piece) {
  ChunkedDecoder decoder({4096, "maxBodyBytes"});
  ChunkResult result;
  std::size_t at = 0;
  while (result.verdict == ChunkedDecoder::Verdict::kMore && at < bytes.size()) {
    std::string_view input = bytes.substr(at, piece);
    const std::size_t given = input.size();
    result.verdict = decoder.Decode(input, result.body);
    at += given - input.size();
    Require(result.verdict != ChunkedDecoder::Verdict::kMore || input.empty());
  }
  Require(result.body.size() <= 4096);
  result.left = bytes.size() - at;
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 || size > 100'000) return 0;
  const std::size_t piece = 1 + data[0] % 64;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  HttpLimits limits;
  limits.max_head_bytes = 2048;
  limits.max_request_line_bytes = 512;
  limits.max_header_lines = 20;

  HeadScanner at_once(limits);
  const HeadScanner::Verdict verdict = at_once.Scan(bytes);
  HeadScanner by_pieces(limits);
  HeadScanner::Verdict piecewise = HeadScanner::Verdict::kIncomplete;
  for (std::size_t end = piece; piecewise == HeadScanner::Verdict::kIncomplete; end += piece) {
    piecewise = by_pieces.Scan(std::string_view(bytes).substr(0, end));
    if (end >= bytes.size()) break;
  }
  Require(piecewise == verdict);
  if (verdict == HeadScanner::Verdict::kRefused) Require(by_pieces.refusal().code == at_once.refusal().code);
  if (verdict != HeadScanner::Verdict::kComplete) return 0;
  Require(by_pieces.head_bytes() == at_once.head_bytes() && at_once.head_bytes() <= bytes.size());

  const auto head = tablecast::ParseRequestHead(std::string_view(bytes).substr(0, at_once.head_bytes()), limits);
  if (head) {
    Require(head->target.find_first_of(std::string_view("\r\n\0 ", 4)) == std::string::npos && !head->target.empty());
    Require(tablecast::IsHttpToken(head->method) && tablecast::IsAuthority(head->authority));
    Require(!(head->chunked && head->content_length));
    for (const tablecast::HttpHeader& line : head->headers.lines()) {
      Require(tablecast::IsHttpToken(line.name) && tablecast::IsHeaderValue(line.value));
    }
  } else {
    Require(head.error().status >= 400 && head.error().status < 600 && !head.error().code.empty());
  }
  const std::string_view rest = std::string_view(bytes).substr(at_once.head_bytes());
  const ChunkResult whole = DecodeByPieces(rest, rest.size() + 1);
  const ChunkResult pieces = DecodeByPieces(rest, piece);
  Require(whole.verdict == pieces.verdict);
  if (whole.verdict == ChunkedDecoder::Verdict::kDone) Require(whole.body == pieces.body && whole.left == pieces.left);
  return 0;
}
