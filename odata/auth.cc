#include "odata/auth.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <mutex>
#include <semaphore>
#include <unordered_map>
#include <utility>

#include "base/base64.h"
#include "odata/password_hash.h"

namespace tablecast {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::size_t kMaxRemembered = 10'000;  // accepted credentials, and addresses with failures
constexpr int kHashesAtOnce = 2;                // 19 MB each
constexpr std::chrono::milliseconds kHashPatience{1'000};

enum class CredentialKind { kNone, kBasic, kBearer, kApiKey, kOther };

struct Credential {
  CredentialKind kind = CredentialKind::kNone;
  std::string text;  // after the scheme; secret
  ~Credential() { OPENSSL_cleanse(text.data(), text.size()); }
};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string PercentDecode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 && HexDigit(text[i + 2]) >= 0;
    out += escape ? static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2])) : text[i];
    if (escape) i += 2;
  }
  return out;
}

// Credentials that were accepted, under a keyed digest, for a limited time.
class AcceptedCredentials {
 public:
  AcceptedCredentials() { TABLECAST_CHECK(RAND_bytes(key_.data(), static_cast<int>(key_.size())) == 1); }

  std::shared_ptr<const Principal> Find(const Credential& credential, SteadyTime now) {
    const std::string digest = Digest(credential);
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(digest);
    if (found == entries_.end()) return nullptr;
    if (found->second.until > now) return found->second.principal;
    entries_.erase(found);
    return nullptr;
  }

  void Remember(const Credential& credential, std::shared_ptr<const Principal> principal, SteadyTime until, SteadyTime now) {
    std::string digest = Digest(credential);
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= kMaxRemembered) std::erase_if(entries_, [&](const auto& each) { return each.second.until <= now; });
    if (entries_.size() >= kMaxRemembered) entries_.clear();  // they are verified again, no more
    entries_[std::move(digest)] = {std::move(principal), until};
  }

 private:
  struct Entry {
    std::shared_ptr<const Principal> principal;
    SteadyTime until;
  };

  std::string Digest(const Credential& credential) const {
    std::array<unsigned char, 32> digest{};
    unsigned int size = 0;
    std::string text(1, static_cast<char>('0' + static_cast<int>(credential.kind)));
    text += credential.text;
    HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()), reinterpret_cast<const unsigned char*>(text.data()),
         text.size(), digest.data(), &size);
    OPENSSL_cleanse(text.data(), text.size());
    return std::string(reinterpret_cast<const char*>(digest.data()), size);
  }

  std::array<unsigned char, 32> key_{};
  std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
};

// Counts wrong credentials per address.
class FailureCounter {
 public:
  FailureCounter(int most, std::chrono::seconds window) : most_(most), window_(window) {}

  // Seconds until that address may try again; 0: now.
  std::chrono::seconds WaitFor(const std::string& address, SteadyTime now) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(Group(address));
    if (found == entries_.end() || found->second.count < most_ || now >= found->second.begin + window_) {
      return std::chrono::seconds(0);
    }
    return std::chrono::ceil<std::chrono::seconds>(found->second.begin + window_ - now);
  }

  void Count(const std::string& address, SteadyTime now) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= kMaxRemembered) {
      std::erase_if(entries_, [&](const auto& each) { return now >= each.second.begin + window_; });
    }
    if (entries_.size() >= kMaxRemembered) entries_.clear();
    Entry& entry = entries_[Group(address)];
    if (entry.count == 0 || now >= entry.begin + window_) entry = {now, 0};
    ++entry.count;
  }

 private:
  struct Entry {
    SteadyTime begin;
    int count = 0;
  };

  // One IPv6 customer has a /64: the first four groups of an address without "::" in them.
  static std::string Group(const std::string& address) {
    std::size_t at = 0;
    for (int groups = 0; groups < 4; ++groups) {
      const std::size_t colon = address.find(':', at);
      if (colon == std::string::npos) return address;
      at = colon + 1;
    }
    return address.substr(0, at);
  }

  const int most_;
  const std::chrono::seconds window_;
  std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
};

class ConfiguredAuthenticator : public Authenticator {
 public:
  explicit ConfiguredAuthenticator(AuthConfig config)
      : config_(std::move(config)), failures_(config_.max_failures, config_.failure_window) {
    for (const BasicUser& user : config_.users) user_principals_.push_back(Named(user.role, user.name));
    for (const ApiKey& key : config_.api_keys) key_principals_.push_back(Named(key.role, key.name));
    if (config_.jwt) verifier_.emplace(*config_.jwt);
    if (!config_.users.empty()) decoy_hash_ = HashPassword("an unknown user costs as much as a known one").value_or("");
  }

