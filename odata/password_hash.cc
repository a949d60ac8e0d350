#include "odata/password_hash.h"

#include <argon2.h>
#include <openssl/rand.h>

#include <array>
#include <cstdio>

namespace tablecast {
namespace {

constexpr std::uint32_t kPasses = 2;
constexpr std::uint32_t kMemoryKib = 19'456;
constexpr std::uint32_t kLanes = 1;
constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kHashBytes = 32;
constexpr unsigned kMaxMemoryKib = 1U << 20U;
constexpr unsigned kMaxPasses = 64;

}  // namespace

Result<std::string> HashPassword(std::string_view password) {
  if (password.empty() || password.size() > kMaxPasswordBytes) {
    return MakeError(ErrorCode::kInvalidArgument, "bad-password", "a password has 1 to 1024 bytes");
  }
  std::array<unsigned char, kSaltBytes> salt{};
  if (RAND_bytes(salt.data(), static_cast<int>(salt.size())) != 1) {
    return MakeError(ErrorCode::kInternal, "hash-failed", "the system gives no random bytes");
  }
  std::string encoded(argon2_encodedlen(kPasses, kMemoryKib, kLanes, kSaltBytes, kHashBytes, Argon2_id), '\0');
  const int code = argon2id_hash_encoded(kPasses, kMemoryKib, kLanes, password.data(), password.size(), salt.data(),
                                         salt.size(), kHashBytes, encoded.data(), encoded.size());
  if (code != ARGON2_OK) return MakeError(ErrorCode::kInternal, "hash-failed", argon2_error_message(code));
  encoded.resize(encoded.find('\0'));
  return encoded;
}

bool VerifyPassword(const std::string& hash, std::string_view password) {
  if (password.size() > kMaxPasswordBytes || !IsPasswordHash(hash)) return false;
  return argon2id_verify(hash.c_str(), password.data(), password.size()) == ARGON2_OK;
}

bool IsPasswordHash(const std::string& hash) {
  unsigned version = 0;
  unsigned memory = 0;
  unsigned passes = 0;
  unsigned lanes = 0;
  int end = 0;
  const int fields = std::sscanf(hash.c_str(), "$argon2id$v=%u$m=%u,t=%u,p=%u$%n", &version, &memory, &passes, &lanes, &end);
  return fields == 4 && end > 0 && version == 19 && memory <= kMaxMemoryKib && passes <= kMaxPasses && lanes <= 64 &&
         hash.find('$', static_cast<std::size_t>(end)) != std::string::npos && hash.find('\0') == std::string::npos;
}

}  // namespace tablecast
