#include "odata/jwt.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "base/base64.h"

namespace tablecast {
namespace {

constexpr std::size_t kMaxTokenBytes = 8192;
constexpr std::size_t kMaxKeyFileBytes = 65536;
constexpr int kMinRsaBits = 2048;

enum class Family { kHmac, kRsa, kEcdsa };

struct AlgorithmInfo {
  JwtAlgorithm algorithm;
  std::string_view name;
  Family family;
  const EVP_MD* (*digest)();
  int curve_bits;              // of ES
  std::size_t component_bytes;  // of r and of s
};

constexpr std::array<AlgorithmInfo, 9> kAlgorithms = {{
    {JwtAlgorithm::kHs256, "HS256", Family::kHmac, &EVP_sha256, 0, 0},
    {JwtAlgorithm::kHs384, "HS384", Family::kHmac, &EVP_sha384, 0, 0},
    {JwtAlgorithm::kHs512, "HS512", Family::kHmac, &EVP_sha512, 0, 0},
    {JwtAlgorithm::kRs256, "RS256", Family::kRsa, &EVP_sha256, 0, 0},
    {JwtAlgorithm::kRs384, "RS384", Family::kRsa, &EVP_sha384, 0, 0},
    {JwtAlgorithm::kRs512, "RS512", Family::kRsa, &EVP_sha512, 0, 0},
    {JwtAlgorithm::kEs256, "ES256", Family::kEcdsa, &EVP_sha256, 256, 32},
    {JwtAlgorithm::kEs384, "ES384", Family::kEcdsa, &EVP_sha384, 384, 48},
    {JwtAlgorithm::kEs512, "ES512", Family::kEcdsa, &EVP_sha512, 521, 66},
}};

const AlgorithmInfo& InfoOf(JwtAlgorithm algorithm) { return kAlgorithms[static_cast<std::size_t>(algorithm)]; }

struct PkeyDeleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct BioDeleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct MdContextDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
struct SignatureDeleter {
  void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
};

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

Error BadKey(std::string message, std::string target = {}) {
  return MakeError(ErrorCode::kInvalidArgument, "bad-jwt-key", std::move(message), std::move(target));
}

Error Refused(const char* reason, std::string message) {
  return MakeError(ErrorCode::kUnauthenticated, reason, std::move(message));
}

// JWS carries r and s side by side; OpenSSL wants them in DER. Empty when the length is wrong.
std::string ToDer(std::string_view signature, std::size_t component_bytes) {
  if (signature.size() != 2 * component_bytes) return {};
  const std::unique_ptr<ECDSA_SIG, SignatureDeleter> parts(ECDSA_SIG_new());
  BIGNUM* r = BN_bin2bn(Bytes(signature), static_cast<int>(component_bytes), nullptr);
  BIGNUM* s = BN_bin2bn(Bytes(signature) + component_bytes, static_cast<int>(component_bytes), nullptr);
  if (parts == nullptr || r == nullptr || s == nullptr || ECDSA_SIG_set0(parts.get(), r, s) != 1) {
    BN_free(r);
    BN_free(s);
    return {};
  }
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(parts.get(), &der);
  std::string out(reinterpret_cast<const char*>(der), size > 0 ? static_cast<std::size_t>(size) : 0);
  OPENSSL_free(der);
  return out;
}

// A NumericDate, whole seconds; a fraction is cut off. nullopt: not such a number.
std::optional<std::int64_t> NumericDate(const JsonValue& value) {
  if (!value.IsNumber()) return std::nullopt;
  const std::string whole = value.text.substr(0, value.text.find('.'));
  if (whole.empty() || whole.size() > 12 || value.text.find_first_of("eE") != std::string::npos) return std::nullopt;
  if (!std::all_of(whole.begin(), whole.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  return std::stoll(whole);
}

bool NamesAudience(const JsonValue* aud, const std::string& wanted) {
  if (aud == nullptr) return false;
  if (aud->IsString()) return aud->text == wanted;
  return aud->IsArray() && std::any_of(aud->elements.begin(), aud->elements.end(), [&](const JsonValue& each) {
           return each.IsString() && each.text == wanted;
         });
}

Result<JsonValue> DecodePart(std::string_view part) {
  // base64url without padding only: two spellings of one token would be two tokens to a cache.
  if (part.find('=') != std::string_view::npos) return Refused("jwt-malformed", "the token is padded");
  const Result<std::string> text = DecodeBase64Url(part);
  if (!text.ok()) return Refused("jwt-malformed", "the token is not base64url");
  Result<JsonValue> json = ParseJson(*text, {.max_depth = 16, .max_bytes = kMaxTokenBytes});
  if (!json.ok() || !json->IsObject()) return Refused("jwt-malformed", "a part of the token is not a JSON object");
  return json;
}

}  // namespace

std::string_view JwtAlgorithmName(JwtAlgorithm algorithm) { return InfoOf(algorithm).name; }

std::optional<JwtAlgorithm> JwtAlgorithmFromName(std::string_view name) {
  for (const AlgorithmInfo& info : kAlgorithms) {
    if (info.name == name) return info.algorithm;
  }
  return std::nullopt;
}

struct JwtKey::Material {
  std::string secret;
  std::unique_ptr<EVP_PKEY, PkeyDeleter> public_key;
  ~Material() { OPENSSL_cleanse(secret.data(), secret.size()); }
};

Result<JwtKey> JwtKey::FromText(std::string id, JwtAlgorithm algorithm, std::string_view text) {
  const AlgorithmInfo& info = InfoOf(algorithm);
  auto material = std::make_shared<Material>();
  if (info.family == Family::kHmac) {
    const auto least = static_cast<std::size_t>(EVP_MD_get_size(info.digest()));
    if (text.size() < least) {
      return BadKey("a secret for " + std::string(info.name) + " has at least " + std::to_string(least) + " bytes");
    }
    if (text.find("-----BEGIN") != std::string_view::npos) return BadKey("a PEM key is no secret for HMAC");
    material->secret = text;
    return JwtKey(std::move(id), algorithm, std::move(material));
  }
  ERR_clear_error();
  const std::unique_ptr<BIO, BioDeleter> bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  material->public_key.reset(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  EVP_PKEY* key = material->public_key.get();
  if (key == nullptr) return BadKey("this is not a PEM public key (BEGIN PUBLIC KEY)");
  if (EVP_PKEY_get_base_id(key) != (info.family == Family::kRsa ? EVP_PKEY_RSA : EVP_PKEY_EC)) {
    return BadKey("the key is not of the kind that " + std::string(info.name) + " needs");
  }
  const int bits = EVP_PKEY_get_bits(key);
  if (info.family == Family::kRsa && bits < kMinRsaBits) return BadKey("RSA keys have at least 2048 bits");
  if (info.family == Family::kEcdsa && bits != info.curve_bits) {
    return BadKey(std::string(info.name) + " needs the curve P-" + std::to_string(info.curve_bits));
  }
  return JwtKey(std::move(id), algorithm, std::move(material));
}

Result<JwtKey> JwtKey::FromFile(std::string id, JwtAlgorithm algorithm, const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (!in.is_open() || text.size() > kMaxKeyFileBytes) return BadKey("the key file cannot be read", file);
  if (InfoOf(algorithm).family == Family::kHmac) {
    if (!text.empty() && text.back() == '\n') text.pop_back();
    if (!text.empty() && text.back() == '\r') text.pop_back();
  }
  Result<JwtKey> key = FromText(std::move(id), algorithm, text);
  OPENSSL_cleanse(text.data(), text.size());
  if (!key.ok()) return BadKey(key.error().message, file);
  return key;
}

bool JwtKey::Verifies(std::string_view message, std::string_view signature) const {
  const AlgorithmInfo& info = InfoOf(algorithm_);
  if (info.family == Family::kHmac) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> expected{};
    unsigned int size = 0;
    const std::string& secret = material_->secret;
    HMAC(info.digest(), secret.data(), static_cast<int>(secret.size()), Bytes(message), message.size(), expected.data(), &size);
    return size > 0 && signature.size() == size && CRYPTO_memcmp(expected.data(), signature.data(), size) == 0;
  }
  std::string der;
  if (info.family == Family::kEcdsa) {
    der = ToDer(signature, info.component_bytes);
    if (der.empty()) return false;
    signature = der;
  }
  const std::unique_ptr<EVP_MD_CTX, MdContextDeleter> context(EVP_MD_CTX_new());
  const bool good = context != nullptr &&
                    EVP_DigestVerifyInit(context.get(), nullptr, info.digest(), nullptr, material_->public_key.get()) == 1 &&
                    EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(message), message.size()) == 1;
  ERR_clear_error();
  return good;
}

Result<JwtClaims> JwtVerifier::Verify(std::string_view token, Timestamp now) const {
  if (token.size() > kMaxTokenBytes) return Refused("jwt-malformed", "the token is longer than 8192 bytes");
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) {
    return Refused("jwt-malformed", "the token has not three parts");
  }
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue header, DecodePart(token.substr(0, first)));
  const JsonValue* alg = header.Find("alg");
  const JsonValue* kid = header.Find("kid");
  if (alg == nullptr || !alg->IsString()) return Refused("jwt-malformed", "the token names no algorithm");
  if (header.Find("crit") != nullptr) return Refused("jwt-malformed", "the token has critical extensions");
  if (kid != nullptr && !kid->IsString()) return Refused("jwt-malformed", "the token's kid is not a string");
  const std::string_view signature_text = token.substr(second + 1);
  if (signature_text.find('=') != std::string_view::npos) return Refused("jwt-malformed", "the token is padded");
  const Result<std::string> signature = DecodeBase64Url(signature_text);
  if (!signature.ok()) return Refused("jwt-malformed", "the signature is not base64url");

