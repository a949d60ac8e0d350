// Bodies of $batch. The first byte chooses JSON or multipart with a fixed boundary. No body may crash the parser, be
// called our bug, or yield more parts, a group that is not there, or a dependency on nothing that came before.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "odata/batch_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tablecast;  // NOLINT(google-build-using-namespace)
  if (size == 0) return 0;
  constexpr std::size_t kMaxParts = 100;
  HttpRequest request;
  request.method = "POST";
  request.target = "/odata/$batch";
  request.headers.Add("Content-Type", data[0] % 2 == 0 ? "application/json" : "multipart/mixed; boundary=b1");
  request.body.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto batch = ParseBatch(request, kMaxParts);
  if (!batch.ok()) {
    if (batch.error().code == ErrorCode::kInternal || batch.error().reason.empty()) std::abort();
    return 0;
  }
  if (batch->parts.size() > kMaxParts || batch->json != (data[0] % 2 == 0)) std::abort();
  std::size_t bytes = 0;
  for (const BatchPart& part : batch->parts) {
    if (part.method.empty() || part.group < -1 || part.group >= static_cast<int>(kMaxParts)) std::abort();
    bytes += part.body.size();
  }
  // Every byte of a part is a byte of the body; JSON members are written anew, escapes at most six for one.
  if (bytes > 6 * size + 64) std::abort();
  return 0;
}
