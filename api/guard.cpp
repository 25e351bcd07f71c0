// SPDX-License-Identifier: MIT
#include "api/guard.hpp"

#include "config/literals.hpp"
#include "evm/keccak.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>

namespace tidemark::api {
namespace {

struct authority {
  std::string host; ///< lower case, an IPv6 address without its brackets
  std::string port; ///< digits or empty
};

std::optional<authority> parse_authority(std::string_view text) {
  authority out;
  std::string_view rest;
  if (!text.empty() && text[0] == '[') {
    const auto end = text.find(']');
    if (end == text.npos) return std::nullopt;
    out.host = config::to_lower(text.substr(1, end - 1));
    rest = text.substr(end + 1);
  } else {
    const auto end = std::min(text.find(':'), text.size());
    out.host = config::to_lower(text.substr(0, end));
    rest = text.substr(end);
  }
  if (!rest.empty()) {
    if (rest[0] != ':' || rest.size() > 6) return std::nullopt;
    out.port = rest.substr(1);
    if (out.port.find_first_not_of("0123456789") != out.port.npos) return std::nullopt;
  }
  if (out.host.empty()) return std::nullopt;
  return out;
}

bool is_address(const std::string& host) {
  boost::system::error_code ec;
  boost::asio::ip::make_address(host, ec);
  return !ec;
}

bool is_ours(const config::admin_section& admin, const authority& host) {
  const std::string& listen = admin.listen.host;
  const bool everywhere = listen == "0.0.0.0" || listen == "::";
  if (host.host == config::to_lower(listen)) return true;
  if (everywhere || config::is_loopback(admin.listen)) {
    constexpr std::array<std::string_view, 3> loopback{"localhost", "127.0.0.1", "::1"};
    if (std::find(loopback.begin(), loopback.end(), host.host) != loopback.end()) return true;
  }
  // An address is no name that somebody could point at us.
  if (everywhere && is_address(host.host)) return true;
  return std::any_of(admin.hosts.begin(), admin.hosts.end(), [&](const std::string& known) {
    const auto also = parse_authority(known);
    return also && also->host == host.host && (also->port.empty() || also->port == host.port);
  });
}

/// Equal hashes, since equal lengths are what a comparison in constant time begins with.
bool same_secret(std::string_view a, std::string_view b) {
  const auto digest = [](std::string_view s) {
    return evm::keccak256({reinterpret_cast<const std::uint8_t*>(s.data()), s.size()});
  };
  const auto x = digest(a), y = digest(b);
  unsigned differ = 0;
  for (std::size_t i = 0; i < x.octets.size(); ++i)
    differ |= static_cast<unsigned>(x.octets[i] ^ y.octets[i]);
  return differ == 0;
}

std::string_view bearer_token(const net::request& request) {
  constexpr std::string_view scheme = "bearer ";
  const auto header = request.header("Authorization");
  // Of two, who knows which one a proxy before us looked at.
  if (std::count_if(request.headers.begin(), request.headers.end(), [](const auto& line) {
        return net::same_name(line.first, "Authorization");
      }) > 1)
    return {};
  if (!header || config::to_lower(header->substr(0, scheme.size())) != scheme) return {};
  const auto token = header->substr(scheme.size());
  const auto start = std::min(token.find_first_not_of(' '), token.size());
  return token.substr(start);
}

} // namespace

std::optional<net::response> check_place(const config::admin_section& admin,
                                         const net::request& request) {
  const auto host_text = request.header("Host");
  const auto host = host_text ? parse_authority(*host_text) : std::nullopt;
  if (!host || !is_ours(admin, *host))
    return net::problem(403, "this Host is none of ours; admin.hosts in the config adds one");
  const auto origin = request.header("Origin");
  if (!origin) return std::nullopt;
  const auto scheme_end = origin->find("://");
  const auto scheme = origin->substr(0, scheme_end);
  if (scheme_end == origin->npos || (scheme != "http" && scheme != "https") ||
      config::to_lower(origin->substr(scheme_end + 3)) != config::to_lower(*host_text))
    return net::problem(403, "another site's page may not ask here");
  return std::nullopt;
}

std::optional<caller> find_caller(const config::admin_section& admin, const net::request& request) {
  if (admin.tokens.empty()) return caller{request.remote.to_string(), true};
  const auto given = bearer_token(request);
  std::optional<caller> found;
  for (const auto& known : admin.tokens)
    if (same_secret(known.token, given)) found = caller{known.name, known.operate};
  return found;
}

std::optional<net::response> check_access(const config::admin_section& admin, access needs,
                                          const net::request& request) {
  if (needs == access::open) return std::nullopt;
  if (needs == access::local && request.remote.is_loopback()) return std::nullopt;
  const auto who = find_caller(admin, request);
  if (!who) {
    net::response r = net::problem(401, "this needs a token: Authorization: Bearer …");
    r.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"tidemark\"");
    return r;
  }
  if (needs == access::operate && !who->operate)
    return net::problem(403, "the token `" + who->name + "` may only read");
  return std::nullopt;
}

bool is_json(const net::request& request) {
  const auto type = request.header("Content-Type");
  if (!type) return false;
  std::string_view media = type->substr(0, type->find(';'));
  while (!media.empty() && (media.back() == ' ' || media.back() == '\t'))
    media.remove_suffix(1);
  return config::to_lower(media) == "application/json";
}

} // namespace tidemark::api
