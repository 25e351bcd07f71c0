// SPDX-License-Identifier: MIT
#include "config/literals.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <limits>

// Addresses of sockets and of servers.

namespace tidemark::config {
namespace {

std::optional<std::uint16_t> parse_port(std::string_view text) {
  if (text.empty() || text.size() > 5) return std::nullopt;
  std::uint32_t port = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    port = 10 * port + static_cast<std::uint32_t>(c - '0');
  }
  if (port > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

bool is_ip(int family, const std::string& text) {
  in6_addr room{};
  return inet_pton(family, text.c_str(), &room) == 1;
}

struct authority {
  std::string host;
  std::optional<std::string_view> port;
  bool bracketed = false;
};

/// host, host:port, [v6] or [v6]:port.
std::optional<authority> split_authority(std::string_view text) {
  authority out;
  out.bracketed = text.substr(0, 1) == "[";
  const auto host_end = out.bracketed ? text.find(']') : text.find(':');
  if (out.bracketed && host_end == text.npos) return std::nullopt;
  out.host = std::string(out.bracketed ? text.substr(1, host_end - 1) : text.substr(0, host_end));
  const auto rest =
      host_end == text.npos ? std::string_view{} : text.substr(host_end + (out.bracketed ? 1 : 0));
  if (rest.empty()) return out;
  if (rest[0] != ':') return std::nullopt;
  out.port = rest.substr(1);
  return out;
}

bool is_host_name(std::string_view text) {
  return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  });
}

std::uint16_t default_port(std::string_view scheme) {
  return scheme == "https" || scheme == "wss" ? 443 : 80;
}

} // namespace

evm::result<listen_address> parse_listen(std::string_view text) {
  const auto wrong = [] {
    return evm::fail("expected an IP address and a port, such as 127.0.0.1:8480 or [::1]:8480");
  };
  const auto parts = split_authority(text);
  if (!parts || !parts->port) return wrong();
  const auto port = parse_port(*parts->port);
  if (!port || !is_ip(parts->bracketed ? AF_INET6 : AF_INET, parts->host)) return wrong();
  return listen_address{parts->host, *port};
}

bool is_loopback(const listen_address& a) {
  in6_addr six{};
  if (inet_pton(AF_INET6, a.host.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six);
  in_addr four{};
  return inet_pton(AF_INET, a.host.c_str(), &four) == 1 && ntohl(four.s_addr) >> 24 == 127;
}

evm::result<url_parts> parse_url(std::string_view text) {
  const auto colon = text.find("://");
  url_parts out;
  if (colon != text.npos) out.scheme = to_lower(text.substr(0, colon));
  if (out.scheme != "http" && out.scheme != "https" && out.scheme != "ws" && out.scheme != "wss") {
    return evm::fail("expected a URL that begins with https:// or http://");
  }
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!printable) return evm::fail("a URL has no spaces, line breaks or letters beyond ASCII");
  if (text.find('#') != text.npos) return evm::fail("a URL here has no '#'");
  const auto rest = text.substr(colon + 3);
  const auto named = rest.substr(0, rest.find_first_of("/?"));
  if (named.find('@') != named.npos) {
    return evm::fail("a URL must not hold a user name or password; use headers");
  }
  const auto parts = split_authority(named);
  const bool host_right =
      parts && (parts->bracketed ? is_ip(AF_INET6, parts->host) : is_host_name(parts->host));
  if (!host_right) return evm::fail("the URL's host is wrong");
  const auto port = parts->port ? parse_port(*parts->port) : default_port(out.scheme);
  if (!port || *port == 0) return evm::fail("the URL's port must be 1 to 65535");
  out.host = to_lower(parts->host);
  out.port = *port;
  return out;
}

} // namespace tidemark::config
