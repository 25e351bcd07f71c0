// SPDX-License-Identifier: MIT
#include "config/sections.hpp"

#include <algorithm>

// store, ingest, admin, log: what the daemon is, apart from its chains.

namespace tidemark::config {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds for_ever = std::chrono::hours(24 * 3'650);

std::filesystem::path default_store_path(const reading& r) {
  const auto state = r.env("STATE_DIRECTORY");
  // systemd lists several with ':' between.
  const std::filesystem::path folder =
      state && !state->empty() ? state->substr(0, state->find(':')) : "/var/lib/tidemark";
  return folder / "tidemark.db";
}

void read_retention(const value& v, store_section& kept) {
  section s(v);
  const auto any = as_duration(0ms, for_ever);
  s.read("webhooks", kept.keep_webhooks, any);
  s.read("deliveries", kept.keep_deliveries, any);
  s.read("events", kept.keep_events, any);
}

/// What a Bearer header can carry (RFC 6750), so that a wrong one is found here and not at the
/// first request.
std::optional<std::string> as_token(const value& v) {
  auto token = as_secret(v);
  if (!token) return token;
  const bool visible =
      std::all_of(token->begin(), token->end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (visible && token->size() <= 1'024) return token;
  v.wrong("a token has at most 1024 visible ASCII characters and no spaces");
  return std::nullopt;
}

constexpr std::array<std::pair<std::string_view, bool>, 2> roles{
    {{"read", false}, {"operate", true}}};

void read_tokens(const value& v, admin_section& out) {
  name_table names("token");
  for (const auto& token : out.tokens)
    names.add(v, token.name);
  for (const auto& item : v.items()) {
    section s(item);
    admin_token t;
    s.need("name", t.name, as_name);
    s.need("role", t.operate, as_choice(roles));
    s.need("token", t.token, as_token);
    if (t.name.empty() || t.token.empty()) continue;
    names.add(item, t.name);
    for (const auto& other : out.tokens)
      if (other.token == t.token)
        item.wrong("the token of `" + t.name + "` is that of `" + other.name +
                   "` too: each needs its own, or the audit and its role are the other's");
    out.tokens.push_back(std::move(t));
  }
}

std::optional<std::vector<std::string>> as_hosts(const value& v) {
  std::vector<std::string> out;
  for (const auto& item : v.items()) {
    const auto host = as_filled(item);
    if (!host) continue;
    if (parse_url("http://" + *host + "/") && host->find('/') == host->npos)
      out.push_back(to_lower(*host));
    else
      item.wrong("expected a host name, with a port or without: tidemark.example.com");
  }
  return out;
}

} // namespace

store_section read_store(const std::optional<value>& v, reading& r) {
  static constexpr std::array<std::pair<std::string_view, bool>, 2> durabilities{
      {{"full", true}, {"normal", false}}};
  store_section out;
  out.path = default_store_path(r);
  if (!v) return out;
  section s(*v);
  std::optional<std::string> path;
  s.read("path", path, as_filled);
  if (path) out.path = r.beside_file(*path);
  s.read("durability", out.full, as_choice(durabilities));
  s.read("min_free", out.min_free, as_size(0, std::numeric_limits<std::int64_t>::max()));
  if (const auto retention = s.find("retention")) read_retention(*retention, out);
  return out;
}

ingest_section read_ingest(const value& v) {
  ingest_section out;
  section s(v);
  s.read("listen", out.listen, as_listen);
  s.read("max_body", out.max_body, as_size(1, 256 * mib));
  s.read("max_connections", out.max_connections, as_count<std::uint32_t>(1, 1'000'000));
  s.read("max_in_flight", out.max_in_flight, as_size(1, 16 * gib));
  if (const auto timeouts = s.find("timeouts")) {
    section t(*timeouts);
    t.read("header", out.header, as_duration(10ms, 10min));
    t.read("body", out.body, as_duration(10ms, 10min));
    t.read("idle", out.idle, as_duration(10ms, 1h));
  }
  s.read("trusted_proxies", out.trusted_proxies, as_ranges);
  s.read("tls", out.tls, as_tls);
  if (out.max_in_flight < out.max_body) {
    v.warn("max_in_flight (" + size_to_text(out.max_in_flight) + ") is less than max_body (" +
           size_to_text(out.max_body) + "), so the largest bodies are never taken");
  }
  return out;
}

admin_section read_admin(const value& v) {
  admin_section out;
  section s(v);
  s.read("listen", out.listen, as_listen);
  // An empty one is none: ${TIDEMARK_TOKEN:-}.
  if (const auto token = s.find("token"); token && !(token->is_text() && token->text() == "")) {
    if (auto text = as_token(*token)) out.tokens.push_back({"token", std::move(*text), true});
  }
  const auto tokens = s.find("tokens");
  if (tokens) read_tokens(*tokens, out);
  s.read("hosts", out.hosts, as_hosts);
  s.read("tls", out.tls, as_tls);
  if (is_loopback(out.listen)) return out;
  const auto listen = s.find("listen");
  if (out.tokens.empty()) {
    listen->wrong("without a token only a loopback address, such as 127.0.0.1, may be listened on");
  } else if (!out.tls) {
    listen->warn("the token travels in clear text; give admin.tls, or put TLS in front of it");
  }
  return out;
}

log_section read_log(const value& v) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 5> levels{
      {{"trace", "trace"},
       {"debug", "debug"},
       {"info", "info"},
       {"warn", "warn"},
       {"error", "error"}}};
  static constexpr std::array<std::pair<std::string_view, bool>, 2> formats{
      {{"json", true}, {"text", false}}};
  log_section out;
  section s(v);
  s.read("level", out.level, as_choice(levels));
  s.read("format", out.json, as_choice(formats));
  if (const auto given = s.find("levels")) {
    section of(*given);
    for (const auto component : log_components)
      if (const auto one = of.find(component))
        if (const auto word = choose(*one, levels)) out.levels[std::string(component)] = *word;
  }
  return out;
}

} // namespace tidemark::config
