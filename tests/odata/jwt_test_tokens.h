#ifndef TABLECAST_TESTS_ODATA_JWT_TEST_TOKENS_H_
#define TABLECAST_TESTS_ODATA_JWT_TEST_TOKENS_H_

// Makes signed tokens for tests, independent of the verifier's code paths.

#include <openssl/ec.h>
#include <openssl/hmac.h>

#include "base/base64.h"
#include "tls_test_keys.h"

namespace tablecast {

inline std::string HmacSignature(const EVP_MD* digest, const std::string& secret, const std::string& message) {
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(digest, secret.data(), static_cast<int>(secret.size()), reinterpret_cast<const unsigned char*>(message.data()),
       message.size(), out, &size);
  return std::string(reinterpret_cast<char*>(out), size);
}

inline std::string PkeySignature(const EVP_MD* digest, const TestKey& key, const std::string& message) {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  std::size_t size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
  EXPECT_EQ(EVP_DigestSignInit(context, nullptr, digest, nullptr, key.get()), 1);
  EXPECT_EQ(EVP_DigestSign(context, nullptr, &size, bytes, message.size()), 1);
  std::string out(size, '\0');
  EXPECT_EQ(EVP_DigestSign(context, reinterpret_cast<unsigned char*>(out.data()), &size, bytes, message.size()), 1);
  out.resize(size);
  EVP_MD_CTX_free(context);
  return out;
}

// JWS form of an ECDSA signature: r and s in `component` bytes each.
inline std::string EcSignature(const EVP_MD* digest, const TestKey& key, const std::string& message, int component) {
  const std::string der = PkeySignature(digest, key, message);
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  ECDSA_SIG* signature = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
  std::string out(static_cast<std::size_t>(2 * component), '\0');
  auto* data = reinterpret_cast<unsigned char*>(out.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(signature), data, component);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature), data + component, component);
  ECDSA_SIG_free(signature);
  return out;
}

inline std::string SigningInput(const std::string& header, const std::string& payload) {
  return EncodeBase64Url(header) + "." + EncodeBase64Url(payload);
}

inline std::string HsToken(const std::string& secret, const std::string& payload,
                           const std::string& header = R"({"alg":"HS256","typ":"JWT"})") {
  const std::string input = SigningInput(header, payload);
  return input + "." + EncodeBase64Url(HmacSignature(EVP_sha256(), secret, input));
}

}  // namespace tablecast

#endif  // TABLECAST_TESTS_ODATA_JWT_TEST_TOKENS_H_
