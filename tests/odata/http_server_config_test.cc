#include "odata/server_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "jwt_test_tokens.h"
#include "odata/config_reader.h"
#include "odata/password_hash.h"

namespace tablecast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kHash = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaA";

ConfigSources Sources() {
  ConfigSources sources;
  sources.folder = "/etc/tablecast";
  sources.read_file = [](const std::string& file) -> Result<std::string> {
    if (file == "user.hash") return kHash + "\n";
    if (file == "api.key") return std::string("0123456789abcdef0123\n");
    if (file == "hmac.key") return std::string(32, 'h') + "\n";
    if (file == "short") return std::string("short");
    return MakeError(ErrorCode::kNotFound, "no-such-file", "no such file");
  };
  sources.environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "SIGNING") return std::string(40, 'g');
    return std::nullopt;
  };
  return sources;
}

TEST(ServerConfigTest, ReadsEverySection) {
  const ParsedServerConfig parsed = ParseServerConfig(R"({
    // comments are allowed
    "host": "0.0.0.0", "port": 8443, "publicUrl": "https://data.example.com/odata",
    "trustedProxies": ["10.0.0.0/8"], "corsOrigins": ["https://app.example"],
    "tls": {"certificate": "server.pem", "key": "/keys/server.key", "hsts": true, "hstsMaxAgeSeconds": 60},
    "auth": {
      "roles": {
        "crm": {"read": true, "create": true, "update": true, "explain": true,
                "objects": {"Invoice": {"read": true}}, "hiddenFields": {"Customer": ["ssn", "salary"], "*": ["secret"]}},
        "admin": {"read": true, "create": true, "update": true, "delete": true, "editCatalog": true}
      },
      "users": [{"name": "salesforce", "passwordHashFile": "user.hash", "role": "crm"},
                {"name": "root", "passwordHash": ")" + kHash + R"(", "role": "admin"}],
      "apiKeys": {"header": "X-Key", "parameter": "apikey", "keys": [
        {"name": "dataverse", "keyFile": "api.key", "role": "crm"},
        {"name": "excel", "keySha256": "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F", "role": "crm"}]},
      "jwt": {"issuer": "i", "audience": "a", "clockSkewSeconds": 5, "roleClaim": "role", "nameClaim": "email",
              "keys": [{"id": "k1", "algorithm": "HS256", "file": "hmac.key"}]},
      "maxFailures": 3, "failureWindowSeconds": 30, "cacheSeconds": 10
    },
    "limits": {"maxBodyBytes": 1000, "headTimeoutMs": 5000, "maxConnections": 50, "maxRequestsPerPrincipal": 0},
    "threads": {"loops": 2, "workers": 7},
    "accessLog": {"file": "access.log", "maxBytes": 100000, "keep": 3},
    "signingSecretEnv": "SIGNING",
    "auditLog": {"file": "audit.log", "maxBytes": 5000, "keep": 2, "values": true},
    "query": {"maxUrlBytes": 4096, "maxExpressionDepth": 9, "maxExpressionNodes": 90, "maxInItems": 8, "maxExpandDepth": 2,
              "maxSearchBytes": 77, "maxAliases": 3, "maxItemsScanned": 1000, "maxExpandedRecords": 11, "maxSortedRecords": 12, "maxGroups": 13, "maxPageBytes": 2048, "maxBatchParts": 4,
              "requireIfMatch": true},
  })", Sources());
  for (const Issue& issue : parsed.issues) ADD_FAILURE() << issue.target << ": " << issue.message;
  const ServerConfig& config = parsed.config;
  EXPECT_EQ(config.host, "0.0.0.0");
  EXPECT_EQ(config.port, 8443);
  EXPECT_EQ(config.tls.certificate, "/etc/tablecast/server.pem");
  EXPECT_EQ(config.tls.key, "/keys/server.key");
  EXPECT_TRUE(config.security_headers.hsts);
  EXPECT_EQ(config.security_headers.hsts_max_age.count(), 60);
  const Role& crm = config.auth.roles.at("crm");
  EXPECT_TRUE(crm.RightsFor("Order").create);
  EXPECT_FALSE(crm.RightsFor("Order").remove);
  EXPECT_EQ(crm.RightsFor("Invoice"), (ObjectRights{.read = true}));
  EXPECT_TRUE(crm.HidesField("Customer", "salary"));
  EXPECT_TRUE(crm.HidesField("Order", "secret"));
  EXPECT_TRUE(crm.may_explain);
  EXPECT_FALSE(crm.may_edit_catalog);
  ASSERT_EQ(config.auth.users.size(), 2U);
  EXPECT_EQ(config.auth.users[0].password_hash, kHash);
  ASSERT_EQ(config.auth.api_keys.size(), 2U);
  EXPECT_EQ(config.auth.api_keys[0].sha256, Sha256("0123456789abcdef0123"));
  EXPECT_EQ(config.auth.api_keys[1].sha256[31], '\x1f');
  EXPECT_EQ(config.auth.jwt->keys[0].id(), "k1");
  EXPECT_EQ(config.auth.jwt->clock_skew.count(), 5);
  EXPECT_EQ(config.auth.max_failures, 3);
  EXPECT_EQ(config.limits.max_body_bytes, 1000U);
  EXPECT_EQ(config.limits.head_timeout.count(), 5000);
  EXPECT_EQ(config.limits.idle_timeout.count(), 60'000);  // untouched
  EXPECT_EQ(config.worker_threads, 7U);
  EXPECT_EQ(config.access_log->file, "/etc/tablecast/access.log");
  EXPECT_EQ(config.signing_secret, std::string(40, 'g'));
  EXPECT_EQ(config.audit_log->file.file, "/etc/tablecast/audit.log");
  EXPECT_EQ(config.audit_log->file.max_bytes, 5000U);
  EXPECT_EQ(config.audit_log->file.keep, 2);
  EXPECT_TRUE(config.audit_log->values);
  EXPECT_EQ(config.query.syntax.max_url_bytes, 4096U);
  EXPECT_EQ(config.query.syntax.max_expression_depth, 9);
  EXPECT_EQ(config.query.syntax.max_nodes, 90U);
  EXPECT_EQ(config.query.syntax.max_in_items, 8U);
  EXPECT_EQ(config.query.syntax.max_expand_depth, 2);
  EXPECT_EQ(config.query.syntax.max_search_bytes, 77U);
  EXPECT_EQ(config.query.syntax.max_aliases, 3U);
  EXPECT_EQ(config.query.limits.max_items_scanned, 1000U);
  EXPECT_EQ(config.query.limits.max_expand_depth, 2U);
  EXPECT_EQ(config.query.limits.max_expanded_records, 11U);
  EXPECT_EQ(config.query.limits.max_sorted_records, 12U);
  EXPECT_EQ(config.query.limits.max_groups, 13U);
  EXPECT_EQ(config.query.max_page_bytes, 2048U);
  EXPECT_EQ(config.query.max_batch_parts, 4U);
  EXPECT_TRUE(config.query.require_if_match);
}

