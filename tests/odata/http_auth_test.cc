#include "odata/auth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/base64.h"
#include "http_test_client.h"
#include "jwt_test_tokens.h"
#include "odata/password_hash.h"

namespace tablecast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = AuthDecision::Kind;

const std::string kSecret(64, 's');
constexpr std::chrono::steady_clock::time_point kStart{};

// One hash for all tests: each costs some 20 ms on purpose.
const std::string& PasswordHash() {
  static const std::string hash = HashPassword("pa:ss wörd").value();
  return hash;
}

std::string BasicHeader(const std::string& user, const std::string& password) {
  return "Basic " + EncodeBase64(user + ":" + password);
}

AuthConfig Config() {
  AuthConfig config;
  config.roles["reader"].default_rights.read = true;
  config.roles["writer"].default_rights = {.read = true, .create = true, .update = true, .remove = false};
  config.roles["writer"].hidden_fields["Customer"].insert("ssn");
  config.users = {{"salesforce", PasswordHash(), "writer"}};
  config.api_keys = {{"dataverse", Sha256("key-one"), "reader"}, {"excel", Sha256("key two&="), "reader"}};
  config.api_key_parameter = "apikey";
  config.jwt = JwtOptions{.keys = {JwtKey::FromText("", JwtAlgorithm::kHs256, kSecret).value()}};
  config.jwt_role_claim = "role";
  return config;
}

HttpRequest Request(HttpHeaders headers, std::string target = "/odata/Order") {
  HttpRequest request;
  request.target = std::move(target);
  request.headers = std::move(headers);
  request.remote_address = "192.0.2.1";
  return request;
}

AuthDecision Full(Authenticator& authenticator, HttpRequest request, std::chrono::seconds after = std::chrono::seconds(0)) {
  return authenticator.Authenticate(request, AuthEffort::kFull, kStart + after);
}

std::string FutureToken(const std::string& more, std::int64_t valid_seconds = 100) {
  return HsToken(kSecret, R"({"sub":"user7","exp":)" + std::to_string(CurrentTimestamp().seconds + valid_seconds) + more + "}");
}

struct AuthCase {
  const char* name;
  HttpHeaders headers;
  std::string target;
  std::string principal;  // "": refused
};

TEST(AuthenticatorTest, KnowsWhoAsks) {
  const std::string token = FutureToken(R"(,"role":"writer")");
  const std::vector<AuthCase> cases = {
      {"basic", {{"Authorization", BasicHeader("salesforce", "pa:ss wörd")}}, "/", "salesforce"},
      {"basic, scheme in another case", {{"Authorization", "bASIC  " + BasicHeader("salesforce", "pa:ss wörd").substr(6)}}, "/", "salesforce"},
      {"wrong password", {{"Authorization", BasicHeader("salesforce", "pa:ss word")}}, "/", ""},
      {"empty password", {{"Authorization", BasicHeader("salesforce", "")}}, "/", ""},
      {"unknown user", {{"Authorization", BasicHeader("root", "pa:ss wörd")}}, "/", ""},
      {"the decoy's password", {{"Authorization", BasicHeader("root", "an unknown user costs as much as a known one")}}, "/", ""},
      {"no colon", {{"Authorization", "Basic " + EncodeBase64("salesforce")}}, "/", ""},
      {"not base64", {{"Authorization", "Basic ???"}}, "/", ""},
      {"huge password", {{"Authorization", BasicHeader("salesforce", std::string(5000, 'x'))}}, "/", ""},
      {"key in header", {{"X-API-Key", "key-one"}}, "/", "dataverse"},
      {"key in query", {}, "/odata/Order?$top=1&apikey=key%20two%26%3D&$skip=2", "excel"},
      {"wrong key", {{"x-api-key", "key-On"}}, "/", ""},
      {"empty key", {{"X-API-Key", ""}}, "/", ""},
      {"another parameter", {}, "/?apikeys=key-one", ""},
      {"token", {{"Authorization", "Bearer " + token}}, "/", "user7"},
      {"token as Basic", {{"Authorization", "Basic " + token}}, "/", ""},
      {"damaged token", {{"Authorization", "Bearer " + token + "x"}}, "/", ""},
      {"expired token", {{"Authorization", "Bearer " + FutureToken(R"(,"role":"writer")", -100)}}, "/", ""},
      {"token with an unknown role", {{"Authorization", "Bearer " + FutureToken(R"(,"role":"admin")")}}, "/", ""},
      {"token with a role list", {{"Authorization", "Bearer " + FutureToken(R"(,"role":["writer"])")}}, "/", ""},
      {"token without a role", {{"Authorization", "Bearer " + FutureToken("")}}, "/", ""},
      {"unknown scheme", {{"Authorization", "Digest x"}}, "/", ""},
      {"two authorizations", {{"Authorization", "Bearer " + token}, {"Authorization", "Bearer " + token}}, "/", ""},
      {"a wrong one is not saved by a right key", {{"Authorization", "Bearer x"}, {"X-API-Key", "key-one"}}, "/", ""},
      {"nothing", {}, "/", ""},
  };
  for (const AuthCase& c : cases) {
    SCOPED_TRACE(c.name);
    const auto authenticator = MakeAuthenticator(Config());
    HttpRequest request = Request(c.headers, c.target);
    const AuthDecision decision = authenticator->Authenticate(request, AuthEffort::kFull, kStart);
    EXPECT_EQ(decision.kind, c.principal.empty() ? Kind::kRefused : Kind::kGranted);
    EXPECT_EQ(request.target.find("apikey="), std::string::npos);
    if (c.principal.empty()) {
      EXPECT_EQ(decision.refusal.status, 401);
      EXPECT_EQ(decision.principal, nullptr);
      EXPECT_THAT(decision.refusal.headers.Joined("WWW-Authenticate"), AllOf(HasSubstr("Basic realm="), HasSubstr("Bearer")));
      EXPECT_THAT(decision.refusal.body, AllOf(Not(HasSubstr("key-")), Not(HasSubstr("salesforce"))));
    } else {
      ASSERT_NE(decision.principal, nullptr);
      EXPECT_EQ(decision.principal->name, c.principal);
    }
  }
}

