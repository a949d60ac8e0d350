#include "odata/jwt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jwt_test_tokens.h"

namespace tablecast {
namespace {

const std::string kSecret(64, 's');
constexpr Timestamp kNow{1'700'000'000, 0};

std::string WithExpiry(const std::string& more = "") { return R"({"sub":"crm","exp":1700000100)" + more + "}"; }

JwtVerifier Verifier(JwtKey key, std::string issuer = "", std::string audience = "") {
  return JwtVerifier({.keys = {std::move(key)}, .issuer = std::move(issuer), .audience = std::move(audience)});
}

JwtKey SecretKey(std::string id = "") { return JwtKey::FromText(std::move(id), JwtAlgorithm::kHs256, kSecret).value(); }

TEST(JwtTest, VerifiesTheExampleOfTheStandard) {
  // SOURCE: RFC 7515, appendix A.1.
  const std::string key = DecodeBase64Url("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow").value();
  const std::string token =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
      ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
      ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const JwtVerifier verifier = Verifier(JwtKey::FromText("", JwtAlgorithm::kHs256, key).value(), "joe");
  EXPECT_EQ(verifier.Verify(token, {1300819379, 0}).value().expires, 1300819380);
  EXPECT_EQ(verifier.Verify(token, {1300819380 + 60, 0}).error().reason, "jwt-expired");
}

TEST(JwtTest, VerifiesEveryAlgorithm) {
  const TestKey rsa = NewRsaKey(2048);
  const std::pair<JwtAlgorithm, const EVP_MD*> hmacs[] = {{JwtAlgorithm::kHs256, EVP_sha256()}, {JwtAlgorithm::kHs384, EVP_sha384()}, {JwtAlgorithm::kHs512, EVP_sha512()}};
  const std::pair<JwtAlgorithm, const EVP_MD*> rsas[] = {{JwtAlgorithm::kRs256, EVP_sha256()}, {JwtAlgorithm::kRs384, EVP_sha384()}, {JwtAlgorithm::kRs512, EVP_sha512()}};
  struct Curve {
    JwtAlgorithm algorithm;
    const EVP_MD* digest;
    const char* name;
    int component;
  };
  const Curve curves[] = {{JwtAlgorithm::kEs256, EVP_sha256(), "P-256", 32}, {JwtAlgorithm::kEs384, EVP_sha384(), "P-384", 48}, {JwtAlgorithm::kEs512, EVP_sha512(), "P-521", 66}};
  const auto check = [](JwtAlgorithm algorithm, const JwtKey& key, const std::function<std::string(const std::string&)>& sign) {
    SCOPED_TRACE(JwtAlgorithmName(algorithm));
    const std::string input = SigningInput(R"({"alg":")" + std::string(JwtAlgorithmName(algorithm)) + "\"}", WithExpiry());
    const std::string signature = sign(input);
    EXPECT_EQ(Verifier(key).Verify(input + "." + EncodeBase64Url(signature), kNow).value().subject, "crm");
    for (const std::size_t at : {std::size_t{0}, signature.size() / 2, signature.size() - 1}) {
      std::string damaged = signature;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      EXPECT_EQ(Verifier(key).Verify(input + "." + EncodeBase64Url(damaged), kNow).error().reason, "jwt-signature");
    }
    for (const std::string& wrong : {std::string(), signature + "x", signature.substr(1)}) {
      EXPECT_EQ(Verifier(key).Verify(input + "." + EncodeBase64Url(wrong), kNow).error().reason, "jwt-signature");
    }
  };
  for (const auto& [algorithm, digest] : hmacs) {
    check(algorithm, JwtKey::FromText("", algorithm, kSecret).value(),
          [d = digest](const std::string& input) { return HmacSignature(d, kSecret, input); });
  }
  for (const auto& [algorithm, digest] : rsas) {
    check(algorithm, JwtKey::FromText("", algorithm, PublicPem(rsa)).value(),
          [&, d = digest](const std::string& input) { return PkeySignature(d, rsa, input); });
  }
  for (const Curve& curve : curves) {
    const TestKey key = NewEcKey(curve.name);
    check(curve.algorithm, JwtKey::FromText("", curve.algorithm, PublicPem(key)).value(),
          [&](const std::string& input) { return EcSignature(curve.digest, key, input, curve.component); });
  }
}

struct RefusedToken {
  const char* name;
  std::string token;
  const char* reason;
};

TEST(JwtTest, RefusesTokensForTheRightReason) {
  const std::string good = HsToken(kSecret, WithExpiry());
  const std::string none = SigningInput(R"({"alg":"none"})", WithExpiry()) + ".";
  const std::string dot_dot = good.substr(0, good.rfind('.') + 1);
  const std::vector<RefusedToken> cases = {
      {"empty", "", "jwt-malformed"},
      {"two parts", "a.b", "jwt-malformed"},
      {"four parts", good + ".x", "jwt-malformed"},
      {"five parts (encrypted)", "a.b.c.d.e", "jwt-malformed"},
      {"not base64", "!." + good, "jwt-malformed"},
      {"padded", good + "=", "jwt-malformed"},
      {"header is no object", EncodeBase64Url("[]") + good.substr(good.find('.')), "jwt-malformed"},
      {"no algorithm", HsToken(kSecret, WithExpiry(), "{}"), "jwt-malformed"},
      {"critical extension", HsToken(kSecret, WithExpiry(), R"({"alg":"HS256","crit":["b64"],"b64":false})"), "jwt-malformed"},
      {"kid is a number", HsToken(kSecret, WithExpiry(), R"({"alg":"HS256","kid":1})"), "jwt-malformed"},
      {"huge", std::string(9000, 'a'), "jwt-malformed"},
      {"none", none, "jwt-algorithm"},
      {"None", SigningInput(R"({"alg":"None"})", WithExpiry()) + ".", "jwt-algorithm"},
      {"none with our signature", SigningInput(R"({"alg":"none"})", WithExpiry()) + good.substr(good.rfind('.')), "jwt-algorithm"},
      {"lower case", HsToken(kSecret, WithExpiry(), R"({"alg":"hs256"})"), "jwt-algorithm"},
      {"other algorithm", HsToken(kSecret, WithExpiry(), R"({"alg":"HS384"})"), "jwt-algorithm"},
      {"no signature", dot_dot, "jwt-signature"},
      {"other secret", HsToken(std::string(64, 't'), WithExpiry()), "jwt-signature"},
      {"other payload", SigningInput(R"({"alg":"HS256","typ":"JWT"})", WithExpiry(R"(,"role":"admin")")) + good.substr(good.rfind('.')), "jwt-signature"},
      {"no expiry", HsToken(kSecret, R"({"sub":"crm"})"), "jwt-expired"},
      {"expired", HsToken(kSecret, R"({"exp":1699999940})"), "jwt-expired"},
      {"expiry as text", HsToken(kSecret, R"({"exp":"1800000000"})"), "jwt-expired"},
      {"expiry with exponent", HsToken(kSecret, R"({"exp":18e8})"), "jwt-expired"},
      {"negative expiry", HsToken(kSecret, R"({"exp":-1})"), "jwt-expired"},
      {"not yet", HsToken(kSecret, WithExpiry(R"(,"nbf":1700000061)")), "jwt-not-yet"},
      {"nbf as text", HsToken(kSecret, WithExpiry(R"(,"nbf":"0")")), "jwt-not-yet"},
      {"payload is no JSON", HsToken(kSecret, "{"), "jwt-malformed"},
      {"payload is no object", HsToken(kSecret, "[1]"), "jwt-malformed"},
      {"deep payload", HsToken(kSecret, std::string(500, '[')), "jwt-malformed"},
  };
  const JwtVerifier verifier = Verifier(SecretKey());
  ASSERT_TRUE(verifier.Verify(good, kNow).ok());
  for (const RefusedToken& c : cases) {
    SCOPED_TRACE(c.name);
    const Result<JwtClaims> claims = verifier.Verify(c.token, kNow);
    ASSERT_FALSE(claims.ok());
    EXPECT_EQ(claims.error().code, ErrorCode::kUnauthenticated);
    EXPECT_EQ(claims.error().reason, c.reason);
  }
}

TEST(JwtTest, AllowsForClockSkew) {
  const JwtVerifier verifier = Verifier(SecretKey());
  EXPECT_TRUE(verifier.Verify(HsToken(kSecret, R"({"exp":1699999941})"), kNow).ok());
  EXPECT_TRUE(verifier.Verify(HsToken(kSecret, WithExpiry(R"(,"nbf":1700000060)")), kNow).ok());
  EXPECT_TRUE(verifier.Verify(HsToken(kSecret, R"({"exp":1700000100.75})"), kNow).ok());
}

TEST(JwtTest, APublicKeyIsNoSecret) {
  // The classic confusion: HMAC with the text of the public key, "alg" changed to HS256.
  const TestKey rsa = NewRsaKey(2048);
  const JwtVerifier verifier = Verifier(JwtKey::FromText("", JwtAlgorithm::kRs256, PublicPem(rsa)).value());
  EXPECT_EQ(verifier.Verify(HsToken(PublicPem(rsa), WithExpiry()), kNow).error().reason, "jwt-algorithm");
  EXPECT_EQ(verifier.Verify(HsToken(PublicPem(rsa), WithExpiry(), R"({"alg":"RS256"})"), kNow).error().reason, "jwt-signature");
  EXPECT_EQ(JwtKey::FromText("", JwtAlgorithm::kHs256, PublicPem(rsa)).error().reason, "bad-jwt-key");
}

TEST(JwtTest, ChecksIssuerAndAudience) {
  const JwtVerifier verifier = Verifier(SecretKey(), "https://login", "orders");
  const auto verify = [&](const std::string& more) {
    const Result<JwtClaims> claims = verifier.Verify(HsToken(kSecret, WithExpiry(more)), kNow);
    return claims.ok() ? "ok" : claims.error().reason;
  };
  EXPECT_EQ(verify(R"(,"iss":"https://login","aud":"orders")"), "ok");
  EXPECT_EQ(verify(R"(,"iss":"https://login","aud":["other","orders"])"), "ok");
  EXPECT_EQ(verify(R"(,"iss":"https://evil","aud":"orders")"), "jwt-issuer");
  EXPECT_EQ(verify(R"(,"aud":"orders")"), "jwt-issuer");
  EXPECT_EQ(verify(R"(,"iss":["https://login"],"aud":"orders")"), "jwt-issuer");
  EXPECT_EQ(verify(R"(,"iss":"https://login")"), "jwt-audience");
  EXPECT_EQ(verify(R"(,"iss":"https://login","aud":"order")"), "jwt-audience");
  EXPECT_EQ(verify(R"(,"iss":"https://login","aud":[])"), "jwt-audience");
}

TEST(JwtTest, ChoosesKeysById) {
  const std::string other(64, 'o');
  const JwtVerifier verifier({.keys = {SecretKey("a"), JwtKey::FromText("b", JwtAlgorithm::kHs256, other).value()}});
  EXPECT_TRUE(verifier.Verify(HsToken(kSecret, WithExpiry(), R"({"alg":"HS256","kid":"a"})"), kNow).ok());
  EXPECT_TRUE(verifier.Verify(HsToken(other, WithExpiry(), R"({"alg":"HS256","kid":"b"})"), kNow).ok());
  EXPECT_EQ(verifier.Verify(HsToken(other, WithExpiry(), R"({"alg":"HS256","kid":"a"})"), kNow).error().reason, "jwt-signature");
  EXPECT_EQ(verifier.Verify(HsToken(kSecret, WithExpiry(), R"({"alg":"HS256","kid":"../a"})"), kNow).error().reason, "jwt-algorithm");
  EXPECT_EQ(verifier.Verify(HsToken(kSecret, WithExpiry()), kNow).error().reason, "jwt-algorithm");
}

TEST(JwtKeyTest, RefusesWeakAndWrongKeys) {
  const auto reason = [](JwtAlgorithm algorithm, const std::string& text) {
    const Result<JwtKey> key = JwtKey::FromText("", algorithm, text);
    return key.ok() ? std::string("ok") : key.error().message;
  };
  EXPECT_THAT(reason(JwtAlgorithm::kHs512, std::string(63, 'x')), ::testing::HasSubstr("64 bytes"));
  EXPECT_EQ(reason(JwtAlgorithm::kHs256, std::string(32, 'x')), "ok");
  EXPECT_THAT(reason(JwtAlgorithm::kRs256, PublicPem(NewRsaKey(1024))), ::testing::HasSubstr("2048"));
  EXPECT_THAT(reason(JwtAlgorithm::kEs256, PublicPem(NewEcKey("P-384"))), ::testing::HasSubstr("P-256"));
  EXPECT_THAT(reason(JwtAlgorithm::kRs256, PublicPem(NewEcKey("P-256"))), ::testing::HasSubstr("RS256"));
  EXPECT_THAT(reason(JwtAlgorithm::kRs256, "rubbish"), ::testing::HasSubstr("PEM"));
  EXPECT_EQ(JwtKey::FromFile("", JwtAlgorithm::kHs256, "/no/such/file").error().target, "/no/such/file");
  const std::string file = WriteTestFile("secret", kSecret + "\n");
  EXPECT_TRUE(Verifier(JwtKey::FromFile("", JwtAlgorithm::kHs256, file).value()).Verify(HsToken(kSecret, WithExpiry()), kNow).ok());
}

}  // namespace
}  // namespace tablecast
