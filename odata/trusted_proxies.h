#ifndef TABLECAST_ODATA_TRUSTED_PROXIES_H_
#define TABLECAST_ODATA_TRUSTED_PROXIES_H_

// Which peers may say, by X-Forwarded-For, -Proto and -Host, on whose behalf they call. Nobody by
// default: anyone could write those headers.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "odata/http_message.h"

namespace tablecast {

class TrustedProxies {
 public:
  TrustedProxies() = default;
  // Each entry is an IPv4 or IPv6 address, or a network ("10.0.0.0/8").
  // ERRORS: kInvalidArgument "bad-network", target = the entry.
  static Result<TrustedProxies> Parse(const std::vector<std::string>& networks);

  bool Contains(std::string_view address) const;

  // Rewrites remote_address, scheme and authority from the headers of a trusted peer; removes those
  // headers of any other peer. X-Forwarded-For is read from the right, past trusted addresses.
  void Apply(HttpRequest& request) const;

 private:
  struct Network {
    std::array<std::uint8_t, 16> bytes{};  // IPv4 as ::ffff:a.b.c.d
    int prefix_bits = 128;
  };
  std::vector<Network> networks_;
};

// Whether that text is a loopback IP address (127.0.0.0/8, ::1).
bool IsLoopbackAddress(std::string_view address);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_TRUSTED_PROXIES_H_