  bool tried = false;
  bool verified = false;
  for (const JwtKey& key : options_.keys) {
    if (JwtAlgorithmName(key.algorithm()) != alg->text) continue;
    if (!key.id().empty() && (kid == nullptr || kid->text != key.id())) continue;
    tried = true;
    if (key.Verifies(token.substr(0, second), *signature)) {
      verified = true;
      break;
    }
  }
  if (!tried) return Refused("jwt-algorithm", "no key fits the token's algorithm and kid");
  if (!verified) return Refused("jwt-signature", "the signature is wrong");

  TABLECAST_ASSIGN_OR_RETURN(JsonValue claims, DecodePart(token.substr(first + 1, second - first - 1)));
  const std::int64_t skew = options_.clock_skew.count();
  const JsonValue* exp = claims.Find("exp");
  const std::optional<std::int64_t> expires = exp == nullptr ? std::nullopt : NumericDate(*exp);
  if (!expires || now.seconds >= *expires + skew) return Refused("jwt-expired", "the token has expired or has no exp");
  if (const JsonValue* nbf = claims.Find("nbf")) {
    const std::optional<std::int64_t> begins = NumericDate(*nbf);
    if (!begins || now.seconds + skew < *begins) return Refused("jwt-not-yet", "the token is not valid yet");
  }
  const JsonValue* iss = claims.Find("iss");
  if (!options_.issuer.empty() && (iss == nullptr || !iss->IsString() || iss->text != options_.issuer)) {
    return Refused("jwt-issuer", "the token comes from another issuer");
  }
  if (!options_.audience.empty() && !NamesAudience(claims.Find("aud"), options_.audience)) {
    return Refused("jwt-audience", "the token is meant for another audience");
  }
  const JsonValue* sub = claims.Find("sub");
  JwtClaims result;
  if (sub != nullptr && sub->IsString()) result.subject = sub->text;
  result.expires = *expires;
  result.claims = std::move(claims);
  return result;
}

}  // namespace tablecast
