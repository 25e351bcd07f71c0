// SPDX-License-Identifier: MIT
#include "net/url.hpp"

#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <charconv>

namespace tidemark::net {
namespace {

std::uint16_t default_port(std::string_view scheme) {
  return scheme == "https" || scheme == "wss" ? 443 : 80;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

bool host_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && host.front() != '.' && host.front() != '-' &&
         host.find("..") == std::string_view::npos &&
         std::all_of(host.begin(), host.end(), host_char);
}

bool is_v6(const std::string& host) {
  boost::system::error_code ec;
  boost::asio::ip::make_address_v6(host, ec);
  return !ec && host.find('%') == std::string::npos;
}

/// host, [v6], host:port or [v6]:port
evm::result<void> read_authority(std::string_view text, url& out) {
  std::string_view port;
  if (!text.empty() && text.front() == '[') {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return evm::fail("the URL's IPv6 address lacks its ]");
    out.host = lowered(text.substr(1, end - 1));
    if (!is_v6(out.host)) return evm::fail("the URL's IPv6 address is none");
    port = text.substr(end + 1);
    if (!port.empty() && port.front() != ':')
      return evm::fail("the URL has something between host and port");
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    out.host = lowered(text.substr(0, colon));
    if (!is_name(out.host)) return evm::fail("the URL's host is missing or no host name");
    port = text.substr(colon);
  }
  out.port = default_port(out.scheme);
  if (port.empty()) return {};
  const char* const end = port.data() + port.size();
  const auto read = std::from_chars(port.data() + 1, end, out.port);
  if (read.ec != std::errc{} || read.ptr != end || out.port == 0)
    return evm::fail("the URL's port is no number from 1 to 65535");
  return {};
}

} // namespace

std::string url::authority() const {
  std::string out = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != default_port(scheme)) out += ":" + std::to_string(port);
  return out;
}

std::string url::origin() const { return scheme + "://" + authority(); }

evm::result<url> parse_url(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; }))
    return evm::fail("the URL has a space, a control character or one beyond ASCII");
  const auto colon = text.find("://");
  if (colon == std::string_view::npos)
    return evm::fail("the URL lacks its scheme, such as https://");
  url out;
  out.scheme = lowered(text.substr(0, colon));
  if (out.scheme != "http" && out.scheme != "https" && out.scheme != "ws" && out.scheme != "wss")
    return evm::fail("the URL's scheme is none of http, https, ws, wss");
  const std::string_view rest = text.substr(colon + 3);
  const auto end = std::min(rest.find_first_of("/?#"), rest.size());
  const std::string_view authority = rest.substr(0, end);
  if (authority.find('@') != std::string_view::npos)
    return evm::fail("the URL has a user or a password: give them as a header");
  if (const auto read = read_authority(authority, out); !read) return read.error();
  out.target = rest.substr(end);
  if (out.target.find('#') != std::string::npos)
    return evm::fail("the URL has a fragment (#), which is never sent");
  if (out.target.empty() || out.target.front() != '/') out.target.insert(0, "/");
  return out;
}

} // namespace tidemark::net
