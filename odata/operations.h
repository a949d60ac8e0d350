#ifndef TABLECAST_ODATA_OPERATIONS_H_
#define TABLECAST_ODATA_OPERATIONS_H_

// The routes for whoever runs the service, in front of the service itself: /healthz (the process
// answers), /readyz (it can serve: 503 while loading or draining) and /metrics.

#include <functional>
#include <string>

#include "odata/http_message.h"

namespace tablecast {

struct OperationsHooks {
  // "" when ready, else why not. Empty: always ready.
  std::function<std::string()> not_ready_because{};
  // Text for /metrics. Empty: 404.
  std::function<std::string()> metrics{};
};

// /metrics needs a principal that may_explain; the other two are for anyone.
HttpHandler WithOperations(OperationsHooks hooks, HttpHandler next);

// Whether the request is for one of these routes (they are cheap: HttpServerHooks::is_cheap).
bool IsOperationsRequest(const HttpRequest& request);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_OPERATIONS_H_
