#ifndef TABLECAST_ODATA_SERVER_CONFIG_H_
#define TABLECAST_ODATA_SERVER_CONFIG_H_

// The file of `tablecast serve --config FILE`: addresses, TLS, who may do what, limits, logs. JSON with
// comments. Secrets are never written into it: it names files or environment variables.
//
//   {
//     "host": "0.0.0.0", "port": 8443, "publicUrl": "https://data.example.com/odata",
//     "tls": {"certificate": "server.pem", "key": "server.key", "hsts": true},
//     "auth": {
//       "roles": {"crm": {"read": true, "create": true, "update": true, "delete": false,
//                         "objects": {"Invoice": {"read": true}}, "hiddenFields": {"Customer": ["ssn"]}}},
//       "users": [{"name": "salesforce", "passwordHashFile": "salesforce.hash", "role": "crm"}],
//       "apiKeys": {"parameter": "apikey", "keys": [{"name": "dataverse", "keyEnv": "DATAVERSE_KEY", "role": "crm"}]},
//       "jwt": {"issuer": "https://login.example.com", "audience": "tablecast", "role": "crm",
//               "keys": [{"algorithm": "RS256", "file": "issuer.pem"}]}
//     },
//     "limits": {"maxBodyBytes": 8388608}
//   }

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "base/result.h"
#include "connector/object_query.h"
#include "odata/access_log.h"
#include "odata/audit_log.h"
#include "odata/auth.h"
#include "odata/http_limits.h"
#include "odata/http_server.h"
#include "odata/syntax_tree.h"

namespace tablecast {

struct TlsConfig {
  std::string certificate{};  // PEM file, chain
  std::string key{};          // PEM file
  bool enabled() const { return !certificate.empty(); }
};

// The section "query": what one request may ask of the service.
struct QueryConfig {
  syntax::SyntaxLimits syntax{};
  QueryLimits limits{};
  std::size_t max_page_bytes = 8U << 20U;
  std::size_t max_batch_parts = 1000;
  bool require_if_match = false;
};

struct ServerConfig {
  std::string host = "127.0.0.1";
  int port = 8080;
  std::string public_url{};  // the service root as clients see it; empty: from each request
  std::vector<std::string> trusted_proxies{};
  std::vector<std::string> cors_origins{};
  bool allow_unauthenticated = false;  // also on addresses other than loopback
  TlsConfig tls{};
  SecurityHeaders security_headers{};
  AuthConfig auth{};
  HttpLimits limits{};
  std::size_t loop_threads = 0;    // 0: HttpServerOptions decides
  std::size_t worker_threads = 0;
  std::optional<AccessLogOptions> access_log{};
  std::optional<AuditLogOptions> audit_log{};
  std::string signing_secret{};     // for $skiptoken and delta links; empty: the store's own
  QueryConfig query{};
};

// What reading a configuration may touch; replaceable in tests.
struct ConfigSources {
  // Content of a file, relative to the configuration file's folder.
  std::function<Result<std::string>(const std::string& file)> read_file{};
  std::function<std::optional<std::string>(const std::string& variable)> environment{};
  std::string folder{};  // relative names of TLS and log files are put under it
};
// Real files and the real environment, for a configuration file of that name.
ConfigSources SystemSources(const std::string& config_file);

struct ParsedServerConfig {
  ServerConfig config;
  std::vector<Issue> issues;  // usable when !HasErrors(issues)
  // Every key of the sections that were there, by dotted path, with its default as text; "" = none.
  std::map<std::string, std::string> defaults;
};

// Never fails half: with errors, `config` holds what could be read.
ParsedServerConfig ParseServerConfig(std::string_view text, const ConfigSources& sources);

// What HttpServer needs of the configuration: reads certificates, builds the authenticator into
// `authenticator` (left alone without authentication).
// ERRORS: those of TlsContext::Load and CheckExposure.
Result<HttpServerOptions> MakeServerOptions(const ServerConfig& config, std::shared_ptr<Authenticator>& authenticator);

// Refuses what must not run: an address beyond loopback without authentication, unless allowed.
// ERRORS: kFailedPrecondition "unauthenticated-exposure".
Status CheckExposure(const ServerConfig& config);

// Whether this may stand before links: http or https, a host, no query.
bool IsPublicUrl(std::string_view url);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_SERVER_CONFIG_H_
