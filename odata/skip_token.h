#ifndef TABLECAST_ODATA_SKIP_TOKEN_H_
#define TABLECAST_ODATA_SKIP_TOKEN_H_

// Opaque signed tokens of links: $skiptoken, $deltatoken, the CSRF token. A token is bound to a text (the query it
// continues); with another text, another secret or another purpose it is refused.

#include <string>
#include <string_view>

#include "base/result.h"

namespace tablecast {

class TokenSigner {
 public:
  // `secret`: 32 random bytes, kept in the store or set in the server's file.
  explicit TokenSigner(std::string secret) : secret_(std::move(secret)) {}

  // base64url of version, MAC and payload. `purpose` is a short constant such as "skip".
  std::string Sign(std::string_view purpose, std::string_view binding, std::string_view payload) const;
  // The payload. ERRORS: kInvalidArgument "<purpose>token-invalid".
  Result<std::string> Open(std::string_view purpose, std::string_view binding, std::string_view token) const;

 private:
  std::string Mac(std::string_view purpose, std::string_view binding, std::string_view payload) const;
  std::string secret_;
};

// 32 random bytes from the operating system.
std::string RandomSecret();

}  // namespace tablecast

#endif  // TABLECAST_ODATA_SKIP_TOKEN_H_
