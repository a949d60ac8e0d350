#ifndef TABLECAST_ODATA_AUTH_H_
#define TABLECAST_ODATA_AUTH_H_

// Finds out who sent a request: Basic passwords, API keys or bearer tokens, each turned into a
// Principal. Knows nothing of sockets.
//
//   auto authenticator = MakeAuthenticator(config.auth);
//   AuthDecision decision = authenticator->Authenticate(request, AuthEffort::kFast, now);
//   if (decision.kind == AuthDecision::Kind::kUndecided) ...  // call again on a worker with kFull

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "odata/http_message.h"
#include "odata/jwt.h"

namespace tablecast {

// kFast never takes more than microseconds: it looks up credentials that were accepted before,
// compares API keys and refuses requests without any credentials. kFull hashes passwords and verifies
// signatures.
enum class AuthEffort { kFast, kFull };

struct AuthDecision {
  enum class Kind { kGranted, kRefused, kUndecided };
  Kind kind = Kind::kRefused;
  std::shared_ptr<const Principal> principal{};  // when kGranted
  HttpResponse refusal{};                        // when kRefused: 401, 429 or 503
};

class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // Also takes credentials out of request.target (an API key in the query), so that they reach
  // neither links nor logs. THREAD: thread-safe.
  virtual AuthDecision Authenticate(HttpRequest& request, AuthEffort effort,
                                    std::chrono::steady_clock::time_point now) = 0;
};

// The rights a credential brings; `name` of the Principal is the credential's, not the role's.
using Role = Principal;

struct BasicUser {
  std::string name{};
  std::string password_hash{};  // HashPassword()
  std::string role{};
};

struct ApiKey {
  std::string name{};
  std::string sha256{};  // 32 bytes; the key itself is not kept
  std::string role{};
};

struct AuthConfig {
  std::map<std::string, Role, std::less<>> roles{};
  std::vector<BasicUser> users{};
  std::vector<ApiKey> api_keys{};
  std::string api_key_header = "X-API-Key";
  std::string api_key_parameter{};  // name in the query; empty: not taken from there
  std::optional<JwtOptions> jwt{};
  std::string jwt_role_claim{};  // names the role; empty: every token has jwt_role
  std::string jwt_role{};        // for tokens without the claim; empty: such tokens are refused
  std::string jwt_name_claim = "sub";

  // Brute force: after so many wrong credentials from one address within the window, that address
  // gets 429 until the window ends, unless its credentials were accepted before.
  int max_failures = 10;
  std::chrono::seconds failure_window{60};
  std::chrono::seconds cache_time{300};  // accepted credentials are not hashed again so long

  bool enabled() const { return !users.empty() || !api_keys.empty() || jwt.has_value(); }
};

// REQUIRES: every role named by a user, key or jwt_role exists in `roles`.
std::shared_ptr<Authenticator> MakeAuthenticator(AuthConfig config);

// SHA-256 of a key, 32 raw bytes, as ApiKey keeps it.
std::string Sha256(std::string_view text);

// Takes every `name=value` out of the query of `target`. Returns the first value, percent-decoded;
// nullopt when there is none.
std::optional<std::string> TakeQueryParameter(std::string& target, std::string_view name);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_AUTH_H_
