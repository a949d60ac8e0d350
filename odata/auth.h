#ifndef TABLECAST_ODATA_AUTH_H_
#define TABLECAST_ODATA_AUTH_H_

// Finds out who sent a request: Basic passwords, API keys or bearer tokens, each turned into a
// Principal. Knows nothing of sockets.
//
//   AuthDecision decision = authenticator.Authenticate(request, AuthEffort::kFast, now);
//   if (decision.kind == AuthDecision::Kind::kUndecided) ...  // call again on a worker with kFull

#include <chrono>
#include <memory>

#include "odata/http_message.h"

namespace tablecast {

// kFast never takes more than microseconds: it looks up credentials that were accepted before and
// refuses requests without any. kFull hashes passwords and verifies signatures.
enum class AuthEffort { kFast, kFull };

struct AuthDecision {
  enum class Kind { kGranted, kRefused, kUndecided };
  Kind kind = Kind::kRefused;
  std::shared_ptr<const Principal> principal;  // when kGranted
  HttpResponse refusal;                        // when kRefused: 401 or 429
};

class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // Also takes credentials out of request.target (an API key in the query), so that they reach
  // neither links nor logs. THREAD: thread-safe.
  virtual AuthDecision Authenticate(HttpRequest& request, AuthEffort effort,
                                    std::chrono::steady_clock::time_point now) = 0;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_AUTH_H_
