// SPDX-License-Identifier: MIT
#include "actors/client_address.hpp"

#include <string_view>

namespace tidemark::actors {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Some proxies write the port too: 192.0.2.1:4711, [2001:db8::1]:4711.
std::optional<config::ip_octets> address_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    return end == text.npos ? std::nullopt : config::parse_ip(text.substr(1, end - 1));
  }
  const auto colon = text.find(':');
  if (colon != text.npos && text.find(':', colon + 1) == text.npos) text = text.substr(0, colon);
  return config::parse_ip(text);
}

/// The entries of all such headers, the last first; a dozen is more proxies than anybody has.
std::vector<std::string_view> forwarded(const net::request& r) {
  constexpr std::size_t most = 12;
  std::vector<std::string_view> out;
  for (auto header = r.headers.rbegin(); header != r.headers.rend(); ++header) {
    if (!net::same_name(header->first, "x-forwarded-for")) continue;
    for (std::string_view rest = header->second; out.size() < most;) {
      const auto comma = rest.rfind(',');
      if (comma == rest.npos) {
        out.push_back(rest);
        break;
      }
      out.push_back(rest.substr(comma + 1));
      rest = rest.substr(0, comma);
    }
  }
  return out;
}

} // namespace

std::optional<config::ip_octets> client_address(std::span<const config::address_range> trusted,
                                                const net::request& r) {
  auto client = config::parse_ip(r.remote.to_string());
  if (!client || !config::any_has(trusted, *client)) return client;
  for (const auto entry : forwarded(r)) {
    client = address_in(entry);
    if (!client || !config::any_has(trusted, *client)) return client;
  }
  return client;
}

} // namespace tidemark::actors