TEST(AuthenticatorTest, BringsTheRightsOfTheRole) {
  const auto authenticator = MakeAuthenticator(Config());
  const AuthDecision decision = Full(*authenticator, Request({{"Authorization", "Bearer " + FutureToken(R"(,"role":"writer")")}}));
  ASSERT_EQ(decision.kind, Kind::kGranted);
  EXPECT_TRUE(decision.principal->RightsFor("Order").update);
  EXPECT_FALSE(decision.principal->RightsFor("Order").remove);
  EXPECT_TRUE(decision.principal->HidesField("Customer", "ssn"));
  EXPECT_FALSE(decision.principal->HidesField("Order", "ssn"));
  EXPECT_FALSE(decision.principal->may_explain);
}

TEST(AuthenticatorTest, FastEffortDoesNotHashButRemembers) {
  const auto authenticator = MakeAuthenticator(Config());
  const HttpRequest basic = Request({{"Authorization", BasicHeader("salesforce", "pa:ss wörd")}});
  HttpRequest copy = basic;
  EXPECT_EQ(authenticator->Authenticate(copy, AuthEffort::kFast, kStart).kind, Kind::kUndecided);
  EXPECT_EQ(Full(*authenticator, basic).kind, Kind::kGranted);
  EXPECT_EQ(authenticator->Authenticate(copy, AuthEffort::kFast, kStart).kind, Kind::kGranted);
  // Not for ever.
  EXPECT_EQ(authenticator->Authenticate(copy, AuthEffort::kFast, kStart + std::chrono::seconds(301)).kind, Kind::kUndecided);
  HttpRequest key = Request({{"X-API-Key", "key-one"}});
  EXPECT_EQ(authenticator->Authenticate(key, AuthEffort::kFast, kStart).kind, Kind::kGranted);
  HttpRequest none = Request({});
  EXPECT_EQ(authenticator->Authenticate(none, AuthEffort::kFast, kStart).kind, Kind::kRefused);
}

TEST(AuthenticatorTest, ATokenIsNotRememberedBeyondItsEnd) {
  AuthConfig config = Config();
  config.jwt->clock_skew = std::chrono::seconds(0);
  const auto authenticator = MakeAuthenticator(config);
  HttpRequest request = Request({{"Authorization", "Bearer " + FutureToken(R"(,"role":"reader")", 50)}});
  EXPECT_EQ(authenticator->Authenticate(request, AuthEffort::kFull, kStart).kind, Kind::kGranted);
  EXPECT_EQ(authenticator->Authenticate(request, AuthEffort::kFast, kStart + std::chrono::seconds(40)).kind, Kind::kGranted);
  EXPECT_EQ(authenticator->Authenticate(request, AuthEffort::kFast, kStart + std::chrono::seconds(51)).kind, Kind::kUndecided);
}

