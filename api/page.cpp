// SPDX-License-Identifier: MIT
#include "api/answers.hpp"
#include "api/page_files.hpp"

#include "config/literals.hpp"
#include "net/http_server.hpp"

#include <algorithm>

// The dashboard. It holds no data, so it needs no token; what it shows it asks the API for.

namespace tidemark::api {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

/// Whether `is` holds for an element of a comma-separated header; an absent one has none.
template <class F> bool any_element(const net::request& r, std::string_view name, F is) {
  std::string_view rest = r.header(name).value_or(std::string_view{});
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    if (is(trimmed(rest.substr(0, end)))) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

/// RFC 9110 §12.5.3: `gzip`, unless its weight is 0.
bool takes_gzip(const net::request& r) {
  return any_element(r, "Accept-Encoding", [](std::string_view element) {
    const auto end = std::min(element.find(';'), element.size());
    if (config::to_lower(trimmed(element.substr(0, end))) != "gzip") return false;
    const auto weight = element.substr(end);
    const auto equals = weight.find('=');
    return equals == weight.npos ||
           weight.find_first_of("123456789", equals) != std::string_view::npos;
  });
}

/// RFC 9110 §13.1.2; tags are compared weakly.
bool is_known(const net::request& r, std::string_view tag) {
  return any_element(r, "If-None-Match", [&](std::string_view element) {
    if (element.starts_with("W/")) element.remove_prefix(2);
    return element == "*" || element == tag;
  });
}

net::response serve(const page_file& file, const call& c) {
  const net::request& request = *c.request;
  const bool compressed = !file.gzip.empty() && takes_gzip(request);
  // The two forms are different bytes, so they have different tags.
  const std::string tag = '"' + std::string(file.digest) + (compressed ? "-gz\"" : "\"");
  net::response r;
  // An asset's name changes with its content; the page's does not.
  r.headers = {
      {"ETag", tag},
      {"Vary", "Accept-Encoding"},
      {"Cache-Control", file.path.empty() ? "no-cache" : "public, max-age=31536000, immutable"},
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
       "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
       "require-trusted-types-for 'script'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"}};
  // The page asks for a token first where one is needed, rather than to be refused.
  if (file.path.empty())
    r.headers.emplace_back("Tidemark-Token", c.config.admin.tokens.empty() ? "none" : "needed");
  if (is_known(request, tag)) {
    r.status = 304;
    return r;
  }
  const auto bytes = compressed ? file.gzip : file.plain;
  r.content_type = file.type;
  r.body.assign(bytes.begin(), bytes.end());
  if (compressed) r.headers.emplace_back("Content-Encoding", "gzip");
  return r;
}

answer serve_path(const call& c, std::string_view path) {
  for (const page_file& file : page_files())
    if (file.path == path) return serve(file, c);
  return not_found("page", "/" + std::string(path));
}

} // namespace

answer get_page(const call& c) { return serve_path(c, ""); }
answer get_page_asset(const call& c) { return serve_path(c, "assets/" + c.path[0]); }

} // namespace tidemark::api
