#ifndef TABLECAST_ODATA_JWT_H_
#define TABLECAST_ODATA_JWT_H_

// Verifies bearer tokens: signed JWTs in compact form. Each key is bound to one algorithm, so that a
// token cannot choose how it is checked ("none", a public key taken as an HMAC secret).
//
//   auto key = JwtKey::FromFile("", JwtAlgorithm::kRs256, "issuer.pem");
//   JwtVerifier verifier({.keys = {*key}, .issuer = "https://login.example", .audience = "orders"});
//   Result<JwtClaims> claims = verifier.Verify(token, CurrentTimestamp());

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_time.h"
#include "base/json_reader.h"
#include "base/result.h"

namespace tablecast {

enum class JwtAlgorithm { kHs256, kHs384, kHs512, kRs256, kRs384, kRs512, kEs256, kEs384, kEs512 };

std::string_view JwtAlgorithmName(JwtAlgorithm algorithm);  // "HS256"
std::optional<JwtAlgorithm> JwtAlgorithmFromName(std::string_view name);

class JwtKey {
 public:
  // HS: `material` is the secret itself, at least as long as its hash. RS, ES: a PEM public key; RSA
  // keys of at least 2048 bits, EC keys on the algorithm's own curve.
  // `id` is compared with a token's "kid"; empty: for tokens with any kid or none.
  // ERRORS: kInvalidArgument "bad-jwt-key".
  static Result<JwtKey> FromText(std::string id, JwtAlgorithm algorithm, std::string_view material);
  // The same from a file; one trailing line end of a secret is not part of it.
  static Result<JwtKey> FromFile(std::string id, JwtAlgorithm algorithm, const std::string& file);

  const std::string& id() const { return id_; }
  JwtAlgorithm algorithm() const { return algorithm_; }
  // Whether `signature` (as the token carries it) signs `message`. Constant time for HS.
  bool Verifies(std::string_view message, std::string_view signature) const;

 private:
  struct Material;
  JwtKey(std::string id, JwtAlgorithm algorithm, std::shared_ptr<const Material> material)
      : id_(std::move(id)), algorithm_(algorithm), material_(std::move(material)) {}

  std::string id_;
  JwtAlgorithm algorithm_;
  std::shared_ptr<const Material> material_;
};

struct JwtOptions {
  std::vector<JwtKey> keys{};
  std::string issuer{};    // empty: any
  std::string audience{};  // empty: any
  std::chrono::seconds clock_skew{60};
};

struct JwtClaims {
  std::string subject;    // "" when absent
  std::int64_t expires = 0;  // UNITS: seconds since 1970
  JsonValue claims;       // the whole payload
};

class JwtVerifier {
 public:
  explicit JwtVerifier(JwtOptions options) : options_(std::move(options)) {}

  // ERRORS: kUnauthenticated with reason "jwt-malformed", "jwt-algorithm", "jwt-signature",
  // "jwt-expired" (also without exp), "jwt-not-yet", "jwt-issuer" or "jwt-audience".
  // COST: one signature check per key that fits. SOURCE: RFC 7515, RFC 7519, RFC 8725.
  Result<JwtClaims> Verify(std::string_view token, Timestamp now) const;

 private:
  JwtOptions options_;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_JWT_H_
