#include "odata/server_config.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

#include "odata/config_reader.h"
#include "odata/password_hash.h"
#include "odata/tls.h"
#include "odata/trusted_proxies.h"

namespace tablecast {
namespace {

constexpr std::size_t kMaxConfigBytes = 1U << 20U;
constexpr std::uintmax_t kMaxSecretFileBytes = 65536;
constexpr std::int64_t kMaxMillis = 24LL * 3600 * 1000;

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

class Parser {
 public:
  Parser(const ConfigSources& sources, ParsedServerConfig& out)
      : sources_(sources), config_(out.config), issues_(out.issues), defaults_(out.defaults) {}

  void Root(const JsonValue& json) {
    ConfigReader reader(json, "", issues_, &defaults_);
    reader.String("host", config_.host);
    std::int64_t port = config_.port;
    if (reader.Integer("port", 0, 65535, port)) config_.port = static_cast<int>(port);
    if (reader.String("publicUrl", config_.public_url)) CheckPublicUrl(reader);
    if (reader.Strings("trustedProxies", config_.trusted_proxies)) {
      const auto proxies = TrustedProxies::Parse(config_.trusted_proxies);
      if (!proxies.ok()) reader.Report("trustedProxies", "config-network", proxies.error().message, proxies.error().remedy);
    }
    reader.Strings("corsOrigins", config_.cors_origins);
    reader.Bool("allowUnauthenticated", config_.allow_unauthenticated);
    if (const JsonValue* tls = reader.Object("tls")) Tls(*tls);
    if (const JsonValue* auth = reader.Object("auth")) Auth(*auth);
    if (const JsonValue* limits = reader.Object("limits")) Limits(*limits);
    if (const JsonValue* threads = reader.Object("threads")) Threads(*threads);
    if (const JsonValue* log = reader.Object("accessLog")) {
      ConfigReader log_reader(*log, "accessLog", issues_, &defaults_);
      config_.access_log = LogFile(log_reader);
      log_reader.Finish();
    }
    if (const JsonValue* log = reader.Object("auditLog")) {
      ConfigReader log_reader(*log, "auditLog", issues_, &defaults_);
      AuditLogOptions audit;
      audit.file = LogFile(log_reader);
      log_reader.Bool("values", audit.values);
      log_reader.Finish();
      config_.audit_log = std::move(audit);
    }
    if (const auto secret = Secret(reader, "signingSecret")) {
      config_.signing_secret = *secret;
      if (secret->size() < 32) reader.Report("signingSecretFile", "config-secret", "a signing secret has at least 32 bytes");
    }
    if (const JsonValue* query = reader.Object("query")) Query(*query);
    reader.Finish();
  }

 private:
  void CheckPublicUrl(ConfigReader& reader) {
    if (!IsPublicUrl(config_.public_url)) {
      reader.Report("publicUrl", "config-url", "this must be an http or https URL without query", "write https://host/path");
    }
  }

  std::string InFolder(const std::string& file) const {
    if (file.empty() || file == "-" || sources_.folder.empty()) return file;
    return (std::filesystem::path(sources_.folder) / file).string();  // absolute names stay as they are
  }

  // A secret from "<name>File" or "<name>Env"; its text is never part of a message.
  std::optional<std::string> Secret(ConfigReader& reader, const std::string& name) {
    std::string file;
    std::string variable;
    const bool has_file = reader.String(name + "File", file);
    const bool has_variable = reader.String(name + "Env", variable);
    if (has_file && has_variable) {
      reader.Report(name + "Env", "config-secret", "give the secret by file or by environment, not both");
      return std::nullopt;
    }
    if (has_file) {
      Result<std::string> text = sources_.read_file(file);
      if (text.ok()) return Trimmed(std::move(*text));
      reader.Report(name + "File", "config-secret", "the file cannot be read: " + text.error().message);
    }
    if (has_variable) {
      std::optional<std::string> text = sources_.environment(variable);
      if (text && !text->empty()) return text;
      reader.Report(name + "Env", "config-secret", "the environment variable is not set");
    }
    return std::nullopt;
  }

  void Tls(const JsonValue& json) {
    ConfigReader reader(json, "tls", issues_, &defaults_);
    const bool certificate = reader.String("certificate", config_.tls.certificate);
    const bool key = reader.String("key", config_.tls.key);
    if (!certificate) reader.Report("certificate", "config-missing", "TLS needs a certificate file");
    if (!key) reader.Report("key", "config-missing", "TLS needs a private key file");
    config_.tls.certificate = InFolder(config_.tls.certificate);
    config_.tls.key = InFolder(config_.tls.key);
    reader.Bool("hsts", config_.security_headers.hsts);
    std::int64_t age = config_.security_headers.hsts_max_age.count();
    if (reader.Integer("hstsMaxAgeSeconds", 0, 63'072'000, age)) config_.security_headers.hsts_max_age = std::chrono::seconds(age);
    reader.Finish();
  }