  AuthDecision Authenticate(HttpRequest& request, AuthEffort effort, SteadyTime now) override {
    const Credential credential = Extract(request);
    if (credential.kind == CredentialKind::kNone) return Unauthorized("credentials are required");
    if (std::shared_ptr<const Principal> known = accepted_.Find(credential, now)) return Granted(std::move(known));
    if (const std::chrono::seconds wait = failures_.WaitFor(request.remote_address, now); wait.count() > 0) {
      AuthDecision refused;
      refused.refusal = MakeHttpError(429, "too-many-failures", "Too many wrong credentials came from this address; try later");
      refused.refusal.headers.Add("Retry-After", std::to_string(wait.count()));
      return refused;
    }
    if (credential.kind == CredentialKind::kApiKey) return CheckApiKey(credential, request, now);
    if (effort == AuthEffort::kFast && credential.kind != CredentialKind::kOther) return {AuthDecision::Kind::kUndecided};
    if (credential.kind == CredentialKind::kBasic) return CheckPassword(credential, request, now);
    if (credential.kind == CredentialKind::kBearer) return CheckToken(credential, request, now);
    return Failed(request, now);
  }

 private:
  static AuthDecision Granted(std::shared_ptr<const Principal> principal) {
    return {AuthDecision::Kind::kGranted, std::move(principal)};
  }

  AuthDecision Unauthorized(std::string_view message) const {
    AuthDecision refused;
    refused.refusal = MakeHttpError(401, "unauthorized", "Not authenticated: " + std::string(message));
    if (!config_.users.empty()) {
      refused.refusal.headers.Add("WWW-Authenticate", "Basic realm=\"tablecast\", charset=\"UTF-8\"");
    }
    if (config_.jwt) refused.refusal.headers.Add("WWW-Authenticate", "Bearer realm=\"tablecast\"");
    if (config_.users.empty() && !config_.jwt) {
      refused.refusal.headers.Add("WWW-Authenticate", "ApiKey realm=\"tablecast\"");  // 401 requires one
    }
    return refused;
  }

  // Never says what was wrong with the credentials.
  AuthDecision Failed(const HttpRequest& request, SteadyTime now) {
    failures_.Count(request.remote_address, now);
    return Unauthorized("the credentials are not accepted");
  }

  std::shared_ptr<const Principal> Named(const std::string& role, const std::string& name) const {
    const auto found = config_.roles.find(role);
    TABLECAST_CHECK(found != config_.roles.end());
    auto principal = std::make_shared<Principal>(found->second);
    principal->name = name;
    return principal;
  }

  Credential Extract(HttpRequest& request) const {
    std::optional<std::string> parameter;
    if (!config_.api_key_parameter.empty()) parameter = TakeQueryParameter(request.target, config_.api_key_parameter);
    Credential credential;
    const std::string authorization = request.headers.Joined("Authorization");  // two of them match nothing
    if (!authorization.empty()) {
      const std::size_t blank = std::min(authorization.find(' '), authorization.size());
      const std::string_view scheme = std::string_view(authorization).substr(0, blank);
      credential.text = authorization.substr(std::min(authorization.find_first_not_of(' ', blank), authorization.size()));
      credential.kind = EqualsIgnoreCase(scheme, "Basic") && !config_.users.empty() ? CredentialKind::kBasic
                        : EqualsIgnoreCase(scheme, "Bearer") && config_.jwt         ? CredentialKind::kBearer
                                                                                    : CredentialKind::kOther;
      return credential;
    }
    if (config_.api_keys.empty()) return credential;
    const std::string* header = request.headers.Find(config_.api_key_header);
    if (header == nullptr && !parameter) return credential;
    credential.kind = CredentialKind::kApiKey;
    credential.text = header != nullptr ? *header : *parameter;
    return credential;
  }

  AuthDecision CheckApiKey(const Credential& credential, const HttpRequest& request, SteadyTime now) {
    const std::string digest = Sha256(credential.text);
    std::shared_ptr<const Principal> match;
    for (std::size_t i = 0; i < config_.api_keys.size(); ++i) {  // always all of them
      const std::string& known = config_.api_keys[i].sha256;
      if (known.size() == digest.size() && CRYPTO_memcmp(known.data(), digest.data(), digest.size()) == 0) {
        match = key_principals_[i];
      }
    }
    return match ? Granted(std::move(match)) : Failed(request, now);
  }