TEST(AuthenticatorTest, DampsGuessingPerAddress) {
  AuthConfig config = Config();
  config.max_failures = 3;
  const auto authenticator = MakeAuthenticator(config);
  const HttpRequest wrong = Request({{"X-API-Key", "guess"}});
  const HttpRequest right = Request({{"X-API-Key", "key-one"}});
  const HttpRequest basic = Request({{"Authorization", BasicHeader("salesforce", "pa:ss wörd")}});
  ASSERT_EQ(Full(*authenticator, basic).kind, Kind::kGranted);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Full(*authenticator, wrong).refusal.status, 401);
  const AuthDecision damped = Full(*authenticator, wrong);
  EXPECT_EQ(damped.refusal.status, 429);
  EXPECT_EQ(damped.refusal.headers.Get("Retry-After"), "60");
  EXPECT_EQ(Full(*authenticator, right).refusal.status, 429);        // even a right guess tells nothing
  EXPECT_EQ(Full(*authenticator, basic).kind, Kind::kGranted);       // who was let in before goes on
  HttpRequest elsewhere = right;
  elsewhere.remote_address = "192.0.2.2";
  EXPECT_EQ(Full(*authenticator, elsewhere).kind, Kind::kGranted);
  EXPECT_EQ(Full(*authenticator, right, std::chrono::seconds(60)).kind, Kind::kGranted);
}

TEST(AuthenticatorTest, DampsIpv6Networks) {
  AuthConfig config = Config();
  config.max_failures = 2;
  const auto authenticator = MakeAuthenticator(config);
  for (int i = 0; i < 3; ++i) {
    HttpRequest request = Request({{"X-API-Key", "guess"}});
    request.remote_address = "2001:db8:1:2:" + std::to_string(i) + ":1:1:1";
    EXPECT_EQ(Full(*authenticator, request).refusal.status, i < 2 ? 401 : 429);
  }
}

TEST(AuthenticatorTest, ChallengesForWhatIsConfigured) {
  AuthConfig config = Config();
  config.users.clear();
  config.jwt.reset();
  EXPECT_EQ(Full(*MakeAuthenticator(config), Request({})).refusal.headers.Joined("WWW-Authenticate"), "ApiKey realm=\"tablecast\"");
}

struct TakeCase {
  const char* target;
  const char* kept;
  const char* value;  // nullptr: none
};

TEST(TakeQueryParameterTest, TakesOnlyWholeNames) {
  for (const TakeCase& c : std::vector<TakeCase>{
           {"/a", "/a", nullptr},
           {"/a?k=1", "/a", "1"},
           {"/a?k", "/a", ""},
           {"/a?x=1&k=2&y=3", "/a?x=1&y=3", "2"},
           {"/a?k=1&k=2", "/a", "1"},
           {"/a?%6b=1&x", "/a?x", "1"},
           {"/a?kk=1&xk=2&K=3", "/a?kk=1&xk=2&K=3", nullptr},
           {"/a?x=k=1", "/a?x=k=1", nullptr},
           {"/a?k=%2", "/a", "%2"},
           {"/a?k=%41%zz", "/a", "A%zz"}}) {
    std::string target = c.target;
    const std::optional<std::string> value = TakeQueryParameter(target, "k");
    EXPECT_EQ(target, c.kept) << c.target;
    EXPECT_EQ(value.has_value(), c.value != nullptr) << c.target;
    if (value && c.value != nullptr) {
      EXPECT_EQ(*value, c.value) << c.target;
    }
  }
}

TEST(PasswordHashTest, HashesAreSaltedAndVerify) {
  EXPECT_THAT(PasswordHash(), HasSubstr("$argon2id$v=19$m=19456,t=2,p=1$"));
  EXPECT_NE(PasswordHash(), HashPassword("pa:ss wörd").value());
  EXPECT_TRUE(VerifyPassword(PasswordHash(), "pa:ss wörd"));
  EXPECT_FALSE(VerifyPassword(PasswordHash(), "pa:ss wörd "));
  EXPECT_EQ(HashPassword("").error().reason, "bad-password");
  EXPECT_EQ(HashPassword(std::string(1025, 'x')).error().reason, "bad-password");
  for (const char* bad : {"", "plain", "$argon2i$v=19$m=19456,t=2,p=1$a$b", "$argon2id$v=19$m=4294967295,t=2,p=1$a$b",
                          "$argon2id$v=19$m=19456,t=9999,p=1$a$b", "$argon2id$v=19$m=19456,t=2,p=1$"}) {
    EXPECT_FALSE(IsPasswordHash(bad)) << bad;
    EXPECT_FALSE(VerifyPassword(bad, "plain")) << bad;
  }
}

