// Tokens: bytes as a whole token never verify (the key is unknown to them); bytes as a payload that is
// properly signed never crash and are judged by their claims alone.
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "odata/jwt.h"

namespace {

constexpr std::string_view kSecret = "0123456789abcdef0123456789abcdef";

std::string Sign(const std::string& input) {
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), kSecret.data(), static_cast<int>(kSecret.size()), reinterpret_cast<const unsigned char*>(input.data()),
       input.size(), out, &size);
  return std::string(reinterpret_cast<char*>(out), size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tablecast::JwtVerifier verifier(
      {.keys = {tablecast::JwtKey::FromText("", tablecast::JwtAlgorithm::kHs256, kSecret).value()}, .issuer = "i"});
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr tablecast::Timestamp kNow{1'700'000'000, 0};
  const auto raw = verifier.Verify(bytes, kNow);
  if (raw.ok() || raw.error().code != tablecast::ErrorCode::kUnauthenticated) std::abort();

  const std::string input = tablecast::EncodeBase64Url(R"({"alg":"HS256"})") + "." + tablecast::EncodeBase64Url(bytes);
  const auto signed_payload = verifier.Verify(input + "." + tablecast::EncodeBase64Url(Sign(input)), kNow);
  if (signed_payload.ok()) {
    const tablecast::JsonValue* issuer = signed_payload->claims.Find("iss");
    if (signed_payload->expires + 60 <= kNow.seconds || issuer == nullptr || issuer->text != "i") std::abort();
  } else if (signed_payload.error().reason == "jwt-signature" || signed_payload.error().reason == "jwt-algorithm") {
    std::abort();
  }
  return 0;
}
