#include "odata/skip_token.h"

#include <array>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "base/base64.h"

namespace tablecast {

namespace {

constexpr char kVersion = 1;
constexpr std::size_t kMacBytes = 16;

void AppendFramed(std::string& out, std::string_view part) {
  const auto size = static_cast<std::uint64_t>(part.size());
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>((size >> static_cast<unsigned>(shift)) & 0xFFU);
  out += part;
}

}  // namespace

std::string TokenSigner::Mac(std::string_view purpose, std::string_view binding, std::string_view payload) const {
  std::string message(1, kVersion);
  AppendFramed(message, purpose);
  AppendFramed(message, binding);
  AppendFramed(message, payload);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int bytes = 0;
  HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
       reinterpret_cast<const unsigned char*>(message.data()), message.size(), digest.data(), &bytes);
  return std::string(reinterpret_cast<const char*>(digest.data()), kMacBytes);
}

std::string TokenSigner::Sign(std::string_view purpose, std::string_view binding, std::string_view payload) const {
  std::string token(1, kVersion);
  token += Mac(purpose, binding, payload);
  token += payload;
  return EncodeBase64Url(token);
}

Result<std::string> TokenSigner::Open(std::string_view purpose, std::string_view binding,
                                      std::string_view token) const {
  const auto bytes = DecodeBase64Url(token);
  if (bytes.ok() && bytes->size() > kMacBytes && (*bytes)[0] == kVersion) {
    std::string payload = bytes->substr(1 + kMacBytes);
    const std::string mac = Mac(purpose, binding, payload);
    if (CRYPTO_memcmp(mac.data(), bytes->data() + 1, kMacBytes) == 0) return payload;
  }
  return MakeError(ErrorCode::kInvalidArgument, std::string(purpose) + "token-invalid",
                   "the $" + std::string(purpose) + "token is not one that this service made for this request",
                   "$" + std::string(purpose) + "token", "follow the links of the answers as they are");
}

std::string RandomSecret() {
  std::string secret(32, '\0');
  // A failing random source is not survivable: nothing signed with a known secret may go out.
  TABLECAST_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(secret.data()), static_cast<int>(secret.size())) == 1);
  return secret;
}

}  // namespace tablecast