// The same through a server.
class AuthServerTest : public ::testing::Test {
 protected:
  static HttpServerHooks Hooks() {
    HttpServerHooks hooks;
    hooks.handler = [](const HttpRequest& request) {
      HttpResponse response;
      response.body = (request.principal ? request.principal->name : "nobody") + " " + request.target + " " + request.body;
      return response;
    };
    hooks.is_cheap = [](const HttpRequest& request) { return request.target == "/cheap"; };
    hooks.authenticator = MakeAuthenticator(Config());
    return hooks;
  }
  RunningServer server_{Hooks()};
};

TEST_F(AuthServerTest, LetsInWhoHasCredentials) {
  RawClient client = server_.Connect();
  const std::string basic = "Authorization: " + BasicHeader("salesforce", "pa:ss wörd") + "\r\n";
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(BodyOf(client.Roundtrip("GET /cheap HTTP/1.1\r\nHost: a\r\n" + basic + "\r\n")), "salesforce /cheap ");
  }
  EXPECT_EQ(BodyOf(client.Roundtrip("GET /x?apikey=key-one&a=b HTTP/1.1\r\nHost: a\r\n\r\n")), "dataverse /x?a=b ");
  EXPECT_EQ(BodyOf(client.Roundtrip("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n" + basic + "\r\nhi")), "salesforce /x hi");
  EXPECT_EQ(StatusOf(client.Roundtrip("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")), 401);
  EXPECT_EQ(BodyOf(client.Roundtrip("GET /healthz?x HTTP/1.1\r\nHost: a\r\n\r\n")), "nobody /healthz?x ");
  EXPECT_EQ(StatusOf(client.Roundtrip("GET /healthz/ HTTP/1.1\r\nHost: a\r\n\r\n")), 401);
  EXPECT_EQ(StatusOf(client.Roundtrip("GET //healthz HTTP/1.1\r\nHost: a\r\n\r\n")), 401);
}

TEST_F(AuthServerTest, BodiesOfStrangersAreNotRead) {
  RawClient client = server_.Connect();
  ASSERT_TRUE(client.Send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\nExpect: 100-continue\r\n\r\n"));
  bool ended = false;
  const std::string response = client.ReadToEnd(&ended);
  EXPECT_EQ(StatusOf(response), 401);
  EXPECT_THAT(response, HasSubstr("Connection: close"));
  EXPECT_TRUE(ended);
}

TEST(AuthServerLoadTest, OneCallerCannotTakeEveryWorker) {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  int inside = 0;
  HttpServerHooks hooks;
  hooks.authenticator = MakeAuthenticator(Config());
  hooks.handler = [&](const HttpRequest& request) {
    std::unique_lock lock(mutex);
    ++inside;
    changed.notify_all();
    if (request.principal->name == "dataverse") changed.wait(lock, [&] { return open; });
    return EchoHandler(request);
  };
  HttpServerOptions options;
  options.worker_threads = 4;
  options.limits.max_requests_per_principal = 2;
  RunningServer server(std::move(hooks), options);
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\nX-API-Key: key-one\r\n\r\n";
  RawClient first = server.Connect();
  RawClient second = server.Connect();
  ASSERT_TRUE(first.Send(request));
  ASSERT_TRUE(second.Send(request));
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(10), [&] { return inside == 2; }));
  }
  RawClient third = server.Connect();
  const std::string refused = third.Roundtrip(request);
  EXPECT_EQ(StatusOf(refused), 429);
  EXPECT_THAT(refused, HasSubstr("maxRequestsPerPrincipal (2)"));
  EXPECT_EQ(StatusOf(third.Roundtrip("GET / HTTP/1.1\r\nHost: a\r\nX-API-Key: key two&=\r\n\r\n")), 200);
  {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
  EXPECT_EQ(StatusOf(first.ReadResponse()), 200);
  EXPECT_EQ(StatusOf(third.Roundtrip(request)), 200);  // a place is free again
}

}  // namespace
}  // namespace tablecast