  AuthDecision CheckPassword(const Credential& credential, const HttpRequest& request, SteadyTime now) {
    Result<std::string> decoded = DecodeBase64(credential.text);
    const std::size_t colon = decoded.ok() ? decoded->find(':') : std::string::npos;
    if (colon == std::string::npos || decoded->size() - colon - 1 > kMaxPasswordBytes) return Failed(request, now);
    const std::string_view name = std::string_view(*decoded).substr(0, colon);
    const std::string* hash = &decoy_hash_;
    std::shared_ptr<const Principal> principal;
    for (std::size_t i = 0; i < config_.users.size(); ++i) {
      if (config_.users[i].name == name) {
        hash = &config_.users[i].password_hash;
        principal = user_principals_[i];
      }
    }
    if (!hashing_.try_acquire_for(kHashPatience)) {
      AuthDecision busy;
      busy.refusal = MakeHttpError(503, "server-busy", "Too many passwords are being checked; try later");
      busy.refusal.headers.Add("Retry-After", "1");
      return busy;
    }
    const bool matches = VerifyPassword(*hash, std::string_view(*decoded).substr(colon + 1));
    hashing_.release();
    OPENSSL_cleanse(decoded->data(), decoded->size());
    if (!matches || !principal) return Failed(request, now);
    accepted_.Remember(credential, principal, now + config_.cache_time, now);
    return Granted(std::move(principal));
  }

  AuthDecision CheckToken(const Credential& credential, const HttpRequest& request, SteadyTime now) {
    const Timestamp wall_now = CurrentTimestamp();
    const Result<JwtClaims> claims = verifier_->Verify(credential.text, wall_now);
    if (!claims.ok()) return Failed(request, now);
    std::string role = config_.jwt_role;
    if (!config_.jwt_role_claim.empty()) {
      const JsonValue* claim = claims->claims.Find(config_.jwt_role_claim);
      if (claim != nullptr) role = claim->IsString() ? claim->text : std::string();
    }
    const JsonValue* name = claims->claims.Find(config_.jwt_name_claim);
    if (!config_.roles.contains(role)) return Failed(request, now);
    std::shared_ptr<const Principal> principal = Named(role, name != nullptr && name->IsString() ? name->text : claims->subject);
    const std::chrono::seconds valid(claims->expires + config_.jwt->clock_skew.count() - wall_now.seconds);
    accepted_.Remember(credential, principal, now + std::min(config_.cache_time, valid), now);
    return Granted(std::move(principal));
  }

  const AuthConfig config_;
  std::vector<std::shared_ptr<const Principal>> user_principals_;  // beside config_.users
  std::vector<std::shared_ptr<const Principal>> key_principals_;   // beside config_.api_keys
  std::optional<JwtVerifier> verifier_;
  std::string decoy_hash_;
  AcceptedCredentials accepted_;
  FailureCounter failures_;
  std::counting_semaphore<kHashesAtOnce> hashing_{kHashesAtOnce};
};

}  // namespace

std::shared_ptr<Authenticator> MakeAuthenticator(AuthConfig config) {
  return std::make_shared<ConfiguredAuthenticator>(std::move(config));
}

std::string Sha256(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return std::string(reinterpret_cast<const char*>(digest.data()), size);
}

std::optional<std::string> TakeQueryParameter(std::string& target, std::string_view name) {
  const std::size_t question = target.find('?');
  if (question == std::string::npos) return std::nullopt;
  std::optional<std::string> found;
  std::string kept;
  std::string_view rest = std::string_view(target).substr(question + 1);
  for (bool more = true; more;) {
    const std::size_t end = rest.find('&');
    const std::string_view part = rest.substr(0, end);
    more = end != std::string_view::npos;
    if (more) rest.remove_prefix(end + 1);
    const std::size_t equals = part.find('=');
    if (PercentDecode(part.substr(0, equals)) == name) {
      if (!found) found = equals == std::string_view::npos ? std::string() : PercentDecode(part.substr(equals + 1));
      continue;
    }
    if (!kept.empty()) kept += '&';
    kept += part;
  }
  if (found) target = target.substr(0, question) + (kept.empty() ? "" : "?" + kept);
  return found;
}

}  // namespace tablecast