// docs/operations.md names every key that the parser knows, and its default; and no other.
TEST(ServerConfigTest, EveryKeyIsDocumented) {
  const ParsedServerConfig parsed = ParseServerConfig(R"({
    "tls": {}, "auth": {"roles": {"ROLE": {"objects": {"OBJECT": {}}, "hiddenFields": {"OBJECT": []}}}, "users": [{}],
                        "apiKeys": {"keys": [{}]}, "jwt": {"keys": [{}]}},
    "limits": {}, "threads": {}, "accessLog": {}, "auditLog": {}, "query": {}})", Sources());
  std::map<std::string, std::string> known;
  for (const auto& [path, value] : parsed.defaults) {
    std::string name = path;
    for (std::size_t at = name.find("[0]"); at != std::string::npos; at = name.find("[0]")) name.replace(at, 3, "[]");
    known[name] = value;
  }
  // A section's row would say nothing: its keys are there.
  std::erase_if(known, [&](const auto& entry) {
    const auto below = known.upper_bound(entry.first);
    return below != known.end() && (below->first.starts_with(entry.first + ".") || below->first.starts_with(entry.first + "[]."));
  });
  std::ifstream in(TABLECAST_SOURCE_DIR "/docs/operations.md");
  std::map<std::string, std::string> documented;
  for (std::string line; std::getline(in, line);) {
    // | `limits.maxBodyBytes` | 8388608 | ... |
    if (!line.starts_with("| `")) continue;
    const std::size_t end = line.find('`', 3);
    const std::size_t from = line.find("| ", end) + 2;
    std::string value = line.substr(from, line.find(" |", from) - from);
    std::erase(value, '`');
    documented[line.substr(3, end - 3)] = value;
  }
  for (const auto& [name, value] : known) {
    const auto found = documented.find(name);
    if (found == documented.end()) {
      ADD_FAILURE() << name << " is missing; its default is '" << value << "'";
    } else if (!value.empty()) {
      EXPECT_EQ(found->second, value) << name;
    }
    documented.erase(name);
  }
  for (const auto& [name, value] : documented) ADD_FAILURE() << "there is no key " << name;
}

struct ConfigCase {
  const char* text;
  const char* target;
  const char* code;
  const char* remedy;
};