  void Auth(const JsonValue& json) {
    ConfigReader reader(json, "auth", issues_, &defaults_);
    AuthConfig& auth = config_.auth;
    if (const JsonValue* roles = reader.Object("roles")) {
      for (const JsonMember& member : roles->members) ReadRole(member, "auth.roles." + member.name);
    }
    if (const JsonValue* users = reader.Array("users")) {
      for (std::size_t i = 0; i < users->elements.size(); ++i) User(users->elements[i], "auth.users[" + std::to_string(i) + "]");
    }
    if (const JsonValue* keys = reader.Object("apiKeys")) ApiKeys(*keys);
    if (const JsonValue* jwt = reader.Object("jwt")) Jwt(*jwt);
    std::int64_t number = auth.max_failures;
    if (reader.Integer("maxFailures", 1, 1'000'000, number)) auth.max_failures = static_cast<int>(number);
    number = auth.failure_window.count();
    if (reader.Integer("failureWindowSeconds", 1, 86'400, number)) auth.failure_window = std::chrono::seconds(number);
    number = auth.cache_time.count();
    if (reader.Integer("cacheSeconds", 0, 86'400, number)) auth.cache_time = std::chrono::seconds(number);
    reader.Finish();
  }

  static void Rights(ConfigReader& reader, ObjectRights& rights) {
    reader.Bool("read", rights.read);
    reader.Bool("create", rights.create);
    reader.Bool("update", rights.update);
    reader.Bool("delete", rights.remove);
  }

  bool ExpectObject(const JsonValue& json, const std::string& path) {
    if (json.IsObject()) return true;
    Issue issue;
    issue.code = "config-type";
    issue.message = "this must be an object";
    issue.target = path;
    issue.span = json.span;
    issues_.push_back(std::move(issue));
    return false;
  }

  void ReadRole(const JsonMember& member, const std::string& path) {
    if (!ExpectObject(member.value, path)) return;
    ConfigReader reader(member.value, path, issues_, &defaults_);
    Role role;
    role.name = member.name;
    Rights(reader, role.default_rights);
    if (const JsonValue* objects = reader.Object("objects")) {
      for (const JsonMember& object : objects->members) {
        const std::string object_path = path + ".objects." + object.name;
        if (!ExpectObject(object.value, object_path)) continue;
        ConfigReader rights(object.value, object_path, issues_, &defaults_);
        Rights(rights, role.objects[object.name] = {});
        rights.Finish();
      }
    }
    if (const JsonValue* hidden = reader.Object("hiddenFields")) {
      ConfigReader fields(*hidden, path + ".hiddenFields", issues_, &defaults_);
      for (const JsonMember& object : hidden->members) {
        std::vector<std::string> names;
        fields.Strings(object.name, names);
        role.hidden_fields[object.name].insert(names.begin(), names.end());
      }
      fields.Finish();
    }
    reader.Bool("explain", role.may_explain);
    reader.Bool("editCatalog", role.may_edit_catalog);
    reader.Finish();
    config_.auth.roles[member.name] = std::move(role);
  }

  void RoleName(ConfigReader& reader, std::string_view key, std::string& role, bool required) {
    if (!reader.String(key, role)) {
      if (required && !reader.Has(key)) reader.Report(key, "config-missing", "this needs a role");
      return;
    }
    if (config_.auth.roles.contains(role)) return;
    std::vector<std::string> names;
    for (const auto& [name, each] : config_.auth.roles) names.push_back(name);
    const std::string nearest = NearestName(role, names);
    reader.Report(key, "config-unknown-role", "there is no role '" + role + "' in auth.roles",
                  nearest.empty() ? "" : "did you mean '" + nearest + "'?");
  }

  void User(const JsonValue& json, const std::string& path) {
    if (!ExpectObject(json, path)) return;
    ConfigReader reader(json, path, issues_, &defaults_);
    BasicUser user;
    if (!reader.String("name", user.name) || user.name.empty() || user.name.find(':') != std::string::npos) {
      reader.Report("name", "config-name", "a user needs a name without colon");
    }
    bool has_hash = reader.String("passwordHash", user.password_hash);
    if (auto hash = Secret(reader, "passwordHash")) {
      user.password_hash = std::move(*hash);
      has_hash = true;
    }
    if (!has_hash || !IsPasswordHash(user.password_hash)) {
      reader.Report("passwordHash", "config-password-hash", "this user has no argon2id password hash",
                    "make one with 'tablecast hash-password'");
    }
    RoleName(reader, "role", user.role, true);
    for (const BasicUser& other : config_.auth.users) {
      if (other.name == user.name) reader.Report("name", "config-name", "there are two users of this name");
    }
    reader.Finish();
    config_.auth.users.push_back(std::move(user));
  }

  void ApiKeys(const JsonValue& json) {
    ConfigReader reader(json, "auth.apiKeys", issues_, &defaults_);
    reader.String("header", config_.auth.api_key_header);
    reader.String("parameter", config_.auth.api_key_parameter);
    if (const JsonValue* keys = reader.Array("keys")) {
      for (std::size_t i = 0; i < keys->elements.size(); ++i) Key(keys->elements[i], "auth.apiKeys.keys[" + std::to_string(i) + "]");
    }
    reader.Finish();
  }

  void Key(const JsonValue& json, const std::string& path) {
    if (!ExpectObject(json, path)) return;
    ConfigReader reader(json, path, issues_, &defaults_);
    ApiKey key;
    if (!reader.String("name", key.name) || key.name.empty()) reader.Report("name", "config-name", "an API key needs a name");
    std::string hex;
    if (reader.String("keySha256", hex)) {
      for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        const int high = HexDigit(hex[i]);
        const int low = HexDigit(hex[i + 1]);
        if (high >= 0 && low >= 0) key.sha256 += static_cast<char>(high * 16 + low);
      }
      if (hex.size() != 64 || key.sha256.size() != 32) {
        reader.Report("keySha256", "config-secret", "this must be the SHA-256 of the key, 64 hexadecimal digits");
      }
    } else if (const auto secret = Secret(reader, "key")) {
      if (secret->size() < 16) {
        reader.Report("keyFile", "config-secret", "an API key has at least 16 bytes", "openssl rand -hex 32");
      }
      key.sha256 = Sha256(*secret);
    } else if (!reader.Has("keyFile") && !reader.Has("keyEnv")) {
      reader.Report("keyFile", "config-missing", "an API key needs keyFile, keyEnv or keySha256");
    }
    RoleName(reader, "role", key.role, true);
    reader.Finish();
    config_.auth.api_keys.push_back(std::move(key));
  }

  void Jwt(const JsonValue& json) {
    ConfigReader reader(json, "auth.jwt", issues_, &defaults_);
    JwtOptions jwt;
    reader.String("issuer", jwt.issuer);
    reader.String("audience", jwt.audience);
    std::int64_t skew = jwt.clock_skew.count();
    if (reader.Integer("clockSkewSeconds", 0, 3600, skew)) jwt.clock_skew = std::chrono::seconds(skew);
    reader.String("nameClaim", config_.auth.jwt_name_claim);
    reader.String("roleClaim", config_.auth.jwt_role_claim);
    RoleName(reader, "role", config_.auth.jwt_role, config_.auth.jwt_role_claim.empty());
    if (const JsonValue* keys = reader.Array("keys")) {
      for (std::size_t i = 0; i < keys->elements.size(); ++i) {
        TokenKey(keys->elements[i], "auth.jwt.keys[" + std::to_string(i) + "]", jwt);
      }
    }
    if (jwt.keys.empty()) reader.Report("keys", "config-missing", "tokens need at least one good key");
    reader.Finish();
    config_.auth.jwt = std::move(jwt);
  }

  void TokenKey(const JsonValue& json, const std::string& path, JwtOptions& jwt) {
    if (!ExpectObject(json, path)) return;
    ConfigReader reader(json, path, issues_, &defaults_);
    std::string id;
    std::string name;
    reader.String("id", id);
    const bool named = reader.String("algorithm", name);
    const std::optional<JwtAlgorithm> algorithm = JwtAlgorithmFromName(name);
    if (!named || !algorithm) {
      reader.Report("algorithm", "config-algorithm", "the algorithm is one of HS256, HS384, HS512, RS256, RS384, RS512, ES256, ES384, ES512");
    }
    std::string file;
    std::string variable;
    const bool has_file = reader.String("file", file);
    const bool has_variable = reader.String("env", variable);
    std::optional<std::string> text;
    if (has_file) {
      Result<std::string> read = sources_.read_file(file);
      if (read.ok()) text = Trimmed(std::move(*read));
      if (!read.ok()) reader.Report("file", "config-secret", "the file cannot be read: " + read.error().message);
    } else if (has_variable) {
      text = sources_.environment(variable);
      if (!text) reader.Report("env", "config-secret", "the environment variable is not set");
    } else {
      reader.Report("file", "config-missing", "a token key needs a file or an env");
    }
    if (text && algorithm) {
      Result<JwtKey> key = JwtKey::FromText(id, *algorithm, *text);
      if (key.ok()) jwt.keys.push_back(std::move(*key));
      if (!key.ok()) reader.Report(has_file ? "file" : "env", "config-secret", key.error().message);
    }
    reader.Finish();
  }

  static void Millis(ConfigReader& reader, std::string_view key, std::chrono::milliseconds& out) {
    std::int64_t number = out.count();
    if (reader.Integer(key, 1, kMaxMillis, number)) out = std::chrono::milliseconds(number);
  }

  void Limits(const JsonValue& json) {
    ConfigReader reader(json, "limits", issues_, &defaults_);
    HttpLimits& limits = config_.limits;
    reader.Size("maxRequestLineBytes", 256, limits.max_request_line_bytes);
    reader.Size("maxHeadBytes", 1024, limits.max_head_bytes);
    reader.Size("maxHeaderLines", 1, limits.max_header_lines);
    Millis(reader, "headTimeoutMs", limits.head_timeout);
    reader.Size("maxBodyBytes", 0, limits.max_body_bytes);
    reader.Size("maxBatchBodyBytes", 0, limits.max_batch_body_bytes);
    Millis(reader, "bodyTimeoutMs", limits.body_timeout);
    reader.Size("minBodyBytesPerSecond", 0, limits.min_body_bytes_per_second);
    reader.Size("minResponseBytesPerSecond", 0, limits.min_response_bytes_per_second);
    Millis(reader, "writeStallTimeoutMs", limits.write_stall_timeout);
    Millis(reader, "rateGraceMs", limits.rate_grace);
    Millis(reader, "requestTimeoutMs", limits.request_timeout);
    Millis(reader, "idleTimeoutMs", limits.idle_timeout);
    reader.Size("maxConnections", 1, limits.max_connections);
    reader.Size("maxConnectionsPerAddress", 1, limits.max_connections_per_address);
    reader.Size("maxQueuedRequests", 1, limits.max_queued_requests);
    reader.Size("maxRequestsPerPrincipal", 0, limits.max_requests_per_principal);
    reader.Size("maxBufferedBytes", 1 << 20, limits.max_buffered_bytes);
    reader.Size("compressionThresholdBytes", 0, limits.compression_threshold_bytes);
    Millis(reader, "drainTimeoutMs", limits.drain_timeout);
    reader.Finish();
  }

  void Query(const JsonValue& json) {
    ConfigReader reader(json, "query", issues_, &defaults_);
    QueryConfig& query = config_.query;
    reader.Size("maxUrlBytes", 256, query.syntax.max_url_bytes);
    // Trees are walked by recursion: their depth is bounded by the stack.
    std::int64_t depth = query.syntax.max_expression_depth;
    if (reader.Integer("maxExpressionDepth", 1, 500, depth)) query.syntax.max_expression_depth = static_cast<int>(depth);
    depth = query.limits.max_expand_depth;
    if (reader.Integer("maxExpandDepth", 1, 20, depth)) {
      query.syntax.max_expand_depth = static_cast<int>(depth);
      query.limits.max_expand_depth = static_cast<std::uint32_t>(depth);
    }
    reader.Size("maxExpressionNodes", 1, query.syntax.max_nodes);
    reader.Size("maxInItems", 1, query.syntax.max_in_items);
    reader.Size("maxSearchBytes", 1, query.syntax.max_search_bytes);
    reader.Size("maxAliases", 0, query.syntax.max_aliases);
    reader.Size("maxItemsScanned", 0, query.limits.max_items_scanned);
    reader.Size("maxExpandedRecords", 1, query.limits.max_expanded_records);
    reader.Size("maxSortedRecords", 1, query.limits.max_sorted_records);
    reader.Size("maxGroups", 1, query.limits.max_groups);
    reader.Size("maxPageBytes", 1024, query.max_page_bytes);
    reader.Size("maxBatchParts", 1, query.max_batch_parts);
    reader.Bool("requireIfMatch", query.require_if_match);
    reader.Finish();
  }

  void Threads(const JsonValue& json) {
    ConfigReader reader(json, "threads", issues_, &defaults_);
    auto number = static_cast<std::int64_t>(config_.loop_threads);
    if (reader.Integer("loops", 1, 256, number)) config_.loop_threads = static_cast<std::size_t>(number);
    number = static_cast<std::int64_t>(config_.worker_threads);
    if (reader.Integer("workers", 1, 1024, number)) config_.worker_threads = static_cast<std::size_t>(number);
    reader.Finish();
  }

  RotatingFileOptions LogFile(ConfigReader& reader) const {
    RotatingFileOptions log;
    if (!reader.String("file", log.file)) reader.Report("file", "config-missing", "a log needs a file, or \"-\"");
    log.file = InFolder(log.file);
    auto number = static_cast<std::int64_t>(log.max_bytes);
    if (reader.Integer("maxBytes", 4096, std::numeric_limits<std::int64_t>::max(), number)) {
      log.max_bytes = static_cast<std::uint64_t>(number);
    }
    number = log.keep;
    if (reader.Integer("keep", 0, 1000, number)) log.keep = static_cast<int>(number);
    return log;
  }

  const ConfigSources& sources_;
  ServerConfig& config_;
  std::vector<Issue>& issues_;
  std::map<std::string, std::string>& defaults_;
};

}  // namespace

ConfigSources SystemSources(const std::string& config_file) {
  const std::filesystem::path folder = std::filesystem::path(config_file).parent_path();
  ConfigSources sources;
  sources.folder = folder.string();
  sources.read_file = [folder](const std::string& file) -> Result<std::string> {
    const std::filesystem::path path = folder / file;
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    std::ifstream in(path, std::ios::binary);
    if (error || !in.is_open() || size > kMaxSecretFileBytes) {
      return MakeError(ErrorCode::kNotFound, "no-such-file", error ? error.message() : "it cannot be opened or is too large", path.string());
    }
    return std::string((std::istreambuf_iterator<char>(in)), {});
  };
  sources.environment = [](const std::string& variable) -> std::optional<std::string> {
    const char* value = std::getenv(variable.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  return sources;
}

ParsedServerConfig ParseServerConfig(std::string_view text, const ConfigSources& sources) {
  ParsedServerConfig out;
  const Result<JsonValue> json =
      ParseJson(text, {.allow_comments = true, .allow_trailing_commas = true, .max_depth = 32, .max_bytes = kMaxConfigBytes});
  if (!json.ok() || !json->IsObject()) {
    Issue issue;
    issue.code = json.ok() ? "config-type" : json.error().reason;
    issue.message = json.ok() ? "a configuration file is a JSON object" : json.error().message;
    if (!json.ok()) issue.span = {json.error().position, json.error().position};
    out.issues.push_back(std::move(issue));
    return out;
  }
  Parser(sources, out).Root(*json);
  return out;
}

Result<HttpServerOptions> MakeServerOptions(const ServerConfig& config, std::shared_ptr<Authenticator>& authenticator) {
  TABLECAST_RETURN_IF_ERROR(CheckExposure(config));
  HttpServerOptions options;
  options.limits = config.limits;
  options.loop_threads = config.loop_threads;
  options.worker_threads = config.worker_threads;
  options.security_headers = config.security_headers;
  options.cors_origins.insert(config.cors_origins.begin(), config.cors_origins.end());
  if (config.tls.enabled()) {
    TABLECAST_ASSIGN_OR_RETURN(options.tls, TlsContext::Load(config.tls.certificate, config.tls.key));
  }
  if (!config.trusted_proxies.empty()) {
    TABLECAST_ASSIGN_OR_RETURN(TrustedProxies proxies, TrustedProxies::Parse(config.trusted_proxies));
    options.trusted_proxies = std::make_shared<const TrustedProxies>(std::move(proxies));
  }
  if (config.auth.enabled()) authenticator = MakeAuthenticator(config.auth);
  return options;
}

Status CheckExposure(const ServerConfig& config) {
  const bool loopback = config.host == "localhost" || IsLoopbackAddress(config.host);
  if (loopback || config.auth.enabled() || config.allow_unauthenticated) return {};
  return MakeError(ErrorCode::kFailedPrecondition, "unauthenticated-exposure",
                   "refusing to serve " + config.host + " without authentication", "host",
                   "configure \"auth\", listen on 127.0.0.1, or say \"allowUnauthenticated\": true");
}

bool IsPublicUrl(std::string_view url) {
  const std::size_t scheme = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
  return scheme != 0 && url.size() > scheme && url[scheme] != '/' &&
         url.find_first_of("?# \t\r\n\"<>") == std::string_view::npos;
}

}  // namespace tablecast
