#include "odata/trusted_proxies.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "odata/http_head.h"

namespace tablecast {
namespace {

using AddressBytes = std::array<std::uint8_t, 16>;

struct ParsedAddress {
  AddressBytes bytes{};
  bool v4 = false;
};

std::optional<ParsedAddress> ParseAddress(std::string_view text) {
  const std::string terminated(text);
  if (terminated.size() != std::strlen(terminated.c_str())) return std::nullopt;
  ParsedAddress parsed;
  in_addr v4{};
  if (inet_pton(AF_INET, terminated.c_str(), &v4) == 1) {
    parsed.v4 = true;
    parsed.bytes[10] = parsed.bytes[11] = 0xFF;
    std::memcpy(parsed.bytes.data() + 12, &v4, 4);
    return parsed;
  }
  if (inet_pton(AF_INET6, terminated.c_str(), parsed.bytes.data()) == 1) return parsed;
  return std::nullopt;
}

bool SharePrefix(const AddressBytes& a, const AddressBytes& b, int bits) {
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(whole), b.begin())) return false;
  const int rest = bits % 8;
  return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// "[2001:db8::1]:80", "2001:db8::1", "10.0.0.1:80" and "10.0.0.1" without port and brackets.
std::string_view WithoutPort(std::string_view text) {
  text = Trim(text);
  if (!text.empty() && text.front() == '[') return text.substr(1, std::min(text.find(']'), text.size()) - 1);
  return std::count(text.begin(), text.end(), ':') == 1 ? text.substr(0, text.find(':')) : text;
}

constexpr std::array<std::string_view, 6> kForwardingHeaders = {
    "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Prefix", "Forwarded"};

// The last element of a comma-separated list: what the nearest proxy wrote.
std::string_view LastElement(std::string_view list) {
  const std::size_t comma = list.rfind(',');
  return Trim(comma == std::string_view::npos ? list : list.substr(comma + 1));
}

}  // namespace

Result<TrustedProxies> TrustedProxies::Parse(const std::vector<std::string>& networks) {
  TrustedProxies proxies;
  for (const std::string& text : networks) {
    const auto bad = [&] {
      return MakeError(ErrorCode::kInvalidArgument, "bad-network", "'" + text + "' is not an address or network", text,
                       "write 10.0.0.1, 10.0.0.0/8 or 2001:db8::/32");
    };
    const std::size_t slash = text.find('/');
    const auto address = ParseAddress(std::string_view(text).substr(0, slash));
    if (!address) return bad();
    Network network{address->bytes, 128};
    if (slash != std::string::npos) {
      int bits = -1;
      const char* end = text.data() + text.size();
      const auto [stop, code] = std::from_chars(text.data() + slash + 1, end, bits);
      if (code != std::errc() || stop != end || bits < 0 || bits > (address->v4 ? 32 : 128)) return bad();
      network.prefix_bits = address->v4 ? bits + 96 : bits;
    }
    proxies.networks_.push_back(network);
  }
  return proxies;
}

bool TrustedProxies::Contains(std::string_view address) const {
  if (networks_.empty()) return false;
  const auto parsed = ParseAddress(address);
  return parsed && std::any_of(networks_.begin(), networks_.end(), [&](const Network& network) {
           return SharePrefix(parsed->bytes, network.bytes, network.prefix_bits);
         });
}

void TrustedProxies::Apply(HttpRequest& request) const {
  if (!Contains(request.remote_address)) {
    for (const std::string_view name : kForwardingHeaders) {
      if (request.headers.Has(name)) request.headers.Remove(name);
    }
    return;
  }
  const std::string chain = request.headers.Joined("X-Forwarded-For");
  std::string_view rest = chain;
  while (!rest.empty()) {
    const std::size_t comma = rest.rfind(',');
    const std::string_view hop = WithoutPort(comma == std::string_view::npos ? rest : rest.substr(comma + 1));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(0, comma);
    if (!ParseAddress(hop)) break;  // whatever stands further left cannot be trusted either
    request.remote_address = hop;
    if (!Contains(hop)) break;
  }
  const std::string proto = request.headers.Joined("X-Forwarded-Proto");
  const std::string_view scheme = LastElement(proto);
  if (EqualsIgnoreCase(scheme, "https")) request.scheme = "https";
  if (EqualsIgnoreCase(scheme, "http")) request.scheme = "http";
  const std::string hosts = request.headers.Joined("X-Forwarded-Host");
  const std::string_view host = LastElement(hosts);
  if (!host.empty() && IsAuthority(host)) request.authority = host;
}

bool IsLoopbackAddress(std::string_view address) {
  const auto parsed = ParseAddress(address);
  if (!parsed) return false;
  if (parsed->v4) return parsed->bytes[12] == 127;
  AddressBytes one{};
  one[15] = 1;
  AddressBytes mapped{};
  mapped[10] = mapped[11] = 0xFF;
  return parsed->bytes == one || (SharePrefix(parsed->bytes, mapped, 96) && parsed->bytes[12] == 127);
}

}  // namespace tablecast