TEST(ServerConfigTest, LocatesWhatIsWrong) {
  const std::vector<ConfigCase> cases = {
      {R"({"prot": 1})", "prot", "config-unknown-key", "did you mean 'port'?"},
      {R"({"limits": {"maxBodyByte": 1}})", "limits.maxBodyByte", "config-unknown-key", "did you mean 'maxBodyBytes'?"},
      {R"({"completely-different": 1})", "completely-different", "config-unknown-key", ""},
      {R"({"query": {"pageSize": 100}})", "query.pageSize", "config-unknown-key", ""},
      {R"({"query": {"maxExpressionDepth": 100000}})", "query.maxExpressionDepth", "config-range", ""},
      {R"({"auditLog": {"file": "a", "value": true}})", "auditLog.value", "config-unknown-key", "did you mean 'values'?"},
      {R"({"auditLog": {"values": true}})", "auditLog.file", "config-missing", ""},
      {R"({"port": "8080"})", "port", "config-type", ""},
      {R"({"port": 70000})", "port", "config-range", ""},
      {R"({"port": 80.5})", "port", "config-range", ""},
      {R"({"port": 1, "port": 2})", "port", "config-repeated-key", ""},
      {R"({"publicUrl": "ftp://x"})", "publicUrl", "config-url", "write https://host/path"},
      {R"({"trustedProxies": ["x"]})", "trustedProxies", "config-network", "write 10.0.0.1, 10.0.0.0/8 or 2001:db8::/32"},
      {R"({"trustedProxies": [1]})", "trustedProxies", "config-type", ""},
      {R"({"tls": {"certificate": "a"}})", "tls.key", "config-missing", ""},
      {R"({"limits": {"maxBodyBytes": -1}})", "limits.maxBodyBytes", "config-range", ""},
      {R"({"limits": {"headTimeoutMs": 0}})", "limits.headTimeoutMs", "config-range", ""},
      {R"({"signingSecretFile": "short"})", "signingSecretFile", "config-secret", ""},
      {R"({"signingSecretFile": "none"})", "signingSecretFile", "config-secret", ""},
      {R"({"signingSecretEnv": "UNSET"})", "signingSecretEnv", "config-secret", ""},
      {R"({"signingSecretFile": "hmac.key", "signingSecretEnv": "SIGNING"})", "signingSecretEnv", "config-secret", ""},
      {R"({"auth": {"roles": {"r": 1}}})", "auth.roles.r", "config-type", ""},
      {R"({"auth": {"roles": {"r": {"objects": {"Order": {"write": true}}}}}})", "auth.roles.r.objects.Order.write", "config-unknown-key", ""},
      {R"({"auth": {"users": [{"name": "u", "passwordHash": "secret", "role": "r"}], "roles": {"r": {}}}})",
       "auth.users[0].passwordHash", "config-password-hash", "make one with 'tablecast hash-password'"},
      {R"({"auth": {"users": [{"name": "u:v", "passwordHashFile": "user.hash", "role": "r"}], "roles": {"r": {}}}})",
       "auth.users[0].name", "config-name", ""},
      {R"({"auth": {"users": [{"name": "u", "passwordHashFile": "user.hash", "role": "reeder"}], "roles": {"reader": {}}}})",
       "auth.users[0].role", "config-unknown-role", "did you mean 'reader'?"},
      {R"({"auth": {"users": [{"name": "u", "passwordHashFile": "user.hash"}]}})", "auth.users[0].role", "config-missing", ""},
      {R"({"auth": {"roles": {"r": {}}, "apiKeys": {"keys": [{"name": "k", "keyFile": "short", "role": "r"}]}}})",
       "auth.apiKeys.keys[0].keyFile", "config-secret", "openssl rand -hex 32"},
      {R"({"auth": {"roles": {"r": {}}, "apiKeys": {"keys": [{"name": "k", "keySha256": "abc", "role": "r"}]}}})",
       "auth.apiKeys.keys[0].keySha256", "config-secret", ""},
      {R"({"auth": {"roles": {"r": {}}, "apiKeys": {"keys": [{"name": "k", "role": "r"}]}}})", "auth.apiKeys.keys[0].keyFile", "config-missing", ""},
      {R"({"auth": {"roles": {"r": {}}, "jwt": {"role": "r", "keys": [{"algorithm": "none", "file": "hmac.key"}]}}})",
       "auth.jwt.keys[0].algorithm", "config-algorithm", ""},
      {R"({"auth": {"roles": {"r": {}}, "jwt": {"role": "r", "keys": [{"algorithm": "RS256", "file": "hmac.key"}]}}})",
       "auth.jwt.keys[0].file", "config-secret", ""},
      {R"({"auth": {"roles": {"r": {}}, "jwt": {"role": "r"}}})", "auth.jwt.keys", "config-missing", ""},
      {R"({"accessLog": {}})", "accessLog.file", "config-missing", ""},
  };
  for (const ConfigCase& c : cases) {
    SCOPED_TRACE(c.text);
    const ParsedServerConfig parsed = ParseServerConfig(c.text, Sources());
    ASSERT_FALSE(parsed.issues.empty());
    const Issue& issue = parsed.issues.front();
    EXPECT_EQ(issue.target, c.target);
    EXPECT_EQ(issue.code, c.code);
    EXPECT_EQ(issue.remedy, c.remedy);
    EXPECT_GT(issue.span.begin.line, 0U);
    EXPECT_EQ(issue.severity, std::string_view(c.code) == "config-repeated-key" ? Severity::kWarning : Severity::kError);
  }
}

TEST(ServerConfigTest, LocatesSyntaxErrors) {
  const ParsedServerConfig parsed = ParseServerConfig("{\n  \"port\": ,\n}", Sources());
  ASSERT_EQ(parsed.issues.size(), 1U);
  EXPECT_EQ(parsed.issues[0].span.begin.line, 2U);
  EXPECT_EQ(ParseServerConfig("[]", Sources()).issues[0].code, "config-type");
  EXPECT_TRUE(ParseServerConfig("{}", Sources()).issues.empty());
}

TEST(ServerConfigTest, MessagesHoldNoSecrets) {
  const ParsedServerConfig parsed = ParseServerConfig(
      R"({"auth": {"roles": {"r": {}}, "users": [{"name": "u", "passwordHash": "hunter2", "role": "r"}],
          "apiKeys": {"keys": [{"name": "k", "keySha256": "hunter2", "role": "r"}]},
          "jwt": {"role": "r", "keys": [{"algorithm": "RS256", "file": "api.key"}]}}})", Sources());
  EXPECT_GE(parsed.issues.size(), 3U);
  for (const Issue& issue : parsed.issues) {
    EXPECT_THAT(issue.message + issue.remedy, Not(HasSubstr("hunter2")));
    EXPECT_THAT(issue.message + issue.remedy, Not(HasSubstr("0123456789abcdef")));
  }
}

TEST(ServerConfigTest, WithoutAuthenticationOnlyLoopbackIsServed) {
  ServerConfig config;
  for (const char* loopback : {"127.0.0.1", "::1", "localhost", "127.1.2.3"}) {
    config.host = loopback;
    EXPECT_TRUE(CheckExposure(config).ok()) << loopback;
  }
  for (const char* open : {"0.0.0.0", "::", "192.0.2.1", "", "localhost.evil.example"}) {
    config.host = open;
    config.allow_unauthenticated = false;
    config.auth.users.clear();
    EXPECT_EQ(CheckExposure(config).error().reason, "unauthenticated-exposure") << open;
    std::shared_ptr<Authenticator> authenticator;
    EXPECT_FALSE(MakeServerOptions(config, authenticator).ok());
    config.allow_unauthenticated = true;
    EXPECT_TRUE(CheckExposure(config).ok());
    config.allow_unauthenticated = false;
    config.auth.roles["r"] = {};
    config.auth.users = {{"u", kHash, "r"}};
    EXPECT_TRUE(CheckExposure(config).ok());
    EXPECT_TRUE(MakeServerOptions(config, authenticator).ok());
    EXPECT_NE(authenticator, nullptr);
  }
}

TEST(ServerConfigTest, ReadsRealFilesBesideTheConfiguration) {
  const std::string file = WriteTestFile("config_secret", std::string(40, 's') + "\n");
  const std::string folder = file.substr(0, file.rfind('/'));
  ConfigSources sources = SystemSources(folder + "/server.json");
  const std::string text = R"({"signingSecretFile": ")" + file.substr(file.rfind('/') + 1) + "\"}";
  const ParsedServerConfig parsed = ParseServerConfig(text, sources);
  EXPECT_TRUE(parsed.issues.empty());
  EXPECT_EQ(parsed.config.signing_secret, std::string(40, 's'));
  EXPECT_EQ(sources.environment("TABLECAST_NO_SUCH_VARIABLE"), std::nullopt);
}

TEST(NearestNameTest, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string> names = {"host", "port", "limits", "publicUrl"};
  EXPECT_EQ(NearestName("prot", names), "port");
  EXPECT_EQ(NearestName("LIMIT", names), "limits");
  EXPECT_EQ(NearestName("public_url", names), "publicUrl");
  EXPECT_EQ(NearestName("zzzz", names), "");
  EXPECT_EQ(NearestName(std::string(1000, 'x'), names), "");
}

}  // namespace
}  // namespace tablecast
